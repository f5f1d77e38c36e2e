"""Circuit-switched broadcasts against the lower bound, on random networks.

    python benchmarks/circuits.py [--seconds 240] [--seed 0]

Random tori, meshes and circulants, from random roots: how many meet the bound that no broadcast
beats, and by how much the others miss it. Every schedule is verified.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator

import numpy as np

import hopscape
from hopscape.collectives.contest import compete
from hopscape.core.goal import Goal

COUNTS = {"torus": 102, "mesh": 37, "circulant": 60}
MOST = 2000


def specs(kind: str, generator: np.random.Generator) -> Iterator[str]:
    """Random networks of a kind."""
    while True:
        if kind == "circulant":
            order = int(generator.integers(8, 600))
            steps = generator.permutation(np.arange(2, order // 2))[: int(generator.integers(1, 4))]
            yield f"circulant({order}, 1, {', '.join(map(str, sorted(steps.tolist())))})"
            continue
        sides = generator.integers(2, 60, size=int(generator.integers(1, 5)))
        if np.prod(sides) <= MOST:
            yield f"{kind}({', '.join(map(str, sides.tolist()))})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=240.0, help="for each kind")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for kind, count in COUNTS.items():
        generator = np.random.default_rng(given.seed)
        above: Counter[int] = Counter()
        end, shown, slowest = time.monotonic() + given.seconds, [], 0.0
        for spec in specs(kind, generator):
            if sum(above.values()) == count or time.monotonic() > end:
                break
            network = hopscape.build(spec)
            root = int(generator.integers(network.order))
            start = time.monotonic()
            found = compete(network, Goal.broadcast(root), {"switching": "circuit"})
            slowest = max(slowest, time.monotonic() - start)
            more = found.best.rounds - found.bounds[0].rounds
            above[more] += 1
            if more:
                shown.append(f"{spec} from {root}: {found.best.rounds} ({found.bounds[0].rounds})")
        table = ", ".join(f"{above[more]} by {more}" for more in sorted(above) if more)
        print(f"{kind}: {above[0]} of {sum(above.values())} at the bound; above it: {table or 0};")
        print(f"  slowest {slowest:.1f} s")
        for line in shown:
            print(f"  {line}")


if __name__ == "__main__":
    main()
