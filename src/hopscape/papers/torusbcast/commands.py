"""The study of broadcast on tori."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from hopscape.cli.options import ForceOption, OptionalFolderOption, ResumeOption, option
from hopscape.cli.output import Below, Format, emit, output_settings, write_tables
from hopscape.core.files import require_room, whole_folder, write_text
from hopscape.core.numbers import signed_json
from hopscape.core.tables import in_table

__all__ = ["torus_broadcast", "torus_level"]


def torus_broadcast(
    out: OptionalFolderOption = None,
    levels: Annotated[int, option("Sides up to (2d+1) to this power.", min=1, max=2)] = 2,
    resume: ResumeOption = None,
    force: ForceOption = False,
) -> None:
    """Study circuit-switched broadcast on tori: schemes, 456 lattice chains, lower bound."""
    from hopscape.papers.torusbcast.study import study_record
    from hopscape.store import Store

    if out is not None:
        require_room(out, ("study.json",), force=force)
    with Store(resume) as store:
        record = study_record(levels, store)
    if out is not None:
        with whole_folder(out, force=force) as folder:
            _write_folder(folder, record)
    codes = {name: in_table(value) for name, value in record["codes"].items()}
    emit(record, title="Perfect codes (lower bound D + 1)", table=codes, below=_tables(record))
    if out is not None and output_settings.style is Format.table:
        print(f"wrote tables and figures to {out}")


def torus_level(
    budget: Annotated[int, option("Steps of a search before it is given up.", min=1)] = 2_000_000,
) -> None:
    """Search the words of a broadcast on side 11 in five dimensions, from scratch (a minute)."""
    from hopscape.core.errors import ArgumentError
    from hopscape.papers.torusbcast.flags import find_level

    level = find_level(budget)
    if level is None:
        raise ArgumentError(f"no words were found within {budget} steps a search; allow more")
    words, chain = level
    record = {
        "words": list(words),
        "functionals": [list(row) for row in chain.functionals],
        "round_lengths": [*chain.norms, 1],
        "total": sum(chain.norms) + 1,
    }
    emit(record, title="One level, d = 5, side 11 (inverse words belong to it)")


def _tables(record: dict[str, Any]) -> Iterator[Below]:
    columns = {
        "algorithm": "algorithm",
        "spec": "torus",
        "rounds": "rounds",
        "round_lengths": "longest call of each round",
        "max_path": "longest chain",
        "path_lower_bound": "diameter",
        "disjoint": "disjoint",
        "node_safe": "node-level delay safe",
        "call_safe": "call-level",
        "verdict": "verdict",
    }
    yield record["schemes"], "Schemes", columns
    works = [row for row in record["chains"] if row["edge_total"] is not None]
    columns = {
        "plane": "plane",
        "line": "line",
        "chains": "chains",
        "vertex_lengths": "vertex-disjoint",
        "vertex_total": "total",
        "edge_lengths": "edge-disjoint",
        "edge_total": "total ",
        "arc_total": "arc total",
    }
    total = sum(row["chains"] for row in record["chains"])
    title = f"Uniform lattice chains that work ({total} chains, {len(record['chains'])} classes)"
    yield works, title, columns
    yield record["delays"], "Random start-up delays", None
    columns = {
        "algorithm": "algorithm",
        "spec": "torus",
        "sources": "sources",
        "rounds": "rounds",
        "lower_bound": "lower bound",
        "max_path": "longest chain",
        "verdict": "verdict",
    }
    yield record["many_sources"], "Many sources", columns
    yield record["pipelines"], "Pipelined trees for long messages", None


def _write_folder(folder: Path, record: dict[str, Any]) -> None:
    from hopscape.papers.torusbcast.pictures import draw_figures

    write_tables(((name, rows) for name, rows in record.items() if name != "codes"), folder)
    write_text(folder / "study.json", signed_json(record))
    draw_figures(record["crossover"], folder)
