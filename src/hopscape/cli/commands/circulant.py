"""Commands about circulants: search, and what is known of one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.commands.networks import SpecArgument
from hopscape.cli.groups import search, study
from hopscape.cli.output import (
    DaskOption,
    Format,
    FormatOption,
    OutputOption,
    ProcessesOption,
    TableOption,
    emit,
    emit_rows,
)
from hopscape.core.errors import ArgumentError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    search.command("circulant")(search_circulant)
    study.command("circulant")(study_circulant)
    app.command("circulant")(circulant)
    for group in (search, study):  # a group of one command still needs its name
        if group.registered_callback is None:
            group.callback()(_group)


def _group() -> None:
    """A group of commands."""


def search_circulant(
    nodes: Annotated[
        str | None, typer.Option("--nodes", help="An order, or a range such as 7..1000.")
    ] = None,
    diameter: Annotated[
        int | None, typer.Option("--diameter", help="Instead: the largest order of this diameter.")
    ] = None,
    generators: Annotated[int, typer.Option("--generators", help="How many generators.")] = 3,
    ring: Annotated[
        bool, typer.Option("--ring/--all", help="Only sets with a unit generator, or all.")
    ] = False,
    table: TableOption = None,
    processes: ProcessesOption = None,
    dask: DaskOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Find the circulants of least diameter and mean distance, all of them up to multipliers."""
    from hopscape.search import best_circulants, largest_circulants
    from hopscape.store import Store

    if (nodes is None) == (diameter is None):
        raise ArgumentError("give either --nodes or --diameter")
    with Store(table) as kept:
        if diameter is not None:
            found = largest_circulants(
                diameter, generators, ring=ring, table=kept, processes=processes, dask=dask
            )
            _emit_one(found.to_dict(), style, output)
            return
        assert nodes is not None
        orders = _orders(nodes)
        rows = [
            found.to_dict()
            for found in best_circulants(
                orders, generators, ring=ring, table=kept, processes=processes, dask=dask
            )
        ]
    if len(orders) == 1 and ".." not in nodes:
        _emit_one(rows[0], style, output)
        return
    columns = {
        "nodes": "nodes",
        "diameter": "diameter",
        "lower_bound": "bound",
        "mean_distance": "mean distance",
        "best": "best sets",
    }
    if style is Format.table:
        rows = [row | {"best": _sets(row["sets"])} for row in rows]
    emit_rows(rows, style, output, columns=columns)


def _orders(text: str) -> list[int]:
    first, _, last = text.partition("..")
    if not first.isdecimal() or (".." in text and not last.isdecimal()):
        raise ArgumentError(f"nodes is {text!r}; it must be a number or a range such as 7..1000")
    orders = list(range(int(first), int(last or first) + 1))
    if not orders:
        raise ArgumentError(f"nodes is {text!r}; the range is empty")
    return orders


def _sets(sets: list[list[int]]) -> str:
    shown = "  ".join("(" + ", ".join(map(str, s)) + ")" for s in sets[:6])
    return shown + (f"  … {len(sets)} in all" if len(sets) > 6 else "")


def _emit_one(record: dict[str, Any], style: Format, output: Path | None) -> None:
    table = {
        "diameter": f"{record['diameter']}  (no set can be below {record['lower_bound']})",
        "mean distance": f"{record['mean_distance']:.6g}  ({record['mean_distance_exact']})",
        "best sets": _sets(record["sets"]),
        "sets tested": f"{record['tested']:,}",
    }
    kind = "ring circulants" if record["ring"] else "circulants"
    title = f"{kind} with {record['nodes']} nodes and {record['generators']} generators"
    emit(record, style, output, title=title, table=table)


def circulant(
    spec: SpecArgument,
    a: Annotated[str | None, typer.Option("--from", help="A node: path vectors from it.")] = None,
    b: Annotated[str | None, typer.Option("--to", help="A node: path vectors to it.")] = None,
    dead: Annotated[
        list[str] | None, typer.Option("--dead", help="A dead node; once for each.")
    ] = None,
    dead_link: Annotated[
        list[str] | None, typer.Option("--dead-link", help="A dead link as U-V; once for each.")
    ] = None,
    like: Annotated[
        str | None, typer.Option("--like", help="Another circulant: is there a multiplier?")
    ] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Tell what is known of a circulant: canonical form, path vectors, ways round faults."""
    from hopscape.families.circulant import Circulant
    from hopscape.families.circulant.describe import describe, describe_faults, describe_route
    from hopscape.registry import build

    network = build(spec)
    if not isinstance(network.family, Circulant):
        raise ArgumentError(f"{network.spec} is no circulant")
    other = build(like).family if like is not None else None
    if like is not None and not isinstance(other, Circulant):
        raise ArgumentError(f"{like} is no circulant")
    record = describe(network.family, other if isinstance(other, Circulant) else None)
    if (a is None) != (b is None):
        raise ArgumentError("give both --from and --to")
    if a is not None and b is not None:
        start, end = network.node(a), network.node(b)
        record |= describe_route(network, start, end)
        if dead or dead_link:
            links = [_link(text) for text in dead_link or []]
            record |= describe_faults(network, start, end, dead or [], links)
    elif dead or dead_link:
        raise ArgumentError("--dead and --dead-link need --from and --to")
    emit(record, style, output, title=record["spec"])


def _link(text: str) -> tuple[str, str]:
    u, dash, v = text.partition("-")
    if not (dash and u.isdecimal() and v.isdecimal()):
        raise ArgumentError(f"link {text!r} must be two node numbers such as 3-17")
    return u, v


def study_circulant(
    out: Annotated[Path, typer.Option("--out", help="The folder; made if it is not there.")],
    d: Annotated[int, typer.Option("--diameter", help="Graph of the pictures.")] = 6,
) -> None:
    """The paper's table up to d = 18, its broadcast tree (still and moving), a map of distances."""
    from hopscape.draw import draw_cell, draw_rounds
    from hopscape.families.circulant.collectives import broadcast
    from hopscape.families.circulant.describe import cell_map, table_rows
    from hopscape.registry import build

    variant = "5+" if d % 3 == 1 else "5"
    network = build(f'optimal_circulant({d}, variant="{variant}")')
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{out} cannot be made: {error.strerror}") from error
    emit_rows(table_rows(), Format.csv, out / "table.csv")
    tree = broadcast(network, 0)
    draw_rounds(tree, out / "broadcast.svg")
    draw_rounds(tree, out / "broadcast.gif")
    distances, title = cell_map(network)
    across, upwards = "remainder v mod s3", "i = v div s3"
    draw_cell(distances, out / "cell.svg", title=title, across=across, upwards=upwards)
    print(f"wrote table.csv, broadcast.svg, broadcast.gif and cell.svg to {out}")
