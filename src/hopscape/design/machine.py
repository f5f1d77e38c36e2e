"""A switched machine, switch by switch, and its figures: parts, cost, power, throughput."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import HopscapeError, TooLargeError
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.design.bill import priced, rack_watts
from hopscape.design.floorplan import FloorPlan
from hopscape.design.prices import PriceList
from hopscape.families.concentrated import numbered
from hopscape.metrics.throughput import SwitchGraph, throughput_limit
from hopscape.registry import build

__all__ = [
    "Machine",
    "RoutedShares",
    "deep_figures",
    "machine_figures",
    "optimal_figures",
    "routed_shares",
    "tables_throughput",
]


@dataclass(frozen=True)
class Machine:
    """A plane of switches with endpoints, and how often it is there.

    Attributes:
        graph: One plane, each link once, whatever its trunk.
        trunk: Cables for every link between switches.
        planes: Copies of the plane that share the endpoints.
        full: The plane with all its endpoints, where some ports of this one are spare. Whatever
            a routing guarantees there holds here: a permutation of some endpoints is part of one of
            all.
        rails: Copies of all this, each with its own endpoints: what is said of endpoints, switches
            and ports is said of one rail.
        island: Endpoints that a fast switch of their own joins, spread over the rails.
        speed: What a channel of that switch carries.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> network = hopscape.build("concentrated(complete(5), 4)")
        >>> machine = Machine(switch_graph(network), planes=2)
        >>> machine.endpoints, machine.switches, machine.radix_used, machine.nics
        (20, 10, 8, 2)
    """

    graph: SwitchGraph
    trunk: int = 1
    planes: int = 1
    full: SwitchGraph | None = None
    rails: int = 1
    island: int = 1
    speed: float = math.inf

    @property
    def endpoints(self) -> int:
        return self.graph.endpoints

    @property
    def switches(self) -> int:
        """Boxes that forward, endpoints that stay in the graph not counted."""
        return self.planes * int(self.boxes.sum())

    def uniform_share(self, share: float) -> float:
        """Share of uniform traffic between all endpoints, when a rail carries this of its own.

        What stays in an island does not load the rails; what leaves it is taken to the
        destination's rail by the island's switch first.

        Examples:
            >>> import hopscape
            >>> from hopscape.metrics.throughput import switch_graph
            >>> network = hopscape.build("concentrated(complete(5), 4)")
            >>> Machine(switch_graph(network), rails=2, island=4, speed=9).uniform_share(0.5)
            0.513158
        """
        if self.rails == 1:
            return share
        ends, rails, island = self.endpoints * self.rails, self.rails, self.island
        out = (ends - island) / (ends - 1)
        inside = (island - 1) / (ends - 1) + out * (rails - 1) / rails
        return _round(min(1.0, share * (ends - 1) / (ends - rails), self.speed / inside))

    def worst_share(self, share: float) -> float:
        """Share of any permutation, spread over all rails at both ends."""
        if self.rails == 1:
            return share
        return _round(min(share, self.speed * self.rails / (2 * (self.rails - 1))))

    @property
    def boxes(self) -> IntArray:
        """bool[...]: which nodes of the graph are switches."""
        return np.asarray(~self.graph.hosts)

    @property
    def nics(self) -> int:
        """Lines of an endpoint into all planes."""
        return self.graph.lines * self.planes

    @property
    def ports(self) -> IntArray:
        """Ports that each switch of a plane uses, its lines to endpoints included."""
        lines = np.where(self.boxes, self.graph.ends * self.graph.lines, 0)
        return np.diff(self.graph.indptr) * self.trunk + lines

    @property
    def radix_used(self) -> int:
        return int(self.ports[self.boxes].max(initial=0))

    @cached_property
    def flow(self) -> SwitchGraph:
        """One plane with the trunks as speeds: what its throughput is computed of."""
        return self.graph.scaled(self.trunk)

    @cached_property
    def full_flow(self) -> SwitchGraph | None:
        """The same with all its endpoints, where some of its ports are spare."""
        return None if self.full is None else self.full.scaled(self.trunk)


_ROUTER_PAIRS = 60_000
_FULL_PAIRS = 20_000


def machine_figures(
    machine: Machine,
    network: Network,
    prices: PriceList,
    plan: FloorPlan | None = None,
    *,
    spec: str = "",
    routing: str | None = None,
    deep: bool = True,
) -> dict[str, Measured[Any]]:
    """All figures of a machine, by column.

    Args:
        network: The same machine, node by node: what is placed, priced and handed over.
        spec: The member whose own minimal router is asked, where it has one.
        routing: That the shares must hold for; the better of the minimal and of Valiant's for
            each when left out.
        deep: With what takes the paths between all switches, see :func:`deep_figures`.
    """
    placed, bill = priced(network, plan, prices)
    graph = machine.flow
    uniform = graph.uniform()
    fraction = graph.fraction()
    share = fraction if fraction is not None else _round(uniform.throughput)
    even: Measured[Any] = Measured(share, "exact", "even splitting over shortest paths")
    minimal = router_throughput(machine, spec, _FULL_PAIRS if share == 1 else _ROUTER_PAIRS)
    best = even
    if minimal.value is not None and float(minimal.value) > float(even.value):
        best = minimal
    shares = routed_shares(graph, routing, best, full=machine.full_flow)
    best = shares.uniform.mapped(machine.uniform_share)
    worst = shares.worst.mapped(machine.worst_share)
    ends, copies = machine.endpoints * machine.rails, machine.rails
    delivered = ends * machine.nics * prices.rate
    return {
        "endpoints": Measured(ends, "closed form"),
        "switches": Measured(machine.switches * copies, "closed form"),
        "radix_used": Measured(machine.radix_used, "closed form"),
        "planes": Measured(machine.planes, "closed form"),
        "spare_ports": Measured(copies * _spare_ports(machine, prices), "closed form"),
        "cables_copper": Measured(bill.pieces("copper"), "exact"),
        "cables_optical": Measured(bill.pieces("optical"), "exact"),
        "cables": Measured(bill.pieces("copper") + bill.pieces("optical"), "exact"),
        "cable": Measured(round(bill.metres, 3), "exact"),
        "watts_per_rack": Measured(rack_watts(network, placed, prices), "exact", placed.words),
        **(deep_figures(machine) if deep else dict.fromkeys(_DEEP, _NOT_LOOKED_AT)),
        "money": Measured(bill.cost, "exact", f"{prices.currency}, {prices.name}"),
        "cost_per_endpoint": Measured(round(bill.cost / ends, 2), "exact"),
        "watts_per_endpoint": Measured(round(bill.watts / ends, 3), "exact"),
        "line_throughput": best,
        "throughput_even": even,
        "throughput_minimal": minimal,
        "guaranteed_throughput": worst,
        "uniform_routing": Measured(shares.uniform_routing, "exact"),
        "guaranteed_routing": Measured(shares.worst_routing, "exact"),
        "cost_per_rate": Measured(_per(bill.cost, delivered, float(best.value)), "exact"),
        "cost_per_worst_rate": worst.mapped(
            lambda share: _per(bill.cost, delivered, share), falling=True
        ),
        "hops": Measured(_round(uniform.hops * _leaving(machine)), "exact"),
    }


_DEEP = ("far", "throughput_limit")
_NOT_LOOKED_AT: Measured[Any] = Measured(
    None, "unknown", "of large machines only the few that are shown first are looked at"
)


def deep_figures(machine: Machine) -> dict[str, Measured[Any]]:
    """Figures by the paths between all switches: seconds for machines of a thousand."""
    limit = throughput_limit(machine.flow).mapped(machine.worst_share).mapped(_round)
    return dict(zip(_DEEP, (machine.flow.farthest(), limit), strict=True))


def _leaving(machine: Machine) -> float:
    """Of a rail's uniform traffic between all its endpoints, what leaves the islands."""
    if machine.rails == 1:
        return 1.0
    ends = machine.endpoints * machine.rails
    return (ends - machine.island) / (ends - 1)


