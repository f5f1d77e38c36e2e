"""Which nodes to call in a round: far apart first, then moved about (numba).

The sets of nodes that circuits can reach at once are the independent sets of a matroid (a
gammoid): taken in any order, one after the other where it fits, they come to the same number. So a
round always informs as many as can be; what is searched for is which of them help the next.
"""

from __future__ import annotations

import numpy as np

from hopscape.collectives.circuits.path_kernels import Wires, augment, used_into, workspace
from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel


@helper
def _bar(wires, flows, node, has):  # type: ignore[no-untyped-def]
    """Close the gate of a node that has the message, open that of one that has not."""
    if wires.gate[node] >= 0:
        flows[wires.gate[node]] = has


@kernel
def _spread(wires, away, queue, node):  # type: ignore[no-untyped-def]
    """Lower the distances of all nodes that `node` is nearer to."""
    away[node] = 0
    queue[0] = node
    first, last = 0, 1
    while first < last:
        v = queue[first]
        first += 1
        for c in range(wires.indptr[v], wires.indptr[v + 1]):
            w = wires.heads[c]
            if away[w] > away[v] + 1:
                away[w] = away[v] + 1
                queue[last] = w
                last += 1


@kernel
def far_targets(
    wires: Wires, room: IntArray, flows: IntArray, candidates: IntArray
) -> tuple[IntArray, int]:
    """As many targets as circuits can reach at once, each as far from all others as can be.

    Args:
        room (int64[order]): Circuits that may begin at each node, -1 where the message is not;
            lowered.
        flows (bool[channels]): No channel; the channels taken on return.
        candidates (int64[...]): Of nodes equally far the first here is taken.

    Returns:
        order (int64[...]): The targets come first.
        count: int
    """
    nodes = len(room)
    away = np.full(nodes, nodes, np.int64)
    queue = np.empty(nodes, np.int64)
    spare = 0
    for v in range(nodes):
        if room[v] >= 0:
            _spread(wires, away, queue, v)
            _bar(wires, flows, v, True)
            spare += room[v]
    order = candidates.copy()
    work = workspace(nodes)
    count, open_ = 0, len(order)
    while count < open_ and spare > 0:
        best = count
        for k in range(count + 1, open_):
            if away[order[k]] > away[order[best]]:
                best = k
        v = order[best]
        if augment(wires, room, flows, work, v):
            order[best] = order[count]
            order[count] = v
            count += 1
            spare -= 1
            _spread(wires, away, queue, v)
        else:  # what cannot be added now cannot be added later
            open_ -= 1
            order[best] = order[open_]
            order[open_] = v
    return order, count


@helper
def _drop(wires, room, full, flows, node):  # type: ignore[no-untyped-def]
    """Give up one circuit that comes to `node`, from where it begins, or a loop through it."""
    v = node
    while True:
        c = used_into(wires, flows, v)
        if c < 0:
            return
        flows[c] = False
        v = wires.tails[c]
        if room[v] >= 0 and room[v] < full[v]:
            room[v] += 1
            return


@helper
def _inform(wires, room, full, flows, got, node):  # type: ignore[no-untyped-def]
    """A node has the message: what came to it is given up, what passed it begins there."""
    passed = wires.gate[node] >= 0 and not got[node] and flows[wires.into[wires.into_start[node]]]
    if got[node] or passed:
        _drop(wires, room, full, flows, node)
    got[node] = False
    room[node] = full[node]
    if passed:
        for c in range(wires.indptr[node], wires.indptr[node + 1]):
            room[node] -= flows[c]
    _bar(wires, flows, node, True)


@helper
def _cut(wires, room, flows, got, c):  # type: ignore[no-untyped-def]
    """Give up a circuit from channel c on; the node at its end is served no more."""
    while True:
        flows[c] = False
        v = wires.heads[c]
        if got[v]:
            got[v] = False
            return
        if room[v] > 0:  # the rest begins here now
            room[v] -= 1
            return
        for k in range(wires.indptr[v], wires.indptr[v + 1]):
            if flows[k]:
                c = k
                break


@helper
def _forget(wires, room, full, flows, got, node):  # type: ignore[no-untyped-def]
    """A node does not have the message after all: no circuit begins or passes there."""
    _bar(wires, flows, node, False)
    for c in range(wires.indptr[node], wires.indptr[node + 1]):
        if flows[c]:
            _cut(wires, room, flows, got, c)
    for i in range(wires.into_start[node], wires.into_start[node + 1]):
        if flows[wires.into[i]]:
            _drop(wires, room, full, flows, node)
    room[node] = -1


