"""Slot-level simulation of rings: throughput under saturation, delay under open load.

Every arc carries one slot, all slots advance one arc per slot time, the destination empties a slot
and may refill it at once. What is measured is held against what is known exactly: a run whose
interval lies above a proved bound is measured again, longer, and never handed out.

What the slot simulation needs of a multiring under a schedule of routes.

Packets are drawn by ring and length when they are needed: destinations are independent, so that
nothing is lost by not naming them before. Places that send alike belong to one class.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.papers.multiring.capacity import balanced_schedule, shortest_schedule
from hopscape.papers.multiring.families import Multiring, SparseMultiring, ring_lengths
from hopscape.papers.multiring.rings import circuits
from hopscape.papers.multiring.sparse_capacity import ArcProgram, sparse_capacity

__all__ = ["RingRun", "RingTraffic", "check_load", "ring_traffic", "simulate"]

_BATCHES = 40
_DOUBLINGS = 4
_SIGMAS = 5.0
_MEMORIES = 20
_MOST_UPDATES = 20_000_000_000
_MODES = {"saturated": 0, "window": 1, "open": 2}


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

    Attributes:
        throughput: Packets sent per slot.
        effective: What the given traffic gets. Saturated: by what the fullest arcs carry. Window:
            as much as if all nodes sent like the slowest kind of them.
        wait: Open only: mean time from arrival to leaving all buffers, in slots.
        settled: After the warm-up neither what is measured nor the buffers show a drift.
        capacity: What the schedule carries, exactly. A mean that chance lifted above what is proved
            is told as what is proved; one that lies above with its whole interval is an error.
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
    capacity: Fraction

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        return self.__dict__ | {"capacity_decimal": float(self.capacity)}


class _Machine:
    """The state of the rings, and a kernel that moves it on."""

    def __init__(
        self, traffic: RingTraffic, mode: int, window: int, rate: float, insertion: bool, seed: int
    ) -> None:
        from hopscape.papers.multiring.slots_kernels import (
            RingState,
            RingTables,
            run_insertion,
            run_segmented,
        )

        self.traffic, self.mode, self.rate, self.insertion = traffic, mode, rate, insertion
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
        if mode == 0:
            self.state.queue[:] += np.asarray([bool(t) for t in traffic.lengths])[traffic.classes]
        elif mode == 1:
            self._fill(window, generator)

    def _fill(self, window: int, generator: np.random.Generator) -> None:
        """Packets where they pile up in the long run: before the fullest arcs."""
        traffic = self.traffic
        blocked = traffic.crossing.sum(axis=0)[traffic.classes[traffic.ports]] > 0
        for node, kind in enumerate(traffic.kind):
            weights = np.asarray([float(w) for w in traffic.port_weights[kind]])
            if (weights * blocked[node]).any():
                weights = weights * blocked[node]
            drawn = generator.multinomial(window, weights / weights.sum())
            self.state.queue[traffic.ports[node]] += drawn

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
        >>> from hopscape.families.multiring import Multiring
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
    """Simulate rings until the warm-up is over and the rest shows no drift.

    Args:
        traffic: From :func:`ring_traffic`.
        mode ({'saturated', 'window', 'open'}): No buffer is ever empty; each node keeps `window`
            packets; Poisson arrivals.
        window: Packets that each node holds, in all its buffers together.
        load: Packets per slot in all, when open; below the capacity of the schedule.
        insertion: Register-insertion rings in place of segmented ones.
        slots: How long to measure at first; doubled up to four times while a drift is seen or the
            result lies above what is proved to be possible.

    Raises:
        HopscapeError: When the result stays above a proved bound: not settled, or a bug.

    Examples:
        >>> from hopscape.families.multiring import Multiring
        >>> found = simulate(ring_traffic(Multiring(16, (1,), copies=2)), slots=4000)
        >>> abs(found.effective - 15) < 0.2
        True
    """
    if mode not in _MODES:
        raise ArgumentError(f"mode is {mode!r}; it must be one of {', '.join(_MODES)}")
    if window < 1 or slots < _BATCHES:
        raise ArgumentError(f"window {window} and slots {slots} must be at least 1 and {_BATCHES}")
    if seed < 0:
        raise ArgumentError(f"seed is {seed}; it must be at least 0")
    if mode == "open":
        check_load(traffic, load)
    warm = _warm_up(traffic, mode, window, slots)
    machine = _Machine(traffic, _MODES[mode], window, load, insertion, seed)
    machine.run(warm)
    total, per_batch = warm, max(1, slots // _BATCHES)
    for _ in range(_DOUBLINGS + 1):
        found = _measure(machine, mode, per_batch)
        total += per_batch * _BATCHES
        above = _above(traffic, mode, found)
        if found.settled and not above:
            break
        per_batch *= 2
    if above:
        raise HopscapeError(
            f"{above} after {total} slots: "
            + ("a bug of the simulation, please report it" if found.settled else "not settled")
        )
    measured = found.slots * (_BATCHES - found.cut)
    opened = mode == "open"
    idle = 0.0 if insertion else 0.5
    return RingRun(
        mode=mode,
        offered=load if opened else None,
        throughput=min(found.throughput[0], _most_sent(traffic, mode)),
        throughput_half_width=found.throughput[1],
        effective=None if opened else min(found.effective[0], float(traffic.capacity)),
        effective_half_width=None if opened else found.effective[1],
        wait=found.wait[0] / load + idle if opened else None,
        wait_half_width=found.wait[1] / load if opened else None,
        slots=measured,
        warm_up=total - measured,
        settled=found.settled,
        updates=total * len(traffic.owner),
        capacity=traffic.capacity,
    )


def _warm_up(traffic: RingTraffic, mode: str, window: int, slots: int) -> int:
    """Slots before anything is measured: a time round the longest ring, or all windows once."""
    warm = int(traffic.sizes.max())
    if mode == "window":
        warm += math.ceil(window * traffic.nodes / traffic.capacity)
    updates = (warm + 2 ** (_DOUBLINGS + 1) * slots) * len(traffic.owner)
    if updates > _MOST_UPDATES:
        raise ArgumentError(
            f"window {window} and slots {slots} mean up to {updates:.3g} steps of single places on"
            f" {len(traffic.owner)} places; at most {_MOST_UPDATES:.0e} are simulated"
        )
    return warm


@dataclass(frozen=True)
class _Findings:
    """Means and half-widths over the batches after the warm-up."""

    slots: int
    cut: int
    settled: bool
    throughput: tuple[float, float]
    effective: tuple[float, float]
    wait: tuple[float, float]


def _measure(machine: _Machine, mode: str, per_batch: int) -> _Findings:
    """Run some batches, leave out those of the warm-up, and look for drifts in what is left."""
    traffic = machine.traffic
    live = np.asarray([bool(table) for table in traffic.lengths])
    counts = np.zeros((_BATCHES, len(live)))
    waiting = np.zeros(_BATCHES)
    queues = [machine.queued()]
    for i in range(_BATCHES):
        sent, waits, _ = machine.run(per_batch)
        counts[i], waiting[i] = np.where(live, sent, 0), waits
        queues.append(machine.queued())
    rates, waiting = counts / per_batch, waiting / per_batch
    cut = _truncation(waiting if mode == "open" else rates.sum(axis=1))
    rates, waiting = rates[cut:], waiting[cut:]
    usable = _slowest(traffic, rates) if mode == "window" else rates @ traffic.usable
    series = [rates.sum(axis=1), usable, waiting]
    moved = np.abs(queues[-1] - queues[cut])
    steady = bool((moved <= _SIGMAS * np.sqrt(2 * counts[cut:].sum(axis=0) + 1)).all())
    settled = cut <= _BATCHES // 4 and steady and not any(map(_drifts, series))
    if mode == "open":  # queues forget what they were in about a wait over the spare capacity
        spare = 1 - machine.rate / float(traffic.capacity)
        memory = float(waiting.mean()) / machine.rate / max(spare, 1e-9)
        settled = settled and per_batch * len(waiting) >= _MEMORIES * memory
    return _Findings(per_batch, cut, settled, *map(_interval, series))


def _slowest(traffic: RingTraffic, rates: Floats) -> Floats:
    """Packets per slot if all nodes sent like the slowest kind of them, batch by batch."""
    nodes = np.bincount(traffic.kind)
    member = np.zeros((rates.shape[1], len(nodes)))
    member[np.arange(rates.shape[1]), traffic.class_kinds] = 1
    by_kind = rates @ member / nodes
    found: Floats = by_kind[:, by_kind.mean(axis=0).argmin()] * traffic.nodes
    return found


def _most_sent(traffic: RingTraffic, mode: str) -> float:
    """Packets per slot that are proved the most."""
    alike = mode == "open" or (mode == "window" and len(traffic.port_weights) == 1)
    return float(traffic.capacity) if alike else float(traffic.most_sent)


def _above(traffic: RingTraffic, mode: str, found: _Findings) -> str:
    """What lies above a proved bound with its whole interval, in words; empty when nothing does."""
    checks = [("throughput", found.throughput, _most_sent(traffic, mode))]
    if mode != "open":
        checks.append(("effective capacity", found.effective, float(traffic.capacity)))
    for name, (value, half), bound in checks:
        if value - half > bound * (1 + 1e-9):
            return (
                f"the simulated {name} of {value:.6g} ± {half:.2g} packets per slot lies above the"
                f" proved {bound:.6g}"
            )
    return ""


def _truncation(values: Floats) -> int:
    """Batches to leave out: those whose removal makes the standard error least (MSER)."""
    count = len(values)
    errors = [float(values[cut:].var()) / (count - cut) for cut in range(count // 2 + 1)]
    return int(np.argmin(errors))


def _drifts(values: Floats) -> bool:
    """Do the first and second half differ by more than chance allows?"""
    half = len(values) // 2
    a, b = values[:half], values[half:]
    spread = math.sqrt(float(a.var(ddof=1)) / len(a) + float(b.var(ddof=1)) / len(b))
    return abs(float(a.mean() - b.mean())) > 3.5 * spread + 1e-12 * abs(float(values.mean()))


def _interval(values: Floats) -> tuple[float, float]:
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


@dataclass(frozen=True)
class RingTraffic:
    """Rings, places and tables of a multiring under one schedule, as the kernels take them.

    Attributes:
        starts, sizes: int64[rings]
        classes, owner: int64[places]
        lengths: For each class the weight of every length.
        kind: int64[nodes]
        ports: int64[nodes, ports]
        port_weights: For each kind of node the weight of every port.
        capacity: What the schedule carries, exactly: packets per slot of the given traffic.
        crossing (float64[limiting arcs, classes]): Mean number of times that a packet of each class
            uses an arc of the fullest kinds.
    """

    nodes: int
    starts: IntArray
    sizes: IntArray
    classes: IntArray
    owner: IntArray
    lengths: list[dict[int, Fraction]]
    kind: IntArray
    ports: IntArray
    port_weights: list[list[Fraction]]
    capacity: Fraction
    crossing: Floats

    @cached_property
    def weights(self) -> Floats:
        """Packets of each class, all its places together, when every node sends N - 1."""
        each = np.asarray([float(sum(table.values(), Fraction(0))) for table in self.lengths])
        return np.bincount(self.classes, minlength=len(each)) * each

    @cached_property
    def usable(self) -> Floats:
        """Packets per slot that the given traffic could use for each packet per slot of a class.

        The fullest arcs decide: a row of :attr:`crossing` times the rates of the classes is what
        they carry, and the same row times the weights is what they have to carry.
        """
        demand = self.crossing @ self.weights
        found: Floats = (self.crossing / demand[:, None]).mean(axis=0) * self.weights.sum()
        return found

    @cached_property
    def class_kinds(self) -> IntArray:
        """The kind of node that each class belongs to."""
        out = np.zeros(len(self.lengths), dtype=np.int64)
        out[self.classes] = self.kind[self.owner]
        return out

    @cached_property
    def most_sent(self) -> float:
        """No more packets per slot fit on the rings, whoever sends: by the shortest mean ways."""
        mean = np.full(len(self.lengths), np.inf)
        for i, table in enumerate(self.lengths):
            if table:
                total = sum(table.values(), Fraction(0))
                mean[i] = float(sum((k * w for k, w in table.items()), Fraction(0)) / total)
        least = np.minimum.reduceat(mean[self.classes], self.starts)
        return float((self.sizes / least).sum())


def ring_traffic(
    member: Any, schedule: str = "balanced", distribution: Sequence[Fraction] | None = None
) -> RingTraffic:
    """What the simulation needs of a multiring, full or sparse.

    Args:
        member: Multiring or SparseMultiring
        schedule: {'balanced', 'shortest'}
        distribution: How often routes are taken (full rings only); evenly when left out.
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
    """A class for each ring: all nodes are alike."""
    build = balanced_schedule if schedule == "balanced" else shortest_schedule
    found = build(member, distribution)
    lengths: list[dict[int, Fraction]] = []
    for s, shares in zip(member.rings, found.shares):
        table: dict[int, Fraction] = {}
        hops = ring_lengths(member.n, s)[1:].tolist()
        for length, share, weight in zip(hops, shares, found.weights):
            if share * weight:
                table[length] = table.get(length, Fraction(0)) + share * weight
        lengths.append(table)
    full = [j for j, load in enumerate(found.loads) if load == found.load]
    crossing = np.zeros((len(full), len(lengths)))
    for i, j in enumerate(full):
        crossing[i, j] = float(found.load / found.traffic[j])
    rings = circuits(member)
    classes = np.concatenate([c.ports for c in rings])
    return _traffic(member, rings, classes, lengths, found.capacity, crossing)


