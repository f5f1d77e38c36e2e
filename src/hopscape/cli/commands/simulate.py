"""The command simulate: options become a job, and what comes out is printed.

The study of load and latency over the families.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscape.cli.ended import ended_code, ended_word
from hopscape.cli.options import (
    DaskOption,
    DeviceOption,
    ForceOption,
    OptionalFolderOption,
    OptionGroup,
    ResumeOption,
    RoutingOption,
    SeedOption,
    WorkersOption,
    given,
    note_also,
    option,
    read_folder,
    refuse,
)
from hopscape.cli.output import Format, emit, emit_rows, output_settings
from hopscape.core.errors import ArgumentError
from hopscape.core.files import require_room, whole_folder
from hopscape.core.numbers import byte_count, number

if TYPE_CHECKING:
    from hopscape.core.schedule import Schedule
    from hopscape.simulate import Job, Settings

__all__ = ["simulate", "study_load"]

_LOADS = "0.1:0.9:0.1"
_WORTH_SAYING = 10**8  # bytes: 100 MB fit on any machine
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
_LATENCIES = ("latency", "p50", "p95", "p99")
_LEGEND = {"≥": "≥ saturated: packets that have not arrived count with their ages so far"}
_STORED = ("workers", "resume", "dask", "device")
_IDLE = {  # options that would do nothing, by the one that decides what is done
    "write_booksim": (
        *("saturation", "schedule", "flits", "barrier", "cycles", "warmup", "unsafe", "spread"),
        *("priority", "injection_limit", "window", "fault_routing", "figure", *_STORED),
    ),
    "schedule": ("saturation", "cycles", "warmup", "fault_routing", "figure", *_STORED),
    "saturation": ("load", "flits", "barrier", "fault_routing"),
}
_BACKGROUND = ("traffic", "burst", "packet", "routing", "router", "window", "seed")


@dataclass(frozen=True)
class _Traffic(OptionGroup):
    """What is sent."""

    title = "Traffic"

    traffic: Annotated[
        str, option("A pattern by name, a .csv matrix or a .trace.", "--traffic", "-t")
    ] = "uniform"
    load: Annotated[
        str, option("Flits per endpoint and cycle: 0.3, 0.1:0.9:0.1.", "--load", "-l")
    ] = ""
    packet: Annotated[str, option("Flits per packet: 4, or 1,5.")] = "1"
    burst: Annotated[str, option("On-off sources: chances ON,OFF per cycle.")] = ""
    concentration: Annotated[int, option("Endpoints per node.")] = 1
    injectors: Annotated[int, option("Injection lines per endpoint.")] = 1
    ejectors: Annotated[int, option("Ejection lines per endpoint.")] = 1
    schedule: Annotated[Path | None, option("Replay a schedule file, beside --load if given.")] = (
        None
    )
    flits: Annotated[int, option("Flits per transfer of a schedule.")] = 1
    barrier: Annotated[bool, option("Rounds of a schedule wait for each other.")] = False


@dataclass(frozen=True)
class _Routers(OptionGroup):
    """Routers and links."""

    title = "Routers and links"

    vcs: Annotated[int, option("Virtual channels per link.")] = 8
    buffer: Annotated[int, option("Flits per virtual channel.")] = 8
    routing: RoutingOption = "fixed"
    router: Annotated[str, option("auto, closed, table, updown, or a family's own.")] = "auto"
    switching: Annotated[str, option("wormhole, cut-through, store-and-forward or circuit.")] = (
        "wormhole"
    )
    routing_delay: Annotated[int, option("Cycles of route computation; 0: look-ahead.")] = 1
    credit_delay: Annotated[int, option("Cycles until a router sees a credit.")] = 0
    link_delay: Annotated[str, option("Cycles on a link: 2, or axis0=1,axis1=3.")] = "1"
    speedup: Annotated[int, option("Input speedup of the switch.")] = 1
    spread: Annotated[str, option("Choose among classes of channels: none, pairs, all.")] = "pairs"
    priority: Annotated[str, option("Arbitration priority: auto, none, transit or age.")] = "auto"
    injection_limit: Annotated[
        float, option("Inject only while this share of the buffers is free; 0: no limit.")
    ] = 0.0
    window: Annotated[str, option("Limit on packets in flight: auto, none or delay.")] = "auto"
    unsafe: Annotated[bool, option("Simulate although it may deadlock.")] = False


@dataclass(frozen=True)
class _Faults(OptionGroup):
    """Dead parts."""

    title = "Faults"

    dead: Annotated[
        list[str] | None,
        option("A dead node, from that cycle on if one is named (repeatable).", "--dead",
               metavar="NODE[@CYCLE]"),
    ] = None  # fmt: skip
    dead_link: Annotated[
        list[str] | None,
        option("A dead link, from that cycle on if one is named (repeatable).", "--dead-link",
               metavar="A-B[@CYCLE]"),
    ] = None  # fmt: skip
    fault_routing: Annotated[str, option("Around dead parts: family or tables.")] = "family"


@dataclass(frozen=True)
class _Run(OptionGroup):
    """How to measure, by whom, and where results are stored."""

    title = "The run"

    saturation: Annotated[bool, option("Find the saturation load by bisection.")] = False
    cycles: Annotated[int, option("Cycles measured.")] = 10_000
    warmup: Annotated[int, option("Warm-up cycles before measuring; -1: detected.")] = -1
    seed: SeedOption = 0
    workers: WorkersOption = None
    resume: ResumeOption = None
    dask: DaskOption = None
    device: DeviceOption = "cpu"
    figure: Annotated[Path | None, option("Draw the curves: .svg, .png or .pdf.")] = None


def _refuse_idle(trace: bool) -> None:
    """An option that has no effect beside the others is refused."""
    if given("booksim"):
        groups: tuple[Any, ...] = (_Traffic, _Routers, _Faults, _Run)
        idle = [one.name for group in groups for one in fields(group)]
        refuse([*idle, "write_booksim"], "has no effect: the BookSim file says everything")
    for mode, names in _IDLE.items():
        if given(mode):
            refuse(names, f"has no effect with --{mode.replace('_', '-')}")
    if not given("schedule"):
        refuse(("flits", "barrier"), "has no effect: it needs --schedule")
    elif not given("load"):
        refuse(_BACKGROUND, "is for the traffic beside a schedule, with --load")
    if not given("dead", "dead_link"):
        refuse(("fault_routing",), "has no effect: it needs --dead or --dead-link")
    if trace:
        idle = ["load", "burst", "packet", "saturation"]
        refuse(idle, "has no effect: a .trace says when its packets are sent, and their lengths")


def simulate(
    traffic: _Traffic,
    routers: _Routers,
    faults: _Faults,
    run: _Run,
    specs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SPEC...]", help="Networks; with --booksim, key=value pairs."),
    ] = None,
    booksim: Annotated[Path | None, option("Take everything from a BookSim file.")] = None,
    write_booksim: Annotated[
        Path | None,
        option("Write BookSim and anynet files here; no run.", metavar="DIR", parser=read_folder),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Simulate load and latency flit by flit; the name of a saved schedule replays it."""
    from hopscape.core.schedule import Schedule

    if specs and traffic.schedule is None and Schedule.spec_in(specs[0]) is not None:
        traffic = replace(traffic, schedule=Path(specs.pop(0)))
        note_also("schedule", "--schedule")
    trace = traffic.traffic.endswith(".trace")
    _refuse_idle(trace)
    networks = list(specs or [])
    if write_booksim is None:
        refuse(("force",), "is about the files of a folder; it needs --write-booksim")
    if booksim is not None:
        _simulate_booksim(booksim, networks)
        return
    plan = _load(traffic.schedule, networks) if traffic.schedule is not None else None
    if not networks and plan is None:
        raise ArgumentError("name at least one network, or a file with --booksim or --schedule")
    spec = networks[0] if plan is None else plan.network.spec
    job = _job(spec, traffic, routers, faults, run)
    if job.has_faults:
        _check_faults(job, networks or [spec])
    if write_booksim is not None:
        _write_booksim(_points(job, networks, traffic.load or "0.1"), write_booksim, force)
        return
    if plan is not None:
        jobs = _points(job, [job.spec], traffic.load or "0")
        _replay(jobs, plan, str(traffic.schedule), traffic.flits, traffic.barrier)
        return
    _say_memory(networks, job.settings)
    how: dict[str, Any] = {"workers": run.workers, "dask": run.dask, "device": run.device}
    left = ""
    if run.saturation:
        jobs = [replace(job, spec=spec) for spec in networks]
        rows, saturated, left = _saturated(jobs, run.resume, how)
    else:
        jobs = _points(job, networks, traffic.load or ("0" if trace else _LOADS))
        rows, saturated = _measured(jobs, run.resume, how), {}
        if len(rows) < len(jobs):
            left = f"{len(rows)} of {len(jobs)} points are known"
    if run.figure is not None:
        from hopscape.simulate.figures import draw_curves

        draw_curves(rows, run.figure, title=f"{traffic.traffic} traffic")
    _show(networks, job, rows, saturated)
    if left:
        print(f"hopscape: {ended_word()}; {left}", file=sys.stderr)
        raise typer.Exit(ended_code())


