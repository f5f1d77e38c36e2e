"""Compiled kernels for distances and eccentricities.

A graph is given in compressed rows: the channels of node ``v`` are ``indptr[v]:indptr[v + 1]``
and ``heads[channel]`` is the node at the other end.  Parallel channels, self-loops, nodes without
channels and disconnected graphs are all allowed.

The all-pairs kernels are bit-parallel (M. Then et al., "The more the merrier: efficient
multi-source graph traversal", 2014).  They follow ``64 * words`` sources at a time: one bit for
each source, ``words`` machine words for each node.  Bit ``s`` of node ``v`` after level ``d``
says that ``v`` lies within distance ``d`` of source ``s``, so a level is

    ``seen'[v] = seen[v] | OR of seen[u] over the channels u -> v``

and the number of bits that it sets is the number of pairs at distance ``d``.  A node *pulls* from
the tails of its incoming channels, hence these kernels take the **reversed** rows; where all
channels are paired (duplex networks) the forward rows serve just as well.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from hopscape.core.arrays import Array, Int32s, Int64s, IntArray, NoWay, UInt64s
from hopscape.core.kernel import helper, kernel
from hopscape.core.vector_kernels import (
    Lanes,
    bits_or,
    bits_xor,
    count,
    equal,
    load,
    lowest,
    new_rows,
    store,
)

__all__ = [
    "bfs_distances",
    "choose_words",
    "distance_rows",
    "distance_sweep",
    "distance_sweep_parallel",
    "live_distances",
]


# --- Bit-parallel sweeps ----------------------------------------------------------------------


@kernel
def _column_sums(rows: UInt64s, n: int, words: int, sums: Int32s) -> None:
    """Count the rows that have each bit set, with 64 counters side by side in bit planes."""
    for word in range(words):
        planes = np.zeros(32, np.uint64)
        for v in range(n):
            carry = rows[v * words + word]
            plane = 0
            while carry != 0:
                planes[plane], carry = planes[plane] ^ carry, planes[plane] & carry
                plane += 1
        for bit in range(min(64, sums.size - 64 * word)):
            total: Any = 0
            for plane in range(32):
                total |= np.int64((planes[plane] >> np.uint64(bit)) & np.uint64(1)) << plane
            sums[64 * word + bit] = total


@kernel
def _note(table: IntArray, v: int, start: int, change_row: UInt64s, distance: Any) -> None:
    """Write a distance to the columns of row ``v`` whose bits are set."""
    for word in range(change_row.size):
        bits = change_row[word]
        column = np.uint64(start + 64 * word)
        while bits != 0:
            table[np.uint64(v), column + np.uint64(lowest(bits))] = distance
            bits &= bits - np.uint64(1)


@kernel
def _sweep(
    indptr: Int64s, tails: Int32s, sources: Int64s, lanes: Lanes, table: IntArray | None
) -> tuple[Int64s, Int32s, Int32s]:
    """Do the work of :func:`distance_sweep`; a table gets the distance of (node, source)."""
    n = indptr.size - 1
    words = len(lanes)
    histogram = np.zeros(64, np.int64)
    depth = 0
    eccentricity = np.zeros(sources.size, np.int32)
    reached = np.full(sources.size, n, np.int32)
    now = new_rows(n, lanes)
    after = new_rows(n, lanes)
    full_row = np.zeros(words, np.uint64)
    change_row = np.zeros(words, np.uint64)
    active = np.empty(n, np.int32)
    for start in range(0, sources.size, 64 * words):
        batch = min(64 * words, sources.size - start)
        now[:] = 0
        full_row[:] = 0
        for bit in range(batch):
            mask = np.uint64(1) << np.uint64(bit & 63)
            now[np.int64(sources[start + bit]) * words + (bit >> 6)] |= mask
            full_row[bit >> 6] |= mask
            if table is not None:
                table[sources[start + bit], start + bit] = 0
        full = load(full_row, 0, lanes)
        for i in range(n):
            active[i] = i
        live = n
        histogram[0] += batch
        missing = batch * (n - 1)
        level = 0
        while missing > 0:
            level += 1
            fresh = 0
            unfinished = 0
            grew = bits_xor(full, full)
            for i in range(live):
                v = np.int64(active[i])
                old = load(now, v, lanes)
                if equal(old, full):
                    # Once both buffers hold the full row, the node needs no more visits.
                    store(after, v, lanes, full)
                    continue
                row = old
                for channel in range(indptr[v], indptr[v + 1]):
                    row = bits_or(row, load(now, np.int64(tails[channel]), lanes))
                store(after, v, lanes, row)
                change = bits_xor(row, old)
                fresh += count(change)
                grew = bits_or(grew, change)
                if table is not None:
                    store(change_row, 0, lanes, change)
                    _note(table, v, start, change_row, level)
                active[unfinished] = v
                unfinished += 1
            live = unfinished
            if fresh == 0:
                _column_sums(now, n, words, reached[start : start + batch])
                break
            if equal(grew, full):
                eccentricity[start : start + batch] = level
            else:
                store(change_row, 0, lanes, grew)
                for bit in range(batch):
                    if (change_row[bit >> 6] >> np.uint64(bit & 63)) & np.uint64(1):
                        eccentricity[start + bit] = level
            if level == histogram.size:
                longer = np.zeros(2 * level, np.int64)
                longer[:level] = histogram
                histogram = longer
            histogram[level] += fresh
            depth = max(depth, level)
            missing -= fresh
            now, after = after, now
    return histogram[: depth + 1].copy(), eccentricity, reached


def choose_words(n: int, sources: int) -> int:
    """Pick the number of words a node for :func:`distance_sweep`.

    Args:
        n: Number of nodes.
        sources: Number of sources.

    Returns:
        int: The largest of 1, 2, 4, 8 and 16 that the sources can fill at least in part and that
            keeps the working state, ``16 * words + 4`` bytes a node, below about 64 MB (or 1).
    """
    words = 16
    while words > 1 and (32 * words >= sources or 16 * words * n > 64_000_000):
        words //= 2
    return words


def distance_sweep(
    indptr: Int64s, tails: Int32s, sources: IntArray, words: int
) -> tuple[Int64s, Int32s, Int32s]:
    """Sweep over all distances from many sources, on one thread.

    Time: channels · diameter · sources / 64 word operations at most; most levels look at fewer
    nodes.

    Args:
        indptr, tails (ndarray of int64 and of int32): Reversed rows: ``tails[indptr[v]:indptr[v +
            1]]`` are the nodes with a channel into ``v``. The forward rows do where every channel
            is paired; on a directed graph they would give the distances *to* the sources instead.
        sources (ndarray of int): The sources, in any order; a source listed twice counts twice.
        words: Words for each node, so ``64 * words`` sources go together; see :func:`choose_words`.
            The working state takes ``16 * words + 4`` bytes for each node.

    Returns:
        histogram (ndarray of int64): Number of ordered pairs (source, node) at each finite
            distance, from 0 to the largest.
        eccentricity (ndarray of int32): Largest finite distance from each source.
        reached (ndarray of int32): Number of nodes reached from each source, with itself.
    """
    result: tuple[Int64s, Int32s, Int32s] = _sweep(
        indptr, tails, np.ascontiguousarray(sources, np.int64), (0,) * words, None
    )
    return result


def distance_sweep_parallel(
    indptr: Int64s, tails: Int32s, sources: IntArray, words: int, threads: int
) -> tuple[Int64s, Int32s, Int32s]:
    """Do the same as :func:`distance_sweep` on several threads, each with its own state.

    The compiled kernel lets go of the interpreter lock, so plain threads run it side by side.

    Args:
        indptr, tails, sources, words: As for :func:`distance_sweep`.
        threads: Number of threads.

    Returns:
        histogram, eccentricity, reached: As for :func:`distance_sweep`.
    """
    batches = -(-sources.size // (64 * words))
    # A few tasks for each thread even out the load; whole batches waste no bits.
    step = max(1, -(-batches // (4 * threads))) * 64 * words
    parts = [sources[start : start + step] for start in range(0, sources.size, step)]
    if threads == 1 or len(parts) < 2:
        return distance_sweep(indptr, tails, sources, words)
    with ThreadPoolExecutor(threads) as pool:
        results = list(pool.map(lambda part: distance_sweep(indptr, tails, part, words), parts))
    histogram = np.zeros(max(result[0].size for result in results), np.int64)
    for result in results:
        histogram[: result[0].size] += result[0]
    return (
        histogram,
        np.concatenate([result[1] for result in results]),
        np.concatenate([result[2] for result in results]),
    )


# --- Breadth-first search from one source -----------------------------------------------------


@helper
def _bfs(
    indptr: Int64s, heads: Int32s, source: int, row: IntArray, queue: Int32s, unreached: Any
) -> bool:
    """Fill ``row`` with distances; say whether they all fit below ``unreached``, its maximum."""
    row[:] = unreached
    row[source] = 0
    queue[0] = source
    # Unsigned positions throughout spare numba's test for negative ones, half of the time.
    n, begin, end = np.uint64(indptr.size - 1), np.uint64(0), np.uint64(1)
    level = 0
    while begin < end < n:
        level += 1
        if level == unreached:
            fits: bool = _is_last(indptr, heads, row, queue[begin:end], unreached)
            return fits
        distance = row.dtype.type(level)
        tail = end
        for i in range(begin, end):
            v = np.uint64(queue[i])
            for channel in range(np.uint64(indptr[v]), np.uint64(indptr[v + np.uint64(1)])):
                # No branch on what was seen: it would be guessed wrong too often.  Every head
                # is written to the end of the queue, which moves on only for the new ones.
                u = np.uint64(heads[channel])
                seen = row[u]
                row[u] = min(seen, distance)
                queue[tail] = u
                tail += np.uint64(seen > distance)
        begin, end = end, tail
    return True


@helper
def _is_last(indptr: Int64s, heads: Int32s, row: IntArray, level: Int32s, unreached: Any) -> bool:
    """Whether no channel leads from the nodes of a level to an unreached node."""
    for v in level:
        for channel in range(indptr[v], indptr[v + 1]):
            if row[heads[channel]] == unreached:
                return False
    return True


@kernel
def bfs_distances(indptr: Int64s, heads: Int32s, source: int) -> Int32s:
    """Distances from one source by breadth-first search.

    O(nodes + channels) time, 4 bytes a node besides the result.

    Args:
        indptr, heads (ndarray of int64 and of int32): Forward rows.
        source: The source.

    Returns:
        ndarray of int32: Distance of each node from the source, -1 where there is no path.
    """
    n = indptr.size - 1
    row = np.empty(n, np.uint32)
    _bfs(indptr, heads, source, row, np.empty(n + 1, np.int32), np.uint32(0xFFFFFFFF))
    return row.view(np.int32)


@kernel
def live_distances(
    indptr: Int64s,
    channels: IntArray,
    ends: IntArray,
    live: IntArray,
    source: int,
    distance: IntArray,
    queue: IntArray,
) -> int:
    """Distances from a node over the channels that are not dead; how many nodes are reached.

    Args:
        indptr, channels (ndarray of int): The channels of node v are ``channels[indptr[v]:indptr[v
            + 1]]``.
        ends (ndarray of int): Where each channel leads; with the channels into each node, and their
            tails here, distances are those to the node.
        live: 0 for a dead channel.
        distance, queue (ndarray of a signed type): Filled: the distance of each node, -1 where
            there is no path, and the nodes by distance.
    """
    distance[:] = -1
    distance[source] = 0
    queue[0] = source
    begin, end = 0, 1
    while begin < end:
        v = queue[begin]
        begin += 1
        for i in range(indptr[v], indptr[v + 1]):
            u = ends[channels[i]]
            if distance[u] < 0 and live[channels[i]] > 0:
                distance[u] = distance[v] + 1
                queue[end] = u
                end += 1
    return end


@kernel
def _bfs_rows(
    indptr: Int64s, heads: Int32s, sources: Int64s, out: IntArray, unreached: Any
) -> bool:
    queue = np.empty(indptr.size, np.int32)
    fits = True
    for i in range(sources.size):
        fits &= _bfs(indptr, heads, sources[i], out[i], queue, unreached)
    return fits


def distance_rows(indptr: Int64s, heads: Int32s, sources: IntArray, out: Array) -> None:
    """Fill a table with the distances from each of some sources.

    With all nodes in order as sources it is a bit-parallel sweep (several times faster),
    otherwise one breadth-first search for each source.

    Args:
        indptr, heads (ndarray of int64 and of int32): Forward rows.
        sources (ndarray of int): The sources.
        out (ndarray of an integer type, shape (sources, nodes), C-contiguous): Receives the
            distances; the largest value of its type stands for "no path".

    Raises:
        OverflowError: If a distance does not fit the type of ``out``; what ``out`` holds then is of
            no use.
    """
    n = indptr.size - 1
    unreached = NoWay(out.dtype).value
    sources = np.ascontiguousarray(sources, np.int64)
    if n > 64 and np.array_equal(sources, np.arange(n)):
        # Pulled along forward rows, the sweep finds the distances from each node (row of the
        # table) to each of its "sources" (column).
        out[...] = unreached
        histogram, _, _ = _sweep(indptr, heads, sources, (0,) * choose_words(n, n), out)
        fits = histogram.size - 1 < unreached
    else:
        fits = _bfs_rows(indptr, heads, sources, out, out.dtype.type(unreached))
    if not fits:
        raise OverflowError(f"a distance is too large for a table of {out.dtype}")
