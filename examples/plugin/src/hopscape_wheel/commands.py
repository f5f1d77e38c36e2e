"""A group of commands and a study, as entry points name them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.options import option
from hopscape.cli.output import emit_rows, write_tables
from hopscape.cli.overview import CommandGroup

WHEELS = CommandGroup("Wheels: a hub wired to every node of a ring.")


def _rows(most: int) -> list[dict[str, Any]]:
    from hopscape.core.network import Network
    from hopscape_wheel import Wheel

    networks = [Network.of(Wheel(n)) for n in range(3, most + 1)]
    return [
        {"network": one.spec, "degree": one.facts.degree_max, "diameter": one.facts.diameter}
        for one in networks
    ]


def table(most: Annotated[int, option("Nodes of the largest rim.", min=3)] = 8) -> None:
    """List wheels with their degree and diameter."""
    emit_rows(_rows(most), title="")


def study(
    into: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the table goes.")],
) -> None:
    """Write the table of wheels into a folder."""
    tables = write_tables([("wheels", _rows(20))], into)
    emit_rows(tables["wheels"], title=f"wheels (in {into})")
