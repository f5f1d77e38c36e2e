"""The paper on RPC(k): claims are judged as they are known, by checks that can fail."""

from __future__ import annotations

import numpy as np
from rulings import JudgedClaims

from hopscape.core.model import Model
from hopscape.ledger.papers.rpc import routing, structure
from hopscape.ledger.papers.rpc.claims import CLAIMS
from hopscape.ledger.papers.rpc.collectives import five_stages
from hopscape.ledger.papers.rpc.worst import incomplete_rounds

RULINGS = {
    "rpc-intro-mesh": "holds corrected",
    "rpc-relatives": "holds",
    "rpc-petersen": "holds",
    "rpc-pc": "holds",
    "rpc-pc-cycles": "holds",
    "rpc-construction": "holds",
    "rpc-degree": "holds corrected",
    "rpc-diameter": "holds",
    "rpc-table-1": "holds corrected",
    "rpc-p3": "holds",
    "rpc-p3-limit": "holds corrected",
    "rpc-p4": "holds corrected",
    "rpc-2940": "holds corrected",
    "rpc-eq1": "holds corrected",
    "rpc-eq2": "holds",
    "rpc-eq3": "refuted",
    "rpc-p5": "holds corrected",
    "rpc-p5-limit": "holds corrected",
    "rpc-p6": "refuted",
    "rpc-p6-half": "refuted",
    "rpc-def7": "holds",
    "rpc-p7": "holds",
    "rpc-th2": "refuted",
    "rpc-th3": "refuted",
    "rpc-th4": "refuted",
    "rpc-ring-phase": "holds",
    "rpc-th5": "holds corrected",
    "rpc-th3-th5": "refuted",
    "rpc-p8": "holds corrected",
    "rpc-p8-better": "holds corrected",
    "rpc-two-slices": "refuted",
    "rpc-th1": "holds",
    "rpc-p9": "holds",
    "rpc-naive": "holds",
    "rpc-th6": "holds",
    "rpc-th7": "holds",
    "rpc-p10": "holds corrected",
    "rpc-p10-better": "holds corrected",
    "rpc-third": "holds",
    "rpc-pc-paths": "holds",
    "rpc-symmetries": "holds",
    "rpc-mean": "holds",
    "rpc-detours": "holds",
    "rpc-two-way": "holds",
    "rpc-gathers": "holds",
}
BEYOND = {
    "rpc-pc-paths",
    "rpc-symmetries",
    "rpc-mean",
    "rpc-detours",
    "rpc-two-way",
    "rpc-gathers",
}


class TestClaims(JudgedClaims):
    claims = CLAIMS
    rulings = RULINGS
    beyond = BEYOND
    texts = (
        ("rpc-table-1", "differs at 158 of k = 1..200"),
        ("rpc-p4", "k = 1-2, 90, 94-97, than the best 2-D torus at k = 1"),
        ("rpc-p5", "m = 2-6, 11-12, 41-3136; better for m = 3, 51-3136"),
        ("rpc-p6", "1501-1513, 1531-3136"),
        ("rpc-th3", "(2, 2, 6, 2, 2)"),
        ("rpc-th5", "11 for eleven packets, 20 for an exchange"),
        ("rpc-p10-better", "from k = 16 on"),
        ("rpc-symmetries", "120 automorphisms"),
    )


def test_canonical_ways_are_shortest():
    rows = structure.defined_rows(1)
    far = structure.brute.distances(rows)
    for a in range(30):
        for b in range(30):
            way = routing.canonical(a, b)
            assert structure.brute.is_path(rows, way)
            assert (way[0], way[-1], len(way) - 1) == (a, b, far[a, b])


def test_written_out_against_ours_on_random_sources():
    for seed in range(25):
        sources = np.random.default_rng(seed).integers(0, 30, 30)
        ours = incomplete_rounds(structure.pc(), sources, Model())
        assert ours == routing.farthest_first(sources.tolist()) <= 10


def test_five_stages_reach_all():
    assert five_stages() == (10, 30)
