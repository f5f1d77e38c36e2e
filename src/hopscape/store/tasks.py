"""Many tasks on all processors, results in their order, finished ones never done again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypedDict

from hopscape.core.errors import ArgumentError
from hopscape.core.progress import track
from hopscape.store.pools import Processes, on_dask, on_processes, on_threads
from hopscape.store.records import Store
from hopscape.store.task import Task

__all__ = ["Task", "Work", "run_tasks"]

_TICKS = 1000
_ALONE = 3.0


class Work(TypedDict, total=False):
    """Where the results of a search are kept, and who searches."""

    table: Store | None
    processes: int | None
    dask: str | None


def run_tasks(
    tasks: Sequence[Task],
    work: Callable[..., Any],
    store: Store | None = None,
    *,
    processes: int | None = None,
    threads: int | None = None,
    dask: str | None = None,
    pool: Processes | None = None,
    keep: Callable[[Any], bool] = lambda result: True,
    text: str = "searching",
) -> Iterator[tuple[Task, Any]]:
    """Do the tasks that are not in the store yet and hand out all results in order.

    Args:
        work: A function of a module (it is sent to other processes) that returns plain JSON values.
        store: Results are added as soon as they are there, whatever their order.
        processes: As many as there are processors when left out; 1 works in this process. Little
            work is done in this process as well, since starting others takes longer. Workers end
            with this process, however it ends.
        threads: Threads of this process instead, for work whose kernels hold no lock.
        dask: The address of a Dask scheduler instead.
        pool: Processes that are there already, instead of new ones.
        keep: Whether a result is final; others are handed out, but not written to the store's file.
        text: For the progress bar.

    Raises:
        ArgumentError: For a number of workers below 1, or a scheduler that does not answer.
        HopscapeError: When a worker is ended from outside; what was finished is in the store.

    Examples:
        >>> tasks = [Task(f"square of {x}", (x, x)) for x in (2, 3)]
        >>> import operator
        >>> [result for _, result in run_tasks(tasks, operator.mul, processes=1)]
        [4, 9]
    """
    for name, count in (("processes", processes), ("threads", threads)):
        if count is not None and count < 1:
            raise ArgumentError(f"{name} is {count}; it must be at least 1")
    known = store if store is not None else Store()
    left = list({task.key: task for task in tasks if task.key not in known}.values())
    workers = processes if processes is not None else os.cpu_count() or 1
    little = processes is None and sum(task.cost for task in left) < _ALONE
    results: Iterator[tuple[Task, Any]]
    if not left:
        results = iter(())
    elif pool is not None and not little:
        results = pool.run(work, left)
    elif dask is not None:
        results = on_dask(work, left, dask)
    elif threads is not None and threads > 1:
        results = on_threads(work, left, threads)
    elif threads is not None or little or workers == 1:
        results = ((task, work(*task.ready())) for task in left)
    else:
        results = on_processes(work, left, workers)
    return _in_order(tasks, _kept(_with_progress(results, left, text), known, keep), known)


def _kept(
    results: Iterator[tuple[Task, Any]], store: Store, keep: Callable[[Any], bool]
) -> Iterator[None]:
    """Put each result into the store as it comes."""
    for task, result in results:
        store.add(task.key, result, task.about, final=keep(result))
        yield


def _in_order(
    tasks: Sequence[Task], fresh: Iterator[None], store: Store
) -> Iterator[tuple[Task, Any]]:
    for task in tasks:
        while task.key not in store:
            next(fresh)
        yield task, store[task.key]
    for _ in fresh:
        pass


def _with_progress(
    done: Iterator[tuple[Task, Any]], left: Sequence[Task], text: str
) -> Iterator[tuple[Task, Any]]:
    """Tell the progress bar how much of the cost is done, in ticks of a thousandth."""
    total = sum(task.cost for task in left) or 1.0
    ticks = iter(track(range(_TICKS), text, _TICKS))
    shown, spent = 0, 0.0
    next(ticks)
    for task, result in done:
        spent += task.cost
        while shown < min(_TICKS - 1, int(_TICKS * spent / total)):
            next(ticks)
            shown += 1
        yield task, result
    for _ in ticks:
        pass
