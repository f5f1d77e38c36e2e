"""What is looked for: order, degree, and what an architect allows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.processes import require_memory
from hopscape.metrics.cost import moore_diameter, moore_mean_distance

__all__ = ["Problem"]

_MOST_NODES = 1 << 20


@dataclass(frozen=True)
class Problem:
    """The order/degree problem, with constraints.

    Attributes:
        nodes, degree: Nodes, and the most links that a node may have.
        bipartite: Even nodes are linked to odd ones only.
        grid: Rows and columns of a floor plan: node v stands at row v // columns, column v %
            columns, and a cable is as long as the rows and columns between its ends.
        longest: The longest cable.
        budget: The length of all cables together.
        long: A length, and how many cables may be longer.
        links: An existing network (with both ends of each link, the smaller one first).
        rewire: How many of its links may be moved.
        terminals: Terminals at each node, a switch: then distances are those between terminals, and
            a switch has `degree` ports in all.

    Examples:
        >>> problem = Problem(10, 3)
        >>> problem.moore_diameter, problem.moore_mean
        (2, Fraction(5, 3))
    """

    nodes: int
    degree: int
    bipartite: bool = False
    grid: tuple[int, int] | None = None
    longest: int | None = None
    budget: int | None = None
    long: tuple[int, int] | None = None
    links: tuple[tuple[int, int], ...] | None = None
    rewire: int | None = None
    terminals: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        n, d = self.nodes, self.degree
        if not 1 <= n <= _MOST_NODES:
            raise ArgumentError(f"nodes is {n}; it must be from 1 to {_MOST_NODES}")
        if d < 0 or (d == 0 and n > 1):
            raise ArgumentError(f"degree is {d}; it must be at least 1")
        if d >= n and n > 1 and self.terminals is None:
            raise ArgumentError(f"degree is {d}; with {n} nodes it must be below {n}")
        if n * d % 2 and self.terminals is None and self.links is None:
            raise ArgumentError(
                f"nodes · degree is {n} · {d}, which is odd; every link has two ends, so one of"
                " them must be even"
            )
        if d == 1 and n > 2:
            raise ArgumentError(f"degree is 1; {n} nodes are connected only from degree 2 on")
        if self.bipartite and n % 2:
            raise ArgumentError(f"nodes is {n}; a bipartite graph of equal degrees needs it even")
        self._check_cables()
        self._check_existing()

    def _check_cables(self) -> None:
        n = self.nodes
        if self.grid is None:
            for name in ("longest", "budget", "long"):
                if getattr(self, name) is not None:
                    raise ArgumentError(f"{name} needs a floor plan: give grid as well")
            return
        rows, columns = self.grid
        if rows < 1 or columns < 1 or rows * columns < n:
            raise ArgumentError(f"grid is {rows} by {columns}; {n} nodes do not fit")
        if self.longest is not None and self.longest < 1:
            raise ArgumentError(f"longest is {self.longest}; a cable has a length of at least 1")
        if self.budget is not None and self.budget < n - 1:
            raise ArgumentError(
                f"budget is {self.budget}; {n} nodes need {n - 1} cables of length 1 at least"
            )
        if self.long is not None and min(self.long) < 0:
            raise ArgumentError(f"long is {self.long}; both numbers must be at least 0")
        if self.long is not None and self.long[0] < 1 and self.long[1] < n - 1:
            raise ArgumentError(f"long is {self.long}; every cable is longer than {self.long[0]}")

    def _check_existing(self) -> None:
        if (self.links is None) != (self.rewire is None):
            raise ArgumentError("an existing network and rewire go together")
        if self.rewire is not None and self.rewire < 0:
            raise ArgumentError(f"rewire is {self.rewire}; it must be at least 0")
        most = max(self.terminals or (0,))
        if self.terminals is not None and self.nodes > 1 and most >= self.degree:
            raise ArgumentError(
                f"a switch with {most} terminals has no port left of {self.degree} for a link"
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for keys of results."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def free(self) -> bool:
        """May the graph have any symmetry: are all nodes alike?"""
        return self.grid is None and self.links is None and self.terminals is None

    @property
    def ports(self) -> tuple[int, ...]:
        """Ports for links of each node; empty where all have as many as the degree."""
        if self.terminals is not None:
            return tuple(min(self.degree - t, self.nodes - 1) for t in self.terminals)
        if self.links is not None:
            ends = np.asarray(self.links, dtype=np.int64).ravel()
            return tuple(np.bincount(ends, minlength=self.nodes).tolist())
        return ()

    @property
    def moore_diameter(self) -> int | None:
        """No graph has a smaller diameter; not known for terminals."""
        return moore_diameter(self.nodes, self.degree) if self.terminals is None else None

    @property
    def moore_mean(self) -> Fraction | None:
        """No graph has a smaller mean distance; not known for terminals."""
        return moore_mean_distance(self.nodes, self.degree) if self.terminals is None else None

    @cached_property
    def lengths(self) -> IntArray | None:
        """Cable between any two places: int16[n, n]."""
        if self.grid is None:
            return None
        require_memory(16 * self.nodes**2, f"the cable lengths of {self.nodes} nodes")
        row, column = np.divmod(np.arange(self.nodes, dtype=np.int32), self.grid[1])
        apart = np.abs(row[:, None] - row) + np.abs(column[:, None] - column)
        return apart.astype(np.int16)

    def limits(self) -> tuple[IntArray, list[int]] | None:
        """What each link counts, and what all together may count, one matrix for each limit."""
        prices: list[IntArray] = []
        most: list[int] = []
        lengths = self.lengths
        if lengths is not None:
            if self.longest is not None:
                prices.append(np.maximum(lengths - self.longest, 0))
                most.append(0)
            if self.budget is not None:
                prices.append(lengths)
                most.append(self.budget)
            if self.long is not None:
                prices.append(lengths > self.long[0])
                most.append(self.long[1])
        if self.links is not None and self.rewire is not None:
            require_memory(4 * self.nodes**2, f"the links of {self.nodes} nodes")
            other = np.ones((self.nodes, self.nodes), dtype=np.int16)
            ends = np.asarray(self.links, dtype=np.int64).reshape(-1, 2)
            other[ends[:, 0], ends[:, 1]] = other[ends[:, 1], ends[:, 0]] = 0
            prices.append(other)
            most.append(self.rewire)
        return (np.stack(prices).astype(np.int16), most) if prices else None

    def grade(self, diameter: int, total: int) -> tuple[int, Fraction]:
        """Diameter and mean distance from what the kernels return."""
        if self.terminals is None:
            pairs = self.nodes * (self.nodes - 1)
            return diameter, Fraction(total, max(pairs, 1))
        count = np.asarray(self.terminals, dtype=np.int64)
        whole = int(count.sum())
        steps = total + 2 * whole * (whole - 1)
        return diameter + 2, Fraction(steps, max(whole * (whole - 1), 1))
