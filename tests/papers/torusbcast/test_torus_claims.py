"""The ledger of the torus paper: rulings pinned, and its walker held against broken broadcasts."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopscape.ledger import load_claims, run_claim
from hopscape.papers.torusbcast.claims_definition import called
from hopscape.papers.torusbcast.reference import (
    boxes,
    places_of,
    star,
    sums,
    tile_corners,
    torus_distance,
    walk_broadcast,
)

RULINGS = {
    "torus-model": "open",
    "torus-graph": "holds",
    "torus-bounds": "holds",
    "torus-chains": "holds corrected",
    "torus-van-der-corput": "holds",
    "torus-hypothesis": "holds corrected",
    "torus-residues": "holds corrected",
    "torus-powers": "holds",
    "torus-expansions": "holds",
    "torus-restated": "holds corrected",
    "torus-tiles": "holds",
    "torus-notation": "holds",
    "torus-2d-words": "holds",
    "torus-2d-broadcast": "holds",
    "torus-2d-length": "holds corrected",
    "torus-2d-round-lengths": "holds",
    "torus-informed-set": "holds corrected",
    "torus-2d-containment": "holds",
    "torus-2d-delays": "holds",
    "torus-3d-words": "holds",
    "torus-3d-labels": "holds corrected",
    "torus-3d-unit": "holds corrected",
    "torus-3d-broadcast": "holds",
    "torus-3d-containment": "holds",
    "torus-3d-length": "holds",
    "torus-3d-delays": "holds corrected",
    "torus-eleven-ninths": "holds",
    "torus-open-question": "holds",
}
BEYOND = {
    "torus-optimum": "holds",
    "torus-edge-optimum": "holds",
    "torus-axis": "holds",
    "torus-uniform-schemes": "holds",
    "torus-boundary": "holds",
    "torus-companion": "holds",
    "torus-dimensions": "holds",
}
CLAIMS = {claim.key: claim for claim in load_claims("torusbcast")}


def test_what_the_paper_says_and_what_it_does_not() -> None:
    assert {key for key, claim in CLAIMS.items() if not claim.beyond} == set(RULINGS)
    assert {key for key, claim in CLAIMS.items() if claim.beyond} == set(BEYOND)


@pytest.mark.parametrize(("key", "ruling"), (RULINGS | BEYOND).items())
def test_rulings(key: str, ruling: str) -> None:
    entry = run_claim(CLAIMS[key])
    outcome = entry.outcome
    assert outcome.ruling == ruling, outcome
    assert entry.changed() == []
    assert key == "torus-model" or re.search(r"\d", outcome.measured)
    if ruling == "holds corrected":
        assert re.search(r"; as printed: .*\d", outcome.note)


PLANE = [(("XXY", "xxy", "YYx", "yyX"), 1), (("X", "x", "Y", "y"), 1)]


@pytest.mark.parametrize(
    ("rounds", "disjoint", "fault"),
    [
        (PLANE, "vertex", ""),
        (PLANE, "arc", ""),
        (PLANE[:1], "vertex", "is informed 0 times"),
        (PLANE[::-1], "vertex", "two circuits meet"),
        ([PLANE[1], PLANE[1]], "arc", "is informed"),
        ([(("YXX", "xxy", "YYx", "yyX"), 1), PLANE[1]], "vertex", "two circuits meet"),
        ([(("YXX", "xxy", "YYx", "yyX"), 1), PLANE[1]], "edge", "share the edge"),
        ([(("YXX", "xxy", "YYx", "yyX"), 1), PLANE[1]], "arc", "share the arc"),
        ([PLANE[0], (("XXx", "x", "Y", "y"), 1)], "arc", ""),
        ([PLANE[0], (("XXx", "x", "Y", "y"), 1)], "edge", "share the edge"),
    ],
)
def test_the_walker_sees_faults(rounds, disjoint: str, fault: str) -> None:
    found = walk_broadcast(called(5, 2, rounds), 5, 2, disjoint).faults
    assert bool(found) == bool(fault)
    assert not fault or any(fault in text for text in found)


@given(st.text("XxYyZz", min_size=1, max_size=12), st.integers(1, 4))
def test_paths_by_hand(word: str, unit: int) -> None:
    from hopscape.collectives.circuits.torus import parse_word, scale, steps

    own = steps(scale(parse_word(word), unit), 3)[0]
    assert np.array_equal(places_of(word, 3, unit), own)


@pytest.mark.parametrize(("side", "dimension"), [(1, 1), (2, 2), (5, 2), (4, 3)])
def test_distances_by_hand(side: int, dimension: int) -> None:
    far = np.minimum(boxes(side, dimension), side - boxes(side, dimension)).sum(axis=1)
    assert torus_distance(side, dimension).tolist() == far.tolist()


def test_tile_corners_both_ways() -> None:
    matrix = ((2, 1), (1, -2))
    for level in range(-1, 4):
        found = tile_corners(matrix, 2, level)
        sizes = np.unique(found, return_counts=True)[1]
        assert set(sizes.tolist()) == {5 ** (level + 1)}
        corners = sums(matrix, star(2), range(level + 1, 4)) % 25 @ [25, 1]
        assert found[corners].tolist() == corners.tolist()
