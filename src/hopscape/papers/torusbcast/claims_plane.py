"""Section 3: the broadcast in two dimensions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import hopscape.papers.torusbcast.printed as paper
from hopscape.collectives.circuits.schemes import scheme
from hopscape.collectives.circuits.torus import parse_word, steps
from hopscape.ledger.claim import Correction, Entries, Outcome, Tally, judge
from hopscape.papers.torusbcast.claims_definition import (
    READINGS,
    faults,
    run,
    walked,
    wrong_roots,
)
from hopscape.papers.torusbcast.delays import check_delay_safety, simulate_delays
from hopscape.papers.torusbcast.numeration import closure, lattice, word_system
from hopscape.papers.torusbcast.reference import (
    ends_of,
    lasting_cells,
    matrix_power,
    places_of,
    star,
    strangers,
    sums,
)

__all__ = ["CLAIMS", "broadcast_faults", "delay_faults", "judge_containment", "wordings"]

_SIZES = (1, 2, 3)  # m: tori of 5, 25 and 125 a side
_SIDES = "sides 5, 25, 125"


def _check_notation() -> Outcome:
    word, printed = paper.EXAMPLE
    places = steps(parse_word(word), 2)[0].tolist()
    wrong = [] if [list(p) for p in printed] == places else [f"{word} leads over {places}"]
    if places_of(word, 2).tolist() != places:
        wrong.append(f"{word} leads over {places_of(word, 2).tolist()} by hand")
    return judge(wrong, f"{word}: {places}")


def wordings(d: int, m: int, printed: dict[int, tuple[str, ...]], tally: Tally) -> list[str]:
    """Rounds whose paths are not those of the printed words of the case dm - r mod d.

    Or that are not called by all who know by then, the lattice L(dm - r).
    """
    wrong, side = [], (2 * d + 1) ** m
    rounds = enumerate(scheme("numeration", ((2 * d + 1) ** m,) * d).rounds, 1)
    for r, now in tally.each("rounds of schemes", rounds, d * m):
        unit = (2 * d + 1) ** ((d * m - r) // d)
        wanted = {places_of(w, d, unit).tobytes() for w in printed[(d * m - r) % d]}
        used = {steps(w, d)[0].astype(np.int64).tobytes() for calls in now for w in calls.words}
        if used != wanted:
            wrong.append(f"m = {m}: round {r} uses other paths than the printed ones")
        callers = sorted(tuple(v) for calls in now for v in (calls.sources % side).tolist())
        known = sums(paper.MATRICES[d], star(d), range(d * m - r + 1, d * m)) % side
        if callers != sorted(map(tuple, known.tolist())):
            wrong.append(f"m = {m}: in round {r} others call than those who know")
    return wrong


def _check_words() -> Outcome:
    wrong, hits, tally = [], 0, Tally()
    tally.expect("paths", 4 * (2 + 4 + 6))
    for m in tally.each("sides", _SIZES, 3):
        for r in range(1, 2 * m + 1):
            k, odd = divmod(2 * m - r, 2)
            if odd != r % 2:
                wrong.append(f"m = {m}, r = {r}: r and 2m - r differ modulo 2")
            wanted = star(2)[1:] @ matrix_power(paper.MATRICES[2], 2 * m - r).T
            ends = ends_of(paper.WORDS_2D[r % 2], 2, 5**k)
            same = {tuple(p) for p in wanted.tolist()} & {tuple(p) for p in ends.tolist()}
            hits += len(same)
            tally.add("paths", len(ends))
            if len(same) != 4:
                wrong.append(f"m = {m}, r = {r}: paths end at {ends.tolist()}")
        wrong += wordings(2, m, paper.WORDS_2D, tally)
    text = f"{hits} paths of the rounds of m = 1, 2, 3 end at v + B^(2m-r) D*"
    return judge(wrong, text, searched=tally)


def broadcast_faults(d: int, sizes: Sequence[int], tally: Tally) -> tuple[list[str], list[int]]:
    """Faults of the broadcasts on sides (2d + 1)^m, by every reading of the rules; their rounds."""
    wrong, rounds, base = [], [], 2 * d + 1
    for m in sizes:
        for reading in tally.each("sides and readings", READINGS):
            wrong += faults(tally, "numeration", base**m, d, reading)
        walk = walked(tally, "numeration", base**m, d)
        rounds.append(walk.rounds)
        if walk.rounds != d * m or walk.informed != [base**r for r in range(1, d * m + 1)]:
            wrong.append(f"side {base**m}: {walk.informed} know after rounds 1, 2, ...")
        if base ** (d * m) < 10_000:  # 25² and 7³ vertices: larger ones are the same, moved
            wrong += wrong_roots(tally, "numeration", base**m, d)
    return wrong, rounds


def _check_broadcast() -> Outcome:
    tally = Tally()
    tally.expect("sides and readings", 3 * 3)
    wrong, rounds = broadcast_faults(2, _SIZES, tally)
    return judge(
        wrong,
        f"rounds {rounds} on {_SIDES}; {len(wrong)} faults, vertex-, edge- and arc-disjoint",
        searched=tally,
    )


def _check_length() -> Outcome:
    tally = Tally()
    sizes = tally.each("sides", _SIZES, 3)
    longest = [walked(tally, "numeration", 5**m, 2).longest for m in sizes]
    diameters = [2 * (5**m // 2) for m in _SIZES]
    printed = [paper.length_2d(m) for m in _SIZES]
    right = [5**m - 1 for m in _SIZES]
    return judge(
        [f"the formula gives {printed}"] if longest != printed else [],
        f"longest chains {longest}, diameters {diameters}",
        Correction(
            "the longest path is the diameter, and that is 5^m - 1",
            [] if longest == diameters == right else [f"longest chains {longest}, not {diameters}"],
        ),
        values={"longest": longest, "printed": printed},
        searched=tally,
    )


def _check_round_lengths() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    for m in tally.each("sides", _SIZES, 3):
        lengths = walked(tally, "numeration", 5**m, 2).lengths
        printed = [paper.round_length_2d(m, r) for r in range(1, 2 * m + 1)]
        parts.append(f"m = {m}: {lengths}")
        if lengths != printed:
            wrong.append(f"m = {m}: {lengths}, not {printed}")
        schedule = run("numeration", 5**m, 2)
        each = np.diff(schedule.path_start)
        if any(len(set(each[schedule.round == r].tolist())) != 1 for r in range(2 * m)):
            wrong.append(f"m = {m}: the paths of a round differ in length")
    return judge(wrong, "; ".join(parts), searched=tally)


def _check_informed_set() -> Outcome:
    """Sets, not sizes: I(r - 1) against L(2m - r + 1) and L(2m - r), added up by hand."""
    literal: list[str] = []
    wrong: list[str] = []
    parts, tally = [], Tally()
    tally.expect("rounds", 2 + 4)
    for m in (1, 2):
        side, matrix = 5**m, paper.MATRICES[2]
        when = walked(tally, "numeration", side, 2).when
        sizes = []
        for r in tally.each("rounds", range(1, 2 * m + 1)):
            informed = np.flatnonzero(when < r).tolist()
            sizes.append(len(informed))
            for shift, out in ((1, literal), (0, wrong)):
                points = sums(matrix, star(2), range(2 * m - r + shift + 1, 2 * m)) % side
                if sorted((points @ [side, 1]).tolist()) != informed:
                    out.append(
                        f"m = {m}, r = {r}: {len(informed)} vertices know, L({2 * m - r + shift})"
                        f" has {len(points)}"
                    )
            own = lattice(word_system("2"), 2 * m - r, m) @ [side, 1]
            if sorted(own.tolist()) != informed:
                wrong.append(f"m = {m}, r = {r}: the library's L({2 * m - r}) is another set")
        parts.append(f"m = {m}: {sizes} know before rounds 1, 2, ...")
    return judge(
        literal,
        "; ".join(parts),
        Correction("I(r-1) = L(2m - r)", wrong),
        values={"as_printed": len(literal)},
        searched=tally,
    )


def judge_containment(dimension: int, words: str, sizes: Sequence[int]) -> Outcome:
    """Do calls stay in their tiles? Call by call, and for every m by the cells that edges meet."""
    base, matrix = 2 * dimension + 1, paper.MATRICES[dimension]
    wrong, parts, tally = [], [], Tally()
    for m in tally.each("sides", sizes, 5 - dimension):  # 5, 25 and 125, or 7 and 49
        outside, seen = strangers(run("numeration", base**m, dimension), matrix, m)
        tally.expect("calls in tiles", base ** (dimension * m) - 1)
        tally.add("calls in tiles", seen)
        wrong += [f"m = {m}: {text}" for text in outside[:2]]
        parts.append(len(outside))
    cells, edges = lasting_cells(matrix)
    tally.expect("scaled edges", 2 * dimension)
    tally.add("scaled edges", edges)
    wrong += cells
    edges_of = closure(word_system(words)).values()
    grown = [s for s in tally.each("edges at all scales", edges_of, 2 * dimension) if len(s) != 1]
    if grown:
        wrong.append("the library's closure grows")
    return judge(
        wrong,
        f"calls outside their tile: {parts} for m = {', '.join(map(str, sizes))}; edges of {base}"
        f" units that meet a third cell: {len(cells)} of {2 * dimension}",
        note="a scaled edge meets the cells of its two ends only, so that it holds for every m",
        searched=tally,
    )


def _check_containment() -> Outcome:
    return judge_containment(2, "2", _SIZES)


def delay_faults(name: str, d: int, m: int, rule: str, tally: Tally) -> list[str]:
    """Calls in foreign tiles, by hand; where the library sees it otherwise; circuits that met."""
    side, call = (2 * d + 1) ** m, rule == "call"
    schedule = run(name, side, d)
    outside, seen = strangers(schedule, paper.MATRICES[d], m, calls=call)
    tally.expect("calls in tiles", side**d - 1)
    tally.add("calls in tiles", seen)
    crossings = [f"m = {m}: {text}" for text in outside]
    verdict = check_delay_safety(schedule, "call" if call else "node")
    if bool(verdict) == bool(crossings) or int(verdict.details["crossings"]) != len(crossings):
        crossings.append(f"m = {m}: the library says: {verdict.reason}")
    if m == 1:
        for seed in tally.each("runs with delays", range(5), 5):
            clashes = simulate_delays(schedule, "call" if call else "node", seed=seed)[1]
            crossings += [
                f"m = {m}: with delays, circuits met at vertex {c.node}" for c in clashes[:1]
            ]
    return crossings


def _check_delays() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    tally.expect("sides and rules", 3 * 2)
    for m in _SIZES:
        for rule in tally.each("sides and rules", ("node", "call")):
            crossings = delay_faults("numeration", 2, m, rule, tally)
            wrong += crossings
            parts.append(len(crossings))
    return judge(
        wrong,
        f"calls in foreign tiles on {_SIDES}, node and call level in turn: {parts}; five runs with"
        " random delays on side 5",
        note="not even when receivers go on at once (call level)",
        searched=tally,
    )


_claim = Entries("torusbcast").claim

CLAIMS = (
    _claim(
        "torus-notation",
        "section 3.1",
        "(o, YXXȲ) is the path over (0,0), (0,1), (1,1), (2,1), (2,0)",
        "walked",
        _check_notation,
        searches=False,
    ),
    _claim(
        "torus-2d-words",
        "section 3.1, figure 3",
        "in round r the four printed paths lead from v to v + B^(2m-r) D*",
        "all paths of m = 1, 2, 3, walked; the scheme uses these paths",
        _check_words,
    ),
    _claim(
        "torus-2d-broadcast",
        "theorem 4, section 3.2, figure 4",
        "the 2-D scheme is a broadcast, in 2m = log_5 N rounds",
        "every call walked for m = 1, 2, 3, in three readings of disjoint; verify agrees",
        _check_broadcast,
    ),
    _claim(
        "torus-2d-length",
        "theorem 4, section 3.2",
        "its longest chain is 5^(m-1) - 1, the diameter",
        "chains added up call by call for m = 1, 2, 3",
        _check_length,
    ),
    _claim(
        "torus-2d-round-lengths",
        "section 3.2",
        "paths of round r have length 3·5^((2m-r-1)/2) when r is odd, 5^((2m-r)/2) when it is even",
        "all calls for m = 1, 2, 3",
        _check_round_lengths,
    ),
    _claim(
        "torus-informed-set",
        "section 3.2",
        "before round r the informed set is L(2m - r + 1)",
        "sides 5 and 25, set by set",
        _check_informed_set,
    ),
    _claim(
        "torus-2d-containment",
        "section 3.2, figure 5",
        "the calls of v in round r stay in v + T(2m - r)",
        "all calls for m = 1, 2, 3 against tiles added up by hand; every m by finite closure",
        _check_containment,
    ),
    _claim(
        "torus-2d-delays",
        "section 3.2",
        "delays never make circuits of the 2-D scheme cross",
        "node- and call-level tiles for m = 1, 2, 3; random delays",
        _check_delays,
    ),
)
