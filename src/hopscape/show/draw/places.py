"""Where the nodes of a network stand that brings no drawing of its own.

Small dense pieces stand on a circle. All others are placed by stress: distances on the page come
as close as they can to distances in hops, starting from spectral coordinates. Pieces that are not
connected stand side by side. Nothing is random.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import Points, circle, hang_on
from hopscape.core.family import Layout
from hopscape.core.network import Network
from hopscape.formats.graphs.libraries import link_ends

__all__ = ["LAYOUTS", "leaves_of", "place_nodes"]

LAYOUTS = ("auto", "circle", "levels", "force")
_MOST_STRESS = 2500  # nodes: the table of distances has their square, 50 MB
_SMALL = 40  # nodes: small dense graphs stand on a circle
_WORK = 40_000  # nodes times rounds of stress: about a second
_PIVOTS = 60  # nodes whose distances make the coordinates, spread over the numbers


def leaves_of(network: Network) -> IntArray:
    """Which nodes are endpoints that hang on a switch by a single link: bool[order]."""
    out = np.zeros(network.order, dtype=bool)
    if network.has_switches:
        ends = network.endpoints
        out[ends] = network.degrees[ends] == 1
    return out


def place_nodes(network: Network, layout: str = "auto") -> Layout:
    """How a network is drawn: the family's own way, or a default.

    Args:
        network: Small enough for a picture.
        layout ({'auto', 'circle', 'levels', 'force'}): ``auto`` is the family's own way, or by
            distances as ``force``.

    Examples:
        >>> import hopscape
        >>> place_nodes(hopscape.build("random_regular(20, 3)")).positions.shape
        (20, 2)
    """
    if layout not in LAYOUTS:
        raise ArgumentError(f"layout is {layout!r}; choose {', '.join(LAYOUTS)}")
    if layout == "circle":
        return Layout(circle(network.order))
    if layout == "levels":
        return Layout(_level_places(network))
    own = network.family.layout() if network.family is not None and layout == "auto" else None
    return own if own is not None else Layout(_with_leaves(network))


def _level_places(network: Network) -> Points:
    """Rows by the distance from the nearest endpoint; from node 0 where all are endpoints."""
    starts = network.endpoints if network.has_switches else np.zeros(1, dtype=np.int64)
    level = np.full(network.order, -1, dtype=np.int64)
    level[starts] = 0
    depth = 0
    while (level == depth).any():
        reached = network.heads[level[network.tails] == depth]
        level[reached[level[reached] < 0]] = depth + 1
        depth += 1
    level[level < 0] = depth
    out = np.zeros((network.order, 2))
    wide = int(np.bincount(level).max())
    for row in range(int(level.max()) + 1):
        here = np.flatnonzero(level == row)
        out[here, 0] = (np.arange(len(here)) + 0.5) * wide / max(len(here), 1)
        out[here, 1] = row * max(wide / 6.0, 1.0)
    return out


def _with_leaves(network: Network) -> Points:
    """The default; endpoints that hang on one switch stand close to it, on its outer side."""
    leaves = leaves_of(network)
    if not leaves.any() or leaves.all():
        return _default_places(network)
    inner = np.flatnonzero(~leaves)
    number = np.cumsum(~leaves) - 1
    tails, heads, _ = link_ends(network)
    between = ~(leaves[tails] | leaves[heads])
    rest = Network.from_links(len(inner), number[tails[between]], number[heads[between]])
    out = np.zeros((network.order, 2))
    out[inner] = _default_places(rest)
    ends = np.flatnonzero(leaves)
    owners = network.heads[network.indptr[ends]].astype(np.int64)
    centre = out[inner].mean(axis=0)
    out[ends] = hang_on(out, owners, np.broadcast_to(centre, (len(ends), 2)), 0.35)
    return out


def _default_places(network: Network) -> Points:
    """Each connected piece by itself, then all pieces side by side."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    order = network.order
    ones = np.ones(len(network.heads))
    wiring = csr_array((ones, (network.tails, network.heads)), shape=(order, order))
    count, piece = connected_components(wiring, directed=False)
    groups = [np.flatnonzero(piece == i) for i in range(count)]
    wires = wiring + wiring.T
    return _side_by_side(order, [(group, _piece(wires[group][:, group])) for group in groups])


