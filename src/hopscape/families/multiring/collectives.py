"""Collectives whose packets stay on one ring, to be compared with those that change rings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hopscape.collectives import all_to_all
from hopscape.collectives.trees import Tree, serve_tree
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.families.multiring.routing import OneRingRouter

if TYPE_CHECKING:
    from hopscape.families.multiring.wiring import Multiring

__all__ = ["one_ring_broadcast", "one_ring_collectives", "one_ring_router"]


def one_ring_router(network: Network, member: Multiring) -> OneRingRouter:
    """The paper's router: shortest on a single ring."""
    from hopscape.families.multiring.wiring import ring_lengths

    return OneRingRouter(network, [ring_lengths(member.n, s) for s in member.rings])


def one_ring_broadcast(
    network: Network, member: Multiring, root: int, model: Model | None = None
) -> Schedule:
    """Every node gets the chunk along the ring on which it is nearest to the root.

    The node before it on that ring has the chunk a round earlier, so that the ways form a tree;
    with all ports it takes as many rounds as the longest of these ways.
    """
    rules = model if model is not None else Model()
    router = one_ring_router(network, member)
    nodes = np.arange(member.n)
    start = np.full(member.n, root)
    depth, ring = router.distances(start, nodes), router.next_ports(start, nodes)
    others = nodes[nodes != root]
    steps = np.asarray(member.rings)[ring[others]]
    channel = np.full(member.n, -1, dtype=np.int64)
    channel[others] = network.channel_at((others - steps) % member.n, ring[others])
    tree = Tree(root, channel, depth, nodes[np.argsort(depth, kind="stable")])
    when = serve_tree(network, tree, rules.ports)
    return Schedule.from_columns(
        network,
        rules,
        Goal.broadcast(root),
        round=when[others],
        channels=channel[others],
        name="one-ring",
    )


def one_ring_collectives(member: Multiring) -> tuple[Collective, ...]:
    """The named algorithms of a multiring."""

    def broadcast(network: Network, goal: Goal, model: Model | None) -> Schedule:
        assert goal.root is not None
        return one_ring_broadcast(network, member, goal.root, model)

    def exchange(network: Network, goal: Goal, model: Model | None) -> Schedule:
        return all_to_all(network, model, one_ring_router(network, member))

    return (
        Collective("one-ring", "broadcast", "to each node along its nearest ring", broadcast),
        Collective("one-ring", "all-to-all", "every packet stays on one ring", exchange),
    )
