"""A network from whatever holds a graph."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hopscape.core.arrays import Array
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.interchange.convert import from_igraph, from_networkx, from_scipy, named

__all__ = ["from_anything", "from_edges", "from_rustworkx"]


def from_anything(thing: Any) -> Network:
    """A network from a graph of another library, an edge list or an array.

    Args:
        thing (networkx, igraph or rustworkx graph, scipy sparse matrix, array, or pairs of nodes):
            A square array is an adjacency matrix, one with two columns (and not two rows) an edge
            list.

    Examples:
        >>> from_anything([("a", "b"), ("b", "c")]).links
        2
        >>> import numpy as np
        >>> from_anything(np.ones((4, 4)) - np.eye(4)).links
        6
    """
    if isinstance(thing, Network):
        return thing
    makers = {"networkx": from_networkx, "igraph": from_igraph, "rustworkx": from_rustworkx}
    origins = {kind.__module__.partition(".")[0] for kind in type(thing).__mro__}
    for name, make in makers.items():
        if name in origins:
            return make(thing)
    if "scipy" in origins:
        return from_scipy(thing)
    if isinstance(thing, np.ndarray):
        return _from_array(thing)
    if isinstance(thing, Iterable) and not isinstance(thing, str | bytes | dict):
        return from_edges(list(thing))
    raise ArgumentError(
        f"a network cannot be made of {type(thing).__name__}; give a spec, a path, a graph of"
        " networkx, igraph or rustworkx, a scipy matrix, an array or pairs of nodes"
    )


def _from_array(array: Array) -> Network:
    if array.ndim == 2 and array.shape[0] == array.shape[1]:
        import scipy.sparse

        return from_scipy(scipy.sparse.csr_array(array))
    if array.ndim == 2 and array.shape[1] == 2:
        return from_edges(array.tolist())
    shape = " × ".join(map(str, array.shape))
    raise ArgumentError(
        f"the array is {shape}; it must be square (an adjacency matrix) or have two columns (links)"
    )


def from_edges(pairs: Sequence[Sequence[Any]], spec: str = "edges") -> Network:
    """A network of duplex links from pairs of nodes.

    Nodes that are numbers 0, 1, 2, ... keep them; all others are numbered as they come, and their
    names are kept.

    Examples:
        >>> net = from_edges([("a", "b"), ("b", "c")])
        >>> net.neighbours(1), net.node("c")
        ((0, 2), 2)
    """
    for pair in pairs:
        if isinstance(pair, str | bytes) or not isinstance(pair, Iterable) or len(pair) != 2:
            raise ArgumentError(f"link {pair!r} is not a pair of nodes")
    if not pairs:
        raise ArgumentError("the edge list is empty; a network needs at least one node")
    nodes = list(dict.fromkeys(node for pair in pairs for node in pair))
    whole = all(isinstance(node, int | np.integer) and not isinstance(node, bool) for node in nodes)
    if whole and min(nodes) >= 0 and max(nodes) < 2 * len(nodes):
        order, number = int(max(nodes)) + 1, {node: int(node) for node in nodes}
        names = None
    else:
        order, number = len(nodes), {node: i for i, node in enumerate(nodes)}
        names = named([str(node) for node in nodes])
    ends = np.asarray([[number[a], number[b]] for a, b in pairs], dtype=np.int64)
    return Network.from_links(order, ends[:, 0], ends[:, 1], spec=spec, addresses=names)


def from_rustworkx(graph: Any, spec: str = "rustworkx") -> Network:
    """A network from a rustworkx PyGraph (duplex links) or PyDiGraph (one direction each).

    Nodes are numbered in the order of the graph; payloads that are texts are kept as names.
    """
    indices = list(graph.node_indices())
    if not indices:
        raise ArgumentError("the graph has no nodes")
    number = {index: i for i, index in enumerate(indices)}
    ends = np.asarray([[number[a], number[b]] for a, b in graph.edge_list()], dtype=np.int64)
    ends = ends.reshape(-1, 2)
    names = [graph[index] for index in indices]
    texts = all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
    return Network.from_links(
        len(indices),
        ends[:, 0],
        ends[:, 1],
        duplex=hasattr(graph, "degree"),
        spec=spec,
        addresses=named(names) if texts else None,
    )
