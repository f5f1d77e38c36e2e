"""Grids: ring and path, torus and mesh of any dimensions; twisted, with express links, Tofu.

Node addresses are the coordinates, the last one fastest. Port 2i leads up along axis i, port
2i + 1 down. An axis of side 2 has a single link (by the upward port), an axis of side 1 none.
"""

from hopscape.core.plugins import later
from hopscape.families.torus.grids import Mesh, Path, Ring, Torus

__all__ = ["Mesh", "Path", "Ring", "Torus"]

__getattr__ = later(
    __name__, {"express": ("ExpressMesh", "Tofu"), "twisted": ("TwistedTorus", "best_twist")}
)