class RoutedShares(NamedTuple):
    """Shares of the line rate under uniform traffic and any permutation, each with its routing."""

    uniform: Measured[Any]
    uniform_routing: str
    worst: Measured[Any]
    worst_routing: str


_QUICK_ORBITS = 4_000
"""Orbits up to which the best split is computed for every machine of a ranking: a second."""


def routed_shares(
    graph: SwitchGraph,
    routing: str | None,
    minimal: Measured[Any],
    most: int = _QUICK_ORBITS,
    full: SwitchGraph | None = None,
) -> RoutedShares:
    """What a routing gives, or the better of the minimal and of Valiant's for each traffic.

    Args:
        minimal: Share of uniform traffic on shortest paths.
        most: Orbits up to which the best split is computed.
        full: The machine with all its endpoints, where some ports are spare.
    """
    if full is not None:
        return _populated_shares(graph, routing, minimal, most, full)
    if routing == "minimal":
        worst = graph.worst_minimal()
        if not worst.exact:
            worst = Measured(None, "unknown", f"not proved for minimal routing: {worst.note}")
        return RoutedShares(minimal, "minimal", worst.mapped(_round), "minimal")
    if routing == "valiant":
        share = Measured(_round(graph.valiant()), "exact", "Valiant's routing")
        return RoutedShares(share, "Valiant", share, "Valiant")
    if routing == "adaptive":
        note = "no share is proved of adaptive routing; --simulate measures it"
        return RoutedShares(minimal, "minimal", Measured(None, "unknown", note), "adaptive")
    worst = graph.guaranteed()
    name = "minimal" if worst.note.startswith("minimal") else "Valiant"
    if routing == "optimal":
        return _optimal_shares(graph, most, RoutedShares(minimal, "minimal", worst, name))
    return RoutedShares(minimal, "minimal", worst.mapped(_round), name)


