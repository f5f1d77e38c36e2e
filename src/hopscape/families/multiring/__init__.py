"""Multirings: several rings of different topology through the same nodes.

A packet stays on one ring from source to destination, so that the choice of rings for every route
(the schedule of routes) decides how much the rings carry together.

- `wiring`: `multiring(n, steps...)`; `sparse`: `sparse_multiring(m, K)`
- `capacity`, `exact`: schedules of routes, exact optima with certificates
- `routing`, `collectives`: shortest with changes of ring, or on one ring
- `search`: best step sets; `growth`: sets that only add rings
- `orders`: sparse rings in a better order
- `slots`: slot-level simulation; `torus`: tori whose dimensions are multirings
"""

from hopscape.families.multiring.sparse import SparseMultiring
from hopscape.families.multiring.wiring import Multiring

__all__ = ["Multiring", "SparseMultiring"]
