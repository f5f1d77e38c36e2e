"""Virtual channels that a routing needs, from its channel dependency graph.

This is the one place where the designer asks about deadlock.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.measured import How, Measured
from hopscape.metrics.routes import Routes

__all__ = ["virtual_channels"]

_MOST_CLASSES = 15
_LAYER_ORDER = 300


def virtual_channels(routes: Routes) -> Measured[int | None]:
    """Classes of virtual channels with which these routes cannot deadlock, and why.

    One class when the channel dependency graph has no cycle (Dally and Seitz); else two by
    datelines, or layers of pairs, as :mod:`hopscape.deadlock` certifies. A packet may also use
    class i on its i-th hop, so that as many classes as the longest route has hops are always
    enough. More than one is an upper bound: fewer may do.

    Examples
    --------
    >>> import hopscape
    >>> from hopscape.metrics.routes import all_routes
    >>> virtual_channels(all_routes(hopscape.build("hypercube(4)"))).value
    1
    >>> virtual_channels(all_routes(hopscape.build("torus(5, 5)"))).value
    2
    """
    if routes.cyclic() == 0:
        how: How = "exact" if routes.whole else "sampled"
        return Measured(1, how, "no cycle among channel dependencies")
    best = (routes.longest, "one class per hop")
    if routes.whole:
        found = _certified(routes, min(routes.longest - 1, _MOST_CLASSES))
        best = min(best, found) if found is not None else best
    return Measured(best[0], "exact" if best[0] == 2 else "bound", best[1])


def _certified(routes: Routes, most: int) -> tuple[int, str] | None:
    """The certificate of the deadlock room for these routes, if it needs no more classes."""
    from hopscape.deadlock.classes import find_classes
    from hopscape.deadlock.tables import NO_PORT, RoutingTable, port_rings

    net = routes.network
    rings = port_rings(net)
    layers = net.order <= _LAYER_ORDER
    if most < 2 or (rings is None and not layers):
        return None
    port = routes.table.T.astype(np.uint16)
    port[port == 255] = NO_PORT
    table = RoutingTable(net, routes.name, np.ascontiguousarray(port), None, rings)
    try:
        method: Literal["auto", "dateline"] = "auto" if layers else "dateline"
        _, classes, proof = find_classes(net, table, method=method, most=most)
    except ArgumentError:
        return None
    if not proof.deadlock_free:
        return None
    return classes.count, f"{classes.method}: {proof.dependencies} dependencies, no cycle"
