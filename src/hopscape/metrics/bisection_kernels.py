"""Exact bisections by branch and bound.

Graph and partitions are as in :mod:`hopscape.metrics.cut_kernels`. The lower bound is the one of
Delling, Fleischman, Goldberg, Razenshteyn and Werneck, *An exact combinatorial algorithm for
minimum graph bisection* (2015): a maximum flow between the nodes decided so far, plus a packing of
trees that the balance must cut.
"""

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Int8s, Int32s, Int64s, UInt8s
from hopscape.core.kernel import helper, kernel
from hopscape.metrics.cut_kernels import cut_size

_FREE = 2  # the side of a node not yet decided; the sides are 0 and 1


class BisectionSearch(NamedTuple):
    """The state of an exact search, so that it can be run in slices.

    Attributes:
        indptr, heads, reverse: The graph without loops; ``reverse`` pairs the two channels of each
            link.
        counted: 1 for the nodes to be balanced.
        side: The side of the nodes decided so far, else 2.
        branch, tried: For each depth, the node decided there and how many sides were tried.
        flow: For each depth, the flow over each channel: 1, 0 or -1.
        best_side: The best partition so far.
        numbers: The depth (-1 when finished), the best cut so far, the search nodes visited, the
            most counted nodes a side may have, and the step between possible cuts (1 or 2).
    """

    indptr: Int64s
    heads: Int32s
    reverse: Int32s
    counted: UInt8s
    side: Int8s
    branch: Int32s
    tried: Int8s
    flow: Int8s
    best_side: Int8s
    numbers: Int64s


_DEPTH, _BEST, _VISITED, _ROOM, _STEP = 0, 1, 2, 3, 4


@kernel
def _without_loops(indptr: Int64s, heads: Int32s) -> tuple[Int64s, Int32s, Int32s]:
    """Copy the graph without loops, and pair the channels of each link."""
    n = indptr.size - 1
    start = np.zeros(n + 1, np.int64)
    to = np.empty(heads.size, np.int32)
    size = 0
    for v in range(n):
        for c in range(indptr[v], indptr[v + 1]):
            if heads[c] != v:
                to[size] = heads[c]
                size += 1
        start[v + 1] = size
    reverse = np.full(size, -1, np.int32)
    for v in range(n):
        for c in range(start[v], start[v + 1]):
            if reverse[c] >= 0:
                continue
            for d in range(start[to[c]], start[to[c] + 1]):
                if to[d] == v and reverse[d] < 0:
                    reverse[c], reverse[d] = d, c
                    break
            if reverse[c] < 0:
                raise ValueError("the graph is not symmetric")
    return start, to[:size].copy(), reverse


@helper
def _step(indptr: Int64s, counted: UInt8s) -> int:
    """Give 2 if all balanced partitions have cuts of the same parity, else 1.

    A cut is the sum of the degrees on one side less twice the links inside. So it is even if
    all degrees are, and of the parity of n / 2 if all are odd and both sides have n / 2 nodes.
    """
    n = counted.size
    odd = uncounted = 0
    for v in range(n):
        odd += (indptr[v + 1] - indptr[v]) % 2
        uncounted += counted[v] == 0
    halves = n % 2 == 0 and uncounted == 0
    return 2 if odd == 0 or (odd == n and halves) else 1


@kernel
def start_bisection(indptr: Int64s, heads: Int32s, counted: UInt8s, side: Int8s) -> BisectionSearch:
    """Prepare an exact search for a minimum bisection.

    Args:
        indptr, heads, counted: As for `refine_bisection`.
        side: A balanced partition to start from, as good as possible; see `multistart`.

    Returns:
        BisectionSearch: To be handed to `run_bisection`.
    """
    n = indptr.size - 1
    start, to, reverse = _without_loops(indptr, heads)
    nodes = int(counted.sum())
    numbers = np.zeros(5, np.int64)
    numbers[_BEST] = cut_size(indptr, heads, side)
    numbers[_ROOM] = (nodes + 1) // 2
    numbers[_STEP] = _step(start, counted)
    if nodes < 2:  # everything fits on one side
        numbers[_DEPTH], numbers[_BEST] = -1, 0
        side = np.zeros_like(side)
    search = BisectionSearch(
        start,
        to,
        reverse,
        counted.copy(),
        np.full(n, _FREE, np.int8),
        np.zeros(nodes + 1, np.int32),
        np.zeros(nodes + 1, np.int8),
        np.zeros((nodes + 1, to.size), np.int8),
        side.copy(),
        numbers,
    )
    if nodes >= 2:
        first = 0
        most = -1
        for v in range(n):
            if counted[v] and start[v + 1] - start[v] > most:
                first, most = v, start[v + 1] - start[v]
        search.branch[0] = first
    return search


