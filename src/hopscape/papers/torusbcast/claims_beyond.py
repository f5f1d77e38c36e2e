"""What the paper does not say: how short circuits can be, and other dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import permutations, product

import numpy as np

import hopscape.papers.torusbcast.printed as paper
from hopscape.collectives.circuits.torus import length, to_schedule, uniform_program
from hopscape.core.errors import ArgumentError
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.families.torus.grids import Torus
from hopscape.ledger.claim import Entries, Outcome, Searched, Tally, judge
from hopscape.papers.torusbcast.claims_definition import READINGS, faults, run, walked
from hopscape.papers.torusbcast.codes import check_code_lemma, corner_in_code, torus_codes
from hopscape.papers.torusbcast.delays import check_delay_safety
from hopscape.papers.torusbcast.flags import (
    LatticeChain,
    Reading,
    RoundWords,
    chain_classes,
    chains,
    shortest_words,
)
from hopscape.papers.torusbcast.numeration import (
    NumberSystem,
    boundary,
    companion_system,
    star_digits,
    tile,
)
from hopscape.papers.torusbcast.reference import (
    boxes,
    matrix_power,
    star,
    sums,
    torus_distance,
    walk_broadcast,
)

__all__ = ["CLAIMS", "chain_totals"]


# -- how short ------------------------------------------------------------------------------------


def _check_optimum() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    points = boxes(7, 3)
    lattices = set()
    for order in permutations((1, 2, 3)):
        for signs in product((1, -1), repeat=3):
            inside = points @ (np.array(order) * signs) % 7 == 0
            lattices.add(frozenset(map(tuple, points[inside].tolist())))
    codes = set(torus_codes(7, 3))
    tally.expect("perfect codes", 2**3)  # of 48 forms ±x ± 2y ± 3z six make the same lattice
    tally.add("perfect codes", len(codes))
    if codes != lattices:
        wrong.append(f"{len(codes)} perfect codes of side 7, {len(lattices)} lattices")
    hops = {tuple(p) for p in points[torus_distance(7, 3) == 9].tolist()}
    corners = sum(bool(code & hops) for code in codes)
    if corners != len(codes) or not corner_in_code(3):
        wrong.append(f"{corners} of {len(codes)} codes hold a vertex at distance 9")
    lemma = check_code_lemma()
    if not lemma:
        wrong.append(lemma.reason)
    for m in tally.each("sides", (1, 2), 2):
        wrong += faults(tally, "optimal", 7**m, 3, "vertex")
        walk, diameter = walked(tally, "optimal", 7**m, 3), 3 * (7**m // 2)
        parts.append(f"{walk.longest} (diameter {diameter})")
        if walk.longest != diameter + 1 or walk.lengths[-1] != 1:
            wrong.append(
                f"side {7**m}: longest chain {walk.longest}, last calls {walk.lengths[-1]}"
            )
    return judge(
        wrong,
        f"longest chains {', '.join(parts)} on sides 7, 49; perfect codes of side 7 with the"
        f" origin: {len(codes)}, with a farthest vertex: {corners}",
        note="the senders of the last round are a perfect code, a farthest vertex among them",
        searched=tally,
    )


def _check_edge_optimum() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    tally.expect("sides and readings", 2 * 2)
    for m in (1, 2):
        for reading in tally.each("sides and readings", READINGS[1:]):
            wrong += faults(tally, "edge-disjoint", 7**m, 3, reading)
        walk, diameter = walked(tally, "edge-disjoint", 7**m, 3, "edge"), 3 * (7**m // 2)
        parts.append(f"{walk.longest} in {walk.rounds} rounds (diameter {diameter})")
        if (walk.longest, walk.rounds) != (diameter, 3 * m):
            wrong.append(f"side {7**m}: longest chain {walk.longest} in {walk.rounds} rounds")
    text = f"longest chains {', '.join(parts)} on sides 7, 49; {len(wrong)} faults"
    return judge(wrong, text, searched=tally)


def _check_axis() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    for m in tally.each("sides", (1, 2), 2):
        wrong += faults(tally, "axis", 7**m, 3, "vertex")
        walk, diameter = walked(tally, "axis", 7**m, 3), 3 * (7**m // 2)
        parts.append(f"{walk.longest} (diameter {diameter})")
        if walk.longest != diameter + 6 * (m - 1) + 1:
            wrong.append(f"m = {m}: longest chain {walk.longest}")
        if not walk.faults:
            safe = check_delay_safety(run("axis", 7**m, 3))
            wrong += [] if safe else [safe.reason]
    text = f"longest chains {', '.join(parts)} on sides 7, 49; {len(wrong)} faults"
    return judge(wrong, text, searched=tally)


_CLASSES = 30
"""Classes of the 456 chains under the 48 symmetries of the cube, counted with another program."""


# -- the same words everywhere ------------------------------------------------------------------


def _rounds_of(chain: LatticeChain, reading: Reading) -> list[RoundWords]:
    """The three rounds of a class, the first one first; fewer when some round has no words."""
    rounds: list[RoundWords] = []
    for r in (3, 2, 1):
        best = _words(chain, r, reading)
        if best.length is None:
            break
        rounds.insert(0, best)
    return rounds


def chain_totals(reading: Reading) -> list[tuple[int, ...]]:
    """Lengths of the three rounds of every class of uniform lattice schemes that works."""
    schemes = [_rounds_of(chain, reading) for chain, _ in chain_classes()]
    rows = [tuple(int(one.length or 0) for one in rounds) for rounds in schemes if len(rounds) == 3]
    return sorted(rows, key=lambda row: (sum(row), row))


def _uniform(reading: Reading) -> tuple[list[tuple[int, ...]], list[str], int]:
    """Lengths of the classes that work, what walking their words finds wrong, classes looked at."""
    rows, wrong, looked = [], [], 0
    for chain, _ in chain_classes():
        looked += 1
        rounds = _rounds_of(chain, reading)
        given_up = [r for r in (3, 2, 1)[: len(rounds) + 1] if not _searched(chain, r, reading)]
        if given_up:
            wrong.append(f"{chain}: the search for the words of round {given_up[0]} was given up")
        if len(rounds) < 3:
            continue
        lengths = tuple(int(one.length or 0) for one in rounds)
        rows.append(lengths)
        program = uniform_program((7, 7, 7), [one.words for one in rounds])
        network = Network.of(Torus((7, 7, 7)))
        walk = walk_broadcast(to_schedule(program, network, 0, Model(), "uniform"), 7, 3, reading)
        wrong += [f"{chain}: {fault}" for fault in walk.faults[:1]]
        if tuple(walk.lengths) != lengths or any(
            max(map(length, one.words)) != one.length for one in rounds
        ):
            wrong.append(f"{chain}: calls of {walk.lengths} hops, not {lengths}")
    return sorted(rows, key=lambda row: (sum(row), row)), wrong, looked


@cache
def _words(chain: LatticeChain, r: int, reading: Reading) -> RoundWords:
    """The shortest disjoint words of a round, of at most the diameter."""
    return shortest_words(chain.functionals(r), chain.targets(r), reading, 7, most=9)


def _searched(chain: LatticeChain, r: int, reading: Reading) -> bool:
    """Was the search for shorter words of a round brought to its end?"""
    return _words(chain, r, reading).proved


def _check_uniform() -> Outcome:
    vertex, wrong, looked = _uniform("vertex")
    edge, more, again = _uniform("edge")
    wrong += more
    flags, classes = len(chains()), len(chain_classes())
    if (flags, sum(size for _, size in chain_classes())) != (57 * 8, 57 * 8):
        wrong.append(f"{flags} chains; there are 57 planes with 8 lines each")
    best = [min((sum(row) for row in rows), default=0) for rows in (vertex, edge)]
    if best != [10, 10]:
        wrong.append(f"the best have {best[0]} and {best[1]} hops, not 10")
    if 11 not in map(sum, vertex):
        wrong.append("no class has 11 hops")
    return judge(
        wrong,
        f"{flags} chains, {classes} classes; vertex-disjoint: {_texts(vertex)}; edge-disjoint:"
        f" {len(edge)} classes, best {best[1]}",
        values={"vertex": vertex, "edge": edge},
        searched=[
            Searched("chains of lattices", flags, 57 * 8),
            Searched("classes", looked + again, 2 * _CLASSES),
        ],
    )


def _texts(rows: Sequence[Sequence[int]]) -> str:
    return ", ".join(f"{sum(row)} = {'+'.join(map(str, row))}" for row in rows)


# -- tiles and dimensions -----------------------------------------------------------------------


def _links_out(points: set[tuple[int, ...]]) -> int:
    moves = [tuple(move) for move in star(len(next(iter(points))))[1:].tolist()]
    return sum(
        tuple(a + b for a, b in zip(p, move, strict=True)) not in points
        for p in points
        for move in moves
    )


def _check_boundary() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    tally.expect("tiles", 4 + 3)
    tally.expect("vertices of tiles", sum(5 ** (k + 1) for k in range(4)) + 7 + 7**2 + 7**3)
    for d, most in ((2, 4), (3, 3)):
        system, row = NumberSystem(paper.MATRICES[d], star_digits(d)), []
        for k in tally.each("tiles", range(most)):
            points = set(map(tuple, sums(paper.MATRICES[d], star(d), range(k + 1)).tolist()))
            own = _links_out(points)
            tally.add("vertices of tiles", len(points))
            row.append(own)
            if boundary(tile(system, k)) != own:
                wrong.append(f"{d}-D: the boundary of T({k}) is {own}")
            if d == 2 and own != 12 * 3**k:
                wrong.append(f"{d}-D: T({k}) has {own} links to others")
        parts.append(f"{d}-D: {row}")
    text = f"links that leave T(0), T(1), ...: {'; '.join(parts)}"
    return judge(wrong, text, searched=tally)


def _check_companion() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    for d in tally.each("dimensions", range(1, 9), 8):
        base = 2 * d + 1
        try:
            matrix = companion_system(d).matrix.tolist()
        except ArgumentError as error:
            wrong.append(f"d = {d}: {error}")
            continue
        if not np.array_equal(matrix_power(matrix, d), base * np.eye(d)):
            wrong.append(f"d = {d}: B^{d} is not {base} I")
        # x = B y has y = B^(d-1) x / base: the class of x is B^(d-1) x modulo base
        classes = {tuple(c) for c in (star(d) @ matrix_power(matrix, d - 1).T % base).tolist()}
        parts.append(f"{len(classes)}/{base}")
        if len(classes) != base:
            wrong.append(f"d = {d}: 0, ±e_i are in {len(classes)} of {base} classes")
    text = f"classes of 0, ±e_i for d = 1 to 8: {', '.join(parts)}"
    return judge(wrong, text, searched=tally)


def _check_dimensions() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    for d, total in tally.each("dimensions", ((4, 18), (5, 28)), 2):
        side = 2 * d + 1
        wrong += faults(tally, "numeration", side, d, "vertex")
        walk = walked(tally, "numeration", side, d)
        parts.append(
            f"{d}-D, side {side}: {walk.lengths}, longest {walk.longest} of {d * (side // 2)}"
        )
        if (walk.longest, walk.rounds) != (total, d):
            wrong.append(f"{d}-D: longest chain {walk.longest} in {walk.rounds} rounds")
    return judge(wrong, "; ".join(parts), searched=tally)


_claim = Entries("torusbcast").claim

CLAIMS = (
    _claim(
        "torus-optimum",
        "section 4 (beyond)",
        "with vertex-disjoint circuits and 3m rounds, the optimum of the longest path is D + 1",
        "a scheme walked on sides 7, 49; all perfect codes, by search on side 7 and in Z^3",
        _check_optimum,
        beyond=True,
    ),
    _claim(
        "torus-edge-optimum",
        "section 4 (beyond)",
        "with edge-disjoint circuits and 3m rounds, the diameter D itself is reached",
        "a scheme walked on sides 7, 49",
        _check_edge_optimum,
        beyond=True,
    ),
    _claim(
        "torus-axis",
        "section 4 (beyond)",
        "inside tiles, the same words everywhere: diameter + 6(m - 1) + 1",
        "a scheme walked on sides 7, 49; tiles of senders followed",
        _check_axis,
        beyond=True,
    ),
    _claim(
        "torus-uniform-schemes",
        "section 4 (beyond)",
        "with the same words everywhere and one level, 10/9 of the diameter is the best",
        "exhaustive over the chains of lattices on side 7; the words found are walked",
        _check_uniform,
        beyond=True,
    ),
    _claim(
        "torus-boundary",
        "section 2 (beyond)",
        "12·3^k links leave the tile T(k) of two dimensions",
        "counted for k = 0 to 3 (3-D: to 2)",
        _check_boundary,
        beyond=True,
    ),
    _claim(
        "torus-companion",
        "section 2 (beyond)",
        "there is a matrix with B^d = (2d + 1) I and digits 0, ±e_i in every dimension",
        "multiplied, and classes counted, for d = 1 to 8",
        _check_companion,
        beyond=True,
    ),
    _claim(
        "torus-dimensions",
        "section 4 (beyond)",
        "four and five dimensions: 18 hops in 4 rounds on side 9, 28 in 5 rounds on side 11",
        "every call walked",
        _check_dimensions,
        beyond=True,
    ),
)
