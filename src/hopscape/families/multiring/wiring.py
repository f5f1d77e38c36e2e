"""Multirings with full rings, their routers and their collectives."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hopscape.core.family import Collective
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.families.multiring.collectives import one_ring_collectives
from hopscape.families.multiring.rings import FullRings, ring_lengths
from hopscape.families.multiring.routing import DifferenceRouter, ring_routers

__all__ = ["Multiring", "ring_lengths"]

_ROUTED = 10_000_000


class Multiring(FullRings):
    """Rings of different steps through the same nodes."""

    def router(self, network: Network) -> Router | None:
        """Shortest paths that may change rings."""
        return DifferenceRouter(network) if self.n <= _ROUTED else None

    def named_routers(self) -> Mapping[str, Callable[[Network], Router]]:
        """Those that stay on one ring."""
        return ring_routers()

    def collectives(self) -> tuple[Collective, ...]:
        return one_ring_collectives(self)
