"""Pictures of networks: SVG, PNG or PDF."""

from hopscape.draw.picture import FORMATS, MOST_LINKS, MOST_NODES, draw_network, make_figure
from hopscape.draw.places import place_nodes

__all__ = [
    "FORMATS",
    "MOST_LINKS",
    "MOST_NODES",
    "draw_network",
    "make_figure",
    "place_nodes",
]
