"""Kinds of channels: attributes of graph files, and who honours or names them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import hopscape
from hopscape.cli.app import app
from hopscape.collectives import broadcast
from hopscape.collectives.choose import report
from hopscape.core.channels import ChannelClass, group_links, link_attribute
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.network import Network
from hopscape.families.product import Product
from hopscape.interchange import from_networkx, read_network, to_networkx, write_network
from hopscape.metrics import channel_load
from hopscape.simulate import Job, Settings
from hopscape.simulate.delays import channel_delays
from hopscape.simulate.sweep import write_booksims


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
    assert _table(from_networkx(to_networkx(network))) == _table(network)


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
    for words, note in (
        (["show"], "distances count hops; the length of the channels is left aside"),
        (["bisection"], "links are counted; the capacity of the channels is left aside"),
        (["broadcast"], "channels as alike; the length of the channels is left aside"),
    ):
        done = CliRunner().invoke(app, [*words, str(path), "--format", "json"])
        assert note in json.loads(done.output)["note"]
        assert "left aside" in CliRunner().invoke(app, [*words, str(path)]).output
    assert "note" not in report(broadcast(hopscape.build("ring(5)"), 0))
    compared = CliRunner().invoke(
        app, ["compare", str(path), "--columns", "throughput,throughput_bound", "--format", "json"]
    )
    assert compared.exit_code == 0
    found = channel_load(hopscape.build(str(path)))
    row = json.loads(compared.output)[0]
    assert (row["throughput"], row["throughput_bound"]) == (found.throughput, (2 * 0.25 + 4) / 3)


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
    assert hopscape.build("torus(3, 4)").classes == ()


def test_matrices_do_not_drop_the_kinds_of_channels(tmp_path):
    for ending in ("mtx", "npz"):
        with pytest.raises(ArgumentError, match="which a matrix cannot say"):
            write_network(_drawn(0, 5, duplex=True), tmp_path / f"graph.{ending}")
