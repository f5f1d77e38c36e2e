"""The annealing of graphics processors, compiled for this one, against that of processors."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from importlib.resources import files

import numpy as np
import pytest

from hopscape.core.errors import ArgumentError
from hopscape.search.graph import Problem, anneal_gpu, best_graph
from hopscape.search.graph.anneal_gpu import Heats, anneal_together, suits_gpu
from hopscape.search.graph.climb import Climb
from hopscape.search.graph.lifts import LiftShape

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler"),
]


class OnProcessor:
    """A device that is none: the same kernel, compiled by C++."""

    arrays = np
    library = None

    def address(self, array):
        return array.ctypes.data

    def run(self, chains, threads, room):
        memory = np.empty(room // 4 + 1, dtype=np.int32)
        self.library.anneal(
            ctypes.c_void_p(chains.ctypes.data), ctypes.c_longlong(len(chains)),
            ctypes.c_void_p(memory.ctypes.data),
        )  # fmt: skip

    def host(self, array):
        return array.copy()


@pytest.fixture(scope="module", autouse=True)
def library(tmp_path_factory):
    source = files("hopscape.search.graph").joinpath("anneal_gpu.cu")
    made = tmp_path_factory.mktemp("anneal") / "anneal.so"
    how = ["-x", "c++", "-std=c++17", "-O1", "-shared", "-fPIC", "-DHOST", "-Wall", "-Werror"]
    subprocess.run(["c++", *how, str(source), "-o", str(made)], check=True)
    OnProcessor.library = ctypes.CDLL(str(made))


SHAPES = (
    LiftShape("cyclic(5)", 4, 0, 3),
    LiftShape("cyclic(16)", 1, 0, 5),
    LiftShape("cyclic(9)", 40, 0, 4),  # more than 32 sources
    LiftShape("cyclic(10)", 6, 0, 4, bipartite=True),
    LiftShape("dihedral(6)", 5, 0, 5),
    LiftShape("semidirect(7, 3, 2)", 3, 0, 4),
    LiftShape("cyclic(2)", 4, 0, 3),  # voltages run out: ends are exchanged or left void
)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape.base}x{shape.group}")
@pytest.mark.parametrize("aim", [None, 2])
def test_ends_with_the_same_graph(shape, aim):
    ours = [Climb(shape, seed, aim=aim) for seed in range(4)]
    theirs = [Climb(shape, seed, aim=aim) for seed in range(4)]
    plan = [Heats(300 + 50 * i, 3.0 * shape.fold, 0.5 * shape.fold) for i in range(4)]
    for climb, heats in zip(ours, plan, strict=True):
        climb.anneal(*heats)
    anneal_together(theirs, plan, device=OnProcessor())
    for one, other in zip(ours, theirs, strict=True):
        assert one.best == other.best
        assert (one.diameter, one.total) == (other.diameter, other.total)
        assert np.array_equal(one.lift.near, other.lift.near)
        assert np.array_equal(one.memory.score, other.memory.score)
        assert np.array_equal(one.memory.state, other.memory.state)


def test_pieces_and_launches_make_no_difference(monkeypatch):
    monkeypatch.setattr("hopscape.search.graph.climb._PIECE", 600)  # 10 steps
    monkeypatch.setattr(anneal_gpu, "_PIECES", 3)
    shape = LiftShape("cyclic(5)", 4, 0, 3)
    ours, theirs = (
        [Climb(shape, 1)],
        [Climb(shape, 1), Climb(shape, 2)],
    )
    ours[0].anneal(95, 10.0, 2.0)
    anneal_together(theirs, [Heats(95, 10.0, 2.0), Heats(13, 10.0, 2.0)], device=OnProcessor())
    assert ours[0].best == theirs[0].best
    assert np.array_equal(ours[0].memory.state, theirs[0].memory.state)


def test_ends_when_it_is_told_to_with_what_it_has():
    climbs = [Climb(SHAPES[0], seed) for seed in range(2)]
    before = [climb.best for climb in climbs]
    anneal_together(climbs, [Heats(500, 10.0, 2.0)] * 2, stop=lambda: True, device=OnProcessor())
    assert [climb.best for climb in climbs] == before


@pytest.fixture
def on_processor(monkeypatch):
    monkeypatch.setattr(anneal_gpu, "_Cuda", OnProcessor)
    monkeypatch.setattr(anneal_gpu, "require_device_memory", lambda *about: None)


def test_search_on_a_device_is_the_same_twice_and_within_the_bound(on_processor):
    found = best_graph(Problem(60, 4), effort=0.0004, device="gpu")
    again = best_graph(Problem(60, 4), effort=0.0004, device="gpu")
    assert found.complete
    assert found.to_dict() | {"seconds": 0} == again.to_dict() | {"seconds": 0}
    assert Problem(60, 4).moore_mean <= found.mean < 3.2


def test_time_limit_and_interruption_keep_the_best_so_far(on_processor, monkeypatch):
    late = best_graph(Problem(60, 4), effort=1.0, seconds=0.01, device="gpu")
    assert not late.complete
    assert late.diameter < 60

    def interrupted(*about):
        raise KeyboardInterrupt

    monkeypatch.setattr(OnProcessor, "run", interrupted)
    ended = best_graph(Problem(60, 4), effort=1.0, device="gpu")
    assert ended.interrupted
    assert not ended.complete


@pytest.mark.parametrize(
    ("problem", "options", "about"),
    [
        (Problem(60, 4), {"local": "tabu"}, "local"),
        (Problem(60, 4), {"workers": 2}, "workers"),
        (Problem(60, 4), {"methods": ("random",)}, "symmetry"),
        (Problem(16, 4, grid=(4, 4), longest=2), {}, "floor plan"),
    ],
)
def test_refuses_what_it_does_not_do(on_processor, problem, options, about):
    with pytest.raises(ArgumentError, match=about):
        best_graph(problem, effort=1.0, device="gpu", **options)


def test_suits_symmetric_graphs_only():
    assert suits_gpu(SHAPES[0], Problem(20, 3))
    assert not suits_gpu(LiftShape("cyclic(1)", 20, 0, 3), Problem(20, 3))
    assert not suits_gpu(LiftShape("cyclic(3)", 6, 2, 3), Problem(20, 3))
