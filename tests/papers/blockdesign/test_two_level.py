"""Two-level machines: wiring by formula, three exact routers, loads, kinds of channels."""

import itertools
from collections import deque

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import hopscape
from commands import ask
from hopscape.algebra.fields import galois_field, prime_power
from hopscape.cli.app import app
from hopscape.collectives.choose import run_algorithm
from hopscape.core.detours import DetourRouter
from hopscape.core.errors import ArgumentError, DisconnectedError, HopscapeError, SpecError
from hopscape.core.goal import Goal
from hopscape.core.router import pick, spread
from hopscape.core.router_check import check_router
from hopscape.core.verify import verify
from hopscape.metrics import channel_load, distance_profile
from hopscape.papers.blockdesign import contention
from hopscape.papers.blockdesign import routing as self_routing
from hopscape.papers.blockdesign import two_level_kernels as orbit_kernels
from hopscape.papers.blockdesign.lanes import deal_lanes, split_links
from hopscape.papers.blockdesign.machines import (
    join_supernodes,
    joining_channels,
    measure_machine,
    paper_machines,
    reserve_jumps,
)
from hopscape.papers.blockdesign.meeting import MeetingRouter, tree_loads
from hopscape.papers.blockdesign.rounds import plan_rounds
from hopscape.papers.blockdesign.routing import all_routes, route_around
from hopscape.papers.blockdesign.shifts import find_orbits
from hopscape.papers.blockdesign.two_level import OrbitRouter, PortalRouter
from hopscape.simulate.settings import link_classes

INNER = [
    "complete(1)", "complete(2)", "complete(4)", "ring(5)", "path(3)", "partial_switch(7, 3)",
    "quasicomplete_digraph(2)", "kautz(2, 1)", "debruijn(2, 2, duplex=true)", "circulant(6, 2)",
    "distributed_switch(3, 2, 1)", "debruijn(2, 2)",
]  # fmt: skip
OUTER = [
    "complete(1)", "complete(2)", "complete(6)", "ring(2)", "ring(4)", "path(4)", "torus(3, 2)",
    "hypercube(3)", "petersen", "distributed_switch(7, 3, 1)", "quasicomplete_digraph(2)",
    "kautz(2, 2)", "debruijn(2, 3, duplex=true)", "random_regular(8, 3)", "circulant(9, 3)",
    "fat_tree(2)", "dragonfly(2, 1)", "mesh(2, 3)", "debruijn(2, 2)", "multiring(7, 1, 2)",
]  # fmt: skip
PAIRS = list(itertools.product(INNER, OUTER))


def machine(inner, outer, copies=1, **more):
    """The machine, or None when the family refuses it."""
    words = "".join(f", {key}={value}" for key, value in more.items())
    try:
        return hopscape.build(f"two_level({inner}, {outer}, copies={copies}{words})")
    except SpecError:
        return None


def routers(network):
    """All routers that this machine can have."""
    found = [PortalRouter(network, network.family), MeetingRouter(network)]
    if network.family.orbits is not None:
        found.append(OrbitRouter(network, network.family.orbits))
    return found


