"""The broadcasts that the claims are about, walked once.

Section 1: the torus, the definition of a broadcast, and its bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

import hopscape.papers.torusbcast.printed as paper
from hopscape.collectives.circuits.schemes import scheme
from hopscape.collectives.circuits.torus import Disjoint, parse_word, to_schedule, uniform_program
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify
from hopscape.families.torus.grids import Torus
from hopscape.ledger.claim import Correction, Entries, Outcome, Tally, judge
from hopscape.papers.torusbcast.numeration import word_system
from hopscape.papers.torusbcast.reference import (
    Walked,
    boxes,
    star,
    sums,
    tile_corners,
    torus_distance,
    walk_broadcast,
)
from hopscape.registry import build

__all__ = ["CLAIMS", "READINGS", "called", "faults", "run", "walked", "wrong_roots"]

_SEED = 36
"""Of the roots that are drawn."""

READINGS: tuple[Disjoint, ...] = ("vertex", "edge", "arc")


@cache
def run(name: str, side: int, dimension: int) -> Schedule:
    """The schedule of a named scheme, from vertex 0."""
    network = Network.of(Torus((side,) * dimension))
    return to_schedule(scheme(name, (side,) * dimension), network, 0, Model(), name)


@cache
def _walked(name: str, side: int, dimension: int, disjoint: Disjoint) -> Walked:
    return walk_broadcast(run(name, side, dimension), side, dimension, disjoint)


def walked(
    tally: Tally, name: str, side: int, dimension: int, disjoint: Disjoint = "vertex"
) -> Walked:
    """The same, walked call by call: one call for each vertex but the origin."""
    walk = _walked(name, side, dimension, disjoint)
    tally.expect("calls walked", side**dimension - 1)
    tally.add("calls walked", walk.followed)
    return walk


def faults(tally: Tally, name: str, side: int, dimension: int, disjoint: Disjoint) -> list[str]:
    """How a scheme breaks the definition, walked by hand; and where `verify` sees it otherwise."""
    by_hand = walked(tally, name, side, dimension, disjoint).faults
    model = Model(switching="circuit", disjoint=disjoint)
    verdict = verify(run(name, side, dimension), goal=Goal.broadcast(0), model=model)
    if bool(verdict) == bool(by_hand):
        by_hand = [*by_hand, f"verify differs: {verdict.reason}"]
    return [f"side {side}, {disjoint}-disjoint: {fault}" for fault in by_hand]


def wrong_roots(tally: Tally, name: str, side: int, dimension: int, count: int = 6) -> list[str]:
    """Roots whose broadcast is not that of vertex 0, moved; some are drawn, some at the rim."""
    network, sides = Network.of(Torus((side,) * dimension)), (side,) * dimension
    rng = np.random.default_rng(_SEED)
    roots = {1, network.order - 1, *rng.integers(network.order, size=count).tolist()}
    tally.expect("other roots", len(roots))  # a root that is drawn twice is one
    base = run(name, side, dimension)
    wanted = _calls(base, sides, 0)
    wrong = []
    for root in tally.each("other roots", sorted(roots)):
        schedule = to_schedule(scheme(name, sides), network, root, Model(), name)
        arcs = Model(switching="circuit", disjoint="arc")
        verdict = verify(schedule, network, Goal.broadcast(root), model=arcs)
        if not verdict or not np.array_equal(_calls(schedule, sides, root), wanted):
            wrong.append(f"side {side}: from vertex {root} it is another broadcast")
    return wrong


def _calls(schedule: Schedule, sides: tuple[int, ...], root: int) -> IntArray:
    """Round, source, target and length of all calls, as seen from the root, in order."""
    origin = np.asarray(np.unravel_index(root, sides))[:, None]
    ends = []
    for nodes in (schedule.source, schedule.target):
        places = (np.asarray(np.unravel_index(nodes, sides)) - origin) % np.asarray(sides)[:, None]
        ends.append(np.ravel_multi_index(tuple(places), sides))
    rows = np.stack([schedule.round, *ends, np.diff(schedule.path_start)], axis=1)
    return rows[np.lexsort(rows.T[::-1])]


def called(side: int, dimension: int, rounds: Sequence[tuple[Sequence[str], int]]) -> Schedule:
    """All who know send along the same words, each letter so many steps, round by round."""
    words = [
        [parse_word("".join(f"{letter}{unit}" for letter in word)) for word in row]
        for row, unit in rounds
    ]
    sides = (side,) * dimension
    return to_schedule(
        uniform_program(sides, words), Network.of(Torus(sides)), 0, Model(), "as written"
    )


def _check_graph() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    tally.expect("vertices", 5**2 + 7**2 + 4**3 + 7**3 + 3**4)
    for sides in ((5, 5), (7, 7), (4, 4, 4), (7, 7, 7), (3,) * 4):
        net = build(f"torus({', '.join(map(str, sides))})")
        points, side = boxes(sides[0], len(sides)), sides[0]
        for v, point in tally.each("vertices", enumerate(points)):
            ends = (point + star(len(sides))[1:]) % side
            wanted = sorted(np.ravel_multi_index(ends.T, sides).tolist())
            if sorted(net.neighbours(v)) != wanted:
                wrong.append(f"{net.spec}: vertex {v} has neighbours {sorted(net.neighbours(v))}")
        hops = distances_from(net, 0)
        if not np.array_equal(hops, torus_distance(side, len(sides))):
            wrong.append(f"{net.spec}: distances are not those of the coordinates")
        if int(hops.max()) != len(sides) * (side // 2):
            wrong.append(f"{net.spec}: diameter {int(hops.max())}")
        parts.append(f"{net.spec}: degree {int(net.degrees.max())}, diameter {int(hops.max())}")
    return judge(wrong, "; ".join(parts), searched=tally)


def _check_bounds() -> Outcome:
    wrong, parts, tally = [], [], Tally()
    named = (
        *(("numeration", 3**m, 1) for m in (1, 2, 3)),
        *(("numeration", 5, 2), ("numeration", 25, 2), ("numeration", 7, 3)),
        *(("numeration-10", 7, 3), ("optimal", 49, 3), ("axis", 25, 2)),
    )
    for name, side, d in tally.each("broadcasts", named, 9):
        walk = walked(tally, name, side, d)
        grown = [n for r, n in enumerate(walk.informed, 1) if n > (2 * d + 1) ** r]
        if grown:
            wrong.append(f"{name} on side {side}: {grown[0]} know too early")
        if (walk.chain < torus_distance(side, d)).any():
            v = int(np.flatnonzero(walk.chain < torus_distance(side, d))[0])
            wrong.append(
                f"{name} on side {side}: vertex {v} is reached in {int(walk.chain[v])} hops"
            )
        if (2 * d + 1) ** walk.rounds < side**d:
            wrong.append(f"{name} on side {side}: {walk.rounds} rounds")
        parts.append(
            f"{name} {side}^{d}: {walk.rounds} rounds, {walk.longest} of {d * (side // 2)}"
        )
    return judge(wrong, "; ".join(parts), searched=tally)


def _check_chains() -> Outcome:
    """A chain of k calls whose last is in round k uses the rounds 1, ..., k."""
    literal, wrong, parts, skipped, tally = [], [], [], [], Tally()
    tally.expect("chains", 5**2 + 25**2)
    for side in (5, 25):
        walk = walked(tally, "numeration", side, 2)
        skip = np.flatnonzero(walk.calls != walk.when)
        skipped.append(len(skip))
        tally.add("chains", len(walk.calls))
        if len(skip):
            v = int(skip[0])
            literal.append(
                f"side {side}: vertex {v} is informed in round {int(walk.when[v])} by"
                f" {int(walk.calls[v])} call(s)"
            )
        lost = np.flatnonzero((walk.calls < 0) | (walk.calls > walk.when))
        wrong += [
            f"side {side}: vertex {int(v)} has no chain of later and later calls" for v in lost
        ]
        wrong += walk.faults
        parts.append(f"side {side}: {len(skip)} of {side**2} chains leave rounds out")
    return judge(
        literal,
        "; ".join(parts),
        Correction(
            "the calls of the chain are in rounds that rise, not in rounds 1, 2, ..., k", wrong
        ),
        values={"leave_rounds_out": skipped},
        searched=tally,
    )


def _check_van_der_corput() -> Outcome:
    wrong, tally = [], Tally()
    tally.expect("prefixes", 3 + 5 + 4)  # dm + 1 of each
    for d, m in ((2, 1), (2, 2), (3, 1)):
        side, base, total = (2 * d + 1) ** m, 2 * d + 1, d * m
        points = word_system("2" if d == 2 else "3-printed").van_der_corput(np.arange(side**d), m)
        number = points @ side ** np.arange(d - 1, -1, -1)
        when = walked(tally, "numeration", side, d).when
        for r in tally.each("prefixes", range(total + 1)):
            if sorted(number[: base**r].tolist()) != np.flatnonzero(when <= r).tolist():
                wrong.append(f"side {side}^{d}: the first {base**r} points are not I({r})")
            lattice = sums(paper.MATRICES[d], star(d), range(total - r, total)) % side
            if sorted(map(tuple, points[: base**r].tolist())) != sorted(map(tuple, lattice)):
                wrong.append(f"side {side}^{d}: the first {base**r} points are not L({total - r})")
            low = tile_corners(paper.MATRICES[d], m, total - r - 1)[number].reshape(-1, base**r)
            if any(len(set(row.tolist())) != base**r for row in low):
                wrong.append(
                    f"side {side}^{d}: a block of {base**r} misses a tile T({total - r - 1})"
                )
    return judge(
        wrong,
        f"sides 5, 25 (2-D), 7 (3-D): {len(wrong)} blocks of b^r numbers whose points are not I(r)"
        " or miss a tile",
        searched=tally,
    )


_claim = Entries("torusbcast").claim

CLAIMS = (
    _claim(
        "torus-model",
        "section 1",
        "the model is that of Peters and Syska for short messages; they solved two dimensions",
        "a citation; that paper is not at hand",
        lambda: Outcome("open", "nothing", "what another paper says is not computed"),
        searches=False,
    ),
    _claim(
        "torus-graph",
        "section 1, figure 1",
        "x and x' are joined when x - x' = ±e_i, so that degrees are 2d (and the diameter d⌊n/2⌋)",
        "all vertices of five tori; one search held against coordinates",
        _check_graph,
    ),
    _claim(
        "torus-bounds",
        "section 1",
        "R ≥ log_(p+1) N, and the longest path is at least the diameter",
        "the calls of nine broadcasts walked: growth by 2d + 1 a round, no chain below a distance",
        _check_bounds,
    ),
    _claim(
        "torus-chains",
        "section 1, after definition 1",
        "one chain w_1 w_2 ... w_k of calls, w_r in round r, leads to each vertex",
        "chains of sides 5 and 25 followed back",
        _check_chains,
    ),
    _claim(
        "torus-van-der-corput",
        "section 1",
        "the broadcast is like the construction of a van der Corput sequence",
        "the first b^r points are I(r); aligned blocks of b^r meet each tile of that level once",
        _check_van_der_corput,
    ),
)
