"""Hypercube and cube-connected cycles."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import TooLargeError
from hopscape.core.facts import Points, closest
from hopscape.core.family import Facts, Family, Layout, integers
from hopscape.core.formula import Value, choose, constant, digits, equal, lookup
from hopscape.core.kindred import Kindred, ProductAxis, grid_axes
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import FamilyRouter, Router
from hopscape.families.classic.ring_walks import total_of_walks, walk_legs, walk_lengths

__all__ = ["CubeConnectedCycles", "Hypercube"]

_COUNTED = 256  # the mean distance of ccc(256) is counted in 0.1 s, and the time grows as d³
_MOST_WALKS = 1 << 20  # entries of a table in generated code: 1 MiB of memory in hardware


class Hypercube(Family):
    """Words of bits; port i flips bit i (bit 0 is the last of the address)."""

    name = "hypercube"
    summary = "binary hypercube of a dimension: 2^d nodes of degree d"
    parameters = integers(d=("dimension", 0, 4000))
    example = "hypercube(4)"
    transitive = True

    def __init__(self, d: int) -> None:
        self.d = d

    @property
    def order(self) -> int:
        return 1 << self.d

    @property
    def ports(self) -> int:
        return self.d

    @property
    def addresses(self) -> Addresses:
        return MixedRadix((2,) * self.d)

    def neighbours(self, nodes: IntArray) -> IntArray:
        flips = np.asarray([1 << i for i in range(self.d)], dtype=nodes.dtype)
        flipped: IntArray = nodes[:, None] ^ flips
        return flipped

    def product_axes(self) -> list[ProductAxis]:
        return grid_axes((2,) * self.d, wraps=True)

    def kindred(self, root: int) -> Kindred | None:
        from hopscape.families.kindred import grid_kindred

        return grid_kindred(self.product_axes(), root)

    def facts(self) -> Facts:
        d = self.d
        return Facts.symmetric(
            self.order,
            d,
            d,
            mean_distance=Fraction(d << d >> 1, (1 << d) - 1) if d else None,
            girth=4 if d > 1 else None,
            bisection=1 << (d - 1) if d else 0,
        )

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray:
        return by ^ nodes

    def router(self, network: Network) -> Router:
        return HypercubeRouter(network, self)

    def layout(self) -> Layout:
        return Layout(_cube_places(self.d), None if self.d < 5 else _pass_by)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        sizes = {d: 1 << d for d in range(1, min(requirement.ports, 60) + 1)}
        yield from (cls(d).spec for d, order in sizes.items() if requirement.fits(order))


# of axes 3 and 4 on paper, by eye: links of different axes do not cover each other
_SLANT, _FAR_SLANT, _LANE = (0.42, 0.34), (0.74, 0.52), 0.12


def _cube_step(i: int) -> Points:
    """Where flipping bit i leads: right, up, aslant, and the same again for copies of cubes."""
    grow = 2.35 ** (i // 3)
    if i % 3 < 2:
        return np.array([(grow, 0.0), (0.0, grow)][i % 3])
    return np.array(_SLANT) if i == 2 else np.array(_FAR_SLANT) * grow / 2.35


def _cube_places(d: int) -> Points:
    """The square, the cube, the tesseract seen along its longest diagonal; then copies of cubes."""
    steps = [_cube_step(i) for i in range(d)]
    if d == 4:
        turns = np.pi * (np.arange(4) + 0.5) / 4
        steps = list(np.stack([np.cos(turns), np.sin(turns)], axis=1))
    places = np.zeros((1, 2))
    for step in steps:
        places = np.concatenate([places, places + step])
    return places


def _pass_by(tails: IntArray, heads: IntArray) -> Points:
    """Long links run beside the short ones of the same direction, each in a lane of its own."""
    flipped = np.bitwise_count((tails ^ heads) - 1).astype(np.int64)
    axis, depth = flipped % 3, flipped // 3
    lane = np.ones(len(tails))
    for k in range(1, int(depth.max(initial=0))):
        lane += (k < depth) * (tails >> (axis + 3 * k) & 1)
    side = np.where(tails >> axis & 1, -1.0, 1.0) * np.where(tails < heads, 1.0, -1.0)
    lengths = np.asarray([np.hypot(*_cube_step(i)) for i in range(int(flipped.max(initial=0)) + 1)])
    return np.where(depth > 0, side * _LANE * lane / lengths[flipped], 0.0)


class HypercubeRouter(FamilyRouter[Hypercube]):
    """Flips the lowest differing bit first."""

    name = "e-cube"

    def __init__(self, network: Network, family: Hypercube) -> None:
        super().__init__(network, family)
        self.cyclic = (2,) * family.d

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        word = at ^ to
        if word.dtype == object:
            return np.asarray([int(x).bit_count() for x in word], dtype=np.int64)
        return np.bitwise_count(word).astype(np.int64)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        word: IntArray = at ^ to
        if word.dtype == object:
            return np.asarray([(int(x) & -int(x)).bit_length() - 1 for x in word], dtype=np.int64)
        lowest = word & -word
        return np.where(word != 0, np.bitwise_count(lowest - 1).astype(np.int64), -1)

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        word = at ^ to
        ports = [i for i in range(word.bit_length()) if word >> i & 1]
        nodes = [at]
        for port in ports:
            nodes.append(nodes[-1] ^ 1 << port)
        return nodes, ports

    def shortest_ports(self, at: IntArray, to: IntArray) -> IntArray:
        shifts = np.asarray(range(self._family.d), dtype=at.dtype)
        bits: IntArray = ((at ^ to)[:, None] >> shifts & 1).astype(bool)
        return bits

    def formula(self, at: Value, to: Value) -> Value:
        word = (at ^ to).named("differ", "bits in which the two nodes differ")
        port = constant(-1)
        for i in range(self._family.d - 1, -1, -1):
            port = choose(equal((word >> i) % 2, 1), i, port)
        return port


class CubeConnectedCycles(Family):
    """Each hypercube node becomes a cycle, one node of it per dimension.

    Address (word, position): ports 0 and 1 go up and down the cycle, port 2 flips bit `position` of
    the word. The bisection width is that of Manabe, Imase and Soneoka (1988).
    """

    name = "ccc"
    summary = "cube-connected cycles: every hypercube node a cycle of d nodes"
    parameters = integers(d=("dimension of the cube", 1, 4000))
    example = "ccc(3)"
    transitive = True

    def __init__(self, d: int) -> None:
        self.d = d

    @property
    def order(self) -> int:
        return self.d << self.d

    @property
    def ports(self) -> int:
        return 3

    @property
    def addresses(self) -> Addresses:
        return MixedRadix((1 << self.d, self.d))

    def neighbours(self, nodes: IntArray) -> IntArray:
        d = self.d
        word, position = nodes // d, nodes % d
        out = np.full((len(nodes), 3), -1, dtype=nodes.dtype)
        if d > 1:
            out[:, 0] = word * d + (position + 1) % d
        if d > 2:
            out[:, 1] = word * d + (position - 1) % d
        ones = np.full(len(nodes), 1, dtype=nodes.dtype)
        out[:, 2] = (word ^ (ones << position)) * d + position
        return out

    def facts(self) -> Facts:
        d = self.d
        degree = min(d, 3)
        small = {1: 1, 2: 4, 3: 6}
        diameter = small.get(d, 2 * d - 2 + d // 2)
        return Facts.symmetric(
            self.order,
            degree,
            diameter,
            mean_distance=self._mean_distance() if d <= _COUNTED else None,
            girth=min(d, 8) if d > 2 else 8 if d == 2 else None,
            bisection=1 << (d - 1),
        )

    def _mean_distance(self) -> Fraction:
        """Flips and walks: every bit differs in half of the pairs, every set of bits as often."""
        d, order = self.d, self.order
        walks = total_of_walks(d, 1, 1)  # from one node to all others
        return Fraction(walks + d * d * (1 << d >> 1), order - 1)

    def router(self, network: Network) -> Router:
        return CubeConnectedCyclesRouter(network, self)

    def layout(self) -> Layout:
        """The cube's drawing; each cycle is turned so that its nodes look along their links."""
        words = _cube_places(self.d)
        flips = np.arange(len(words))[:, None] ^ (1 << np.arange(self.d))
        step = words[flips] - words[:, None, :]
        aim = np.exp(-1j * np.arctan2(step[..., 1], step[..., 0]))
        ring = np.exp(2j * np.pi * np.arange(self.d) / self.d)
        fits = np.stack([aim @ ring, aim @ ring.conj()])
        best = np.abs(fits).round(9).argmax(axis=0)
        turn = fits[best, np.arange(len(words))]
        turn = np.where(np.abs(turn) > 1e-9, turn, 1.0)
        turn = turn.conj() / np.abs(turn)
        cycles = np.where(best[:, None] == 0, ring, ring.conj()) * turn[:, None]
        small = 0.3 * closest(words) * np.stack([cycles.real, cycles.imag], axis=-1)
        return Layout((words[:, None, :] + small).reshape(-1, 2))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        if requirement.ports >= 3:
            yield from (cls(d).spec for d in range(3, 60) if requirement.fits(d << d))


