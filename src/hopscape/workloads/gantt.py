"""A timeline as a picture: a row for the work of a rank, and one for the data it waits for."""

from __future__ import annotations

from html import escape
from pathlib import Path

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_text
from hopscape.workloads.timeline import Timeline
from hopscape.workloads.workload import COMPUTE, LAUNCH, RECEIVE

__all__ = ["SCRUB", "draw_gantt", "require_gantt", "timeline_figure", "timeline_svg"]

_COLOURS = {
    "forward": "#4c78a8",
    "backward": "#72b7b2",
    "optimizer": "#54a24b",
    "compute": "#4c78a8",
    "tp": "#f58518",
    "pp": "#b279a2",
    "dp": "#e45756",
    "ep": "#eeca3b",
    "cp": "#9d755d",
}
_OTHER = "#bab0ac"
_WIDTH, _LEFT, _ROW, _TOP = 1200, 70, 22, 40
_MOST_RANKS = 32
_LEAST = 0.3
"""Pixels of a bar that is drawn."""


def require_gantt(path: str | Path) -> None:
    """Refuse a file of another ending than .svg or .html."""
    if Path(path).suffix.lower() not in (".svg", ".html"):
        raise ArgumentError(f"--gantt is {str(path)!r}; a timeline is drawn as .svg or .html")


def draw_gantt(found: Timeline, path: str | Path, title: str = "") -> None:
    """Draw a timeline of up to 32 ranks, taken evenly: as SVG, or as a page to scrub through.

    Raises:
        ArgumentError: For another ending than .svg or .html, or a step that never ends.
    """
    require_gantt(path)
    if not found.verdict:
        raise ArgumentError(f"there is no timeline to draw: {found.verdict.reason}")
    picture = timeline_svg(found, title)
    html = Path(path).suffix.lower() == ".html"
    write_text(path, _page(picture, title or found.workload.name) if html else picture)


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body {{ font: 14px sans-serif; margin: 1rem; }}
svg {{ width: 100%; height: auto; }}
input {{ width: 100%; }}
td {{ padding: 0 .8em 0 0; }}
</style>
<h1>{title}</h1>
{figure}<script>{script}</script>
</html>
"""
SCRUB = """
const svg = document.querySelector("#timeline svg"), at = document.getElementById("at");
const bars = [...svg.querySelectorAll("rect[data-rank]")].map(r => ({
  rank: +r.dataset.rank, what: r.dataset.what, works: r.dataset.works === "1",
  low: +r.getAttribute("x"), high: +r.getAttribute("x") + +r.getAttribute("width")}));
