"""Tables of next ports, as small as a router's routes allow, for formulas."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import TooLargeError
from hopscape.core.formula import Value, choose, equal, less, lookup, wrapped
from hopscape.core.wired import Wired

__all__ = ["MOST_ENTRIES", "table_formula"]

MOST_ENTRIES = 1 << 22  # 2,048 nodes, all pairs: source code of some 10 MB


def table_formula(
    network: Wired, next_ports: Callable[[IntArray, IntArray], IntArray], at: Value, to: Value
) -> Value:
    """The port to leave by, from a table.

    By difference where only that counts; otherwise by pair, without rows for endpoints of a single
    port when they come first.

    Raises:
        TooLargeError: When there are more than ``MOST_ENTRIES`` pairs.
    """
    n = network.order
    if n * n > MOST_ENTRIES:
        raise TooLargeError(
            f"{network.spec} has no formula, and a table of {n} × {n} ports;"
            f" at most {MOST_ENTRIES} are written as code"
        )
    nodes = np.arange(n, dtype=np.int64)
    ports = np.stack([next_ports(np.full_like(nodes, v), nodes) for v in range(n)])
    shifted = (nodes[None, :] - nodes[:, None]) % n
    if n > 2 and np.array_equal(ports, ports[0][shifted]):
        gap = wrapped(to - at, n).named("gap", "the difference alone decides")
        return lookup("first", ports[0], gap, "first port by difference")
    leaves = _leading_leaves(ports)
    if leaves == n:
        return choose(equal(at, to), -1, 0)
    if leaves < n // 4:
        return lookup("ports", ports.ravel(), at * n + to, "next port, row by row for each node")
    row = choose(less(at, leaves), 0, at - leaves).narrow(0, n - leaves - 1)
    by_switch = lookup("ports", ports[leaves:].ravel(), row * n + to, "next port, by switch")
    return choose(less(at, leaves), choose(equal(at, to), -1, 0), by_switch)


def _leading_leaves(ports: IntArray) -> int:
    """How many nodes from the first on leave by port 0 to everybody."""
    plain = np.zeros_like(ports)
    np.fill_diagonal(plain, -1)
    other = (ports != plain).any(axis=1)
    return int(other.argmax()) if other.any() else len(ports)
