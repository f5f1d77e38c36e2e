"""Twisted tori: going round one axis shifts the others."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, cached_property
from itertools import product

import numpy as np

from hopscape.algebra.closest import Chain, Costs, Search
from hopscape.algebra.reduction import dot, l1, lll, solve
from hopscape.core.addresses import MixedRadix, node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.family import Facts, Layout, Parameter
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Router, pick, spread
from hopscape.families.torus.grids import OnAxes, Torus

__all__ = ["TwistedTorus", "best_twist"]

_TABLE_ORDER = 1 << 16  # nodes: lengths by difference take half a MiB
# vectors tried for all pairs at once; beyond, each pair is searched for by itself
_CANDIDATES = 400
_FEW = 30  # vectors, with which it is quicker to look at them all
_MOST_TIED = 6  # the search grows exponentially with the axes
_EXACT = 2**28  # products with coordinates stay below 2**63
_JUDGED = 1 << 13  # nodes up to which a twist is judged by all distances; beyond, by a sample
_SAMPLE = 512  # distances: the standard error of their mean is 4 % of their spread
# nodes times shifts: all twists of two axes are tried up to here, four of each beyond
_WORK = 4_000_000
_SMALL = 256  # nodes of the torus whose best twist is scaled up: smaller ones have too few twists
_LEFT = 1 << 12  # divisors looked through; sides with larger ones keep their own size


class Twist:
    """The integer vectors modulo the sides, where n_i steps along axis i equal its shifts.

    Args:
        shifts: For each axis the shifts along all later ones: t01, t02, ..., t12, ...
    """

    def __init__(self, sides: Sequence[int], shifts: Sequence[int]) -> None:
        self.box = MixedRadix(sides)
        axes = len(self.box.sides)
        rest = iter(shifts)
        self.shift = [[next(rest) if j > i else 0 for j in range(axes)] for i in range(axes)]
        for i in reversed(range(axes)):  # below the sides, whole turns being shifts themselves
            for j in range(i + 1, axes):
                turns, self.shift[i][j] = divmod(self.shift[i][j], self.box.sides[j])
                for k in range(j + 1, axes):
                    self.shift[i][k] += turns * self.shift[j][k]

    def normal(self, vectors: IntArray) -> IntArray:
        """The same elements with coordinates from 0 to side - 1."""
        out = np.array(vectors)
        for axis, side in enumerate(self.box.sides):
            turns = out[..., axis] // side
            out[..., axis] = out[..., axis] - turns * side
            for later, shift in enumerate(self.shift[axis]):
                if shift:
                    out[..., later] = out[..., later] + turns * shift
        return out

    @cached_property
    def _parts(self) -> list[tuple[list[int], Cell]]:
        """Axes that shifts tie together, each with its lattice."""
        axes = range(len(self.box.sides))
        parts = {axis: {axis} for axis in axes}
        for i in axes:
            for j in axes:
                if self.shift[i][j] and parts[i] is not parts[j]:
                    parts[i] |= parts[j]
                    for axis in parts[j]:
                        parts[axis] = parts[i]
        groups = {min(part): sorted(part) for part in parts.values()}
        out = []
        for group in groups.values():
            rows = [[-self.shift[i][j] for j in group] for i in group]
            for place, axis in enumerate(group):
                rows[place][place] = self.box.sides[axis]
            out.append((group, Cell(rows)))
        return out

    @property
    def tied(self) -> int:
        """The most axes that shifts tie together."""
        return max(len(group) for group, _ in self._parts)

    @property
    def candidates(self) -> int:
        """Vectors that are looked at for one length, those of all parts."""
        return sum(cell.candidates for _, cell in self._parts)

    def lengths(self, vectors: IntArray) -> IntArray:
        """Least number of steps to each element."""
        given = np.asarray(vectors)
        parts = [cell.lengths(given[..., group]) for group, cell in self._parts]
        return np.asarray(sum(parts[1:], start=parts[0]))


class Cell:
    """Integer vectors modulo the rows of a matrix: lengths of their shortest equals.

    Args:
        rows: sequence of sequences of int

    Examples:
        >>> Cell([[4, -2], [0, 8]]).lengths(np.array([[0, 0], [2, 5], [3, 7]])).tolist()
        [0, 3, 2]
    """

    def __init__(self, rows: Sequence[Sequence[int]]) -> None:
        self._basis = lll(rows)
        n = len(self._basis)
        unit = [[int(i == j) for j in range(n)] for i in range(n)]
        solved = solve([list(column) for column in zip(*self._basis, strict=True)], unit)
        assert solved is not None
        self._inverse, self._determinant = solved
        # a shortest vector is no longer than half the basis: this bounds its coefficients
        reach = sum(map(l1, self._basis))
        most = [reach * max(map(abs, row)) // (2 * self._determinant) + 1 for row in self._inverse]
        self._ranges = [range(-t, t + 1) for t in most]
        self.candidates = math.prod(2 * t + 1 for t in most)

    @cached_property
    def _chain(self) -> Chain:
        return Chain([tuple(row) for row in self._basis], Costs.unit(len(self._basis)))

    def lengths(self, vectors: IntArray) -> IntArray:
        """The least L1 norm of what equals each vector.

        Of all vectors near the rounded one where they are few; else by a search for each.

        Raises:
            TooLargeError: With too many dimensions.
        """
        if len(self._basis) > _MOST_TIED:
            raise TooLargeError(
                f"shortest routes of a twisted torus are found with up to {_MOST_TIED} axes that"
                f" shifts tie together, here are {len(self._basis)}"
            )
        dtype = np.int64 if self._determinant < _EXACT else object
        rest = self._rounded(np.asarray(vectors).astype(dtype))
        best = np.abs(rest).sum(axis=-1)
        if self.candidates > _CANDIDATES:
            for place in np.ndindex(best.shape):
                x = tuple(int(part) for part in rest[place])
                best[place] = l1(Search(self._chain).run(x)[0])
        else:
            for steps in product(*self._ranges):
                off = [dot(steps, column) for column in zip(*self._basis, strict=True)]
                best = np.minimum(best, np.abs(rest - np.array(off, dtype=dtype)).sum(axis=-1))
        return best

    def _rounded(self, rest: IntArray) -> IntArray:
        """Equal vectors with coefficients from -1/2 to 1/2."""
        determinant = self._determinant
        turns = [
            (2 * (rest * np.array(row, dtype=rest.dtype)).sum(axis=-1) + determinant)
            // (2 * determinant)
            for row in self._inverse
        ]
        for turn, row in zip(turns, self._basis, strict=True):
            rest = rest - turn[..., None] * np.array(row, dtype=rest.dtype)
        return rest


@cache
def best_twist(sides: tuple[int, ...]) -> tuple[int, ...]:
    """The shifts with the least mean distance, then the least diameter, then the largest shifts.

    Of two axes all shifts are tried where that is little work, else those of a smaller torus of the
    same shape, enlarged; of three axes those by halves, thirds and quarters of an axis. More axes
    are twisted in twos, the first by the second and so on. Large tori are judged by a sample.

    Examples:
        >>> best_twist((4, 8)), best_twist((8, 8)), best_twist((4, 8, 4, 8))
        ((4,), (4,), (4, 0, 0, 0, 0, 4))
    """
    axes = len(sides)
    if axes > 3:
        pairs = {i: best_twist(sides[i : i + 2])[0] for i in range(0, axes - 1, 2)}
        return tuple(
            pairs.get(i, 0) if j == i + 1 else 0 for i in range(axes) for j in range(i + 1, axes)
        )
    order = math.prod(sides)
    if order > _SMALL * 16:
        scale = _scale(math.gcd(*sides), order, axes)
        if scale > 1:
            return tuple(t * scale for t in best_twist(tuple(s // scale for s in sides)))
    choices: list[Sequence[int]] = []
    for side in [sides[j] for i in range(axes) for j in range(i + 1, axes)]:
        few = sorted({0, side // 4, side // 3, side // 2})
        choices.append(range(side // 2 + 1) if axes == 2 and order * side <= _WORK else few)
    vectors = None if order <= _JUDGED else MixedRadix(sides).tuples(_sampled(order))
    ranked = []
    for shifts in product(*choices):
        twisted = TwistedTorus(sides, shifts)
        lengths = twisted.all_lengths() if vectors is None else twisted.group.lengths(vectors)
        ranked.append((-int(lengths.sum()), -int(lengths.max()), shifts))
    return max(ranked)[2]


def _scale(common: int, order: int, axes: int) -> int:
    """The largest common divisor of the sides that leaves a torus of some size; else 1."""
    least = order // common**axes
    for left in range(1, min(common, _LEFT) + 1):
        if common % left == 0 and left**axes * least >= _SMALL:
            return common // left
    return 1


def _sampled(order: int) -> IntArray:
    """Some of many nodes."""
    draw = random.Random(order)
    sample = _SAMPLE if order < _EXACT else _SAMPLE // 16  # numbers of any length take their time
    return np.array([draw.randrange(order) for _ in range(sample)], dtype=node_dtype(order))


class TwistedTorus(OnAxes):
    """A torus in which a turn round an axis ends shifted along the later axes.

    Cámara, Moretó, Vallejo, Beivide, Miguel-Alonso, Martínez and Navaridas, "Twisted torus
    topologies for enhanced interconnection networks", TPDS 2010: going round the short side of an
    a by 2a torus with a shift of a makes it as symmetric as a square; machines of tensor processors
    use it for k by k by 2k. Node addresses are the coordinates, the last one fastest; port 2i leads
    up along axis i, port 2i + 1 down. Steps that lead back, or both to the same node, are wired
    once or not at all.
    """

    name = "twisted_torus"
    summary = "torus whose wrap-around links are shifted along later axes; the best shifts found"
    parameters = (
        Parameter("sides", "ints", "length of each axis", low=1),
        Parameter(
            "twist",
            "ints",
            "shifts along later axes: t01, t02, ..., t12, ...; the best when left out",
            low=0,
            default=None,
        ),
    )
    example = "twisted_torus([3, 6], twist=[3])"
    transitive = True

    def __init__(self, sides: Sequence[int], twist: Sequence[int] | None = None) -> None:
        if not sides:
            raise ArgumentError("twisted_torus needs the length of at least one axis")
        count = len(sides) * (len(sides) - 1) // 2
        if twist is not None and len(twist) != count:
            raise ArgumentError(
                f"twist has {len(twist)} entries; it must have {count}, one for each two of the"
                f" {len(sides)} axes"
            )
        self.sides = tuple(sides)
        self.twist = None if twist is None else tuple(twist)

    @cached_property
    def group(self) -> Twist:
        """Its nodes as a group."""
        return Twist(self.sides, best_twist(self.sides) if self.twist is None else self.twist)

    @cached_property
    def _wired(self) -> list[int]:
        """Ports that are wired on each axis: 0, 1 or 2."""
        units = np.eye(len(self.sides), dtype=np.int64).astype(node_dtype(self.order))
        once, twice = self.group.normal(units).tolist(), self.group.normal(2 * units).tolist()
        return [int(any(a)) + int(any(b)) for a, b in zip(once, twice, strict=True)]

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        digits = self.group.box.tuples(nodes)
        for axis, wired in enumerate(self._wired):
            for side in range(wired):
                moved = digits.copy()
                moved[:, axis] += 1 - 2 * side
                out[:, 2 * axis + side] = self.group.box.numbers(self.group.normal(moved))
        return out

    def port_classes(self) -> tuple[str, ...]:
        return tuple(f"axis{port // 2}" for port in range(self.ports))

    @cached_property
    def lengths(self) -> IntArray | None:
        """Distance of every node from node 0; None where they are too many."""
        return self.all_lengths() if self.order <= _TABLE_ORDER else None

    def all_lengths(self) -> IntArray:
        """Distance of every node from node 0, by vectors where there are few, else by a search."""
        nodes = np.arange(self.order)
        if self.group.candidates <= _FEW:
            return self.group.lengths(self.group.box.tuples(nodes))
        neighbours = self.neighbours(nodes)
        out = np.full(self.order + 1, -1)  # the last stands for ports that are not wired
        out[[0, -1]] = 0
        front, hops = nodes[:1], 0
        while len(front):
            hops += 1
            reached = neighbours[front].ravel()
            front = np.unique(reached[out[reached] < 0])
            out[front] = hops
        return out[:-1]

    def facts(self) -> Facts:
        order, known = self.order, self.lengths
        reach = None if known is None else int(known.max())
        mean = None if known is None or order == 1 else Fraction(int(known.sum()), order - 1)
        degree = sum(self._wired)
        return Facts.regular(
            order,
            degree,
            connected=True,
            diameter=reach,
            radius=reach,
            mean_distance=mean,
            edge_connectivity=degree if self._simple() else None,
            vertex_transitive=True,
        )

    def _simple(self) -> bool:
        """Do all ports lead to different nodes?"""
        neighbours = self.neighbours(np.zeros(1, dtype=node_dtype(self.order)))[0].tolist()
        return len({v for v in neighbours if v >= 0}) == sum(self._wired)

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray:
        box = self.group.box
        return box.numbers(self.group.normal(box.tuples(by) + box.tuples(nodes)))

    def router(self, network: Network) -> Router | None:
        if self.group.tied > _MOST_TIED:
            return None
        return TwistedRouter(network, self)

    def layout(self) -> Layout | None:
        return Torus(self.sides).layout()

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Boxes with one axis twice as long as the others, with the best twist."""
        for axes in (2, 3):
            if 2 * axes > requirement.ports:
                continue
            top = round((requirement.high / 2) ** (1 / axes)) + 1
            sizes = {2 * side**axes: side for side in range(2, top + 1)}
            for size in requirement.near(sizes)[:1]:
                yield cls((sizes[size],) * (axes - 1) + (2 * sizes[size],)).spec


class TwistedRouter(FamilyRouter[TwistedTorus]):
    """Shortest routes by the least vector of the difference."""

    name = "least vector"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        group, known = self._family.group, self._family.lengths
        gap = group.normal(group.box.tuples(to) - group.box.tuples(at))
        return group.lengths(gap) if known is None else known[group.box.numbers(gap)]

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return pick(self.shortest_ports(at, to), spread(at, to))
