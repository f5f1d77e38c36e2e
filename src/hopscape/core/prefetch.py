"""Work one step ahead, on a thread of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["one_ahead"]

Step = TypeVar("Step")
Made = TypeVar("Made")


def one_ahead(make: Callable[[Step], Made], steps: Iterable[Step]) -> Iterator[Made]:
    """Like ``map``, but the next item is made while the caller works on this one.

    For kernels that run without Python's lock. Exceptions come where the item would.

    Examples:
        >>> list(one_ahead(lambda x: x * x, [1, 2, 3]))
        [1, 4, 9]
    """
    with ThreadPoolExecutor(1) as pool:
        waiting = None
        for step in steps:
            following = pool.submit(make, step)
            if waiting is not None:
                yield waiting.result()
            waiting = following
        if waiting is not None:
            yield waiting.result()
