"""Optimal circulants: searched, and looked up in the atlas of every order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscape.cli.options import DaskOption, DeviceOption, ProcessesOption, TableOption, option
from hopscape.cli.output import Format, emit, emit_rows, look
from hopscape.core.errors import ArgumentError
from hopscape.core.numbers import number

if TYPE_CHECKING:
    from hopscape.families.circulant.atlas import AtlasRow

__all__ = ["atlas_circulant", "atlas_largest", "search_circulant"]

_MOST_ORDERS = 1_000_000
_SHOWN = 6
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
    degree: Annotated[int | None, option("Links of a node.")] = None,
    nodes: Annotated[str | None, option("An order, or a range such as 100..120.")] = None,
    prove: Annotated[bool, option("Search these orders again and compare.")] = False,
    build: Annotated[Path | None, option("Search, and write the data into this folder.")] = None,
    table: TableOption = None,
    processes: ProcessesOption = None,
    dask: DaskOption = None,
    device: DeviceOption = "cpu",
) -> None:
    """Look up the circulants of least diameter, then least mean distance, for every order.

    Without a degree or orders: what the atlas holds. The generators are all optimal sets up to
    multipliers (the first 16 where there are more).
    """
    from hopscape.search.circulant.atlas import build_atlas, prove_rows
    from hopscape.search.circulant.optimum import Work
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
        emit_rows(_contents(), columns=_CONTENTS)
        return
    if not prove and build is None:
        _emit(_look_up(degree, nodes))
        return
    if degree is None or nodes is None:
        raise ArgumentError("--prove and --build need --degree and --nodes")
    with Store(table) as kept:
        work = Work(table=kept, processes=processes, dask=dask, device=device)
        if build is None:
            rows = _look_up(degree, nodes)
            _emit_proofs(prove_rows(rows, **work))
            return
        orders = _buildable(degree, nodes)
        entry = build_atlas(degree, orders, build, **work)
    emit_rows([{"degree": degree, "how": "search"} | entry], columns=_CONTENTS)


def atlas_largest(
    diameter: Annotated[int, option("Up to this diameter.", min=1, max=100)] = 10,
) -> None:
    """List the largest circulants of each degree and diameter, and what is proved of each."""
    from hopscape.search.circulant.atlas import largest_table

    columns = {
        "degree": "degree",
        "diameter": "diameter",
        "nodes": "nodes",
        "bound": "bound",
        "known": "known",
        "generators": "generators",
    }
    rows = largest_table(diameter)
    if look.style is Format.table:
        rows = [row | {"generators": ", ".join(map(str, row["generators"]))} for row in rows]
    emit_rows(rows, columns=columns)


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

    orders = _orders(nodes) if nodes is not None else None
    low, high = (orders[0], orders[-1]) if orders else (0, None)
    degrees = sorted([4, *atlas_contents()]) if degree is None else [degree]
    rows = [row for d in degrees for row in atlas_rows(d, low, high)]
    if not rows:
        size = f"nodes {nodes}" + ("" if degree is None else f" of degree {degree}")
        raise ArgumentError(
            f"the atlas has no circulant with {size}; see: hopscape atlas circulant"
        )
    return rows


def _emit(rows: Sequence[AtlasRow]) -> None:
    records = [row.to_dict() for row in rows]
    if look.style is Format.table:
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


def _buildable(degree: int, nodes: str) -> list[int]:
    """Those orders that circulants of the degree can have."""
    orders = [n for n in _orders(nodes) if n > degree and not (degree % 2 and n % 2)]
    if not orders:
        raise ArgumentError(
            f"nodes is {nodes!r}; no circulant of degree {degree} has such an order"
        )
    return orders


def search_circulant(
    nodes: Annotated[str | None, option("An order, or a range such as 7..1000.")] = None,
    diameter: Annotated[int | None, option("Instead: the largest order of this diameter.")] = None,
    generators: Annotated[int | None, option("How many generators; 3 without.")] = None,
    degree: Annotated[
        int | None, option("Instead: links of a node; an odd degree takes N/2 as well.")
    ] = None,
    ring: Annotated[
        bool, option("Only sets with a unit generator, or all.", "--ring/--all")
    ] = False,
    table: TableOption = None,
    processes: ProcessesOption = None,
    dask: DaskOption = None,
    device: DeviceOption = "cpu",
) -> None:
    """Find the circulants of least diameter and mean distance, all of them up to multipliers."""
    from hopscape.search import best_circulants, largest_circulants
    from hopscape.search.circulant.optimum import Work
    from hopscape.store import Store

    if (nodes is None) == (diameter is None):
        raise ArgumentError("give either --nodes or --diameter")
    if generators is None and degree is None:
        generators = 3
    with Store(table) as kept:
        work = Work(table=kept, processes=processes, dask=dask, device=device)
        if diameter is not None:
            largest = largest_circulants(diameter, generators, degree=degree, ring=ring, **work)
            _emit_one(largest.to_dict())
            return
        assert nodes is not None
        orders = _orders(nodes)
        best = best_circulants(orders, generators, degree=degree, ring=ring, **work)
        rows = [found.to_dict() for found in best]
    if len(orders) == 1 and ".." not in nodes:
        _emit_one(rows[0])
        return
    columns = {
        "nodes": "nodes",
        "diameter": "diameter",
        "lower_bound": "bound",
        "mean_distance": "mean distance",
        "best": "best sets",
    }
    if look.style is Format.table:
        rows = [row | {"best": _show_sets(row["sets"])} for row in rows]
    emit_rows(rows, columns=columns)


def _orders(text: str) -> list[int]:
    """The orders of an option such as 100 or 7..1000."""
    first, _, last = text.partition("..")
    if not first.isdecimal() or (".." in text and not last.isdecimal()):
        raise ArgumentError(f"nodes is {text!r}; it must be a number or a range such as 7..1000")
    low, high = int(first), int(last or first)
    if low > high:
        raise ArgumentError(f"nodes is {text!r}; the range is empty")
    if high - low >= _MOST_ORDERS:
        raise ArgumentError(f"nodes is {text!r}; a range may have at most {_MOST_ORDERS} orders")
    return list(range(low, high + 1))


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
