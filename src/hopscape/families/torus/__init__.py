"""Grids: ring and path, torus and mesh of any dimensions; twisted, with express links, Tofu.

Node addresses are the coordinates, the last one fastest. Port 2i leads up along axis i, port
2i + 1 down. An axis of side 2 has a single link (by the upward port), an axis of side 1 none.
"""

import importlib
from typing import Any

from hopscape.families.torus.grids import Mesh, Path, Ring, Torus

__all__ = ["Mesh", "Path", "Ring", "Torus"]

_LATER = {
    **dict.fromkeys(("ExpressMesh", "Tofu"), "express"),
    **dict.fromkeys(("TwistedTorus", "best_twist"), "twisted"),
}
"""Loaded when they are asked for."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
