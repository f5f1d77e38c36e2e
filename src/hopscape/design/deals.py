"""Unequal endpoints: full meshes and leaf-spines whose switches are boxes of several sizes.

A switch with few endpoints may be a smaller box, and the cables between two switches follow the
traffic between them. Which deal is the cheapest depends on the price list; cables are counted as
the cheapest of the list, so what a deal costs here is the least that the machine can cost.
"""

from __future__ import annotations

import math
import random
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.design.boxes import MOST_DEALT
from hopscape.design.floors import NEAR, CostFloor

__all__ = ["Deal", "deal_of", "leaf_deals", "mesh_deals", "moved_deal"]

_MOST = 12
"""Deals that are built, the cheapest first."""
_THREE = 12
"""Switches up to which three different numbers of endpoints are tried, the last of them once; of
more, two different ones, of which the second may differ by one."""
_BEYOND = 1.25  # times the cheapest deal known: sizes that cannot cost less are left out
_WORK = 2_500_000
"""Deals to leaves that are looked at, those with the most promising numbers of switches first."""
_EXCHANGED = 0.3  # of the moves: two switches change places
_SLACK = 1e-9


class Deal(NamedTuple):
    """Endpoints of each switch, and how many cables join two of them.

    Attributes:
        floor: Least that the machine costs.
        ends: Of each switch.
        trunk: Cables of the widest trunk.
        pairs: Of endpoints, for which there is a cable.
        spines: Switches without endpoints.
    """

    floor: float
    ends: tuple[int, ...]
    trunk: int
    pairs: int
    spines: int = 0


class _Groups(NamedTuple):
    """Ways to deal: arrays of one shape, of endpoints and of switches that have so many."""

    ends: tuple[IntArray, ...]
    counts: tuple[IntArray, ...]


