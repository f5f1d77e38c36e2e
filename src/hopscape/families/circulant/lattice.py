"""The lattice of a circulant, and exact closest vectors in it by the L1 norm.

A walk with x_i steps of generator s_i leads round to its start when x·S ≡ 0 mod N. These x form a
lattice L; the shortest ways to node v are the shortest vectors of the coset {x : x·S ≡ v}. To find
them, L gets a reduced basis b_0, ..., b_{n-1} (short ones first), and the coefficients t_{n-1},
..., t_0 of a lattice vector are fixed one after the other. While b_0..b_{k-1} are still free,

    |x - t b_k - ...|_1 >= |y·x - t y·b_k|      for every y with |y|_inf <= 1 and y ⟂ b_0..b_{k-1},

because y cannot see the free part. The best such y are corners of a section of the cube. They are
few, do not depend on x, and are computed once; with all of them the bound is the exact optimum of
the relaxed problem (linear programming duality). A missing corner would only cost time.

Everything here is in Python's integers: exact at any size. The kernels do the same in arrays.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from hopscape.core.errors import ArgumentError

__all__ = ["Corner", "Lattice", "Vector", "l1"]

Vector = tuple[int, ...]


class Corner(NamedTuple):
    """A corner ``y = direction / scale`` of a section of the cube, and ``slope = direction · b_k``.

    The sign is chosen so that the slope is not negative.
    """

    direction: Vector
    scale: int
    slope: int


def l1(vector: Sequence[int]) -> int:
    """Sum of the absolute values."""
    return sum(map(abs, vector))


def _dot(a: Sequence[int], b: Sequence[int]) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _minus(a: Vector, t: int, b: Vector) -> Vector:
    return tuple(x - t * y for x, y in zip(a, b, strict=True))


@dataclass(frozen=True)
class Lattice:
    """All x with x·S ≡ 0 mod N, for a connected circulant (gcd(N, S) = 1).

    Attributes
    ----------
    nodes : int
    generators : tuple of int

    Examples
    --------
    >>> lattice = Lattice(55, (1, 5, 21))
    >>> lattice.shortest(27)
    (1, 1, 1)
    >>> lattice.all_shortest(3)
    [(3, 0, 0), (-2, 1, 0)]
    """

    nodes: int
    generators: Vector

    def __post_init__(self) -> None:
        if math.gcd(self.nodes, *self.generators) != 1:
            raise ArgumentError(
                f"the generators {self.generators} do not connect {self.nodes} nodes"
            )

    @cached_property
    def _kernel(self) -> tuple[list[list[int]], Vector]:
        """Some basis, and some u with u·S ≡ 1 mod N: Euclid's algorithm on rows (x | x·S)."""
        n = len(self.generators)
        rows = [[int(i == j) for j in range(n)] + [s] for i, s in enumerate(self.generators)]
        rows.append([0] * n + [self.nodes])
        while True:
            rows.sort(key=lambda row: abs(row[-1]) or math.inf)
            if len(rows) == 1 or rows[1][-1] == 0:
                break
            for row in rows[1:]:
                t = row[-1] // rows[0][-1]
                for j in range(n + 1):
                    row[j] -= t * rows[0][j]
        sign = rows[0][-1]
        return [row[:n] for row in rows[1:]], tuple(sign * x for x in rows[0][:n])

    @cached_property
    def basis(self) -> tuple[Vector, ...]:
        """A reduced basis, short vectors first."""
        return _reduce_l1(_reduce_lll([list(row) for row in self._kernel[0]]))

    @cached_property
    def inverse(self) -> tuple[tuple[Vector, ...], int]:
        """Integer rows w_i and the determinant D > 0: the i-th coordinate of x is w_i·x / D."""
        columns = [list(column) for column in zip(*self.basis, strict=True)]
        size = len(columns)
        unit = [[int(i == j) for j in range(size)] for i in range(size)]
        solved = _solve(columns, unit)
        assert solved is not None
        rows, determinant = solved
        return tuple(tuple(row) for row in rows), determinant

    @cached_property
    def unit(self) -> Vector:
        """A short vector that leads from node 0 to node 1."""
        return self.to_cell(self._kernel[1])

    @cached_property
    def corners(self) -> tuple[tuple[Corner, ...], ...]:
        """For k = 0..n-1 the corners of {|y|_inf <= 1, y ⟂ b_0..b_{k-1}} (none for k = 0)."""
        return ((), *(_corners(self.basis, k) for k in range(1, len(self.basis))))

    def to_cell(self, x: Vector) -> Vector:
        """The vector of the same coset with coordinates from -1/2 to 1/2 in the basis."""
        rows, determinant = self.inverse
        coefficients = [(2 * _dot(row, x) + determinant) // (2 * determinant) for row in rows]
        for t, b in zip(coefficients, self.basis, strict=True):
            x = _minus(x, t, b)
        return x

    def start(self, v: int) -> Vector:
        """A vector that leads from node 0 to node v, near to a shortest one."""
        return self.to_cell(tuple(v * x for x in self.unit))

    def shortest(self, v: int) -> Vector:
        """A shortest vector from node 0 to node v."""
        search = _Search(self, keep_all=False)
        return search.run(self.start(v))[0]

    def all_shortest(self, v: int, limit: int | None = None) -> list[Vector]:
        """All shortest vectors (at most `limit`), the last in lexicographic order first."""
        search = _Search(self, keep_all=True, limit=limit)
        return sorted(search.run(self.start(v)), reverse=True)

    def smallest(self, v: int) -> Vector:
        """The shortest vector that is first in lexicographic order."""
        return min(_Search(self, keep_all=True).run(self.start(v)))

    def nothing_shorter(self, x: Vector) -> tuple[bool, int]:
        """Is no vector of x's coset shorter than x? And how many branches were looked at."""
        search = _Search(self, keep_all=False)
        start = self.to_cell(x)
        search.best = l1(x)
        if l1(start) < search.best:
            return False, 1
        search.descend(len(self.basis) - 1, start)
        return not search.found, search.visited


class _Search:
    """Depth-first search over coefficients, longest basis vector first, bounded by the corners."""

    def __init__(self, lattice: Lattice, keep_all: bool, limit: int | None = None) -> None:
        self.basis = lattice.basis
        self.corners = lattice.corners
        self.keep_all = keep_all
        self.limit = limit
        self.best = 0
        self.found: list[Vector] = []
        self.visited = 0

    def run(self, start: Vector) -> list[Vector]:
        """The shortest vectors of the coset of `start`."""
        self.best = l1(start)
        if not self.keep_all:
            self.found = [start]
            self.descend(len(self.basis) - 1, start)
            return self.found
        shorter = _Search.__new__(_Search)
        shorter.__dict__.update(self.__dict__)
        shorter.keep_all, shorter.found = False, [start]
        shorter.descend(len(self.basis) - 1, start)
        self.best = shorter.best
        self.found = []
        self.descend(len(self.basis) - 1, start)
        return self.found

    @property
    def radius(self) -> int:
        return self.best if self.keep_all else self.best - 1

    def descend(self, k: int, x: Vector) -> None:
        """Try all coefficients of b_k that the bound allows, from the middle outwards."""
        if k == 0:
            self._along_first(x)
            return
        lines = [(_dot(c.direction, x), c.scale, c.slope) for c in self.corners[k]]
        radius = self.radius
        low, high = _interval(lines, radius)
        middle = _least_bound(lines, low, high)
        up, down = middle, middle - 1
        while up <= high or down >= low:
            if self._full():
                return
            if down < low or (up <= high and up + down <= 2 * middle):
                t, up = up, up + 1
            else:
                t, down = down, down - 1
            self.visited += 1
            self.descend(k - 1, _minus(x, t, self.basis[k]))
            if self.radius != radius:  # something shorter was found: the interval shrinks
                radius = self.radius
                low, high = _interval(lines, radius)
                up, down = max(up, low), min(down, high)

    def _full(self) -> bool:
        return self.keep_all and self.limit is not None and len(self.found) >= self.limit

    def _along_first(self, x: Vector) -> None:
        """The line x - t b_0: convex in t, so walk from its lowest point."""
        b = self.basis[0]
        middle = _lowest(x, b)
        for direction in (-1, 1):
            t = middle if direction < 0 else middle + 1
            while True:
                y = _minus(x, t, b)
                length = l1(y)
                if length > self.radius:
                    break
                if not self.keep_all:
                    self.best, self.found = length, [y]
                    return
                if self._full():
                    return
                self.found.append(y)
                t += direction


def _interval(lines: Sequence[tuple[int, int, int]], radius: int) -> tuple[int, int]:
    """The t with |p - t q| <= radius·scale on all lines; (1, 0) when there is none."""
    firsts, lasts = [], []
    for p, scale, q in lines:
        room = radius * scale
        if q == 0:
            if abs(p) > room:
                return 1, 0
            continue
        firsts.append(-((room - p) // q))
        lasts.append((room + p) // q)
    low, high = max(firsts), min(lasts)
    return (low, high) if low <= high else (1, 0)


def _least_bound(lines: Sequence[tuple[int, int, int]], low: int, high: int) -> int:
    """The t where the bound, which is convex in t, is least."""

    def bound(t: int) -> Fraction:
        return max(Fraction(abs(p - t * q), scale) for p, scale, q in lines)

    while high - low > 3:
        t = (low + high) // 2
        if bound(t) <= bound(t + 1):
            high = t
        else:
            low = t + 1
    return (low + high) // 2


def _lowest(x: Vector, b: Vector) -> int:
    """The integer t that makes |x - t b|_1 least: beside the weighted median of x_i / b_i."""
    weights = [(abs(b_i), x_i if b_i > 0 else -x_i) for x_i, b_i in zip(x, b, strict=True) if b_i]
    candidates = {side for w, c in weights for side in (c // w, c // w + 1)}
    return min(candidates, key=lambda t: l1(_minus(x, t, b)))


def _reduce_lll(b: list[list[int]]) -> list[list[int]]:
    """LLL reduction in integers: `gram[i]` are determinants, `mu[i][j]` scaled coefficients."""
    n = len(b)
    gram = [1] + [0] * n
    mu = [[0] * n for _ in range(n)]
    for k in range(n):
        for j in range(k + 1):
            u = _dot(b[k], b[j])
            for i in range(j):
                u = (gram[i + 1] * u - mu[k][i] * mu[j][i]) // gram[i]
            if j < k:
                mu[k][j] = u
            else:
                gram[k + 1] = u

    def shorten(k: int, j: int) -> None:
        q = (2 * mu[k][j] + gram[j + 1]) // (2 * gram[j + 1])
        if q:
            b[k] = [x - q * y for x, y in zip(b[k], b[j], strict=True)]
            mu[k][j] -= q * gram[j + 1]
            for i in range(j):
                mu[k][i] -= q * mu[j][i]

    k = 1
    while k < n:
        shorten(k, k - 1)
        if 100 * gram[k + 1] * gram[k - 1] < 99 * gram[k] ** 2 - 100 * mu[k][k - 1] ** 2:
            _swap(b, gram, mu, k)
            k = max(k - 1, 1)
            continue
        for j in range(k - 2, -1, -1):
            shorten(k, j)
        k += 1
    return b


def _swap(b: list[list[int]], gram: list[int], mu: list[list[int]], k: int) -> None:
    """Exchange b_{k-1} and b_k and bring determinants and coefficients up to date."""
    b[k], b[k - 1] = b[k - 1], b[k]
    for j in range(k - 1):
        mu[k][j], mu[k - 1][j] = mu[k - 1][j], mu[k][j]
    m = mu[k][k - 1]
    new = (gram[k - 1] * gram[k + 1] + m * m) // gram[k]
    for i in range(k + 1, len(b)):
        t = mu[i][k]
        mu[i][k] = (gram[k + 1] * mu[i][k - 1] - m * t) // gram[k]
        mu[i][k - 1] = (new * t + m * mu[i][k]) // gram[k + 1]
    gram[k] = new


def _reduce_l1(b: list[list[int]]) -> tuple[Vector, ...]:
    """Subtract multiples of each other while that makes a vector shorter; sort by length."""
    vectors = [tuple(row) for row in b]
    better = True
    while better:
        better = False
        for i, j in itertools.permutations(range(len(vectors)), 2):
            t = _lowest(vectors[i], vectors[j])
            shorter = _minus(vectors[i], t, vectors[j])
            if l1(shorter) < l1(vectors[i]):
                vectors[i], better = shorter, True
    return tuple(sorted(vectors, key=l1))


def _corners(basis: Sequence[Vector], k: int) -> tuple[Corner, ...]:
    """Corners of the cube's section orthogonal to the first k vectors, one of each pair ±y."""
    n = len(basis)
    found: dict[Vector, Corner] = {}
    for free in itertools.combinations(range(n), k):
        fixed = [i for i in range(n) if i not in free]
        solved = _solve(
            [[b[i] for i in free] for b in basis[:k]], [[b[i] for i in fixed] for b in basis[:k]]
        )
        if solved is None:
            continue
        rows, scale = solved
        for signs in itertools.product((1, -1), repeat=len(fixed) - 1):
            full = (1, *signs)
            inner = [-_dot(row, full) for row in rows]
            if any(abs(y) > scale for y in inner):
                continue
            corner = _corner(free, fixed, inner, full, scale, basis[k])
            found.setdefault(corner.direction, corner)
    return tuple(found.values())


def _corner(
    free: Sequence[int],
    fixed: Sequence[int],
    inner: Sequence[int],
    signs: Sequence[int],
    scale: int,
    step: Vector,
) -> Corner:
    y = [0] * len(step)
    for i, value in zip(free, inner, strict=True):
        y[i] = value
    for i, sign in zip(fixed, signs, strict=True):
        y[i] = sign * scale
    common = math.gcd(scale, *y)
    y = [value // common for value in y]
    slope = _dot(y, step)
    if slope < 0 or (slope == 0 and next(value for value in y if value) < 0):
        y, slope = [-value for value in y], -slope
    return Corner(tuple(y), scale // common, slope)


def _solve(matrix: list[list[int]], right: list[list[int]]) -> tuple[list[list[int]], int] | None:
    """Solve A X = B in integers: (D·X, D) with D = |det A|, or None when A is singular."""
    size = len(matrix)
    rows = [list(a) + list(b) for a, b in zip(matrix, right, strict=True)]
    before = 1
    for k in range(size):
        pivot = next((r for r in range(k, size) if rows[r][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        for r in range(size):  # fraction-free elimination, above and below the pivot
            if r != k:
                factor, lead = rows[r][k], rows[k][k]
                rows[r] = [
                    (lead * x - factor * y) // before for x, y in zip(rows[r], rows[k], strict=True)
                ]
        before = rows[k][k]
    sign = 1 if before > 0 else -1
    return [[sign * x for x in row[size:]] for row in rows], abs(before)
