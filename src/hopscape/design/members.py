"""Larger members of a network's family, and what it takes to become one of them."""

from __future__ import annotations

import math
from typing import Any

from hopscape.core.family import Family
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.design.candidates import fitting
from hopscape.design.growth import Cabling, best_growth, moved_figure
from hopscape.registry import build

__all__ = ["growth_of_network"]

_ABOVE = 0.125  # more nodes than asked for: what the designer welcomes, too
_MEMBERS = 8  # larger members that are looked at
_NODES = 4_000  # of the larger network: beyond, plans take long


def growth_of_network(network: Network, nodes: int, ports: int) -> dict[str, Measured[Any]]:
    """What moves, and what is bought, when a direct machine grows to so many nodes at least.

    Examples:
        >>> found = growth_of_network(build("torus(4, 4)"), 32, 4)
        >>> found["grown"].value, found["cables_moved"].value, found["switches_bought"].value
        ('torus(4, 8)', 4, 16)
    """
    names = ("cables_moved", "cables_bought", "switches_bought", "grown")
    kind = type(network.family)
    if not issubclass(kind, Family):
        note = "it is of no family, so nobody says what it grows into"
        return dict.fromkeys(names, Measured(None, "exact", note))
    if nodes > _NODES:
        note = f"plans of growth are made up to {_NODES:,} nodes"
        return dict.fromkeys(names, Measured(None, "unknown", note))
    asked = Requirement(nodes, nodes, math.ceil(nodes * (1 + _ABOVE)), ports, _MEMBERS)
    larger = {spec: None for spec, growth in fitting(kind, asked)
              if growth.switches() is None and growth.duplex and growth.ports <= ports}  # fmt: skip
    many = ((spec, Cabling.of_network(build(spec))) for spec in list(larger)[:_MEMBERS])
    plan = best_growth(Cabling.of_network(network), many) if network.duplex else None
    if plan is None:
        note = (
            f"its family has no member of {nodes:,} nodes (or up to an eighth more) and these ports"
        )
        return dict.fromkeys(names, Measured(None, "exact", note))
    spec, growth = plan
    note = f"grows to {spec}"
    moved = moved_figure(growth.moved, note)
    others = {"cables_bought": growth.bought, "switches_bought": growth.switches, "grown": spec}
    return {"cables_moved": moved} | {
        name: Measured(value, "exact", note) for name, value in others.items()
    }
