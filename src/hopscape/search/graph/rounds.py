"""The search: all arms for a short while, the better ones for longer, round after round.

The order/radix problem: terminals and the ports of a switch are given, switches are not.
"""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext
from dataclasses import astuple, dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Literal, TypedDict, Unpack

from hopscape.core.errors import ArgumentError
from hopscape.metrics.cost import moore_mean_distance
from hopscape.search.graph.anneal_gpu import gpu_seconds_per_step, side_by_side, suits_gpu
from hopscape.search.graph.arms import METHODS, Arm, arms, run, run_together, seconds_per_step
from hopscape.search.graph.dense import suits_pairs
from hopscape.search.graph.lifts import LiftShape, Solution
from hopscape.search.graph.problem import Problem
from hopscape.search.graph.result import GraphResult
from hopscape.store import Processes, Store, Task, renamed_arguments, run_tasks
from hopscape.store.records import digest

__all__ = [
    "LOCAL",
    "SearchPlan",
    "best_graph",
    "best_switches",
    "plan",
    "switch_counts",
    "switched",
]

LOCAL = ("anneal", "tabu", "none")

_ROUNDS = 8  # of successive halving: the effort is shared equally among them
_FIRST_STEPS = (
    100  # moves for each dart in a try of the first round; twice as many in every next one
)
_FEWEST_STEPS = 30  # moves for each dart below which an arm tells nothing about itself
_MOST_TRIES = 256  # starts of an arm in one task: their seeds are the low eight bits
_KINDS = ("anew", "on", "aim")
_KEPT = 6  # arms that are never halved away
_SPREAD_ROUNDS = 2  # first rounds, in which all arms stay: early luck decides nothing
_FREED, _SMALL = 3, 128  # symmetric graphs whose symmetry is given up, and their largest order

_ROUNDS_ON_GPU = 5  # each twice as long as the one before
_FEWEST_CHAINS = 4  # of a shape
_TOLERANCE = 5e-6  # of a mean distance that is asked for: people give it with five decimals
_SHORT = 15.0  # seconds up to which one process works: starting others takes most of the time

Device = Literal["cpu", "gpu"]
Rank = tuple[int, Fraction]
Target = tuple[int | None, float]


@dataclass
class _Standing:
    """An arm and the best it has found."""

    arm: Arm
    number: int
    rank: Rank | None = None
    result: dict[str, Any] | None = None


