"""Making the atlas of circulants, and proving its rows again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Unpack

from hopscape.papers.circulant.atlas import (
    MOST_SETS,
    AtlasRow,
    atlas_contents,
    best_found,
    largest_order,
    most_nodes,
    write_rows,
)
from hopscape.papers.circulant.search import CirculantOptimum, Work, best_circulants

__all__ = ["build_atlas", "largest_table", "prove_rows"]


def build_atlas(
    degree: int,
    orders: Sequence[int],
    folder: Path,
    **work: Unpack[Work],
) -> dict[str, Any]:
    """Search orders of one degree and write their file; its entry for the contents is returned.

    The contents of the folder are brought up to date; other degrees in it stay.

    Args:
        **work: As for :func:`~hopscape.papers.circulant.search.best_circulants`.
    """
    rows = [_row(optimum, degree) for optimum in best_circulants(orders, degree=degree, **work)]
    folder.mkdir(parents=True, exist_ok=True)
    name = f"degree-{degree:02}.csv.xz"
    entry = {
        "low": rows[0].nodes,
        "high": rows[-1].nodes,
        "rows": len(rows),
        "file": name,
        "sha256": write_rows(rows, folder / name),
    }
    contents = folder / "contents.json"
    known = json.loads(contents.read_text(encoding="utf-8")) if contents.exists() else {}
    known[str(degree)] = entry
    ordered = dict(sorted(known.items(), key=lambda item: int(item[0])))
    contents.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    return entry


def prove_rows(rows: Sequence[AtlasRow], **work: Unpack[Work]) -> Iterator[tuple[AtlasRow, str]]:
    """Search the orders of some rows again; each row comes with the first difference, or "".

    Args:
        **work: As for :func:`~hopscape.papers.circulant.search.best_circulants`.
    """
    for degree in sorted({row.degree for row in rows}):
        mine = [row for row in rows if row.degree == degree]
        found = best_circulants([row.nodes for row in mine], degree=degree, **work)
        for row, optimum in zip(mine, found, strict=True):
            yield row, _difference(row, optimum)


def _row(optimum: CirculantOptimum, degree: int) -> AtlasRow:
    sets = optimum.sets
    return AtlasRow(
        optimum.nodes, degree, optimum.diameter, optimum.total, len(sets), sets[:MOST_SETS]
    )


def _difference(row: AtlasRow, optimum: CirculantOptimum) -> str:
    """The first thing that the search says otherwise."""
    if row.diameter != optimum.diameter:
        return f"diameter {row.diameter}, by search {optimum.diameter}"
    if row.total != optimum.total:
        return f"sum of distances {row.total}, by search {optimum.total}"
    if row.count is None:
        return ""  # a formula gives one of the sets, not necessarily the canonical one
    if row.count != len(optimum.sets):
        return f"{row.count} optimal sets, by search {len(optimum.sets)}"
    if row.sets != optimum.sets[:MOST_SETS]:
        return "other generators than the search found"
    return ""


def largest_table(most: int = 10) -> list[dict[str, Any]]:
    """The largest circulants of each degree and diameter, with the bound and what is proved.

    Where the atlas ends before the bound, the best set found otherwise is named if it is larger:
    by multiplier orbits on a GPU, by annealing, and for degree 8 by the formula of R. R. Lewis
    (The degree-diameter problem for circulant graphs of degree 8 and 9, 2014).

    Examples:
        >>> row = next(r for r in largest_table() if (r["degree"], r["diameter"]) == (8, 4))
        >>> row["nodes"], row["known"]
        (248, 'proved')
    """
    others = {(degree, d): (nodes, sets) for degree, d, nodes, sets in best_found()}
    degrees = {4, *atlas_contents(), *(degree for degree, _ in others)}
    table = []
    for degree in sorted(degrees):
        for d in range(1, most + 1):
            entry = _largest(degree, d, others.get((degree, d)))
            if entry is not None:
                entry["bound"] = most_nodes(d, degree)
                table.append({"degree": degree, "diameter": d} | entry)
    return table


def _largest(degree: int, d: int, other: tuple[int, list[int]] | None) -> dict[str, Any] | None:
    """The larger of the atlas's entry and the other one, with what is known of it."""
    held = largest_order(d, degree) if degree == 4 or degree in atlas_contents() else None
    if held is not None and (held[1] or other is None or held[0].nodes >= other[0]):
        row, proved = held
        last = row.nodes if degree == 4 else int(atlas_contents()[degree]["high"])
        if proved or row.nodes + 1 + degree % 2 <= last:
            known = "proved" if proved else f"largest up to {last} nodes"
            return {"nodes": row.nodes, "generators": list(row.sets[0]), "known": known}
    if other is None:
        return None  # the atlas ends within this diameter
    return {"nodes": other[0], "generators": other[1], "known": "best found"}
