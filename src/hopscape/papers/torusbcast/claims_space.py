"""Section 4: the broadcast in three dimensions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import hopscape.papers.torusbcast.printed as paper
from hopscape.ledger.claim import Correction, Entries, Outcome, Tally, judge
from hopscape.papers.torusbcast.claims_definition import READINGS, called, faults, run, walked
from hopscape.papers.torusbcast.claims_plane import (
    broadcast_faults,
    delay_faults,
    judge_containment,
    wordings,
)
from hopscape.papers.torusbcast.reference import (
    ends_of,
    matrix_power,
    star,
    strangers,
    sums,
    walk_broadcast,
)

__all__ = ["CLAIMS"]

_SIZES = (1, 2)  # m: tori of 7 and 49 a side


def _diameter(m: int) -> int:
    return 3 * (7**m // 2)


def _check_words() -> Outcome:
    wrong, hits, tally = [], 0, Tally()
    tally.expect("words", 3 * 6)
    for power, words in paper.WORDS_3D.items():
        wanted = star(3)[1:] @ matrix_power(paper.MATRICES[3], power).T
        ends = {tuple(p) for p in ends_of(words, 3).tolist()}
        hits += len(ends & {tuple(p) for p in wanted.tolist()})
        tally.add("words", len(ends))
        for end in ends - {tuple(p) for p in wanted.tolist()}:
            wrong.append(f"a word ends at {end}, not at ±B^{power} e_i")
    for m in _SIZES:
        wrong += wordings(3, m, paper.WORDS_3D, tally)
    text = f"{hits} of 18 words end at ±B^2 e_i, ±B e_i, ±e_i, each once"
    return judge(wrong, text, searched=tally)


def _printed(m: int, case: str, tally: Tally) -> list[str]:
    """Faults of the printed words, the case taken as r or as 3m - r modulo 3; u corrected."""
    rounds = []
    for r in range(1, 3 * m + 1):
        label = r % 3 if case == "r" else (3 * m - r) % 3
        rounds.append((paper.WORDS_3D[label], 7 ** ((3 * m - r) // 3)))
    schedule = called(7**m, 3, rounds)
    out = []
    for reading in tally.each("sides, cases and readings", READINGS):
        seen = walk_broadcast(schedule, 7**m, 3, reading).faults
        out += [f"m = {m}, {reading}-disjoint: {fault}" for fault in seen]
    return out


def _check_labels() -> Outcome:
    tally = Tally()
    tally.expect("sides, cases and readings", 2 * 2 * 3)
    literal = [text for m in _SIZES for text in _printed(m, "r", tally)]
    wrong = [text for m in _SIZES for text in _printed(m, "3m - r", tally)]
    for m in tally.each("sides", _SIZES, 2):
        wrong += wordings(3, m, paper.WORDS_3D, tally)
    return judge(
        literal,
        f"{len(literal)} faults with the cases r mod 3, {len(wrong)} with 3m - r mod 3 (m = 1, 2,"
        " three readings)",
        Correction(
            "the cases are 3m - r mod 3: long words when r = 1, middle ones when r = 2", wrong
        ),
        values={"faults_as_printed": len(literal)},
        searched=tally,
    )


def _check_unit() -> Outcome:
    literal, wrong, parts, tally = [], [], [], Tally()
    tally.expect("rounds", 3 * (1 + 2 + 3 + 4))
    for m in (1, 2, 3, 4):
        used = []
        for r in tally.each("rounds", range(1, 3 * m + 1)):
            printed, power = paper.unit_3d(m, r), (3 * m - r) // 3
            used.append(7**power)
            if abs(printed - 7**power) > 1e-9:
                literal.append(f"m = {m}, r = {r}: u = {printed:.4g}, not {7**power}")
        parts.append(f"m = {m}: {used}")
    for m in tally.each("sides", _SIZES, 2):
        unit = [min(walk, default=0) for walk in _run_lengths(m)]
        if unit != [7 ** ((3 * m - r) // 3) for r in range(1, 3 * m + 1)]:
            wrong.append(f"m = {m}: the scheme uses u = {unit}")
        wrong += faults(tally, "numeration", 7**m, 3, "vertex")
    return judge(
        literal,
        f"u by rounds, {'; '.join(parts)}; the printed one is another in {len(literal)} rounds",
        Correction("u = 7^⌊(3m-r)/3⌋", wrong),
        values={"other_units": len(literal)},
        searched=tally,
    )


def _run_lengths(m: int) -> list[list[int]]:
    """Lengths of the straight runs of the calls of vertex 0, round by round."""
    schedule = run("numeration", 7**m, 3)
    out = []
    for r in range(schedule.rounds):
        runs = []
        for t in np.flatnonzero((schedule.round == r) & (schedule.source == 0)):
            a, b = schedule.path_start[t], schedule.path_start[t + 1]
            ports = schedule.network.port_of(schedule.channels[a:b])
            turns = np.flatnonzero(np.diff(ports)) + 1
            runs += [len(part) for part in np.split(ports, turns)]
        out.append(runs)
    return out


def _check_broadcast() -> Outcome:
    tally = Tally()
    tally.expect("sides and readings", 2 * 3)
    wrong, rounds = broadcast_faults(3, _SIZES, tally)
    return judge(
        wrong,
        f"rounds {rounds} on sides 7, 49; {len(wrong)} faults, vertex-, edge- and arc-disjoint",
        note="with the cases and the unit of torus-3d-labels and torus-3d-unit",
        searched=tally,
    )


def _check_containment() -> Outcome:
    return judge_containment(3, "3-printed", _SIZES)


def _check_length() -> Outcome:
    tally = Tally()
    sizes = tally.each("sides", _SIZES, 2)
    longest = [walked(tally, "numeration", 7**m, 3).longest for m in sizes]
    diameters = [_diameter(m) for m in _SIZES]
    ratios = [Fraction(a, b) for a, b in zip(longest, diameters, strict=True)]
    wrong = [
        f"{a} of {b}"
        for a, b, c in tally.each("ratios", zip(longest, diameters, ratios, strict=True), 2)
        if c != paper.RATIO_3D
    ]
    text = f"longest chains {longest}, diameters {diameters}: {', '.join(map(str, ratios))}"
    return judge(wrong, text, searched=tally)


def _check_delays() -> Outcome:
    tally = Tally()
    calls, nodes = (tally.each("sides and rules", _SIZES, 2) for _ in range(2))
    literal = [text for m in calls for text in delay_faults("numeration", 3, m, "call", tally)]
    wrong = [text for m in nodes for text in delay_faults("numeration", 3, m, "node", tally)]
    many = [
        len(strangers(run("numeration", 7**m, 3), paper.MATRICES[3], m, calls=True)[0])
        for m in _SIZES
    ]
    return judge(
        literal,
        f"node level: {len(wrong)} calls in foreign tiles; call level: {many} (m = 1, 2)",
        Correction("a receiver has to wait for the other calls of its sender", wrong),
        values={"foreign_calls": many},
        searched=tally,
    )


def _check_eleven() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    for m in tally.each("sides", _SIZES, 2):
        wrong += faults(tally, "numeration-11", 7**m, 3, "vertex")
        walk = walked(tally, "numeration-11", 7**m, 3)
        parts.append(f"{walk.longest}/{_diameter(m)}")
        if Fraction(walk.longest, _diameter(m)) != paper.RATIO_ELEVEN:
            wrong.append(f"m = {m}: longest chain {walk.longest}")
        for r in tally.each("informed sets", range(3 * m + 1), 3 * m + 1):
            points = sums(paper.MATRICES[3], star(3), range(3 * m - r, 3 * m)) % 7**m
            known = sorted((points @ [49**m, 7**m, 1]).tolist())
            if np.flatnonzero(walk.when <= r).tolist() != known:
                wrong.append(f"m = {m}: after round {r} other vertices know than with B")
    return judge(
        wrong,
        f"longest chain over diameter: {', '.join(parts)}; {len(wrong)} faults",
        note="reconstructed, the paper only states it: the lattices of B, other digits in every"
        " third round",
        searched=tally,
    )


def _check_shorter() -> Outcome:
    longest, wrong, tally = {}, [], Tally()
    schemes = (
        ("numeration-10", READINGS[0]),
        ("axis", READINGS[0]),
        ("optimal", READINGS[0]),
        ("edge-disjoint", READINGS[1]),
    )
    for name, reading in tally.each("schemes", schemes, 4):
        wrong += faults(tally, name, 49, 3, reading)
        walk = walked(tally, name, 49, 3, reading)
        longest[f"{name} ({reading}-disjoint)"] = walk.longest
        if walk.rounds != 6:
            wrong.append(f"{name} takes {walk.rounds} rounds")
    bound = paper.RATIO_ELEVEN * _diameter(2)
    best = min(longest.values())
    if best >= bound:
        wrong.append(f"the shortest has {best} hops, 11/9 of the diameter are {bound}")
    shown = ", ".join(f"{name} {hops}" for name, hops in longest.items())
    return judge(
        wrong,
        f"side 49, diameter {_diameter(2)}, 11/9 of it {bound}: {shown}",
        note=f"settled: there is, down to {best}; torus-optimum says how short it can be",
        values=longest,
        searched=tally,
    )


_claim = Entries("torusbcast").claim

CLAIMS = (
    _claim(
        "torus-3d-words",
        "section 4",
        "the printed words lead to v + B^k D*, k = 2, 1, 0",
        "all eighteen words walked; the scheme uses these paths",
        _check_words,
    ),
    _claim(
        "torus-3d-labels",
        "section 4",
        "long words when r = 2, middle words when r = 1 (mod 3)",
        "the printed words put together in both ways, walked on sides 7 and 49",
        _check_labels,
    ),
    _claim(
        "torus-3d-unit",
        "section 4",
        "u = 7^((m-i)/3) in rounds r = i (mod 3)",
        "u of all rounds for m = 1 to 4; the schemes of m = 1, 2 walked",
        _check_unit,
    ),
    _claim(
        "torus-3d-broadcast",
        "section 4",
        "a broadcast on side 7^m, made as in two dimensions, in 3m rounds",
        "every call walked for m = 1, 2, in three readings of disjoint; verify agrees",
        _check_broadcast,
    ),
    _claim(
        "torus-3d-containment",
        "section 4",
        "the proof is that of two dimensions: the calls of v in round r stay in v + T(3m - r)",
        "all calls for m = 1, 2 against tiles added up by hand; every m by finite closure",
        _check_containment,
    ),
    _claim(
        "torus-3d-length",
        "section 4",
        "the longest chain of the 3-D scheme is 4/3 of the diameter",
        "chains added up call by call for m = 1, 2",
        _check_length,
    ),
    _claim(
        "torus-3d-delays",
        "section 4",
        "delays never make circuits of the 3-D scheme cross",
        "node- and call-level tiles for m = 1, 2; random delays",
        _check_delays,
    ),
    _claim(
        "torus-eleven-ninths",
        "section 4",
        "with digits that change by round, 11/9 of the diameter is possible",
        "a reconstruction, every call walked for m = 1, 2",
        _check_eleven,
    ),
    _claim(
        "torus-open-question",
        "section 4, last sentence",
        "open: is there a broadcast with circuits shorter than 11/9 of the diameter?",
        "four schemes walked call by call for m = 2",
        _check_shorter,
    ),
)
