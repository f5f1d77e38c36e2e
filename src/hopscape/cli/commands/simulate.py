"""Commands about load and deadlock: simulate, deadlock."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.output import Format, FormatOption, OutputOption, emit, emit_rows
from hopscape.core.errors import ArgumentError

__all__ = ["simulate"]

_LOADS = "0.1:0.9:0.1"
_WORTH_SAYING = 10**8
_COLUMNS = {
    "spec": "network",
    "offered": "offered",
    "accepted": "accepted",
    "latency": "latency",
    "latency_ci": "±",
    "network_latency": "in network",
    "p50": "p50",
    "p95": "p95",
    "p99": "p99",
    "busiest": "busiest channel",
    "saturated": "saturated",
    "deadlocked": "deadlocked",
}


def simulate(
    specs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SPEC...]", help="Networks; with --booksim, key=value pairs."),
    ] = None,
    traffic: Annotated[
        str, typer.Option("--traffic", "-t", help="A pattern by name, a .csv matrix or a .trace.")
    ] = "uniform",
    load: Annotated[
        str, typer.Option("--load", "-l", help="Flits per endpoint and cycle: 0.3, 0.1:0.9:0.1.")
    ] = "",
    booksim: Annotated[
        Path | None, typer.Option("--booksim", help="Take everything from a BookSim file.")
    ] = None,
    vcs: Annotated[int, typer.Option("--vcs", help="Virtual channels per link.")] = 8,
    buffer: Annotated[int, typer.Option("--buffer", help="Flits per virtual channel.")] = 8,
    packet: Annotated[str, typer.Option("--packet", help="Flits per packet: 4, or 1,5.")] = "1",
    routing_delay: Annotated[int, typer.Option("--routing-delay", help="Cycles.")] = 1,
    credit_delay: Annotated[int, typer.Option("--credit-delay", help="Cycles.")] = 0,
    link_delay: Annotated[
        str, typer.Option("--link-delay", help="Cycles on a link: 2, or axis0=1,axis1=3.")
    ] = "1",
    speedup: Annotated[int, typer.Option("--speedup", help="Of the switch inputs.")] = 1,
    routing: Annotated[
        str, typer.Option("--routing", help="fixed, adaptive, valiant or ugal.")
    ] = "fixed",
    router: Annotated[
        str, typer.Option("--router", help="auto, closed, table, updown, or a family's own.")
    ] = "auto",
    switching: Annotated[
        str,
        typer.Option("--switching", help="wormhole, cut-through, store-and-forward or circuit."),
    ] = "wormhole",
    concentration: Annotated[int, typer.Option("--concentration", help="Endpoints a node.")] = 1,
    spread: Annotated[
        str, typer.Option("--spread", help="Choose among classes of channels: none, pairs, all.")
    ] = "pairs",
    priority: Annotated[
        str, typer.Option("--priority", help="Who goes first: auto, none, transit or age.")
    ] = "auto",
    injection_limit: Annotated[
        float, typer.Option("--injection-limit", help="Free share of buffers to enter; 0: none.")
    ] = 0.0,
    burst: Annotated[
        str, typer.Option("--burst", help="On-off sources: chances ON,OFF per cycle.")
    ] = "",
    cycles: Annotated[int, typer.Option("--cycles", help="Cycles measured.")] = 10_000,
    warmup: Annotated[int, typer.Option("--warmup", help="Cycles before; -1: detected.")] = -1,
    seed: Annotated[int, typer.Option("--seed", help="Of all random numbers.")] = 0,
    saturation: Annotated[
        bool, typer.Option("--saturation", help="Find the saturation load by bisection.")
    ] = False,
    unsafe: Annotated[
        bool, typer.Option("--unsafe", help="Simulate although it may deadlock.")
    ] = False,
    fail_link: Annotated[
        list[str] | None, typer.Option("--fail-link", help="A dead link: A-B, or A-B@CYCLE.")
    ] = None,
    fail_node: Annotated[
        list[str] | None, typer.Option("--fail-node", help="A dead node: A, or A@CYCLE.")
    ] = None,
    fault_routing: Annotated[
        str, typer.Option("--fault-routing", help="Round dead parts: family or tables.")
    ] = "family",
    write_booksim: Annotated[
        Path | None,
        typer.Option("--write-booksim", help="Write BookSim and anynet files here; no run."),
    ] = None,
    schedule: Annotated[
        Path | None,
        typer.Option("--schedule", help="Replay a schedule file, beside --load if given."),
    ] = None,
    flits: Annotated[int, typer.Option("--flits", help="Per transfer of a schedule.")] = 1,
    barrier: Annotated[
        bool, typer.Option("--barrier", help="Rounds of a schedule wait for each other.")
    ] = False,
    workers: Annotated[int, typer.Option("--workers", help="Points side by side.")] = 2,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="File of finished points; goes on from it.")
    ] = None,
    dask: Annotated[str, typer.Option("--dask", help="Address of a Dask scheduler.")] = "",
    figure: Annotated[
        Path | None, typer.Option("--figure", help="Draw the curves: .svg, .png or .pdf.")
    ] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Simulate load and latency flit by flit."""
    from hopscape.simulate import Settings
    from hopscape.simulate.delays import parse_delays

    delay, delays = parse_delays(link_delay)
    given = list(specs or [])
    if booksim is not None:
        _simulate_booksim(booksim, given, style, output)
        return
    if not given and schedule is None:
        raise ArgumentError("name at least one network, or a file with --booksim or --schedule")
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
    )
    common: dict[str, Any] = {
        "settings": settings,
        "router": router,
        "seed": seed,
        "warmup": None if warmup < 0 else warmup,
        "cycles": cycles,
        "unsafe": unsafe,
        "on_off": _pair(burst) if burst else None,
        "fail_links": tuple(fail_link or ()),
        "fail_nodes": tuple(fail_node or ()),
        "fault_routing": fault_routing,
        "link_delays": delays,
    }
    if (saturation or schedule is not None) and (fail_link or fail_node):
        raise ArgumentError("faults go with --load, not with --saturation or --schedule")
    if write_booksim is not None and delays:
        raise ArgumentError("--write-booksim takes one --link-delay for all links")
    if write_booksim is not None:
        _write_booksim(write_booksim, given, traffic, load or "0.1", common, style, output)
        return
    if schedule is not None:
        _replay(schedule, given, traffic, load or "0", flits, barrier, common, style, output)
        return
    _say_memory(given, settings)
    if saturation:
        rows, found = _saturations(given, traffic, common)
    else:
        from hopscape.simulate.sweep import Job, parse_loads, run_jobs

        loads = parse_loads(load or _LOADS)
        jobs = [Job(spec, traffic, x, **common) for spec in given for x in loads]
        rows = run_jobs(jobs, workers=workers, resume=resume, dask=dask or None)
        found = {}
    if figure is not None:
        from hopscape.simulate.figures import draw_curves

        draw_curves(rows, figure, title=f"{traffic} traffic")
    _show(given, traffic, rows, found, common, style, output)


