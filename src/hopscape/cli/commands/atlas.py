"""Commands of the atlas: optimal circulants of every order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscape.cli.commands.circulant import orders_of, show_sets
from hopscape.cli.options import DaskOption, DeviceOption, ProcessesOption, TableOption
from hopscape.cli.output import Format, FormatOption, OutputOption, emit_rows
from hopscape.core.errors import ArgumentError

if TYPE_CHECKING:
    from hopscape.families.circulant.atlas import AtlasRow

__all__ = ["atlas_circulant", "atlas_largest"]

_COLUMNS = {
    "nodes": "nodes",
    "degree": "degree",
    "diameter": "diameter",
    "mean_distance": "mean distance",
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


def atlas_circulant(
    degree: Annotated[int | None, typer.Option("--degree", help="Links of a node.")] = None,
    nodes: Annotated[
        str | None, typer.Option("--nodes", help="An order, or a range such as 100..120.")
    ] = None,
    prove: Annotated[
        bool, typer.Option("--prove", help="Search these orders again and compare.")
    ] = False,
    build: Annotated[
        Path | None, typer.Option("--build", help="Search, and write the data into this folder.")
    ] = None,
    table: TableOption = None,
    processes: ProcessesOption = None,
    dask: DaskOption = None,
    device: DeviceOption = "cpu",
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Look up the circulants of least diameter, then least mean distance, for every order.

    Without a degree or orders: what the atlas holds. The generators are all optimal sets up to
    multipliers (the first 16 where there are more).
    """
    from hopscape.store import Store

    searching = {
        "--table": table is not None,
        "--processes": processes is not None,
        "--dask": dask is not None,
        "--device": device != "cpu",
    }
    if not prove and build is None and any(searching.values()):
        name = next(name for name, given in searching.items() if given)
        raise ArgumentError(f"{name} is for --prove and --build, which search")
    if prove and build is not None:
        raise ArgumentError("give either --prove or --build")
    if degree is None and nodes is None:
        if prove or build is not None:
            raise ArgumentError("--prove and --build need --degree and --nodes")
        emit_rows(_contents(), style, output, columns=_CONTENTS)
        return
    if not prove and build is None:
        _emit(_look_up(degree, nodes), style, output)
        return
    if degree is None or nodes is None:
        raise ArgumentError("--prove and --build need --degree and --nodes")
    with Store(table) as kept:
        options: dict[str, Any] = {"table": kept, "processes": processes, "dask": dask}
        options["device"] = device
        if build is not None:
            _build(degree, nodes, build, options, style, output)
        else:
            _prove(_look_up(degree, nodes), options, style, output)


def atlas_largest(
    diameter: Annotated[
        int, typer.Option("--diameter", help="Up to this diameter.", min=1, max=100)
    ] = 10,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """List the largest circulants of each degree and diameter, and what is proved of each."""
    from hopscape.search.atlas import largest_table

    columns = {
        "degree": "degree",
        "diameter": "diameter",
        "nodes": "nodes",
        "bound": "bound",
        "known": "known",
        "generators": "generators",
    }
    rows = largest_table(diameter)
    if style is Format.table:
        rows = [row | {"generators": ", ".join(map(str, row["generators"]))} for row in rows]
    emit_rows(rows, style, output, columns=columns)


def _contents() -> list[dict[str, Any]]:
    from hopscape.families.circulant.atlas import atlas_contents

    formula = {"degree": 4, "low": 5, "high": 100_000, "rows": 99_996, "how": "formula"}
    rows = [
        {"degree": degree} | {key: entry[key] for key in ("low", "high", "rows", "sha256")}
        for degree, entry in atlas_contents().items()
    ]
    rows = [row | {"how": "search"} for row in rows] + [formula | {"sha256": None}]
    return sorted(rows, key=lambda row: row["degree"])


def _look_up(degree: int | None, nodes: str | None) -> list[AtlasRow]:
    """Rows of the atlas; refuse what it does not have."""
    from hopscape.families.circulant.atlas import atlas_contents, atlas_rows

    orders = orders_of(nodes) if nodes is not None else None
    low, high = (orders[0], orders[-1]) if orders else (0, None)
    degrees = sorted([4, *atlas_contents()]) if degree is None else [degree]
    rows = [row for d in degrees for row in atlas_rows(d, low, high)]
    if not rows:
        size = f"nodes {nodes}" + ("" if degree is None else f" of degree {degree}")
        raise ArgumentError(
            f"the atlas has no circulant with {size}; see: hopscape atlas circulant"
        )
    return rows


def _emit(rows: Sequence[AtlasRow], style: Format, output: Path | None) -> None:
    records = [row.to_dict() for row in rows]
    if style is Format.table:
        records = [r | {"best": show_sets(r["sets"], r["count"])} for r in records]
    emit_rows(records, style, output, columns=_COLUMNS)


def _prove(
    rows: Sequence[AtlasRow], options: dict[str, Any], style: Format, output: Path | None
) -> None:
    from hopscape.search.atlas import prove_rows

    records = [
        {"nodes": row.nodes, "degree": row.degree, "holds": not wrong, "difference": wrong}
        for row, wrong in prove_rows(rows, **options)
    ]
    columns = {"nodes": "nodes", "degree": "degree", "holds": "holds", "difference": "difference"}
    emit_rows(records, style, output, columns=columns)
    if not all(record["holds"] for record in records):
        raise typer.Exit(1)


def _build(
    degree: int,
    nodes: str,
    folder: Path,
    options: dict[str, Any],
    style: Format,
    output: Path | None,
) -> None:
    from hopscape.search.atlas import build_atlas

    orders = [n for n in orders_of(nodes) if n > degree and not (degree % 2 and n % 2)]
    if not orders:
        raise ArgumentError(
            f"nodes is {nodes!r}; no circulant of degree {degree} has such an order"
        )
    entry = build_atlas(degree, orders, folder, **options)
    emit_rows([{"degree": degree, "how": "search"} | entry], style, output, columns=_CONTENTS)
