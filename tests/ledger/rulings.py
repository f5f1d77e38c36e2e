"""Rulings that are known, claim by claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from hopscape.ledger import Claim, Outcome, run_claim


def rulings(
    names: Iterable[str],
    prefix: str = "",
    *,
    corrected: Iterable[str] = (),
    refuted: Iterable[str] = (),
    undecided: Iterable[str] = (),
) -> dict[str, str]:
    """Rulings by key: the claims hold, except for those that are named."""
    known = dict.fromkeys(names, "holds") | dict.fromkeys(corrected, "holds corrected")
    known |= dict.fromkeys(refuted, "refuted") | dict.fromkeys(undecided, "open")
    return {prefix + name: ruling for name, ruling in known.items()}


def outcomes(claims: Iterable[Claim], prefix: str = "") -> dict[str, Outcome]:
    """What the checks find, by the claims' names."""
    return {claim.key.removeprefix(prefix): run_claim(claim).outcome for claim in claims}


def judged(found: Mapping[str, Outcome], prefix: str = "") -> dict[str, str]:
    """The rulings by key."""
    return {prefix + name: outcome.ruling for name, outcome in found.items()}


def check_rulings(
    claims: Iterable[Claim],
    found: Mapping[str, Outcome],
    known: Mapping[str, str],
    beyond: Iterable[str],
    prefix: str = "",
    unplanted: Iterable[str] = (),
) -> None:
    """Every claim is judged as known; only those named are beyond the paper, or have no plants."""
    claims = list(claims)
    assert len(found) == len(claims)
    assert judged(found, prefix) == known
    assert {c.key.removeprefix(prefix) for c in claims if c.beyond} == set(beyond)
    assert {c.key.removeprefix(prefix) for c in claims if not c.plants} == set(unplanted)
