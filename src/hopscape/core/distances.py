"""Distances from given nodes, and shortest paths of pairs of nodes.

Small ones by numpy, large ones by the compiled kernels.

Importing numba costs half a second, so a network of some hundred nodes never asks for it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

from hopscape.core.arrays import IntArray, NoWay
from hopscape.core.processes import require_memory
from hopscape.core.wired import Wired

__all__ = [
    "UNREACHED",
    "PairSearch",
    "distance_rows",
    "distances_from",
    "distances_from_each",
    "distances_to",
    "signed_distances",
    "unreached",
]

UNREACHED = -1

_SMALL_BFS = 50_000  # nodes: 0.03 s in NumPy, where importing the kernel takes 0.36 s
_KERNELS = "hopscape.core.distance_kernels"
_FEW_ROWS, _FEW_ENTRIES = 200, 500_000  # 0.05 to 0.2 s in NumPy; more pay for the kernel


def distances_from(network: Wired, source: int) -> IntArray:
    """Distances from one node to all, by breadth-first search; -1 where there is no path.

    Examples:
        >>> import hopscape
        >>> distances_from(hopscape.build("ring(6)"), 0)
        array([0, 1, 2, 3, 2, 1], dtype=int32)
    """
    return _search(network.indptr, network.heads, [source])[0]


def distances_from_each(network: Wired, sources: IntArray | Sequence[int]) -> IntArray:
    """Distances from some nodes to all, a row each; -1 where there is no path.

    Examples:
        >>> import hopscape
        >>> distances_from_each(hopscape.build("ring(4)"), [0, 3])
        array([[0, 1, 2, 1],
               [1, 2, 1, 0]], dtype=int32)
    """
    return _search(network.indptr, network.heads, sources)


def distances_to(network: Wired, target: int) -> IntArray:
    """Distances from all nodes to one; -1 where there is no path."""
    return _search(*network.reversed_csr(), [target])[0]


def _search(indptr: IntArray, heads: IntArray, sources: IntArray | Sequence[int]) -> IntArray:
    """A row of distances for each of some sources."""
    order = len(indptr) - 1
    distance = np.full((len(sources), order), UNREACHED, dtype=np.int32)
    if order > _SMALL_BFS or _is_ready():
        from hopscape.core.distance_kernels import bfs_distances

        for row, source in zip(distance, sources, strict=True):
            row[:] = bfs_distances(indptr, heads, int(source))
        return distance
    flat = distance.reshape(-1)  # all searches at once, each on a copy of the network
    frontier = np.arange(len(sources)) * order + np.asarray(sources, dtype=np.int64)
    seen = np.empty(len(flat), dtype=np.int64)
    level = 0
    while len(frontier):
        flat[frontier] = level
        level += 1
        node = frontier % order
        starts, counts = indptr[node], indptr[node + 1] - indptr[node]
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        reached = heads[np.repeat(starts, counts) + within] + np.repeat(frontier - node, counts)
        fresh = reached[flat[reached] < 0]
        seen[fresh] = numbers = np.arange(len(fresh))
        frontier = fresh[seen[fresh] == numbers]  # each once
    return distance


def _is_ready() -> bool:
    """Is the kernel at hand without a wait for the compiler?"""
    if _KERNELS not in sys.modules:
        return False
    from hopscape.core.distance_kernels import bfs_distances
    from hopscape.core.kernel import is_ready

    return is_ready(bfs_distances)


def distance_rows(network: Wired, sources: IntArray, *, towards: bool = False) -> IntArray:
    """Distances from many nodes to all, one row per source.

    Time is one search of all channels per source at most, memory the table: a byte per pair below
    255 hops.

    Args:
        sources: array of int
        towards: Distances *to* the given nodes instead of from them.

    Returns:
        ndarray of uint8, uint16 or int32, shape (len(sources), order): The smallest dtype that
            fits; its largest value means that there is no route (:func:`unreached`).
    """
    indptr, heads = network.reversed_csr() if towards else (network.indptr, network.heads)
    nodes = np.asarray(sources, dtype=np.int64)
    need = len(nodes) * network.order
    require_memory(need, f"the table of {len(nodes)} × {network.order} distances")
    if len(nodes) <= _FEW_ROWS and need <= _FEW_ENTRIES:
        rows = _search(indptr, heads, nodes)
        return NoWay.above(int(rows.max(initial=0))).narrow(rows)
    from hopscape.core.distance_kernels import distance_rows as fill

    for dtype in (np.uint8, np.uint16):
        out: IntArray = np.empty((len(nodes), network.order), dtype=dtype)
        try:
            fill(indptr, heads, nodes, out)
            return out
        except OverflowError:
            continue
    require_memory(4 * need, f"the table of {len(nodes)} × {network.order} distances")
    out = np.empty((len(nodes), network.order), dtype=np.int32)
    fill(indptr, heads, nodes, out)
    return out


def unreached(rows: IntArray) -> IntArray:
    """Where a table of :func:`distance_rows` says that there is no route.

    Examples:
        >>> from hopscape import Network
        >>> unreached(distance_rows(Network.from_links(3, [0], [1]), np.asarray([0])))
        array([[False, False,  True]])
    """
    return NoWay(rows.dtype).mask(rows)


def signed_distances(rows: IntArray, none: int = UNREACHED) -> IntArray:
    """The same table as wide integers, with another sign for "no route"."""
    return NoWay(rows.dtype).signed(rows, none)


class PairSearch:
    """Shortest paths of pairs in a built network, each by a search from both ends.

    Compiled (:mod:`hopscape.core.search_kernels`); 24 bytes of memory for each node, kept for the
    next question.

    Args:
        dead: bool[channels], channels that do not work.
        spread: Of several shortest paths a hash of node and target picks one at every hop
            (:func:`hopscape.core.router.spread`); else the lowest port.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("ring(6)")
        >>> hops, channels = PairSearch(net).paths(np.array([0, 2]), np.array([2, 2]))
        >>> hops.tolist(), net.heads[channels].tolist()
        ([2, 0], [1, 2])
    """

    def __init__(
        self, network: Wired, dead: IntArray | None = None, *, spread: bool = False
    ) -> None:
        from hopscape.core.search_kernels import Rows, new_scratch

        require_memory(24 * network.order, f"the searches in {network.spec}")
        back_indptr, back_tails = network.reversed_csr()
        entering: IntArray = np.empty(0, dtype=np.int64)
        if dead is not None:
            entering = network.reverse if network.duplex else network.incoming().channels
        self._spread = spread
        self._rows = Rows(
            network.indptr,
            network.heads,
            back_indptr,
            back_tails,
            entering.astype(np.int64),
            np.empty(0, dtype=bool) if dead is None else dead,
        )
        self._scratch = new_scratch(network.order)

    def paths(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        """Hops of each pair (-1 without a path), and the channels of one path after the other."""
        from hopscape.core.search_kernels import shortest_paths

        ends = np.asarray(at, dtype=np.int64), np.asarray(to, dtype=np.int64)
        return shortest_paths(self._rows, self._scratch, *ends, self._spread)
