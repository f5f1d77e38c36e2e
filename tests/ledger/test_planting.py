"""Mutants in the code that a claim judges: a strong check notices them, a weak one does not."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from hopscape.ledger import Claim, Outcome, judge, load_claims
from hopscape.ledger.planting import Trial, reached_mutants, run_mutants, try_mutants
from hopscape.ledger.scores import (
    Score,
    join_sections,
    mutant_section,
    scores_by_entry,
    total_score,
)
from hopscape.metrics.cost import moore_bound
from hopscape.registry import build
from hopscape.store import Store

PAIRS = [(degree, diameter) for degree in (2, 3, 4) for diameter in (1, 2, 3)]


def _bound(degree: int, diameter: int) -> int:
    """By levels of a tree."""
    return 1 + sum(degree * (degree - 1) ** level for level in range(diameter))


def _strong() -> Outcome:
    wrong = [f"{pair}" for pair in PAIRS if moore_bound(*pair) != _bound(*pair)]
    return judge(wrong, f"{len(PAIRS)} pairs", values={"largest": moore_bound(4, 3)})


def _weak() -> Outcome:
    """Takes what it gets."""
    wrong = [f"{pair}" for pair in PAIRS if moore_bound(*pair) < 0]
    return judge(wrong, f"{len(PAIRS)} pairs")


def _claim(check) -> Claim:
    return Claim("made-up", "made up", "nowhere", "a bound", "computed", check)


@cache
def _score(check) -> Score:
    claim = _claim(check)
    mutants = reached_mutants(claim)
    verdicts = try_mutants(claim, mutants)
    pairs = zip(mutants, verdicts, strict=True)
    return Score("made-up", tuple(Trial("made-up", one, *verdict) for one, verdict in pairs))


def test_a_strong_check_notices_and_a_weak_one_does_not() -> None:
    strong, weak = _score(_strong), _score(_weak)
    assert {trial.mutant.module for trial in strong.trials} == {"hopscape.metrics.cost"}
    assert len(strong.trials) == len(weak.trials) > 5
    assert strong.share() == 1
    assert weak.share() < 0.5
    assert {one.mutant.key for one in weak.survivors} < {one.mutant.key for one in strong.trials}


def test_nothing_stays_planted() -> None:
    before = moore_bound(3, 2), moore_bound.__code__
    claim = _claim(_weak)
    assert list(try_mutants(claim, reached_mutants(claim)[:3]))
    assert (moore_bound(3, 2), moore_bound.__code__) == before


def test_what_changes_inside_only_is_told_apart() -> None:
    """Numbers of lines are for error messages; no check of prices is given them."""
    claim = load_claims(key="hammingmesh-prices")[0]
    mutants = [one for one in reached_mutants(claim) if one.text.startswith("_line_numbers: 1")]
    verdicts = [verdict for verdict, _ in try_mutants(claim, mutants)]
    assert "internal" in verdicts
    assert "survived" not in verdicts


def test_a_stopped_run_goes_on(tmp_path: Path) -> None:
    claims = load_claims(key="hammingmesh-prices")
    with Store(tmp_path / "mutants.jsonl") as store:
        first = list(run_mutants(claims, sample=3, seed=5, store=store, processes=1))
    lines = (tmp_path / "mutants.jsonl").read_text().splitlines()
    with Store(tmp_path / "mutants.jsonl") as store:
        again = list(run_mutants(claims, sample=3, seed=5, store=store, processes=1))
    assert first == again
    assert len(first) == 3
    assert (tmp_path / "mutants.jsonl").read_text().splitlines() == lines


def test_the_page_keeps_its_other_part() -> None:
    claims = load_claims(key="hammingmesh-prices")
    mutant = reached_mutants(claims[0])[0]
    trials = [
        Trial("hammingmesh-prices", mutant, verdict)
        for verdict in ("noticed", "noticed", "noticed", "survived", "equivalent")
    ]
    section = mutant_section(
        scores_by_entry(trials, claims), claims, "hopscape ledger --plant --sample 5"
    )
    assert "| all | 5 | 3 | 1 | 0 | 1 | 0 | 0 | 75 % | 75 % |" in section
    assert f"- `{mutant.module}:{mutant.text.split(': ')[0]}` 1: hammingmesh-prices" in section
    page = join_sections("# Ledger\n\ntables\n", mutants=section)
    assert join_sections(page, mutants=section) == page
    renewed = join_sections(page, claims="# Ledger\n\nother\n")
    assert "tables" not in renewed
    assert renewed.endswith(section)
    other = load_claims(key="rpc-petersen")
    both = mutant_section(
        scores_by_entry([Trial("rpc-petersen", mutant, "noticed")], other), other, "again", renewed
    )
    assert "| hammingmesh | 5 | 3 | 1 | 0 | 1 | 0 | 0 | 75 % | 75 % |" in both
    assert "| rpc | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 100 % | 100 % |" in both
    assert "| all | 6 | 4 | 1 | 0 | 1 | 0 | 0 | 80 % | 80 % |" in both
    assert section.partition("### Mutants of")[2].strip() in both


@pytest.mark.slow
@pytest.mark.parametrize(
    "key", ["circulant-ball", "heawood-basic-route", "torus-notation", "rpc-petersen"]
)
def test_entries_notice_mutants(key: str) -> None:
    claims = load_claims(key=key)
    trials = list(run_mutants(claims, sample=30, seed=1, processes=1))
    score = total_score(scores_by_entry(trials, claims))
    assert score.count("noticed") > 5
    assert score.share() >= 0.9, [one.to_dict() for one in score.survivors]


@pytest.mark.slower  # a cache that slower tests fill, else its own work
def test_names_are_no_values_given_to_the_check() -> None:
    """What a network is called is in no check's scope, whether it looks at the name or not."""

    def links() -> Outcome:
        return judge([], f"{len(build('ring(5)').heads)} channels")

    def name() -> Outcome:
        return judge([], "named", values={"long": len(build("ring(5)").spec) > 2})

    def verdicts(check) -> set[str]:
        claim = _claim(check)
        mutants = [one for one in reached_mutants(claim) if one.text.startswith("spec: ")]
        assert mutants
        return {verdict for verdict, _ in try_mutants(claim, mutants)}

    assert "survived" not in verdicts(links)
    assert "survived" not in verdicts(name)
    assert "noticed" in verdicts(name)
