"""Rings of Petersen-connected cycles: wiring, addresses, facts, router."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import networkx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.core.distances import distances_from
from hopscape.core.errors import AddressError, SpecError, TooLargeError
from hopscape.formats.graphs import to_networkx
from hopscape.metrics import girth
from hopscape.papers.rpc import slices
from hopscape.papers.rpc.families import best_step
from hopscape.papers.rpc.slices import Slice, cycles_of
from promises import broken_promises
from refusals import refusals

MEMBERS = [
    "pc",
    "rpc(1)",
    "rpc(2)",
    "rpc(3)",
    "rpc(6)",
    "rp(1)",
    "rp(2)",
    "rp(3)",
    "rp(5)",
    "dlcpg(1)",
    "dlcpg(3)",
    "dlcpg(4)",
    "dlcpg(9)",
    "dlcpg(8, h=3)",
    "dcp(5)",
    "tcp(1)",
    "tcp(3)",
    "tcp(2, width=4)",
    "hrn(4)",
    "hrn(2, 2, 3)",
    "ring_of_cycles(petersen, 2)",
    "ring_of_cycles(heawood, 3)",
    "ring_of_cycles(complete(4), 5)",
    "ring_of_cycles(complete(6), 2)",
]


@pytest.mark.parametrize("spec", MEMBERS)
def test_facts_and_router_agree_with_breadth_first_search(spec):
    stated = ("diameter", "radius", "mean_distance", "degree_min", "degree_max", "links")
    assert broken_promises(spec, stated) == []
    net = hopscape.build(spec)
    assert net.facts.degree_min == net.facts.degree_max
    assert net.family.layout() is not None


@pytest.mark.parametrize(("k", "degree", "links"), [(1, 3, 45), (2, 4, 120), (3, 5, 225)])
def test_small_rings_have_single_links(k, degree, links):
    net = hopscape.build(f"rpc({k})")
    assert set(net.degrees.tolist()) == {degree}
    assert net.links == links
    graph = to_networkx(net)
    assert networkx.node_connectivity(graph) == degree == net.facts.node_connectivity


def test_wiring_is_that_of_the_definition():
    """Triangles of ports, (m, n) across to (n, m), rings through equal ports."""
    net = hopscape.build("rpc(4)")
    petersen = hopscape.build("petersen")
    for v in range(net.order):
        s, m, n = net.address(v)
        assert n in petersen.neighbours(m)
        mates = {(s, m, x) for x in petersen.neighbours(m)} - {(s, m, n)}
        rings = {((s + 1) % 4, m, n), ((s - 1) % 4, m, n)}
        wanted = mates | rings | {(s, n, m)}
        assert {net.address(w) for w in net.neighbours(v)} == wanted


def test_numbers_follow_the_rank_of_ports():
    net = hopscape.build("pc")
    first = [(0, 1), (0, 4), (0, 5), (1, 0)]
    assert [net.address(v) for v in (0, 1, 2, 3, 15, 29)] == [*first, (5, 0), (9, 7)]
    assert hopscape.build("rpc(3)").node((2, 9, 7)) == 89


@given(st.integers(1, 10**30), st.data())
@settings(deadline=None, max_examples=60)
def test_addresses_and_distances_at_any_size(k, data):
    net = hopscape.build(f"rpc({k})")
    a, b = (data.draw(st.integers(0, 30 * k - 1)) for _ in range(2))
    assert net.node(net.address(a)) == a
    slice_ = hopscape.build("pc").router()
    gap = abs(a // 30 - b // 30)
    router = net.router()
    assert router.distance(a, b) == slice_.distance(a % 30, b % 30) + min(gap, k - gap)
    if a != b:
        step = net.neighbours(a)[router.next_port(a, b)]
        assert router.distance(step, b) == router.distance(a, b) - 1


@pytest.mark.parametrize("spec", ["pc", "rpc(2)", "rpc(4)", "rp(4)", "dlcpg(8)", "hrn(2, 4)"])
def test_path_counts_and_shortest_ports(spec):
    net = hopscape.build(spec)
    router = net.router()
    for source in (0, net.order - 1):
        far = distances_from(net, source)
        ways = [0] * net.order
        ways[source] = 1
        for v in np.argsort(far, kind="stable").tolist():
            for w in net.neighbours(v):
                if w >= 0 and far[w] == far[v] + 1:
                    ways[w] += ways[v]
        assert [router.path_count(source, v) for v in range(net.order)] == ways
        to = np.arange(net.order)
        at = np.full(net.order, source)
        mask = router.shortest_ports(at, to)
        rows = np.asarray(net.neighbours(at))
        for v in range(net.order):
            table = distances_from(net, v)
            wanted = [w >= 0 and table[w] == table[source] - 1 for w in rows[v]]
            assert mask[v].tolist() == wanted


def test_canonical_paths_follow_the_petersen_graph():
    """At most two cross links, although some shortest paths have three."""
    net = hopscape.build("pc")
    router = net.router()
    double = 0
    for b in range(1, 30):
        path = router.path(0, b)
        crossings = sum(u // 3 != v // 3 for u, v in pairwise(path))
        assert crossings <= 2
        double += router.path_count(0, b) == 2
    assert double == 4


@pytest.mark.parametrize("base", ["complete(5)", "torus(4, 3)", "heawood"])
def test_tables_of_a_slice_in_blocks_of_targets(base, monkeypatch):
    """Whatever the block: ways, girth and the way that crosses least, node by node."""
    whole = Slice(cycles_of(neighbour_rows(base)), base)
    monkeypatch.setattr(slices, "_BLOCK", 8 * whole.size * whole.ports * 3)
    cut = Slice(whole.rows, base)
    for t in range(whole.size):
        far = distances_from(whole.network, t)
        ways, crossings = {t: 1}, {t: 0}
        for v in np.argsort(far, kind="stable").tolist()[1:]:
            nearer = [p for p, w in enumerate(whole.rows[v]) if far[w] == far[v] - 1]
            ways[v] = sum(ways[whole.rows[v][p]] for p in nearer)
            cost = {p: crossings[whole.rows[v][p]] + (p == whole.ports - 1) for p in nearer}
            crossings[v] = min(cost.values())
            assert cut.canonical[v, t] == whole.canonical[v, t] == min(cost, key=cost.__getitem__)
            assert [p for p in range(whole.ports) if cut.masks[v, t, p]] == nearer
        assert [ways[v] for v in range(whole.size)] == cut.counts[:, t].tolist()
    assert (cut.counts == whole.counts).all()
    assert cut.girth == whole.girth == girth(whole.network).value


def neighbour_rows(spec):
    net = hopscape.build(spec)
    return tuple(tuple(sorted(net.neighbours(v))) for v in range(net.order))


def test_a_slice_says_what_it_needs_before_it_is_built(monkeypatch):
    monkeypatch.setenv("HOPSCAPE_MEMORY", "200M")
    with pytest.raises(TooLargeError, match="a slice made of twisted_torus"):
        hopscape.build("ring_of_cycles(twisted_torus((508, 4)), 838)")


@pytest.mark.parametrize(
    ("base", "size", "far", "mean"),
    [
        ("complete(4)", 12, 3, 2.0909),
        ("petersen", 30, 5, 3.4828),
        ("heawood", 42, 6, 4.1220),
        ("moebius_kantor", 48, 8, None),
        ("pappus", 54, 8, None),
        ("tutte_coxeter", 90, 8, 5.7640),
        ("coxeter", 84, 9, None),
    ],
)
def test_other_base_graphs(base, size, far, mean):
    net = hopscape.build(f"ring_of_cycles({base}, 1)")
    assert (net.order, net.facts.diameter) == (size, far)
    assert mean is None or round(float(net.facts.mean_distance), 4) == mean
    assert hopscape.build(f"ring_of_cycles({base}, 7)").facts.diameter == far + 3


def test_mean_distance_formula():
    for k in (1, 2, 5, 50, 98):
        known = hopscape.build(f"rpc({k})").facts.mean_distance
        assert known == Fraction(101 * k + 30 * (k * k // 4), 30 * k - 1)


def test_degrees_of_the_relatives():
    degrees = [
        hopscape.build(spec).facts.degree_max
        for spec in ("rp(5)", "dlcpg(8)", "tcp(4)", "dcp(5)", "hrn(3, 3, 3)")
    ]
    assert degrees == [5, 7, 7, 11, 9]


def test_best_step_is_best():
    for k in (5, 9, 16, 25):
        found = hopscape.build(f"dlcpg({k})").facts.diameter
        others = [hopscape.build(f"dlcpg({k}, h={h})").facts.diameter for h in range(2, k // 2 + 1)]
        assert found == min(others)
        assert best_step(k) == 2 + others.index(min(others))


test_bad_parameters = refusals(
    SpecError,
    ("rpc(0)", "at least 1"),
    ("rpc(-3)", "at least 1"),
    ("rp(0)", "at least 1"),
    ("pc(2)", "at most 0"),
    ("hrn()", "at least one ring"),
    ("dlcpg(5, h=5)", "from 0 to 4"),
    ("ring_of_cycles(ring(5), 2)", "degree at least 3"),
    ("ring_of_cycles(mesh(3, 3), 2)", "regular"),
    ("ring_of_cycles(kautz(3, 2), 2)", "duplex"),
)


test_bad_addresses = refusals(
    AddressError,
    ((0, 3, 1), "cycle 3 has ports towards 2, 4, 8"),
    ((0, 3, 3), "not a port"),
    ((3, 0, 1), "out of range"),
    ((0, 10, 1), "out of range"),
    ((0, 1), "expected an address"),
    (90, "out of range"),
    make=lambda address: hopscape.build("rpc(3)").node(address),
)
