"""Keys of results: a digest of everything that a result depends on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from hopscape._version import __version__
from hopscape.core.errors import FileFormatError
from hopscape.core.plugins import other_packages

__all__ = ["digest", "file_digest", "plain"]

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
    """
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror}") from error


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
