"""One machine: ranking, report, cable list, bill and price list give the same price to the cent."""

from __future__ import annotations

import csv
import json
import random
import re
import tomllib
from collections import Counter
from dataclasses import replace
from importlib import resources

import pytest

import hopscape
from hopscape.design import Requirements, Survival, SwitchedRequirements
from hopscape.design.conditions import Conditions
from hopscape.design.designer import design
from hopscape.design.floorplan import FloorPlan
from hopscape.design.handover import write_design, write_parts

_LIST = """currency = "EUR"
rate = 100
[nic]
price = 21.37
[[switch]]
radix = 8
price = 101.25
[[switch]]
radix = 40
price = 333.1
[[copper]]
reach = 2.5
price = 11.11
per_metre = 3.17
[[transceiver]]
name = "module"
price = 7.77
watts = 3
part = "M-1"
[[optical]]
name = "fibre"
transceiver = "module"
reach = 9
price = 13.1
per_metre = 1.73
part = "F-9"
[[optical]]
price = 39.9
per_metre = 1.73
"""


def _rows(path):
    text = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(text))


def _recomputed(cables, spec, prices):
    """Cost by the lengths of a cable list, the degrees of the network and the list alone."""
    net = hopscape.build(spec)
    money = 0.0
    ends_of = {one["name"]: one["price"] for one in prices.get("transceiver", ())}
    inside = [row for row in cables if row["part"] == "inside the island"]
    for row in cables:
        if row in inside:
            continue
        metres = float(row["length_m"])
        money += min(
            item["price"]
            + item.get("per_metre", 0) * metres
            + 2 * ends_of.get(item.get("transceiver"), 0)
            for item in prices["copper"] + prices["optical"]
            if metres <= item.get("reach", metres)
        )
    ends = set(net.endpoints.tolist())
    free = Counter(int(row[side]) for row in inside for side in ("from_node", "to_node"))
    for node, degree in enumerate(net.degrees.tolist()):
        degree -= free[node]
        if node in ends:
            money += prices["nic"]["price"] * degree
        elif degree:
            money += min(s["price"] for s in prices["switch"] if s["radix"] >= degree)
    return money


def _question(generator, prices):
    radix = generator.choice([8, 12, 16, 24])
    nics = generator.choice([1, 1, 2])
    island = generator.choice([1, 1, 4])
    return SwitchedRequirements(
        generator.randrange(12, 5 * radix) // 4 * 4,
        radix,
        nics=nics,
        throughput=generator.choice([0.4, 1.0]),
        prices=prices,
        plan=generator.choice([None, FloorPlan(5, 12, 18)]),
        island=island,
        survive=generator.choice([None, Survival(switches=1), Survival(links=1, share=0.3)]),
        families=("complete", "leaf_spine", "fat_tree", "hyperx", "torus", "petersen"),
    )


@pytest.mark.parametrize("seed", range(6))
def test_cables_and_bill_come_to_the_price_of_the_ranking(seed, tmp_path):
    (tmp_path / "list.toml").write_text(_LIST)
    _check_prices(_question(random.Random(seed), str(tmp_path / "list.toml")), _LIST, tmp_path)


@pytest.mark.parametrize(("seed", "name"), [(21, "400g"), (22, "800g")])
def test_lists_of_the_house_come_to_the_price_as_well(seed, name, tmp_path):
    text = resources.files("hopscape.design").joinpath(f"price_lists/{name}.toml").read_text()
    _check_prices(_question(random.Random(seed), name), text, tmp_path)


def _check_prices(asked, text, tmp_path):
    """The price of the first machines, by what is handed over and the list alone."""
    prices = tomllib.loads(text)
    found = design(asked)
    for one in [one for one in found.candidates if not one.trouble][:6]:
        net = hopscape.build(one.spec)
        write_parts(net, tmp_path, asked.conditions)
        cables, bill = _rows(tmp_path / "cables.csv"), _rows(tmp_path / "bill.csv")
        cost = _recomputed(cables, one.spec, prices)
        assert cost == pytest.approx(one.value("money"), abs=0.006)
        assert float(bill[-1]["money"]) == one.value("money")
        assert sum(float(row["length_m"]) for row in cables) == pytest.approx(one.value("cable"))
        money = sum(float(row["money"]) for row in bill[:-1])
        assert money == pytest.approx(one.value("money"), abs=0.03)  # each line to the cent
        names = {row["part"]: int(row["pieces"]) for row in bill[:-1]}
        fibres = sum(row["part"].startswith("fibre") for row in cables)
        numbers = {row["number"] for row in bill if row["kind"] in ("transceiver", "optical")}
        if text is _LIST:
            assert names.get("module (M-1)", 0) == 2 * fibres
            assert not fibres or {"M-1", "F-9"} <= numbers
        for part in {row["part"] for row in cables} - {"inside the island"}:
            assert names[part] == sum(row["part"] == part for row in cables)


_IF = re.compile(r"If [^(]*\((--[^)]*)\), take .*?: ([+-][0-9.]+) %")


@pytest.mark.parametrize("given", [(26, 10, 0.6), (45, 14, 1.0)])
def test_what_a_sentence_offers_costs_what_its_cables_and_parts_cost(given, tmp_path):
    """The demand is asked, what is handed over is priced anew, and the sentence says so."""
    (tmp_path / "list.toml").write_text(_LIST)
    families = ("complete", "leaf_spine", "fat_tree", "hyperx", "torus")
    ends, radix, share = given
    asked = SwitchedRequirements(
        ends, radix, throughput=share, prices=str(tmp_path / "list.toml"), families=families
    )

    def cost(question):
        best = design(question).best
        write_parts(hopscape.build(best.spec), tmp_path, question.conditions)
        return _recomputed(_rows(tmp_path / "cables.csv"), best.spec, tomllib.loads(_LIST))

    said, first = _IF.findall(design(asked).answer), cost(asked)
    assert said
    for options, percent in said:
        words = options.split()
        more = {a.removeprefix("--"): float(b) for a, b in zip(words[::2], words[1::2])}
        assert f"{100 * (cost(replace(asked, **more)) / first - 1):+.1f}" == percent


def test_report_and_handover_have_one_floor(tmp_path):
    found = design(SwitchedRequirements(40, 16, families=("complete", "leaf_spine")))
    for choose in (None, "2"):
        chosen = found.best if choose is None else found.find(choose)
        write_design(found, tmp_path, choose=choose)
        report = (tmp_path / "report.md").read_text()
        bill = _rows(tmp_path / "network" / "bill.csv")
        summary = json.loads((tmp_path / "network" / "summary.json").read_text())
        total = float(bill[-1]["money"])
        assert total == chosen.value("money")
        assert f"{total:,.2f}" in report
        assert f"`{chosen.spec}`: " in report
        assert f"floor plan {summary['floor']}" in report


def test_direct_machines_too(tmp_path):
    found = design(Requirements(20, 4, families=("torus", "circulant")))
    for one in found.candidates[:4]:
        write_parts(hopscape.build(one.spec), tmp_path, Conditions())
        metres = sum(float(row["length_m"]) for row in _rows(tmp_path / "cables.csv"))
        assert metres == pytest.approx(one.value("cable"), abs=0.006)
