"""Cayley graphs of permutations: bubble-sort graphs and pancake graphs."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from math import factorial

import numpy as np

from hopscape.core.addresses import Addresses, node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.family import Facts, Family, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Router
from hopscape.families.classic.arrangement import Arrangements

__all__ = ["BubbleSort", "Pancake"]

_MOST_LISTED = 9  # symbols whose permutations' distances are kept: 362,880 bytes


class _Sorting(Family):
    """Words of n different symbols; port i moves symbols to other places, whatever they are."""

    transitive = True

    def __init__(self, n: int) -> None:
        self.n = n
        self._words = Arrangements(n, n)

    @property
    def order(self) -> int:
        return factorial(self.n)

    @property
    def ports(self) -> int:
        return self.n - 1

    @property
    def addresses(self) -> Addresses:
        return self._words

    @abstractmethod
    def places(self) -> IntArray:
        """Row i: which place each symbol of the next word comes from, by port i."""

    def neighbours(self, nodes: IntArray) -> IntArray:
        words = self._words.tuples(nodes).astype(np.int64)
        out = np.empty((len(nodes), self.ports), dtype=node_dtype(self.order))
        for port, places in enumerate(self.places()):
            out[:, port] = self._words.rank(words[:, places])
        return out

    def left(self, at: IntArray, to: IntArray) -> IntArray:
        """Words that are as far from the sorted one as `at` from `to`, by the same ports."""
        here = self._words.tuples(at).astype(np.int64)
        there = self._words.tuples(to).astype(np.int64)
        return np.take_along_axis(np.argsort(there, axis=1), here, axis=1)

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray:
        """Other names for the symbols."""
        by, nodes = np.broadcast_arrays(by, nodes)
        names, words = self._words.tuples(by.ravel()), self._words.tuples(nodes.ravel())
        moved = np.take_along_axis(names, words.astype(np.int64), axis=1)
        return self._words.rank(moved).reshape(by.shape)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        sizes = {n: factorial(n) for n in range(2, min(requirement.ports + 1, 20) + 1)}
        yield from (cls(n).spec for n, order in sizes.items() if requirement.fits(order))


class BubbleSort(_Sorting):
    """Port i exchanges the symbols at places i and i + 1 (Akers and Krishnamurthy 1989)."""

    name = "bubble_sort"
    summary = "bubble-sort graph: permutations, neighbouring places exchanged; n! nodes"
    parameters = integers(n=("symbols", 2, 200))
    example = "bubble_sort(4)"

    def places(self) -> IntArray:
        rows = np.tile(np.arange(self.n), (self.ports, 1))
        port = np.arange(self.ports)
        rows[port, port], rows[port, port + 1] = port + 1, port
        return rows

    def facts(self) -> Facts:
        n, order = self.n, self.order
        far = n * (n - 1) // 2
        mean = Fraction(order * far, 2 * (order - 1))
        girth = {2: None, 3: 6}.get(n, 4)
        return Facts.symmetric(order, n - 1, far, mean_distance=mean, girth=girth)

    def router(self, network: Network) -> Router:
        return BubbleSortRouter(network, self)


class BubbleSortRouter(FamilyRouter[BubbleSort]):
    """A hop for each pair of symbols in the wrong order; the first such neighbours first."""

    name = "bubble sort"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        words = self._family.left(at, to)
        out = np.zeros(len(words), dtype=np.int64)
        for place in range(1, self._family.n):
            out += (words[:, :place] > words[:, place : place + 1]).sum(axis=1)
        return out

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        falls = self.shortest_ports(at, to)
        return np.where(falls.any(axis=1), falls.argmax(axis=1), -1)

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        words = self._family.left(at, to)
        falls: IntArray = words[:, :-1] > words[:, 1:]
        return falls


class Pancake(_Sorting):
    """Port i turns the first i + 2 symbols round (Gates and Papadimitriou 1979).

    No formula gives the distances (to sort with fewest turns is NP-hard). Diameters are those of
    the literature up to n = 13; tests measure the first.
    """

    name = "pancake"
    summary = "pancake graph: permutations, a first part of any length turned round; n! nodes"
    parameters = integers(n=("symbols", 2, 200))
    example = "pancake(4)"

    def places(self) -> IntArray:
        rows = np.tile(np.arange(self.n), (self.ports, 1))
        for port in range(self.ports):
            rows[port, : port + 2] = rows[port, : port + 2][::-1]
        return rows

    def facts(self) -> Facts:
        known = dict(enumerate((1, 3, 4, 5, 7, 8, 9, 10, 11, 13, 14, 15), 2))
        diameter, degree = known.get(self.n), self.ports
        return Facts.regular(
            self.order,
            degree,
            connected=True,
            diameter=diameter,
            radius=diameter,
            girth=6 if self.n > 2 else None,
            node_connectivity=degree,
            edge_connectivity=degree,
            vertex_transitive=True,
        )

    def router(self, network: Network) -> Router | None:
        return PancakeRouter(network, self) if self.n <= _MOST_LISTED else None


class PancakeRouter(FamilyRouter[Pancake]):
    """The distances of all words from the sorted one, the same at every node: n! bytes."""

    name = "one vector for all nodes"

    @property
    def table_bytes(self) -> int:  # type: ignore[override]
        return self._family.order

    @cached_property
    def _far(self) -> IntArray:
        far = np.full(self._family.order, -1, dtype=np.int8)
        fresh, level = np.zeros(1, dtype=np.int64), 0
        while len(fresh):
            far[fresh] = level
            heads = np.unique(self._family.neighbours(fresh))
            fresh, level = heads[far[heads] < 0], level + 1
        return far

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        words = Arrangements(self._family.n, self._family.n).rank(self._family.left(at, to))
        return self._far[words].astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        nearer = self.shortest_ports(at, to)
        return np.where(nearer.any(axis=1), nearer.argmax(axis=1), -1)
