"""What the flit simulator carries on multirings, beside what their balanced schedule can carry.

Sets of steps are drawn by the seed. The capacity, in packets per cycle, follows from the exact
shares of the balanced routes: the busiest channel carries one flit per cycle. In the simulator
every node has several endpoints (``--lines``: a node of such a set sends up to 2.6 packets per
cycle, an endpoint one), which send to all other nodes alike, ``--factor`` times the capacity.
"""

from __future__ import annotations

import argparse

import numpy as np

import hopscape
from hopscape.simulate import Settings, Setup, build_setup, make_traffic
from hopscape.simulate.measurement import run_point


def draw_spec(generator: np.random.Generator) -> str:
    """A duplex multiring of 8 to 40 nodes with two to four steps, 1 among them."""
    nodes = int(generator.integers(8, 41))
    count = int(generator.integers(1, 4))
    steps = generator.choice(np.arange(2, nodes // 2), min(count, nodes // 2 - 2), replace=False)
    return f"multiring({nodes}, 1, {', '.join(map(str, sorted(steps.tolist())))})"


def capacity(setup: Setup) -> float:
    """Packets per cycle of all nodes together at which the busiest channel is always busy."""
    routes = setup.chosen
    assert routes is not None
    lengths = np.diff(routes.starts)
    shares = np.diff(routes.shares, prepend=0.0)
    first = routes.first[routes.first < len(shares)]
    shares[first] = routes.shares[first]
    loads = np.bincount(routes.channels, weights=np.repeat(shares, lengths))
    order = setup.network.order
    return float(order * (order - 1) / loads.max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*", help="multirings; else drawn by the seed")
    parser.add_argument("--sets", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--lines", type=int, default=8)
    parser.add_argument("--factor", type=float, default=1.5)
    parser.add_argument("--cycles", type=int, default=2000)
    options = parser.parse_args()
    generator = np.random.default_rng(options.seed)
    specs = options.specs or [draw_spec(generator) for _ in range(options.sets)]
    print("| network | capacity | carried | share |\n|---|---|---|---|")
    shares = []
    for spec in specs:
        network = hopscape.build(spec)
        lines = options.lines
        settings = Settings(
            concentration=lines, speedup=lines, vcs=30, priority="age", window="none"
        )
        setup = build_setup(network, settings, network.router("balanced-rings"))
        others = np.kron(1 - np.eye(network.order), np.ones((lines, lines)))
        most = capacity(setup)
        load = min(1.0, options.factor * most / len(others))
        cycles = options.cycles
        traffic = make_traffic(others, len(others))
        point = run_point(setup, traffic, load, warmup=cycles, cycles=cycles)
        carried = point.accepted * len(others)
        shares.append(carried / most)
        print(f"| `{spec}` | {most:.3f} | {carried:.3f} | {shares[-1]:.1%} |", flush=True)
    good = sum(share >= 0.98 for share in shares)
    print(f"{good} of {len(shares)} sets carry at least 98 %; the least {min(shares):.1%}")


if __name__ == "__main__":
    main()
