"""Greedy rounds for many packets or many trees at once (numba).

Both kernels keep, for every channel, the items that wait for it in buckets by priority (hops still
to go), and grant a channel to the item with most hops left. An item that crosses in one round is
available at the far end in the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel

if TYPE_CHECKING:
    from hopscape.core.network import Network


class Rules(NamedTuple):
    """What may move in a round.

    Attributes:
        tails, heads, reverse (int[channels]): The ends of each channel, and the channel in the
            other direction, -1 for none.
        ports: Channels of a node in use at once, in each direction; 0: all.
        half: A link carries one direction at a time.
        packed: A channel carries all that waits for it at once.
    """

    tails: IntArray
    heads: IntArray
    reverse: IntArray
    nodes: int
    ports: int
    half: bool
    packed: bool

    @classmethod
    def of(cls, network: Network, ports: int | None, half: bool, packed: bool) -> Rules:
        """The rules for the channels of a network."""
        wires = network.tails, network.heads, network.reverse
        return cls(*wires, network.order, ports or 0, half, packed)


class _Queues(NamedTuple):
    """What waits for the channels.

    Attributes:
        first (int64[channels, levels]): The first item by channel and priority, -1 for none.
        after (int64[items]): The item behind each.
        waiting, top (int64[channels]): How many there are, and a priority above which there is
            none.
    """

    first: IntArray
    after: IntArray
    waiting: IntArray
    top: IntArray


class _Moves(NamedTuple):
    """What has moved: the round, the channel and the item of every hop."""

    rounds: IntArray
    channels: IntArray
    items: IntArray


@kernel
def _queues(channels, levels, items):  # type: ignore[no-untyped-def]
    return _Queues(
        np.full((channels, levels), -1, np.int64),
        np.full(items, -1, np.int64),
        np.zeros(channels, np.int64),
        np.zeros(channels, np.int64),
    )


@kernel
def _moves(total):  # type: ignore[no-untyped-def]
    return _Moves(np.empty(total, np.int64), np.empty(total, np.int64), np.empty(total, np.int64))


@helper
def _push(item, channel, priority, queues):  # type: ignore[no-untyped-def]
    queues.after[item] = queues.first[channel, priority]
    queues.first[channel, priority] = item
    queues.waiting[channel] += 1
    queues.top[channel] = max(queues.top[channel], priority)


@helper
def _top(channel, first, top):  # type: ignore[no-untyped-def]
    """Highest priority that waits for a channel that is wanted."""
    while first[channel, top[channel]] < 0:
        top[channel] -= 1
    return top[channel]


@kernel
def _rank(queues, ranked):  # type: ignore[no-untyped-def]
    """Write the channels with something waiting to `ranked`, most urgent first; how many."""
    first, _, waiting, top = queues
    channels, levels = first.shape
    begin = np.zeros(levels + 1, np.int64)
    for c in range(channels):
        if waiting[c] > 0:
            begin[levels - _top(c, first, top)] += 1
    for i in range(levels):
        begin[i + 1] += begin[i]
    for c in range(channels):
        if waiting[c] > 0:
            place = levels - 1 - top[c]
            ranked[begin[place]] = c
            begin[place] += 1
    return begin[levels]


@kernel
def _scratch(channels, nodes):  # type: ignore[no-untyped-def]
    """Room for :func:`_grants`: sent, got, busy, ranked, granted."""
    return (
        np.zeros(nodes, np.int64),
        np.zeros(nodes, np.int64),
        np.zeros(channels, np.int64),
        np.empty(channels, np.int64),
        np.empty(channels, np.int64),
    )


@helper
def _grants(queues, rules, scratch):  # type: ignore[no-untyped-def]
    """Choose the channels that carry something in this round, most urgent first."""
    sent, got, busy, ranked, granted = scratch
    tails, heads, reverse, _, ports, half, _ = rules
    waiting = queues.waiting
    count = 0
    if ports == 0 and not half:
        for c in range(len(waiting)):
            if waiting[c] > 0:
                granted[count] = c
                count += 1
        return granted[:count]
    sent[:] = 0
    got[:] = 0
    busy[:] = 0
    for i in range(_rank(queues, ranked)):
        c = ranked[i]
        u, v = tails[c], heads[c]
        if half and reverse[c] >= 0 and busy[reverse[c]]:
            continue
        if ports > 0:
            if half and (sent[u] + got[u] >= ports or sent[v] + got[v] >= ports):
                continue
            if not half and (sent[u] >= ports or got[v] >= ports):
                continue
        sent[u] += 1
        got[v] += 1
        busy[c] = 1
        granted[count] = c
        count += 1
    return granted[:count]


@helper
def _move(queues, rules, moves, done, now, scratch):  # type: ignore[no-untyped-def]
    """Take what moves in round `now` off the queues, write it down; how many hops there are now."""
    first, after, waiting, top = queues
    rounds, channels, items = moves
    for c in _grants(queues, rules, scratch):
        while waiting[c] > 0:
            p = _top(c, first, top)
            item = first[c, p]
            first[c, p] = after[item]
            waiting[c] -= 1
            rounds[done], channels[done], items[done] = now, c, item
            done += 1
            if not rules.packed:
                break
    return done


@kernel(steps=lambda path_start, path, rules: 12 * len(path))
def route_packets(path_start: IntArray, path: IntArray, rules: Rules) -> _Moves:
    """Move packets along given paths, farthest to go first.

    Returns:
        round, channel, packet (int64[...]): One entry per hop, by rising round.
    """
    packets = len(path_start) - 1
    channels = len(rules.heads)
    longest = 0
    for k in range(packets):
        longest = max(longest, path_start[k + 1] - path_start[k])
    queues = _queues(channels, longest + 1, packets)
    at = path_start[:-1].copy()
    for k in range(packets - 1, -1, -1):
        if at[k] < path_start[k + 1]:
            _push(k, path[at[k]], path_start[k + 1] - at[k], queues)
    moves, scratch = _moves(len(path)), _scratch(channels, rules.nodes)
    done, now = 0, 0
    while done < len(path):
        begin = done
        done = _move(queues, rules, moves, done, now, scratch)
        for k in moves.items[begin:done]:
            at[k] += 1
            if at[k] < path_start[k + 1]:
                _push(k, path[at[k]], path_start[k + 1] - at[k], queues)
        now += 1
    return moves


@kernel(steps=lambda indptr, heads, distance, *_: 10 * len(distance) * len(heads))
def balanced_trees(
    indptr: IntArray, heads: IntArray, distance: IntArray, parent: IntArray, height: IntArray
) -> None:
    """A shortest-path tree for every source, channels shared evenly.

    Each node hangs from the least used of the channels that reach it on a shortest path.

    Args:
        distance (uint8 or more, shape (nodes, nodes)): distance[s, v] from s to v.
        parent, height (int32, int16, shape (nodes, nodes)): Filled: the channel into v in the tree
            of s (-1 at the root), and the height of the tree below v.
    """
    nodes = len(indptr) - 1
    load = np.zeros(len(heads), np.int64)
    least = np.empty(nodes, np.int64)
    by_depth = np.empty(nodes, np.int64)
    for s in range(nodes):
        far: Any = 0
        for v in range(nodes):
            parent[s, v] = -1
            height[s, v] = 0
            least[v] = np.iinfo(np.int64).max
            far = max(far, np.int64(distance[s, v]))
        for k in range(nodes):  # a different node first for every source, to spread the ties
            u = (s + k) % nodes
            for c in range(indptr[u], indptr[u + 1]):
                v = heads[c]
                if distance[s, v] == int(distance[s, u]) + 1 and load[c] < least[v]:
                    least[v] = load[c]
                    parent[s, v] = c
        count = np.zeros(far + 2, np.int64)
        for v in range(nodes):
            if parent[s, v] >= 0:
                load[parent[s, v]] += 1
            count[np.int64(distance[s, v]) + 1] += 1
        for d in range(far + 1):
            count[d + 1] += count[d]
        for v in range(nodes):
            depth = np.int64(distance[s, v])
            by_depth[count[depth]] = v
            count[depth] += 1
        _fill_heights(s, by_depth, indptr, parent, height)


@kernel
def _fill_heights(s, by_depth, indptr, parent, height):  # type: ignore[no-untyped-def]
    nodes = len(indptr) - 1
    for i in range(nodes - 1, 0, -1):
        v = by_depth[i]
        c = parent[s, v]
        if c < 0:
            continue
        u = np.searchsorted(indptr, c, side="right") - 1
        height[s, u] = max(height[s, u], height[s, v] + 1)


@kernel
def prune_trees(tails: IntArray, is_end: IntArray, distance: IntArray, parent: IntArray) -> None:
    """Cut off, in place, the trees of switches and the branches that lead to no endpoint."""
    nodes = len(parent)
    keep = np.empty(nodes, np.bool_)
    for s in range(nodes):
        if not is_end[s]:
            parent[s] = -1
            continue
        keep[:] = is_end
        for v in np.argsort(distance[s])[::-1]:
            if parent[s, v] >= 0 and keep[v]:
                keep[tails[parent[s, v]]] = True
        for v in range(nodes):
            if not keep[v]:
                parent[s, v] = -1


@kernel(steps=lambda indptr, parent, *_: 20 * parent.size)
def flow_trees(indptr: IntArray, parent: IntArray, height: IntArray, rules: Rules) -> _Moves:
    """Every source's chunk down its own tree, all at once; the tallest subtree first.

    Returns:
        round, channel, chunk: int64[...]
    """
    nodes = rules.nodes
    channels = len(rules.heads)
    tallest: Any = 0
    for s in range(nodes):
        tallest = max(tallest, np.int64(height[s, s]))
    queues = _queues(channels, tallest + 1, nodes * nodes)
    total = 0
    for s in range(nodes):
        for v in range(nodes):
            total += parent[s, v] >= 0
        _offer(s, s, indptr, rules.heads, parent, height, queues)
    moves, scratch = _moves(total), _scratch(channels, nodes)
    done, now = 0, 0
    while done < total:
        begin = done
        done = _move(queues, rules, moves, done, now, scratch)
        for i in range(begin, done):
            s, v = moves.items[i] // nodes, rules.heads[moves.channels[i]]
            moves.items[i] = s
            _offer(s, v, indptr, rules.heads, parent, height, queues)
        now += 1
    return moves


@helper
def _offer(s, v, indptr, heads, parent, height, queues):  # type: ignore[no-untyped-def]
    """Chunk s has come to v: let it wait for the channels to v's children in the tree of s.

    Item ``s * nodes + w`` is chunk s on its way into w.
    """
    for c in range(indptr[v], indptr[v + 1]):
        w = heads[c]
        if parent[s, w] == c:
            _push(s * len(parent) + w, c, height[s, w], queues)
