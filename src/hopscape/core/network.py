"""Network: who is wired to whom, and the way to its routers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from hopscape.core.arrays import IntArray
from hopscape.core.front import Front
from hopscape.core.router import Guide, Route, Router, choose_router
from hopscape.core.structure import Structure
from hopscape.core.wired import NodeLike

__all__ = ["Network", "NodeLike", "RoutedStructure"]


class Network(Front):
    """An immutable, port-numbered, directed multigraph.

    Build one with :func:`hopscape.build`, or from arrays with :meth:`from_links`.

    Attributes:
        spec (str): The canonical text that builds it again.
        order (int): Number of nodes (exact, of any size).
        family (Family or None): What is known of it in closed form.
        addresses (Addresses): Node numbers ⇄ tuples.
        duplex (bool): Is every channel half of a duplex link?
        symmetry (Symmetry or None): Orbit representatives that the metrics use.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("torus(4, 3)")
        >>> net.order, net.links, net.address(7), net.node((2, 1))
        (12, 24, (2, 1), 7)
        >>> net.neighbours(0)
        (3, 9, 1, 2)
        >>> net.diameter, net.histogram(), net == hopscape.build("torus(4, 3)")
        (3, [12, 48, 60, 24], True)
    """

    family: RoutedStructure | None

    def router(self, kind: str = "auto", *, pairs: int | None = None) -> Router:
        """A router for this network.

        Args:
            kind ({'auto', 'closed', 'table', 'search'} or str): ``closed`` is the family's own;
                ``table`` holds all distances; ``search`` runs one breadth-first search per
                destination. ``auto`` takes the first of these that fits. A family may have more, by
                name (:meth:`Family.named_routers`), and packages add some for any network (entry
                points ``hopscape.routings``), such as ``updown``.
            pairs: How many pairs of nodes it will be asked for. For a few (up to 64) ``auto`` makes
                no table: searches are cheaper.

        Examples:
            >>> import hopscape
            >>> net = hopscape.build("random_regular(100, 3)")
            >>> net.router().name, net.router(pairs=1).name
            ('table', 'search')
        """
        return choose_router(self, kind, pairs)

    def route(self, a: NodeLike, b: NodeLike, router: str = "auto") -> Route:
        """One route from node to node, without tables where it can be.

        Args:
            a, b: node
            router: As for :meth:`router`.

        Examples:
            >>> import hopscape
            >>> hopscape.build("torus(4, 4)").route((0, 0), (1, 2)).length
            3
        """
        start, end = self.node(a), self.node(b)
        return self.router(router, pairs=1).route(start, end)


class RoutedStructure(Structure):
    """A structure that routes: the questions of a family that are about a network of its own."""

    def router(self, network: Network) -> Router | None:
        """A router in closed form, or None (then tables serve)."""
        return None

    def named_routers(self) -> Mapping[str, Callable[[Network], Router]]:
        """Other routers of its own, by the names that ``--router`` takes."""
        return {}

    def detours(
        self, network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
    ) -> Callable[[int, int], Route | None] | None:
        """Its own routing round dead nodes and links, or None (then tables serve).

        The function gives the route between two live endpoints, or None where it finds no path. All
        links between the two nodes of a dead link are dead, both ways.
        """
        return None

    def guide(self, network: Network, target: int) -> Guide | None:
        """What its searches around dead parts follow, or None (then its router's distances)."""
        return None

    def placements(self, guest: Network) -> tuple[IntArray, ...]:
        """Where the nodes of a guest might stand in this network, for embeddings worth a look."""
        return ()
