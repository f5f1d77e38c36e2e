"""Errors that the checks of the claims about rings must notice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from hopscape.ledger.claim import PlantedError, printed_as

__all__: list[str] = []

_ROOM = "hopscape.families.multiring"
_METRICS = "hopscape.metrics.rings"
_SEARCH = "hopscape.search.multiring"
_PRINTED = "hopscape.papers.multiring.printed"
print_as = partial(printed_as, _PRINTED)


def _scaled(share: Fraction) -> Callable[[property], property]:
    def broken(right: property) -> property:
        return property(lambda self: right.fget(self) * share)  # type: ignore[misc]

    return broken


def _moved_wire(right: Any) -> Any:
    def neighbours(self: Any, nodes: Any) -> Any:
        out = right(self, nodes)
        out[nodes == 1, -1] = (out[nodes == 1, -1] + 1) % self.n
        return out

    return neighbours


def _exchanged(right: Any) -> Any:
    def table(self: Any) -> Any:
        out = right(self)
        out[0, 0], out[1, -1] = out[1, -1], out[0, 0]
        return out

    return table


def _lost_node(right: Any) -> Any:
    def table(self: Any) -> Any:
        out = right(self)
        out[out == out.max()] = 0
        return out

    return table


def _other_run(rate: float, wait: float) -> Any:
    def broken(right: Any) -> Any:
        def simulate(traffic: Any, *more: Any, **settings: Any) -> Any:
            run = right(traffic, *more, **settings)
            lengths = sum(map(len, traffic.lengths))
            return replace(
                run,
                throughput=run.throughput * rate,
                effective=None if run.effective is None else run.effective * rate,
                wait=None if run.wait is None else run.wait * (wait if lengths > 64 else 1 / wait),
            )

        return simulate

    return broken


def _more_sent(right: Any) -> Any:
    def run(self: Any, slots: int) -> Any:
        counts, waiting, came = right(self, slots)
        return np.ceil(counts * 1.05).astype(np.int64), waiting, came

    return run


def _split_ring(right: Any) -> Any:
    def circuits(member: Any) -> Any:
        first, *rest = right(member)
        half = len(first.nodes) // 2
        parts = [slice(0, half), slice(half, None)]
        return [
            *[replace(first, nodes=first.nodes[p], ports=first.ports[p]) for p in parts],
            *rest[:-1],
            replace(rest[-1], nodes=rest[-1].nodes[::-1]) if rest else first,
        ]

    return circuits


def _uneven(right: Any) -> Any:
    def shortest(self: Any) -> Any:
        shares = right(self)
        for i in range(1, len(shares)):
            if shares[i] and shares[i - 1] and self.demand[i] == self.demand[i - 1]:
                shares[i - 1] += shares[i]
                shares[i] = Fraction(0)
        return shares

    return shortest


LONGER = PlantedError(
    "every way along a ring one arc longer",
    f"{_METRICS}.structure:ring_lengths",
    lambda right: lambda n, step: right(n, step) + (right(n, step) > 0),
)
CAPACITY = PlantedError(
    "capacities of full rings 3 % too high",
    f"{_METRICS}.capacity:RouteSchedule.capacity",
    _scaled(Fraction(103, 100)),
)
RING_CAPACITIES = PlantedError(
    "capacities of single rings 3 % too low",
    f"{_METRICS}.capacity:RouteSchedule.ring_capacities",
    lambda right: property(
        lambda self: tuple(c and c * Fraction(97, 100) for c in right.fget(self))
    ),
)
TRAFFIC = PlantedError(
    "the routes of a ring counted 3 % too high",
    f"{_METRICS}.capacity:RouteSchedule.traffic",
    lambda right: property(lambda self: tuple(d * Fraction(103, 100) for d in right.fget(self))),
)
UNSPLIT = PlantedError(
    "ties not shared between rings",
    f"{_METRICS}.capacity:_shortest_shares",
    lambda right: lambda lengths: _first_ring(right(lengths)),
)
HALF_BALANCED = PlantedError(
    "balancing left out",
    "hopscape.papers.multiring.exact_loads:_exact_shares",
    lambda right: lambda program, load, shares: program.shortest(),
)
MANY_MOVES = PlantedError(
    "a fiftieth of a share moved at a time",
    f"{_METRICS}.capacity:_best_move",
    lambda right: lambda *given: _small_move(right(*given)),
)
WIRE = PlantedError("one wire of a ring moved", f"{_ROOM}.wiring:Multiring.neighbours", _moved_wire)
SPLIT = PlantedError("ring 1 cut in two", f"{_ROOM}.circuits:circuits", _split_ring)
CABLE = PlantedError(
    "one ring length of cable too many",
    f"{_METRICS}.capacity:cable",
    lambda right: lambda n, rings: right(n, rings) + 1,
)
MOORE = PlantedError(
    "half of Moore's bound",
    f"{_METRICS}.capacity:moore_bound",
    lambda right: lambda n, rings: right(n, rings) / 2,
)
SEARCH = PlantedError(
    "the second best set taken for the best",
    f"{_SEARCH}.cells:search_cell",
    lambda right: lambda *cell, **more: _worse(right(*cell, **more)),
)
TORUS = PlantedError(
    "the capacity of a torus by its best line",
    f"{_SEARCH}.torus:torus_capacity",
    lambda right: lambda lines: right(lines) * 2,
)
SPARSE_CAPACITY = PlantedError(
    "capacities of sparse rings 3 % too low",
    f"{_METRICS}.sparse_capacity:ArcSchedule.capacity",
    _scaled(Fraction(97, 100)),
)
SPARSE_TIES = PlantedError(
    "ties between sparse rings not shared",
    "hopscape.papers.multiring.exact_loads:LoadProgram.shortest",
    _uneven,
)
SEATS = PlantedError(
    "two nodes on sparse rings exchanged", f"{_ROOM}.sparse:SparseMultiring.table", _exchanged
)
LOST = PlantedError(
    "a node of the sparse rings lost", f"{_ROOM}.sparse:SparseMultiring.table", _lost_node
)
RUNS = PlantedError(
    "simulated rates 5 % too high",
    "hopscape.papers.multiring.slots:simulate",
    _other_run(1.05, 1.0),
)
WAITS = PlantedError(
    "simulated waits doubled or halved",
    "hopscape.papers.multiring.slots:simulate",
    _other_run(1.0, 2.0),
)
SENT = PlantedError(
    "packets counted 5 % too high", "hopscape.papers.multiring.slots:_Machine.run", _more_sent
)

SPARSE_WIRE = PlantedError(
    "one wire of a sparse ring moved",
    f"{_ROOM}.sparse:SparseMultiring.neighbours",
    lambda right: (
        lambda self, nodes: np.where(
            (nodes == 1)[:, None] & (np.arange(self.ports) == 0),
            (right(self, nodes) + 2) % self.order,
            right(self, nodes),
        )
    ),
)
MORE_NODES = PlantedError(
    "one node too many",
    f"{_ROOM}.sparse:SparseMultiring.order",
    lambda right: property(lambda self: right.fget(self) + 1),
)
LOST_RING = PlantedError(
    "a sparse ring left out",
    f"{_ROOM}.sparse:SparseMultiring.table",
    lambda right: lambda self: right(self)[:-1],
)
CHORD = PlantedError(
    "chords as long as their arcs",
    "hopscape.papers.multiring.walks:chord",
    lambda right: lambda n, step: step,
)
DEAD_ARC = PlantedError(
    "dead arcs left alive",
    f"{_SEARCH}.faults:_dead_arcs",
    lambda right: lambda rings, faults: [dead & False for dead in right(rings, faults)],
)


def _first_ring(shares: Any) -> Any:
    for r in range(len(shares[0])):
        used = [j for j, row in enumerate(shares) if row[r]]
        for j in used:
            shares[j][r] = Fraction(int(j == used[0]))
    return shares


def _small_move(move: Any) -> Any:
    if move is None:
        return None
    a, b, r, share = move
    return a, b, r, min(share, Fraction(1, 50))


def _worse(found: dict[str, Any]) -> dict[str, Any]:
    load = Fraction(found["load"]) * Fraction(103, 100)
    return found | {"load": f"{load.numerator}/{load.denominator}"}
