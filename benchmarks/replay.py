"""Schedules replayed flit by flit against their α-β prediction.

    python benchmarks/replay.py [--flits 64]

Every algorithm of the front door on several networks, with all ports and one, hop by hop, by
circuits and in cut-through. A round takes α = 6, δ = 5 a hop and β = F for F flits a chunk.
Schedules whose messages share channels are contended; the others should be within 5 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace

import hopscape
from hopscape import Goal, verify
from hopscape.collectives.contest import compete
from hopscape.core.errors import HopscapeError
from hopscape.simulate import Job, Settings, replay

ALPHA, DELTA = 6, 5
NETWORKS = (
    "ring(8)",
    "torus(4, 4)",
    "mesh(3, 4)",
    "petersen",
    "circulant(13, 1, 5)",
    "hypercube(4)",
)
GOALS = (
    Goal.broadcast(0),
    Goal.scatter(0),
    Goal.reduce(0),
    Goal.all_gather(),
    Goal.reduce_scatter(),
    Goal.all_reduce(),
    Goal.all_to_all(),
)
MODELS: tuple[dict[str, object], ...] = (
    {},
    {"ports": 1},
    {"switching": "circuit"},
    {"switching": "cut-through"},
    {"switching": "cut-through", "ports": 1},
)


def compared(spec: str, goal: Goal, asked: dict[str, object], flits: int) -> Iterator[tuple]:
    """Algorithm, contended or not, and the time that the replay takes over the prediction."""
    network = hopscape.build(spec)
    try:
        entries = compete(network, goal, asked).entries
    except HopscapeError:
        return
    for entry in entries:
        details, schedule = entry.verdict.details, entry.schedule
        model = replace(schedule.model, alpha=ALPHA, beta=flits, delta=DELTA)
        predicted = verify(schedule, model=model).details["time"]
        cycles = replay(
            Job(spec, "uniform", 0.0, Settings(vcs=2)), schedule, flits=flits, barrier=True
        )
        yield entry.algorithm, details["sizes"] > entry.rounds, cycles.cycles / predicted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flits", type=int, default=64)
    flits = parser.parse_args().flits
    free: list[float] = []
    shared: list[float] = []
    for spec in NETWORKS:
        worst, count = (0.0, ""), 0
        for goal in GOALS:
            for asked in MODELS:
                for name, contended, ratio in compared(spec, goal, asked, flits):
                    (shared if contended else free).append(ratio)
                    if not contended:
                        count += 1
                        worst = max(worst, (abs(ratio - 1), f"{goal.kind} by {name} {asked}"))
        text = f"{worst[0] * 100:.1f} % off ({worst[1]})" if count else ""
        print(f"{spec}: {count} schedules without contention, at most {text}", flush=True)
    print(f"without contention: {len(free)}, ratios {min(free):.3f} to {max(free):.3f}")
    ended = [ratio for ratio in shared if ratio > 0]
    print(f"with contention: {len(shared)}, of which {len(shared) - len(ended)} deadlock,")
    print(f"  ratios of the others {min(ended):.3f} to {max(ended):.3f}")


if __name__ == "__main__":
    main()
