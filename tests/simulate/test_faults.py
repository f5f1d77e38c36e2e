"""Faults in flight: every packet is delivered, lost or still there, and nothing else breaks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import hopscape
from commands import ask
from hopscape.core.arrays import NO_PORT
from hopscape.core.errors import ArgumentError
from hopscape.simulate import Settings, build_setup, layout, make_traffic, run_point
from hopscape.simulate.faults import census, plan_epochs, read_faults
from hopscape.simulate.measurement import make_source, start
from hopscape.simulate.run import Run, blank_counters, look_for_stuck, stuck_rows

SPECS = [
    "mesh(4, 4)",
    "torus(4, 4)",
    "petersen",
    "circulant(13, 1, 5)",
    "ring(9)",
]
MORE = [
    *SPECS,
    "circulant(21, 1, 8)",
    "multiring(8, 1, 3, copies=2)",
    "multiring(9, 1, 2, simplex=true)",
    "debruijn(2, 4)",
    "kautz(2, 3)",
    "heawood",
    "hypercube(4)",
    "distributed_switch(7, 3, 1)",
    "fat_tree(4)",
]


def _run(setup, load, links, nodes, seed=1, fault_routing="family"):
    traffic = make_traffic("uniform-others", setup.endpoints)
    source = make_source(traffic, setup.settings, load)
    state = start(setup, traffic, source, seed)
    faults = read_faults(setup.network, links, nodes)
    run = Run(setup, state, source, blank_counters(setup, 10), faults, fault_routing)
    return run, state, source


def _balanced(setup, state):
    """The counters against a count of the packets that are really there."""
    s = state.scalars
    there = census(setup.settings.buffer, state)
    assert s[layout.IN_FLIGHT] == len(there)
    assert s[layout.CREATED] == s[layout.DELIVERED] + s[layout.LOST] + len(there)
    spare = state.packets[: int(s[layout.FREE]), layout.SPARE].tolist()
    assert len(set(spare)) == len(spare)
    assert not set(spare) & there
    assert len(spare) + len(there) == s[layout.FRESH]


def _places_balance(setup, state):
    """Every place of a buffer is a credit, a flit in it or under way, or a credit under way."""
    vcs, depth = state.vcs, setup.settings.buffer
    total = vcs[:, layout.CREDIT].astype(int) + vcs[:, layout.COUNT]
    for line in state.credits:
        np.add.at(total, line[1 : 1 + line[0]], 1)
    for wheel in (state.arrivals, state.ejections):
        for line in wheel:
            np.add.at(total, line[1 : line[0] + 1 : 2], 1)
    per = 1 << int(setup.fabric.numbers[layout.N_SHIFT])
    real = np.arange(len(total)) % per < setup.settings.vcs
    assert (total[real] == depth).all()


def _silence(state, source):
    source.kind[1] = layout.SILENT
    state.ends[:, layout.E_BIRTH] = 2**30


def _at_rest(setup, state):
    """Nothing is left anywhere, and everything is free."""
    config = setup.settings
    assert state.scalars[layout.IN_FLIGHT] == 0
    assert (state.vcs[:, layout.COUNT] == 0).all()
    assert (state.vcs[:, layout.STATE] == layout.IDLE).all()
    assert (state.units[:, layout.U_FREE] == (1 << config.vcs) - 1).all()
    assert (state.units[:, layout.U_CREDIT] == config.vcs * config.buffer).all()


CASES = {
    "routing": st.sampled_from(["fixed", "adaptive", "valiant", "ugal"]),
    "switching": st.sampled_from(["wormhole", "cut-through", "store-and-forward", "circuit"]),
    "tail_credit": st.booleans(),
    "load": st.sampled_from([0.1, 0.4, 0.9, 1.0]),
    "buffer": st.sampled_from([4, 5, 8]),
    "lines": st.tuples(st.integers(1, 3), st.integers(1, 3)),
    "own": st.booleans(),
    "seed": st.integers(0, 99),
}


def picks(most, last):
    """Links (True) and nodes that die, and when."""
    when = st.one_of(st.just(0), st.integers(1, last))
    return st.lists(st.tuples(st.booleans(), st.integers(0, 10**6), when), max_size=most)


@settings(deadline=None, max_examples=120)
@given(spec=st.sampled_from(MORE), picks=picks(4, 300), **CASES)
def test_no_packet_is_unaccounted_for(spec, picks, **case):
    check_accounts(spec, picks, (1, 50, 150, 301, 400), 20_000, **case)


@pytest.mark.interpreted
@settings(deadline=None, max_examples=24)
@given(
    spec=st.sampled_from(["ring(4)", "mesh(2, 3)", "debruijn(2, 3)", "complete(4)"]),
    picks=picks(2, 60),
    **CASES,
)
def test_no_packet_of_a_small_network_is_unaccounted_for(spec, picks, **case):
    check_accounts(spec, picks, (1, 40, 90), 1500, **case)


def check_accounts(
    spec, picks, stops, last, *, routing, switching, tail_credit, load, buffer, lines, own, seed
):
    """Count everything at every stop; then nobody sends any more, and all comes to rest."""
    config = Settings(
        vcs=12,
        buffer=buffer,
        injectors=lines[0],
        ejectors=lines[1],
        packet=(1, 4),
        switching=switching,
        routing=routing,
        tail_credit=tail_credit,
    )
    network = hopscape.build(spec)
    setup = build_setup(network, config)
    links, nodes = [], []
    for is_link, pick, cycle in picks:
        if is_link:
            c = pick % len(network.heads)
            links.append(f"{network.tails[c]}-{network.heads[c]}@{cycle}")
        else:
            nodes.append(f"{pick % network.order}@{cycle}")
    try:
        run, state, source = _run(setup, load, links, nodes, seed, "family" if own else "tables")
    except ArgumentError:  # more classes than channels, which is said
        assume(False)
    for until in stops:
        assert not run.to(until)
        _balanced(setup, state)
        _places_balance(setup, state)
    _silence(state, source)
    assert not run.to(last)
    _balanced(setup, state)
    _at_rest(setup, state)
    assert all(old for _, old in run.discarded)  # nobody on certified routes is ever stuck
    if not picks:
        assert state.scalars[layout.LOST] == state.scalars[layout.REROUTED] == 0


def busy_rows(state):
    """When nothing has moved for long, whatever is not idle is stuck."""
    return np.nonzero(state.vcs[:, layout.STATE] != layout.IDLE)[0].tolist()


@pytest.mark.interpreted
@pytest.mark.parametrize("switching", ["wormhole", "cut-through", "store-and-forward", "circuit"])
@pytest.mark.parametrize("routing", ["fixed", "adaptive"])
@pytest.mark.parametrize("tail_credit", [False, True])
def test_stuck_channels_are_exactly_those_that_never_move(switching, routing, tail_credit):
    """A ring whose classes are taken away deadlocks; at rest, what is not idle is stuck."""
    config = Settings(
        vcs=2 if routing == "adaptive" else 1,
        buffer=4,
        packet=(4,),
        switching=switching,
        routing=routing,
        tail_credit=tail_credit,
    )
    setup = build_setup(hopscape.build("ring(8)"), config, unsafe=True)
    if routing == "adaptive":
        setup.fabric.sets[:] = 0  # no escape
    run, state, source = _run(setup, 1.0, [], [])
    for _ in range(40):
        before = set(stuck_rows(setup, state).tolist())
        if run.to(run.now + 50):
            break
        assert before <= set(stuck_rows(setup, state).tolist())
    _silence(state, source)
    assert run.to(run.now + 20_000)
    busy = busy_rows(state)
    assert len(busy) >= 8
    assert stuck_rows(setup, state).tolist() == busy
    circle = look_for_stuck(setup, state).circle(setup, state)
    assert len(set(circle)) == len(circle) >= 1
    assert set(circle) <= set(busy)


def test_packets_between_old_and_new_routes_are_thrown_away_until_the_rest_moves():
    config = Settings(vcs=3, buffer=4, packet=(4,), tail_credit=True, priority="none")
    setup = build_setup(hopscape.build("debruijn(2, 4)"), config)
    thrown = 0
    for seed in range(12):
        run, state, source = _run(setup, 1.0, ["1-2@114"], ["6@261", "9@110"], seed)
        run.to(110)
        assert not run.discarded
        run.to(2000)
        thrown += len(run.discarded)
        assert state.scalars[layout.LOST] >= len(run.discarded)
        _balanced(setup, state)
        _silence(state, source)
        assert not run.to(20_000)
        _at_rest(setup, state)
    assert thrown > 0


@pytest.mark.interpreted
def test_dead_link_from_the_start_loses_nothing_and_turns_its_pairs():
    setup = build_setup(hopscape.build("ring(8)"), Settings(vcs=4))
    faults = read_faults(setup.network, ["0-1"])
    traffic = make_traffic("neighbour", 8)
    point = run_point(setup, traffic, 0.1, cycles=2000, faults=faults)
    assert point.lost == 0
    assert point.created == point.delivered + point.in_flight
    share = point.rerouted / point.created
    assert share == pytest.approx(1 / 8, abs=0.04)  # only 0 to 1 goes the long way round
    assert point.hops == pytest.approx((7 * 2 + 8) / 8, abs=0.2)


@pytest.mark.interpreted
def test_dead_node_from_the_start_takes_what_is_sent_to_it():
    setup = build_setup(hopscape.build("torus(4, 4)"), Settings(vcs=4))
    faults = read_faults(setup.network, (), ["5"])
    point = run_point(setup, make_traffic("uniform-others", 16), 0.1, cycles=4000, faults=faults)
    assert point.lost / point.created == pytest.approx(1 / 15, rel=0.15)
    assert point.created == point.delivered + point.lost + point.in_flight


def test_a_fault_in_flight_turns_packets_and_both_parts_of_a_broken_mesh_go_on():
    setup = build_setup(hopscape.build("mesh(2, 8)"), Settings(vcs=4, packet=(4,)))
    run, state, _ = _run(setup, 0.3, ["(0,3)-(0,4)@500"], [])
    run.to(499)
    assert state.scalars[layout.LOST] == state.scalars[layout.REROUTED] == 0
    run.to(501)
    turned = int(state.scalars[layout.REROUTED])
    assert turned > 0
    run.to(1500)
    assert state.scalars[layout.REROUTED] > turned
    halves, state, _ = _run(setup, 0.2, ["(0,3)-(0,4)@500", "(1,3)-(1,4)@500"], [])
    assert not halves.to(1500)
    assert state.scalars[layout.LOST] > 100
    assert state.scalars[layout.DELIVERED] > 500
    _balanced(setup, state)


@pytest.mark.interpreted
@pytest.mark.parametrize("spec", SPECS)
def test_mended_tables_are_shortest_over_what_is_left(spec):
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    setup = build_setup(hopscape.build(spec), Settings(vcs=8))
    network = setup.network
    faults = read_faults(network, [f"0-{network.heads[0]}"], ["4"])
    epoch = plan_epochs(setup, faults)[0]
    live = epoch.alive
    graph = csr_array(
        (np.ones(live.sum()), (network.tails[live], network.heads[live])),
        shape=(network.order, network.order),
    )
    far = shortest_path(graph, unweighted=True)
    port = epoch.setup.table.port
    assert epoch.setup.certificate.deadlock_free
    for a in range(network.order):
        for b in range(network.order):
            if a == b or np.isinf(far[a, b]):
                assert port[a, b] == NO_PORT
                continue
            channel = network.indptr[a] + port[a, b]
            assert live[channel]
            assert far[network.heads[channel], b] == far[a, b] - 1


@pytest.mark.interpreted
def test_up_down_is_the_fallback_when_channels_are_few():
    setup = build_setup(hopscape.build("mesh(4, 4)"), Settings(vcs=1))
    epoch = plan_epochs(setup, read_faults(setup.network, ["5-6"], ["0"]))[0]
    assert epoch.setup.table.router.startswith("up*/down*")
    assert epoch.setup.classes.count == 1
    assert epoch.setup.certificate.deadlock_free
    run, state, _ = _run(setup, 0.1, ["5-6@100"], ["0@200"])
    assert not run.to(2000)
    _balanced(setup, state)


@pytest.mark.interpreted
def test_bad_faults_are_refused():
    network = hopscape.build("ring(8)")
    for links, nodes in ((["0-3"], []), (["0"], []), (["0-1@x"], []), ([], ["9"]), ([], ["1@-2"])):
        with pytest.raises(ArgumentError):
            read_faults(network, links, nodes)
    setup = build_setup(network, Settings(vcs=4))
    with pytest.raises(ArgumentError, match="choose family or tables"):
        plan_epochs(setup, read_faults(network, ["0-1"]), "magic")
    setup = build_setup(hopscape.build("debruijn(2, 4)"), Settings(vcs=2))
    with pytest.raises(ArgumentError, match="after the fault at cycle 7: vcs is 2; fixed routing"):
        plan_epochs(setup, read_faults(setup.network, ["1-2@7"]))


def _follow(epoch, a, b):
    """The nodes on the way from a to b by the tables of an epoch."""
    network, port = epoch.setup.network, epoch.setup.table.port
    way = [a]
    while way[-1] != b:
        channel = network.indptr[way[-1]] + port[way[-1], b]
        assert epoch.alive[channel]
        way.append(int(network.heads[channel]))
        assert len(way) <= network.order
    return way


@pytest.mark.interpreted
def test_families_route_round_dead_parts():
    from hopscape.families.circulant.detours import FaultRouter

    network = hopscape.build("circulant(34, 1, 13)")
    setup = build_setup(network, Settings(vcs=8))
    faults = read_faults(network, ["0-1", "4-17"], ["20"])
    epoch = plan_epochs(setup, faults)[0]
    assert (epoch.routes, epoch.unserved) == ("family", 0)
    own = FaultRouter(network.router("closed"), [20], [(0, 1), (4, 17)])
    live = [v for v in range(34) if v != 20]
    for a in live:
        for b in live:
            if a != b:
                assert len(_follow(epoch, a, b)) - 1 == own.route(a, b, known=True).hops
    first = plan_epochs(setup, faults[:1])[0]
    assert first.to_dict()["pairs_without_way"] == 0
    tables = plan_epochs(setup, faults, "tables")[0]
    assert tables.routes == "tables"
    assert not np.array_equal(tables.setup.table.port, epoch.setup.table.port)


@pytest.mark.interpreted
def test_pairs_that_a_family_does_not_serve_are_counted_and_served_by_tables():
    network = hopscape.build("circulant(13, 1, 5)")
    setup = build_setup(network, Settings(vcs=8))
    whole = type(network.family).detours

    def some(self, network, nodes, links):
        ask = whole(self, network, nodes, links)
        return lambda a, b: None if b == 1 else ask(a, b)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(network.family), "detours", some)
        epoch = plan_epochs(setup, read_faults(network, ["0-1"]))[0]
    assert epoch.routes == "family"
    assert epoch.unserved > 0
    for a in range(13):
        if a != 1:
            _follow(epoch, a, 1)


@pytest.mark.interpreted
def test_switches_route_round_dead_crossbars():
    network = hopscape.build("distributed_switch(7, 4, 2)")
    setup = build_setup(network, Settings(vcs=8))
    epoch = plan_epochs(setup, read_faults(network, (), ["9"]))[0]
    assert (epoch.routes, epoch.unserved) == ("family", 0)
    for a in range(7):
        for b in range(7):
            if a != b:
                assert 9 not in _follow(epoch, a, b)
                assert len(_follow(epoch, a, b)) == 3  # one of two ways is left


def test_command():
    words = ["simulate", "torus(4, 4)", "--load", "0.2", "--cycles", "1000", "--warmup", "200"]
    found = ask(*words, "--dead-link", "0-1@500", "--dead", "7")
    point = found["points"][0]
    assert point["created"] == point["delivered"] + point["lost"] + point["in_flight"]
    assert point["lost"] > 0
    assert point["rerouted"] > 0
    assert found["configuration"]["fail_links"] == ["0-1@500"]
    after = found["faults"]["torus(4, 4)"]
    assert [e["cycle"] for e in after] == [0, 500]
    assert all(e["deadlock_free"] and e["routes"] == "tables" for e in after)
    assert all(0 < e["vcs"] <= 8 for e in after)
