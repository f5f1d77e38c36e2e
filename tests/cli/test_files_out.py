"""What -o writes, and what opens again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import run


@pytest.mark.parametrize(
    "words", [("show", "petersen"), ("families",), ("route", "petersen", "0", "5")]
)
def test_unknown_endings_are_refused(tmp_path: Path, words: tuple[str, ...]) -> None:
    place = tmp_path / "x.foo"
    done = run(*words, "-o", str(place))
    assert done.returncode == 2
    assert "the ending .foo is unknown" in done.stderr
    assert not place.exists()
    assert run(*words, "-o", str(place), "--format", "csv").returncode == 0
    assert place.read_text(encoding="utf-8").count(",") > 0


@pytest.mark.parametrize("spelled", [["-o", "{}"], ["-o{}"], ["--output={}"], ["--output", "{}"]])
def test_a_graph_ending_saves_the_graph(tmp_path: Path, spelled: list[str]) -> None:
    place = tmp_path / "g.edges"
    words = [word.format(place) for word in spelled]
    done = run("search", "graph", "--nodes", "8", "--degree", "3", "--time-limit", "0.2", *words)
    assert done.returncode == 0, done.stderr
    assert "links              12" in run("show", str(place)).stdout


@pytest.mark.parametrize("ending", ["json", "npz"])
def test_a_saved_schedule_opens_everywhere(tmp_path: Path, ending: str) -> None:
    saved = str(tmp_path / f"s.{ending}")
    assert run("broadcast", "mesh(2, 3)", "--save", saved).returncode == 0
    assert run("show", saved).stdout.startswith("mesh(2, 3)")
    assert "verdict" in run("verify", saved).stdout
    replayed = run("simulate", saved, "--flits", "2")
    assert "replayed" in replayed.stdout, replayed.stderr
    picture, page = tmp_path / "s.svg", tmp_path / "s.html"
    assert run("draw", saved, "-o", str(picture)).returncode == 0
    assert picture.read_text(encoding="utf-8").count("round") > 0
    assert run("explore", saved, "-o", str(page), "--schedules", "none").returncode == 0
    assert '"name":"saved"' in page.read_text(encoding="utf-8").replace('": "', '":"')
    refused = run("draw", saved, "-o", str(picture), "--route", "0", "1")
    assert refused.returncode == 2
    assert "does not go with a schedule" in refused.stderr


def test_a_schedule_of_a_stranger_reads_no_other_file(tmp_path: Path) -> None:
    place = tmp_path / "in" / "s.json"
    place.parent.mkdir()
    secret = tmp_path / "secret.edges"
    secret.write_text("a b\n", encoding="utf-8")
    head = {"format": "hopscape-schedule", "network": f'file("{secret}")'}
    place.write_text(json.dumps(head), encoding="utf-8")
    done = run("show", str(place))
    assert done.returncode == 2
    assert "neither below its own folder" in done.stderr
