"""What a kernel is compiled from: all files whose code or constants it holds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numba
import numpy as np
import pytest
from numba import types

from hopscape.core.kernel import (
    helper,
    interpreted,
    is_cached,
    is_kernel,
    is_ready,
    kernel,
    source_stamp,
)
from hopscape.search.graph import anneal_kernels
from hopscape.simulate import engine_kernels


@helper
def _twice(x):
    return 2 * x


@kernel
def _once_more(x):
    return _twice(x) + 1


@kernel(error_model="numpy")
def _quotient(x, y):
    return x / y


@pytest.mark.compiled
def test_kernels_with_and_without_options():
    assert _once_more(20) == 41
    assert _quotient(1.0, 0.0) == float("inf")


@kernel
def _doublings(steps):
    x = 1
    for _ in range(steps):
        x = _twice(x)
    return x + _twice(3)


@pytest.mark.compiled
def test_a_helper_is_compiled_for_types_not_for_constants():
    assert _doublings(4) == 22
    _doublings.recompile()  # not from the cache
    assert [str(kind) for kind in _twice.signatures] == ["(int64,)"]


def files_of(module):
    return {name for name, _, _ in source_stamp(Path(module.__file__))}


def test_files_whose_code_a_kernel_holds():
    """Not only those that its own module imports; nor all of the package."""
    found = files_of(anneal_kernels)
    assert found >= {"measure_kernels.py", "move_kernels.py", "grid_kernels.py"}
    assert "layout.py" in files_of(engine_kernels)
    assert "anneal_kernels.py" not in found
    assert "network.py" not in found


def test_a_change_in_what_is_called_is_a_change(tmp_path):
    """Of a module two imports away, whatever the form of the import; of no other."""
    (tmp_path / "room").mkdir()
    for name, text in {
        "a": "from hopscape.room import b, c\n",
        "c": "from hopscape.room.d import (\n    ONE,\n    TWO,\n)\n",
        "d": "ONE, TWO = 1, 2\n",
        "b": "",
        "e": "",
    }.items():
        (tmp_path / "room" / f"{name}.py").write_text(text)
    first = source_stamp(tmp_path / "room" / "a.py", tmp_path)
    assert [name for name, _, _ in first] == ["b.py", "c.py", "d.py"]
    os.utime(tmp_path / "room" / "e.py", (1, 1))
    assert source_stamp(tmp_path / "room" / "a.py", tmp_path) == first
    os.utime(tmp_path / "room" / "d.py", (1, 1))
    assert source_stamp(tmp_path / "room" / "a.py", tmp_path) != first


@pytest.mark.compiled
def test_the_cache_asks_for_the_stamp():
    """Numba compares it with the one that was written beside the machine code."""
    own, others = anneal_kernels.anneal._cache._cache_file._source_stamp
    assert others == source_stamp(Path(anneal_kernels.__file__))
    assert own != others


@kernel(steps=len)
def _total(values):
    total = 0
    for value in values:
        total += value
    return total


@pytest.mark.compiled
def test_a_dispatcher_asks_before_it_compiles(monkeypatch):
    """Little work is interpreted: ``_compile_for_args`` is what numba calls for new types."""
    monkeypatch.setattr("hopscape.core.kernel._interpreted_steps", lambda: 100)
    monkeypatch.setattr(_total._compile_for_args, "_is_cached", lambda args: False)
    assert _total(np.arange(5)) == 10
    assert not _total.signatures
    monkeypatch.setattr(_total._compile_for_args, "_taken", 10**9)
    assert _total(np.arange(5)) == 10
    assert _total.signatures
    assert interpreted(_total)(np.arange(5)) == 10


@pytest.mark.compiled
def test_what_is_on_disk_is_known_before_it_is_loaded():
    """By the index of numba's cache and its key."""
    _once_more(20)
    assert is_kernel(_once_more)
    assert is_ready(_once_more)
    again = kernel(_once_more.py_func)  # a dispatcher that has compiled nothing
    assert not again.overloads
    assert is_cached(again, (types.int64,))
    assert not is_cached(again, (types.complex64,))


def test_numba_is_one_that_the_suite_has_passed_with():
    """A newer one needs a run of the whole suite first: then raise the bound."""
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    [asked] = [word for word in project["dependencies"] if word.startswith("numba")]
    low, high = re.fullmatch(r"numba>=0\.(\d+),<0\.(\d+)", asked).groups()
    assert int(low) <= int(numba.__version__.split(".")[1]) < int(high)


def test_private_parts_of_numba_are_touched_in_one_module():
    """``numba.core.event`` and ``numba.core.errors`` are documented."""
    source = Path(__file__).parents[2] / "src" / "hopscape"
    private = re.compile(
        r"numba\.core(?!\.(event|errors)\b| import event\b)|TargetConfig|meminfo"
        r"|_compile_for_args|_source_stamp"
        r"|get_call_template|_load_index|_index_key|_cache_file|\._cache\b|typeof_pyval"
    )
    touched = [
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if private.search(path.read_text(encoding="utf-8"))
    ]
    assert touched == ["core/kernel.py"]


RENAMED = """
import sys
from typing import NamedTuple
import numpy as np
from hopscape.core.kernel import kernel

class {name}(NamedTuple):
    values: np.ndarray

@kernel
def total(pair):
    return pair.values.sum()

print(total({name}(np.arange(4))))
"""


def test_a_cache_that_names_a_renamed_class_is_compiled_anew(tmp_path: Path) -> None:
    """As after an upgrade: the index of the old version holds types that are gone."""
    script = tmp_path / "kernels_of_two_versions.py"
    for name in ("Before", "Later_"):  # as many letters, so that size and line numbers stay
        script.write_text(RENAMED.format(name=name), encoding="utf-8")
        os.utime(script, (1_000_000_000, 1_000_000_000))
        done = subprocess.run(
            [sys.executable, "-c", "import kernels_of_two_versions"],
            cwd=tmp_path, capture_output=True, text=True, check=False,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"),
                              "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        assert (done.returncode, done.stdout.strip()) == (0, "6"), done.stderr
