"""Processes that end with the one that started them, however that one ends.

A program of others is ended by the kernel: :func:`run_to_end`, or ``preexec_fn=end_with_parent``
for :mod:`subprocess`. A worker of :mod:`multiprocessing` watches a pipe, whose other end its parent
holds: it calls :func:`end_when_closed`.

Work one step ahead, on a thread of its own.

How much memory may be used, asked before it is used.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.numbers import byte_count, number

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = [
    "end_when_closed",
    "end_with_parent",
    "is_running",
    "kernel_threads",
    "memory_limit",
    "one_ahead",
    "require_at_most",
    "require_memory",
    "run_to_end",
]

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG
_SYNCHRONIZE, _NO_SUCH_PROCESS, _NOT_YET = (
    0x100000,
    87,
    258,
)  # of Windows: what a wait needs and says


def is_running(process: int) -> bool:
    """Is there a process of this number? Where that cannot be asked, there is."""
    if sys.platform == "win32":  # where os.kill would end it
        return _is_running_on_windows(process)
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _is_running_on_windows(process: int) -> bool:
    """A process that may not be asked is running; what has ended can be waited for."""
    kernel = ctypes.WinDLL("kernel32", use_last_error=True)  # type: ignore[attr-defined,unused-ignore]
    kernel.OpenProcess.restype = ctypes.c_void_p
    kernel.WaitForSingleObject.argtypes = (ctypes.c_void_p, ctypes.c_ulong)
    kernel.CloseHandle.argtypes = (ctypes.c_void_p,)
    if process >= 2**32:
        return False
    handle = kernel.OpenProcess(_SYNCHRONIZE, False, process)
    if not handle:
        refused: int = ctypes.get_last_error()  # type: ignore[attr-defined,unused-ignore]
        return refused != _NO_SUCH_PROCESS
    try:
        return bool(kernel.WaitForSingleObject(handle, 0) == _NOT_YET)
    finally:
        kernel.CloseHandle(handle)


def _ending() -> Callable[[], object] | None:
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl  # looked up here: after a fork as little as possible is done
    return lambda: prctl(_DEATH_SIGNAL, signal.SIGKILL)


end_with_parent = _ending()
"""In a child, before its program starts: have the kernel kill it when its parent ends.

None where the kernel does not offer that: outside Linux. The parent is the thread that starts the
child; it has to wait for it.
"""


def run_to_end(words: Sequence[str | Path], **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run another program and catch what it prints; it ends with this process.

    Args:
        **options: As for :func:`subprocess.run`.
    """
    return subprocess.run(
        words, capture_output=True, check=False, preexec_fn=end_with_parent, **options
    )


def end_when_closed(lifeline: Connection) -> None:
    """In a worker: end when the other end of the pipe is closed, by the parent or by its death."""
    threading.Thread(target=_wait_and_end, args=(lifeline,), daemon=True).start()


def _wait_and_end(lifeline: Connection) -> None:
    try:
        lifeline.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)


Step = TypeVar("Step")
Made = TypeVar("Made")


def kernel_threads(count: int) -> ThreadPoolExecutor:
    """Threads that may call kernels.

    Numba is imported before: of two threads that import it at the same time, one could end with a
    lock of LLVM that it never gave back, and all others waited for it.
    """
    importlib.import_module("hopscape.core.kernel")
    return ThreadPoolExecutor(count)


def one_ahead(make: Callable[[Step], Made], steps: Iterable[Step]) -> Iterator[Made]:
    """Like ``map``, but the next item is made while the caller works on this one.

    For kernels that run without Python's lock. Exceptions come where the item would.

    Examples:
        >>> list(one_ahead(lambda x: x * x, [1, 2, 3]))
        [1, 4, 9]
    """
    with kernel_threads(1) as pool:
        waiting = None
        for step in steps:
            following = pool.submit(make, step)
            if waiting is not None:
                yield waiting.result()
            waiting = following
        if waiting is not None:
            yield waiting.result()


_CGROUPS = Path("/sys/fs/cgroup")
_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def memory_limit() -> int:
    """Bytes that one object may take: ``HOPSCAPE_MEMORY`` (as in ``8G``), or 60 % of what is."""
    setting = os.environ.get("HOPSCAPE_MEMORY")
    if setting is None:
        return int(_machine_memory() * 0.6)
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)B?\s*", setting, re.IGNORECASE)
    if match is None:
        raise ArgumentError(
            f"HOPSCAPE_MEMORY is {setting!r}; it must be a number of bytes such as 8G or 500M"
        )
    return int(float(match[1]) * _UNITS[match[2].upper()])


def _machine_memory() -> int:
    return min(_physical_memory(), *_process_limits())


def _process_limits() -> list[int]:
    """Bytes that ``ulimit -v`` and ``ulimit -d`` leave to this process."""
    try:
        import resource
    except ImportError:  # not a POSIX machine
        return [2**63]
    limits = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return [limit if limit != resource.RLIM_INFINITY else 2**63 for limit in limits]


@cache
def _physical_memory() -> int:
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not a POSIX machine
        return _memory_of_windows() if sys.platform == "win32" else 8 * 10**9
    quotas = []  # a container may have less than its machine
    for name in ("memory.max", "memory/memory.limit_in_bytes"):  # of either kind of cgroups
        with suppress(OSError, ValueError):
            quotas.append(int((_CGROUPS / name).read_text("utf-8")))
    return min(physical, *quotas) if quotas else physical


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of Windows."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("physical", ctypes.c_uint64),
        ("others", ctypes.c_uint64 * 6),
    )


def _memory_of_windows() -> int:
    status = _MemoryStatus(length=ctypes.sizeof(_MemoryStatus))
    kernel = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    known = kernel.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status.physical) if known else 8 * 10**9


def require_memory(size: int, what: str) -> None:
    """Refuse, with the number, what would not fit.

    Args:
        size: Bytes needed.
        what: The subject of the message: "the wiring of torus(5000, 5000)".

    Raises:
        TooLargeError: When `size` is over :func:`memory_limit`.
    """
    limit = memory_limit()
    if size > limit:
        raise TooLargeError(
            f"{what} would need {byte_count(size)}, more than the limit of {byte_count(limit)}"
            " (HOPSCAPE_MEMORY sets another)"
        )


def require_at_most(count: int, most: int, spec: str, doing: str, noun: str = "nodes") -> None:
    """Refuse, with both numbers, a network that is larger than what is done.

    Args:
        doing: Such as "a picture shows".

    Raises:
        TooLargeError: When there are more than `most`.
    """
    if count > most:
        raise TooLargeError(
            f"{spec} has {number(count, grouped=True)} {noun}; {doing} up to {most:,}"
        )
