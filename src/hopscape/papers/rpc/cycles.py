"""Long walks through a slice, and the rings, meshes and tori that they lay in RPC(k)."""

from __future__ import annotations

from functools import cache

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.papers.rpc.slices import PETERSEN, cycles_of

__all__ = ["hamiltonian_cycle", "longest_cycle", "mesh_places", "slice_path", "slice_ring"]

_SIZE = 30  # nodes of a slice: ten cycles of three


def _walk(rows: list[list[int]], closed: bool) -> list[int] | None:
    """A walk over all nodes from node 0, each once; back to node 0 when closed."""
    path, untried = [0], [iter(rows[0])]
    seen = {0}
    while untried:
        to = next(untried[-1], None)
        if to is None:
            untried.pop()
            seen.discard(path.pop())
        elif to not in seen:
            path.append(to)
            seen.add(to)
            untried.append(iter(rows[to]))
            if len(path) == len(rows) and (not closed or 0 in rows[to]):
                return path
    return None


@cache
def slice_path() -> tuple[int, ...]:
    """A Hamiltonian path of a slice."""
    walk = _walk(cycles_of(PETERSEN).tolist(), closed=False)
    assert walk is not None
    return tuple(walk)


@cache
def slice_ring() -> tuple[int, ...]:
    """All nodes of a slice in a cyclic order in which neighbours are at distance 1 or 2.

    A slice has no Hamiltonian cycle, so that distance 2 must occur.
    """
    rows = cycles_of(PETERSEN).tolist()
    square = [
        [*neighbours, *sorted({w for v in neighbours for w in rows[v]} - {u, *neighbours})]
        for u, neighbours in enumerate(rows)
    ]
    walk = _walk(square, closed=True)
    assert walk is not None
    return tuple(walk)


def longest_cycle(rows: IntArray) -> list[int]:
    """A longest cycle of a small graph, by exhaustive search through its lowest node."""
    best: list[int] = []
    table = [[int(v) for v in row] for row in rows]
    for start in range(len(table)):
        if len(table) - start <= len(best):
            break
        path, untried, seen = [start], [iter(table[start])], {start}
        while untried:
            to = next(untried[-1], None)
            if to is None:
                untried.pop()
                seen.discard(path.pop())
            elif to == start and len(path) > max(2, len(best)):
                best = path[:]
            elif to > start and to not in seen:
                path.append(to)
                seen.add(to)
                untried.append(iter(table[to]))
    return best


def hamiltonian_cycle(k: int) -> IntArray:
    """A Hamiltonian cycle of RPC(k), k >= 2: out along slice 0, and to and fro over the others.

    The rows of a grid of a slice path by the ring are walked to and fro over slices 1..k-1, down to
    the last one; slice 0 leads back. This works because a slice has an even number of nodes.

    Examples:
        >>> len(set(hamiltonian_cycle(3).tolist()))
        90
    """
    path = np.asarray(slice_path())
    cycle: list[int] = []
    for i, place in enumerate(path.tolist()):
        slices = range(1, k) if i % 2 == 0 else range(k - 1, 0, -1)
        cycle += [_SIZE * s + place for s in slices]
    return np.asarray([*cycle, *path[::-1].tolist()])


def mesh_places(k: int) -> tuple[IntArray, ...]:
    """Places of the 30 × k and k × 30 mesh and torus."""
    slices = _SIZE * np.arange(k)
    places = []
    for walk in (slice_path(), slice_ring()):
        grid = np.asarray(walk)[:, None] + slices[None, :]
        places += [grid.ravel(), grid.T.ravel()]
    return tuple(places)
