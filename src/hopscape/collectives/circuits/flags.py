"""Uniform schemes: chains of lattices with the same words at every source.

In dimension d with p = 2d + 1 a chain p·Z^d = L_d < ... < L_1 < L_0 = Z^d with index p at each step
says who is informed after which round (the sources of round r are those of L_(d-r+1)). All sources
use the same words, so that everything happens in the finite group Z^d / L.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import Literal

import numpy as np

from hopscape.collectives.circuits.words import LETTERS, Word, parse_word, with_inverses
from hopscape.core.arrays import IntArray, NoWay

__all__ = ["Chain", "RoundWords", "chain_classes", "chains", "quotient", "shortest_words"]

Reading = Literal["vertex", "edge", "arc"]
_LIMIT = 30_000_000


@dataclass(frozen=True)
class Chain:
    """7 Z^3 < L1 < L2 < Z^3: L2 is where `plane`·x = 0, L1 the multiples of `line` (mod 7)."""

    plane: tuple[int, int, int]
    line: tuple[int, int, int]

    def functionals(self, round: int) -> IntArray:
        """Rows whose values modulo 7 say which class of the sources' lattice a point is in."""
        if round == 1:
            return np.eye(3, dtype=np.int64)
        if round == 3:
            return np.array([self.plane], dtype=np.int64)
        other = next(
            c
            for c in product(range(7), repeat=3)
            if np.dot(c, self.line) % 7 == 0 and _rank2(c, self.plane)
        )
        return np.array([self.plane, other], dtype=np.int64)

    def targets(self, round: int) -> IntArray:
        """Points of the classes that are informed in a round (one for each)."""
        if round == 1:
            return np.array([[k * x % 7 for x in self.line] for k in range(1, 7)])
        if round == 3:
            one = next(v for v in product(range(7), repeat=3) if np.dot(v, self.plane) % 7 == 1)
            return np.array([[k * x % 7 for x in one] for k in range(1, 7)])
        for v in product(range(7), repeat=3):
            if np.dot(v, self.plane) % 7 == 0 and _rank2(v, self.line):
                return np.array([[k * x % 7 for x in v] for k in range(1, 7)])
        raise AssertionError("a plane holds more than one line")


def _rank2(a: Sequence[int], b: Sequence[int]) -> bool:
    cross = np.cross(np.asarray(a), np.asarray(b)) % 7
    return bool(cross.any())


def _steps(dimension: int) -> list[tuple[int, ...]]:
    out = []
    for axis in range(dimension):
        for sign in (1, -1):
            out.append(tuple(sign if a == axis else 0 for a in range(dimension)))
    return out


def _normal(vector: Sequence[int]) -> tuple[int, int, int]:
    """The multiple (mod 7) whose first entry that is not 0 is 1."""
    lead = next(int(x) % 7 for x in vector if int(x) % 7)
    unit = pow(lead, -1, 7)
    a, b, c = (int(x) * unit % 7 for x in vector)
    return a, b, c


def chains() -> list[Chain]:
    """All 456 chains in three dimensions."""
    lines = sorted({_normal(v) for v in product(range(7), repeat=3) if any(v)})
    return [Chain(a, v) for a in lines for v in lines if np.dot(a, v) % 7 == 0]


def _symmetries() -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for order in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            yield order, signs


def chain_classes() -> list[tuple[Chain, int]]:
    """One chain of each class under the 48 symmetries of the cube, with the size of its class."""
    sizes: dict[Chain, int] = {}
    for chain in chains():
        images = []
        for order, signs in _symmetries():
            plane = _normal([signs[i] * chain.plane[order[i]] for i in range(3)])
            line = _normal([signs[i] * chain.line[order[i]] for i in range(3)])
            images.append(Chain(plane, line))
        first = min(images, key=lambda c: (c.plane, c.line))
        sizes[first] = sizes.get(first, 0) + 1
    return sorted(sizes.items(), key=lambda item: (item[0].plane, item[0].line))


@dataclass(frozen=True)
class Quotient:
    """The graph of Z^d modulo a lattice given by functionals modulo `base`."""

    steps: IntArray
    keys: IntArray
    base: int

    def number(self, points: IntArray, functionals: IntArray) -> IntArray:
        values = (np.asarray(points) @ functionals.T) % self.base
        weights = self.base ** np.arange(functionals.shape[0] - 1, -1, -1)
        found: IntArray = np.searchsorted(self.keys, values @ weights)
        return found