class _Work(NamedTuple):
    """Room to examine one search node in; nothing in it is kept."""

    end: Int8s  # the side decided or forced for each node, else 2
    via: Int32s
    queue: Int32s
    cell: Int32s  # the tree each node is in, or -1
    size: Int64s  # the counted nodes in each tree
    after: Int32s  # each tree as a list of its nodes, oldest first
    last: Int32s
    current: Int32s
    links: Int64s  # (2, nodes): the links from each node to either side


@kernel
def _work(n: int) -> _Work:
    """Set up the room for a graph of ``n`` nodes."""
    return _Work(
        np.empty(n, np.int8),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int64),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty(n, np.int32),
        np.empty((2, n), np.int64),
    )


@helper
def _fix_ends(search: BisectionSearch, end: Int8s) -> bool:
    """Set the sides decided, or forced by the other side being full; tell if they fit."""
    room = search.numbers[_ROOM]
    zeros = ones = 0
    for v in range(end.size):
        end[v] = search.side[v]
        zeros += search.counted[v] == 1 and end[v] == 0
        ones += search.counted[v] == 1 and end[v] == 1
    if zeros == room or ones == room:
        for v in range(end.size):
            if search.counted[v] and end[v] == _FREE:
                end[v] = 1 if zeros == room else 0
    return bool(zeros <= room and ones <= room)


@kernel
def _share_bound(search: BisectionSearch, work: _Work) -> int:
    """Bound the cut by the links of decided nodes, each free node going where it costs least.

    If more counted nodes would rather go to a side than fit there, the least eager ones must
    go to the other side.
    """
    n = work.end.size
    bound = 0
    eager = np.zeros((2, work.queue.size + 1), np.int64)
    space = np.full(2, search.numbers[_ROOM], np.int64)
    most = 0
    for v in range(n):
        work.links[0, v] = work.links[1, v] = 0
        for c in range(search.indptr[v], search.indptr[v + 1]):
            if work.end[search.heads[c]] != _FREE:
                work.links[work.end[search.heads[c]], v] += 1
        if work.end[v] != _FREE:
            space[work.end[v]] -= search.counted[v]
            bound += work.links[1, v] if work.end[v] == 0 else 0
            continue
        bound += min(work.links[0, v], work.links[1, v])
        gap = work.links[0, v] - work.links[1, v]
        if search.counted[v] and gap != 0:
            side = 0 if gap > 0 else 1
            eager[side, min(abs(gap), n)] += 1
            most = max(most, min(abs(gap), n))
            space[side] -= 1
    for side in range(2):
        gap = 1
        while space[side] < 0 and gap <= most:
            moved = min(eager[side, gap], -space[side])
            space[side] += moved
            bound += gap * moved
            gap += 1
    return bound


@helper
def _queue_side(end: Int8s, side: int, queue: Int32s) -> int:
    """Put the nodes that are fixed on a side into the queue; how many."""
    count = 0
    for v in range(end.size):
        if end[v] == side:
            queue[count] = v
            count += 1
    return count


@helper
def _augment(search: BisectionSearch, flow: Int8s, end: Int8s, via: Int32s, queue: Int32s) -> bool:
    """Send one more unit from side 0 to side 1, or mark what is reachable in ``via``.

    Afterwards ``via`` is -2 for nodes not reached.
    """
    first, last = 0, _queue_side(end, 0, queue)
    for v in range(end.size):
        via[v] = -1 if end[v] == 0 else -2
    while first < last:
        v = queue[first]
        first += 1
        for c in range(search.indptr[v], search.indptr[v + 1]):
            w = search.heads[c]
            if via[w] != -2 or flow[c] == 1:
                continue
            via[w] = c
            if end[w] == 1:
                while via[w] >= 0:
                    c = via[w]
                    flow[c] += 1
                    flow[search.reverse[c]] -= 1
                    w = search.heads[search.reverse[c]]
                return True
            queue[last] = w
            last += 1
    return False


