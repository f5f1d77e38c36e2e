"""CSV tables: next ports (a row per node, a column per destination) and cables.

A cable is one row, from rack, slot and port to rack, slot and port; the first lines of the list are
comments that name the network, so that it can be read back.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.faults import Faults
from hopscape.core.files import write_atomically
from hopscape.core.network import Network
from hopscape.core.reading import TextFile, Word
from hopscape.formats.graphs.libraries import link_ends
from hopscape.formats.infiniband import PORT_WORDS
from hopscape.metrics.oblivious import ObliviousRouting
from hopscape.metrics.routes import Routes

__all__ = [
    "read_cable_places",
    "read_cables",
    "read_faults",
    "read_routing_table",
    "write_cables",
    "write_routing_table",
    "write_weighted_paths",
]


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


def write_weighted_paths(
    routing: ObliviousRouting, network: Network, path: str | Path
) -> tuple[int, int]:
    """Write how the traffic of every two switches is split over paths.

    A row for each path: both switches, the share of their traffic, and the nodes of the path, as
    the network numbers them. Parallel cables share what goes from one switch to the next evenly.

    Returns:
        (pairs, paths): How many there are.
    """
    switches = np.setdiff1d(np.arange(network.order), network.endpoints)
    names = np.arange(network.order) if routing.graph.order == network.order else switches
    count, paths = len(routing.sources), 0
    text = io.StringIO()
    text.write(
        f"# hopscape {network.spec}\n# shares of the traffic from switch to switch by path; any"
        f" permutation of endpoints gets {float(routing.share.value):.6f} of the line rate\n"
    )
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["from_switch", "to_switch", "weight", "path"])
    for i in range(count):
        for j in range(count):
            for one in routing.paths(i, j) if i != j else ():
                nodes = names[list(one.nodes)].tolist()
                shown = " ".join(map(str, nodes))
                writer.writerow([nodes[0], nodes[-1], f"{one.weight:.9f}", shown])
                paths += 1
    write_atomically(path, lambda file: file.write(text.getvalue().encode()))
    return count * (count - 1), paths


_HEADING = (
    "cable",
    "from_row",
    "from_rack",
    "from_slot",
    "from_port",
    "to_row",
    "to_rack",
    "to_slot",
    "to_port",
    "length_m",
    "from_node",
    "to_node",
    "part",
)
_EARLIER = _HEADING[:-1]
"""Of lists that do not say which cable of the price list to take."""


def write_cables(
    network: Network,
    path: str | Path,
    places: Sequence[tuple[int, int, int]],
    lengths: Sequence[float],
    parts: Sequence[str] | None = None,
    faults: Faults | None = None,
) -> None:
    """Write the cables of a network.

    Args:
        places (sequence of (row, rack, slot)): Where each node stands.
        lengths: Metres, in the order of the links.
        parts: Which cable to take, as the bill calls it.
        faults: Dead cables are left out; the others keep their numbers and ports.
    """
    tails, heads, channels = link_ends(network)
    out = network.port_of(channels)
    back = network.reverse[channels]
    into = np.where(back >= 0, network.port_of(np.maximum(back, 0)), -1)
    text = io.StringIO()
    text.write(f"# hopscape {network.spec}\n# nodes {network.order}\n# {PORT_WORDS}\n")
    if not network.duplex:
        text.write("# directed\n")
    switches = np.setdiff1d(np.arange(network.order), network.endpoints)
    if len(switches):
        text.write(f"# switches {' '.join(map(str, switches.tolist()))}\n")
    gone = np.zeros(len(tails), dtype=bool)
    if faults is not None:
        gone = faults.channels(network)[channels]
        text.write(f"# dead {' '.join(map(str, sorted(faults.nodes)))}\n")
        text.write(f"# dead-links {' '.join(f'{u}-{v}' for u, v in faults.pairs())}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_HEADING)
    named = [""] * len(tails) if parts is None else parts
    ends = (tails.tolist(), heads.tolist(), out.tolist(), into.tolist())
    for i, (u, v, p, q, metres, part) in enumerate(zip(*ends, lengths, named, strict=True), 1):
        if gone[i - 1]:
            continue
        there = q + 1 if q >= 0 else ""
        writer.writerow([i, *places[u], p + 1, *places[v], there, f"{metres:.3f}", u, v, part])
    write_atomically(path, lambda file: file.write(text.getvalue().encode()))


def read_cables(path: str | Path) -> tuple[Network, IntArray]:
    """Read a cable list back: the network, and the ports (from 0) at both ends of each cable.

    Raises:
        FileFormatError: When it is no cable list, with the line where that shows.
    """
    file = TextFile(path)
    remarks = file.remarks()
    rows = list(file.lines("#"))
    heading = tuple(rows[0].text.split(",")) if rows else ()
    if heading not in (_HEADING, _EARLIER) or "nodes" not in remarks:
        raise file.error("this is not a cable list of hopscape")
    order = remarks["nodes"].integer("the number of nodes", 0, 2**31 - 1)
    ends: list[tuple[int, int]] = []
    ports: list[tuple[int, int]] = []
    for row in rows[1:]:
        cells = row.cells()
        if len(cells) != len(heading):
            raise row.error(f"a cable has {len(heading)} cells, here are {len(cells)}")
        cell = dict(zip(heading, cells, strict=True))
        tail, head = (cell[name].integer(name, 0, order - 1) for name in ("from_node", "to_node"))
        into = cell["to_port"].integer("to_port", 1, 2**31) if cell["to_port"].text else 0
        ends.append((tail, head))
        ports.append((cell["from_port"].integer("from_port", 1, 2**31) - 1, into - 1))
    pairs: Any = np.asarray(ends, dtype=np.int64).reshape(-1, 2)
    switches = [w.integer("a switch", 0, order - 1) for w in _listed(remarks.get("switches"))]
    network = Network.from_links(
        order,
        pairs[:, 0],
        pairs[:, 1],
        duplex="directed" not in remarks,
        spec=remarks["hopscape"].text if "hopscape" in remarks else "cables",
        switches=np.asarray(switches, dtype=np.int64) if switches else None,
    )
    return network, np.asarray(ports, dtype=np.int64).reshape(-1, 2)


def read_cable_places(path: str | Path) -> dict[int, tuple[int, int, int]]:
    """Row, rack and slot of each node that a cable list (see :func:`read_cables`) names.

    Raises:
        FileFormatError: When one is no number.
    """
    rows = [line.cells() for line in TextFile(path).lines("#")]
    heading = [word.text for word in rows[0]]
    places: dict[int, tuple[int, int, int]] = {}
    for row in rows[1:]:
        cell = dict(zip(heading, row, strict=True))
        for end in ("from", "to"):
            row_, rack, slot = (
                cell[f"{end}_{name}"].integer(name, 0, 2**31) for name in ("row", "rack", "slot")
            )
            places[cell[f"{end}_node"].integer("a node")] = row_, rack, slot
    return places


def read_faults(path: str | Path) -> Faults:
    """The dead parts that a cable list names.

    Raises:
        FileFormatError: When what it names are no nodes.
    """
    remarks = TextFile(path).remarks()
    nodes = [w.integer("a dead node", 0, 2**31) for w in _listed(remarks.get("dead"))]
    links = []
    for word in _listed(remarks.get("dead-links")):
        ends = [Word(x, word.line, word.column) for x in word.text.split("-")]
        if len(ends) != 2:
            raise word.line.error(f"a dead link is two nodes, not {word.text!r:.40}")
        links.append(frozenset(end.integer("a node", 0, 2**31) for end in ends))
    return Faults(frozenset(nodes), frozenset(links))


def _listed(remark: Word | None) -> list[Word]:
    """The words of a remark."""
    return [] if remark is None else remark.line.words()[2:]
