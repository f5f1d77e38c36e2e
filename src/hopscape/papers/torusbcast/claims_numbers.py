"""Section 2: number systems and tiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import prod
from typing import Any

import numpy as np

import hopscape.papers.torusbcast.printed as paper
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.ledger.claim import Correction, Entries, Outcome, Tally, judge
from hopscape.papers.torusbcast.numeration import (
    NumberSystem,
    lattice,
    star_digits,
    tile,
    word_system,
)
from hopscape.papers.torusbcast.reference import boxes, matrix_power, star, sums

__all__ = ["CLAIMS"]

_BLOCKS = ((2, 1), (2, 2), (2, 3), (3, 1), (3, 2))  # dimension, m


def _leibniz(matrix: Sequence[Sequence[int]]) -> int:
    """The determinant, term by term."""
    size = len(matrix)
    total = 0
    for order in permutations(range(size)):
        swaps = sum(a > b for i, a in enumerate(order) for b in order[i + 1 :])
        total += (-1) ** swaps * prod(matrix[i][order[i]] for i in range(size))
    return total


def _classes(matrix: Sequence[Sequence[int]], points: IntArray) -> int:
    """How many classes modulo B Z^d these points are in, by solving B x = a - b."""
    seen: list[Any] = []
    for point in points:
        for other in seen:
            x = np.rint(np.linalg.solve(np.array(matrix, dtype=float), point - other))
            if np.array_equal(np.array(matrix) @ x.astype(np.int64), point - other):
                break
        else:
            seen.append(point)
    return len(seen)


def _accepted(matrix: Sequence[Sequence[int]], digits: Sequence[Sequence[int]]) -> bool:
    try:
        NumberSystem(matrix, digits)
    except ArgumentError:
        return False
    return True


def _star_matrices(tally: Tally) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Small 2 x 2 matrices of determinant ±5 in which 0, ±e_i are in five classes."""
    for a, b, c, e in tally.each("small matrices", product(range(-3, 4), repeat=4)):
        if abs(a * e - b * c) == 5 and _classes(((a, b), (c, e)), star(2)) == 5:
            yield (a, b), (c, e)


def _check_hypothesis() -> Outcome:
    literal, wrong, parts, tally = [], [], [], Tally()
    tally.expect("small matrices", 7**4)
    for d, matrix in tally.each("printed matrices", paper.MATRICES.items(), 2):
        det, power = _leibniz(matrix), matrix_power(matrix, d)
        parts.append(f"{d}-D: det B = {det}, B^{d} = {power.tolist()}")
        if not np.array_equal(power, det * np.eye(d)):
            literal.append(parts[-1])
        if not np.array_equal(power, (-1) ** (d + 1) * det * np.eye(d)):
            wrong.append(parts[-1])
        if not _accepted(matrix, star_digits(d)):
            wrong.append(f"{d}-D: the matrix is refused")
    counted = 0
    for matrix in _star_matrices(tally):
        counted += 1
        fits = np.array_equal(matrix_power(matrix, 2), -_leibniz(matrix) * np.eye(2))
        unique = len(np.unique(sums(matrix, star(2), range(2)) % 5, axis=0)) == 25
        if (fits and not unique) or _accepted(matrix, star_digits(2)) != fits:
            wrong.append(f"B = {matrix}: B^2 = -det(B) I is {fits}, 25 sums differ: {unique}")
    return judge(
        literal,
        f"{'; '.join(parts)}; {counted} matrices with entries up to 3 and digits 0, ±e_i looked at",
        Correction("B^d = (-1)^(d+1) det(B) I", wrong),
        values={"literal": len(literal), "matrices": counted},
        searched=tally,
    )


def _check_residues() -> Outcome:
    literal, wrong, parts, tally = [], [], [], Tally()
    both = ((2, star(2)), (3, np.array(paper.DIGITS_3D)))
    for d, printed in tally.each("sets of digits", both, 2):
        matrix = paper.MATRICES[d]
        size = abs(_leibniz(matrix))
        as_printed, right = _classes(matrix, printed), _classes(matrix, star(d))
        parts.append(f"{d}-D: {right} of {size} classes")
        if as_printed != size:
            literal.append(f"{d}-D: the printed digits are in {as_printed} of {size} classes")
        if right != size or size != len(star(d)):
            wrong.append(f"{d}-D: 0, ±e_i are in {right} of {size} classes")
        if np.abs(np.array(star_digits(d))).sum(axis=1).tolist() != [0] + [1] * 2 * d:
            wrong.append(f"{d}-D: other digits than 0, ±e_i are used: {star_digits(d)}")
    return judge(
        literal,
        f"digits 0, ±e_i: {'; '.join(parts)}",
        Correction("{0, ±e_1, ±e_2, ±e_3}, a comma is missing", wrong),
        values={"literal": literal},
        searched=tally,
    )


