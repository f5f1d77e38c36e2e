"""Routing tables as CSV: one row per node, one column per destination."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.files import write_atomically
from hopscape.core.reading import TextFile
from hopscape.export.infiniband import PORT_WORDS
from hopscape.metrics.routes import Routes

__all__ = ["read_routing_table", "write_routing_table"]


def write_routing_table(routes: Routes, path: str | Path) -> None:
    """Write which port each node leaves by for each destination.

    Row *at*, column *to*: the number of the port, from 1; 0 on arrival or without a path. The first
    row and the first column name the nodes.
    """
    order = routes.network.order

    def write(out: IO[bytes]) -> None:
        head = f"# hopscape {routes.network.spec}\n# router {routes.name}\n# {PORT_WORDS}\n"
        out.write(head.encode())
        out.write(("at," + ",".join(map(str, range(order))) + "\n").encode())
        ports = np.stack([routes.ports(to) for to in range(order)], axis=1) + 1
        for at, row in enumerate(ports.tolist()):
            out.write(f"{at},{','.join(map(str, row))}\n".encode())

    write_atomically(path, write)


def read_routing_table(path: str | Path) -> IntArray:
    """Read a table back: entry (at, to) is the port from 0, or -1.

    Raises:
        FileFormatError: When it is no such table.
    """
    file = TextFile(path)
    body = list(file.lines("#"))[1:]
    rows = [line.integers("a port", 0, 2**31) for line in body]
    if not rows or any(len(row) != len(rows) + 1 for row in rows):
        raise file.error("this is not a routing table: its rows do not make a square")
    table: IntArray = np.asarray(rows, dtype=np.int64)
    return table[:, 1:] - 1
