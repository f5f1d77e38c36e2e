"""Demands of a machine room: honoured for both kinds of machine, or refused in a sentence."""

from __future__ import annotations

import re

import pytest

import hopscape
from commands import ask, refused
from hopscape.core.errors import ArgumentError
from hopscape.design import Requirements, SwitchedRequirements, design
from hopscape.design.bill import priced, rack_watts
from hopscape.design.floorplan import FloorPlan
from hopscape.formats.graphs.libraries import link_ends

FAMILIES = ("complete", "leaf_spine", "torus")


def _best(**more):
    return design(SwitchedRequirements(40, 16, families=FAMILIES, **more)).best


def test_limits_are_kept_and_cost_something():
    """Each limit just below what the cheapest machine has leads to another that keeps it."""
    free = _best()
    for name, column in (("cables", "cables"), ("cable_length", "cable"), ("max_hops", "far")):
        least = float(free.value(column))
        if name == "cables":
            kept = _best(cables=int(least))
        elif name == "cable_length":
            kept = _best(cable_length=least)
        else:
            kept = _best(max_hops=int(least))
        assert kept.spec == free.spec
    with pytest.raises(ArgumentError, match=r"--cables 45 is what binds: .* cables and costs"):
        _best(cables=45)
    with pytest.raises(ArgumentError, match="the lines of the endpoints alone are 40 cables"):
        _best(cables=39)
    with pytest.raises(ArgumentError, match=r"--watts-per-rack 10 is what binds: .* W in a rack"):
        _best(watts_per_rack=10.0)


def test_smaller_racks_are_offered_where_watts_bind():
    """The floor that a refusal names is asked: it meets the demand, at that price."""
    with pytest.raises(ArgumentError, match="--watts-per-rack 700 is what binds") as refusal:
        _best(watts_per_rack=700.0)
    said = re.search(r"--floor (\S+)\) .* meets all for ([\d,]+) USD", str(refusal.value))
    assert said is not None
    best = _best(watts_per_rack=700.0, plan=FloorPlan.parse(said[1]))
    assert f"{best.value('money'):,.0f}" == said[2]
    assert best.value("watts_per_rack") <= 700
    with pytest.raises(ArgumentError, match=r"W in a rack and costs [\d,]+ USD$"):
        _best(watts_per_rack=700.0, plan=FloorPlan(1, 3, 42))


def test_figures_of_the_limits_by_hand():
    free = _best()
    network = hopscape.build(free.spec)
    assert free.value("cables") == network.links
    ends = network.endpoints
    assert free.value("far") == network.diameter - 2
    prices = SwitchedRequirements(40, 16).price_list
    placed, bill = priced(network, None, prices)
    tails, heads, _ = link_ends(network)
    rack = placed.places // placed.plan.slots
    total = 0.0
    for one in sorted(set(rack.tolist())):
        here = sum(
            prices.switch(int(network.degrees[node])).watts
            for node in range(network.order)
            if rack[node] == one and node not in ends
        )
        here += sum(
            prices.cables[part].watts / 2
            for part, a, b in zip(prices.pick_cables(placed.lengths)[0], tails, heads, strict=True)
            for end in (a, b)
            if rack[end] == one
        )
        total = max(total, here)
    assert rack_watts(network, placed, prices) == pytest.approx(total)
    assert total <= bill.watts


def test_a_taper_is_a_throughput():
    words = ["design", "--endpoints", "20", "--radix", "8", "--families", "complete,torus"]
    assert ask(*words, "--taper", "2:1") == ask(*words, "--throughput", "0.5")
    assert "such as 2:1" in refused(*words, "--taper", "1:2")
    assert "--taper 2:1 leaves" in refused(*words, "--taper", "2:1", "--worst", "0.9")
    assert "give one of them" in refused(*words, "--taper", "2:1", "--throughput", "0.5")


def test_direct_machines_keep_a_limit_of_hops():
    found = design(Requirements(16, 4, max_hops=4, families=("torus", "hypercube", "ring")))
    assert all(one.value("far") <= 4 for one in found.candidates if not one.trouble)
    assert any("8 hops" in one.trouble for one in found.candidates if one.family == "ring")
