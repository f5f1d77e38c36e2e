"""The first page: all commands on one screen."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from typing import Any

from hopscape.cli.contents import PANELS
from hopscape.core.tables import wrap

__all__ = ["print_overview"]

_COMMON = {"Collectives": "Schedules of collective communication, checked, with a lower bound."}
"""Panels whose commands are listed by name only, with what they have in common."""


def print_overview(found: Mapping[str, Any]) -> None:
    """Print the commands by panels, one line each.

    Args:
        found: The commands by name.
    """
    from rich.console import Console
    from rich.text import Text

    width = min(shutil.get_terminal_size((100, 50)).columns, 100)
    console = Console() if sys.stdout.isatty() else Console(width=width, no_color=True)
    for line in _lines(found, width):
        bold = bool(line) and not line.startswith(" ") and line in PANELS
        console.print(Text(line, "bold" if bold else ""), soft_wrap=True)


def _lines(found: Mapping[str, Any], width: int) -> list[str]:
    main = "Which network should I build, how do I route and broadcast on it, will it hold up?"
    out = ["Usage: hopscape COMMAND ...   (hopscape COMMAND --help says more)", ""]
    out += wrap(main, width)
    name_width = max(len(name) for name in found)
    for panel, members in PANELS.items():
        out += ["", panel]
        if panel in _COMMON:
            names = wrap(", ".join(members), width - 2)
            out += [f"  {line}" for line in [*names, _COMMON[panel]]]
            continue
        for name in members:
            text = _brief(found[name].get_short_help_str(1000), width - name_width - 4)
            out.append(f"  {name:{name_width}}  {text}")
    ending = (
        "A SPEC is a call such as 'torus(8, 8)' or 'product(petersen, ring(8))', or a graph file;"
        " 'hopscape families' lists what there is, 'hopscape explain' says what tables mean."
        " --version prints the version, --install-completion teaches your shell."
    )
    return [*out, "", *wrap(ending, width)]


def _brief(text: str, width: int) -> str:
    """As much of a sentence as fits, ended where it may end."""
    text = text.rstrip(".")
    for mark in (": ", ", ", " (", "; "):
        if len(text) > width:
            text = text.split(mark)[0]
    return wrap(text, width)[0]
