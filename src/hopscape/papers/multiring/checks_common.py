"""Capacities of the library, each proved again by walking the rings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hopscape.ledger.crosscheck import CrossCheck
from hopscape.papers.multiring.capacity import RouteSchedule, balanced_schedule, shortest_schedule
from hopscape.papers.multiring.families import Multiring, SparseMultiring
from hopscape.papers.multiring.reference import (
    rings_of,
    sparse_table,
    walk,
    walked_sparse_capacity,
)
from hopscape.papers.multiring.sparse_capacity import sparse_capacity

__all__ = ["RingCheck", "multiring"]


def multiring(n: int, steps: Sequence[int], copies: int = 1, *, simplex: bool = False) -> Multiring:
    """A member, if its rings are those of the definition; what another one has says nothing."""
    member = Multiring(n, steps, copies, simplex=simplex)
    paired = not simplex and min(steps) > 0
    rings = rings_of(n, steps, copies) if paired else [s % n for s in steps] * copies
    both = sorted(rings) == sorted(-s % n for s in rings)
    told = (member.order, list(member.rings), member.paired, member.duplex, member.ports)
    if told != (n, rings, paired, both, len(rings)):
        raise AssertionError(f"{member.spec} is {told}, not {(n, rings, paired, both)}")
    return member


class RingCheck(CrossCheck):
    """Two computations of the capacities of rings."""

    def shortest(
        self, n: int, steps: Sequence[int], weights: Sequence[Fraction] | None = None
    ) -> Fraction:
        """Capacity of the shortest schedule, whose shares are equal on the shortest rings."""
        schedule = shortest_schedule(multiring(n, steps), weights)
        rows = [walk(n, s) for s in schedule.rings]
        for r in self.tally.each("shares compared", range(1, n), n - 1):
            least = min(row[r] for row in rows if row[r])
            best = [row[r] == least for row in rows]
            want = [Fraction(int(good), sum(best)) for good in best]
            shares = [row[r - 1] for row in schedule.shares]
            self.same(f"N = {n}: shares of route {r}", shares, want)
        return self._audit(schedule, n, steps, weights)

    def balanced(
        self,
        n: int,
        steps: Sequence[int],
        copies: int = 1,
        weights: Sequence[Fraction] | None = None,
    ) -> Fraction:
        """Capacity of the balanced schedule, proved by its own shares and prices."""
        schedule = balanced_schedule(multiring(n, steps, copies), weights)
        capacity = self._audit(schedule, n, steps, weights, copies)
        lengths = [walk(n, s) for s in rings_of(n, steps, copies)]
        flows = _flows(n, weights)
        prices = schedule.dual or ()
        self.same(f"N = {n}: sum of the prices", sum(prices), Fraction(1))
        bound = sum(
            w * min(p * row[r] for p, row in zip(prices, lengths) if row[r])
            for r, w in enumerate(flows, 1)
            if w
        )
        name = f"N = {n}, steps {steps}"
        self.same(f"{name}: capacity that the prices allow", n * sum(flows) / bound, capacity)
        return capacity

    def _audit(
        self,
        schedule: RouteSchedule,
        n: int,
        steps: Sequence[int],
        weights: Sequence[Fraction] | None,
        copies: int = 1,
    ) -> Fraction:
        """Shares that add up, and the load of every ring by walking its routes."""
        rings, flows = rings_of(n, steps, copies), _flows(n, weights)
        name = f"N = {n}, steps {steps}"
        self.same(f"{name}: rings", sorted(schedule.rings), sorted(rings))
        loads = []
        for s, shares in zip(schedule.rings, schedule.shares):
            row = walk(n, s)
            lost = [r for r, p in enumerate(shares, 1) if p and not row[r]]
            self.same(f"{name}: routes on ring {s} that it does not reach", lost, [])
            loads.append(sum((p * w * k for p, w, k in zip(shares, flows, row[1:])), Fraction(0)))
        routes = self.tally.each("routes walked", range(n - 1), n - 1)
        sums = {sum(row[r] for row in schedule.shares) for r in routes}
        self.same(f"{name}: sums of shares", sums, {Fraction(1)})
        capacity = Fraction(n * sum(flows)) / max(loads)
        self.same(f"{name}: capacity", schedule.capacity, capacity)
        self.same(f"{name}: loads", [str(x) for x in schedule.loads], [str(x) for x in loads])
        return capacity

    def sparse(self, m: int, k: int) -> Fraction:
        """Capacity of sparse rings in the printed order, best schedule."""
        member = SparseMultiring(m, k)
        table = sparse_table(m, k // m)
        self.same(f"m = {m}, K = {k}: who sits where", member.table().tolist(), table)
        capacity, pairs = walked_sparse_capacity(m, k // m)
        nodes = (m * (m - 1) + 1) * k // m
        self.tally.expect("pairs walked", nodes * (nodes - 1))
        self.tally.add("pairs walked", pairs)
        self.same(
            f"m = {m}, K = {k}: capacity", sparse_capacity(member).balanced.capacity, capacity
        )
        return capacity


def _flows(n: int, weights: Sequence[Fraction] | None) -> list[Fraction]:
    """How often routes 1..N-1 are taken, N - 1 in all."""
    if weights is None:
        return [Fraction(1)] * (n - 1)
    return [w * (n - 1) / sum(weights) for w in weights]