@lru_cache(maxsize=64)
def mesh_deals(floor: CostFloor) -> tuple[Deal, ...]:
    """Full meshes of three and more unequal switches, the cheapest first.

    Two switches with x and y endpoints are joined by a cable for every so many of the x · y pairs,
    so that uniform traffic gets what is asked for, and any permutation by Valiant's routing.

    Examples:
        >>> from hopscape.design.switched_requirements import SwitchedRequirements
        >>> floor = CostFloor.of(SwitchedRequirements(66, 48))
        >>> mesh_deals(floor)[0][1:]
        ((31, 31, 4), 15, 65, 0)
    """
    pairs = _pairs(floor)

    def cables(x: IntArray, y: IntArray) -> IntArray:
        return np.maximum(1, -(-x * y // pairs))

    out: list[Deal] = []
    for n in range(max(3, math.ceil(floor.endpoints / floor.radix)), floor.endpoints + 1):
        best = out[0].floor if out else math.inf
        if n > 3 * floor.radix or _dear(floor.of_parts(n, n * (n - 1) / 2), best):
            break
        groups = _dealt(floor, n)
        boxes, links = np.zeros(groups.ends[0].shape), np.zeros(groups.ends[0].shape)
        for x, many in zip(*groups, strict=True):
            others = sum(m * cables(x, y) for y, m in zip(*groups, strict=True)) - cables(x, x)
            boxes += _boxes(floor, x * floor.lines + others, many)
            links += many * others
        for price, ends, _ in _cheapest(floor, groups, boxes, links / 2):
            trunk, least = (int(cables(np.array(x), np.array(y))) for x, y in (ends[:2], ends[-2:]))
            if not _usual(ends, trunk, least):
                out.append(Deal(price, ends, trunk, int(pairs)))
        out = sorted(out)[:_MOST]
    return tuple(out)


@lru_cache(maxsize=64)
def leaf_deals(floor: CostFloor) -> tuple[Deal, ...]:
    """Leaf-spines with unequal leaves, the cheapest first.

    Every leaf is joined to all spines alike, by as many cables as its endpoints take.

    Examples:
        >>> from hopscape.design.switched_requirements import SwitchedRequirements
        >>> floor = CostFloor.of(SwitchedRequirements(100, 64, worst=1.0))
        >>> leaf_deals(floor)[0][1:]
        ((8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 4), 4, 92, 2)
    """
    if floor.endpoints > MOST_DEALT:
        return ()
    out: list[Deal] = []
    work = 0
    for leaves, spines in _shapes(floor):
        groups = _dealt(floor, leaves)
        work += groups.ends[0].size
        if work > _WORK:
            break
        out += _leaves(floor, groups, spines)
        out = sorted(out)[:_MOST]
    return tuple(out)


def deal_of(floor: CostFloor, ends: tuple[int, ...], spines: int = 0) -> Deal:
    """A deal in this order, with just the cables that its traffic takes.

    Examples:
        >>> from hopscape.design.switched_requirements import SwitchedRequirements
        >>> floor = CostFloor.of(SwitchedRequirements(66, 48))
        >>> deal_of(floor, (31, 31, 4)) == mesh_deals(floor)[0]
        True
    """
    x, one = np.array(ends), np.ones(len(ends), dtype=np.int64)
    pairs = _pairs(floor, x.max() if spines else None)
    if spines:
        wide = _uplinks(floor, x, pairs, np.array(spines))[:, None]
        between = spines * wide.sum(axis=1)
        boxes = float(_boxes(floor, np.full(spines, wide.sum()), np.ones(spines)).sum())
        cables = int(between.sum())
    else:
        wide = np.maximum(1, -(-np.outer(x, x) // pairs))
        np.fill_diagonal(wide, 0)
        between, boxes, cables = wide.sum(axis=1), 0.0, int(wide.sum()) // 2
    boxes += float(_boxes(floor, x * floor.lines + between, one).sum())
    lines = floor.endpoints * floor.lines
    price = floor.planes * (boxes + (cables + lines) * floor.cable) + floor.nics
    return Deal(price, ends, int(wide.max()), int(pairs), spines)


def moved_deal(floor: CostFloor, deal: Deal, draw: random.Random) -> Deal:
    """A deal that differs in two switches, by lot: some endpoints moved, or all exchanged.

    Which switch has how many matters to the lengths of cables, since racks are filled in order.
    """
    ends = list(deal.ends)
    i, j = draw.sample(range(len(ends)), 2)
    if ends[i] != ends[j] and draw.random() < _EXCHANGED:
        ends[i], ends[j] = ends[j], ends[i]
    else:
        many = min(ends[i] - 1, draw.choice((1, 1, 1, 2, 4, 8)))
        ends[i], ends[j] = ends[i] - many, ends[j] + many
    return deal_of(floor, tuple(ends), deal.spines)


def _uplinks(floor: CostFloor, x: IntArray, pairs: IntArray, spines: IntArray) -> IntArray:
    """Cables from a leaf of so many endpoints to each spine."""
    return np.maximum(1, -(-x * (floor.endpoints - x) // (pairs * spines)))


def _shapes(floor: CostFloor) -> list[tuple[int, int]]:
    """Leaves and spines, those first that cost least when endpoints and boxes can be divided."""
    ends, radix = floor.endpoints, floor.radix
    grids = np.meshgrid(np.arange(2, radix + 1), np.arange(1, radix), indexing="ij")
    shapes = np.stack([grid.ravel() for grid in grids])
    shapes = shapes[:, shapes[0] <= ends]
    each = ends // shapes[0]
    up = _uplinks(floor, each, _pairs(floor, each), shapes[1])
    below, above = ends / shapes[0] * floor.lines + shapes[1] * up, shapes[0] * up
    fits = (below <= radix) & (above <= radix)
    shapes, below, above = shapes[:, fits], below[fits], above[fits]
    box = np.interp(below, np.arange(radix + 1), floor.envelope)
    price = shapes[0] * box + shapes[1] * (floor.price[above] + above * floor.cable)
    order = np.argsort(price, kind="stable")
    cheap = shapes[:, order[price[order] <= _BEYOND * price.min(initial=math.inf)]]
    return list(zip(*cheap.tolist(), strict=True))


def _leaves(floor: CostFloor, groups: _Groups, spines: int) -> list[Deal]:
    """The cheapest ways to deal endpoints to leaves under so many spines."""
    shape = groups.ends[0].shape
    pairs = np.broadcast_to(_pairs(floor, groups.ends[0]), shape)
    boxes, links = np.zeros(shape), np.zeros(shape, dtype=np.int64)
    for x, many in zip(*groups, strict=True):
        each = _uplinks(floor, x, pairs, np.array(spines))
        boxes += _boxes(floor, x * floor.lines + spines * each, many)
        links += many * each
    boxes += _boxes(floor, links, np.full(shape, spines))
    out = []
    for price, ends, i in _cheapest(floor, groups, boxes, links * spines):
        sides = np.array([ends[0], ends[-1]])
        trunk, least = _uplinks(floor, sides, pairs[i], np.array(spines)).tolist()
        if not _usual(ends, trunk, least):
            out.append(Deal(price, ends, trunk, int(pairs[i]), spines))
    return out


def _usual(ends: tuple[int, ...], trunk: int, least: int) -> bool:
    """Is it a deal as even as can be, with trunks of one width? Families propose these."""
    return ends[0] - ends[-1] < 2 and trunk == least


def _pairs(floor: CostFloor, most: IntArray | None = None) -> IntArray:
    """Pairs of endpoints that one cable may serve; `most` endpoints of a leaf, else Valiant's."""
    ends, share, worst = floor.endpoints, floor.throughput / NEAR, floor.worst / NEAR
    pairs = np.asarray((ends - 1) / (share * floor.lines))
    if worst:
        each = ends / 2 if most is None else ends - most
        pairs = np.minimum(pairs, each / (worst * floor.lines))
    return np.maximum(1, np.floor(pairs + _SLACK)).astype(np.int64)


def _boxes(floor: CostFloor, ports: IntArray, many: IntArray) -> Floats:
    """What so many switches with so many ports cost; infinite where there are none so large."""
    price = np.append(floor.price, math.inf)
    each = price[np.minimum(ports, floor.radix + 1).astype(np.int64)]
    return np.where(many > 0, np.where(many > 0, each, 0.0) * many, 0.0)


def _cheapest(
    floor: CostFloor, groups: _Groups, boxes: Floats, cables: Floats | IntArray
) -> list[tuple[float, tuple[int, ...], int]]:
    """Cost, endpoints of each switch and place of the cheapest deals."""
    lines = floor.endpoints * floor.lines
    price = floor.planes * (boxes + (cables + lines) * floor.cable) + floor.nics
    cheapest: dict[tuple[int, ...], tuple[float, int]] = {}
    for i in np.argsort(price, kind="stable")[:_MOST].tolist():
        if math.isfinite(price[i]):
            every = zip(*groups, strict=True)
            ends = [int(x[i]) for x, many in every for _ in range(int(many[i]))]
            cheapest.setdefault(tuple(sorted(ends, reverse=True)), (float(price[i]), i))
    return [(cost, ends, i) for ends, (cost, i) in cheapest.items()]


def _dear(least: float, best: float) -> bool:
    """Are so many parts dearer than what competes? Not if they are too few to be bought."""
    return _BEYOND * best < least < math.inf


def _dealt(floor: CostFloor, n: int) -> _Groups:
    """Ways to deal the endpoints to n switches, not all of them equally."""
    ends, most = floor.endpoints, floor.radix // floor.lines
    first = np.arange(math.ceil(ends / n), min(most, ends) + 1)
    times = np.arange(1, n)
    a, k = (grid.ravel() for grid in np.meshgrid(first, times, indexing="ij"))
    rest, left = ends - k * a, n - k
    b, more = np.divmod(rest, left)
    good = (rest >= left) & (b <= a) & ~((b == a) & (more == 0))
    a, k, b, more, left = (x[good] for x in (a, k, b, more, left))
    ways = [np.stack([a, b + 1, b]), np.stack([k, more, left - more])]
    if 3 <= n <= _THREE:
        grids = np.meshgrid(first, np.arange(1, n - 1), np.arange(1, most + 1), indexing="ij")
        a, k, b = (grid.ravel() for grid in grids)
        last = ends - k * a - (n - 1 - k) * b
        good = (last >= 1) & (last <= a) & (b <= a) & (last < a)
        a, k, b, last = (x[good] for x in (a, k, b, last))
        ways[0] = np.concatenate([ways[0], np.stack([a, b, last])], axis=1)
        counts = np.stack([k, n - 1 - k, np.ones_like(k)])
        ways[1] = np.concatenate([ways[1], counts], axis=1)
    return _Groups(tuple(ways[0]), tuple(ways[1]))
