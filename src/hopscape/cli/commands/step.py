"""The command about workloads: how long one step of a job takes on networks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscape.cli.options import (
    DeadLinkOption,
    DeadOption,
    ForceOption,
    option,
    read_dead_links,
    read_folder,
    refuse,
)
from hopscape.cli.output import Format, emit_rows, output_settings, say
from hopscape.core.errors import ArgumentError
from hopscape.core.files import require_room
from hopscape.core.network import Network
from hopscape.core.numbers import number
from hopscape.registry import build

if TYPE_CHECKING:
    from hopscape.design.prices import PriceList
    from hopscape.workloads import ModelJob, Placement, Step, Workload

__all__ = ["step"]

_YEARS = 4
"""Years over which the price of a network is paid off, a step at a time."""


def step(
    job: Annotated[
        str, typer.Argument(metavar="JOB", help="A .toml file, or a folder of Chakra traces.")
    ],
    on: Annotated[
        list[str],
        option("A network, by spec or graph file (repeatable).", "--on", metavar="SPEC"),
    ],
    place: Annotated[
        str | None,
        option("'search', or a file with the node of each rank (default: in order).", "--place"),
    ] = None,
    dead: DeadOption = None,
    dead_link: DeadLinkOption = None,
    alpha: Annotated[float, option("µs per message (start-up).", min=0)] = 1.0,
    beta: Annotated[float, option("µs per byte on a channel of capacity 1.", min=0)] = 2e-5,
    gamma: Annotated[float, option("µs per byte reduced.", min=0)] = 1e-5,
    delta: Annotated[float, option("µs per hop.", min=0)] = 0.1,
    router: Annotated[
        str,
        option("Router, such as updown (auto: shortest paths, ties spread evenly).", "--router"),
    ] = "auto",
    executor: Annotated[
        str, option("cut-through, or astra: the network model of ASTRA-sim.", "--executor")
    ] = "cut-through",
    splits: Annotated[
        int | None,
        option("Pieces per collective (default: 1 or 4, whichever is faster).", min=1),
    ] = None,
    algorithm: Annotated[
        list[str] | None,
        option("Force an algorithm: GOAL=NAME or NAME/PIECES (repeatable).", "--algorithm", "-a"),
    ] = None,
    whole: Annotated[
        bool, option("Execute all layers and micro-batches, however many.", "--whole")
    ] = False,
    search: Annotated[
        str | None, option("'parallelism': try all splits that fit memory.", "--search")
    ] = None,
    prices: Annotated[
        str | None, option("Price of the network and of a step: a list or a .toml file.")
    ] = None,
    gantt: Annotated[
        Path | None, option("Draw the timeline: .svg, or .html to scrub.", "--gantt")
    ] = None,
    chakra: Annotated[
        Path | None,
        option(
            "Write the step as Chakra traces into this folder.", metavar="DIR", parser=read_folder
        ),
    ] = None,
    rank_files: Annotated[
        Path | None,
        option(
            "Write the placement for Open MPI, MPICH and Slurm into this folder.",
            "--rank-files",
            metavar="DIR",
            parser=read_folder,
        ),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Time one step of a training or inference job on networks, with a proved bound."""
    from hopscape.design.prices import load_prices
    from hopscape.formats.rank_files import write_rank_files
    from hopscape.workloads import read_job, write_workload
    from hopscape.workloads.gantt import draw_gantt, require_gantt

    if gantt is not None:
        require_gantt(gantt)
    _require_places(on, gantt, chakra, rank_files, force=force)
    listed = None if prices is None else load_prices(prices)
    described = read_job(job)
    options: dict[str, Any] = {
        "costs": {"alpha": alpha, "beta": beta, "gamma": gamma, "delta": delta},
        "executor": executor,
        "router": router,
        "splits": splits,
        "algorithms": _algorithms(algorithm),
        "whole": whole,
    }
    if search is not None:
        refuse(("place", "gantt", "chakra", "rank_files", "prices"), "does not go with --search")
        _search(described, on, search, dead, dead_link, options)
        return
    rows, fails = [], False
    for network in [build(text) for text in on]:
        nodes = sorted({network.node(word) for word in dead or ()})
        faults = {"dead_nodes": nodes, "dead_links": read_dead_links(network, dead_link)}
        made = _one(described, network, place, faults, options)
        record = made.record() | ({} if listed is None else _prices(network, listed, made.seconds))
        rows.append(record)
        fails = fails or not made.verdict
        if chakra is not None:
            write_workload(made.workload(), chakra, force=force)
        if rank_files is not None:
            there = made.timeline.fabric.placement.nodes
            write_rank_files(there, rank_files, network.spec, force=force)
        if gantt is not None:
            draw_gantt(made.timeline, gantt, f"{made.job.name} on {network.spec}")
    _show(rows, priced=prices is not None)
    if fails:
        raise typer.Exit(1)


