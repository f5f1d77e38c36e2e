"""Rising classes: a packet starts in the first class and takes the next one at every wrong turn.

Nodes have ranks; up is towards lower ranks. A way that goes up and then down cannot be part of a
cycle of its own kind (up*/down* routing), and one that turns up again goes on in the next class.
Shortest paths of h hops need at most h // 2 + 1 classes, however many nodes there are. A way with
fewer turns than the worst one may as well start in a later class.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.deadlock.layering import begin_marks
from hopscape.deadlock.layout import Wiring
from hopscape.deadlock.tables import RoutingTable
from hopscape.metrics.routes import downward, node_rankings

__all__ = ["count_rises", "find_rising", "latest_starts"]

_NONE = np.empty((0, 0), dtype=np.uint8)


def find_rising(table: RoutingTable, *, anywhere: bool = False) -> tuple[int, IntArray]:
    """How many classes are needed with the best of a few rankings, and that ranking.

    Args:
        table, anywhere: As for :func:`~hopscape.deadlock.layering.find_layers`.
    """
    from hopscape.deadlock.rising_kernels import most_falls

    network, arrays = table.network, _arrays(table, anywhere)
    best: tuple[int, IntArray] | None = None
    for ranks in node_rankings(network):
        count = 1 + int(most_falls(*arrays, downward(network, ranks), _NONE))
        if best is None or count < best[0]:
            best = count, ranks
        if count <= 2:
            break
    assert best is not None
    return best


def latest_starts(
    table: RoutingTable, ranks: IntArray, classes: int, *, anywhere: bool = False
) -> IntArray:
    """uint8[order, order]: the last class in which the packets of a pair can start."""
    from hopscape.deadlock.rising_kernels import most_falls

    network = table.network
    each = np.zeros((network.order, network.order), dtype=np.uint8)
    most_falls(*_arrays(table, anywhere), downward(network, ranks), each)
    return (classes - 1 - each).astype(np.uint8)


def count_rises(
    table: RoutingTable,
    down: IntArray,
    classes: int,
    first: IntArray,
    graph: IntArray,
    *,
    anywhere: bool = False,
) -> None:
    """Mark the dependencies of all routes in a graph of channels and classes."""
    from hopscape.deadlock.rising_kernels import rising_waits

    used = rising_waits(*_arrays(table, anywhere), down.astype(np.uint8), classes, first, graph)
    assert used, "a route rises beyond its classes"


def _arrays(table: RoutingTable, anywhere: bool) -> tuple[Wiring, IntArray, IntArray, IntArray]:
    network = table.network
    goals = network.endpoints.astype(np.int64)
    toward = table.port.T if len(goals) == network.order else table.port.T[goals]
    wiring = Wiring(network.indptr, network.heads)
    return wiring, toward, goals, begin_marks(network, anywhere)
