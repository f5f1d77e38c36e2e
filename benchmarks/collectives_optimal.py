"""How near are the collectives for any network to their bounds, and how long do they take?

``python benchmarks/collectives_optimal.py`` prints one line per network: the optimum for long data
(rounds per chunk), what the packed trees and the flows reach, and seconds. ForestColl's authors
report 105 CPU seconds for the trees of an 8 x 8 torus.

``python benchmarks/collectives_optimal.py delivered`` prints, for sixty networks (families,
irregular graphs, switched machines, speeds of 1 : 12) and for the GPUs of a DGX-1, the time of the
best schedule over its lower bound: broadcast and reduce of 100 MB and 1 GB, all-gather and
all-reduce of 1 GB (and as "trees", without switches, what the best shares of trees up and down take
in the limit); of the DGX-1 where adding costs nothing, so that the bound is the cut; and CPU
seconds. ``--only 10:20`` takes a part of them, ``--goals reduce`` some of the goals. Below stands
what the authors of ForestColl and PCCL publish: of other machines, so that it is context and no
race.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import hopscape
from hopscape import Goal, Network, verify
from hopscape.collectives.bounds import bandwidth_optimum
from hopscape.collectives.choose import run_algorithm
from hopscape.collectives.contest import Contest, compete
from hopscape.collectives.forest_schedules import best_pieces
from hopscape.collectives.passing_trees import passing_shares
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
    "petersen", "heawood", "nauru", "moebius_kantor", "generalized_petersen(7, 2)", "complete(8)",
    "ring(9)", "torus(4, 4)", "torus(3, 5)", "torus(3, 3, 3)", "mesh(3, 7)", "mesh(4, 4)",
    "express_mesh([5, 4], [3])", "tofu(2, 1, 1)", "hypercube(4)", "ccc(3)", "circulant(29, 2, 5)",
    "circulant(16, 1, 4)", "multiring(16, 1, 3)", "kautz(2, 3, duplex=true)", "xpander(4, 4)",
    "rpc(2)", "rp(2)", "expanded(ring(3), 1)", "folded(ring(5), 2)",
    "random_regular(30, 5)", "random_regular(40, 3)",
    "fat_tree(4)", "leaf_spine(5, 2, 4)", "bcube(3, 1)", "slim_fly(3, p=2)", "dcell(3, 1)",
    "hammingmesh(2, 2, 2, 2)", "concentrated(ring(5), 3)", "rail_optimized(2, 3, units=2)",
    "xgft([3, 2, 2], [1, 2, 3])", "polarfly(3, p=2)", "dragonfly(3, 1, p=2)", "kary_ntree(2, 3)",
    "mlfm(2)", "hyperx((3, 3), 2)",
)  # fmt: skip
LINES = {"fat_tree(4)": 3, "leaf_spine(4, 2, 4)": 2, "hyperx((3, 3), 2)": 4, "mlfm(2)": 12}
"""Switched machines whose endpoints have lines so many times as fast."""
UNEQUAL = ("torus(4, 4)", "petersen", "hypercube(4)", "mesh(3, 5)", "random_regular(20, 4)")
IRREGULAR = ((12, 6), (16, 12), (20, 10), (24, 30), (30, 15), (34, 44))
"""Nodes, and links beside those of a tree."""
SPEEDS = (1, 2, 3, 12)
SIZES = (100e6, 1e9)
KINDS = ["broadcast", "reduce", "all-gather", "all-reduce"]
PUBLISHED = (
    "ForestColl (arXiv 2402.06787, abstracts): up to 52 % above RCCL and NCCL on MI250 and A100,"
    " up to 61 % more efficient than other generated schedules; torus(8, 8) in 105 CPU s",
    "PCCL (arXiv 2606.07019, abstract): all-to-all of 512 devices generated in 11.68 minutes;"
    " no ratio to an optimum is given there",
)


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


def irregular(nodes: int, more: int) -> Network:
    """A random tree and random links beside it, by a seed."""
    generator = np.random.default_rng(nodes)
    links = {(int(generator.integers(v)), v) for v in range(1, nodes)}
    while len(links) < nodes - 1 + more:
        u, v = sorted(generator.choice(nodes, 2, replace=False).tolist())
        links.add((u, v))
    return Network.from_links(nodes, *zip(*sorted(links)), spec=f"irregular, {nodes} nodes")


def unequal(spec: str) -> Network:
    """A network whose links have speeds by lot."""
    net = hopscape.build(spec)
    once = net.tails < net.heads
    kinds = np.random.default_rng(net.order).integers(len(SPEEDS), size=int(once.sum()))
    return Network.from_links(
        net.order,
        net.tails[once],
        net.heads[once],
        classes=[ChannelClass(f"speed {speed}", speed) for speed in SPEEDS],
        kinds=kinds,
        spec=f"{spec}, speeds 1 to 12",
    )


def machines() -> list[tuple[Network, dict[str, float]]]:
    """The networks of the second table, with their costs where they are not the usual ones."""
    plain = [hopscape.build(spec) for spec in DELIVERED]
    plain += [irregular(*shape) for shape in IRREGULAR]
    plain += [boxes(2, 8, 12), boxes(4, 4, 10), boxes(3, 4, 5), boxes(2, 4, 3)]
    plain += [faster_lines(spec, times) for spec, times in LINES.items()]
    plain += [unequal(spec) for spec in UNEQUAL]
    usual: list[tuple[Network, dict[str, float]]] = [(network, {}) for network in plain]
    return usual + [(dgx(count), {"gamma": 0.0}) for count in range(2, 9)]


def deliver(network: Network, costs: dict[str, float], kinds: list[str]) -> str:
    """One line: delivered time over the bound, goal by goal and size by size."""
    root = int(network.endpoints[0])
    start, cells = time.process_time(), []
    goals = (Goal.broadcast(root), Goal.reduce(root), Goal.all_gather(), Goal.all_reduce())
    spent = {}
    for goal in (goal for goal in goals if goal.kind in kinds):
        for size in SIZES if goal.root is not None else SIZES[-1:]:
            found = compete(network, goal, costs or None, size=size)
            spent[goal.kind] = found.best.time(found.costs, size)
            ratio = spent[goal.kind] / found.least_time(size)
            cells.append(f"{goal.kind} {size:.0e} {ratio:.3f} {found.best.algorithm}")
            if goal.kind == "all-reduce":
                cells.append(by_trees(network, found, size))
    known = {"broadcast", "all-reduce"} <= spent.keys()
    dearer = " DEARER than the all-reduce" * (known and spent["broadcast"] > spent["all-reduce"])
    seconds = time.process_time() - start
    return f"{network.spec:32} {'  '.join(cells)}{dearer}  {seconds:.1f} s"


def by_trees(network: Network, found: Contest, size: float) -> str:
    """What the best shares of trees take of long data, over the bound: no chunking takes less."""
    unit = float(network.capacities().max()) / float(network.room().max())
    beta, gamma = found.costs["beta"] / unit, found.costs["gamma"]
    if network.has_switches or not gamma:
        return ""
    shares = passing_shares(network, gamma / beta)
    least = (beta * shares.busy + gamma * shares.added) * size
    return f"(trees {least / found.least_time(size):.3f})"


def print_delivered(part: slice, kinds: list[str]) -> None:
    """The second table."""
    for network, costs in machines()[part]:
        print(deliver(network, costs, kinds), flush=True)
    print(*PUBLISHED, sep="\n")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", nargs="?", choices=("packed", "delivered"), default="packed")
    parser.add_argument("--only", default=":", metavar="A:B", help="lines A to B - 1 of delivered")
    parser.add_argument("--goals", nargs="+", choices=KINDS, default=KINDS, metavar="GOAL")
    given = parser.parse_args()
    if given.table == "delivered":
        low, high = given.only.split(":")
        print_delivered(slice(int(low or 0), int(high) if high else None), given.goals)
        return
    for spec in GATHERED:
        pieces = best_pieces(hopscape.build(spec))
        print(measure(spec, Goal.all_gather(pieces), "forest"), flush=True)
        print(measure(spec, Goal.all_gather(pieces), "breadth-first"), flush=True)
    for spec in EXCHANGED:
        print(measure(spec, Goal.all_to_all(), "flow"), flush=True)


if __name__ == "__main__":
    main()
