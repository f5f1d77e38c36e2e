"""Plots of the report: candidates against each other, and load-latency curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from hopscape.core.numbers import number
from hopscape.design.candidates import Candidate
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.report.axes import Axis, Panel, svg_page

__all__ = ["Collapse", "collapses", "curve_plot", "scatter"]

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777")
_NAMED = 8
_FALL = 0.9


class Point(NamedTuple):
    """A candidate in a plot."""

    rank: int
    candidate: Candidate
    x: float
    y: float


def scatter(candidates: Sequence[Candidate], x: str, y: str, caption: str) -> bytes | None:
    """Every candidate as a point with its name on hover; None for fewer than two."""
    points = [
        Point(rank, one, float(one.value(x)), float(one.value(y)))
        for rank, one in enumerate(candidates, 1)
        if not one.trouble and one.value(x) is not None and one.value(y) is not None
    ]
    if len(points) < 2:
        return None
    across = Axis.around([p.x for p in points], 64, 620)
    up = Axis.around([p.y for p in points], 300, 30)
    panel = Panel(across, up, ALL_COLUMNS[x].title, ALL_COLUMNS[y].title)
    parts = [*panel.frame(), _front(points, panel, x, y)]
    for point in reversed(points):  # the first of the ranking on top
        parts.append(_mark(point, panel, x, y))
    parts += _ranks(points, panel)
    return svg_page(640, 344, parts, caption)


def _mark(point: Point, panel: Panel, x: str, y: str) -> str:
    one = point.candidate
    kind = "first" if point.rank == 1 else "less" if one.dominated_by else "other"
    words = (
        f"{point.rank}. {one.spec}: {ALL_COLUMNS[x].title} {number(point.x, grouped=True)},"
        f" {ALL_COLUMNS[y].title} {number(point.y, grouped=True)}"
    )
    return (
        f'<circle class="point {kind}" cx="{panel.x.at(point.x)}" cy="{panel.y.at(point.y)}"'
        f' r="{6 if point.rank == 1 else 4}" data-spec="{escape(one.spec)}">'
        f"<title>{escape(words)}</title></circle>"
    )


def _front(points: Sequence[Point], panel: Panel, x: str, y: str) -> str:
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


def _ranks(points: Sequence[Point], panel: Panel) -> list[str]:
    """Places of the first ones beside their points, where they find room."""
    taken: list[tuple[float, float]] = []
    out = []
    for point in points[:_NAMED]:
        at = (panel.x.at(point.x), panel.y.at(point.y))
        for dx, dy in ((7, -5), (7, 13), (-16, -5), (-16, 13), (-4, -9), (-4, 19)):
            place = (at[0] + dx, at[1] + dy)
            if all(abs(place[0] - a) > 15 or abs(place[1] - b) > 12 for a, b in taken):
                taken.append(place)
                text = f'<text x="{place[0]:g}" y="{place[1]:g}" class="small">{point.rank}</text>'
                out.append(text)
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
    waits = [float(r["latency"]) for r in rows if not r["saturated"] and r["latency"] is not None]
    taken = [float(row["accepted"]) for row in rows]
    left = Panel(
        Axis.around(loads, 60, 330, zero=True), Axis.around(waits or [1.0], 280, 40, zero=True),
        "offered load (flits per endpoint and cycle)", "latency (cycles), to saturation",
    )  # fmt: skip
    right = Panel(
        Axis.around(loads, 410, 680, zero=True), Axis.around(taken, 280, 40, zero=True),
        "offered load", "accepted load",
    )  # fmt: skip
    fallen = {one.spec: one for one in collapses(rows)}
    parts = [*left.frame(), *right.frame()]
    for i, (spec, mine) in enumerate(curves.items()):
        colour = COLOURS[i % len(COLOURS)]
        good = [r for r in mine if not r["saturated"] and r["latency"] is not None]
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
