"""Best directed circulants against all sets, one by one."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest

from commands import ask, refused, shown
from hopscape.core.errors import HopscapeError
from hopscape.families.circulant.closed_forms import canonical
from hopscape.families.circulant.isomorphism import isomorphism_classes
from hopscape.families.circulant.loops import LShape
from hopscape.papers.circulant.atlas import (
    atlas_contents,
    atlas_rows,
    build_atlas,
    largest_loops,
    prove_rows,
)
from hopscape.papers.circulant.loop_kernels import largest_order, loop_total
from hopscape.papers.circulant.loops import best_loops, order_of_steps


def slow_total(nodes: int, generators: tuple[int, ...], d: int) -> int:
    """Sum of distances from node 0; -1 if one is above d."""
    ball, total = {0}, 0
    for _ in range(d):
        total += nodes - len(ball)
        ball |= {(v + s) % nodes for v in ball for s in generators}
    return total if len(ball) == nodes else -1


def slow_best(nodes: int, count: int) -> tuple[int, int, list[tuple[int, ...]]]:
    for d in range(1, nodes):
        totals = {
            one: total
            for one in combinations(range(1, nodes), count)
            if (total := slow_total(nodes, one, d)) >= 0
        }
        if totals:
            least = min(totals.values())
            best = {canonical(nodes, s, directed=True) for s, t in totals.items() if t == least}
            return d, least, sorted(best)
    raise AssertionError


@pytest.mark.parametrize(("count", "last"), [(2, 22), (3, 14), (4, 9)])
def test_best_sets_are_those_of_brute_force(count: int, last: int) -> None:
    orders = range(count + 1, last)
    for best in best_loops(orders, count, workers=1):
        found = (best.diameter, best.total, list(best.sets))
        assert found == slow_best(best.nodes, count), best.nodes


@pytest.mark.parametrize("nodes", [2, 63, 64, 65, 100, 200])
def test_sums_of_distances_by_bit_sets(nodes: int) -> None:
    generator = np.random.default_rng(nodes)
    for _ in range(10):
        steps = tuple(generator.integers(1, nodes, size=int(generator.integers(1, 5))).tolist())
        for d in (1, 3, nodes):
            assert loop_total(nodes, np.asarray(steps), d) == slow_total(nodes, steps, d)


def test_the_atlas_of_double_loops_agrees_with_their_shapes() -> None:
    for row in atlas_rows(2, 4, 400, directed=True):
        for generators in row.sets:
            shape = LShape.of(row.nodes, *generators)
            assert (shape.diameter, shape.total) == (row.diameter, row.total)


def test_the_atlas_agrees_with_searches(tmp_path) -> None:
    rows = [*atlas_rows(2, 40, 60, directed=True), *atlas_rows(3, 30, 50, directed=True)]
    assert len(rows) == 42
    assert not any(wrong for _, wrong in prove_rows(rows, workers=1))
    entry = build_atlas(3, range(30, 51), tmp_path, directed=True, workers=1)
    assert (entry["file"], entry["rows"]) == ("directed-03.csv.xz", 21)
    sixteen = next(row for row in atlas_rows(2, 16, 16, directed=True))
    assert sixteen.classes == len(isomorphism_classes(16, sixteen.sets, directed=True))


def test_largest_double_loops_have_the_known_orders() -> None:
    """⌈(d + 2)² / 3⌉ - 1, but 3 for d = 1."""
    table = largest_loops(100)
    double = {row["diameter"]: row["nodes"] for row in table if row["degree"] == 2}
    assert double == {d: -(-((d + 2) ** 2) // 3) - (d > 1) for d in range(1, 31)}
    triple = [row["nodes"] for row in table if row["degree"] == 3]
    assert triple[:7] == [4, 9, 16, 27, 40, 57, 84]
    high = atlas_contents(directed=True)[3]["high"]
    assert math.comb(len(triple) + 3, 3) <= high < math.comb(len(triple) + 4, 3)


@pytest.mark.parametrize(
    "generators", [(1, 4), (2, 3), (1, 5, 21), (3,), (6, 10, 15), (1, 2, 9, 30)]
)
@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_largest_order_of_steps(generators: tuple[int, ...], d: int) -> None:
    for directed in (True, False):
        steps = generators if directed else (*generators, *(-s for s in generators))
        most = 2 + math.comb(len(steps) + d, d)
        slow = max(n for n in range(1, most) if n == 1 or slow_total(n, steps, d) >= 0)
        assert order_of_steps(generators, d, directed=directed) == slow
        assert largest_order(np.asarray(steps), d, most) == slow


def test_commands() -> None:
    rows = ask(*["atlas", "circulant", "--directed", "--degree", "2", "--nodes", "9:10"])
    assert [(row["nodes"], row["diameter"], row["count"]) for row in rows] == [
        (9, 4, 3),
        (10, 4, 3),
    ]
    text = shown(*["atlas", "circulant", "--directed", "--degree", "2", "--nodes", "9"])
    assert "(1, 3)  (1, 4)  (1, 6)" in text
    rows = ask(*["atlas", "largest", "--generators", "1,5,21", "--diameter", "3"])
    assert [row["nodes"] for row in rows] == [3, 17, 55]
    rows = ask(*["atlas", "largest", "--directed", "--diameter", "4"])
    assert [row["nodes"] for row in rows] == [3, 5, 8, 11, 4, 9, 16, 27]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("atlas circulant --directed --degree 5", "directed circulants of the degrees 2, 3"),
        ("atlas circulant --directed --degree 2 --nodes 9 --prove --device gpu", "on the cpu"),
        ("atlas circulant --directed --nodes 999", "no directed circulant with nodes 999"),
        ("atlas largest --generators 0,5", "at least 1"),
        ("atlas largest --generators 1,99,9999,999999,99999999 --diameter 100", "are tried"),
        ("atlas largest --improve 13,4 --directed", "--directed does not go with --improve"),
    ],
)
def test_bad_input_is_refused(words: str, reason: str) -> None:
    assert reason in refused(*words.split())


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(HopscapeError, match="generators is 1"):
        list(best_loops([9], 1))
    with pytest.raises(HopscapeError, match="nodes is 3"):
        list(best_loops([3], 3))
