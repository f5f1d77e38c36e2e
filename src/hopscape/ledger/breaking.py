"""Ways to break things for planted errors: wires, routes, schedules, closed forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

__all__ = ["altered", "crossed", "cut", "longer", "lost_transfer", "shifted", "wrong_facts"]


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
