"""Slot-level simulation of rings: throughput under saturation, delay under open load.

Every arc carries one slot, all slots advance one arc per slot time, the destination empties a slot
and may refill it at once.

Estimates are means over independent replications with their warm-up deleted (Law, Simulation
Modeling and Analysis, section 9.5.2), with intervals by Student's t. Replications of the same run
share nothing but the tables, so that correlation in time cannot make an interval too narrow. What
is proved about the rings stands beside the estimates and never touches them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.papers.multiring.traffic import RingTraffic, alias_table, ring_traffic

__all__ = ["RingRun", "RingTraffic", "check_load", "jain_index", "ring_traffic", "simulate"]

_REPLICATIONS = 20
"""Student's quantile at 19 degrees of freedom is 2.09: a longer list buys little over 1.96."""
_DOUBLINGS = 4
"""A run that still drifts is repeated up to 16 times as long before it is called not settled."""
_RELAXATIONS = 8
"""An open queue that starts empty is within e^-8 = 0.03 % of its mean after so many of its times of
relaxation."""
_DRIFT_ERRORS = 3.0
"""Standard errors between the halves of the replications that are called a drift: by chance this
happens in less than one of a hundred runs, which are then only repeated at twice the length."""
_IMPOSSIBLE_WIDTHS = 4.0
"""Half-widths above a proved bound that are called a bug: eight standard errors, one in 10⁷ runs by
chance."""
_MOST_UPDATES = 20_000_000_000
"""Steps of single places in one run: about two minutes."""
_MODES = {"saturated": 0, "window": 1, "open": 2}


@dataclass(frozen=True)
class RingRun:
    """What a simulation measured, with half-widths of 95 % confidence intervals.

    Attributes:
        throughput: Packets sent per slot by all nodes together, as counted.
        sent_at_most: Proved: no more packets per slot fit on the rings in this mode.
        effective: Saturated only: the part of the throughput that traffic of the given
            distribution could use, by what the fullest arcs carry. Its exact value is `capacity`.
        fair_throughput: Saturated and window: N times the rate of the slowest kind of node. Equal
            to the throughput when all nodes are alike.
        jain_index: (Σ x)² / (N Σ x²) over the rates x of the nodes: 1 when all send alike, 1/N when
            one node sends alone (Jain, Chiu and Hawe 1984).
        wait: Open only: mean time from arrival to leaving all buffers, in slots.
        slots, warm_up: Slots measured and slots deleted, over all replications.
        settled: After the warm-up neither what is measured nor the buffers show a drift.
        capacity: Proved: packets per slot of the given traffic that the schedule carries.
    """

    mode: str
    offered: float | None
    throughput: float
    throughput_half_width: float
    sent_at_most: float
    effective: float | None
    effective_half_width: float | None
    fair_throughput: float | None
    fair_throughput_half_width: float | None
    jain_index: float | None
    wait: float | None
    wait_half_width: float | None
    replications: int
    slots: int
    warm_up: int
    settled: bool
    updates: int
    capacity: Fraction

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        return self.__dict__ | {"capacity_decimal": float(self.capacity)}


