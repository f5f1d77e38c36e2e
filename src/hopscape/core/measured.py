"""A measured value with its bounds, and how it is known."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Literal, TypeVar

from hopscape.core.errors import CheckFailedError

__all__ = ["How", "Measured"]

Known = TypeVar("Known")

How = Literal["closed form", "exact", "symmetry", "sampled", "bound", "unknown"]

_PROVED = ("closed form", "exact", "symmetry")
_CLOSE = 1e-9
"""Bounds in floating-point numbers may cross by rounding."""


@dataclass(frozen=True)
class Measured(Generic[Known]):
    """A value, what it lies between for certain, and how it is known.

    Attributes:
        value: None when it does not exist (the girth of a tree) or is not known.
        how: ``closed form``: a formula of the family, measured in the tests; ``exact``: computed in
            full; ``symmetry``: computed from one node per orbit, as good as exact; ``sampled``:
            from a seeded sample; ``bound``: only bounded; ``unknown``: neither.
        note: What else there is to say, for people.
        low, high (number or None): Proved bounds of the true value, None on a side where there is
            none. Left out for a number that is proved, both are the value.

    Examples:
        >>> Measured(4, "exact").exact
        True
        >>> Measured(7, "bound", low=5, high=7).sign, Measured.at_least(7).sign
        ('≤', '≥')
        >>> Measured(2.5, "sampled").sign
        '~'
    """

    value: Known
    how: How
    note: str = ""
    low: Any = None
    high: Any = None

    def __post_init__(self) -> None:
        number = isinstance(self.value, numbers.Real) and not isinstance(self.value, bool)
        if number and self.how in _PROVED and self.low is None and self.high is None:
            object.__setattr__(self, "low", self.value)
            object.__setattr__(self, "high", self.value)
        inner: Any = self.value if number and self.how != "sampled" else None
        for below, above in ((self.low, self.high), (self.low, inner), (inner, self.high)):
            if below is None or above is None or below <= above:
                continue
            whole = isinstance(below, int) and isinstance(above, int)  # perhaps beyond any float
            if whole or below > above + _CLOSE * abs(above):
                raise CheckFailedError(
                    f"a figure fails its check: {self.value} ({self.how}) with the bounds"
                    f" {self.low} and {self.high}{f'; {self.note}' if self.note else ''}"
                )

    @classmethod
    def at_least(cls, value: Any, note: str = "", *, how: How = "bound") -> Measured[Any]:
        """A proved lower bound."""
        return Measured(value, how, note, low=value)

    @classmethod
    def at_most(cls, value: Any, note: str = "", *, how: How = "bound") -> Measured[Any]:
        """A proved upper bound."""
        return Measured(value, how, note, high=value)

    @property
    def exact(self) -> bool:
        """Is the value proved?"""
        if self.low is None and self.high is None:
            return self.how in _PROVED
        return bool(self.low == self.high)

    @property
    def sign(self) -> str:
        """What stands before the value in a table: nothing, ≤, ≥ or ~."""
        if self.value is None or self.exact:
            return ""
        if self.high is not None and self.value == self.high:
            return "≤"
        if self.low is not None and self.value == self.low:
            return "≥"
        return "~"

    def mapped(self, function: Callable[[Any], Any], *, falling: bool = False) -> Measured[Any]:
        """A monotone function of the value, and of its bounds.

        Examples:
            >>> Measured.at_least(4).mapped(lambda x: 1 / x, falling=True)
            Measured(value=0.25, how='bound', note='', low=None, high=0.25)
        """
        value, low, high = (
            None if x is None else function(x) for x in (self.value, self.low, self.high)
        )
        if falling:
            low, high = high, low
        return Measured(value, self.how, self.note, low, high)

    def packed(self) -> list[Any]:
        """Plain JSON values from which :meth:`unpacked` makes it again, fractions too."""
        return [_pack(x) for x in (self.value, self.how, self.note, self.low, self.high)]

    @classmethod
    def unpacked(cls, packed: Sequence[Any]) -> Measured[Any]:
        """What :meth:`packed` wrote.

        Examples:
            >>> third = Measured(Fraction(1, 3), "exact")
            >>> Measured.unpacked(third.packed()) == third
            True
        """
        value, how, note, low, high = (_unpack(x) for x in packed)
        return Measured(value, how, note, low, high)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        out: dict[str, Any] = {"value": self.value, "how": self.how}
        if not self.exact and (self.low is not None or self.high is not None):
            out |= {"low": self.low, "high": self.high}
        return out | {"note": self.note} if self.note else out


def _pack(value: Any) -> Any:
    return {"fraction": str(value)} if isinstance(value, Fraction) else value


def _unpack(value: Any) -> Any:
    return Fraction(value["fraction"]) if isinstance(value, dict) else value
