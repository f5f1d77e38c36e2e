"""Methods, functions and commands: one question, one answer."""

from __future__ import annotations

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import hopscape
from hopscape import Goal, Model, Schedule, collectives, verify
from hopscape.cli.app import app
from hopscape.collectives.choose import run_built
from hopscape.collectives.contest import candidates
from hopscape.core.errors import ArgumentError, HopscapeError

CASES = [
    ("broadcast", "broadcast", ["--from", "3", "--ports", "1"], {"root": 3, "ports": 1}),
    ("reduce", "reduce", ["--bytes", "1MB"], {"bytes": "1MB"}),
    ("scatter", "scatter", ["--dead", "2"], {"dead": [2]}),
    ("gather", "gather", ["--to", "5"], {"root": 5}),
    ("multicast", "multicast", ["--to", "4", "--to", "7"], {"targets": [4, 7]}),
    ("allgather", "all_gather", ["--pieces", "2"], {"pieces": 2}),
    ("allgather", "all_gather", ["--algorithm", "ring"], {"algorithm": "ring"}),
    ("reduce-scatter", "reduce_scatter", [], {}),
    ("allreduce", "all_reduce", ["--sliced"], {"sliced": True}),
    ("allreduce", "all_reduce", ["--bytes", "64KB", "--dead-link", "0-1"],
     {"bytes": 64000, "dead_links": [(0, 1)]}),
    ("alltoall", "all_to_all", ["--group", "0,1,5"], {"groups": [[0, 1, 5]]}),
    ("permute", "permute", ["--permutation", "random:7"], {"targets": "random:7"}),
]  # fmt: skip


@pytest.mark.parametrize(("command", "name", "words", "options"), CASES)
def test_python_is_the_command_line(tmp_path, command, name, words, options) -> None:
    place = tmp_path / "s.json"
    ran = CliRunner().invoke(app, [command, "torus(3, 3)", *words, "--save", str(place)])
    assert ran.exit_code == 0, ran.output
    said = json.loads(place.read_text())
    net = hopscape.build("torus(3, 3)")
    for made in (getattr(net, name)(**options), getattr(collectives, name)(net, **options)):
        assert isinstance(made, Schedule)
        assert verify(made)
        assert json.loads(json.dumps(made.to_dict())) == said


def test_a_model_asks_for_its_rules() -> None:
    net = hopscape.build("petersen")
    assert net.broadcast(ports=1).rounds == collectives.broadcast(net, 0, Model(ports=1)).rounds
    assert net.all_gather(switching="circuit").model.switching == "circuit"
    with pytest.raises(ArgumentError, match="'port' is no rule of a model"):
        net.broadcast(port=1)
    with pytest.raises(ArgumentError, match="rule of circuits"):
        net.broadcast(disjoint="edge")
    with pytest.raises(ArgumentError, match="one size"):
        net.broadcast(bytes="1KB:1MB")


@pytest.mark.parametrize("spec", ["rpc(1)", "torus(3, 3)", "nauru", "heawood"])
def test_several_chunks_are_served_or_refused(spec) -> None:
    net = hopscape.build(spec)
    goals = (Goal.broadcast(0, 3), Goal.reduce(0, 3), Goal.one_to_many(0, [1, 4], 3))
    for goal in (*goals, Goal.all_gather(2)):
        served = 0
        for one in candidates(net, goal):
            if one.name == "exact":
                continue
            try:
                made = run_built(one, net, goal)
            except HopscapeError:
                continue
            served += 1
            verdict = verify(made)
            assert verdict, (goal.describe(), one.name, verdict.reason)
            assert len(np.unique(made.chunk)) == goal.chunk_count(net)
        assert served or goal.kind == "one-to-many"
