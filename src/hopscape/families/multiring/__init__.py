"""Multirings: several rings of different topology through the same nodes.

A packet stays on one ring from source to destination, so that the choice of rings for every route
(the schedule of routes) decides how much the rings carry together.

- `wiring`: `multiring(n, steps...)`; `sparse`: `sparse_multiring(m, K)`
- `routing`, `collectives`: shortest with changes of ring, or on one ring

:mod:`hopscape.metrics.rings` has schedules of routes and exact capacities with certificates,
:mod:`hopscape.search.multiring` the best step sets, orders of places and tori of multirings,
:mod:`hopscape.simulate.rings` the simulation slot by slot.
"""

from hopscape.families.multiring.sparse import SparseMultiring
from hopscape.families.multiring.wiring import Multiring

__all__ = ["Multiring", "SparseMultiring"]
