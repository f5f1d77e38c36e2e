"""Embeddings: what is measured, what is found, what is proved impossible."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import fresh_graph
from hopscape.core.distances import distance_rows
from hopscape.metrics.embedding import _simple_bound, best_embedding, congestion, dilation


def embed(guest, host, **options):
    return best_embedding(hopscape.build(guest), hopscape.build(host), **options)


@pytest.mark.compiled
@given(st.integers(0, 10**6), st.integers(2, 5), st.integers(0, 2))
@settings(deadline=None, max_examples=12)
def test_best_dilation_agrees_with_brute_force(seed, guests, spare):
    guest = fresh_graph(seed, guests, guests + 2)
    host = hopscape.build(f"ring({guests + spare + 1})")
    best = min(
        dilation(guest, host, np.asarray(places))
        for places in permutations(range(host.order), guests)
    )
    found = best_embedding(guest, host)
    assert found.dilation == best
    assert found.exact
    assert dilation(guest, host, np.asarray(found.places)) == best


def test_islands_of_the_guest_may_stand_anywhere():
    """Nodes that are not linked at all are in nobody's ball."""
    guest = hopscape.Network.from_links(4, [0], [1])
    found = best_embedding(guest, hopscape.build("ring(5)"))
    assert (found.dilation, found.lower_bound, found.exact) == (1, 1, True)


def test_the_neighbours_of_one_node_need_room_near_it():
    """Six guest nodes within one hop; the ring has seven within three hops, and five within two."""
    star = hopscape.Network.from_links(6, [0] * 5, range(1, 6))
    ring = hopscape.build("ring(9)")
    low, why = _simple_bound(star, ring, distance_rows(ring, np.arange(9)))
    assert (low, why) == (3, "6 guest nodes lie within 1 hops of one of them")


def slow_congestion(found, guest, host):
    """Follow every route by hand: it joins the places, hop by hop; count what each link carries."""
    ends = [
        (int(u), int(v))
        for u, v in zip(guest.tails, guest.heads, strict=True)
        if u != v and (u < v or not guest.duplex)
    ]
    if not host.duplex:
        ends += [(v, u) for u, v in ends]
    assert len(found.routes) == len(ends)
    load = Counter()
    for (u, v), route in zip(ends, found.routes, strict=True):
        assert (route[0], route[-1]) == (found.places[u], found.places[v])
        assert len(route) - 1 <= found.dilation
        for a, b in pairwise(route):
            assert b in host.neighbours(a)
            load[tuple(sorted((a, b))) if host.duplex else (a, b)] += 1
    return max(load.values())


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("guest", "host", "dilation", "congestion"),
    [
        ("hypercube(3)", "pc", 3, 2),
        ("mesh(5, 6)", "pc", 3, 4),
        ("torus(5, 6)", "pc", 3, 5),
        ("hypercube(5)", "rpc(2)", 3, 5),
        ("kautz(2, 2)", "kautz(2, 3)", 2, 3),
        ("ring(5)", "kautz(2, 3)", 2, 2),
        ("ring(4)", "path(9)", 2, 2),
    ],
)
def test_routes_carry_no_more_than_is_said(guest, host, dilation, congestion):
    networks = hopscape.build(guest), hopscape.build(host)
    found = best_embedding(*networks)
    assert (found.dilation, found.exact) == (dilation, True)
    assert slow_congestion(found, *networks) == found.congestion <= congestion
    if guest == "ring(5)":
        assert best_embedding(*networks) == found


def test_congestion_of_a_known_placement():
    """A ring of four laid to and fro on a path: every link carries two guest links."""
    guest, host = hopscape.build("ring(4)"), hopscape.build("path(4)")
    table = distance_rows(host, np.arange(4))
    assert congestion(guest, host, np.asarray([0, 1, 2, 3]), table) == 2
