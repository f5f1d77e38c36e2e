"""The command simulate: options become a job, and what comes out is printed.

The study of load and latency over the families.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscape.cli.options import RoutingOption, SeedOption, option
from hopscape.cli.output import Format, emit, emit_rows, look
from hopscape.core.errors import ArgumentError
from hopscape.core.numbers import byte_count, number

if TYPE_CHECKING:
    from hopscape.core.schedule import Schedule
    from hopscape.simulate import Job, Settings

__all__ = ["simulate", "study_load"]

_LOADS = "0.1:0.9:0.1"
_WORTH_SAYING = 10**8
_COLUMNS = {
    "spec": "network",
    "offered": "offered (flits/cycle)",
    "accepted": "accepted (flits/cycle)",
    "latency": "latency (cycles)",
    "latency_ci": "± (cycles)",
    "network_latency": "in network (cycles)",
    "p50": "p50 (cycles)",
    "p95": "p95 (cycles)",
    "p99": "p99 (cycles)",
    "busiest": "busiest channel",
    "saturated": "saturated",
    "deadlocked": "deadlocked",
}
_PRIORITY = {
    name: place
    for place, name in enumerate(
        ("spec", "offered", "accepted", "latency", "saturated", "p99", "latency_ci", "lost",
         "deadlocked", "busiest", "p50", "p95", "network_latency", "rerouted", "delivered")
    )
}  # fmt: skip
_SIDE_BY_SIDE = ("workers", "resume", "dask")
_IDLE = {  # options that would do nothing, by the one that decides what is done
    "write_booksim": (
        *("saturation", "schedule", "flits", "barrier", "cycles", "warmup", "unsafe", "spread"),
        *("priority", "injection_limit", "window", "fault_routing", "figure", *_SIDE_BY_SIDE),
    ),
    "schedule": ("saturation", "cycles", "warmup", "fault_routing", "figure", *_SIDE_BY_SIDE),
    "saturation": ("load", "flits", "barrier", "fault_routing"),
}
_BACKGROUND = ("traffic", "burst", "packet", "routing", "router", "window", "seed")


def _refuse_idle(given: set[str], trace: bool) -> None:
    """An option that has no effect beside the others is refused."""

    def refuse(idle: set[str], why: str) -> None:
        if idle:
            flag = min(idle).replace("_", "-")
            raise ArgumentError(f"leave out --{flag}: {why}")

    if "booksim" in given:
        refuse(given - {"booksim", "style", "output"}, "the BookSim file says everything")
    for mode, names in _IDLE.items():
        if mode in given:
            refuse(given & set(names), f"it has no effect with --{mode.replace('_', '-')}")
    if "schedule" not in given:
        refuse(given & {"flits", "barrier"}, "it needs --schedule")
    elif "load" not in given:
        refuse(given & set(_BACKGROUND), "it is for the traffic beside a schedule, with --load")
    if not given & {"fail_link", "fail_node"}:
        refuse(given & {"fault_routing"}, "it needs --fail-link or --fail-node")
    if trace:
        idle = given & {"load", "burst", "packet", "saturation"}
        refuse(idle, "a .trace says when its packets are sent, and their lengths")


def simulate(
    context: typer.Context,
    specs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SPEC...]", help="Networks; with --booksim, key=value pairs."),
    ] = None,
    traffic: Annotated[
        str, option("A pattern by name, a .csv matrix or a .trace.", "--traffic", "-t")
    ] = "uniform",
    load: Annotated[
        str, option("Flits per endpoint and cycle: 0.3, 0.1:0.9:0.1.", "--load", "-l")
    ] = "",
    booksim: Annotated[Path | None, option("Take everything from a BookSim file.")] = None,
    vcs: Annotated[int, option("Virtual channels per link.")] = 8,
    buffer: Annotated[int, option("Flits per virtual channel.")] = 8,
    packet: Annotated[str, option("Flits per packet: 4, or 1,5.")] = "1",
    routing_delay: Annotated[int, option("Cycles.")] = 1,
    credit_delay: Annotated[int, option("Cycles.")] = 0,
    link_delay: Annotated[str, option("Cycles on a link: 2, or axis0=1,axis1=3.")] = "1",
    speedup: Annotated[int, option("Of the switch inputs.")] = 1,
    routing: RoutingOption = "fixed",
    router: Annotated[str, option("auto, closed, table, updown, or a family's own.")] = "auto",
    switching: Annotated[
        str, option("wormhole, cut-through, store-and-forward or circuit.")
    ] = "wormhole",
    concentration: Annotated[int, option("Endpoints a node.")] = 1,
    spread: Annotated[str, option("Choose among classes of channels: none, pairs, all.")] = "pairs",
    priority: Annotated[str, option("Who goes first: auto, none, transit or age.")] = "auto",
    injection_limit: Annotated[float, option("Free share of buffers to enter; 0: none.")] = 0.0,
    window: Annotated[str, option("Limit on packets in flight: auto, none or delay.")] = "auto",
    burst: Annotated[str, option("On-off sources: chances ON,OFF per cycle.")] = "",
    cycles: Annotated[int, option("Cycles measured.")] = 10_000,
    warmup: Annotated[int, option("Cycles before; -1: detected.")] = -1,
    seed: SeedOption = 0,
    saturation: Annotated[bool, option("Find the saturation load by bisection.")] = False,
    unsafe: Annotated[bool, option("Simulate although it may deadlock.")] = False,
    fail_link: Annotated[list[str] | None, option("A dead link: A-B, or A-B@CYCLE.")] = None,
    fail_node: Annotated[list[str] | None, option("A dead node: A, or A@CYCLE.")] = None,
    fault_routing: Annotated[str, option("Around dead parts: family or tables.")] = "family",
    write_booksim: Annotated[
        Path | None, option("Write BookSim and anynet files here; no run.")
    ] = None,
    schedule: Annotated[
        Path | None, option("Replay a schedule file, beside --load if given.")
    ] = None,
    flits: Annotated[int, option("Per transfer of a schedule.")] = 1,
    barrier: Annotated[bool, option("Rounds of a schedule wait for each other.")] = False,
    workers: Annotated[int, option("Points side by side.")] = 2,
    resume: Annotated[Path | None, option("File of finished points; continues from it.")] = None,
    dask: Annotated[str, option("Address of a Dask scheduler.")] = "",
    figure: Annotated[Path | None, option("Draw the curves: .svg, .png or .pdf.")] = None,
) -> None:
    """Simulate load and latency flit by flit."""
    from hopscape.simulate import Job, Settings
    from hopscape.simulate.settings import parse_delays

    told = {
        name
        for name in context.params
        if getattr(context.get_parameter_source(name), "name", "") == "COMMANDLINE"
    }
    trace = traffic.endswith(".trace")
    _refuse_idle(told - {"specs"}, trace)
    given = list(specs or [])
    if booksim is not None:
        _simulate_booksim(booksim, given)
        return
    plan = _load(schedule, given) if schedule is not None else None
    if not given and plan is None:
        raise ArgumentError("name at least one network, or a file with --booksim or --schedule")
    delay, delays = parse_delays(link_delay)
    settings = Settings(
        vcs=vcs,
        buffer=buffer,
        packet=tuple(_numbers(packet, "packet")),
        routing_delay=routing_delay,
        credit_delay=credit_delay,
        link_delay=1 if delay is None else delay,
        speedup=speedup,
        routing=routing,  # type: ignore[arg-type]
        switching=switching,  # type: ignore[arg-type]
        concentration=concentration,
        spread=spread,  # type: ignore[arg-type]
        priority=priority,  # type: ignore[arg-type]
        injection_limit=injection_limit,
        window=window,  # type: ignore[arg-type]
    )
    job = Job(
        given[0] if plan is None else plan.network.spec,
        traffic,
        0.0,
        settings,
        router=router,
        seed=seed,
        warmup=None if warmup < 0 else warmup,
        cycles=cycles,
        unsafe=unsafe,
        on_off=_pair(burst) if burst else None,
        fail_links=tuple(fail_link or ()),
        fail_nodes=tuple(fail_node or ()),
        fault_routing=fault_routing,
        link_delays=delays,
    )
    if write_booksim is not None:
        jobs = _points(job, given, load or "0.1")
        _write_booksim(jobs, write_booksim)
        return
    if plan is not None:
        jobs = _points(job, [job.spec], load or "0")
        _replay(jobs, plan, str(schedule), flits, barrier)
        return
    _say_memory(given, settings)
    if saturation:
        from hopscape.simulate.sweep import saturations

        jobs = [replace(job, spec=spec) for spec in given]
        best = saturations(jobs, workers=workers, resume=resume, dask=dask or None)
        rows = [row for one in best for row in one.records()]
        found = {one.spec: one.load for one in best}
    else:
        from hopscape.simulate import simulate as run

        jobs = _points(job, given, load or ("0" if trace else _LOADS))
        rows, found = run(jobs, workers=workers, resume=resume, dask=dask or None), {}
    if figure is not None:
        from hopscape.simulate.figures import draw_curves

        draw_curves(rows, figure, title=f"{traffic} traffic")
    _show(given, job, rows, found)


def _points(job: Job, specs: list[str], loads: str) -> list[Job]:
    """A job for every network and load."""
    from hopscape.simulate.sweep import parse_loads

    offered = parse_loads(loads)
    return [replace(job, spec=spec, load=load) for spec in specs for load in offered]


def _load(file: Path, specs: list[str]) -> Schedule:
    """A schedule file, checked against the networks that are named beside it."""
    from hopscape.core.schedule import Schedule
    from hopscape.registry import build, build_within

    schedule = Schedule.load(file, build_within(file))
    spec = schedule.network.spec
    for given in specs:
        if build(given).spec != spec:
            raise ArgumentError(f"{file} is a schedule for {spec}, not for {given}")
    return schedule


def _say_memory(specs: list[str], settings: Settings) -> None:
    """What a large simulation will take, on stderr, before it takes it."""
    from hopscape.registry import build
    from hopscape.simulate.fabric import memory_needed

    for spec in specs:
        network = build(spec)
        needed = memory_needed(network, settings)
        if needed > _WORTH_SAYING:
            typer.echo(
                f"{network.spec}: {network.order} routers, up to {byte_count(needed)} of memory",
                err=True,
            )


def _write_booksim(jobs: list[Job], folder: Path) -> None:
    from hopscape.formats.booksim import write_booksims

    if len({job.load for job in jobs}) != 1:
        loads = ", ".join(dict.fromkeys(f"{job.load:g}" for job in jobs))
        raise ArgumentError(f"load is {loads}; a BookSim configuration has one load")
    rows = write_booksims(jobs, folder)
    columns = {"spec": "network", "configuration": "configuration", "network_file": "network file"}
    columns["routes"] = "routes"
    emit_rows(rows, title="Written for BookSim 2", columns=columns)


def _replay(
    jobs: list[Job],
    schedule: Schedule,
    file: str,
    flits: int,
    barrier: bool,
) -> None:
    from hopscape.simulate import replay

    rows = []
    for job in jobs:
        done = replay(job, schedule, flits=flits, barrier=barrier)
        rows.append(
            {
                "spec": job.spec,
                "schedule": schedule.name,
                "background": job.load,
                "cycles": done.cycles,
                "rounds": done.rounds,
                "transfers": done.transfers,
                "flit_hops": done.flit_hops,
                "deadlocked": done.deadlocked,
            }
        )
    if look.style is Format.json:
        record = {
            "spec": jobs[0].spec,
            "schedule": file,
            "traffic": jobs[0].traffic,
            "flits": flits,
            "barrier": barrier,
            "configuration": jobs[0].configuration(),
            "replays": rows,
        }
        emit(record)
        return
    columns = {
        "spec": "network",
        "background": "background load",
        "cycles": "cycles",
        "rounds": "rounds",
        "transfers": "transfers",
        "deadlocked": "deadlocked",
    }
    emit_rows(rows, title=f"{file}: replayed flit by flit", columns=columns)


def _show(
    specs: list[str],
    job: Job,
    rows: list[dict[str, Any]],
    found: dict[str, float],
) -> None:
    title = f"{', '.join(dict.fromkeys(r['spec'] for r in rows))}: {job.traffic} traffic"
    for spec, best in found.items():
        title += f"; {spec} saturates at {number(best)}"
    if look.style is Format.json:
        each = {spec: replace(job, spec=spec) for spec in specs}
        record: dict[str, Any] = {
            "spec": specs[0] if len(specs) == 1 else specs,
            "traffic": job.traffic,
            "configuration": job.configuration(),
            "deadlock": {spec: one.certificate() for spec, one in each.items()},
            "points": rows,
        }
        if job.has_faults:
            record["faults"] = {spec: one.epochs() for spec, one in each.items()}
        if found:
            record["saturation"] = found
        emit(record)
        return
    columns = _COLUMNS
    if job.has_faults:
        columns = columns | {"delivered": "delivered", "lost": "lost", "rerouted": "rerouted"}
    emit_rows(rows, title=title, columns=columns, priority=_PRIORITY)


def _simulate_booksim(path: Path, overrides: list[str]) -> None:
    from hopscape.formats.booksim import booksim, read_booksim

    job = read_booksim(path, overrides)
    rows = [booksim(job)]
    for note in job.notes:
        typer.echo(note, err=True)
    if look.style is Format.json:
        record = {
            "spec": rows[0]["spec"],
            "traffic": job.traffic,
            "configuration": job.values,
            "notes": list(job.notes),
            "points": rows,
        }
        emit(record)
        return
    emit_rows(
        rows,
        title=f"{path}: {job.traffic} traffic",
        columns=_COLUMNS,
        priority=_PRIORITY,
    )


def _numbers(text: str, name: str) -> list[int]:
    try:
        return [int(x) for x in text.split(",")]
    except ValueError as error:
        raise ArgumentError(
            f"{name} is {text!r}; write whole numbers separated by commas"
        ) from error


def _pair(text: str) -> tuple[float, float]:
    try:
        first, second = (float(x) for x in text.split(","))
    except ValueError as error:
        raise ArgumentError(f"burst is {text!r}; write two chances such as 0.1,0.3") from error
    return first, second


_LOAD_STUDY_COLUMNS = {
    "spec": "network",
    "nodes": "nodes",
    "degree": "degree",
    "traffic": "traffic",
    "saturation": "saturation",
    "equal_pins": "equal pins",
    "equal_bisection": "equal bisection",
    "base_latency": "latency",
    "busiest_share": "evenness",
}


def study_load(
    folder: Annotated[Path | None, option("Write the page and its figures here.")] = None,
    sizes: Annotated[str, option("About 64, 256, 1024, 4096.")] = "64,256",
    full: Annotated[bool, option("All four sizes.")] = False,
    traffic: Annotated[str, option("Patterns, separated by commas.")] = "uniform,permutation",
    cycles: Annotated[int, option("Cycles measured per point.")] = 2000,
    precision: Annotated[float, option("Of the saturation, as a share of it.")] = 0.02,
    seed: SeedOption = 1,
    workers: Annotated[int, option("Networks side by side.")] = 2,
    resume: Annotated[Path | None, option("File of finished networks; continues from it.")] = None,
) -> None:
    """Curves and saturation of RPC, RP, tori, circulants, folded and expanded networks."""
    from hopscape.simulate.study import SIZES, load_rows, write_page

    try:
        wanted = list(SIZES) if full else [int(x) for x in sizes.split(",")]
    except ValueError as error:
        raise ArgumentError(f"sizes is {sizes!r}; write numbers separated by commas") from error
    if not set(wanted) <= set(SIZES):
        raise ArgumentError(f"sizes is {sizes!r}; choose from {', '.join(map(str, SIZES))}")
    names = [name.strip() for name in traffic.split(",")]
    rows, points = load_rows(
        wanted,
        names,
        cycles=cycles,
        precision=precision,
        seed=seed,
        workers=workers,
        resume=resume,
    )
    if folder is not None:
        write_page(folder, rows, points, cycles=cycles, precision=precision, seed=seed)
    if look.style is Format.json:
        emit({"networks": rows, "points": points})
        return
    emit_rows(rows, title="Load and latency", columns=_LOAD_STUDY_COLUMNS)