def _populated_shares(
    graph: SwitchGraph,
    routing: str | None,
    minimal: Measured[Any],
    most: int,
    full: SwitchGraph,
) -> RoutedShares:
    """Shares of a machine with spare ports: at least what the full one guarantees."""
    shares = routed_shares(full, routing, minimal, most)
    worst = shares.worst
    valiant = _round(graph.valiant())
    if routing == "valiant":
        share = Measured(valiant, "exact", "Valiant's routing")
        return RoutedShares(share, "Valiant", share, "Valiant")
    if worst.value is not None:
        value = float(worst.value)
        note = f"{worst.note}; as with all ports in use"
        if value < 1 - 1e-9:
            worst = Measured(value, "bound", note, low=value, high=1.0)
        name = shares.worst_routing
        if routing is None and valiant > value:
            note, name = "Valiant's routing; minimal routing may do better", "Valiant"
            worst = Measured(valiant, "bound", note, low=valiant, high=1.0)
        shares = shares._replace(worst=worst, worst_routing=name)
    return shares


def _optimal_shares(graph: SwitchGraph, most: int, other: RoutedShares) -> RoutedShares:
    """The best split over paths; the better of the other routings where that is too large."""
    from hopscape.metrics.oblivious import optimal_oblivious

    worst = other.worst
    if worst.exact and float(worst.value) >= 1 - 1e-9:  # nothing is better than the line rate
        return other._replace(worst=worst.mapped(_round))
    try:
        routing = optimal_oblivious(graph, most)
    except TooLargeError as error:
        note = f"{worst.note}; the best split was not computed: {error}"
        return other._replace(worst=replace(worst, note=note).mapped(_round))
    share = Measured(_round(routing.uniform), "exact", "the best split over paths")
    return RoutedShares(share, "optimal", routing.share.mapped(_round), "optimal")


def optimal_figures(
    machine: Machine, figures: Mapping[str, Measured[Any]]
) -> dict[str, Measured[Any]]:
    """Shares under the best split over paths, for a machine that is worth some seconds."""
    from hopscape.metrics.oblivious import MOST_ORBITS

    names = ("line_throughput", "uniform_routing", "guaranteed_throughput", "guaranteed_routing")
    if machine.rails > 1:
        return {}
    known = [figures[name] for name in names]
    other = RoutedShares(known[0], str(known[1].value), known[2], str(known[3].value))
    shares = _optimal_shares(machine.flow, MOST_ORBITS, other)
    texts = [Measured(text, "exact") for text in (shares.uniform_routing, shares.worst_routing)]
    return dict(zip(names, (shares.uniform, texts[0], shares.worst, texts[1]), strict=True))


