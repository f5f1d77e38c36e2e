"""What a family says of its members: facts in closed form, and orbits.

Where nodes stand on a page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray

__all__ = [
    "Facts",
    "Layout",
    "Points",
    "Symmetry",
    "circle",
    "closest",
    "hang_on",
    "with_leaves",
]


@dataclass(frozen=True)
class Facts:
    """What is true of a network in closed form; None where no closed form is known.

    Each one that a family states is measured in the tests. Distances are over ordered pairs of
    distinct nodes; `links` counts a duplex link once and a simplex channel once.
    """

    degree_min: int | None = None
    degree_max: int | None = None
    links: int | None = None
    channels: int | None = None
    connected: bool | None = None
    diameter: int | None = None
    radius: int | None = None
    mean_distance: Fraction | None = None
    girth: int | None = None
    node_connectivity: int | None = None
    edge_connectivity: int | None = None
    bisection: int | None = None
    vertex_transitive: bool | None = None

    @classmethod
    def regular(cls, order: int, degree: int, *, duplex: bool = True, **others: Any) -> Facts:
        """The facts of a network in which every node has the same number of channels.

        Args:
            duplex: Two channels are a link; else each channel is one.
            **others: Further facts, by name.

        Examples:
            >>> Facts.regular(8, 3, diameter=3).known()
            {'degree_min': 3, 'degree_max': 3, 'links': 12, 'channels': 24, 'diameter': 3}
        """
        channels = order * degree
        links = channels // 2 if duplex else channels
        return cls(degree, degree, links, channels, **others)

    @classmethod
    def duplex(
        cls, links: int, least: int | None = None, most: int | None = None, **others: Any
    ) -> Facts:
        """The facts of a connected network of duplex links.

        Args:
            least, most: Degrees; a node of degree 1 hangs by one link.
            **others: Further facts, by name.

        Examples:
            >>> facts = Facts.duplex(3, 1, 3)
            >>> facts.degree_min, facts.degree_max, facts.channels, facts.connected
            (1, 3, 6, True)
            >>> facts.node_connectivity, facts.edge_connectivity
            (1, 1)
        """
        usual: dict[str, Any] = {"connected": True}
        if least == 1:
            usual |= {"node_connectivity": 1, "edge_connectivity": 1}
        return cls(least, most, links, 2 * links, **(usual | others))

    @classmethod
    def symmetric(cls, order: int, degree: int, diameter: int, **others: Any) -> Facts:
        """The facts of a connected, vertex-transitive duplex network, as connected as its degree.

        Args:
            order, degree, diameter: The radius is the diameter.
            **others: Further facts, by name; or others than these.

        Examples:
            >>> facts = Facts.symmetric(8, 3, 3, girth=4)
            >>> facts.radius, facts.node_connectivity, facts.vertex_transitive
            (3, 3, True)
        """
        usual: dict[str, Any] = {
            "connected": True,
            "diameter": diameter,
            "radius": diameter,
            "node_connectivity": degree,
            "edge_connectivity": degree,
            "vertex_transitive": True,
        }
        return cls.regular(order, degree, **(usual | others))

    def known(self) -> dict[str, Any]:
        """The facts that are known, by name."""
        return {f.name: v for f in fields(self) if (v := getattr(self, f.name)) is not None}


@dataclass(frozen=True)
class Symmetry:
    """Orbit representatives: node `representatives[i]` stands for `sizes[i]` nodes like it.

    One representative means vertex-transitive. The orbits may be those of any group of
    automorphisms, not only of the whole one: more representatives than needed are harmless.
    """

    representatives: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def transitive(self) -> bool:
        """True when every node looks like every other."""
        return len(self.representatives) == 1

    @classmethod
    def of_transitive(cls, order: int) -> Symmetry:
        """The symmetry of a vertex-transitive network."""
        return cls((0,), (order,))


Points = Floats


@dataclass(frozen=True)
class Layout:
    """Where the nodes of a drawing stand, and which links are better drawn as arcs.

    Args:
        positions: ndarray, shape (order, 2)
        curved: Takes tails and heads (arrays), returns the bend of each link as a fraction of its
            length (0 is straight).
    """

    positions: Points
    curved: Callable[[IntArray, IntArray], Points] | None = None

    def of(self, nodes: IntArray) -> Layout:
        """The drawing of some of the nodes, which are numbered anew in this order."""
        return Layout(self.positions[nodes], self.bends(nodes))

    def bends(self, nodes: IntArray) -> Callable[[IntArray, IntArray], Points] | None:
        """Bends of links between nodes that stand for these of the drawing.

        Args:
            nodes (int64[...]): -1 for a node that the drawing has not: its links are straight.
        """
        bend = self.curved
        if bend is None:
            return None

        def renumbered(tails: IntArray, heads: IntArray) -> Points:
            here, there = nodes[tails], nodes[heads]
            known = (here >= 0) & (there >= 0)
            out = np.zeros(len(tails))
            out[known] = bend(here[known], there[known])
            return out

        return renumbered


def circle(count: int, radius: float = 1.0, turn: float = 0.0) -> Points:
    """Points round a circle, the first at the top, clockwise.

    Args:
        turn: Extra turn, as a fraction of the step between two points.
    """
    angle = np.pi / 2 - 2 * np.pi * (np.arange(count) + turn) / max(count, 1)
    return radius * np.stack([np.cos(angle), np.sin(angle)], axis=1)


def closest(places: Points, median: float = 0.0) -> float:
    """Smallest distance between two points that are not the same place; 1 when there is none.

    Args:
        median: At least this share of the median of all points' distances to their nearest.
    """
    gaps = np.hypot(*(places[:, None, :] - places[None, :, :]).transpose(2, 0, 1))
    gaps[gaps <= 1e-9] = np.inf
    nearest = gaps.min(axis=1, initial=np.inf)
    nearest = nearest[np.isfinite(nearest)]
    if not len(nearest):
        return 1.0
    return max(float(nearest.min()), median * float(np.median(nearest)))


def hang_on(places: Points, owners: IntArray, centres: Points, reach: float) -> Points:
    """Places for leaves beside their owners, in a fan that looks away from a centre.

    Args:
        places (ndarray, shape (order, 2)): Of the owners, by number.
        owners (int64[leaves]): Leaves of one owner stand side by side in the order given.
        centres (ndarray, shape (leaves, 2)): What each fan looks away from.
        reach: Distance from the owner, as a share of the closest distance between two owners.
    """
    own = places[owners]
    known = np.unique(owners)
    length = reach * closest(places[known[:2000]], 0.5)  # as large as nodes are drawn
    away = own - centres
    angle = np.arctan2(away[:, 1], away[:, 0])
    order = np.argsort(owners, kind="stable")
    first = np.searchsorted(owners[order], owners)
    rank = np.empty(len(owners))
    rank[order] = np.arange(len(owners))
    rank = rank - first
    count = np.bincount(owners)[owners]
    step = np.minimum(0.7, 4.4 / np.maximum(count, 1))
    angle = angle + (rank - (count - 1) / 2) * step
    leaves: Points = own + length * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return leaves


def with_leaves(inner: Layout, owners: IntArray, centres: Points, reach: float) -> Layout:
    """A drawing with leaves beside their owners, as :func:`hang_on` places them.

    Leaves are numbered first, then the nodes of the drawing, among which links keep their bends.

    Args:
        owners (int64[leaves]): Numbers in the drawing.
        centres: ndarray, shape (leaves, 2)
    """
    leaves = hang_on(inner.positions, owners, centres, reach)
    stands_for = np.concatenate([np.full(len(owners), -1), np.arange(len(inner.positions))])
    return Layout(np.concatenate([leaves, inner.positions]), inner.bends(stands_for))
