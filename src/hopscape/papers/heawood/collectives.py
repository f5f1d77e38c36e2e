"""Collectives of expanded networks: local-rule broadcast, pruned trees, spread permutations.

All-gather, sliced all-reduce and total exchange are planned per orbit, as for every family with
rotations: `hopscape.collectives.symmetric_plans`.

Trees that a router makes: everybody hangs from its next hop towards the root.

Lower bounds that the structure of an expanded network gives: levels, base, copies.
"""

from __future__ import annotations

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.generic import permutation
from hopscape.collectives.trees import Tree, central_all_reduce, serve_tree
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.core.schedule import Schedule
from hopscape.papers.heawood.routing import ExpandedRouter, SpreadRouter
from hopscape.papers.heawood.structure import ExpandedStructure

__all__ = ["COLLECTIVES", "flood", "next_hop_schedule", "next_hop_tree", "structure_bounds"]


def next_hop_tree(router: Router, root: int, only_to: IntArray | None = None) -> Tree:
    """The union of the routes to the root, turned round.

    A node can tell on its own whom to forward to: those neighbours whose next hop to the root it
    is. With an exact router the depths are distances.

    Args:
        router: Of a network with duplex links.
        only_to (array of int, optional): Keep only the branches that lead to these nodes.
    """
    network = router.network
    nodes = np.arange(network.order)
    roots = np.full(network.order, root)
    depth = router.distances(nodes, roots).astype(np.int64)
    if (depth < 0).any():
        lost = int(np.argmax(depth < 0))
        raise DisconnectedError(f"node {lost} cannot be reached from node {root} in {network.spec}")
    others = nodes[nodes != root]
    towards = network.channel_at(others, router.next_ports(others, roots[others]))
    channel = np.full(network.order, -1, dtype=np.int64)
    channel[others] = network.reverse[towards]
    by_depth = np.argsort(depth, kind="stable")
    if only_to is not None:
        keep = np.zeros(network.order, dtype=bool)
        keep[root] = True
        keep[only_to] = True
        for level in range(int(depth.max(initial=0)), 0, -1):
            layer = nodes[(depth == level) & keep]
            keep[network.tails[channel[layer]]] = True
        by_depth = by_depth[keep[by_depth]]
    return Tree(root, channel, depth, by_depth)


@verified
def next_hop_schedule(network: Network, goal: Goal, model: Model = Model()) -> Schedule:
    """Broadcast or one-to-many down the tree of the network's own router.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("expanded(petersen, 2)")
        >>> schedule = next_hop_schedule(net, hopscape.Goal.broadcast(0))
        >>> hopscape.verify(schedule).holds, schedule.rounds, net.order
        (True, 7, 1000)
    """
    root = network.node(goal.root if goal.root is not None else 0)
    only_to = goal.on(network).wanted if goal.kind == "one-to-many" else None
    tree = next_hop_tree(network.router(), root, only_to)
    when = serve_tree(network, tree, model.ports)
    nodes = tree.nodes[1:]
    return Schedule.from_columns(
        network, model, goal, round=when[nodes], channels=tree.channel[nodes], name="next-hop"
    )


def flood(network: Network, root: int, rounds: int, flag: int = -1) -> Schedule:
    """The paper's broadcast, with its counter handed down: who has it, tells its neighbours.

    In each round every node that was called tells all neighbours whose flag is not its own number,
    writes its number there and calls them. Flags are read at the start of a round; of several
    writers the highest number stays.

    Args:
        rounds: Depth of the calls.
        flag: What the flags hold before: -1 is not a node; as printed it is 0, and node 0 tells
            nobody.
    """
    flags = np.full(network.order, flag, dtype=np.int64)
    called = np.asarray([root], dtype=np.int64)
    taken: list[IntArray] = []
    for _ in range(rounds):
        mask = np.zeros(network.order, dtype=bool)
        mask[called] = True
        channels = np.nonzero(mask[network.tails])[0]
        sent = channels[flags[network.heads[channels]] != network.tails[channels]]
        taken.append(sent)
        np.maximum.at(
            writers := np.full(network.order, -1), network.heads[sent], network.tails[sent]
        )
        flags = np.where(writers >= 0, writers, flags)
        called = np.unique(network.heads[channels]).astype(np.int64)
    return Schedule.from_columns(
        network,
        Model(),
        Goal.broadcast(root),
        round=np.repeat(np.arange(rounds), [len(part) for part in taken]),
        channels=np.concatenate([called[:0], *taken]),
        rounds=rounds,
        name="flood",
    )


def _flood(network: Network, goal: Goal, model: Model) -> Schedule:
    if model.ports is not None or model.duplex == "half" or model.switching == "circuit":
        raise ArgumentError(
            "algorithm 'flood' needs all ports, full duplex, store-and-forward, not"
            f" {model.describe()}"
        )
    diameter = network.facts.diameter
    return flood(network, goal.root or 0, network.order if diameter is None else diameter).under(
        model
    )


