"""What packages add to hopscape: objects found through entry points.

A package names them in its metadata, one line each::

    [project.entry-points."hopscape.columns"]
    price = "my_package:PRICE"

The groups are ``hopscape.families``, ``hopscape.claims``, ``hopscape.columns``,
``hopscape.traffic``, ``hopscape.routings``, ``hopscape.collectives``, ``hopscape.exporters``,
``hopscape.commands`` and ``hopscape.studies``.

Names of a package that are loaded when they are asked for (PEP 562).
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hopscape.core.errors import HopscapeError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["later", "load_plugin", "load_plugins", "other_packages", "plugin_entries"]

_GROUPS = (
    "families", "claims", "columns", "traffic", "routings", "collectives", "exporters", "commands",
    "studies",
)  # fmt: skip


@cache
def _all_entries() -> Any:
    """Those of all packages (of a class that depends on Python): one look at their files."""
    from importlib.metadata import entry_points

    return entry_points()


@cache
def plugin_entries(group: str) -> dict[str, EntryPoint]:
    """Entry points of a group by name; nothing is imported.

    Raises:
        HopscapeError: When two packages use the same name: neither would know that the other one
            won.
    """
    entries: dict[str, EntryPoint] = {}
    for entry in _all_entries().select(group=f"hopscape.{group}"):
        other = entries.setdefault(entry.name, entry)
        if other.value != entry.value:
            raise HopscapeError(
                f"{entry.group} entry {entry.name!r} is declared by {_owner(other)} and by"
                f" {_owner(entry)}; one of the two needs another name"
            )
    return entries


def _owner(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an unknown package"


@cache
def other_packages() -> tuple[tuple[str, str, str, str], ...]:
    """Other packages' modules that add to hopscape: package, version, module, digest of its file.

    A result may depend on them. The file counts as well as the version, since a package that is
    being written keeps its version.
    """
    import hashlib

    modules = set()
    for entry in (entry for group in _GROUPS for entry in plugin_entries(group).values()):
        if entry.dist is None or entry.dist.name == "hopscape":
            continue
        content = ""
        with suppress(ImportError, OSError):
            module = find_spec(entry.module)
            if module is not None and module.origin is not None:
                content = hashlib.sha256(Path(module.origin).read_bytes()).hexdigest()
        modules.add((entry.dist.name, entry.dist.version, entry.module, content))
    return tuple(sorted(modules))


def load_plugin(entry: EntryPoint) -> Any:
    """What an entry point names.

    Raises:
        HopscapeError: When it cannot be imported; the message names it and the package that it
            comes from.
    """
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        raise HopscapeError(
            f"{entry.group} entry {entry.name!r} of {_owner(entry)} cannot be loaded: {error}"
        ) from error


@cache
def load_plugins(group: str) -> dict[str, Any]:
    """All objects of a group by name, in the order in which packages declare them.

    Examples:
        >>> "network" in load_plugins("columns")
        True
    """
    return {name: load_plugin(entry) for name, entry in plugin_entries(group).items()}


def later(package: str, modules: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """A package's `__getattr__`: names by the module that holds them."""
    holds = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> Any:
        if name not in holds:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{holds[name]}"), name)

    return find
