"""Figures of the GPU kernels: distances, generator sets, flit simulation, search of graphs.

    python benchmarks/gpu.py
    python benchmarks/gpu.py --only simulator
    python benchmarks/gpu.py --only million
    python benchmarks/gpu.py --only curve

Needs CuPy and a CUDA device; nothing else is measured but the simulator and the search on one core,
beside those of the device. Each figure is the least of three runs after one that compiles.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
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


SIDE_BY_SIDE = (
    ("torus(8, 8)", 0.3, 1),
    ("torus(8, 8)", 0.3, 256),
    ("torus(32, 32)", 0.2, 1),
    ("torus(32, 32)", 0.2, 64),
    ("dragonfly(8, 4, p=4)", 0.5, 64),
    ("torus(64, 64)", 0.05, 16),
)
"""Networks, loads (flits per endpoint and cycle) and how many runs go together."""
CYCLES = 2000


def simulator() -> None:
    """Flit-hops per second of runs side by side, beside one core: both from cycle 1,000 on."""
    from hopscape.simulate import Settings, build_setup, make_traffic
    from hopscape.simulate.engine_gpu import BatchRun, Replicas
    from hopscape.simulate.engine_kernels import advance
    from hopscape.simulate.layout import FLIT_HOPS
    from hopscape.simulate.measurement import blank_counters, make_source, start
    from hopscape.simulate.run import PATIENCE

    settings = Settings()
    for spec, load, runs in SIDE_BY_SIDE:
        setup = build_setup(hopscape.build(spec), settings)
        traffic = make_traffic("uniform", setup.endpoints)
        source = make_source(traffic, settings, load)
        members = [
            BatchRun(start(setup, traffic, source, seed), source, blank_counters(setup, 1))
            for seed in range(runs + 1)
        ]
        core = members.pop()
        replicas = Replicas(setup, members, PATIENCE)

        def hops(members: list[BatchRun] = members) -> int:
            return sum(int(member.state.scalars[FLIT_HOPS]) for member in members)

        rates, cycles = [0.0], [float("inf")]
        replicas.advance(1000)
        for part in range(3):
            before, begin = hops(), time.perf_counter()
            replicas.advance(1000 + (part + 1) * CYCLES)
            spent = time.perf_counter() - begin
            rates.append((hops() - before) / spent)
            cycles.append(spent / CYCLES)
        advance(setup.fabric, *core, 1000, PATIENCE)
        alone = [0.0]
        for part in range(3):
            before, begin = hops([core]), time.perf_counter()
            advance(setup.fabric, *core, 1000 + (part + 1) * CYCLES, PATIENCE)
            alone.append((hops([core]) - before) / (time.perf_counter() - begin))
        print(
            f"{runs} × {spec} at load {load}: {max(rates):.3g} flit-hops/s,"
            f" {1e6 * min(cycles):.0f} µs a cycle, {max(rates) / max(alone):.3g} times one core"
        )


LIFTS = (("cyclic(64)", 16, 8), ("cyclic(1000)", 10, 7), ("cyclic(10000)", 10, 16))
"""Groups, orbits and degrees of graphs that are annealed."""


def graphs() -> None:
    """Moves per second of many climbs side by side, beside one on one core."""
    from hopscape.search.graph.anneal_gpu import (
        Heats,
        anneal_together,
        gpu_seconds_per_step,
        side_by_side,
    )
    from hopscape.search.graph.climb import Climb
    from hopscape.search.graph.lifts import LiftShape

    for group, base, degree in LIFTS:
        shape = LiftShape(group, base, 0, degree)
        hot, cold = 2.0 * shape.fold, 0.4 * shape.fold
        climbs = [Climb(shape, seed) for seed in range(side_by_side(shape.order))]
        steps = max(int(2 / gpu_seconds_per_step(shape) / len(climbs)), 1)
        few = max(steps // 100, 10)
        plan = [Heats(steps, hot, cold)] * len(climbs)
        seconds, _ = least(partial(anneal_together, climbs, plan))
        alone, _ = least(partial(climbs[0].anneal, few, hot, cold))
        rate = steps * len(climbs) / seconds
        print(
            f"annealing {base} orbits of {group}, degree {degree}: {rate:.3g} moves/s,"
            f" {rate * alone / few:.3g} times one core"
        )


MILLION, THIRD = "torus(1000, 1000)", 8 / 1000 / 3
"""A million routers at a third of what their bisection carries: 8 / side flits a cycle each."""
FILLED, MEASURED = 6_000, 10_000
"""Cycles until as many packets arrive as are born, and cycles measured."""


def million() -> None:
    """A torus of a million routers: set-up, memory, flit-hops a second."""
    from hopscape.simulate import Settings, build_setup, make_traffic
    from hopscape.simulate.engine_gpu import BatchRun, Replicas
    from hopscape.simulate.layout import DELIVERED, FLIT_HOPS
    from hopscape.simulate.measurement import blank_counters, make_source, start
    from hopscape.simulate.run import PATIENCE

    begin, spent = time.perf_counter(), time.process_time()
    settings, network = Settings(), hopscape.build(MILLION)
    setup = build_setup(network, settings)
    ready, busy = time.perf_counter() - begin, time.process_time() - spent
    traffic = make_traffic("uniform", setup.endpoints)
    source = make_source(traffic, settings, THIRD)
    member = BatchRun(start(setup, traffic, source, 1), source, blank_counters(setup, 1))
    pool = cupy().get_default_memory_pool()
    before = pool.used_bytes()
    replicas = Replicas(setup, [member], PATIENCE)
    held = pool.used_bytes() - before
    loaded = time.perf_counter() - begin
    print(
        f"{MILLION}: {setup.certificate.words()}; set-up {ready:.1f} s ({busy:.1f} CPU s), on the"
        f" device after {loaded:.1f} s; memory estimated"
        f" {Replicas.bytes_needed(setup, [member]) / 1e9:.2f} GB, used {held / 1e9:.2f} GB"
    )
    replicas.advance(FILLED)
    scalars = member.state.scalars
    before, arrived, begin = int(scalars[FLIT_HOPS]), int(scalars[DELIVERED]), time.perf_counter()
    replicas.advance(FILLED + MEASURED)
    spent = time.perf_counter() - begin
    rate = (int(scalars[FLIT_HOPS]) - before) / spent
    print(
        f"{MILLION} at load {THIRD:.4f}: {rate:.3g} flit-hops/s, {MEASURED} cycles in {spent:.1f} s"
        f" ({1e6 * spent / MEASURED:.0f} µs a cycle), {int(scalars[DELIVERED]) - arrived} packets"
    )


CURVE = "dragonfly(16, 8, p=8)"


def curve() -> None:
    """A load-latency curve of ten points, from the specification to the answer."""
    from hopscape.simulate import Job, Settings, simulate

    for turn in ("with what it compiles", "again"):
        begin = time.perf_counter()
        jobs = [Job(CURVE, "uniform", load / 10, Settings()) for load in range(1, 11)]
        points = simulate(jobs, device="gpu")
        spent = time.perf_counter() - begin
        latencies = ", ".join(f"{point['latency']:.1f}" for point in points)
        print(f"{CURVE}, ten points {turn}: {spent:.1f} s; latencies {latencies}")


PARTS = {
    "graphs": graphs,
    "optimum": optimum,
    "sets": tests_of_sets,
    "distances": distances,
    "simulator": simulator,
    "million": million,
    "curve": curve,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=tuple(PARTS), help="one part instead of all")
    only = parser.parse_args().only
    for name, part in PARTS.items():
        if only in (None, name):
            part()


if __name__ == "__main__":
    main()
