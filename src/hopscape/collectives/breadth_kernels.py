"""Breadth-first broadcasts of all nodes at once, balanced step by step (numba)."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import Incoming, IntArray
from hopscape.core.kernel import kernel


@kernel
def _shift(load, limit, count, allowed, chosen, start):  # type: ignore[no-untyped-def]
    """Make room at one of the lanes of unit `start` by moving others; the lane, or -1.

    A search over lanes: lane a leads to lane b if a unit at a may be at b.
    """
    lanes = len(load)
    came = np.full(lanes, -2, np.int64)
    mover = np.full(lanes, -1, np.int64)
    queue = np.empty(lanes, np.int64)
    head, tail = 0, 0
    for a in range(lanes):
        if allowed[start, a]:
            came[a] = -1
            queue[tail] = a
            tail += 1
    while head < tail:
        a = queue[head]
        head += 1
        if load[a] < limit[a]:
            while came[a] >= 0:  # move one unit along every step of the way
                before = came[a]
                chosen[mover[a]] = a
                load[a] += 1
                load[before] -= 1
                a = before
            return a
        for i in range(count):
            if chosen[i] != a:
                continue
            for b in range(lanes):
                if allowed[i, b] and came[b] == -2:
                    came[b] = a
                    mover[b] = i
                    queue[tail] = b
                    tail += 1
    return -1


@kernel
def balance(allowed: IntArray, room: IntArray) -> tuple[int, IntArray]:
    """Give every unit a lane it may use, such that the fullest lane is as empty as possible.

    Args:
        allowed (bool[units, lanes]): Every unit may use at least one lane.
        room (int64[lanes]): What a lane takes in a round.

    Returns:
        rounds (int): The least number of rounds in which the lanes can take all units.
        chosen: int64[units]
    """
    count, lanes = allowed.shape
    load = np.zeros(lanes, np.int64)
    chosen = np.full(count, -1, np.int64)
    rounds = max(1, -(-count // max(1, room.sum()))) if count else 0
    for i in range(count):
        while True:
            a = _shift(load, rounds * room, i, allowed, chosen, i)
            if a >= 0:
                break
            rounds += 1
        chosen[i] = a
        load[a] += 1
    return rounds, chosen


@kernel(steps=lambda incoming, room, distance, pieces, parent, rounds: 40 * parent.size)
def breadth_first_trees(
    incoming: Incoming,
    room: IntArray,
    distance: IntArray,
    pieces: int,
    parent: IntArray,
    rounds: IntArray,
) -> None:
    """Shortest-path trees of all roots, the channels into every node shared evenly in each step.

    Args:
        distance: uint8 or more, shape (roots, nodes)
        parent (int32[roots * pieces, nodes]): Filled: the channel by which each piece of a root
            comes to a node.
        rounds (int64[steps + 1]): Raised: rounds that step t needs at the worst node.
    """
    tails, start, into = incoming
    roots, nodes = distance.shape
    for v in range(nodes):
        low, high = start[v], start[v + 1]
        for t in range(1, len(rounds)):
            count = 0
            for r in range(roots):
                count += distance[r, v] == t
            if count == 0:
                continue
            allowed = np.zeros((count * pieces, high - low), np.bool_)
            whose = np.empty(count * pieces, np.int64)
            i = 0
            for r in range(roots):
                if distance[r, v] == t:
                    for p in range(pieces):
                        whose[i] = r * pieces + p
                        for j in range(low, high):
                            allowed[i, j - low] = distance[r, tails[into[j]]] == t - 1
                        i += 1
            need, chosen = balance(allowed, room[into[low:high]])
            rounds[t] = max(rounds[t], need)
            for i in range(len(whose)):
                parent[whose[i], v] = into[low + chosen[i]]
