"""Writing files that appear whole or not at all; the endings of graph files."""

from __future__ import annotations

import io
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from hopscape.core.errors import ArgumentError

__all__ = ["GRAPH_ENDINGS", "make_folder", "write_atomically", "write_text"]

GRAPH_ENDINGS = (
    *(".edges", ".edgelist", ".txt", ".csv", ".golf", ".graphml", ".mtx", ".npz", ".dot", ".gv"),
    *(".gml", ".gexf", ".g6", ".s6", ".json", ".adjlist"),
)
"""Of the graph files that are read."""

_LIVE = ("/dev/", "/proc/")


def write_atomically(path: str | Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Write to a temporary file beside `path`, then put it in its place.

    A symbolic link is followed and stays a link, the permissions of a file that is replaced stay,
    and what is not an ordinary file (a device, a pipe) is written to, never replaced.

    Raises:
        ArgumentError: When the place cannot be written to.
    """
    place = Path(path)
    try:
        mode = os.stat(place).st_mode
    except FileNotFoundError:
        mode = None
    except OSError as error:
        raise _refused(path, error) from error
    if mode is not None and stat.S_ISDIR(mode):
        raise ArgumentError(f"{path} is a folder; name a file in it")
    if mode is not None and (not stat.S_ISREG(mode) or str(path).startswith(_LIVE)):
        _write_through(place, write)
        return
    place = Path(os.path.realpath(place))
    if mode is not None and not os.access(place, os.W_OK):
        raise ArgumentError(f"{path} cannot be written: Permission denied")
    if not place.parent.is_dir():
        raise ArgumentError(f"{path} cannot be written: there is no folder {place.parent}")
    _replace(path, place, 0o666 & ~_umask() if mode is None else stat.S_IMODE(mode), write)


def write_text(path: str | Path, text: str) -> None:
    """Write a text, whole or not at all."""
    write_atomically(path, lambda out: out.write(text.encode()))


def make_folder(path: str | Path) -> Path:
    """Make a folder if it is not there.

    Raises:
        ArgumentError: When it cannot be made.
    """
    place = Path(path)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ArgumentError(f"{place} cannot be made: {error.strerror}") from error
    return place


def _write_through(place: Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Into something that cannot be replaced; the whole content is made first."""
    whole = io.BytesIO()
    write(whole)
    try:
        with open(place, "ab", buffering=0) as out:
            left = whole.getbuffer()
            while left:
                left = left[out.write(left) :]
    except OSError as error:
        raise _refused(place, error) from error


def _replace(path: str | Path, place: Path, mode: int, write: Callable[[IO[bytes]], Any]) -> None:
    name = ""
    try:
        handle, name = tempfile.mkstemp(prefix=f".{place.name[:100]}.", dir=place.parent)
        with os.fdopen(handle, "wb") as out:
            write(out)
            out.flush()
            os.fsync(out.fileno())
        os.chmod(name, mode)
        os.replace(name, place)
    except BaseException as error:
        if name:
            Path(name).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise _refused(path, error) from error
        raise


def _refused(path: str | Path, error: OSError) -> ArgumentError:
    return ArgumentError(f"{path} cannot be written: {error.strerror or error}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
