"""The study of broadcast on tori."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.options import TableOption
from hopscape.cli.output import Format, FormatOption, OutputOption, emit, emit_rows, write_tables
from hopscape.core.files import write_atomically

__all__ = ["torus_broadcast", "torus_level"]


def torus_broadcast(
    folder: Annotated[
        Path | None, typer.Option("--folder", help="Write tables (JSON, CSV) and figures here.")
    ] = None,
    levels: Annotated[
        int, typer.Option("--levels", min=1, max=2, help="Sides up to (2d+1) to this power.")
    ] = 2,
    table: TableOption = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Circuit-switched broadcast on tori: every scheme, all 456 lattice chains, the lower bound."""
    from hopscape.ledger.papers.torusbcast.study import study_record
    from hopscape.store import Store

    with Store(table) as kept:
        record = study_record(levels, kept)
    if folder is not None:
        _write_folder(folder, record)
    if style is not Format.table:
        emit(record, style, output)
        return
    if output is None:
        _print_tables(record)
    else:
        text = io.StringIO()
        with redirect_stdout(text):
            _print_tables(record)
        write_atomically(output, lambda out: out.write(text.getvalue().encode()))
    if folder is not None:
        print(f"wrote tables and figures to {folder}")


def torus_level(
    limit: Annotated[
        int, typer.Option("--limit", min=1, help="Steps of a search before it is given up.")
    ] = 2_000_000,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Words of a broadcast on side 11 in five dimensions, searched from nothing (a minute)."""
    from hopscape.collectives.circuits.five import find_level
    from hopscape.core.errors import ArgumentError

    found = find_level(limit)
    if found is None:
        raise ArgumentError(f"no words were found within {limit} steps a search; allow more")
    words, chain = found
    record = {
        "words": list(words),
        "functionals": [list(row) for row in chain.functionals],
        "round_lengths": [*chain.norms, 1],
        "total": sum(chain.norms) + 1,
    }
    emit(record, style, output, title="One level, d = 5, side 11 (inverse words belong to it)")


def _print_tables(record: dict[str, Any]) -> None:
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
    emit_rows(record["schemes"], Format.table, title="Schemes", columns=columns)
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
    emit_rows(works, Format.table, title=title, columns=columns)
    emit(record["codes"], Format.table, title="Perfect codes (lower bound D + 1)")
    emit_rows(record["delays"], Format.table, title="Random start-up delays")
    columns = {
        "algorithm": "algorithm",
        "spec": "torus",
        "sources": "sources",
        "rounds": "rounds",
        "lower_bound": "lower bound",
        "max_path": "longest chain",
        "verdict": "verdict",
    }
    emit_rows(record["many_sources"], Format.table, title="Many sources", columns=columns)
    emit_rows(record["pipelines"], Format.table, title="Pipelined trees for long messages")


def _write_folder(folder: Path, record: dict[str, Any]) -> None:
    from hopscape.ledger.papers.torusbcast.pictures import draw_figures

    write_tables(((name, rows) for name, rows in record.items() if name != "codes"), folder)
    emit(record, Format.json, folder / "study.json")
    draw_figures(record["crossover"], folder)
