"""An all-to-all as a sequence of permutations, one endpoint to one endpoint in a round.

Shifts (in round r the i-th endpoint sends to the one r places on) suit fat trees, but on a
dragonfly they send all packets of a group over the one link to the same other group. Skewed shifts
let the members of a group send to different groups: member k of group g sends to group g + b + c·k,
which is another one for each k. They are Latin squares: in every round each endpoint receives once,
and over all rounds from everybody once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.network import Network

__all__ = ["Shifts", "best_shifts"]

_SKEWS = (1, 2, 3, 4, 5, 7, 8)
_SAMPLE = 24


class Shifts(NamedTuple):
    """Rounds of an all-to-all among `ends` endpoints in groups of `size` that follow each other.

    Examples:
        >>> [row.tolist() for row in Shifts(4).rounds()]
        [[1, 2, 3, 0], [2, 3, 0, 1], [3, 0, 1, 2]]
        >>> [row.tolist() for row in Shifts(4, 2, 1).rounds()]
        [[0, 3, 2, 1], [1, 2, 3, 0], [2, 1, 0, 3], [3, 0, 1, 2]]
    """

    ends: int
    size: int = 1
    skew: int = 0

    def rounds(self, step: int = 1) -> Iterator[IntArray]:
        """To which endpoint each one sends (itself: nothing), every `step`-th round of them."""
        groups = self.ends // self.size
        group, member = np.divmod(np.arange(self.ends), self.size)
        for r in range(0 if self.skew else 1, self.ends, step):
            on, within = divmod(r, self.size)
            towards = (group + on + self.skew * member) % groups
            yield towards * self.size + (member + within) % self.size


def best_shifts(network: Network) -> Shifts:
    """The shifts whose rounds keep the busiest channels of the network's own routes least busy."""
    count = network.endpoint_count
    found = [Shifts(count)]
    for size in _group_sizes(network):
        found += [Shifts(count, size, skew) for skew in _SKEWS if skew < count // size]
    if len(found) == 1:
        return found[0]
    return min(found, key=lambda shifts: _busy(network, shifts))


def _busy(network: Network, shifts: Shifts) -> float:
    """For how long a round keeps its busiest channel busy, over some rounds."""
    router, room, ends = network.router(), network.room(), network.endpoints.astype(np.int64)
    total = 0.0
    for targets in shifts.rounds(max(1, shifts.ends // _SAMPLE)):
        sends = np.flatnonzero(targets != np.arange(shifts.ends))
        nodes, ports = router.walk(ends[sends], ends[targets[sends]])
        taken = ports >= 0
        channels = network.channel_at(nodes[:, :-1][taken], ports[taken])
        total += float((np.bincount(channels, minlength=len(room)) / room).max(initial=0))
    return total


def _group_sizes(network: Network) -> list[int]:
    """Sizes of equal groups of endpoints that follow each other: at one switch, or in one part.

    Parts are what the first entries of the address have in common.
    """
    ends = network.endpoints
    at = np.asarray(network.addresses.tuples(ends), dtype=np.int64)
    keys = [at[:, :k] for k in range(1, at.shape[1])]
    if (network.degrees[ends] == 1).all():
        keys.append(network.heads[network.indptr[ends]][:, None])
    sizes = set()
    for key in keys:
        new = np.concatenate([[True], (key[1:] != key[:-1]).any(axis=1)])
        lengths = np.diff(np.append(np.flatnonzero(new), len(ends)))
        if 1 < lengths[0] < len(ends) and (lengths == lengths[0]).all():
            sizes.add(int(lengths[0]))
    return sorted(sizes)
