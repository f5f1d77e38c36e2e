"""Networks: ports, channels, pairing, laziness, exactness at any size, refusals."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import ALL, fresh_graph
from hopscape.core.errors import AddressError, ArgumentError, TooLargeError
from hopscape.core.network import Network
from hopscape.core.processes import memory_limit, require_memory
from hopscape.metrics import distance_profile, girth


def assert_consistent(net: Network) -> None:
    """Ports, channels, pairs and all forms of the wiring agree with each other."""
    channel = np.arange(len(net.heads))
    assert net.indptr[0] == 0
    assert net.indptr[-1] == len(channel)
    assert np.array_equal(net.channel_at(net.tails, net.port_of(channel)), channel)
    table = net.neighbours(np.arange(net.order))
    assert table.shape == (net.order, net.ports)
    for v in range(net.order):
        assert net.neighbours(v) == tuple(table[v].tolist())
    everywhere = net.channel_at(np.arange(net.order)[:, None], np.arange(net.ports)[None, :])
    assert np.array_equal(everywhere >= 0, table >= 0)
    assert np.array_equal(net.heads[everywhere[table >= 0]], table[table >= 0])
    assert np.all(net.channel_at(np.arange(net.order), np.full(net.order, net.ports)) == -1)
    assert np.all(net.channel_at(np.arange(net.order), np.full(net.order, -1)) == -1)
    assert net.degrees.tolist() == (table >= 0).sum(axis=1).tolist()
    if net.duplex:
        assert np.array_equal(net.reverse[net.reverse], channel)
        assert np.array_equal(net.heads[net.reverse], net.tails)
        assert np.all(net.reverse != channel)
        assert 2 * net.links == net.channels == len(channel)
    else:
        assert np.all(net.reverse == -1)
        assert net.links == net.channels == len(channel)
    indptr, tails = net.reversed_csr()
    backward = sorted(
        zip(tails.tolist(), np.repeat(np.arange(net.order), np.diff(indptr)).tolist())
    )
    assert backward == sorted(zip(net.tails.tolist(), net.heads.tolist()))
    for array in (net.indptr, net.heads, net.tails, net.reverse, indptr, tails):
        assert not array.flags.writeable


@pytest.mark.parametrize("spec", ALL)
def test_families_are_consistent(spec):
    assert_consistent(hopscape.build(spec))


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(0, 25), st.booleans())
@settings(max_examples=40, deadline=None)
def test_lists_of_links_are_consistent(seed, order, links, duplex):
    net = fresh_graph(seed, order, links, duplex)
    assert net.links == links
    assert_consistent(net)


def test_ports_follow_the_order_of_the_links():
    net = Network.from_links(4, [2, 0, 3], [0, 1, 0])
    assert [net.neighbours(v) for v in range(4)] == [
        (2, 1, 3),
        (0, -1, -1),
        (0, -1, -1),
        (0, -1, -1),
    ]
    assert net.ports == 3


def test_loops_and_parallels_of_a_product_are_paired(tmp_path):
    path = tmp_path / "loops.edges"
    path.write_text("0 0\n0 0\n0 1\n0 1\n")
    net = hopscape.build(f'product(file("{path}"), ring(3))')
    assert net.links == 4 * 3 + 2 * 3
    assert_consistent(net)


def test_pairing_kernel_agrees_with_sorting(monkeypatch):
    for spec in ("circulant(7, 1, 1, 6)", "mesh(3, 4, 5)", "debruijn(3, 2, duplex=true)"):
        sorted_pairs = hopscape.build(spec).reverse
        monkeypatch.setattr("hopscape.core.wired._MANY_CHANNELS", 0)
        assert np.array_equal(hopscape.build(spec).reverse, sorted_pairs)
        monkeypatch.undo()


def test_materialising_in_pieces_changes_nothing(monkeypatch):
    whole = hopscape.build("mesh(5, 4, 3)")
    whole_arrays = (whole.indptr, whole.heads, whole.port_of(np.arange(whole.channels)))
    monkeypatch.setattr("hopscape.core.wired._CHUNK", 7)
    parts = hopscape.build("mesh(5, 4, 3)")
    part_arrays = (parts.indptr, parts.heads, parts.port_of(np.arange(parts.channels)))
    for a, b in zip(whole_arrays, part_arrays):
        assert np.array_equal(a, b)


def test_a_family_that_lies_about_duplex_is_caught():
    class OneWay(hopscape.all_families()["ring"]):
        def neighbours(self, nodes):
            return ((nodes + 1) % self.n)[:, None]

        @property
        def ports(self):
            return 1

    with pytest.raises(ArgumentError, match="no mate"):
        _ = Network.of(OneWay(5)).reverse


# -- endpoints and switches --------------------------------------------------------------------


def test_switches_and_endpoints():
    mine = np.array([3, 1])
    net = Network.from_links(4, [0, 1, 2], [1, 2, 3], switches=mine)
    assert net.has_switches
    assert net.endpoints.tolist() == [0, 2]
    assert net.endpoint_count == 2
    mine[0] = 0  # still the caller's own array
    assert net.endpoints.tolist() == [0, 2]
    assert not hopscape.build("ring(4)").has_switches
    for bad in ([4], [-1]):
        with pytest.raises(AddressError, match=f"switch {bad[0]} is out of range"):
            Network.from_links(4, [], [], switches=np.array(bad))


# -- exact at any size -------------------------------------------------------------------------

BIG = ["hypercube(100)", f"torus({10**11}, {10**11})", "debruijn(3, 80)", "kautz(2, 90)"]
EDGE = ["debruijn(3, 39)", "kautz(3, 38)", "hypercube(62)", "torus(3036988440, 3037012561)"]


def truth(spec: str, address: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Addresses of the neighbours by definition, one address at a time."""
    name, numbers = spec[:-1].split("(")
    p = [int(x) for x in numbers.split(",")]
    a = list(address)
    if name == "hypercube":
        return [tuple(x ^ (i == p[0] - 1 - port) for i, x in enumerate(a)) for port in range(p[0])]
    if name == "torus":
        steps = [(axis, step) for axis in range(len(p)) for step in (1, -1)]
        return [
            tuple((x + step) % p[i] if i == axis else x for i, x in enumerate(a))
            for axis, step in steps
        ]
    if name == "debruijn":
        return [(*address[1:], letter) for letter in range(p[0])]
    return [(*address[1:], (a[-1] + 1 + i) % (p[0] + 1)) for i in range(p[0])]


