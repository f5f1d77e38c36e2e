"""Commands about multirings: capacity, search, simulation of rings, tori, better orders."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscape.cli.commands.networks import SpecArgument
from hopscape.cli.groups import search, study
from hopscape.cli.output import Format, FormatOption, OutputOption, emit, emit_rows
from hopscape.core.errors import ArgumentError
from hopscape.registry import build

if TYPE_CHECKING:
    from hopscape.core.network import Network

__all__ = ["register"]

TableOption = Annotated[
    Path | None,
    typer.Option("--table", help="Keep results in this file; a later run goes on from there."),
]
ProcessesOption = Annotated[
    int | None, typer.Option("--processes", help="How many processes; all processors without.")
]
_MOST_NUMBERS = 100_000
_LONGEST_FRACTION = 40

DistributionOption = Annotated[
    str,
    typer.Option(
        "--distribution",
        help="How often routes 1..N-1 are taken: uniform, weights such as 3,1,1/2, or a file.",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("capacity")(capacity)
    app.command("rings")(simulate_rings)
    app.command("ring-table")(ring_table)
    app.command("ring-torus")(ring_torus)
    search.command("multiring")(search_multiring)
    search.command("ring-order")(search_order)
    study.command("multiring")(study_multiring)


def _distribution(text: str) -> list[Fraction] | None:
    if text == "uniform":
        return None
    path = Path(text)
    words = (path.read_text(encoding="utf-8") if path.is_file() else text).replace(",", " ").split()
    try:
        return [Fraction(word) for word in words]
    except (ValueError, ZeroDivisionError) as error:
        raise ArgumentError(
            f"distribution {text!r} is neither 'uniform', a list of numbers nor a file with one"
        ) from error


def _line(network: Network) -> Any:
    """A multiring as a line of a torus."""
    from hopscape.families.multiring import Multiring, SparseMultiring
    from hopscape.families.multiring.capacity import balanced_schedule, cable
    from hopscape.families.multiring.sparse_capacity import sparse_capacity
    from hopscape.families.multiring.torus import Line

    member = network.family
    if isinstance(member, Multiring):
        found = balanced_schedule(member).capacity
        return Line(network.spec, member.n, member.ports, found, cable(member.n, member.rings))
    if isinstance(member, SparseMultiring):
        found = sparse_capacity(member).balanced.capacity
        return Line(network.spec, member.order, member.ports, found, 2 * member.ring_count)
    raise ArgumentError(
        f"{network.spec} is no multiring; capacity is known for multiring(...),"
        " sparse_multiring(...) and a product of these"
    )


def capacity(
    spec: SpecArgument,
    distribution: DistributionOption = "uniform",
    compare: Annotated[
        bool, typer.Option("--compare", help="Also what routes that change rings would carry.")
    ] = False,
    dead_arc: Annotated[
        list[str] | None, typer.Option("--dead-arc", help="A dead arc: A-B, or A-B:RING.")
    ] = None,
    dead_node: Annotated[
        list[str] | None, typer.Option("--dead-node", help="A dead node, with all its arcs.")
    ] = None,
    dead_ring: Annotated[
        list[str] | None,
        typer.Option("--dead-ring", help="A dead ring: a step (3, -3), or a sparse ring (0, 0+)."),
    ] = None,
    dead_crossbar: Annotated[
        list[str] | None, typer.Option("--dead-crossbar", help="A dead crossbar: its node number.")
    ] = None,
    worst_fault: Annotated[
        bool, typer.Option("--worst-fault", help="All kinds of single faults, the worst first.")
    ] = False,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Work out how many packets per slot a multiring carries, exactly, whole or with dead parts."""
    from hopscape.families.multiring import Multiring, SparseMultiring
    from hopscape.families.multiring.capacity import capacity_report
    from hopscape.families.multiring.sparse_capacity import sparse_capacity
    from hopscape.families.multiring.torus import TorusDesign

    network = build(spec)
    member = network.family
    weights = _distribution(distribution)
    dead = [dead_arc or [], dead_node or [], dead_ring or [], dead_crossbar or []]
    if worst_fault or any(dead) or network.has_switches:
        if weights is not None or compare or (worst_fault and any(dead)):
            raise ArgumentError(
                "dead parts and crossbars go with neither --distribution nor --compare,"
                " and --worst-fault looks for the dead part itself"
            )
        _emit_damage(network, dead, worst_fault, style, output)
        return
    if isinstance(member, Multiring):
        record = capacity_report(member, weights).to_dict()
    elif weights is not None:
        raise ArgumentError("--distribution is for multiring(...); others are worked out uniform")
    elif isinstance(member, SparseMultiring):
        record = sparse_capacity(member).to_dict()
    else:
        factors = getattr(member, "factors", None)
        lines = [_line(factor) for factor in factors or (network,)]
        record = TorusDesign("torus of multirings", tuple(lines)).to_dict()
        emit(record, style, output, title=network.spec, table=_torus_texts(record))
        return
    if compare:
        record["switching"] = _switching(network)
    emit(record, style, output, title=network.spec, table=_capacity_texts(record))


