"""Routing by searches that meet, and the loads of its routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import DisconnectedError
from hopscape.core.measured import How
from hopscape.core.processes import require_memory
from hopscape.core.progress import track
from hopscape.core.router import SearchRouter
from hopscape.core.wired import Wired

if TYPE_CHECKING:
    from hopscape.papers.blockdesign.meeting_kernels import Crossings

__all__ = ["MeetingRouter", "require_routes", "tree_loads"]

_TREE_WORK = 1_500_000_000  # channels looked at: about ten seconds; beyond, a sample of targets


class MeetingRouter(SearchRouter):
    """Shortest routes by searches from both ends; a hash picks among ports alike."""

    name = "meeting searches"
    _spreads = True

    def uniform_loads(self, seed: int = 0) -> tuple[Floats, How]:
        return tree_loads(self.network, seed)


def tree_loads(network: Wired, seed: int = 0) -> tuple[Floats, How]:
    """Loads under uniform traffic: a tree of shortest paths to every endpoint, or to a sample.

    Where several ports shorten the way, :func:`hopscape.core.router.spread` takes one.
    """
    from hopscape.papers.blockdesign.meeting_kernels import add_trees

    ends = network.endpoints.astype(np.int64)
    wires = _wires(network)
    few = _TREE_WORK // max(len(network.heads), 1)
    how: How = "exact"
    targets = ends
    if few < len(ends):
        chosen = np.random.default_rng(seed).choice(len(ends), size=max(few, 1), replace=False)
        targets, how = ends[np.sort(chosen)], "sampled"
    sends = np.zeros(network.order)
    sends[ends] = len(ends) / (len(targets) * max(len(ends) - 1, 1))
    loads = np.zeros(len(network.heads))
    for low in track(range(0, len(targets), 64), f"channel loads of {network.spec}"):
        lost = add_trees(wires, targets[low : low + 64], sends, loads)
        if lost[0] >= 0:
            require_routes(network, np.array([-1]), np.array([lost[0]]), np.array([lost[1]]))
    return loads, how


def _wires(network: Wired) -> Crossings:
    """The channels that leave and enter each node."""
    from hopscape.papers.blockdesign.meeting_kernels import Crossings

    leaving = network.indptr, network.tails, network.heads
    if network.duplex:
        return Crossings(*leaving, network.indptr, network.reverse)
    return Crossings(*leaving, *network.incoming()[1:])


def require_routes(network: Wired, hops: IntArray, at: IntArray, to: IntArray) -> None:
    """Refuse pairs without a path (-1 hops), and routes that would not fit in memory."""
    if (hops < 0).any():
        lost = int(np.argmax(hops < 0))
        raise DisconnectedError(
            f"there is no route from node {at[lost]} to node {to[lost]} in {network.spec}"
        )
    longest = int(hops.max(initial=0))
    require_memory(40 * len(at) * (longest + 1), f"{len(at)} routes of up to {longest} hops")
