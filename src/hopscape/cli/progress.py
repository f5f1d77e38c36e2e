"""A bar on the terminal for work that takes longer than a second.

While kernels are compiled for the first time, in this process or in others that work for it, the
line says so, and how many there have been.
"""

from __future__ import annotations

import atexit
import sys
import threading
from typing import Any

from hopscape.core.progress import human_time, set_progress

__all__ = ["install_progress", "quiet"]

_PATIENCE = 1.0  # seconds: what ends sooner needs no progress line
_KERNELS = "compiling kernels"
_FRESH = 4  # seconds for which a kernel counts as just compiled


def install_progress(command: str = "") -> None:
    """Show progress if a person is watching."""
    watched = sys.stderr.isatty()
    set_progress(_Bar if watched else None, _say if sys.stderr is sys.__stderr__ else None)
    if watched and _watch.thread is None:
        _watch.start(command)


def _say(text: str, seconds: float) -> None:
    """Say once how long work will take in all, as its first steps show; of kernels nobody knows."""
    if text.startswith(_KERNELS):
        return
    _watch.erase()
    number, _, unit = human_time(seconds).partition(" ")
    if number[0].isdigit():
        number = f"{float(f'{float(number):.2g}'):g}"
    print(f"{text}: about {number} {unit} in all", file=sys.stderr, flush=True)


def quiet() -> None:
    """Take the line about kernels away: something else is printed now."""
    _watch.erase()


class _Watch:
    """Counts the kernels that appear in the cache, and says so where no bar does."""

    def __init__(self) -> None:
        self.thread: threading.Thread | None = None
        self.bars = 0
        self._new = self._fresh = self._about = 0
        self._written = False
        self._lock = threading.Lock()
        self._end = threading.Event()

    def start(self, command: str) -> None:
        """Look once a second until the command ends."""
        self.thread = threading.Thread(target=self._look, args=(command,), daemon=True)
        self.thread.start()
        atexit.register(self.stop)

    def stop(self) -> None:
        """Look no more."""
        self._end.set()
        self.erase()

    def _look(self, command: str) -> None:
        from hopscape.core.compile_ahead import planned
        from hopscape.core.kernel_cache import cached_kernels

        if self._end.wait(_PATIENCE):
            return
        self._about = len({entry.name for entry in planned([command])})
        before = cached_kernels()
        while not self._end.wait(1.0):
            new = cached_kernels() - before
            self._fresh = _FRESH if new > self._new else max(0, self._fresh - 1)
            self._new = max(self._new, new)
            text = self.text()
            if text and not self.bars:
                self._write(f"\r\x1b[K{text}")
            else:
                self.erase()

    def text(self) -> str:
        """What to say about kernels, nothing when none was compiled just now."""
        if not self._fresh:
            return ""
        about = f" of about {self._about}" if self._new < self._about else ""
        return f"{_KERNELS}, first run only: {self._new}{about}"

    def erase(self) -> None:
        """Take the line away."""
        if self._written:
            self._write("\r\x1b[K", False)

    def _write(self, text: str, shown: bool = True) -> None:
        with self._lock:
            self._written = shown
            sys.stderr.write(text)
            sys.stderr.flush()


_watch = _Watch()


class _Bar:
    """Appears after a second, on stderr, and leaves nothing behind."""

    def __init__(self, text: str, total: int) -> None:
        self._text, self._total, self._done = text, total, 0.0
        self._progress: Any = None
        self._task: Any = None
        self._lock = threading.Lock()
        self._closed = False
        self._timer = threading.Timer(_PATIENCE, self._appear)
        self._timer.daemon = True
        self._timer.start()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
        from rich.progress import TimeRemainingColumn as Remaining
        from rich.text import Text

        class Left(ProgressColumn):
            """The time that is left; of kernels, how many (which no estimate of time knows)."""

            usual = Remaining()

            def render(self, task: Any) -> Text:
                if task.description.startswith(_KERNELS):
                    return Text(f"{task.completed:.0f} of {task.total:.0f}")
                return Text(_watch.text()) if _watch.text() else self.usual.render(task)

        with self._lock:
            if self._closed:
                return
            _watch.erase()
            _watch.bars += 1
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f}%"),
                Left(),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
            total = self._total or None
            self._task = self._progress.add_task(self._text, total=total, completed=self._done)

    def update(self, done: float) -> None:
        self._done = done
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._timer.cancel()
            if self._progress is not None:
                self._progress.stop()
                _watch.bars -= 1
