"""How much memory may be used, asked before it is used."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.numbers import byte_count, number

__all__ = ["memory_limit", "require_at_most", "require_memory"]

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def memory_limit() -> int:
    """Bytes that one object may take: ``HOPSCAPE_MEMORY`` (as in ``8G``), or 60 % of what is."""
    asked = os.environ.get("HOPSCAPE_MEMORY")
    if asked is None:
        return int(_machine_memory() * 0.6)
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)B?\s*", asked, re.IGNORECASE)
    if match is None:
        raise ArgumentError(
            f"HOPSCAPE_MEMORY is {asked!r}; it must be a number of bytes such as 8G or 500M"
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
    said = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return [limit if limit != resource.RLIM_INFINITY else 2**63 for limit in said]


@cache
def _physical_memory() -> int:
    try:
        physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # not a POSIX machine
        return 8 * 10**9
    try:  # a container may have less than its machine
        quota = int(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):
        return physical
    return min(physical, quota)


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
