"""Uniform schemes: chains of lattices with the same words at every source.

In dimension d with p = 2d + 1 a chain p·Z^d = L_d < ... < L_1 < L_0 = Z^d with index p at each step
says who is informed after which round (the sources of round r are those of L_(d-r+1)). All sources
use the same words, so that everything happens in the finite group Z^d / L.

One level in five dimensions: chains of lattices on side 11, and how its words were found.

A chain 11 Z^5 = L5 < L4 < L3 < L2 < L1 < L0 = Z^5 with index 11 at each step is given by four
functionals modulo 11: Lk is where the first k of them are 0. The sources of round r are L(6-r), the
new classes those of L(5-r). In the last round all calls have one step, so that L1 is where
x + 2y + 3z + 4w + 5v is 0 (up to symmetry). A round with calls of at most b steps needs a vector of
at most b steps in every new class; few chains have such vectors in all rounds, and
:func:`short_chains` lists them. :func:`find_level` then looks for words that do not meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import Literal

import numpy as np

from hopscape.collectives.circuits.torus import (
    LETTERS,
    Word,
    displacement,
    inverse,
    parse_word,
    parse_words,
    steps,
    with_inverses,
    write_word,
)
from hopscape.core.arrays import IntArray, NoWay
from hopscape.core.progress import track
from hopscape.core.verdict import Verdict

__all__ = [
    "FiveChain",
    "LatticeChain",
    "RoundWords",
    "chain_classes",
    "chains",
    "check_words",
    "find_level",
    "plane_words",
    "quotient",
    "short_chains",
    "shortest_words",
]

Reading = Literal["vertex", "edge", "arc"]
_LIMIT = 30_000_000  # branches of a search for words; then it is not known whether there are any


@dataclass(frozen=True)
class LatticeChain:
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


def chains() -> list[LatticeChain]:
    """All 456 chains in three dimensions."""
    lines = sorted({_normal(v) for v in product(range(7), repeat=3) if any(v)})
    return [LatticeChain(a, v) for a in lines for v in lines if np.dot(a, v) % 7 == 0]


def _symmetries() -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    for order in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            yield order, signs


def chain_classes() -> list[tuple[LatticeChain, int]]:
    """One chain of each class under the 48 symmetries of the cube, with the size of its class."""
    sizes: dict[LatticeChain, int] = {}
    for chain in chains():
        images = []
        for order, signs in _symmetries():
            plane = _normal([signs[i] * chain.plane[order[i]] for i in range(3)])
            line = _normal([signs[i] * chain.line[order[i]] for i in range(3)])
            images.append(LatticeChain(plane, line))
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
        numbers: IntArray = np.searchsorted(self.keys, values @ weights)
        return numbers


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
    from hopscape.papers.torusbcast.words_kernels import FOUND, UNKNOWN, disjoint_words

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
            disjoint = [_read(row) for row in words if row[0] >= 0]
            return RoundWords(bound, with_inverses(disjoint) if paired else tuple(disjoint), proved)
        proved = proved and code != UNKNOWN
    return RoundWords(None, (), proved)


def _distances(steps: IntArray, ends: IntArray) -> IntArray:
    none = NoWay(np.int8)
    out = np.full((len(steps), len(ends)), none.value, dtype=none.dtype)
    for t, end in enumerate(ends):
        now, depth = np.array([end]), 0
        while len(now):
            out[now, t] = depth
            neighbours = np.unique(steps[now])
            now, depth = neighbours[none.mask(out[neighbours, t])], depth + 1
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


_P, _D = 11, 5  # a ball of radius 1 in 5 dimensions has 11 points
# the functional of the perfect code: values of unit vectors are all different up to sign
_CODE = (1, 2, 3, 4, 5)
_HALF = range(1, 6)
_WEIGHTS = np.array([_P * _P, _P, 1])
_LEAST = 3  # steps to the nearest vectors of L1


@dataclass(frozen=True)
class FiveChain:
    """A chain of lattices and what its rounds need at least.

    Attributes:
        functionals (four rows of five integers): L_k is where the first k rows are 0 modulo 11.
        line (five integers): L4 is 11 Z^5 and the multiples of this vector.
        norms (four integers): For rounds 1 to 4, the largest over the new classes of the fewest
            steps to the class.
    """

    functionals: tuple[tuple[int, ...], ...]
    line: tuple[int, ...]
    norms: tuple[int, int, int, int]

    def rows(self, round: int) -> IntArray:
        """Functionals that are 0 at the sources of a round."""
        if round == 1:
            return np.eye(_D, dtype=np.int64)
        return np.array(self.functionals[: 6 - round], dtype=np.int64)

    def targets(self, round: int) -> IntArray:
        """One point of each class that is informed in a round from 2 to 5, k = 1, ..., 10."""
        *before, last = self.rows(round)
        one = next(np.array(v) for v in _kernel(before) if np.dot(v, last) % _P)
        unit = pow(int(one @ last), -1, _P)
        return np.arange(1, _P)[:, None] * unit * one % _P


def _kernel(rows: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """A basis of the vectors on which all rows are 0 modulo 11."""
    table = [[int(x) % _P for x in row] for row in rows]
    pivots: list[int] = []
    for column in range(_D):
        at = len(pivots)
        pivot = next((i for i in range(at, len(table)) if table[i][column]), None)
        if pivot is None:
            continue
        table[at], table[pivot] = table[pivot], table[at]
        unit = pow(table[at][column], -1, _P)
        table[at] = [x * unit % _P for x in table[at]]
        for i, row in enumerate(table):
            if i != at and row[column]:
                table[i] = [(x - row[column] * y) % _P for x, y in zip(row, table[at], strict=True)]
        pivots.append(column)
    basis = []
    for free in (c for c in range(_D) if c not in pivots):
        vector = [int(c == free) for c in range(_D)]
        for i, column in enumerate(pivots):
            vector[column] = -table[i][free] % _P
        basis.append(tuple(vector))
    return basis


def _short_vectors(most: int) -> IntArray:
    """All vectors of L1 with at most this many steps."""
    sides = range(-most, most + 1)
    pairs = [v for v in product(sides, repeat=2) if sum(map(abs, v)) <= most]
    triples = [(*v, x) for v in pairs for x in sides if sum(map(abs, v)) + abs(x) <= most]
    vectors = []
    for head in triples:
        left = most - sum(map(abs, head))
        vectors += [(*head, *tail) for tail in pairs if sum(map(abs, tail)) <= left]
    points = np.array(vectors)
    inside: IntArray = points[points @ np.array(_CODE) % _P == 0]
    return inside


def _lines(most: int, classes: bool) -> Iterator[tuple[tuple[int, ...], int]]:
    """Vectors of L1 (one of each line, or class of lines) whose multiples need few steps, how many.

    Twice the functional of L1 is the same with axes exchanged and turned; this symmetry of L1, of
    order 5 up to sign, makes the classes.
    """
    basis = np.array(_kernel([_CODE]))
    seen: set[tuple[int, ...]] = set()
    for c in product(range(_P), repeat=_D - 1):
        if next((x for x in c if x), 0) != 1:
            continue
        vector = _five_normal(np.array(c) @ basis % _P)
        if vector in seen:
            continue
        image = vector
        for _ in range(_D if classes else 0):
            seen.add(image)
            image = _turned(image)
        multiples = np.outer(_HALF, vector) % _P
        need = int(np.minimum(multiples, _P - multiples).sum(axis=1).max())
        if need <= most:
            yield vector, need


def _five_normal(vector: IntArray) -> tuple[int, ...]:
    """The multiple whose first entry that is not 0 is 1."""
    values = [int(x) for x in vector]
    unit = pow(next(x for x in values if x), -1, _P)
    return tuple(x * unit % _P for x in values)


def _turned(vector: tuple[int, ...]) -> tuple[int, ...]:
    """The entry of axis i goes to the axis whose place in the code is twice that of i, or minus."""
    out = np.zeros(_D, dtype=np.int64)
    for i, x in enumerate(vector):
        twice = 2 * _CODE[i] % _P
        out[min(twice, _P - twice) - 1] = x if twice <= _D else -x
    return _five_normal(out % _P)


def _coordinates(line: tuple[int, ...]) -> IntArray:
    """Three functionals that are 0 on the line and, with that of L1, independent."""
    rows: list[tuple[int, ...]] = []
    for row in _kernel([line]):
        if len(rows) < 3 and len(_kernel([_CODE, *rows, row])) == _D - 2 - len(rows):
            rows.append(row)
    return np.array(rows)


def short_chains(
    most: Sequence[int] = (9, 6, 6, 6), total: int | None = None, classes: bool = False
) -> list[FiveChain]:
    """Chains over L1 in which rounds 1 to 4 can do with so many steps, the shortest first.

    Words that do not meet may need more steps, never fewer.

    Args:
        most: four integers
        total: Most steps of the four rounds together.
        classes: Take one line of those that a symmetry of L1 makes alike (a fifth of the work).
    """
    limit = sum(most) if total is None else total
    short_vectors = _short_vectors(max(most[1:]))
    size = np.abs(short_vectors).sum(axis=1)
    plane = _plane()
    selected = []
    for line, need1 in _lines(most[0], classes):
        axes = _coordinates(line)
        least = np.full(_P**3, 99)
        np.minimum.at(least, short_vectors @ axes.T % _P @ _WEIGHTS, size)
        for (point, h, q), needs in _flags(plane, least, most, limit - need1):
            s = next(f for f in plane if f @ point % _P)
            rows = [_CODE] + [tuple((f @ axes % _P).tolist()) for f in (h, q, s)]
            selected.append(FiveChain(tuple(rows), line, (need1, *needs)))
    return sorted(selected, key=lambda c: (sum(c.norms), c.norms, c.functionals))


def _plane() -> IntArray:
    """One vector of each line of the three-dimensional space modulo 11."""
    every = product(range(_P), repeat=3)
    return np.array([v for v in every if next((x for x in v if x), 0) == 1])


@cache
def _cells() -> tuple[IntArray, IntArray]:
    """All points of that space, and for each functional h and value k those where h is k."""
    every = np.array(list(product(range(_P), repeat=3)))
    order = np.argsort(every @ _plane().T % _P, axis=0, kind="stable")
    return every, order.T.reshape(-1, _P, _P * _P)


def _flags(
    plane: IntArray, least: IntArray, most: Sequence[int], limit: int
) -> Iterator[tuple[tuple[IntArray, IntArray, IntArray], tuple[int, int, int]]]:
    """Points and lines of a projective plane (L3, L2 modulo L4) and what rounds 2, 3, 4 need."""
    every, cells = _cells()
    line_needs = least[cells[:, 1:6]].min(axis=2).max(axis=1)
    point_needs = least[(plane[:, None] * np.array(_HALF)[:, None]) % _P @ _WEIGHTS].max(axis=1)
    for i in np.flatnonzero(line_needs <= min(most[3], limit - 2 * _LEAST)):
        h, need4 = plane[i], int(line_needs[i])
        fits = (plane @ h % _P == 0) & (point_needs <= most[1])
        fits &= point_needs + need4 + _LEAST <= limit
        if not fits.any():
            continue
        inside = every[cells[i, 0]]
        lengths = least[inside @ _WEIGHTS]
        for point, need2 in zip(plane[fits], point_needs[fits].tolist(), strict=True):
            q = next(f for f in plane if f @ point % _P == 0 and np.any(np.cross(f, h) % _P))
            part = inside @ q % _P
            need3 = int(max(lengths[part == k].min() for k in _HALF))
            if need3 <= most[2] and need2 + need3 + need4 <= limit:
                yield (point, h, q), (need2, need3, need4)


def plane_words(line: Sequence[int]) -> tuple[Word, ...]:
    """Words of the first round, when the line lies in the plane of two axes; else none.

    The two farthest targets are reached within the plane, the other three beside it: one step along
    a third axis, the way, one step back. Each has a side plane of its own, so that only the two
    words within the plane, and their inverses, must be kept apart.
    """
    live = [a for a, x in enumerate(line) if x % _P]
    if len(live) != 2:
        return ()
    ends = []
    for k in _HALF:
        offsets = [(k * line[a] + 5) % _P - 5 for a in live]
        ends.append(tuple(offsets))
    ends.sort(key=lambda e: -abs(e[0]) - abs(e[1]))
    taken = {tuple(s * x % _P for x in e) for e in ends for s in (1, -1)} | {(0, 0)}
    for one, two in product(_staircases(ends[0]), _staircases(ends[1])):
        if one[0][0] == two[0][0]:
            continue
        inner = [v for w in (one, two, inverse(one), inverse(two)) for v in _inner(w)]
        if len(set(inner)) == len(inner) and not taken & set(inner):
            words = [tuple((live[a], run) for a, run in w) for w in (one, two)]
            others = [a for a in range(_D) if a not in live]
            for axis, end in zip(others, ends[2:], strict=True):
                path = tuple((a, x) for a, x in zip(live, end, strict=True) if x)
                words.append(((axis, 1), *path, (axis, -1)))
            return with_inverses(words)
    return ()


def _staircases(end: Sequence[int]) -> Iterator[Word]:
    """Shortest paths in a plane with at most two turns."""
    for one, two in permutations((0, 1)):
        for run in range(1, abs(end[one]) + 1):
            sign = 1 if end[one] > 0 else -1
            rest = end[one] - sign * run
            word = [(one, sign * run), (two, end[two])] + ([(one, rest)] if rest else [])
            yield tuple(word)


def _inner(word: Word) -> list[tuple[int, ...]]:
    places = steps(word, 2)[0][1:-1] % _P
    return [tuple(v) for v in places.tolist()]


def check_words(rows: Sequence[Sequence[Word]], dimension: int) -> Verdict:
    """Do words (all of them, inverses too) make a level when every informed vertex uses them?

    Round by round the vertices of all words (ends too), from every source, must be different from
    each other and from the sources.
    """
    base = 2 * dimension + 1
    sources = np.zeros((1, dimension), dtype=np.int64)
    weights = base ** np.arange(dimension)
    for r, words in enumerate(rows, start=1):
        ends = np.array([displacement(w, dimension) for w in words])
        touched = np.concatenate([steps(w, dimension)[0][1:] for w in words])
        cells = ((sources[:, None] + touched[None]) % base @ weights).ravel()
        if len(np.unique(cells)) != len(cells) or np.isin(sources @ weights, cells).any():
            return Verdict(False, f"words of round {r} meet", {"round": r})
        more = (sources[:, None] + ends[None]).reshape(-1, dimension) % base
        sources = np.concatenate([sources, more])
    whole = base**dimension
    if len(np.unique(sources @ weights)) != whole:
        return Verdict(False, f"{len(sources)} of {whole} vertices are informed", {})
    return Verdict(True, f"{len(rows)} rounds inform {whole} vertices; no two words meet")


def find_level(limit: int = 2_000_000) -> tuple[tuple[str, ...], FiveChain] | None:
    """Words of one level: the first chain of :func:`short_chains` for which all rounds have some.

    Args:
        limit: Steps of each depth-first search before a round is given up.

    Returns:
        rows (tuple of str): Per round five words, the inverse words belong to it.
        chain: FiveChain
    """
    for chain in track(short_chains(), "searching chains"):
        rounds = [plane_words(chain.line)]
        for r in (4, 3, 2):
            if not rounds[-1]:
                break
            best = shortest_words(
                chain.rows(r), chain.targets(r), "vertex", _P, chain.norms[r - 1], limit, True
            )
            rounds.append(best.words)
        if len(rounds) == 4 and rounds[-1]:
            first, fourth, third, second = rounds
            last = with_inverses(parse_words("X, Y, Z, W, V"))
            rows = (first, second, third, fourth, last)
            if check_words(rows, _D):
                return tuple(", ".join(map(write_word, row[::2])) for row in rows), chain
    return None
