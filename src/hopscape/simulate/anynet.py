"""BookSim's network files: anynet, one line per router."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.files import write_atomically
from hopscape.core.network import Network

__all__ = ["read_anynet", "write_anynet"]

_LONGEST = 1000


def _is_number(words: list[str], at: int) -> bool:
    return re.fullmatch(r"[0-9]{1,18}", "".join(words[at : at + 1])) is not None


def read_anynet(path: str | Path) -> tuple[Network, list[int]]:
    """A network file: ``router 0 node 0 router 1 router 8 5``, latencies after targets.

    Endpoint i must sit at router i, one each, as this project's networks number them.

    Returns
    -------
    Network
    list of int
        Cycles of each channel.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path} cannot be read: {error}") from error
    wires: dict[tuple[int, int], int] = {}
    nodes: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words:
            continue
        if words[0] != "router" or not _is_number(words, 1):
            raise FileFormatError(f"{path}, line {number}: it must begin with 'router NUMBER'")
        here, at = int(words[1]), 2
        while at < len(words):
            if words[at] not in ("router", "node") or not _is_number(words, at + 1):
                raise FileFormatError(f"{path}, line {number}: 'router' or 'node' and a number")
            kind, other = words[at], int(words[at + 1])
            at += 2
            delay = 1
            if _is_number(words, at):
                delay = int(words[at])
                at += 1
            if delay > _LONGEST:
                raise FileFormatError(
                    f"{path}, line {number}: a latency of {delay} cycles; at most {_LONGEST}"
                )
            if kind == "node":
                nodes[other] = here
            else:
                wires[(here, other)] = delay
                wires.setdefault((other, here), 1)
    routers = {x for pair in wires for x in pair}
    order = 1 + max(routers, default=-1)
    if order > len(routers):
        raise FileFormatError(
            f"{path} names {len(routers)} routers and router {order - 1};"
            " they must be numbered from 0 without gaps"
        )
    if not wires or sorted(nodes) != list(range(len(nodes))):
        raise FileFormatError(f"{path} needs links, and nodes numbered from 0")
    if any(nodes[i] != i for i in nodes):
        raise FileFormatError(f"{path}: node i must be at router i")
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
