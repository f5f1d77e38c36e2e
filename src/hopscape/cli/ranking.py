"""A ranking on a terminal: as many rows as it has room for."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hopscape.cli.output import Format, emit_rows, say

__all__ = ["show_rows"]

_TERMINAL_ROWS = 20


def show_rows(
    rows: list[dict[str, Any]],
    titles: dict[str, str],
    top: int | None,
    title: str,
    output: Path | None,
) -> None:
    """Print the ranking: on a terminal the first rows only."""
    from hopscape.design.table import SIGNS, importance

    people = output is None and sys.stdout.isatty()
    listed = rows[: top if top is not None else _TERMINAL_ROWS if people else None]
    emit_rows(
        listed,
        Format.table,
        output,
        title=title,
        columns=titles,
        priority=importance(titles),
        brief={"remark": "brief"},
        legend=SIGNS,
    )
    if people and len(listed) < len(rows):
        say(f"{len(rows) - len(listed)} more: --top {len(rows)}; all columns: --format json")
