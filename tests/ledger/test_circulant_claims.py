"""The paper on circulants: claims are judged as they are known, and say what was measured."""

from __future__ import annotations

import numpy as np
import pytest
from rulings import JudgedClaims, rulings

from hopscape.core.distances import distances_from
from hopscape.core.network import Network
from hopscape.families.circulant import Circulant
from hopscape.ledger.papers.circulant.claims import CLAIMS
from hopscape.ledger.papers.circulant.measure import distances

HOLDS = {
    "ball", "ulb2", "ulb-bound", "ulb-below", "max-small-n", "max-below", "double-loop-nearest",
    "double-loop-ulb", "yebra", "wong-coppersmith", "wong-third", "bermond", "polynomials",
    "translation", "lemma", "table", "families", "two-parameters", "best-split", "equations",
    "theorem1", "theorem2", "even-s2", "18-equivalent", "gamma", "theorem3", "path-vector",
    "pair-routing", "broadcast-complete", "broadcast-time", "broadcast-any-source", "survivable",
    "fault-routing", "fault-broadcast", "routing-17", "memoryless",
}  # fmt: skip
CORRECTED = {"chen-jia", "above-older", "double-s2", "wide-sets"}
REFUTED = {"odd", "broadcast-load"}
OPEN = {"np-hard", "machines", "bermond-eight-ninths"}
BEYOND = {"routing-17", "memoryless"}
RULINGS = rulings(HOLDS, "circulant-", corrected=CORRECTED, refuted=REFUTED, undecided=OPEN)


class TestClaims(JudgedClaims):
    claims = CLAIMS
    prefix = "circulant-"
    rulings = RULINGS
    beyond = BEYOND
    unplanted = OPEN
    texts = (
        ("odd", "M(3, 4) = 104 by (104; 1, 16, 20, 27)"),
        ("broadcast-load", "duplicates as printed: 2, 10, 26 = (p-1)² + 1"),
        ("broadcast-load", "54 messages, 0 duplicates, 0 late"),
        ("broadcast-complete", "rounds 3, 6, 9"),
        ("chen-jia", "the range is d >= 2n - 3"),
        ("above-older", "d = 1: 7 against 7"),
        ("theorem2", "7 (1), 21 (6), 55 (3), 117 (1), 203 (3), 333 (3), 515 (1)"),
        ("theorem1", "21, 55, 111, 203, 333, 505"),
        ("even-s2", "(21; 1, 2, 8)"),
        ("survivable", "6, 6, 6, 6"),
        ("wide-sets", "d = 1, (17): (2, 4)"),
    )


@pytest.mark.parametrize(
    ("nodes", "generators"), [(1, ()), (2, (1,)), (12, (2, 4)), (48, (1, 24, 20)), (55, (1, 5, 21))]
)
def test_search_on_numbers_is_search_over_wires(nodes: int, generators: tuple[int, ...]) -> None:
    over_wires = distances_from(Network.of(Circulant(nodes, generators)), 0)
    assert np.array_equal(distances(nodes, generators), over_wires)
