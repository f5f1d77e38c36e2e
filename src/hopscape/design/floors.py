"""The least that machines can cost, by counts alone: what the search by cost leaves out, and why.

A machine of n switches needs cables enough for the traffic that is asked for: every message takes
at least as many channels as the Moore bound says. A cable costs at least as much as the cheapest of
the list, and a switch what its ports in use ask for, or, where these are known in sum only, what
the lower convex envelope of the prices gives. No placement and no routing makes a machine cheaper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Floats
from hopscape.core.errors import ArgumentError
from hopscape.design.prices import PriceList
from hopscape.design.switched_requirements import SwitchedRequirements

__all__ = ["NEAR", "CostFloor", "SizeFloor", "cells", "least_hops"]

NEAR = 0.98
"""Of the throughput asked for: a machine that misses it by less may be worth knowing."""
_SLACK = 1e-9
_MOST_SWITCHES = 6
_DEAREST = 2.0  # times the least floor: dearer ones do not compete
_FARTHEST = 32  # hops: networks that are longer do not compete
_FINE = 300  # sizes up to which each is looked at; beyond, steps of a three-hundredth


@lru_cache(maxsize=10_000)
def least_hops(endpoints: int, switches: int, degree: int) -> float:
    """Least mean number of channels between two endpoints, spread evenly over so many switches.

    From a switch at most `degree` others are one hop away, ``degree * (degree - 1)`` two, and so
    on; the nearest ones have as many endpoints as any.

    Examples:
        >>> least_hops(20, 5, 4), round(least_hops(10, 10, 3), 4), least_hops(5, 1, 0)
        (0.8421052631578947, 1.6667, 0.0)
    """
    most = math.ceil(endpoints / switches)
    left, layer, total, distance = endpoints - most, degree * most, 0, 1
    if left and degree < 1:
        return math.inf
    while left > 0:
        here = min(left, layer)
        total += distance * here
        left -= here
        distance += 1
        layer *= max(1, degree - 1)
    return total / max(1, endpoints - 1)


@dataclass(frozen=True)
class CostFloor:
    """Lower bounds on the cost of the machines of a question.

    Attributes:
        endpoints, radix, worst: As asked; `worst` is 0 where nothing is asked of permutations.
        throughput: A little less than asked, so that near misses are known.
        prices: The price list of the question.
        lines: Of an endpoint into one plane.
        planes: Copies of the network.

    Examples:
        >>> floor = CostFloor.of(SwitchedRequirements(128, 32))
        >>> [floor.of_network(n, n - 1) < 123_956 for n in (7, 8, 9, 10, 11)]
        [False, True, True, False, False]
    """

    endpoints: int
    radix: int
    throughput: float
    prices: PriceList
    lines: int = 1
    planes: int = 1
    worst: float = 0.0

    @classmethod
    def of(cls, asked: SwitchedRequirements, planes: int = 1) -> CostFloor:
        """The bounds of a question, for machines of so many planes."""
        lines, share = asked.nics // planes, NEAR * asked.throughput
        size = asked.endpoints, asked.ports
        return cls(*size, share, asked.price_list, lines, planes, NEAR * (asked.worst or 0.0))

    @property
    def nics(self) -> float:
        """The network interfaces."""
        return self.endpoints * self.lines * self.planes * self.prices.nic.price

    @cached_property
    def cable(self) -> float:
        """The cheapest cable."""
        return min(item.price for item in self.prices.cables)

    @cached_property
    def envelope(self) -> Floats:
        """float64[radix + 1]: least price of a switch by the ports in use, convex from below."""
        ports = np.arange(self.radix + 1)
        price = np.array([self._price(max(1, int(p))) for p in ports])
        known = np.isfinite(price)
        hull: list[int] = []
        for p in ports[known].tolist():
            while len(hull) > 1:
                a, b = hull[-2], hull[-1]
                if (price[b] - price[a]) * (p - a) < (price[p] - price[a]) * (b - a):
                    break
                hull.pop()
            hull.append(p)
        return np.interp(ports, hull, price[hull], right=math.inf)

    @cached_property
    def price(self) -> Floats:
        """float64[radix + 1]: price of a switch by the ports in use; infinite: there is none."""
        return np.array([self._price(ports) for ports in range(self.radix + 1)])

    def _price(self, ports: int) -> float:
        try:
            return self.prices.switch(ports).price
        except ArgumentError:
            return math.inf

    def of_parts(self, switches: int, cables: float) -> float:
        """So many switches and cables between them in a plane, and the lines of the endpoints."""
        lines = self.endpoints * self.lines
        each = (lines + 2 * cables) / max(1, switches)
        if each > self.radix + _SLACK:
            return math.inf
        ports = np.arange(self.radix + 1)
        box = float(np.interp(each, ports, self.envelope))
        return self.planes * (switches * box + (cables + lines) * self.cable) + self.nics

    def channels(self, switches: int, degree: int) -> float:
        """Channels between switches that the throughput asked for takes at least."""
        hops = least_hops(self.endpoints, switches, degree)
        return self.throughput * self.endpoints * self.lines * hops

    def room(self, switches: int) -> int:
        """Ports of a switch that its endpoints leave, where these are dealt evenly."""
        return self.radix - math.ceil(self.endpoints / switches) * self.lines

    def trunk(self, switches: int, channels: int, degree: int) -> int:
        """Narrowest trunks of a graph of so many channels that may carry what is asked for.

        Of a permutation that sends all of a switch to one other, only a trunk takes one hop, the
        rest takes two and more.
        """
        if not channels:
            return 1
        uniform = self.channels(switches, degree) / channels
        worst = 2 * self.worst * self.lines * (self.endpoints // switches) / (degree + 1)
        return max(1, math.ceil(max(uniform, worst) - _SLACK))

    def of_network(self, switches: int, degree: int) -> float:
        """Machines with endpoints at each of so many switches, each joined to `degree` others.

        Infinite where no trunks that the radix has room for can do it.
        """
        room = self.room(switches)
        if switches == 1:
            return self.of_parts(1, 0) if room >= 0 else math.inf
        if degree < 1 or degree > min(room, switches - 1):
            return math.inf
        trunk = self.trunk(switches, switches * degree, degree)
        if trunk * degree > room:
            return math.inf
        return self.of_regular(switches, degree * trunk)

    @cached_property
    def pairs(self) -> tuple[PairFloor, ...]:
        """Two switches with unequal endpoints and just the trunk that these take, cheapest first.

        Examples:
            >>> CostFloor.of(SwitchedRequirements(53, 48)).pairs[0]
            PairFloor(floor=35530.0, ends=(36, 17), trunk=12)
        """
        deals = []
        share, worst = self.throughput / NEAR, self.worst / NEAR
        for few in range(1, self.endpoints // 2 + 1):
            many = self.endpoints - few
            load = share * self.lines * few * many / max(1, self.endpoints - 1)
            trunk = max(1, math.ceil(max(load, worst * self.lines * few) - _SLACK))
            ports = [count * self.lines + trunk for count in (many, few)]
            if max(ports) > self.radix:
                continue
            boxes = sum(self._price(count) for count in ports)
            cables = trunk + self.endpoints * self.lines
            cost = self.planes * (boxes + cables * self.cable) + self.nics
            if math.isfinite(cost):
                deals.append(PairFloor(cost, (many, few), trunk))
        return tuple(sorted(deals))

    def of_regular(self, switches: int, ports: int) -> float:
        """Switches with as many ports each to others, and the endpoints dealt evenly."""
        few, more = divmod(self.endpoints, switches)
        boxes = (switches - more) * self._price(few * self.lines + ports)
        boxes += more * self._price((few + 1) * self.lines + ports) if more else 0.0
        cables = switches * ports // 2 + self.endpoints * self.lines
        return self.planes * (boxes + cables * self.cable) + self.nics


class PairFloor(NamedTuple):
    """Two switches with so many endpoints each, the cables between them, and their least cost."""

    floor: float
    ends: tuple[int, int]
    trunk: int


class SizeFloor(NamedTuple):
    """Networks of so many switches that are joined to so many others, and their least cost."""

    floor: float
    switches: int
    degree: int


@lru_cache(maxsize=8)
def cells(floor: CostFloor) -> tuple[SizeFloor, ...]:
    """Sizes and degrees that can do what is asked for, the cheapest first.

    Up to six times the fewest switches, and up to twice the least cost: others do not compete.

    Examples:
        >>> found = cells(CostFloor.of(SwitchedRequirements(128, 32)))
        >>> found[0]
        SizeFloor(floor=107168.0, switches=8, degree=7)
    """
    price = floor.price
    rows: list[Floats] = []
    switches, most = math.ceil(floor.endpoints * floor.lines / floor.radix), floor.endpoints
    while switches <= most:
        row = _row(floor, switches, price)
        if len(row) and not rows:
            most = min(most, _MOST_SWITCHES * switches)
        if len(row):
            rows.append(row)
        switches += max(1, switches // _FINE)
    if not rows:
        return ()
    table = np.concatenate(rows)
    table = table[table[:, 0] <= _DEAREST * table[:, 0].min()]
    table = table[np.lexsort((table[:, 2], table[:, 1], table[:, 0]))]
    return tuple(SizeFloor(float(a), int(b), int(c)) for a, b, c in table)


def _row(floor: CostFloor, switches: int, price: Floats) -> Floats:
    """Floor, switches and degree of all networks of so many switches; see `of_network`."""
    room, ends, lines = floor.room(switches), floor.endpoints, floor.lines
    if switches == 1:
        return np.array([[floor.of_parts(1, 0), 1, 1]])[: int(room >= 0)]
    degree = np.arange(1 if switches == 2 else 2, max(0, min(switches - 1, room)) + 1)
    each = math.ceil(ends / switches)
    left = np.full(len(degree), ends - each)
    layer, total, distance = degree * each, np.zeros(len(degree)), 1
    while left.any() and distance <= _FARTHEST:
        here = np.minimum(left, layer)
        total += distance * here
        left = left - here
        layer = np.minimum(layer * np.maximum(1, degree - 1), ends)
        distance += 1
    total = np.where(left > 0, math.inf, total)
    need = floor.throughput * ends * lines * total / max(1, ends - 1)
    worst = 2 * floor.worst * lines * (ends // switches) / (degree + 1)
    trunk = np.maximum(1.0, np.ceil(np.maximum(need / (switches * degree), worst) - _SLACK))
    fits = trunk * degree <= room
    degree, ports = degree[fits], (trunk * degree)[fits].astype(np.int64)
    few, more = divmod(ends, switches)
    boxes = (switches - more) * price[few * lines + ports]
    if more:
        boxes += more * price[(few + 1) * lines + ports]
    cables = switches * ports // 2 + ends * lines
    cost = floor.planes * (boxes + cables * floor.cable) + floor.nics
    if switches == 2 and floor.pairs:
        cost = np.minimum(cost, floor.pairs[0].floor)
    rows = np.stack([cost, np.full(len(degree), switches), degree], axis=1)
    return rows[np.isfinite(cost)]
