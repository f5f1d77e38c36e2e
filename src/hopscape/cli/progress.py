"""A bar on the terminal for work that takes longer than a second."""

from __future__ import annotations

import sys
import threading
from typing import Any

from hopscape.core.progress import set_progress

__all__ = ["install_progress"]

_PATIENCE = 1.0


def install_progress() -> None:
    """Show progress if a person is watching."""
    set_progress(_Bar if sys.stderr.isatty() else None)


class _Bar:
    """Appears after a second, on stderr, and leaves nothing behind."""

    def __init__(self, text: str, total: int) -> None:
        self._text, self._total, self._done = text, total, 0
        self._progress: Any = None
        self._task: Any = None
        self._lock = threading.Lock()
        self._closed = False
        self._timer = threading.Timer(_PATIENCE, self._appear)
        self._timer.daemon = True
        self._timer.start()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        with self._lock:
            if self._closed:
                return
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("{task.percentage:>3.0f}%"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
            total = self._total or None
            self._task = self._progress.add_task(self._text, total=total, completed=self._done)

    def update(self, done: int) -> None:
        self._done = done
        if self._progress is not None and self._task is not None:
            self._progress.update(self._task, completed=done)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._timer.cancel()
            if self._progress is not None:
                self._progress.stop()
