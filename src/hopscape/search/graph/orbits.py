"""Dense graphs with a symmetry, whose nodes are nearly all within two links of each other."""

from __future__ import annotations

import numpy as np

from hopscape.algebra.named_groups import group
from hopscape.core.addresses import IntArray
from hopscape.search.graph.climb import Climb
from hopscape.search.graph.lifts import Shape, Solution
from hopscape.search.graph.problem import Problem

__all__ = ["anneal_lift", "seconds_per_orbit", "suits_orbits"]

_HOT, _WARM, _COLD = 0.5, 0.35, 0.2
_MOST_NODES, _MOST_FOLD = 512, 64
_MOST_BEYOND = 1.12
_FILL = 200
_PIECE = 1_000_000


def suits_orbits(shape: Shape, problem: Problem) -> bool:
    """Is it a small group, and the number of pairs farther apart than two links what decides?

    Examples:
        >>> shapes = {n: Shape("cyclic(3)", n // 3, n % 3, 8) for n in (9, 64, 100)}
        >>> [suits_orbits(shape, Problem(n, 8)) for n, shape in shapes.items()]
        [False, True, False]
    """
    small = 1 < shape.fold <= _MOST_FOLD and shape.order <= _MOST_NODES
    n, d = shape.order, shape.degree
    return small and not problem.bipartite and 2 < d < n - 1 and n <= _MOST_BEYOND * (1 + d * d)


def seconds_per_orbit(shape: Shape) -> float:
    """About how long an exchange of two orbits of links takes: the same on every machine."""
    words = -(-shape.order // 64)
    return 4e-7 + 3e-8 * shape.fold + 1e-9 * (shape.base + shape.fixed) * shape.degree * words


def anneal_lift(shape: Shape, start: Solution | None, steps: int, seed: int) -> Solution:
    """Exchange links until as few pairs as possible are more than two links apart.

    Args:
        start: A good one, from where to begin less hot; random when left out.

    Examples:
        >>> best = anneal_lift(Shape("cyclic(5)", 10, 0, 7), None, 2000, 1)
        >>> Climb(best.shape, 1, best).diameter
        3
    """
    from hopscape.search.graph.orbit_kernels import (
        Orbits,
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
    orbits = Orbits(links, others, _action(shape), *_sources(shape), _rows(shape.order))
    wire_orbits(orbits)
    least = int(far_pairs(orbits.rows, orbits.sources, orbits.weights, 1 << 60))
    best, pair = links.copy(), 2.0 * shape.fold
    state = np.asarray([(seed * 0x9E3779B9 + 97531) % 2**64], dtype=np.uint64)
    pieces = [min(_PIECE, steps - at) for at in range(0, steps, _PIECE)]
    hot = _HOT if start is None else _WARM
    fall = (_COLD / hot) ** (1 / max(len(pieces), 1))
    for i, piece in enumerate(pieces):
        warm = hot * pair * fall**i
        least = int(anneal_orbits(orbits, state, piece, warm, warm * fall, best, least))
        if least == 0:
            break
    return _solution(begun, darts, best)


def _rows(n: int) -> IntArray:
    return np.zeros((n, -(-n // 64)), dtype=np.uint64)


def _sources(shape: Shape) -> tuple[IntArray, IntArray]:
    """One node of each orbit, and the size of the orbit."""
    moved = shape.base * shape.fold
    sources = np.concatenate([np.arange(0, moved, shape.fold), np.arange(moved, shape.order)])
    return sources, np.where(sources < moved, shape.fold, 1)


def _action(shape: Shape) -> IntArray:
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


def _node(shape: Shape, vertex: int, element: int) -> int:
    m, base = shape.fold, shape.base
    return vertex * m + element if vertex < base else base * m + vertex - base


def _solution(begun: Solution, darts: IntArray, links: IntArray) -> Solution:
    """Give the links their darts; each vertex has as many as before."""
    shape = begun.shape
    m, moved = shape.fold, shape.base * shape.fold
    found = group(shape.group)
    free: dict[int, list[int]] = {}
    for dart in darts.ravel().tolist():
        free.setdefault(int(shape.owner[dart]), []).append(dart)
    mate, volt = list(begun.mate), list(begun.volt)
    for u, v in links.tolist():
        a, b = (free[x // m if x < moved else shape.base + x - moved].pop() for x in (u, v))
        mate[a], mate[b] = b, a
        volt[a] = volt[b] = 0
        if max(u, v) < moved:
            back = int(found.inverse(np.asarray([u % m]))[0])
            g = int(found.product(np.asarray([back]), np.asarray([v % m]))[0])
            volt[a], volt[b] = g, int(found.inverse(np.asarray([g]))[0])
    return Solution(shape, tuple(mate), tuple(volt))
