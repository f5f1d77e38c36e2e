"""Compiled moves on lifts: exchange the ends of two links, or change a voltage.

A *lift* has ``base · fold`` nodes, ``fold`` of them over each vertex of a small base graph, one for
each element of a group, and a few *fixed* nodes that the group leaves where they are. The ends of
the base graph's links are *darts*: dart k belongs to the vertex ``owner[k]``, is paired with
``mate[k]`` and has the voltage ``volt[k]``, a group element: element h over its owner is wired to
element h·g over the owner of its mate. A dart paired with itself has an involution as its voltage,
or is void (-1). A dart of a fixed node is wired to all nodes over one vertex. With a group of one
element a lift is any graph at all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Int8s, Int32s, Int64s, UInt64s
from hopscape.core.grid_kernels import draw
from hopscape.core.kernel import helper, kernel

__all__ = ["VOID", "Lift", "place", "propose", "restore", "scatter", "wire"]

VOID = -1
_TRIES = 8  # voltages drawn for an exchange before it counts as impossible


class Lift(NamedTuple):
    """A lift and its wiring.

    Attributes:
        fold, base: Order of the group, vertices of the base graph.
        right (int32[elements, fold]): ``right[g, h]`` is h·g.
        inverse: int32[elements]
        involutions (int32[...]): Elements of order 2.
        owner, column (int32[darts]): Vertex of each dart (fixed nodes follow the base), and its
            (first) port.
        side (int8[vertices]): In a bipartite graph 1 or 2, else 0.
        mate, volt (int32[darts]): What the moves change.
        near (int32[ports, n]): The wiring that follows.
        rows (uint64[n · words]): A bit for each node that a node is wired to, and for itself; empty
            where nobody needs it.
    """

    fold: int
    base: int
    right: Int32s
    inverse: Int32s
    involutions: Int32s
    owner: Int32s
    column: Int32s
    side: Int8s
    mate: Int32s
    volt: Int32s
    near: Int32s
    rows: UInt64s


@kernel
def place(lift: Lift, dart: int) -> None:
    """Wire the ports that a dart stands for."""
    m, base, near, owner, right = lift.fold, lift.base, lift.near, lift.owner, lift.right
    vertex, column, mate, volt = owner[dart], lift.column[dart], lift.mate[dart], lift.volt[dart]
    other, first, fixed = owner[mate], base * m - base, vertex >= base
    if fixed:
        for h in range(m):
            near[column + h, first + vertex] = first + vertex if mate == dart else other * m + h
    else:
        row, start, step = max(volt, 0), other * m, 1
        if volt != VOID and other >= base:
            start, step = first + other, 0
        for h in range(m):
            near[column, vertex * m + h] = start + step * right[row, h]


@helper
def _mark(lift: Lift, dart: int, linked: bool) -> None:
    """Set or clear the bits of the nodes that a dart is wired to; a node keeps its own bit."""
    m, near, rows = lift.fold, lift.near, lift.rows
    words = rows.size // near.shape[1]
    vertex, column = lift.owner[dart], lift.column[dart]
    fixed = vertex >= lift.base
    for h in range(m):
        v = lift.base * m - lift.base + vertex if fixed else vertex * m + h
        u = near[column + h if fixed else column, v]
        if u != v:
            bit = np.uint64(1) << np.uint64(u & 63)
            at = v * words + (u >> 6)
            rows[at] = rows[at] | bit if linked else rows[at] & ~bit


@helper
def _rewire(lift: Lift, saved: Int32s, count: int) -> None:
    """Wire darts that have changed."""
    marked = lift.rows.size > 0
    if marked:
        for i in range(count):
            _mark(lift, np.int64(saved[i, 0]), False)
    for i in range(count):
        place(lift, np.int64(saved[i, 0]))
    if marked:
        for i in range(count):
            _mark(lift, np.int64(saved[i, 0]), True)


@kernel
def restore(lift: Lift, saved: Int32s, count: int) -> None:
    """Take a move back."""
    for i in range(count):
        lift.mate[saved[i, 0]] = saved[i, 1]
        lift.volt[saved[i, 0]] = saved[i, 2]
    _rewire(lift, saved, count)


@helper
def _save(lift: Lift, saved: Int32s, count: int, dart: int) -> int:
    for i in range(count):
        if saved[i, 0] == dart:
            return count
    saved[count, 0] = dart
    saved[count, 1] = lift.mate[dart]
    saved[count, 2] = lift.volt[dart]
    return count + 1


@helper
def _doubled(lift: Lift, a: int, b: int, g: int) -> bool:
    """Would a link from dart a, of a vertex of the base graph, to dart b be there twice?"""
    owner, mate, volt, base = lift.owner, lift.mate, lift.volt, lift.base
    u, v = owner[a], owner[b]
    twice = False
    k = a - lift.column[a]
    while k < mate.size and owner[k] == u:
        other = k != a and k != b and volt[k] != VOID
        twice |= other and owner[mate[k]] == v and (v >= base or volt[k] == g)
        k += 1
    return twice


@helper
def _join(lift: Lift, state: UInt64s, a: int, b: int) -> bool:
    """Pair two darts, with a random voltage; False when that is no new link."""
    u, v = lift.owner[a], lift.owner[b]
    if u >= lift.base and v >= lift.base:
        return False
    if lift.side[u] != 0 and lift.side[u] == lift.side[v]:
        return False
    g = 0
    if u < lift.base and v < lift.base:
        for _ in range(_TRIES if lift.fold > 1 else 1):
            g = draw(state, lift.inverse.size)
            if (u != v or lift.inverse[g] != g) and not _doubled(lift, a, b, g):
                break
        else:
            return False
    elif _doubled(lift, a, b, g) if u < lift.base else _doubled(lift, b, a, g):
        return False
    lift.mate[a], lift.mate[b] = b, a
    lift.volt[a], lift.volt[b] = g, lift.inverse[g]
    return True


@helper
def _single(lift: Lift, state: UInt64s, dart: int, void: bool) -> bool:
    """Pair a dart with itself, by a random involution; or leave it void."""
    lift.mate[dart] = dart
    lift.volt[dart] = VOID
    if void:
        return True
    vertex = lift.owner[dart]
    if vertex >= lift.base or lift.involutions.size == 0 or lift.side[vertex] != 0:
        return False
    g = np.int64(lift.involutions[draw(state, lift.involutions.size)])
    if _doubled(lift, dart, dart, g):
        return False
    lift.volt[dart] = g
    return True


@kernel
def propose(lift: Lift, state: UInt64s, saved: Int32s, limited: bool) -> int:
    """Make a random move; returns how many darts it touched, 0 when it was none.

    Half of the moves give a link another voltage (where the group has more than one element); the
    others exchange ends: links a-c and x-y become a-x and c-y, where a dart paired with itself is
    both ends of its link. Where links are limited, some moves take a link away.
    """
    darts = lift.mate.size
    if darts == 0:
        return 0
    a = draw(state, darts)
    c = np.int64(lift.mate[a])
    count = _save(lift, saved, 0, a)
    count = _save(lift, saved, count, c)
    done = False
    kind = draw(state, 16) if lift.fold > 1 else 15
    if kind < 8:
        if a == c:
            done = lift.volt[a] != VOID and _single(lift, state, a, False)
        else:
            done = lift.owner[a] < lift.base and lift.owner[c] < lift.base
            done = done and _join(lift, state, a, c)
    elif kind == 8 and lift.involutions.size > 0:
        done = a != c and _single(lift, state, a, False) and _single(lift, state, c, False)
    elif limited and draw(state, 16) == 0:
        done = a != c and _single(lift, state, a, True) and _single(lift, state, c, True)
    else:
        x = draw(state, darts)
        y = np.int64(lift.mate[x])
        if x != a and x != c:
            count = _save(lift, saved, count, x)
            count = _save(lift, saved, count, y)
            done = _exchange(lift, state, a, c, x, y)
    if not done:
        for i in range(count):
            lift.mate[saved[i, 0]] = saved[i, 1]
            lift.volt[saved[i, 0]] = saved[i, 2]
        return 0
    _rewire(lift, saved, count)
    return count


@helper
def _exchange(lift: Lift, state: UInt64s, a: int, c: int, x: int, y: int) -> bool:
    void = (a == c and lift.volt[a] == VOID) or (x == y and lift.volt[x] == VOID)
    if not _join(lift, state, a, x):
        return False
    if a != c and x != y:
        return _join(lift, state, c, y)
    if a == c and x == y:
        return True
    return _single(lift, state, c if a != c else y, void)


@kernel
def wire(lift: Lift) -> None:
    """Wire all ports."""
    for dart in range(lift.mate.size):
        place(lift, dart)
    n = lift.near.shape[1]
    words = lift.rows.size // n
    lift.rows[:] = 0
    for v in range(n if words else 0):
        lift.rows[v * words + (v >> 6)] |= np.uint64(1) << np.uint64(v & 63)
        for port in range(lift.near.shape[0]):
            u = lift.near[port, v]
            lift.rows[v * words + (u >> 6)] |= np.uint64(1) << np.uint64(u & 63)


@kernel
def scatter(lift: Lift, state: UInt64s, order: Int64s) -> None:
    """Pair the darts as they come; those that make no link with themselves, or not at all."""
    for i in range(0, order.size - 1, 2):
        a, b = order[i], order[i + 1]
        if not _join(lift, state, a, b):
            for dart in (a, b):
                if not _single(lift, state, dart, False):
                    _single(lift, state, dart, True)
    if order.size % 2:
        last = order[order.size - 1]
        if not _single(lift, state, last, False):
            _single(lift, state, last, True)
