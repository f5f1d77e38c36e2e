"""Progress for work that takes longer than a second.

The house below the command line knows only :func:`track`; the command line installs a bar.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sized
from typing import Protocol, TypeVar

__all__ = ["ProgressBar", "set_progress", "track"]

Item = TypeVar("Item")


class ProgressBar(Protocol):
    """What shows progress: told how far, and when it ends."""

    def update(self, done: int) -> None:
        """So many steps are done."""

    def close(self) -> None:
        """The work has ended."""


_open_bar: Callable[[str, int], ProgressBar] | None = None


def set_progress(open_bar: Callable[[str, int], ProgressBar] | None) -> None:
    """Install what shows progress (None for silence): it takes a text and a number of steps."""
    global _open_bar
    _open_bar = open_bar


def track(steps: Iterable[Item], text: str, total: int | None = None) -> Iterator[Item]:
    """Go through steps and report how far we are.

    Examples
    --------
    >>> [x * x for x in track([1, 2, 3], "squares")]
    [1, 4, 9]
    """
    if total is None:
        total = len(steps) if isinstance(steps, Sized) else 0
    bar = _open_bar(text, total) if _open_bar is not None else None
    try:
        for i, step in enumerate(steps):
            yield step
            if bar is not None:
                bar.update(i + 1)
    finally:
        if bar is not None:
            bar.close()
