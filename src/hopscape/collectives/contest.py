"""Every algorithm that serves what is asked, verified and priced; the best one answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from hopscape.collectives.bounds import Bound, farthest, lower_bounds
from hopscape.collectives.choose import (
    GENERIC,
    around_faults,
    check_ends,
    named_algorithms,
    present_name,
    run_built,
    run_checked,
)
from hopscape.collectives.generic import make_schedule
from hopscape.collectives.loads import least_load, least_moved
from hopscape.collectives.survivors import Survivors
from hopscape.collectives.symmetric import Carried
from hopscape.core.dimension_order import grid_of
from hopscape.core.distances import distances_from
from hopscape.core.errors import (
    ArgumentError,
    CheckFailedError,
    DisconnectedError,
    HopscapeError,
    OutOfTimeError,
    TooLargeError,
)
from hopscape.core.family import Collective
from hopscape.core.goal import Goal, GoalKind
from hopscape.core.model import COSTS, MACHINE, Model
from hopscape.core.network import Network
from hopscape.core.progress import human_time, track
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict

__all__ = [
    "Contest",
    "ContestEntry",
    "LeftOut",
    "buffer_chunks",
    "candidates",
    "compete",
    "contest_entry",
    "usual_rules",
]

STEPS_PER_SECOND = 1e8
"""Elementary steps in a second of work: what the costs of algorithms were measured with."""
SECONDS = 30.0
"""Seconds of work that the searches of one algorithm may take: what a user waits for unasked."""
_WRITING = 0.5
"""Seconds that writing a schedule may take under any limit."""
FEW_ROUNDS = ("rarest-first", "negotiated")
"""Algorithms that find few rounds of unit messages: what they reach settles most contests."""
EXACT = "exact"
"""The algorithm whose schedules have the fewest rounds of all."""
_SETTLED = "skipped: slow, and the lower bound is already met"
_PIPELINED = (4, 16, 64)
_MANY_MOVES = 10_000_000
"""Transfers beyond which only one schedule is made: each takes seconds and a gigabyte."""
_PACKINGS = ("unit", "packed")
_SYMMETRIC = ("translations", "bandwidth")
"""Algorithms that plan for one node of each orbit: they come first, being close to the bound, and
need not write out their transfers on large networks."""
_STEPS_PER_TRANSFER, _STEPS_PER_SUM = 70.0, 300.0
"""Steps of a transfer that is made and checked, and of one of an all-reduce, whose sums are."""


@dataclass(frozen=True)
class ContestEntry:
    """A verified schedule with what it costs.

    Attributes:
        algorithm: Its name, as ``--algorithm`` takes it.
        chunks: Chunks in which the buffer of a node comes.
        busiest: Chunks over the busiest channel, all rounds together.
    """

    algorithm: str
    schedule: Schedule
    verdict: Verdict
    chunks: int
    busiest: int

    @property
    def rounds(self) -> int:
        """Rounds of the schedule."""
        return self.schedule.rounds

    def line(self, costs: Mapping[str, float]) -> tuple[float, float]:
        """Time as a line: what it takes without data, and what every byte of the buffer adds."""
        details = self.verdict.details
        latency = costs["alpha"] * self.rounds + costs["delta"] * details.get("sum_round_max", 0)
        moved = costs["beta"] * details.get("sizes", 0) + costs["gamma"] * details.get("added", 0)
        return latency, moved / self.chunks

    def time(self, costs: Mapping[str, float], size: float) -> float:
        """Time for a buffer of so many bytes, in the unit of the costs."""
        latency, per_byte = self.line(costs)
        return latency + per_byte * size

    def cost(self, costs: Mapping[str, float], size: float | None) -> float:
        """What it is ranked by: time for so many bytes, or with costs per chunk without.

        Where nothing is said of costs, a round counts 1, or as much as its busiest channel carries.
        """
        if size is None and costs["beta"] == costs["gamma"] == costs["delta"] == 0:
            return costs["alpha"] * self.duration
        return self.time(costs, self.chunks if size is None else size)

    @property
    def duration(self) -> float:
        """Rounds; in cut-through each counts as much as its busiest channel carries."""
        shares = self.schedule.model.switching == "cut-through"
        busy = self.verdict.details.get("sizes", 0) if shares else 0
        return float(max(self.rounds, busy))


@dataclass(frozen=True)
class LeftOut:
    """An algorithm that gives no schedule here, and why."""

    algorithm: str
    reason: str


Made = dict[tuple[str, Goal, Model] | None, Any]
"""Entries, or why there is none, by algorithm, goal and rules; the bounds under None."""


@dataclass(frozen=True)
class Contest:
    """All that was tried for a goal.

    Attributes:
        model: Rules and costs of the contest.
        costs: alpha, beta, gamma, delta: µs per round, byte, byte added and hop when `size` is
            given.
        size: Bytes of a node's buffer.
        entries: The best first.
        bounds: On rounds, the strongest first.
        loads: What the busiest channel carries and the busiest node adds, at least, in buffers.
        moved: What both cost together for a byte, at least.
        farthest: Hops that some data must go.
        starts: Rounds that every schedule has, however long they last.
        at: The contest for another size: what that size alone gives, without making schedules
            again that were made for this one.
    """

    network: Network
    goal: Goal
    model: Model
    costs: dict[str, float]
    size: float | None
    entries: tuple[ContestEntry, ...]
    left_out: tuple[LeftOut, ...]
    bounds: tuple[Bound, ...]
    loads: tuple[float, float]
    moved: float
    farthest: int
    starts: int
    at: Callable[[float], Contest] = field(compare=False, repr=False)

    @property
    def best(self) -> ContestEntry:
        """The winner."""
        return self.entries[0]

    def settled(self, entries: Sequence[ContestEntry]) -> bool:
        """Is one of these entries at the bound, or within 1 % of it?"""
        bound = self.bounds[0].rounds if self.bounds else 0
        if self.size is None:
            plain = self.costs["beta"] == self.costs["gamma"] == self.costs["delta"] == 0
            fewest = min(entry.cost(self.costs, None) for entry in entries)
            return plain and fewest <= self.costs["alpha"] * bound
        least = 1.01 * self.least_time(self.size)
        return min(entry.time(self.costs, self.size) for entry in entries) <= least

    def least_time(self, size: float) -> float:
        """No schedule is faster for a buffer of so many bytes, round by round.

        Messages start one after the other, as often as there are rounds; hops of messages that
        follow each other overlap, so that those of the farthest count once.
        """
        latency = self.costs["alpha"] * self.starts + self.costs["delta"] * self.farthest
        return latency + self.moved * size

    def least_executed(self, size: float) -> float:
        """No schedule is faster without barriers.

        What goes farthest, what the busiest channel carries and what the busiest node adds may be
        under way at once: what comes last need not come from afar.
        """
        hop_by_hop = self.model.switching == "store-and-forward"
        starts = self.farthest if hop_by_hop else min(self.farthest, 1)
        latency = self.costs["alpha"] * starts + self.costs["delta"] * self.farthest
        moved, added = (self.costs["beta"] * self.loads[0], self.costs["gamma"] * self.loads[1])
        return max(latency, moved * size, added * size)


def buffer_chunks(network: Network, goal: Goal) -> int:
    """Chunks in the largest buffer of a node: what ``--bytes`` is the size of.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("petersen")
        >>> buffer_chunks(net, Goal.all_to_all()), buffer_chunks(net, Goal.broadcast(0, 4))
        (10, 4)
    """
    if goal.kind in ("broadcast", "reduce", "all-reduce", "one-to-many"):
        return goal.chunks
    if goal.kind == "permutation":
        return 1
    most = max((len(group) for group in goal.groups), default=network.endpoint_count)
    return most * goal.chunks


def candidates(network: Network, goal: Goal, left: Survivors | None = None) -> list[Collective]:
    """All algorithms for a goal, in the order in which they are run.

    Those that plan by symmetry first, then those that do not search (the family's, generic,
    classic), then those that search, the one for few rounds first, then packed trees.

    Args:
        left: What the network is the rest of, where parts are dead.
    """
    from hopscape.collectives.classics import CLASSICS

    what = "trees of breadth-first search and greedy rounds, for any network"
    pool = list(named_algorithms(network, goal))
    if left is not None and not goal.groups:
        around = around_faults(left, goal.kind)
        known = {one.name for one in around}
        pool = [one for one in pool if one.name not in known] + around
        if goal.kind == "reduce" and network.duplex:
            pool += [backwards(one, "reduce") for one in around_faults(left, "broadcast")]
    pool.append(Collective(GENERIC, goal.kind, what, make_schedule))
    for more in (_reversed_algorithms(network, goal), CLASSICS):
        names = {one.name for one in pool}
        pool += [one for one in more if one.goal == goal.kind and one.name not in names]

    def turn(one: Collective) -> tuple[bool, ...]:
        few = one.name not in FEW_ROUNDS
        return _searches(one), few, one.chunks is None, one.name not in _SYMMETRIC

    return sorted(pool, key=turn)


def _searches(one: Collective) -> bool:
    """Is it run after the others, and only where these do not reach the lower bound?"""
    return one.cost is not None and one.name not in _SYMMETRIC


def _reversed_algorithms(network: Network, goal: Goal) -> list[Collective]:
    """Algorithms for other goals that serve this one backwards, or backwards and then forwards."""
    gather = Goal.all_gather()
    other = {"reduce-scatter": gather, "all-reduce": gather}
    if goal.root is not None:
        other |= {"gather": Goal.scatter(goal.root), "reduce": Goal.broadcast(goal.root)}
    if goal.kind not in other or not network.duplex:
        return []
    turn = gather_both_ways if goal.kind == "all-reduce" else backwards
    forward = named_algorithms(network, replace(other[goal.kind], groups=goal.groups))
    return [turn(one, goal.kind) for one in forward]


def backwards(one: Collective, kind: GoalKind) -> Collective:
    """A broadcast, scatter or all-gather backwards: a reduce, gather or reduce-scatter.

    Its search is that of the algorithm it turns round, and so is its cost.
    """
    kinds: dict[str, GoalKind] = {"reduce": "broadcast", "gather": "scatter"}

    def forward(goal: Goal, model: Model) -> tuple[Goal, Model]:
        rules = model.converging() if goal.kind == "reduce" else model
        return replace(goal, kind=kinds.get(goal.kind, "all-gather")), rules.backwards()

    def build(network: Network, goal: Goal, model: Model) -> Schedule:
        forth = run_built(one, network, *forward(goal, model))
        if goal.kind != "gather":
            _require_no_duplicates(forth)
        return forth.reversed(goal, name=one.name).under(model)

    def chunks(network: Network, goal: Goal, model: Model, size: float) -> Sequence[int]:
        assert one.chunks is not None
        return one.chunks(network, forward(goal, model)[0], model, size)

    def cost(network: Network, goal: Goal, model: Model) -> float:
        return search_steps(one, network, *forward(goal, model))

    return replace(
        one,
        goal=kind,
        summary=f"{one.summary}, backwards",
        build=build,
        groups=False,
        chunks=None if one.chunks is None else chunks,
        cost=None if one.cost is None else cost,
        one_piece=False,
    )


def _require_no_duplicates(forth: Schedule) -> None:
    """Refuse to turn round what brings a node the same chunk twice: a share would count twice."""
    if isinstance(forth, Carried):  # planned by symmetry: no duplicates, and not written out
        return
    arrivals = forth.target.astype(np.int64) * forth.goal.chunk_count(forth.network)
    arrivals += forth.chunk
    if len(np.unique(arrivals)) < len(arrivals):
        raise ArgumentError("it brings nodes the same chunk twice; backwards, a share counts twice")


def gather_both_ways(one: Collective, kind: GoalKind = "all-reduce") -> Collective:
    """An all-gather backwards, then forwards: an all-reduce of a block per endpoint."""

    def forward(network: Network, goal: Goal) -> Goal:
        ends = len(goal.members(network))
        if goal.chunks % ends:
            raise ArgumentError(
                f"it cuts the data into a block per endpoint: {ends} chunks (--sliced), not"
                f" {goal.chunks}"
            )
        return Goal.all_gather(goal.chunks // ends, goal.groups)

    def build(network: Network, goal: Goal, model: Model) -> Schedule:
        aim = forward(network, goal)
        forth = run_built(one, network, aim, model)
        back = model.backwards()
        other = forth if back == model else run_built(one, network, aim, back)
        return other.reversed(goal).then(forth, goal, name=one.name)

    def chunks(network: Network, goal: Goal, model: Model, size: float) -> Sequence[int]:
        assert one.chunks is not None
        ends = network.endpoint_count
        return [ends * c for c in one.chunks(network, Goal.all_gather(), model, size)]

    def cost(network: Network, goal: Goal, model: Model) -> float:
        runs = 1 if model.backwards() == model else 2
        return runs * search_steps(one, network, forward(network, goal), model)

    return replace(
        one,
        goal=kind,
        summary=f"{one.summary}, backwards",
        build=build,
        groups=False,
        chunks=None if one.chunks is None else chunks,
        cost=None if one.cost is None else cost,
        one_piece=False,
    )


def search_steps(one: Collective, network: Network, goal: Goal, model: Model) -> float:
    """Steps of an algorithm's search, over all groups of the goal; 0 where it does not search.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("random_regular(64, 4)")
        >>> steps = {one.name: search_steps(one, net, Goal.all_gather(), Model())
        ...          for one in candidates(net, Goal.all_gather())}
        >>> steps["ring"] == 0 < steps["breadth-first"] < steps["forest"]
        True
    """
    if one.cost is None:
        return 0.0
    if not goal.groups or one.groups:
        return one.cost(network, goal, model)
    everywhere = goal.everywhere()
    return sum(one.cost(network.among(group), everywhere, model) for group in goal.groups)


def usual_rules(network: Network, asked: Mapping[str, Any], size: float | None) -> dict[str, Any]:
    """The rules asked for, and the usual ones beside them.

    Messages go hop by hop; with bytes or through switches they run through whole paths
    (cut-through). With bytes they are packed. Switches that may copy and add are nodes like others.
    """
    rules = {name: value for name, value in asked.items() if name not in COSTS}
    through = network.has_switches and not rules.get("in_network", False)
    if rules.get("in_network") and not network.has_switches:
        raise ArgumentError(
            f"in-network asks for switches that copy and add; {network.spec} has none"
        )
    if "switching" not in rules:
        rules["switching"] = "cut-through" if through or size is not None else "store-and-forward"
    if rules["switching"] == "cut-through" and size is not None:
        rules.setdefault("packing", "packed")
    return rules


def _no_stops(network: Network, model: Model) -> None:
    """Refuse hops that end at switches."""
    if model.switching == "store-and-forward" and network.has_switches and not model.in_network:
        raise ArgumentError(
            f"the switches of {network.spec} only forward; store-and-forward ends every hop at a"
            " node, so that it needs switches that store, copy and add (--in-network)"
        )


def compete(
    network: Network,
    goal: Goal,
    asked: Mapping[str, Any] | None = None,
    *,
    size: float | None = None,
    algorithm: str | None = None,
    seconds: float | None = None,
    made: Made | None = None,
    left: Survivors | None = None,
) -> Contest:
    """Run every algorithm that serves what is asked, verify each, and rank them.

    Work is counted, not timed: an algorithm that searches says how many steps it takes
    (``Collective.cost``), so that the answer is the same on every machine, however busy.
    Algorithms that do not search are always run, and first. One that does is left out where the
    lower bound is reached without it, or where its search is longer than allowed; ``left_out``
    says so.

    Args:
        asked: Rules and costs of the model that are asked for.
        size: Bytes of a node's buffer (as nccl-tests counts them). With it the data may be cut into
            more chunks, and the shortest time wins; without it the fewest rounds of the goal as it
            is (or the shortest time under the costs asked for).
        algorithm: Only this one.
        seconds: Work that one search may take, in seconds of 10⁸ steps; 30 when left out. All
            searches of an algorithm (for several chunks and rules) may take 30 s, or more where
            this is more.
        made: Schedules that were made for other sizes; new ones are added.
        left: What the network is the rest of, where parts are dead: algorithms that know a way
            around them compete as well.

    Raises:
        ArgumentError: When no algorithm serves what is asked; the message says why each does not.

    Examples:
        >>> import hopscape
        >>> contest = compete(hopscape.build("torus(8, 8)"), Goal.all_gather())
        >>> contest.best.rounds, contest.bounds[0].rounds
        (16, 16)
    """
    asked, made = dict(asked or {}), {} if made is None else made
    rest = {"algorithm": algorithm, "seconds": seconds, "made": made, "left": left}
    again = partial(compete, network, goal, asked, **rest)  # type: ignore[arg-type]
    check_ends(network, goal)
    model = replace(Model(), **usual_rules(network, asked, size))
    _no_stops(network, model)
    usual = MACHINE if size is not None else {name: getattr(model, name) for name in COSTS}
    costs = {**usual, **{name: asked[name] for name in COSTS if name in asked}}
    model = replace(model, **costs)
    if model.circuits != "any":
        grid_of(network)  # refuses networks without axes
    pool = candidates(network, goal, left)
    if algorithm is not None:
        pool = [_by_name(pool, algorithm, network, goal)]
        if not any(map(pool[0].serves.allows, _served(pool[0], network, model))):
            model = replace(pool[0].serves.model(**asked), **costs)  # the other rules are its own
            _no_stops(network, model)
    entries: list[ContestEntry] = []
    out: list[LeftOut] = []
    if None not in made:
        loads, far = least_load(network, goal, model, barriers=False), farthest(network, goal)
        bounds = tuple(_bounds(network, goal, model))
        moved = least_moved(network, goal, model)
        made[None] = bounds, loads, moved, far, _starts(network, goal, model, bounds)
    bounds, loads, moved, far, starts = made[None]
    contest = Contest(
        network, goal, model, costs, size, (), (), bounds, loads, moved, far, starts,
        lambda size: again(size=size),
    )  # fmt: skip
    for one in _shown(pool, goal, network):
        if entries and _searches(one) and contest.settled(entries):
            out.append(LeftOut(one.name, _SETTLED))
            continue
        effort = _Effort(seconds, named=algorithm is not None, first=not entries)
        served, why = _try(one, contest, effort, made)
        entries += served
        out += [LeftOut(one.name, why)] if not served or effort.cut else []
    if not entries:
        _give_up(network, goal, model, out)
    _check_bounds(contest, entries)
    entries.sort(key=lambda e: (e.cost(costs, size), e.rounds, e.busiest, e.schedule.transfers))
    proved = tuple(_proved(entries, model, contest.bounds))
    starts = max(contest.starts, *(bound.rounds for bound in proved), 0)
    bounds = (*proved, *contest.bounds)
    return replace(
        contest, entries=tuple(entries), left_out=tuple(out), bounds=bounds, starts=starts
    )


def _check_bounds(contest: Contest, entries: Sequence[ContestEntry]) -> None:
    """A schedule that holds and beats a lower bound shows that the bound is wrong.

    Raises:
        CheckFailedError: With the algorithm and the bound.
    """
    where = f"{contest.goal.kind} on {contest.network.spec}"
    for entry in entries:
        for bound in contest.bounds:
            if entry.schedule.goal == contest.goal and entry.duration < bound.rounds:
                raise CheckFailedError(
                    f"the lower bound of {bound.rounds} rounds for {where} ({bound.why}) fails its"
                    f" check: {entry.algorithm!r} takes {entry.duration:g}"
                )
        if contest.size is not None:
            took, least = entry.time(contest.costs, contest.size), contest.least_time(contest.size)
            if took < least * (1 - 1e-9):
                raise CheckFailedError(
                    f"the lower bound of {least:g} µs for {where} fails its check:"
                    f" {entry.algorithm!r} takes {took:g} µs"
                )


def _proved(
    entries: Sequence[ContestEntry], model: Model, bounds: Sequence[Bound]
) -> Iterator[Bound]:
    """What an exact search has proved beyond the other bounds."""
    known = max((bound.rounds for bound in bounds), default=0)
    for entry in entries:
        if entry.rounds <= known:
            continue
        if entry.algorithm == EXACT and model.switching == "circuit":
            yield Bound(entry.rounds, f"{entry.rounds - 1} rounds are proved impossible by CP-SAT")
        rooted = entry.schedule.goal.kind in ("scatter", "gather")
        if (
            entry.algorithm == "flow"
            and rooted
            and model == entry.schedule.model
            and (model.switching == "store-and-forward" and model.packing == "unit")
        ):
            why = f"no flow of {entry.rounds - 1} rounds brings everybody's chunk"
            yield Bound(entry.rounds, why)


def _starts(network: Network, goal: Goal, model: Model, bounds: Sequence[Bound]) -> int:
    """Rounds that every schedule has. In cut-through, bounds of unit messages say how long rounds
    last in all: of how many there are, those of packed messages speak.
    """
    if model.switching == "cut-through" and model.packing == "unit":
        bounds = _bounds(network, goal, replace(model, packing="packed"))
    return max((bound.rounds for bound in bounds), default=0)


def _bounds(network: Network, goal: Goal, model: Model) -> list[Bound]:
    """Lower bounds, while the work on them is seen."""
    bounds: list[Bound] = []
    for _ in track([0], f"lower bounds of {goal.kind} on {network.spec}", 0):
        bounds = lower_bounds(network, goal, model)
    return bounds


def _shown(pool: list[Collective], goal: Goal, network: Network) -> Iterator[Collective]:
    """One algorithm after the other; a line says which, when it takes longer."""
    for one in pool:
        yield from track([one], f"{goal.kind} by {one.name!r} on {network.spec}", 0)


def _by_name(pool: list[Collective], name: str, network: Network, goal: Goal) -> Collective:
    name = present_name(name)
    for one in pool:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in pool)
    raise ArgumentError(f"{network.spec} has no {goal.kind} algorithm {name!r}; it has {known}")


def _give_up(network: Network, goal: Goal, model: Model, left: list[LeftOut]) -> None:
    """Say why there is no schedule at all."""
    if len(left) == 1:
        one = left[0]
        raise ArgumentError(
            f"the {goal.kind} algorithm {one.algorithm!r} of {network.spec}: {one.reason}"
        )
    alike: dict[str, list[str]] = {}
    for one in left:
        alike.setdefault(one.reason, []).append(one.algorithm)
    reasons = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in alike.items())
    raise ArgumentError(
        f"no {goal.kind} schedule on {network.spec} under {model.describe()}: {reasons}"
    )


def _variants(one: Collective, contest: Contest) -> Iterator[Goal]:
    """The goal as it is; with bytes, also cut into more chunks."""
    network, goal, size = contest.network, contest.goal, contest.size
    yield goal
    if size is None or goal.chunks != 1 or len({len(group) for group in goal.groups}) > 1:
        return
    most = max(int(size), 1)
    if one.chunks is not None:
        among = network.among(goal.groups[0]) if goal.groups else network
        own = one.chunks(among, goal.everywhere(), contest.model, size)
        yield from (replace(goal, chunks=c) for c in dict.fromkeys(own) if 1 < c <= most)
        return
    count = buffer_chunks(network, replace(goal, kind="all-gather", root=None, targets=()))
    width = int(network.degrees[network.endpoints].min()) if network.order > 1 else 1
    if goal.kind == "all-reduce":
        chunks: Sequence[int] = (count, *_PIPELINED, 2 * count, width * count)
    elif goal.kind in ("broadcast", "reduce"):
        chunks = (*_PIPELINED, 256, count)
    elif goal.kind in ("all-gather", "reduce-scatter"):
        chunks = (2, width)
    else:
        chunks = ()
    yield from (replace(goal, chunks=c) for c in dict.fromkeys(chunks) if 1 < c <= most)


class _Effort:
    """What an algorithm may spend in a contest: on one search, and on all of them together.

    Args:
        seconds: The limit that the user asks for; None for the usual one.
        named: Was the algorithm asked for by name? Then only the user's own limit holds for it.
        first: Has none served yet? Then a limit below the usual one is not held against it: some
            answer is better than none.

    Attributes:
        cut: Was some search not made?
    """

    def __init__(self, seconds: float | None, *, named: bool, first: bool) -> None:
        self.named, self.first, self.cut = named, first, False
        self.asked = seconds
        self.most = SECONDS if seconds is None or (first and not named) else seconds
        self.left = max(SECONDS, self.most)

    def spend(self, steps: float) -> None:
        """Count a search; refuse it where it is too long, or takes more than is left."""
        needed, free = steps / STEPS_PER_SECOND, self.named and self.asked is None
        if not free and needed > min(self.most, self.left):
            self.cut = True
            raise TooLargeError(
                f"its search takes about {human_time(needed)}, more than the"
                f" {human_time(max(min(self.most, self.left), 0.0))} that are left for it"
                " (--time-limit)"
            )
        self.left -= needed

    def check_transfers(self, one: Collective, network: Network, goal: Goal, model: Model) -> None:
        """Refuse a schedule that takes very long to write, however it is made."""
        moves = _moves(network, goal)
        if not self.first:
            _check_moves(network, goal)
        alone = goal.chunks == 1 or not one.one_piece
        if one.name in _SYMMETRIC and goal.kind in ("all-gather", "all-to-all") and alone:
            return  # these need not be written out
        adds = goal.kind == "all-reduce"
        steps = (_STEPS_PER_SUM if adds else _STEPS_PER_TRANSFER) * moves
        if steps > STEPS_PER_SECOND and model.switching == "cut-through":
            # paths of several channels each
            steps *= 1 + int(distances_from(network, int(network.endpoints[0])).max())
        most = STEPS_PER_SECOND * max(self.most if self.asked is not None else SECONDS, _WRITING)
        if steps > most:
            raise TooLargeError(
                f"a schedule of {moves:,} transfers takes about"
                f" {human_time(steps / STEPS_PER_SECOND)} to write, longer than"
                f" {human_time(most / STEPS_PER_SECOND)} (--time-limit)"
            )


def _try(
    one: Collective, contest: Contest, effort: _Effort, made: Made
) -> tuple[list[ContestEntry], str]:
    """What an algorithm gives, or why it gives nothing.

    Raises:
        CheckFailedError: When what an algorithm that was asked for by name makes is wrong.
    """
    network, goal, model = contest.network, contest.goal, contest.model
    out: list[ContestEntry] = []
    wrong: CheckFailedError | None = None
    why = cut = ""
    title = f"the {goal.kind} algorithm {one.name!r} of {network.spec} "
    for aim in _variants(one, contest):
        for rules in _served(one, network, model):
            try:
                effort.check_transfers(one, network, aim, rules)
                effort.spend(search_steps(one, network, aim, rules))
                out.append(_remembered(one, contest, aim, rules, made))
                effort.first = False
            except (DisconnectedError, OutOfTimeError):
                raise  # there is no schedule at all, or whoever called the contest has no time left
            except CheckFailedError as error:
                wrong = wrong or error
                why = why or str(error).removeprefix(title)
            except HopscapeError as error:
                why = why or str(error).removeprefix(title)
                cut = cut or (f"in {aim.chunks} chunks: {error}" if effort.cut and out else "")
    if wrong is not None and effort.named and not out:
        raise wrong
    return _undominated(out, contest), (cut if out else why) or why or _hop_by_hop(network)


def _remembered(
    one: Collective, contest: Contest, aim: Goal, rules: Model, made: Made
) -> ContestEntry:
    """The schedule of an algorithm, checked; made once for all sizes."""
    network, model = contest.network, contest.model
    if one.chunks is not None and contest.size is not None:
        share = contest.size / buffer_chunks(network, aim)  # costs are per chunk for it
        rules = replace(rules, beta=rules.beta * share, gamma=rules.gamma * share)
    key = one.name, aim, rules
    if key not in made:
        try:
            made[key] = contest_entry(one.name, *run_checked(one, network, aim, rules, model))
        except OutOfTimeError:
            raise
        except HopscapeError as error:
            made[key] = error
    entry = made[key]
    if isinstance(entry, HopscapeError):
        raise entry
    assert isinstance(entry, ContestEntry)
    return entry


def _check_moves(network: Network, goal: Goal) -> None:
    """Refuse a second schedule of very many transfers."""
    moves = _moves(network, goal)
    if moves > _MANY_MOVES:
        raise TooLargeError(
            f"{moves:,} chunks would have to move; beyond {_MANY_MOVES:,} only the first algorithm"
            " that serves is run, or the one that is named"
        )


def _moves(network: Network, goal: Goal) -> int:
    """Transfers of any schedule, at least."""
    sizes = [len(group) for group in goal.groups] or [network.endpoint_count]
    ways, pairs = sum(n - 1 for n in sizes), sum(n * (n - 1) for n in sizes)
    each = {
        "all-gather": pairs,
        "reduce-scatter": pairs,
        "all-to-all": pairs,
        "all-reduce": 2 * ways,
    }
    return each.get(goal.kind, ways) * goal.chunks


def _hop_by_hop(network: Network) -> str:
    """Why there is no model under which an algorithm could be tried."""
    return (
        f"it goes hop by hop and stops at the switches of {network.spec}, which only forward"
        " (--in-network lets them store, copy and add)"
    )


def contest_entry(name: str, schedule: Schedule, verdict: Verdict) -> ContestEntry:
    """A schedule with what it costs."""
    chunks = buffer_chunks(schedule.network, schedule.goal)
    return ContestEntry(name, schedule, verdict, chunks, schedule.busiest()[1])


def _undominated(made: list[ContestEntry], contest: Contest) -> list[ContestEntry]:
    """Of one algorithm, the schedules that are best for some size."""
    unit = {"alpha": 1.0, "beta": 1.0, "gamma": 1.0, "delta": 1e-9}
    costs = unit if contest.size is None else contest.costs
    out: list[ContestEntry] = []
    for entry in sorted(made, key=lambda e: e.line(costs)):
        if not out or entry.line(costs)[1] < out[-1].line(costs)[1]:
            out.append(entry)
    return out


def _served(one: Collective, network: Network, model: Model) -> Iterator[Model]:
    """Models under which an algorithm's schedule is one under the model asked for.

    A hop is a short path, and circuits share nothing: both are cut-through as well. A hop is a
    circuit, too, where each channel carries one chunk. Pieces past switches may go one by one where
    they need not.
    """
    listed = one.serves.switching
    hops = listed is not None and "circuit" not in listed and not network.has_switches
    if model.switching == "circuit" and hops and model.circuits == "any":
        yield replace(model, switching="store-and-forward", disjoint="arc")
        return
    if model.switching != "cut-through" or (listed is not None and model.switching in listed):
        single = one.chunks is not None and one.serves.packing == ("unit",)
        yield replace(model, packing="unit") if single and network.has_switches else model
        return
    plain = not network.has_switches or model.in_network
    if plain and (listed is None or "store-and-forward" in listed):
        for packing in _PACKINGS if model.packing == "packed" else ("unit",):
            yield replace(model, switching="store-and-forward", packing=packing)  # type: ignore[arg-type]
    if listed is not None and "circuit" in listed:
        yield replace(model, switching="circuit", packing="unit")
