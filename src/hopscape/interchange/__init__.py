"""To and from networkx, igraph, rustworkx, scipy sparse matrices, edge lists and GraphML."""

from hopscape.interchange.anything import from_anything, from_edges, from_rustworkx
from hopscape.interchange.convert import (
    from_igraph,
    from_networkx,
    from_scipy,
    to_igraph,
    to_networkx,
    to_scipy,
)
from hopscape.interchange.graphfiles import (
    ENDINGS,
    Exporter,
    exporters,
    read_network,
    write_network,
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
