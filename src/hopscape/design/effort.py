"""What the columns of routes, faults, cables and schedules cost, before they are measured."""

from __future__ import annotations

from hopscape.design.conditions import ROUTES_ORDER
from hopscape.metrics.effort import block_bytes, channels_of, router_rate, sweep_seconds
from hopscape.metrics.routes import closed_router
from hopscape.metrics.subject import Effort, Job, Subject

__all__ = [
    "BETWEEN",
    "BROADCAST",
    "CABLES",
    "FAULTS",
    "GATHER",
    "GATHER_BOUND",
    "LANES",
    "ROUTES",
    "WORST",
    "routes_wanted",
]

_NS = 1e-9
_SAMPLED_TARGETS = 64
_TABLE_STEPS = 10**9
_SCHEDULE_ORDER = 1400


def routes_wanted(it: Subject) -> int | None:
    """Destinations whose routes are followed; None for all."""
    net = it.network
    if net.order <= ROUTES_ORDER or it.exact:
        return None
    if closed_router(net) is not None:
        return _SAMPLED_TARGETS
    return None if net.order * channels_of(net) <= _TABLE_STEPS else 4 * _SAMPLED_TARGETS


def _pairs(it: Subject) -> int:
    """Pairs of nodes and destinations whose routes are followed."""
    most = routes_wanted(it)
    order = it.network.order
    return order * (order if most is None else min(most, order))


def _routes(it: Subject) -> Effort:
    """Next ports of the closed router, or tables filled with two sweeps, and their loads."""
    net, pairs = it.network, _pairs(it)
    degree = channels_of(net) / net.order
    sweeps = 2 if net.order <= ROUTES_ORDER else 1
    table = sweeps * 15 * _NS * (degree + 1) if closed_router(net) is None else 0.0
    return Effort(pairs * (router_rate(it) + table + 40 * _NS), 4 * pairs + block_bytes(net))


def _worst(it: Subject) -> Effort:
    """Matchings of the pairs that meet on the busiest channels."""
    net = it.network
    if routes_wanted(it) is not None:
        return Effort(0.0)
    load = net.order**2 * max(1, it.levels) / (2 * max(1, channels_of(net)))
    return Effort(24 * (load * 10 + net.order**2 * 1.5) * _NS, int(40 * load) + 20 * net.order)


def _lanes(it: Subject) -> Effort:
    """Channel dependencies of all routes, by several rules."""
    net = it.network
    degree = channels_of(net) / net.order
    waits = int(36 * channels_of(net) * degree)
    return Effort(_pairs(it) * 100 * _NS + waits * 5 * _NS, waits)


def _faults(it: Subject) -> Effort:
    """Ten trials, each searched from sixteen nodes."""
    net = it.network
    steps = net.order + channels_of(net)
    return Effort(11 * 16 * steps * 35 * _NS + 1e-2, 60 * steps + 300 * net.order)


def _cables(it: Subject) -> Effort:
    steps = it.network.order + channels_of(it.network)
    return Effort(300 * _NS * steps + 1e-3, 80 * steps)


def _broadcast(it: Subject) -> Effort:
    """Trees and matchings, round by round, checked."""
    net = it.network
    return Effort(net.order * (35e-6 + 0.3e-6 * it.levels), 200 * channels_of(net))


def _gather_bound(it: Subject) -> Effort:
    net = it.network
    if net.facts.diameter is not None and not net.has_switches:
        return Effort(1e-3)
    if net.order > 12_000:
        return Effort(1e-3)
    rows = 1000 * _NS if net.has_switches else 6 * _NS
    return Effort(sweep_seconds(it, net.order) + rows * net.order**2, 6 * net.order**2)


def _gather(it: Subject) -> Effort:
    """A tree for each node, all at once, and the family's own algorithms."""
    net = it.network
    if net.order > _SCHEDULE_ORDER and not it.exact:
        return Effort(0.0)
    return Effort(0.5e-6 * net.order**2, 150 * net.order**2)


def _between(it: Subject) -> Effort:
    net = it.network
    if not net.has_switches:
        return Effort(0.0)
    ends = net.endpoint_count
    return Effort(sweep_seconds(it, ends) + 8 * _NS * ends * net.order, 512 * net.order)


BETWEEN = Job("between", "the distances between endpoints", _between)
ROUTES = Job("routes", "the routes", _routes)
WORST = Job("worst", "the worst permutation", _worst)
LANES = Job("lanes", "the channel dependencies", _lanes)
FAULTS = Job("faults", "the trials of faults", _faults)
CABLES = Job("placement", "the placement", _cables)
BROADCAST = Job("broadcast", "the broadcast", _broadcast)
GATHER_BOUND = Job("all-gather bound", "the bound on the all-gather", _gather_bound)
GATHER = Job("all-gather", "the all-gather", _gather)