class _Machine:
    """The state of the rings, and a kernel that moves it on."""

    def __init__(
        self, traffic: RingTraffic, mode: int, window: int, rate: float, insertion: bool, seed: Any
    ) -> None:
        from hopscape.papers.multiring.slots_kernels import (
            RingTables,
            run_insertion,
            run_segmented,
        )

        self.traffic, self.mode, self.rate, self.insertion = traffic, mode, rate, insertion
        self.window = window
        self._run = run_insertion if insertion else run_segmented
        values = [sorted(table) for table in traffic.lengths]
        cut, other = alias_table(
            [[table[v] for v in row] for table, row in zip(traffic.lengths, values)]
        )
        own = np.zeros(cut.shape, dtype=np.int64)
        for i, row in enumerate(values):
            own[i, : len(row)] = row
        lengths = np.stack([own, np.take_along_axis(own, other, axis=1)], axis=2)
        node_cut, node_other = alias_table(traffic.port_weights)
        self._tables = RingTables(
            starts=traffic.starts,
            sizes=traffic.sizes,
            classes=traffic.classes,
            owner=traffic.owner,
            cut=cut,
            values=lengths,
            kind=traffic.kind,
            node_cut=node_cut,
            node_other=node_other,
            ports=traffic.ports,
        )
        self.restart(seed)

    def restart(self, seed: Any) -> None:
        """Empty rings and new random numbers: the start of a replication."""
        from hopscape.papers.multiring.slots_kernels import RingState

        traffic = self.traffic
        places = len(traffic.owner)
        generator = np.random.default_rng(seed)
        self.state = RingState(
            slots=np.zeros(places, dtype=np.int64),
            registers=np.zeros(places, dtype=np.int64),
            queue=np.zeros(places, dtype=np.int64),
            random=generator.integers(1, 2**63, size=1).astype(np.uint64),
            clock=np.full(1, 1e-9),
            counts=np.zeros(len(traffic.lengths), dtype=np.int64),
        )
        self.now = 1
        if self.mode == 0:
            self.state.queue[:] += np.asarray([bool(t) for t in traffic.lengths])[traffic.classes]
        elif self.mode == 1:
            self._fill(generator)

    def _fill(self, generator: np.random.Generator) -> None:
        """Packets where they pile up in the long run: before the fullest arcs.

        In a closed network of equally loaded queues every split of the packets is equally likely
        (Gordon and Newell 1967), so a split is drawn from all of them.
        """
        traffic = self.traffic
        blocked = traffic.crossing.sum(axis=0)[traffic.classes[traffic.ports]] > 0
        for node, kind in enumerate(traffic.kind):
            used = np.asarray([float(w) > 0 for w in traffic.port_weights[kind]])
            if (used & blocked[node]).any():
                used = used & blocked[node]
            ports = traffic.ports[node][used]
            drawn = generator.multinomial(self.window, generator.dirichlet(np.ones(len(ports))))
            self.state.queue[ports] += drawn

    def queued(self) -> IntArray:
        """Packets that wait, by the class of their place."""
        return np.bincount(
            self.traffic.classes, weights=self.state.queue, minlength=len(self.traffic.lengths)
        )

    def run(self, slots: int) -> tuple[IntArray, int, int]:
        """Packets sent by each class, sum of waiting packets, arrivals."""
        self.state.counts[:] = 0
        waiting, came = self._run(self._tables, self.state, self.now, slots, self.mode, self.rate)
        self.now += slots
        return self.state.counts.copy(), int(waiting), int(came)


def check_load(traffic: RingTraffic, load: float) -> None:
    """Refuse an open load that no simulation can carry.

    Examples:
        >>> from hopscape.papers.multiring import Multiring
        >>> traffic = ring_traffic(Multiring(16, (1, 3)))
        >>> check_load(traffic, 20.0)
        >>> try:
        ...     check_load(traffic, 30.0)
        ... except ArgumentError as error:
        ...     print(str(error)[:58])
        load is 30; this schedule carries 21.8182 packets per slot
    """
    if not (load > 0 and math.isfinite(load)):
        raise ArgumentError(f"load is {load}; an open simulation needs packets per slot above 0")
    if load >= traffic.capacity:
        raise ArgumentError(
            f"load is {load:g}; this schedule carries {float(traffic.capacity):.6g} packets per"
            " slot, so that the buffers would grow without end"
        )


