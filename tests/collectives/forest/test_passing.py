"""All-reduce whose sums run past nodes: shares against all cuts, schedules by the verifier."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from scipy.optimize import linprog

import hopscape
from hopscape import Goal, Model, Network, verify
from hopscape.collectives.contest import compete
from hopscape.collectives.loads import least_moved
from hopscape.collectives.passing_trees import passing_schedule, passing_shares, passing_trees
from hopscape.core.channels import ChannelClass
from hopscape.core.distances import distance_rows
from hopscape.core.errors import ArgumentError, TooLargeError

RULES = Model(switching="cut-through", packing="packed", beta=2.0, gamma=1.0)


def random_network(nodes: int, links: float, seed: int, speeds: tuple[int, ...] = (1,)) -> Network:
    graph = nx.gnp_random_graph(nodes, links, seed=seed)
    graph.add_edges_from(nx.random_labeled_tree(nodes, seed=seed).edges())
    kinds = np.random.default_rng(seed).integers(len(speeds), size=graph.number_of_edges())
    return Network.from_links(
        nodes,
        *zip(*graph.edges()),
        classes=[ChannelClass(f"speed {speed}", speed) for speed in speeds],
        kinds=kinds,
        spec=f"random {nodes}, {seed}",
    )


def irregular(nodes: int, more: int) -> Network:
    """A random tree and random links beside it, as in benchmarks/collectives_optimal.py."""
    generator = np.random.default_rng(nodes)
    links = {(int(generator.integers(v)), v) for v in range(1, nodes)}
    while len(links) < nodes - 1 + more:
        u, v = sorted(generator.choice(nodes, 2, replace=False).tolist())
        links.add((u, v))
    return Network.from_links(nodes, *zip(*sorted(links)), spec=f"irregular, {nodes} nodes")


def all_cuts(net: Network) -> tuple[np.ndarray, np.ndarray]:
    """Rows for every cut, channel and node, where a node comes twice: what ends, and what passes.

    Columns: down and up by channel, roots by node, what the busiest channel carries, what is added.
    """
    nodes, channels = net.order, len(net.heads)
    columns = 2 * channels + nodes + 2
    rows, right = [], []
    begin = np.zeros((nodes, columns))
    for c in range(channels):
        begin[net.tails[c], channels + c] += 1
        begin[net.heads[c], channels + c] -= 1
        row = np.zeros(columns)
        row[[c, channels + net.reverse[c], -2]] = 1, 1, -float(net.room()[c])
        rows.append(row)
        right.append(0.0)
    begin[:, 2 * channels : -2] = -np.eye(nodes)
    for v in range(nodes):
        row = begin[v].copy()
        row[-1] = -1
        rows.append(row)
        right.append(-1.0)
    for sides in range(4**nodes):
        ends = [sides >> v & 1 for v in range(nodes)]
        past = [sides >> (nodes + v) & 1 for v in range(nodes)]
        if all(ends):
            continue
        row, left = np.zeros(columns), 0.0
        for v in range(nodes):
            row[2 * channels + v] += ends[v]
            if ends[v] and not past[v]:
                row -= begin[v]
                left += 1.0
            if past[v] and not ends[v]:
                row[2 * channels + v] += 1  # one less its own trees end there
                left += 1.0
        for c in range(channels):
            row[channels + c] -= past[net.tails[c]] and not past[net.heads[c]]
        rows.append(row)
        right.append(left)
        if ends == past:
            plain = np.zeros(columns)
            plain[2 * channels : -2] = ends
            for c in range(channels):
                plain[c] -= ends[net.tails[c]] and not ends[net.heads[c]]
            rows.append(plain)
            right.append(0.0)
    return np.array(rows), np.array(right)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("adding", [0.1, 0.5, 4.0])
def test_shares_are_the_cheapest_that_all_cuts_allow(seed, adding):
    net = random_network(4, 0.5, seed, (1, 3))
    rows, right = all_cuts(net)
    columns = rows.shape[1]
    once, price = np.zeros((1, columns)), np.zeros(columns)
    once[0, -2 - net.order : -2], price[-2:] = 1, (1, adding)
    least = linprog(price, A_ub=rows, b_ub=right, A_eq=once, b_eq=[1.0]).fun
    made = passing_shares(net, adding)
    assert made.busy + adding * made.added == pytest.approx(least)
    mine = np.concatenate([made.down, made.up, made.roots, [made.busy, made.added]])
    assert (rows @ mine <= right + 1e-7).all()


@pytest.mark.parametrize("seed", range(8))
def test_schedules_hold_and_are_not_below_the_bound(seed):
    net = random_network(4 + seed, 0.25, seed, (1, 2, 12) if seed % 2 else (1,))
    trees = max(passing_trees(net, 0.5), key=lambda one: one.trees)
    made = passing_schedule(net, Goal.all_reduce(3 * trees.trees + 1), RULES)
    verdict = verify(made)
    assert verdict.holds
    spent = 2.0 * verdict.details["sizes"] + verdict.details["added"]
    assert spent >= made.goal.chunks * least_moved(net, Goal.all_reduce(), RULES) * (1 - 1e-9)


def test_the_bound_of_networks_with_hubs_can_be_reached():
    """Nodes of one link add up nothing; past hubs, others do."""
    for nodes, more in ((12, 6), (20, 10)):
        net = irregular(nodes, more)
        made = passing_shares(net, 0.5)
        least = least_moved(net, Goal.all_reduce(), RULES)
        assert 2 * made.busy + made.added == pytest.approx(least)


def test_central_roots_cost_nothing():
    """Of equal shares those with near roots are taken, and no dearer ones."""
    net = irregular(12, 6)
    plain, near = (passing_shares(net, 0.5, central) for central in (False, True))
    assert near.busy + 0.5 * near.added == pytest.approx(plain.busy + 0.5 * plain.added, rel=1e-3)
    far = distance_rows(net, np.arange(net.order)).max(axis=1)
    assert (near.roots * far).sum() <= (plain.roots * far).sum() + 1e-6


def test_it_wins_where_nodes_and_links_differ():
    found = compete(irregular(12, 6), Goal.all_reduce(), size=1e9)
    assert found.best.algorithm == "passing-forest"
    assert found.best.time(found.costs, 1e9) < 1.08 * found.least_time(1e9)


def test_every_tree_takes_a_chunk_a_period():
    for made in passing_trees(irregular(12, 6), 0.5):
        hops = np.bincount(made.tree, minlength=made.trees)
        assert (hops == 2 * 11).all()
        for timing in made.timings:
            assert timing.when.min() >= 0
            assert timing.added >= made.trees * 11 / 12
    assert len(passing_trees(irregular(12, 6), 0.5)) > 1


def test_refused():
    with pytest.raises(ArgumentError, match="without switches"):
        passing_trees(hopscape.build("fat_tree(4)"), 0.5)
    with pytest.raises(ArgumentError, match="let as many chunks through"):
        passing_trees(hopscape.build("petersen"), 0.5)
    with pytest.raises(ArgumentError, match="adding up costs nothing"):
        passing_trees(hopscape.build("petersen"), 0.0)
    with pytest.raises(TooLargeError, match="sharing out the channels"):
        passing_trees(hopscape.build("mesh(16, 16)"), 0.5)
