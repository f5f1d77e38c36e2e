"""Speed over time: measures a fixed set of jobs, keeps the figures, and compares.

    python benchmarks/track.py               # measure and compare with the last record
    python benchmarks/track.py --keep NOTE   # and add a record to benchmarks/history.jsonl
    python benchmarks/track.py --list        # what has been kept
    python benchmarks/track.py --against DIR # another checkout beside this one, turn by turn

Every time is divided by that of a yardstick (sorting and multiplying with numpy) that is run right
before it, minimum of several, so that records of different machines and days can be compared.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np

import hopscape
from hopscape._version import __version__

HISTORY = Path(__file__).parent / "history.jsonl"
REPEATS = 5
NOISE = 1.15
_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def yardstick() -> None:
    """Work that has nothing to do with hopscape."""
    data = np.random.default_rng(0).random(400_000)
    np.sort(data)
    square = data[:160_000].reshape(400, 400)
    square @ square


def _moved(name: str, *modules: str) -> Any:
    """A function by the modules that hold it now and held it: older versions are measured, too."""
    for module in modules:
        with suppress(ModuleNotFoundError):
            return getattr(importlib.import_module(f"hopscape.{module}"), name)
    raise ImportError(f"{name} is in none of {', '.join(modules)}")


def distances() -> Callable[[], object]:
    from hopscape.metrics import distance_profile

    net = hopscape.build("random_regular(4000, 6, seed=1)")
    return lambda: distance_profile(net, exact=True)


def routes(spec: str) -> Callable[[], object]:
    net = hopscape.build(spec)
    router = net.router()
    at, to = np.random.default_rng(1).integers(0, net.order, (2, 200_000))
    return lambda: (router.distances(at, to), router.next_ports(at, to))


def verification() -> Callable[[], object]:
    from hopscape.collectives.generic import all_gather

    schedule = all_gather(hopscape.build("torus(20, 20)"))
    return lambda: hopscape.verify(schedule)


def simulation() -> Callable[[], object]:
    from hopscape.simulate import Settings, build_setup, make_traffic, run_point

    setup = build_setup(hopscape.build("torus(8, 8)"), Settings(vcs=4))
    traffic = make_traffic("uniform", 64)
    return lambda: run_point(setup, traffic, 0.3, warmup=500, cycles=5000)


def circulants() -> Callable[[], object]:
    best_circulants = _moved(
        "best_circulants", "papers.circulant.search", "search.circulant.optimum"
    )
    return lambda: list(best_circulants([220], 4, processes=1))


def capacity() -> Callable[[], object]:
    capacity_report = _moved(
        "capacity_report", "papers.multiring.capacity", "metrics.rings.capacity"
    )
    member = hopscape.build("multiring(64, 1, 5, 11, 27)").family
    return lambda: capacity_report(member)


def layers() -> Callable[[], object]:
    find_layers = _moved("find_layers", "deadlock.layers", "deadlock.layering")
    routing_table = _moved("routing_table", "deadlock.routes", "deadlock.tables")
    net = hopscape.build("torus(16, 16)")
    table = routing_table(net, net.router("table"), ties=False)
    return lambda: find_layers(table, 64)


def permutation() -> Callable[[], object]:
    from hopscape.collectives import run_algorithm

    net = hopscape.build("rpc(30)")
    goal = hopscape.Goal.permutation(np.random.default_rng(0).permutation(net.order).tolist())
    return lambda: run_algorithm(net, goal, "balanced", hopscape.Model())


def figures(name: str, spec: str) -> Callable[[], object]:
    from hopscape import metrics

    net = hopscape.build(spec)
    return lambda: getattr(metrics, name)(net)


def permutation_check() -> Callable[[], object]:
    check_permutation = _moved(
        "check_permutation", "papers.blockdesign.contention", "simulate.contention"
    )
    net = hopscape.build("distributed_switch(993, 32)")
    draw = np.random.default_rng(0)
    targets = np.stack([draw.permutation(net.endpoints) for _ in range(500)])
    return lambda: check_permutation(net, targets)


JOBS: dict[str, Callable[[], Callable[[], object]]] = {
    "all distances, random_regular(4000, 6)": distances,
    "200,000 routes, torus(32, 32, 32)": lambda: routes("torus(32, 32, 32)"),
    "200,000 routes, circulant(7525, 1, 300, 326)": lambda: routes("circulant(7525, 1, 300, 326)"),
    "200,000 routes, hypercube(16)": lambda: routes("hypercube(16)"),
    "verify an all-gather, torus(20, 20)": verification,
    "simulate torus(8, 8), load 0.3": simulation,
    "best circulants, 220 nodes, 4 generators": circulants,
    "capacity, multiring(64, 1, 5, 11, 27)": capacity,
    "200,000 routes, expanded(heawood, 3)": lambda: routes("expanded(heawood, 3)"),
    "200,000 routes, rpc(1000)": lambda: routes("rpc(1000)"),
    "layers of virtual channels, torus(16, 16)": layers,
    "a permutation scheduled, rpc(30)": permutation,
    "girth, random_regular(2000, 3)": lambda: figures("girth", "random_regular(2000, 3)"),
    "edge connectivity, random_regular(1000, 6)": lambda: figures(
        "edge_connectivity", "random_regular(1000, 6)"
    ),
    "bisection, random_regular(256, 4)": lambda: figures("bisection", "random_regular(256, 4)"),
    "500 permutations checked, distributed_switch(993, 32)": permutation_check,
}
TURNS = 3


def least(job: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the quickest of several runs."""
    times = []
    for _ in range(REPEATS):
        begin = clock()
        job()
        times.append(clock() - begin)
    return min(times)


