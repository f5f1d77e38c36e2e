"""What stands out in a picture: links by kind, a route, nodes that somebody asks about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.channels import only_names
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network, NodeLike

__all__ = ["Accents", "Colour", "find_accents"]

Colour = Literal["none", "port", "class"]
_PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7f6000", "#666666")
_ROUTE = "#C1121F"


@dataclass(frozen=True)
class Accents:
    """Colours of links, a route and highlighted nodes.

    Attributes:
        names: Kinds of links, for the legend; empty: all alike.
        kinds: int64[links]
        route: Nodes of the route.
        links (int64[hops]): The links that it takes.
        nodes: Highlighted nodes.
    """

    names: tuple[str, ...] = ()
    kinds: IntArray | None = None
    route: tuple[int, ...] = ()
    links: IntArray | None = None
    nodes: tuple[int, ...] = ()

    def line_colours(self) -> list[str] | None:
        """The colour of every link; None when all are alike."""
        if self.kinds is None:
            return None
        return [_PALETTE[k % len(_PALETTE)] for k in self.kinds.tolist()]

    def caption(self) -> str:
        """What is said of the route, if there is one."""
        if not self.route:
            return ""
        return f"; route {self.route[0]} to {self.route[-1]}: {len(self.route) - 1} hops"

    def paint(self, axes: Any, lines: Sequence[Any], places: Any, radius: float) -> None:
        """The route and the highlighted nodes, on top of the links and round the nodes."""
        from matplotlib.collections import LineCollection

        marked = dict.fromkeys((*self.route, *self.nodes))
        if self.links is not None and len(self.links):
            taken = [lines[i] for i in self.links.tolist()]
            width = float(np.clip(0.4 * radius, 1.6, 4.0))
            route = LineCollection(taken, colors=_ROUTE, linewidths=width, zorder=2.5, gid="route")
            axes.add_collection(route, autolim=False)
        if marked:
            ring = axes.scatter(
                *places[list(marked)].T,
                s=(2.0 * radius + 3.0) ** 2,
                facecolors="none",
                edgecolors=_ROUTE,
                linewidths=1.6,
                zorder=3.5,
            )
            ring.set_gid("highlight")

    def legend(self, figure: Any, at: float, text: str) -> None:
        """The kinds of links in a row, where there are several."""
        from matplotlib.lines import Line2D

        if not self.names:
            return
        handles = [
            Line2D([], [], color=_PALETTE[i % len(_PALETTE)], linewidth=2, label=name)
            for i, name in enumerate(self.names[: len(_PALETTE)])
        ]
        figure.legend(
            handles=handles,
            loc="center",
            bbox_to_anchor=(0.5, at),
            ncols=len(handles),
            fontsize=7,
            frameon=False,
            labelcolor=text,
            handlelength=1.2,
            columnspacing=1.0,
        )


def find_accents(
    network: Network,
    channels: IntArray,
    *,
    colour: Colour = "none",
    route: tuple[NodeLike, NodeLike] | None = None,
    highlight: Sequence[NodeLike] = (),
) -> Accents:
    """Work out what stands out.

    Args:
        channels (int64[links]): The first channel of every link that is drawn.
        colour ({'none', 'port', 'class'}): Colours by generator (axis or port at the tail), or by
            the class of the channels.
        route: (node, node), optional
        highlight: sequence of nodes
    """
    if colour not in get_args(Colour):
        raise ArgumentError(f"colour is {colour!r}; choose {', '.join(get_args(Colour))}")
    names, kinds = _groups(network, channels, colour)
    nodes: tuple[int, ...] = ()
    links = None
    if route is not None:
        found = network.router(pairs=1).route(*route)
        nodes = found.path
        place = {c: i for i, c in enumerate(channels.tolist())}
        taken = network.channel_at(np.asarray(nodes[:-1]), np.asarray(found.ports)).tolist()
        other = [int(network.reverse[c]) for c in taken]
        links = np.asarray([place.get(c, place.get(r, -1)) for c, r in zip(taken, other)])
    marked = tuple(network.node(node) for node in highlight)
    return Accents(names, kinds, nodes, links, marked)


def _groups(
    network: Network, channels: IntArray, colour: Colour
) -> tuple[tuple[str, ...], IntArray | None]:
    """Names of the kinds of links, and the kind of each."""
    if colour == "none":
        return (), None
    if colour == "class" or (network.classes and only_names(network.classes)):
        if not network.classes:
            raise ArgumentError(f"the channels of {network.spec} are all of one class")
        return tuple(kind.name for kind in network.classes), network.class_of(channels)
    found, kinds = np.unique(network.port_of(channels), return_inverse=True)
    return tuple(f"port {p}" for p in found.tolist()), kinds.ravel()
