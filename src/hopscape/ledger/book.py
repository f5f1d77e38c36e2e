"""Finding the registered claims and running them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

from hopscape.core.claims import Claim, Outcome
from hopscape.core.errors import ArgumentError
from hopscape.core.progress import track

__all__ = ["Entry", "load_claims", "run_claims"]


@dataclass(frozen=True)
class Entry:
    """A claim with what its check found."""

    claim: Claim
    outcome: Outcome

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
        }


def load_claims(paper: str | None = None, key: str | None = None) -> list[Claim]:
    """The claims registered in the entry-point group ``hopscape.claims``.

    Parameters
    ----------
    paper : str, optional
        Only those of one paper.
    key : str, optional
        Only this one.

    Raises
    ------
    ArgumentError
        When there is no such paper or claim.
    """
    found: list[Claim] = []
    for entry in sorted(entry_points(group="hopscape.claims"), key=lambda e: e.name):
        found += entry.load()
    keys = [claim.key for claim in found]
    twice = {k for k in keys if keys.count(k) > 1}
    if twice:
        raise ArgumentError(f"two claims have the key {min(twice)!r}")
    papers = sorted({claim.paper for claim in found})
    if paper is not None and paper not in papers:
        raise ArgumentError(f"paper {paper!r} has no claims; there are {', '.join(papers)}")
    if key is not None and key not in keys:
        raise ArgumentError(f"claim {key!r} is unknown; 'hopscape ledger --list' shows all")
    return [
        claim
        for claim in found
        if (paper is None or claim.paper == paper) and (key is None or claim.key == key)
    ]


def run_claims(claims: Iterable[Claim]) -> Iterator[Entry]:
    """Run the checks one by one."""
    for claim in track(list(claims), "checking claims"):
        yield Entry(claim, claim.check())
