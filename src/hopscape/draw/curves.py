"""The lines of a picture: straight, bent, fanned out, loops and arrow heads.

Everything is in points of the page (72 to the inch).
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.layout import Points

__all__ = ["arrow_head", "bent_line", "detours", "fans", "free_directions", "loop_line"]

_SAMPLES = 41
_STEEPNESS = 1.1
_CROWD = 600
_MANY = 5


def bent_line(start: Points, end: Points, bend: float, alongside: bool = True) -> Points:
    """A line from `start` to `end` that keeps to the left by `bend` times its length.

    The line is a parabola. With `alongside`, one with a slight bend leaves steeply and then runs
    alongside, so that a long link clears the nodes that it passes.
    """
    if abs(bend) < 1e-6:
        return np.stack([start, end])
    along = end - start
    left = np.array([-along[1], along[0]])
    t = (1 - np.cos(np.linspace(0, np.pi, _SAMPLES))) / 2
    power = max(2.0, _STEEPNESS / 2 / abs(bend)) if alongside else 2.0
    away = bend * (1 - np.abs(2 * t - 1) ** power)
    line: Points = start + t[:, None] * along + away[:, None] * left
    return line


def loop_line(centre: Points, direction: float, reach: float) -> Points:
    """A loop at a node, shaped like a drop, that points in `direction` (an angle)."""
    t = np.linspace(0, 1, _SAMPLES)[:, None]
    angles = direction + np.array([-0.62, 0.62])
    handles = reach / 0.61 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    line: Points = centre + 3 * t * (1 - t) ** 2 * handles[0] + 3 * t**2 * (1 - t) * handles[1]
    return line


def arrow_head(line: Points, radius: float, length: float) -> Points:
    """A triangle at the end of a line, its tip on the rim of a node of this radius."""
    tip = _at_distance(line, radius)
    base = _at_distance(line, radius + length)
    along = tip - base
    side = 0.36 * np.array([-along[1], along[0]])
    return np.stack([tip, base + side, base - side])


def _at_distance(line: Points, wanted: float) -> Points:
    """The last point of a line that is this far from its end (or its farthest one)."""
    away = np.hypot(*(line - line[-1]).T)
    beyond = np.flatnonzero(away >= wanted)
    if not len(beyond):
        farthest: Points = line[away.argmax()]
        return farthest
    i = int(beyond[-1])
    part = (wanted - away[i]) / (away[i + 1] - away[i])
    point: Points = line[i] + part * (line[i + 1] - line[i])
    return point


def fans(tails: IntArray, heads: IntArray) -> Points:
    """Places of links in their fan: ..., -1, 0, 1, ... for those between the same two nodes.

    The sign is meant to the left of each link's own direction.
    """
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    _, pair, count = np.unique(
        np.stack([low, high]), axis=1, return_inverse=True, return_counts=True
    )
    pair = pair.ravel()
    sorted_ = np.argsort(pair, kind="stable")
    first = np.cumsum(count) - count
    rank = np.empty(len(pair))
    rank[sorted_] = np.arange(len(pair)) - first[pair[sorted_]]
    middle = (count[pair] - 1) / 2
    turned: Points = np.where(tails > heads, middle - rank, rank - middle)
    return turned


def free_directions(places: Points, tails: IntArray, heads: IntArray) -> Points:
    """For each node the angle in the middle of the widest gap between its links.

    A node without links looks up.
    """
    ends = np.concatenate([np.stack([tails, heads]), np.stack([heads, tails])], axis=1)
    ends = np.unique(ends[:, ends[0] != ends[1]], axis=1)
    step = places[ends[1]] - places[ends[0]]
    angle = np.arctan2(step[:, 1], step[:, 0])
    out = np.full(len(places), np.pi / 2)
    starts = np.searchsorted(ends[0], np.arange(len(places) + 1))
    for v in np.unique(ends[0]):
        around = np.sort(angle[starts[v] : starts[v + 1]])
        gaps = np.diff(np.append(around, around[0] + 2 * np.pi))
        widest = int(np.argmax(np.round(gaps, 6)))
        out[v] = around[widest] + gaps[widest] / 2
    return out


def detours(places: Points, tails: IntArray, heads: IntArray, clear: float) -> Points:
    """Bends for straight links that would run over a third node, 0 for all others.

    Args:
        places: ndarray, shape (order, 2)
        clear: How far a link keeps from nodes that it does not end at.
    """
    out = np.zeros(len(tails))
    if len(places) > _CROWD or len(tails) > _MANY * len(places):
        return out
    for i in np.flatnonzero(_blocked(places, tails, heads, 0.85 * clear)):
        a, b = int(tails[i]), int(heads[i])
        others = np.delete(places, [a, b], axis=0)
        length = float(np.hypot(*(places[b] - places[a])))
        best = len(places)
        inward = 1.0 if _cross(places[b] - places[a], -places[a]) >= 0 else -1.0
        for factor in (1.6, -1.6, 2.6, -2.6, 4.0, -4.0):
            bend = inward * factor * clear / length
            line = bent_line(places[a], places[b], bend)
            gaps = np.hypot(*(line[:, None, :] - others[None, :, :]).transpose(2, 0, 1))
            hits = int((gaps < clear).any(axis=0).sum())
            if hits < best and abs(bend) < 0.4:
                best, out[i] = hits, bend
    return out


def _cross(a: Points, b: Points) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def _blocked(places: Points, tails: IntArray, heads: IntArray, clear: float) -> IntArray:
    """Which straight links come closer than `clear` to a node that is not their end."""
    out = np.zeros(len(tails), dtype=bool)
    for i, (a, b) in enumerate(zip(tails, heads, strict=True)):
        along = places[b] - places[a]
        square = float(along @ along)
        if square == 0:
            continue
        from_start = places - places[a]
        t = np.clip(from_start @ along / square, 0, 1)
        gap = np.hypot(*(from_start - t[:, None] * along).T)
        gap[[a, b]] = np.inf
        out[i] = gap.min() < clear
    return out
