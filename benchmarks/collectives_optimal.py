"""How near are the collectives for any network to their bounds, and how long do they take?

``python benchmarks/collectives_optimal.py`` prints one line per network: the optimum for long data
(rounds per chunk), what the packed trees and the flows reach, and seconds. ForestColl's authors
report 105 CPU seconds for the trees of an 8 x 8 torus.

``python benchmarks/collectives_optimal.py delivered`` prints the time of the best schedule
for long data (1 GB) over the bound, and CPU seconds: families, irregular graphs, switched machines,
boxes whose switches are 10 or 12 times as fast as the one between them, and the GPUs of a DGX-1.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import hopscape
from hopscape import Goal, Network, verify
from hopscape.collectives.bounds import bandwidth_optimum
from hopscape.collectives.choose import run_algorithm
from hopscape.collectives.contest import compete
from hopscape.collectives.forest_schedules import best_pieces
from hopscape.core.channels import ChannelClass

GATHERED = ("petersen", "heawood", "circulant(20, 1, 6, 9)", "torus(8, 8)", "fat_tree(4)")
EXCHANGED = (
    "circulant(16, 1, 4)",
    "kautz(2, 3, duplex=true)",
    "mesh(4, 4)",
    "torus(3, 5)",
    "torus(8, 8, 8)",
    "random_regular(100, 8)",
    "dragonfly(4, 2, p=2)",
    "slim_fly(5, p=3)",
)


def measure(spec: str, goal: Goal, name: str) -> str:
    """One line: bound, what is reached, seconds without compiling."""
    network = hopscape.build(spec)
    run_algorithm(hopscape.build("ring(5)"), goal, name)
    start = time.perf_counter()
    through = network.has_switches and goal.kind == "all-to-all"
    made = run_algorithm(network, goal, name, {"switching": "cut-through"} if through else None)
    seconds = time.perf_counter() - start
    best = bandwidth_optimum(network, goal)
    assert best is not None
    assert verify(made).holds
    load = int(np.bincount(made.channels).max())
    return (
        f"{spec:26} {goal.kind:10} {name:14} {goal.chunks:3} pieces  optimum"
        f" {float(best.rounds):8.3f}  rounds {made.rounds / goal.chunks:8.3f}"
        f"  load {load / goal.chunks:8.3f}  {seconds:7.2f} s"
    )


NVLINKS = {
    (0, 1): 1, (0, 2): 1, (0, 3): 2, (0, 4): 2, (1, 2): 2, (1, 3): 1, (1, 5): 2, (2, 3): 1,
    (2, 6): 2, (3, 7): 2, (4, 5): 1, (4, 6): 1, (4, 7): 2, (5, 6): 2, (5, 7): 1, (6, 7): 1,
}  # fmt: skip
"""Links of the eight GPUs of a DGX-1 (V100), by pair."""
DELIVERED = (
    "petersen", "heawood", "torus(4, 4)", "mesh(3, 7)", "hypercube(4)", "circulant(29, 2, 5)",
    "kautz(2, 3, duplex=true)", "random_regular(30, 5)", "rpc(2)", "fat_tree(4)",
    "leaf_spine(5, 2, 4)", "bcube(3, 1)", "slim_fly(3, p=2)",
)  # fmt: skip
SIZE = 1e9


def boxes(count: int, size: int, fast: int) -> Network:
    """Boxes of GPUs with a fast switch each and a slow one between all."""
    nodes = count * size
    links = [(g, nodes + g // size) for g in range(nodes)] + [
        (g, nodes + count) for g in range(nodes)
    ]
    return Network.from_links(
        nodes + count + 1,
        *zip(*links),
        switches=np.arange(nodes, nodes + count + 1),
        classes=[ChannelClass("box", fast), ChannelClass("between", 1)],
        kinds=[0] * nodes + [1] * nodes,
        spec=f"{count} boxes of {size}, {fast} : 1",
    )


def dgx(count: int) -> Network:
    """The first GPUs of a DGX-1."""
    ends = {pair: links for pair, links in NVLINKS.items() if max(pair) < count}
    return Network.from_links(
        count,
        *zip(*ends),
        classes=[ChannelClass("one", 1), ChannelClass("two", 2)],
        kinds=[links - 1 for links in ends.values()],
        spec=f"DGX-1, {count} GPUs",
    )


def faster_lines(spec: str, times: int) -> Network:
    """A switched machine whose endpoints have faster lines than its switches."""
    net = hopscape.build(spec)
    once = net.tails < net.heads
    ends = np.isin(np.arange(net.order), net.endpoints)
    tails, heads = net.tails[once], net.heads[once]
    return Network.from_links(
        net.order,
        tails,
        heads,
        switches=np.nonzero(~ends)[0],
        classes=[ChannelClass("between", 1), ChannelClass("line", times)],
        kinds=(ends[tails] | ends[heads]).astype(int),
        spec=f"{spec}, lines x{times}",
    )


def deliver(network: Network) -> str:
    """One line: delivered time over the bound for 1 GB, goal by goal."""
    root = int(network.endpoints[0])
    start, cells = time.process_time(), []
    goals = (Goal.broadcast(root), Goal.reduce(root), Goal.all_gather(), Goal.all_reduce())
    for goal in goals:
        found = compete(network, goal, size=SIZE)
        ratio = found.best.time(found.costs, SIZE) / found.least_time(SIZE)
        cells.append(f"{goal.kind} {ratio:.3f} ({found.best.algorithm})")
    return f"{network.spec:32} {'  '.join(cells)}  {time.process_time() - start:.1f} s"


def print_delivered() -> None:
    """The second table."""
    machines = [hopscape.build(spec) for spec in DELIVERED]
    machines += [boxes(2, 8, 12), boxes(4, 4, 10), faster_lines("fat_tree(4)", 3)]
    machines += [dgx(count) for count in range(2, 9)]
    for network in machines:
        print(deliver(network), flush=True)


def main() -> None:
    """Print the table."""
    if sys.argv[1:] == ["delivered"]:
        print_delivered()
        return
    for spec in GATHERED:
        pieces = best_pieces(hopscape.build(spec))
        print(measure(spec, Goal.all_gather(pieces), "forest"), flush=True)
        print(measure(spec, Goal.all_gather(pieces), "breadth-first"), flush=True)
    for spec in EXCHANGED:
        print(measure(spec, Goal.all_to_all(), "flow"), flush=True)


if __name__ == "__main__":
    main()
