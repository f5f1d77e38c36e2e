"""All-gather and total exchange planned for one node of each orbit (numba)."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.kernel import helper, kernel


@helper
def _shuffled(count: int) -> IntArray:
    """The numbers below `count` in random order: numpy's permutation, quick to compile."""
    order = np.arange(count)
    for i in range(count - 1, 0, -1):
        j = np.random.randint(0, i + 1)  # noqa: NPY002 (numba's own generator)
        order[i], order[j] = order[j], order[i]
    return order


@helper
def _sorted(key: Floats) -> IntArray:
    """Places by rising key (heapsort): numpy's argsort, quick to compile."""
    order = np.arange(len(key))
    left, end = len(key) // 2, len(key)
    while end > 1:
        if left > 0:
            left -= 1
        else:
            end -= 1
            order[0], order[end] = order[end], order[0]
        at, child = left, 2 * left + 1
        moving = order[at]
        while child < end:
            if child + 1 < end and key[order[child]] < key[order[child + 1]]:
                child += 1
            if key[moving] >= key[order[child]]:
                break
            order[at] = order[child]
            at, child = child, 2 * child + 1
        order[at] = moving
    return order


@helper
def _match(lane, taken, order, have, source, moved, got, match):  # type: ignore[no-untyped-def]
    """Give `lane` a chunk, shifting others along an augmenting path; False when there is none."""
    lanes = len(got)
    seen = np.zeros(len(order), np.bool_)
    reached_by = np.full(len(order), -1, np.int64)
    queue = np.empty(lanes, np.int64)
    queued = np.zeros(lanes, np.bool_)
    queue[0], queued[lane] = lane, True
    head, tail, end = 0, 1, -1
    while head < tail and end < 0:
        x = queue[head]
        head += 1
        for c in order:
            if seen[c] or taken[c] or not have[source[x], moved[x, c]]:
                continue
            seen[c] = True
            reached_by[c] = x
            if match[c] < 0:
                end = c
                break
            y = match[c]
            if not queued[y]:
                queued[y] = True
                queue[tail] = y
                tail += 1
    if end < 0:
        return False
    while True:
        x = reached_by[end]
        before = got[x]
        got[x] = end
        match[end] = x
        if x == lane:
            return True
        end = before


@kernel
def symmetric_gather(
    source: IntArray,
    lanes: IntArray,
    moved: IntArray,
    own: IntArray,
    near: IntArray,
    weight: IntArray,
    steps: int,
    seed: int,
) -> tuple[int, IntArray]:
    """In every step every node takes a new chunk from every neighbour, if it can.

    One node stands for each orbit. Chunks that few of the nodes nearby have, or are getting, come
    first, at random among equals.

    Args:
        source (int64[orbits, widest]): The orbit of each node nearby a representative; those with a
            lane into it come first.
        lanes (int64[orbits]): How many lanes lead into it.
        moved (int32[orbits, widest, chunks]): What a chunk is called at that orbit's
            representative, when the symmetry that takes the node there has been applied.
        own (int64[orbits]): The chunk that each representative starts with.
        near (int64[orbits]): How many nodes are nearby.
        weight (float64[orbits, widest]): How much each of them counts.
        steps: The most that are tried.

    Returns:
        used (int): Steps until nobody lacked anything; `steps` + 1 when that did not happen.
        taken (int32[steps, orbits, most lanes]): The chunk received, or -1.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    orbits, _, chunks = moved.shape
    widest, lacking = 0, orbits * (chunks - 1)
    have = np.zeros((orbits, chunks), np.bool_)
    for r in range(orbits):
        have[r, own[r]] = True
        widest = max(widest, lanes[r])
    after, left = np.copy(have), np.full(orbits, chunks - 1, np.int64)
    record = np.full((steps, orbits, widest), -1, np.int32)
    key, match = np.empty(chunks, np.float64), np.empty(chunks, np.int64)
    for t in range(steps):
        if lacking == 0:
            return t, record
        for r in _shuffled(orbits):
            if left[r] == 0:
                continue
            for c in range(chunks):
                key[c] = 0.5 * np.random.random()  # noqa: NPY002 (numba's own generator)
                match[c] = -1
            for x in range(near[r]):
                for c in range(chunks):
                    key[c] += weight[r, x] * after[source[r, x], moved[r, x, c]]
            order, some = _sorted(key), lanes[r]
            got = record[t, r, :some]
            for lane in _shuffled(some):
                _match(lane, have[r], order, have, source[r], moved[r], got, match)
            for x in range(some):
                if got[x] >= 0:
                    after[r, got[x]] = True
                    left[r] -= 1
                    lacking -= 1
        for r in range(orbits):
            for c in range(chunks):
                have[r, c] = after[r, c]
    return steps if lacking == 0 else steps + 1, record


@kernel
def even_paths(
    indptr: IntArray,
    heads: IntArray,
    kind: IntArray,
    far: IntArray,
    source: IntArray,
    target: IntArray,
    start: IntArray,
    load: IntArray,
    tries: int,
    sweeps: int,
    seed: int,
) -> IntArray:
    """A shortest path for every packet, such that no kind of channel carries much more than others.

    Each packet is given anew, again and again, the best of several random shortest paths and its
    own; the price of a channel is the fourth power of what its kind carries.

    Args:
        kind (int64[channels]): Which kind each channel is of.
        far (uint8 or more, shape (nodes, nodes)): far[d, v]: hops from v to d.
        source, target: int64[packets]
        start (int64[packets + 1]): Where the path of each packet begins; its length is its
            distance.
        load (int64[kinds]): Filled: how much each kind carries.

    Returns:
        int64[start[-1]]: The channels of all paths.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    packets = len(source)
    ways = np.empty(start[-1], np.int64)
    longest = 1
    for p in range(packets):
        longest = max(longest, start[p + 1] - start[p])
    draft = np.empty(longest, np.int64)
    load[:] = 0
    for sweep in range(sweeps):
        for p in _shuffled(packets):
            low, high = start[p], start[p + 1]
            row = far[target[p]]
            best = np.inf
            if sweep:
                best = 0.0
                for j in range(low, high):
                    load[kind[ways[j]]] -= 1
                for j in range(low, high):
                    best += float(load[kind[ways[j]]]) ** 4
                    load[kind[ways[j]]] += 1
                for j in range(low, high):
                    load[kind[ways[j]]] -= 1
            for _ in range(tries):
                price, v = 0.0, source[p]
                for j in range(high - low):
                    chosen, count = -1, 0
                    for c in range(indptr[v], indptr[v + 1]):
                        if row[heads[c]] + 1 == row[v]:
                            count += 1
                            if np.random.random() * count < 1:  # noqa: NPY002 (numba's own)
                                chosen = c
                    draft[j] = chosen
                    price += float(load[kind[chosen]]) ** 4
                    load[kind[chosen]] += 1  # a path that uses a kind twice pays for it
                    v = heads[chosen]
                for j in range(high - low):
                    load[kind[draft[j]]] -= 1
                if price <= best:
                    best = price
                    ways[low:high] = draft[: high - low]
            for j in range(low, high):
                load[kind[ways[j]]] += 1
    return ways