def _check_powers() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    tally.expect("places", 2 + 3)
    for d, base in tally.each("matrices", ((2, 5), (3, 7)), 2):
        power = matrix_power(paper.MATRICES[d], d)
        parts.append(f"B^{d} = {power.tolist()}")
        if not np.array_equal(power, base * np.eye(d)):
            wrong.append(parts[-1])
        own = word_system("2" if d == 2 else "3-printed")
        for j in tally.each("places", range(d)):
            vectors = star(d) @ matrix_power(paper.MATRICES[d], j).T
            if set(map(tuple, own.place_vectors(j).tolist())) != set(map(tuple, vectors.tolist())):
                wrong.append(f"{d}-D: place {j} of the scheme is not B^{j} D")
    return judge(wrong, "; ".join(parts), searched=tally)


def _system(d: int) -> NumberSystem | str:
    """The system of a printed matrix, or why there is none."""
    try:
        return NumberSystem(paper.MATRICES[d], star_digits(d))
    except ArgumentError as error:
        return f"{d}-D: {error}"


def _random_digits(matrix: Sequence[Sequence[int]], seed: int) -> IntArray | None:
    """One digit of each class, 0 for its own, drawn from a box."""
    size = abs(_leibniz(matrix))
    rng = np.random.default_rng(seed)
    chosen = [np.zeros(2, dtype=np.int64)]
    for point in rng.integers(-4, 5, size=(40 * size, 2)):
        if len(chosen) == size:
            break
        if _classes(matrix, np.array([*chosen, point])) > len(chosen):
            chosen.append(point)
    return np.array(chosen) if len(chosen) == size else None


def _check_expansions() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    tally.expect("vertices", sum((2 * d + 1) ** (d * m) for d, m in _BLOCKS))
    for d, m in _BLOCKS:
        matrix, side = paper.MATRICES[d], (2 * d + 1) ** m
        if len(_different(sums(matrix, star(d), range(d * m)) % side)) != side**d:
            wrong.append(f"side {side}, {d}-D: two sums are one vertex")
        points, system = boxes(side, d), _system(d)
        if isinstance(system, str):
            wrong.append(system)
            continue
        digits_of = system.digits(points, m)
        back = sum(
            np.array(star_digits(d))[digits_of[:, k]] @ matrix_power(matrix, k).T
            for k in range(d * m)
        )
        bad = np.flatnonzero(((back - points) % side).any(axis=1))
        if len(bad):
            wrong.append(f"side {side}: the digits of {points[bad[0]].tolist()} add up to another")
        tally.add("vertices", len(digits_of))
        parts.append(f"{side}^{d}")
    others = 0
    for a, b, c in tally.each("other matrices", product(range(-2, 3), repeat=3), 5**3):
        size = abs(-a * a - b * c)
        digits = _random_digits(((a, b), (c, -a)), 10 + a + 3 * b) if 2 <= size <= 6 else None
        if digits is None:
            continue
        others += 1
        for m in (1, 2):
            every = sums(((a, b), (c, -a)), digits, range(2 * m)) % size**m
            if len(_different(every)) != size ** (2 * m):
                wrong.append(f"B = {((a, b), (c, -a))}, digits {digits.tolist()}, m = {m}")
    return judge(
        wrong,
        f"every vertex of {', '.join(parts)}; {others} other matrices with random digits",
        values={"others": others},
        searched=tally,
    )


