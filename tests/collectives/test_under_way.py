"""Parts that die under way: what arrived stays, the rest is sent another way."""

from __future__ import annotations

import numpy as np
import pytest

import hopscape
from commands import refused, shown
from hopscape import Goal, Schedule, verify
from hopscape.collectives.contest import compete
from hopscape.collectives.dying import repair_under_way
from hopscape.collectives.front import CollectiveRequest, ask
from hopscape.collectives.under_way import Death, among_living, first_late_use, patched
from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.faults import Faults

RULES = [
    {},
    {"ports": 1},
    {"duplex": "half"},
    {"ports": 1, "duplex": "half"},
    {"switching": "circuit"},
    {"switching": "cut-through", "packing": "packed"},
]
KINDS = ("broadcast", "one-to-many", "scatter", "gather", "all-gather", "all-to-all")


def goal_of(kind: str, ends: list[int]) -> Goal:
    if kind == "one-to-many":
        return Goal.one_to_many(ends[0], ends[2:6])
    return Goal(kind, ends[0] if kind in ("broadcast", "scatter", "gather") else None)


def delivered(schedule: Schedule) -> set[tuple[int, int]]:
    """Nodes and chunks after the last round, by plain sets; what is sent was there before."""
    promise = schedule.goal.on(schedule.network)
    have = {(int(v), c) for c, v in enumerate(promise.origins)}
    have |= {(int(v), c) for c in range(len(promise.origins)) for v in promise.also}
    for r in range(schedule.rounds):
        come = set()
        for t in range(schedule.round_start[r], schedule.round_start[r + 1]):
            c = int(schedule.chunk[t])
            assert (int(schedule.source[t]), c) in have
            come.add((int(schedule.target[t]), c))
        have |= come
    return have


@pytest.mark.parametrize("rules", RULES, ids=str)
@pytest.mark.parametrize("spec", ["petersen", "torus(3, 4)", "fat_tree(4)"])
def test_the_living_get_what_they_were_promised(spec: str, rules: dict[str, object]) -> None:
    net = hopscape.build(spec)
    ends = net.endpoints.tolist()
    random = np.random.default_rng(7)
    for kind in KINDS:
        if rules.get("switching") == "circuit" and net.has_switches and kind in KINDS[2:4]:
            continue  # nothing serves it
        plan = compete(net, goal_of(kind, ends), rules).best.schedule
        node = int(random.choice(ends[1:]))
        links = [(int(net.tails[a]), int(net.heads[a])) for a in random.choice(len(net.heads), 1)]
        for parts in ([node], []), ([node], links), ([], links):
            if net.has_switches and parts[1]:
                continue  # an endpoint may hang by it alone
            faults, when = Faults.of(net, *parts), int(random.integers(1, plan.rounds + 1))
            goal = among_living(plan.goal, net, faults)
            patch = patched(plan, goal, when, faults)
            verdict = verify(patch.schedule)
            assert verdict, (kind, parts, when, verdict.reason)
            deaths = [Death(when, node=v) for v in parts[0]]
            deaths += [Death(when, link=link) for link in parts[1]]
            assert first_late_use(patch.schedule, deaths) is None
            have = delivered(patch.schedule)
            promise = goal.on(net)
            for c, to in enumerate(promise.destinations.tolist()):
                for v in promise.wanted.tolist() if to < 0 else [to]:
                    assert (v, c) in have
            before = sum(int(s) for s in plan.round < when - 1)
            assert patch.schedule.transfers - patch.added - patch.kept <= before


def test_what_dies_after_the_end_changes_nothing_but_the_goal() -> None:
    net = hopscape.build("hypercube(3)")
    plan = compete(net, Goal.broadcast(0)).best.schedule
    dead = Faults.of(net, [5])
    patch = patched(plan, among_living(plan.goal, net, dead), plan.rounds + 1, dead)
    assert (patch.kept, patch.dropped, patch.added) == (0, 0, 0)
    assert patch.schedule.transfers == plan.transfers
    assert verify(patch.schedule)


