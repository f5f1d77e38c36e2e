"""A design as files: the report, the ranking, and the hand-over of the chosen candidate."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import IO

from hopscape.core.files import make_folder, write_atomically, write_text
from hopscape.core.plain import plain
from hopscape.design.designer import Design
from hopscape.design.report import html_report, markdown_report, pictures
from hopscape.design.switched import SwitchedDesign
from hopscape.design.table import machine_records, ranking_records
from hopscape.handover.folder import hand_over
from hopscape.handover.readback import read_back

__all__ = ["hand_over", "read_back", "write_design"]


def write_design(
    found: Design | SwitchedDesign, folder: str | Path, *, choose: str | None = None
) -> list[str]:
    """Write the report and the hand-over of the chosen candidate.

    Parameters
    ----------
    found : Design or SwitchedDesign
    folder : path
        Made if it is not there.
    choose : str, optional
        Spec of the candidate; the first of the ranking when left out.

    Returns
    -------
    list of str
        What was written, a line each.
    """
    chosen = found.best if choose is None else found.find(choose)
    top = make_folder(Path(folder))
    command = found.command if isinstance(found, Design) else found.requirements.command()
    drawn = list(pictures(found))  # once for all three
    write_text(top / "report.html", html_report(found, command, drawn))
    write_text(top / "report.md", markdown_report(found, command, shown=drawn))
    shown = make_folder(top / "pictures")
    for name, _, kind, data in drawn:
        write_atomically(shown / f"{name}.{kind}", partial(_put, data=data))
    switched = isinstance(found, SwitchedDesign)
    records = machine_records(found.candidates, found.candidates) if switched else []
    ranking = {
        "requirements": found.requirements.to_dict(),
        "complete": found.complete,
        "candidates": records or ranking_records(found.candidates),
        **({"answer": found.answer} if isinstance(found, SwitchedDesign) else {}),
    }
    write_text(
        top / "ranking.json", json.dumps(plain(ranking), indent=1, ensure_ascii=False) + "\n"
    )
    lines = [f"wrote {top / 'report.html'} and {top / 'report.md'}"]
    place_ = top / "network"
    hand_over(chosen, place_, found.requirements.conditions)
    return [*lines, f"wrote {place_}: everything about {chosen.spec}"]


def _put(out: IO[bytes], data: bytes) -> None:
    out.write(data)
