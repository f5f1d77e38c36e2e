"""Twins: what one switch of each class says is what the whole graph says."""

from dataclasses import replace

import numpy as np
import pytest

import hopscape
from hopscape.metrics.throughput import SwitchGraph, switch_graph
from hopscape.metrics.twins import Twins

SPECS = (
    "leaf_spine(6, 3, 4)",
    "leaf_spine(6, 3, 4, links=2)",
    "fat_tree(8)",
    "xgft([4, 3, 2], [1, 2, 2])",
    "populated(fat_tree(4), 13)",
    "concentrated(petersen, 3)",
    "dragonfly(4, 2, p=2)",
    "bcube(3, 1)",
)


def made(graph: SwitchGraph) -> Twins:
    return Twins.made(graph.tails, graph.heads, graph.speeds, graph.ends)


def by_twins(graph: SwitchGraph) -> SwitchGraph:
    other = replace(graph)
    vars(other)["_twins"] = made(graph)
    return other


@pytest.mark.parametrize("spec", SPECS)
def test_loads_paths_and_orbits_are_those_of_the_whole_graph(spec: str) -> None:
    graph = switch_graph(hopscape.build(spec))
    assert graph._twins is None  # small: the kernels go through all of it
    other = by_twins(graph)
    assert np.allclose(other._pair_loads[0], graph._pair_loads[0], rtol=1e-12)
    assert other._pair_loads[1] == graph._pair_loads[1]
    ends = graph.ends > 0
    for mine, theirs in zip(other._paths, graph._paths, strict=True):
        assert np.array_equal(mine[ends], theirs[ends])
        assert np.array_equal(mine[:, ends], theirs[:, ends])
    one, two = graph._orbits(), other._orbits()
    assert one is not None
    assert two is not None
    assert len({*zip(one.tolist(), two.tolist(), strict=True)}) == len(set(one.tolist()))


def test_switches_that_differ_in_endpoints_or_speeds_are_no_twins() -> None:
    graph = switch_graph(hopscape.build("leaf_spine(4, 2, 3)"))
    assert len(made(graph).sizes) == 2
    assert len(made(graph.with_ends(np.array([3, 3, 3, 2, 0, 0]))).sizes) == 3
    speeds = np.where(graph.heads == 4, 2.0, 1.0)
    assert len(made(replace(graph, speeds=speeds)).sizes) == 3


def test_a_large_fat_tree_is_known_from_a_few_switches() -> None:
    graph = switch_graph(hopscape.build("clos(64, 3, pods=16)"))
    twins = graph._twins
    assert twins is not None
    assert len(twins.tails) < len(graph.heads) / 20
    found = graph.guaranteed()
    assert (found.value, found.exact) == (1.0, True)


def test_side_by_side_is_below_the_worst_permutation() -> None:
    for spec in SPECS:
        graph = switch_graph(hopscape.build(spec))
        worst = graph.worst_minimal().value
        assert worst is not None
        beside = graph._side_by_side()
        assert beside == 0 or min(1.0, 1 / beside) >= worst - 1e-9