def _measured(jobs: list[Job], resume: Path | None, how: dict[str, Any]) -> list[dict[str, Any]]:
    """The points; after Ctrl-C those that were finished, if any were."""
    from hopscape.simulate import simulate as measure
    from hopscape.store import Store

    with Store(resume) as kept:
        try:
            return measure(jobs, resume=kept, **how)
        except KeyboardInterrupt:
            rows = [kept[job.key] for job in jobs if job.key in kept]
            if not rows:
                raise
            return rows


def _saturated(
    jobs: list[Job], resume: Path | None, how: dict[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, float], str]:
    """Points on the way, the saturation load of each network, and what is left after Ctrl-C."""
    from hopscape.simulate.measurement import Point
    from hopscape.simulate.sweep import saturations

    points: dict[str, list[Point]] = {}

    def note(spec: str, point: Point) -> None:
        points.setdefault(spec, []).append(point)

    try:
        best = saturations(jobs, resume=resume, tell=note, **how)
    except KeyboardInterrupt:
        if not points:
            raise
        rows, between = [], []
        for spec, known in points.items():
            known.sort(key=lambda point: point.offered)
            rows += [point.to_dict() | {"spec": spec} for point in known]
            low = max((one.offered for one in known if not one.saturated), default=0)
            high = min((one.offered for one in known if one.saturated), default=None)
            most = f" and below {high:.4g}" if high is not None else ""
            between.append(f"{spec} saturates at a load of at least {low:.4g}{most}")
        return rows, {}, "; ".join(between)
    rows = [row for one in best for row in one.records()]
    return rows, {one.spec: one.load for one in best}, ""


