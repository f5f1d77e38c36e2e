"""Entries of the ledger about rings and switches."""

from __future__ import annotations

from collections.abc import Callable

from hopscape.ledger.claim import Claim, Outcome, PlantedError

__all__ = ["also_true", "claim"]


def claim(
    about: str,
    key: str,
    where: str,
    says: str,
    how: str,
    check: Callable[[], Outcome],
    *plants: PlantedError,
) -> Claim:
    """What the paper says about one of its two subjects."""
    return Claim(f"{about}-{key}", "multiring", where, says, how, check, plants)


def also_true(
    about: str, key: str, says: str, how: str, check: Callable[[], Outcome], *plants: PlantedError
) -> Claim:
    """What is true as well."""
    return Claim(f"{about}-{key}", "multiring", "-", says, how, check, plants, beyond=True)
