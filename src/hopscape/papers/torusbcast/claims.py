"""The claims of the torus paper, section by section, and what lies beyond it."""

from __future__ import annotations

from pathlib import Path

from hopscape.ledger.claim import Paper
from hopscape.papers.torusbcast import (
    claims_beyond as beyond,
)
from hopscape.papers.torusbcast import (
    claims_definition as definition,
)
from hopscape.papers.torusbcast import (
    claims_numbers as numbers,
)
from hopscape.papers.torusbcast import (
    claims_plane as plane,
)
from hopscape.papers.torusbcast import (
    claims_space as space,
)

__all__ = ["CLAIMS", "PAPER"]

CLAIMS = (*definition.CLAIMS, *numbers.CLAIMS, *plane.CLAIMS, *space.CLAIMS, *beyond.CLAIMS)

PAPER = Paper(
    "torusbcast",
    "Okazaki, Ono, Sadahiro, Yamashita: efficient broadcasting on torus networks",
    ("torus",),
    CLAIMS,
    pinned=Path(__file__).with_name("pinned.jsonl"),
)
