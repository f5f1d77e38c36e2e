"""An option is honoured or refused, never ignored: all options of all commands."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from commands import Done, run
from hopscape.cli.app import app


def _walk(command: Any, names: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], Any]]:
    """All commands with the words that call them."""
    if not hasattr(command, "list_commands"):
        return [(names, command)]
    found = [(name, command.get_command(None, name)) for name in command.list_commands(None)]
    return [pair for name, inner in found for pair in _walk(inner, (*names, name))]


COMMANDS = dict(_walk(typer.main.get_command(app)))
OPTIONS = [
    (words, option)
    for words, command in COMMANDS.items()
    for option in command.params
    if option.param_type_name == "option" and option.name != "help"
]


def test_what_may_be_given_once_is_not_given_twice() -> None:
    """Every option of every command; those that may be repeated say nothing of the kind."""
    wrong = []
    for words, option in OPTIONS:
        once = [max(option.opts, key=len), *["1"] * (0 if option.is_flag else option.nargs)]
        done = run(*words, *once, *once)
        complaint = f"hopscape: {once[0]} is given 2 times; it can be given once\n"
        refused = done.stderr == complaint and (done.returncode, done.stdout) == (2, "")
        if refused == option.multiple:
            wrong.append(f"{' '.join(words)} {once[0]}: {done.stderr or done.stdout}")
    assert not wrong, "\n".join(wrong)


CIRCUIT = ("torus(5, 5)", "--algorithm", "circuit")
DESIGN = (
    *("--nodes", "12", "--ports", "4", "--families", "torus,random_regular"),
    *("--matters", "latency,cost", "--workers", "1"),
)
MODEL = {
    "ports": ["--ports", "1"],
    "duplex": ["--duplex", "half"],
    "packing": ["--packing", "packed"],
    "switching": ["--switching", "circuit"],
    "disjoint": ["--switching", "circuit", "--disjoint", "edge"],
    "circuits": ["--switching", "circuit", "--circuits", "dimension-ordered"],
    "alpha": ["--alpha", "3"],
    "beta": ["--beta", "3"],
    "delta": ["--delta", "3"],
    "root": ["--from", "3"],
    "algorithm": ["--algorithm", "list"],
    "size": ["--bytes", "1KB"],
    "group": ["--group", "0-4"],
    "group_file": ["--groups", "{folder}/none.txt"],
    "pieces": ["--pieces", "2"],
    "dead": ["--dead", "4"],
    "dead_link": ["--dead-link", "0-1"],
    "dies": ["--dies", "4@1"],
    "in_network": ["--in-network"],
    "limit": ["--time-limit", "-1"],  # what a small limit cuts: tests/collectives/test_contest.py
    "listed": ["--list"],
    "figure": ["--figure", "{folder}/rounds.txt"],
    "animate": ["--animate", "{folder}/rounds.txt"],
    "save": ["--save", "{folder}/plan.json"],
}
SUMS = {"gamma": ["--gamma", "3"]}
TO = {"root": ["--to", "3"]}
SEEN: dict[str, tuple[tuple[str, ...], dict[str, list[str]]]] = {
    "families": ((), {"word": ["--search", "hypercube"]}),
    "structure": (("petersen",), {"generators": ["--generators"]}),
    "show": (
        ("random_regular(6000, 4)",),
        {
            "exact": ["--exact"],
            "limit": ["--time-limit", "1e-9"],
        },
    ),
    "compare": (
        ("random_regular(6000, 4)", "--columns", "degree,diameter"),
        {
            "columns": ["--columns", "nodes"],
            "exact": ["--exact"],
            "limit": ["--time-limit", "1e-9"],
        },
    ),
    "distances": (
        ("random_regular(40, 3)",),
        {
            "source": ["--from", "3"],
            "each": ["--each"],
            "exact": ["--sample", "5", "--exact"],
            "sample": ["--sample", "5"],
            "seed": ["--sample", "5", "--seed", "2"],
        },
    ),
    "explain": (("girth",), {}),
    "prices": ((), {"check": ["--check", "{folder}/none.toml"]}),
    "bisection": (
        ("torus(4, 4)",),
        {"exact": ["--exact"], "seed": ["--seed", "1"]},
    ),
    "load": (
        ("torus(4, 4)",),
        {
            "traffic": ["--traffic", "nothing.csv"],
            "router": ["--router", "table"],
            "each": ["--each"],
            "seed": ["--seed", "1"],
        },
    ),
    "route": (
        ("torus(4, 4)", "0", "10"),
        {
            "router": ["--router", "table"],
            "disjoint": ["--disjoint"],
            "dead": ["--dead", "2"],
            "dead_link": ["--dead-link", "0 - 1"],
        },
    ),
    "broadcast": (("mesh(3, 3)",), MODEL),
    "reduce": (("mesh(3, 3)",), MODEL | TO | SUMS),
    "scatter": (("mesh(3, 3)",), MODEL),
    "gather": (("mesh(3, 3)",), MODEL | TO),
    "multicast": (("mesh(3, 3)", "--to", "5"), MODEL | {"targets": ["--to", "7"]}),
    "allgather": (("mesh(3, 3)",), MODEL),
    "reduce-scatter": (("mesh(3, 3)",), MODEL | SUMS),
    "allreduce": (("mesh(3, 3)",), MODEL | SUMS | {"sliced": ["--sliced"]}),
    "alltoall": (("mesh(3, 3)",), MODEL),
    "permute": (
        ("mesh(3, 3)", "--permutation", "random:1"),
        MODEL | {"permutation": ["--permutation", "random:2"]},
    ),
    "design": (
        DESIGN,
        {
            "nodes": ["--nodes", "16"],
            "ports": ["--ports", "3"],
            # of switched machines, refused here; tests/design/test_switched.py uses them
            "endpoints": ["--endpoints", "9"],
            "radix": ["--radix", "9"],
            "nics": ["--nics", "2"],
            "planes": ["--planes", "2"],
            "throughput": ["--throughput", "0.5"],
            "worst": ["--worst", "0.5"],
            "routing": ["--routing", "valiant"],
            "budget": ["--budget", "9"],
            "prices": ["--prices", "default"],
            "sweep": ["--sweep", "9,16"],
            "figure": ["--figure", "{folder}/x.svg"],
            "grow": ["--grow", "24"],
            "exact": ["--exact"],
            "at_least": ["--at-least"],
            "within": ["--within", "0.4"],
            "endpoints_per_router": ["--endpoints-per-router", "3", "--within", "0.5"],
            "regular": ["--regular"],
            "max_hops": ["--max-hops", "2"],
            "watts_per_rack": ["--watts-per-rack", "9000"],
            "taper": ["--taper", "2:1"],
            "cables": ["--cables", "10"],
            "cable_length": ["--cable-length", "12"],
            "survive": ["--survive", "switches=1"],
            "remaining": ["--survive", "switches=1", "--remaining", "0.5"],
            "island": ["--island", "4"],
            "island_speed": ["--island", "4", "--island-speed", "3"],
            "job": ["--job", "{folder}/none.toml"],
            "floor": ["--floor", "2x2x4"],
            "vcs": ["--vcs", "1"],
            "faults": ["--faults", "2"],
            "matters": ["--matters", "broadcast"],
            "message": ["--message", "5"],
            "alpha": ["--alpha", "1"],
            "bandwidth": ["--bandwidth", "5"],
            "families": ["--families", "ring"],
            "pareto": ["--pareto"],
            "top": ["--top", "1"],
            "finalists": ["--finalists", "1"],
            "columns": ["--columns", "girth,cost"],
            "limit": ["--time-limit", "-1"],
            "search": ["--search", "0.2s"],
            "simulate": ["--simulate"],
            "out": ["--out", __file__],
            "choose": ["--choose", "1"],
            "force": ["--force"],
            "workers": ["--workers", "0"],
            "resume": ["--resume", "{folder}/kept.jsonl"],
            "dask": ["--dask", "tcp://127.0.0.1:1"],
            "seed": ["--seed", "1"],
        },
    ),
}
SHARED = ("wide", "shown", "config", "write_config", "proof")
"""Of many commands: tests/cli/test_tables.py, tests/cli/test_config.py, tests/proofs."""


def _options(command: str) -> list[str]:
    """Names of a command's own options."""
    shared = ("help", "style", "output", *SHARED)
    options = (one for one in COMMANDS[command,].params if one.param_type_name == "option")
    return [one.name for one in options if one.name not in shared and not one.hidden]


