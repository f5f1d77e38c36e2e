"""Latencies and saturation beside the reference figures of BookSim 2, as Markdown tables.

The figures were measured with BookSim 2, seed 0. `docs/simulate.md` shows what this prints.
"""

from __future__ import annotations

import argparse

import hopscape
from hopscape.simulate import Settings, Setup, Traffic, build_setup, make_traffic
from hopscape.simulate.measurement import Sampling, run_point, run_samples, saturation, zero_load

_MESH = Settings(vcs=8, buffer=8, routing_delay=0, credit_delay=2, speedup=2)
_TORUS = Settings(vcs=8, buffer=8, routing_delay=0, credit_delay=2, speedup=2, link_delay=2)
_SHIPPED = Settings(vcs=2, buffer=8, link_delay=2)
_CONFIGURATIONS = {
    "meshA": ("mesh(8, 8)", _MESH),
    "torusA": ("torus(8, 8)", _SHIPPED),
    "torusB": ("torus(8, 8)", _TORUS),
}
_LATENCIES: dict[tuple[str, str], dict[float, float]] = {
    ("meshA", "uniform"): {0.02: 27.0, 0.1: 27.2, 0.2: 27.7, 0.3: 28.7, 0.4: 32.2, 0.45: 44.7},
    ("torusA", "uniform"): {0.02: 31.4, 0.1: 32.3, 0.2: 36.2},
    ("torusB", "uniform"): {
        0.02: 26.0,
        0.1: 26.2,
        0.2: 26.5,
        0.3: 26.8,
        0.4: 27.3,
        0.45: 27.7,
        0.5: 28.2,
        0.6: 29.9,
        0.7: 34.0,
    },
    ("meshA", "transpose"): {0.1: 27.4},
    ("torusB", "transpose"): {0.2: 27.0, 0.25: 29.8},
    ("meshA", "tornado"): {0.25: 39.4, 0.3: 54.1},
    ("torusB", "tornado"): {0.2: 39.0, 0.25: 43.7},
}
_KNEES = {
    ("meshA", "uniform"): 0.46,
    ("torusA", "uniform"): 0.25,
    ("torusB", "uniform"): 0.80,
    ("meshA", "transpose"): 0.143,
    ("torusB", "transpose"): 0.28,
    ("meshA", "tornado"): 0.33,
    ("torusB", "tornado"): 0.28,
}


def unstable_from(setup: Setup, traffic: Traffic, precision: float) -> float:
    """The least load, to a precision, that BookSim's own rule calls unstable."""
    low, high = 0.0, 1.0
    while high - low > precision * high:
        middle = (low + high) / 2
        if run_samples(setup, traffic, middle, Sampling())[1]:
            high = middle
        else:
            low = middle
    return high


def knee(setup: Setup, traffic: Traffic, multiple: float, cycles: int) -> float:
    """The load at which the latency passes a multiple of that at no load."""
    low, high = 0.0, 1.0
    while high - low > 0.005 * high:
        middle = (low + high) / 2
        point = run_point(setup, traffic, middle, warmup=3000, cycles=cycles, latency_limit=1e9)
        if point.latency <= multiple * zero_load(setup, point.hops):
            low = middle
        else:
            high = middle
    return low


def print_rules(setups: dict[str, Setup], patterns: dict[str, Traffic], cycles: int) -> None:
    """Saturation by other multiples: no single one brings all seven within 5 %."""
    multiples = (2, 3, 4, 6, 8)
    print("| configuration | traffic | BookSim 2 | " + " | ".join(f"{m} ×" for m in multiples))
    print("|---" * (3 + len(multiples)) + "|")
    for (name, traffic), theirs in _KNEES.items():
        found = [knee(setups[name], patterns[traffic], m, cycles) for m in multiples]
        cells = [f"{k:.3f} ({100 * (k / theirs - 1):+.1f} %)" for k in found]
        print(f"| {name} | {traffic} | {theirs} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cycles", type=int, default=10_000)
    parser.add_argument("--rules", action="store_true", help="saturation by other rules instead")
    options = parser.parse_args()
    setups = {
        name: build_setup(hopscape.build(spec), settings)
        for name, (spec, settings) in _CONFIGURATIONS.items()
    }
    patterns = {name: make_traffic(name, 64, (8, 8)) for _, name in _LATENCIES}
    if options.rules:
        print_rules(setups, patterns, options.cycles)
        return
    print("| configuration | traffic | load | BookSim 2 | hopscape | difference |")
    print("|---|---|---|---|---|---|")
    for (name, traffic), known in _LATENCIES.items():
        for load, theirs in known.items():
            point = run_point(setups[name], patterns[traffic], load, cycles=options.cycles)
            ours = point.latency
            print(
                f"| {name} | {traffic} | {load} | {theirs} | {ours:.1f} |"
                f" {100 * (ours / theirs - 1):+.1f} % |"
            )
    print("\n| configuration | traffic | BookSim 2 | hopscape | difference | BookSim's rule |")
    print("|---|---|---|---|---|---|")
    for (name, traffic), theirs in _KNEES.items():
        ours, _ = saturation(
            setups[name], patterns[traffic], cycles=options.cycles, precision=0.005
        )
        other = unstable_from(setups[name], patterns[traffic], 0.005)
        print(
            f"| {name} | {traffic} | {theirs} | {ours:.3f} | {100 * (ours / theirs - 1):+.1f} % |"
            f" {other:.3f} |"
        )


if __name__ == "__main__":
    main()
