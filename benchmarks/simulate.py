"""Speed of the flit-level engine, in flit-hops (flits through routers) per CPU second of one core.

Give --booksim PATH (a BookSim 2 executable) to run the same configuration there and print ratios;
its flit-hops are counted from its own accepted rate and mean hops.
"""

from __future__ import annotations

import argparse
import math
import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import hopscape
from hopscape.core.compile_ahead import processors
from hopscape.simulate import Settings, Setup, build_setup, layout, make_traffic
from hopscape.simulate.jobs import Job
from hopscape.simulate.measurement import blank_counters, make_source, start
from hopscape.simulate.parts import advance_parts
from hopscape.simulate.sweep import parse_loads, simulate

_MESH = Settings(vcs=8, buffer=8, routing_delay=0, credit_delay=2, speedup=2)
_CONFIG = """topology = mesh; k = 8; n = 2; routing_function = dor; num_vcs = 8; vc_buf_size = 8;
routing_delay = 0; credit_delay = 2; input_speedup = 2; traffic = uniform; injection_rate = 0.3;
sample_period = 1000; warmup_periods = 3; max_samples = 10;
"""


def rate(setup: Setup, load: float, cycles: int, repeats: int) -> float:
    """Best flit-hops per CPU second of some runs."""
    from hopscape.simulate.engine_kernels import advance

    traffic = make_traffic("uniform", setup.endpoints)
    best = 0.0
    for i in range(repeats):
        source = make_source(traffic, setup.settings, load)
        state = start(setup, traffic, source, seed=i)
        counters = blank_counters(setup, 1)
        advance(setup.fabric, state, source, counters, 1000, 10_000)
        before, begin = int(state.scalars[layout.FLIT_HOPS]), time.process_time()
        advance(setup.fabric, state, source, counters, 1000 + cycles, 10_000)
        spent = time.process_time() - begin
        best = max(best, (int(state.scalars[layout.FLIT_HOPS]) - before) / spent)
    return best


def booksim_rate(program: str) -> float:
    """Flit-hops per CPU second of BookSim 2 on the same configuration."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.cfg"
        path.write_text(_CONFIG)
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        command = [program, str(path)]  # BookSim ends with -1 when all is well
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    hops = float(re.findall(r"Hops average = ([\d.]+)", run.stdout)[-1])
    accepted = float(re.findall(r"Accepted flit rate average\s*= ([\d.]+)", run.stdout)[-1])
    taken = re.findall(r"Time taken is (\d+) cycles", run.stdout)
    cycles = int(taken[-1]) if taken else 4000
    return 64 * accepted * hops * cycles / spent


def _threads(spec: str, load: float, cycles: int, repeats: int) -> None:
    """One network in one thread and in several, in turns: time that one waits, and of processors.

    The busiest thread decides how long one waits on a machine with nothing else to do.
    """
    setup = build_setup(hopscape.build(spec), _MESH)
    traffic = make_traffic("uniform", setup.endpoints)
    best: dict[int, tuple[float, float, float]] = {}
    for _ in range(repeats):
        for parts in (1, processors()):
            source = make_source(traffic, setup.settings, load)
            state = start(setup, traffic, source, 0, parts)
            counters = blank_counters(setup, 2 + cycles // 100)
            advance_parts(setup.fabric, state, source, counters, 300, 10_000)
            before = int(state.scalars[layout.FLIT_HOPS])
            begin, worked = time.perf_counter(), time.process_time()
            advance_parts(setup.fabric, state, source, counters, 300 + cycles, 10_000)
            taken = time.perf_counter() - begin, time.process_time() - worked
            moved = int(state.scalars[layout.FLIT_HOPS]) - before
            known = best.get(parts, (math.inf, math.inf, moved))
            best[parts] = min(known[0], taken[0]), min(known[1], taken[1]), moved
    for parts, (wall, worked, moved) in best.items():
        print(
            f"{spec} at {load:.3g}, {parts} threads: {moved / wall / 1e6:.2f} million flit-hops a"
            f" second, {best[1][0] / wall:.2f} times one thread; {moved / worked / 1e6:.2f} million"
            " a second of processors"
        )


def _growth(family: str, cycles: int, repeats: int) -> None:
    """Cost of a flit-hop from 64 to 4,096 routers, the channels equally busy."""
    setups = {
        side: build_setup(hopscape.build(f"{family}({side}, {side})"), _MESH)
        for side in (8, 32, 64)
    }
    best = dict.fromkeys(setups, 0.0)
    for _ in range(repeats):  # in turns, so that a noisy minute hits all of them
        for side, setup in setups.items():
            found = rate(setup, 0.3 * 8 / side, max(200, cycles * 64 // side**2), 1)
            best[side] = max(best[side], found)
    for side, found in best.items():
        print(
            f"{family}({side}, {side}) at {0.3 * 8 / side:.3g}: {found / 1e6:.2f} million,"
            f" {best[8] / found:.2f} times the cost of 64 routers"
        )


def _set_up(spec: str) -> None:
    """Seconds, processor seconds and peak memory of a set-up, kernels loaded before."""
    build_setup(hopscape.build("torus(26, 26)"), Settings(vcs=2))
    begin, worked = time.perf_counter(), time.process_time()
    setup = build_setup(hopscape.build(spec), Settings(vcs=2))
    spent, worked = time.perf_counter() - begin, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{spec}: {setup.network.order} routers ready in {spent:.1f} s ({worked:.1f} s of processor"
        f" time), {peak:.0f} MB at most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--setup", default="", help="only the set-up of this network")
    parser.add_argument("--booksim", default="", help="path of a BookSim 2 executable")
    parser.add_argument("--threads", default="", help="only this network, in one thread and in all")
    parser.add_argument("--load", type=float, default=0.0375, help="with --threads")
    parser.add_argument("--cycles", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--large", action="store_true", help="also 1,024 and 4,096 routers")
    parser.add_argument("--huge", action="store_true", help="also 10,000 routers, 10,000 cycles")
    options = parser.parse_args()
    if options.setup:
        _set_up(options.setup)
        return
    if options.threads:
        _threads(options.threads, options.load, options.cycles, options.repeats)
        return
    small = rate(
        build_setup(hopscape.build("mesh(8, 8)"), _MESH), 0.3, options.cycles, options.repeats
    )
    print(f"mesh(8, 8), 8 VCs, uniform 0.3: {small / 1e6:.2f} million flit-hops per second")
    if options.booksim:
        peer = max(booksim_rate(options.booksim) for _ in range(options.repeats))
        print(f"BookSim 2: {peer / 1e6:.3f} million; ratio {small / peer:.1f}")
    jobs = [Job("mesh(8, 8)", "uniform", x, _MESH) for x in parse_loads("0.04:0.4:0.04")]
    begin = time.perf_counter()
    simulate(jobs, workers=2)
    print(f"ten-point curve of mesh(8, 8), two threads: {time.perf_counter() - begin:.1f} s wall")
    if options.large:
        for family in ("mesh", "torus"):
            _growth(family, options.cycles, options.repeats)
    if options.huge:
        begin = time.perf_counter()
        setup = build_setup(hopscape.build("torus(100, 100)"), _MESH)
        print(
            f"torus(100, 100): {setup.memory() / 1e9:.2f} GB, built in "
            f"{time.perf_counter() - begin:.0f} s"
        )
        begin = time.perf_counter()
        found = rate(setup, 0.02, 10_000, 1)
        print(f"11,000 cycles: {time.perf_counter() - begin:.0f} s wall, {found / 1e6:.2f} million")


if __name__ == "__main__":
    main()
