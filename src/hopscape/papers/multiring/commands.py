"""Commands about multirings: capacity, search, better orders, pictures.

Commands about single rings: simulation, tables, shares of routes, tori of multirings.

What the commands about rings share: shares of routes, and which rings a SPEC names.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscape.cli.ended import ended_code, ended_word
from hopscape.cli.options import (
    DaskOption,
    DeadLinkOption,
    DeadOption,
    FolderOption,
    ForceOption,
    ResumeOption,
    SeedOption,
    SpecArgument,
    WorkersOption,
    given,
    option,
    read_numbers,
    refuse,
)
from hopscape.cli.output import Format, emit, emit_rows, output_settings
from hopscape.cli.overview import CommandGroup
from hopscape.core.errors import ArgumentError
from hopscape.core.files import whole_folder
from hopscape.core.numbers import number
from hopscape.core.reading import TextFile
from hopscape.registry import build

if TYPE_CHECKING:
    from hopscape.core.network import Network
    from hopscape.papers.multiring.families import SparseMultiring

__all__ = [
    "DistributionOption",
    "capacity",
    "read_distribution",
    "ring_routes",
    "ring_table",
    "ring_torus",
    "search_multiring",
    "search_order",
    "simulate_rings",
    "sparse_member",
    "study_multiring",
]

_MOST_NUMBERS = 100_000  # of a range such as 16:64
_LONGEST_FRACTION = 40  # letters; beyond, the decimal number alone is shown


GROUP = CommandGroup(
    "Parallel rings: what they carry, slot by slot, and which ones to choose.",
    former={
        "capacity": "capacity",
        "rings": "simulate",
        "ring-table": "table",
        "ring-routes": "routes",
        "ring-torus": "torus",
    },
)


def capacity(
    spec: SpecArgument,
    distribution: DistributionOption = "uniform",
    compare: Annotated[bool, option("Also the capacity if routes may change rings.")] = False,
    dead_arc: Annotated[
        list[str] | None, option("A dead arc, one direction: A-B, or A-B:RING.")
    ] = None,
    dead: DeadOption = None,
    dead_ring: Annotated[
        list[str] | None, option("A dead ring: a step (3, -3), or a sparse ring (0, 0+).")
    ] = None,
    dead_crossbar: Annotated[list[str] | None, option("A dead crossbar: its node number.")] = None,
    dead_link: DeadLinkOption = None,
    worst_fault: Annotated[bool, option("All kinds of single faults, the worst first.")] = False,
    traffic: Annotated[
        str, option("Packets from node to node, a .csv matrix: of rings, and of tori of rings.")
    ] = "",
) -> None:
    """Work out how many packets per slot a multiring carries, exactly, whole or with dead parts."""
    from hopscape.papers.multiring.capacity import capacity_report
    from hopscape.papers.multiring.families import Multiring, SparseMultiring
    from hopscape.papers.multiring.sparse_capacity import sparse_capacity
    from hopscape.papers.multiring.torus import TorusDesign, line_of

    network = build(spec)
    member = network.family
    weights = read_distribution(distribution)
    faults = [one or [] for one in (dead_arc, dead, dead_ring, dead_crossbar, dead_link)]
    torus = getattr(member, "factors", None) is not None
    if traffic or (torus and any(faults)):
        if worst_fault or given("distribution", "compare"):
            raise ArgumentError(
                "--traffic, and dead parts of a torus, go with neither --distribution nor --compare"
                " nor --worst-fault"
            )
        _emit_traffic(network, faults, traffic)
        return
    if worst_fault or any(faults) or network.has_switches:
        if given("distribution", "compare") or (worst_fault and any(faults)):
            raise ArgumentError(
                "dead parts and crossbars go with neither --distribution nor --compare,"
                " and --worst-fault looks for the dead part itself"
            )
        _emit_damage(network, faults, worst_fault)
        return
    if isinstance(member, Multiring):
        record = capacity_report(member, weights).to_dict()
    elif weights is not None:
        raise ArgumentError("--distribution is for multiring(...); others are worked out uniform")
    elif isinstance(member, SparseMultiring):
        record = sparse_capacity(member).to_dict()
    else:
        factors = getattr(member, "factors", None)
        lines = [line_of(factor) for factor in factors or (network,)]
        record = TorusDesign("torus of multirings", tuple(lines)).to_dict()
        emit(record, title=network.spec, table=_torus_texts(record))
        return
    if compare:
        record["switching"] = _switching(network)
    emit(record, title=network.spec, table=_capacity_texts(record))


def _emit_traffic(network: Network, dead: list[list[str]], traffic: str) -> None:
    """Any traffic on rings or tori of rings, whole or with dead parts."""
    from hopscape.core.reading import read_matrix
    from hopscape.papers.multiring.faults import read_faults
    from hopscape.papers.multiring.torus_traffic import torus_traffic

    matrix = read_matrix(traffic, "packets", 0.0) if traffic else None
    record = torus_traffic(network, matrix, read_faults(network, *dead)).to_dict()
    proof = "  (proved)" if record["proved"] else ""
    table = {
        "dead": record["dead"],
        "live nodes": str(record["live_nodes"]),
        "packets per slot": _number(record["capacity"]) + proof,
        "packets per slot and node": f"{record['rate_decimal']:.4f}",
        "largest load": _number(record["largest_load"]),
    }
    if record["limited_by"] is not None:
        dimension, first = record["limited_by"]
        table["limited by"] = f"dimension {dimension}, the line through {tuple(first)}"
    if record["stranded_pairs"]:
        share = 100 * record["stranded_share"]
        table["without a route"] = f"{record['stranded_pairs']} pairs, {share:.2f} % of the packets"
    emit(record, title=network.spec, table=table)


def _emit_damage(network: Network, dead: list[list[str]], worst: bool) -> None:
    from hopscape.papers.multiring.faults import (
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
        emit_rows(rows, title=title, columns=_FAULT_COLUMNS, wrapper="faults")
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
        table["without a route"] = text
    emit(record, title=network.spec, table=table)


_FAULT_COLUMNS = {
    "kind": "kind",
    "dead": "dead",
    "alike": "alike",
    "stranded_pairs": "pairs without a route",
    "capacity_decimal": "packets per slot",
    "of_whole": "of whole",
}


def _switching(network: Network) -> dict[str, Any]:
    """Shortest routes that may change rings at any node, one way each, under uniform traffic."""
    from hopscape.metrics import channel_load

    loads = channel_load(network)
    return {
        "capacity_decimal": network.order * loads.throughput,
        "mean_hops": loads.hops,
        "largest_load": loads.largest * (network.order - 1),
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
                out[f"{name}: loads"] = ", ".join(number(x) for x in part["loads_decimal"])
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
        switching = record["switching"]
        out["shortest with changes of ring"] = (
            f"{switching['capacity_decimal']:.4f} packets per slot,"
            f" {number(switching['mean_hops'])} hops"
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
    return read_numbers(text, name, _MOST_NUMBERS)


def search_multiring(
    nodes: Annotated[str, option("Orders, such as 32 or 16,32 or 16:64.")],
    rings: Annotated[str, option("Simplex rings: 8, or 4,6,8.")] = "8",
    cable: Annotated[int | None, option("Maximum cable, in lengths of ring 1.")] = None,
    front: Annotated[bool, option("Best capacity for every amount of cable.")] = False,
    unpaired: Annotated[bool, option("Rings need no counter-rings.")] = False,
    grow: Annotated[
        bool, option("One family that only adds rings, for pairs of the two lists.")
    ] = False,
    resume: ResumeOption = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
) -> None:
    """Find the step sets of largest capacity, all of them up to unit multiples, with proof."""
    from hopscape.papers.multiring.search import pareto_front
    from hopscape.papers.multiring.tables import best_multirings
    from hopscape.store import Store, Work

    orders, sizes = _numbers(nodes, "nodes"), _numbers(rings, "rings")
    if grow:
        refuse(
            ("front", "cable", "unpaired", "resume", "workers", "dask"), "does not go with --grow"
        )
        _emit_grown(orders, sizes)
        return
    if front:
        refuse(("cable", "resume", "workers", "dask"), "does not go with --front")
        rows = [
            {"nodes": n, "rings": k} | steps.to_dict()
            for n in orders
            for k in sizes
            for steps in pareto_front(n, k, simplex=unpaired)
        ]
        columns = {
            "nodes": "nodes",
            "rings": "rings",
            "cable": "cable",
            "capacity_decimal": "packets per slot",
            "cheapest": "steps",
        }
        emit_rows(rows, columns=columns, wrapper="front")
        return
    cells = [(n, k) for n in orders for k in sizes]
    with Store(resume) as store:
        work = Work(resume=store, workers=workers, dask=dask)
        rows = list(best_multirings(cells, simplex=unpaired, cable=cable, **work))
    if len(rows) == 1 and output_settings.style is Format.json:
        emit(rows[0])
        return
    _emit_cells(rows)


def _emit_cells(rows: list[dict[str, Any]]) -> None:
    if output_settings.style is Format.table:
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
    emit_rows(rows, columns=columns, wrapper="cells")


def _emit_grown(orders: list[int], sizes: list[int]) -> None:
    from hopscape.papers.multiring.search import grow_family

    if len(orders) != len(sizes):
        raise ArgumentError(
            f"--grow pairs the lists: {len(orders)} orders and {len(sizes)} numbers of rings"
        )
    cells = list(zip(orders, sizes))
    family = grow_family(cells)
    record = {
        "steps": list(family.steps),
        "cells": [list(cell) for cell in cells],
        "capacities": list(family.capacities),
        "capacities_decimal": [float(c) for c in family.capacities],
        "worst_share_of_best": float(family.worst),
    }
    emit(record, title="a family that only adds rings")


def search_order(
    spec: SpecArgument,
    seed: Annotated[int, option("Random seed of the annealing.")] = 0,
    tries: Annotated[int, option("Annealing runs.")] = 8,
) -> None:
    """Improve the order of the nodes round the sparse rings."""
    from hopscape.papers.multiring.sparse_capacity import sparse_capacity
    from hopscape.papers.multiring.tables import better_order

    member = sparse_member(spec)
    better = better_order(member, seed=seed, tries=tries)
    record = better.to_dict() | {"before": sparse_capacity(member).balanced.capacity}
    table = {
        "before": _number(record["before"]),
        "now": _number(record["balanced"]["capacity"]),
        "proved best for this order": "yes" if record["balanced"]["proved"] else "no",
        "no order carries more than": _number(record["upper_bound"]),
        "spec": record["spec"],
    }
    emit(record, title=member.spec, table=table)


def study_multiring(
    output: FolderOption,
    quick: Annotated[bool, option("Fewer points, shorter runs.")] = False,
    seed: Annotated[int, option("Random seed of the simulation.")] = 0,
    force: ForceOption = False,
) -> None:
    """Draw the rings, capacity against nodes, loads before and after balancing, and delays."""
    from hopscape.papers.multiring.pictures import draw_all

    with whole_folder(output, force=force) as folder:
        names = [path.name for path in draw_all(folder, quick=quick, seed=seed)]
    for name in names:
        print(output / name)


def simulate_rings(
    spec: SpecArgument,
    mode: Annotated[
        str, option("saturated, window (finite buffers) or open (Poisson).")
    ] = "saturated",
    schedule: Annotated[str, option("shortest or balanced.")] = "balanced",
    window: Annotated[int | None, option("Packets that a node buffers (default: 64).")] = None,
    load: Annotated[list[float] | None, option("Packets per slot in all, when open.")] = None,
    insertion: Annotated[bool, option("Register-insertion rings, not segmented ones.")] = False,
    distribution: DistributionOption = "uniform",
    slots: Annotated[int, option("Slots to measure at first.")] = 20_000,
    seed: SeedOption = 0,
) -> None:
    """Simulate the rings slot by slot: throughput, or delay under open load, with intervals.

    Estimates are printed as counted, with half-widths of 95 % intervals; 'at most' and 'exact
    capacity' are proved. 'effective capacity' (saturated) is what the given traffic could use of
    the packets sent, by the fullest arcs; 'N × slowest node' (saturated, window) what all nodes get
    if they share alike; Jain's index is 1 when they do.
    """
    from hopscape.papers.multiring.slots import check_load, ring_traffic, simulate

    for name, wanted in (("load", "open"), ("window", "window")):
        if mode != wanted:
            refuse((name,), f"is for --mode {wanted}, not for {mode}")
    member = build(spec).family
    traffic = ring_traffic(member, schedule, read_distribution(distribution))
    loads = (load or [0.0]) if mode == "open" else []
    for s in loads:
        check_load(traffic, s)
    room = 64 if window is None else window
    runs = [
        simulate(traffic, mode, window=room, load=s, insertion=insertion, slots=slots, seed=seed)
        for s in loads or [0.0]
    ]
    rows = [run.to_dict() for run in runs]
    columns = {
        "mode": "mode",
        "offered": "offered",
        "throughput": "sent per slot",
        "throughput_half_width": "±",
        "sent_at_most": "at most",
        "effective": "effective capacity",
        "effective_half_width": "± ",
        "capacity_decimal": "exact capacity",
        "fair_throughput": "N × slowest node",
        "fair_throughput_half_width": " ±",
        "jain_index": "Jain's index",
        "wait": "wait (slots)",
        "wait_half_width": " ± ",
        "slots": "slots",
        "warm_up": "warm-up",
        "settled": "settled",
    }
    emit_rows(rows, title=spec, columns=columns, wrapper="runs")


def ring_table(
    spec: SpecArgument,
) -> None:
    """Print which node sits at which place of every sparse ring, counted from 1 as in the paper."""
    member = sparse_member(spec)
    rows = [
        {"ring": i} | {str(p): node for p, node in enumerate(ring, 1)}
        for i, ring in enumerate((member.table() + 1).tolist(), 1)
    ]
    emit_rows(rows, title=member.spec, wrapper="rings")


def ring_routes(
    spec: SpecArgument,
    schedule: Annotated[str, option("shortest or balanced.")] = "balanced",
    source: Annotated[str, option("A node, or all.")] = "0",
) -> None:
    """Print which share of the packets for each node goes by which ring: a schedule of routes."""
    from hopscape.papers.multiring.routing import route_rows

    network = build(spec)
    nodes = range(network.order) if source == "all" else [network.node(source)]
    rows = route_rows(network, schedule, nodes)
    columns = {
        "source": "from",
        "target": "to",
        "ring": "ring",
        "port": "port",
        "length": "arcs",
        "share": "share",
    }
    title = f"{network.spec}: {schedule} schedule"
    emit_rows(rows, title=title, columns=columns, wrapper="routes")


def ring_torus(
    ports: Annotated[int, option("Duplex ports of a node, at most.")] = 20,
    nodes: Annotated[int, option("Least number of nodes.")] = 16384,
    dimensions: Annotated[
        int | None, option("Maximum number of dimensions (default: as the ports allow).")
    ] = None,
    longest: Annotated[int, option("Longest line that is tried.")] = 64,
    sparse: Annotated[
        bool | None,
        option("Only sparse rings, or only full ones (default: both).", "--sparse/--full"),
    ] = None,
    reorder: Annotated[
        bool, option("Also sparse rings in better orders.", "--reorder/--printed")
    ] = True,
    top: Annotated[int, option("Number of rows to show.")] = 12,
    resume: ResumeOption = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
) -> None:
    """Design a torus whose dimensions are multirings: the front of rate and cable per node."""
    from hopscape.papers.multiring.tables import torus_front
    from hopscape.papers.multiring.torus import known_tori
    from hopscape.store import Store, Work

    with Store(resume) as store:
        designs, whole = torus_front(
            ports,
            nodes,
            dimensions=dimensions,
            longest=longest,
            sparse=sparse,
            reorder=reorder,
            keep=top,
            **Work(resume=store, workers=workers, dask=dask),
        )
    rows = [design.to_dict() for design in [*designs, *known_tori()]]
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
    emit_rows(rows, columns=columns, wrapper="designs")
    if not whole:
        print(f"hopscape: {ended_word()}; these are the best of the lines so far", file=sys.stderr)
        raise typer.Exit(ended_code())


DistributionOption = Annotated[
    str,
    option(
        "How often routes 1..N-1 are taken: uniform, weights such as 3,1,1/2, or a file.",
        "--distribution",
    ),
]


def read_distribution(text: str) -> list[Fraction] | None:
    """Weights of the routes; None when they are uniform."""
    if text == "uniform":
        return None
    if Path(text).is_file():
        lines = TextFile(text).lines("#")
        return [_weight(word.text, text) for line in lines for word in line.words()]
    return [_weight(word, text) for word in text.replace(",", " ").split()]


def _weight(word: str, text: str) -> Fraction:
    if re.fullmatch(r"[0-9.]{1,40}(e-?[0-9]{1,2})?(/[0-9]{1,40})?", word, re.ASCII):
        with suppress(ValueError, ZeroDivisionError):
            return Fraction(word)
    raise ArgumentError(
        f"distribution {text!r:.60} is neither 'uniform', a list of numbers nor a file with one:"
        f" {word!r:.40} is not a number of at least 0"
    )


def sparse_member(spec: str) -> SparseMultiring:
    """The sparse rings of a SPEC, and of no other."""
    from hopscape.papers.multiring.families import SparseMultiring

    member = build(spec).family
    if not isinstance(member, SparseMultiring):
        raise ArgumentError(f"{spec} is not a sparse_multiring(...)")
    return member
