"""The command warm-up: compile the kernels ahead of the first run."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, Any

from hopscape.cli.options import option
from hopscape.cli.output import emit_rows
from hopscape.core.errors import ArgumentError
from hopscape.core.lifeline import run_to_end

__all__ = ["JOBS", "warm_up"]

JOBS = {
    "design": "design --nodes 64 --ports 4 --jobs 1",
    "simulate": "simulate torus(8,8) --load 0.1:0.9:0.4 --cycles 2000",
    "compare": "compare random_regular(64,4) mesh(8,8) --time-limit 600",
    "collectives": "allgather random_regular(64,4)",
    "search": "search circulant --nodes 60 --generators 2 --processes 1",
}
"""What is run, by the job whose kernels it compiles."""


def warm_up(
    only: Annotated[str, option(f"Some of {', '.join(JOBS)}, separated by commas.")] = "",
    processes: Annotated[
        int | None, option("Processes that compile; one per processor without.", min=1)
    ] = None,
) -> None:
    """Compile the kernels ahead, so that the first real run does not wait for the compiler."""
    from hopscape.core.compile_ahead import compile_entries, processors
    from hopscape.core.kernel_cache import cached_kernels, kernel_folders, may_compile_ahead
    from hopscape.core.kernel_plan import planned
    from hopscape.core.progress import track

    wanted = [word.strip() for word in only.split(",") if word.strip()] or list(JOBS)
    for name in wanted:
        if name not in JOBS:
            raise ArgumentError(f"--only: {name!r} is unknown; there are {', '.join(JOBS)}")
    before = cached_kernels()
    rows: list[dict[str, Any]] = []
    count = processes or processors()
    if may_compile_ahead():
        compile_entries(planned(wanted), count)
    with ThreadPoolExecutor(count) as pool:  # finds what the list of kernels does not name
        started = [pool.submit(_run, name) for name in wanted]
        for one in track(started, "trying the jobs", len(started)):
            rows.append(one.result())
    after = cached_kernels()
    places = ", ".join(str(folder) for folder in kernel_folders())
    title = f"{after - before} kernels compiled, {after} in all, kept in {places}"
    emit_rows(rows, title=title, columns={"job": "job", "seconds": "time (s)"})


def _run(name: str) -> dict[str, Any]:
    begin = time.monotonic()
    command = [sys.executable, "-m", "hopscape", *JOBS[name].split(), "--format", "json"]
    done = run_to_end(command, text=True)
    if done.returncode:
        raise ArgumentError(f"warming up {name} failed: {done.stderr.strip()}")
    return {"job": name, "command": JOBS[name], "seconds": round(time.monotonic() - begin, 1)}
