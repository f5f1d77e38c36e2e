"""Columns about schedules: broadcast, all-gather and all-reduce, each with its lower bound."""

from __future__ import annotations

from hopscape.collectives.bounds import lower_bounds
from hopscape.core.goal import Goal
from hopscape.core.measured import How, Measured
from hopscape.design.conditions import Conditions, given, if_connected
from hopscape.design.effort import BROADCAST, GATHER, GATHER_BOUND
from hopscape.design.schedules import ALL_PORT, ONE_PORT, VerifiedSchedule, best_schedule
from hopscape.metrics.columns import Column, Evaluation
from hopscape.metrics.effort import SHAPE, WIRING

__all__ = ["SCHEDULE_COLUMNS"]

_SCHEDULE_ORDER = 1400
_GATHERED = (WIRING, SHAPE, GATHER_BOUND, GATHER)


@if_connected
def _broadcast(evaluation: Evaluation) -> Measured[int | None]:
    net, root = evaluation.network, int(evaluation.network.endpoints[0])
    least = _broadcast_bound(evaluation).value
    found = best_schedule(net, Goal.broadcast(root), ONE_PORT, least or 0)
    if found is None:
        return Measured(None, "unknown", "no algorithm gave a schedule that holds")
    proved = found.rounds == least
    note = f"{found.algorithm}, checked; " + ("least possible" if proved else f"at least {least}")
    return Measured(found.rounds, "exact" if proved else "bound", note, least, found.rounds)


@if_connected
def _broadcast_bound(evaluation: Evaluation) -> Measured[int | None]:
    root = int(evaluation.network.endpoints[0])

    def compute() -> int:
        bounds = lower_bounds(evaluation.network, Goal.broadcast(root), ONE_PORT)
        return bounds[0].rounds if bounds else 0

    return Measured(evaluation.share("broadcast bound", compute), "exact")


def _least_gather(evaluation: Evaluation) -> int:
    """Rounds that no all-port all-gather beats."""

    def compute() -> int:
        bounds = lower_bounds(evaluation.network, Goal.all_gather(), ALL_PORT)
        return bounds[0].rounds if bounds else 0

    found: int = evaluation.share("all-gather bound", compute)
    return found


def _gathered(evaluation: Evaluation) -> tuple[str, int] | None:
    """Algorithm and rounds of the best all-gather; None where none was made."""

    def compute() -> tuple[str, int] | None:
        if evaluation.network.order > _SCHEDULE_ORDER and not evaluation.exact:
            return None
        found: VerifiedSchedule | None = best_schedule(
            evaluation.network, Goal.all_gather(), ALL_PORT, _least_gather(evaluation)
        )
        return None if found is None else (found.algorithm, found.rounds)

    made: tuple[str, int] | None = evaluation.share("all-gather", compute)
    return made


def _round_time(conditions: Conditions, size: float) -> float:
    return conditions.alpha + size / conditions.bandwidth


def _chunk(evaluation: Evaluation) -> float:
    """Bytes of each endpoint's share of the message."""
    return given(evaluation).message / max(1, evaluation.network.endpoint_count)


@if_connected
def _gather_bound(evaluation: Evaluation) -> Measured[float | None]:
    each = _round_time(given(evaluation), _chunk(evaluation))
    return Measured(round(_least_gather(evaluation) * each * 1e6, 3), "exact")


@if_connected
def _gather_time(evaluation: Evaluation) -> Measured[float | None]:
    least, made = _least_gather(evaluation), _gathered(evaluation)
    if made is None:
        return Measured(None, "unknown", f"not computed beyond {_SCHEDULE_ORDER} nodes")
    name, rounds = made
    note = f"{name}, checked: {rounds} rounds, at least {least}"
    how: How = "exact" if rounds == least else "bound"
    each = _round_time(given(evaluation), _chunk(evaluation)) * 1e6
    return Measured(rounds, how, note, least, rounds).mapped(lambda r: round(r * each, 3))


def _reduce_bound(evaluation: Evaluation) -> Measured[float | None]:
    """The longest way; and 2 (n - 1) messages, to add up and to spread, over all channels."""
    conditions = given(evaluation)
    hops = evaluation.figure("diameter").value
    if hops is None:
        return Measured(None, "exact", "not connected")
    ends, channels = evaluation.network.endpoint_count, evaluation.network.channels
    moved = conditions.message * 2 * (ends - 1) / max(channels, 1) / conditions.bandwidth
    return Measured(round(max(hops * conditions.alpha, moved) * 1e6, 3), "exact")


def _reduce_time(evaluation: Evaluation) -> Measured[float | None]:
    """The better of one tree up and down, and of reduce-scatter with all-gather."""
    conditions = given(evaluation)
    hops = evaluation.figure("diameter").value
    if hops is None:
        return Measured(None, "exact", "not connected")
    whole = _round_time(conditions, conditions.message)
    ways = {f"one tree up and down, {2 * hops} rounds": 2 * hops * whole}
    made = _gathered(evaluation)
    if made is not None and evaluation.network.duplex:
        name, rounds = made
        words = f"the {name} all-gather backwards, then forwards, {2 * rounds} rounds"
        ways[words] = 2 * rounds * _round_time(conditions, _chunk(evaluation))
    note = min(ways, key=ways.__getitem__)
    time, least = round(ways[note] * 1e6, 3), evaluation.figure("allreduce_bound").value
    return Measured(time, "exact" if time == least else "bound", note, least, time)


_ALIKE = ("rounds and costs take channels as alike", "delay", "length")

SCHEDULE_COLUMNS = (
    Column("broadcast", "bcast", "rounds of the best one-port broadcast found, checked", _broadcast,
           needs=(WIRING, SHAPE, BROADCAST), unit="rounds", better="less", stage=2,
           places={"design": 11}, priority=10, aside=_ALIKE),
    Column("broadcast_bound", "bcast bound", "rounds that no one-port broadcast beats",
           _broadcast_bound, needs=(WIRING, SHAPE), unit="rounds", stage=2, aside=_ALIKE),
    Column("allgather", "all-gather µs",
           "all-gather of the message by the best checked all-port schedule, in µs (α-β model)",
           _gather_time, needs=_GATHERED, unit="µs", better="less", stage=3, aside=_ALIKE),
    Column("allgather_bound", "a-g bound", "µs that no all-port all-gather beats", _gather_bound,
           needs=(WIRING, SHAPE, GATHER_BOUND), unit="µs", stage=3, aside=_ALIKE),
    Column("allreduce", "all-reduce µs",
           "all-reduce of the message, by a tree or by that all-gather both ways, in µs (α-β"
           " model)",
           _reduce_time, needs=_GATHERED, unit="µs", better="less", stage=3, places={"design": 12},
           priority=11, aside=_ALIKE),
    Column("allreduce_bound", "a-r bound", "µs that no all-port all-reduce beats", _reduce_bound,
           unit="µs", stage=3, aside=_ALIKE),
)  # fmt: skip
