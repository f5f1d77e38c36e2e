"""Rankings: as many rows and columns as a terminal has room for, and those of machines."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscape.cli.output import Format, emit, emit_rows, look, say
from hopscape.core.errors import ArgumentError

if TYPE_CHECKING:
    from hopscape.design.designer import Design
    from hopscape.design.switched import SwitchedDesign

__all__ = ["emit_ranking", "show_machines", "show_rows", "show_sweep", "sweep_sizes"]

_TERMINAL_ROWS = 20


def show_rows(
    rows: list[dict[str, Any]],
    titles: dict[str, str],
    top: int | None,
    title: str,
) -> None:
    """Print the ranking: on a terminal the first rows only."""
    from hopscape.design.table import SIGNS, importance

    people = look.output is None and sys.stdout.isatty()
    listed = rows[: top if top is not None else _TERMINAL_ROWS if people else None]
    emit_rows(
        listed,
        title=title,
        columns=titles,
        priority=importance(titles),
        brief={"remark": "brief"},
        legend=SIGNS,
    )
    if people and len(listed) < len(rows):
        say(f"{len(rows) - len(listed)} more: --top {len(rows)}; all columns: --format json")


def emit_ranking(
    found: Design | SwitchedDesign,
    records: Sequence[Mapping[str, Any]],
    **more: Any,
) -> None:
    """A ranking for scripts: all that is known of it in JSON, its rows in other formats."""
    if look.style is not Format.json:
        emit_rows(records)
        return
    head = {"requirements": found.requirements.to_dict(), "complete": found.complete}
    tail = {"candidates": records, "curves": found.curve_points, "notes": found.notes}
    emit(head | more | tail)


def show_machines(
    found: SwitchedDesign,
    names: Sequence[str],
    pareto: bool,
    top: int | None,
) -> None:
    """Print the ranking of switched machines and the answer in words."""
    from hopscape.design.columns import columns_of
    from hopscape.design.table import heads, machine_records, ranking_rows, reasons

    listed = [
        one
        for one in found.candidates
        if not (pareto and (one.dominated_by or one.equals or one.trouble))
    ]
    if look.style is not Format.table:
        records = machine_records(found.candidates, listed)[:top]
        more = {"answer": found.answer, "saturations": found.saturations}
        emit_ranking(found, records, **more)
        return
    shown = list(names) or columns_of("machines")
    by_spec = {row["spec"]: row for row in ranking_rows(found.candidates, shown)}
    rows = [by_spec[one.spec] for one in listed]
    titles = {"spec": "machine", "rank": "#"} | heads(shown)
    titles |= {"spec": "machine", "score": "score", "remark": "remark"}
    show_rows(rows, titles, top, found.requirements.title)
    if look.output is None:
        asked = [{n: one.figures[n] for n in names if n in one.figures} for one in listed]
        why = reasons((one.spec, figures) for one, figures in zip(listed, asked, strict=True))
        say(*filter(None, [*why, found.answer]))


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
