"""Diameter, mean distance and distance counts of circulants from their lattice, at any order."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commands import ask
from hopscape.algebra.lattices.cell import Lattice, farthest
from hopscape.algebra.lattices.census import Census, count_points
from hopscape.core.distances import distances_from
from hopscape.core.errors import TooLargeError
from hopscape.core.network import Network
from hopscape.families.circulant.closed_forms import fold, least_mean
from hopscape.families.circulant.figures import Figures, ball_sizes
from hopscape.families.circulant.wiring import Circulant
from hopscape.metrics.distances import distance_profile
from plain_circulants import some_circulants


def brute_count(high, planes) -> tuple[int, int]:
    points = [
        y
        for y in itertools.product(*(range(h + 1) for h in high))
        if all(sum(y[i] for i in columns) <= c for columns, c in planes.items())
    ]
    return len(points), sum(map(sum, points))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_points_under_planes(data) -> None:
    n = data.draw(st.integers(1, 4))
    high = data.draw(st.tuples(*[st.integers(0, 12 if n < 4 else 7)] * n))
    subsets = [s for k in range(1, n + 1) for s in itertools.combinations(range(n), k)]
    planes = data.draw(st.dictionaries(st.sampled_from(subsets), st.integers(0, 20), max_size=7))
    assert count_points(high, planes) == brute_count(high, planes)


@pytest.mark.parametrize("seed", range(6))
def test_long_sections_by_polynomials(seed) -> None:
    """Boxes so wide that the sums are taken by differences, in four dimensions too."""
    rng = random.Random(seed)
    n = 3 + seed % 2
    width = 90 if n == 3 else 36
    subsets = [s for k in range(2, n + 1) for s in itertools.combinations(range(n), k)]
    high = tuple(rng.randint(width // 2, width) for _ in range(n))
    planes = {s: rng.randint(width // 2, len(s) * width // 2) for s in rng.sample(subsets, 4)}
    grid = np.ogrid[tuple(slice(0, h + 1) for h in high)]
    inside = np.ones([h + 1 for h in high], dtype=bool)
    for columns, c in planes.items():
        inside &= sum(grid[i] for i in columns) <= c
    assert count_points(high, planes) == (int(inside.sum()), int((inside * sum(grid)).sum()))


def test_lattice_against_breadth_first_search() -> None:
    compared = 0
    for order, generators in some_circulants(160, seed=11):
        if math.gcd(order, *generators) > 1:
            continue
        compared += 1
        far = distances_from(Network.of(Circulant(order, generators)), 0)
        lattice = Lattice(order, generators)
        found = farthest(lattice)
        assert (found.least, found.most) == (far.max(), far.max()), (order, generators)
        assert far[found.node] == far.max()
        if len(generators) <= 3:
            census = Census(lattice)
            assert census.distance_sum == far.sum(), (order, generators)
            assert census.histogram(int(far.max())) == np.bincount(far).tolist()
            assert (census.within(int(far.max()) + 5), census.at(int(far.max()) + 1)) == (order, 0)
    assert compared > 80


@pytest.mark.slow
def test_thousands_of_circulants_against_breadth_first_search() -> None:
    for order, generators in some_circulants(4000, seed=5, most=5, nodes=900):
        if math.gcd(order, *generators) > 1:
            continue
        far = distances_from(Network.of(Circulant(order, generators)), 0)
        assert farthest(Lattice(order, generators)).most == far.max(), (order, generators)
        if len(generators) <= 4:
            assert Census(Lattice(order, generators)).distance_sum == far.sum()


def test_four_generators_are_counted() -> None:
    for order, generators in ((1105, (1, 34, 203, 77)), (16, (1, 2, 3, 8)), (97, (5, 5, 92, 7))):
        far = distances_from(Network.of(Circulant(order, generators)), 0)
        assert Census(Lattice(order, generators)).histogram(far.max()) == np.bincount(far).tolist()


def test_balls_against_breadth_first_search() -> None:
    """Bit sets of any length; not connected, repeated and halved generators too."""
    for order, generators in some_circulants(80, seed=29, most=7, nodes=700):
        folded = tuple(sorted(set(fold(order, generators))))
        far = distances_from(Network.of(Circulant(order, generators)), 0)
        sizes = np.cumsum(np.bincount(far[far >= 0])).tolist()
        assert ball_sizes(order, folded, len(sizes) - 1) == sizes, (order, generators)
        assert ball_sizes(order, folded, 1) == sizes[:2]
        if len(sizes) > 1 and sizes[-1] == order and len(folded) < 6:
            mean, counts = Figures.of(order, generators).count()
            assert mean == Fraction(int(far.sum()), order - 1)
            assert counts == np.bincount(far).tolist()


def test_counting_that_would_take_days_is_refused() -> None:
    with pytest.raises(TooLargeError, match=r"would take .* (h|days|years)"):
        ball_sizes(10**10, (1, 10, 100, 1000, 10000), 10**6)
    with pytest.raises(TooLargeError, match="would need"):
        ball_sizes(10**15, (1, 10), 2)


def test_least_mean_sums_the_shells() -> None:
    from hopscape.families.circulant.closed_forms import ball

    for nodes, n in itertools.product((2, 3, 13, 14, 100, 777), range(1, 6)):
        shells = [ball(r, n) - (ball(r - 1, n) if r else 0) for r in range(nodes)]
        nearest = itertools.islice(
            itertools.chain.from_iterable([r] * size for r, size in enumerate(shells)), nodes
        )
        assert least_mean(nodes, n) * (nodes - 1) == sum(nearest)


def test_huge_orders_agree_with_themselves() -> None:
    """The last shell is not empty and the next one is; the mean lies above its bound."""
    rng = random.Random(2)
    for n, order in itertools.product((1, 2, 3), (10**11 + 3, 10**18 + 9, 10**30 + 57)):
        generators = tuple(rng.randrange(1, order) for _ in range(n))
        if math.gcd(order, *generators) > 1:
            continue
        figures = Figures.of(order, generators)
        most = figures.known_diameter()
        assert figures.within(most) == order
        assert figures.within(most - 1) < order
        assert least_mean(order, n) <= figures.known_mean() <= most
        assert figures.within(1) == 1 + 2 * n


@pytest.mark.parametrize(
    ("order", "generators"), [(1000, (1, 31)), (999, (3, 7)), (720, (1, 9, 81)), (64, (1,))]
)
def test_distance_counts_need_no_search(order, generators, monkeypatch):
    monkeypatch.setattr("hopscape.families.circulant.figures._COUNTED", 0)
    network = Network.of(Circulant(order, generators))
    counts = Circulant(order, generators).distance_counts()
    assert counts == np.bincount(distances_from(network, 0)).tolist()
    profile = distance_profile(network)
    searched = distance_profile(network, exact=True)
    for name in ("histogram", "diameter", "radius", "mean", "unreachable"):
        assert getattr(profile, name) == getattr(searched, name)
    assert (profile.how, profile.sources) == ("closed form", 0)


def test_distances_of_a_huge_circulant():
    record = ask("distances", "circulant(1000000007, 1, 1000, 1000000)", "--from", "5")
    assert record["reached"] == sum(record["histogram"]) == 1000000007
    assert record["histogram"][:3] == [1, 6, 18]
