"""Graphs in the plainest way: distances, diameter, girth and routes from neighbours alone.

Nothing here uses the closed forms, routers and kernels that are judged by it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import HopscapeError
from hopscape.core.network import Network
from hopscape.core.router import Router

__all__ = [
    "NO_CYCLE",
    "PlainGraph",
    "Rows",
    "as_defined",
    "diameter",
    "distances",
    "graph",
    "hop_table",
    "is_path",
    "route",
    "rows_of",
    "shape",
    "wrong_facts",
    "wrong_routes",
]

Rows = list[list[int]]

NO_CYCLE = 10**6
"""The girth of a graph without cycles, as the kernels have it."""


def rows_of(network: Network) -> Rows:
    """The neighbours of every node, in order of ports; -1 is a port that is not wired."""
    table = network.neighbours(np.arange(network.order)).tolist()
    return [[v for v in row if v != -1] for row in table]


def as_defined(network: Network, defined: Rows, ports: int) -> Network:
    """The network, if it is wired as written out; what is found on another one says nothing.

    Its addresses are those of so many nodes, and tell them apart; each has so many ports, wired or
    not.
    """
    if network.ports != ports:
        raise AssertionError(f"{network.spec}: a node has {network.ports} ports, not {ports}")
    for v, (mine, row) in enumerate(zip(rows_of(network), defined, strict=True)):
        if sorted(mine) != sorted(row):
            raise AssertionError(f"{network.spec}: node {v} is wired to {mine}, not to {row}")
    nodes, known = np.arange(len(defined)), network.addresses
    if known.order != len(nodes) or (known.numbers(known.tuples(nodes)) != nodes).any():
        raise AssertionError(f"{network.spec}: addresses are not those of {len(nodes)} nodes")
    return network


def distances(rows: Rows, sources: Sequence[int] | None = None) -> IntArray:
    """Distances from the given nodes (all, when left out), by scipy; -1 where there is no path."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    tails = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    heads = np.asarray([v for row in rows for v in row], dtype=np.int64)
    matrix = csr_array((np.ones(len(heads)), (tails, heads)), shape=(len(rows),) * 2)
    chosen = None if sources is None else np.asarray(sources)
    lengths = shortest_path(matrix, method="D", unweighted=True, indices=chosen)
    return np.where(np.isinf(lengths), -1, lengths).astype(np.int64)


def diameter(rows: Rows, sources: Sequence[int] | None = None) -> int:
    """The largest distance (from the given nodes); -1 when some node cannot be reached."""
    lengths = distances(rows, sources)
    return -1 if (lengths < 0).any() else int(lengths.max())


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


def is_path(rows: Rows, path: Sequence[int], hops: int | None = None) -> bool:
    """Does every step lead to a neighbour, and are there so many?"""
    fits = hops is None or len(path) - 1 == hops
    return fits and all(v in rows[u] for u, v in pairwise(path))


def wrong_facts(network: Network) -> list[str]:
    """Closed forms of a duplex network that its neighbours contradict, or that are missing.

    Connectivities are counted, by networkx, up to 200 nodes.
    """
    import networkx

    rows, facts = rows_of(network), network.facts
    hops = distances(rows)
    order = len(rows)
    farthest, degrees = hops.max(axis=1), [len(row) for row in rows]
    true: dict[str, object] = {
        "degree_min": min(degrees),
        "degree_max": max(degrees),
        "links": sum(degrees) // 2,
        "channels": sum(degrees),
        "connected": bool((hops >= 0).all()),
        "diameter": int(farthest.max()),
        "radius": int(farthest.min()),
        "mean_distance": Fraction(int(hops.sum()), order * (order - 1)),
    }
    if order <= 200:
        true["node_connectivity"] = networkx.node_connectivity(graph(rows))
        true["edge_connectivity"] = networkx.edge_connectivity(graph(rows))
    told = {name: getattr(facts, name) for name in true}
    return [
        f"{network.spec}: {name} is {value}, the closed form says {told[name]}"
        for name, value in true.items()
        if told[name] != value
    ]


