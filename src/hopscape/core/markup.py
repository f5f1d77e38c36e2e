"""Tables in Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from hopscape.core.tables import Table, is_number

__all__ = ["write_markup"]

_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em;max-width:100%}"
    "table{border-collapse:collapse}caption{text-align:left;font-weight:bold}"
    "th,td{padding:.2em .8em;text-align:left;"
    "border-bottom:1px solid #8884;white-space:nowrap}td.number{text-align:right;"
    "font-variant-numeric:tabular-nums}p{max-width:60em}"
)


def write_markup(table: Table, notes: Sequence[str], kind: str) -> str:
    """A table in Markdown ('md'), as a page of its own ('html') or as a part of one ('html-part').

    Examples:
        >>> print(write_markup(Table({"a": "network", "b": "nodes"}, [("ring(8)", "8")]), [], "md"))
        | network | nodes |
        |---|--:|
        | ring(8) | 8 |
        <BLANKLINE>
    """
    numeric = [
        i > 0 and table.heading and all(is_number(row[i]) for row in table.rows)
        for i in range(len(table.heads))
    ]
    if kind == "md":
        return _markdown(table, notes, numeric)
    return (_part if kind == "html-part" else _page)(table, notes, numeric)


def _markdown(table: Table, notes: Sequence[str], numeric: Sequence[bool]) -> str:
    def line(cells: Sequence[str]) -> str:
        kept = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
        return f"| {' | '.join(kept)} |"

    out = [f"**{table.title}**", ""] if table.title else []
    out += [line([*table.heads.values()]), f"|{'|'.join('--:' if n else '---' for n in numeric)}|"]
    out += [line(row) for row in table.rows]
    for note in notes:
        out += ["", note]
    return "\n".join(out) + "\n"


def _part(table: Table, notes: Sequence[str], numeric: Sequence[bool]) -> str:
    rows = []
    for row in table.rows:
        cells = [
            f'<td class="number">{escape(cell)}</td>' if number else f"<td>{escape(cell)}</td>"
            for cell, number in zip(row, numeric)
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    head = "".join(f"<th>{escape(text)}</th>" for text in table.heads.values())
    parts = [
        f"<table>{f'<caption>{escape(table.title)}</caption>' if table.title else ''}",
        f"<thead><tr>{head}</tr></thead>" if table.heading else "",
        f"<tbody>\n{chr(10).join(rows)}\n</tbody></table>",
        *(f"<p>{escape(note)}</p>" for note in notes),
    ]
    return "\n".join(part for part in parts if part)


def _page(table: Table, notes: Sequence[str], numeric: Sequence[bool]) -> str:
    title = escape(table.title) or "hopscape"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>\n"
        f"{_part(table, notes, numeric)}\n</body></html>\n"
    )
