"""Dense graphs with a symmetry, whose nodes are nearly all within two links of each other.

Dense graphs, whose nodes are nearly all within two links of each other.
"""

from __future__ import annotations

import numpy as np

from hopscape.algebra.named_groups import group
from hopscape.core.annealing import pieces
from hopscape.core.arrays import IntArray
from hopscape.search.graph.climb import Climb
from hopscape.search.graph.lifts import LiftShape, Solution
from hopscape.search.graph.problem import Problem

__all__ = [
    "anneal_lift",
    "anneal_links",
    "seconds_per_exchange",
    "seconds_per_orbit",
    "suits_orbits",
    "suits_pairs",
]

_HOT, _WARM, _COLD = 0.5, 0.35, 0.2  # at first, from a good start, at the end; in orbits of pairs
_MOST_NODES, _MOST_FOLD = 512, 64  # rows of eight words, and a move that is small beside measuring
_MOST_BEYOND = 1.12
"""Times 1 + d², the Moore bound of diameter 2, up to which nearly all pairs can be within 2."""
_FILL = 200  # moves for each dart by which a random start gets its links
_PIECE = 1_000_000  # moves between two chances to interrupt: about a second


def suits_orbits(shape: LiftShape, problem: Problem) -> bool:
    """Is it a small group, and the number of pairs farther apart than two links what decides?

    Examples:
        >>> shapes = {n: LiftShape("cyclic(3)", n // 3, n % 3, 8) for n in (9, 64, 100)}
        >>> [suits_orbits(shape, Problem(n, 8)) for n, shape in shapes.items()]
        [False, True, False]
    """
    small = 1 < shape.fold <= _MOST_FOLD and shape.order <= _MOST_NODES
    n, d = shape.order, shape.degree
    return small and not problem.bipartite and 2 < d < n - 1 and n <= _MOST_BEYOND * (1 + d * d)


