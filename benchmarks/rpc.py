"""Speed on rings of Petersen-connected cycles: distances, permutations, groups.

Minimum over repeats; peers run on the same work in the same process.

    python benchmarks/rpc.py
    python benchmarks/rpc.py --repeats 5 --sizes 10 31 60
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import hopscape
from hopscape.collectives import run_algorithm
from hopscape.core.distances import distance_rows
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.papers.rpc.groups import best_group
from timing import best


def distances(repeats: int, pairs: int) -> None:
    """Exact distances by the closed form, and by a table of all distances where it fits."""
    net = hopscape.build("rpc(1000)")
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, net.order, size=(2, pairs))
    router = net.router()
    closed = best(lambda: router.distances(a, b), repeats)
    print(f"rpc(1000) distances, closed form  {pairs / closed / 1e6:8.1f} million/s  (bar: 10)")
    product = hopscape.build("product(ring(1000), pc)").router()
    other = best(lambda: product.distances(a, b), repeats)
    print(f"  product router                  {pairs / other / 1e6:8.1f} million/s")
    print(f"  ratio                           {other / closed:8.1f}")


def permutations(repeats: int) -> None:
    """Schedules for a random permutation of 3000 nodes."""
    net = hopscape.build("rpc(100)")
    targets = np.random.default_rng(0).permutation(net.order).tolist()
    goal = Goal.permutation(targets)
    base = None
    for name in ("general", "two-way", "generic", "balanced"):
        for model in (Model(), Model(duplex="half")):
            run_algorithm(net, goal, name, model)
            spent = best(lambda n=name, m=model: run_algorithm(net, goal, n, m), repeats)
            rounds = run_algorithm(net, goal, name, model).rounds
            base = base or spent
            print(
                f"rpc(100) permutation, {name:9s} {model.duplex:4s}  {spent * 1e3:8.1f} ms"
                f"  {rounds:4d} rounds  ratio {spent / base:6.1f}"
                + ("  (bar: 100 ms)" if name == "general" else "")
            )


def groups(sizes: list[int]) -> None:
    """Best groups of rpc(8), and the largest clique of the same graph by networkx."""
    net = hopscape.build("rpc(8)")
    best_group(net, 13)
    start = time.perf_counter()
    found = [(m, best_group(net, m)) for m in sizes]
    spent = time.perf_counter() - start
    exact = sum(group.exact for _, group in found)
    print(f"rpc(8) groups, {len(sizes)} sizes up to {max(sizes)}: {spent:.2f} s (bar: 60 s)")
    print(f"  exact: {exact} of {len(sizes)}")
    import networkx

    table = distance_rows(net, np.arange(net.order))
    near = (table <= 3) & (table > 0)
    graph = networkx.from_numpy_array(near)
    own = best(lambda: (best_group(net, 12), best_group(net, 13)), 3)
    peer = best(lambda: networkx.max_weight_clique(graph, weight=None), 1)
    print(f"  largest group of diameter 3: {own * 1e3:.1f} ms, networkx {peer * 1e3:.1f} ms")
    print(f"  ratio {peer / own:.1f}")


def main() -> None:
    """Run all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--sizes", type=int, nargs="*", default=list(range(2, 61)))
    options = parser.parse_args()
    distances(options.repeats, options.pairs)
    permutations(options.repeats)
    groups(options.sizes)


if __name__ == "__main__":
    main()