@kernel
def gather_rounds(
    tails: IntArray, heads: IntArray, came: IntArray, made: IntArray, state: IntArray, stop: int
) -> None:
    """Rounds up to `stop` in which every kind of channel brings a chunk to a node, if it can.

    Args:
        tails, heads (int[kinds, members]): The ends of the channels of each kind.
        came (int32[chunks, nodes]): One more than the round in which a chunk comes to a node, 1 at
            its origin; 0: it has not.
        made (int64[hops, 3]): Round, kind, and chunk · members + place in the kind; filled in.
        state (int64[3]): Rounds and hops so far, and the state of the generator of random numbers.
    """
    kinds, members = tails.shape
    size = len(came) * members
    served = np.zeros(kinds, np.bool_)
    while state[0] < stop and state[1] < len(made):
        r = state[0] + 1
        for i in range(kinds):
            k = (i + r) % kinds
            if served[k]:
                continue
            state[2] = (state[2] * 6364136223846793005 + 1442695040888963407) & (2**62 - 1)
            at = (state[2] >> 20) % size
            served[k] = True
            for _ in range(size):
                row, place = at // members, at % members
                if came[row, heads[k, place]] == 0:
                    served[k] = False
                    if 0 < came[row, tails[k, place]] <= r:
                        came[row, heads[k, place]] = r + 1
                        made[state[1], 0], made[state[1], 1], made[state[1], 2] = r - 1, k, at
                        state[1] += 1
                        break
                at = at + 1 if at + 1 < size else 0
        state[0] = r


@kernel
def least_used(
    ends: IntArray, kind: IntArray, weight: IntArray, order: IntArray, used: IntArray
) -> IntArray:
    """For each node one of its offers, of the kind that is used least so far.

    Args:
        ends (int64[nodes + 1]): Offers of node i are ``ends[i]:ends[i + 1]``.
        kind: int64[offers]
        weight (int64[nodes]): How much taking an offer adds to what its kind is used.
        order (int64[nodes]): Who chooses first.
        used (int64[kinds]): Kept up to date.
    """
    out = np.empty(len(weight), np.int64)
    for i in order:
        best = ends[i]
        for j in range(ends[i] + 1, ends[i + 1]):
            if used[kind[j]] < used[kind[best]]:
                best = j
        out[i] = best
        used[kind[best]] += weight[i]
    return out
