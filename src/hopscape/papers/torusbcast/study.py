"""The study of circuit-switched broadcast on three-dimensional tori, in numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from hopscape.collectives.choose import report
from hopscape.collectives.circuits.pipelined import pipeline_row
from hopscape.collectives.circuits.schemes import LEVELS, scheme
from hopscape.collectives.circuits.torus import to_schedule
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.core.schedule import Schedule
from hopscape.core.verify import verify
from hopscape.families.torus.grids import Torus
from hopscape.ledger.claim import Parts, make_tables
from hopscape.papers.torusbcast.codes import (
    check_code_lemma,
    corner_in_code,
    lattice_codes,
    torus_codes,
)
from hopscape.papers.torusbcast.delays import check_delay_safety, simulate_delays
from hopscape.papers.torusbcast.flags import Reading, chain_classes, shortest_words
from hopscape.papers.torusbcast.node_local import ManySources
from hopscape.store import Store

__all__ = [
    "chain_rows",
    "code_facts",
    "crossover_rows",
    "delay_rows",
    "many_source_rows",
    "pipeline_rows",
    "pipelined_time",
    "relay_time",
    "scheme_rows",
    "study_record",
]


def _schedule(name: str, side: int, dimension: int) -> Schedule:
    sides = (side,) * dimension
    return to_schedule(scheme(name, sides), Network.of(Torus(sides)), 0, Model(), name)


def scheme_rows(levels: tuple[int, ...] = (1, 2)) -> list[dict[str, Any]]:
    """Every named scheme on (2d + 1)^m: rounds, lengths, what is disjoint, delay safety."""
    rows = []
    jobs = [(n, d, m) for n, d in sorted(LEVELS) for m in levels if d < 4 or m == 1]
    for name, dimension, m in track(jobs, "verifying schemes"):
        side = (2 * dimension + 1) ** m
        schedule = _schedule(name, side, dimension)
        figures = report(schedule)
        rows.append(
            {
                "algorithm": name,
                "spec": figures["spec"],
                "rounds": figures["rounds"],
                "lower_bound": figures["lower_bound"],
                "round_lengths": list(scheme(name, (side,) * dimension).round_lengths),
                "max_path": figures["max_path"],
                "sum_round_max": figures["sum_round_max"],
                "path_lower_bound": figures["path_lower_bound"],
                "disjoint": figures["disjoint"],
                "node_safe": bool(check_delay_safety(schedule, "node")),
                "call_safe": bool(check_delay_safety(schedule, "call")),
                "verdict": figures["verdict"],
            }
        )
    return rows


def chain_rows() -> list[dict[str, Any]]:
    """The 30 classes of chains 7 Z^3 < L1 < L2 < Z^3 and the shortest words of each, exhaustively.

    A length is null where there are no disjoint words of at most 9 steps (7 and more are only
    possible in the first round of those that work).
    """
    rows = []
    readings: tuple[Reading, ...] = ("vertex", "edge", "arc")
    for chain, size in track(chain_classes(), "searching chains"):
        row: dict[str, Any] = {"plane": list(chain.plane), "line": list(chain.line), "chains": size}
        for reading in readings:
            lengths: list[int] = []
            proved = True
            for r in (3, 2, 1):
                best = shortest_words(chain.functionals(r), chain.targets(r), reading, 7, most=9)
                proved = proved and best.proved
                if best.length is None:
                    break
                lengths.insert(0, best.length)
            works = len(lengths) == 3
            row[f"{reading}_lengths"] = lengths if works else None
            row[f"{reading}_total"] = sum(lengths) if works else None
            row[f"{reading}_proved"] = proved
        rows.append(row)
    return rows


def code_facts() -> dict[str, Any]:
    """The lower bound D + 1: perfect codes and their corners."""
    lemma = check_code_lemma()
    return {
        "codes_of_side_7": len(torus_codes(7, 3)),
        "lattice_codes": len(lattice_codes(3)),
        "lemma": lemma.holds,
        "lemma_reason": lemma.reason,
        "corner_in_code": {str(d): corner_in_code(d) for d in range(1, 13)},
    }


def delay_rows(runs: int = 20) -> list[dict[str, Any]]:
    """Random start-up delays on side 7 (3-D) and 25 (2-D): how many circuits meet."""
    rows = []
    for name, side, dimension in (("numeration", 25, 2), ("numeration", 7, 3)):
        schedule = _schedule(name, side, dimension)
        for rule in ("node", "call"):
            clashes = [len(simulate_delays(schedule, rule, seed=seed)[1]) for seed in range(runs)]
            rows.append(
                {
                    "spec": schedule.network.spec,
                    "rule": rule,
                    "runs": runs,
                    "runs_with_clashes": sum(x > 0 for x in clashes),
                    "clashes": sum(clashes),
                }
            )
    return rows


def relay_time(
    rounds: int, hops: int, length: float, alpha: float, delta: float, tau: float
) -> float:
    """Time of a broadcast that relays whole messages of this length."""
    return rounds * (alpha + length * tau) + delta * hops


def pipelined_time(
    depth: int, trees: int, length: float, alpha: float, delta: float, tau: float
) -> tuple[float, int]:
    """Least time of pipelined trees, and the number of packets that reaches it.

    The message is split over `trees` trees of this depth that share no channel, and each share into
    q packets; a step moves a packet one hop: (depth + q - 1)(alpha + delta + length·tau/(trees·q)).
    """

    def cost(q: int) -> float:
        return (depth + q - 1) * (alpha + delta + length * tau / (trees * q))

    best = math.sqrt((depth - 1) * length * tau / (trees * (alpha + delta)))
    tried = {max(1, math.floor(best)), max(1, math.ceil(best))}
    return min((cost(q), q) for q in tried)


def pipeline_rows() -> list[dict[str, Any]]:
    """Pipelined trees on small tori, built and verified: rounds over the number of chunks."""
    jobs = [((5, 5), 4), ((5, 5), 64), ((4, 6), 64), ((7, 7, 7), 6), ((7, 7, 7), 96)]
    jobs += [((3, 4, 5), 60), ((4, 4, 4, 4), 64)]
    return [pipeline_row(Network.of(Torus(sides)), chunks) for sides, chunks in jobs]


def many_source_rows() -> list[dict[str, Any]]:
    """Broadcasts from 1, p, p^2, ... sources, built and verified."""
    rows = []
    for name, side, dimension in (("numeration", 25, 2), ("optimal", 7, 3), ("numeration", 9, 4)):
        network = Network.of(Torus((side,) * dimension))
        whole = ManySources(name, side, dimension, 0).rounds
        for start in range(whole):
            rows.append(ManySources(name, side, dimension, start).report(network))
    return rows


def crossover_rows(
    alpha: float = 10.0, delta: float = 0.1, tau: float = 0.01, points: int = 61
) -> list[dict[str, Any]]:
    """Whole-message relay against pipelined trees over the message length, on side 7 in 3-D.

    Both are built and verified, and their rounds measured: the relay once, the trees with 1, 2, 4,
    ..., 256 packets each, of which the best number is taken for each length. `ideal` is the time of
    trees as deep as the diameter, which nobody has built, with the best number of packets.
    """
    verdict = verify(_schedule("optimal", 7, 3))
    rounds, hops = int(verdict.details["rounds"]), int(verdict.details["max_path"])
    network = Network.of(Torus((7, 7, 7)))
    measured = {}
    for q in (2**i for i in range(9)):
        row = pipeline_row(network, 6 * q)
        assert row["verdict"] == "holds"
        measured[q] = int(row["rounds"])
    rows = []
    for length in np.logspace(0, 7, points).tolist():
        times = {q: n * (alpha + delta + length * tau / (6 * q)) for q, n in measured.items()}
        packets = min(times, key=lambda q: times[q])
        rows.append(
            {
                "length": length,
                "relay": relay_time(rounds, hops, length, alpha, delta, tau),
                "trees": times[packets],
                "packets": packets,
                "tree_rounds": measured[packets],
                "ideal": pipelined_time(9, 6, length, alpha, delta, tau)[0],
            }
        )
    return rows


def study_record(levels: int = 2, store: Store | None = None) -> dict[str, Any]:
    """All tables of the study, by name; `codes` is one record.

    Args:
        levels: Sides up to (2d+1) to this power.
        store: Keeps the tables; those that are there are not made again.
    """
    parts: Parts = {
        "schemes": (scheme_rows, (tuple(range(1, levels + 1)),)),
        "chains": (chain_rows, ()),
        "codes": (code_facts, ()),
        "delays": (delay_rows, ()),
        "many_sources": (many_source_rows, ()),
        "pipelines": (pipeline_rows, ()),
        "crossover": (crossover_rows, ()),
    }
    return dict(make_tables(parts, store))
