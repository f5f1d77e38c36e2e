"""Virtual channels that a routing needs, each answer with its certificate.

This is the one place where the designer asks about deadlock. A certificate is a rule for the class
of a packet whose channel dependency graph was built from all routes and found free of cycles (Dally
and Seitz).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.measured import Measured
from hopscape.core.memory import require_memory
from hopscape.metrics.routes import TURNS, Routes, downward, node_rankings

__all__ = ["Lanes", "find_lanes", "virtual_channels"]

_MOST_CLASSES = 60
_FEW = 64
_LARGE = 2600
_RULES = {
    "single": "one class: the channel dependency graph has no cycle",
    "dateline": "entering a ring (the channels that one port number makes), a packet takes class 1"
    " if it will cross the ring's dateline before it leaves, else class 0; it keeps it in the ring",
    "rising": "a packet starts in class 0; whenever it moved to a node of higher rank and next"
    " moves to one of lower rank, it takes the next class",
}
_SINGLE = "no cycle among channel dependencies"


@dataclass(frozen=True)
class Lanes:
    """A rule for the class of virtual channels that a packet uses.

    Attributes
    ----------
    method : {'single', 'dateline', 'rising'}
        One class; two, kept within a ring and chosen by whether the straight run crosses the ring's
        dateline; or a class that rises whenever the way turns from a node of higher rank to one of
        lower rank again (the turn that up*/down* routing forbids).
    classes : int
    dependencies : int
        Edges of the channel dependency graph, which has no cycle.
    ranks : int64[order] or None
        Rank of each node ('rising').
    dateline : uint8[channels] or None
        Marks the channels that are datelines ('dateline').
    """

    method: str
    classes: int
    dependencies: int
    ranks: IntArray | None = None
    dateline: IntArray | None = None

    def to_dict(self) -> dict[str, Any]:
        """The rule in words and numbers, for files."""
        out: dict[str, Any] = {
            "method": self.method,
            "classes": self.classes,
            "dependencies": self.dependencies,
            "rule": _RULES[self.method],
        }
        if self.ranks is not None:
            out["ranks"] = self.ranks.tolist()
        if self.dateline is not None:
            out["datelines"] = np.flatnonzero(self.dateline).tolist()
        return out

    def words(self) -> str:
        """The certificate in a few words."""
        how = {
            "single": "",
            "dateline": "datelines: ",
            "rising": "class rises at down-up turns: ",
        }[self.method]
        return f"{how}{self.dependencies} dependencies, no cycle"


def virtual_channels(routes: Routes, diameter: int | None = None) -> Measured[int | None]:
    """Classes of virtual channels with which these routes cannot deadlock, and why.

    Parameters
    ----------
    routes : Routes
    diameter : int, optional
        Of the network, if it is known: for routes of which only a sample is there.

    Examples
    --------
    >>> import hopscape
    >>> from hopscape.metrics.routes import all_routes
    >>> virtual_channels(all_routes(hopscape.build("hypercube(4)"))).value
    1
    >>> virtual_channels(all_routes(hopscape.build("torus(5, 5)"))).value
    2
    >>> virtual_channels(all_routes(hopscape.build("random_regular(40, 4)"))).value
    3
    """
    if not routes.whole:
        return _from_sample(routes, diameter)
    found = find_lanes(routes)
    if found is None:
        return Measured(None, "unknown", f"more than {_MOST_CLASSES} classes")
    if found.classes <= 2:  # a single class was tried first
        return Measured(found.classes, "exact", found.words())
    return Measured(found.classes, "bound", found.words(), 2, found.classes)


def _from_sample(routes: Routes, diameter: int | None) -> Measured[int | None]:
    """What is sure without all routes: a way of h hops has at most h // 2 down-up turns."""
    sure = None if diameter is None or not routes.exact else diameter // 2 + 1
    if routes.cyclic() == 0 and sure != 1:
        note = f"{_SINGLE} of the ways to {len(routes.targets)} destinations"
        return Measured(
            1, "sampled", note + (f"; {sure} for certain" if sure else ""), 1, sure or None
        )
    if sure is None:
        return Measured(None, "unknown", "needs the routes to all destinations")
    words = f"class rises at down-up turns, at most {sure - 1} on {diameter} hops"
    return Measured(sure, "bound", words, 1, sure)


