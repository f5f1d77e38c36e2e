"""What one case may take: processor time, wall-clock time and memory.

Failures are what no user should see: an exception that is no :class:`HopscapeError`, a case that
runs on and on, and more memory than the limit that hopscape announces (``HOPSCAPE_MEMORY``).
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from hopscape.core.errors import HopscapeError
from hopscape.core.processes import memory_limit

SECONDS = 10
"""Of processor time; the clock of a busy machine says nothing."""

_WALL = 120
_SLACK = 80 * 10**6


class HangError(BaseException):
    """A case that took too long; no handler of ordinary exceptions may catch it."""


@dataclass
class Failure:
    """A case that went wrong, with what is needed to see it again."""

    kind: str
    case: str
    detail: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.case}\n{self.detail}"


@dataclass
class Tally:
    """How many cases were tried, how many were accepted, and what went wrong."""

    tried: int = 0
    accepted: int = 0
    failures: list[Failure] = field(default_factory=list)
    loud: bool = field(default_factory=lambda: "FUZZ_LOUD" in os.environ)

    def run(self, case: str, action: Callable[[], Any], seconds: float = SECONDS) -> None:
        """Run a case under watch."""
        self.tried += 1
        if self.loud:
            print(f"{self.tried}\t{case}", file=sys.stderr, flush=True)
        before = resident("VmRSS")
        forget_peak()
        try:
            with _time_limit(seconds):
                action()
            self.accepted += 1
        except HopscapeError:
            pass
        except HangError:
            self._fail("hang", case, f"over {seconds} s of processor time, or {_WALL} s in all")
        except Exception:
            self._fail("exception", case, traceback.format_exc(limit=-6))
        grown, allowed = resident("VmHWM") - before, 2 * memory_limit() + _SLACK
        if grown > allowed:
            self._fail("memory", case, f"{grown >> 20} MiB, {allowed >> 20} MiB are announced")

    def _fail(self, kind: str, case: str, detail: str) -> None:
        self.failures.append(Failure(kind, case, detail))
        if self.loud:
            print(f"FAILED {self.failures[-1]}", file=sys.stderr, flush=True)


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise HangError

    old = {s: signal.signal(s, stop) for s in (signal.SIGPROF, signal.SIGALRM)}
    signal.setitimer(signal.ITIMER_PROF, seconds, 1)
    signal.setitimer(signal.ITIMER_REAL, _WALL, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in old.items():
            signal.signal(number, handler)


def resident(name: str) -> int:
    """Bytes of this process in memory, now (VmRSS) or at most since the last look (VmHWM)."""
    try:
        with open("/proc/self/status", encoding="ascii") as lines:
            for line in lines:
                if line.startswith(name):
                    return 1024 * int(line.split()[1])
    except OSError:  # not Linux
        pass
    return 0


def forget_peak() -> None:
    if os.path.exists("/proc/self/clear_refs"):
        try:
            with open("/proc/self/clear_refs", "w", encoding="ascii") as out:
                out.write("5")
        except OSError:  # not allowed in some containers: then peaks only grow
            return
