"""DeepSeek-V3's table of fabrics: rulings, and a Slim Fly that nobody can build."""

from __future__ import annotations

import pytest

import hopscape
from hopscape.core.errors import HopscapeError
from hopscape.ledger import run_claim
from hopscape.papers.deepseek.claims import PAPER

RULINGS = {
    "deepseek-trees": "holds",
    "deepseek-slim-fly": "refuted",
    "deepseek-dragonfly": "holds corrected",
}


def test_rulings() -> None:
    entries = [run_claim(claim) for claim in PAPER.claims]
    assert {entry.claim.key: entry.outcome.ruling for entry in entries} == RULINGS
    assert {e.claim.key: e.changed() for e in entries if e.changed()} == {}


def test_the_family_refuses_the_slim_fly_too() -> None:
    with pytest.raises(HopscapeError, match="28"):
        hopscape.build("slim_fly(28, p=21)")
    network = hopscape.build("slim_fly(5)")
    assert network.order - network.endpoint_count == 2 * 5**2
