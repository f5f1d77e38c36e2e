"""Disjoint words out of one source, by exhaustive search (numba)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

IntArray = np.ndarray[Any, np.dtype[Any]]

FOUND, NONE, UNKNOWN = 1, 0, -1


@njit(cache=True, nogil=True)
def disjoint_words(
    steps: IntArray,
    links: IntArray,
    away: IntArray,
    target: IntArray,
    bound: int,
    nodes_too: bool,
    mirror: IntArray,
    limit: int,
    words: IntArray,
) -> int:
    """One word per port from vertex 0, each to another target, none longer than `bound`.

    Parameters
    ----------
    steps : int32[order, ports]
        Where a port leads.
    links : int32[order, ports]
        What a step holds: the number of its link (or of its channel).
    away : int8[order, targets]
        Distances to the targets.
    target : int8[order]
        The number of the target that a vertex is, or -1.
    bound : int
    nodes_too : bool
        Words may not meet in vertices either.
    mirror : int32[order] or empty
        When given (with `nodes_too`), words come in pairs: that of an odd port is the word of the
        even port before it, pointing the other way; the vertex -v of each v.
    limit : int
        Steps of the search before it gives up.
    words : int8[ports, bound + 1]
        Out: the ports of each word, -1 after its end.

    Returns
    -------
    int
        FOUND, NONE (there are none) or UNKNOWN (gave up).
    """
    order, ports = steps.shape
    count = away.shape[1]
    used_node = np.zeros(order, np.bool_)
    used_link = np.zeros(links.max() + 1, np.bool_)
    served = np.zeros(count, np.bool_)
    used_node[0] = True
    stride = 2 if len(mirror) else 1
    place = np.zeros((ports, bound + 1), np.int64)
    choice = np.full((ports, bound + 1), -1, np.int64)
    ended = np.full(ports, -1, np.int64)
    p, k, work = 0, 0, 0
    while True:
        work += 1
        if work > limit:
            return UNKNOWN
        # undo what the present choice holds, then take the next one
        at = place[p, k]
        c = choice[p, k]
        if c >= 0:
            port = c % ports
            v = steps[at, port]
            used_link[links[at, port]] = False
            if c >= ports:
                served[ended[p]] = False
                if len(mirror):
                    served[target[mirror[v]]] = False
            if nodes_too:
                used_node[v] = False
                if len(mirror):
                    used_node[mirror[v]] = False
        moved = False
        c += 1
        if k == 0 and c < ports:
            c = max(c, p)
        while c < 2 * ports:
            port = c % ports
            if k == 0 and port != p:
                c = p + ports if c < p + ports and c > p else 2 * ports
                if c >= 2 * ports:
                    break
                port = p
            v = steps[at, port]
            ok = not used_link[links[at, port]] and v != 0 and not (nodes_too and used_node[v])
            if ok and c < ports:  # go on
                left = bound - k - 1
                ok = left > 0 and not (nodes_too and target[v] >= 0)
                if ok:
                    near = False
                    for t in range(count):
                        if not served[t] and 0 < away[v, t] <= left:
                            near = True
                            break
                    ok = near
            elif ok:  # end here
                ok = target[v] >= 0 and not served[target[v]]
            if ok:
                moved = True
                break
            c += 1
        if not moved:
            choice[p, k] = -1
            if k > 0:
                k -= 1
            elif p > 0:
                p -= stride
                k = 0
                while choice[p, k] < ports:
                    k += 1
            else:
                return NONE
            continue
        choice[p, k] = c
        used_link[links[at, port]] = True
        if nodes_too:
            used_node[v] = True
            if len(mirror):
                used_node[mirror[v]] = True
        if c >= ports:
            ended[p] = target[v]
            served[ended[p]] = True
            if len(mirror):
                served[target[mirror[v]]] = True
            if p == ports - stride:
                for q in range(0, ports, stride):
                    for i in range(bound + 1):
                        words[q, i] = -1
                    i = 0
                    while True:
                        words[q, i] = choice[q, i] % ports
                        if choice[q, i] >= ports:
                            break
                        i += 1
                return FOUND
            p += stride
            k = 0
            place[p, 0] = 0
            choice[p, 0] = -1
        else:
            k += 1
            place[p, k] = v
            choice[p, k] = -1
