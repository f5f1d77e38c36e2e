"""Certificates of every family against a slow twin, and the running engine against both."""

from __future__ import annotations

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from slow_twin import dependencies

import hopscape
from commands import ask, refused
from conftest import EXAMPLES, MEMBERS
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.network import Network
from hopscape.deadlock import (
    UpDownRouter,
    certify,
    find_classes,
    routing_table,
    single_class,
)
from hopscape.deadlock import (
    layers as layering,
)
from hopscape.deadlock.layers import cut_layers, find_layers
from hopscape.simulate import Settings, build_setup, layout, make_traffic
from hopscape.simulate.measurement import make_source, start
from hopscape.simulate.run import blank_counters

SWITCHED = ["fat_tree(4)", "distributed_switch(7, 3, 1)", "partial_switch(7, 3, 1)"]
SMALL = [s for s in dict.fromkeys([*EXAMPLES, *MEMBERS]) if 2 <= hopscape.build(s).order <= 40]


def _agrees(table, classes, proof, anywhere=False):
    graph = dependencies(table, classes, anywhere=anywhere)
    assert proof.deadlock_free == nx.is_directed_acyclic_graph(graph)
    if classes.method != "dateline":  # datelines are certified from and to switches as well
        assert proof.dependencies == graph.number_of_edges()
    assert all(kind < classes.count for _, kind in graph.nodes)


@pytest.mark.parametrize("spec", SMALL)
def test_certificates_of_every_family_are_honest(spec):
    network = hopscape.build(spec)
    if not len(network.heads):
        return
    for anywhere in {False, network.has_switches}:
        table, classes, proof = find_classes(network, anywhere=anywhere)
        assert proof.deadlock_free
        assert proof.at_least <= classes.count
        _agrees(table, classes, proof, anywhere)
        one = certify(table, single_class(table), anywhere=anywhere)
        _agrees(table, single_class(table), one, anywhere)
        assert proof.at_least == (1 if one.deadlock_free else 2)
    if network.duplex:
        try:
            router = UpDownRouter(network)
        except DisconnectedError:
            return
        table, classes, proof = find_classes(network, router)
        assert (classes.method, classes.count, proof.deadlock_free) == ("single", 1, True)
        _agrees(table, classes, proof)


@pytest.mark.parametrize(
    "spec",
    [
        "circulant(64, 1, 14)",
        "torus(6, 6)",
        pytest.param("random_regular(60, 4)", marks=pytest.mark.compiled),
    ],
)
def test_both_ways_of_layering_are_free_of_cycles(spec):
    network = hopscape.build(spec)
    table = routing_table(network, network.router("table"), ties=False)
    counts = []
    for found in (find_layers(table, 15), cut_layers(table, 15)):
        count, layers, sets = found
        counts.append(count)
        assert sum({sets[x] for x in np.unique(layers)}) == (1 << count) - 1
        _, classes, _ = find_classes(network, table, method="layers")
        made = replace(classes, count=count, layers=layers, sets=sets)
        _agrees(table, made, certify(table, made))
    assert counts[0] <= counts[1]
    assert find_layers(table, 1) is None


@pytest.mark.compiled
def test_first_fit_needs_few_layers():
    """What it needs today; more would be a step back."""
    for spec, count in (("torus(6, 6)", 3), ("random_regular(60, 4)", 4), ("rpc(12)", 5)):
        network = hopscape.build(spec)
        table = routing_table(network, network.router("table"), ties=False)
        assert find_layers(table, 15)[0] <= count


def test_escapes_begin_at_switches_too():
    """A network whose endpoints alone need fewer layers than all nodes do."""
    tails, heads = [0, 1, 2, 3, 4, 5, 0, 2, 4], [1, 2, 3, 4, 5, 0, 6, 7, 8]
    network = Network.from_links(9, tails, heads, switches=np.arange(6), spec="ring of switches")
    table, ends, proof = find_classes(network, network.router("table"))
    assert ends.count == 1
    _agrees(table, ends, proof)
    table, whole, proof = find_classes(network, network.router("table"), anywhere=True)
    assert whole.count == 2
    _agrees(table, whole, proof, anywhere=True)
    assert build_setup(network, Settings(vcs=3, routing="adaptive")).classes.count == 2


def _made(setup, load, seed, cycles):
    """Dependencies between virtual channels that a run has made, cycle by cycle."""
    from hopscape.simulate.engine_kernels import advance

    traffic = make_traffic("uniform-others", setup.endpoints)
    source = make_source(traffic, setup.settings, load)
    state = start(setup, traffic, source, seed)
    counters = blank_counters(setup, 1)
    shift, count = int(setup.fabric.numbers[layout.N_SHIFT]), len(setup.network.heads)
    masks = setup.fabric.masks.tolist()
    kind = [next((k for k, m in enumerate(masks[:-2]) if m >> v & 1), -1) for v in range(32)]
    made = set()
    low = (1 << shift) - 1
    for cycle in range(cycles):
        assert advance(setup.fabric, state, source, counters, cycle + 1, 2000) == 0
        rows = np.nonzero(state.vcs[: count << shift, layout.STATE] == layout.ACTIVE)[0]
        outs = state.vcs[rows, layout.OUT]
        for row, out in zip(rows.tolist(), outs.tolist()):
            if out >> shift < count:
                made.add(((row >> shift, kind[row & low]), (out >> shift, kind[out & low])))
    return made


