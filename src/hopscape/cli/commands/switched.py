"""The answer to a question about switched machines, and price lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hopscape.cli.output import Format, FormatOption, OutputOption, emit, emit_rows
from hopscape.cli.ranking import show_rows
from hopscape.core.errors import ArgumentError

if TYPE_CHECKING:
    from hopscape.design.switched import SwitchedDesign

__all__ = ["prices", "show_machines", "show_sweep", "sweep_sizes"]


def prices(
    price_list: Annotated[
        str | None,
        typer.Argument(help="Name of a list, or a .toml file to check; the usual list without."),
    ] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Show a price list, entry by entry with its source, or check your own."""
    from hopscape.design.prices import DEFAULT_PRICES, item_rows, load_prices, price_lists

    found = load_prices(price_list if price_list is not None else DEFAULT_PRICES)
    rows = list(item_rows(found))
    if style is Format.json:
        whole = {"name": found.name, "currency": found.currency, "rate": found.rate}
        emit({**whole, "items": rows, "lists": price_lists()}, style, output)
        return
    titles = {
        "item": "item",
        "size": "ports or m",
        "price": f"price ({found.currency})",
        "per_metre": "and per m",
        "watts": "W",
        "year": "year",
        "source": "source",
    }
    title = f"{found.name}: lines of {found.rate:g} Gb/s"
    emit_rows(rows, style, output, title=title, columns=titles)
    if style is Format.table and output is None:
        print(f"lists: {', '.join(price_lists())}; your own: --prices FILE.toml")


def show_machines(
    found: SwitchedDesign,
    names: Sequence[str],
    pareto: bool,
    top: int | None,
    style: Format,
    output: Path | None,
) -> None:
    """Print the ranking of switched machines and the answer in words."""
    from hopscape.design.switched_columns import SWITCHED_TABLE
    from hopscape.design.table import heads, legend, machine_records, ranking_rows

    listed = [one for one in found.candidates if not (pareto and (one.dominated_by or one.trouble))]
    if style is not Format.table:
        records = machine_records(found.candidates, listed)[:top]
        if style is Format.json:
            whole: dict[str, Any] = {
                "requirements": found.requirements.to_dict(),
                "complete": found.complete,
                "answer": found.answer,
                "candidates": records,
                "curves": found.curve_points,
                "notes": found.notes,
            }
            emit(whole, style, output)
        else:
            emit_rows(records, style, output)
        return
    shown = list(names) or list(SWITCHED_TABLE)
    by_spec = {row["spec"]: row for row in ranking_rows(found.candidates, shown)}
    rows = [by_spec[one.spec] for one in listed]
    titles = {"spec": "machine", "rank": "#"} | heads(shown)
    titles |= {"spec": "machine", "score": "score", "remark": "remark"}
    show_rows(rows, titles, top, found.requirements.title, output)
    if output is None:
        print(
            "\n".join(
                filter(
                    None,
                    [
                        legend(
                            {n: one.figures[n] for n in shown if n in one.figures} for one in listed
                        ),
                        found.answer,
                    ],
                )
            )
        )


def sweep_sizes(text: str) -> list[int]:
    """Sizes of ``--sweep``, each once, the smallest first.

    Examples
    --------
    >>> sweep_sizes("1024, 256")
    [256, 1024]
    """
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not words or not all(word.isdigit() for word in words):
        raise ArgumentError(f"--sweep {text!r} must be numbers of endpoints, such as 256,1024,4096")
    return sorted({int(word) for word in words})


def show_sweep(
    rows: Sequence[Mapping[str, Any]], style: Format, output: Path | None, figure: Path | None
) -> None:
    """Print the best machine of every family by size, and draw it."""
    if figure is not None:
        from hopscape.design.sweep import draw_sweep

        draw_sweep(rows, figure)
    columns = {
        "asked": "asked",
        "family": "family",
        "spec": "machine",
        "endpoints": "endpoints",
        "switches": "switches",
        "cost": "cost",
        "cost_per_endpoint": "per endpoint",
        "watts_per_endpoint": "W/endpoint",
        "throughput": "uniform",
        "guaranteed_throughput": "guaranteed",
    }
    emit_rows(rows, style, output, columns=columns, wrapper="sweep")
