"""What a claim of a paper is, and what a check of it may find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

__all__ = ["Claim", "Outcome", "Ruling"]

Ruling = Literal["holds", "holds corrected", "refuted", "not checkable"]


@dataclass(frozen=True)
class Outcome:
    """What a check found.

    Attributes
    ----------
    ruling : {'holds', 'holds corrected', 'refuted', 'not checkable'}
    measured : str
        What was measured, in numbers.
    note : str
        How it must be corrected, the counter-example, or why it cannot be checked.
    """

    ruling: Ruling
    measured: str
    note: str = ""


@dataclass(frozen=True)
class Claim:
    """One claim of a paper.

    Attributes
    ----------
    key : str
        Unique, short: ``heawood-diameter``.
    paper : str
        Which paper: ``heawood``, ``rpc``, ``circulant``, ``multiring``, ``torusbcast``.
    where : str
        Where in it.
    says : str
        What it says.
    how : str
        How it is checked, and how far.
    check : callable
        Runs the check and returns an :class:`Outcome`; it computes, it never looks up.
    """

    key: str
    paper: str
    where: str
    says: str
    how: str
    check: Callable[[], Outcome]
