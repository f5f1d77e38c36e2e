"""Collectives on circulants: trees that no node has to remember.

A tree rooted at node 0, moved by w, is a tree rooted at node w: one tree serves every source. The
all-gather by translations is that of all Cayley graphs
(:mod:`hopscape.collectives.symmetric_translations`).
"""

from __future__ import annotations

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.symmetric_translations import by_translations
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective, Family
from hopscape.core.faults import Faults
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.families.circulant.closed_forms import RingForm, recognise
from hopscape.families.circulant.wiring import Circulant
from hopscape.papers.circulant.memoryless import (
    generators_of,
    memoryless_tree,
    repaired_broadcast,
)

__all__ = [
    "all_reduce",
    "broadcast",
    "circulant_collectives",
    "node_local_broadcast",
    "reduce",
]


def circulant_collectives(family: Family) -> tuple[Collective, ...]:
    """The algorithms for circulants, and none for other families."""
    if not isinstance(family, Circulant) or not family.generators:
        return ()
    nodes, generators = family.n, family.generators
    collectives = [
        Collective(
            "memoryless",
            "broadcast",
            "tree of smallest shortest vectors: N - 1 messages at BFS times, no memory",
            lambda network, goal, model: broadcast(network, _root(goal), model),
            around=_around,
        ),
        Collective(
            "memoryless",
            "reduce",
            "the memoryless broadcast tree backwards",
            lambda network, goal, model: reduce(network, _root(goal), model),
        ),
        Collective(
            "translations",
            "all-reduce",
            "reduce-scatter and all-gather by one tree (--sliced), or reduce and broadcast",
            lambda network, goal, model: all_reduce(network, goal, model),
        ),
    ]
    form = recognise(nodes, generators)
    if isinstance(form, RingForm):
        collectives += [
            Collective(
                "node-local",
                "broadcast",
                "the paper's rule at each node, corrected: no duplicate, no memory",
                lambda network, goal, model: node_local_broadcast(network, _root(goal), model),
            ),
        ]
    return tuple(collectives)


def _around(network: Network, goal: Goal, faults: Faults) -> Schedule:
    """Who hears nothing in time asks its neighbours."""
    links = [(min(link), max(link)) for link in faults.links]
    return repaired_broadcast(network, _root(goal), faults.nodes, links).schedule


def _root(goal: Goal) -> int:
    assert goal.root is not None
    return goal.root


def _rules(model: Model) -> Model:
    """These schedules use all ports, both ways, one hop at a time."""
    if model.ports is not None or model.duplex != "full" or model.switching == "circuit":
        raise ArgumentError(
            f"the algorithms of circulants are for all ports, full duplex, store-and-forward,"
            f" not for {model.describe()}"
        )
    return model


# -- the paper's broadcast --------------------------------------------------------------------


@verified
def node_local_broadcast(
    network: Network, root: int, model: Model = Model(), *, printed: bool = False
) -> Schedule:
    """The paper's broadcast: each node decides from the port and three counters of a copy.

    Args:
        network: Of family (13)-(15) or (19).
        printed: As printed: a node drops every copy but the first, and U is not limited. Otherwise
            as corrected: U <= h - 1 (p in family (19)), then no node gets a second copy and none
            has to remember. The correction gives a perfect tree when p <= d.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("gamma_circulant(4)")
        >>> for printed in (True, False):
        ...     print(hopscape.verify(node_local_broadcast(net, 0, printed=printed)).reason)
        broadcast from node 0: 333 of 333 nodes reached in 6 rounds, 342 messages, 10 duplicates
        broadcast from node 0: 333 of 333 nodes reached in 6 rounds, 332 messages, 0 duplicates
    """
    rules = _rules(model)
    form = recognise(network.order, generators_of(network))
    if not isinstance(form, RingForm):
        raise ArgumentError(f"the node-local broadcast is for family (13)-(15), not {network.spec}")
    ports = _paper_ports(form)
    heard = np.zeros(network.order, dtype=bool)
    heard[root] = True
    copies = [(root, out, (0, 0, 0)) for out in range(1, 7)]
    rounds: list[int] = []
    tails: list[int] = []
    taken: list[int] = []
    step = 0
    while copies:
        arrived = []
        for node, out, counters in copies:
            rounds.append(step)
            tails.append(node)
            taken.append(ports[out])
            into = int(network.neighbours(node)[ports[out]])
            arrived.append((into, _OPPOSITE[out], counters))
        copies = []
        for node, port, counters in arrived:
            if printed and heard[node]:
                continue
            heard[node] = True
            passed = _pass_on(port, counters, form, limit_u=not printed)
            copies += [(node, out, after) for out, after in passed]
        step += 1
        if step > network.order:
            raise ArgumentError(f"the node-local broadcast does not end on {network.spec}")
    channels = network.channel_at(np.asarray(tails), np.asarray(taken))
    return Schedule.from_columns(
        network,
        rules,
        Goal.broadcast(root),
        round=np.asarray(rounds),
        channels=channels,
        name="node-local-printed" if printed else "node-local",
    )


