"""To and from networkx, igraph, rustworkx, scipy sparse matrices, edge lists and GraphML."""

from hopscape.formats.graphs.files import ENDINGS, Exporter, exporters, read_network, write_network
from hopscape.formats.graphs.libraries import (
    from_anything,
    from_edges,
    from_igraph,
    from_networkx,
    from_rustworkx,
    from_scipy,
    to_igraph,
    to_networkx,
    to_scipy,
)

__all__ = [
    "ENDINGS",
    "Exporter",
    "exporters",
    "from_anything",
    "from_edges",
    "from_igraph",
    "from_networkx",
    "from_rustworkx",
    "from_scipy",
    "read_network",
    "to_igraph",
    "to_networkx",
    "to_scipy",
    "write_network",
]
