"""Two switches with unequal endpoints: one may be a smaller box, and the trunk is narrower."""

from __future__ import annotations

import math
import random
from collections import Counter

import numpy as np
import pytest

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.design import SwitchedRequirements, design
from hopscape.design.bill import priced
from hopscape.design.deals import deal_of, moved_deal
from hopscape.design.floors import CostFloor
from hopscape.design.machine import router_throughput
from hopscape.design.offers import Offer, family_offers, offer_of_deal
from hopscape.metrics.throughput import switch_graph
from hopscape.registry import family


@pytest.mark.parametrize(
    ("ends", "radix", "share", "worst"),
    [(53, 48, 1.0, None), (26, 24, 1.0, 0.6), (40, 32, 0.75, 0.5), (70, 64, 1.0, 1.0)],
)
def test_no_deal_of_two_switches_is_cheaper(ends, radix, share, worst):
    """Every deal, with the trunk that its uniform traffic and its worst permutation take."""
    families = ("path", "complete", "leaf_spine")
    asked = SwitchedRequirements(ends, radix, throughput=share, worst=worst, families=families)
    best = float(design(asked).best.value("money"))
    prices = asked.price_list
    for few in range(1, ends // 2 + 1):
        many = ends - few
        trunk = math.ceil(share * few * many / (ends - 1) - 1e-9)
        trunk = max(trunk, math.ceil((worst or 0) * few - 1e-9))
        if many + trunk > radix:
            continue
        parts = prices.switch(many + trunk).price + prices.switch(few + trunk).price
        if parts + (ends + trunk) * 272 >= best:
            continue
        spec = (
            f"populated(concentrated(path(2), {many}, trunk={trunk}), {ends}, ends=({many}, {few}))"
        )
        cost = priced(hopscape.build(spec), None, prices)[1].cost
        assert cost >= best - 0.01, f"{spec} costs {cost}, the answer {best}"


def test_spec_of_a_deal():
    spec = "populated(concentrated(path(2), 36, trunk=12), 53, ends=(36, 17))"
    offer = Offer.of(spec)
    assert (offer.spec, offer.deal) == (spec, (36, 17))
    network = hopscape.build(spec)
    lines = np.bincount(network.heads[network.indptr[network.endpoints]])
    assert sorted(lines[lines > 0].tolist()) == [17, 36]
    assert offer.machine().graph.ends.tolist() == [36, 17]


@pytest.mark.parametrize(
    ("ends", "words"), [("[36, 16]", "ends are 52"), ("[37, 16]", "of at most 36"), ("[53]", "2")]
)
def test_deals_that_cannot_be_are_refused(ends, words):
    with pytest.raises(ArgumentError, match=words):
        hopscape.build(f"populated(concentrated(path(2), 36, trunk=12), 53, ends={ends})")


def _mesh(ends: list[int], pairs: int) -> tuple[list[int], int]:
    """Ports of each switch of a full mesh, and cables between them, counted one by one."""
    ports, cables = list(ends), 0
    for i, x in enumerate(ends):
        for j in range(i):
            wide = max(1, math.ceil(x * ends[j] / pairs - 1e-9))
            ports[i], ports[j], cables = ports[i] + wide, ports[j] + wide, cables + wide
    return ports, cables


@pytest.mark.parametrize(("ends", "radix", "worst"), [(66, 48, None), (45, 32, 0.75)])
def test_no_deal_of_three_switches_is_cheaper(ends, radix, worst):
    """Every deal, with trunks as wide as uniform traffic and Valiant's routing take."""
    families = ("complete", "hyperx", "leaf_spine")
    asked = SwitchedRequirements(ends, radix, worst=worst, families=families)
    best = float(design(asked).best.value("money"))
    prices, pairs = asked.price_list, ends - 1
    if worst is not None:
        pairs = min(pairs, int(ends / 2 / worst))
    for a in range(1, radix):
        for b in range(1, min(a, ends - a - 1) + 1):
            dealt = [a, b, ends - a - b]
            ports, cables = _mesh(dealt, pairs)
            if dealt[2] > b or max(ports) > radix:
                continue
            parts = sum(prices.switch(count).price for count in ports) + (ends + cables) * 272
            assert parts >= best - 0.01, f"{dealt} costs {parts}, the answer {best}"


@pytest.mark.parametrize("seed", range(3))
def test_trunks_follow_the_traffic(seed):
    """Cables by `pairs`, counted one by one: in a full mesh, and up to spines that share them."""
    draw = np.random.default_rng(seed)
    ends = sorted(draw.integers(1, 9, size=4).tolist(), reverse=True)
    count, pairs = sum(ends), int(draw.integers(3, 12))
    mesh = hopscape.build(
        f"populated(concentrated(complete(4), 8, trunk=30), {count}, ends={ends}, pairs={pairs})"
    )
    graph = switch_graph(mesh)
    assert graph.ends.tolist() == ends
    assert sorted(np.diff(graph.indptr) + graph.ends) == sorted(_mesh(ends, pairs)[0])
    tree = hopscape.build(
        f"populated(leaf_spine(4, 2, 8, links=30), {count}, ends={ends}, pairs={pairs})"
    )
    wide = [max(1, math.ceil(x * (count - x) / (2 * pairs) - 1e-9)) for x in ends]
    ports = np.diff(switch_graph(tree).indptr).tolist()
    assert ports == [2 * w for w in wide] + [sum(wide)] * 2


def test_deals_meet_what_they_were_made_for():
    """Every deal that is proposed carries uniform traffic and any permutation as asked for."""
    asked = SwitchedRequirements(70, 32, worst=0.6)
    floor = CostFloor.of(asked)
    for kind in ("complete", "leaf_spine"):
        offers = [one for one in family_offers(family(kind), asked, 1) for one in one if one.pairs]
        assert len(offers) > 5
        for offer in offers:
            machine = offer.machine()
            widths = Counter(zip(machine.graph.tails.tolist(), machine.graph.heads.tolist(),
                                 strict=True))  # fmt: skip
            assert np.ptp(offer.deal) > 1 or len(set(widths.values())) > 1
            assert machine.endpoints == 70
            assert machine.radix_used <= 32
            assert machine.flow.uniform().throughput > 1 - 1e-9
            assert float(machine.flow.guaranteed().value) > 0.6 - 1e-9
            ports = machine.ports
            links = len(machine.graph.heads) // 2
            parts = sum(asked.price_list.switch(int(p)).price for p in ports)
            assert offer.floor == pytest.approx(parts + (links + 70) * floor.cable)


@pytest.mark.parametrize(("kind", "spines"), [("complete", 0), ("leaf_spine", 3)])
def test_moved_deals_cost_what_their_machines_do(kind, spines):
    """Endpoints moved by lot, switch by switch: the parts are those of the machine built."""
    asked = SwitchedRequirements(60, 32, throughput=0.5, worst=0.4)
    floor, draw = CostFloor.of(asked), random.Random(7)
    deal = deal_of(floor, (20, 14, 14, 12), spines)
    for _ in range(25):
        deal = moved_deal(floor, deal, draw)
        assert sum(deal.ends) == 60
        assert min(deal.ends) > 0
        machine = offer_of_deal(family(kind), deal, floor).machine()
        if machine.radix_used > 32:
            assert deal.floor == math.inf
            continue
        links = len(machine.graph.heads) // 2
        parts = sum(asked.price_list.switch(int(p)).price for p in machine.ports)
        assert deal.floor == pytest.approx(parts + (links + 60) * floor.cable)
        assert machine.flow.uniform().throughput > 0.5 - 1e-9
        assert float(machine.flow.guaranteed().value) > 0.4 - 1e-9


def test_which_switch_has_how_many_decides_the_lengths():
    """Five numbers of endpoints, two to a rack: cheaper than the deal of two numbers, and found."""
    asked = SwitchedRequirements(
        98, 32, throughput=1 / 3, prices="400g", families=("complete", "ring")
    )
    best = design(asked).best
    mesh = "concentrated(complete(5), 24, trunk=2)"
    spec = f"populated({mesh}, 98, ends=(24, 20, 18, 24, 12), pairs=291)"
    known = priced(hopscape.build(spec), None, asked.price_list)[1].cost
    assert float(best.value("money")) <= known < 269_640


@pytest.mark.parametrize(
    ("spec", "share"),
    [
        ("populated(concentrated(complete(3), 7), 20)", 19 / 49),
        ("populated(concentrated(complete(3), 7), 16, ends=[7, 7, 2])", 15 / 49),
        ("populated(xgft([3, 2, 2], [1, 2, 2]), 11)", 0.625),
    ],
)
def test_own_router_of_unequal_switches(spec, share):
    """The family's router carries what its busiest switches send, not what the mean one does."""
    offer = Offer.of(spec)
    assert router_throughput(offer.machine(), offer.base).value == pytest.approx(share, abs=1e-6)


def test_two_equal_switches_have_no_deal():
    asked = SwitchedRequirements(22, 16, throughput=2 / 3, prices="400g", families=("path",))
    assert design(asked).best.spec == "concentrated(path(2), 11, trunk=4)"
