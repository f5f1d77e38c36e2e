"""How the claims of this paper are written down."""

from __future__ import annotations

from collections.abc import Callable

from hopscape.ledger.claim import Claim, Outcome, PlantedError
from hopscape.ledger.papers.rpc.routing import guarded

__all__ = ["also", "claim"]


def claim(
    key: str, where: str, says: str, how: str, check: Callable[[], Outcome], *broken: PlantedError
) -> Claim:
    """A claim of the paper."""
    return Claim(key, "rpc", where, says, how, guarded(check), broken)


def also(
    key: str, says: str, how: str, check: Callable[[], Outcome], *broken: PlantedError
) -> Claim:
    """Something true that the paper does not say."""
    return Claim(key, "rpc", "not in the paper", says, how, guarded(check), broken, beyond=True)
