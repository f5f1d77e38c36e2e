"""Layers: one class of virtual channels for every pair of nodes, as few as can be found.

Two ways are known. In the manner of LASH (Skeie, Lysne and Theiss, 2002) routes are put one after
the other into the first layer where they close no cycle; in the manner of DFSSSP (Domke, Hoefler
and Nagel, 2011) all begin in one layer and those that use the least used dependency of a cycle move
up. The first needs fewer layers and memory that grows with the square of the channels, so the
second serves where that does not fit.

Symmetric layers: one for each pair of endpoints, the same there and back.

Both ends of an InfiniBand connection use one service level, so a route and the route back must be
in the same layer. Pairs are put into the first layer that they fit into, as in LASH (Skeie, Lysne
and Theiss, IPPS 2002), those of one chosen endpoint first and then the longest first.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import NO_OFFSET, IntArray
from hopscape.core.errors import TooLargeError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.progress import track
from hopscape.deadlock.layout import Dependencies, Wiring
from hopscape.deadlock.routes import RoutingTable
from hopscape.metrics.routes import Routes

__all__ = ["begin_marks", "blank_graph", "cut_layers", "find_layers", "symmetric_layers"]

_MOST_CHANNELS = 40_000  # 400 MB of bits in the manner of LASH; above, in that of DFSSSP
_SMALL = 200  # nodes up to which other orders of the goals cost next to nothing
_TRIES = 8  # random orders; the least number of layers is kept
_MOST_SETS = 255  # numbers of sets of layers have 8 bits
_COUNTED_LAYERS = 16  # 2^16 counters; beyond, the sets are sorted


def begin_marks(network: Network, anywhere: bool = False) -> IntArray:
    """uint8[order]: 1 where routes begin, at endpoints or anywhere."""
    out = np.full(network.order, anywhere, dtype=np.uint8)
    out[network.endpoints] = 1
    return out


def blank_graph(network: Network, classes: int = 1) -> IntArray:
    """A channel dependency graph without dependencies: int32[channels * classes, columns]."""
    width = int(network.degrees.max(initial=1)) * classes
    size = len(network.heads) * classes
    require_memory(4 * size * width, f"the channel dependency graph of {network.spec}")
    return np.zeros((size, width), dtype=np.int32)


def find_layers(
    table: RoutingTable, most: int, *, anywhere: bool = False, spread: bool = False
) -> tuple[int, IntArray, tuple[int, ...]] | None:
    """Layers in which the routes of every pair close no cycle, or None above `most`.

    Memory: channels² / 4 bytes for what leads to what in a layer. A route is tested in O(hops²)
    bits; a dependency that is new changes at most channels² / 32 words.

    Args:
        table: Its first routes; the other ways of ties are not looked at.
        anywhere: Routes begin at switches too, as the escape of an adaptive packet does.
        spread: Give every pair all layers where it closes no cycle, instead of one.

    Returns:
        count (int): Number of layers.
        layers (uint8[order, order]): Number of the set of layers of each pair [source, goal].
        sets (tuple of int): The sets, as bits.
    """
    network = table.network
    if len(network.heads) > _MOST_CHANNELS:
        return cut_layers(table, most, anywhere)
    begins = begin_marks(network, anywhere)
    best = _fill_layers(table, most, begins, network.endpoints, spread)
    if network.order <= _SMALL and (best is None or best[0] > 2):
        for seed in range(_TRIES):  # other orders, where they cost next to nothing
            limit = most if best is None else best[0] - 1
            shuffled = np.random.default_rng(seed).permutation(network.endpoints)
            best = _fill_layers(table, limit, begins, shuffled, spread) or best
    if best is None:
        return None
    return best[0], *_number_sets(*best)


def _fill_layers(
    table: RoutingTable, most: int, begins: IntArray, goals: IntArray, spread: bool
) -> tuple[int, IntArray] | None:
    """The number of layers and, as bits, those of each pair; goals are tried in this order."""
    from hopscape.deadlock.layer_kernels import fill_layer

    network = table.network
    order, channels = network.order, len(network.heads)
    words = -(-channels // 64)
    require_memory(16 * channels * words + 8 * order**2, f"the layers of {network.spec}")
    bits = np.zeros((order, order), dtype=np.uint32)
    wiring = Wiring(network.indptr, network.heads)
    width = int(network.degrees.max(initial=1))
    for layer in track(range(most), f"layers of {network.spec}"):
        work = Dependencies(
            np.zeros((channels, width), dtype=np.uint8),
            np.zeros((channels, words), dtype=np.uint64),
            np.zeros((channels, words), dtype=np.uint64),
        )
        left = fill_layer(wiring, table.port.T, bits, layer, False, begins, goals, work)
        if spread:
            fill_layer(wiring, table.port.T, bits, layer, True, begins, goals, work)
        if left == 0:
            return layer + 1, bits
    return None


def _number_sets(count: int, bits: IntArray) -> tuple[IntArray, tuple[int, ...]]:
    """Number the sets of layers of all pairs; beyond 255 of them, rare ones keep their first."""
    alone = 1 << np.arange(count, dtype=np.int64)
    values, place, uses = _counted(bits.T.ravel(), count)
    sets = values.astype(np.int64)
    sets[sets == 0] = 1  # pairs that never send
    rare = np.argsort(-uses, kind="stable")[_MOST_SETS - count :]
    sets[rare] &= -sets[rare]
    distinct, again = np.unique(np.concatenate([alone, sets]), return_inverse=True)
    numbers = again[count:][place].reshape(bits.shape).astype(np.uint8)
    return numbers, tuple(int(x) for x in distinct)


def _counted(bits: IntArray, count: int) -> tuple[IntArray, IntArray, IntArray]:
    """What :func:`numpy.unique` tells of sets of few layers, without sorting all pairs."""
    if count > _COUNTED_LAYERS:
        return np.unique(bits, return_inverse=True, return_counts=True)
    uses = np.bincount(bits, minlength=1 << count)
    values = np.flatnonzero(uses)
    place = np.zeros(len(uses), dtype=np.int64)
    place[values] = np.arange(len(values))
    return values, place[bits], uses[values]


def cut_layers(
    table: RoutingTable, most: int, anywhere: bool = False
) -> tuple[int, IntArray, tuple[int, ...]] | None:
    """DFSSSP: pairs on the least used dependency of a cycle move up; as :func:`find_layers`.

    Memory: 4 bytes for each pair of consecutive channels. Each layer counts the dependencies of its
    pairs, O(nodes · goals), and cuts until no cycle is left.
    """
    from hopscape.deadlock.dependency_kernels import layer_pairs, used_pairs
    from hopscape.deadlock.layer_kernels import count_uses

    network = table.network
    goals = network.endpoints
    begins = begin_marks(network, anywhere)
    wiring, toward = Wiring(network.indptr, network.heads), table.port.T
    layers = np.zeros((network.order, network.order), dtype=np.uint8)
    sets = 1 << np.arange(most + 1, dtype=np.int64)
    for layer in range(most):
        graph = blank_graph(network)
        count_uses(wiring, toward, layers, sets, layer, begins, goals, graph)
        cut = np.zeros(graph.shape, dtype=np.uint8)
        if layer_pairs(network.indptr, network.heads, graph, cut) == 0:
            return layer + 1, layers.T, tuple(int(x) for x in sets[: layer + 1])
        used_pairs(wiring, toward, layers, layer, begins, goals, cut, layer + 1)
    return None


_SYMMETRIC_MOST_CHANNELS = 40_000  # 400 MB of bits, too
_SYMMETRIC_TRIES = 4  # random orders; each takes the whole work once more
_TRIED_PAIRS = 50_000  # pairs up to which other orders are tried


def symmetric_layers(routes: Routes, most: int = 8, *, first: int | None = None) -> IntArray | None:
    """Layers of all pairs of endpoints, or None when `most` do not suffice.

    Args:
        routes: To all nodes.
        first: All pairs of this endpoint are in layer 0.

    Returns:
        uint8[endpoints, endpoints] or None: Symmetric; 0 on the diagonal.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.routes import all_routes
        >>> layers = symmetric_layers(all_routes(hopscape.build("torus(4, 4, 4)")))
        >>> bool((layers == layers.T).all()), int(layers.max()) + 1
        (True, 4)
    """
    network = routes.network
    if len(network.heads) > _SYMMETRIC_MOST_CHANNELS:
        raise TooLargeError(
            f"{network.spec} has {len(network.heads)} channels;"
            f" layers are looked for up to {_SYMMETRIC_MOST_CHANNELS}"
        )
    ends = network.endpoints.astype(np.int64)
    one, two = np.triu_indices(len(ends), 1)
    lengths = _lengths(routes, ends)
    longest = np.maximum(lengths[one, two], lengths[two, one])
    favoured = (ends[one] == first) | (ends[two] == first)
    best: IntArray | None = None
    for seed in range(_SYMMETRIC_TRIES if len(one) <= _TRIED_PAIRS else 1):
        mixed = np.random.default_rng(seed).random(len(one)) if seed else np.zeros(len(one))
        turn = np.lexsort((mixed, -longest, ~favoured))
        limit = most if best is None else int(best.max())
        assigned = _fill(routes, ends[one[turn]], ends[two[turn]], limit)
        if assigned is None or (assigned[favoured[turn]] > 0).any():
            continue
        best = np.zeros((len(ends), len(ends)), dtype=np.uint8)
        best[one[turn], two[turn]] = assigned
        best |= best.T
        if int(best.max()) < 2:
            break
    return best


def _lengths(routes: Routes, ends: IntArray) -> IntArray:
    """Hops from every endpoint to every other."""
    network = routes.network
    hops = np.zeros((len(ends), len(ends)), dtype=np.int32)
    for column, goal in enumerate(ends.tolist()):
        ports = np.where(routes.table[goal] == NO_OFFSET, 0, routes.table[goal])
        after = np.asarray(network.heads)[
            np.minimum(network.indptr[:-1] + ports, len(network.heads) - 1)
        ]
        at = ends.copy()
        while (at != goal).any():
            hops[at != goal, column] += 1
            at = np.where(at == goal, goal, after[at])
    return hops


def _fill(routes: Routes, first: IntArray, second: IntArray, most: int) -> IntArray | None:
    """The layer of each pair, or None when there would be more than `most`."""
    from hopscape.deadlock.layer_kernels import fill_pairs

    network = routes.network
    channels = len(network.heads)
    words = -(-channels // 64)
    require_memory(16 * channels * words, f"the layers of {network.spec}")
    width = int(network.degrees.max(initial=1))
    layer_of = np.full(len(first), 255, dtype=np.uint8)
    wiring = Wiring(network.indptr, network.heads)
    for layer in range(most):
        graph = np.zeros((channels, width), dtype=np.uint8)
        leads = np.zeros((channels, words), dtype=np.uint64)
        work = Dependencies(graph, leads, np.zeros_like(leads))
        if fill_pairs(wiring, routes.table, first, second, layer, layer_of, work) == 0:
            return layer_of
    return None
