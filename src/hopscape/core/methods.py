"""Everyday methods whose work is done by rooms above this one.

A network draws itself, and a schedule plays itself in a notebook, but `core` knows neither pictures
nor pages. The front page of the package says which function stands behind which method
(``hopscape/__init__.py``); it is imported when the method is first used, so that importing hopscape
stays quick.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from hopscape.core.errors import HopscapeError

__all__ = ["method", "register_methods", "registered"]

_PLACES: dict[str, str] = {}


def register_methods(places: Mapping[str, str]) -> None:
    """Say where methods are made.

    Args:
        places: ``module:function`` by the name of the method.
    """
    _PLACES.update(places)
    method.cache_clear()


def registered() -> frozenset[str]:
    """The names of all methods that are made elsewhere."""
    return frozenset(_PLACES)


@cache
def method(name: str) -> Callable[..., Any]:
    """The function behind a method.

    Raises:
        HopscapeError: When nobody has registered it.
    """
    if name not in _PLACES:
        raise HopscapeError(f"no part of hopscape that is installed provides {name!r}")
    module, _, function = _PLACES[name].partition(":")
    made: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return made
