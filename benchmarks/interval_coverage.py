"""How often the 95 % intervals of the slot simulator cover the truth: a thousand runs of each case.

The truth is the proved capacity (``effective`` of saturated rings) or the load (``throughput`` of
open ones); otherwise a run with other random numbers and of two hundred times the length. By chance
alone the share of a thousand runs that cover lies between 93.6 and 96.4 % in 19 of 20 cases.
"""

from __future__ import annotations

import argparse
from typing import Any

import hopscape
from hopscape.papers.multiring.slots import ring_traffic, simulate

CASES: list[tuple[str, dict[str, Any], str]] = [
    ("multiring(16, 1, 3)", {"mode": "saturated"}, "effective"),
    ("multiring(16, 1, 3)", {"mode": "saturated"}, "throughput"),
    ("multiring(12, 1, 2, 3, 5)", {"mode": "saturated"}, "effective"),
    ("sparse_multiring(3, 6)", {"mode": "saturated"}, "effective"),
    ("sparse_multiring(3, 6)", {"mode": "window", "window": 8}, "throughput"),
    ("multiring(16, 1, 3)", {"mode": "window", "window": 8}, "throughput"),
    ("multiring(16, 1, 3)", {"mode": "window", "window": 8, "insertion": True}, "fair_throughput"),
    ("multiring(16, 1, 3)", {"mode": "open", "load": 0.5}, "wait"),
    ("multiring(16, 1, 3)", {"mode": "open", "load": 0.8}, "wait"),
    ("multiring(16, 1, 3)", {"mode": "open", "load": 0.9}, "wait"),
    ("multiring(16, 1, 3)", {"mode": "open", "load": 0.8, "insertion": True}, "wait"),
    ("multiring(16, 1, 3)", {"mode": "open", "load": 0.8}, "throughput"),
]
"""Network, how it is simulated (open loads as shares of the capacity), and what is looked at."""
_TRUE_SEED = 1_000_003
_LONGER = 200
GOOD = (0.93, 0.97)


def coverage(
    spec: str, how: dict[str, Any], what: str, *, runs: int, slots: int
) -> tuple[float, float, float]:
    """The truth, the share of runs that cover it, and the mean half-width."""
    traffic = ring_traffic(hopscape.build(spec).family)
    settings = dict(how)
    if "load" in how:
        settings["load"] = how["load"] * float(traffic.capacity)
    truth = float(traffic.capacity) if what == "effective" else settings.get("load", 0.0)
    if what != "effective" and (what, how["mode"]) != ("throughput", "open"):
        long = simulate(traffic, slots=_LONGER * slots, seed=_TRUE_SEED, **settings)
        truth = getattr(long, what)
    inside, widths = 0, 0.0
    for seed in range(runs):
        run = simulate(traffic, slots=slots, seed=seed, **settings)
        half = getattr(run, f"{what}_half_width")
        inside += abs(getattr(run, what) - truth) <= half + 1e-12
        widths += half
    return truth, inside / runs, widths / runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--slots", type=int, default=2000, help="of each run, all replications")
    parser.add_argument("--only", help="cases with this word")
    options = parser.parse_args()
    print(
        "| network | mode | value | truth | mean half-width | covered |\n|---|---|---|---|---|---|"
    )
    shares = []
    for spec, how, what in CASES:
        words = ", ".join(f"{k} {v}" if k != "mode" else str(v) for k, v in how.items())
        if options.only and options.only not in f"{spec} {words} {what}":
            continue
        truth, share, half = coverage(spec, how, what, runs=options.runs, slots=options.slots)
        shares.append(share)
        cells = f"{truth:.4f} | {half:.4f} | {share:.1%}"
        print(f"| `{spec}` | {words} | {what} | {cells} |", flush=True)
    good = sum(GOOD[0] <= share <= GOOD[1] for share in shares)
    print(f"{good} of {len(shares)} cases between {GOOD[0]:.0%} and {GOOD[1]:.0%}")


if __name__ == "__main__":
    main()
