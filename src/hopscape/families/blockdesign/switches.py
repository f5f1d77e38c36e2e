"""Distributed switches: endpoints are the elements of a design, its blocks are crossbars."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from hopscape.algebra.designs.covers import find_cover
from hopscape.algebra.designs.existence import existence
from hopscape.algebra.designs.symmetric import Design, check_parameters, make_design
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Parameter, integers
from hopscape.core.memory import require_memory
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.core.router import Router
from hopscape.families.blockdesign.crossbars import Crossbars
from hopscape.families.blockdesign.routing import SwitchRouter
from hopscape.families.blockdesign.two_hops import TwoHops

__all__ = ["DistributedSwitch", "PartialSwitch", "SwitchFamily"]

_SLACK = 1.6
_COVER_ORDER, _COVER_PORTS = 150, 24


class SwitchFamily(TwoHops, Crossbars):
    """Endpoints and crossbars with their routers and collectives."""

    def router(self, network: Network) -> Router:
        return SwitchRouter(network, self.n, self.wiring)


class DistributedSwitch(SwitchFamily):
    """RPK(N, m, σ): every two endpoints share exactly σ crossbars."""

    name = "distributed_switch"
    summary = "distributed full switch: N endpoints, N crossbars m × m, two hops by sigma routes"
    parameters = (
        *integers(
            n=("endpoints, and crossbars: m(m-1)/sigma + 1", 3),
            m=("ports of an endpoint and of a crossbar", 2),
        ),
        Parameter("sigma", "int", "crossbars that two endpoints share", low=1, default=1),
    )
    example = "distributed_switch(13, 4, 1)"

    def __init__(self, n: int, m: int, sigma: int = 1) -> None:
        check_parameters(n, m, sigma)
        require_memory(32 * n * m, f"the wiring of distributed_switch({n}, {m}, {sigma})")
        if not existence(n, m, sigma).built:
            make_design(n, m, sigma)  # says why not
        self.n, self.m, self.sigma = n, m, sigma

    @property
    def spec(self) -> str:
        return f"{self.name}({self.n}, {self.m}, {self.sigma})"

    @cached_property
    def design(self) -> Design:
        return make_design(self.n, self.m, self.sigma)

    def facts(self) -> Facts:
        from dataclasses import replace

        # two elements of two common blocks close a cycle of 4; with sigma = 1 the least is 6
        return replace(super().facts(), girth=6 if self.sigma == 1 else 4)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Designs that can be built, the fewest common crossbars first."""
        for m in range(2, requirement.ports + 1):
            for sigma in range(1, m):
                n, rest = divmod(m * (m - 1), sigma)
                if rest == 0 and requirement.fits(n + 1) and existence(n + 1, m, sigma).built:
                    yield f"{cls.name}({n + 1}, {m}, {sigma})"


class PartialSwitch(SwitchFamily):
    """RPK(N, m, 1/2): every two endpoints share one crossbar, some share more."""

    name = "partial_switch"
    summary = "distributed switch from a difference cover: every two endpoints share 1 or more"
    parameters = integers(
        n=("endpoints, and crossbars: at most m(m-1) + 1", 3, 400),
        m=("ports of an endpoint and of a crossbar", 2, 24),
    )
    example = "partial_switch(12, 4)"

    def __init__(self, n: int, m: int) -> None:
        if m >= n:
            raise ArgumentError(f"m is {m}; it must be smaller than N = {n}")
        cover = find_cover(n, m)
        if cover.elements is None:
            raise ArgumentError(f"partial_switch({n}, {m}) is not possible: {cover.reason}")
        self.n, self.m = n, m
        self.cover = cover

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """The nearest order with somewhat more ports than the least possible, which is quick."""
        for n in requirement.sizes()[:1]:
            m = 2
            while m * (m - 1) + 1 < _SLACK * n:
                m += 1
            if 3 <= n <= _COVER_ORDER and m <= min(requirement.ports, _COVER_PORTS) and m < n:
                yield f"{cls.name}({n}, {m})"

    @cached_property
    def design(self) -> Design:
        base = self.cover.difference_set()
        return Design(base.blocks(), base.how, base)
