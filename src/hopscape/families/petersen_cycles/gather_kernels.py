"""All-gather with unit messages on a network with many symmetries (numba)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

IntArray = np.ndarray[Any, np.dtype[Any]]


@njit(cache=True, nogil=True)
def _match(lane, taken, order, have, source, moved, got, match):  # type: ignore[no-untyped-def]
    """Give `lane` a chunk, shifting others along an augmenting path; False when there is none."""
    lanes = len(source)
    seen = np.zeros(len(order), np.bool_)
    reached_by = np.full(len(order), -1, np.int64)
    queue = np.empty(lanes, np.int64)
    queued = np.zeros(lanes, np.bool_)
    queue[0], queued[lane] = lane, True
    head, tail, end = 0, 1, -1
    while head < tail and end < 0:
        x = queue[head]
        head += 1
        for c in order:
            if seen[c] or taken[c] or not have[source[x], moved[x, c]]:
                continue
            seen[c] = True
            reached_by[c] = x
            if match[c] < 0:
                end = c
                break
            y = match[c]
            if not queued[y]:
                queued[y] = True
                queue[tail] = y
                tail += 1
    if end < 0:
        return False
    while True:
        x = reached_by[end]
        before = got[x]
        got[x] = end
        match[end] = x
        if x == lane:
            return True
        end = before


@njit(cache=True, nogil=True)
def symmetric_gather(
    source: IntArray, moved: IntArray, own: IntArray, steps: int, seed: int
) -> tuple[int, IntArray]:
    """In every step every node takes a new chunk from every neighbour, if it can.

    One node stands for each orbit. Chunks that few of the neighbours have come first, at random
    among equals.

    Parameters
    ----------
    source : int64[orbits, lanes]
        The orbit of the neighbour at the other end of each lane into a representative.
    moved : int64[orbits, lanes, chunks]
        What a chunk is called at that orbit's representative, when the symmetry that takes the
        neighbour there has been applied.
    own : int64[orbits]
        The chunk that each representative starts with.
    steps : int
    seed : int

    Returns
    -------
    missing : int
        Chunks that the representatives lack after the last step.
    taken : int64[steps, orbits, lanes]
        The chunk received, or -1.
    """
    np.random.seed(seed)  # noqa: NPY002 (numba's own generator)
    orbits, lanes, chunks = moved.shape
    have = np.zeros((orbits, chunks), np.bool_)
    for r in range(orbits):
        have[r, own[r]] = True
    record = np.full((steps, orbits, lanes), -1, np.int64)
    for t in range(steps):
        after = have.copy()
        for r in range(orbits):
            key = np.random.random(chunks)  # noqa: NPY002 (numba's own generator)
            for c in range(chunks):
                for x in range(lanes):
                    key[c] += have[source[r, x], moved[r, x, c]]
            order = np.argsort(key)
            match = np.full(chunks, -1, np.int64)
            for lane in np.random.permutation(lanes):  # noqa: NPY002 (numba's own generator)
                _match(lane, have[r], order, have, source[r], moved[r], record[t, r], match)
            for x in range(lanes):
                if record[t, r, x] >= 0:
                    after[r, record[t, r, x]] = True
        have = after
    return chunks * orbits - have.sum(), record
