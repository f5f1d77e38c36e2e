"""Slot-level simulation of rings: throughput under saturation, delay under open load.

Every arc carries one slot, all slots advance one arc per slot time, the destination empties a slot
and may refill it at once. Packets are drawn by ring and length from the schedule of routes, when
they are needed: destinations are independent, so that nothing is lost by not naming them before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.families.multiring.capacity import balanced_schedule, shortest_schedule
from hopscape.families.multiring.sparse import SparseMultiring
from hopscape.families.multiring.sparse_capacity import arc_problem, sparse_capacity
from hopscape.families.multiring.wiring import Multiring, ring_lengths

__all__ = ["RingRun", "RingTraffic", "ring_traffic", "simulate"]

_BATCHES = 40
_DOUBLINGS = 4
_MODES = {"saturated": 0, "window": 1, "open": 2}


@dataclass(frozen=True)
class RingTraffic:
    """Rings, places and tables of a multiring under one schedule, as the kernels take them.

    Attributes
    ----------
    nodes : int
    starts, sizes, groups : int64[rings]
    classes, owner : int64[places]
    lengths : list of dict
        For each class the weight of every length.
    kind : int64[nodes]
    ports : int64[nodes, ports]
    port_weights : list of lists
        For each kind of node the weight of every port.
    shares : float64[groups]
        Part of all packets that each group of rings carries.
    limiting : tuple of int
        Groups with the largest load.
    """

    nodes: int
    starts: IntArray
    sizes: IntArray
    groups: IntArray
    classes: IntArray
    owner: IntArray
    lengths: list[dict[int, Fraction]]
    kind: IntArray
    ports: IntArray
    port_weights: list[list[Fraction]]
    shares: np.ndarray[tuple[int], np.dtype[np.float64]]
    limiting: tuple[int, ...]


def ring_traffic(
    member: Any, schedule: str = "balanced", distribution: Sequence[Fraction] | None = None
) -> RingTraffic:
    """What the simulation needs of a multiring, full or sparse.

    Parameters
    ----------
    member : Multiring or SparseMultiring
    schedule : {'balanced', 'shortest'}
    distribution : sequence of Fraction, optional
        How often routes are taken (full rings only); evenly when left out.
    """
    if schedule not in ("balanced", "shortest"):
        raise ArgumentError(f"schedule is {schedule!r}; it must be 'balanced' or 'shortest'")
    if isinstance(member, Multiring):
        return _full_traffic(member, schedule, distribution)
    if isinstance(member, SparseMultiring):
        if distribution is not None:
            raise ArgumentError("a distribution of routes is for full rings")
        return _sparse_traffic(member, schedule)
    raise ArgumentError("slots are simulated for multiring(...) and sparse_multiring(...)")


def _full_traffic(
    member: Multiring, schedule: str, distribution: Sequence[Fraction] | None
) -> RingTraffic:
    n = member.n
    build = balanced_schedule if schedule == "balanced" else shortest_schedule
    found = build(member, distribution)
    starts: list[int] = []
    sizes: list[int] = []
    groups: list[int] = []
    owner: list[int] = []
    classes: list[int] = []
    ports = np.zeros((n, len(member.rings)), dtype=np.int64)
    lengths: list[dict[int, Fraction]] = []
    for j, s in enumerate(member.rings):
        shared = math.gcd(s, n)
        for begin in range(shared):
            starts.append(len(owner))
            sizes.append(n // shared)
            groups.append(j)
            around = [(begin + k * s) % n for k in range(n // shared)]
            for node in around:
                ports[node, j] = len(owner)
                owner.append(node)
                classes.append(j)
        table: dict[int, Fraction] = {}
        for length, share, weight in zip(
            ring_lengths(n, s)[1:].tolist(), found.shares[j], found.weights
        ):
            if share * weight:
                table[length] = table.get(length, Fraction(0)) + share * weight
        lengths.append(table)
    carried = [sum(table.values(), Fraction(0)) for table in lengths]
    return RingTraffic(
        n,
        np.asarray(starts),
        np.asarray(sizes),
        np.asarray(groups),
        np.asarray(classes),
        np.asarray(owner),
        lengths,
        np.zeros(n, dtype=np.int64),
        ports,
        [carried],
        np.asarray([float(c / (n - 1)) for c in carried]),
        tuple(j for j, load in enumerate(found.loads) if load == found.load),
    )


def _sparse_traffic(member: SparseMultiring, schedule: str) -> RingTraffic:
    report = sparse_capacity(member)
    found = report.balanced if schedule == "balanced" else report.shortest
    places, m, rings = member.places, member.m, member.ring_count
    lengths: list[dict[int, Fraction]] = [{} for _ in range(2 * places)]
    for options, parts in zip(arc_problem(member).demands, found.shares):
        for (side, first, length), part in zip(options, parts):
            if part:
                table = lengths[side * places + first]
                table[length] = table.get(length, Fraction(0)) + part
    nodes_at = member.table()
    slot = np.asarray(member.order_of_places)
    starts: list[int] = []
    sizes: list[int] = []
    groups: list[int] = []
    owner: list[int] = []
    classes: list[int] = []
    ports = np.zeros((member.order, 2 * m), dtype=np.int64)
    for ring in range(rings):
        for side in (0, 1):
            starts.append(len(owner))
            sizes.append(places)
            groups.append(side)
            for p in range(places) if side == 0 else range(places - 1, -1, -1):
                node = int(nodes_at[ring, p])
                ports[node, 2 * (int(slot[p]) % m) + side] = len(owner)
                owner.append(node)
                classes.append(side * places + p)
    place = np.argsort(slot)
    weights = [
        [
            sum(lengths[side * places + int(place[g * m + t])].values(), Fraction(0))
            for t in range(m)
            for side in (0, 1)
        ]
        for g in range(member.parts)
    ]
    sides = [max(found.loads[:places]), max(found.loads[places:])]
    carried = [
        sum((sum(t.values(), Fraction(0)) for t in lengths[:places]), Fraction(0)),
        sum((sum(t.values(), Fraction(0)) for t in lengths[places:]), Fraction(0)),
    ]
    total = sum(carried)
    return RingTraffic(
        member.order,
        np.asarray(starts),
        np.asarray(sizes),
        np.asarray(groups),
        np.asarray(classes),
        np.asarray(owner),
        lengths,
        np.arange(member.order) // rings,
        ports,
        weights,
        np.asarray([float(c / total) for c in carried]),
        tuple(j for j in (0, 1) if sides[j] == max(sides)),
    )


def alias_table(rows: Sequence[Sequence[Fraction]]) -> tuple[IntArray, IntArray]:
    """Walker's tables, one row per distribution: draw a column, keep it or take its other."""
    width = max(len(row) for row in rows)
    cut = np.zeros((len(rows), width), dtype=np.uint64)
    other = np.zeros((len(rows), width), dtype=np.int64)
    for i, row in enumerate(rows):
        total = sum(row)
        if total == 0:
            continue
        scaled = [Fraction(x) * width / total for x in row] + [Fraction(0)] * (width - len(row))
        small = [k for k, x in enumerate(scaled) if x < 1]
        large = [k for k, x in enumerate(scaled) if x >= 1]
        while small:
            k = small.pop()
            big = large[-1]
            cut[i, k] = int(scaled[k] * 2**32)
            other[i, k] = big
            scaled[big] -= 1 - scaled[k]
            if scaled[big] < 1:
                small.append(large.pop())
        for k in large:
            cut[i, k] = 2**32
            other[i, k] = k
    return cut, other


