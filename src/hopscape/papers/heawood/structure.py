"""The wiring of recursively expanded networks, and their symmetry.

How many pairs of nodes lie at each distance, without visiting them.

A distance is a covering walk through the connectors of the levels that differ, plus the distances
in these levels. So pairs are counted set by set: the walks by their length, the levels by a
polynomial whose coefficient of x^d is the number of pairs of lamp states at distance d.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from hopscape.algebra.groups import orbits
from hopscape.core.addresses import Addresses, MixedRadix, node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.channels import PLAIN, ChannelClass
from hopscape.core.distances import distance_rows, unreached
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.facts import circle
from hopscape.core.family import Family, Layout, Parameter, Symmetry, integers
from hopscape.core.network import Network
from hopscape.core.product import nested_places
from hopscape.core.requirement import Requirement, small_graphs
from hopscape.core.spec import write_value
from hopscape.papers.heawood.walks import CoveringWalks, TableWalks, covering_walks

__all__ = ["DistanceCensus", "ExpandedStructure"]

_SMALL = 1024  # nodes of a base, states of a lamp: their squares are tables of 8 MiB
_SEARCHED = 200  # nodes of a base whose automorphisms are searched for
_COUNTED = 20  # connectors: sets of them are 2^20
_MOST_ORBITS = 100_000  # one search for each is what symmetry is to save
_MOST_MOVES = 1 << 24  # entries of the table of moves: 128 MiB


class ExpandedStructure(Family):
    """RE(base, lamp, n): a base network whose nodes carry switches for n lamps.

    A node is (a_n, ..., a_1, a_0): a place a_0 in the base and a state a_i in the lamp network for
    every level i. A link changes a_0 along a link of the base, or, where a_0 is the connector of
    level i, a_i along a link of the lamp. The ports of the base come first, then those of the
    levels that are connected here.
    """

    name = "expanded"
    summary = "recursively expanded network RE(base, lamp, n): RE-H, RE-P, CCC and their kin"
    parameters = (
        Parameter("base", "network", "where one walks to reach the connectors"),
        *integers(n=("number of levels", 0, 4000)),
        Parameter("lamp", "network", "what each level adds; the base when left out", default=None),
        Parameter(
            "connectors",
            "ints",
            "base node of each level; 0, 1, 2, ... when left out",
            low=0,
            default=None,
        ),
        Parameter("reuse", "flag", "may several levels share a connector?", default=False),
    )
    example = "expanded(ring(4), 3, lamp=complete(2))"

    def __init__(
        self,
        base: Network,
        n: int,
        lamp: Network | None = None,
        connectors: Sequence[int] | None = None,
        reuse: bool = False,
    ) -> None:
        self.base, self.n, self.reuse = base, n, reuse
        self.lamp = base if lamp is None else lamp
        for role, network in (("base", base), ("lamp", self.lamp)):
            _check_part(role, network)
        if n > base.order and not reuse:
            raise ArgumentError(
                f"n is {n}; {base.spec} has {base.order} nodes, so that n must be at most"
                f" {base.order} unless reuse=true lets levels share a connector"
            )
        usual = tuple(i % base.order for i in range(n))
        self.connectors = usual if connectors is None else tuple(connectors)
        self._usual = self.connectors == usual
        self._check_connectors()
        self._box = MixedRadix([self.lamp.order] * n + [base.order])
        self._levels_at = self._find_levels()

    def _check_connectors(self) -> None:
        connectors, size = self.connectors, self.base.order
        if len(connectors) != self.n:
            raise ArgumentError(
                f"connectors has {len(connectors)} entries; with n = {self.n} it needs {self.n}"
            )
        bad = [c for c in connectors if not 0 <= c < size]
        if bad:
            raise ArgumentError(
                f"connector {bad[0]} is not a node of {self.base.spec}: 0..{size - 1}"
            )
        twice = [c for c, times in Counter(connectors).items() if times > 1]
        if twice and not self.reuse:
            raise ArgumentError(
                f"connector {twice[0]} is given to two levels; that needs reuse=true"
            )

    def _find_levels(self) -> IntArray:
        """Levels (from 1) connected at each base node, filled up with 0."""
        lists: list[list[int]] = [[] for _ in range(self.base.order)]
        for i, connector in enumerate(self.connectors):
            lists[connector].append(i + 1)
        out = np.zeros((len(lists), max(map(len, lists))), dtype=np.int64)
        for row, levels in zip(out, lists, strict=True):
            row[: len(levels)] = levels
        return out

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Small dense bases and lamps, those that use most ports first."""
        specs = []
        for base in small_graphs(requirement.ports - 1):
            for lamp in small_graphs(requirement.ports - base.degree):
                for n in range(1, base.order + 1):
                    order = base.order * lamp.order**n
                    if order > requirement.high:
                        break
                    if order >= requirement.low:
                        same = "" if lamp == base else f", lamp={lamp.spec}"
                        used = base.degree + lamp.degree
                        gap = abs(order - requirement.nodes)
                        specs.append((-used, gap, f"{cls.name}({base.spec}, {n}{same})"))
        yield from (spec for _, _, spec in sorted(specs)[: requirement.most])

    @property
    def spec(self) -> str:
        words = [self.base.spec, str(self.n)]
        if self.lamp.spec != self.base.spec:
            words.append(f"lamp={self.lamp.spec}")
        if not self._usual:
            words.append(f"connectors={write_value(self.connectors)}")
        if self.reuse:
            words.append("reuse=true")
        return f"{self.name}({', '.join(words)})"

    @property
    def order(self) -> int:
        return self._box.order

    @property
    def ports(self) -> int:
        return self.base.ports + self._levels_at.shape[1] * self.lamp.ports

    @property
    def addresses(self) -> Addresses:
        """(a_n, ..., a_1, a_0)."""
        return self._box

    def neighbours(self, nodes: IntArray) -> IntArray:
        digits = self._box.tuples(nodes)
        here = digits[:, -1].astype(np.int64)
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        rows = self.base.rows(here).astype(nodes.dtype)
        moved = nodes[:, None] + rows - digits[:, -1][:, None]
        out[:, : self.base.ports] = np.where(rows >= 0, moved, -1)
        first, size = self.base.ports, self.lamp.order
        strides = np.asarray(
            [0] + [self.base.order * size**i for i in range(self.n)], dtype=nodes.dtype
        )
        for slot in range(self._levels_at.shape[1]):
            level = self._levels_at[here, slot]
            which = np.nonzero(level)[0]
            level = level[which]
            state = digits[which, self.n - level]
            rows = self.lamp.rows(state.astype(node_dtype(size))).astype(nodes.dtype)
            step = (rows - state[:, None]) * strides[level][:, None]
            moved = np.where(rows >= 0, nodes[which][:, None] + step, -1)
            out[which, first : first + self.lamp.ports] = moved
            first += self.lamp.ports
        return out

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """Those of the base and of the lamp; none where all channels are alike."""
        if not self.base.classes and not self.lamp.classes:
            return ()
        return tuple(
            replace(kind, name=f"{role}-{kind.name}")
            for role, part in (("base", self.base), ("lamp", self.lamp))
            for kind in part.classes or (PLAIN,)
        )

    def classes_at(self, nodes: IntArray) -> IntArray:
        digits = self._box.tuples(nodes)
        here = digits[:, -1].astype(np.int64)
        out = np.full((len(nodes), self.ports), -1, dtype=np.int64)
        out[:, : self.base.ports] = self.base.classes_at(here)
        first, start = self.base.ports, len(self.base.classes) or 1
        for slot in range(self._levels_at.shape[1]):
            level = self._levels_at[here, slot]
            which = np.nonzero(level)[0]
            state = digits[which, self.n - level[which]].astype(node_dtype(self.lamp.order))
            kinds = self.lamp.classes_at(state)
            out[which, first : first + self.lamp.ports] = np.where(kinds >= 0, kinds + start, -1)
            first += self.lamp.ports
        return out

    def layout(self) -> Layout:
        """The lamp of each level drawn into the one of the level above, the base innermost."""
        drawings = []
        for part in (*[self.lamp] * self.n, self.base):
            own = part.family.layout() if part.family is not None else None
            drawings.append(circle(part.order) if own is None else own.positions)
        return Layout(nested_places(self._box.tuples(np.arange(self.order)), drawings))

    # -- what is true of it --------------------------------------------------------------------

    @cached_property
    def levels_at(self) -> tuple[tuple[int, ...], ...]:
        """Levels (from 1) that are connected at each node of the base."""
        return tuple(tuple(level for level in row if level) for row in self._levels_at.tolist())

    @cached_property
    def marks(self) -> tuple[int, ...]:
        """The connectors worth a visit, in order of their first level; none for lamps of 1 node."""
        return tuple(dict.fromkeys(self.connectors)) if self.lamp.order > 1 else ()

    @property
    def levels(self) -> int:
        """Number of levels that can change."""
        return self.n if self.lamp.order > 1 else 0

    @cached_property
    def walks(self) -> CoveringWalks:
        """Covering walks through the marks."""
        return covering_walks(self.base, self.marks)

    @cached_property
    def census(self) -> DistanceCensus | None:
        """How many pairs lie at each distance; None where that is too much to count."""
        if self.lamp.order > _SMALL or len(self.marks) > _COUNTED:
            return None
        try:
            times = Counter(self.connectors)
            return DistanceCensus(self.walks, [times[c] for c in self.marks], self.lamp)
        except TooLargeError:
            return None

    def histogram(self) -> tuple[int, ...]:
        """Ordered pairs at distance 0, 1, 2, ..., exact.

        Raises:
            TooLargeError: When the base or the lamp is too large to count.
        """
        if self.census is None:
            raise TooLargeError(f"the distances of {self.spec} are too many sets to count")
        return self.census.histogram()

    def symmetry(self) -> Symmetry | None:
        """Every lamp can be moved on its own, the base where connectors stay connectors."""
        lamp = self.lamp.symmetry if self.levels else Symmetry((0,), (1,))
        if lamp is None:
            return None
        if len(lamp.sizes) ** self.n * self.base.order > _MOST_ORBITS:
            return None
        nodes, sizes = [0], [1]
        for _ in range(self.n):
            nodes = [v * self.lamp.order + r for v in nodes for r in lamp.representatives]
            sizes = [s * t for s in sizes for t in lamp.sizes]
        classes = self._base_orbits if lamp.transitive else [[v] for v in range(self.base.order)]
        nodes = [v * self.base.order + orbit[0] for v in nodes for orbit in classes]
        sizes = [s * len(orbit) for s in sizes for orbit in classes]
        return Symmetry(tuple(nodes), tuple(sizes))

    @cached_property
    def _base_orbits(self) -> list[list[int]]:
        """Classes of base nodes that look alike, connectors of as many levels included."""
        size = self.base.order
        times = Counter(self.connectors if self.levels else ())
        known = self.base.symmetry
        if len({times[v] for v in range(size)}) == 1 and known is not None and known.transitive:
            return [list(range(size))]
        if size > _SEARCHED:
            return [[v] for v in range(size)]
        return orbits(self.base, [times[v] for v in range(size)])

    def rotations(self) -> IntArray | None:
        """Every lamp turned on its own; and the base, where each of its nodes has one level."""
        if self.order > _MOST_MOVES:
            return None
        lamps = self.lamp.family.rotations() if self.levels and self.lamp.family else None
        moves = np.zeros((1, 1), dtype=np.int64) if lamps is None else np.asarray(lamps)
        turns = np.arange(self.base.order)[None, :]
        if sorted(self.connectors) == list(range(self.base.order)) and self.base.family:
            known = self.base.family.rotations()
            turns = turns if known is None else known
        count = len(turns) * len(moves) ** self.n
        if count == 1 or count * self.order > _MOST_MOVES:
            return None
        digits = self._box.tuples(np.arange(self.order)).astype(np.int64)[:, ::-1]
        out = np.zeros((count, self.order), dtype=np.int64)
        level_at = np.zeros(self.base.order, dtype=np.int64)
        level_at[list(self.connectors)] = np.arange(self.n)
        for i, choice in enumerate(product(turns, *[moves] * self.n)):
            turn, *lamp = choice
            out[i] = turn[digits[:, 0]]
            for level, move in enumerate(lamp):
                state = digits[:, level + 1]
                to = level if len(turns) == 1 else level_at[turn[self.connectors[level]]]
                moved = state if lamps is None else move[state]
                out[i] += moved * (self.base.order * self.lamp.order**to)
        return out


