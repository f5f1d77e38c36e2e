"""Rising classes: a packet starts in the first class and takes the next one at every wrong turn.

Nodes have ranks; up is towards lower ranks. A way that goes up and then down cannot be part of a
cycle of its own kind (up*/down* routing), and one that turns up again goes on in the next class.
Shortest ways of h hops need at most h // 2 + 1 classes, however many nodes there are.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.deadlock.layering import marks
from hopscape.deadlock.tables import RoutingTable
from hopscape.metrics.routes import downward, node_rankings

__all__ = ["count_rises", "find_rising"]


def find_rising(table: RoutingTable, *, anywhere: bool = False) -> tuple[int, IntArray]:
    """How many classes are needed with the best of a few rankings, and which channels go down.

    Parameters
    ----------
    table : RoutingTable
        Its first routes; the other ways of ties are not looked at.
    anywhere : bool
        Routes begin at switches too, as the escape of an adaptive packet does.
    """
    from hopscape.metrics.lane_kernels import most_falls

    network = table.network
    best: tuple[int, IntArray] | None = None
    for ranks in node_rankings(network):
        down = downward(network, ranks)
        count = 1 + int(most_falls(*_arrays(table, anywhere), down))
        if best is None or count < best[0]:
            best = count, down
    assert best is not None
    return best


def count_rises(
    table: RoutingTable, down: IntArray, classes: int, graph: IntArray, *, anywhere: bool = False
) -> None:
    """Mark the dependencies of all routes in a graph of channels and classes."""
    from hopscape.metrics.lane_kernels import rising_waits

    used = rising_waits(*_arrays(table, anywhere), down.astype(np.uint8), classes, graph)
    assert used, "a route rises beyond its classes"


def _arrays(table: RoutingTable, anywhere: bool) -> tuple[IntArray, ...]:
    network = table.network
    begins = np.arange(network.order) if anywhere else network.endpoints
    goals = network.endpoints.astype(np.int64)
    toward = np.ascontiguousarray(table.port.T[goals])
    return network.indptr, network.heads, toward, goals, marks(network, begins)