def _job(spec: str, traffic: _Traffic, routers: _Routers, faults: _Faults, run: _Run) -> Job:
    """What to simulate, at load 0."""
    from hopscape.simulate import Job, Settings
    from hopscape.simulate.settings import parse_delays

    delay, delays = parse_delays(routers.link_delay)
    settings = Settings(
        vcs=routers.vcs,
        buffer=routers.buffer,
        packet=tuple(_numbers(traffic.packet, "packet")),
        routing_delay=routers.routing_delay,
        credit_delay=routers.credit_delay,
        link_delay=1 if delay is None else delay,
        speedup=routers.speedup,
        routing=routers.routing,  # type: ignore[arg-type]
        switching=routers.switching,  # type: ignore[arg-type]
        concentration=traffic.concentration,
        injectors=traffic.injectors,
        ejectors=traffic.ejectors,
        spread=routers.spread,  # type: ignore[arg-type]
        priority=routers.priority,  # type: ignore[arg-type]
        injection_limit=routers.injection_limit,
        window=routers.window,  # type: ignore[arg-type]
    )
    return Job(
        spec,
        traffic.traffic,
        0.0,
        settings,
        router=routers.router,
        seed=run.seed,
        warmup=None if run.warmup < 0 else run.warmup,
        cycles=run.cycles,
        unsafe=routers.unsafe,
        on_off=_pair(traffic.burst) if traffic.burst else None,
        fail_links=tuple(faults.dead_link or ()),
        fail_nodes=tuple(faults.dead or ()),
        fault_routing=faults.fault_routing,
        link_delays=delays,
    )


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
    for name in specs:
        if build(name).spec != spec:
            raise ArgumentError(f"{file} is a schedule for {spec}, not for {name}")
    return schedule