class CubeConnectedCyclesRouter(FamilyRouter[CubeConnectedCycles]):
    """Shortest routes: walks round the cycle that visit every bit to be flipped.

    A bit that differs is flipped where the route first comes to its position; in between the route
    goes up the cycle unless only a step down leaves a shorter walk.
    """

    name = "covering walks"

    def _split(self, at: IntArray, to: IntArray) -> tuple[IntArray, IntArray]:
        """Bits to be flipped and goals, both counted from the position of `at`.

        Returns:
            bool[d, m], int64[m]
        """
        d = self._family.d
        position = (at % d).astype(np.int64)
        goals = ((to % d).astype(np.int64) - position) % d
        word = at // d ^ to // d
        turned = (position[None, :] + np.arange(d)[:, None]) % d
        if word.dtype != object:
            return (word[None, :] >> turned & 1).astype(bool), goals
        size = -(-d // 8)
        packed = b"".join(int(w).to_bytes(size, "little") for w in word)
        bits = np.unpackbits(
            np.frombuffer(packed, dtype=np.uint8).reshape(len(at), size), axis=1, bitorder="little"
        )
        return bits[np.arange(len(at))[None, :], turned].astype(bool), goals

    def distances(self, at: IntArray, to: IntArray) -> IntArray:
        flips, goals = self._split(at, to)
        return walk_lengths(flips, goals) + flips.sum(axis=0)

    def next_ports(self, at: IntArray, to: IntArray) -> IntArray:
        flips, goals = self._split(at, to)
        out = np.where(flips[0], 2, np.where(flips.any(axis=0) | (goals != 0), 0, -1))
        walking = np.flatnonzero(out == 0)
        out[walking] = self._walk_ports(flips[:, walking], goals[walking])
        return out

    def _walk_ports(self, flips: IntArray, goals: IntArray) -> IntArray:
        """0 where a step up the cycle begins a shortest walk, else 1."""
        d = self._family.d
        up = walk_lengths(np.roll(flips, -1, axis=0), (goals - 1) % d)
        down = walk_lengths(np.roll(flips, 1, axis=0), (goals + 1) % d)
        return (down < up).astype(np.int64)

    def trace(self, at: int, to: int) -> tuple[list[int], list[int]]:
        d = self._family.d
        (word, here), (wanted, goal) = divmod(at, d), divmod(to, d)
        left = word ^ wanted
        nodes, ports = [at], []

        def flip() -> None:
            nonlocal word, left
            if left >> here & 1:
                left ^= 1 << here
                word ^= 1 << here
                nodes.append(word * d + here)
                ports.append(2)

        stops = [(i - here) % d for i in range(d) if left >> i & 1]
        legs = walk_legs(d, stops, (goal - here) % d)
        flip()
        for leg in legs:
            for _ in range(abs(leg)):
                here = (here + (1 if leg > 0 else -1)) % d
                nodes.append(word * d + here)
                ports.append(int(leg < 0))
                flip()
        return nodes, ports

    def formula(self, at: Value, to: Value) -> Value:
        """Flip what can be flipped here; else a step round the cycle, from a table."""
        d = self._family.d
        if d * d << d > _MOST_WALKS:
            raise TooLargeError(
                f"the walks of {self.network.spec} are a table of {d}² · 2^{d} ports;"
                f" at most {_MOST_WALKS} are written as code"
            )
        word, place = digits(at, (1 << d, d))
        wanted, goal = digits(to, (1 << d, d))
        place = place.named("place", "position on the cycle")
        word = (word ^ wanted).named("differ", "bits to be flipped")
        pairs = np.arange(d * d << d)
        sets, ends = np.divmod(pairs, d * d)
        ports = self.next_ports(sets * d + ends // d, ends % d)
        where = (word * d + place) * d + goal
        return lookup("walk", ports, where, "port by bits to be flipped, position and goal")
