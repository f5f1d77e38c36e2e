"""Tori whose dimensions are multirings, and a designer of them.

Routes correct one dimension after the other, each on one ring. Under uniform traffic a line of
dimension d with N_d nodes and capacity C_d then allows C_d (N - 1) / (N_d - 1) packets per slot in
the whole torus of N nodes; the least of these is its capacity.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network

__all__ = ["TorusDesign", "TorusLine", "design_torus", "known_tori", "line_of", "torus_capacity"]


@dataclass(frozen=True)
class TorusLine:
    """One dimension: a multiring that every line along it repeats."""

    spec: str
    nodes: int
    ports: int
    capacity: Fraction
    cable: int

    @cached_property
    def rate(self) -> Fraction:
        """C / (N - 1): packets per slot and node of a large torus that this line allows."""
        return self.capacity / (self.nodes - 1)


def line_of(network: Network) -> TorusLine:
    """A multiring as a line of a torus, with its capacity by the balanced schedule.

    Examples:
        >>> import hopscape
        >>> line = line_of(hopscape.build("multiring(8, 1)"))
        >>> line.nodes, line.ports, str(line.capacity)
        (8, 2, '7')
    """
    from hopscape.papers.multiring.capacity import balanced_schedule, cable
    from hopscape.papers.multiring.families import Multiring, SparseMultiring
    from hopscape.papers.multiring.sparse_capacity import sparse_capacity

    member = network.family
    if isinstance(member, Multiring):
        capacity = balanced_schedule(member).capacity
        return TorusLine(
            network.spec, member.n, member.ports, capacity, cable(member.n, member.rings)
        )
    if isinstance(member, SparseMultiring):
        capacity = sparse_capacity(member).balanced.capacity
        return TorusLine(network.spec, member.order, member.ports, capacity, 2 * member.ring_count)
    raise ArgumentError(
        f"{network.spec} is not a multiring; capacity is known for multiring(...),"
        " sparse_multiring(...) and a product of these"
    )


def torus_capacity(lines: Sequence[TorusLine]) -> Fraction:
    """Packets per slot in the whole torus.

    Examples:
        >>> z = TorusLine("multiring(16, 1, copies=2)", 16, 4, Fraction(15), 4)
        >>> x = TorusLine("multiring(32, 1, copies=4)", 32, 8, Fraction(31), 8)
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
    lines: tuple[TorusLine, ...]

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


_Part = tuple[int, int, tuple[TorusLine, ...]]
"""Nodes (no more than are wanted), cable, and the lines."""


def _undominated(parts: Iterable[_Part]) -> list[_Part]:
    """Those that no other beats in nodes and cable at once, the cheapest first."""
    out: list[_Part] = []
    for part in sorted(parts, key=lambda p: (p[1], -p[0])):
        if not out or part[0] > out[-1][0]:
            out.append(part)
    return out


def _cheapest(
    by_ports: Mapping[int, Sequence[TorusLine]],
    rate: Fraction,
    ports: int,
    least: int,
    dimensions: int,
) -> _Part | None:
    """The torus of least cable whose lines all reach a rate, with nodes and ports as wanted."""
    single = {
        p: _undominated((min(x.nodes, least), x.cable, (x,)) for x in lines if x.rate >= rate)
        for p, lines in by_ports.items()
    }
    parts: dict[int, list[_Part]] = {0: [(1, 0, ())]}
    best: _Part | None = None
    for _ in range(dimensions):
        longer: dict[int, list[_Part]] = {}
        for used, before in parts.items():
            for p, lines in single.items():
                if used + p <= ports:
                    longer.setdefault(used + p, []).extend(
                        (min(n * m, least), cable + more, (*chosen, *line))
                        for n, cable, chosen in before
                        for m, more, line in lines
                    )
        parts = {used: _undominated(designs) for used, designs in longer.items()}
        enough = [part for designs in parts.values() for part in designs if part[0] >= least]
        best = min([*enough, *([best] if best else [])], key=lambda p: p[1], default=None)
    return best


def design_torus(
    lines: Sequence[TorusLine],
    ports: int,
    least_nodes: int,
    *,
    dimensions: int | None = None,
    keep: int = 10,
) -> list[TorusDesign]:
    """The tori of given lines on the front of rate and cable.

    Args:
        lines: What a dimension may be.
        ports: Duplex ports of a node, at most.
        dimensions: At most so many; as many as the ports allow when left out.
        keep: How many designs to return, the fastest first.

    Returns:
        list of TorusDesign: Each needs less cable per node than all faster ones, and no combination
            of the lines with so many nodes and ports has its rate with less cable.
    """
    if dimensions is None:
        dimensions = max(ports // 2, 1)
    if ports < 2 or least_nodes < 2 or dimensions < 1 or keep < 1:
        raise ArgumentError(
            f"ports {ports}, nodes {least_nodes}, dimensions {dimensions} and designs {keep} must"
            " be at least 2, 2, 1 and 1"
        )
    by_ports: dict[int, list[TorusLine]] = {}
    for line in lines:
        if line.ports <= ports and line.nodes > 1:
            by_ports.setdefault(line.ports, []).append(line)
    rates = sorted(
        {x.rate for lines_of_ports in by_ports.values() for x in lines_of_ports}, reverse=True
    )

    @cache
    def cheapest(i: int) -> _Part | None:
        return _cheapest(by_ports, rates[i], ports, least_nodes, dimensions)

    def cable(i: int) -> float:
        part = cheapest(i)
        return math.inf if part is None else part[1]

    designs: list[TorusDesign] = []
    at, limit = 0, math.inf
    while len(designs) < keep and at < len(rates) and cable(len(rates) - 1) < limit:
        end = len(rates) - 1  # cable falls with the rate: the first rate below the limit
        while at < end:
            middle = (at + end) // 2
            at, end = (at, middle) if cable(middle) < limit else (middle + 1, end)
        part = cheapest(at)
        assert part is not None
        chosen = sorted(part[2], key=lambda x: (x.nodes, x.ports, x.spec))
        designs.append(TorusDesign("designed", tuple(chosen)))
        limit, at = cable(at), at + 1
    return designs


def known_tori() -> list[TorusDesign]:
    """Gemini, and the tori of full and of sparse rings that the paper puts beside it.

    (Chapters 1, 3 and 8.)

    Examples:
        >>> [(torus.name, torus.nodes) for torus in known_tori()]
        [('Gemini', 16384), ('paper, full rings', 16384), ('paper, sparse rings', 40560)]
    """
    from hopscape.papers.multiring.families import Multiring, SparseMultiring

    tori = {
        "Gemini": (Multiring(16, (1,), 2), *[Multiring(32, (1,), 4)] * 2),
        "paper, full rings": (Multiring(16, (1, 3)), *[Multiring(32, (1, 2, 3, 7))] * 2),
        "paper, sparse rings": (SparseMultiring(2, 10), *[SparseMultiring(4, 16)] * 2),
    }
    return [
        TorusDesign(name, tuple(line_of(Network.of(member)) for member in lines))
        for name, lines in tori.items()
    ]
