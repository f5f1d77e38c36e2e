"""Growing: what is moved and bought, against the cable lists of both machines and all plans."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

import hopscape
from commands import refused, shown
from hopscape.design import Requirements, SwitchedRequirements, design
from hopscape.design.growth import Cabling, grow
from hopscape.design.offers import Offer, growth_figures
from hopscape.formats.graphs.libraries import link_ends


def cable_list(network, place):
    """Cables of a network, each with the names of its ends: switches by `place`."""
    ends = set(network.endpoints.tolist()) if network.has_switches else set()
    switches = [v for v in range(network.order) if v not in ends]
    name = {v: place[i] for i, v in enumerate(switches)}
    tails, heads, _ = link_ends(network)
    out = Counter()
    for a, b in zip(tails.tolist(), heads.tolist(), strict=True):
        if a in ends or b in ends:
            out["line", name[b if a in ends else a]] += 1
        else:
            out["link", *sorted((name[a], name[b]))] += 1
    return out


def compared(small, large, where):
    """Cables kept, moved and bought when the lists are laid side by side."""
    a = cable_list(small, where.tolist())
    b = cable_list(large, list(range(large.order)))
    kept = sum((a & b).values())
    moved = bought = 0
    for kind in ("line", "link"):
        gone = sum(n for key, n in (a - b).items() if key[0] == kind)
        new = sum(n for key, n in (b - a).items() if key[0] == kind)
        moved += min(gone, new)
        bought += new - min(gone, new)
    return kept, moved, bought


SWITCHED = (
    ("leaf_spine(4, 2, 4, links=2)", "leaf_spine(8, 4, 4)"),
    ("hyperx((5,), p=4)", "hyperx((5, 3), p=4)"),
    ("populated(concentrated(complete(5), 4, trunk=2), 18)", "concentrated(complete(7), 4)"),
    ("concentrated(torus(3, 4), 3)", "concentrated(torus(3, 5), 3)"),
    ("dragonfly(3, 1, p=2, groups=3)", "dragonfly(3, 1, p=2)"),
)


@pytest.mark.parametrize(("small", "large"), SWITCHED)
def test_counts_are_those_of_the_cable_lists(small, large):
    a, b = (Offer.of(spec).machine() for spec in (small, large))
    plan = grow(Cabling.of_machine(a), Cabling.of_machine(b))
    assert sorted(set(plan.where.tolist())) == sorted(plan.where.tolist())
    nets = hopscape.build(small), hopscape.build(large)
    assert compared(*nets, plan.where) == (plan.kept, plan.moved, plan.bought)
    assert plan.switches == b.switches - a.switches


@pytest.mark.parametrize(
    ("small", "large", "moved"),
    [
        ("torus(4, 4)", "torus(4, 8)", 4),  # the rings along one axis are opened
        ("hypercube(4)", "hypercube(5)", 0),
        ("complete(6)", "complete(9)", 0),
        ("ring(6)", "ring(9)", 1),
    ],
)
def test_direct_machines_move_what_must_be_moved(small, large, moved):
    nets = hopscape.build(small), hopscape.build(large)
    plan = grow(*(Cabling.of_network(net) for net in nets))
    assert plan.moved == moved
    assert compared(*nets, plan.where) == (plan.kept, plan.moved, plan.bought)


@pytest.mark.parametrize(
    ("small", "large"),
    [("mesh(2, 3)", "petersen"), ("circulant(6, 1, 2)", "circulant(7, 1, 2)"),
     ("random_regular(6, 3, seed=1)", "random_regular(8, 3, seed=2)")],
)  # fmt: skip
def test_plans_are_near_the_best_of_all_maps(small, large):
    """All maps of six nodes; the plan keeps all but one cable of what the best one keeps."""
    a, b = (hopscape.build(spec) for spec in (small, large))
    first, second = Cabling.of_network(a), Cabling.of_network(b)
    joined = np.zeros((b.order, b.order), dtype=bool)
    tails, heads, _ = link_ends(b)
    joined[tails, heads] = joined[heads, tails] = True
    tails, heads, _ = link_ends(a)
    best = max(
        int(joined[np.array(p)[tails], np.array(p)[heads]].sum())
        for p in itertools.permutations(range(b.order), a.order)
    )
    assert best - 1 <= grow(first, second).kept <= best


def test_switches_with_too_few_ports_are_bought_again():
    """Switches of 16 ports in use become switches of 20 ports: all five and two more are bought."""
    asked = SwitchedRequirements(60, 32, grow=84)
    spec, larger = "concentrated(complete(5), 12)", "concentrated(complete(7), 12, trunk=2)"
    found = growth_figures(spec, [larger], asked)
    assert found["switches_bought"].value == 7
    assert found["cables_moved"].value == 0
    assert found["cables_bought"].value == 7 * 12 + 2 * 21 - 60 - 10
    copper = 272
    assert found["growth_cost"].value >= 7 * 7140 + found["cables_bought"].value * copper


def test_a_machine_that_cannot_grow_is_not_taken():
    """A full mesh of switches of twelve ports ends at 42 endpoints, a leaf-spine later."""
    asked = SwitchedRequirements(40, 12, families=("complete", "leaf_spine"), grow=64)
    found = design(asked)
    assert found.best.family == "leaf_spine"
    assert found.best.value("cables_moved") is not None
    assert (
        "grows into leaf_spine" in found.answer or "grows into populated(leaf_spine" in found.answer
    )
    words = refused(
        *["design", "--endpoints", "40", "--radix", "12", "--families", "complete", "--grow", "64"]
    )
    assert "--grow 64 is what binds" in words


def test_direct_machines_grow_in_their_family():
    found = design(Requirements(9, 4, families=("torus",), grow=15))
    assert found.best.value("grown") == "torus(3, 5)"
    assert found.best.value("cables_moved") == 3  # opened rings of one axis
    assert not found.best.unproved
    assert "it grows into torus(3, 5): 6 nodes and 12 cables are bought" in found.answer


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("design --endpoints 40 --radix 12 --grow 40", "grow is 40; it must be more than"),
        ("design --nodes 16 --ports 4 --grow 17", "grow is 17; it must be more than the 18"),
        ("design --endpoints 64 --radix 16 --island 8 --grow 100", "take 104"),
    ],
)
def test_growth_that_makes_no_sense_is_refused(command, words):
    assert words in refused(*command.split())


def test_the_table_shows_growth():
    text = shown(
        *[
            "design",
            "--endpoints",
            "40",
            "--radix",
            "12",
            "--families",
            "leaf_spine",
            "--grow",
            "64",
        ]
    )
    assert "moved" in text
    assert "grows into" in text
