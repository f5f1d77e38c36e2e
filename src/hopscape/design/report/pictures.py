"""The pictures of a report, each drawn once: plots, curves, the floor and the finalists."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import NamedTuple

from hopscape.core.errors import HopscapeError
from hopscape.design.candidates import Candidate
from hopscape.design.report.floor import Floor, floor_of, floor_picture, left_out, length_picture
from hopscape.design.report.plots import curve_plot, scatter
from hopscape.design.report.texts import AnyDesign, finalists
from hopscape.design.switched_requirements import SwitchedRequirements

__all__ = ["Picture", "best_floor", "pictures"]

_DRAWN = 4
_DRAWN_ORDER = 400
_MOST_LINKS = 1200


class Picture(NamedTuple):
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


def best_floor(found: AnyDesign, chosen: Candidate | None = None) -> Floor | None:
    """The floor of the first of the ranking (or of another one)."""
    asked = found.requirements
    switched = asked if isinstance(asked, SwitchedRequirements) else None
    return floor_of((chosen or found.best).spec, asked.conditions.plan, switched)


def pictures(found: AnyDesign, floor: Floor | None = None) -> Iterator[Picture]:
    """All pictures: plots first, then the floor, then drawings of the finalists.

    Args:
        found: Design or SwitchedDesign
        floor: Of the first one, where it is known already.
    """
    for x, y, caption in found.presentation.plots:
        data = scatter(found.candidates, x, y, caption)
        if data is not None:
            yield Picture(f"{x}-{y}", caption, "svg", data, "ranking")
    if found.curve_points:
        caption = "latency and accepted load over offered load, simulated flit by flit"
        data = curve_plot(found.curve_points, caption)
        yield Picture("load-latency", caption, "svg", data, "curves")
    floor = best_floor(found) if floor is None else floor
    if floor is not None:
        yield from _floor_pictures(floor, found.best.spec)
    for one in finalists(found)[:_DRAWN]:
        data = _drawing(one)
        if data is not None:
            place = found.candidates.index(one) + 1
            yield Picture(f"network-{place}", f"{place}. {one.spec}", "png", data, "networks")


def _floor_pictures(floor: Floor, spec: str) -> Iterator[Picture]:
    caption = f"{spec} from above: racks (row.rack), how full they are, and the cables between them"
    if more := left_out(floor):
        caption += f"; the {more} thinnest bundles are left out"
    yield Picture("floor", caption, "svg", floor_picture(floor, caption), "floor")
    if len(floor.lengths):
        caption = f"how long the cables of {spec} are"
        yield Picture("cables", caption, "svg", length_picture(floor.lengths, caption), "floor")


def _drawing(one: Candidate) -> bytes | None:
    from hopscape.registry import build

    try:
        network = build(one.spec)
        known = network.family is not None and network.family.layout() is not None
        if network.links > _MOST_LINKS or (network.order > _DRAWN_ORDER and not known):
            return None  # seconds each, and a tangle: the explorer shows them
        from hopscape.draw import make_figure

        figure = make_figure(network, labels=False, size=4.2)
    except HopscapeError:
        return None
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110, metadata={"Software": None})
    return out.getvalue()
