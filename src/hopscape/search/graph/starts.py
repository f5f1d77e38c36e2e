"""Where a search without symmetry may begin: algebra, an existing network, a floor plan."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from hopscape.algebra.fields import galois_field, prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.network import Network
from hopscape.search.graph.lifts import LiftShape, Solution
from hopscape.search.graph.problem import Problem

__all__ = ["algebraic_starts", "plan_start", "solution_of"]

_NEAR = 0.12  # an algebraic graph is a start for orders that differ from its own by this share
Ends = tuple[IntArray, IntArray]


def algebraic_starts(nodes: int, degree: int) -> Iterator[tuple[str, int, IntArray]]:
    """Graphs that algebra gives, of about this order and at most this degree.

    Yields:
        name, order, links: Brown's polarity graphs of the projective and the affine plane, the
            graphs of McKay, Miller and Širáň, incidence graphs of projective planes, generalised
            Kautz and de Bruijn graphs.

    Examples:
        >>> [name for name, _, _ in algebraic_starts(50, 7)][:2]
        ['McKay-Miller-Širáň graph over GF(5)', 'affine polarity graph over GF(7)']
    """
    for q in range(2, 2 * degree):
        if prime_power(q) is None:
            continue
        if q <= degree and _close(q * q, nodes):
            yield f"affine polarity graph over GF({q})", q * q, _affine_polarity(q)
        for family, size, ports, name in (
            ("polarfly", q * q + q + 1, q + 1, "polarity graph (Brown)"),
            ("projective_network", 2 * (q * q + q + 1), q + 1, "incidence graph"),
            ("slim_fly", 2 * q * q, _mms_degree(q), "McKay-Miller-Širáň graph"),
        ):
            if 0 < ports <= degree and _close(size, nodes):
                yield f"{name} over GF({q})", size, _listed(f"{family}({q}, p=0)")
    if degree >= 4 and nodes > degree:
        yield "generalised Kautz graph", nodes, _words(nodes, degree // 2, -1)
        yield "generalised de Bruijn graph", nodes, _words(nodes, degree // 2, 1)


def _mms_degree(q: int) -> int:
    """(3q - δ) / 2 with q = 4w + δ; 0 where there is no such graph."""
    return {0: 3 * q // 2, 1: (3 * q - 1) // 2, 3: (3 * q + 1) // 2}.get(q % 4, 0)


def _close(size: int, nodes: int) -> bool:
    return abs(size - nodes) <= _NEAR * nodes


def _listed(spec: str) -> IntArray:
    from hopscape.registry import build

    return _once(build(spec))


def _once(network: Network) -> IntArray:
    """Links of a network, each once, without loops and doubles."""
    ends = np.stack([network.tails, network.heads], axis=1).astype(np.int64)
    return np.unique(np.sort(ends[ends[:, 0] != ends[:, 1]], axis=1), axis=0)


def _affine_polarity(q: int) -> IntArray:
    """Points (a, b) and (c, d) of the plane over GF(q) are joined when b + d = a·c."""
    field = galois_field(q)
    a, b, c = (axis.ravel() for axis in np.meshgrid(*[np.arange(q)] * 3, indexing="ij"))
    d = field.subtract(field.multiply(a, c), b)
    ends = np.sort(np.stack([a * q + b, c * q + d], axis=1), axis=1)
    return np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)


def _words(nodes: int, out: int, sign: int) -> IntArray:
    """Node v has channels to sign · (out · v + 1, ..., out · v + out) modulo the order.

    (M. Imase, M. Itoh. "Design to minimize diameter on building-block network." 1981 and 1983.)
    """
    v = np.repeat(np.arange(nodes), out)
    u = sign * (out * v + np.tile(np.arange(1, out + 1), nodes)) % nodes
    ends = np.sort(np.stack([v, u], axis=1), axis=1)
    return np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0)


def solution_of(
    shape: LiftShape, order: int, links: IntArray, generator: np.random.Generator
) -> Solution:
    """A graph as a lift by the trivial group, with nodes taken away or added at random.

    Nodes that are too many leave the ports of their neighbours free; a node that is new is put into
    the middle of links. Ports that stay free are joined at random as far as that gives new links.
    """
    n = shape.base
    room = list(shape.ports) or [shape.degree] * n
    if order > n:
        kept = np.sort(generator.permutation(order)[:n])
        place = np.full(order, -1)
        place[kept] = np.arange(n)
        links = place[links]
        links = links[(links >= 0).all(axis=1)]
    neighbours: list[set[int]] = [set() for _ in range(n)]
    for u, v in links.tolist():
        if len(neighbours[u]) < room[u] and len(neighbours[v]) < room[v]:
            neighbours[u].add(v)
            neighbours[v].add(u)
    for new in range(order, n):
        _insert(neighbours, new, room[new], generator)
    _fill(neighbours, room, generator)
    return _darts(shape, neighbours)


def _insert(near: list[set[int]], new: int, ports: int, generator: np.random.Generator) -> None:
    """Put a node into the middle of links of others."""
    for _ in range(20 * ports):
        if len(near[new]) + 2 > ports:
            return
        u = int(generator.integers(new))
        if u in near[new] or not near[u]:
            continue
        v = sorted(near[u])[int(generator.integers(len(near[u])))]
        if v == new or v in near[new]:
            continue
        near[u] ^= {v, new}
        near[v] ^= {u, new}
        near[new] |= {u, v}


def _fill(near: list[set[int]], room: list[int], generator: np.random.Generator) -> None:
    free = [v for v, some in enumerate(near) for _ in range(room[v] - len(some))]
    for _ in range(8):
        generator.shuffle(free)
        left = []
        for u, v in zip(free[0::2], free[1::2], strict=False):
            if u != v and v not in near[u]:
                near[u].add(v)
                near[v].add(u)
            else:
                left += [u, v]
        free = left + free[2 * (len(free) // 2) :]


def _darts(shape: LiftShape, near: list[set[int]]) -> Solution:
    counts = np.bincount(shape.owner, minlength=shape.base)
    first = (np.cumsum(counts) - counts).tolist()
    mate = list(range(shape.darts))
    volt = [-1] * shape.darts
    used = [0] * shape.base
    for u, some in enumerate(near):
        for v in sorted(w for w in some if w > u):
            a, b = first[u] + used[u], first[v] + used[v]
            used[u] += 1
            used[v] += 1
            mate[a], mate[b], volt[a], volt[b] = b, a, 0, 0
    return Solution(shape, tuple(mate), tuple(volt))


def plan_start(problem: Problem, shape: LiftShape, generator: np.random.Generator) -> Solution:
    """Links within the limits of a floor plan: a snake through all places, then others.

    Where the last row ends early, the snake reaches it by the first column. Links that are allowed
    are tried in random order, while the budget lasts.
    """
    assert problem.lengths is not None
    assert problem.grid is not None
    n, lengths = problem.nodes, problem.lengths
    room = list(shape.ports) or [shape.degree] * n
    neighbours: list[set[int]] = [set() for _ in range(n)]
    row, column = np.divmod(np.arange(n), problem.grid[1])
    snake = np.lexsort((np.where(row % 2, -column, column), row)).tolist()
    pairs = [(a, b) for a, b in pairwise(snake) if lengths[a, b] == 1]
    across = problem.grid[1]
    pairs += [(v - across, v) for v in range((n - 1) // across * across, 0, -across)]
    if problem.bipartite:
        pairs = [(a, b) for a, b in pairs if (a + b) % 2]
    u, v = np.triu_indices(n, 1)
    allowed = np.ones(len(u), dtype=bool)
    if problem.longest is not None:
        allowed &= lengths[u, v] <= problem.longest
    if problem.bipartite:
        allowed &= (u + v) % 2 == 1
    order = generator.permutation(np.flatnonzero(allowed))
    pairs += zip(u[order].tolist(), v[order].tolist(), strict=True)
    left = problem.budget if problem.budget is not None else 1 << 60
    longer, spare = problem.long if problem.long is not None else (1 << 30, 0)
    for a, b in pairs:
        apart = int(lengths[a, b])
        far = apart > longer
        if len(neighbours[a]) < room[a] and len(neighbours[b]) < room[b] and b not in neighbours[a]:
            if apart > left or (far and spare == 0):
                continue
            left, spare = left - apart, spare - far
            neighbours[a].add(b)
            neighbours[b].add(a)
    return _darts(shape, neighbours)
