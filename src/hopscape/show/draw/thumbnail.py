"""Small pictures of networks, for galleries: SVG written directly, without matplotlib.

One colour scheme serves light and dark pages.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.errors import TooLargeError
from hopscape.core.facts import Points
from hopscape.core.network import Network
from hopscape.formats.graphs.libraries import link_ends
from hopscape.show.draw.picture import fit_places, link_lines, node_radius
from hopscape.show.draw.places import leaves_of, place_nodes

__all__ = ["thumbnail"]

_MOST_LINKS = 3000  # more are a black spot at this size
_SIDE = 100.0  # units of the picture's longer side
_LINE, _NODE, _SWITCH = "#8a94a3", "#2f86c4", "#d9731a"  # 3 : 1 or better on white and on #14181f


def thumbnail(network: Network, width: float = 150.0, height: float = 110.0) -> str:
    """A small picture of a network without names, as SVG text.

    Args:
        width, height: Of the picture, in pixels.

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
    path = "".join(_stroke(line) for line in lines)
    thin = float(np.clip(0.28 * radius, 0.25, 0.9))
    corners = np.concatenate([places - radius, places + radius, *lines])
    low, high = corners.min(axis=0) - 2, corners.max(axis=0) + 2
    wide, tall = high - low
    box = f"{low[0]:.1f} {-high[1]:.1f} {wide:.1f} {tall:.1f}"  # y points down in SVG
    ends = np.zeros(network.order, dtype=bool)
    ends[network.endpoints] = True
    marks = []
    for (x, y), end, leaf in zip(places.tolist(), ends.tolist(), leaves.tolist(), strict=True):
        r = radius * (0.45 if leaf else 1.0)
        if end:
            marks.append(f'<circle cx="{x:.1f}" cy="{-y:.1f}" r="{r:.1f}" fill="{_NODE}"/>')
        else:
            s = 1.8 * r
            corner = f'x="{x - s / 2:.1f}" y="{-y - s / 2:.1f}"'
            marks.append(f'<rect {corner} width="{s:.1f}" height="{s:.1f}" fill="{_SWITCH}"/>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
        f' viewBox="{box}"><path d="{path}" fill="none" stroke="{_LINE}"'
        f' stroke-width="{thin:.2f}" stroke-linecap="round"/>{"".join(marks)}</svg>\n'
    )


def _stroke(line: Points) -> str:
    """A line as part of a path."""
    points = [f"{x:.1f} {-y:.1f}" for x, y in line.tolist()]
    return f"M{points[0]}L{'L'.join(points[1:])}"
