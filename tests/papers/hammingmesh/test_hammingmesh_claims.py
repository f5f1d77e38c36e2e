"""The HammingMesh study: rulings, and costs against counts made by hand."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape.ledger import Tally, run_claim
from hopscape.papers.hammingmesh.claims import PAPER, costs, neighbour_loads

RULINGS = {
    "hammingmesh-prices": "holds",
    "hammingmesh-low-cost": "holds",
    "hammingmesh-two-dimensions": "holds",
    "hammingmesh-global-bandwidth": "open",
    "hammingmesh-table": "open",
}


def test_rulings():
    entries = {claim.key: run_claim(claim) for claim in PAPER.claims}
    assert {key: entry.outcome.ruling for key, entry in entries.items()} == RULINGS
    assert "Hx2Mesh 5.41" in entries["hammingmesh-low-cost"].outcome.measured
    assert {key: entry.changed() for key, entry in entries.items() if entry.changed()} == {}


@pytest.mark.parametrize(
    ("size", "name", "boxes", "copper", "optical"),
    [
        (1024, "fat tree", 16 * 48, 16 * 1024, 16 * 1024),
        (1024, "2D HyperX", 4 * 64, 4 * 32 * 64, 4 * 32 * 64),
        (1024, "Hx2Mesh", 4 * 32, 4 * 32 * 32, 4 * 32 * 32),
        (1024, "Hx4Mesh", 4 * 16, 4 * 32 * 16, 4 * 32 * 16),
        (1024, "2D torus", 0, 0, 4 * 1024),
        (16384, "fat tree", 16 * 1280, 16 * 16384, 16 * 2 * 16384),
        (16384, "Hx4Mesh", 4 * 256, 4 * 128 * 64, 4 * 128 * 64),
    ],
)
def test_costs_counted_by_hand(size, name, boxes, copper, optical):
    assert costs(size)[name] == boxes * 14280 + copper * 272 + optical * 603


def test_neighbours_of_an_oblong_mesh():
    network = hopscape.build("hammingmesh(2, 3, 4, 2)")
    assert neighbour_loads(network, 6, 8, Tally()) == (1, [])
    most, apart = neighbour_loads(network, 8, 6, Tally())
    assert most > 1 or apart
    assert isinstance(most, int)
    assert np.all(network.degrees[network.endpoints] == 4)
