"""Long data at the least cut: packed trees of one root, rounds by capacity, and what they take."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import hopscape
from hopscape import Goal, Model, Network, verify
from hopscape.collectives.bounds import bandwidth_optimum
from hopscape.collectives.contest import compete
from hopscape.collectives.forest import root_cut
from hopscape.collectives.pipelines import even_trees, pipelined_trees, rooted_trees
from hopscape.collectives.survivors import survivors
from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError

THROUGH = Model(switching="cut-through", packing="packed")
SPEEDS = [ChannelClass("fast", 12), ChannelClass("slow", 1)]


def boxes(count: int, size: int) -> Network:
    """Boxes with a fast switch each, and a slow one for all."""
    nodes = count * size
    links = [(g, nodes + g // size) for g in range(nodes)]
    links += [(g, nodes + count) for g in range(nodes)]
    return Network.from_links(
        nodes + count + 1,
        *zip(*links),
        switches=np.arange(nodes, nodes + count + 1),
        classes=SPEEDS,
        kinds=[0] * nodes + [1] * nodes,
        spec=f"{count} boxes of {size}",
    )


def random_speeds(seed: int) -> Network:
    """A random network of nine nodes, some of them switches, with two speeds."""
    random = np.random.default_rng(seed)
    links = {(int(random.integers(v)), v) for v in range(1, 9)}
    while len(links) < 16:
        u, v = sorted(random.integers(9, size=2).tolist())
        if u != v:
            links.add((u, v))
    kinds = random.integers(2, size=len(links)).tolist()
    switches = np.arange(int(random.integers(3)))
    speeds = [ChannelClass("fast", 3), ChannelClass("slow", 1)]
    return Network.from_links(
        9, *zip(*sorted(links)), switches=switches, classes=speeds, kinds=kinds, spec=f"r{seed}"
    )


def slow_cut(network: Network, root: int) -> int:
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.order))
    for u, v, room in zip(network.tails.tolist(), network.heads.tolist(), network.room().tolist()):
        more = graph.edges[u, v]["capacity"] if graph.has_edge(u, v) else 0
        graph.add_edge(u, v, capacity=more + room)
    ends = [v for v in network.endpoints.tolist() if v != root]
    return min(nx.maximum_flow_value(graph, root, v) for v in ends)


@pytest.mark.parametrize("seed", range(12))
def test_trees_fill_the_least_cut_and_no_channel_more(seed: int) -> None:
    net = random_speeds(seed)
    root = int(net.endpoints[seed % len(net.endpoints)])
    trees = rooted_trees(net, root)
    assert trees.trees == root_cut(net, root) == slow_cut(net, root)
    used = np.zeros(len(net.heads), dtype=np.int64)
    for arc in trees.arc.ravel().tolist():
        path = trees.channel[trees.start[arc] : trees.start[arc + 1]]
        np.add.at(used, path, 1)
    assert (used <= net.room()).all()
    chunks = 5 * trees.trees
    made = pipelined_trees(net, Goal.broadcast(root, chunks), THROUGH)
    verdict = verify(made)
    assert verdict, verdict.reason
    assert made.rounds == 4 + int(trees.depth.max())
    unit = net.capacities().max() / net.room().max()
    assert verdict.details["sizes"] * unit <= made.rounds + 1e-9  # never more than its room


def test_a_pruned_pipeline_reaches_its_targets_only() -> None:
    net = hopscape.build("mesh(3, 4)")
    made = pipelined_trees(net, Goal.one_to_many(0, [5, 11], 6))
    assert verify(made)
    whole = pipelined_trees(net, Goal.broadcast(0, 6))
    assert made.transfers < whole.transfers
    with pytest.raises(ArgumentError, match="one root"):
        pipelined_trees(net, Goal.broadcast(0, 2, sources=[3]))


@pytest.mark.parametrize("spec", ["petersen", "torus(4, 4)", "mesh(3, 4)", "random_regular(16, 3)"])
def test_long_rooted_data_near_the_bound(spec: str) -> None:
    net = hopscape.build(spec)
    for kind in ("broadcast", "reduce"):
        for size, bar in ((1e8, 1.40), (1e9, 1.12)):
            found = compete(net, Goal(kind, 0), size=size)
            time = found.best.time(found.costs, size)
            assert found.least_time(size) <= time <= bar * found.least_time(size), (kind, size)


def children(net: Network, root: int, ports: int | None = None) -> tuple[np.ndarray, int]:
    """How many children every node has in all even trees together, and how many trees."""
    trees = rooted_trees(net, root, True, ports)
    tails = net.tails[trees.channel[trees.start[trees.arc.ravel()]]]
    return np.bincount(tails, minlength=net.order), trees.trees


@pytest.mark.parametrize("spec", ["mesh(3, 5)", "mesh(4, 4)", "kautz(2, 3, duplex=true)"])
def test_in_even_trees_no_node_sends_more_than_the_root(spec: str) -> None:
    net = hopscape.build(spec)
    sent, trees = children(net, 0)
    assert trees == root_cut(net, 0)
    assert sent.max() == trees
    plain = rooted_trees(net, 0)
    assert np.bincount(net.tails[plain.channel[plain.start[plain.arc.ravel()]]]).max() > trees
    slow = boxes(2, 4)
    assert children(slow, 0)[0].max() == root_cut(slow, 0)


def hub() -> Network:
    """A node with one leaf that is the root, one that is not, and a triangle."""
    return Network.from_links(5, *zip((0, 1), (0, 2), (0, 3), (1, 2), (4, 0)), spec="hub")


def test_where_one_node_holds_parts_together_it_sends_more() -> None:
    net = hub()
    sent, trees = children(net, 4)
    assert (sent[0], trees) == (2, 1)  # to 3, and to 1 or 2
    assert verify(even_trees(net, Goal.broadcast(4, 3)))


def test_even_trees_keep_to_few_ports() -> None:
    net = hopscape.build("mesh(4, 4)")
    two = Model(ports=2)
    for goal in (Goal.broadcast(0, 40), Goal.one_to_many(0, [5, 15], 40)):
        made = even_trees(net, goal, two)
        assert verify(made)
        assert made.rounds < 40  # two chunks a round
    with pytest.raises(ArgumentError, match="send to at most 1"):
        even_trees(hub(), Goal.broadcast(4, 4), Model(ports=1))
    with pytest.raises(ArgumentError, match="are even"):
        even_trees(hopscape.build("petersen"), Goal.broadcast(0, 4))


@pytest.mark.parametrize("spec", ["mesh(3, 4)", "kautz(2, 3, duplex=true)", "fat_tree(4)"])
def test_an_all_reduce_is_not_dearer_than_a_reduce_and_a_broadcast(spec: str) -> None:
    net = hopscape.build(spec)
    root, size = int(net.endpoints[0]), 1e9
    goals = Goal.reduce(root), Goal.broadcast(root), Goal.all_reduce()
    up, down, both = (compete(net, goal, size=size).best for goal in goals)
    costs = compete(net, goals[0], size=size, algorithm=up.algorithm).costs
    assert both.time(costs, size) <= up.time(costs, size) + down.time(costs, size)


def test_a_broadcast_is_not_dearer_than_an_all_reduce() -> None:
    net = hopscape.build("circulant(13, 1, 5)")
    for size in (1e4, 1e6, 1e8):
        goals = Goal.broadcast(0), Goal.all_reduce()
        one, two = (compete(net, goal, size=size) for goal in goals)
        assert one.best.time(one.costs, size) <= two.best.time(two.costs, size)


def test_boxes_of_unequal_speeds_reach_the_optimum() -> None:
    net = boxes(2, 4)
    optimum = bandwidth_optimum(net, Goal.all_gather())
    assert optimum is not None
    found = compete(net, Goal.all_gather(), size=1e9)
    least = float(optimum.rounds) / 8 * 1e9 * 2e-5
    assert found.least_time(1e9) >= least * 0.999
    assert found.best.time(found.costs, 1e9) <= 1.08 * least
    sent = compete(net, Goal.broadcast(0), size=1e9)
    assert sent.best.time(sent.costs, 1e9) <= 1.12 * sent.least_time(1e9)


def test_with_dead_parts() -> None:
    left = survivors(hopscape.build("torus(4, 4)"), [5], [(0, 1)])
    found = compete(left.left, Goal.broadcast(0), size=1e9)
    assert found.best.time(found.costs, 1e9) <= 1.12 * found.least_time(1e9)
