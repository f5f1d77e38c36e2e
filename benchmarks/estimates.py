"""What columns are said to cost, against the clock, over all families.

Run as ``python benchmarks/estimates.py [--nodes 1000,4000] [--families rpc]``. For every family
a member of about so many nodes, and its links as a graph that knows nothing of itself. Printed are
the estimates of each job over the processor time that it took, wherever that was more than 20 ms,
and the memory promised over the most that numpy held.

With ``--commands`` twenty commands run one after the other, each as on a terminal; printed is what
each said that it would take, over what it took from then on and before.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.table import Table

import hopscape
from hopscape.core.errors import HopscapeError
from hopscape.core.network import Network
from hopscape.core.progress import STEPS_PER_SECOND
from hopscape.core.requirement import Requirement
from hopscape.design.columns import ALL_COLUMNS
from hopscape.metrics.columns import Evaluation
from hopscape.metrics.effort import threads
from hopscape.metrics.evaluation import MeasurementJob

LEAST_SECONDS = 0.02
LEAST_BYTES = 2_000_000
EARLY = 2.0  # seconds of work from which its length is foretold, about
PARALLEL = ("profile", "between", "all-gather bound")
COLUMN_OF = {  # a column whose last need is the job
    "profile": "mean_distance",
    "cycles": "girth",
    "node flows": "node_connectivity",
    "edge flows": "edge_connectivity",
    "bisection": "bisection",
    "group": "vertex_transitive",
    "loads": "channel_load",
    "between": "hops",
    "routes": "throughput",
    "worst": "worst_permutation",
    "lanes": "vcs",
    "faults": "fault_pairs",
    "placement": "cable",
    "broadcast": "broadcast",
    "all-gather bound": "allgather_bound",
    "all-gather": "allgather",
}


@dataclass(frozen=True)
class Trial:
    """One job on one network: what was promised and what it took."""

    spec: str
    job: str
    seconds: float
    took: float
    memory: int
    held: int


def bare(network: Network) -> Network:
    """The same wires without the knowledge."""
    first = np.arange(len(network.heads)) < network.reverse if network.duplex else slice(None)
    return Network.from_links(
        network.order,
        network.tails[first],
        network.heads[first],
        duplex=network.duplex,
        spec=f"links of {network.spec}",
    )


def networks(families: list[str], sizes: list[int]) -> Iterator[Network]:
    """A member of every family near every size, with and without its closed forms."""
    for name, family in hopscape.all_families().items():
        if (families and name not in families) or name == "file":
            continue
        for nodes in sizes:
            requirement = Requirement(nodes, int(nodes * 0.7), int(nodes * 1.5), 12, 1)
            spec = next(iter(family.members(requirement)), None)
            if spec is None:
                continue
            network = hopscape.build(spec)
            if nodes / 3 < network.order < 3 * nodes:
                yield network
                yield bare(network)


def trials(network: Network) -> Iterator[Trial]:
    """All jobs of a network, each in an evaluation of its own."""
    for job, column in COLUMN_OF.items():
        evaluation = Evaluation(network, columns=ALL_COLUMNS)
        if evaluation.fact(ALL_COLUMNS[column].fact) is not None:
            continue
        needs = ALL_COLUMNS[column].needs
        last = needs[-1]
        assert last.name == job
        if job == "between" and not network.has_switches:
            continue
        try:
            held = _held(network, column)
            yield _trial(evaluation, last, column, needs, held)
        except HopscapeError as error:
            print(f"{network.spec}, {job}: {error}")


def _held(network: Network, column: str) -> int:
    """The most bytes that numpy held while a column was measured; slows it down."""
    evaluation = Evaluation(network, columns=ALL_COLUMNS)
    tracemalloc.start()
    ALL_COLUMNS[column].measure(evaluation)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return held


def _trial(
    evaluation: Evaluation,
    last: MeasurementJob,
    column: str,
    needs: tuple[MeasurementJob, ...],
    held: int,
) -> Trial:
    for one in needs[:-1]:
        if one.prepare is not None:
            evaluation.share(one.name, lambda one=one: one.prepare(evaluation))  # type: ignore[misc]
        elif one.name == "routes":
            ALL_COLUMNS["throughput"].measure(evaluation)
        elif one.name == "all-gather bound":
            ALL_COLUMNS["allgather_bound"].measure(evaluation)
    effort = last.effort(evaluation)
    memory = sum(one.effort(evaluation).memory for one in needs)
    begin = time.process_time()
    ALL_COLUMNS[column].measure(evaluation)
    took = time.process_time() - begin
    if last.name in PARALLEL:
        took /= threads()
    return Trial(
        evaluation.network.spec, last.name, effort.steps / STEPS_PER_SECOND, took, memory, held
    )


def warm_up() -> None:
    """Compile or load all kernels."""
    for spec in ("torus(5, 5)", "random_regular(300, 4)", "kautz(2, 4)", "dragonfly(4, 2, p=2)"):
        for network in (hopscape.build(spec), bare(hopscape.build(spec))):
            for _ in trials(network):
                pass


JOBS = (
    "simulate 'torus(16, 16)' --load 0.05:0.25:0.05 --cycles 20000",
    "simulate 'torus(32, 32)' --load 0.1 --cycles 20000",
    "simulate 'torus(64, 64)' --load 0.04 --cycles 10000",
    "simulate 'dragonfly(8, 4, p=4)' --load 0.3 --cycles 10000",
    "simulate 'torus(16, 16)' --saturation --cycles 10000",
    "simulate 'hypercube(8)' --load 0.1:0.5:0.1 --cycles 10000",
    "design --nodes 256 --ports 6",
    "design --nodes 1024 --ports 6",
    "search graph --nodes 200 --degree 4 --time-limit 20",
    "search graph --nodes 1000 --degree 6 --time-limit 30",
    "search circulant --nodes 600 --generators 5",
    "atlas circulant --degree 6 --nodes 300:500",
    "atlas circulant --degree 8 --nodes 100:200",
    "show 'random_regular(100000, 6)'",
    "show 'random_regular(65536, 8)'",
    "allreduce 'torus(16, 16)'",
    "alltoall 'torus(12, 12)'",
    "study rpc --only rivals",
    "ledger --paper rpc",
    "study load --sizes 64",
)
_SAID = re.compile(r"(.+): about ([\d.]+) (s|min|h) in all$")
_SECONDS = {"s": 1, "min": 60, "h": 3600}


def commands(jobs: list[str]) -> Table:
    """What each command says that it will take, and what it takes."""
    table = Table("command", "said of", "said (s)", "it took (s)", "said / took", "the command (s)")
    for job in jobs:
        words = [sys.executable, "-m", "hopscape", *shlex.split(job)]
        begin, said = time.perf_counter(), []
        with subprocess.Popen(
            words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as run:
            assert run.stderr is not None
            for line in run.stderr:
                found = _SAID.match(line.strip())
                if found:
                    seconds = float(found[2]) * _SECONDS[found[3]]
                    said.append((found[1], seconds, time.perf_counter() - begin))
        whole = time.perf_counter() - begin
        ends = [when for _, _, when in said[1:]] + [whole]
        rows = [
            (text, seconds, end - (when - EARLY))
            for (text, seconds, when), end in zip(said, ends, strict=True)
        ]
        for text, seconds, took in rows or [("nothing", 0.0, 0.0)]:
            ratio = f"{seconds / took:.2f}" if took else "-"
            table.add_row(job, text, f"{seconds:.3g}", f"{took:.3g}", ratio, f"{whole:.1f}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commands", nargs="*", help="these commands, or twenty")
    parser.add_argument("--nodes", default="1000,4000,16000")
    parser.add_argument("--families", default="")
    asked = parser.parse_args()
    if asked.commands is not None:
        Console(width=200).print(commands(asked.commands or list(JOBS)))
        return
    warm_up()
    found: list[Trial] = []
    for network in networks(
        [f for f in asked.families.split(",") if f], [int(n) for n in asked.nodes.split(",")]
    ):
        found += trials(network)
    console = Console()
    table = Table("job", "trials", "least", "median", "most", "least at", "most at", "memory least")
    for job in COLUMN_OF:
        timed = [t for t in found if t.job == job and max(t.took, t.seconds) > LEAST_SECONDS]
        sized = [t.memory / t.held for t in found if t.job == job and t.held > LEAST_BYTES]
        if not timed:
            continue
        ratio = sorted(timed, key=lambda t: t.seconds / max(t.took, 1e-4))
        values = [f"{t.seconds / max(t.took, 1e-4):.2g}" for t in ratio]
        table.add_row(
            job,
            str(len(timed)),
            values[0],
            values[len(values) // 2],
            values[-1],
            f"{ratio[0].spec} ({ratio[0].took:.2g} s)",
            f"{ratio[-1].spec} ({ratio[-1].took:.2g} s)",
            f"{min(sized):.2g}" if sized else "-",
        )
    console.print("estimate over processor time, jobs of more than 20 ms")
    console.print(table)


if __name__ == "__main__":
    main()
