"""What networks accept beyond saturation, with and without the means against congestion.

Every network is loaded uniformly from one step (0.05 flits per endpoint and cycle) to 1. The table
has the most that it accepts, the load from which it accepts 95 % of that, what it accepts at twice
this load (1 at most), and the least that it accepts at any higher load, both as a share of the
most. Several numbers of virtual channels (0 for the least that the classes need), buffers and
packets give a line each.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from itertools import product
from multiprocessing import get_context

import hopscape
from hopscape.simulate import Settings, build_setup, make_traffic
from hopscape.simulate.fabric import required_vcs
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
BARE = {"spread": "none", "priority": "none", "injection_limit": 0.0, "window": "none"}
MEANS = {
    "nothing": BARE,
    "classes evenly": BARE | {"spread": "all"},
    "transit first": BARE | {"priority": "transit"},
    "oldest first": BARE | {"priority": "age"},
    "injection limit": BARE | {"injection_limit": 0.125},
    "limit, transit first": BARE | {"priority": "transit", "injection_limit": 0.125},
    "delay window": BARE | {"window": "delay"},
    "defaults": {},
}


def curve(spec: str, settings: Settings, loads: list[float], cycles: int) -> list[float]:
    """What a network accepts at the loads."""
    setup = build_setup(hopscape.build(spec), settings)
    traffic = make_traffic("uniform", setup.endpoints)
    return [
        run_point(setup, traffic, load, seed=1, warmup=cycles, cycles=cycles).accepted
        for load in loads
    ]


def _least_vcs(spec: str, settings: Settings) -> Settings:
    roomy = replace(settings, vcs=31)
    return replace(roomy, vcs=required_vcs(roomy, build_setup(hopscape.build(spec), roomy).classes))


def _row(task: tuple[str, str, Settings, list[float], int]) -> str:
    spec, name, settings, loads, cycles = task
    found = curve(spec, settings, loads, cycles)
    most = max(found)
    knee = next(i for i, x in enumerate(found) if x >= 0.95 * most)
    twice = found[min(2 * knee + 1, len(found) - 1)]
    least = min(found[knee:])
    return (
        f"| `{spec}` | {settings.vcs} × {settings.buffer} | {settings.packet[0]} | {name}"
        f" | {most:.3f} | {loads[knee]:.2f} | {twice / most:.0%} | {least / most:.0%} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*", default=NETWORKS)
    parser.add_argument("--means", nargs="*", default=["nothing", "defaults"], choices=[*MEANS])
    parser.add_argument("--vcs", type=int, nargs="*", default=[8])
    parser.add_argument("--buffer", type=int, nargs="*", default=[8])
    parser.add_argument("--packet", type=int, nargs="*", default=[1])
    parser.add_argument("--step", type=float, default=0.05)
    parser.add_argument("--most", type=float, default=1.0, help="the largest load")
    parser.add_argument("--cycles", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    loads = [options.step * i for i in range(1, round(options.most / options.step) + 1)]
    tasks = []
    for spec, name, vcs, buffer, packet in product(
        options.specs, options.means, options.vcs, options.buffer, options.packet
    ):
        settings = Settings(vcs=vcs or 31, buffer=buffer, packet=(packet,), **MEANS[name])
        settings = settings if vcs else _least_vcs(spec, settings)
        tasks.append((spec, name, settings, loads, options.cycles))
    print("| network | buffers | packet | means | most accepted | from load | at twice | least |")
    print("|---|---|---|---|---|---|---|---|")
    with get_context("spawn").Pool(options.workers) as pool:
        for row in pool.imap(_row, tasks):
            print(row, flush=True)


if __name__ == "__main__":
    main()
