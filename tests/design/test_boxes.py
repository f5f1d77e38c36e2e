"""Endpoints of any network dealt anew: some switches are smaller boxes, and nobody is cheaper."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import hopscape
from hopscape.design import SwitchedRequirements, design
from hopscape.design.bill import priced
from hopscape.design.boxes import BoxRoom, exchanged
from hopscape.design.offers import Offer
from hopscape.design.prices import load_prices


def _box_room(spec: str, radix: int) -> BoxRoom:
    machine = Offer.of(spec).machine()
    return BoxRoom.of(machine, np.flatnonzero(machine.graph.ends), load_prices(), radix)


@pytest.mark.parametrize("spec", ["concentrated(torus(3, 3), 14, trunk=3)", "hyperx((2, 4), p=20)"])
def test_deals_are_cheaper_and_fit(spec):
    room = _box_room(spec, 32)
    ends = np.full(len(room.between), room.endpoints // len(room.between))
    below = room.cost(ends)
    deals = list(room.deals(below, random.Random(3)))
    assert deals
    for deal in deals:
        ports = room.between + deal
        assert deal.sum() == room.endpoints
        assert ports.max() <= 32
        assert room.cost(deal) < below
        assert room.cost(deal) == sum(load_prices().switch(int(p)).price for p in ports)


def test_moves_keep_all_endpoints():
    draw, ends = random.Random(1), np.array([7, 0, 3, 5])
    seen = set()
    for _ in range(200):
        ends = exchanged(ends, draw)
        assert ends.sum() == 15
        assert ends.min() >= 0
        seen.add(tuple(ends.tolist()))
    assert len(seen) > 50


def test_no_deal_to_a_ring_is_cheaper():
    """All deals of 80 endpoints to a ring of four switches, with trunks of any width."""
    asked = SwitchedRequirements(80, 32, throughput=0.25, families=("ring",))
    best = design(asked).best
    cost, prices = float(best.value("money")), asked.price_list
    assert len(set(Offer.of(best.spec).deal)) > 1
    box = [prices.switch(ports).price for ports in range(33)]
    for trunk in range(1, 7):
        most = 32 - 2 * trunk
        for few in itertools.product(range(most + 1), repeat=3):
            last = 80 - sum(few)
            ends = (*few, last)
            if not max(few) <= last <= most or few[0] < few[2]:  # else turned round, or mirrored
                continue
            parts = sum(box[2 * trunk + count] for count in ends) + (80 + 4 * trunk) * 272
            if parts >= cost - 0.01:
                continue
            spec = f"populated(concentrated(ring(4), {last}, trunk={trunk}), 80, ends={ends})"
            if Offer.of(spec).machine().flow.uniform().throughput < 0.25 - 1e-9:
                continue
            assert priced(hopscape.build(spec), None, prices)[1].cost >= cost - 0.01, spec


def test_a_torus_of_several_boxes():
    """Nine switches of 32 ports cost 116,648; with some of 16 ports the machine is cheaper."""
    asked = SwitchedRequirements(124, 32, throughput=0.5, families=("torus",))
    found = design(asked)
    assert float(found.best.value("money")) < 110_000
    ports = Offer.of(found.best.spec).machine().ports
    assert ports.min() <= 16 < ports.max() <= 32


def test_few_groups_of_a_dragonfly():
    """Two routers a group, each joined to all other groups: cheaper than random graphs."""
    asked = SwitchedRequirements(111, 16, throughput=0.5, families=("dragonfly",))
    assert float(design(asked).best.value("money")) <= 94_162


def test_machines_whose_cables_nobody_sells_are_left_out(tmp_path):
    """Moved endpoints and near misses may need longer cables: the search goes on without them."""
    text = """currency = "EUR"
rate = 400
[nic]
price = 100
[[switch]]
radix = 32
price = 5000
[[copper]]
reach = 3
price = 100
"""
    (tmp_path / "short.toml").write_text(text)
    families = ("complete", "leaf_spine", "torus", "circulant", "random_regular")
    asked = SwitchedRequirements(60, 32, prices=str(tmp_path / "short.toml"), families=families)
    found = design(asked)
    assert float(found.best.value("money")) <= 46_800
    assert "could not be judged" in found.answer
