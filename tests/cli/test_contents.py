"""The list of commands: all of them are there, and only the one that runs is imported."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import get_args

import click
import pytest
import typer

from commands import refused, run
from hopscape.cli import commands
from hopscape.cli.commands import collectives
from hopscape.cli.overview import added_group, contents, former_name
from hopscape.core.goal import GoalKind
from hopscape.core.plugins import plugin_entries

PANELS, GROUPS = contents().panels, contents().groups
FORMER = {
    old: (former_name(old) or ("", ""))
    for old in ["detour", *(old for name in plugin_entries("commands")
                            for old in getattr(added_group(name), "former", ()))]
}  # fmt: skip


def _places() -> list[str]:
    members = [*PANELS.values(), *(group for _, group in GROUPS.values())]
    return [place for group in members for place in group.values() if place]


def test_every_place_is_a_command_and_every_command_has_one_place() -> None:
    public = set()
    for info in pkgutil.iter_modules(commands.__path__):
        module = importlib.import_module(f"{commands.__name__}.{info.name}")
        names = getattr(module, "__all__", ())
        own = (getattr(module, name) for name in names)
        public |= {
            f"{module.__name__}:{one.__name__}"
            for one in own
            if getattr(one, "__module__", "") == module.__name__ and "style" in one.__annotations__
        }
    places = _places()
    for members in [*PANELS.values(), *(group for _, group in GROUPS.values())]:
        listed = [place for place in members.values() if place]
        assert len(listed) == len(set(listed))
    assert public <= set(places) | {place for place, _ in FORMER.values()}
    for place in places:
        module, _, function = place.partition(":")
        assert callable(getattr(importlib.import_module(module), function))
    assert {name for group in PANELS.values() for name, place in group.items() if not place} == set(
        GROUPS
    )


ASKED_FOR_HELP = """
import contextlib, io, sys
from hopscape.cli import main
def is_command(name):
    paper = name.startswith("hopscape.papers.") and name.endswith("commands")
    return paper or name.startswith("hopscape.cli.commands.")
for words, place in {calls!r}:
    for name in [name for name in sys.modules if is_command(name)]:
        del sys.modules[name]
    with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main([*words, "--help"])
    loaded = [name for name in sys.modules if is_command(name)]
    own = place.partition(":")[0]
    if loaded != [own]:
        print(words, loaded)
"""


def test_only_the_command_that_is_asked_for_help_is_imported() -> None:
    calls = [((n,), place) for group in PANELS.values() for n, place in group.items() if place]
    calls += [((g, n), p) for g, (_, group) in GROUPS.items() for n, p in group.items()]
    code = ASKED_FOR_HELP.format(calls=calls)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == ""


def test_no_command_imports_another() -> None:
    """Inside functions neither; what two of them share stands beside the folder."""
    wrong = []
    for path in Path(commands.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and "cli.commands" in (node.module or ""):
                wrong.append(f"{path.name} imports {node.module}")
    assert wrong == []


def test_every_goal_has_its_command() -> None:
    listed = {place.rpartition(".")[2] for place in PANELS["Collectives"].values()}
    assert listed - {"collectives:verify"} == {f"collectives:{name}" for name in collectives.GOALS}
    assert {goal.kind for goal in collectives.GOALS.values()} == set(get_args(GoalKind))
    assert all(getattr(collectives, name).__doc__ for name in collectives.GOALS)
    with pytest.raises(AttributeError):
        _ = collectives.unheard_of


@pytest.mark.papers
def test_old_names_work_and_say_what_they_are_now() -> None:
    for old, (place, new) in FORMER.items():
        assert old not in {name for members in PANELS.values() for name in members}
        group, _, member = new.partition(" ")
        if group in GROUPS:
            assert GROUPS[group][1][member] == place
        done = run(old, "--help")
        assert done.returncode == 0
        assert f"'{old}' is now '{new}'" in done.stderr
    assert "'circulant show'" in run("circulant", "circulant(9, 1, 2)").stderr


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("desing",), "did you mean design?"),
        (("blockdesign", "lst"), "did you mean blockdesign list?"),
        pytest.param(("capacty",), "did you mean multiring capacity?", marks=pytest.mark.papers),
        (("circulant", "shw"), "did you mean circulant show?"),
        (("xyzzy",), "'hopscape --help' lists them"),
    ],
)
def test_a_wrong_command_is_answered_with_the_nearest(words: tuple[str, ...], near: str) -> None:
    assert near in refused(*words)


def test_the_first_page_fits_one_screen_and_names_every_command() -> None:
    text = run("--help", COLUMNS="80").stdout
    lines = text.splitlines()
    assert len(lines) <= 60
    assert max(map(len, lines)) <= 80
    for members in PANELS.values():
        assert all(f"{name}" in text for name in members)
    assert text.index("design") < text.index("compare") < text.index("route  ")


def test_the_name_alone_shows_jobs_that_work() -> None:
    import shlex

    from hopscape.cli.app import app

    done = run()
    assert done.returncode == 0
    lines = [line.strip() for line in done.stdout.splitlines()]
    jobs = [shlex.split(line)[1:] for line in lines if line.startswith("hopscape ") and '"' in line]
    assert len(jobs) == 5  # and design, which needs no quotes
    command = typer.main.get_command(app)
    for name, *words in jobs:
        context = click.Context(command)
        command.get_command(context, name).make_context(name, words)


def test_the_tour_ends_well() -> None:
    done = run("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert [line[:2] for line in done.stdout.splitlines() if line[:2] in ("1.", "5.")] == [
        "1.",
        "5.",
    ]
    assert done.stdout.count("$ hopscape") == 5
