"""Capacity of a multiring: shortest, balanced and heuristic schedules of routes, exactly.

Only routes out of node 0 matter: route r ends at node r. A schedule says which share of each route
goes by which ring. The *load* of a ring is the sum over routes of share times length, that is what
each of its arcs carries when every node sends one packet to every other; the capacity in packets
per slot is N(N - 1) divided by the largest load.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.papers.multiring.exact_loads import Bounded, LoadProgram, optimum, ring_program
from hopscape.papers.multiring.rings import FullSteps, ring_lengths

__all__ = [
    "CapacityReport",
    "RouteSchedule",
    "balanced_schedule",
    "capacity_report",
    "heuristic_schedule",
    "moore_bound",
    "shortest_schedule",
]

# shares move in parts of 1/4096: fractions stay short, the load is off by less than that
_GRAIN = 4096
_MOST = 1_000_000  # rings times nodes: the linear program has so many unknowns


@dataclass(frozen=True)
class RouteSchedule(Bounded):
    """Which share of every route goes by which ring, and what follows from it.

    Attributes:
        n: Number of nodes.
        rings: Step of each simplex ring.
        shares: ``shares[j][r - 1]``: share of route r on ring j.
        weights: How often each route r is taken, N - 1 in all.
        loads: Of each ring.
        bound: No schedule has a smaller largest load (from dual weights), where that was computed.
        dual: Weights of the rings that prove `bound`.
        moves: Shares that were moved to balance it, by hand.
    """

    n: int
    rings: tuple[int, ...]
    shares: tuple[tuple[Fraction, ...], ...]
    weights: tuple[Fraction, ...]
    loads: tuple[Fraction, ...]
    bound: Fraction | None = None
    dual: tuple[Fraction, ...] | None = None
    moves: int | None = None

    @property
    def load(self) -> Fraction:
        return max(self.loads)

    @property
    def capacity(self) -> Fraction:
        """Effective capacity: packets per slot when every ring gets its share of the traffic."""
        return Fraction(self.n * (self.n - 1)) / self.load

    @property
    def traffic(self) -> tuple[Fraction, ...]:
        """How many of the N - 1 routes each ring carries."""
        return tuple(
            sum((p * q for p, q in zip(row, self.weights)), Fraction(0)) for row in self.shares
        )

    @property
    def ring_capacities(self) -> tuple[Fraction | None, ...]:
        """What each ring carries when it never starves: N / mean length (None when unused)."""
        return tuple(
            self.n * carried / load if load else None
            for carried, load in zip(self.traffic, self.loads)
        )

    @property
    def total_of_rings(self) -> Fraction:
        """Sum of the ring capacities; more than uniform traffic can use."""
        return sum((c for c in self.ring_capacities if c is not None), Fraction(0))

    @property
    def split_routes(self) -> int:
        """Routes that use more than one ring."""
        return sum(sum(row[r] > 0 for row in self.shares) > 1 for r in range(self.n - 1))

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        out: dict[str, Any] = {}
        for name, value in (
            ("capacity", self.capacity),
            ("load", self.load),
            ("loads", self.loads),
            ("ring_capacities", self.ring_capacities),
            ("total_of_rings", self.total_of_rings),
        ):
            out[name] = value
            out[f"{name}_decimal"] = _decimal(value)
        limits = [s for s, load in zip(self.rings, self.loads) if load == self.load]
        out["limited_by"] = [_signed(s, self.n) for s in limits]
        out["split_routes"] = self.split_routes
        if self.bound is not None:
            out |= {"proved": self.proved, "load_bound": self.bound, "dual_weights": self.dual}
        if self.moves is not None:
            out["moves"] = self.moves
        return out


def _decimal(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_decimal(item) for item in value]
    return None if value is None else float(value)


def _signed(step: int, n: int) -> int:
    return step if 2 * step <= n else step - n


def route_weights(
    member: FullSteps, distribution: Sequence[Fraction] | None
) -> tuple[Fraction, ...]:
    """How often each route is taken, scaled to N - 1 in all; evenly when None."""
    check_size(member)
    n = member.n
    if distribution is None:
        return (Fraction(1),) * (n - 1)
    if len(distribution) != n - 1:
        raise ArgumentError(
            f"the distribution has {len(distribution)} weights; routes 1..N - 1 need {n - 1}"
        )
    if min(distribution) < 0 or sum(distribution) == 0:
        raise ArgumentError("the weights of a distribution must be at least 0 and not all 0")
    scale = Fraction(n - 1) / sum(distribution)
    return tuple(Fraction(w) * scale for w in distribution)


def _lengths(member: FullSteps) -> list[list[int]]:
    return [ring_lengths(member.n, s)[1:].tolist() for s in member.rings]


def check_size(member: FullSteps) -> None:
    """Refuse what would take too long."""
    if member.n * len(member.rings) > _MOST:
        raise TooLargeError(
            f"{member.spec} has {member.n} routes on {len(member.rings)} rings; schedules are"
            f" worked out for up to {_MOST} lengths of routes"
        )


def _schedule(
    member: FullSteps,
    shares: list[list[Fraction]],
    weights: tuple[Fraction, ...],
    bound: Fraction | None = None,
    dual: tuple[Fraction, ...] | None = None,
) -> RouteSchedule:
    loads = tuple(
        sum((p * w * k for p, w, k in zip(row, weights, lengths) if p), Fraction(0))
        for row, lengths in zip(shares, _lengths(member))
    )
    fixed = tuple(tuple(row) for row in shares)
    return RouteSchedule(member.n, member.rings, fixed, weights, loads, bound, dual)


def shortest_schedule(
    member: FullSteps, distribution: Sequence[Fraction] | None = None
) -> RouteSchedule:
    """Every route on the rings where it is shortest, in equal parts.

    Examples:
        >>> from hopscape.papers.multiring import Multiring
        >>> schedule = shortest_schedule(Multiring(16, (1, 3)))
        >>> schedule.capacity, [str(load) for load in schedule.loads]
        (Fraction(20, 1), ['12', '12', '10', '10'])
    """
    weights = route_weights(member, distribution)
    return _schedule(member, _shortest_shares(_lengths(member)), weights)


def balanced_schedule(
    member: FullSteps, distribution: Sequence[Fraction] | None = None
) -> RouteSchedule:
    """The schedule with the least largest load: a linear program, its optimum proved exactly.

    Args:
        distribution: How often routes 1..N - 1 are taken; evenly when left out.

    Returns:
        RouteSchedule: With dual weights of the rings: any weights w of sum 1 show that no schedule
            has a largest load below the sum over routes of the least w_j times length.

    Examples:
        >>> from hopscape.papers.multiring import Multiring
        >>> schedule = balanced_schedule(Multiring(16, (1, 3)))
        >>> schedule.capacity, schedule.proved
        (Fraction(240, 11), True)
    """
    weights = route_weights(member, distribution)
    program = load_program(member, weights)
    solved = optimum(program)
    copies, rings = member.copies, len(member.rings) // member.copies
    mirrored = program.carriers < rings
    spread = 2 * copies if mirrored else copies
    dual = tuple(solved.dual[j // 2 if mirrored else j] / spread for j in range(rings))
    shares = [[Fraction(0)] * len(program.weights) for _ in range(program.carriers)]
    for ring, route, share in zip(program.carrier, program.demand, solved.shares):
        shares[ring][route] = share
    return _schedule(member, _expand(member, shares), weights, solved.bound / copies, dual * copies)


def _expand(member: FullSteps, shares: Sequence[Sequence[Fraction]]) -> list[list[Fraction]]:
    """Shares of the routes on all rings, from those of one copy or of its folded half."""
    n, copies = member.n, member.copies
    steps = member.rings[: len(member.rings) // copies]
    mirrored = len(shares) < len(steps)
    out: list[list[Fraction]] = []
    for j, s in enumerate(steps):
        full = ring_lengths(n, s)
        row = []
        for r in range(1, n):
            part = shares[j // 2][min(r, n - r) - 1] if mirrored else shares[j][r - 1]
            if mirrored and 2 * r == n:
                part /= 2
            elif mirrored and full[r] > full[n - r]:
                part = Fraction(0)
            row.append(part / copies)
        out.append(row)
    return [list(row) for _ in range(copies) for row in out]


def load_program(member: FullSteps, weights: Sequence[Fraction]) -> LoadProgram:
    """The linear program of one copy; a duplex set under mirrored traffic is folded in half."""
    return ring_program(*_folded(member, weights))


def _folded(
    member: FullSteps, weights: Sequence[Fraction]
) -> tuple[list[list[int]], list[Fraction]]:
    """Lengths of the routes on the rings of one copy, and the weights of the routes."""
    n = member.n
    steps = member.rings[: len(member.rings) // member.copies]
    mirrored = member.paired and all(weights[r - 1] == weights[n - r - 1] for r in range(1, n))
    if not mirrored:
        return [ring_lengths(n, s)[1:].tolist() for s in steps], list(weights)
    half = n // 2
    folded = []
    for s in steps[::2]:
        full = ring_lengths(n, s)
        folded.append([int(min(full[r], full[n - r])) for r in range(1, half + 1)])
    return folded, [weights[r - 1] / (2 if 2 * r == n else 1) for r in range(1, half + 1)]


def heuristic_schedule(
    member: FullSteps, distribution: Sequence[Fraction] | None = None, *, rule: str = "ratio"
) -> RouteSchedule:
    """Balance by hand: move routes from the most to the least loaded ring until nothing moves.

    Args:
        rule ({'ratio', 'difference'}): Which route loses least: by ratio or by difference of its
            lengths.
    """
    if rule not in ("ratio", "difference"):
        raise ArgumentError(f"rule is {rule!r}; it must be 'ratio' or 'difference'")
    weights = route_weights(member, distribution)
    lengths, folded = _folded(member, weights)
    shares = _shortest_shares(lengths)
    loads = [
        sum((p * w * k for p, w, k in zip(row, folded, ring) if p), Fraction(0))
        for row, ring in zip(shares, lengths)
    ]
    moves = 0
    while moves < 20 * len(shares) * member.n:
        move = _best_move(shares, lengths, folded, loads, rule)
        if move is None:
            break
        a, b, r, share = move
        shares[a][r] -= share
        shares[b][r] += share
        loads[a] -= share * folded[r] * lengths[a][r]
        loads[b] += share * folded[r] * lengths[b][r]
        moves += 1
    return replace(_schedule(member, _expand(member, shares), weights), moves=moves)


def _shortest_shares(lengths: Sequence[Sequence[int]]) -> list[list[Fraction]]:
    """Equal parts of every route for the rings on which it is shortest."""
    shares = [[Fraction(0)] * len(row) for row in lengths]
    for r in range(len(lengths[0])):
        least = min(row[r] for row in lengths if row[r])
        ties = [j for j, row in enumerate(lengths) if row[r] == least]
        for j in ties:
            shares[j][r] = Fraction(1, len(ties))
    return shares


def _best_move(
    shares: list[list[Fraction]],
    lengths: Sequence[Sequence[int]],
    weights: Sequence[Fraction],
    loads: list[Fraction],
    rule: str,
) -> tuple[int, int, int, Fraction] | None:
    """From the fullest ring to the emptiest that takes one of its routes, and how much."""
    a = max(range(len(loads)), key=lambda j: loads[j])
    for b in sorted(range(len(loads)), key=lambda j: loads[j]):
        movable = [r for r, p in enumerate(shares[a]) if p and weights[r] and lengths[b][r]]
        if loads[b] >= loads[a] or not movable:
            continue

        def loss(r: int, b: int = b) -> tuple[Fraction, int]:
            old, new = lengths[a][r], lengths[b][r]
            return (Fraction(new, old) if rule == "ratio" else Fraction(new - old)), r

        r = min(movable, key=loss)
        even = (loads[a] - loads[b]) / (weights[r] * (lengths[a][r] + lengths[b][r]))
        share = min(shares[a][r], Fraction(int(even * _GRAIN), _GRAIN))
        if share > 0:
            return a, b, r, share
    return None


def moore_bound(n: int, rings: int) -> Fraction:
    """No multiring of n nodes and so many simplex rings has a larger capacity (uniform routes).

    At most `rings` nodes can be reached in i arcs without being nearer on any ring.

    Examples:
        >>> moore_bound(37, 12)
        Fraction(222, 1)
    """
    q, rest = divmod(n - 1, rings)
    total = rings * q * (q + 1) // 2 + rest * (q + 1)
    return Fraction(rings * n * (n - 1), total)


def cable(n: int, rings: Sequence[int]) -> int:
    """Ring lengths of cable when every ring is laid along ring 1: the sum of the short steps."""
    return sum(min(s % n, -s % n) for s in rings)


@dataclass(frozen=True)
class CapacityReport:
    """All that is known of the capacity of one multiring."""

    spec: str
    n: int
    rings: tuple[int, ...]
    shortest: RouteSchedule
    balanced: RouteSchedule
    heuristic: RouteSchedule
    uniform: bool

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        bound = moore_bound(self.n, len(self.rings)) if self.uniform else None
        ratio = self.balanced.capacity / len(self.rings) ** 2
        return {
            "spec": self.spec,
            "nodes": self.n,
            "rings": [_signed(s, self.n) for s in self.rings],
            "shortest": self.shortest.to_dict(),
            "heuristic": self.heuristic.to_dict(),
            "balanced": self.balanced.to_dict(),
            "moore_bound": bound,
            "moore_bound_decimal": None if bound is None else float(bound),
            "per_square_of_rings": float(ratio),
            "per_node": float(self.balanced.capacity / self.n),
            "cable": cable(self.n, self.rings),
        }


def capacity_report(
    member: FullSteps, distribution: Sequence[Fraction] | None = None
) -> CapacityReport:
    """Shortest, heuristic and balanced schedules of a multiring, side by side."""
    return CapacityReport(
        member.spec,
        member.n,
        member.rings,
        shortest_schedule(member, distribution),
        balanced_schedule(member, distribution),
        heuristic_schedule(member, distribution),
        distribution is None,
    )
