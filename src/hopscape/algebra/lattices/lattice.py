"""The lattice of a circulant.

A walk with x_i steps of generator s_i leads round to its start when x·S ≡ 0 mod N. These x form a
lattice L; the shortest paths to node v are the shortest vectors of the coset {x : x·S ≡ v}, by the
L1 norm. :mod:`hopscape.algebra.reduction` makes a short basis of L, and
:mod:`hopscape.algebra.closest` searches it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from hopscape.algebra.closest import Chain, Search
from hopscape.algebra.reduction import (
    Vector,
    closed_walks,
    dot,
    l1,
    lll,
    minus,
    solve,
)
from hopscape.algebra.sections import Costs, cost_of
from hopscape.core.errors import ArgumentError

__all__ = ["Lattice"]


@dataclass(frozen=True)
class Lattice:
    """All x with x·S ≡ 0 mod N, for a connected circulant (gcd(N, S) = 1).

    Examples:
        >>> lattice = Lattice(55, (1, 5, 21))
        >>> lattice.shortest(27)
        (1, 1, 1)
        >>> lattice.all_shortest(3)
        [(3, 0, 0), (-2, 1, 0)]
    """

    nodes: int
    generators: Vector

    def __post_init__(self) -> None:
        if math.gcd(self.nodes, *self.generators) != 1:
            raise ArgumentError(
                f"the generators {self.generators} do not connect {self.nodes} nodes"
            )

    @cached_property
    def _walks(self) -> tuple[list[list[int]], Vector]:
        return closed_walks(self.nodes, self.generators)

    @cached_property
    def basis(self) -> tuple[Vector, ...]:
        """A reduced basis."""
        return tuple(tuple(row) for row in lll(self._walks[0]))

    @cached_property
    def inverse(self) -> tuple[tuple[Vector, ...], int]:
        """Integer rows w_i and the determinant D > 0: the i-th coordinate of x is w_i·x / D."""
        columns = [list(column) for column in zip(*self.basis, strict=True)]
        size = len(columns)
        unit = [[int(i == j) for j in range(size)] for i in range(size)]
        solved = solve(columns, unit)
        assert solved is not None
        rows, determinant = solved
        return tuple(tuple(row) for row in rows), determinant

    @cached_property
    def unit(self) -> Vector:
        """A short vector that leads from node 0 to node 1."""
        return self.to_cell(self._walks[1])

    @cached_property
    def chain(self) -> Chain:
        """The basis with its bounds for the L1 norm."""
        return Chain(self.basis, Costs.unit(len(self.basis)))

    @cached_property
    def ordered_chain(self) -> Chain:
        """The basis with bounds for a norm that settles ties by lexicographic order.

        Each coordinate adds a little of its value to the length, the first coordinates more than
        all that follow. Shortest vectors are no longer than the reach: with weights in the ratio
        of 2·reach + 3 these additions order them as digits order numbers, and together they never
        make up for a step.
        """
        n = len(self.basis)
        base = 2 * self.reach + 3
        one = base**n
        ties = [base ** (n - 1 - i) for i in range(n)]
        return Chain(self.basis, Costs(tuple(one + t for t in ties), tuple(one - t for t in ties)))

    @cached_property
    def reach(self) -> int:
        """No node is farther than this: half of the basis vectors together."""
        return sum(map(l1, self.basis)) // 2

    def to_cell(self, x: Vector) -> Vector:
        """The vector of the same coset with coordinates from -1/2 to 1/2 in the basis."""
        rows, determinant = self.inverse
        coefficients = [(2 * dot(row, x) + determinant) // (2 * determinant) for row in rows]
        for t, b in zip(coefficients, self.basis, strict=True):
            x = minus(x, t, b)
        return x

    def start(self, v: int) -> Vector:
        """A vector that leads from node 0 to node v, near to a shortest one."""
        return self.to_cell(tuple(v * x for x in self.unit))

    def shortest(self, v: int) -> Vector:
        """A shortest vector from node 0 to node v."""
        return Search(self.chain).run(self.start(v))[0]

    def all_shortest(self, v: int, limit: int | None = None) -> list[Vector]:
        """All shortest vectors (at most `limit`), the last in lexicographic order first."""
        return sorted(Search(self.chain, True, limit).run(self.start(v)), reverse=True)

    def smallest(self, v: int) -> Vector:
        """The shortest vector that is first in lexicographic order."""
        return Search(self.ordered_chain).run(self.start(v))[0]

    def is_smallest(self, x: Vector) -> bool:
        """Is x the first in lexicographic order of the shortest vectors to its node?"""
        return self._nothing_better(self.ordered_chain, x).found == []

    def nothing_shorter(self, x: Vector) -> Search | None:
        """The search that found no vector of x's coset shorter than x; None if there is one."""
        search = self._nothing_better(self.chain, x)
        return None if search.found else search

    def _nothing_better(self, chain: Chain, x: Vector) -> Search:
        search = Search(chain)
        start = self.to_cell(x)
        search.best = cost_of(x, chain.costs)
        if cost_of(start, chain.costs) < search.best:
            search.found = [start]
        else:
            search.descend(chain, start)
        return search
