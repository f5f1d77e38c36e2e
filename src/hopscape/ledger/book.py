"""Finding the registered papers and running their claims."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.plugins import load_plugins
from hopscape.core.progress import track
from hopscape.ledger.claim import Claim, Outcome, Paper

__all__ = ["Entry", "load_claims", "load_papers", "run_claim", "run_claims"]

_BREAKDOWNS = (HopscapeError, ArithmeticError, AssertionError, LookupError, TypeError, ValueError)


@dataclass(frozen=True)
class Entry:
    """A claim with what its check found, and the seconds it took."""

    claim: Claim
    outcome: Outcome
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "key": self.claim.key,
            "paper": self.claim.paper,
            "where": self.claim.where,
            "says": self.claim.says,
            "how": self.claim.how,
            "measured": self.outcome.measured,
            "verdict": self.outcome.ruling,
            "note": self.outcome.note,
            "also_true": self.claim.beyond,
            "seconds": round(self.seconds, 2),
        }


def load_papers() -> list[Paper]:
    """The papers registered in the entry-point group ``hopscape.claims``.

    Raises:
        ArgumentError: When two papers or two claims have the same key.
    """
    papers: list[Paper] = [paper for _, paper in sorted(load_plugins("claims").items())]
    for noun, keys in (
        ("papers", [paper.key for paper in papers]),
        ("claims", [claim.key for paper in papers for claim in paper.claims]),
    ):
        twice = {key for key in keys if keys.count(key) > 1}
        if twice:
            raise ArgumentError(f"two {noun} have the key {min(twice)!r}")
    return papers


def load_claims(paper: str | None = None, key: str | None = None) -> list[Claim]:
    """The claims of all registered papers.

    Args:
        paper: Only those of one paper.
        key: Only this one.

    Raises:
        ArgumentError: When there is no such paper or claim.
    """
    papers = load_papers()
    names = sorted(one.key for one in papers)
    if paper is not None and paper not in names:
        raise ArgumentError(f"paper {paper!r} has no claims; there are {', '.join(names)}")
    claims = [claim for one in papers for claim in one.claims if paper in (None, one.key)]
    if key is not None and key not in {claim.key for claim in claims}:
        raise ArgumentError(f"claim {key!r} is unknown; 'hopscape ledger --list' shows all")
    return [claim for claim in claims if key in (None, claim.key)]


def run_claim(claim: Claim) -> Entry:
    """Run one check; a check that breaks down is told as ``failed``."""
    begin = time.perf_counter()
    try:
        outcome = claim.check()
    except _BREAKDOWNS as error:
        outcome = Outcome("failed", "-", f"{type(error).__name__}: {error}")
    return Entry(claim, outcome, time.perf_counter() - begin)


def run_claims(claims: Iterable[Claim]) -> Iterator[Entry]:
    """Run the checks one by one."""
    for claim in track(list(claims), "checking claims"):
        yield run_claim(claim)
