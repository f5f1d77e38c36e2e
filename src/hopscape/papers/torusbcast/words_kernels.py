"""Disjoint words out of one source, by exhaustive search (numba)."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.kernel import helper, kernel

FOUND, NONE, UNKNOWN = 1, 0, -1


@kernel
def _hold(sign, at, c, steps, links, target, mirror, nodes_too, node, link, served):  # type: ignore[no-untyped-def]
    """Take (or give back) what choice c at a vertex holds; returns where it leads."""
    ports = steps.shape[1]
    v = steps[at, c % ports]
    link[links[at, c % ports]] = sign
    if nodes_too:
        node[v] = sign
        if len(mirror):
            node[mirror[v]] = sign
    if c >= ports:
        served[target[v]] = sign
        if len(mirror):
            served[target[mirror[v]]] = sign
    return v


@kernel
def _allowed(at, c, left, steps, links, away, target, nodes_too, node, link, served):  # type: ignore[no-untyped-def]
    """May a word at vertex `at` take choice c, with `left` steps after it?"""
    ports = steps.shape[1]
    v = steps[at, c % ports]
    if link[links[at, c % ports]] or v == 0 or (nodes_too and node[v]):
        return False
    if c >= ports:  # end here
        return target[v] >= 0 and not served[target[v]]
    if left <= 0 or (nodes_too and target[v] >= 0):
        return False
    reachable = False
    for t in range(away.shape[1]):
        reachable = reachable or (not served[t] and 0 < away[v, t] <= left)
    return reachable


@helper
def _write(choice, ports, stride, words):  # type: ignore[no-untyped-def]
    """The words of a finished search."""
    words[:] = -1
    for q in range(0, ports, stride):
        i = 0
        while True:
            words[q, i] = choice[q, i] % ports
            if choice[q, i] >= ports:
                break
            i += 1


@kernel
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

    Depth-first: exponential in the sum of the lengths; memory O(order · ports).

    Args:
        steps (int32[order, ports]): Where a port leads.
        links (int32[order, ports]): What a step holds: the number of its link (or of its channel).
        away (int8[order, targets]): Distances to the targets.
        target (int8[order]): The number of the target that a vertex is, or -1.
        nodes_too: Words may not meet in vertices either.
        mirror (int32[order] or empty): When given (with `nodes_too`), words come in pairs: that of
            an odd port is the word of the even port before it, pointing the other way; the vertex
            -v of each v.
        limit: Steps of the search before it gives up.
        words (int8[ports, bound + 1]): Out: the ports of each word, -1 after its end.

    Returns:
        int: FOUND, NONE (there are none) or UNKNOWN (gave up).
    """
    order, ports = steps.shape
    node = np.zeros(order, np.bool_)
    link = np.zeros(links.max() + 1, np.bool_)
    served = np.zeros(away.shape[1], np.bool_)
    stride = 2 if len(mirror) else 1
    place = np.zeros((ports, bound + 1), np.int64)
    choice = np.full((ports, bound + 1), -1, np.int64)  # a port to go on by, + ports to end with
    p, k = 0, 0
    for _ in range(limit):
        at, c = place[p, k], choice[p, k]
        if c >= 0:
            _hold(False, at, c, steps, links, target, mirror, nodes_too, node, link, served)
        jump = ports if k == 0 else 1  # a word begins by its own port
        c = p if k == 0 and c < 0 else c + jump
        while c < 2 * ports and not _allowed(
            at, c, bound - k - 1, steps, links, away, target, nodes_too, node, link, served
        ):
            c += jump
        if c >= 2 * ports:  # nothing left here: one step back
            choice[p, k] = -1
            if k > 0:
                k -= 1
                continue
            if p == 0:
                return NONE
            p -= stride
            while choice[p, k] < ports:
                k += 1
            continue
        choice[p, k] = c
        v = _hold(True, at, c, steps, links, target, mirror, nodes_too, node, link, served)
        if c < ports:
            k += 1
            place[p, k] = v
        elif p == ports - stride:
            _write(choice, ports, stride, words)
            return FOUND
        else:
            p, k = p + stride, 0
        choice[p, k] = -1
    return UNKNOWN
