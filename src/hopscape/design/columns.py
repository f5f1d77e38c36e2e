"""All columns of tables: those of the metrics, and those that need routes, schedules or a floor.

``hopscape compare``, ``hopscape design`` and ``hopscape explain`` share them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hopscape.collectives.bounds import lower_bounds
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.goal import Goal
from hopscape.core.measured import How, Measured
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.router import SearchRouter
from hopscape.design.floorplan import FloorPlan, Placement, place
from hopscape.metrics.columns import COLUMNS, Column, Subject
from hopscape.metrics.distances import distance_profile
from hopscape.metrics.faults import random_faults
from hopscape.metrics.routes import Routes, all_routes, closed_router

__all__ = ["ALL_COLUMNS", "Conditions", "routes_of", "subject"]

_ROUTES_ORDER = 2600
_SCHEDULE_ORDER = 1400
_SAMPLED_TARGETS = 64


@dataclass(frozen=True)
class Conditions:
    """What the figures depend on besides the network.

    Attributes
    ----------
    endpoints : int
        Endpoints at every router, for networks whose nodes are routers.
    plan : FloorPlan or None
        The usual room when None.
    faults : int or None
        Random links that fail; one in a hundred when None.
    message : float
        Bytes that all-gather and all-reduce are about.
    alpha : float
        Seconds to start a message.
    bandwidth : float
        Bytes per second of a channel.
    seed : int
        For random faults.
    routes_order : int
        Largest network whose routes are all followed.
    """

    endpoints: int = 1
    plan: FloorPlan | None = None
    faults: int | None = None
    message: float = 1e6
    alpha: float = 1e-6
    bandwidth: float = 25e9
    seed: int = 0
    routes_order: int = _ROUTES_ORDER

    def __post_init__(self) -> None:
        for name in ("message", "alpha", "bandwidth"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0) or (name == "bandwidth" and value == 0):
                raise ArgumentError(f"{name} is {value}; it must be a number above 0")
        if self.endpoints < 1:
            raise ArgumentError(f"endpoints is {self.endpoints}; it must be at least 1")
        if self.faults is not None and self.faults < 0:
            raise ArgumentError(f"faults is {self.faults}; it must be at least 0")


_USUAL = Conditions()


def _given(it: Subject) -> Conditions:
    return it.conditions if isinstance(it.conditions, Conditions) else _USUAL


def routes_of(it: Subject) -> Routes:
    """All routes, computed once for all columns."""
    large = it.network.order > _ROUTES_ORDER and not it.exact
    most = _SAMPLED_TARGETS if large else None
    found: Routes = it.share("routes", lambda: all_routes(it.network, most))
    return found


def _placement(it: Subject) -> Placement:
    found: Placement = it.share("placement", lambda: place(it.network, _given(it).plan))
    return found


def _beyond(it: Subject, most: int) -> Measured[Any] | None:
    if it.network.order > most and not it.exact:
        return Measured(None, "unknown", f"not computed beyond {most} nodes; --exact does")
    return None


# -- size and distance ----------------------------------------------------------------------------


def _endpoints(it: Subject) -> Measured[int]:
    net = it.network
    each = 1 if net.has_switches else _given(it).endpoints
    return Measured(net.endpoint_count * each, "closed form")


def _ports(it: Subject) -> Measured[int]:
    each = _given(it).endpoints
    extra = 0 if it.network.has_switches or each == 1 else each
    found = COLUMNS["degree"].measure(it)
    return Measured(found.value + extra, found.how)


def _between(it: Subject) -> tuple[float | None, int | None, How]:
    """Mean and largest number of links between the routers of two endpoints."""
    net = it.network
    if not net.has_switches:
        mean, far = COLUMNS["mean_distance"].measure(it), COLUMNS["diameter"].measure(it)
        if mean.value is None:
            return None, None, mean.how
        each = _given(it).endpoints
        share = _share_apart(net.order, each)
        return float(mean.value) * share, far.value, mean.how
    profile = it.share("between", lambda: distance_profile(net, endpoints=True))
    if profile.mean is None or profile.diameter is None:
        return None, None, profile.how
    return float(profile.mean) - 2, profile.diameter - 2, profile.how


def _share_apart(routers: int, each: int) -> float:
    """Share of the pairs of endpoints that are at different routers."""
    return (routers - 1) * each / (routers * each - 1) if routers * each > 1 else 1.0


def _hops(it: Subject) -> Measured[float | None]:
    mean, _, how = _between(it)
    return Measured(None if mean is None else round(mean, 6), how)


def _far(it: Subject) -> Measured[int | None]:
    _, far, how = _between(it)
    return Measured(far, how, "lower bound" if how == "sampled" else "")


# -- routes ---------------------------------------------------------------------------------------


def _scale(it: Subject) -> float:
    """What a router's endpoints send to other routers, in units of one endpoint."""
    net, each = it.network, _given(it).endpoints
    return 1.0 if net.has_switches else each * _share_apart(net.order, each)


