"""The main command: from requirements to a chosen, checked, documented network.

Price lists.
"""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from hopscape.cli.options import DaskOption, FloorOption, JobsOption, TableOption, option
from hopscape.cli.output import Format, emit, emit_rows, look, say
from hopscape.cli.ranking import emit_ranking, show_machines, show_rows, show_sweep, sweep_sizes
from hopscape.core.errors import ArgumentError

if TYPE_CHECKING:
    from hopscape.design import Requirements
    from hopscape.design.designer import Design
    from hopscape.design.improve import Improvement
    from hopscape.design.switched import SwitchedDesign
    from hopscape.design.switched_requirements import SwitchedRequirements
    from hopscape.store import Store

__all__ = ["design", "prices", "which_network"]


def which_network(
    output: Annotated[Path, option("The page, in Markdown.", "--output", "-o")],
    sizes: Annotated[
        str | None, option("Nodes x ports, separated by semicolons: '64x4;1024x6'.")
    ] = None,
    switched: Annotated[
        str | None, option("Endpoints x radix of switched machines: '256x32'.")
    ] = None,
    table: Annotated[
        Path | None, option("File that keeps what is measured; a later run continues.")
    ] = None,
    jobs: JobsOption = None,
) -> None:
    """Show which family wins at what, size by size, and where the papers' families do not."""
    from hopscape.core.files import write_atomically
    from hopscape.design.which import SIZES, SWITCHED_SIZES
    from hopscape.design.which import which_network as make_page
    from hopscape.store import Store

    direct = SIZES if sizes is None else _sizes(sizes)
    machines = SWITCHED_SIZES if switched is None else _sizes(switched)
    with Store(table) as kept:
        page = make_page(direct, machines, jobs=jobs, table=kept)
    write_atomically(output, lambda out: out.write(page.encode()))
    print(f"wrote {output}")


def _sizes(text: str) -> list[tuple[int, int]]:
    out = []
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        words = part.lower().split("x")
        if len(words) != 2 or not all(word.strip().isdigit() for word in words):
            raise ArgumentError(f"size {part!r} must be nodes x ports, such as 1024x6")
        out.append((int(words[0]), int(words[1])))
    return out


def _read_question(context: typer.Context, path: Path | None) -> Path | None:
    """Take the options of a TOML file as if they had been given; those that are given win."""
    if path is not None:
        from hopscape.design.question import read_question

        by_option = {
            option.removeprefix("--"): str(one.name)
            for one in context.command.params
            for option in one.opts
            if option.startswith("--")
        }
        context.default_map = read_question(path, by_option)
    return path