def _sparse_traffic(member: SparseMultiring, schedule: str) -> RingTraffic:
    """A class for each kind of arc: where on the ring, and in which direction."""
    report = sparse_capacity(member)
    found = report.balanced if schedule == "balanced" else report.shortest
    arcs = found.arcs
    if arcs is None:
        raise ArgumentError(f"{member.spec} has too many places to simulate")
    span = arcs.span
    lengths: list[dict[int, Fraction]] = [{} for _ in range(arcs.rings * 2 * span)]
    first = (arcs.ring * 2 + arcs.side) * span + arcs.place
    for row, length, share in zip(first.tolist(), arcs.length.tolist(), found.shares):
        if share:
            lengths[row][length] = lengths[row].get(length, Fraction(0)) + share
    full = [a for a, load in enumerate(found.carried) if load == found.load]
    crossing = _crossing(arcs, first, found.shares, full)
    places = np.arange(member.places) % span
    around = [(side * span + p) for side, p in ((0, places), (1, places[::-1]))]
    rows = np.arange(member.ring_count) % arcs.rings
    classes = np.concatenate([i * 2 * span + row for i in rows for row in around])
    return _traffic(member, circuits(member), classes, lengths, found.capacity, crossing)


def _crossing(
    arcs: ArcProgram, first: IntArray, shares: Sequence[Fraction], full: Sequence[int]
) -> Floats:
    """Mean number of uses of each full arc by a packet of each class."""
    program = arcs.program
    part = np.asarray([float(x) for x in shares])
    sent = np.bincount(first, weights=part, minlength=program.carriers)
    way = np.repeat(np.arange(program.routes), np.diff(program.starts))
    out = np.zeros((len(full), program.carriers))
    row = np.full(program.carriers, -1)
    row[list(full)] = np.arange(len(full))
    used = row[program.carrier] >= 0
    np.add.at(
        out,
        (row[program.carrier[used]], first[way[used]]),
        part[way[used]] * program.amount[used],
    )
    return out / np.where(sent > 0, sent, 1.0)


def _traffic(
    member: Multiring | SparseMultiring,
    rings: Sequence[Any],
    classes: IntArray,
    lengths: list[dict[int, Fraction]],
    capacity: Fraction,
    crossing: Floats,
) -> RingTraffic:
    sizes = np.asarray([len(c.nodes) for c in rings])
    owner = np.concatenate([c.nodes for c in rings])
    ports = np.zeros((member.order, member.ports), dtype=np.int64)
    ports[owner, np.concatenate([c.ports for c in rings])] = np.arange(len(owner))
    used, kind = np.unique(classes[ports], axis=0, return_inverse=True)
    sums = [sum(table.values(), Fraction(0)) for table in lengths]
    return RingTraffic(
        nodes=member.order,
        starts=np.cumsum(sizes) - sizes,
        sizes=sizes,
        classes=classes,
        owner=owner,
        lengths=lengths,
        kind=kind.reshape(-1),
        ports=ports,
        port_weights=[[sums[c] for c in row] for row in used.tolist()],
        capacity=capacity,
        crossing=crossing,
    )
