"""Which kernels a command compiles on its first run, with the types of their arguments.

The list, ``kernel_plan.jsonl``, is recorded (``python benchmarks/record_kernels.py``), one line per
compiled function: name, types, what it cost, commands. An entry that is out of date does no harm:
the command compiles what is missing when it is needed.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

__all__ = ["PLAN", "SMALL", "Entry", "decode", "encode", "plan_digest", "planned"]

PLAN = Path(__file__).with_name("kernel_plan.jsonl")

SMALL = "-small"
"""After the name of a command: the kernels that are compiled while others are interpreted."""


@dataclass(frozen=True)
class Entry:
    """One compiled function.

    Attributes:
        name: ``module:function``.
        types: The types of its arguments as JSON, see :func:`encode`.
        cost: Milliseconds of compiling when it was recorded, without the functions that it calls.
    """

    name: str
    types: str
    cost: int
    commands: tuple[str, ...]

    def line(self) -> str:
        """The entry as it stands in the file."""
        return json.dumps([self.name, json.loads(self.types), self.cost, " ".join(self.commands)])


def planned(commands: Iterable[str]) -> list[Entry]:
    """The entries of some commands.

    Examples:
        >>> any(entry.name.endswith(":advance") for entry in planned(["simulate"]))
        True
    """
    wanted = set(commands)
    out = []
    for line in PLAN.read_text(encoding="utf-8").splitlines():
        name, types, cost, users = json.loads(line)
        if wanted & set(users.split()):
            out.append(Entry(name, json.dumps(types), cost, tuple(users.split())))
    return out


def plan_digest() -> str:
    """What decides whether kernels that were compiled once still serve: sources and compiler."""
    text = PLAN.read_text(encoding="utf-8")
    seen = hashlib.sha256(text.encode())
    seen.update(f"{sys.version} {version('numba')} {platform.node()}".encode())
    package = Path(__file__).parents[2]
    for module in sorted({line[2:].partition(":")[0] for line in text.splitlines()}):
        source = package / f"{module.replace('.', '/')}.py"
        if source.exists():
            facts = source.stat()
            seen.update(f"{module} {facts.st_mtime} {facts.st_size}".encode())
    return seen.hexdigest()


def encode(kind: Any) -> Any:
    """A type of numba as plain values.

    Examples:
        >>> from numba import types
        >>> encode(types.int64), encode(types.Array(types.int32, 2, "C", readonly=True))
        ('int64', ['int32', 2, 'C', True])
    """
    from numba import types

    if isinstance(kind, types.Array):
        return [encode(kind.dtype), kind.ndim, kind.layout, not kind.mutable]
    if isinstance(kind, types.BaseNamedTuple):
        made = kind.instance_class
        return {f"{made.__module__}:{made.__qualname__}": [encode(part) for part in kind]}
    if isinstance(kind, types.BaseTuple):
        return {"tuple": [encode(part) for part in kind]}
    if isinstance(kind, types.Literal):
        return {"literal": kind.literal_value}
    if isinstance(kind, types.Omitted):
        return {"omitted": kind.value}
    if isinstance(kind, types.Boolean):
        return "boolean"
    if isinstance(kind, types.Number):
        return str(kind)
    raise TypeError(f"{kind} has no plain form")


def decode(plain: Any) -> Any:
    """The type that :func:`encode` wrote.

    Examples:
        >>> from numba import types
        >>> decode(["int32", 2, "C", True]) == types.Array(types.int32, 2, "C", readonly=True)
        True
    """
    from numba import types

    if isinstance(plain, str):
        return getattr(types, plain)
    if isinstance(plain, list):
        kind, dimensions, layout, readonly = plain
        return types.Array(decode(kind), dimensions, layout, readonly=readonly)
    [(word, value)] = plain.items()
    if word == "literal":
        return types.literal(value)
    if word == "omitted":
        return types.Omitted(value)
    parts = [decode(part) for part in value]
    if word == "tuple":
        return types.Tuple(parts)
    module, _, name = word.partition(":")
    made = getattr(importlib.import_module(module), name)
    if len(made._fields) != len(parts):
        raise TypeError(f"{name} has other fields now")
    return types.BaseTuple.from_types(parts, made)