def _throughput(it: Subject) -> Measured[float | None]:
    known = _beyond(it, _given(it).routes_order)
    if known is not None:
        return known
    try:
        load = routes_of(it).uniform_load() * _scale(it)
    except DisconnectedError:
        return Measured(None, "exact", "not connected")
    how: How = "exact" if routes_of(it).whole else "sampled"
    return Measured(round(1 / load, 6) if load > 0 else None, how, routes_of(it).name)


def _route_hops(it: Subject) -> Measured[float | None]:
    known = _beyond(it, _given(it).routes_order)
    if known is not None:
        return known
    try:
        routes = routes_of(it)
        mean = routes.mean
    except DisconnectedError:
        return Measured(None, "exact", "not connected")
    net = it.network
    between = mean - 2 if net.has_switches else mean * _share_apart(net.order, _given(it).endpoints)
    how: How = "exact" if routes.whole else "sampled"
    return Measured(round(between, 6), how, routes.name)


def _bound_throughput(it: Subject) -> Measured[float | None]:
    """Channels over hops: what no routing can exceed under uniform traffic."""
    mean, _, how = _between(it)
    net = it.network
    if not mean:
        return Measured(None, how)
    ends = _endpoints(it).value
    inner = net.channels - (2 * ends if net.has_switches else 0)
    return Measured(round(inner / (mean * ends), 6), how)


def _worst(it: Subject) -> Measured[int | None]:
    known = _beyond(it, _given(it).routes_order)
    if known is not None:
        return known
    try:
        routes = routes_of(it)
        if not routes.whole:
            return Measured(None, "unknown", "needs the routes to all destinations")
        found = routes.worst_permutation(None) if it.exact else routes.worst_permutation()
    except DisconnectedError:
        return Measured(None, "exact", "not connected")
    each = 1 if it.network.has_switches else _given(it).endpoints
    note = "" if it.exact else "lower bound, from the busiest channels"
    return Measured(found * each, "exact" if it.exact else "sampled", note)


def _table_bytes(it: Subject) -> Measured[int]:
    router = closed_router(it.network)
    if router is None or isinstance(router, SearchRouter):
        return Measured(it.network.order**2, "closed form", "one byte per node and destination")
    return Measured(router.table_bytes, "closed form", router.name)


def _lanes(it: Subject) -> Measured[int | None]:
    known = _beyond(it, _given(it).routes_order)
    if known is not None:
        return known
    from hopscape.design.lanes import virtual_channels

    try:
        return virtual_channels(routes_of(it))
    except DisconnectedError:
        return Measured(None, "exact", "not connected")


# -- faults ---------------------------------------------------------------------------------------


