"""Trees that a router makes: everybody hangs from its next hop towards the root."""

from __future__ import annotations

import numpy as np

from hopscape.collectives.trees import Tree, serve_tree
from hopscape.core.arrays import IntArray
from hopscape.core.errors import DisconnectedError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.core.schedule import Schedule

__all__ = ["next_hop_schedule", "next_hop_tree"]


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