def slow_wiring(network):
    """Links of a machine from its two networks, one by one: pairs of nodes, both ways."""
    family = network.family
    inside, outer = family.supernode, family.between
    size, count = family.size, family.count
    local_rank = {int(v): i for i, v in enumerate(inside.endpoints)}
    rest = [v for v in range(inside.order) if v not in local_rank]
    rank = {int(v): i for i, v in enumerate(outer.endpoints)}
    beyond = [v for v in range(outer.order) if v not in rank]

    def local(g, v):
        if v in local_rank:
            return g * size + local_rank[v]
        return count * size + g * len(rest) + rest.index(v)

    links = [
        (local(g, int(u)), local(g, int(v)))
        for g in range(count)
        for u, v in zip(inside.tails, inside.heads, strict=True)
    ]
    arrivals = {v: [] for v in range(outer.order)}
    if not outer.duplex:
        by_port = sorted(
            range(len(outer.heads)), key=lambda c: (int(outer.port_of(c)), int(outer.tails[c]))
        )
        for c in by_port:
            arrivals[int(outer.heads[c])].append(c)
    for c in range(len(outer.heads)):
        u, v = int(outer.tails[c]), int(outer.heads[c])
        port = int(outer.port_of(c))
        into = int(outer.port_of(outer.reverse[c])) if outer.duplex else arrivals[v].index(c)
        for copy in range(family.copies):
            shift = copy * (size // family.copies)
            ends = []
            for node, at in ((u, port), (v, into)):
                if node in rank:
                    ends.append(rank[node] * size + (at + shift) % size)
                else:
                    ends.append(count * size + count * len(rest) + beyond.index(node))
            links.append(tuple(ends))
    return sorted(links)


@pytest.mark.parametrize(("inner", "outer"), PAIRS[::3])
def test_wiring_against_the_definition(inner, outer):
    for copies in (1, 2):
        network = machine(inner, outer, copies)
        if network is None or network.order > 200:
            continue
        assert sorted(zip(network.tails.tolist(), network.heads.tolist(), strict=True)) == (
            slow_wiring(network)
        )
        if network.duplex:
            assert (network.reverse >= 0).all()
        known = network.facts.known()
        measured = {
            "degree_min": int(network.degrees.min()),
            "degree_max": int(network.degrees.max()),
            "channels": len(network.heads),
            "links": len(network.heads) // (2 if network.duplex else 1),
            "connected": distance_profile(network, exact=True).connected,
        }
        assert {fact: measured[fact] for fact in known} == known


@given(st.sampled_from(PAIRS), st.integers(1, 3))
@settings(deadline=None, max_examples=25)
def test_all_routers_agree_with_search(pair, copies):
    network = machine(*pair, copies)
    if network is None or network.order > 90:
        return
    assert check_router(network.router())
    for router in routers(network):
        verdict = check_router(router)
        assert verdict, (network.spec, router.name, verdict)


@given(st.data())
@settings(deadline=None, max_examples=12)
def test_random_machines(data):
    draw = data.draw
    size, degree = draw(st.integers(2, 7)), draw(st.integers(1, 3))
    inner = draw(st.sampled_from([f"ring({size})", f"path({size})", f"complete({size})"]))
    count = draw(st.sampled_from([n for n in range(3, 12) if n * degree % 2 == 0 and n > degree]))
    seed = draw(st.integers(0, 99))
    outer = draw(
        st.sampled_from(
            [f"random_regular({count}, {degree}, seed={seed})", f"circulant({count}, 1, 2)",
             f"complete({count})", f"multiring({count}, 1)", f"torus({count}, 2)"]
        )
    )  # fmt: skip
    network = machine(inner, outer, draw(st.integers(1, size)))
    for router in routers(network):
        assert check_router(router), (network.spec, router.name)


def test_which_router_is_taken():
    names = {
        "two_level(complete(4), complete(9))": "two-level",
        "two_level(ring(5), petersen)": "portals",
        "two_level(complete(20), random_regular(60, 20))": "meeting searches",
    }
    assert {spec: hopscape.build(spec).router().name for spec in names} == names


@pytest.mark.parametrize(
    ("outer", "shifts"),
    [("complete(9)", True), ("torus(3, 4)", True), ("hypercube(4)", True), ("ring(6)", True),
     ("distributed_switch(13, 4, 1)", True), ("distributed_switch(16, 6, 2)", True),
     ("distributed_switch(45, 12, 3)", True), ("quasicomplete_digraph(3)", True),
     ("path(4)", False), ("mesh(3, 3)", False), ("random_regular(8, 3)", False),
     ("distributed_switch(36, 15, 6)", False)],
)  # fmt: skip
def test_orbits_are_found_where_they_are(outer, shifts):
    network = hopscape.build(f"two_level(complete(4), {outer})")
    assert (network.family.orbits is not None) == shifts
    assert (network.symmetry is not None) == shifts
    if shifts:
        exact = distance_profile(network, exact=True)
        assert distance_profile(network).histogram == exact.histogram


def test_a_network_with_one_wire_moved_has_no_orbits(monkeypatch):
    family = hopscape.build("two_level(complete(3), complete(7))").family
    assert find_orbits(family) is not None
    far, arrive = (table.copy() for table in family.outer)
    far[2, [0, 1]] = far[2, [1, 0]]
    family.__dict__["outer"] = (far, arrive)
    assert find_orbits(family) is None


def twin_distances(leads, shifts, moduli, count):
    """Distances by position, position and difference, with dictionaries."""

    def add(a, b):
        digits = []
        for side in reversed(moduli):
            digits.append((a % side + b % side) % side)
            a, b = a // side, b // side
        return sum(d * int(np.prod(moduli[len(moduli) - i :])) for i, d in enumerate(digits))

    out = {}
    for source in range(len(leads)):
        out[source, source, 0] = 0
        queue = deque([(source, 0)])
        while queue:
            at, element = queue.popleft()
            for there, shift in zip(leads[at].tolist(), shifts[at].tolist(), strict=True):
                node = (there, add(element, shift))
                if there >= 0 and (source, *node) not in out:
                    out[source, *node] = out[source, at, element] + 1
                    queue.append(node)
    assert all(0 <= element < count for _, _, element in out)
    return out


@pytest.mark.parametrize(
    "spec",
    ["two_level(complete(3), torus(3, 2))", "two_level(partial_switch(7, 3), ring(4))",
     "two_level(complete(2), distributed_switch(7, 3, 1))", "two_level(path(3), hypercube(3))",
     "two_level(circulant(4, 2), complete(3))"],
)  # fmt: skip
def test_orbit_kernel_against_its_twin(spec):
    orbits = hopscape.build(spec).family.orbits
    moduli = orbits.group.moduli
    twin = twin_distances(orbits.leads, orbits.shifts, moduli, orbits.family.count)
    none = np.iinfo(orbits.table.dtype).max
    for place, found in np.ndenumerate(orbits.table):
        assert (None if found == none else int(found)) == twin.get(place)
    wide = np.full(orbits.table.shape, np.iinfo(np.uint16).max, dtype=np.uint16)
    assert orbit_kernels.fill_distances(orbits.leads, orbits.shifts, orbits.moduli, wide)
    narrow = np.full(orbits.table.shape, 2, dtype=np.uint8)
    assert not orbit_kernels.fill_distances(orbits.leads, orbits.shifts, orbits.moduli, narrow)


def brute_loads(network, router):
    """Follow every route, packet by packet."""
    ends = network.endpoints.tolist()
    loads = np.zeros(len(network.heads))
    pairs = np.array(list(itertools.permutations(ends, 2)))
    paths, ports = router.walk(pairs[:, 0], pairs[:, 1])
    for path, taken in zip(paths.tolist(), ports.tolist(), strict=True):
        for node, port in zip(path, taken, strict=False):
            if port >= 0:
                loads[network.channel_at(node, port)] += 1 / (len(ends) - 1)
    return loads


@pytest.mark.parametrize(
    "spec",
    ["two_level(complete(4), complete(9))", "two_level(ring(5), petersen)",
     "two_level(partial_switch(7, 3), complete(4))", "two_level(quasicomplete_digraph(2), path(4))",
     "two_level(complete(3), quasicomplete_digraph(2))", "two_level(complete(3), torus(2, 3))",
     "two_level(complete(5), random_regular(8, 3), copies=2)"],
)  # fmt: skip
def test_loads_against_following_every_route(spec):
    network = hopscape.build(spec)
    found = channel_load(network)
    truth = brute_loads(network, network.router())
    assert np.allclose(found.loads, truth)
    if isinstance(network.router(), PortalRouter | MeetingRouter):
        assert np.allclose(tree_loads(network)[0], truth)
    assert found.how in ("symmetry", "exact")
    assert found.largest == pytest.approx(truth.max())
    assert found.hops == pytest.approx(truth.sum() / network.endpoint_count)


def test_loads_of_a_sample_add_up(monkeypatch):
    network = hopscape.build("two_level(ring(6), mesh(3, 4))")
    exact, how = tree_loads(network)
    assert how == "exact"
    monkeypatch.setattr("hopscape.papers.blockdesign.meeting._TREE_WORK", 20 * len(network.heads))
    sampled, how = tree_loads(network, seed=3)
    assert how == "sampled"
    assert sampled.sum() == pytest.approx(exact.sum(), rel=0.2)
    assert (tree_loads(network, seed=3)[0] == sampled).all()


def searched(network, start, dead):
    """Hops from a node to all that it reaches, by plain breadth-first search."""
    far, queue = {start: 0}, deque([start])
    while queue:
        u = queue.popleft()
        for c in range(network.indptr[u], network.indptr[u + 1]):
            v = int(network.heads[c])
            if not dead[c] and v not in far:
                far[v] = far[u] + 1
                queue.append(v)
    return far


@pytest.mark.parametrize(
    "spec",
    ["two_level(ring(5), petersen)", "two_level(path(3), fat_tree(2))",
     "two_level(quasicomplete_digraph(2), path(4))", "two_level(complete(4), complete(6))"],
)  # fmt: skip
def test_walks_by_portals_against_breadth_first_search(spec):
    network = hopscape.build(spec)
    at, to = (x.ravel() for x in np.indices((network.order, network.order)))
    nodes, ports = PortalRouter(network, network.family).walk(at, to)
    assert (nodes[:, 0] == at).all()
    dead = np.zeros(len(network.heads), bool)
    far = [searched(network, u, dead) for u in range(network.order)]
    for a, b, path, taken in zip(at.tolist(), to.tolist(), nodes.tolist(), ports.tolist()):
        hops = far[a][b]
        assert path[hops] == b
        assert path[hops + 1 :] == [-1] * (len(path) - hops - 1)
        assert taken[hops:] == [-1] * (len(taken) - hops)
        for u, v, port in zip(path[:hops], path[1:], taken[:hops], strict=False):
            assert network.neighbours(u)[port] == v


def test_meeting_searches_are_one_routing():
    """One by one, as arrays and as masks of ports, also above 1,024 nodes: compiled there."""
    for spec in ("two_level(complete(20), random_regular(60, 20))", "two_level(ring(5), petersen)"):
        network = hopscape.build(spec)
        router = MeetingRouter(network)
        at, to = np.random.default_rng(5).integers(0, network.order, size=(2, 60))
        nodes, ports = router.walk(at, to)
        assert (router.next_ports(at, to) == ports[:, 0])[at != to].all()
        assert (router.distances(at, to) == (ports >= 0).sum(axis=1)).all()
        for a, b, path, taken in zip(at.tolist(), to.tolist(), nodes.tolist(), ports.tolist()):
            assert router.trace(a, b) == ([v for v in path if v >= 0], [p for p in taken if p >= 0])
            if a != b:
                mask = router.shortest_ports(np.asarray([a]), np.asarray([b]))
                assert pick(mask, spread(np.asarray([a]), np.asarray([b])))[0] == taken[0]


def test_loads_of_meeting_searches():
    network = hopscape.build("two_level(ring(5), random_regular(8, 3))")
    assert np.allclose(tree_loads(network)[0], brute_loads(network, MeetingRouter(network)))


@pytest.mark.parametrize(
    "spec", ["two_level(complete(4), complete(9))",
             "two_level(complete(4), distributed_switch(7, 3, 1))",
             "two_level(quasicomplete_digraph(2), complete(5))", "two_level(ring(5), petersen)"],
)  # fmt: skip
def test_ways_and_detours(spec):
    network = hopscape.build(spec)
    ends = network.endpoint_count
    generator = np.random.default_rng(1)
    for a, b in generator.integers(0, ends, size=(20, 2)).tolist():
        ways = all_routes(network, a, b)
        hops = network.router().distance(a, b)
        assert {way.length for way in ways} <= {hops}
        assert len({(way.path, way.ports) for way in ways}) == len(ways)
        for way in ways:
            for node, port, after in zip(way.path, way.ports, way.path[1:], strict=False):
                assert network.neighbours(node)[port] == after
        if a == b:
            assert ways == []
            continue
        first = set(itertools.pairwise(ways[0].path))
        link = min(first)
        reserve = route_around(network, a, b, dead_links=[link])
        assert link not in set(itertools.pairwise(reserve.path))
        assert reserve.length >= hops
        detour = DetourRouter(network, dead_links=[link])
        assert reserve.length == detour.distance(a, b)


def test_a_pair_that_is_cut_off():
    network = hopscape.build("two_level(complete(2), complete(2))")
    cut = [(0, v) for v in network.neighbours(0) if v >= 0]
    with pytest.raises(DisconnectedError):
        route_around(network, 0, 3, dead_links=cut)
    with pytest.raises(ArgumentError, match="endpoint"):
        route_around(network, 0, 3, dead_switches=[1])


def test_disconnected_machines_say_so():
    network = hopscape.build("two_level(circulant(4, 2), circulant(6, 2))")
    assert network.facts.connected is False
    for router in routers(network):
        assert router.distance(0, 23) == -1
        with pytest.raises(DisconnectedError):
            router.walk(np.array([0]), np.array([23]))
    with pytest.raises(DisconnectedError):
        channel_load(network)


# -- kinds of channels ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "spec",
    ["two_level(complete(8), complete(33), group=4, speeds=[5, 1, 2])",
     "two_level(complete(6), complete(13), copies=2, lanes=[2, 2])",
     "two_level(complete(4), complete(41), lanes=[6, 4], speeds=[5, 2, 1])",
     "two_level(partial_switch(7, 3), complete(29), lanes=[2, 2])",
     "two_level(complete(5), distributed_switch(13, 4, 1), group=2)",
     "two_level(quasicomplete_digraph(3), complete(19), lanes=[1, 1])",
     "two_level(complete(4), torus(3, 3), group=3)", "two_level(ring(6), complete(4))"],
)  # fmt: skip
def test_kinds_of_channels(spec):
    network = hopscape.build(spec)
    assert hopscape.build(network.spec).spec == network.spec
    family = network.family
    kinds = network.class_of(np.arange(len(network.heads)))
    if network.duplex:
        assert (kinds == kinds[network.reverse]).all()
    names = [kind.name for kind in network.classes]
    for c in range(len(network.heads)):
        u, v = int(network.tails[c]), int(network.heads[c])
        (g, h), (i, j) = family.position(np.array([u, v]))
        if g != h or g < 0:
            assert names[kinds[c]].startswith("global")
        elif family.group and max(i, j) < family.size and i // family.group == j // family.group:
            assert names[kinds[c]] == "group"
        else:
            assert names[kinds[c]] == "local"
    if len(family.lanes) > 1:
        first = names.index("global1")
        for v in range(family.ends):
            mine = kinds[network.indptr[v] : network.indptr[v + 1]]
            assert [int((mine == first + k).sum()) for k in range(len(family.lanes))] == list(
                family.lanes
            )
    assert {name for name, channels in link_classes(network).items() if len(channels)} >= set(names)


