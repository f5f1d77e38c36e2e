"""Plots of the report: candidates against each other, and load-latency curves.

Axes of the report's plots, as parts of an SVG: small files, names on hover, light and dark.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from hopscape.core.numbers import number
from hopscape.design.candidates import Candidate
from hopscape.design.columns import ALL_COLUMNS

__all__ = ["Axis", "Collapse", "Panel", "collapses", "curve_plot", "scatter", "svg_page"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777")
_NAMED = 12  # places beside points: more find no room
_BEYOND = 0.35  # of the span of those that nobody dominates: what a plot shows round them
_LED = 16.0  # units from a point beyond which a line leads to its label
_AROUND = tuple(
    (round(r * math.cos(turn * math.pi / 6), 1), round(-r * math.sin(turn * math.pi / 6), 1))
    for r in (13.0, 24.0, 36.0)
    for turn in (1, 5, 11, 7, 3, 9, 0, 6, 2, 4, 10, 8)
)
"""Where a label may stand: three circles round its point."""
_FALL = 0.9


class PlotPoint(NamedTuple):
    """A candidate in a plot."""

    rank: int
    candidate: Candidate
    x: float
    y: float


def scatter(candidates: Sequence[Candidate], x: str, y: str, caption: str) -> bytes | None:
    """The candidates that matter, as points with their names on hover; None for fewer than two.

    The axes end a little beyond those that nobody dominates: what is far off would press these into
    a corner. How many lie outside is said, and the ranking lists them.
    """
    points = [
        PlotPoint(rank, one, float(one.value(x)), float(one.value(y)))
        for rank, one in enumerate(candidates, 1)
        if not one.trouble and one.value(x) is not None and one.value(y) is not None
    ]
    if len(points) < 2:
        return None
    shown = _near(points)
    across = Axis.around([p.x for p in shown], 64, 620)
    up = Axis.around([p.y for p in shown], 300, 30)
    panel = Panel(across, up, ALL_COLUMNS[x].title, ALL_COLUMNS[y].title)
    parts = [*panel.frame(), _front(shown, panel, x, y)]
    for point in reversed(shown):  # the first of the ranking on top
        parts.append(_mark(point, panel, x, y))
    parts += _ranks(shown, panel)
    if far := len(points) - len(shown):
        words = f"{far} dominated {'candidate' if far == 1 else 'candidates'} off the chart"
        parts.append(f'<text x="620" y="20" class="small end">{words}</text>')
    return svg_page(640, 344, parts, caption)


def _near(points: Sequence[PlotPoint]) -> list[PlotPoint]:
    """Those that nobody dominates, and what lies among them or a little beyond."""
    front = [p for p in points if p.rank == 1 or not (p.candidate.dominated_by)]
    limits = []
    for axis in ("x", "y"):
        values = [getattr(p, axis) for p in front]
        span = max(values) - min(values) or 0.1 * abs(values[0]) or 1.0
        limits.append((min(values) - _BEYOND * span, max(values) + _BEYOND * span))
    inside = [p for p in points if all(
        low <= v <= high for v, (low, high) in zip((p.x, p.y), limits, strict=True))]  # fmt: skip
    return inside if len(inside) > 1 else list(points)


def _mark(point: PlotPoint, panel: Panel, x: str, y: str) -> str:
    one = point.candidate
    kind = "first" if point.rank == 1 else "less" if one.dominated_by else "other"
    words = (
        f"{point.rank}. {one.name or one.spec}: {ALL_COLUMNS[x].title}"
        f" {number(point.x, grouped=True)}, {ALL_COLUMNS[y].title} {number(point.y, grouped=True)}"
    )
    return (
        f'<circle class="point {kind}" cx="{panel.x.at(point.x)}" cy="{panel.y.at(point.y)}"'
        f' r="{6 if point.rank == 1 else 4}" data-spec="{escape(one.spec)}">'
        f"<title>{escape(words)}</title></circle>"
    )


def _front(points: Sequence[PlotPoint], panel: Panel, x: str, y: str) -> str:
    """The stairs of those that nobody beats in both figures."""
    signs = [1 if ALL_COLUMNS[name].better == "less" else -1 for name in (x, y)]
    ordered = sorted(points, key=lambda p: (signs[0] * p.x, signs[1] * p.y))
    best, stairs = float("inf"), list[str]()
    for point in ordered:
        if signs[1] * point.y < best:
            best = signs[1] * point.y
            at = (panel.x.at(point.x), panel.y.at(point.y))
            stairs.append(f"H{at[0]}V{at[1]}" if stairs else f"M{at[0]} {at[1]}")
    return f'<path class="front" d="{"".join(stairs)}"/>'


def _ranks(points: Sequence[PlotPoint], panel: Panel) -> list[str]:
    """Places of those that nobody dominates, beside their points; a line leads to what is far."""
    spots = [(panel.x.at(p.x), panel.y.at(p.y)) for p in points]
    taken: list[tuple[float, float]] = []
    out = []
    named = [(p, at) for p, at in zip(points, spots, strict=True) if not p.candidate.dominated_by]
    for point, at in named[:_NAMED]:
        half = 3.5 * len(str(point.rank))
        for dx, dy in _AROUND:
            place = (at[0] + dx, at[1] + dy)
            inside = 64 + half < place[0] < 630 - half and 26 < place[1] < 294
            clear = all(abs(place[0] - a) > 7 + half or abs(place[1] - b) > 9 for a, b in spots)
            apart = all(abs(place[0] - a) > 9 + half or abs(place[1] - b) > 11 for a, b in taken)
            if not (inside and clear and apart):
                continue
            taken.append(place)
            if math.hypot(dx, dy) > _LED:
                end = (at[0] + 0.65 * dx, at[1] + 0.65 * dy)
                out.append(f'<path class="leader" d="M{at[0]} {at[1]}L{end[0]:.1f} {end[1]:.1f}"/>')
            out.append(
                f'<text x="{place[0]:.1f}" y="{place[1] + 4:.1f}" class="small mid">{point.rank}'
                "</text>"
            )
            break
    return out


# -- curves ---------------------------------------------------------------------------------------


class Collapse(NamedTuple):
    """A network that carries less beyond saturation than at its best."""

    spec: str
    best: float
    best_at: float
    last: float
    last_at: float


def collapses(rows: Sequence[Mapping[str, Any]]) -> list[Collapse]:
    """Curves that fall by more than a tenth after their best point."""
    out = []
    for spec, mine in _by_spec(rows).items():
        top = max(mine, key=lambda row: row["accepted"])
        last = mine[-1]
        if last["accepted"] < _FALL * top["accepted"]:
            out.append(
                Collapse(spec, top["accepted"], top["offered"], last["accepted"], last["offered"])
            )
    return out


def _by_spec(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Mapping[str, Any]]]:
    out: dict[str, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: float(row["offered"])):
        out.setdefault(row["spec"], []).append(row)
    return {row["spec"]: out[row["spec"]] for row in rows}  # in the order of the ranking


def curve_plot(rows: Sequence[Mapping[str, Any]], caption: str) -> bytes:
    """Latency and accepted load over offered load; hollow beyond saturation, a cross: collapse.

    Args:
        rows: Points as ``hopscape simulate`` prints them.
    """
    curves = _by_spec(rows)
    loads = [float(row["offered"]) for row in rows]
    waits = [float(row["latency"]) for row in rows if row["latency"] is not None]
    beyond = any(row["saturated"] and row["latency"] is not None for row in rows)
    taken = [float(row["accepted"]) for row in rows]
    left = Panel(
        Axis.around(loads, 60, 330, zero=True),
        Axis.around(waits or [1.0], 280, 40, zero=not beyond),
        "offered load (flits per endpoint and cycle)", "latency (cycles)",
    )  # fmt: skip
    right = Panel(
        Axis.around(loads, 410, 680, zero=True), Axis.around(taken, 280, 40, zero=True),
        "offered load", "accepted load",
    )  # fmt: skip
    fallen = {one.spec: one for one in collapses(rows)}
    parts = [*left.frame(), *right.frame()]
    for i, (spec, mine) in enumerate(curves.items()):
        colour = COLOURS[i % len(COLOURS)]
        good = [r for r in mine if r["latency"] is not None]
        parts += _curve(left, good, "latency", colour) + _curve(right, mine, "accepted", colour)
        if spec in fallen:
            end = fallen[spec]
            x, y = right.x.at(end.last_at), right.y.at(end.last)
            parts.append(
                f'<path d="M{x - 6} {y - 6}l12 12m0 -12l-12 12" stroke="{colour}"'
                f' stroke-width="2"><title>{escape(spec)} collapses</title></path>'
            )
        at = 340 + 16 * i
        parts.append(f'<circle cx="64" cy="{at - 4}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="74" y="{at}">{escape(spec)}</text>')
    return svg_page(700, 340 + 16 * len(curves), parts, caption)


def _curve(panel: Panel, rows: Sequence[Mapping[str, Any]], column: str, colour: str) -> list[str]:
    places = [(panel.x.at(r["offered"]), panel.y.at(r[column]), r) for r in rows]
    line = " ".join(f"{x},{y}" for x, y, _ in places)
    out = [f'<polyline class="line" points="{line}" stroke="{colour}"/>']
    for x, y, row in places:
        face = "none" if row["saturated"] else colour
        words = f"{row['spec']}: offered {number(row['offered'])}, {column} {number(row[column])}"
        words += ", saturated" if row["saturated"] else ""
        out.append(
            f'<circle cx="{x}" cy="{y}" r="4" fill="{face}" stroke="{colour}">'
            f"<title>{escape(words)}</title></circle>"
        )
    return out


_RATIO = 20.0
_TICKS = 5


@dataclass(frozen=True)
class Axis:
    """From values to places on the page, linear or logarithmic.

    Attributes:
        low, high: Values at the ends.
        start, end: Where these are on the page.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    @classmethod
    def around(
        cls, values: Sequence[float], start: float, end: float, *, zero: bool = False
    ) -> Axis:
        """An axis with room for all values: logarithmic where they differ by a factor of 20.

        Examples:
            >>> Axis.around([1, 100], 0, 10).log, Axis.around([1, 3], 0, 10, zero=True).low
            (True, 0.0)
        """
        low, high = min(values), max(values)
        if not zero and low > 0 and high > _RATIO * low:
            return cls(low / 1.2, high * 1.2, start, end, True)
        room = 0.06 * (high - low) or 0.1 * abs(high) or 1.0
        return cls(0.0 if zero else low - room, high + room, start, end)

    def at(self, value: float) -> float:
        """The place of a value."""
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        """Round values along the axis.

        Examples:
            >>> Axis(0, 10, 0, 1).ticks(), Axis(8, 1300, 0, 1, True).ticks()
            ([0.0, 2.0, 4.0, 6.0, 8.0, 10.0], [10.0, 100.0, 1000.0])
        """
        if self.log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            marks = [10.0**power for power in powers]
            return marks if len(marks) > 1 else [self.low * 1.2, self.high / 1.2]
        span = self.high - self.low
        rough = 10 ** math.floor(math.log10(span / _TICKS))
        step = min((rough * m for m in (1, 2, 5, 10)), key=lambda s: abs(span / s - _TICKS))
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        return [round(float(i * step), 12) for i in range(first, last + 1)]


