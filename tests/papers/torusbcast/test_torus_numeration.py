"""Number systems, tiles and their kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopscape.collectives.circuits.schemes import WORDS
from hopscape.collectives.circuits.torus import grid_points, parse_words, with_inverses
from hopscape.core.errors import ArgumentError
from hopscape.papers.torusbcast.numeration import (
    MixedSystem,
    NumberSystem,
    boundary,
    check_partition,
    closure,
    companion_matrix,
    companion_system,
    determinant,
    escapes,
    lattice,
    star_digits,
    tile,
    tile_labels,
    word_system,
)

SYSTEMS = ("1", "2", "3-printed", "3-eleven", "3-ten", "4")
PRINTED = [[-1, 1, -1], [-2, -1, 0], [1, 1, 2]]


def slow_digits(system, point, blocks):
    """The definition: take the digit whose class is right, divide by the scale of a block."""
    out, at = [], np.array(point)
    for _ in range(blocks):
        hits = []
        for index in np.ndindex(*(len(p) for p in system.places)):
            total = sum(system.places[j][i] for j, i in enumerate(index))
            if ((at - total) % system.base == 0).all():
                hits.append((index, total))
        assert len(hits) == 1
        out += list(hits[0][0])
        at = (at - hits[0][1]) // system.scale
    return out


@pytest.mark.interpreted
@settings(deadline=None, max_examples=25)
@given(st.sampled_from(["1", "2", "3-printed", "3-ten"]), st.integers(1, 3), st.integers(0, 2**40))
def test_digits_agree_with_the_definition(key, blocks, seed):
    system = word_system(key)
    side = system.base**blocks
    point = np.random.default_rng(seed).integers(-(2**33), 2**33, system.dimension)
    digits = system.digits(point[None], blocks)
    assert digits[0].tolist() == slow_digits(system, point, blocks)
    assert np.array_equal(system.points(digits)[0], point % side)


@pytest.mark.interpreted
@pytest.mark.parametrize(("dimension", "scale"), [(1, 4), (2, 2), (2, -4), (3, 2), (3, -2)])
def test_digits_of_an_even_base_agree_with_the_definition(dimension, scale):
    """The matrix moves the axes on by one, the last to `scale` times the first."""
    matrix = np.eye(dimension, k=-1, dtype=int)
    matrix[0, -1] = scale
    digits = np.zeros((abs(scale), dimension), dtype=int)
    digits[:, 0] = range(abs(scale))
    system = NumberSystem(matrix.tolist(), digits.tolist())
    points = np.random.default_rng(dimension).integers(-(2**33), 2**33, (5, dimension))
    for blocks in (1, 2, 3):
        found = system.digits(points, blocks)
        assert found.tolist() == [slow_digits(system, point, blocks) for point in points]
        assert np.array_equal(system.points(found), points % system.base**blocks)


@pytest.mark.parametrize("key", SYSTEMS)
def test_expansions_are_unique_on_the_whole_torus(key):
    system = word_system(key)
    blocks = 2 if system.dimension < 3 else 1
    points = grid_points((system.base**blocks,) * system.dimension)
    digits = system.digits(points, blocks)
    assert np.array_equal(system.points(digits), points)
    assert len(np.unique(digits, axis=0)) == len(points)


@pytest.mark.parametrize("dimension", range(1, 9))
def test_a_system_exists_in_every_dimension(dimension):
    matrix = np.array(companion_matrix(dimension))
    base = 2 * dimension + 1
    power = np.linalg.matrix_power(matrix, dimension)
    assert np.array_equal(power, base * np.eye(dimension, dtype=int))
    assert determinant(matrix.tolist()) == (-1) ** (dimension + 1) * base
    system = companion_system(dimension)
    points = np.random.default_rng(dimension).integers(0, base, (40, dimension))
    assert np.array_equal(system.points(system.digits(points, 1)), points)


@pytest.mark.interpreted
@pytest.mark.parametrize(("dimension", "blocks"), [(3, 1), (2, 2), (1, 3)])
def test_digits_one_by_one_agree_with_the_table(dimension, blocks):
    system = companion_system(dimension)
    points = grid_points((system.base**blocks,) * dimension)
    table = system.digits(points, blocks)
    system._by_steps = lambda: True
    assert np.array_equal(system._slow_digits(points, blocks), table)


def test_printed_matrix_is_a_system():
    system = NumberSystem(PRINTED, star_digits(3))
    words = word_system("3-printed")
    for mine, theirs in zip(system.places, words.places, strict=True):
        assert {tuple(v) for v in mine.tolist()} == {tuple(v) for v in theirs.tolist()}


@pytest.mark.parametrize(
    ("matrix", "digits", "reason"),
    [
        ([[2, 1], [1, -2]], [[0, 0], [1, 0], [-1, 0], [0, 1], [5, 0]], "in one class"),
        ([[2, 0], [0, 2]], star_digits(2), "determinant 4"),
        ([[5, 0], [0, 1]], [[k, 0] for k in range(5)], "not -5 times the identity"),
        ([[1, 2, 3]], star_digits(3), "square"),
        ([[0, 0], [0, 0]], [], "determinant 0"),
    ],
)
def test_bad_systems_are_refused_with_the_reason(matrix, digits, reason):
    with pytest.raises(ArgumentError, match=reason):
        NumberSystem(matrix, digits)


def test_bad_mixed_systems_are_refused():
    with pytest.raises(ArgumentError, match="in one class modulo 5"):
        MixedSystem([star_digits(2), star_digits(2)], 5)
    with pytest.raises(ArgumentError, match="sums, but there are"):
        MixedSystem([star_digits(2), [[0, 0]]], 5)
    with pytest.raises(ArgumentError, match="power of 5"):
        word_system("2").blocks(10)


@pytest.mark.parametrize(("key", "blocks"), [("2", 2), ("3-printed", 1), ("3-ten", 1), ("4", 1)])
def test_tiles_partition(key, blocks):
    system = word_system(key)
    for level in range(system.dimension * blocks - 1):
        assert check_partition(system, level, blocks)


def test_partition_check_can_fail():
    system = word_system("2")
    system.places = (system.places[0], system.places[0])
    verdict = check_partition(system, 0, 1)
    assert not verdict
    assert "vertex" in verdict.where


def test_boundaries():
    assert [boundary(tile(word_system("2"), k)) for k in range(4)] == [12 * 3**k for k in range(4)]
    assert [boundary(tile(word_system("3-printed"), k)) for k in range(4)] == [30, 150, 762, 3834]


@pytest.mark.parametrize(
    ("key", "calls"), [("2", 0), ("3-printed", 2), ("3-eleven", 4), ("3-ten", 4)]
)
def test_words_keep_inside_tiles_and_scaled_edges_too(key, calls):
    system = word_system(key)
    rows = [with_inverses(parse_words(row)) for row in WORDS[key]]
    for blocks in (1, 2):
        assert sum(escapes(system, rows, blocks)) == 0
        assert sum(escapes(system, rows, blocks, calls=True)) == calls * blocks
    assert all(len(sets) == 1 for sets in closure(system).values())


def test_closure_notices_a_system_whose_edges_stray():
    sets = closure(MixedSystem([[[0], [1], [-4]]], 3))
    assert any(len(rows) > 1 for rows in sets.values())


def test_van_der_corput_points_are_a_net():
    system, blocks = word_system("2"), 2
    points = system.van_der_corput(np.arange(625), blocks)
    assert len(np.unique(points, axis=0)) == 625
    for r in range(1, 4):
        first = {tuple(p) for p in points[: 5**r].tolist()}
        assert first == {tuple(p) for p in lattice(system, 3 - r, blocks).tolist()}
        labels = tile_labels(system, points, blocks, 3 - r)
        keys = (labels[:, 0] * 25 + labels[:, 1]).reshape(-1, 5**r)
        assert all(len(set(block)) == 5**r for block in keys.tolist())
