"""Names of a package that are loaded when they are asked for (PEP 562)."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

__all__ = ["later"]


def later(package: str, modules: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """A package's `__getattr__`: names by the module that holds them."""
    holds = {name: module for module, names in modules.items() for name in names}

    def find(name: str) -> Any:
        if name not in holds:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(f"{package}.{holds[name]}"), name)

    return find
