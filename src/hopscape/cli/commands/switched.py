"""Price lists."""

from __future__ import annotations

from typing import Annotated

import typer

from hopscape.cli.output import Format, FormatOption, OutputOption, emit, emit_rows

__all__ = ["prices"]


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
