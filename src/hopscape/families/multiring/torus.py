"""Tori whose dimensions are multirings, and a designer of them.

Routes correct one dimension after the other, each on one ring. Under uniform traffic a line of
dimension d with N_d nodes and capacity C_d then allows C_d (N - 1) / (N_d - 1) packets per slot in
the whole torus of N nodes; the least of these is its capacity.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from hopscape.core.errors import ArgumentError

__all__ = ["Line", "TorusDesign", "design_torus", "torus_capacity"]


@dataclass(frozen=True)
class Line:
    """One dimension: a multiring that every line along it repeats."""

    spec: str
    nodes: int
    ports: int
    capacity: Fraction
    cable: int

    @property
    def rate(self) -> Fraction:
        """C / (N - 1): packets per slot and node of a large torus that this line allows."""
        return self.capacity / (self.nodes - 1)


def torus_capacity(lines: Sequence[Line]) -> Fraction:
    """Packets per slot in the whole torus.

    Examples
    --------
    >>> z = Line("multiring(16, 1, copies=2)", 16, 4, Fraction(15), 4)
    >>> x = Line("multiring(32, 1, copies=4)", 32, 8, Fraction(31), 8)
    >>> torus_capacity([z, x, x]) / (16 * 32 * 32 - 1)
    Fraction(1, 1)
    """
    if not lines:
        raise ArgumentError("a torus needs at least one dimension")
    nodes = math.prod(line.nodes for line in lines)
    return min(line.rate for line in lines) * (nodes - 1)


@dataclass(frozen=True)
class TorusDesign:
    """A torus of multirings and what it carries."""

    name: str
    lines: tuple[Line, ...]

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return math.prod(line.nodes for line in self.lines)

    @property
    def ports(self) -> int:
        """Duplex ports of every node: two for each duplex ring."""
        return sum(line.ports for line in self.lines)

    @property
    def rate(self) -> Fraction:
        """Packets per slot and node that the fullest dimension allows, over N - 1 partners."""
        return min(line.rate for line in self.lines)

    @property
    def cable(self) -> int:
        """Lengths of ring 1, over all lines of all dimensions."""
        return sum(line.cable * (self.nodes // line.nodes) for line in self.lines)

    @property
    def cable_per_node(self) -> Fraction:
        """Steps of ring 1 that the cables of one node span."""
        return sum((Fraction(line.cable) for line in self.lines), Fraction(0))

    @property
    def spec(self) -> str:
        """The network."""
        texts = [line.spec for line in self.lines]
        return texts[0] if len(texts) == 1 else f"product({', '.join(texts)})"

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        slowest = min(self.lines, key=lambda line: line.rate)
        return {
            "name": self.name,
            "spec": self.spec,
            "sides": [line.nodes for line in self.lines],
            "ports": [line.ports for line in self.lines],
            "nodes": self.nodes,
            "rate": self.rate,
            "rate_decimal": float(self.rate),
            "capacity": torus_capacity(self.lines),
            "capacity_decimal": float(torus_capacity(self.lines)),
            "limited_by": slowest.spec,
            "cable_per_node": self.cable_per_node,
        }


def _frontier(lines: Sequence[Line]) -> list[Line]:
    """Lines that no other beats in nodes and rate at once, the longest first."""
    out: list[Line] = []
    best = Fraction(0)
    for line in sorted(lines, key=lambda x: (-x.nodes, -x.rate, x.cable)):
        if line.rate > best:
            out.append(line)
            best = line.rate
    return out


def _choose(frontiers: Sequence[list[Line]], least: int) -> Iterator[tuple[Line, ...]]:
    """For each rate of a frontier the longest lines that reach it, where they have the nodes."""
    rates = sorted({line.rate for lines in frontiers for line in lines}, reverse=True)
    for rate in rates:
        longest = [next((x for x in lines if x.rate >= rate), None) for lines in frontiers]
        if all(line is not None for line in longest):
            chosen = tuple(line for line in longest if line is not None)
            if math.prod(line.nodes for line in chosen) >= least:
                yield chosen
                return


def design_torus(
    lines: Sequence[Line], ports: int, least_nodes: int, *, dimensions: int = 3, keep: int = 10
) -> list[TorusDesign]:
    """The best tori that can be put together from given lines.

    Parameters
    ----------
    lines : sequence of Line
        What a dimension may be.
    ports : int
        Duplex ports of a node, at most.
    least_nodes : int
    dimensions : int
        At most so many.
    keep : int
        How many designs to return, the best first.

    Returns
    -------
    list of TorusDesign
        One for each split of the ports; the best rate of all splits is first.
    """
    if ports < 2 or least_nodes < 2 or dimensions < 1:
        raise ArgumentError(
            f"ports {ports}, nodes {least_nodes} and dimensions {dimensions} must be at least"
            " 2, 2 and 1"
        )
    by_ports: dict[int, list[Line]] = {}
    for line in lines:
        by_ports.setdefault(line.ports, []).append(line)
    frontiers = {p: _frontier(found) for p, found in by_ports.items()}
    designs = []
    for count in range(1, dimensions + 1):
        for split in combinations_with_replacement(sorted(frontiers), count):
            if sum(split) > ports:
                continue
            for chosen in _choose([frontiers[p] for p in split], least_nodes):
                designs.append(TorusDesign("designed", chosen))
    designs.sort(key=lambda d: (-d.rate, d.cable_per_node, -d.nodes))
    return designs[:keep]
