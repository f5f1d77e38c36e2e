"""What networks accept beyond saturation, with and without the means against congestion.

Every network is loaded uniformly from one step (0.05 flits per endpoint and cycle) to 1. The table
has the most that it accepts, the load from which it accepts 95 % of that, what it accepts at twice
this load (1 at most), and the least that it accepts at any higher load, both as a share of the
most. Several numbers of virtual channels (0 for the least that the classes need), buffers and
packets give a line each.

With ``--traffic`` the question is whether the defaults suit a traffic that nobody thought of when
the network was designed: one line for each network, pattern and packet has the load at which it
saturates, the most that it accepts up to twice that
load, the same with the best of the other ``--means``, and what the defaults keep of their own at
1.5 and at 2 times saturation (``--traffic all`` for eight patterns). The last line counts those
below 90 %, and those whose peak is more than 5 % below the best. ``python benchmarks/saturation.py
--traffic all --packet 1 4 16 --cycles 800`` takes about half an hour on one core.
"""

from __future__ import annotations

import argparse
import random
from dataclasses import replace
from itertools import product
from multiprocessing import get_context

import hopscape
from hopscape.simulate import Point, Settings, Setup, build_setup, make_traffic
from hopscape.simulate.fabric import required_vcs
from hopscape.simulate.jobs import traffic_for
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
MIXED = [
    "ring(16)",
    "ring(40)",
    "torus(8, 8)",
    "torus(4, 16)",
    "torus(16, 4)",
    "torus(4, 4, 4)",
    "torus(5, 9)",
    "twisted_torus([6, 12], twist=[6])",
    "mesh(8, 8)",
    "hypercube(6)",
    "circulant(128, 1, 47)",
    "circulant(100, 1, 18)",
    "circulant(64, 1, 14)",
    "circulant(60, 1, 2)",
    "circulant(80, 1, 7, 30)",
    "double_loop(61)",
    "multiring(64, 1, 3, 9)",
    "multiring(50, 1, 4)",
    "rpc(2)",
    "expanded(petersen, 1)",
    "cayley(25, 4, 7, 1, 25)",
    "random_regular(64, 4)",
    "kautz(2, 5)",
    "debruijn(2, 6)",
    "dragonfly(4, 2, p=2)",
    "fat_tree(4)",
    "hyperx([4, 4], p=1)",
    "folded(petersen, 2)",
    "ccc(4)",
    "generalized_petersen(24, 5)",
]
EIGHT = [
    *("uniform", "transpose", "bit-complement", "bit-reverse"),
    *("shuffle", "tornado", "neighbour", "permutation"),
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
    "no window": {"window": "none"},
    "window": {"window": "delay"},
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
    classes = build_setup(hopscape.build(spec), roomy).classes.count
    return replace(roomy, vcs=required_vcs(roomy.routing, classes))


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


class Curve:
    """What a network accepts of a traffic, simulated where it is asked for."""

    def __init__(self, setup: Setup, pattern: str, cycles: int) -> None:
        self._setup, self._cycles = setup, cycles
        self._traffic = traffic_for(setup, pattern, 1)
        self._seen: dict[float, Point] = {}

    def accepted(self, load: float) -> float:
        """Flits per endpoint and cycle at a load, of at most one."""
        return self._at(min(load, 1.0)).accepted

    def _at(self, load: float) -> Point:
        if load not in self._seen:
            cycles = self._cycles
            point = run_point(self._setup, self._traffic, load, warmup=cycles, cycles=cycles)
            self._seen[load] = point
        return self._seen[load]

    def peak(self, load: float) -> float:
        """The most that was accepted at any load up to this one."""
        return max(point.accepted for at, point in self._seen.items() if at <= load)

    def saturation(self) -> float:
        """The least load that is too much, to 5 % of itself; 1 if none is."""
        if not self._at(1.0).saturated:
            return 1.0
        low, high, load = 0.0, 1.0, max(0.02, self.accepted(1.0))
        while high - low > 0.05 * high and high > 0.005:
            if self._at(load).saturated:
                high = load
            else:
                low = load
            load = (low + high) / 2 if low else high / 2
        return high


def _beyond(task: tuple[str, str, int, list[str], int]) -> tuple[str, bool, bool]:
    """A line on the defaults beyond saturation, and whether it is one to worry about."""
    spec, pattern, packet, means, cycles = task
    network = hopscape.build(spec)
    curve = Curve(build_setup(network, Settings(packet=(packet,))), pattern, cycles)
    knee = curve.saturation()
    kept = [curve.accepted(x * knee) / curve.peak(min(1.0, x * knee)) for x in (1.5, 2.0)]
    peak = best = curve.peak(2 * knee)
    for name in means:
        other = Curve(
            build_setup(network, Settings(packet=(packet,), **MEANS[name])), pattern, cycles
        )
        best = max([best, *(other.accepted(x * knee) for x in (0.9, 1.0, 1.15, 1.5, 2.0))])
    line = (
        f"| `{spec}` | {pattern} | {packet} | {knee:.3f} | {peak:.3f} | {peak / best - 1:+.1%}"
        f" | {kept[0]:.0%} | {kept[1]:.0%} |"
    )
    return line, min(kept) < 0.9, peak < 0.95 * best


def _compare(options: argparse.Namespace) -> None:
    """Print the table of networks, patterns and packets."""
    patterns = EIGHT if options.traffic == ["all"] else options.traffic
    others = [name for name in options.means if name != "defaults"]
    tasks = [
        (spec, pattern, packet, others, options.cycles)
        for spec, pattern, packet in product(options.specs or MIXED, patterns, options.packet)
    ]
    if options.sample is not None and options.sample < len(tasks):
        drawn = sorted(random.Random(options.seed).sample(range(len(tasks)), options.sample))
        tasks = [tasks[i] for i in drawn]
    print("| network | traffic | packet | saturation | peak | against best | at 1.5 | at 2 |")
    print("|---|---|---|---|---|---|---|---|")
    lost = low = 0
    with get_context("spawn").Pool(options.workers) as pool:
        for line, loses, lags in pool.imap(_beyond, tasks):
            print(line + " **" * (loses or lags), flush=True)
            lost, low = lost + loses, low + lags
    print(f"{len(tasks)} lines: {lost} keep less than 90 %, {low} peak 5 % or more below the best")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("specs", nargs="*")
    parser.add_argument("--traffic", nargs="*", help="patterns, or all")
    parser.add_argument("--means", nargs="*", choices=[*MEANS])
    parser.add_argument("--vcs", type=int, nargs="*", default=[8])
    parser.add_argument("--buffer", type=int, nargs="*", default=[8])
    parser.add_argument("--packet", type=int, nargs="*", default=[1])
    parser.add_argument("--step", type=float, default=0.05)
    parser.add_argument("--most", type=float, default=1.0, help="the largest load")
    parser.add_argument("--cycles", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sample", type=int, help="with --traffic: so many lines, by --seed")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.traffic:
        options.means = options.means or ["no window", "defaults"]
        _compare(options)
        return
    options.means = options.means or ["nothing", "defaults"]
    options.specs = options.specs or NETWORKS
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