@pytest.mark.parametrize("spec", ["ring(9)", "torus(5, 4)", "rpc(2)", "random_regular(40, 4)"])
def test_rising_classes_are_free_of_cycles_and_few(spec):
    network = hopscape.build(spec)
    for anywhere in (False, True):
        table, classes, proof = find_classes(network, method="rising", anywhere=anywhere)
        assert classes.method == "rising"
        assert proof.deadlock_free
        _agrees(table, classes, proof, anywhere)
        assert classes.count <= int(router_hops(network).max()) // 2 + 1


def router_hops(network):
    nodes = np.arange(network.order)
    return network.router("table").distance(nodes[:, None], nodes[None, :])


@pytest.mark.compiled
def test_rising_classes_serve_where_layers_are_too_many():
    network = hopscape.build("random_regular(256, 4)")
    _, classes, proof = find_classes(network)
    assert (classes.method, proof.deadlock_free) == ("rising", True)
    assert classes.count <= 5
    assert find_layers(routing_table(network, ties=False), classes.count) is None


def test_rising_classes_leave_out_pairs_without_a_way():
    from hopscape.core.arrays import NO_PORT
    from hopscape.deadlock.routes import RoutingTable

    network = hopscape.build("torus(4, 4)")
    whole = routing_table(network, network.router("table"), ties=False)
    port = whole.port.copy()
    port[3, :] = NO_PORT
    port[:, 3] = NO_PORT
    table = RoutingTable(network, "cut", port, None, None)
    _, classes, proof = find_classes(network, table, method="rising")
    graph = dependencies(table, classes)  # with ways that end at node 3, where packets are dropped
    assert proof.deadlock_free
    assert nx.is_directed_acyclic_graph(graph)
    assert 0 < proof.dependencies < graph.number_of_edges()


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("spec", "method"),
    [
        ("torus(5, 3)", "auto"),
        ("heawood", "auto"),
        ("random_regular(24, 3)", "auto"),
        ("circulant(21, 1, 8)", "auto"),
        ("random_regular(24, 3)", "rising"),
        ("torus(5, 3)", "rising"),
    ],
)
@pytest.mark.parametrize("routing", ["fixed", "adaptive", "valiant", "ugal"])
def test_the_engine_makes_only_certified_dependencies(spec, method, routing):
    network, adaptive = hopscape.build(spec), routing == "adaptive"
    few = find_classes(network, method=method, anywhere=adaptive)[1].count + 1
    settings = Settings(
        vcs=few if adaptive else 8,  # few: many have to escape
        buffer=2,
        packet=(1, 5),
        routing=routing,
    )
    setup = build_setup(network, settings, method=method)
    assert method == "auto" or setup.classes.method == method
    count = setup.classes.count
    known = dependencies(setup.table, setup.classes, anywhere=adaptive)
    assert nx.is_directed_acyclic_graph(known)
    made = _made(setup, 0.9, 1, 600)
    assert len(made) > 50
    for (a, k), (b, j) in made:
        if adaptive:
            if k >= 0:  # an escape is kept
                assert known.has_edge((a, k), (b, j))
            continue
        assert k // count <= j // count  # the second phase never goes back to the first
        if k // count == j // count:
            assert known.has_edge((a, k % count), (b, j % count))


@pytest.mark.compiled
def test_command_names_the_routes_that_it_certifies():
    auto = ask("deadlock", "circulant(24, 1, 5, 11)", "--vcs", "2")
    assert (auto["vcs"], auto["least"]) == (2, "proved least")
    assert auto["router"] == hopscape.build("circulant(24, 1, 5, 11)").router().name
    assert auto["deadlock_free"] is True
    spec = "cayley(7, 9, 4, 29, 62)"
    own = ask("deadlock", spec, "--router", "closed")
    assert own["router"] == hopscape.build(spec).router("closed").name
    assert own["method"] in ("layers", "rising")
    assert (own["vcs"] > 2, own["at_least"], own["least"]) == (True, 2, "upper bound")
    mixed = ask("deadlock", "petersen", "--routing", "adaptive", "--vcs", "3")
    assert (mixed["vcs"], mixed["deadlock_free"]) == (3, True)
    twice = ask("deadlock", "mesh(4, 4)", "--routing", "valiant")
    assert (twice["vcs"], twice["deadlock_free"]) == (2, False)
    refused("deadlock", "ring(5)", "--routing", "wild")


def test_too_many_layers_name_the_way_out():
    network = hopscape.build("random_regular(60, 4)")
    with pytest.raises(ArgumentError, match="updown"):
        find_classes(network, method="layers", most=1)


def test_sets_of_layers_are_counted_as_numpy_would(monkeypatch):
    bits = np.random.default_rng(0).integers(0, 1 << 5, 400).astype(np.uint32)
    quick = layering._counted(bits, 5)
    monkeypatch.setattr(layering, "_COUNTED_LAYERS", 0)
    for one, other in zip(quick, layering._counted(bits, 5), strict=True):
        assert one.tolist() == other.tolist()
