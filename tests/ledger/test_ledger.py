"""The ledger's own machinery: registration, verdicts, planted errors, the page."""

from __future__ import annotations

import pytest

import hopscape
from hopscape.core.errors import ArgumentError
from hopscape.families.classic import Heawood
from hopscape.ledger import (
    Claim,
    Outcome,
    Paper,
    PlantedError,
    judge,
    load_claims,
    load_papers,
    markdown_page,
    planted,
    run_claim,
    run_plants,
)
from hopscape.metrics import moore_bound


def _moore() -> Outcome:
    from hopscape.metrics import moore_bound as inside

    found = inside(3, 2)
    return judge([] if found == 10 else [f"the bound is {found}"], f"{found} nodes")


def _broken() -> Outcome:
    raise ArgumentError("nothing works")


def _claim(check=_moore, **more) -> Claim:
    return Claim("made-up", "made up", "nowhere", "ten", "computed", check, **more)


ONE_MORE = PlantedError(
    "one node more",
    "hopscape.metrics.cost:moore_bound",
    lambda right: lambda degree, diameter: right(degree, diameter) + 1,
)
HARMLESS = PlantedError("nothing", "hopscape.metrics.cost:moore_bound", lambda right: right)


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


def test_a_planted_error_reaches_names_that_were_imported() -> None:
    assert moore_bound(3, 2) == 10
    with planted(ONE_MORE):
        assert hopscape.metrics.moore_bound(3, 2) == 11
        assert run_claim(_claim()).outcome.ruling == "refuted"
    assert hopscape.metrics.moore_bound(3, 2) == 10
    assert run_claim(_claim()).outcome.ruling == "holds"


def test_an_error_in_a_class_is_taken_back() -> None:
    before = vars(Heawood).get("facts")
    with planted(PlantedError("", "hopscape.families.classic.small:Heawood.facts", lambda _: None)):
        assert Heawood.facts is None
    assert vars(Heawood).get("facts") is before
    inherited = "hopscape.families.classic.small:Heawood.detours"
    assert "detours" not in vars(Heawood)
    with planted(PlantedError("", inherited, lambda _: None)):
        assert Heawood.detours is None
    assert "detours" not in vars(Heawood)
    assert Heawood.detours is not None


def test_noticed_and_not() -> None:
    assert [one.noticed for one in run_plants([_claim(plants=(ONE_MORE, HARMLESS))])] == [
        True,
        False,
    ]


def test_a_check_that_breaks_down_is_not_a_verdict() -> None:
    entry = run_claim(_claim(_broken))
    assert entry.outcome.ruling == "failed"
    assert "nothing works" in entry.outcome.note
    crash = PlantedError("crash", "hopscape.metrics.cost:moore_bound", lambda _: _broken)
    (one,) = run_plants([_claim(plants=(crash,))])
    assert one.after.ruling == "failed"
    assert not one.noticed


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
