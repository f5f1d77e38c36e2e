"""Sets of generators made of orbits of a multiplier, improved one orbit at a time.

A multiplier u maps a circulant to itself when its generators are whole orbits of u (a generator
and its negative count as one). There are far fewer such sets than sets, and good ones among them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Array, Int64s, UInt64s
from hopscape.core.grid_kernels import draw
from hopscape.core.kernel import helper, kernel
from hopscape.families.circulant.ball_kernels import first_ball, grow_ball

__all__ = ["OrbitParts", "climb_orbits", "multiplier_orders", "orbits_of"]


@kernel
def multiplier_orders(nodes: int, most: int) -> Int64s:
    """Of each u < N, the least k with u^k = 1 or -1 mod N; 0 where k is above `most`.

    Time O(N · most).
    """
    orders = np.zeros(nodes, np.int64)
    for u in range(1, nodes):
        power = u
        for k in range(1, most + 1):
            if power == 1 or power == nodes - 1:
                orders[u] = k
                break
            power = power * u % nodes
    return orders


@kernel
def orbits_of(nodes: int, u: int, longest: int) -> tuple[Int64s, Int64s]:
    """Orbits of a multiplier on the generators 1 to (N - 1) div 2.

    Args:
        u: It has u^k = 1 or -1 for a k up to `longest`.

    Returns:
        orbits (int64[count, longest]): The least element first, then as u takes it on.
        lengths (int64[count])
    """
    half = (nodes - 1) >> 1
    seen = np.zeros(half + 1, np.bool_)
    orbits = np.zeros((half, longest), np.int64)
    lengths = np.zeros(half, np.int64)
    count = np.int64(0)
    for first in range(1, half + 1):
        if seen[first]:
            continue
        length = np.int64(0)
        s = first
        while not seen[s]:
            seen[s] = True
            orbits[count, length] = s
            length += 1
            s = s * u % nodes
            s = min(s, nodes - s)
        lengths[count] = length
        count += 1
    return orbits[:count], lengths[:count]


@helper
def _within(balls: UInt64s, nodes: int, generators: Int64s, d: int) -> int:
    """How many nodes are at most d away from node 0."""
    for w in range(balls.shape[1]):
        balls[0, w] = np.uint64(0)
    first_ball(balls[0], nodes)
    total = 1
    for r in range(d):
        total = grow_ball(balls[r & 1], balls[1 - (r & 1)], nodes, generators)
    return total


@helper
def _put(generators: Int64s, begin: int, orbit: Int64s, length: int) -> None:
    for i in range(length):
        generators[begin + i] = orbit[i]


class OrbitParts(NamedTuple):
    """The orbits that a set is made of.

    Attributes:
        orbits (int64[count, longest]): By length.
        shape, low, high (int64[parts]): Of each part its length, and the orbits of that length.
    """

    orbits: Array
    shape: Int64s
    low: Int64s
    high: Int64s


@kernel
def climb_orbits(
    nodes: int, d: int, parts: OrbitParts, generators: Int64s, patience: int, state: UInt64s
) -> tuple[int, int]:
    """Exchange one orbit for another of its length as long as not fewer nodes are reached.

    The first orbit stays. Orbits that a set holds already may be drawn; such a set reaches fewer.

    Args:
        parts: What may be exchanged.
        generators (int64[degree div 2, and one more for N/2]): The first orbit, then room for the
            others, then what stays. The best set is left here.
        patience: Exchanges without a gain after which the climb ends.
        state (uint64[1]): Of the random numbers.

    Returns:
        best, looked (int): Nodes at most d away from one of them (N if the diameter is at most d),
            and how many sets were looked at.
    """
    balls = np.zeros((2, ((nodes + 127) >> 6) + 2), np.uint64)
    orbits, shape, low, high = parts
    count = len(shape)
    chosen = np.zeros(count, np.int64)
    begin = np.zeros(count, np.int64)
    for part in range(1, count):
        begin[part] = begin[part - 1] + shape[part - 1]
        chosen[part] = low[part] + draw(state, high[part] - low[part])
        _put(generators, begin[part], orbits[chosen[part]], shape[part])
    best = _within(balls, nodes, generators, d)
    idle = np.int64(0)
    looked = 1
    while best < nodes and count > 1 and idle < patience:
        part = 1 + draw(state, count - 1)
        other = low[part] + draw(state, high[part] - low[part])
        _put(generators, begin[part], orbits[other], shape[part])
        reached = _within(balls, nodes, generators, d)
        idle += 1
        looked += 1
        if reached > best:
            idle = np.int64(0)
        if reached >= best:
            best = reached
            chosen[part] = other
        else:
            _put(generators, begin[part], orbits[chosen[part]], shape[part])
    return best, looked
