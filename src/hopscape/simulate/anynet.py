"""BookSim's network files: anynet, one line per router."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_atomically
from hopscape.core.network import Network
from hopscape.core.reading import Line, TextFile

__all__ = ["read_anynet", "write_anynet"]

_MOST_ROUTERS = 2**31 - 1
_LONGEST = 1000


def read_anynet(path: str | Path) -> tuple[Network, list[int]]:
    """The network of a file, and the cycles of its channels.

    A line is ``router 0 node 0 router 1 router 8 5``, latencies after targets. Endpoint i must sit
    at router i, one each, as this project's networks number them.
    """
    file = TextFile(path)
    wires: dict[tuple[int, int], int] = {}
    nodes: dict[int, int] = {}
    for line in file.lines():
        _read_router(line, wires, nodes)
    named = {router for pair in wires for router in pair}
    order = len(named)
    missing = next((i for i in range(order) if i not in named), None)
    if missing is not None:
        raise file.error(f"routers are numbered from 0; router {missing} has no link")
    if not wires or sorted(nodes) != list(range(len(nodes))):
        raise file.error("it needs links, and nodes numbered from 0")
    wrong = next((i for i in nodes if nodes[i] != i), None)
    if wrong is not None:
        raise file.error(f"node i must be at router i; node {wrong} is at router {nodes[wrong]}")
    links = sorted(pair for pair in wires if pair[0] < pair[1])
    switches = np.arange(len(nodes), order)
    network = Network.from_links(
        order,
        [a for a, _ in links],
        [b for _, b in links],
        spec="anynet",
        switches=switches if len(switches) else None,
    )
    delays = [wires[(int(a), int(b))] for a, b in zip(network.tails, network.heads, strict=True)]
    return network, delays


def _read_router(line: Line, wires: dict[tuple[int, int], int], nodes: dict[int, int]) -> None:
    """A line such as ``router 0 node 0 router 1 router 8 5``."""
    words = line.words()
    if len(words) < 2 or words[0].text != "router":
        raise line.error("it must begin with 'router NUMBER'")
    here, at = words[1].integer("a router", 0, _MOST_ROUTERS), 2
    while at < len(words):
        kind = words[at]
        if kind.text not in ("router", "node") or at + 1 == len(words):
            raise kind.error(f"'router' or 'node' and a number, not {kind.text!r:.40}")
        other = words[at + 1].integer(f"a {kind.text}", 0, _MOST_ROUTERS)
        at += 2
        delay = 1
        if at < len(words) and words[at].text not in ("router", "node"):
            delay = words[at].integer("a latency", 0, _LONGEST)
            at += 1
        if kind.text == "node":
            nodes[other] = here
        else:
            wires[(here, other)] = delay
            wires.setdefault((other, here), 1)


def write_anynet(network: Network, path: str | Path, link_delay: int = 1) -> None:
    """Write a network file for BookSim's anynet; one endpoint per node that is no switch.

    Parallel links collapse in BookSim, so they are refused here.
    """
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels; anynet has duplex links only")
    if network.has_switches and not np.array_equal(
        network.endpoints, np.arange(network.endpoint_count)
    ):
        raise ArgumentError(f"the endpoints of {network.spec} are not numbered before its switches")
    ends = set(network.endpoints.tolist())
    lines = []
    for v in range(network.order):
        heads = network.heads[network.indptr[v] : network.indptr[v + 1]].tolist()
        if len(set(heads)) != len(heads) or v in heads:
            raise ArgumentError(f"{network.spec} has parallel links or loops; anynet has neither")
        node = f" node {v}" if v in ends else ""
        delay = "" if link_delay == 1 else f" {link_delay}"
        lines.append(f"router {v}{node}" + "".join(f" router {w}{delay}" for w in heads))
    text = "\n".join(lines) + "\n"
    write_atomically(path, lambda out: out.write(text.encode()))
