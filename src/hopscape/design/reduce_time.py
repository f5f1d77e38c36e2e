"""How long an all-reduce takes on a switched machine, by algorithms that need no search.

Endpoints are numbered switch by switch. Each adds up first and spreads the sums by the same steps
backwards:

- ring: N - 1 messages to the next endpoint;
- doubling: messages to the endpoint 1, 2, 4, ... further on, as the all-gather of Bruck et al.
  (IEEE TPDS 1997) has it for any number of endpoints;
- in two levels: doubling among the endpoints of a switch, then every endpoint exchanges its part
  with those of all other switches directly, each beginning with another one.

A message takes alpha, and its bytes over the share of the line rate that even splitting over
shortest paths gives the busiest channel.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import TooLargeError
from hopscape.core.measured import Measured
from hopscape.design.machine import Machine
from hopscape.metrics.throughput import SwitchGraph

__all__ = ["allreduce_time", "shift_load"]

_SHARES = 150_000_000
"""Channels times pairs of switches, over all steps, up to which it is computed: about a second."""


def shift_load(graph: SwitchGraph, shift: int) -> float:
    """Load of the busiest channel when every endpoint sends at line rate to one so much further on.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> graph = switch_graph(hopscape.build("concentrated(complete(5), 4)"))
        >>> [shift_load(graph, shift) for shift in (1, 2, 4, 6)]
        [1.0, 2.0, 4.0, 2.0]
    """
    dist, paths = graph._paths
    first, last, many = _pairs(graph, shift)
    loads: Floats = np.zeros(len(graph.heads))
    tails, heads = graph.tails, graph.heads
    for s, t, count in zip(first.tolist(), last.tolist(), many.tolist(), strict=True):
        near, far = dist[s, tails], dist[heads, t]
        on_way = (near >= 0) & (far >= 0) & (near + 1 + far == dist[s, t])
        loads[on_way] += count * paths[s, tails[on_way]] * paths[heads[on_way], t] / paths[s, t]
    return float((loads * graph.lines / graph.speeds).max(initial=0.0))


def _pairs(graph: SwitchGraph, shift: int) -> tuple[IntArray, IntArray, IntArray]:
    """Switches from and to which endpoints send, and how many of them."""
    owner = np.repeat(np.arange(graph.order), graph.ends)
    pairs = owner * graph.order + np.roll(owner, -shift)
    distinct, many = np.unique(pairs[owner != np.roll(owner, -shift)], return_counts=True)
    return distinct // graph.order, distinct % graph.order, many


def allreduce_time(
    machine: Machine, message: float, alpha: float, rate: float
) -> Measured[float | None]:
    """Microseconds of an all-reduce of a message, by the best of the three.

    Args:
        message: Bytes of each endpoint.
        alpha: Seconds to start a message.
        rate: Gb/s of a line.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> machine = Machine(switch_graph(hopscape.build("leaf_spine(4, 4, 4)")))
        >>> found = allreduce_time(machine, 1e6, 1e-6, 400)
        >>> found.value, found.low, found.note
        (45.5, 37.5, 'doubling, 8 messages one after the other, even splitting over shortest paths')
    """
    if machine.rails > 1:
        return Measured(None, "unknown", "is not computed of rails")
    graph, count = machine.flow, machine.endpoints
    if count < 2:
        return Measured(0.0, "exact", "one endpoint")
    shifts = [1 << k for k in range((count - 1).bit_length())]
    pairs = sum(len(_pairs(graph, shift)[0]) for shift in shifts)
    if pairs * max(1, len(graph.heads)) > _SHARES:
        return Measured(None, "unknown", "is computed up to some thousand endpoints")
    try:
        slow = [max(1.0, shift_load(graph, shift)) for shift in shifts]
    except TooLargeError as error:
        return Measured(None, "unknown", str(error))
    line = rate * 1e9 / 8  # bytes per second of a line
    part = message / machine.planes / count
    own = line * graph.lines
    ring = (count - 1) * (alpha + part * slow[0] / own)
    sizes = [min(shift, count - shift) for shift in shifts]
    doubling = sum(alpha + n * part * s / own for n, s in zip(sizes, slow, strict=True))
    algorithms = {
        f"ring, {2 * (count - 1):,} messages one after the other": ring,
        f"doubling, {2 * len(shifts)} messages one after the other": doubling,
    }
    if not graph.hosted:
        steps, time = _in_levels(graph, message / machine.planes, alpha, line)
        algorithms[f"in two levels, {2 * steps:,} messages one after the other"] = time
    name = min(algorithms, key=algorithms.__getitem__)
    least = max((count - 1) * part / own, alpha * len(shifts) / 2)
    low, found = (round(2e6 * x, 3) for x in (least, algorithms[name]))
    return Measured(found, "bound", f"{name}, even splitting over shortest paths", low, found)


def _in_levels(graph: SwitchGraph, message: float, alpha: float, line: float) -> tuple[int, float]:
    """Messages one after the other, and seconds, of the two-level way, one direction.

    Of switches with unequal endpoints a part may belong to two endpoints of another switch.
    """
    ends = graph.ends[graph.ends > 0]
    few, most, switches = int(ends.min()), int(ends.max()), len(ends)
    inside = (most - 1).bit_length()
    across = (switches - 1) * (1 if few == most else 2)
    own = line * graph.lines
    seconds = (inside + across) * alpha + message * (most - 1) / most / own
    if switches > 1:
        once = graph.with_ends((graph.ends > 0).astype(np.int64))
        busiest = float((once._pair_loads[0] / once.speeds).max())
        leaving = message / few * (switches - 1) / switches / own
        seconds += max(leaving, message / switches * busiest / line)
    return inside + across, seconds
