"""Nothing unverified leaves: a schedule passes the verifier before anybody gets it.

Makers of schedules call each other: a reduce is a broadcast backwards, an all-reduce an all-gather
both ways. Only what leaves the outermost of them is checked, so that nothing is checked twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import ParamSpec, TypeVar

from hopscape.core.errors import CheckFailedError
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict
from hopscape.core.verify import verify

__all__ = ["check_schedule", "making", "verified"]

P = ParamSpec("P")
Made = TypeVar("Made", bound=Schedule | None)

_MAKING: ContextVar[bool] = ContextVar("_MAKING", default=False)


@contextmanager
def making() -> Iterator[bool]:
    """While a schedule is made; tells whether it is a part of another one."""
    part = _MAKING.get()
    token = _MAKING.set(True)
    try:
        yield part
    finally:
        _MAKING.reset(token)


def check_schedule(schedule: Schedule, title: str) -> Verdict:
    """The verdict on a schedule that holds.

    Args:
        title: The algorithm that made it.

    Raises:
        CheckFailedError: When it does not hold; the message has the first violation.
    """
    verdict = verify(schedule)
    if not verdict:
        raise CheckFailedError(f"{title} made a schedule that fails its check: {verdict.reason}")
    return verdict


def verified(make: Callable[P, Made]) -> Callable[P, Made]:
    """A maker whose schedules are checked, but where they are parts of others."""

    @wraps(make)
    def made(*args: P.args, **kwargs: P.kwargs) -> Made:
        with making() as part:
            schedule = make(*args, **kwargs)
        if schedule is not None and not part:
            name = schedule.name or "generic"
            title = f"the {schedule.goal.kind} algorithm {name!r} on {schedule.network.spec}"
            check_schedule(schedule, title)
        return schedule

    return made
