"""The paper on RPC(k): its checks, written out, against ours."""

from __future__ import annotations

import numpy as np

from hopscape.core.model import Model
from hopscape.papers.rpc import checks_routing as routing
from hopscape.papers.rpc import checks_structure as structure
from hopscape.papers.rpc.checks_collectives import five_stages
from hopscape.papers.rpc.checks_routing import incomplete_rounds


def test_canonical_ways_are_shortest():
    rows = structure.defined_rows(1)
    far = structure.graphs.distances(rows)
    for a in range(30):
        for b in range(30):
            way = routing.canonical(a, b)
            assert structure.graphs.is_path(rows, way)
            assert (way[0], way[-1], len(way) - 1) == (a, b, far[a, b])


def test_written_out_against_ours_on_random_sources():
    for seed in range(25):
        sources = np.random.default_rng(seed).integers(0, 30, 30)
        ours = incomplete_rounds(structure.pc(), sources, Model())
        assert ours == routing.farthest_first(sources.tolist()) <= 10


def test_five_stages_reach_all():
    assert five_stages() == (10, 30)
