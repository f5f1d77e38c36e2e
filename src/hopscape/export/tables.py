"""Routing tables as CSV: one row per node, one column per destination."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import FileFormatError
from hopscape.core.files import write_atomically
from hopscape.metrics.routes import Routes

__all__ = ["read_routing_table", "write_routing_table"]


def write_routing_table(routes: Routes, path: str | Path) -> None:
    """Write which port each node leaves by for each destination.

    Row *at*, column *to*: the number of the port, from 1; 0 on arrival or without a way. The first
    row and the first column name the nodes.
    """
    order = routes.network.order

    def write(out: IO[bytes]) -> None:
        head = f"# hopscape {routes.network.spec}\n# router {routes.name}\n"
        out.write(head.encode())
        out.write(("at," + ",".join(map(str, range(order))) + "\n").encode())
        ports = np.stack([routes.ports(to) for to in range(order)], axis=1) + 1
        for at, row in enumerate(ports.tolist()):
            out.write(f"{at},{','.join(map(str, row))}\n".encode())

    write_atomically(path, write)


def read_routing_table(path: str | Path) -> IntArray:
    """Read a table back: entry (at, to) is the port from 0, or -1.

    Raises
    ------
    FileFormatError
        When it is no such table.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
        body = [line for line in lines if line and not line.startswith("#")]
        rows = [[int(word) for word in line.split(",")] for line in body[1:]]
        table = np.asarray(rows, dtype=np.int64)
    except (OSError, ValueError) as error:
        raise FileFormatError(f"{path} is no routing table: {error}") from error
    if table.ndim != 2 or table.shape[1] != table.shape[0] + 1:
        raise FileFormatError(f"{path} is no routing table: its rows do not make a square")
    return table[:, 1:] - 1
