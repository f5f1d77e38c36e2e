"""The table of slow twins is whole: every kernel module has one, and a test compares the two."""

from __future__ import annotations

import ast
import importlib
from functools import cache
from pathlib import Path

import pytest

import hopscape
from conftest import PAPERS
from twins import TWINS as ALL_TWINS

TWINS = [row for row in ALL_TWINS if PAPERS or not row[0].startswith("papers.")]
SOURCE, TESTS = Path(hopscape.__file__).parent, Path(__file__).parent


def _name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


@cache
def _kernels_used() -> dict[str, set[str]]:
    """The kernel modules that each module of the package imports from."""
    found: dict[str, set[str]] = {}
    for path in SOURCE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "_kernels" in text else ():
            if isinstance(node, ast.ImportFrom) and node.module:
                names = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
                kernels = {n.removeprefix("hopscape.") for n in names if n.endswith("_kernels")}
                found.setdefault(_name(path), set()).update(kernels)
    return found


def _ways_in(kernel: str) -> set[str]:
    """A kernel module, and the modules that call it (at first or through other kernels)."""
    found, fresh = set(), {kernel}
    while fresh:
        found |= fresh
        inside = {name for name in fresh if name.endswith("_kernels")}
        fresh = {name for name, uses in _kernels_used().items() if uses & inside} - found
    return found


def _modules(node: ast.ImportFrom) -> dict[str, set[str]]:
    """Names that a line imports from hopscape, and the modules where they may be defined."""
    if node.level or not node.module or node.module.split(".")[0] != "hopscape":
        return {}
    module, found = importlib.import_module(node.module), {}
    for alias in node.names:
        defined = getattr(getattr(module, alias.name, None), "__module__", None)
        names = {node.module, f"{node.module}.{alias.name}", *([defined] if defined else [])}
        found[alias.asname or alias.name] = {name.removeprefix("hopscape.") for name in names}
    return found


def _used(node: ast.AST) -> set[str]:
    """All names and attributes inside."""
    inside = list(ast.walk(node))
    names = {x.id for x in inside if isinstance(x, ast.Name)}
    return names | {x.attr for x in inside if isinstance(x, ast.Attribute)}


def _reached(path: Path) -> dict[str, set[str]]:
    """What each test of a file uses: names of its own functions, and modules of hopscape."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    uses: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            uses |= _modules(node)
    for node in tree.body:
        names = [node.name] if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
        if isinstance(node, ast.Assign):
            names = [x.id for x in node.targets if isinstance(x, ast.Name)]
        uses |= {name: _used(node) for name in names}
    found = {}
    for test in (name for name in uses if name.startswith("test_")):
        reached, fresh = set(), {test}
        while fresh:
            reached |= fresh
            fresh = {name for one in fresh for name in uses.get(one, ())} - reached
        found[test] = reached
    return found


def test_every_kernel_module_has_a_twin() -> None:
    assert {row[0] for row in TWINS} == {_name(path) for path in SOURCE.rglob("*_kernels.py")}


@pytest.mark.parametrize(("kernel", "file", "twin"), TWINS)
def test_twins_exist_and_are_compared(kernel: str, file: str, twin: str) -> None:
    assert file.split("/")[0] == kernel.split(".")[0], "in another room"
    ways = _ways_in(kernel)
    both = [
        test
        for test, uses in _reached(TESTS / file).items()
        if twin.rpartition(".")[2] in uses and uses & ways
    ]
    assert both, f"no test in {file} uses both {twin} and something of {sorted(ways)}"


def test_the_check_can_fail(tmp_path: Path) -> None:
    path = tmp_path / "test_nothing.py"
    path.write_text(
        "from hopscape.core.errors import ArgumentError\nfrom hopscape import verify\n"
        "def helper(): verify()\ndef slow_twin(): ...\n"
        "def test_one(): helper()\ndef test_two(): slow_twin()\n"
    )
    ways, reached = _ways_in("core.verify_kernels"), _reached(path)
    assert "core.verify" in ways
    assert reached["test_one"] & ways
    assert "slow_twin" not in reached["test_one"]
    assert not reached["test_two"] & ways
