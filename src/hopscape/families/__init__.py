"""One room per family of networks; each is registered as an entry point.

A room is loaded when it is asked for: ``hopscape.families.circulant`` is that of the circulants.
"""

from __future__ import annotations

import importlib
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    if name.startswith("_"):
        raise AttributeError(name)
    try:
        return importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{name}":
            raise
        raise AttributeError(f"there is no room {name!r} in {__name__}") from error