def _faulty(it: Subject) -> Any:
    given = _given(it)
    count = given.faults if given.faults is not None else max(1, it.network.links // 100)
    return it.share("faults", lambda: random_faults(it.network, count, seed=given.seed))


def _fault_pairs(it: Subject) -> Measured[float]:
    found = _faulty(it)
    return Measured(
        round(found.pairs, 6), "sampled", f"{found.faults} links, {found.trials} trials"
    )


def _fault_stretch(it: Subject) -> Measured[float | None]:
    found = _faulty(it)
    note = f"{found.faults} links, {found.trials} trials"
    return Measured(None if found.stretch is None else round(found.stretch, 6), "sampled", note)


# -- collectives ----------------------------------------------------------------------------------


def _broadcast(it: Subject) -> Measured[int | None]:
    from hopscape.collectives.generic import broadcast

    root = int(it.network.endpoints[0])
    try:
        found = broadcast(it.network, root, Model(ports=1))
    except DisconnectedError:
        return Measured(None, "exact", "not connected")
    best = _broadcast_bound(it).value
    note = "least possible" if found.rounds == best else f"lower bound {best}"
    return Measured(found.rounds, "exact" if found.rounds == best else "bound", note)


def _broadcast_bound(it: Subject) -> Measured[int | None]:
    root = int(it.network.endpoints[0])
    try:
        bounds = lower_bounds(it.network, Goal.broadcast(root), Model(ports=1))
    except DisconnectedError:
        return Measured(None, "exact", "not connected")
    return Measured(bounds[0].rounds if bounds else 0, "exact")


def _gather_rounds(it: Subject) -> tuple[int | None, int]:
    """Rounds of an all-gather with all ports (None where none was made), and their lower bound."""

    def compute() -> tuple[int | None, int]:
        bounds = lower_bounds(it.network, Goal.all_gather())
        least = bounds[0].rounds if bounds else 0
        if it.network.order > _SCHEDULE_ORDER and not it.exact:
            return None, least
        from hopscape.collectives.generic import all_gather

        return all_gather(it.network).rounds, least

    found: tuple[int | None, int] = it.share("all-gather", compute)
    return found


def _round_time(given: Conditions, size: float) -> float:
    return given.alpha + size / given.bandwidth


def _gather_bound(it: Subject) -> Measured[float | None]:
    given = _given(it)
    try:
        least = lower_bounds(it.network, Goal.all_gather())[0].rounds
    except (DisconnectedError, IndexError):
        return Measured(None, "exact")
    chunk = given.message / _endpoints(it).value
    return Measured(least * _round_time(given, chunk) * 1e6, "exact")


def _gather_time(it: Subject) -> Measured[float | None]:
    given = _given(it)
    try:
        rounds, least = _gather_rounds(it)
    except DisconnectedError:
        return Measured(None, "exact", "not connected")
    if rounds is None:
        return Measured(None, "unknown", f"not computed beyond {_SCHEDULE_ORDER} nodes")
    chunk = given.message / it.network.endpoint_count
    time = rounds * _round_time(given, chunk) * 1e6
    return Measured(round(time, 3), "exact", f"{rounds} rounds, at least {least}")


def _reduce_bound(it: Subject) -> Measured[float | None]:
    """The longest way; and 2 (n - 1) messages, to add up and to spread, over all channels."""
    given = _given(it)
    _, far, _ = _between(it)
    ends, net = it.network.endpoint_count, it.network
    if far is None:
        return Measured(None, "exact", "not connected")
    moved = given.message * 2 * (ends - 1) / max(net.channels, 1) / given.bandwidth
    return Measured(round(max(far * given.alpha, moved) * 1e6, 3), "exact")


def _reduce_time(it: Subject) -> Measured[float | None]:
    """The better of one tree up and down, and of reduce-scatter with all-gather."""
    given = _given(it)
    far = COLUMNS["diameter"].measure(it).value
    if far is None:
        return Measured(None, "exact", "not connected")
    ways = {f"one tree up and down, {2 * far} rounds": 2 * far * _round_time(given, given.message)}
    rounds, _ = _gather_rounds(it)
    if rounds is not None and it.network.duplex:
        chunk = given.message / it.network.endpoint_count
        ways[f"reduce-scatter and all-gather, {2 * rounds} rounds"] = (
            2 * rounds * _round_time(given, chunk)
        )
    note = min(ways, key=lambda way: ways[way])
    how: How = "exact" if rounds is not None else "bound"
    return Measured(round(ways[note] * 1e6, 3), how, note)


# -- cables and growth ----------------------------------------------------------------------------


def _cable(it: Subject) -> Measured[float]:
    placed = _placement(it)
    return Measured(round(placed.total, 2), "exact", f"{placed.plan.text}, {placed.how}")


def _cable_longest(it: Subject) -> Measured[float]:
    return Measured(round(_placement(it).longest, 3), "exact")


def _growth(it: Subject) -> Measured[int | None]:
    from hopscape.design.candidates import next_size

    step = next_size(it.network)
    if step is None:
        return Measured(None, "unknown", "no larger member with these ports")
    return Measured(step - it.network.endpoint_count, "closed form", f"next: {step}")


_MORE = (
    Column(
        "endpoints", "endpoints", "number of endpoints (nodes that are no switches)", _endpoints
    ),
    Column(
        "ports", "ports", "most ports that a router uses, those to its endpoints included", _ports
    ),
    Column("hops", "mean hops", "mean links between the routers of two endpoints", _hops),
    Column("far", "most hops", "most links between the routers of two endpoints", _far),
    Column(
        "route_hops",
        "route hops",
        "mean links between the routers of two endpoints on the router's own ways",
        _route_hops,
    ),
    Column(
        "throughput",
        "throughput",
        "flits per endpoint and cycle under uniform traffic with the network's router, ideally",
        _throughput,
    ),
    Column(
        "throughput_bound",
        "thr. bound",
        "channels over hops: the throughput that no routing exceeds under uniform traffic",
        _bound_throughput,
    ),
    Column(
        "worst_permutation",
        "worst perm.",
        "most endpoints whose routes meet on one channel when each sends to another one",
        _worst,
    ),
    Column(
        "table_bytes", "table bytes", "bytes of routing tables; 0 when table-free", _table_bytes
    ),
    Column(
        "vcs",
        "VCs",
        "classes of virtual channels with which the router is certified free of deadlock",
        _lanes,
    ),
    Column(
        "fault_pairs",
        "pairs left",
        "share of endpoint pairs still joined after random link faults (seeded trials)",
        _fault_pairs,
    ),
    Column(
        "fault_stretch",
        "stretch",
        "mean distance after random link faults over that before",
        _fault_stretch,
    ),
    Column("broadcast", "bcast", "rounds of a one-port broadcast that was found", _broadcast),
    Column(
        "broadcast_bound",
        "bcast bound",
        "rounds that no one-port broadcast beats",
        _broadcast_bound,
    ),
    Column(
        "allgather",
        "all-gather µs",
        "all-gather of the message by a checked all-port schedule, in µs (α-β model)",
        _gather_time,
    ),
    Column("allgather_bound", "a-g bound", "µs that no all-port all-gather beats", _gather_bound),
    Column(
        "allreduce",
        "all-reduce µs",
        "all-reduce of the message, the better of tree and reduce-scatter, in µs (α-β model)",
        _reduce_time,
    ),
    Column("allreduce_bound", "a-r bound", "µs that no all-port all-reduce beats", _reduce_bound),
    Column("cable", "cable m", "metres of cable on the floor plan", _cable),
    Column("cable_longest", "longest m", "metres of the longest cable", _cable_longest),
    Column("growth", "growth", "fewest endpoints by which the family grows, same ports", _growth),
)

ALL_COLUMNS: Mapping[str, Column] = {**COLUMNS, **{column.name: column for column in _MORE}}


def subject(network: Network, conditions: Conditions | None = None) -> Subject:
    """A network ready to be measured under conditions, quickly."""
    return Subject(network, conditions=conditions, quick=True)
