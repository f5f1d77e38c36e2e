"""Rounds and ways for packets together: conflicts are negotiated away (numba).

Every packet takes the cheapest way through the rounds. A lane is dear in a round in which others
want it, the dearer, the longer it has been wanted; packets that meet are routed anew until none do
(McMurchie and Ebeling's negotiated congestion, 1995, with rounds).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.collectives.rarest_kernels import Ways
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.grid_kernels import draw, seeded, uniform
from hopscape.core.kernel import helper, kernel

_DEAR = 1.12
"""How much dearer a conflict gets with every sweep."""
_MOST = 50.0
_PAST = 0.4
"""What a lane costs for ever after a round in which it was wanted too often."""


class Packets(NamedTuple):
    """Packets and what they take.

    Attributes:
        source, target: int64[packets]
        hops (int64[packets]): How many hops each takes.
        when, way: int64[packets, most]
    """

    source: IntArray
    target: IntArray
    hops: IntArray
    when: IntArray
    way: IntArray


class _Board(NamedTuple):
    """Who uses which lane in which round, what lanes cost beyond, and scratch for a search.

    Attributes:
        used: int64[rounds, lanes]
        past: float64[rounds, lanes]
        near (int64[nodes]), place (int64[nodes]): Nodes of the search, and where they stand in it.
        cost: float64[2, nodes]
        came (int64[rounds + 1, nodes]): The way by which the cheapest route comes, -1: it waits.
        own, tail, head (int64[...]): The ways between these nodes.
    """

    used: IntArray
    past: Floats
    near: IntArray
    place: IntArray
    cost: Floats
    came: IntArray
    own: IntArray
    tail: IntArray
    head: IntArray


@helper
def _book(board, ways, packets, p, by):  # type: ignore[no-untyped-def]
    """Count the hops of packet p on its lanes, or no longer."""
    for i in range(packets.hops[p]):
        w = packets.way[p, i]
        for j in range(ways.start[w], ways.start[w + 1]):
            board.used[packets.when[p, i], ways.lane[j]] += by


@helper
def _meets(board, ways, packets, p):  # type: ignore[no-untyped-def]
    """Is packet p on a lane that too many use?"""
    for i in range(packets.hops[p]):
        w = packets.way[p, i]
        for j in range(ways.start[w], ways.start[w + 1]):
            if board.used[packets.when[p, i], ways.lane[j]] > ways.room[ways.lane[j]]:
                return True
    return False


@helper
def _nearby(board, ways, apart, s, d, slack):  # type: ignore[no-untyped-def]
    """The nodes on routes of at most `slack` hops more than the fewest, and the ways between."""
    nodes = len(apart)
    most = apart[s, d] + slack
    count, found = 0, 0
    for v in range(nodes):
        board.place[v] = -1
        if apart[s, v] >= 0 and apart[v, d] >= 0 and apart[s, v] + apart[v, d] <= most:
            board.near[count] = v
            board.place[v] = count
            count += 1
    for i in range(count):
        v = board.near[i]
        if v == s:
            continue
        for w in range(ways.into[v], ways.into[v + 1]):
            u = ways.source[w]
            if board.place[u] >= 0 and u != d and apart[s, u] + 1 + apart[v, d] <= most:
                board.own[found] = w
                board.tail[found], board.head[found] = board.place[u], i
                found += 1
    return count, found


@helper
def _cheapest(board, ways, apart, packets, p, slack, dear, work):  # type: ignore[no-untyped-def]
    """Search for the cheapest way of packet p; how many hops it has."""
    rounds = len(board.used)
    s, d = packets.source[p], packets.target[p]
    count, found = _nearby(board, ways, apart, s, d, slack)
    work[0] += len(apart) + 2 * found
    for i in range(count):
        board.cost[0, i] = np.inf
    board.cost[0, board.place[s]] = 0.0
    now = 0
    for t in range(rounds):
        for i in range(count):
            board.cost[1 - now, i] = board.cost[now, i]
            board.came[t + 1, i] = -1
        for k in range(found):
            u, v, w = board.tail[k], board.head[k], board.own[k]
            before = board.cost[now, u]
            if before == np.inf or t + 1 + apart[board.near[v], d] > rounds:
                continue
            price = before + 0.001
            for j in range(ways.start[w], ways.start[w + 1]):
                lane = ways.lane[j]
                over = board.used[t, lane] + 1 - ways.room[lane]
                price += board.past[t, lane] * (1.0 if over <= 0 else 1.0 + over)
                if over > 0:
                    price += dear * over
            work[0] += 1
            if price < board.cost[1 - now, v]:
                board.cost[1 - now, v] = price
                board.came[t + 1, v] = k
        now = 1 - now
    hops = 0
    at, t = board.place[d], rounds
    while t > 0:
        k = board.came[t, at]
        if k >= 0:
            hops += 1
            at = board.tail[k]
        t -= 1
    packets.hops[p] = hops
    return hops


@helper
def _route(board, ways, apart, packets, p, slack, dear, work):  # type: ignore[no-untyped-def]
    """The cheapest way through the rounds for packet p, which is not on the board.

    One that goes to and fro and has more hops than the tables are wide is not taken, but one of
    the fewest hops.
    """
    if _cheapest(board, ways, apart, packets, p, slack, dear, work) > packets.way.shape[1]:
        _cheapest(board, ways, apart, packets, p, 0, dear, work)
    rounds = len(board.used)
    at, t, hops = board.place[packets.target[p]], rounds, packets.hops[p]
    while t > 0:
        k = board.came[t, at]
        t -= 1
        if k >= 0:
            hops -= 1
            packets.when[p, hops], packets.way[p, hops] = t, board.own[k]
            at = board.tail[k]


@kernel
def negotiate(
    ways: Ways, apart: IntArray, packets: Packets, rounds: int, slack: int, budget: int, seed: int
) -> tuple[int, int]:
    """Routes for all packets in so many rounds, in place.

    Args:
        apart (int64[nodes, nodes]): Hops from node to node by ways, -1: there is no route.
        slack: Hops that a route may have beyond the fewest; the tables of `packets` are as wide.
        budget: Steps after which it ends.

    Returns:
        int: Packets that still meet others; 0: the routes are right.
        work: Steps.
    """
    nodes, lanes, count = len(apart), len(ways.room), len(packets.source)
    state, work = seeded(seed), np.zeros(1, np.int64)
    board = _Board(
        np.zeros((rounds, lanes), np.int64), np.empty((rounds, lanes), np.float64),
        np.empty(nodes, np.int64), np.empty(nodes, np.int64), np.empty((2, nodes), np.float64),
        np.full((rounds + 1, nodes), -1, np.int64), np.empty(len(ways.source), np.int64),
        np.empty(len(ways.source), np.int64), np.empty(len(ways.source), np.int64),
    )  # fmt: skip
    for t in range(rounds):
        for k in range(lanes):
            board.past[t, k] = 0.01 * uniform(state)
    crowd = np.arange(count)
    met, dear, sweep = count, 0.5, 0
    packets.hops[:] = 0
    while met > 0 and (work[0] < budget or sweep == 0):
        for i in range(met - 1, 0, -1):
            j = draw(state, i + 1)
            crowd[i], crowd[j] = crowd[j], crowd[i]
        for i in range(met):
            p = crowd[i]
            if sweep and not _meets(board, ways, packets, p):
                continue
            _book(board, ways, packets, p, -1)
            _route(board, ways, apart, packets, p, slack, dear, work)
            _book(board, ways, packets, p, 1)
        for t in range(rounds):
            for k in range(lanes):
                if board.used[t, k] > ways.room[k]:
                    board.past[t, k] += _PAST
        met = 0
        for p in range(count):
            if _meets(board, ways, packets, p):
                crowd[met] = p
                met += 1
        dear = min(dear * _DEAR, _MOST)
        sweep += 1
    return met, work[0]
