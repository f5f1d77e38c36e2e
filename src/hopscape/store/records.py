"""A file of results that only grows: one JSON object per line, the newest last.

A line is written and forced to disk in one go, so that a process killed at any moment loses only
what it had not finished; a last line cut short is dropped when the file is opened again. One run at
a time holds the file.

A sum over each line tells when the file was damaged, or a figure in it changed.

Keys of results: a digest of everything that a result depends on.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
import sys
import zlib
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hopscape._version import __version__
from hopscape.core.errors import ArgumentError, FileFormatError
from hopscape.core.plugins import other_packages
from hopscape.core.processes import require_memory
from hopscape.core.reading import read_bytes

__all__ = ["Store", "digest", "file_digest", "opened", "plain"]

_FORMAT = "hopscape-results"
_VERSION = 2  # of the file: another one is refused, never guessed
_HEADER = json.dumps({"format": _FORMAT, "version": _VERSION}).encode()


class Store:
    """Results by key, in memory and (if a path is given) in a file.

    Args:
        path: Read if it exists, then appended to.

    Raises:
        FileFormatError: When the file is something else; it is left as it is.
        ArgumentError: When it cannot be written, or another run is using it.

    Examples:
        >>> store = Store()
        >>> store.add("square of 3", 9)
        >>> "square of 3" in store, store["square of 3"]
        (True, 9)
    """

    def __init__(self, path: str | Path | None = None) -> None:
        self.path = Path(path) if path is not None else None
        self._results: dict[str, Any] = {}
        self._handle: int | None = None
        self._whole = 0
        if self.path is not None:
            self._open(self.path)

    def __contains__(self, key: str) -> bool:
        return key in self._results

    def __getitem__(self, key: str) -> Any:
        return self._results[key]

    def __len__(self) -> int:
        return len(self._results)

    def add(self, key: str, result: Any, about: str = "", *, final: bool = True) -> None:
        """Keep a result (plain JSON values, numpy's too); on return it is on the disk.

        `about` says in words what it is, for whoever reads the file. What is not final is kept in
        memory only: a later run has it computed again.
        """
        if final:
            line = {"key": key, "about": about, "result": result} if about else None
            self._write(line or {"key": key, "result": result})
        self._results[key] = result

    def close(self) -> None:
        """Close the file and let others use it."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _write(self, line: Mapping[str, Any]) -> None:
        if self._handle is None:
            return
        try:
            data = _summed(json.dumps(line, default=plain).encode())
        except TypeError as error:
            about = line.get("about") or line.get("key")
            raise ArgumentError(f"{about}: the result cannot be kept: {error}") from error
        self._put(data)

    def _put(self, data: bytes) -> None:
        """Append a line and force it to the disk, whole or not at all."""
        if self._handle is None:
            return
        try:
            done = 0
            while done < len(data):
                done += os.write(self._handle, data[done:])
            os.fsync(self._handle)
        except OSError as error:
            self._cut()
            raise ArgumentError(_sentence(self.path, error)) from error
        self._whole += len(data)

    def _cut(self) -> None:
        """Take back a line that is only half there: the next one must not be glued to it."""
        assert self._handle is not None
        with suppress(OSError):  # then it is dropped when the file is opened again
            os.ftruncate(self._handle, self._whole)

    def _open(self, path: Path) -> None:
        if path.exists():
            self._read(path)  # refuses other files before they are opened for writing
        try:
            binary = getattr(os, "O_BINARY", 0)  # Windows would write two bytes for a line end
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | binary, 0o666)
            _lock(self._handle)
            self._whole = self._read(path)  # again: a run may have ended in between
            os.ftruncate(self._handle, self._whole)
        except OSError as error:
            self.close()
            raise ArgumentError(_sentence(path, error)) from error
        except FileFormatError:
            self.close()
            raise
        if self._whole == 0:
            self._put(_HEADER + b"\n")

    def _read(self, path: Path) -> int:
        """Take in the lines of a file; returns how many bytes of it are whole lines."""
        try:
            about = path.stat()
            if not stat.S_ISREG(about.st_mode):
                raise FileFormatError(f"{path} is not an ordinary file; results need one")
            require_memory(2 * about.st_size, f"the content of {path}")
            data = path.read_bytes()
        except OSError as error:
            raise FileFormatError(f"{path} cannot be read: {error.strerror}") from error
        whole = data.rfind(b"\n") + 1
        if not whole and not _HEADER.startswith(data[: len(_HEADER)]):
            raise FileFormatError(f"{path} is not a file of results; it begins with {data[:40]!r}")
        self._results = {}
        for number, line in enumerate(data[:whole].splitlines(), 1):
            try:
                row = json.loads(line)
                if number == 1:
                    self._check_header(path, row)
                    continue
                if not _is_whole(line):
                    raise FileFormatError(
                        f"{path} is damaged: line {number} is not what was written"
                        f" ({row.get('about') or row['key']}); remove it, and it is computed again"
                    )
                self._results[row["key"]] = row["result"]
            except FileFormatError:
                raise
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise FileFormatError(
                    f"{path} is not a file of results: line {number} is {line[:60]!r}"
                ) from error
        return whole

    @staticmethod
    def _check_header(path: Path, row: Mapping[str, Any]) -> None:
        if row["format"] != _FORMAT:
            raise KeyError("format")
        if row["version"] != _VERSION:
            raise FileFormatError(
                f"{path} holds results in version {row['version']} of the format, this is version"
                f" {_VERSION}; name a new file"
            )


