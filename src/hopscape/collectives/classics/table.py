"""The classic algorithms as collectives: for which goals, under which names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hopscape.collectives.classics import exchange, gathering, rooted
from hopscape.collectives.classics.placing import (
    embedded_order,
    groups_of,
    ring_order,
    sides_of,
    swapped_order,
)
from hopscape.collectives.classics.plans import (
    MOST_RANKS,
    MOST_TRANSFERS,
    RankPlan,
    message_limit,
    to_schedule,
)
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.family import Collective
from hopscape.core.goal import Goal, GoalKind
from hopscape.core.model import Model, Served
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify

__all__ = ["CLASSICS"]

SERVES = Served(switching=("cut-through", "store-and-forward"))


@dataclass(frozen=True)
class Case:
    """What a plan is asked for."""

    network: Network
    goal: Goal
    model: Model

    @cached_property
    def ends(self) -> IntArray:
        """The nodes that take part, ascending."""
        if len(self.goal.groups) > 1:
            raise ArgumentError("plans of ranks are for one group at a time")
        if self.goal.kind == "one-to-many":
            root = -1 if self.goal.root is None else self.goal.root
            return np.union1d(np.asarray(self.goal.targets, dtype=np.int64), [root])
        return self.goal.members(self.network)

    @property
    def ranks(self) -> int:
        """How many they are."""
        return len(self.ends)

    @property
    def ports(self) -> int:
        """Messages at once."""
        return message_limit(self.network, self.model)

    @property
    def pieces(self) -> int:
        """Pieces of a block, where there is one block per rank."""
        chunks = self.goal.chunks
        if self.goal.kind != "all-reduce":
            return chunks
        if chunks % self.ranks:
            raise ArgumentError(
                f"it cuts the data into a block per rank: {self.ranks} chunks (--sliced), not"
                f" {chunks}"
            )
        return chunks // self.ranks

    @property
    def sides(self) -> tuple[int, ...]:
        """Sides of the grid of ranks."""
        return sides_of(self.network, self.ranks)

    def whole(self) -> None:
        """Refuse data in several chunks."""
        if self.goal.chunks != 1:
            raise ArgumentError(f"it sends the data as one chunk, not as {self.goal.chunks}")


Plan = Callable[[Case], RankPlan]
Order = Callable[[Network, IntArray], IntArray]


def _classic(
    name: str, kind: GoalKind, summary: str, plan: Plan, order: Order | None = None
) -> Collective:
    """A plan of ranks as a collective, placed by `order` or where an embedding is better."""

    def build(network: Network, goal: Goal, model: Model) -> Schedule:
        case = Case(network, goal, model)
        if case.ranks > MOST_RANKS:
            raise TooLargeError(
                f"plans of ranks are made for up to {MOST_RANKS:,} endpoints, not {case.ranks:,}"
            )
        _check_moves(case)
        steps = plan(case)
        plain = np.arange(case.ranks) if order is None else order(network, case.ends)
        best = _placed(case, name, steps, plain)
        other = _elsewhere(case, steps) if _congested(best) else None
        if other is not None:
            best = min((best, _placed(case, name, steps, other)), key=_load)
        return best

    return Collective(name, kind, summary, build, SERVES)


def _check_moves(case: Case) -> None:
    """Refuse a block of every rank for every rank where that would be very many transfers."""
    all_pairs = case.goal.kind in ("all-gather", "reduce-scatter", "all-to-all")
    moves = case.ranks * (case.ranks - 1) * case.goal.chunks if all_pairs else 0
    if case.goal.kind == "all-reduce" and case.goal.chunks >= case.ranks:
        moves = 2 * (case.ranks - 1) * case.goal.chunks
    if moves > MOST_TRANSFERS:
        raise TooLargeError(
            f"it would make {moves:,} transfers or more; up to {MOST_TRANSFERS:,} are tried"
        )


def _elsewhere(case: Case, steps: RankPlan) -> IntArray | None:
    """Places by the embedding search, or by swaps where that is not for so many ranks."""
    root = 0 if case.goal.root is None else int(np.searchsorted(case.ends, case.goal.root))
    embedded = embedded_order(case.network, case.ends, steps)
    return swapped_order(case.network, case.ends, steps, root) if embedded is None else embedded


def _placed(case: Case, name: str, plan: RankPlan, places: IntArray) -> Schedule:
    """The plan at these places; rank 0 at the root, if there is one."""
    if case.goal.root is not None:
        root = int(np.searchsorted(case.ends, case.goal.root))
        if root >= case.ranks or case.ends[root] != case.goal.root:
            raise ArgumentError(f"the root, node {case.goal.root}, is not a participating endpoint")
        at = int(np.nonzero(places == root)[0][0])
        places = np.roll(places, -at)
    return to_schedule(plan, case.network, case.goal, name, case.model, places, case.ends)


def _congested(schedule: Schedule) -> bool:
    """Do messages of a round share a channel, or take several hops?"""
    return len(schedule.channels) > schedule.transfers


def _load(schedule: Schedule) -> float:
    verdict = verify(schedule)
    return float(verdict.details["sizes"]) if verdict else float("inf")


# -- goals with a block per rank ---------------------------------------------------------------


def _ring(case: Case) -> RankPlan:
    return gathering.ring(case.ranks, case.pieces, case.ports)


def _bucket(case: Case) -> RankPlan:
    if sum(side > 1 for side in case.sides) < 2:
        raise ArgumentError("bucket is for grids of several dimensions; a ring serves one")
    return gathering.bucket(case.sides, case.pieces, case.ports)


def _doubling(case: Case) -> RankPlan:
    return gathering.recursive_doubling(case.ranks, case.pieces)


def _bruck(case: Case) -> RankPlan:
    return gathering.bruck(case.ranks, case.pieces, case.ports)


def _swing(case: Case) -> RankPlan:
    return gathering.swing(case.ranks, case.pieces, case.sides)


def _trivance(case: Case) -> RankPlan:
    _needs_two(case)
    return gathering.trivance(case.ranks, case.pieces)


def _needs_two(case: Case) -> None:
    if case.ports < 2 and case.ranks > 1:
        raise ArgumentError("Trivance sends two messages at once, and an endpoint can send one")


def _hierarchical(case: Case) -> RankPlan:
    groups = groups_of(case.network, case.ends)
    if groups is None:
        raise ArgumentError("there are no groups of one size at the switches or along a dimension")
    return gathering.hierarchical(groups, case.pieces)


def _all_broadcast(case: Case) -> RankPlan:
    return gathering.circulant_all_gather(case.ranks, case.pieces)


def _backwards(plan: Plan) -> Plan:
    return lambda case: plan(case).reversed()


def _upwards(plan: Plan) -> Plan:
    return lambda case: plan(case).first_arrivals().reversed()


def _both(plan: Plan) -> Plan:
    def build(case: Case) -> RankPlan:
        forth = plan(case)
        return forth.reversed().then(forth)

    return build


def _trivance_sum(case: Case) -> RankPlan:
    _needs_two(case)
    return exchange.trivance_all_reduce(case.ranks, case.sides)


def _swing_sum(case: Case) -> RankPlan:
    return exchange.swing_all_reduce(case.ranks, case.sides)


_SHORT: dict[str, Plan] = {"swing": _swing_sum, "trivance": _trivance_sum}
"""All-reduce of data in one chunk: sums are exchanged as they are."""


def _short_or(short: Plan, blocks: Plan) -> Plan:
    return lambda case: short(case) if case.goal.chunks == 1 else blocks(case)


_BLOCKS: dict[str, tuple[str, Plan]] = {
    "ring": ("blocks go round a ring, p - 1 steps", _ring),
    "bucket": ("rings along one dimension after the other", _bucket),
    "recursive-doubling": ("partners differ in one bit, log2 p steps", _doubling),
    "bruck": ("ranges that grow by k + 1 with k messages at once", _bruck),
    "swing": ("partners that stay near on rings and tori, log2 p steps", _swing),
    "trivance": ("both neighbours at distance 3^k at once, log3 p steps", _trivance),
    "hierarchical": ("rails between groups, then inside them", _hierarchical),
}
_NAMES = {"recursive-doubling": ("recursive-halving", "rabenseifner")}
"""Reduce-scatter and all-reduce where they have other names than the all-gather."""


def _of_blocks() -> list[Collective]:
    out = []
    for name, (what, plan) in _BLOCKS.items():
        back, total = _NAMES.get(name, (name, name))
        order = ring_order if name == "ring" else None
        both = _short_or(_SHORT[name], _both(plan)) if name in _SHORT else _both(plan)
        out += [
            _classic(name, "all-gather", what, plan, order),
            _classic(back, "reduce-scatter", f"{what}, backwards", _backwards(plan), order),
            _classic(total, "all-reduce", f"{what}, there and back", both, order),
        ]
    return out


# -- other goals -------------------------------------------------------------------------------


def _short(make: Callable[[Case], RankPlan]) -> Plan:
    def build(case: Case) -> RankPlan:
        case.whole()
        return make(case)

    return build


def _tree_down(case: Case) -> RankPlan:
    return rooted.binomial_broadcast(case.ranks, case.goal.chunks, case.ports)


def _double_tree(case: Case) -> RankPlan:
    return rooted.double_tree_broadcast(case.ranks, case.goal.chunks, case.ports)


def _chain(case: Case) -> RankPlan:
    return rooted.chain_broadcast(case.ranks, case.goal.chunks)


def _circulant(case: Case) -> RankPlan:
    return rooted.circulant_broadcast(case.ranks, case.goal.chunks)


def _scatter_gather(case: Case) -> RankPlan:
    """Blocks are scattered, then gathered by everybody (van de Geijn)."""
    if case.goal.chunks != case.ranks:
        raise ArgumentError(
            f"it cuts the data into a chunk per rank: {case.ranks} chunks, not {case.goal.chunks}"
        )
    first = rooted.binomial_scatter(case.ranks, case.ports)
    return first.then(gathering.bruck(case.ranks, 1, case.ports))


def _tree_scatter(case: Case) -> RankPlan:
    return rooted.binomial_scatter(case.ranks, case.ports)


def _direct_scatter(case: Case) -> RankPlan:
    return rooted.direct_scatter(case.ranks, case.ports)


def _targets(case: Case) -> RankPlan:
    where = np.searchsorted(case.ends, np.asarray(case.goal.targets))
    return exchange.direct_permutation(where)


_DOWN: tuple[tuple[str, str, Plan, Order | None], ...] = (
    ("binomial-tree", "k + 1 times as many informed in every step", _tree_down, None),
    ("double-binary-tree", "two trees, half of the chunks each, pipelined", _double_tree, None),
    ("chain", "chunks follow each other along a path", _chain, ring_order),
    ("circulant", "n chunks in n - 1 + log2 p steps for any p", _circulant, None),
    ("scatter-allgather", "a block per rank is scattered, then gathered", _scatter_gather, None),
)


def _others() -> list[Collective]:
    out = []
    for name, what, plan, order in _DOWN:
        out.append(_classic(name, "broadcast", what, plan, order))
        out.append(_classic(name, "reduce", f"{what}, backwards", _upwards(plan), order))
        if name != "scatter-allgather":
            out.append(_classic(name, "all-reduce", f"{what}: up and down", _both(plan), order))
    for name, what, plan, _ in _DOWN[:1]:
        out.append(_classic(name, "one-to-many", f"{what}, among the targets", plan))
    for name, what, plan in (
        ("binomial-tree", "blocks of whole subtrees", _tree_scatter),
        ("direct", "to each its own by itself", _direct_scatter),
    ):
        out.append(_classic(name, "scatter", what, plan))
        out.append(_classic(name, "gather", f"{what}, backwards", _backwards(plan)))
    what = "n pieces of everybody in n - 1 + log2 p steps for any p"
    return [
        *out,
        _classic("circulant", "all-gather", what, _all_broadcast),
        _classic("circulant", "reduce-scatter", f"{what}, backwards", _backwards(_all_broadcast)),
        _classic(
            "recursive-doubling",
            "all-reduce",
            "sums of 1, 2, 4, ... shares are exchanged",
            _short(lambda case: exchange.doubling_all_reduce(case.ranks)),
        ),
        _classic(
            "direct",
            "all-to-all",
            "to the rank d ahead, for every d",
            _short(lambda case: exchange.direct_exchange(case.ranks, case.ports)),
        ),
        _classic(
            "bruck",
            "all-to-all",
            "chunks move by the bits of their distance, log2 p steps",
            _short(lambda case: exchange.bruck_exchange(case.ranks)),
        ),
        _classic("direct", "permutation", "every datum straight to its target", _targets),
    ]


CLASSICS: tuple[Collective, ...] = (*_of_blocks(), *_others())
"""All of them; those of one kind of goal have different names."""
