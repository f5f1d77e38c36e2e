"""The engine for graphics processors, compiled for this one, against the engine of processors.

The same source runs its loops here in an order that changes with every call: whatever depended on
the order of threads would differ.
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from importlib.resources import files

import numpy as np
import pytest

import hopscape
from drawn_engines import CHANNEL, SCALARS, alive, drawn
from hopscape.core.errors import HopscapeError, MissingPackageError
from hopscape.deadlock import classes as deadlock_classes
from hopscape.simulate import Job, Settings, build_setup, engine_gpu, layout, make_traffic, simulate
from hopscape.simulate import saturation as find_saturation
from hopscape.simulate.engine_gpu import KERNELS, BatchRun, Replicas, macros
from hopscape.simulate.engine_kernels import advance
from hopscape.simulate.measurement import blank_counters, make_source, start

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler"),
]


class OnProcessor:
    """A device that is none: the same kernels, compiled by C++."""

    arrays = np

    def __init__(self):
        self.library = library()

    def address(self, array):
        return array.ctypes.data

    def run(self, engine, cycles, width):
        self.library.use(ctypes.c_void_p(engine.ctypes.data))
        for _ in range(cycles):
            for name in KERNELS:
                getattr(self.library, name)()

    def host(self, array):
        return array.copy()


@pytest.fixture(scope="session", autouse=True)
def place(tmp_path_factory):
    OnProcessor.folder = tmp_path_factory.mktemp("engine")


@cache
def library():
    source = files("hopscape.simulate").joinpath("engine_gpu.cu")
    made = OnProcessor.folder / "engine.so"
    names = [f"-D{name}={value}" for name, value in macros().items()]
    how = ["-x", "c++", "-std=c++17", "-O1", "-shared", "-fPIC", "-DHOST", "-Wall", "-Werror"]
    subprocess.run(["c++", *how, *names, str(source), "-o", str(made)], check=True)
    return ctypes.CDLL(str(made))


@pytest.fixture
def on_processor(monkeypatch):
    monkeypatch.setattr(engine_gpu, "_Cuda", OnProcessor)
    monkeypatch.setattr(engine_gpu, "require_device_memory", lambda *about: None)
    monkeypatch.setattr("hopscape.simulate.sweep.cupy", lambda: np)


def compare(network, how, pattern, loads, cycles, *, step=1, bursts=None, **options):
    """Both engines, looked at every few cycles; how many packets arrived in the last run."""
    setup = build_setup(network, how, **options)
    traffic = make_traffic(pattern, setup.endpoints)
    if bursts is not None:
        traffic = traffic.bursty(*bursts)
    pairs = []
    for seed, load in enumerate(loads):
        source = make_source(traffic, how, load)
        both = []
        for _ in range(2):
            state, counters = start(setup, traffic, source, seed), blank_counters(setup, 9)
            counters.span[:2] = state.scalars[[layout.BEGIN, layout.END]] = cycles // 4, cycles // 2
            both.append(BatchRun(state, source, counters))
        pairs.append(both)
    replicas = Replicas(setup, [theirs for _, theirs in pairs], 300, OnProcessor())
    for cycle in range(step, cycles + 1, step):
        replicas.advance(cycle)
        for place, (ours, theirs) in enumerate(pairs):
            still = advance(setup.fabric, *ours, cycle, 300)
            replicas.fetch_all(place)
            assert bool(still) == replicas.stands_still(place)
            assert alive(ours.state) == alive(theirs.state)
            assert np.array_equal(ours.state.ends, theirs.state.ends)
            for name in ("windows", "histogram", "used", "received"):
                assert np.array_equal(
                    getattr(ours.counters, name), getattr(theirs.counters, name)
                ), name
            rows = [one.state.vcs[:, CHANNEL] for one in (ours, theirs)]
            assert np.array_equal(*rows)
            assert np.array_equal(*(one.state.scalars[list(SCALARS)] for one in (ours, theirs)))
    return int(pairs[-1][0].state.scalars[layout.DELIVERED])


@pytest.mark.parametrize("seed", range(12))
def test_both_engines_move_every_packet_alike(seed):
    network, how, pattern, loads, bursts = drawn(seed)
    assert compare(network, how, pattern, loads, 160, step=4, bursts=bursts) >= 0


@pytest.mark.parametrize("first", range(12, 212, 25))
def test_two_hundred_configurations(first):
    arrived = 0
    for seed in range(first, first + 25):
        network, how, pattern, loads, bursts = drawn(seed)
        arrived += compare(network, how, pattern, loads, 200, step=5, bursts=bursts)
    assert arrived > 1000


@pytest.mark.parametrize("routing", ["fixed", "adaptive", "valiant", "ugal"])
@pytest.mark.parametrize(
    "spec",
    ["torus(4, 6)", "hypercube(3)", "circulant(26, 1, 5)", "dragonfly(2, 1, p=2)", "fat_tree(4)"],
)
def test_folded_tables_move_every_packet_alike(spec, routing, monkeypatch):
    monkeypatch.setattr(deadlock_classes, "_LARGE", 0)
    network, how = hopscape.build(spec), Settings(routing=routing, packet=(2,))
    assert build_setup(network, how).fabric.fold.kind[0] != layout.WHOLE
    assert compare(network, how, "uniform", [0.3, 0.9], 200, step=20) > 100


def test_runs_that_deadlock_stand_still_alike():
    how = Settings(vcs=1, buffer=1, packet=(4,), window="none")
    compare(hopscape.build("ring(5)"), how, "tornado", [1.0, 0.05], 900, step=50, unsafe=True)


def test_points_and_saturation_are_those_of_the_processor(on_processor):
    base = Job("torus(4, 4)", "uniform", 0.0, Settings(vcs=4, packet=(2,)), cycles=500)
    jobs = [replace(base, load=load, seed=seed) for load in (0.1, 0.6, 1.0) for seed in (1, 2)]
    jobs.append(replace(base, load=0.2, traffic="tornado"))
    ours, theirs = simulate(jobs), simulate(jobs, device="gpu")
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_equal(other | {"seconds": 0}, one | {"seconds": 0})
    assert any(one["saturated"] for one in ours)
    saturated = [
        engine.load
        for engine in (
            find_saturation(base, precision=0.2),
            hopscape.simulate.sweep.saturations([base], precision=0.2, device="gpu")[0],
        )
    ]
    assert saturated[0] == saturated[1]


def test_what_a_device_cannot_do_is_said(on_processor):
    dead = Job("torus(4, 4)", "uniform", 0.1, Settings(), fail_nodes=("3",))
    with pytest.raises(HopscapeError, match="faults are simulated on the CPU only"):
        simulate(dead, device="gpu")
    with pytest.raises(HopscapeError, match="Dask"):
        simulate(Job("ring(4)", "uniform", 0.1, Settings()), device="gpu", dask="tcp://x:1")


def test_without_cupy_one_sentence():
    try:
        import cupy  # noqa: F401
    except ImportError:
        with pytest.raises(MissingPackageError, match="needs the package cupy"):
            simulate(Job("ring(4)", "uniform", 0.1, Settings()), device="gpu")
