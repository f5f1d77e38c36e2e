"""Virtual channels that the routes of a design need, each answer with its certificate.

The search is that of :func:`hopscape.deadlock.find_classes`, so that a design, its files and the
deadlock command say the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.measured import Measured
from hopscape.deadlock.classes import Certificate, Classes, find_classes
from hopscape.deadlock.one_lane import cyclic_channels
from hopscape.deadlock.tables import table_of
from hopscape.metrics.routes import Routes

__all__ = ["Lanes", "find_lanes", "virtual_channels"]

_RULES = {
    "single": "one class: the channel dependency graph has no cycle",
    "dateline": "entering a ring (the channels that one port number makes), a packet takes class 1"
    " if it will cross the ring's dateline before it leaves, else class 0; it keeps it in the ring",
    "layers": "a packet keeps the class layers[source][destination] all the way",
    "rising": "a packet starts in class 0; whenever it moved to a node of higher rank and next"
    " moves to one of lower rank, it takes the next class",
}
_HOW = {
    "single": "",
    "dateline": "datelines: ",
    "layers": "one class per pair: ",
    "rising": "class rises at down-up turns: ",
}
_SINGLE = "no cycle among channel dependencies"


@dataclass(frozen=True)
class Lanes:
    """A rule for the class of virtual channels that a packet uses, and its certificate."""

    rule: Classes
    proof: Certificate

    @property
    def classes(self) -> int:
        """Number of classes."""
        return self.rule.count

    def to_dict(self) -> dict[str, Any]:
        """The rule in words and numbers, for files."""
        rule = self.rule
        out: dict[str, Any] = {
            "method": rule.method,
            "classes": rule.count,
            "least": self.proof.least,
            "dependencies": self.proof.dependencies,
            "rule": _RULES[rule.method],
        }
        if rule.ranks is not None:
            out["ranks"] = rule.ranks.tolist()
        if rule.datelines is not None:
            out["datelines"] = np.flatnonzero(rule.datelines).tolist()
        if rule.method == "layers":
            numbers = np.array([s.bit_length() - 1 for s in rule.sets])
            out["layers"] = numbers[rule.layers].tolist()
        return out

    def words(self) -> str:
        """The certificate in a few words."""
        return f"{_HOW[self.rule.method]}{self.proof.dependencies} dependencies, no cycle"


def virtual_channels(routes: Routes, diameter: int | None = None) -> Measured[int | None]:
    """Classes of virtual channels with which these routes cannot deadlock, and why.

    Args:
        diameter: Of the network, if it is known: for routes of which only a sample is there.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.routes import all_routes
        >>> virtual_channels(all_routes(hopscape.build("hypercube(4)"))).value
        1
        >>> virtual_channels(all_routes(hopscape.build("torus(5, 5)"))).value
        2
        >>> virtual_channels(all_routes(hopscape.build("random_regular(40, 4)"))).value
        3
    """
    if not routes.whole:
        return _from_sample(routes, diameter)
    found = find_lanes(routes)
    if found is None:
        return Measured(None, "unknown", "more classes than are looked for")
    count, least = found.classes, found.proof.at_least
    if count == least:
        return Measured(count, "exact", found.words())
    return Measured(count, "bound", found.words(), least, count)


def _from_sample(routes: Routes, diameter: int | None) -> Measured[int | None]:
    """What is sure without all routes: a path of h hops has at most h // 2 down-up turns."""
    sure = None if diameter is None or not routes.exact else diameter // 2 + 1
    if cyclic_channels(routes) == 0 and sure != 1:
        note = f"{_SINGLE} of the ways to {len(routes.targets)} destinations"
        return Measured(
            1, "sampled", note + (f"; {sure} for certain" if sure else ""), 1, sure or None
        )
    if sure is None:
        return Measured(None, "unknown", "needs the routes to all destinations")
    words = f"class rises at down-up turns, at most {sure - 1} on {diameter} hops"
    return Measured(sure, "bound", words, 1, sure)


def find_lanes(routes: Routes) -> Lanes | None:
    """The rule with the fewest classes that is found for routes to all destinations.

    Returns:
        Lanes or None: None when too many classes would be needed.
    """
    try:
        _, rule, proof = find_classes(routes.network, table_of(routes), explain=False)
    except ArgumentError:
        return None
    return Lanes(rule, proof)
