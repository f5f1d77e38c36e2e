"""Verdict: what a check found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hopscape.core.numbers import plain

__all__ = ["Verdict"]


@dataclass(frozen=True)
class Verdict:
    """The outcome of a check: it holds, or here is the first exact counter-example.

    A verdict is true in a condition when it holds.

    Attributes:
        reason: One sentence: what was checked and how far, or what is wrong and where.
        where: The place of the counter-example in numbers (round, transfer, nodes, ...); empty when
            it holds.
        details: What the check measured on the way.
    """

    holds: bool
    reason: str
    where: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return f"{'holds' if self.holds else 'FAILS'}: {self.reason}"

    def to_dict(self) -> dict[str, Any]:
        """All of it as JSON knows it."""
        return {
            "holds": self.holds,
            "reason": self.reason,
            "where": plain(dict(self.where)),
            "details": plain(dict(self.details)),
        }

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p><b>{'holds' if self.holds else 'FAILS'}</b>: {escape(self.reason)}</p>"
