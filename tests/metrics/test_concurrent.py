"""Concurrent flow: the approximation against the linear program, and a slow twin of its kernel."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.metrics.concurrent import approximate_flow, concurrent_flow, optimal_share
from hopscape.metrics.throughput import SwitchGraph, switch_graph
from hopscape.metrics.throughput_kernels import rising_lengths

MACHINES = [
    "concentrated(petersen, 7, trunk=3)",
    "concentrated(mesh(2, 3), 2)",
    "slim_fly(3, p=2)",
    "fat_tree(4)",
    "concentrated(complete(7), 5)",
]


def far_demand(graph: SwitchGraph) -> np.ndarray:
    sources = np.flatnonzero(graph.ends)
    demand = np.zeros((graph.order, graph.order))
    demand[sources, sources[graph.farthest_permutation()]] = graph.ends[sources]
    np.fill_diagonal(demand, 0.0)
    return demand


@pytest.mark.parametrize("spec", MACHINES)
@pytest.mark.parametrize("gap", [0.2, 0.03])
def test_the_program_lies_between_the_bounds(spec, gap):
    graph = switch_graph(hopscape.build(spec))
    demand = far_demand(graph)
    low, high = approximate_flow(graph, demand, gap=gap)
    exact = concurrent_flow(graph, demand)
    assert low <= exact + 1e-7
    assert exact <= high + 1e-7
    assert low >= (1 - gap) * high - 1e-12


@st.composite
def questions(draw):
    """A connected network with any speeds, and demands between some of its nodes."""
    order = draw(st.integers(2, 7))
    links = [(node, draw(st.integers(0, node - 1))) for node in range(1, order)]
    ends = st.tuples(st.integers(0, order - 1), st.integers(0, order - 1))
    links += [(a, b) for a, b in draw(st.lists(ends, max_size=6)) if a != b]
    plain = switch_graph(Network.from_links(order, *map(list, zip(*links, strict=True))))
    speeds = np.asarray(
        draw(st.lists(st.integers(1, 9), min_size=len(plain.heads), max_size=len(plain.heads)))
    )
    graph = SwitchGraph(plain.indptr, plain.heads, speeds / 2, plain.ends)
    demand = np.zeros((order, order))
    for a, b in draw(st.lists(ends, min_size=1, max_size=5)):
        demand[a, b] = draw(st.integers(1, 20)) if a != b else 0
    return graph, demand


@settings(max_examples=40)
@given(questions())
def test_random_networks(question):
    graph, demand = question
    low, high = approximate_flow(graph, demand, gap=0.1)
    exact = concurrent_flow(graph, demand)
    assert low <= exact * (1 + 1e-7)
    assert exact <= high * (1 + 1e-7)
    assert math.isinf(low) or low >= 0.9 * high - 1e-12


def slow_bounds(graph, pairs, demands, rate, phases):
    """The algorithm over all simple paths, as the paper tells it: no heap, no predecessors."""

    def paths(node, goal, seen):
        if node == goal:
            yield ()
            return
        for channel in range(graph.indptr[node], graph.indptr[node + 1]):
            head = int(graph.heads[channel])
            if head not in seen:
                for rest in paths(head, goal, seen | {head}):
                    yield (channel, *rest)

    every = [list(paths(a, b, {a})) for a, b in pairs]
    lengths, flows = 1 / graph.speeds, np.zeros(len(graph.heads))
    low, duals = 0.0, []
    for phase in range(phases + 1):
        if phase % 4 == 0 or phase == phases:
            shortest = [min(sum(lengths[list(way)]) for way in some) for some in every]
            whole = sum(d * s for d, s in zip(demands, shortest, strict=True))
            duals.append((lengths * graph.speeds).sum() / whole)
        if phase == phases:
            return min(low, *duals), min(duals)
        for some, demand in zip(every, demands, strict=True):
            left = demand
            while left > 1e-12 * demand:
                path = list(min(some, key=lambda way: (sum(lengths[list(way)]), way)))
                piece = min(left, *graph.speeds[path])
                flows[path] += piece
                lengths[path] *= 1 + rate * piece / graph.speeds[path]
                left -= piece
        low = (phase + 1) / (flows / graph.speeds).max()
    raise AssertionError


@pytest.mark.parametrize("steps", [1, 500, 2000])
def test_the_kernel_has_a_slow_twin(steps):
    """Speeds are random: no two paths are equally long, so both choose the same."""
    plain = switch_graph(hopscape.build("mesh(2, 3)"))
    speeds = np.random.default_rng(3).random(len(plain.heads)) + 0.5
    graph = SwitchGraph(plain.indptr, plain.heads, speeds, plain.ends)
    pairs, demands = np.array([[0, 5], [3, 2], [1, 0]]), np.array([2.0, 1.0, 3.0])
    low, high, phases = rising_lengths(
        graph.indptr, graph.heads, graph.tails, speeds, pairs, demands, 0.2, 1e-9, steps
    )
    assert phases >= min(4, steps)
    assert (low, high) == pytest.approx(slow_bounds(graph, pairs.tolist(), demands, 0.2, phases))


def test_beyond_the_program_the_gap_is_stated():
    graph = switch_graph(hopscape.build("slim_fly(3, p=2)"))
    demand = far_demand(graph)
    exact, near = optimal_share(graph, demand), optimal_share(graph, demand, program=0)
    assert (exact.how, near.how) == ("exact", "bound")
    assert near.low <= exact.value + 1e-7 <= near.high + 2e-7
    assert "gap of" in near.note
    assert near.sign == "≥"


def test_little_effort_still_gives_bounds():
    graph = switch_graph(hopscape.build("concentrated(complete(7), 5)"))
    demand = far_demand(graph)
    low, high = approximate_flow(graph, demand, gap=0.001, steps=1)
    assert 0 < low <= concurrent_flow(graph, demand) <= high + 1e-7


def test_nothing_to_send_and_nowhere_to_send_it():
    graph = switch_graph(hopscape.build("ring(4)"))
    assert approximate_flow(graph, np.zeros((4, 4))) == (math.inf, math.inf)
    apart = switch_graph(Network.from_links(4, [0, 2], [1, 3]))
    demand = np.zeros((4, 4))
    demand[0, 3] = 1
    assert approximate_flow(apart, demand) == (0.0, 0.0)
    with pytest.raises(ArgumentError, match="gap is 0;"):
        approximate_flow(graph, demand, gap=0.0)
