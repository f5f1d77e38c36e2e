"""Results as tables, JSON, CSV, Parquet, Markdown or HTML. Printing never computes."""

from __future__ import annotations

import csv
import difflib
import io
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from hopscape.cli.options import OUTPUT_PANEL
from hopscape.cli.progress import quiet
from hopscape.core.errors import ArgumentError, MissingPackageError
from hopscape.core.files import make_folder, write_atomically, write_text
from hopscape.core.numbers import plain, signed_json
from hopscape.core.tables import Table, fit, in_table, wrap

__all__ = [
    "KINDS_SHOWN",
    "Below",
    "Format",
    "FormatOption",
    "OutputOption",
    "OutputSettings",
    "emit",
    "emit_rows",
    "output_settings",
    "plain",
    "refuse_columns",
    "say",
    "write_tables",
]


class Format(StrEnum):
    """How a result is written."""

    table = "table"
    json = "json"
    csv = "csv"
    parquet = "parquet"
    md = "md"
    html = "html"


@dataclass
class OutputSettings:
    """How the command that runs shows its result, as its options say.

    Attributes:
        style: The format.
        output: The file to write to; printed without.
        wide: All columns, whatever the width of the terminal.
        columns: Only these, by name or by heading.
        markup: 'md' or 'html' instead of plain text.
    """

    style: Format = Format.table
    output: Path | None = None
    wide: bool = False
    columns: tuple[str, ...] = ()
    markup: str = ""


output_settings = OutputSettings()

KINDS_SHOWN = 12
"""Kinds of channels in a table."""


FormatOption = Annotated[
    Format,
    typer.Option(
        "--format",
        "-f",
        metavar="FORMAT",
        help=f"How to print the result: {', '.join(Format)}.",
        case_sensitive=False,
        rich_help_panel=OUTPUT_PANEL,
    ),
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write to this file, in the format of its ending.",
        rich_help_panel=OUTPUT_PANEL,
    ),
]


Rows = Sequence[Mapping[str, Any]]
Below = tuple[Rows, str, Mapping[str, str] | None]
"""Rows, the title of their table, and the columns it shows."""


def emit(
    record: Mapping[str, Any],
    *,
    title: str = "",
    table: Mapping[str, str] | None = None,
    below: Iterable[Below] = (),
) -> None:
    """Print one result.

    Args:
        record: The result under the names that scripts rely on.
        title: Heading of the table.
        table: What a person sees instead of `record`: labels and texts.
        below: Tables of rows that a person sees beneath it.
    """
    if output_settings.style is Format.table:
        shown = table if table is not None else {k: in_table(v) for k, v in record.items()}
        if output_settings.columns:
            names = chosen(dict(zip(shown, shown)))
            shown = {name: shown[name] for name in names}
        first = Table({"": "", " ": ""}, list(shown.items()), title, heading=False)
        _print_tables([first, *(_row_table(*part) for part in below)])
    elif output_settings.style is Format.json:
        _write_text(signed_json(record), output_settings.output)
    else:
        emit_rows([record])


def emit_rows(
    rows: Rows,
    *,
    title: str = "",
    columns: Mapping[str, str] | None = None,
    wrapper: str = "",
    priority: Mapping[str, float] | None = None,
    brief: Mapping[str, str] | None = None,
    legend: Mapping[str, str] | None = None,
) -> None:
    """Print many results of one kind.

    Args:
        columns: Keys to show in a table, with their headings; all when left out.
        wrapper: In JSON, put the list under this key.
        priority: The larger, the sooner a column goes on a narrow terminal; from the right without.
        brief: Keys whose cells stand in for those of a column where it is too wide.
        legend: What the signs at the beginning of cells mean; those that occur are explained.
    """
    if output_settings.style is Format.json:
        _write_text(signed_json({wrapper: rows} if wrapper else rows), output_settings.output)
        return
    if output_settings.style is Format.table:
        _print_tables([_row_table(rows, title, columns, priority, brief)], legend)
        return
    flat = [_flatten(row) for row in rows]
    if output_settings.columns and flat:
        names = dict.fromkeys(name for row in flat for name in row)
        wanted = chosen({name: (columns or {}).get(name, name) for name in names})
        flat = [{name: row.get(name) for name in wanted} for row in flat]
    if output_settings.style is Format.csv:
        _write_text(_csv(flat), output_settings.output)
    else:
        _write_parquet(flat, output_settings.output)