def test_throughput_honours_the_speeds():
    base = "two_level(complete(8), complete(33), group=4"
    plain, fast = (hopscape.build(f"{base}{more})") for more in ("", ", speeds=[5, 1, 2]"))
    one, two = channel_load(plain), channel_load(fast)
    assert (one.loads == two.loads).all()
    assert one.throughput == pytest.approx(1 / one.largest)
    by_hand = min(
        speed / two.loads[fast.class_of(np.arange(len(two.loads))) == k].max()
        for k, speed in enumerate((5, 1, 2))
    )
    assert two.throughput == pytest.approx(by_hand)
    assert [kind.speed for kind in two.classes] == [5, 1, 2]
    assert sum(kind.channels for kind in two.classes) == len(two.loads)


@pytest.mark.parametrize(
    "more",
    ["group=1", "group=4", "group=9", "lanes=[1]", "lanes=[3, 4]", "speeds=[1]", "speeds=[1, 2, 3]",
     "copies=5", "speeds=[0, 1]", "lanes=[0, 2]", "group=2, speeds=[1, 2]"],
)  # fmt: skip
def test_refused_kinds(more):
    with pytest.raises(SpecError):
        hopscape.build(f"two_level(complete(4), complete(9), {more})")


@pytest.mark.parametrize(
    ("inner", "between", "copies"),
    [("complete(4)", "complete(9)", 1), ("complete(4)", "complete(17)", 1),
     ("complete(3)", "complete(13)", 1), ("complete(4)", "complete(9)", 2),
     ("complete(3)", "complete(16)", 1), ("complete(2)", "petersen", 1),
     ("complete(2)", "random_regular(12, 5)", 1)],
)  # fmt: skip
def test_lanes_are_dealt_or_impossible(inner, between, copies):
    """All splits in two: both ends agree and no endpoint has too many, or the sum forbids it."""
    size = int(inner[9:-1])
    width = -(-hopscape.build(between).ports // size) * copies
    for lane in range(1, width):
        spec = f"two_level({inner}, {between}, copies={copies}, lanes=[{lane}, {width - lane}])"
        try:
            network = hopscape.build(spec)
        except SpecError:
            assert lane % 2 or (width - lane) % 2
            assert network_is_odd(f"two_level({inner}, {between}, copies={copies})", width)
            continue
        kinds = network.class_of(np.arange(len(network.heads)))
        assert (kinds == kinds[network.reverse]).all()
        for v in range(network.endpoint_count):
            mine = kinds[network.indptr[v] : network.indptr[v + 1]]
            assert (mine == 1).sum() <= lane
            assert (mine == 2).sum() <= width - lane


def network_is_odd(spec, width):
    """Some component of the links between supernodes is full and has an odd number of nodes."""
    network = hopscape.build(spec)
    family = network.family
    group = np.arange(network.order) // family.size
    graph = nx.MultiGraph()
    graph.add_nodes_from(range(network.order))
    pairs = zip(network.tails.tolist(), network.heads.tolist(), strict=True)
    graph.add_edges_from((u, v) for u, v in pairs if u < v and group[u] != group[v])
    parts = nx.connected_components(graph)
    return any(len(part) % 2 and all(graph.degree(v) == width for v in part) for part in parts)


def test_impossible_lanes_are_refused_when_the_spec_is_built():
    with pytest.raises(SpecError, match="13/2 links"):
        hopscape.build("two_level(complete(3), complete(13), lanes=[1, 3])")
    with pytest.raises(ArgumentError, match="a largest matching"):  # a bridge at every cut
        deal_lanes(*no_factor(), 16, [1, 2])
    with pytest.raises(ArgumentError, match="integer program"):  # its edges need four colours
        deal_lanes(*np.array(nx.petersen_graph().edges).T, 10, [1, 1, 1])


def no_factor():
    """A cubic graph without a perfect matching: three pieces of five nodes on one more."""
    first, second = [], []
    for base in (1, 6, 11):
        edges = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)]
        first += [0, *(base + a for a, _ in edges)]
        second += [base, *(base + b for _, b in edges)]
    return np.array(first), np.array(second)


