"""Collectives from the command line: the best answers, nothing is ignored."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from commands import ask, run


def test_the_front_door_answers_with_the_best() -> None:
    found = ask("allgather", "torus(8, 8)", "--time-limit", "20")
    assert (found["rounds"], found["bound"], found["lower_bound"]) == (16, 16, 16)
    assert found["bound_reason"]
    assert found["competitors"][0]["rounds"] == 16
    assert {"generic", found["algorithm"]} <= {row["algorithm"] for row in found["competitors"]}
    assert ask("broadcast", "torus(6, 6)", "--switching", "circuit")["rounds"] == 3


def test_bytes_give_microseconds_under_the_costs_asked_for() -> None:
    plain = ("broadcast", "path(2)", "--bytes", "1MB", "--algorithm", "generic")
    found = ask(*plain)
    assert found["bytes"] == 10**6
    assert found["time_us"] == pytest.approx(1 + 0.1 + 20)
    assert found["bound_us"] == pytest.approx(found["time_us"])
    other = ask(*plain, "--alpha", "3", "--beta", "1e-6", "--delta", "0")
    assert other["time_us"] == pytest.approx(3 + 1)
    summed = ask("reduce", *plain[1:], "--gamma", "1e-6", "--beta", "0", "--delta", "0")
    assert summed["time_us"] == pytest.approx(1 + 1)


def test_a_range_is_tabled_and_drawn(tmp_path: Path) -> None:
    place = tmp_path / "times.svg"
    arguments = ("allreduce", "leaf_spine(4, 2, 2)", "--bytes", "1KB:1GB", "--figure", str(place))
    found = ask(*arguments)
    assert place.read_text().startswith("<?xml")
    assert found["crossovers"][0]["before"] == "swing"
    assert 10_000 < found["crossovers"][0]["bytes"] < 1_000_000
    assert [row["time_us"] for row in found["curve"]] == sorted(
        row["time_us"] for row in found["curve"]
    )
    text = run(*arguments).stdout
    assert "Where the fastest changes" in text
    assert "rabenseifner" in text


def test_a_schedule_is_listed_drawn_and_played(tmp_path: Path) -> None:
    film, still = tmp_path / "a.html", tmp_path / "a.svg"
    done = run("broadcast", "path(4)", "--list", "-f", "csv", "--animate", str(film), "--figure",
               str(still))  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["round"], row["source"], row["target"]) for row in rows] == [
        ("1", "0", "1"),
        ("2", "1", "2"),
        ("3", "2", "3"),
    ]
    assert "<script" in film.read_text()
    assert still.read_text().startswith("<?xml")


def test_faults_are_planned_round_and_verified(tmp_path: Path) -> None:
    place = tmp_path / "plan.json"
    faults = ("--dead", "5", "--dead-link", "0-1")
    found = ask("broadcast", "torus(4, 4)", *faults, "--save", str(place))
    assert found["verdict"] == "holds"
    assert (found["dead_nodes"], found["dead_links"]) == ([5], [[0, 1]])
    assert found["healthy_rounds"] <= found["rounds"]
    assert ask("verify", str(place), *faults)["verdict"] == "holds"
    assert run("verify", str(place), "--dead", "3").returncode == 1
    used = json.loads(place.read_text())["transfers"]
    assert 5 not in {*used["source"], *used["target"]}
    for command in ("reduce", "scatter", "gather", "allgather", "reduce-scatter", "allreduce",
                    "alltoall", "permute"):  # fmt: skip
        assert ask(command, "torus(3, 3)", "--dead", "4")["verdict"] == "holds"


def test_old_names_of_algorithms_still_serve() -> None:
    with pytest.warns(DeprecationWarning, match="translations"):
        found = ask("allgather", "circulant(16, 1, 4)", "--algorithm", "translated")
    assert found["algorithm"] == "translations"