_SYNONYMS = {
    "load": "offered",
    "offered load": "offered",
    "injection rate": "offered",
    "throughput": "accepted",
    "accepted load": "accepted",
    "delay": "latency",
    "tail": "p99",
}
"""Words of the field for columns of simulations that have other names."""


def chosen(heads: Mapping[str, str], wanted: Sequence[str] = ()) -> dict[str, str]:
    """The columns that --columns names, in its order.

    Examples:
        >>> chosen({"spec": "network", "p99": "p99 (cycles)"}, ["p99", "Network"])
        {'p99': 'p99 (cycles)', 'spec': 'network'}
    """
    known: dict[str, str] = {}
    for key, head in heads.items():
        for word in (key, head, head.partition(" (")[0]):
            known.setdefault(_letters(word), key)
    for word, key in _SYNONYMS.items():
        if key in heads:
            known.setdefault(_letters(word), key)
    out = {}
    for word in wanted or output_settings.columns:
        key = known.get(_letters(word), "")
        if not key:
            similar = difflib.get_close_matches(_letters(word), known, n=1, cutoff=0.5)
            hint = f"did you mean {known[similar[0]]}?" if similar else ""
            raise ArgumentError(
                f"--columns: {word!r} is unknown; {hint or 'there are ' + ', '.join(heads)}"
            )
        out[key] = heads[key]
    return out


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum()) or text


def refuse_columns() -> None:
    """Columns of JSON cannot be chosen: said before anything is computed.

    Raises:
        ArgumentError: When some were.
    """
    if output_settings.columns and output_settings.style is Format.json:
        raise ArgumentError("--columns chooses columns of tables and of CSV; JSON always has all")