def test_splits_are_found_or_proved_impossible():
    """Against an integer program: any multigraph, full or not, by factors and by ports."""
    rng = np.random.default_rng(8)
    met = {True: 0, False: 0}
    for _ in range(120):
        nodes, most, rest = (int(x) for x in (rng.integers(2, 12), *rng.integers(1, 6, 2)))
        first, second = drawn_links(nodes, most + rest, rng)
        if len(first) == 0 or most % 2 == rest % 2 == 0:
            continue
        mine = split_links(first, second, nodes, most, rest)
        met[mine is not None] += 1
        assert (mine is not None) == can_be_split(first, second, nodes, most, rest)
        for part, limit in () if mine is None else ((mine, most), (~mine, rest)):
            ends = np.concatenate([first[part], second[part]])
            assert np.bincount(ends, minlength=1).max() <= limit
    assert min(met.values()) > 3


def drawn_links(nodes, most, rng):
    """Random links, at most so many at a node; sometimes some are missing."""
    room, ends = np.full(nodes, most), []
    for a, b in rng.integers(0, nodes, (3 * nodes * most, 2)).tolist():
        if a != b and room[a] and room[b]:
            ends.append((a, b))
            room[[a, b]] -= 1
    kept = rng.random(len(ends)) < rng.choice([0.8, 1.0])
    return np.array(ends, dtype=np.int64).reshape(-1, 2)[kept].T


