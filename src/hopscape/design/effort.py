"""What the columns of routes, faults, cables and schedules cost, before they are measured.

In elementary steps, as :mod:`hopscape.metrics.effort` counts them.
"""

from __future__ import annotations

from hopscape.design.conditions import ROUTES_ORDER
from hopscape.metrics.effort import block_bytes, channels_of, route_steps, sweep_steps
from hopscape.metrics.evaluation import Effort, Evaluation, MeasurementJob
from hopscape.metrics.routes import closed_router

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

_SAMPLED_TARGETS = 64
_TABLE_STEPS = 10**9
_SCHEDULE_ORDER = 1400


def routes_wanted(evaluation: Evaluation) -> int | None:
    """Destinations whose routes are followed; None for all."""
    net = evaluation.network
    if net.order <= ROUTES_ORDER or evaluation.exact:
        return None
    if closed_router(net) is not None:
        return _SAMPLED_TARGETS
    return None if net.order * channels_of(net) <= _TABLE_STEPS else 4 * _SAMPLED_TARGETS


def _pairs(evaluation: Evaluation) -> int:
    """Pairs of nodes and destinations whose routes are followed."""
    most = routes_wanted(evaluation)
    order = evaluation.network.order
    return order * (order if most is None else min(most, order))


def _routes(evaluation: Evaluation) -> Effort:
    """Next ports of the closed router, or tables filled with two sweeps, and their loads."""
    net, pairs = evaluation.network, _pairs(evaluation)
    degree = channels_of(net) / net.order
    sweeps = 2 if net.order <= ROUTES_ORDER else 1
    table = sweeps * 15 * (degree + 1) if closed_router(net) is None else 0.0
    return Effort(pairs * (route_steps(evaluation) + table + 40), 4 * pairs + block_bytes(net))


def _worst(evaluation: Evaluation) -> Effort:
    """Matchings of the pairs that meet on the busiest channels."""
    net = evaluation.network
    if routes_wanted(evaluation) is not None:
        return Effort(0.0)
    load = net.order**2 * max(1, evaluation.levels) / (2 * max(1, channels_of(net)))
    return Effort(24 * (load * 10 + net.order**2 * 1.5), int(40 * load) + 20 * net.order)


def _lanes(evaluation: Evaluation) -> Effort:
    """Channel dependencies of all routes, by several rules."""
    net = evaluation.network
    degree = channels_of(net) / net.order
    waits = int(36 * channels_of(net) * degree)
    return Effort(_pairs(evaluation) * 100 + waits * 5, waits)


def _faults(evaluation: Evaluation) -> Effort:
    """Ten trials, each searched from sixteen nodes."""
    net = evaluation.network
    steps = net.order + channels_of(net)
    return Effort(11 * 16 * steps * 35 + 10**7, 60 * steps + 300 * net.order)


def _cables(evaluation: Evaluation) -> Effort:
    steps = evaluation.network.order + channels_of(evaluation.network)
    return Effort(300 * steps + 10**6, 80 * steps)


def _broadcast(evaluation: Evaluation) -> Effort:
    """Trees and matchings, round by round, checked."""
    net = evaluation.network
    return Effort(net.order * (35_000 + 300 * evaluation.levels), 200 * channels_of(net))


def _gather_bound(evaluation: Evaluation) -> Effort:
    net = evaluation.network
    if net.facts.diameter is not None and not net.has_switches:
        return Effort(10**6)
    if net.order > 12_000:
        return Effort(10**6)
    rows = 1000 if net.has_switches else 6
    return Effort(sweep_steps(evaluation, net.order) + rows * net.order**2, 6 * net.order**2)


def _gather(evaluation: Evaluation) -> Effort:
    """A tree for each node, all at once, and the family's own algorithms."""
    net = evaluation.network
    if net.order > _SCHEDULE_ORDER and not evaluation.exact:
        return Effort(0.0)
    return Effort(500 * net.order**2, 150 * net.order**2)


def _between(evaluation: Evaluation) -> Effort:
    net = evaluation.network
    if not net.has_switches:
        return Effort(0.0)
    ends = net.endpoint_count
    return Effort(sweep_steps(evaluation, ends) + 8 * ends * net.order, 512 * net.order)


BETWEEN = MeasurementJob("between", "the distances between endpoints", _between)
ROUTES = MeasurementJob("routes", "the routes", _routes)
WORST = MeasurementJob("worst", "the worst permutation", _worst)
LANES = MeasurementJob("lanes", "the channel dependencies", _lanes)
FAULTS = MeasurementJob("faults", "the trials of faults", _faults)
CABLES = MeasurementJob("placement", "the placement", _cables)
BROADCAST = MeasurementJob("broadcast", "the broadcast", _broadcast)
GATHER_BOUND = MeasurementJob("all-gather bound", "the bound on the all-gather", _gather_bound)
GATHER = MeasurementJob("all-gather", "the all-gather", _gather)
