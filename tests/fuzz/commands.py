"""Random command lines from typer's own signatures."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import click
import typer

from hopscape.cli.app import app

from .specs import random_spec

SMALL = (
    "ring(6)", "torus(3, 3)", "petersen", "circulant(13, 1, 5)", "multiring(8, 1, 3)", "mesh(2, 3)",
    "product(petersen, ring(3))", "kautz(2, 2)", "fat_tree(4)", "sparse_multiring(2, 6)", "rpc(2)",
    "distributed_switch(7, 3)", "path(1)", "complete(2)", "folded(ring(8), 2)", "heawood",
)  # fmt: skip
_NUMBERS = ("0", "1", "2", "3", "-1", "7", "16", "1.5", "nan", "inf", "1e9", "x", "", "9" * 25)
_TEXTS = (
    "uniform", "auto", "list", "0", "1-2", "0-1@5", "random:1", "random:-1", "tornado",
    "2,axis0=1", "0.1:0.3:0.1", "a,b", "", " ", "²", "--", "(0, 0)", "[0, 1]", "no/such/file.csv",
)  # fmt: skip
_JOB = Path(__file__).parents[2] / "examples" / "jobs" / "small.toml"
_SKIPPED = {
    "ledger", "study", "search", "design", "torus", "machines", "which-network", "warm-up", "atlas",
}  # fmt: skip
"""Commands that are long by their nature; their parsers are tried with --help and bad options."""


def all_commands() -> dict[tuple[str, ...], click.Command]:
    """Every command of the application by its path."""
    root: Any = typer.main.get_command(app)
    found: dict[tuple[str, ...], click.Command] = {}
    context = click.Context(root)
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        if hasattr(command, "list_commands"):  # groups load their commands when they are asked
            inner = command.list_commands(context)
            found |= {(name, sub): command.get_command(context, sub) for sub in inner}
        else:
            found[name,] = command
    return found


def random_command(
    commands: dict[tuple[str, ...], click.Command],
    rng: random.Random,
    folder: str,
    *,
    long: bool = False,
) -> list[str]:
    """A command line: arguments in their places, some of the options, seldom something wrong.

    Args:
        long: One of the commands that are long by their nature, to be run in earnest.
    """
    path = rng.choice([one for one in sorted(commands) if not long or set(one) & _SKIPPED])
    words: list[str] = []
    for parameter in commands[path].params:
        if parameter.param_type_name == "argument":
            count = rng.choice((1, 1, 1, 1, 2)) if parameter.nargs == -1 else 1
            words += [_value(parameter, rng, folder) for _ in range(count)]
            if path == ("explore",) and words == ["--"]:  # no SPEC: it would serve until stopped
                words = [SMALL[0]]
        elif parameter.name != "help" and (parameter.required or rng.random() < 0.15):
            option = rng.choice((*parameter.opts, *parameter.secondary_opts))
            flag = bool(getattr(parameter, "is_flag", False))
            words += [option] if flag else [option, _value(parameter, rng, folder)]
    if rng.random() < 0.3 and not any(w.startswith("-f") for w in words):
        words += ["-f", rng.choice(("json", "csv", "table", "parquet", "xml"))]
    if rng.random() < 0.03:
        words.append(rng.choice(("--nothing", "extra", "-x", "--help")))
    if set(path) & _SKIPPED and not long:
        words.append("--nothing-like-this")
    return [*path, *words]


def _value(parameter: Any, rng: random.Random, folder: str) -> str:
    kind, name = parameter.type, parameter.name or ""
    if rng.random() < 0.06:
        return rng.choice(_TEXTS + _NUMBERS)
    if hasattr(kind, "choices"):
        return str(getattr(rng.choice(list(kind.choices)), "value", rng.choice(list(kind.choices))))
    if name == "job":
        return str(_JOB)
    if name in ("spec", "specs", "guest", "host", "first", "second", "on"):
        return rng.choice(SMALL) if rng.random() < 0.85 else random_spec(rng, 2)
    if kind.name in ("integer", "integer range", "float", "float range"):
        return rng.choice(_NUMBERS) if rng.random() < 0.4 else str(rng.randrange(12))
    if kind.name in ("path", "file", "directory"):
        return f"{folder}/{rng.choice(('out.json', 'out.svg', 'sub/out.csv', 'a.npz', 'new'))}"
    if rng.random() < 0.5:
        return str(rng.randrange(10))
    return rng.choice(_TEXTS)
