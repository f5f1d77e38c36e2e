"""Faults in flight: every packet is delivered, lost or still there, and nothing else breaks."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape.cli import main
from hopscape.core.errors import ArgumentError
from hopscape.deadlock.tables import NO_PORT
from hopscape.simulate import Settings, build_plant, layout, make_traffic, run_point
from hopscape.simulate.faults import plan_epochs, read_faults
from hopscape.simulate.measurement import make_source, start
from hopscape.simulate.run import Run, blank_counters
from hopscape.simulate.surgery import census

SPECS = ["mesh(4, 4)", "torus(4, 4)", "petersen", "circulant(13, 1, 5)", "ring(9)"]


def _run(plant, load, links, nodes, seed=1):
    traffic = make_traffic("uniform-others", plant.endpoints)
    source = make_source(traffic, plant.settings, load)
    state = start(plant, traffic, source, seed)
    faults = read_faults(plant.network, links, nodes)
    return Run(plant, state, source, blank_counters(plant, 10), faults), state, source


def _balanced(plant, state):
    """The counters against a count of the packets that are really there."""
    s = state.scalars
    there = census(plant.settings.buffer, state)
    assert s[layout.IN_FLIGHT] == len(there)
    assert s[layout.CREATED] == s[layout.DELIVERED] + s[layout.LOST] + len(there)
    spare = state.packets[: int(s[layout.FREE]), layout.SPARE].tolist()
    assert len(set(spare)) == len(spare)
    assert not set(spare) & there
    assert len(spare) + len(there) == s[layout.FRESH]


def _places_balance(plant, state):
    """Every place of a buffer is a credit, a flit in it or under way, or a credit under way."""
    vcs, depth = state.vcs, plant.settings.buffer
    total = vcs[:, layout.CREDIT].astype(int) + vcs[:, layout.COUNT]
    for wheel in (state.arrivals, state.credits):
        for line in wheel:
            np.add.at(total, line[1 : 1 + line[0]], 1)
    for line in state.ejections:
        np.add.at(total, line[1 : line[0] + 1 : 2], 1)
    per = 1 << int(plant.fabric.numbers[layout.N_SHIFT])
    real = np.arange(len(total)) % per < plant.settings.vcs
    assert (total[real] == depth).all()


@settings(deadline=None, max_examples=40)
@given(
    spec=st.sampled_from(SPECS),
    switching=st.sampled_from(["wormhole", "cut-through", "store-and-forward"]),
    load=st.sampled_from([0.1, 0.4, 0.9]),
    picks=st.lists(
        st.tuples(st.booleans(), st.integers(0, 10**6), st.integers(0, 300)), max_size=3
    ),
    seed=st.integers(0, 99),
)
def test_no_packet_is_unaccounted_for(spec, switching, load, picks, seed):
    config = Settings(vcs=8, buffer=5, packet=(1, 4), switching=switching)
    network = hopscape.build(spec)
    plant = build_plant(network, config)
    links, nodes = [], []
    for is_link, pick, cycle in picks:
        if is_link:
            c = pick % len(network.heads)
            links.append(f"{network.tails[c]}-{network.heads[c]}@{cycle}")
        else:
            nodes.append(f"{pick % network.order}@{cycle}")
    run, state, source = _run(plant, load, links, nodes, seed)
    for until in (1, 50, 150, 301, 400):
        assert not run.to(until)
        _balanced(plant, state)
        _places_balance(plant, state)
    source.kind[1] = layout.SILENT
    state.ends[:, layout.E_BIRTH] = 2**30
    assert not run.to(6000)
    _balanced(plant, state)
    assert state.scalars[layout.IN_FLIGHT] == 0
    vcs = state.vcs
    assert (vcs[:, layout.COUNT] == 0).all()
    assert (vcs[:, layout.STATE] == layout.IDLE).all()
    assert (state.units[:, layout.U_FREE] == (1 << config.vcs) - 1).all()
    assert (state.units[:, layout.U_CREDIT] == config.vcs * config.buffer).all()
    if not picks:
        assert state.scalars[layout.LOST] == state.scalars[layout.REROUTED] == 0


def test_dead_link_from_the_start_loses_nothing_and_turns_its_pairs():
    plant = build_plant(hopscape.build("ring(8)"), Settings(vcs=4))
    faults = read_faults(plant.network, ["0-1"])
    traffic = make_traffic("neighbour", 8)
    point = run_point(plant, traffic, 0.1, cycles=2000, faults=faults)
    assert point.lost == 0
    assert point.created == point.delivered + point.in_flight
    share = point.rerouted / point.created
    assert share == pytest.approx(1 / 8, abs=0.04)  # only 0 to 1 goes the long way round
    assert point.hops == pytest.approx((7 * 2 + 8) / 8, abs=0.2)


def test_dead_node_from_the_start_takes_what_is_sent_to_it():
    plant = build_plant(hopscape.build("torus(4, 4)"), Settings(vcs=4))
    faults = read_faults(plant.network, (), ["5"])
    point = run_point(plant, make_traffic("uniform-others", 16), 0.1, cycles=4000, faults=faults)
    assert point.lost / point.created == pytest.approx(1 / 15, rel=0.15)
    assert point.created == point.delivered + point.lost + point.in_flight


def test_a_fault_in_flight_turns_packets_and_both_parts_of_a_broken_mesh_go_on():
    plant = build_plant(hopscape.build("mesh(2, 8)"), Settings(vcs=4, packet=(4,)))
    run, state, _ = _run(plant, 0.3, ["(0,3)-(0,4)@500"], [])
    run.to(499)
    assert state.scalars[layout.LOST] == state.scalars[layout.REROUTED] == 0
    run.to(501)
    turned = int(state.scalars[layout.REROUTED])
    assert turned > 0
    run.to(1500)
    assert state.scalars[layout.REROUTED] > turned
    halves, state, _ = _run(plant, 0.2, ["(0,3)-(0,4)@500", "(1,3)-(1,4)@500"], [])
    assert not halves.to(1500)
    assert state.scalars[layout.LOST] > 100
    assert state.scalars[layout.DELIVERED] > 500
    _balanced(plant, state)


@pytest.mark.parametrize("spec", SPECS)
def test_mended_tables_are_shortest_over_what_is_left(spec):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    plant = build_plant(hopscape.build(spec), Settings(vcs=8))
    network = plant.network
    faults = read_faults(network, [f"0-{network.heads[0]}"], ["4"])
    epoch = plan_epochs(plant, faults)[0]
    live = epoch.alive
    graph = csr_array(
        (np.ones(live.sum()), (network.tails[live], network.heads[live])),
        shape=(network.order, network.order),
    )
    far = shortest_path(graph, unweighted=True)
    port = epoch.plant.table.port
    assert epoch.plant.certificate.deadlock_free
    for a in range(network.order):
        for b in range(network.order):
            if a == b or np.isinf(far[a, b]):
                assert port[a, b] == NO_PORT
                continue
            channel = network.indptr[a] + port[a, b]
            assert live[channel]
            assert far[network.heads[channel], b] == far[a, b] - 1


def test_up_down_is_the_fallback_when_channels_are_few():
    plant = build_plant(hopscape.build("mesh(4, 4)"), Settings(vcs=1))
    epoch = plan_epochs(plant, read_faults(plant.network, ["5-6"], ["0"]))[0]
    assert epoch.plant.table.router.startswith("up*/down*")
    assert epoch.plant.classes.count == 1
    assert epoch.plant.certificate.deadlock_free
    run, state, _ = _run(plant, 0.1, ["5-6@100"], ["0@200"])
    assert not run.to(2000)
    _balanced(plant, state)


def test_bad_faults_are_refused():
    network = hopscape.build("ring(8)")
    for links, nodes in ((["0-3"], []), (["0"], []), (["0-1@x"], []), ([], ["9"]), ([], ["1@-2"])):
        with pytest.raises(ArgumentError):
            read_faults(network, links, nodes)
    plant = build_plant(network, Settings(vcs=4, switching="circuit"))
    with pytest.raises(ArgumentError, match="circuit"):
        plan_epochs(plant, read_faults(network, ["0-1"]))
    plant = build_plant(network, Settings(vcs=4, routing="valiant"))
    with pytest.raises(ArgumentError, match="valiant"):
        plan_epochs(plant, read_faults(network, ["0-1"]))


def test_command(capsys):
    words = ["simulate", "torus(4, 4)", "--load", "0.2", "--cycles", "1000", "--warmup", "200"]
    with pytest.raises(SystemExit) as end:
        main([*words, "--fail-link", "0-1@500", "--fail-node", "7", "--format", "json"])
    assert end.value.code in (0, None)
    found = json.loads(capsys.readouterr().out)
    point = found["points"][0]
    assert point["created"] == point["delivered"] + point["lost"] + point["in_flight"]
    assert point["lost"] > 0
    assert point["rerouted"] > 0
    assert found["configuration"]["fail_links"] == ["0-1@500"]