def _piece(wires: Any) -> Points:
    """Places of one connected piece; a link is about one unit long."""
    count = wires.shape[0]
    if count == 1:
        return np.zeros((1, 2))
    if count == 2:
        return np.array([[-0.5, 0.0], [0.5, 0.0]])
    wires.setdiag(0)
    wires.eliminate_zeros()
    if count <= _SMALL and wires.nnz > count * count / 3:
        return circle(count, 0.5 / np.sin(np.pi / count))
    return _upright(_by_stress(wires) if count <= _MOST_STRESS else _by_pivots(wires))


def _by_pivots(wires: Any) -> Points:
    """Spectral coordinates alone, for pieces that are too large for stress.

    As pivot MDS (U. Brandes and C. Pich, 2007): a breadth-first search from each pivot.
    """
    from scipy.sparse.csgraph import shortest_path

    pivots = np.unique(np.linspace(0, wires.shape[0] - 1, _PIVOTS).astype(int))
    hops = shortest_path(wires, directed=False, unweighted=True, indices=pivots).T
    return _spectral(hops)


def _by_stress(wires: Any) -> Points:
    """Stress majorisation (Gansner, Koren, North 2004) from spectral coordinates.

    O(n²) time a round and 8 · n² bytes for each of a few tables.
    """
    from scipy.linalg import cho_factor, cho_solve
    from scipy.sparse.csgraph import shortest_path
    from scipy.spatial.distance import cdist

    hops: Points = shortest_path(wires, directed=False, unweighted=True)
    count = len(hops)
    places = _spectral(hops[:, np.unique(np.linspace(0, count - 1, _PIVOTS).astype(int))])
    np.fill_diagonal(hops, 1.0)
    weight = hops**-2
    np.fill_diagonal(weight, 0.0)
    system = np.diag(weight.sum(axis=1)) - weight + 1.0 / count
    factor = cho_factor(system)
    pull = weight * hops
    for _ in range(int(np.clip(_WORK // count, 15, 300))):
        ratio = cdist(places, places)
        np.maximum(ratio, 1e-9, out=ratio)
        np.divide(pull, ratio, out=ratio)  # the diagonal of `pull` is 0
        aim = ratio.sum(axis=1)[:, None] * places - ratio @ places
        places = cho_solve(factor, aim)
    return places


def _spectral(hops: Points) -> Points:
    """Spectral coordinates from the distances to some nodes (pivot MDS, Brandes and Pich 2006)."""
    count = len(hops)
    square = -(hops**2) / 2
    centred = square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean()
    _, vectors = np.linalg.eigh(centred.T @ centred)
    places = centred @ vectors[:, -2:]
    reach = np.abs(places).max(axis=0)
    # a trace of a spiral keeps nodes apart that lie alike (the leaves of a star)
    angle = 2.4 * np.arange(count)
    spiral = 0.01 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    spread: Points = places / np.where(reach > 1e-9, reach, 1.0) + spiral
    return spread * float(hops.max()) / 2


def _upright(places: Points) -> Points:
    """Turned so that the longer way lies across the page, the same way each time."""
    centred = places - places.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    turned = centred @ axes[:, ::-1]
    first = np.abs(turned).argmax(axis=0)
    signs = np.sign(turned[first, [0, 1]])
    upright: Points = turned * np.where(signs == 0, 1.0, signs)
    return upright


def _side_by_side(order: int, pieces: list[tuple[IntArray, Points]]) -> Points:
    """Pieces in rows, the largest first."""
    out = np.zeros((order, 2))
    boxes = [np.ptp(places, axis=0) + 1.0 for _, places in pieces]
    wide = max(1.3 * sum(box.prod() for box in boxes) ** 0.5, max(box[0] for box in boxes))
    x = y = depth = 0.0
    for i in sorted(range(len(pieces)), key=lambda i: (-len(pieces[i][0]), i)):
        nodes, places = pieces[i]
        if x > 0 and x + boxes[i][0] > wide + 1e-9:
            x, y, depth = 0.0, y - depth, 0.0
        middle = np.array([x + boxes[i][0] / 2, y - boxes[i][1] / 2])
        out[nodes] = places - (places.max(axis=0) + places.min(axis=0)) / 2 + middle
        x += boxes[i][0]
        depth = max(depth, boxes[i][1])
    return out
