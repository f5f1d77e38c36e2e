"""Planting errors: whether a check notices when the thing that it judges is broken.

Ways to break things for planted errors: wires, routes, schedules, closed forms.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np

from hopscape.core.progress import track
from hopscape.ledger.book import run_claim
from hopscape.ledger.claim import Claim, Outcome, PlantedError

__all__ = [
    "Planting",
    "altered",
    "crossed",
    "cut",
    "longer",
    "lost_transfer",
    "planted",
    "run_plants",
    "shifted",
    "wrong_facts",
]


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


def crossed(right: Any) -> Any:
    """A wire of the first node and one far from it exchange their ends (from 8 nodes up)."""

    def neighbours(self: Any, nodes: Any) -> Any:
        out = right(self, nodes).copy()
        ends = _two_wires(self, right) if 8 <= self.order <= 2**20 else None
        if ends is not None:
            (a, b), (c, d) = ends
            for v, old, new in ((a, b, d), (b, a, c), (c, d, b), (d, c, a)):
                out[(np.asarray(nodes) == v)[:, None] & (out == old)] = new
        return out

    return neighbours


def _two_wires(family: Any, right: Any) -> Any:
    """Wires a - b and c - d of four nodes, with no wire between a and d or c and b."""
    rows = right(family, np.arange(family.order)[[0, *range(-6, 0)]]).tolist()
    a, b = 0, next(w for w in rows[0] if w >= 0)
    beside_b = right(family, np.asarray([b]))[0].tolist()
    for c, row in zip(range(family.order - 1, family.order - 7, -1), rows[:0:-1], strict=True):
        for d in row:
            if d >= 0 and len({a, b, c, d}) == 4 and d not in rows[0] and c not in beside_b:
                return (a, b), (c, d)
    return None


def cut(v: int, w: int) -> Callable[[Any], Any]:
    """The wire between two nodes cut."""

    def broken(right: Any) -> Any:
        def neighbours(self: Any, nodes: Any) -> Any:
            out = right(self, nodes).copy()
            for a, b in ((v, w), (w, v)):
                out[(np.asarray(nodes) == a)[:, None] & (out == b)] = -1
            return out

        return neighbours

    return broken


def longer(right: Any) -> Any:
    """Routes of two and more hops go forth and back on their first hop before they go on."""

    def trace(self: Any, at: int, to: int) -> Any:
        nodes, ports = right(self, at, to)
        if len(ports) < 2:
            return nodes, ports
        back = list(self.network.neighbours(nodes[1])).index(nodes[0])
        return [*nodes[:2], *nodes], [ports[0], back, *ports]

    return trace


def shifted(by: int) -> Callable[[Any], Any]:
    """A function whose result is off by so much."""
    return lambda right: lambda *given, **more: right(*given, **more) + by


def altered(change: Callable[[Any], dict[str, Any]]) -> Callable[[Any], Any]:
    """Schedules of single hops with some columns changed."""

    def broken(right: Any) -> Any:
        def build(*given: Any, **more: Any) -> Any:
            made = right(*given, **more)
            names = ("round", "channels", "chunk", "rounds", "name")
            columns = {name: getattr(made, name) for name in names} | change(made)
            return type(made).from_columns(made.network, made.model, made.goal, **columns)

        return build

    return broken


lost_transfer = altered(
    lambda made: {name: getattr(made, name)[:-1] for name in ("round", "channels", "chunk")}
)
"""Schedules without their last transfer."""


def wrong_facts(**wrong: Any) -> Callable[[Any], Any]:
    """Closed forms of a family with some values changed."""

    def broken(right: Any) -> Any:
        def facts(self: Any) -> Any:
            true = right(self)
            return replace(
                true, **{name: change(getattr(true, name)) for name, change in wrong.items()}
            )

        return facts

    return broken
