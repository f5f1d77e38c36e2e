"""The runner: order, resumption, interrupts, and workers that end with their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.store import Store, Task, run_tasks

SLEEPERS = """
import sys, time
from hopscape.store import Store, Task, run_tasks
tasks = [Task(str(i), (60.0,)) for i in range(8)]
print("ready", flush=True)
try:
    list(run_tasks(tasks, time.sleep, processes=2))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def _children(parent: int) -> list[int]:
    run = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False)
    return [int(x) for x in run.stdout.split()]


def _alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def _until(condition, seconds: float = 30) -> bool:
    for _ in range(int(seconds * 20)):
        if condition():
            return True
        time.sleep(0.05)
    return False


def _fail(i: int) -> int:
    if i == 2:
        raise ValueError("two")
    return i


def _die(i: int) -> int:
    if i == 1:
        os._exit(3)
    return i


def test_finished_work_is_not_done_again(tmp_path: Path) -> None:
    tasks = [Task(str(i), (i,)) for i in range(5)]
    done: list[int] = []

    def work(i: int) -> int:
        done.append(i)
        if i == 3 and done.count(3) == 1:
            raise KeyboardInterrupt
        return i * i

    with Store(tmp_path / "t.jsonl") as store, pytest.raises(KeyboardInterrupt):
        list(run_tasks(tasks, work, store, processes=1))
    with Store(tmp_path / "t.jsonl") as store:
        assert [r for _, r in run_tasks(tasks, work, store, processes=1)] == [0, 1, 4, 9, 16]
    assert done == [0, 1, 2, 3, 3, 4]


@pytest.mark.parametrize("where", [{"processes": 2}, {"processes": 1}, {"threads": 3}])
def test_results_come_in_order_and_equal_tasks_are_done_once(where: dict[str, int]) -> None:
    tasks = [Task(f"{i % 15}", (2, i % 15)) for i in range(20)]
    found = [result for _, result in run_tasks(tasks, pow, **where)]
    assert found == [2 ** (i % 15) for i in range(20)]


@pytest.mark.parametrize("where", [{"processes": 2}, {"processes": 1}, {"threads": 2}])
def test_an_error_in_a_task_is_the_callers(where: dict[str, int], tmp_path: Path) -> None:
    with Store(tmp_path / "t.jsonl") as store:
        with pytest.raises(ValueError, match="two"):
            list(run_tasks([Task(str(i), (i,)) for i in range(4)], _fail, store, **where))
        assert "2" not in store


def test_a_worker_that_dies_is_named() -> None:
    with pytest.raises(HopscapeError, match="ended from outside"):
        list(run_tasks([Task(str(i), (i,)) for i in range(4)], _die, processes=2))


def test_counts_are_checked() -> None:
    for name in ("processes", "threads"):
        with pytest.raises(ArgumentError, match=f"{name} is 0"):
            run_tasks([], pow, **{name: 0})


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes through /proc")
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_workers_end_with_their_parent(kind: signal.Signals) -> None:
    parent = subprocess.Popen([sys.executable, "-c", SLEEPERS], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    assert parent.stdout.readline() == "ready\n"
    workers: list[int] = []

    def started() -> bool:
        workers[:] = _children(parent.pid)
        return len(workers) >= 3  # two workers and the tracker of resources

    assert _until(started)
    time.sleep(0.5)
    parent.send_signal(kind)
    parent.wait(30)
    assert _until(lambda: not any(_alive(worker) for worker in workers))
    if kind == signal.SIGINT:
        assert parent.stdout.read() == "interrupted\n"


def test_a_process_that_is_killed_leaves_no_word() -> None:
    """Python's tracker of semaphores outlives it, and used to complain."""
    code = (
        "import operator, os\nfrom hopscape.store import Task, run_tasks\n"
        "tasks = [Task(str(i), (i, i)) for i in range(2)]\n"
        "for _ in run_tasks(tasks, operator.mul, processes=2):\n"
        "    os._exit(3)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=False
    )
    assert (run.returncode, run.stderr) == (3, "")


def test_leaving_early_ends_the_workers_quietly() -> None:
    code = (
        "import time\nfrom hopscape.store import Task, run_tasks\n"
        "tasks = [Task(str(i), (0.01 if i < 2 else 60.0,)) for i in range(8)]\n"
        "for n, _ in enumerate(run_tasks(tasks, time.sleep, processes=2)):\n"
        "    if n == 1: break\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=False
    )
    assert (run.returncode, run.stderr) == (0, "")


def _halfway(x):
    from hopscape.core.progress import step_done

    step_done(0.5)
    return x


@pytest.mark.parametrize("how", [{"threads": 3}, {"threads": 1}])
def test_tasks_in_threads_say_how_far_they_are(how):
    from hopscape.core.progress import set_progress

    seen = []

    class Bar:
        def __init__(self, text, total):
            self.total = total

        def update(self, done):
            seen.append(done / self.total)

        def close(self):
            pass

    set_progress(Bar)
    try:
        tasks = [Task(str(x), (x,), cost=x) for x in (1.0, 3.0)]
        assert [done for _, done in run_tasks(tasks, _halfway, **how)] == [1.0, 3.0]
    finally:
        set_progress(None)
    if how["threads"] == 1:
        assert seen == pytest.approx([0.125, 0.25, 0.625, 0.999])
    assert {0.125, 0.375, 0.5, 0.625} & {round(x, 4) for x in seen}
    assert max(seen) <= 1


def test_threads_stop_in_the_middle_of_a_task_when_nobody_waits():
    from threading import Event

    from hopscape.core.progress import step_done

    begun, ends = Event(), []

    def work(x):
        if not x:
            assert begun.wait(60)
            raise KeyboardInterrupt
        try:
            while True:
                step_done(0.5)
                begun.set()
        except BaseException as error:
            ends.append(type(error).__name__)
            raise

    tasks = [Task(str(x), (x,)) for x in (0, 1)]
    with pytest.raises(KeyboardInterrupt):
        list(run_tasks(tasks, work, threads=2))
    assert ends == ["CancelledError"]
