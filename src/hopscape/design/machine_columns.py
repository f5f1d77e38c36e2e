"""Columns about machines: endpoints and ports, routes, deadlock, faults, cables, growth.

Virtual channels that the routes of a design need, each answer with its certificate.

The search is that of :func:`hopscape.deadlock.find_classes`, so that a design, its files and the
deadlock command say the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import Any

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.measured import How, Measured
from hopscape.core.network import Network
from hopscape.core.router import SearchRouter
from hopscape.deadlock.classes import Certificate, Classes, find_classes
from hopscape.deadlock.one_lane import cyclic_channels
from hopscape.deadlock.routes import table_of
from hopscape.design.conditions import ROUTES_ORDER, Measure, given, if_connected
from hopscape.design.effort import BETWEEN, CABLES, FAULTS, LANES, ROUTES, WORST, routes_wanted
from hopscape.design.floorplan import RackLayout, place
from hopscape.metrics.columns import HOPS, LOADS_ASIDE, Column, Evaluation
from hopscape.metrics.disjoint import random_faults
from hopscape.metrics.distances import distance_profile
from hopscape.metrics.effort import SHAPE, WIRING
from hopscape.metrics.routes import CHANNELS_LOOKED_AT, Routes, all_routes, closed_router

__all__ = ["MACHINE_COLUMNS", "Lanes", "find_lanes", "routes_of", "virtual_channels"]

_ROUTED = (WIRING, ROUTES)
_BETWEEN = (BETWEEN,)


def routes_of(evaluation: Evaluation) -> Routes:
    """All routes, computed once for all columns."""
    routes: Routes = evaluation.share(
        "routes", lambda: all_routes(evaluation.network, routes_wanted(evaluation))
    )
    return routes


def _placement(evaluation: Evaluation) -> RackLayout:
    layout: RackLayout = evaluation.share(
        "placement", lambda: place(evaluation.network, given(evaluation).plan)
    )
    return layout


def _by_routes(measure: Measure) -> Measure:
    """A measure of networks whose routes are followed, and can be."""

    @wraps(measure)
    def bounded(evaluation: Evaluation) -> Measured[Any]:
        most = given(evaluation).routes_order
        if evaluation.network.order > most and not evaluation.exact:
            return Measured(None, "unknown", f"not computed beyond {most} nodes; --exact does")
        return measure(evaluation)

    return if_connected(bounded)


# -- size and distance ----------------------------------------------------------------------------


def _endpoints(evaluation: Evaluation) -> Measured[int]:
    net = evaluation.network
    each = 1 if net.has_switches else given(evaluation).endpoints
    return Measured(net.endpoint_count * each, "closed form")


def _ports(evaluation: Evaluation) -> Measured[int]:
    each = given(evaluation).endpoints
    extra = 0 if evaluation.network.has_switches or each == 1 else each
    degree = evaluation.figure("degree")
    return degree.mapped(lambda x: x + extra)


def _between(evaluation: Evaluation) -> tuple[Measured[float | None], Measured[int | None]]:
    """Mean and largest number of links between the routers of two endpoints."""
    net = evaluation.network
    if not net.has_switches:
        share = _share_apart(net.order, given(evaluation).endpoints)
        mean = evaluation.figure("mean_distance").mapped(lambda x: float(x) * share)
        return mean, evaluation.figure("diameter")
    profile = evaluation.share("between", lambda: distance_profile(net, endpoints=True))
    if profile.mean is None or profile.diameter is None:
        why = "not connected" if not profile.connected else "no two endpoints"
        apart: Measured[Any] = Measured(None, profile.how, why)
        return apart, apart
    far = Measured(profile.diameter - 2, profile.how)
    if not far.exact:
        far = Measured.at_least(far.value, how=far.how)
    return Measured(float(profile.mean) - 2, profile.how), far


def _share_apart(routers: int, each: int) -> float:
    """Share of the pairs of endpoints that are at different routers."""
    return (routers - 1) * each / (routers * each - 1) if routers * each > 1 else 1.0


def _diameter_gap(evaluation: Evaluation) -> Measured[int | None]:
    hops, least = evaluation.figure("diameter"), evaluation.figure("moore_diameter")
    if hops.value is None or least.value is None:
        return Measured(None, hops.how, hops.note)
    return hops.mapped(lambda x: x - least.value)


def _routers(evaluation: Evaluation) -> Measured[int]:
    net = evaluation.network
    return Measured(net.order - (net.endpoint_count if net.has_switches else 0), "closed form")


def _hops(evaluation: Evaluation) -> Measured[float | None]:
    return _between(evaluation)[0].mapped(lambda x: round(x, 6))


def _largest_hops(evaluation: Evaluation) -> Measured[int | None]:
    return _between(evaluation)[1]


# -- routes ---------------------------------------------------------------------------------------


def _scale(evaluation: Evaluation) -> float:
    """What a router's endpoints send to other routers, in units of one endpoint."""
    net, each = evaluation.network, given(evaluation).endpoints
    return 1.0 if net.has_switches else each * _share_apart(net.order, each)


