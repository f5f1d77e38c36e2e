"""Concurrent flow by rising lengths: paths that are short now get the next piece of a demand."""

from __future__ import annotations

import heapq

import numpy as np

from hopscape.core.arrays import Array
from hopscape.core.kernel import helper, kernel

_LOOKS = 4
"""Phases between two looks at the upper bound."""


@helper
def _shortest(
    indptr: Array, heads: Array, lengths: Array, start: int, goal: int, dist: Array, via: Array
) -> float:
    """Dijkstra from one node to another; via[v] is the channel by which v is reached.

    Returns:
        float: The distance; infinite when there is no path.
    """
    dist[:] = np.inf
    dist[start] = 0.0
    via[start] = -1
    heap = [(0.0, start)]
    while len(heap):
        far, node = heapq.heappop(heap)
        if node == goal:
            return far
        if far > dist[node]:
            continue
        for channel in range(indptr[node], indptr[node + 1]):
            head = heads[channel]
            length = far + lengths[channel]
            if length < dist[head]:
                dist[head] = length
                via[head] = channel
                heapq.heappush(heap, (length, head))
    return np.inf


@kernel
def _send(
    tails: Array,
    heads: Array,
    speeds: Array,
    via: Array,
    goal: int,
    left: float,
    rate: float,
    lengths: Array,
    flows: Array,
) -> float:
    """Send along the path to the goal what its narrowest channel takes; its channels get longer."""
    piece = left
    node = goal
    while via[node] >= 0:
        piece = min(piece, speeds[via[node]])
        node = tails[via[node]]
    node = goal
    while via[node] >= 0:
        channel = via[node]
        flows[channel] += piece
        lengths[channel] *= 1.0 + rate * piece / speeds[channel]
        node = tails[channel]
    return float(piece)


@kernel
def rising_lengths(
    indptr: Array,
    heads: Array,
    tails: Array,
    speeds: Array,
    pairs: Array,
    demands: Array,
    rate: float,
    gap: float,
    steps: int,
) -> tuple[float, float, int]:
    """Bounds of the maximum concurrent flow, by the algorithm of Garg and Könemann.

    Args:
        indptr, heads, tails, speeds: channels by the node that they leave
        pairs (int64[commodities, 2]): Source and destination of each.
        demands (float64[commodities]): About as much as can flow, so that one phase fills the
            network about once.
        rate: How fast lengths rise: a channel that carries its capacity becomes 1 + rate times as
            long.
        gap: End when the bounds are so near, as a share of the upper one.
        steps: End after looking at so many channels.

    Returns:
        low, high (float): The share of all demands that was sent, and one that no routing exceeds;
            0 when some pair has no path.
        phases (int): How often all demands were sent.
    """
    nodes = len(indptr) - 1
    lengths = 1.0 / speeds
    flows = np.zeros(len(heads))
    dist, via = np.empty(nodes), np.empty(nodes, np.int64)
    low, high, phases, looked = 0.0, np.inf, 0, 0
    while True:
        if phases % _LOOKS == 0 or looked >= steps:
            whole = 0.0
            for j in range(len(demands)):
                whole += demands[j] * _shortest(
                    indptr, heads, lengths, pairs[j, 0], pairs[j, 1], dist, via
                )
            if whole == np.inf:
                return 0.0, 0.0, phases
            weight = float(np.sum(lengths * speeds))
            high = min(high, weight / whole)
            lengths /= weight
            if phases > 0 and (looked >= steps or low >= (1.0 - gap) * high):
                return min(low, high), high, phases
        for j in range(len(demands)):
            left = demands[j]
            while left > 1e-12 * demands[j]:
                _shortest(indptr, heads, lengths, pairs[j, 0], pairs[j, 1], dist, via)
                left -= _send(tails, heads, speeds, via, pairs[j, 1], left, rate, lengths, flows)
                looked += len(heads)
        phases += 1
        low = phases / float(np.max(flows / speeds))
