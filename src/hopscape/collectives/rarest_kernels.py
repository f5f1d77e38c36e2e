"""Rounds of unit messages by local search: what fewest nodes have goes first (numba).

A round is filled delivery by delivery. One for which there is no room makes room by moving others
to other ways, as augmenting paths of matchings do. Rounds are undone and filled anew at random.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray, UInt64s
from hopscape.core.grid_kernels import draw, seeded
from hopscape.core.kernel import helper, kernel

NEVER = 1 << 30
"""The round of what has not come."""


class Ways(NamedTuple):
    """How a chunk gets from one node to another within a round, sorted by target.

    Attributes:
        source: int64[ways]
        into (int64[nodes + 1]): The ways into node v are ``into[v]`` to ``into[v + 1]``.
        start (int64[ways + 1]): Way w holds ``lane[start[w]:start[w + 1]]``.
        lane: int64[...]
        room (int64[lanes]): How many ways each lane takes in a round.
    """

    source: IntArray
    into: IntArray
    start: IntArray
    lane: IntArray
    room: IntArray


class _Round(NamedTuple):
    """The deliveries of the round that is being filled, and who holds the lanes.

    Attributes:
        node, chunk, way (int64[deliveries]): Way -1: taken back.
        used (int64[lanes]): Ways on each lane.
        first (int64[lanes + 1]), holder: The deliveries on lane k are ``holder[first[k]:...]``.
        made (int64[1]): Deliveries so far.
    """

    node: IntArray
    chunk: IntArray
    way: IntArray
    used: IntArray
    first: IntArray
    holder: IntArray
    made: IntArray


class _Search(NamedTuple):
    """Deliveries that may make room: the one itself (-1: a new one), its node and chunk, who asks
    for its lanes, and the way and chunk that the asker would then take."""

    which: IntArray
    node: IntArray
    chunk: IntArray
    asker: IntArray
    way: IntArray
    other: IntArray
    seen: IntArray


class _State(NamedTuple):
    """What has come where, what each node wants first, random numbers and steps so far."""

    arrive: IntArray
    via: IntArray
    wanted: IntArray
    ranked: IntArray
    random: UInt64s
    work: IntArray


@helper
def _blocker(now, ways, w, own, state):  # type: ignore[no-untyped-def]
    """-1: way w is free (but for `own`); the one delivery that is on it; -2: there are more."""
    out = np.int64(-1)
    for j in range(ways.start[w], ways.start[w + 1]):
        k = ways.lane[j]
        if now.used[k] < ways.room[k]:
            continue
        low = now.first[k]
        mine = np.int64(0)
        for i in range(low, low + now.used[k]):
            mine += now.holder[i] == own or (out >= 0 and now.holder[i] == out)
        if mine > 0:
            continue
        if out >= 0:
            return np.int64(-2)
        out = now.holder[low + draw(state, now.used[k])]
    return out


@helper
def _hold(now, ways, d, w):  # type: ignore[no-untyped-def]
    """Delivery d takes way w."""
    now.way[d] = w
    for j in range(ways.start[w], ways.start[w + 1]):
        k = ways.lane[j]
        now.holder[now.first[k] + now.used[k]] = d
        now.used[k] += 1


@helper
def _leave(now, ways, d):  # type: ignore[no-untyped-def]
    """Delivery d gives its way free."""
    w = now.way[d]
    for j in range(ways.start[w], ways.start[w + 1]):
        k = ways.lane[j]
        low = now.first[k]
        for i in range(low, low + now.used[k]):
            if now.holder[i] == d:
                now.holder[i] = now.holder[low + now.used[k] - 1]
                break
        now.used[k] -= 1
    now.way[d] = -1


@helper
def _fits(now, ways, w):  # type: ignore[no-untyped-def]
    for j in range(ways.start[w], ways.start[w + 1]):
        if now.used[ways.lane[j]] >= ways.room[ways.lane[j]]:
            return False
    return True


@helper
def _carry_out(now, ways, found, last, w, c, arrive, r):  # type: ignore[no-untyped-def]
    """Let the last delivery of a search take way w with chunk c, and each asker what it asked for.

    False, and nothing is changed, where two of the new ways meet.
    """
    depth, at = 0, last
    while at >= 0:
        depth += 1
        at = found.asker[at]
    old_way, old_chunk = np.empty(depth, np.int64), np.empty(depth, np.int64)
    who = np.empty(depth, np.int64)
    at, way, chunk = last, w, c
    right, done = True, 0
    while at >= 0:
        d, v = found.which[at], found.node[at]
        old_way[done], old_chunk[done] = -1, -1
        if d >= 0:
            old_way[done], old_chunk[done] = now.way[d], now.chunk[d]
            arrive[v, now.chunk[d]] = NEVER
            _leave(now, ways, d)
        else:
            d = now.made[0]
            now.made[0] += 1
            now.node[d], now.way[d] = v, -1
        who[done] = d
        done += 1
        if arrive[v, chunk] != NEVER or not _fits(now, ways, way):
            right = False
            break
        _hold(now, ways, d, way)
        now.chunk[d] = chunk
        arrive[v, chunk] = r
        way, chunk, at = found.way[at], found.other[at], found.asker[at]
    if right:
        return True
    for i in range(done - 1, -1, -1):
        d = who[i]
        if now.way[d] >= 0:
            arrive[now.node[d], now.chunk[d]] = NEVER
            _leave(now, ways, d)
        if old_way[i] < 0:
            now.made[0] -= 1
    for i in range(done):
        if old_way[i] >= 0:
            now.chunk[who[i]] = old_chunk[i]
            arrive[now.node[who[i]], old_chunk[i]] = r
            _hold(now, ways, who[i], old_way[i])
    return False


@helper
def _rarest(u, v, r, arrive, ranked):  # type: ignore[no-untyped-def]
    """The first chunk of v's list that u has and v lacks, or -1."""
    for i in range(ranked.shape[1]):
        c = ranked[v, i]
        if arrive[v, c] == NEVER and arrive[u, c] < r:
            return c
    return np.int64(-1)


