"""What a transfer does at its target: copy, add to what is there, or nothing."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray

__all__ = ["OPERATIONS", "operations"]

OPERATIONS = ("copy", "add", "none")
_COPY, _ADD, _NONE = range(3)


def operations(
    kind: str,
    members: IntArray,
    when: IntArray,
    source: IntArray,
    target: IntArray,
    chunk: IntArray,
) -> IntArray:
    """The operation of each transfer, as a number in :data:`OPERATIONS`.

    In a reduce or reduce-scatter all are additions. In an all-reduce (the rule of
    :func:`hopscape.verify`) a sum that contains all that is there takes its place, one that brings
    nothing new is left aside, and others are added. Elsewhere all are copies.

    Parameters
    ----------
    kind : str
        Kind of the goal.
    members : int[...]
        The nodes with a share.
    when, source, target, chunk : int[transfers]
        Ascending in `when`. In a round everybody sends what it had before it.

    Examples
    --------
    >>> columns = [np.array(x) for x in ([1, 2], [0, 1], [1, 0], [0, 0])]
    >>> operations("all-reduce", np.array([0, 1]), *columns)
    array([1, 0], dtype=uint8)
    """
    found = np.full(len(when), _COPY, dtype=np.uint8)
    if kind in ("reduce", "reduce-scatter"):
        found[:] = _ADD
    if kind != "all-reduce":
        return found
    own = {int(v): 1 << i for i, v in enumerate(members)}
    held: dict[tuple[int, int], int] = {}
    before: dict[tuple[int, int], int] = {}
    last = -1
    rows = zip(when.tolist(), source.tolist(), target.tolist(), chunk.tolist(), strict=True)
    for t, (now, a, b, c) in enumerate(rows):
        if now != last:
            before, last = {}, now
        there = held.get((b, c), own.get(b, 0))
        before.setdefault((b, c), there)
        sent = before.get((a, c), held.get((a, c), own.get(a, 0)))
        if there & sent == there:
            held[b, c] = sent
        elif there & sent == sent:
            found[t] = _NONE
        else:
            found[t] = _ADD
            held[b, c] = there | sent
    return found
