"""Layers: one class of virtual channels for every pair of nodes, as few as can be found.

Two ways are known. In the manner of LASH routes are put one after the other into the first layer
where they close no cycle; in the manner of DFSSSP all begin in one layer and those that use the
least used dependency of a cycle move up. The first needs fewer layers and memory that grows with
the square of the channels, so the second serves where that does not fit.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.progress import track
from hopscape.deadlock.tables import RoutingTable

__all__ = ["blank_graph", "cut_layers", "find_layers", "marks"]

_WAITS = 255
_MOST_CHANNELS = 40_000
_SMALL = 200
_TRIES = 8


def marks(network: Network, nodes: IntArray) -> IntArray:
    """uint8[order]: 1 at these nodes."""
    out = np.zeros(network.order, dtype=np.uint8)
    out[nodes] = 1
    return out


def blank_graph(network: Network, classes: int = 1) -> IntArray:
    """A channel dependency graph without dependencies: int32[channels * classes, columns]."""
    width = int(network.degrees.max(initial=1)) * classes
    size = len(network.heads) * classes
    require_memory(4 * size * width, f"the channel dependency graph of {network.spec}")
    return np.zeros((size, width), dtype=np.int32)


def find_layers(
    table: RoutingTable, most: int, *, anywhere: bool = False
) -> tuple[int, IntArray] | None:
    """The number of layers and the layer of each pair [source, goal], or None above `most`.

    Parameters
    ----------
    table : RoutingTable
        Its first routes; the other ways of ties are not looked at.
    most : int
    anywhere : bool
        Routes begin at switches too, as the escape of an adaptive packet does.
    """
    network = table.network
    if len(network.heads) > _MOST_CHANNELS:
        return cut_layers(table, most, anywhere)
    begins = np.arange(network.order) if anywhere else network.endpoints
    best = _fill_layers(table, most, begins, network.endpoints)
    if network.order > _SMALL or (best is not None and best[0] <= 2):
        return best
    for seed in range(_TRIES):  # other orders, where they cost next to nothing
        limit = most if best is None else best[0] - 1
        shuffled = np.random.default_rng(seed).permutation(network.endpoints)
        found = _fill_layers(table, limit, begins, shuffled)
        best = best if found is None else found
    return best


def _fill_layers(
    table: RoutingTable, most: int, begins: IntArray, goals: IntArray
) -> tuple[int, IntArray] | None:
    from hopscape.deadlock.layer_kernels import fill_layer

    network = table.network
    order, channels = network.order, len(network.heads)
    words = -(-channels // 64)
    require_memory(16 * channels * words + 3 * order**2, f"the layers of {network.spec}")
    toward = np.ascontiguousarray(table.port.T)
    layers = np.full((order, order), _WAITS, dtype=np.uint8)
    sources = marks(network, begins)
    width = int(network.degrees.max(initial=1))
    for layer in track(range(most), f"layers of {network.spec}"):
        left = fill_layer(
            network.indptr,
            network.heads,
            toward,
            layers,
            layer,
            sources,
            goals,
            np.zeros((channels, width), dtype=np.uint8),
            np.zeros((channels, words), dtype=np.uint64),
            np.zeros((channels, words), dtype=np.uint64),
        )
        if left == 0:
            layers[layers == _WAITS] = 0
            return layer + 1, np.ascontiguousarray(layers.T)
    return None


def cut_layers(
    table: RoutingTable, most: int, anywhere: bool = False
) -> tuple[int, IntArray] | None:
    """DFSSSP: pairs on the least used dependency of a cycle move up."""
    from hopscape.deadlock.dependency_kernels import layer_pairs, used_pairs
    from hopscape.deadlock.layer_kernels import count_uses

    network = table.network
    goals = network.endpoints
    begins = marks(network, np.arange(network.order) if anywhere else goals)
    toward = np.ascontiguousarray(table.port.T)
    layers = np.zeros((network.order, network.order), dtype=np.uint8)
    for layer in range(most):
        graph = blank_graph(network)
        count_uses(network.indptr, network.heads, toward, layers, layer, begins, goals, graph)
        cut = np.zeros(graph.shape, dtype=np.uint8)
        if layer_pairs(network.indptr, network.heads, graph, cut) == 0:
            return layer + 1, np.ascontiguousarray(layers.T)
        used_pairs(
            network.indptr, network.heads, toward, layers, layer, begins, goals, cut, layer + 1
        )
    return None
