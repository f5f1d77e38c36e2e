"""Routers against breadth-first search, and the check that catches wrong ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import ALL, bfs, fresh_graph
from hopscape.core import router as router_module
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows, distances_from, distances_to
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.network import Network
from hopscape.core.router import Router, SearchRouter, TableRouter
from hopscape.core.router_check import check_router
from hopscape.families.datacenter.routers import SpreadTableRouter

ISLANDS = [fresh_graph(seed, 9, links, duplex) for seed, links, duplex in
           [(1, 5, True), (2, 12, True), (3, 9, False), (4, 25, False), (5, 0, True)]]  # fmt: skip


def assert_router_is_right(router: Router) -> None:
    net = router.network
    truth = bfs(net)
    at, to = (x.ravel() for x in np.indices(truth.shape))
    assert np.array_equal(router.distances(at, to), truth.ravel())
    table = net.neighbours(np.arange(net.order))
    begins = np.zeros((net.order, net.order, net.ports), dtype=bool)
    for port in range(net.ports):
        wired = table[:, port] >= 0
        left = truth[table[wired, port]]
        begins[wired, :, port] = (left >= 0) & (left == truth[wired] - 1)
    ports = router.next_ports(at, to)
    all_ports = router.shortest_ports(at, to)
    assert np.array_equal(all_ports, begins[at, to])
    assert np.array_equal(ports >= 0, truth.ravel() > 0)
    moving = ports >= 0
    assert all_ports[np.nonzero(moving)[0], ports[moving].astype(int)].all()
    reached = truth.ravel() >= 0
    _, taken = router.walk(at[reached], to[reached])
    assert np.array_equal((taken >= 0).sum(axis=1), truth.ravel()[reached])
    assert check_router(router)


@pytest.mark.parametrize("spec", ALL)
def test_every_family(spec):
    router = hopscape.build(spec).router()
    if router.exact:
        assert_router_is_right(router)
    else:  # the usual routing of a dragonfly or a DCell is not always shortest
        assert check_router(router)


@pytest.mark.parametrize("net", ISLANDS, ids=lambda net: net.spec)
@pytest.mark.parametrize("kind", ["auto", "table", "search"])
def test_any_graph(net, kind):
    assert_router_is_right(net.router(kind))


@pytest.mark.parametrize("spec", ["torus(5, 4)", "kautz(2, 3)", "product(heawood, path(2))"])
def test_table_search_and_closed_form_agree(spec):
    net = hopscape.build(spec)
    at, to = (x.ravel() for x in np.indices((net.order, net.order)))
    closed, table, search = (net.router(kind) for kind in ("closed", "table", "search"))
    assert isinstance(table, TableRouter)
    assert isinstance(search, SearchRouter)
    assert table.table_bytes == net.order**2
    for other in (table, search):
        assert np.array_equal(closed.distances(at, to), other.distances(at, to))
        assert np.array_equal(closed.shortest_ports(at, to), other.shortest_ports(at, to))
    assert np.array_equal(table.next_ports(at, to), search.next_ports(at, to))


def test_all_forms_of_asking_agree():
    router = hopscape.build("torus(5, 4)").router()
    want = router.distance(7, 18)
    for a, b in [((1, 3), (4, 2)), ("7", "(4, 2)"), (np.int64(7), "18")]:
        assert router.distance(a, b) == want
        assert router.next_port(a, b) == router.next_port(7, 18)
        assert router.path(a, b) == router.path(7, 18)
        assert router.all_ports(a, b) == router.all_ports(7, 18)
        assert router.route(a, b) == router.route(7, 18)
    assert router.distance([7, (0, 0)], 18).tolist() == [want, router.distance(0, 18)]
    square = router.distance(np.arange(20)[:, None], np.arange(20))
    assert square.shape == (20, 20)
    assert square[7, 18] == want
    assert router.next_port([[7]], 18).shape == (1, 1)
    rows = router.path([7, 18], [18, 18])
    assert rows[0].tolist() == router.path(7, 18)
    assert rows[1].tolist() == [18] + [-1] * want
    assert router.path(3, 3) == [3]
    assert router.route(3, 3).length == 0
    assert router.next_port(3, 3) == -1
    assert router.path([], []).shape == (0, 1)
    with pytest.raises(ArgumentError, match="do not pair up"):
        router.distance([1, 2], [1, 2, 3])


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("spec", ALL)
def test_one_route_is_a_row_of_many(spec, kept, monkeypatch):
    """Tracing one route, by lists, by formulas and hop by hop, against walking with arrays."""
    if not kept:
        monkeypatch.setattr("hopscape.core.router._ROWS_ORDER", 0)
    net = hopscape.build(spec)
    router = net.router()
    at, to = np.random.default_rng(0).integers(0, net.order, (2, 25))
    far = router.distances(at, to)
    for a, b, hops in zip(at.tolist(), to.tolist(), far.tolist(), strict=True):
        if hops < 0:
            with pytest.raises(DisconnectedError):
                router.trace(a, b)
            continue
        nodes, ports = router.trace(a, b)
        assert len(ports) == hops
        assert [net.neighbours(v)[p] for v, p in zip(nodes, ports, strict=False)] == nodes[1:]
        rows = router.walk(np.asarray([a]), np.asarray([b]))
        assert [row[0].tolist() for row in rows] == [nodes, ports]


@pytest.mark.parametrize(
    "spec", ["torus(50, 2, 31)", "mesh(40, 40)", "hypercube(20)", "kautz(3, 9)", "debruijn(2, 14)"]
)
@given(st.data())
@settings(deadline=None, max_examples=15)
def test_formulas_of_large_networks(spec, data):
    net = hopscape.build(spec)
    router = net.router()
    a, b = (data.draw(st.integers(0, net.order - 1)) for _ in range(2))
    rows = router.walk(np.asarray([a]), np.asarray([b]))
    assert [row[0].tolist() for row in rows] == list(router.trace(a, b))


@pytest.mark.parametrize(
    "spec",
    [
        "circulant(1500, 1, 38)",
        "circulant(1001, 1, 7, 50, 360)",
        "circulant(1200, 4, 6, 600)",
        "circulant(2000, 1, 3, 11, 70, 210, 800)",
        "cayley(101, 20, 32, 1, 101, 505)",
        "multiring(1030, 1, 32)",
    ],
)
def test_routes_one_by_one_are_those_of_arrays(spec):
    """Whether first ports are kept by difference already or not."""
    net = hopscape.build(spec)
    router = net.router()
    draw = np.random.default_rng(5)
    at, to = draw.integers(net.order, size=(2, 60))
    to -= (to - at) % getattr(router, "components", 1)
    to %= net.order
    nodes, ports = router.walk(at, to)
    for i, (a, b) in enumerate(zip(at.tolist(), to.tolist(), strict=True)):
        for _ in range(2):
            found = router.trace(a, b)
            hops = int((ports[i] >= 0).sum())
            assert found == (nodes[i, : hops + 1].tolist(), ports[i, :hops].tolist())


@pytest.mark.parametrize("table", [8_000_000, 0])
@pytest.mark.parametrize(
    "spec",
    [
        "dragonfly(8, 4, p=2)",
        "dragonfly(4, 4, p=3, groups=5)",
        'dragonfly(6, 2, p=0, groups=4, arrangement="absolute")',
        "dragonfly_plus(4, 6, 5, groups=7)",
        "dragonfly_plus(3, 2, 4, groups=2, p=5)",
        'dragonfly(5, 3, p=2, groups=6, arrangement="palmtree")',
        "cascade(5, p=2, sides=[4, 3], links=[1, 2], h=3)",
        "hyperx([5, 3, 4], p=3, links=[1, 3, 2])",
        "hyperx([40, 41])",
        "complete(77)",
    ],
)
def test_routes_between_routers_one_by_one(spec, table, monkeypatch):
    """Groups with parallel links, with and without a table of the best; heads kept or forgotten."""
    monkeypatch.setattr("hopscape.families.datacenter.groups._TABLE_SIZE", table)
    monkeypatch.setattr("hopscape.families.datacenter.routers._MOST_KEPT", table)
    monkeypatch.setattr("hopscape.families.datacenter.routers._BLOCK", 7)
    router = hopscape.build(spec).router()
    at, to = np.random.default_rng(7).integers(router.network.order, size=(2, 300))
    nodes, ports = router.walk(at, to)
    for a, b, path, taken in zip(at.tolist(), to.tolist(), nodes, ports, strict=True):
        assert router.trace(a, b) == (path[path >= 0].tolist(), taken[taken >= 0].tolist())


def test_networks_beyond_arrays_are_routed():
    net = hopscape.build("folded(petersen, 100)")
    router = net.router()
    a, b = 0, net.order - 1
    path = router.path(a, b)
    assert (path[0], path[-1], len(path) - 1) == (a, b, router.distance(a, b))
    assert router.route("0", (9,) * 100).path == tuple(path)


def test_no_way():
    net = Network.from_links(3, [0], [1], spec="island")
    for kind in ("table", "search"):
        router = net.router(kind)
        assert router.distance(0, 2) == router.next_port(0, 2) == -1
        assert router.all_ports(0, 2) == ()
        with pytest.raises(DisconnectedError, match="no route from node 0 to node 2 in island"):
            router.path(0, 2)


def test_choice_of_router():
    net = hopscape.build("petersen")
    with pytest.raises(ArgumentError, match="no router in closed form"):
        net.router("closed")
    with pytest.raises(ArgumentError, match="router 'magic' is unknown"):
        net.router("magic")
    assert isinstance(net.router(), TableRouter)
    assert isinstance(hopscape.build("random_regular(10002, 3)").router(), SearchRouter)


def test_search_router_forgets_old_targets():
    net = hopscape.build("ring(100)")
    router = SearchRouter(net)
    assert [router.distance(0, v) for v in range(100)] == [min(v, 100 - v) for v in range(100)]
    assert len(router._kept) == 64


def test_distances_of_one_and_many(monkeypatch):
    net = hopscape.build("kautz(2, 4)")
    truth = bfs(net)
    assert np.array_equal(distance_rows(net, np.arange(net.order)), truth)
    assert np.array_equal(distance_rows(net, np.arange(net.order), towards=True), truth.T)
    assert distance_rows(net, np.array([], dtype=int)).shape == (0, net.order)
    for source in (0, 5):
        assert np.array_equal(distances_from(net, source), truth[source])
        assert np.array_equal(distances_to(net, source), truth[:, source])
    monkeypatch.setattr("hopscape.core.distances._SMALL_BFS", 1)
    monkeypatch.setattr("hopscape.core.distances._FEW_ROWS", 1)
    assert np.array_equal(distances_to(net, 5), truth[:, 5])
    assert np.array_equal(distance_rows(net, np.arange(net.order), towards=True), truth.T)
    island = Network.from_links(3, [0], [1])
    assert distance_rows(island, np.arange(3)).tolist() == [[0, 1, 255], [1, 0, 255], [255, 255, 0]]


@pytest.mark.parametrize(("order", "dtype"), [(255, np.uint8), (256, np.uint16), (600, np.uint16)])
@pytest.mark.parametrize("few", [200, 0])
def test_long_distances_fit_their_dtype(order, dtype, few, monkeypatch):
    monkeypatch.setattr("hopscape.core.distances._FEW_ROWS", few)
    rows = distance_rows(hopscape.build(f"path({order})"), np.array([0, order - 1]))
    assert rows.dtype == dtype
    assert rows.tolist() == [list(range(order)), list(range(order))[::-1]]


# -- wrong routers -----------------------------------------------------------------------------


class Ring(Router):
    """The ring's router, with places to go wrong."""

    name = "ring"

    def distances(self, at, to):
        gap = (to - at) % self.network.order
        return np.minimum(gap, self.network.order - gap)

    def next_ports(self, at, to):
        gap = (to - at) % self.network.order
        up = np.where(2 * gap <= self.network.order, 0, 1)
        return np.where(gap == 0, -1, up)


