"""Two-level machines: their symmetry and their routers.

Routers of two-level machines: exact, vectorised, without a table of all pairs.

Two-level machines with few ways out of a supernode: everything by the nodes at the door.

A *portal* is a place of a supernode with a link to others. A way between two supernodes leaves
through one portal and enters through another, so its length is a sum of three: to the portal,
from portal to portal, from the portal. The table has as many rows as the machine has portals.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.distances import distance_rows, signed_distances
from hopscape.core.errors import TooLargeError
from hopscape.core.family import Symmetry
from hopscape.core.measured import How
from hopscape.core.network import Network
from hopscape.core.router import FamilyRouter, Route, Router, pick, spread
from hopscape.papers.blockdesign.meeting import MeetingRouter, require_routes, tree_loads
from hopscape.papers.blockdesign.shifts import ShiftOrbits, find_orbits
from hopscape.papers.blockdesign.supernodes import Supernodes

__all__ = ["OrbitRouter", "PortalRouter", "TwoLevel", "portal_places", "two_level_router"]


class TwoLevel(Supernodes):
    """Supernodes of one network, joined by another."""

    _router: Router | None = None

    @cached_property
    def orbits(self) -> ShiftOrbits | None:
        """The shifts of the outer network that are shifts of the whole machine, if it has them."""
        return find_orbits(self)

    def symmetry(self) -> Symmetry | None:
        try:
            orbits = self.orbits
        except TooLargeError:  # the wiring between supernodes is not looked at
            return None
        return None if orbits is None else orbits.symmetry()

    def router(self, network: Network) -> Router:

        if self._router is None or self._router.network is not network:
            self._router = two_level_router(network, self, self.orbits)
        return self._router

    def detours(
        self, network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
    ) -> Callable[[int, int], Route | None]:
        from hopscape.core.detours import pair_detours

        return pair_detours(network, dead_nodes, dead_links)


# bytes by orbit: 16 MiB in any case, 256 MiB where shifts save much
_SMALL_TABLE, _LARGE_TABLE = 1 << 24, 1 << 28
_FEW_SUPERNODES = 8  # below, shifts save less than a factor of eight
# entries between portals; with more than _DOORS a supernode all pairs of them take long
_PORTAL_TABLE, _DOORS = 1 << 26, 16


def two_level_router(network: Network, family: Supernodes, orbits: ShiftOrbits | None) -> Router:
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

    def __init__(self, network: Network, orbits: ShiftOrbits) -> None:
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
        from hopscape.papers.blockdesign.two_level_kernels import next_ports

        here, there, gap, _ = self._split(at, to)
        return next_ports(self._orbits.wiring, here, there, gap)

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        from hopscape.papers.blockdesign.two_level_kernels import walk

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


_FAR = 1 << 28  # above every distance; sums of three stay below 2^31
_BATCH = 1 << 20  # pairs of portals looked at together: arrays of 8 MiB
_LOCAL_TABLE = 4096  # nodes of a supernode whose distances are kept: 16 MiB


def portal_places(family: Supernodes) -> IntArray:
    """Places of a supernode that serve a port of the outer network (in or out)."""
    _, arrive = family.outer
    widest = max(family.between.ports, int(arrive.max(initial=-1)) + 1)
    port = np.arange(min(widest, family.size))
    copies = np.arange(family.copies)[:, None] * family.stride
    return np.unique((port + copies) % family.size)


class PortalRouter(FamilyRouter[Supernodes]):
    """Distances by portals; a hash of the pair picks one of the ports of shortest paths."""

    name = "portals"

    def __init__(self, network: Network, family: Supernodes) -> None:
        super().__init__(network, family)
        local = family.supernode.router()
        self._local = local if local.exact else family.supernode.router("search")
        places = portal_places(family)
        self._width = max(len(places), 1)
        inside = family.supernode
        doors = family.locals[places]
        # by place: to every portal of its supernode, and from every portal
        self._to = _finite(distance_rows(inside, doors, towards=True)).T[family.locals]
        self._from = _finite(distance_rows(inside, doors)).T[family.locals]
        group = np.arange(family.count)[:, None]
        outer = np.arange(family.first_outer, family.order)
        self._portals = np.concatenate([family.node_at(group, places).ravel(), outer])
        self._table = self._between()
        self.table_bytes = self._table.nbytes

    def _between(self) -> IntArray:
        out = np.empty((len(self._portals), len(self._portals)), dtype=np.int32)
        for low in range(0, len(out), 256):
            part = slice(low, low + 256)
            out[part] = _finite(distance_rows(self.network, self._portals[part]))[:, self._portals]
        return out

    @cached_property
    def _inside(self) -> IntArray:
        """Distances inside a supernode, place by place."""
        nodes = self._family.locals
        return _finite(distance_rows(self._family.supernode, nodes)[:, nodes])

    def _doors(self, nodes: IntArray, reach: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Supernode, rows of the table and lengths to (or from) the portals of each node."""
        family = self._family
        group, place = family.position(nodes)
        outer = group < 0
        first = np.where(outer, family.count * self._width + place, group * self._width)
        row = first[:, None] + np.where(outer[:, None], 0, np.arange(self._width))
        length = reach[np.where(outer, 0, place)]
        return group, row, np.where(outer[:, None], 0, length)

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        step = max(1, _BATCH // self._width**2)
        parts = [
            self._distances(at[low : low + step], to[low : low + step])
            for low in range(0, len(at), step)
        ]
        return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)

    def _distances(self, at: IntArray, to: IntArray) -> IntArray:
        family = self._family
        best = np.full(len(at), _FAR)
        here, leave, out = self._doors(at, self._to)
        there, enter, into = self._doors(to, self._from)
        if self._table.size:
            between = self._table[leave[:, :, None], enter[:, None, :]]
            best = (out[:, :, None] + between + into[:, None, :]).min(axis=(1, 2))
        same = np.nonzero((here == there) & (here >= 0))[0]
        places = [family.locals[family.position(x[same])[1]] for x in (at, to)]
        inside = self._local.distances(*places)
        best[same] = np.minimum(best[same], np.where(inside < 0, _FAR, inside))
        best[at == to] = 0
        return np.where(best >= _FAR, -1, best)

    def walk(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        from hopscape.papers.blockdesign.two_level_kernels import Portals
        from hopscape.papers.blockdesign.two_level_kernels import walk_portals as walk

        family, network = self._family, self.network
        if family.supernode.order > _LOCAL_TABLE:
            return MeetingRouter(network).walk(at, to)
        hops = self.distances(at, to)
        require_routes(network, hops, at, to)
        group, place = family.position(np.arange(network.order))
        channels = np.full((len(at), int(hops.max(initial=0))), -1, dtype=np.int64)
        lengths = self._to, self._from, self._table, self._inside
        portals = Portals(group, place, *lengths, family.count * self._width)
        walk(portals, network.indptr, network.heads, at, to, channels)
        taken = channels >= 0
        nodes = np.where(taken, network.heads[channels], -1)
        ports = np.where(taken, network.port_of(channels), -1)
        return np.concatenate([at[:, None], nodes], axis=1), ports

    def uniform_loads(self, seed: int = 0) -> tuple[Floats, How]:
        return tree_loads(self.network, seed)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return pick(self.shortest_ports(at, to), spread(at, to))


def _finite(rows: IntArray) -> IntArray:
    """Distances as wide integers, far away where there is no path."""
    return signed_distances(rows, _FAR)