def wrong_routes(
    network: Network, rows: Rows, source: int, distances: Sequence[int], targets: Iterable[int]
) -> list[str]:
    """Routes of its own router that are no shortest paths; targets count modulo the order."""
    router, wrong = network.router(), []
    for target in (one % network.order for one in targets):
        path = router.path(source, target)
        ends = (path[0], path[-1]) == (source, target)
        if not ends or not is_path(rows, path, distances[target]):
            wrong.append(f"{network.spec}: the route from {source} to {target} is {path}")
    return wrong


def route(router: Router, source: int, target: int) -> list[int] | str:
    """The nodes on a router's way, or what it says when it does not arrive."""
    try:
        return router.path(source, target)
    except HopscapeError as error:
        return str(error)


def hop_table(network: Network) -> Any:
    """All distances by networkx as kernels keep them in bytes; 255 where there is no route."""
    import networkx

    wires = networkx.DiGraph(zip(network.tails.tolist(), network.heads.tolist(), strict=True))
    out = np.full((network.order, network.order), 255, dtype=np.uint8)
    np.fill_diagonal(out, 0)
    for source, row in networkx.all_pairs_shortest_path_length(wires):
        for target, hops in row.items():
            out[source, target] = hops
    return out


class PlainGraph:
    """A multigraph as rows, with its reversed rows and the pairing of its channels.

    Args:
        n: Nodes.
        duplex, simplex (pairs of nodes): Links both ways, and one way.

    Examples:
        >>> square = PlainGraph(4, duplex=[(0, 1), (1, 2), (2, 3), (3, 0)])
        >>> square.distances(0), square.girth()
        ({0: 0, 1: 1, 3: 1, 2: 2}, 4)
    """

    def __init__(
        self,
        n: int,
        duplex: Sequence[tuple[int, int]] = (),
        simplex: Sequence[tuple[int, int]] = (),
    ) -> None:
        channels = [(tail, head, link) for link, (tail, head) in enumerate(duplex)]
        channels += [(head, tail, link) for tail, head, link in channels]
        channels += [(tail, head, -1) for tail, head in simplex]
        channels.sort(key=lambda channel: channel[0])
        self.n = n
        self.tails = [tail for tail, _, _ in channels]
        self.indptr, self.heads = self._rows([(tail, head) for tail, head, _ in channels])
        self.reversed = self._rows([(head, tail) for tail, head, _ in channels])
        self.reverse = np.full(len(channels), -1, np.int32)
        ends: dict[int, int] = {}
        for i, (_, _, link) in enumerate(channels):
            if link >= 0 and link in ends:
                self.reverse[i], self.reverse[ends[link]] = ends[link], i
            ends[link] = i

    def _rows(self, pairs: list[tuple[int, int]]) -> tuple[IntArray, IntArray]:
        pairs = sorted(pairs, key=lambda pair: pair[0])
        indptr = np.zeros(self.n + 1, np.int64)
        for tail, _ in pairs:
            indptr[tail + 1 :] += 1
        return indptr, np.array([head for _, head in pairs], np.int32)

    @property
    def forward(self) -> tuple[IntArray, IntArray]:
        """Its rows."""
        return self.indptr, self.heads

    def distances(self, source: int) -> dict[int, int]:
        """Hops to every node that can be reached, by breadth-first search."""
        hops = {source: 0}
        queue = deque([source])
        while queue:
            v = queue.popleft()
            for u in self.heads[self.indptr[v] : self.indptr[v + 1]].tolist():
                if u not in hops:
                    hops[u] = hops[v] + 1
                    queue.append(u)
        return hops

    def girth(self) -> int:
        """Shortest walk over channels, none turning back, that ends where it began."""
        best = NO_CYCLE
        for first in range(len(self.heads)):
            depth = {first: 1}
            queue = deque([first])
            while queue:
                channel = queue.popleft()
                v = int(self.heads[channel])
                if v == self.tails[first]:
                    best = min(best, depth[channel])
                    break
                for after in range(self.indptr[v], self.indptr[v + 1]):
                    if after != self.reverse[channel] and after not in depth:
                        depth[after] = depth[channel] + 1
                        queue.append(after)
        return best
