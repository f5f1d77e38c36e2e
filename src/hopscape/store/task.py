"""Task: a piece of work with a key for its result."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopscape.store.digest import digest

__all__ = ["Task"]


@dataclass(frozen=True)
class Task:
    """A piece of work.

    Attributes:
        key: All that its result depends on: see :func:`hopscape.store.digest.digest`.
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
