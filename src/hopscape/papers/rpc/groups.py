"""Groups: m nodes that are as near to each other as m nodes can be.

The diameter of a group is the largest distance between two of its nodes, measured in the whole
network. A group of diameter t is a clique of the graph that joins nodes at distance t or less; the
search looks for cliques of m nodes, from one node per orbit.

The best groups of RPC, RP and large tori in closed form, and what the paper prints.

`hopscape groups` searches; these formulas reach as far as the paper does (3136 nodes). The tests
compare them with the search wherever that runs to its end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import track

__all__ = [
    "NodeGroup",
    "best_group",
    "best_groups",
    "group_diameter",
    "largest_rpc_group",
    "printed_rp_group",
    "printed_rpc_group",
    "printed_torus_group",
    "rp_group",
    "rpc_group",
    "torus_group",
]

# branches of the exact search; where they are spent the size is bounded, not proved
_BUDGET = 2_000_000
_STARTS = 64  # nodes from which groups are grown, one of each orbit first
_USUAL = 256  # nodes among which a branch costs one; more cost the cube of the ratio


@dataclass(frozen=True)
class NodeGroup:
    """A group of nodes and what is known about the best one of its size.

    Attributes:
        diameter: Of this group.
        nodes: Ascending.
        exact: Is no group of this size of smaller diameter?
        lower_bound: No group of this size has a smaller diameter than this.
        how: How the lower bound is known.
    """

    size: int
    diameter: int
    nodes: tuple[int, ...]
    exact: bool
    lower_bound: int
    how: str


def group_diameter(network: Network, nodes: Sequence[int]) -> int:
    """The largest distance between two nodes of a group.

    Examples:
        >>> import hopscape
        >>> group_diameter(hopscape.build("torus(9, 9)"), [0, 1, 9, 10])
        2
    """
    chosen, _ = network.resolve(list(nodes))
    rows = distance_rows(network, chosen)[:, chosen]
    if unreached(rows).any():
        raise DisconnectedError(
            f"some nodes of the group cannot reach each other in {network.spec}"
        )
    return int(rows.max(initial=0))


def best_group(network: Network, size: int, *, budget: int = _BUDGET) -> NodeGroup:
    """The smallest possible diameter of a group of so many nodes, with such a group.

    Args:
        size: Number of nodes, from 1 to the order of the network.
        budget: Branches of the search before it gives up (fewer beyond some hundred nodes, where
            each takes longer); then the group is the best one seen, `exact` is False and
            `lower_bound` says what is proved.

    Raises:
        ArgumentError: When there are not so many nodes.
        DisconnectedError: When some node cannot reach some other.

    Examples:
        >>> import hopscape
        >>> group = best_group(hopscape.build("petersen"), 4)
        >>> group.diameter, group.exact
        (2, True)
    """
    return best_groups(network, [size], budget=budget)[0]


def best_groups(
    network: Network, sizes: Sequence[int], *, budget: int = _BUDGET
) -> list[NodeGroup]:
    """:func:`best_group` for several sizes, which share one table of distances (N² entries)."""
    for size in sizes:
        if not 1 <= size <= network.order:
            raise ArgumentError(
                f"size is {size}; {network.spec} has {network.order} nodes, so it must be from 1 to"
                f" {network.order}"
            )
    require_memory(3 * network.order**2, f"the distances of {network.spec} ({network.order} nodes)")
    table = distance_rows(network, np.arange(network.order))
    if unreached(table).any():
        raise DisconnectedError(f"{network.spec} has nodes that cannot reach each other")
    table = np.maximum(table, table.T)
    return [_best_group(network, table, size, budget) for size in sizes]


def _best_group(network: Network, table: IntArray, size: int, budget: int) -> NodeGroup:
    starts = _starts(network)
    low, why = _ball_bound(table, starts, size)
    nodes = _greedy(table, starts, size, low)
    high = int(table[np.ix_(nodes, nodes)].max(initial=0))
    while low < high:
        status, members, left = _search(table, starts, size, low, budget, network.spec)
        budget = left
        if status < 0:
            return _group(table, nodes, low, why)
        if status > 0:
            return _group(table, members, low, why)
        low, why = low + 1, f"no group of {size} nodes has diameter {low} (searched in full)"
    return _group(table, nodes, low, why)


def _group(table: IntArray, nodes: IntArray, low: int, why: str) -> NodeGroup:
    diameter = int(table[np.ix_(nodes, nodes)].max(initial=0))
    members = tuple(sorted(int(v) for v in nodes))
    return NodeGroup(len(members), diameter, members, diameter == low, low, why)


def _starts(network: Network) -> IntArray:
    """One node per orbit, or all."""
    if network.symmetry is not None:
        return np.asarray(network.symmetry.representatives, dtype=np.int64)
    return np.arange(network.order)


def _ball_bound(table: IntArray, starts: IntArray, size: int) -> tuple[int, str]:
    """A group of diameter t lies in the ball of radius t round each of its nodes."""
    nearest = np.sort(table[starts], axis=1)[:, size - 1]
    low = int(nearest.min())
    return low, f"no ball of radius {low - 1} has {size} nodes" if low else "one node"


def _greedy(table: IntArray, starts: IntArray, size: int, low: int) -> IntArray:
    """A group of small diameter: grow it so that as many nodes as possible can still join."""
    for t in range(low, int(table.max()) + 1):
        within = table <= t
        for start in starts[:_STARTS]:
            group = _grow(table, within, int(start), size)
            if group is not None:
                return group
    raise AssertionError("the whole network is a group")


def _grow(table: IntArray, within: IntArray, start: int, size: int) -> IntArray | None:
    open_ = within[start].copy()
    open_[start] = False
    group = [start]
    total = table[start].astype(np.int64)
    close = within[:, open_].sum(axis=1)  # how many of those that can still join are near a node
    while len(group) < size:
        members = np.nonzero(open_)[0]
        if len(group) + len(members) < size:
            return None
        stay = close[members]
        if int(stay.min()) == len(members):  # all that are left fit together
            return np.asarray([*group, *members[: size - len(group)].tolist()])
        best = members[np.lexsort((total[members], -stay))[0]]
        group.append(int(best))
        gone = open_ & ~within[best]
        gone[best] = True
        open_ &= ~gone
        close -= within[:, gone].sum(axis=1)
        total += table[best]
    return np.asarray(group)


def _search(
    table: IntArray, starts: IntArray, size: int, t: int, budget: int, spec: str
) -> tuple[int, IntArray, int]:
    """A group of this diameter: 1 and the group, 0 when there is none, -1 when not known."""
    from hopscape.papers.rpc.clique_kernels import FOUND, STOPPED, find_clique

    banned = np.zeros(len(table), dtype=bool)
    for start in track(starts.tolist(), f"groups of diameter {t} in {spec}"):
        members = np.nonzero((table[start] <= t) & ~banned)[0]
        members = members[members != start]
        if len(starts) > 1:
            banned[start] = True
        if len(members) + 1 < size:
            continue
        order = _ordered(table, members, t)
        adjacency = _bits(table[np.ix_(order, order)] <= t)
        candidates = _bits(np.ones((1, len(order)), dtype=bool), loops=True)[0]
        dear = max(1.0, (len(order) / _USUAL) ** 3)  # a branch costs more among many nodes
        status, clique, used = find_clique(adjacency, candidates, size - 1, int(budget / dear))
        budget -= int(used * dear)
        if status == FOUND:
            group = np.asarray([start, *order[clique[: size - 1]].tolist()])
            return 1, group, budget
        if status == STOPPED:
            return -1, members, 0
    return 0, np.empty(0, dtype=np.int64), budget


def _ordered(table: IntArray, members: IntArray, t: int) -> IntArray:
    """Nodes with most company first, so that the colouring is tight where it matters."""
    close = (table[np.ix_(members, members)] <= t).sum(axis=1)
    return members[np.argsort(-close, kind="stable")]


def _bits(mask: IntArray, *, loops: bool = False) -> IntArray:
    """Rows of booleans as bit sets of 64-bit words, the diagonal cleared."""
    rows = mask.copy()
    if not loops:
        np.fill_diagonal(rows, False)
    width = -(-rows.shape[1] // 64) * 64
    padded = np.zeros((len(rows), width), dtype=bool)
    padded[:, : rows.shape[1]] = rows
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint64)


_GROUPS_KNOWN_USUAL = (1, 3, 6, 12, 18)
_SMALL_RINGS = {
    1: (1, 3, 4, 6, 8),
    2: (1, 3, 6, 9, 12),
    3: (1, 3, 9, 12, 18),
    5: (1, 3, 6, 15, 21),
    7: (1, 3, 6, 12, 21),
}


def largest_rpc_group(t: int, k: int) -> int:
    """The most nodes of RPC(k) that are pairwise at distance t or less.

    Examples:
        >>> [largest_rpc_group(t, 8) for t in range(8)]
        [1, 3, 6, 12, 18, 30, 60, 90]
    """
    if t >= k // 2 + 5:
        return 30 * k
    if t <= 4:
        return _SMALL_RINGS.get(k, _GROUPS_KNOWN_USUAL)[t]
    return 30 * (t - 4)


def rpc_group(m: int, k: int) -> int:
    """The smallest diameter of a group of m nodes of RPC(k)."""
    return next(t for t in range(k // 2 + 6) if largest_rpc_group(t, k) >= m)


def rp_group(m: int, k: int) -> int:
    """The smallest diameter of a group of m nodes of RP(k)."""
    if m <= 2 or (m == 3 and k == 3):
        return min(m - 1, 1)
    return min(2 + (m - 1) // 10, k // 2 + 2)


def torus_group(m: int) -> int:
    """The smallest diameter of a group of m nodes of a large 2-D torus: diamonds.

    Examples:
        >>> [torus_group(m) for m in (1, 2, 3, 5, 6, 8, 9, 13)]
        [0, 1, 2, 2, 3, 3, 4, 4]
    """
    t = 0
    while ((t + 1) ** 2 // 2 if t % 2 else t * t // 2 + t + 1) < m:
        t += 1
    return t


def printed_rpc_group(m: int) -> int:
    """Equation (1) as printed."""
    for t, most in enumerate((1, 3, 6, 12, 20)):
        if m <= most:
            return t
    return 5 + (m - 1) // 30


def printed_rp_group(m: int) -> int:
    """Equation (2) as printed."""
    return m - 1 if m <= 2 else 2 + (m - 1) // 10


def printed_torus_group(m: int) -> float:
    """Equation (3) as printed."""
    return 2 * (math.sqrt(m) - 1)
