"""How long a command takes when nothing has been compiled yet, and the next time.

    python benchmarks/first_run.py [COMMAND...]           # each in quotes
    python benchmarks/first_run.py --pieces [COMMAND...]  # what each piece of the machinery buys

Seconds are those that one waits, from start to end, with an empty folder of compiled kernels, and
with ``--pieces`` processor seconds too. A piece is taken away in a copy of the package; all copies
are run turn by turn, and the quickest of some turns counts. Run it on a machine with nothing else
to do: beside other work processor seconds of equal runs differ by a third, which hides what most
pieces buy. Interpreting small calls shows even there: the first ``deadlock 'torus(8, 8)'`` takes
1.5 processor seconds with it and 9.5 without. No kernel for a constant buys nothing in ``simulate``
and 12 to 14 percent of what ``broadcast`` and ``allreduce`` take where nothing is interpreted.
"""

from __future__ import annotations

import argparse
import os
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
_TURNS = 3
_PACKAGE = Path(__file__).resolve().parent.parent / "src/hopscape"
_AHEAD, _KERNEL = "core/compile_ahead.py", "core/kernel.py"
_PIECES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "nothing": (),
    "other processes": ((_AHEAD, "if not may_compile_ahead() or processors() < 2:", "if True:"),),
    "longest chain first": (
        (_AHEAD, "best = max(ready, key=lambda k: k.rank)", "best = ready[0]"),
    ),
    "interpreting small calls": ((_KERNEL, "_LITTLE = 1_000_000", "_LITTLE = 0"),),
    "no kernel for a constant": ((_KERNEL, 'if hasattr(made, "get_call_template")', "if False"),),
    "no entries for C and Python": (
        (_KERNEL, "no_cfunc_wrapper=True", "no_cfunc_wrapper=False"),
        (_KERNEL, "partial(kernel, no_cpython_wrapper=True)", "partial(kernel)"),
    ),
    "small helpers without counting": (
        (
            _KERNEL,
            'partial(helper, error_model="numpy", _nrt=False, forceinline=True)',
            "partial(helper)",
        ),
    ),
}
"""What is taken away: file, text, what stands there instead."""


def first_runs(commands: list[str]) -> Table:
    """A row for each command."""
    table = Table("command", "first run (s)", "interpreting nothing (s)", "later (s)")
    for command in track(commands, "first runs", len(commands)):
        with tempfile.TemporaryDirectory() as folder:
            first, _ = _seconds(command, folder)
            later = min(_seconds(command, folder)[0] for _ in range(2))
        with tempfile.TemporaryDirectory() as folder:
            compiled, _ = _seconds(command, folder, HOPSCAPE_INTERPRET="0")
        table.add_row(command, f"{first:.1f}", f"{compiled:.1f}", f"{later:.1f}")
    return table


def pieces(commands: list[str]) -> Table:
    """A row for each command and piece that is taken away."""
    table = Table("command", "without", "first run (s)", "of all", "processor (s)", "of all")
    with tempfile.TemporaryDirectory() as place:
        copies = {name: _copy(Path(place) / str(i), name) for i, name in enumerate(_PIECES)}
        for command in commands:
            best: dict[str, tuple[float, float]] = {}
            for _ in track(range(_TURNS), command, _TURNS):
                for name, source in copies.items():
                    with tempfile.TemporaryDirectory() as folder:
                        taken = _seconds(command, folder, PYTHONPATH=str(source))
                    known = best.get(name, taken)
                    best[name] = min(known[0], taken[0]), min(known[1], taken[1])
            whole = best["nothing"]
            for name, (wall, processor) in best.items():
                table.add_row(
                    command,
                    name,
                    f"{wall:.1f}",
                    f"{wall / whole[0]:.2f}",
                    f"{processor:.1f}",
                    f"{processor / whole[1]:.2f}",
                )
    return table


def _copy(place: Path, piece: str) -> Path:
    """The package without a piece, in a folder for ``PYTHONPATH``."""
    shutil.copytree(_PACKAGE, place / "hopscape", ignore=shutil.ignore_patterns("__pycache__"))
    for name, old, new in _PIECES[piece]:
        file = place / "hopscape" / name
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{name} has not once: {old}"
        file.write_text(text.replace(old, new), encoding="utf-8")
    return place


def _seconds(command: str, folder: str, **more: str) -> tuple[float, float]:
    """Seconds that one waits, and of all processors."""
    environment = os.environ | {"NUMBA_CACHE_DIR": folder, **more}
    words = [sys.executable, "-m", "hopscape", *shlex.split(command)]
    with _processor() as used:
        begin = time.perf_counter()
        subprocess.run(words, env=environment, check=True, capture_output=True)
        wall = time.perf_counter() - begin
    return wall, used[0]


@contextmanager
def _processor() -> Iterator[list[float]]:
    """Processor seconds of the processes that are started meanwhile."""
    used = [0.0]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    yield used
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used[0] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("commands", nargs="*", default=list(_COMMANDS), help="each in quotes")
    parser.add_argument("--pieces", action="store_true", help="what each piece buys")
    given = parser.parse_args()
    Console().print((pieces if given.pieces else first_runs)(given.commands))


if __name__ == "__main__":
    main()
