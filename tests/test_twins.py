"""The table of slow twins is whole: every kernel module has one, and every one is used."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import hopscape
from twins import TWINS

SOURCE, TESTS = Path(hopscape.__file__).parent, Path(__file__).parent


def _name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def _imported(path: Path) -> set[str]:
    """Modules of hopscape that a file imports from, or whose things it imports by another way."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
            if node.module.split(".")[0] != "hopscape":
                continue
            module = importlib.import_module(node.module)
            for alias in node.names:
                thing = getattr(module, alias.name, None)
                found.add(getattr(thing, "__module__", None) or f"{node.module}.{alias.name}")
                found.add(f"{node.module}.{alias.name}")
    return {name.removeprefix("hopscape.") for name in found if name.startswith("hopscape")}


def _defined(path: Path) -> set[str]:
    """Functions, classes and methods of a file, and functions it imports from other tests."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{x.name}" for x in node.body if isinstance(x, ast.FunctionDef)}
        if isinstance(node, ast.ImportFrom) and (path.parent / f"{node.module}.py").exists():
            found |= {alias.name for alias in node.names}
    return found


KERNELS = sorted(_name(path) for path in SOURCE.rglob("*_kernels.py"))
IMPORTS = {_name(path): _imported(path) for path in SOURCE.rglob("*.py")}


def _ways_in(kernel: str) -> set[str]:
    """A kernel module, and the modules that call it (at first or through other kernels)."""
    found, fresh = set(), {kernel}
    while fresh:
        found |= fresh
        inside = {name for name in fresh if name.endswith("_kernels")}
        fresh = {name for name, uses in IMPORTS.items() if uses & inside} - found
    return found


def test_every_kernel_module_has_a_twin() -> None:
    assert sorted(TWINS) == KERNELS


@pytest.mark.parametrize("kernel", sorted(TWINS))
def test_twins_exist_and_are_compared(kernel: str) -> None:
    file, twin = TWINS[kernel]
    path = TESTS / file
    assert twin in _defined(path)
    assert path.read_text(encoding="utf-8").count(twin.rpartition(".")[2]) >= 2, "never called"
    assert _imported(path) & _ways_in(kernel), f"{file} uses nothing of {sorted(_ways_in(kernel))}"


def test_the_check_can_fail(tmp_path: Path) -> None:
    path = tmp_path / "test_nothing.py"
    path.write_text("from hopscape.core.errors import ArgumentError\n\ndef helper(): ...\n")
    assert _defined(path) == {"helper"}
    assert not _imported(path) & _ways_in("core.verify_kernels")
    assert "core.verify" in _ways_in("core.verify_kernels")
