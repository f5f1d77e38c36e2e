"""Format, lint and types, as CONTRIBUTING.md asks; and that the README's promises are wired up."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

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
    pattern = re.compile(r"perf_counter|process_time|time\.time\(")
    watchdog = ROOT / "tests" / "fuzz" / "__main__.py"  # run by hand, ends what hangs
    skipped = (Path(__file__), watchdog)
    others = [p for p in (ROOT / "tests").rglob("*.py") if p not in skipped]
    assert [p.name for p in others if pattern.search(p.read_text(encoding="utf-8"))] == []
