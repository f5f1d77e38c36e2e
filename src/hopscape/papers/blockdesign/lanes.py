"""Kinds of links between supernodes: every endpoint has so many of each, both ends agree.

The links are the edges of a multigraph, the kinds a decomposition into subgraphs of given degrees.
With even numbers there always is one (Petersen 1891): walk the edges along Euler tours, so that
each node is left and entered equally often, and colour the bipartite graph of tails and heads. If
the links themselves are bipartite, as many colours as links at a node are enough (König 1916), and
any numbers can be dealt out. Elsewhere one odd number beside even ones, or two odd ones, are a
question of matchings (Tutte 1954), answered either way: one link at every node is paired off, and
what is left has even numbers; where that is not possible, a graph of ports decides. More odd
numbers (edge colouring is one of them, NP-hard) are split off one after the other, in several
orders of the links; where one cannot be split from the others together, there is no way; else an
integer program has the last word, while it is small.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError

__all__ = ["deal_by_turns", "deal_lanes", "split_links"]

_MOST_BINARIES = 60_000
"""Links times kinds in an integer program for three odd numbers: some seconds."""
_MOST_BRANCHES = 500
"""Nodes of its branch and bound: work, not time."""
_ORDERS = 8
"""Orders of the links in which three or more odd numbers are split off; most need one."""
_FEW_FACTORS = 3
"""Of the two-factors, those that a link for each node is looked for in, before all links: six links
at a node nearly always hold a perfect matching, and fewer are searched sooner."""
_MOST_JOINTS = 30_000_000
"""Edges in the graph of ports: 480 MB."""


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
    odd = [i for i, lane in enumerate(lanes) if lane % 2]
    if len(odd) == 1 or len(odd) == len(lanes) == 2:
        return _split_off(first, second, nodes, lanes, odd[:1], 0)
    for order in range(_ORDERS):
        try:
            turned = odd[order % len(odd) :] + odd[: order % len(odd)]
            return _split_off(first, second, nodes, lanes, turned, order)
        except _DeadEndError:
            continue
    return _decide(first, second, nodes, lanes)


class _DeadEndError(Exception):
    """What is left after the first odd number cannot be split; another first one may leave more."""


def _split_off(
    first: IntArray, second: IntArray, nodes: int, lanes: Sequence[int], odd: Sequence[int],
    order: int,
) -> IntArray:  # fmt: skip
    """Kinds of odd numbers one after the other, each split from the rest; then the even ones."""
    turn = np.arange(len(first))
    if order:
        turn = np.random.default_rng(order).permutation(len(first))
    kinds = np.full(len(first), -1, dtype=np.int64)
    left, room = turn, list(lanes)
    for i in odd:
        taken = split_links(first[left], second[left], nodes, lanes[i], sum(room) - lanes[i])
        if taken is None and i != odd[0]:
            raise _DeadEndError
        if taken is None:
            raise ArgumentError(
                f"lanes {list(lanes)} are impossible: no choice of links between endpoints has"
                f" {lanes[i]} of one kind and {sum(lanes) - lanes[i]} of the others at each, since"
                " a largest matching of their ports leaves some without a link"
            )
        kinds[left[taken]] = i
        left, room[i] = left[~taken], 0
    rest = [i for i, lane in enumerate(room) if lane]
    if len(rest) == 1:
        kinds[left] = rest[0]
    elif rest:
        colour = _two_factors(first[left], second[left], nodes)
        ends = np.cumsum([room[i] // 2 for i in rest])
        kinds[left] = np.asarray(rest)[np.searchsorted(ends, colour, side="right")]
    return kinds


def split_links(
    first: IntArray, second: IntArray, nodes: int, most: int, rest: int
) -> IntArray | None:
    """bool[links]: so that no node has more than `most` of the chosen and `rest` of the others.

    One of the two numbers must be odd, or both; no node has more than their sum. None where there
    is no such choice, which is proved.

    Examples:
        >>> a, b = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 0])
        >>> split_links(a, b, 4, 1, 1).tolist()
        [True, False, True, False]
        >>> split_links(a[:3], np.array([1, 2, 0]), 3, 1, 1) is None
        True
    """
    every = most + rest
    used, ends = np.unique(np.concatenate([first, second]), return_inverse=True)
    count, links = len(used), len(first)
    a, b = ends[:links], ends[links:]
    degree = np.bincount(ends, minlength=count)
    if (degree < every).any():  # twice, and what a node lacks joins it with its twin
        spare = np.repeat(np.arange(count), every - degree)
        a, b = (
            np.concatenate([a, a + count, spare]),
            np.concatenate([b, b + count, spare + count]),
        )
        count *= 2
    chosen = _by_factors(a, b, count, most, rest)
    if chosen is None:
        chosen = _by_ports(a, b, count, most, rest)
    return None if chosen is None else chosen[:links]


def _by_factors(a: IntArray, b: IntArray, nodes: int, most: int, rest: int) -> IntArray | None:
    """One link for each node paired off, the others in two-factors; None where that is not found.

    Every node has most + rest links.
    """
    odd = most if most % 2 and (rest % 2 == 0 or most <= rest) else rest
    kept = np.ones(len(a), dtype=bool)
    colour = np.zeros(len(a), dtype=np.int64)
    if (most + rest) % 2 == 0:  # both are odd: the larger one fills up what holds the pairs
        colour = _two_factors(a, b, nodes)
        few = min(_FEW_FACTORS, (max(most, rest) + 1) // 2)
        kept = colour < few
    pairs = _perfect_matching(a[kept], b[kept], nodes)
    if pairs is None:
        return None
    mine = np.zeros(len(a), dtype=bool)
    mine[np.nonzero(kept)[0][pairs]] = True
    if (most + rest) % 2:
        other = np.nonzero(~mine)[0]
        mine[other] = _two_factors(a[other], b[other], nodes) < (odd - 1) // 2
    else:
        mine |= (colour >= few) & (colour < few + (odd - 1) // 2)
    return mine if odd == most else ~mine


def _perfect_matching(a: IntArray, b: IntArray, nodes: int) -> IntArray | None:
    """Edges that pair all nodes, or None where a barrier proves that there are none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    from hopscape.metrics.blossom_kernels import match_nodes

    tails, heads = np.concatenate([a, b]), np.concatenate([b, a])
    order = np.argsort(tails, kind="stable")
    start = np.searchsorted(tails[order], np.arange(nodes + 1)).astype(np.int64)
    mate, label = np.full(nodes, -1), np.zeros(nodes, dtype=np.int64)
    alone = match_nodes(start, heads[order].astype(np.int64), mate, label)
    if not alone:
        lower = np.minimum(a, b)
        key, index = np.unique(lower * nodes + np.maximum(a, b), return_index=True)
        v = np.nonzero(np.arange(nodes) < mate)[0]
        pairs: IntArray = index[np.searchsorted(key, v * nodes + mate[v])]
        return pairs
    barrier = label == 2
    kept = ~(barrier[a] | barrier[b])
    graph = csr_array((np.ones(int(kept.sum())), (a[kept], b[kept])), shape=(nodes, nodes))
    part = connected_components(graph, directed=False)[1]
    odd = np.bincount(part[~barrier]) % 2
    if int(odd.sum()) != int(barrier.sum()) + alone:
        raise AssertionError("a matching that is not the largest")
    return None


