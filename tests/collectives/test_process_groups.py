"""Groups: every algorithm on the network among their endpoints, several groups in one plan."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import connected_graph
from hopscape import Goal, Model, Schedule, verify
from hopscape.collectives import run_algorithm
from hopscape.collectives.contest import compete
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import GoalKind

pytestmark = pytest.mark.compiled
ALGORITHMS = {
    "all-gather": ("generic", "forest", "breadth-first", "flow"),
    "reduce-scatter": ("generic", "forest", "breadth-first"),
    "all-to-all": ("generic", "flow"),
}


@settings(deadline=None, max_examples=40, derandomize=True)
@given(st.data())
def test_any_groups(data):
    order = data.draw(st.integers(2, 8))
    net = connected_graph(data.draw(st.integers(0, 10**6)), order, data.draw(st.integers(0, 9)))
    group = st.lists(st.integers(0, order - 1), min_size=1, unique=True)
    groups = data.draw(st.lists(group, min_size=1, max_size=3))
    kind = data.draw(st.sampled_from(sorted(ALGORITHMS)))
    goal = Goal(kind, None, data.draw(st.integers(1, 2)), (), groups)
    for name in ALGORITHMS[kind]:
        made = run_algorithm(net, goal, name)
        assert made.goal == goal
        assert verify(made).holds, (name, verify(made))


@pytest.mark.parametrize("name", ["generic", "forest", "breadth-first"])
def test_groups_add_up_at_once(name):
    net = hopscape.build("torus(4, 4)")
    rows = [range(4 * r, 4 * r + 4) for r in range(4)]
    columns = [range(c, 16, 4) for c in range(4)]
    made = run_algorithm(net, Goal.all_reduce(4, groups=[*rows, *columns]), name)
    assert verify(made).holds
    alone = run_algorithm(net, Goal.all_reduce(4, groups=[rows[0]]), name)
    assert made.rounds < 8 * alone.rounds


def test_groups_do_not_block_each_other():
    """Rows of a torus share no channel: all at once take as long as one."""
    net = hopscape.build("torus(4, 4)")
    rows = [range(4 * r, 4 * r + 4) for r in range(4)]
    one, four = (run_algorithm(net, Goal.all_gather(groups=some)) for some in (rows[:1], rows))
    assert one.rounds == four.rounds == 2


def test_the_others_forward_only():
    net = hopscape.build("path(5)")
    for name in ("generic", "forest", "flow"):
        made = run_algorithm(net, Goal.all_gather(groups=[[0, 4]]), name)
        assert made.rounds == 4
        assert set(made.chunk.tolist()) == {0, 1}


def test_files_keep_groups(tmp_path):
    net = hopscape.build("torus(3, 3)")
    goal = Goal.all_to_all(2, groups=[[0, 1, 2], [4, 8]])
    made = run_algorithm(net, goal, "flow")
    for name in ("plan.json", "plan.npz"):
        made.save(tmp_path / name)
        again = Schedule.load(tmp_path / name, hopscape.build)
        assert again.goal == goal
        assert verify(again).holds


@pytest.mark.parametrize(
    ("groups", "why"),
    [
        ([[]], "a group needs at least one endpoint"),
        ([[1, 1]], "node 1 is twice in the same group"),
        ([["a"]], "must be integers"),
    ],
)
def test_groups_that_cannot_be(groups, why):
    with pytest.raises(ArgumentError, match=why):
        Goal.all_gather(groups=groups)


def test_refused():
    net = hopscape.build("fat_tree(4)")
    with pytest.raises(ArgumentError, match="node 16 of a group is not an endpoint"):
        run_algorithm(net, Goal.all_gather(groups=[[0, 16]]))
    with pytest.raises(ArgumentError, match="is not in the group"):
        Goal("broadcast", 3, 1, (), [[0, 1]])
    with pytest.raises(ArgumentError, match="is for one group, not for 2"):
        Goal("broadcast", 0, 1, (), [[0, 1], [0, 2]])
    with pytest.raises(ArgumentError, match="takes no groups besides"):
        Goal("one-to-many", 0, 1, (1,), [[0, 1]])
    ring = hopscape.build("ring(6)")
    two = Goal.all_gather(groups=[[0, 1], [2, 3]])
    assert verify(run_algorithm(ring, two, "generic", Model(ports=1))).holds
    with pytest.raises(ArgumentError, match="needs groups of one size"):
        run_algorithm(ring, Goal.all_reduce(2, groups=[[0, 1], [2, 3, 4]]))


def test_a_view_keeps_speeds_and_channels():
    net = hopscape.build("two_level(complete(4), complete(41), lanes=[6, 4], speeds=[5, 2, 1])")
    some = net.endpoints[:3]
    view = net.among(some)
    assert np.array_equal(view.endpoints, some)
    assert np.array_equal(view.heads, net.heads)
    assert np.array_equal(view.room(), net.room())
    assert view.family is None
    assert net.among(net.endpoints) is net


@pytest.mark.parametrize("kind", ["all-gather", "reduce-scatter", "all-reduce", "all-to-all"])
@pytest.mark.parametrize("size", [None, 1e6])
@pytest.mark.parametrize("spec", ["fat_tree(4)", "torus(4, 4)"])
def test_disjoint_groups_run_beside_each_other(
    spec: str, size: float | None, kind: GoalKind
) -> None:
    net = hopscape.build(spec)
    ends = net.endpoints.tolist()
    groups = (tuple(ends[:4]), tuple(ends[4:8]))
    both = compete(net, Goal(kind, groups=groups), size=size)
    one = compete(net, Goal(kind, groups=groups[:1]), size=size)
    assert both.best.verdict.holds
    # alone, a row of the torus also takes the links of the other row
    factor = 1.9 if size is not None and not net.has_switches else 1.05
    assert both.best.cost(both.costs, size) <= factor * one.best.cost(one.costs, size)
    if size is not None:
        assert both.least_time(size) >= one.least_time(size) * 0.999


@pytest.mark.parametrize("kind", ["all-gather", "all-to-all"])
def test_a_file_of_several_groups_says_who_receives_what(kind: GoalKind, tmp_path: Path) -> None:
    """Executed by what the file says alone."""
    net = hopscape.build("torus(4, 4)")
    goal = Goal(kind, groups=((0, 1, 2), (5, 6, 7)))
    compete(net, goal).best.schedule.save(tmp_path / "groups.json")
    file = json.loads((tmp_path / "groups.json").read_text())
    held = {(node, chunk) for chunk, node in enumerate(file["origins"])}
    columns = [file["transfers"][name] for name in ("round", "source", "target", "chunk")]
    for now in range(1, file["rounds"] + 1):
        moved = [row[1:] for row in zip(*columns, strict=True) if row[0] == now]
        assert all((source, chunk) in held for source, _, chunk in moved)
        held |= {(target, chunk) for _, target, chunk in moved}
    for chunk, to in enumerate(file["destinations"]):
        whom = file["receivers"] if to == -1 else to if isinstance(to, list) else [to]
        assert all((node, chunk) in held for node in whom)
