"""Exact routing on stacks: a small table for the slice, arithmetic for the loops."""

from __future__ import annotations

from collections.abc import Callable
from math import comb

import numpy as np
from numpy.typing import DTypeLike

from hopscape.core.arrays import IntArray
from hopscape.core.formula import Value, choose, digits, equal, less, lookup, wrapped
from hopscape.core.network import Network, NodeLike
from hopscape.core.router import Router
from hopscape.papers.rpc.wiring import Loop, Stack, digits_of

__all__ = ["StackRouter"]

_BLOCK = 8192  # pairs worked on together: arrays of 64 KiB stay in a cache


class StackRouter(Router):
    """First along the loops, the shorter way (up on a tie), then the canonical path of the slice.

    Its table has one byte per pair of nodes of one slice, whatever the number of slices.
    """

    name = "slice table and rings"

    def __init__(self, network: Network, stack: Stack) -> None:
        super().__init__(network)
        self._stack = stack
        self._flat = stack.slice.distances.ravel()

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return _in_blocks(self._distances, at, to, at.dtype)

    def _distances(self, at: IntArray, to: IntArray) -> IntArray:
        stack, size = self._stack, self._stack.slice.size
        if len(stack.loops) != 1:
            here, place = digits_of(stack, at)
            there, goal = digits_of(stack, to)
            total = self._flat[place * size + goal].astype(at.dtype)
            for loop, a, b in zip(stack.loops, here, there, strict=True):
                total = total + loop.distances((b - a) % loop.size)
            return total
        loop = stack.loops[0]
        slices, goals = at // size, to // size
        place, goal = at - slices * size, to - goals * size
        if at.dtype == object:
            place, goal = place.astype(np.int64), goal.astype(np.int64)
        inside = self._flat[place * size + goal]
        if loop.plain:
            gap = np.abs(goals - slices)
            total = inside + np.minimum(gap, loop.size - gap)
        else:
            total = inside + loop.distances((goals - slices) % loop.size)
        return total

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return _in_blocks(self._next_ports, at, to, np.int64)

    def _next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        stack = self._stack
        here, place = digits_of(stack, at)
        there, goal = digits_of(stack, to)
        out = stack.slice.canonical[place, goal].astype(np.int64)
        first = [stack.slice.ports]
        for loop in stack.loops:
            first.append(first[-1] + 2 * len(loop.steps))
        for i in range(len(stack.loops) - 1, -1, -1):  # the first loop that differs wins
            loop = stack.loops[i]
            gap = (there[i] - here[i]) % loop.size
            if loop.plain:
                out = np.where(gap == 0, out, first[i] + (2 * gap > loop.size))
                continue
            mask = _loop_mask(loop, gap)
            out = np.where(mask.any(axis=1), first[i] + mask.argmax(axis=1), out)
        return out

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        stack, size = self._stack, self._stack.slice.size
        if stack.positions > 1000:
            self._require_route(self.distance(at, to))
        nodes, ports = [at], []
        stride, first = stack.order, stack.slice.ports
        for loop in stack.loops:
            stride //= loop.size
            here = at // stride % loop.size
            corner = nodes[-1] - here * stride
            for port, step in loop.walk((to // stride - here) % loop.size):
                here = (here + step) % loop.size
                nodes.append(corner + here * stride)
                ports.append(first + port)
            first += 2 * len(loop.steps)
        place, goal = at % size, to % size
        corner = nodes[-1] - place
        while place != goal:
            port = int(stack.slice.canonical[place, goal])
            place = int(stack.slice.rows[place, port])
            nodes.append(corner + place)
            ports.append(port)
        return nodes, ports

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        stack = self._stack
        here, place = digits_of(stack, at)
        there, goal = digits_of(stack, to)
        parts = [stack.slice.masks[place, goal]]
        for loop, a, b in zip(stack.loops, here, there, strict=True):
            parts.append(_loop_mask(loop, (b - a) % loop.size))
        return np.concatenate(parts, axis=1)

    def formula(self, at: Value, to: Value) -> Value:
        """The slice from its table, the rings by arithmetic."""
        stack, size = self._stack, self._stack.slice.size
        sides = (*(loop.size for loop in stack.loops), size)
        *here, place = digits(at, sides)
        *there, goal = digits(to, sides)
        pair = (place * size + goal).named("pair", "places in the slice")
        table = stack.slice.canonical.astype(np.int64).ravel()
        port = lookup("slice", table, pair, f"ports inside {stack.slice.name}")
        first = stack.slice.ports + sum(2 * len(loop.steps) for loop in stack.loops)
        for i in range(len(stack.loops) - 1, -1, -1):
            loop = stack.loops[i]
            first -= 2 * len(loop.steps)
            gap = wrapped(there[i] - here[i], loop.size).named(f"gap{i}", f"steps up ring {i}")
            port = choose(equal(gap, 0), port, _loop_port(loop, gap, f"ring{i}") + first)
        return port

    def path_count(self, a: NodeLike, b: NodeLike) -> int:
        """Number of shortest paths from a to b, exact.

        Examples:
            >>> import hopscape
            >>> hopscape.build("rpc(4)").router().path_count((0, 0, 1), (2, 0, 1))
            2
        """
        at, to, _, _ = self._pairs(a, b)
        here, place = digits_of(self._stack, at)
        there, goal = digits_of(self._stack, to)
        count = int(self._stack.slice.counts[place[0], goal[0]])
        hops = int(self._stack.slice.distances[place[0], goal[0]])
        for loop, x, y in zip(self._stack.loops, here, there, strict=True):
            gap = int((y[0] - x[0]) % loop.size)
            far = int(loop.distances(np.asarray([gap], dtype=at.dtype))[0])
            count *= _loop_paths(loop, gap, far) * comb(hops + far, far)
            hops += far
        return count


def _in_blocks(
    serve: Callable[[IntArray, IntArray], IntArray], at: IntArray, to: IntArray, dtype: DTypeLike
) -> IntArray:
    """What is served for all pairs; as many of them at once as fit in a cache."""
    if len(at) <= _BLOCK:
        return serve(at, to)
    out = np.empty(len(at), dtype=dtype)
    for low in range(0, len(at), _BLOCK):
        part = slice(low, low + _BLOCK)
        out[part] = serve(at[part], to[part])
    return out


def _loop_mask(loop: Loop, gap: IntArray) -> IntArray:
    """bool[m, ports of the loop]: does a port begin a shortest path over this gap?"""
    mask = np.zeros((len(gap), 2 * len(loop.steps)), dtype=bool)
    hops = loop.distances(gap)
    for i, (step, up, down) in enumerate(loop.wired):
        if up:
            mask[:, 2 * i] = loop.distances((gap - step) % loop.size) == hops - 1
        if down:
            mask[:, 2 * i + 1] = loop.distances((gap + step) % loop.size) == hops - 1
    return mask


def _loop_port(loop: Loop, gap: Value, name: str) -> Value:
    """The lowest port of a loop that begins a shortest path over a gap."""
    if loop.plain:
        return choose(less(loop.size // 2, gap), 1, 0)
    mask = _loop_mask(loop, np.arange(loop.size, dtype=np.int64))
    return lookup(name, mask.argmax(axis=1), gap, "ports round a ring of several steps")


def _loop_paths(loop: Loop, gap: int, far: int) -> int:
    """Shortest paths round a loop."""
    if loop.plain:
        return 2 if 2 * gap == loop.size and loop.size > 2 else 1
    moves = [step for step, up, _ in loop.wired if up]
    moves += [-step for step, _, down in loop.wired if down]
    count_by_gap = {gap: 1}
    for level in range(far, 0, -1):
        nearer: dict[int, int] = {}
        for at, count in count_by_gap.items():
            for move in moves:
                to = (at - move) % loop.size
                if loop.table[to] == level - 1:
                    nearer[to] = nearer.get(to, 0) + count
        count_by_gap = nearer
    return count_by_gap.get(0, 1)