def design(
    context: typer.Context,
    question: Annotated[
        Path | None,
        option("Options from a TOML file.", "--from", is_eager=True, callback=_read_question),
    ] = None,
    nodes: Annotated[
        int | None, option("Direct machine: nodes, each a router and an endpoint.", "--nodes", "-n")
    ] = None,
    ports: Annotated[
        int | None, option("Direct machine: network ports of a node, at most.", "--ports", "-p")
    ] = None,
    switched_endpoints: Annotated[
        int | None, option("Switched machine: endpoints to connect, at least.", "--endpoints")
    ] = None,
    radix: Annotated[
        int | None, option("Switched machine: ports of a switch, lines to endpoints counted.")
    ] = None,
    nics: Annotated[int | None, option("Switched machine: lines of an endpoint (1).")] = None,
    planes: Annotated[
        int | None, option("Switched machine: networks that the lines are spread over.")
    ] = None,
    throughput: Annotated[
        float | None, option("Switched machine: share of line rate under uniform traffic (1).")
    ] = None,
    worst: Annotated[
        float | None, option("Switched machine: share of line rate for any permutation.")
    ] = None,
    budget: Annotated[float | None, option("Switched machine: most that it may cost.")] = None,
    prices: Annotated[
        str | None, option("Switched machine: price list, a name or a .toml file.")
    ] = None,
    sweep: Annotated[
        str | None, option("Switched machine: several sizes, such as 256,1024,4096.")
    ] = None,
    figure: Annotated[Path | None, option("Draw the sweep: cost per endpoint by size.")] = None,
    exact: Annotated[bool, option("Exactly this many nodes.")] = False,
    at_least: Annotated[bool, option("At least this many nodes (up to a quarter more).")] = False,
    within: Annotated[float | None, option("Share by which the number may differ.")] = None,
    endpoints: Annotated[
        int,
        option("Deprecated: use --endpoints and --radix.", "--endpoints-per-router", hidden=True),
    ] = 1,
    regular: Annotated[bool, option("Every router must use all its ports.")] = False,
    cables: Annotated[int | None, option("Cables, at most.")] = None,
    cable_length: Annotated[float | None, option("Metres of cable, at most.")] = None,
    floor: FloorOption = None,
    vcs: Annotated[int | None, option("Virtual channels that there are.")] = None,
    faults: Annotated[
        int | None, option("Failed nodes that must not disconnect the others.")
    ] = None,
    matters: Annotated[str, option("What matters: 'latency=2,cost' (see the manual).")] = "",
    message: Annotated[float, option("Bytes of an all-gather or all-reduce.")] = 1e6,
    alpha: Annotated[float, option("Seconds to start a message.")] = 1e-6,
    bandwidth: Annotated[float, option("Bytes per second of a channel.")] = 25e9,
    families: Annotated[str, option("Only these families, separated by commas.")] = "",
    pareto: Annotated[bool, option("Only non-dominated candidates.")] = False,
    top: Annotated[int | None, option("Number of rows to show.", min=1)] = None,
    finalists: Annotated[int, option("Number of finalists measured in full.")] = 8,
    columns: Annotated[
        str,
        option(
            "Columns to show and measure, separated by commas (see 'explain').", "--columns", "-c"
        ),
    ] = "",
    limit: Annotated[float, option("Seconds that measuring may take.", "--time-limit")] = 900.0,
    search: Annotated[str | None, option("Improve the finalists by graph search: 60s, 5m.")] = None,
    simulate: Annotated[
        bool, option("Simulate the first three: load-latency curves; saturation if switched.")
    ] = False,
    out: Annotated[Path | None, option("Folder for the report and the hand-over.")] = None,
    choose: Annotated[
        str | None, option("Hand over this candidate (its spec or place), not the first.")
    ] = None,
    jobs: JobsOption = None,
    table: TableOption = None,
    dask: DaskOption = None,
    seed: Annotated[int, option("For random faults.", min=0)] = 0,
) -> None:
    """Find the network to build: a ranking, the reasons in words, a report, and all its files.

    A direct machine has nodes that are routers, each with its own endpoint: --nodes and --ports,
    the ports that lead to other nodes. A switched machine has endpoints at switches: --endpoints
    and --radix, all ports of a switch, those to endpoints included.
    """
    from hopscape.design import Conditions, FloorPlan, Requirements
    from hopscape.design.columns import column_names
    from hopscape.design.improve import Improvement, parse_duration
    from hopscape.design.requirements import DEFAULT_WEIGHTS, parse_weights
    from hopscape.store import Store

    if exact and at_least:
        raise ArgumentError("--exact and --at-least contradict each other; give one of them")
    _check_folder(out, choose)
    if not limit > 0:
        raise ArgumentError(f"--time-limit is {limit:g} s; it must be above 0 (inf for no limit)")
    names = column_names(columns)
    written = _Written(out, choose, *_asked_for(context))
    view = _View(names, pareto, top)
    seconds = None if limit == math.inf else limit
    switched = _Switched(radix, nics, planes, throughput, worst, budget, prices, sweep, figure)
    if switched_endpoints is not None or sweep is not None:
        direct = {
            "nodes": nodes, "ports": ports, "endpoints-per-router": endpoints > 1 or None,
            "regular": regular or None, "cables": cables, "cable-length": cable_length,
            "vcs": vcs, "faults": faults, "at-least": at_least or None,
            "message": None if message == 1e6 else message,
            "alpha": None if alpha == 1e-6 else alpha,
            "bandwidth": None if bandwidth == 25e9 else bandwidth,
            "finalists": None if finalists == 8 else finalists, "seed": seed or None,
            "search": search,
        }  # fmt: skip
        _refuse(direct, "belongs to direct machines (--nodes, --ports), not to --endpoints")
        if radix is None:
            raise ArgumentError("--endpoints needs --radix: the ports of a switch")
        asked = _switched(switched_endpoints, switched, exact, within, floor, matters, families)
        if sweep is not None:
            shown = {"columns": names or None, "pareto": pareto or None, "out": out, "top": top}
            _refuse(shown | {"simulate": simulate or None}, "does not go with --sweep")
        else:
            _refuse({"figure": figure}, "draws the sweep; it needs --sweep")
        with Store(table) as kept:
            work = _Work(kept, jobs, dask, seconds, simulate)
            if sweep is not None:
                _sweep(asked, sweep, work, figure)
            else:
                _switched_design(asked, work, view, written)
        return
    _refuse(switched._asdict(), "belongs to switched machines; give --endpoints N --radix R")
    if nodes is None or ports is None:
        raise ArgumentError(
            "give --nodes and --ports for a direct machine, or --endpoints and --radix for a"
            " switched one"
        )
    _warn_of_concentration(endpoints)
    requirements = Requirements(
        nodes=nodes,
        ports=ports,
        size="exactly" if exact else "at least" if at_least else "about",
        within=within,
        regular=regular,
        cables=cables,
        cable_length=cable_length,
        vcs=vcs,
        faults=faults,
        weights=parse_weights(matters) if matters else dict(DEFAULT_WEIGHTS),
        families=tuple(_names(families)),
        conditions=Conditions(
            endpoints=endpoints,
            plan=None if floor is None else FloorPlan.parse(floor),
            message=message,
            alpha=alpha,
            bandwidth=bandwidth,
            seed=seed,
        ),
    )
    better = None if search is None else Improvement(parse_duration(search), out)
    with Store(table) as kept:
        work = _Work(kept, jobs, dask, seconds, simulate, better)
        found = _find(requirements, finalists, work, view)
    _show(found, view)
    _finish(found, written)


