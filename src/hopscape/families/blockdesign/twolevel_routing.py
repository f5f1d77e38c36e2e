"""Routers of two-level machines: exact, vectorised, without a table of all pairs."""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.distances import signed_distances
from hopscape.core.measured import How
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.families.blockdesign.meeting import MeetingRouter, require_routes
from hopscape.families.blockdesign.orbits import Orbits
from hopscape.families.blockdesign.portals import PortalRouter, portal_places
from hopscape.families.blockdesign.supernodes import Supernodes

__all__ = ["OrbitRouter", "two_level_router"]

_SMALL_TABLE, _LARGE_TABLE = 1 << 24, 1 << 28
_FEW_SUPERNODES = 8
_PORTAL_TABLE, _DOORS = 1 << 26, 16


def two_level_router(network: Network, family: Supernodes, orbits: Orbits | None) -> Router:
    """By symmetry where the outer network has it; by portals where they are few; else by search."""
    if orbits is not None:
        small = orbits.entries <= _SMALL_TABLE
        if small or (orbits.entries <= _LARGE_TABLE and family.count >= _FEW_SUPERNODES):
            return OrbitRouter(network, orbits)
    doors = len(portal_places(family))
    outer = family.order - family.first_outer
    if doors <= _DOORS and (doors * family.count + outer) ** 2 <= _PORTAL_TABLE:
        return PortalRouter(network, family)
    return MeetingRouter(network)


class OrbitRouter(Router):
    """Distances by two positions and a difference; of all shortest paths a hash takes one.

    The choice depends on the positions and the difference only, so that the routes are the same
    from every supernode and the load of a channel is that of its orbit.
    """

    name = "two-level"

    def __init__(self, network: Network, orbits: Orbits) -> None:
        super().__init__(network)
        self._orbits = orbits
        self.table_bytes = orbits.table.nbytes

    def _split(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Positions of both nodes, their difference, and the target's element."""
        here, element = self._orbits.split(at)
        there, goal = self._orbits.split(to)
        return here, there, self._orbits.group.subtract(goal, element), goal

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        here, there, gap, _ = self._split(at, to)
        return signed_distances(self._orbits.table[here, there, gap])

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        from hopscape.families.blockdesign.orbit_kernels import next_ports

        here, there, gap, _ = self._split(at, to)
        return next_ports(self._orbits.wiring, here, there, gap)

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        from hopscape.families.blockdesign.orbit_kernels import walk

        known = self._orbits
        here, there, gap, goal = self._split(at, to)
        hops = self.distances(at, to)
        require_routes(self.network, hops, at, to)
        longest = int(hops.max(initial=0))
        places = np.full((len(at), longest + 1, 2), -1, dtype=np.int64)
        ports = np.full((len(at), longest), -1, dtype=np.int64)
        walk(known.wiring, here, there, gap, places, ports)
        position, left = places[..., 0], places[..., 1]
        element = known.group.subtract(np.broadcast_to(goal[:, None], left.shape), left)
        nodes = known.node(position, element)
        return np.where(position >= 0, nodes, -1), ports

    def uniform_loads(self, seed: int = 0) -> tuple[Floats, How]:
        known, network = self._orbits, self.network
        position, _ = known.split(network.tails.astype(np.int64))
        counts = known.loads()[position, network.port_of(np.arange(len(network.heads)))]
        return counts / max(known.family.ends - 1, 1), "symmetry"