def measure() -> dict[str, float]:
    """Yardsticks that each job takes."""
    found = {}
    for name, make in JOBS.items():
        job = make()
        job()  # compile
        found[name] = round(least(job) / least(yardstick), 4)
    return found


def against(other: Path) -> None:
    """Both checkouts turn by turn, each in processes of its own; the best of all turns counts.

    The other one is run by its own ``.venv`` where it has one: families are found by entry points.
    Seconds are those of the processor, so that other work beside it does not count; libraries of
    linear algebra get one thread, since waiting threads of theirs count as work.
    """
    here = Path(__file__).parent.parent
    for name in JOBS:
        best = {}
        for _ in range(TURNS):
            for checkout in (here, other):
                seconds = _alone(name, checkout)
                best[checkout] = min(seconds, best.get(checkout, seconds))
        known = best[other] < float("inf")
        word = f"{best[here] / best[other]:6.2f} of the other" if known else "  only here"
        print(f"{name:53} {best[here] * 1e3:8.2f} ms {word}", flush=True)


def _alone(name: str, checkout: Path) -> float:
    """Seconds of a job in a checkout; infinite where it cannot be done."""
    places = {"PYTHONPATH": str(checkout / "src"), "HOPSCAPE_INTERPRET": "0"}
    environment = os.environ | places | dict.fromkeys(_THREADS, "1")
    own = checkout / ".venv/bin/python"
    python = str(own) if own.exists() else sys.executable
    run = [python, __file__, "--alone", name]
    done = subprocess.run(run, env=environment, capture_output=True, text=True, check=False)
    return float(done.stdout) if done.returncode == 0 else float("inf")


def history() -> list[dict[str, object]]:
    """All records, the newest last."""
    lines = HISTORY.read_text(encoding="utf-8").splitlines() if HISTORY.exists() else []
    return [json.loads(line) for line in lines]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", metavar="NOTE", help="add the figures to the history")
    parser.add_argument("--list", action="store_true", help="print the history and stop")
    parser.add_argument("--against", type=Path, metavar="DIR", help="another checkout")
    parser.add_argument("--alone", choices=JOBS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.alone:
        job = JOBS[given.alone]()
        job()  # compile
        print(least(job, time.process_time))
        return
    if given.against:
        if not (given.against / "src" / "hopscape").is_dir():
            parser.error(f"--against {given.against}: there is no src/hopscape in it")
        against(given.against.resolve())
        return
    kept = history()
    if given.list:
        for record in kept:
            print(record["date"], record["version"], record["note"])
        return
    before = kept[-1]["figures"] if kept else {}
    assert isinstance(before, dict)
    found = measure()
    for name, value in found.items():
        ratio = value / before[name] if name in before else None
        word = "" if ratio is None else f"{ratio:6.2f} of the last"
        if ratio is not None and ratio > NOISE:
            word += "  slower"
        print(f"{name:48} {value:9.4f} yardsticks {word}")
    if given.keep:
        record = {"date": str(date.today()), "version": __version__, "note": given.keep}
        with HISTORY.open("a", encoding="utf-8") as out:
            out.write(json.dumps(record | {"figures": found}) + "\n")


if __name__ == "__main__":
    main()