def simulate(
    traffic: RingTraffic,
    mode: str = "saturated",
    *,
    window: int = 64,
    load: float = 0.0,
    insertion: bool = False,
    slots: int = 20_000,
    seed: int = 0,
) -> RingRun:
    """Simulate rings by independent replications until what is measured shows no drift.

    Args:
        traffic: From :func:`ring_traffic`.
        mode ({'saturated', 'window', 'open'}): No buffer is ever empty; each node keeps `window`
            packets; Poisson arrivals.
        window: Packets that each node holds, in all its buffers together.
        load: Packets per slot in all, when open; below the capacity of the schedule.
        insertion: Register-insertion rings in place of segmented ones.
        slots: How long to measure at first, all replications together; doubled up to four times
            while a drift is seen.

    Raises:
        HopscapeError: When a settled result lies far above a proved bound: a bug.

    Examples:
        >>> from hopscape.papers.multiring import Multiring
        >>> run = simulate(ring_traffic(Multiring(16, (1,), copies=2)), slots=4000)
        >>> abs(run.effective - 15) < 0.2
        True
    """
    if mode not in _MODES:
        raise ArgumentError(f"mode is {mode!r}; it must be one of {', '.join(_MODES)}")
    least = 2 * _REPLICATIONS  # two halves of one slot each
    if window < 1 or slots < least:
        raise ArgumentError(f"window {window} and slots {slots} must be at least 1 and {least}")
    if seed < 0:
        raise ArgumentError(f"seed is {seed}; it must be at least 0")
    if mode == "open":
        check_load(traffic, load)
    machine = _Machine(traffic, _MODES[mode], window, load, insertion, [seed, 0])
    warm_up, long_enough = _warm_up(traffic, mode, window, load, slots)
    half, total = slots // least, 0
    for attempt in range(_DOUBLINGS + 1):
        sample = _replicate(machine, warm_up, half << attempt, [seed, attempt])
        total += _REPLICATIONS * (warm_up + (2 * half << attempt))
        if sample.steady:
            break
        warm_up *= 2
    settled = sample.steady and long_enough
    measured = 2 * _REPLICATIONS * (half << attempt)
    opened = mode == "open"
    idle = 0.0 if insertion else 0.5  # a segmented ring passes its slots half a slot late
    sent = _interval(sample.rates.sum(axis=1))
    effective = _interval(sample.rates @ traffic.usable) if mode == "saturated" else (None, None)
    fair = (None, None) if opened else _interval(sample.rates @ _slowest(traffic, sample.pilot))
    wait = _interval(sample.waiting / load + idle) if opened else (None, None)
    run = RingRun(
        mode=mode,
        offered=load if opened else None,
        throughput=sent[0],
        throughput_half_width=sent[1],
        sent_at_most=_most_sent(traffic, mode),
        effective=effective[0],
        effective_half_width=effective[1],
        fair_throughput=fair[0],
        fair_throughput_half_width=fair[1],
        jain_index=None if opened else jain_index(_node_rates(traffic, sample.rates.mean(axis=0))),
        wait=wait[0],
        wait_half_width=wait[1],
        replications=_REPLICATIONS,
        slots=measured,
        warm_up=total - measured,
        settled=settled,
        updates=total * len(traffic.owner),
        capacity=traffic.capacity,
    )
    _require_possible(run)
    return run


