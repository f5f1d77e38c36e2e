"""Commands about circulants: search, and what is known of one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.groups import search
from hopscape.cli.output import Format, FormatOption, OutputOption, emit, emit_rows
from hopscape.core.errors import ArgumentError

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    search.command("circulant")(search_circulant)


@search.callback()
def _search() -> None:
    """Search for the best networks of a kind."""


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
    table: Annotated[
        Path | None,
        typer.Option("--table", help="Keep results in this file; a later run goes on from there."),
    ] = None,
    processes: Annotated[
        int | None, typer.Option("--processes", help="How many processes; all processors without.")
    ] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Find the circulants of least diameter and mean distance, all of them up to multipliers."""
    from hopscape.search import ResultTable, best_circulants, largest_circulants

    if (nodes is None) == (diameter is None):
        raise ArgumentError("give either --nodes or --diameter")
    with ResultTable(table) as kept:
        if diameter is not None:
            found = largest_circulants(
                diameter, generators, ring=ring, table=kept, processes=processes
            )
            _emit_one(found.to_dict(), style, output)
            return
        assert nodes is not None
        orders = _orders(nodes)
        rows = [
            found.to_dict()
            for found in best_circulants(
                orders, generators, ring=ring, table=kept, processes=processes
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
