"""Weighted paths of a hand-over: do they come to the share of the line rate that the file states?

From the file and the cables alone: every path is walked, and for each trunk the permutation is
found that puts most on it, an assignment of endpoints (Towles and Dally, 2002).
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.reading import TextFile, TextLine
from hopscape.core.verdict import Verdict
from hopscape.formats.programs import read_back
from hopscape.metrics.throughput import SwitchGraph, switch_graph

__all__ = ["check_weights"]

_STATED = re.compile(r"any permutation of endpoints gets ([0-9.]+) of the line rate")
_CLOSE = 1e-4
"""By which sums of printed weights may differ from 1, and the share found from the one stated."""


def check_weights(folder: Path, *, seconds: float = 300) -> Verdict:
    """Walk all paths of ``weighted_paths.csv`` and compare what they guarantee with what it says.

    Args:
        seconds: Not needed: no program is run.
    """
    network = read_back(folder)
    graph = switch_graph(network)
    file = TextFile(folder / "weighted_paths.csv")
    said = _STATED.search(file.text)
    if said is None:
        raise file.error("its head does not say which share of the line rate it guarantees")
    names = np.arange(network.order)
    if graph.order != network.order:
        names = np.setdiff1d(names, network.endpoints)
    number = {int(name): switch for switch, name in enumerate(names)}
    shares, totals, wrong = _walked(list(file.lines("#"))[1:], graph, number)
    if wrong is not None:
        return wrong
    sources = np.flatnonzero(graph.ends)
    apart = ~np.eye(len(sources), dtype=bool)
    sums = totals[np.ix_(sources, sources)]
    bad = np.argwhere(apart & (np.abs(sums - 1) > _CLOSE))
    if len(bad):
        i, j = (int(sources[k]) for k in bad[0])
        text = f"weights from switch {names[i]} to {names[j]} add up to {totals[i, j]:.6f}, not 1"
        return Verdict(False, text, {"from": int(names[i]), "to": int(names[j])})
    load, (u, v) = _most(shares, graph)
    share, stated = min(1.0, 1 / load) if load else 1.0, float(said[1])
    details = {"share": round(share, 6), "stated": stated, "trunks": len(shares)}
    if share < stated - _CLOSE:
        text = (
            f"some permutation gets only {share:.6f} of the line rate, not {stated:.6f}: on the"
            f" trunk from switch {names[u]} to {names[v]}"
        )
        return Verdict(False, text, {"from": int(names[u]), "to": int(names[v])}, details)
    text = (
        f"every path follows cables, weights add up to 1, and any permutation gets {share:.6f} of"
        f" the line rate ({stated:.6f} stated)"
    )
    return Verdict(True, text, details=details)


Shares = dict[tuple[int, int], dict[tuple[int, int], float]]
"""For each trunk what share of the traffic of each pair of switches takes it."""


def _walked(
    lines: list[TextLine], graph: SwitchGraph, number: dict[int, int]
) -> tuple[Shares, Floats, Verdict | None]:
    """What all paths put on trunks, the sum of weights of each pair, and the first wrong path."""
    joined = set(zip(graph.tails.tolist(), graph.heads.tolist(), strict=True))
    shares: Shares = {}
    totals = np.zeros((graph.order, graph.order))
    for line in lines:
        words = line.words()
        if len(words) < 5:
            raise line.error("a path has two switches, a weight, and two nodes and more")
        nodes = [word.integer("a node") for word in (*words[:2], *words[3:])]
        weight = words[2].real("a weight", 0.0, 1.0)
        if nodes[:2] != [nodes[2], nodes[-1]]:
            raise line.error("the path does not lead from the one switch to the other")
        path = [number.get(node, -1) for node in nodes[2:]]
        for u, v in pairwise(path):
            if (u, v) not in joined:
                where = f"{Path(line.file.path).name}, line {line.number}"
                text = f"{where}: two switches that no cable joins"
                return shares, totals, Verdict(False, text, {"path": nodes[2:]})
            there = shares.setdefault((u, v), {})
            there[path[0], path[-1]] = there.get((path[0], path[-1]), 0.0) + weight
        totals[path[0], path[-1]] += weight
    return shares, totals, None


def _most(shares: Shares, graph: SwitchGraph) -> tuple[float, tuple[int, int]]:
    """Largest load of a trunk under the permutation that is worst for it, and the trunk."""
    speed: dict[tuple[int, int], float] = {}
    every = zip(graph.tails.tolist(), graph.heads.tolist(), graph.speeds.tolist(), strict=True)
    for u, v, carries in every:
        speed[u, v] = speed.get((u, v), 0.0) + carries
    best, where = 0.0, (-1, -1)
    for trunk, pairs in shares.items():
        met = _assigned(pairs, graph.ends) * graph.lines / speed[trunk]
        if met > best:
            best, where = met, trunk
    return best, where


def _assigned(pairs: dict[tuple[int, int], float], ends: IntArray) -> float:
    """Most that a permutation of endpoints sends over a trunk."""
    from scipy.optimize import linear_sum_assignment, linprog
    from scipy.sparse import csr_array

    first, second = (np.unique([pair[side] for pair in pairs]) for side in (0, 1))
    rows = np.searchsorted(first, [pair[0] for pair in pairs])
    columns = np.searchsorted(second, [pair[1] for pair in pairs])
    weight = np.array(list(pairs.values()))
    if np.ptp(ends[ends > 0]) == 0:
        table = np.zeros((len(first), len(second)))
        table[rows, columns] = weight
        return float(table[linear_sum_assignment(table, maximize=True)].sum() * ends.max())
    every = np.arange(len(weight))
    limits: Any = csr_array(
        (
            np.ones(2 * len(every)),
            (np.concatenate([rows, len(first) + columns]), np.concatenate([every, every])),
        )
    )
    most = np.concatenate([ends[first], ends[second]])  # a transport problem: whole numbers
    done: Any = linprog(-weight, limits, most, method="highs")
    return -float(done.fun)
