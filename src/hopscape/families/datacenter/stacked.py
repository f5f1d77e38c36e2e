"""Diameter-two networks of two levels: multi-layer full mesh and orthogonal fat tree.

Kathareios, Minkenberg, Prisacari, Rodriguez and Hoefler, "Cost-effective diameter-two topologies:
analysis and evaluation", SC 2015. Lower routers carry endpoints, any two of them share an upper
router, mostly exactly one.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from hopscape.algebra.fields import galois_field, prime_power
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Layout, Parameter, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router
from hopscape.families.datacenter.fly import incidence, plane_points
from hopscape.families.datacenter.levels import tiers
from hopscape.families.datacenter.routers import OwnedRouter, RouterFamily

__all__ = ["MLFM", "OFT"]

_LISTED = 1 << 20  # upper routers whose columns are listed

_ENDS = Parameter(
    "p", "int", "endpoints per lower router; as many as its uplinks when left out", low=1,
    default=None,
)  # fmt: skip


class _TwoLevels(RouterFamily):
    """What both share: lower routers first, all with as many uplinks."""

    lower: int
    upper: int
    uplinks: int
    downlinks: int

    @property
    def routers(self) -> int:
        return self.lower + self.upper

    @property
    def carriers(self) -> int:
        return self.lower

    @property
    def balanced(self) -> int:
        return self.uplinks

    @property
    def router_degree(self) -> int:
        return max(self.uplinks, self.downlinks)

    @property
    def ports(self) -> int:
        return max(self.uplinks + self.terminals, self.downlinks)

    @abstractmethod
    def joined(self, lower: IntArray, upper: IntArray) -> IntArray:
        """Is a lower router linked to an upper one?"""

    @abstractmethod
    def between_uppers(self, at: IntArray, to: IntArray) -> IntArray:
        """Hops between different upper routers."""

    def facts(self) -> Facts:
        return Facts.duplex(self.lower * self.uplinks + self.ends, 1, self.ports, diameter=4)

    def router(self, network: Network) -> Router:
        return TwoLevelRouter(network, self)

    def layout(self) -> Layout:
        return tiers([self.ends, self.lower, self.upper])

    def concentrations(self, requirement: Requirement, degree: int) -> list[int]:
        """What fits and leaves enough uplinks."""
        room = range(1, requirement.ports - self.uplinks + 1)
        wanted = requirement.throughput
        enough = [p for p in room if wanted is None or wanted * p <= self.uplinks]
        return [p for p in enough if requirement.fits(self.lower * p)][-2:]


class TwoLevelRouter(OwnedRouter):
    """Up to the upper router that both ends share, and down."""

    name = "up and down"
    _family: _TwoLevels

    def router_distances(self, at: IntArray, to: IntArray) -> IntArray:
        family = self._family
        low_a, low_b = at < family.lower, to < family.lower
        lower = np.where(low_a, at, to)
        upper = np.where(low_a, to, at) - family.lower
        mixed = low_a != low_b
        out = np.full(len(at), 2)
        some = np.flatnonzero(mixed)
        out[some] = np.where(family.joined(lower[some], upper[some]), 1, 3)
        some = np.flatnonzero(~low_a & ~low_b)
        out[some] = family.between_uppers(at[some] - family.lower, to[some] - family.lower)
        return out


class MLFM(_TwoLevels):
    """h + 1 columns of lower routers in so many layers; an upper router for each two columns.

    Lower router (layer, column) is linked to the upper routers of its column, so that every layer
    is a full mesh whose links are upper routers that all layers share. With h layers and p = h all
    routers have 2h ports: h³ + h² endpoints, 3h(h + 1)/2 routers.
    """

    name = "mlfm"
    summary = "multi-layer full mesh: h³ + h² endpoints on 3h(h + 1)/2 routers of 2h ports"
    parameters = (
        *integers(h="uplinks of a lower router"),
        _ENDS,
        Parameter("layers", "int", "layers; h when left out", low=1, default=None),
    )
    example = "mlfm(2)"

    def __init__(self, h: int, p: int | None = None, layers: int | None = None) -> None:
        self.h, self.p, self.layers = h, p, layers
        self.depth = h if layers is None else layers
        self.lower, self.upper = self.depth * (h + 1), h * (h + 1) // 2
        self.uplinks, self.downlinks = h, 2 * self.depth

    def _columns(self, upper: IntArray) -> tuple[IntArray, IntArray]:
        """The two columns of upper routers, the lower one first."""
        if self.upper > _LISTED:
            after = self.upper - 1 - upper  # counted from the last, columns are triangular numbers
            steps = [(math.isqrt(8 * int(n) + 1) - 1) // 2 for n in after]
            row = np.array(steps, dtype=upper.dtype)
            return self.h - 1 - row, self.h - (after - row * (row + 1) // 2)
        first, second = np.triu_indices(self.h + 1, 1)
        return first[upper], second[upper]

    def router_links(self) -> tuple[IntArray, IntArray]:
        first, second = np.triu_indices(self.h + 1, 1)
        upper = np.arange(len(first))
        rows = (np.arange(self.depth) * (self.h + 1))[:, None]
        tails = np.concatenate([(rows + first).ravel(), (rows + second).ravel()])
        heads = np.tile(self.lower + upper, 2 * self.depth)
        return tails, heads

    def joined(self, lower: IntArray, upper: IntArray) -> IntArray:
        first, second = self._columns(upper)
        column = lower % (self.h + 1)
        found: IntArray = (column == first) | (column == second)
        return found

    def between_uppers(self, at: IntArray, to: IntArray) -> IntArray:
        (a, b), (c, d) = self._columns(at), self._columns(to)
        return np.where((a == c) | (a == d) | (b == c) | (b == d), 2, 4)

    @classmethod
    def candidates(cls, requirement: Requirement) -> Iterator[MLFM]:
        """Half of the ports up and as many layers as the size asks for."""
        half = requirement.ports // 2
        for h in range(max(1, half // 2), half + 1):
            for size in requirement.sizes(h * (h + 1)):
                if 1 <= size // (h * (h + 1)) <= half:
                    yield cls(h, 1, size // (h * (h + 1)))


class OFT(_TwoLevels):
    """Two copies of the points of a projective plane as lower routers, its lines as upper ones.

    The two-level orthogonal fat tree (Valerio, Moser and Melliar-Smith, 1994): k = q + 1, q a prime
    power; 2k³ - 2k² + 2k endpoints, 3(k² - k + 1) routers of 2k ports.
    """

    name = "oft"
    summary = "orthogonal fat tree: 2k³ - 2k² + 2k endpoints on 3(k² - k + 1) routers of 2k ports"
    parameters = (*integers(k=("uplinks of a lower router; a prime power plus 1", 3, 1025)), _ENDS)
    example = "oft(3, p=1)"

    def __init__(self, k: int, p: int | None = None) -> None:
        if prime_power(k - 1) is None:
            raise ArgumentError(f"k is {k}; it must be a prime power plus 1")
        self.k, self.p = k, p
        self.upper = k * k - k + 1
        self.lower = 2 * self.upper
        self.uplinks, self.downlinks = k, 2 * k

    def router_links(self) -> tuple[IntArray, IntArray]:
        points, lines = incidence(self.k - 1)
        tails = np.concatenate([points, points + self.upper])
        return tails, np.tile(lines + self.lower, 2)

    def joined(self, lower: IntArray, upper: IntArray) -> IntArray:
        field, points = galois_field(self.k - 1), plane_points(self.k - 1)
        a, b = points[lower % self.upper], points[upper]
        total = field.multiply(a[:, 0], b[:, 0])
        for i in (1, 2):
            total = field.add(total, field.multiply(a[:, i], b[:, i]))
        zero: IntArray = total == 0
        return zero

    def between_uppers(self, at: IntArray, to: IntArray) -> IntArray:
        return np.full(len(at), 2)

    @classmethod
    def candidates(cls, requirement: Requirement) -> Iterator[OFT]:
        for k in range(3, min(requirement.ports // 2, 1025) + 1):
            if prime_power(k - 1) is not None and 2 * (k * k - k + 1) <= requirement.high:
                yield cls(k, 1)
