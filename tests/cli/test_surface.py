"""One word for one thing: the same option names in all commands, old ones with a hint only."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer

import hopscape
from commands import ask, refused, run, shown
from hopscape.cli.app import app
from hopscape.cli.options import FORMER_NAMES
from hopscape.cli.ranking import few_order
from hopscape.core.tables import Table, fit


def _walk(command: Any, names: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    if not hasattr(command, "list_commands"):
        return [(names, command)]
    inner = [(name, command.get_command(None, name)) for name in command.list_commands(None)]
    return [pair for name, one in inner for pair in _walk(one, (*names, name))]


COMMANDS = dict(_walk(typer.main.get_command(app)))
OLD = {old for names in FORMER_NAMES.values() for old in names} - {"--from", "--output", "-o"}
SYNONYMS = {
    *("--threads", "--procs", "--parallel", "--cores", "--cpus"),  # --workers
    *("--timeout", "--max-time", "--duration", "--deadline"),  # --time-limit
    *("--store", "--cache", "--results", "--database", "--continue"),  # --resume
    *("--options", "--settings", "--toml", "--question"),  # --config
    *("--failed", "--faulty", "--down", "--broken", "--dead-nodes", "--dead-links"),  # --dead
    *("--dir", "--directory", "--outdir", "--out-dir", "--into", "--to-folder"),  # --out
}
SHAPES = {
    "--workers": ("N", False),
    "--time-limit": ("SECONDS", False),
    "--resume": ("FILE", False),
    "--config": ("FILE", False),
    "--dead": ("NODE", True),
    "--dead-link": ("A-B", True),
    "--out": ("DIR", False),
}
"""What an option takes, and whether it may be repeated: the same in every command."""


def test_no_command_offers_an_old_name_or_a_synonym() -> None:
    for words, command in COMMANDS.items():
        offered = {name for option in command.params for name in option.opts}
        assert not offered & (OLD | SYNONYMS), words
        assert "--from" not in offered or words != ("design",)


def test_a_word_takes_the_same_in_every_command() -> None:
    seen: set[str] = set()
    for words, command in COMMANDS.items():
        for option in command.params:
            name = max(option.opts, key=len)
            if name in SHAPES:
                seen.add(name)
                metavar, multiple = SHAPES[name]
                assert str(option.metavar).split("[")[0] == metavar, (words, name)
                assert option.multiple is multiple, (words, name)
    assert seen == set(SHAPES)


def test_files_are_written_by_output_and_folders_by_out() -> None:
    for words, command in COMMANDS.items():
        by_name = {max(option.opts, key=len): option for option in command.params}
        if "--output" in by_name:
            assert "-o" in by_name["--output"].opts, words
            assert "older" not in str(by_name["--output"].help), words  # no folder


def _docstring_commands() -> Iterator[tuple[str, list[str]]]:
    """Command lines in docstrings, with their modules."""
    line = re.compile(r"^\s+(?:\$ )?hopscape ([a-z].*)$", re.MULTILINE)
    for path in sorted(Path(hopscape.__file__).parent.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if line.search(text) else ():
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                for command in line.findall(ast.get_docstring(node) or ""):
                    yield path.stem, shlex.split(re.split(r"\s{3,}", command)[0])


def test_docstrings_use_the_names_of_today() -> None:
    seen = 0
    for module, words in _docstring_commands():
        names = next((n for n in (tuple(words[:2]), tuple(words[:1])) if n in COMMANDS), None)
        if names is not None:
            options = {o for p in COMMANDS[names].params for o in (*p.opts, *p.secondary_opts)}
            typed = {w.split("=")[0] for w in words if re.match(r"--?[a-z]", w)}
            assert typed <= options, (module, words)
            seen += bool(typed)
    assert seen > 20


@pytest.mark.parametrize(
    ("words", "old", "new"),
    [
        ("search circulant --nodes 20 --processes 1", "--processes", "--workers"),
        ("search circulant --nodes 20 --jobs=1", "--jobs", "--workers"),
        ("search circulant --nodes 20 --table {folder}/r.jsonl", "--table", "--resume"),
        (
            "search graph --nodes 8 --degree 3 --seconds 0.1",
            "--seconds",
            "--time-limit",
        ),
        ("simulate mesh(3,3) --load 0.1 --cycles 50 --fail-node 4", "--fail-node", "--dead"),
        ("simulate mesh(3,3) --load 0.1 --cycles 50 --fail-link 0-1", "--fail-link", "--dead-link"),
        ("multiring capacity multiring(8,1,3) --dead-node 1", "--dead-node", "--dead"),
        ("blockdesign cover 13 4 --ways 1", "--ways", "--multiplicity"),
        ("study multiring --quick -o {folder}/none/../r", "-o", "--out"),
    ],
)
def test_old_names_work_with_a_hint(words: str, old: str, new: str, tmp_path: Path) -> None:
    if old == "-o":  # what it draws takes long; a file in the way ends it
        (tmp_path / "r").write_text("")
    done = run(*words.format(folder=tmp_path).split())
    assert f"hopscape: '{old}' is now '{new}'" in done.stderr
    assert done.returncode == (2 if old == "-o" else 0), done.stderr
    assert old not in {word.strip("│ ,") for word in shown(*words.split()[:2], "--help").split()}


def test_an_old_name_and_the_new_one_are_twice_the_same() -> None:
    said = refused("search", "circulant", "--nodes", "20", "--jobs", "1", "--workers", "1")
    assert "is given 2 times" in said


def test_a_folder_without_its_option(tmp_path: Path) -> None:
    place = tmp_path / "f"
    done = run("study", "rpc", str(place), "--only", "nothing")
    assert f"'{place}' is now '--out {place}'" in done.stderr
    assert "table 'nothing' is unknown" in done.stderr
    assert "unexpected" in refused("design", "folder", "--nodes", "8", "--ports", "3")


@pytest.mark.parametrize(
    ("words", "option"),
    [  # values are the defaults: typed is given, whatever the value
        ("design --endpoints 16 --radix 8 --bandwidth 25e9", "--bandwidth"),
        ("design --endpoints 16 --radix 8 --faults 3", "--faults"),
        ("design --endpoints 16 --radix 8 --finalists 8", "--finalists"),
        ("design --endpoints 16 --radix 8 --seed 0", "--seed"),
        ("design --endpoints 16 --radix 8 --endpoints-per-router 1", "--endpoints-per-router"),
        ("design --sweep 16 --radix 8 --columns ", "--columns"),
        ("design --nodes 16 --ports 4 --throughput 1", "--throughput"),
        ("atlas circulant --degree 6 --nodes 20 --device cpu", "--device"),
        ("blockdesign machines --copies 1", "--copies"),
        ("blockdesign machines --group 0", "--group"),
        ("multiring simulate multiring(8,1,3) --window 64", "--window"),
        ("multiring search --nodes 9 --rings 4 --front --workers 1", "--workers"),
        ("multiring search --nodes 9 --rings 4 --grow --cable 9", "--cable"),
        ("multiring capacity multiring(8,1,3) --dead 1 --distribution uniform", "--distribution"),
        ("search graph --terminals 12 --radix 6 --longest 3", "--longest"),
        ("search graph --terminals 12 --radix 6 --local anneal --nodes 9", "--nodes"),
        ("simulate mesh(3,3) --flits 1", "--flits"),
        ("simulate mesh(3,3) --fault-routing family", "--fault-routing"),
        ("simulate mesh(3,3) --saturation --load ", "--load"),
        ("draw petersen -o x.svg --broadcast 0 --layout auto", "--layout"),
        ("draw petersen -o x.svg --broadcast 0 --colour none", "--colour"),
        ("emit petersen --to c --format table", "--format"),
        ("ledger --page x.md --format table", "--format"),
        ("route petersen 0 5 --dead 1 --router auto", "--router"),
        ("families petersen --search ", "--search"),
        ("study load --full --sizes 64,256", "--sizes"),
    ],
)
def test_an_option_is_given_when_it_was_typed(words: str, option: str) -> None:
    said = refused(*words.split(" "))
    assert said.startswith("hopscape: ")
    assert option in said


def test_what_a_file_says_is_given(tmp_path: Path) -> None:
    place = tmp_path / "q.toml"
    place.write_text("endpoints = 16\nradix = 8\nbandwidth = 25e9\n")
    assert "--bandwidth belongs to direct machines" in refused("design", "--config", str(place))


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    """Options that were not given are comments: the file asks what the command asked."""
    place = tmp_path / "q.toml"
    words = ("--endpoints", "16", "--radix", "8", "--families", "complete", "--workers", "1")
    text = shown("design", *words, "--write-config")
    place.write_text(text)
    assert set(tomllib.loads(text)) == {"endpoints", "radix", "families", "workers"}
    assert "# message = 1000000.0" in text
    assert ask("design", "--config", str(place)) == ask("design", *words)


def test_lists_tables_and_old_names_in_a_file(tmp_path: Path) -> None:
    place = tmp_path / "q.toml"
    place.write_text(
        'nodes = 12\nports = 4\nfamilies = ["torus", "ring"]\njobs = 1\n'
        "[matters]\nlatency = 2\ncost = 1\n"
    )
    done = run("design", "--from", str(place), "--format", "json")
    assert done.returncode == 0, done.stderr
    assert "'--from' is now '--config'" in done.stderr
    assert "'jobs' is now 'workers'" in done.stderr
    words = ("--nodes", "12", "--ports", "4", "--families", "torus,ring", "--workers", "1")
    assert done.stdout == shown("design", *words, "--matters", "latency=2,cost=1", "-f", "json")
    place.write_text('link_delay = {axis0 = 2, axis1 = 1}\nload = "0.1"\ncycles = 50\n')
    found = ask("simulate", "mesh(3, 3)", "--config", str(place))
    assert found["configuration"]["link_delays"] == [["axis0", 2], ["axis1", 1]]
    place.write_text("\nfigure = ['a', 'b']\n")
    assert "line 2: figure is a list" in refused("simulate", "ring(5)", "--config", str(place))


def test_help_shows_the_kind_of_machine_that_was_asked_for() -> None:
    short = shown("design", "--help")
    direct = shown("design", "--nodes", "8", "--help")
    switched = shown("design", "--help", "--radix", "8")
    for word in ("--nodes", "--endpoints", "--radix", "--workers", "--families"):
        assert word in short
    for word in ("--bandwidth", "--budget", "--nics"):
        assert word not in short
    assert "hopscape design --nodes" in short
    assert "--bandwidth" in direct
    assert "--nics" not in direct
    assert "--nics" in switched
    assert "--bandwidth" not in switched
    groups = COMMANDS["design",].groups
    kinds = [group for group in groups if group.keys]
    assert len(kinds) == 2
    assert all(len(group.__dataclass_fields__) <= 20 for group in kinds)


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize("words", [(), ("--help",), ("design", "--help")])
def test_first_pages_fit_the_terminal(columns: int, words: tuple[str, ...]) -> None:
    lines = run(*words, COLUMNS=str(columns)).stdout.splitlines()
    assert [line for line in lines if len(line.rstrip()) > columns] == []


@pytest.mark.parametrize("columns", [60, 80])
def test_what_a_machine_costs_is_shown_on_any_terminal(columns: int) -> None:
    names = {"name": "machine", "money": "cost", "guaranteed_throughput": "guaranteed"}
    titles = names | dict.fromkeys(few_order(["survived_throughput"]), "a title") | names
    row = ["leaf-spine of 104 switches" if name == "name" else "10,104" for name in titles]
    table = Table(titles, [row, row], "", few_order(["survived_throughput"]))
    found = fit(table, columns)
    assert found.dropped
    assert not {"machine", "cost", "guaranteed"} & set(found.dropped)


def test_values_of_options_are_words_and_no_types_of_python() -> None:
    for words, command in COMMANDS.items():
        for one in command.params:
            if one.param_type_name == "option" and not one.is_flag and one.type.name != "choice":
                assert (one.metavar or "").isupper(), (words, one.opts)
            if one.param_type_name == "argument":
                assert one.metavar.strip("[]").isupper(), (words, one.name)
                assert not one.type.get_metavar(one, ctx=None), (words, one.name)


def test_the_terminal_alone_wraps_a_help() -> None:
    """Lines of the source are no lines of the page: texts wrapped twice are ragged."""
    for words, command in COMMANDS.items():
        assert "\n" not in (command.help or "").replace("\n\n", ""), words
    lines = run("emit", "--help", COLUMNS="60").stdout.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(" Write the router"))
    text = lines[first : lines.index("", first + 3)]
    for line, after in pairwise(text):
        whole = f"{line.rstrip()} {after.split()[0]}" if after.strip() else ""
        assert not whole or not line.strip() or len(whole) > 59, line
