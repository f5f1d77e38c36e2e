"""The slot simulation against a twin that moves packets round, and against exact capacities."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.papers.multiring.capacity import balanced_schedule
from hopscape.papers.multiring.families import Multiring, SparseMultiring
from hopscape.papers.multiring.slots import _Machine, _replicate, jain_index, simulate
from hopscape.papers.multiring.traffic import alias_table, ring_traffic

MASK = 2**64 - 1


class Twin:
    """The same rings with lists that really move, and the same random numbers."""

    def __init__(self, machine: _Machine):
        (self.starts, self.sizes, self.classes, self.owner, self.cut, self.values, self.kind,
         self.node_cut, self.node_other, self.ports) = [
            x.tolist() for x in machine._tables]  # fmt: skip
        self.mode, self.rate, self.insertion = machine.mode, machine.rate, machine.insertion
        self.state = int(machine.state.random[0])
        self.clock = float(machine.state.clock[0])
        self.queue = machine.state.queue.tolist()
        self.rings = [[0] * size for size in self.sizes]
        self.registers = [0] * len(self.owner)
        self.now = machine.now

    def bits(self):
        x = self.state
        x ^= x >> 12
        x ^= (x << 25) & MASK
        x ^= x >> 27
        self.state = x
        return x * 0x2545F4914F6CDD1D & MASK

    def draw(self, cut, other):
        bits = self.bits()
        column = (bits >> 32) * len(cut) >> 32
        return column if bits & 0xFFFFFFFF < cut[column] else other[column]

    def new_packet(self, node):
        row = self.kind[node]
        self.queue[self.ports[node][self.draw(self.node_cut[row], self.node_other[row])]] += 1

    def length(self, place):
        row, bits = self.classes[place], self.bits()
        column = (bits >> 32) * len(self.cut[row]) >> 32
        return self.values[row][column][bits & 0xFFFFFFFF >= self.cut[row][column]]

    def take(self, place):
        """A packet of this place, if one waits."""
        if not self.queue[place] and (self.mode or self.insertion):
            return 0
        length = self.length(place)
        if self.mode:
            self.queue[place] -= 1
        if self.mode == 1:
            self.new_packet(self.owner[place])
        return length

    def run(self, slots):
        counts, waiting, came = [0] * len(self.cut), 0, 0
        for _ in range(slots):
            while self.mode == 2 and self.clock <= self.now:
                self.new_packet((self.bits() >> 32) * len(self.kind) >> 32)
                u = ((self.bits() >> 11) + 1.0) * 2.0**-53
                self.clock += -np.log(u) / self.rate
                came += 1
            for i, ring in enumerate(self.rings):
                moved = [ring[-1], *ring[:-1]]
                moved = [max(left - 1, 0) for left in moved]
                size = len(ring)
                order = range(size)
                if self.mode == 0 and not self.insertion:
                    back = self.now % size
                    order = [*range(back, size), *range(back)]
                for p in order:
                    place = self.starts[i] + p
                    counts[self.classes[place]] += self.at_place(place, moved, p)
                self.rings[i] = moved
            if self.mode == 2:
                waiting += sum(self.queue) + sum(x > 0 for x in self.registers)
            self.now += 1
        return counts, waiting, came

    def at_place(self, place, moved, p):
        if self.insertion and self.registers[place]:
            moved[p], self.registers[place] = self.registers[place], moved[p]
            return 0
        if moved[p] and not self.insertion:
            return 0
        length = self.take(place)
        if length:
            self.registers[place] = moved[p]
            moved[p] = length
        return int(length > 0)


TWISTED = SparseMultiring(2, 6, [3, 0, 5, 1, 4, 2])
NEAR = [Fraction(int(r <= 1)) for r in range(1, 12)]


@pytest.mark.interpreted
@pytest.mark.parametrize("insertion", [False, True])
@pytest.mark.parametrize("mode", [0, 1, 2])
@pytest.mark.parametrize(
    "traffic",
    [ring_traffic(Multiring(12, (1, 2, 3))), ring_traffic(Multiring(9, (1, 2, -4))),
     ring_traffic(Multiring(8, (1,), 2)), ring_traffic(SparseMultiring(2, 6)),
     ring_traffic(TWISTED), ring_traffic(Multiring(12, (1, 5)), "shortest", NEAR)],
)  # fmt: skip
def test_kernels_against_the_twin(traffic, mode, insertion):
    machine = _Machine(traffic, mode, 5, 4.0, insertion, 11)
    twin = Twin(machine)
    live = [bool(table) for table in traffic.lengths]
    for slots in (1, 7, 60):
        counts, waiting, came = machine.run(slots)
        slow, *rest = twin.run(slots)
        assert [waiting, came] == rest
        assert [c for c, on in zip(counts, live) if on] == [c for c, on in zip(slow, live) if on]
    assert machine.state.queue.tolist() == twin.queue
    if mode == 1:
        for node in range(len(twin.kind)):
            assert sum(twin.queue[p] for p in twin.ports[node]) == 5


def test_alias_tables_are_exact():
    rows = [[Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], [Fraction(3)], [Fraction(0)] * 2]
    cut, other = alias_table(rows)
    for i, row in enumerate(rows[:2]):
        width = cut.shape[1]
        mass = [0.0] * width
        for k in range(width):
            mass[k] += int(cut[i, k]) / 2**32 / width
            mass[int(other[i, k])] += (1 - int(cut[i, k]) / 2**32) / width
        want = [float(x / sum(row)) for x in row] + [0.0] * (width - len(row))
        assert np.allclose(mass, want, atol=1e-8)


@pytest.mark.parametrize(
    ("member", "schedule", "effective"),
    [
        (Multiring(16, (1,), 2), "balanced", Fraction(15)),
        (Multiring(16, (1, 3)), "shortest", Fraction(20)),
        (Multiring(16, (1, 3)), "balanced", Fraction(240, 11)),
        (Multiring(32, (1,), 4), "balanced", Fraction(31)),
        (Multiring(32, (1, 2, 3, 7)), "shortest", Fraction(992, 17)),
        (Multiring(32, (1, 2, 3, 7)), "balanced", Fraction(31 * 32 * 289, 4048)),
        (Multiring(16, (1, 2, 3, 7, -7, -4, -3, -1)), "balanced", Fraction(240 * 793, 2568)),
        (SparseMultiring(4, 16), "balanced", Fraction(102)),
    ],
)
@pytest.mark.parametrize("insertion", [False, True])
def test_saturated_rings_reach_the_exact_capacity(member, schedule, effective, insertion):
    run = simulate(ring_traffic(member, schedule), slots=20_000, seed=0, insertion=insertion)
    assert run.settled
    assert run.effective_half_width < 0.01 * effective
    assert abs(run.effective - effective) <= 1.7 * run.effective_half_width


def arc_loads(traffic):
    """Load of every arc when all places send what their class says, walked round the rings."""
    loads = np.zeros(len(traffic.owner))
    for start, size in zip(traffic.starts.tolist(), traffic.sizes.tolist()):
        for p in range(size):
            for length, weight in traffic.lengths[traffic.classes[start + p]].items():
                for k in range(length):
                    loads[start + (p + k) % size] += float(weight)
    return loads


@pytest.mark.parametrize("schedule", ["balanced", "shortest"])
@pytest.mark.parametrize(
    "member",
    [Multiring(12, (1, 2, 3)), Multiring(9, (1, 2, -4)), Multiring(8, (1,), 2), Multiring(2, (1,)),
     SparseMultiring(3, 6), TWISTED, SparseMultiring(4, 8, sigma=2), SparseMultiring(3, 9, rings=5),
     SparseMultiring(4, 8, [7, 1, 5, 3, 4, 0, 6, 2], rings=12)],
    ids=lambda m: m.spec,
)  # fmt: skip
def test_traffic_loads_the_arcs_as_the_capacity_says(member, schedule):
    traffic = ring_traffic(member, schedule)
    loads = arc_loads(traffic)
    n = member.order
    assert n * (n - 1) / loads.max() == pytest.approx(float(traffic.capacity))
    assert traffic.weights.sum() == pytest.approx(n * (n - 1))
    full = np.isclose(loads, loads.max()).sum()
    carried = traffic.crossing @ traffic.weights  # all arcs of each fullest kind together
    assert carried.sum() == pytest.approx(full * loads.max())
    for node in range(n):
        assert (traffic.owner[traffic.ports[node]] == node).all()
    even = traffic.weights / traffic.weights.sum() * float(traffic.capacity)
    assert traffic.usable @ even == pytest.approx(float(traffic.capacity))


def test_the_fullest_arc_decides_not_the_ring():
    """Orders that were simulated up to 38 % too high."""
    spec = [7, 15, 9, 13, 12, 0, 10, 6, 3, 11, 1, 5, 4, 8, 14, 2]
    run = simulate(ring_traffic(SparseMultiring(4, 16, spec)))
    assert abs(run.effective - 106.08) <= 1.5 * run.effective_half_width
    assert run.effective_half_width < 0.3
    rng = np.random.default_rng(5)
    for more in ({}, {"sigma": 2}, {"sigma": 3}, {"rings": 9}):
        for schedule in ("balanced", "shortest"):
            member = SparseMultiring(4, 12, rng.permutation(12).tolist(), **more)
            traffic = ring_traffic(member, schedule)
            run = simulate(traffic, slots=4000, insertion=bool(len(more)))
            exact = float(traffic.capacity)
            assert abs(run.effective - exact) <= 2.5 * run.effective_half_width
            assert run.effective - run.effective_half_width <= exact
            opened = simulate(traffic, "window", window=32, slots=4000)
            assert opened.fair_throughput - opened.fair_throughput_half_width <= exact


@pytest.mark.interpreted
def test_a_window_of_one_packet_and_no_less():
    traffic = ring_traffic(Multiring(6, (1,)))
    one, two = (simulate(traffic, "window", window=w, slots=100) for w in (1, 2))
    assert 0 < one.throughput < two.throughput
    with pytest.raises(ArgumentError, match="window 0"):
        simulate(traffic, "window", window=0, slots=100)


def test_windows_are_full_before_anything_is_measured():
    traffic = ring_traffic(Multiring(24, (1, 5, 7)), "shortest")
    exact = float(traffic.capacity)
    assert exact == pytest.approx(33.4545, abs=1e-4)
    for window in (8, 64, 1024, 8192, 65536):
        run = simulate(traffic, "window", window=window, slots=4000, seed=2)
        assert run.settled
        assert run.throughput - run.throughput_half_width <= exact
        assert run.warm_up >= window * 24 / exact
        if window >= 1024:
            assert run.throughput == pytest.approx(exact, rel=0.02)


def test_buffers_that_still_fill_are_noticed(monkeypatch):
    """Filled as the traffic comes, the packets of fast rings last for long, and hide the rest."""

    def fill(self, generator):
        for node, kind in enumerate(self.traffic.kind):
            weights = np.asarray([float(w) for w in self.traffic.port_weights[kind]])
            drawn = generator.multinomial(self.window, weights / weights.sum())
            self.state.queue[self.traffic.ports[node]] += drawn

    monkeypatch.setattr(_Machine, "_fill", fill)
    traffic = ring_traffic(Multiring(24, (1, 5, 7)), "shortest")
    machine = _Machine(traffic, 1, 60_000, 0.0, False, 0)
    sample = _replicate(machine, 200, 100, [0])
    assert sample.rates.sum(axis=1).mean() > 1.1 * traffic.capacity
    assert not sample.steady


def test_nothing_is_clipped():
    """Half of all estimates of a proved value lie above it, and no two seeds agree."""
    traffic = ring_traffic(Multiring(16, (1, 3)))
    runs = [simulate(traffic, slots=2000, seed=s) for s in range(24)]
    values = [run.effective for run in runs]
    assert len(set(values)) == 24
    above = sum(value > float(traffic.capacity) for value in values)
    assert 4 <= above <= 20  # 0.9999 of all series of 24 fair coins


def covered(traffic, mode, key, truth, runs, **settings):
    """How many of so many runs have the truth in their interval."""
    hits = 0
    for seed in range(runs):
        run = simulate(traffic, mode, seed=seed, **settings)
        value, half = getattr(run, key), getattr(run, f"{key}_half_width")
        hits += abs(value - truth) <= half
    return hits


def test_intervals_cover_what_is_proved():
    traffic = ring_traffic(Multiring(12, (1, 5)), "shortest")
    exact = float(traffic.capacity)
    assert covered(traffic, "saturated", "effective", exact, 60, slots=1000) >= 49


@pytest.mark.slow
@pytest.mark.parametrize(
    ("member", "schedule", "mode", "key", "settings"),
    [
        (Multiring(16, (1, 3)), "balanced", "saturated", "effective", {}),
        (Multiring(32, (1, 2, 3, 7)), "shortest", "saturated", "effective", {"insertion": True}),
        (SparseMultiring(4, 12), "balanced", "saturated", "effective", {}),
        (Multiring(16, (1, 3)), "balanced", "window", "throughput", {"window": 64}),
        (Multiring(16, (1, 3)), "balanced", "window", "throughput", {"window": 8}),
        (SparseMultiring(2, 6, [3, 0, 5, 1, 4, 2]), "balanced", "window", "fair_throughput", {}),
        (Multiring(16, (1, 3)), "balanced", "open", "throughput", {"load": 19.6}),
        (Multiring(16, (1, 3)), "balanced", "open", "wait", {"load": 19.6}),
        (Multiring(16, (1, 3)), "balanced", "open", "wait", {"load": 11.0, "insertion": True}),
    ],
)
def test_intervals_cover_at_length(member, schedule, mode, key, settings):
    """Of 400 intervals 360 to 394 hold the truth: 93 to 97 % of a thousand, by a binomial law.

    The truth is proved (effective capacity, offered load) or the mean of all runs together, whose
    own error is a twentieth of theirs.
    """
    traffic = ring_traffic(member, schedule)
    runs = [simulate(traffic, mode, seed=seed, slots=8000, **settings) for seed in range(400)]
    values = np.array([getattr(run, key) for run in runs])
    halves = np.array([getattr(run, f"{key}_half_width") for run in runs])
    truth = values.mean()
    if key == "effective":
        truth = float(traffic.capacity)
    elif mode == "open" and key == "throughput":
        truth = settings["load"]
    hits = int((np.abs(values - truth) <= halves).sum())
    assert 366 <= hits <= 394


def test_unfairness_is_shown():
    """Nodes at the ends of parts send more than others; the sum hides it, the index does not."""
    traffic = ring_traffic(SparseMultiring(2, 6, [3, 0, 5, 1, 4, 2]))
    full = simulate(traffic, slots=4000)
    assert full.fair_throughput < full.throughput
    assert 1 / traffic.nodes < full.jain_index < 1
    window = simulate(traffic, "window", slots=4000)
    assert window.effective is None
    assert window.fair_throughput <= window.throughput
    alike = simulate(ring_traffic(Multiring(8, (1, 3))), slots=4000)
    assert alike.fair_throughput == pytest.approx(alike.throughput)
    assert alike.jain_index == pytest.approx(1)
    assert jain_index(np.array([4.0, 0, 0, 0])) == 0.25
    assert jain_index(np.zeros(3)) == 1


def test_a_wrong_simulation_is_called_a_bug():
    traffic = ring_traffic(Multiring(16, (1, 3)))
    wrong = replace(traffic, capacity=traffic.capacity * Fraction(97, 100))
    for mode in ("saturated", "window"):
        with pytest.raises(HopscapeError, match="a bug of the simulation"):
            simulate(wrong, mode, window=4096, slots=4000)


@pytest.mark.parametrize("load", [22.0, 240 / 11 + 1e-9, 1000.0, math.inf, math.nan, -1.0, 0.0])
def test_a_load_that_cannot_be_carried_is_refused(load):
    with pytest.raises(ArgumentError, match=r"load is .*"):
        simulate(ring_traffic(Multiring(16, (1, 3))), "open", load=load)


def test_long_waits_need_long_runs():
    """Near the capacity a short run is not called settled."""
    traffic = ring_traffic(Multiring(16, (1, 3)))
    near = simulate(traffic, "open", load=0.999 * float(traffic.capacity), slots=400)
    assert not near.settled
    assert simulate(traffic, "open", load=10.0, slots=4000).settled


def test_finite_buffers_cost_a_little():
    traffic = ring_traffic(Multiring(32, (1,), 4))
    runs = [simulate(traffic, "window", window=w, slots=20_000, seed=1) for w in (4, 16, 64, 1024)]
    found = [run.throughput for run in runs]
    assert found == sorted(found)
    assert found[0] < 25
    assert abs(found[2] - 30.3) < 0.2
    assert abs(found[3] - 31) < 0.2


def test_delays():
    old, new = (ring_traffic(m) for m in (Multiring(32, (1,), 4), Multiring(32, (1, 2, 3, 7))))
    waits = [simulate(old, "open", load=s, slots=20_000).wait for s in (7.75, 15.5, 24.8)]
    assert waits == pytest.approx([0.85, 1.69, 6.3], rel=0.05)
    run = simulate(new, "open", load=24.8, slots=20_000)
    assert run.wait == pytest.approx(1.01, rel=0.03)
    assert abs(run.throughput - 24.8) < 3 * run.throughput_half_width
    assert simulate(old, "open", load=0.31, insertion=True, slots=20_000).wait < 0.05


def test_given_distribution_is_simulated():
    member = Multiring(16, (1, 3))
    weights = [Fraction(int(r in (1, 2, 3))) for r in range(1, 16)]
    run = simulate(ring_traffic(member, "balanced", weights), slots=10_000)
    want = float(balanced_schedule(member, weights).capacity)
    assert abs(run.effective - want) <= 2 * run.effective_half_width + 1e-9


def test_same_seed_same_run():
    traffic = ring_traffic(Multiring(16, (1, 3)))
    runs = [simulate(traffic, "open", load=10.0, slots=2000, seed=s) for s in (1, 1, 2)]
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_a_short_warm_up_is_seen():
    """Queues that start empty and fill slowly drift between the halves."""
    traffic = ring_traffic(Multiring(16, (1, 3)))
    machine = _Machine(traffic, 2, 1, 21.2, False, 0)
    assert not _replicate(machine, 1, 400, [0]).steady
    assert _replicate(machine, 20_000, 400, [0]).steady


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"mode": "full"}, "mode is 'full'"), ({"mode": "open"}, "load is 0.0"),
     ({"mode": "window", "window": 0}, "window 0"), ({"slots": 3}, "slots 3"),
     ({"seed": -1}, "seed is -1"), ({"slots": 10**13}, "are simulated"),
     ({"mode": "window", "window": 10**13}, "are simulated")],
)  # fmt: skip
def test_bad_settings(settings, words):
    with pytest.raises(ArgumentError, match=words):
        simulate(ring_traffic(Multiring(16, (1, 3))), **settings)


def test_only_multirings_have_slots():
    with pytest.raises(ArgumentError, match="simulated for multiring"):
        ring_traffic(None)
    with pytest.raises(ArgumentError, match="schedule is 'best'"):
        ring_traffic(Multiring(16, (1, 3)), "best")
