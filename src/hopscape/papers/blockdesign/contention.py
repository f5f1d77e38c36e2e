"""Which traffic passes a network in one go (how many rounds other traffic needs: ``rounds``).

In a distributed switch a packet holds two channels: source → crossbar and crossbar → destination.
The first carries only packets of that source, the second only packets for that destination. So a
permutation, with one packet per source and per destination, never wants a channel twice, whatever
the design; two permutations at once may. In any other network a packet holds all channels of its
route at once, as a circuit does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.verdict import Verdict
from hopscape.papers.blockdesign.crossbars import Crossbars, SimplexCrossbars
from hopscape.papers.blockdesign.routing import check_ports, route_options

__all__ = [
    "check_permutation",
    "check_traffic",
    "circuits",
    "packet_pairs",
    "random_traffic",
    "switch_family",
]

_PACKET_BYTES = 64  # ports and crossbars of a packet's route, in 64 bits each


def check_permutation(
    network: Network,
    permutation: Sequence[int] | IntArray,
    *,
    half_duplex: bool = False,
    spread: bool = False,
) -> Verdict:
    """Can all packets of a permutation be under way at once?

    Args:
        permutation (sequence of N, or array (k, N)): Destination of each endpoint; -1 sends
            nothing. Rows of an array are separate rounds.
        half_duplex: A link carries one packet at a time, either way.
        spread: Let a packet of a distributed switch take another of its σ ways when the first is
            taken.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("distributed_switch(7, 3, 1)")
        >>> print(check_permutation(net, [1, 2, 3, 4, 5, 6, 0]))
        holds: 7 packets, no port wanted twice
        >>> check_permutation(net, [1, 0, 2, 3, 4, 5, 6], half_duplex=True).holds
        False
    """
    count = network.endpoint_count
    table = np.atleast_2d(np.asarray(permutation))
    if table.ndim != 2 or table.shape[1] != count or table.dtype.kind not in "iu":
        raise ArgumentError(
            f"a permutation of {network.spec} has {count} integers, not shape {table.shape}"
        )
    if not _are_endpoints(network, table, none=-1):
        raise ArgumentError(f"destinations must be endpoints {_range(network)}, or -1 for none")
    sends = table >= 0
    _require_once(table, sends, network.order)
    sources = np.broadcast_to(network.endpoints, table.shape)
    if sends.all():
        starts = np.arange(len(table) + 1) * count
        return _run(network, sources.ravel(), table.ravel(), starts, half_duplex, spread)
    starts = np.concatenate([[0], np.cumsum(sends.sum(axis=1))])
    return _run(network, sources[sends], table[sends], starts, half_duplex, spread)


def _require_once(table: IntArray, sends: IntArray, order: int) -> None:
    """Refuse a row in which two packets have one destination."""
    met = np.zeros((len(table), order + 1), dtype=bool)  # the last for those that stay
    np.put_along_axis(met, table.astype(np.int64) % (order + 1), True, axis=1)
    if int(met[:, :-1].sum()) == int(sends.sum()):
        return
    ordered = np.sort(table, axis=1)
    row, column = np.argwhere((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0))[0]
    raise ArgumentError(
        f"endpoint {ordered[row, column]} is the destination of two packets;"
        " check_traffic takes any traffic"
    )


def check_traffic(
    network: Network,
    sources: Sequence[int] | IntArray,
    targets: Sequence[int] | IntArray,
    *,
    half_duplex: bool = False,
    spread: bool = False,
) -> Verdict:
    """Can all these packets be under way at once?

    `details` counts conflicts: packets that find their ports taken when all set out in order. In a
    distributed switch the ports themselves are checked against the wiring first.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("distributed_switch(7, 3, 1)")
        >>> print(check_traffic(net, [0, 0], [1, 3]))
        FAILS: packet 1 (0 → 3) wants a port that packet 0 (0 → 1) holds; 1 of 2 packets are refused
        >>> print(check_traffic(hopscape.build("ring(6)"), [0, 1], [2, 3]))
        FAILS: packet 1 (1 → 3) wants a port that packet 0 (0 → 2) holds; 1 of 2 packets are refused
    """
    first, second = packet_pairs(network, sources, targets)
    return _run(network, first, second, np.array([0, len(first)]), half_duplex, spread)


def switch_family(network: Network) -> Crossbars | SimplexCrossbars | None:
    family = network.family
    return family if isinstance(family, Crossbars | SimplexCrossbars) else None


def _in_a_row(ends: IntArray) -> bool:
    return bool(len(ends) and ends[-1] - ends[0] + 1 == len(ends))


def _range(network: Network) -> str:
    ends = network.endpoints
    return f"{ends[0]}..{ends[-1]}" if _in_a_row(ends) else "of the network"


def _are_endpoints(network: Network, nodes: IntArray, none: int | None = None) -> bool:
    """Are all nodes endpoints (or `none`)?"""
    ends = network.endpoints
    if _in_a_row(ends):
        low = ends[0] if none is None else min(int(ends[0]), none)
        if nodes.min(initial=ends[0]) >= low and nodes.max(initial=low) <= ends[-1]:
            return low == ends[0] or none == ends[0] - 1
    known = np.isin(nodes, ends)
    return bool((known if none is None else known | (nodes == none)).all())


def packet_pairs(network: Network, sources: Any, targets: Any) -> tuple[IntArray, IntArray]:
    first, second = np.asarray(sources).ravel(), np.asarray(targets).ravel()
    if len(first) != len(second):
        raise ArgumentError(f"{len(first)} sources but {len(second)} targets")
    for name, nodes in (("sources", first), ("targets", second)):
        if nodes.size and (nodes.dtype.kind not in "iu" or not _are_endpoints(network, nodes)):
            raise ArgumentError(f"{name} must be endpoints {_range(network)}")
    return first.astype(np.int64), second.astype(np.int64)


def _run(
    network: Network,
    sources: IntArray,
    targets: IntArray,
    starts: IntArray,
    half: bool,
    spread: bool,
) -> Verdict:
    if half and not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels; half duplex has no meaning")
    family = switch_family(network)
    first, second = (np.ascontiguousarray(x, dtype=np.int64) for x in (sources, targets))
    if family is not None:
        ports = check_ports(network, family, first, second)
        if not ports:
            return Verdict(False, ports.reason, ports.where, {"packets": 0, "conflicts": 0})
        from hopscape.papers.blockdesign.contention_kernels import count_conflicts

        counted = count_conflicts(
            first, second, starts.astype(np.int64), route_options(family), family.m, half, spread
        )
    else:
        if spread:
            raise ArgumentError(
                f"{network.spec} is not a distributed switch; its routes are not spread"
            )
        from hopscape.papers.blockdesign.contention_kernels import count_blocked

        begin, lanes = circuits(network, first, second, half)
        counted = count_blocked(begin, lanes, starts.astype(np.int64), len(network.heads))
    conflicts, moving, k, other = (int(x) for x in counted)
    details = {"packets": moving, "conflicts": conflicts}
    if not conflicts:
        return Verdict(True, f"{moving} packets, no port wanted twice", details=details)
    where = {"packet": k, "source": int(first[k]), "target": int(second[k])}
    text = (
        f"packet {k} ({first[k]} → {second[k]}) wants a port that packet {other}"
        f" ({first[other]} → {second[other]}) holds; {conflicts} of {moving} packets are refused"
    )
    return Verdict(False, text, where | {"other": other}, details)


def circuits(
    network: Network, sources: IntArray, targets: IntArray, half: bool
) -> tuple[IntArray, IntArray]:
    """Channels (links, in half duplex) of the routes: where each begins, and all of them."""
    require_memory(_PACKET_BYTES * len(sources), f"{len(sources)} routes in {network.spec}")
    nodes, ports = network.router().walk(sources, targets)
    taken = ports >= 0
    channels = network.channel_at(nodes[:, :-1][taken], ports[taken])
    starts = np.concatenate([[0], np.cumsum(taken.sum(axis=1))]).astype(np.int64)
    if half:
        channels = np.minimum(channels, network.reverse[channels])
    return starts, channels.astype(np.int64)


def random_traffic(
    count: int, kind: str, *, rounds: int = 1, seed: int = 0
) -> tuple[IntArray, IntArray]:
    """Sources and targets: ``permutation`` (`rounds` at once), ``random`` or ``relation``.

    ``random`` gives every endpoint `rounds` packets with independent destinations; ``relation`` is
    `rounds` permutations at once, shuffled. Endpoints are counted from 0.
    """
    if kind not in ("permutation", "relation", "random"):
        raise ArgumentError(f"traffic {kind!r} is unknown; choose permutation, random or relation")
    require_memory(_PACKET_BYTES * count * rounds, f"{count * rounds} packets")
    generator = np.random.default_rng(seed)
    sources = np.tile(np.arange(count), rounds)
    if kind == "random":
        return sources, generator.integers(0, count, size=len(sources))
    targets = np.concatenate([generator.permutation(count) for _ in range(rounds)])
    if kind == "relation":
        order = generator.permutation(len(sources))
        return sources[order], targets[order]
    return sources, targets
