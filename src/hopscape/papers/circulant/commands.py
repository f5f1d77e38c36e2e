"""Commands about circulants: what is known of one, and the study.

Optimal circulants: searched, and looked up in the atlas of every order.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscape.cli.ended import ended_code, ended_word
from hopscape.cli.options import (
    DaskOption,
    DeadLinkOption,
    DeadOption,
    DeviceOption,
    FolderOption,
    ForceOption,
    ProofOption,
    ResumeOption,
    SeedOption,
    SpecArgument,
    WorkersOption,
    option,
    read_dead_links,
    read_numbers,
    refuse,
    time_limit_option,
)
from hopscape.cli.output import Format, emit, emit_rows, output_settings, write_proofs, write_tables
from hopscape.cli.overview import CommandGroup
from hopscape.core.errors import ArgumentError
from hopscape.core.files import whole_folder
from hopscape.core.numbers import number
from hopscape.core.tables import in_table

if TYPE_CHECKING:
    from hopscape.papers.circulant.atlas import AtlasRow

__all__ = ["atlas_circulant", "atlas_largest", "circulant", "search_circulant", "study_circulant"]


GROUP = CommandGroup("Circulant graphs: what is known of one, and the best of a size.", bare="show")
ATLAS = CommandGroup("Optimal networks of every size, found by exhaustive search.")


def circulant(
    spec: SpecArgument,
    a: Annotated[str | None, option("A node: path vectors from it.", "--from")] = None,
    b: Annotated[str | None, option("A node: path vectors to it.", "--to")] = None,
    dead: DeadOption = None,
    dead_link: DeadLinkOption = None,
    like: Annotated[
        str | None, option("Another circulant: is it isomorphic, and by a multiplier?")
    ] = None,
    within: Annotated[int | None, option("Count the nodes at and within this distance.")] = None,
    exact: Annotated[
        bool, option("Mean and counts of any circulant, even if it takes minutes.")
    ] = False,
    node: Annotated[
        str | None, option("A node: what the memoryless broadcast makes it send.")
    ] = None,
    root: Annotated[
        str | None, option("With --node: where the broadcast starts (default: 0).")
    ] = None,
    proof: ProofOption = None,
) -> None:
    """Show what is known of a circulant: distances, canonical form, path vectors, broadcast."""
    from hopscape.families.circulant.wiring import Circulant
    from hopscape.papers.circulant.describe import describe, describe_faults, describe_route
    from hopscape.papers.circulant.memoryless import ForwardingRule
    from hopscape.proofs import prove_circulant
    from hopscape.registry import build

    network = build(spec)
    if not isinstance(network.family, Circulant):
        raise ArgumentError(f"{network.spec} is not a circulant")
    other = build(like).family if like is not None else None
    if like is not None and not isinstance(other, Circulant):
        raise ArgumentError(f"{like} is not a circulant")
    if root is not None and node is None:
        raise ArgumentError("--root needs --node")
    second = other if isinstance(other, Circulant) else None
    record = describe(network.family, second, within, exact=exact)
    if (a is None) != (b is None):
        raise ArgumentError("give both --from and --to")
    if a is not None and b is not None:
        start, end = network.node(a), network.node(b)
        record |= describe_route(network, start, end)
        if dead or dead_link:
            links = read_dead_links(network, dead_link)
            record |= describe_faults(network, start, end, dead or [], links)
    elif dead or dead_link:
        raise ArgumentError("--dead and --dead-link need --from and --to")
    if node is not None:
        record["broadcast"] = ForwardingRule(network).at(node, root or 0).to_dict()
    proofs = []
    if proof is not None:
        proofs = [prove_circulant(network.order, network.family.generators)]
    emit(record, title=record["spec"], table=_in_words(record))
    if proof is not None:
        write_proofs(proof, proofs)


def _in_words(record: dict[str, Any]) -> dict[str, str]:
    """What a person reads: figures, or why they are not known."""
    hidden = {"spec", "how", "mean_distance_exact", "isomorphic_how"}
    table = {k: in_table(v) for k, v in record.items() if k not in hidden}
    for name, why in record["how"].items():
        none = record["components"] > 1 or record["nodes"] == 1
        table[name] = f"{'none' if none else 'not known'}  ({why})"
    exact = record["mean_distance_exact"]
    if exact is not None:
        table["mean_distance"] += f"  ({exact})"
    if "isomorphic" in record:
        word = {True: "yes", False: "no", None: "not known"}[record["isomorphic"]]
        table["isomorphic"] = f"{word}  ({record['isomorphic_how']})"
    missing = {
        "canonical": "too many multipliers to compare",
        "multiplier": "none",
        "hops": "not delivered",
        "hops_if_known": "there is no route",
    }
    table |= {name: why for name, why in missing.items() if record.get(name, 0) is None}
    if "broadcast" in record:
        stop = record["broadcast"]
        sends = ", ".join(f"port {c['port']} to {c['to']}" for c in stop["sends"]) or "nothing"
        heard = "starts" if stop["sender"] is None else f"hears of {stop['sender']}"
        table["broadcast"] = (
            f"node {stop['node']} {heard} in round {stop['round']} and sends: {sends}"
        )
    return table


def study_circulant(
    out: FolderOption,
    d: Annotated[int, option("Diameter of the circulant that is drawn.", "--diameter")] = 6,
    force: ForceOption = False,
) -> None:
    """Reproduce the paper's table up to d = 18, draw its broadcast tree and a map of distances."""
    from hopscape.papers.circulant.broadcast import broadcast
    from hopscape.papers.circulant.describe import cell_map, table_rows
    from hopscape.registry import build
    from hopscape.show.draw import draw_cell, draw_rounds

    variant = "5+" if d % 3 == 1 else "5"
    network = build(f'optimal_circulant({d}, variant="{variant}")')
    tree = broadcast(network, 0)
    distances, title = cell_map(network)
    across, upwards = "remainder v mod s3", "i = v div s3"
    with whole_folder(out, force=force) as folder:
        write_tables([("table", table_rows())], folder)
        draw_rounds(tree, folder / "broadcast.svg")
        draw_rounds(tree, folder / "broadcast.gif")
        draw_cell(distances, folder / "cell.svg", title=title, across=across, upwards=upwards)
    names = ("table.csv", "broadcast.svg", "broadcast.gif", "cell.svg")
    emit_rows([{"file": str(out / name)} for name in names])


