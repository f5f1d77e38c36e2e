"""What a torus of multirings carries: any traffic, and with dead nodes, links or arcs.

Routes correct one dimension after the other, each on one ring of its line. A pair takes the first
order of the dimensions whose turning points are alive and whose lines still lead on; then every
line is a problem of its own: its demands are shared out among its rings by a linear program with
a certificate, and the fullest arc of all lines is the load.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, permutations
from typing import Any

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.papers.multiring.exact_loads import optimum
from hopscape.papers.multiring.families import Multiring, SparseMultiring
from hopscape.papers.multiring.faults import RingFaults, dead_arcs, ring_ways
from hopscape.papers.multiring.rings import circuits

__all__ = ["TorusTraffic", "torus_traffic"]

_MOST_PAIRS = 30_000_000
"""Pairs of nodes that are routed: arrays of 240 MB."""
_MOST_ORDERS = 24
"""Orders of the dimensions that a pair is tried by: all of up to four."""


@dataclass(frozen=True)
class TorusTraffic:
    """Capacity of a torus under some traffic.

    Attributes:
        faults: What is dead, in words.
        live: Live nodes.
        packets: Demand that has a route, in packets.
        stranded: Demand between live nodes that has none.
        pairs: Ordered pairs of live nodes without a route.
        load: Of the fullest arc.
        proved: Is it the least that these routes allow, by the certificates of all lines?
        limited_by: The dimension and the line (addresses of its first node) of that arc.
        programs: Different lines that were worked out.
    """

    spec: str
    faults: str
    live: int
    packets: Fraction
    stranded: Fraction
    pairs: int
    load: Fraction
    proved: bool
    limited_by: tuple[int, tuple[int, ...]] | None
    programs: int

    @property
    def capacity(self) -> Fraction:
        """Packets per slot."""
        return self.packets / self.load if self.load else Fraction(0)

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        return {
            "spec": self.spec,
            "dead": self.faults,
            "live_nodes": self.live,
            "capacity": self.capacity,
            "capacity_decimal": float(self.capacity),
            "rate_decimal": float(self.capacity / self.live) if self.live else 0.0,
            "largest_load": self.load,
            "proved": self.proved,
            "stranded_pairs": self.pairs,
            "stranded_share": float(self.stranded / (self.packets + self.stranded or 1)),
            "limited_by": None
            if self.limited_by is None
            else [self.limited_by[0], list(self.limited_by[1])],
            "programs": self.programs,
        }


class _Torus:
    """Lines of a product of multirings with their dead parts."""

    def __init__(self, network: Network, faults: RingFaults) -> None:
        factors = getattr(network.family, "factors", None) or (network,)
        members: list[Multiring | SparseMultiring] = []
        for factor in factors:
            if not isinstance(factor.family, Multiring | SparseMultiring):
                raise ArgumentError(
                    f"{network.spec} is no torus of multirings: traffic and faults are worked out"
                    " for multiring(...), sparse_multiring(...) and products of these"
                )
            members.append(factor.family)
        if faults.rings or faults.crossbars:
            raise ArgumentError("a torus takes dead nodes, links and arcs, not rings or crossbars")
        if network.order**2 > _MOST_PAIRS:
            raise TooLargeError(
                f"{network.spec} has {network.order} nodes; routes of at most {_MOST_PAIRS} pairs"
                " are worked out"
            )
        self.network, self.members = network, members
        self.box = MixedRadix([member.order for member in members])
        self.digits = self.box.tuples(np.arange(network.order)).astype(np.int64)
        self.strides = [
            int(np.prod(self.box.sides[d + 1 :], dtype=np.int64)) for d in range(len(members))
        ]
        self.rings = [circuits(member) for member in members]
        self.dead = np.zeros(network.order, dtype=bool)
        self.dead[list(faults.nodes)] = True
        self.broken = self._broken(faults)
        self.leads = {key: self._reached(*key) for key in self.broken}

    def line(self, dimension: int, nodes: IntArray) -> IntArray:
        """The first node of the line that each node is on."""
        return nodes - self.digits[nodes, dimension] * self.strides[dimension]

    def _broken(self, faults: RingFaults) -> dict[tuple[int, int], RingFaults]:
        """Lines with dead parts, numbered inside them: by dimension and first node."""
        out: dict[tuple[int, int], list[list[Any]]] = {}

        def at(dimension: int, node: int) -> list[list[Any]]:
            first = int(self.line(dimension, np.array([node]))[0])
            return out.setdefault((dimension, first), [[], [], []])

        for node in faults.nodes:
            for d in range(len(self.members)):
                at(d, node)[0].append(int(self.digits[node, d]))
        for kind, ends in [(1, (*link, "")) for link in faults.links] + [
            (2, arc) for arc in faults.arcs
        ]:
            a, b, name = ends
            apart = np.nonzero(self.digits[a] != self.digits[b])[0]
            if len(apart) != 1:
                raise ArgumentError(
                    f"{a}-{b} is no link of {self.network.spec}: the nodes are on no common line"
                )
            d = int(apart[0])
            pair = int(self.digits[a, d]), int(self.digits[b, d])
            at(d, a)[kind].append(pair if kind == 1 else (*pair, name))
        return {
            key: RingFaults(arcs=tuple(arcs), nodes=tuple(nodes), links=tuple(links))
            for key, (nodes, links, arcs) in out.items()
        }

    def ways(self, dimension: int, first: int) -> Any:
        """Pairs of a line and its program."""
        member, rings = self.members[dimension], self.rings[dimension]
        faults = self.broken.get((dimension, first), RingFaults())
        for a, b in faults.links:
            if not any(
                (np.isin(c.nodes, (a, b)) & (c.nodes + np.roll(c.nodes, -1) == a + b)).any()
                for c in rings
            ):
                raise ArgumentError(f"{member.spec} has no link between its nodes {a} and {b}")
        return ring_ways(member, rings, dead_arcs(rings, faults))

    def _reached(self, dimension: int, first: int) -> IntArray:
        """bool[a, b]: is there a way left on a line with dead parts?"""
        size = self.box.sides[dimension]
        out = np.eye(size, dtype=bool)
        pair, _ = self.ways(dimension, first)
        out.ravel()[pair] = True
        return out

    def leg(self, dimension: int, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        """Where a dimension is corrected, and whether that leg is alive."""
        steps = self.digits[to, dimension] - self.digits[at, dimension]
        moved = at + steps * self.strides[dimension]
        alive = ~self.dead[moved]
        first = self.line(dimension, at)
        for (d, line), leads in self.leads.items():
            if d != dimension:
                continue
            mine = np.nonzero(first == line)[0]
            ends = self.digits[at[mine], dimension], self.digits[to[mine], dimension]
            alive[mine] &= leads[ends]
        return moved, alive


def torus_traffic(
    network: Network, traffic: Floats | None = None, faults: RingFaults | None = None
) -> TorusTraffic:
    """The capacity of a torus of multirings for any traffic, whole or with dead parts.

    Args:
        network: A multiring, full or sparse, or a product of these.
        traffic (array (nodes × nodes), optional): Packets from node to node, in any unit; a packet
            for each ordered pair when left out. Traffic of dead nodes is left out.
        faults: Dead nodes, links and arcs.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("product(multiring(5, 1), multiring(7, 1, 3))")
        >>> torus_traffic(net).capacity
        Fraction(170, 3)
        >>> damaged = torus_traffic(net, faults=RingFaults(nodes=(3,)))
        >>> damaged.live, damaged.pairs, damaged.capacity < Fraction(170, 3)
        (34, 0, True)
    """
    faults = RingFaults() if faults is None else faults
    torus = _Torus(network, faults)
    live = np.nonzero(~torus.dead)[0]
    at, to = np.repeat(live, len(live)), np.tile(live, len(live))
    if traffic is None:
        weights = np.ones(len(at))
    else:
        given = np.asarray(traffic, dtype=float)
        if given.shape != (network.order, network.order):
            raise ArgumentError(
                f"the traffic matrix has shape {given.shape}; it needs"
                f" {network.order} × {network.order}"
            )
        if not np.isfinite(given).all() or (given < 0).any():
            raise ArgumentError("the traffic matrix needs numbers of at least 0")
        weights = given[at, to]
    keep = (at != to) & (weights > 0)
    at, to, weights = at[keep], to[keep], weights[keep]
    demands: list[dict[int, Floats]] = [{} for _ in torus.members]
    left = np.arange(len(at))
    for order in islice(permutations(range(len(torus.members))), _MOST_ORDERS):
        here, alive = at[left], np.ones(len(left), dtype=bool)
        stops = [here]
        for d in order:
            here, good = torus.leg(d, here, to[left])
            alive &= good
            stops.append(here)
        for d, before in zip(order, stops[:-1], strict=True):
            _add(torus, demands[d], d, before[alive], to[left][alive], weights[left][alive])
        left = left[~alive]
        if not len(left):
            break
    lost = weights[left]
    load, proved, where, programs = _largest(torus, demands)
    total = Fraction(float(weights.sum())) - Fraction(float(lost.sum()))
    return TorusTraffic(
        network.spec,
        faults.words(),
        len(live),
        total,
        Fraction(float(lost.sum())),
        len(left),
        load,
        proved,
        where,
        programs,
    )


def _add(
    torus: _Torus, demands: dict[int, Floats], d: int, at: IntArray, to: IntArray, weights: Floats
) -> None:
    """Add the legs of a dimension to the demands of its lines."""
    size = torus.box.sides[d]
    first = torus.line(d, at)
    pair = torus.digits[at, d] * size + torus.digits[to, d]
    lines, number = np.unique(first, return_inverse=True)
    total: Floats = np.zeros(len(lines) * size * size)
    total += np.bincount(number * size * size + pair, weights, len(total))
    for line, row in zip(lines.tolist(), total.reshape(-1, size * size), strict=True):
        demands[line] = demands[line] + row if line in demands else row


def _largest(
    torus: _Torus, demands: list[dict[int, Floats]]
) -> tuple[Fraction, bool, tuple[int, tuple[int, ...]] | None, int]:
    """Largest load of all lines, each kind worked out once: load, proved, where, programs."""
    load, proved, where = Fraction(0), True, None
    solved: dict[tuple[Any, ...], tuple[Fraction, bool]] = {}
    lines = [(d, line) for d, known in enumerate(demands) for line in known]
    for d, line in track(lines, f"lines of {torus.network.spec}"):
        size = torus.box.sides[d]
        wanted = demands[d][line].copy()
        wanted[:: size + 1] = 0
        if not wanted.any():
            continue
        key = d, torus.broken.get((d, line)), wanted.tobytes()
        if key not in solved:
            pair, program = torus.ways(d, line)
            used = wanted[pair] > 0
            names, demand = np.unique(pair[used], return_inverse=True)
            part = program.part(np.nonzero(used)[0])
            weights = tuple(Fraction(x) for x in wanted[names].tolist())
            best = optimum(replace(part, demand=demand.reshape(-1), weights=weights))
            solved[key] = best.load, best.proved
        mine, sure = solved[key]
        proved = proved and sure
        if mine > load:
            load, where = mine, (d, tuple(int(x) for x in torus.digits[line]))
    return load, proved, where, len(solved)