_TABLE_ORDER = 2100
_ALL_CHANNELS, _MANY_CHANNELS = 400, 200


def tables_throughput(network: Network) -> Measured[Any]:
    """Share of the line rate of any permutation under the tables of the hand-over.

    They have one path for each destination.

    Examples:
        >>> tables_throughput(build("concentrated(complete(5), 4)")).value
        0.25
    """
    from hopscape.metrics.routes import all_routes

    if network.order > _TABLE_ORDER:
        note = f"no tables are handed over beyond {_TABLE_ORDER:,} nodes"
        return Measured(None, "unknown", note)
    if np.ptp(network.capacities()):
        return Measured(None, "unknown", "is known for channels of capacity 1 only")
    try:
        routes = all_routes(network)
    except HopscapeError as error:
        return Measured(None, "unknown", str(error))
    every = network.order <= _ALL_CHANNELS
    lines = int(network.degrees[network.endpoints].min(initial=1))
    met = routes.worst_permutation(None if every else _MANY_CHANNELS) * lines
    share = _round(min(1.0, 1 / met)) if met else 1.0
    note = f"one path for each destination, {routes.name}"
    return Measured(share, "exact", note) if every else Measured.at_most(share, note)


def _round(x: float) -> float:
    return round(float(x), 6)


def _spare_ports(machine: Machine, prices: PriceList) -> int:
    """Ports of the switches bought that nothing is plugged into."""
    used, pieces = np.unique(machine.ports[machine.boxes], return_counts=True)
    spare = [prices.switch(int(ports)).size - ports for ports in used.tolist()]
    return machine.planes * int(np.dot(spare, pieces))


def _per(cost: float, delivered: float, share: float | None) -> float | None:
    """Cost of a Gb/s that arrives."""
    return round(cost / (delivered * share), 4) if share else None


def _in_place_of(network: Network, graph: SwitchGraph) -> Floats:
    """How many endpoints of a machine stand in the place of each of a member's.

    The first ones of every switch where it has fewer than the member.
    """
    ends = network.endpoints.astype(np.int64)
    if graph.order == network.order:  # each is a switch, or stays in the graph
        return graph.ends[ends].astype(float)
    owner = network.heads[network.indptr[ends]].astype(np.int64)
    switches = np.setdiff1d(np.arange(network.order), ends)
    there = graph.ends[np.searchsorted(switches, np.unique(owner))]
    which, counts = np.unique(owner, return_inverse=True, return_counts=True)[1:]
    which = which.ravel()
    more = there[which] > counts[which]
    first = numbered(which, len(counts)) < there[which]
    return np.where(more, there[which] / counts[which], first)


def router_throughput(machine: Machine, spec: str, pairs: int = _ROUTER_PAIRS) -> Measured[Any]:
    """Uniform throughput by the member's own minimal router, as far as it can be asked."""
    from hopscape.metrics.load import channel_load, switch_load
    from hopscape.metrics.routes import closed_router

    if not spec:
        return Measured(None, "unknown", "no router was asked")
    network, graph = build(spec), machine.graph
    own = network.endpoint_count
    edge = int((graph.ends > 0).sum())
    if edge * own > pairs:
        return Measured(None, "unknown", f"routers are asked up to {pairs} pairs")
    router = closed_router(network)
    if router is None:
        return Measured(None, "unknown", "the family has no minimal router of its own")
    weights = _in_place_of(network, graph)
    if np.ptp(weights):
        load = switch_load(network, router, weights=weights)
    else:
        each = machine.endpoints / max(1, own)  # endpoints in the place of one
        if network.has_switches:
            load = switch_load(network, router, lines=graph.order == network.order)
        else:
            load = channel_load(network, router).largest
        load *= each * each * (own - 1) / max(1, machine.endpoints - 1)
    load *= machine.graph.lines / machine.trunk
    value = min(1.0, 1 / load) if load > 0 else 1.0
    return Measured(_round(value), "exact", f"the {router.name} router")
