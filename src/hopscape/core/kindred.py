"""Members of equal wiring: which one stands for all of them, and where each node is in it.

What is searched for on the member that stands for its kindred is the same for all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray

__all__ = ["Kindred", "ProductAxis", "grid_axes"]


class Kindred(NamedTuple):
    """A member of equal wiring.

    Attributes:
        family: Its name.
        arguments: As its constructor takes them.
        places (int64[order]): The node there that each node is.
    """

    family: str
    arguments: tuple[Any, ...]
    places: IntArray


@dataclass(frozen=True)
class ProductAxis:
    """A ring or a line, and where every node of the network is on it."""

    side: int
    wraps: bool
    at: IntArray


def grid_axes(sides: Sequence[int], wraps: bool) -> list[ProductAxis]:
    """Those of a grid whose nodes are numbered along its axes, the last one fastest."""
    at = MixedRadix(sides).tuples(np.arange(math.prod(sides))).astype(np.int64)
    return [ProductAxis(side, wraps, at[:, k]) for k, side in enumerate(sides)]
