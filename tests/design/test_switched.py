"""Switched machines: what they are made of, what they cost, and how they are ranked."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hopscape
from commands import ask, refused, shown
from hopscape.core.errors import ArgumentError
from hopscape.core.measured import Measured
from hopscape.design import prices, saturations
from hopscape.design.bill import bill_of
from hopscape.design.candidates import Candidate
from hopscape.design.designer import design
from hopscape.design.family_search import _Search
from hopscape.design.floorplan import FloorPlan, place
from hopscape.design.machine import Machine, machine_figures
from hopscape.design.names import called
from hopscape.design.offers import Offer, family_offers
from hopscape.design.prices import load_prices
from hopscape.design.ranking import grades, rank
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.design.words import sentences
from hopscape.formats.graphs.libraries import link_ends
from hopscape.metrics import throughput_kernels
from hopscape.metrics.throughput import switch_graph
from hopscape.registry import family
from hopscape.simulate import sweep
from hopscape.store import Store

FAMILIES = ("hyperx", "fat_tree", "complete", "torus", "slim_fly", "distributed_switch", "ring")


@pytest.fixture(scope="module")
def small():
    return design(SwitchedRequirements(54, 12, families=FAMILIES))


def test_every_candidate_is_what_it_says(small):
    """The spec builds the machine: its endpoints, switches, ports and lines, counted anew."""
    for one in small.candidates:
        net = hopscape.build(one.spec)
        switches = np.setdiff1d(np.arange(net.order), net.endpoints)
        assert net.endpoint_count == one.value("endpoints")
        assert len(switches) == one.value("switches")
        assert int(net.degrees[switches].max()) == one.value("radix_used") <= 12
        assert net.links == one.value("cables_copper") + one.value("cables_optical")
        graph = switch_graph(net)
        uniform = graph.uniform().throughput
        assert float(one.value("throughput_even")) == pytest.approx(uniform, abs=1e-6)
        share = graph.guaranteed().value
        if net.family.name == "populated":  # a permutation of some is one of all, extended
            share = max(share, switch_graph(net.family.base).guaranteed().value)
        assert one.value("guaranteed_throughput") == pytest.approx(share, abs=1e-6)


def test_ranking(small):
    """Who misses a demand comes after all who meet it, and the cheapest comes first."""
    missed = [bool(one.trouble) for one in small.candidates]
    assert missed == sorted(missed)
    costs = [one.value("money") for one in small.candidates if not one.trouble]
    assert costs == sorted(costs)
    assert all(
        float(o.value("line_throughput")) >= 1 - 1e-9 for o in small.candidates if not o.trouble
    )
    assert small.best.meets == ("endpoints", "radix", "throughput")


def test_words_have_the_numbers_of_the_table(small):
    best = small.best
    assert best.spec in small.answer
    assert f"{best.value('money'):,.0f} USD" in small.answer
    assert f"{best.value('switches')} switches" in small.answer


_IF = re.compile(r"If [^(]*\((--[^)]*)\), take .*?: ([+-][0-9.]+) %")


@pytest.mark.parametrize(("ends", "radix", "share"), [(30, 12, 1.0), (40, 16, 0.5), (60, 24, 0.25)])
def test_every_sentence_is_what_the_program_answers(ends, radix, share):
    """Who types the options that are named gets the machine and the price that are named."""
    families = ("complete", "leaf_spine", "fat_tree", "hyperx", "torus", "petersen")
    asked = SwitchedRequirements(ends, radix, throughput=share, families=families)
    found = design(asked)
    said = _IF.findall(found.answer)
    assert said
    for options, percent in said:
        words = options.split()
        more = {a.removeprefix("--"): float(b) for a, b in zip(words[::2], words[1::2])}
        other = design(dataclasses.replace(asked, **more)).best
        assert f"take {called(other, article=True)}: {percent} %" in found.answer
        ratio = other.value("money") / found.best.value("money")
        assert f"{100 * (ratio - 1):+.1f}" == percent


def test_nothing_is_called_better_that_may_be_worse(small):
    best, other = (Candidate(x, x, dict(small.best.figures)) for x in ("complete", "ring"))
    best.figures["guaranteed_throughput"] = Measured(0.5, "bound", low=0.5, high=1.0)
    other.figures["guaranteed_throughput"] = Measured(0.66666666, "exact")
    asked = SwitchedRequirements(54, 12, families=FAMILIES)
    said = " ".join(sentences([best, other], asked))
    assert "it is not proved better in anything" in said
    assert "--worst" not in said
    assert "at least 66.6 % of its line rate under any permutation" in " ".join(
        sentences([other, best], asked)
    )


def test_planes_and_one_network_are_both_offered():
    asked = SwitchedRequirements(16, 16, nics=2, families=("complete", "fat_tree"))
    found = design(asked)
    assert {one.value("planes") for one in found.candidates} == {1, 2}
    for one in found.candidates:
        net = hopscape.build(one.spec)
        assert set(net.degrees[net.endpoints].tolist()) == {2}
        assert net.links == one.value("cables_copper") + one.value("cables_optical")


@given(st.integers(2, 200), st.integers(2, 32), st.integers(1, 3), st.sampled_from([1.0, 0.5, 0.2]))
def test_offers_fit(endpoints, radix, nics, throughput):
    """Whatever is asked, what is offered keeps the radix and has the endpoints."""
    if radix < nics:
        return
    asked = SwitchedRequirements(endpoints, radix, nics=nics, throughput=throughput)
    for name in ("torus", "complete", "slim_fly"):
        for planes in asked.splits:
            for batch in family_offers(family(name), asked, planes):
                for offer in batch[:2]:
                    machine = offer.machine()
                    assert machine.nics == nics
                    assert machine.endpoints >= endpoints
                    if offer.each:
                        assert machine.radix_used <= radix
                break


@pytest.mark.parametrize(
    "offer",
    [
        Offer("torus(3, 4)", 12, 3, 2, 1, 2),
        Offer("fat_tree(4)", 20, 0, 2, 2, 1),
        Offer("fat_tree(4)", 20, 3, 1, 1, 1),
        Offer("distributed_switch(7, 3, 1)", 14, 2, 2, 1, 1),
        Offer("distributed_switch(7, 3, 1)", 7),
        Offer("complete(4)", 4, 2, 3, 2, 1),
    ],
    ids=lambda offer: offer.spec,
)
def test_an_offer_is_the_machine_of_its_spec(offer):
    machine, net = offer.machine(), hopscape.build(offer.spec)
    switches = np.setdiff1d(np.arange(net.order), net.endpoints)
    assert machine.endpoints == net.endpoint_count
    assert machine.switches == len(switches)
    assert machine.radix_used == int(net.degrees[switches].max())
    assert set(net.degrees[net.endpoints].tolist()) == {machine.nics}
    whole = switch_graph(net)
    assert machine.flow.uniform().throughput == pytest.approx(whole.uniform().throughput, abs=0.02)


def test_bill_of_a_fat_tree_of_the_hammingmesh_study():
    """48 switches, 1,024 copper and 1,024 optical cables, 16 planes: 25.3 million dollars."""
    net = hopscape.build("leaf_spine(32, 16, 32, links=2)")
    tails, _, _ = link_ends(net)
    lengths = np.where(np.isin(tails, net.endpoints), 2.0, 20.0)
    bill = bill_of(net, lengths, load_prices("hammingmesh"))
    counts = (bill.pieces("switch"), bill.pieces("copper"), bill.pieces("optical"))
    assert counts == (48, 1024, 1024)
    assert 16 * bill.cost == 25_303_040
    graph = switch_graph(net)
    assert graph.uniform().throughput == graph.guaranteed().value == 1.0


def test_racks_keep_a_switch_with_its_endpoints():
    net = hopscape.build("concentrated(torus(4, 4), 12)")
    placed = place(net)
    tails, heads, _ = link_ends(net)
    lines = np.isin(tails, net.endpoints) | np.isin(heads, net.endpoints)
    assert lines.sum() == 16 * 12
    assert len(lines) - lines.sum() == 32
    assert placed.lengths[lines].max() <= 42 * placed.plan.slot_pitch
    with pytest.raises(ArgumentError, match=r"has 5 racks, but .* needs"):
        place(net, FloorPlan(1, 5, 42))
    planes = hopscape.build("planes(concentrated(torus(4, 4), 12), 3)")
    placed = place(planes)
    rack = placed.places // placed.plan.slots
    tails, heads, _ = link_ends(planes)
    lines = np.isin(tails, planes.endpoints) | np.isin(heads, planes.endpoints)
    assert (rack[tails[lines]] == rack[heads[lines]]).all()


def test_price_and_power_follow_the_list(tmp_path):
    text = (
        'currency = "EUR"\nrate = 10\n[nic]\nprice = 7\nwatts = 1\n[[switch]]\nradix = 64\n'
        "price = 1000\nwatts = 50\n[[copper]]\nprice = 3\nwatts = 0.5\n"
    )
    (tmp_path / "p.toml").write_text(text)
    asked = SwitchedRequirements(20, 8, prices=str(tmp_path / "p.toml"))
    net = hopscape.build("concentrated(complete(5), 4)")
    found = machine_figures(Machine(switch_graph(net)), net, asked.price_list)
    assert found["money"].value == 5 * 1000 + (10 + 20) * 3 + 20 * 7
    assert found["watts_per_endpoint"].value == (5 * 50 + 30 * 0.5 + 20) / 20
    assert found["cost_per_rate"].value == pytest.approx(5230 / (20 * 10), abs=1e-4)


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"radix": 2, "nics": 3}, "radix is 2, smaller than the 3 lines"),
        ({"nics": 4, "planes": 3}, "does not divide the 4 lines"),
        ({"throughput": 0.5, "worst": 0.6}, "raise --throughput"),
        ({"throughput": 0.0}, "throughput is 0"),
        ({"throughput": 1.5}, "throughput is 1.5"),
        ({"budget": -1.0}, "budget is -1"),
        ({"endpoints": 1}, "endpoints is 1"),
        ({"radix": 1}, "radix is 1"),
        ({"exact": True, "within": 0.1}, "contradict"),
        ({"prices": "none"}, "unknown"),
    ],
)
def test_questions_that_cannot_be(given_, words):
    with pytest.raises(ArgumentError, match=words):
        SwitchedRequirements(**({"endpoints": 16, "radix": 8} | given_))


def test_what_binds_is_named_when_nothing_meets_the_demands():
    asked = SwitchedRequirements(60, 16, budget=20_000.0, families=("complete", "leaf_spine"))
    with pytest.raises(ArgumentError, match="--budget 20,000 USD is what binds") as caught:
        design(asked)
    text = str(caught.value)
    cost = design(dataclasses.replace(asked, budget=None)).best.value("money")
    assert f"costs {cost:,.0f} USD, {cost - 20_000:,.0f} too much" in text
    size = int(re.search(r"at least ([0-9,]+) endpoints as asked", text)[1].replace(",", ""))
    assert design(dataclasses.replace(asked, endpoints=size)).best.value("money") <= 20_000
    with pytest.raises(ArgumentError, match=r"--throughput 1 is what binds: .* costs"):
        design(SwitchedRequirements(64, 4, families=("ring",)))
    with pytest.raises(ArgumentError, match=r"--worst 1 is what binds: .* has guaranteed"):
        design(SwitchedRequirements(40, 12, worst=1.0, families=("complete",)))
    with pytest.raises(ArgumentError, match="none of the families asked for has a machine"):
        design(SwitchedRequirements(500, 3, families=("fat_tree",)))


def test_what_is_said_to_bind_binds_alone_or_with_the_budget():
    """Who leaves out what is named gets the machine and the price that are named."""
    families = ("complete", "leaf_spine", "hyperx")
    asked = SwitchedRequirements(50, 12, worst=1.0, max_hops=1, budget=30_000, families=families)
    with pytest.raises(ArgumentError, match="--max-hops 1 and --budget 30,000 both bind") as caught:
        design(asked)
    other = design(dataclasses.replace(asked, max_hops=None, budget=None)).best
    assert f"{called(other)}, has 2 hops between switches and costs" in str(caught.value)
    assert f"costs {other.value('money'):,.0f} USD" in str(caught.value)
    with pytest.raises(ArgumentError, match="--max-hops 1 is what binds"):
        design(dataclasses.replace(asked, budget=90_000.0))


def test_each_of_two_demands_that_exclude_each_other_has_its_price():
    families = ("complete", "leaf_spine")
    asked = SwitchedRequirements(40, 12, worst=1.0, max_hops=1, families=families)
    with pytest.raises(ArgumentError, match="to drop one of them is enough: ") as caught:
        design(asked)
    for name, option in (("worst", "--worst 1"), ("max_hops", "--max-hops 1")):
        other = design(dataclasses.replace(asked, **{name: None})).best
        words = rf"without {option} the cheapest, an? {re.escape(called(other))}, has .* and costs"
        assert re.search(f"{words} {other.value('money'):,.0f} USD", str(caught.value))


def test_the_half_rate_is_offered_for_more_endpoints_only():
    asked = SwitchedRequirements(70, 20, budget=9_000.0, families=("complete", "leaf_spine"))
    with pytest.raises(ArgumentError, match=r"at least [0-9]+ endpoints as asked$"):
        design(asked)


def test_one_switch_suffices():
    found = design(SwitchedRequirements(10, 16, families=("complete",)))
    assert found.best.value("switches") == 1
    assert found.best.value("guaranteed_throughput") == 1.0


def test_two_kinds_are_never_mixed():
    from hopscape.design import Requirements
    from hopscape.design.candidates import find_candidates

    for one in find_candidates(Requirements(64, 16)):
        assert not hopscape.build(one.spec).has_switches
    found = design(SwitchedRequirements(20, 8, families=("complete", "torus")))
    assert all(hopscape.build(one.spec).has_switches for one in found.candidates)


SMALL = ("design", "--radix", "8", "--families", "complete,torus", "--workers", "1")


def test_the_keys_that_scripts_rely_on(tmp_path):
    path = tmp_path / "out.json"
    shown(*SMALL, "--endpoints", "20", "--format", "json", "-o", str(path))
    found = json.loads(path.read_text())
    keys = (
        "spec endpoints switches radix_used cables_copper cables_optical cost cost_per_endpoint"
        " watts_per_endpoint throughput guaranteed_throughput meets"
    )
    assert all(set(keys.split()) <= set(one) for one in found["candidates"])
    first = found["candidates"][0]
    assert first["cost_per_endpoint"] == pytest.approx(first["cost"] / first["endpoints"], abs=0.01)
    assert first["spec"] in found["answer"]
    assert first["meets"] == ["endpoints", "radix", "throughput"]


def test_a_question_in_a_file(tmp_path):
    path = tmp_path / "q.toml"
    path.write_text(
        'endpoints = 20\nradix = 8\nfamilies = ["complete", "torus"]\nformat = "json"\n'
    )
    shown("design", "--config", str(path), "--workers", "1", "-o", str(tmp_path / "a.json"))
    found = json.loads((tmp_path / "a.json").read_text())
    assert found["requirements"]["families"] == ["complete", "torus"]
    path.write_text("endpoints = 20\nradii = 8\n")
    assert "line 2" in refused("design", "--config", str(path))


def test_a_sweep(tmp_path):
    figure, out = tmp_path / "s.svg", tmp_path / "s.json"
    words = (*SMALL, "--sweep", "10,20", "--figure", str(figure), "--format", "json")
    shown(*words, "-o", str(out))
    rows = json.loads(out.read_text())["sweep"]
    assert {row["asked"] for row in rows} == {10, 20}
    assert figure.read_bytes().startswith(b"<?xml")


def test_the_folder(tmp_path):
    from hopscape.design.handover import read_back

    shown(*SMALL, "--endpoints", "20", "--out", str(tmp_path / "plan"))
    page = (tmp_path / "plan" / "report.html").read_text()
    assert "guaranteed" in page
    assert "USD" in page
    assert (tmp_path / "plan" / "pictures" / "money-guaranteed_throughput.svg").exists()
    ranking = json.loads((tmp_path / "plan" / "ranking.json").read_text())
    net = read_back(tmp_path / "plan" / "network")
    assert net.spec == ranking["candidates"][0]["spec"]
    assert math.isfinite(ranking["candidates"][0]["cost"])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--endpoints", "20"), "needs --radix"),
        (("--endpoints", "20", "--radix", "8", "--nodes", "20"), "--nodes belongs to direct"),
        (("--endpoints", "20", "--radix", "8", "--faults", "2"), "--faults belongs to direct"),
        (("--nodes", "20", "--ports", "4", "--budget", "9"), "--budget belongs to switched"),
        (("--nodes", "20"), "give --nodes and --ports"),
        (("--radix", "8", "--sweep", "x"), "must be numbers"),
        (("--radix", "8", "--sweep", "8", "--endpoints", "8"), "--endpoints does not go"),
        (("--endpoints", "20", "--radix", "8", "--matters", "expandability"), "not a criterion"),
    ],
)
def test_options_are_honoured_or_refused(words, complaint):
    assert complaint in refused("design", *words)


def test_changed_prices_are_another_question(tmp_path):
    """The content of a price list counts, not its name."""
    path = tmp_path / "mine.toml"
    text = (Path(prices.__file__).parent / "price_lists" / "default.toml").read_text()
    asked = {"endpoints": 32, "radix": 16, "families": ("complete",), "prices": str(path)}
    costs = []
    for dearer in ("", "9"):
        path.write_text(re.sub(r"(?m)^price = (\d)", rf"price = {dearer}\1", text))
        with Store(tmp_path / "r.jsonl") as table:
            found = design(SwitchedRequirements(**asked), resume=table)
        costs.append(found.best.value("money"))
    assert costs[1] > 5 * costs[0]


def test_what_a_time_limit_cuts_short_is_not_kept(tmp_path):
    asked = SwitchedRequirements(60, 12, families=("hyperx", "random_regular", "torus"))
    too_late = pytest.raises(ArgumentError, match=r"too little time .* larger --time-limit")
    with Store(tmp_path / "r.jsonl") as table, too_late:
        design(asked, resume=table, seconds=1e-9)
    with Store(tmp_path / "r.jsonl") as table:
        assert len(table) == 0
        later = design(asked, resume=table)
    fresh = design(asked)
    assert [one.spec for one in later.candidates] == [one.spec for one in fresh.candidates]
    assert "time limit" not in later.answer


def test_columns_that_are_asked_for_are_measured(tmp_path):
    asked = SwitchedRequirements(32, 16, families=("complete", "fat_tree"))
    names = ["girth", "Edge conn.", "money", "saturation"]
    found = design(asked, columns=names, show=2)
    first = [one for one in found.candidates if not one.trouble][:2]
    for one in first:
        network = hopscape.build(one.spec)
        assert one.value("girth") == hopscape.metrics.girth(network).value
        assert one.value("edge_connectivity") == hopscape.metrics.edge_connectivity(network).value
        assert one.figures["saturation"].note  # why it is not known
    assert all("girth" not in one.figures for one in found.candidates if one not in first)


@pytest.mark.parametrize(
    ("question", "key", "module", "simulator"),
    [
        ("--endpoints 8 --radix 6", "saturations", saturations, "saturate_machine"),
        ("--nodes 8 --ports 3", "curves", sweep, "run_point"),
    ],
)
def test_simulations_are_kept(question, key, module, simulator, tmp_path, monkeypatch):
    """A second run simulates nothing, and says the same."""
    words = ["design", *question.split(), "--families", "complete,hypercube", "--simulate"]
    words += ["--resume", str(tmp_path / "r.jsonl")]
    first = ask(*words)
    monkeypatch.setattr(module, simulator, None)
    assert ask(*words)[key] == first[key] != []


def test_what_is_not_known_is_never_the_best():
    """An unknown figure counts as the worst known one, and nobody is dominated by what is open."""
    asked = SwitchedRequirements(32, 16, families=("complete",))
    first, second = (Candidate(name, name, dict(design(asked).best.figures)) for name in ("a", "b"))
    first.figures["hops"] = Measured(None, "unknown", "no time")
    second.figures["hops"] = Measured.at_most(2.0)
    second.figures["money"] = Measured(first.value("money") - 1, "exact")
    given = grades([first, second], asked)
    assert given["a"]["latency"] == given["b"]["latency"] == 1.0
    ranked = rank([first, second], asked)
    assert [one.spec for one in ranked] == ["b", "a"]
    assert ranked[1].dominated_by == "b"  # in all columns in which it is known
    second.figures["guaranteed_throughput"] = Measured.at_least(0.01)
    assert not rank([first, second], asked)[1].dominated_by


@pytest.mark.parametrize("trunk", [1, 3])
def test_loads_are_computed_once_for_a_machine(monkeypatch, trunk):
    """Looked at, measured and named as the nearest: its shortest paths are followed once."""
    calls = []
    follow = throughput_kernels.even_loads

    def counted(*given):
        calls.append(len(given[0]) - 1)
        return follow(*given)

    monkeypatch.setattr(throughput_kernels, "even_loads", counted)
    asked = SwitchedRequirements(24, 64, throughput=0.2 * trunk, worst=0.2 * trunk)
    search = _Search(asked)
    search.look_at(Offer("ring(8)", 8, each=3, trunk=trunk))
    assert len(search.records()) == 1
    assert calls == [8]
