"""Distances by networkx, as kernels keep them in bytes."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np

from hopscape.core.network import Network


def hop_table(network: Network) -> Any:
    """``[source, target]``; 255 where there is no route."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(network.order))
    graph.add_edges_from(zip(network.tails.tolist(), network.heads.tolist()))
    out = np.full((network.order, network.order), 255, dtype=np.uint8)
    for source, row in nx.all_pairs_shortest_path_length(graph):
        for target, hops in row.items():
            out[source, target] = hops
    return out