@_by_routes
def _throughput(evaluation: Evaluation) -> Measured[float | None]:
    load = _busiest(evaluation)
    if not load.value:
        return Measured(None, load.how, load.note)
    if _varied(evaluation):
        routes = routes_of(evaluation)
        if not routes.whole:
            return Measured(None, "unknown", "needs the routes to all destinations for capacities")
        most = float((routes.loads / evaluation.network.capacities()).max())
        ends = evaluation.network.endpoint_count
        return Measured(round((ends - 1) / (most * _scale(evaluation)), 6), "exact", routes.name)
    return load.mapped(lambda x: round(1 / x, 6), falling=True)


def _varied(evaluation: Evaluation) -> bool:
    """Are there channels of other capacity than 1?"""
    return bool(evaluation.network.unheeded("", "capacity"))


def _busiest(evaluation: Evaluation) -> Measured[float | None]:
    """Load of the busiest channel when every endpoint sends 1 evenly."""
    routes = routes_of(evaluation)
    load = routes.uniform_load() * _scale(evaluation)
    if routes.whole:
        return Measured(load, "exact", routes.name)
    description = f"{routes.name}, {len(routes.targets)} destinations"
    if routes.even:
        return Measured(load, "sampled", f"{description}, the same for each of them")
    note = f"{description}: the mean of the busiest port, single channels may carry more"
    return Measured.at_least(load, note)


@_by_routes
def _load(evaluation: Evaluation) -> Measured[float | None]:
    return _busiest(evaluation).mapped(lambda x: round(x, 6))


@_by_routes
def _route_hops(evaluation: Evaluation) -> Measured[float | None]:
    routes, net = routes_of(evaluation), evaluation.network
    if net.has_switches and net.endpoint_count < 2:
        return Measured(None, "exact", "no two endpoints")
    mean = routes.mean
    between = (
        mean - 2
        if net.has_switches
        else mean * _share_apart(net.order, given(evaluation).endpoints)
    )
    how: How = "exact" if routes.whole else "sampled"
    return Measured(round(between, 6), how, routes.name)


def _bound_throughput(evaluation: Evaluation) -> Measured[float | None]:
    """Channels over hops: what no routing can exceed under uniform traffic."""
    mean, _ = _between(evaluation)
    net = evaluation.network
    if not mean.value:
        return Measured(None, mean.how, mean.note)
    ends = _endpoints(evaluation).value
    inner = (
        _inner_capacity(net)
        if _varied(evaluation)
        else net.channels - (2 * ends if net.has_switches else 0)
    )
    return mean.mapped(lambda x: round(inner / (x * ends), 6), falling=True)


def _inner_capacity(net: Network) -> float:
    """What the channels carry together, without the lines of endpoints where there are switches."""
    if not net.has_switches:
        return float(net.capacities().sum())
    switch = np.ones(net.order, dtype=bool)
    switch[net.endpoints] = False
    return float(net.capacities()[switch[net.tails] & switch[net.heads]].sum())


