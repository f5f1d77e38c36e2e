"""The channel dependency graph by following every route packet by packet."""

from __future__ import annotations

import networkx as nx
import numpy as np


def dependencies(table, classes, *, anywhere=False):
    """Edges between (channel, class) for routes from endpoints (or anywhere) to endpoints."""
    network = table.network
    graph = nx.DiGraph()
    other = table.other if table.other is not None else table.port
    ends = network.endpoints.tolist()
    for source in np.arange(network.order).tolist() if anywhere else ends:
        for goal in ends:
            stack = [(source, -1, 0)]
            seen = set()
            while stack:
                at, before, kind = stack.pop()
                if at == goal or (at, before, kind) in seen:
                    continue
                seen.add((at, before, kind))
                for ports, entry in ((table.port, classes.entry), (other, classes.entry_other)):
                    out = int(ports[at, goal])
                    if out == 0xFFFF:
                        continue
                    channel = int(network.indptr[at]) + out
                    level = 0
                    if classes.method == "layers":
                        level = int(classes.layers[source, goal])
                    elif classes.method == "dateline":
                        rings = classes.rings
                        same = before >= 0 and 0 <= rings[channel] == rings[before]
                        level = kind if same else int(entry[at, goal])
                    elif classes.method == "rising" and before >= 0:
                        turns = classes.rings[before] == 1 and classes.rings[channel] == 0
                        level = kind + int(turns)
                    if before >= 0:
                        graph.add_edge((before, kind), (channel, level))
                    stack.append((int(network.heads[channel]), channel, level))
    return graph
