"""Large networks by density: how many links run through each spot of the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.layout import Points
from hopscape.core.network import Network
from hopscape.interchange.convert import link_ends

__all__ = ["MOST_LINKS", "MOST_NODES", "density_figure"]

MOST_NODES = 20_000
MOST_LINKS = 400_000
_CELLS = 520
_STEPS = 24_000_000


def density_figure(network: Network, positions: Points, size: float, dark: bool) -> Any:
    """A picture of where the links run, on a logarithmic scale, with the nodes as dots.

    Args:
        network: Up to 20,000 nodes and 400,000 links.
        positions: ndarray, shape (order, 2)
        size: Longer side in inches.
    """
    import matplotlib
    from matplotlib.figure import Figure

    low, high = positions.min(axis=0), positions.max(axis=0)
    span = np.maximum(high - low, 0.02 * float((high - low).max()) or 1.0)
    cells = np.maximum((_CELLS * span / span.max()).astype(int), 8)
    image = _traces(network, positions, low, span, cells)
    page, text = ("#14181f", "#f2f2f2") if dark else ("white", "#1a1a1a")
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        width, height = size * span / span.max()
        width, height = max(float(width), 2.0), max(float(height), 1.5) + 0.7
        figure = Figure(figsize=(width, height), facecolor=page)
        axes = figure.add_axes((0.03, 0.3 / height, 0.94, (height - 0.65) / height))
        axes.set_axis_off()
        axes.imshow(
            np.ma.masked_equal(np.log1p(image.T), 0.0),
            origin="lower",
            extent=(low[0], low[0] + span[0], low[1], low[1] + span[1]),
            cmap="inferno" if dark else "Blues",
            interpolation="bilinear",
            aspect="equal",
        )
        dot = min(4.0, 12_000.0 / network.order)
        colour = "#E69F00" if dark else "#D55E00"
        look: dict[str, Any] = {"s": dot, "color": colour, "linewidths": 0, "rasterized": True}
        axes.scatter(positions[:, 0], positions[:, 1], gid="nodes", **look)
        title = network.spec if len(network.spec) < 60 else network.spec[:59] + "…"
        style: dict[str, Any] = {"ha": "center", "va": "center", "parse_math": False}
        style["color"] = text
        figure.text(0.5, 1 - 0.17 / height, title, fontsize=11, **style)
        counts = f"{network.order} nodes, {network.links} links by density"
        figure.text(0.5, 0.14 / height, counts, fontsize=8, **style)
    return figure


def _traces(network: Network, positions: Points, low: Points, span: Points, cells: Any) -> Points:
    """How many links run through each cell: points along every link, counted."""
    tails, heads, _ = link_ends(network)
    start, step = positions[tails], positions[heads] - positions[tails]
    many = int(np.clip(_STEPS // max(len(tails), 1), 8, 400))
    image = np.zeros(tuple(cells))
    for t in (np.arange(many) + 0.5) / many:
        at = ((start + t * step - low) / span * (cells - 1)).astype(np.int64)
        flat = np.bincount(at[:, 0] * cells[1] + at[:, 1], minlength=int(np.prod(cells)))
        image += flat.reshape(tuple(cells))
    return image / many * float(np.mean(cells))
