"""How long a command takes when nothing has been compiled yet, and the next time.

Run as ``python benchmarks/first_run.py [COMMAND...]``, each in quotes. Seconds are those that one
waits, from start to end, with an empty folder of compiled kernels.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time

from rich.console import Console
from rich.table import Table

from hopscape.core.progress import track

_COMMANDS = (
    "design --nodes 64 --ports 4",
    "simulate 'torus(8, 8)'",
    "show 'random_regular(64, 4)'",
    "broadcast 'torus(8, 8)'",
    "allreduce 'torus(4, 4)'",
    "deadlock 'torus(8, 8)'",
)


def main(commands: list[str]) -> None:
    """Print a row for each command."""
    table = Table("command", "first run (s)", "interpreting nothing (s)", "later (s)")
    for command in track(commands, "first runs", len(commands)):
        with tempfile.TemporaryDirectory() as folder:
            first = _seconds(command, folder)
            later = min(_seconds(command, folder) for _ in range(2))
        with tempfile.TemporaryDirectory() as folder:
            compiled = _seconds(command, folder, HOPSCAPE_INTERPRET="0")
        table.add_row(command, f"{first:.1f}", f"{compiled:.1f}", f"{later:.1f}")
    Console().print(table)


def _seconds(command: str, folder: str, **more: str) -> float:
    environment = os.environ | {"NUMBA_CACHE_DIR": folder, **more}
    begin = time.perf_counter()
    words = [sys.executable, "-m", "hopscape", *shlex.split(command)]
    subprocess.run(words, env=environment, check=True, capture_output=True)
    return time.perf_counter() - begin


if __name__ == "__main__":
    main(sys.argv[1:] or list(_COMMANDS))
