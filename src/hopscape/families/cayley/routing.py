"""Routing by one vector: where to go depends on at⁻¹ · to alone."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from hopscape.algebra.named_groups import Semidirect
from hopscape.core.arrays import IntArray
from hopscape.core.formula import Value, digits, lookup, wrapped
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.router import Router

__all__ = ["CayleyRouter"]


class CayleyRouter(Router):
    """Shortest routes of a Cayley graph from one byte per element, the same at every node.

    Where several ports begin a shortest path, they are chosen so that all ports carry about as
    much under uniform traffic.

    Args:
        steps (int64[ports]): What each port multiplies by (from the right).

    Examples:
        >>> import hopscape
        >>> router = hopscape.build("cayley(7, 3, 2, 1, 7)").router()
        >>> router.table_bytes, router.distance(0, 20), router.path(0, 20)
        (21, 2, [0, 6, 20])
    """

    name = "one vector for all nodes"

    def __init__(self, network: Network, group: Semidirect, steps: IntArray) -> None:
        super().__init__(network)
        require_memory(16 * group.order * (len(steps) + 2), f"the routing vector of {network.spec}")
        self._group, self._steps = group, steps
        self.table_bytes = group.order

    @cached_property
    def _far(self) -> IntArray:
        lengths = self._group.lengths(self._steps)
        assert lengths is not None
        return lengths

    @cached_property
    def _first(self) -> IntArray:
        """Port of the first step of a shortest path to every element; -1 where there is none."""
        hops, order = self._far, self._group.order
        elements = np.arange(order, dtype=np.int64)
        back = self._group.inverse(self._steps)
        beyond = self._group.product(back[:, None], elements[None, :])
        shorter = (hops[beyond] == hops - 1) & (hops > 0)
        first = np.full(order, -1, dtype=np.int64)
        carried = np.zeros(len(self._steps), dtype=np.int64).tolist()
        flow = np.ones(order, dtype=np.int64).tolist()
        rows = beyond.T.tolist()
        choices = [np.flatnonzero(row).tolist() for row in shorter.T]
        for g in np.argsort(-hops, kind="stable").tolist():
            if choices[g]:
                port = min(choices[g], key=carried.__getitem__)
                first[g] = port
                carried[port] += flow[g]
                flow[rows[g][port]] += flow[g]
        return first

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return self._far[self._group.quotient(at, to)]

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return self._first[self._group.quotient(at, to)]

    @cached_property
    def _moves(self) -> tuple[list[int], list[tuple[int, int]], list[tuple[int, int]], list[int]]:
        """For routes one by one: first ports, steps (y, x) and their inverses, powers of r."""
        m = self._group.m
        steps, back = (
            [divmod(g, m) for g in some.tolist()]
            for some in (self._steps, self._group.inverse(self._steps))
        )
        return self._first.tolist(), steps, back, self._group.powers.tolist()

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        first, steps, back, powers = self._moves
        m, k = self._group.m, self._group.k
        y, x = divmod(at, m)
        goal_y, goal_x = divmod(to, m)
        turn = (goal_y - y) % k  # (turn, left) is what is left of the way
        left = (goal_x - x) * powers[-y % k] % m
        nodes, ports = [at], []
        while turn or left:
            port = first[turn * m + left]
            if port < 0:
                raise self._lost(at, to, port)
            dy, dx = steps[port]
            x = (x + powers[y] * dx) % m
            y = (y + dy) % k
            dy, dx = back[port]
            left = (dx + powers[dy] * left) % m
            turn = (turn + dy) % k
            nodes.append(y * m + x)
            ports.append(port)
            if len(ports) > m * k:
                self._require_progress(ports)
        return nodes, ports

    def formula(self, at: Value, to: Value) -> Value:
        """The quotient at⁻¹ · to by arithmetic, its first port from the one vector."""
        group = self._group
        (ya, xa), (yb, xb) = (digits(node, (group.k, group.m)) for node in (at, to))
        back = np.roll(group.powers[::-1], 1)  # r^-y
        turn = lookup("power", back, ya, "r^-y mod m: how the second group acts on the first")
        x = (wrapped(xb - xa, group.m) * turn) % group.m
        step = x + wrapped(yb - ya, group.k) * group.m
        step = step.named("step", "the element that leads from at to to")
        return lookup("first", self._first, step, "first port by element")
