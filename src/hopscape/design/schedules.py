"""The best checked schedule for a goal: the family's own algorithms and the generic one compete.

Columns about schedules: broadcast, all-gather and all-reduce, each with its lower bound.

Schedules of a hand-over: the best checked one of each goal, as files.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from pathlib import Path

from hopscape.collectives.bounds import lower_bounds
from hopscape.collectives.choose import GENERIC, named_algorithms, run_algorithm
from hopscape.collectives.contest import compete
from hopscape.collectives.survivors import Survivors
from hopscape.core.distances import distances_from, distances_to
from hopscape.core.errors import DisconnectedError, HopscapeError, TooLargeError
from hopscape.core.files import make_folder
from hopscape.core.goal import Goal
from hopscape.core.measured import How, Measured
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify
from hopscape.design.conditions import Conditions, given, if_connected
from hopscape.design.effort import BETWEEN, BROADCAST, GATHER, GATHER_BOUND
from hopscape.formats.chakra import write_chakra
from hopscape.formats.msccl import write_msccl
from hopscape.formats.mscclpp import write_mscclpp
from hopscape.metrics.columns import Column, Evaluation
from hopscape.metrics.distances import distance_profile
from hopscape.metrics.effort import SHAPE, WIRING

__all__ = [
    "ALL_PORT",
    "ONE_PORT",
    "SCHEDULE_COLUMNS",
    "VerifiedSchedule",
    "best_schedule",
    "write_schedules",
]

ONE_PORT = Model(ports=1)
ALL_PORT = Model()

_SEARCHES = ("flow", "forest")
"""Algorithms that take minutes on some hundred endpoints, too long for one column of a ranking."""
_SEARCHED_ENDPOINTS = 300


@dataclass(frozen=True)
class VerifiedSchedule:
    """A schedule that was verified under its model.

    Attributes:
        algorithm: Its name: 'generic', or one of the family's own.
    """

    schedule: Schedule
    algorithm: str

    @property
    def rounds(self) -> int:
        """Rounds of the schedule."""
        return self.schedule.rounds


def best_schedule(
    network: Network, goal: Goal, model: Model, least: int = 0
) -> VerifiedSchedule | None:
    """The schedule of fewest rounds that holds under a model; None when no algorithm gives one.

    Args:
        model: Every schedule is verified under it, whatever model an algorithm had in mind.
        least: A lower bound on the rounds: no need to go on once it is reached.

    Raises:
        DisconnectedError: When some node cannot be reached.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("folded(complete(8), 2)")
        >>> found = best_schedule(net, Goal.all_gather(), ALL_PORT)
        >>> found.algorithm, found.rounds
        ('translations', 5)
    """
    few = network.endpoint_count <= _SEARCHED_ENDPOINTS
    pipelined = goal.chunks > 1 or goal.root is None  # one chunk has nothing to run behind
    names = [
        one.name
        for one in named_algorithms(network, goal)
        if one.serves.allows(model)
        and (few or one.name not in _SEARCHES)
        and (pipelined or one.chunks is None)
    ]
    best: VerifiedSchedule | None = None
    for name in [*names, GENERIC]:
        if best is not None and best.rounds <= least:
            break
        try:
            schedule = run_algorithm(network, goal, name, model)
        except DisconnectedError:
            raise
        except HopscapeError:
            continue  # the algorithm is for another model, or too large
        shorter = best is None or schedule.rounds < best.rounds
        if shorter and verify(schedule, model=model):
            best = VerifiedSchedule(schedule, name)
    return best


_SCHEDULE_ORDER = 1400  # nodes beyond which an all-gather is made for --exact alone
_GATHERED = (WIRING, SHAPE, GATHER_BOUND, GATHER)


@if_connected
def _broadcast(evaluation: Evaluation) -> Measured[int | None]:
    net, root = evaluation.network, int(evaluation.network.endpoints[0])
    least = _broadcast_bound(evaluation).value
    schedule = best_schedule(net, Goal.broadcast(root), ONE_PORT, least or 0)
    if schedule is None:
        return Measured(None, "unknown", "no algorithm gave a schedule that holds")
    proved = schedule.rounds == least
    note = f"{schedule.algorithm}, checked; " + (
        "least possible" if proved else f"at least {least}"
    )
    return Measured(schedule.rounds, "exact" if proved else "bound", note, least, schedule.rounds)


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

    bound: int = evaluation.share("all-gather bound", compute)
    return bound


def _gathered(evaluation: Evaluation) -> tuple[str, int] | None:
    """Algorithm and rounds of the best all-gather; None where none was made."""

    def compute() -> tuple[str, int] | None:
        if evaluation.network.order > _SCHEDULE_ORDER and not evaluation.exact:
            return None
        schedule: VerifiedSchedule | None = best_schedule(
            evaluation.network, Goal.all_gather(), ALL_PORT, _least_gather(evaluation)
        )
        return None if schedule is None else (schedule.algorithm, schedule.rounds)

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


def _apart(evaluation: Evaluation) -> Measured[int | None]:
    """The longest way between endpoints; switches may lie further apart than they do."""
    net = evaluation.network
    if not net.has_switches:
        return evaluation.figure("diameter")
    profile = evaluation.share("between", lambda: distance_profile(net, endpoints=True))
    note = "" if profile.connected else "not connected"
    return Measured(profile.diameter if profile.connected else None, profile.how, note)


def _reduce_bound(evaluation: Evaluation) -> Measured[float | None]:
    """The longest way; and 2 (n - 1) messages, to add up and to spread, over all channels."""
    conditions = given(evaluation)
    hops = _apart(evaluation).value  # of a sample a lower bound as well
    if hops is None:
        return Measured(None, "exact", "not connected")
    ends, channels = evaluation.network.endpoint_count, evaluation.network.channels
    moved = conditions.message * 2 * (ends - 1) / max(channels, 1) / conditions.bandwidth
    return Measured(round(max(hops * conditions.alpha, moved) * 1e6, 3), "exact")


def _reduce_time(evaluation: Evaluation) -> Measured[float | None]:
    """The better of one tree up and down, and of reduce-scatter with all-gather."""
    conditions, apart = given(evaluation), _apart(evaluation)
    if apart.value is None:
        return Measured(None, "exact", "not connected")
    whole = _round_time(conditions, conditions.message)
    depth = 2 * apart.value if apart.exact else _around_first(evaluation.network)
    algorithms = {f"one tree up and down, {depth} rounds": depth * whole}
    made = _gathered(evaluation)
    if made is not None and evaluation.network.duplex:
        name, rounds = made
        words = f"the {name} all-gather backwards, then forwards, {2 * rounds} rounds"
        algorithms[words] = 2 * rounds * _round_time(conditions, _chunk(evaluation))
    note = min(algorithms, key=algorithms.__getitem__)
    time, least = round(algorithms[note] * 1e6, 3), evaluation.figure("allreduce_bound").value
    return Measured(time, "exact" if time == least else "bound", note, least, time)


def _around_first(network: Network) -> int:
    """Rounds to node 0 and back to all, where the longest way is known from a sample only."""
    return int(distances_to(network, 0).max()) + int(distances_from(network, 0).max())


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
           _reduce_time, needs=(*_GATHERED, BETWEEN), unit="µs", better="less", stage=3,
           places={"design": 12}, priority=11, aside=_ALIKE),
    Column("allreduce_bound", "a-r bound", "µs that no all-port all-reduce beats", _reduce_bound,
           needs=(BETWEEN,), unit="µs", stage=3, aside=_ALIKE),
)  # fmt: skip


_TABLE_ORDER = 2100
_GATHER_ORDER = 300  # nodes up to which schedules are JSON, which people read
_PERSONAL_ORDER = 64  # nodes of schedules with a chunk for every pair
_MSCCL_TRANSFERS = 20_000  # of a file for MSCCL that is written unasked


@dataclass(frozen=True)
class _Wanted:
    """A schedule of the hand-over: its file's name, its goal, its ports, and for how many nodes."""

    name: str
    goal: Goal
    model: Model
    most: int
    """Endpoints up to which its list of transfers is not too long."""
    msccl: bool = False