def _without(arguments: tuple[str, ...], extra: list[str], repeats: bool) -> list[str]:
    """The arguments, those options left out that are given again."""
    again = set() if repeats else {word for word in extra if word.startswith("--")}
    out, skip = [], False
    for word in arguments:
        skip = word in again or (skip and not word.startswith("--"))
        if not skip:
            out.append(word)
    return out


@cache
def _plain(command: str) -> Done:
    return run(command, *SEEN[command][0], "--format", "json")


@pytest.mark.parametrize("command", SEEN)
def test_every_option_does_something(command: str, tmp_path: Path) -> None:
    base, effects = SEEN[command]
    plain = _plain(command)
    assert plain.returncode == 0, plain.stderr
    wrong = [option for option in _options(command) if option not in effects]
    for option in set(_options(command)) & set(effects):
        folder = tmp_path / option
        folder.mkdir()
        extra = [word.format(folder=folder) for word in effects[option]]
        multiple = option in ("targets", "dead", "dead_link")
        other = run(command, *_without(base, extra, multiple), *extra, "--format", "json")
        wrote = any(folder.iterdir())
        same = (other.returncode, other.stdout) == (plain.returncode, plain.stdout)
        if other.returncode not in (0, 2) or "Traceback" in other.stderr or (same and not wrote):
            wrong.append(f"{option}: {other.returncode} {other.stderr}")
    assert not wrong, "\n".join(wrong)


def _flags(command: str) -> set[str]:
    """Options as they are typed; a collective has --save, and -o x.json is the same."""
    return {flag for one in COMMANDS[command,].params for flag in one.opts}


@pytest.mark.parametrize("command", SEEN)
def test_the_ending_of_the_output_chooses_its_format(command: str, tmp_path: Path) -> None:
    large = command in ("show", "compare")
    arguments = ("ring(5)",) if large else SEEN[command][0]
    for ending in ("json", "csv"):
        place = tmp_path / f"out.{ending}"
        done = run(command, *arguments, "-o", str(place))
        known = ending == "json" and not large
        told = _plain(command) if known else run(command, *arguments, "--format", ending)
        assert done.returncode == 0, done.stderr
        written = place.read_text()
        if ending == "json" and "--save" in _flags(command):
            assert json.loads(written)["format"] == "hopscape-schedule"
        else:
            assert written == told.stdout
    json.loads((tmp_path / "out.json").read_text())


def test_costs_alone_leave_the_rules_to_the_algorithm() -> None:
    done = run("broadcast", *CIRCUIT, "--alpha", "2", "--delta", "0.5", "--format", "json")
    found = json.loads(done.stdout)
    assert found["model"]["switching"] == "circuit"
    assert (found["rounds"], found["time"]) == (2, 2 * 2 + 0.5 * found["sum_round_max"])
