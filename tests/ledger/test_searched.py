"""Every entry counts what it searches, beside theory, or says that it searches nothing."""

from __future__ import annotations

import random

import pytest
from skips import loops_of, stopped

from hopscape.ledger import (
    Claim,
    LedgerEntry,
    Outcome,
    Searched,
    Tally,
    judge,
    load_claims,
    load_pins,
    run_claim,
)
from hopscape.ledger.claim import with_searched
from hopscape.ledger.crosscheck import CrossCheck, settled

_SEED = 37
"""Of the entries that are drawn; ``python tests/ledger/skips.py`` tries all."""
_DRAWN, _FEW = 6, 60
"""Entries, and the most cases that one of them may have: those are quick."""


def test_every_entry_compares_a_count_or_says_that_it_searches_nothing() -> None:
    for claim in load_claims():
        searched = load_pins(claim.paper)[claim.key]["searched"]
        compared = [one for one in searched if one["expected"] is not None]
        assert bool(compared) == claim.searches, claim.key
        assert claim.searches or not searched, claim.key
        assert all(one["count"] == one["expected"] > 0 for one in compared), claim.key


def _drawn() -> list[Claim]:
    """Entries that search little, drawn from the seed; of papers whose checks are quick."""
    few = []
    for claim in load_claims():
        if not claim.key.startswith(("circulant-", "multiring-")):
            continue
        counts = [one["count"] for one in load_pins(claim.paper)[claim.key]["searched"]]
        few += [claim] if 0 < sum(counts) <= _FEW else []
    return random.Random(_SEED).sample(few, _DRAWN)


def test_loops_that_stop_half_way_are_noticed() -> None:
    for claim in _drawn():
        right = run_claim(claim).outcome
        assert right.ruling != "failed", claim.key
        wrong = [(loop, stopped(claim, loop)) for loop in loops_of(claim)]
        rulings = {str(loop): one.ruling for loop, one in wrong if one is not None}
        assert "failed" in rulings.values(), (claim.key, rulings)
        told = {str(loop): one.ruling for loop, one in wrong if one is not None and loop.counted}
        assert set(told.values()) <= {"failed"}, (claim.key, told)
        assert run_claim(claim).outcome == right, "what was planted must be gone"


def test_a_tally_counts_what_was_done_and_not_what_was_meant() -> None:
    tally = Tally()
    for case in tally.each("cases", range(10), 10):
        if case == 4:
            break
    assert list(tally) == [Searched("cases", 4, 10)]
    whole = Tally()
    assert [x for x in whole.each("cases", iter("abc"), 3) if x > "a"] == ["b", "c"]
    whole.expect("pairs", 2)
    whole.add("pairs")
    assert judge([], "-", searched=whole).note == "searched 1 of 2 pairs"
    assert judge(["N = 4"], "-", searched=tally).ruling == "failed"


def test_more_than_theory_says_has_failed_too() -> None:
    assert judge([], "-", searched=[Searched("pairs", 7, 6)]).ruling == "failed"


@pytest.mark.parametrize("stop", [False, True])
def test_cross_checks_count_as_well(stop: bool) -> None:
    cross = CrossCheck()
    for x in cross.tally.each("numbers", range(3), 3):
        cross.same("square", x * x, x**2)
        if stop:
            break
    outcome = cross.judge([], "-", searched=[Searched("others", 1, 1)])
    assert outcome.ruling == ("failed" if stop else "holds")
    assert [one.what for one in outcome.searched] == ["others", "numbers"]


def test_what_was_searched_outlasts_doubts() -> None:
    right = judge([], "-", searched=[Searched("pairs", 6, 6)])
    assert settled(["ours differs"], right).searched == right.searched
    cross = CrossCheck()
    cross.same("a number", 1, 2)
    assert cross.rule(right).searched == right.searched
    assert cross.rule(right).ruling == "open"
    cross.tally.expect("orders", 1)
    assert cross.rule(right).ruling == "failed"
    short = judge([], "-", searched=[Searched("pairs", 5, 6)])
    assert settled(["ours differs"], short) == short
    assert with_searched(right, [Searched("more", 1, 2)]).ruling == "failed"


def test_entries_say_what_they_searched() -> None:
    def entry(outcome: Outcome, searches: bool = True) -> LedgerEntry:
        claim = Claim("made-up", "made up", "-", "-", "-", lambda: outcome, searches=searches)
        return run_claim(claim)

    counted = entry(judge([], "-", searched=[Searched("pairs", 1000, 1000), Searched("bits", 2)]))
    assert counted.searched() == "1,000 of 1,000 pairs, 2 bits"
    assert entry(judge([], "-")).searched() == "not counted"
    assert entry(judge([], "-"), searches=False).searched() == "nothing to search"
    assert entry(judge([], "-"), searches=False).to_dict()["searches"] is False
