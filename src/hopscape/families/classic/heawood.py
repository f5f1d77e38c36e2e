"""The Heawood graph's own routing and broadcast, as printed in the paper and as they must be."""

from __future__ import annotations

import numpy as np

from hopscape.collectives.products import product_collectives
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective, Family
from hopscape.core.goal import Goal
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.core.schedule import Schedule

__all__ = ["BasicRouter", "basic_broadcast", "heawood_collectives", "heawood_translations"]

_ALL_PORTS = Served(ports=(None,))
_PLUS, _MINUS, _CHORD = 0, 1, 2
Sends = tuple[tuple[tuple[int, ...], int], ...]
"""Who sends by which port, who being given by the ports from the root."""

_STEPS: tuple[Sends, ...] = (
    (((), _PLUS), ((), _MINUS), ((), _CHORD)),
    (
        ((_PLUS,), _PLUS),
        ((_PLUS,), _CHORD),
        ((_MINUS,), _MINUS),
        ((_MINUS,), _CHORD),
        ((_CHORD,), _PLUS),
        ((_CHORD,), _MINUS),
    ),
    (
        ((_PLUS, _PLUS), _PLUS),
        ((_PLUS, _PLUS), _CHORD),
        ((_PLUS, _CHORD), _PLUS),
        ((_PLUS, _CHORD), _MINUS),
    ),
)
_PRINTED: tuple[Sends, ...] = (
    _STEPS[0],
    (
        ((_PLUS,), _MINUS),
        ((_PLUS,), _CHORD),
        ((_MINUS,), _PLUS),
        ((_MINUS,), _CHORD),
        ((_CHORD,), _MINUS),
        ((_CHORD,), _PLUS),
    ),
    (
        ((_PLUS, _MINUS), _PLUS),
        ((_PLUS, _MINUS), _CHORD),
        ((_PLUS, _CHORD), _PLUS),
        ((_PLUS, _CHORD), _MINUS),
    ),
)


class BasicRouter(Router):
    """Looks one hop ahead: +1 if that is at or beside the target, else -1, else the chord.

    Neighbours apart, nodes of the same parity are at distance 2 and all others at distance 3.
    """

    name = "basic"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        beside = (self.network.rows(at) == to[:, None]).any(axis=1)
        apart = np.where((at - to) % 2 == 0, 2, 3)
        return np.where(at == to, 0, np.where(beside, 1, apart))

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        rows = self.network.rows(at)
        out = np.full(len(at), _CHORD, dtype=np.int64)
        for port in (_MINUS, _PLUS):
            out[self.distances(rows[:, port], to) <= 1] = port
        return np.where(at == to, -1, out)


def heawood_translations() -> IntArray:
    """Row v moves 0 to v: x → x + v for even v, x → v - x for odd v (either addressing)."""
    v, x = np.arange(14)[:, None], np.arange(14)[None, :]
    return np.where(v % 2 == 0, v + x, v - x) % 14


def heawood_collectives(family: Family) -> tuple[Collective, ...]:
    """Basic_Broadcast, corrected, and what every Cayley graph has."""
    shared = product_collectives((Network.of(family),))
    return (
        Collective(
            "basic",
            "broadcast",
            "the paper's tree, corrected: 3 steps, 13 messages",
            lambda network, goal, model: basic_broadcast(network, goal.root or 0, model),
            _ALL_PORTS,
        ),
        *(c for c in shared if c.goal != "broadcast"),
    )


def basic_broadcast(
    network: Network, root: int, model: Model = Model(), *, printed: bool = False
) -> Schedule:
    """Basic_Broadcast of the paper: three rounds of sends by fixed ports.

    Args:
        printed: The steps as printed, for the ledger: they reach 10 of the 14 nodes. Otherwise
            corrected: step 2 goes on outwards.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("heawood")
        >>> for printed in (True, False):
        ...     print(hopscape.verify(basic_broadcast(net, 0, printed=printed)).details["reached"])
        10
        14
    """
    name = "basic-printed" if printed else "basic"
    if model.ports is not None:
        raise ArgumentError(f"the broadcast {name!r} is for all ports, not for {model.ports}")
    root = network.node(root)
    rounds, senders, ports = [], [], []
    for when, sends in enumerate(_PRINTED if printed else _STEPS):
        for path, port in sends:
            node = root
            for taken in path:
                node = network.neighbours(node)[taken]
            rounds.append(when)
            senders.append(node)
            ports.append(port)
    channels = network.channel_at(np.asarray(senders), np.asarray(ports))
    return Schedule.from_columns(
        network, model, Goal.broadcast(root), round=rounds, channels=channels, name=name
    )
