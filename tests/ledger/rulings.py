"""Rulings that are known, claim by claim."""

from __future__ import annotations

from collections.abc import Iterable


def rulings(
    names: Iterable[str],
    prefix: str = "",
    *,
    corrected: Iterable[str] = (),
    refuted: Iterable[str] = (),
    undecided: Iterable[str] = (),
) -> dict[str, str]:
    """Rulings by key: the claims hold, except for those that are named."""
    known = dict.fromkeys(names, "holds") | dict.fromkeys(corrected, "holds corrected")
    known |= dict.fromkeys(refuted, "refuted") | dict.fromkeys(undecided, "open")
    return {prefix + name: ruling for name, ruling in known.items()}
