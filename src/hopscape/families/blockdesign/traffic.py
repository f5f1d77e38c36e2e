"""Which traffic passes a distributed switch in one go, and how many rounds other traffic needs.

A packet holds two channels: source → crossbar and crossbar → destination. The first carries only
packets of that source, the second only packets for that destination. So a permutation, with one
packet per source and per destination, never wants a channel twice, whatever the design; two
permutations at once may.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count as count_up
from typing import Any

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.verdict import Verdict
from hopscape.families.blockdesign.digraph import QuasicompleteDigraph
from hopscape.families.blockdesign.switches import SwitchFamily

__all__ = ["Rounds", "check_permutation", "check_traffic", "plan_rounds", "random_traffic"]


def check_permutation(
    network: Network,
    permutation: Sequence[int] | IntArray,
    *,
    half_duplex: bool = False,
    spread: bool = False,
) -> Verdict:
    """Can all packets of a permutation be under way at once?

    Parameters
    ----------
    network : Network
        A distributed or partial switch, or a quasi-complete digraph.
    permutation : sequence of N, or array (k, N)
        Destination of each endpoint; -1 sends nothing. Rows of an array are separate rounds.
    half_duplex : bool
        A link carries one packet at a time, either way.
    spread : bool
        Let a packet take another of its σ ways when the first is taken.

    Examples
    --------
    >>> import hopscape
    >>> net = hopscape.build("distributed_switch(7, 3, 1)")
    >>> print(check_permutation(net, [1, 2, 3, 4, 5, 6, 0]))
    holds: 7 packets, no port wanted twice
    >>> check_permutation(net, [1, 0, 2, 3, 4, 5, 6], half_duplex=True).holds
    False
    """
    count = _family(network).n
    table = np.atleast_2d(np.asarray(permutation))
    if table.ndim != 2 or table.shape[1] != count or table.dtype.kind not in "iu":
        raise ArgumentError(
            f"a permutation of {network.spec} has {count} integers, not shape {table.shape}"
        )
    if table.min() < -1 or table.max() >= count:
        raise ArgumentError(f"destinations must be endpoints 0..{count - 1}, or -1 for none")
    ordered = np.sort(table, axis=1)
    twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
    if twice.any():
        row, column = np.argwhere(twice)[0]
        raise ArgumentError(
            f"endpoint {ordered[row, column]} is the destination of two packets;"
            " check_traffic takes any traffic"
        )
    sources = np.broadcast_to(np.arange(count), table.shape)
    if ordered[:, 0].min() >= 0:
        starts = np.arange(len(table) + 1) * count
        return _run(network, sources.ravel(), table.ravel(), starts, half_duplex, spread)
    sends = table >= 0
    starts = np.concatenate([[0], np.cumsum(sends.sum(axis=1))])
    return _run(network, sources[sends], table[sends], starts, half_duplex, spread)


def check_traffic(
    network: Network,
    sources: Sequence[int] | IntArray,
    targets: Sequence[int] | IntArray,
    *,
    half_duplex: bool = False,
    spread: bool = False,
) -> Verdict:
    """Can all these packets be under way at once?

    `details` counts conflicts: packets that find their ports taken when all set out in order.

    Examples
    --------
    >>> import hopscape
    >>> net = hopscape.build("distributed_switch(7, 3, 1)")
    >>> print(check_traffic(net, [0, 0], [1, 3]))
    FAILS: packet 1 (0 → 3) wants a port that packet 0 (0 → 1) holds; 1 of 2 packets are refused
    """
    first, second = _pairs(network, sources, targets)
    return _run(network, first, second, np.array([0, len(first)]), half_duplex, spread)


def _family(network: Network) -> SwitchFamily | QuasicompleteDigraph:
    if isinstance(network.family, SwitchFamily | QuasicompleteDigraph):
        return network.family
    raise ArgumentError(f"{network.spec} is no distributed switch")


def _options(network: Network) -> IntArray:
    family = _family(network)
    return family.wiring.options if isinstance(family, SwitchFamily) else family.options


def _pairs(network: Network, sources: Any, targets: Any) -> tuple[IntArray, IntArray]:
    count = _family(network).n
    first, second = np.asarray(sources).ravel(), np.asarray(targets).ravel()
    if len(first) != len(second):
        raise ArgumentError(f"{len(first)} sources but {len(second)} targets")
    for name, nodes in (("sources", first), ("targets", second)):
        if nodes.size and (nodes.dtype.kind not in "iu" or nodes.min() < 0 or nodes.max() >= count):
            raise ArgumentError(f"{name} must be endpoints 0..{count - 1}")
    return first.astype(np.int64), second.astype(np.int64)


def _run(
    network: Network,
    sources: IntArray,
    targets: IntArray,
    starts: IntArray,
    half: bool,
    spread: bool,
) -> Verdict:
    from hopscape.families.blockdesign.traffic_kernels import count_conflicts

    if half and not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels; half duplex has no meaning")
    conflicts, moving, k, other = count_conflicts(
        np.ascontiguousarray(sources, dtype=np.int64),
        np.ascontiguousarray(targets, dtype=np.int64),
        starts.astype(np.int64),
        _options(network),
        _family(network).m,
        half,
        spread,
    )
    details = {"packets": int(moving), "conflicts": int(conflicts)}
    if not conflicts:
        return Verdict(True, f"{moving} packets, no port wanted twice", details=details)
    where = {"packet": int(k), "source": int(sources[k]), "target": int(targets[k])}
    text = (
        f"packet {k} ({sources[k]} → {targets[k]}) wants a port that packet {other}"
        f" ({sources[other]} → {targets[other]}) holds; {conflicts} of {moving} packets are refused"
    )
    return Verdict(False, text, where | {"other": int(other)}, details)


@dataclass(frozen=True)
class Rounds:
    """Packets sorted into rounds without conflicts.

    Attributes
    ----------
    round : int64[packets]
        From 0; -1 for packets that stay at home.
    rounds : int
    bound : int
        What no assignment can beat with these ways: the load of the busiest channel (or
        endpoint).
    """

    round: IntArray
    rounds: int
    bound: int


def plan_rounds(
    network: Network,
    sources: Sequence[int] | IntArray,
    targets: Sequence[int] | IntArray,
    *,
    one_port: bool = False,
    half_duplex: bool = False,
) -> Rounds:
    """Sort any traffic into the fewest rounds, by colouring a bipartite graph.

    Packets are edges: from the channel that they leave by to the channel that they arrive by or,
    with one port, from source to destination. The colours of a bipartite graph are as many as its
    largest degree (König), so the plan is the best possible for these ways: an h-relation takes h
    rounds with one port, and as many as the busiest channel carries with all ports.

    With half-duplex links the graph is not bipartite: each packet takes the first round that has
    both its links free, and the plan is proved best only where `rounds` equals `bound`.

    Examples
    --------
    >>> import hopscape
    >>> net = hopscape.build("distributed_switch(7, 3, 1)")
    >>> plan_rounds(net, [0, 0, 1, 1], [1, 3, 0, 2], one_port=True).rounds
    2
    """
    from hopscape.collectives.colouring import colour_edges

    first, second = _pairs(network, sources, targets)
    family, options = _family(network), _options(network)
    moving = first != second
    a, b = first[moving], second[moving]
    if one_port:
        left, right = a, b
    else:
        way = options[0, (b - a) % family.n, 0] if options.shape[0] == 1 else options[a, b, 0]
        left, right = a * family.m + way[:, 0], b * family.m + way[:, 1]
    if half_duplex:
        if one_port or not network.duplex:
            raise ArgumentError("half duplex needs duplex links and a plan for all ports")
        colours, used = _first_fit(left, right)
        load = np.bincount(np.concatenate([left, right]))
        out = np.full(len(first), -1, dtype=np.int64)
        out[moving] = colours
        return Rounds(out, used, int(load.max(initial=0)))
    colours, used = colour_edges(left, right)
    out = np.full(len(first), -1, dtype=np.int64)
    out[moving] = colours
    bound = max(int(np.bincount(left).max(initial=0)), int(np.bincount(right).max(initial=0)))
    return Rounds(out, used, bound)


def _first_fit(left: IntArray, right: IntArray) -> tuple[IntArray, int]:
    """The first round in which both links of a packet are free, packet by packet."""
    held: dict[int, set[int]] = {}
    colours = np.empty(len(left), dtype=np.int64)
    for k, (a, b) in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        mine, other = held.setdefault(a, set()), held.setdefault(b, set())
        colours[k] = next(r for r in count_up() if r not in mine and r not in other)
        mine.add(int(colours[k]))
        other.add(int(colours[k]))
    return colours, int(colours.max(initial=-1)) + 1


def random_traffic(
    count: int, kind: str, *, rounds: int = 1, seed: int = 0
) -> tuple[IntArray, IntArray]:
    """Sources and targets: ``permutation`` (`rounds` at once), ``random`` or ``relation``.

    ``random`` gives every endpoint `rounds` packets with independent destinations; ``relation`` is
    `rounds` permutations at once, shuffled.
    """
    generator = np.random.default_rng(seed)
    sources = np.tile(np.arange(count), rounds)
    if kind == "random":
        return sources, generator.integers(0, count, size=len(sources))
    if kind not in ("permutation", "relation"):
        raise ArgumentError(f"traffic {kind!r} is unknown; choose permutation, random or relation")
    targets = np.concatenate([generator.permutation(count) for _ in range(rounds)])
    if kind == "relation":
        order = generator.permutation(len(sources))
        return sources[order], targets[order]
    return sources, targets
