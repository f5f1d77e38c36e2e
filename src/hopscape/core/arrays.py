"""Types of arrays, and the entries of tables that mean "no way".

What a transfer does at its target: copy, add to what is there, or nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

__all__ = [
    "ADD",
    "COPY",
    "NARROW",
    "NOTHING",
    "NO_OFFSET",
    "NO_PORT",
    "OPERATIONS",
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
    "NoWay",
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


class NoWay:
    """What stands for "no way" in a table of a narrow dtype: its largest number.

    Distances, ports and channels count from 0, so that tables of wide integers have -1 instead.

    Examples:
        >>> none = NoWay(np.uint8)
        >>> table = none.narrow(np.array([0, 7, -1]))
        >>> table, none.mask(table), none.signed(table)
        (array([  0,   7, 255], dtype=uint8), array([False, False,  True]), array([ 0,  7, -1]))
    """

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.value = int(np.iinfo(self.dtype).max)

    @classmethod
    def above(cls, longest: int) -> NoWay:
        """That of the narrowest type in which so many hops are still a distance."""
        kinds = (cls(kind) for kind in NARROW)
        return next(none for none in kinds if longest < none.value)

    def mask(self, table: IntArray) -> IntArray:
        """Where there is no way."""
        return table == self.value

    def signed(self, table: IntArray, none: int = -1) -> IntArray:
        """The table as wide integers, with another number for no way."""
        return np.where(self.mask(table), none, table.astype(np.int64))

    def narrow(self, table: IntArray) -> IntArray:
        """A table of wide integers, where below 0 means no way, in this type."""
        return np.where(table < 0, self.value, table).astype(self.dtype)


NARROW = (np.uint8, np.uint16, np.int32)
"""Types of tables of distances, the first that has room is taken."""

NO_PORT = NoWay(np.uint16).value
"""Entry of a table of ports (uint16) on arrival, and where there is no route."""

NO_OFFSET = NoWay(np.uint8).value
"""The same in a table of channels, counted from the first of their node (uint8)."""


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

    Examples:
        >>> count_numbers(range(3, 10**30)), count_numbers(None)
        (999999999999999999999999999997, 0)
    """
    if isinstance(numbers, range):
        return max(0, numbers.stop - numbers.start)
    return 0 if numbers is None else len(numbers)


OPERATIONS = ("copy", "add", "none")
COPY, ADD, NOTHING = range(3)
