"""Where nodes stand on the page: the layouts that are computed here.

The page itself makes the circle, the rings and layers round a node, and the adjacency matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from_each
from hopscape.core.layout import Points
from hopscape.core.network import Network
from hopscape.draw.curves import fans
from hopscape.draw.places import place_nodes
from hopscape.explore.links import Links
from hopscape.explore.packing import pack

__all__ = ["layouts"]

_GRID = 30_000
_PIVOTS = 50
_MOST_FORCE = 5000


def layouts(network: Network, links: Links) -> tuple[list[dict[str, Any]], list[str]]:
    """Layouts for the page, the family's own first, and notes on what was left out.

    A layout is ``{"name", "title", "dims", "at": packed}`` with the coordinates of node 0, then of
    node 1, ...; whole numbers from 0 to 30000, the same scale on all axes. ``bend`` holds the bend
    of each link in percent of its length, where links are bent.
    """
    if network.order == 0:
        return [], []
    out, notes = [], []
    own = network.family.layout() if network.family is not None else None
    if own is not None:
        bend = own.curved(links.tails, links.heads) if own.curved is not None else None
        out.append(_layout("own", "Family's own drawing", own.positions, _bends(links, bend)))
    if network.order <= _MOST_FORCE:
        places = place_nodes(network, "force").positions
        out.append(_layout("force", "Force (by distance)", places, _bends(links, None)))
    else:
        notes.append(f"The force layout is for up to {_MOST_FORCE} nodes; take the circle.")
    if network.order > 3:
        out.append(_layout("space", "In space (3-D)", _space(network, links), None))
    return out, notes


def _layout(name: str, title: str, places: Points, bend: Points | None) -> dict[str, Any]:
    low = places.min(axis=0)
    reach = float((places.max(axis=0) - low).max()) or 1.0
    scaled = np.round((places - low) * (_GRID / reach)).astype(np.int64)
    out = {"name": name, "title": title, "dims": places.shape[1], "at": pack(scaled)}
    if bend is not None and bend.any():
        out["bend"] = pack(np.clip(np.round(100 * bend), -127, 127).astype(np.int64))
    return out


def _bends(links: Links, own: Points | None) -> Points:
    """What a layout says, and parallel links fanned out."""
    loops = links.tails == links.heads
    fan = np.where(loops, 0.0, 0.12 * fans(links.tails, links.heads))
    base = np.zeros(len(loops)) if own is None else np.where(loops, 0.0, own)
    bend: Points = base + fan
    return bend


def _space(network: Network, links: Links) -> Points:
    """Coordinates in space: by address where links follow its digits, else by distances."""
    sides = network.addresses.sides if isinstance(network.addresses, MixedRadix) else ()
    long = [i for i, side in enumerate(sides) if side > 1]
    if len(long) >= 3 and len(links.tails):
        digits = network.addresses.tuples(np.arange(network.order))
        moved = (digits[links.tails] != digits[links.heads]).sum(axis=1)
        if (moved == 1).mean() > 0.9:
            return _box(digits, [(i, sides[i]) for i in long])
    return _by_distances(network)


def _box(digits: IntArray, axes: list[tuple[int, int]]) -> Points:
    """A box of boxes: the digits take turns on the three axes."""
    out = np.zeros((len(digits), 3))
    scale = np.ones(3)
    for turn, (i, side) in enumerate(reversed(axes)):
        axis = 2 - turn % 3
        out[:, axis] += scale[axis] * digits[:, i]
        scale[axis] *= side + 0.6
    return out


def _by_distances(network: Network) -> Points:
    """Three spectral coordinates from the distances to some nodes (pivot MDS)."""
    pivots = np.unique(np.linspace(0, network.order - 1, _PIVOTS).astype(int))
    hops = distances_from_each(network, pivots).T.astype(float)
    hops[hops < 0] = hops.max() + 1
    square = -(hops**2) / 2
    centred = square - square.mean(axis=0) - square.mean(axis=1)[:, None] + square.mean()
    _, vectors = np.linalg.eigh(centred.T @ centred)
    places = centred @ vectors[:, -3:]
    reach = np.abs(places).max(axis=0)
    angle = 2.4 * np.arange(network.order)
    spiral = 0.02 * np.stack([np.cos(angle), np.sin(angle), np.cos(0.37 * angle)], axis=1)
    spread: Points = places / np.where(reach > 1e-9, reach, 1.0) + spiral
    return spread
