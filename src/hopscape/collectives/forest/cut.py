"""The cut that decides how fast everybody's data can reach everybody."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hopscape.collectives.forest.arcs import Arcs
from hopscape.core.arrays import IntArray
from hopscape.core.distances import distances_from
from hopscape.core.errors import DisconnectedError
from hopscape.core.network import Network
from hopscape.core.progress import check_time, track

__all__ = ["Bottleneck", "bottleneck", "cut_effort"]


@dataclass(frozen=True)
class Bottleneck:
    """A set of nodes whose data leave it slowest.

    Attributes:
        inside: Endpoints in the set.
        leaving: Chunks that the channels out of it carry in a round.
        side (bool[order]): The set.
    """

    inside: int
    leaving: int
    side: IntArray

    @property
    def rounds(self) -> Fraction:
        """Rounds per chunk of every endpoint in a long all-gather: no schedule takes fewer."""
        return Fraction(self.inside, self.leaving)

    def describe(self) -> str:
        """The proof in words, naming the smaller side of the cut."""
        nodes, others = np.nonzero(self.side)[0], np.nonzero(~self.side)[0]
        part, verb = (nodes, "leave") if len(nodes) <= len(others) else (others, "enter")
        named = ", ".join(map(str, part[:4].tolist())) + ", ..." * (len(part) > 4)
        noun = f"node{'s' * (len(part) > 1)}"
        lanes = f"{self.leaving} in a round"
        return f"{self.inside} chunks must {verb} {noun} {named}, at most {lanes}"


def cut_effort(network: Network) -> int:
    """About how many steps :func:`bottleneck` takes: sinks times channels."""
    return len(_sinks(network)) * len(network.heads)


def _evenly_connected(network: Network) -> bool:
    """Is the network connected, and is its every node like every other, with links alike?"""
    like = network.symmetry is not None and network.symmetry.transitive
    if not like or not network.one_speed or not network.duplex or network.has_switches:
        return False
    return bool((distances_from(network, 0) >= 0).all())


def _sinks(network: Network) -> IntArray:
    """Endpoints of which one of each kind is enough."""
    ends = network.endpoints.astype(np.int64)
    if network.symmetry is not None and network.one_speed:
        some = np.intersect1d(np.asarray(network.symmetry.representatives), ends)
        return some if len(some) else ends
    return ends


def bottleneck(network: Network) -> Bottleneck:
    """The cut with most endpoints inside for the capacity that leaves it.

    An all-gather cannot take fewer rounds than the endpoints of any set, not of all endpoints,
    over what its channels carry in a round; packing spanning trees reaches the worst of them
    (Edmonds 1973; with switches: Zhao et al., ForestColl, 2024). Found by flows from all endpoints
    to each, the rate lowered to the worst cut until all arrive (Dinkelbach 1967). In connected
    vertex-transitive graphs no cut has fewer links than a node has (Mader 1971), so that the cut
    round one node is the worst.

    Examples:
        >>> import hopscape
        >>> found = bottleneck(hopscape.build("torus(8, 8)"))
        >>> found.rounds, found.describe()
        (Fraction(63, 4), '63 chunks must enter node 0, at most 4 in a round')
    """
    ends = network.endpoints.astype(np.int64)
    plain = Arcs.of(network)
    if len(ends) < 2:
        return Bottleneck(0, 1, np.zeros(network.order, dtype=bool))
    search = _Search(plain, ends)
    into = np.bincount(plain.heads, weights=plain.capacity, minlength=network.order)[ends]
    first = int(ends[into.argmin()])
    if not into.min():
        raise DisconnectedError(
            f"{network.spec} has nodes that cannot be reached, so that no schedule exists"
        )
    side = np.ones(network.order, dtype=bool)
    side[first] = False
    best = Bottleneck(len(ends) - 1, int(into.min()), side)
    sinks = _sinks(network)
    if _evenly_connected(network):
        return best
    for v in track(sinks.tolist(), f"cuts of {network.spec}", len(sinks)):
        check_time(f"the cuts of {network.spec}")
        best = search.lowered(best, v)
        if not best.leaving:
            raise DisconnectedError(
                f"{network.spec} has nodes that cannot be reached, so that no schedule exists"
            )
    return best


class _Search:
    """Flows from all endpoints at once, at the rate of a cut."""

    def __init__(self, plain: Arcs, ends: IntArray) -> None:
        self.plain, self.ends = plain, ends
        self.indptr, self.arcs, self.heads, self.whole = plain.with_top(ends).csr()

    def lowered(self, best: Bottleneck, sink: int) -> Bottleneck:
        """The worst cut before this sink, if it is worse than the one that is known."""
        from hopscape.collectives.forest.flow_kernels import largest_flow, source_side

        top = self.plain.nodes
        while best.leaving:
            rate = 1 / best.rounds
            left = self.whole * rate.denominator
            left[2 * len(self.plain.tails) :: 2] = rate.numerator
            wanted = len(self.ends) * rate.numerator
            flow = largest_flow(self.indptr, self.arcs, self.heads, left, top, sink, wanted)
            if flow == wanted:
                break
            side = source_side(self.indptr, self.arcs, self.heads, left, top)[:top]
            crossing = side[self.plain.tails] & ~side[self.plain.heads]
            leaving = int(self.plain.capacity[crossing].sum())
            best = Bottleneck(int(side[self.ends].sum()), leaving, side)
        return best
