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
        list[str] | None,
        typer.Argument(metavar="[SPEC]...", help="Specs such as 'torus(8, 8)', or graph files."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The page: an .html file.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option("--port", min=0, max=65535, help="Without SPEC: the port, 0 for a free one."),
    ] = None,
    browse: Annotated[
        bool | None,
        typer.Option("--open/--no-open", help="Without SPEC: open the browser (or do not)."),
    ] = None,
) -> None:
    """Make a page to look at networks: turn, route, break and play; one file, offline.

    Without SPEC the explorer starts in the browser, on this machine only, with a form for all
    families; Ctrl-C ends it.
    """
    if not specs:
        _serve(output, port, browse)
        return
    for name, value in (("--port", port), ("--open", browse)):
        if value is not None:
            raise ArgumentError(f"{name} is for the explorer in the browser; leave out SPEC")
    if output is None:
        raise ArgumentError("-o page.html must name the page")
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


def _serve(output: Path | None, port: int | None, browse: bool | None) -> None:
    """The explorer on loopback, until Ctrl-C."""
    import os
    import sys
    import webbrowser

    from hopscape.explore.server import serve

    if output is not None:
        raise ArgumentError("-o writes the page of a network; name one")
    screen = sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )

    def show(address: str) -> None:
        print(
            f"{address}\nCtrl-C ends it; the address is a key: whoever has it may ask.", flush=True
        )
        if browse or (browse is None and screen):
            webbrowser.open(address)

    serve(port or 0, show=show)