def can_be_split(first, second, nodes, most, rest):
    """By an integer program over the links."""
    from scipy.optimize import Bounds, LinearConstraint, milp

    at = np.zeros((nodes, len(first)))
    for ends in (first, second):
        np.add.at(at, (ends, np.arange(len(first))), 1)
    limits = LinearConstraint(at, lb=at.sum(axis=1) - rest, ub=most)
    zeros = np.zeros(len(first))
    return milp(zeros, integrality=zeros + 1, bounds=Bounds(0, 1), constraints=limits).status == 0


def test_odd_lanes_of_many_links_are_dealt(monkeypatch):
    """More links than an integer program takes; three odd numbers are split off in turn."""
    monkeypatch.setattr("hopscape.papers.blockdesign.lanes._decide", None)
    for lanes in ([1, 2], [3, 3], [1, 3, 3]):
        network = hopscape.build(f"random_regular(8000, {sum(lanes)})")
        once = network.tails < network.heads
        first, second = (x[once].astype(np.int64) for x in (network.tails, network.heads))
        kinds = deal_lanes(first, second, network.order, lanes)
        for kind, most in enumerate(lanes):
            ends = np.concatenate([first[kinds == kind], second[kinds == kind]])
            assert (np.bincount(ends, minlength=network.order) == most).all()


