"""Multirings with sparse rings, their routers and their collectives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hopscape.core.family import Collective
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.families.multiring.collectives import one_ring_exchanges
from hopscape.families.multiring.routing import ring_routers
from hopscape.families.multiring.sparse_rings import SparseRings

__all__ = ["SparseMultiring"]


class SparseMultiring(SparseRings):
    """Duplex rings of some of the nodes each, any two nodes on a common one."""

    def named_routers(self) -> Mapping[str, Callable[[Network], Router]]:
        """Those that stay on one ring."""
        return ring_routers()

    def collectives(self) -> tuple[Collective, ...]:
        return one_ring_exchanges()