@helper
def _flow_value(search: BisectionSearch, flow: Int8s, end: Int8s) -> int:
    """Sum the flow out of side 0."""
    value = 0
    for v in range(end.size):
        if end[v] == 0:
            for c in range(search.indptr[v], search.indptr[v + 1]):
                value += flow[c]
    return value


@helper
def _fits(search: BisectionSearch, candidate: Int8s) -> bool:
    """Tell whether a partition is balanced."""
    zeros = ones = 0
    for v in range(candidate.size):
        zeros += search.counted[v] == 1 and candidate[v] == 0
        ones += search.counted[v] == 1 and candidate[v] == 1
    return bool(max(zeros, ones) <= search.numbers[_ROOM])


@kernel
def _solved(
    search: BisectionSearch, flow: Int8s, end: Int8s, via: Int32s, queue: Int32s, value: int
) -> bool:
    """Keep the minimum cut of the flow, near side 0 or near side 1, if it is balanced."""
    candidate = np.empty(end.size, np.int8)
    for v in range(end.size):
        candidate[v] = 1 if via[v] == -2 else 0
    if not _fits(search, candidate):
        first, last = 0, _queue_side(end, 1, queue)
        for v in range(end.size):
            candidate[v] = end[v] == 1
        while first < last:
            v = queue[first]
            first += 1
            for c in range(search.indptr[v], search.indptr[v + 1]):
                w = search.heads[c]
                if candidate[w] == 0 and flow[search.reverse[c]] < 1:
                    candidate[w] = 1
                    queue[last] = w
                    last += 1
        if not _fits(search, candidate):
            return False
    for v in range(end.size):
        search.best_side[v] = candidate[v]
    search.numbers[_BEST] = value
    return True


@helper
def _plant(search: BisectionSearch, work: _Work, flow: Int8s, home: int, count: int) -> int:
    """Begin a tree at each free node with an unused link to side ``home``."""
    for v in range(work.end.size):
        if work.end[v] != home:
            continue
        for c in range(search.indptr[v], search.indptr[v + 1]):
            w = search.heads[c]
            if work.end[w] == _FREE and work.cell[w] < 0 and flow[c] == 0:
                work.cell[w] = count
                work.size[count] = search.counted[w]
                work.last[count] = work.current[count] = w
                work.after[w] = -1
                count += 1
    return count


@helper
def _grow(search: BisectionSearch, work: _Work, flow: Int8s, low: int, high: int) -> None:
    """Grow the trees ``low`` to ``high`` along unused links, the smallest one first.

    Trees of equal size are best: then the balance must cut most of them.
    """
    while True:
        k = -1
        for j in range(low, high):
            if work.current[j] >= 0 and (k < 0 or work.size[j] < work.size[k]):
                k = j
        if k < 0:
            return
        v = work.current[k]
        new = -1
        for c in range(search.indptr[v], search.indptr[v + 1]):
            w = search.heads[c]
            if work.end[w] == _FREE and work.cell[w] < 0 and flow[c] == 0:
                new = w
                break
        if new < 0:
            work.current[k] = work.after[v]
            continue
        work.cell[new] = k
        work.size[k] += search.counted[new]
        work.after[work.last[k]] = new
        work.after[new] = -1
        work.last[k] = new


@helper
def _tree_bound(search: BisectionSearch, work: _Work, flow: Int8s) -> int:
    """Count the links that balance cuts besides one on each path of the flow.

    Trees from side 0 along links without flow share no link with those paths, nor with the
    trees from side 1: the flow is maximal. Where more nodes are in trees of a side than fit
    there, some must go to the other side, and each tree they are in is cut.
    """
    work.cell[:] = -1
    bound = count = 0
    for home in range(2):
        low = count
        count = _plant(search, work, flow, home, low)
        _grow(search, work, flow, low, count)
        surplus = -search.numbers[_ROOM]
        for v in range(work.end.size):
            surplus += search.counted[v] == 1 and work.end[v] == home
        for k in range(low, count):
            surplus += work.size[k]
            work.last[k] = work.size[k]
        while surplus > 0 and low < count:  # at best, the largest trees are the ones cut
            largest = low
            for k in range(low, count):
                if work.last[k] > work.last[largest]:
                    largest = k
            surplus -= work.last[largest]
            work.last[largest] = work.last[low]
            low += 1
            bound += 1
    return bound


