"""Two-level machines: their symmetry and their routers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from hopscape.core.errors import TooLargeError
from hopscape.core.family import Symmetry
from hopscape.core.network import Network
from hopscape.core.router import Route, Router
from hopscape.families.blockdesign.orbits import Orbits, find_orbits
from hopscape.families.blockdesign.supernodes import Supernodes

__all__ = ["TwoLevel"]


class TwoLevel(Supernodes):
    """Supernodes of one network, joined by another."""

    _router: Router | None = None

    @cached_property
    def orbits(self) -> Orbits | None:
        """The shifts of the outer network that are shifts of the whole machine, if it has them."""
        return find_orbits(self)

    def symmetry(self) -> Symmetry | None:
        try:
            found = self.orbits
        except TooLargeError:  # the wiring between supernodes is not looked at
            return None
        return None if found is None else found.symmetry()

    def router(self, network: Network) -> Router:
        from hopscape.families.blockdesign.twolevel_routing import two_level_router

        if self._router is None or self._router.network is not network:
            self._router = two_level_router(network, self, self.orbits)
        return self._router

    def detours(
        self, network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
    ) -> Callable[[int, int], Route | None]:
        from hopscape.families.blockdesign.meeting import detours

        return detours(network, dead_nodes, dead_links)