def _wanted(network: Network) -> list[_Wanted]:
    root, count = int(network.endpoints[0]), network.endpoint_count
    return [
        _Wanted("broadcast", Goal.broadcast(root), ONE_PORT, 1 << 31),
        _Wanted("all-gather", Goal.all_gather(), ALL_PORT, _TABLE_ORDER, msccl=True),
        _Wanted("reduce-scatter", Goal.reduce_scatter(), ALL_PORT, _PERSONAL_ORDER, msccl=True),
        _Wanted("all-reduce", Goal.all_reduce(), ALL_PORT, _TABLE_ORDER),
        _Wanted("all-reduce-sliced", Goal.all_reduce(count), ALL_PORT, _PERSONAL_ORDER, msccl=True),
        _Wanted("all-to-all", Goal.all_to_all(), ALL_PORT, _PERSONAL_ORDER, msccl=True),
    ]


def write_schedules(
    network: Network, folder: Path, left: Survivors | None = None
) -> list[tuple[str, str]]:
    """Write the schedules of a network; each file with what it is, or why there is none.

    Those that MSCCL knows are written for it as well, under ``msccl``, and as execution traces
    under ``chakra``.

    Args:
        left: What is left of a larger network, which `network` is then: files tell schedules in
            the numbers of the larger one; ranks are its live endpoints, one after the other.
    """
    if not network.endpoint_count:
        return [("(no schedules)", "there are no endpoints")]
    told, found = [], {}
    for one in _wanted(network):
        schedule, *line = _write(network, one, folder, left)
        told.append((line[0], line[1]))
        if schedule is not None and one.msccl:
            found[one.name] = schedule
    return told + [_in_other_words(found, folder, *form) for form in _FORMS]


