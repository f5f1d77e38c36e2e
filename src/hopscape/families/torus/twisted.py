"""Twisted tori: going round one axis shifts the others."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, cached_property
from itertools import product

import numpy as np

from hopscape.core.addresses import Addresses, IntArray, MixedRadix, node_dtype
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Family, Layout, Parameter
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router, pick, spread
from hopscape.families.torus.grids import Torus

__all__ = ["TwistedTorus", "best_twist"]

_TABLE_ORDER = 1 << 18
_WORK = 4_000_000
_SMALL = 256


class Twist:
    """The integer vectors modulo the sides, where n_i steps along axis i equal its shifts.

    Parameters
    ----------
    sides : sequence of int
    shifts : sequence of int
        For each axis the shifts along all later ones: t01, t02, ..., t12, ...
    """

    def __init__(self, sides: Sequence[int], shifts: Sequence[int]) -> None:
        self.box = MixedRadix(sides)
        axes = len(self.box.sides)
        rest = iter(shifts)
        self.shift = [[next(rest) if j > i else 0 for j in range(axes)] for i in range(axes)]

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

    def lengths(self, vectors: IntArray) -> IntArray:
        """Least number of steps to each element, by all turns that can be of use."""
        sides = self.box.sides
        bound = sum(side // 2 for side in sides)
        ranges = [range(-bound // side - 1, bound // side + 1) for side in sides[:-1]]
        best = np.full(vectors.shape[:-1], bound, dtype=np.int64)
        for turns in product(*ranges):
            moved = [vectors[..., axis] for axis in range(len(sides))]
            for axis, turn in enumerate(turns):
                moved[axis] = moved[axis] + turn * sides[axis]
                for later, shift in enumerate(self.shift[axis]):
                    moved[later] = moved[later] - turn * shift
            last = moved[-1] % sides[-1]
            steps = np.minimum(last, sides[-1] - last)
            for part in moved[:-1]:
                steps = steps + np.abs(part)
            best = np.minimum(best, steps.astype(np.int64))
        return best


@cache
def best_twist(sides: tuple[int, ...]) -> tuple[int, ...]:
    """The shifts with the least mean distance, then the least diameter, then the largest shifts.

    Of two axes all shifts are tried where that is little work, else those of a smaller torus of the
    same shape, enlarged; of more axes those by halves, thirds and quarters of an axis.

    Examples
    --------
    >>> best_twist((4, 8)), best_twist((8, 8))
    ((4,), (4,))
    """
    common, axes = math.gcd(*sides), len(sides)
    parts = [d for d in range(common, 0, -1) if common % d == 0]
    order = math.prod(sides)
    if order > _SMALL * 16:
        scale = next(d for d in parts if d == 1 or order // d**axes >= _SMALL)
        if scale > 1:
            return tuple(t * scale for t in best_twist(tuple(s // scale for s in sides)))
    pairs = [(i, j) for i in range(axes) for j in range(i + 1, axes)]
    choices: list[Sequence[int]] = []
    for _, j in pairs:
        side = sides[j]
        few = sorted({0, side // 4, side // 3, side // 2})
        whole = axes == 2 and order * side <= _WORK
        choices.append(range(side // 2 + 1) if whole else few)
    ranked = []
    vectors = MixedRadix(sides).tuples(np.arange(order))
    for shifts in product(*choices):
        lengths = Twist(sides, shifts).lengths(vectors)
        ranked.append((-int(lengths.sum()), -int(lengths.max()), shifts))
    return max(ranked)[2]


class TwistedTorus(Family):
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

    @property
    def order(self) -> int:
        return math.prod(self.sides)

    @property
    def ports(self) -> int:
        return 2 * len(self.sides)

    @property
    def addresses(self) -> Addresses:
        return MixedRadix(self.sides)

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
            for way in range(wired):
                moved = digits.copy()
                moved[:, axis] += 1 - 2 * way
                out[:, 2 * axis + way] = self.group.box.numbers(self.group.normal(moved))
        return out

    def port_classes(self) -> tuple[str, ...]:
        return tuple(f"axis{port // 2}" for port in range(self.ports))

    @cached_property
    def lengths(self) -> IntArray | None:
        """Distance of every node from node 0; None where they are too many."""
        if self.order > _TABLE_ORDER:
            return None
        return self.group.lengths(self.group.box.tuples(np.arange(self.order)))

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
        near = self.neighbours(np.zeros(1, dtype=node_dtype(self.order)))[0].tolist()
        return len({v for v in near if v >= 0}) == sum(self._wired)

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray:
        box = self.group.box
        return box.numbers(self.group.normal(box.tuples(by) + box.tuples(nodes)))

    def router(self, network: Network) -> Router:
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


class TwistedRouter(Router):
    """Shortest routes by the least vector of the difference."""

    name = "least vector"

    def __init__(self, network: Network, family: TwistedTorus) -> None:
        super().__init__(network)
        self._family = family

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        group, known = self._family.group, self._family.lengths
        gap = group.normal(group.box.tuples(to) - group.box.tuples(at))
        return group.lengths(gap) if known is None else known[group.box.numbers(gap)]

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return pick(self.shortest_ports(at, to), spread(at, to))
