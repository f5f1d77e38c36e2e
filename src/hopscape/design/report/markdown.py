"""The report in Markdown.

Designs and curves in a notebook: words, a plot with names on hover, the table.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hopscape._version import __version__
from hopscape.core.tables import Records, in_markdown, in_table
from hopscape.design.candidates import Candidate
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.designer import Design
from hopscape.design.report.floor import Floor, ReportPicture, best_floor, bill_title, pictures
from hopscape.design.report.plots import curve_plot, scatter
from hopscape.design.report.text import curve_words, finalists, how_rows, paid, winners
from hopscape.design.table import TABLE_COLUMNS, legend, ranking_rows

__all__ = [
    "bill_rows",
    "curve_view",
    "design_view",
    "markdown_report",
    "markdown_table",
    "ranking_markdown",
]

BEST_AT = ("criterion", "network", "figure", "trade-off")


def markdown_report(
    found: Design,
    command: str,
    folder: str = "pictures",
    shown: Sequence[ReportPicture] | None = None,
    floor: Floor | None = None,
) -> str:
    """The report in Markdown; pictures are files in a folder beside it.

    The rest is as for :func:`hopscape.design.report.page.html_report`.
    """
    look = found.presentation
    floor = best_floor(found) if floor is None else floor
    drawn = list(pictures(found, floor)) if shown is None else shown
    best_at = [(*one.row, paid(one, found)) for one in winners(found)]
    lines = [f"# {in_markdown(look.title)}", "", in_markdown(look.words), ""]
    for thought in look.answer:
        lines += [in_markdown(thought), ""]
    lines += [] if found.complete else ["Interrupted: this is what was known then.", ""]
    lines += ["## Ranking", "", *ranking_markdown(found.candidates, look.columns), ""]
    lines += [in_markdown(legend(one.figures for one in found.candidates)), ""]
    lines += [in_markdown(f"Not considered: {found.unfit}."), ""] if found.unfit else []
    lines += ["## Best by criterion", "", *markdown_table(BEST_AT, best_at), ""]
    lines += ["## Pictures", ""]
    for one in drawn:
        lines += [f"![{in_markdown(one.caption)}]({folder}/{one.name}.{one.kind})", ""]
    for words in (*curve_words(found.curve_points), *found.notes):
        lines += [in_markdown(words), ""]
    if floor is not None:
        heads, rows = bill_rows(floor)
        lines += [
            "## Floor and parts",
            "",
            in_markdown(f"`{floor.spec}`: {bill_title(floor)}."),
            "",
        ]
        lines += [*markdown_table(heads, rows), ""]
    lines += ["## How each number is known", ""]
    for finalist in finalists(found):
        figures = [row[:4] for row in how_rows(finalist)]
        lines += [in_markdown(f"### `{finalist.spec}`"), ""]
        lines += [*markdown_table(("figure", "value", "how it is known", "note"), figures), ""]
    fence = "`" * (1 + max([2, *map(len, re.findall("`+", command))]))  # longer than any within
    lines += ["## To reproduce this", "", fence, command, fence, "", f"hopscape {__version__}", ""]
    return "\n".join(lines)


def bill_rows(floor: Floor) -> tuple[list[str], list[list[Any]]]:
    """Heads and rows of the bill of materials; money and power only with a price list."""
    bill = floor.bill
    heads = ["part", "pieces", "metres"]
    rows: list[list[Any]] = [[p.part, p.pieces, _rounded(p.metres)] for p in bill.parts]
    if not bill.currency:
        return heads, rows
    for row, part in zip(rows, bill.parts, strict=True):
        row += [f"{part.money or 0:,.2f}", f"{part.watts or 0:,.0f}"]
    rows.append(["in all", None, _rounded(bill.metres), f"{bill.cost:,.2f}", f"{bill.watts:,.0f}"])
    return [*heads, bill.currency, "W"], rows


def _rounded(metres: float | None) -> float | None:
    return None if metres is None else round(metres, 1)


def ranking_markdown(
    candidates: Sequence[Candidate], names: Sequence[str] = TABLE_COLUMNS
) -> list[str]:
    """The ranking as the lines of a table."""
    heads = ("#", "network", *(ALL_COLUMNS[name].title for name in names), "score", "remark")
    rows = []
    for row in ranking_rows(candidates, names):
        figures = [row.get(name) for name in names]
        rows.append((row["rank"], f"`{row['spec']}`", *figures, row["score"], row["remark"]))
    return markdown_table(heads, rows)


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """A table, line by line."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += [
        "| " + " | ".join(in_markdown(in_table(x)).replace("|", "\\|") for x in row) + " |"
        for row in rows
    ]
    return lines


_SHOWN = 20


def design_view(found: Design) -> str:
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
