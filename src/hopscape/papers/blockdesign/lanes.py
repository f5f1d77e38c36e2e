"""Kinds of links between supernodes: every endpoint has so many of each, both ends agree.

The links are the edges of a multigraph, the kinds a decomposition into subgraphs of given degrees.
With even numbers there always is one (Petersen 1891): walk the edges along Euler tours, so that
each node is left and entered equally often, and colour the bipartite graph of tails and heads. If
the links themselves are bipartite, as many colours as links at a node are enough (König 1916), and
any numbers can be dealt out. Odd numbers may have none elsewhere: in a component of an odd number
of nodes that all have every link, a kind of an odd number of links would have an odd sum of
degrees.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError

__all__ = ["deal_by_turns", "deal_lanes"]

_MOST_BINARIES = 60_000
"""Links times kinds in an integer program for odd numbers: some seconds."""
_MOST_BRANCHES = 500
"""Nodes of its branch and bound: work, not time."""


def deal_by_turns(
    first: IntArray, second: IntArray, shape: tuple[int, int], lanes: Sequence[int]
) -> IntArray | None:
    """Kinds by turn and copy alone, the same at every endpoint; None where that is not possible.

    Args:
        first, second (int arrays): Turns at both ends of the links, which must be of one kind.
        shape: Turns and copies.

    Turns that links join stay together; what stays together is dealt out, the largest first.

    Examples:
        >>> deal_by_turns(np.array([0, 1]), np.array([1, 0]), (3, 1), (2, 1)).T.tolist()
        [[0, 0, 1]]
        >>> deal_by_turns(np.array([0, 1]), np.array([1, 0]), (4, 1), (1, 3)) is None
        False
        >>> deal_by_turns(np.array([0, 1]), np.array([1, 0]), (2, 1), (1, 1)) is None
        True
    """
    turns, copies = shape
    root = list(range(turns))

    def find(x: int) -> int:
        while root[x] != x:
            x = root[x]
        return x

    for pair in np.unique(np.column_stack([first, second]), axis=0).tolist():
        root[find(pair[0])] = find(pair[1])
    together: dict[int, list[int]] = {}
    for turn in range(turns):
        together.setdefault(find(turn), []).append(turn)
    out = np.zeros(shape, dtype=np.int64)
    room = list(lanes)
    for members in sorted(together.values(), key=len, reverse=True):
        for copy in range(copies):
            lane = max(range(len(room)), key=lambda i: (room[i] // len(members) > 0, room[i]))
            if room[lane] < len(members):
                return None
            room[lane] -= len(members)
            out[members, copy] = lane
    return out


def deal_lanes(first: IntArray, second: IntArray, nodes: int, lanes: Sequence[int]) -> IntArray:
    """The kind of each link, so that no node has more than `lanes` says of any kind.

    Args:
        first, second (int arrays): Ends of the links, from 0 to `nodes` - 1; no node has more than
            sum(lanes) of them.

    Raises:
        ArgumentError: With the proof that there is no such way, or that none was found.

    Examples:
        >>> a, b = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0])
        >>> sorted(deal_lanes(a, b, 4, (1, 1)).tolist())
        [0, 0, 1, 1]
        >>> try:
        ...     deal_lanes(a[:3], np.array([1, 2, 0]), 3, (1, 1))
        ... except ArgumentError as error:
        ...     print(str(error)[-45:])
        one kind each, that kind would have 3/2 links
    """
    if all(lane % 2 == 0 for lane in lanes):
        colour = _two_factors(first, second, nodes)
        ends = np.cumsum([lane // 2 for lane in lanes])
        return np.searchsorted(ends, colour, side="right")
    left = _left_ends(first, second, nodes)
    if left is not None:
        from hopscape.collectives.colouring import colour_edges

        colour = colour_edges(left, first + second - left)[0]
        return np.searchsorted(np.cumsum(lanes), colour, side="right")
    _require_even(first, second, nodes, lanes)
    return _decide(first, second, nodes, lanes)


def _left_ends(first: IntArray, second: IntArray, nodes: int) -> IntArray | None:
    """The end of each edge on one side of a bipartite graph; None when there is an odd cycle."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    tails, heads = np.concatenate([first, first + nodes]), np.concatenate([second + nodes, second])
    twice = csr_array((np.ones(len(tails)), (tails, heads)), shape=(2 * nodes, 2 * nodes))
    label = connected_components(twice, directed=False)[1]  # of the double cover
    here, there = label[:nodes], label[nodes:]
    used = np.unique(np.concatenate([first, second]))
    if (here[used] == there[used]).any():
        return None
    return np.where(here[first] < there[first], first, second)


