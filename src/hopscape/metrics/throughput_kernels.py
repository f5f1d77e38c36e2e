"""Even splitting over all shortest paths: loads, and the share of each pair on one channel.

Paths are counted, and loads added up backwards, as U. Brandes does in "A faster algorithm for
betweenness centrality", 2001.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import Array
from hopscape.core.kernel import helper, kernel


@helper
def _count_paths(
    rindptr: Array,
    rtails: Array,
    target: int,
    dist: Array,
    paths: Array,
    queue: Array,
    steps: Array,
    nodes_of: Array,
) -> tuple[int, int]:
    """Distances to a node and numbers of shortest paths to it.

    Where `steps` has room, steps[k] is a channel on a shortest path, as `rtails` numbers them, and
    nodes_of[k] the node that it leads to; those that lead to nodes near the target come first.

    Returns
    -------
    size, count : int
        Nodes that reach the target, and steps.
    """
    keep = len(steps) > 0
    nodes = len(dist)
    dist[:] = -1
    paths[:] = 0.0
    dist[target] = 0
    paths[target] = 1.0
    queue[0] = target
    done, size, count = 0, 1, 0
    while done < size:
        w = queue[done]
        done += 1
        if size == nodes and dist[w] == dist[queue[size - 1]]:
            break  # nobody is farther than the nodes that are left
        for i in range(rindptr[w], rindptr[w + 1]):
            v = rtails[i]
            if dist[v] < 0:
                dist[v] = dist[w] + 1
                queue[size] = v
                size += 1
            if dist[v] == dist[w] + 1:
                paths[v] += paths[w]
                if keep:
                    steps[count] = i
                    nodes_of[count] = w
                    count += 1
    return size, count


@kernel
def even_loads(rindptr: Array, rtails: Array, rchannels: Array, ends: Array, loads: Array) -> float:
    """Add ends[s] · ends[t] for every two nodes, split evenly over their shortest paths.

    Parameters
    ----------
    rindptr, rtails, rchannels : channels by the node that they lead to: their tails and numbers
    ends : int64[nodes]
    loads : float64[channels]
        What each channel carries is added.

    Returns
    -------
    float
        What all pairs send times their hops; -1 when some pair has no path.
    """
    nodes = len(rindptr) - 1
    dist, queue = np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    steps, nodes_of = np.empty(len(rtails), np.int32), np.empty(len(rtails), np.int32)
    paths, flow, each = np.empty(nodes), np.empty(nodes), np.empty(nodes)
    hops = 0.0
    for target in range(nodes):
        if ends[target] == 0:
            continue
        _, count = _count_paths(rindptr, rtails, target, dist, paths, queue, steps, nodes_of)
        for v in range(nodes):
            if dist[v] < 0 and ends[v] > 0:
                return -1.0
            flow[v] = float(ends[v]) * ends[target]
            hops += flow[v] * dist[v] if ends[v] > 0 else 0.0
            each[v] = 1.0 / paths[v] if paths[v] > 0.0 else 0.0
        for k in range(count - 1, -1, -1):
            i, w = steps[k], nodes_of[k]
            v = rtails[i]
            if flow[v] == 0.0:
                continue
            part = flow[v] * each[v] * paths[w]
            loads[rchannels[i]] += part
            flow[w] += part
    return hops


@kernel
def mean_from(rindptr: Array, rtails: Array, ends: Array, targets: Array) -> float:
    """Mean hops to a few nodes, every other endpoint counted once; -1 when some cannot reach."""
    nodes = len(rindptr) - 1
    dist, queue = np.empty(nodes, np.int32), np.empty(nodes, np.int32)
    none, paths = np.empty(0, np.int32), np.empty(nodes)
    total, count = 0.0, 0.0
    for target in targets:
        _count_paths(rindptr, rtails, target, dist, paths, queue, none, none)
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
    queue, none = np.empty(nodes, np.int32), np.empty(0, np.int32)
    row, count = np.empty(nodes, np.int32), np.empty(nodes)
    for target in range(nodes):
        _count_paths(rindptr, rtails, target, row, count, queue, none, none)
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