def _warn_of_concentration(endpoints: int) -> None:
    if endpoints > 1:
        print(
            "hopscape: --endpoints-per-router is deprecated; concentration belongs to switched"
            " machines: --endpoints N --radix R",
            file=sys.stderr,
        )


def _check_folder(out: Path | None, choose: str | None) -> None:
    if out is not None and out.exists() and not out.is_dir():
        raise ArgumentError(f"{out} is a file; --out needs a folder")
    if choose is not None and out is None:
        raise ArgumentError("--choose says what is handed over; it needs --out")


@dataclass(frozen=True)
class _Work:
    """How to measure: where results are kept, by whom, how long, and whether to simulate."""

    table: Store
    jobs: int | None
    dask: str | None
    seconds: float | None
    simulate: bool
    search: Improvement | None = None


@dataclass(frozen=True)
class _View:
    """What to show of the result, and how."""

    names: list[str]
    pareto: bool
    top: int | None


def _refuse(options: dict[str, Any], why: str) -> None:
    """An option is honoured or refused."""
    for name, value in options.items():
        if value is not None:
            raise ArgumentError(f"--{name} {why}")


class _Switched(NamedTuple):
    """Options of switched machines; None where they are left out."""

    radix: int | None
    nics: int | None
    planes: int | None
    throughput: float | None
    worst: float | None
    budget: float | None
    prices: str | None
    sweep: str | None
    figure: Path | None


def _switched(
    endpoints: int | None,
    options: _Switched,
    exact: bool,
    within: float | None,
    floor: str | None,
    matters: str,
    families: str,
) -> SwitchedRequirements:
    """The question about a switched machine."""
    from hopscape.design import FloorPlan
    from hopscape.design.switched import parse_switched_weights
    from hopscape.design.switched_requirements import SwitchedRequirements

    given = {
        name: value
        for name, value in options._asdict().items()
        if value is not None and name not in ("sweep", "figure")
    }
    if options.sweep is not None:
        if endpoints is not None:
            raise ArgumentError("--sweep names the sizes; leave out --endpoints")
        endpoints = sweep_sizes(options.sweep)[0]
    if matters:
        given["weights"] = parse_switched_weights(matters)
    return SwitchedRequirements(
        endpoints or 0,
        exact=exact,
        within=within,
        plan=None if floor is None else FloorPlan.parse(floor),
        families=tuple(_names(families)),
        **given,
    )


def _sweep(
    asked: SwitchedRequirements,
    sizes: str,
    work: _Work,
    figure: Path | None,
) -> None:
    from hopscape.design.which import sweep

    found = sweep(
        asked,
        sweep_sizes(sizes),
        jobs=work.jobs,
        table=work.table,
        dask=work.dask,
        seconds=work.seconds,
    )
    show_sweep(found, figure)


def _switched_design(
    asked: SwitchedRequirements,
    work: _Work,
    view: _View,
    written: _Written,
) -> None:
    from hopscape.design.switched import design_switched

    with _interruptible():
        found = design_switched(
            asked,
            jobs=work.jobs,
            columns=view.names,
            show=view.top,
            table=work.table,
            dask=work.dask,
            seconds=work.seconds,
        )
    if work.simulate and found.complete:
        from hopscape.design.saturations import saturate_finalists

        saturate_finalists(found, table=work.table)
    show_machines(found, view.names, view.pareto, view.top)
    if look.style is Format.table and look.output is None:
        _show_saturations(found)
    _finish(found, written)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


@contextmanager
def _interruptible() -> Iterator[None]:
    """An interrupt before anything is known ends the command with one sentence."""
    try:
        yield
    except KeyboardInterrupt:
        print("hopscape: interrupted; nothing is known yet", file=sys.stderr)
        raise typer.Exit(130) from None