@dataclass(frozen=True)
class RingRun:
    """What a simulation measured, with half-widths of 95 % confidence intervals.

    Attributes
    ----------
    throughput : float
        Packets sent per slot.
    effective : float or None
        Saturated only: what uniform traffic could use, by the rates of the fullest rings.
    wait : float or None
        Open only: mean time from arrival to leaving all buffers, in slots.
    settled : bool
        Does what is left after the warm-up show no drift?
    """

    mode: str
    offered: float | None
    throughput: float
    throughput_half_width: float
    effective: float | None
    effective_half_width: float | None
    wait: float | None
    wait_half_width: float | None
    slots: int
    warm_up: int
    settled: bool
    updates: int

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        return dict(self.__dict__)


class _Machine:
    """The state of the rings, and a kernel that moves it on."""

    def __init__(
        self, traffic: RingTraffic, mode: int, window: int, rate: float, insertion: bool, seed: int
    ) -> None:
        from hopscape.families.multiring.slots_kernels import run_insertion, run_segmented

        self.traffic, self.mode, self.rate, self.insertion = traffic, mode, rate, insertion
        self._run = run_insertion if insertion else run_segmented
        values = [sorted(table) for table in traffic.lengths]
        cut, other = alias_table(
            [[table[v] for v in row] for table, row in zip(traffic.lengths, values)]
        )
        padded = np.ones(cut.shape, dtype=np.int64)
        for i, row in enumerate(values):
            padded[i, : len(row)] = row
        node_cut, node_other = alias_table(traffic.port_weights)
        self._tables = (
            traffic.starts, traffic.sizes, traffic.groups, traffic.classes, traffic.owner,
            cut, other, padded, traffic.kind, node_cut, node_other, traffic.ports,
        )  # fmt: skip
        places = len(traffic.owner)
        generator = np.random.default_rng(seed)
        self._random = generator.integers(1, 2**63, size=1).astype(np.uint64)
        self._slots = np.zeros(places, dtype=np.int64)
        self._registers = np.zeros(places, dtype=np.int64)
        self._queue = np.zeros(places, dtype=np.int64)
        self._clock = np.full(1, 1e-9)
        self.now = 1
        if mode == 1:
            self._fill(window, generator)

    def _fill(self, window: int, generator: np.random.Generator) -> None:
        for node, kind in enumerate(self.traffic.kind):
            weights = np.asarray([float(w) for w in self.traffic.port_weights[kind]])
            drawn = generator.multinomial(window, weights / weights.sum())
            self._queue[self.traffic.ports[node]] += drawn

    def run(self, slots: int) -> tuple[IntArray, int, int]:
        """Packets sent by each group, sum of waiting packets, arrivals."""
        counts = np.zeros(len(self.traffic.shares), dtype=np.int64)
        state = (self._slots, self._registers) if self.insertion else (self._slots,)
        waiting, came = self._run(
            *self._tables, *state, self._queue, self._random, self._clock,
            self.now, slots, self.mode, self.rate, counts,
        )  # fmt: skip
        self.now += slots
        return counts, int(waiting), int(came)


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
    """Simulate rings until the warm-up is over and the rest shows no drift.

    Parameters
    ----------
    traffic : RingTraffic
        From :func:`ring_traffic`.
    mode : {'saturated', 'window', 'open'}
        No buffer is ever empty; each node keeps `window` packets; Poisson arrivals.
    window : int
        Packets that each node holds, in all its buffers together.
    load : float
        Packets per slot in all, when open.
    insertion : bool
        Register-insertion rings in place of segmented ones.
    slots : int
        How long to measure at first; doubled up to four times while a drift is seen.
    seed : int

    Examples
    --------
    >>> found = simulate(ring_traffic(Multiring(16, (1,), copies=2)), slots=4000)
    >>> abs(found.effective - 15) < 0.2
    True
    """
    if mode not in _MODES:
        raise ArgumentError(f"mode is {mode!r}; it must be one of {', '.join(_MODES)}")
    if window < 1 or slots < _BATCHES:
        raise ArgumentError(f"window {window} and slots {slots} must be at least 1 and {_BATCHES}")
    if mode == "open" and not (load > 0 and math.isfinite(load)):
        raise ArgumentError(f"load is {load}; an open simulation needs packets per slot above 0")
    machine = _Machine(traffic, _MODES[mode], window, load, insertion, seed)
    per_batch = max(1, slots // _BATCHES)
    records: list[tuple[float, float, float]] = []
    total = skipped = 0
    settled = False
    for _ in range(_DOUBLINGS + 1):
        records = [_batch(machine, per_batch, mode) for _ in range(_BATCHES)]
        total += per_batch * _BATCHES
        watched = np.asarray(records)[:, 2 if mode == "open" else 0]
        cut = _truncation(watched)
        settled = cut <= _BATCHES // 4 and not _drifts(watched[cut:])
        if settled:
            skipped = total - per_batch * (_BATCHES - cut)
            records = records[cut:]
            break
        per_batch *= 2
    else:
        skipped = total - per_batch // 2 * _BATCHES
    columns = np.asarray(records)
    sent, sent_error = _interval(columns[:, 0])
    usable, usable_error = _interval(columns[:, 1])
    wait, wait_error = _interval(columns[:, 2])
    saturated, opened = mode == "saturated", mode == "open"
    return RingRun(
        mode=mode,
        offered=load if opened else None,
        throughput=sent,
        throughput_half_width=sent_error,
        effective=usable if saturated else None,
        effective_half_width=usable_error if saturated else None,
        wait=wait + (0.0 if insertion else 0.5) if opened else None,
        wait_half_width=wait_error if opened else None,
        slots=total - skipped,
        warm_up=skipped,
        settled=settled,
        updates=total * len(traffic.owner),
    )


def _batch(machine: _Machine, slots: int, mode: str) -> tuple[float, float, float]:
    """Throughput, effective capacity and whole slots of waiting per packet of one batch."""
    counts, waiting, _ = machine.run(slots)
    traffic = machine.traffic
    rates = counts / slots
    limiting = list(traffic.limiting)
    effective = float((rates[limiting] / traffic.shares[limiting]).mean())
    wait = waiting / slots / machine.rate if mode == "open" else 0.0
    return float(rates.sum()), effective, wait


def _truncation(values: np.ndarray[Any, np.dtype[np.float64]]) -> int:
    """Batches to leave out: those whose removal makes the standard error least (MSER)."""
    count = len(values)
    errors = [float(values[cut:].var()) / (count - cut) for cut in range(count // 2 + 1)]
    return int(np.argmin(errors))


def _drifts(values: np.ndarray[Any, np.dtype[np.float64]]) -> bool:
    """Do the first and second half differ by more than chance allows?"""
    half = len(values) // 2
    a, b = values[:half], values[half:]
    spread = math.sqrt(float(a.var(ddof=1)) / len(a) + float(b.var(ddof=1)) / len(b))
    return abs(float(a.mean() - b.mean())) > 3.5 * spread


def _interval(values: np.ndarray[Any, np.dtype[np.float64]]) -> tuple[float, float]:
    """Mean and half-width of its 95 % interval, from batches joined in fours.

    Where neighbouring batches still go together, the variance is raised as for a chain with that
    correlation.
    """
    from scipy.special import stdtrit

    whole = len(values) // 4 * 4
    joined = values[len(values) - whole :].reshape(-1, 4).mean(axis=1)
    count = len(joined)
    away = joined - joined.mean()
    spread = float((away**2).sum())
    follows = float((away[1:] * away[:-1]).sum()) / spread if spread > 0 else 0.0
    follows = min(max(follows, 0.0), 0.9)
    error = math.sqrt(spread / (count - 1) / count * (1 + follows) / (1 - follows))
    return float(joined.mean()), float(stdtrit(count - 1, 0.975)) * error
