"""The time of an all-reduce: loads of its steps against routes counted pair by pair."""

from __future__ import annotations

import itertools
import math

import networkx as nx
import pytest

import hopscape
from commands import ask
from hopscape.design.machine import Machine
from hopscape.design.reduce_time import allreduce_time, shift_load
from hopscape.metrics.throughput import switch_graph

SPECS = (
    "leaf_spine(4, 2, 3)",
    "leaf_spine(3, 3, 4, links=2)",
    "concentrated(ring(5), 2, trunk=2)",
    "populated(hyperx((3, 2), p=3), 15)",
    "dragonfly(3, 1, p=1)",
)


def busiest(network, shift):
    """Load of the busiest cable between switches, every shortest path of cables taken alike."""
    cables = nx.MultiGraph()
    ends = network.endpoints.tolist()
    owner = {e: network.neighbours(e)[0] for e in ends}
    load = {}
    for a in range(network.order):
        for b in network.neighbours(a):
            if a not in owner and b not in owner and a < b:
                cables.add_edge(a, b)
    order = sorted(ends, key=lambda e: (owner[e], e))
    simple = nx.Graph(cables)
    for e in range(len(order)):
        a, b = owner[order[e]], owner[order[(e + shift) % len(order)]]
        if a == b:
            continue
        paths = list(nx.all_shortest_paths(simple, a, b))
        ways = [math.prod(cables.number_of_edges(*s) for s in itertools.pairwise(p)) for p in paths]
        for path, many in zip(paths, ways, strict=True):
            for step in itertools.pairwise(path):
                load[step] = load.get(step, 0) + many / sum(ways) / cables.number_of_edges(*step)
    return max(load.values(), default=0.0)


@pytest.mark.parametrize("spec", SPECS)
def test_loads_of_shifts_are_those_of_counted_routes(spec):
    network = hopscape.build(spec)
    graph = switch_graph(network)
    for shift in (1, 2, 3, 5, network.endpoint_count // 2):
        assert shift_load(graph, shift) == pytest.approx(busiest(network, shift))


def test_times_by_hand():
    """Leaf-spine at full rate: doubling in 2 x 4 messages, 2 x 15/16 of 1 MB at 50 GB/s."""
    machine = Machine(switch_graph(hopscape.build("leaf_spine(4, 4, 4)")))
    assert allreduce_time(machine, 1e6, 1e-6, 400).value == 8 + 37.5
    ring = allreduce_time(Machine(switch_graph(hopscape.build("leaf_spine(4, 1, 4)"))), 1e9, 0, 400)
    assert ring.value == ring.low == 37500.0  # one uplink carries what a ring sends
    assert allreduce_time(Machine(machine.graph, planes=2), 1e6, 0, 400).value == 37.5 / 2


def test_the_short_list_has_it_and_takes_the_message():
    command = ["design", "--endpoints", "24", "--radix", "16", "--families", "leaf_spine,complete"]
    usual, long = (ask(*command, *more) for more in ((), ("--message", "1e8", "--alpha", "0")))
    first, second = (found["candidates"][0] for found in (usual, long))
    assert first["spec"] == second["spec"]
    assert second["reduce_time"] > 20 * first["reduce_time"]
    assert second["reduce_time"] == pytest.approx(2 * 23 / 24 * 1e8 / 50e3, abs=1e-3)
