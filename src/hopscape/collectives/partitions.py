"""The partition of a network that makes an all-reduce carry most.

Whatever a schedule does, seen from afar the parts of a partition exchange their sums: each chunk
enters parts 2 (m - 1) times where there are m of them, as one-way gossip takes (Harary and Schwenk
1974), by the channels into the parts. The worst partition is that of Nash-Williams and of
Cunningham's strength, found by as many least cuts as there are endpoints (Dilworth's truncation;
Schrijver, Combinatorial Optimization, chapter 48).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from hopscape.collectives.forest import Arcs
from hopscape.core.arrays import IntArray
from hopscape.core.network import Network
from hopscape.core.progress import check_time

__all__ = ["Partition", "worst_partition"]

_MUCH = 1 << 50
"""More than any cut."""


@dataclass(frozen=True)
class Partition:
    """Parts of the endpoints, and what the channels into all of them carry in a round."""

    parts: tuple[tuple[int, ...], ...]
    entering: int

    @property
    def rounds(self) -> Fraction:
        """Rounds per chunk of a long all-reduce: no schedule takes fewer."""
        return Fraction(2 * (len(self.parts) - 1), self.entering)


def worst_partition(network: Network) -> Partition | None:
    """The partition whose channels carry most in an all-reduce; None: some part cannot be entered.

    Examples:
        >>> import hopscape
        >>> found = worst_partition(hopscape.build("leaf_spine(2, 1, 4)"))
        >>> found.parts, found.rounds  # each leaf has four links to the spine
        (((0,), (1,), (2,), (3,), (4,), (5,), (6,), (7,)), Fraction(7, 4))
    """
    search = _Search(network)
    best = search.of([[v] for v in search.ends.tolist()])
    if not best.entering:
        return None
    if search.alike(best):
        return best
    while True:
        check_time(f"partitions of {network.spec}")
        other = search.of(search.cheapest(best.rounds))
        if len(other.parts) < 2 or not other.entering or other.rounds <= best.rounds:
            return best
        best = other


class _Search:
    """Least cuts between endpoints."""

    def __init__(self, network: Network) -> None:
        self.plain = Arcs.of(network)
        self.ends = network.endpoints.astype(np.int64)
        top = self.plain.nodes  # the outside, and what S must hold
        tails = [self.plain.tails, np.full(len(self.ends), top), self.ends]
        heads = [self.plain.heads, self.ends, np.full(len(self.ends), top + 1)]
        room = [self.plain.capacity, np.zeros(2 * len(self.ends), dtype=np.int64)]
        arcs = Arcs(top + 2, *(np.concatenate(x) for x in (tails, heads, room)))
        self.indptr, self.arcs, self.heads, self.whole = arcs.csr()

    def alike(self, singles: Partition) -> bool:
        """Is every endpoint as narrow as the narrowest cut, so that no partition is worse?"""
        into = singles.entering // len(self.ends)
        one = [int(self.ends[0])]
        others = [[v] for v in self.ends.tolist()[1:]]
        if into * len(self.ends) != singles.entering:
            return False
        return all(
            self.least_cut(1, 0, away, near)[0] >= into
            for v in others
            for away, near in ((one, v), (v, one))
        )

    def of(self, parts: list[list[int]]) -> Partition:
        """A partition, its parts with the switches that make them narrowest."""
        entering = 0
        for part in parts:
            others = np.setdiff1d(self.ends, part).tolist()
            entering += self.least_cut(1, 0, others, part)[0] if others else 0
        return Partition(tuple(tuple(sorted(part)) for part in parts), entering)

    def least_cut(
        self, times: int, weight: IntArray | int, outside: list[int], inside: list[int]
    ) -> tuple[int, IntArray]:
        """The set that is cheapest to enter, and what that costs: room, and weights of its nodes.

        Args:
            times: What room costs.
            weight (int64[nodes]): What a node in the set costs.
            outside, inside: Endpoints that the set must not hold, and must.
        """
        from hopscape.metrics.flow_kernels import largest_flow, source_side

        nodes, own, ends = self.plain.nodes, 2 * len(self.plain.tails), self.ends
        weights = np.broadcast_to(weight, nodes).astype(np.int64)
        left = self.whole * times
        most = own + 2 * len(ends)
        left[own:most:2], left[most::2] = (
            np.maximum(weights, 0)[ends],
            np.maximum(-weights, 0)[ends],
        )
        place = np.searchsorted(ends, outside), np.searchsorted(ends, inside)
        left[own + 2 * place[0]] = left[most + 2 * place[1]] = _MUCH
        cut = largest_flow(self.indptr, self.arcs, self.heads, left, nodes, nodes + 1, _MUCH)
        side = source_side(self.indptr, self.arcs, self.heads, left, nodes)[:nodes]
        return int(cut) - int(np.maximum(-weights, 0)[ends].sum()), ~side

    def cheapest(self, rounds: Fraction) -> list[list[int]]:
        """The partition with least room into its parts, each of which is worth 2 in so many rounds.

        Endpoint by endpoint, the cheapest set of it and of those before it says what it pays;
        those that pay together are a part.
        """
        times, worth = rounds.numerator, 2 * rounds.denominator
        pays = np.zeros(self.plain.nodes, dtype=np.int64)
        part: dict[int, list[int]] = {}
        ends = self.ends.tolist()
        for k, v in enumerate(ends):
            cost, side = self.least_cut(times, -pays, ends[k + 1 :], [v])
            pays[v] = cost - worth
            mine = [v]
            for u in ends[:k]:
                if side[u] and u not in mine:
                    mine += part[u]
            for u in mine:
                part[u] = mine
        return list({id(mine): mine for mine in part.values()}.values())
