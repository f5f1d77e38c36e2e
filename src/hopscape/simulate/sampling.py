"""A point measured the way BookSim measures it, for curves that are compared with its own.

BookSim warms up for some sample periods, then samples: three samples in a row that change mean
latency and accepted load by less than 5 % end the run. It calls a load unstable as soon as the
mean latency, with the ages of all packets that have not arrived, is beyond its limit; a load whose
latency still grows slowly when the samples are over passes. So its verdict is a matter of the
limit and of the length of a run; it is kept beside that of :func:`run_point`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.simulate import layout
from hopscape.simulate.fabric import Setup
from hopscape.simulate.layout import Counters, Source, State
from hopscape.simulate.measurement import (
    Point,
    batch_means,
    beyond_knee,
    drained,
    make_source,
    start,
    sum_up,
    zero_load,
)
from hopscape.simulate.run import WINDOW, Run, blank_counters, is_deadlocked
from hopscape.simulate.traffic import Traffic

__all__ = ["Sampling", "run_samples"]

_STEADY = 0.05
_IN_A_ROW = 3
_NEVER = 2**40
_LONGER = 10
_SHARP = 0.01
_CALM = 2.0


@dataclass(frozen=True)
class Sampling:
    """Sample periods.

    Attributes:
        period: Cycles of one.
        warm: Periods before measuring.
        most: All periods, those before measuring included.
        limit: The mean latency beyond which a load is unstable.
    """

    period: int = 1000
    warm: int = 3
    most: int = 10
    limit: float = 500.0

    def __post_init__(self) -> None:
        for name, least in (("period", 1), ("warm", 0), ("most", 1)):
            if getattr(self, name) < least:
                raise ArgumentError(f"{name} is {getattr(self, name)}; it must be at least {least}")
        if not self.limit > 0:
            raise ArgumentError(f"limit is {self.limit}; it must be above 0")


def run_samples(
    setup: Setup, traffic: Traffic, load: float, sampling: Sampling, *, seed: int = 0
) -> tuple[Point, bool]:
    """Simulate one load; the point, and whether BookSim would call the load unstable.

    A load that BookSim would have settled, below twice the latency of an empty network, is measured
    on until its mean latency is known to 1 %, or for ten times as many periods: that only makes
    the figures sharper.

    Examples:
        >>> import hopscape
        >>> from hopscape.simulate import Settings, build_setup, make_traffic
        >>> setup = build_setup(hopscape.build("mesh(4, 4)"), Settings(vcs=2))
        >>> point, unstable = run_samples(
        ...     setup, make_traffic("uniform", 16), 0.1, Sampling(period=200)
        ... )
        >>> point.saturated, unstable
        (False, False)
    """
    source = make_source(traffic, setup.settings, load)
    state = start(setup, traffic, source, seed)
    period, samples = sampling.period, max(1, sampling.most - sampling.warm)
    first = period * sampling.warm
    counters = blank_counters(setup, (first + period * samples * _LONGER) // WINDOW + 2)
    run = Run(setup, state, source, counters)
    begin = time.perf_counter()
    still = run.to(first)
    counters.span[:2] = first, _NEVER
    state.scalars[[layout.BEGIN, layout.END]] = first, _NEVER
    unstable = settled = False
    steady, before = 0, (0.0, 0.0)
    for sample in range(1, samples * _LONGER + 1):
        if sample > samples and not (settled and _worth_more(setup, counters, first, run.now)):
            break
        still = still or run.to(first + sample * period)
        seen = counters.windows[first // WINDOW :, layout.W_COUNT].sum()
        mean = counters.windows[first // WINDOW :, layout.W_LATENCY].sum() / max(1.0, seen)
        accepted = float(counters.received.sum()) / sample
        steady = steady + 1 if _near(mean, before[0]) and _near(accepted, before[1]) else 0
        before = (mean, accepted)
        settled = settled or steady >= _IN_A_ROW
        if still or (not settled and _age(state, source, mean * seen, seen) > sampling.limit):
            unstable = True
            break
    last = run.now
    counters.span[1] = state.scalars[layout.END] = last
    while not (unstable or drained(state, counters, last)):
        still = run.to(run.now + period)
        rows = counters.windows[first // WINDOW : last // WINDOW]
        seen, total = rows[:, layout.W_COUNT].sum(), rows[:, layout.W_LATENCY].sum()
        unstable = bool(still or _age(state, source, total, seen) > sampling.limit)
    stuck = still or (unstable and is_deadlocked(run.setup, state))
    seconds = time.perf_counter() - begin
    point = sum_up(setup, state, counters, load, saturated=unstable, stuck=stuck, seconds=seconds)
    return replace(point, saturated=unstable or beyond_knee(setup, point)), unstable


def _worth_more(setup: Setup, counters: Counters, first: int, now: int) -> bool:
    rows = counters.windows[-(-first // WINDOW) : now // WINDOW]
    mean, spread = batch_means(rows)
    hops = rows[:, layout.W_HOPS].sum() / max(1.0, rows[:, layout.W_COUNT].sum())
    return spread > _SHARP * mean and mean < _CALM * zero_load(setup, float(hops))


def _near(value: float, before: float) -> bool:
    return value > 0 and abs(value - before) / value < _STEADY


def _age(state: State, source: Source, total: float, count: float) -> float:
    """Mean latency so far, packets that have not arrived counted with their ages.

    Packets in the source queues are not stored; they are as many as the mean rate makes in the
    time for which the oldest one has waited.
    """
    now = int(state.scalars[layout.NOW])
    fresh, free = int(state.scalars[layout.FRESH]), int(state.scalars[layout.FREE])
    under_way = np.ones(fresh, dtype=np.bool_)
    under_way[state.packets[:free, layout.SPARE]] = False
    total += float((now - state.packets[:fresh, layout.BORN][under_way]).sum())
    count += int(under_way.sum())
    if source.kind[1] != layout.TRACE:
        waits = np.maximum(now - state.ends[:, layout.E_BIRTH].astype(np.float64), 0)
        rate = float(source.rates[0])
        total += float((waits**2).sum()) * rate / 2
        count += float(waits.sum()) * rate
    return total / max(1.0, count)
