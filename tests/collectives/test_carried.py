"""Schedules by symmetry that are never written out: checked as they are kept, and written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from hopscape import Goal, Model, verify
from hopscape.collectives.breadth_first import breadth_first
from hopscape.collectives.contest import compete
from hopscape.collectives.records import contest_record
from hopscape.collectives.symmetric import Carried, OrbitPlan, Orbits
from hopscape.collectives.symmetric_kernels import gather_rounds, least_used
from hopscape.collectives.symmetric_plans import (
    breadth_first_plan,
    exchange_by_orbit,
    gather_by_orbit,
)
from hopscape.collectives.symmetric_translations import Translated
from hopscape.core.errors import TooLargeError
from hopscape.core.schedule import Schedule

SPECS = [
    "torus(5, 4)",
    "circulant(17, 1, 4)",
    "hypercube(4)",
    "heawood",
    "ring(9)",
    "complete(6)",
    "expanded(petersen, 1)",
    "petersen",
]


def views(network):
    """The symmetries by tables, and by the translations where they are known."""
    yield Orbits(network)
    family = network.family
    zero = np.zeros(1, dtype=np.int64)
    if family.translate(zero, zero) is not None:
        yield Translated(network, [network])


def written_out(plan: OrbitPlan, network, goal: Goal) -> Schedule:
    """The images of the plan under all members of the group, one by one."""
    orbits = Orbits(network)
    columns = orbits.spread(plan.round, plan.channel, plan.origin, plan.target)
    return Schedule.from_columns(
        network, Model(), goal, round=columns[0], channels=columns[1], chunk=columns[2]
    )


@pytest.mark.parametrize("spec", SPECS)
def test_plans_hold_by_symmetry_and_written_out(spec):
    network = hopscape.build(spec)
    for view in views(network):
        for plan, goal in (
            (gather_by_orbit(view), Goal.all_gather()),
            (breadth_first_plan(view)[0], Goal.all_gather()),
            (exchange_by_orbit(view), Goal.all_to_all()),
        ):
            assert plan.fault == ""
            whole = written_out(plan, network, goal)
            assert verify(whole)
            assert (whole.rounds, whole.transfers) == (plan.rounds, plan.transfers)
            assert whole.busiest()[1] == plan.busiest()[1]


@pytest.mark.parametrize("spec", ["torus(5, 4)", "expanded(petersen, 1)"])
@pytest.mark.parametrize("kind", ["all-gather", "reduce-scatter", "all-reduce"])
def test_verdicts_by_symmetry_are_those_of_the_written_schedule(spec, kind):
    network = hopscape.build(spec)
    plan = gather_by_orbit(next(views(network)))
    forth = written_out(plan, network, Goal.all_gather())
    kept = Carried(plan, Goal.all_gather(), Model(), "kept")
    goal = Goal(kind, chunks=network.order if kind == "all-reduce" else 1)
    if kind != "all-gather":
        kept, forth_ = kept.reversed(goal), forth.reversed(goal)
        forth = forth_.then(forth, goal) if kind == "all-reduce" else forth_
        if kind == "all-reduce":
            kept = kept.then(Carried(plan, Goal.all_gather(), Model(), "kept"), goal)
    for model in (Model(), Model(switching="cut-through", alpha=2.0, beta=1.0, gamma=0.5)):
        mine, truth = verify(kept, model=model), verify(forth, model=model)
        assert mine.holds
        assert truth.holds
        for key in ("rounds", "transfers", "messages", "sizes", "sum_round_max", "duplicates"):
            assert mine.details[key] == truth.details[key], key
        assert mine.details.get("added") == truth.details.get("added")
        assert mine.details["time"] == pytest.approx(truth.details["time"])


@settings(deadline=None, max_examples=25)
@given(st.sampled_from(["torus(5, 4)", "circulant(17, 1, 4)", "petersen"]), st.data())
def test_broken_plans_are_seen(spec, data):
    network = hopscape.build(spec)
    view = data.draw(st.sampled_from(list(views(network))))
    exchange = data.draw(st.booleans())
    plan = exchange_by_orbit(view) if exchange else gather_by_orbit(view)
    i = data.draw(st.integers(0, len(plan.round) - 1))
    how = data.draw(st.sampled_from(["lost", "channel", "twice", "early"]))
    columns = {name: getattr(plan, name).copy() for name in ("round", "channel", "origin")}
    if plan.target is not None:
        columns["target"] = plan.target.copy()
    if how == "lost":
        columns = {name: np.delete(column, i) for name, column in columns.items()}
    elif how == "twice":
        columns = {name: np.append(column, column[i]) for name, column in columns.items()}
    elif how == "channel":
        columns["channel"][i] = (columns["channel"][i] + 1) % len(network.heads)
    else:
        columns["round"][:] = columns["round"][::-1].copy()
    broken = replace(plan, **columns)
    if how == "early" and np.array_equal(columns["round"], plan.round):
        return
    assert broken.fault or how in ("channel", "early")
    if not broken.fault:  # a change that happens to be right
        goal = Goal.all_to_all() if exchange else Goal.all_gather()
        assert verify(written_out(broken, network, goal))


def test_wrong_symmetries_are_seen():
    network = hopscape.build("torus(5, 4)")
    moves = network.family.translations().copy()
    moves[3] = np.roll(moves[3], 1)
    assert Orbits(hopscape.build("torus(5, 4)"), moves).fault()
    view = Translated(network, [network])
    assert not view.fault()
    view.kinds[[0, 1]] = view.kinds[[1, 0]]
    assert view.fault()
    view = Translated(network, [network])
    view.shifts.moved = lambda by: np.arange(network.order)
    assert "not a permutation that moves" in view.fault()


def slow_gather(tails, heads, came, made, state, stop):
    """What `gather_rounds` says, word by word."""
    kinds, members = tails.shape
    served = set()
    while state[0] < stop and state[1] < len(made):
        r = int(state[0]) + 1
        for i in range(kinds):
            k = (i + r) % kinds
            if k in served:
                continue
            if all(came[row, v] for row in range(len(came)) for v in heads[k]):
                served.add(k)
            seed = int(state[2]) * 6364136223846793005 + 1442695040888963407
            state[2] = seed & (2**62 - 1)
            first = (int(state[2]) >> 20) % (len(came) * members)
            places = [*range(first, len(came) * members), *range(first)]
            for at in places:
                row, place = divmod(at, members)
                if not came[row, heads[k, place]] and 0 < came[row, tails[k, place]] <= r:
                    came[row, heads[k, place]] = r + 1
                    made[state[1]] = r - 1, k, at
                    state[1] += 1
                    break
        state[0] = r


@pytest.mark.parametrize("spec", ["expanded(petersen, 1)", "petersen", "path(5)"])
def test_rounds_of_a_gather_as_by_the_slow_twin(spec):
    network = hopscape.build(spec)
    view = Orbits(network)
    by_kind = np.argsort(view.kinds, kind="stable").reshape(-1, view.members)
    tables = network.tails[by_kind], network.heads[by_kind]
    found = []
    for run in (gather_rounds, slow_gather):
        came = np.zeros((len(view.own), network.order), dtype=np.int32)
        came[np.arange(len(view.own)), view.own] = 1
        made = np.zeros((came.size - len(view.own), 3), dtype=np.int64)
        state = np.asarray([0, 0, 7], dtype=np.int64)
        run(*tables, came, made, state, 40)
        found.append((made.tolist(), state[:2].tolist()))
    assert found[0] == found[1]


@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), max_size=12), st.data())
def test_the_least_used_kind_is_taken(offers, data):
    weight = [data.draw(st.integers(1, 5)) for _ in offers]
    order = data.draw(st.permutations(range(len(offers))))
    ends = np.cumsum([0, *map(len, offers)])
    kind = np.asarray([k for row in offers for k in row], dtype=np.int64)
    used = np.zeros(4, dtype=np.int64)
    pick = least_used(ends, kind, np.asarray(weight, np.int64), np.asarray(order, np.int64), used)
    truth = [0] * 4
    for i in order:
        best = min(offers[i], key=lambda k: truth[k])
        assert truth[kind[pick[i]]] == truth[best]
        assert ends[i] <= pick[i] < ends[i + 1]
        truth[int(kind[pick[i]])] += weight[i]
    assert truth == used.tolist()


@pytest.mark.compiled
def test_ten_thousand_nodes_without_writing_them_out():
    network = hopscape.build("torus(100, 100)")
    found = compete(network, Goal.all_gather(), algorithm="translations", seconds=300)
    assert found.best.rounds == found.bounds[0].rounds == 2500
    assert found.best.schedule.transfers == 99_990_000
    assert "by symmetry" in found.best.verdict.reason
    with pytest.raises(TooLargeError, match="99,990,000 transfers"):
        _ = found.best.schedule.channels


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("goal", "rounds"),
    [
        (Goal.all_to_all(), 30 * 3600 // 4),
        (Goal("reduce-scatter"), 900),
        (Goal.all_reduce(chunks=3600), 1800),
    ],
)
def test_other_goals_without_writing_them_out(goal, rounds):
    network = hopscape.build("torus(60, 60)")
    found = compete(network, goal, algorithm="translations", seconds=300)
    assert found.best.rounds == rounds
    assert isinstance(found.best.schedule, Carried)
    assert found.best.verdict.holds
    record = contest_record(found)
    assert record["busiest_channel"] >= rounds // 2
    assert len(record["busiest_ends"]) == 2


def test_breadth_first_by_one_orbit_is_as_even_as_by_all_nodes():
    """In every step the busiest channel carries what the flows at every node find."""
    for spec in ("torus(5, 4)", "circulant(17, 1, 4)", "hypercube(4)", "petersen"):
        network = hopscape.build(spec)
        steps = breadth_first_plan(next(views(network)))[1]
        truth = breadth_first(network).rounds.tolist()
        assert steps == truth or len(Orbits(network).own) > 1, spec


@pytest.mark.compiled
def test_breadth_first_by_one_orbit_serves_thousands_of_nodes():
    large = hopscape.build("torus(60, 60)")
    made = compete(large, Goal.all_gather(), algorithm="breadth-first", seconds=300).best
    assert isinstance(made.schedule, Carried)
    assert 900 <= made.rounds <= 960
