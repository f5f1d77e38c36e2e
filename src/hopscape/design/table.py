"""Figures as records and as cells: the one table of 'compare' and 'design'."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hopscape.core.measured import Measured
from hopscape.core.tables import in_table
from hopscape.design.candidates import Candidate
from hopscape.design.columns import ALL_COLUMNS, columns_of
from hopscape.design.switched_columns import SWITCHED_KEYS

__all__ = [
    "SIGNS",
    "TABLE_COLUMNS",
    "cells",
    "figure_record",
    "heads",
    "importance",
    "legend",
    "machine_records",
    "ranking_records",
    "ranking_rows",
    "reasons",
]

TABLE_COLUMNS = tuple(columns_of("design"))

_FIRST = {"rank": -4, "spec": -3, "score": 3.1, "remark": 3.2}

SIGNS = {
    "~": "~ from a sample",
    "≤": "≤ upper bound, not proved least",
    "≥": "≥ lower bound",
    "<": "< 3: row 3 is at least as good on every criterion",
}
"""What the signs before figures mean."""


def figure_record(spec: str, found: Mapping[str, Measured[Any]]) -> dict[str, Any]:
    """Figures under the names that scripts rely on, with how each is known."""
    record: dict[str, Any] = {"spec": spec}
    for name, measured in found.items():
        value = measured.value
        if isinstance(value, Fraction):
            record[name] = float(value)
            record[f"{name}_exact"] = value
        else:
            record[name] = value
    record["how"] = {name: m.how for name, m in found.items()}
    record["notes"] = {name: m.note for name, m in found.items() if m.note}
    record["bounds"] = {
        name: [m.low, m.high]
        for name, m in found.items()
        if not m.exact and (m.low is not None or m.high is not None)
    }
    return record


def cell(name: str, measured: Measured[Any]) -> Any:
    """What a person sees of one figure."""
    value = measured.value
    if value is None:
        return None
    if isinstance(value, Fraction):
        value = float(value)
    sign = measured.sign
    unit = ALL_COLUMNS[name].unit if name in ALL_COLUMNS else ""
    if unit == "share":
        return f"{sign}{100 * value:.1f} %"
    if unit == "currency" and value >= 100:
        return f"{sign}{value:,.0f}"
    return f"{sign}{in_table(value)}" if sign else value


def cells(spec: str, found: Mapping[str, Measured[Any]]) -> dict[str, Any]:
    """One row of a table."""
    return {"spec": spec} | {name: cell(name, measured) for name, measured in found.items()}


def legend(rows: Iterable[Mapping[str, Measured[Any]]]) -> str:
    """What the signs in a table mean, those that are in it."""
    used = {measured.sign for row in rows for measured in row.values()}
    return "; ".join(text for sign, text in SIGNS.items() if sign in used)


def reasons(rows: Iterable[tuple[str, Mapping[str, Measured[Any]]]]) -> list[str]:
    """Why figures are not known, or what they leave aside, one line for each reason."""
    grouped: dict[str, tuple[dict[str, None], dict[str, None]]] = {}
    for spec, figures in rows:
        for name, measured in figures.items():
            column, note = ALL_COLUMNS[name], measured.note
            if measured.value is not None or measured.how != "unknown":
                start = note.find(column.aside[0]) if column.aside else -1
                note = note[start:] if start >= 0 else ""
            if note:
                specs, titles = grouped.setdefault(note, ({}, {}))
                specs[spec] = titles[column.title] = None
    return [
        f"{', '.join(titles)} of {', '.join(specs) if len(specs) < 4 else f'{len(specs)} networks'}"
        f": {note}"
        for note, (specs, titles) in grouped.items()
    ]


def heads(names: Sequence[str]) -> dict[str, str]:
    """Column names with their titles."""
    return {"spec": "network"} | {name: ALL_COLUMNS[name].title for name in names}


def ranking_records(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """Candidates for scripts: every column, null where it was not measured."""
    out = []
    for i, one in enumerate(candidates, 1):
        record = {"rank": i, "spec": one.spec, "family": one.family, "score": one.score}
        record |= dict.fromkeys(ALL_COLUMNS)
        record |= figure_record(one.spec, one.figures)
        record |= {
            "fits": False if one.trouble else None if one.unproved else True,
            "trouble": one.trouble,
            "unproved": one.unproved,
            "dominated_by": one.dominated_by,
            "equals": one.equals,
            "better_in": list(one.better_in),
            "why": f"better in {', '.join(one.better_in)}" if one.better_in else "",
            "stage": one.stage,
        }
        out.append(record)
    return out


def machine_records(
    ranked: Sequence[Candidate], listed: Sequence[Candidate]
) -> list[dict[str, Any]]:
    """Machines for scripts, under the keys that they rely on."""
    place = {one.spec: i for i, one in enumerate(ranked, 1)}
    out = []
    for one in listed:
        figures = {SWITCHED_KEYS.get(name, name): found for name, found in one.figures.items()}
        record = {"rank": place[one.spec], "name": one.name or one.spec, "spec": one.spec}
        record |= {"family": one.family, "also": list(one.also)}
        record |= figure_record(one.spec, figures)
        record |= {"score": one.score, "meets": list(one.meets), "trouble": one.trouble}
        out.append(record | {"dominated_by": one.dominated_by, "equals": one.equals})
    return out


def ranking_rows(
    candidates: Sequence[Candidate], names: Sequence[str] = TABLE_COLUMNS
) -> list[dict[str, Any]]:
    """Candidates for people."""
    place = {one.spec: i for i, one in enumerate(candidates, 1)}
    rows = []
    for i, one in enumerate(candidates, 1):
        shown = {n: cell(n, one.figures[n]) for n in names if n in one.figures}
        remark = brief = one.trouble
        if one.dominated_by:
            remark = f"dominated by {place[one.dominated_by]}: {_short(one.better_in)}"
            brief = f"< {place[one.dominated_by]}"
        elif one.equals:
            remark, brief = f"same figures as {place[one.equals]}", f"= {place[one.equals]}"
        remark, brief = ("; ".join(filter(None, (one.unproved, x))) for x in (remark, brief))
        row = {"spec": one.spec, "rank": i} | shown
        rows.append(row | {"score": one.score, "remark": remark, "brief": brief})
    return rows


def importance(names: Iterable[str]) -> dict[str, float]:
    """How soon columns go when a table is too wide: the larger, the sooner.

    Examples:
        >>> ranked = importance(["girth", "spec", "nodes", "score"])
        >>> sorted(ranked, key=lambda name: ranked[name])
        ['spec', 'score', 'girth', 'nodes']
    """
    return {name: _dispensable(name) for name in names}


def _dispensable(name: str) -> float:
    priority = ALL_COLUMNS[name].priority if name in ALL_COLUMNS else 0
    return _FIRST.get(name, priority or math.inf)


def _short(names: Sequence[str]) -> str:
    """Name the columns by their titles, the first few."""
    titles = [ALL_COLUMNS[name].title for name in names]
    return ", ".join(titles[:3]) + (", ..." if len(titles) > 3 else "")
