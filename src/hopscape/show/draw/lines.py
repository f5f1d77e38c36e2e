"""The lines of a picture and what stands out in it.

Links are straight, bent, fanned out or loops, with arrow heads where they are simplex; colours mark
kinds of links, a route, and nodes that the caller asks about. Everything is in points of the page
(72 to the inch).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.channels import only_names
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import Points
from hopscape.core.network import Network, NodeLike

__all__ = [
    "Accents",
    "Colour",
    "arrow_head",
    "bent_line",
    "detours",
    "fans",
    "find_accents",
    "free_directions",
    "loop_line",
]

_SAMPLES = 41  # points of a curve: no corner is seen at 200 dpi
_STEEPNESS = 1.1  # of the ends of a bent line, by eye
_CROWD = 600  # nodes up to which lines make room for others: every line is held against every node
_MANY = 5  # links a node; with more there is no room to make


def bent_line(start: Points, end: Points, bend: float, alongside: bool = True) -> Points:
    """A line from `start` to `end` that keeps to the left by `bend` times its length.

    The line is a parabola. With `alongside`, one with a slight bend leaves steeply and then runs
    alongside, so that a long link clears the nodes that it passes.
    """
    if abs(bend) < 1e-6:
        return np.stack([start, end])
    along = end - start
    left = np.array([-along[1], along[0]])
    t = (1 - np.cos(np.linspace(0, np.pi, _SAMPLES))) / 2
    power = max(2.0, _STEEPNESS / 2 / abs(bend)) if alongside else 2.0
    away = bend * (1 - np.abs(2 * t - 1) ** power)
    line: Points = start + t[:, None] * along + away[:, None] * left
    return line


def loop_line(centre: Points, direction: float, reach: float) -> Points:
    """A loop at a node, shaped like a drop, that points in `direction` (an angle)."""
    t = np.linspace(0, 1, _SAMPLES)[:, None]
    angles = direction + np.array([-0.62, 0.62])
    handles = reach / 0.61 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    line: Points = centre + 3 * t * (1 - t) ** 2 * handles[0] + 3 * t**2 * (1 - t) * handles[1]
    return line


def arrow_head(line: Points, radius: float, length: float) -> Points:
    """A triangle at the end of a line, its tip on the rim of a node of this radius."""
    tip = _at_distance(line, radius)
    base = _at_distance(line, radius + length)
    along = tip - base
    side = 0.36 * np.array([-along[1], along[0]])
    return np.stack([tip, base + side, base - side])


def _at_distance(line: Points, wanted: float) -> Points:
    """The last point of a line that is this far from its end (or its farthest one)."""
    away = np.hypot(*(line - line[-1]).T)
    beyond = np.flatnonzero(away >= wanted)
    if not len(beyond):
        farthest: Points = line[away.argmax()]
        return farthest
    i = int(beyond[-1])
    part = (wanted - away[i]) / (away[i + 1] - away[i])
    point: Points = line[i] + part * (line[i + 1] - line[i])
    return point


def fans(tails: IntArray, heads: IntArray) -> Points:
    """Places of links in their fan: ..., -1, 0, 1, ... for those between the same two nodes.

    The sign is meant to the left of each link's own direction.
    """
    low, high = np.minimum(tails, heads), np.maximum(tails, heads)
    _, pair, count = np.unique(
        np.stack([low, high]), axis=1, return_inverse=True, return_counts=True
    )
    pair = pair.ravel()
    sorted_ = np.argsort(pair, kind="stable")
    first = np.cumsum(count) - count
    rank = np.empty(len(pair))
    rank[sorted_] = np.arange(len(pair)) - first[pair[sorted_]]
    middle = (count[pair] - 1) / 2
    turned: Points = np.where(tails > heads, middle - rank, rank - middle)
    return turned


def free_directions(places: Points, tails: IntArray, heads: IntArray) -> Points:
    """For each node the angle in the middle of the widest gap between its links.

    A node without links looks up.
    """
    ends = np.concatenate([np.stack([tails, heads]), np.stack([heads, tails])], axis=1)
    ends = np.unique(ends[:, ends[0] != ends[1]], axis=1)
    step = places[ends[1]] - places[ends[0]]
    angle = np.arctan2(step[:, 1], step[:, 0])
    out = np.full(len(places), np.pi / 2)
    starts = np.searchsorted(ends[0], np.arange(len(places) + 1))
    for v in np.unique(ends[0]):
        around = np.sort(angle[starts[v] : starts[v + 1]])
        gaps = np.diff(np.append(around, around[0] + 2 * np.pi))
        widest = int(np.argmax(np.round(gaps, 6)))
        out[v] = around[widest] + gaps[widest] / 2
    return out


def detours(
    places: Points, tails: IntArray, heads: IntArray, clear: float, alongside: bool = True
) -> Points:
    """Bends for straight links that would run over a third node, 0 for all others.

    Args:
        places: ndarray, shape (order, 2)
        clear: How far a link keeps from nodes that it does not end at.
        alongside: As for :func:`bent_line`.
    """
    out = np.zeros(len(tails))
    if len(places) > _CROWD or len(tails) > _MANY * len(places):
        return out
    for i in np.flatnonzero(_blocked(places, tails, heads, 0.85 * clear)):
        a, b = int(tails[i]), int(heads[i])
        others = np.delete(places, [a, b], axis=0)
        length = float(np.hypot(*(places[b] - places[a])))
        best = len(places)
        inward = 1.0 if _cross(places[b] - places[a], -places[a]) >= 0 else -1.0
        for factor in (1.6, -1.6, 2.6, -2.6, 4.0, -4.0):
            bend = inward * factor * clear / length
            line = bent_line(places[a], places[b], bend, alongside)
            gaps = np.hypot(*(line[:, None, :] - others[None, :, :]).transpose(2, 0, 1))
            hits = int((gaps < clear).any(axis=0).sum())
            if hits < best and abs(bend) < 0.4:
                best, out[i] = hits, bend
    return out


def _cross(a: Points, b: Points) -> float:
    return float(a[0] * b[1] - a[1] * b[0])


def _blocked(places: Points, tails: IntArray, heads: IntArray, clear: float) -> IntArray:
    """Which straight links come closer than `clear` to a node that is not their end."""
    out = np.zeros(len(tails), dtype=bool)
    for i, (a, b) in enumerate(zip(tails, heads, strict=True)):
        along = places[b] - places[a]
        square = float(along @ along)
        if square == 0:
            continue
        from_start = places - places[a]
        t = np.clip(from_start @ along / square, 0, 1)
        gap = np.hypot(*(from_start - t[:, None] * along).T)
        gap[[a, b]] = np.inf
        out[i] = gap.min() < clear
    return out


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
        path = network.router(pairs=1).route(*route)
        nodes = path.path
        place = {c: i for i, c in enumerate(channels.tolist())}
        taken = network.channel_at(np.asarray(nodes[:-1]), np.asarray(path.ports)).tolist()
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
    ports, kinds = np.unique(network.port_of(channels), return_inverse=True)
    return tuple(f"port {p}" for p in ports.tolist()), kinds.ravel()
