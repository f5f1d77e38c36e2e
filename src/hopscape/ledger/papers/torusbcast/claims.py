"""What the torus paper claims (Okazaki, Ono, Sadahiro, Yamashita), and its printed slips."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict
from hopscape.core.verify import verify
from hopscape.families.torus.circuits import grid_points, to_schedule, uniform_program
from hopscape.families.torus.codes import check_code_lemma, corner_in_code, torus_codes
from hopscape.families.torus.delays import check_delay_safety
from hopscape.families.torus.flags import Reading, chain_classes, shortest_words
from hopscape.families.torus.grids import Torus
from hopscape.families.torus.numeration import NumberSystem, star_digits, word_system
from hopscape.families.torus.schemes import WORDS, scheme
from hopscape.families.torus.tiles import check_partition, closure, escapes, lattice
from hopscape.families.torus.words import displacement, parse_words, scale, with_inverses
from hopscape.ledger.claim import Claim, Outcome

__all__ = ["CLAIMS", "chain_totals"]

_PLANE = [[2, 1], [1, -2]]
_SPACE = [[-1, 1, -1], [-2, -1, 0], [1, 1, 2]]
_READINGS: tuple[Reading, ...] = ("vertex", "edge", "arc")


def _schedule(name: str, side: int, dimension: int) -> Schedule:
    network = Network.of(Torus((side,) * dimension))
    return to_schedule(scheme(name, (side,) * dimension), network, 0, None, name)


def _verdicts(schedule: Schedule) -> list[Verdict]:
    return [
        verify(schedule, model=Model(switching="circuit", disjoint=reading))
        for reading in _READINGS
    ]


def _rows(key: str) -> list[tuple[tuple[tuple[int, int], ...], ...]]:
    return [with_inverses(parse_words(row)) for row in WORDS[key]]


def _check_expansions() -> Outcome:
    texts, fine = [], True
    for matrix, blocks in ((_PLANE, (1, 2, 3)), (_SPACE, (1, 2))):
        system = NumberSystem(matrix, star_digits(len(matrix)))
        for m in blocks:
            side = system.base**m
            points = grid_points((side,) * system.dimension)
            digits = system.digits(points, m)
            same = bool(np.array_equal(system.points(digits), points))
            unique = len(np.unique(digits, axis=0)) == len(points)
            parts = all(check_partition(system, k, m) for k in range(min(3, system.dimension * m)))
            fine = fine and same and unique and parts
            texts.append(f"{side}^{system.dimension}")
    return Outcome(
        "holds" if fine else "refuted", f"every vertex of {', '.join(texts)} once; tiles partition"
    )


def _check_hypothesis() -> Outcome:
    signs = []
    for matrix in (_PLANE, _SPACE):
        b = np.array(matrix)
        power = np.linalg.matrix_power(b, len(matrix))
        signs.append((round(np.linalg.det(b)), int(power[0, 0])))
    wrong = signs[0][0] != signs[0][1]
    return Outcome(
        "holds corrected" if wrong else "holds",
        f"2-D: det {signs[0][0]}, B^2 = {signs[0][1]} I;"
        f" 3-D: det {signs[1][0]}, B^3 = {signs[1][1]} I",
        "must read B^d = (-1)^(d+1) det(B) I: as printed it excludes the paper's own 2-D matrix",
    )


def _check_plane() -> Outcome:
    rounds = []
    for m in (1, 2, 3):
        schedule = _schedule("numeration", 5**m, 2)
        if not all(_verdicts(schedule)):
            return Outcome("refuted", f"side {5**m} fails")
        rounds.append(schedule.rounds)
    return Outcome("holds", f"rounds {rounds} on sides 5, 25, 125; vertex-, edge- and arc-disjoint")


def _check_plane_length() -> Outcome:
    found = [int(verify(_schedule("numeration", 5**m, 2)).details["max_path"]) for m in (1, 2, 3)]
    diameter = [2 * (5**m // 2) for m in (1, 2, 3)]
    printed = [5 ** (m - 1) - 1 for m in (1, 2, 3)]
    if found != diameter:
        return Outcome("refuted", f"longest chains {found}, diameters {diameter}")
    if found == printed:
        return Outcome("holds", f"longest chains {found}")
    return Outcome(
        "holds corrected",
        f"longest chains {found} = diameters; the printed closed form gives {printed}",
        "the closed form is 5^m - 1",
    )


def _check_containment() -> Outcome:
    system = word_system("2")
    bad = [sum(escapes(system, _rows("2"), m)) for m in (1, 2, 3)]
    stays = all(len(sets) == 1 for sets in closure(system).values())
    fine = not any(bad) and stays
    return Outcome(
        "holds" if fine else "refuted",
        f"words outside their tile: {bad} for m = 1, 2, 3; a scaled edge meets the two cells of"
        f" its ends only, at every scale: {'yes' if stays else 'no'}",
        "the closure makes it true for every m" if fine else "",
    )


def _check_plane_delays() -> Outcome:
    found = [check_delay_safety(_schedule("numeration", 5**m, 2), "call") for m in (1, 2, 3)]
    fine = all(found) and not any(
        sum(escapes(word_system("2"), _rows("2"), m, calls=True)) for m in (1, 2)
    )
    return Outcome(
        "holds" if fine else "refuted",
        "no crossing on sides 5, 25, 125, even when receivers go on at once (call level)",
    )


def _check_informed_set() -> Outcome:
    """Before round r the informed set is L(dm - r), not L(2m - r + 1)."""
    system, m = word_system("2"), 2
    rounds, _ = system.roles(grid_points((25, 25)), m)
    sizes = [int((rounds < r).sum()) for r in range(1, 5)]
    right = [len(lattice(system, 4 - r, m)) for r in range(1, 5)]
    printed = [len(lattice(system, 4 - r + 1, m)) if r > 1 else 0 for r in range(1, 5)]
    return Outcome(
        "holds corrected" if sizes == right and sizes != printed else "refuted",
        f"informed before rounds 1 to 4: {sizes}; L(4-r): {right}; L(4-r+1): {printed}",
        "must read I(r-1) = L(2m - r)",
    )


def _check_space() -> Outcome:
    for m in (1, 2):
        schedule = _schedule("numeration", 7**m, 3)
        if schedule.rounds != 3 * m or not all(_verdicts(schedule)):
            return Outcome("refuted", f"side {7**m} fails")
    printed = verify(_as_printed(1)) and verify(_as_printed(2))
    stays = all(len(sets) == 1 for sets in closure(word_system("3-printed")).values())
    return Outcome(
        "holds corrected" if not printed and stays else "holds",
        "3 and 6 rounds on sides 7 and 49, vertex-disjoint; every m by closure",
        "with the case labels exchanged (they are 3m - r mod 3) and u = 7^floor((3m-r)/3)",
    )


def _as_printed(m: int) -> Schedule:
    """The case labels taken literally: r = 2 mod 3 the long words, r = 1 the middle ones."""
    rows = _rows("3-printed")
    by_label = {2: rows[0], 1: rows[1], 0: rows[2]}
    words = []
    for r in range(1, 3 * m + 1):
        unit = 7 ** ((3 * m - r) // 3)
        words.append([scale(w, unit) for w in by_label[r % 3]])
    program = uniform_program((7**m,) * 3, words)
    return to_schedule(program, Network.of(Torus((7**m,) * 3)), 0, None, "as printed")


def _check_labels() -> Outcome:
    verdicts = _verdicts(_as_printed(1))
    reached = len(np.unique(_as_printed(1).target)) + 1
    fails = [reading for reading, v in zip(_READINGS, verdicts, strict=True) if not v]
    return Outcome(
        "refuted" if fails else "holds",
        f"literal labels reach {reached} of 343 vertices; not {', '.join(fails)}-disjoint",
        f"first crossing: {verdicts[0].reason}" if fails else "",
    )


def _check_words() -> Outcome:
    system = NumberSystem(_SPACE, star_digits(3))
    b = system.matrix
    hits = 0
    for row, power in zip(WORDS["3-printed"], (2, 1, 0), strict=True):
        ends = {displacement(w, 3) for w in with_inverses(parse_words(row))}
        wanted = {
            tuple((np.linalg.matrix_power(b, power) @ digit).tolist())
            for digit in np.array(star_digits(3))[1:]
        }
        hits += len(ends & wanted)
    return Outcome(
        "holds" if hits == 18 else "refuted",
        f"{hits} of 18 words end at ±B^2 e_i, ±B e_i, ±e_i",
    )


def _check_space_length() -> Outcome:
    found = [int(verify(_schedule("numeration", 7**m, 3)).details["max_path"]) for m in (1, 2)]
    wanted = [2 * (7**m - 1) for m in (1, 2)]
    return Outcome(
        "holds" if found == wanted else "refuted",
        f"longest chains {found}, diameters {[3 * (7**m // 2) for m in (1, 2)]}",
    )


def _check_space_delays() -> Outcome:
    node = [check_delay_safety(_schedule("numeration", 7**m, 3)) for m in (1, 2)]
    call = [check_delay_safety(_schedule("numeration", 7**m, 3), "call") for m in (1, 2)]
    crossings = [int(v.details["crossings"]) for v in call]
    if not all(node):
        return Outcome("refuted", node[0].reason)
    return Outcome(
        "holds corrected" if any(crossings) else "holds",
        f"node level: no crossing; call level: {crossings} calls cross foreign tiles (m = 1, 2)",
        "a receiver has to wait for the other calls of its sender",
    )


def _check_eleven() -> Outcome:
    found = []
    for m in (1, 2):
        verdict = verify(_schedule("numeration-11", 7**m, 3))
        if not verdict:
            return Outcome("refuted", verdict.reason)
        found.append(int(verdict.details["max_path"]))
    ratios = [f"{f}/{3 * (7**m // 2)}" for f, m in zip(found, (1, 2), strict=True)]
    return Outcome(
        "holds" if found == [11, 88] else "refuted",
        f"longest chain over diameter: {', '.join(ratios)} (11/9)",
        "reconstructed: the paper only states it",
    )


def _check_shorter() -> Outcome:
    found = {}
    for name in ("numeration-10", "axis", "optimal", "edge-disjoint"):
        verdict = verify(_schedule(name, 49, 3))
        if not verdict:
            return Outcome("refuted", f"{name}: {verdict.reason}")
        found[name] = int(verdict.details["max_path"])
    lemma = check_code_lemma()
    codes = len(torus_codes(7, 3))
    fine = bool(lemma) and codes == 8 and corner_in_code(3) and found["optimal"] == 73
    return Outcome(
        "holds" if fine and found["edge-disjoint"] == 72 else "refuted",
        f"side 49, diameter 72: {found}; perfect codes of Z^3 with 0: 8, each with a corner",
        "settled: shorter ones exist; D + 1 is the optimum vertex-disjoint, D edge-disjoint",
    )


def chain_totals(reading: Reading) -> list[tuple[int, ...]]:
    """Lengths of the three rounds of every class of uniform lattice schemes that works."""
    found = []
    for chain, _ in chain_classes():
        lengths: list[int] = []
        for r in (3, 2, 1):
            best = shortest_words(chain.functionals(r), chain.targets(r), reading, 7, most=9)
            if best.length is None:
                break
            lengths.insert(0, best.length)
        if len(lengths) == 3:
            found.append(tuple(lengths))
    return sorted(found, key=lambda row: (sum(row), row))


def _check_uniform() -> Outcome:
    vertex, edge = chain_totals("vertex"), chain_totals("edge")
    totals = [sum(row) for row in vertex]
    fine = totals == [10, 11, 12, 13] and min(sum(row) for row in edge) == 10
    return Outcome(
        "holds" if fine else "refuted",
        f"456 chains, 30 classes; vertex: {_texts(vertex)}; edge: {len(edge)} classes, best"
        f" {sum(edge[0])}",
        "not in the paper: with the same words everywhere 10/9 is the best, 11/9 the paper's chain",
    )


def _texts(rows: Sequence[Sequence[int]]) -> str:
    return ", ".join(f"{sum(row)} = {'+'.join(map(str, row))}" for row in rows)


CLAIMS = (
    Claim(
        "torus-expansions",
        "torusbcast",
        "section 2, lemma 2",
        "every vertex of Z^d / b^m Z^d has exactly one expansion, and tiles partition the torus",
        "all vertices of sides 5, 25, 125 (2-D) and 7, 49 (3-D)",
        _check_expansions,
    ),
    Claim(
        "torus-hypothesis",
        "torusbcast",
        "section 2",
        "the matrix satisfies B^d = det(B) I",
        "both matrices of the paper",
        _check_hypothesis,
    ),
    Claim(
        "torus-2d-broadcast",
        "torusbcast",
        "section 3.1, theorem 4",
        "the 2-D scheme is a broadcast in 2m = log_5 N rounds",
        "schedules verified for m = 1, 2, 3 in three readings of disjoint",
        _check_plane,
    ),
    Claim(
        "torus-2d-length",
        "torusbcast",
        "section 3.2",
        "its longest chain is 5^(m-1) - 1, the diameter",
        "measured by the verifier for m = 1, 2, 3",
        _check_plane_length,
    ),
    Claim(
        "torus-2d-containment",
        "torusbcast",
        "section 3.2, figure 5",
        "the calls of v in round r stay in v + T(2m - r)",
        "all words for m = 1, 2, 3; every m by finite closure",
        _check_containment,
    ),
    Claim(
        "torus-2d-delays",
        "torusbcast",
        "section 3.2",
        "delays never make circuits of the 2-D scheme cross",
        "call-level tile check for m = 1, 2, 3",
        _check_plane_delays,
    ),
    Claim(
        "torus-informed-set",
        "torusbcast",
        "section 3.2",
        "before round r the informed set is L(2m - r + 1)",
        "side 25, counted round by round",
        _check_informed_set,
    ),
    Claim(
        "torus-3d-broadcast",
        "torusbcast",
        "section 4",
        "the 3-D scheme is a broadcast in 3m rounds",
        "schedules verified for m = 1, 2; every m by finite closure",
        _check_space,
    ),
    Claim(
        "torus-3d-labels",
        "torusbcast",
        "section 4",
        "long words when r = 2, middle words when r = 1 (mod 3)",
        "the labels taken literally, side 7",
        _check_labels,
    ),
    Claim(
        "torus-3d-words",
        "torusbcast",
        "section 4",
        "the printed words lead to v + B^k D",
        "all eighteen words",
        _check_words,
    ),
    Claim(
        "torus-3d-length",
        "torusbcast",
        "section 4",
        "the longest chain of the 3-D scheme is 4/3 of the diameter",
        "measured by the verifier for m = 1, 2",
        _check_space_length,
    ),
    Claim(
        "torus-3d-delays",
        "torusbcast",
        "section 4",
        "delays never make circuits of the 3-D scheme cross",
        "node-level and call-level tile checks for m = 1, 2",
        _check_space_delays,
    ),
    Claim(
        "torus-eleven-ninths",
        "torusbcast",
        "section 4",
        "with digits that change by round, 11/9 of the diameter is possible",
        "a reconstruction, verified for m = 1, 2",
        _check_eleven,
    ),
    Claim(
        "torus-open-question",
        "torusbcast",
        "section 4, last sentence",
        "open: is there a broadcast with circuits shorter than 11/9 of the diameter?",
        "constructions verified for m = 2, lower bound by classifying perfect codes",
        _check_shorter,
    ),
    Claim(
        "torus-uniform-schemes",
        "torusbcast",
        "section 4 (beyond)",
        "how short can schemes be that use the same words at every source?",
        "exhaustive over the 456 chains of lattices",
        _check_uniform,
    ),
)
