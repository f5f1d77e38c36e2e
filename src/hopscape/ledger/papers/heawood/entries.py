"""How the claims of this paper are written down."""

from __future__ import annotations

from hopscape.ledger.entries import Entries

__all__ = ["also", "claim"]

claim, also = Entries("heawood").claim, Entries("heawood").also
