"""Where the nodes of a network stand that brings no drawing of its own.

Small dense pieces stand on a circle. All others are placed by stress: distances on the page come
as close as they can to distances in hops, starting from spectral coordinates. Pieces that are not
connected stand side by side. Nothing is random.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.family import Layout
from hopscape.core.layout import Points, circle
from hopscape.core.network import Network

__all__ = ["place_nodes"]

_SMALL = 40
_WORK = 40_000
_PIVOTS = 60


def place_nodes(network: Network) -> Layout:
    """How a network is drawn: the family's own way, or a default.

    Parameters
    ----------
    network : Network
        Small enough for a picture.

    Examples
    --------
    >>> import hopscape
    >>> place_nodes(hopscape.build("random_regular(20, 3)")).positions.shape
    (20, 2)
    """
    own = network.family.layout() if network.family is not None else None
    return own if own is not None else Layout(_default_places(network))


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
    return _upright(_by_stress(wires))


def _by_stress(wires: Any) -> Points:
    """Stress majorisation (Gansner, Koren, North 2004) from spectral coordinates."""
    from scipy.linalg import cho_factor, cho_solve
    from scipy.sparse.csgraph import shortest_path
    from scipy.spatial.distance import cdist

    hops: Points = shortest_path(wires, directed=False, unweighted=True)
    places = _spectral(hops)
    count = len(hops)
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
    pivots = np.unique(np.linspace(0, count - 1, _PIVOTS).astype(int))
    square = -(hops[:, pivots] ** 2) / 2
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
