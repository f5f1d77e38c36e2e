"""Where nodes stand on a page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import Floats, IntArray

__all__ = ["Layout", "Points", "circle", "closest", "hang_on"]

Points = Floats


@dataclass(frozen=True)
class Layout:
    """Where the nodes of a drawing stand, and which links are better drawn as arcs.

    Args:
        positions: ndarray, shape (order, 2)
        curved: Takes tails and heads (arrays), returns the bend of each link as a fraction of its
            length (0 is straight).
    """

    positions: Points
    curved: Callable[[IntArray, IntArray], Points] | None = None


def circle(count: int, radius: float = 1.0, turn: float = 0.0) -> Points:
    """Points round a circle, the first at the top, clockwise.

    Args:
        turn: Extra turn, as a fraction of the step between two points.
    """
    angle = np.pi / 2 - 2 * np.pi * (np.arange(count) + turn) / max(count, 1)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def closest(places: Points) -> float:
    """Smallest distance between two points that are not the same place; 1 when there is none."""
    gaps = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
    apart = gaps[gaps > 1e-9]
    return float(apart.min()) if len(apart) else 1.0


def hang_on(places: Points, owners: IntArray, centres: Points, reach: float) -> Points:
    """Places for leaves beside their owners, in a fan that looks away from a centre.

    Args:
        places (ndarray, shape (order, 2)): Of the owners, by number.
        owners (int64[leaves]): Leaves of one owner stand side by side in the order given.
        centres (ndarray, shape (leaves, 2)): What each fan looks away from.
        reach: Distance from the owner, as a share of the closest distance between two owners.
    """
    own = places[owners]
    known = np.unique(owners)
    hops = reach * closest(places[known[:2000]])
    away = own - centres
    angle = np.arctan2(away[:, 1], away[:, 0])
    order = np.argsort(owners, kind="stable")
    first = np.searchsorted(owners[order], owners)
    rank = np.empty(len(owners))
    rank[order] = np.arange(len(owners))
    rank = rank - first
    count = np.bincount(owners)[owners]
    step = np.minimum(0.7, 4.4 / np.maximum(count, 1))
    angle = angle + (rank - (count - 1) / 2) * step
    found: Points = own + hops * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return found
