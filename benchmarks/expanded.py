"""Distances on expanded Heawood networks: covering walks against searches.

Run as ``python benchmarks/expanded.py [--pairs N] [--repeats N] [--json FILE]``. One core.
"""

from __future__ import annotations

import json
import time
from typing import Any

import networkx as nx
import numpy as np
from rich.console import Console
from rich.table import Table

import hopscape
from hopscape.core.distance_kernels import bfs_distances
from hopscape.formats.graphs import to_networkx
from hopscape.metrics import distance_profile
from timing import best, read_options


def distances(n: int, pairs: int, repeats: int) -> dict[str, Any]:
    net = hopscape.build(f"expanded(heawood, {n})")
    start = time.perf_counter()
    router = net.router()
    setup = time.perf_counter() - start
    at, to = np.random.default_rng(0).integers(0, net.order, (2, pairs))
    seconds = best(lambda: router.distances(at, to), repeats)
    ports = best(lambda: router.next_ports(at[: pairs // 10], to[: pairs // 10]), repeats)
    return {
        "work": f"expanded(heawood, {n}), {pairs} random pairs",
        "nodes": net.order,
        "setup_s": setup,
        "distances_per_s": pairs / seconds,
        "next_ports_per_s": pairs // 10 / ports,
        "table_bytes": router.table_bytes,
    }


def peers(repeats: int) -> list[dict[str, Any]]:
    """Pairs on 2,744 nodes (networkx cannot go much farther): one call per pair."""
    net = hopscape.build("expanded(heawood, 2)")
    graph = nx.Graph(to_networkx(net))
    at, to = np.random.default_rng(0).integers(0, net.order, (2, 20_000))
    router = net.router()
    some = list(zip(at[:200].tolist(), to[:200].tolist(), strict=True))
    mine = best(lambda: router.distances(at, to), repeats) / len(at)
    other = best(lambda: [nx.shortest_path_length(graph, a, b) for a, b in some], 1) / len(some)
    search = best(lambda: [bfs_distances(net.indptr, net.heads, a)[b] for a, b in some], 1) / len(
        some
    )
    assert [nx.shortest_path_length(graph, a, b) for a, b in some] == router.distances(
        at[:200], to[:200]
    ).tolist()
    return [
        {"work": "one pair, 2,744 nodes", "who": "covering walks", "seconds": mine, "ratio": 1.0},
        {"work": "", "who": "breadth-first search", "seconds": search, "ratio": search / mine},
        {"work": "", "who": "networkx, two-sided", "seconds": other, "ratio": other / mine},
    ]


def histograms() -> list[dict[str, Any]]:
    rows = []
    for n in (4, 14):
        start = time.perf_counter()
        counted = hopscape.build(f"expanded(heawood, {n})").family.histogram()  # type: ignore[union-attr]
        seconds = time.perf_counter() - start
        rows.append({"work": f"histogram n = {n}", "who": "counting", "seconds": seconds})
        if n == 4:
            start = time.perf_counter()
            searched = distance_profile(hopscape.build("expanded(heawood, 4)"), threads=1).histogram
            other = time.perf_counter() - start
            assert searched == counted
            rows[-1]["ratio"] = 1.0
            rows.append(
                {
                    "work": "",
                    "who": "searches, one per orbit",
                    "seconds": other,
                    "ratio": other / seconds,
                }
            )
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    table = Table()
    for key in rows[0]:
        table.add_column(key)
    for row in rows:
        table.add_row(*(f"{v:,.4g}" if isinstance(v, float) else str(v) for v in row.values()))
    Console(width=140).print(table)


def main() -> None:
    chosen = read_options(__doc__, pairs=1_000_000, repeats=3)
    routes = [distances(n, chosen.pairs, chosen.repeats) for n in (5, 14)]
    others, counts = peers(chosen.repeats), histograms()
    for rows in (routes, others, counts):
        show(rows)
    if chosen.json:
        chosen.json.write_text(json.dumps({"routes": routes, "peers": others, "counts": counts}))


if __name__ == "__main__":
    main()
