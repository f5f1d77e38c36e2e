"""Swapped networks against their definition and breadth-first search."""

from __future__ import annotations

import networkx
import numpy as np
import pytest

import hopscape
from commands import refused
from hopscape.core.distances import distances_from
from hopscape.core.router_check import check_router


def slow_swapped(base: networkx.Graph) -> networkx.Graph:
    """By definition: copies of the base, and (a, b) joined with (b, a)."""
    n = len(base)
    graph = networkx.Graph()
    graph.add_nodes_from(range(n * n))
    for copy in range(n):
        graph.add_edges_from((copy * n + a, copy * n + b) for a, b in base.edges)
        graph.add_edges_from((copy * n + b, b * n + copy) for b in range(copy))
    return graph


BASES = ("complete(2)", "path(3)", "ring(5)", "petersen", "mesh(2, 3)", "arrangement(3, 2)")


@pytest.mark.parametrize("base", BASES)
def test_wires_routes_and_facts(base: str) -> None:
    network = hopscape.build(f"swapped({base})")
    slow = slow_swapped(networkx.Graph(hopscape.build(base).to_networkx().to_undirected()))
    wires = zip(network.tails.tolist(), network.heads.tolist(), strict=True)
    assert {tuple(sorted(wire)) for wire in wires} == {tuple(sorted(edge)) for edge in slow.edges}
    assert network.channels == 2 * slow.number_of_edges() == network.facts.channels
    assert check_router(network.router("closed"))
    assert network.facts.diameter == networkx.diameter(slow)
    girth = networkx.girth(slow)
    assert network.facts.girth == (None if np.isinf(girth) else girth)


def test_the_star_of_stars() -> None:
    """24 star graphs of 24 nodes."""
    network = hopscape.build("swapped(arrangement(4, 3))")
    assert (network.order, network.facts.diameter, network.facts.girth) == (576, 9, 6)
    router, every = network.router("closed"), np.arange(576)
    for goal in (0, 5, 450):
        want = distances_from(network, goal)
        assert np.array_equal(router.distances(every, np.full(576, goal)), want)
        taken = router.next_ports(every, np.full(576, goal))
        heads = network.rows(every)[every, taken]
        moved = every != goal
        assert np.array_equal(want[heads[moved]], want[moved] - 1)
    assert distances_from(network, 0).max() == 9


def test_links_between_copies_are_plain() -> None:
    network = hopscape.build("swapped(torus(3, 3))")
    names = [kind.name for kind in network.classes]
    last = network.port_of(np.arange(network.channels)) == 4
    assert {names[k] for k in network.class_of(np.arange(network.channels))[last]} == {"plain"}
    inside = {kind.name for kind in hopscape.build("torus(3, 3)").classes}
    assert {names[k] for k in network.class_of(np.arange(network.channels))[~last]} == inside


@pytest.mark.parametrize("base", ["kautz(2, 2)", "fat_tree(4)"])
def test_bases_that_do_not_serve(base: str) -> None:
    assert base in refused("show", f"swapped({base})")