def _check_faults(job: Job, specs: list[str]) -> None:
    """What is not there is refused before tables are made."""
    from hopscape.registry import build
    from hopscape.simulate.faults import read_faults

    for spec in specs:
        read_faults(build(spec), job.fail_links, job.fail_nodes)


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


def _write_booksim(jobs: list[Job], folder: Path, force: bool) -> None:
    from hopscape.formats.booksim import write_booksims

    if len({job.load for job in jobs}) != 1:
        loads = ", ".join(dict.fromkeys(f"{job.load:g}" for job in jobs))
        raise ArgumentError(f"load is {loads}; a BookSim configuration has one load")
    rows = write_booksims(jobs, folder, force=force)
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
    if output_settings.style is Format.json:
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
    saturations: dict[str, float],
) -> None:
    title = f"{', '.join(dict.fromkeys(r['spec'] for r in rows))}: {job.traffic} traffic"
    for name in ("injectors", "ejectors"):
        many = getattr(job.settings, name)
        title += f", {many} {name}" if many > 1 else ""
    for spec, best in saturations.items():
        title += f"; {spec} saturates at {number(best)}"
    if output_settings.style is Format.json:
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
        if saturations:
            record["saturation"] = saturations
        emit(record)
        return
    columns = _COLUMNS
    if job.has_faults:
        columns = columns | {"delivered": "delivered", "lost": "lost", "rerouted": "rerouted"}
    if output_settings.style is Format.table:
        rows = [_marked(row) for row in rows]
    emit_rows(rows, title=title, columns=columns, priority=_PRIORITY, legend=_LEGEND)


def _marked(row: dict[str, Any]) -> dict[str, Any]:
    """A point for the table: latencies that count packets under way are lower bounds."""
    if not row.get("waiting"):
        return row
    unknown = {"latency_ci": "–", "network_latency": "–"}
    return row | unknown | {name: f"≥ {number(row[name])}" for name in _LATENCIES}


def _simulate_booksim(path: Path, overrides: list[str]) -> None:
    from hopscape.formats.booksim import booksim, read_booksim

    job = read_booksim(path, overrides)
    rows = [booksim(job)]
    if output_settings.style is Format.table:
        rows = [_marked(row) for row in rows]
    for note in job.notes:
        typer.echo(note, err=True)
    if output_settings.style is Format.json:
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
        legend=_LEGEND,
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
    out: OptionalFolderOption = None,
    sizes: Annotated[str, option("About 64, 256, 1024, 4096.")] = "64,256",
    full: Annotated[bool, option("All four sizes.")] = False,
    traffic: Annotated[str, option("Patterns, separated by commas.")] = "uniform,permutation",
    cycles: Annotated[int, option("Cycles measured per point.")] = 2000,
    precision: Annotated[float, option("Relative precision of the saturation load.")] = 0.02,
    seed: SeedOption = 1,
    workers: WorkersOption = None,
    resume: ResumeOption = None,
    force: ForceOption = False,
) -> None:
    """Simulate load-latency curves and saturation of RPC, RP, tori, circulants and others."""
    from hopscape.simulate.study import SIZES, load_rows, write_page

    if full:
        refuse(("sizes",), "does not go with --full, which is all sizes")
    try:
        wanted = list(SIZES) if full else [int(x) for x in sizes.split(",")]
    except ValueError as error:
        raise ArgumentError(f"sizes is {sizes!r}; write numbers separated by commas") from error
    if not set(wanted) <= set(SIZES):
        raise ArgumentError(f"sizes is {sizes!r}; choose from {', '.join(map(str, SIZES))}")
    if out is not None:
        require_room(out, ("load-latency.md",), force=force)
    names = [name.strip() for name in traffic.split(",")]
    rows, points = load_rows(
        wanted,
        names,
        cycles=cycles,
        precision=precision,
        seed=seed,
        workers=workers or 2,  # each holds the tables of a network
        resume=resume,
    )
    if out is not None:
        with whole_folder(out, force=force) as folder:
            write_page(folder, rows, points, cycles=cycles, precision=precision, seed=seed)
    if output_settings.style is Format.json:
        emit({"networks": rows, "points": points})
        return
    emit_rows(rows, title="Load and latency", columns=_LOAD_STUDY_COLUMNS)
