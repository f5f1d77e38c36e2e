"""Flows: disjoint paths, connectivity, and largest flows with capacities.

Three questions, and a kernel for each:

- *How many disjoint paths are there?* (:func:`least_flow`) Unit flows between many pairs of nodes,
  each of at most the degree: searches from both ends for one path after the other, which visit two
  small balls and leave the rest of the graph alone. Dinic's algorithm looks at every arc for every
  pair; it took 3 to 98 times as long on tori, meshes, hypercubes and random graphs of 64 to 1,024
  nodes.
- *Which are the shortest?* (:func:`disjoint_paths`) Flows of least cost, by Bellman and Ford.
- *How much goes through?* (:func:`largest_flow`) Any capacities, by Dinic (1970): flows of as many
  units as there are nodes take few phases.

The first two work on a *residual network*: the channels of the graph as arcs of capacity one, each
paired with an opposite arc of capacity zero. For node-disjoint paths a node ``v`` is split into an
entry ``2 v`` and an exit ``2 v + 1`` joined by one inner arc of capacity one.

In a duplex graph, paths that share no link in either direction are wanted. The directed flow
answers that as well: if two paths use the two opposite channels of one link, exchanging their
tails gives two paths that use neither, so the opposite flows cancel and the maximum is the same.

For the third a graph is given by arcs: arcs ``a`` and ``a ^ 1`` are opposite, ``heads[a]`` is where
arc ``a`` leads, and the arcs that leave node ``v`` are ``arcs[indptr[v]:indptr[v + 1]]``.
Capacities are an array by arc that a flow turns into what is left.
"""

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Array, Bools, Int8s, Int32s, Int64s
from hopscape.core.distance_kernels import live_distances
from hopscape.core.kernel import helper, kernel

_INNER = -1  # the label of arcs that are no channel: entry to exit of one node
_FAR = np.int32(2**30)
MUCH = 1 << 60
"""More than any sum of capacities."""


class FlowNetwork(NamedTuple):
    """A residual network in CSR form.

    Attributes:
        indptr, heads: The arcs out of each network node, backward arcs included.
        partner: The opposite arc of each arc.
        capacity: The free capacity of each arc when there is no flow: 1 forward, 0 backward.
        label: The channel ``c`` behind a forward arc, ``-2 - c`` on its backward arc, ``-1`` on the
            inner arcs of split nodes.
        split: Whether nodes are split, that is, whether paths must be node-disjoint.
    """

    indptr: Int64s
    heads: Int32s
    partner: Int32s
    capacity: Int8s
    label: Int32s
    split: bool


class _Search(NamedTuple):
    """Working memory: marks, the arcs by which nodes are reached, the queues from both ends."""

    mark: Int32s
    via: Int32s
    front: Int32s
    back: Int32s


@kernel
def _ends(indptr: Int64s, heads: Int32s, split: bool) -> tuple[Int32s, Int32s, Int32s]:
    """List the tail, head and label of every forward arc of the network."""
    n = indptr.size - 1
    count = heads.size + (n if split else 0)
    tail = np.empty(count, np.int32)
    head = np.empty(count, np.int32)
    label = np.empty(count, np.int32)
    for v in range(n):
        for c in range(indptr[v], indptr[v + 1]):
            tail[c] = 2 * v + 1 if split else v
            head[c] = 2 * heads[c] if split else heads[c]
            label[c] = c
    if split:
        for v in range(n):
            tail[heads.size + v] = 2 * v
            head[heads.size + v] = 2 * v + 1
            label[heads.size + v] = _INNER
    return tail, head, label


