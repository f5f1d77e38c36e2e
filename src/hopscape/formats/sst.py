"""SST: the graph of the routers as GraphML, with how many endpoints each carries."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.files import write_atomically
from hopscape.core.network import Network
from hopscape.formats.graphs.libraries import XML_BYTES, link_attributes, require_graph_memory
from hopscape.metrics.throughput import SwitchGraph, switch_graph

__all__ = ["write_sst"]


def write_sst(network: Network, path: str | Path) -> Path:
    """Write the routers and the links between them; parallel links are parallel edges.

    Every node has the attribute ``endpoints``: how many hang on the router. In a network without
    switches every node is a router with one endpoint, its own. Links have ``capacity``, ``delay``
    and ``length`` where the network knows them.

    Examples:
        >>> import hopscape, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     text = write_sst(hopscape.build("ring(4)"), f"{folder}/ring.graphml").read_text()
        >>> text.count("<node "), text.count("<edge ")
        (4, 4)
    """
    import networkx as nx

    require_graph_memory(network, XML_BYTES)
    routers = switch_graph(network)
    tails = np.repeat(np.arange(routers.order), np.diff(routers.indptr))
    graph = nx.MultiGraph() if network.duplex else nx.MultiDiGraph()
    graph.add_nodes_from((v, {"endpoints": int(n)}) for v, n in enumerate(routers.ends))
    once = tails < routers.heads if network.duplex else np.full(len(tails), True)
    links = zip(tails[once].tolist(), routers.heads[once].tolist(), strict=True)
    attributes = link_attributes(network, _channels(network, routers)[once])
    graph.add_edges_from(
        (u, v, attributes[i] if attributes else {}) for i, (u, v) in enumerate(links)
    )
    write_atomically(path, lambda out: nx.write_graphml(graph, out))
    return Path(path)


def _channels(network: Network, routers: SwitchGraph) -> IntArray:
    """The network's numbers of the channels between its routers."""
    ends = np.zeros(network.order, dtype=bool)
    if routers.order < network.order:
        ends[network.endpoints] = True
    between: IntArray = np.nonzero(~(ends[network.tails] | ends[network.heads]))[0]
    return between
