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
                    levels = [kind]
                    if classes.method == "dateline":
                        rings = classes.rings
                        if before < 0 or not 0 <= rings[channel] == rings[before]:
                            levels = _members(classes, entry[at, goal])
                    elif before < 0:
                        levels = _first_classes(classes, source, goal)
                    elif classes.method == "rising":
                        turns = classes.rings[before] == 1 and classes.rings[channel] == 0
                        levels = [kind + int(turns)]
                    for level in levels:
                        if before >= 0:
                            graph.add_edge((before, kind), (channel, level))
                        stack.append((int(network.heads[channel]), channel, level))
    return graph


def _members(classes, number):
    """The classes of a set."""
    return [k for k in range(classes.count) if classes.sets[int(number)] >> k & 1]


def _first_classes(classes, source, goal):
    """The classes in which packets of a pair may start."""
    alike = len(classes.layers) == 1
    return _members(classes, classes.layers[0, 0] if alike else classes.layers[source, goal])
