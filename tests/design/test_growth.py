"""Growing: what is moved and bought, against the cable lists of both machines and all plans."""

from __future__ import annotations

import csv
import itertools
from collections import Counter

import numpy as np
import pytest

import hopscape
from commands import refused, shown
from hopscape.design import Requirements, SwitchedRequirements, design
from hopscape.design.family_search import growth_figures, growth_plan
from hopscape.design.growth import Cabling, grow
from hopscape.design.handover import write_design
from hopscape.design.offers import Offer
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


def _steps(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(text.splitlines()))


@pytest.mark.parametrize(
    ("spec", "grown"),
    [
        ("leaf_spine(4, 3, 9)", "leaf_spine(6, 4, 9)"),
        ("populated(hyperx((3, 3), p=6, links=(2, 2)), 50)", "hyperx((3, 5), p=6, links=(2, 2))"),
        ("planes(concentrated(torus(3, 3), 4), 2)", "planes(concentrated(torus(3, 4), 4), 2)"),
        (
            "populated(concentrated(complete(3), 9, trunk=5), 20, ends=[9, 9, 2], pairs=19)",
            "concentrated(complete(4), 8, trunk=2)",
        ),
    ],
)
def test_the_plan_adds_up(spec, grown):
    """growth.csv: its costs, switches and cables are the figures; cables lead from list to list."""
    asked = SwitchedRequirements(20, 32, grow=200, prices="400g")
    figures = growth_figures(spec, [grown], asked)
    steps = _steps(growth_plan(spec, grown, "400g"))
    bought = [step for step in steps if step["action"] == "buy"]
    cost = sum(round(100 * float(step["money"])) for step in bought)
    assert cost == round(100 * figures["growth_cost"].value)
    boxes = sum(int(step["pieces"]) for step in bought if step["what"].startswith("switch"))
    assert boxes == figures["switches_bought"].value
    apart, joined = (
        [step for step in steps if step["action"] == action] for action in ("unplug", "plug in")
    )
    moved = 0
    for kind in ("cable", "line of an endpoint"):
        counts = [
            sum(int(step["pieces"]) for step in some if step["what"] == kind)
            for some in (apart, joined)
        ]
        moved += min(counts)
    assert moved == figures["cables_moved"].value
    place = {step["here"]: step["there"] for step in steps if step["action"] == "becomes"}
    now, then = (_cables(Offer.of(one).machine()) for one in (spec, grown))
    after = Counter({frozenset(int(place[str(v)]) for v in pair): n for pair, n in now.items()})
    for step in apart:
        if step["what"] == "cable":
            pair = frozenset(int(place[step[side]]) for side in ("here", "there"))
            after[pair] -= int(step["pieces"])
    for step in joined:
        if step["what"] == "cable":
            after[frozenset((int(step["here"]), int(step["there"])))] += int(step["pieces"])
    assert +after == then


def _cables(machine) -> Counter:
    """Cables between any two switches of a plane, times the planes."""
    flow, out = machine.flow, Counter()
    for u, v, cables in zip(flow.tails.tolist(), flow.heads.tolist(), flow.speeds, strict=True):
        if u < v:
            out[frozenset((u, v))] += int(cables) * machine.planes
    return out


def test_the_folder_has_the_plan(tmp_path):
    """What --out writes costs to the cent what the answer says."""
    asked = SwitchedRequirements(14, 12, grow=20, families=("leaf_spine",))
    found = design(asked)
    lines = write_design(found, tmp_path / "plan")
    assert any("growth.csv" in line for line in lines)
    text = (tmp_path / "plan" / "growth.csv").read_text()
    cost = sum(round(100 * float(step["money"] or 0)) for step in _steps(text))
    assert cost == round(100 * found.best.value("growth_cost")) > 0


def test_rails_grow_all_together():
    """The larger machine is asked of all rails: each of the two has half of its endpoints."""
    asked = SwitchedRequirements(48, 16, island=4, grow=64, families=("complete",))
    found = design(asked).best
    assert found.value("cables_moved") is not None
    assert hopscape.build(found.value("grown")).endpoint_count == 64


def test_one_switch_grows():
    """It has no cable to another switch; its ten lines stay."""
    now, then = "concentrated(complete(1), 10)", "concentrated(complete(3), 10, trunk=3)"
    found = growth_figures(now, [then], SwitchedRequirements(10, 16, grow=30))
    assert found["cables_moved"].value == 0
    assert found["cables_bought"].value == 20 + 9
