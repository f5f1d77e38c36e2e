"""Even splitting over all shortest paths: loads, and the share of each pair on one channel.

Paths are counted, and loads added up backwards, as U. Brandes does in "A faster algorithm for
betweenness centrality", 2001.

Concurrent flow by rising lengths: paths that are short now get the next piece of a demand.
"""

from __future__ import annotations

import heapq

import numpy as np

from hopscape.core.arrays import Array
from hopscape.core.kernel import helper, kernel


@helper(_nrt=False)
def _count_paths(
    rindptr: Array, rtails: Array, target: int, dist: Array, paths: Array, queue: Array
) -> int:
    """Distances to a node and numbers of shortest paths to it; -1 and 0 where there is none.

    The inner loop has no branches, which nobody could predict: every neighbour is written behind
    the queue, which has room for one more than all nodes, and stays there when it is new. Unsigned
    numbers of nodes spare the question whether an index counts from the end.

    Returns:
        int: How many nodes of the queue, nearest first, have farther neighbours.
    """
    nodes = len(dist)
    dist[:] = -1
    paths[:] = 0.0
    dist[target] = 0
    paths[target] = 1.0
    queue[0] = target
    done, size = 0, 1
    while done < size:
        w = queue[done]
        if size == nodes and dist[w] == dist[queue[size - 1]]:
            break  # nobody is farther than the nodes that are left
        done += 1
        farther, ways = dist[w] + 1, paths[w]
        for i in range(rindptr[w], rindptr[w + 1]):
            v = rtails[i]
            at = dist[v]
            fresh = at < 0
            queue[size] = v
            size += fresh
            at = farther if fresh else at
            dist[v] = at
            before = paths[v]
            after = before + ways
            paths[v] = after if at == farther else before
    return done


@kernel(error_model="numpy")
def even_loads(rindptr: Array, rtails: Array, ends: Array, loads: Array) -> float:
    """Add ends[s] · ends[t] for every two nodes, split evenly over their shortest paths.

    Args:
        rindptr, rtails: channels by the node that they lead to: their tails
        ends: int64[nodes]
        loads (float64[channels]): What each channel carries is added.

    Returns:
        float: What all pairs send times their hops; -1 when some pair has no path, infinite when
            one has too many to be counted.
    """
    nodes = len(rindptr) - 1
    dist, queue = np.empty(nodes, np.int32), np.empty(nodes + 1, np.uint32)
    paths, each = np.empty(nodes), np.empty(nodes)
    hops = 0.0
    for target in range(nodes):
        if ends[target] == 0:
            continue
        done = _count_paths(rindptr, rtails, target, dist, paths, queue)
        for v in range(nodes):
            if dist[v] < 0 and ends[v] > 0:
                return -1.0
            if paths[v] == np.inf:
                return np.inf
            flow = float(ends[v]) * ends[target]
            hops += flow * dist[v] if ends[v] > 0 else 0.0
            each[v] = flow / paths[v] if paths[v] > 0.0 else 0.0
        for k in range(done - 1, -1, -1):
            each[queue[k]] += _gathered(rindptr, rtails, queue[k], dist, paths, each, loads)
    return hops


@helper(_nrt=False)
def _gathered(
    rindptr: Array,
    rtails: Array,
    node: int,
    dist: Array,
    paths: Array,
    each: Array,
    loads: Array,
) -> float:
    """What comes in from the nodes one hop farther, for each path of theirs; added to `loads`."""
    total, farther, ways = 0.0, dist[node] + 1, paths[node]
    for i in range(rindptr[node], rindptr[node + 1]):
        v = rtails[i]
        share = each[v]
        share = share if dist[v] == farther else 0.0
        loads[i] += share * ways
        total += share
    return total


@kernel
def mean_from(rindptr: Array, rtails: Array, ends: Array, targets: Array) -> float:
    """Mean hops to a few nodes, every other endpoint counted once; -1 when some cannot reach."""
    nodes = len(rindptr) - 1
    dist, queue = np.empty(nodes, np.int32), np.empty(nodes + 1, np.uint32)
    paths = np.empty(nodes)
    total, count = 0.0, 0.0
    for target in targets:
        _count_paths(rindptr, rtails, target, dist, paths, queue)
        for v in range(nodes):
            if ends[v] > 0 and dist[v] < 0:
                return -1.0
            total += float(ends[v]) * dist[v] if ends[v] > 0 else 0.0
            count += ends[v]
        count -= 1
    return total / count if count else 0.0


@kernel
def path_counts(rindptr: Array, rtails: Array, dist: Array, paths: Array) -> None:
    """Fill dist[v, t] and the number of shortest paths[v, t]; -1 and 0 where there is none."""
    nodes = len(rindptr) - 1
    queue = np.empty(nodes + 1, np.uint32)
    row, count = np.empty(nodes, np.int32), np.empty(nodes)
    for target in range(nodes):
        _count_paths(rindptr, rtails, target, row, count, queue)
        dist[:, target] = row
        paths[:, target] = count


@kernel
def channel_shares(
    dist: Array, paths: Array, tail: int, head: int, sources: Array, out: Array
) -> None:
    """Fill out[i, j]: the share of what sources[i] sends to sources[j] that takes one channel."""
    for i in range(len(sources)):
        s = sources[i]
        for j in range(len(sources)):
            t = sources[j]
            out[i, j] = 0.0
            near, far = dist[s, tail], dist[head, t]
            if s != t and near >= 0 and far >= 0 and near + 1 + far == dist[s, t]:
                out[i, j] = paths[s, tail] * paths[head, t] / paths[s, t]


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