@pytest.mark.parametrize("spec", BIG + EDGE)
def test_wiring_and_addresses_of_huge_networks(spec):
    net = hopscape.build(spec)
    rng = random.Random(1)
    nodes = [0, net.order - 1, *(rng.randrange(net.order) for _ in range(6))]
    table = net.neighbours(nodes)
    tuples = net.addresses.tuples(np.asarray(nodes, dtype=table.dtype))
    for i, v in enumerate(nodes):
        address = net.address(v)
        assert net.node(address) == net.node(net.addresses.text(v)) == net.node(str(v)) == v
        assert tuple(tuples[i].tolist()) == address
        row = net.neighbours(v)
        assert all(type(u) is int for u in row)
        assert [net.address(u) for u in row] == truth(spec, address)
        assert tuple(table[i].tolist()) == row
    assert net.addresses.numbers(tuples).tolist() == nodes


@pytest.mark.parametrize("spec", BIG + EDGE)
def test_routers_of_huge_networks(spec):
    net = hopscape.build(spec)
    router = net.router()
    rng = random.Random(2)
    for _ in range(5):
        a = b = rng.randrange(net.order)
        for _ in range(7):
            b = rng.choice([u for u in net.neighbours(b) if u >= 0])
        route = router.route(a, b)
        assert route.length == router.distance(a, b) == router.distance([a], b)[0] <= 7
        assert route.path[0] == a
        assert route.path[-1] == b
        for here, port, there in zip(route.path, route.ports, route.path[1:]):
            assert net.neighbours(here)[port] == there
            assert port in router.all_ports(here, b)
    far = rng.randrange(net.order)
    assert router.distance([5, far], 5).tolist()[0] == 0
    assert 0 < router.distance(5, far) <= net.facts.diameter


