"""Speed of the slot simulation of rings and of the search for step sets.

    python benchmarks/multiring.py [--slots 100000] [--repeats 3] [--grid]

Seconds are processor seconds of this process, so that a busy machine does not matter; of several
repeats the least counts. The peer is the same simulation written with numpy arrays, one slot at a
time. `--grid` also runs the whole grid of step sets (bar: 5 minutes on two cores).
"""

from __future__ import annotations

import argparse
import time
from functools import partial

import numpy as np

from hopscape.papers.multiring.families import Multiring, SparseMultiring
from hopscape.papers.multiring.slots import RingTraffic, _Machine, ring_traffic
from timing import best

CASES = {
    "four ±1, N = 32": Multiring(32, (1,), 4),
    "±1,2,3,7, N = 32": Multiring(32, (1, 2, 3, 7)),
    "±1,2,3,5,7, N = 128": Multiring(128, (1, 2, 3, 5, 7)),
    "sparse m = 4, K = 16": SparseMultiring(4, 16),
}
BAR = 50e6

least = partial(best, clock=time.process_time)


def numpy_slots(traffic: RingTraffic, slots: int, seed: int) -> int:
    """The peer: saturated segmented rings, all places of one slot at once."""
    generator = np.random.default_rng(seed)
    cumulative, values = [], []
    for table in traffic.lengths:
        lengths = sorted(table)
        weights = np.cumsum([float(table[v]) for v in lengths])
        cumulative.append(weights / weights[-1])
        values.append(np.asarray(lengths))
    upstream = np.empty(len(traffic.owner), dtype=np.int64)
    for start, size in zip(traffic.starts, traffic.sizes):
        upstream[start : start + size] = start + (np.arange(size) - 1) % size
    left = np.zeros(len(traffic.owner), dtype=np.int64)
    sent = 0
    for _ in range(slots):
        left = left[upstream] - 1
        free = np.flatnonzero(left <= 0)
        classes = traffic.classes[free]
        draws = generator.random(len(free))
        for row in np.unique(classes):
            mine = classes == row
            left[free[mine]] = values[row][np.searchsorted(cumulative[row], draws[mine])]
        sent += len(free)
    return sent


def simulation(slots: int, repeats: int) -> None:
    print(f"{'rings':24} {'mode':22} {'M updates/s':>12} {'against numpy':>14} {'bar 50':>8}")
    for name, member in CASES.items():
        traffic = ring_traffic(member)
        places = len(traffic.owner)
        few = max(50, slots // 200)
        peer = places * few / least(lambda t=traffic, f=few: numpy_slots(t, f, 0), 1)
        full = 60.0 if isinstance(member, SparseMultiring) else 20.0
        for label, mode, insertion in (
            ("segmented, saturated", 0, False),
            ("segmented, window 64", 1, False),
            (f"segmented, open {full:.0f}", 2, False),
            ("insertion, saturated", 0, True),
        ):
            machine = _Machine(traffic, mode, 64, full, insertion, 0)
            machine.run(100)
            rate = places * slots / least(lambda m=machine: m.run(slots) and None, repeats)
            peer_text = f"{rate / peer:13.1f}×" if mode == 0 and not insertion else f"{'-':>14}"
            print(f"{name:24} {label:22} {rate / 1e6:12.1f} {peer_text} {rate / BAR:7.2f}×")


def grid() -> None:
    from hopscape.papers.multiring.tables import best_multirings

    cells = [(n, k) for n in (16, 32, 37, 64, 67, 124, 128) for k in (4, 6, 8, 10)]
    start = time.perf_counter()
    rows = list(best_multirings(cells, workers=2))
    seconds = time.perf_counter() - start
    proved = sum(row["proved"] for row in rows)
    print(f"{len(rows)} cells, {proved} proved, {seconds:.1f} s on two processes: "
          f"{300 / seconds:.1f}× the bar of 300 s")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--slots", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--grid", action="store_true")
    arguments = parser.parse_args()
    simulation(arguments.slots, arguments.repeats)
    if arguments.grid:
        grid()


if __name__ == "__main__":
    main()
