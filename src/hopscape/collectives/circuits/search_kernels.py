"""Which nodes to call in a round: far apart first, then moved about (numba).

The sets of nodes that circuits can reach at once are the independent sets of a matroid (a
gammoid): taken in any order, one after the other where it fits, they come to the same number. So a
round always informs as many as can be; what is searched for is which of them help the next.

Circuits in dimension order: who calls whom in a round (numba).

A circuit is given by its ends and, where two directions are equally short, which one is taken. What
circuits may not share are numbered things (channels, links or nodes); each has at most one owner.
"""

from __future__ import annotations

import numpy as np

from hopscape.collectives.circuits.path_kernels import Wires, augment, used_into, workspace
from hopscape.core.annealing_kernels import allowance, linear
from hopscape.core.arrays import IntArray
from hopscape.core.dimension_order import Grid
from hopscape.core.kernel import helper, kernel

_HOT_TARGETS, _HOT_CIRCUITS, _COLD = 0.65, 0.55, 0.05
"""Temperatures, in nodes that are not served: one more is taken now and then, at last never."""


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
    for heat in linear(_HOT_TARGETS, _COLD, moves):
        if lacking == 0 or len(targets) == 0:
            break
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
        if worse <= 0 or worse <= allowance(heat, _chance()):
            targets[i] = u
            lacking += worse
        else:
            room_a[:], flows_a[:] = kept_a
            room_b[:], flows_b[:] = kept_b
            got[:] = kept_got
    return lacking


@kernel
def route(wires, grid, source, target, last, path):  # type: ignore[no-untyped-def]
    """Channels from source to target; `last` takes the last of equally short channels."""
    count, v = 0, source
    for a in range(len(grid.side)):
        goal = grid.place[target, a]
        while grid.place[v, a] != goal:
            left = grid.hops[grid.start[a] + v * grid.side[a] + goal]
            taken = -1
            for c in range(wires.indptr[v], wires.indptr[v + 1]):
                w = wires.heads[c]
                near = grid.hops[grid.start[a] + w * grid.side[a] + goal] == left - 1
                if grid.axis[c] == a and near and (taken < 0 or last):
                    taken = c
            path[count] = taken
            count += 1
            v = wires.heads[taken]
    return count


@helper
def _away(grid, source, target):  # type: ignore[no-untyped-def]
    hops = 0
    for a in range(len(grid.side)):
        hops += grid.hops[grid.start[a] + source * grid.side[a] + grid.place[target, a]]
    return hops


@helper
def _fits(wires, grid, share, owner, ends, path):  # type: ignore[no-untyped-def]
    """Is nothing owned on the circuit of these ends (source, target, last)?"""
    for k in range(route(wires, grid, ends[0], ends[1], ends[2], path)):
        if owner[share[path[k]]] != -1:
            return False
    return True


@helper
def _lay(wires, grid, share, state, ends, path):  # type: ignore[no-untyped-def]
    """Take the circuit of these ends."""
    room, owner, caller, side = state
    source, target, last = ends
    for k in range(route(wires, grid, source, target, last, path)):
        owner[share[path[k]]] = target
    room[source] -= 1
    caller[target] = source
    side[target] = last


@helper
def _lift(wires, grid, share, state, target, path):  # type: ignore[no-untyped-def]
    """Give up the circuit to a target."""
    room, owner, caller, side = state
    source = caller[target]
    for k in range(route(wires, grid, source, target, side[target], path)):
        owner[share[path[k]]] = -1
    room[source] += 1
    caller[target] = -1


@helper
def _serve(wires, grid, share, state, callers, target, path):  # type: ignore[no-untyped-def]
    """The shortest circuit to a target that fits; False: there is none."""
    room, owner = state[0], state[1]
    best, found = len(room) + 1, (-1, -1, 0)
    for u in callers:
        if room[u] <= 0 or _away(grid, u, target) >= best:
            continue
        for last in range(2):
            if _fits(wires, grid, share, owner, (u, target, last), path):
                best, found = _away(grid, u, target), (u, target, last)
                break
    if found[0] < 0:
        return False
    _lay(wires, grid, share, state, found, path)
    return True


