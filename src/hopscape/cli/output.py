"""Results as tables, JSON, CSV or Parquet. Printing never computes."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import typer

from hopscape._version import __version__
from hopscape.core.errors import ArgumentError, MissingPackageError
from hopscape.core.files import write_atomically
from hopscape.core.plain import plain

__all__ = [
    "DaskOption",
    "DeviceOption",
    "Format",
    "FormatOption",
    "OutputOption",
    "ProcessesOption",
    "TableOption",
    "emit",
    "emit_rows",
    "in_table",
    "plain",
]


class Format(StrEnum):
    """How a result is written."""

    table = "table"
    json = "json"
    csv = "csv"
    parquet = "parquet"


FormatOption = Annotated[
    Format, typer.Option("--format", "-f", help="How to print the result.", case_sensitive=False)
]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file instead.")
]
TableOption = Annotated[
    Path | None,
    typer.Option("--table", help="Keep results in this file; a later run goes on from there."),
]
ProcessesOption = Annotated[
    int | None, typer.Option("--processes", help="How many processes; all processors without.")
]
DaskOption = Annotated[
    str | None, typer.Option("--dask", help="Work on this Dask scheduler, such as tcp://HOST:8786.")
]
DeviceOption = Annotated[
    Literal["cpu", "gpu"],
    typer.Option("--device", help="Where to compute; 'gpu' needs the extra gpu and CUDA."),
]


def emit(
    record: Mapping[str, Any],
    style: Format,
    output: Path | None = None,
    *,
    title: str = "",
    table: Mapping[str, str] | None = None,
) -> None:
    """Print one result.

    Parameters
    ----------
    record : mapping
        The result under the names that scripts rely on.
    style : Format
    output : path, optional
    title : str
        Heading of the table.
    table : mapping, optional
        What a person sees instead of `record`: labels and texts.
    """
    if style is Format.table:
        shown = table if table is not None else {k: in_table(v) for k, v in record.items()}
        _print_table(("", ""), [(k, v) for k, v in shown.items()], title, output, heading=False)
    elif style is Format.json:
        _write_json(_signed(record), output)
    else:
        emit_rows([record], style, output)


def emit_rows(
    rows: Sequence[Mapping[str, Any]],
    style: Format,
    output: Path | None = None,
    *,
    title: str = "",
    columns: Mapping[str, str] | None = None,
    wrapper: str = "",
) -> None:
    """Print many results of one kind.

    Parameters
    ----------
    rows : sequence of mappings
    style : Format
    output : path, optional
    title : str
    columns : mapping, optional
        Keys to show in a table, with their headings; all when left out.
    wrapper : str
        In JSON, put the list under this key.
    """
    if style is Format.json:
        _write_json(_signed({wrapper: rows}) if wrapper else [*map(_signed, rows)], output)
        return
    if style is Format.table:
        heads = columns if columns is not None else {k: k for k in (rows[0] if rows else {})}
        body = [[in_table(row.get(key)) for key in heads] for row in rows]
        _print_table(tuple(heads.values()), body, title, output)
        return
    flat = [_flatten(row) for row in rows]
    if style is Format.csv:
        _write_text(_csv(flat), output)
    else:
        _write_parquet(flat, output)


def _signed(record: Mapping[str, Any]) -> dict[str, Any]:
    """A record with the version of the program that wrote it."""
    return {**plain(record), "hopscape": __version__}


def _write_json(data: Any, output: Path | None) -> None:
    _write_text(json.dumps(data, indent=2, ensure_ascii=False) + "\n", output)


def _flatten(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    out: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, Mapping):
            out |= _flatten(value, f"{prefix}{key}.")
        else:
            simple = plain(value)
            out[prefix + key] = json.dumps(simple) if isinstance(simple, list) else simple
    return out


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
        write_atomically(output, lambda out: out.write(text.encode()))


def in_table(value: Any) -> str:
    """A value as tables show it."""
    if value is None:
        return "-"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".") if abs(value) < 1e6 else f"{value:.4g}"
    if isinstance(value, int | np.integer) and abs(int(value)) >= 10**20:
        digits = str(value)
        return f"{digits[:6]}… ({len(digits)} digits)"
    if isinstance(value, Fraction):
        return f"{value} ({float(value):.4f})"
    if isinstance(value, list | tuple | np.ndarray):
        items = [in_table(item) for item in value]
        return ", ".join(items) if len(items) <= 24 else ", ".join([*items[:24], "…"])
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {in_table(v)}" for k, v in value.items())
    return str(value)


def _print_table(
    heads: tuple[str, ...],
    rows: Sequence[Sequence[str]],
    title: str,
    output: Path | None,
    heading: bool = True,
) -> None:
    from rich import box
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title=escape(title) or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD if heading else None,
        show_header=heading,
        pad_edge=False,
    )
    for i, head in enumerate(heads):
        numbers = heading and i > 0 and all(_is_number(row[i]) for row in rows)
        table.add_column(
            escape(head),
            justify="right" if numbers else "left",
            style="bold" if i == 0 else "",
            no_wrap=heading and i == 0,
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    if output is not None:
        text = io.StringIO()
        Console(file=text, width=400, no_color=True).print(table)
        _write_text(text.getvalue(), output)
        return
    console = Console()
    if not console.is_terminal:  # piped: never cut what somebody wants to grep
        console = Console(width=max(400, console.width), no_color=True)
    console.print(table)


def _is_number(text: str) -> bool:
    return text == "-" or text[:1].isdigit() or text[:1] in "≤≥~" or text[:2].lstrip("-").isdigit()
