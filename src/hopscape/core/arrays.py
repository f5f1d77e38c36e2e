"""Types of arrays, and the entry of a port table that means "none"."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "NO_PORT",
    "Array",
    "Bools",
    "Floats",
    "Incoming",
    "Int8s",
    "Int16s",
    "Int32s",
    "Int64s",
    "IntArray",
    "Integer",
    "UInt8s",
    "UInt64s",
    "count_numbers",
]

IntArray = np.ndarray[Any, np.dtype[Any]]
"""Integers (node numbers, ports, channels, distances), or truth values."""

Array = np.ndarray[Any, np.dtype[Any]]
"""Numbers of any kind, for kernels that take several."""

Integer = int | np.int64
"""A number of a node, a channel or a place: of Python, or inside a compiled kernel."""

Floats = np.ndarray[Any, np.dtype[np.float64]]
"""Real numbers: loads, shares, places on a page."""

# For kernels, whose arguments have one dtype each.
Bools = np.ndarray[Any, np.dtype[np.bool_]]
Int8s = np.ndarray[Any, np.dtype[np.int8]]
Int16s = np.ndarray[Any, np.dtype[np.int16]]
Int32s = np.ndarray[Any, np.dtype[np.int32]]
Int64s = np.ndarray[Any, np.dtype[np.int64]]
UInt8s = np.ndarray[Any, np.dtype[np.uint8]]
UInt64s = np.ndarray[Any, np.dtype[np.uint64]]

NO_PORT = 0xFFFF
"""Entry of a table of ports (uint16) on arrival, and where there is no route."""


class Incoming(NamedTuple):
    """The channels of a network, by the node that they reach."""

    tails: IntArray
    """int[channels]: the node that each channel leaves."""
    starts: IntArray
    """int64[order + 1]: the channels into node v are ``channels[starts[v]:starts[v + 1]]``."""
    channels: IntArray
    """int64[channels]"""


def count_numbers(numbers: IntArray | range | None) -> int:
    """How many there are, of a range too long for ``len`` as well.

    Examples
    --------
    >>> count_numbers(range(3, 10**30)), count_numbers(None)
    (999999999999999999999999999997, 0)
    """
    if isinstance(numbers, range):
        return max(0, numbers.stop - numbers.start)
    return 0 if numbers is None else len(numbers)