class WrongDistance(Ring):
    def distances(self, at, to):
        return super().distances(at, to) + ((at == 3) & (to == 2))


class PortToNowhere(Ring):
    def next_ports(self, at, to):
        return np.where((at == 4) & (to == 1), 7, super().next_ports(at, to))


class LongerThanClaimed(Ring):
    def next_ports(self, at, to):
        return np.where((at == 5) & (to == 3), 0, super().next_ports(at, to))


class GivesUp(Ring):
    def next_ports(self, at, to):
        return np.where((at == 5) & (to == 3), -1, super().next_ports(at, to))


class AlwaysUp(Ring):
    exact = False

    def distances(self, at, to):
        return (to - at) % self.network.order

    def next_ports(self, at, to):
        return np.where(at == to, -1, 0)


class UpButNeverThere(AlwaysUp):
    def distances(self, at, to):
        return super().distances(at, to) + 3


@pytest.mark.parametrize(
    ("wrong", "pair", "what", "found", "true"),
    [
        (WrongDistance, (3, 2), "distance", 2, 1),
        (PortToNowhere, (4, 1), "next port", 7, "a wired port"),
        (LongerThanClaimed, (5, 3), "distance left after the next hop", 3, 1),
        (GivesUp, (5, 3), "next port", -1, "a port"),
        (UpButNeverThere, (0, 0), "distance", 3, 0),
    ],
)
def test_wrong_routers_are_caught(wrong, pair, what, found, true):
    verdict = check_router(wrong(hopscape.build("ring(8)")))
    assert not verdict
    where = {"from": pair[0], "to": pair[1], "what": what, "found": found, "true": true}
    assert dict(verdict.where) == where
    assert f"from node {pair[0]} to node {pair[1]} the {what} is {found}" in str(verdict)


