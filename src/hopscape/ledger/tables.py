"""Tables of a study: made one after the other, and kept, so that a later run goes on from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from hopscape.core.plain import plain
from hopscape.store import Store, Task, digest, run_tasks

__all__ = ["Parts", "make_tables"]

Parts = Mapping[str, tuple[Callable[..., Any], tuple[Any, ...]]]
"""By the name of a table, the function that makes it and its arguments."""


def make_tables(parts: Parts, store: Store | None = None) -> Iterator[tuple[str, Any]]:
    """Each table with its name, in plain values; those that are in the store are not made again.

    Examples:
        >>> list(make_tables({"three": (range, (3,)), "pair": (divmod, (7, 2))}))
        [('three', [0, 1, 2]), ('pair', [3, 1])]
    """
    tasks = [
        Task(digest(f"{work.__module__}.{work.__qualname__}", given), (work, given), about=name)
        for name, (work, given) in parts.items()
    ]
    done = run_tasks(tasks, _made, store, processes=1, text="tables of the study")
    return ((task.about, table) for task, table in done)


def _made(work: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    found = work(*given)
    return plain(found if isinstance(found, Mapping) else list(found))
