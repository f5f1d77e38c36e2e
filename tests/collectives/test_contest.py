"""The front door: the best of all that serve, what is left out and why, bounds and sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, verify
from hopscape.collectives.circuits.search import search_circuits
from hopscape.collectives.contest import (
    Contest,
    buffer_chunks,
    candidates,
    compete,
    search_steps,
)
from hopscape.collectives.loads import least_load
from hopscape.collectives.records import (
    contest_record,
    read_sizes,
    size_grid,
    transfer_rows,
)
from hopscape.collectives.survivors import check_alive, dead_channels, dead_transfer, survivors
from hopscape.core import progress
from hopscape.core.errors import ArgumentError, DisconnectedError

COSTS = {"alpha": 1.0, "beta": 2e-5, "gamma": 1e-5, "delta": 0.1}


def test_the_best_answers_not_the_first() -> None:
    found = compete(hopscape.build("torus(8, 8)"), Goal.all_gather())
    assert (found.best.rounds, found.bounds[0].rounds) == (16, 16)
    assert len(found.entries) > 4
    assert [e.rounds for e in found.entries] == sorted(e.rounds for e in found.entries)
    circuit = compete(hopscape.build("torus(6, 6)"), Goal.broadcast(0), {"switching": "circuit"})
    assert circuit.best.rounds == 3
    summed = compete(hopscape.build("torus(4, 4)"), Goal.all_reduce())
    assert summed.best.rounds == summed.bounds[0].rounds == 4


class Ticking:
    """A clock that goes on by so many seconds whenever it is looked at."""

    def __init__(self, step: float) -> None:
        self.now, self.step = 1000.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def answers(contest: Contest) -> list[tuple[str, int, float]]:
    return [(e.algorithm, e.rounds, e.cost(contest.costs, contest.size)) for e in contest.entries]


@pytest.mark.parametrize("spec", ["fat_tree(4)", "random_regular(16, 3)", "torus(4, 4)"])
@pytest.mark.parametrize("size", [None, 1e3])
def test_no_clock_decides(spec: str, size: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """However quickly time goes by, the answer is the same, and the same for any usual limit."""
    network = hopscape.build(spec)
    first = compete(network, Goal.all_reduce(), size=size)
    monkeypatch.setattr(progress.time, "monotonic", Ticking(1e6))
    for seconds in (None, 3, 10, 30):
        again = compete(network, Goal.all_reduce(), size=size, seconds=seconds)
        assert answers(again) == answers(first)
        assert again.left_out == first.left_out


@pytest.mark.parametrize("rules", [{}, {"disjoint": "vertex"}, {"circuits": "dimension-ordered"}])
def test_searches_do_not_look_at_the_clock(monkeypatch: pytest.MonkeyPatch, rules: dict) -> None:
    network = hopscape.build("torus(7, 7)")
    model = Model(switching="circuit", **rules)
    first = search_circuits(network, Goal.broadcast(0), model)
    monkeypatch.setattr(progress.time, "monotonic", Ticking(1e6))
    again = search_circuits(network, Goal.broadcast(0), model)
    assert verify(again)
    assert np.array_equal(again.channels, first.channels)


def test_what_searches_says_what_it_costs_and_keeps_it_backwards() -> None:
    """Whatever packages add for any network searches; turned round it costs as much."""
    network = hopscape.build("random_regular(32, 4)")
    for goal in (Goal.all_gather(), Goal.reduce_scatter(), Goal.all_reduce(32), Goal.all_to_all()):
        pool = candidates(network, goal)
        steps = {one.name: search_steps(one, network, goal, Model()) for one in pool}
        few = {"rarest-first", "negotiated"}
        searching = {
            "flow",
            "forest",
            "even-forest",
            "rate-forest",
            "two-way-forest",
            "passing-forest",
            "partial-sums",
            "breadth-first",
            *few,
        } & set(steps)
        assert searching
        assert all((steps[name] > 0) == (name in searching) for name in steps)
        names = [one.name for one in pool]
        assert set(names[-len(searching) :]) == searching  # after all that do not search
        if goal.kind != "all-to-all":
            gathers = {one.name: one for one in candidates(network, Goal.all_gather())}
            for name in searching & set(gathers):
                forward = search_steps(gathers[name], network, Goal.all_gather(), Model())
                assert steps[name] == forward


def test_a_limit_cuts_searches_only_and_says_so() -> None:
    network = hopscape.build("random_regular(32, 4)")
    whole = compete(network, Goal.all_gather(), size=1e7)
    short = compete(network, Goal.all_gather(), size=1e7, seconds=1e-9)
    searching = {"flow", "forest", "breadth-first"}
    assert {e.algorithm for e in whole.entries} >= searching
    assert {e.algorithm for e in whole.entries} - {e.algorithm for e in short.entries} == searching
    reasons = {one.algorithm: one.reason for one in short.left_out}
    assert all("--time-limit" in reasons[name] for name in searching)
    tree = hopscape.build("fat_tree(4)")
    only = compete(tree, Goal.all_to_all(), {"switching": "circuit"}, seconds=1e-9)
    assert only.best.algorithm == "flow"  # nothing else serves: some answer is better than none
    with pytest.raises(ArgumentError, match="its search takes about"):
        compete(network, Goal.all_gather(), algorithm="flow", seconds=1e-9)


def test_all_entries_hold_under_the_model_that_was_asked_for() -> None:
    asked = {"ports": 1, "duplex": "half", "packing": "packed"}
    found = compete(hopscape.build("torus(4, 4)"), Goal.all_gather(), asked)
    assert found.model == Model(1, "half", packing="packed")
    for entry in found.entries:
        assert entry.schedule.model == found.model
        assert verify(entry.schedule)
    assert all(one.reason for one in found.left_out)
    out = {one.algorithm for one in found.left_out}
    assert "translations" in out
    assert out.isdisjoint(e.algorithm for e in found.entries)


def test_switches_only_forward_in_every_entry() -> None:
    network = hopscape.build("fat_tree(4)")
    ends = set(network.endpoints.tolist())
    for goal in (Goal.broadcast(3), Goal.all_reduce(), Goal.all_to_all(), Goal.reduce_scatter()):
        found = compete(network, goal)
        assert found.model.switching == "cut-through"
        for entry in found.entries:
            nodes = {*entry.schedule.source.tolist(), *entry.schedule.target.tolist()}
            assert nodes <= ends
    assert "generic" in {one.algorithm for one in found.left_out}
    exchange = compete(network, Goal.all_to_all())
    assert exchange.best.rounds == exchange.bounds[0].rounds == 15
    inside = compete(network, Goal.broadcast(0), {"in_network": True})
    assert inside.best.rounds == 6
    with pytest.raises(ArgumentError, match="only forward"):
        compete(network, Goal.broadcast(0), {"switching": "store-and-forward"})
    with pytest.raises(ArgumentError, match="has none"):
        compete(hopscape.build("ring(4)"), Goal.broadcast(0), {"in_network": True})


def test_a_switch_is_no_root_and_no_target() -> None:
    network = hopscape.build("fat_tree(4)")
    with pytest.raises(ArgumentError, match="the root is node 20, a switch"):
        compete(network, Goal.broadcast(20))
    with pytest.raises(ArgumentError, match="a target is node 20, a switch"):
        compete(network, Goal.one_to_many(0, [20]))


def test_one_that_is_named_keeps_its_own_rules_or_is_refused() -> None:
    network = hopscape.build("torus(5, 5)")
    found = compete(network, Goal.broadcast(0), algorithm="circuit")
    assert found.best.schedule.model.switching == "circuit"
    one_port = compete(network, Goal.broadcast(0), {"ports": 1}, algorithm="circuit")
    assert one_port.best.rounds == one_port.bounds[0].rounds == 5
    with pytest.raises(ArgumentError, match="serves all-port, circuit-switched, not 1-port"):
        compete(network, Goal.broadcast(0), {"ports": 1}, algorithm="numeration")
    with pytest.raises(ArgumentError, match=r"no broadcast algorithm 'magic'; it has .*generic"):
        compete(network, Goal.broadcast(0), algorithm="magic")


@pytest.mark.parametrize("spec", ["heawood", "folded(heawood, 2)", "gamma_circulant(2)"])
def test_what_a_paper_prints_wrongly_is_no_algorithm_for_users(spec: str) -> None:
    network = hopscape.build(spec)
    assert not [one.name for one in candidates(network, Goal.broadcast(0)) if "print" in one.name]
    for name in ("basic-printed", "axes-printed", "node-local-printed"):
        with pytest.raises(ArgumentError, match="no broadcast algorithm"):
            compete(network, Goal.broadcast(0), algorithm=name)


GOALS = (
    *(make(0) for make in (Goal.broadcast, Goal.reduce, Goal.scatter, Goal.gather)),
    *(Goal.all_gather(), Goal.all_reduce(), Goal.reduce_scatter(), Goal.all_to_all()),
)


@pytest.mark.parametrize("spec", ["complete(1)", "complete(2)", "path(3)"])
def test_the_smallest_networks(spec) -> None:
    network = hopscape.build(spec)
    for goal in GOALS:
        for size in (None, 1, 1000):
            found = compete(network, goal, size=size)
            assert found.best.verdict
            assert contest_record(found)["verdict"] == "holds"


@pytest.mark.parametrize("spec", ["ring(6)", "fat_tree(4)"])
@pytest.mark.parametrize("size", [1, 10**4, 10**8])
def test_no_schedule_beats_the_bound(spec, size) -> None:
    network = hopscape.build(spec)
    for goal in GOALS:
        found = compete(network, goal, size=size)
        times = [entry.time(found.costs, size) for entry in found.entries]
        assert times == sorted(times)
        assert times[0] >= found.least_time(size) * (1 - 1e-9)


def test_the_least_load_of_a_node() -> None:
    ring = hopscape.build("ring(8)")
    assert least_load(ring, Goal.all_gather()) == (7 / 8 / 2, 0)
    assert least_load(ring, Goal.all_reduce(), Model(ports=1)) == (2 * 7 / 8, 7 / 8)
    assert least_load(hopscape.build("complete(1)"), Goal.all_reduce()) == (0, 0)


def test_buffers_are_what_bytes_measure() -> None:
    network = hopscape.build("petersen")
    assert buffer_chunks(network, Goal.all_gather(3)) == 30
    assert buffer_chunks(network, Goal.scatter(0)) == 10
    assert buffer_chunks(network, Goal.all_reduce(7)) == 7
    assert buffer_chunks(network, Goal.permutation(range(10))) == 1
    assert buffer_chunks(network, Goal.all_gather(groups=[[0, 1, 2]])) == 3


# -- sizes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "ends"),
    [("1", (1, 1)), ("64KB", (64000, 64000)), ("1KiB:2MiB", (1024, 2**21)), ("1.5g", (1.5e9,) * 2)],
)
def test_sizes_as_people_write_them(text, ends) -> None:
    assert read_sizes(text) == ends


@pytest.mark.parametrize(
    "text", ["0", "", "x", "1:2:3", "2KB:1KB", "-5", "0:1KB", "1e9", "9999TB9"]
)
def test_other_sizes_are_refused(text) -> None:
    with pytest.raises(ArgumentError, match="bytes is"):
        read_sizes(text)


def test_a_size_beyond_all_memory_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"10\^18"):
        read_sizes("99999999TB")


def test_a_range_says_who_wins_where() -> None:
    found = compete(hopscape.build("fat_tree(4)"), Goal.all_reduce(), size=10**9)
    record = contest_record(found, (10**3, 10**9))
    assert record["bytes_range"] == [1000, 10**9]
    assert record["fastest_at_least"] == "recursive-doubling"
    (turn,) = record["crossovers"]
    assert (turn["before"], turn["after"]) == ("recursive-doubling", "rabenseifner")
    # 4 rounds of everything against 8 rounds of 30/16: 5 + 1.2e-4 M = 8.8 + 4.6875e-5 M, about
    assert 5e4 < turn["bytes"] < 1.2e5
    assert len(record["curve"]) == len(size_grid(1e3, 1e9)) == 25
    assert all(row["gap"] >= 1 for row in record["curve"])
    least = found.least_time(10**9)
    for row in record["competitors"]:  # at the size that was asked for
        assert row["gap"] == pytest.approx(row["time_us"] / least)


def test_a_range_gives_at_each_size_what_the_size_alone_gives() -> None:
    net = hopscape.build("circulant(9, 1, 2)")
    for goal in (Goal.all_gather(), Goal.broadcast(0)):
        whole = compete(net, goal, size=10**7)
        for row in contest_record(whole, (10**2, 10**7))["curve"][::6]:
            alone = compete(net, goal, size=row["bytes"])
            best = alone.best
            assert (row["algorithm"], row["chunks"]) == (best.algorithm, best.chunks)
            assert row["time_us"] == best.time(alone.costs, row["bytes"])


def test_the_record_has_the_promised_keys() -> None:
    record = contest_record(compete(hopscape.build("torus(4, 4)"), Goal.all_gather(), size=1e6))
    for key in (
        "algorithm",
        "competitors",
        "bound",
        "bound_reason",
        "bytes",
        "time_us",
        "busiest_channel",
        "rounds",
        "lower_bound",
        "verdict",
        "messages",
        "model",
    ):
        assert record[key] is not None
    load = np.bincount(
        compete(hopscape.build("torus(4, 4)"), Goal.all_gather()).best.schedule.channels
    )
    assert (
        contest_record(compete(hopscape.build("torus(4, 4)"), Goal.all_gather()))["busiest_channel"]
        == load.max()
    )


def test_listed_transfers_are_those_of_the_schedule() -> None:
    made = compete(hopscape.build("torus(6, 6)"), Goal.broadcast(0), {"switching": "circuit"})
    rows = transfer_rows(made.best.schedule)
    assert len(rows) == 35
    net = made.network
    for row in rows:
        assert (row["path"][0], row["path"][-1]) == (row["source"], row["target"])
        assert all(b in net.neighbours(a) for a, b in zip(row["path"], row["path"][1:]))


# -- faults ------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(st.data(), st.sampled_from(["torus(4, 4)", "petersen", "fat_tree(4)", "kautz(2, 3)"]))
def test_survivors_are_served_by_live_channels(data, spec) -> None:
    network = hopscape.build(spec)
    nodes = data.draw(st.sets(st.integers(0, network.order - 1), max_size=3))
    channels = data.draw(st.sets(st.integers(0, len(network.heads) - 1), max_size=2))
    links = [(int(network.tails[c]), int(network.heads[c])) for c in channels]
    try:
        left = survivors(network, sorted(nodes), links)
    except (DisconnectedError, ArgumentError):
        return
    assert np.array_equal(network.tails[left.channels], left.nodes[left.left.tails])
    assert np.array_equal(network.heads[left.channels], left.nodes[left.left.heads])
    assert sorted(left.nodes.tolist()) == sorted(set(range(network.order)) - nodes)
    goal = Goal.all_gather()
    told = left.told(compete(left.left, left.inside(goal)).best.schedule)
    assert verify(told)
    assert dead_transfer(told, dead_channels(network, sorted(nodes), links)) is None
    assert told.goal.groups == (tuple(left.nodes[left.left.endpoints].tolist()),)


def test_the_dead_and_the_cut_off_are_named() -> None:
    network = hopscape.build("torus(4, 4)")
    left = survivors(network, [5], [])
    with pytest.raises(ArgumentError, match="the root, node 5, is dead"):
        left.inside(Goal.broadcast(5))
    with pytest.raises(ArgumentError, match="a target, node 5, is dead"):
        left.inside(Goal.one_to_many(0, [5]))
    with pytest.raises(DisconnectedError, match="node 0 is alive but cut off"):
        survivors(network, [1, 3, 4, 12], [])
    with pytest.raises(ArgumentError, match="no such link"):
        survivors(network, [], [(0, 5)])
    with pytest.raises(ArgumentError, match="no endpoint"):
        survivors(hopscape.build("path(2)"), [0, 1], [])


def test_a_healthy_schedule_fails_where_parts_are_dead() -> None:
    network = hopscape.build("torus(4, 4)")
    made = compete(network, Goal.broadcast(0)).best.schedule
    found = check_alive(made, [5], [], True)
    assert found["verdict"] == "fails"
    assert "dead part" in found["reason"]
    left = survivors(network, [5], [])
    told = left.told(compete(left.left, left.inside(Goal.broadcast(0))).best.schedule)
    assert "verdict" not in check_alive(told, [5], [], True)


def test_groups_take_part_alone() -> None:
    network = hopscape.build("torus(4, 4)")
    found = compete(network, Goal.all_gather(groups=[[0, 1, 2, 3]]))
    assert found.best.verdict
    assert found.best.rounds <= 2