def test_even_lanes_are_dealt_on_any_multigraph():
    rng = np.random.default_rng(3)
    for _ in range(30):
        nodes, lanes = int(rng.integers(2, 12)), rng.choice([2, 4, 6], size=3)
        room = np.full(nodes, lanes.sum())
        first, second = [], []
        for a, b in rng.integers(0, nodes, size=(200, 2)).tolist():
            if a != b and room[a] and room[b]:
                first, second = [*first, a], [*second, b]
                room[[a, b]] -= 1
        kinds = deal_lanes(np.array(first), np.array(second), nodes, lanes.tolist())
        for kind, most in enumerate(lanes):
            ends = np.concatenate([np.array(first)[kinds == kind], np.array(second)[kinds == kind]])
            assert np.bincount(ends.astype(int), minlength=1).max() <= most


def test_any_lanes_are_dealt_on_a_bipartite_multigraph(monkeypatch):
    """However many links: no integer program is asked."""
    monkeypatch.setattr("hopscape.papers.blockdesign.lanes._decide", None)
    rng = np.random.default_rng(4)
    for _ in range(20):
        half, lanes = int(rng.integers(1, 9)), rng.integers(1, 4, size=3).tolist()
        left = np.tile(np.arange(half), sum(lanes))
        right = np.concatenate([half + rng.permutation(half) for _ in range(sum(lanes))])
        turned, kept = rng.random(len(left)) < 0.5, rng.random(len(left)) < 0.9
        first, second = np.where(turned, right, left)[kept], np.where(turned, left, right)[kept]
        kinds = deal_lanes(first, second, 2 * half, lanes)
        for kind, most in enumerate(lanes):
            ends = np.concatenate([first[kinds == kind], second[kinds == kind]])
            assert np.bincount(ends, minlength=1).max() <= most


# -- permutations through crossbars that only forward ------------------------------------------


MACHINES = [
    "two_level(complete(4), complete(9), group=2, speeds=(5, 1, 2))",
    "two_level(partial_switch(7, 3), complete(29), lanes=(2, 2), speeds=(5, 2, 1))",
    "two_level(partial_switch(7, 3), complete(15), copies=2, lanes=(2, 2), speeds=(5, 2, 1))",
    "two_level(quasicomplete_digraph(3), complete(19), speeds=(5, 2))",
    "two_level(quasicomplete_digraph(3), complete(10), copies=2, speeds=(5, 2))",
    "two_level(complete(4), distributed_switch(13, 4, 1), group=2, speeds=(5, 1, 2))",
    "two_level(partial_switch(7, 3), distributed_switch(57, 8, 1), speeds=(5, 2))",
    "two_level(complete(4), quasicomplete_digraph(4), group=2, speeds=(5, 1, 2))",
]
"""The eight machines of the paper, small."""


def require_permuted(spec, seed):
    network = hopscape.build(spec)
    goal = Goal.permutation(np.random.default_rng(seed).permutation(network.endpoint_count))
    schedule = run_algorithm(network, goal, "routed", {"switching": "circuit"})
    assert verify(schedule)
    rounds = np.repeat(schedule.round, np.diff(schedule.path_start))
    held = set(zip(rounds.tolist(), schedule.channels.tolist(), strict=True))
    assert len(held) == len(schedule.channels)
    assert (np.isin(network.heads[schedule.channels[schedule.path_start[1:] - 1]],
                    network.endpoints)).all()  # fmt: skip


