"""What networks accept beyond saturation, with and without the means against congestion.

Every network is loaded uniformly from 0.05 flits per endpoint and cycle to 1. The table has the
most that it accepts, what it accepts at twice the load at which that is reached (1 at most), and
the least that it accepts at any higher load, both as a share of the most.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from multiprocessing import get_context

import hopscape
from hopscape.simulate import Settings, build_plant, make_traffic
from hopscape.simulate.measurement import run_point

NETWORKS = [
    "ring(16)",
    "torus(10, 10)",
    "circulant(100, 1, 18)",
    "circulant(100, 1, 7, 30)",
    "double_loop(64)",
    "multiring(64, 1, 3, 9)",
    "multiring(32, 1, 2, 3, 7)",
    "cayley(25, 4, 7, 1, 25)",
    "cayley(7, 9, 4, 29, 62)",
    "expanded(petersen, 1)",
    "expanded(heawood, 1)",
    "expanded(ring(4), 3, lamp=complete(2))",
    "rpc(4)",
    "random_regular(64, 4)",
    "kautz(2, 5)",
    "mesh(8, 8)",
]
BARE = {"spread": "none", "priority": "none", "injection_limit": 0.0}
MEANS = {
    "nothing": BARE,
    "classes evenly": BARE | {"spread": "all"},
    "transit first": BARE | {"priority": "transit"},
    "oldest first": BARE | {"priority": "age"},
    "injection limit": BARE | {"injection_limit": 0.125},
    "limit, transit first": {"spread": "none"},
    "no limit": {"injection_limit": 0.0},
    "defaults": {},
}
LOADS = [0.05 * i for i in range(1, 21)]


def curve(spec: str, settings: Settings, cycles: int) -> list[float]:
    """What a network accepts at the loads."""
    plant = build_plant(hopscape.build(spec), settings)
    traffic = make_traffic("uniform", plant.endpoints)
    return [
        run_point(plant, traffic, load, seed=1, warmup=cycles, cycles=cycles).accepted
        for load in LOADS
    ]


def _row(task: tuple[str, str, Settings, int]) -> str:
    spec, name, settings, cycles = task
    found = curve(spec, settings, cycles)
    most = max(found)
    knee = next(i for i, x in enumerate(found) if x >= 0.95 * most)
    twice = found[min(2 * knee + 1, len(found) - 1)]
    least = min(found[knee:])
    return (
        f"| `{spec}` | {name} | {most:.3f} | {LOADS[knee]:.2f} | {twice / most:.0%}"
        f" | {least / most:.0%} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*", default=NETWORKS)
    parser.add_argument("--means", nargs="*", default=["nothing", "defaults"], choices=[*MEANS])
    parser.add_argument("--vcs", type=int, default=8)
    parser.add_argument("--buffer", type=int, default=8)
    parser.add_argument("--packet", type=int, default=1)
    parser.add_argument("--cycles", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    base = Settings(vcs=options.vcs, buffer=options.buffer, packet=(options.packet,))
    tasks = [
        (spec, name, replace(base, **MEANS[name]), options.cycles)
        for spec in options.specs
        for name in options.means
    ]
    print("| network | against congestion | most accepted | from load | at twice that | least |")
    print("|---|---|---|---|---|---|")
    with get_context("spawn").Pool(options.workers) as pool:
        for row in pool.imap(_row, tasks):
            print(row, flush=True)


if __name__ == "__main__":
    main()
