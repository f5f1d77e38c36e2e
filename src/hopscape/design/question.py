"""A question to the designer as a file: the options of ``hopscape design`` in TOML."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hopscape.core.errors import FileFormatError

__all__ = ["read_question"]

_NOT_IN_FILES = ("from", "help")


def read_question(path: str | Path, options: Mapping[str, str]) -> dict[str, Any]:
    """Read the options of a question.

    Args:
        options (mapping of str to str): Options that there are, without dashes, and the names of
            their parameters.

    Returns:
        dict: Values by parameter; lists become texts with commas, as on the command line.

    Raises:
        FileFormatError: For what is neither TOML nor an option; the message names the line.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
        data = tomllib.loads(text)
    except OSError as error:
        raise FileFormatError(f"{path} cannot be read: {error.strerror}") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise FileFormatError(f"{path} is not TOML: {error}") from error
    out: dict[str, Any] = {}
    for key, value in data.items():
        name = key.replace("_", "-")
        if name not in options or name in _NOT_IN_FILES:
            allowed = ", ".join(sorted(set(options) - set(_NOT_IN_FILES)))
            raise FileFormatError(
                f"{path}, line {_line(text, key)}: {key!r} is not an option of design; there are"
                f" {allowed}"
            )
        if isinstance(value, dict) and name == "matters":
            value = [f"{k}={v}" for k, v in value.items()]
        if isinstance(value, dict):
            raise FileFormatError(f"{path}, line {_line(text, key)}: {key!r} must be no table")
        listed = isinstance(value, list)
        out[options[name]] = ",".join(map(str, value)) if listed else value
    return out


def _line(text: str, key: str) -> int:
    """The line where a key stands."""
    for at, line in enumerate(text.splitlines(), 1):
        if line.strip().lstrip("[").strip("\"' ").startswith(key):
            return at
    return 1
