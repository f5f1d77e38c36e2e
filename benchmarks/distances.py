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

from hopscape.metrics import distance_kernels as kernels

# One thread each.  The other packages read these when imported, which happens in their functions.
for variable in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[variable] = "1"

Histogram = list[int]
SLOW = "skipped (slow; --full)"


@dataclass
class Case:
    """A duplex graph: its links, its rows, and whether all nodes look alike."""

    name: str
    n: int
    links: np.ndarray[Any, np.dtype[np.int64]]
    alike: bool = False

    def __post_init__(self) -> None:
        tails, heads = np.concatenate([self.links, self.links[:, ::-1]]).T
        order = np.argsort(tails, kind="stable")
        self.heads = heads[order].astype(np.int32)
        self.indptr = np.zeros(self.n + 1, np.int64)
        np.cumsum(np.bincount(tails, minlength=self.n), out=self.indptr[1:])


def random_regular(n: int) -> Case:
    graph = nx.random_regular_graph(6, n, seed=1)
    return Case(f"random 6-regular {n:,}", n, np.array(graph.edges))


def torus(*sizes: int) -> Case:
    ids = np.arange(np.prod(sizes)).reshape(sizes)
    links = [np.stack([ids, np.roll(ids, -1, axis)], -1) for axis in range(len(sizes))]
    name = "torus " + "x".join(map(str, sizes))
    return Case(name, ids.size, np.concatenate([part.reshape(-1, 2) for part in links]), True)


def circulant(n: int, *jumps: int) -> Case:
    ids = np.arange(n)
    links = [np.stack([ids, (ids + jump) % n], 1) for jump in jumps]
    return Case(f"circulant({n}; {', '.join(map(str, jumps))})", n, np.concatenate(links), True)


# --- The packages: each returns a prepared graph and a call that gives a histogram ------------


def hopscape(case: Case) -> Callable[[], Histogram]:
    sources = np.arange(case.n)
    words = kernels.choose_words(case.n, case.n)
    return lambda: kernels.distance_sweep(case.indptr, case.heads, sources, words)[0].tolist()


def hopscape_symmetry(case: Case) -> Callable[[], Histogram]:
    def call() -> Histogram:
        return (np.bincount(kernels.bfs_distances(case.indptr, case.heads, 0)) * case.n).tolist()

    return call


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
    ("igraph", with_igraph, 10_000),
    ("networkit", with_networkit, 10_000),
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
    hopscape(case)()  # compile
    seconds, histogram = measure(hopscape(case))
    rows: list[dict[str, Any]] = [{"package": "hopscape", "seconds": seconds}]
    if case.alike:
        hopscape_symmetry(case)()
        took, answer = measure(hopscape_symmetry(case))
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
    small = torus(4, 4, 4)
    kernels.distance_sweep(small.indptr, small.heads, np.arange(64), 1)  # compile
    # Rows without the list of links: the nodes next to v are v with one coordinate moved by one.
    n, size = 10**6, 100
    indptr = np.arange(n + 1, dtype=np.int64) * 6
    heads = np.empty((n, 6), np.int32)
    for node in range(0, n, 1000):
        ids = np.arange(node, node + 1000)
        for axis, stride in enumerate((1, size, size**2)):
            digit = ids // stride % size
            for side, step in enumerate((1, -1)):
                moved = ids + ((digit + step) % size - digit) * stride
                heads[node : node + 1000, 2 * axis + side] = moved
    heads = heads.reshape(-1)
    before = resident("VmRSS", reset_peak=True)
    start = time.process_time()
    histogram = kernels.distance_sweep(indptr, heads, np.arange(64), 1)[0]
    seconds = time.process_time() - start
    counted = (16 * 1 + 4) * n
    grown = resident("VmHWM") - before or counted
    graph = indptr.nbytes + heads.nbytes
    result = {
        "case": "torus 100x100x100, 64 sources",
        "seconds": seconds,
        "heads_bytes": heads.nbytes,
        "graph_bytes": graph,
        "state_bytes_counted": counted,
        "state_bytes_measured": grown,
        "total_over_heads": (graph + grown) / heads.nbytes,
        "diameter": int(histogram.size - 1),
    }
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
    cases = [random_regular(1_000), circulant(7525, 1, 300, 326)]
    if options.quick:
        cases = [random_regular(1_000), circulant(1001, 1, 44)]
    else:
        cases[1:1] = [random_regular(4_000), random_regular(10_000), torus(32, 32, 32)]
    results = [row for case in cases for row in run_case(case, options.full)]
    show(console, results)
    space = memory()
    megabytes = {key: f"{value / 1e6:.0f} MB" for key, value in space.items() if "bytes" in key}
    console.print(
        f"Memory, {space['case']}: graph {megabytes['graph_bytes']} (heads "
        f"{megabytes['heads_bytes']}), state {megabytes['state_bytes_counted']} counted, "
        f"{megabytes['state_bytes_measured']} measured; together "
        f"{space['total_over_heads']:.2f} times the heads; {space['seconds']:.2f} s",
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
