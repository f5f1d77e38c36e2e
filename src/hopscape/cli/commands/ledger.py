"""The ledger of claims."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopscape.cli.output import Format, FormatOption, OutputOption, emit_rows

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command()(ledger)


def ledger(
    paper: Annotated[str | None, typer.Option("--paper", help="Only this paper's claims.")] = None,
    key: Annotated[str | None, typer.Option("--claim", help="Only this claim.")] = None,
    listing: Annotated[
        bool, typer.Option("--list", help="List the claims without running them.")
    ] = False,
    page: Annotated[
        Path | None, typer.Option("--page", help="Write the documentation's page (Markdown).")
    ] = None,
    style: FormatOption = Format.table,
    output: OutputOption = None,
) -> None:
    """Run the claims of the papers and judge them."""
    from hopscape.core.files import write_atomically
    from hopscape.ledger import load_claims, markdown_page, run_claims

    claims = load_claims(paper, key)
    if listing:
        rows = [{"key": c.key, "paper": c.paper, "where": c.where, "says": c.says} for c in claims]
        emit_rows(rows, style, output)
        return
    entries = list(run_claims(claims))
    if page is not None:
        write_atomically(page, lambda out: out.write(markdown_page(entries).encode()))
        print(f"wrote {page}: {len(entries)} claims")
        return
    columns = {
        "key": "claim",
        "says": "says",
        "measured": "measured",
        "verdict": "verdict",
        "note": "note",
    }
    emit_rows([entry.to_dict() for entry in entries], style, output, columns=columns)