def _find(requirements: Requirements, finalists: int, work: _Work, view: _View) -> Design:
    """Run the designer, and the simulations if they are wanted."""
    from hopscape.design.designer import design as run

    with _interruptible():
        found = run(
            requirements,
            jobs=work.jobs,
            finalists=finalists,
            columns=view.names,
            show=view.top,
            table=work.table,
            dask=work.dask,
            seconds=work.seconds,
            search=work.search,
        )
    if work.simulate and found.complete:
        from hopscape.design.saturations import simulate_finalists

        simulate_finalists(found, table=work.table)
    return found


class _Written(NamedTuple):
    """What ``--out`` writes: where, about whom, and the command that asked for it."""

    out: Path | None
    choose: str | None
    command: str
    options: list[tuple[str, str, bool]]


def _asked_for(context: typer.Context) -> tuple[str, list[tuple[str, str, bool]]]:
    """The command as it was given, and all its options: name, value, given or not."""
    words, options = ["hopscape", "design"], []
    for one in context.command.params:
        value = context.params.get(one.name or "")
        if value is None or one.name == "context":
            continue
        source = context.get_parameter_source(one.name or "")
        given = source is not None and source.name != "DEFAULT"
        name, text = max(one.opts, key=len), str(getattr(value, "value", value))
        options.append((name, text, given))
        if given:
            words += [name] if value is True else [name, text]
    return " ".join([*words[:2], *(shlex.quote(word) for word in words[2:])]), options


def _finish(found: Design | SwitchedDesign, written: _Written) -> None:
    """Write the folder, and say so if the search was cut short."""
    if written.out is not None:
        from hopscape.design.handover import write_design

        for line in write_design(
            found,
            written.out,
            choose=written.choose,
            command=written.command,
            options=written.options,
        ):
            print(line, file=sys.stderr)
    if not found.complete:
        print("hopscape: interrupted; this is what is known so far", file=sys.stderr)
        raise typer.Exit(130)


def _show(found: Design, view: _View) -> None:
    from hopscape.design.table import TABLE_COLUMNS, heads, ranking_records, ranking_rows, reasons

    names, top = view.names, view.top
    keep = [
        not (view.pareto and (one.dominated_by or one.equals or one.trouble))
        for one in found.candidates
    ]
    if look.style is not Format.table:
        records = [r for r, k in zip(ranking_records(found.candidates), keep, strict=True) if k]
        emit_ranking(found, records[:top], answer=found.answer)
        return
    shown = names or list(TABLE_COLUMNS)
    rows = [r for r, k in zip(ranking_rows(found.candidates, shown), keep, strict=True) if k]
    titles = (
        {"spec": "network", "rank": "#"} | heads(shown) | {"score": "score", "remark": "remark"}
    )
    asked = found.requirements
    title = f"{asked.size} {asked.nodes} nodes, at most {asked.ports} ports"
    show_rows(rows, titles, top, title)
    if look.output is None:
        measured = [one for one in found.candidates if not one.trouble]
        say(
            *reasons(
                (one.spec, {n: one.figures[n] for n in names if n in one.figures})
                for one in measured
            )
        )
        say(found.answer)
        _show_curves(found)


def _show_saturations(found: SwitchedDesign) -> None:
    if found.saturations:
        from hopscape.design.saturations import SATURATIONS
        from hopscape.design.table import heads

        columns = heads(tuple(SATURATIONS)) | {"spec": "machine"}
        emit_rows(found.saturations, columns=columns, title="simulated saturation")
    for note in found.notes:
        say(note)


def _show_curves(found: Design) -> None:
    if found.curve_points:
        columns = {"spec": "network", "offered": "offered", "accepted": "accepted"}
        columns |= {"latency": "latency", "saturated": "saturated"}
        emit_rows(found.curve_points, columns=columns, title="uniform traffic")
    for note in found.notes:
        say(note)


def prices(
    price_list: Annotated[
        str | None,
        typer.Argument(help="Name of a list, or a .toml file to check; the usual list without."),
    ] = None,
) -> None:
    """Show a price list, entry by entry with its source, or check your own."""
    from hopscape.design.prices import DEFAULT_PRICES, item_rows, load_prices, price_lists

    found = load_prices(price_list if price_list is not None else DEFAULT_PRICES)
    rows = list(item_rows(found))
    if look.style is Format.json:
        whole = {"name": found.name, "currency": found.currency, "rate": found.rate}
        emit({**whole, "items": rows, "lists": price_lists()})
        return
    titles = {
        "item": "item",
        "size": "ports or m",
        "price": f"price ({found.currency})",
        "per_metre": "and per m",
        "watts": "W",
        "year": "year",
        "source": "source",
    }
    title = f"{found.name}: lines of {found.rate:g} Gb/s"
    emit_rows(rows, title=title, columns=titles)
    if look.style is Format.table and look.output is None:
        print(f"lists: {', '.join(price_lists())}; your own: --prices FILE.toml")
