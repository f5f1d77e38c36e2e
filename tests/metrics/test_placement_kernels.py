"""Placements against all injective maps, and congestion against routes walked by hand."""

from __future__ import annotations

from collections import Counter
from itertools import chain, permutations, product

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import connected_graph, fresh_graph
from hopscape.metrics.placement_kernels import (
    FOUND,
    NONE,
    STOPPED,
    Annealing,
    Guest,
    Host,
    anneal,
    place_all,
    relieve,
)

pytestmark = pytest.mark.interpreted


def hops(network):
    graph = nx.Graph(zip(network.tails.tolist(), network.heads.tolist()))
    table = dict(nx.all_pairs_shortest_path_length(graph))
    n = network.order
    return np.array([[table[u][v] if u != v else 0 for v in range(n)] for u in range(n)])


def bits(sets, words):
    out = np.zeros((len(sets), words), dtype=np.uint64)
    for row, members in enumerate(sets):
        for h in members:
            out[row, h // 64] |= np.uint64(1) << np.uint64(h % 64)
    return out


def links_of(network):
    return [(u, v) for u, v in zip(network.tails.tolist(), network.heads.tolist()) if u != v]


def slow_places(guest, near, domains):
    """All injective maps that keep linked nodes near."""
    hosts = range(len(near))
    for place in permutations(hosts, guest.order):
        if all(h in domains[v] for v, h in enumerate(place)) and all(
            place[v] in near[place[u]] for u, v in links_of(guest)
        ):
            yield place


def without_loops(network):
    links = links_of(network)
    indptr = np.cumsum([0, *(sum(u == v for u, _ in links) for v in range(network.order))])
    return indptr.astype(np.int64), np.array([v for _, v in links], dtype=np.int64)


@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(0, 5), st.integers(0, 2), st.data())
def test_placements_are_found_exactly_when_there_are_some(seed, guests, more, spare, data):
    guest = fresh_graph(seed, guests, more)
    host = connected_graph(seed + 1, guests + spare, data.draw(st.integers(0, 3)))
    shift = data.draw(st.sampled_from([0, 61]))  # hosts in the second word, too
    far = hops(host)
    stretch = data.draw(st.integers(1, 2))
    rows = [[shift + h for h in np.flatnonzero((r > 0) & (r <= stretch))] for r in far]
    near = [[] for _ in range(shift)] + rows
    domains = [
        {shift + h for h in data.draw(st.sets(st.integers(0, host.order - 1), min_size=1))}
        for _ in range(guests)
    ]
    indptr, heads = without_loops(guest)
    args = (indptr, heads, bits(near, 2), bits(domains, 2))
    status, place, used = place_all(*args, 10**6)
    moved = [{h - shift for h in members} for members in domains]
    close = [{h - shift for h in row} for row in rows]
    valid = set(slow_places(guest, close, moved))
    assert status == (FOUND if valid else NONE)
    if valid:
        assert tuple((place - shift).tolist()) in valid
    if used > 1:
        assert place_all(*args, used - 1)[0] == STOPPED
    assert place_all(*args, used)[0] == status


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(0, 6), st.integers(0, 60))
def test_what_annealing_leaves_over_is_what_the_links_cost(seed, guests, more, moves):
    guest, host = fresh_graph(seed, guests, more), connected_graph(seed + 1, guests + 2, 2)
    far = hops(host)
    price = np.array([max(0, d - 1) ** 2 for d in range(far.max() + 1)], dtype=np.int64)
    place = np.random.default_rng(seed).permutation(host.order)[:guests]
    left = anneal(guest.indptr, guest.heads, far, place, price, moves, seed)
    assert len(set(place.tolist())) == guests
    assert set(place.tolist()) <= set(range(host.order))
    assert left == sum(price[far[place[u], place[v]]] for u, v in links_of(guest))


def test_annealing_finds_what_is_easy():
    from hopscape.registry import build

    ring = build("ring(6)")
    place = np.array([0, 3, 1, 5, 2, 4])
    price = np.array([0, 0, 1, 2], dtype=np.int64)
    assert anneal(ring.indptr, ring.heads, hops(ring), place, price, 4000, 1) == 0


