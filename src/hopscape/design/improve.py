"""Finalists improved by the graph search: the same nodes and ports, shorter distances."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.files import make_folder
from hopscape.core.numbers import number
from hopscape.core.spec import parse, write_value
from hopscape.design.candidates import Candidate
from hopscape.registry import build
from hopscape.store import Store

if TYPE_CHECKING:
    from hopscape.search.graph import GraphResult

__all__ = ["Improvement", "improve", "parse_duration"]

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0}
_MOST_ORDER = 16_000
_SYMMETRIC = ("rotation", "cayley", "voltage")


@dataclass(frozen=True)
class Improvement:
    """How finalists are improved.

    Attributes:
        seconds: For all searches together.
        folder: Where the links of graphs without a symmetry are written; without it only graphs are
            looked for that a spec can name.
    """

    seconds: float
    folder: Path | None = None


def parse_duration(text: str) -> float:
    """Seconds of a text such as 60s, 5m or 1.5h.

    Examples:
        >>> parse_duration("60s"), parse_duration("1.5 m"), parse_duration("20")
        (60.0, 90.0, 20.0)
    """
    match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([smh]?)\s*", text)
    seconds = float(match[1]) * _UNITS[match[2]] if match else 0.0
    if not seconds > 0:
        raise ArgumentError(
            f"search is {text!r}; it must be a time above 0 such as 60s, 5m or 1.5h"
        )
    return seconds


def improve(
    finalists: Sequence[Candidate],
    how: Improvement,
    *,
    seed: int = 0,
    workers: int = 1,
    store: Store | None = None,
    dask: str | None = None,
) -> tuple[list[Candidate], list[str]]:
    """Look for better graphs with the nodes and the ports of finalists.

    Each number of nodes and ports is searched once, for an equal share of the time.

    Args:
        seed, workers, store, dask: As for :func:`hopscape.search.graph.best_graph`.

    Returns:
        candidates (list of Candidate): Graphs of less diameter, or of the same and less mean
            distance, than all finalists of their nodes and ports; not measured yet.
        notes (list of str): What came of each search.

    Examples:
        >>> found, notes = improve([Candidate("torus(3, 5)", "torus")], Improvement(0.5))
        >>> [(build(one.spec).order, int(build(one.spec).degrees.max())) for one in found]
        [(15, 4)]
    """
    sizes = _sizes(finalists)
    searched: list[Candidate] = []
    notes: list[str] = []
    for (nodes, degree), best in sizes.items():
        about = f"graph search, {nodes} nodes of degree {degree}"
        if nodes > _MOST_ORDER:
            notes.append(f"{about}: left out, it is for at most {_MOST_ORDER} nodes")
            continue
        try:
            result = _search(nodes, degree, how, len(sizes), seed, workers, store, dask)
        except HopscapeError as error:
            notes.append(f"{about}: {error}")
            continue
        words = f"{about}: diameter {result.diameter}, mean distance {number(float(result.mean))}"
        if (result.diameter, result.mean) < best[:2]:
            spec = result.spec or _write(result, how.folder)
            searched.append(Candidate(spec, parse(spec).name))
            notes.append(f"{words}, better than {best[2]}; {result.how}")
        else:
            notes.append(f"{words}, not better than {best[2]}")
        if result.interrupted:
            notes.append("graph search: interrupted; what it found is measured")
            break
    return searched, notes


Best = tuple[float, float | Fraction, str]


def _sizes(finalists: Sequence[Candidate]) -> dict[tuple[int, int], Best]:
    """Diameter, mean distance and spec of the best finalist for each order and degree."""
    from hopscape.metrics.distances import distance_profile

    out: dict[tuple[int, int], Best] = {}
    for one in finalists:
        network = build(one.spec)
        size = network.order, int(network.degrees.max(initial=0))
        profile = distance_profile(network)
        rank: Best = (math.inf, math.inf, one.spec)
        if profile.diameter is not None and profile.mean is not None:
            rank = (profile.diameter, profile.mean, one.spec)
        out[size] = min(out.get(size, rank), rank)
    return out


def _search(
    nodes: int,
    degree: int,
    how: Improvement,
    shares: int,
    seed: int,
    workers: int,
    store: Store | None,
    dask: str | None,
) -> GraphResult:
    from hopscape.search.graph import METHODS, Problem, best_graph, plan

    planned = plan(how.seconds / shares, workers)
    return best_graph(
        Problem(nodes, degree),
        effort=planned.effort,
        seconds=planned.seconds,
        workers=planned.workers,
        seed=seed,
        methods=_SYMMETRIC if how.folder is None else METHODS,
        resume=store,
        dask=dask,
    )


def _write(found: GraphResult, folder: Path | None) -> str:
    """Put the links of a graph without symmetry into a file, and name it as a spec."""
    from hopscape.formats.graphs import write_network

    assert folder is not None
    problem = found.problem
    path = make_folder(folder) / f"searched-{problem.nodes}-{problem.degree}.edges"
    write_network(found.network(), path)
    return f"file({write_value(str(path))})"