def find_lanes(routes: Routes) -> Lanes | None:
    """The rule with the fewest classes among one class, datelines and rising classes.

    Parameters
    ----------
    routes : Routes
        To all destinations.

    Returns
    -------
    Lanes or None
        None when rising classes would be too many to check.
    """
    found = None if routes.first(_FEW).cyclic() else _checked(routes, "single", 1)
    if found is None:
        found = _dateline(routes)
    return found if found is not None else _rising(routes)


def _arrays(routes: Routes) -> tuple[IntArray, ...]:
    net = routes.network
    return net.indptr, net.heads, routes.table, routes.targets, routes.ends


def _checked(
    routes: Routes,
    method: str,
    classes: int,
    *,
    ranks: IntArray | None = None,
    rings: IntArray | None = None,
    dateline: IntArray | None = None,
) -> Lanes | None:
    """Build the channel dependency graph of a rule: the rule, or None when it does not hold."""
    from hopscape.metrics.lane_kernels import cyclic_vertices, ring_waits, rising_waits

    net = routes.network
    shape = (len(net.heads) * classes, int(net.degrees.max(initial=1)) * classes)
    require_memory(shape[0] * shape[1], f"the channel dependency graph of {net.spec}")
    waits = np.zeros(shape, dtype=np.uint8)
    used = classes
    if method == "dateline":
        ring_waits(*_arrays(routes), rings, dateline, waits)
    else:
        if ranks is None:
            from hopscape.metrics.route_kernels import add_dependencies

            add_dependencies(*_arrays(routes), waits)
        else:
            used = int(rising_waits(*_arrays(routes), downward(net, ranks), classes, waits))
            if used == 0:
                return None
    if cyclic_vertices(net.indptr, net.heads, waits, classes):
        return None
    return Lanes(method, used, int(np.count_nonzero(waits)), ranks, dateline)


def _dateline(routes: Routes) -> Lanes | None:
    from hopscape.deadlock.tables import port_rings

    rings = port_rings(routes.network)
    if rings is None or (rings < 0).all():
        return None
    dateline = _datelines(routes, rings)
    return _checked(routes, "dateline", 2, rings=rings, dateline=dateline)


def _datelines(routes: Routes, rings: IntArray) -> IntArray:
    """One channel of each ring: of those into its lowest node, so that both directions share it."""
    net = routes.network
    marks = np.zeros(len(rings), dtype=np.uint8)
    closed = np.flatnonzero(rings >= 0)
    ordered = closed[np.lexsort((net.heads[closed], rings[closed]))]
    first = np.concatenate([[True], rings[ordered][1:] != rings[ordered][:-1]])
    done = np.zeros(int(rings.max()) + 1, dtype=bool)
    for channel in ordered[first].tolist():
        back = int(net.reverse[channel])
        for one in (channel, back):
            if one >= 0 and rings[one] >= 0 and not done[rings[one]]:
                marks[one] = 1
                done[rings[one]] = True
    return marks


def _rising(routes: Routes) -> Lanes | None:
    """Rising classes by the ranks with which the fewest are needed."""
    from hopscape.metrics.lane_kernels import most_falls

    rankings = list(node_rankings(routes.network))
    few = _checked(routes, "rising", TURNS + 1, ranks=rankings[0])  # what tables are made for
    if few is not None and (few.classes <= 2 or routes.network.order > _LARGE):
        return few
    falls = [
        int(most_falls(*_arrays(routes), downward(routes.network, ranks))) for ranks in rankings
    ]
    least = min(falls)
    if few is not None and least + 1 >= few.classes:
        return few
    if least >= _MOST_CLASSES:
        return None
    return _checked(routes, "rising", least + 1, ranks=rankings[falls.index(least)])