def test_unwired_port_is_caught():
    class Unwired(TableRouter):
        def next_ports(self, at, to):
            return np.where((at == 0) & (to == 2), 1, super().next_ports(at, to))

    net = hopscape.build("path(4)")  # port 1 of node 0 is not wired
    verdict = check_router(Unwired(net))
    assert (verdict.where["from"], verdict.where["to"], verdict.where["found"]) == (0, 2, -2)
    with pytest.raises(ArgumentError, match="not wired"):
        Unwired(net).path(0, 2)


def test_routes_in_circles_are_caught():
    class Circles(Ring):
        def next_ports(self, at, to):
            return np.where(at == to, -1, at % 2)

    with pytest.raises(ArgumentError, match="runs in circles"):
        Circles(hopscape.build("ring(8)")).path(0, 4)


def test_routers_that_do_not_claim_to_be_shortest():
    net = hopscape.build("ring(8)")
    assert check_router(AlwaysUp(net))
    AlwaysUp.exact = True
    try:
        assert not check_router(AlwaysUp(net))
    finally:
        AlwaysUp.exact = False

    class TooShort(AlwaysUp):
        def distances(self, at, to):
            return np.minimum(super().distances(at, to), 2)

    verdict = check_router(TooShort(net))
    assert verdict.where["what"] == "distance"
    product = hopscape.build("product(ring(3), ring(4))").router()
    assert product.exact


