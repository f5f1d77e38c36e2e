"""How machines made of other networks are drawn: as these are, with what was added.

Each is None where the network has no drawing of its own; then nodes are placed by their distances.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.facts import Layout, Points, closest, with_leaves
from hopscape.core.network import Network

__all__ = ["draw_endpoints", "draw_planes", "draw_rails", "drawing_of"]

_REACH = 0.35  # of an endpoint from its switch, as a share of the distance of two switches


def drawing_of(network: Network) -> Layout | None:
    """The family's drawing."""
    return None if network.family is None else network.family.layout()


def draw_endpoints(
    base: Network, is_switch: IntArray, edge: IntArray, endpoints: int
) -> Layout | None:
    """A network with other endpoints: where it has its own, or on its outer side.

    Args:
        is_switch: bool[base.order]
        edge: Switches with endpoints, counted among the switches.
        endpoints: Of each of them.
    """
    drawing = drawing_of(base)
    if drawing is None:
        return None
    switches = drawing.of(np.flatnonzero(is_switch))
    places = switches.positions
    inside = _inside(places)
    if not is_switch.all():
        ends = base.endpoints.astype(np.int64)
        owner = (np.cumsum(is_switch) - 1)[base.heads[base.indptr[ends]]]
        away = drawing.positions[ends] - places[owner]
        for axis in (0, 1):
            inside[:, axis] = places[:, axis] - np.bincount(owner, away[:, axis], len(places))
    owners = np.repeat(edge, endpoints)
    return with_leaves(switches, owners, inside[owners], _REACH)


def _inside(places: Points) -> Points:
    """What the endpoints of each node look away from: the middle, or in a grid the upper right.

    Examples:
        >>> np.round(_inside(np.array([[0.0, 1.0], [0.9, -0.5], [-0.9, -0.5]]))[0], 9).tolist()
        [0.0, 0.0]
        >>> _inside(np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))[0].tolist()
        [1.0, 1.0]
    """
    across, up = (len(np.unique(np.round(places[:, axis], 6))) for axis in (0, 1))
    if 2 * across * up < 3 * len(places):
        return places + 1.0
    return np.tile(places.mean(axis=0), (len(places), 1))


def draw_planes(base: Network, count: int) -> Layout | None:
    """Planes one behind the other, each a little higher and to the right."""
    drawing = drawing_of(base)
    if drawing is None:
        return None
    ends = base.endpoints.astype(np.int64)
    inner = np.setdiff1d(np.arange(base.order), ends)
    switches = drawing.positions[inner]
    step = closest(switches[:2000]) / (2 * count) * np.array([0.8, 0.6])
    planes = switches + np.arange(count)[:, None, None] * step
    places = np.concatenate([drawing.positions[ends], planes.reshape(-1, 2)])
    return Layout(places, drawing.bends(np.concatenate([ends, np.tile(inner, count)])))


def draw_rails(base: Network, count: int, ends: int, islands: int) -> Layout | None:
    """Accelerators in a row, the switches of their islands below, rails side by side above."""
    drawing = drawing_of(base)
    if drawing is None:
        return None
    inner = np.setdiff1d(np.arange(base.order), base.endpoints)
    rail = drawing.positions[inner] - drawing.positions[inner].min(axis=0)
    rail = rail * (0.8 * ends / count / (float(rail.max()) or 1.0)) + np.array([0, 0.2 * ends])
    start = (np.arange(count)[:, None, None] + 0.1) * ends / count * np.array([1, 0])
    row = np.stack([np.arange(ends) + 0.5, np.zeros(ends)], axis=1)
    below = np.full((islands, 2), -0.12 * ends)
    below[:, 0] = (np.arange(islands) + 0.5) * ends / islands
    places = np.concatenate([row, below, (rail + start).reshape(-1, 2)])
    stands_for = np.concatenate([np.full(ends + islands, -1), np.tile(inner, count)])
    return Layout(places, drawing.bends(stands_for))
