"""The page of which network: both kinds of machine, and a study that goes on where it was."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from hopscape.design import which
from hopscape.design.designer import design, usual_workers
from hopscape.design.requirements import Requirements
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.store import Store

PAGE = (Path(__file__).parents[2] / "docs" / "which-network.md").read_text(encoding="utf-8")


def test_the_sizes_of_the_page():
    assert which.SIZES == ((64, 4), (128, 6))
    assert which.SWITCHED_SIZES == ((256, 32), (1024, 64))


def _sections(page):
    """The page's text before its first title, and below each."""
    head, *rest = page.split("\n## ")
    return {"": head} | {one.partition("\n")[0]: one for one in rest}


def test_the_page_begins_as_the_command_writes_it(monkeypatch):
    """Its command, its words, and a title for each question, in order."""
    monkeypatch.setattr(which, "_section", lambda found: [f"## {found.title}", ""])
    monkeypatch.setattr(which, "_machines", lambda found: [f"## {found.title}", ""])
    monkeypatch.setattr(which, "design", lambda asked, **more: SimpleNamespace(
        title=which.title_of(asked), complete=True))  # fmt: skip
    written, kept = _sections(which.which_network()), _sections(PAGE)
    assert list(kept) == list(written)
    assert kept[""] == written[""]


@pytest.mark.parametrize(("size", "share"), [((256, 32), 0.5)])
def test_a_part_of_the_page_is_what_the_command_writes(monkeypatch, size, share):
    """Written anew: figures, places, the answer in words."""
    monkeypatch.setattr(which, "_SHARES", (share,))
    written = _sections(which.which_network((), (size,), workers=1))
    (title,) = [one for one in written if one]
    assert _sections(PAGE)[title].strip() == written[title].strip()


def test_what_is_cut_short_is_no_page(monkeypatch):
    def cut(question, **more):
        found = design(replace(question, families=("complete",)), workers=1)
        found.complete = False
        return found

    monkeypatch.setattr(which, "design", cut)
    with pytest.raises(KeyboardInterrupt):
        which.which_network((), ((20, 10),))
    with pytest.raises(KeyboardInterrupt):
        which.sweep(SwitchedRequirements(20, 10), [20])


def test_every_size_at_full_and_half_throughput(monkeypatch):
    asked = []

    def few(question, **more):
        asked.append((question.endpoints, question.throughput, more))
        return design(replace(question, families=("complete", "leaf_spine")), workers=1)

    monkeypatch.setattr(which, "design", few)
    kept = Store()
    page = which.which_network((), ((20, 10), (24, 12)), resume=kept)
    assert [(n, x) for n, x, _ in asked] == [(20, 1.0), (20, 0.5), (24, 1.0), (24, 0.5)]
    assert all(more["resume"] is kept for _, _, more in asked)
    assert '--sizes "" --switched "20x10;24x12"' in page
    assert page.count("\n## ") == 4
    assert "\nBuild " in page
    assert "leaf_spine(" in page


def test_small_questions_take_one_process():
    assert usual_workers(Requirements(64, 4)) == 1
    assert usual_workers(SwitchedRequirements(256, 32)) == 1
    assert usual_workers(Requirements(4096, 8)) == usual_workers(SwitchedRequirements(16384, 64))
