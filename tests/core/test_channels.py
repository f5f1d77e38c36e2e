"""Kinds of channels: attributes of graph files, and who honours or names them."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import hopscape
from hopscape.cli.app import app
from hopscape.collectives.choose import report
from hopscape.collectives.generic import broadcast
from hopscape.collectives.survivors import survivors
from hopscape.core.channels import PLAIN, ChannelClass, group_links, link_attribute
from hopscape.core.detours import DetourRouter
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.family import ListedFamily
from hopscape.core.network import Network
from hopscape.design.floorplan import place
from hopscape.families.concentrated import Concentrated
from hopscape.families.product import Product
from hopscape.formats.booksim import write_booksims
from hopscape.formats.graphs import from_networkx, read_network, to_networkx, write_network
from hopscape.metrics import channel_load
from hopscape.metrics.summary import summarise
from hopscape.registry import all_families
from hopscape.simulate import Job, Settings
from hopscape.simulate.settings import channel_delays, link_classes


def _drawn(seed: int, order: int, duplex: bool, delays: bool = True) -> Network:
    """A ring with chords; capacities, delays and lengths at random."""
    draw = np.random.default_rng(seed)
    tails = np.concatenate([np.arange(order), draw.integers(0, order, 5)])
    heads = np.concatenate([(np.arange(order) + 1) % order, draw.integers(0, order, 5)])
    said = [
        {"capacity": link_attribute("capacity", draw.choice([0.25, 1, 2, 10]))}
        | ({"delay": int(draw.integers(0, 5)), "length": float(draw.random())} if delays else {})
        for _ in tails
    ]
    classes, kinds = group_links(said)
    return Network.from_links(order, tails, heads, duplex=duplex, classes=classes, kinds=kinds)


def _rows(network: Network) -> list[tuple[int, int, float, int | None, float | None]]:
    kinds = [network.classes[k] for k in network.class_of(np.arange(len(network.heads)))]
    ends = zip(network.tails.tolist(), network.heads.tolist(), kinds, strict=True)
    return [(u, v, k.speed, k.delay, k.length) for u, v, k in ends]


def _table(network: Network) -> list[tuple[int, int, float, int | None, float | None]]:
    return sorted(_rows(network))


@given(seed=st.integers(0, 10**6), order=st.integers(3, 12), duplex=st.booleans())
@settings(max_examples=40, deadline=None)
def test_throughput_is_the_least_capacity_over_load(seed, order, duplex):
    network = _drawn(seed, order, duplex)
    plain = Network.from_links(order, network.tails, network.heads, duplex=False)
    found = channel_load(network)
    slow = min(
        network.classes[int(network.class_of(np.asarray([c]))[0])].speed / load
        for c, load in enumerate(found.loads)
        if load > 0
    )
    assert found.throughput == pytest.approx(slow)
    assert found.largest == pytest.approx(found.loads.max())
    assert sum(kind.channels for kind in found.classes) == len(network.heads)
    assert np.array_equal(found.loads, channel_load(plain).loads)  # routes are by hops
    faster = [ChannelClass(k.name, 3 * k.speed) for k in network.classes]
    tripled = Network.from_links(
        order, network.tails, network.heads, duplex=False,
        classes=faster, kinds=network.class_of(np.arange(len(network.heads))),
    )  # fmt: skip
    assert channel_load(tripled).throughput == pytest.approx(3 * found.throughput)


@pytest.mark.parametrize("ending", ["edges", "csv", "graphml"])
@pytest.mark.parametrize("duplex", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_files_keep_the_kinds_of_channels(ending, duplex, seed, tmp_path):
    network = _drawn(seed, 7, duplex)
    path = tmp_path / f"graph.{ending}"
    write_network(network, path)
    assert _table(read_network(path)) == _table(network)
    assert _table(hopscape.build(str(path))) == _table(network)
    assert _table(from_networkx(to_networkx(network), loops=True)) == _table(network)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("source target weight\n0 1 2\n", "column 'weight' is unknown"),
        ("source target capacity capacity\n0 1 2 3\n", "named twice"),
        ("source target capacity\n0 1 0\n", "capacity is '0'; it must be a number above 0"),
        ("source target capacity\n0 1 nan\n", "capacity is 'nan'"),
        ("source target capacity\n0 1 inf\n", "capacity is 'inf'"),
        ("source target delay\n0 1 1.5\n", "delay is '1.5'; it must be whole cycles"),
        ("source target length\n0 1 -1\n", "length is '-1'"),
        ("source target capacity\n0 1\n", "expected two node names, capacity"),
        ("0 1 3\n", "a first line can name further columns"),
    ],
)
def test_wrong_attributes_are_refused_with_their_line(text, words, tmp_path):
    path = tmp_path / "graph.edges"
    path.write_text(text)
    with pytest.raises(FileFormatError, match="line") as error:
        read_network(path)
    assert words in str(error.value)


def test_attributes_of_some_links_only(tmp_path):
    networkx = pytest.importorskip("networkx")
    graph = networkx.Graph([(0, 1, {"length": 2}), (1, 2)])
    network = from_networkx(graph)
    assert [(k.name, k.length) for k in network.classes] == [("length2", 2), ("plain", None)]
    with pytest.raises(ArgumentError, match=r"write \.graphml"):
        write_network(network, tmp_path / "graph.csv")
    graph[0][1]["capacity"] = "wide"
    with pytest.raises(FileFormatError, match="link 0-1: capacity is 'wide'"):
        from_networkx(graph)


def test_kinds_that_do_not_fit_are_refused():
    kinds = [ChannelClass("fat", 4)]
    for which, words in (([0], "2 links, but 1 kinds"), ([0, 1], "kind of link 1 is out of range")):
        with pytest.raises(ArgumentError, match=words):
            Network.from_links(3, [0, 1], [1, 2], classes=kinds, kinds=which)


def test_networks_differ_by_the_kinds_of_their_channels():
    kinds = [ChannelClass("fat", 4), ChannelClass("slow")]
    one, same, other = (
        Network.from_links(3, [0, 1], [1, 2], classes=kinds, kinds=which)
        for which in ([0, 1], [0, 1], [1, 0])
    )
    assert one == same
    assert one != other


def test_the_simulator_takes_delays_and_refuses_capacities(tmp_path):
    path = tmp_path / "slow.edges"
    path.write_text("source target delay\n0 1 3\n1 2 1\n2 0 7\n")
    network = hopscape.build(str(path))
    ends = zip(network.tails.tolist(), network.heads.tolist(), strict=True)
    cycles = {frozenset(e): d for e, d in zip(ends, channel_delays(network, 1, ()), strict=True)}
    assert cycles == {frozenset({0, 1}): 3, frozenset({1, 2}): 1, frozenset({0, 2}): 7}
    assert set(channel_delays(network, 1, (("delay7", 2),))) == {1, 2, 3}
    fat = tmp_path / "fat.edges"
    fat.write_text("source target capacity\n0 1 2\n1 2 1\n2 0 1\n")
    with pytest.raises(ArgumentError, match="one flit per cycle"):
        Job(str(fat), "uniform", 0.1, Settings()).setup()
    for file in (fat, path):
        with pytest.raises(ArgumentError, match="all alike"):
            write_booksims([Job(str(file), "uniform", 0.1, Settings())], tmp_path / "out")


def test_figures_that_leave_capacity_aside_say_so(tmp_path):
    path = tmp_path / "fat.csv"
    path.write_text("source,target,capacity,length\n0,1,0.25,5\n1,2,1,5\n2,0,1,5\n")
    hops = "distances count hops; the length of the channels is left aside"
    for words, note in (
        (["show"], hops),
        (["distances"], hops),
        (["distances", "--from", "0"], hops),
        (["route", "0", "1"], "routes count hops; the capacity and length of the channels are"),
        (["route", "0", "1", "--dead-link", "0-1"], "routes count hops"),
        (["bisection"], "links are counted; the capacity of the channels is left aside"),
        (["broadcast"], "channels as alike; the length of the channels is left aside"),
    ):
        words.insert(1, str(path))
        done = CliRunner().invoke(app, [*words, "--format", "json"])
        assert note in json.loads(done.output)["note"]
        assert "left aside" in CliRunner().invoke(app, words).output
    assert "note" not in report(broadcast(hopscape.build("ring(5)"), 0))
    compared = CliRunner().invoke(
        app, ["compare", str(path), "--columns", "throughput,throughput_bound", "--format", "json"]
    )
    assert compared.exit_code == 0
    found = channel_load(hopscape.build(str(path)))
    row = json.loads(compared.output)[0]
    assert (row["throughput"], row["throughput_bound"]) == (found.throughput, (2 * 0.25 + 4) / 3)
    assert row["notes"]["throughput"] == "balanced table"
    words = ["compare", str(path), "ring(3)", "--columns", "diameter,bisection,radius"]
    said = CliRunner().invoke(app, words).output
    assert f'diameter, radius of file("{path}"): {hops}' in said.replace("\n", " ")
    assert f'bisection of file("{path}"): links are counted' in said
    rows = json.loads(CliRunner().invoke(app, [*words, "--format", "json"]).output)
    assert rows[0]["notes"]["radius"] == hops
    assert not rows[1]["notes"]


def test_cables_are_as_long_as_the_network_says(tmp_path):
    path = tmp_path / "long.edges"
    path.write_text("source target length\n0 1 100\n1 2 50\n2 0 7.5\n")
    words = ["compare", str(path), "--columns", "cable,cable_longest", "--format", "json"]
    row = json.loads(CliRunner().invoke(app, words).output)[0]
    assert (row["cable"], row["cable_longest"]) == (157.5, 100)
    assert row["notes"]["cable"] == "the lengths of the network"
    few = Network.from_links(
        4, [0, 1, 2], [1, 2, 3], classes=[ChannelClass("far", length=30), PLAIN], kinds=[1, 0, 1]
    )
    placed = place(few)
    assert placed.lengths[1] == 30
    assert placed.lengths[[0, 2]].max() < 1
    assert "1 lengths of the network" in placed.words
    machine = f'concentrated(file("{path}"), 2)'
    row = json.loads(
        CliRunner().invoke(app, ["compare", machine, "-c", "money", "--format", "json"]).output
    )[0]
    assert "the length of the channels is left aside" in row["notes"]["money"]


@given(seed=st.integers(0, 10**6), order=st.integers(3, 6), first=st.booleans())
@settings(max_examples=15, deadline=None)
def test_products_keep_the_kinds_of_their_factors(seed, order, first):
    fat, ring = _drawn(seed, order, duplex=True), hopscape.build("ring(4)")
    network = Network.of(Product([fat, ring] if first else [ring, fat]))
    wanted = sorted(
        (4 * u + v, 4 * w + v, *rest) if first else (v * order + u, v * order + w, *rest)
        for u, w, *rest in _table(fat)
        for v in range(4)
    )
    side = [(u, (u + d) % 4) for u in range(4) for d in (1, 3)]
    wanted += [
        (4 * w + u, 4 * w + v, 1, None, None)
        if first
        else (u * order + w, v * order + w, 1, None, None)
        for u, v in side
        for w in range(order)
    ]
    plain = [tuple(-1 if x is None else x for x in row) for row in wanted]
    found = [tuple(-1 if x is None else x for x in row) for row in _rows(network)]
    assert sorted(found) == sorted(plain)
    assert len({kind.name for kind in network.classes}) == len(network.classes)


_SIZE = 4


def _told() -> Network:
    """The complete graph of four nodes, every link of its own capacity, delay and length."""
    tails, heads = np.triu_indices(_SIZE, 1)
    said = [{"capacity": 1 + (i + 1) / 8, "delay": i % 4, "length": i} for i in range(len(tails))]
    classes, kinds = group_links(said)
    return Network.from_links(_SIZE, tails, heads, spec="told", classes=classes, kinds=kinds)


def _plane(node: int) -> int:
    """The node of the base behind one of two planes of it, with two endpoints at each switch."""
    return -1 if node < 2 * _SIZE else (node - 2 * _SIZE) % _SIZE


def _of(family: type, *values: object, **named: object) -> Network:
    return Network.of(family(*values, **named))


_MADE = {
    "concentrated": lambda f, b: [(_of(f, b, 2, trunk=2), _plane)],
    "trunked": lambda f, b: [(_of(f, b, 3), lambda v: v)],
    "planes": lambda f, b: [(_of(f, _of(Concentrated, b, 2), 2), _plane)],
    "populated": lambda f, b: [
        (_of(f, _of(Concentrated, b, 2), 5), lambda v: -1 if v < 5 else v - 5)
    ],
    "rails": lambda f, b: [
        (_of(f, _of(Concentrated, b, 2), 2, 4), lambda v: -1 if v < 20 else (v - 20) % _SIZE)
    ],
    "random_lift": lambda f, b: [(_of(f, b, 3), lambda v: v // 3)],
    "folded": lambda f, b: [(_of(f, b, 2), lambda v: divmod(v, _SIZE))],
    "swapped": lambda f, b: [(_of(f, b), lambda v: v % _SIZE)],
    "product": lambda f, b: [
        (_of(f, [b, hopscape.build("petersen"), b]), lambda v: (v // 40, v % _SIZE))
    ],
    "expanded": lambda f, b: [
        (_of(f, b, 2), lambda v: (v % _SIZE, v // _SIZE % _SIZE, v // _SIZE**2)),
        (_of(f, b, 2, lamp=hopscape.build("ring(3)")), lambda v: v % _SIZE),
        (_of(f, hopscape.build("ring(3)"), 2, lamp=b), lambda v: (v // 3 % _SIZE, v // 12)),
    ],
    "ring_of_cycles": lambda f, b: [(_of(f, b, 2), lambda v: v % 12 // 3)],
    "crossbar_machine": lambda f, b: [
        (_of(f, b, 13), lambda v: v % _SIZE if v < 13 * _SIZE else -1)
    ],
    "design_expansion": lambda f, b: [
        (_of(f, b, 3, 2), lambda v: -1 if v < 6 else (v - 6) % _SIZE)
    ],
    "two_level": lambda f, b: [
        (_of(f, b, hopscape.build("complete(3)")), lambda v: v % _SIZE),
        (_of(f, b, hopscape.build("complete(3)"), group=2), lambda v: v % _SIZE),
        (_of(f, hopscape.build("ring(3)"), b, copies=2), lambda v: v // 3),
        (_of(f, hopscape.build("ring(3)"), b, copies=2, lanes=(1, 1)), lambda v: v // 3),
        (
            _of(f, hopscape.build("path(2)"), _of(Concentrated, b, 1)),
            lambda v: -1 if v < 2 * _SIZE else v - 2 * _SIZE,
        ),
    ],
}
"""Machines made of a base, and which nodes of the base a node stands for."""


@pytest.mark.parametrize("name", [n for n, f in all_families().items()
                                  if any(p.kind == "network" for p in f.parameters)])  # fmt: skip
def test_links_of_a_base_keep_their_kinds_in_what_is_made_of_it(name):
    base = _told()
    ends = {row[4]: ({row[0], row[1]}, row[2:]) for row in _rows(base)}
    for network, places in _MADE[name](all_families()[name], base):
        times = Counter()
        for tail, head, *said in _rows(network):
            here, there = (np.atleast_1d(places(v)).tolist() for v in (tail, head))
            if said == [1, None, None] or {*here, *there} == {-1}:  # lines of its own
                continue
            pair, wanted = ends[said[2]]
            assert said == list(wanted)
            moved = [{a, b} for a, b in zip(here, there, strict=True) if a != b]
            assert moved == [pair]
            times[said[2]] += 1
        assert len(times) == len(ends)
        assert len(set(times.values())) == 1  # all links of the base as often as each other
        nodes = np.arange(network.order)
        at = network.classes_at(nodes)
        assert np.array_equal(at[at >= 0], network.class_of(np.arange(len(network.heads))))
        assert np.array_equal(at >= 0, network.rows(nodes) >= 0)
        assert len({kind.name for kind in network.classes}) == len(network.classes)


def test_lines_of_endpoints_are_like_those_that_they_replace():
    kinds = [ChannelClass("line", 2), ChannelClass("trunk", 5), ChannelClass("slow", 0.5)]

    def tree(second: int) -> Network:
        return Network.from_links(
            6, [0, 1, 2, 3, 4], [4, 4, 5, 5, 5], switches=np.asarray([4, 5]),
            classes=kinds, kinds=[0, second, 2, 2, 1],
        )  # fmt: skip

    network = _of(Concentrated, tree(0), 3)
    assert sorted(row[:3] for row in _rows(network) if row[0] < row[1]) == [
        (0, 6, 2), (1, 6, 2), (2, 6, 2), (3, 7, 0.5), (4, 7, 0.5), (5, 7, 0.5), (6, 7, 5),
    ]  # fmt: skip
    with pytest.raises(ArgumentError, match="lines of several kinds to its endpoints"):
        _of(Concentrated, tree(2), 3).capacities()


@pytest.mark.parametrize("duplex", [True, False])
def test_what_is_left_of_a_network_keeps_its_kinds(duplex):
    network = _drawn(1, 8, duplex)
    cut = (network.heads != 3) & (network.tails != 3)
    wanted = sorted(row for row, kept in zip(_rows(network), cut, strict=True) if kept)
    assert _table(DetourRouter(network, [3]).left) == wanted
    if duplex:
        shift = [(u - (u > 3), v - (v > 3), *rest) for u, v, *rest in wanted]
        assert _table(survivors(network, [3], []).left) == sorted(shift)
    assert _rows(network.among([0, 1])) == _rows(network)


def test_the_kinds_of_ports_are_kinds_of_the_network():
    torus = hopscape.build("torus(3, 4)")
    assert torus.classes == (ChannelClass("axis0"), ChannelClass("axis1"))
    ports = torus.port_of(np.arange(len(torus.heads)))
    assert np.array_equal(torus.class_of(np.arange(len(torus.heads))), ports // 2)
    assert list(link_classes(torus.among([0, 1])))[:2] == ["axis0", "axis1"]
    assert list(link_classes(hopscape.build("concentrated(torus(3, 3), 2)"))) == [
        "axis0", "axis1", "plain", "endpoint", "switch",
    ]  # fmt: skip
    huge = hopscape.build(f"torus({', '.join(['14'] * 15)})")
    assert len(huge.classes) == 15
    assert huge.classes_at(np.asarray([0])).tolist() == [[port // 2 for port in range(30)]]
    assert not huge.materialised
    for plain in (torus, huge):
        assert plain.one_speed
        assert "classes" not in summarise(plain)
    assert not channel_load(torus).classes


class _Star(ListedFamily):
    name, summary, example = "star_of_ports", "a listed family that names its ports", ""
    order = 4

    def links(self):
        return np.asarray([0, 0, 0]), np.asarray([1, 2, 3])

    def port_classes(self):
        return ("in", "out", "out")


def test_a_listed_family_may_name_its_ports():
    star = Network.of(_Star())
    assert [star.classes[k].name for k in star.class_of(np.arange(6))] == [
        "in", "out", "out", "in", "in", "in",
    ]  # fmt: skip


def test_matrices_do_not_drop_the_kinds_of_channels(tmp_path):
    for ending in ("mtx", "npz"):
        with pytest.raises(ArgumentError, match="which a matrix cannot say"):
            write_network(_drawn(0, 5, duplex=True), tmp_path / f"graph.{ending}")