def test_check_of_some_targets():
    router = hopscape.build("ring(8)").router()
    verdict = check_router(router, targets=3, seed=1)
    assert verdict.details == {"pairs": 24, "targets": 3, "exact": True}
    for targets in (0, -1):
        with pytest.raises(ArgumentError, match="must be at least 1"):
            check_router(router, targets=targets)


@pytest.mark.parametrize("pairs", [0, 1, 64, 65, None])
def test_a_few_pairs_are_searched_for_and_many_looked_up(pairs):
    net = hopscape.build("random_regular(30, 3)")
    assert net.router(pairs=pairs).name == ("table" if pairs is None or pairs > 64 else "search")
    assert net.router("table", pairs=pairs).name == "table"
    assert hopscape.build("torus(4, 4)").router(pairs=pairs).name not in ("table", "search")


def test_a_route_of_one_pair_is_that_of_the_router():
    for spec in ("random_regular(30, 3)", "torus(5, 6)"):
        net = hopscape.build(spec)
        for a, b in ((0, 0), (3, 29), (17, 4)):
            assert net.route(a, b) == net.router().route(a, b)
            assert net.route(a, b, "table") == net.router("table").route(a, b)
    with pytest.raises(ArgumentError, match="pairs is -1"):
        net.router(pairs=-1)


@pytest.mark.parametrize("kind", ["torus", "mesh"])
@pytest.mark.parametrize(
    "sides", [(1,), (2,), (7,), (8, 8), (5, 4), (2, 3, 4), (1, 6, 1), (3, 3, 3, 2), (600, 500)]
)
def test_grid_kernels_agree_with_numpy(kind: str, sides: tuple[int, ...]) -> None:
    from hopscape.families.torus.routing_kernels import grid_distances, grid_ports, packed

    network = hopscape.build(f"{kind}({', '.join(map(str, sides))})")
    router = network.router()
    at, to = np.random.default_rng(0).integers(network.order, size=(2, 4000))
    offsets = router._offsets(at, to)
    differs = offsets != 0
    axis = differs.argmax(axis=1)
    ports = 2 * axis + (offsets[np.arange(len(at)), axis] < 0)
    expected = np.where(differs.any(axis=1), ports, -1)
    box, wraps = np.asarray(sides), kind == "torus"
    for places in (packed(box), np.empty((0, 0), dtype=np.int32)):
        assert (grid_distances(places, box, wraps, at, to) == np.abs(offsets).sum(axis=1)).all()
        assert (grid_ports(places, box, wraps, at, to) == expected).all()


