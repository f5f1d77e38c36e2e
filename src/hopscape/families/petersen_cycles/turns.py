"""The five-fold turn of the Petersen graph, and what it does to nodes and links of RPC(k).

Pentagon and pentagram turn together; no node and no link stays where it is. Together with the turn
of the rings this makes 5k symmetries, and six nodes stand for all.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.families.petersen_cycles.slices import PETERSEN, cycle_ports

__all__ = ["TURNS", "act", "representatives", "turns"]

TURNS = 5


@cache
def turns() -> IntArray:
    """int64[5, 30]: where the i-fold turn takes every node of a slice."""
    ports = cycle_ports(PETERSEN)
    number = {port: i for i, port in enumerate(ports)}
    out = np.empty((TURNS, len(ports)), dtype=np.int64)
    for i in range(TURNS):
        vertex = [*((v + i) % 5 for v in range(5)), *(5 + (v + i) % 5 for v in range(5))]
        out[i] = [number[vertex[m], vertex[n]] for m, n in ports]
    return out


def act(nodes: IntArray, k: int, shift: IntArray | int, turn: IntArray | int) -> IntArray:
    """Where a turn of the rings by `shift` slices and of all slices by `turn` takes nodes."""
    moved: IntArray = (nodes // 30 + shift) % k * 30 + turns()[turn, nodes % 30]
    return moved


def representatives() -> list[int]:
    """One node of a slice for each orbit of the five-fold turn."""
    seen: set[int] = set()
    found = []
    for place in range(30):
        if place not in seen:
            found.append(place)
            seen.update(turns()[:, place].tolist())
    return found
