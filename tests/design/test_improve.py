"""The designer lets the graph search improve its finalists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hopscape.cli.app import app
from hopscape.core.errors import ArgumentError
from hopscape.design import Requirements, design
from hopscape.design import improve as room
from hopscape.design.candidates import Candidate
from hopscape.design.improve import Improvement, improve, parse_duration
from hopscape.metrics.distances import distance_profile
from hopscape.registry import build


@pytest.mark.parametrize("text", ["", "0", "0s", "-3", "5 d", "s", "nan", "1e9", "5m5"])
def test_wrong_times(text: str) -> None:
    with pytest.raises(ArgumentError, match="such as 60s"):
        parse_duration(text)


def test_a_searched_graph_is_better_and_is_measured_like_the_others() -> None:
    asked = Requirements(16, 4, size="exactly", families=("torus",))
    found = design(asked, search=Improvement(0.3))
    new = [one for one in found.candidates if one.family in ("cayley", "voltage")]
    assert len(new) == 1
    profile = distance_profile(build(new[0].spec))
    old = distance_profile(build("torus(4, 4)"))
    assert (profile.diameter, profile.mean) < (old.diameter, old.mean)
    assert new[0].stage == 3
    assert set(new[0].figures) >= set(found.find("torus(4, 4)").figures)
    assert any("better than torus(4, 4); " in note for note in found.notes)
    assert found.command.endswith("--search 0.3s")


def test_nothing_better_is_said() -> None:
    """The Petersen graph meets the Moore bound."""
    new, notes = improve([Candidate("petersen", "petersen")], Improvement(0.1))
    assert new == []
    assert len(notes) == 1
    assert notes[0].startswith("graph search, 10 nodes of degree 3: diameter ")
    assert notes[0].endswith("not better than petersen")


def test_sizes_that_cannot_be_searched_are_named() -> None:
    candidates = [Candidate("mesh(3, 3)", "mesh"), Candidate("ring(20000)", "ring")]
    new, notes = improve(candidates, Improvement(0.2))
    assert [build(one.spec).order for one in new] == [9]
    assert "better than mesh(3, 3)" in notes[0]
    assert notes[1] == (
        "graph search, 20000 nodes of degree 2: left out, it is for at most 16000 nodes"
    )


def test_each_size_is_searched_once_for_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, int, int]] = []

    def search(nodes: int, degree: int, how: Improvement, shares: int, *rest: Any) -> Any:
        seen.append((nodes, degree, shares))
        raise ArgumentError("no time")

    monkeypatch.setattr(room, "_search", search)
    names = ["torus(4, 4)", "hypercube(4)", "torus(3, 5)", "ring(16)"]
    new, notes = improve([Candidate(name, "x") for name in names], Improvement(1.0))
    assert seen == [(16, 4, 3), (15, 4, 3), (16, 2, 3)]
    assert new == []
    assert all(note.endswith("no time") for note in notes)


def test_without_symmetry_the_links_are_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from hopscape.search.graph import Problem, best_graph

    def search(nodes: int, degree: int, *rest: Any) -> Any:
        return best_graph(Problem(nodes, degree), effort=0.5, methods=["random"])

    monkeypatch.setattr(room, "_search", search)
    folder = tmp_path / 'a "b"'
    new, _ = improve([Candidate("ring(12)", "ring")], Improvement(1.0, folder))
    assert new == []  # a ring is the best of degree 2
    new, _ = improve([Candidate("mesh(3, 4)", "mesh")], Improvement(1.0, folder))
    assert [one.family for one in new] == ["file"]
    assert (folder / "searched-12-4.edges").exists()
    network = build(new[0].spec)
    assert (network.order, int(network.degrees.max())) == (12, 4)


def test_command() -> None:
    runner = CliRunner()
    words = ["design", "--nodes", "12", "--ports", "4", "--exact", "--families", "torus"]
    words += ["--search", "0.3s", "--workers", "1", "-f", "json"]
    result = runner.invoke(app, words)
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert any("graph search, 12 nodes of degree 4" in note for note in record["notes"])
    assert any(one["spec"].startswith(("cayley(", "voltage(")) for one in record["candidates"])
    result = runner.invoke(app, ["design", "--nodes", "12", "--ports", "3", "--search", "soon"])
    assert result.exit_code != 0
    result = runner.invoke(app, ["design", "--endpoints", "9", "--radix", "9", "--search", "1s"])
    assert "belongs to direct machines" in str(result.exception or result.output)
