"""Node numbers and addresses: int ⇄ tuple, both ways, for one node or for arrays.

Numbers are exact at any size: arrays of a network with more than 2**62 nodes hold Python ints
(dtype object), all others int64. The same arithmetic serves both.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import AddressError

__all__ = [
    "Addresses",
    "IntArray",
    "Labels",
    "ListedTuples",
    "MixedRadix",
    "Numbers",
    "node_dtype",
    "whole_numbers",
]

_INT64_SAFE = 2**62  # sums of two node numbers still fit into 64 bits with a sign
_NUMBER = re.compile(r"[+-]?[0-9]{1,2001}")


def node_dtype(order: int) -> np.dtype[Any]:
    """The dtype that holds node numbers of a network of this order without loss."""
    return np.dtype(np.int64) if order <= _INT64_SAFE else np.dtype(object)


def whole_numbers(array: IntArray) -> bool:
    """Are all entries integers (of numpy or of Python)?"""
    if array.dtype == object:
        return all(isinstance(entry, int | np.integer) for entry in array.flat)
    return array.dtype.kind in "iu"


class Addresses(ABC):
    """A numbering of nodes 0..order-1 by tuples of `width` integers."""

    order: int
    width: int

    @abstractmethod
    def tuples(self, nodes: IntArray) -> IntArray:
        """Addresses of node numbers: shape (...) in, shape (..., width) out."""

    @abstractmethod
    def numbers(self, addresses: IntArray) -> IntArray:
        """Node numbers of addresses: shape (..., width) in, shape (...) out; checked."""

    @abstractmethod
    def describe(self) -> str:
        """What an address looks like, for error messages."""

    def name(self, node: int) -> Hashable:
        """What a graph of another library calls a node: its number, unless it came with a name."""
        return node

    def text(self, node: int) -> str:
        """The address of one node as a person writes it."""
        return "(" + ", ".join(map(str, self.tuple(node))) + ")"

    def data(self, node: int) -> list[int] | str:
        """The address of one node for a file: a list of integers, or a name."""
        return list(self.tuple(node))

    def listed(self, nodes: Sequence[int]) -> list[Any]:
        """:meth:`data` of many nodes."""
        rows: list[Any] = self.tuples(np.asarray(nodes, dtype=node_dtype(self.order))).tolist()
        return rows

    def tuple(self, node: int) -> tuple[int, ...]:
        """The address of one node as a tuple of Python ints."""
        row = self.tuples(np.asarray([node], dtype=node_dtype(self.order)))
        return tuple(int(x) for x in row[0])

    def number(self, address: Sequence[int]) -> int:
        """The number of one address."""
        if len(address) != self.width:
            raise AddressError(
                f"address {_show(address)} has {len(address)} entries; expected {self.describe()}"
            )
        return int(self.numbers(np.asarray([list(address)], dtype=object))[0])

    def entries(self, addresses: Any) -> IntArray:
        """Addresses as an array whose last axis is as long as an address; whole numbers only."""
        array = np.asarray(addresses)
        if array.ndim == 0 or array.shape[-1] != self.width:
            raise AddressError(
                f"addresses of shape {array.shape} do not fit; expected {self.describe()}"
            )
        if array.size == 0:
            return array.astype(np.int64)
        if not whole_numbers(array):
            shown = _show(array.reshape(-1, self.width)[0])
            raise AddressError(f"address {shown} must hold integers; expected {self.describe()}")
        return array.astype(object) if array.dtype == np.uint64 else array

    def parse(self, text: str) -> int:
        """Read a node number or an address such as ``"(3, 0, 1)"``."""
        stripped = text.strip()
        if _NUMBER.fullmatch(stripped):
            return int(stripped)
        inner = re.fullmatch(r"\(\s*([^()]*?)\s*,?\s*\)", stripped)
        words = re.split(r"\s*,\s*", inner[1]) if inner and inner[1] else []
        if inner is None or not all(_NUMBER.fullmatch(word) for word in words):
            raise AddressError(
                f"node {text!r:.80} is neither a number nor an address; expected a number from 0"
                f" to {self.order - 1} or {self.describe()}"
            )
        return self.number([int(word) for word in words])


class MixedRadix(Addresses):
    """Addresses in a box: digit i runs over 0..sides[i]-1, the last digit fastest.

    Examples:
        >>> box = MixedRadix((4, 3))
        >>> box.tuple(7), box.number((2, 1))
        ((2, 1), 7)
        >>> box.numbers(np.array([[0, 2], [3, 2]]))
        array([ 2, 11])
    """

    def __init__(self, sides: Sequence[int]) -> None:
        self.sides = tuple(int(side) for side in sides)
        self.order = math.prod(self.sides)
        self.width = len(self.sides)

    def tuples(self, nodes: IntArray) -> IntArray:
        rest = np.asarray(nodes, dtype=node_dtype(self.order))
        out = np.empty((*rest.shape, self.width), dtype=rest.dtype)
        for i in range(self.width - 1, -1, -1):
            out[..., i] = rest % self.sides[i]
            rest = rest // self.sides[i]
        return out

    def numbers(self, addresses: IntArray) -> IntArray:
        given = self.entries(addresses)
        wrong = (given < 0) | (given >= np.asarray(self.sides, dtype=node_dtype(self.order)))
        if wrong.any():
            bad = given[wrong.any(axis=-1)].reshape(-1, self.width)[0]
            raise AddressError(f"address {_show(bad)} is out of range; expected {self.describe()}")
        digits = given.astype(node_dtype(self.order))
        out = np.zeros(digits.shape[:-1], dtype=digits.dtype)
        for i, side in enumerate(self.sides):
            out = out * side + digits[..., i]
        return out

    def describe(self) -> str:
        ranges = [f"0..{side - 1}" for side in self.sides]
        if len(ranges) > 6 and len(set(ranges)) == 1:
            return f"an address of {len(ranges)} entries, each {ranges[0]}"
        return "an address (" + ", ".join(ranges) + ")"


class Numbers(MixedRadix):
    """The plain numbering: the address of node v is the 1-tuple (v,)."""

    def __init__(self, order: int) -> None:
        super().__init__((order,))

    def text(self, node: int) -> str:
        return str(node)


class ListedTuples(Addresses):
    """Addresses of any shape, one row for each node.

    Args:
        rows: int array of shape (order, width), no two rows equal
        names: Do graphs of other libraries call the nodes so? Else they have numbers there.

    Examples:
        >>> listed = ListedTuples(np.array([[2, 0], [0, 5]]))
        >>> listed.tuple(1), listed.number((2, 0))
        ((0, 5), 0)
    """

    def __init__(self, rows: IntArray, names: bool = False) -> None:
        self.rows = rows
        self.order, self.width = rows.shape
        self._names = names
        self._number_of = {tuple(row): i for i, row in enumerate(rows.tolist())}

    def name(self, node: int) -> Hashable:
        return self.tuple(node) if self._names else node

    def tuples(self, nodes: IntArray) -> IntArray:
        return self.rows[nodes]

    def numbers(self, addresses: IntArray) -> IntArray:
        given = self.entries(addresses)
        flat = [tuple(map(int, row)) for row in given.reshape(-1, self.width)]
        for row in flat:
            if row not in self._number_of:
                raise AddressError(f"there is no node {_show(row)}; expected {self.describe()}")
        numbers = [self._number_of[row] for row in flat]
        return np.asarray(numbers, dtype=np.int64).reshape(given.shape[:-1])

    def describe(self) -> str:
        few = ", ".join(self.text(v) for v in range(min(3, self.order)))
        return f"one of the {self.order} addresses {few}{', ...' * (self.order > 3)}"


class Labels(Numbers):
    """Numbers with names: what a graph file calls its nodes.

    A text is looked up among the names first, then read as a number.

    Args:
        names: No two of them equal.
        originals: What the names stand for in the graph that they come from; the names themselves
            when left out.
    """

    def __init__(self, names: Sequence[str], originals: Sequence[Hashable] | None = None) -> None:
        super().__init__(len(names))
        self.names = tuple(names)
        self.originals = self.names if originals is None else tuple(originals)
        self._number_of = {name: i for i, name in enumerate(self.names)}

    def name(self, node: int) -> Hashable:
        return self.originals[node]

    def text(self, node: int) -> str:
        return self.names[node]

    def data(self, node: int) -> list[int] | str:
        return self.names[node]

    def listed(self, nodes: Sequence[int]) -> list[Any]:
        return [self.names[node] for node in nodes]

    def parse(self, text: str) -> int:
        number = self._number_of.get(text.strip())
        return number if number is not None else super().parse(text)

    def describe(self) -> str:
        few = ", ".join(self.names[:3]) + (", ..." if self.order > 3 else "")
        return f"one of the {self.order} names in the file ({few})"


def _show(address: Any) -> str:
    return "(" + ", ".join(str(x) for x in address) + ")"