@kernel(steps=lambda indptr, heads, *_: 8 * (len(indptr) + len(heads)))
def residual_network(indptr: Int64s, heads: Int32s, node_disjoint: bool) -> FlowNetwork:
    """Build the residual network of a directed multigraph.

    Args:
        indptr, heads: The graph in CSR form; loops and parallel channels are allowed.
        node_disjoint: Whether to split the nodes.

    Returns:
        Network: Shared by all flows on the graph; no kernel changes it.
    """
    nodes = (indptr.size - 1) * (2 if node_disjoint else 1)
    tail, head, name = _ends(indptr, heads, node_disjoint)
    start = np.zeros(nodes + 1, np.int64)
    for k in range(tail.size):
        start[tail[k] + 1] += 1
        start[head[k] + 1] += 1
    for v in range(nodes):
        start[v + 1] += start[v]
    place = start[:-1].copy()
    to = np.empty(2 * tail.size, np.int32)
    partner = np.empty(2 * tail.size, np.int32)
    capacity = np.zeros(2 * tail.size, np.int8)
    label = np.empty(2 * tail.size, np.int32)
    for k in range(tail.size):
        a = place[tail[k]]
        place[tail[k]] += 1
        b = place[head[k]]
        place[head[k]] += 1
        to[a], to[b] = head[k], tail[k]
        partner[a], partner[b] = b, a
        capacity[a] = 1
        label[a] = name[k]
        label[b] = _INNER if name[k] == _INNER else -2 - name[k]
    return FlowNetwork(start, to, partner, capacity, label, node_disjoint)


@helper
def _terminals(network: FlowNetwork, source: int, target: int) -> tuple[int, int]:
    """Give the network nodes a flow leaves and reaches: an exit and an entry if split."""
    if network.split:
        return 2 * source + 1, 2 * target
    return source, target


@helper
def _meet(
    network: FlowNetwork, cap: Int8s, start: int, end: int, stamp: int, search: _Search
) -> int:
    """Search from both ends for an augmenting path; give the arc where they meet, or -1.

    Nodes seen from the start are marked ``2 stamp``, from the end ``2 stamp + 1``, so nothing
    needs clearing between searches. Two balls of half the radius are much smaller than one.
    """
    mark, via, front, back = search
    ahead, behind = 2 * stamp, 2 * stamp + 1
    mark[start], mark[end] = ahead, behind
    front[0], back[0] = start, end
    first, last, low, high = 0, 1, 0, 1
    while first < last and low < high:
        v = front[first]
        first += 1
        for a in range(network.indptr[v], network.indptr[v + 1]):
            w = network.heads[a]
            if cap[a] == 0 or mark[w] == ahead:
                continue
            if mark[w] == behind:
                return int(a)
            mark[w], via[w] = ahead, a
            front[last] = w
            last += 1
        v = back[low]
        low += 1
        for a in range(network.indptr[v], network.indptr[v + 1]):
            w, into = network.heads[a], network.partner[a]
            if cap[into] == 0 or mark[w] == behind:
                continue
            if mark[w] == ahead:
                return int(into)
            mark[w], via[w] = behind, into
            back[high] = w
            high += 1
    return -1


@helper
def _push_arc(network: FlowNetwork, cap: Int8s, arc: int, trail: Int32s, size: int) -> int:
    """Send one unit along an arc and note it, as long as there is room, in the trail."""
    cap[arc] -= 1
    cap[network.partner[arc]] += 1
    if size < trail.size:
        trail[size] = arc
    return size + 1


@helper
def _push_both(
    network: FlowNetwork,
    cap: Int8s,
    start: int,
    end: int,
    arc: int,
    via: Int32s,
    trail: Int32s,
    size: int,
) -> int:
    """Send one unit along the path that `_meet` found through ``arc``; give the trail's size."""
    size = _push_arc(network, cap, arc, trail, size)
    v = network.heads[network.partner[arc]]
    while v != start:
        size = _push_arc(network, cap, np.int64(via[v]), trail, size)
        v = network.heads[network.partner[via[v]]]
    v = network.heads[arc]
    while v != end:
        size = _push_arc(network, cap, np.int64(via[v]), trail, size)
        v = network.heads[via[v]]
    return size


@helper
def _clear(network: FlowNetwork, cap: Int8s, trail: Int32s, size: int) -> None:
    """Take back all flow: along the trail if it is complete, else everywhere."""
    if size > trail.size:
        for a in range(cap.size):
            cap[a] = network.capacity[a]
        return
    for k in range(size):
        a = trail[k]
        b = network.partner[a]
        cap[a], cap[b] = network.capacity[a], network.capacity[b]


