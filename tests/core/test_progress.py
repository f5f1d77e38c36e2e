"""Progress and time limits."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable

import numpy as np
import pytest

from hopscape.core import progress
from hopscape.core.errors import OutOfTimeError
from hopscape.core.progress import (
    allow_more,
    check_time,
    human_time,
    paced,
    part_of_step,
    set_progress,
    step_done,
    step_reports,
    time_left,
    time_limit,
    track,
    watched,
)


class Clock:
    """A clock that only moves when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    found = Clock()
    monkeypatch.setattr(progress.time, "monotonic", found)
    return found


def _dig(clock: Clock, steps: Iterable[int], seconds: float) -> None:
    for _ in track(steps, "digging"):
        clock.now += seconds


def test_without_a_limit_nothing_ends(clock: Clock) -> None:
    _dig(clock, range(5), 1e9)
    assert time_left() == math.inf
    check_time("anything", 1e12)


def test_work_ends_between_two_steps(clock: Clock) -> None:
    with time_limit(10), pytest.raises(OutOfTimeError, match="digging would take longer"):
        _dig(clock, iter(range(100)), 4)
    assert clock.now == 1012
    assert time_left() == math.inf


def test_hopeless_work_ends_early_and_says_how_long_it_would_take(clock: Clock) -> None:
    with time_limit(60), pytest.raises(OutOfTimeError, match=r"about 16\.7 min"):
        _dig(clock, range(1000), 1)
    assert clock.now == 1001


def test_work_that_fits_is_done(clock: Clock) -> None:
    with time_limit(60):
        _dig(clock, range(55), 1)
        assert time_left() == 5


def test_the_shorter_of_two_limits_counts(clock: Clock) -> None:
    with time_limit(10), time_limit(100):
        assert time_left() == 10
        with time_limit(None), time_limit(3):
            assert time_left() == 3
        allow_more(5)
        assert time_left() == 15


def test_other_work_on_the_machine_counts(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work that got a quarter of a processor so far is expected to get no more."""
    worked = Clock()
    monkeypatch.setattr(progress, "_worked", worked)
    with time_limit(20):
        check_time("thinking", 6)
        clock.now += 4
        worked.now += 1
        check_time("thinking", 3.9)
        with pytest.raises(OutOfTimeError, match="about 24 s"):
            check_time("thinking", 6)
    check_time("thinking", 6)


def test_paced_work_comes_in_parts_of_a_fraction_of_a_second(clock: Clock) -> None:
    sizes, covered = [], []
    for part in paced(1000, "counting", unit=4):
        sizes.append(part.stop - part.start)
        covered += range(1000)[part]
        clock.now += 0.01 * sizes[-1]
    assert covered == list(range(1000))
    assert all(size % 4 == 0 for size in sizes)
    assert max(sizes) == 32
    assert list(paced(0, "nothing")) == []


def test_progress_is_shown_and_closed(clock: Clock) -> None:
    told: list[int] = []

    class Bar:
        def __init__(self, text: str, total: int) -> None:
            told.append(total)

        def update(self, done: int) -> None:
            told.append(done)

        def close(self) -> None:
            told.append(-1)

    set_progress(Bar)
    try:
        list(track([5, 6, 7], "three"))
    finally:
        set_progress(None)
    assert told == [3, 1, 2, -1]


@pytest.fixture
def foretold() -> Iterable[list[tuple[str, float]]]:
    told: list[tuple[str, float]] = []
    set_progress(None, lambda text, seconds: told.append((text, seconds)))
    yield told
    set_progress(None)


def test_long_work_is_foretold_once_from_its_first_steps(clock: Clock, foretold: list) -> None:
    for _ in track(range(100), "counting"):
        clock.now += 0.4
    assert foretold == [("counting", pytest.approx(40.0))]


def test_short_work_is_not_foretold(clock: Clock, foretold: list) -> None:
    for _ in track(range(100), "counting"):
        clock.now += 0.09
    for _ in track(range(1), "one step"):
        clock.now += 1000
    assert foretold == []


def test_a_long_step_says_how_far_it_is(clock: Clock, foretold: list) -> None:
    for _ in track(range(2), "two steps"):
        for quarter in range(1, 5):
            clock.now += 5
            step_done(quarter / 4)
    assert foretold == [("two steps", pytest.approx(40.0))]


def test_what_is_part_of_foretold_work_is_not_foretold(clock: Clock, foretold: list) -> None:
    for _ in track(range(4), "outside"):
        for _ in track(range(8), "inside"):
            clock.now += 2
    laps = [("inside", pytest.approx(16.0))] * 2  # of the first two laps
    assert foretold == [*laps, ("outside", pytest.approx(64.0))]
    foretold.clear()
    with watched("outside", 100.0) as watch:
        for done in (5, 10):
            clock.now += 2
            watch(done)
        for _ in track(range(8), "inside"):
            clock.now += 2
    assert foretold == [("outside", pytest.approx(40.0))]


def test_what_is_known_beforehand_is_told_at_once(clock: Clock, foretold: list) -> None:
    with progress.foretold("searching", 60):
        for _ in track(range(40), "a round"):
            clock.now += 1
    with progress.foretold("a glance", 5):
        pass
    assert foretold == [("searching", 60)]


def test_what_compiles_is_not_counted(clock: Clock, foretold: list, monkeypatch) -> None:
    with watched("sums", 10.0) as watch:
        clock.now += 30
        monkeypatch.setattr(progress, "_compiled", progress._compiled + 28)
        watch(1.0)
        clock.now += 4
        watch(2.0)
    assert foretold == [("sums", pytest.approx(38.0))]


def test_a_slow_start_tells_nothing(clock: Clock, foretold: list) -> None:
    with watched("workers", 40) as watch:
        clock.now += 60
        for done in range(1, 40):
            watch(done)
            clock.now += 1
    assert foretold == [("workers", pytest.approx(99.0))]


def test_parts_of_a_step_are_shares_of_it() -> None:
    shares: list[float] = []
    with step_reports(shares.append):
        for i in range(2):
            with part_of_step(i, 2):
                step_done(0.5)
                step_done(1.0)
    assert shares == [0.25, 0.5, 0.75, 1.0]
    step_done(0.5)  # nobody asks
    with part_of_step(0, 2):
        step_done(0.5)


@pytest.mark.compiled
def test_the_compiler_does_not_count() -> None:
    from numba import njit

    def slow(x):  # compiled anew, not from a cache
        return np.linalg.norm(np.ones((3, 3))) + x

    with time_limit(1000):
        before, begin = time_left(), time.monotonic()
        njit(slow)(1.0)
        spent = time.monotonic() - begin
        assert before - time_left() < spent / 2


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.25, "0.25 s"),
        (119, "119 s"),
        (180, "3 min"),
        (3e5, "3.47 days"),
        (1e30, "more than 1000 years"),
    ],
)
def test_times_for_people(seconds: float, text: str) -> None:
    assert human_time(seconds) == text
