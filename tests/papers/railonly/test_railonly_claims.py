"""Rail-only networks: rulings, and machines counted by hand."""

from __future__ import annotations

import pytest

from hopscape.ledger import LedgerEntry, run_claim
from hopscape.papers.railonly.claims import PAPER, forwarding_overhead, full_clos, machine

RULINGS = {
    "railonly-cost": "holds corrected",
    "railonly-step": "holds",
    "railonly-experts": "holds",
}


@pytest.mark.slower
def test_rulings() -> None:
    entries: list[LedgerEntry] = [run_claim(claim) for claim in PAPER.claims]
    assert {entry.claim.key: entry.outcome.ruling for entry in entries} == RULINGS
    assert {e.claim.key: e.changed() for e in entries if e.changed()} == {}


def test_a_level_less_is_two_switches_of_five() -> None:
    whole, rail = full_clos(32768, 128), full_clos(4096, 128)
    assert (whole.levels, rail.levels) == (3, 2)
    assert 8 * rail.switches == pytest.approx(0.6 * whole.switches)


def test_forwarding_takes_what_the_island_is_slower() -> None:
    """Seven of eight parts go through the island first, at a tenth of the time each."""
    assert forwarding_overhead(4, 10, 32e6) == pytest.approx(7 / 80, rel=1e-6)
    plain, spine = machine(4, 9, spine=False), machine(4, 9, spine=True)
    assert (plain.links, spine.links) == (64, 64 + 32)
    assert plain.endpoint_count == spine.endpoint_count == 32
