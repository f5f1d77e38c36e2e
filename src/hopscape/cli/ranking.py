"""Rankings: as many rows and columns as a terminal has room for, and those of machines."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscape.cli.output import Format, emit, emit_rows, output_settings, say
from hopscape.core.errors import ArgumentError

if TYPE_CHECKING:
    from hopscape.design.designer import Design

__all__ = ["show_ranking", "show_rows", "show_sweep", "sweep_sizes"]

_TERMINAL_ROWS = 10  # with headings and answer a screen of 24 lines; files get all rows

_NAMED = {"name": -1.0, "spec": 1e9}
"""Rows with plain names keep these to the last, and their specs where there is room."""


def show_rows(
    rows: list[dict[str, Any]],
    titles: dict[str, str],
    top: int | None,
    title: str,
) -> None:
    """Print the ranking: on a terminal the first rows only."""
    from hopscape.design.table import SIGNS, importance

    people = output_settings.output is None and sys.stdout.isatty()
    listed = rows[: top if top is not None else _TERMINAL_ROWS if people else None]
    emit_rows(
        listed,
        title=title,
        columns=titles,
        priority=importance(titles) | (_NAMED if "name" in titles else {}),
        brief={"remark": "brief"},
        legend=SIGNS,
    )
    if people and len(listed) < len(rows):
        say(f"{len(rows) - len(listed)} more: --top {len(rows)}; all columns: --format json")


def _emit_ranking(
    result: Design,
    records: Sequence[Mapping[str, Any]],
    **more: Any,
) -> None:
    """A ranking for scripts: all that is known of it in JSON, its rows in other formats."""
    if output_settings.style is not Format.json:
        emit_rows(records)
        return
    head = {"requirements": result.requirements.to_dict(), "complete": result.complete}
    notes = [*result.notes, *_left_aside(result)]
    tail = {"candidates": records, "curves": result.curve_points, "notes": notes}
    emit(head | more | tail)


def _left_aside(result: Design) -> list[str]:
    """Families that the question is not for, in a line."""
    return [f"not considered: {result.unfit}"] if result.unfit else []


def show_ranking(result: Design, names: Sequence[str], pareto: bool, top: int | None) -> None:
    """Print the ranking, the answer in words, and what was simulated.

    Args:
        names: Columns to show; the usual ones of the kind of machine when empty.
        pareto: Only those that nobody dominates.
    """
    from hopscape.design.table import heads, ranking_rows, reasons

    listed = {
        one.spec: one
        for one in result.candidates
        if not (pareto and (one.dominated_by or one.equals or one.trouble))
    }
    if output_settings.style is not Format.table:
        records = [record for record in result.records() if record["spec"] in listed]
        more: dict[str, Any] = {"answer": result.answer}
        if result.kind == "switched":
            more["shortlist"] = [
                {"spec": one.spec, "name": one.name, "why": why} for one, why in result.shortlist()
            ]
        if result.kind == "switched":
            more["saturations"] = result.saturations
            more["examined"] = result.examined
        _emit_ranking(result, records[:top], **more)
        return
    timed = sum("step" in one.figures for one in result.candidates)
    plain = bool(timed) and not names
    if plain:
        names, top = _STEP_COLUMNS, timed if top is None else top
    elif result.kind == "switched" and top is None and not names and not pareto:
        _show_few(result)
        return
    shown = list(names) or list(result.presentation.columns)
    rows = [row for row in ranking_rows(result.candidates, shown) if row["spec"] in listed]
    titles = {"spec": "", "rank": "#"} | heads(shown) | {"score": "score", "remark": "remark"}
    titles["spec"] = "machine" if result.kind == "switched" else "network"
    if plain:  # by the names that the answer uses, as in the short table
        del titles["spec"]
        titles = {"name": "machine"} | titles | {"spec": "spec"}
        rows = [row | {"name": listed[row["spec"]].name or row["spec"]} for row in rows]
    show_rows(rows, titles, top, result.requirements.title)
    if output_settings.output is None:
        explained = result.candidates if result.kind == "direct" else listed.values()
        measured = [one for one in explained if result.kind == "switched" or not one.trouble]
        asked = [
            (one.spec, {n: one.figures[n] for n in names if n in one.figures}) for one in measured
        ]
        say(*filter(None, [*reasons(asked), result.answer]))
        _show_simulated(result)


_STEP_COLUMNS = (
    "step", "step_bound", "money", "step_cost", "step_loss", "line_throughput", "switches",
    "endpoints",
)  # fmt: skip
_FEW_COLUMNS = (
    "money", "line_throughput", "guaranteed_throughput", "guaranteed_routing", "tables_throughput",
    "hops", "reduce_time", "switches", "watts_per_endpoint", "endpoints",
)  # fmt: skip

_DEMANDED = (
    "survived_throughput",
    "blast_radius",
    "cables_moved",
    "switches_bought",
    "growth_cost",
)
"""Columns of demands that few make."""


def few_order(demanded: Iterable[str]) -> dict[str, float]:
    """Columns of the short table; a narrow terminal loses the last ones first.

    Examples:
        >>> list(few_order([]))[:3]
        ['name', 'money', 'guaranteed_throughput']
    """
    return {n: float(i) for i, n in enumerate(
        ("name", "money", "guaranteed_throughput", *demanded, "line_throughput",
         "guaranteed_routing", "why", "reduce_time", "spec", "tables_throughput", "hops",
         "watts_per_endpoint", "switches", "endpoints"),
    )}  # fmt: skip


def _show_few(result: Design) -> None:
    """Print three to five machines that differ in kind, and the answer in words."""
    from hopscape.design.table import SIGNS, cell, heads

    demanded = [name for name in _DEMANDED if any(name in c.figures for c in result.candidates)]
    usual = (*_FEW_COLUMNS[:5], *demanded, *_FEW_COLUMNS[5:])
    rows = []
    for one, why in result.shortlist():
        row: dict[str, Any] = {"name": one.name or one.spec, "why": why, "spec": one.spec}
        row |= {n: cell(n, one.figures[n]) for n in usual if n in one.figures}
        rows.append(row)
    titles = {"name": "machine", "why": "why"} | heads(usual) | {"spec": "spec"}
    order = few_order(demanded)
    spec = titles.pop("spec")
    titles["spec"] = spec
    emit_rows(rows, title=result.requirements.title, columns=titles, priority=order, legend=SIGNS)
    if output_settings.output is None:
        more = len(result.candidates) - len(rows)
        if more > 0:
            say(f"{more} more: --top {len(result.candidates)}; all columns: --format json")
        say(*filter(None, [result.answer]))
        _show_simulated(result)


def _show_simulated(result: Design) -> None:
    """Print the points of curves, or the saturations, of finalists."""
    from hopscape.design.table import heads

    if result.saturations:
        from hopscape.design.saturations import SATURATIONS

        columns = heads(tuple(SATURATIONS)) | {"spec": "machine"}
        emit_rows(result.saturations, columns=columns, title="simulated saturation")
    if result.curve_points:
        columns = {"spec": "network", "offered": "offered", "accepted": "accepted"}
        columns |= {"latency": "latency", "saturated": "saturated"}
        emit_rows(result.curve_points, columns=columns, title="uniform traffic")
    for note in (*result.notes, *_left_aside(result)):
        say(note)


def sweep_sizes(text: str) -> list[int]:
    """Sizes of ``--sweep``, each once, the smallest first.

    Examples:
        >>> sweep_sizes("1024, 256")
        [256, 1024]
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not all(word.isdigit() for word in words):
        raise ArgumentError(f"--sweep {text!r} must be numbers of endpoints, such as 256,1024,4096")
    return sorted({int(word) for word in words})


def show_sweep(rows: Sequence[Mapping[str, Any]], figure: Path | None) -> None:
    """Print the best machine of every family by size, and draw it."""
    if figure is not None:
        from hopscape.design.which import draw_sweep

        draw_sweep(rows, figure)
    columns = {
        "asked": "asked",
        "family": "family",
        "spec": "machine",
        "endpoints": "endpoints",
        "switches": "switches",
        "cost": "cost",
        "cost_per_endpoint": "per endpoint",
        "watts_per_endpoint": "W/endpoint",
        "throughput": "uniform",
        "guaranteed_throughput": "guaranteed",
    }
    emit_rows(rows, columns=columns, wrapper="sweep")