@pytest.mark.parametrize(
    "spec",
    [
        "torus(5, 4)",
        "torus(2, 6, 3)",
        "mesh(4, 1, 5)",
        "hypercube(5)",
        "hypercube(0)",
        "petersen",
        "kautz(2, 3)",
        "ring(9)",
        "circulant(21, 1, 3, 8)",
        "cayley(7, 3, 2, 1, 7)",
        "random_regular(30, 3)",
        "expanded(heawood, 1)",
        "fat_tree(2)",
        "fat_tree(4)",
        "fat_tree(6)",
        "slim_fly(5, p=0)",
    ],
)
def test_single_paths_are_those_of_walks(spec: str) -> None:
    """The quick way of single pairs takes the nodes that arrays of pairs take."""
    network = hopscape.build(spec)
    router = network.router()
    rng = np.random.default_rng(1)
    for _ in range(130):  # beyond a hundred, next hops are kept
        a, b = (int(x) for x in rng.integers(network.order, size=2))
        nodes, _ = router.walk(np.asarray([a]), np.asarray([b]))
        assert router.path(a, b) == nodes[0].tolist()


@pytest.mark.parametrize("spec", ["mesh(3, 4)", "fat_tree(4)", "ring(2)", "kautz(2, 2)"])
def test_single_paths_by_tables_are_those_of_walks(spec: str) -> None:
    """Ports without a wire, nodes of one port, and simplex channels included."""
    router = hopscape.build(spec).router("table")
    order = router.network.order
    for a in range(order):
        nodes, ports = router.walk(np.full(order, a), np.arange(order))
        for b in range(order):
            hops = int((ports[b] >= 0).sum())
            assert router.trace(a, b) == (nodes[b, : hops + 1].tolist(), ports[b, :hops].tolist())


def test_parallel_links_are_taken_as_walks_take_them() -> None:
    network = Network.from_links(4, [0, 0, 1, 1, 1, 2], [1, 1, 2, 2, 2, 3])
    for router in (TableRouter(network), SpreadTableRouter(network)):
        for a, b in ((0, 3), (3, 0), (1, 3), (2, 0)):
            nodes, ports = router.walk(np.asarray([a]), np.asarray([b]))
            assert router.trace(a, b) == (nodes[0].tolist(), ports[0].tolist())


def test_tables_with_next_ports_of_their_own_are_followed() -> None:
    class Last(TableRouter):
        def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
            mask = self.shortest_ports(at, to)
            last = mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)
            return np.where(mask.any(axis=1), last, -1)

    router = Last(hopscape.build("torus(4, 4)"))
    nodes, ports = router.walk(np.asarray([0]), np.asarray([5]))
    assert router.trace(0, 5) == (nodes[0].tolist(), ports[0].tolist())
    assert router.trace(0, 5) != TableRouter(router.network).trace(0, 5)


def test_single_paths_that_do_not_exist() -> None:
    for kind in ("table", "search"):
        router = hopscape.build("circulant(6, 2)").router(kind)
        for _ in range(120):
            assert router.path(0, 4)[-1] == 4
            with pytest.raises(hopscape.HopscapeError, match="no route"):
                router.path(0, 1)
    with pytest.raises(hopscape.HopscapeError, match="out of range"):
        router.path(0, 6)


def test_rows_of_next_ports_are_asked_for_in_growing_blocks(monkeypatch):
    """The same routes whatever the block, few questions, and none about too many ports at once."""
    network = hopscape.build("mlfm(4)")
    asked = []
    router = network.router()
    answer = type(router).next_ports

    def counted(self, at, to):
        asked.append(len(at))
        return answer(self, at, to)

    monkeypatch.setattr(type(router), "next_ports", counted)
    most = 10 * network.order * network.ports
    monkeypatch.setattr(router_module, "_MOST_ENTRIES", most)
    found = {to: router.trace(0, to) for to in range(1, network.order)}
    assert max(asked) * network.ports <= most
    assert len(asked) < network.order / 4
    monkeypatch.setattr(router_module, "_MOST_ENTRIES", 1)  # then every hop is asked for
    assert {to: network.router().trace(0, to) for to in found} == found
