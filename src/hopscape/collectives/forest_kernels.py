"""Spanning trees that grow arc by arc, each arc taken only if a flow shows that it may be.

Graphs are given by arcs, as :func:`hopscape.metrics.flow_kernels.largest_flow` takes them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Array
from hopscape.core.kernel import helper, kernel
from hopscape.metrics.flow_kernels import MUCH, largest_flow

__all__ = ["SplitState", "grow_trees", "shorten_trees", "split_off"]


@kernel
def _can_take(
    indptr: Array,
    arcs: Array,
    heads: Array,
    free: Array,
    asks: Array,
    rivals: Array,
    counts: Array,
    at: int,
    to: int,
    most: int,
    left: Array,
) -> int:
    """How many copies of a tree may take an arc without spoiling what other trees need.

    The flow runs from the last node of the graph, which stands for `at` and feeds every root that
    still `asks` for trees and every rival (a tree of the same root at another stage: its copies
    may begin at any of its nodes).
    """
    nodes, stages = len(asks), len(counts)
    top = len(indptr) - 2
    left[:] = 0
    left[: len(free)] = free
    need = np.int64(0)
    first = len(free)
    for v in range(nodes):  # arcs from the top to all nodes
        a = first + 2 * v
        left[a] = MUCH if v == at else asks[v]
        need += asks[v]
    first += 2 * nodes
    for s in range(stages):  # from the top to a rival, from there to its nodes
        left[first + 2 * s] = counts[s]
        need += counts[s]
    first += 2 * stages
    for s in range(stages):
        if counts[s]:
            for v in range(nodes):
                if rivals[s, v]:
                    left[first + 2 * (s * nodes + v)] = MUCH
    return largest_flow(indptr, arcs, heads, left, top, to, need + most) - need


@kernel
def grow_trees(
    indptr: Array,
    arcs: Array,
    heads: Array,
    free: Array,
    asks: Array,
    root: int,
    stages: int,
    found: Array,
    copies: Array,
) -> int:
    """Grow all trees of one root, spanning all nodes; other roots keep what they need.

    Args:
        indptr, arcs, heads: The graph with its helpers: arcs of channels first, then those from the
            top to every node, to every rival, and from every rival to every node.
        free (int64[arcs of channels]): What is left of every channel; taken from.
        asks (int64[nodes]): Trees that other roots still want.
        stages: Trees that may be under way side by side.
        found (int64[room, nodes]): The arc by which a node hangs in each tree; -1 at the root.
        copies (int64[room]): How many trees are like this; `copies[0]` holds the number wanted.

    Returns:
        int: Number of different trees, or -1 when stages or room do not suffice, -2 when it is
            stuck.
    """
    nodes = len(asks)
    order = np.zeros((len(found), nodes), np.int64)
    sizes = np.zeros(len(found), np.int64)
    inside = np.zeros((len(found), nodes), np.bool_)
    left = np.zeros(len(free) + 2 * (nodes + stages + stages * nodes), np.int64)
    rivals = np.zeros((stages, nodes), np.bool_)
    counts = np.zeros(stages, np.int64)
    found[0, :] = -1
    order[0, 0] = root
    sizes[0] = 1
    inside[0, root] = True
    many, at_work = 1, 0
    while at_work < many:
        t = at_work
        if sizes[t] == nodes:
            at_work += 1
            continue
        if many - at_work - 1 > stages:
            return -1
        counts[:] = 0
        for s in range(at_work + 1, many):
            counts[s - at_work - 1] = copies[s]
            rivals[s - at_work - 1] = inside[s]
        grown = False
        for i in range(sizes[t]):
            v = order[t, i]
            for j in range(indptr[v], indptr[v + 1]):
                a = arcs[j]
                if a >= len(free) or (a & 1) or free[a] == 0 or inside[t, heads[a]]:
                    continue
                most = min(free[a], copies[t])
                take = _can_take(
                    indptr, arcs, heads, free, asks, rivals, counts, v, heads[a], most, left
                )
                take = min(take, most)
                if take <= 0:
                    continue
                if take < copies[t]:  # the others go on from here without this arc
                    if many == len(found):
                        return -1
                    found[many] = found[t]
                    order[many] = order[t]
                    sizes[many] = sizes[t]
                    inside[many] = inside[t]
                    copies[many] = copies[t] - take
                    copies[t] = take
                    many += 1
                free[a] -= take
                found[t, heads[a]] = a
                order[t, sizes[t]] = heads[a]
                inside[t, heads[a]] = True
                sizes[t] += 1
                grown = True
                break
            if grown:
                break
        if not grown:
            return -2
    return many


@kernel
def shorten_trees(
    tails: Array, first: Array, by_head: Array, arc: Array, free: Array, roots: Array, passes: int
) -> Array:
    """Hang nodes nearer to the root: by free arcs, or by exchanging arcs between two trees.

    Args:
        tails (int64[arcs]): Where each arc starts.
        first, by_head: The arcs into node v are ``by_head[first[v]:first[v + 1]]``.
        arc (int64[trees, nodes]): The arc by which each node hangs, -1 at the root; changed.
        free (int64[arcs]): What the trees leave of each arc; changed.
        roots: int64[trees]

    Returns:
        depth: int64[trees, nodes]
    """
    trees, nodes = arc.shape
    depth = np.zeros((trees, nodes), np.int64)
    for t in range(trees):
        _measure(tails, arc[t], depth[t], roots[t])
    inside = np.zeros((2, nodes), np.bool_)
    for _ in range(passes):
        better = False
        for v in range(nodes):
            for t in range(trees):
                if v == roots[t]:
                    continue
                best, chosen = depth[t, v] - 1, np.int64(-1)
                for j in range(first[v], first[v + 1]):
                    a = by_head[j]
                    if free[a] > 0 and depth[t, tails[a]] < best:
                        best, chosen = depth[t, tails[a]], a
                if chosen >= 0:
                    free[arc[t, v]] += 1
                    free[chosen] -= 1
                    arc[t, v] = chosen
                    _measure(tails, arc[t], depth[t], roots[t])
                    better = True
            for t in range(trees):
                for s in range(t + 1, trees):
                    if v == roots[t] or v == roots[s]:
                        continue
                    a, b = arc[t, v], arc[s, v]
                    up = depth[t, tails[b]] + 1 - depth[t, v]
                    down = depth[s, tails[a]] + 1 - depth[s, v]
                    if tails[a] == tails[b] or (up >= 0 and down >= 0):
                        continue
                    _below(tails, arc[t], depth[t], v, inside[0])
                    _below(tails, arc[s], depth[s], v, inside[1])
                    if inside[0, tails[b]] or inside[1, tails[a]]:
                        continue
                    gain = np.int64(0)
                    for u in range(nodes):
                        if inside[0, u]:
                            gain += depth[t, u] ** 4 - (depth[t, u] + up) ** 4
                        if inside[1, u]:
                            gain += depth[s, u] ** 4 - (depth[s, u] + down) ** 4
                    if gain > 0:
                        arc[t, v], arc[s, v] = b, a
                        for u in range(nodes):
                            if inside[0, u]:
                                depth[t, u] += up
                            if inside[1, u]:
                                depth[s, u] += down
                        better = True
        if not better:
            break
    return depth


@kernel
def _measure(tails: Array, arc: Array, depth: Array, root: int) -> None:
    """The depth of every node of a tree."""
    for v in range(len(arc)):
        depth[v] = -1
    depth[root] = 0
    for v in range(len(arc)):
        hops, u = np.int64(0), np.int64(v)
        while depth[u] < 0:
            hops += 1
            u = tails[arc[u]]
        total = depth[u] + hops
        u = np.int64(v)
        while depth[u] < 0:
            depth[u] = total
            total -= 1
            u = tails[arc[u]]


@kernel
def _below(tails: Array, arc: Array, depth: Array, top: int, inside: Array) -> None:
    """Mark a node and all that hang from it."""
    for v in range(len(arc)):
        u = np.int64(v)
        while depth[u] > depth[top]:
            u = tails[arc[u]]
        inside[v] = u == top


class SplitState(NamedTuple):
    """A switch and its arcs, with helpers for cuts between it and its neighbours.

    Edges come in this order: from the i-th neighbour inwards past the switch to the j-th outwards
    (i-th row, j-th column); neighbours to the switch; the switch to neighbours; from the top to
    each of `near` and the switch; from these to the drain; from the drain to each sink; others.

    Attributes:
        indptr, arcs, heads, room: The graph; room of what is split off moves past the switch.
        into, out, near (int64[...]): Neighbours; those of one of the two kinds, sorted.
        sinks: Where all trees must come to.
        top: What feeds the roots.
        wanted: Trees.
    """

    indptr: Array
    arcs: Array
    heads: Array
    room: Array
    into: Array
    out: Array
    near: Array
    sinks: Array
    top: int
    wanted: int


@helper
def _over(at: SplitState, u: int, v: int, most: int, left: Array, turn: Array) -> int:
    """How much of the way from u past the switch to v can go: what the narrowest cut has over.

    Concerned are cuts with u and v on one side and the switch on the other. What was narrow before
    is tried first.
    """
    width, middle = len(at.near) + 1, len(at.near)
    feeds = len(at.into) * len(at.out) + len(at.into) + len(at.out)
    first, second = np.searchsorted(at.near, u), np.searchsorted(at.near, v)
    drains, ends = feeds + width, feeds + 2 * width
    for side in range(2):
        for k in range(len(turn)):
            sink = at.sinks[turn[k]]
            if side == 0 and sink in (u, v):
                continue
            left[:] = at.room
            near, distant = (feeds, drains) if side == 0 else (drains, feeds)
            left[2 * (near + first)] = MUCH
            left[2 * (near + second)] = MUCH
            left[2 * (distant + middle)] = MUCH
            left[2 * (ends + turn[k])] = MUCH
            limit = at.wanted + most
            flow = largest_flow(at.indptr, at.arcs, at.heads, left, at.top, sink, limit)
            most = min(most, flow - at.wanted)
            if most <= 0:
                found = turn[k]
                for back in range(k, 0, -1):
                    turn[back] = turn[back - 1]
                turn[0] = found
                return 0
    return int(most)


@kernel
def split_off(at: SplitState, j: int) -> Array:
    """Room on the ways from all neighbours past a switch to its j-th that can be split off it.

    One after the other, as much as leaves every cut wide enough for all trees (Bang-Jensen, Frank
    and Jackson 1995). Two flows to each sink for each way at most; O(arcs) memory.
    """
    many, columns = len(at.into), len(at.out)
    out = np.zeros(many, np.int64)
    left = np.empty_like(at.room)
    turn = np.arange(len(at.sinks))
    v, down = at.out[j], 2 * (many * columns + many + j)
    for i in range(many):
        u, up = at.into[i], 2 * (many * columns + i)
        most = min(at.room[up], at.room[down])
        if most == 0 or u == v:
            continue
        most = _over(at, u, v, most, left, turn)
        out[i] = most
        at.room[up] -= most
        at.room[down] -= most
        at.room[2 * (i * columns + j)] += most
    return out
