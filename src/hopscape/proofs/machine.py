"""Proof of what a machine of switches costs, and of what no machine can cost less than.

The bound is a linear program over kinds of switches, by endpoints and ports in use: whatever the
machine, its switches hold all endpoints, and its channels all hops of the traffic asked for. Its
dual solution is the evidence (:func:`hopscape.proofs.check.check_machine` says why it is one), once
for machines of as many switches as are best or fewer, once for those of more.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import floor
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.arrays import Floats
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.proofs.make import (
    Proof,
    best_flows,
    flow_records,
    make_proof,
    plain,
    require_size,
)

__all__ = ["PartPrices", "least_cost", "prove_machine"]

_HOPS = 3
"""Distances that the bound tells apart: among the endpoints of a machine of so many as can be built
of switches of one radix, few are nearer than the farthest are."""
_MOST_RADIX = 512
"""Ports up to which kinds of switches are listed: 131,000 of them, some seconds for the checker."""
_FINE = 10**12
"""Denominator of prices: finer than the solver's tolerance."""


class PartPrices(NamedTuple):
    """What parts cost.

    Attributes:
        switches: Ports and price of each.
        cables: Reach in metres (None: any), price and price per metre of each.
        nic: Price of a network interface.
    """

    switches: Sequence[tuple[int, float]]
    cables: Sequence[tuple[float | None, float, float]]
    nic: float
    currency: str = ""

    def record(self) -> dict[str, Any]:
        """The same as JSON knows it, exactly."""
        exact = [[None if x is None else _exact(x) for x in row] for row in self.cables]
        boxes = [[ports, _exact(price)] for ports, price in self.switches]
        return {"switches": boxes, "cables": exact, "nic": _exact(self.nic)}


def prove_machine(
    network: Network, parts: PartPrices, lengths: Floats, *, radix: int, throughput: float = 1.0
) -> Proof:
    """What a machine costs that carries a share of uniform traffic, and what none costs less than.

    Args:
        lengths: Metres of each cable.
        radix: Ports of the largest switch that may be used.
        throughput: Share of the line rate that every machine is to carry.

    Raises:
        ArgumentError: When endpoints have several lines, or even splits over shortest paths carry
            less than `throughput`.

    Examples:
        >>> import hopscape
        >>> parts = PartPrices([(8, 1000), (16, 3000)], [(None, 10, 0)], 100)
        >>> machine = hopscape.build("concentrated(complete(3), 4, trunk=2)")
        >>> verdict = prove_machine(machine, parts, np.ones(18), radix=8).verdict
        >>> verdict[:16], verdict[-17:]
        ('it costs 4380.00', 'less than 4347.27')
    """
    spec, share = network.spec, Fraction(repr(float(throughput)))
    if not network.has_switches or (network.degrees[network.endpoints] != 1).any():
        raise ArgumentError(f"{spec}: proofs of costs are for machines with one line an endpoint")
    if radix > _MOST_RADIX or (network.capacities() != 1).any() or network.endpoint_count < 3:
        raise ArgumentError(
            f"{spec}: proofs of costs are for three endpoints and more, links of one speed and"
            f" switches of at most {_MOST_RADIX} ports"
        )
    require_size(network.endpoint_count * len(network.heads), f"a flow on {spec}")
    others = network.endpoint_count - 1
    flows, load = best_flows(network, others / share)
    carried = others / load
    if carried < share:
        raise ArgumentError(
            f"{spec}: even splits over shortest paths carry {float(carried):.4f} of uniform"
            f" traffic, and the proof is for {throughput:g}"
        )
    exact = [plain(Fraction(round(x * 1000), 1000)) for x in lengths.tolist()]
    claim: dict[str, Any] = {"radix": radix, "throughput": plain(share), "prices": parts.record()}
    claim |= {"currency": parts.currency, "cost": plain(_cost(network, parts, exact))}
    low, evidence = _bound(network.endpoint_count, radix, share, parts)
    claim["at_least"] = plain(low)
    more = {"lengths": exact, "flows": flow_records(flows)}
    return make_proof("machine", network, claim, evidence | more, spec)


def least_cost(ends: int, radix: int, throughput: float, parts: PartPrices) -> float:
    """What no machine of such switches costs less than, whatever its wiring; without the proof.

    Examples:
        >>> parts = PartPrices([(8, 1000), (16, 3000)], [(None, 10, 0)], 100)
        >>> least_cost(12, 8, 1.0, parts)
        4347.27
    """
    return float(_bound(ends, radix, Fraction(repr(float(throughput))), parts)[0])


def _exact(value: float) -> int | str:
    return plain(Fraction(repr(float(value))))


def _cost(network: Network, parts: PartPrices, lengths: Sequence[int | str]) -> Fraction:
    """All parts, exactly."""
    box = _boxes(parts, int(network.degrees.max()))
    inner = np.setdiff1d(np.arange(network.order), network.endpoints)
    total = sum((_required(box[d]) for d in network.degrees[inner].tolist()), Fraction(0))
    for text in lengths:
        metres = Fraction(text)
        fits = [
            Fraction(repr(float(price))) + metres * Fraction(repr(float(more)))
            for reach, price, more in parts.cables
            if reach is None or metres <= Fraction(repr(float(reach)))
        ]
        total += _required(min(fits, default=None))
    return total + network.endpoint_count * Fraction(repr(float(parts.nic)))


def _required(price: Fraction | None) -> Fraction:
    if price is None:
        raise ArgumentError("the price list has no switch or cable that is large or long enough")
    return price


