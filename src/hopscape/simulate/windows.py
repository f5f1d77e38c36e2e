"""Where sources need windows: networks that would lose throughput beyond saturation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.deadlock.classes import Classes
from hopscape.deadlock.tables import RouteColumns, RoutingTable

__all__ = ["Runs", "needs_windows", "straight_runs"]

_GOALS = 8
_BUSY = 0.8  # of the busiest port
_UNEVEN, _LONG, _LONG_FRESH = 1.4, 4.0, 9.0


class Runs(NamedTuple):
    """How routes go straight on in rings.

    Attributes:
        length: Links of the straight run that a hop is part of, on average.
        unevenness: Use of the busiest port, in terms of the mean.
        fresh: The busiest rings are entered by new packets alone, which go up to half way round.
    """

    length: float
    unevenness: float
    fresh: bool


def needs_windows(table: RoutingTable | RouteColumns, classes: Classes) -> bool:
    """Does the network jam beyond saturation unless its sources hold packets back?

    Classes by pairs of nodes and rising classes do. On datelines, long straight runs do in rings
    that are busier than others: packets that turn into them wait in the others. Where only new
    packets enter the busy rings (a single ring, a torus with the longest axis first) priority to
    those in the ring is enough up to twice that length. Where all ports are used alike (square
    tori) it always is. The limits separate some fifty rings, tori, circulants and multirings of
    12 to 1,024 nodes that kept 90 % of their throughput under uniform traffic from those that
    did not.

    Examples:
        >>> from hopscape import build
        >>> from hopscape.deadlock.classes import find_classes
        >>> specs = ["ring(16)", "ring(64)", "torus(24, 4)", "torus(4, 24)", "circulant(119, 1, 2)"]
        >>> [needs_windows(*find_classes(build(spec))[:2]) for spec in specs]
        [False, True, False, True, True]
    """
    if classes.method != "dateline":
        return classes.method != "single"
    if isinstance(table, RoutingTable) and not len(table.port):
        return False  # the sources choose the routes
    runs = straight_runs(table, classes.rings)
    if runs.fresh:
        return runs.length > _LONG_FRESH
    return runs.unevenness > _UNEVEN and runs.length > _LONG


def straight_runs(table: RoutingTable | RouteColumns, rings: IntArray) -> Runs:
    """Follow the routes from all nodes to a few goals, by either way of a tie to every other goal.

    Examples:
        From every node of a ring of 5 two runs have one link and two have two: (1 + 1 + 4 + 4) / 6.

        >>> from hopscape import build
        >>> from hopscape.deadlock.tables import own_table, port_rings
        >>> network = build("ring(5)")
        >>> straight_runs(own_table(network), port_rings(network))
        Runs(length=1.6666666666666667, unevenness=1.0, fresh=True)
    """
    network = table.network
    goals = np.unique(np.linspace(0, network.order - 1, _GOALS).astype(np.int64))
    ports = table.columns(goals)
    at = np.repeat(np.arange(network.order), len(goals))
    goal = np.tile(np.arange(len(goals)), network.order)
    second = np.tile(np.arange(len(goals)) % 2 == 1, network.order)
    ring, run = np.full(len(at), -1), np.zeros(len(at), dtype=np.int64)
    uses, turns = np.zeros((2, network.ports), dtype=np.int64)
    squares = longest = 0
    for hop in range(network.order):
        port = np.where(second, ports.other[at, goal], ports.port[at, goal])
        going = port != NO_PORT
        if not going.any():
            break
        at, goal, second, ring, run = (x[going] for x in (at, goal, second, ring, run))
        channel = network.indptr[at] + port[going]
        now, taken = rings[channel], network.port_of(channel)
        run = np.where((now == ring) & (now >= 0), run + 1, 1)
        squares += int((2 * run - 1).sum())  # of the lengths of the runs, as they grow
        longest = max(longest, int(run.max()))
        uses += np.bincount(taken, minlength=len(uses))
        turns += np.bincount(taken[(run == 1) & (hop > 0)], minlength=len(uses))
        at, ring = network.heads[channel], now
    if not squares:
        return Runs(0.0, 1.0, True)
    busy = uses > _BUSY * uses.max()
    whole = 2 * longest + 1 >= _ring_length(table, rings, busy)
    fresh = whole and not turns[busy].any()
    return Runs(squares / int(uses.sum()), float(uses.max() / uses.mean()), fresh)


def _ring_length(table: RoutingTable | RouteColumns, rings: IntArray, busy: IntArray) -> int:
    """Links of the longest ring of the busy ports."""
    among = busy[table.network.port_of(np.arange(len(rings)))] & (rings >= 0)
    return int(np.bincount(rings[among]).max(initial=0))
