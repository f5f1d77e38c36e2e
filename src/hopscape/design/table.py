"""Figures as records and as cells: the one table of 'compare' and 'design'."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hopscape.core.measured import Measured
from hopscape.design.candidates import Candidate
from hopscape.design.columns import ALL_COLUMNS

__all__ = ["TABLE_COLUMNS", "cells", "figure_record", "legend", "ranking_records", "ranking_rows"]

TABLE_COLUMNS = (
    "endpoints",
    "ports",
    "links",
    "hops",
    "far",
    "mean_gap",
    "throughput",
    "worst_permutation",
    "vcs",
    "table_bytes",
    "broadcast",
    "allreduce",
    "cable",
    "growth",
)

_MARKS = {"sampled": "~", "bound": "≤"}
_LEGEND = {
    "~": "~ from a sample",
    "≤": "≤ upper bound, not proved least",
    "≥": "≥ lower bound, from a sample",
}


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
    return record


def mark(measured: Measured[Any]) -> str:
    """A sign before a value that is not exact."""
    if measured.value is None:
        return ""
    if measured.how == "sampled" and measured.note.startswith("lower bound"):
        return "≥"
    return _MARKS.get(measured.how, "")


def cell(name: str, measured: Measured[Any]) -> Any:
    """What a person sees of one figure."""
    value = measured.value
    if value is None:
        return None
    if isinstance(value, Fraction):
        value = float(value)
    sign = mark(measured)
    if name == "mean_gap":
        return f"{sign}{100 * value:.1f} %"
    if isinstance(value, float) and not isinstance(value, bool):
        return f"{sign}{value:.4f}" if sign else value
    return f"{sign}{value}" if sign else value


def cells(spec: str, found: Mapping[str, Measured[Any]]) -> dict[str, Any]:
    """One row of a table."""
    return {"spec": spec} | {name: cell(name, measured) for name, measured in found.items()}


def legend(rows: Iterable[Mapping[str, Measured[Any]]]) -> str:
    """What the signs in a table mean, those that are in it."""
    used = {mark(measured) for row in rows for measured in row.values()}
    return "; ".join(text for sign, text in _LEGEND.items() if sign in used)


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
            "fits": not one.trouble,
            "trouble": one.trouble,
            "dominated_by": one.dominated_by,
            "why": one.why,
            "stage": one.stage,
        }
        out.append(record)
    return out


def ranking_rows(
    candidates: Sequence[Candidate], names: Sequence[str] = TABLE_COLUMNS
) -> list[dict[str, Any]]:
    """Candidates for people."""
    place = {one.spec: i for i, one in enumerate(candidates, 1)}
    rows = []
    for i, one in enumerate(candidates, 1):
        shown = {n: cell(n, one.figures[n]) for n in names if n in one.figures}
        remark = one.trouble
        if one.dominated_by:
            remark = f"dominated by {place[one.dominated_by]}: {_short(one.why)}"
        rows.append({"spec": one.spec, "rank": i} | shown | {"score": one.score, "remark": remark})
    return rows


def _short(why: str) -> str:
    """Name the columns by their titles, the first few."""
    names = why.removeprefix("better in ").split(", ")
    titles = [ALL_COLUMNS[name].title if name in ALL_COLUMNS else name for name in names]
    return ", ".join(titles[:3]) + (", ..." if len(titles) > 3 else "")
