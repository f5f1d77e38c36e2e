"""The ledger: every claim of the papers, run and judged."""

from hopscape.ledger.book import (
    LedgerEntry,
    load_claims,
    load_papers,
    load_pins,
    markdown_page,
    run_claim,
    run_claims,
    write_pins,
)
from hopscape.ledger.claim import Claim, Correction, Outcome, Paper, Searched, judge

__all__ = [
    "Claim",
    "Correction",
    "LedgerEntry",
    "Outcome",
    "Paper",
    "Searched",
    "judge",
    "load_claims",
    "load_papers",
    "load_pins",
    "markdown_page",
    "run_claim",
    "run_claims",
    "write_pins",
]