def _flatten(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            out |= _flatten(value, f"{prefix}{key}.")
        else:
            simple = plain(value)
            out[prefix + key] = json.dumps(simple) if isinstance(simple, list) else simple
    return out


def write_tables(tables: Iterable[tuple[str, Rows]], folder: Path) -> dict[str, Rows]:
    """Write tables into a folder as CSV, each when it is made; all of them by name."""
    made: dict[str, Rows] = {}
    place = make_folder(folder)
    for name, rows in tables:
        made[name] = rows
        _write_text(_csv([_flatten(row) for row in rows]), place / f"{name}.csv")
    return made


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _write_parquet(rows: Sequence[Mapping[str, Any]], output: Path | None) -> None:
    if output is None:
        raise ArgumentError("Parquet is not for reading on a terminal; name a file with --output")
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingPackageError(
            "Parquet needs the package pyarrow: pip install 'hopscape[parquet]'"
        ) from error
    table = pyarrow.Table.from_pylist([dict(row) for row in rows])
    write_atomically(output, lambda out: pyarrow.parquet.write_table(table, out))


def _write_text(text: str, output: Path | None) -> None:
    if output is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_text(output, text)


def _row_table(
    rows: Sequence[Mapping[str, Any]],
    title: str,
    columns: Mapping[str, str] | None,
    priority: Mapping[str, float] | None = None,
    brief: Mapping[str, str] | None = None,
) -> Table:
    heads = dict(columns) if columns is not None else {k: k for k in (rows[0] if rows else {})}
    if output_settings.columns:
        heads = chosen(heads | {k: k for row in rows for k in row if k not in heads})
    body = [[in_table(row.get(key)) for key in heads] for row in rows]
    short = {
        key: [in_table(row.get(other)) for row in rows] for key, other in (brief or {}).items()
    }
    return Table(heads, body, title, {} if output_settings.columns else priority or {}, short)


def _print_tables(tables: Sequence[Table], legend: Mapping[str, str] | None = None) -> None:
    """Print tables one below the other, or write them in plain text or markup."""
    output = output_settings.output
    if output_settings.markup:
        from hopscape.core.tables import write_markup

        first, *rest = (
            write_markup(
                table, _signs(table, legend or {}), output_settings.markup if i == 0 else part
            )
            for i, table in enumerate(tables)
            for part in [
                "html-part" if output_settings.markup == "html" else output_settings.markup
            ]
        )
        if output_settings.markup == "html":
            first = first.replace("</body>", "".join(rest) + "</body>")
            rest = []
        _write_text("\n".join([first, *rest]), output)
        return
    person = output is None and _is_terminal()
    width = None  # files and pipes: never cut what somebody wants to grep
    if person and not output_settings.wide:
        width = _width()
    lines = [line for table in tables for line in _lines(table, width, legend or {})]
    if person:
        quiet()
        lines = [(_bold(first), other) for first, other in lines]
    _write_text("".join(f"{(a + b).rstrip()}\n" for a, b in lines), output)


def _is_terminal() -> bool:
    """Is a person to read what is printed? As rich decides, which takes longer to load."""
    compatible, forced = (os.environ.get(name) for name in ("TTY_COMPATIBLE", "FORCE_COLOR"))
    if compatible in ("0", "1"):
        return compatible == "1"
    return forced != "" if forced is not None else sys.stdout.isatty()


def _width() -> int:
    """Columns of the terminal, whichever stream it is on."""
    setting = os.environ.get("COLUMNS", "")
    if setting.isdecimal() and int(setting):
        return int(setting)
    for stream in (1, 0, 2):
        with suppress(OSError):
            return os.get_terminal_size(stream).columns
    return 80


def _bold(text: str) -> str:
    """In bold, where the terminal can."""
    usual = "dumb" if os.name == "nt" and "WT_SESSION" not in os.environ else ""
    no_style = os.environ.get("TERM", usual).strip().lower() in ("dumb", "unknown")
    return text if no_style or not text.strip() else f"\x1b[1m{text}\x1b[0m"


def _lines(table: Table, width: int | None, legend: Mapping[str, str]) -> list[tuple[str, str]]:
    """The lines of a table that fits a width: what is bold, and the rest."""
    text = fit(table, width)
    dropped = [head for head in table.heads.values() if head in text.dropped]
    shown = [key for key, head in table.heads.items() if head not in text.dropped]
    title = [] if not table.title else wrap(table.title, width) if width else [table.title]
    lines = [(line, "") for line in title]
    lines += text.head
    if text.head:
        lines.append(("", "─" * text.width))
    lines += text.body
    notes = _signs(table, legend, shown)
    if dropped:
        notes.append(
            f"hidden to fit the terminal: {', '.join(dropped)} (--wide shows all,"
            f" --columns {shown[0]},... picks)"
        )
    lines += [("", line) for note in notes for line in (wrap(note, width) if width else [note])]
    return lines


def say(*notes: str) -> None:
    """Print notes below a table, wrapped between words on a terminal."""
    width = _width() if _is_terminal() else None
    for note in notes:
        for line in wrap(note, width) if width else [note]:
            print(line)


def write_proofs(path: Path, proofs: Sequence[Any]) -> None:
    """Write proofs that the checker has accepted, and say below a table what they show."""
    from hopscape.proofs import save_proofs

    save_proofs(path, proofs)
    if output_settings.output is None and output_settings.style is Format.table:
        say(*(f"proved in {path}: {one.spec}: {one.verdict}" for one in proofs))


def _signs(table: Table, legend: Mapping[str, str], keys: Sequence[str] | None = None) -> list[str]:
    """What the signs mean that the columns shown hold."""
    places = [i for i, key in enumerate(table.heads) if keys is None or key in keys]
    cells = {row[i][:1] for row in table.rows for i in places}
    cells |= {cell[:1] for key in table.brief if key in (keys or ()) for cell in table.brief[key]}
    used = [text for sign, text in legend.items() if sign in cells]
    return ["; ".join(used)] if used else []
