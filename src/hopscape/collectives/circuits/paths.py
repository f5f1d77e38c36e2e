"""Broadcast by circuits on any duplex network, towards given sets.

Which nodes shall know the message after which round is given; how the circuits run is found by
augmenting paths. Who cannot be reached in a round is tried again in the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule

__all__ = ["circuits_towards", "spread_sets"]


def circuits_towards(
    network: Network,
    root: int,
    sets: Sequence[IntArray],
    disjoint: Literal["vertex", "edge"] = "vertex",
    name: str = "circuits",
    strict: bool = False,
) -> Schedule | None:
    """Broadcast so that the nodes of ``sets[r]`` are informed by round r, where possible.

    Parameters
    ----------
    network : Network
        Connected, with duplex links.
    root : int
    sets : sequence of int arrays
        The last one is followed by more rounds until everybody is informed.
    disjoint : {'vertex', 'edge'}
        What the circuits of one round may not share.
    name : str
    strict : bool
        Give up (None) as soon as somebody cannot be reached in the round that is meant.

    Examples
    --------
    >>> import hopscape
    >>> from hopscape import verify
    >>> net = hopscape.build("petersen")
    >>> print(verify(circuits_towards(net, 0, [np.array(net.neighbours(0))])))
    holds: broadcast from node 0: 10 of 10 nodes served in 2 rounds, 9 messages, 0 duplicates
    """
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels; circuits need duplex links")
    informed = np.zeros(network.order, dtype=np.bool_)
    informed[root] = True
    find = _node_circuits if disjoint == "vertex" else _link_circuits
    paths: list[tuple[IntArray, IntArray]] = []
    wanted = np.zeros(network.order, dtype=np.bool_)
    while not informed.all():
        r = len(paths)
        if strict and r > len(sets):
            return None
        late = wanted & ~informed
        wanted[sets[r] if r < len(sets) else slice(None)] = True
        new = wanted & ~informed & ~late
        targets = np.concatenate([np.flatnonzero(late), np.flatnonzero(new)])
        lengths, channels = find(network, informed, targets, strict)
        if strict and len(lengths) < len(targets):
            return None
        if not len(lengths) and r >= len(sets):
            raise DisconnectedError(f"{network.spec} has nodes that node {root} cannot reach")
        paths.append((lengths, channels))
        ends = np.cumsum(lengths) - 1
        informed[network.heads[channels[ends]]] = True
    return _assemble(network, root, paths, disjoint, name)


def _assemble(
    network: Network,
    root: int,
    paths: Sequence[tuple[IntArray, IntArray]],
    disjoint: Literal["vertex", "edge"],
    name: str,
) -> Schedule:
    none = np.empty(0, dtype=np.int64)
    lengths = np.concatenate([none, *(p[0] for p in paths)])
    return Schedule.from_columns(
        network,
        Model(switching="circuit", disjoint=disjoint),
        Goal.broadcast(root),
        round=np.repeat(np.arange(len(paths)), [len(p[0]) for p in paths]),
        channels=np.concatenate([none, *(p[1] for p in paths)]),
        path_start=np.concatenate([[0], np.cumsum(lengths)]),
        rounds=len(paths),
        name=name,
    )


def _node_circuits(
    network: Network, informed: IntArray, targets: IntArray, strict: bool
) -> tuple[IntArray, IntArray]:
    """Lengths of circuits and all their channels, one circuit after the other."""
    from hopscape.collectives.circuits.path_kernels import node_disjoint

    wanting = np.zeros(network.order, dtype=np.bool_)
    wanting[targets] = True
    before = node_disjoint(network.indptr, network.heads, informed, wanting, targets, strict)
    into = np.full(network.order, -1, dtype=np.int64)
    on = np.flatnonzero(before >= 0)
    for k in range(network.ports):
        place = network.indptr[on] + k
        there = place < network.indptr[on + 1]
        place = np.where(there, place, 0)
        hit = there & (network.heads[place] == before[on])
        into[on[hit]] = network.reverse[place[hit]]
    ends = targets[before[targets] >= 0]
    at, trail = ends.copy(), []
    going = np.arange(len(ends))
    while len(going):
        trail.append((going, into[at[going]]))
        at[going] = before[at[going]]
        going = going[~informed[at[going]]]
    return _untrail(len(ends), trail)


def _untrail(count: int, trail: Sequence[tuple[IntArray, IntArray]]) -> tuple[IntArray, IntArray]:
    """Paths that were followed from their ends, all at once, put the right way round."""
    lengths = np.zeros(count, dtype=np.int64)
    for going, _ in trail:
        lengths[going] += 1
    ends = np.cumsum(lengths)
    channels = np.empty(int(lengths.sum()), dtype=np.int64)
    for k, (going, taken) in enumerate(trail):
        channels[ends[going] - 1 - k] = taken
    return lengths, channels


def _link_circuits(
    network: Network, informed: IntArray, targets: IntArray, strict: bool
) -> tuple[IntArray, IntArray]:
    from hopscape.collectives.circuits.path_kernels import link_disjoint

    served, flows = link_disjoint(
        network.indptr, network.heads, network.reverse, informed, targets, strict
    )
    into: dict[int, list[int]] = {}
    for c in np.flatnonzero(flows).tolist():
        into.setdefault(int(network.heads[c]), []).append(c)
    lengths, channels = [], []
    for t in targets[served].tolist():
        at, path, place = t, [], {t: 0}
        while not informed[at]:
            c = into[at].pop()
            path.append(c)
            at = int(network.tails[c])
            if at in place:  # a loop: leave it out
                for gone in path[place[at] :]:
                    place.pop(int(network.tails[gone]), None)
                path = path[: place.setdefault(at, len(path))]
                place[at] = len(path)
            else:
                place[at] = len(path)
        lengths.append(len(path))
        channels += path[::-1]
    return np.array(lengths, dtype=np.int64), np.array(channels, dtype=np.int64)


def spread_sets(network: Network, root: int, factor: int) -> list[IntArray]:
    """Nested sets of factor, factor², ... nodes, spread over the network.

    Every next node is one that is farthest from all before it. The last set is no larger than
    needed for one more round to serve everybody.
    """
    from hopscape.core.distances import distances_from

    order = [root]
    away = distances_from(network, root).astype(np.int64)
    while len(order) * factor < network.order:
        order.append(int(away.argmax()))
        np.minimum(away, distances_from(network, order[-1]), out=away)
    sets, size = [], factor
    while size < network.order:
        sets.append(np.array(order[:size], dtype=np.int64))
        size *= factor
    return sets