@pytest.mark.parametrize("spec", MACHINES)
def test_every_machine_permutes_without_crossbars_that_store(spec):
    require_permuted(spec, 3)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(8))
def test_the_machines_of_the_paper_permute(number):
    require_permuted(paper_machines()[number].spec, 1)


# -- building is lazy -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "order"),
    [("polarfly(83)", 6973 * 43), ("projective_network(167, p=1)", 4 * 28057),
     ("distributed_switch(16257, 128, 1)", 32514), ("slim_fly(81, p=0)", 13122),
     ("two_level(complete(32), complete(513))", 16416),
     ("two_level(quasicomplete_digraph(7), complete(1961))", 192178),
     ("two_level(complete(1000), complete(1000000))", 10**9),
     ("design_expansion(complete(65), 4161, 65)", 4161 * 66)],
)  # fmt: skip
def test_nothing_is_listed_before_it_is_asked_for(spec, order, monkeypatch):
    def never(*_):
        raise AssertionError("built before anybody asked")

    monkeypatch.setattr(hopscape.Network, "_list", never)
    monkeypatch.setattr(hopscape.Network, "_materialise", never)
    monkeypatch.setattr("hopscape.papers.blockdesign.designs.make_design", never)
    network = hopscape.build(spec)
    assert network.order == order
    assert network.facts.connected in (True, None)
    assert network.endpoint_count <= order


def test_listed_networks_list_when_asked():
    network = hopscape.build("polarfly(5, p=0)")
    assert network._heads is None
    assert (network.order, network.links, network.channels) == (31, 90, 180)
    assert len(network.heads) == 180
    assert network.memory_estimate() == 8 * 32 + 8 * 180


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9, 11, 13])
def test_lines_through_points_by_all_products(q):
    from hopscape.families.datacenter.fly import incidence, plane_points

    field, points = galois_field(q), plane_points(q)
    dots = np.zeros((len(points),) * 2, dtype=np.int64)
    for i in range(3):
        dots = field.add(dots, field.multiply(points[:, None, i], points[None, :, i]))
    assert np.array_equal(np.stack(incidence(q)), np.stack(np.nonzero(dots == 0)))


@pytest.mark.parametrize("q", [q for q in range(2, 130) if prime_power(q)] + [243, 343, 512, 2401])
def test_field_sums_digit_by_digit(q):
    field = galois_field(q)
    p, k = prime_power(q)
    a, b = np.random.default_rng(q).integers(0, q, size=(2, 300))
    a[:3], b[:3] = (0, 0, q - 1), (0, q - 1, 0)
    places = p ** np.arange(k)

    def digits(x):
        return x[:, None] // places % p

    assert (field.add(a, b) == ((digits(a) + digits(b)) % p) @ places).all()
    assert (field.subtract(a, b) == ((digits(a) - digits(b)) % p) @ places).all()


# -- machines and traffic ---------------------------------------------------------------------


def test_a_machine_of_ones_own():
    words = ("machines", "--local", "complete(8)", "--links", "4", "--group", "4", "--speeds",
             "5,1,2")  # fmt: skip
    record = ask(*words)
    assert (record["supernodes"], record["nodes"], record["ports"]) == (33, 264, 11)
    assert (record["hops"], record["jumps"], record["bound_by"]) == (3, 3, "local")
    network = hopscape.build(record["spec"])
    assert record["built_channels"] == len(network.heads)
    assert record["throughput"] == pytest.approx(channel_load(network).throughput)
    counts = ask(*words, "--counts")
    assert "throughput" not in counts
    assert counts["spec"] == record["spec"]


def test_ports_links_and_copies_of_a_machine():
    cover = hopscape.build("partial_switch(12, 4)")
    assert join_supernodes(cover, ports=6).count == 25
    assert join_supernodes(cover, ports=6, copies=2).count == 13
    assert join_supernodes(cover, links=3).count == 37
    outer = hopscape.build("distributed_switch(13, 4, 1)")
    assert join_supernodes(cover, between=outer, ports=5).count == 13
    for wrong in ({}, {"ports": 4}, {"links": 0}, {"between": outer, "ports": 4},
                  {"between": hopscape.build("complete(40)"), "links": 2}):  # fmt: skip
        with pytest.raises(ArgumentError):
            join_supernodes(cover, **wrong)


@pytest.mark.parametrize(
    "words",
    [("--links", "3"), ("--local", "complete(4)"), ("--local", "complete(4)", "--measure", "1"),
     ("--local", "complete(4)", "--links", "2", "--speeds", "fast"), ("--measure", "9"),
     ("--local", "complete(4)", "--links", "2", "--speeds", "1,2,3"), ("--compare", "10000000000"),
     ("--local", "complete(4)", "--links", "2", "--lanes", "1,,1"), ("--copies", "2")],
)  # fmt: skip
def test_machines_refuse(words):
    result = CliRunner().invoke(app, ["machines", *words])
    assert result.exit_code != 0
    assert isinstance(result.exception, HopscapeError)


