"""Whatever is started ends with the one that started it, also when that one is killed."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import hopscape

SOURCE = Path(hopscape.__file__).parent

SLOW = """
import sys, time
from pathlib import Path

def wait(*_):
    (Path(__file__).parent / "busy").touch()
    time.sleep(600)

class Kernel:
    py_func = _cache = None
    compile = staticmethod(wait)

class Question:
    specs = property(wait)

kernel = Kernel()
program = [sys.executable, "-c", "import slow; slow.wait()"]
here = Path()
"""

STARTED = {
    "kernels compiled ahead": (
        "from hopscape.core.compile_ahead import _Kernel, _Worker\n"
        "from hopscape.core.compile_ahead import PlannedKernel\n"
        "_Worker().compile(_Kernel(PlannedKernel('slow:kernel', '[]', 1, ()), None, ()))"
    ),
    "warm-up": (
        "from hopscape.cli.commands import manual as warmup\n"
        "warmup.JOBS['search'] = 'search graph --nodes 60 --degree 3 --time-limit 600'\n"
        "(slow.here / 'busy').touch()\n"
        "warmup._run('search')"
    ),
    "code that is checked": (
        "from hopscape.formats.code import checking\nchecking.run_tool(slow.program, slow.here)"
    ),
    "programs of a hand-over": (
        "from hopscape.formats.programs import run_program\n"
        "run_program(slow.program, slow.here, seconds=600)"
    ),
    "a page on demand": (
        "import time\nfrom hopscape.show.explore.jobs import Jobs\n"
        "jobs = Jobs()\njobs.start(slow.Question())\ntime.sleep(600)"
    ),
    "tasks": (
        "from hopscape.store import Task, run_tasks\n"
        "list(run_tasks([Task('0', (0,)), Task('1', (1,))], slow.wait, processes=2))"
    ),
}


def _running(mark: str) -> list[int]:
    """Processes that inherited an environment with this mark, and are no zombies."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def _until(condition: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes through /proc")
@pytest.mark.parametrize("what", STARTED)
def test_what_is_started_ends_with_a_killed_parent(what: str, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    mark = f"HOPSCAPE_MARK={tmp_path}-{os.getpid()}"
    paths = os.pathsep.join([str(tmp_path), str(SOURCE.parent)])
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            f"import slow\nif __name__ == '__main__':\n  exec({STARTED[what]!r})",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": paths, "HOPSCAPE_MARK": mark.partition("=")[2]},
    )
    try:
        busy = tmp_path / "busy"
        assert _until(lambda: busy.exists() and len(_running(mark)) > 1)
    finally:
        parent.kill()
        parent.wait()
    gone = _until(lambda: not _running(mark))
    for process in _running(mark):
        os.kill(process, 9)
    assert gone


def test_all_that_is_started_ends_with_its_parent() -> None:
    """Programs are started with the kernel's promise; workers in two places, tried above."""
    wrong, workers = [], set()
    for path in SOURCE.rglob("*.py"):
        name = path.relative_to(SOURCE).as_posix()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import) and "multiprocessing" in {a.name for a in node.names}:
                workers.add(name)
            if not isinstance(node, ast.Call):
                continue
            called = ast.unparse(node.func)
            ends = {ast.unparse(k.value) for k in node.keywords if k.arg == "preexec_fn"}
            starts = called.startswith(("subprocess.", "os.spawn", "os.system", "os.fork"))
            if starts and ends != {"end_with_parent"}:
                wrong.append(f"{name}:{node.lineno} {called}")
    assert [one for one in wrong if not one.startswith("ledger/planting.py")] == []  # by a pipe
    assert workers == {"store/tasks.py", "show/explore/jobs.py"}
