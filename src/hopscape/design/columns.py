"""All columns of tables, from the entry points ``hopscape.columns``.

``hopscape compare``, ``hopscape design`` and ``hopscape explain`` share them. A package adds its
own with one line of metadata that names a :class:`~hopscape.metrics.evaluation.Column`, or several.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.plugins import load_plugins
from hopscape.core.progress import time_left, time_limit, track
from hopscape.design.conditions import Conditions
from hopscape.metrics.evaluation import Column, Evaluation
from hopscape.registry import build

__all__ = [
    "ALL_COLUMNS",
    "column_names",
    "columns_of",
    "columns_of_stage",
    "compare_networks",
    "find_column",
    "measure",
    "new_evaluation",
    "plain_title",
]


def _load() -> dict[str, Column]:
    columns: dict[str, Column] = {}
    for entry, given in load_plugins("columns").items():
        several = [given] if isinstance(given, Column) else given
        for column in several:
            if not isinstance(column, Column):
                raise HopscapeError(f"hopscape.columns entry {entry!r} holds {column!r}, no column")
            if column.name in columns:
                raise HopscapeError(f"hopscape.columns has two columns {column.name!r}")
            columns[column.name] = column
    return columns


ALL_COLUMNS: Mapping[str, Column] = _load()


def columns_of(table: str) -> list[str]:
    """The usual columns of a table, from left to right.

    Examples:
        >>> columns_of("compare")[:4]
        ['nodes', 'degree', 'links', 'diameter']
    """
    here = [column for column in ALL_COLUMNS.values() if table in column.places]
    return [column.name for column in sorted(here, key=lambda column: column.places[table])]


def columns_of_stage(stage: int) -> list[str]:
    """What the designer measures in a stage."""
    return [column.name for column in ALL_COLUMNS.values() if column.stage == stage]


SECONDS = 60.0
"""What a comparison may take unless another limit is asked for."""


def new_evaluation(network: Network, conditions: Conditions | None = None) -> Evaluation:
    """A network ready to be measured under conditions, quickly."""
    return Evaluation(network, conditions=conditions, quick=True, columns=ALL_COLUMNS)


def measure(
    networks: list[Network],
    names: Sequence[str],
    seconds: float | None,
    rows: list[tuple[str, dict[str, Measured[Any]]]],
    *,
    exact: bool = False,
) -> None:
    """Measure one network after the other; each may take its share of the time that is left.

    Args:
        networks: Each is taken out when it is measured, so that its arrays can go.
        rows: Specs and figures by name, filled as they are found: what an interrupt leaves.
    """
    with time_limit(seconds):
        for left in track(range(len(networks), 0, -1), "comparing"):
            evaluation = Evaluation(networks.pop(0), exact, columns=ALL_COLUMNS)
            figures: dict[str, Measured[Any]] = {}
            rows.append((evaluation.network.spec, figures))
            with time_limit(time_left() / left):
                for name in names:
                    figures[name] = evaluation.figure(name)


def compare_networks(
    *networks: Network | str,
    columns: Sequence[str] | None = None,
    exact: bool = False,
    seconds: float | None = None,
) -> list[dict[str, Any]]:
    """Rows of a comparison: what :meth:`hopscape.Network.compare` shows.

    Figures are measured as ``hopscape compare`` does; ``how`` says how each one is known, ``signs``
    which are bounds or samples.
    """
    if seconds is not None and not seconds > 0:
        raise ArgumentError(f"seconds is {seconds:g}; it must be above 0 (inf for no limit)")
    wanted = columns_of("python") if columns is None else columns
    records: list[tuple[str, dict[str, Measured[Any]]]] = []
    names = [find_column(word).name for word in wanted]
    most = seconds if seconds is not None or exact else SECONDS
    measure([build(one) for one in networks], names, most, records, exact=exact)
    rows: list[dict[str, Any]] = []
    for spec, figures in records:
        values = {name: figure.value for name, figure in figures.items()}
        plain = {k: float(v) if isinstance(v, Fraction) else v for k, v in values.items()}
        how = {name: figure.how for name, figure in figures.items()}
        signs = {name: figure.sign for name, figure in figures.items() if figure.sign}
        rows.append({"network": spec} | plain | {"how": how, "signs": signs})
    return rows


def column_names(text: str) -> list[str]:
    """Names of columns from a list with commas, by name or by title.

    Raises:
        ArgumentError: When there is no such column.

    Examples:
        >>> column_names("girth, all-reduce µs")
        ['girth', 'allreduce']
    """
    return [find_column(part.strip()).name for part in text.split(",") if part.strip()]


def find_column(word: str) -> Column:
    """The column of a name or of a title, however it is written."""
    wanted = plain_title(word)
    for column in ALL_COLUMNS.values():
        if wanted in (plain_title(column.name), plain_title(column.title)):
            return column
    names = {plain_title(c.name): c.name for c in ALL_COLUMNS.values()}
    names |= {plain_title(c.title): c.name for c in ALL_COLUMNS.values()}
    matches = difflib.get_close_matches(wanted, list(names), n=2)
    hint = (
        f"did you mean {' or '.join(dict.fromkeys(names[n] for n in matches))}? " if matches else ""
    )
    raise ArgumentError(f"column {word!r} is unknown; {hint}'hopscape explain' lists all columns")


def plain_title(text: str) -> str:
    """Letters and digits only, so that 'all-reduce µs' and 'All-reduce us' are the same."""
    return "".join(c for c in text.lower().replace("µ", "u") if c.isalnum())