@dataclass(frozen=True)
class Panel:
    """A pair of axes with their labels."""

    x: Axis
    y: Axis
    label: str
    side: str

    def frame(self) -> list[str]:
        """Grid, ticks and labels."""
        left, right, bottom, top = self.x.start, self.x.end, self.y.start, self.y.end
        out = []
        for value in self.x.ticks():
            at = self.x.at(value)
            out.append(f'<path class="grid" d="M{at} {bottom}V{top}"/>')
            text = number(value, grouped=True)
            out.append(f'<text x="{at}" y="{bottom + 16}" class="mid">{text}</text>')
        for value in self.y.ticks():
            at = self.y.at(value)
            out.append(f'<path class="grid" d="M{left} {at}H{right}"/>')
            text = number(value, grouped=True)
            out.append(f'<text x="{left - 6}" y="{at + 4}" class="end">{text}</text>')
        out.append(f'<path class="axis" d="M{left} {top}V{bottom}H{right}"/>')
        middle = (left + right) / 2
        out.append(f'<text x="{middle}" y="{bottom + 34}" class="mid">{escape(self.label)}</text>')
        out.append(f'<text x="{left - 40}" y="{top - 10}">{escape(self.side)}</text>')
        return out


_STYLES = {
    "text": "font:12px system-ui,sans-serif;fill:currentColor",
    ".mid": "text-anchor:middle",
    ".end": "text-anchor:end",
    ".small": "font-size:10px",
    ".grid": "stroke:currentColor;opacity:.12",
    ".axis": "stroke:currentColor;fill:none;opacity:.6",
    ".leader": "stroke:currentColor;opacity:.5",
    ".front": "fill:none;stroke:#0072B2;opacity:.5;stroke-dasharray:4 3",
    ".other": "fill:#0072B2",
    ".first": "fill:#D55E00",
    ".less": "fill:none;stroke:#888",
    ".bar": "fill:#0072B2",
    ".rack": "fill:Canvas;stroke:currentColor",
    ".used": "fill:#0072B2;opacity:.35",
    ".cable": "stroke:#D55E00;opacity:.5",
    ".line": "fill:none;stroke-width:1.6",
}
_STYLE = "".join(f"svg.plot {what}{{{how}}}" for what, how in _STYLES.items())
"""Of the pictures alone: a page that has one inside keeps its own."""


def svg_page(width: float, height: float, parts: Sequence[str], title: str) -> bytes:
    """A whole picture, with its title for those who cannot see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot" viewBox="0 0 {width:g} {height:g}"'
        f' role="img" aria-label="{escape(title)}"><style>{_STYLE}</style>{"".join(parts)}</svg>'
    ).encode()
