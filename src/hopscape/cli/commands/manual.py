"""The command docs: the manual, read in the terminal."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path
from typing import Annotated

import typer

from hopscape.cli.output import Format, emit, emit_rows, look
from hopscape.core.errors import ArgumentError

__all__ = ["docs", "manual_folder"]


def manual_folder() -> Path:
    """Where the pages are: in the wheel, or beside the sources."""
    package = Path(__file__).resolve().parents[2]
    for place in (package / "_manual", package.parents[1] / "docs"):
        if (place / "architecture.md").is_file():
            return place
    raise ArgumentError("this installation has no manual pages; a wheel and a checkout have them")


def docs(
    page: Annotated[
        str | None, typer.Argument(help="A page such as 'design'; a list of all without.")
    ] = None,
) -> None:
    """Read the manual: list its pages, or print one."""
    folder = manual_folder()
    pages = {
        path.relative_to(folder).with_suffix("").as_posix(): path
        for path in sorted(folder.rglob("*.md"))
    }
    if page is None:
        rows = [{"page": name, "title": _title(path)} for name, path in pages.items()]
        emit_rows(rows, title=f"hopscape docs PAGE prints one; all in {folder}")
        return
    wanted = page.removesuffix(".md")
    names = [name for name in pages if wanted in (name, name.rpartition("/")[2])]
    if not names:
        ends = {name.rpartition("/")[2]: name for name in pages}
        near = difflib.get_close_matches(wanted, list({*pages, *ends}), n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "'hopscape docs' lists them"
        raise ArgumentError(f"page {page!r} is unknown; {hint}")
    text = pages[names[0]].read_text(encoding="utf-8")
    if look.style is not Format.table or look.output is not None:
        record = {"page": names[0], "title": _title(pages[names[0]]), "text": text}
        emit(record, table={"page": names[0], "text": text})
    elif sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(text))
    else:
        print(text, end="")


def _title(path: Path) -> str:
    with path.open(encoding="utf-8") as lines:
        return next((line[2:].strip() for line in lines if line.startswith("# ")), path.stem)
