"""All-pairs diameter, mean distance and histogram: hopscape and other packages, one thread each.

Run as ``python benchmarks/distances.py [--quick | --full] [--json FILE]``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from rich.console import Console
from rich.table import Table

import hopscape
from hopscape.core import distance_kernels as kernels
from hopscape.core.network import Network
from hopscape.formats.graphs.libraries import link_ends
from hopscape.metrics import distance_profile

# One thread each.  The other packages read these when imported, which happens in their functions.
for variable in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

Histogram = list[int]
SLOW = "skipped (slow; --full)"


@dataclass
class Case:
    """A duplex network, and its links as the other packages take them."""

    network: Network

    def __post_init__(self) -> None:
        self.name = self.network.spec
        self.n = self.network.order
        tails, heads, _ = link_ends(self.network)
        self.links = np.stack([tails, heads], axis=1)
        self.indptr, self.heads = self.network.indptr, self.network.heads


def case(spec: str) -> Case:
    return Case(hopscape.build(spec))


# --- The packages: each returns a prepared graph and a call that gives a histogram ------------


def all_sources(case: Case) -> Callable[[], Histogram]:
    return lambda: list(distance_profile(case.network, exact=True, threads=1).histogram)


def by_symmetry(case: Case) -> Callable[[], Histogram]:
    return lambda: list(distance_profile(case.network, threads=1).histogram)


def with_igraph(case: Case) -> Callable[[], Histogram]:
    import igraph

    graph = igraph.Graph(case.n, case.links.tolist())
    # The bins count unordered pairs, from distance 1.
    return lambda: [case.n, *(2 * int(count) for _, _, count in graph.path_length_hist().bins())]


def with_rustworkx(case: Case) -> Callable[[], Histogram]:
    import rustworkx

    graph = rustworkx.PyGraph()
    graph.add_nodes_from(range(case.n))
    graph.add_edges_from_no_data([tuple(link) for link in case.links.tolist()])

    def call() -> Histogram:
        matrix = rustworkx.distance_matrix(graph, parallel_threshold=10 * case.n)
        return np.bincount(matrix.astype(np.int32).ravel()).tolist()

    return call


def with_networkit(case: Case) -> Callable[[], Histogram]:
    import networkit

    networkit.setNumberOfThreads(1)
    graph = networkit.Graph(case.n)
    for u, v in case.links.tolist():
        graph.addEdge(u, v)

    def call() -> Histogram:
        result = networkit.distance.NeighborhoodFunction(graph).run().getNeighborhoodFunction()
        return [case.n, *np.diff(result, prepend=0).astype(int).tolist()]

    return call


def with_scipy(case: Case) -> Callable[[], Histogram]:
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    matrix = csr_array((np.ones(case.heads.size), case.heads, case.indptr), shape=(case.n, case.n))

    def call() -> Histogram:
        distances = shortest_path(matrix, method="D", unweighted=True)
        return np.bincount(distances.astype(np.int32).ravel()).tolist()

    return call


def with_networkx(case: Case) -> Callable[[], Histogram]:
    graph = nx.Graph(case.links.tolist())

    def call() -> Histogram:
        counts: dict[int, int] = {}
        for _, row in nx.all_pairs_shortest_path_length(graph):
            for distance in row.values():
                counts[distance] = counts.get(distance, 0) + 1
        return [counts[distance] for distance in range(len(counts))]

    return call


# Package, and the largest number of nodes it is run at without --full.
PEERS: list[tuple[str, Callable[[Case], Callable[[], Histogram]], int]] = [
    ("igraph", with_igraph, 40_000),
    ("networkit", with_networkit, 40_000),
    ("rustworkx", with_rustworkx, 10_000),
    ("scipy", with_scipy, 10_000),
    ("networkx", with_networkx, 4_000),
]


# --- Measuring --------------------------------------------------------------------------------


def measure(call: Callable[[], Histogram], budget: float = 2.0) -> tuple[float, Histogram]:
    """Least processor time of up to 15 calls within a time budget."""
    best, spent, answer = float("inf"), 0.0, []
    for _ in range(15):
        start = time.process_time()
        answer = call()
        took = time.process_time() - start
        best, spent = min(best, took), spent + took
        if spent > budget:
            break
    return best, answer


def summary(histogram: Histogram) -> str:
    pairs = sum(histogram) - histogram[0]
    total = sum(d * count for d, count in enumerate(histogram))
    return f"diameter {len(histogram) - 1}, mean {total / pairs:.6f}"


def run_case(case: Case, full: bool) -> list[dict[str, Any]]:
    all_sources(case)()  # compile
    seconds, histogram = measure(all_sources(case))
    rows: list[dict[str, Any]] = [{"package": "hopscape", "seconds": seconds}]
    if case.network.symmetry is not None:
        took, answer = measure(by_symmetry(case))
        agrees = answer == histogram
        rows.append({"package": "hopscape, one BFS", "seconds": took, "agrees": agrees})
    for package, prepare, largest in PEERS:
        if case.n > largest and not full:
            rows.append({"package": package, "note": SLOW})
            continue
        try:
            call = prepare(case)
        except ImportError:
            rows.append({"package": package, "note": "not installed"})
            continue
        took, answer = measure(call)
        agrees = answer == histogram
        rows.append({"package": package, "seconds": took, "agrees": agrees})
    for row in rows:
        row |= {"case": case.name, "answer": summary(histogram)}
        if "seconds" in row:
            row["ratio"] = row["seconds"] / seconds
    return rows


def memory() -> dict[str, Any]:
    """Bytes for one block of 64 sources on a large torus, counted and as measured growth.

    Runs in a process of its own: the peak of this one is set by the other packages.
    """
    command = [sys.executable, __file__, "--memory-only"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    result: dict[str, Any] = json.loads(answer.stdout)
    return result


def resident(field: str, reset_peak: bool = False) -> int:
    """Bytes in a field of this process's status (Linux; 0 elsewhere)."""
    if not sys.platform.startswith("linux"):
        return 0
    if reset_peak:
        Path("/proc/self/clear_refs").write_text("5")
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def memory_only() -> None:
    """Print the memory of one block of sources, for :func:`memory`."""
    small = hopscape.build("torus(4, 4, 4)")
    kernels.distance_sweep(small.indptr, small.heads, np.arange(64), 1)  # compile
    before = resident("VmRSS", reset_peak=True)
    large = hopscape.build("torus(100, 100, 100)")
    start = time.process_time()
    profile = distance_profile(large, sample=64, threads=1)
    result = {
        "case": "torus(100, 100, 100) built, distances from 64 nodes",
        "seconds": time.process_time() - start,
        "heads_bytes": large.heads.nbytes,
        "peak_bytes": resident("VmHWM") - before,
        "diameter": profile.diameter,
    }
    result["peak_over_heads"] = result["peak_bytes"] / result["heads_bytes"]
    print(json.dumps(result))


