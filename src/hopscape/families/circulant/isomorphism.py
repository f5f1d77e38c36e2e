"""Isomorphism of circulants, beyond multipliers.

Circulants that a multiplier turns into each other are isomorphic; the converse (Ádám's conjecture)
fails: ``circulant(16, 1, 2, 7)`` and ``circulant(16, 2, 3, 5)`` are isomorphic and no multiplier
says so. It holds exactly for orders m, 2m and 4m with odd square-free m and for 8, 9 and 18
(M. Muzychuk, On Ádám's conjecture for circulant graphs, Discrete Mathematics 176, 1997).

All nodes look alike, so that an isomorphism may send node 0 to node 0. Then colours are refined on
both sides by the same rule; while nodes share a colour, one is singled out on the first side and
everyone of its colour is tried on the second. O(rounds · degree · nodes) for a refinement; the
search is exponential at worst and counts its work.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, chain, count, repeat

import numpy as np

from hopscape.algebra.fields import is_prime, prime_factors
from hopscape.core.arrays import Array, IntArray
from hopscape.core.errors import TooLargeError
from hopscape.families.circulant.closed_forms import find_multiplier, fold

__all__ = [
    "compare_circulants",
    "count_classes",
    "find_isomorphism",
    "isomorphism_classes",
    "multipliers_suffice",
]

_MOST_WORK = 2_000_000_000  # colours of channels looked at: about ten seconds
_MOST_SEARCHED = 20_000  # nodes: seconds
_MOST_FACTORED = 10**12  # orders, by trial division
_LEAST_PRIME = 1 << 30  # 2^-30 for two different sums of roots to meet
_ODD = np.uint64(0xD6E8FEB86659FD93)


def multipliers_suffice(nodes: int, *, directed: bool = False) -> bool:
    """Are all isomorphic circulants of this order equal up to a multiplier (Muzychuk 1997)?

    Examples:
        >>> [n for n in range(1, 33) if not multipliers_suffice(n)]
        [16, 24, 25, 27, 32]
        >>> [n for n in range(1, 25) if not multipliers_suffice(n, directed=True)]
        [8, 9, 16, 18, 24]
    """
    if not directed and nodes in (8, 9, 18):
        return True
    odd = nodes // 2 if nodes % 2 == 0 else nodes
    odd = odd // 2 if odd % 2 == 0 else odd
    factors = prime_factors(odd)
    return odd % 2 == 1 and all(odd % (p * p) for p in factors)


def find_isomorphism(
    nodes: int, generators: Sequence[int], others: Sequence[int], *, directed: bool = False
) -> IntArray | None:
    """A renumbering that turns one circulant into another of the same order; None: there is none.

    Parallel links count. Entry v of the result is the new number of node v; by a multiplier where
    there is one.

    Raises:
        TooLargeError: When the search takes too long.

    Examples:
        >>> find_isomorphism(16, (1, 2, 7), (2, 3, 5)).tolist()
        [0, 13, 2, 15, 4, 1, 6, 3, 8, 5, 10, 7, 12, 9, 14, 11]
        >>> find_isomorphism(16, (1, 2, 7), (1, 2, 5)) is None
        True
    """
    unit = find_multiplier(nodes, generators, others, directed=directed)
    if unit is not None:
        return unit * np.arange(nodes) % nodes
    if len(generators) != len(others):
        return None
    return _Search(nodes, generators, others, directed).run()


def compare_circulants(
    nodes: int, generators: Sequence[int], others: Sequence[int], *, directed: bool = False
) -> tuple[bool | None, str]:
    """Are two circulants of one order isomorphic, and how is it known? None: not decided.

    Examples:
        >>> compare_circulants(16, (1, 2, 7), (2, 3, 5))
        (True, 'by a map that is no multiplier')
        >>> compare_circulants(10**6 + 3, (1, 2, 7), (1, 2, 5))[0]
        False
    """
    try:
        if find_multiplier(nodes, generators, others, directed=directed) is not None:
            return True, "by a multiplier"
        pair = [fold(nodes, one, directed=directed) for one in (generators, others)]
        if nodes > _MOST_SEARCHED:
            simple = all(len(set(one)) == len(one) for one in pair)
            if simple and nodes <= _MOST_FACTORED and multipliers_suffice(nodes, directed=directed):
                return False, "no multiplier, and this order needs no other map (Muzychuk 1997)"
            return None, f"no multiplier; other maps are looked for up to {_MOST_SEARCHED} nodes"
        if find_isomorphism(nodes, generators, others, directed=directed) is None:
            return False, "by search"
    except TooLargeError as error:
        return None, str(error)
    return True, "by a map that is no multiplier"


def isomorphism_classes(
    nodes: int, sets: Sequence[Sequence[int]], *, directed: bool = False
) -> list[list[tuple[int, ...]]]:
    """Sets of generators of one order, those of isomorphic circulants together.

    Raises:
        TooLargeError: When two of them take too long to tell apart.

    Examples:
        >>> isomorphism_classes(16, [(1, 2, 7), (1, 2, 5), (2, 3, 5)])
        [[(1, 2, 7), (2, 3, 5)], [(1, 2, 5)]]
    """
    spectra: dict[bytes, list[list[tuple[int, ...]]]] = {}
    for one in map(tuple, sets):
        classes = spectra.setdefault(_spectrum(nodes, one, directed), [])
        for members in classes:
            if find_isomorphism(nodes, members[0], one, directed=directed) is not None:
                members.append(one)
                break
        else:
            classes.append([one])
    return list(chain.from_iterable(spectra.values()))


def count_classes(nodes: int, sets: Sequence[Sequence[int]], *, directed: bool = False) -> int:
    """How many of these different sets, no two equal up to a multiplier, are not isomorphic.

    Without a search where Muzychuk's theorem says that all are.

    Examples:
        >>> count_classes(16, [(1, 2, 7), (1, 2, 5), (2, 3, 5)])
        2
    """
    if len(sets) <= 1 or multipliers_suffice(nodes, directed=directed):
        return len(sets)
    return len(isomorphism_classes(nodes, sets, directed=directed))


def _spectrum(nodes: int, generators: Sequence[int], directed: bool) -> bytes:
    """The eigenvalues in a field of integers that has N-th roots of unity: the same if isomorphic.

    Eigenvalue j is Σ w^(js) over the ports s, with a root w of order N; they are the roots of the
    characteristic polynomial modulo a prime. Nearly all circulants that are not isomorphic differ.
    """
    prime, powers = _roots(nodes)
    turns = np.arange(nodes)[:, None] * _moves(nodes, generators, directed) % nodes
    return np.sort(powers[turns].sum(axis=1) % prime).tobytes()


@lru_cache(maxsize=4)
def _roots(nodes: int) -> tuple[int, IntArray]:
    """A prime p ≡ 1 mod N and the powers of an element of order N."""
    prime = (_LEAST_PRIME // nodes + 1) * nodes + 1
    while not is_prime(prime):
        prime += nodes
    orders = [nodes // q for q in prime_factors(nodes)]
    roots = (pow(x, (prime - 1) // nodes, prime) for x in count(2))
    root = next(w for w in roots if all(pow(w, k, prime) != 1 for k in orders))
    powers = accumulate(repeat(root, nodes - 1), lambda x, w: x * w % prime, initial=1)
    return prime, np.fromiter(powers, dtype=np.int64, count=nodes)


class _Search:
    """Nodes singled out one by one in the first circulant, and their images in the second."""

    def __init__(
        self, nodes: int, generators: Sequence[int], others: Sequence[int], directed: bool
    ) -> None:
        self.nodes = nodes
        self.first = _moves(nodes, generators, directed)
        self.second = _moves(nodes, others, directed)
        self.work = 0

    def run(self) -> IntArray | None:
        if len(self.first) != len(self.second):
            return None
        return self._map([0], [0])

    def _map(self, chosen: list[int], images: list[int]) -> IntArray | None:
        mine, rounds = _refine(_single_out(self.nodes, chosen), self.first)
        theirs, _ = _refine(_single_out(self.nodes, images), self.second, rounds)
        self.work += 2 * (rounds + 1) * self.nodes * (len(self.first) + 10)
        if self.work > _MOST_WORK:
            raise TooLargeError(f"it takes too long to compare circulants of {self.nodes} nodes")
        if not np.array_equal(np.sort(mine), np.sort(theirs)):
            return None
        colours, cell, sizes = np.unique(mine, return_inverse=True, return_counts=True)
        image = np.empty(self.nodes, dtype=np.int64)
        image[np.argsort(mine, kind="stable")] = np.argsort(theirs, kind="stable")
        if self._holds(image):  # the only candidate once all colours differ, a good guess before
            return image
        if len(colours) == self.nodes:
            return None
        least = np.where(sizes > 1, sizes, self.nodes + 1).argmin()
        node = int(np.argmax(cell == least))
        for other in np.flatnonzero(theirs == colours[least]).tolist():
            found = self._map([*chosen, node], [*images, other])
            if found is not None:
                return found
        return None

    def _holds(self, image: IntArray) -> bool:
        """Is every link sent to a link?"""
        every = np.arange(self.nodes)
        mine = [(image[(every + s) % self.nodes] - image) % self.nodes for s in self.first]
        return bool((np.sort(mine, axis=0) == np.sort(self.second)[:, None]).all())


def _moves(nodes: int, generators: Sequence[int], directed: bool) -> IntArray:
    """Where the ports of node 0 lead."""
    folded = fold(nodes, generators, directed=directed)
    if directed:
        return np.asarray(folded, dtype=np.int64)
    return np.asarray([*folded, *(nodes - s for s in folded if 2 * s != nodes)], dtype=np.int64)


def _single_out(nodes: int, chosen: Sequence[int]) -> Array:
    start = np.zeros(nodes, dtype=np.uint64)
    start[list(chosen)] = np.arange(1, len(chosen) + 1, dtype=np.uint64)
    return start


def _refine(colours: Array, moves: IntArray, rounds: int = -1) -> tuple[Array, int]:
    """Colours by those of the neighbours, until no more are told apart or for so many rounds.

    Sums of hashed colours depend on the structure alone, so that those of two circulants can be
    compared; two that meet by chance leave colours coarser, never wrong.
    """
    count, done = len(np.unique(colours)), 0
    while done != rounds:
        mixed = _mix(colours)
        finer = mixed * _ODD
        for s in moves.tolist():
            finer = finer + np.roll(mixed, s)
        now = len(np.unique(finer))
        if rounds < 0 and now <= count:
            break
        colours, count, done = finer, now, done + 1
    return colours, done


def _mix(colours: Array) -> Array:
    """64 well mixed bits for each colour (splitmix64)."""
    z = (colours + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
