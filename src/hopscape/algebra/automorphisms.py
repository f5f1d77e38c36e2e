"""Automorphisms of small networks, found by search.

Colours are refined and the search goes back where they do not agree, as in B. D. McKay, "Practical
graph isomorphism", 1981; that distances are compared, and not links alone, is our own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.distances import distance_rows
from hopscape.core.network import Network

__all__ = ["automorphism", "orbits"]

_MOST_STEPS = 100_000


def automorphism(
    network: Network, source: int, image: int, colours: Sequence[int] | None = None
) -> IntArray | None:
    """An automorphism that moves one node to another, or None when none was found.

    Args:
        network: Small, duplex and connected: the search maps the nodes one by one and compares
            distances.
        source, image: Where it must move which node.
        colours: Nodes may only be moved to nodes of the same colour.

    Returns:
        ndarray or None: ``out[v]`` is the image of node v. None is a proof that there is none,
            unless the search had to give up (after about 100,000 steps).

    Examples:
        >>> import hopscape
        >>> automorphism(hopscape.build("ring(5)"), 0, 2).tolist()
        [2, 1, 0, 4, 3]
        >>> automorphism(hopscape.build("path(3)"), 0, 1) is None
        True
    """
    distance, shade = _tables(network, colours)
    if shade[source] != shade[image]:
        return None
    return _extend(distance, shade, source, image)


def _tables(network: Network, colours: Sequence[int] | None) -> tuple[IntArray, IntArray]:
    """Distances that tell parallel links apart, and colours that tell loops apart."""
    size = network.order
    distance = distance_rows(network, np.arange(size)).astype(np.int64)
    links = np.zeros((size, size), dtype=np.int64)
    np.add.at(links, (network.tails, network.heads), 1)
    loops = np.diag(links).copy()
    np.fill_diagonal(links, 0)
    parallel = size * np.maximum(links - 1, 0)
    own = np.zeros(size, np.int64) if colours is None else np.asarray(colours, dtype=np.int64)
    hops = distance + parallel
    return hops, _refined(hops, own * (int(loops.max()) + 1) + loops)


def _refined(distance: IntArray, shade: IntArray) -> IntArray:
    """Colours split until nodes of one colour see the same colours at the same distances."""
    _, shade = np.unique(shade, return_inverse=True)
    while True:
        count = int(shade.max()) + 1
        views = np.sort(distance * count + shade[None, :], axis=1)
        _, finer = np.unique(np.column_stack([shade, views]), axis=0, return_inverse=True)
        finer = finer.ravel()
        if int(finer.max()) + 1 == count:
            return finer
        shade = finer


def _extend(distance: IntArray, shade: IntArray, source: int, image: int) -> IntArray | None:
    """Map the nodes by rising distance from `source`, going back where it does not work out."""
    order = np.argsort(distance[source], kind="stable")
    fits = [np.asarray([image])]
    chosen: list[int] = []
    for _ in range(_MOST_STEPS):
        if not len(fits[-1]):
            fits.pop()
            if not chosen:
                return None
            chosen.pop()
            continue
        chosen.append(int(fits[-1][0]))
        fits[-1] = fits[-1][1:]
        done = len(chosen)
        if done == len(order):
            out = np.empty_like(order)
            out[order] = chosen
            return out
        node = int(order[done])
        like = np.nonzero(shade == shade[node])[0]
        same = (distance[like][:, chosen] == distance[node, order[:done]]).all(axis=1)
        fits.append(like[same])
    return None


def orbits(network: Network, colours: Sequence[int] | None = None) -> list[list[int]]:
    """Classes of nodes that automorphisms (keeping colours) move into each other.

    Nodes are only ever put together when an automorphism was found, so that the classes are
    right, if perhaps too fine where the search gave up.

    Examples:
        >>> import hopscape
        >>> orbits(hopscape.build("path(5)"))
        [[0, 4], [1, 3], [2]]
    """
    distance, shade = _tables(network, colours)
    found: list[list[int]] = []
    for v in range(network.order):
        for orbit in found:
            if shade[v] == shade[orbit[0]] and _extend(distance, shade, v, orbit[0]) is not None:
                orbit.append(v)
                break
        else:
            found.append([v])
    return found