def _boxes(parts: PartPrices, radix: int) -> list[Fraction | None]:
    """Price of a switch by its ports in use; None where no switch has so many."""
    listed = [(ports, Fraction(repr(float(price)))) for ports, price in parts.switches]
    return [min((x for p, x in listed if p >= d), default=None) for d in range(radix + 1)]


def _bound(
    ends: int, radix: int, share: Fraction, parts: PartPrices
) -> tuple[Fraction, dict[str, dict[str, Any]]]:
    """The least cost of any machine, to the cent, and the prices that prove it."""
    program = _Program(ends, radix, share, parts)
    best = floor(program.switches() + 1e-6)
    few, many = program.dual(best, -1), program.dual(best + 1, 1)
    least = min(few[0], many[0])
    alone = program.box[ends] if ends <= radix else None
    if alone is not None:
        least = min(least, alone + ends * program.line)
    evidence = {
        name: {"at": at, "endpoint": plain(prices[0]), "prices": [plain(x) for x in prices[1:]]}
        for name, at, (_, prices) in (("fewer", best, few), ("more", best + 1, many))
    }
    return max(Fraction(floor(least * 100), 100), Fraction(0)), evidence


class _Program:
    """Least cost of switches that hold all endpoints and carry all hops."""

    def __init__(self, ends: int, radix: int, share: Fraction, parts: PartPrices) -> None:
        self.ends, self.share, self.radix = ends, share, radix
        self.box = _boxes(parts, radix)
        self.wire = min(Fraction(repr(float(price))) for _, price, _ in parts.cables)
        self.line = self.wire + Fraction(repr(float(parts.nic)))
        self.kinds = [
            (e, d)
            for e in range(radix)
            for d in range(1, radix + 1 - e)
            if self.box[e + d] is not None
        ]
        self.cost = [_required(self.box[e + d]) + d * self.wire / 2 for e, d in self.kinds]
        self.hops = [[self._carried(h, e, d) for e, d in self.kinds] for h in range(1, _HOPS + 1)]

    def _carried(self, h: int, e: int, d: int) -> Fraction:
        """Channels of a switch, and hops that its endpoints spare where pairs are h apart."""
        near = sum((h - j) * (self.radix - 1) ** (j - 1) for j in range(1, h))
        return d + self.share * e * (h * (e - 1) + e * d * near) / (self.ends - 1)

    def _solve(self, at: int | None, sign: int) -> Any:
        """The program for at most or at least `at` switches.

        Hops and endpoints may be lacking, at a high price, so that there is always a solution.
        Columns are kinds of switches, then the hops and endpoints that are lacking; rows are hops
        by h, then switches.
        """
        from scipy.optimize import linprog

        kinds, dear = len(self.kinds), 10 * float(max(self.cost))
        held = np.array([[e for e, _ in self.kinds] + [0] * _HOPS + [1]], dtype=float)
        lacking = np.hstack([np.eye(_HOPS), np.zeros((_HOPS, 1))])
        carried = np.hstack([np.array(self.hops, dtype=float), lacking])
        count = np.array([[1] * kinds + [0] * (_HOPS + 1)], dtype=float)
        need = [float(h * self.ends * self.share) for h in range(1, _HOPS + 1)]
        rows, right = [-carried], [-x for x in need]
        if at is not None:
            rows, right = [*rows, -sign * count], [*right, -sign * at]
        cost = np.array([*map(float, self.cost), *[dear] * (_HOPS + 1)])
        return linprog(cost, A_ub=np.vstack(rows), b_ub=right,
                       A_eq=held, b_eq=[self.ends], method="highs")  # fmt: skip

    def switches(self) -> float:
        """How many switches are best, were they divisible."""
        solution = self._solve(None, 1)
        return float(solution.x[: len(self.kinds)].sum()) if solution.status == 0 else 1.0

    def dual(self, at: int, sign: int) -> tuple[Fraction, list[Fraction]]:
        """A bound for `at` switches and more (or fewer), and its prices, exactly feasible.

        The solver's prices of hops are rounded; those of a switch and of an endpoint follow.
        """
        solution = self._solve(at, sign)
        if solution.status != 0:
            return self._value(at, sign, [Fraction(0)] * (2 + _HOPS))
        prices = [Fraction(max(0, round(-x * _FINE)), _FINE) for x in solution.ineqlin.marginals]
        hops, switch = prices[:-1], prices[-1]
        left = [
            cost - sum((x * row[i] for x, row in zip(hops, self.hops, strict=True)), Fraction(0))
            for i, cost in enumerate(self.cost)
        ]
        bare = min(x for x, (e, _) in zip(left, self.kinds, strict=True) if not e)
        switch = max(Fraction(0), min(switch, bare) if sign > 0 else max(switch, -bare))
        each = min((x - sign * switch) / e for x, (e, _) in zip(left, self.kinds, strict=True) if e)
        if sign * switch > bare:
            return self._value(at, sign, [Fraction(0)] * (2 + _HOPS))
        return self._value(at, sign, [Fraction(floor(each * 10**6), 10**6), switch, *hops])

    def _value(self, at: int, sign: int, prices: list[Fraction]) -> tuple[Fraction, list[Fraction]]:
        """What prices prove."""
        end, switch, *hops = prices
        worth = sum((h * x for h, x in enumerate(hops, 1)), Fraction(0))
        bound = self.ends * (end + self.line) + sign * switch * at + self.share * self.ends * worth
        return bound, prices