def _say_memory(specs: list[str], settings: Any) -> None:
    """What a large simulation will take, on stderr, before it takes it."""
    from hopscape.core.memory import human_bytes
    from hopscape.registry import build
    from hopscape.simulate.fabric import memory_needed

    for spec in specs:
        network = build(spec)
        needed = memory_needed(network, settings)
        if needed > _WORTH_SAYING:
            typer.echo(
                f"{network.spec}: {network.order} routers, up to {human_bytes(needed)} of memory",
                err=True,
            )


def _write_booksim(
    folder: Path,
    specs: list[str],
    traffic: str,
    load: str,
    common: dict[str, Any],
    style: Format,
    output: Path | None,
) -> None:
    from hopscape.registry import build
    from hopscape.simulate.booksim import write_booksim
    from hopscape.simulate.sweep import parse_loads

    loads = parse_loads(load)
    if len(loads) != 1:
        raise ArgumentError(f"load is {load!r}; a BookSim configuration has one load")
    networks = [build(spec) for spec in specs]
    names = {re.sub(r"[^A-Za-z0-9]+", "-", n.spec).strip("-"): n for n in networks}
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{folder} cannot be made: {error.strerror}") from error
    rows = []
    for name, network in names.items():
        path = folder / f"{name}.cfg"
        settings, seed = common["settings"], common["seed"]
        write_booksim(network, settings, path, traffic=traffic, load=loads[0], seed=seed)
        wiring = str(path.with_suffix(".anynet"))
        rows.append({"spec": network.spec, "configuration": str(path), "network_file": wiring})
    columns = {"spec": "network", "configuration": "configuration", "network_file": "network file"}
    emit_rows(rows, style, output, title="Written for BookSim 2", columns=columns)


