"""A table file of results that only grows: one JSON object per line, the newest last.

A line is written and forced to disk in one go, so that a process killed at any moment loses only
what it had not finished; a last line cut short is dropped when the file is opened again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopscape.core.errors import ArgumentError, FileFormatError

__all__ = ["ResultTable"]

_FORMAT = "hopscape-results"


class ResultTable:
    """Results by key, in memory and (if a path is given) in a file.

    Parameters
    ----------
    path : path, optional
        Read if it exists, then appended to.

    Examples
    --------
    >>> table = ResultTable()
    >>> table.add("squares of 3", 9)
    >>> "squares of 3" in table, table["squares of 3"]
    (True, 9)
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path) if path is not None else None
        self._results: dict[str, Any] = {}
        self._handle: int | None = None
        if self.path is not None:
            self._open(self.path)

    def __contains__(self, key: str) -> bool:
        return key in self._results

    def __getitem__(self, key: str) -> Any:
        return self._results[key]

    def __len__(self) -> int:
        return len(self._results)

    def add(self, key: str, result: Any) -> None:
        """Keep a result (plain JSON values); on return it is on the disk."""
        self._results[key] = result
        if self._handle is not None:
            self._write({"key": key, "result": result})

    def close(self) -> None:
        """Close the file."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> ResultTable:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        assert self._handle is not None
        try:
            os.write(self._handle, (json.dumps(line) + "\n").encode())
            os.fsync(self._handle)
        except OSError as error:
            raise ArgumentError(f"{self.path} cannot be written: {error.strerror}") from error

    def _open(self, path: Path) -> None:
        if path.exists():
            self._read(path)  # refuses other files before they are opened for writing
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            self._lock(self._handle)
            whole = self._read(path)  # again: a run may have ended in between
            os.ftruncate(self._handle, whole)
        except OSError as error:
            self.close()
            raise ArgumentError(f"{path} cannot be written: {error.strerror}") from error
        if whole == 0:
            self._write({"format": _FORMAT, "version": 1})

    @staticmethod
    def _lock(handle: int) -> None:
        """One run at a time; the system gives the lock back when the process ends, however."""
        if os.name == "posix":
            import fcntl

            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise OSError(error.errno, "another run is using it") from error

    def _read(self, path: Path) -> int:
        """Take in the lines of a file; returns how many bytes of it are whole lines."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise FileFormatError(f"{path} cannot be read: {error.strerror}") from error
        whole = data.rfind(b"\n") + 1
        for number, line in enumerate(data[:whole].splitlines(), 1):
            try:
                row = json.loads(line)
                if number == 1:
                    if row["format"] != _FORMAT or row["version"] != 1:
                        raise KeyError("format")
                    continue
                self._results[row["key"]] = row["result"]
            except (ValueError, KeyError, TypeError) as error:
                raise FileFormatError(
                    f"{path} is not a table of results: line {number} is {line[:60]!r}"
                ) from error
        if data and not whole and not b'{"format": "hopscape-results"'.startswith(data[:29]):
            raise FileFormatError(f"{path} is not a table of results")
        return whole
