"""Pictures of networks: SVG, PNG or PDF."""

from hopscape.show.draw.picture import FORMATS, MOST_LINKS, MOST_NODES, draw_network, make_figure
from hopscape.show.draw.places import place_nodes
from hopscape.show.draw.rounds import draw_cell, draw_rounds

__all__ = [
    "FORMATS",
    "MOST_LINKS",
    "MOST_NODES",
    "draw_cell",
    "draw_network",
    "draw_rounds",
    "make_figure",
    "place_nodes",
]
