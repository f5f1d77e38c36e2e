"""What functions return to a check, call by call, as digests.

Two runs with equal digests are the same: every call returned equal values, left equal arguments
behind and yielded equal items. All public attributes of an object count, those too that a check
never reads: a result that says ``proved=False`` to somebody who does not look is what mutants are
for. Only what a thing is called does not count, nor of which type an equal number is.
"""

from __future__ import annotations

import dis
import hashlib
import sys
from collections.abc import Callable, Mapping, Set
from dataclasses import fields, is_dataclass
from functools import cache
from types import CodeType, FrameType, FunctionType, GeneratorType, ModuleType
from typing import Any

import numpy as np

from hopscape.ledger.claim import Outcome

__all__ = ["Recorder", "value_digest"]

_DEPTH = 6
"""Objects inside objects that are looked into; deeper ones count by their type."""
_LABELS = {"name", "reason", "spec"}
"""Attributes that say what an object is called, or a verdict in words: no values."""
_CHANGEABLE = (np.ndarray, list, dict, set)
_WRITING = {
    "add", "append", "clear", "discard", "extend", "insert", "pop", "popleft", "remove", "reverse",
    "setdefault", "sort", "update",
}  # fmt: skip
"""Methods by which containers change."""


Judged = Callable[[CodeType, Mapping[str, Any]], bool]


class Recorder:
    """Digests what functions return, and the arguments that they may have changed.

    Args:
        module: Where the mutated function is.
        places: Its qualified name and first line. Calls from within it are not recorded.
        judged: Whether code, with its globals, is judged; else it judges, or belongs to others.
    """

    def __init__(
        self,
        module: str,
        places: set[tuple[str, int]],
        judged: Judged,
    ) -> None:
        self._module, self._places, self._judged = module, places, judged
        self._inside = 0
        self._given: dict[FrameType, list[Any]] = {}
        self._own, self._handed = (hashlib.blake2b(digest_size=16) for _ in range(2))

    def run(self, check: Callable[[], Outcome]) -> Outcome:
        """The check, recorded."""
        sys.setprofile(self._event)
        try:
            return check()
        finally:
            sys.setprofile(None)

    def digests(self) -> list[str]:
        """Of what the function returned, and of what judged code handed to the check."""
        return [self._own.hexdigest(), self._handed.hexdigest()]

    def _event(self, frame: FrameType, event: str, value: Any) -> None:
        if event not in ("call", "return"):
            return
        code, names = frame.f_code, frame.f_globals
        own = self._is_own(code, names)
        if own and event == "call":
            self._inside += 1
        outermost = own and self._inside == 1
        if own and event == "return":
            self._inside -= 1
        handed = self._judged(code, names) and self._called_by_check(frame)
        if not outermost and not handed:
            return
        if event == "call":
            arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            self._given[frame] = [frame.f_locals.get(name) for name in arguments]
            return
        given = self._given.pop(frame, [])
        left = [one for one in given if _may_change(one, code)]
        made = value_digest([code.co_qualname, value, left])
        if outermost:
            self._own.update(made)
        if handed:
            self._handed.update(made)

    def _is_own(self, code: CodeType, names: Mapping[str, Any]) -> bool:
        place = (code.co_qualname, code.co_firstlineno)
        return place in self._places and names.get("__name__") == self._module

    def _called_by_check(self, frame: FrameType) -> bool:
        """Whether the nearest caller in the package, past libraries between, is no judged code."""
        caller = frame.f_back
        while caller is not None:
            if self._judged(caller.f_code, caller.f_globals):
                return False
            if str(caller.f_globals.get("__name__", "")).startswith("hopscape"):
                return True
            caller = caller.f_back
        return True


def _may_change(value: Any, code: CodeType) -> bool:
    """Whether a call may have changed an argument; objects only where attributes are written."""
    if isinstance(value, tuple):
        return any(isinstance(one, _CHANGEABLE) for one in value)
    if isinstance(value, _CHANGEABLE):
        return True
    return _is_ours(value) and _writes(code)


def _is_ours(value: Any) -> bool:
    return type(value).__module__.startswith("hopscape") and hasattr(value, "__dict__")


@cache
def _writes(code: CodeType) -> bool:
    steps = {step.opname for step in dis.get_instructions(code)}
    return not steps.isdisjoint({"STORE_ATTR", "STORE_SUBSCR"}) or not _WRITING.isdisjoint(
        code.co_names
    )


def value_digest(value: Any, depth: int = _DEPTH) -> bytes:
    """Equal for equal values, whatever their place in memory.

    Examples:
        >>> value_digest({"a": [1, 2]}) == value_digest({"a": [1, 2]})
        True
        >>> value_digest([np.arange(3)]) == value_digest([np.arange(4)])
        False
        >>> value_digest(np.arange(3, dtype=np.int8)) == value_digest(np.arange(3, dtype=object))
        True
    """
    value = _plain_number(value)
    made = hashlib.blake2b(type(value).__qualname__.encode(), digest_size=16)
    for part in _parts(value, depth):
        made.update(part)
    return made.digest()


def _plain_number(value: Any) -> Any:
    """Whole numbers as such, in arrays as int64 where they fit."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "iuO":
        try:
            if value.dtype.kind != "O" or all(type(one) is int for one in value.flat):
                return value.astype(np.int64)
        except OverflowError:
            return value
    if isinstance(value, np.generic):
        value = value.item()
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _parts(value: Any, depth: int) -> list[bytes]:
    def inside(part: Any) -> bytes:
        return value_digest(part, depth - 1)

    if isinstance(value, np.ndarray) and value.dtype != object:
        return [str((value.shape, value.dtype.str)).encode(), np.ascontiguousarray(value).tobytes()]
    if isinstance(value, type | FunctionType | ModuleType):
        return [str(getattr(value, "__qualname__", value.__name__)).encode()]
    if depth == 0 or isinstance(value, GeneratorType):
        return []
    if isinstance(value, Mapping):
        pairs = [(inside(k), inside(v)) for k, v in value.items()]
        return [part for pair in sorted(pairs) for part in pair]
    if isinstance(value, list | tuple | np.ndarray):
        return [inside(one) for one in value]
    if isinstance(value, Set):
        return sorted(inside(one) for one in value)
    if is_dataclass(value):
        names = [one.name for one in fields(value)]
        return [inside(getattr(value, name)) for name in names if name not in _LABELS]
    held = getattr(value, "__dict__", None)
    if held:
        public = {k: v for k, v in held.items() if k[:1] != "_" and k not in _LABELS}
        return _parts(public if _is_ours(value) else held, depth - 1)
    shown = repr(value)
    return [] if " at 0x" in shown else [shown.encode()]
