"""The rings of a multiring one by one, full or sparse: who sits where, in the order of travel."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.memory import require_memory
from hopscape.core.structure import Structure
from hopscape.families.multiring.rings import FullRings
from hopscape.families.multiring.sparse_rings import SparseRings

__all__ = ["Circuit", "circuits"]


@dataclass(frozen=True)
class Circuit:
    """One simplex ring.

    Attributes:
        name: A signed step (``3``, ``-3``; ``3#1`` for a second copy), or the number of a sparse
            ring with its direction (``5+``, ``5-``).
        nodes (int64[places]): In the order of travel: arc i leads from ``nodes[i]`` to the next
            one.
        ports (int64[places]): By which each of them leaves.
    """

    name: str
    nodes: IntArray
    ports: IntArray


def circuits(member: Structure) -> list[Circuit]:
    """All simplex rings, the mini-rings of a step one after the other.

    Examples:
        >>> [(c.name, c.nodes.tolist()) for c in circuits(FullRings(4, (1,)))]
        [('1', [0, 1, 2, 3]), ('-1', [0, 3, 2, 1])]
    """
    if isinstance(member, FullRings):
        return _full(member)
    if isinstance(member, SparseRings):
        return _sparse(member)
    raise ArgumentError(f"{member.spec} is not a multiring(...) and no sparse_multiring(...)")


def _full(member: FullRings) -> list[Circuit]:
    n = member.n
    require_memory(64 * n * len(member.rings), f"the rings of {member.spec}")
    out: list[Circuit] = []
    seen: Counter[int] = Counter()
    for j, s in enumerate(member.rings):
        signed = s if 2 * s <= n else s - n
        name = f"{signed}#{seen[s]}" if seen[s] else str(signed)
        seen[s] += 1
        shared = math.gcd(s, n)
        hops = np.arange(n // shared)
        for begin in range(shared):
            out.append(Circuit(name, (begin + hops * s) % n, np.full(n // shared, j)))
    return out


def _sparse(member: SparseRings) -> list[Circuit]:
    require_memory(64 * member.order * member.ports, f"the rings of {member.spec}")
    kind = np.asarray(member.order_of_places) % member.m
    out = []
    for i, nodes in enumerate(member.table()):
        out.append(Circuit(f"{i}+", nodes, 2 * kind))
        out.append(Circuit(f"{i}-", nodes[::-1].copy(), 2 * kind[::-1] + 1))
    return out