def _summed(line: bytes) -> bytes:
    """A line with a sum over all of it, by which it is known again."""
    return b'%b, "crc": "%08x"}\n' % (line[:-1], zlib.crc32(line))


def _is_whole(line: bytes) -> bool:
    """Does a line have the sum that it was written with, if it was written with one?"""
    body, mark, end = line.rpartition(b', "crc": "')
    if not mark or not end.endswith(b'"}'):  # of hopscape 0.2 and before
        return True
    return b"%08x" % zlib.crc32(body + b"}") == end[:-2]


def opened(store: Store | str | Path | None) -> AbstractContextManager[Store]:
    """A file's store, closed at the end; one that is open already stays open."""
    return nullcontext(store) if isinstance(store, Store) else Store(store)


def _sentence(path: Path | None, error: OSError) -> str:
    """What a user is told when the system refuses."""
    if error.errno in (errno.EAGAIN, errno.EACCES) and isinstance(error, BlockingIOError):
        return f"{path} is in use by another run; wait for it or name another file"
    return f"{path} cannot be written: {error.strerror}"


_LOCKED_BYTE = 2**31 - 2
"""Where the lock of Windows lies, far beyond the end: others may read what is there.

Every C runtime can lock up to here; some count places in 32 bits.
"""


def _lock(handle: int) -> None:
    """One run at a time; the system gives the lock back when the process ends, however.

    Raises:
        BlockingIOError: When another run has it.
    """
    if sys.platform != "win32":
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt

    os.lseek(handle, _LOCKED_BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError as error:
        raise BlockingIOError(errno.EAGAIN, "locked by another run") from error
    finally:
        os.lseek(handle, 0, os.SEEK_SET)


_COMPUTING = ("numpy", "scipy", "numba")


def digest(kind: str, given: Any, files: Iterable[str | Path] = ()) -> str:
    """The key of a result.

    Equal inputs give equal keys in every process and on every machine with the same software: the
    versions of hopscape, of the libraries that compute and of packages that add to hopscape count,
    since others may compute another result.

    Args:
        kind: What is computed.
        given (plain JSON values, or objects with ``to_dict``): All that decides the result.
            Mappings may come in any order.
        files: Files that were read; their content counts, their name does not.

    Examples:
        >>> digest("square", {"of": 3}) == digest("square", {"of": 3})
        True
        >>> digest("square", {"of": 3}) == digest("square", {"of": 4})
        False
    """
    contents = [file_digest(path) for path in files]
    text = json.dumps([_software(), kind, given, contents], sort_keys=True, default=plain)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def file_digest(path: str | Path) -> str:
    """A digest of a file's content.

    Raises:
        FileFormatError: When it cannot be read.
        TooLargeError: When it is larger than what is read of any file.
    """
    return hashlib.sha256(read_bytes(path)).hexdigest()


@cache
def _software() -> list[Any]:
    return [__version__, [version(name) for name in _COMPUTING], other_packages()]


def plain(value: Any) -> Any:
    """Values that JSON does not know: arrays become lists, sets sorted ones.

    Raises:
        TypeError: For anything else.
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, set | frozenset):
        return sorted(value)
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is no plain value")
