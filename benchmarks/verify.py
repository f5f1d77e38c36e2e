"""How fast schedules are checked: millions of transfers, and the same rules in plain Python.

Run as ``python benchmarks/verify.py [--quick]``. The plain Python checker is the twin in
tests/core/test_verify.py; it gets a smaller schedule of the same kind, and the ratio is per
transfer. Seconds are of the processor (the verifier runs in one thread).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import hopscape
from hopscape import Goal, Model, Schedule, verify
from hopscape.collectives.generic import all_gather, all_reduce, all_to_all
from hopscape.core.arrays import IntArray

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "core"))
from test_verify import slow_verify

Make = Callable[[int], Schedule]


def torus_all_gather(side: int) -> Schedule:
    return all_gather(hopscape.build(f"torus({side}, {side})"))


def packed_all_gather(side: int) -> Schedule:
    network = hopscape.build(f"torus({side}, {side})")
    return all_gather(network, Model(ports=2, packing="packed"))


def torus_all_to_all(side: int) -> Schedule:
    return all_to_all(hopscape.build(f"torus({side}, {side})"))


def sliced_all_reduce(side: int) -> Schedule:
    return all_reduce(hopscape.build(f"torus({side}, {side})"), sliced=True)


def cube_circuits(dimension: int) -> Schedule:
    """All-to-all on a hypercube: in round d, node i to i xor d, bits from low to high.

    The circuits of one round share no channel.
    """
    network = hopscape.build(f"hypercube({dimension})")
    nodes = np.arange(network.order)
    by_bit = np.empty((network.order, dimension), dtype=np.int64)
    bit = np.log2(network.tails ^ network.heads).astype(np.int64)
    by_bit[network.tails, bit] = np.arange(len(network.heads))
    paths = [_way(nodes, by_bit, offset) for offset in range(1, network.order)]
    lengths = np.repeat([way.shape[1] for way in paths], network.order)
    offsets = np.arange(1, network.order)[:, None]
    return Schedule.from_columns(
        network,
        Model(switching="circuit", ports=1),
        Goal.all_to_all(),
        round=np.repeat(np.arange(network.order - 1), network.order),
        channels=np.concatenate([way.ravel() for way in paths]),
        chunk=(nodes * network.order + (nodes ^ offsets)).ravel(),
        path_start=np.concatenate([[0], np.cumsum(lengths)]),
        name="xor circuits",
    )


def _way(nodes: IntArray, by_bit: IntArray, offset: int) -> IntArray:
    at, hops = nodes, []
    for bit in range(by_bit.shape[1]):
        if offset >> bit & 1:
            hops.append(by_bit[at, bit])
            at = at ^ (1 << bit)
    return np.stack(hops, axis=1)


CASES: list[tuple[str, Make, int, int, int]] = [  # name, maker, large, quick, for the twin
    ("all-gather, all-port", torus_all_gather, 56, 24, 10),
    ("all-gather, packed, 2-port", packed_all_gather, 56, 24, 10),
    ("all-to-all", torus_all_to_all, 28, 16, 8),
    ("all-reduce in slices", sliced_all_reduce, 32, 16, 6),
    ("all-to-all by circuits", cube_circuits, 11, 8, 5),
]


def seconds(call: Callable[[], Any], repeat: int = 3) -> float:
    """The best of some runs."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def megabytes(schedule: Schedule) -> float:
    names = ("round_start", "source", "target", "chunk", "path_start", "channels")
    return sum(getattr(schedule, name).nbytes for name in names) / 1e6


def added_megabytes(call: Callable[[], Any]) -> float | None:
    """How far memory rises during a call, where the system (Linux) tells."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts anew
    except OSError:
        return None
    before = _status("VmRSS")
    call()
    return (_status("VmHWM") - before) / 1e3


def _status(key: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(key)).split()[1])


def measure(make: Make, large: int, small: int) -> list[str]:
    little = make(small)
    assert verify(little)  # compile
    fast_small = seconds(lambda: verify(little)) / little.transfers
    slow_small = seconds(lambda: slow_verify(little), repeat=1) / little.transfers
    start = time.process_time()
    schedule = make(large)
    built = time.process_time() - start
    added = added_megabytes(lambda: verify(schedule))
    taken = seconds(lambda: verify(schedule))
    per_transfer = taken / schedule.transfers
    return [
        f"{schedule.transfers:,}",
        f"{len(schedule.channels):,}",
        f"{built:.1f}",
        f"{taken:.2f}",
        f"{1e9 * per_transfer:.0f}",
        f"{megabytes(schedule):,.0f}",
        "?" if added is None else f"{added:,.0f}",
        f"{slow_small / fast_small:,.0f}× / {slow_small / per_transfer:,.0f}×",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller schedules")
    quick = parser.parse_args().quick
    table = Table("schedule", "transfers", "hops", "build s", "verify s", "ns each")
    for heading in ("schedule MB", "added MB", "twin: same size / this size"):
        table.add_column(heading, justify="right")
    for name, make, large, small, tiny in CASES:
        table.add_row(name, *measure(make, small if quick else large, tiny))
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
