"""Scatter and gather in the fewest rounds, by one flow over time."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import hopscape
from hopscape import Goal, Network, verify
from hopscape.collectives.contest import compete
from hopscape.collectives.over_time import least_rounds, scatter_over_time
from hopscape.core.channels import ChannelClass


def slow_rounds(network: Network, root: int) -> int:
    """The fewest rounds, by networkx on the network over time."""
    ends = [v for v in network.endpoints.tolist() if v != root]
    for rounds in range(1, 4 * network.order):
        graph = nx.DiGraph()
        for t in range(rounds):
            for u, v, room in zip(network.tails, network.heads, network.room()):
                if u != v:
                    old = graph.get_edge_data((int(u), t), (int(v), t + 1), {"capacity": 0})
                    graph.add_edge((int(u), t), (int(v), t + 1), capacity=old["capacity"] + room)
            for v in range(network.order):
                graph.add_edge((v, t), (v, -t - 1))  # waits, apart from loops
                graph.add_edge((v, -t - 1), (v, t + 1))
        for v in ends:
            graph.add_edge((v, rounds), "sink", capacity=1)
        if nx.maximum_flow_value(graph, (root, 0), "sink") == len(ends):
            return rounds
    raise AssertionError("no flow")


def some_network(seed: int) -> Network:
    """Seven nodes, some links twice or faster, in odd seeds one way only."""
    random = np.random.default_rng(seed)
    simplex = seed % 2 == 1
    links = [(v, (v + 1) % 7) for v in range(7)] if simplex else []
    links += [(int(random.integers(v)), v) for v in range(1, 7)]
    links += random.integers(7, size=(4, 2)).tolist()
    speeds = [ChannelClass("slow", 1), ChannelClass("fast", 2)]
    kinds = random.integers(2, size=len(links)).tolist()
    return Network.from_links(
        7, *zip(*links), duplex=not simplex, classes=speeds, kinds=kinds, spec=f"random {seed}"
    )


@pytest.mark.parametrize("seed", range(8))
def test_no_scatter_is_shorter(seed: int) -> None:
    net = some_network(seed)
    root = seed % 7
    made = scatter_over_time(net, Goal.scatter(root))
    assert verify(made), verify(made).reason
    assert least_rounds(net, root) <= made.rounds == slow_rounds(net, root)
    assert verify(made).details["duplicates"] == 0


@pytest.mark.parametrize(
    ("spec", "rounds"),
    [("heawood", 5), ("hypercube(6)", 11), ("torus(8, 8)", 16), ("rpc(4)", 24), ("path(6)", 5)],
)
def test_scatter_and_gather_of_families(spec: str, rounds: int) -> None:
    net = hopscape.build(spec)
    for goal in (Goal.scatter(0), Goal.gather(0)):
        found = compete(net, goal)
        assert found.best.rounds == rounds == found.bounds[0].rounds


def test_a_proof_by_flow_is_a_bound() -> None:
    """A narrow place that no simple count sees: the flow proves the rounds."""
    links = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4), (4, 5), (4, 6), (5, 7), (6, 8)]
    net = hopscape.build(links)
    found = compete(net, Goal.scatter(0))
    assert found.best.rounds == slow_rounds(net, 0) == found.bounds[0].rounds
