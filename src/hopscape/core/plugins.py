"""What packages add to hopscape: objects found through entry points.

A package names them in its metadata, one line each::

    [project.entry-points."hopscape.columns"]
    price = "my_package:PRICE"

The groups are ``hopscape.families``, ``hopscape.claims``, ``hopscape.columns``,
``hopscape.traffic``, ``hopscape.routings``, ``hopscape.collectives`` and ``hopscape.exporters``.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from hopscape.core.errors import HopscapeError

__all__ = ["load_plugin", "load_plugins", "plugin_entries"]


@cache
def plugin_entries(group: str) -> dict[str, EntryPoint]:
    """Entry points of a group by name; nothing is imported.

    Raises
    ------
    HopscapeError
        When two packages use the same name: neither would know that the other one won.
    """
    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=f"hopscape.{group}"):
        other = found.setdefault(entry.name, entry)
        if other.value != entry.value:
            raise HopscapeError(
                f"{entry.group} entry {entry.name!r} is declared by {_owner(other)} and by"
                f" {_owner(entry)}; one of the two needs another name"
            )
    return found


def _owner(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist is not None else "an unknown package"


def load_plugin(entry: EntryPoint) -> Any:
    """What an entry point names.

    Raises
    ------
    HopscapeError
        When it cannot be imported; the message names it and the package that it comes from.
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

    Examples
    --------
    >>> "network" in load_plugins("columns")
    True
    """
    return {name: load_plugin(entry) for name, entry in plugin_entries(group).items()}
