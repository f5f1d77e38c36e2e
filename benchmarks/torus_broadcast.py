"""Speed of torus broadcasts: building, verifying, and digits of number systems.

    python benchmarks/torus_broadcast.py [--repeats 3] [--points 10000000]

Compares the digit kernel with the same expansion in plain numpy, and the verification kernel with a
plain Python walk over the same schedule (on side 7), as ratios. Minimum of the repeats.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import hopscape
from hopscape import Model, verify
from hopscape.collectives.circuits.schemes import scheme
from hopscape.collectives.circuits.torus import to_schedule
from hopscape.papers.torusbcast.node_local import LocalRule
from hopscape.papers.torusbcast.numeration import word_system
from timing import best


def plain_verify(schedule: Any) -> bool:
    """The rules of a vertex-disjoint broadcast, in plain Python."""
    heads = schedule.network.heads.tolist()
    informed = {schedule.goal.root}
    for r in range(schedule.rounds):
        first, last = int(schedule.round_start[r]), int(schedule.round_start[r + 1])
        sources = {int(s) for s in schedule.source[first:last]}
        met: set[int] = set()
        for t in range(first, last):
            path = schedule.channels[schedule.path_start[t] : schedule.path_start[t + 1]]
            for c in path.tolist():
                if heads[c] in met or heads[c] in sources:
                    return False
                met.add(heads[c])
        if not sources <= informed:
            return False
        informed |= {int(v) for v in schedule.target[first:last]}
    return len(informed) == schedule.network.order


def main() -> None:
    """Run everything and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--points", type=int, default=10_000_000)
    args = parser.parse_args()
    print(f"{'what':58s}{'seconds':>10s}{'ratio':>10s}")
    for name, sides in (
        ("optimal", (49, 49, 49)),
        ("edge-disjoint", (49, 49, 49)),
        ("numeration", (625, 625)),
    ):
        network = hopscape.build(f"torus({', '.join(map(str, sides))})")
        program = scheme(name, sides)
        schedule = to_schedule(program, network, 0, Model(), name)

        def build(p: Any = program, n: Any = network) -> Any:
            return to_schedule(p, n, 0, Model(), "x")

        text = f"{name} on {network.spec} ({network.order:,} nodes)"
        print(f"{'build ' + text:58s}{best(build, args.repeats):10.3f}")
        kernel = best(lambda s=schedule: verify(s), args.repeats)
        print(f"{'verify ' + text:58s}{kernel:10.3f}")
        if name == "optimal":
            plain = best(lambda s=schedule: plain_verify(s), 1)
            print(f"{'  the same in plain Python':58s}{plain:10.3f}{plain / kernel:9.1f}x")
    generator = np.random.default_rng(0)
    for key, blocks in (("2", 1), ("2", 2), ("3-printed", 1), ("3-printed", 2)):
        system = word_system(key)
        side = system.base**blocks
        points = generator.integers(0, side, (args.points, system.dimension))
        seconds = best(lambda s=system, p=points, b=blocks: s.digits(p, b), args.repeats)
        part = points[: args.points // 10]
        slow = best(lambda s=system, p=part, b=blocks: s._slow_digits(p, b), 1) * 10
        what = f"digits of {args.points:,} vertices, side {side} ({system.dimension}-D)"
        rate = args.points / seconds / 1e6
        print(f"{what:58s}{seconds:10.3f}{slow / seconds:9.1f}x  {rate:.1f} million vertices/s")
    rule = LocalRule("optimal", 343, 3)
    points = generator.integers(0, 343, (1_000_000, 3))
    seconds = best(lambda: rule.roles(points), args.repeats)
    print(f"{'local rule: roles of 1,000,000 of 40,353,607 nodes':58s}{seconds:10.3f}")


if __name__ == "__main__":
    main()
