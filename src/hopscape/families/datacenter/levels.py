"""Nodes that are numbered level by level, endpoints first: addresses and drawings."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix, node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.errors import AddressError
from hopscape.core.layout import Layout, Points

__all__ = ["Levels", "tiers"]


class Levels(Addresses):
    """Addresses (level, digits...): each level is a box, the levels follow each other.

    Args:
        boxes (sequence of sequences of int): Sides of each level, as many for one as for the other.

    Examples:
        >>> tree = Levels([(2, 3), (2, 1)])
        >>> tree.order, tree.tuple(4), tree.tuple(7), tree.number((1, 1, 0))
        (8, (0, 1, 1), (1, 1, 0), 7)
    """

    def __init__(self, boxes: Sequence[Sequence[int]]) -> None:
        self._boxes = [MixedRadix(sides) for sides in boxes]
        self.starts = [0]
        for box in self._boxes:
            self.starts.append(self.starts[-1] + box.order)
        self.order = self.starts[-1]
        self.width = 1 + self._boxes[0].width

    def tuples(self, nodes: IntArray) -> IntArray:
        given = np.asarray(nodes, dtype=node_dtype(self.order))
        out = np.zeros((*given.shape, self.width), dtype=given.dtype)
        for level, box in enumerate(self._boxes):
            here = (given >= self.starts[level]) & (given < self.starts[level + 1])
            out[here, 0] = level
            out[here, 1:] = box.tuples(given[here] - self.starts[level])
        return out

    def numbers(self, addresses: IntArray) -> IntArray:
        given = self.entries(addresses)
        level = given[..., 0]
        wrong = (level < 0) | (level >= len(self._boxes))
        if wrong.any():
            bad = given[wrong][0].tolist()
            raise AddressError(
                f"address ({', '.join(map(str, bad))}) is out of range; expected {self.describe()}"
            )
        out = np.zeros(given.shape[:-1], dtype=node_dtype(self.order))
        for number, box in enumerate(self._boxes):
            here = level == number
            if here.any():
                numbers = box.numbers(given[here][..., 1:]).astype(out.dtype)
                out[here] = self.starts[number] + numbers
        return out

    def describe(self) -> str:
        kinds = [
            f"({level}, {', '.join(f'0..{side - 1}' for side in box.sides)})"
            for level, box in enumerate(self._boxes)
            if box.order
        ]
        return "an address " + " or ".join(kinds)


def tiers(sizes: Sequence[int]) -> Layout:
    """One row for each level, the first at the bottom, all rows of the same width."""
    widest = max(sizes)
    rows: list[Points] = []
    for level, size in enumerate(sizes):
        across = (np.arange(size) + 0.5) * widest / max(size, 1)
        rows.append(np.stack([across, np.full(size, 0.35 * widest * level)], axis=1))
    return Layout(np.concatenate(rows))
