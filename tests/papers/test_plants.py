"""No check that cannot fail: every claim's verdict changes when what it judges is broken."""

from __future__ import annotations

from importlib import import_module
from operator import attrgetter

import pytest
import test_hammingmesh_claims
import test_torus_claims

from hopscape.ledger import load_claims, planted, run_claim, run_plants
from rulings import KNOWN

CLAIMS = load_claims()
PLANTED = [claim for claim in CLAIMS if claim.plants]
RULINGS = (
    {key: ruling for paper in KNOWN.values() for key, ruling in paper.rulings.items()}
    | test_hammingmesh_claims.RULINGS
    | test_torus_claims.RULINGS
    | test_torus_claims.BEYOND
)


def test_all_rulings_are_known() -> None:
    assert set(RULINGS) == {claim.key for claim in CLAIMS}


@pytest.mark.parametrize("claim", PLANTED, ids=lambda claim: claim.key)
def test_a_planted_error_is_noticed(claim) -> None:
    """The first error of each claim; -m slow plants all, as does ``hopscape ledger --plant``."""
    with planted(claim.plants[0]):
        after = run_claim(claim).outcome
    assert after.ruling not in (RULINGS[claim.key], "failed"), f"{claim.plants[0].error}: {after}"


@pytest.mark.slow
@pytest.mark.parametrize("claim", PLANTED, ids=lambda claim: claim.key)
def test_all_planted_errors_are_noticed(claim) -> None:
    for one in run_plants([claim]):
        assert one.before.ruling != "failed", one.before.note
        assert one.noticed, f"{one.plant.error}: still {one.after}"


@pytest.mark.parametrize("claim", [c for c in CLAIMS if not c.plants], ids=lambda claim: claim.key)
def test_only_open_claims_have_no_planted_error(claim) -> None:
    assert not claim.beyond
    assert run_claim(claim).outcome.ruling == "open"


def test_planted_errors_say_what_they_break() -> None:
    for claim in CLAIMS:
        errors = [plant.error for plant in claim.plants]
        assert all(errors), claim.key
        assert len(set(errors)) == len(errors), claim.key


def test_planted_errors_have_a_place() -> None:
    """Code that moved takes its planted errors along, those of slow studies too."""
    for where in {plant.where for claim in CLAIMS for plant in claim.plants}:
        module, _, path = where.partition(":")
        assert attrgetter(path)(import_module(module)) is not None, where
