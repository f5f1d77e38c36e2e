"""Machines with spare ports: only what was asked for is bought."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.design import SwitchedRequirements
from hopscape.design.designer import design
from hopscape.design.offers import Offer
from hopscape.families.concentrated import dealt
from hopscape.metrics.throughput import switch_graph


def test_endpoints_are_dealt_evenly():
    generator = np.random.default_rng(1)
    for _ in range(200):
        room = generator.integers(0, 6, size=int(generator.integers(1, 9)))
        count = int(generator.integers(0, room.sum() + 1))
        out = dealt(room, count)
        assert out.sum() == count
        assert (out <= room).all()
        open_ones = out[out < room]
        assert not len(open_ones) or out.max() - open_ones.min() <= 1


@pytest.mark.parametrize("spec", ["fat_tree(4)", "concentrated(torus(3, 3), 4)", "bcube(3, 1)"])
def test_a_populated_machine_is_its_base_without_some_endpoints(spec):
    base = hopscape.build(spec)
    net = hopscape.build(f"populated({spec}, {base.endpoint_count - 3})")
    assert net.endpoint_count == base.endpoint_count - 3
    assert net.order == base.order - 3
    lines = int(base.degrees[base.endpoints[0]])
    assert net.links == base.links - 3 * lines
    with pytest.raises(ArgumentError, match="more than the"):
        hopscape.build(f"populated({spec}, {base.endpoint_count + 1})")


@pytest.mark.parametrize(
    "spec", ["populated(concentrated(ring(5), 3), 12)", "populated(leaf_spine(4, 2, 4), 13)"]
)
def test_what_the_full_machine_guarantees_holds(spec):
    """Against the assignment of endpoints on the machine itself."""
    from hopscape.design.machine import machine_figures
    from hopscape.design.prices import load_prices

    net, machine = hopscape.build(spec), Offer.of(spec).machine()
    graph = switch_graph(net)
    assert machine.graph.ends.tolist() == graph.ends.tolist()
    figures = machine_figures(machine, net, load_prices())
    own = max(graph.valiant(), graph.worst_minimal().value)
    assert figures["guaranteed_throughput"].value <= own + 1e-6
    assert float(figures["line_throughput"].value) == pytest.approx(graph.uniform().throughput)


@pytest.mark.parametrize(
    ("ends", "radix", "more", "most"),
    [
        (128, 32, {"exact": True}, 123_956),
        (64, 16, {}, 59_330),
        (100, 64, {}, 80_376),
        (300, 24, {"worst": 0.5, "throughput": 0.75}, 412_764),
    ],
)
def test_nobody_found_a_cheaper_one_by_hand(ends, radix, more, most):
    families = ("complete", "leaf_spine")
    found = design(SwitchedRequirements(ends, radix, families=families, **more))
    assert found.best.value("money") <= most
    assert found.best.value("endpoints") == ends
    assert "families were examined" in found.answer
