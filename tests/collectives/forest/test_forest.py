"""Packed trees: the worst cut by brute force, flows by networkx, schedules by verify."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, Network, verify
from hopscape.collectives import run_algorithm
from hopscape.collectives.forest import Arcs, bottleneck, pack_trees
from hopscape.collectives.forest_kernels import split_off
from hopscape.collectives.forest_schedules import (
    _packed,
    _Splitter,
    best_pieces,
    forest_schedule,
    split_switches,
)
from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError, DisconnectedError, TooLargeError
from hopscape.metrics.flow_kernels import largest_flow, least_flow_to, source_side

SPEEDS = (ChannelClass("plain", 1), ChannelClass("fast", 2), ChannelClass("slow", 0.5))


@st.composite
def networks(draw, most=7):
    """Connected, duplex, with parallel links and loops, perhaps with switches and speeds."""
    n = draw(st.integers(2, most))
    node = st.integers(0, n - 1)
    links = [(draw(st.integers(0, v - 1)), v) for v in range(1, n)]
    links += draw(st.lists(st.tuples(node, node), max_size=2 * n))
    switches = draw(st.lists(node, max_size=n - 2, unique=True)) if draw(st.booleans()) else []
    kinds = draw(st.lists(st.integers(0, 2), min_size=len(links), max_size=len(links)))
    some = draw(st.booleans())
    return Network.from_links(
        n,
        *zip(*links),
        switches=np.array(sorted(switches), dtype=np.int64),
        classes=SPEEDS if some else (),
        kinds=kinds if some else None,
    )


def slow_bottleneck(network):
    """The worst of all cuts, one by one."""
    ends, room, worst = network.endpoints, network.room(), Fraction(0)
    for mask in range(1, 2**network.order - 1):
        side = np.array([mask >> v & 1 for v in range(network.order)], dtype=bool)
        leaving = int(room[side[network.tails] & ~side[network.heads]].sum())
        if side[ends].any() and not side[ends].all():
            worst = max(worst, Fraction(int(side[ends].sum()), leaving))
    return worst


def slow_flow(arcs, source, sink):
    graph = nx.DiGraph()
    graph.add_nodes_from(range(arcs.nodes))
    for u, v, c in zip(arcs.tails.tolist(), arcs.heads.tolist(), arcs.capacity.tolist()):
        old = graph.get_edge_data(u, v, {"capacity": 0})["capacity"]
        graph.add_edge(u, v, capacity=old + c)
    return nx.maximum_flow_value(graph, source, sink)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(networks(), st.data())
def test_flows(network, data):
    plain = Arcs.of(network)
    indptr, arcs, heads, left = plain.csr()
    source, sink = data.draw(st.permutations(range(network.order)))[:2]
    whole = left.copy()
    known = slow_flow(plain, source, sink)
    assert largest_flow(indptr, arcs, heads, left, source, sink, 10**9) == known
    assert (left >= 0).all()
    assert (left[::2] + left[1::2] == whole[::2]).all()
    side = source_side(indptr, arcs, heads, left, source)
    assert side[source]
    assert not side[sink]
    assert plain.capacity[side[plain.tails] & ~side[plain.heads]].sum() == known
    sinks = np.array([v for v in range(network.order) if v != source])
    least = min(slow_flow(plain, source, v) for v in sinks.tolist())
    assert least_flow_to(indptr, arcs, heads, whole, source, sinks, 10**9, 0) == least


@pytest.mark.compiled
@settings(deadline=None, max_examples=80, derandomize=True)
@given(networks(), st.integers(1, 3))
def test_no_channel_carries_more_than_the_worst_cut_demands(network, pieces):
    found = bottleneck(network)
    assert found.rounds == slow_bottleneck(network)
    limit = ceil(pieces * found.rounds) * network.room()
    for goal in (Goal.all_gather(pieces), Goal.reduce_scatter(pieces)):
        made = forest_schedule(network, goal)
        assert verify(made).holds, verify(made)
        assert (np.bincount(made.channels, minlength=len(limit)) <= limit).all()
    both = forest_schedule(network, Goal.all_reduce(pieces * network.endpoint_count))
    assert verify(both).holds, verify(both)
    through = forest_schedule(network, Goal.all_gather(pieces), Model(switching="cut-through"))
    assert verify(through).holds, verify(through)


@settings(deadline=None, max_examples=40, derandomize=True)
@given(networks(), st.integers(1, 3))
def test_trees_span_and_fit(network, pieces):
    check_trees(network, pieces)


@pytest.mark.parametrize("spec", ["kautz(2, 2)", "hypercube(3)"])
def test_trees_of_one_root_leave_room_for_each_other(spec):
    """Roots have three different trees: when the first is done, two others are under way."""
    assert max(check_trees(hopscape.build(spec), 3)) == 3


def check_trees(network, pieces):
    """How many different trees each root has, all of them spanning, within the room."""
    plain = Arcs.of(network.among(network.endpoints))
    if network.has_switches:
        network = Network.from_links(network.order, network.tails, network.heads, duplex=False)
        plain = Arcs.of(network)
    scale = ceil(pieces * bottleneck(network).rounds)
    graph = Arcs(plain.nodes, plain.tails, plain.heads, plain.capacity * scale)
    used = np.zeros(len(plain.tails), dtype=np.int64)
    bundles = pack_trees(graph, pieces, "a graph")
    for bundle in bundles:
        assert bundle.copies.sum() == pieces
        for row, copies in zip(bundle.arc, bundle.copies):
            taken = row[row >= 0]
            tree = nx.DiGraph(zip(plain.tails[taken].tolist(), plain.heads[taken].tolist()))
            tree.add_node(bundle.root)
            assert nx.is_arborescence(tree)
            assert len(tree) == graph.nodes
            assert tree.in_degree(bundle.root) == 0
            used[taken] += copies
    assert (used <= graph.capacity).all()
    return [len(bundle.copies) for bundle in bundles]


@settings(deadline=None, max_examples=40, derandomize=True)
@given(networks())
def test_switches_go_and_cuts_stay_wide(network):
    ends = network.endpoints
    rate = bottleneck(network).rounds
    needs = np.zeros(network.order, dtype=np.int64)
    needs[ends] = rate.denominator
    logical = split_switches(network, needs, Arcs.of(network).capacity * rate.numerator)
    arcs, used = logical.arcs, np.zeros(len(network.heads), dtype=np.int64)
    for u, v, room, path in zip(arcs.tails, arcs.heads, arcs.capacity, logical.paths):
        assert u in ends
        assert v in ends
        assert network.tails[path[0]] == u
        assert network.heads[path[-1]] == v
        assert (network.heads[list(path[:-1])] == network.tails[list(path[1:])]).all()
        used[list(path)] += room
    assert (used <= network.room() * rate.numerator).all()
    for mask in range(1, 2 ** len(ends) - 1):
        side = np.zeros(network.order, dtype=bool)
        side[ends[[mask >> i & 1 == 1 for i in range(len(ends))]]] = True
        leaving = arcs.capacity[side[arcs.tails] & ~side[arcs.heads]].sum()
        assert leaving >= rate.denominator * side.sum()


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("spec", "rounds"),
    [
        ("petersen", "3"),
        ("heawood", "13/3"),
        ("torus(8, 8)", "63/4"),
        ("circulant(20, 1, 6, 9)", "19/6"),
        ("mesh(4, 4)", "15/2"),
        ("fat_tree(4)", "15"),
        ("kautz(2, 3)", "11/2"),
        ("ring(2)", "1"),
        ("complete(1)", "0"),
    ],
)
def test_known_optima(spec, rounds):
    network = hopscape.build(spec)
    assert str(bottleneck(network).rounds) == rounds
    pieces = best_pieces(network)
    made = run_algorithm(network, Goal.all_gather(pieces), "forest")
    assert verify(made).holds
    load = int(np.bincount(made.channels, minlength=1).max())
    assert load <= pieces * Fraction(rounds)


@pytest.mark.compiled
def test_pieces_again_and_again_reach_the_bound():
    network = hopscape.build("torus(4, 4)")
    short, long = (forest_schedule(network, Goal.all_gather(4 * m)) for m in (2, 40))
    assert verify(short).holds
    assert verify(long).holds
    assert long.rounds - 15 * 40 <= short.rounds - 15 * 2 + 8
    assert long.rounds <= 1.05 * 15 * 40


def test_what_cannot_be_is_said():
    one_way = Network.from_links(3, [0, 1], [1, 2], duplex=False, spec="one way")
    with pytest.raises(DisconnectedError, match="one way has nodes that cannot be reached"):
        forest_schedule(one_way, Goal.all_gather())
    tails, heads = [0, 0, 1, 1, 2], [2, 2, 2, 0, 1]
    lopsided = Network.from_links(3, tails, heads, duplex=False, switches=np.array([2]))
    with pytest.raises(ArgumentError, match="switch 2 of links takes in"):
        forest_schedule(lopsided, Goal.all_gather())
    with pytest.raises(TooLargeError, match=r"packing trees for 4096 roots .* would take about"):
        forest_schedule(hopscape.build("torus(64, 64)"), Goal.all_gather())
    with pytest.raises(ArgumentError, match="needs data in 16 chunks"):
        forest_schedule(hopscape.build("torus(4, 4)"), Goal.all_reduce(3))
    with pytest.raises(ArgumentError, match="not 1-port"):
        forest_schedule(hopscape.build("torus(4, 4)"), Goal.all_gather(), Model(ports=1))


def slow_split(arcs, roots, trees, ends, w, u, v, most):
    """What the narrowest cut has over that parts both neighbours of a switch from it."""
    graph = nx.DiGraph()
    for a, b, room in arcs:
        old = graph.get_edge_data(a, b, {"capacity": 0})["capacity"]
        graph.add_edge(a, b, capacity=old + room)
    for root, count in zip(roots, trees):
        graph.add_edge("top", root, capacity=count)
    for near, distant in (([u, v], [w]), ([w], [u, v])):
        for sink in set(ends) - set(near):
            tried = graph.copy()
            for x in near:
                tried.add_edge("top", x, capacity=10**9)
            for x in distant:
                if x != sink:
                    tried.add_edge(x, sink, capacity=10**9)
            most = min(most, nx.maximum_flow_value(tried, "top", sink) - sum(trees))
    return max(most, 0)


def test_what_can_be_split_off_leaves_every_cut_wide_enough():
    generator, narrow = np.random.default_rng(3), 0
    for n in range(6, 9):
        for _ in range(25):
            links = [(int(generator.integers(v)), v) for v in range(1, n)]
            links += [generator.choice(n, 2, replace=False).tolist() for _ in range(n // 2)]
            switches = np.sort(generator.choice(n, n // 2, replace=False))
            network = Network.from_links(n, *zip(*links), switches=switches)
            narrow += split_and_compare(network, int(switches[0]))
    assert narrow >= 5


def split_and_compare(network, w):
    """Pairs of neighbours of a switch of which only some room can be split off, or none."""
    pieces, narrow = 3, 0
    needs = np.zeros(network.order, np.int64)
    needs[network.endpoints] = np.arange(len(network.endpoints)) % (pieces + 1)
    work = _Splitter(network, needs)
    scale = ceil(pieces * bottleneck(network).rounds)
    for c, (a, b) in enumerate(zip(network.tails.tolist(), network.heads.tolist())):
        work.add(a, b, (c,), scale)
    into = [a for a, b in work.lanes if b == w]
    out = [b for a, b in work.lanes if a == w]
    arcs = {key: work.room(*key) for key in work.lanes}
    crossing = work.crossing(w, into, out)
    roots, trees, ends = (x.tolist() for x in (work.roots, work.trees, work.ends))
    for j, v in enumerate(out):
        made = split_off(crossing, j)
        for u, some in zip(into, made.tolist()):
            most = min(arcs[u, w], arcs[w, v]) if u != v else 0
            rows = [(*key, room) for key, room in arcs.items()]
            assert some == (most and slow_split(rows, roots, trees, ends, w, u, v, most))
            narrow += some < most
            arcs[u, w] -= some
            arcs[w, v] -= some
            arcs[u, v] = arcs.get((u, v), 0) + some
    return narrow


def test_groups_keep_their_trees_for_other_sizes():
    """With a plan for eight networks only, eight groups in two sizes were packed every time."""
    net = hopscape.build("leaf_spine(4, 2, 4)")
    goal = Goal.all_gather(6, groups=np.arange(16).reshape(8, 2).tolist())
    through = Model(switching="cut-through")
    first = run_algorithm(net, goal, "forest", through)
    before = _packed.cache_info().misses
    again = run_algorithm(net, goal, "forest", through)
    assert _packed.cache_info().misses == before
    assert again.channels.tolist() == first.channels.tolist()
