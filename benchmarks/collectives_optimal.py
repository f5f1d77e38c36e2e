"""How near are the collectives for any network to their bounds, and how long do they take?

``python benchmarks/collectives_optimal.py`` prints one line per network: the optimum for long data
(rounds per chunk), what the packed trees and the flows reach, and seconds. ForestColl's authors
report 105 CPU seconds for the trees of an 8 x 8 torus.
"""

from __future__ import annotations

import time

import numpy as np

import hopscape
from hopscape import Goal, verify
from hopscape.collectives.bounds import bandwidth_optimum
from hopscape.collectives.choose import run_algorithm
from hopscape.collectives.forest_schedules import best_pieces

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


def main() -> None:
    """Print the table."""
    for spec in GATHERED:
        pieces = best_pieces(hopscape.build(spec))
        print(measure(spec, Goal.all_gather(pieces), "forest"), flush=True)
        print(measure(spec, Goal.all_gather(pieces), "breadth-first"), flush=True)
    for spec in EXCHANGED:
        print(measure(spec, Goal.all_to_all(), "flow"), flush=True)


if __name__ == "__main__":
    main()
