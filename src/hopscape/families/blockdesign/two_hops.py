"""What all machines of endpoints and crossbars share: detours and collectives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hopscape.core.family import Collective, Family
from hopscape.core.network import Network
from hopscape.core.router import Route

__all__ = ["TwoHops"]


class TwoHops(Family):
    """Every two endpoints have a crossbar in common."""

    def detours(
        self, network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
    ) -> Callable[[int, int], Route | None]:
        from hopscape.families.blockdesign.routing import detours

        return detours(network, dead_nodes, dead_links)

    def collectives(self) -> tuple[Collective, ...]:
        from hopscape.families.blockdesign.collectives import COLLECTIVES

        return COLLECTIVES
