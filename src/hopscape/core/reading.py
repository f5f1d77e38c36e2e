"""Reading users' files: every complaint names the file, the line and the column.

All readers of text go through :class:`TextFile`: the size is looked at before the content, a
damaged or compressed file is one sentence, and each number is checked once, where it stands.
"""

from __future__ import annotations

import difflib
import io
import json
import os
import re
import stat
import sys
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import FileFormatError, TooLargeError
from hopscape.core.files import is_open_elsewhere
from hopscape.core.numbers import byte_count
from hopscape.core.processes import memory_limit, require_memory

__all__ = [
    "INT64",
    "TextFile",
    "TextLine",
    "TomlFile",
    "TomlTable",
    "Word",
    "load_array",
    "load_arrays",
    "load_json",
    "load_toml",
    "read_bytes",
    "read_matrix",
    "require_end",
    "zip_bytes",
]

INT64 = 2**63 - 1
"""The largest whole number that an array holds."""

_MOST_BYTES = 2 * 10**9  # a text of this size takes several times as much when it is split
_MOST_TOML = 10**6
_GZIP = b"\x1f\x8b"
_WORD = re.compile(r"[^\s,;]+")
_MOST_SHOWN = 40  # letters of a wrong word: the message stays on one line


def read_bytes(path: str | Path, most: int = _MOST_BYTES) -> bytes:
    """The content of a file; what was compressed with gzip comes back as it was before.

    Raises:
        FileFormatError: When it cannot be read.
        TooLargeError: When it is larger than `most` bytes, before or after decompression.
    """
    most = min(most, memory_limit() // 2)
    try:
        require_end(path)
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:
                raise TooLargeError(
                    f"{path} has {byte_count(size)}; at most {byte_count(most)} are read"
                )
            data = file.read(most + 1)
        if data[:2] == _GZIP:
            import gzip

            with gzip.GzipFile(fileobj=io.BytesIO(data)) as inner:
                data = inner.read(most + 1)
    except (EOFError, zlib.error) as error:
        raise FileFormatError(f"{path} is not a whole gzip file: {error}") from error
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # a name that no file can have
        raise FileFormatError(f"{str(path)!r} cannot be read: {error}") from error
    if len(data) > most:
        raise TooLargeError(f"{path} holds more than {byte_count(most)}; no more are read")
    return data


def require_end(path: str | Path) -> None:
    """Refuse devices, which may never end, and pipes by name, which wait for a writer.

    Pipes that the shell has opened (``/dev/stdin``, ``<(...)``) are read.

    Raises:
        FileFormatError: For such a thing.
        OSError: When it cannot be asked what it is.
    """
    mode = os.stat(path).st_mode
    opened = stat.S_ISFIFO(mode) and is_open_elsewhere(path)
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or opened):
        raise FileFormatError(f"{path} is no ordinary file; name one")


