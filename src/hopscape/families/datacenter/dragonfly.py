"""Dragonflies: any number of groups, any arrangement of global links, three kinds of groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, prod

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import circle, with_leaves
from hopscape.core.family import Facts, Layout, Parameter, integers
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router
from hopscape.families.datacenter.groups import (
    ARRANGEMENTS,
    Bipartite,
    GlobalLinks,
    GroupFamily,
    GroupRouter,
)
from hopscape.families.datacenter.hyperx import Box
from hopscape.families.datacenter.routers import TERMINALS, Levels

__all__ = ["Cascade", "Dragonfly", "DragonflyPlus"]

_GROUPS = Parameter(
    "groups", "int", "number of groups; as many as there can be when left out", low=1, default=None
)
_ARRANGEMENT = Parameter(
    "arrangement",
    "text",
    'of the global links: "relative", "absolute" or "palmtree"',
    default="relative",
)


def _check_groups(groups: int | None, most: int, arrangement: str) -> int:
    if groups is not None and groups > most:
        raise ArgumentError(
            f"groups is {groups}; it must be at most {most}, or two groups would not be joined"
        )
    if arrangement not in ARRANGEMENTS:
        raise ArgumentError(
            f"arrangement is {arrangement!r}; it must be {', '.join(ARRANGEMENTS[:-1])}"
            f" or {ARRANGEMENTS[-1]}"
        )
    return most if groups is None else groups


_CLOSE_ROUTERS, _MORE, _WIDER = 200, 2.5, 3
"""Few groups: most routers, times the fewest that may do, and numbers of global links tried."""
_LOCAL = 2.0
"""Load of a link in a group by all that takes one, when some of it takes two global ones."""
_SHORTER = 1.1
"""Routes that need fewer local links than three hops have, as a share."""


class _Dragonfly(GroupFamily):
    """What dragonflies share: facts, router, addresses, drawing."""

    def facts(self) -> Facts:
        inside = self._inner_links()
        links = self.between.groups * inside + self.between.links + self.ends
        return Facts.duplex(links, 1 if self.terminals else None, diameter=self._diameter())

    def _inner_links(self) -> int:
        """Links inside one group."""
        return self.group.order * self.group.degree // 2

    def _diameter(self) -> int | None:
        return None

    @property
    def addresses(self) -> Addresses:
        groups, size = self.between.groups, self.group.order
        if self.terminals == 0:
            return MixedRadix((groups, size))
        return Levels([(groups, size, self.terminals), (groups, size, 1)])

    def router(self, network: Network) -> Router:
        return GroupRouter(network, self)

    def layout(self) -> Layout:
        """Groups round a circle, each a small circle with its endpoints outside."""
        groups, size, p = self.between.groups, self.group.order, self.terminals
        centres = circle(groups) * (groups > 1)
        turn = np.arctan2(centres[:, 1], centres[:, 0])[:, None] + np.pi / 2
        turn = turn + 2 * np.pi * np.arange(size)[None, :] / size
        small = 0.6 * np.sin(np.pi / max(groups, 3)) * (size > 1)
        around = small * np.stack([np.cos(turn), np.sin(turn)], axis=-1)
        routers = (centres[:, None, :] + around).reshape(-1, 2)
        if not p:
            return Layout(routers)
        owners = np.arange(len(routers) * p) // p
        centre = centres[owners // size] * (size > 1)
        return with_leaves(Layout(routers), owners, centre, 0.3)


class Dragonfly(_Dragonfly):
    """Groups of a routers, complete inside, joined by h global links of each router.

    Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008:
    up to a·h + 1 groups; balanced where a = 2h = 2p. Any two groups have the same number of links,
    floor(a·h / (groups - 1)); ports left over are not wired. Router i of group g has the global
    ports i·h .. i·h + h - 1 (where all are wired).
    """

    name = "dragonfly"
    summary = "dragonfly: groups of a routers, h global links each, p endpoints each"
    parameters = (
        *integers(a="routers per group", h="global links per router"),
        TERMINALS,
        _GROUPS,
        _ARRANGEMENT,
    )
    example = "dragonfly(4, 2, p=2)"

    def __init__(
        self,
        a: int,
        h: int,
        p: int | None = None,
        groups: int | None = None,
        arrangement: str = "relative",
    ) -> None:
        self.a, self.h, self.p, self.groups, self.arrangement = a, h, p, groups, arrangement
        count = _check_groups(groups, a * h + 1, arrangement)
        self.group, self.gates = Box((a,), (1,)), 0
        self.between = GlobalLinks(count, a, h, arrangement)

    @property
    def balanced(self) -> int:
        return self.h

    def _diameter(self) -> int | None:
        """Known for one group, and for as many as there can be, where links mirror each other."""
        if self.between.groups == 1:
            return self.hops(int(self.a > 1))
        full = self.between.groups == self.a * self.h + 1 and self.arrangement != "absolute"
        if not full or self.a == 2:
            return None
        return self.hops(3 if self.a > 1 else 1)

    @classmethod
    def shapes(cls, ports: int, routers: int) -> Iterator[Dragonfly]:
        for a in range(2, ports + 1):
            for h in range(1, ports - a + 2):
                if a * (a * h + 1) <= routers:
                    yield cls(a, h, 0)

    @classmethod
    def candidates(cls, requirement: Requirement) -> Iterator[Dragonfly]:
        """As many groups as there can be; and fewer where a = 2h = 2p, as Kim et al. advise.

        For a share t of the line rate, h = t·p is enough. For a switched machine also groups of any
        size that are joined to all others, several links between any two.
        """
        yield from cls.shapes(requirement.ports, requirement.high)
        if requirement.throughput is not None:
            yield from cls._close_groups(requirement)
        share = requirement.throughput or 1.0
        top = int((requirement.ports + 1) / (3 + 1 / share))
        for h in range(max(1, top - 2), top + 1):
            part = 2 * h * int(h / share)
            for size in requirement.sizes(part):
                if 2 <= size // part <= 2 * h * h:
                    yield cls(2 * h, h, 0, size // part)

    @classmethod
    def _close_groups(cls, requirement: Requirement) -> Iterator[Dragonfly]:
        """Few groups: the numbers of routers that may carry what is asked for, and few more."""
        low, ports = requirement.low, requirement.ports
        first = 0
        for routers in range(4, min(requirement.high, _CLOSE_ROUTERS) + 1):
            p = ceil(low / routers)
            least = next(
                (d for d in range(1, ports - p + 1) if requirement.carries(routers, d, p)), 0
            )
            first = first or routers * (least > 0)
            if first and routers > _MORE * first:
                return
            for a in range(2, routers // 2 + 1 if least else 2):
                groups = routers // a
                if routers % a == 0:
                    wide = max(1, least - a + 1, ceil((groups - 1) / a))
                    many = range(wide, min(wide + _WIDER, ports - p - a + 2))
                    inner = (requirement.throughput or 0.0) * p / (_LOCAL * routers * (a - 1))
                    yield from (cls(a, h, 0, groups) for h in many
                                if inner * (routers - 1 - h) <= 1)  # fmt: skip

    def concentrations(self, requirement: Requirement, degree: int) -> list[int]:
        """What fits; in a switched machine the most and the fewest that the links may carry.

        A global link carries p (g - 1) / g of h parts of what a router's endpoints send, a local
        one p (2 - 1/g) of a parts: before the global link, behind it, and within the group.
        """
        wanted, groups = requirement.throughput, self.between.groups
        if wanted is None or groups <= self.h + 1:  # every router may be joined to every group
            return super().concentrations(requirement, degree)
        fitting = [
            p
            for p in range(1, requirement.ports - degree + 1)
            if requirement.fits(self.carriers * p)
            and wanted * p * (groups - 1) <= self.h * groups
            and wanted * p * (2 * groups - 1) <= _SHORTER * self.a * groups
        ]
        return sorted({*fitting[:1], *fitting[-1:]})


class DragonflyPlus(_Dragonfly):
    """Groups of leaves and spines, complete between both; spines have the global links.

    Dragonfly+ (Shpiner, Haramaty, Eliad, Zdornov, Gafni and Zahavi, HiPINEB 2017), also Megafly
    (Flajslik, Borch and Parker, 2018). Leaves carry p endpoints. A route goes up to a spine with a
    link to the other group, over it, and down. In each group the leaves come first.
    """

    name = "dragonfly_plus"
    summary = "Dragonfly+ (Megafly): groups of leaves and spines, h global links at each spine"
    parameters = (
        *integers(
            leaves="leaf routers per group",
            spines="spine routers per group",
            h="global links per spine",
        ),
        Parameter(
            "p", "int", "endpoints per leaf; as many as spines when left out", low=1, default=None
        ),
        _GROUPS,
        _ARRANGEMENT,
    )
    example = "dragonfly_plus(2, 2, 2, p=2)"

    def __init__(
        self,
        leaves: int,
        spines: int,
        h: int,
        p: int | None = None,
        groups: int | None = None,
        arrangement: str = "relative",
    ) -> None:
        self.leaves, self.spines, self.h, self.p = leaves, spines, h, p
        self.groups, self.arrangement = groups, arrangement
        count = _check_groups(groups, spines * h + 1, arrangement)
        self.group: Bipartite = Bipartite(leaves, spines)
        self.gates = leaves
        self.between = GlobalLinks(count, spines, h, arrangement)

    @property
    def balanced(self) -> int:
        return self.spines

    @property
    def carriers(self) -> int:
        return self.between.groups * self.leaves

    @property
    def ports(self) -> int:
        return max(self.spines + self.terminals, self.leaves + self.between.degree)

    def places(self, routers: IntArray) -> tuple[IntArray, IntArray]:
        leaf = routers < self.carriers
        rest = routers - self.carriers
        group = np.where(leaf, routers // self.leaves, rest // self.spines)
        local = np.where(leaf, routers % self.leaves, self.leaves + rest % self.spines)
        return group, local

    def place(self, router: int) -> tuple[int, int]:
        if router < self.carriers:
            return divmod(router, self.leaves)
        group, spine = divmod(router - self.carriers, self.spines)
        return group, self.leaves + spine

    def number(self, group: IntArray, router: IntArray) -> IntArray:
        leaf = router < self.leaves
        spine = self.carriers + group * self.spines + router - self.leaves
        return np.where(leaf, group * self.leaves + router, spine)

    def _inner_links(self) -> int:
        return self.leaves * self.spines

    @property
    def addresses(self) -> Addresses:
        groups, p = self.between.groups, self.terminals
        boxes = [(groups, self.leaves, p), (groups, self.leaves, 1), (groups, self.spines, 1)]
        return Levels(boxes)

    def layout(self) -> Layout:
        """Groups round a circle: spines inside, then leaves, then endpoints."""
        groups, p = self.between.groups, self.terminals
        rings = [(self.leaves * p, 2.0), (self.leaves, 1.5), (self.spines, 1.0)]
        return Layout(np.concatenate([circle(groups * n, r, 0.5) for n, r in rings]))

    @classmethod
    def candidates(cls, requirement: Requirement) -> Iterator[DragonflyPlus]:
        """Half of the ports of leaves and spines to each other, or fewer spines for a taper."""
        leaves = requirement.ports // 2
        h = requirement.ports - leaves
        for spines in {leaves, -(-2 * leaves // 3), -(-leaves // 2)} - {0}:
            for p in {spines, requirement.ports - spines}:
                for size in requirement.sizes(leaves * p):
                    if 2 <= size // (leaves * p) <= spines * h + 1:
                        yield cls(leaves, spines, h, p, size // (leaves * p))

    def concentrations(self, requirement: Requirement, degree: int) -> list[int]:
        """What fits and leaves enough uplinks."""
        p, wanted = self.terminals, requirement.throughput
        enough = wanted is None or wanted * p <= self.spines
        return [p] if enough and requirement.fits(self.carriers * p) else []


class Cascade(_Dragonfly):
    """The dragonfly of Cray XC: groups of 16 by 6 routers, blades of 4 nodes, ten global links.

    Faanes et al., "Cray Cascade: a scalable HPC system based on a Dragonfly network", SC 2012. In a
    group the 16 routers of a chassis are complete (green links), and so are the 6 of the same slot,
    threefold (black links); each router has 10 global (blue) ports and 8 lines to 4 nodes, which
    count as 4 endpoints here unless `p` says otherwise.
    """

    name = "cascade"
    summary = "Cray XC (Cascade) dragonfly: groups of 16 x 6 routers, 10 global ports each"
    parameters = (
        *integers(groups=("number of groups", 1, 961)),
        Parameter("p", "int", "endpoints per router", low=0, default=4),
        Parameter("sides", "ints", "routers along the axes of a group", low=1, default=(16, 6)),
        Parameter("links", "ints", "parallel links along each axis", low=1, default=(1, 3)),
        Parameter("h", "int", "global ports per router", low=1, default=10),
        _ARRANGEMENT,
    )
    example = "cascade(3, p=1, sides=[2, 2], links=[1, 1], h=2)"

    def __init__(
        self,
        groups: int,
        p: int = 4,
        sides: Sequence[int] = (16, 6),
        links: Sequence[int] = (1, 3),
        h: int = 10,
        arrangement: str = "relative",
    ) -> None:
        if not sides or len(sides) != len(links):
            raise ArgumentError(
                f"sides has {len(sides)} entries and links {len(links)}; both must have one for"
                " each axis"
            )
        self.groups, self.p, self.h, self.arrangement = groups, p, h, arrangement
        self.sides, self.links = tuple(sides), tuple(links)
        size = prod(self.sides)
        _check_groups(groups, size * h + 1, arrangement)
        self.group, self.gates = Box(self.sides, self.links), 0
        self.between = GlobalLinks(groups, size, h, arrangement)

    @property
    def balanced(self) -> int:
        return 4

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Full groups, where a router may have the 44 ports that it needs with 4 endpoints."""
        whole = cls(1)
        need = whole.group.degree + whole.h + 4
        for groups in requirement.sizes(96 * 4) if requirement.ports >= need else ():
            if 1 <= groups // 384 <= 961:
                yield cls(groups // 384).spec