def _warm_up(
    traffic: RingTraffic, mode: str, window: int, load: float, slots: int
) -> tuple[int, bool]:
    """Slots of each replication that are deleted, and whether they are as many as theory asks.

    At least as many as are measured, and twice round the longest ring, which is what segmented
    rings remember. A window is sent at least once; the split of its packets between the ports
    moves like a random walk between walls, with a relaxation of w²/(π² r) slots at r packets per
    slot and port, and starts near its law, so that half of the relaxations are enough and fewer
    are no error. An open queue relaxes in about its mean wait over the part of the capacity that is
    spare; the mean wait is taken from the fit to long rings, 1/2 + ρ(1 + 0.75ρ²)/(1 - ρ) slots,
    doubled: simulated times lie up to 1.6 times above it.
    """
    wanted = needed = max(2 * int(traffic.sizes.max()), slots // _REPLICATIONS)
    limit = (slots << _DOUBLINGS) // _REPLICATIONS
    if mode == "window":
        needed = max(wanted, math.ceil(window * traffic.nodes / traffic.capacity))
        rate = float(traffic.capacity) / traffic.ports.size
        walk = math.ceil(_RELAXATIONS / 2 * window**2 / (math.pi**2 * rate))
        wanted = max(needed, min(walk, limit))
    if mode == "open":
        rho = load / float(traffic.capacity)
        spare = max(1 - rho, 1e-9)
        relaxation = 2 * (0.5 + rho * (1 + 0.75 * rho**2) / spare) / spare
        needed = max(wanted, math.ceil(_RELAXATIONS * relaxation))
        wanted = min(needed, max(limit, wanted))
    warm_up = wanted
    most = _REPLICATIONS * (warm_up << _DOUBLINGS) + (slots << _DOUBLINGS)
    updates = 2 * most * len(traffic.owner)
    if updates > _MOST_UPDATES:
        raise ArgumentError(
            f"window {window} and slots {slots} mean up to {updates:.3g} steps of single places on"
            f" {len(traffic.owner)} places; at most {_MOST_UPDATES:.0e} are simulated"
        )
    return warm_up, warm_up >= needed


@dataclass(frozen=True)
class _Sample:
    """One row per replication, warm-up deleted.

    Attributes:
        rates (float64[replications, classes]): Packets per slot that each class sent.
        waiting (float64[replications]): Mean number of packets that wait.
        pilot (float64[classes]): Mean rates in the warm-up, which choose the slowest kind of node.
        steady: Neither rates, waiting packets nor buffers differ between the halves.
    """

    rates: Floats
    waiting: Floats
    pilot: Floats
    steady: bool


def _replicate(machine: _Machine, warm_up: int, half: int, seed: list[int]) -> _Sample:
    """Independent runs from the same start, each measured in two halves after its warm-up."""
    live = np.asarray([bool(table) for table in machine.traffic.lengths])
    rates = np.zeros((2, _REPLICATIONS, len(live)))
    waiting = np.zeros((2, _REPLICATIONS))
    moved = np.zeros((_REPLICATIONS, len(live)))
    pilot = np.zeros(len(live))
    for i in range(_REPLICATIONS):
        machine.restart([*seed, i])
        pilot += machine.run(warm_up)[0]
        before = machine.queued()
        for part in range(2):
            sent, waits, _ = machine.run(half)
            rates[part, i] = np.where(live, sent, 0) / half
            waiting[part, i] = waits / half
        moved[i] = machine.queued() - before
    series = [rates.sum(axis=2), waiting]
    if machine.mode == 0:
        series.append(rates @ machine.traffic.usable)
    halves = np.column_stack([part[1] - part[0] for part in series])
    steady = not _drift(halves, _DRIFT_ERRORS) and not _drift(moved, 2 * _DRIFT_ERRORS, 1.0)
    mean: Floats = rates.mean(axis=0)
    pilot = np.where(live, pilot, 0) / (_REPLICATIONS * warm_up)
    return _Sample(mean, waiting.mean(axis=0), pilot, steady)


def _drift(differences: Floats, errors: float, unit: float = 0.0) -> bool:
    """Is the mean of some column further from 0 than chance allows?"""
    spread = differences.std(axis=0, ddof=1) / math.sqrt(len(differences))
    return bool((np.abs(differences.mean(axis=0)) > errors * spread + unit + 1e-12).any())


def _node_rates(traffic: RingTraffic, rates: Floats) -> Floats:
    """Packets per slot of each node, from those of the classes: nodes of a kind are alike."""
    by_kind = np.bincount(traffic.class_kinds, weights=rates) / np.bincount(traffic.kind)
    each: Floats = by_kind[traffic.kind]
    return each


def _slowest(traffic: RingTraffic, pilot: Floats) -> Floats:
    """Weights of the classes that make N times the rate of the slowest kind of node.

    The kind is chosen by the warm-up: the least of several estimates would lie below the truth.
    """
    nodes = np.bincount(traffic.kind)
    by_kind = np.bincount(traffic.class_kinds, weights=pilot, minlength=len(nodes)) / nodes
    kind = int(by_kind.argmin())
    weights: Floats = (traffic.class_kinds == kind) * (traffic.nodes / nodes[kind])
    return weights


def jain_index(rates: Floats) -> float:
    """(Σ x)² / (n Σ x²): 1 for equal rates, 1/n when one of n nodes has all; 1 when none sends.

    Examples:
        >>> jain_index(np.array([2.0, 2.0])), jain_index(np.array([1.0, 0.0]))
        (1.0, 0.5)
    """
    squares = float((rates**2).sum())
    return float(rates.sum()) ** 2 / (len(rates) * squares) if squares else 1.0


def _most_sent(traffic: RingTraffic, mode: str) -> float:
    """Packets per slot that are proved the most."""
    alike = mode == "open" or (mode == "window" and len(traffic.port_weights) == 1)
    return float(traffic.capacity) if alike else float(traffic.most_sent)


def _require_possible(run: RingRun) -> None:
    """Refuse a settled result far above a proved bound: only a wrong simulation has one."""
    bound = float(run.capacity)
    checks: tuple[tuple[str, float | None, float | None, float], ...] = (
        ("throughput", run.throughput, run.throughput_half_width, run.sent_at_most),
        ("effective capacity", run.effective, run.effective_half_width, bound),
    )
    if run.mode == "window":  # each node sends the given traffic: what all send alike is carried
        checks += (("fair throughput", run.fair_throughput, run.fair_throughput_half_width, bound),)
    for name, value, half, most in checks:
        if value is None or half is None or not run.settled:
            continue
        if value - _IMPOSSIBLE_WIDTHS * half > most * (1 + 1e-9):
            raise HopscapeError(
                f"the simulated {name} of {value:.6g} ± {half:.2g} packets per slot lies above the"
                f" proved {most:.6g}: a bug of the simulation, please report it"
            )


def _interval(values: Floats) -> tuple[float, float]:
    """Mean of the replications and half-width of its 95 % interval, by Student's t."""
    from scipy.special import stdtrit

    count = len(values)
    error = float(values.std(ddof=1)) / math.sqrt(count)
    return float(values.mean()), float(stdtrit(count - 1, 0.975)) * error
