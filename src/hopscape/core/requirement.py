"""Requirement: the size of network that somebody looks for, put to every family."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.core.plugins import load_plugins
from hopscape.core.spec import REQUIRED
from hopscape.core.structure import Structure

__all__ = ["Requirement", "Small", "moore_mean", "scan", "small_graphs"]

_MOST_BOXES = 3  # of each number of axes; others differ little and cost as much to measure
_LOOKS = 8  # values tried where a member does not exist: more find rare members, at a build each


@dataclass(frozen=True)
class Requirement:
    """How many endpoints a network should have, and how many ports its nodes may use.

    Attributes:
        nodes: The number looked for. Where nodes are no switches, all of them are endpoints.
        low, high: Numbers of endpoints that are welcome, both ends included.
        ports: The most channels that may leave a node.
        most: How many members of one family are worth a look.
        throughput: None for a direct machine, whose nodes are routers with local endpoints. For a
            switched machine, the share of the line rate that every endpoint must get under uniform
            traffic; `ports` is then the radix of a switch, and its lines to endpoints count.
            Families with endpoints of their own offer the members with the fewest switches that
            :meth:`carries` allows; the nodes of others are given endpoints by whoever asks.
        spare: Switches or links that may fail, of a switched machine: members with as many more
            than they need are welcome, too.

    Examples:
        >>> requirement = Requirement(1024, 970, 1150, 6)
        >>> requirement.fits(1000), requirement.near([900, 1100, 1000])
        (True, [1000, 1100])
    """

    nodes: int
    low: int
    high: int
    ports: int
    most: int = 6
    throughput: float | None = None
    spare: int = 0

    def carries(self, switches: int, degree: int, endpoints: int) -> bool:
        """May so many switches with so many endpoints each give them the throughput asked for?

        A message takes at least the mean distance of the Moore bound, and a switch has `degree`
        channels to other switches: no routing carries more.

        Examples:
            >>> requirement = Requirement(1024, 1024, 1152, 64, throughput=1.0)
            >>> requirement.carries(33, 32, 32), requirement.carries(32, 5, 32)
            (True, False)
        """
        if self.throughput is None or switches < 2:
            return True
        share = (switches - 1) * endpoints / (switches * endpoints - 1) if endpoints else 0.0
        load = self.throughput * endpoints * share * moore_mean(switches, degree)
        return load <= degree * (1 + 1e-9)

    def fits(self, endpoints: int) -> bool:
        """Is this size welcome?"""
        return self.low <= endpoints <= self.high

    def near(self, sizes: Iterable[int]) -> list[int]:
        """The welcome sizes, the nearest to the number looked for first (the larger of two)."""
        welcome = {size for size in sizes if self.fits(size)}
        return sorted(welcome, key=lambda size: (abs(size - self.nodes), -size))

    def sizes(self, step: int = 1, offset: int = 0) -> list[int]:
        """Some welcome sizes that are `offset` modulo `step`: the nearest and the two ends."""
        first = self.low + (offset - self.low) % step
        last = self.high - (self.high - offset) % step
        if first > last:
            return []
        below = self.nodes - (self.nodes - offset) % step
        middle = [min(max(size, first), last) for size in (below, below + step)]
        return self.near([*middle, first, last])

    def boxes(self, axes: int, least: int = 3) -> Iterator[tuple[int, ...]]:
        """Sides of a few boxes of so many axes: nearest to `nodes`, and most like a cube.

        Examples:
            >>> list(Requirement(64, 60, 65, 6).boxes(3))
            [(4, 4, 4), (3, 4, 5), (3, 3, 7)]
        """
        boxes = sorted(_boxes(self.low, self.high, axes, least), key=self._shape)
        nearest = sorted(boxes, key=lambda box: abs(math.prod(box) - self.nodes))[:1]
        yield from list(dict.fromkeys([*nearest, *boxes]))[:_MOST_BOXES]

    def _shape(self, box: tuple[int, ...]) -> tuple[float, int, tuple[int, ...]]:
        """How far a box is from a cube of its volume; then how far from the size looked for."""
        volume = math.prod(box)
        cube = len(box) * volume ** (1 / len(box))
        return (round(sum(box) / cube, 9), abs(volume - self.nodes), box)


def moore_mean(order: int, degree: int) -> float:
    """Least mean distance that so many nodes of this degree can have, over distinct pairs.

    Examples:
        >>> moore_mean(10, 3), moore_mean(5, 4)
        (1.6666666666666667, 1.0)
    """
    if order < 2:
        return 0.0
    if degree < 1:
        return math.inf
    left, layer, total, distance = order - 1, degree, 0, 1
    while left > 0:
        here = min(left, layer)
        total += distance * here
        left -= here
        distance += 1
        layer *= max(1, degree - 1)
    return total / (order - 1)


def _boxes(low: int, high: int, axes: int, least: int) -> Iterator[tuple[int, ...]]:
    """Rising sides with a product from low to high, none more than four times another."""
    if axes == 1:
        if high >= least:
            yield from ((side,) for side in range(max(low, least), high + 1))
        return
    top = math.floor(high ** (1 / axes) + 1e-9)
    cube = max(least, top // 2)
    for side in range(cube, top + 1):
        rest = _boxes(-(-low // side), high // side, axes - 1, side)
        yield from ((side, *box) for box in rest if box[-1] <= 4 * side)


@dataclass(frozen=True)
class Small:
    """A small dense graph that larger networks are made of.

    Attributes:
        mean: Mean distance, a node's distance to itself counted.
    """

    spec: str
    order: int
    degree: int
    mean: float


@cache
def small_graphs(ports: int) -> tuple[Small, ...]:
    """Dense graphs with at most so many ports that families offer: complete ones last.

    Examples:
        >>> [graph.spec for graph in small_graphs(3)]
        ['heawood', 'petersen', 'complete(4)', 'complete(3)', 'complete(2)']
    """
    kinds = dict.fromkeys(load_plugins("families").values())
    ranked = []
    for piece in (piece for kind in kinds for piece in kind.pieces(ports)):
        known, order, degree = piece.facts(), piece.order, piece.ports
        mean = float(known.mean_distance * (order - 1) / order)
        place = (known.diameter == 1, -degree, -order)
        ranked.append((place, Small(piece.spec, order, degree, mean)))
    return tuple(small for _, small in sorted(ranked, key=lambda pair: pair[0]))


def scan(
    kind: type[Structure], requirement: Requirement, fixed: dict[str, Any] | None = None
) -> Iterator[str]:
    """Members whose order is nearest, of a family that grows with its one integer.

    Args:
        kind: subclass of Family
        fixed: Values of other parameters. Without it, all but one must have a default.

    Yields:
        str: Specs of up to two members; none for a family with other parameters.
    """
    given = fixed or {}
    free = [p for p in kind.parameters if p.default is REQUIRED and p.name not in given]
    if len(free) != 1 or free[0].kind != "int" or free[0].variadic:
        return
    name, low, top = free[0].name, free[0].low or 0, free[0].high

    def member(value: int) -> Structure | None:
        if top is not None and value > top:
            return None
        try:
            return kind(**{name: value}, **given)
        except (ArgumentError, MemoryError):
            return None

    def size(value: int) -> int | None:
        """Endpoints of this member, or of the next one that exists."""
        for following in range(value, value + _LOOKS):
            candidate = member(following)
            if candidate is not None:
                return candidate.endpoint_count
        return None

    step = 1
    while (at := size(low + step)) is not None and at < requirement.nodes:
        step *= 2
    first, last = low + step // 2 if step > 1 else low, low + step
    while first < last:
        middle = (first + last) // 2
        at = size(middle)
        if at is not None and at < requirement.nodes:
            first = middle + 1
        else:
            last = middle
    fitting: dict[int, Structure] = {}
    for value in range(max(low, first - _LOOKS), first + _LOOKS):
        candidate = member(value)
        if candidate is not None and requirement.fits(candidate.endpoint_count):
            fitting.setdefault(candidate.endpoint_count, candidate)
    for order in requirement.near(fitting)[:2]:
        if fitting[order].ports <= requirement.ports:
            yield fitting[order].spec
