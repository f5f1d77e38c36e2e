"""Results in rows: for scripts, for data frames, and for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from hopscape.core.errors import MissingPackageError
from hopscape.core.plain import plain
from hopscape.core.tables import Table, fit, in_table

__all__ = ["Records", "frame"]

_MANY = 60


def frame(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rows as a data frame: of pandas, or of polars where pandas is not installed.

    Raises:
        MissingPackageError: When neither is there.
    """
    simple = [{key: plain(value) for key, value in row.items()} for row in rows]
    try:
        import pandas
    except ImportError:
        try:
            import polars
        except ImportError as error:
            raise MissingPackageError(
                "a data frame needs pandas or polars: pip install pandas"
            ) from error
        return polars.DataFrame(simple, infer_schema_length=None, strict=False)
    return pandas.DataFrame(simple)


class Records(Sequence[Mapping[str, Any]]):
    """Rows of one kind, such as what :meth:`Network.compare` gives.

    Examples:
        >>> found = Records([{"network": "ring(8)", "diameter": 4}], "an example")
        >>> found
        an example
        network  diameter
        ring(8)         4
        >>> found[0]["diameter"], len(found), found.to_dict()
        (4, 1, [{'network': 'ring(8)', 'diameter': 4}])
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]], title: str = "") -> None:
        self.rows, self.title = [dict(row) for row in rows], title

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> Records: ...
    def __getitem__(self, place: int | slice) -> Mapping[str, Any] | Records:
        if isinstance(place, slice):
            return type(self)(self.rows[place], self.title)
        return self.rows[place]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Records) and self.rows == other.rows

    __hash__ = None  # type: ignore[assignment]

    def to_dict(self) -> list[dict[str, Any]]:
        """The rows as JSON knows them."""
        return [{key: plain(value) for key, value in row.items()} for row in self.rows]

    def to_frame(self) -> Any:
        """The rows as a data frame (pandas, or polars where pandas is not installed)."""
        return frame(self.rows)

    def _table(self, most: int = _MANY) -> Table:
        heads = {key: key for row in self.rows for key in row if not _hidden(row[key])}
        rows = [[in_table(row.get(key)) for key in heads] for row in self.rows[:most]]
        return Table(heads, rows, self.title)

    def __repr__(self) -> str:
        text = fit(self._table())
        lines = [self.title] if self.title else []
        lines += [(a + b).rstrip() for a, b in (*text.head, *text.body)]
        if len(self) > _MANY:
            lines.append(f"... {len(self)} rows in all")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from hopscape.core.markup import write_markup

        return write_markup(self._table(1000), [], "html-part")


def _hidden(value: Any) -> bool:
    return isinstance(value, Mapping)
