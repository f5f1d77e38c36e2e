"""Two switches with unequal endpoints: one may be a smaller box, and the trunk is narrower."""

from __future__ import annotations

import math

import numpy as np
import pytest

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.design import SwitchedRequirements, design
from hopscape.design.bill import priced
from hopscape.design.offers import Offer


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
            f"populated(concentrated(path(2), {many}, trunk={trunk}), {ends}, ends=[{many}, {few}])"
        )
        cost = priced(hopscape.build(spec), None, prices)[1].cost
        assert cost >= best - 0.01, f"{spec} costs {cost}, the answer {best}"


def test_spec_of_a_deal():
    spec = "populated(concentrated(path(2), 36, trunk=12), 53, ends=[36, 17])"
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
