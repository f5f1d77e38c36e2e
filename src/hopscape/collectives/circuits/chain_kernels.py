"""Circuits whose chains of calls are short, and the nodes to call in each round (numba).

The circuits of a round to given nodes are a flow of least cost: a hop costs one, a circuit that
begins at a node as much as the chain that came there. Paths are added by rising cost (R. G.
Busacker and P. J. Gowen, 1961), all of one cost together; costs are found as L. R. Ford (1956)
does. Which nodes are called in which round is moved about by annealing.
"""

from __future__ import annotations

import numpy as np

from hopscape.collectives.circuits.path_kernels import Wires, unwind_all
from hopscape.core.annealing_kernels import allowance, linear
from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel

_HOT, _COLD = 2.0, 0.1
"""Temperatures, in hops above the bound: one hop more is taken often at first, at last never."""
_FAR = 1 << 40


@helper
def _relax(state, node, cost, last):  # type: ignore[no-untyped-def]
    """A cheaper way from a node; it is looked at again."""
    away, waiting, queue = state
    if cost >= away[node]:
        return last
    away[node] = cost
    if not waiting[node]:
        waiting[node] = True
        queue[last] = node
        last = (last + 1) % len(queue)
    return last


@helper
def _costs(wires, flows, lacking, state):  # type: ignore[no-untyped-def]
    """What a further circuit from each node to the nearest that lacks one costs: `away`."""
    away, waiting, queue = state
    first, last = np.int64(0), np.int64(0)
    for v in range(len(away)):
        away[v] = _FAR
        if lacking[v]:
            last = _relax(state, v, 0, last)
    while first != last:
        v = queue[first]
        first = (first + 1) % len(queue)
        waiting[v] = False
        for i in range(wires.into_start[v], wires.into_start[v + 1]):
            c = wires.into[i]
            mate = wires.mate[c]
            if not flows[c] and (mate < 0 or not flows[mate]):
                last = _relax(state, wires.tails[c], away[v] + 1, last)
        for c in range(wires.indptr[v], wires.indptr[v + 1]):
            if flows[c]:
                last = _relax(state, wires.heads[c], away[v] - 1, last)


@helper
def _next(wires, flows, away, v, k):  # type: ignore[no-untyped-def]
    """The k-th way on from v: its node and channel (-1 - c: given up); no node: not a cheapest."""
    out = wires.indptr[v + 1] - wires.indptr[v]
    if k < out:
        c = wires.indptr[v] + k
        mate = wires.mate[c]
        free = not flows[c] and (mate < 0 or not flows[mate])
        w = wires.heads[c]
        return (w, c) if free and away[w] + 1 == away[v] else (np.int64(-1), c)
    c = wires.into[wires.into_start[v] + k - out]
    w = wires.tails[c]
    return (w, -1 - c) if flows[c] and away[w] - 1 == away[v] else (np.int64(-1), c)


@helper
def _lay(wires, flows, lacking, away, start, work):  # type: ignore[no-untyped-def]
    """A circuit of least cost from a node; False: none is left. What led nowhere stays marked."""
    seen, cursor, trail, by = work
    depth = np.int64(0)
    trail[0] = start
    seen[start] = True
    cursor[start] = 0
    while depth >= 0 and not lacking[trail[depth]]:
        v = trail[depth]
        ways = wires.indptr[v + 1] - wires.indptr[v] + wires.into_start[v + 1] - wires.into_start[v]
        if cursor[v] == ways:
            depth -= 1
            continue
        w, c = _next(wires, flows, away, v, cursor[v])
        cursor[v] += 1
        if w >= 0 and not seen[w]:
            seen[w] = True
            cursor[w] = 0
            depth += 1
            trail[depth] = w
            by[depth] = c
    if depth < 0:
        return False
    lacking[trail[depth]] = False
    for d in range(depth + 1):
        seen[trail[d]] = False
        if d > 0:
            c = by[d]
            flows[c if c >= 0 else -1 - c] = c >= 0
    return True


@kernel
def cheapest_flows(
    wires: Wires, room: IntArray, chain: IntArray, flows: IntArray, targets: IntArray
) -> bool:
    """Circuits to all targets whose chains have the least sum. False: there are none.

    Args:
        room (int64[order]): Circuits that may begin at each node, -1 where the message is not;
            lowered.
        chain (int64[order]): Channels of the calls that brought the message to each node.
        flows (bool[channels]): No channel, but closed gates; the channels taken on return.
    """
    nodes = len(room)
    away, lacking = np.empty(nodes, np.int64), np.zeros(nodes, np.bool_)
    state = away, np.zeros(nodes, np.bool_), np.empty(nodes + 1, np.int64)
    trail, by = np.empty(nodes + 1, np.int64), np.empty(nodes + 1, np.int64)
    seen, cursor = np.zeros(nodes, np.bool_), np.empty(nodes, np.int64)
    left = len(targets)
    for v in targets:
        lacking[v] = True
    while left > 0:
        _costs(wires, flows, lacking, state)
        least = _FAR
        for v in range(nodes):
            seen[v] = False
            if room[v] > 0 and away[v] < _FAR:
                least = min(least, away[v] + chain[v])
        if least == _FAR:
            return False
        for v in range(nodes):
            if away[v] < _FAR and away[v] + chain[v] == least:
                while room[v] > 0 and not seen[v]:
                    if not _lay(wires, flows, lacking, away, v, (seen, cursor, trail, by)):
                        break
                    room[v] -= 1
                    left -= 1
    return True


