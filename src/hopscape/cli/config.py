"""Options of a command in a TOML file, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hopscape._version import __version__
from hopscape.core.errors import ArgumentError, FileFormatError

__all__ = ["read_config", "write_config"]

_OWN = ("config", "write_config", "help")


def _options(command: Any) -> dict[str, Any]:
    """The options that a file may hold, by their long names without dashes."""
    found = {}
    for param in command.params:
        if param.param_type_name == "option" and param.name not in _OWN:
            found[max(param.opts, key=len).lstrip("-")] = param
    return found


def read_config(path: str, command: Any, given: Mapping[str, Any]) -> list[str]:
    """Words of a command line for what a file says and the command line does not.

    Raises:
        FileFormatError, ArgumentError: When it is not TOML, or names what is not an option.
    """
    import tomllib

    try:
        with open(path, "rb") as file:
            said = tomllib.load(file)
    except OSError as error:
        raise ArgumentError(f"--config: {path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise FileFormatError(f"{path} is not TOML: {error}") from error
    options = _options(command)
    words: list[str] = []
    for key, value in said.items():
        option = options.get(key.replace("_", "-"))
        if option is None:
            raise ArgumentError(_unknown(path, key, options))
        if option.name not in given:
            words += _words(path, key, option, value)
    return words


def _unknown(path: str, key: str, options: Iterable[str]) -> str:
    import difflib

    near = difflib.get_close_matches(key.replace("_", "-"), list(options), n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{path}: {key!r} is not an option of this command{hint}"


def _words(path: str, key: str, option: Any, value: Any) -> list[str]:
    name = max(option.opts, key=len)
    if option.is_flag:
        if not isinstance(value, bool):
            raise ArgumentError(f"{path}: {key} is {value!r}; it must be true or false")
        off = max(option.secondary_opts, key=len) if option.secondary_opts else ""
        return [name] if value else [off] if off else []
    many = value if isinstance(value, list) else [value]
    if isinstance(value, list) and not option.multiple:
        raise ArgumentError(f"{path}: {key} is a list; it must be one value")
    for one in many:
        if isinstance(one, bool) or not isinstance(one, str | int | float):
            raise ArgumentError(f"{path}: {key} is {one!r}; it must be a number or a text")
    return [word for one in many for word in (name, str(one))]


def write_config(name: str, command: Any, given: Mapping[str, Any]) -> str:
    """All options with their values as TOML; those without one as comments."""
    lines = [f"# hopscape {name}, version {__version__}; use it with --config FILE.toml"]
    for key, option in _options(command).items():
        value = given.get(option.name, option.default)
        if isinstance(value, str) and option.type.name.startswith(("int", "float")):
            value = option.type.convert(value, option, None)
        lines += ["", f"# {option.help or ''}".rstrip()]
        if value is None or (option.multiple and not value):
            lines.append(f"# {key} = {'[]' if option.multiple else ''}".rstrip())
        else:
            lines.append(f"{key} = {_toml(value)}")
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "inf" if value == float("inf") else repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(one) for one in value)}]"
    return json.dumps(str(value), ensure_ascii=False)
