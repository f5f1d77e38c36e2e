"""Members of equal wiring give equal circuits."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from hopscape import Goal, Network
from hopscape.collectives.circuits.paths import chain_lengths
from hopscape.collectives.contest import compete
from hopscape.core.family import Family
from hopscape.core.plugins import load_plugins

ALIKE = (
    ("ring(37)", "circulant(37, 5)", "torus(37)", "multiring(37, 5)"),
    ("torus(4, 9)", "torus(9, 4)", "circulant(36, 4, 9)", "product(ring(4), ring(9))"),
    ("mesh(4, 5)", "mesh(1, 5, 4)", "product(path(5), path(4))"),
    ("path(11)", "mesh(11)"),
    ("circulant(100, 1, 10)", "circulant(100, 90, 99)", "circulant(100, 7, 30)"),
    ("hypercube(4)", "torus(2, 2, 2, 2)", "torus(4, 4)", "mesh(2, 2, 2, 2)"),
    ("hypercube(5)", "torus(2, 4, 4)", "product(ring(4), hypercube(3))"),
)


@pytest.mark.parametrize("specs", ALIKE)
def test_equal_wiring_gives_equal_circuits(specs):
    """Rounds and chains, from any root that looks the same."""
    seen = set()
    for spec in specs:
        network = hopscape.build(spec)
        roots = (0, network.order - 1)  # corners of meshes
        for root in roots:
            for goal in (Goal.broadcast(root), Goal.reduce(root)):
                made = compete(network, goal, {"switching": "circuit"}, algorithm="circuit").best
                lengths = np.diff(made.schedule.path_start)
                chain = chain_lengths(made.schedule).max() if goal.kind == "broadcast" else 0
                seen.add((goal.kind, made.rounds, int(lengths.max()), int(chain)))
    assert len(seen) == 2


@pytest.mark.parametrize("spec", [spec for specs in ALIKE for spec in specs])
def test_places_keep_the_links(spec):
    """Where nodes are in the member that stands for all: every link is one there, from any root."""
    network = hopscape.build(spec)
    family = network.family
    assert isinstance(family, Family)
    for root in (0, 1, network.order // 2):
        found = family.kindred(root)
        if found is None:
            continue
        member = load_plugins("families")[found.family](*found.arguments)
        other, places = Network.of(member), found.places
        assert np.array_equal(np.sort(places), np.arange(network.order))
        links = {*zip(other.tails.tolist(), other.heads.tolist(), strict=True)}
        mine = zip(places[network.tails].tolist(), places[network.heads].tolist(), strict=True)
        assert {*mine} == links
        again = member.kindred(int(places[root]))  # it stands for itself
        assert again[:2] == found[:2]
        assert np.array_equal(again.places, np.arange(network.order))


@pytest.mark.parametrize(
    "spec", ["circulant(12, 2, 4)", "circulant(8, 3, 5)", "product(ring(3), path(3))", "petersen"]
)
def test_what_nothing_stands_for(spec):
    """Several components, parallel links, rings beside lines."""
    family = hopscape.build(spec).family
    assert isinstance(family, Family)
    assert family.kindred(0) is None
