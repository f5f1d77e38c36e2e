"""Multirings with full rings, their routers and their collectives.

Multirings with sparse rings, their routers and their collectives.

Collectives whose packets stay on one ring, to be compared with those that change rings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from hopscape.collectives.checked import verified
from hopscape.collectives.generic import all_to_all
from hopscape.collectives.trees import Tree, serve_tree
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.kindred import Kindred
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.core.schedule import Schedule
from hopscape.families.circulant.wiring import Circulant
from hopscape.papers.multiring.rings import FullRings, SparseRings, ring_lengths
from hopscape.papers.multiring.routing import DifferenceRouter, ring_routers

__all__ = [
    "Multiring",
    "SparseMultiring",
    "one_ring_broadcast",
    "one_ring_collectives",
    "one_ring_exchanges",
    "ring_lengths",
]

_ROUTED = 10_000_000  # nodes: tables by difference, some bytes for each


class Multiring(FullRings):
    """Rings of different steps through the same nodes."""

    def router(self, network: Network) -> Router | None:
        """Shortest paths that may change rings."""
        return DifferenceRouter(network) if self.n <= _ROUTED else None

    def named_routers(self) -> Mapping[str, Callable[[Network], Router]]:
        """Those that stay on one ring."""
        return ring_routers()

    def kindred(self, root: int) -> Kindred | None:
        """As that of the circulant of the same steps."""
        if not self.paired or self.copies > 1:
            return None
        return Circulant(self.n, [step % self.n for step in self.steps]).kindred(root)

    def collectives(self) -> tuple[Collective, ...]:
        return one_ring_collectives(self)


class SparseMultiring(SparseRings):
    """Duplex rings of some of the nodes each, any two nodes on a common one."""

    def named_routers(self) -> Mapping[str, Callable[[Network], Router]]:
        """Those that stay on one ring."""
        return ring_routers()

    def collectives(self) -> tuple[Collective, ...]:
        return one_ring_exchanges()


@verified
def one_ring_broadcast(
    network: Network, member: FullRings, root: int, model: Model = Model()
) -> Schedule:
    """Every node gets the chunk along the ring on which it is nearest to the root.

    The node before it on that ring has the chunk a round earlier, so that the ways form a tree;
    with all ports it takes as many rounds as the longest of these ways.
    """
    router = network.router("one-ring")
    nodes = np.arange(member.n)
    start = np.full(member.n, root)
    depth, ring = router.distances(start, nodes), router.next_ports(start, nodes)
    others = nodes[nodes != root]
    steps = np.asarray(member.rings)[ring[others]]
    channel = np.full(member.n, -1, dtype=np.int64)
    channel[others] = network.channel_at((others - steps) % member.n, ring[others])
    tree = Tree(root, channel, depth, nodes[np.argsort(depth, kind="stable")])
    when = serve_tree(network, tree, model.ports)
    return Schedule.from_columns(
        network,
        model,
        Goal.broadcast(root),
        round=when[others],
        channels=channel[others],
        name="one-ring",
    )


def one_ring_collectives(member: FullRings) -> tuple[Collective, ...]:
    """The named algorithms of a multiring."""

    def broadcast(network: Network, goal: Goal, model: Model) -> Schedule:
        assert goal.root is not None
        return one_ring_broadcast(network, member, goal.root, model)

    text = "to each node along its nearest ring"
    return (Collective("one-ring", "broadcast", text, broadcast), *one_ring_exchanges())


def one_ring_exchanges() -> tuple[Collective, ...]:
    """All-to-all by the schedules of routes."""

    def build(router: str) -> Callable[[Network, Goal, Model], Schedule]:
        return lambda network, goal, model: all_to_all(network, model, network.router(router))

    return (
        Collective("one-ring", "all-to-all", "each packet on its shortest ring", build("one-ring")),
        Collective(
            "balanced-rings",
            "all-to-all",
            "each packet on one ring, as the balanced schedule shares them out",
            build("balanced-rings"),
        ),
    )