_MOST_ORDERS = 1_000_000  # rows of a table
_MOST_STEPS = 20  # generators of --generators
_SHOWN = 6  # sets on a line; JSON has all
_COLUMNS = {
    "nodes": "nodes",
    "degree": "degree",
    "diameter": "diameter",
    "mean_distance": "mean distance",
    "count": "sets",
    "classes": "up to isomorphism",
    "best": "optimal generators",
}
_CONTENTS = {
    "degree": "degree",
    "low": "from nodes",
    "high": "to nodes",
    "rows": "orders",
    "how": "how",
    "sha256": "checksum (SHA-256)",
}


DirectedOption = Annotated[
    bool, option("Directed circulants: channels from v to v + s only; the degree counts them.")
]


def atlas_circulant(
    degree: Annotated[int | None, option("Links of a node.")] = None,
    nodes: Annotated[str | None, option("An order, or a range such as 100:120.")] = None,
    directed: DirectedOption = False,
    prove: Annotated[bool, option("Search these orders again and compare.")] = False,
    build: Annotated[Path | None, option("Search, and write the data into this folder.")] = None,
    resume: ResumeOption = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    device: DeviceOption = "cpu",
) -> None:
    """Look up the circulants of least diameter, then least mean distance, for every order.

    Without a degree or orders: what the atlas holds. The generators are all optimal sets up to
    multipliers (the first 16 where there are more); fewer are left up to isomorphism where a map
    that is no multiplier turns one into another.
    """
    from hopscape.papers.circulant.atlas import build_atlas, prove_rows
    from hopscape.papers.circulant.search import SearchWork
    from hopscape.store import Store

    if not prove and build is None:
        refuse(("resume", "workers", "dask", "device"), "is for --prove and --build, which search")
    if prove and build is not None:
        raise ArgumentError("give either --prove or --build")
    if degree is None and nodes is None:
        if prove or build is not None:
            raise ArgumentError("--prove and --build need --degree and --nodes")
        emit_rows(_contents(directed), columns=_CONTENTS)
        return
    if not prove and build is None:
        _emit(_look_up(degree, nodes, directed))
        return
    if degree is None or nodes is None:
        raise ArgumentError("--prove and --build need --degree and --nodes")
    with Store(resume) as store:
        work = SearchWork(resume=store, workers=workers, dask=dask, device=device)
        if build is None:
            rows = _look_up(degree, nodes, directed)
            _emit_proofs(prove_rows(rows, **work))
            return
        orders = _buildable(degree, nodes, directed)
        entry = build_atlas(degree, orders, build, directed=directed, **work)
    emit_rows([{"degree": degree, "how": "search"} | entry], columns=_CONTENTS)