@dataclass
class _Search:
    """What a search keeps: the arms still in, the best of all, the time."""

    problem: Problem
    seed: int
    local: str
    pool: list[_Standing]
    device: Device = "cpu"
    best: _Standing | None = None
    runs: int = 0
    begun: float = field(default_factory=time.monotonic)

    def share(self, number: int) -> float:
        """Of the time, for a round; of dense graphs the first ones, of many shapes, are short."""
        if self.device == "gpu":
            return 0.5 ** min(_ROUNDS_ON_GPU - number, _ROUNDS_ON_GPU - 1)
        return min(1.0, 0.25 * 2**number if self.dense else 1.0) / _ROUNDS

    @cached_property
    def dense(self) -> bool:
        """Are graphs without symmetry graded by their far pairs, and few?"""
        n, d = self.problem.nodes, self.problem.degree
        return n <= _SMALL and suits_pairs(LiftShape("cyclic(1)", n, 0, d), self.problem)

    def tasks(self, number: int, effort: float) -> Iterator[tuple[_Standing, Task]]:
        """The runs of a round, of so many seconds together.

        Every method has the same share of the time, and every arm of a method the same of that.
        Tries are short at first and twice as long in each round: a small base graph is best begun
        anew many times, a large one needs long annealing.
        """
        members = Counter(standing.arm.method for standing in self.pool)
        for standing in self.pool:
            each = effort / len(members) / members[standing.arm.method]
            shape = standing.arm.shape
            count = 1 if number == 0 else len(_KINDS)
            if self.device == "gpu":
                steps = max(int(each / count / gpu_seconds_per_step(shape)), 1)
                chains = side_by_side(shape.order) * each / effort / count
                tries = min(max(int(chains), 1), _MOST_TRIES)
                long = max(steps // tries, 1)
            else:
                steps = max(int(each / count / seconds_per_step(shape)), 1)
                long = _FIRST_STEPS * max(shape.darts, 1) << number
                tries = min(max(steps // long, 1), _MOST_TRIES)
            for kind in range(count):
                yield standing, self._task(standing, number, kind, tries, min(steps, long))

    def _task(self, standing: _Standing, number: int, kind: int, tries: int, steps: int) -> Task:
        """Some tries of an arm: anew, from the arm's best, or with a smaller diameter to aim at.

        All that they depend on is in the arguments, so that a later search finds them in the store.
        """
        arm, known = standing.arm, standing.result
        start: str | dict[str, Any] = arm.start
        if _KINDS[kind] == "on" and number > 1 and known is not None:
            start = self._freed(standing, number) or {"mate": known["mate"], "volt": known["volt"]}
        seed = self.seed * 1_000_003 + standing.number * 7919 + number * 101 + kind
        arguments = (
            self.problem.to_dict(),
            astuple(arm.shape),
            start,
            seed,
            tries,
            steps,
            self._aim(_KINDS[kind], number),
            self.local,
        )
        gpu = self.device == "gpu"
        each = gpu_seconds_per_step(arm.shape) if gpu else seconds_per_step(arm.shape)
        name = "graph search on a GPU" if gpu else "graph search"
        return Task(digest(name, arguments), arguments, tries * steps * each, arm.about)

    def _freed(self, standing: _Standing, number: int) -> dict[str, Any] | None:
        """A graph without symmetry goes on from a better symmetric one, round by round another."""
        if not self.dense or not _is_plain(standing.arm):
            return None
        better = [s for s in self.pool if s.arm.shape.fold > 1 and _rank(s) < _rank(standing)]
        if not better:
            return None
        chosen = sorted(better, key=_rank)[:_FREED]
        one = chosen[number % len(chosen)]
        assert one.result is not None
        solution = Solution(one.arm.shape, tuple(one.result["mate"]), tuple(one.result["volt"]))
        return {"links": solution.links().tolist()}

    def compile(self, standing: _Standing) -> None:
        """One step of an arm, for the kernels that it needs."""
        run(*self._task(standing, 0, 0, 1, 1).arguments)

    def _aim(self, kind: str, number: int) -> int | None:
        """A smaller diameter than the best, while one is possible; or what has been reached.

        The runs that aim at one have half of the time: the diameter comes first.
        """
        least = self.problem.moore_diameter
        if self.best is None or self.best.result is None or least is None:
            return None
        reached = int(self.best.result["diameter"])
        if reached <= least:
            return reached
        aims = kind == "aim" or (kind == "on" and number % 2 == 1)
        return reached - 1 if aims else None

    def take(self, standing: _Standing, result: dict[str, Any] | None) -> None:
        """Note a result."""
        self.runs += 1
        if result is None:
            return
        rank = self.problem.grade(result["diameter"], result["total"])
        if standing.rank is None or rank < standing.rank:
            standing.rank, standing.result = rank, result
        if self.best is None or self.best.rank is None or rank < self.best.rank:
            self.best = _Standing(standing.arm, standing.number, rank, result)

    def thin(self, number: int) -> None:
        """Keep the better arms: at first the best third of each number of orbits, then of all."""
        pool = sorted(
            (s for s in self.pool if s.rank is not None), key=lambda s: (s.rank, s.number)
        )
        if number < _SPREAD_ROUNDS:
            kept: list[_Standing] = []
            for orbits in dict.fromkeys(s.arm.shape.base for s in pool):
                same = [s for s in pool if s.arm.shape.base == orbits]
                kept += same[: max(1, len(same) // 3)]
            pool = sorted(kept, key=lambda s: (s.rank, s.number))
        else:
            pool = pool[: max(_KEPT, len(pool) // 2)]
        if self.dense:
            pool += [s for s in self.pool if _is_plain(s.arm) and s.result and s not in pool]
        self.pool = pool or self.pool

    def done(self, target: Target | None) -> bool:
        """Is the best as good as was asked for, or as good as can be?"""
        if self.best is None or self.best.rank is None:
            return False
        diameter, mean = self.best.rank
        if mean == self.problem.moore_mean:
            return True
        if target is None or float(mean) > target[1] + _TOLERANCE:
            return False
        return target[0] is None or diameter <= target[0]

    @property
    def spent(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.begun

    def text(self, number: int) -> str:
        """For the progress bar."""
        if self.best is None or self.best.rank is None:
            return f"round {number + 1}"
        diameter, mean = self.best.rank
        least = self.problem.moore_mean
        gap = f", {100 * (float(mean / least) - 1):.2f} % above Moore" if least else ""
        return f"round {number + 1}: diameter {diameter}, mean {float(mean):.5f}{gap}"


def _is_plain(arm: Arm) -> bool:
    """No symmetry, and no start of its own?"""
    return arm.shape.fold == 1 and not arm.start


def _rank(standing: _Standing) -> tuple[float, float, int]:
    """For sorting: diameter, mean, number; what has found nothing comes last."""
    diameter, mean = standing.rank or (math.inf, 0)
    return diameter, float(mean), standing.number


class Options(TypedDict, total=False):
    """How graphs are looked for; see :func:`best_graph`."""

    seed: int
    methods: Sequence[str]
    local: str
    target: Target | None
    resume: Store | None
    workers: int | None
    dask: str | None
    device: Device


@renamed_arguments(processes="workers", store="resume")
def best_graph(
    problem: Problem,
    *,
    effort: float = 60.0,
    seconds: float | None = None,
    seed: int = 0,
    methods: Sequence[str] = METHODS,
    local: str = "anneal",
    target: Target | None = None,
    resume: Store | None = None,
    workers: int | None = 1,
    dask: str | None = None,
    device: Device = "cpu",
) -> GraphResult:
    """Look for the graph of least diameter, then of least mean distance.

    Args:
        effort: Processor seconds to plan for. The plan does not depend on how quick the machine is:
            the same effort and seed give the same graph.
        seconds: Stop after so many seconds, wherever the plan is.
        methods: Any of ``random``, ``rotation``, ``cayley``, ``voltage`` and ``algebraic``.
        local ({'anneal', 'tabu', 'none'}): How graphs are improved.
        target: Stop when the diameter (or None) and the mean distance are no larger.
        resume: Keeps finished runs; a later search goes on from there.
        workers, dask: Where to work; None takes all processors, see
            :func:`hopscape.store.run_tasks`.
        device ({'cpu', 'gpu'}): On a GPU, hundreds of symmetric graphs are annealed side by side;
            `effort` counts seconds of a large one.

    Returns:
        GraphResult: Measured once more by the distance kernels of the project. When interrupted
            (Ctrl-C), the best so far.

    Examples:
        >>> found = best_graph(Problem(10, 3), effort=0.2)
        >>> found.diameter, found.mean
        (2, Fraction(5, 3))
    """
    if local not in LOCAL:
        raise ArgumentError(f"local search {local!r} is unknown; choose from {', '.join(LOCAL)}")
    if not effort > 0:
        raise ArgumentError(f"effort is {effort}; it must be above 0")
    if not 0 <= seed < 2**31:
        raise ArgumentError(f"seed is {seed}; it must be from 0 to {2**31 - 1}")
    pool = [_Standing(arm, i) for i, arm in enumerate(arms(problem, methods))]
    if device == "gpu":
        pool = _suited(problem, pool, local, workers, dask)
    elif device == "cpu":
        pool = _affordable(pool, effort / _ROUNDS)
    else:
        raise ArgumentError(f"device is {device!r}; it must be 'cpu' or 'gpu'")
    search = _Search(problem, seed, local, pool, device)
    complete = interrupted = False
    _compile(search)
    try:
        complete = _rounds(search, effort, seconds, target, resume, workers, dask)
    except KeyboardInterrupt:
        if search.best is None:
            raise
        interrupted = True
    return _found(search, complete, interrupted)


@dataclass(frozen=True)
class SearchPlan:
    """How long a search works, and on how many processes: arguments of :func:`best_graph`."""

    effort: float
    seconds: float
    workers: int


def plan(seconds: float, workers: int | None) -> SearchPlan:
    """A search of so many seconds on so many processes.

    Short searches run in one process: starting others would take most of the time.

    Examples:
        >>> plan(10, 4), plan(60, 4).effort
        (SearchPlan(effort=10, seconds=10, workers=1), 240)
    """
    workers = max(workers if workers is not None else os.cpu_count() or 1, 1)
    if seconds <= _SHORT:
        workers = 1
    return SearchPlan(seconds * workers, seconds, workers)


def _compile(search: _Search) -> None:
    """Compile the kernels before the clock is started and other processes need them as well."""
    words: dict[int, _Standing] = {}
    for standing in search.pool:
        sources = standing.arm.shape.base + standing.arm.shape.fixed
        words.setdefault(min(max(sources - 1, 0) // 64, 9).bit_length(), standing)
    for standing in words.values() if search.device == "cpu" else ():
        search.compile(standing)
    search.begun = time.monotonic()


def _suited(
    problem: Problem, pool: list[_Standing], local: str, workers: int | None, dask: str | None
) -> list[_Standing]:
    """The arms that a GPU takes: as many as have some chains each."""
    for name, given in (("local", local != "anneal"), ("dask", dask), ("workers", workers != 1)):
        if given:
            raise ArgumentError(f"{name} does not go with device 'gpu', which anneals by itself")
    suited = [s for s in pool if suits_gpu(s.arm.shape, problem) and not s.arm.start]
    if not suited:
        raise ArgumentError(
            "device is 'gpu'; it looks for graphs whose symmetry moves every node, by the methods"
            " rotation, cayley and voltage, without floor plan, given links or terminals"
        )
    return suited[:: -(-len(suited) * _FEWEST_CHAINS // side_by_side(problem.nodes))]


def _affordable(pool: list[_Standing], effort: float) -> list[_Standing]:
    """Arms that a round has time for, evenly spread over all; starts that are known stay in."""
    known = [s for s in pool if s.arm.start]
    pool = [s for s in pool if not s.arm.start]
    costs = [
        _FEWEST_STEPS * max(s.arm.shape.darts, 1) * seconds_per_step(s.arm.shape) for s in pool
    ]
    count = max(len(pool), 1)
    while count > 1 and sum(costs[:: -(-len(pool) // count) or 1]) > effort:
        count = max(count * 2 // 3, 1)
    return known + pool[:: -(-len(pool) // count) or 1]


def _rounds(
    search: _Search,
    effort: float,
    seconds: float | None,
    target: Target | None,
    store: Store | None,
    processes: int | None,
    dask: str | None,
) -> bool:
    """Run the rounds; was the plan done, or its goal reached?"""
    left, number = effort, 0
    workers = processes if processes is not None else os.cpu_count() or 1
    alone = workers == 1 or dask is not None
    card = _Card(None if seconds is None else search.begun + seconds)
    on_gpu = search.device == "gpu"
    with nullcontext() if alone or on_gpu else closing(Processes(workers)) as pool:
        while left > 0 and not search.done(target):
            planned = list(search.tasks(number, min(effort * search.share(number), left)))
            results = run_tasks(
                [task for _, task in planned],
                run,
                store,
                processes=processes,
                dask=dask,
                pool=card if on_gpu else pool,
                keep=lambda result: not card.cut,
                text=search.text(number),
            )
            for (standing, task), (_, result) in zip(planned, results, strict=True):
                search.take(standing, result)
                left -= max(task.cost, effort / 10_000)
                if search.done(target):
                    break
                if not on_gpu and seconds is not None and search.spent > seconds:
                    return False
            if card.interrupted:
                raise KeyboardInterrupt
            if card.cut:
                return search.done(target)
            search.thin(number)
            number += 1
    return True


class _Card:
    """Does all tasks of a round at once on a GPU.

    Attributes:
        cut: Was the last round ended before its time? What it has found counts, but is not kept.
        interrupted: By the user?
    """

    def __init__(self, until: float | None) -> None:
        self._until, self.cut, self.interrupted = until, False, False

    def _late(self) -> bool:
        self.cut = self.cut or (self._until is not None and time.monotonic() > self._until)
        return self.cut

    def run(self, work: Any, tasks: Sequence[Task]) -> Iterator[tuple[Task, Any]]:
        """As :meth:`hopscape.store.Processes.run`; the work is that of :func:`run`."""
        results, self.interrupted = run_together([task.ready() for task in tasks], self._late)
        self.cut |= self.interrupted
        yield from zip(tasks, results, strict=True)


def _found(search: _Search, complete: bool, interrupted: bool) -> GraphResult:
    best = search.best
    if best is None or best.result is None or best.rank is None:
        raise ArgumentError(
            f"no graph of {search.problem.nodes} nodes that keeps all limits was found; allow more"
            " cable, more links or more time"
        )
    result = best.result
    solution = Solution(best.arm.shape, tuple(result["mate"]), tuple(result["volt"]))
    if result["diameter"] >= search.problem.nodes > 1:
        raise ArgumentError(
            f"no connected graph of {search.problem.nodes} nodes was found within the limits; allow"
            " more links or more time"
        )
    found = GraphResult(
        search.problem,
        solution,
        *best.rank,
        how=best.arm.about,
        runs=search.runs,
        seconds=search.spent,
        complete=complete,
        interrupted=interrupted,
    )
    found.check()
    return found


_TRIED = 4  # numbers of switches that are tried, those with the best bounds
_FIRST = 0.4  # of the effort goes to trying them, the rest to the best one


def switched(terminals: int, radix: int, switches: int) -> Problem:
    """So many terminals spread evenly over so many switches.

    Examples:
        >>> switched(10, 6, 4).terminals
        (3, 3, 2, 2)
    """
    if terminals < 1 or switches < 1:
        raise ArgumentError(
            f"terminals is {terminals} and switches is {switches}; both must be at least 1"
        )
    each, more = divmod(terminals, switches)
    if each + (more > 0) > radix - (switches > 1):
        raise ArgumentError(
            f"{terminals} terminals do not fit at {switches} switches of {radix} ports"
        )
    spread = (each + 1,) * more + (each,) * (switches - more)
    return Problem(switches, radix, terminals=spread)


def switch_counts(terminals: int, radix: int) -> list[int]:
    """Numbers of switches worth a look: those with the least bound on the mean distance.

    Examples:
        >>> switch_counts(128, 24)
        [8, 9, 10, 11]
    """
    bounds: list[tuple[Fraction, int]] = []
    for count in range(1, terminals + 1):
        each = -(-terminals // count)
        degree = radix - each
        if count == 1 and terminals <= radix:
            return [1]
        if degree < 1 or (degree == 1 and count > 2):
            continue
        mean = moore_mean_distance(count, min(degree, count - 1))
        if mean is None:
            continue
        pairs = Fraction(terminals - Fraction(terminals, count), terminals - 1)
        bounds.append((2 + mean * pairs, count))
        if len(bounds) > _TRIED and mean > min(bounds)[0]:
            break
    if not bounds:
        raise ArgumentError(f"switches of {radix} ports cannot connect {terminals} terminals")
    return sorted(count for _, count in sorted(bounds)[:_TRIED])


def best_switches(
    terminals: int,
    radix: int,
    switches: int | None = None,
    *,
    effort: float,
    seconds: float | None = None,
    **options: Unpack[Options],
) -> GraphResult:
    """The network of least diameter, then least mean distance, between terminals.

    Args:
        terminals, radix: Terminals, and ports of each switch.
        switches: When left out, a few numbers are tried for a while and the best one for the rest.
        effort, seconds, **options: As for :func:`best_graph`.

    Examples:
        >>> found = best_switches(6, 4, 3, effort=0.2)
        >>> found.diameter, found.mean
        (3, Fraction(14, 5))
    """
    counts = [switches] if switches is not None else switch_counts(terminals, radix)
    problems = [switched(terminals, radix, count) for count in counts]
    search = partial(best_graph, **options)
    if len(problems) == 1:
        return search(problems[0], effort=effort, seconds=seconds)
    share = _FIRST * effort / len(problems)
    first: list[GraphResult] = []
    for problem in problems:
        first.append(search(problem, effort=share))
        if first[-1].interrupted:
            break
    best = min(first, key=lambda found: (found.diameter, found.mean))
    left = None if seconds is None else seconds - sum(found.seconds for found in first)
    if first[-1].interrupted or (left is not None and left <= 0):
        return best
    last = search(best.problem, effort=(1 - _FIRST) * effort, seconds=left)
    return min(best, last, key=lambda found: (found.diameter, found.mean))
