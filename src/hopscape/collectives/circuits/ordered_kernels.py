"""Circuits in dimension order: who calls whom in a round (numba).

A circuit is given by its ends and, where two directions are equally short, which one is taken. What
circuits may not share are numbered things (channels, links or nodes); each has at most one owner.
"""

from __future__ import annotations

import numpy as np

from hopscape.collectives.circuits.path_kernels import Wires
from hopscape.collectives.circuits.search_kernels import _below, _chance, _spread
from hopscape.core.arrays import IntArray
from hopscape.core.dimension_order import Grid
from hopscape.core.kernel import helper, kernel


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
    for step in range(moves):
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
        if lost >= 0 and caller[target] >= 0:
            heat = 0.5 * (1 - step / moves) + 0.05
            if lost <= 1 or _chance() < np.exp(-(lost - 1) / heat):
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