@helper
def _pick(search: BisectionSearch, work: _Work) -> int:
    """Choose the free counted node to decide next.

    One in a large tree, as far as possible from all decided nodes, raises the flow and makes
    more trees; nodes next to decided ones would only repeat what the bound knows already.
    """
    best, choice = -1_000_000_000, -1
    for v in range(work.end.size):
        if work.end[v] != _FREE or not search.counted[v]:
            continue
        score = search.indptr[v + 1] - search.indptr[v]
        score -= 4 * (work.links[0, v] + work.links[1, v])
        if work.cell[v] >= 0:
            score += work.size[work.cell[v]]
        if score > best:
            best, choice = score, v
    return choice


@helper
def _examine(search: BisectionSearch, work: _Work, flow: Int8s) -> int:
    """Bound the search node; give the node to decide next, or -1 if there is no need to."""
    target = search.numbers[_BEST] - search.numbers[_STEP]  # the largest cut worth finding
    if not _fix_ends(search, work.end) or _share_bound(search, work) > target:
        return -1
    value = _flow_value(search, flow, work.end)
    while _augment(search, flow, work.end, work.via, work.queue):
        value += 1
        if value > target:
            return -1
    if _solved(search, flow, work.end, work.via, work.queue, value):
        return -1
    if value + _tree_bound(search, work, flow) > target:
        return -1
    return _pick(search, work)


@helper
def _likely(search: BisectionSearch, v: int) -> int:
    """Give the side more neighbours of a node are on."""
    lean = 0
    for c in range(search.indptr[v], search.indptr[v + 1]):
        where = search.side[search.heads[c]]
        lean += 1 if where == 1 else (-1 if where == 0 else 0)
    return 1 if lean > 0 else 0


@kernel
def run_bisection(search: BisectionSearch, node_limit: int) -> bool:
    """Carry on with an exact search.

    Args:
        search: What `start_bisection` gave; it is changed. ``search.numbers[1]`` is the best cut so
            far and ``search.best_side`` its partition, ``search.numbers[2]`` the nodes visited.
        node_limit: The most search nodes to visit in this call.

    Returns:
        bool: Whether the search is finished, and the best cut therefore minimum.
    """
    work = _work(search.side.size)
    numbers = search.numbers
    limit = numbers[_VISITED] + node_limit
    while numbers[_DEPTH] >= 0 and numbers[_VISITED] < limit:
        depth = numbers[_DEPTH]
        v = search.branch[depth]
        # The sides can change places, so the first node stays on the first side.
        if search.tried[depth] == (1 if depth == 0 else 2):
            search.side[v] = _FREE
            numbers[_DEPTH] -= 1
            continue
        search.side[v] = _likely(search, v) if search.tried[depth] == 0 else 1 - search.side[v]
        search.tried[depth] += 1
        numbers[_VISITED] += 1
        if depth > 0:  # the flow of the parent is one here too, as nodes only became ends
            search.flow[depth] = search.flow[depth - 1]
        following = _examine(search, work, search.flow[depth])
        if following >= 0:
            numbers[_DEPTH] += 1
            search.branch[depth + 1], search.tried[depth + 1] = following, 0
    return bool(numbers[_DEPTH] < 0)


def exact_bisection(
    indptr: Int64s, heads: Int32s, counted: UInt8s, side: Int8s, node_limit: int
) -> tuple[int, Int8s, bool, int]:
    """Find a minimum bisection by branch and bound, in one go.

    Args:
        indptr, heads, counted, side: As for `start_bisection`.
        node_limit: The most search nodes to visit.

    Returns:
        cut (int): The least cut found, at most that of ``side``.
        side (ndarray of int8): A balanced partition with this cut.
        finished (bool): Whether the search was completed, and the cut therefore is minimum.
        visited (int): The number of search nodes visited.
    """
    search = start_bisection(indptr, heads, counted, side)
    finished = run_bisection(search, node_limit)
    cut, visited = int(search.numbers[_BEST]), int(search.numbers[_VISITED])
    return cut, search.best_side, bool(finished), visited
