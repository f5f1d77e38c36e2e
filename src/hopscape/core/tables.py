"""Tables for people: whole numbers and names, as many columns as fit, and a word about the rest.

Tables in Markdown and HTML.

Results in rows: for scripts, for data frames, and for notebooks.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from typing import Any, NamedTuple, overload

import numpy as np

from hopscape.core.errors import MissingPackageError
from hopscape.core.numbers import number, plain

__all__ = [
    "MANY_ROWS",
    "Records",
    "Table",
    "Text",
    "fit",
    "frame",
    "in_markdown",
    "in_table",
    "is_number",
    "wrap",
    "write_markup",
]

_GAP = 2  # spaces between columns
_LEAST_TEXT = 18
"""Characters below which a column of prose is not squeezed."""
_CALL = 40
"""A spec of up to so many characters stays on one line inside prose."""
_NUMBER = re.compile(r"([≤≥~<>]? ?[-+]?[\d,]+)(\.\d+)?( ?%)?")
_QUANTITY = r"[≤≥~(]?[-+]?[\d.,]+"
_UNIT = r"(%|[µmnk]?s|[kKMGT]?B|GiB|MiB|kiB|m|hops?|cycles?|nodes?|rounds?)\b|%"


@dataclass(frozen=True)
class Table:
    """A table as texts.

    Attributes:
        heads: Headings by the names of the columns.
        rows: sequence of sequences of str
        priority: The larger, the sooner a column goes when a terminal is too narrow; by place
            without.
        brief: Shorter cells of columns, taken before columns go.
        heading: Print the headings?
    """

    heads: Mapping[str, str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    priority: Mapping[str, float] = field(default_factory=dict)
    brief: Mapping[str, Sequence[str]] = field(default_factory=dict)
    heading: bool = True


class Text(NamedTuple):
    """A table set in lines.

    Attributes:
        head, body: Lines; the first part of each is to be stressed.
        dropped: Headings of the columns that found no room.
    """

    head: tuple[tuple[str, str], ...]
    body: tuple[tuple[str, str], ...]
    dropped: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """Characters of the longest line."""
        from rich.cells import cell_len

        lines = (*self.head, *self.body)
        return max((cell_len((a + b).rstrip()) for a, b in lines), default=0)


def fit(table: Table, width: int | None = None) -> Text:
    """Set a table in lines of at most so many characters; in its full width without a limit.

    Numbers and names are never broken. Prose is wrapped between words; then the shorter cells of
    `table.brief` are taken, then columns go, the least important first. A single record that does
    not fit is turned: one line for each of its columns.

    Examples:
        >>> heads = {"a": "network", "b": "mean", "c": "p99"}
        >>> text = fit(Table(heads, [("ring(8)", "2.5", "10")]))
        >>> [a + b for a, b in text.head + text.body]
        ['network  mean  p99', 'ring(8)   2.5   10']
        >>> rows = [("ring(8)", "2.5", "10"), ("ring(9)", "2", "9")]
        >>> fit(Table({"a": "network", "b": "mean", "c": "p99"}, rows), 14).dropped
        ('p99',)
    """
    columns = [_Column(key, head, table, i) for i, (key, head) in enumerate(table.heads.items())]
    if width is None:
        return _set(columns, [c.natural for c in columns], table)
    if _total(c.least(width) for c in columns) > width and table.brief:
        for column in columns:
            column.shorten(table.brief)
    if _total(c.least(width) for c in columns) > width and table.heading and len(table.rows) == 1:
        pairs = [(head, cell) for head, cell in zip(table.heads.values(), table.rows[0])]
        return fit(Table({"": "", " ": ""}, pairs, heading=False), width)
    shown = list(columns)
    while len(shown) > 1 and _total(c.least(width) for c in shown) > width:
        if len(shown) == 2 and not table.heading:
            break
        shown.remove(max(shown[1:], key=lambda c: c.priority))
    dropped = tuple(c.head for c in columns if c not in shown)
    return _set(shown, _widths(shown, width), table, dropped)


class _Column:
    """One column: its cells, and how wide it must and may be."""

    def __init__(self, key: str, head: str, table: Table, place: int) -> None:
        self.key, self.head, self.first = key, head if table.heading else "", place == 0
        self.priority = table.priority.get(key, place)
        self.cells = [row[place] for row in table.rows]
        self._measure(table.heading)

    def _measure(self, heading: bool) -> None:
        self.numeric = heading and not self.first and bool(self.cells)
        self.numeric = self.numeric and all(is_number(cell) for cell in self.cells)
        if self.numeric:
            self.cells = _aligned(self.cells)
        longest = max((_len(line) for cell in self.cells for line in cell.split("\n")), default=0)
        self.natural = max(longest, _len(self.head))

    def shorten(self, brief: Mapping[str, Sequence[str]]) -> None:
        """Take the shorter cells, if there are any."""
        if self.key in brief:
            self.cells = list(brief[self.key])
            self._measure(True)

    def least(self, width: int) -> int:
        """Characters that it needs at least on a terminal of this width."""
        heads = max((_len(atom) for atom in _atoms(self.head)), default=0)
        longest = max((_len(cell) for cell in self.cells), default=0)
        if self.numeric or longest <= _LEAST_TEXT:
            return max(heads, longest)
        most = width // 2
        if self.first and longest <= most:
            return max(heads, longest)
        atoms = [_len(atom) for cell in self.cells for atom in _atoms(cell, names=self.first)]
        comfortable = _LEAST_TEXT if self.first else min(longest, max(_LEAST_TEXT, 2 * width // 5))
        return min(max(heads, comfortable, *atoms), width if self.first else max(most, comfortable))


def _total(widths: object) -> int:
    each = list(widths)  # type: ignore[call-overload]
    return sum(each) + _GAP * (len(each) - 1)


def _widths(columns: Sequence[_Column], width: int) -> list[int]:
    """Share out what is left over: headings and numbers first, then prose by its length."""
    widths = [min(c.least(width), width) for c in columns]
    left = width - _total(widths)
    order = sorted(range(len(columns)), key=lambda i: columns[i].natural - widths[i])
    for done, i in enumerate(order):
        need = columns[i].natural - widths[i]
        more = min(need, max(0, left) // (len(order) - done))
        if more < need and columns[i].numeric:
            more = 0  # only a heading would gain, and not on one line
        widths[i] += more
        left -= more
    widest = max(range(len(widths)), key=lambda i: widths[i])
    widths[widest] = max(1, widths[widest] - max(0, _total(widths) - width))
    return widths


def _set(
    columns: Sequence[_Column], widths: Sequence[int], table: Table, dropped: tuple[str, ...] = ()
) -> Text:
    head: list[tuple[str, str]] = []
    if table.heading:
        head = _lines(columns, [c.head for c in columns], widths)
    body: list[tuple[str, str]] = []
    for row in range(len(table.rows)):
        body += _lines(columns, [c.cells[row] for c in columns], widths)
    return Text(tuple(head), tuple(body), dropped)


def _lines(
    columns: Sequence[_Column], cells: Sequence[str], widths: Sequence[int]
) -> list[tuple[str, str]]:
    """One row in as many lines as its longest cell needs."""
    wrapped = [wrap(x, w, names=c.first) for c, x, w in zip(columns, cells, widths)]
    out = []
    for i in range(max(map(len, wrapped), default=0)):
        parts = []
        for column, lines, width in zip(columns, wrapped, widths):
            text = lines[i] if i < len(lines) else ""
            blanks = " " * (width - _len(text))
            parts.append(blanks + text if column.numeric else text + blanks)
        first, rest = parts[0], "".join(" " * _GAP + part for part in parts[1:])
        out.append((first if rest.strip() else first.rstrip(), rest.rstrip()))
    return out


def wrap(text: str, width: int, *, names: bool = False) -> list[str]:
    """Lines of at most `width` characters, broken between words only.

    A number stays with its unit, a short spec in one piece (unless `names`: then a long spec is
    broken after its commas). A word that is longer than a line is cut where it must be.

    Examples:
        >>> wrap("diameter 8 of torus(8, 8) in 4 hops", 14)
        ['diameter 8 of', 'torus(8, 8) in', '4 hops']
    """
    lines = []
    for part in text.split("\n"):
        line = ""
        for atom in _atoms(part, names=names):
            joined = f"{line} {atom}" if line else atom
            if _len(joined) <= width:
                line = joined
                continue
            if line:
                lines.append(line)
            while _len(atom) > width:
                lines.append(atom[:width])
                atom = atom[width:]
            line = atom
        lines.append(line)
    return lines


def _atoms(text: str, *, names: bool = False) -> list[str]:
    """What stays on one line: words, quantities with their units, short specs."""
    out: list[str] = []
    depth = 0
    for word in text.split(" "):
        call = not names and depth > 0 and len(out[-1]) + len(word) < _CALL
        quantity = out and re.fullmatch(_QUANTITY, out[-1]) and re.match(_UNIT, word)
        if out and (call or quantity):
            out[-1] += f" {word}"
        else:
            out.append(word)
            depth = 0
        depth = max(0, depth + word.count("(") - word.count(")"))
        if not re.search(r"\w\(", out[-1]):
            depth = 0
    return out


def _aligned(cells: Sequence[str]) -> list[str]:
    """Numbers one above the other by their points, where all are plain."""
    matches = [_NUMBER.fullmatch(cell) for cell in cells]
    if not all(m or cell == "-" for m, cell in zip(matches, cells)):
        return list(cells)
    most = max((len(m[2] or "") for m in matches if m), default=0)
    if not most:
        return list(cells)
    return [
        f"{m[1]}{(m[2] or '').ljust(most)}{m[3] or ''}" if m else cell + " " * most
        for m, cell in zip(matches, cells)
    ]


def is_number(text: str) -> bool:
    """Does a cell hold a number, with a sign or a unit perhaps, or none?"""
    return text == "-" or bool(re.match(r"[≤≥~]? ?[-+]?\d[\d.,e+-]*($| ?\S{0,4}$)", text))


def in_table(value: Any) -> str:
    """A value as tables, reports and sentences show it.

    Examples:
        >>> in_table(None), in_table(True), in_table(2.50001), in_table(0.5 * 10**9)
        ('-', 'yes', '2.5', '500000000')
        >>> in_table([1, Fraction(1, 3), Fraction(6, 3)])
        '1, 1/3 (0.3333), 2'
    """
    if value is None:
        return "-"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, Fraction) and value.denominator > 1:
        return f"{value} ({number(value)})"
    if isinstance(value, Fraction):
        return number(value.numerator)
    if isinstance(value, int | float | np.number):
        return number(value.item() if isinstance(value, np.number) else value)
    if isinstance(value, list | tuple | np.ndarray):
        items = [in_table(item) for item in value]
        return ", ".join(items) if len(items) <= 24 else ", ".join([*items[:24], "…"])
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {in_table(v)}" for k, v in value.items())
    return str(value)


def _len(text: str) -> int:
    from rich.cells import cell_len

    return len(text) if text.isascii() else cell_len(text)


_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em;max-width:100%}"
    "table{border-collapse:collapse}caption{text-align:left;font-weight:bold}"
    "th,td{padding:.2em .8em;text-align:left;"
    "border-bottom:1px solid #8884;white-space:nowrap}td.number{text-align:right;"
    "font-variant-numeric:tabular-nums}p{max-width:60em}"
)


def write_markup(table: Table, notes: Sequence[str], kind: str) -> str:
    """A table in Markdown ('md'), as a page of its own ('html') or as a part of one ('html-part').

    Examples:
        >>> print(write_markup(Table({"a": "network", "b": "nodes"}, [("ring(8)", "8")]), [], "md"))
        | network | nodes |
        |---|--:|
        | ring(8) | 8 |
        <BLANKLINE>
    """
    numeric = [
        i > 0 and table.heading and all(is_number(row[i]) for row in table.rows)
        for i in range(len(table.heads))
    ]
    if kind == "md":
        return _markdown(table, notes, numeric)
    return (_part if kind == "html-part" else _page)(table, notes, numeric)


def _markdown(table: Table, notes: Sequence[str], numeric: Sequence[bool]) -> str:
    def line(cells: Sequence[str]) -> str:
        escaped = (in_markdown(cell).replace("|", "\\|") for cell in cells)
        return f"| {' | '.join(escaped)} |"

    out = [f"**{in_markdown(table.title)}**", ""] if table.title else []
    out += [line([*table.heads.values()]), f"|{'|'.join('--:' if n else '---' for n in numeric)}|"]
    out += [line(row) for row in table.rows]
    for note in notes:
        out += ["", in_markdown(note)]
    return "\n".join(out) + "\n"


def in_markdown(words: str) -> str:
    """Words for a line of Markdown: tags and links in a name stay text.

    Examples:
        >>> in_markdown("a<b>[c](d)")
        'a&lt;b&gt;[c]\\\\(d)'
    """
    return escape(words, quote=False).replace("](", "]\\(").replace("\n", " ")


def _part(table: Table, notes: Sequence[str], numeric: Sequence[bool]) -> str:
    rows = []
    for row in table.rows:
        cells = [
            f'<td class="number">{escape(cell)}</td>' if number else f"<td>{escape(cell)}</td>"
            for cell, number in zip(row, numeric)
        ]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    head = "".join(f"<th>{escape(text)}</th>" for text in table.heads.values())
    parts = [
        f"<table>{f'<caption>{escape(table.title)}</caption>' if table.title else ''}",
        f"<thead><tr>{head}</tr></thead>" if table.heading else "",
        f"<tbody>\n{chr(10).join(rows)}\n</tbody></table>",
        *(f"<p>{escape(note)}</p>" for note in notes),
    ]
    return "\n".join(part for part in parts if part)


def _page(table: Table, notes: Sequence[str], numeric: Sequence[bool]) -> str:
    title = escape(table.title) or "hopscape"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{title}</title><style>{_STYLE}</style></head><body>\n"
        f"{_part(table, notes, numeric)}\n</body></html>\n"
    )


MANY_ROWS = 60  # rows: beyond, a notebook shows the first ones and their number


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
        >>> records = Records([{"network": "ring(8)", "diameter": 4}], "an example")
        >>> records
        an example
        network  diameter
        ring(8)         4
        >>> records[0]["diameter"], len(records), records.to_dict()
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

    def _table(self, most: int = MANY_ROWS) -> Table:
        heads = {key: key for row in self.rows for key in row if not _hidden(row[key])}
        rows = [
            [f"{row.get('signs', {}).get(key, '')}{in_table(row.get(key))}" for key in heads]
            for row in self.rows[:most]
        ]
        return Table(heads, rows, self.title)

    def __repr__(self) -> str:
        text = fit(self._table(MANY_ROWS))
        lines = [self.title] if self.title else []
        lines += [(a + b).rstrip() for a, b in (*text.head, *text.body)]
        if len(self) > MANY_ROWS:
            lines.append(f"... {len(self)} rows in all")
        return "\n".join(lines)

    def _repr_html_(self) -> str:

        return write_markup(self._table(1000), [], "html-part")


def _hidden(value: Any) -> bool:
    return isinstance(value, Mapping)
