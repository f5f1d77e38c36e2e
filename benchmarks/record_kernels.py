"""Record which kernels the commands compile: ``python benchmarks/record_kernels.py``.

Every job of ``hopscape warm-up``, or those that are named, runs with an empty cache; what it
compiles goes into ``src/hopscape/core/kernel_plan.jsonl``: once for large networks, where nothing
is interpreted, and once as it is.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from hopscape.cli.commands.manual import JOBS
from hopscape.core.compile_ahead import PLAN, SMALL, PlannedKernel, planned

# A simulation does the same before each run: what that takes counts more than the first compiling.
_STEPS = {f"simulate{SMALL}": "60000"}


def main(jobs: list[str]) -> None:
    """Run jobs, each in a process of its own, and write the plan; that of the others stays."""
    found: dict[tuple[str, str], tuple[int, list[str]]] = {}
    for entry in planned([*JOBS, *(job + SMALL for job in JOBS)]):
        users = [user for user in entry.commands if user.removesuffix(SMALL) not in jobs]
        if users:
            found[entry.name, entry.types] = (entry.cost, users)
    for job in (name + size for name in jobs for size in ("", SMALL)):
        for name, types, cost in record(job):
            best, users = found.get((name, types), (cost, []))
            found[name, types] = (min(best, cost), [*users, job])
    entries = [
        PlannedKernel(*key, cost, tuple(users)) for key, (cost, users) in sorted(found.items())
    ]
    PLAN.write_text("".join(f"{entry.line()}\n" for entry in entries), encoding="utf-8")
    print(f"{len(entries)} kernels in {PLAN}")


def record(job: str) -> list[tuple[str, str, int]]:
    """What a job compiles into an empty cache: name, types, milliseconds."""
    with tempfile.TemporaryDirectory() as folder:
        interpret = _STEPS.get(job, "") if job.endswith(SMALL) else "0"
        environment = os.environ | {"NUMBA_CACHE_DIR": folder, "HOPSCAPE_INTERPRET": interpret}
        out = Path(folder) / "out.json"
        words = JOBS[job.removesuffix(SMALL)].split()
        command = [sys.executable, __file__, "--listen", str(out), *words]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        seen = json.loads(out.read_text(encoding="utf-8"))
    return [(name, types, cost) for name, types, cost in seen]


def _listen(out: Path, words: list[str]) -> None:
    """In a process of its own: run a command and write down what is compiled."""
    from hopscape.cli import main as run
    from hopscape.core import compile_ahead

    compile_ahead.processors = lambda: 1
    rows: list[tuple[str, str, int]] = []
    compile_ahead.report_compiling(lambda *row: rows.append(row))
    try:
        run(words)
    except SystemExit as leaving:
        if leaving.code:
            raise
    out.write_text(json.dumps(rows), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--listen"]:
        _listen(Path(sys.argv[2]), sys.argv[3:])
    else:
        main(sys.argv[1:] or list(JOBS))
