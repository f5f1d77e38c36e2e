"""The application: one module of commands after the other."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Annotated

import typer

from hopscape._version import __version__
from hopscape.cli import commands, groups
from hopscape.cli.progress import install_progress

__all__ = ["app"]

app = typer.Typer(
    name="hopscape",
    help="Which network should I build, how do I route and broadcast on it, will it hold up?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="A SPEC is a call such as 'torus(8, 8)' or 'product(petersen, ring(8))', or a graph"
    " file; 'hopscape families' lists what there is.",
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"hopscape {__version__}")
        raise typer.Exit


@app.callback()
def _start(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    install_progress()


for found in pkgutil.iter_modules(commands.__path__):
    importlib.import_module(f"{commands.__name__}.{found.name}").register(app)
for group in (groups.search, groups.study):
    if group.registered_commands:
        app.add_typer(group)
