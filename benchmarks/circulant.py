"""Path vectors on circulants: closed form and exact search, beside tables and other packages.

Run as ``python benchmarks/circulant.py [--pairs N] [--repeats N] [--json FILE]``. One thread; the
least of the repeats; every router answers the same random pairs in the same run.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import hopscape
from hopscape.core.distances import distances_from
from hopscape.core.network import Network
from hopscape.families.circulant.routing import CirculantRouter
from timing import best, read_options

GRAPHS = ((7525, (1, 300, 326)), (7525, (1, 25, 601)), (1203253, (1, 8912, 9046)))


def routers(network: Network, nodes: int, generators: tuple[int, ...]) -> list[dict[str, Any]]:
    """What is measured: a name, a function of pairs, build seconds and bytes."""
    found: list[dict[str, Any]] = []
    for method in ("closed", "lattice"):
        start = time.perf_counter()
        router = CirculantRouter(network, nodes, generators, method)
        size = router.memory_bytes
        built = time.perf_counter() - start
        found.append({"name": router.name, "call": router.vectors, "build": built, "bytes": size})
    start = time.perf_counter()
    far = distances_from(network, 0).astype(np.uint16)
    vectors = found[0]["call"](np.zeros(nodes, np.int64), np.arange(nodes)).astype(np.int16)
    built = time.perf_counter() - start
    table = {"build": built, "bytes": far.nbytes + vectors.nbytes}
    found.append(
        {"name": "table of vectors", "call": lambda a, b: vectors[(b - a) % nodes], **table}
    )
    return found


def peers(network: Network, pairs: int) -> list[tuple[str, Callable[[Any, Any], Any], int]]:
    """Other packages, on fewer pairs."""
    import igraph
    import networkx as nx

    tails, heads = network.tails, network.heads
    keep = tails < heads
    links = list(zip(tails[keep].tolist(), heads[keep].tolist(), strict=True))
    graph = nx.Graph(links)
    other = igraph.Graph(network.order, links)

    def by_networkx(a: Any, b: Any) -> None:
        for u, v in zip(a.tolist(), b.tolist(), strict=True):
            nx.shortest_path(graph, u, v)

    def by_igraph(a: Any, b: Any) -> None:
        for u, v in zip(a.tolist(), b.tolist(), strict=True):
            other.get_shortest_paths(u, v)

    return [("networkx", by_networkx, pairs), ("igraph", by_igraph, pairs)]


def measure(
    nodes: int, generators: tuple[int, ...], pairs: int, repeats: int
) -> list[dict[str, Any]]:
    network = hopscape.build(f"circulant({nodes}, {', '.join(map(str, generators))})")
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, nodes, pairs), rng.integers(0, nodes, pairs)
    rows = []
    for router in routers(network, nodes, generators):
        seconds = best(lambda call=router["call"]: call(a, b), repeats)
        rows.append(
            {
                "router": router["name"],
                "per_second": pairs / seconds,
                "build_ms": 1e3 * router["build"],
                "bytes": router["bytes"],
            }
        )
    if nodes < 10_000:
        for name, call, few in peers(network, 50):
            seconds = best(lambda call=call, few=few: call(a[:few], b[:few]), 1)
            rows.append(
                {"router": name, "per_second": few / seconds, "build_ms": None, "bytes": None}
            )
    base = rows[0]["per_second"]
    return [row | {"graph": network.spec, "ratio": row["per_second"] / base} for row in rows]


def main() -> None:
    options = read_options(__doc__, pairs=1_000_000, repeats=7)
    rows = [row for graph in GRAPHS for row in measure(*graph, options.pairs, options.repeats)]
    table = Table("graph", "router", "vectors/s", "to closed form", "build ms", "bytes")
    for row in rows:
        built = "-" if row["build_ms"] is None else f"{row['build_ms']:.2f}"
        size = "-" if row["bytes"] is None else f"{row['bytes']:,}"
        table.add_row(
            row["graph"],
            row["router"],
            f"{row['per_second']:,.0f}",
            f"{row['ratio']:.3g}",
            built,
            size,
        )
    Console(width=120).print(table)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
