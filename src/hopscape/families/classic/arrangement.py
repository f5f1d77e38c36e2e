"""Arrangement graphs, the star graph among them."""

from __future__ import annotations

from collections.abc import Iterator
from math import factorial, prod

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix, node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.errors import AddressError, ArgumentError
from hopscape.core.family import Facts, Family, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Router, pick, spread

__all__ = ["Arrangement", "Arrangements"]


class Arrangements(Addresses):
    """Tuples of k different symbols below n, in the order of dictionaries.

    Examples:
        >>> words = Arrangements(4, 2)
        >>> words.order, words.tuple(5), words.number((1, 3))
        (12, (1, 3), 5)
    """

    def __init__(self, n: int, k: int) -> None:
        self.n = n
        self._digits = MixedRadix([n - i for i in range(k)])
        self.order, self.width = self._digits.order, k

    def tuples(self, nodes: IntArray) -> IntArray:
        out = self._digits.tuples(nodes)
        for i in range(self.width - 2, -1, -1):
            after = out[..., i + 1 :]
            out[..., i + 1 :] = after + (after >= out[..., i : i + 1]).astype(np.int64)
        return out

    def numbers(self, addresses: IntArray) -> IntArray:
        given = self.entries(addresses)
        wrong = ((given < 0) | (given >= self.n)).any(axis=-1)
        for i in range(1, self.width):
            wrong |= (given[..., :i] == given[..., i : i + 1]).any(axis=-1)
        if wrong.any():
            bad = given[wrong].reshape(-1, self.width)[0]
            raise AddressError(
                f"address ({', '.join(map(str, bad))}) is not an arrangement; expected"
                f" {self.describe()}"
            )
        return self.rank(given)

    def rank(self, words: IntArray) -> IntArray:
        """Numbers of words that are known to be arrangements."""
        digits = np.array(words)
        for i in range(1, self.width):
            lower = (words[..., :i] < words[..., i : i + 1]).sum(axis=-1)
            digits[..., i] = words[..., i] - lower
        return self._digits.numbers(digits)

    def describe(self) -> str:
        return f"an address of {self.width} different entries 0..{self.n - 1}"


class Arrangement(Family):
    """Arrangements of k of n symbols; two are joined when they differ in one place.

    Day and Tripathi, "Arrangement graphs: a class of generalized star graphs", Information
    Processing Letters 42, 1992: n!/(n - k)! nodes of degree k(n - k), diameter floor(3k/2).
    k = n - 1 is the star graph, k = 1 the complete graph. Ports: place by place, the symbols not
    in use in rising order.
    """

    name = "arrangement"
    summary = "arrangement graph: k of n symbols, joined when one place differs; star graphs, too"
    parameters = integers(n=("symbols", 2, 500), k="places, fewer than symbols")
    example = "arrangement(4, 2)"
    transitive = True

    def __init__(self, n: int, k: int) -> None:
        if k >= n:
            raise ArgumentError(f"k is {k}; it must be less than n, {n}")
        self.n, self.k = n, k
        self._words = Arrangements(n, k)

    @property
    def order(self) -> int:
        return self._words.order

    @property
    def ports(self) -> int:
        return self.k * (self.n - self.k)

    @property
    def addresses(self) -> Addresses:
        return self._words

    def words(self, nodes: IntArray) -> IntArray:
        """The arrangements of nodes, as int64."""
        return self._words.tuples(nodes).astype(np.int64)

    def neighbours(self, nodes: IntArray) -> IntArray:
        words, left = self.words(nodes), self.n - self.k
        used = np.zeros((len(nodes), self.n), dtype=bool)
        np.put_along_axis(used, words, True, axis=1)
        free = np.nonzero(~used)[1].reshape(len(nodes), left)
        out = np.empty((len(nodes), self.ports), dtype=node_dtype(self.order))
        for place in range(self.k):
            moved = np.repeat(words[:, None, :], left, axis=1)
            moved[:, :, place] = free
            out[:, place * left : (place + 1) * left] = self._words.rank(moved)
        return out

    def facts(self) -> Facts:
        n, k, degree = self.n, self.k, self.ports
        reach = 3 * k // 2
        girth = 3 if n - k > 1 else 6 if n > 2 else None
        return Facts.symmetric(self.order, degree, reach, girth=girth)

    def router(self, network: Network) -> Router:
        return ArrangementRouter(network, self)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """The nearest sizes with few enough ports."""
        specs: dict[int, str] = {}
        for n in range(3, requirement.ports + 2):
            for k in range(2, n):
                order = prod(range(n - k + 1, n + 1))
                if order > requirement.high or factorial(k) > requirement.high:
                    break
                if k * (n - k) <= requirement.ports:
                    specs.setdefault(order, cls(n, k).spec)
        yield from (specs[size] for size in requirement.near(specs)[:2])


class ArrangementRouter(FamilyRouter[Arrangement]):
    """Every misplaced symbol takes one hop, and every cycle of places in use one more."""

    name = "cycle by cycle"

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        family = self._family
        here, there = family.words(at), family.words(to)
        places = np.arange(family.k)
        where = np.full((len(at), family.n), -1)
        np.put_along_axis(where, here, np.broadcast_to(places, here.shape), axis=1)
        after = np.take_along_axis(where, there, axis=1)  # where the symbol wanted is now
        wrong = here != there
        step = np.where(wrong, after, -1)
        lowest, mark = np.broadcast_to(places, here.shape).copy(), step
        for _ in range(family.k):
            lowest = np.where(mark >= 0, np.minimum(lowest, mark), lowest)
            ahead = np.take_along_axis(step, np.maximum(mark, 0), axis=1)
            mark = np.where(mark >= 0, ahead, -1)
        heads = wrong & (mark >= 0) & (lowest == places)
        return wrong.sum(axis=1) + heads.sum(axis=1)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        return pick(self.shortest_ports(at, to), spread(at, to))
