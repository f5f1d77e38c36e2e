"""Automorphisms: what is found is one, and nothing is missed on small graphs."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.algebra.groups import automorphism_group, orbits
from hopscape.formats.graphs import to_igraph


def links(net):
    return Counter((v, w) for v in range(net.order) for w in net.neighbours(v) if w >= 0)


def true_orbits(net, colours=None):
    import igraph

    graph = to_igraph(net)
    assert isinstance(graph, igraph.Graph)
    moves = graph.automorphism_group(color=colours)
    seen, found = set(), []
    for v in range(net.order):
        if v in seen:
            continue
        orbit, fresh = {v}, [v]
        while fresh:
            fresh = list({g[u] for u in fresh for g in moves} - orbit)
            orbit.update(fresh)
        seen |= orbit
        found.append(sorted(orbit))
    return found


@pytest.mark.parametrize("spec", ["heawood", "petersen", "mcgee", "hypercube(3)", "mesh(3, 4)"])
def test_orbits_are_those_of_the_whole_group(spec):
    net = hopscape.build(spec)
    assert orbits(net) == true_orbits(net)
    colours = [1, 1] + [0] * (net.order - 2)
    assert orbits(net, colours) == true_orbits(net, colours)


@settings(deadline=None, max_examples=40)
@given(st.integers(3, 9), st.data())
def test_what_is_found_keeps_links(n, data):
    jumps = data.draw(st.lists(st.integers(1, n - 1), min_size=1, max_size=3))
    net = hopscape.build(f"circulant({n}, {', '.join(map(str, [1, *jumps]))})")
    target = data.draw(st.integers(0, n - 1))
    moves = automorphism_group(net).moves_to(target)
    assert sorted(moves) == list(range(n))
    for v, move in moves.items():
        assert move[v] == target
        assert Counter((int(move[a]), int(move[b])) for a, b in links(net).elements()) == links(net)


def test_parallel_links_and_loops_are_told_apart():
    net = hopscape.Network.from_links(4, [0, 0, 1, 2, 3], [1, 1, 2, 3, 0])
    assert orbits(net) == [[0, 1], [2, 3]]
    net = hopscape.Network.from_links(3, [0, 1, 2, 0], [1, 2, 0, 0])
    assert orbits(net) == [[0], [1, 2]]