def _require_places(
    on: list[str], gantt: Path | None, chakra: Path | None, ranks: Path | None, *, force: bool
) -> None:
    """Refuse files that would hold several steps, and folders of somebody else."""
    from hopscape.formats.rank_files import RANK_FILES

    given = {"gantt": gantt, "chakra": chakra, "rank-files": ranks}
    for name, file in given.items():
        if file is not None and len(on) > 1:
            does = "draws" if name == "gantt" else "writes"
            raise ArgumentError(f"--{name} {does} one step; --on names {len(on)} networks")
    if chakra is None and ranks is None:
        refuse(("force",), "is about the files of a folder; it needs --chakra or --rank-files")
    if chakra is not None:
        require_room(chakra, ("groups.json",), force=force)
    if ranks is not None:
        require_room(ranks, RANK_FILES, force=force)


def _one(
    job: ModelJob | Workload,
    network: Network,
    place: str | None,
    faults: dict[str, Any],
    options: dict[str, Any],
) -> Step:
    from hopscape.workloads import ModelJob, read_placement, search_placement
    from hopscape.workloads import step as run

    there: Placement | None = None
    if place == "search":
        if not isinstance(job, ModelJob):
            raise ArgumentError(
                "--place search is for jobs; traces do not say which ranks belong together"
            )
        there = search_placement(job, network, **faults, **options)
    elif place is not None:
        there = read_placement(place, network)
    return run(job, network, placement=there, **faults, **options)


def _algorithms(texts: list[str] | None) -> dict[str, str]:
    out = {}
    for text in texts or ():
        goal, equals, name = text.partition("=")
        if not equals:
            raise ArgumentError(
                f"--algorithm is {text!r}; write GOAL=NAME, such as all-reduce=ring"
            )
        out[goal.strip()] = name.strip()
    return out


def _prices(network: Network, listed: PriceList, seconds: float | None) -> dict[str, Any]:
    """What the network costs, and a step of it."""
    from hopscape.design.bill import priced

    cost = priced(network, None, listed)[1].cost
    each = None if seconds is None else cost * seconds / (_YEARS * 365 * 86400)
    return {"currency": listed.currency, "price": cost, "price_per_step": each}


def _search(
    job: ModelJob | Workload,
    on: list[str],
    what: str,
    dead: list[str] | None,
    dead_link: list[str] | None,
    options: dict[str, Any],
) -> None:
    """All ways to cut a job, the fastest first."""
    from hopscape.workloads import ModelJob
    from hopscape.workloads.search import search_parallelism

    if what != "parallelism":
        raise ArgumentError(f"--search is {what!r}; choose parallelism")
    if not isinstance(job, ModelJob):
        raise ArgumentError("--search parallelism is for jobs; traces are cut already")
    rows = []
    for text in on:
        network = build(text)
        nodes = sorted({network.node(word) for word in dead or ()})
        links = read_dead_links(network, dead_link)
        found = search_parallelism(job, network, dead_nodes=nodes, dead_links=links, **options)
        rows += [{"network": network.spec, **row} for row in found]
    rows.sort(key=lambda row: row["step_s"])
    unit = "s"
    if output_settings.style is Format.table:
        unit, scale = _unit(rows[0]["step_s"])
        times = ("step_s", "at_least_s")
        rows = [row | {name: float(f"{scale * row[name]:.6g}") for name in times} for row in rows]
    titles = {
        "network": "network",
        "tp": "tp",
        "pp": "pp",
        "dp": "dp",
        "ep": "ep",
        "cp": "cp",
        "micro": "micro",
        "step_s": f"step ({unit})",
        "at_least_s": f"at least ({unit})",
        "memory_gb": "memory (GB)",
    }
    title = f"{job.name}: {len(rows)} ways to cut it that fit memory"
    emit_rows(rows, title=title, columns=titles, wrapper="splits")


