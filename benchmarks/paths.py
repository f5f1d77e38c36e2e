"""How many routes a second, asked for one by one, against igraph.

Run as ``python benchmarks/paths.py [SPEC...]``. Pairs of endpoints are drawn at random; a route is
as long as igraph's, except where minimal routes are not shortest (dragonflies pass no third
group). Seconds are of the processor, the least of three runs, after one that fills what a router
keeps.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rich.console import Console
from rich.table import Table

import hopscape
from hopscape.formats.graphs import to_igraph
from timing import best

_SPECS = (
    "torus(8, 8)",
    "torus(32, 32, 32)",
    "mesh(32, 32)",
    "hypercube(12)",
    "circulant(7525, 1, 300, 326)",
    "expanded(heawood, 2)",
    "folded(heawood, 3)",
    "rpc(20)",
    "kautz(3, 6)",
    "cayley(101, 20, 32, 1, 101, 505)",
    "fat_tree(8)",
    "slim_fly(5)",
    "hyperx([8, 8], p=4)",
    "dragonfly(8, 4)",
    "dragonfly(16, 8)",
    "random_regular(1000, 6)",
    "random_regular(20000, 6)",
)
_ROUTES, _OF_IGRAPH = 10_000, 200


def ask(path: Callable[[int, int], Any], pairs: list[tuple[int, int]]) -> None:
    for a, b in pairs:
        path(a, b)


def main() -> None:
    table = Table("network", "hops", "routes a second", "igraph")
    for spec in sys.argv[1:] or _SPECS:
        network = hopscape.build(spec)
        router, graph = network.router(), to_igraph(network)
        draw, ends = random.Random(1), network.endpoints.tolist()
        pairs = [(draw.choice(ends), draw.choice(ends)) for _ in range(_ROUTES)]
        few = pairs[:_OF_IGRAPH]
        hops = [len(router.path(a, b)) - 1 for a, b in pairs]
        if router.exact:
            assert hops[: len(few)] == [len(graph.get_shortest_path(a, b)) - 1 for a, b in few]
        own = best(partial(ask, router.path, pairs), 3, time.process_time)
        other = best(partial(ask, graph.get_shortest_path, few), 3, time.process_time)
        rates = (f"{len(pairs) / own:,.0f}", f"{len(few) / other:,.0f}")
        table.add_row(spec, f"{sum(hops) / len(hops):.1f}", *rates)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
