"""A design as files: the report, the ranking, and the hand-over of the chosen candidate."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import IO

from hopscape.core.files import make_folder, write_atomically, write_text
from hopscape.core.plain import signed_json
from hopscape.design.designer import Design
from hopscape.design.report import html_report, markdown_report, pictures
from hopscape.design.report.page import Option
from hopscape.design.report.pictures import best_floor
from hopscape.design.report.texts import finalists
from hopscape.design.switched import SwitchedDesign
from hopscape.design.table import machine_records, ranking_records
from hopscape.explore.finalists import write_explorer
from hopscape.handover.folder import hand_over
from hopscape.handover.readback import read_back

__all__ = ["hand_over", "read_back", "write_design"]


def write_design(
    found: Design | SwitchedDesign,
    folder: str | Path,
    *,
    choose: str | None = None,
    command: str | None = None,
    options: Sequence[Option] = (),
) -> list[str]:
    """Write the report and the hand-over of the chosen candidate.

    Args:
        folder: Made if it is not there.
        choose: Spec of the candidate; the first of the ranking when left out.
        command: As it was given; the one that asks for the same when left out.
        options (sequence of (name, value, given)): All its options.

    Returns:
        list of str: What was written, a line each.
    """
    chosen = found.best if choose is None else found.find(choose)
    top = make_folder(Path(folder))
    asked = command
    if asked is None:
        asked = found.command if isinstance(found, Design) else found.requirements.command()
    explorer = write_explorer([one.spec for one in finalists(found)], top)
    floor = best_floor(found)
    drawn = list(pictures(found, floor))  # once for all three
    page = html_report(found, asked, drawn, floor=floor, options=options, explorer=explorer)
    write_text(top / "report.html", page)
    write_text(top / "report.md", markdown_report(found, asked, shown=drawn, floor=floor))
    shown = make_folder(top / "pictures")
    for one in drawn:
        write_atomically(shown / f"{one.name}.{one.kind}", partial(_put, data=one.data))
    write_text(top / "ranking.json", _ranking(found))
    lines = [f"wrote {top / 'report.html'} and {top / 'report.md'}"]
    place_ = top / "network"
    hand_over(chosen, place_, found.requirements.conditions)
    return [*lines, f"wrote {place_}: everything about {chosen.spec}"]


def _ranking(found: Design | SwitchedDesign) -> str:
    switched = isinstance(found, SwitchedDesign)
    records = machine_records(found.candidates, found.candidates) if switched else []
    ranking = {
        "requirements": found.requirements.to_dict(),
        "complete": found.complete,
        "candidates": records or ranking_records(found.candidates),
        "answer": found.answer,
    }
    return signed_json(ranking)


def _put(out: IO[bytes], data: bytes) -> None:
    out.write(data)
