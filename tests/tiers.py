"""Two tiers of tests: those that take a moment, and the slower rest.

``pytest`` runs the quick tier, ``pytest -m slower`` the rest, ``pytest --all`` both; a test that is
named (``file.py::test``) runs in any case. Slower are the tests that run real programs and browsers
(``acceptance``), those that are marked so, and those that ``slower.txt`` beside this file lists: a
file, a function or one case of it per line. What is new is quick until it is recorded; a run ends
with the names of quick tests that took long.

    pytest -n auto --all --record-times times.jsonl
    python tests/tiers.py times.jsonl   # writes slower.txt
"""

from __future__ import annotations

import argparse
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

__all__ = ["Clock", "TimeRecord", "choose_tier", "is_slower", "mark_slower", "slower_tests"]

HERE = Path(__file__).resolve().parent
RECORD = HERE / "slower.txt"
QUICK_SECONDS = 0.4
"""Processor seconds of a quick test at most. Nine tenths of the tests take less; together they take
some two minutes of one processor, which leaves room for collecting them and compiling kernels."""
_LONG = 5 * QUICK_SECONDS
"""What a quick test may take before it is named: the first one that needs a kernel compiles it."""
_CPU = "processor seconds"


def recorded() -> frozenset[str]:
    """The lines of the record: a file, a function, or one case of it with its brackets."""
    lines = RECORD.read_text(encoding="utf-8").splitlines() if RECORD.exists() else []
    return frozenset(line for line in lines if line and not line.startswith("#"))


def is_slower(name: str, known: frozenset[str]) -> bool:
    """Is a test recorded, or the function or the file that it is part of?"""
    return not known.isdisjoint((name, name.partition("[")[0], name.partition("::")[0]))


def slower_tests(times: Mapping[str, float], limit: float = QUICK_SECONDS) -> list[str]:
    """The lines of a record from the times of all tests.

    A function is one line where more than half of its cases are slow.
    """
    cases: defaultdict[str, list[str]] = defaultdict(list)
    for name in times:
        cases[name.partition("[")[0]].append(name)
    out = []
    for function, names in cases.items():
        slow = [name for name in names if times[name] > limit]
        out += [function] if 2 * len(slow) > len(names) else slow
    return sorted(out)


def choose_tier(config: pytest.Config) -> None:
    """Run both tiers where ``--all`` or a test by name was asked for."""
    named = any("::" in one for one in config.args)
    usual = config.option.markexpr == config.getini("usual_tier")
    if usual and (config.getoption("--all") or named):
        config.option.markexpr = "not slow"


def mark_slower(items: Iterable[pytest.Item]) -> None:
    """Mark the tests of the slower tier; studies of minutes (``slow``) are in none."""
    known = recorded()
    for item in items:
        program = item.get_closest_marker("acceptance") and not item.get_closest_marker("slow")
        if is_slower(item.nodeid, known) or program:
            item.add_marker("slower")


class Clock:
    """Measures the processor time of every test, in the process that runs it."""

    def __init__(self) -> None:
        self._before = 0.0

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self) -> None:
        self._before = _cpu_seconds()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call: pytest.CallInfo[None]) -> Iterator[None]:
        report = yield
        if call.when == "teardown":
            report.user_properties.append((_CPU, round(_cpu_seconds() - self._before, 3)))
        return report


def _cpu_seconds() -> float:
    """Of this process and of those that it waited for."""
    return sum(os.times()[:4])


class TimeRecord:
    """Writes times down, and names quick tests that are not, in the process that reports."""

    def __init__(self, path: str | None) -> None:
        self._path = Path(path) if path else None
        self._known = recorded()
        self._long: list[tuple[float, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        for seconds in (value for name, value in report.user_properties if name == _CPU):
            if self._path is not None:
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([report.nodeid, seconds]) + "\n")
            if seconds > _LONG and "slower" not in report.keywords:
                self._long.append((seconds, report.nodeid))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._long:
            text = f"took over {_LONG:g} s of a processor, compiling included (tests/tiers.py)"
            terminalreporter.write_line(text)
        for seconds, name in sorted(self._long, reverse=True)[:20]:
            terminalreporter.write_line(f"{seconds:8.1f} s  {name}")


def read_times(paths: Iterable[Path]) -> dict[str, float]:
    """Times of tests; of one that was run several times the least, since the first compiles."""
    times: dict[str, float] = {}
    for path in paths:
        for line in path.read_text(encoding="utf-8").splitlines():
            name, seconds = json.loads(line)
            times[name] = min(seconds, times.get(name, seconds))
    return times


def main() -> None:
    """Write the record, and say what the tiers hold."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("times", nargs="+", type=Path, help="what --record-times wrote")
    parser.add_argument("--add", action="store_true", help="keep what is recorded already")
    asked = parser.parse_args()
    times = read_times(asked.times)
    lines = {*slower_tests(times), *(recorded() if asked.add else ())}
    head = "# Tests of the slower tier; python tests/tiers.py writes this file.\n"
    RECORD.write_text(head + "".join(f"{line}\n" for line in sorted(lines)), encoding="utf-8")
    quick = [seconds for name, seconds in times.items() if not is_slower(name, frozenset(lines))]
    whole = sum(times.values())
    print(f"quick: {len(quick)} of {len(times)} tests, {sum(quick):.0f} of {whole:.0f} s")


if __name__ == "__main__":
    main()
