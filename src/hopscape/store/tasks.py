"""Many tasks on all processors, results in their order, finished ones never done again.

Task: a piece of work with a key for its result.

Where tasks run: processes that end with their parent, threads, the workers of a Dask cluster.

Each takes a function and tasks and yields (task, result) in the order in which they are finished.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Future,
    ProcessPoolExecutor,
    as_completed,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Any, ParamSpec, Protocol, TypedDict, TypeVar

from hopscape.core.errors import ArgumentError, HopscapeError, MissingPackageError
from hopscape.core.processes import end_when_closed, kernel_threads
from hopscape.core.progress import Watch, step_reports, watched
from hopscape.store.records import Store, digest

__all__ = [
    "Processes",
    "Task",
    "Work",
    "on_dask",
    "on_processes",
    "on_threads",
    "renamed_arguments",
    "run_tasks",
]

P = ParamSpec("P")
R = TypeVar("R")

_LAST = 1e-3  # of the cost, which is not shown as done before everything is
_ALONE = 3.0  # seconds of work: less is done at once, since processes must start and import first


class Work(TypedDict, total=False):
    """Where the results of a search are kept, and who searches."""

    resume: Store | None
    workers: int | None
    dask: str | None


def renamed_arguments(**present: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Take keyword arguments by their former names as well, for one release, with a hint.

    The command line does the same for its options.

    Args:
        **present: Former name = present name.

    Examples:
        >>> import warnings
        >>> @renamed_arguments(jobs="workers")
        ... def measure(*, workers=1):
        ...     return workers
        >>> with warnings.catch_warnings(record=True) as hints:
        ...     warnings.simplefilter("always")
        ...     measure(jobs=2), str(hints[0].message)
        (2, 'measure: jobs is called workers now')
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **given: P.kwargs) -> R:
            for former, now in present.items():
                if former in given:
                    if now in given:
                        raise ArgumentError(f"{former} and {now} are the same; give {now} only")
                    hint = f"{function.__name__}: {former} is called {now} now"
                    warnings.warn(hint, DeprecationWarning, stacklevel=2)
                    given[now] = given.pop(former)
            return function(*args, **given)

        return call

    return wrap


def run_tasks(
    tasks: Sequence[Task],
    work: Callable[..., Any],
    store: Store | None = None,
    *,
    processes: int | None = None,
    threads: int | None = None,
    dask: str | None = None,
    pool: Pool | None = None,
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
        pool: Processes that are there already, or another place to work, instead of new ones.
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
    parts = _Parts()
    results: Iterator[tuple[Task, Any]]
    if not left:
        results = iter(())
    elif pool is not None and not little:
        results = pool.run(work, left)
    elif dask is not None:
        results = on_dask(work, left, dask)
    elif threads is not None and threads > 1:
        results = on_threads(work, left, threads, parts.tell)
    elif threads is not None or little or workers == 1:
        results = ((task, _told(parts.tell, work, task)) for task in left)
    else:
        results = on_processes(work, left, workers)
    return _in_order(tasks, _kept(_with_progress(results, left, text, parts), known, keep), known)


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


class _Parts:
    """How much is done of the tasks that threads of this process work on."""

    def __init__(self) -> None:
        self.watch: Watch | None = None
        self.finished, self._lock = 0.0, threading.Lock()
        self._begun: dict[str, float] = {}

    def tell(self, task: Task, share: float) -> None:
        """So much of a task is done."""
        with self._lock:
            self._begun[task.key] = share * task.cost
            done = self.finished + sum(self._begun.values())
        if self.watch is not None:
            self.watch.show(done)

    def end(self, task: Task) -> float:
        """A task is done; what all have cost that are."""
        with self._lock:
            self._begun.pop(task.key, None)
            self.finished += task.cost
        return self.finished


def _told(tell: Callable[[Task, float], None], work: Callable[..., Any], task: Task) -> Any:
    """Do a task that may say how far it is."""
    with step_reports(partial(tell, task)):
        return work(*task.ready())


def _with_progress(
    done: Iterator[tuple[Task, Any]], left: Sequence[Task], text: str, parts: _Parts
) -> Iterator[tuple[Task, Any]]:
    """Tell the progress bar how much of the cost is done."""
    total = float(sum(task.cost for task in left)) or 1.0
    with watched(text, total) as parts.watch:
        for task, result in done:
            parts.watch(min(parts.end(task), (1 - _LAST) * total))
            yield task, result


@dataclass(frozen=True)
class Task:
    """A piece of work.

    Attributes:
        key: All that its result depends on: see :func:`hopscape.store.records.digest`.
        arguments: For the function that does it.
        cost: Seconds that it will take, about; progress is measured in these.
        about: What it is, in words, for the file.
    """

    key: str
    arguments: tuple[Any, ...]
    cost: float = 1.0
    about: str = ""

    @classmethod
    def of(
        cls,
        work: Callable[..., Any],
        arguments: tuple[Any, ...],
        cost: float = 1.0,
        about: str = "",
        files: Iterable[str | Path] = (),
    ) -> Task:
        """A task whose key is made of the function, its arguments and the files that it reads."""
        name = f"{work.__module__}.{work.__qualname__}"
        return cls(digest(name, arguments, files), arguments, cost, about)

    def ready(self) -> tuple[Any, ...]:
        """The arguments, asked for when it is handed out."""
        return self.arguments


Results = Iterator[tuple[Task, Any]]

_MOST_ON_WINDOWS = 61  # processes that one thread can wait for
_NO_WORD = "ignore:resource_tracker:UserWarning"
"""Python's tracker of semaphores removes those of a process that was killed, without a word."""
_AHEAD = 3  # tasks handed out per process: none waits for the next one, and a stop loses few
_DASK_SECONDS = 5  # for a scheduler to answer; it is there or it is not


class Pool(Protocol):
    """Where tasks are done."""

    def run(self, work: Callable[..., Any], tasks: Sequence[Task]) -> Results:
        """Do tasks and hand out each with its result, in any order."""


class Processes:
    """Processes of this machine that do tasks, and end at once when this one ends, in any way.

    Args:
        count: They start with the first task.
    """

    def __init__(self, count: int) -> None:
        self._count = min(count, _MOST_ON_WINDOWS) if sys.platform == "win32" else count
        self._pool: ProcessPoolExecutor | None = None

    def _open(self) -> ProcessPoolExecutor:
        if self._pool is not None:
            return self._pool
        if _NO_WORD not in sys.warnoptions:  # which the tracker gets when it is started
            sys.warnoptions.append(_NO_WORD)
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


def on_threads(
    work: Callable[..., Any],
    tasks: Sequence[Task],
    count: int,
    tell: Callable[[Task, float], None] = lambda task, share: None,
) -> Results:
    """On threads of this process; tasks that say how far they are end there when nobody waits.

    Args:
        tell: Hears how much of a task is done.
    """
    stopped = threading.Event()

    def hear(task: Task, share: float) -> None:
        if stopped.is_set():
            raise CancelledError
        tell(task, share)

    pool = kernel_threads(count)
    try:
        futures = {pool.submit(_told, hear, work, task): task for task in tasks}
        for future in as_completed(futures):
            yield futures[future], future.result()
    finally:
        stopped.set()
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