@_by_routes
def _worst(evaluation: Evaluation) -> Measured[int | None]:
    routes = routes_of(evaluation)
    if not routes.whole:
        return Measured(None, "unknown", "needs the routes to all destinations")
    few = evaluation.network.order > ROUTES_ORDER
    most = None if evaluation.exact else CHANNELS_LOOKED_AT // 4 if few else CHANNELS_LOOKED_AT
    busiest: int = evaluation.share("worst", lambda: routes.worst_permutation(most))
    each = 1 if evaluation.network.has_switches else given(evaluation).endpoints
    if evaluation.exact:
        return Measured(busiest * each, "exact")
    return Measured.at_least(busiest * each, "from the busiest channels")


def _worst_throughput(evaluation: Evaluation) -> Measured[float | None]:
    if _varied(evaluation):
        return Measured(None, "unknown", "is known for channels of capacity 1 only")
    met = _worst(evaluation)
    if not met.value:
        return Measured(None, met.how, met.note)
    return met.mapped(lambda x: round(1 / x, 6), falling=True)


def _table_bytes(evaluation: Evaluation) -> Measured[int]:
    router = closed_router(evaluation.network)
    if router is None or isinstance(router, SearchRouter):
        return Measured(
            evaluation.network.order**2, "closed form", "one byte per node and destination"
        )
    return Measured(router.table_bytes, "closed form", router.name)


@_by_routes
def _lanes(evaluation: Evaluation) -> Measured[int | None]:

    def compute() -> Measured[int | None]:
        hops = evaluation.figure("diameter")
        return virtual_channels(routes_of(evaluation), hops.high)

    lanes: Measured[int | None] = evaluation.share("lanes", compute)
    return lanes


def _certified(evaluation: Evaluation) -> Measured[bool | None]:
    """Is the number of classes proved enough, by a checked graph or by counting turns?"""
    lanes = _lanes(evaluation)
    if lanes.value is None:
        return Measured(None, lanes.how, lanes.note)
    return Measured(lanes.high is not None and lanes.high <= lanes.value, "exact", lanes.note)


# -- faults ---------------------------------------------------------------------------------------


