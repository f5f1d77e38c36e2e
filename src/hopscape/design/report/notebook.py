"""Designs and curves in a notebook: words, a plot with names on hover, the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hopscape.core.records import Records
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.report.plots import curve_plot, scatter
from hopscape.design.report.texts import AnyDesign, curve_words
from hopscape.design.table import ranking_rows

__all__ = ["curve_view", "design_view"]

_SHOWN = 20


def design_view(found: AnyDesign) -> str:
    """The answer, the first plot, and the first of the ranking."""
    look = found.presentation
    parts = [f"<p><b>{escape(look.title)}</b></p>"]
    parts += [f"<p>{escape(thought)}</p>" for thought in look.answer]
    for x, y, caption in look.plots[:1]:
        drawn = scatter(found.candidates, x, y, caption)
        parts += [] if drawn is None else [_figure(drawn, caption)]
    heads = {"rank": "#", "spec": "network"}
    heads |= {name: ALL_COLUMNS[name].title for name in look.columns} | {"score": "score"}
    rows = ranking_rows(found.candidates, look.columns)
    allowed = [row for row, one in zip(rows, found.candidates, strict=True) if not one.trouble]
    shown = [{head: row.get(key) for key, head in heads.items()} for row in allowed[:_SHOWN]]
    parts.append(Records(shown)._repr_html_())
    if (left := len(rows) - len(shown)) > 0:
        parts.append(f"<p>and {left} more candidates</p>")
    return "".join(parts)


def curve_view(rows: Sequence[Mapping[str, Any]], title: str) -> str:
    """Curves with their points on hover, and what they show."""
    drawn = _figure(curve_plot(rows, title), title) if rows else ""
    return drawn + "".join(f"<p>{escape(words)}</p>" for words in curve_words(rows))


def _figure(drawn: bytes, caption: str) -> str:
    return (
        f'<figure style="max-width:44rem;margin:0">{drawn.decode()}'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )
