"""Simulated saturation of switched machines."""

from __future__ import annotations

import numpy as np
import pytest

from hopscape.core.errors import ArgumentError
from hopscape.core.measured import Measured
from hopscape.design.candidates import Candidate
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.designer import design
from hopscape.design.saturations import (
    SATURATIONS,
    _compared,
    _Simulated,
    saturate_finalists,
    saturate_machine,
)
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.metrics.throughput import switch_graph
from hopscape.registry import build
from refusals import refusals


@pytest.mark.parametrize(
    "spec", ["concentrated(complete(5), 4)", "leaf_spine(4, 2, 3)", "dragonfly(2, 1, p=2)"]
)
@pytest.mark.parametrize("routing", ["fixed", "ugal"])
def test_the_worst_permutation_goes_from_switch_to_switch(spec, routing):
    """Endpoints of one switch all send to those of the switch that the graph names."""
    machine = _Simulated(spec)
    network, each = machine.view(routing)
    to = machine.worst(routing)
    assert sorted(to.tolist()) == list(range(len(network.endpoints) * each))
    assert (to != np.arange(len(to))).all()
    home = np.repeat(network.endpoints, each)
    if each == 1:
        home = network.heads[network.indptr[home]]
    switches = np.unique(home)
    wanted = machine.graph.worst_permutation()
    for node, goal in enumerate(to.tolist()):
        at = int(np.searchsorted(switches, home[node]))
        assert home[goal] == switches[wanted[at]]


def test_uniform_traffic_reaches_most_of_the_stated_share():
    """Full meshes and leaf-spines whose channels carry all: 85 % in the simulation at least."""
    for spec in ("hyperx((5,), p=4)", "leaf_spine(4, 4, 4)"):
        assert switch_graph(build(spec)).uniform().throughput == 1
        assert saturate_machine(spec)["saturation"].value >= 0.85


def test_why_less_is_carried_is_found_by_taking_reasons_away():
    """A machine that carries 40 % is said to carry 85 % and more; with half the links, not."""
    figures = {"planes": Measured(1, "exact"), "line_throughput": Measured(1.0, "exact")}
    full = Candidate(
        "hyperx((5,), p=4)", "hyperx", figures | {"saturation": Measured(0.4, "exact")}
    )
    [words] = _compared(full)
    ideal = float(words.split("carry ")[1].split(",")[0])
    assert 0.85 <= ideal <= 1
    assert words.endswith("so these two take the rest")
    half = Candidate("leaf_spine(4, 2, 4)", "leaf_spine", full.figures)
    [words] = _compared(half)
    ideal = float(words.split("carry ")[1].split(",")[0])
    assert ideal <= 0.67
    assert words.endswith("short queues take the rest")


def test_ugal_carries_more_of_the_worst_permutation():
    """All endpoints of a switch send to one other: one channel, or detours over all switches."""
    found = saturate_machine("concentrated(complete(9), 7)")
    assert found["saturation_worst"].value == pytest.approx(1 / 7, rel=0.35)
    assert found["saturation_worst_ugal"].value > 1.7 * found["saturation_worst"].value
    assert all(figure.how == "sampled" for figure in found.values())


def test_nothing_is_carried_beyond_what_no_routing_exceeds():
    for spec in ("concentrated(ring(6), 2)", "leaf_spine(4, 1, 4)"):
        graph, found = switch_graph(build(spec)), saturate_machine(spec)
        assert found["saturation"].value <= graph.uniform().throughput + 0.06
        assert found["saturation_worst"].value <= graph.bound().value + 0.06


def test_finalists_get_the_figures_and_time_is_bounded():
    asked = SwitchedRequirements(20, 10, families=("complete", "leaf_spine", "torus"))
    found = design(asked)
    rows = saturate_finalists(found, count=2)
    assert len(rows) == 2
    assert set(rows[0]) == {"spec", *SATURATIONS}
    first = found.find(rows[0]["spec"])
    assert first.value("saturation") == rows[0]["saturation"] > 0.3
    assert all(set(SATURATIONS) <= set(one.figures) for one in found.candidates)
    again = design(asked)
    (row, *_) = saturate_finalists(again, count=1, seconds=-1)
    assert row["saturation"] is None
    assert "is used up, not simulated" in again.notes[-1]


test_what_is_not_simulated = refusals(
    ArgumentError,
    ("fat_tree(20)", "more than the 1500"),
    ("hammingmesh(2, 2, 2, 2)", "several lines"),
    ("concentrated(complete(1), 4)", "no links between switches"),
    make=saturate_machine,
)


def test_planes_are_simulated_one_by_one():
    planes = saturate_machine("planes(concentrated(complete(4), 2), 2)", planes=2)
    assert planes == saturate_machine("concentrated(complete(4), 2)")


def test_the_columns_are_explained():
    for name in SATURATIONS:
        assert "flit by flit" in ALL_COLUMNS[name].explanation