def _by_ports(a: IntArray, b: IntArray, nodes: int, most: int, rest: int) -> IntArray | None:
    """The same by a perfect matching of ports (Tutte 1954), which there is or is not.

    Every link is an edge between two ports. A node with d links, of which f are chosen, has d - f
    nodes of its own, joined with all its ports: a port that they do not take is paired by its link.
    """
    few, links = min(most, rest), len(a)
    if nodes * (most + rest) * few > _MOST_JOINTS:
        raise ArgumentError(
            f"lanes of {most} and {rest} among {links} links need a graph of ports with"
            f" {nodes * (most + rest) * few} edges; {_MOST_JOINTS} is the most"
        )
    at = np.concatenate([a, b])  # ports: first ends, then second ends
    port = np.repeat(np.arange(2 * links), few)
    core = 2 * links + at[port] * few + np.tile(np.arange(few), 2 * links)
    first = np.concatenate([np.arange(links), port])
    second = np.concatenate([np.arange(links) + links, core])
    pairs = _perfect_matching(first, second, 2 * links + nodes * few)
    if pairs is None:
        return None
    chosen = np.zeros(links, dtype=bool)
    chosen[pairs[pairs < links]] = True  # as many as the larger number says
    return chosen if most > rest else ~chosen


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
            f"lanes {list(lanes)} were not dealt out in {_ORDERS} orders of {links} links, and an"
            f" integer program takes at most {_MOST_BINARIES // kinds}; even numbers always are"
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
            f"lanes {list(lanes)} were dealt out to {links} links neither by matchings nor by an"
            f" integer program of {_MOST_BRANCHES} branches; even numbers always are"
        )
    chosen: IntArray = result.x.reshape(links, kinds).argmax(axis=1)
    return chosen
