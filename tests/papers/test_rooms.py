"""The front page of a paper's room: its commands run, and it names every file of the room."""

from __future__ import annotations

import re
import shlex
from importlib import import_module
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hopscape.cli.app import app

ROOMS = ("circulant", "heawood", "rpc", "torusbcast", "hammingmesh", "railonly", "deepseek")
LONG = ("study", "ledger", "search", "atlas")
"""Commands whose options alone are looked at."""


def page(room: str) -> str:
    return import_module(f"hopscape.papers.{room}").__doc__ or ""


def commands(room: str) -> list[str]:
    lines = re.findall(r"^    hopscape (.*)$", page(room), re.MULTILINE)
    return [re.split(r" {3,}", line)[0] for line in lines]


@pytest.mark.parametrize("room", ROOMS)
def test_every_file_is_named(room: str) -> None:
    folder = Path(import_module(f"hopscape.papers.{room}").__file__ or "").parent
    words = set(re.findall(r"[a-z_0-9]+", page(room)))
    files = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    assert files <= words, files - words


@pytest.mark.parametrize(
    ("room", "line"), [(room, line) for room in ROOMS for line in commands(room)]
)
def test_commands_run(room: str, line: str) -> None:
    words = shlex.split(line)
    if words[0] in LONG:
        names = [word for word in words if not word.startswith("-")]
        depth = 1 if words[0] == "ledger" else 2
        found = CliRunner().invoke(app, [*names[:depth], "--help"])
        assert found.exit_code == 0, found.output
        plain = re.sub(r"\x1b\[[0-9;]*m", "", found.output)
        assert all(word in plain for word in words if word.startswith("--"))
    else:
        found = CliRunner().invoke(app, words)
        assert found.exit_code == 0, found.output
