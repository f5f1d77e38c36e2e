"""Exact routing on expanded networks, and the paper's digit-by-digit routing beside it.

Routing by looking one hop ahead: take the first port behind which the target is near.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from hopscape.core.addresses import node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import TooLargeError
from hopscape.core.formula import (
    Value,
    any_of,
    both,
    choose,
    constant,
    digits,
    equal,
    inverted,
    lookup,
)
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.papers.heawood.structure import ExpandedStructure
from hopscape.papers.heawood.walks import TableWalks

__all__ = ["ExpandedRouter", "LevelRouter", "SpreadRouter", "look_ahead_route", "printed_route"]

_MANY = 4096  # pairs from which the kernel is worth its import
_LAMP_TABLE = 1024  # states: a table of all their pairs takes 8 MiB
_KEPT_STEPS = 1 << 18  # of base walks that are remembered at most
_MOST_WALKS = 1 << 20  # entries of a table that is written as code


class ExpandedRouter(Router):
    """Shortest routes: covering walks through the connectors of the levels that differ.

    A level that differs is set right where its connector is passed; in between the walk goes to
    the base neighbour that leaves the shortest covering walk. The table depends on the base alone.
    """

    name = "covering walks"

    def __init__(self, network: Network, family: ExpandedStructure) -> None:
        super().__init__(network)
        self.family = family
        self._walks = family.walks
        marks = {connector: i for i, connector in enumerate(family.marks)}
        self._mark_of = np.asarray([marks.get(c, 0) for c in family.connectors], dtype=np.int64)
        self._marks: list[int] = self._mark_of.tolist()
        self._lamp_table: IntArray | None = None
        self.table_bytes = self._walks.table_bytes
        if family.lamp.order <= _LAMP_TABLE:
            self._lamp_table = distance_rows(family.lamp, np.arange(family.lamp.order))
            self.table_bytes += self._lamp_table.nbytes
        self._lamp = family.lamp.router()
        base, lamp = family.base, family.lamp
        self._sizes = base.order, base.ports, lamp.order, lamp.ports
        self._base_steps: dict[tuple[int, int, int], tuple[int, int]] = {}
        self._base_heads: list[list[int]] = family.base.rows(np.arange(family.base.order)).tolist()

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        table = self._lamp_table
        walks = self._walks
        large = len(at) >= _MANY and self.network.order <= 2**62
        if (
            not large
            or table is None
            or not isinstance(walks, TableWalks)
            or not len(self._mark_of)
        ):
            return self._slow_distances(at, to)
        from hopscape.papers.heawood.route_kernels import pair_distances

        out = np.empty(len(at), dtype=np.int64)
        pair_distances(
            np.ascontiguousarray(at, dtype=np.int64),
            np.ascontiguousarray(to, dtype=np.int64),
            self.family.n,
            self.family.base.order,
            self.family.lamp.order,
            table,
            self._mark_of,
            walks.table,
            walks.row,
            walks.bit,
            walks.image,
            out,
        )
        return out

    def _slow_distances(self, at: IntArray, to: IntArray) -> IntArray:
        here, there, levels = self._split(at, to)
        total = self._walks.lengths(here[0], self._wanted(levels), there[0])
        for a, b in zip(here[1:], there[1:], strict=True):
            total = total + self._lamp_distances(a, b)
        return total

    def _split(self, at: IntArray, to: IntArray) -> tuple[list[IntArray], list[IntArray], IntArray]:
        """Digits a_0, a_1, ..., a_n of both ends, and which levels differ (from level 1)."""
        parts = []
        box = self.family._box
        known = box.tuples(np.arange(box.order)) if len(at) > box.order else None
        for nodes in (at, to):
            digits = box.tuples(nodes) if known is None else known[nodes]
            kind = node_dtype(self.family.lamp.order)
            columns = [digits[:, -1].astype(np.int64)]
            columns += [digits[:, -1 - i].astype(kind) for i in range(1, digits.shape[1])]
            parts.append(columns)
        here, there = parts
        differ = np.zeros((len(at), self.family.n), dtype=bool)
        for i in range(self.family.n):
            differ[:, i] = here[i + 1] != there[i + 1]
        return here, there, differ

    def _wanted(self, levels: IntArray) -> IntArray:
        """Which connectors must be visited."""
        if len(self.family.marks) == self.family.n:
            return levels
        out = np.zeros((len(levels), len(self.family.marks)), dtype=bool)
        for i, mark in enumerate(self._mark_of if self.family.levels else ()):
            out[:, mark] |= levels[:, i]
        return out

    def _lamp_distances(self, a: IntArray, b: IntArray) -> IntArray:
        if self._lamp_table is not None:
            return self._lamp_table[a, b].astype(np.int64)
        return self._lamp.distances(a, b).astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        family = self.family
        here, there, levels = self._split(at, to)
        out = np.full(len(at), -1, dtype=np.int64)
        first = family.base.ports
        for slot in range(family._levels_at.shape[1]):
            level = family._levels_at[here[0], slot]
            for i in np.unique(level[level > 0]).tolist():
                which = np.nonzero((level == i) & levels[:, i - 1] & (out < 0))[0]
                out[which] = first + self._lamp.next_ports(here[i][which], there[i][which])
            first += family.lamp.ports
        left = np.nonzero((out < 0) & (levels.any(axis=1) | (here[0] != there[0])))[0]
        if len(left):
            out[left] = self._walk_ports(here[0][left], self._wanted(levels[left]), there[0][left])
        return out

    def _walk_ports(self, here: IntArray, wanted: IntArray, there: IntArray) -> IntArray:
        """The base port behind which the shortest covering walk goes on; the lowest on a tie."""
        size, marks = self.family.base.order, len(self.family.marks)
        if size * size << marks > min(len(here), _MOST_WALKS):
            return self._search_walk_ports(here, wanted, there)
        sets = wanted @ (1 << np.arange(marks))
        return self._walk_table[(sets * size + here) * size + there]

    @cached_property
    def _walk_table(self) -> IntArray:
        """The first ports of all covering walks, by set of marks, place and goal."""
        size, marks = self.family.base.order, len(self.family.marks)
        sets, pairs = np.divmod(np.arange(size * size << marks), size * size)
        bits = (sets[:, None] >> np.arange(marks) & 1).astype(bool)
        return self._search_walk_ports(pairs // size, bits, pairs % size)

    def _search_walk_ports(self, here: IntArray, wanted: IntArray, there: IntArray) -> IntArray:
        rows = self.family.base.rows(here)
        lengths = np.full(rows.shape, np.iinfo(np.int64).max)
        for port in range(rows.shape[1]):
            wired = np.nonzero(rows[:, port] >= 0)[0]
            lengths[wired, port] = self._walks.lengths(
                rows[wired, port], wanted[wired], there[wired]
            )
        return lengths.argmin(axis=1)

    def formula(self, at: Value, to: Value) -> Value:
        """Set right what can be set right here; else the first step of the covering walk."""
        family, size = self.family, self.family.base.order
        sides = (*(family.lamp.order,) * family.n, size)
        *upper, place = digits(at, sides)
        *goals, goal = digits(to, sides)
        place = place.named("place", "place in the base")
        differ = [
            inverted(equal(a, b)).named(f"differ{i}", f"level {i} is to be set right")
            for i, (a, b) in enumerate(zip(upper[::-1], goals[::-1], strict=True), 1)
        ]
        if family.lamp.order == 1:
            differ = []
        port = self._walk_formula(place, differ, goal)
        slots = family._levels_at.shape[1] if differ else 0
        for slot in range(slots - 1, -1, -1):
            first = family.base.ports + slot * family.lamp.ports
            for i in sorted(set(family._levels_at[:, slot].tolist()) - {0}):
                lamp = self._lamp.formula(upper[-i], goals[-i]) + first
                for here in np.flatnonzero(family._levels_at[:, slot] == i).tolist():
                    open_ = both(differ[i - 1], equal(place, here))
                    port = choose(open_, lamp, port).named(f"port{i}_{here}")
        return port

    def _walk_formula(self, place: Value, differ: list[Value], goal: Value) -> Value:
        """The base port of the covering walk, from a table; -1 where all is right."""
        size, marks = self.family.base.order, len(self.family.marks)
        if size * size << marks > _MOST_WALKS:
            raise TooLargeError(
                f"the covering walks of {self.network.spec} are a table of {size}² · 2^{marks}"
                f" ports; at most {_MOST_WALKS} are written as code"
            )
        wanted: Value = constant(0)
        for mark in range(marks):
            levels = [differ[i] for i in np.flatnonzero(self._mark_of == mark).tolist()]
            wanted = wanted + choose(any_of(levels), 1 << mark, 0)
        wanted = wanted.narrow(0, (1 << marks) - 1).named("wanted", "connectors to be visited")
        ports = self._walk_table.copy()
        ports[np.arange(size) * (size + 1)] = -1
        where = (wanted * size + place) * size + goal
        return lookup("walk", ports, where, "base port by connectors to visit, place and goal")

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        marks, levels_at = self._marks, self.family.levels_at
        size, base_ports, states, lamp_ports = self._sizes
        (at_lamps, place), (to_lamps, goal) = divmod(at, size), divmod(to, size)
        n = self.family.n
        here, there = _digits(at_lamps, states, n), _digits(to_lamps, states, n)
        wanted = 0
        for mark, a, b in zip(marks, here, there, strict=False):
            wanted |= (a != b) << mark
        nodes, ports = [at], []
        while True:
            first = base_ports
            for level in levels_at[place]:
                if here[level - 1] != there[level - 1]:
                    path, taken = self._lamp.leg(here[level - 1], there[level - 1])
                    stride = size * states ** (level - 1)
                    corner = nodes[-1] - path[0] * stride
                    nodes += [corner + v * stride for v in path[1:]]
                    ports += [first + p for p in taken]
                    here[level - 1] = there[level - 1]
                    wanted &= ~(1 << marks[level - 1])
                first += lamp_ports
            if not wanted and place == goal:
                return nodes, ports
            key = (place, wanted, goal)
            port, beside = self._base_steps.get(key) or self._base_step(*key)
            nodes.append(nodes[-1] + beside - place)
            ports.append(port)
            place = beside

    def _base_step(self, place: int, wanted: int, goal: int) -> tuple[int, int]:
        """The base port behind which the shortest covering walk goes on, and where it leads."""
        if len(self._base_steps) >= _KEPT_STEPS:
            self._base_steps.clear()
        left = self._walks.length(place, wanted, goal) - 1
        *first, last = [(p, v) for p, v in enumerate(self._base_heads[place]) if v >= 0]
        nearer = (path for path in first if self._walks.length(path[1], wanted, goal) == left)
        self._base_steps[place, wanted, goal] = step = next(nearer, last)
        return step


def _digits(number: int, radix: int, count: int) -> list[int]:
    """The lowest digits of a number, from the last on."""
    digits = []
    for _ in range(count):
        number, digit = divmod(number, radix)
        digits.append(digit)
    return digits


class LevelRouter(ExpandedRouter):
    """The paper's routing, repaired: levels n to 1 one after the other, then the place.

    It walks to the connector of each level that differs, sets the level right, and walks to the
    target's place at the end. Not shortest from two levels on.
    """

    name = "digit by digit"
    exact = False
    trace = Router.trace

    def __init__(self, network: Network, family: ExpandedStructure) -> None:
        super().__init__(network, family)
        self._base_table = distance_rows(family.base, np.arange(family.base.order)).astype(np.int64)
        self._base = family.base.router()

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        here, there, levels = self._split(at, to)
        place, total = here[0], np.zeros(len(at), dtype=np.int64)
        for i in range(self.family.n, 0, -1):
            differ = levels[:, i - 1]
            connector = self.family.connectors[i - 1]
            hops = self._base_table[place, connector] + self._lamp_distances(here[i], there[i])
            total += np.where(differ, hops, 0)
            place = np.where(differ, connector, place)
        return total + self._base_table[place, there[0]]

    def formula(self, at: Value, to: Value) -> Value:
        return Router.formula(self, at, to)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        family = self.family
        here, there, levels = self._split(at, to)
        highest = (
            np.where(levels.any(axis=1), family.n - levels[:, ::-1].argmax(axis=1), 0)
            if family.n
            else np.zeros(len(at), dtype=np.int64)
        )
        aim = np.asarray([-1, *family.connectors])[highest]
        aim = np.where(highest == 0, there[0], aim)
        out = np.full(len(at), -1, dtype=np.int64)
        walking = np.nonzero(here[0] != aim)[0]
        out[walking] = self._base.next_ports(here[0][walking], aim[walking])
        arrived = (here[0] == aim) & (highest > 0)
        for i in np.unique(highest[arrived]).tolist():
            which = np.nonzero(arrived & (highest == i))[0]
            slot = family._levels_at[family.connectors[i - 1]].tolist().index(i)
            first = family.base.ports + slot * family.lamp.ports
            out[which] = first + self._lamp.next_ports(here[i][which], there[i][which])
        return out


class SpreadRouter(ExpandedRouter):
    """Shortest routes whose ties are broken by the place a_0 of the source.

    Packets of one copy that make the same change of a level so take different ways through its
    lamp, where one path per pair would send them all over the same links.
    """

    name = "spread covering walks"
    trace = Router.trace

    def _ports_from(self, sources: IntArray, at: IntArray, to: IntArray) -> IntArray:
        shortest = self.shortest_ports(at, to)
        rank = (sources % self.family.base.order).astype(np.int64) % shortest.sum(axis=1)
        return (np.cumsum(shortest, axis=1) > rank[:, None]).argmax(axis=1)


def printed_route(
    family: ExpandedStructure,
    source: tuple[int, ...],
    target: tuple[int, ...],
    *,
    connector_off_by_one: bool = True,
    last_is_tested: bool = True,
    final_leg: bool = False,
) -> list[tuple[int, ...]] | None:
    """The paper's routing as printed: addresses on the way, or None when it gets stuck.

    Three faults can be put right one by one: it walks to base node i for level i, whose connector
    is i - 1; the last branch of a step is tested, so that it may not fire; and the last leg, to the
    target's place, is missing.

    Args:
        source, target: addresses (a_n, ..., a_0)
        connector_off_by_one, last_is_tested, final_leg: As printed: True, True, False.
    """
    here = list(source)
    path = [tuple(here)]
    n = family.n

    def follow(network: Network, entry: int, goal: int, tested: bool) -> bool:
        route = look_ahead_route(network, here[entry], goal, last_is_tested=tested)
        for value in route[1:] if route is not None else []:
            here[entry] = value
            path.append(tuple(here))
        return route is not None

    for i in range(n, 0, -1):
        entry = n - i
        if here[entry] == target[entry]:
            continue
        stop = i % family.base.order if connector_off_by_one else family.connectors[i - 1]
        if not follow(family.base, n, stop, False):
            return None
        if here[n] != family.connectors[i - 1]:
            return None  # there is no link of this level here
        if not follow(family.lamp, entry, target[entry], last_is_tested):
            return None
    if final_leg and not follow(family.base, n, target[n], False):
        return None
    return path if path[-1] == tuple(target) else None


def look_ahead_route(
    network: Network,
    source: int,
    target: int,
    *,
    last_is_tested: bool = False,
    self_adjacent: bool = True,
) -> list[int] | None:
    """Follow the rule "take the first port that leads to the target or to a neighbour of it".

    Args:
        last_is_tested: The last port must pass the test as well; otherwise it is taken when no
            other one does.
        self_adjacent: Does a port that leads to the target itself pass the test?

    Returns:
        list of int, or None: The nodes on the way; None when no port may be taken or the way runs
            in circles.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("heawood")
        >>> look_ahead_route(net, 0, 7), look_ahead_route(net, 0, 7, last_is_tested=True)
        ([0, 9, 8, 7], None)
    """
    path = [source]
    beside_target = set(network.neighbours(target)) | ({target} if self_adjacent else set())
    while path[-1] != target:
        neighbours = network.neighbours(path[-1])
        passing = [v for v in neighbours if v in beside_target]
        if not passing and last_is_tested:
            return None
        path.append(passing[0] if passing else neighbours[-1])
        if len(path) > 4 * network.order:
            return None
    return path
