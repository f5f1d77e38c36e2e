"""Dead nodes and links: read, checked, as a mask of channels, and what is left.

A dead link is a cut cable: all channels between its two nodes are dead, in both directions. A link
that the network does not have is refused, wherever it is named.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from hopscape.core.addresses import Addresses, Labels, ListedTuples
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.wired import NodeLike, Wired

__all__ = ["Faults", "read_link", "require_link", "without"]

W = TypeVar("W", bound=Wired)


def read_link(network: Wired, text: str, name: str = "dead link") -> tuple[int, int]:
    """The two nodes of a link that a text names: ``3-17``, or ``(0, 1) - (1, 1)``.

    Args:
        name: What the link is called in messages.

    Raises:
        ArgumentError: When it is not two nodes, or the network has no such link.

    Examples:
        >>> import hopscape
        >>> read_link(hopscape.build("torus(4, 4)"), "(0, 1) - (0, 2)")
        (1, 2)
    """
    words = text.split(" - ") if " - " in text else text.split("-")
    if len(words) != 2:
        raise ArgumentError(f"{name} {text!r} must be two nodes with '-' between them")
    u, v = (network.node(word.strip()) for word in words)
    require_link(network, u, v, f"{name} {text!r}")
    return u, v


def require_link(network: Wired, u: int, v: int, name: str | None = None) -> None:
    """Refuse a link that the network has in neither direction."""
    if v not in network.neighbours(u) and u not in network.neighbours(v):
        raise ArgumentError(f"{name or f'dead link {u}-{v}'}: {network.spec} has no such link")


@dataclass(frozen=True)
class Faults:
    """Dead nodes and dead links.

    Attributes:
        nodes: Node numbers.
        links: Each the set of its two ends.
    """

    nodes: frozenset[int] = frozenset()
    links: frozenset[frozenset[int]] = frozenset()

    @classmethod
    def of(
        cls,
        network: Wired,
        dead_nodes: Iterable[NodeLike] = (),
        dead_links: Iterable[tuple[NodeLike, NodeLike]] = (),
    ) -> Faults:
        """Those of a network.

        Raises:
            ArgumentError: When there is no such node or link.
        """
        pairs = [(network.node(u), network.node(v)) for u, v in dead_links]
        for u, v in pairs:
            require_link(network, u, v)
        return cls(frozenset(network.node(v) for v in dead_nodes), frozenset(map(frozenset, pairs)))

    def __bool__(self) -> bool:
        return bool(self.nodes or self.links)

    def works(self, u: int, v: int) -> bool:
        """May one go on from u, which is alive, to its neighbour v?"""
        return v not in self.nodes and not (self.links and frozenset((u, v)) in self.links)

    def channels(self, network: Wired) -> IntArray:
        """bool[channels]: which channels are dead."""
        gone = np.zeros(network.order, dtype=bool)
        gone[list(self.nodes)] = True
        dead: IntArray = gone[network.tails] | gone[network.heads]
        for link in self.links:
            u, v = min(link), max(link)
            for a, b in ((u, v), (v, u)):
                own = slice(network.indptr[a], network.indptr[a + 1])
                dead[own] |= network.heads[own] == b
        return dead

    def with_cut_off(self, network: Wired) -> Faults:
        """With the nodes that have no live channel left, which are of no use either."""
        dead = self.channels(network)
        lines = np.bincount(network.tails[~dead], minlength=network.order)
        lines += np.bincount(network.heads[~dead], minlength=network.order)
        cut = np.flatnonzero((lines == 0) & (network.degrees > 0)).tolist()
        return Faults(self.nodes | frozenset(cut), self.links)

    def pairs(self) -> list[tuple[int, int]]:
        """The dead links as ordered pairs."""
        return sorted((min(link), max(link)) for link in self.links)

    def rest(self, network: W, addresses: Addresses | None = None) -> tuple[W, IntArray, IntArray]:
        """What is left of a network: the live nodes and links, numbered anew.

        Returns:
            The rest, and the numbers of its nodes and of its channels in the whole network.

        Raises:
            ArgumentError: When no endpoint is alive.
        """
        dead = self.channels(network)
        nodes = np.setdiff1d(np.arange(network.order), list(self.nodes))
        number = np.full(network.order, -1, dtype=np.int64)
        number[nodes] = np.arange(len(nodes))
        alive = np.nonzero(~dead)[0]
        ends = np.intersect1d(network.endpoints, nodes)
        if not len(ends):
            raise ArgumentError(f"no endpoint of {network.spec} is alive")
        both = alive
        if network.duplex:
            alive = alive[alive < network.reverse[alive]]
            both = np.stack([alive, network.reverse[alive]], axis=1).ravel()
        order = np.argsort(number[network.tails[both]], kind="stable")
        left = type(network).from_links(
            len(nodes),
            number[network.tails[alive]],
            number[network.heads[alive]],
            duplex=network.duplex,
            spec=f"what is left of {network.spec}",
            addresses=addresses,
            switches=number[np.setdiff1d(nodes, ends)] if network.has_switches else None,
            classes=network.classes,
            kinds=network.class_of(alive),
        )
        return left, nodes, both[order]


def without(
    network: W,
    nodes: Iterable[NodeLike] = (),
    links: Iterable[tuple[NodeLike, NodeLike]] = (),
) -> W:
    """What is left of a network; nodes keep their names and addresses.

    Examples:
        >>> import hopscape
        >>> left = without(hopscape.build("ring(4)"), nodes=[1])
        >>> left.order, left.node("3"), left.neighbours(0)
        (3, 2, (2, -1))
    """
    faults = Faults.of(network, nodes, links)
    alive = np.setdiff1d(np.arange(network.order), list(faults.nodes))
    known = network.addresses
    names: Addresses | None
    if len(alive) == network.order:
        names = known
    elif known.width > 1:
        names = ListedTuples(known.tuples(alive), names=isinstance(known.name(0), tuple))
    else:
        each = alive.tolist()
        names = Labels([known.text(v) for v in each], [known.name(v) for v in each])
    return faults.rest(network, names if len(alive) else None)[0]