def check_routes(guest_links, host, place, limit, peak, routes, lengths):
    """Every route leads from place to place within its limit; the busiest link is the peak."""
    far = hops(host)
    lane = Counter()
    for e, (u, v) in enumerate(guest_links):
        at = place[u]
        for c in routes[e, : lengths[e]].tolist():
            assert host.tails[c] == at
            at = host.heads[c]
            lane[min(c, int(host.reverse[c]))] += 1
        assert at == place[v]
        assert lengths[e] <= max(limit, far[place[u], place[v]])
    assert peak == max(lane.values(), default=0)


def laid_over(guests, links, host):
    """The links of a guest and a host as the kernel takes them."""
    at = [[e for e, ends in enumerate(links) if v in ends] for v in range(guests)]
    starts = np.cumsum([0, *map(len, at)]).astype(np.int64)
    tails, tips = np.array(links).T.copy()
    mates = host.reverse.astype(np.int64)
    lanes = np.minimum(np.arange(len(mates)), mates)
    return (
        Guest(tails, tips, starts, np.array([e for row in at for e in row])),
        Host(host.indptr, host.tails, host.heads, lanes, hops(host)),
    )


@settings(max_examples=40)
@given(
    st.integers(0, 10**6), st.integers(2, 6), st.integers(0, 5), st.integers(0, 40),
    st.booleans(), st.integers(1, 3), st.integers(1, 3),
)  # fmt: skip
def test_routes_are_counted_right(seed, guests, more, moves, swap, limit, target):
    guest, host = connected_graph(seed, guests, more), connected_graph(seed + 1, guests + 1, 3)
    links = sorted({(min(u, v), max(u, v)) for u, v in links_of(guest)})
    place = np.random.default_rng(seed).permutation(host.order)[:guests]
    before = place.copy()
    search = Annealing(moves, 2.0, swap, seed)
    laid, over = laid_over(guests, links, host)
    peak, routes, lengths = relieve(laid, over, place, limit, target, search)
    assert len(set(place.tolist())) == guests
    assert swap or np.array_equal(place, before)
    check_routes(links, host, place, limit, peak, routes, lengths)


def least_peak(guest_links, host, place, limit):
    """The busiest link of the best routes within the limit: all choices of routes are tried."""
    far = hops(host)

    def ways(at, goal, left):
        if at == goal:
            yield ()
        elif left > 0:
            for c in range(host.indptr[at], host.indptr[at + 1]):
                for rest in ways(int(host.heads[c]), goal, left - 1):
                    yield (min(c, int(host.reverse[c])), *rest)

    ends = [(place[u], place[v]) for u, v in guest_links]
    choices = [set(ways(a, b, max(limit, far[a, b]))) for a, b in ends]
    return min(max(Counter(chain(*taken)).values(), default=0) for taken in product(*choices))


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(0, 1), st.integers(1, 3))
def test_no_routes_are_better_than_the_best(seed, guests, more, limit):
    guest, host = connected_graph(seed, guests, more), connected_graph(seed + 1, 4, 2)
    links = sorted({(min(u, v), max(u, v)) for u, v in links_of(guest)})
    place = np.random.default_rng(seed).permutation(host.order)[:guests]
    peak, routes, lengths = relieve(
        *laid_over(guests, links, host), place, limit, 1, Annealing(2000, 2.0, False, seed)
    )
    check_routes(links, host, place, limit, peak, routes, lengths)
    assert peak == least_peak(links, host, place, limit)


def test_two_links_part_when_they_may():
    """Guests 0-1 twice over a square: one way each, if two hops are allowed."""
    from hopscape.registry import build

    host = build("ring(4)")
    mates = host.reverse.astype(np.int64)
    for limit, target, peak in ((2, 1, 1), (2, 2, 2)):
        laid = Guest(*map(np.array, ([0, 0], [1, 1], [0, 2, 4], [0, 1, 0, 1])))
        lanes = np.minimum(np.arange(8), mates)
        over = Host(host.indptr, host.tails, host.heads, lanes, hops(host))
        search = Annealing(100, 2.0, False, 3)
        result = relieve(laid, over, np.array([0, 2]), limit, target, search)
        assert result[0] <= peak
        check_routes([(0, 1), (0, 1)], host, [0, 2], limit, *result)
