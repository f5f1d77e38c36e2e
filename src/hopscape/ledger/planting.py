"""Planting errors: whether a check notices when the thing that it judges is broken."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from hopscape.core.progress import track
from hopscape.ledger.book import run_claim
from hopscape.ledger.claim import Claim, Outcome, PlantedError

__all__ = ["Planting", "planted", "run_plants"]


@dataclass(frozen=True)
class Planting:
    """A claim with one error planted: what its check said before and after."""

    claim: Claim
    plant: PlantedError
    before: Outcome
    after: Outcome

    @property
    def noticed(self) -> bool:
        """The verdict changed, and the check did not merely break down."""
        return self.after.ruling not in (self.before.ruling, "failed")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "key": self.claim.key,
            "paper": self.claim.paper,
            "error": self.plant.error,
            "where": self.plant.where,
            "before": self.before.ruling,
            "after": self.after.ruling,
            "noticed": self.noticed,
            "note": self.after.note,
        }


def run_plants(claims: Iterable[Claim]) -> Iterator[Planting]:
    """Run each claim's check as it is and with each of its errors planted."""
    for claim in track([c for c in claims if c.plants], "planting errors"):
        _forget()
        before = run_claim(claim).outcome
        for plant in claim.plants:
            with planted(plant):
                after = run_claim(claim).outcome
            yield Planting(claim, plant, before, after)


@contextmanager
def planted(plant: PlantedError) -> Iterator[None]:
    """The error is in place inside the block, wherever its target was imported by name."""
    module, _, path = plant.where.partition(":")
    owner: Any = import_module(module)
    *parents, name = path.split(".")
    for parent in parents:
        owner = getattr(owner, parent)
    own = name in vars(owner)
    right = vars(owner)[name] if own else getattr(owner, name)
    places = [(owner, name), *_imported(right, name)]
    wrong = plant.broken(right)
    _forget()
    try:
        for place, known_as in places:
            setattr(place, known_as, wrong)
        yield
    finally:
        for place, known_as in places[1:]:
            setattr(place, known_as, right)
        if own:
            setattr(owner, name, right)
        else:
            delattr(owner, name)
        _forget()


def _ours() -> list[Any]:
    return [module for name, module in sys.modules.items() if name.split(".")[0] == "hopscape"]


def _imported(right: Any, name: str) -> list[tuple[Any, str]]:
    """Modules that hold the same object: under any name if it is callable, else under its own."""
    return [
        (module, known_as)
        for module in _ours()
        for known_as, value in vars(module).items()
        if value is right and (callable(right) or known_as == name)
    ]


def _forget() -> None:
    """Empty the caches of all functions, so that nothing right or wrong is remembered."""
    for module in _ours():
        for holder in (module, *(v for v in vars(module).values() if isinstance(v, type))):
            for value in list(vars(holder).values()):
                clear = getattr(value, "cache_clear", None)
                if callable(clear):
                    clear()
