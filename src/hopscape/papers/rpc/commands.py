"""Commands for groups and the study of RPC(k)."""

from __future__ import annotations

from typing import Annotated

from hopscape.cli.options import FolderOption, ForceOption, ResumeOption, SpecArgument, option
from hopscape.cli.output import emit, emit_rows, write_tables
from hopscape.core.files import whole_folder
from hopscape.registry import build

__all__ = ["groups", "study_rpc"]


def groups(
    spec: SpecArgument,
    size: Annotated[int, option("Number of nodes of the group.", "--size", "-m")],
    budget: Annotated[int, option("Branches of the search before it gives up.", min=1)] = 2_000_000,
) -> None:
    """Find a group of nodes that are as close to each other as possible."""
    from hopscape.papers.rpc.groups import best_group

    network = build(spec)
    group = best_group(network, size, budget=budget)
    record = {
        "spec": network.spec,
        "size": group.size,
        "diameter": group.diameter,
        "nodes": list(group.nodes),
        "exact": group.exact,
        "lower_bound": group.lower_bound,
        "how": group.how,
    }
    table = {
        "diameter": str(group.diameter),
        "exact": "yes" if group.exact else f"no: at least {group.lower_bound}",
        "because": group.how,
        "nodes": ", ".join(network.addresses.text(v) for v in group.nodes),
    }
    emit(record, title=f"{network.spec}: best group of {size}", table=table)


def study_rpc(
    out: FolderOption,
    only: Annotated[list[str] | None, option("Only this table (repeatable).")] = None,
    effort: Annotated[int, option("Steps of hill-climbing per permutation.", min=1)] = 200,
    resume: ResumeOption = None,
    force: ForceOption = False,
) -> None:
    """Compare RPC(k) with its rivals: tables (CSV) and figures (SVG, PNG).

    `--only rivals` is the paper's comparison: the four routings and groups of RPC(k), RP(3k), tori,
    hypercubes, cube-connected cycles and circulants, k = 1..64, and where RPC(k) is better.
    """
    from hopscape.papers.rpc.study import draw_figures, study_tables
    from hopscape.store import Store

    with whole_folder(out, force=force) as folder:
        with Store(resume) as store:
            tables = write_tables(study_tables(only or (), effort, store), folder)
        written = [out / f"{name}.csv" for name in tables]
        written += [out / path.name for path in draw_figures(tables, folder)]
    rows = [{"file": str(path), "rows": len(tables.get(path.stem, []))} for path in written]
    emit_rows(rows)