def atlas_largest(
    diameter: Annotated[int, option("Up to this diameter.", min=1, max=100)] = 10,
    directed: DirectedOption = False,
    generators: Annotated[
        str | None, option("With these very steps, such as 1,5,21: the largest order of each.")
    ] = None,
    improve: Annotated[
        str | None, option("DEGREE,DIAMETER: look for a larger one than the table has.")
    ] = None,
    limit: Annotated[float, time_limit_option("How long to look, on all workers.")] = 60.0,
    seed: SeedOption = 0,
    resume: ResumeOption = None,
    workers: WorkersOption = None,
) -> None:
    """List the largest circulants of each degree and diameter, and what is proved of each.

    With --improve: look for a larger one among random lattices and among sets of generators that
    are made of orbits of a multiplier. The best so far is printed on Ctrl-C. The same seed, time
    limit and number of workers give the same set on a machine that keeps up with the plan.
    """
    from hopscape.papers.circulant.atlas import largest_loops, largest_of_steps, largest_table

    if improve is not None:
        refuse(("diameter", "directed", "generators"), "does not go with --improve")
        _improve(improve, limit, seed, resume, workers)
        return
    refuse(("limit", "seed", "resume", "workers"), "is for --improve, which searches")
    columns = {
        "degree": "degree",
        "diameter": "diameter",
        "nodes": "nodes",
        "bound": "bound",
        "known": "known",
        "generators": "generators",
    }
    if generators is not None:
        steps = read_numbers(generators, "generators", _MOST_STEPS)
        rows = largest_of_steps(steps, diameter, directed=directed)
    else:
        rows = largest_loops(diameter) if directed else largest_table(diameter)
    if output_settings.style is Format.table:
        rows = [row | {"generators": ", ".join(map(str, row["generators"]))} for row in rows]
    emit_rows(rows, columns=columns)


def _improve(cell: str, limit: float, seed: int, resume: Path | None, workers: int | None) -> None:
    """Look for a larger circulant than the table has, and show it."""
    from hopscape.papers.circulant.orbit_search import improve_largest
    from hopscape.search.graph import plan
    from hopscape.store import Store

    if not 0 < limit < 1e9:
        raise ArgumentError(f"--time-limit is {limit:g} s; it must be above 0")
    match = re.fullmatch(r"\s*(\d{1,9})\s*,\s*(\d{1,9})\s*", cell)
    if match is None:
        raise ArgumentError(f"--improve is {cell!r}; it must be DEGREE,DIAMETER such as 13,4")
    planned = plan(limit, workers)
    with Store(resume) as store:
        best = improve_largest(
            int(match[1]),
            int(match[2]),
            effort=planned.effort,
            seconds=planned.seconds,
            seed=seed,
            resume=store,
            workers=planned.workers,
        )
    larger = f"{best.before} before" if best.nodes > best.before else "none larger was found"
    table = {
        "nodes": f"{best.nodes}  ({larger}; no more than {best.bound} are possible)",
        "spec": best.spec,
        "multiplier": "none" if best.multiplier is None else str(best.multiplier),
        "orders tried": f"{best.tried:,}"
        + ("" if best.complete else ", stopped before the plan was done"),
    }
    emit(best.to_dict(), title=f"degree {best.degree}, diameter {best.diameter}", table=table)
    if best.interrupted:
        print(f"hopscape: {ended_word()}; this is the best so far", file=sys.stderr)
        raise typer.Exit(ended_code())


def _contents(directed: bool) -> list[dict[str, Any]]:
    from hopscape.papers.circulant.atlas import atlas_contents

    formula = {"degree": 4, "low": 5, "high": 100_000, "rows": 99_996, "how": "formula"}
    rows = [
        {"degree": degree} | {key: entry[key] for key in ("low", "high", "rows", "sha256")}
        for degree, entry in atlas_contents(directed=directed).items()
    ]
    rows = [row | {"how": "search"} for row in rows]
    if not directed:
        rows.append(formula | {"sha256": None})
    return sorted(rows, key=lambda row: row["degree"])


def _look_up(degree: int | None, nodes: str | None, directed: bool) -> list[AtlasRow]:
    """Rows of the atlas; refuse what it does not have."""
    from hopscape.papers.circulant.atlas import atlas_degrees, atlas_rows

    orders = _orders(nodes) if nodes is not None else None
    low, high = (orders[0], orders[-1]) if orders else (0, None)
    degrees = atlas_degrees(directed=directed) if degree is None else [degree]
    rows = [row for d in degrees for row in atlas_rows(d, low, high, directed=directed)]
    if not rows:
        size = f"nodes {nodes}" + ("" if degree is None else f" of degree {degree}")
        raise ArgumentError(
            f"the atlas has no {'directed ' * directed}circulant with {size}; see: hopscape atlas"
            f" circulant{' --directed' * directed}"
        )
    return rows


