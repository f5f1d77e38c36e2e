"""Throughput of switched machines: uniform traffic, any permutation, and what no routing beats.

A machine is looked at switch by switch: traffic between two endpoints of one switch loads no
channel, and what the endpoints of one switch send to those of another takes the same routes. All
results are shares of an endpoint's line rate, at most 1. Bounds over many cuts say what no routing
exceeds; loads of even splitting are counted as fractions on machines small enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.metrics.concurrent import Channels, optimal_share
from hopscape.metrics.twins import Twins

__all__ = [
    "SwitchGraph",
    "Uniform",
    "cut_bound",
    "rational_loads",
    "switch_graph",
    "throughput_limit",
]

_RATIONAL_STEPS = 20_000
"""Switches times channels up to which loads are added up as fractions."""
_ALL_SHARES, _KINDS = 20_000_000, 24
"""Shares up to which all channels are looked at, and kinds of channels that are beyond."""
_GROUP_WORK = 20_000_000
"""What the search for symmetries may cost: less than a second."""
_SLACK = 1e-9  # of shares, for what floating point loses
_PATHS_ORDER = 5_200  # switches of which all pairs are looked at
_MATCHED = 1_400  # endpoints (or switches) that are matched in a moment
_ROUNDS = 40  # of refining colours; what is left unlike by then stays apart


class Uniform(NamedTuple):
    """Even splitting over all shortest paths, every endpoint sending evenly to all others.

    Attributes:
        load: Of the busiest channel when every endpoint sends at line rate.
        hops: Mean channels between the switches of two endpoints.
    """

    load: float
    hops: float

    @property
    def throughput(self) -> float:
        """Share of the line rate that every endpoint gets."""
        return min(1.0, 1 / self.load) if self.load else 1.0


@dataclass(frozen=True)
class SwitchGraph:
    """The switches of a machine, the channels between them, and how many endpoints each has.

    Attributes:
        indptr, heads (int64[...]): Channels by the switch that they leave; parallel ones are
            listed.
        speeds: float64[channels]
        ends (int64[switches]): Endpoints at each.
        lines: Lines of an endpoint.
        hosted: Are the nodes with endpoints no switches, but the endpoints themselves? So they are
            where an endpoint has lines to several switches.
    """

    indptr: IntArray
    heads: IntArray
    speeds: Floats
    ends: IntArray
    lines: int = 1
    name: str = "machine"
    hosted: bool = False

    @property
    def hosts(self) -> IntArray:
        """bool[switches]: nodes that are endpoints themselves, with lines to several switches."""
        return np.asarray((self.ends > 0) & self.hosted)

    @property
    def order(self) -> int:
        """Number of switches."""
        return len(self.ends)

    @property
    def endpoints(self) -> int:
        """Number of endpoints."""
        return int(self.ends.sum())

    def scaled(self, trunk: int) -> SwitchGraph:
        """The same with so many cables for each; what is known of its paths is known of it too."""
        if trunk == 1:
            return self
        wider = replace(self, speeds=self.speeds * trunk)
        vars(wider)["_topology"] = self._topology
        known = ("tails", "_arriving", "_reversed", "_pair_loads", "_sources", "_even", "_twins")
        computed = vars(self)
        vars(wider).update({name: computed[name] for name in known if name in computed})
        return wider

    def with_ends(self, ends: IntArray, **more: Any) -> SwitchGraph:
        """The same switches and channels with other numbers of endpoints, lines or another name.

        Examples:
            >>> import hopscape
            >>> graph = switch_graph(hopscape.build("concentrated(complete(5), 4)"))
            >>> graph.with_ends(np.array([4, 4, 4, 3, 3])).endpoints
            18
        """
        other = replace(self, ends=ends, **more)
        vars(other)["_topology"] = self._topology
        known = ("tails", "_arriving", "_reversed")
        computed = vars(self)
        vars(other).update({name: computed[name] for name in known if name in computed})
        return other

    @cached_property
    def _topology(self) -> dict[str, tuple[IntArray, Floats, IntArray]]:
        """What depends neither on speeds nor on endpoints, and is common to all such variants."""
        return {}

    @cached_property
    def tails(self) -> IntArray:
        """The switch that each channel leaves."""
        return np.repeat(np.arange(self.order), np.diff(self.indptr))

    @cached_property
    def _arriving(self) -> IntArray:
        """Channels by the switch that they lead to."""
        return np.argsort(self.heads, kind="stable").astype(np.int32)

    @cached_property
    def _reversed(self) -> tuple[IntArray, IntArray]:
        """Where the channels into each switch begin, and which switches they leave."""
        counts = np.bincount(self.heads, minlength=self.order)
        indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint64)
        return indptr, self.tails[self._arriving].astype(np.uint32)

    @cached_property
    def _twins(self) -> Twins | None:
        """Classes of switches that nothing tells apart, where they save much."""
        return Twins.found(self.tails, self.heads, self.speeds, self.ends)

    # -- uniform traffic ----------------------------------------------------------------------

    @cached_property
    def _pair_loads(self) -> tuple[Floats, float]:
        """Load of every channel when each pair of endpoints sends 1; and their sum."""
        from hopscape.metrics.throughput_kernels import even_loads

        arriving, loads = np.zeros(len(self.heads)), np.empty(len(self.heads))
        if self._twins is not None:
            loads, hops = self._twins.loads()
        else:
            hops = float(even_loads(*self._reversed, self.ends, arriving))
            loads[self._arriving] = arriving
        if hops < 0:
            raise DisconnectedError(f"{self.name} is not connected")
        if math.isinf(hops):
            raise self._too_many_paths()
        return loads, hops

    def uniform(self) -> Uniform:
        """Uniform traffic, each endpoint to all others evenly, over all shortest paths evenly.

        Examples:
            >>> import hopscape
            >>> found = switch_graph(hopscape.build("concentrated(complete(5), 4)")).uniform()
            >>> found.load, found.throughput
            (0.8421052631578947, 1.0)
        """
        ends = self.endpoints
        if len(self._sources) < 2:
            return Uniform(0.0, 0.0)
        loads, hops = self._pair_loads
        scale = self.lines / (ends - 1)
        load = float((loads / self.speeds).max()) * scale
        return Uniform(load, hops / (ends * (ends - 1)))

    def fraction(self) -> Fraction | None:
        """Uniform throughput as a fraction: all loads alike, or a machine small enough to count.

        Examples:
            >>> import hopscape
            >>> switch_graph(hopscape.build("concentrated(petersen, 7, trunk=3)")).fraction()
            Fraction(207, 245)
        """

        load = self.uniform().load
        if load <= 1 - 1e-9:
            return Fraction(1)
        speed = float(self.speeds[0])
        if (self.speeds != speed).any() or speed % 1:
            return None
        loads, hops = self._pair_loads
        if np.ptp(loads) <= 1e-9 * loads.max() and hops < 2**53:
            most = Fraction(round(hops), len(loads))
        elif self.order * len(self.heads) <= _RATIONAL_STEPS:
            most = max(rational_loads(self))
        else:
            return None
        return min(Fraction(1), Fraction(self.endpoints - 1) * int(speed) / (most * self.lines))

    def capacity_bound(self) -> float:
        """Share of uniform traffic that no routing exceeds: capacity over distance.

        Examples:
            >>> import hopscape
            >>> graph = switch_graph(hopscape.build("concentrated(ring(8), 1)"))
            >>> round(graph.capacity_bound(), 4), round(graph.uniform().throughput, 4)
            (0.875, 0.875)
        """
        hops = self.uniform().hops
        if not hops:
            return 1.0
        return min(1.0, float(self.speeds.sum()) / (hops * self.endpoints * self.lines))

    def quick_bound(self, searches: int = 4) -> float:
        """Capacity over distance, from breadth-first searches of a few nodes: about the bound.

        The mean distance of a few nodes stands for that of all, so it is exact where all nodes are
        alike, and else an estimate.
        """
        from hopscape.metrics.throughput_kernels import mean_from

        if len(self._sources) < 2:
            return math.inf
        starts = self._sources[:: max(1, len(self._sources) // searches)][:searches]
        mean = float(mean_from(*self._reversed, self.ends, starts))
        if mean < 0:
            return 0.0
        return float(self.speeds.sum()) / max(1e-9, mean * self.endpoints * self.lines)

    # -- permutations -------------------------------------------------------------------------

    def valiant(self) -> float:
        """What Valiant's routing gives any permutation: over a random switch, by both ways evenly.

        Every message goes to a switch drawn in proportion to its endpoints, then to its
        destination. Whatever the permutation, each half loads the channels like uniform traffic
        (Valiant, 1982).

        Examples:
            >>> import hopscape
            >>> round(switch_graph(hopscape.build("concentrated(complete(5), 4)")).valiant(), 4)
            0.625
        """
        ends = self.endpoints
        load = 2 * self.uniform().load * (ends - 1) / max(1, ends)
        return min(1.0, 1 / load) if load else 1.0

    @cached_property
    def _paths(self) -> tuple[IntArray, Floats]:
        """Distances and numbers of shortest paths; of all pairs in which one has endpoints."""
        from hopscape.metrics.throughput_kernels import path_counts

        if "paths" in self._topology:
            dist, paths, known = self._topology["paths"]
            if known[self._sources].all():
                return dist, paths
        require_memory(10 * self.order**2, f"the paths of {self.name}")
        known = np.ones(self.order, dtype=bool)
        if self._twins is not None and self._twins.both_ways:
            dist, paths = self._twins.all_paths()
            known = self.ends > 0
        else:
            dist = np.empty((self.order, self.order), dtype=np.int16)
            paths = np.empty((self.order, self.order))
            path_counts(*self._reversed, dist, paths)
        if np.isinf(paths).any():
            raise self._too_many_paths()
        self._topology["paths"] = dist, paths, known
        return dist, paths

    def farthest(self) -> Measured[int | None]:
        """Most channels on a shortest path between the switches of two endpoints.

        Examples:
            >>> import hopscape
            >>> switch_graph(hopscape.build("fat_tree(4)")).farthest().value
            4
        """
        if self.order > _PATHS_ORDER:
            return Measured(None, "unknown", f"is looked for up to {_PATHS_ORDER} switches")
        sources = self._sources
        return Measured(int(self._paths[0][np.ix_(sources, sources)].max(initial=0)), "exact")

    def _too_many_paths(self) -> TooLargeError:
        return TooLargeError(
            f"{self.name} has more than 10^308 shortest paths between two switches"
        )

    @cached_property
    def _sources(self) -> IntArray:
        return np.flatnonzero(self.ends).astype(np.int64)

    def worst_minimal(self, least: float = 0.0) -> Measured[float | None]:
        """Throughput of the worst permutation under even splitting over all shortest paths.

        For one channel it is an assignment of sources to destinations (Towles and Dally, 2002);
        taken over all channels of small machines, else over one channel of each orbit of the
        machine's symmetries. Where these are not found, or there are too many orbits, the busiest
        channels of different kinds are looked at, and the figure is an upper bound; so it is when
        a channel shows that it is below `least`, where the search ends.

        Examples:
            >>> import hopscape
            >>> switch_graph(hopscape.build("concentrated(complete(5), 4)")).worst_minimal().value
            0.25
        """
        if len(self._sources) < 2:
            return Measured(1.0, "exact")
        if not self._even and self.endpoints > _MATCHED:
            note = f"switches with unequal endpoints are looked at up to {_MATCHED} endpoints"
            return Measured(None, "unknown", note)
        if self.order > _PATHS_ORDER:
            note = f"permutations are looked at up to {_PATHS_ORDER} switches"
            return Measured(None, "unknown", note)
        if (beside := self._side_by_side()) * least > 1 + _SLACK:  # without a path counted
            return Measured.at_most(1 / beside, "two switches side by side")
        worst = self._worst_load(int(np.argmax(self._pair_loads[0] / self.speeds)))
        chosen, whole = ([], False) if worst * least > 1 + _SLACK else self._kinds()
        for channel in chosen:
            worst = max(worst, self._worst_load(channel))
            if worst * least > 1 + _SLACK:
                break
        if worst * least > 1 + _SLACK:
            return Measured.at_most(1 / worst, "one channel")
        value = min(1.0, 1 / worst) if worst > 1e-12 else 1.0
        if len(chosen) == len(self.heads):
            return Measured(value, "exact", "all channels")
        if whole:
            return Measured(value, "symmetry", f"one channel of each of {len(chosen)} orbits")
        return Measured.at_most(value, f"the {len(chosen)} busiest kinds of channels")

    def _side_by_side(self) -> float:
        """Largest load of a channel when one switch sends all to a neighbour, and that one back."""
        there = np.minimum(self.ends[self.tails], self.ends[self.heads]) * self.lines
        pairs, which, times = np.unique(
            self.tails * self.order + self.heads, return_inverse=True, return_counts=True
        )
        if not len(pairs):
            return 0.0
        return float((there / (times[which.ravel()] * self.speeds)).max())

    def _kinds(self) -> tuple[list[int], bool]:
        """Channels to look at, the busiest first, and whether the others are like them."""
        loads = self._pair_loads[0] / self.speeds
        order = np.argsort(-loads, kind="stable")
        each = len(self._sources) ** 2
        if len(loads) * each <= _ALL_SHARES:
            return order.tolist(), True
        orbits = self._orbits()
        kind = orbits
        if kind is None:
            keys = [self._colours()[side] for side in (self.tails, self.heads)]
            keys.append(np.round(loads / loads.max(), 9))
            kind = np.unique(np.stack(keys), axis=1, return_inverse=True)[1].ravel()
        kinds = np.sort(np.unique(kind[order], return_index=True)[1])
        most = max(_KINDS, _ALL_SHARES // each)
        return order[kinds[:most]].tolist(), orbits is not None and len(kinds) <= most

    def _orbits(self) -> IntArray | None:
        """A number for each channel: those of one number are moved into each other by symmetries.

        None when the search for them takes too long.
        """
        from hopscape.algebra.groups import AutomorphismGroup

        if (twins := self._twins) is not None:  # twins are moved into each other in any case
            kinds = np.stack([twins.sizes, twins.ends])
            colours = np.unique(kinds, axis=1, return_inverse=True)[1].ravel()
            tails, heads = (np.repeat(side, twins.times) for side in (twins.tails, twins.heads))
            speeds = np.bincount(twins.arc_of, self.speeds)  # of all channels of an arc together
            each: Floats = np.repeat(speeds / twins.times, twins.times)
            symmetries = _symmetries(tails, heads, each, colours)
            if symmetries is None:
                return None
            arcs = AutomorphismGroup(len(twins.sizes), symmetries, 1).pair_classes(
                twins.tails, twins.heads
            )
            return arcs[twins.arc_of]
        symmetries = self.symmetries()
        if symmetries is None:
            return None
        group = AutomorphismGroup(self.order, symmetries, 1)
        return group.pair_classes(self.tails, self.heads)

    def symmetries(self) -> tuple[IntArray, ...] | None:
        """Permutations of the switches that keep channels, speeds and numbers of endpoints.

        None when the search for them takes too long.
        """
        colours = np.unique(self.ends, return_inverse=True)[1]
        return _symmetries(self.tails, self.heads, self.speeds, colours)

    def _colours(self) -> IntArray:
        """Colour refinement: switches of one colour see the same colours around them."""
        colour = np.unique(self.ends, return_inverse=True)[1].astype(np.int64)
        generator = np.random.default_rng(0)
        for _ in range(_ROUNDS):
            marks = generator.random(int(colour.max()) + 1)
            around = np.bincount(self.tails, marks[colour[self.heads]], minlength=self.order)
            rows = np.stack([colour, np.round(around, 9)])
            finer = np.unique(rows, axis=1, return_inverse=True)[1].ravel().astype(np.int64)
            if finer.max() == colour.max():
                return finer
            colour = finer
        return colour

    def _worst_load(self, channel: int) -> float:
        """Most that a permutation of endpoints puts on one channel."""
        tails, heads, shares = self._shares(channel)
        each = int(self.ends.max())
        if not self._even:  # an assignment of endpoints, not of switches
            own, each = self.ends[self._sources], 1
            rows = np.repeat(np.arange(len(tails)), own[tails])
            shares = shares[np.ix_(rows, np.repeat(np.arange(len(heads)), own[heads]))]
        met = float(shares[_assigned(shares)].sum())
        return met * each * self.lines / float(self.speeds[channel])

    @cached_property
    def _even(self) -> bool:
        """Have all switches with endpoints the same number of them?"""
        return bool(np.ptp(self.ends[self._sources]) == 0)

    def _shares(self, channel: int) -> tuple[IntArray, IntArray, Floats]:
        """Switches from and to which a channel is used, by their place among those with endpoints;
        and the shares of their traffic."""
        from hopscape.metrics.throughput_kernels import channel_shares

        dist, paths = self._paths
        sources = self._sources
        shares = np.empty((len(sources), len(sources)))
        tail, head = int(self.tails[channel]), int(self.heads[channel])
        channel_shares(dist, paths, tail, head, sources, shares)
        busy, columns = np.flatnonzero(shares.any(axis=1)), np.flatnonzero(shares.any(axis=0))
        return busy, columns, shares[np.ix_(busy, columns)]

    def worst_permutation(self) -> IntArray:
        """Where each switch with endpoints sends when even splitting over shortest paths is worst.

        Looks at the same channels as :meth:`worst_minimal`.

        Examples:
            >>> import hopscape
            >>> graph = switch_graph(hopscape.build("concentrated(path(4), 1)"))
            >>> graph.worst_permutation()[:2].tolist()
            [2, 3]
        """
        count = len(self._sources)
        if count < 2 or not len(self.heads):
            return np.arange(count)
        tails, heads, shares = self._shares(max(self._kinds()[0], key=self._worst_load))
        rows, columns = _assigned(shares)
        to = np.full(count, -1)
        to[tails[rows]] = heads[columns]
        to[to < 0] = np.setdiff1d(np.arange(count), heads[columns])
        return to

    def guaranteed(self) -> Measured[float | None]:
        """What every permutation gets under the better of minimal and Valiant's routing.

        A lower bound where Valiant's is known and minimal routing may be better.

        Examples:
            >>> import hopscape
            >>> found = switch_graph(hopscape.build("concentrated(complete(5), 4)")).guaranteed()
            >>> round(found.value, 4), found.note
            (0.625, "Valiant's routing")
        """
        valiant = self.valiant()
        minimal = self.worst_minimal(valiant)
        if minimal.exact and minimal.value is not None and minimal.value >= valiant:
            return replace(minimal, note=f"minimal routing, {minimal.note}")
        most = self.bound().value if minimal.high is None else minimal.high
        if most > valiant:
            note = "Valiant's routing; minimal routing may do better"
            return Measured(valiant, "bound", note, low=valiant, high=most)
        return Measured(valiant, "exact", "Valiant's routing")

    # -- what no routing beats ----------------------------------------------------------------

    def farthest_permutation(self) -> IntArray:
        """Where each switch with endpoints sends in a permutation of the greatest total distance.

        By an assignment; beyond 1,400 switches to the one half way round the list, which is a
        permutation too.
        """
        from scipy.optimize import linear_sum_assignment

        count = len(self._sources)
        if count > _MATCHED or self.order > _PATHS_ORDER:
            return (np.arange(count) + count // 2) % count
        dist = self._paths[0][np.ix_(self._sources, self._sources)]
        permutation: IntArray = linear_sum_assignment(dist, maximize=True)[1]
        return permutation

    def bound(self) -> Measured[float]:
        """Throughput that no routing exceeds on a permutation of far switches.

        Capacity over distance (the throughput upper bound of Namyar and others, 2021), and what
        the channels of one switch let out.

        Examples:
            >>> import hopscape
            >>> switch_graph(hopscape.build("concentrated(ring(8), 1)")).bound().value
            0.5
        """
        if self.endpoints < 2 or len(self._sources) < 2:
            return Measured.at_most(1.0)
        out = np.bincount(self.tails, self.speeds, minlength=self.order)[self._sources]
        ends = self.ends[self._sources]
        need = np.minimum(ends, self.endpoints - ends) * self.lines  # what may leave a switch
        bounds = [float((out / need).min())]
        if self.order <= _PATHS_ORDER:
            to = self._sources[self.farthest_permutation()]
            hops = float((ends * self.lines * self._paths[0][self._sources, to]).sum())
            if hops > 0 and self._even:
                bounds.append(float(self.speeds.sum()) / hops)
        return Measured.at_most(min(1.0, *bounds), "distance of a far permutation")

    def optimum(self) -> Measured[float]:
        """Best that any routing does on the far permutation.

        By a linear program, or between two bounds where that is too large
        (:func:`hopscape.metrics.concurrent.optimal_share`).

        Examples:
            >>> import hopscape
            >>> switch_graph(hopscape.build("concentrated(ring(8), 1)")).optimum().value
            0.5
        """
        if len(self._sources) < 2:
            return Measured(1.0, "exact")
        to = self._sources[self.farthest_permutation()]
        demand = np.zeros((self.order, self.order))
        demand[self._sources, to] = np.minimum(self.ends[self._sources], self.ends[to]) * self.lines
        np.fill_diagonal(demand, 0.0)
        return optimal_share(self, demand).mapped(lambda share: min(1.0, share))


def _symmetries(
    tails: IntArray, heads: IntArray, speeds: Floats, colours: IntArray
) -> tuple[IntArray, ...] | None:
    """Permutations of nodes that keep channels, their speeds and colours; None: too long."""
    from hopscape.algebra.groups import coloured_group

    order = len(colours)
    pairs, where = np.unique(tails * order + heads, return_inverse=True)
    between = np.bincount(where.ravel(), speeds)
    try:
        group = coloured_group("the machine", tails, heads, colours.astype(np.int64), _GROUP_WORK)
    except TooLargeError:
        return None
    if not np.ptp(between):
        return tuple(group.generators)
    keeping = []
    first, second = np.divmod(pairs, order)
    for g in group.generators:
        moving = g != np.arange(order)
        places = np.flatnonzero(moving[first] | moving[second])
        moved = g[first[places]] * order + g[second[places]]
        if np.array_equal(between[np.searchsorted(pairs, moved)], between[places]):
            keeping.append(g)
    return tuple(keeping)


def _assigned(shares: Floats) -> tuple[IntArray, IntArray]:
    """Rows and columns of the assignment of the greatest sum."""
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(shares, maximize=True)
    return rows, columns


def switch_graph(network: Network) -> SwitchGraph:
    """The switches of a network and their endpoints.

    Where all lines of every endpoint lead to one switch, the endpoints become numbers; where they
    lead to several, the endpoints stay as nodes with one endpoint each; a network without switches
    has one endpoint at every node.

    Examples:
        >>> import hopscape
        >>> graph = switch_graph(hopscape.build("fat_tree(4)"))
        >>> graph.order, graph.ends.tolist()[:9], graph.lines
        (20, [2, 2, 2, 2, 2, 2, 2, 2, 0], 1)
    """
    indptr, heads = network.indptr.astype(np.int64), network.heads.astype(np.int64)
    speeds = np.asarray(network.capacities(), dtype=float)
    ones = np.ones(network.order, dtype=np.int64)
    if not network.has_switches:
        return SwitchGraph(indptr, heads, speeds, ones, name=network.spec)
    ends = network.endpoints.astype(np.int64)
    is_end = np.zeros(network.order, dtype=bool)
    is_end[ends] = True
    lines = network.degrees[ends]
    if not len(ends) or lines.min() != lines.max() or lines.min() < 1:
        raise ArgumentError(f"the endpoints of {network.spec} have different numbers of lines")
    owner = heads[indptr[ends]]
    tails = network.tails.astype(np.int64)
    belongs = np.zeros(network.order, dtype=np.int64)
    belongs[ends] = owner
    outgoing = is_end[tails]
    single = bool((heads[outgoing] == belongs[tails[outgoing]]).all())
    each = int(lines[0])
    if not single or is_end[owner].any():
        return SwitchGraph(indptr, heads, speeds, is_end.astype(np.int64), each, network.spec, True)
    number = np.cumsum(~is_end) - 1
    inner = ~is_end[tails] & ~is_end[heads]
    count = int((~is_end).sum())
    counts = np.bincount(number[tails[inner]], minlength=count)
    return SwitchGraph(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        number[heads[inner]],
        speeds[inner],
        np.bincount(number[owner], minlength=count).astype(np.int64),
        each,
        network.spec,
    )


def throughput_limit(graph: SwitchGraph) -> Measured[float]:
    """Throughput that no routing exceeds under its worst permutation.

    The least of capacity over distance, of what the ports of a switch let out
    (:meth:`~hopscape.metrics.throughput.SwitchGraph.bound`), and of what crosses a cut.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> throughput_limit(switch_graph(hopscape.build("concentrated(path(8), 1)"))).value
        0.25
    """
    hops, cut = graph.bound(), cut_bound(graph)
    return min(hops, cut, key=lambda found: found.value)


def cut_bound(graph: SwitchGraph) -> Measured[float]:
    """Capacity of a cut over the endpoints on its smaller side, the least of many cuts.

    Some permutation sends all of these across. The cuts are those before every switch in the order
    of numbers and along a narrow band (reverse Cuthill-McKee); each is a proved bound.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> cut_bound(switch_graph(hopscape.build("concentrated(ring(8), 1)"))).value
        0.5
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    if graph.endpoints < 2 or not len(graph.heads):
        return Measured.at_most(1.0, "one switch")
    ones = np.ones(len(graph.heads), dtype=np.int8)
    matrix = csr_array((ones, graph.heads, graph.indptr), shape=(graph.order, graph.order))
    best = 1.0
    for order in (np.arange(graph.order), reverse_cuthill_mckee(matrix, symmetric_mode=True)):
        place = np.empty(graph.order, dtype=np.int64)
        place[order] = np.arange(graph.order)
        first, last = place[graph.tails], place[graph.heads]
        across = first < last
        change = np.bincount(first[across], graph.speeds[across], minlength=graph.order + 1)
        change -= np.bincount(last[across], graph.speeds[across], minlength=graph.order + 1)
        capacity = np.cumsum(change)[: graph.order]
        before = np.cumsum(graph.ends[order])
        fewer = np.minimum(before, graph.endpoints - before) * graph.lines
        there = fewer > 0
        if there.any():
            best = min(best, float((capacity[there] / fewer[there]).min()))
    return Measured.at_most(best, "capacity of a cut")


def rational_loads(graph: Channels) -> list[Fraction]:
    """Loads of all channels when every two endpoints send 1, split evenly, as fractions."""
    loads = [Fraction(0)] * len(graph.heads)
    before: list[list[int]] = [[] for _ in range(graph.order)]
    for channel, head in enumerate(graph.heads.tolist()):
        before[head].append(channel)
    tails = graph.tails.tolist()
    for target in np.flatnonzero(graph.ends).tolist():
        distance, paths, queue = {target: 0}, {target: 1}, [target]
        steps: list[tuple[int, int, int]] = []
        for node in queue:
            for channel in before[node]:
                tail = tails[channel]
                if tail not in distance:
                    distance[tail], paths[tail] = distance[node] + 1, 0
                    queue.append(tail)
                if distance[tail] == distance[node] + 1:
                    paths[tail] += paths[node]
                    steps.append((tail, channel, node))
        flow = {v: Fraction(int(graph.ends[v]) * int(graph.ends[target])) for v in queue}
        steps.sort(key=lambda step: -distance[step[0]])
        for tail, channel, node in steps:
            part = flow[tail] * paths[node] / paths[tail]
            loads[channel] += part
            flow[node] += part
    return loads
