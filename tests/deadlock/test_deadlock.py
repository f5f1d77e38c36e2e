"""Channel dependency graphs against networkx, and the classes that break their cycles."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow_twin import dependencies

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.deadlock import UpDownRouter, find_classes, judge, port_rings, routing_table
from hopscape.simulate.fabric import build_setup
from hopscape.simulate.settings import Settings

SPECS = [
    "ring(7)",
    "ring(16)",
    "mesh(4, 3)",
    "torus(5, 4)",
    "torus(4, 4, 3)",
    "petersen",
    "circulant(13, 1, 5)",
    "circulant(64, 1, 14)",
    "hypercube(4)",
    "complete(6)",
    "debruijn(2, 4)",
]
KNOWN = {
    "ring(16)": ("dateline", 2),
    "torus(8, 8)": ("dateline", 2),
    "mesh(8, 8)": ("single", 1),
    "hypercube(5)": ("single", 1),
    "petersen": ("layers", 2),
}


@pytest.mark.parametrize("spec", sorted({*SPECS, *KNOWN}))
@pytest.mark.parametrize("method", ["single", "auto"])
def test_certificate_agrees_with_the_dependencies(spec, method):
    table, classes, proof = find_classes(hopscape.build(spec), method=method)
    graph = dependencies(table, classes)
    assert proof.deadlock_free == nx.is_directed_acyclic_graph(graph)
    assert proof.dependencies == graph.number_of_edges()
    if method == "auto":
        assert proof.deadlock_free
        if spec in KNOWN:
            assert (classes.method, classes.count) == KNOWN[spec]
    elif not proof.deadlock_free:
        steps = [(a, b) for a, b, _ in proof.cycle]
        assert all(x[1] == y[0] for x, y in zip(steps, steps[1:] + steps[:1]))
        shortest = min(
            nx.shortest_path_length(graph, v, u) + 1
            for part in nx.strongly_connected_components(graph)
            for u, v in graph.subgraph(part).edges
        )
        assert len(proof.cycle) == shortest


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.integers(5, 24), st.integers(2, 5))
def test_random_networks_get_layers_and_up_down(seed, order, degree):
    graph = nx.gnm_random_graph(order, order * degree // 2, seed=seed)
    graph.add_edges_from((i, i + 1) for i in range(order - 1))
    tails, heads = zip(*graph.edges)
    network = Network.from_links(order, tails, heads)
    _, _, proof = find_classes(network, method="layers")
    assert proof.deadlock_free
    router = UpDownRouter(network)
    _, classes, proof = find_classes(network, router, method="single")
    assert proof.deadlock_free
    assert classes.count == 1
    everyone = np.arange(order)
    at, to = np.repeat(everyone, order), np.tile(everyone, order)
    nodes, _ = router.walk(at, to)
    assert np.array_equal((nodes >= 0).sum(axis=1) - 1, router.distances(at, to))


def test_rings_of_ports():
    assert port_rings(hopscape.build("random_regular(20, 3)")) is None
    assert (port_rings(hopscape.build("mesh(3, 3)")) == -1).all()
    rings = port_rings(hopscape.build("torus(3, 4)"))
    assert len(set(rings.tolist())) == 14


def test_words_name_the_circle():
    _, _, proof = find_classes(hopscape.build("ring(4)"), method="single")
    assert "0→1 waits for 1→2" in proof.words()


def test_wrong_wishes():
    with pytest.raises(ArgumentError, match="unknown"):
        find_classes(hopscape.build("ring(4)"), method="magic")
    with pytest.raises(ArgumentError, match="datelines"):
        find_classes(hopscape.build("random_regular(20, 3)"), method="dateline")
    with pytest.raises(ArgumentError, match="simplex"):
        UpDownRouter(hopscape.build("debruijn(2, 3)"))


def test_table_kernel_agrees_with_the_router():
    network = hopscape.build("random_regular(210, 3)")
    table = routing_table(network, network.router("table"))
    at = np.repeat(np.arange(210), 210)
    to = np.tile(np.arange(210), 210)
    ports = network.router("table").next_ports(at, to)
    assert np.array_equal(np.where(ports < 0, 0xFFFF, ports), table.port.ravel())


def test_large_networks_are_judged_by_a_few_goals_first(monkeypatch):
    """What a sample of goals says in haste is what all goals say."""
    from hopscape.deadlock import classes

    for spec in ("ring(24)", "mesh(4, 6)", "torus(4, 5)"):
        network = hopscape.build(spec)
        thorough = find_classes(network)[1:]
        monkeypatch.setattr(classes, "_FEW_GOALS", 1)
        hasty = find_classes(network)[1:]
        monkeypatch.undo()
        assert (hasty[0].method, hasty[0].count) == (thorough[0].method, thorough[0].count)
        assert hasty[1].deadlock_free == thorough[1].deadlock_free


@pytest.mark.parametrize("routing", ["fixed", "adaptive", "valiant", "ugal"])
def test_a_routing_is_judged_as_the_simulator_demands(routing):
    """It is free with as many virtual channels as a simulation takes, and with no fewer."""
    net = hopscape.build("torus(4, 4)")
    needed = judge(net, routing=routing).needed
    for vcs in (needed - 1, needed):
        found = judge(net, routing=routing, vcs=vcs)
        assert bool(found) == found.to_dict()["deadlock_free"] == (vcs == needed)
        if vcs == needed:
            assert build_setup(net, Settings(vcs=vcs, routing=routing)).certificate.deadlock_free
        else:
            with pytest.raises(ArgumentError, match=f"needs {needed} virtual channels"):
                build_setup(net, Settings(vcs=vcs, routing=routing))


def test_what_cannot_be_judged_is_refused():
    net = hopscape.build("multiring(7, 1, 2)")
    chosen = net.router("balanced-rings")
    assert judge(net, chosen, vcs=judge(net, chosen).needed)
    with pytest.raises(ArgumentError, match="balanced-rings routes are fixed"):
        judge(net, chosen, routing="valiant")
    with pytest.raises(ArgumentError, match="vcs is 0"):
        judge(net, vcs=0)
    with pytest.raises(ArgumentError, match="routing is 'up'"):
        judge(net, routing="up")
