"""FatClique: cliques of cliques of cliques."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hopscape.core.addresses import Addresses, MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Parameter, integers
from hopscape.core.requirement import Requirement
from hopscape.families.datacenter.boxes import Box
from hopscape.families.datacenter.groups import GlobalLinks
from hopscape.families.datacenter.levels import Levels
from hopscape.families.datacenter.routers import TERMINALS, FormulaFamily

__all__ = ["FatClique"]


class FatClique(FormulaFamily):
    """Switches form complete sub-blocks, sub-blocks a complete block, blocks a complete whole.

    Zhang, Mysore, Supittayapornpong and Govindan, "Understanding lifecycle management complexity of
    datacenter topologies", NSDI 2019. A switch has `inner` ports to other sub-blocks of its block
    and `outer` ports to other blocks; any two parts have the same number of links, as many as these
    ports allow.
    """

    name = "fatclique"
    summary = "FatClique: complete sub-blocks in complete blocks, joined completely"
    parameters = (
        *integers(
            size="switches of a sub-block",
            subblocks="sub-blocks of a block",
            blocks="number of blocks",
        ),
        Parameter("inner", "int", "ports of a switch to other sub-blocks", low=1, default=1),
        Parameter("outer", "int", "ports of a switch to other blocks", low=1, default=1),
        TERMINALS,
    )
    example = "fatclique(3, 2, 3, p=1)"

    def __init__(
        self,
        size: int,
        subblocks: int,
        blocks: int,
        inner: int = 1,
        outer: int = 1,
        p: int | None = None,
    ) -> None:
        self.subblocks, self.blocks, self.inner, self.outer = subblocks, blocks, inner, outer
        self.size, self.p = size, p
        self.part = size * subblocks
        self.clique = Box((size,), (1,))
        self.near = GlobalLinks(subblocks, size, inner, "relative")
        self.wide = GlobalLinks(blocks, self.part, outer, "relative")
        if subblocks > 1 and not self.near.copies:
            raise ArgumentError(
                f"subblocks is {subblocks}; with {size} switches of {inner} inner ports it must"
                f" be at most {size * inner + 1}"
            )
        if blocks > 1 and not self.wide.copies:
            raise ArgumentError(
                f"blocks is {blocks}; with {self.part} switches of {outer} outer ports it must be"
                f" at most {self.part * outer + 1}"
            )

    @property
    def routers(self) -> int:
        return self.part * self.blocks

    @property
    def router_degree(self) -> int:
        return self.clique.degree + self.near.degree + self.wide.degree

    @property
    def balanced(self) -> int:
        """A third of the ports between switches, but at least 1."""
        return max(1, self.router_degree // 3)

    @property
    def addresses(self) -> Addresses:
        sides = (self.blocks, self.subblocks, self.size)
        if self.terminals == 0:
            return MixedRadix(sides)
        return Levels([(*sides, self.terminals), (*sides, 1)])

    def router_neighbours(self, routers: IntArray) -> IntArray:
        out = np.full((len(routers), self.router_degree), -1, dtype=routers.dtype)
        local, sub = routers % self.size, routers // self.size % self.subblocks
        block, within = routers // self.part, routers % self.part
        first = self.clique.degree
        out[:, :first] = (routers - local)[:, None] + self.clique.neighbours(local)
        if self.near.slots:
            there, switch, wired = self.near.neighbours(sub, local)
            other = (block * self.part)[:, None] + there * self.size + switch
            out[:, first : first + self.near.degree] = np.where(wired, other, -1)
        if self.wide.slots:
            there, switch, wired = self.wide.neighbours(block, within)
            out[:, first + self.near.degree :] = np.where(wired, there * self.part + switch, -1)
        return out

    def facts(self) -> Facts:
        cliques = self.routers * self.clique.degree // 2
        links = cliques + self.blocks * self.near.links + self.wide.links + self.ends
        return Facts.duplex(links)

    @classmethod
    def candidates(cls, requirement: Requirement) -> Iterator[FatClique]:
        """Three alike: sub-blocks, blocks and their number, a quarter of the ports to each."""
        quarter = requirement.ports // 4
        for switches in range(max(2, quarter // 2), quarter + 2):
            for p in (quarter, quarter + 1):
                sizes = requirement.sizes(switches * switches * p) if p else []
                for blocks in {size // (switches * switches * p) for size in sizes}:
                    ports = max(1, requirement.ports - p - switches + 1)
                    if 2 <= blocks <= switches * switches * (ports // 2) and ports > 1:
                        yield cls(switches, switches, blocks, ports - ports // 2, ports // 2, 0)
