"""Processes that end with the one that started them, however that one ends.

A program of others is ended by the kernel: :func:`run_to_end`, or ``preexec_fn=end_with_parent``
for :mod:`subprocess`. A worker of :mod:`multiprocessing` watches a pipe, whose other end its parent
holds: it calls :func:`end_when_closed`.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["end_when_closed", "end_with_parent", "run_to_end"]

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


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
