"""Reading a hand-over back: do all its files tell the same network?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import FileFormatError
from hopscape.core.network import Network
from hopscape.export.cables import read_cables
from hopscape.interchange import read_network
from hopscape.interchange.convert import link_ends
from hopscape.registry import build_within

__all__ = ["read_back"]


def read_back(folder: str | Path) -> Network:
    """Read the network of a hand-over and check that all its files agree.

    Raises:
        FileFormatError: When a file is missing or two of them tell different networks.
    """
    top = Path(folder)
    network, ports = read_cables(top / "cables.csv")
    for name in ("network.edges", "network.graphml"):
        if name == "network.edges" and not (top / name).exists():
            continue  # links of which different things are known: only GraphML says them
        if not _same(network, read_network(top / name)):
            raise FileFormatError(f"{top / name} and cables.csv tell different networks")
    spec_net = (
        build_within(top / "cables.csv")(network.spec) if network.spec != "cables" else network
    )
    if not _same(network, spec_net):
        raise FileFormatError(f"{top / 'cables.csv'} is not the wiring of {network.spec}")
    if network.spec != "cables":
        _check_ports(network, ports, spec_net, top)
    return spec_net


def _check_ports(listed: Network, ports: IntArray, network: Network, top: Path) -> None:
    """Does every cable of the list leave by the ports that the network has for it?"""
    tails, heads, _ = link_ends(listed)
    for at, to, port in ((tails, heads, ports[:, 0]), (heads, tails, ports[:, 1])):
        if at is heads and not network.duplex:
            continue
        channel = network.channel_at(at.astype(np.int64), port)
        wrong = (channel < 0) | (network.heads[np.maximum(channel, 0)] != to)
        if wrong.any():
            i = int(np.argmax(wrong))
            raise FileFormatError(
                f"{top / 'cables.csv'}: cable {i + 1} is at port {int(port[i]) + 1} of node"
                f" {int(at[i])}, which does not lead to node {int(to[i])} in {network.spec}"
            )


def _same(a: Network, b: Network) -> bool:
    if a.order != b.order or a.duplex != b.duplex or len(a.heads) != len(b.heads):
        return False
    return np.array_equal(_pairs(a), _pairs(b))


def _pairs(network: Network) -> Any:
    pairs = network.tails.astype(np.int64) * network.order + network.heads
    return np.sort(pairs)