def _check_restated() -> Outcome:
    literal, wrong, parts, tally = [], [], [], Tally()
    tally.expect("vertices", 5**2 + 5**4)
    for m in (1, 2):
        rows = NumberSystem(paper.MATRICES[2], star_digits(2)).digits(boxes(5**m, 2), m)
        words = len(np.unique(rows, axis=0))
        tally.add("vertices", len(rows))
        classes = _classes(paper.MATRICES[2], boxes(5, 2))
        parts.append(f"m = {m}: {words} words of length {2 * m}, {classes} elements of Z^2/BZ^2")
        if words != classes:
            literal.append(parts[-1])
        if words != 5 ** (2 * m):
            wrong.append(parts[-1])
    return judge(
        literal,
        "; ".join(parts),
        Correction("x in Z^2/5^m Z^2, not in Z^2/BZ^2", wrong),
        values={"words": parts},
        searched=tally,
    )


def _check_tiles() -> Outcome:
    wrong, tally = [], Tally()
    tally.expect("levels", sum(d * m for d, m in _BLOCKS))
    for d, m in _BLOCKS:
        matrix, side = paper.MATRICES[d], (2 * d + 1) ** m
        system = NumberSystem(matrix, star_digits(d))
        for k in tally.each("levels", range(d * m)):
            low, high = (
                sums(matrix, star(d), range(k + 1)),
                sums(matrix, star(d), range(k + 1, d * m)),
            )
            every = _numbers(low, high, side)
            if len(np.unique(every)) != side**d or len(every) != side**d:
                wrong.append(f"side {side}, {d}-D: the tiles of level {k} do not partition it")
            if not _same(tile(system, k), low):
                wrong.append(f"{d}-D: the tile of level {k} is another set")
            if not _same(lattice(system, k, m), high % side):
                wrong.append(f"side {side}: L({k}) is another set")
            corners = star(d) @ matrix_power(matrix, k).T
            inner = tile(system, k - 1) if k else 0 * star(d)[:1]
            parts = (inner[:, None] + corners[None]).reshape(-1, d)
            if len(_different(parts)) != len(parts) or not _same(parts, low):
                wrong.append(f"{d}-D: T({k}) is not the disjoint union of tiles T({k - 1})")
    return judge(
        wrong,
        "sides 5, 25, 125 (2-D) and 7, 49 (3-D)",
        searched=tally,
    )


def _numbers(low: IntArray, high: IntArray, side: int) -> IntArray:
    d = low.shape[1]
    weights = side ** np.arange(d - 1, -1, -1)
    few, many = sorted((low, high), key=len)
    return np.concatenate([((many + c) % side) @ weights for c in few])


def _different(points: IntArray) -> IntArray:
    """One number for each different point (coordinates below 5000)."""
    return np.unique(points @ 10_007 ** np.arange(points.shape[1]))


def _same(a: IntArray, b: IntArray) -> bool:
    return np.array_equal(_different(a), _different(b))


_claim = Entries("torusbcast").claim

CLAIMS = (
    _claim(
        "torus-hypothesis",
        "section 2",
        "the matrix satisfies B^d = det(B) I",
        "both matrices of the paper, and all small matrices of determinant ±5",
        _check_hypothesis,
    ),
    _claim(
        "torus-residues",
        "example 3, sections 3.1 and 4",
        "D is a complete residue system modulo B: 2-D {0, ±e_1, ±e_2}, 3-D {0, ±e_1 ±e_2, ±e_3}",
        "classes counted by solving B x = a - b",
        _check_residues,
    ),
    _claim(
        "torus-powers",
        "sections 3.1 and 4",
        "B^2 = 5 I in two dimensions, B^3 = 7 I in three",
        "multiplied; the digits of the schemes held against B^j D",
        _check_powers,
    ),
    _claim(
        "torus-expansions",
        "section 2, lemma 2",
        "every vertex of Z^d / b^m Z^d has exactly one expansion in dm digits",
        "all vertices of sides 5, 25, 125 and 7, 49; other matrices B^2 = -det(B) I, m = 1, 2",
        _check_expansions,
    ),
    _claim(
        "torus-restated",
        "section 3.1",
        "so every x in Z^2/BZ^2 is a word of length 2m",
        "words and classes counted for m = 1, 2",
        _check_restated,
    ),
    _claim(
        "torus-tiles",
        "section 2, (2), figure 2",
        "V is the disjoint union of the tiles c + T(k), c in L(k), and T(k+1) that of c + T(k)",
        "every level of sides 5, 25, 125 and 7, 49, by adding up",
        _check_tiles,
    ),
)
