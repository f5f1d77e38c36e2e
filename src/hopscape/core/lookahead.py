"""Routing by looking one hop ahead: take the first port behind which the target is near."""

from __future__ import annotations

from hopscape.core.network import Network

__all__ = ["look_ahead_route"]


def look_ahead_route(
    network: Network,
    source: int,
    target: int,
    *,
    last_is_tested: bool = False,
    self_adjacent: bool = True,
) -> list[int] | None:
    """Follow the rule "take the first port that leads to the target or to a neighbour of it".

    Args:
        last_is_tested: The last port must pass the test as well; otherwise it is taken when no
            other one does.
        self_adjacent: Does a port that leads to the target itself pass the test?

    Returns:
        list of int, or None: The nodes on the way; None when no port may be taken or the way runs
            in circles.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("heawood")
        >>> look_ahead_route(net, 0, 7), look_ahead_route(net, 0, 7, last_is_tested=True)
        ([0, 9, 8, 7], None)
    """
    path = [source]
    near = set(network.neighbours(target)) | ({target} if self_adjacent else set())
    while path[-1] != target:
        ways = network.neighbours(path[-1])
        passing = [v for v in ways if v in near]
        if not passing and last_is_tested:
            return None
        path.append(passing[0] if passing else ways[-1])
        if len(path) > 4 * network.order:
            return None
    return path
