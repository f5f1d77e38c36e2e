"""The explorer: one page to look at networks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopscape.core.errors import ArgumentError

__all__ = ["explore"]

_MOST_SPECS = 8


def explore(
    specs: Annotated[
        list[str],
        typer.Argument(metavar="SPEC...", help="Specs such as 'torus(8, 8)', or graph files."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The page: an .html file.")],
) -> None:
    """Make a page to look at networks: turn, route, break and play; one file, offline."""
    from hopscape.core.files import write_text
    from hopscape.core.memory import human_bytes
    from hopscape.explore import page, payload
    from hopscape.registry import build

    if output.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"{output} is no page; name an .html file")
    if len(specs) > _MOST_SPECS:
        raise ArgumentError(f"{len(specs)} networks are given; a page has up to {_MOST_SPECS}")
    networks = [payload(build(spec)) for spec in specs]
    text = page(networks)
    write_text(output, text)
    print(f"wrote {output}: {human_bytes(len(text.encode()))}")
    for one in networks:
        for note in one["notes"]:
            print(f"{one['spec']}: {note}")