def _emit_damage(
    network: Network, dead: list[list[str]], worst: bool, style: Format, output: Path | None
) -> None:
    from hopscape.families.multiring.faults import (
        damaged_capacity,
        healthy_capacity,
        read_faults,
        worst_faults,
    )

    faults = read_faults(network, *dead)
    if worst:
        rows = worst_faults(network)
        whole = healthy_capacity(network)
        for row in rows:
            row["capacity_decimal"] = row["balanced"]["capacity_decimal"]
            row["of_whole"] = float(row["balanced"]["capacity"] / whole)
        title = f"{network.spec}: {float(whole):.4f} packets per slot when whole"
        emit_rows(rows, style, output, title=title, columns=_FAULT_COLUMNS, wrapper="faults")
        return
    record = damaged_capacity(network, faults).to_dict()
    whole = healthy_capacity(network) if any(dead) else record["balanced"]["capacity"]
    best = record["balanced"]["capacity"]
    record["whole"] = whole
    record["of_whole"] = float(best / whole)
    table = {
        "dead": record["dead"],
        "live nodes": str(record["live_nodes"]),
        "shortest: packets per slot": _number(record["shortest"]["capacity"]),
        "balanced: packets per slot": _number(best)
        + ("  (proved)" if record["balanced"]["proved"] else ""),
        "of the whole network": f"{100 * record['of_whole']:.2f} % of {_number(whole)}",
    }
    if record["stranded_pairs"]:
        some = ", ".join(f"{a} to {b}" for a, b in record["stranded_examples"])
        text = f"{record['stranded_pairs']} ordered pairs ({some}, …); the others share the rest"
        table["without a way"] = text
    emit(record, style, output, title=network.spec, table=table)


_FAULT_COLUMNS = {
    "kind": "kind",
    "dead": "dead",
    "alike": "alike",
    "stranded_pairs": "pairs without a way",
    "capacity_decimal": "packets per slot",
    "of_whole": "of whole",
}


def _switching(network: Network) -> dict[str, Any]:
    """Shortest routes that may change rings at any node, one way each, under uniform traffic."""
    from hopscape.metrics import channel_load

    found = channel_load(network)
    return {
        "capacity_decimal": network.order * found.throughput,
        "mean_hops": found.hops,
        "largest_load": found.largest * (network.order - 1),
    }


def _number(value: Fraction) -> str:
    if value.denominator == 1:
        return f"{float(value):.4f}  exactly"
    short = len(str(value)) <= _LONGEST_FRACTION
    return f"{float(value):.4f}" + (f"  = {value}" if short else "")


