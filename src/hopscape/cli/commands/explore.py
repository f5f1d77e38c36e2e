"""The explorer: one page to look at networks."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.collective_output import end_if_wrong
from hopscape.cli.options import given, option, refuse
from hopscape.core.errors import ArgumentError

__all__ = ["explore"]

_MOST_SPECS = 8  # the page holds the arrays of each


def explore(
    specs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SPEC]...", help="Specs such as 'torus(8, 8)', or graph files."),
    ] = None,
    output: Annotated[Path | None, option("The page: an .html file.", "--output", "-o")] = None,
    schedules: Annotated[
        str | None,
        option(
            "Schedules to play, separated by commas: broadcast, circuit, one-port, reduce, scatter,"
            " gather, all-gather, half-duplex, reduce-scatter, all-reduce, all-to-all; or none"
            " (default: by size)."
        ),
    ] = None,
    traffic: Annotated[
        str | None,
        option(
            "Traffic patterns for channel loads, separated by commas: uniform, worst, and those of"
            " 'simulate'; or none (default: by size)."
        ),
    ] = None,
    bisection: Annotated[
        bool | None, option("The bisection (default: by size).", "--bisection/--no-bisection")
    ] = None,
    deadlock: Annotated[
        bool | None,
        option(
            "Virtual channels, and the cycle that would deadlock (default: by size).",
            "--deadlock/--no-deadlock",
        ),
    ] = None,
    simulate: Annotated[
        float | None,
        option(
            "Record a run of the flit simulator at this load (flits per endpoint and cycle).",
            metavar="LOAD",
        ),
    ] = None,
    curve: Annotated[bool, option("Simulate a load-latency curve (takes a while).")] = False,
    job: Annotated[
        str | None,
        option("One step of a job to scrub through: a .toml file or a folder of traces.", "--job"),
    ] = None,
    seed: Annotated[int | None, option("Random seed of traffic and simulations.", min=0)] = None,
    port: Annotated[
        int | None, option("Without SPEC: the port, 0 for a free one.", min=0, max=65535)
    ] = None,
    browse: Annotated[
        bool | None, option("Without SPEC: open the browser (or do not).", "--open/--no-open")
    ] = None,
) -> None:
    """Make a page to look at networks: turn, route, break and play; one file, offline.

    Without SPEC the explorer starts in the browser, on this machine only, with a form for all
    families; Ctrl-C ends it.
    """
    if not specs:
        refuse(
            ("output", "schedules", "traffic", "bisection", "deadlock", "simulate", "curve",
             "job", "seed"),
            "is about the page of a network; name a SPEC",
        )  # fmt: skip
        _serve(port or 0, browse)
        return
    refuse(("port", "browse"), "is for the explorer in the browser; leave out SPEC")
    if output is None:
        raise ArgumentError("-o is missing: the page is written to a file, such as -o page.html")
    from hopscape.core.files import write_text
    from hopscape.core.numbers import byte_count
    from hopscape.core.schedule import Schedule
    from hopscape.registry import build, build_within
    from hopscape.show.explore import page, payload
    from hopscape.show.explore.packing import number_links
    from hopscape.show.explore.panels import schedule_data
    from hopscape.show.explore.payload import require_small

    if output.suffix.lower() not in (".html", ".htm"):
        raise ArgumentError(f"{output} is not a page; name an .html file")
    if len(specs) > _MOST_SPECS:
        raise ArgumentError(f"{len(specs)} networks are given; a page has up to {_MOST_SPECS}")
    if not given("traffic", "simulate", "curve"):
        refuse(("seed",), "is for --traffic, --simulate and --curve; give one of them")
    parts: dict[str, Any] = {
        "schedules": _names(schedules, "--schedules"),
        "traffic": _names(traffic, "--traffic"),
        "bisection": bisection,
        "deadlock": deadlock,
        "simulate": simulate,
        "curve": curve,
        "seed": seed or 0,
    }
    if job is not None:
        from hopscape.workloads import read_job

        parts["job"] = read_job(job)
    networks = [build(spec) for spec in specs]
    for network in networks:
        require_small(network)
    payloads = [payload(network, **parts) for network in networks]
    shown: dict[str, Schedule] = {}
    for one, network, spec in zip(payloads, networks, specs, strict=True):
        if Schedule.spec_in(spec) is not None:
            shown[spec] = saved = Schedule.load(spec, build_within(spec))
            one["schedules"].insert(0, schedule_data(saved, number_links(network), "saved"))
    text = page(payloads)
    write_text(output, text)
    print(f"wrote {output}: {byte_count(len(text.encode()))}")
    for one in payloads:
        for note in one["notes"]:
            print(f"{one['spec']}: {note}")
    for spec, saved in shown.items():
        end_if_wrong(saved, spec)


def _names(text: str | None, option: str) -> tuple[str, ...] | None:
    """The names in a list with commas; none of them for 'none'; None when nothing is said."""
    if text is None or text.strip() == "none":
        return None if text is None else ()
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise ArgumentError(f"{option} is {text!r}; write names separated by commas, or none")
    if len(set(names)) < len(names):
        raise ArgumentError(f"{option} is {text!r}; a name is given twice")
    return names


def _serve(port: int, browse: bool | None) -> None:
    """Serve until Ctrl-C; open the browser where there is a screen, or as asked."""
    import webbrowser

    from hopscape.show.explore.server import serve

    screen = sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )

    def show(address: str) -> None:
        print(f"{address}\nCtrl-C ends it. Anyone with this address can use the server.")
        sys.stdout.flush()
        if browse or (browse is None and screen):
            webbrowser.open(address)

    serve(port, show=show)
