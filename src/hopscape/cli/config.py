"""Options of a command in a TOML file, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from hopscape._version import __version__
from hopscape.core.errors import ArgumentError

__all__ = ["read_config", "write_config"]

_OWN = ("config", "write_config", "help")


def _options(command: Any) -> dict[str, Any]:
    """The options that a file may hold, by their long names without dashes."""
    options = {}
    for param in command.params:
        if param.param_type_name == "option" and param.name not in _OWN:
            options[max(param.opts, key=len).lstrip("-")] = param
    return options


def read_config(
    path: str, command: Any, typed: Mapping[str, Any], former: Mapping[str, str]
) -> tuple[list[str], list[tuple[str, str]]]:
    """Words of a command line for what a file says and the command line does not.

    Args:
        typed: Values of the command line, by parameter.
        former: Old names of options and the new ones, with dashes.

    Returns:
        The words, and the old names that the file uses with the new ones, without dashes.

    Raises:
        FileFormatError, ArgumentError: When it is not TOML, or names what is not an option; the
            message names the line.
    """
    from hopscape.core.reading import load_toml

    content, text = load_toml(path)
    options = _options(command)
    words: list[str] = []
    renamed = []
    for key, value in content.items():
        name, place = key.replace("_", "-"), f"{path}, line {_line(text, key)}"
        new = former.get(f"--{name}", "").lstrip("-")
        if new and name not in options:
            renamed.append((name, new))
            name = new
        option = options.get(name)
        if option is None:
            raise ArgumentError(_unknown(place, key, options))
        if option.name not in typed:
            words += _words(f"{place}: {key}", option, value)
    return words, renamed


def _line(text: str, key: str) -> int:
    """The line where a key stands."""
    for at, line in enumerate(text.splitlines(), 1):
        if line.strip().lstrip("[").strip("\"' ").startswith(key):
            return at
    return 1


def _unknown(place: str, key: str, options: Iterable[str]) -> str:
    import difflib

    close = difflib.get_close_matches(key.replace("_", "-"), list(options), n=1)
    hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(sorted(options))}"
    return f"{place}: {key!r} is not an option of this command; {hint}"


def _words(place: str, option: Any, value: Any) -> list[str]:
    """Words for one option. A list for a text is joined by commas, a table becomes KEY=VALUE."""
    name = max(option.opts, key=len)
    if option.is_flag:
        if not isinstance(value, bool):
            raise ArgumentError(f"{place} is {value!r}; it must be true or false")
        off = max(option.secondary_opts, key=len) if option.secondary_opts else ""
        return [name] if value else [off] if off else []
    many = value if isinstance(value, list) else [value]
    if (
        option.type.name in ("str", "text")
        and not option.multiple
        and isinstance(value, list | dict)
    ):
        parts = [*value.items()] if isinstance(value, dict) else [(None, one) for one in value]
        texts = [_text(place, one) for _, one in parts]
        many = [",".join(t if k is None else f"{k}={t}" for (k, _), t in zip(parts, texts))]
    elif isinstance(value, list) and not option.multiple:
        raise ArgumentError(f"{place} is a list; it must be one value")
    return [word for one in many for word in (name, _text(place, one))]


def _text(place: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ArgumentError(f"{place} is {value!r}; it must be a number or a text")
    return str(value)


def write_config(name: str, command: Any, typed: Mapping[str, Any]) -> str:
    """All options with their values as TOML; those that were not given as comments."""
    lines = [f"# hopscape {name}, version {__version__}; use it with --config FILE.toml"]
    for key, option in _options(command).items():
        value = typed.get(option.name, option.default)
        if isinstance(value, str) and option.type.name.startswith(("int", "float")):
            value = option.type.convert(value, option, None)
        empty = value is None or (option.multiple and not value)
        text = ("[]" if option.multiple else "") if empty else _toml(value)
        lines += ["", f"# {option.help or ''}".rstrip()]
        lines.append(("" if option.name in typed else "# ") + f"{key} = {text}".rstrip())
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return "inf" if value == float("inf") else repr(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(_toml(one) for one in value)}]"
    return json.dumps(str(value), ensure_ascii=False)
