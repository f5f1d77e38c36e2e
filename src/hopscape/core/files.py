"""Writing files that appear whole or not at all; the endings of graph files."""

from __future__ import annotations

import io
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PureWindowsPath
from typing import IO, Any

from hopscape.core.errors import ArgumentError
from hopscape.core.processes import is_running

__all__ = [
    "FABRIC_ENDINGS",
    "GRAPH_ENDINGS",
    "is_open_elsewhere",
    "make_folder",
    "require_room",
    "whole_folder",
    "write_atomically",
    "write_text",
]

GRAPH_ENDINGS = (
    *(".edges", ".edgelist", ".txt", ".csv", ".golf", ".graphml", ".mtx", ".npz", ".dot", ".gv"),
    *(".gml", ".gexf", ".g6", ".s6", ".json", ".adjlist"),
)
"""Of the graph files that are read and written."""

FABRIC_ENDINGS = (".net", ".ibnetdiscover", ".iblinkinfo")
"""Of listings of a fabric, which are read."""

_LINKS = 40  # of a chain at most, as the system follows them
_LIST = ".hopscape-files"
"""The names of the files of a folder that hopscape wrote, one in each line."""


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
    if mode is not None and (not stat.S_ISREG(mode) or is_open_elsewhere(place)):
        _write_through(place, write)
        return
    place = Path(os.path.realpath(place))
    if mode is not None and not os.access(place, os.W_OK):
        raise ArgumentError(f"{path} cannot be written: Permission denied")
    if not place.parent.is_dir():
        raise ArgumentError(f"{path} cannot be written: there is no folder {place.parent}")
    _replace(path, place, 0o666 & ~_umask() if mode is None else stat.S_IMODE(mode), write)


def is_open_elsewhere(path: str | Path) -> bool:
    """Is it a name of what a process has open, such as /dev/stdout or /dev/fd/3?

    What stands behind it must be written to even if it is an ordinary file: another one in its
    place would not reach whoever has it open. Files in /dev/shm are files as all others.
    """
    place = Path(path)
    for _ in range(_LINKS):
        above = os.path.realpath(place.parent)
        if above == "/dev/fd" or above.startswith("/proc/"):
            return True
        if not place.is_symlink():
            return False
        place = Path(above, os.readlink(place))
    return False


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


def require_room(path: str | Path, names: Iterable[str], *, force: bool = False) -> None:
    """Refuse a folder in which files of these names stand that hopscape did not write.

    Args:
        names: Paths within the folder.
        force: Do not refuse.
    """
    place = Path(path)
    if place.exists() and not place.is_dir():
        raise ArgumentError(f"{place} is a file; a folder is needed")
    if force or not place.exists():
        return
    known = _own_files(place)
    foreign = [name for name in names if name not in known and (place / name).exists()]
    if foreign:
        more = f" and {len(foreign) - 1} more" if len(foreign) > 1 else ""
        raise ArgumentError(
            f"{place} holds {foreign[0]}{more}, which hopscape did not write; name another folder,"
            " or overwrite with --force"
        )


@contextmanager
def whole_folder(path: str | Path, *, force: bool = False) -> Iterator[Path]:
    """A folder to write into, whose files are put in their place when all are written.

    A new folder appears whole or not at all. In one that is there, files that hopscape wrote before
    are replaced, or removed where they are not written again; others stay as they are.

    Args:
        force: Overwrite files that hopscape did not write.

    Raises:
        ArgumentError: When the folder cannot be written, or when such a file is in the way.

    Examples:
        >>> with tempfile.TemporaryDirectory() as here:
        ...     with whole_folder(Path(here) / "new") as folder:
        ...         write_text(folder / "a.txt", "a")
        ...     (Path(here) / "new" / "a.txt").read_text("utf-8")
        'a'
    """
    place = Path(path)
    require_room(place, (), force=force)
    fresh = not place.exists()
    try:
        above = place.parent if fresh else place
        above.mkdir(parents=True, exist_ok=True)
        _sweep(above, place.name)
        work = Path(tempfile.mkdtemp(prefix=_hidden(place.name), dir=above))
    except OSError as error:
        raise ArgumentError(f"{place} cannot be made: {error.strerror or error}") from error
    try:
        yield work
        names = [one.relative_to(work).as_posix() for one in work.rglob("*") if one.is_file()]
        require_room(place, names, force=force)
        (work / _LIST).write_text("".join(f"{name}\n" for name in sorted(names)), "utf-8")
        if fresh:
            work.chmod(0o777 & ~_umask())
            work.rename(place)
        else:
            _put_in_place(work, place, [*names, _LIST])
    except OSError as error:
        raise _refused(place, error) from error
    except ArgumentError as error:  # a file within: by the name that it would have had
        if str(work) not in str(error):
            raise
        raise ArgumentError(str(error).replace(str(work), str(place))) from error.__cause__
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _put_in_place(work: Path, place: Path, names: Sequence[str]) -> None:
    """Move files into a folder, and remove those of an earlier time."""
    gone = _own_files(place) - set(names)
    for name in names:
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        os.replace(work / name, place / name)
    for name in sorted(gone):
        (place / name).unlink(missing_ok=True)
        with suppress(OSError):  # it holds something else
            (place / name).parent.rmdir()


def _own_files(place: Path) -> set[str]:
    """The files of a folder that hopscape wrote; only those inside."""
    try:
        names = (place / _LIST).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return set()
    return {one for one in names if not PureWindowsPath(one).anchor and ".." not in Path(one).parts}


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
        _sweep(place.parent, place.name)
        handle, name = tempfile.mkstemp(prefix=_hidden(place.name), dir=place.parent)
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


def _hidden(name: str) -> str:
    """What the name of a file or folder in the making begins with: whose it is stands in it."""
    return f".{name[:100]}.{os.getpid()}."


def _sweep(folder: Path, name: str) -> None:
    """Remove what a process that was killed has left half-made under this name."""
    begin = f".{name[:100]}."
    with suppress(OSError):
        for left in [one for one in os.listdir(folder) if one.startswith(begin)]:
            owner = left.removeprefix(begin).partition(".")[0]
            if owner.isdecimal() and not is_running(int(owner)):
                shutil.rmtree(folder / left, ignore_errors=True)
                with suppress(OSError):
                    (folder / left).unlink(missing_ok=True)


def _refused(path: str | Path, error: OSError) -> ArgumentError:
    return ArgumentError(f"{path} cannot be written: {error.strerror or error}")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
