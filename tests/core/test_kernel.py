"""What a kernel is compiled from: all files whose code or constants it holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hopscape.core.kernel import helper, kernel, source_stamp
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
    assert found >= {"measure_kernels.py", "move_kernels.py", "random_kernels.py"}
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
