"""Connectivity of a whole graph: the least flow over the pairs of nodes that matter."""

import numpy as np

from hopscape.core.arrays import Int32s, Int64s
from hopscape.core.kernel import kernel
from hopscape.metrics.flow_kernels import least_flow, residual_network


@kernel(steps=lambda indptr, heads, *_: len(indptr) + len(heads))
def edge_connectivity_bound(indptr: Int64s, heads: Int32s) -> int:
    """Bound the edge connectivity by the least number of channels into or out of a node.

    Parallel channels count, loops do not. A graph of fewer than two nodes has bound 0.
    """
    n = indptr.size - 1
    if n < 2:
        return 0
    out = np.zeros(n, np.int64)
    into = np.zeros(n, np.int64)
    for v in range(n):
        for c in range(indptr[v], indptr[v + 1]):
            if heads[c] != v:
                out[v] += 1
                into[heads[c]] += 1
    return int(min(out.min(), into.min()))


@kernel(steps=lambda n, duplex: n)
def edge_connectivity_pairs(n: int, duplex: bool) -> Int32s:
    """List the ordered pairs whose flows decide the edge connectivity.

    On the way round 0, 1, ..., n - 1, 0 every cut of the nodes is crossed, from its one side to
    its other side, by some step; so the steps are enough: n flows where all pairs with node 0
    would take 2 n - 2. In a duplex graph the last step back to 0 is not needed.
    """
    count = max(n - 1, 0) if duplex or n < 2 else n
    pairs = np.empty((count, 2), np.int32)
    for k in range(count):
        pairs[k, 0] = k
        pairs[k, 1] = (k + 1) % n
    return pairs


@kernel
def _simple_degrees(indptr: Int64s, heads: Int32s) -> tuple[Int64s, Int64s]:
    """Count the distinct other nodes after and before each node."""
    n = indptr.size - 1
    after = np.zeros(n, np.int64)
    before = np.zeros(n, np.int64)
    seen = np.full(n, -1, np.int64)
    for v in range(n):
        seen[v] = v
        for c in range(indptr[v], indptr[v + 1]):
            if seen[heads[c]] != v:
                seen[heads[c]] = v
                after[v] += 1
                before[heads[c]] += 1
    return after, before


@kernel(steps=lambda indptr, heads, *_: len(indptr) + len(heads))
def node_connectivity_bound(indptr: Int64s, heads: Int32s) -> int:
    """Bound the node connectivity by the least number of distinct neighbours of a node.

    This is the node connectivity itself if every node has a channel to every other one.
    """
    if indptr.size < 3:
        return 0
    after, before = _simple_degrees(indptr, heads)
    least = after[0]
    for v in range(after.size):
        least = min(least, after[v], before[v])
    return int(least)


@kernel
def _neighbours(indptr: Int64s, heads: Int32s, v: int) -> tuple[Int64s, Int64s]:
    """Give the 0/1 rows of the nodes after and before ``v``, ``v`` itself excluded."""
    n = indptr.size - 1
    after = np.zeros(n, np.int64)
    before = np.zeros(n, np.int64)
    for c in range(indptr[v], indptr[v + 1]):
        after[heads[c]] = 1
    for u in range(n):
        for c in range(indptr[u], indptr[u + 1]):
            if heads[c] == v:
                before[u] = 1
    after[v] = 0
    before[v] = 0
    return after, before


@kernel
def _around_pairs(
    indptr: Int64s, heads: Int32s, after: Int64s, before: Int64s, duplex: bool, out: Int32s
) -> int:
    """List the pairs (node before, node after) without a channel; only count if no room."""
    n = indptr.size - 1
    size = 0
    joined = np.full(n, -1, np.int64)
    for x in range(n):
        if before[x] == 0:
            continue
        for c in range(indptr[x], indptr[x + 1]):
            joined[heads[c]] = x
        for y in range(x + 1 if duplex else 0, n):
            if after[y] == 1 and y != x and joined[y] != x:
                if out.shape[0] > size:
                    out[size, 0], out[size, 1] = x, y
                size += 1
    return size


@kernel(steps=lambda indptr, heads, *_: 4 * (len(indptr) + len(heads)))
def node_connectivity_pairs(
    indptr: Int64s, heads: Int32s, duplex: bool, transitive: bool
) -> Int32s:
    """List the ordered pairs whose flows decide the node connectivity.

    Let the removal of a least set S cut all paths from A to B, and take a node v. If v is in A
    or B, it is cut from (or off) some node it has no channel to (or from). If v is in S, it has
    a node of A before it and one of B after it, or S were not least. All such pairs are listed
    for a node v of least degree (Esfahanian and Hakimi). In a vertex-transitive graph, v may be
    taken to be in A, so the pairs from v suffice; likewise, but for the nodes around v, in a
    duplex graph, where A and B can change places.

    Args:
        indptr, heads: The graph in CSR form; loops and parallel channels make no difference.
        duplex: Whether all channels come in opposite pairs.
        transitive: Whether the graph is known to be vertex-transitive.

    Returns:
        ndarray of int32, shape (pairs, 2): No pair is joined by a channel. Without any,
            `node_connectivity_bound` is exact.
    """
    n = indptr.size - 1
    nothing = np.empty((0, 2), np.int32)
    if n < 2:
        return nothing
    degree, degree_in = _simple_degrees(indptr, heads)
    v = np.int64(0)
    if not transitive:
        for w in range(n):
            if degree[w] + degree_in[w] < degree[v] + degree_in[v]:
                v = np.int64(w)
    after, before = _neighbours(indptr, heads, v)
    around = 0 if transitive else _around_pairs(indptr, heads, after, before, duplex, nothing)
    pairs = np.empty((around + 2 * n, 2), np.int32)
    size = 0
    for w in range(n):
        if w != v and after[w] == 0:
            pairs[size, 0], pairs[size, 1] = v, w
            size += 1
        if w != v and before[w] == 0 and not (duplex or transitive):
            pairs[size, 0], pairs[size, 1] = w, v
            size += 1
    if not transitive:
        size += _around_pairs(indptr, heads, after, before, duplex, pairs[size:])
    return pairs[:size].copy()


def edge_connectivity(indptr: Int64s, heads: Int32s, duplex: bool) -> int:
    """Compute the edge connectivity of a graph in one go.

    Args:
        indptr, heads: The graph in CSR form. Parallel channels count, loops do not.
        duplex: Whether all channels come in opposite pairs.

    Returns:
        int: The least number of links (or channels) whose removal leaves some node without a path
            to some other node; 0 for a single node.
    """
    best = edge_connectivity_bound(indptr, heads)
    if best == 0:
        return 0
    pairs = edge_connectivity_pairs(indptr.size - 1, duplex)
    return int(least_flow(residual_network(indptr, heads, False), pairs, best))


def node_connectivity(indptr: Int64s, heads: Int32s, duplex: bool, transitive: bool) -> int:
    """Compute the node connectivity of a graph in one go.

    Args:
        indptr, heads, duplex, transitive: As for `node_connectivity_pairs`.

    Returns:
        int: The least number of nodes whose removal leaves some node without a path to some other
            node, or only one node: n - 1 for a complete graph, 0 for a single node.
    """
    best = node_connectivity_bound(indptr, heads)
    if best == 0:
        return 0
    pairs = node_connectivity_pairs(indptr, heads, duplex, transitive)
    return int(least_flow(residual_network(indptr, heads, True), pairs, best))