def _capacity_texts(record: dict[str, Any]) -> dict[str, str]:
    out = {"nodes": str(record["nodes"])}
    for name in ("shortest", "heuristic", "balanced"):
        if name in record:
            part = record[name]
            proof = "  (proved)" if part.get("proved") and name == "balanced" else ""
            out[f"{name}: packets per slot"] = _number(part["capacity"]) + proof
            out[f"{name}: largest load"] = _number(part["load"])
            if len(part["loads"]) <= 16:
                out[f"{name}: loads"] = ", ".join(f"{x:.4g}" for x in part["loads_decimal"])
    if "limited_by" in record["balanced"] and len(record["rings"]) <= 16:
        out["fullest rings, shortest"] = ", ".join(map(str, record["shortest"]["limited_by"]))
        out["fullest rings, balanced"] = ", ".join(map(str, record["balanced"]["limited_by"]))
    bound = record.get("moore_bound") or record.get("upper_bound")
    if bound is not None:
        out["no network of the kind carries more than"] = _number(bound)
    out["cable"] = f"{record['cable']} lengths of ring 1"
    if record.get("spare_places"):
        out["empty places"] = f"{record['spare_places']} on every ring: a part takes m of them"
    if "switching" in record:
        found = record["switching"]
        out["shortest with changes of ring"] = (
            f"{found['capacity_decimal']:.4f} packets per slot, {found['mean_hops']:.4g} hops"
        )
    return out


def _torus_texts(record: dict[str, Any]) -> dict[str, str]:
    return {
        "nodes": f"{record['nodes']}  ({' × '.join(map(str, record['sides']))})",
        "ports": " + ".join(map(str, record["ports"])),
        "packets per slot and node": _number(record["rate"]),
        "packets per slot": _number(record["capacity"]),
        "limited by": record["limited_by"],
        "cable per node": f"{float(record['cable_per_node']):g} steps of ring 1",
    }


def _numbers(text: str, name: str) -> list[int]:
    out: list[int] = []
    for word in text.split(","):
        first, dots, last = word.strip().partition("..")
        if not first.isdecimal() or (dots and not last.isdecimal()):
            raise ArgumentError(f"{name} is {text!r}; give numbers such as 16,32 or 16..20")
        if int(last or first) - int(first) > _MOST_NUMBERS:
            raise ArgumentError(f"{name} is {text!r}; at most {_MOST_NUMBERS} at a time")
        out += range(int(first), int(last or first) + 1)
    return out