def _check_part(role: str, network: Network) -> None:
    if network.has_switches or not network.duplex:
        raise ArgumentError(f"the {role} {network.spec} must be a direct network of duplex links")
    if network.order > _SMALL and role == "base":
        raise ArgumentError(f"the base {network.spec} has {network.order} nodes; at most {_SMALL}")
    connected = network.facts.connected
    if connected is None:
        reach = distance_rows(network, np.asarray([0]))
        connected = not bool(unreached(reach).any())
    if not connected:
        raise ArgumentError(f"the {role} {network.spec} is not connected")


Kind = tuple[int, ...]
_SLICE = 1 << 12  # sets of connectors looked at together


class DistanceCensus:
    """Pairs of nodes of an expanded network, counted by distance.

    Args:
        walks: Over the distinct connectors.
        times: How many levels each connector serves.
    """

    def __init__(self, walks: CoveringWalks, times: Sequence[int], lamp: Network) -> None:
        self.walks, self.times, self.lamp = walks, tuple(times), lamp
        self._lamp_rows = distance_rows(lamp, np.arange(lamp.order)).astype(np.int64)

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """The different numbers of levels per connector."""
        return tuple(sorted(set(self.times)))

    def sets(self) -> Iterator[tuple[Kind, IntArray]]:
        """Slices of all sets of connectors: how many of each kind a set has, and its members."""
        count = len(self.times)
        numbers = np.arange(1 << count)
        member = (numbers[:, None] >> np.arange(count) & 1).astype(bool)
        kind = np.asarray([self.kinds.index(t) for t in self.times], dtype=np.int64)
        has = np.zeros((len(numbers), len(self.kinds)), dtype=np.int64)
        for k in range(len(self.kinds)):
            has[:, k] = member[:, kind == k].sum(axis=1)
        for row in sorted({tuple(row) for row in has.tolist()}):
            chosen = member[(has == row).all(axis=1)]
            for low in range(0, len(chosen), _SLICE):
                yield row, chosen[low : low + _SLICE]

    @property
    def _alike(self) -> bool:
        """Do all starts look alike, all nodes of the base being connectors of equal use?"""
        known = isinstance(self.walks, TableWalks) and len(self.walks.table) == 1
        return known and len(self.times) == self.walks.base.order and len(self.kinds) == 1

    @property
    def work(self) -> int:
        """How many walks must be counted."""
        size = self.walks.base.order
        return size * (1 if self._alike else size) << len(self.times)

    @cached_property
    def walk_counts(self) -> dict[Kind, Counter[int]]:
        """By kind of set: how many triples (start, set, end) have a walk of each length."""
        size = self.walks.base.order
        counts: dict[Kind, Counter[int]] = defaultdict(Counter)
        starts = np.arange(1 if self._alike else size)
        scale = size if self._alike else 1
        ends = np.arange(size)
        for kind, members in self.sets():
            for start in starts:
                wanted = np.repeat(members, size, axis=0)
                at = np.full(len(wanted), start)
                lengths = self.walks.lengths(at, wanted, np.tile(ends, len(members)))
                for length, count in enumerate(np.bincount(lengths).tolist()):
                    if count:
                        counts[kind][length] += scale * count
        return dict(counts)

    @cached_property
    def _apart(self) -> list[int]:
        """Pairs of lamp states by distance, equal ones included."""
        return np.bincount(self._lamp_rows.ravel()).tolist()

    def _differing(self, levels: int) -> list[int]:
        """Pairs of states of so many levels by distance, without those that are all equal."""
        out = _power(self._apart, levels)
        out[0] -= self.lamp.order**levels
        return out

    def level_counts(self, kind: Kind) -> list[int]:
        """Pairs of lamp states by distance, for sets of one kind."""
        out = [1]
        for times, chosen in zip(self.kinds, kind, strict=True):
            out = _times(out, _power(self._differing(times), chosen))
            left = self.times.count(times) - chosen
            out = [x * self.lamp.order ** (times * left) for x in out]
        return out

    def histogram(self) -> tuple[int, ...]:
        """Ordered pairs at distance 0, 1, 2, ..."""
        total: Counter[int] = Counter()
        for kind, lengths in self.walk_counts.items():
            levels = self.level_counts(kind)
            for length, count in lengths.items():
                for d, pairs in enumerate(levels):
                    if pairs:
                        total[length + d] += count * pairs
        return tuple(total[d] for d in range(max(total) + 1))

    def mean(self) -> Fraction:
        """Mean distance over ordered pairs of distinct nodes."""
        counts = self.histogram()
        return Fraction(sum(d * c for d, c in enumerate(counts)), sum(counts[1:]))

    @property
    def diameter(self) -> int:
        """Every level as far apart as can be, and the longest walk through all connectors."""
        levels = int(self._lamp_rows.max()) * sum(self.times)
        return levels + int(self.walks.through_all().max())

    @property
    def radius(self) -> int:
        """Least eccentricity: of the best start, with every lamp in a central state."""
        levels = int(self._lamp_rows.max(axis=1).min()) * sum(self.times)
        return levels + int(self.walks.through_all().max(axis=1).min())


def _times(a: Sequence[int], b: Sequence[int]) -> list[int]:
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        if x:
            for j, y in enumerate(b):
                out[i + j] += x * y
    return out


def _power(a: Sequence[int], exponent: int) -> list[int]:
    out = [1]
    for _ in range(exponent):
        out = _times(out, a)
    return out