@helper
def _deliver(now, ways, found, v, c, r, board, most):  # type: ignore[no-untyped-def]
    """One more delivery to node v, of chunk c (-1: of any); others make room. False: there is none.

    Others keep their chunks where v is to have chunk c, and may take others where v has any.
    """
    arrive, _, _, ranked, state, work = board
    found.which[0], found.node[0], found.chunk[0], found.asker[0] = -1, v, c, -1
    head, tail = 0, 1
    stamp = now.made[0]
    for i in range(stamp):
        found.seen[i] = 0
    while head < tail:
        at = head
        head += 1
        node, chunk, own = found.node[at], found.chunk[at], found.which[at]
        low, count = ways.into[node], ways.into[node + 1] - ways.into[node]
        turn = draw(state, count) if count else 0
        for i in range(count):
            w = low + (i + turn) % count
            work[0] += 1
            if own >= 0 and w == now.way[own]:
                continue
            u, other = ways.source[w], chunk
            if chunk < 0 or arrive[u, chunk] >= r:
                if c >= 0:
                    continue
                other = _rarest(u, node, r, arrive, ranked)
                work[0] += ranked.shape[1] // 4
                if other < 0:
                    continue
            block = _blocker(now, ways, w, own, state)
            if block == -1:
                if _carry_out(now, ways, found, at, w, other, arrive, r):
                    return True
            elif block >= 0 and found.seen[block] == 0 and tail < most:
                found.seen[block] = 1
                found.which[tail], found.node[tail] = block, now.node[block]
                found.chunk[tail], found.asker[tail] = now.chunk[block], at
                found.way[tail], found.other[tail] = w, other
                tail += 1
    return False


@helper
def _rank(v, held, noise, ranked, state):  # type: ignore[no-untyped-def]
    """Put the chunks of v's list in the order of how many nodes have them, ties at random."""
    chunks = len(held)
    key, top = np.empty(chunks, np.int64), np.int64(0)
    for c in range(chunks):
        key[c] = held[c] + (draw(state, noise + 1) if noise else 0)
        top = max(top, key[c])
    begin = np.zeros(top + 2, np.int64)
    for c in range(chunks):
        begin[key[c] + 1] += 1
    for k in range(top + 1):
        begin[k + 1] += begin[k]
    turn = draw(state, chunks)
    for i in range(chunks):
        c = (i * _STRIDE + turn) % chunks if chunks % _STRIDE else (i + turn) % chunks
        ranked[v, begin[key[c]]] = c
        begin[key[c]] += 1


_STRIDE = 7919  # a prime: chunks of neighbours in number do not follow each other


