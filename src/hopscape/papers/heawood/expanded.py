"""Recursively expanded networks: closed forms, routers and collectives."""

from __future__ import annotations

from fractions import Fraction

from hopscape.core.errors import TooLargeError
from hopscape.core.family import Collective, Facts
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.router import Router
from hopscape.papers.heawood.structure import ExpandedStructure

__all__ = ["Expanded"]


class Expanded(ExpandedStructure):
    """RE(base, lamp, n): a base network whose nodes carry switches for n lamps."""

    def mean_distance(self) -> Fraction | None:
        """Mean distance over ordered pairs of distinct nodes; None where it would take long."""
        from hopscape.papers.heawood.facts import mean_distance

        return mean_distance(self)

    def degree_counts(self) -> dict[int, int]:
        """How many nodes have each degree, exact.

        Raises:
            TooLargeError: When the degrees of a large lamp are not known in closed form.
        """
        from hopscape.papers.heawood.facts import degree_counts

        return degree_counts(self)

    def facts(self) -> Facts:
        from hopscape.papers.heawood.facts import expanded_facts

        return expanded_facts(self)

    def router(self, network: Network) -> Router | None:
        from hopscape.papers.heawood.routing import ExpandedRouter

        try:
            return ExpandedRouter(network, self)
        except TooLargeError:
            return None

    def bounds(self, network: Network, goal: Goal, model: Model) -> tuple[tuple[int, str], ...]:
        from hopscape.papers.heawood.collectives import structure_bounds

        return structure_bounds(self, network, goal, model)

    def collectives(self) -> tuple[Collective, ...]:
        from hopscape.papers.heawood.collectives import COLLECTIVES

        return COLLECTIVES