def _permute(network: Network, goal: Goal, model: Model) -> Schedule:
    family = network.router()
    assert isinstance(family, ExpandedRouter)
    return permutation(network, goal.targets, model, SpreadRouter(network, family.family))


COLLECTIVES = (
    Collective(
        "central", "all-reduce", "both ways over a tree of least diameter", central_all_reduce
    ),
    Collective(
        "next-hop",
        "broadcast",
        "v tells u if v is u's next hop to the root",
        next_hop_schedule,
        one_piece=True,
    ),
    Collective(
        "flood",
        "broadcast",
        "the paper's flood, repaired: many duplicates",
        _flood,
        one_piece=True,
    ),
    Collective(
        "next-hop", "one-to-many", "the next-hop tree, pruned", next_hop_schedule, one_piece=True
    ),
    Collective(
        "spread", "permutation", "shortest routes, ties spread by the place of the source", _permute
    ),
)


_SMALL = 1024  # states of a lamp whose distances are all looked at
_MANY = 1_000_000  # nodes whose permutation is added up for a bound


def structure_bounds(
    family: ExpandedStructure, network: Network, goal: Goal, model: Model
) -> tuple[tuple[int, str], ...]:
    """Bounds for all-gather, permutations and total exchange with unit messages."""
    if model.packing != "unit" or model.switching != "store-and-forward" or not family.levels:
        return ()
    lanes = 1 if model.duplex == "half" else 2
    if goal.kind == "all-gather":
        return _copies(family)
    if goal.kind == "all-to-all":
        return _shared(family, lanes, *_exchanged(family))
    if goal.kind == "permutation" and network.order <= _MANY:
        return _shared(family, lanes, *_permuted(family, network, goal))
    return ()


def _shared(
    family: ExpandedStructure, lanes: int, levels: list[int | None], base: int | None
) -> tuple[tuple[int, str], ...]:
    """The hops that must be made over the links of each level, and over those of the base."""
    copies = family.lamp.order ** (family.n - 1)
    each = family.lamp.links * copies
    shares = []
    known = [(hops, i + 1) for i, hops in enumerate(levels) if hops is not None]
    if known:
        hops, level = max(known, key=lambda pair: pair[0])
        shares.append((hops, each, f"level {level}"))
    if base is not None:
        shares.append((base, family.base.links * copies * family.lamp.order, "base"))
    return tuple(
        (-(-hops // (links * lanes)), f"{hops} hops over {kind} links share {links} of them")
        for hops, links, kind in shares
        if hops and links
    )


def _exchanged(family: ExpandedStructure) -> tuple[list[int | None], int | None]:
    """Hops of a total exchange over the first level (all are alike), and over the base."""
    lamp = family.lamp
    mean = lamp.facts.mean_distance
    if mean is not None:
        inner = round(mean * lamp.order * (lamp.order - 1))
    elif lamp.order <= _SMALL:
        inner = int(distance_rows(lamp, np.arange(lamp.order)).sum(dtype=np.int64))
    else:
        return [], None
    level = inner * (family.order // lamp.order) ** 2
    whole = family.facts().mean_distance
    if whole is None:
        return [level], None
    return [level], round(whole * family.order * (family.order - 1)) - family.n * level


def _permuted(
    family: ExpandedStructure, network: Network, goal: Goal
) -> tuple[list[int | None], int | None]:
    """The same for a permutation, by the distances of its pairs."""
    promise = goal.on(network)
    at, to = promise.origins, promise.destinations
    lamp = family.lamp.router()
    here, there = at // family.base.order, to // family.base.order
    levels: list[int | None] = []
    for _ in range(family.n):
        a, b = here % family.lamp.order, there % family.lamp.order
        levels.append(int(lamp.distances(a, b).sum()))
        here, there = here // family.lamp.order, there // family.lamp.order
    total = int(network.router().distances(at, to).sum())
    return levels, total - sum(hops for hops in levels if hops is not None)


def _copies(family: ExpandedStructure) -> tuple[tuple[int, str], ...]:
    """What must enter a copy of the base over the level links at its connectors, and go on to the
    node that is farthest from these."""
    base, lamp = family.base, family.lamp
    least = lamp.facts.degree_min
    if least is None:
        if lamp.order > _SMALL:
            return ()
        least = int(lamp.degrees.min())
    channels = family.n * least
    reach = int(distance_rows(base, np.asarray(family.marks)).min(axis=0).max())
    missing = family.order - base.order
    if not channels or not missing:
        return ()
    return (
        (
            -(-missing // channels) + reach,
            f"{missing} chunks must enter a copy of the base by {channels} channels and go {reach}"
            " on",
        ),
    )
