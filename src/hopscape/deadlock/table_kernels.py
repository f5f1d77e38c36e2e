# mypy: disable-error-code="no-untyped-def, no-untyped-call, assignment"
"""Next ports from a table of distances."""

from __future__ import annotations

from numba import njit

__all__ = ["fill_ports"]


@njit(cache=True, nogil=True)
def fill_ports(indptr, heads, towards, port):
    """Write into `port` the first channel of each node that begins a shortest way.

    ``towards[goal, node]`` is the distance from node to goal, its largest value where there is no
    way; ``port[node, goal]`` keeps its value on arrival and where there is no way.
    """
    order = len(indptr) - 1
    for goal in range(order):
        row = towards[goal]
        for node in range(order):
            if node == goal:
                continue
            want = int(row[node]) - 1
            for channel in range(indptr[node], indptr[node + 1]):
                if int(row[heads[channel]]) == want:
                    port[node, goal] = channel - indptr[node]
                    break
