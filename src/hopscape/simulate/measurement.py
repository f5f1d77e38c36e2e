"""One point of a load-latency curve, measured with care.

Warm-up is over when the mean latencies of short windows, cut where their standard error is least
(MSER), have the cut in their first half; until then the warm-up doubles. Packets born in the
measured span are then followed to the last one. The confidence interval is that of twenty batch
means.

A point measured the way BookSim measures it, for curves that are compared with its own.

BookSim warms up for some sample periods, then samples: three samples in a row that change mean
latency and accepted load by less than 5 % end the run. It calls a load unstable as soon as the
mean latency, with the ages of all packets that have not arrived, is beyond its limit; a load whose
latency still grows slowly when the samples are over passes. So its verdict is a matter of the
limit and of the length of a run; it is kept beside that of :func:`run_point`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.progress import part_of_step
from hopscape.simulate import layout
from hopscape.simulate.engine_gpu import Batch
from hopscape.simulate.fabric import Setup, fresh_state
from hopscape.simulate.layout import Counters, Source, State
from hopscape.simulate.parts import packets_under_way
from hopscape.simulate.run import PATIENCE, WINDOW, Run, blank_counters, is_deadlocked
from hopscape.simulate.settings import Settings
from hopscape.simulate.traffic import Traffic

if TYPE_CHECKING:
    from hopscape.simulate.faults import Fault

__all__ = [
    "Point",
    "Sampling",
    "Unfinished",
    "batch_means",
    "beyond_knee",
    "blank_counters",
    "drained",
    "make_source",
    "run_point",
    "run_samples",
    "saturation",
    "sum_up",
    "unfinished",
    "warm_up_cut",
    "zero_load",
]

_BATCHES = 20
_T_95 = 2.093  # Student's t, 19 degrees of freedom
_SLACK = 0.03  # cycles a cycle by which waiting packets may age in a steady network
_KNEE = 3.0  # times the latency of an empty network: beyond it a point counts as saturated
_WORST_LATENCY = 2000.0  # cycles: beyond it too, however slow the empty network is
_LEAST = 1e-4  # of the largest load: a bisection that comes so low has found nothing
_HEAPS = 0.1  # cycles a cycle by which they age where nothing ever gets steady


@dataclass(frozen=True)
class Point:
    """What one load gave. Loads are flits per endpoint and cycle, latencies cycles.

    Attributes:
        latency: Mean packet latency, from birth to the arrival of the last flit, source queue
            included.
        latency_ci: Half width of its 95 % confidence interval.
        network_latency: The same from the entry of the first flit.
        p50, p95, p99: Percentiles of the packet latency.
        hops: Mean number of routers traversed.
        saturated: The network does not carry the load: packets pile up at the sources, or the mean
            latency is beyond three times that of an empty network.
        waiting: Packets of the measured cycles that had not arrived when the run ended, in the
            network or at the sources (their expected number). Latency and percentiles count them
            with their ages so far: lower bounds, which grow with the length of the run. The network
            latency and the interval are left out (nan): who has not entered has none.
        deadlocked: Nothing moved any more, or a set of virtual channels waits for itself.
        fairness: Least over mean number of flits that endpoints received.
        busiest, mean_use: Share of cycles in which the busiest channel, and the mean one, carried a
            flit.
        warmup, cycles: Cycles before measuring, and measured.
        packets: Packets measured.
        lost: Packets that a fault destroyed, or that had no route.
        created, delivered, in_flight: Packets of the whole run, warm-up and drain included: created
            (entered the network, or were waiting at a source that died) = delivered + lost + still
            in flight at the end.
        rerouted: Packets that did not take the way of the undamaged network (each counted once).
        flit_hops: Flits through routers, warm-up and drain included.
    """

    offered: float
    accepted: float
    latency: float
    latency_ci: float
    network_latency: float
    p50: float
    p95: float
    p99: float
    hops: float
    saturated: bool
    deadlocked: bool
    fairness: float
    busiest: float
    mean_use: float
    warmup: int
    cycles: int
    packets: int
    created: int
    delivered: int
    lost: int
    rerouted: int
    in_flight: int
    flit_hops: int
    seconds: float
    waiting: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def make_source(traffic: Traffic, settings: Settings, load: float, transfers: Any = None) -> Source:
    """The arrays of a traffic at a load (flits per endpoint and cycle)."""
    if not load >= 0:
        raise ArgumentError(f"load is {load}; it must be at least 0")
    rate = load / settings.mean_packet / settings.injectors
    rates = np.array([rate, 0.0, 0.0])
    births = layout.BERNOULLI if load > 0 else layout.SILENT
    if traffic.trace is not None:
        births = layout.TRACE
    elif traffic.on_off is not None and load > 0:
        births = layout.ON_OFF
        turn_on, turn_off = traffic.on_off
        rates = np.array([rate * (turn_on + turn_off) / turn_on, turn_on, turn_off])
    if births != layout.TRACE and rates[0] > 1:
        raise ArgumentError(
            f"load is {load}; an injector starts at most one packet per cycle, so that the most"
            f" is {load / rates[0]:.4g}"
        )
    shares = np.asarray(settings.packet_shares or (1.0,) * len(settings.packet))
    none = np.empty(0, dtype=np.int32)
    moves, wakes, paths = transfers if transfers is not None else (None, none, none)
    return Source(
        kind=np.array([traffic.kind, births, settings.injectors], dtype=np.int64),
        rates=rates,
        targets=traffic.targets,
        starts=traffic.starts,
        shares=traffic.shares,
        sizes=np.asarray(settings.packet, dtype=np.int32),
        size_shares=np.cumsum(shares / shares.sum()),
        trace=traffic.trace if traffic.trace is not None else np.empty((0, 3), np.int32),
        transfers=moves if moves is not None else np.empty((0, layout.T_FIELDS), np.int32),
        wakes=wakes,
        paths=paths,
    )


def start(setup: Setup, traffic: Traffic, source: Source, seed: int, parts: int = 1) -> State:
    """An empty network whose endpoints have drawn their first births.

    Args:
        parts: Into how many parts it is cut, each for a thread (:mod:`hopscape.simulate.parts`).
    """
    from hopscape.simulate.source_kernels import first_births

    state = fresh_state(setup, seed, parts)
    if traffic.trace is not None:
        state.ends[:, layout.E_TRACE] = traffic.starts[:-1]
    first_births(state, source)
    return state


def warm_up_cut(series: Floats) -> int:
    """Where to cut the start off a series: least standard error of the rest (MSER).

    Examples:
        >>> warm_up_cut(np.array([9.0, 5.0, 1.0, 1.1, 0.9, 1.0, 1.1, 0.9]))
        2
    """
    count = len(series)
    if count < 4:
        return count
    backwards = series[::-1]
    size = np.arange(1, count + 1)
    mean = np.cumsum(backwards) / size
    spread = np.maximum(np.cumsum(backwards**2) / size - mean**2, 0)
    error = (spread / size)[::-1][: count - 2]
    return int(np.argmin(error))


def run_point(
    setup: Setup,
    traffic: Traffic,
    load: float,
    *,
    seed: int = 0,
    warmup: int | None = None,
    cycles: int = 10_000,
    latency_limit: float | None = None,
    faults: Sequence[Fault] = (),
    fault_routing: str = "family",
    batch: Batch | None = None,
    threads: int = 1,
) -> Point:
    """Simulate one load.

    Args:
        load: Flits per endpoint and cycle.
        warmup: Cycles before measuring; detected when left out.
        cycles: Cycles measured.
        latency_limit: A mean latency beyond it counts as saturated, instead of one beyond three
            times the latency of an empty network.
        faults: What dies, and when.
        fault_routing ({'family', 'tables'}): Where routes round what is dead come from.
        batch: The device that the point runs on, beside others; the processor when left out.
        threads: How many advance the network together, to the same point.

    Examples:
        >>> import hopscape
        >>> from hopscape.simulate import Settings, build_setup, make_traffic
        >>> setup = build_setup(hopscape.build("mesh(4, 4)"), Settings(vcs=2))
        >>> run_point(setup, make_traffic("uniform", 16), 0.1, cycles=1000).saturated
        False
    """
    if cycles < _BATCHES or (warmup is not None and warmup < 0):
        raise ArgumentError(f"cycles is {cycles} and warmup {warmup}; measure at least {_BATCHES}")
    source = make_source(traffic, setup.settings, load)
    state = start(setup, traffic, source, seed, 1 if faults or batch is not None else threads)
    most_warm = warmup if warmup is not None else 16_000
    counters = blank_counters(setup, (most_warm + cycles) // WINDOW + 2)
    run = Run(setup, state, source, counters, faults, fault_routing, batch)
    begin = time.perf_counter()
    still = _warm(run, warmup, cycles)
    first = run.now
    last = first + cycles
    counters.span[:2] = first, last
    state.scalars[[layout.BEGIN, layout.END]] = first, last
    backlog = _backlog(state)
    still = still or run.to(last)
    limit = latency_limit if latency_limit is not None else _WORST_LATENCY
    growth = (_backlog(state) - backlog) / cycles
    saturated = still or growth > _SLACK or _backlog(state) > limit
    deadline = last + (0 if saturated else 2 * cycles + int(4 * limit))
    while not still and run.now < deadline and not drained(state, counters, last):
        still = run.to(min(deadline, run.now + 200))
    finished = drained(state, counters, last)
    if not finished:
        run.settle()
    stuck = still or (not finished and is_deadlocked(run.setup, state))
    seconds = time.perf_counter() - begin
    late = None if finished else unfinished(state, source, first, last)
    point = sum_up(setup, state, counters, load, late=late, stuck=stuck, seconds=seconds)
    slow = beyond_knee(setup, point) if latency_limit is None else point.latency > latency_limit
    return replace(point, saturated=bool(saturated or not finished or slow))


def beyond_knee(setup: Setup, point: Point) -> bool:
    """Whether the mean latency is beyond three times that of an empty network."""
    return not point.latency <= min(_WORST_LATENCY, _KNEE * zero_load(setup, point.hops))


def zero_load(setup: Setup, hops: float) -> float:
    """Latency of a packet over so many routers that meets nobody."""
    settings = setup.settings
    links = setup.lines[: len(setup.network.heads), layout.U_DELAY]
    extra = (float(links.mean()) - settings.link_delay) * (hops - 1)
    if settings.switching == "store-and-forward":
        extra += (settings.mean_packet - 1) * (hops - 1)
    elif settings.switching == "circuit":
        extra += 0.5 * settings.zero_load(hops, 1)
    return settings.zero_load(hops) + extra


def _warm(run: Run, warmup: int | None, cycles: int) -> bool:
    """Run until the start no longer shows; True when nothing moves any more.

    Args:
        cycles: Cycles that will be measured then.
    """
    until = warmup if warmup is not None else 1000
    while True:
        run.expected = until + cycles
        if run.to(until):
            return True
        if warmup is not None or until >= 16_000 or _backlog(run.state) > _HEAPS * until:
            return False  # what piles up like this never gets steady
        rows = run.counters.windows[: until // WINDOW]
        seen = rows[rows[:, layout.W_COUNT] > 0]
        series = seen[:, layout.W_LATENCY] / seen[:, layout.W_COUNT]
        ripe = series[: max(4, int(0.8 * len(series)))]
        if len(ripe) >= 4 and warm_up_cut(ripe) <= len(ripe) // 2:
            return False
        until *= 2


def _backlog(state: State) -> float:
    """How long, in the mean, the oldest packet outside the network has waited."""
    births = state.ends[:, layout.E_BIRTH].astype(np.int64)
    return float(np.maximum(int(state.scalars[layout.NOW]) - births, 0).mean())


def drained(state: State, counters: Counters, last: int) -> bool:
    """Whether all packets born before cycle `last` that count have arrived or are lost."""
    if int(state.ends[:, layout.E_BIRTH].min()) < last:
        return False
    arrived = int(counters.histogram[0].sum()) + int(state.scalars[layout.LOST_MEASURED])
    return arrived >= int(state.scalars[layout.MEASURED])


class Unfinished(NamedTuple):
    """Packets of the measured cycles that have not arrived.

    Attributes:
        inside (int64[packets]): Cycles since the birth of each in the network.
        ages (int64[cycles]): Cycles since each measured cycle.
        queued (float64[cycles]): How many of those born then wait at their sources. A source queue
            is not stored; behind its first packet, the mean rate says how many there are.
    """

    inside: IntArray
    ages: IntArray
    queued: Floats

    @property
    def number(self) -> float:
        """How many there are."""
        return len(self.inside) + float(self.queued.sum())

    @property
    def total(self) -> float:
        """Sum of the cycles since their births."""
        return float(self.inside.sum()) + float(self.ages @ self.queued)


def unfinished(state: State, source: Source, first: int, last: int) -> Unfinished:
    """The packets born from cycle `first` to before `last` that have neither arrived nor got lost.

    Takes time and memory in proportion to the measured cycles and the packets in the network.
    """
    now = int(state.scalars[layout.NOW])
    last = max(first, min(last, now))
    under_way = packets_under_way(state)
    under_way = under_way[(state.packets[under_way, layout.MARKS] & layout.KILLED) == 0]
    born = state.packets[under_way, layout.BORN].astype(np.int64)
    mine = born[(first <= born) & (born < last)]
    queued = np.zeros(last - first + 1)
    if source.kind[1] == layout.TRACE:
        places = zip(state.ends[:, layout.E_TRACE], source.starts[1:], strict=True)
        births = np.concatenate([source.trace[low:high, 0] for low, high in places])
    else:
        births = state.ends[:, layout.E_BIRTH].astype(np.int64)
        after = np.clip(births + 1, first, last) - first
        np.add.at(queued, after, _mean_rate(source))
        queued = np.cumsum(queued)
        trials = int(source.kind[2])
        left = (trials - 1 - state.ends[:, layout.E_TRIAL]) * _mean_rate(source) / trials
        now_born = (first <= births) & (births < last)
        np.add.at(queued, births[now_born] - first, left[now_born])
    births = births[(first <= births) & (births < last)]
    np.add.at(queued, births - first, 1.0)
    return Unfinished(now - mine, now - np.arange(first, last), queued[:-1])


def _mean_rate(source: Source) -> float:
    """Packets per cycle of an endpoint, bursts and pauses together."""
    chance, turn_on, turn_off = map(float, source.rates)
    rate = chance * int(source.kind[2])
    bursts = source.kind[1] == layout.ON_OFF
    return rate * turn_on / (turn_on + turn_off) if bursts else rate


def sum_up(
    setup: Setup,
    state: State,
    counters: Counters,
    load: float,
    *,
    late: Unfinished | None,
    stuck: bool,
    seconds: float,
) -> Point:
    """The point that the counters tell.

    Args:
        late: What had not arrived at the end; None when the network was drained.
    """
    first, last = int(counters.span[0]), int(counters.span[1])
    cycles = last - first
    rows = counters.windows[-(-first // WINDOW) : last // WINDOW]
    latency, spread = batch_means(rows)
    arrived = float(rows[:, layout.W_COUNT].sum())
    count = max(1.0, arrived)
    hops = float(rows[:, layout.W_HOPS].sum()) / count
    network_latency = float(rows[:, layout.W_NETWORK].sum()) / count
    delays = counters.histogram[0].astype(np.float64)
    if late is not None and late.number:
        total = float(rows[:, layout.W_LATENCY].sum()) + late.total
        latency, spread = total / (arrived + late.number), float("nan")
        network_latency = float("nan")
        np.add.at(delays, np.minimum(late.inside, len(delays) - 1), 1.0)
        np.add.at(delays, np.minimum(late.ages, len(delays) - 1), late.queued)
    channels = len(setup.network.heads)
    use = counters.used[:channels] / cycles
    mean_received = float(counters.received.mean())
    return Point(
        offered=load,
        accepted=float(counters.received.sum()) / cycles / setup.endpoints,
        latency=latency,
        latency_ci=spread,
        network_latency=network_latency,
        p50=_percentile(delays, 0.50),
        p95=_percentile(delays, 0.95),
        p99=_percentile(delays, 0.99),
        hops=hops,
        saturated=late is not None,
        deadlocked=stuck,
        fairness=float(counters.received.min()) / mean_received if mean_received else 0.0,
        busiest=float(use.max()),
        mean_use=float(use.mean()),
        warmup=first,
        cycles=cycles,
        packets=int(counters.histogram[0].sum()),
        created=int(state.scalars[layout.CREATED]),
        delivered=int(state.scalars[layout.DELIVERED]),
        lost=int(state.scalars[layout.LOST]),
        rerouted=int(state.scalars[layout.REROUTED]),
        in_flight=int(state.scalars[layout.IN_FLIGHT]),
        flit_hops=int(state.scalars[layout.FLIT_HOPS]),
        seconds=seconds,
        waiting=round(late.number) if late is not None else 0,
    )


def batch_means(rows: Floats) -> tuple[float, float]:
    """Mean latency and half width of its confidence interval."""
    count = float(rows[:, layout.W_COUNT].sum())
    if count == 0:
        return float("nan"), float("nan")
    mean = float(rows[:, layout.W_LATENCY].sum()) / count
    parts = [p for p in np.array_split(rows, _BATCHES) if len(p) and p[:, layout.W_COUNT].sum()]
    if len(parts) < 2:
        return mean, float("nan")
    means = [p[:, layout.W_LATENCY].sum() / p[:, layout.W_COUNT].sum() for p in parts]
    return mean, _T_95 * float(np.std(means, ddof=1)) / len(means) ** 0.5


def _percentile(histogram: Floats, share: float) -> float:
    summed = np.cumsum(histogram)
    if summed[-1] == 0:
        return float("nan")
    return float(np.searchsorted(summed, share * summed[-1]))


def saturation(
    setup: Setup,
    traffic: Traffic,
    *,
    seed: int = 0,
    warmup: int | None = None,
    cycles: int = 10_000,
    precision: float = 0.005,
    most: float = 1.0,
    device: str = "cpu",
    threads: int = 1,
    tell: Callable[[Point], None] | None = None,
) -> tuple[float, list[Point]]:
    """The largest load that is carried, by bisection, and the points on the way.

    The answer is exact to a share of `precision` of itself.

    Args:
        tell: Given each point when it is known.

    Examples:
        >>> import hopscape
        >>> from hopscape.simulate import Settings, build_setup, make_traffic
        >>> setup = build_setup(hopscape.build("ring(8)"), Settings(vcs=8))
        >>> load, _ = saturation(setup, make_traffic("tornado", 8), cycles=1000, precision=0.1)
        >>> 0 < load < 0.5
        True
    """
    if not 0 < precision < 1:
        raise ArgumentError(f"precision is {precision}; it must be between 0 and 1")
    low, high = 0.0, most * setup.settings.injectors
    points: list[Point] = []
    turns = math.ceil(math.log2(1 / precision)) + 1
    while high - low > precision * high and high > _LEAST * most:
        middle = (low + high) / 2
        batch = Batch(setup, 1, PATIENCE) if device == "gpu" else None
        with part_of_step(len(points), turns):
            point = run_point(
                setup,
                traffic,
                middle,
                seed=seed,
                warmup=warmup,
                cycles=cycles,
                batch=batch,
                threads=threads,
            )
        points.append(point)
        if tell is not None:
            tell(point)
        if point.saturated:
            high = middle
        else:
            low = middle
    return low, sorted(points, key=lambda p: p.offered)


_STEADY = 0.05  # change of latency between two samples that are settled, as BookSim has it
_IN_A_ROW = 3  # such samples one after the other, as there
_NEVER = 2**40  # a cycle that does not come
_LONGER = 10  # times the samples asked for, before a point counts as unsettled
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
    late = unfinished(state, source, first, last) if unstable else None
    point = sum_up(setup, state, counters, load, late=late, stuck=stuck, seconds=seconds)
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
    under_way = packets_under_way(state)
    total += float((now - state.packets[under_way, layout.BORN]).sum())
    count += len(under_way)
    if source.kind[1] != layout.TRACE:
        waits = np.maximum(now - state.ends[:, layout.E_BIRTH].astype(np.float64), 0)
        rate = _mean_rate(source)
        total += float((waits**2).sum()) * rate / 2
        count += float(waits.sum()) * rate
    return total / max(1.0, count)
