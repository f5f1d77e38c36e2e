"""The report: one HTML file that needs nothing else, and the same in Markdown."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from hopscape._version import __version__
from hopscape.core.errors import HopscapeError
from hopscape.core.tables import in_table
from hopscape.design.candidates import Candidate
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.designer import Design
from hopscape.design.switched import SwitchedDesign
from hopscape.design.table import TABLE_COLUMNS, cell, legend, ranking_rows

__all__ = ["html_report", "markdown_report", "markdown_table", "pictures", "winners"]

_WONG = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_SHAPES = "osD^v<>P*X"
_DRAWN = 4
_DRAWN_ORDER = 400

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1480px; padding: 0 1rem;
  color: #1a1a1a; background: #fff; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #ddd; }
table { border-collapse: collapse; font-size: 13px; } .wide { overflow-x: auto; }
th, td { padding: .25rem .55rem; border-bottom: 1px solid #e4e4e4; text-align: right;
  white-space: nowrap; }
th { cursor: pointer; background: #f4f6f8; position: sticky; top: 0; }
td.text, th.text { text-align: left; } td.remark { white-space: normal; min-width: 16rem; }
tr.dominated td { color: #767676; } tr.refused td { color: #a33; }
tr.best td { background: #eaf4fb; font-weight: 600; }
figure { display: inline-block; margin: .5rem 1rem 1rem 0; vertical-align: top;
  width: min(36rem, 100%); }
figcaption { font-size: 13px; color: #555; }
img, svg { width: 100%; height: auto; } code, pre { font: 13px ui-monospace, monospace; }
pre { background: #f4f6f8; padding: .7rem; overflow-x: auto; }
"""

_SCRIPT = """
for (const head of document.querySelectorAll('table.sortable th')) {
  head.addEventListener('click', () => {
    const at = [...head.parentNode.children].indexOf(head);
    const body = head.closest('table').tBodies[0];
    const up = head.dataset.up !== '1';
    head.dataset.up = up ? '1' : '0';
    const key = row => {
      const text = row.children[at].dataset.value ?? row.children[at].textContent;
      const number = parseFloat(text);
      return Number.isNaN(number) ? text : number;
    };
    [...body.rows].sort((a, b) => {
      const x = key(a), y = key(b);
      const less = typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0)
        : typeof x === 'number' ? -1 : 1;
      return up ? less : -less;
    }).forEach(row => body.appendChild(row));
  });
}
document.body.dataset.ready = document.querySelectorAll('table.sortable tbody tr').length;
"""


# -- pictures -------------------------------------------------------------------------------------


Picture = tuple[str, str, str, bytes]
Found = Design | SwitchedDesign


def pictures(found: Found) -> Iterator[Picture]:
    """Name, caption, format and bytes of every picture: plots first, then drawings."""
    for x, y, caption in found.presentation.plots:
        data = _plot(found.candidates, x, y)
        if data is not None:
            yield f"{x}-{y}", caption, "svg", data
    for name, (caption, data) in found.curves.items():
        yield name, caption, "svg", data
    for one in _finalists(found)[:_DRAWN]:
        data = _drawing(one)
        if data is not None:
            place = found.candidates.index(one) + 1
            yield f"network-{place}", f"{place}. {one.spec}", "png", data


def _finalists(found: Found) -> list[Candidate]:
    allowed = [one for one in found.candidates if not one.trouble]
    return allowed[: found.finalists]


