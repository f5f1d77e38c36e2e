"""Circuit-switched broadcast, from the ground up.

* `paths` (with `path_kernels`): circuits towards given sets, on any duplex network;
* `words`, `programs`: paths on a torus as words, programs of calls and how they are composed;
* `numeration`, `tiles`: number systems, tiles, lattices, containment;
* `schemes` (with `edge_table`): the broadcasts known by construction; `local`: their rules, node by
  node; `lines`, `small` (with `settle`), `anyside`: every other torus and mesh;
* `many`: many sources; `pipelined`: long messages over trees;
* `delays`: what happens when nodes are late;
* `flags`, `five`, `codes`: how short circuits can be, exhaustively.
"""