def ratio(row: dict[str, Any]) -> str:
    if "ratio" not in row:
        return ""
    return f"{row['ratio']:,.0f}" if row["ratio"] >= 10 else f"{row['ratio']:.2g}"


def show(console: Console, results: Iterable[dict[str, Any]]) -> None:
    table = Table("case", "package", "seconds", "times hopscape", "answer")
    table.columns[2].justify = table.columns[3].justify = "right"
    previous = None
    for row in results:
        first = row["case"] != previous
        if first and previous:
            table.add_section()
        previous = row["case"]
        table.add_row(
            f"{row['case']}\n{row['answer']}" if first else "",
            row["package"],
            f"{row['seconds']:.5f}" if "seconds" in row else "",
            ratio(row),
            row.get("note", "same" if row.get("agrees", True) else "DIFFERENT"),
        )
    console.print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small graphs only")
    parser.add_argument("--full", action="store_true", help="run the very slow packages too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results to a file")
    parser.add_argument("--memory-only", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_only:
        memory_only()
        return
    console = Console(width=max(110, Console().width))
    specs = ["random_regular(1000, 6, seed=1)", "circulant(7525, 1, 300, 326)"]
    if options.quick:
        specs = ["random_regular(1000, 6, seed=1)", "circulant(1001, 1, 44)"]
    else:
        specs[1:1] = [f"random_regular({n}, 6, seed=1)" for n in (4_000, 10_000)]
        specs.append("torus(32, 32, 32)")
    results = [row for spec in specs for row in run_case(case(spec), options.full)]
    show(console, results)
    space = memory()
    console.print(
        f"Memory, {space['case']}: adjacency {space['heads_bytes'] / 1e6:.0f} MB, peak "
        f"{space['peak_bytes'] / 1e6:.0f} MB, {space['peak_over_heads']:.2f} times as much",
        highlight=False,
    )
    if options.json:
        machine = {"machine": platform.machine(), "python": platform.python_version()}
        report = {**machine, "results": results, "memory": space}
        options.json.write_text(json.dumps(report, indent=2) + "\n")
    if not all(row.get("agrees", True) for row in results):
        sys.exit("the answers differ")


if __name__ == "__main__":
    main()
