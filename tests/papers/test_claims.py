"""The papers' claims are judged as they are known, by checks that can fail."""

from __future__ import annotations

import pytest
from rulings import KNOWN, Known

from hopscape.ledger import LedgerEntry, Outcome, run_claim

Judged = tuple[Known, dict[str, Outcome]]


pytestmark = pytest.mark.slower  # one run of the ledger for all of them


@pytest.fixture(scope="module", params=KNOWN)
def judged(request: pytest.FixtureRequest) -> Judged:
    """What is known of a paper, and what the checks find, by the claims' names."""
    known = KNOWN[request.param]
    return known, {known.name(claim): run_claim(claim).outcome for claim in known.claims}


def test_every_claim_is_judged_as_known(judged: Judged) -> None:
    known, found = judged
    assert len(found) == len(known.claims)
    assert {known.prefix + name: one.ruling for name, one in found.items()} == known.rulings
    assert {known.name(claim) for claim in known.claims if claim.beyond} == known.beyond


def test_checks_find_what_is_pinned(judged: Judged) -> None:
    """``hopscape ledger --pin`` renews what is pinned, once the change is understood."""
    known, found = judged
    entries = [LedgerEntry(claim, found[known.name(claim)], 0.0) for claim in known.claims]
    assert {e.claim.key: e.changed() for e in entries if e.changed()} == {}


def test_texts_carry_what_was_measured(judged: Judged) -> None:
    known, found = judged
    for name, words in known.texts:
        assert words in f"{found[name].measured}; {found[name].note}", name


def test_a_refutation_carries_its_counter_example(judged: Judged) -> None:
    for name, outcome in judged[1].items():
        if outcome.ruling == "refuted":
            assert any(sign.isdigit() for sign in outcome.note), name
