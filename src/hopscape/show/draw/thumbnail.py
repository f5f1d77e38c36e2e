"""Small pictures of networks, for galleries: SVG written directly, without matplotlib.

One colour scheme serves light and dark pages.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import TooLargeError
from hopscape.core.facts import Points
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.formats.graphs.libraries import link_ends
from hopscape.show.draw.picture import fit_places, link_lines, node_radius
from hopscape.show.draw.places import leaves_of, place_nodes

__all__ = ["draw_round_strip", "thumbnail"]

_MOST_LINKS = 3000  # more are a black spot at this size
_SIDE = 100.0  # units of the picture's longer side
_LINE, _NODE, _SWITCH, _BUSY = (
    "#8a94a3",
    "#2f86c4",
    "#d9731a",
    "#c2417c",
)  # 3 : 1 or better on white and on #14181f


def thumbnail(
    network: Network,
    width: float = 150.0,
    height: float = 110.0,
    busy: IntArray | None = None,
    marked: IntArray | None = None,
) -> str:
    """A small picture of a network without names, as SVG text.

    Args:
        width, height: Of the picture, in pixels.
        busy (int[...], optional): Channels whose links stand out.
        marked (int[...], optional): Nodes that stand out.

    Raises:
        TooLargeError: For more links than can be told apart.

    Examples:
        >>> import hopscape
        >>> picture = thumbnail(hopscape.build("petersen"))
        >>> picture.startswith("<svg "), picture.count("<circle")
        (True, 10)
    """
    if network.links > _MOST_LINKS:
        raise TooLargeError(
            f"{network.spec} has {network.links} links; a small picture shows {_MOST_LINKS}"
        )
    layout = place_nodes(network)
    places = fit_places(layout.positions, _SIDE)
    leaves = leaves_of(network)
    radius = max(node_radius(places[~leaves] if leaves.any() else places, _SIDE, False), 1.1)
    tails, heads, _ = link_ends(network)
    lines = link_lines(layout, places, tails, heads, radius)
    chosen = _links_of(network, np.zeros(0, np.int64) if busy is None else busy)
    path = "".join(_stroke(line) for line in lines)
    strong = "".join(_stroke(lines[i]) for i in chosen)
    thin = float(np.clip(0.28 * radius, 0.25, 0.9))
    corners = np.concatenate([places - radius, places + radius, *lines])
    low, high = corners.min(axis=0) - 2, corners.max(axis=0) + 2
    wide, tall = high - low
    box = f"{low[0]:.1f} {-high[1]:.1f} {wide:.1f} {tall:.1f}"  # y points down in SVG
    ends = np.zeros(network.order, dtype=bool)
    ends[network.endpoints] = True
    lit = np.zeros(network.order, dtype=bool)
    if marked is not None:
        lit[marked] = True
    marks = []
    kinds = zip(places.tolist(), ends.tolist(), leaves.tolist(), lit.tolist(), strict=True)
    for (x, y), end, leaf, on in kinds:
        r = radius * (0.45 if leaf else 1.0)
        if end:
            fill = _BUSY if on else _NODE
            marks.append(f'<circle cx="{x:.1f}" cy="{-y:.1f}" r="{r:.1f}" fill="{fill}"/>')
        else:
            s = 1.8 * r
            corner = f'x="{x - s / 2:.1f}" y="{-y - s / 2:.1f}"'
            fill = _BUSY if on else _SWITCH
            marks.append(f'<rect {corner} width="{s:.1f}" height="{s:.1f}" fill="{fill}"/>')
    above = ""
    if strong:
        above = f'<path d="{strong}" fill="none" stroke="{_BUSY}" stroke-width="{3 * thin:.2f}"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
        f' viewBox="{box}"><path d="{path}" fill="none" stroke="{_LINE}"'
        f' stroke-width="{thin:.2f}" stroke-linecap="round"/>{above}{"".join(marks)}</svg>\n'
    )


def _stroke(line: Points) -> str:
    """A line as part of a path."""
    points = [f"{x:.1f} {-y:.1f}" for x, y in line.tolist()]
    return f"M{points[0]}L{'L'.join(points[1:])}"


def _links_of(network: Network, channels: IntArray) -> list[int]:
    """Which lines belong to channels, in either direction."""
    first = link_ends(network)[2]
    line = np.full(len(network.heads), -1, dtype=np.int64)
    line[first] = np.arange(len(first))
    back = network.reverse[first]
    line[back[back >= 0]] = np.flatnonzero(back >= 0)
    return sorted({int(i) for i in line[channels] if i >= 0})


_MOST_NODES = 100  # of a network whose rounds are drawn side by side
_MOST_ROUNDS = 12  # that are drawn; a notebook keeps every output in its file


def draw_round_strip(schedule: Schedule) -> str:
    """The rounds of a schedule side by side, as HTML: links in use, and who receives.

    Empty where the network is too large to be told apart at this size.

    Examples:
        >>> import hopscape
        >>> strip = draw_round_strip(hopscape.build("petersen").broadcast())
        >>> strip.count("<svg"), "round 2: 6 transfers" in strip
        (2, True)
    """
    network = schedule.network
    if network.order > _MOST_NODES or network.links > 4 * _MOST_NODES or not schedule.transfers:
        return ""
    parts = []
    for i in range(min(schedule.rounds, _MOST_ROUNDS)):
        low, high = schedule.round_start[i : i + 2].tolist()
        busy = schedule.channels[schedule.path_start[low] : schedule.path_start[high]]
        picture = thumbnail(network, 130, 110, busy, schedule.target[low:high])
        count = high - low
        words = f"round {i + 1}: {count} transfer{'s' * (count != 1)}"
        parts.append(
            f'<figure style="margin:0;text-align:center">{picture}'
            f'<figcaption style="font-size:12px">{words}</figcaption></figure>'
        )
    left = schedule.rounds - len(parts)
    more = f"<p>and {left} more rounds</p>" if left > 0 else ""
    joined = "".join(parts)
    return f'<div style="display:flex;flex-wrap:wrap;gap:10px">{joined}</div>{more}'
