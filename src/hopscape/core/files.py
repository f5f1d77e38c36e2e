"""Writing files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from hopscape.core.errors import ArgumentError

__all__ = ["write_atomically"]


def write_atomically(path: str | Path, write: Callable[[IO[bytes]], Any]) -> None:
    """Write to a temporary file beside `path`, then put it in its place.

    Raises
    ------
    ArgumentError
        When the place cannot be written to.
    """
    place = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{place.name}.", dir=place.parent)
    except OSError as error:
        raise ArgumentError(f"{path} cannot be written: {error.strerror}") from error
    try:
        with os.fdopen(handle, "wb") as out:
            write(out)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, place)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise ArgumentError(f"{path} cannot be written: {error.strerror}") from error
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
