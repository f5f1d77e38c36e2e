"""A ranking on a terminal: as many rows and columns as it has room for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hopscape.cli.output import Format, emit_rows

__all__ = ["show_rows"]

_TERMINAL_ROWS = 20


def show_rows(
    rows: list[dict[str, Any]],
    titles: dict[str, str],
    top: int | None,
    title: str,
    chosen: bool,
    output: Path | None,
) -> None:
    """Print the ranking: on a terminal the first rows and as many columns as it is wide for."""
    from rich.console import Console

    from hopscape.design.table import fit_columns

    console = Console()
    people = output is None and console.is_terminal
    listed = rows[: top if top is not None else _TERMINAL_ROWS if people else None]
    if people and not chosen:
        listed, titles = fit_columns(listed, titles, console.width)
    emit_rows(listed, Format.table, output, title=title, columns=titles)
    if people and any(str(row.get("remark")).startswith("< ") for row in listed):
        print("< 3: dominated by 3, which is nowhere worse in what matters")
    if people and len(listed) < len(rows):
        print(f"{len(rows) - len(listed)} more: --top {len(rows)}; all columns: --format json")
