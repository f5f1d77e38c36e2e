"""The report as one HTML page: styles, script and pictures inside.

Tables and pictures stand without the script, which sorts, weighs anew and lights up names. The
page's own policy lets nothing else run and loads nothing.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from hopscape._version import __version__
from hopscape.core.tables import in_table
from hopscape.design.candidates import Candidate
from hopscape.design.columns import ALL_COLUMNS, columns_of
from hopscape.design.designer import Design
from hopscape.design.ranking import Presentation
from hopscape.design.report.floor import Floor, ReportPicture, best_floor, bill_title, pictures
from hopscape.design.report.markdown import BEST_AT, bill_rows
from hopscape.design.report.text import (
    curve_words,
    finalists,
    how_rows,
    paid,
    shown_figure,
    stated_figure,
    winners,
)
from hopscape.design.steps import best_timeline
from hopscape.design.table import importance, legend, ranking_rows
from hopscape.design.words import deciding, standing
from hopscape.workloads.gantt import SCRUB, timeline_figure, timeline_svg

__all__ = ["Option", "html_report"]

Option = tuple[str, str, bool]
"""Name, value, and whether it was given."""

_MAIN, _NARROW = 8, 3  # columns that screens of 1,440 and 390 pixels have room for
_FRONT = "undominated"
_MOST_WEIGHT = 8


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def html_report(
    found: Design,
    command: str,
    drawn: Sequence[ReportPicture] | None = None,
    *,
    floor: Floor | None = None,
    options: Sequence[Option] = (),
    explorer: str = "",
) -> str:
    """The whole report as one page.

    Args:
        found: Design
        command: That asks for the same.
        drawn: The pictures, where they are drawn already.
        floor: Of the first one, where it is known already.
        options: All options of the command with their values.
        explorer: Name of the page beside it in which the finalists can be explored.
    """
    look = found.presentation
    floor = best_floor(found) if floor is None else floor
    shown_ = list(pictures(found, floor)) if drawn is None else drawn
    moment = _timeline(found)
    parts = [
        *_head(f"{found.best.spec}: {look.title}", scrubs=bool(moment)),
        *_first_screen(found, look),
        _weights(look),
        *_ranking(found, look),
        *_figures(shown_, "ranking"),
        "<h2>Best by criterion</h2>",
        _table(BEST_AT, [(*one.row, paid(one, found)) for one in winners(found)], text=4),
        *_networks(found, shown_, explorer),
        *(_paragraphs(found.notes)),
        *_floor(floor, shown_),
        *moment,
        "<h2>How each number is known</h2>",
        *(_how(one) for one in finalists(found)),
        *_reproduce(command, options),
        f"<script>{_file('report.js')}</script></body></html>\n",
    ]
    return "\n".join(part for part in parts if part)


def _timeline(found: Design) -> list[str]:
    """A step on the first machine, to scrub through, where a job was asked for."""
    made = best_timeline(found.requirements, found.best.spec)
    if made is None:
        return []
    title = f"{made.workload.name} on {found.best.spec}"
    return [
        "<h2>One step, moment by moment</h2>",
        f"<p>What is executed of a step of {escape(title)}: of a long step a few layers and"
        " micro-batches.</p>",
        timeline_figure(timeline_svg(made, title)),
        f"<script>{SCRUB}</script>",
    ]


def _head(title: str, scrubs: bool = False) -> list[str]:
    texts = [_file("report.js"), *([SCRUB] if scrubs else [])]
    digests = (base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() for one in texts)
    allowed = " ".join(f"'sha256-{one}'" for one in digests)
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:;"
        f" script-src {allowed}; base-uri 'none';"
        " form-action 'none'"
    )
    return [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>",
        f"<style>{_file('report.css')}</style></head><body>",
    ]


def _paragraphs(lines: Iterable[str], kind: str = "") -> list[str]:
    mark = f' class="{kind}"' if kind else ""
    return [f"<p{mark}>{escape(line)}</p>" for line in lines]


# -- the answer -----------------------------------------------------------------------------------


def _first_screen(found: Design, look: Presentation) -> list[str]:
    best = found.best
    allowed = [one for one in found.candidates if not one.trouble]
    cards = []
    for criterion, column in deciding(best, look.criteria, look.weights):
        weight = look.weights.get(criterion, 0.0)
        said = f"{criterion}, weight {weight:g}" if weight else f"{criterion}, not weighed"
        cards.append(
            f"<li>{escape(ALL_COLUMNS[column].title)}"
            f" <b>{escape(stated_figure(best, column, found.currency))}</b>"
            f'{escape(standing(best, allowed, column))} <span class="note">({said})</span></li>'
        )
    first, *rest = look.answer or (f"Build {best.spec}.",)
    return [
        f'<h1>{escape(look.title)}</h1><p class="note">{escape(look.words)}</p>',
        "" if found.complete else "<p><b>Interrupted: this is what was known then.</b></p>",
        *_paragraphs([first], "lead"),
        f'<ul class="cards">{"".join(cards)}</ul>',
        *_paragraphs(rest),
    ]


def _weights(look: Presentation) -> str:
    """One slider for each criterion; the script shows them."""
    sliders = [
        f'<label>{escape(name)} <input type="range" min="0" max="{_MOST_WEIGHT}" step="0.5"'
        f' value="{min(look.weights.get(name, 0.0), _MOST_WEIGHT):g}">'
        f"<output>{look.weights.get(name, 0.0):g}</output></label>"
        for name in _criteria(look)
    ]
    return (
        '<fieldset id="weights" hidden><legend>What matters to you? The ranking follows.</legend>'
        f'{"".join(sliders)}<button id="reset" type="button">Reset</button>'
        '<p id="now" aria-live="polite"></p></fieldset>'
    )


def _criteria(look: Presentation) -> list[str]:
    return list(dict.fromkeys(name for name, _ in look.criteria))


# -- the ranking ----------------------------------------------------------------------------------


def _ranking(found: Design, look: Presentation) -> list[str]:
    """Those that nobody dominates; the dominated and the refused ones folded away."""
    rows = ranking_rows(found.candidates, look.columns)
    kinds: dict[str, list[tuple[Candidate, dict[str, Any]]]] = {"": [], "dom": [], "no": []}
    for one, row in zip(found.candidates, rows, strict=True):
        kinds["no" if one.trouble else "dom" if one.dominated_by or one.equals else ""].append(
            (one, row)
        )
    more = len(look.columns) - _MAIN
    cue = f" {more} more columns: tick the box." if more > 0 else ""
    out = [
        '<h2 id="ranking">Ranking</h2><p>Pareto-optimal candidates: no other is'
        " at least as good on every criterion."
        f'<span class="only-screen"> Click a heading to sort.{cue}</span></p>',
        _ranked(found, look, kinds[""], _FRONT),
        *_paragraphs([_signs(look, [one for one, _ in kinds[""]])], "note"),
    ]
    if kinds["dom"]:
        out += [
            f"<details><summary>Dominated ({len(kinds['dom'])}): another candidate is at least"
            " as good on every criterion</summary>",
            _ranked(found, look, kinds["dom"], "dominated"),
            "</details>",
        ]
    if kinds["no"]:
        out.append(_refused([one for one, _ in kinds["no"]]))
    if found.unfit:
        out += _paragraphs([f"Not considered: {found.unfit}."], "note")
    return out


def _signs(look: Presentation, shown: Sequence[Candidate]) -> str:
    """What the signs mean that are in the table."""
    return legend({n: m for n, m in one.figures.items() if n in look.columns} for one in shown)


def _classes(names: Sequence[str]) -> dict[str, str]:
    """Columns that wide and narrow screens have no room for go behind the box, by importance."""
    order = sorted(names, key=lambda name: importance([name])[name])
    return {
        name: " extra" if i >= _MAIN else " narrow" if i >= _NARROW else ""
        for i, name in enumerate(order)
    }


Rows = Sequence[tuple[Candidate, dict[str, Any]]]


def _ranked(found: Design, look: Presentation, rows: Rows, name: str) -> str:
    names = look.columns
    classes = _classes(names)
    heads = ['<th class="text spec">network</th><th>#</th><th>score</th>']
    for column in names:
        one = ALL_COLUMNS[column]
        mark = f' class="{classes[column].strip()}"' if classes[column] else ""
        heads.append(f'<th{mark} title="{escape(one.explanation)}">{escape(one.title)}</th>')
    remarks = any(row["remark"] for _, row in rows)
    if remarks:
        said = "remark" if name == _FRONT else "by whom"
        heads.append(f'<th class="text narrow">{said}</th>')
    body = [_row(look, one, row, classes, remarks, one is found.best) for one, row in rows]
    hidden = sum(1 for mark in classes.values() if mark)
    box = (
        f'<input type="checkbox" class="all" id="all-{name}"><label for="all-{name}"> all'
        f" {len(names)} columns</label>"
        if hidden
        else ""
    )
    return (
        f'<div>{box}<div class="wide" tabindex="0" role="region" aria-label="{name} candidates">'
        f'<table class="sortable ranking"><thead><tr>{"".join(heads)}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div></div>"
    )


def _row(
    look: Presentation,
    one: Candidate,
    row: dict[str, Any],
    classes: dict[str, str],
    remarks: bool,
    best: bool,
) -> str:
    own = look.grades.get(one.spec, {})
    grades = [round(own.get(name, 0.0), 6) for name in _criteria(look)]
    kind = ' class="best"' if best else ""
    line = [
        f'<td class="text spec">{escape(one.name)} <code>{escape(one.spec)}</code></td>'
        f'<td class="rank">{row["rank"]}</td>'
        f'<td class="score" data-value="{one.score or 0}">{escape(in_table(one.score))}</td>'
    ]
    for name, mark in ((name, classes[name]) for name in look.columns):
        value = one.value(name)
        known = value is not None and not isinstance(value, str)
        plain = f' data-value="{float(value)}"' if known else ""
        kept = f' class="{mark.strip()}"' if mark else ""
        line.append(f"<td{plain}{kept}>{escape(shown_figure(one, name))}</td>")
    if remarks:
        line.append(f'<td class="text remark narrow">{escape(row["remark"])}</td>')
    data = f' data-spec="{escape(one.spec)}" data-grades="{escape(json.dumps(grades))}"'
    data += f' data-name="{escape(one.name or one.spec)}"'
    data += " data-unproved" if one.unproved else ""
    return f"<tr{kind}{data}>{''.join(line)}</tr>"


def _refused(refused: Sequence[Candidate]) -> str:
    names = [n for n in columns_of("refused") if any(one.value(n) is not None for one in refused)]
    heads = "".join(f"<th>{escape(ALL_COLUMNS[name].title)}</th>" for name in names)
    rows = [
        f'<tr data-spec="{escape(one.spec)}"><td class="text"><code>{escape(one.spec)}</code></td>'
        f'<td class="text remark">{escape(one.trouble)}</td>'
        + "".join(f"<td>{escape(shown_figure(one, name))}</td>" for name in names)
        + "</tr>"
        for one in refused
    ]
    return (
        f"<details><summary>Rejected ({len(refused)}): the requirement that each one violates"
        "</summary>"
        '<div class="wide"><table><thead><tr><th class="text">network</th>'
        f'<th class="text">why not</th>{heads}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
        "</div></details>"
    )


# -- the rest -------------------------------------------------------------------------------------


def _figures(drawn: Sequence[ReportPicture], part: str) -> list[str]:
    out = []
    for one in (picture for picture in drawn if picture.part == part):
        if one.kind == "svg":
            inner = one.data.decode()
        else:
            source = f"data:image/png;base64,{base64.b64encode(one.data).decode()}"
            inner = f'<img alt="{escape(one.caption)}" src="{source}">'
        out.append(
            f'<figure id="{escape(one.name)}" class="{one.part}">{inner}'
            f"<figcaption>{escape(one.caption)}</figcaption></figure>"
        )
    return out


def _networks(found: Design, drawn: Sequence[ReportPicture], explorer: str) -> list[str]:
    out = ["<h2>The finalists</h2>", *_figures(drawn, "networks")]
    if explorer:
        out.append(
            f'<p>Turn them, route on them and break them: <a href="{escape(explorer)}">'
            f"{escape(explorer)}</a>, beside this file.</p>"
        )
    if not explorer and len(out) == 1:
        out += _paragraphs(["They are too large for a picture: hopscape explore SPEC -o page.html"])
    if found.saturations:
        names = [name for name in found.saturations[0] if name != "spec"]
        titles = ["machine", *(ALL_COLUMNS[name].title for name in names)]
        rows = [
            [row["spec"], *(in_table(row[name]) for name in names)] for row in found.saturations
        ]
        out += ["<h3>Simulated saturation</h3>", _table(titles, rows, 1)]
    if found.curve_points:
        out += ["<h3>Load and latency</h3>", *_figures(drawn, "curves")]
        out += _paragraphs(curve_words(found.curve_points))
    return out


def _floor(floor: Floor | None, drawn: Sequence[ReportPicture]) -> list[str]:
    if floor is None:
        return []
    heads, rows = bill_rows(floor)
    return [
        "<h2>Floor and parts</h2>",
        f"<p><code>{escape(floor.spec)}</code>: {bill_title(floor)}.</p>",
        *_figures(drawn, "floor"),
        "<h3>Bill of materials</h3>",
        _table(heads, rows, text=1),
        *_paragraphs(
            []
            if floor.bill.currency
            else ["Money: --prices prices switched machines (--endpoints)."],
            "note",
        ),
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]], text: int) -> str:
    """A table whose first columns are text."""

    def line(tag: str, cells: Sequence[Any]) -> str:
        marks = (" class='text'" if i < text else "" for i in range(len(cells)))
        return "".join(f"<{tag}{m}>{escape(in_table(x))}</{tag}>" for m, x in zip(marks, cells))

    body = "".join(f"<tr>{line('td', row)}</tr>" for row in rows)
    return (
        f'<div class="wide"><table><thead><tr>{line("th", heads)}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _how(one: Candidate) -> str:
    heads = ("figure", "value", "how it is known", "note", "what it is")
    table = _table(heads, how_rows(one), text=5)
    return f"<details><summary><code>{escape(one.spec)}</code></summary>{table}</details>"


def _reproduce(command: str, options: Sequence[Option]) -> list[str]:
    out = ["<h2>To reproduce this</h2>", f"<pre>{escape(command)}</pre>"]
    if options:
        rows = [(name, value, "given" if given else "as usual") for name, value, given in options]
        table = _table(("option", "value", ""), rows, text=3)
        out.append(f"<details><summary>All options and their values</summary>{table}</details>")
    return [*out, f'<p class="note">hopscape {escape(__version__)}</p>']
