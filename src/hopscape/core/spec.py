"""The one way to name a network: a call such as ``product(petersen, ring(8))``.

The text is parsed, never evaluated. :func:`parse` turns it into a tree of :class:`Call`;
families bind the arguments (see :mod:`hopscape.core.family`).

Parameter: one argument of a family, for help texts, spec errors and forms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from hopscape.core.errors import SpecError

__all__ = ["REQUIRED", "Argument", "Call", "Parameter", "Value", "integers", "parse", "write_value"]

_MAX_DEPTH = 32  # the parser calls itself; Python's stack holds 1,000 frames
_MAX_DIGITS = 1000  # Python itself refuses numbers of more than 4,300 digits
_BLANKS = " \t\n\r\f\v"

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<name>[A-Za-z_][A-Za-z_0-9]*)
      | (?P<number>[+-]?(?:\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\d+|\.\d+))
      | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<mark>[(),=\[\]])
    )""",
    re.VERBOSE | re.ASCII | re.DOTALL,
)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORDS = {"true": True, "false": False, "True": True, "False": False, "none": None, "None": None}


@dataclass(frozen=True)
class Call:
    """A family's name with its arguments, and where in the text they stand."""

    name: str
    arguments: tuple[Argument, ...]
    position: int
    text: str

    def error(self, message: str, position: int | None = None) -> SpecError:
        """An error that points into the text of the spec."""
        return SpecError(message, self.text, self.position if position is None else position)


Value = int | float | str | bool | None | tuple["Value", ...] | Call


@dataclass(frozen=True)
class Argument:
    """One argument: its keyword (or None), its value and its place."""

    keyword: str | None
    value: Value
    position: int


class _Token(NamedTuple):
    kind: str
    text: str
    position: int


def parse(text: str) -> Call:
    """Read a spec.

    Args:
        text: Such as ``"torus(8, 8)"`` or ``"product(petersen, ring(8))"``.

    Raises:
        SpecError: With the place in the text.

    Examples:
        >>> call = parse("random_regular(100, 6, seed=1)")
        >>> call.name, [(a.keyword, a.value) for a in call.arguments]
        ('random_regular', [(None, 100), (None, 6), ('seed', 1)])
    """
    reader = _Reader(text)
    call = reader.call(0)
    if reader.peek().kind != "end":
        raise SpecError("the spec ends here, but the text goes on", text, reader.peek().position)
    return call


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.at = 0

    def peek(self) -> _Token:
        return self.tokens[self.at]

    def next(self) -> _Token:
        token = self.tokens[self.at]
        self.at += token.kind != "end"
        return token

    def take(self, mark: str) -> bool:
        if self.peek().text == mark and self.peek().kind == "mark":
            self.at += 1
            return True
        return False

    def call(self, depth: int) -> Call:
        token = self.next()
        if token.kind != "name":
            shown = "the end of the text" if token.kind == "end" else repr(token.text)
            raise SpecError(
                f"expected the name of a family, found {shown}", self.text, token.position
            )
        if depth > _MAX_DEPTH:
            raise SpecError(
                f"the spec is nested more than {_MAX_DEPTH} deep", self.text, token.position
            )
        arguments: list[Argument] = []
        if self.take("("):
            arguments = self.arguments(")", depth)
        return Call(token.text, tuple(arguments), token.position, self.text)

    def arguments(self, closing: str, depth: int) -> list[Argument]:
        arguments: list[Argument] = []
        while not self.take(closing):
            if arguments and not self.take(","):
                token = self.peek()
                shown = "the end of the text" if token.kind == "end" else repr(token.text)
                raise SpecError(
                    f"expected ',' or {closing!r}, found {shown}", self.text, token.position
                )
            if arguments and self.take(closing):  # a trailing comma
                break
            arguments.append(self.argument(depth))
        return arguments

    def argument(self, depth: int) -> Argument:
        token = self.peek()
        following = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if token.kind == "name" and following.text == "=" and following.kind == "mark":
            self.at += 2
            return Argument(token.text, self.value(depth), token.position)
        return Argument(None, self.value(depth), token.position)

    def value(self, depth: int) -> Value:
        token = self.peek()
        if token.kind == "number":
            self.at += 1
            return _number(token, self.text)
        if token.kind == "string":
            self.at += 1
            return _string(token.text)
        if token.kind == "name":
            if token.text in _WORDS:
                self.at += 1
                return _WORDS[token.text]
            return self.call(depth + 1)
        for opening, closing in ("()", "[]"):
            if self.take(opening):
                if depth > _MAX_DEPTH:
                    raise SpecError(
                        f"the spec is nested more than {_MAX_DEPTH} deep", self.text, token.position
                    )
                items = self.arguments(closing, depth + 1)
                if any(item.keyword for item in items):
                    raise SpecError("a list has no names inside", self.text, token.position)
                return tuple(item.value for item in items)
        shown = "the end of the text" if token.kind == "end" else repr(token.text)
        raise SpecError(f"expected a value, found {shown}", self.text, token.position)


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    end = len(text.rstrip(_BLANKS))
    while at < end:
        match = _TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip(_BLANKS))
            what = "an unfinished string" if text[at] in "\"'" else f"character {text[at]!r}"
            raise SpecError(f"{what} is not part of a spec", text, at)
        kind = match.lastgroup or ""
        tokens.append(_Token(kind, match[kind], match.start(kind)))
        at = match.end()
        glued = kind == "number" and at < end and (text[at].isalnum() or text[at] in "_.")
        if glued:
            raise SpecError(f"{match[kind] + text[at]!r} is not a number", text, match.start(kind))
    tokens.append(_Token("end", "", end))
    return tokens


