"""Rounds for the hops of a plan: greedy, then pushed to and fro (numba)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.grid_kernels import draw, seeded
from hopscape.core.kernel import helper, kernel


@kernel(steps=lambda before: 8 * len(before))
def heights(before: IntArray) -> IntArray:
    """How many hops follow each hop on the longest chain; `before` may name hops in any order."""
    hops = len(before)
    children = np.zeros(hops, np.int64)
    for e in range(hops):
        if before[e] >= 0:
            children[before[e]] += 1
    out = np.zeros(hops, np.int64)
    ready = np.empty(hops, np.int64)
    count = 0
    for e in range(hops):
        if children[e] == 0:
            ready[count] = e
            count += 1
    i = 0
    while i < count:
        e = ready[i]
        i += 1
        p = before[e]
        if p >= 0:
            out[p] = max(out[p], out[e] + 1)
            children[p] -= 1
            if children[p] == 0:
                ready[count] = p
                count += 1
    return out


@kernel
def _children(before: IntArray) -> tuple[IntArray, IntArray]:
    """Where the hops after each hop begin in the second array; the first ones at the end."""
    hops = len(before)
    start = np.zeros(hops + 2, np.int64)
    for e in range(hops):
        start[(before[e] if before[e] >= 0 else hops) + 1] += 1
    for e in range(hops + 1):
        start[e + 1] += start[e]
    at = start[:-1].copy()
    out = np.empty(hops, np.int64)
    for e in range(hops):
        p = before[e] if before[e] >= 0 else hops
        out[at[p]] = e
        at[p] += 1
    return start, out


@kernel(steps=lambda channel, *_: 30 * len(channel))
def time_hops(
    channel: IntArray, before: IntArray, urgent: IntArray, room: IntArray, order: IntArray
) -> IntArray:
    """The round of every hop: each channel serves first what is most urgent.

    Args:
        channel: int64[hops]
        before (int64[hops]): The hop that must be made in an earlier round, or -1.
        urgent (int64[hops]): From 0; the hops that follow, for example, as :func:`heights` counts
            them.
        room (int64[channels]): How many hops each channel serves in a round.
        order (int64[hops]): A permutation that breaks ties.
    """
    hops, channels = len(channel), len(room)
    tallest = 0
    for e in range(hops):
        tallest = max(tallest, urgent[e])
    start, after = _children(before)
    first = np.full((channels, tallest + 1), -1, np.int64)
    top = np.full(channels, -1, np.int64)
    link = np.full(hops, -1, np.int64)
    out = np.full(hops, -1, np.int64)
    fresh = np.empty(hops, np.int64)
    count = 0
    for i in range(hops):
        if before[order[i]] < 0:
            fresh[count] = order[i]
            count += 1
    done, r = 0, 0
    while done < hops:
        for i in range(count):
            e = fresh[i]
            c, h = channel[e], urgent[e]
            link[e] = first[c, h]
            first[c, h] = e
            top[c] = max(top[c], h)
        count = 0
        for c in range(channels):
            for _ in range(room[c]):
                while top[c] >= 0 and first[c, top[c]] < 0:
                    top[c] -= 1
                if top[c] < 0:
                    break
                e = first[c, top[c]]
                first[c, top[c]] = link[e]
                out[e] = r
                done += 1
                for j in range(start[e], start[e + 1]):
                    fresh[count] = after[j]
                    count += 1
        r += 1
    return out


@kernel
def _pass(channel, before, room, rounds, last, late):  # type: ignore[no-untyped-def]
    """Move every hop as late (or as early) as its channel and the hops after (before) it allow.

    `rounds` is changed. Hops are taken by falling (rising) round, so that none moves the other way.
    """
    hops = len(channel)
    used = np.zeros((len(room), last + 1), np.int32)
    limit = np.full(hops, last, np.int64)
    start = np.zeros(last + 2, np.int64)
    for e in range(hops):
        start[rounds[e] + 1] += 1
    for r in range(last + 1):
        start[r + 1] += start[r]
    order = np.empty(hops, np.int64)
    at = start[:-1].copy()
    for e in range(hops):
        order[at[rounds[e]]] = e
        at[rounds[e]] += 1
    for i in range(hops):
        e = order[hops - 1 - i] if late else order[i]
        c, p = channel[e], before[e]
        if late:
            r = limit[e]
            while used[c, r] >= room[c]:
                r -= 1
            if p >= 0:
                limit[p] = min(limit[p], r - 1)
        else:
            r = rounds[p] + 1 if p >= 0 else 0
            while used[c, r] >= room[c]:
                r += 1
        used[c, r] += 1
        rounds[e] = r


@kernel(steps=lambda channel, *_: 20 * len(channel))
def push_hops(
    channel: IntArray, before: IntArray, room: IntArray, rounds: IntArray, least: int, passes: int
) -> int:
    """Shorten a plan by pushing all hops late, then early, again and again, in place.

    Known from project scheduling as forward-backward improvement (Li and Willis, 1992). Ends when
    `least` rounds are reached or nothing changes any more.

    Returns:
        int: The number of rounds.
    """
    last = -1
    for r in rounds:
        last = max(last, r)
    for _ in range(passes):
        if last + 1 <= least:
            break
        before_pass = last
        _pass(channel, before, room, rounds, last, True)
        lowest = last
        for r in rounds:
            lowest = min(lowest, r)
        rounds -= lowest
        last -= lowest
        _pass(channel, before, room, rounds, last, False)
        last = -1
        for r in rounds:
            last = max(last, r)
        if last == before_pass and lowest == 0:
            break
    return last + 1


@kernel
def time_paths(
    start: IntArray, channels: IntArray, before: IntArray, room: IntArray, order: IntArray
) -> IntArray:
    """The round of every path that is held as a whole: in each round all that fit, in order.

    Args:
        start (int64[paths + 1]): Path p holds ``channels[start[p]:start[p + 1]]`` in its round.
        before (int64[paths]): The path that must be held in an earlier round, or -1.
        room: int64[channels]
        order (int64[paths]): The most urgent first.
    """
    paths = len(start) - 1
    out = np.full(paths, -1, np.int64)
    waiting = order.copy()
    count, r = paths, 0
    used = np.zeros(len(room), np.int64)
    while count > 0:
        used[:] = 0
        left = 0
        for i in range(count):
            p = waiting[i]
            fits = before[p] < 0 or 0 <= out[before[p]] < r
            for j in range(start[p], start[p + 1]):
                fits = fits and used[channels[j]] < room[channels[j]]
            if fits:
                out[p] = r
                for j in range(start[p], start[p + 1]):
                    used[channels[j]] += 1
            else:
                waiting[left] = p
                left += 1
        count = left
        r += 1
    return out


class WaveMessages(NamedTuple):
    """Which paths are one message if they are held in the same round.

    Attributes:
        way (int64[paths]): Equal for paths that are the same.
        source, target (int64[paths]): Where each path starts and ends.
        limits (int64[2, nodes]): Messages that a node may send and receive in a round.
    """

    way: IntArray
    source: IntArray
    target: IntArray
    limits: IntArray


@kernel
def time_messages(
    start: IntArray,
    channels: IntArray,
    before: IntArray,
    room: IntArray,
    order: IntArray,
    messages: WaveMessages,
) -> IntArray:
    """As :func:`time_paths`, where chunks on the same way in a round are one message."""
    way, source, target, limits = messages
    paths = len(start) - 1
    out = np.full(paths, -1, np.int64)
    waiting = order.copy()
    count, r = paths, 0
    used = np.zeros(len(room), np.int64)
    open_in = np.full(paths, -1, np.int64)  # the last round with a message on this way
    sent = np.zeros(limits.shape, np.int64)
    while count > 0:
        used[:] = 0
        sent[:] = 0
        left = 0
        for i in range(count):
            p = waiting[i]
            fits = before[p] < 0 or 0 <= out[before[p]] < r
            u, v = source[p], target[p]
            opens = open_in[way[p]] != r
            if opens:
                fits = fits and sent[0, u] < limits[0, u] and sent[1, v] < limits[1, v]
            for j in range(start[p], start[p + 1]):
                fits = fits and used[channels[j]] < room[channels[j]]
            if fits:
                out[p] = r
                if opens:
                    open_in[way[p]] = r
                    sent[0, u] += 1
                    sent[1, v] += 1
                for j in range(start[p], start[p + 1]):
                    used[channels[j]] += 1
            else:
                waiting[left] = p
                left += 1
        count = left
        r += 1
    return out


@kernel
def place_messages(
    start: IntArray,
    channels: IntArray,
    before: IntArray,
    room: IntArray,
    order: IntArray,
    messages: WaveMessages,
    period: int,
    share: float,
) -> tuple[IntArray, float]:
    """Rounds in which paths can be held again and again, every `period` rounds; messages as above.

    Every path takes the earliest of `period` rounds after the one before it in which the busiest
    channel becomes least busier.

    Args:
        order (int64[paths]): Every path after the one before it.
        share: What the busiest channel may carry in a round, by its room, before it counts.

    Returns:
        The rounds (of no path, where nodes have too many messages), and how long the busiest
        channels of a period are busy.
    """
    way, source, target, limits = messages
    paths = len(start) - 1
    out = np.full(paths, -1, np.int64)
    load = np.zeros((period, len(room)), np.int64)
    worst = np.full(period, share)
    opened = np.zeros((period, paths), np.bool_)
    sent = np.zeros((period, 2, limits.shape[1]), np.int64)
    for p in order:
        u, v = source[p], target[p]
        first = out[before[p]] + 1 if before[p] >= 0 else 0
        best, least = -1, np.inf
        for r in range(first, first + period):
            s = r % period
            full = sent[s, 0, u] >= limits[0, u] or sent[s, 1, v] >= limits[1, v]
            if full and not opened[s, way[p]]:
                continue
            peak = worst[s]
            for j in range(start[p], start[p + 1]):
                peak = max(peak, (load[s, channels[j]] + 1) / room[channels[j]])
            if peak - worst[s] < least - 1e-9:
                best, least = r, peak - worst[s]
        if best < 0:
            return out[:0], least
        s = best % period
        out[p] = best
        worst[s] += least
        if not opened[s, way[p]]:
            opened[s, way[p]] = True
            sent[s, 0, u] += 1
            sent[s, 1, v] += 1
        for j in range(start[p], start[p + 1]):
            load[s, channels[j]] += 1
    total = 0.0
    for s in range(period):
        peak = 0.0
        for c in range(len(room)):
            peak = max(peak, load[s, c] / room[c])
        total += peak
    return out, total


Ends = tuple[IntArray, IntArray]
"""The tails and the heads of all channels."""


@kernel(steps=lambda start, channels, *_: 10 * len(channels))
def tree_hops(
    start: IntArray, channels: IntArray, chunk: IntArray, ends: Ends, nodes: int
) -> tuple[IntArray, IntArray, IntArray]:
    """Hops of paths, such that a chunk comes to every node once.

    Paths are given chunk by chunk, each after the one that reaches its start. A path begins where
    it leaves the nodes that the chunk has reached.

    Returns:
        channel, before, path: int64[hops]
    """
    tails, heads = ends
    mark = np.full(nodes, -1, np.int64)
    came = np.full(nodes, -1, np.int64)
    out = np.empty(len(channels), np.int64)
    before = np.empty(len(channels), np.int64)
    whose = np.empty(len(channels), np.int64)
    count = 0
    for p in range(len(start) - 1):
        c = chunk[p]
        first = tails[channels[start[p]]]
        if p == 0 or chunk[p - 1] != c:
            mark[first], came[first] = c, -1
        if mark[heads[channels[start[p + 1] - 1]]] == c:
            continue
        low = start[p + 1] - 1
        while mark[tails[channels[low]]] != c:
            low -= 1
        for j in range(low, start[p + 1]):
            out[count] = channels[j]
            before[count] = came[tails[channels[j]]]
            whose[count] = p
            mark[heads[channels[j]]], came[heads[channels[j]]] = c, count
            count += 1
    return out[:count], before[:count], whose[:count]


@kernel
def place_periodically(
    channel: IntArray, before: IntArray, room: IntArray, order: IntArray, period: int
) -> IntArray:
    """The earliest round for each hop, in the order given, that is free in every period.

    `order` has every hop after the one before it; `period` is at least the load of each channel.
    """
    used = np.zeros((len(room), period), np.int32)
    out = np.empty(len(channel), np.int64)
    for e in order:
        c = channel[e]
        r = out[before[e]] + 1 if before[e] >= 0 else 0
        while used[c, r % period] >= room[c]:
            r += 1
        used[c, r % period] += 1
        out[e] = r
    return out


@kernel(steps=lambda start, order, *_: 5 * len(order))
def hops_before(
    start: IntArray,
    order: IntArray,
    source: IntArray,
    target: IntArray,
    origins: IntArray,
    nodes: int,
) -> IntArray:
    """The transfer that brought each transfer's chunk to its source, -1 at the chunk's origin.

    Transfers are given chunk by chunk, by rising round in each; -2 where the chunk never came.
    """
    out = np.full(len(order), -2, np.int64)
    mark = np.full(nodes, -1, np.int64)
    came = np.full(nodes, -1, np.int64)
    for c in range(len(start) - 1):
        mark[origins[c]], came[origins[c]] = c, -1
        for i in range(start[c], start[c + 1]):
            t = order[i]
            if mark[source[t]] == c:
                out[t] = came[source[t]]
            if mark[target[t]] != c:
                mark[target[t]], came[target[t]] = c, t
    return out


@helper
def _take(start, channels, used, p, r, by):  # type: ignore[no-untyped-def]
    """Count path p in round r, or no longer."""
    for j in range(start[p], start[p + 1]):
        used[r, channels[j]] += by


@helper
def _meets(start, channels, used, room, p, r):  # type: ignore[no-untyped-def]
    """How many others path p would meet in round r beyond the room of its channels."""
    out = 0
    for j in range(start[p], start[p + 1]):
        c = channels[j]
        out += max(0, used[r, c] + 1 - room[c])
    return out


@helper
def _elsewhere(start, channels, used, room, p, now, state):  # type: ignore[no-untyped-def]
    """Another round than now in which path p meets fewest, ties at random."""
    best, least, ties = now, 1 << 30, 0
    for r in range(len(used)):
        here = _meets(start, channels, used, room, p, r) if r != now else 1 << 30
        if here < least:
            best, least, ties = r, here, 1
        elif here == least:
            ties += 1
            if draw(state, ties) == 0:
                best = r
    return best


@helper
def _crowded(start, channels, used, room, rounds, out):  # type: ignore[no-untyped-def]
    """Fill in the paths that meet others; how many they are."""
    count = 0
    for p in range(len(rounds)):
        for j in range(start[p], start[p + 1]):
            if used[rounds[p], channels[j]] > room[channels[j]]:
                out[count] = p
                count += 1
                break
    return count


@kernel
def settle_paths(
    start: IntArray,
    channels: IntArray,
    room: IntArray,
    rounds: IntArray,
    total: int,
    moves: int,
    seed: int,
) -> int:
    """Give paths that wait for nothing other rounds below `total`, until none meets another.

    Paths of rounds beyond are dealt out first. Then a path that meets others takes the round in
    which it meets fewest, and keeps that for a while (tabu search). `rounds` is changed.

    Returns:
        int: Paths that still meet others when last counted; 0: the rounds are right.
    """
    state = seeded(seed)
    used = np.zeros((total, len(room)), np.int16)
    still, crowd = np.zeros(len(rounds), np.int64), np.empty(len(rounds), np.int64)
    for p in range(len(rounds)):
        if rounds[p] >= total:
            rounds[p] = draw(state, total)
        _take(start, channels, used, p, rounds[p], 1)
    count, move = _crowded(start, channels, used, room, rounds, crowd), 0
    while count > 0 and move < moves:
        for _ in range(max(1, count // 2)):
            move += 1
            p = crowd[draw(state, count)]
            if still[p] > move:
                continue
            _take(start, channels, used, p, rounds[p], -1)
            if _meets(start, channels, used, room, p, rounds[p]) > 0:
                rounds[p] = _elsewhere(start, channels, used, room, p, rounds[p], state)
                still[p] = move + 10 + draw(state, 10 + count)
            _take(start, channels, used, p, rounds[p], 1)
        count = _crowded(start, channels, used, room, rounds, crowd)
    return count


@kernel
def push_paths(
    start: IntArray,
    channels: IntArray,
    before: IntArray,
    room: IntArray,
    order: IntArray,
    total: int,
    late: bool,
) -> IntArray:
    """A round below `total` for every path: the first that is free, in order; late: the last.

    Args:
        order (int64[paths]): Every path after the one before it; late, before it.

    Returns:
        int64[paths]: Nothing, where some path finds no round.
    """
    paths = len(before)
    out = np.full(paths, -1, np.int64)
    ready = np.zeros(paths, np.int64)
    used = np.zeros((len(room), total), np.int16)
    free = np.empty((len(room), total + 1), np.int32)  # towards the next round that is not full
    free[:] = np.arange(total + 1)
    for p in order:
        prior = before[p]
        r = ready[p] if late or prior < 0 else out[prior] + 1
        begin, end = start[p], start[p + 1]
        j = begin
        while j < end and r < total:
            c, at = channels[j], r
            while free[c, at] != at:
                free[c, at] = free[c, free[c, at]]
                at = free[c, at]
            j = j + 1 if at == r else begin  # later: again from the first channel
            r = at
        if r >= total:
            return out[:0]
        for j in range(begin, end):
            c = channels[j]
            used[c, r] += 1
            if used[c, r] >= room[c]:
                free[c, r] = r + 1
        out[p] = r
        if late and prior >= 0:
            ready[prior] = max(ready[prior], r + 1)
    return total - 1 - out if late else out


@kernel
def flow_paths(
    first: IntArray,
    order: IntArray,
    heads: IntArray,
    flow: IntArray,
    source: int,
    count: int,
    hops: int,
    rounds: int,
) -> tuple[IntArray, IntArray]:
    """Take a flow of whole numbers without cycles apart into paths of one unit each.

    Args:
        first, order: The arcs out of node v are ``order[first[v]:first[v + 1]]``.
        flow: What flows over each arc; used up.
        hops: Arcs below it are hops, the others only wait, or lead to the sink (the last node).
        rounds: No path has more hops.

    Returns:
        arcs (int64[count, rounds]): The hops of each path, -1 behind them.
        last (int64[count]): The node before the sink.
    """
    sink = len(first) - 2
    out = np.full((count, rounds), -1, np.int64)
    last = np.zeros(count, np.int64)
    place = first[:-1].copy()
    for i in range(count):
        v, k = np.int64(source), 0
        while v != sink:
            while flow[order[place[v]]] == 0:
                place[v] += 1
            a = order[place[v]]
            flow[a] -= 1
            if a < hops:
                out[i, k] = a
                k += 1
            last[i] = v
            v = heads[a]
    return out, last
