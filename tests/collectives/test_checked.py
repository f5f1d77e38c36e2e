"""Nothing unverified leaves: pieces, switches, and algorithms that make something wrong."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import pkgutil
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import hopscape
from commands import ask, run
from hopscape import Goal, Model, Schedule, build, verify
from hopscape.collectives.checked import verified
from hopscape.collectives.choose import named_algorithms, run_algorithm, run_built
from hopscape.collectives.contest import candidates, compete
from hopscape.collectives.generic import all_gather, broadcast
from hopscape.collectives.plan import cut_in_pieces
from hopscape.collectives.survivors import survivors
from hopscape.core.errors import (
    AddressError,
    ArgumentError,
    CheckFailedError,
    HopscapeError,
    TooLargeError,
)
from hopscape.core.family import Collective
from hopscape.show.explore.packing import number_links
from hopscape.show.explore.panels import schedule_data
from hopscape.simulate import Settings, build_setup
from matrix import check, run_case

SEVERAL = (
    "torus(5, 2)", "mesh(2, 3)", "petersen", "rpc(1)", "folded(ring(3), 2)",
    "circulant(8, 1, 3)", "leaf_spine(2, 2, 2)",
)  # fmt: skip
"""Networks whose families bring collectives of their own, and one with switches."""
GOALS = (
    Goal.broadcast(3, chunks=3), Goal.one_to_many(3, [0, 1], chunks=3), Goal.reduce(3, chunks=3),
    Goal.all_gather(3), Goal.all_to_all(3), Goal.all_reduce(3),
)  # fmt: skip


@pytest.mark.parametrize("spec", SEVERAL)
def test_every_algorithm_serves_several_chunks_or_says_why(spec):
    """None may take the goal of several chunks for that of one."""
    net, served = build(spec), set()
    for goal in GOALS:
        for name in ("generic", *(one.name for one in named_algorithms(net, goal))):
            with suppress(ArgumentError, TooLargeError):  # a wrong schedule is another error
                made = run_algorithm(net, goal, name)
                assert made.goal == goal
                assert verify(made).holds, name
                served.add(name)
    assert {"circuit", "flow", "generic"} <= served


SWITCHED = (Goal.broadcast(5), Goal.one_to_many(0, [5]), Goal.scatter(5), Goal.reduce(5))


@pytest.mark.parametrize("goal", SWITCHED, ids=lambda goal: goal.kind)
def test_roots_and_targets_are_endpoints(goal):
    """In Python as on the command line, whichever algorithm is asked for."""
    net = build("leaf_spine(2, 2, 2)")
    for name in ("generic", *(one.name for one in named_algorithms(net, goal))):
        with pytest.raises(ArgumentError, match="node 5, a switch of leaf_spine"):
            run_algorithm(net, goal, name)
    with pytest.raises(AddressError, match="node 77 is out of range"):
        run_algorithm(net, replace(goal, root=77), "generic")


@pytest.mark.parametrize("spec", ["mesh(2, 3)", "torus(2, 3)"])
def test_a_group_where_ports_have_gaps(spec):
    net = build(spec)
    made = run_algorithm(net, Goal("gather", 4, groups=((1, 4, 5),)), "generic")
    assert verify(made, net).holds


@pytest.mark.parametrize("ports", [None, 1])
@pytest.mark.parametrize("packing", ["unit", "packed"])
def test_pieces_go_the_same_ways(ports, packing):
    net, times = build("mesh(3, 3)"), 4
    one = all_gather(net, Model(ports=ports, packing=packing))
    cut = cut_in_pieces(one, Goal.all_gather(times))
    assert verify(cut).holds
    assert cut.transfers == times * one.transfers
    assert cut.rounds <= (one.rounds if packing == "packed" else times * one.rounds)


def test_switches_that_only_forward_are_no_stops():
    with pytest.raises(ArgumentError, match="switches of mlfm"):
        run_algorithm(build("mlfm(2)"), Goal.all_gather(), "generic", {"switching": "cut-through"})


def _forgetful(network, goal, model):
    """A broadcast that leaves out the last node."""
    whole = broadcast(network, goal.root)
    return Schedule.from_columns(
        network, model, goal, round=whole.round[:-1], channels=whole.channels[:-1]
    )


def test_what_an_algorithm_makes_wrong_does_not_leave(monkeypatch):
    net, goal = build("petersen"), Goal.broadcast(0)
    wrong = Collective("forgetful", "broadcast", "wrong", _forgetful)
    with pytest.raises(CheckFailedError, match=r"'forgetful' of petersen .* node 9 lacks chunk 0"):
        run_built(wrong, net, goal)
    with pytest.raises(CheckFailedError, match="broadcast algorithm 'generic' on petersen"):
        verified(_forgetful)(net, goal, Model())
    monkeypatch.setattr("hopscape.collectives.contest.candidates", lambda *_: [wrong])
    with pytest.raises(CheckFailedError, match="forgetful"):
        compete(net, goal, algorithm="forgetful")


def test_no_file_of_a_wrong_schedule(tmp_path, monkeypatch):
    wrong = Collective("forgetful", "broadcast", "wrong", _forgetful)
    monkeypatch.setattr("hopscape.collectives.contest.candidates", lambda *_: [wrong])
    file = tmp_path / "w.json"
    result = run("broadcast", "petersen", "-a", "forgetful", "--save", str(file))
    assert result.returncode == 1
    assert "forgetful" in result.stderr
    assert "node 9 lacks chunk 0" in result.stderr
    with pytest.raises(CheckFailedError, match="is not written"):
        _forgetful(build("petersen"), Goal.broadcast(0), Model()).save(file)
    assert os.listdir(tmp_path) == []


def test_a_wrong_file_is_shown_as_wrong_and_not_replayed(tmp_path):
    """The page said 'Verified by hopscape' of a schedule that nobody had verified."""
    network = build("torus(3, 3)")
    right, wrong = tmp_path / "right.json", tmp_path / "wrong.json"
    network.broadcast(0).save(right)
    data = json.loads(right.read_text("utf-8"))
    for column in data["transfers"].values():
        column.pop()
    wrong.write_text(json.dumps(data), "utf-8")
    page, picture = tmp_path / "page.html", tmp_path / "picture.svg"
    for file, code in ((right, 0), (wrong, 1)):
        told = [
            run("explore", str(file), "-o", str(page)),
            run("draw", str(file), "-o", str(picture)),
        ]
        assert [one.returncode for one in told] == [code, code]
        assert all(("fails its check" in one.stderr) == bool(code) for one in told)
        assert page.exists()
        assert picture.exists()
        replayed = run("simulate", "--schedule", str(file))
        assert replayed.returncode == code
        assert ("is not replayed: after the last round" in replayed.stderr) == bool(code)
    links = number_links(network)
    for file, verdict in ((right, "holds"), (wrong, "after the last round")):
        schedule = Schedule.load(file, build)
        assert schedule_data(schedule, links)["verdict"].startswith(verdict)


def test_no_format_takes_a_wrong_schedule(tmp_path):
    """Whatever makes a file or a figure of a schedule that it is given looks at it first."""
    network = build("complete(4)")
    right = network.all_gather()
    last = right.transfers - 1
    wrong = Schedule.from_columns(
        network,
        right.model,
        right.goal,
        round=right.round[:last],
        channels=right.channels[: right.path_start[last]],
        path_start=right.path_start[: last + 1],
        chunk=right.chunk[:last],
        name="mine",
    )
    doors = {
        "hopscape.formats.msccl.write_msccl": lambda make, one: make(one, tmp_path / "a.xml"),
        "hopscape.formats.mscclpp.write_mscclpp": lambda make, one: make(one, tmp_path / "a.json"),
        "hopscape.formats.chakra.write_chakra": lambda make, one: make(one, tmp_path / "a", "x"),
        "hopscape.simulate.replay.replay": lambda make, one: make(
            build_setup(network, Settings()), one
        ),
    }
    assert doors.keys() == set(_takers("formats")) | set(_takers("simulate.replay"))
    for name, through in doors.items():
        make = pkgutil.resolve_name(name)
        with pytest.raises(CheckFailedError, match="'mine' fails its check and is not"):
            through(make, wrong)
        assert list(tmp_path.iterdir()) == []
    through(make, right)


def _takers(room):
    """Public functions that are given a schedule."""
    top = importlib.import_module(f"hopscape.{room}")
    inner = pkgutil.iter_modules(getattr(top, "__path__", []), f"{top.__name__}.")
    for module in [top, *(importlib.import_module(one.name) for one in inner if not one.ispkg)]:
        for name in getattr(module, "__all__", ()):
            made = inspect.unwrap(getattr(module, name))
            own = inspect.isfunction(made) and made.__module__ == module.__name__
            takes = made.__annotations__.get("schedule") == "Schedule" if own else False
            if takes and name not in ("lines_of", "moves_of_ranks"):
                yield f"{module.__name__}.{name}"


def test_pieces_by_the_command(tmp_path):
    file = tmp_path / "w.json"
    record = ask("alltoall", "nauru", "-a", "bandwidth", "--pieces", "2", "--save", str(file))
    assert (record["verdict"], record["rounds"], record["lower_bound"]) == ("holds", 42, 42)
    assert verify(Schedule.load(file, build)).holds


def test_parts_are_not_checked_twice(monkeypatch):
    checks = []

    def count(schedule, *args, **options):
        checks.append(schedule.goal.kind)
        return verify(schedule, *args, **options)

    monkeypatch.setattr("hopscape.collectives.checked.verify", count)
    run_algorithm(build("petersen"), Goal.all_reduce(), "generic")
    assert checks == ["all-reduce"]


UNCHECKED = {
    "assemble of paths": "puts circuits together that a search compares",
    "basic_broadcast of heawood": "the paper's, wrong when asked for as printed",
    "broadcast_by_axes of products": "the same",
    "balanced_slice of permutations": "packets without a goal, a part of balanced_permutation",
    "flood of collectives": "the paper's, wrong as printed for node 0",
    "run_built of choose": "checks in its own words",
    "run_algorithm of choose": "asks run_built",
    "to_schedule of torus": "programs as papers print them, wrong ones too",
}
"""Public makers of schedules that hand them out as they are, and why."""


def test_every_public_maker_of_schedules_is_checked():
    """What takes a network and returns a schedule is a door, wherever it stands in the house."""
    doors = [
        (made, path)
        for room in ("collectives", "families", "papers")
        for path in sorted((Path(hopscape.__file__).parent / room).rglob("*.py"))
        if path.stem != "front"  # asks the contest, by name
        for text in [path.read_text("utf-8")]
        if "-> Schedule" in text or "-> PartialSums" in text
        for made in _makers(ast.parse(text))
    ]
    unchecked = [
        f"{made.name} of {path.stem}"
        for made, path in doors
        if "verified" not in map(ast.unparse, made.decorator_list)
    ]
    assert sorted(unchecked) == sorted(UNCHECKED)
    assert len(doors) > 50


def _makers(tree):
    """Public functions that take a network and no schedule, and return a schedule."""
    public = {name for node in tree.body for name in _listed(node)}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in public and node.returns:
            takes = {ast.unparse(one.annotation) for one in node.args.args if one.annotation}
            gives = ast.unparse(node.returns).removesuffix(" | None")
            if (
                gives in ("Schedule", "PartialSums")
                and "Network" in takes
                and "Schedule" not in takes
            ):
                yield node


def _listed(node):
    listed = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
    return ast.literal_eval(node.value) if listed else ()


@pytest.mark.parametrize("number", range(0, 40, 8))
def test_a_sample_of_the_matrix(number):
    for case in range(number, number + 8):
        outcome, words = run_case(case, seed=7)
        assert outcome in ("verified", "refused"), (case, words)


@pytest.mark.parametrize(
    ("spec", "nodes", "links"),
    [
        ("fat_tree(2)", [1], []),  # one endpoint: no ways to look for
        ("kary_ntree(1, 3)", [], [(0, 1)]),  # and without a line
        ("path(2)", [1], []),
    ],
)
@pytest.mark.parametrize("kind", ["permutation", "all-to-all", "all-gather", "all-reduce"])
def test_one_endpoint_that_is_left(spec, nodes, links, kind):
    left = survivors(build(spec), nodes, links)
    alone = left.left
    assert alone.endpoint_count == 1
    goal = Goal.permutation([int(alone.endpoints[0])]) if kind == "permutation" else Goal(kind)
    for asked in ({}, {"in_network": False}, {"switching": "circuit", "ports": 1}):
        for one in candidates(alone, goal):
            try:
                contest = compete(alone, goal, asked, algorithm=one.name)
            except HopscapeError:
                continue  # not for this model, or for this shape
            assert [left.told(entry.schedule).rounds for entry in contest.entries] == [0]


def test_unit_messages_start_as_often_as_there_are_rounds():
    """In cut-through a round may last long, and starts its messages once."""
    asked = {"packing": "unit", "ports": 3}
    found = compete(build("hypercube(3)"), Goal.all_to_all(), asked, size=1000)
    assert found.bounds[0].rounds > found.starts == 2
    assert found.least_time(1000) <= found.best.time(found.costs, 1000)


def test_duplicates_are_not_turned_round():
    net = build("expanded(ring(3), 1)")
    with pytest.raises(ArgumentError, match="the same chunk twice"):
        compete(net, Goal.reduce(0), algorithm="flood")
    assert run_algorithm(net, Goal.broadcast(0, 2), "flood").goal.chunks == 2


def test_the_matrix_notices_a_wrong_schedule():
    with pytest.raises(AssertionError, match="lacking"):
        check(_forgetful(build("petersen"), Goal.broadcast(0), Model()))
    through = Model(switching="cut-through")
    with pytest.raises(AssertionError, match="lacking"):
        check(_forgetful(build("petersen"), Goal.broadcast(0), through))


@pytest.mark.parametrize("size", [None, 10**6])
def test_a_bound_that_a_schedule_beats_is_an_error(size, monkeypatch, tmp_path):
    from hopscape.collectives import contest

    true = contest.lower_bounds
    monkeypatch.setattr(
        contest, "lower_bounds", lambda *given: [contest.Bound(99, "planted"), *true(*given)]
    )
    with pytest.raises(CheckFailedError, match=r"the lower bound of .* fails its check: '"):
        compete(build("petersen"), Goal.broadcast(0), size=size)
    done = run("broadcast", "petersen", "--save", str(tmp_path / "s.json"))
    assert done.returncode == 1
    assert "(planted) fails its check" in done.stderr
    assert os.listdir(tmp_path) == []
