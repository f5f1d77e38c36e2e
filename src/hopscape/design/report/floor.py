"""The floor: racks and the cables between them, how long the cables are, what all parts cost.

The pictures of a report, each drawn once: plots, curves, the floor and the finalists.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import HopscapeError
from hopscape.core.numbers import counted
from hopscape.design.bill import Bill, bill_of
from hopscape.design.candidates import Candidate
from hopscape.design.designer import Design
from hopscape.design.floorplan import FloorPlan, place
from hopscape.design.names import called
from hopscape.design.report.plots import Axis, Panel, curve_plot, scatter, svg_page
from hopscape.design.report.text import machines
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.formats.graphs.libraries import link_ends
from hopscape.registry import build

__all__ = [
    "Floor",
    "ReportPicture",
    "best_floor",
    "floor_of",
    "floor_picture",
    "length_picture",
    "pictures",
]

_BUNDLES = 400
_THICK = 3.0  # width of the thickest bundle, while there are some forty
_BARS = 16
_WIDTH = 420.0


@dataclass(frozen=True)
class Floor:
    """A network in its room.

    Attributes:
        how: In which order racks were filled.
        used (int64[racks]): Slots taken.
        ends (int64[2, cables]): Places of both ends of every cable.
        lengths: float64[cables]
    """

    spec: str
    plan: FloorPlan
    how: str
    used: IntArray
    ends: IntArray
    lengths: Floats
    bill: Bill

    @property
    def racks(self) -> IntArray:
        """Racks of both ends of every cable, the smaller first."""
        return np.sort(self.ends // self.plan.slots, axis=0)


def floor_of(
    spec: str, plan: FloorPlan | None, asked: SwitchedRequirements | None = None
) -> Floor | None:
    """The floor of a direct machine, or of a switched one with its prices; None where it has none.

    Args:
        plan: The room asked for.
        asked: Of a switched machine.
    """
    try:
        network = build(spec)
        placed = place(network, plan)
        bill = bill_of(network, placed.lengths, None if asked is None else asked.price_list)
    except HopscapeError:  # too many nodes for the floor or for memory
        return None
    tails, heads, _ = link_ends(network)
    room = placed.plan
    used = np.bincount(placed.places // room.slots, minlength=room.rows * room.columns)
    ends = np.stack([placed.places[tails], placed.places[heads]])
    return Floor(network.spec, room, placed.how, used, ends, placed.lengths, bill)


# -- pictures -------------------------------------------------------------------------------------


def floor_picture(floor: Floor, title: str) -> bytes:
    """The room from above: racks, how full they are, and bundles of cables between them."""
    plan = floor.plan
    wide, deep = 46.0, 30.0
    aside, apart = 12.0, 48.0
    racks = np.arange(plan.rows * plan.columns)
    xs = np.asarray(20 + racks % plan.columns * (wide + aside), dtype=np.float64)
    ys = np.asarray(56 + racks // plan.columns * (deep + apart), dtype=np.float64)
    parts = _bundles(floor, xs + wide / 2, ys + deep / 2)
    inside = np.bincount(floor.racks[0][floor.racks[0] == floor.racks[1]], minlength=len(racks))
    for i in racks.tolist():  # over the cables: the names stay readable
        x, y, share = float(xs[i]), float(ys[i]), float(floor.used[i]) / plan.slots
        row, column, _ = plan.name(i * plan.slots)
        words = (
            f"row {row}, rack {column}: {floor.used[i]} of {plan.slots} slots, {inside[i]} cables"
            " inside"
        )
        parts.append(
            f'<g><title>{words}</title><rect class="rack" x="{x:g}" y="{y:g}" width="{wide:g}"'
            f' height="{deep:g}"/><rect class="used" x="{x:g}" y="{y + deep * (1 - share):.1f}"'
            f' width="{wide:g}" height="{deep * share:.1f}"/><text class="mid" x="{x + wide / 2:g}"'
            f' y="{y + deep / 2 + 4:g}">{row}.{column}</text></g>'
        )
    width = max(_WIDTH, float(xs.max()) + wide + 20)
    return svg_page(width, float(ys.max()) + deep + 24, parts, title)


def _bundles(floor: Floor, xs: Floats, ys: Floats) -> list[str]:
    """Cables between each pair of racks as one line, the thickest ones where there are many.

    Cables within a row run in an arc above it, the farther the higher.
    """
    between = floor.racks[:, floor.racks[0] != floor.racks[1]]
    if not between.shape[1]:
        return []
    pairs, counts = np.unique(between, axis=1, return_counts=True)
    heavy = np.argsort(-counts, kind="stable")[:_BUNDLES]
    scale = _THICK / math.sqrt(float(counts.max()) * max(1.0, len(heavy) / 40))
    out = []
    for i in heavy.tolist():
        a, b = pairs[:, i].tolist()
        names = ["{}.{}".format(*floor.plan.name(rack * floor.plan.slots)) for rack in (a, b)]
        middle = ((xs[a] + xs[b]) / 2, (ys[a] + ys[b]) / 2)
        if ys[a] == ys[b]:
            middle = (middle[0], ys[a] - 50 - 54 * min(1.0, abs(xs[b] - xs[a]) / 600))
        out.append(
            f'<path class="cable" fill="none" d="M{xs[a]:g} {ys[a]:g}Q{middle[0]:g} {middle[1]:g}'
            f' {xs[b]:g} {ys[b]:g}" stroke-width="{max(scale * math.sqrt(counts[i]), 0.4):.1f}">'
            f"<title>{counts[i]} cables between racks {names[0]} and {names[1]}</title></path>"
        )
    return out


def left_out(floor: Floor) -> int:
    """Bundles of cables that the picture has no room for."""
    between = floor.racks[:, floor.racks[0] != floor.racks[1]]
    return max(0, np.unique(between, axis=1).shape[1] - _BUNDLES)


def length_picture(lengths: Floats, title: str) -> bytes:
    """How many cables are how long."""
    counts, edges = _histogram(lengths)
    across = Axis(0.0, float(edges[-1]), 64, 620)
    up = Axis.around([float(c) for c in counts], 220, 30, zero=True)
    parts = Panel(across, up, "length of cable (m)", "cables").frame()
    for count, low, high in zip(counts.tolist(), edges.tolist(), edges[1:].tolist(), strict=False):
        x, y = across.at(low), up.at(count)
        parts.append(
            f'<rect class="bar" x="{x + 1:g}" y="{y:g}" width="{across.at(high) - x - 2:.1f}"'
            f' height="{220 - y:.1f}"><title>{count} cables of {low:g} to {high:g} m</title></rect>'
        )
    return svg_page(640, 264, parts, title)


def _histogram(lengths: Floats) -> tuple[IntArray, Floats]:
    """Counts and round edges, at most 16 bars."""
    longest = max(float(lengths.max(initial=0.0)), 0.1)
    step = next(
        s
        for power in range(-2, 9)
        for s in (10.0**power, 2 * 10.0**power, 5 * 10.0**power)
        if longest / s <= _BARS
    )
    edges = np.round(np.arange(0, math.floor(longest / step) + 2) * step, 6)
    counts, _ = np.histogram(lengths, edges)
    return counts.astype(np.int64), edges


def bill_title(floor: Floor) -> str:
    """What the room holds, in a line."""
    total, cables = float(floor.lengths.sum()), len(floor.lengths)
    longest = float(floor.lengths.max(initial=0.0))
    return (
        f"{counted(int((floor.used > 0).sum()), 'rack')} of {counted(floor.plan.slots, 'slot')} in"
        f" {counted(floor.plan.rows, 'row')} (floor plan {escape(floor.plan.text)}),"
        f" {counted(cables, 'cable')}, {total:,.0f} m in all, the longest {longest:.1f} m; racks"
        f" filled {floor.how}"
    )


_DRAWN_ORDER = 400  # nodes that are placed by their distances: a second


class ReportPicture(NamedTuple):
    """One picture.

    Attributes:
        kind: {'svg', 'png'}
        part ({'ranking', 'curves', 'floor', 'networks'}): Where in the report it belongs.
    """

    name: str
    caption: str
    kind: str
    data: bytes
    part: str


def best_floor(found: Design, chosen: Candidate | None = None) -> Floor | None:
    """The floor of the first of the ranking, or of the one that was chosen instead."""
    asked = found.requirements
    switched = asked if isinstance(asked, SwitchedRequirements) else None
    return floor_of((chosen or found.best).spec, asked.conditions.plan, switched)


def pictures(found: Design, floor: Floor | None = None) -> Iterator[ReportPicture]:
    """All pictures: plots first, then the floor, then drawings of the finalists.

    Args:
        found: Design
        floor: Of the first one, where it is known already.
    """
    for x, y, caption in found.presentation.plots:
        data = scatter(found.candidates, x, y, caption)
        if data is not None:
            yield ReportPicture(f"{x}-{y}", caption, "svg", data, "ranking")
    if found.curve_points:
        caption = "latency and accepted load over offered load, simulated flit by flit"
        data = curve_plot(found.curve_points, caption)
        yield ReportPicture("load-latency", caption, "svg", data, "curves")
    floor = best_floor(found) if floor is None else floor
    if floor is not None:
        yield from _floor_pictures(floor, floor.spec)
    for one, why in machines(found):
        data = _drawing(one)
        if data is not None:
            place = found.candidates.index(one) + 1
            words = f"{place}. {called(one)}" + (f": {why}" if why else "")
            yield ReportPicture(f"network-{place}", words, "png", data, "networks")


def _floor_pictures(floor: Floor, spec: str) -> Iterator[ReportPicture]:
    caption = f"{spec} from above: racks (row.rack), how full they are, and the cables between them"
    if more := left_out(floor):
        caption += f"; the {more} thinnest bundles are left out"
    yield ReportPicture("floor", caption, "svg", floor_picture(floor, caption), "floor")
    if len(floor.lengths):
        caption = f"how long the cables of {spec} are"
        yield ReportPicture(
            "cables", caption, "svg", length_picture(floor.lengths, caption), "floor"
        )


def _drawing(one: Candidate) -> bytes | None:
    from hopscape.show.draw import make_figure
    from hopscape.show.draw.places import leaves_of

    try:
        network = build(one.spec)
        known = network.family is not None and network.family.layout() is not None
        placed = network.order - int(leaves_of(network).sum())
        if placed > _DRAWN_ORDER and not known:
            return None  # minutes, and a tangle: the explorer shows them
        figure = make_figure(network, labels=False, size=4.2)
    except HopscapeError:
        return None
    for text in figure.texts:
        text.set_visible(False)  # the caption below it says the same, in letters that can be read
    out = io.BytesIO()
    cut: dict[str, Any] = {"bbox_inches": "tight", "pad_inches": 0.05}
    figure.savefig(out, format="png", dpi=110, metadata={"Software": None}, **cut)
    return out.getvalue()
