"""Commands about block designs, distributed switches and the machines built of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.options import (
    DeadLinkOption,
    DeadOption,
    SpecArgument,
    option,
    read_dead_links,
    refuse,
)
from hopscape.cli.output import Format, emit, emit_rows, output_settings
from hopscape.core.errors import ArgumentError
from hopscape.core.numbers import number
from hopscape.registry import build

__all__ = [
    "check_permutation",
    "design_blocks",
    "design_check",
    "designs",
    "difference_cover",
    "digraph_table",
    "machines",
    "route_around",
]

_MACHINE_COLUMNS = {
    "number": "#",
    "name": "machine",
    "size": "nodes each",
    "supernodes": "supernodes",
    "nodes": "nodes",
    "switches": "switches",
    "cables": "cables",
    "spec": "spec",
}


def designs(
    sigma: Annotated[int, option("Blocks that two elements share.")] = 1,
    largest: Annotated[int, option("Largest block size.", "--max-m")] = 20,
) -> None:
    """List which symmetric designs exist: built here, impossible (why), or open."""
    from hopscape.papers.blockdesign.designs import table

    rows = [row.to_dict() for row in table(sigma, largest)]
    emit_rows(rows, title=f"symmetric designs B(N, m, {sigma})")


def design_blocks(
    n: Annotated[int, typer.Argument(metavar="N", help="Elements, and blocks.")],
    m: Annotated[int, typer.Argument(metavar="M", help="Elements of a block.")],
    sigma: Annotated[int, typer.Argument(metavar="SIGMA", help="Blocks of a pair.")] = 1,
) -> None:
    """Build a symmetric design and print its blocks; elements count from 0."""
    from hopscape.papers.blockdesign.designs import check_design, make_design

    design = make_design(n, m, sigma)
    verdict = check_design(design.blocks, n, sigma)
    blocks = design.blocks.tolist()
    if output_settings.style is Format.csv:
        emit_rows([{"block": i, "elements": row} for i, row in enumerate(blocks)])
        return
    record: dict[str, Any] = {"N": n, "m": m, "sigma": sigma, "how": design.how}
    if design.base is not None:
        record["group"] = list(design.base.moduli)
        record["base"] = list(design.base.elements)
    record |= {"verdict": "holds" if verdict else "fails", "reason": verdict.reason}
    shown = {key: str(value) for key, value in record.items()}
    shown |= {f"block {i}": " ".join(map(str, row)) for i, row in enumerate(blocks)}
    emit(record | {"blocks": blocks}, title=f"B({n}, {m}, {sigma})", table=shown)


def design_check(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A block per line, a 0-1 matrix, or JSON 'blocks'."),
    ],
    sigma: Annotated[int | None, option("The sigma that it must have.")] = None,
) -> None:
    """Check a file of blocks: is it a symmetric design, and of which parameters?"""
    import numpy as np

    from hopscape.core.verdict import Verdict
    from hopscape.papers.blockdesign.designs import check_design, read_blocks

    rows, first = read_blocks(file)
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        verdict = Verdict(False, f"blocks differ in size: from {min(lengths)} to {max(lengths)}")
    else:
        verdict = check_design(np.asarray(rows), sigma=sigma)
    record = {
        "file": str(file),
        "blocks": len(rows),
        "first_element": first,
        "verdict": "holds" if verdict else "fails",
        "reason": verdict.reason,
        **verdict.details,
        "where": dict(verdict.where),
    }
    emit(record, title=str(file))
    if not verdict:
        raise typer.Exit(1)


def difference_cover(
    n: Annotated[int, typer.Argument(metavar="N", help="Order of the group; 0: the largest.")],
    m: Annotated[int, typer.Argument(metavar="M", help="Elements of a block.")],
    moduli: Annotated[str, option("The group, as 2x20 (default: cyclic).", "--group")] = "",
    blocks: Annotated[int, option("Number of blocks.")] = 1,
    multiplicity: Annotated[int, option("Minimum occurrences of every difference.")] = 1,
    budget: Annotated[
        int | None, option("Maximum steps of a search (default: 300 million).")
    ] = None,
) -> None:
    """Search for a difference cover: blocks whose differences cover the whole group."""
    from hopscape.papers.blockdesign import covers

    excluded: list[Any] = []
    steps = covers.BUDGET if budget is None else budget
    if n == 0:
        if moduli:
            raise ArgumentError("--group needs an N; with N = 0 all groups are tried")
        cover, excluded = covers.largest_cover(m, blocks=blocks, ways=multiplicity, budget=steps)
    else:
        group = tuple(_numbers(moduli, "group", "x")) if moduli else None
        cover = covers.difference_cover(
            n, m, blocks=blocks, ways=multiplicity, moduli=group, budget=steps
        )
    record: dict[str, Any] = {
        "group": list(cover.moduli),
        "m": m,
        "found": cover.elements is not None,
        "proved": cover.proved,
        "reason": cover.reason,
        "steps": cover.steps,
        "elements": None,
        "doubled": None,
    }
    if cover.elements is not None:
        often = cover.multiplicities
        record["elements"] = list(cover.elements)
        record["doubled"] = [d for d, times in often.items() if times > 1]
        record["blocks"] = [list(block) for block in cover.blocks]
        record["least_often"] = min(often.values(), default=None)
    if n == 0:
        record["excluded"] = [
            {"group": list(c.moduli), "proved": c.proved, "reason": c.reason} for c in excluded
        ]
    emit(record, title=f"difference cover by {m} elements")


def _numbers(text: str, option: str, sign: str = ",") -> list[int]:
    """Positive integers separated by a sign, as an option has them."""
    if not re.fullmatch(rf"\d{{1,18}}({sign}\d{{1,18}})*", text.replace(" ", "")):
        raise ArgumentError(f"--{option} is {text!r}; write numbers as 2{sign}20")
    return [int(x) for x in text.replace(" ", "").split(sign)]


def digraph_table(
    m: Annotated[int, typer.Argument(metavar="M", help="Ports in each direction.")],
) -> None:
    """Print the wiring table of a quasi-complete digraph, counted from 1 as in the paper."""
    from hopscape.papers.blockdesign.families import wiring_table

    emit_rows(wiring_table(m), title=f"quasicomplete_digraph({m})")


def check_permutation(
    spec: SpecArgument,
    permutation: Annotated[str, option("A file of destinations, or random:SEED.")] = "random:0",
    traffic: Annotated[
        str, option("permutation, random (own destinations) or relation.")
    ] = "permutation",
    at_once: Annotated[int, option("Number of permutations at the same time.", min=1)] = 1,
    count: Annotated[int, option("Number of permutations, one after another.", min=1)] = 1,
    half: Annotated[
        bool, option("A link carries one direction at a time.", "--half-duplex")
    ] = False,
    spread: Annotated[bool, option("Use all sigma routes, not only the first.")] = False,
) -> None:
    """Find port conflicts among the packets of a permutation (or of random traffic)."""
    from hopscape.papers.blockdesign import contention as patterns
    from hopscape.papers.blockdesign.rounds import plan_rounds

    network = build(spec)
    total, refused, text, holds = 0, 0, "", True
    planned, least, by = 0, 0, set[str]()
    for sources, targets in _patterns(network, permutation, traffic, at_once, count):
        verdict = patterns.check_traffic(network, sources, targets, half_duplex=half, spread=spread)
        total += int(verdict.details["packets"])
        refused += int(verdict.details["conflicts"])
        holds = holds and bool(verdict)
        text = text or ("" if verdict else verdict.reason)
        plan = plan_rounds(network, sources, targets, half_duplex=half)
        planned, least = max(planned, plan.rounds), max(least, plan.bound)
        by.add(plan.by)
    record = {
        "spec": network.spec,
        "patterns": count,
        "packets": total,
        "conflicts": refused,
        "share": refused / total if total else 0.0,
        "verdict": "holds" if holds else "fails",
        "reason": text or f"{total} packets, no port wanted twice",
        "rounds_needed": planned if planned == least else None,
        "rounds_planned": planned,
        "rounds_at_least": least,
        "rounds_at_least_by": ", ".join(sorted(by)),
    }
    emit(record, title=f"{network.spec}: {traffic}")
    if not holds:
        raise typer.Exit(1)


def _patterns(network: Any, permutation: str, traffic: str, at_once: int, count: int) -> Any:
    """Sources and targets, one pattern after the other."""
    import numpy as np

    from hopscape.papers.blockdesign.contention import random_traffic

    size = network.endpoint_count
    seed = re.fullmatch(r"random:([0-9]{1,18})", permutation)
    if seed is not None:
        for i in range(count):
            pattern = random_traffic(size, traffic, rounds=at_once, seed=int(seed[1]) + i)
            yield tuple(network.endpoints[ranks] for ranks in pattern)
        return
    from hopscape.core.goal import read_permutation

    refuse(("traffic", "at_once", "count"), "needs random:SEED, not a file")
    targets = np.asarray(read_permutation(network, permutation))
    if len(targets) != size:
        raise ArgumentError(f"{permutation} holds {len(targets)} numbers; {size} are needed")
    yield network.endpoints, targets


def route_around(
    spec: SpecArgument,
    source: Annotated[int, typer.Argument(metavar="FROM", help="An endpoint.")],
    target: Annotated[int, typer.Argument(metavar="TO", help="An endpoint.")],
    dead: DeadOption = None,
    dead_link: DeadLinkOption = None,
) -> None:
    """List the shortest paths of a distributed switch or two-level machine, past dead parts too."""
    from hopscape.papers.blockdesign.routing import all_routes, stranded_pairs
    from hopscape.papers.blockdesign.routing import route_around as find

    network = build(spec)
    switches = [network.node(text) for text in dead or ()]
    links = read_dead_links(network, dead_link)
    route = find(network, source, target, dead_switches=switches, dead_links=links)
    record = {
        "spec": network.spec,
        "ways": [list(route.path) for route in all_routes(network, source, target)],
        "path": list(route.path),
        "ports": list(route.ports),
        "length": route.length,
        "stranded_pairs": stranded_pairs(network, switches),
    }
    emit(record, title=f"{network.spec}: {source} → {target}")


def machines(
    local: Annotated[str, option("Your own machine: the network inside a supernode.")] = "",
    outer: Annotated[
        str, option("The network of supernodes; without: all pairs.", "--global")
    ] = "",
    links: Annotated[int | None, option("Links of a node to other supernodes.")] = None,
    copies: Annotated[int, option("Links for each pair joined.")] = 1,
    ports: Annotated[int | None, option("Maximum ports of a node.")] = None,
    group: Annotated[int, option("Nodes joined by the fastest links.")] = 0,
    lanes: Annotated[str, option("Outer links of a node by kind, as 16,24.")] = "",
    speeds: Annotated[str, option("Speeds of group, local and outer links, as 5,1,2.")] = "",
    counts: Annotated[bool, option("Only counts of your machine, nothing measured.")] = False,
    measure: Annotated[str, option("Build the machine of this number (from 1).")] = "",
    compare: Annotated[int, option("Compare networks of this radix instead.")] = 0,
) -> None:
    """Compare two-level machines: the paper's, your own, and others of the same radix."""
    from hopscape.papers.blockdesign import machines as room

    if not local:
        refuse(
            ("outer", "links", "copies", "ports", "group", "lanes", "speeds", "counts"),
            "is for your own machine; --local says what is inside a supernode",
        )
    if sum(map(bool, (local, measure, compare))) > 1:
        raise ArgumentError("--local, --measure and --compare are three things; choose one")
    if local:
        family = room.join_supernodes(
            build(local),
            between=build(outer) if outer else None,
            links=links,
            copies=copies,
            ports=ports,
            group=group,
            lanes=_numbers(lanes, "lanes") if lanes else (),
            speeds=_numbers(speeds, "speeds") if speeds else (),
        )
        _show_machine(room.describe_machine("your own", family), not counts)
    elif compare:
        from hopscape.papers.blockdesign.machines import comparable_specs, measure_network

        rows = [
            measure_network(name, build(spec)) for name, spec in comparable_specs(compare).items()
        ]
        emit_rows(rows, title=f"networks of radix {compare} at most")
    elif measure:
        known = room.paper_machines()
        if not re.fullmatch(r"\d{1,9}", measure) or not 1 <= int(measure) <= len(known):
            raise ArgumentError(f"machine {measure!r} is not a number from 1 to {len(known)}")
        _show_machine(known[int(measure) - 1], True)
    else:
        rows = [{"number": i} | m.to_dict() for i, m in enumerate(room.paper_machines(), 1)]
        columns = _MACHINE_COLUMNS
        emit_rows(rows, title="two-level machines", columns=columns)


def _show_machine(machine: Any, measured: bool) -> None:
    """One machine: its counts and, if wanted, what is measured of it."""
    from hopscape.papers.blockdesign.machines import measure_machine

    record = machine.to_dict()
    if measured:
        record |= measure_machine(build(machine.spec))
    shown = {key: str(value) for key, value in record.items() if key != "classes"}
    for kind in record.get("classes", ()):
        shown[f"{kind['name']} channels"] = (
            f"{kind['channels']:,} of speed {kind['speed']}: largest load"
            f" {number(kind['largest'])}, throughput {number(kind['throughput'])}"
        )
    emit(record, title=machine.name, table=shown)
