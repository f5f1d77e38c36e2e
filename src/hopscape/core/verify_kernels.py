"""Checking the rules of a schedule, transfer by transfer (numba).

Every kernel is one pass over the transfers with working memory of the size of the network, so that
ten million transfers take seconds. Instead of clearing marks after each round, a mark is the index
of the transfer that set it: it counts only if that transfer belongs to the present round.

What is done for every transfer is copied into the kernels by LLVM, and counts no references to its
arrays: that would cost several times the work itself.

Checking messages that run through whole paths and share channels, and what a round costs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import ADD, COPY, NOTHING, Floats, IntArray
from hopscape.core.kernel import copied, kernel
from hopscape.core.vector_kernels import lowest

__all__ = ["additions", "check_shared"]

# What check_rules and the others return first; 0 means that nothing is wrong.
OK, BROKEN_PATH, WRONG_END, NOT_ONE_HOP, BUSY_CHANNEL, BUSY_LINK, SENDS, RECEIVES = range(8)
SOURCE_TAKES_PART, TARGET_TAKES_PART, BUSY_NODE, START_CROSSED, SWITCH_END = range(8, 13)


class Transfers(NamedTuple):
    """The columns of a schedule, and the channels of its network by their tails."""

    round_start: IntArray
    source: IntArray
    target: IntArray
    path_start: IntArray
    channels: IntArray
    indptr: IntArray
    heads: IntArray


class ByChunk(NamedTuple):
    """The transfers of chunk c are ``order[start[c]:start[c + 1]]``; their rounds and ends."""

    start: IntArray
    order: IntArray
    round_of: IntArray
    source: IntArray
    target: IntArray


@copied
def _walk(t, source, target, path_start, channels, indptr, heads):  # type: ignore[no-untyped-def]
    """Does transfer t follow wired channels from its source to its target?"""
    at = source[t]
    for i in range(path_start[t], path_start[t + 1]):
        c = channels[i]
        if c < 0 or c < indptr[at] or c >= indptr[at + 1]:
            return BROKEN_PATH, at
        at = heads[c]
    if at != target[t]:
        return WRONG_END, at
    return OK, at


@copied
def _same_path(a, b, path_start, channels):  # type: ignore[no-untyped-def]
    length = path_start[a + 1] - path_start[a]
    if path_start[b + 1] - path_start[b] != length:
        return False
    same = True
    for i in range(length):
        same = same and channels[path_start[a] + i] == channels[path_start[b] + i]
    return same


@copied
def _take(t, first, path_start, channels, reverse, user, whole_links, room, taken):  # type: ignore[no-untyped-def]
    """Take the channels of transfer t; `first` is the first transfer of the round.

    With `whole_links` a channel also keeps its mate busy. `room` says how many transfers a channel
    carries in a round, one where it is empty; `taken` counts them.
    """
    for i in range(path_start[t], path_start[t + 1]):
        c = channels[i]
        if len(room) > 0:
            if user[c] < first:
                taken[c] = 0
            if taken[c] >= room[c]:
                return BUSY_CHANNEL, user[c]
            taken[c] += 1
        elif user[c] >= first:
            return BUSY_CHANNEL, user[c]
        mate = reverse[c]
        if whole_links and mate >= 0 and mate != c and user[mate] >= first:
            return BUSY_LINK, user[mate]
        user[c] = t
    return OK, -1


@copied
def _cross_nodes(t, first, path_start, channels, heads, inside, starter):  # type: ignore[no-untyped-def]
    """Take the nodes of a circuit after its start; no other path of the round may have them."""
    for i in range(path_start[t], path_start[t + 1]):
        v = heads[channels[i]]
        if inside[v] >= first:
            return BUSY_NODE, inside[v]
        if starter[v] >= first:
            return START_CROSSED, starter[v]
        inside[v] = t
    return OK, -1


@copied
def _count_ports(t, first, source, target, ports, half, sent, sent_by, got, got_by):  # type: ignore[no-untyped-def]
    """Count messages per node in this round against the port limit."""
    u, v = source[t], target[t]
    if sent_by[u] < first:
        sent[u] = 0
    if got_by[v] < first:
        got[v] = 0
    previous_sent, previous_got = sent_by[u], got_by[v]
    sent[u] += 1
    got[v] += 1
    sent_by[u] = t
    got_by[v] = t
    if half:
        busy_u = sent[u] + (got[u] if got_by[u] >= first else 0)
        busy_v = got[v] + (sent[v] if sent_by[v] >= first else 0)
        if busy_u > ports:
            before = max(previous_sent, got_by[u] if got_by[u] != t else previous_got)
            return SOURCE_TAKES_PART, before if before >= first else t
        if busy_v > ports:
            before = max(previous_got, sent_by[v] if sent_by[v] != t else previous_sent)
            return TARGET_TAKES_PART, before
    elif sent[u] > ports:
        return SENDS, previous_sent
    elif got[v] > ports:
        return RECEIVES, previous_got
    return OK, -1


@kernel(steps=lambda transfers, *_: 8 * len(transfers.source) + len(transfers.channels))
def check_rules(
    transfers: Transfers,
    reverse: IntArray,
    ports: int,
    half: bool,
    circuit: bool,
    share: int,
    packed: bool,
    room: IntArray,
) -> tuple[int, int, int, int, int, int]:
    """Check paths, channel conflicts, port limits and disjointness.

    Args:
        ports: Port limit, 0 for none.
        share: What circuits may not share: 0 channels, 1 links, 2 nodes.
        room (int64[channels] or empty): Transfers that a channel carries in a round; one each where
            it is empty.

    Returns:
        code, transfer, other (int): The first violation, or OK.
        messages (int): Number of messages (packed transfers count once).
        sizes, hops (int): Sums over rounds of the largest message and of the longest path.
    """
    round_start, source, target, path_start, channels, indptr, heads = transfers
    order = len(indptr) - 1
    user = np.full(len(heads), -1, np.int64)
    inside = np.full(order if share == 2 else 1, -1, np.int64)
    starter = np.full(order if share == 2 else 1, -1, np.int64)
    sent = np.zeros(order, np.int64)
    got = np.zeros(order, np.int64)
    sent_by = np.full(order, -1, np.int64)
    got_by = np.full(order, -1, np.int64)
    size = np.zeros(len(heads) if packed else 1, np.int64)  # of the message, by first channel
    taken = np.zeros(len(room), np.int64)
    whole_links = half or share >= 1
    messages, sizes, hops = 0, 0, 0
    for r in range(len(round_start) - 1):
        first, last = round_start[r], round_start[r + 1]
        largest, longest = 0, 0
        if share == 2:
            for t in range(first, last):
                starter[source[t]] = t
        for t in range(first, last):
            code, other = _walk(t, source, target, path_start, channels, indptr, heads)
            if code != OK:
                return code, t, other, messages, sizes, hops
            length = path_start[t + 1] - path_start[t]
            if length < 1 or (not circuit and length != 1):
                return NOT_ONE_HOP, t, length, messages, sizes, hops
            longest = max(longest, length)
            if packed:
                c = channels[path_start[t]]
                if user[c] >= first and _same_path(user[c], t, path_start, channels):
                    size[c] += 1
                    largest = max(largest, size[c])
                    continue
                size[c] = 1
            largest = max(largest, 1)
            messages += 1
            if share == 2:
                code, other = _cross_nodes(t, first, path_start, channels, heads, inside, starter)
                if code != OK:
                    return code, t, other, messages, sizes, hops
            code, other = _take(
                t, first, path_start, channels, reverse, user, whole_links, room, taken
            )
            if code != OK:
                return code, t, other, messages, sizes, hops
            if ports > 0:
                code, other = _count_ports(
                    t, first, source, target, ports, half, sent, sent_by, got, got_by
                )
                if code != OK:
                    return code, t, other, messages, sizes, hops
        sizes += largest
        hops += longest
    return OK, -1, -1, messages, sizes, hops


@kernel(steps=lambda chunk, chunks, order: 3 * len(chunk) + chunks)
def by_chunk(chunk: IntArray, chunks: int, order: IntArray) -> IntArray:
    """Fill `order` with the transfers by chunk, in their order within a chunk (counting sort).

    Returns where each chunk starts.
    """
    start = np.zeros(chunks + 1, np.int64)
    for c in chunk:
        start[c + 1] += 1
    for c in range(chunks):
        start[c + 1] += start[c]
    place = start[:-1].copy()
    for t in range(len(chunk)):
        order[place[chunk[t]]] = t
        place[chunk[t]] += 1
    return start


def _delivery_steps(
    transfers: ByChunk,
    _: IntArray,
    origins: IntArray,
    destinations: IntArray,
    wanted: IntArray,
    holders: IntArray,
    promised: IntArray,
) -> int:
    each = 2 + len(holders) + (len(wanted) if len(destinations) else 0)
    return 4 * len(transfers.order) + len(origins) * each + len(promised)


@kernel(steps=_delivery_steps)
def check_delivery(
    transfers: ByChunk,
    path_start: IntArray,
    origins: IntArray,
    destinations: IntArray,
    wanted: IntArray,
    holders: IntArray,
    promised: IntArray,
) -> tuple[int, int, int, int, int, int, int]:
    """Follow every chunk: is it held where it is sent from, and does it arrive where promised?

    `holders` have every chunk from the start, besides its origin. `promised` says which nodes are
    promised chunks that all of `wanted` are to get; those of `destinations` are added. `path_start`
    may be empty where every path is one hop.

    Returns:
        bad (int): The first transfer whose source does not hold the chunk, or -1.
        duplicates (int): Arrivals of a chunk where it was already.
        missing_chunk, missing_node (int): The first promise not kept, or -1.
        served (int): Nodes among `wanted` and `destinations` that got all they were promised.
        missing (int): Promises not kept.
        chain (int): The longest chain of hops by which a chunk came to a node.
    """
    start, order, round_of, source, target = transfers
    nodes = len(promised)
    mark = np.full(nodes, -1, np.int64)
    arrival = np.zeros(nodes, np.int64)
    hops = np.zeros(nodes, np.int64)
    lacks = np.zeros(nodes, np.int64)
    bad = len(order)
    duplicates, missing, chain = 0, 0, 0
    missing_chunk, missing_node = -1, -1
    long = len(path_start) > 0
    for c in range(len(origins)):
        o = origins[c]
        mark[o] = c
        arrival[o] = -1
        hops[o] = 0
        for h in holders:
            mark[h] = c
            arrival[h] = -1
            hops[h] = 0
        for i in range(start[c], start[c + 1]):
            t = order[i]
            u, v = source[t], target[t]
            if mark[u] != c or arrival[u] >= round_of[t]:
                bad = min(bad, t)
                break
            if mark[v] == c:
                duplicates += 1
                continue
            mark[v] = c
            arrival[v] = round_of[t]
            hops[v] = hops[u] + (path_start[t + 1] - path_start[t] if long else 1)
            chain = max(chain, hops[v])
        own = destinations[c] >= 0
        if own:
            promised[destinations[c]] = True
        for i in range(1 if own else len(wanted)):
            v = destinations[c] if own else wanted[i]
            if mark[v] != c:
                lacks[v] += 1
                missing += 1
                if missing_chunk < 0:
                    missing_chunk, missing_node = c, v
    served = 0
    for v in range(nodes):
        served += promised[v] and lacks[v] == 0
    if bad == len(order):
        bad = -1
    return bad, duplicates, missing_chunk, missing_node, served, missing, chain


@kernel
def reduction_weights(
    transfers: ByChunk, chunk: int, root: int, nodes: int
) -> tuple[IntArray, int]:
    """How often each node's share of a chunk is counted at the root, exactly.

    Backwards in time: the weight of a node is the number of ways by which what it holds now ends up
    in the root. All transfers of a round read what was held before the round.

    Returns:
        weight (int64[nodes]): Must be 1 for every endpoint; saturates far beyond 1.
        useless (int): Transfers that add nothing.
    """
    _, order, round_of, source, target = transfers
    start, stop = transfers.start[chunk], transfers.start[chunk + 1]
    weight = np.zeros(nodes, np.int64)
    weight[root] = 1
    add = np.zeros(max(stop - start, 1), np.int64)
    useless = 0
    high = stop
    while high > start:
        low = high - 1
        while low > start and round_of[order[low - 1]] == round_of[order[high - 1]]:
            low -= 1
        for i in range(low, high):
            add[i - start] = weight[target[order[i]]]
            useless += add[i - start] == 0
        for i in range(low, high):
            u = source[order[i]]
            weight[u] = min(weight[u] + add[i - start], 1 << 60)
        high = low
    return weight, useless


@kernel(steps=lambda transfers, roots, wanted, nodes: 8 * len(transfers.order) + len(roots) * nodes)
def check_reduce(
    transfers: ByChunk, roots: IntArray, wanted: IntArray, nodes: int
) -> tuple[int, int, int, int, int]:
    """Is every share of every chunk counted exactly once at the root of the chunk?

    Returns:
        chunk, node, times (int): The first share that is not, and how often it is; chunk -1 when
            all are.
        useless (int): Transfers that add nothing.
        served (int): Roots that have every share of all their chunks once.
    """
    chunk, node, times, useless = -1, -1, 1, 0
    state = np.zeros(nodes, np.int8)  # 1: a root, 2: one that lacks something
    for c in range(len(transfers.start) - 1):
        root = roots[c]
        state[root] = max(state[root], 1)
        weight, wasted = reduction_weights(transfers, c, root, nodes)
        useless += wasted
        for v in wanted:
            if weight[v] != 1:
                state[root] = 2
                if chunk < 0:
                    chunk, node, times = c, v, weight[v]
    return chunk, node, times, useless, np.sum(state == 1)


@kernel
def combine_sets(
    transfers: ByChunk, chunk: int, held: IntArray, old: IntArray, ops: IntArray
) -> tuple[int, int, int]:
    """Carry out an all-reduce of one chunk on sets of shares.

    `held[v]` is the bit set of shares in node v's sum, `old` is working memory of the same shape;
    `ops` gets what each transfer does (COPY, ADD, NOTHING).
    An arriving sum that contains all that is there replaces it; one that is contained brings
    nothing; others are added, and count a share twice if they have one in common.

    Returns:
        bad, share (int): The first transfer that would count a share twice, and that share; -1 if
            there is none.
        duplicates: int
    """
    _, order, round_of, source, target = transfers
    start, stop = transfers.start[chunk], transfers.start[chunk + 1]
    nodes, words = held.shape
    saved = np.full(nodes, -1, np.int64)
    incoming = np.empty(words, np.uint64)
    bad, bad_share, duplicates = -1, -1, 0
    i = start
    while i < stop:
        last = i
        while last < stop and round_of[order[last]] == round_of[order[i]]:
            v = target[order[last]]
            if saved[v] < i:  # what was there before this round
                saved[v] = i
                for w in range(words):
                    old[v, w] = held[v, w]
            last += 1
        for j in range(i, last):
            t = order[j]
            u, v = source[t], target[t]
            changed = saved[u] >= i
            inside, outside, share = True, True, -1
            for w in range(words):
                incoming[w] = old[u, w] if changed else held[u, w]
                both = incoming[w] & held[v, w]
                if both != 0 and share < 0:
                    share = 64 * w + lowest(both)
                inside = inside and both == incoming[w]
                outside = outside and both == held[v, w]
            duplicates += inside and share >= 0
            if outside:
                ops[t] = COPY
                for w in range(words):
                    held[v, w] = incoming[w]
            elif inside:
                ops[t] = NOTHING
            else:
                ops[t] = ADD
                for w in range(words):
                    held[v, w] |= incoming[w]
                if share >= 0 and bad < 0:
                    bad, bad_share = t, share
        i = last
    return bad, bad_share, duplicates


def _all_reduce_steps(transfers: ByChunk, _: IntArray, held: IntArray, *__: IntArray) -> int:
    nodes, words = held.shape
    return 10 * words * len(transfers.order) + (3 + 2 * words) * nodes * len(transfers.start)


@kernel(steps=_all_reduce_steps)
def check_all_reduce(
    transfers: ByChunk, ends: IntArray, held: IntArray, old: IntArray, ops: IntArray
) -> tuple[int, int, int, int, int, int, int]:
    """Carry out an all-reduce of all chunks; `held` and `old` are working memory.

    `ops` gets what each transfer does, as in :func:`combine_sets`.

    Returns:
        bad, share (int): The first transfer that would count a share twice, and that share; -1 if
            there is none.
        duplicates: int
        missing_chunk, missing_node, missing_share (int): The first share that has not come
            everywhere, or -1.
        served (int): Endpoints that have all shares of all chunks.
    """
    bad, bad_share, duplicates = -1, -1, 0
    missing_chunk, missing_node, missing_share = -1, -1, -1
    lacks = np.zeros(len(held), np.bool_)
    full = np.zeros(held.shape[1], np.uint64)
    for v in ends:
        full[v // 64] |= np.uint64(1) << np.uint64(v % 64)
    for c in range(len(transfers.start) - 1):
        held[:] = 0
        for v in ends:
            held[v, v // 64] = np.uint64(1) << np.uint64(v % 64)
        t, share, wasted = combine_sets(transfers, c, held, old, ops)
        duplicates += wasted
        if t >= 0 and (bad < 0 or t < bad):
            bad, bad_share = t, share
        for v in ends:
            for w in range(len(full)):
                gap = full[w] & ~held[v, w]
                if gap != 0:
                    lacks[v] = True
                    if missing_chunk < 0:
                        missing_chunk, missing_node = c, v
                        missing_share = 64 * w + lowest(gap)
                    break
    served = 0
    for v in ends:
        served += not lacks[v]
    return bad, bad_share, duplicates, missing_chunk, missing_node, missing_share, served


@kernel
def check_shared(
    transfers: Transfers,
    order: IntArray,
    lane: IntArray,
    speed: Floats,
    limits: IntArray,
    half: bool,
    packed: bool,
    may_end: IntArray,
) -> tuple[int, int, int, int, float, int]:
    """Check paths, ends and port limits; channels may be shared.

    Args:
        order (int64[transfers]): The transfers by round, and within a round by message.
        lane (int64[channels]): What the load of a channel is counted on: itself, or one of the two
            channels of its link.
        speed: float64[channels]
        limits (int64[2, nodes]): Messages that each node may send and receive in a round; in half
            duplex the first row is for both together.
        may_end (bool[nodes]): Where a message may start and end.

    Returns:
        code, transfer, other (int): The first violation, or OK.
        messages: int
        sizes (float): Sum over rounds of the time of the busiest channel, in chunks per capacity.
        hops (int): Sum over rounds of the longest path.
    """
    round_start, source, target, path_start, channels, indptr, heads = transfers
    nodes = len(indptr) - 1
    load = np.zeros(len(heads), np.float64)
    loaded = np.full(len(heads), -1, np.int64)
    count = np.zeros((2, nodes), np.int64)
    counted = np.full((2, nodes), -1, np.int64)
    by = np.full((2, nodes), -1, np.int64)
    messages, sizes, hops = 0, 0.0, 0
    for r in range(len(round_start) - 1):
        largest, longest = 0.0, 0
        for i in range(round_start[r], round_start[r + 1]):
            t = order[i]
            code, other = _walk(t, source, target, path_start, channels, indptr, heads)
            if code != OK:
                return code, t, other, messages, sizes, hops
            length = path_start[t + 1] - path_start[t]
            if length < 1:
                return NOT_ONE_HOP, t, length, messages, sizes, hops
            longest = max(longest, length)
            for j in range(path_start[t], path_start[t + 1]):
                c = lane[channels[j]]
                if loaded[c] != r:
                    loaded[c] = r
                    load[c] = 0.0
                load[c] += 1.0 / speed[c]
                largest = max(largest, load[c])
            if packed and i > round_start[r]:
                before = order[i - 1]
                if source[before] == source[t] and _same_path(before, t, path_start, channels):
                    continue
            messages += 1
            u, v = source[t], target[t]
            if not may_end[u]:
                return SWITCH_END, t, u, messages, sizes, hops
            if not may_end[v]:
                return SWITCH_END, t, v, messages, sizes, hops
            for side in range(2):
                node = v if side else u
                row = 0 if half else side
                if counted[row, node] != r:
                    counted[row, node] = r
                    count[row, node] = 0
                count[row, node] += 1
                if count[row, node] > limits[row, node]:
                    if half:
                        code = TARGET_TAKES_PART if side else SOURCE_TAKES_PART
                    else:
                        code = RECEIVES if side else SENDS
                    return code, t, max(by[row, node], 0), messages, sizes, hops
                by[row, node] = t
        sizes += largest
        hops += longest
    return OK, -1, -1, messages, sizes, hops


@kernel(steps=lambda round_start, target, adds, nodes: 2 * len(target))
def additions(round_start: IntArray, target: IntArray, adds: IntArray, nodes: int) -> int:
    """Sum over rounds of the most chunks that one node adds up; `adds` marks the transfers."""
    count = np.zeros(nodes, np.int64)
    counted = np.full(nodes, -1, np.int64)
    total = 0
    for r in range(len(round_start) - 1):
        most = 0
        for t in range(round_start[r], round_start[r + 1]):
            if adds[t]:
                v = target[t]
                if counted[v] != r:
                    counted[v] = r
                    count[v] = 0
                count[v] += 1
                most = max(most, count[v])
        total += most
    return total
