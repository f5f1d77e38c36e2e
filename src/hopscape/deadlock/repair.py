"""Routes of a fabric carried over to what is left of it: only what broke is laid anew.

An entry of a table stands where the whole way from it still works; the others are laid outward from
those that stand, so that a subnet manager rewrites no more than it must. On one lane a new turn is
taken only where it closes no cycle among the turns that stay, by an order of the channels that is
kept while turns are added: D. J. Pearce and P. H. J. Kelly, "A dynamic topological sort algorithm
for directed acyclic graphs", ACM Journal of Experimental Algorithmics 11, 2007.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
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

    def add_all(self, turns: Sequence[tuple[int, int]]) -> bool:
        """Add all of some turns, or none."""
        new: list[tuple[int, int]] = []
        for first, then in turns:
            known = then in self._after[first]
            if not self.add(first, then):
                for pair in new:
                    self.drop(*pair)
                return False
            if not known:
                new.append((first, then))
        return True

    def drop(self, first: int, then: int) -> None:
        """Take a turn away."""
        self._after[first].discard(then)
        self._before[then].discard(first)

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
        self.lanes = dict.fromkeys(left.endpoints.tolist())
        self.heads, self.tails = left.heads.tolist(), left.tails.tolist()
        into = np.argsort(left.heads, kind="stable")
        ends = np.searchsorted(left.heads[into], np.arange(left.order + 1)).tolist()
        self.entering = [into[a:b].tolist() for a, b in pairwise(ends)]

    def copy(self) -> _Laying:
        return _Laying(self.left, self.out.copy(), self.hops.copy())

    def turns(self, to: int) -> list[tuple[int, int]]:
        """Each channel of the ways to a destination with the one after it."""
        out = self.out[to]
        taken = out[out >= 0]
        then = out[self.left.heads[taken]]
        return list(zip(taken[then >= 0].tolist(), then[then >= 0].tolist(), strict=True))

    def hold_tree(self, order: ChannelOrder, root: int) -> set[int]:
        """Add the turns of all ways inside a tree; its channels, fewer where it cannot span all."""
        reverse = self.left.reverse.tolist()
        inside = {root}
        beside: dict[int, list[int]] = {root: []}
        waiting = list(self.entering[root])
        grown = True
        while grown:
            grown = False
            for channel in waiting:
                node, into = self.tails[channel], self.heads[channel]
                if node in inside:
                    continue
                turns = [(channel, back) for back in beside[into]]
                turns += [(reverse[back], reverse[channel]) for back in beside[into]]
                if order.add_all(turns):
                    inside.add(node)
                    beside[into].append(reverse[channel])
                    beside[node] = [channel]
                    waiting = waiting + self.entering[node]
                    grown = True
            waiting = [c for c in waiting if self.tails[c] not in inside]
        return {channel for own in beside.values() for channel in own}

    def lay(
        self, to: int, order: ChannelOrder | None, only: AbstractSet[int] | None = None
    ) -> bool:
        """The ways to a destination from where they broke; False where no turn is allowed.

        Args:
            only: Channels that may be taken.
        """
        out, hops = self.out[to], self.hops[to]
        missing = int((hops < 0).sum())
        waiting: list[tuple[int, int, int]] = []
        for node in np.flatnonzero(hops >= 0).tolist() if missing else ():
            self._offer(node, hops, waiting)
        while waiting:
            _, _, channel = heapq.heappop(waiting)
            node, then = self.tails[channel], int(out[self.heads[channel]])
            if hops[node] >= 0 or (only is not None and channel not in only):
                continue
            if order and then >= 0 and not order.add(channel, then):
                continue
            out[node], hops[node] = channel, hops[self.heads[channel]] + 1
            self.load[channel] += 1
            missing -= 1
            self._offer(node, hops, waiting)
        return missing == 0

    def forget(self, to: int) -> None:
        """Give up all ways to a destination."""
        for channel in self.out[to][self.out[to] >= 0].tolist():
            self.load[channel] -= 1
        self.out[to], self.hops[to] = -1, -1
        self.hops[to, to] = 0

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
) -> tuple[Routes, int]:
    """Routes of what is left that cannot deadlock on one lane, those that still work as before.

    Where the turns of all ways that stand leave no way for what broke, in whatever order it is
    laid, a spanning tree is held open, inside which there is always some way: ways to those
    destinations that do not agree with it are laid anew as a whole.

    Args:
        before: Such routes of the whole.
        shortest: Of what is left.

    Returns:
        The routes, and the number of endpoints to which ways that worked were given up too.
    """
    start = _Laying(left, *carry_over(before, left, nodes, channels))
    broken = [to for to in range(left.order) if (start.hops[to] < 0).any()]
    for attempt in (_patched, _held_open):
        tried = []
        for seed in range(_SEEDS):
            laying = start.copy()
            anew = attempt(laying, broken, seed)
            if anew is not None:
                tried.append((anew, seed, laying))
            if anew == 0:
                break
        if tried:
            anew, _, laying = min(tried, key=lambda one: one[:2])
            routes = laying.routes(f"{before.name}, repaired", exact=False)
            if cyclic_channels(routes) == 0 and anew < len(left.endpoints):
                return routes, anew
    return one_lane_routes(left, shortest), left.endpoint_count


_SEEDS = 8
"""Orders of destinations, and roots of trees, that are tried; the least change counts."""


def _patched(laying: _Laying, broken: list[int], seed: int) -> int | None:
    """Add what broke to what stands, destination by destination."""
    order = ChannelOrder(len(laying.heads))
    if not all(order.add_all(laying.turns(to)) for to in laying.lanes):
        return None
    turn = broken if not seed else np.random.default_rng(seed).permutation(broken).tolist()
    return 0 if all(laying.lay(to, order if to in laying.lanes else None) for to in turn) else None


def _held_open(laying: _Laying, broken: list[int], seed: int) -> int | None:
    """Hold a tree open; how many destinations are laid anew, as they did not agree with it.

    Odd seeds begin with the tree, which then spans all; even ones with the ways that stand.
    """
    random = np.random.default_rng(seed)
    root = int(random.integers(laying.left.order))
    order, tree = ChannelOrder(len(laying.heads)), set[int]()
    whole = sorted(set(laying.lanes) - set(broken))
    if seed % 2:
        tree = laying.hold_tree(order, root)
    again = [to for to in whole if not order.add_all(laying.turns(to))]
    if not seed % 2:
        tree = laying.hold_tree(order, root)
    if len(tree) < 2 * (laying.left.order - 1):
        return None
    for to in again:
        laying.forget(to)
    anew = len(again)
    for to in [*random.permutation(broken).tolist(), *again]:
        if to not in laying.lanes:
            laying.lay(to, None)
        elif not order.add_all(laying.turns(to)) or not laying.lay(to, order):
            anew += to not in again
            laying.forget(to)
            if not laying.lay(to, order):
                laying.forget(to)
                laying.lay(to, order, tree)
    return anew