def test_big_petersen_between_the_integer_types():
    n = 10**19 + 1  # between 2**63 and 2**64
    net = hopscape.build(f"generalized_petersen({n}, 2)")
    assert net.neighbours(n + 5) == (n + 7, n + 3, 5)
    assert net.neighbours([0, n - 1]).tolist() == [[1, n - 1, n], [0, n - 2, 2 * n - 1]]


# -- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize("spec", [*BIG, "torus(100000, 30000)", "complete(10000000)", "ccc(64)"])
@pytest.mark.parametrize(
    "ask",
    [
        lambda net: net.heads,
        lambda net: net.reverse,
        lambda net: distance_profile(net),
        lambda net: girth(net, exact=True),
        lambda net: net.router("table"),
        lambda net: net.router("search").distance(0, 1),
    ],
)
def test_what_does_not_fit_is_refused_with_the_number(spec, ask, monkeypatch):
    monkeypatch.setenv("HOPSCAPE_MEMORY", "4G")
    with pytest.raises(TooLargeError, match=r"would need (about 10\^\d+ bytes|[\d.]+ [GTP]B)"):
        ask(hopscape.build(spec))


def test_too_many_nodes_for_the_arrays(monkeypatch):
    monkeypatch.setenv("HOPSCAPE_MEMORY", "10T")
    with pytest.raises(TooLargeError, match="3000000000 nodes; arrays are built for up to"):
        _ = hopscape.build("ring(3000000000)").heads
    with pytest.raises(TooLargeError, match="3000000000 nodes"):
        Network.from_links(3 * 10**9, [], [])


@pytest.mark.parametrize("spec", ["complete(10000000000)", "debruijn(10000000000, 2)"])
def test_rows_that_do_not_fit_are_refused(spec, monkeypatch):
    monkeypatch.setenv("HOPSCAPE_MEMORY", "1G")
    with pytest.raises(TooLargeError, match=r"the neighbours of 1 nodes would need 480 GB"):
        hopscape.build(spec).neighbours(0)


def test_long_routes_are_refused_before_they_are_walked(monkeypatch):
    monkeypatch.setenv("HOPSCAPE_MEMORY", "1G")
    router = hopscape.build(f"ring({10**12})").router()
    assert router.distance(0, 5 * 10**11) == 5 * 10**11
    with pytest.raises(TooLargeError, match="a route of up to 500000000000 hops would need 8 TB"):
        router.path(0, 5 * 10**11)


def test_memory_limit(monkeypatch):
    for text, size in [("8G", 8 * 10**9), ("1.5 kB", 1500), ("77", 77), (" 2t ", 2 * 10**12)]:
        monkeypatch.setenv("HOPSCAPE_MEMORY", text)
        assert memory_limit() == size
    for text in ("", "lots", "-1G", "1X", "G"):
        monkeypatch.setenv("HOPSCAPE_MEMORY", text)
        with pytest.raises(ArgumentError, match="HOPSCAPE_MEMORY is"):
            memory_limit()
    monkeypatch.delenv("HOPSCAPE_MEMORY")
    assert memory_limit() > 10**8
    monkeypatch.setenv("HOPSCAPE_MEMORY", "1000")
    require_memory(1000, "this")
    with pytest.raises(TooLargeError, match=r"^this would need 1 kB \(|^this would need 1"):
        require_memory(1001, "this")
    assert hopscape.build("ring(8)").order == 8  # nothing built, nothing refused
    with pytest.raises(TooLargeError, match=r"the wiring of ring\(800\) \(800 nodes\)"):
        _ = hopscape.build("ring(800)").heads


def test_building_is_lazy():
    net = hopscape.build("torus(3000, 3000)")
    assert (net.links, net.channels, net.ports) == (18_000_000, 36_000_000, 4)
    assert net._heads is None
    with pytest.raises(ArgumentError, match="at least one node, not 0"):
        Network.from_links(0, [], [])
    with pytest.raises(ArgumentError, match="2 tails but 1 heads"):
        Network.from_links(3, [0, 1], [2])
    with pytest.raises(AddressError, match="link end 3 is out of range"):
        Network.from_links(3, [0], [3])
