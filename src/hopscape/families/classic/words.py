"""De Bruijn and Kautz networks: nodes are words, a hop shifts a letter in."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix, node_dtype
from hopscape.core.arrays import IntArray
from hopscape.core.errors import AddressError
from hopscape.core.facts import circle
from hopscape.core.family import Facts, Family, Layout, Parameter, Symmetry
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router

__all__ = ["DeBruijn", "Kautz"]

_PARAMETERS = (
    Parameter("d", "int", "out-degree", low=2),
    Parameter("n", "int", "length of the words (the diameter)", low=1, high=4000),
    Parameter("duplex", "flag", "links both ways, loops and doubles dropped", default=False),
)


class _Words(Family):
    """What both share: d ways to shift a letter in, words of length n."""

    parameters = _PARAMETERS

    def __init__(self, d: int, n: int, duplex: bool = False) -> None:
        self.d, self.n, self.duplex = d, n, duplex

    @property
    def ports(self) -> int:
        return 2 * self.d if self.duplex else self.d

    def _letters(self, nodes: IntArray) -> IntArray:
        """The numbers 0..d-1, if a row of so many for each node fits."""
        require_memory(8 * len(nodes) * self.ports, f"the neighbours of {len(nodes)} nodes")
        return np.asarray(range(self.d), dtype=nodes.dtype)

    @abstractmethod
    def successors(self, nodes: IntArray) -> IntArray:
        """Shift each letter in at the end."""

    @abstractmethod
    def predecessors(self, nodes: IntArray) -> IntArray:
        """Shift each letter in at the front."""

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = self.successors(nodes)
        if not self.duplex:
            return out
        both = np.concatenate([out, self.predecessors(nodes)], axis=1)
        both[both == nodes[:, None]] = -1  # loops
        # a pair wired both ways is one link: of equal entries of a row the first stays
        order = np.argsort(both, axis=1, kind="stable")
        sorted_ = np.take_along_axis(both, order, axis=1)
        again = np.zeros(both.shape, dtype=bool)
        again[:, 1:] = sorted_[:, 1:] == sorted_[:, :-1]
        np.put_along_axis(both, order, np.where(again, -1, sorted_), axis=1)
        return both

    def _digraph_facts(self, **others: Any) -> Facts:
        known = {"connected": True, "diameter": self.n} | others
        return Facts.regular(self.order, self.d, duplex=False, **known)

    def _duplex_facts(self, lost: dict[int, int]) -> Facts:
        """With links both ways: how many words have so many ports less than 2d.

        A word with a loop loses two, a word that leads to one that leads back loses one. The
        connectivity is the least degree: Esfahanian and Hakimi (1985) for de Bruijn, Bermond,
        Homobono and Peyrat (1989) for Kautz networks.
        """
        width, left = 2 * self.d, self.order - sum(lost.values())
        least, most = width - max(lost), width - (0 if left else min(lost))
        channels = width * self.order - sum(ports * words for ports, words in lost.items())
        return Facts(
            degree_min=least,
            degree_max=most,
            links=channels // 2,
            channels=channels,
            connected=True,
            node_connectivity=least,
            edge_connectivity=least,
            vertex_transitive=False if least != most else None,
        )

    def layout(self) -> Layout:
        """Along a closed walk through all words, so that the rim of the circle is wired."""
        places = np.empty((self.order, 2))
        places[_closed_walk(self)] = circle(self.order)
        return Layout(places)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """With links both ways, the widest first."""
        for d in range(requirement.ports // 2, 1, -1):
            longest = requirement.high.bit_length() + 1
            for n in range(2, longest):
                member = cls(d, n, duplex=True)
                if member.order > requirement.high:
                    break
                if requirement.fits(member.order):
                    yield member.spec


def _closed_walk(words: _Words) -> IntArray:
    """A Hamiltonian cycle: an Euler tour of the words that are one letter shorter.

    Word w of n letters is the channel by port w % d that leaves the shorter word w // d.
    """
    d = words.d
    if words.n == 1:
        return np.arange(words.order)
    shorter = type(words)(d, words.n - 1)
    heads = shorter.successors(np.arange(shorter.order)).ravel()
    left = np.full(shorter.order, d)
    stack: list[int] = []
    tour: list[int] = []
    at = 0
    while stack or left[at]:
        if left[at]:
            left[at] -= 1
            stack.append(at * d + int(left[at]))
            at = int(heads[stack[-1]])
        else:
            tour.append(stack.pop())
            at = tour[-1] // d
    return np.asarray(tour[::-1])


class DeBruijn(_Words):
    """Words of n letters out of d; port a leads to the word with a shifted in at the end."""

    name = "debruijn"
    summary = "de Bruijn digraph: d^n words, a hop shifts a letter in (duplex on request)"
    example = "debruijn(2, 3)"

    @property
    def order(self) -> int:
        return self.d**self.n

    @property
    def addresses(self) -> Addresses:
        return MixedRadix((self.d,) * self.n)

    def layout(self) -> Layout:
        """Short words by the sum of their letters (across) and where these lie (up and down)."""
        if self.order > 32 or self.n == 1:
            return super().layout()
        letters = self.addresses.tuples(np.arange(self.order))
        weight = letters.sum(axis=1)
        lever = letters @ (2 * np.arange(self.n) - self.n + 1) / 2
        _, spot, alike = np.unique(
            np.stack([weight, lever]), axis=1, return_inverse=True, return_counts=True
        )
        spot = spot.ravel()
        rank = np.asarray([np.count_nonzero(spot[:i] == spot[i]) for i in range(self.order)])
        aside = 0.5 * (rank - (alike[spot] - 1) / 2)
        tall = max(1.0, 0.75 * np.ptp(weight) / np.ptp(lever))
        return Layout(np.stack([1.2 * weight + aside, tall * lever], axis=1))

    def successors(self, nodes: IntArray) -> IntArray:
        letters = self._letters(nodes)
        return nodes[:, None] % (self.order // self.d) * self.d + letters

    def predecessors(self, nodes: IntArray) -> IntArray:
        letters = self._letters(nodes)
        return nodes[:, None] // self.d + letters * (self.order // self.d)

    def facts(self) -> Facts:
        d = self.d
        if self.duplex:
            lost = {2: d, 1: d * (d - 1)} if self.n > 1 else {d + 1: d}
            return replace(self._duplex_facts(lost), diameter=self.n)
        return self._digraph_facts(girth=1, vertex_transitive=self.n == 1)

    def router(self, network: Network) -> Router | None:
        return None if self.duplex else DeBruijnRouter(network, self.d, self.n)


class _ShiftRouter(Router):
    """The longest end of the source that begins the target; then its other letters follow."""

    name = "shift"

    def __init__(self, network: Network, d: int, n: int) -> None:
        super().__init__(network)
        self._d, self._n = d, n


class DeBruijnRouter(_ShiftRouter):
    """By the numbers of the words, to base d."""

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        out = np.full(len(at), self._n, dtype=np.int64)
        for k in range(self._n - 1, -1, -1):
            tail = at % self._d ** (self._n - k)
            out[(tail == to // self._d**k).astype(bool)] = k
        return out

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        left = self.distances(at, to)
        powers = np.asarray([self._d**k for k in range(self._n + 1)], dtype=at.dtype)
        letter = to // powers[np.maximum(left - 1, 0)] % self._d
        return np.where(left > 0, letter, -1).astype(np.int64)

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        d, n = self._d, self._n
        left = next(k for k in range(n + 1) if at % d ** (n - k) == to // d**k)
        nodes = [at]
        ports = [to // d**k % d for k in range(left - 1, -1, -1)]
        for letter in ports:
            nodes.append(nodes[-1] % d ** (n - 1) * d + letter)
        return nodes, ports


class KautzWords(Addresses):
    """Words of n letters 0..d, no letter twice in a row."""

    def __init__(self, d: int, n: int) -> None:
        self.d, self.width = d, n
        self.order = (d + 1) * d ** (n - 1)
        self._steps = MixedRadix((d + 1,) + (d,) * (n - 1))

    def tuples(self, nodes: IntArray) -> IntArray:
        """The first letter, then how far (less one) each letter is from the one before it."""
        steps = self._steps.tuples(nodes)
        steps[..., 1:] += 1
        return np.add.accumulate(steps, axis=-1) % (self.d + 1)

    def numbers(self, addresses: IntArray) -> IntArray:
        given = self.entries(addresses)
        wrong = ((given < 0) | (given > self.d)).any(axis=-1)
        wrong = wrong | (given[..., 1:] == given[..., :-1]).any(axis=-1)
        if wrong.any():
            bad = given[wrong].reshape(-1, self.width)[0]
            word = "(" + ", ".join(map(str, bad)) + ")"
            raise AddressError(f"address {word} is not a Kautz word; expected {self.describe()}")
        letters = given.astype(node_dtype(self.order))
        steps = letters.copy()
        steps[..., 1:] = (letters[..., 1:] - letters[..., :-1] - 1) % (self.d + 1)
        return self._steps.numbers(steps)

    def describe(self) -> str:
        return f"a word of {self.width} letters 0..{self.d}, no letter twice in a row"


class Kautz(_Words):
    """Words of n letters out of d + 1, no letter twice in a row."""

    name = "kautz"
    summary = "Kautz digraph: (d+1)·d^(n-1) words without repeats, diameter n (duplex on request)"
    example = "kautz(2, 3)"

    @property
    def order(self) -> int:
        return (self.d + 1) * self.d ** (self.n - 1)

    @property
    def addresses(self) -> Addresses:
        return KautzWords(self.d, self.n)

    def successors(self, nodes: IntArray) -> IntArray:
        d, n = self.d, self.n
        new = self._letters(nodes)
        if n == 1:
            return (nodes[:, None] + 1 + new) % (d + 1)
        head, rest = nodes // d ** (n - 1), nodes % d ** (n - 1)
        head = (head + 1 + rest // d ** (n - 2)) % (d + 1)
        moved = head * d ** (n - 1) + rest % d ** (n - 2) * d
        return moved[:, None] + new

    def predecessors(self, nodes: IntArray) -> IntArray:
        d, n = self.d, self.n
        new = self._letters(nodes)
        if n == 1:
            return (nodes[:, None] - 1 - new) % (d + 1)
        head, rest = nodes // d ** (n - 1), nodes % d ** (n - 1)
        front = (head[:, None] - 1 - new) % (d + 1)
        return front * d ** (n - 1) + new * d ** (n - 2) + rest[:, None] // d

    def facts(self) -> Facts:
        d = self.d
        if self.duplex:  # words without a letter in common are n hops apart; d = 2 has none
            lost = {1: d * (d + 1)} if self.n > 1 else {d: d + 1}
            diameter = self.n if d > 2 or self.n == 1 else None
            return replace(
                self._duplex_facts(lost), diameter=diameter, vertex_transitive=self.n <= 2
            )
        return self._digraph_facts(
            radius=self.n,
            girth=2,
            node_connectivity=self.d,
            edge_connectivity=self.d,
            vertex_transitive=self.n <= 2,
        )

    def symmetry(self) -> Symmetry | None:
        """Renaming letters moves any pair of unequal letters to any other."""
        return Symmetry.of_transitive(self.order) if self.n <= 2 else None

    def router(self, network: Network) -> Router | None:
        return None if self.duplex else KautzRouter(network, self.d, self.n)


class KautzRouter(_ShiftRouter):
    """By the letters of the words."""

    def __init__(self, network: Network, d: int, n: int) -> None:
        super().__init__(network, d, n)
        self._words = KautzWords(d, n)
        self._powers = [d**k for k in range(n)]

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        return self._lengths(self._words.tuples(at), self._words.tuples(to))

    def _lengths(self, source: IntArray, target: IntArray) -> IntArray:
        n = self._n
        out = np.full(len(source), n, dtype=np.int64)
        for k in range(n - 1, -1, -1):
            same = (source[:, k:] == target[:, : n - k]).astype(bool).all(axis=1)
            out[same] = k
        return out

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        source, target = self._words.tuples(at), self._words.tuples(to)
        left = self._lengths(source, target)
        letter = target[np.arange(len(at)), np.minimum(self._n - left, self._n - 1)]
        port = (letter - source[:, -1] - 1) % (self._d + 1)
        return np.where(left > 0, port, -1).astype(np.int64)

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        """By the first letter and the steps from letter to letter, which are digits to base d."""
        d, n, powers = self._d, self._n, self._powers
        (head, rest), (first, goal) = divmod(at, powers[-1]), divmod(to, powers[-1])
        letter, tail, left = head, rest, 0
        while letter != first or tail != goal // powers[left]:
            left += 1
            if left == n:
                break
            step, tail = divmod(tail, powers[n - 1 - left])
            letter = (letter + step + 1) % (d + 1)
        ports = [goal // powers[k] % d for k in range(min(left, n - 1) - 1, -1, -1)]
        if left == n:
            ports.insert(0, (first - letter - 1) % (d + 1))
        nodes = [at]
        for port in ports:
            step, rest = divmod(rest * d + port, powers[-1])
            head = (head + step + 1) % (d + 1)
            nodes.append(head * powers[-1] + rest)
        return nodes, ports
