"""What the paper on RPC(k) claims, each with a check that computes."""

from __future__ import annotations

from hopscape.ledger.papers.rpc.collectives import COLLECTIVE_CLAIMS
from hopscape.ledger.papers.rpc.structure import STRUCTURE_CLAIMS

__all__ = ["CLAIMS"]

CLAIMS = (*STRUCTURE_CLAIMS, *COLLECTIVE_CLAIMS)
