"""Commands for groups, embeddings and the study of RPC(k)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.options import SpecArgument, TableOption, option
from hopscape.cli.output import emit, emit_rows, write_tables
from hopscape.registry import build

__all__ = ["embed", "groups", "study_rpc"]


def groups(
    spec: SpecArgument,
    size: Annotated[int, option("Number of nodes of the group.", "--size", "-m")],
    budget: Annotated[int, option("Branches of the search before it gives up.", min=1)] = 2_000_000,
) -> None:
    """Find a group of nodes that are as near to each other as possible."""
    from hopscape.metrics.groups import best_group

    network = build(spec)
    found = best_group(network, size, budget=budget)
    record = {
        "spec": network.spec,
        "size": found.size,
        "diameter": found.diameter,
        "nodes": list(found.nodes),
        "exact": found.exact,
        "lower_bound": found.lower_bound,
        "how": found.how,
    }
    table = {
        "diameter": str(found.diameter),
        "exact": "yes" if found.exact else f"no: at least {found.lower_bound}",
        "because": found.how,
        "nodes": ", ".join(network.addresses.text(v) for v in found.nodes),
    }
    emit(record, title=f"{network.spec}: best group of {size}", table=table)


def embed(
    guest: Annotated[str, typer.Argument(metavar="GUEST", help="The network to place.")],
    host: Annotated[str, typer.Argument(metavar="HOST", help="The network to place it in.")],
    seed: Annotated[int, option("For annealing.", min=0)] = 0,
    budget: Annotated[int, option("Steps of the exhaustive search.", min=1)] = 2_000_000,
    solver: Annotated[bool, option("Ask CP-SAT where the search gives up.")] = False,
) -> None:
    """Place one network in another: dilation and congestion, measured."""
    from hopscape.metrics.embedding import best_embedding

    found = best_embedding(build(guest), build(host), seed=seed, budget=budget, solver=solver)
    record: dict[str, Any] = {
        "guest": found.guest,
        "host": found.host,
        "dilation": found.dilation,
        "congestion": found.congestion,
        "mean_dilation": found.mean_dilation,
        "lower_bound": found.lower_bound,
        "exact": found.exact,
        "how": found.how,
        "places": list(found.places),
    }
    table = {
        "dilation": str(found.dilation),
        "exact": "yes" if found.exact else f"no: at least {found.lower_bound}",
        "because": found.how,
        "congestion": str(found.congestion),
        "mean dilation": f"{found.mean_dilation:.4f}",
        "places": ", ".join(map(str, found.places[:40])) + (" …" * (len(found.places) > 40)),
    }
    emit(record, title=f"{found.guest} in {found.host}", table=table)


def study_rpc(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the results go.")],
    only: Annotated[list[str] | None, option("Only this table; may be given again.")] = None,
    effort: Annotated[int, option("Steps of hill-climbing per permutation.", min=1)] = 200,
    table: TableOption = None,
) -> None:
    """RPC(k) beside its rivals: tables (CSV) and figures (SVG, PNG)."""
    from hopscape.ledger.papers.rpc.study import draw_figures, study_tables
    from hopscape.store import Store

    with Store(table) as kept:
        tables = write_tables(study_tables(only or (), effort, kept), folder)
    written = [folder / f"{name}.csv" for name in tables] + draw_figures(tables, folder)
    rows = [{"file": str(path), "rows": len(tables.get(path.stem, []))} for path in written]
    emit_rows(rows)
