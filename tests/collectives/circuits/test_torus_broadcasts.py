"""Broadcasts on tori: schemes, local rules, any side, delays; all verified."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, verify
from hopscape.collectives.choose import report, run_algorithm
from hopscape.collectives.circuits.anyside import (
    alike,
    best_schedule,
    fill_gap,
    growth_rounds,
    line_calls,
    line_program,
    mesh_schedule,
    small_program,
    small_sides,
    widened,
)
from hopscape.collectives.circuits.paths import search_sets
from hopscape.collectives.circuits.schemes import (
    axis_level,
    edge_level,
    scheme,
    short_level,
)
from hopscape.collectives.circuits.torus import (
    compose,
    grid_points,
    parse_word,
    to_schedule,
    write_word,
)
from hopscape.core.errors import ArgumentError


def torus(*sides):
    return hopscape.build(f"torus({', '.join(map(str, sides))})")


def made(name, side, dimension, root=0):
    return to_schedule(
        scheme(name, (side,) * dimension), torus(*(side,) * dimension), root, Model(), name
    )


LENGTHS = [
    ("optimal", 27, 1, [9, 3, 1], "vertex"),
    ("numeration", 5, 2, [3, 1], "vertex"),
    ("numeration", 25, 2, [15, 5, 3, 1], "vertex"),
    ("numeration", 125, 2, [75, 25, 15, 5, 3, 1], "vertex"),
    ("numeration", 7, 3, [7, 4, 1], "vertex"),
    ("numeration", 49, 3, [49, 28, 7, 7, 4, 1], "vertex"),
    ("numeration-11", 49, 3, [42, 28, 7, 6, 4, 1], "vertex"),
    ("numeration-10", 49, 3, [35, 28, 7, 5, 4, 1], "vertex"),
    ("axis", 49, 3, [23, 23, 23, 5, 4, 1], "vertex"),
    ("optimal", 7, 3, [5, 4, 1], "vertex"),
    ("optimal", 49, 3, [21, 21, 21, 5, 4, 1], "vertex"),
    ("edge-disjoint", 7, 3, [3, 4, 2], "edge"),
    ("edge-disjoint", 49, 3, [21, 28, 14, 3, 4, 2], "edge"),
    ("numeration", 9, 4, [7, 7, 3, 1], "vertex"),
]


@pytest.mark.parametrize(("name", "side", "dimension", "lengths", "disjoint"), LENGTHS)
def test_schemes_are_broadcasts(name, side, dimension, lengths, disjoint):
    said = report(made(name, side, dimension, root=(side + 3) % side**dimension))
    assert said["verdict"] == "holds"
    assert said["rounds"] == said["lower_bound"] == len(lengths)
    assert said["max_path"] == said["sum_round_max"] == sum(lengths)
    assert said["disjoint"] == disjoint
    assert said["path_lower_bound"] == dimension * (side // 2)
    assert said["duplicates"] == 0


def test_a_broken_word_is_noticed():
    good = scheme("numeration", (7, 7, 7))
    first = good.rounds[1][0]
    words = (parse_word("ZxZ"), *first.words[1:])
    bad = replace(good, rounds=(good.rounds[0], (replace(first, words=words),), good.rounds[2]))
    assert not verify(to_schedule(bad, torus(7, 7, 7), 0, Model(), "broken"))


@pytest.mark.parametrize("unit", range(3, 13))
def test_levels_hold_at_every_unit(unit):
    """Levels inform the grid of multiples of the unit, vertex-disjoint, in the length promised."""
    for level, most in ((short_level, 9 * unit), (axis_level(3), 9 * unit + 6)):
        program = level(unit)
        targets = grid_points((7, 7, 7)) @ [(7 * unit) ** 2, 7 * unit, 1] * unit
        goal = Goal.one_to_many(0, targets.tolist())
        schedule = to_schedule(program, torus(*program.sides), 0, Model(), "level", goal)
        assert verify(schedule)
        assert sum(program.round_lengths) == most


def test_levels_refuse_small_units():
    for level in (short_level, axis_level(3)):
        with pytest.raises(ArgumentError, match="at least 3"):
            level(2)
    assert edge_level(2).disjoint == "edge"


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=3), st.integers(0, 10**6))
def test_circuit_serves_every_torus(sides, root):
    network = torus(*sides)
    schedule = best_schedule(network, root % network.order, Model(alpha=2.0, delta=0.5))
    verdict = verify(schedule)
    assert verdict
    assert verdict.details["duplicates"] == 0
    assert schedule.model.switching == "circuit"
    assert (schedule.model.alpha, schedule.model.delta) == (2.0, 0.5)
    lines = sum(len(line_calls(side, (side - 1) // 2)) for side in sides)
    assert growth_rounds(network.order, network.degrees.max()) <= schedule.rounds <= max(lines, 0)


@pytest.mark.parametrize("side", [4, 6, 7, 8, 9, 10, 12, 13, 20, 24, 30, 31, 50])
def test_least_rounds_on_square_tori(side):
    schedule = best_schedule(torus(side, side), 0, Model())
    assert verify(schedule)
    assert schedule.rounds == growth_rounds(side * side, 4)
    assert schedule.model.disjoint == "vertex"


@pytest.mark.parametrize("sides", [(3, 6), (3, 8)])
def test_a_search_keeps_to_what_circuits_may_share(sides):
    network = torus(*sides)
    for disjoint in ("vertex", "edge"):
        asked = Model(switching="circuit", disjoint=disjoint)
        schedule = best_schedule(network, 0, asked)
        assert verify(schedule, model=asked)
    assert schedule.rounds == growth_rounds(network.order, 4)  # circuits may cross at nodes


@pytest.mark.parametrize("side", [2, 3, 4, 5, 6, 8, 9, 10, 14, 20])
def test_least_rounds_on_cubic_tori(side):
    network = torus(side, side, side)
    schedule = best_schedule(network, 0, Model())
    assert verify(schedule)
    assert schedule.rounds == growth_rounds(side**3, int(network.degrees.max()))


@settings(deadline=None, max_examples=20)
@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.integers(0, 10**6))
def test_circuit_serves_every_mesh(sides, root):
    network = hopscape.build(f"mesh({', '.join(map(str, sides))})")
    assert verify(mesh_schedule(network, root % network.order, Model()))


@settings(deadline=None, max_examples=8)
@given(st.integers(5, 40), st.integers(5, 40))
def test_widened_schedules_hold(a, b):
    network = torus(a, b)
    assert verify(widened(network, 7, Model(), (a, b)))


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 200), st.integers(0, 199))
def test_lines_take_the_fewest_rounds(count, root):
    root %= count
    informed = {root}
    rounds = line_calls(count, root)
    for calls in rounds:
        held = [range(min(a, b), max(a, b) + 1) for a, b in calls]
        assert all(a in informed for a, _ in calls)
        for i, one in enumerate(held):
            for j in range(i):
                shared = set(one) & set(held[j])
                assert shared <= {calls[i][0]} & {calls[j][0]}
        informed |= {b for _, b in calls}
    assert informed == set(range(count))
    reach = 0
    while (3**reach - 1) // 2 < max(root, count - 1 - root):
        reach += 1
    assert len(rounds) == reach
    assert len(fill_gap(3**3 - 1)) == 3


def test_compose_multiplies():
    program = compose(scheme("numeration", (5, 5)), line_program((2, 3)))
    assert program.sides == (10, 15)
    assert verify(to_schedule(program, torus(10, 15), 4, Model(), "composed"))


@pytest.mark.parametrize("sides", small_sides())
def test_small_tori_found_by_search(sides):
    program = small_program(sides, alike(hopscape.build("torus(5, 5)")))
    assert program is not None
    schedule = to_schedule(program, torus(*sides), 1, Model(), "small")
    assert verify(schedule)
    degree = sum(min(side - 1, 2) for side in sides)
    assert schedule.rounds == growth_rounds(int(np.prod(sides)), degree)


def test_search_finds_sets_and_gives_up():
    assert search_sets(torus(6, 6), 3) is not None
    assert search_sets(torus(5, 5), 1, tries=1, moves=10) is None


def test_reduce_multicast_and_costs():
    network = torus(25, 25)
    back = run_algorithm(network, Goal.reduce(3), "circuit")
    assert verify(back)
    some = run_algorithm(network, Goal.one_to_many(3, [9, 77, 600]), "numeration")
    assert verify(some)
    assert some.transfers < 15
    timed = run_algorithm(network, Goal.broadcast(0), "numeration", {"alpha": 3.0, "delta": 0.5})
    assert verify(timed).details["time"] == 4 * 3 + 24 * 0.5


def test_wrong_sides_are_refused():
    with pytest.raises(ArgumentError, match="no broadcast algorithm 'optimal'"):
        run_algorithm(torus(6, 6, 6), Goal.broadcast(0), "optimal")
    with pytest.raises(ArgumentError, match=r"3 axes of side 7\^m"):
        scheme("edge-disjoint", (5, 5))
    with pytest.raises(ArgumentError, match="unknown"):
        scheme("fastest", (5, 5))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-9, 9).filter(bool)), max_size=6))
def test_words_are_read_as_written(runs):
    text = "".join(write_word((run,)) for run in runs)
    assert parse_word(write_word(parse_word(text))) == parse_word(text)


def test_bad_words_are_refused():
    with pytest.raises(ArgumentError, match="cannot be read"):
        parse_word("X2Q")
