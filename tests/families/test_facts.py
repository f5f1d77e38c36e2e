"""Every fact that a family states is measured here."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from conftest import ALL, EXAMPLES, MEMBERS
from hopscape.core.distances import distances_from, distances_to
from hopscape.interchange import to_igraph
from hopscape.metrics import (
    bisection,
    distance_profile,
    edge_connectivity,
    girth,
    node_connectivity,
)

BISECTED = 26  # nodes up to which a bisection is proved here


def is_transitive(net) -> bool:
    """One orbit of the whole automorphism group (igraph); loops are a colour of their node."""
    graph = to_igraph(net)
    loops = [sum(u == v for u in net.neighbours(v)) for v in range(net.order)]
    generators = graph.simplify().automorphism_group(color=loops)
    orbit, fresh = {0}, [0]
    while fresh:
        fresh = list({g[v] for v in fresh for g in generators} - orbit)
        orbit.update(fresh)
    return len(orbit) == net.order


def measure(net, fact):
    profile = distance_profile(net, exact=True)
    measures = {
        "degree_min": lambda: int(net.degrees.min()),
        "degree_max": lambda: int(net.degrees.max()),
        "links": lambda: len(net.heads) // (2 if net.duplex else 1),
        "channels": lambda: len(net.heads),
        "connected": lambda: profile.connected,
        "diameter": lambda: profile.diameter,
        "radius": lambda: profile.radius,
        "mean_distance": lambda: profile.mean,
        "girth": lambda: girth(net, exact=True).value,
        "node_connectivity": lambda: node_connectivity(net, exact=True).value,
        "edge_connectivity": lambda: edge_connectivity(net, exact=True).value,
        "bisection": lambda: bisection(net, exact=True).value,
        "vertex_transitive": lambda: is_transitive(net),
    }
    return measures[fact]()


@pytest.mark.parametrize("spec", ALL)
def test_facts_are_what_is_measured(spec):
    net = hopscape.build(spec)
    known = net.facts.known()
    if net.order > BISECTED:
        known.pop("bisection", None)
    assert {fact: measure(net, fact) for fact in known} == known


@pytest.mark.parametrize("spec", ALL)
def test_orbits_look_alike(spec):
    net = hopscape.build(spec)
    symmetry = net.symmetry
    if symmetry is None:
        return
    assert sum(symmetry.sizes) == net.order
    assert len(symmetry.sizes) == len(symmetry.representatives)
    assert len(set(symmetry.representatives)) == len(symmetry.representatives)

    def look(v):
        rows = (distances_from(net, v), distances_to(net, v))
        return tuple(tuple(np.bincount(row + 1).tolist()) for row in rows)

    looks = [look(v) for v in range(net.order)]
    claimed = [
        looks[v] for v, size in zip(symmetry.representatives, symmetry.sizes) for _ in range(size)
    ]
    assert sorted(claimed) == sorted(looks)
    if symmetry.transitive:
        assert is_transitive(net)


def test_every_family_has_members_here():
    tried = {spec.split("(")[0] for spec in MEMBERS + EXAMPLES}
    assert tried | {"file"} == set(hopscape.all_families())


@pytest.mark.parametrize("spec", ["torus(6, 6)", "torus(4, 4)", "mesh(6, 6)", "hypercube(5)"])
def test_bisections_of_larger_members(spec):
    net = hopscape.build(spec)
    found = bisection(net, exact=True)
    assert found.value == net.facts.bisection
    crossing = found.side[net.tails] != found.side[net.heads]
    assert crossing.sum() == 2 * found.value


@pytest.mark.parametrize("spec", ["hypercube(200)", "torus(1000000, 1000000)", "kautz(2, 90)"])
def test_facts_of_huge_members_are_there(spec):
    known = hopscape.build(spec).facts.known()
    assert {"diameter", "links", "node_connectivity", "vertex_transitive"} <= set(known)
