"""Path lengths in jumps.

A *hop* is a link of the built network. A *jump* goes from endpoint to endpoint, crossbars in
between not counted: the unit in which supercomputers quote their path lengths.
"""

from __future__ import annotations

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.papers.blockdesign.two_level import TwoLevel

__all__ = ["joining_channels", "jumps_from", "reserve_jumps"]


def jumps_from(
    network: Network,
    source: int,
    dead: IntArray | None = None,
    until: IntArray | None = None,
) -> IntArray:
    """Endpoint-to-endpoint jumps from a node to all nodes, crossbars passed for free; -1: no path.

    Args:
        dead (bool[channels], optional): Channels that do not work.
        until (int array, optional): Stop when all these nodes are reached.

    Examples:
        >>> import hopscape
        >>> jumps_from(hopscape.build("distributed_switch(7, 3, 1)"), 0)[:7].tolist()
        [0, 1, 1, 1, 1, 1, 1]
    """
    from hopscape.papers.blockdesign.jump_kernels import count_jumps

    switch = np.ones(network.order, dtype=bool)
    switch[network.endpoints] = False
    wanted = np.zeros(0 if until is None else network.order, dtype=bool)
    if until is not None:
        wanted[until] = True
    broken = np.zeros(0, dtype=bool) if dead is None else np.asarray(dead, dtype=bool)
    jumps = np.empty(network.order, dtype=np.int64)
    count_jumps(network.indptr, network.heads, switch, broken, network.node(source), wanted, jumps)
    return jumps


def joining_channels(network: Network, first: int, second: int) -> IntArray:
    """The channels that lead directly from one supernode to another, in order of their numbers."""
    family = network.family
    if not isinstance(family, TwoLevel) or family.between.has_switches:
        raise ArgumentError(f"{network.spec} has no direct links between its supernodes")
    for group in (first, second):
        if not 0 <= group < family.count:
            raise ArgumentError(f"supernode {group} is not one of 0..{family.count - 1}")
    low, high = network.indptr[first * family.size], network.indptr[(first + 1) * family.size]
    there = network.heads[low:high] // family.size
    ends = network.heads[low:high] < family.ends
    joining = low + np.nonzero(ends & (there == second))[0]
    if first == second or not len(joining):
        raise ArgumentError(f"supernodes {first} and {second} are not joined by a link")
    return joining


def reserve_jumps(
    network: Network, first: int = 0, second: int = 1, *, every: int = 1
) -> tuple[int, int]:
    """Longest path in jumps between two supernodes: whole, and with their first joining link dead.

    Only for supernodes that are joined directly (an outer network without crossbars); from each
    endpoint of the first supernode, or from each `every`-th. -1 where there is no path left.
    """
    channel = joining_channels(network, first, second)[0]
    dead = np.zeros(len(network.heads), dtype=bool)
    dead[channel] = True
    if network.reverse[channel] >= 0:
        dead[network.reverse[channel]] = True
    size = network.family.size  # type: ignore[union-attr]
    target = np.arange(second * size, (second + 1) * size)
    hops: list[list[int]] = [[], []]
    for i in range(0, size, every):
        for k, broken in enumerate((None, dead)):
            hops[k] += jumps_from(network, first * size + i, broken, target)[target].tolist()
    whole, broken_far = (-1 if min(part) < 0 else max(part) for part in hops)
    return whole, broken_far
