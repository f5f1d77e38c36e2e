"""Kernels that are interpreted while they have little to do: the same answers, and no longer."""

from __future__ import annotations

import copy
import importlib
import os
import pkgutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
import pytest

import hopscape
from hopscape.collectives.choose import named_algorithms, run_algorithm
from hopscape.collectives.executed import executed_time
from hopscape.core import kernel as kernels
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.grid_kernels import draw
from hopscape.core.kernel import helper, interpreted, kernel
from hopscape.core.vector_kernels import lowest
from hopscape.core.verify import verify
from hopscape.deadlock import find_classes
from hopscape.metrics import structure
from hopscape.metrics.bisection import bisection
from hopscape.simulate import Job, Settings, simulate
from hopscape.simulate.jobs import _build

pytestmark = pytest.mark.compiled


class Both(NamedTuple):
    """A number and an array."""

    number: int
    array: np.ndarray


@helper
def _half(x):
    return x // 2


@kernel(steps=lambda array, state: 10 * len(array))
def _both(array, state):
    return Both(_half(array[0]), array + np.uint64(draw(state, 10))), lowest(array[1]), array[0] > 1


def ask(array):
    return _both(np.asarray(array, np.uint64), np.asarray([2**64 - 1], np.uint64))


@pytest.fixture
def allowed(monkeypatch):
    """Sets how many steps may be interpreted; nothing is in the cache."""
    monkeypatch.setattr(kernels, "is_cached", lambda made, kinds: False)
    monkeypatch.setattr(_both._compile_for_args, "_taken", 0)
    _both._compile_for_args._missing.clear()

    def allow(steps):
        monkeypatch.setattr(kernels, "_interpreted_steps", lambda: steps)
        _both._reset_overloads()
        _both._make_finalizer()

    return allow


@pytest.mark.filterwarnings("error")
def test_interpreted_until_it_has_done_enough(allowed):
    allowed(100)
    first = ask([7, 8])
    assert not _both.overloads
    assert [ask([7, 8])[1] for _ in range(4)] == [3] * 4
    assert not _both.overloads  # 5 calls of 20 steps
    last = ask([7, 8])
    assert _both.overloads
    for answer in (first, last):
        (number, array), low, more = answer
        assert (number, low, more) == (3, 3, True)
        assert [type(one) for one in (number, low, more)] == [int, int, bool]
        assert type(answer[0]) is Both
        assert array.dtype == np.uint64
    assert (first[0].array == last[0].array).all()


def test_what_is_compiled_already_is_not_interpreted(allowed, monkeypatch):
    allowed(10**9)
    monkeypatch.setattr(kernels, "is_cached", lambda made, kinds: True)
    ask([4, 2])
    assert _both.overloads


def test_the_limit_of_the_environment(monkeypatch):
    limit = kernels._interpreted_steps.__wrapped__
    for text, steps in {"": kernels._LITTLE, "0": 0, "7000": 7000}.items():
        monkeypatch.setenv("HOPSCAPE_INTERPRET", text)
        assert limit() == steps
    for text in ("-1", "few", "1e3", "9" * 5000):
        monkeypatch.setenv("HOPSCAPE_INTERPRET", text)
        with pytest.raises(
            ArgumentError, match=f"INTERPRET is '{text[:18]}.*'; it must be"
        ) as said:
            limit()
        assert len(str(said.value)) < 100


_GIRTH = """
import hopscape
from hopscape.core.kernel_cache import cached_kernels
from hopscape.metrics import girth
print(girth(hopscape.build("random_regular(40, 3, seed=2)")).value, cached_kernels())
"""


def test_a_small_network_needs_no_compiler(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path), "HOPSCAPE_INTERPRET": ""}
    command = [sys.executable, "-c", _GIRTH]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    expected = structure.girth(hopscape.build("random_regular(40, 3, seed=2)")).value
    assert done.stdout.split() == [str(expected), "0"]


def all_tiered() -> dict[str, Any]:
    """Every kernel that may be interpreted."""
    found = {}
    for module in pkgutil.walk_packages(hopscape.__path__, "hopscape."):
        if module.name.endswith("_kernels"):
            for made in vars(importlib.import_module(module.name)).values():
                if isinstance(getattr(made, "_compile_for_args", None), kernels._Tiers):
                    found[f"{made.py_func.__module__}:{made.py_func.__name__}"] = made
    return found


class Compared:
    """Stands for a kernel, and compares what machine code and Python do."""

    calls: ClassVar[Counter[str]] = Counter()

    def __init__(self, name, made):
        self.name, self.made = name, made

    def __getattr__(self, name):
        return getattr(self.made, name)

    def __call__(self, *args):
        before = copy.deepcopy(args)
        result = self.made(*args)
        assert same(interpreted(self.made)(*before), result), (self.name, before)
        assert same(before, args), self.name
        Compared.calls[self.name] += 1
        return result


def same(one, other):
    """Equal, of the same types too."""
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    return one == other


SPECS = ["kautz(2, 2)", "torus(3, 4)", "random_regular(10, 3)", "xpander(3, 2)"]


def work(spec: str) -> None:
    """A little of everything that uses kernels."""
    network = hopscape.build(spec)
    structure.girth(network, exact=True)
    structure.node_connectivity(network, exact=True)
    structure.edge_connectivity(network, exact=True)
    bisection(network)
    find_classes(network)
    alone = Goal.broadcast(0), Goal.reduce(0), Goal.all_reduce(), Goal.all_to_all()
    for goal in (*alone, Goal.all_gather()):
        assert verify(run_algorithm(network, goal))
    for one in named_algorithms(network, Goal.all_gather()):
        if one.name in ("breadth-first", "flow", "forest"):
            assert verify(run_algorithm(network, Goal.all_gather(), one.name))
    simulate(Job(spec, "uniform", 0.1, Settings(), cycles=100))


def special_cases() -> None:
    """A cycle of dependencies, and distances that a byte does not hold."""
    assert not find_classes(hopscape.build("ring(6)"), method="single")[2].deadlock_free
    network = hopscape.build("path(300)")
    structure.girth(network, exact=True)
    schedule = run_algorithm(network, Goal.broadcast(0))
    assert verify(schedule)
    assert executed_time(schedule, {"alpha": 1.0, "beta": 0.5, "gamma": 0.0, "delta": 0.1}, 8.0)


def do_all() -> None:
    _build.cache_clear()
    for spec in SPECS:
        work(spec)
    special_cases()


def test_both_tiers_give_the_same(monkeypatch):
    tiered = all_tiered()
    assert len(tiered) > 25
    do_all()  # compiles, while kernels still know each other
    Compared.calls.clear()
    for name, made in tiered.items():
        stand_in = Compared(name, made)
        for module in [one for name, one in sys.modules.items() if name.startswith("hopscape.")]:
            for attribute, value in list(vars(module).items()):
                if value is made:
                    monkeypatch.setattr(module, attribute, stand_in)
    do_all()
    assert set(tiered) == set(Compared.calls)
