"""Collectives as messages that wait for each other, without rounds.

The algorithms are the plans of ranks of :mod:`hopscape.collectives.classics` (ring, doubling,
direct, ...); schedules that its searches make for one network do not compete here. A message waits
for what its source has received of its chunks before, and for nothing else. A `GroupPlan` speaks
of members; placed on a group, its messages have paths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from hopscape.collectives.classics import exchange, gathering, rooted
from hopscape.collectives.classics.plans import RankPlan, message_paths
from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.router import Router

__all__ = ["AROUND", "GroupPlan", "Placed", "in_pieces", "place", "plan_named", "plan_names"]

AROUND = "/around"
"""Ends the name of a plan whose messages take the paths of :mod:`hopscape.workloads.detours`."""
_MOST_MESSAGES = 2_000_000
_MOST_DIRECT = 64
"""Members up to which everybody may send to everybody at once, where others do with less."""


@dataclass(frozen=True, eq=False)
class GroupPlan:
    """Messages between the members of a group.

    Attributes:
        name: The algorithm.
        members: How many there are.
        source, target (int64[messages]): Members.
        share (float64[messages]): Bytes, as a part of the size of the collective.
        adds (int64[messages]): Is it added to what the target has?
        needs (int64[messages]): Messages that it waits for.
        next_start, next: Messages that wait for message i.
        touch_start, touch: Messages that a member sends or receives.
    """

    name: str
    members: int
    source: IntArray
    target: IntArray
    share: Floats
    adds: IntArray
    needs: IntArray
    next_start: IntArray
    next: IntArray
    touch_start: IntArray
    touch: IntArray

    @classmethod
    def of_messages(
        cls,
        name: str,
        members: int,
        messages: Sequence[tuple[int, int, float]],
        after: Sequence[Sequence[int]],
        adds: Sequence[bool] = (),
    ) -> GroupPlan:
        """An algorithm of your own, message by message.

        Args:
            messages: Source, target and share of the bytes of each; those that may leave at the
                same time leave in this order.
            after: Messages that each one waits for: they have arrived at its source.
            adds: Is it added to what the target has?

        Examples:
            >>> plan = GroupPlan.of_messages("there and back", 2, [(0, 1, 1), (1, 0, 1)], [[], [0]])
            >>> plan.needs.tolist(), plan.touch.tolist()
            ([0, 1], [0, 1, 1, 0])
        """
        count = len(messages)
        if not count:
            raise ArgumentError(f"{name} has no messages")
        if len(after) != count or len(adds) not in (0, count):
            raise ArgumentError(
                f"{name} has {count} messages, {len(after)} rows of those that they wait for and"
                f" {len(adds)} words on what is added"
            )
        for i, ((a, b, share), waits) in enumerate(zip(messages, after, strict=True)):
            if not (0 <= a < members and 0 <= b < members and a != b and 0 <= share < np.inf):
                raise ArgumentError(
                    f"message {i} of {name} goes from {a} to {b} with a share of {share:g}; there"
                    f" are members 0..{members - 1}"
                )
            for one in waits:
                if not 0 <= one < count or messages[one][1] != a:
                    raise ArgumentError(
                        f"message {i} of {name} leaves member {a} and waits for message {one},"
                        " which does not arrive there"
                    )
        source, target, shares = (np.asarray(row) for row in zip(*messages, strict=True))
        before = np.asarray([one for waits in after for one in waits], np.int64)
        waiting = np.repeat(np.arange(count), [len(waits) for waits in after])
        order = np.argsort(before, kind="stable")
        touch = np.concatenate([source, target])
        turn = np.argsort(touch, kind="stable")
        return cls(
            name,
            members,
            source.astype(np.int64),
            target.astype(np.int64),
            shares.astype(np.float64),
            np.asarray(adds or np.zeros(count), np.int64),
            np.bincount(waiting, minlength=count).astype(np.int64),
            np.searchsorted(before[order], np.arange(count + 1)).astype(np.int64),
            waiting[order].astype(np.int64),
            np.searchsorted(touch[turn], np.arange(members + 1)).astype(np.int64),
            (turn % count).astype(np.int64),
        )

    @classmethod
    def of(
        cls,
        name: str,
        members: int,
        columns: tuple[IntArray, IntArray, IntArray, IntArray],
        share: float,
        adds: IntArray,
        keys: IntArray | None = None,
    ) -> tuple[GroupPlan, IntArray]:
        """From transfers of chunks: step, source, target, chunk.

        Args:
            share: Of one chunk.
            adds (bool[transfers]): Is it added?
            keys: Transfers of a step between the same two with different keys are different
                messages.

        Returns:
            The plan, and one transfer of each of its messages.
        """
        step, source, target, chunk = columns
        extra = np.zeros(len(step), np.int64) if keys is None else keys
        if not len(step):
            which = one = np.zeros(0, np.int64)
        else:
            splits = int(extra.max()) + 1
            same = ((step * members + source) * members + target) * splits + extra
            _, one, which = np.unique(same, return_index=True, return_inverse=True)
            turn = np.argsort(one)  # messages in the order in which they are said
            one, place = one[turn], np.argsort(turn)
            which = place[which]
        count = len(one)
        before, after = _waits(step, source, target, chunk, which)
        pairs = np.unique(before * max(count, 1) + after)
        before, after = pairs // max(count, 1), pairs % max(count, 1)
        touch = np.concatenate([source[one], target[one]])
        order = np.argsort(touch, kind="stable")
        return (
            cls(
                name,
                members,
                source[one],
                target[one],
                (np.bincount(which, minlength=count) * share).astype(np.float64),
                adds[one].astype(np.int64),
                np.bincount(after, minlength=count).astype(np.int64),
                np.searchsorted(before, np.arange(count + 1)).astype(np.int64),
                after.astype(np.int64),
                np.searchsorted(touch[order], np.arange(members + 1)).astype(np.int64),
                (order % max(count, 1)).astype(np.int64),
            ),
            one,
        )


def _waits(
    step: IntArray, source: IntArray, target: IntArray, chunk: IntArray, which: IntArray
) -> tuple[IntArray, IntArray]:
    """Pairs of messages: one that brings a chunk, one that takes it further."""
    steps = int(step.max(initial=0)) + 1
    chunks = int(chunk.max(initial=0)) + 1
    brought = (target * chunks + chunk) * steps + step
    order = np.argsort(brought, kind="stable")
    taken = (source * chunks + chunk) * steps
    low = np.searchsorted(brought[order], taken)
    high = np.searchsorted(brought[order], taken + step)
    count = high - low
    if int(count.sum()) > 50 * _MOST_MESSAGES:
        raise ArgumentError(f"{int(count.sum()):,} dependencies between messages are too many")
    ends = np.cumsum(count)
    within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - count, count)
    before = order[np.repeat(low, count) + within]
    return which[before], np.repeat(which, count)


def _ring(n: int) -> RankPlan:
    return gathering.ring(n)


def _one_way(n: int) -> RankPlan:
    """Sums go round a ring, then results go on in the same direction."""
    r = np.arange(n)
    return RankPlan.of(*((s, r, (r + 1) % n, (r - s) % n) for s in range(2 * (n - 1))))


def _both_ways(n: int) -> RankPlan:
    return gathering.ring(n, 2, 2)


def _direct(n: int) -> RankPlan:
    if n > _MOST_DIRECT:
        raise ArgumentError(f"direct is for up to {_MOST_DIRECT} members, not {n}")
    r = np.arange(n)
    return RankPlan.of(*((0, r, (r + d) % n, r) for d in range(1, n)))


def _binomial(n: int) -> RankPlan:
    return rooted.binomial_broadcast(n)


def _scattered(n: int) -> RankPlan:
    return rooted.binomial_scatter(n).then(gathering.ring(n))


_Gather = tuple[Callable[[int], RankPlan], int]
_GATHERS: dict[str, _Gather] = {
    "ring": (_ring, 1),
    "ring-both-ways": (_both_ways, 2),
    "recursive-doubling": (gathering.recursive_doubling, 1),
    "bruck": (gathering.bruck, 1),
    "swing": (gathering.swing, 1),
    "direct": (_direct, 1),
}
"""All-gathers, and the pieces of a block; backwards reduce-scatters, both ways all-reduces."""
_EXCHANGES: dict[str, Callable[[int], RankPlan]] = {
    "direct": exchange.direct_exchange,
    "bruck": exchange.bruck_exchange,
}
_BROADCASTS: dict[str, tuple[Callable[[int], RankPlan], bool]] = {
    "binomial-tree": (_binomial, False),
    "scatter-allgather": (_scattered, True),
}


def plan_names(goal: str) -> Iterator[str]:
    """Names of the plans for a goal.

    Examples:
        >>> list(plan_names("all-to-all"))
        ['direct', 'bruck']
    """
    if goal == "message":
        yield "message"
    elif goal == "all-to-all":
        yield from _EXCHANGES
    elif goal == "broadcast":
        yield from _BROADCASTS
    else:
        yield from _GATHERS
        if goal == "all-reduce":
            yield from ("doubling", "ring-one-way")


def in_pieces(text: str) -> tuple[str, int | None]:
    """The name of a plan, and the pieces that the data are cut into; 0 for what is no number.

    Examples:
        >>> in_pieces("ring/4"), in_pieces("ring"), in_pieces("ring/2/around")
        (('ring', 4), ('ring', None), ('ring', 2))
    """
    name, slash, count = text.removesuffix(AROUND).partition("/")
    return name, (int(count) if count.isdecimal() else 0) if slash else None


@lru_cache(maxsize=256)
def plan_named(goal: str, members: int, name: str, splits: int = 1) -> GroupPlan:
    """A plan by its name.

    Args:
        splits: The data are cut into so many parts, each sent by the same plan.

    Raises:
        ArgumentError: When it is not for so many members.

    Examples:
        >>> plan = plan_named("all-reduce", 4, "ring")
        >>> len(plan.source), float(plan.share[0]), int(plan.adds.sum())
        (24, 0.25, 12)
    """
    ranks, share, adds = _ranks(goal, members, name)
    if len(ranks.step) * splits > _MOST_MESSAGES:
        raise ArgumentError(f"{name} among {members} sends {len(ranks.step) * splits:,} messages")
    columns = [np.tile(x, splits) for x in (ranks.step, ranks.source, ranks.target, ranks.chunk)]
    keys = np.repeat(np.arange(splits), len(ranks.step))
    columns[3] = columns[3] * splits + keys
    made = GroupPlan.of(name, members, tuple(columns), share / splits, np.tile(adds, splits), keys)  # type: ignore[arg-type]
    return made[0]


def _ranks(goal: str, n: int, name: str) -> tuple[RankPlan, float, IntArray]:
    """Transfers, the share of a chunk, and which are added."""
    nothing = RankPlan.of()
    if n == 1 and goal != "message":
        return nothing, 1.0, np.zeros(0, bool)
    if goal == "message":
        plan = RankPlan.of((0, 0, 1, 0)) if n > 1 else nothing
        return plan, 1.0, np.zeros(len(plan.step), bool)
    if goal == "all-to-all":
        plan = _EXCHANGES[name](n)
        at_once = name == "direct"
        step = np.zeros_like(plan.step) if at_once else plan.step
        plan = RankPlan(step, plan.source, plan.target, plan.chunk)
        return plan, 1 / n, np.zeros(len(plan.step), bool)
    if goal == "broadcast":
        make, cut = _BROADCASTS[name]
        plan = make(n)
        return plan, 1 / n if cut else 1.0, np.zeros(len(plan.step), bool)
    if name == "ring-one-way":
        plan = _one_way(n)
        return plan, 1 / n, plan.step < n - 1
    if name == "doubling":
        plan = exchange.doubling_all_reduce(n)
        return plan, 1.0, np.ones(len(plan.step), bool)
    gather, pieces = _GATHERS[name]
    forth = gather(n)
    back = forth.reversed()
    share = 1 / (n * pieces)
    if goal == "all-gather":
        return forth, share, np.zeros(len(forth.step), bool)
    if goal == "reduce-scatter":
        return back, share, np.ones(len(back.step), bool)
    whole = back.then(forth)
    return whole, share, whole.step < back.steps


@dataclass(frozen=True, eq=False)
class Placed:
    """A plan on a group: the channels of each message."""

    plan: GroupPlan
    path_start: IntArray
    path: IntArray


def place(
    plan: GroupPlan,
    groups: Sequence[Sequence[int]],
    network: Network,
    router: Router | None = None,
    *,
    spreads: bool = True,
) -> list[Placed]:
    """A plan on groups of nodes, members in the order of each group; routed all at once."""
    if not len(plan.source) or not groups:
        empty = np.zeros(1, np.int64)
        return [Placed(plan, empty, empty[:0]) for _ in groups]
    nodes = np.asarray(groups, dtype=np.int64)
    source, target = nodes[:, plan.source].ravel(), nodes[:, plan.target].ravel()
    starts, channels = message_paths(network, source, target, router, spreads=spreads)
    count, out = len(plan.source), []
    for i in range(len(nodes)):
        mine = starts[i * count : (i + 1) * count + 1]
        out.append(Placed(plan, mine - mine[0], channels[mine[0] : mine[-1]].astype(np.int64)))
    return out