@helper
def _informed(wires, full, room, gates, node):  # type: ignore[no-untyped-def]
    """A node has the message: circuits begin there, and run through it no more."""
    room[node] = full[node]
    if wires.gate[node] >= 0:
        gates[wires.gate[node]] = True


@kernel
def chains(
    wires: Wires,
    full: IntArray,
    have: IntArray,
    calls: tuple[IntArray, IntArray],
    out: tuple[IntArray, IntArray],
) -> bool:
    """The chains of calls to given nodes in given rounds. False: a round cannot serve its own.

    Args:
        full (int64[order]): How many circuits may begin at each node that has the message.
        have (int64[...]): Who has the message at first.
        calls: The nodes called, round by round, and how many are called in each round.
        out: Channels of the chain to every node, and of the last call of it; changed.
    """
    order, counts = calls
    chain, hops = out
    room = np.full(len(full), -1, np.int64)
    gates = np.zeros(len(wires.heads), np.bool_)
    for v in have:
        chain[v] = 0
        _informed(wires, full, room, gates, v)
    first = np.int64(0)
    for r in range(len(counts)):
        targets = order[first : first + counts[r]]
        flows, left = gates.copy(), room.copy()
        if not cheapest_flows(wires, left, chain, flows, targets):
            return False
        for v in range(len(gates)):
            flows[v] = flows[v] and not gates[v]
        lengths, channels = unwind_all(
            wires, flows, np.maximum(room, 0) - np.maximum(left, 0), targets
        )
        filled = np.int64(0)
        for k in range(len(targets)):
            chain[targets[k]] = chain[wires.tails[channels[filled]]] + lengths[k]
            hops[targets[k]] = lengths[k]
            filled += lengths[k]
        for k in range(len(targets)):
            _informed(wires, full, room, gates, targets[k])
        first += counts[r]
    return True


@helper
def _over(chain, order, bound):  # type: ignore[no-untyped-def]
    """By how much chains are longer than the bound, in all."""
    out = np.int64(0)
    for v in order:
        out += max(chain[v] - bound, 0)
    return out


@kernel
def _below(limit):  # type: ignore[no-untyped-def]
    return int(limit * np.random.random())  # noqa: NPY002 (numba's own generator)


@helper
def _changed(wires, order, counts, place):  # type: ignore[no-untyped-def]
    """Call another node instead of one, or one of them in another round; False: nothing changes.

    Rather a node near the one that is given up. Nodes of one round are in no order.
    """
    last = len(counts) - 1
    i = _below(len(order) - counts[last])
    r, end = np.int64(0), counts[0]
    while i >= end:
        r += 1
        end += counts[r]
    if _below(8) == 0:  # to the round after, or from it
        if _below(2) == 0 and counts[r] > 1:
            order[i], order[end - 1] = order[end - 1], order[i]
            counts[r] -= 1
            counts[r + 1] += 1
            return True
        if counts[r + 1] > 1:
            j = end + _below(counts[r + 1])
            order[j], order[end] = order[end], order[j]
            counts[r] += 1
            counts[r + 1] -= 1
            return True
        return False
    w = order[i]
    if _below(4) == 0:
        w = order[_below(len(order))]
    else:
        for _ in range(wires.hop * (1 + _below(3))):
            low, high = wires.indptr[w], wires.indptr[w + 1]
            if high > low:
                w = wires.heads[low + _below(high - low)]
    j = place[w]
    if j < 0 or (end - counts[r] <= j < end):
        return False
    order[i], order[j] = order[j], order[i]
    return True


@kernel
def shorten(
    wires: Wires,
    full: IntArray,
    have: IntArray,
    calls: tuple[IntArray, IntArray],
    bound: int,
    moves: int,
    seed: int,
) -> int:
    """Move about who is called when until no chain is longer than the bound (annealing).

    Args:
        calls: The nodes called, round by round, and how many in each round; changed to the best
            that were found.

    Returns:
        over (int): By how much chains are still longer than the bound, in all; -1: a round could
            not serve its own from the start.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    order, counts = calls[0].copy(), calls[1].copy()
    place = np.full(len(full), -1, np.int64)
    out = np.zeros(len(full), np.int64), np.zeros(len(full), np.int64)
    if not chains(wires, full, have, (order, counts), out):
        return -1
    over = _over(out[0], order, bound)
    best = over
    for heat in linear(_HOT * wires.hop, _COLD * wires.hop, moves):
        if best == 0 or counts[-1] == len(order):
            break
        for k in range(len(order)):
            place[order[k]] = k
        kept = order.copy(), counts.copy()
        if not _changed(wires, order, counts, place):
            continue
        fits = chains(wires, full, have, (order, counts), out)
        worse = _over(out[0], order, bound) - over
        chance = np.random.random()  # noqa: NPY002 (numba's own generator)
        if fits and (worse <= 0 or worse <= allowance(heat, chance)):
            over += worse
            if over < best:
                best = over
                calls[0][:], calls[1][:] = order, counts
        else:
            order[:], counts[:] = kept
    return best