def test_a_root_that_has_given_may_die_and_one_that_has_not_may_not() -> None:
    net = hopscape.build("ring(6)")
    late = ask(net, CollectiveRequest("broadcast", 0, dies=["0@2"]))
    assert verify(late.schedule)
    assert late.schedule.rounds == 3
    with pytest.raises(DisconnectedError, match="chunk 0 is lost"):
        ask(net, CollectiveRequest("broadcast", 0, dies=["0@1"]))
    with pytest.raises(ArgumentError, match="gather ends there"):
        ask(net, CollectiveRequest("gather", 0, dies=["0@1"]))
    with pytest.raises(DisconnectedError, match="cut off"):
        ask(net, CollectiveRequest("broadcast", 0, dies=["2@1", "4@2"]))


@pytest.mark.parametrize("kind", ["reduce", "all-reduce", "reduce-scatter"])
def test_sums_begin_again_among_the_living(kind: str) -> None:
    net = hopscape.build("torus(3, 3)")
    for size in (None, 1e6):
        made = ask(net, CollectiveRequest(kind, dies=["4@2"]), size=size)
        assert made.repair is not None
        assert made.repair.anew
        assert made.repair.kept == 0
        assert verify(made.schedule)
        assert first_late_use(made.schedule, [Death(2, node=4)]) is None
        assert not len(made.schedule.round) or made.schedule.round.min() >= 1
        assert 4 not in made.schedule.goal.members(net)


def test_several_deaths_one_after_the_other_and_before() -> None:
    net = hopscape.build("torus(4, 4)")
    made = ask(net, CollectiveRequest("all-gather", dead=[15], dies=["5@2", "0-1@3", "6@3"]))
    assert verify(made.schedule)
    deaths = [Death(1, node=15), Death(2, node=5), Death(3, link=(0, 1)), Death(3, node=6)]
    assert first_late_use(made.schedule, deaths) is None
    assert set(made.schedule.goal.groups[0]) == set(range(16)) - {5, 6, 15}


def test_the_better_of_two_repairs_answers() -> None:
    net = hopscape.build("torus(4, 4)")
    for size in (None, 1e5):
        contest = compete(net, Goal.all_gather(), size=size)
        for when in range(1, contest.best.rounds + 1):
            repair = repair_under_way(contest, contest.best.schedule, [Death(when, node=9)])
            assert repair.entry.rounds >= repair.plan.rounds or repair.anew or size
            if not repair.anew and size is None:
                assert repair.anew_rounds is None or repair.entry.rounds <= repair.anew_rounds


def test_groups_keep_their_chunks() -> None:
    net = hopscape.build("torus(4, 4)")
    groups = ((0, 1, 2, 3), (4, 5, 6, 7))
    made = ask(net, CollectiveRequest("all-gather", groups=groups, dies=["5@1"]))
    assert verify(made.schedule)
    assert made.schedule.goal.groups == ((0, 1, 2, 3), (4, 6, 7))


def test_python_and_the_command_give_one_schedule(tmp_path) -> None:
    file = tmp_path / "s.json"
    out = shown("broadcast", "torus(4, 4)", "--dies", "5@2", "-o", str(file))
    assert "with nothing dead  4 rounds" in out
    net = hopscape.build("torus(4, 4)")
    own, saved = net.broadcast(0, dies=["5@2"]), Schedule.load(file, hopscape.build)
    assert np.array_equal(own.channels, saved.channels)
    assert np.array_equal(own.round, saved.round)
    shown("verify", str(file), "--dies", "5@2")
    assert "uses a dead part" in shown("verify", str(file), "--dies", "0-1@1", code=1)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("5", "NODE@ROUND"),
        ("5@x", "NODE@ROUND"),
        ("@2", "NODE@ROUND"),
        ("5@0", "count from 1"),
        ("99@1", "out of range"),
        ("0-5@1", "no such link"),
    ],
)
def test_what_is_no_death_is_refused(text: str, why: str) -> None:
    assert why in refused("broadcast", "torus(4, 4)", "--dies", text)


def test_a_range_of_sizes_dies_at_no_round() -> None:
    said = refused("broadcast", "torus(4, 4)", "--dies", "5@1", "--bytes", "1KB:1MB")
    assert "one size" in said
