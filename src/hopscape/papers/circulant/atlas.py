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
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.families.circulant.closed_forms import ball, least_mean, nearest_double_loop, ulb
from hopscape.families.circulant.isomorphism import count_classes
from hopscape.papers.circulant.formulas import closed_form
from hopscape.papers.circulant.loops import most_loop_nodes, order_of_steps
from hopscape.store import renamed_arguments

if TYPE_CHECKING:
    from hopscape.papers.circulant.search import CirculantOptimum, SearchWork

__all__ = [
    "MOST_SETS",
    "AtlasRow",
    "atlas_contents",
    "atlas_degrees",
    "atlas_row",
    "atlas_rows",
    "best_found",
    "build_atlas",
    "largest_loops",
    "largest_of_steps",
    "largest_order",
    "largest_table",
    "most_nodes",
    "prove_rows",
    "published",
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
        classes: How many of them are not isomorphic; None where that was not counted.
        sets: The first of them in canonical form (all, up to :data:`MOST_SETS`). An odd degree has
            N/2 as its last generator.
        directed: Channels lead from v to v + s only; the degree counts those that leave a node.
    """

    nodes: int
    degree: int
    diameter: int
    total: int
    count: int | None
    classes: int | None
    sets: tuple[tuple[int, ...], ...]
    directed: bool = False

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
            "classes": self.classes,
            "sets": [list(s) for s in self.sets],
        }


@cache
def atlas_contents(*, directed: bool = False) -> dict[int, dict[str, Any]]:
    """What the atlas holds: for each degree the orders, the file and its checksum.

    Examples:
        >>> atlas_contents()[6]["high"] >= 10000, sorted(atlas_contents(directed=True))
        (True, [2, 3])
    """
    name = _contents_name(directed)
    text = files(_PACKAGE).joinpath("atlas_data", name).read_text(encoding="utf-8")
    return {int(degree): entry for degree, entry in json.loads(text).items()}


def _contents_name(directed: bool) -> str:
    return "directed.json" if directed else "contents.json"


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
    return _rows(degree, False).get(nodes) if degree in atlas_contents() else None


def atlas_rows(
    degree: int, low: int = 0, high: int | None = None, *, directed: bool = False
) -> Iterator[AtlasRow]:
    """All rows of a degree, by order.

    Raises:
        ArgumentError: When the atlas does not have this degree.
    """
    known = atlas_degrees(directed=directed)
    if degree not in known:
        listed = ", ".join(map(str, known))
        what = "directed circulants of the degrees" if directed else "the degrees"
        raise ArgumentError(f"degree is {degree}; the atlas has {what} {listed}")
    if degree == _CLOSED_FORM:
        last = _CLOSED_FORM_NODES if high is None else min(high, _CLOSED_FORM_NODES)
        yield from (_double_loop(nodes) for nodes in range(max(low, 5), last + 1))
        return
    for nodes, row in _rows(degree, directed).items():
        if low <= nodes and (high is None or nodes <= high):
            yield row


def atlas_degrees(*, directed: bool = False) -> list[int]:
    """The degrees that the atlas has.

    Examples:
        >>> atlas_degrees()[:4], atlas_degrees(directed=True)
        ([2, 3, 4, 5], [2, 3])
    """
    return sorted([*atlas_contents(directed=directed), *([] if directed else [_CLOSED_FORM])])


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
    return _cells("best_found.json")


@cache
def published() -> tuple[tuple[int, int, int, list[int]], ...]:
    """Large circulants of others, as :func:`best_found`; tests measure them.

    R. Feria-Puron, H. Perez-Roses and J. Ryan, Searching for large circulant graphs
    (arXiv:1503.07357); and the table of the largest that combinatoricswiki.org keeps.
    """
    return _cells("published.json")


def _cells(name: str) -> tuple[tuple[int, int, int, list[int]], ...]:
    text = files(_PACKAGE).joinpath("atlas_data", name).read_text(encoding="utf-8")
    return tuple(tuple(entry) for entry in json.loads(text))


def write_rows(rows: Iterable[AtlasRow], path: Path) -> str:
    """Write rows of one degree as compressed CSV; returns the checksum of the text."""
    lines = ["nodes,diameter,total,count,classes,sets"]
    for row in rows:
        sets = "|".join(" ".join(map(str, s)) for s in row.sets[:MOST_SETS])
        classes = "" if row.classes is None else row.classes
        figures = (row.nodes, row.diameter, row.total, row.count, classes)
        lines.append(",".join(map(str, (*figures, sets))))
    text = ("\n".join(lines) + "\n").encode()
    path.write_bytes(lzma.compress(text, preset=9))
    return hashlib.sha256(text).hexdigest()


def read_rows(
    data: bytes, degree: int, checksum: str, *, directed: bool = False
) -> dict[int, AtlasRow]:
    """Rows by order, from what :func:`write_rows` wrote.

    Raises:
        HopscapeError: When the checksum is another one.
    """
    text = lzma.decompress(data)
    if hashlib.sha256(text).hexdigest() != checksum:
        raise HopscapeError(f"the atlas of degree {degree} is damaged: its checksum is wrong")
    rows = {}
    for line in text.decode().splitlines()[1:]:
        nodes, diameter, total, count, classes, sets = line.split(",")
        generator_sets = tuple(tuple(map(int, s.split())) for s in sets.split("|"))
        rows[int(nodes)] = AtlasRow(
            int(nodes),
            degree,
            int(diameter),
            int(total),
            int(count),
            int(classes) if classes else None,
            generator_sets,
            directed,
        )
    return rows


@cache
def _rows(degree: int, directed: bool) -> Mapping[int, AtlasRow]:
    entry = atlas_contents(directed=directed)[degree]
    data = files(_PACKAGE).joinpath("atlas_data", entry["file"]).read_bytes()
    return read_rows(data, degree, entry["sha256"], directed=directed)


def _double_loop(nodes: int) -> AtlasRow:
    """(N; s, s+1), by formula: least diameter and least mean with two generators."""
    s = nearest_double_loop(nodes)
    total = least_mean(nodes, 2) * (nodes - 1)
    return AtlasRow(nodes, _CLOSED_FORM, ulb(nodes, 2), int(total), None, None, ((s, s + 1),))


@renamed_arguments(table="resume", processes="workers")
def build_atlas(
    degree: int,
    orders: Sequence[int],
    folder: Path,
    *,
    directed: bool = False,
    **work: Unpack[SearchWork],
) -> dict[str, Any]:
    """Search orders of one degree and write their file; its entry for the contents is returned.

    The contents of the folder are brought up to date; other degrees in it stay.

    Args:
        **work: As for :func:`~hopscape.papers.circulant.search.best_circulants`.
    """
    optima = _search(orders, degree, directed, work)
    rows = [_row(optimum, degree, directed) for optimum in optima]
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{'directed' if directed else 'degree'}-{degree:02}.csv.xz"
    entry = {
        "low": rows[0].nodes,
        "high": rows[-1].nodes,
        "rows": len(rows),
        "file": name,
        "sha256": write_rows(rows, folder / name),
    }
    contents = folder / _contents_name(directed)
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
    for degree, directed in sorted({(row.degree, row.directed) for row in rows}):
        mine = [row for row in rows if (row.degree, row.directed) == (degree, directed)]
        optima = _search([row.nodes for row in mine], degree, directed, work)
        for row, optimum in zip(mine, optima, strict=True):
            yield row, _difference(row, optimum)


def _search(
    orders: Sequence[int], degree: int, directed: bool, work: SearchWork
) -> Iterator[CirculantOptimum]:
    from hopscape.papers.circulant.loops import best_loops
    from hopscape.papers.circulant.search import best_circulants

    if not directed:
        return best_circulants(orders, degree=degree, **work)
    plain = dict(work)
    if plain.pop("device", "cpu") != "cpu":
        raise ArgumentError("device is 'gpu'; directed circulants are searched on the cpu")
    return best_loops(orders, degree, **plain)  # type: ignore[arg-type]


def _row(optimum: CirculantOptimum, degree: int, directed: bool) -> AtlasRow:
    sets = optimum.sets
    classes = count_classes(optimum.nodes, sets, directed=directed)
    return AtlasRow(
        optimum.nodes,
        degree,
        optimum.diameter,
        optimum.total,
        len(sets),
        classes,
        sets[:MOST_SETS],
        directed,
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
    classes = row.classes
    if classes is not None:
        classes = count_classes(row.nodes, optimum.sets, directed=row.directed)
    if row.classes != classes:
        return f"{row.classes} optimal sets up to isomorphism, by search {classes}"
    if row.sets != optimum.sets[:MOST_SETS]:
        return "other generators than the search found"
    return ""


def largest_table(most: int = 10) -> list[dict[str, Any]]:
    """The largest circulants of each degree and diameter, with the bound and what is proved.

    Where the atlas ends before the bound, the best set found otherwise is named if it is larger:
    by multiplier orbits, by annealing, for degrees 8 to 11 by formula, or by others
    (:func:`published`).

    Examples:
        >>> row = next(r for r in largest_table() if (r["degree"], r["diameter"]) == (8, 4))
        >>> row["nodes"], row["known"]
        (248, 'proved')
    """
    others: dict[tuple[int, int], list[_Known]] = {}
    for known, cells in (("best found", best_found()), ("published", published())):
        for degree, d, nodes, generators in cells:
            others.setdefault((degree, d), []).append(_Known(nodes, tuple(generators), known))
    degrees = {4, *atlas_contents(), *(degree for degree, _ in others)}
    table = []
    for degree in sorted(degrees):
        for d in range(1, most + 1):
            entry = _largest(degree, d, others.get((degree, d), []))
            if entry is not None:
                entry["bound"] = most_nodes(d, degree)
                entry["generators"] = list(entry["generators"])
                table.append({"degree": degree, "diameter": d} | entry)
    return table


def largest_loops(most: int = 10) -> list[dict[str, Any]]:
    """The largest directed circulants of each degree and diameter as far as the atlas proves them.

    Examples:
        >>> [(row["degree"], row["nodes"]) for row in largest_loops(4) if row["diameter"] == 4]
        [(2, 11), (3, 27)]
    """
    table = []
    for degree, entry in atlas_contents(directed=True).items():
        for d in range(1, most + 1):
            bound = most_loop_nodes(d, degree)
            if bound > entry["high"]:
                break  # a larger one may stand beyond the end of the atlas
            row = max(
                (row for row in atlas_rows(degree, directed=True) if row.diameter <= d),
                key=lambda row: row.nodes,
            )
            table.append(
                {
                    "degree": degree,
                    "diameter": d,
                    "nodes": row.nodes,
                    "generators": list(row.sets[0]),
                    "known": "proved",
                    "bound": bound,
                }
            )
    return table


def largest_of_steps(
    generators: Sequence[int], most: int = 10, *, directed: bool = False
) -> list[dict[str, Any]]:
    """m(d, S) for every diameter d up to `most`: the most nodes with these very steps.

    Examples:
        >>> [row["nodes"] for row in largest_of_steps((1, 5, 21), 4)]
        [3, 17, 55, 97]
    """
    kind = 1 if directed else 2
    count = len(set(generators))
    orders = {  # the last is the dearest: it is refused first
        d: order_of_steps(generators, d, directed=directed) for d in range(most, 0, -1)
    }
    return [
        {
            "degree": kind * count,
            "diameter": d,
            "nodes": orders[d],
            "generators": list(generators),
            "known": "proved",
            "bound": most_loop_nodes(d, count) if directed else ball(d, count),
        }
        for d in range(1, most + 1)
    ]


class _Known(NamedTuple):
    nodes: int
    generators: tuple[int, ...]
    known: str


def _largest(degree: int, d: int, others: list[_Known]) -> dict[str, Any] | None:
    """The larger of the atlas's entry and the other ones, with what is known of it."""
    if d == 1:  # the complete graph meets the bound
        return _Known(degree + 1, tuple(range(1, (degree + 1) // 2 + 1)), "proved")._asdict()
    formula = closed_form(degree, d)
    if formula is not None:
        others = [_Known(*formula, "best by formula"), *others]
    other = max(others, default=None, key=lambda one: one.nodes)
    held = largest_order(d, degree) if degree == 4 or degree in atlas_contents() else None
    if held is not None and (held[1] or other is None or held[0].nodes >= other.nodes):
        row, proved = held
        last = row.nodes if degree == 4 else int(atlas_contents()[degree]["high"])
        known = "proved" if proved else f"largest up to {last} nodes"
        if not proved and row.nodes + 1 + degree % 2 > last:
            known = "best found"  # the atlas ends within this diameter
        return _Known(row.nodes, row.sets[0], known)._asdict()
    return None if other is None else other._asdict()
