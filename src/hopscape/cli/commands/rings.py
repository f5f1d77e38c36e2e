"""Commands about single rings: simulation, tables, shares of routes, tori of multirings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from hopscape.cli.options import (
    DaskOption,
    ProcessesOption,
    SeedOption,
    SpecArgument,
    TableOption,
    option,
)
from hopscape.cli.output import emit_rows
from hopscape.cli.ring_options import DistributionOption, read_distribution, sparse_member
from hopscape.core.errors import ArgumentError
from hopscape.registry import build

if TYPE_CHECKING:
    pass

__all__ = [
    "ring_routes",
    "ring_table",
    "ring_torus",
    "simulate_rings",
]


def simulate_rings(
    spec: SpecArgument,
    mode: Annotated[
        str, option("saturated, window (finite buffers) or open (Poisson).")
    ] = "saturated",
    schedule: Annotated[str, option("shortest or balanced.")] = "balanced",
    window: Annotated[int | None, option("Packets that a node buffers; 64 without.")] = None,
    load: Annotated[list[float] | None, option("Packets per slot in all, when open.")] = None,
    insertion: Annotated[bool, option("Register-insertion rings, not segmented ones.")] = False,
    distribution: DistributionOption = "uniform",
    slots: Annotated[int, option("Slots to measure at first.")] = 20_000,
    seed: SeedOption = 0,
) -> None:
    """Simulate the rings slot by slot: throughput, or delay under open load, with intervals."""
    from hopscape.simulate.rings.slots import check_load, ring_traffic, simulate

    for name, given, wanted in (("--load", load, "open"), ("--window", window, "window")):
        if given is not None and mode != wanted:
            raise ArgumentError(f"{name} is for --mode {wanted}, not for {mode}")
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
        "effective": "effective capacity",
        "effective_half_width": "± ",
        "capacity_decimal": "exact",
        "wait": "wait (slots)",
        "wait_half_width": " ±",
        "slots": "slots",
        "warm_up": "warm-up",
        "settled": "settled",
    }
    emit_rows(rows, title=spec, columns=columns, wrapper="runs")


def ring_table(
    spec: SpecArgument,
) -> None:
    """Print which node sits at which place of every sparse ring, numbered from 1 as in print."""
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
    from hopscape.families.multiring.routing import route_rows

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
    dimensions: Annotated[int, option("Maximum number of dimensions.")] = 3,
    longest: Annotated[int, option("Longest line that is tried.")] = 64,
    sparse: Annotated[
        bool | None,
        option("Only sparse rings, or only full ones; both without.", "--sparse/--full"),
    ] = None,
    reorder: Annotated[
        bool, option("Also sparse rings in better orders.", "--reorder/--printed")
    ] = True,
    keep: Annotated[int, option("How many designs to show.")] = 12,
    table: TableOption = None,
    processes: ProcessesOption = None,
    dask: DaskOption = None,
) -> None:
    """Design a torus whose dimensions are multirings: the front of rate and cable per node."""
    from hopscape.search.multiring.lines import search_torus
    from hopscape.search.multiring.torus import known_tori
    from hopscape.store import Store, Work

    with Store(table) as kept:
        designs = search_torus(
            ports,
            nodes,
            dimensions=dimensions,
            longest=longest,
            sparse=sparse,
            reorder=reorder,
            keep=keep,
            **Work(table=kept, processes=processes, dask=dask),
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