def _faulty(evaluation: Evaluation) -> Any:
    conditions = given(evaluation)
    count = (
        conditions.faults
        if conditions.faults is not None
        else max(1, evaluation.network.links // 100)
    )
    return evaluation.share(
        "faults", lambda: random_faults(evaluation.network, count, seed=conditions.seed)
    )


_NO_LINKS = Measured(None, "unknown", "there are no links to fail")


def _fault_pairs(evaluation: Evaluation) -> Measured[float] | Measured[None]:
    if not evaluation.network.links:
        return _NO_LINKS
    faulty = _faulty(evaluation)
    return Measured(
        round(faulty.pairs, 6), "sampled", f"{faulty.faults} links, {faulty.trials} trials"
    )


def _fault_stretch(evaluation: Evaluation) -> Measured[float | None] | Measured[None]:
    if not evaluation.network.links:
        return _NO_LINKS
    faulty = _faulty(evaluation)
    note = f"{faulty.faults} links, {faulty.trials} trials"
    return Measured(None if faulty.stretch is None else round(faulty.stretch, 6), "sampled", note)


# -- cables and growth ----------------------------------------------------------------------------


def _cable(evaluation: Evaluation) -> Measured[float]:
    placed = _placement(evaluation)
    return Measured(round(placed.total, 2), "exact", placed.words)


def _cable_longest(evaluation: Evaluation) -> Measured[float]:
    placed = _placement(evaluation)
    return Measured(round(placed.longest, 3), "exact", placed.words if placed.given else "")


def _growth(evaluation: Evaluation) -> Measured[int | None]:
    from hopscape.design.candidates import next_size

    step = next_size(evaluation.network)
    if step is None:
        return Measured(None, "closed form", "no larger member with these ports")
    return Measured(step - evaluation.network.endpoint_count, "closed form", f"next: {step}")


MACHINE_COLUMNS = (
    Column("routers", "routers", "switches; nodes that forward where there are none", _routers,
           better="less", stage=1, places={"which": 2}),
    Column("endpoints", "endpoints", "endpoints (nodes that are not switches)", _endpoints,
           stage=1,
           places={"design": 1, "machines": 1, "which": 1, "which machines": 1, "sweep": 1,
                   "refused": 1}, priority=4),
    Column("ports", "ports",
           "most ports that a node uses; in a direct machine its own endpoint is local and needs"
           " none",
           _ports, better="less", stage=1, places={"design": 2}, priority=13),
    Column("hops", "mean hops", "mean links between the routers of two endpoints", _hops,
           needs=_BETWEEN, unit="hops", better="less", stage=1,
           places={"design": 4, "machines": 11, "which": 4, "which machines": 10,
                   "refused": 4}, priority=1, aside=HOPS),
    Column("far", "most hops", "most links between the routers of two endpoints", _largest_hops,
           needs=_BETWEEN, unit="hops", better="less", stage=1, places={"design": 5}, priority=9,
           aside=HOPS),
    Column("diameter_gap", "diam. gap", "diameter less the Moore bound on the diameter",
           _diameter_gap, unit="hops", better="less", stage=1, aside=HOPS),
    Column("route_hops", "route hops",
           "mean links between the routers of two endpoints on the router's own ways", _route_hops,
           needs=_ROUTED, unit="hops", better="less", stage=2, aside=HOPS),
    Column("throughput", "throughput",
           "flits per endpoint and cycle under uniform traffic with the network's router, ideally",
           _throughput, needs=_ROUTED, unit="flits/cycle", better="more", stage=2,
           places={"design": 7, "which": 5, "refused": 5}, priority=2),
    Column("uniform_load", "load",
           "load of the busiest channel when every endpoint sends 1 evenly, with the network's"
           " router",
           _load, needs=_ROUTED, unit="flits/cycle", better="less", stage=2, aside=LOADS_ASIDE),
    Column("throughput_bound", "thr. bound",
           "channels over hops: the throughput that no routing exceeds under uniform traffic",
           _bound_throughput, needs=_BETWEEN, unit="flits/cycle", stage=1),
    Column("worst_permutation", "worst perm.",
           "most endpoints whose routes meet on one channel when each sends to another one", _worst,
           needs=(WIRING, SHAPE, ROUTES, WORST), better="less", stage=2,
           places={"design": 8, "which": 6}, priority=7,
           aside=("routes are counted", "capacity")),
    Column("worst_throughput", "worst thr.",
           "flits per endpoint and cycle under the worst permutation found, ideally",
           _worst_throughput, needs=(WIRING, SHAPE, ROUTES, WORST), unit="flits/cycle",
           better="more", stage=2),
    Column("table_bytes", "table bytes", "bytes of routing tables; 0 when table-free", _table_bytes,
           unit="B", better="less", stage=1, places={"design": 10, "which": 8}, priority=8),
    Column("vcs", "VCs",
           "classes of virtual channels with which the router is certified free of deadlock",
           _lanes, needs=(WIRING, ROUTES, LANES), better="less", stage=2,
           places={"design": 9, "which": 7},
           priority=3),
    Column("deadlock_certified", "certified",
           "is it proved that so many classes of virtual channels are enough? (see the note)",
           _certified, needs=(WIRING, ROUTES, LANES), stage=2),
    Column("fault_pairs", "pairs left",
           "share of endpoint pairs still joined after random link faults (seeded trials)",
           _fault_pairs, needs=(WIRING, FAULTS), better="more", stage=2),
    Column("fault_stretch", "stretch", "mean distance after random link faults over that before",
           _fault_stretch, needs=(WIRING, FAULTS), better="less", stage=2, aside=HOPS),
    Column("cable", "cable m", "metres of cable: as given, else on the floor plan", _cable,
           needs=(WIRING, CABLES),
           unit="m", better="less", stage=1, places={"design": 13, "which": 9}, priority=5),
    Column("cable_longest", "longest m", "metres of the longest cable", _cable_longest,
           needs=(WIRING, CABLES), unit="m", better="less", stage=1),
    Column("growth", "growth", "fewest endpoints by which the family grows, same ports", _growth,
           better="less", stage=2, places={"design": 14}, priority=12),
)  # fmt: skip


_RULES = {
    "single": "one class: the channel dependency graph has no cycle",
    "dateline": "entering a ring (the channels that one port number makes), a packet takes class 1"
    " if it will cross the ring's dateline before it leaves, else class 0; it keeps it in the ring",
    "layers": "a packet keeps the class layers[source][destination] all the way",
    "rising": "a packet starts in class 0; whenever it moved to a node of higher rank and next"
    " moves to one of lower rank, it takes the next class",
}
_HOW = {
    "single": "",
    "dateline": "datelines: ",
    "layers": "one class per pair: ",
    "rising": "class rises at down-up turns: ",
}
_SINGLE = "no cycle among channel dependencies"


@dataclass(frozen=True)
class Lanes:
    """A rule for the class of virtual channels that a packet uses, and its certificate."""

    rule: Classes
    proof: Certificate

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.rule.count

    def to_dict(self) -> dict[str, Any]:
        """The rule in words and numbers, for files."""
        rule = self.rule
        out: dict[str, Any] = {
            "method": rule.method,
            "classes": rule.count,
            "least": self.proof.least,
            "dependencies": self.proof.dependencies,
            "rule": _RULES[rule.method],
        }
        if rule.ranks is not None:
            out["ranks"] = rule.ranks.tolist()
        if rule.datelines is not None:
            out["datelines"] = np.flatnonzero(rule.datelines).tolist()
        if rule.method == "layers":
            numbers = np.array([s.bit_length() - 1 for s in rule.sets])
            out["layers"] = numbers[rule.layers].tolist()
        return out

    def words(self) -> str:
        """The certificate in a few words."""
        return f"{_HOW[self.rule.method]}{self.proof.dependencies} dependencies, no cycle"


def virtual_channels(routes: Routes, diameter: int | None = None) -> Measured[int | None]:
    """Classes of virtual channels with which these routes cannot deadlock, and why.

    Args:
        diameter: Of the network, if it is known: for routes of which only a sample is there.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.routes import all_routes
        >>> virtual_channels(all_routes(hopscape.build("hypercube(4)"))).value
        1
        >>> virtual_channels(all_routes(hopscape.build("torus(5, 5)"))).value
        2
        >>> virtual_channels(all_routes(hopscape.build("random_regular(40, 4)"))).value
        3
    """
    if not routes.whole:
        return _from_sample(routes, diameter)
    lanes = find_lanes(routes)
    if lanes is None:
        return Measured(None, "unknown", "more classes than are looked for")
    count, least = lanes.classes, lanes.proof.at_least
    if count == least:
        return Measured(count, "exact", lanes.words())
    return Measured(count, "bound", lanes.words(), least, count)


def _from_sample(routes: Routes, diameter: int | None) -> Measured[int | None]:
    """What is sure without all routes: a path of h hops has at most h // 2 down-up turns."""
    sure = None if diameter is None or not routes.exact else diameter // 2 + 1
    if cyclic_channels(routes) == 0 and sure != 1:
        note = f"{_SINGLE} of the ways to {len(routes.targets)} destinations"
        return Measured(
            1, "sampled", note + (f"; {sure} for certain" if sure else ""), 1, sure or None
        )
    if sure is None:
        return Measured(None, "unknown", "needs the routes to all destinations")
    words = f"class rises at down-up turns, at most {sure - 1} on {diameter} hops"
    return Measured(sure, "bound", words, 1, sure)


def find_lanes(routes: Routes) -> Lanes | None:
    """The rule with the fewest classes that is found for routes to all destinations.

    Returns:
        Lanes or None: None when too many classes would be needed.
    """
    try:
        _, rule, proof = find_classes(routes.network, table_of(routes), explain=False)
    except ArgumentError:
        return None
    return Lanes(rule, proof)
