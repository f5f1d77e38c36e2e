"""Virtual channels that a routing needs, from its channel dependency graph.

This is the one place where the designer asks about deadlock.
"""

from __future__ import annotations

from hopscape.core.measured import How, Measured
from hopscape.metrics.routes import Routes

__all__ = ["virtual_channels"]


def virtual_channels(routes: Routes) -> Measured[int | None]:
    """Classes of virtual channels with which these routes cannot deadlock.

    One class when the channel dependency graph has no cycle (Dally and Seitz). Otherwise a packet
    may use class i on its i-th hop, so that as many classes as the longest route has hops are
    always enough: an upper bound.

    Examples
    --------
    >>> import hopscape
    >>> from hopscape.metrics.routes import all_routes
    >>> virtual_channels(all_routes(hopscape.build("hypercube(4)"))).value
    1
    """
    if routes.cyclic() == 0:
        how: How = "exact" if routes.whole else "sampled"
        return Measured(1, how, "no cycle among channel dependencies")
    return Measured(routes.longest, "bound", "one class per hop")