@kernel
def least_flow(network: FlowNetwork, pairs: Int32s, best: int) -> int:
    """Find the least number of disjoint paths over some ordered pairs of nodes.

    Args:
        network: What `residual_network` built.
        pairs: The pairs to try, one per row; a slice of what `edge_connectivity_pairs` or
            `node_connectivity_pairs` gives, so that a caller can report between slices.
        best: The least number known so far; no flow is followed beyond it.

    Returns:
        int: The least of ``best`` and the flows of all pairs.
    """
    nodes = network.indptr.size - 1
    mark = np.full(nodes, -1, np.int32)
    via = np.empty(nodes, np.int32)
    search = _Search(mark, via, np.empty(nodes, np.int32), np.empty(nodes, np.int32))
    cap = network.capacity.copy()
    trail = np.empty(1024, np.int32)
    stamp = size = np.int64(0)
    for k in range(pairs.shape[0]):
        if best == 0:
            break
        if pairs[k, 0] == pairs[k, 1]:
            continue
        start, end = _terminals(network, pairs[k, 0], pairs[k, 1])
        _clear(network, cap, trail, size)
        flow, size = 0, np.int64(0)
        while flow < best:
            if stamp == 2**29:  # marks would overflow: begin again with clean ones
                mark[:] = -1
                stamp = np.int64(0)
            arc = _meet(network, cap, start, end, stamp, search)
            stamp += 1
            if arc < 0:
                break
            size = _push_both(network, cap, start, end, arc, via, trail, size)
            flow += 1
        best = min(best, flow)
    return best


@kernel
def _cheapest(
    network: FlowNetwork,
    cap: Int8s,
    start: int,
    dist: Int32s,
    via: Int32s,
    queue: Int32s,
    queued: Bools,
) -> None:
    """Compute least costs from ``start`` in the residual network by queued Bellman-Ford.

    A channel costs 1, undoing one costs -1, an inner arc 0. There is no negative cycle, as the
    flow so far is a cheapest one of its value.
    """
    dist[:] = _FAR
    dist[start] = 0
    queue[0] = start
    queued[start] = True
    size, first = 1, 0
    while size > 0:
        v = queue[first]
        first = (first + 1) % queue.size
        size -= 1
        queued[v] = False
        for a in range(network.indptr[v], network.indptr[v + 1]):
            if cap[a] == 0:
                continue
            w, label = network.heads[a], network.label[a]
            cost = 0 if label == _INNER else (1 if label >= 0 else -1)
            if dist[v] + cost < dist[w]:
                dist[w] = dist[v] + cost
                via[w] = a
                if not queued[w]:
                    queued[w] = True
                    queue[(first + size) % queue.size] = w
                    size += 1


@kernel
def _cheapest_flow(
    network: FlowNetwork, cap: Int8s, start: int, end: int, count: int
) -> tuple[int, int]:
    """Send up to ``count`` units at least total cost; give the number sent and the cost."""
    nodes = network.indptr.size - 1
    dist = np.empty(nodes, np.int32)
    via = np.empty(nodes, np.int32)
    queue = np.empty(nodes, np.int32)
    queued = np.zeros(nodes, np.bool_)
    total = 0
    for found in range(count):
        _cheapest(network, cap, start, dist, via, queue, queued)
        if dist[end] == _FAR:
            return found, total
        total += dist[end]
        v = end
        while v != start:
            a = via[v]
            cap[a] -= 1
            cap[network.partner[a]] += 1
            v = network.heads[network.partner[a]]
    return count, total


@kernel
def _read_paths(
    network: FlowNetwork, cap: Int8s, start: int, end: int, found: int, total: int
) -> tuple[Int32s, Int64s]:
    """Take a cheapest flow apart into paths, in the order of the first channels.

    A cheapest flow holds no directed cycle (leaving one out would be cheaper), so following
    used arcs blindly gives simple paths, and never both channels of one link.
    """
    channels = np.empty(total, np.int32)
    offsets = np.zeros(found + 1, np.int64)
    size = 0
    for k in range(found):
        v = start
        while v != end:
            a = network.indptr[v]
            while network.capacity[a] == 0 or cap[a] != 0:
                a += 1
            cap[a] = 1  # read: not to be used by the next path
            if network.label[a] >= 0:
                channels[size] = network.label[a]
                size += 1
            v = network.heads[a]
        offsets[k + 1] = size
    return channels, offsets


@kernel
def _by_length(offsets: Int64s) -> Int64s:
    """Order the paths by length, equally long ones as they are; they are few."""
    order = np.arange(offsets.size - 1)
    for k in range(1, order.size):
        path = order[k]
        length = offsets[path + 1] - offsets[path]
        while k > 0 and offsets[order[k - 1] + 1] - offsets[order[k - 1]] > length:
            order[k] = order[k - 1]
            k -= 1
        order[k] = path
    return order


