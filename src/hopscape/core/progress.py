"""Progress for work that takes longer than a second, and limits on how long it may take.

The house below the command line knows only :func:`track`; the command line installs a bar and sets
limits. Work that will take long is foretold from what its first steps took.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from functools import partial
from typing import Protocol, TypeVar

from hopscape.core.errors import OutOfTimeError

__all__ = [
    "ProgressBar",
    "Watch",
    "allow_more",
    "check_time",
    "foretold",
    "human_time",
    "paced",
    "part_of_step",
    "set_progress",
    "spend_steps",
    "step_done",
    "step_reports",
    "steps_left",
    "time_left",
    "time_limit",
    "track",
    "watch_compiler",
    "watched",
]

Item = TypeVar("Item")


class ProgressBar(Protocol):
    """What shows progress: told how far, and when it ends."""

    def update(self, done: float) -> None:
        """So many steps are done."""

    def close(self) -> None:
        """The work has ended."""


_open_bar: Callable[[str, int], ProgressBar] | None = None
_foretell: Callable[[str, float], None] | None = None
_compiled = 0.0  # seconds that compiling kernels took
_TICKS = 1000  # of the bar where work is not counted in steps
_LONG = 10.0  # seconds: what takes longer is foretold
_SURE = 1.5  # seconds of work that tell how long the rest will take
_deadline = math.inf
_began = (0.0, 0.0)  # when the limit was set: wall time and processor time
_compiler: object = None
_EVIDENCE = 0.5  # seconds of work before its end is foretold
_LITTLE = 0.1  # seconds of processor time that tell nothing
_OVERRUN = 3.0  # times the time left: a prediction is rarely off by more
_PACE = 0.3  # seconds that a part of paced work takes
_steps_left = math.inf

STEPS_PER_SECOND = 1e9
"""Elementary steps of work that a second of a time limit allows: an access and an addition in a
kernel take about a nanosecond of a processor. What is begun is decided in steps, so that it is the
same on a busy machine; the clock only ends what has begun."""


def set_progress(
    open_bar: Callable[[str, int], ProgressBar] | None,
    foretell: Callable[[str, float], None] | None = None,
) -> None:
    """Install what shows progress (None for silence): it takes a text and a number of steps.

    Args:
        foretell: Takes a text and how many seconds the work will take in all, once its first steps
            show that these are more than ten.
    """
    global _open_bar, _foretell
    _open_bar, _foretell = open_bar, foretell


def human_time(seconds: float) -> str:
    """Write a time for people.

    Examples:
        >>> human_time(0.2), human_time(75), human_time(7200), human_time(1e9)
        ('0.2 s', '75 s', '2 h', '31.7 years')
    """
    steps = ((120, 1, "s"), (7200, 60, "min"), (172_800, 3600, "h"), (3.2e7, 86_400, "days"))
    for below, unit, name in steps:
        if seconds < below:
            return f"{seconds / unit:.3g} {name}"
    years = seconds / 31_557_600
    return f"{years:.3g} years" if years < 1000 else "more than 1000 years"


@contextmanager
def time_limit(seconds: float | None, steps: float | None = None) -> Iterator[None]:
    """Inside the block, work that reports its progress ends after so many seconds.

    It ends with :class:`OutOfTimeError`, as soon as it is clear that it would take much longer.
    None changes nothing; of two limits, one inside the other, the shorter counts.

    Args:
        steps: Work that may be begun, see :func:`steps_left`; as many steps as the seconds stand
            for when left out.

    Examples:
        >>> with time_limit(30):
        ...     0 < time_left() <= 30
        True
        >>> time_left()
        inf
    """
    global _deadline, _began, _steps_left
    before, outside = (_deadline, _began), _steps_left
    if seconds is not None:
        _began = time.monotonic(), _worked()
        _deadline = min(_deadline, _began[0] + seconds)
    if steps is None:
        steps = math.inf if seconds is None else seconds * STEPS_PER_SECOND
    inside = _steps_left = min(_steps_left, steps)
    try:
        yield
    finally:
        _deadline, _began = before
        _steps_left = outside if math.inf in (outside, inside) else outside - inside + _steps_left


def steps_left() -> float:
    """Elementary steps of work that may still be begun under the time limit; infinity without one.

    Unlike the seconds of :func:`time_left` they do not depend on how busy the machine is.

    Examples:
        >>> with time_limit(2):
        ...     spend_steps(5e8)
        ...     steps_left()
        1500000000.0
    """
    return _steps_left


def spend_steps(steps: float) -> None:
    """Count work that begins."""
    global _steps_left
    _steps_left -= steps


def time_left() -> float:
    """Seconds that are left of the limit; infinity when there is none.

    What the compiler takes does not count: kernels are compiled once per installation.
    """
    watch_compiler()
    return _deadline - time.monotonic()


def allow_more(seconds: float) -> None:
    """Put off the end of the time limit."""
    global _deadline
    _deadline += seconds


def watch_compiler() -> bool:
    """From now on put off the end of the time limit while kernels are compiled.

    Returns:
        bool: Is there a compiler to be watched?
    """
    global _compiler
    if _compiler is None and "numba" in sys.modules:
        from numba.core import event

        class Watch(event.Listener):  # type: ignore[misc]
            """Adds up the outermost compilations."""

            depth, begin = 0, 0.0

            def on_start(self, event: object) -> None:
                if not self.depth:
                    self.begin = time.monotonic()
                self.depth += 1

            def on_end(self, event: object) -> None:
                self.depth -= 1
                if not self.depth:
                    global _compiled
                    spent = time.monotonic() - self.begin
                    _compiled += spent
                    allow_more(spent)

        _compiler = Watch()
        event.register("numba:compile", _compiler)
    return _compiler is not None


def check_time(text: str, needed: float = 0.0) -> None:
    """End work that has used up its time, or would need more seconds than are left.

    What is needed is processor time; on a machine with other work it lasts longer, by as much as
    the work since the limit was set has.

    Raises:
        OutOfTimeError: With `text`.
    """
    left = time_left()
    needed *= _contention()
    if left < needed:
        longer = f", about {human_time(needed)}" if needed else ""
        raise OutOfTimeError(f"{text} would take longer than the time limit allows{longer}")
    if left <= 0:
        raise OutOfTimeError(f"{text} would take longer than the time limit allows")


def _worked() -> float:
    """Processor time of this process, in seconds."""
    return time.process_time()


def _contention() -> float:
    """How many times as long as its processor time work has taken since the limit was set."""
    if _deadline == math.inf:
        return 1.0
    wall, worked = time.monotonic() - _began[0], _worked() - _began[1]
    return max(wall / worked, 1.0) if worked > _LITTLE else 1.0


def track(steps: Iterable[Item], text: str, total: int | None = None) -> Iterator[Item]:
    """Go through steps and report how far we are; end when the time limit is reached.

    Raises:
        OutOfTimeError: Between two steps, see :func:`time_limit`.

    Examples:
        >>> [x * x for x in track([1, 2, 3], "squares")]
        [1, 4, 9]
    """
    if total is None:
        total = len(steps) if isinstance(steps, Sized) else 0
    with watched(text, total) as watch:
        for i, step in enumerate(steps):
            watch(i)
            with step_reports(partial(watch.show_part, i)):
                yield step


def paced(total: int, text: str, unit: int = 1) -> Iterator[slice]:
    """Cut `total` steps into parts that take a fraction of a second each.

    For kernels, which cannot be interrupted: the first parts are small, the others as large as time
    allows. Reports progress and ends like :func:`track`.

    Args:
        unit: Every part but the last is a multiple of it.

    Examples:
        >>> [part.stop - part.start for part in paced(100, "counting", unit=16)]
        [16, 84]
    """
    low, size = 0, unit
    with watched(text, total) as watch:
        while low < total:
            watch(low)
            part = slice(low, min(total, low + size))
            begin = time.monotonic()
            yield part
            spent = time.monotonic() - begin
            if spent < _PACE:
                size *= 8 if spent < _PACE / 16 else 2
            elif spent > 4 * _PACE and size > unit:
                size //= 2
            low = part.stop


class Watch:
    """Told before each further step how far work is."""

    def __init__(
        self, text: str, total: float, bar: ProgressBar | None, *, told: bool = False
    ) -> None:
        self._text, self._total, self._bar = text, total, bar
        self._scale = 1 if isinstance(total, int) else _TICKS / max(total, 1e-9)
        self._begin, self._compiled = time.monotonic(), _compiled
        self._outer, self._told = _here.watch, told
        self._first: tuple[float, float] | None = None
        """Seconds and steps at the first word; what was before, such as starting, tells nothing."""

    def __call__(self, done: float) -> None:
        """So many steps are done.

        Raises:
            OutOfTimeError: When what is left would take much longer than the limit allows.
        """
        if not done:
            return
        self.show(done)
        if _deadline < math.inf:
            _predict_end(self._text, time.monotonic() - self._begin, done, self._total)

    def show_part(self, done: float, share: float) -> None:
        """So many steps are done, and a share of the next one."""
        self.show(done + share)

    def show(self, done: float) -> None:
        """So many steps are done, parts of them counted; nothing ends."""
        if self._bar is not None:
            self._bar.update(done * self._scale)
        if _foretell is None or self._has_told or not 0 < done < self._total:
            return
        spent = time.monotonic() - self._begin - (_compiled - self._compiled)
        if self._first is None:
            self._first = spent, done
        since, more = spent - self._first[0], done - self._first[1]
        if since >= _SURE and more > 0:
            self._told = True
            whole = spent + since / more * (self._total - done)
            if whole >= _LONG:
                _foretell(self._text, whole)

    @property
    def _has_told(self) -> bool:
        """Has it been said how long this takes, or what it is a part of?"""
        return self._told or (self._outer is not None and self._outer._has_told)


class _Here(threading.local):
    """What this thread works on."""

    watch: Watch | None = None
    tell: Callable[[float], None] | None = None


_here = _Here()


@contextmanager
def watched(text: str, total: float) -> Iterator[Watch]:
    """For work that counts its steps itself: what is to be told how far it is.

    Args:
        total: A whole number of steps, or any other measure of work.

    Examples:
        >>> with watched("adding", 3) as watch:
        ...     watch(1)
        ...     watch(2.5)
    """
    watch_compiler()
    shown = total if isinstance(total, int) else _TICKS
    watch = Watch(text, total, _open_bar(text, shown) if _open_bar else None)
    outer, _here.watch = _here.watch, watch
    try:
        yield watch
    finally:
        _here.watch = outer
        if watch._bar is not None:
            watch._bar.close()


@contextmanager
def foretold(text: str, seconds: float) -> Iterator[None]:
    """For work whose length is known before it begins: it is told, and that of its parts is not.

    Examples:
        >>> with foretold("searching", 60):  # silent, unless a command has installed what says it
        ...     squares = [x * x for x in track(range(9), "squares")]
    """
    if _foretell is not None and seconds >= _LONG:
        _foretell(text, seconds)
    watch = Watch(text, seconds, None, told=True)
    outer, _here.watch = _here.watch, watch
    try:
        yield
    finally:
        _here.watch = outer


def step_done(share: float) -> None:
    """Say how much of the step that this thread works on is done, from 0 to 1.

    Examples:
        >>> for _ in track([1, 2], "long steps"):
        ...     step_done(0.5)
    """
    if _here.tell is not None:
        _here.tell(share)


@contextmanager
def part_of_step(index: int, count: int) -> Iterator[None]:
    """Inside, :func:`step_done` tells of one of some equal parts of a step.

    Examples:
        >>> with step_reports(print), part_of_step(1, 4):
        ...     step_done(0.5)
        0.375
    """
    outer = _here.tell
    with step_reports(lambda share: outer(min(1.0, (index + share) / count)) if outer else None):
        yield


@contextmanager
def step_reports(tell: Callable[[float], None]) -> Iterator[None]:
    """Inside, :func:`step_done` of this thread is handed on."""
    outer, _here.tell = _here.tell, tell
    try:
        yield
    finally:
        _here.tell = outer


def _predict_end(text: str, elapsed: float, done: float, total: float) -> None:
    """End work whose first steps show that it cannot be done in time."""
    check_time(text)
    rest = elapsed / done * (total - done)
    if elapsed > _EVIDENCE and rest > _OVERRUN * time_left():
        longer = human_time(elapsed + rest)
        raise OutOfTimeError(f"{text} would take longer than the time limit allows, about {longer}")
