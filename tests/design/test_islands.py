"""Islands with a switch of their own, joined by rails: what they carry, and what is bought."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from commands import refused
from hopscape.core.errors import ArgumentError
from hopscape.design import Survival, SwitchedRequirements, design
from hopscape.design.names import plain_name
from hopscape.design.offers import Offer
from hopscape.metrics.concurrent import optimal_share
from hopscape.metrics.throughput import switch_graph

SPECS = (
    "rails(concentrated(complete(3), 4), 4, 4)",
    "rails(concentrated(ring(5), 4), 2, 4)",
    "rails(leaf_spine(4, 1, 4), 2, 2)",
    "rails(concentrated(ring(6), 4), 8, 8, speed=1)",
    "rails(populated(concentrated(ring(4), 3), 10), 2, 4)",
)


def test_every_island_has_an_endpoint_in_every_rail():
    net = hopscape.build("rails(concentrated(complete(3), 4), 2, 4, speed=5)")
    assert net.endpoint_count == 24
    assert net.order == 24 + 6 + 2 * 3
    for end in range(24):
        island, leaf = net.neighbors(end)
        assert island == 24 + end // 4
        assert (leaf - 30) // 3 == end % 4 % 2
        assert net.capacities()[net.indptr[end]] == 5
    rail = {int(net.neighbors(end)[1]) for end in range(24) if end % 2}
    assert rail == {33, 34, 35}
    each = net.degrees[30:]
    assert each.tolist() == [4 + 2] * 6


@pytest.mark.parametrize("spec", SPECS)
def test_uniform_traffic_as_the_whole_machine_carries_it(spec):
    """By even splitting over the shortest paths of all nodes, islands and endpoints included."""
    graph, machine = switch_graph(hopscape.build(spec)), Offer.of(spec).machine()
    whole = min(1.0, graph.lines / graph.uniform().load)  # there, an endpoint sends over all lines
    assert machine.uniform_share(1 / machine.flow.uniform().load) <= whole + 1e-6
    if "populated" not in spec:
        assert machine.uniform_share(1 / machine.flow.uniform().load) == pytest.approx(
            whole, abs=1e-6
        )


@pytest.mark.parametrize(
    "spec",
    ["rails(leaf_spine(4, 1, 4), 2, 2)", "rails(concentrated(complete(3), 2), 2, 2, speed=1)"],
)
def test_any_permutation_gets_what_is_guaranteed(spec):
    graph, machine = switch_graph(hopscape.build(spec)), Offer.of(spec).machine()
    share = machine.worst_share(float(machine.flow.guaranteed().value or 0.0))
    generator = np.random.default_rng(1)
    ends = np.flatnonzero(graph.ends)
    island = machine.island
    shifted = np.roll(ends.reshape(-1, island), len(ends) // island // 2, axis=0).ravel()
    for to in (shifted, generator.permutation(ends)):
        demand = np.zeros((graph.order, graph.order))
        demand[ends, to] = 1.0
        np.fill_diagonal(demand, 0.0)
        found = optimal_share(graph, demand)
        assert float(found.value or 0.0) >= share - 1e-6


def test_islands_are_cheaper_and_named():
    asked = {"families": ("complete", "leaf_spine", "hyperx")}
    found = design(SwitchedRequirements(48, 8, island=4, **asked))
    flat = design(SwitchedRequirements(48, 8, **asked)).best
    best = found.best
    assert best.value("money") < flat.value("money")
    assert best.value("endpoints") == 48
    assert plain_name(best).startswith("4 rails, each a full mesh of 3 switches")
    assert "destination's rail" in found.answer
    machine = Offer.of(best.spec).machine()
    assert best.value("switches") == 4 * machine.switches
    assert best.value("cables") == hopscape.build(best.spec).links - 48
    kept = design(SwitchedRequirements(48, 8, island=4, survive=Survival(switches=1), **asked))
    assert kept.best.value("blast_radius") == 0


def test_what_is_refused():
    with pytest.raises(ArgumentError, match="50 endpoints cannot be islands of 4; take 48 or 52"):
        SwitchedRequirements(50, 8, island=4)
    with pytest.raises(ArgumentError, match="nothing to join"):
        SwitchedRequirements(8, 8, island=8)
    with pytest.raises(ArgumentError, match="island_speed is 0"):
        SwitchedRequirements(8, 8, island=4, island_speed=0)
    with pytest.raises(ArgumentError, match="not computed of islands"):
        SwitchedRequirements(8, 8, island=4, routing="optimal")
    words = ("design", "--endpoints", "48", "--radix", "8")
    assert "needs --island" in refused(*words, "--island-speed", "4")
    assert "belongs to switched" in refused(
        "design", "--nodes", "8", "--ports", "3", "--island", "4"
    )
    with pytest.raises(ArgumentError, match="does not divide an island"):
        hopscape.build("rails(concentrated(complete(3), 4), 3, 4)")
    with pytest.raises(ArgumentError, match="no multiple of an island"):
        hopscape.build("rails(concentrated(complete(3), 3), 2, 4)")


def test_names_of_planes_of_rails():
    one = design(SwitchedRequirements(24, 8, nics=2, island=4, families=("complete",))).best
    assert one.name == "4 rails, each 2 planes, each one switch"


def test_what_a_budget_buys_is_whole_islands():
    words = ["design", "--endpoints", "24", "--radix", "16", "--island", "4", "--budget", "9000"]
    text = refused(*words, "--families", "complete", "--throughput", "0.5")
    size = int(text.split("you get at least ")[1].split()[0])
    assert size % 4 == 0
