"""All-reduce up and down at once: trees that share links, at the rate of the worst partition."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import hopscape
from hopscape import Goal, Model, Network, verify
from hopscape.collectives.contest import compete
from hopscape.collectives.forest import bottleneck
from hopscape.collectives.loads import least_moved
from hopscape.collectives.two_way import two_way_schedule, two_way_trees
from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError, TooLargeError

DGX = {
    (0, 1): 1, (0, 2): 1, (0, 3): 2, (0, 4): 2, (1, 2): 2, (1, 3): 1, (1, 5): 2, (2, 3): 1,
    (2, 6): 2, (3, 7): 2, (4, 5): 1, (4, 6): 1, (4, 7): 2, (5, 6): 2, (5, 7): 1, (6, 7): 1,
}  # fmt: skip
"""Links of the eight GPUs of a DGX-1 (V100): NVLinks by pair."""


def dgx(count: int) -> Network:
    ends = {pair: links for pair, links in DGX.items() if max(pair) < count}
    return Network.from_links(
        count,
        *zip(*ends),
        classes=[ChannelClass("one", 1), ChannelClass("two", 2)],
        kinds=[links - 1 for links in ends.values()],
        spec=f"dgx({count})",
    )


def worst_partition(network: Network) -> Fraction:
    """Nash-Williams and Tutte by trying all partitions: links between parts over parts less one."""
    room, nodes = network.room().tolist(), network.order
    links = [(u, v, c) for u, v, c in zip(network.tails.tolist(), network.heads.tolist(), room)]
    best = None

    def parts(at: int, of: list[int], most: int) -> None:
        nonlocal best
        if at == nodes:
            if most > 1:
                between = sum(c for u, v, c in links if of[u] < of[v])
                between += sum(c for u, v, c in links if of[u] > of[v])
                rate = Fraction(between, 2 * (most - 1))
                best = rate if best is None else min(best, rate)
            return
        for part in range(most + 1):
            parts(at + 1, [*of, part], max(most, part + 1))

    parts(0, [], 0)
    assert best is not None
    return best


def random_network(seed: int) -> Network:
    graph = nx.gnm_random_graph(7, 12, seed=seed)
    while not nx.is_connected(graph):
        seed += 100
        graph = nx.gnm_random_graph(7, 12, seed=seed)
    return Network.from_links(7, *zip(*graph.edges), spec=f"gnm{seed}")


@pytest.mark.parametrize("net", [dgx(3), dgx(5), dgx(6), *map(random_network, range(5))], ids=repr)
def test_as_many_trees_as_the_worst_partition_allows(net: Network) -> None:
    most = worst_partition(net)
    try:
        made = two_way_trees(net)
    except ArgumentError:  # a reduce-scatter and an all-gather are as quick
        assert most <= Fraction(7, 2) / bottleneck(net).rounds * Fraction(103, 100)
        return
    rate = Fraction(made.trees, made.period)
    assert rate <= most
    assert rate >= most * Fraction(97, 100)
    used = np.zeros((len(net.heads), made.period), dtype=np.int64)
    np.add.at(used, (made.up, made.rises % made.period), 1)
    np.add.at(used, (made.down, made.falls % made.period), 1)
    assert (used <= net.room()[:, None]).all()
    plan = two_way_schedule(net, Goal.all_reduce(3 * made.trees + 1))
    verdict = verify(plan)
    assert verdict, verdict.reason


@pytest.mark.parametrize(
    ("count", "least"), [(3, 0.97), (4, 0.97), (5, 0.97), (7, 0.95), (8, 0.97)]
)
def test_gpus_of_a_dgx_reach_the_cut(count: int, least: float) -> None:
    """Copied and summed at no cost, as NCCL's figures are read: 25 GB/s a link."""
    free = {"alpha": 1.0, "beta": 1 / 25e3, "gamma": 0.0, "delta": 0.0}
    for goal in (Goal.all_reduce(), Goal.all_gather()):
        found = compete(dgx(count), goal, free, size=1e9)
        assert found.least_time(1e9) >= least * found.best.time(found.costs, 1e9)


def test_it_is_refused_where_it_gains_nothing_or_cannot_be() -> None:
    for spec in ("petersen", "torus(3, 4)"):
        with pytest.raises(ArgumentError, match="as many chunks"):
            two_way_trees(hopscape.build(spec))
    with pytest.raises(ArgumentError, match="without switches"):
        two_way_trees(hopscape.build("fat_tree(4)"))
    with pytest.raises(TooLargeError, match="at most"):
        two_way_trees(hopscape.build("mesh(16, 16)"))
    only = two_way_schedule(dgx(3), Goal.all_reduce(1), Model())
    assert verify(only)


def test_adding_is_balanced_against_carrying() -> None:
    """Inner nodes of a mesh would add up more than others; at the bound they add up less."""
    mesh, goal = hopscape.build("mesh(3, 5)"), Goal.all_reduce()
    plain, even = two_way_trees(mesh), two_way_trees(mesh, 0.5)
    sums = [np.bincount(mesh.tails[made.down.ravel()]).max() / made.trees for made in (plain, even)]
    loads = [made.period / made.trees for made in (plain, even)]
    assert sums[1] < sums[0]
    assert loads[0] < loads[1]
    least = least_moved(mesh, goal, Model(beta=1.0, gamma=0.5))
    assert least <= loads[1] + 0.5 * sums[1] < 1.05 * least < loads[0] + 0.5 * sums[0]
    found = compete(mesh, goal, size=1e9, algorithm="two-way-forest")
    assert found.best.time(found.costs, 1e9) < 1.1 * found.least_time(1e9)
