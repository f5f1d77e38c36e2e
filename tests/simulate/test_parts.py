"""One network in several threads against one: every packet, buffer and counter."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import hopscape
from drawn_engines import CHANNEL, SCALARS, alive, drawn
from hopscape.simulate import Job, Settings, build_setup, layout, make_traffic, parts, simulate
from hopscape.simulate import sweep as sweeps
from hopscape.simulate.measurement import blank_counters, make_source, run_point, start
from hopscape.simulate.parts import advance_parts, cut_into_parts, packets_under_way

pytestmark = pytest.mark.compiled

SAME = [place for place in SCALARS if place not in (layout.FREE, layout.FRESH)]


def compare(network, how, pattern, load, many, *, cycles=200, step=20, bursts=None, **options):
    """One part and several, looked at every few cycles; packets that arrived."""
    setup = build_setup(network, how, **options)
    traffic = make_traffic(pattern, setup.endpoints)
    if bursts is not None:
        traffic = traffic.bursty(*bursts)
    runs = []
    for count in (1, many):
        source = make_source(traffic, how, load)
        state, counters = start(setup, traffic, source, 7, count), blank_counters(setup, 9)
        counters.span[:2] = state.scalars[[layout.BEGIN, layout.END]] = cycles // 4, cycles // 2
        runs.append((state, source, counters))
    one, other = runs
    for cycle in range(step, cycles + 1, step):
        still = [advance_parts(setup.fabric, *run, cycle, 300) for run in runs]
        assert still[0] == still[1]
        assert alive(one[0]) == alive(other[0])
        assert np.array_equal(one[0].ends, other[0].ends)
        assert np.array_equal(one[0].vcs[:, CHANNEL], other[0].vcs[:, CHANNEL])
        assert np.array_equal(one[0].scalars[SAME], other[0].scalars[SAME])
        for name in ("windows", "histogram", "used", "received"):
            assert np.array_equal(getattr(one[2], name), getattr(other[2], name)), name
    return int(other[0].scalars[layout.DELIVERED])


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_any_number_of_threads_moves_every_packet_alike(first):
    arrived = 0
    for seed in range(first, first + 20):
        network, how, pattern, loads, bursts = drawn(seed)
        many = 2 + seed % 5
        arrived += compare(network, how, pattern, loads[0], many, bursts=bursts)
    assert arrived > 1000


def test_runs_that_deadlock_stand_still_alike():
    how = Settings(vcs=1, buffer=1, packet=(4,), window="none")
    ring = hopscape.build("ring(5)")
    compare(ring, how, "tornado", 1.0, 3, cycles=900, step=150, unsafe=True)


@pytest.mark.parametrize("load", [0.2, 1.0])
def test_points_are_the_same(load):
    setup = build_setup(hopscape.build("torus(4, 4)"), Settings(vcs=4, packet=(1, 3)))
    traffic = make_traffic("uniform", 16)
    one, three = (
        run_point(setup, traffic, load, cycles=600, threads=threads) for threads in (1, 3)
    )
    np.testing.assert_equal(three.to_dict() | {"seconds": 0}, one.to_dict() | {"seconds": 0})


@pytest.mark.parametrize("spec", ["torus(5, 6)", "dragonfly(4, 2, p=2)", "fat_tree(4)", "petersen"])
@pytest.mark.parametrize("many", [1, 2, 3, 7])
def test_parts_have_about_as_many_lines_each(spec, many):
    setup = build_setup(hopscape.build(spec), Settings(vcs=8))
    cut = cut_into_parts(setup.network, setup.fabric.fold, setup.lines, setup.home, many)
    leaves, leads = np.divmod(cut.pair, many)
    assert sorted(cut.own) == list(range(setup.endpoints))
    assert cut.ends[0] == 0
    assert cut.ends[-1] == setup.endpoints
    lines = np.bincount(leads, minlength=many)
    assert lines.max() - lines.min() <= 2 * setup.lines[:, layout.U_INS].max() + 2 * many
    entries = slice(len(setup.network.heads), None)
    assert (leaves[entries] == leads[entries]).all()
    channels = slice(None, len(setup.network.heads))
    part = dict(zip(setup.lines[channels, layout.U_TO].tolist(), leads[channels], strict=True))
    assert [part[tail] for tail in setup.network.tails.tolist()] == leaves[channels].tolist()


def test_a_thread_that_fails_keeps_nobody_waiting(monkeypatch):
    setup = build_setup(hopscape.build("torus(4, 4)"), Settings(vcs=2))
    traffic = make_traffic("uniform", 16)
    source = make_source(traffic, setup.settings, 0.3)
    state = start(setup, traffic, source, 1, 3)
    cut = parts._part_of

    def fail(state, part):
        if part == 0:
            raise KeyboardInterrupt
        return cut(state, part)

    monkeypatch.setattr(parts, "_part_of", fail)
    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        advance_parts(setup.fabric, state, source, blank_counters(setup, 1), 1000, 300)
    assert threading.active_count() == before


def test_who_is_under_way_in_every_part():
    setup = build_setup(hopscape.build("torus(4, 4)"), Settings(vcs=2))
    traffic = make_traffic("uniform", 16)
    source = make_source(traffic, setup.settings, 0.3)
    state = start(setup, traffic, source, 1, 2)
    advance_parts(setup.fabric, state, source, blank_counters(setup, 1), 100, 300)
    rows = packets_under_way(state)
    assert len(rows) == state.scalars[layout.IN_FLIGHT] > 0
    assert set(state.packets[rows, layout.OWNER]) == {0, 1}


@pytest.mark.parametrize(
    ("workers", "points", "routers", "share"),
    [
        (4, 9, 64, (4, 1)), (4, 1, 64, (1, 1)), (4, 1, 4096, (1, 4)), (4, 9, 4096, (4, 1)),
        (16, 3, 1024, (3, 2)), (None, 9, 4096, (2, 4)), (None, 1, 1 << 20, (1, 8)),
        (1, 5, 4096, (1, 1)),
    ],
)  # fmt: skip
def test_processors_are_shared_by_points_first(monkeypatch, workers, points, routers, share):
    monkeypatch.setattr(sweeps, "processors", lambda: 8)
    assert sweeps._share(workers, points, routers) == share


def test_a_sweep_with_threads_in_its_points(monkeypatch):
    monkeypatch.setattr(sweeps, "_LARGE", 8)
    job = Job("torus(4, 4)", "uniform", 0.3, Settings(vcs=2), cycles=200)
    [shared], [alone] = simulate(job, workers=3), simulate(job, workers=1)
    np.testing.assert_equal(shared | {"seconds": 0}, alone | {"seconds": 0})
