"""Least largest load as a linear program, with an exact rational optimum and its certificate.

HiGHS finds an optimal corner of the program and one of its dual in floating point. Which shares are
positive and which carriers are full is then known, and the corners are the solutions of two systems
of equations, solved in fractions. Both sides are evaluated exactly: the optimum is proved when they
are equal, whatever the floating-point part did (so do D. L. Applegate, W. Cook, S. Dash and
D. G. Espinoza, "Exact solutions to linear programming problems", 2007). Programs with many ways
begin with those that look good and take up the others where the dual says that they would help
(L. R. Ford and D. R. Fulkerson, 1958).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import HopscapeError
from hopscape.papers.multiring.rational import solve_exactly

__all__ = ["Bounded", "LoadOptimum", "LoadProgram", "optimum", "ring_program"]


_ZERO = 1e-9  # what is below counts as zero; the exact proof follows and notices if that was wrong
_TIGHT = 1e-7  # the tolerance of HiGHS: carriers that count as full
# unknowns: the simplex method solves them all at once; beyond, columns are generated
_FEW_ROUTES = 4000
_ROUNDS = 150  # of multiplicative weights before the first program; its prices only choose columns
_NEAR = 0.2  # routes up to 20 % dearer than the cheapest enter the first program
_SURE = 1e-6  # far above the error of floating point, far below a difference that matters


@dataclass(frozen=True)
class LoadProgram:
    """Demands with weights; each can be shared out among its ways, which use carriers.

    Attributes:
        carriers: How many there are: rings, or arcs.
        demand (int64[ways]): The demand that each way serves; not falling, and every demand has a
            path.
        weights: Of the demands.
        starts (int64[ways + 1]): Where the entries of each way begin; none is empty.
        carrier, amount (int64[entries]): What a way puts on a carrier, for weight 1.
    """

    carriers: int
    demand: IntArray
    weights: tuple[Fraction, ...]
    starts: IntArray
    carrier: IntArray
    amount: IntArray

    @property
    def routes(self) -> int:
        """Number of routes."""
        return len(self.demand)

    @cached_property
    def first(self) -> IntArray:
        """The first way of each demand."""
        return np.searchsorted(self.demand, np.arange(len(self.weights)))

    @cached_property
    def float_weights(self) -> Floats:
        """The weight of each way's demand."""
        return np.asarray([float(w) for w in self.weights])[self.demand]

    @cached_property
    def whole_weights(self) -> tuple[list[int], int]:
        """Weights as integers over one denominator."""
        scale = math.lcm(*{w.denominator for w in self.weights})
        return [w.numerator * (scale // w.denominator) for w in self.weights], scale

    def lengths(self) -> IntArray:
        """What each way puts on all carriers together."""
        return np.add.reduceat(self.amount, self.starts[:-1])

    def costs(self, dual: Floats) -> Floats:
        """What each way costs when carriers have prices."""
        costs: Floats = np.add.reduceat(dual[self.carrier] * self.amount, self.starts[:-1])
        return costs

    def entries(self, route: int) -> list[tuple[int, int]]:
        """Carriers of a way, each with its amount."""
        low, high = self.starts[route], self.starts[route + 1]
        return list(zip(self.carrier[low:high].tolist(), self.amount[low:high].tolist()))

    def part(self, chosen: IntArray) -> LoadProgram:
        """Only some of the ways."""
        sizes = np.diff(self.starts)[chosen]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        inner = np.repeat(self.starts[chosen] - starts[:-1], sizes) + np.arange(starts[-1])
        return LoadProgram(
            self.carriers,
            self.demand[chosen],
            self.weights,
            starts,
            self.carrier[inner],
            self.amount[inner],
        )

    def shortest(self) -> list[Fraction]:
        """Equal shares for the ways of least length."""
        lengths = self.lengths()
        least = np.minimum.reduceat(lengths, self.first)[self.demand] == lengths
        ties = np.add.reduceat(least.astype(np.int64), self.first)[self.demand].tolist()
        return [Fraction(int(good), t) for good, t in zip(least.tolist(), ties)]

    def loads(self, shares: Sequence[Fraction]) -> list[Fraction]:
        """What the carriers carry under a schedule, exactly."""
        weights, scale = self.whole_weights
        used = [(i, x) for i, x in enumerate(shares) if x]
        common = math.lcm(*{x.denominator for _, x in used}) if used else 1
        out = [0] * self.carriers
        for route, share in used:
            flow = share.numerator * (common // share.denominator) * weights[self.demand[route]]
            for c, amount in self.entries(route):
                out[c] += flow * amount
        return [Fraction(x, common * scale) for x in out]

    def bound(self, dual: Sequence[Fraction]) -> Fraction:
        """What prices of sum 1 prove: no schedule has a smaller largest load.

        Only the ways whose cost is least but for one part in a million, far more than the error of
        floating point, are looked at in fractions.
        """
        weights, scale = self.whole_weights
        common = math.lcm(*{x.denominator for x in dual})
        prices = [x.numerator * (common // x.denominator) for x in dual]
        costs = self.costs(np.asarray([float(x) for x in dual]))
        least = np.minimum.reduceat(costs, self.first)[self.demand]
        cheapest = np.nonzero(costs <= least * (1 + _SURE) + 1e-300)[0].tolist()
        best: dict[int, int] = {}
        for route in cheapest:
            cost = sum(prices[c] * amount for c, amount in self.entries(route))
            d = int(self.demand[route])
            best[d] = min(best.get(d, cost), cost)
        total = sum(weights[d] * cost for d, cost in best.items())
        return Fraction(total, common * scale)


def ring_program(
    lengths: Sequence[Sequence[int]] | IntArray, weights: Sequence[Fraction]
) -> LoadProgram:
    """Routes with weights, and the length of each on every ring (0: not on this ring)."""
    table = np.asarray(lengths, dtype=np.int64).T
    route, ring = np.nonzero(table)
    return LoadProgram(
        table.shape[1],
        route,
        tuple(weights),
        np.arange(len(ring) + 1),
        ring,
        table[route, ring],
    )


class Bounded(ABC):
    """A schedule by its largest load, and what that of no schedule can be below."""

    bound: Fraction | None

    @property
    @abstractmethod
    def load(self) -> Fraction:
        """The largest load."""

    @property
    def proved(self) -> bool:
        """Is the largest load the least possible?"""
        return self.bound == self.load


@dataclass(frozen=True)
class LoadOptimum(Bounded):
    """A schedule of least largest load, and prices of the carriers with the bound they prove."""

    shares: list[Fraction]
    loads: tuple[Fraction, ...]
    dual: tuple[Fraction, ...]
    bound: Fraction

    @property
    def load(self) -> Fraction:
        return max(self.loads)


def optimum(program: LoadProgram) -> LoadOptimum:
    """The schedule of least largest load, exact, with its certificate.

    Examples:
        >>> solved = optimum(ring_program([[1, 2, 3], [3, 2, 1]], [Fraction(1)] * 3))
        >>> solved.load, solved.proved
        (Fraction(2, 1), True)
    """
    load, prices, shares = float_optimum(program)
    exact = _exact_shares(program, load, shares)
    loads = tuple(program.loads(exact))
    dual, bound = _exact_dual(program, prices, load, max(loads))
    return LoadOptimum(exact, loads, dual, bound)


def float_optimum(program: LoadProgram) -> tuple[float, Floats, Floats]:
    """Optimal load, prices of the carriers and shares of the ways in floating point."""
    if program.routes <= _FEW_ROUTES:
        return _solve(program, "highs-ds")
    chosen = _promising(program)
    while True:
        load, prices, part_shares = _solve(program.part(chosen), "highs-ipm")
        costs = program.costs(prices)
        least = np.full(len(program.weights), np.inf)
        np.minimum.at(least, program.demand[chosen], costs[chosen])
        bar = least[program.demand]
        better = costs < bar - _ZERO
        if not better.any():
            shares = np.zeros(program.routes)
            shares[chosen] = part_shares
            return load, prices, shares
        helped = np.zeros(len(program.weights), dtype=bool)
        helped[program.demand[better]] = True
        more = helped[program.demand] & (costs < bar * (1 + _NEAR / 4))
        chosen = np.union1d(chosen, np.nonzero(more | better)[0])


def _promising(program: LoadProgram) -> IntArray:
    """Ways that are nearly cheapest by prices from multiplicative weights."""
    prices = np.full(program.carriers, 1 / program.carriers)
    best, best_prices = -1.0, prices
    flow = program.float_weights
    for i in range(_ROUNDS):
        costs = program.costs(prices)
        least = np.minimum.reduceat(costs, program.first)
        cheapest = costs <= least[program.demand] * (1 + 1e-12)
        bound = float((least * flow[program.first]).sum())
        if bound > best:
            best, best_prices = bound, prices
        ties = np.add.reduceat(cheapest.astype(float), program.first)[program.demand]
        each = np.repeat(np.where(cheapest, flow / ties, 0.0), np.diff(program.starts))
        loads = np.bincount(
            program.carrier, weights=each * program.amount, minlength=program.carriers
        )
        prices = prices * np.exp((loads / loads.max() - 1) / (1 + 0.1 * i))
        prices = prices / prices.sum()
    costs = program.costs(best_prices)
    least = np.minimum.reduceat(costs, program.first)[program.demand]
    return np.nonzero(costs <= least * (1 + _NEAR) + 1e-12)[0]


def _solve(
    program: LoadProgram, method: Literal["highs-ds", "highs-ipm"]
) -> tuple[float, Floats, Floats]:
    """Load, prices and shares of the whole program (HiGHS)."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    count, routes, demands = program.carriers, program.routes, len(program.weights)
    every, each = np.arange(count), np.repeat(np.arange(routes), np.diff(program.starts))
    data = np.concatenate([program.amount * program.float_weights[each], np.full(count, -1.0)])
    places = (
        np.concatenate([program.carrier, every]),
        np.concatenate([each, np.full(count, routes)]),
    )
    upper: Any = coo_matrix((data, places), shape=(count, routes + 1)).tocsr()
    equal: Any = coo_matrix(
        (np.ones(routes), (program.demand, np.arange(routes))), shape=(demands, routes + 1)
    ).tocsr()
    cost = np.zeros(routes + 1)
    cost[-1] = 1.0
    solution: Any = linprog(
        cost,
        A_ub=upper,
        b_ub=np.zeros(count),
        A_eq=equal,
        b_eq=np.ones(demands),
        bounds=(0, None),
        method=method,
    )
    if solution.x is None:
        raise HopscapeError(f"the linear program was not solved: {solution.message}")
    prices = np.maximum(-np.asarray(solution.ineqlin.marginals), 0.0)
    return float(solution.x[-1]), prices / (prices.sum() or 1.0), solution.x[:-1]


def _exact_shares(program: LoadProgram, load: float, shares: Floats) -> list[Fraction]:
    """The corner with these positive shares and full carriers, in fractions."""
    positive = np.nonzero(shares > _ZERO)[0]
    several = np.bincount(program.demand[positive], minlength=len(program.weights)) > 1
    exact = [Fraction(0)] * program.routes
    for route in positive[~several[program.demand[positive]]].tolist():
        exact[route] = Fraction(1)
    split = positive[several[program.demand[positive]]].tolist()
    fixed = program.loads(exact)
    each = np.repeat(shares * program.float_weights, np.diff(program.starts))
    carried = np.bincount(program.carrier, weights=each * program.amount, minlength=len(fixed))
    full = [c for c in range(program.carriers) if carried[c] > load * (1 - _TIGHT)]
    solution = _corner(program, split, full, fixed, shares, load)
    for i, route in enumerate(split):
        exact[route] = solution[i]
    return _feasible(program, exact)


def _corner(
    program: LoadProgram,
    split: list[int],
    full: list[int],
    fixed: list[Fraction],
    shares: Floats,
    load: float,
) -> list[Fraction]:
    """Shares of the split ways that fill these carriers alike; as they came where none are found.

    Of each demand the share of the last way follows from the others.
    """
    weights, scale = program.whole_weights
    last = {int(program.demand[route]): route for route in split}
    free = [route for route in split if last[int(program.demand[route])] != route]
    row_of = {c: i for i, c in enumerate(full)}
    table = np.zeros((len(full), len(free) + 1), dtype=object)
    right = np.asarray([-int(fixed[c] * scale) for c in full], dtype=object)
    table[:, -1] = -scale
    for sign, routes in ((1, free), (-1, [last[int(program.demand[route])] for route in free])):
        for column, route in enumerate(routes):
            for c, amount in program.entries(route):
                if c in row_of:
                    table[row_of[c], column] += sign * amount * weights[program.demand[route]]
    for route in last.values():
        for c, amount in program.entries(route):
            if c in row_of:
                right[row_of[c]] -= amount * weights[program.demand[route]]
    guess = [float(shares[route]) for route in free] + [load]
    solution = solve_exactly(table, right.tolist(), guess)
    if solution is None:
        return [Fraction(float(shares[route])) for route in split]
    known = dict(zip(free, solution))
    rest: dict[int, Fraction] = {}
    for route in free:
        d = int(program.demand[route])
        rest[d] = rest.get(d, Fraction(1)) - known[route]
    return [known[route] if route in known else rest[int(program.demand[route])] for route in split]


def _feasible(program: LoadProgram, shares: list[Fraction]) -> list[Fraction]:
    """Clip to at least 0 and scale every demand to 1, so that a rounded schedule is one, too."""
    total: dict[int, Fraction] = {}
    for d, share in zip(program.demand.tolist(), shares):
        if share > 0:
            total[d] = total.get(d, Fraction(0)) + share
    if all(x == 1 for x in total.values()) and min(shares) >= 0:
        return shares
    return [
        max(x, Fraction(0)) / total[d] if x > 0 else Fraction(0)
        for d, x in zip(program.demand.tolist(), shares)
    ]


def _exact_dual(
    program: LoadProgram, prices: Floats, load: float, best: Fraction
) -> tuple[tuple[Fraction, ...], Fraction]:
    """The corner of the dual near these prices, in fractions, and the bound that it proves."""
    priced = np.nonzero(prices > _ZERO)[0]
    place = {int(c): i for i, c in enumerate(priced)}
    rows: list[list[int]] = [[1] * len(priced)]
    for first, other in _ties(program, prices, load):
        row = [0] * len(priced)
        for sign, route in ((1, first), (-1, other)):
            for c, amount in program.entries(route):
                if c in place:
                    row[place[c]] += sign * amount
        rows.append(row)
    guess = prices[priced].tolist()
    solution = solve_exactly(rows, [1] + [0] * (len(rows) - 1), guess)
    tries = [[Fraction(w).limit_denominator(10**12) for w in guess]]
    if solution is not None:
        tries.insert(0, solution)
    proved: list[tuple[tuple[Fraction, ...], Fraction]] = []
    for values in tries:
        dual = _prices(program.carriers, priced, values)
        bound = program.bound(dual)
        if bound == best:
            return dual, bound
        proved.append((dual, bound))
    return max(proved, key=lambda pair: min(pair[1], best))


def _prices(count: int, priced: Iterable[int], values: Sequence[Fraction]) -> tuple[Fraction, ...]:
    positive = [max(w, Fraction(0)) for w in values]
    total = sum(positive, Fraction(0))
    out = [Fraction(0)] * count
    for c, w in zip(priced, positive):
        out[int(c)] = w / total
    return tuple(out)


def _ties(program: LoadProgram, prices: Floats, load: float) -> Iterable[tuple[int, int]]:
    """Pairs of ways of one demand that cost the same, the first and each other."""
    costs = program.costs(prices)
    least = np.minimum.reduceat(costs, program.first)[program.demand]
    wanted = np.asarray([w != 0 for w in program.weights], dtype=bool)[program.demand]
    tied = np.nonzero((costs - least <= _ZERO * max(load, 1.0)) & wanted)[0]
    owner = program.demand[tied]
    leader = tied[np.searchsorted(owner, owner)]
    return [(a, b) for a, b in zip(leader.tolist(), tied.tolist()) if a != b]
