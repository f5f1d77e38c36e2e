"""The atlas: optimal circulants of every order, found by exhaustive search and shipped as data.

Of one degree and order, the circulants of least diameter and, among them, of least mean distance.
The files are written by ``hopscape atlas circulant --build``; the checksum of each stands in
``contents.json`` beside them.
"""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.families.circulant.closed_forms import ball, least_mean, nearest_double_loop, ulb

__all__ = [
    "MOST_SETS",
    "AtlasRow",
    "atlas_contents",
    "atlas_row",
    "atlas_rows",
    "best_found",
    "largest_order",
    "most_nodes",
    "read_rows",
    "write_rows",
]

MOST_SETS = 16
"""Sets written down for a row; their number is kept whatever it is."""
_CLOSED_FORM = 4
_CLOSED_FORM_NODES = 100_000
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
        found = tuple(tuple(map(int, s.split())) for s in sets.split("|"))
        rows[int(nodes)] = AtlasRow(
            int(nodes), degree, int(diameter), int(total), int(count), found
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
