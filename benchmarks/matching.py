"""Largest matchings of the pairs over one channel of a ring: our kernel against scipy's.

Run as ``python benchmarks/matching.py [NODES...]``. `Routes.worst_permutation` asks for such
matchings. Which channel it is turns the rows and columns of the staircase that the pairs make; the
table has the channel that takes scipy longest, of 25. Processor seconds, one run.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from hopscape.core.arrays import IntArray
from hopscape.metrics.matching_kernels import largest_matching


def pairs_over(channel: int, nodes: int) -> IntArray:
    """Sources and targets whose shortest routes round a ring take the channel up from a node."""
    half = nodes // 2
    before, behind = np.nonzero(np.add.outer(np.arange(half), np.arange(half)) < half)
    return np.stack([(channel - before) % nodes, (channel + 1 + behind) % nodes], axis=1)


def by_scipy(pairs: IntArray, nodes: int) -> tuple[float, int]:
    left, right = pairs.T.astype(np.int32)
    graph = csr_array((np.ones(len(pairs), np.int8), (left, right)), shape=(nodes, nodes))
    start = time.process_time()
    found = maximum_bipartite_matching(graph, perm_type="column")
    return time.process_time() - start, int((found >= 0).sum())


def main() -> None:
    table = Table("nodes", "pairs", "channel", "scipy s", "hopscape s")
    largest_matching(pairs_over(0, 4), 3, 4)
    for nodes in [int(word) for word in sys.argv[1:]] or [200, 300, 400, 500]:
        channels = range(0, nodes, max(nodes // 25, 1))
        slow, size, worst = max((*by_scipy(pairs_over(c, nodes), nodes), c) for c in channels)
        pairs = pairs_over(worst, nodes)
        start = time.process_time()
        assert largest_matching(pairs, len(pairs), nodes) == size
        own = time.process_time() - start
        table.add_row(str(nodes), f"{len(pairs):,}", str(worst), f"{slow:.4f}", f"{own:.4f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