def search_multiring(
    nodes: Annotated[str, typer.Option("--nodes", help="Orders, such as 32 or 16,32 or 16..64.")],
    rings: Annotated[str, typer.Option("--rings", help="Simplex rings: 8, or 4,6,8.")] = "8",
    cable: Annotated[
        int | None, typer.Option("--cable", help="Most cable, in lengths of ring 1.")
    ] = None,
    front: Annotated[
        bool, typer.Option("--front", help="Best capacity for every amount of cable.")
    ] = False,
    unpaired: Annotated[
        bool, typer.Option("--unpaired", help="Rings need no counter-rings.")
    ] = False,
    grow: Annotated[
        bool,
        typer.Option("--grow", help="One family that only adds rings, for pairs of the two lists."),
    ] = False,
    table: TableOption = None,
    processes: ProcessesOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Find the step sets of largest capacity, all of them up to unit multiples, with proof."""
    from hopscape.families.multiring.search import pareto_front
    from hopscape.search.multiring import best_multirings
    from hopscape.search.table import ResultTable

    orders, sizes = _numbers(nodes, "nodes"), _numbers(rings, "rings")
    if grow:
        _emit_grown(orders, sizes, style, output)
        return
    if front:
        rows = [
            {"nodes": n, "rings": k} | found.to_dict()
            for n in orders
            for k in sizes
            for found in pareto_front(n, k, simplex=unpaired)
        ]
        columns = {
            "nodes": "nodes",
            "rings": "rings",
            "cable": "cable",
            "capacity_decimal": "packets per slot",
            "cheapest": "steps",
        }
        emit_rows(rows, style, output, columns=columns, wrapper="front")
        return
    cells = [(n, k) for n in orders for k in sizes]
    with ResultTable(table) as kept:
        rows = list(
            best_multirings(cells, simplex=unpaired, cable=cable, table=kept, processes=processes)
        )
    if len(rows) == 1 and style is Format.json:
        emit(rows[0], style, output)
        return
    _emit_cells(rows, style, output)


def _emit_cells(rows: list[dict[str, Any]], style: Format, output: Path | None) -> None:
    if style is Format.table:
        rows = [
            row
            | {
                "best": "; ".join(
                    ", ".join(map(str, s["steps"])) for s in row["sets"][:3]
                ) or "-",
                "cheap": ", ".join(map(str, row["sets"][0]["cheapest"])) if row["sets"] else "-",
                "cable": row["sets"][0]["cable"] if row["sets"] else None,
            }
            for row in rows
        ]  # fmt: skip
    columns = {
        "nodes": "nodes",
        "rings": "rings",
        "capacity_decimal": "packets per slot",
        "share_of_bound": "of bound",
        "gain": "gain over printed",
        "best": "best steps",
        "cheap": "cheapest form",
        "cable": "cable",
        "tested": "sets",
        "programs": "programs",
    }
    emit_rows(rows, style, output, columns=columns, wrapper="cells")


def _emit_grown(orders: list[int], sizes: list[int], style: Format, output: Path | None) -> None:
    from hopscape.families.multiring.growth import grow_family

    if len(orders) != len(sizes):
        raise ArgumentError(
            f"--grow pairs the lists: {len(orders)} orders and {len(sizes)} numbers of rings"
        )
    cells = list(zip(orders, sizes))
    found = grow_family(cells)
    record = {
        "steps": list(found.steps),
        "cells": [list(cell) for cell in cells],
        "capacities": list(found.capacities),
        "capacities_decimal": [float(c) for c in found.capacities],
        "worst_share_of_best": float(found.worst),
    }
    emit(record, style, output, title="a family that only adds rings")


def search_order(
    spec: SpecArgument,
    seed: Annotated[int, typer.Option("--seed", help="For the annealing.")] = 0,
    tries: Annotated[int, typer.Option("--tries", help="Annealing runs.")] = 8,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Improve the order of the nodes round the sparse rings."""
    from hopscape.families.multiring import SparseMultiring
    from hopscape.families.multiring.orders import better_order
    from hopscape.families.multiring.sparse_capacity import sparse_capacity

    member = build(spec).family
    if not isinstance(member, SparseMultiring):
        raise ArgumentError(f"{spec} is no sparse_multiring(...)")
    found = better_order(member, seed=seed, tries=tries)
    record = found.to_dict() | {"before": sparse_capacity(member).balanced.capacity}
    table = {
        "before": _number(record["before"]),
        "now": _number(record["balanced"]["capacity"]),
        "proved best for this order": "yes" if record["balanced"]["proved"] else "no",
        "no order carries more than": _number(record["upper_bound"]),
        "spec": record["spec"],
    }
    emit(record, style, output, title=member.spec, table=table)


def simulate_rings(
    spec: SpecArgument,
    mode: Annotated[
        str, typer.Option("--mode", help="saturated, window (finite buffers) or open (Poisson).")
    ] = "saturated",
    schedule: Annotated[str, typer.Option("--schedule", help="shortest or balanced.")] = "balanced",
    window: Annotated[
        int | None, typer.Option("--window", help="Packets that a node buffers; 64 without.")
    ] = None,
    load: Annotated[
        list[float] | None, typer.Option("--load", help="Packets per slot in all, when open.")
    ] = None,
    insertion: Annotated[
        bool, typer.Option("--insertion", help="Register-insertion rings, not segmented ones.")
    ] = False,
    distribution: DistributionOption = "uniform",
    slots: Annotated[int, typer.Option("--slots", help="Slots to measure at first.")] = 20_000,
    seed: Annotated[int, typer.Option("--seed", help="Of the random numbers.")] = 0,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Simulate the rings slot by slot: throughput, or delay under open load, with intervals."""
    from hopscape.families.multiring.slots import check_load, ring_traffic, simulate

    for name, given, wanted in (("--load", load, "open"), ("--window", window, "window")):
        if given is not None and mode != wanted:
            raise ArgumentError(f"{name} is for --mode {wanted}, not for {mode}")
    member = build(spec).family
    traffic = ring_traffic(member, schedule, _distribution(distribution))
    loads = (load or [0.0]) if mode == "open" else []
    for s in loads:
        check_load(traffic, s)
    settings: dict[str, Any] = {
        "window": 64 if window is None else window,
        "insertion": insertion,
        "slots": slots,
    }
    rows = [
        simulate(traffic, mode, load=s, seed=seed, **settings).to_dict() for s in loads or [0.0]
    ]
    columns = {
        "mode": "mode",
        "offered": "offered",
        "throughput": "sent per slot",
        "throughput_half_width": "±",
        "effective": "effective capacity",
        "effective_half_width": "± ",
        "capacity_decimal": "exact",
        "wait": "wait (slots)",
        "wait_half_width": " ±",
        "slots": "slots",
        "warm_up": "warm-up",
        "settled": "settled",
    }
    emit_rows(rows, style, output, title=spec, columns=columns, wrapper="runs")


def ring_table(
    spec: SpecArgument,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Print which node sits at which place of every sparse ring, numbered from 1 as in print."""
    from hopscape.families.multiring import SparseMultiring

    member = build(spec).family
    if not isinstance(member, SparseMultiring):
        raise ArgumentError(f"{spec} is no sparse_multiring(...)")
    rows = [
        {"ring": i} | {str(p): node for p, node in enumerate(ring, 1)}
        for i, ring in enumerate((member.table() + 1).tolist(), 1)
    ]
    emit_rows(rows, style, output, title=member.spec, wrapper="rings")


def ring_torus(
    ports: Annotated[int, typer.Option("--ports", help="Duplex ports of a node, at most.")] = 20,
    nodes: Annotated[int, typer.Option("--nodes", help="Least number of nodes.")] = 16384,
    dimensions: Annotated[int, typer.Option("--dimensions", help="At most so many.")] = 3,
    longest: Annotated[int, typer.Option("--longest", help="Longest line that is tried.")] = 64,
    sparse: Annotated[
        bool, typer.Option("--sparse/--full", help="Sparse rings, or rings through all nodes.")
    ] = False,
    keep: Annotated[int, typer.Option("--keep", help="How many designs to show.")] = 5,
    table: TableOption = None,
    processes: ProcessesOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Design a torus whose dimensions are multirings: most packets per slot and node."""
    from hopscape.families.multiring.torus import TorusDesign, design_torus
    from hopscape.search.multiring import best_lines, sparse_lines
    from hopscape.search.table import ResultTable

    if sparse:
        lines = sparse_lines(ports, longest)
    else:
        cells = [
            (n, p)
            for p in range(2, min(ports, 12) + 1, 2)
            for n in range(max(3, p + 1), min(longest, 128 if p <= 8 else 60) + 1)
        ]
        with ResultTable(table) as kept:
            lines = best_lines(cells, table=kept, processes=processes)
    designs = design_torus(lines, ports, nodes, dimensions=dimensions, keep=keep)
    known = [
        TorusDesign(name, tuple(_line(build(text)) for text in texts))
        for name, texts in _KNOWN.items()
    ]
    rows = [design.to_dict() for design in [*designs, *known]]
    rows = [row | {"shape": "×".join(map(str, row["sides"]))} for row in rows]
    columns = {
        "name": "design",
        "shape": "shape",
        "nodes": "nodes",
        "ports": "ports",
        "rate_decimal": "packets per slot and node",
        "cable_per_node": "cable per node",
        "spec": "spec",
    }
    emit_rows(rows, style, output, columns=columns, wrapper="designs")


_KNOWN = {
    "Gemini": ("multiring(16, 1, copies=2)", *["multiring(32, 1, copies=4)"] * 2),
    "paper, full rings": ("multiring(16, 1, 3)", *["multiring(32, 1, 2, 3, 7)"] * 2),
    "paper, sparse rings": ("sparse_multiring(2, 10)", *["sparse_multiring(4, 16)"] * 2),
}
"""The tori of chapters 1, 3 and 8."""


def study_multiring(
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder for the pictures.")],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer points, shorter runs.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of the simulation.")] = 0,
) -> None:
    """Draw the rings, capacity against nodes, loads before and after balancing, and delays."""
    from hopscape.ledger.papers.multiring.pictures import draw_all

    for path in draw_all(output, quick=quick, seed=seed):
        print(path)