@helper
def _serve_rest(wires, room, flows, got, wanted, work):  # type: ignore[no-untyped-def]
    """Circuits to all that lack the message; how many get none."""
    lacking = 0
    for v in wanted:
        if room[v] < 0 and not got[v]:
            got[v] = augment(wires, room, flows, work, v)
            lacking += not got[v]
    return lacking


@kernel
def last_round(
    wires: Wires, room: IntArray, wanted: IntArray
) -> tuple[IntArray, IntArray, IntArray, int]:
    """Circuits to all that lack the message: room left, channels taken, who is served, who not."""
    left, flows = room.copy(), np.zeros(len(wires.heads), np.bool_)
    got = np.zeros(len(room), np.bool_)
    for v in range(len(room)):
        if room[v] >= 0:
            _bar(wires, flows, v, True)
    lacking = _serve_rest(wires, left, flows, got, wanted, workspace(len(room)))
    return left, flows, got, lacking


@kernel
def _chance():  # type: ignore[no-untyped-def]
    return np.random.random()  # noqa: NPY002 (numba's own generator)


@kernel
def _below(limit):  # type: ignore[no-untyped-def]
    return int(limit * _chance())


@helper
def _elsewhere(wires, wanted, targets, room, got):  # type: ignore[no-untyped-def]
    """A target to give up, and a node to call instead; -1: no such node.

    Rather a target that has circuits to spare; rather a node near one that gets none.
    """
    i = _below(len(targets))
    for _ in range(4):
        if room[targets[i]] > 0:
            break
        i = _below(len(targets))
    u = targets[i]
    if _chance() < 0.6:
        u = wanted[_below(len(wanted))]
        for _ in range(len(wanted)):
            if room[u] < 0 and not got[u]:
                break
            u = wanted[_below(len(wanted))]
    for _ in range(wires.hop * _below(4)):
        low, high = wires.indptr[u], wires.indptr[u + 1]
        if high > low:
            u = wires.heads[low + _below(high - low)]
    return i, u


@kernel
def move_targets(
    wires: Wires,
    full: IntArray,
    wanted: IntArray,
    targets: IntArray,
    before: tuple[IntArray, IntArray],
    after: tuple[IntArray, IntArray, IntArray],
    seed: int,
    moves: int,
) -> int:
    """Move the targets of the round before the last until the last serves all (annealing).

    Args:
        full (int64[order]): How many circuits may begin at each node that has the message.
        wanted (int64[...]): Who needs the message; targets move among them.
        targets (int64[...]): Those of the round before the last, changed in place.
        before (room, flows): The circuits to the targets, changed in place.
        after (room, flows, got): The circuits of the last round, from :func:`last_round`, changed
            in place.

    Returns:
        lacking (int): How many the last round does not serve.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    room_a, flows_a = before
    room_b, flows_b, got = after
    nodes = len(room_b)
    may = np.zeros(nodes, np.bool_)
    may[wanted] = True
    work = workspace(nodes)
    lacking = _serve_rest(wires, room_b, flows_b, got, wanted, work)
    for step in range(moves):
        if lacking == 0 or len(targets) == 0:
            break
        heat = 0.6 * (1 - step / moves) + 0.05
        i, u = _elsewhere(wires, wanted, targets, room_b, got)
        old = targets[i]
        if not may[u] or room_b[u] >= 0:
            continue
        kept_a, kept_b = (room_a.copy(), flows_a.copy()), (room_b.copy(), flows_b.copy())
        _drop(wires, room_a, full, flows_a, old)
        if not augment(wires, room_a, flows_a, work, u):
            room_a[:], flows_a[:] = kept_a
            continue
        kept_got = got.copy()
        _inform(wires, room_b, full, flows_b, got, u)
        _forget(wires, room_b, full, flows_b, got, old)
        worse = _serve_rest(wires, room_b, flows_b, got, wanted, work) - lacking
        if worse <= 0 or _chance() < np.exp(-worse / heat):
            targets[i] = u
            lacking += worse
        else:
            room_a[:], flows_a[:] = kept_a
            room_b[:], flows_b[:] = kept_b
            got[:] = kept_got
    return lacking
