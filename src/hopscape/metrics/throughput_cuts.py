"""What no routing gets across a cut: the bisection bound, over many cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hopscape.core.measured import Measured

if TYPE_CHECKING:
    from hopscape.metrics.throughput import SwitchGraph

__all__ = ["cut_bound", "throughput_limit"]


def throughput_limit(graph: SwitchGraph) -> Measured[float]:
    """Throughput that no routing exceeds under its worst permutation.

    The least of capacity over distance, of what the ports of a switch let out
    (:meth:`~hopscape.metrics.throughput.SwitchGraph.bound`), and of what crosses a cut.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> throughput_limit(switch_graph(hopscape.build("concentrated(path(8), 1)"))).value
        0.25
    """
    hops, cut = graph.bound(), cut_bound(graph)
    return min(hops, cut, key=lambda found: found.value)


def cut_bound(graph: SwitchGraph) -> Measured[float]:
    """Capacity of a cut over the endpoints on its smaller side, the least of many cuts.

    Some permutation sends all of these across. The cuts are those before every switch in the order
    of numbers and along a narrow band (reverse Cuthill-McKee); each is a proved bound.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> cut_bound(switch_graph(hopscape.build("concentrated(ring(8), 1)"))).value
        0.5
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    if graph.endpoints < 2 or not len(graph.heads):
        return Measured.at_most(1.0, "one switch")
    ones = np.ones(len(graph.heads), dtype=np.int8)
    matrix = csr_array((ones, graph.heads, graph.indptr), shape=(graph.order, graph.order))
    best = 1.0
    for order in (np.arange(graph.order), reverse_cuthill_mckee(matrix, symmetric_mode=True)):
        place = np.empty(graph.order, dtype=np.int64)
        place[order] = np.arange(graph.order)
        first, last = place[graph.tails], place[graph.heads]
        across = first < last
        change = np.bincount(first[across], graph.speeds[across], minlength=graph.order + 1)
        change -= np.bincount(last[across], graph.speeds[across], minlength=graph.order + 1)
        capacity = np.cumsum(change)[: graph.order]
        before = np.cumsum(graph.ends[order])
        fewer = np.minimum(before, graph.endpoints - before) * graph.lines
        there = fewer > 0
        if there.any():
            best = min(best, float((capacity[there] / fewer[there]).min()))
    return Measured.at_most(best, "capacity of a cut")
