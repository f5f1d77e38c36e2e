"""Slow, obvious measures for the checks of claims: from the neighbours of every node alone.

Nothing here uses the closed forms, routers and kernels that the claims are about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import HopscapeError
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.ledger.claim import Outcome

__all__ = [
    "Rows",
    "as_defined",
    "diameter",
    "distances",
    "graph",
    "is_path",
    "route",
    "rows_of",
    "settled",
    "shape",
    "wrong_routes",
]

Rows = list[list[int]]


def rows_of(network: Network) -> Rows:
    """The neighbours of every node, in order of ports."""
    table = network.neighbours(np.arange(network.order)).tolist()
    return [[v for v in row if v >= 0] for row in table]


def as_defined(network: Network, defined: Rows) -> Network:
    """The network, if it is wired as written out; what is found on another one says nothing."""
    for v, (mine, row) in enumerate(zip(rows_of(network), defined, strict=True)):
        if sorted(mine) != sorted(row):
            raise AssertionError(f"{network.spec}: node {v} is wired to {mine}, not to {row}")
    return network


def distances(rows: Rows, sources: Sequence[int] | None = None) -> IntArray:
    """Distances from the given nodes (all, when left out), by scipy; -1 where there is no path."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    tails = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    heads = np.asarray([v for row in rows for v in row], dtype=np.int64)
    matrix = csr_array((np.ones(len(heads)), (tails, heads)), shape=(len(rows),) * 2)
    chosen = None if sources is None else np.asarray(sources)
    found = shortest_path(matrix, method="D", unweighted=True, indices=chosen)
    return np.where(np.isinf(found), -1, found).astype(np.int64)


def diameter(rows: Rows, sources: Sequence[int] | None = None) -> int:
    """The largest distance (from the given nodes); -1 when some node cannot be reached."""
    found = distances(rows, sources)
    return -1 if (found < 0).any() else int(found.max())


def shape(network: Network) -> tuple[int, int, tuple[int, ...], int]:
    """Nodes, links, the different degrees, diameter."""
    rows = rows_of(network)
    degrees = sorted({len(row) for row in rows})
    return len(rows), sum(map(len, rows)) // 2, tuple(degrees), diameter(rows)


def graph(rows: Rows) -> Any:
    """The same as a networkx graph."""
    import networkx

    found = networkx.Graph()
    found.add_nodes_from(range(len(rows)))
    found.add_edges_from((u, v) for u, row in enumerate(rows) for v in row)
    return found


def settled(ours: Sequence[str], outcome: Outcome) -> Outcome:
    """The outcome, or ``open`` where our own code says something else than what was measured."""
    if not ours:
        return outcome
    more = f" (and {len(ours) - 1} more)" if len(ours) > 1 else ""
    note = f"not decided while our own code disagrees with the measurement: {ours[0]}{more}"
    return Outcome("open", outcome.measured, note)


def is_path(rows: Rows, path: Sequence[int], hops: int | None = None) -> bool:
    """Does every step lead to a neighbour, and are there so many?"""
    fits = hops is None or len(path) - 1 == hops
    return fits and all(v in rows[u] for u, v in pairwise(path))


def wrong_routes(
    network: Network, rows: Rows, source: int, distances: Sequence[int], targets: Iterable[int]
) -> list[str]:
    """Routes of its own router that are no shortest paths; targets count modulo the order."""
    router, wrong = network.router(), []
    for target in (one % network.order for one in targets):
        path = router.path(source, target)
        if not is_path(rows, path, distances[target]):
            wrong.append(f"{network.spec}: the route from {source} to {target} is {path}")
    return wrong


def differing(
    letter: str, true: Mapping[int, int], told: Callable[[int], int], word: str = "printed"
) -> list[str]:
    """Where a formula says something else than what was measured."""
    return [
        f"{letter} = {n}: {value}, {word} {told(n)}"
        for n, value in true.items()
        if value != told(n)
    ]


def route(router: Router, source: int, target: int) -> list[int] | str:
    """The nodes on a router's way, or what it says when it does not arrive."""
    try:
        return router.path(source, target)
    except HopscapeError as error:
        return str(error)