const ranks = [...new Set(bars.map(b => b.rank))], cursor = svg.querySelector("#cursor");
const [left, width, whole] = ["left", "wide", "seconds"].map(k => +svg.dataset[k]);
function show() {
  const x = left + width * at.value / 1000;
  cursor.setAttribute("x1", x); cursor.setAttribute("x2", x);
  document.getElementById("now").textContent = (whole * at.value).toPrecision(4) + " ms";
  const rows = ranks.map(rank => {
    const here = bars.filter(b => b.rank === rank && b.low <= x && x <= b.high);
    const words = works => [...new Set(here.filter(b => b.works === works).map(b => b.what))];
    return [rank, words(true).join(", ") || "waits", words(false).join(", ")];
  });
  const table = document.getElementById("doing");
  table.replaceChildren(...[["rank", "computes", "data under way"], ...rows].map(row => {
    const line = document.createElement("tr");
    for (const text of row) line.insertCell().textContent = text;
    return line;
  }));
}
at.addEventListener("input", show);
show();
"""
"""The script of a page with a timeline: moves the line, says what every rank does then."""


def timeline_figure(picture: str) -> str:
    """The picture below a slider; what every rank does at its time stands below."""
    slider = '<input id="at" type="range" min="0" max="1000" value="0">'
    return (
        f'<div id="timeline"><label>time <output id="now"></output>\n{slider}</label>\n{picture}'
        '<table id="doing" aria-live="polite"></table></div>\n'
    )


def _page(picture: str, title: str) -> str:
    """A page of its own."""
    return _PAGE.format(title=escape(title), figure=timeline_figure(picture), script=SCRUB)


def timeline_svg(found: Timeline, title: str = "") -> str:
    """The picture of a timeline."""
    work = found.workload
    shown = np.unique(np.linspace(0, work.ranks - 1, min(work.ranks, _MOST_RANKS)).astype(int))
    scale = (_WIDTH - _LEFT - 10) / max(found.seconds, 1e-300)
    height = _TOP + _ROW * len(shown) + 40
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}"'
        f' width="{_WIDTH}" height="{height}" font-family="sans-serif" font-size="11"'
        f' data-left="{_LEFT}" data-wide="{_WIDTH - _LEFT - 10}" data-seconds="{found.seconds}">',
        f"<title>{escape(title or work.name)}</title>",
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>',
    ]
    x = float(_LEFT)
    drawn = np.unique(work.label[work.kind != LAUNCH])
    for label in dict.fromkeys(work.labels[i] for i in drawn.tolist()):
        out.append(f'<rect x="{x:.0f}" y="8" width="12" height="12" fill="{_colour(label)}"/>')
        out.append(f'<text x="{x + 16:.0f}" y="18">{escape(label)}</text>')
        x += 30 + 7 * len(label)
    for row, rank in enumerate(shown.tolist()):
        y = _TOP + _ROW * row
        out.append(f'<text x="4" y="{y + 13}">rank {rank}</text>')
        out += _bars(found, rank, y, scale)
    y = height - 26
    out.append(f'<line x1="{_LEFT}" y1="{y}" x2="{_WIDTH - 10}" y2="{y}" stroke="black"/>')
    for i in range(5):
        at = _LEFT + (_WIDTH - _LEFT - 10) * i / 4
        text = f"{found.seconds * i / 4 * 1e3:.4g} ms"
        anchor = "end" if i == 4 else "middle"
        out.append(f'<text x="{at:.0f}" y="{y + 16}" text-anchor="{anchor}">{text}</text>')
    cursor = f'x1="{_LEFT}" x2="{_LEFT}" y1="{_TOP}" y2="{y}" stroke="black" opacity="0.5"'
    return "\n".join([*out, f'<line id="cursor" {cursor}/>', "</svg>"]) + "\n"


def _bars(found: Timeline, rank: int, y: int, scale: float) -> list[str]:
    """Bars of one rank; neighbours of one colour that touch are one bar."""
    work = found.workload
    mine = np.flatnonzero(work.rank == rank)
    mine = mine[np.argsort(found.start[mine], kind="stable")]
    out: list[str] = []
    open_bars: dict[tuple[bool, str], list[float]] = {}

    def close(key: tuple[bool, str]) -> None:
        low, high = open_bars.pop(key)
        top, tall = (y, 12) if key[0] else (y + 13, 6)
        width = max(scale * (high - low), _LEAST)
        out.append(
            f'<rect x="{_LEFT + scale * low:.2f}" y="{top}" width="{width:.2f}" height="{tall}"'
            f' fill="{_colour(key[1])}" data-rank="{rank}" data-works="{int(key[0])}"'
            f' data-what="{escape(key[1])}"><title>{escape(key[1])} {low * 1e3:.4g} to'
            f" {high * 1e3:.4g} ms</title></rect>"
        )

    for part in mine[work.kind[mine] != LAUNCH].tolist():
        label = work.labels[work.label[part]]
        computes = bool(work.kind[part] == COMPUTE)
        low, high = float(found.start[part]), float(found.end[part])
        if work.kind[part] == RECEIVE:  # a receive is posted long before
            low = max(low, high - 1e-9)
        key = (computes, label)
        if key in open_bars and low <= open_bars[key][1] + _LEAST / scale:
            open_bars[key][1] = max(open_bars[key][1], high)
            continue
        if key in open_bars:
            close(key)
        open_bars[key] = [low, high]
    for key in list(open_bars):
        close(key)
    return out


def _colour(label: str) -> str:
    return _COLOURS.get(label, _OTHER)
