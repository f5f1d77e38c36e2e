"""Circuits of one round by augmenting paths (numba).

Given informed nodes and nodes that want the message, find circuits to as many of them as possible
that share no node, or no link. Every search runs backwards from one wanting node and stops at the
nearest informed one, so that late rounds with many short circuits are as quick as early ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

IntArray = np.ndarray[Any, np.dtype[Any]]


@njit(cache=True, nogil=True)
def _reroute(end, goal, origin, before, after, informed):  # type: ignore[no-untyped-def]
    """From `end` to `goal`: take away what is rerouted, then lay the new parts."""
    state = end
    while state != goal:
        towards = origin[state]
        v, w = state >> 1, towards >> 1
        if state & 1 == 0 and v != w:  # from 'leave w' to 'arrive at v': w loses its way on
            before[v] = -1
            after[w] = -1
        state = towards
    state = end
    while state != goal:
        towards = origin[state]
        v, w = state >> 1, towards >> 1
        if state & 1 == 1 and v != w:
            before[w] = v
            if not informed[v]:
                after[v] = w
        state = towards


@njit(cache=True, nogil=True)
def node_disjoint(
    indptr: IntArray,
    heads: IntArray,
    informed: IntArray,
    wanting: IntArray,
    targets: IntArray,
    strict: bool,
) -> IntArray:
    """Circuits that meet nowhere except at a common start.

    Parameters
    ----------
    informed, wanting : bool[order]
    targets : int64[...]
        The wanting nodes, in the order in which they are tried.
    strict : bool
        Stop at the first that cannot be served: then not all can.

    Returns
    -------
    before : int64[order]
        The node before each on its circuit, -1 for nodes on none.
    """
    order = len(indptr) - 1
    before = np.full(order, -1, np.int64)
    after = np.full(order, -1, np.int64)
    # two states per node: 2v means that a circuit must arrive at v, 2v + 1 that one may leave v
    seen = np.full(2 * order, -1, np.int64)
    origin = np.full(2 * order, -1, np.int64)
    queue = np.empty(2 * order, np.int64)
    for t in targets:
        first, last = 0, 1
        queue[0] = 2 * t
        seen[2 * t] = t
        end = -1
        while first < last and end < 0:
            state = queue[first]
            first += 1
            v = state >> 1
            if state & 1 == 0:
                for i in range(indptr[v], indptr[v + 1]):
                    w = heads[i]
                    if before[v] == w or seen[2 * w + 1] == t or wanting[w]:
                        continue
                    seen[2 * w + 1] = t
                    origin[2 * w + 1] = state
                    if informed[w]:
                        end = 2 * w + 1
                        break
                    queue[last] = 2 * w + 1
                    last += 1
                if end < 0 and before[v] >= 0 and not wanting[v] and seen[2 * v + 1] != t:
                    seen[2 * v + 1] = t
                    origin[2 * v + 1] = state
                    queue[last] = 2 * v + 1
                    last += 1
            else:
                x = after[v] if before[v] >= 0 else v
                if x >= 0 and seen[2 * x] != t:
                    seen[2 * x] = t
                    origin[2 * x] = state
                    queue[last] = 2 * x
                    last += 1
        if end < 0:
            if strict:
                break
            continue
        _reroute(end, 2 * t, origin, before, after, informed)
    return before


@njit(cache=True, nogil=True)
def link_disjoint(
    indptr: IntArray,
    heads: IntArray,
    reverse: IntArray,
    informed: IntArray,
    targets: IntArray,
    strict: bool,
) -> tuple[IntArray, IntArray]:
    """Circuits that use no link twice, in either direction.

    Returns
    -------
    served : bool[targets]
    flows : bool[channels]
        The channels in use.
    """
    order = len(indptr) - 1
    flows = np.zeros(len(heads), np.bool_)
    served = np.zeros(len(targets), np.bool_)
    seen = np.full(order, -1, np.int64)
    by = np.full(order, -1, np.int64)
    queue = np.empty(order, np.int64)
    for k in range(len(targets)):
        t = targets[k]
        first, last = 0, 1
        queue[0] = t
        seen[t] = k
        end = -1
        while first < last and end < 0:
            v = queue[first]
            first += 1
            for i in range(indptr[v], indptr[v + 1]):
                w = heads[i]
                c = reverse[i]  # the channel w -> v
                if c < 0 or flows[c] or seen[w] == k:
                    continue
                seen[w] = k
                by[w] = c
                if informed[w]:
                    end = w
                    break
                queue[last] = w
                last += 1
        if end < 0:
            if strict:
                break
            continue
        served[k] = True
        w = end
        while w != t:
            c = by[w]
            if flows[reverse[c]]:
                flows[reverse[c]] = False
            else:
                flows[c] = True
            w = heads[c]
    return served, flows
