"""The application: commands are found by themselves, and built only when they are called."""

from __future__ import annotations

import importlib
import pkgutil
from collections import Counter
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from hopscape._version import __version__
from hopscape.cli import EndedError, commands, groups
from hopscape.cli.progress import install_progress
from hopscape.core.errors import ArgumentError

__all__ = ["app"]


class _Strict(TyperCommand):
    """Refuses an option that is given twice, and lets the ending of -o choose the format."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(order).items():
            if times > 1 and option.param_type_name == "option" and not option.multiple:
                name = max(option.opts, key=len)
                raise ArgumentError(f"{name} is given {times} times; it can be given once")
        both = {"style", "output"} <= {param.name for param in self.params}
        ending = str(given.get("output", "")).lower().rpartition(".")[2]
        if both and "style" not in given and ending in ("json", "csv", "parquet"):
            args = ["--format", ending, *args]
        return super().parse_args(ctx, args)


class _LazyGroup(TyperGroup):
    """Builds a command when it is asked for: with many commands, starting must stay quick."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*_plain, *_groups]

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except (KeyboardInterrupt, BrokenPipeError) as error:
            raise EndedError from error

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in _groups:
            return typer.main.get_group(_groups[cmd_name])  # a group, even of one command
        if cmd_name not in _plain:
            return None
        single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        single.command(cmd_name, cls=_Strict)(_plain[cmd_name])
        return typer.main.get_command(single)


app = typer.Typer(
    name="hopscape",
    cls=_LazyGroup,
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


def _collect() -> tuple[dict[str, Any], dict[str, typer.Typer]]:
    """All commands by name, and the groups that have any."""
    shelf = typer.Typer()
    for found in pkgutil.iter_modules(commands.__path__):
        importlib.import_module(f"{commands.__name__}.{found.name}").register(shelf)
    plain = {}
    for info in shelf.registered_commands:
        assert info.callback is not None
        plain[info.name or info.callback.__name__.replace("_", "-")] = info.callback
    filled = [group for group in (groups.search, groups.study) if group.registered_commands]
    for info in (info for group in filled for info in group.registered_commands):
        info.cls = _Strict
    return plain, {str(group.info.name): group for group in filled}


_plain, _groups = _collect()
