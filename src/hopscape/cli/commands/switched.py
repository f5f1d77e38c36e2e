"""Price lists."""

from __future__ import annotations

from typing import Annotated

import typer

from hopscape.cli.output import Format, emit, emit_rows, look

__all__ = ["prices"]


def prices(
    price_list: Annotated[
        str | None,
        typer.Argument(help="Name of a list, or a .toml file to check; the usual list without."),
    ] = None,
) -> None:
    """Show a price list, entry by entry with its source, or check your own."""
    from hopscape.design.prices import DEFAULT_PRICES, item_rows, load_prices, price_lists

    found = load_prices(price_list if price_list is not None else DEFAULT_PRICES)
    rows = list(item_rows(found))
    if look.style is Format.json:
        whole = {"name": found.name, "currency": found.currency, "rate": found.rate}
        emit({**whole, "items": rows, "lists": price_lists()})
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
    emit_rows(rows, title=title, columns=titles)
    if look.style is Format.table and look.output is None:
        print(f"lists: {', '.join(price_lists())}; your own: --prices FILE.toml")
