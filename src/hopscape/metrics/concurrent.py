"""What computations on switches and their channels need to know of a machine.

Maximum concurrent flow: the best that any routing does, exactly or between two bounds.
"""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.measured import Measured
from hopscape.core.numbers import number

__all__ = ["Channels", "approximate_flow", "concurrent_flow", "optimal_share"]


class Channels(Protocol):
    """Channels by the switch that they leave, as :class:`~hopscape.metrics.throughput.SwitchGraph`.

    Attributes:
        indptr, heads, tails: int64[...]
        speeds: float64[channels]
        ends (int64[switches]): Endpoints at each.
    """

    @property
    def order(self) -> int: ...
    @property
    def indptr(self) -> IntArray: ...
    @property
    def heads(self) -> IntArray: ...
    @property
    def tails(self) -> IntArray: ...
    @property
    def speeds(self) -> Floats: ...
    @property
    def ends(self) -> IntArray: ...
    @property
    def name(self) -> str: ...


_PROGRAM = 60_000  # variables up to which the linear program is solved; beyond, two bounds
_GAP = 0.05  # between these bounds, in shares of the upper one
_RATE = 0.1  # share by which lengths grow in a step, at most
_STEPS = 400_000_000  # of the search for both bounds


def optimal_share(
    graph: Channels, demand: Floats, *, program: int = _PROGRAM, steps: int = _STEPS
) -> Measured[float]:
    """Largest share of all demands that can flow at once, however it is routed.

    By the linear program where it has few variables, else between two bounds.

    Args:
        demand: float64[switches, switches]
        program: Variables up to which the program is solved.
        steps: Effort of the approximation.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> graph = switch_graph(hopscape.build("ring(4)"))
        >>> optimal_share(graph, np.roll(np.eye(4), 2, axis=1)).value
        1.0
    """
    targets = int(demand.any(axis=0).sum())
    if targets * len(graph.heads) <= program:
        return Measured(concurrent_flow(graph, demand), "exact", "linear program")
    low, high = approximate_flow(graph, demand, steps=steps)
    gap = 100 * (1 - low / high) if high else 0.0
    note = f"Garg and Könemann: from {number(low)} to {number(high)}, a gap of {gap:.1f} %"
    return Measured(low, "bound", note, low=low, high=high)


def concurrent_flow(graph: Channels, demand: Floats) -> float:
    """Largest share of all demands that can flow at once, by a linear program.

    One commodity for each destination (Shahrokhi and Matula, 1990), solved by HiGHS.

    The program has a variable for each channel and destination and a row for each switch and
    destination.

    Args:
        demand: float64[switches, switches]

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> graph = switch_graph(hopscape.build("ring(4)"))
        >>> concurrent_flow(graph, np.roll(np.eye(4), 2, axis=1))
        1.0
    """
    from scipy.optimize import linprog
    from scipy.sparse import block_diag, coo_array, csr_array, hstack, identity, kron

    channels, order = len(graph.heads), graph.order
    targets = np.flatnonzero(demand.any(axis=0))
    if not len(targets):
        return math.inf
    ones = np.ones(channels)
    at = np.arange(channels)
    leave = coo_array((ones, (graph.tails, at)), shape=(order, channels))
    arrive = coo_array((ones, (graph.heads, at)), shape=(order, channels))
    balance = csr_array(leave - arrive)
    blocks, sent = [], []
    for target in targets.tolist():
        keep = np.arange(order) != target
        blocks.append(balance[keep])
        sent.append(-demand[keep, target])
    equal = hstack([block_diag(blocks), csr_array(np.concatenate(sent)[:, None])], format="csr")
    capacity = hstack(
        [kron(np.ones((1, len(targets))), identity(channels)), csr_array((channels, 1))],
        format="csr",
    )
    cost = np.zeros(equal.shape[1])
    cost[-1] = -1.0
    solution = linprog(
        cost,
        A_ub=capacity,
        b_ub=graph.speeds,
        A_eq=equal,
        b_eq=np.zeros(equal.shape[0]),
        method="highs",
    )
    if not solution.success or solution.fun is None:
        raise ArgumentError(
            f"the concurrent flow of {graph.name} was not found: {solution.message}"
        )
    return round(-float(solution.fun), 9)


def approximate_flow(
    graph: Channels, demand: Floats, *, gap: float = _GAP, steps: int = _STEPS
) -> tuple[float, float]:
    """Bounds of the largest share of all demands that can flow at once.

    The fully polynomial approximation of Garg and Könemann (1998): every demand is sent piece by
    piece along the path that is shortest now, and channels get longer with what they carry. What
    was sent, scaled to the capacities, is a flow; the lengths are a solution of the dual program;
    so both bounds are proved, whenever it ends.

    Args:
        demand: float64[switches, switches]
        gap: End when the bounds are so near, as a share of the upper one.
        steps: End after looking at so many channels.

    Raises:
        ArgumentError: When `gap` is not a share.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> graph = switch_graph(hopscape.build("torus(4, 4)"))
        >>> low, high = approximate_flow(graph, np.roll(np.eye(16), 8, axis=1), gap=0.02)
        >>> low <= concurrent_flow(graph, np.roll(np.eye(16), 8, axis=1)) <= high, low / high > 0.97
        (True, True)
    """
    from hopscape.metrics.throughput_kernels import rising_lengths

    if not 0 < gap < 1:
        raise ArgumentError(f"gap is {gap:g}; it must be a share between 0 and 1")
    pairs = np.argwhere(demand > 0)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    if not len(pairs):
        return math.inf, math.inf
    demands = demand[pairs[:, 0], pairs[:, 1]].astype(float)
    about = float(graph.speeds.min()) / float(demands.max())
    rate = min(_RATE, gap)
    low, high, _ = rising_lengths(
        graph.indptr,
        graph.heads,
        graph.tails,
        graph.speeds,
        pairs.astype(np.int64),
        demands * about,
        rate,
        gap,
        steps,
    )
    return low * about, high * about
