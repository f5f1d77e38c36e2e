"""What the flit simulator carries on multirings, beside what their balanced schedule can carry.

Sets of steps are drawn by the seed. The capacity is that of the balanced schedule, a proved optimum
in packets per slot (``hopscape multiring capacity``). The simulator is offered exactly that much:
every node sends to all others alike, by routes drawn with the shares of the schedule. A node of
such a set sends up to six packets per cycle, so that it has several lines into its router and out
of it; every virtual channel has an input of its own at the switch, as the rings of a node share
none.
"""

from __future__ import annotations

import argparse

import numpy as np

import hopscape
from hopscape.papers.multiring.capacity import balanced_schedule
from hopscape.papers.multiring.rings import FullRings
from hopscape.simulate import Settings, build_setup, make_traffic
from hopscape.simulate.measurement import run_point

SHARE = 0.98


def draw_spec(generator: np.random.Generator) -> str:
    """A duplex multiring of 8 to 40 nodes with two to four steps, 1 among them."""
    nodes = int(generator.integers(8, 41))
    count = int(generator.integers(1, 4))
    steps = generator.choice(np.arange(2, nodes // 2), min(count, nodes // 2 - 2), replace=False)
    return f"multiring({nodes}, 1, {', '.join(map(str, sorted(steps.tolist())))})"


def carried(spec: str, *, lines: int = 8, cycles: int = 10_000, seed: int = 0) -> tuple[float, ...]:
    """The proved capacity of a set of rings, and what the simulator carries when offered it."""
    network = hopscape.build(spec)
    if not isinstance(network.family, FullRings):
        raise SystemExit(f"{spec} is no set of full rings, such as multiring(16, 1, 3)")
    schedule = balanced_schedule(network.family)
    if not schedule.proved:
        raise SystemExit(f"the capacity of {spec} is not proved")
    most = float(schedule.capacity)
    settings = Settings(
        injectors=lines, ejectors=lines, vcs=30, speedup=30, priority="age", window="none"
    )
    setup = build_setup(network, settings, network.router("balanced-rings"))
    traffic = make_traffic("uniform-others", network.order)
    load = most / network.order
    point = run_point(setup, traffic, load, warmup=cycles // 2, cycles=cycles, seed=seed)
    return most, point.accepted * network.order


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*", help="multirings; else drawn by the seed")
    parser.add_argument("--sets", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=8, help="injectors and ejectors of a node")
    parser.add_argument("--cycles", type=int, default=10_000)
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    specs = options.specs or [draw_spec(generator) for _ in range(options.sets)]
    print("| network | capacity | carried | share |\n|---|---|---|---|")
    shares = []
    for spec in specs:
        most, found = carried(spec, lines=options.lines, cycles=options.cycles, seed=options.seed)
        shares.append(found / most)
        print(f"| `{spec}` | {most:.3f} | {found:.3f} | {shares[-1]:.1%} |", flush=True)
    good = sum(abs(1 - share) <= 1 - SHARE for share in shares)
    print(f"{good} of {len(shares)} within 2 % of the capacity;", end=" ")
    print(f"from {min(shares):.1%} to {max(shares):.1%}")


if __name__ == "__main__":
    main()
