"""The ledger: every claim of the papers, run and judged; and the errors that test the checks."""

from hopscape.ledger.book import (
    Entry,
    load_claims,
    load_papers,
    markdown_page,
    run_claim,
    run_claims,
)
from hopscape.ledger.claim import Claim, Correction, Outcome, Paper, PlantedError, judge
from hopscape.ledger.planting import Planting, planted, run_plants

__all__ = [
    "Claim",
    "Correction",
    "Entry",
    "Outcome",
    "Paper",
    "PlantedError",
    "Planting",
    "judge",
    "load_claims",
    "load_papers",
    "markdown_page",
    "planted",
    "run_claim",
    "run_claims",
    "run_plants",
]
