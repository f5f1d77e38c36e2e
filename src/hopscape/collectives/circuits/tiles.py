"""Tiles and lattices of a number system, and how circuits keep inside tiles.

The tile T(k) holds the sums with digits in places 0..k, the lattice L(k) those with digits above;
the torus is the disjoint union of the tiles c + T(k), c in L(k).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.collectives.circuits.numeration import MixedSystem
from hopscape.collectives.circuits.words import Word, scale, steps
from hopscape.core.arrays import IntArray
from hopscape.core.memory import require_memory
from hopscape.core.verdict import Verdict

__all__ = [
    "boundary",
    "check_partition",
    "closure",
    "escapes",
    "lattice",
    "tile",
    "tile_labels",
]


def tile(system: MixedSystem, level: int) -> IntArray:
    """T(level): all sums with digits in places 0..level, as points of Z^d.

    Examples:
        >>> from hopscape.collectives.circuits.numeration import word_system
        >>> tile(word_system("2"), 0).tolist()
        [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1]]
    """
    require_memory(16 * system.dimension * system.base ** (level + 1), f"the tile of level {level}")
    sums = np.zeros((1, system.dimension), dtype=np.int64)
    for place in range(level + 1):
        sums = (sums[None] + system.place_vectors(place)[:, None]).reshape(-1, system.dimension)
    return sums


def lattice(system: MixedSystem, level: int, blocks: int) -> IntArray:
    """L(level) on the torus of side base^blocks: sums with digits above `level`."""
    sums = np.zeros((1, system.dimension), dtype=np.int64)
    for place in range(level + 1, system.dimension * blocks):
        sums = (sums[None] + system.place_vectors(place)[:, None]).reshape(-1, system.dimension)
    points: IntArray = sums % system.base**blocks
    return points


def check_partition(system: MixedSystem, level: int, blocks: int) -> Verdict:
    """Do the tiles c + T(level), c in L(level), cover every vertex of the torus exactly once?"""
    side = system.base**blocks
    order = side**system.dimension
    require_memory(64 * order, f"the partition of {order} vertices")
    cells, corners = tile(system, level), lattice(system, level, blocks)
    strides = side ** np.arange(system.dimension - 1, -1, -1)
    count = np.zeros(order, dtype=np.int64)
    for corner in corners:
        np.add.at(count, ((cells + corner) % side) @ strides, 1)
    bad = np.flatnonzero(count != 1)
    what = f"{len(corners)} tiles of {len(cells)} vertices on side {side}"
    if len(bad):
        return Verdict(
            False,
            f"{what}: vertex {int(bad[0])} is in {int(count[bad[0]])} of them",
            {"vertex": int(bad[0]), "tiles": int(count[bad[0]])},
        )
    return Verdict(True, f"{what} cover each of {order} vertices once")


def boundary(points: IntArray) -> int:
    """Number of links of the infinite grid with one end in the set.

    Examples:
        >>> from hopscape.collectives.circuits.numeration import word_system
        >>> [boundary(tile(word_system("2"), k)) for k in range(4)]
        [12, 36, 108, 324]
    """
    dimension = points.shape[1]
    low = points.min(axis=0) - 1
    box = points.max(axis=0) - low + 2
    inside = np.zeros(box, dtype=bool)
    inside[tuple((points - low).T)] = True
    return sum(int((inside != np.roll(inside, 1, axis=axis)).sum()) for axis in range(dimension))


def tile_labels(system: MixedSystem, points: IntArray, blocks: int, level: int) -> IntArray:
    """The corner of the tile of this level that each point lies in (level -1: the point itself)."""
    digits = system.digits(points, blocks)
    out = points.copy()
    for place in range(level + 1):
        out -= system.place_vectors(place)[digits[:, place]]
    corners: IntArray = out % system.base**blocks
    return corners


def escapes(
    system: MixedSystem, words: Sequence[Sequence[Word]], blocks: int, *, calls: bool = False
) -> list[int]:
    """How many words of each round leave the tile that they should stay in.

    Args:
        words (sequence of rows): Words of the rounds of one level, the first round first; round d·k
            + i uses row i.
        calls: False: a word of round r should stay in the tile T(R - r) of its sender (a node may
            start its next round as soon as its own calls have ended). True: in the sub-tiles of the
            next level of its sender and its receiver (a receiver may go on at once).
    """
    dimension, side = system.dimension, system.base**blocks
    total = dimension * blocks
    out = []
    for r in range(total):
        level = total - 1 - r
        unit = system.base ** (level // dimension)
        bad = 0
        for word in words[r % dimension]:
            places, _ = steps(scale(word, unit), dimension)
            if calls:
                labels = tile_labels(system, places % side, blocks, level - 1)
                own = (labels == 0).all(axis=1) | (labels == places[-1] % side).all(axis=1)
            else:
                own = (tile_labels(system, places % side, blocks, level) == 0).all(axis=1)
            bad += int(not own.all())
        out.append(bad)
    return out


def closure(
    system: MixedSystem, most: int = 50
) -> dict[tuple[int, ...], list[set[tuple[int, ...]]]]:
    """Which coarse cells a long edge meets, at every scale.

    For each unit vector e the sets S_0(e) = {0, e}, S_(k+1)(e) = cells of {j e + s : 0 <= j < b,
    s in S_k}. S_k(e) holds the cells of scale k that the edge from 0 to b^k e meets (seen in units
    of that scale). When a set comes back to {0, e}, it stays there for ever: a word that keeps
    inside its tile at scale 1 then does so at every scale.
    """
    out: dict[tuple[int, ...], list[set[tuple[int, ...]]]] = {}
    for axis in range(system.dimension):
        for sign in (1, -1):
            edge = np.zeros(system.dimension, dtype=np.int64)
            edge[axis] = sign
            sets = [{tuple([0] * system.dimension), tuple(edge.tolist())}]
            for _ in range(most):
                points = np.array(
                    [j * edge + np.array(s) for j in range(system.base) for s in sorted(sets[-1])]
                )
                new = set(map(tuple, system.coarse_cells(points).tolist()))
                if new == sets[-1]:
                    break
                sets.append(new)
            out[tuple(edge.tolist())] = sets
    return out
