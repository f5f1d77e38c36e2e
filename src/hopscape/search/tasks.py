"""Many tasks on all processors, results in their order, finished ones never done again."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.progress import track
from hopscape.search.table import ResultTable

__all__ = ["Task", "run_tasks"]

_TICKS = 1000
_AHEAD = 8
_ALONE = 3.0


@dataclass(frozen=True)
class Task:
    """A piece of work.

    Attributes
    ----------
    key : str
        Names it in the table: all that its result depends on.
    arguments : tuple
        For the function that does it.
    cost : float
        Seconds that it will take, about; progress is measured in these.
    """

    key: str
    arguments: tuple[Any, ...]
    cost: float = 1.0


def run_tasks(
    tasks: Sequence[Task],
    work: Callable[..., Any],
    table: ResultTable | None = None,
    *,
    processes: int | None = None,
    text: str = "searching",
) -> Iterator[tuple[Task, Any]]:
    """Do the tasks that are not in the table yet and hand out all results in order.

    Parameters
    ----------
    tasks : sequence of Task
    work : callable
        A function of a module (it is sent to other processes) that returns plain JSON values.
    table : ResultTable, optional
        Results are added as soon as they are there, whatever their order.
    processes : int, optional
        As many as there are processors when left out; 1 works in this process. Little work is done
        in this process as well, since starting others takes longer.
    text : str
        For the progress bar.

    Examples
    --------
    >>> tasks = [Task(f"square of {x}", (x, x)) for x in (2, 3)]
    >>> import operator
    >>> [result for _, result in run_tasks(tasks, operator.mul, processes=1)]
    [4, 9]
    """
    if processes is not None and processes < 1:
        raise ArgumentError(f"processes is {processes}; it must be at least 1")
    known = table if table is not None else ResultTable()
    left = [task for task in tasks if task.key not in known]
    crew = processes if processes is not None else os.cpu_count() or 1
    if processes is None and sum(task.cost for task in left) < _ALONE:
        crew = 1
    done = _alone(tasks, work, known) if crew == 1 else _together(tasks, work, known, crew)
    return _with_progress(done, tasks, left, text)


def _with_progress(
    done: Iterator[tuple[Task, Any]], tasks: Sequence[Task], left: Sequence[Task], text: str
) -> Iterator[tuple[Task, Any]]:
    """Tell the progress bar how much of the cost is done, in ticks of a thousandth."""
    fresh = {task.key for task in left}
    total = sum(task.cost for task in left) or 1.0
    ticks = iter(track(range(_TICKS), text, _TICKS))
    shown, spent = 0, 0.0
    next(ticks)
    for task, result in done:
        if task.key in fresh:
            spent += task.cost
        while shown < min(_TICKS - 1, int(_TICKS * spent / total)):
            next(ticks)
            shown += 1
        yield task, result
    for _ in ticks:
        pass


def _alone(
    tasks: Sequence[Task], work: Callable[..., Any], table: ResultTable
) -> Iterator[tuple[Task, Any]]:
    for task in tasks:
        if task.key not in table:
            table.add(task.key, work(*task.arguments))
        yield task, table[task.key]


def _end_with_parent() -> None:
    """Watch the process that started this one: if it is killed, nobody waits for the result."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_wait_and_end, args=(parent,), daemon=True).start()


def _wait_and_end(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _together(
    tasks: Sequence[Task], work: Callable[..., Any], table: ResultTable, crew: int
) -> Iterator[tuple[Task, Any]]:
    context = multiprocessing.get_context("spawn")
    running: dict[Future[Any], Task] = {}
    waiting = iter([task for task in tasks if task.key not in table])
    pool = ProcessPoolExecutor(crew, mp_context=context, initializer=_end_with_parent)
    try:
        for task in tasks:
            while task.key not in table:
                while len(running) < crew * _AHEAD and (more := next(waiting, None)) is not None:
                    running[pool.submit(work, *more.arguments)] = more
                ready, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ready:
                    table.add(running.pop(future).key, future.result())
            yield task, table[task.key]
    except BrokenProcessPool as error:
        raise HopscapeError(
            "a process of the search was ended from outside; what was finished is in the table"
        ) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
