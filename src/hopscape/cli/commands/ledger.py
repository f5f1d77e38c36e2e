"""The ledger of claims."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hopscape.cli.options import option
from hopscape.cli.output import Format, emit_rows, look

__all__ = ["ledger"]


def ledger(
    paper: Annotated[str | None, option("Only this paper's claims.")] = None,
    key: Annotated[str | None, option("Only this claim.", "--claim")] = None,
    listing: Annotated[bool, option("List the claims without running them.", "--list")] = False,
    plant: Annotated[
        bool, option("Break what each check relies on; does the verdict change?")
    ] = False,
    page: Annotated[Path | None, option("Write the documentation's page (Markdown).")] = None,
) -> None:
    """Run the claims of the papers and judge them.

    Exit code 1: a check broke down or, with --plant, did not notice an error.
    """
    from hopscape.core.errors import ArgumentError
    from hopscape.core.files import write_atomically
    from hopscape.ledger import load_claims, load_papers, markdown_page, run_claims, run_plants

    if listing + plant + (page is not None) > 1:
        raise ArgumentError("--list, --plant and --page exclude each other; give one of them")
    if page is not None and (look.output is not None or look.style is not Format.table):
        raise ArgumentError("--page writes Markdown to its own file; leave out --format and -o")
    claims = load_claims(paper, key)
    if listing:
        rows = [
            {
                "key": c.key,
                "paper": c.paper,
                "where": c.where,
                "says": c.says,
                "also_true": c.beyond,
            }
            for c in claims
        ]
        emit_rows(rows)
        return
    if plant:
        plantings = list(run_plants(claims))
        emit_rows([one.to_dict() for one in plantings], columns=_PLANT_COLUMNS)
        if not all(one.noticed for one in plantings):
            raise typer.Exit(1)
        return
    entries = list(run_claims(claims))
    if page is not None:
        text = markdown_page(load_papers(), entries)
        write_atomically(page, lambda out: out.write(text.encode()))
        print(f"wrote {page}: {len(entries)} claims")
    else:
        emit_rows([entry.to_dict() for entry in entries], columns=_COLUMNS)
    if any(entry.outcome.ruling == "failed" for entry in entries):
        raise typer.Exit(1)


_COLUMNS = {
    "key": "claim",
    "says": "says",
    "measured": "measured",
    "verdict": "verdict",
    "note": "note",
}
_PLANT_COLUMNS = {
    "key": "claim",
    "error": "planted error",
    "before": "before",
    "after": "after",
    "noticed": "noticed",
}
