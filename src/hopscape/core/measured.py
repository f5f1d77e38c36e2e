"""A measured value that says how it is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

__all__ = ["How", "Measured"]

Known = TypeVar("Known")

How = Literal["closed form", "exact", "symmetry", "sampled", "bound", "unknown"]


@dataclass(frozen=True)
class Measured(Generic[Known]):
    """A value and how it is known.

    Attributes
    ----------
    value : object
        None when it does not exist (the girth of a tree) or is not known.
    how : str
        ``closed form``: a formula of the family, measured in the tests; ``exact``: computed in
        full; ``symmetry``: computed from one node per orbit, as good as exact; ``sampled``: from a
        seeded sample; ``bound``: only bounded; ``unknown``: neither.
    note : str
        What else there is to say.
    """

    value: Known
    how: How
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        out = {"value": self.value, "how": self.how}
        return out | {"note": self.note} if self.note else out
