"""Larger circulants out of orbits of multipliers."""

from __future__ import annotations

from math import gcd

import numpy as np
import pytest

from commands import ask, refused
from hopscape.cli import main
from hopscape.core.grid_kernels import seeded
from hopscape.papers.circulant import orbit_search
from hopscape.papers.circulant.atlas import largest_table
from hopscape.papers.circulant.orbit_kernels import (
    OrbitParts,
    climb_orbits,
    multiplier_orders,
    orbits_of,
)
from hopscape.papers.circulant.orbit_search import improve_largest, try_order
from hopscape.store import Store
from plain_circulants import bfs


def order_of(u, nodes):
    """Least k with u^k = 1 or -1, by trying."""
    power, k = u % nodes, 1
    while power not in (1 % nodes, nodes - 1):
        power, k = power * u % nodes, k + 1
    return k


@pytest.mark.parametrize("nodes", [3, 4, 7, 12, 30, 37, 64, 91])
def test_orders_of_multipliers(nodes):
    orders = multiplier_orders(nodes, 5)
    for u in range(1, nodes):
        k = order_of(u, nodes) if gcd(u, nodes) == 1 else 0
        assert orders[u] == (k if k <= 5 else 0), u
    assert orders[0] == 0


@pytest.mark.parametrize("nodes", [3, 8, 21, 35, 60])
def test_orbits_are_all_generators_once(nodes):
    for u in range(1, nodes):
        if gcd(u, nodes) > 1:
            continue
        orbits, lengths = orbits_of(nodes, u, order_of(u, nodes))
        held = [set(orbit[:k].tolist()) for orbit, k in zip(orbits, lengths, strict=True)]
        assert sorted(s for orbit in held for s in orbit) == list(range(1, (nodes - 1) // 2 + 1))
        for orbit in held:
            assert {min(s * u % nodes, -s * u % nodes) for s in orbit} == orbit


@pytest.mark.parametrize(
    ("nodes", "degree", "d", "u", "shape"),
    [
        (91, 8, 2, 12, (3, 1)),
        (64, 9, 2, 15, (4,)),
        (90, 10, 3, 19, (2, 2, 1)),
        (50, 6, 3, 1, (1, 1, 1)),
        (84, 11, 2, 25, (3, 1, 1)),
    ],
)
def test_a_climb_counts_as_a_search_does(nodes, degree, d, u, shape):
    k = order_of(u, nodes)
    climb = orbit_search._Climb(nodes, degree, d, u, k)
    assert shape in climb.shapes()
    seen = set()
    for seed in range(8):
        reached, generators = climb.run(shape, 20_000, seed)
        assert reached == sum(0 <= far <= d for far in bfs(nodes, tuple(generators)))
        held = {min(s, nodes - s) for s in generators}
        assert {min(s * u % nodes, -s * u % nodes) for s in held} == held
        assert {min(pow(u, i, nodes), -pow(u, i, nodes) % nodes) for i in range(k)} <= held
        seen.add(reached)
    blind, _ = climb.run(shape, 0, 0)
    assert max(seen) >= blind


def test_a_climb_never_loses_nodes():
    orbits, lengths = orbits_of(90, 1, 1)
    low, high = np.zeros(3, np.int64), np.full(3, len(lengths))
    parts = OrbitParts(orbits, np.ones(3, np.int64), low, high)
    gained = 0
    for seed in range(6):
        reached = []
        for patience in (0, 5, 60):
            generators = np.array([1, 0, 0])
            state = seeded(seed)
            best, looked = climb_orbits(90, 3, parts, generators, patience, state)
            assert looked == 1 if patience == 0 else looked > patience or best == 90
            reached.append(best)
        assert reached == sorted(reached)
        gained += reached[-1] - reached[0]
    assert gained > 0


def test_an_order_with_such_a_set_is_found():
    found = try_order(1351, 14, 4, 0, 1)
    held = found["generators"]
    assert max(bfs(1351, tuple(held))) == 4
    assert len({s % 1351 for g in held for s in (g, -g)}) == 14
    u = found["multiplier"]
    assert {min(s * u % 1351, -s * u % 1351) for s in held} == set(held)


def lowered(cell, nodes, generators):
    """The table with a worse entry in one cell."""
    return [
        row | {"nodes": nodes, "generators": generators, "known": "best found"}
        if (row["degree"], row["diameter"]) == cell
        else row
        for row in largest_table()
    ]


@pytest.fixture
def poor(monkeypatch):
    table = lowered((10, 3), 60, [1, 4, 5, 6, 24])
    assert max(bfs(60, (1, 4, 5, 6, 24))) == 3
    monkeypatch.setattr(orbit_search, "largest_table", lambda: table)


def test_larger_sets_are_found_and_measured(poor):
    found = improve_largest(10, 3, effort=1.0)
    assert found.before == 60
    assert 130 < found.nodes <= 177  # the atlas searched all orders: 177 is the largest
    assert max(bfs(found.nodes, found.generators)) == 3
    assert found.complete


def test_the_same_seed_gives_the_same_set(poor, tmp_path):
    first = improve_largest(10, 3, effort=0.3, seed=5)
    with Store(tmp_path / "tried") as store:
        assert improve_largest(10, 3, effort=0.3, seed=5, resume=store, workers=2) == first
    with Store(tmp_path / "tried") as store:
        assert improve_largest(10, 3, effort=0.3, seed=5, resume=store) == first


def test_ctrl_c_leaves_the_best_so_far(poor, monkeypatch, capsys):
    calls = []

    def press(*arguments):
        calls.append(arguments)
        if len(calls) > 40:
            raise KeyboardInterrupt
        return try_order(*arguments)

    monkeypatch.setattr(orbit_search, "try_order", press)
    monkeypatch.setattr(
        "sys.argv", ["hopscape", "atlas", "largest", "--improve", "10,3", "--workers", "1"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capsys.readouterr()
    assert ended.value.code >= 128
    assert "best so far" in printed.err
    assert "60 before" in printed.out


def test_the_command_prints_what_it_found():
    found = ask("atlas", "largest", "--improve", "19,2", "--time-limit", "2", "--seed", "1")
    assert found["nodes"] >= found["before"]
    assert max(bfs(found["nodes"], tuple(found["generators"]))) == 2


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("--improve 6,4", "more than 117 nodes: that is proved"),
        ("--improve 6", "DEGREE,DIAMETER"),
        ("--improve 60,4", "degrees 2 to 20"),
        ("--improve 13,4 --diameter 5", "--diameter does not go with --improve"),
        ("--improve 13,4 --time-limit 0", "must be above 0"),
        ("--improve 13,4 --seed -1", "seed is -1"),
        ("--time-limit 9", "--time-limit is for --improve"),
    ],
)
def test_bad_input_is_one_sentence(command, words):
    assert words in refused("atlas", "largest", *command.split())


def test_sets_of_no_multiplier_are_tried_too():
    """112 nodes of degree 16 and diameter 2, which no multiplier keeps."""
    tries = (try_order(112, 16, 2, 2, seed) for seed in range(20))
    found = next(found for found in tries if found["generators"])
    assert found["multiplier"] == 1
    assert max(bfs(112, tuple(found["generators"]))) == 2