def _plot(candidates: Sequence[Candidate], x: str, y: str) -> bytes | None:
    """Every candidate as a point in the colour of its family, the first ones by their rank."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    points = _points(candidates, x, y)
    if len(points) < 2:
        return None
    families = list(dict.fromkeys(one.family for _, one, _, _ in points))
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "hopscape", "font.size": 8}):
        figure = Figure(figsize=(7.0, 3.8), layout="constrained")
        axes: Any = figure.add_subplot()
        for i, name in enumerate(families):
            style = {"color": _WONG[i % len(_WONG)], "marker": _SHAPES[i // len(_WONG) % 10]}
            mine = [(a, b) for _, one, a, b in points if one.family == name]
            axes.scatter(*zip(*mine, strict=True), s=26, label=name, alpha=0.85, **style)
        for rank, _, a, b in points[:8]:
            axes.annotate(str(rank), (a, b), xytext=(4, 3), textcoords="offset points")
        axes.set_xlabel(ALL_COLUMNS[x].title)
        axes.set_ylabel(ALL_COLUMNS[y].title)
        for scale, at in ((axes.set_xscale, 2), (axes.set_yscale, 3)):
            numbers = [float(point[at]) for point in points]  # type: ignore[arg-type]
            if min(numbers) > 0 and max(numbers) > 20 * min(numbers):
                scale("log")
        axes.grid(alpha=0.3)
        figure.legend(fontsize=6, loc="outside right upper")
        out = io.BytesIO()
        figure.savefig(out, format="svg", metadata={"Date": None})
    return out.getvalue()


def _points(
    candidates: Sequence[Candidate], x: str, y: str
) -> list[tuple[int, Candidate, float, float]]:
    """Rank, candidate and place of those that are allowed and measured."""
    return [
        (rank, one, float(one.value(x)), float(one.value(y)))
        for rank, one in enumerate(candidates, 1)
        if not one.trouble and one.value(x) is not None and one.value(y) is not None
    ]


def _drawing(one: Candidate) -> bytes | None:
    from hopscape.draw import make_figure
    from hopscape.registry import build

    try:
        network = build(one.spec)
        known = network.family is not None and network.family.layout() is not None
        if network.order > _DRAWN_ORDER and not known:
            return None  # a layout by springs would take longer than all the rest
        figure = make_figure(network, labels=False, size=4.2)
    except HopscapeError:
        return None
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110, metadata={"Software": None})
    return out.getvalue()


# -- texts ----------------------------------------------------------------------------------------


class Winner(NamedTuple):
    """Who is best by one figure."""

    criterion: str
    column: str
    candidate: Candidate

    @property
    def row(self) -> tuple[str, str, str]:
        """Criterion, network and figure, for a table."""
        title = ALL_COLUMNS[self.column].title
        return self.criterion, self.candidate.spec, f"{title} {self.shown}"

    @property
    def shown(self) -> Any:
        """The figure."""
        return cell(self.column, self.candidate.figures[self.column])


def winners(found: Found, families: Collection[str] | None = None) -> list[Winner]:
    """For each figure of each criterion the best candidate (of some families)."""
    allowed = [
        one
        for one in found.candidates
        if not one.trouble and (families is None or one.family in families)
    ]
    out = []
    for criterion, column in found.presentation.criteria:
        known = [one for one in allowed if one.value(column) is not None]
        if known:
            sign = 1 if ALL_COLUMNS[column].better == "less" else -1
            best = min(known, key=lambda one, c=column, s=sign: s * float(one.value(c)))  # type: ignore[misc]
            out.append(Winner(criterion, column, best))
    return out


def _how_rows(one: Candidate) -> list[tuple[str, Any, str, str, str]]:
    return [
        (
            ALL_COLUMNS[name].title,
            cell(name, measured),
            measured.how,
            measured.note,
            ALL_COLUMNS[name].explanation,
        )
        for name, measured in one.figures.items()
    ]


# -- HTML -----------------------------------------------------------------------------------------


def html_report(found: Found, command: str, shown: Sequence[Picture] | None = None) -> str:
    """The whole report as one page: styles, script and pictures inside.

    Parameters
    ----------
    found : Design or SwitchedDesign
    command : str
        That asks for the same.
    shown : sequence of Picture, optional
        The pictures, where they are drawn already.
    """
    e = html.escape
    best, look = found.best, found.presentation
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        f"<title>{e(best.spec)}: {e(look.title)}</title>",
        f"<style>{_STYLE}</style></head><body>",
        f"<h1>{e(look.title)}</h1><p>{e(look.words)}</p>",
        f"<p>First in the ranking: <code>{e(best.spec)}</code>.</p>",
        f"<p>{e(look.answer)}</p>" if look.answer else "",
        "" if found.complete else "<p><b>Interrupted: this is what was known then.</b></p>",
        "<h2>Ranking</h2><p>Click a heading to sort. Grey rows are dominated: somebody is at least"
        " as good in everything that matters.</p>",
        _html_ranking(found),
        f"<p>{e(legend(one.figures for one in found.candidates))}</p>",
        "<h2>Who is best at what</h2><table><thead><tr><th class='text'>criterion</th>"
        "<th class='text'>network</th><th class='text'>figure</th></tr></thead><tbody>",
    ]
    parts += [
        "<tr>" + "".join(f"<td class='text'>{e(word)}</td>" for word in winner.row) + "</tr>"
        for winner in winners(found)
    ]
    parts.append("</tbody></table><h2>Pictures</h2>")
    for name, caption, kind, data in pictures(found) if shown is None else shown:
        mime = "image/svg+xml" if kind == "svg" else "image/png"
        source = f"data:{mime};base64,{base64.b64encode(data).decode()}"
        parts.append(
            f"<figure id='{e(name)}'><img alt='{e(caption)}' src='{source}'>"
            f"<figcaption>{e(caption)}</figcaption></figure>"
        )
    parts += [f"<p>{e(note)}</p>" for note in found.notes]
    parts.append("<h2>How each number is known</h2>")
    parts += [_html_how(one) for one in _finalists(found)]
    parts.append(
        f"<h2>To reproduce this</h2><pre>{e(command)}</pre><p>hopscape {__version__}</p>"
        f"<script>{_SCRIPT}</script></body></html>\n"
    )
    return "\n".join(parts)


def _html_ranking(found: Found) -> str:
    e = html.escape
    names = found.presentation.columns
    heads = ["<th>#</th><th class='text'>network</th>"]
    for name in names:
        column = ALL_COLUMNS[name]
        heads.append(f"<th title='{e(column.explanation)}'>{e(column.title)}</th>")
    heads.append("<th>score</th><th class='text'>remark</th>")
    body = []
    for one, row in zip(found.candidates, ranking_rows(found.candidates, names), strict=True):
        kind = "refused" if one.trouble else "dominated" if one.dominated_by else ""
        kind = "best" if one is found.best else kind
        line = [f"<td>{row['rank']}</td><td class='text'><code>{e(one.spec)}</code></td>"]
        for name in names:
            value = one.value(name)
            plain = "" if value is None else f" data-value='{float(value)}'"
            line.append(f"<td{plain}>{e(in_table(row.get(name)))}</td>")
        line.append(f"<td>{e(in_table(one.score))}</td>")
        line.append(f"<td class='text remark'>{e(row['remark'])}</td>")
        body.append(f"<tr class='{kind}'>{''.join(line)}</tr>")
    return (
        f"<div class='wide'><table class='sortable'><thead><tr>{''.join(heads)}</tr></thead>"
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def _html_how(one: Candidate) -> str:
    e = html.escape
    rows = "".join(
        f"<tr><td class='text'>{e(title)}</td><td>{e(in_table(value))}</td>"
        f"<td class='text'>{e(how)}"
        f"</td><td class='text'>{e(note)}</td><td class='text'>{e(explanation)}</td></tr>"
        for title, value, how, note, explanation in _how_rows(one)
    )
    return (
        f"<details><summary><code>{e(one.spec)}</code></summary><table><thead><tr>"
        "<th class='text'>figure</th><th>value</th><th class='text'>how it is known</th>"
        "<th class='text'>note</th><th class='text'>what it is</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></details>"
    )


# -- Markdown -------------------------------------------------------------------------------------


def markdown_report(
    found: Found, command: str, folder: str = "pictures", shown: Sequence[Picture] | None = None
) -> str:
    """The report in Markdown; pictures are files in a folder beside it."""
    look = found.presentation
    lines = [
        f"# {look.title}",
        "",
        look.words,
        "",
        f"First in the ranking: `{found.best.spec}`.",
        "",
        *((look.answer, "") if look.answer else ()),
        "## Ranking",
        "",
        *ranking_markdown(found.candidates, look.columns),
        "",
        legend(one.figures for one in found.candidates),
        "",
        "## Who is best at what",
        "",
        *markdown_table(("criterion", "network", "figure"), [w.row for w in winners(found)]),
        "",
        "## Pictures",
        "",
    ]
    for name, caption, kind, _ in pictures(found) if shown is None else shown:
        lines += [f"![{caption}]({folder}/{name}.{kind})", ""]
    for note in found.notes:
        lines += [note, ""]
    lines += ["## How each number is known", ""]
    for one in _finalists(found):
        rows = [row[:4] for row in _how_rows(one)]
        lines += [f"### `{one.spec}`", ""]
        lines += [*markdown_table(("figure", "value", "how it is known", "note"), rows), ""]
    lines += ["## To reproduce this", "", "```", command, "```", "", f"hopscape {__version__}", ""]
    return "\n".join(lines)


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
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    lines += [
        "| " + " | ".join(in_table(x).replace("|", "\\|") for x in row) + " |" for row in rows
    ]
    return lines
