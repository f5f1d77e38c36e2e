"""Routers that stay on one ring: ways, loads, classes, and flits that follow them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, verify
from hopscape.core.errors import ArgumentError
from hopscape.deadlock import certify, find_classes, find_source_classes, source_routes
from hopscape.metrics import channel_load
from hopscape.papers.multiring.capacity import balanced_schedule, shortest_schedule
from hopscape.papers.multiring.families import Multiring, SparseMultiring
from hopscape.papers.multiring.rings import circuits
from hopscape.papers.multiring.routing import route_rows
from hopscape.papers.multiring.sparse_capacity import sparse_capacity
from hopscape.simulate import Settings, build_setup, make_traffic
from hopscape.simulate.layout import PATH
from hopscape.simulate.measurement import run_point
from hopscape.simulate.replay import replay

SPECS = [
    "multiring(2, 1)",
    "multiring(3, 1)",
    "multiring(16, 1, 3)",
    "multiring(12, 1, 2, 3)",
    "multiring(9, 1, 2, -4)",
    "multiring(8, 1, 3, simplex=true)",
    "multiring(8, 1, copies=3)",
    "sparse_multiring(2, 2)",
    "sparse_multiring(2, 9)",
    "sparse_multiring(3, 6)",
    "sparse_multiring(2, 8, order=[3, 0, 5, 1, 7, 2, 4, 6])",
    "sparse_multiring(4, 8, sigma=2)",
    "sparse_multiring(3, 6, rings=5, order=[5, 1, 2, 3, 4, 0])",
]
NAMES = {"one-ring": "shortest", "balanced-rings": "balanced"}


def all_pairs(net):
    return tuple(x.ravel() for x in np.indices((net.order, net.order)))


def exact_capacity(member, schedule):
    if isinstance(member, SparseMultiring):
        return getattr(sparse_capacity(member), schedule).capacity
    build = balanced_schedule if schedule == "balanced" else shortest_schedule
    return build(member).capacity


def ring_of_channel(net):
    """Which ring each channel belongs to, from the nodes of the rings alone."""
    out = {}
    for i, ring in enumerate(circuits(net.family)):
        size = len(ring.nodes)
        for k in range(size):
            channel = int(net.channel_at(ring.nodes[[k]], ring.ports[[k]])[0])
            assert net.heads[channel] == ring.nodes[(k + 1) % size]
            assert channel not in out
            out[channel] = i
    assert len(out) == len(net.heads)
    return out


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spec", SPECS)
def test_every_way_stays_on_one_ring_and_shares_add_up(spec, name):
    net = hopscape.build(spec)
    router, rings = net.router(name), ring_of_channel(net)
    assert not router.chained
    at, to = all_pairs(net)
    total = np.zeros(len(at))
    ways = [(None, *router.walk(at, to)), *router.multipath(at, to)]
    for shares, nodes, ports in ways:
        for i in range(len(at)):
            if shares is not None and shares[i] == 0:
                continue
            taken = ports[i][ports[i] >= 0]
            path = nodes[i][: len(taken) + 1]
            used = {rings[int(c)] for c in net.channel_at(path[:-1], taken)}
            assert len(used) == (at[i] != to[i])
            assert path[0] == at[i]
            assert path[-1] == to[i]
            assert len(set(path.tolist())) == len(path)
        if shares is not None:
            total += shares
    assert np.allclose(total, 1)
    _, nodes, ports = ways[0]
    assert ((ports >= 0).sum(axis=1) == router.distances(at, to)).all()
    apart = at != to
    assert (router.next_ports(at, to)[apart] == ports[apart, 0]).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spec", SPECS)
def test_loads_are_those_of_the_exact_schedule(spec, name):
    net = hopscape.build(spec)
    found = channel_load(net, net.router(name))
    exact = exact_capacity(net.family, NAMES[name])
    assert math.isclose(net.order * found.throughput, exact, rel_tol=1e-9)


@settings(deadline=None, max_examples=20)
@given(st.integers(3, 30), st.data())
def test_loads_of_random_multirings(n, data):
    steps = data.draw(st.sets(st.integers(1, (n - 1) // 2), min_size=1, max_size=4)) | {1}
    net = hopscape.Network.of(Multiring(n, tuple(sorted(steps))))
    for name, schedule in NAMES.items():
        found = channel_load(net, net.router(name))
        exact = exact_capacity(net.family, schedule)
        assert math.isclose(n * found.throughput, exact, rel_tol=1e-9)


def test_a_torus_of_multirings_carries_what_its_lines_allow():
    specs = ["multiring(8, 1, 3)", "multiring(3, 1)", "sparse_multiring(2, 4)"]
    net = hopscape.build(f"product({', '.join(specs)})")
    lines = [hopscape.build(spec).family for spec in specs]
    for name, schedule in NAMES.items():
        rate = min(exact_capacity(m, schedule) / (m.order - 1) for m in lines)
        found = channel_load(net, net.router(name))
        assert math.isclose(net.order * found.throughput, rate * (net.order - 1), rel_tol=1e-9)
    router = net.router("balanced-rings")
    at, to = all_pairs(net)
    nodes, ports = router.walk(at, to)
    ends = nodes[np.arange(len(at)), (ports >= 0).sum(axis=1)]
    assert (ends == to).all()
    assert ((ports >= 0).sum(axis=1) == router.distances(at, to)).all()
    _, classes, proof = find_source_classes(net, router)
    assert (classes.count, proof.deadlock_free) == (2, True)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spec", SPECS)
def test_two_classes_are_always_enough(spec, name):
    net = hopscape.build(spec)
    routes, classes, proof = find_source_classes(net, net.router(name))
    assert proof.deadlock_free
    assert classes.count <= 2
    waits = set()  # who waits for whom, way by way, with classes
    steps = classes.steps if classes.steps is not None else np.zeros_like(routes.channels)
    for low, high in zip(routes.starts[:-1], routes.starts[1:]):
        whole = list(zip(routes.channels[low:high].tolist(), steps[low:high].tolist()))
        waits |= set(pairwise(whole))
    assert acyclic(waits)
    assert proof.dependencies == len(waits)


def acyclic(edges):
    """Take away what nobody waits for until nothing is left."""
    edges = set(edges)
    while edges:
        followed = {b for _, b in edges}
        left = {(a, b) for a, b in edges if a in followed}
        if left == edges:
            return False
        edges = left
    return True


def test_one_class_deadlocks_round_a_ring():
    net = hopscape.build("multiring(16, 1, 3)")
    routes, single, proof = find_source_classes(net, net.router("one-ring"), method="single")
    assert not proof.deadlock_free
    assert len(proof.cycle) == 16
    assert certify(routes, single) == proof
    short = hopscape.build("multiring(3, 1)")  # no path has two hops
    assert find_source_classes(short, short.router("one-ring"))[1].count == 1


def test_tables_refuse_ways_that_they_cannot_hold():
    net = hopscape.build("multiring(16, 1, 3)")
    with pytest.raises(ArgumentError, match="fit no table"):
        find_classes(net, net.router("one-ring"))
    with pytest.raises(
        ArgumentError, match="choose auto, closed, table, search, updown, one-ring, bal"
    ):
        net.router("best")
    with pytest.raises(ArgumentError, match=r"choose auto, closed, table, search, updown$"):
        hopscape.build("ring(5)").router("one-ring")


def test_routes_as_rows_are_the_schedule():
    for spec in SPECS:
        net = hopscape.build(spec)
        for schedule in NAMES.values():
            rows = route_rows(net, schedule, range(net.order))
            sums, loads = {}, 0
            for row in rows:
                pair = row["source"], row["target"]
                sums[pair] = sums.get(pair, Fraction(0)) + row["share"]
                loads += row["share"] * row["length"]
            assert set(sums.values()) == {1}
            assert len(sums) == net.order * (net.order - 1)
            name = next(n for n, s in NAMES.items() if s == schedule)
            hops = channel_load(net, net.router(name)).hops
            assert math.isclose(loads, hops * len(sums), rel_tol=1e-9)


@pytest.mark.parametrize("spec", ["multiring(16, 1, 3)", "sparse_multiring(2, 8)"])
@pytest.mark.parametrize("name", NAMES)
def test_all_to_all_by_a_schedule_is_right_and_can_be_replayed(spec, name):
    net = hopscape.build(spec)
    goal = Goal.all_to_all()
    algorithm = next(
        c for c in net.family.collectives() if (c.name, c.goal) == (name, "all-to-all")
    )
    schedule = algorithm.build(net, goal, Model())
    assert verify(schedule, net, goal, model=Model())
    done = replay(build_setup(net, Settings(vcs=2), net.router(name)), schedule)
    assert done.cycles > 0


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("spec", ["multiring(16, 1, 3)", "sparse_multiring(2, 8)"])
def test_flits_follow_the_schedule(spec, name):
    """Every channel carries its share of the load, and no packet leaves its ring."""
    net = hopscape.build(spec)
    router = net.router(name)
    setup = build_setup(net, Settings(vcs=4), router)
    point = run_point(setup, make_traffic("uniform", net.order), 0.2, cycles=20_000, seed=1)
    assert not point.saturated
    expected = channel_load(net, router)
    assert point.hops - 1 == pytest.approx(expected.hops * (net.order - 1) / net.order, rel=0.02)
    assert point.busiest == pytest.approx(
        0.2 * expected.largest * (net.order - 1) / net.order, rel=0.08
    )


def test_packets_in_flight_are_on_their_rings():
    from hopscape.simulate.engine_kernels import advance
    from hopscape.simulate.measurement import make_source, start
    from hopscape.simulate.run import blank_counters

    net = hopscape.build("multiring(12, 1, 2, 3)")
    router, rings = net.router("balanced-rings"), ring_of_channel(net)
    setup = build_setup(net, Settings(vcs=4), router)
    routes = source_routes(net, router)
    pattern = make_traffic("uniform", net.order)
    source = make_source(pattern, setup.settings, 0.3)
    state = start(setup, pattern, source, 0)
    advance(setup.fabric, state, source, blank_counters(setup, 1), 400, 1000)
    seen = 0
    for packet in state.packets[: int(state.scalars[4])]:
        if packet[PATH] >= 0:
            way = int(np.searchsorted(routes.starts, packet[PATH], side="right")) - 1
            low, high = routes.starts[way], routes.starts[way + 1]
            assert low == packet[PATH]
            assert len({rings[int(c)] for c in routes.channels[low:high]}) == 1
            seen += 1
    assert seen > 20


@pytest.mark.parametrize(
    ("settings_", "words"),
    [(Settings(vcs=1), "needs 2"), (Settings(routing="adaptive"), "routes are fixed")],
)
def test_simulation_refuses_what_it_cannot_do(settings_, words):
    net = hopscape.build("multiring(16, 1, 3)")
    with pytest.raises(ArgumentError, match=words):
        build_setup(net, settings_, net.router("one-ring"))
