"""Where tasks run: processes that end with their parent, threads, the workers of a Dask cluster.

Each takes a function and tasks and yields (task, result) in the order in which they are finished.
"""

from __future__ import annotations

import logging
import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from typing import Any

from hopscape.core.errors import ArgumentError, HopscapeError, MissingPackageError
from hopscape.core.lifeline import end_when_closed
from hopscape.store.task import Task

__all__ = ["Processes", "on_dask", "on_processes", "on_threads"]

Results = Iterator[tuple[Task, Any]]

_AHEAD = 3
_DASK_SECONDS = 5


class Processes:
    """Processes of this machine that do tasks, and end at once when this one ends, in any way.

    Args:
        count: They start with the first task.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._pool: ProcessPoolExecutor | None = None

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is not None:
            return self._pool
        context = multiprocessing.get_context("spawn")
        self._far_end, self._lifeline = context.Pipe(duplex=False)
        try:
            self._pool = ProcessPoolExecutor(
                self._count, context, initializer=end_when_closed, initargs=(self._far_end,)
            )
        except OSError as error:  # semaphores live in /dev/shm, which a container may not have
            self._far_end.close()
            self._lifeline.close()
            raise HopscapeError(
                f"worker processes cannot be started here ({error.strerror or error});"
                " one process can"
            ) from error
        return self._pool

    def run(self, work: Callable[..., Any], tasks: Iterable[Task]) -> Results:
        """Do tasks, a few of them handed out ahead.

        Raises:
            HopscapeError: When a process was ended from outside.
        """
        running: dict[Future[Any], Task] = {}
        waiting, pool = iter(tasks), self._open()
        try:
            while True:
                with _without_interrupts():  # a process that starts inherits what is held back
                    while len(running) < self._count * _AHEAD and (more := next(waiting, None)):
                        running[pool.submit(work, *more.ready())] = more
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield running.pop(future), future.result()
        except BrokenProcessPool as error:
            raise HopscapeError(
                "a worker process was ended from outside; what was finished is kept"
            ) from error

    def close(self, *, at_once: bool = True) -> None:
        """End the processes, in the middle of their work if need be."""
        if self._pool is None:
            return
        if not at_once:
            self._pool.shutdown(wait=True)
        self._lifeline.close()
        self._far_end.close()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self.close(at_once=kind is not None)


def on_processes(work: Callable[..., Any], tasks: Sequence[Task], count: int) -> Results:
    """On processes of their own."""
    with Processes(min(count, len(tasks))) as pool:
        yield from pool.run(work, tasks)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back: it goes to all processes of a terminal, and workers are ended by us."""
    if not hasattr(signal, "pthread_sigmask"):  # no POSIX
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def on_threads(work: Callable[..., Any], tasks: Sequence[Task], count: int) -> Results:
    """On threads of this process."""
    pool = ThreadPoolExecutor(count)
    try:
        futures = {pool.submit(work, *task.ready()): task for task in tasks}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def on_dask(work: Callable[..., Any], tasks: Sequence[Task], address: str) -> Results:
    """On the workers of a Dask scheduler; each of them needs the same hopscape.

    Raises:
        ArgumentError: When no scheduler answers within a few seconds, or all its workers are gone.
    """
    try:
        from distributed import Client, KilledWorker
        from distributed import as_completed as completed
    except ImportError as error:
        raise MissingPackageError(
            'a Dask cluster needs the package distributed: pip install "hopscape[dask]"'
        ) from error
    logging.getLogger("distributed").setLevel(logging.ERROR)
    try:
        client = Client(address, timeout=_DASK_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ArgumentError(
            f"dask is {address!r}; no Dask scheduler answers there ({_first_line(error)})"
        ) from error
    with client:
        if not client.scheduler_info()["workers"]:
            raise ArgumentError(f"dask is {address!r}; the scheduler there has no workers")
        sent = client.map(partial(_call, work), [task.ready() for task in tasks], pure=False)
        futures = dict(zip(sent, tasks, strict=True))
        try:
            for future in completed(list(futures), loop=client.loop):
                yield futures[future], future.result()
        except KilledWorker as error:
            raise ArgumentError(
                f"dask is {address!r}; its workers die at this work ({_first_line(error)})"
            ) from error
        finally:
            client.cancel(list(futures))


def _call(work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return work(*arguments)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
