"""Collectives of expanded networks: local-rule broadcast, pruned trees, spread permutations.

All-gather, sliced all-reduce and total exchange are planned per orbit, as for every family with
rotations: `hopscape.collectives.orbits`.
"""

from __future__ import annotations

import numpy as np

from hopscape.collectives.central import central_all_reduce
from hopscape.collectives.generic import permutation
from hopscape.collectives.router_trees import next_hop_schedule
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.families.expanded.routing import ExpandedRouter, SpreadRouter

__all__ = ["COLLECTIVES", "flood"]


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
        ways = np.nonzero(mask[network.tails])[0]
        sent = ways[flags[network.heads[ways]] != network.tails[ways]]
        taken.append(sent)
        np.maximum.at(
            writers := np.full(network.order, -1), network.heads[sent], network.tails[sent]
        )
        flags = np.where(writers >= 0, writers, flags)
        called = np.unique(network.heads[ways]).astype(np.int64)
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
    hops = network.facts.diameter
    return flood(network, goal.root or 0, network.order if hops is None else hops).under(model)


def _permute(network: Network, goal: Goal, model: Model) -> Schedule:
    family = network.router()
    assert isinstance(family, ExpandedRouter)
    return permutation(network, goal.targets, model, SpreadRouter(network, family.family))


COLLECTIVES = (
    Collective(
        "central", "all-reduce", "both ways over a tree of least diameter", central_all_reduce
    ),
    Collective(
        "next-hop", "broadcast", "v tells u if v is u's next hop to the root", next_hop_schedule
    ),
    Collective("flood", "broadcast", "the paper's flood, repaired: many duplicates", _flood),
    Collective("next-hop", "one-to-many", "the next-hop tree, pruned", next_hop_schedule),
    Collective(
        "spread", "permutation", "shortest routes, ties spread by the place of the source", _permute
    ),
)
