"""Format, lint and types, as CONTRIBUTING.md asks; and that the README's promises are wired up."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_format() -> None:
    run = _run(sys.executable, "-m", "ruff", "format", "--check", ".")
    assert run.returncode == 0, run.stdout + run.stderr


def test_lint() -> None:
    run = _run(sys.executable, "-m", "ruff", "check", ".")
    assert run.returncode == 0, run.stdout + run.stderr


def test_types() -> None:
    run = _run(sys.executable, "-m", "mypy")
    assert run.returncode == 0, run.stdout + run.stderr


def test_ci_runs_the_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    marked = re.search(r"<!-- test command -->\s*```[a-z]*\n(.+?)\n```", readme, re.DOTALL)
    assert marked is not None
    assert "pytest" in marked[1]
    assert "README.md" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_tests_of_the_test_suite_have_no_clock() -> None:
    """Timings belong to benchmarks/."""
    pattern = re.compile(r"(perf_counter|process_time|\btime\.time)\(")
    watchdog = ROOT / "tests" / "fuzz" / "__main__.py"  # run by hand, ends what hangs
    skipped = (Path(__file__), watchdog)
    others = [p for p in (ROOT / "tests").rglob("*.py") if p not in skipped]
    assert [p.name for p in others if pattern.search(p.read_text(encoding="utf-8"))] == []


def test_no_two_test_files_have_one_name() -> None:
    """Folders of tests are no packages: pytest imports files by name, and refuses the second."""
    names = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert [name for name, times in names.items() if times > 1] == []


SOURCE = ROOT / "src" / "hopscape"
LONGEST = 80  # lines of a function, signature and docstring not counted
MOST_ARGUMENTS = 8  # of a kernel; more belong together and become a NamedTuple
MORE_ARGUMENTS = {
    "papers/torusbcast/words_kernels.py": {"_allowed": 11, "_hold": 11, "disjoint_words": 9},
    "collectives/flow_path_kernels.py": {"_cheapest": 10, "priced_paths": 13},
    "collectives/forest_kernels.py": {"_can_take": 11, "grow_trees": 9},
    "collectives/symmetric_kernels.py": {"even_paths": 11},
    "core/verify_kernels.py": {"_count_ports": 10, "_take": 9},
    "families/circulant/routing_kernels.py": {"lattice_vectors": 12, "ring_vectors": 10},
    "papers/circulant/search_kernels.py": {"scan": 11},
    "papers/heawood/route_kernels.py": {"pair_distances": 12},
    "metrics/throughput_kernels.py": {"_send": 9, "rising_lengths": 9},
    "metrics/route_kernels.py": {"balanced_table": 9},
}
"""Kernels from before the rule: who mends one takes it off, and nobody adds one."""


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from the first statement after the docstring to the last."""
    body = function.body
    if ast.get_docstring(function) is not None and len(body) > 1:
        body = body[1:]
    return (function.end_lineno or 0) - body[0].lineno + 1


def _long_functions(root: Path) -> list[str]:
    return [
        f"{path.relative_to(root)}: {one.name} has {_body_lines(one)} lines"
        for path in sorted(root.rglob("*.py"))
        for one in _functions(path)
        if _body_lines(one) > LONGEST
    ]


def _wide_kernels(root: Path) -> dict[str, dict[str, int]]:
    wide: dict[str, dict[str, int]] = {}
    for path in sorted(root.rglob("*_kernels.py")):
        for one in _functions(path):
            count = len(one.args.posonlyargs) + len(one.args.args)
            if count > MOST_ARGUMENTS:
                wide.setdefault(path.relative_to(root).as_posix(), {})[one.name] = count
    return wide


def test_no_function_is_too_long() -> None:
    assert _long_functions(SOURCE) == []


def test_kernels_take_few_arguments() -> None:
    assert _wide_kernels(SOURCE) == MORE_ARGUMENTS


@pytest.mark.parametrize(("lines", "arguments"), [(80, 8), (81, 9)])
def test_long_functions_and_wide_kernels_are_found(
    tmp_path: Path, lines: int, arguments: int
) -> None:
    names = ", ".join(f"a{i}" for i in range(arguments))
    body = "    pass\n" * lines
    (tmp_path / "some_kernels.py").write_text(f'def f({names}):\n    """Says."""\n{body}')
    fine = lines <= LONGEST
    assert (_long_functions(tmp_path) == []) == fine
    assert _wide_kernels(tmp_path) == ({} if fine else {"some_kernels.py": {"f": arguments}})
