"""Groups that several modules add commands to: ``hopscape search``, ``hopscape study``."""

from __future__ import annotations

import typer

__all__ = ["search", "study"]

search = typer.Typer(
    name="search", help="Search for the best networks of a kind.", no_args_is_help=True
)
study = typer.Typer(
    name="study",
    help="Reproduce a study: tables and figures into a folder.",
    no_args_is_help=True,
)


@search.callback()
@study.callback()
def _group() -> None:
    """A group stays a group even with a single command in it."""
