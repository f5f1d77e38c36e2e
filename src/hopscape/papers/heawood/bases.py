"""Which small graph is the best base, which the best lamp?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.papers.heawood.walks import covering_walks
from hopscape.registry import build

__all__ = ["BASES", "BaseCandidate", "rank_bases", "rank_factors"]

BASES = (
    "complete(2)",
    "complete(4)",
    "ring(5)",
    "petersen",
    "heawood",
    "moebius_kantor",
    "pappus",
    "desargues",
    "dodecahedron",
    "mcgee",
    "nauru",
    "f26a",
    "coxeter",
    "tutte_coxeter",
    "dyck",
    "hoffman_singleton",
)
"""Small symmetric graphs; rings of the fitting length are tried as bases besides."""

_MOST_TABLE = 1 << 24  # entries of the table of covering walks: 32 MiB


@dataclass(frozen=True)
class BaseCandidate:
    """A network that is large enough, with what it costs.

    `cost` is degree times diameter; `cost_per_bit` divides by log2 of the number of nodes.
    """

    spec: str
    nodes: int
    degree: int
    diameter: int
    cost: int
    cost_per_bit: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)


def _candidate(spec: str, nodes: int, degree: int, diameter: int) -> BaseCandidate:
    cost = degree * diameter
    return BaseCandidate(spec, nodes, degree, diameter, cost, cost / math.log2(nodes))


def rank_bases(degree: int, bits: int) -> list[BaseCandidate]:
    """Folded and expanded networks of small symmetric graphs, the cheapest per bit first.

    For every pair of a base and a lamp (and every power of one graph) the smallest network of at
    least 2^bits nodes is taken, if its degree is at most `degree`. Diameters are exact. Bases whose
    covering walks need too large a table at that size are left out.

    Args:
        degree: Most ports per node.
        bits: At least 2^bits nodes.

    Examples:
        >>> best = rank_bases(5, 10)[0]
        >>> best.spec, best.nodes, best.cost
        ('expanded(ring(3), 3, lamp=petersen)', 3000, 45)
    """
    if degree < 1:
        raise ArgumentError(f"degree is {degree}; it must be at least 1")
    if not 1 <= bits <= 200:
        raise ArgumentError(f"bits is {bits}; it must be from 1 to 200")
    candidates = {c.spec: c for c in [*_folded(degree, bits), *_expanded(degree, bits)]}
    return sorted(candidates.values(), key=lambda c: (c.cost_per_bit, c.nodes, c.spec))


def rank_factors() -> list[dict[str, Any]]:
    """Cost of Cartesian powers over (log2 N)^2, the least first: the limit for many factors."""
    rows = []
    for spec in BASES:
        net = build(spec)
        degree, diameter = _shape(net)
        rows.append(
            {
                "factor": spec,
                "nodes": net.order,
                "degree": degree,
                "diameter": diameter,
                "cost_over_bits_squared": degree * diameter / math.log2(net.order) ** 2,
            }
        )
    return sorted(rows, key=lambda row: row["cost_over_bits_squared"])


def _shape(net: Network) -> tuple[int, int]:
    from hopscape.metrics import diameter

    longest = net.facts.diameter if net.facts.diameter is not None else diameter(net).value
    degree = net.facts.degree_max
    assert longest is not None
    assert degree is not None
    return degree, longest


def _folded(degree: int, bits: int) -> Iterator[BaseCandidate]:
    for spec in BASES:
        net = build(spec)
        wide, longest = _shape(net)
        n = _least_power(net.order, bits)
        if n * wide <= degree:
            yield _candidate(f"folded({spec}, {n})", net.order**n, n * wide, n * longest)


def _least_power(base: int, bits: int) -> int:
    n = 1
    while base**n < 1 << bits:
        n += 1
    return n


def _expanded(degree: int, bits: int) -> Iterator[BaseCandidate]:
    networks = {spec: build(spec) for spec in BASES}
    shapes = {spec: _shape(net) for spec, net in networks.items()}
    walks: dict[tuple[str, int], int | None] = {}
    for base in track([*BASES[1:], "ring"], "bases"):
        for lamp in BASES:
            wide, hops = shapes[lamp]
            room = 2 if base == "ring" else shapes[base][0]
            if room + wide > degree:
                continue
            states = networks[lamp].order
            name, n = _least_levels(base, networks, states, bits)
            if n is None:
                continue
            if (name, n) not in walks:
                walks[name, n] = _longest_walk(build(name), n)
            longest = walks[name, n]
            if longest is not None:
                nodes = states**n * build(name).order
                text = f"expanded({name}, {n}" + (f", lamp={lamp})" if lamp != name else ")")
                yield _candidate(text, nodes, room + wide, n * hops + longest)


def _least_levels(
    base: str, networks: dict[str, Network], states: int, bits: int
) -> tuple[str, int | None]:
    """The base and the least number of levels that make 2^bits nodes; None when there is none."""
    if base == "ring":
        size = next(m for m in range(3, bits + 4) if m * states**m >= 1 << bits)
        return f"ring({size})", size
    size = networks[base].order
    n = next((n for n in range(1, size + 1) if size * states**n >= 1 << bits), None)
    return base, n


def _longest_walk(base: Network, n: int) -> int | None:
    size = base.order
    if (base.facts.degree_max or 0) > 2 and min(size * size << n, size << size) > _MOST_TABLE:
        return None
    try:
        return int(covering_walks(base, range(n)).through_all().max())
    except TooLargeError:
        return None
