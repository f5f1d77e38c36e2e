"""Is any lower bound of a collective above what a schedule takes? Random networks, goals and rules.

``python benchmarks/bounds.py --cases 1000 --seed 38`` draws small networks (random links, some with
speeds of 1 to 12, some with switches), a goal, rules and a size; every schedule of the contest is
priced round by round and executed without barriers, and held against both bounds. The last line
counts; a case with a bound above a time is printed, and the command ends with 1.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator

import networkx as nx
import numpy as np

import hopscape
from hopscape import Goal, Network
from hopscape.collectives.contest import compete
from hopscape.collectives.executed import executed_time
from hopscape.core.channels import ChannelClass
from hopscape.core.errors import ArgumentError, CheckFailedError, HopscapeError

KINDS = (
    "all-gather", "reduce-scatter", "all-reduce", "all-to-all", "broadcast", "reduce", "scatter",
    "gather", "one-to-many", "permutation",
)  # fmt: skip
MACHINES = (
    "leaf_spine(2, 2, 2)", "xgft([5], [1])", "bcube(2, 1)", "kary_ntree(2, 2)", "dcell(2, 1)",
    "concentrated(ring(3), 2)", "hyperx((2, 2), 2)", "dragonfly(2, 1, p=1)", "torus(3, 3)",
    "hypercube(3)", "circulant(7, 1, 2)", "kautz(2, 2, duplex=true)", "petersen", "mesh(2, 4)",
)  # fmt: skip
SPEEDS = (1, 2, 3, 12)
RULES = ("duplex", "switching", "in_network")


def drawn_network(lot: np.random.Generator) -> Network:
    """Links by lot, or a small machine; half of the former with speeds."""
    if lot.random() < 0.35:
        return hopscape.build(str(lot.choice(MACHINES)))
    nodes = int(lot.integers(3, 9))
    graph = nx.gnp_random_graph(nodes, lot.uniform(0.1, 0.7), seed=int(lot.integers(10**6)))
    graph.add_edges_from((int(lot.integers(v)), v) for v in range(1, nodes))
    edges = sorted(graph.edges())
    some = int(lot.integers(0, nodes - 2)) if lot.random() < 0.3 else 0
    switches = np.sort(lot.permutation(nodes)[:some]).astype(np.int64)
    speeds = SPEEDS if lot.random() < 0.5 else (1,)
    return Network.from_links(
        nodes,
        *zip(*edges, strict=True),
        switches=switches,
        classes=[ChannelClass(f"speed {speed}", speed) for speed in speeds],
        kinds=lot.integers(len(speeds), size=len(edges)),
        spec=f"links {edges}, switches {switches.tolist()}",
    )


def drawn_goal(lot: np.random.Generator, network: Network) -> Goal:
    """A goal by lot, now and then for two groups."""
    kind, ends = str(lot.choice(KINDS)), network.endpoints.tolist()
    order = [int(v) for v in lot.permutation(ends)]
    if kind == "permutation":
        to = dict(zip(ends, order, strict=True))
        return Goal.permutation([to.get(v, v) for v in range(network.order)])
    if kind == "one-to-many":
        return Goal.one_to_many(order[0], order[1 : 1 + int(lot.integers(1, len(ends)))])
    if kind in ("broadcast", "reduce", "scatter", "gather"):
        return Goal(kind, order[0])  # type: ignore[arg-type]
    if len(ends) >= 4 and lot.random() < 0.15:
        half = len(ends) // 2
        return Goal(kind, groups=(tuple(order[:half]), tuple(order[half : 2 * half])))  # type: ignore[arg-type]
    return Goal(kind)  # type: ignore[arg-type]


def cases(count: int, seed: int) -> Iterator[tuple[Network, Goal, dict[str, object], float]]:
    """Networks, goals, rules with costs, and sizes."""
    for k in range(count):
        lot = np.random.default_rng([seed, k])
        network = drawn_network(lot)
        asked: dict[str, object] = {
            name: float(lot.choice([0.0, 0.5, 2.0])) for name in ("alpha", "delta")
        }
        asked |= {name: float(10 ** lot.uniform(-6, -3)) for name in ("beta", "gamma")}
        if lot.random() < 0.3:
            asked["ports"] = int(lot.integers(1, 3))
        if lot.random() < 0.2:
            asked["duplex"] = "half"
        if lot.random() < 0.3:
            asked["switching"] = str(lot.choice(["store-and-forward", "cut-through"]))
        if network.has_switches and lot.random() < 0.3:
            asked["in_network"] = True
        yield network, drawn_goal(lot, network), asked, float(10 ** lot.uniform(1, 7))


def wrong(network: Network, goal: Goal, asked: dict[str, object], size: float) -> tuple[str, int]:
    """Which bound is above which time ('' : none), and how many times were held against bounds."""
    try:
        found = compete(network, goal, asked, size=size, seconds=1)
    except CheckFailedError as error:
        return str(error), 1
    tried = 0
    for entry in found.entries:
        times = [(entry.time(found.costs, size), found.least_time(size), "round by round")]
        executed = executed_time(entry.schedule, found.costs, size / entry.chunks)
        if executed is not None:
            times.append((executed, found.least_executed(size), "executed"))
        for took, least, how in times:
            tried += 1
            if least > took * (1 + 1e-9):
                return f"{entry.algorithm} {how} takes {took:g}, at least {least:g}", tried
    return "", tried


def main() -> int:
    """Draw the cases and count."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=38)
    given = parser.parse_args()
    start, refused, held, bad = time.process_time(), 0, 0, 0
    for k, case in enumerate(cases(given.cases, given.seed)):
        try:
            why, tried = wrong(*case)
        except HopscapeError as error:
            if not isinstance(error, ArgumentError):
                print(f"{k}: {error}", flush=True)
            refused += 1
            continue
        held += tried
        if why:
            bad += 1
            print(f"{k}: {case[0].spec}, {case[1].describe()}, {case[2]}, {case[3]:g}: {why}")
            sys.stdout.flush()
    spent = time.process_time() - start
    print(
        f"{given.cases} cases, {refused} refused, {held} times held against bounds, {bad} below"
        f" them, {spent:.0f} CPU s"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
