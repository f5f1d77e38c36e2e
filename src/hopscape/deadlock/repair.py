"""Routes of a fabric carried over to what is left of it: only what broke is laid anew.

An entry of a table stands where the whole way from it still works; the others are laid outward from
those that stand, so that a subnet manager rewrites no more than it must. On one lane a new turn is
taken only where it closes no cycle among the turns that stay, by an order of the channels that is
kept while turns are added: D. J. Pearce and P. H. J. Kelly, "A dynamic topological sort algorithm
for directed acyclic graphs", ACM Journal of Experimental Algorithmics 11, 2007.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import pairwise

import numpy as np

from hopscape.core.arrays import NO_OFFSET, IntArray
from hopscape.core.network import Network
from hopscape.deadlock.one_lane import cyclic_channels, one_lane_routes
from hopscape.metrics.route_check import check_ways
from hopscape.metrics.routes import Routes

__all__ = ["ChannelOrder", "carry_over", "repaired_one_lane", "repaired_shortest"]


def carry_over(
    before: Routes, left: Network, nodes: IntArray, channels: IntArray
) -> tuple[IntArray, IntArray]:
    """The ways that still work, by channel of what is left, and their hops; -1 elsewhere.

    Args:
        nodes, channels: Numbers of those of `left` in the network of `before`.

    Returns:
        (int64[to, at], int64[to, at]): The channel taken (-1 on arrival too), and hops.
    """
    whole, order = before.network, left.order
    place = np.full(len(whole.heads) + 1, -1, dtype=np.int64)
    place[channels] = np.arange(len(channels))
    offsets = before.table[np.ix_(nodes, nodes)].astype(np.int64)
    taken = np.where(offsets == NO_OFFSET, len(whole.heads), whole.indptr[nodes] + offsets)
    out: IntArray = place[taken]
    hops = np.full((order, order), -1, dtype=np.int64)
    heads = np.append(left.heads, order)
    for to in range(order):
        there = np.append(heads[out[to]], order)
        there[to] = to
        steps = (np.arange(order + 1) != to).astype(np.int64)
        for _ in range(max(1, order).bit_length()):
            steps += steps[there]
            there = there[there]
        stands = there[:order] == to
        hops[to, stands] = steps[:order][stands]
        out[to, ~stands] = -1
    return out, hops


class ChannelOrder:
    """An order of the channels with which all turns agree; a turn that would close a cycle is none.

    Adding a turn looks only at channels between its two ends in the order.
    """

    def __init__(self, channels: int) -> None:
        self._place = list(range(channels))
        self._after: list[set[int]] = [set() for _ in range(channels)]
        self._before: list[set[int]] = [set() for _ in range(channels)]

    def add(self, first: int, then: int) -> bool:
        """Add a turn; False, and nothing is changed, where it would close a cycle."""
        if then in self._after[first]:
            return True
        low, high = self._place[then], self._place[first]
        if low <= high:
            later = self._reach(then, self._after, lambda p: p <= high)
            if first in later:
                return False
            self._reorder(self._reach(first, self._before, lambda p: p >= low), later)
        self._after[first].add(then)
        self._before[then].add(first)
        return True

    def _reach(self, start: int, along: list[set[int]], inside: Callable[[int], bool]) -> set[int]:
        found, waiting = {start}, [start]
        while waiting:
            for channel in along[waiting.pop()] - found:
                if inside(self._place[channel]):
                    found.add(channel)
                    waiting.append(channel)
        return found

    def _reorder(self, sooner: set[int], later: set[int]) -> None:
        """Put some channels before others, in the places that both have."""
        place = self._place
        both = [*sorted(sooner, key=place.__getitem__), *sorted(later, key=place.__getitem__)]
        for channel, at in zip(both, sorted(place[c] for c in both), strict=True):
            place[channel] = at


class _Laying:
    """Lays what broke to one destination after the other."""

    def __init__(self, left: Network, out: IntArray, hops: IntArray) -> None:
        self.left, self.out, self.hops = left, out, hops
        self.load = np.bincount(out[out >= 0], minlength=len(left.heads)).tolist()
        self.heads, self.tails = left.heads.tolist(), left.tails.tolist()
        into = np.argsort(left.heads, kind="stable")
        ends = np.searchsorted(left.heads[into], np.arange(left.order + 1)).tolist()
        self.entering = [into[a:b].tolist() for a, b in pairwise(ends)]

    def lay(self, to: int, order: ChannelOrder | None) -> bool:
        """The ways to a destination from where they broke; False where no turn is allowed."""
        out, hops = self.out[to], self.hops[to]
        missing = int((hops < 0).sum())
        waiting: list[tuple[int, int, int]] = []
        for node in np.flatnonzero(hops >= 0).tolist() if missing else ():
            self._offer(node, hops, waiting)
        while waiting:
            _, _, channel = heapq.heappop(waiting)
            node, then = self.tails[channel], int(out[self.heads[channel]])
            if hops[node] >= 0 or (order and then >= 0 and not order.add(channel, then)):
                continue
            out[node], hops[node] = channel, hops[self.heads[channel]] + 1
            self.load[channel] += 1
            missing -= 1
            self._offer(node, hops, waiting)
        return missing == 0

    def _offer(self, node: int, hops: IntArray, waiting: list[tuple[int, int, int]]) -> None:
        for channel in self.entering[node]:
            if hops[self.tails[channel]] < 0:
                item = (int(hops[node]) + 1, self.load[channel], channel)
                heapq.heappush(waiting, item)

    def routes(self, name: str, *, exact: bool) -> Routes:
        left = self.left
        offsets = np.where(self.out >= 0, self.out - left.indptr[:-1], NO_OFFSET).astype(np.uint8)
        nodes = np.arange(left.order, dtype=np.int64)
        check_ways(left, name, nodes, offsets, exact=exact)
        return Routes(left, name, offsets, offsets.nbytes, nodes, exact=exact)


def repaired_shortest(before: Routes, left: Network, nodes: IntArray, channels: IntArray) -> Routes:
    """Shortest routes of what is left, those that still work as before.

    A shortest way that works stays a shortest one, as nothing gets shorter when parts die.
    O(order² log order), and O(channels log channels) for each destination with a broken way.

    Args:
        nodes, channels: As in :func:`carry_over`; `left` is connected.
    """
    laying = _Laying(left, *carry_over(before, left, nodes, channels))
    for to in range(left.order):
        laying.lay(to, None)
    return laying.routes(f"{before.name}, repaired", exact=before.exact)


def repaired_one_lane(
    before: Routes, left: Network, nodes: IntArray, channels: IntArray, shortest: Routes
) -> tuple[Routes, bool]:
    """Routes of what is left that cannot deadlock on one lane, those that still work as before.

    Args:
        before: Such routes of the whole.
        shortest: Of what is left.

    Returns:
        The routes, and whether ways that worked are as before: where new turns would close a cycle
        whatever way is taken, all are laid anew.
    """
    laying = _Laying(left, *carry_over(before, left, nodes, channels))
    order = ChannelOrder(len(left.heads))
    ends = np.zeros(left.order, dtype=bool)
    ends[left.endpoints] = True
    turns = (pair for to in left.endpoints.tolist() for pair in _turns(left, laying.out[to]))
    stands = all(order.add(first, then) for first, then in dict.fromkeys(turns))
    if stands and all(laying.lay(to, order if ends[to] else None) for to in range(left.order)):
        routes = laying.routes(f"{before.name}, repaired", exact=False)
        if cyclic_channels(routes) == 0:
            return routes, True
    return one_lane_routes(left, shortest), False


def _turns(left: Network, out: IntArray) -> list[tuple[int, int]]:
    """Each channel of the ways to one destination with the one after it."""
    taken = out[out >= 0]
    then = out[left.heads[taken]]
    pairs = zip(taken[then >= 0].tolist(), then[then >= 0].tolist(), strict=True)
    return list(pairs)
