"""How the claims of this paper are written down."""

from __future__ import annotations

from hopscape.ledger.entries import Entries
from hopscape.ledger.papers.rpc.routing import guarded

__all__ = ["also", "claim"]

_ENTRIES = Entries("rpc", guard=guarded)
claim, also = _ENTRIES.claim, _ENTRIES.also
