"""The memoryless broadcast as a rule for one node, against its schedule."""

from __future__ import annotations

import math
import random

import pytest

import hopscape
from hopscape.algebra.closest import Search
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify
from hopscape.papers.circulant.broadcast import broadcast
from hopscape.papers.circulant.memoryless import ForwardingRule, memoryless_tree


def spread(network, root: int) -> Schedule:
    """Run the rule: every node answers the copies it gets, and knows nothing else."""
    rule = ForwardingRule(network)
    width = len(network.family.generators)
    rounds, tails, ports = [], [], []
    copies, step = [(root, (0,) * width)], 0
    while copies:
        arrived = []
        for node, vector in copies:
            for copy in rule.forward(node, vector):
                assert network.neighbours(node)[copy.port] == copy.to
                rounds.append(step)
                tails.append(node)
                ports.append(copy.port)
                arrived.append((copy.to, copy.vector))
        copies, step = arrived, step + 1
        assert step <= network.order
    return Schedule.from_columns(
        network,
        Model(),
        Goal.broadcast(root),
        round=rounds,
        channels=network.channel_at(tails, ports),
        name="rule",
    )


def specs(count: int, seed: int):
    rng = random.Random(seed)
    yield from ["circulant(2, 1)", "circulant(3, 1, 2)", "circulant(8, 1, 4)", "circulant(6, 3, 2)"]
    while count:
        order = rng.choice([rng.randint(2, 12), rng.randint(5, 120)])
        generators = [rng.randint(1, order - 1) for _ in range(rng.randint(1, 4))]
        if math.gcd(order, *generators) == 1:
            count -= 1
            yield f"circulant({order}, {', '.join(map(str, generators))})"


@pytest.mark.parametrize("spec", list(specs(40, seed=1)))
def test_rule_is_the_schedule(spec) -> None:
    network = hopscape.build(spec)
    root = network.order // 3
    rule, schedule = spread(network, root), broadcast(network, root)
    for one in (rule, schedule):
        verdict = verify(one)
        assert verdict, verdict.reason
        assert one.transfers == network.order - 1
    assert sorted(zip(rule.round, rule.channels, strict=True)) == sorted(
        zip(schedule.round, schedule.channels, strict=True)
    )


@pytest.mark.parametrize("spec", ["circulant(55, 1, 5, 21)", "circulant(48, 1, 24, 20)"])
def test_a_node_knows_its_place(spec) -> None:
    network = hopscape.build(spec)
    tree, rule = memoryless_tree(network), ForwardingRule(network)
    for node in range(network.order):
        stop = rule.at((node + 4) % network.order, root=4)
        assert stop.vector == tuple(tree.vectors[node])
        assert stop.round == tree.depth[node]
        if node:
            assert (stop.sender - 4) % network.order == tree.parent[node]
            assert stop.port == tree.port[node]
        else:
            assert stop.sender is stop.port is None
        children = {
            (v + 4) % network.order for v in range(1, network.order) if tree.parent[v] == node
        }
        assert {copy.to for copy in stop.sends} == children


@pytest.mark.parametrize(
    "spec",
    ["circulant(1000000000039, 1, 20, 77777)", "circulant(1000000000000, 1, 500000000000, 7)"],
)
def test_single_nodes_of_huge_networks(spec) -> None:
    """What a node says it gets, its sender says it sends, and the other way round."""
    network = hopscape.build(spec)
    rule, rng = ForwardingRule(network), random.Random(7)
    for _ in range(20):
        stop = rule.at(rng.randrange(network.order), root=5)
        before = rule.at(stop.sender, root=5)
        assert before.round == stop.round - 1
        assert [(c.port, c.vector) for c in before.sends if c.to == stop.node] == [
            (stop.port, stop.vector)
        ]
        for copy in stop.sends:
            assert rule.at(copy.to, root=5).sender == stop.node


def test_nearly_equal_generators_take_few_branches(monkeypatch) -> None:
    """The lattices of six nearly equal generators are as flat as they get."""
    visited, run = [], Search.run

    def counted(search, x):
        out = run(search, x)
        visited.append(search.visited)
        return out

    monkeypatch.setattr(Search, "run", counted)
    rng = random.Random(11)
    for _ in range(30):
        order = rng.randint(10**6, 10 ** rng.randint(7, 30))
        near = order // rng.randint(3, 20)
        steps = {near + rng.randint(0, rng.choice([9, 60, 1000])) for _ in range(6)}
        rule = ForwardingRule(hopscape.build(f"circulant({order}, {', '.join(map(str, steps))})"))
        if rule._router.components == 1:
            stop = rule.at(rng.randrange(1, order))
            assert rule.at(stop.sender).round == stop.round - 1
    assert max(visited) < 5_000


def test_what_cannot_arrive_is_refused() -> None:
    rule = ForwardingRule(hopscape.build("circulant(13, 1, 5)"))
    with pytest.raises(ArgumentError, match="2 coordinates"):
        rule.forward(3, (1,))
    with pytest.raises(ArgumentError, match="no copy arrives"):
        rule.forward(3, (9, 0))
    with pytest.raises(ArgumentError):
        ForwardingRule(hopscape.build("petersen"))
    with pytest.raises(DisconnectedError, match="2 components"):
        ForwardingRule(hopscape.build("circulant(12, 2, 4)")).at(3)
