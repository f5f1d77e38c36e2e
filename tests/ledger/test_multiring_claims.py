"""The paper on multirings, chapters 1, 2, 3, 7 and 8: claims are judged as they are known."""

from __future__ import annotations

from rulings import JudgedClaims, rulings

from hopscape.ledger.papers.multiring.claims import CLAIMS

CORRECTED = {
    "formula-2-2", "duplex-capacity", "sum-of-rings", "cable-of-family", "delays-alike",
    "part-index", "part-numbers", "table-7-1", "sparse-nodes", "sparse-capacity",
    "sparse-capacity-7-3", "sparse-cable",
}  # fmt: skip
REFUTED = {
    "start-nodes", "simplex-capacity", "table-2-4-band", "cable-sum", "delay-law", "delay-places",
    "several-times", "gemini-x", "x-balanced", "whole-torus", "gain-formula", "gain-of-delay",
    "sparse-more", "sparse-twice", "sparse-more-cable", "sparse-equal-nodes", "full-cable",
    "sparse-nodes-x", "sparse-z", "sparse-x", "sparse-torus-size",
}  # fmt: skip
BEYOND = {"moore", "units", "split-routes", "reordered", "other-designs", "one-dead-arc"}
NAMES = [c.key.removeprefix("multiring-") for c in CLAIMS]
RULINGS = rulings(NAMES, "multiring-", corrected=CORRECTED, refuted=REFUTED)


class TestClaims(JudgedClaims):
    claims = CLAIMS
    prefix = "multiring-"
    rulings = RULINGS
    beyond = BEYOND
    texts = (
        ("table-2-3", "C = 240/11 = 21.82"),
        ("x-balanced", "70.82, 68.04, 70.14, 72.13"),
        ("square-law", "k from 0.58 (N = 14, n = 12) to 1.49"),
        ("sparse-x", "102 = 102.000"),
        ("sparse-nodes-x", "52 nodes"),
        ("whole-torus", "16/11 = 1.4545 times"),
        ("table-7-2", "156 printed cells, 0 differ"),
        ("cable-of-family", "8, 12, 26, 36, 54"),
        ("sparse-nodes-x", "m = 3, K = 15"),
    )