def seconds_per_orbit(shape: LiftShape) -> float:
    """About how long an exchange of two orbits of links takes: the same on every machine."""
    words = -(-shape.order // 64)
    return 4e-7 + 3e-8 * shape.fold + 1e-9 * (shape.base + shape.fixed) * shape.degree * words


def anneal_lift(shape: LiftShape, start: Solution | None, steps: int, seed: int) -> Solution:
    """Exchange links until as few pairs as possible are more than two links apart.

    Args:
        start: A good one, from where to begin less hot; random when left out.

    Examples:
        >>> best = anneal_lift(LiftShape("cyclic(5)", 10, 0, 7), None, 2000, 1)
        >>> Climb(best.shape, 1, best).diameter
        3
    """
    from hopscape.search.graph.dense_kernels import (
        LinkOrbits,
        anneal_orbits,
        far_pairs,
        wire_orbits,
    )

    if start is None:
        climb = Climb(shape, seed)
        climb.anneal(_FILL * shape.darts, 2.0 * shape.fold, shape.fold)
        begun = climb.best
    else:
        begun = start
    links, others, darts = _orbits(begun)
    orbits = LinkOrbits(links, others, _action(shape), *_sources(shape), _rows(shape.order))
    wire_orbits(orbits)
    least = int(far_pairs(orbits.rows, orbits.sources, orbits.weights, 1 << 60))
    best, pair = links.copy(), 2.0 * shape.fold
    state = np.asarray([(seed * 0x9E3779B9 + 97531) % 2**64], dtype=np.uint64)
    hot = _HOT if start is None else _WARM
    for piece in pieces(steps, _PIECE, hot * pair, _COLD * pair):
        least = int(anneal_orbits(orbits, state, *piece, best, least))
        if least == 0:
            break
    return _solution(begun, darts, best)


def _rows(n: int) -> IntArray:
    return np.zeros((n, -(-n // 64)), dtype=np.uint64)


def _sources(shape: LiftShape) -> tuple[IntArray, IntArray]:
    """One node of each orbit, and the size of the orbit."""
    moved = shape.base * shape.fold
    sources = np.concatenate([np.arange(0, moved, shape.fold), np.arange(moved, shape.order)])
    return sources, np.where(sources < moved, shape.fold, 1)


def _action(shape: LiftShape) -> IntArray:
    """Where each element of the group takes each node: h over a vertex to g·h."""
    m = shape.fold
    every = np.arange(m, dtype=np.int64)
    left = group(shape.group).product(every[:, None], every[None, :])
    moved = np.arange(shape.base)[None, :, None] * m + left[:, None, :]
    still = np.broadcast_to(np.arange(shape.base * m, shape.order), (m, shape.fixed))
    both = np.concatenate([moved.reshape(m, -1), still], axis=1)
    return np.ascontiguousarray(both, dtype=np.int32)


def _orbits(solution: Solution) -> tuple[IntArray, IntArray, IntArray]:
    """Links that moves may change, one of each orbit; all others; the darts of the former."""
    shape = solution.shape
    m, base = shape.fold, shape.base
    act = _action(shape)
    first: list[tuple[int, int]] = []
    others = [(base * m + a, base * m + b) for a, b in shape.inner()]
    darts: list[tuple[int, int]] = []
    for k, (t, g) in enumerate(zip(solution.mate, solution.volt, strict=True)):
        u, v = _node(shape, int(shape.owner[k]), 0), _node(shape, int(shape.owner[t]), g)
        if g >= 0 and k < t:
            first.append((u, v))
            darts.append((k, t))
        elif g >= 0 and k == t:
            pairs = {tuple(sorted((int(row[u]), int(row[v])))) for row in act}
            others += sorted((a, b) for a, b in pairs)
    return _table(first), _table(others), _table(darts)


def _table(pairs: list[tuple[int, int]]) -> IntArray:
    return np.asarray(pairs, dtype=np.int32).reshape(-1, 2)


def _node(shape: LiftShape, vertex: int, element: int) -> int:
    m, base = shape.fold, shape.base
    return vertex * m + element if vertex < base else base * m + vertex - base


def _solution(begun: Solution, darts: IntArray, links: IntArray) -> Solution:
    """Give the links their darts; each vertex has as many as before."""
    shape = begun.shape
    m, moved = shape.fold, shape.base * shape.fold
    lift_group = group(shape.group)
    free: dict[int, list[int]] = {}
    for dart in darts.ravel().tolist():
        free.setdefault(int(shape.owner[dart]), []).append(dart)
    mate, volt = list(begun.mate), list(begun.volt)
    for u, v in links.tolist():
        a, b = (free[x // m if x < moved else shape.base + x - moved].pop() for x in (u, v))
        mate[a], mate[b] = b, a
        volt[a] = volt[b] = 0
        if max(u, v) < moved:
            back = int(lift_group.inverse(np.asarray([u % m]))[0])
            g = int(lift_group.product(np.asarray([back]), np.asarray([v % m]))[0])
            volt[a], volt[b] = g, int(lift_group.inverse(np.asarray([g]))[0])
    return Solution(shape, tuple(mate), tuple(volt))


_PAIRS_HOT, _PAIRS_WARM, _PAIRS_COLD = 0.8, 0.5, 0.3  # as above, in pairs
_PAIRS_MOST_NODES = 4096  # 32 MiB for the common neighbours of all pairs
_PAIRS_PIECE = 4_000_000  # exchanges between two chances to interrupt: a few seconds


def suits_pairs(shape: LiftShape, problem: Problem) -> bool:
    """Is the number of pairs farther apart than two links what decides?

    Examples:
        >>> [suits_pairs(LiftShape("cyclic(1)", n, 0, 8), Problem(n, 8)) for n in (9, 64, 72, 100)]
        [False, True, True, False]
    """
    plain = shape.fold == 1 and problem.free and not problem.bipartite
    n, within = shape.order, 1 + shape.degree**2
    return plain and 2 < shape.degree < n - 1 and n <= min(_PAIRS_MOST_NODES, _MOST_BEYOND * within)


def seconds_per_exchange(shape: LiftShape) -> float:
    """About how long an exchange of two links takes: the same on every machine."""
    return 2e-8 + 1e-7 * shape.degree


def anneal_links(
    nodes: int, degree: int, links: IntArray, steps: int, seed: int, *, reheat: bool = False
) -> IntArray:
    """Exchange ends of links until as few pairs as possible are more than two links apart.

    A step changes the counts of paths of two hops between the neighbours of four nodes: time in
    proportion to the degree, memory 2 bytes per pair of nodes.

    Args:
        links (int[m, 2]): Of a simple graph.
        reheat: The links are good already: begin less hot.

    Returns:
        int[m, 2]: The best links; degrees are as before.

    Examples:
        >>> ring = np.asarray([(i, (i + s) % 10) for i in range(10) for s in (1, 2)])
        >>> best = anneal_links(10, 4, ring, 2000, 1)
        >>> np.bincount(best.ravel()).tolist()
        [4, 4, 4, 4, 4, 4, 4, 4, 4, 4]
    """
    from hopscape.search.graph.dense_kernels import Pairs, anneal_pairs, count_pairs

    pairs = Pairs(
        np.ascontiguousarray(links, dtype=np.int32),
        np.zeros((nodes, degree), dtype=np.int32),
        np.zeros(nodes, dtype=np.int32),
        np.zeros((nodes, nodes), dtype=np.int16),
        np.zeros(1, dtype=np.int64),
    )
    count_pairs(pairs)
    best, least = pairs.links.copy(), int(pairs.far[0])
    state = np.asarray([(seed * 0x9E3779B9 + 54321) % 2**64], dtype=np.uint64)
    hot = _PAIRS_WARM if reheat else _PAIRS_HOT
    for piece in pieces(steps, _PAIRS_PIECE, hot, _PAIRS_COLD):
        least = anneal_pairs(pairs, state, *piece, best, least)
        if least == 0:
            break
    return best.astype(np.int64)
