"""The worst single fault: one of each kind that looks different, worked out and ranked."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from hopscape.core.errors import TooLargeError
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.families.multiring.circuits import circuits
from hopscape.families.multiring.sparse import SparseMultiring
from hopscape.families.multiring.wiring import Multiring
from hopscape.search.multiring.faults import Faults, damaged_capacity

__all__ = ["single_faults", "worst_faults"]

_MOST_PROGRAMS = 300


def worst_faults(network: Network) -> list[dict[str, Any]]:
    """Every kind of single fault with what it leaves, the worst first.

    One of those that look alike stands for all. More stranded pairs are worse; of equal ones the
    least capacity is.

    Returns:
        list of dict: Records of :meth:`Damage.to_dict` with ``kind`` and ``alike``, how many look
            the same.
    """
    candidates = list(single_faults(network))
    if len(candidates) > _MOST_PROGRAMS:
        raise TooLargeError(
            f"{network.spec[:80]} has {len(candidates)} single faults that are not alike; at most"
            f" {_MOST_PROGRAMS} are tried, name one with --dead-arc, --dead-node or --dead-ring"
        )
    rows = []
    for kind, alike, faults in track(candidates, f"single faults of {network.spec}"):
        found = damaged_capacity(network, faults)
        rows.append(((-found.stranded, found.capacity), kind, alike, found))
    rows.sort(key=lambda row: row[0])
    return [found.to_dict() | {"kind": kind, "alike": alike} for _, kind, alike, found in rows]


def single_faults(network: Network) -> Iterator[tuple[str, int, Faults]]:
    """Kinds of single faults, how many of each look alike, and one of them."""
    member = network.family
    if isinstance(member, Multiring):
        yield from _full_faults(member)
    elif isinstance(member, SparseMultiring):
        yield from _sparse_faults(member)
    elif network.has_switches:
        yield from _switch_faults(network)
    else:
        damaged_capacity(network, Faults())  # says why not


def _full_faults(member: Multiring) -> Iterator[tuple[str, int, Faults]]:
    """Rings that a multiplication by a unit exchanges are alike; so are all nodes."""
    n, steps = member.n, Counter(member.rings)
    names: dict[int, str] = {}
    for c in circuits(member):
        names.setdefault(member.rings[int(c.ports[0])], c.name)
    seen: set[int] = set()
    units = [u for u in range(1, n) if math.gcd(u, n) == 1]
    same = [u for u in units if all(steps[u * s % n] == k for s, k in steps.items())]
    for s in member.rings:
        if s in seen:
            continue
        alike = {u * s % n for u in same}
        seen |= alike
        count = sum(steps[x] for x in alike)
        yield "arc", count * n, Faults(arcs=((0, s % n, names[s]),))
        yield "ring", count, Faults(rings=(names[s],))
    yield "node", n, Faults(nodes=(0,))


def _sparse_faults(member: SparseMultiring) -> Iterator[tuple[str, int, Faults]]:
    count, parts = member.ring_count, member.parts
    alike = member.blocks.base is not None
    rings = circuits(member)
    times = parts if not member.reordered else 1
    for c in rings[: 2 if alike else len(rings)]:
        heads = np.roll(c.nodes, -1)
        for i in range(len(c.nodes) // times):
            arc = (int(c.nodes[i]), int(heads[i]), c.name)
            yield "arc", times * (count if alike else 1), Faults(arcs=(arc,))
    for i in range(1 if alike else count):
        yield "ring", count if alike else 1, Faults(rings=(str(i),))
    residues = 1 if alike else count
    for g in range(parts // times):
        for r in range(residues):
            each = times * (count if alike else 1)
            yield "node", each, Faults(nodes=(g * count + r,))


def _switch_faults(network: Network) -> Iterator[tuple[str, int, Faults]]:
    """Crossbars, endpoints and their channels; one of those that a symmetry exchanges."""
    known, ends = network.symmetry, set(network.endpoints.tolist())
    nodes = range(network.order) if known is None else known.representatives
    sizes = [1] * network.order if known is None else known.sizes
    for v, alike in zip(nodes, sizes):
        if v not in ends:
            yield "crossbar", alike, Faults(crossbars=(v,))
            continue
        yield "node", alike, Faults(nodes=(v,))
        for head in np.unique(network.heads[network.tails == v]).tolist():
            yield "arc", alike, Faults(arcs=((v, head, ""),))
        for tail in np.unique(network.tails[network.heads == v]).tolist():
            yield "arc", alike, Faults(arcs=((tail, v, ""),))
