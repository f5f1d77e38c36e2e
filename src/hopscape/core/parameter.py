"""Parameter: one argument of a family, for help texts, spec errors and forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from hopscape.core.spec import Argument, Call, write_value

__all__ = ["REQUIRED", "Parameter", "integers"]

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
    for name, said in about.items():
        text, low, high = (*((said, 1) if isinstance(said, str) else said), None)[:3]
        made.append(Parameter(name, "int", text, low, high))
    return tuple(made)
