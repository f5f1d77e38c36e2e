"""Progress for work that takes longer than a second, and limits on how long it may take.

The house below the command line knows only :func:`track`; the command line installs a bar and sets
limits.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from typing import Protocol, TypeVar

from hopscape.core.errors import OutOfTimeError

__all__ = [
    "ProgressBar",
    "allow_more",
    "check_time",
    "human_time",
    "paced",
    "set_progress",
    "spend_steps",
    "steps_left",
    "time_left",
    "time_limit",
    "track",
    "watch_compiler",
]

Item = TypeVar("Item")


class ProgressBar(Protocol):
    """What shows progress: told how far, and when it ends."""

    def update(self, done: int) -> None:
        """So many steps are done."""

    def close(self) -> None:
        """The work has ended."""


_open_bar: Callable[[str, int], ProgressBar] | None = None
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


def set_progress(open_bar: Callable[[str, int], ProgressBar] | None) -> None:
    """Install what shows progress (None for silence): it takes a text and a number of steps."""
    global _open_bar
    _open_bar = open_bar


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
                    allow_more(time.monotonic() - self.begin)

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
    with _watched(text, total) as watch:
        for i, step in enumerate(steps):
            watch(i)
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
    with _watched(text, total) as watch:
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


@contextmanager
def _watched(text: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function to be told how far we are, before each further step."""
    bar = _open_bar(text, total) if _open_bar is not None else None
    watch_compiler()
    begin = time.monotonic()

    def watch(done: int) -> None:
        if not done:
            return
        if bar is not None:
            bar.update(done)
        if _deadline < math.inf:
            _predict_end(text, time.monotonic() - begin, done, total)

    try:
        yield watch
    finally:
        if bar is not None:
            bar.close()


def _predict_end(text: str, elapsed: float, done: int, total: int) -> None:
    """End work whose first steps show that it cannot be done in time."""
    check_time(text)
    rest = elapsed / done * (total - done)
    if elapsed > _EVIDENCE and rest > _OVERRUN * time_left():
        longer = human_time(elapsed + rest)
        raise OutOfTimeError(f"{text} would take longer than the time limit allows, about {longer}")
