"""Sparse rings in a better order."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hopscape.core.errors import TooLargeError
from hopscape.papers.multiring.families import SparseMultiring
from hopscape.papers.multiring.reference import brute_rings, brute_ways
from hopscape.papers.multiring.sparse_capacity import sparse_capacity, sparse_upper_bound
from hopscape.papers.multiring.tables import better_order, kinds_of_pairs


@pytest.mark.interpreted
def test_annealing_kernel_against_a_twin():
    from hopscape.papers.multiring.search_kernels import anneal, total_arcs

    for member in (SparseMultiring(2, 8), SparseMultiring(4, 8, sigma=2)):
        pairs = kinds_of_pairs(member)
        rng = np.random.default_rng(1)
        for _ in range(5):
            order = rng.permutation(member.places)
            turned = member.in_order(order.tolist())
            ways, _ = brute_ways(brute_rings(turned))
            want = sum(min(map(len, found)) for found in ways.values())
            place = np.argsort(order)
            assert total_arcs(place, member.m, *pairs) * member.ring_count == want
        moves, luck = rng.integers(0, member.places, size=(300, 2)), rng.random(300)
        kept = anneal(order.copy(), member.m, pairs, moves, luck, 0.5, 0.5)
        assert sorted(kept.tolist()) == list(range(member.places))
        assert total_arcs(np.argsort(kept), member.m, *pairs) <= total_arcs(
            np.argsort(order), member.m, *pairs
        )


def test_better_orders_of_other_designs():
    for member in (SparseMultiring(4, 12, sigma=2), SparseMultiring(3, 9, rings=5)):
        found = better_order(member, tries=2)
        assert found.balanced.proved
        assert found.balanced.capacity >= sparse_capacity(member).balanced.capacity
        assert found.member.sigma == member.sigma
        assert found.member.rings == member.rings
    with pytest.raises(TooLargeError, match="too many places"):
        better_order(SparseMultiring(2, 10**12))


@pytest.mark.parametrize(
    ("m", "K", "least"), [(2, 10, Fraction(420, 17)), (4, 16, Fraction(2652, 25))]
)
def test_better_orders(m, K, least):
    found = better_order(SparseMultiring(m, K), seed=0, tries=2)
    assert found.balanced.capacity >= least
    assert found.balanced.capacity <= sparse_upper_bound(found.member)
    again = sparse_capacity(SparseMultiring(m, K, found.member.order_of_places))
    assert again.balanced.capacity == found.balanced.capacity
    assert found.balanced.proved
