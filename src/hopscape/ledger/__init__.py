"""The ledger: every claim of the papers, run and judged."""

from hopscape.ledger.book import Entry, load_claims, run_claims
from hopscape.ledger.page import markdown_page

__all__ = ["Entry", "load_claims", "markdown_page", "run_claims"]
