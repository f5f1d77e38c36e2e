"""What designs of direct and of switched machines share."""

from __future__ import annotations

from hopscape.core.errors import ArgumentError
from hopscape.core.methods import method
from hopscape.design.candidates import Candidate
from hopscape.registry import build

__all__ = ["Ranked"]


class Ranked:
    """Candidates in the order of a ranking.

    Attributes:
        candidates: The best first.
    """

    candidates: list[Candidate]

    def _repr_html_(self) -> str:
        view: str = method("design_view")(self)
        return view

    @property
    def best(self) -> Candidate:
        """The first of the ranking."""
        return self.candidates[0]

    def find(self, spec: str) -> Candidate:
        """A candidate by its spec, however it is written, or by its place in the ranking."""
        if spec.strip().isdigit():
            place = int(spec)
            if not 1 <= place <= len(self.candidates):
                raise ArgumentError(f"place {place} must be from 1 to {len(self.candidates)}")
            return self.candidates[place - 1]
        wanted = build(spec).spec
        for one in self.candidates:
            if one.spec in (spec, wanted):
                return one
        names = ", ".join(one.spec for one in self.candidates[:5])
        raise ArgumentError(f"{spec} is none of the candidates, which are {names}, ...")