def _number(token: _Token, text: str) -> int | float:
    if re.fullmatch(r"[+-]?\d+", token.text):
        if len(token.text) > _MAX_DIGITS:
            raise SpecError(
                f"a number of {len(token.text)} digits; at most {_MAX_DIGITS} are read",
                text,
                token.position,
            )
        return int(token.text)
    return float(token.text)


def _string(quoted: str) -> str:
    def character(match: re.Match[str]) -> str:
        code = match[1]
        return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPES.get(code, code)

    return re.sub(r"\\(u[0-9a-fA-F]{4}|.)", character, quoted[1:-1], flags=re.DOTALL)


def _plain(character: str) -> bool:
    return character.isprintable() or ord(character) > 0xFFFF


def write_value(value: object) -> str:
    """Write an argument so that :func:`parse` reads it again.

    Examples:
        >>> write_value((1, -2)), write_value(True), write_value('a "b"')
        ('(1, -2)', 'true', '"a \\\\"b\\\\""')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "none"
    if isinstance(value, str):
        quoted = json.dumps(value, ensure_ascii=False)
        return "".join(c if _plain(c) else f"\\u{ord(c):04x}" for c in quoted)
    if isinstance(value, tuple | list):
        inner = ", ".join(write_value(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    return str(value)


REQUIRED: Any = object()

Kind = Literal["int", "network", "text", "flag", "ints"]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a family, for help texts, spec errors and forms.

    Args:
        name: As written in a spec.
        kind ({'int', 'network', 'text', 'flag', 'ints'}): ``ints`` is a list in brackets; a
            variadic ``int`` is written without them.
        help: One line.
        low, high: Range of an integer (of each, when variadic), both ends allowed.
        default (object, optional): Value when left out; required when not given.
        variadic: Takes all remaining positional arguments; at most one, at the end.
    """

    name: str
    kind: Kind
    help: str
    low: int | None = None
    high: int | None = None
    default: Any = REQUIRED
    variadic: bool = False

    @property
    def range_text(self) -> str:
        """The allowed values in words."""
        if self.kind == "network":
            return "a network"
        if self.kind == "text":
            return "a text in quotes"
        if self.kind == "flag":
            return "true or false"
        noun = "integers" if self.variadic or self.kind == "ints" else "an integer"
        if self.low is not None and self.high is not None:
            return f"{noun} from {self.low} to {self.high}"
        if self.low is not None:
            return f"{noun} of at least {self.low}"
        return noun

    def convert(self, argument: Argument, call: Call, build: Callable[[Call], object]) -> Any:
        """Check one value and turn it into what the family's constructor takes."""
        value = argument.value
        label = f"{self.name!r} of {call.name}"
        if value is None and self.default is None:
            return None
        if self.kind == "network":
            if not isinstance(value, Call):
                shown = write_value(value)
                raise call.error(f"{label} must be a network, not {shown}", argument.position)
            return build(value)
        if self.kind == "int" and isinstance(value, int) and not isinstance(value, bool):
            self._check_range(value, label, call, argument)
            return value
        if self.kind == "flag" and isinstance(value, int) and value in (0, 1):
            return bool(value)
        if self.kind == "text" and isinstance(value, str):
            return value
        if self.kind == "ints" and isinstance(value, tuple):
            for item in value:
                if not isinstance(item, int) or isinstance(item, bool):
                    break
                self._check_range(item, label, call, argument)
            else:
                return value
        shown = value.name if isinstance(value, Call) else write_value(value)
        raise call.error(f"{label} must be {self.range_text}, not {shown}", argument.position)

    def _check_range(self, value: int, label: str, call: Call, argument: Argument) -> None:
        too_low = self.low is not None and value < self.low
        too_high = self.high is not None and value > self.high
        if too_low or too_high:
            raise call.error(f"{label} is {value}; it must be {self.range_text}", argument.position)


def integers(**about: str | tuple[str, int] | tuple[str, int, int]) -> tuple[Parameter, ...]:
    """Integers that a spec must give: each with its help text, least and largest value.

    The least is 1 when it is left out.

    Examples:
        >>> [(one.name, one.range_text) for one in integers(p="endpoints", q=("a prime", 2, 97))]
        [('p', 'an integer of at least 1'), ('q', 'an integer from 2 to 97')]
    """
    made = []
    for name, description in about.items():
        text, low, high = (
            *((description, 1) if isinstance(description, str) else description),
            None,
        )[:3]
        made.append(Parameter(name, "int", text, low, high))
    return tuple(made)
