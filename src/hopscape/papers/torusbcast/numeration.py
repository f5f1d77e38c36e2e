"""Number systems on Z^d and on finite tori.

A matrix B and a set D of |det B| digits (integer vectors) write every point of the torus
Z^d / b^m Z^d in exactly one way as a_0 + B a_1 + ... + B^(dm-1) a_(dm-1) when D holds one digit of
each class modulo B Z^d and B^d = (-1)^(d+1) det(B) I. A mixed system has other digits in each of
the d places of a block; the next block is the same, b times as large.

Tiles and lattices of a number system, and how circuits keep inside tiles.

The tile T(k) holds the sums with digits in places 0..k, the lattice L(k) those with digits above;
the torus is the disjoint union of the tiles c + T(k), c in L(k).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np

from hopscape.collectives.circuits.schemes import WORDS, power_of
from hopscape.collectives.circuits.torus import (
    Word,
    displacement,
    parse_words,
    scale,
    steps,
    with_inverses,
)
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.processes import require_memory
from hopscape.core.verdict import Verdict

__all__ = [
    "MixedSystem",
    "NumberSystem",
    "boundary",
    "check_partition",
    "closure",
    "companion_system",
    "determinant",
    "escapes",
    "lattice",
    "star_digits",
    "tile",
    "tile_labels",
    "word_system",
]

# residues of a block; beyond, digits are found one by one where the system allows it
_TABLE = 2_000_000


class MixedSystem:
    """Digits that change with the place, in blocks of d places.

    Args:
        places (sequence of digit sets): ``places[j]`` holds the vectors that place j of the first
            block may add (0 among them).
        scale: A block is this many times the one before (its size is the base).

    Raises:
        ArgumentError: When some point has two expansions (and another none): the message names two
            sums in one class.

    Examples:
        >>> plane = word_system("2")
        >>> plane.digits(np.array([[3, 4]]), 1)
        array([[0, 2]], dtype=int8)
        >>> plane.points(plane.digits(np.array([[3, 4]]), 1))
        array([[3, 4]])
    """

    def __init__(self, places: Sequence[Sequence[Sequence[int]]], scale: int) -> None:
        self.places = tuple(np.asarray(place, dtype=np.int64) for place in places)
        self.dimension = len(self.places)
        self.scale = int(scale)
        self.base = abs(self.scale)
        self._check_shape()
        if not self._by_steps():
            self._sums, self._digits = self._tabulate(self.base**self.dimension)

    def _by_steps(self) -> bool:
        """Is a block too large for a table, so that digits are found one by one?"""
        size = self.base**self.dimension
        if size > _TABLE:
            raise ArgumentError(f"a block has {size} residues; at most {_TABLE} are tabulated")
        return False

    def _check_shape(self) -> None:
        for j, place in enumerate(self.places):
            if place.ndim != 2 or place.shape[1] != self.dimension:
                raise ArgumentError(
                    f"digits of place {j} must be vectors of {self.dimension} integers"
                )
            if place[0].any():
                raise ArgumentError(
                    f"the first digit of place {j} must be 0, not {_show(place[0])}"
                )
        count = math.prod(len(place) for place in self.places)
        if count != self.base**self.dimension:
            raise ArgumentError(
                f"the digits make {count} sums, but there are {self.base}^{self.dimension} ="
                f" {self.base**self.dimension} classes modulo {self.base}"
            )

    def _tabulate(self, size: int) -> tuple[IntArray, IntArray]:
        """The point of the block's tile in each class modulo the base, and its digits."""
        sums = np.zeros((1, self.dimension), dtype=np.int64)
        digits = np.zeros((1, self.dimension), dtype=np.int8)
        for j, place in enumerate(self.places):
            sums = (sums[:, None, :] + place[None]).reshape(-1, self.dimension)
            digits = np.repeat(digits, len(place), axis=0)
            digits[:, j] = np.tile(np.arange(len(place)), len(digits) // len(place))
        key = self._keys(sums)
        order = np.argsort(key, kind="stable")
        twice = np.flatnonzero(np.diff(key[order]) == 0)
        if len(twice):
            a, b = sums[order[twice[0]]], sums[order[twice[0] + 1]]
            raise ArgumentError(
                f"no number system: {_show(a)} and {_show(b)} are in one class modulo {self.base}"
            )
        assert len(order) == size
        return np.ascontiguousarray(sums[order]), np.ascontiguousarray(digits[order])

    def _keys(self, points: IntArray) -> IntArray:
        key = np.zeros(points.shape[:-1], dtype=np.int64)
        for axis in range(self.dimension):
            key = key * self.base + points[..., axis] % self.base
        return key

    def blocks(self, side: int) -> int:
        """How many blocks the torus of this side has.

        Raises:
            ArgumentError: When the side is not a power of the base.
        """
        exponent = power_of(side, self.base)
        if exponent is None:
            raise ArgumentError(f"side is {side}; it must be a power of {self.base}")
        return exponent

    def digits(self, points: IntArray, blocks: int) -> IntArray:
        """Digits (indices) of points: (count, d) in, (count, d * blocks) out, lowest first."""
        given = np.ascontiguousarray(points, dtype=np.int64)
        if given.ndim != 2 or given.shape[1] != self.dimension:
            raise ArgumentError(f"points must have {self.dimension} coordinates each")
        if self.base % 2 == 0 or self._by_steps():
            return self._slow_digits(given, blocks)
        out = np.empty((len(given), self.dimension * blocks), dtype=np.int8)
        from hopscape.papers.torusbcast.numeration_kernels import block_digits

        inverse = pow(self.scale % 2**64, -1, 2**64)
        inverse -= 2**64 if inverse >= 2**63 else 0
        block_digits(given, self.base, inverse, self._sums, self._digits, blocks, out)
        return out

    def _slow_digits(self, points: IntArray, blocks: int) -> IntArray:
        out = np.empty((len(points), self.dimension * blocks), dtype=np.int8)
        at = points
        for k in range(blocks):
            key = self._keys(at)
            out[:, k * self.dimension : (k + 1) * self.dimension] = self._digits[key]
            at = (at - self._sums[key]) // self.scale
        return out

    def place_vectors(self, place: int) -> IntArray:
        """What the digits of a place add: place = d·k + j gives scale^k times those of j."""
        k, j = divmod(place, self.dimension)
        vectors: IntArray = self.places[j] * self.scale**k
        return vectors

    def points(self, digits: IntArray) -> IntArray:
        """The points of digits, modulo base^blocks, in 0..side-1."""
        total = np.zeros((len(digits), self.dimension), dtype=np.int64)
        for place in range(digits.shape[1]):
            total += self.place_vectors(place)[digits[:, place]]
        side = self.base ** (digits.shape[1] // self.dimension)
        points: IntArray = total % side
        return points

    def coarse_cells(self, points: IntArray) -> IntArray:
        """The cell of each point: what is left after its first block, one unit per cell."""
        key = self._keys(points)
        cells: IntArray = (points - self._sums[key]) // self.scale
        return cells

    def roles(self, points: IntArray, blocks: int) -> tuple[IntArray, IntArray]:
        """When and by whom points are informed in the broadcast of this system.

        Returns:
            rounds (int64[count]): 0 for the origin.
            parents (int64[count, d]): The origin is its own parent.
        """
        digits = self.digits(points, blocks)
        total = self.dimension * blocks
        used = digits != 0
        first = np.where(used.any(axis=1), used.argmax(axis=1), total)
        parents = points.copy()
        for place in range(total):
            rows = np.flatnonzero(first == place)
            parents[rows] -= self.place_vectors(place)[digits[rows, place]]
        return total - first, parents % self.base**blocks

    def van_der_corput(self, numbers: IntArray, blocks: int) -> IntArray:
        """The points of the generalised van der Corput order.

        Number i is written in base b, its lowest digit belongs to round 1; the first b^r points are
        those informed after round r.

        Examples:
            >>> word_system("2").van_der_corput(np.arange(6), 1)
            array([[0, 0],
                   [2, 1],
                   [3, 4],
                   [4, 2],
                   [1, 3],
                   [1, 0]])
        """
        total = self.dimension * blocks
        rest = np.asarray(numbers, dtype=np.int64)
        out = np.zeros((len(rest), self.dimension), dtype=np.int64)
        for r in range(1, total + 1):
            vectors = self.place_vectors(total - r)
            out += vectors[rest % len(vectors)]
            rest = rest // len(vectors)
        points: IntArray = out % self.base**blocks
        return points


class NumberSystem(MixedSystem):
    """One matrix and one set of digits.

    Args:
        matrix: d x d integers
        digits: sequence of vectors

    Raises:
        ArgumentError: When they are no number system, with the reason.

    Examples:
        >>> NumberSystem([[2, 1], [1, -2]], star_digits(2)).base
        5
        >>> NumberSystem([[2, 0], [0, 3]], star_digits(2))
        Traceback (most recent call last):
            ...
        hopscape.core.errors.ArgumentError: the matrix has determinant 6, but there are 5 digits
    """

    def __init__(self, matrix: Sequence[Sequence[int]], digits: Sequence[Sequence[int]]) -> None:
        self.matrix = np.asarray(matrix, dtype=np.int64)
        if self.matrix.ndim != 2 or self.matrix.shape[0] != self.matrix.shape[1]:
            raise ArgumentError(f"the matrix must be square, not of shape {self.matrix.shape}")
        dimension = len(self.matrix)
        given = np.asarray(digits, dtype=np.int64)
        det = determinant(self.matrix.tolist())
        if abs(det) != len(given):
            raise ArgumentError(
                f"the matrix has determinant {det}, but there are {len(given)} digits"
            )
        self._check_classes(given, det)
        scale = (-1) ** (dimension + 1) * det
        powers = [np.eye(dimension, dtype=np.int64)]
        for _ in range(dimension):
            powers.append(powers[-1] @ self.matrix)
        if not np.array_equal(powers[dimension], scale * powers[0]):
            raise ArgumentError(
                f"the matrix to the power {dimension} is not {scale} times the identity, so that"
                f" its powers do not end in powers of {abs(det)}"
            )
        super().__init__([(given @ power.T).tolist() for power in powers[:dimension]], scale)

    def _by_steps(self) -> bool:
        return bool(self.base**self.dimension > _TABLE)

    def _slow_digits(self, points: IntArray, blocks: int) -> IntArray:
        """One digit after the other: find its class, take it away, divide by the matrix."""
        if not self._by_steps():
            return super()._slow_digits(points, blocks)
        det = determinant(self.matrix.tolist())
        adjugate = np.array(_adjugate(self.matrix.tolist()), dtype=np.int64)
        weights = self.base ** np.arange(self.dimension)
        keys = (self.places[0] @ adjugate.T) % self.base @ weights
        order = np.argsort(keys)
        at = points
        out = np.empty((len(points), self.dimension * blocks), dtype=np.int8)
        for place in range(out.shape[1]):
            key = (at @ adjugate.T) % self.base @ weights
            out[:, place] = order[np.searchsorted(keys[order], key)]
            at = ((at - self.places[0][out[:, place]]) @ adjugate.T) // det
        return out

    def _check_classes(self, digits: IntArray, det: int) -> None:
        """Two digits are in one class when adj(B)(a - b) is 0 modulo det(B)."""
        adjugate = np.array(_adjugate(self.matrix.tolist()), dtype=np.int64)
        if det == 0:
            raise ArgumentError("the matrix has determinant 0; it must be invertible")
        classes = (digits @ adjugate.T) % abs(det)
        seen: dict[tuple[int, ...], IntArray] = {}
        for digit, kind in zip(digits, map(tuple, classes.tolist()), strict=True):
            if kind in seen:
                raise ArgumentError(
                    f"digits {_show(seen[kind])} and {_show(digit)} are in one class modulo"
                    " the matrix"
                )
            seen[kind] = digit


def star_digits(dimension: int) -> list[list[int]]:
    """The digits 0, e_1, -e_1, e_2, -e_2, ..."""
    out = [[0] * dimension]
    for axis in range(dimension):
        for sign in (1, -1):
            digit = [0] * dimension
            digit[axis] = sign
            out.append(digit)
    return out


def companion_system(dimension: int) -> NumberSystem:
    """A number system with digits 0, ±e_i in any dimension: B = P^-1 C P.

    P is the identity with first row (1, ..., d), C the companion matrix of x^d - (2d + 1); then
    B^d = (2d + 1) I, and x is in B Z^d when x_1 + 2 x_2 + ... + d x_d is 0 modulo 2d + 1.

    Examples:
        >>> companion_system(2).matrix.tolist()
        [[-2, 1], [1, 2]]
    """
    return NumberSystem(companion_matrix(dimension), star_digits(dimension))


def companion_matrix(dimension: int) -> list[list[int]]:
    """The matrix of :func:`companion_system`, in exact integers."""
    if dimension < 1:
        raise ArgumentError(f"dimension is {dimension}; it must be at least 1")
    p = np.eye(dimension, dtype=np.int64)
    p[0] = np.arange(1, dimension + 1)
    back = np.eye(dimension, dtype=np.int64)
    back[0, 1:] = -np.arange(2, dimension + 1)
    c = np.zeros((dimension, dimension), dtype=np.int64)
    c[0, -1] = 2 * dimension + 1
    for i in range(1, dimension):
        c[i, i - 1] = 1
    out: list[list[int]] = (back @ c @ p).tolist()
    return out


def word_system(key: str) -> MixedSystem:
    """The system of a scheme's words: place j adds where the words of that round lead."""
    rows = WORDS[key]
    dimension = len(rows)
    places = []
    for row in reversed(rows):
        words = with_inverses(parse_words(row))
        places.append([[0] * dimension, *([list(displacement(w, dimension)) for w in words])])
    return MixedSystem(places, 2 * dimension + 1)


def determinant(matrix: Sequence[Sequence[int]]) -> int:
    """Exact determinant (Bareiss)."""
    rows = [list(map(int, row)) for row in matrix]
    size, sign, last = len(rows), 1, 1
    for k in range(size - 1):
        pivot = next((i for i in range(k, size) if rows[i][k]), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot], sign = rows[pivot], rows[k], -sign
        for i in range(k + 1, size):
            for j in range(k + 1, size):
                rows[i][j] = (rows[i][j] * rows[k][k] - rows[i][k] * rows[k][j]) // last
        last = rows[k][k]
    return sign * rows[-1][-1]


def _adjugate(matrix: Sequence[Sequence[int]]) -> list[list[int]]:
    size = len(matrix)
    if size == 1:
        return [[1]]
    out = [[0] * size for _ in range(size)]
    for i, j in product(range(size), repeat=2):
        minor = [[matrix[a][b] for b in range(size) if b != j] for a in range(size) if a != i]
        out[j][i] = (-1) ** (i + j) * determinant(minor)
    return out


def _show(vector: Any) -> str:
    return "(" + ", ".join(str(int(x)) for x in vector) + ")"


def tile(system: MixedSystem, level: int) -> IntArray:
    """T(level): all sums with digits in places 0..level, as points of Z^d.

    Examples:
        >>> from hopscape.papers.torusbcast.numeration import word_system
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
        >>> from hopscape.papers.torusbcast.numeration import word_system
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
