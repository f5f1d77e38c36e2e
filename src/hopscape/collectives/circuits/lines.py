"""Broadcast along one axis after the other: for every torus and mesh.

On a line two calls per round are possible, to the left and to the right, so that the number of
informed nodes grows by the factor three.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.collectives.circuits.programs import Calls, Program, grid_points
from hopscape.core.arrays import IntArray

__all__ = ["fill_gap", "line_calls", "line_program"]


def line_calls(count: int, root: int) -> list[list[tuple[int, int]]]:
    """Calls (from, to) on a line of `count` nodes, round by round; the fewest rounds possible.

    Examples:
        >>> line_calls(9, 4)
        [[(4, 1), (4, 7)], [(1, 0), (1, 2), (4, 3), (4, 5), (7, 6), (7, 8)]]
    """
    return _serve_all([(-1, root, False, True), (root, count, True, False)])


def fill_gap(length: int) -> list[list[tuple[int, int]]]:
    """Calls that inform the nodes 1..length between the informed nodes 0 and length + 1."""
    return _serve_all([(0, length + 1, True, True)])


def _serve_all(gaps: list[tuple[int, int, bool, bool]]) -> list[list[tuple[int, int]]]:
    """Calls of all gaps, round by round, until none is left."""
    rounds: list[list[tuple[int, int]]] = []
    while True:
        calls: list[tuple[int, int]] = []
        gaps = [part for gap in gaps for part in _serve(gap, calls)]
        if not calls:
            return rounds
        rounds.append(sorted(calls))


def _serve(
    gap: tuple[int, int, bool, bool], calls: list[tuple[int, int]]
) -> list[tuple[int, int, bool, bool]]:
    """One round in a gap between `low` and `high` (flags: is that end informed?)."""
    low, high, from_low, from_high = gap
    inside = high - low - 1
    if inside <= 0:
        return []
    if from_low and from_high and inside > 1:
        third, more = divmod(inside - 2, 3)
        a = low + 1 + third + (more > 1)
        b = high - 1 - third - (more > 0)
        calls += [(low, a), (high, b)]
        return [(low, a, True, True), (a, b, True, True), (b, high, True, True)]
    far = (inside - 1) // 3
    if from_low:
        at = high - 1 - (0 if from_high else far)
        calls.append((low, at))
        return [(low, at, True, True), (at, high, True, from_high)]
    at = low + 1 + far
    calls.append((high, at))
    return [(low, at, False, True), (at, high, True, True)]


def line_program(sides: Sequence[int], roots: Sequence[int] | None = None) -> Program:
    """One axis after the other.

    Args:
        roots: For a mesh: where the root is. Left out for a torus: the root is the origin, and
            every axis is cut opposite to it.
    """
    rounds: list[tuple[Calls, ...]] = []
    for axis, side in enumerate(sides):
        root = roots[axis] if roots is not None else (side - 1) // 2
        shift = 0 if roots is not None else -root
        for calls in line_calls(side, root):
            now = []
            for start, end in calls:
                sources = _slab(sides, axis, start + shift, roots)
                now.append(Calls(sources, (((axis, end - start),),)))
            rounds.append(tuple(now))
    return Program(tuple(sides), tuple(rounds))


def _slab(sides: Sequence[int], axis: int, place: int, roots: Sequence[int] | None) -> IntArray:
    """Free on the axes before, at `place` on this one, at the root on those after."""
    out = np.zeros((int(np.prod(sides[:axis], initial=1)), len(sides)), dtype=np.int64)
    if axis:
        out[:, :axis] = grid_points(sides[:axis])
    out[:, axis] = place % sides[axis]
    if roots is not None:
        out[:, axis + 1 :] = roots[axis + 1 :]
    return out
