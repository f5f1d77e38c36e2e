"""Kernels compiled ahead: the plan, the order, and what may go wrong."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit, typeof, types

from hopscape.core import compile_ahead as ahead
from hopscape.core import kernel_cache
from hopscape.core.compile_ahead import SMALL, PlannedKernel, decode, encode, plan_digest, planned

pytestmark = pytest.mark.compiled

COMMANDS = ["design", "simulate", "compare", "collectives", "search"]
ALL = [command + size for command in COMMANDS for size in ("", SMALL)]


class Pair(NamedTuple):
    """Two arrays that go together."""

    low: np.ndarray
    high: np.ndarray


@njit
def _leaf(x: int) -> int:
    return x + 1


@njit(inline="always")
def _copied(x: int) -> int:
    return _leaf(x)


@njit
def _root(x: int) -> int:
    return _copied(x) + _leaf(x)


def test_types_come_back() -> None:
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    values = (1, 2.5, True, np.zeros((2, 2), np.uint8, order="F"), np.zeros(4, bool)[::2], fixed)
    kinds = [typeof(value) for value in values]
    kinds += [typeof(Pair(np.zeros(2, np.int32), fixed)), typeof((1, 2.0)), typeof((1, 1))]
    kinds += [types.literal(3), types.Omitted(None), types.Omitted(False)]
    for kind in kinds:
        assert decode(encode(kind)) == kind
    with pytest.raises(TypeError, match="no plain form"):
        encode(types.unicode_type)
    with pytest.raises(TypeError, match="other fields"):
        decode({f"{__name__}:Pair": ["int64"]})


def test_every_entry_names_a_kernel_of_today() -> None:
    entries = planned(ALL)
    assert {command for entry in entries for command in entry.commands} == set(ALL)
    lost = [entry.name for entry in entries if ahead._Kernel.find(entry) is None]
    assert not lost, "run python benchmarks/record_kernels.py"
    assert (
        ahead._Kernel.find(PlannedKernel("hopscape.core.verify_kernels:gone", "[]", 1, ())) is None
    )
    assert ahead._Kernel.find(PlannedKernel("hopscape.gone:gone", "[]", 1, ())) is None


def test_callees_are_found_through_copied_functions() -> None:
    entry = PlannedKernel(f"{__name__}:_root", '["int64"]', 1, ())
    kernel = ahead._Kernel(entry, _root, (types.int64,))
    assert kernel.calls() == {f"{__name__}:_leaf", f"{__name__}:_copied"}


def _jobs() -> ahead._Jobs:
    def kernel(name: str, function: object, cost: int) -> ahead._Kernel:
        return ahead._Kernel(PlannedKernel(f"{__name__}:{name}", "[]", cost, ()), function, ())

    return ahead._Jobs([kernel("_root", _root, 5), kernel("_leaf", _leaf, 2)])


def test_a_kernel_waits_for_those_it_calls() -> None:
    jobs, order = _jobs(), []

    def work(kernel: ahead._Kernel) -> bool:
        order.append(kernel.entry.name.partition(":")[2])
        return True

    assert list(jobs.run(work)) == [1, 2]
    assert order == ["_leaf", "_root"]


class _Gone:
    """A worker that was killed."""

    closed = False

    def compile(self, kernel: ahead._Kernel) -> bool:
        return False

    def end(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


def test_what_a_killed_worker_had_is_compiled_here() -> None:
    jobs, order, gone = _jobs(), [], _Gone()
    jobs.serve(gone)  # type: ignore[arg-type]
    assert gone.closed
    assert list(jobs.run(lambda kernel: order.append(kernel) is None)) == [1, 2]
    assert len(order) == 2


_TWO = """
import sys
from hopscape.core import compile_ahead as ahead
from hopscape.core.kernel_cache import cached_kernels
from hopscape.core.compile_ahead import planned
names = ("core.grid_kernels:", "metrics.cut_kernels:listed_start")
some = [e for e in planned(["design"]) if any(name in e.name for name in names)]
ahead._WORTH_IT = 1
if sys.argv[1] == "lonely":
    sys.executable = "/nowhere/python"
