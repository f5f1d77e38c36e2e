"""Compile the kernels of a command on several processes before its first run.

Numba compiles one function at a time in a process, and a first run would wait for each of them in
turn. Here the functions that a command is known to need are shared out: this process compiles, and
so do others, which leave what they have compiled in the cache on disk. A function waits for those
that it calls, so that none is compiled twice; among those that can be compiled, the one with the
longest chain of callers behind it goes first (critical-path list scheduling, Graham 1969).

Nothing depends on it: what is missing afterwards, because a process was killed or the list is out
of date, is compiled when it is called.

Which kernels a command compiles on its first run, with the types of their arguments.

The list, ``kernel_plan.jsonl``, is recorded (``python benchmarks/record_kernels.py``), one line per
compiled function: name, types, what it cost, commands. An entry that is out of date does no harm:
the command compiles what is missing when it is needed.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hopscape.core.kernel_cache import kernel_folders, may_compile_ahead
from hopscape.core.processes import end_with_parent
from hopscape.core.progress import foretold, track

__all__ = [
    "PLAN",
    "SMALL",
    "PlannedKernel",
    "compile_ahead",
    "compile_entries",
    "decode",
    "encode",
    "plan_digest",
    "planned",
    "processors",
    "report_compiling",
]

_TEXT = "compiling kernels, first run only"
_WORTH_IT = 2000  # milliseconds of compiling for which another process is started
_SMALL = 100  # nodes up to which the job that was recorded as a small one is a fair example


def processors() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def compile_ahead(command: str, nodes: int) -> None:
    """Compile what a command needs, once, if there is more than one processor.

    Only the command line does so (:func:`hopscape.core.kernel_cache.allow_compiling_ahead`).

    Args:
        command: As in :func:`hopscape.core.compile_ahead.planned`.
        nodes: How large the network is. Small ones need less: some kernels are interpreted
            (:func:`hopscape.core.kernel.kernel`).
    """
    if not may_compile_ahead() or processors() < 2:
        return
    if nodes <= _SMALL and os.environ.get("HOPSCAPE_INTERPRET") != "0":
        command += SMALL
    stamp = _stamp(command)
    digest = plan_digest()
    with suppress(OSError):
        if stamp.read_text(encoding="utf-8") == digest:
            return
    compile_entries(planned([command]), processors())
    with suppress(OSError):  # a folder that cannot be written: looked through again next time
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(digest, encoding="utf-8")


def _stamp(command: str) -> Path:
    """Written when everything that a command needs has been compiled."""
    folder = kernel_folders()[0]
    if (folder / "core").is_dir():  # beside the sources
        folder = folder / "__pycache__"
    return folder / f"hopscape-{command}-{sys.implementation.cache_tag}.stamp"


def compile_entries(entries: Sequence[PlannedKernel], processes: int) -> int:
    """Compile what is not in the cache; return how many functions that were."""
    others = min(processes - 1, sum(entry.cost for entry in entries) // _WORTH_IT)
    workers: list[_Worker] = []
    with suppress(OSError):  # no processes to be had: this one compiles everything
        for _ in range(others):
            workers.append(_Worker())  # they load the compiler while this one does
    kernels = [kernel for kernel in map(_Kernel.find, entries) if kernel is not None]
    missing = [kernel for kernel in kernels if not kernel.is_cached()]
    worth = sum(kernel.entry.cost for kernel in missing) // _WORTH_IT
    for worker in workers[worth:]:
        worker.end()
        worker.close()
    del workers[worth:]
    if not missing:
        return 0
    jobs = _Jobs(missing)
    threads = [threading.Thread(target=jobs.serve, args=(worker,)) for worker in workers]
    for thread in threads:
        thread.start()
    seconds = sum(kernel.entry.cost for kernel in missing) / 1000 / (1 + len(workers))
    try:
        with foretold(_TEXT, seconds):
            for _ in track(jobs.run(_compile), _TEXT, len(missing)):
                pass
    finally:
        jobs.stop()
        for worker, thread in zip(workers, threads, strict=True):
            worker.end()
            thread.join()
    return len(missing)


class _Kernel:
    """A function that is to be compiled for some types."""

    def __init__(self, entry: PlannedKernel, function: Any, types: tuple[Any, ...]) -> None:
        self.entry, self.function, self.types = entry, function, types
        self.rank = 0
        """Cost of the longest chain of callers that waits for it."""

    @classmethod
    def find(cls, entry: PlannedKernel) -> _Kernel | None:
        """None when there is no such function any more."""
        from hopscape.core.kernel import is_kernel

        module, _, name = entry.name.partition(":")
        try:
            function = getattr(importlib.import_module(module), name)
            types = tuple(decode(plain) for plain in json.loads(entry.types))
        except (ImportError, AttributeError, TypeError, ValueError):
            return None
        return cls(entry, function, types) if is_kernel(function) else None

    def is_cached(self) -> bool:
        """Is it compiled, here or on disk?"""
        from hopscape.core.kernel import is_cached

        return is_cached(self.function, self.types)

    def calls(self) -> set[str]:
        """The compiled functions that it calls, through those that are copied into it too."""
        out: set[str] = set()
        left = [self.function]
        seen = set()
        while left:
            function = left.pop().py_func
            if function in seen:
                continue
            seen.add(function)
            for name in function.__code__.co_names:
                other = function.__globals__.get(name)
                if hasattr(other, "py_func") and hasattr(other, "targetoptions"):
                    left.append(other)
                    out.add(f"{other.py_func.__module__}:{other.py_func.__name__}")
        return out


def _compile(kernel: _Kernel) -> bool:
    """Compile in this process; what cannot be compiled so is left to the call that needs it."""
    from numba.core.errors import NumbaError

    with suppress(NumbaError, TypeError, RuntimeError):
        kernel.function.compile(kernel.types)
    return True


class _Worker:
    """Another process that compiles."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", f"from {__name__} import _serve_parent; _serve_parent()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            preexec_fn=end_with_parent,
        )

    def compile(self, kernel: _Kernel) -> bool:
        """False when the process is gone."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(kernel.entry.line(), file=self._process.stdin, flush=True)
            return bool(self._process.stdout.readline())
        except (OSError, ValueError):
            return False

    def end(self) -> None:
        """Whatever it does now is of no use any more."""
        self._process.kill()

    def close(self) -> None:
        """Wait for the end, and close the pipes."""
        self._process.communicate()


def _serve_parent() -> None:
    """In another process: compile what the parent asks for, until it asks no more."""
    importlib.import_module("hopscape.core.kernel")
    for line in sys.stdin:
        name, types, cost, _ = json.loads(line)
        kernel = _Kernel.find(PlannedKernel(name, json.dumps(types), cost, ()))
        if kernel is not None:
            _compile(kernel)
        print("done", flush=True)


class _Jobs:
    """Kernels to be compiled, each after those that it calls."""

    def __init__(self, kernels: Sequence[_Kernel]) -> None:
        by_name: dict[str, list[_Kernel]] = {}
        for kernel in kernels:
            by_name.setdefault(kernel.entry.name, []).append(kernel)
        self._before = {
            kernel: {
                other for name in kernel.calls() for other in by_name.get(name, ())
            } - {kernel}
            for kernel in kernels
        }  # fmt: skip
        self._left = list(kernels)
        self._running: set[_Kernel] = set()
        self._done: set[_Kernel] = set()
        self._stopped = False
        self._change = threading.Condition()
        for kernel in sorted(kernels, key=lambda k: len(self._before[k]), reverse=True):
            kernel.rank += kernel.entry.cost
            for other in self._before[kernel]:
                other.rank = max(other.rank, kernel.rank)

    def run(self, work: Callable[[_Kernel], bool]) -> Iterator[int]:
        """Take kernels until none is left; yields when some are done, by anybody."""
        reported = 0
        while True:
            kernel = self._take(reported)
            if kernel is not None:
                self._finish(kernel, work(kernel))
            while reported < len(self._done):
                reported += 1
                yield reported
            if reported == len(self._before):
                return

    def serve(self, worker: _Worker) -> None:
        """Give kernels to another process until none is left, or until it is gone."""
        try:
            while (kernel := self._take()) is not None:
                compiled = worker.compile(kernel)
                self._finish(kernel, compiled)
                if not compiled:
                    return
        finally:
            worker.end()
            worker.close()

    def stop(self) -> None:
        """No more kernels are given out."""
        with self._change:
            self._stopped = True
            self._change.notify_all()

    def _take(self, reported: int | None = None) -> _Kernel | None:
        """The next kernel; None when none is left, or when more are done than have been told."""
        with self._change:
            while self._left or (reported is not None and self._running):
                if self._stopped or (reported is not None and reported < len(self._done)):
                    return None
                ready = [k for k in self._left if self._before[k] <= self._done]
                if ready:
                    best = max(ready, key=lambda k: k.rank)
                    self._left.remove(best)
                    self._running.add(best)
                    return best
                if not self._running:  # functions that call each other
                    self._running.add(self._left[0])
                    return self._left.pop(0)
                self._change.wait()
            return None

    def _finish(self, kernel: _Kernel, done: bool) -> None:
        with self._change:
            self._running.discard(kernel)
            if done:
                self._done.add(kernel)
            else:
                self._left.append(kernel)
            self._change.notify_all()


PLAN = Path(__file__).with_name("kernel_plan.jsonl")

SMALL = "-small"
"""After the name of a command: the kernels that are compiled while others are interpreted."""


@dataclass(frozen=True)
class PlannedKernel:
    """One compiled function.

    Attributes:
        name: ``module:function``.
        types: The types of its arguments as JSON, see :func:`encode`.
        cost: Milliseconds of compiling when it was recorded, without the functions that it calls.
    """

    name: str
    types: str
    cost: int
    commands: tuple[str, ...]

    def line(self) -> str:
        """The entry as it stands in the file."""
        return json.dumps([self.name, json.loads(self.types), self.cost, " ".join(self.commands)])


def planned(commands: Iterable[str]) -> list[PlannedKernel]:
    """The entries of some commands.

    Examples:
        >>> any(entry.name.endswith(":advance") for entry in planned(["simulate"]))
        True
    """
    wanted = set(commands)
    out = []
    for line in PLAN.read_text(encoding="utf-8").splitlines():
        name, types, cost, users = json.loads(line)
        if wanted & set(users.split()):
            out.append(PlannedKernel(name, json.dumps(types), cost, tuple(users.split())))
    return out


def report_compiling(tell: Callable[[str, str, int], None]) -> None:
    """Tell of every function of hopscape that this process compiles from now on.

    Args:
        tell: Takes its name and types as in :class:`PlannedKernel`, and the milliseconds of the
            processor that it took without the functions that it calls.
    """
    from numba.core import event

    class Listener(event.Listener):  # type: ignore[misc]
        """Takes from each function what those that it calls take."""

        def __init__(self) -> None:
            self.running: list[list[float]] = []

        def on_start(self, event: Any) -> None:
            self.running.append([time.process_time(), 0.0])

        def on_end(self, event: Any) -> None:
            begin, inside = self.running.pop()
            spent = time.process_time() - begin
            if self.running:
                self.running[-1][1] += spent
            function = event.data["dispatcher"].py_func
            if function.__module__.startswith("hopscape"):
                name = f"{function.__module__}:{function.__name__}"
                with suppress(TypeError):  # types without a plain form are those of helpers
                    types = json.dumps([encode(kind) for kind in event.data["args"]])
                    tell(name, types, round(1000 * (spent - inside)))
            elif self.running:  # of a library: its time is its caller's
                self.running[-1][1] -= spent - inside

    event.register("numba:compile", Listener())


def plan_digest() -> str:
    """What decides whether kernels that were compiled once still serve: sources and compiler."""
    text = PLAN.read_text(encoding="utf-8")
    seen = hashlib.sha256(text.encode())
    seen.update(f"{sys.version} {version('numba')} {platform.node()}".encode())
    package = Path(__file__).parents[2]
    for module in sorted({line[2:].partition(":")[0] for line in text.splitlines()}):
        source = package / f"{module.replace('.', '/')}.py"
        if source.exists():
            facts = source.stat()
            seen.update(f"{module} {facts.st_mtime} {facts.st_size}".encode())
    return seen.hexdigest()


def encode(kind: Any) -> Any:
    """A type of numba as plain values.

    Examples:
        >>> from numba import types
        >>> encode(types.int64), encode(types.Array(types.int32, 2, "C", readonly=True))
        ('int64', ['int32', 2, 'C', True])
        >>> encode(types.none)
        'none'
    """
    from numba import types

    if isinstance(kind, types.Array):
        return [encode(kind.dtype), kind.ndim, kind.layout, not kind.mutable]
    if isinstance(kind, types.BaseNamedTuple):
        made = kind.instance_class
        return {f"{made.__module__}:{made.__qualname__}": [encode(part) for part in kind]}
    if isinstance(kind, types.BaseTuple):
        return {"tuple": [encode(part) for part in kind]}
    if isinstance(kind, types.Literal):
        return {"literal": kind.literal_value}
    if isinstance(kind, types.Omitted):
        return {"omitted": kind.value}
    if isinstance(kind, types.Boolean):
        return "boolean"
    if isinstance(kind, types.Number | types.NoneType):
        return str(kind)
    raise TypeError(f"{kind} has no plain form")


def decode(plain: Any) -> Any:
    """The type that :func:`encode` wrote.

    Examples:
        >>> from numba import types
        >>> decode(["int32", 2, "C", True]) == types.Array(types.int32, 2, "C", readonly=True)
        True
    """
    from numba import types

    if isinstance(plain, str):
        return getattr(types, plain)
    if isinstance(plain, list):
        kind, dimensions, layout, readonly = plain
        return types.Array(decode(kind), dimensions, layout, readonly=readonly)
    [(word, value)] = plain.items()
    if word == "literal":
        return types.literal(value)
    if word == "omitted":
        return types.Omitted(value)
    parts = [decode(part) for part in value]
    if word == "tuple":
        return types.Tuple(parts)
    module, _, name = word.partition(":")
    made = getattr(importlib.import_module(module), name)
    if len(made._fields) != len(parts):
        raise TypeError(f"{name} has other fields now")
    return types.BaseTuple.from_types(parts, made)