def load_json(path: str | Path) -> Any:
    """The value in a JSON file.

    Raises:
        FileFormatError: With the line and column where it breaks off; or for a record that has a
            key twice, and so says two things.
    """
    text = TextFile(path).text
    try:
        return json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise FileFormatError(
            f"{path} is not a whole JSON file: {error.msg} at line {error.lineno},"
            f" column {error.colno}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{path} cannot be read: {_beyond(error)}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"a record has the key {key!r:.{_MOST_SHOWN}} twice")
    return record


def load_toml(path: str | Path) -> tuple[dict[str, Any], str]:
    """What a TOML file says, and its text.

    Raises:
        FileFormatError: When it is no ordinary file, no text, or not TOML; with the line.
        TooLargeError: When it has more than a megabyte: no list or set of options is so long.
    """
    import tomllib

    text = TextFile(path, _MOST_TOML).text
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        raise FileFormatError(f"{path} is not TOML: {_reason(error)}") from error
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{path} cannot be read: {_beyond(error)}") from error


def load_arrays(path: str | Path) -> dict[str, IntArray]:
    """The arrays in an .npz file, by name; pickled objects are refused.

    Raises:
        FileFormatError: For a damaged file.
        TooLargeError: When they would not fit in memory, however small they are when compressed.
    """
    data = zip_bytes(path)
    try:
        with np.errstate(all="ignore"), np.load(data, allow_pickle=False) as archive:
            return {key: archive[key] for key in archive.files}
    except Exception as error:  # whatever a damaged file does to a parser that is not ours
        raise FileFormatError(f"{path} is not a whole .npz file: {_reason(error)}") from error


def load_array(path: str | Path) -> IntArray:
    """The array in an .npy file; pickled objects are refused.

    Raises:
        FileFormatError: For a damaged file.
    """
    data = io.BytesIO(read_bytes(path))
    try:
        content = np.lib.format.read_array(data, allow_pickle=False)
    except Exception as error:  # whatever a damaged file does to a parser that is not ours
        raise FileFormatError(f"{path} is not a whole .npy file: {_reason(error)}") from error
    array: IntArray = np.asarray(content)
    return array


def zip_bytes(path: str | Path) -> io.BytesIO:
    """The content of a zip archive (.npz) whose members all fit in memory.

    Raises:
        FileFormatError: For a damaged file.
        TooLargeError: When they do not.
    """
    data = io.BytesIO(read_bytes(path))
    try:
        with zipfile.ZipFile(data) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except Exception as error:  # whatever a damaged file does to a parser that is not ours
        raise FileFormatError(f"{path} is not a whole .npz file: {_reason(error)}") from error
    require_memory(size, f"the content of {path}")
    data.seek(0)
    return data


def read_matrix(path: str | Path, what: str = "an entry", low: float = float("-inf")) -> IntArray:
    """A matrix of finite numbers: one row per line, separated by commas, semicolons or blanks.

    Raises:
        FileFormatError: With the line and column of what is not a number, or the line of a row of
            another length.
    """
    file = TextFile(path)
    rows: list[IntArray] = []
    for line in file.lines("#"):
        rows.append(line.reals(what, low))
        if len(rows[-1]) != len(rows[0]):
            raise line.error(f"a row of {len(rows[-1])} numbers below one of {len(rows[0])}")
    if not rows:
        raise file.error("there is no matrix in it")
    return np.stack(rows)


def _beyond(error: Exception) -> str:
    """What is beyond the limits of Python's readers, whose advice is for programmers."""
    if isinstance(error, RecursionError):
        return "brackets are nested too deep"
    return f"a number has more than {sys.get_int_max_str_digits():,} digits"


def _reason(error: Exception) -> str:
    """What another parser said, in one line."""
    return " ".join(str(error).split())[:200] or type(error).__name__


@dataclass(frozen=True)
class Word:
    """A word of a file, and where it stands."""

    text: str
    line: TextLine
    column: int

    def error(self, message: str) -> FileFormatError:
        """A complaint about this word."""
        return self.line.error(message, self.column)

    def integer(self, what: str, low: int = 0, high: int = INT64) -> int:
        """A whole number from `low` to `high`, written in plain digits."""
        text = self.text
        if re.fullmatch(r"[+-]?[0-9]{1,40}", text, re.ASCII) is None:
            raise self.error(f"{what} must be a whole number, not {text!r:.{_MOST_SHOWN}}")
        value = int(text)
        if not low <= value <= high:
            limits = f"from {low} to {high}" if high < INT64 else f"at least {low}"
            if value > INT64:
                limits = f"from {low} to {high}"
            raise self.error(f"{what} is {value}; it must be {limits}")
        return value

    def real(self, what: str, low: float = float("-inf"), high: float = float("inf")) -> float:
        """A finite number from `low` to `high`."""
        if re.fullmatch(r"[+-]?[0-9.]+([eE][+-]?[0-9]+)?", self.text, re.ASCII) is not None:
            try:
                value = float(self.text)
            except ValueError:
                value = float("nan")
            if abs(value) != float("inf") and value == value:
                if not low <= value <= high:
                    raise self.error(f"{what} is {value:g}; it must be from {low:g} to {high:g}")
                return value
        raise self.error(f"{what} must be a finite number, not {self.text!r:.{_MOST_SHOWN}}")


@dataclass(frozen=True)
class TextLine:
    """A line of a file: its number from 1 and its text."""

    file: TextFile
    number: int
    text: str

    def error(self, message: str, column: int | None = None) -> FileFormatError:
        """A complaint about this line."""
        place = f"line {self.number}" + ("" if column is None else f", column {column}")
        return FileFormatError(f"{self.file.path}, {place}: {message}")

    def words(self) -> list[Word]:
        """Words, separated by blanks, commas or semicolons."""
        return [Word(m[0], self, m.start() + 1) for m in _WORD.finditer(self.text)]

    def integers(self, what: str, low: int = 0, high: int = INT64) -> IntArray:
        """All words of the line as whole numbers; one by one only where one of them is wrong."""
        values = self._numbers(np.int64)
        if values is None or not low <= values.min() <= values.max() <= high:
            words = [word.integer(what, low, high) for word in self.words()]
            values = np.asarray(words, dtype=np.int64)
        return values

    def reals(self, what: str, low: float = float("-inf"), high: float = float("inf")) -> IntArray:
        """All words of the line as finite numbers, in the same way."""
        values = self._numbers(np.float64)
        if values is None or not (
            np.isfinite(values).all() and low <= values.min() <= values.max() <= high
        ):
            values = np.asarray([word.real(what, low, high) for word in self.words()])
        return values

    def _numbers(self, dtype: type) -> IntArray | None:
        if not self.text.isascii() or "_" in self.text:
            return None
        try:
            values: IntArray = np.array(_WORD.findall(self.text), dtype=dtype)
        except (ValueError, OverflowError):
            return None
        return values if len(values) else None

    def cells(self, separator: str = ",") -> list[Word]:
        """The cells of a row, empty ones too, without blanks round them."""
        out, column = [], 1
        for cell in self.text.split(separator):
            lead = len(cell) - len(cell.lstrip())
            out.append(Word(cell.strip(), self, column + lead))
            column += len(cell) + len(separator)
        return out


class TextFile:
    """A text file, read whole.

    Args:
        path: UTF-8, with or without a byte-order mark, plain or compressed with gzip.
        most: Bytes that are read at most.

    Raises:
        FileFormatError: When it cannot be read or is not text.
        TooLargeError: When it is too large.
    """

    def __init__(self, path: str | Path, most: int = _MOST_BYTES) -> None:
        self.path = path
        data = read_bytes(path, most)
        try:
            self.text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            raise FileFormatError(
                f"{path}, line {line}: not a text file in UTF-8 ({error.reason})"
            ) from error

    def error(self, message: str) -> FileFormatError:
        """A complaint about the file as a whole."""
        return FileFormatError(f"{self.path}: {message}")

    def lines(self, comment: str = "") -> Iterator[TextLine]:
        """The lines that are not empty; those that begin with a mark of `comment` are left out."""
        for number, text in enumerate(self.text.splitlines(), 1):
            bare = text.strip()
            if bare and not (comment and bare[0] in comment):
                yield TextLine(self, number, text)

    def remarks(self) -> dict[str, Word]:
        """What comments of the form ``# name value`` say, by name."""
        out: dict[str, Word] = {}
        for line in self.lines():
            match = re.match(r"# *(\S+) ?(.*)", line.text)
            if match is not None:
                out[match[1].rstrip(":")] = Word(match[2].strip(), line, match.start(2) + 1)
        return out


class TomlFile:
    """A TOML file of tables with keys; every complaint names the line of the key.

    Args:
        path: See :class:`TextFile`.
        tables: The tables that it may have, each with its keys; ``""`` is what stands before all.

    Raises:
        FileFormatError: When it is not TOML, or has a table or a key that is not known.
    """

    def __init__(self, path: str | Path, tables: Mapping[str, Sequence[str]]) -> None:
        self.path = path
        self.data, text = load_toml(path)
        self._lines = _key_lines(text)
        known = [name for name in tables if name]
        for name, value in self.data.items():
            if name in known:
                if not isinstance(value, dict):
                    raise self.error("", name, f"{name} must be a table: [{name}]")
                for key in value:
                    if key not in tables[name]:
                        hint = _nearest(key, tables[name])
                        raise self.error(name, key, f"[{name}] has no key {key!r}; {hint}")
            elif name not in tables.get("", ()):
                what = f"table [{name}]" if isinstance(value, dict) else f"key {name!r}"
                hint = _nearest(name, [*known, *tables.get("", ())])
                raise self.error(
                    name if isinstance(value, dict) else "", name, f"{what} is unknown; {hint}"
                )

    def error(self, table: str, key: str, message: str) -> FileFormatError:
        """A complaint about a key, in its line, or in that of its table where it is missing."""
        places = ((table, key), (table, ""), ("", table))
        line = next((self._lines[one] for one in places if one in self._lines), 1)
        return FileFormatError(f"{self.path}, line {line}: {message}")

    def table(self, name: str) -> TomlTable:
        """A table, empty when it is not there."""
        return TomlTable(self, name, self.data.get(name, {}) if name else self.data)


@dataclass(frozen=True)
class TomlTable:
    """A table of a TOML file, whose values are checked where they are read."""

    file: TomlFile
    name: str
    values: Mapping[str, Any]

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def error(self, key: str, message: str) -> FileFormatError:
        """A complaint about a key."""
        return self.file.error(self.name, key, message)

    def _full(self, key: str) -> str:
        return f"[{self.name}] {key}" if self.name else key

    def _value(self, key: str, default: Any) -> Any:
        if key in self.values:
            return self.values[key]
        if default is None:
            raise self.error(key, f"{self._full(key)} is missing")
        return default

    def integer(self, key: str, low: int = 1, default: int | None = None) -> int:
        """A whole number of at least `low`."""
        value = self._value(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= INT64:
            most = f" and at most {INT64}" if isinstance(value, int) and value > INT64 else ""
            allowed = f"a whole number of at least {low}{most}"
            raise self.error(key, f"{self._full(key)} is {value!r}; it must be {allowed}")
        return value

    def real(
        self,
        key: str,
        low: float = 0.0,
        high: float = float("inf"),
        default: float | None = None,
        *,
        least: bool = False,
    ) -> float:
        """A finite number above `low` (at least `low` with `least`), up to `high`."""
        value = self._value(key, default)
        number = isinstance(value, int | float) and not isinstance(value, bool)
        inside = number and (low < value <= high or (least and value == low))
        if not inside or value == float("inf"):
            limit = "" if high == float("inf") else f" and up to {high:g}"
            above = "of at least" if least else "above"
            raise self.error(
                key, f"{self._full(key)} is {value!r}; it must be a number {above} {low:g}{limit}"
            )
        return float(value)

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise self.error(key, f"{self._full(key)} is {value!r}; it must be true or false")
        return value

    def text(self, key: str, default: str | None = None, choices: Sequence[str] = ()) -> str:
        """A text that is not empty, one of `choices` where there are some."""
        value = self._value(key, default)
        if not isinstance(value, str) or not value.strip() or (choices and value not in choices):
            allowed = f"one of {', '.join(choices)}" if choices else "a text, and not empty"
            raise self.error(key, f"{self._full(key)} is {value!r}; it must be {allowed}")
        return value


def _nearest(word: str, known: Sequence[str]) -> str:
    matches = difflib.get_close_matches(word, known, n=1)
    return f"did you mean {matches[0]!r}?" if matches else f"there are {', '.join(known)}"


def _key_lines(text: str) -> dict[tuple[str, str], int]:
    """Line of each table and key, from 1.

    Examples:
        >>> _key_lines("a = 1\\n[job]\\ntp = 8\\n")
        {('', 'a'): 1, ('job', ''): 2, ('job', 'tp'): 3}
    """
    lines: dict[tuple[str, str], int] = {}
    table = ""
    for at, line in enumerate(text.splitlines(), 1):
        head = re.match(r"\s*\[\[?\s*([\w\"'.-]+)\s*\]\]?", line)
        key = re.match(r"\s*([\w\"'-]+)\s*=", line)
        if head is not None:
            table = head.group(1).strip("\"'")
            lines.setdefault((table, ""), at)
        elif key is not None:
            lines.setdefault((table, key.group(1).strip("\"'")), at)
    return lines