before = cached_kernels()
done = ahead.compile_entries(some, 2)
print(before, done == len(some) > 2, cached_kernels() > 2, ahead.compile_entries(some, 2))
"""


@pytest.mark.parametrize("how", ["two", "lonely"])
def test_an_empty_cache_is_filled(how: str, tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", _TWO, how]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "True", "True", "0"]


def test_once_and_only_for_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    monkeypatch.setattr(ahead, "compile_entries", lambda entries, count: calls.append(count))
    monkeypatch.setattr(ahead, "processors", lambda: 2)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "new"))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.setattr(kernel_cache, "_ahead", False)
    ahead.compile_ahead("simulate", 1000)
    assert not calls
    kernel_cache.allow_compiling_ahead()
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    ahead.compile_ahead("simulate", 1000)
    assert not calls
    monkeypatch.delenv("NUMBA_DISABLE_JIT")
    ahead.compile_ahead("simulate", 1000)
    ahead.compile_ahead("simulate", 1000)
    assert calls == [2]  # the second time there is a stamp
    [stamp] = (tmp_path / "new").iterdir()
    assert stamp.read_text() == plan_digest()
    stamp.write_text("of other sources")
    monkeypatch.setattr(ahead, "processors", lambda: 1)
    ahead.compile_ahead("simulate", 1000)
    assert calls == [2]
    monkeypatch.setattr(ahead, "processors", lambda: 2)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(stamp))  # a file: nothing can be written there
    ahead.compile_ahead("simulate", 1000)
    assert calls == [2, 2]


def test_small_networks_need_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[set[str]] = []

    def note(entries: list[PlannedKernel], count: int) -> None:
        calls.append({entry.name for entry in entries})

    monkeypatch.setattr(ahead, "compile_entries", note)
    monkeypatch.setattr(ahead, "processors", lambda: 2)
    monkeypatch.setattr(kernel_cache, "_ahead", True)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("NUMBA_DISABLE_JIT", raising=False)
    monkeypatch.delenv("HOPSCAPE_INTERPRET")
    for nodes in (64, 64, 1000, 1000):
        ahead.compile_ahead("design", nodes)
    few, many = calls
    assert few < many
    assert len(list(tmp_path.iterdir())) == 2
    monkeypatch.setenv("HOPSCAPE_INTERPRET", "0")  # they need all then
    ahead.compile_ahead("design", 64)
    ahead.compile_ahead("simulate", 64)
    assert len(calls) == 3
    assert calls[2] == {entry.name for entry in planned(["simulate"])}


@pytest.mark.slow
@pytest.mark.parametrize("job", ALL)
def test_the_plan_is_what_the_jobs_compile(job: str) -> None:
    path = Path(__file__).parents[2] / "benchmarks" / "record_kernels.py"
    found = importlib.util.spec_from_file_location("record_kernels", path)
    assert found is not None
    assert found.loader is not None
    recorder = importlib.util.module_from_spec(found)
    found.loader.exec_module(recorder)
    recorded = recorder.record(job)
    seen = {(name, str(decode_all(text))) for name, text, _ in recorded}
    plan = {(entry.name, str(decode_all(entry.types))) for entry in planned([job])}
    assert seen == plan, "run python benchmarks/record_kernels.py"


def decode_all(text: str) -> list[object]:
    """The types of an entry."""
    return [decode(plain) for plain in json.loads(text)]


def test_processes_that_are_not_needed_end_at_once(monkeypatch):
    """Whether enough is missing is known only after they have been started."""
    ended = []

    class Idle:
        def end(self):
            ended.append("end")

        def close(self):
            ended.append("close")

    monkeypatch.setattr(ahead, "_Worker", Idle)
    monkeypatch.setattr(ahead._Kernel, "is_cached", lambda kernel: True)
    assert ahead.compile_entries(planned(["simulate"]), 3) == 0
    assert ended == ["end", "close"] * 2
