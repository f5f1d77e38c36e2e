"""The ledger's own machinery: registration, verdicts, the page."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import hopscape
from hopscape.core import progress
from hopscape.core.errors import ArgumentError
from hopscape.ledger import (
    Claim,
    Outcome,
    Paper,
    Searched,
    book,
    judge,
    load_claims,
    load_papers,
    load_pins,
    markdown_page,
    run_claim,
    write_pins,
)


def _moore() -> Outcome:
    from hopscape.metrics import moore_bound as inside

    found = inside(3, 2)
    return judge([] if found == 10 else [f"the bound is {found}"], f"{found} nodes")


def _broken() -> Outcome:
    raise ArgumentError("nothing works")


def _claim(check=_moore, **more) -> Claim:
    return Claim("made-up", "made up", "nowhere", "ten", "computed", check, **more)


def test_keys_are_unique_and_papers_known() -> None:
    papers = load_papers()
    names = hopscape.all_families()
    for paper in papers:
        assert {claim.paper for claim in paper.claims} == {paper.key}
        assert set(paper.families) <= set(names), paper.key
    assert sum(len(p.claims) for p in papers) == len(load_claims())


def test_unknown_paper_and_claim() -> None:
    with pytest.raises(ArgumentError):
        load_claims("nobody")
    with pytest.raises(ArgumentError):
        load_claims("rpc", "nothing")


def test_a_ruling_says_why() -> None:
    with pytest.raises(ValueError, match="why"):
        Outcome("refuted", "3")


def test_a_check_that_breaks_down_is_not_a_verdict() -> None:
    entry = run_claim(_claim(_broken))
    assert entry.outcome.ruling == "failed"
    assert "nothing works" in entry.outcome.note


def test_values_and_what_was_searched_are_for_machines_too() -> None:
    def check() -> Outcome:
        searched = [Searched("pairs", 6, 6), Searched("orders", 24)]
        return judge([], "-", values={"most": Fraction(1, 3)}, searched=searched)

    record = run_claim(_claim(check)).to_dict()
    assert record["values"] == {"most": "1/3"}
    assert record["searched"][0] == {"what": "pairs", "count": 6, "expected": 6}
    paper = Paper("made up", "Nobody: nothing", (), (_claim(check),))
    assert "| 6 of 6 pairs, 24 orders |" in markdown_page([paper], [run_claim(_claim(check))])


def test_what_differs_from_the_pins_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check() -> Outcome:
        return judge([], f"{found} nodes", values={"nodes": found})

    found = 10
    claim = _claim(check)
    paper = Paper("made up", "Nobody", (), (claim,), pinned=tmp_path / "pinned.jsonl")
    monkeypatch.setattr(book, "load_papers", lambda: [paper])
    load_pins.cache_clear()
    assert run_claim(claim).changed() == []  # nothing is pinned yet
    assert write_pins([run_claim(claim)]) == [paper.pinned]
    assert run_claim(claim).to_dict()["changed"] == []
    found = 11
    assert run_claim(claim).changed() == ["values", "measured"]
    load_pins.cache_clear()


def test_progress_counts_the_seconds_that_are_pinned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = [
        Claim(name, "made up", "-", "-", "-", _moore) for name in ("long", "short", "shorter")
    ]
    paper = Paper("made up", "Nobody", (), tuple(claims), pinned=tmp_path / "pinned.jsonl")
    monkeypatch.setattr(book, "load_papers", lambda: [paper])
    load_pins.cache_clear()
    entry = run_claim(claims[0])
    write_pins([replace(entry, seconds=70.4), replace(run_claim(claims[1]), seconds=0.5)])
    assert [row.get("seconds") for row in load_pins("made up").values()] == [70, None]
    assert run_claim(claims[0]).changed() == []  # it took another time
    done: list[float] = []

    class Bar:
        def update(self, steps: float) -> None:
            done.append(steps)

        def close(self) -> None:
            pass

    progress.set_progress(lambda text, total: Bar())
    try:
        list(book.run_claims(claims))
    finally:
        progress.set_progress(None)
    assert len(done) == 2
    assert done[0] > 0.99 * done[1] > 900  # of a thousand
    load_pins.cache_clear()


def test_a_check_that_searched_less_than_theory_says_has_failed() -> None:
    outcome = judge(["N = 4"], "-", searched=[Searched("pairs", 5, 6)])
    assert (outcome.ruling, outcome.note) == ("failed", "searched 5 of 6 pairs")


def test_page_counts_what_is_beyond_apart() -> None:
    claims = (_claim(), Claim("more", "made up", "-", "true too", "-", _moore, beyond=True))
    paper = Paper("made up", "Nobody: nothing", (), claims)
    page = markdown_page([paper], [run_claim(claim) for claim in claims])
    assert "| made up | 1 | 0 | 0 | 0 | 1 | 0 s |" in page
    assert page.index("`made-up`") < page.index("Also true:") < page.index("`more`")


def test_page_sums_up_all_papers_and_leaves_out_those_not_run() -> None:
    one = Paper("made up", "Nobody: nothing", (), (_claim(), _claim()))
    two = Paper("other", "Nobody: more", (), (Claim("x", "other", "-", "-", "-", _moore),))
    entries = [run_claim(claim) for claim in (*one.claims, *two.claims)]
    page = markdown_page([one, two], entries)
    assert "| made up | 2 | 0 | 0 | 0 | 0 | 0 s |\n| other | 1 | 0 | 0 | 0 | 0 | 0 s |" in page
    assert "| all | 3 | 0 | 0 | 0 | 0 | 0 s |" in page
    alone = markdown_page([one, two], entries[:2])
    assert "| other" not in alone
    assert "| all" not in alone