def _replay(
    file: Path,
    specs: list[str],
    traffic: str,
    load: str,
    flits: int,
    barrier: bool,
    common: dict[str, Any],
    style: Format,
    output: Path | None,
) -> None:
    from hopscape.core.schedule import Schedule
    from hopscape.registry import build, build_within
    from hopscape.simulate.replay import replay
    from hopscape.simulate.sweep import Job, parse_loads, plant_of, traffic_for

    schedule = Schedule.load(file, build_within(file))
    spec = schedule.network.spec
    for given in specs:
        if build(given).spec != spec:
            raise ArgumentError(f"{file} is a schedule for {spec}, not for {given}")
    plant = plant_of(Job(spec, traffic, 0.0, **common))
    pattern = traffic_for(plant, traffic, common["seed"])
    if common["on_off"] is not None:
        pattern = pattern.bursty(*common["on_off"])
    rows = []
    for background in parse_loads(load):
        done = replay(
            plant,
            schedule,
            flits=flits,
            barrier=barrier,
            background=background,
            traffic=pattern,
            seed=common["seed"],
        )
        rows.append(
            {
                "spec": spec,
                "schedule": schedule.name,
                "background": background,
                "cycles": done.cycles,
                "rounds": done.rounds,
                "transfers": done.transfers,
                "flit_hops": done.flit_hops,
                "deadlocked": done.deadlocked,
            }
        )
    if style is Format.json:
        record = {
            "spec": spec,
            "schedule": str(file),
            "traffic": traffic,
            "flits": flits,
            "barrier": barrier,
            "configuration": {**common, "settings": common["settings"].to_dict()},
            "replays": rows,
        }
        emit(record, style, output)
        return
    columns = {
        "spec": "network",
        "background": "background load",
        "cycles": "cycles",
        "rounds": "rounds",
        "transfers": "transfers",
        "deadlocked": "deadlocked",
    }
    emit_rows(rows, style, output, title=f"{file}: replayed flit by flit", columns=columns)


def _show(
    specs: list[str],
    traffic: str,
    rows: list[dict[str, Any]],
    found: dict[str, float],
    common: dict[str, Any],
    style: Format,
    output: Path | None,
) -> None:
    from hopscape.simulate.sweep import certificate_record, fault_records

    title = f"{', '.join(dict.fromkeys(r['spec'] for r in rows))}: {traffic} traffic"
    for spec, best in found.items():
        title += f"; {spec} saturates at {best:.4g}"
    if style is Format.json:
        record: dict[str, Any] = {
            "spec": specs[0] if len(specs) == 1 else specs,
            "traffic": traffic,
            "configuration": {**common, "settings": common["settings"].to_dict()},
            "deadlock": {s: certificate_record(s, common) for s in specs},
            "points": rows,
        }
        if common["fail_links"] or common["fail_nodes"]:
            record["faults"] = {s: fault_records(s, common) for s in specs}
        if found:
            record["saturation"] = found
        emit(record, style, output)
        return
    columns = _COLUMNS
    if common["fail_links"] or common["fail_nodes"]:
        columns = columns | {"delivered": "delivered", "lost": "lost", "rerouted": "rerouted"}
    emit_rows(rows, style, output, title=title, columns=columns)


def _saturations(
    specs: list[str], traffic: str, common: dict[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, float]]:
    from hopscape.simulate.measurement import saturation
    from hopscape.simulate.sweep import Job, plant_of, traffic_for

    rows, found = [], {}
    for spec in specs:
        job = Job(spec, traffic, 0.0, **common)
        plant = plant_of(job)
        pattern = traffic_for(plant, traffic, job.seed)
        if job.on_off is not None:
            pattern = pattern.bursty(*job.on_off)
        best, points = saturation(plant, pattern, seed=job.seed, cycles=job.cycles)
        found[plant.network.spec] = best
        rows += [p.to_dict() | {"spec": plant.network.spec} for p in points]
    return rows, found


def _simulate_booksim(path: Path, overrides: list[str], style: Format, output: Path | None) -> None:
    from hopscape.simulate.booksim import read_booksim
    from hopscape.simulate.sweep import run_booksim

    job = read_booksim(path, overrides)
    rows = [run_booksim(job)]
    for note in job.notes:
        typer.echo(note, err=True)
    if style is Format.json:
        record = {
            "spec": rows[0]["spec"],
            "traffic": job.traffic,
            "configuration": job.values,
            "notes": list(job.notes),
            "points": rows,
        }
        emit(record, style, output)
        return
    emit_rows(rows, style, output, title=f"{path}: {job.traffic} traffic", columns=_COLUMNS)


def _numbers(text: str, name: str) -> list[int]:
    try:
        return [int(x) for x in text.split(",")]
    except ValueError as error:
        raise ArgumentError(f"{name} is {text!r}; write whole numbers apart by commas") from error


def _pair(text: str) -> tuple[float, float]:
    try:
        first, second = (float(x) for x in text.split(","))
    except ValueError as error:
        raise ArgumentError(f"burst is {text!r}; write two chances such as 0.1,0.3") from error
    return first, second
