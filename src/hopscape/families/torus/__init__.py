"""Grids: ring and path, torus and mesh of any dimensions.

Node addresses are the coordinates, the last one fastest. Port 2i leads up along axis i, port
2i + 1 down. An axis of side 2 has a single link (by the upward port), an axis of side 1 none.

Circuit-switched broadcast, from the ground up:

* `words`, `circuits`: paths as words, programs of calls and how they are composed;
* `numeration`, `tiles`: number systems, tiles, lattices, containment;
* `schemes` (with `edge_table`): the broadcasts known by construction; `local`: their rules, node by
  node; `lines`, `small` (with `settle`), `anyside`: every other torus and mesh;
* `many`: many sources; `pipelined`: long messages over trees;
* `delays`: what happens when nodes are late;
* `flags`, `five`, `codes`, `study`, `pictures`: how short circuits can be, exhaustively, and its
  figures.
"""

from hopscape.families.torus.grids import Mesh, Path, Ring, Torus

__all__ = ["Mesh", "Path", "Ring", "Torus"]
