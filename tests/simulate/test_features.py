"""Parallel links, switches, delays of links, packet sizes and traffic, in small exact cases."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from commands import ask, refused
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.network import Network
from hopscape.deadlock import routing_table
from hopscape.simulate import Settings, build_setup, layout, make_traffic, run_point
from hopscape.simulate.measurement import make_source, start
from hopscape.simulate.run import Run, blank_counters
from hopscape.simulate.settings import channel_delays, link_classes, parse_delays
from hopscape.simulate.traffic import (
    permutation_traffic,
    read_matrix,
    read_trace,
    worst_permutation,
)


def _lonely(setup, pairs, folder, size=3):
    """Mean latency of packets that never meet, one for each pair of endpoints."""
    path = folder / "lonely.trace"
    lines = [f"{300 * i},{a},{b},{size}" for i, (a, b) in enumerate(pairs)]
    path.write_text("\n".join(lines) + "\n")
    traffic = read_trace(path, setup.endpoints)
    point = run_point(setup, traffic, 1.0, warmup=0, cycles=300 * len(pairs))
    assert point.packets == len(pairs)
    return point.latency


def _formula(setup, a, b, size=3):
    """The closed formula with the delay of every link on the way."""
    network, port = setup.network, setup.table.port
    at, goal = int(setup.home[a]), int(setup.home[b])
    routers, links = 1, 0
    while at != goal:
        channel = int(network.indptr[at]) + int(port[at, goal])
        links += int(setup.lines[channel, layout.U_DELAY])
        at = int(network.heads[channel])
        routers += 1
    return setup.settings.router_delay * routers + links + 3 + size - 1


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("spec", "delays"),
    [
        ("torus(5, 3)", "2,axis1=7"),
        ("circulant(13, 1, 5)", "step5=4"),
        ("mesh(3, 4)", "axis0=0,axis1=3"),
        pytest.param("rpc(3)", "ring=5,slice=2", marks=pytest.mark.compiled),
        ("multiring(9, 1, 2)", "step2=6"),
        ("fat_tree(4)", "endpoint=1,switch=9"),
        ("distributed_switch(7, 3, 1)", "endpoint=3"),
    ],
)
def test_lonely_packets_take_the_formula_with_the_delays_on_their_way(spec, delays, tmp_path):
    network = hopscape.build(spec)
    general, named = parse_delays(delays)
    general = 1 if general is None else general
    table = routing_table(network, ties=False)
    links = channel_delays(network, general, named)
    setup = build_setup(
        network, Settings(vcs=8, buffer=64, link_delay=general), table, link_delays=links
    )
    ends = np.random.default_rng(1).permutation(setup.endpoints)[:6]
    pairs = [(int(a), int(b)) for a, b in itertools.permutations(ends, 2)]
    mean = sum(_formula(setup, a, b) for a, b in pairs) / len(pairs)
    assert _lonely(setup, pairs, tmp_path) == pytest.approx(mean, abs=1e-9)


@pytest.mark.interpreted
def test_classes_of_links():
    torus = link_classes(hopscape.build("torus(4, 3)"))
    assert {k: len(v) for k, v in torus.items()} == {"axis0": 24, "axis1": 24}
    tree = link_classes(hopscape.build("fat_tree(4)"))
    assert set(tree) == {"endpoint", "switch"}
    assert len(tree["endpoint"]) == 2 * 16
    assert link_classes(hopscape.build("petersen")) == {}
    for bad in ("x", "axis0=", "=3", "-1", "axis0=5000", "1.5"):
        with pytest.raises(ArgumentError, match="link-delay"):
            parse_delays(bad)
    with pytest.raises(ArgumentError, match="its classes are: axis0, axis1"):
        channel_delays(hopscape.build("torus(4, 3)"), 1, (("ring", 2),))


def test_command_takes_delays_by_class():
    def latency(*words):
        found = ask("simulate", "torus(4, 4)", "--load", "0.02", "--cycles", "400", *words)
        return found["points"][0]["latency"], found["configuration"]["link_delays"]

    flat, none = latency("--link-delay", "1")
    far, named = latency("--link-delay", "axis1=5")
    both, _ = latency("--link-delay", "5")
    assert none == []
    assert named == [["axis1", 5]]
    assert flat < far < both
    assert far - flat == pytest.approx(both - far, rel=0.3)  # one hop of each axis in the mean
    refused("simulate", "torus(4, 4)", "--load", "0.02", "--link-delay", "ring=5")


@pytest.mark.parametrize(("injectors", "ejectors"), [(1, 3), (3, 1), (2, 3), (3, 3)])
def test_an_endpoint_sends_and_receives_a_flit_per_line(injectors, ejectors):
    """Packets to the sender itself go into its router and back: nothing but the lines is scarce."""
    config = Settings(injectors=injectors, ejectors=ejectors, speedup=8, window="none")
    setup = build_setup(hopscape.build("ring(3)"), config)
    back = permutation_traffic("itself", np.arange(3))
    point = run_point(setup, back, float(injectors), warmup=200, cycles=400)
    assert point.accepted == pytest.approx(min(injectors, ejectors), rel=0.02)
    with pytest.raises(ArgumentError, match=f"the most is {injectors}"):
        run_point(setup, back, injectors + 0.01)


def test_command_takes_injectors_and_ejectors():
    words = ("simulate", "complete(6)", "--load", "1.8", "--cycles", "600")
    lines = ("--injectors", "2", "--ejectors", "3", "--speedup", "4")
    found = ask(*words, *lines)
    assert found["configuration"]["settings"]["injectors"] == 2
    assert found["configuration"]["settings"]["ejectors"] == 3
    assert found["points"][0]["accepted"] == pytest.approx(1.8, rel=0.05)
    assert (
        ask(*words[:2], "--saturation", "--cycles", "200", *lines)["saturation"]["complete(6)"] > 1
    )
    refused(*words)
    refused(*words[:2], "--load", "0.1", "--injectors", "0")
    refused(*words[:2], "--load", "0.1", "--ejectors", "65")


def _twins(links):
    return Network.from_links(2, [0] * links, [1] * links, spec=f"{links} links")


@pytest.mark.parametrize("routing", ["fixed", "adaptive"])
@pytest.mark.parametrize(("links", "most"), [(1, 0.25), (2, 0.5), (4, 1.0)])
def test_parallel_links_carry_as_much_as_they_are(links, most, routing):
    """Four endpoints a node, all sending across: each link carries one flit a cycle."""
    config = Settings(vcs=8, buffer=16, concentration=4, routing=routing, window="none")
    setup = build_setup(_twins(links), config)
    across = make_traffic(np.array([4, 5, 6, 7, 0, 1, 2, 3]), 8)
    point = run_point(setup, across, 1.0, warmup=500, cycles=2000)
    if routing == "fixed":
        most = min(most, 0.5)  # a table holds two ways for each goal
    share = 0.65 if routing == "adaptive" else 0.92  # single iterations of allocators miss some
    assert share * most <= point.accepted <= 1.01 * most


@pytest.mark.interpreted
def test_routes_are_shared_out_among_parallel_links():
    network = hopscape.build("multiring(8, 1, 3, copies=3)")
    table = routing_table(network)
    use = np.zeros(len(network.heads), dtype=int)
    for ports in (table.port, table.other if table.other is not None else table.port):
        rows, _ = np.nonzero(ports != 0xFFFF)
        np.add.at(use, network.indptr[rows] + ports[ports != 0xFFFF].astype(int), 1)
    copies = np.bincount(network.port_of(np.arange(len(use))), weights=use)
    for step in link_classes(network).values():
        same = copies[np.unique(network.port_of(step))]
        assert len(same) == 6
        assert same.max() <= 1.5 * same.min()
    setup = build_setup(network, Settings(vcs=8))
    assert setup.certificate.deadlock_free


@settings(deadline=None, max_examples=25)
@given(
    spec=st.sampled_from(
        [
            "multiring(8, 1, 3, copies=2)",
            "fat_tree(4)",
            "distributed_switch(7, 3, 1)",
            "hyperx([3, 3])",
        ]
    ),
    routing=st.sampled_from(["fixed", "adaptive", "valiant", "ugal"]),
    sizes=st.sampled_from([((1,), ()), ((1, 4), (3.0, 1.0)), ((2, 3, 7), ())]),
    bursts=st.booleans(),
    load=st.sampled_from([0.1, 0.5, 1.0]),
    seed=st.integers(0, 99),
    lines=st.tuples(st.integers(1, 3), st.integers(1, 3)),
)
def test_every_packet_arrives(spec, routing, sizes, bursts, load, seed, lines):
    config = Settings(vcs=8, buffer=4, packet=sizes[0], packet_shares=sizes[1], routing=routing)
    config = replace(config, injectors=lines[0], ejectors=lines[1])
    load *= lines[0]
    setup = build_setup(hopscape.build(spec), config)
    traffic = make_traffic("uniform-others", setup.endpoints)
    if bursts:
        traffic = traffic.bursty(0.3, 0.3)
        load /= 2
    source = make_source(traffic, config, load)
    state = start(setup, traffic, source, seed)
    run = Run(setup, state, source, blank_counters(setup, 10))
    assert not run.to(400)
    source.kind[1] = layout.SILENT
    state.ends[:, layout.E_BIRTH] = 2**30
    assert not run.to(20_000)
    assert state.scalars[layout.CREATED] == state.scalars[layout.DELIVERED] > 0
    assert state.scalars[layout.IN_FLIGHT] == 0
    few, many = min(sizes[0]), max(sizes[0])
    flits = int(state.scalars[layout.DELIVERED_FLITS])
    assert few <= flits / state.scalars[layout.DELIVERED] <= many


def test_packet_sizes_come_in_their_shares():
    config = Settings(vcs=4, buffer=8, packet=(1, 5), packet_shares=(3.0, 1.0))
    setup = build_setup(hopscape.build("torus(4, 4)"), config)
    traffic = make_traffic("uniform", 16)
    source = make_source(traffic, config, 0.2)
    state = start(setup, traffic, source, 1)
    Run(setup, state, source, blank_counters(setup, 200)).to(20_000)
    mean = state.scalars[layout.DELIVERED_FLITS] / state.scalars[layout.DELIVERED]
    assert mean == pytest.approx(2.0, rel=0.02)


def test_bursts_are_bursts():
    """The same load in bursts waits longer."""
    setup = build_setup(hopscape.build("torus(4, 4)"), Settings(vcs=4))
    even = make_traffic("uniform", 16)
    flat = run_point(setup, even, 0.6, warmup=1000, cycles=10_000)
    rough = run_point(setup, even.bursty(0.02, 0.01), 0.6, warmup=1000, cycles=10_000)
    assert rough.accepted == pytest.approx(flat.accepted, rel=0.1)
    assert rough.latency > 1.1 * flat.latency
    for chances in ((0, 0.5), (0.5, 1.5)):
        with pytest.raises(ArgumentError, match="chance"):
            even.bursty(*chances)


def test_hotspots_get_their_shares():
    setup = build_setup(hopscape.build("mesh(4, 4)"), Settings(vcs=4))
    config = setup.settings
    traffic = make_traffic("hotspot({5,10},{3,1})", 16)
    source = make_source(traffic, config, 0.03)
    state = start(setup, traffic, source, 2)
    counters = blank_counters(setup, 300)
    counters.span[:2] = 0, 30_000
    assert not Run(setup, state, source, counters).to(30_000)
    got = counters.received
    assert got[5] / got[10] == pytest.approx(3, rel=0.1)
    assert got.sum() == got[5] + got[10]


@pytest.mark.interpreted
def test_matrix_and_trace_files(tmp_path):
    matrix = np.zeros((6, 6))
    matrix[np.arange(6), (np.arange(6) + 2) % 6] = 4
    file = tmp_path / "pairs.csv"
    np.savetxt(file, matrix, delimiter=",")
    traffic = read_matrix(file, 6)
    assert np.array_equal(traffic.matrix(6), (matrix > 0).astype(float))
    words = ["simulate", "ring(6)", "--vcs", "2", "--load", "0.1", "--cycles", "500"]
    assert ask(*words, "--traffic", str(file))["points"][0]["hops"] == 3
    trace = tmp_path / "packets.trace"
    trace.write_text("cycle,source,target,flits\n# two packets\n5,0,2,2\n50,1,2,4\n")
    setup = build_setup(hopscape.build("ring(6)"), Settings(vcs=2))
    point = run_point(setup, read_trace(trace, 6), 0.0, warmup=0, cycles=100)
    assert (point.packets, point.delivered) == (2, 2)
    assert point.latency == (setup.settings.zero_load(3, 2) + setup.settings.zero_load(2, 4)) / 2
    for text in ("5,0,9,1\n", "5,0,1\n", "x,0,1,1\n", "", "5,0,1,0\n"):
        trace.write_text(text)
        with pytest.raises(FileFormatError):
            read_trace(trace, 6)
    file.write_text("1,2\n3\n")
    with pytest.raises(FileFormatError):
        read_matrix(file, 2)
    np.savetxt(file, np.ones((3, 3)), delimiter=",")
    with pytest.raises(ArgumentError, match="6 × 6"):
        read_matrix(file, 6)


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", ["ring(6)", "mesh(2, 3)", "circulant(7, 1, 2)"])
def test_worst_permutation_is_the_worst_of_all(spec):
    network = hopscape.build(spec)
    table = routing_table(network, ties=False)
    n = network.order
    loads = np.zeros((n, n, len(network.heads)), dtype=int)
    for a, b in itertools.permutations(range(n), 2):
        at = a
        while at != b:
            channel = network.indptr[at] + table.port[at, b]
            loads[a, b, channel] += 1
            at = network.heads[channel]
    sources = np.arange(n)
    most = max(loads[sources, p].sum(axis=0).max() for p in itertools.permutations(range(n)))
    worst = worst_permutation(network, table, np.arange(n))
    assert loads[sources, worst.targets].sum(axis=0).max() == most


@pytest.mark.interpreted
@pytest.mark.parametrize("switching", ["cut-through", "store-and-forward"])
def test_adaptive_packets_escape_when_no_buffer_holds_them(switching):
    """A free channel to roam whose buffer is too full must not keep a packet from its escape."""
    config = Settings(vcs=3, buffer=4, packet=(3,), routing="adaptive", switching=switching)
    setup = build_setup(hopscape.build("ring(8)"), config)
    traffic = make_traffic("tornado", 8)
    source = make_source(traffic, config, 1.0)
    state = start(setup, traffic, source, 1)
    run = Run(setup, state, source, blank_counters(setup, 10))
    assert not run.to(2000)
    before = int(state.scalars[layout.DELIVERED])
    assert not run.to(4000)
    assert state.scalars[layout.DELIVERED] > before + 200


def test_saturation_resumes_and_runs_side_by_side(tmp_path):
    kept = tmp_path / "kept.jsonl"
    words = ["simulate", "ring(4)", "mesh(2, 3)", "--saturation", "--cycles", "200"]
    records = [ask(*words, "--workers", count, "--resume", str(kept)) for count in ("1", "2")]
    assert records[0]["saturation"].keys() == {"ring(4)", "mesh(2, 3)"}
    assert records[0] == records[1]  # seconds too: nothing was run again
    assert len(kept.read_text().splitlines()) >= 2
