"""The kernels that the tests call, compiled before the first test where nothing is compiled yet.

Workers that start with an empty cache need the same kernels at the same time, and each would
compile nearly all of them. So the process that starts the workers has those of the list,
``kernels.jsonl`` beside this file, and those that commands are known to need, compiled first,
shared out among as many processes as there are processors (:mod:`hopscape.core.compile_ahead`).
What is on neither list is compiled when it is called.

    NUMBA_CACHE_DIR=/tmp/empty pytest -n auto --all --record-kernels seen.jsonl
    python tests/kernels.py seen.jsonl   # writes kernels.jsonl
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from hopscape.core.compile_ahead import PlannedKernel

__all__ = ["compile_kernels", "listed", "record_kernels"]

_DEAR = 200
"""Milliseconds of compiling from which on a kernel is listed: those below take a twentieth of the
time together, and would make the list a fifth longer."""
LIST = Path(__file__).with_suffix(".jsonl")
SOURCE = Path(__file__).resolve().parent.parent / "src"


def compile_kernels(config: pytest.Config) -> None:
    """Before workers start for a run of all tests: compile the list, unless it has been."""
    whole = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    workers = getattr(config.option, "tx", None)  # none in a worker, or without pytest-xdist
    other = config.getoption("--interpreted") or config.getoption("--record-kernels")
    if not (whole and workers) or other:
        return
    from hopscape.core.compile_ahead import compile_entries, processors
    from hopscape.core.kernel_cache import kernel_folders

    stamp = kernel_folders()[0] / "__pycache__" / f"tests-{sys.implementation.cache_tag}.stamp"
    digest = state()
    with suppress(OSError):
        if stamp.read_text(encoding="utf-8") == digest:
            return
    compile_entries(listed(), processors())
    with suppress(OSError):  # a folder that cannot be written: looked through again next time
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(digest, encoding="utf-8")


def state() -> str:
    """What decides whether kernels that were compiled once still serve: list, sources, compiler."""
    seen = hashlib.sha256(LIST.read_bytes() + f"{sys.version} {version('numba')}".encode())
    for path in sorted(SOURCE.rglob("*_kernels.py")):
        facts = path.stat()
        seen.update(f"{path.name} {facts.st_mtime_ns} {facts.st_size}".encode())
    return seen.hexdigest()


def listed() -> list[PlannedKernel]:
    """What commands are known to need, and the list."""
    from hopscape.core.compile_ahead import PlannedKernel

    lines = map(json.loads, LIST.read_text(encoding="utf-8").splitlines())
    more = [PlannedKernel(name, json.dumps(types), cost, ()) for name, types, cost in lines]
    return [*planned_for_commands(), *more]


def planned_for_commands() -> list[PlannedKernel]:
    """What any command is known to need."""
    from hopscape.cli.commands.manual import JOBS
    from hopscape.core.compile_ahead import SMALL, planned

    return planned([*JOBS, *(job + SMALL for job in JOBS)])


def record_kernels(path: str) -> None:
    """Add to a file what this process compiles from now on."""
    from hopscape.core.compile_ahead import report_compiling

    def add(name: str, types: str, cost: int) -> None:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps([name, json.loads(types), cost]) + "\n")

    report_compiling(add)


def merged(lines: Iterable[str]) -> list[str]:
    """One line for each dear function and its types, with the least cost that was seen."""
    known = {(entry.name, entry.types) for entry in planned_for_commands()}
    least: dict[tuple[str, str], int] = {}
    for line in lines:
        name, types, cost = json.loads(line)
        key = name, json.dumps(types)
        least[key] = min(cost, least.get(key, cost))
    return [
        json.dumps([name, json.loads(types), least[name, types]])
        for name, types in sorted(least)
        if least[name, types] >= _DEAR and (name, types) not in known
    ]


def main() -> None:
    """Write the list."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("seen", nargs="+", type=Path, help="what --record-kernels wrote")
    given = parser.parse_args()
    lines = merged(one for path in given.seen for one in path.read_text("utf-8").splitlines())
    LIST.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    total = sum(entry.cost for entry in listed())
    print(f"{len(lines)} kernels beside those of commands, {total / 1000:.0f} s with them")


if __name__ == "__main__":
    main()
