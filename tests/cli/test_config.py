"""Options from a file, and a file from options."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from commands import ask, refused, run


def test_every_option_of_simulate_comes_back(tmp_path: Path) -> None:
    text = run("simulate", "--write-config", "--vcs", "3", "--load", "0.2").stdout
    found = tomllib.loads(text)
    assert found == {"vcs": 3, "load": "0.2"}
    whole = tomllib.loads(text.replace("# buffer =", "buffer ="))
    assert whole["buffer"] == 8
    place = tmp_path / "run.toml"
    place.write_text(text)
    again = run("simulate", "--config", str(place), "--write-config").stdout
    assert tomllib.loads(again) == found


def test_the_file_is_honoured_and_the_command_line_wins(tmp_path: Path) -> None:
    place = tmp_path / "run.toml"
    place.write_text('load = "0.1"\nvcs = 2\ncycles = 300\n')
    words = ("simulate", "mesh(3, 3)", "--config", str(place))
    found = ask(*words)
    assert [point["offered"] for point in found["points"]] == [0.1]
    assert found["configuration"]["settings"]["vcs"] == 2
    assert ask(*words, "--vcs", "4")["configuration"]["settings"]["vcs"] == 4
    place.write_text("dead = ['1']\ndisjoint = true\n")
    found = ask("route", "torus(4, 4)", "0", "10", "--config", str(place))
    assert found["dead_nodes"] == [1]
    assert "disjoint_paths" in found


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("vsc = 2", "did you mean vcs?"),
        ("vcs = ", "is not TOML"),
        ("vcs = [1, 2]", "must be one value"),
        ("unsafe = 3", "must be true or false"),
        ("vcs = true", "a number or a text"),
        ("vcs = 'many'", "many"),
    ],
)
def test_bad_files_are_refused(text: str, words: str, tmp_path: Path) -> None:
    place = tmp_path / "run.toml"
    place.write_text(text)
    assert words in refused("simulate", "mesh(3, 3)", "--config", str(place))
    assert "cannot be read" in refused("show", "petersen", "--config", str(tmp_path / "none"))
