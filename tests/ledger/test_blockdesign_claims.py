"""The paper on multirings, chapters 1, 4, 5 and 6: claims are judged as they are known."""

from __future__ import annotations

import numpy as np
from rulings import JudgedClaims, rulings

import hopscape
from hopscape.algebra.designs.existence import bruck_ryser_chowla, table
from hopscape.algebra.designs.symmetric import make_design
from hopscape.ledger.papers.multiring import wires
from hopscape.ledger.papers.multiring.switches import CLAIMS

CORRECTED = {
    "steps", "duplex-multiring", "wiring-formula", "reserve", "digraph-supernode", "square",
    "prime",
}  # fmt: skip
REFUTED = {"channels", "1960", "980"}
OPEN = {"optical"}
BEYOND = {"full-switch", "largest-39", "several-crossbars"}
NAMES = [c.key.removeprefix("blockdesign-") for c in CLAIMS]
RULINGS = rulings(NAMES, "blockdesign-", corrected=CORRECTED, refuted=REFUTED, undecided=OPEN)


class TestClaims(JudgedClaims):
    claims = CLAIMS
    prefix = "blockdesign-"
    rulings = RULINGS
    beyond = BEYOND
    unplanted = OPEN
    texts = (
        ("ports", "47 channels of a node"),
        ("512", "512 channels K3"),
        ("processors", "65664 processors"),
        ("original-jumps", "at most 3 jumps"),
        ("several-times", "RPK supernode 3.71 and 4.88"),
        ("channels", "(7, 4, 2) 28 against 21"),
        ("table-4.3", "impossible: N = 43; quoted: N = 111"),
        ("table-4.4", "impossible: N = 22, 29, 46"),
        ("rpk-39", "[0, 1, 2, 4, 13, 18, 33] mod 39"),
        ("1960", "= 1961 supernodes"),
        ("980", "= 981 supernodes"),
        ("reserve", "single (3, 4), doubled (3, 3)"),
        ("square", "M = 12: 133 and 144"),
        ("42", "N = 1723"),
        ("several-crossbars", "3 of 4 x 4 join 37 by 1"),
    )


def test_residues_exclude_what_hilbert_symbols_exclude():
    excluded = 0
    for sigma in range(1, 7):
        for row in table(sigma, 11):
            reason = bruck_ryser_chowla(row.n, row.m, sigma)
            assert (wires.obstruction(row.n, row.m, sigma) is None) == (reason is None), row
            excluded += reason is not None
    assert excluded == 4


def test_wires_see_what_is_wrong():
    blocks = make_design(13, 4, 1).blocks
    assert wires.is_symmetric(blocks, 13, 4, 1)
    assert not wires.is_symmetric(blocks, 13, 4, 2)
    other = blocks.copy()
    other[[0, 1], [0, 1]] = blocks[[1, 0], [1, 0]]
    assert not wires.is_symmetric(other, 13, 4, 1)
    network = hopscape.build("distributed_switch(7, 3, 1)")
    chosen, astray = wires.two_hops(network)
    assert not astray
    turned = np.roll(np.arange(7), 1)[None, :]
    assert wires.clashes(network, chosen, turned) == 0
    all_to_one = np.array([[1, 2, 1, 1, 1, 1, 1]])  # no permutation: ports of node 1 are shared
    assert wires.clashes(network, chosen, all_to_one) > 0