@kernel
def begin(
    wires: Wires,
    grid: Grid,
    share: IntArray,
    state: tuple[IntArray, IntArray, IntArray, IntArray],
    candidates: IntArray,
    spread: bool,
) -> int:
    """Circuits to one candidate after the other where they fit: how many.

    Args:
        share (int64[channels]): What a circuit over the channel may share with no other.
        state (room, owner, caller, side): Circuits that may begin at each node (-1: no message),
            the target that owns each shared thing (-1: none), and of each target who calls it (-1:
            nobody) and by which side; changed.
        candidates (int64[...]): Who lacks the message.
        spread: The candidate farthest from all that have or get the message comes next, instead of
            the order given.
    """
    room = state[0]
    nodes = len(room)
    callers = np.flatnonzero(room >= 0)
    path = np.empty(nodes * (len(grid.side) + 1), np.int64)
    away, queue = np.full(nodes, nodes, np.int64), np.empty(nodes, np.int64)
    spare = 0
    for u in callers:
        spare += room[u]
        if spread:
            _spread(wires, away, queue, u)
    order, count = candidates.copy(), 0
    for done in range(len(order)):
        if count == spare:
            break
        if spread:
            best = done
            for k in range(done + 1, len(order)):
                if away[order[k]] > away[order[best]]:
                    best = k
            order[done], order[best] = order[best], order[done]
        if _serve(wires, grid, share, state, callers, order[done], path):
            count += 1
            if spread:
                _spread(wires, away, queue, order[done])
    return count


@kernel
def _push(wires, grid, share, state, callers, target, path):  # type: ignore[no-untyped-def]
    """A circuit to a target by main force; the others try to find their way. How many are lost."""
    room, owner, caller, _ = state
    u = callers[_below(len(callers))]
    for _ in range(_below(8)):  # rather a near one
        w = callers[_below(len(callers))]
        if _away(grid, w, target) < _away(grid, u, target):
            u = w
    lifted = np.empty(len(room), np.int64)
    count, last = 0, _below(2)
    taken = path[: route(wires, grid, u, target, last, path)].copy()
    for c in taken:
        if owner[share[c]] == -2:
            return -1
    for c in taken:
        if owner[share[c]] >= 0:
            lifted[count] = owner[share[c]]
            count += 1
            _lift(wires, grid, share, state, lifted[count - 1], path)
    if room[u] <= 0:
        mine = np.flatnonzero(caller == u)
        if len(mine) == 0:
            return count
        lifted[count] = mine[_below(len(mine))]
        count += 1
        _lift(wires, grid, share, state, lifted[count - 1], path)
    _lay(wires, grid, share, state, (u, target, last), path)
    lost = 0
    for k in range(count):
        lost += not _serve(wires, grid, share, state, callers, lifted[k], path)
    return lost


@kernel
def improve(
    wires: Wires,
    grid: Grid,
    share: IntArray,
    state: tuple[IntArray, IntArray, IntArray, IntArray],
    candidates: IntArray,
    wanted: int,
    seed: int,
    moves: int,
) -> int:
    """Push circuits about until so many candidates are served (annealing): how many are.

    Args:
        state (room, owner, caller, side): As :func:`begin` leaves it; changed.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    room, owner, caller, side = state
    callers = np.flatnonzero(room >= 0)
    path = np.empty(len(room) * (len(grid.side) + 1), np.int64)
    served = 0
    for v in candidates:
        served += caller[v] >= 0
    for heat in linear(_HOT_CIRCUITS, _COLD, moves):
        if served >= wanted:
            break
        target = candidates[_below(len(candidates))]
        for _ in range(len(candidates)):
            if caller[target] < 0:
                break
            target = candidates[_below(len(candidates))]
        if caller[target] >= 0:
            continue
        kept = room.copy(), owner.copy(), caller.copy(), side.copy()
        lost = _push(wires, grid, share, state, callers, target, path)
        pushed = lost >= 0 and caller[target] >= 0
        if pushed and (lost <= 1 or lost - 1 <= allowance(heat, _chance())):
            served += 1 - lost
            continue
        room[:], owner[:], caller[:], side[:] = kept
    return served


@kernel
def circuits(
    wires: Wires, grid: Grid, caller: IntArray, side: IntArray, targets: IntArray
) -> tuple[IntArray, IntArray]:
    """The circuits to these targets: lengths, and channels one after the other."""
    lengths = np.zeros(len(targets), np.int64)
    for k in range(len(targets)):
        lengths[k] = _away(grid, caller[targets[k]], targets[k])
    channels = np.empty(lengths.sum(), np.int64)
    filled = 0
    for k in range(len(targets)):
        t = targets[k]
        filled += route(wires, grid, caller[t], t, side[t], channels[filled:])
    return lengths, channels
