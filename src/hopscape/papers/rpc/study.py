"""The study of RPC(k): every table as rows, every figure drawn from those rows."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.collectives import lower_bounds, run_algorithm
from hopscape.core.errors import ArgumentError
from hopscape.core.files import write_atomically
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.core.verify import verify
from hopscape.ledger.claim import make_tables
from hopscape.papers.rpc.checks_routing import (
    balanced_rounds,
    climb_permutation,
    climb_sources,
    incomplete_rounds,
    reversal,
    swap_cycles,
)
from hopscape.papers.rpc.comparison import (
    RIVALS,
    ROUTINGS,
    compare,
    crossovers,
    group_rows,
    rival_crossovers,
    rival_table,
)
from hopscape.papers.rpc.families import PetersenCycles, RingOfPetersenCycles
from hopscape.store import Store

__all__ = ["draw_figures", "study_tables"]

Rows = list[dict[str, Any]]
_MODELS = tuple(
    Model(duplex=duplex, packing=packing)
    for duplex in ("full", "half")
    for packing in ("unit", "packed")
)


def _rpc(k: int) -> Network:
    return Network.of(RingOfPetersenCycles(k))


@cache
def _compared() -> tuple[dict[str, Any], ...]:
    """Two tables are made of it; the best circulants take most of the time."""
    return tuple(compare(track(range(1, 201), "circulants of degree 5")))


def table_1(effort: int) -> Rows:
    """Diameters of RPC(k) and its rivals, k = 1..200."""
    return list(_compared())


def crossover_table(effort: int) -> Rows:
    """Where RPC is better than each rival, equal, worse."""
    return crossovers(list(_compared()))


def group_table(effort: int) -> Rows:
    """Best groups up to 3136 nodes."""
    return group_rows()


def permutation_table(effort: int) -> Rows:
    """Worst permutations found for every algorithm and model, with the lower bound beside."""
    rows: Rows = []
    slice_only = ("slice", "slice-detour")
    names = (*slice_only, "general", "two-way", "balanced", "packed")
    cases = [(k, name, model) for k in (1, 2, 4, 8) for name in names for model in _MODELS]
    for k, name, model in track(cases, "permutations"):
        if (name == "packed" and model.packing == "unit") or (name in slice_only and k > 1):
            continue
        network = _rpc(k)
        rng = np.random.default_rng(k)
        starts = [reversal(network.order), swap_cycles(network.order)]
        starts += [rng.permutation(network.order)]
        worst, targets = 0, starts[0]
        for seed, start in enumerate(starts):
            steps = effort if k == 1 else effort // 4
            rounds, best = climb_permutation(
                network, name, model, steps=steps, seed=seed, start=start
            )
            if rounds > worst:
                worst, targets = rounds, best
        made = run_algorithm(network, Goal.permutation(targets.tolist()), name, model)
        bounds = lower_bounds(network, made.goal, model)
        rows.append(
            {
                "k": k,
                "algorithm": name,
                "duplex": model.duplex,
                "packing": model.packing,
                "worst_steps": worst,
                "lower_bound": bounds[0].rounds if bounds else 0,
                "verdict": "holds" if verify(made) else "fails",
            }
        )
    return rows


def incomplete_table(effort: int) -> Rows:
    """Any sources in one slice: canonical paths and the balanced scheduler, both duplexes."""
    rows: Rows = []
    network = Network.of(PetersenCycles())
    kinds: dict[str, Callable[[Network, Any, Model], int]] = {
        "incomplete": incomplete_rounds,
        "balanced": balanced_rounds,
    }
    for name, rounds in kinds.items():
        for duplex in ("full", "half"):
            model = Model(duplex=duplex)
            steps = effort if name == "incomplete" else effort // 2
            climbs = [
                climb_sources(network, rounds, model, steps=steps, seed=seed)
                for seed in track(range(4), f"{name}, {duplex} duplex")
            ]
            worst, sources = max(climbs, key=lambda item: item[0])
            rows.append(
                {
                    "algorithm": name,
                    "duplex": duplex,
                    "packing": "unit",
                    "worst_steps": worst,
                    "sources": sources.tolist(),
                }
            )
    return rows


def gather_table(effort: int) -> Rows:
    """All-gather by every algorithm and model, with the lower bound beside."""
    rows: Rows = []
    cases = [
        (k, name, model)
        for k in (1, 2, 3, 4, 5, 8, 12)
        for name in ("paper", "packed", "bandwidth")
        for model in _MODELS
        if (name != "packed" or model.packing == "packed")
        and (name != "bandwidth" or model.packing == "unit")
    ]
    for k, name, model in track(cases, "all-gathers"):
        network = _rpc(k)
        made = run_algorithm(network, Goal.all_gather(), name, model)
        rows.append(
            {
                "k": k,
                "algorithm": name,
                "duplex": model.duplex,
                "packing": model.packing,
                "steps": made.rounds,
                "lower_bound": lower_bounds(network, made.goal, model)[0].rounds,
                "verdict": "holds" if verify(made) else "fails",
            }
        )
    return rows


def rivals(effort: int) -> Rows:
    """Four routings and groups of RPC(k) and its rivals, k = 1..64."""
    return rival_table()


_TABLES: dict[str, Callable[[int], Rows]] = {
    "rivals": rivals,
    "diameters": table_1,
    "crossovers": crossover_table,
    "groups": group_table,
    "permutations": permutation_table,
    "incomplete": incomplete_table,
    "gathers": gather_table,
}


def study_tables(
    names: Sequence[str] = (), effort: int = 200, store: Store | None = None
) -> Iterator[tuple[str, Rows]]:
    """The tables of the study, or some of them, one after the other.

    Args:
        effort: Steps of hill-climbing per permutation.
        store: Keeps the tables; those that are there are not made again.
    """
    for name in names:
        if name not in _TABLES:
            raise ArgumentError(f"table {name!r} is unknown; there are {', '.join(_TABLES)}")
    return _with_crossovers(
        make_tables({name: (_TABLES[name], (effort,)) for name in names or _TABLES}, store)
    )


def _with_crossovers(tables: Iterable[tuple[str, Rows]]) -> Iterator[tuple[str, Rows]]:
    """The table of rivals is followed by where RPC(k) is better, equal and worse."""
    for name, rows in tables:
        yield name, rows
        if name == "rivals":
            yield "rivals_crossovers", rival_crossovers(rows)


def draw_figures(tables: Mapping[str, Sequence[Mapping[str, Any]]], folder: Path) -> list[Path]:
    """Diameters and rounds over k and group diameters over m, as SVG and PNG."""
    import matplotlib.pyplot as plt

    written: list[Path] = []
    for name, across, columns, title in (
        ("diameters", "k", ("rpc", "rp", "torus", "circulant"), "slices k (30k nodes)"),
        ("groups", "m", ("rpc", "rp", "torus"), "nodes m of the group"),
    ):
        if name in tables:
            figure, axes = plt.subplots(figsize=(7, 4.4), layout="constrained")
            x = [row[across] for row in tables[name]]
            for column in columns:
                axes.plot(x, [row[column] for row in tables[name]], label=_LABELS[column], lw=1.4)
            axes.set(xlabel=title, ylabel="diameter")
            written += _save(figure, axes, folder / name)
    for routing in ROUTINGS if "rivals" in tables else ():
        figure, axes = plt.subplots(figsize=(7, 4.4), layout="constrained")
        _draw_routing(axes, [row for row in tables["rivals"] if row["routing"] == routing])
        axes.set(xlabel="slices k (30k nodes)", ylabel=f"rounds, {routing}")
        written += _save(figure, axes, folder / f"rivals-{routing}")
    return written


_LABELS = {
    "rpc": "RPC(k)",
    "rp": "RP(3k)",
    "torus": "best 2-D torus",
    "torus_3d": "best 3-D torus",
    "hypercube": "hypercube",
    "ccc": "cube-connected cycles",
    "circulant": "best circulant, degree 5",
}


def _draw_routing(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """One line per network; a dotted one of its colour for the paper's algorithm."""
    for i, network in enumerate(RIVALS):
        for kind, style in (("best", "-"), ("paper", ":")):
            chosen = [row for row in rows if (row["network"], row["kind"]) == (network, kind)]
            if chosen:
                label = _LABELS[network] + (", the paper's algorithm" if kind == "paper" else "")
                x, y = [row["k"] for row in chosen], [row["rounds"] for row in chosen]
                axes.plot(x, y, style, color=f"C{i}", label=label, lw=1.4)


def _save(figure: Any, axes: Any, place: Path) -> list[Path]:
    """The figure as SVG and PNG."""
    import matplotlib.pyplot as plt

    axes.legend(frameon=False, fontsize="small")
    axes.spines[["top", "right"]].set_visible(False)
    written = []
    for ending in ("svg", "png"):
        picture = io.BytesIO()
        figure.savefig(picture, format=ending, dpi=160)
        target, data = place.with_name(f"{place.name}.{ending}"), picture.getvalue()
        write_atomically(target, lambda out, data=data: out.write(data))  # type: ignore[misc]
        written.append(target)
    plt.close(figure)
    return written