_Write = Callable[[Schedule, Path, str], object]


def _in_other_words(
    found: dict[str, Schedule], folder: Path, what: str, words: str, write: _Write
) -> tuple[str, str]:
    """Schedules in the format of other software, those that it can hold."""
    written, why = [], {}
    for name, schedule in found.items():
        top = folder / what.partition("/")[0]
        there = top.is_dir()
        try:
            if schedule.transfers > _MSCCL_TRANSFERS:
                raise TooLargeError(
                    f"{schedule.transfers:,} transfers; written up to {_MSCCL_TRANSFERS:,} (the"
                    " functions of hopscape.formats write more)"
                )
            write(schedule, make_folder(top), name)
            written.append(name)
        except HopscapeError as error:
            why[name] = str(error)
            if not there and top.is_dir() and not any(top.iterdir()):
                top.rmdir()
    left = "; ".join(f"{name} not: {reason}" for name, reason in why.items())
    if not written:
        return f"(no {what})", left or "no schedule that it knows was written"
    return what, f"{', '.join(written)}: {words}" + (f"; {left}" if left else "")


_FORMS: tuple[tuple[str, str, _Write], ...] = (
    (
        "msccl/*.xml",
        "for MSCCL's executor (its limits were read in its source; no GPU has run them)",
        lambda schedule, top, name: write_msccl(schedule, top / f"{name}.xml"),
    ),
    (
        "msccl/*.json",
        "execution plans for MSCCL++ (written by the rules of its executor and carried out by"
        " 'hopscape check' in any order of threads)",
        lambda schedule, top, name: write_mscclpp(schedule, top / f"{name}.json"),
    ),
    ("chakra/", "execution traces for ASTRA-sim, NAME.RANK.et", write_chakra),
)


def _write(
    network: Network, wanted: _Wanted, folder: Path, left: Survivors | None
) -> tuple[Schedule | None, str, str]:
    kind = "json" if network.order <= _GATHER_ORDER else "npz"
    kind = "json" if wanted.goal.kind == "broadcast" else kind
    name = f"{wanted.name}.{kind}"
    if network.endpoint_count > wanted.most:
        return (
            None,
            f"(no {name})",
            f"for up to {wanted.most} endpoints, here are {network.endpoint_count}",
        )
    rules = {} if wanted.model.ports is None else {"ports": wanted.model.ports}
    try:
        best = compete(network, wanted.goal, rules, left=left).best
    except HopscapeError as error:
        return None, f"(no {name})", str(error)
    schedule = copy(best.schedule)
    schedule.name = best.algorithm  # the same word in the file and in the README
    told = schedule if left is None else left.told(schedule)
    told.save(folder / name)
    what = f"{wanted.goal.describe()}: {schedule.rounds} rounds, {schedule.model.describe()}"
    return schedule, name, f"{what}; by the {best.algorithm} algorithm, checked"
