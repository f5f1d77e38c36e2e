"""Figures of the GPU kernels: distances of large graphs and tests of generator sets.

    python benchmarks/gpu.py

Needs CuPy and a CUDA device; nothing else is measured. Each figure is the least of three runs after
one that compiles.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import hopscape
from hopscape.core.gpu import cupy
from hopscape.metrics import distance_profile
from hopscape.papers.circulant import search_gpu as gpu
from hopscape.papers.circulant.search import _Kind, search_order_on_gpu


def least(work: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """Seconds of the quickest of several runs, and what came out."""
    result = work()
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        result = work()
        cupy().cuda.runtime.deviceSynchronize()
        seconds.append(time.perf_counter() - begin)
    return min(seconds), result


def distances() -> None:
    """Diameter, mean and histogram of random regular graphs."""
    for nodes, degree in ((65_536, 6), (1_000_000, 32)):
        net = hopscape.build(f"random_regular({nodes}, {degree})")
        seconds, profile = least(lambda net=net: distance_profile(net, device="gpu", exact=True))
        print(f"distances n={nodes} degree={degree}: {seconds:.3f} s, diameter {profile.diameter}")


def tests_of_sets() -> None:
    """Diameter tests of random sets of eight generators."""
    rng = np.random.default_rng(1)
    for nodes in (20_011, 50_021):
        sets = rng.integers(1, nodes // 2, (4_000_000, 8))
        seconds, within = least(lambda nodes=nodes, sets=sets: gpu.diameters_within(nodes, sets, 6))
        rate = len(sets) / seconds
        print(f"sets of 8 generators, N={nodes}: {rate:.3g} tests/s, {int(within.sum())} within 6")


def optimum() -> None:
    """The exhaustive search of an order with five generators."""
    kind = _Kind(5, None, False)
    seconds, found = least(lambda: search_order_on_gpu(532, 5, False, kind.least(532), 266, None))
    print(
        f"optimum of 5 generators, N=532: {seconds:.3f} s, diameter {found['diameter']},"
        f" sum {found['total']}"
    )


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    optimum()
    tests_of_sets()
    distances()


if __name__ == "__main__":
    main()
