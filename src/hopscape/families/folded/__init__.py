"""Folded networks: ``folded(heawood, 3)`` is FH(3), the Cartesian power with three factors.

With hypercubes beside it, ``product(hypercube(2), folded(petersen, 2))`` is the folded Petersen
cube FPQ(2, 2) and ``product(hypercube(3), petersen)`` the hyper-Petersen network HP(6).
"""

from hopscape.families.folded.wiring import Folded

__all__ = ["Folded"]
