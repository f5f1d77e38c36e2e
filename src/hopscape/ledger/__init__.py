"""The ledger: every claim of the papers, run and judged.

claim, crosscheck    what a claim is; numbers of the library computed again
book                 all claims, their rulings and pins, and the page docs/ledger.md
mutation, recording, planting, scores   mutants of code that a claim reaches: is it noticed?
"""

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
from hopscape.ledger.claim import Claim, Correction, Outcome, Paper, Searched, Tally, judge

__all__ = [
    "Claim",
    "Correction",
    "LedgerEntry",
    "Outcome",
    "Paper",
    "Searched",
    "Tally",
    "judge",
    "load_claims",
    "load_papers",
    "load_pins",
    "markdown_page",
    "run_claim",
    "run_claims",
    "write_pins",
]