@helper
def _fill(now, ways, found, r, board, noise):  # type: ignore[no-untyped-def]
    """Fill round r."""
    arrive, via, wanted, ranked, state, work = board
    nodes, chunks = arrive.shape
    now.used[:] = 0
    now.made[0] = 0
    held = np.zeros(chunks, np.int64)
    lacks = np.zeros(nodes, np.int64)
    for v in range(nodes):
        for c in range(chunks):
            if arrive[v, c] < r:
                held[c] += wanted[v]
            else:
                lacks[v] += 1
    key = np.empty(nodes, np.int64)
    for v in range(nodes):
        width = max(1, ways.into[v + 1] - ways.into[v])
        key[v] = -((lacks[v] * 64) // width) * (1 + 3 * wanted[v]) + draw(state, 1 + 16 * noise)
    order = np.argsort(key)
    for i in range(nodes):
        v = order[i]
        _rank(v, held, noise, ranked, state)
        work[0] += 3 * chunks
        full = ways.into[v + 1] - ways.into[v]
        for j in range(chunks):
            c = ranked[v, j]
            if arrive[v, c] != NEVER or full == 0:
                continue
            work[0] += 1
            if _deliver(now, ways, found, v, c, r, board, 24):
                held[c] += wanted[v]
            elif not _any_free(now, ways, v):
                break
    for i in range(nodes):
        v = order[i]
        while lacks[v] > 0 and _deliver(
            now, ways, found, v, np.int64(-1), r, board, len(found.which)
        ):
            work[0] += 1
    for d in range(now.made[0]):
        via[now.node[d], now.chunk[d]] = now.way[d]


@helper
def _any_free(now, ways, v):  # type: ignore[no-untyped-def]
    """Has some way into v room left?"""
    for w in range(ways.into[v], ways.into[v + 1]):
        if now.used[ways.lane[ways.start[w + 1] - 1]] < ways.room[ways.lane[ways.start[w + 1] - 1]]:
            return True
    return False


@helper
def _missing(arrive, wanted):  # type: ignore[no-untyped-def]
    out = 0
    for v in range(arrive.shape[0]):
        if wanted[v]:
            for c in range(arrive.shape[1]):
                out += arrive[v, c] == NEVER
    return out


@helper
def _undo(arrive, r):  # type: ignore[no-untyped-def]
    """Take back what has come in round r or later."""
    for v in range(arrive.shape[0]):
        for c in range(arrive.shape[1]):
            if arrive[v, c] >= r:
                arrive[v, c] = NEVER


@kernel
def gather_rounds(
    ways: Ways, origin: IntArray, wanted: IntArray, least: int, budget: int, seed: int
) -> tuple[int, IntArray, IntArray, int]:
    """Everybody's chunks to all wanted nodes in few rounds.

    Args:
        origin (int64[chunks]): Where each chunk is at first.
        wanted (int64[nodes]): 1 where all chunks are wanted; other nodes may pass them on.
        least: No fewer rounds are tried.
        budget: Steps after which the search ends; the first answer is always finished.

    Returns:
        rounds: int
        arrive (int64[nodes, chunks]): The round in which each chunk comes, -1 at its origin.
        via (int64[nodes, chunks]): The way by which it comes.
        work: Steps.
    """
    nodes, chunks, lanes = len(wanted), len(origin), len(ways.room)
    state = seeded(seed)
    arrive = np.full((nodes, chunks), NEVER, np.int64)
    for c in range(chunks):
        arrive[origin[c], c] = -1
    via = np.full((nodes, chunks), -1, np.int64)
    first = np.zeros(lanes + 1, np.int64)
    for k in range(lanes):
        first[k + 1] = first[k] + ways.room[k]
    most = first[lanes] + 2
    now = _Round(
        np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most, np.int64),
        np.zeros(lanes, np.int64), first, np.empty(most, np.int64), np.zeros(1, np.int64),
    )  # fmt: skip
    wide = max(24, min(most, 400))
    found = _Search(
        np.empty(wide, np.int64), np.empty(wide, np.int64), np.empty(wide, np.int64),
        np.empty(wide, np.int64), np.empty(wide, np.int64), np.empty(wide, np.int64),
        np.zeros(most, np.int64),
    )  # fmt: skip
    ranked, work = np.empty((nodes, chunks), np.int64), np.zeros(1, np.int64)
    board = _State(arrive, via, wanted, ranked, state, work)
    r = 0
    while _missing(arrive, wanted) > 0:
        _fill(now, ways, found, r, board, np.int64(0))
        r += 1
    rounds = r
    best, best_via = arrive.copy(), via.copy()
    kept, kept_via, kept_missing = arrive.copy(), via.copy(), NEVER
    stale = 0
    while rounds > least and work[0] < budget:
        aim = rounds - 1
        begin = 0 if kept_missing == NEVER else draw(state, aim)
        noise = np.int64(draw(state, 3))
        arrive[:] = kept
        via[:] = kept_via
        _undo(arrive, begin)
        for r in range(begin, aim):
            _fill(now, ways, found, r, board, noise)
        left = _missing(arrive, wanted)
        if left == 0:
            rounds = aim
            best[:] = arrive
            best_via[:] = via
            kept_missing, stale = NEVER, 0
        elif left <= kept_missing:
            stale = stale + 1 if left == kept_missing else 0
            kept_missing = left
            kept[:] = arrive
            kept_via[:] = via
        else:
            stale += 1
        if stale > 60:
            kept_missing, stale = NEVER, 0
    return rounds, best, best_via, work[0]
