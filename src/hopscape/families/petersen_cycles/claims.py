"""What the paper on RPC(k) claims, each with a check that computes."""

from __future__ import annotations

from hopscape.families.petersen_cycles.claims_collectives import COLLECTIVE_CLAIMS
from hopscape.families.petersen_cycles.claims_structure import STRUCTURE_CLAIMS

__all__ = ["CLAIMS"]

CLAIMS = (*STRUCTURE_CLAIMS, *COLLECTIVE_CLAIMS)