def _emit(rows: Sequence[AtlasRow]) -> None:
    records = [row.to_dict() for row in rows]
    if output_settings.style is Format.table:
        records = [r | {"best": _show_sets(r["sets"], r["count"])} for r in records]
    emit_rows(records, columns=_COLUMNS)


def _emit_proofs(proofs: Iterable[tuple[AtlasRow, str]]) -> None:
    records = [
        {"nodes": row.nodes, "degree": row.degree, "holds": not wrong, "difference": wrong}
        for row, wrong in proofs
    ]
    columns = {"nodes": "nodes", "degree": "degree", "holds": "holds", "difference": "difference"}
    emit_rows(records, columns=columns)
    if not all(record["holds"] for record in records):
        raise typer.Exit(1)


def _buildable(degree: int, nodes: str, directed: bool) -> list[int]:
    """Those orders that circulants of the degree can have."""
    odd = degree % 2 and not directed
    orders = [n for n in _orders(nodes) if n > degree and not (odd and n % 2)]
    if not orders:
        raise ArgumentError(
            f"nodes is {nodes!r}; no circulant of degree {degree} has such an order"
        )
    return orders


def search_circulant(
    nodes: Annotated[str | None, option("An order, or a range such as 7:1000.")] = None,
    diameter: Annotated[int | None, option("Instead: the largest order of this diameter.")] = None,
    generators: Annotated[int | None, option("Number of generators (default: 3).")] = None,
    degree: Annotated[
        int | None, option("Instead: links of a node; an odd degree takes N/2 as well.")
    ] = None,
    ring: Annotated[
        bool, option("Only sets with a unit generator, or all.", "--ring/--all")
    ] = False,
    resume: ResumeOption = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    device: DeviceOption = "cpu",
    proof: ProofOption = None,
) -> None:
    """Find the circulants of least diameter and mean distance, all of them up to multipliers."""
    from hopscape.papers.circulant.search import SearchWork, best_circulants, largest_circulants
    from hopscape.proofs import prove_circulant
    from hopscape.store import Store

    if (nodes is None) == (diameter is None):
        raise ArgumentError("give either --nodes or --diameter")
    if proof is not None and (diameter is not None or ring or degree is not None):
        raise ArgumentError(
            "--proof is for --nodes and --generators; searches by --diameter, --degree and --ring"
            " have none"
        )
    if generators is None and degree is None:
        generators = 3
    with Store(resume) as store:
        work = SearchWork(resume=store, workers=workers, dask=dask, device=device)
        if diameter is not None:
            largest = largest_circulants(diameter, generators, degree=degree, ring=ring, **work)
            _emit_one(largest.to_dict())
            return
        assert nodes is not None
        orders = _orders(nodes)
        best = best_circulants(orders, generators, degree=degree, ring=ring, **work)
        rows = [optimum.to_dict() for optimum in best]
    made = []
    if proof is not None:
        made = [prove_circulant(row["nodes"], row["sets"][0]) for row in rows if row["sets"]]
    if nodes.isdecimal():
        _emit_one(rows[0])
    else:
        _emit_orders(rows)
    if proof is not None:
        write_proofs(proof, made)


def _emit_orders(rows: list[dict[str, Any]]) -> None:
    columns = {
        "nodes": "nodes",
        "diameter": "diameter",
        "lower_bound": "bound",
        "mean_distance": "mean distance",
        "best": "best sets",
    }
    if output_settings.style is Format.table:
        rows = [row | {"best": _show_sets(row["sets"])} for row in rows]
    emit_rows(rows, columns=columns)


def _orders(text: str) -> list[int]:
    """The orders of an option such as 100 or 7:1000."""
    return read_numbers(text, "nodes", _MOST_ORDERS)


def _show_sets(sets: list[list[int]], count: int | None = None) -> str:
    """The first generator sets, and how many there are."""
    count = len(sets) if count is None else count
    shown = "  ".join("(" + ", ".join(map(str, s)) + ")" for s in sets[:_SHOWN])
    return shown + (f"  … {count} in all" if count > _SHOWN else "")


def _emit_one(record: dict[str, Any]) -> None:
    table = {
        "diameter": f"{record['diameter']}  (no set can be below {record['lower_bound']})",
        "mean distance": f"{number(record['mean_distance'])}  ({record['mean_distance_exact']})",
        "best sets": _show_sets(record["sets"]),
        "sets tested": f"{record['tested']:,}",
    }
    kind = "ring circulants" if record["ring"] else "circulants"
    size = f"{record['generators']} generators"
    if record["degree"] is not None:
        size = f"degree {record['degree']}"
    title = f"{kind} with {record['nodes']} nodes and {size}"
    emit(record, title=title, table=table)