_OPPOSITE = {1: 3, 3: 1, 2: 4, 4: 2, 5: 6, 6: 5}


def _paper_ports(form: RingForm) -> dict[int, int]:
    """The paper's ports 1..6 are +s3, +s2, -s3, -s2, +1, -1; ours by generator and sign."""
    directions = {1: (2, 1), 2: (1, 1), 3: (2, -1), 4: (1, -1), 5: (0, 1), 6: (0, -1)}
    return {
        port: 2 * form.slots[axis] + (sign * form.signs[axis] < 0)
        for port, (axis, sign) in directions.items()
    }


def _pass_on(
    port: int, counters: tuple[int, int, int], form: RingForm, *, limit_u: bool
) -> list[tuple[int, tuple[int, int, int]]]:
    """What a node does with a copy that came in by a port: (port out, counters) of new copies."""
    u, v, w = counters
    d = form.diameter
    if port in (5, 6):
        u += 1
        if u + v + w == d or (limit_u and u == form.h - 1):
            return []
        return [(11 - port, (u, v, w))]
    straight_on = port % 2 == 1
    if straight_on:
        w += 1
    else:
        v += 1
    if v + w == d:
        return []
    out = [5, 6]
    if limit_u and form.h == 1:
        out = []
    if v == 0 or (w == 0 and v < form.q):
        out.append((port + 2) % 4 + 1)
    if not ((straight_on and w == form.p) or (not straight_on and v == form.q)):
        out.append((port + 1) % 4 + 1)
    return [(to, (u, v, w)) for to in out]


# -- the memoryless tree on any circulant -----------------------------------------------------


@verified
def broadcast(network: Network, root: int, model: Model = Model()) -> Schedule:
    """Broadcast down the memoryless tree: N - 1 messages, every node at its BFS time."""
    rules = _rules(model)
    tree = memoryless_tree(network)
    nodes = np.nonzero(tree.port >= 0)[0]
    tails = (tree.parent[nodes] + root) % network.order
    return Schedule.from_columns(
        network,
        rules,
        Goal.broadcast(root),
        round=tree.depth[nodes] - 1,
        channels=network.channel_at(tails, tree.port[nodes]),
        name="memoryless",
    )


@verified
def reduce(network: Network, root: int, model: Model = Model()) -> Schedule:
    """The memoryless broadcast backwards."""
    return broadcast(network, root, model).reversed(Goal.reduce(root), name="memoryless")


# -- all-reduce -------------------------------------------------------------------------------


@verified
def all_reduce(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """With a chunk per node: the all-gather backwards, then forwards; with one: down one tree."""
    if goal.chunks == 1:
        up, down = reduce(network, 0, model), broadcast(network, 0, model)
        return up.then(down, goal, name="translations")
    if goal.chunks != network.order:
        raise ArgumentError(f"all-reduce by translation takes 1 or {network.order} chunks")
    gathered = by_translations("all-gather").build(network, Goal.all_gather(), _rules(model))
    return gathered.reversed(goal).then(gathered, goal, name="translations")
