"""The atlas: optimal circulants of every order, found by exhaustive search and shipped as data.

Of one degree and order, the circulants of least diameter and, among them, of least mean distance.
The files are written by ``hopscape atlas circulant --build`` and proved again by ``--prove``; the
checksum of each stands in ``contents.json`` beside them.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.families.circulant.closed_forms import ball, least_mean, nearest_double_loop, ulb
from hopscape.store import renamed_arguments

if TYPE_CHECKING:
    from hopscape.papers.circulant.search import CirculantOptimum, SearchWork

__all__ = [
    "MOST_SETS",
    "AtlasRow",
    "atlas_contents",
    "atlas_row",
    "atlas_rows",
    "best_found",
    "build_atlas",
    "closed_form",
    "largest_order",
    "largest_table",
    "most_nodes",
    "prove_rows",
    "read_rows",
    "write_rows",
]

MOST_SETS = 16
"""Sets written down for a row; their number is kept whatever it is."""
_CLOSED_FORM = 4  # degree whose optimal sets are known by formula (double loops)
_CLOSED_FORM_NODES = 100_000  # the atlas ends there for degree 4; double_loop(N) has no end
_PACKAGE = "hopscape.papers.circulant"


@dataclass(frozen=True)
class AtlasRow:
    """The optimal circulants of one order and degree.

    Attributes:
        total: Sum of the distances from one node.
        count: How many optimal sets there are up to multipliers; None where only a formula is
            known.
        sets: The first of them in canonical form (all, up to :data:`MOST_SETS`). An odd degree has
            N/2 as its last generator.
    """

    nodes: int
    degree: int
    diameter: int
    total: int
    count: int | None
    sets: tuple[tuple[int, ...], ...]

    @property
    def mean(self) -> Fraction:
        """Mean distance over ordered pairs of distinct nodes."""
        return Fraction(self.total, self.nodes - 1)

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        return {
            "nodes": self.nodes,
            "degree": self.degree,
            "diameter": self.diameter,
            "mean_distance": float(self.mean),
            "mean_distance_exact": self.mean,
            "count": self.count,
            "sets": [list(s) for s in self.sets],
        }


@cache
def atlas_contents() -> dict[int, dict[str, Any]]:
    """What the atlas holds: for each degree the orders, the file and its checksum.

    Examples:
        >>> atlas_contents()[6]["high"] >= 10000
        True
    """
    text = files(_PACKAGE).joinpath("atlas_data", "contents.json").read_text(encoding="utf-8")
    return {int(degree): entry for degree, entry in json.loads(text).items()}


def atlas_row(nodes: int, degree: int) -> AtlasRow | None:
    """The row of one order and degree; None where the atlas has none.

    Examples:
        >>> row = atlas_row(55, 6)
        >>> row.diameter, row.sets[0]
        (3, (1, 5, 21))
        >>> atlas_row(1_000_000, 6) is None
        True
    """
    if degree == _CLOSED_FORM:
        return _double_loop(nodes) if 5 <= nodes <= _CLOSED_FORM_NODES else None
    return _rows(degree).get(nodes) if degree in atlas_contents() else None


def atlas_rows(degree: int, low: int = 0, high: int | None = None) -> Iterator[AtlasRow]:
    """All rows of a degree, by order.

    Raises:
        ArgumentError: When the atlas does not have this degree.
    """
    known = [_CLOSED_FORM, *atlas_contents()]
    if degree not in known:
        listed = ", ".join(str(d) for d in sorted(known))
        raise ArgumentError(f"degree is {degree}; the atlas has the degrees {listed}")
    if degree == _CLOSED_FORM:
        last = _CLOSED_FORM_NODES if high is None else min(high, _CLOSED_FORM_NODES)
        yield from (_double_loop(nodes) for nodes in range(max(low, 5), last + 1))
        return
    for nodes, row in _rows(degree).items():
        if low <= nodes and (high is None or nodes <= high):
            yield row


def most_nodes(d: int, degree: int) -> int:
    """No circulant of this degree and diameter has more nodes: N/2 is used once at most.

    Examples:
        >>> most_nodes(2, 6), most_nodes(2, 7)
        (25, 32)
    """
    most = ball(d, degree // 2)
    return most + ball(d - 1, degree // 2) if degree % 2 and d else most


def largest_order(d: int, degree: int) -> tuple[AtlasRow, bool] | None:
    """The largest order of diameter d that the atlas holds, and whether no other can be larger.

    Returns:
        (AtlasRow, bool) or None: The second is true when every order up to the bound was searched.

    Examples:
        >>> row, proved = largest_order(4, 6)
        >>> row.nodes, proved
        (117, True)
    """
    if degree == _CLOSED_FORM:
        nodes = 2 * d * d + 2 * d + 1
        row = atlas_row(nodes, degree)
        return (row, True) if row is not None else None
    fitting = [row for row in atlas_rows(degree) if row.diameter == d]
    if not fitting:
        return None
    return fitting[-1], most_nodes(d, degree) <= atlas_contents()[degree]["high"]


@cache
def best_found() -> tuple[tuple[int, int, int, list[int]], ...]:
    """Large circulants that no proof stands behind: degree, diameter, nodes, generators."""
    text = files(_PACKAGE).joinpath("atlas_data", "best_found.json").read_text(encoding="utf-8")
    return tuple(tuple(entry) for entry in json.loads(text))


def closed_form(degree: int, d: int) -> tuple[int, tuple[int, ...]] | None:
    """A large circulant of degree 8 or 9 and diameter d > 1 by formula: nodes and generators.

    The orders are those of R. R. Lewis (The degree-diameter problem for circulant graphs of degree
    8 and 9, 2014), the generators of degree 8 too; those of degree 9 were fitted to what a search
    among sets {1, s, a, a + t, N/2} found for diameters up to 12. Tests measure both.

    Examples:
        >>> closed_form(8, 7)
        (1712, (1, 215, 608, 616))
        >>> closed_form(9, 7)
        (2548, (1, 7, 521, 571, 1274))
        >>> closed_form(10, 7) is None
        True
    """
    if degree not in (8, 9) or d < 2:
        return None
    odd = d % 2
    if degree == 8 and odd:
        nodes = (d**4 + 2 * d**3 + 6 * d**2 + 6 * d + 1) // 2
        far, a = (d**3 + d**2 + 5 * d + 3) // 2, (d**4 + 2 * d**2 - 8 * d - 11) // 4
        return nodes, (1, far, a, a + d + 1)
    if degree == 8:
        nodes = (d**4 + 2 * d**3 + 6 * d**2 + 4 * d) // 2
        far, a = (d**3 + 2 * d**2 + 6 * d + 2) // 2, (d**4 + 4 * d**2 - 8 * d) // 4
        return nodes, (1, far, a, a + d)
    nodes = d**4 + 3 * d**2 + (0 if odd else 2 * d)
    if odd:
        sign = 1 if d % 4 == 1 else -1
        a = (d**4 + d**2 - 2 + sign * (d**3 + 3 * d)) // 4
        return nodes, (1, d, a, a + d**2 + 1, nodes // 2)
    a = nodes // 2 - (d**3 + d**2 + 2 * d + 2) // 2
    return nodes, (1, d + 1, a, a + d**2, nodes // 2)


def write_rows(rows: Iterable[AtlasRow], path: Path) -> str:
    """Write rows of one degree as compressed CSV; returns the checksum of the text."""
    lines = ["nodes,diameter,total,count,sets"]
    for row in rows:
        sets = "|".join(" ".join(map(str, s)) for s in row.sets[:MOST_SETS])
        lines.append(f"{row.nodes},{row.diameter},{row.total},{row.count},{sets}")
    text = ("\n".join(lines) + "\n").encode()
    path.write_bytes(lzma.compress(text, preset=9))
    return hashlib.sha256(text).hexdigest()


def read_rows(data: bytes, degree: int, checksum: str) -> dict[int, AtlasRow]:
    """Rows by order, from what :func:`write_rows` wrote.

    Raises:
        HopscapeError: When the checksum is another one.
    """
    text = lzma.decompress(data)
    if hashlib.sha256(text).hexdigest() != checksum:
        raise HopscapeError(f"the atlas of degree {degree} is damaged: its checksum is wrong")
    rows = {}
    for line in text.decode().splitlines()[1:]:
        nodes, diameter, total, count, sets = line.split(",")
        generator_sets = tuple(tuple(map(int, s.split())) for s in sets.split("|"))
        rows[int(nodes)] = AtlasRow(
            int(nodes), degree, int(diameter), int(total), int(count), generator_sets
        )
    return rows


@cache
def _rows(degree: int) -> Mapping[int, AtlasRow]:
    entry = atlas_contents()[degree]
    data = files(_PACKAGE).joinpath("atlas_data", entry["file"]).read_bytes()
    return read_rows(data, degree, entry["sha256"])


def _double_loop(nodes: int) -> AtlasRow:
    """(N; s, s+1), by formula: least diameter and least mean with two generators."""
    s = nearest_double_loop(nodes)
    total = least_mean(nodes, 2) * (nodes - 1)
    return AtlasRow(nodes, _CLOSED_FORM, ulb(nodes, 2), int(total), None, ((s, s + 1),))


@renamed_arguments(table="resume", processes="workers")
def build_atlas(
    degree: int,
    orders: Sequence[int],
    folder: Path,
    **work: Unpack[SearchWork],
) -> dict[str, Any]:
    """Search orders of one degree and write their file; its entry for the contents is returned.

    The contents of the folder are brought up to date; other degrees in it stay.

    Args:
        **work: As for :func:`~hopscape.papers.circulant.search.best_circulants`.
    """
    from hopscape.papers.circulant.search import best_circulants

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


@renamed_arguments(table="resume", processes="workers")
def prove_rows(
    rows: Sequence[AtlasRow], **work: Unpack[SearchWork]
) -> Iterator[tuple[AtlasRow, str]]:
    """Search the orders of some rows again; each row comes with the first difference, or "".

    Args:
        **work: As for :func:`~hopscape.papers.circulant.search.best_circulants`.
    """
    from hopscape.papers.circulant.search import best_circulants

    for degree in sorted({row.degree for row in rows}):
        mine = [row for row in rows if row.degree == degree]
        optima = best_circulants([row.nodes for row in mine], degree=degree, **work)
        for row, optimum in zip(mine, optima, strict=True):
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
    by multiplier orbits, by annealing, and for degrees 8 and 9 by :func:`closed_form`.

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


def _largest(degree: int, d: int, other: tuple[int, Sequence[int]] | None) -> dict[str, Any] | None:
    """The larger of the atlas's entry and the other one, with what is known of it."""
    if d == 1:  # the complete graph meets the bound
        steps = list(range(1, (degree + 1) // 2 + 1))
        return {"nodes": degree + 1, "generators": steps, "known": "proved"}
    formula = closed_form(degree, d)
    other = max((one for one in (other, formula) if one), default=None, key=lambda one: one[0])
    held = largest_order(d, degree) if degree == 4 or degree in atlas_contents() else None
    if held is not None and (held[1] or other is None or held[0].nodes >= other[0]):
        row, proved = held
        last = row.nodes if degree == 4 else int(atlas_contents()[degree]["high"])
        known = "proved" if proved else f"largest up to {last} nodes"
        if not proved and row.nodes + 1 + degree % 2 > last:
            known = "best found"  # the atlas ends within this diameter
        return {"nodes": row.nodes, "generators": list(row.sets[0]), "known": known}
    if other is None:
        return None
    known = "best by formula" if other == formula else "best found"
    return {"nodes": other[0], "generators": list(other[1]), "known": known}
