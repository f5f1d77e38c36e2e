"""The command that looks for the best graph of an order and a degree."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hopscape.cli.ended import ended_code, ended_word
from hopscape.cli.options import (
    DaskOption,
    DeviceOption,
    ResumeOption,
    SeedOption,
    WorkersOption,
    option,
    refuse,
    time_limit_option,
)
from hopscape.cli.output import emit
from hopscape.core.errors import ArgumentError
from hopscape.core.progress import foretold

if TYPE_CHECKING:
    from hopscape.search.graph import GraphResult, Problem

__all__ = ["search_graph"]


def search_graph(
    nodes: Annotated[int | None, option("Number of nodes.")] = None,
    degree: Annotated[int | None, option("Links per node.")] = None,
    method: Annotated[
        list[str] | None,
        option("random, rotation, cayley, voltage or algebraic (repeatable; default: all)."),
    ] = None,
    local: Annotated[str, option("Improve graphs by: anneal, tabu or none.")] = "anneal",
    bipartite: Annotated[bool, option("Link even nodes to odd ones only.")] = False,
    grid: Annotated[str | None, option("Floor plan as ROWSxCOLUMNS; cables along both.")] = None,
    longest: Annotated[int | None, option("Longest cable on the floor plan.")] = None,
    budget: Annotated[int | None, option("Length of all cables together.")] = None,
    long: Annotated[str | None, option("L:COUNT: at most COUNT cables longer than L.")] = None,
    existing: Annotated[str | None, option("SPEC of a network that is to be rewired.")] = None,
    rewire: Annotated[int | None, option("How many of its cables may be moved.")] = None,
    terminals: Annotated[int | None, option("Instead of --nodes: endpoints at switches.")] = None,
    radix: Annotated[int | None, option("Ports of a switch, those to endpoints included.")] = None,
    switches: Annotated[int | None, option("Switches (default: chosen by the search).")] = None,
    limit: Annotated[float, time_limit_option("How long to search, on all workers.")] = 60.0,
    seed: SeedOption = 0,
    target: Annotated[
        str | None, option("Stop at this mean distance, or at DIAMETER:MEAN.")
    ] = None,
    save: Annotated[Path | None, option("Write the graph to this file (.edges, ...).")] = None,
    resume: ResumeOption = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    device: DeviceOption = "cpu",
) -> None:
    """Find a graph of least diameter, then of least mean distance (the order/degree problem).

    The best so far is printed on Ctrl-C. The same seed and time limit give the same graph on a
    machine that keeps up with the plan.
    """
    from hopscape.search.graph import METHODS, best_graph, best_switches, plan
    from hopscape.store import Store

    if not 0 < limit < 1e9:
        raise ArgumentError(f"--time-limit is {limit:g} s; it must be above 0")
    goal = None if target is None else _target(target)
    search: Callable[..., GraphResult]
    if terminals is not None or radix is not None or switches is not None:
        if terminals is None or radix is None:
            raise ArgumentError("give both --terminals and --radix (and --switches if you like)")
        refuse(
            ("nodes", "degree", "grid", "existing", "bipartite", "longest", "budget", "long",
             "rewire"),
            "does not go with --terminals",
        )  # fmt: skip
        search = partial(best_switches, terminals, radix, switches)
    else:
        search = partial(
            best_graph,
            _problem(nodes, degree, bipartite, grid, longest, budget, long, existing, rewire),
        )
    if device == "gpu":
        refuse(("workers", "dask"), "does not go with --device gpu")
    planned = plan(limit, 1 if device == "gpu" else workers)
    with foretold("searching", planned.seconds), Store(resume) as store:
        best = search(
            effort=planned.effort,
            seconds=planned.seconds,
            seed=seed,
            methods=tuple(method or METHODS),
            local=local,
            target=goal,
            resume=store,
            workers=planned.workers,
            dask=dask,
            device=device,
        )
    if save is not None:
        from hopscape.formats.graphs import write_network

        write_network(best.network(), save)
    _show(best, save)


def _problem(
    nodes: int | None,
    degree: int | None,
    bipartite: bool,
    grid: str | None,
    longest: int | None,
    budget: int | None,
    long: str | None,
    existing: str | None,
    rewire: int | None,
) -> Problem:
    from hopscape.search.graph import Problem

    links = None
    if existing is not None:
        refuse(("nodes", "degree", "bipartite"), "does not go with --existing")
        nodes, degree, links = _existing(existing)
    if nodes is None or degree is None:
        raise ArgumentError("give --nodes and --degree, or --existing, or --terminals and --radix")
    return Problem(
        nodes,
        degree,
        bipartite=bipartite,
        grid=_pair(grid, "grid", "x"),
        longest=longest,
        budget=budget,
        long=_pair(long, "long", ":"),
        links=links,
        rewire=rewire,
    )


def _existing(spec: str) -> tuple[int, int, tuple[tuple[int, int], ...]]:
    from hopscape.registry import build

    network = build(spec)
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has simplex channels; only links can be rewired")
    ends = {(min(u, v), max(u, v)) for u, v in zip(network.tails.tolist(), network.heads.tolist())}
    if any(u == v for u, v in ends) or 2 * len(ends) != len(network.heads):
        raise ArgumentError(f"{network.spec} has loops or parallel links; it must be simple")
    return network.order, int(network.degrees.max()), tuple(sorted(ends))


def _target(text: str) -> tuple[int | None, float]:
    first, mark, rest = text.rpartition(":")
    try:
        return int(first) if mark else None, float(rest)
    except ValueError as error:
        raise ArgumentError(
            f"target is {text!r}; it must be a mean distance or DIAMETER:MEAN"
        ) from error


def _pair(text: str | None, name: str, mark: str) -> tuple[int, int] | None:
    if text is None:
        return None
    match = re.fullmatch(rf"\s*(\d{{1,9}})\s*{mark}\s*(\d{{1,9}})\s*", text)
    if match is None:
        raise ArgumentError(f"{name} is {text!r}; it must be two numbers such as 8{mark}16")
    return int(match[1]), int(match[2])


def _show(best: GraphResult, save: Path | None) -> None:
    record = best.to_dict() | {"file": None if save is None else str(save)}
    least = record["moore_diameter"]
    gap = record["gap"]
    spec = record["spec"] or (f'file("{save}")' if save else "no symmetry: use --save FILE.edges")
    title = f"{record['nodes']} nodes of degree {record['degree']}"
    if best.problem.terminals is not None:
        title = (
            f"{sum(best.problem.terminals)} terminals at {record['nodes']} switches of"
            f" {record['degree']} ports"
        )
    shown = {
        "diameter": f"{record['diameter']}" + (f"  (Moore bound {least})" if least else ""),
        "mean distance": f"{record['mean_distance']:.6f}"
        + (f"  ({100 * gap:.3f} % above the Moore bound)" if gap is not None else ""),
        "spec": spec,
        "found by": record["how"],
        "runs": f"{record['runs']:,} in {record['seconds']:.1f} s"
        + ("" if record["complete"] else ", stopped before the plan was done"),
    }
    emit(record, title=title, table=shown)
    if best.interrupted:
        where = "" if save is None else f"; {save} has the best so far"
        print(f"hopscape: {ended_word()}; this is the best so far{where}", file=sys.stderr)
        raise typer.Exit(ended_code())