def quotient(functionals: IntArray, base: int) -> Quotient:
    """Vertices are the values that the functionals take, vertex 0 the lattice itself."""
    count, dimension = functionals.shape
    weights = base ** np.arange(count - 1, -1, -1)
    moves = np.array(_steps(dimension)) @ functionals.T % base
    values = np.zeros((1, count), dtype=np.int64)
    keys = np.zeros(1, dtype=np.int64)
    while True:
        more = (values[:, None, :] + moves[None]).reshape(-1, count) % base
        both = np.unique(np.concatenate([keys, more @ weights]))
        if len(both) == len(keys):
            break
        keys = both
        values = np.stack([keys // w % base for w in weights], axis=1)
    after = ((values[:, None, :] + moves[None]) % base) @ weights
    return Quotient(np.searchsorted(keys, after).astype(np.int32), keys, base)


@dataclass(frozen=True)
class RoundWords:
    """What one round of a uniform scheme needs.

    Attributes:
        length: The longest word, as short as possible; None when there are no disjoint words of at
            most the length that was searched.
        proved: False when the search for something shorter was given up.
    """

    length: int | None
    words: tuple[Word, ...] = ()
    proved: bool = True


def shortest_words(
    functionals: IntArray,
    targets: IntArray,
    reading: Reading,
    base: int,
    most: int = 12,
    limit: int = _LIMIT,
    paired: bool = False,
) -> RoundWords:
    """Disjoint words from the sources' lattice to all target classes, the longest one shortest.

    Args:
        functionals (int64[k, d]): A point is a source when all of them are 0 modulo `base`.
        targets: int64[2d, d]
        reading: {'vertex', 'edge', 'arc'}
        most: Longest words that are tried.
        limit: Steps of each search before it is given up.
        paired: Only look for words that come in pairs, each with its inverse (reading 'vertex').
    """
    from hopscape.collectives.circuits.words_kernels import FOUND, UNKNOWN, disjoint_words

    graph = quotient(functionals, base)
    order, ports = graph.steps.shape
    ends = graph.number(targets, functionals)
    target = np.full(order, -1, dtype=np.int8)
    target[ends] = np.arange(len(ends))
    away = _distances(graph.steps, ends)
    links = _links(graph.steps, reading)
    mirror = np.empty(0, dtype=np.int32)
    if paired:
        weights = base ** np.arange(len(functionals) - 1, -1, -1)
        values = np.stack([graph.keys // w % base for w in weights], axis=1)
        mirror = np.searchsorted(graph.keys, (-values % base) @ weights).astype(np.int32)
    proved = True
    first = int(np.sort(away[0])[-1])
    for bound in range(max(first, 1), most + 1):
        words = np.full((ports, bound + 1), -1, dtype=np.int8)
        code = disjoint_words(
            graph.steps, links, away, target, bound, reading == "vertex", mirror, limit, words
        )
        if code == FOUND:
            found = [_read(row) for row in words if row[0] >= 0]
            return RoundWords(bound, with_inverses(found) if paired else tuple(found), proved)
        proved = proved and code != UNKNOWN
    return RoundWords(None, (), proved)


def _distances(steps: IntArray, ends: IntArray) -> IntArray:
    none = NoWay(np.int8)
    out = np.full((len(steps), len(ends)), none.value, dtype=none.dtype)
    for t, end in enumerate(ends):
        now, far = np.array([end]), 0
        while len(now):
            out[now, t] = far
            near = np.unique(steps[now])
            now, far = near[none.mask(out[near, t])], far + 1
    return out


def _links(steps: IntArray, reading: Reading) -> IntArray:
    """The number of the link (or channel) that each step takes."""
    order, ports = steps.shape
    own = np.arange(order)[:, None] * ports + np.arange(ports)
    out: IntArray = own.astype(np.int32)
    if reading == "arc":
        return out
    back = steps.astype(np.int64) * ports + (np.arange(ports) ^ 1)
    out = np.minimum(own, back).astype(np.int32)
    return out


def _read(row: IntArray) -> Word:
    letters = [LETTERS[p // 2] if p % 2 == 0 else LETTERS[p // 2].lower() for p in row if p >= 0]
    return parse_word("".join(letters))