@kernel
def disjoint_paths(
    indptr: Int64s, heads: Int32s, source: int, target: int, node_disjoint: bool, count: int
) -> tuple[int, Int32s, Int64s]:
    """Find disjoint directed paths of least total length.

    Args:
        indptr, heads: The graph in CSR form; loops and parallel channels are allowed.
        source, target: The two nodes; there are no paths from a node to itself.
        node_disjoint: Whether paths may share no inner node, or only no channel (in a duplex graph:
            no link). Each of several direct channels is a path of its own in either sense.
        count: How many paths to find; fewer are found if no more exist.

    Returns:
        found (int): The number of paths. No other set of this many disjoint paths is shorter in
            total.
        channels (ndarray of int32): The channels of all paths, one path after the other, short
            paths first.
        offsets (ndarray of int64): Path ``k`` is ``channels[offsets[k] : offsets[k + 1]]``.
    """
    if source == target or count <= 0:
        return 0, np.empty(0, np.int32), np.zeros(1, np.int64)
    network = residual_network(indptr, heads, node_disjoint)
    start, end = _terminals(network, source, target)
    cap = network.capacity.copy()
    found, total = _cheapest_flow(network, cap, start, end, count)
    channels, offsets = _read_paths(network, cap, start, end, found, total)
    order = _by_length(offsets)
    sorted_channels = np.empty_like(channels)
    sorted_offsets = np.zeros_like(offsets)
    for k in range(found):
        low, high = offsets[order[k]], offsets[order[k] + 1]
        sorted_offsets[k + 1] = sorted_offsets[k] + high - low
        sorted_channels[sorted_offsets[k] : sorted_offsets[k + 1]] = channels[low:high]
    return found, sorted_channels, sorted_offsets


# -- capacities ---------------------------------------------------------------------------------


@kernel
def largest_flow(
    indptr: Array, arcs: Array, heads: Array, left: Array, source: int, sink: int, limit: int
) -> int:
    """Push as much as goes from source to sink, at most `limit`; `left` keeps what remains.

    Blocking flows in the layers of a breadth-first search (Dinic 1970): O(nodes² · arcs) time at
    most, O(nodes) memory.
    """
    n = len(indptr) - 1
    level, queue = np.empty(n, np.int32), np.empty(n, np.int32)
    place, trail = np.empty(n, np.int64), np.empty(n, np.int64)
    total = np.int64(0)
    while total < limit:
        live_distances(indptr, arcs, heads, left, source, level, queue)
        if level[sink] < 0:
            break
        for u in range(n):
            place[u] = indptr[u]
        v, depth = source, 0
        while total < limit:
            if v == sink:
                least = np.int64(limit - total)
                for i in range(depth):
                    least = min(least, left[trail[i]])
                for i in range(depth):
                    left[trail[i]] -= least
                    left[trail[i] ^ 1] += least
                total += least
                v, depth = source, 0
                continue
            while place[v] < indptr[v + 1]:
                a = arcs[place[v]]
                if left[a] > 0 and level[heads[a]] == level[v] + 1:
                    break
                place[v] += 1
            if place[v] < indptr[v + 1]:
                trail[depth] = arcs[place[v]]
                depth += 1
                v = heads[trail[depth - 1]]
            elif v == source:
                break
            else:
                depth -= 1
                v = heads[trail[depth] ^ 1]
                place[v] += 1
    return int(total)


@kernel
def source_side(indptr: Array, arcs: Array, heads: Array, left: Array, source: int) -> Array:
    """Nodes on the source's side of the cut that a largest flow leaves."""
    n = len(indptr) - 1
    level, queue = np.empty(n, np.int32), np.empty(n, np.int32)
    live_distances(indptr, arcs, heads, left, source, level, queue)
    return level >= 0


@kernel
def least_flow_to(
    indptr: Array,
    arcs: Array,
    heads: Array,
    left: Array,
    source: int,
    sinks: Array,
    limit: int,
    floor: int,
) -> int:
    """The least of the largest flows from the source to each sink, at most `limit`.

    `left` is not changed. Ends at the first sink that less than `floor` comes to.
    """
    least = np.int64(limit)
    for sink in sinks:
        least = min(least, largest_flow(indptr, arcs, heads, left.copy(), source, sink, least))
        if least < floor:
            break
    return int(least)