def _two_factors(first: IntArray, second: IntArray, nodes: int) -> IntArray:
    """Colours of the edges, as few as half the largest degree; each colour twice at a node."""
    from hopscape.collectives.colouring import colour_edges

    degree = np.bincount(first, minlength=nodes) + np.bincount(second, minlength=nodes)
    odd = np.nonzero(degree % 2)[0]
    spare = np.full(len(odd), nodes)  # one more node evens out the odd ones
    walks = _euler_tails(np.concatenate([first, odd]), np.concatenate([second, spare]), nodes + 1)
    tail = walks[: len(first)]
    head = np.where(tail == first, second, first)
    return colour_edges(tail, head)[0]


def _euler_tails(first: IntArray, second: IntArray, nodes: int) -> IntArray:
    """Where each edge begins on closed walks through all edges (Hierholzer); degrees are even."""
    order = np.argsort(np.concatenate([first, second]), kind="stable")
    starts = np.searchsorted(np.concatenate([first, second])[order], np.arange(nodes + 1)).tolist()
    edges = (order % len(first)).tolist()
    a, b = first.tolist(), second.tolist()
    used = [False] * len(a)
    tails = [0] * len(a)
    place = starts[:-1].copy()
    for start in range(nodes):
        node = start
        while True:
            while place[node] < starts[node + 1] and used[edges[place[node]]]:
                place[node] += 1
            if place[node] == starts[node + 1]:
                break  # degrees are even: a walk ends where it began
            edge = edges[place[node]]
            used[edge], tails[edge] = True, node
            node = b[edge] if a[edge] == node else a[edge]
    return np.asarray(tails, dtype=np.int64)


def _require_even(first: IntArray, second: IntArray, nodes: int, lanes: Sequence[int]) -> None:
    """Refuse what the sum of degrees forbids."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    degree = np.bincount(first, minlength=nodes) + np.bincount(second, minlength=nodes)
    graph = csr_array((np.ones(len(first)), (first, second)), shape=(nodes, nodes))
    count, label = connected_components(graph, directed=False)
    size = np.bincount(label, minlength=count)
    least = np.full(count, sum(lanes))
    np.minimum.at(least, label, degree)
    full = np.nonzero((size % 2 == 1) & (least == sum(lanes)))[0]
    if len(full):
        odd = next(lane for lane in lanes if lane % 2)
        members = int(size[full[0]])
        raise ArgumentError(
            f"lanes {list(lanes)} are impossible: {members} nodes that are joined with each other"
            f" have all their {sum(lanes)} links; with {odd} of one kind each, that kind would have"
            f" {members * odd}/2 links"
        )


def _decide(first: IntArray, second: IntArray, nodes: int, lanes: Sequence[int]) -> IntArray:
    """An integer program: one kind for each link, at most so many of a kind at a node."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    links, kinds = len(first), len(lanes)
    if links * kinds > _MOST_BINARIES:
        raise ArgumentError(
            f"lanes {list(lanes)} have odd numbers, which are dealt out to at most"
            f" {_MOST_BINARIES // kinds} links, not {links}; even numbers always are"
        )
    link, kind = np.indices((links, kinds)).reshape(2, -1)
    column = np.arange(links * kinds)
    at = np.concatenate([first[link] * kinds + kind, second[link] * kinds + kind])
    ones = np.ones(len(at))
    degrees = csr_array((ones, (at, np.tile(column, 2))), shape=(nodes * kinds, links * kinds))
    once = csr_array((ones[: len(column)], (link, column)), shape=(links, links * kinds))
    result = milp(
        np.zeros(links * kinds),
        integrality=np.ones(links * kinds, dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=[
            LinearConstraint(degrees, ub=np.tile(np.asarray(lanes, dtype=float), nodes)),
            LinearConstraint(once, 1, 1),
        ],
        options={"node_limit": _MOST_BRANCHES},
    )
    if result.status == 2:
        raise ArgumentError(
            f"lanes {list(lanes)} are impossible: an integer program over all {links} links between"
            " endpoints has no solution"
        )
    if result.x is None:
        raise ArgumentError(
            f"lanes {list(lanes)} were dealt out to {links} links neither by turns nor by an"
            f" integer program of {_MOST_BRANCHES} branches; even numbers always are"
        )
    chosen: IntArray = result.x.reshape(links, kinds).argmax(axis=1)
    return chosen