@pytest.mark.parametrize(
    "words",
    [("digraph-table", "999999999999999999999"), ("digraph-table", "1025"),
     ("designs", "--max-m", "999999999999999999"), ("designs", "--sigma", "10000000000000000000"),
     ("design-blocks", "999999000001", "1000000"), ("difference-cover", "0", "99999999999"),
     ("difference-cover", "100000000", "20000"),
     ("check-permutation", "folded(largest_double_loop(81), 8)"),
     ("check-permutation", "hypercube(60)"),
     ("route-around", "quasicomplete_digraph(3)", "0", "999999999999999999999999"),
     ("show", "distributed_switch(1000000000000000000000000000000000057, 8, 1)"),
     ("show", "distributed_switch(99999999999900000000000001, 10000000000000)"),
     ("show", "two_level(complete(3), complete(4), copies=99999999999999999999)")],
)  # fmt: skip
def test_huge_numbers_are_refused_at_once(words):
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code != 0
    assert isinstance(result.exception, HopscapeError), result.output


def test_huge_machines_are_shown_and_not_wired():
    record = ask("show", "two_level(complete(1000), complete(1000000))")
    assert record["nodes"] == 10**9
    assert record["links"] == 10**6 * (1000 * 999 // 2) + 10**6 * (10**6 - 1) // 2
    with pytest.raises(HopscapeError):
        hopscape.build("two_level(complete(1000), complete(1000000))").router()


@pytest.mark.parametrize(
    "spec", ["two_level(complete(4), complete(9))", "torus(4, 4)", "fat_tree(4)", "kautz(2, 3)"]
)
def test_permutations_of_other_networks(spec):
    network = hopscape.build(spec)
    ends = network.endpoints
    router = network.router()
    for seed in range(5):
        first, second = (
            ends[x] for x in contention.random_traffic(len(ends), "permutation", seed=seed)
        )
        verdict = contention.check_traffic(network, first, second)
        held, refused = set(), 0
        for a, b in zip(first.tolist(), second.tolist(), strict=True):
            route = router.route(a, b)
            mine = set(zip(route.path[:-1], route.ports, strict=True))
            if mine & held:
                refused += 1
            else:
                held |= mine
        assert verdict.details["conflicts"] == refused
        plan = plan_rounds(network, first, second)
        assert plan.rounds >= plan.bound
        held = {(r, x) for r, path in zip(plan.round.tolist(), plan.paths) for x in path}
        assert len(held) == sum(map(len, plan.paths))
        assert ((plan.round < 0) == (first == second)).all()


@pytest.mark.parametrize(
    "spec", ["distributed_switch(13, 4, 1)", "distributed_switch(56, 11, 2)",
             "partial_switch(12, 4)", "quasicomplete_digraph(4)"],
)  # fmt: skip
def test_wrong_ports_are_caught(spec, monkeypatch):
    network = hopscape.build(spec)
    count = network.endpoint_count
    shift = (np.arange(count) + 1) % count
    assert contention.check_permutation(network, shift)
    right = self_routing.route_options(network.family)
    wrong = right.copy()
    generator = np.random.default_rng(0)
    wrong[..., 0] = np.where(
        right[..., 0] >= 0, generator.integers(0, network.ports, right.shape[:3]), -1
    )
    monkeypatch.setattr(self_routing, "route_options", lambda family: wrong)
    monkeypatch.setattr(contention, "route_options", lambda family: wrong)
    assert not contention.check_permutation(network, shift)


def test_a_router_that_errs_is_caught(monkeypatch):
    from hopscape.papers.blockdesign.routing import SwitchRouter

    network = hopscape.build("distributed_switch(13, 4, 1)")
    right = SwitchRouter.next_ports
    monkeypatch.setattr(
        SwitchRouter, "next_ports",
        lambda self, at, to: np.where(at == 3, 0, right(self, at, to)),
    )  # fmt: skip
    verdict = contention.check_permutation(network, (np.arange(13) + 2) % 13)
    assert not verdict
    assert verdict.where["source"] == 3


def test_measured_machine_against_plain_search():
    network = hopscape.build("two_level(complete(4), torus(3, 3), copies=2)")
    found = measure_machine(network)
    profile = distance_profile(network, endpoints=True, exact=True)
    assert found["hops"] == profile.diameter
    assert found["paths"] == "symmetry"
    assert reserve_jumps(network)[0] <= found["jumps"]
    assert len(joining_channels(network, 0, 1)) == 2
    for wrong in ((0, 0), (0, 99), (0, 4)):
        with pytest.raises(ArgumentError):
            joining_channels(network, *wrong)
