"""Cayley graphs of semidirect products: parameters, wiring and symmetry.

Voltage graphs: a small graph with group elements on its links says how a large one is wired.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from hopscape.algebra.named_groups import Semidirect, group
from hopscape.core.addresses import Addresses, MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import circle
from hopscape.core.family import Facts, Family, Layout, ListedFamily, Parameter, Symmetry, integers
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.requirement import Requirement
from hopscape.families.cayley.offers import good_cayley
from hopscape.families.cayley.routing import CayleyRouter

__all__ = ["Cayley", "Voltage"]

_MOST = 2**20  # tables by group element take 8 MiB then


class Cayley(Family):
    """A Cayley graph of the semidirect product of Z_m and Z_k with multiplier r."""

    name = "cayley"
    summary = "Cayley graph of a semidirect product of two cyclic groups"
    parameters = (
        *integers(
            m=("order of the first cyclic group", 1, _MOST),
            k=("order of the second, which acts on the first", 1, _MOST),
            r="multiplier of the action, r^k = 1 mod m",
        ),
        Parameter(
            "generators", "int", "elements y·m + x; their inverses are added", low=1, variadic=True
        ),
    )
    example = "cayley(7, 3, 2, 1, 7)"
    transitive = True

    def __init__(self, m: int, k: int, r: int, generators: tuple[int, ...]) -> None:
        if pow(r, k, m) != 1 % m:
            raise ArgumentError(
                f"r is {r}, but r^k mod m is {pow(r, k, m)} and must be 1 (m is {m}, k is {k})"
            )
        self.m, self.k, self.r = m, k, r
        self.generators = tuple(generators)
        self._group = Semidirect(m, k, r)
        self._steps = self._make_steps()

    def _make_steps(self) -> IntArray:
        """What the ports multiply by: each generator, then its inverse unless it is its own."""
        steps: list[int] = []
        for g in self.generators:
            if g >= self.order:
                raise ArgumentError(f"generator {g} must be from 1 to {self.order - 1}")
            y, x = -(g // self.m) % self.k, g % self.m
            back = -x * pow(self.r, y, self.m) % self.m + self.m * y
            if g in steps:
                raise ArgumentError(
                    f"generator {g} is there already, as another's inverse or twice"
                )
            steps += [g] if g == back else [g, back]
        return np.asarray(steps, dtype=np.int64)

    @property
    def order(self) -> int:
        return self.m * self.k

    @property
    def ports(self) -> int:
        return len(self._steps)

    @property
    def addresses(self) -> Addresses:
        return MixedRadix((self.k, self.m))

    def neighbours(self, nodes: IntArray) -> IntArray:
        return self._group.product(nodes[:, None], self._steps[None, :])

    def facts(self) -> Facts:
        return Facts.regular(self.order, self.ports, vertex_transitive=True)

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray:
        return self._group.product(by, nodes)

    def router(self, network: Network) -> CayleyRouter:
        return CayleyRouter(network, self._group, self._steps)

    def layout(self) -> Layout:
        return Layout(circle(self.order))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """The best of a seeded sample of generators, over a few groups of welcome orders."""
        for m, k, r, generators in good_cayley(requirement):
            yield cls(m, k, r, generators).spec


class Voltage(ListedFamily):
    """The lift of a base graph by a group (J. L. Gross, "Voltage graphs", 1974).

    Node v·m + h is element h over vertex v of the base graph (m elements in all); then come the
    fixed nodes. A link i, j, g of the base graph wires element h over i to h·g over j; with i = j
    and an involution g it is one port of each node. A link between a vertex and a fixed node (a
    number from `base` on) wires the fixed node to all nodes over the vertex.
    """

    name = "voltage"
    summary = "voltage graph: the lift of a small base graph by a group"
    parameters = (
        Parameter("group", "text", 'such as "semidirect(7, 3, 2)", "cyclic(5)" or "psl(7)"'),
        *integers(base=("vertices of the base graph", 0)),
        Parameter("voltages", "ints", "vertex, vertex, element of each link in turn", low=0),
        Parameter("fixed", "int", "nodes that the group leaves where they are", low=0, default=0),
    )
    example = 'voltage("cyclic(5)", 2, [0, 0, 1, 0, 1, 0, 1, 1, 2])'

    def __init__(self, group: str, base: int, voltages: Sequence[int], fixed: int = 0) -> None:
        self.group, self.base, self.fixed = group, base, fixed
        self.voltages = tuple(voltages)
        if len(voltages) % 3:
            raise ArgumentError(f"voltages has {len(voltages)} numbers; each link takes three")
        if self.order < 1:
            raise ArgumentError("base and fixed are 0; a network needs at least one node")
        self._links = [self._check(*voltages[i : i + 3]) for i in range(0, len(voltages), 3)]
        require_memory(40 * self._fold * len(self._links), f"a lift by {group}")

    def _check(self, i: int, j: int, g: int) -> tuple[int, int, int]:
        vertices = self.base + self.fixed
        if max(i, j) >= vertices:
            raise ArgumentError(
                f"link {i}, {j}, {g} names vertex {max(i, j)}; there are {vertices}"
            )
        if g >= self._fold:
            raise ArgumentError(
                f"link {i}, {j}, {g}: {self.group} has the elements 0 to {self._fold - 1}"
            )
        if i == j and (g == 0 or i >= self.base):
            raise ArgumentError(f"link {i}, {j}, {g} would wire nodes to themselves")
        return i, j, g

    @property
    def _fold(self) -> int:
        return group(self.group).order

    @property
    def order(self) -> int:
        return self.base * self._fold + self.fixed

    def links(self) -> tuple[IntArray, IntArray]:
        parts = [self._over(*link) for link in self._links]
        empty = np.empty(0, dtype=np.int64)
        tails = np.concatenate([empty, *(tails for tails, _ in parts)])
        return tails, np.concatenate([empty, *(heads for _, heads in parts)])

    def _over(self, i: int, j: int, g: int) -> tuple[IntArray, IntArray]:
        """The links over a link of the base graph."""
        m, first = self._fold, self.base * (self._fold - 1)
        every = np.arange(m, dtype=np.int64)
        if i >= self.base and j >= self.base:
            return np.asarray([first + i]), np.asarray([first + j])
        if i >= self.base or j >= self.base:
            return min(i, j) * m + every, np.full(m, first + max(i, j))
        beyond = group(self.group).product(every, np.full(m, g))
        if i == j and group(self.group).product(np.asarray([g]), np.asarray([g]))[0] == 0:
            every, beyond = every[every < beyond], beyond[every < beyond]
        return i * m + every, j * m + beyond

    @cached_property
    def _degrees(self) -> Counter[int]:
        """Of the vertices of the base graph that have links: a base may be larger than memory."""
        counts: Counter[int] = Counter()
        for i, j, g in self._links:
            own = i == j and group(self.group).product(np.asarray([g]), np.asarray([g]))[0] == 0
            spoke = (i >= self.base) != (j >= self.base)
            counts[i] += self._fold if spoke and i >= self.base else 1
            counts[j] += 0 if own else self._fold if spoke and j >= self.base else 1
        return counts

    def facts(self) -> Facts:
        degrees, bare = self._degrees, len(self._degrees) < self.base + self.fixed
        channels = sum(
            degree * (self._fold if vertex < self.base else 1) for vertex, degree in degrees.items()
        )
        return Facts(
            degree_min=0 if bare else min(degrees.values()),
            degree_max=max(degrees.values(), default=0),
            links=channels // 2,
            channels=channels,
        )

    def symmetry(self) -> Symmetry:
        first = self.base * self._fold
        heads = [v * self._fold for v in range(self.base)]
        return Symmetry(
            (*heads, *range(first, first + self.fixed)),
            (self._fold,) * self.base + (1,) * self.fixed,
        )

    def layout(self) -> Layout:
        return Layout(circle(self.order))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        return iter(())