def _show(rows: list[dict[str, Any]], priced: bool) -> None:
    """A row for each network; below, where time and bytes go."""
    if output_settings.style is not Format.table:
        emit_rows(rows, wrapper="steps")
        return
    kinds = [k for k in dict.fromkeys(k for row in rows for k in row["shares_s"])
             if any(row["shares_s"].get(k) for row in rows)]  # fmt: skip
    times = [row["step_s"] or row["at_least_s"] for row in rows]
    unit, scale = _unit(min(times))
    shown = [_cells(row, kinds, scale) for row in rows]
    titles = {
        "network": "network",
        "step_s": f"step ({unit})",
        "at_least_s": f"at least ({unit})",
        "gap": "gap",
    }
    titles |= {kind: _heading(kind) for kind in kinds}
    if priced:
        currency = rows[0]["currency"]
        titles |= {"price": f"price ({currency})", "price_per_step": f"per step ({currency})"}
    first = rows[0]
    memory = sum(first["memory_gb"].values())
    title = f"{first['job']}: one step on {first['ranks']:,} ranks"
    if memory:
        title += f", {memory:.1f} GB on the fullest"
    emit_rows(shown, title=title, columns=titles)
    if output_settings.output is None:
        say(*(note for row in rows for note in _notes(row)))


def _heading(kind: str) -> str:
    return kind if kind in ("compute", "bubble") else f"{kind} exposed"


def _unit(seconds: float) -> tuple[str, float]:
    """A unit in which a table shows at least three digits of a time.

    Examples:
        >>> _unit(0.0031), _unit(12.5), _unit(0.0)
        (('ms', 1000.0), ('s', 1.0), ('s', 1.0))
    """
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 0.1:
            return unit, scale
    return "s", 1.0


def _cells(row: dict[str, Any], kinds: list[str], scale: float) -> dict[str, Any]:
    whole = row["step_s"]
    out = {
        "network": row["network"],
        "step_s": None if whole is None else float(f"{scale * whole:.6g}"),
        "at_least_s": float(f"{scale * row['at_least_s']:.6g}"),
        "gap": None if row["gap"] is None else f"{100 * row['gap']:.1f} %",
    }
    for kind in kinds:
        share = row["shares_s"].get(kind)
        out[kind] = None if share is None or not whole else f"{100 * share / whole:.1f} %"
    for name in ("price", "price_per_step"):
        out[name] = row.get(name)
    return out


def _notes(row: dict[str, Any]) -> list[str]:
    name = row["network"]
    if row["step_s"] is None:
        return [f"{name}: {row['reason']}"]
    out = [f"{name}: at least by {row['bound']}"]
    links = [f"{x['from']}→{x['to']} {number(100 * x['share'])[:4]} %" for x in row["busiest"][:3]]
    if links:
        out.append(f"{name}: busiest channels {', '.join(links)} of the step")
    if row["gradients"] == "at the end":
        out.append(f"{name}: gradients after the last way back; moved at once they hold up others")
    if row["gradients"] == "behind":
        out.append(f"{name}: parameters and gradients move while no other data do")
    if row["repeated"]:
        out.append(f"{name}: {row['repeated']} by repetition")
    return out
