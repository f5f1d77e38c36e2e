"""The circulant with any generators: wiring, facts, drawing.

Generators that the designer offers: the best of a seeded sample, found in a blink.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from hopscape.core.addresses import MixedRadix
from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.facts import circle
from hopscape.core.family import REQUIRED, Facts, Family, Layout, Parameter, integers
from hopscape.core.kindred import Kindred, ProductAxis
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement, scan
from hopscape.core.router import Guide, Route, Router
from hopscape.families.circulant.closed_forms import canonical, find_multiplier, fold, recognise

if TYPE_CHECKING:
    from hopscape.families.circulant.figures import Figures

__all__ = ["Circulant", "FixedCirculant", "good_generators"]


class Circulant(Family):
    """Port 2i leads to v + s_i, port 2i + 1 to v - s_i; a generator N/2 has the first only.

    Generators are kept as given: they need not be sorted, below N/2 or contain a unit.
    """

    name = "circulant"
    summary = "circulant (N; s1, ..., sn): node v wired to v ± s for every generator, mod N"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        *integers(n="number of nodes"),
        Parameter("generators", "int", "steps, from 1 to N - 1", low=1, variadic=True),
    )
    example = "circulant(21, 1, 3, 8)"
    transitive = True

    n: int
    generators: tuple[int, ...]

    def __init__(self, n: int, generators: Sequence[int]) -> None:
        for s in generators:
            if s >= n:
                raise ArgumentError(f"generator {s} is not from 1 to N - 1 = {n - 1}")
        self.n, self.generators = n, tuple(generators)

    @property
    def order(self) -> int:
        return self.n

    @property
    def ports(self) -> int:
        return 2 * len(self.generators)

    @property
    def components(self) -> int:
        """Number of components: gcd of the order and all generators."""
        return math.gcd(self.n, *self.generators)

    @property
    def component_spec(self) -> str:
        """The circulant that each component is; component c holds the nodes ≡ c."""
        g = self.components
        inner = ", ".join(str(s // g) for s in self.generators)
        return f"circulant({self.n // g}, {inner})" if inner else "circulant(1)"

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=nodes.dtype)
        for i, s in enumerate(self.generators):
            out[:, 2 * i] = (nodes + s) % self.n
            if 2 * s != self.n:
                out[:, 2 * i + 1] = (nodes - s) % self.n
        return out

    def product_axes(self) -> list[ProductAxis] | None:
        """The rings of the generators, where their orders multiply to that of the circulant."""
        n, generators = self.n, self.generators
        sides = [n // math.gcd(n, s) for s in generators]
        if math.prod(sides) != n:
            return None
        steps = MixedRadix(sides).tuples(np.arange(n)).astype(np.int64)
        node = steps @ np.asarray(generators, dtype=np.int64) % n
        if len(np.unique(node)) != n:
            return None
        at = np.empty_like(steps)
        at[node] = steps
        return [ProductAxis(side, True, at[:, k]) for k, side in enumerate(sides)]

    def kindred(self, root: int) -> Kindred | None:
        """A ring or torus, or the first circulant up to multipliers.

        Examples:
            >>> Circulant(15, (3, 5)).kindred(0)[:2], Circulant(100, (7, 30)).kindred(0)[:2]
            (('torus', ((5, 3),)), ('circulant', (100, (1, 10))))
        """
        from hopscape.families.kindred import grid_kindred

        axes, n, mine = self.product_axes(), self.n, fold(self.n, self.generators)
        if axes is not None:
            return grid_kindred(axes, root)
        if self.components > 1 or len(set(mine)) < len(mine):
            return None
        best = canonical(n, mine)
        unit = find_multiplier(n, mine, best)
        assert unit is not None
        places: IntArray = unit * (np.arange(n) - root) % n
        return Kindred(Circulant.name, (n, best), places)

    def facts(self) -> Facts:
        degree = sum(1 if 2 * s == self.n else 2 for s in self.generators)
        connected = self.components == 1
        diameter = self.known_diameter() if connected else None
        return Facts.regular(
            self.n,
            degree,
            connected=connected,
            diameter=diameter,
            radius=diameter,
            mean_distance=self.known_mean() if connected else None,
            vertex_transitive=True,
        )

    def known_diameter(self) -> int | None:
        """The diameter where a closed form or the lattice gives it sooner than a search would."""
        form = recognise(self.n, self.generators) if len(self.generators) == 3 else None
        return form.diameter if form is not None else self._figures.known_diameter()

    def known_mean(self) -> Fraction | None:
        """The mean distance where the lattice gives it sooner than a search would."""
        return self._figures.known_mean()

    def distance_counts(self) -> list[int] | None:
        return self._figures.known_counts() if self.components == 1 else None

    @property
    def _figures(self) -> Figures:
        from hopscape.families.circulant.figures import Figures

        return Figures.of(self.n, self.generators)

    def estimate(self, fact: str) -> Measured[Any] | None:
        return self._figures.estimate(fact) if self.components == 1 else None

    def port_classes(self) -> tuple[str, ...]:
        return tuple(f"step{s}" for s in self.generators for _ in range(2))

    def router(self, network: Network) -> Router | None:
        from hopscape.families.circulant.routing import MOST_GENERATORS, CirculantRouter

        if not 1 <= len(self.generators) <= MOST_GENERATORS:
            return None
        return CirculantRouter(network, self.n, self.generators)

    def detours(
        self, network: Network, dead_nodes: Sequence[int], dead_links: Sequence[tuple[int, int]]
    ) -> Callable[[int, int], Route | None] | None:
        from hopscape.families.circulant.detours import FaultRouter
        from hopscape.families.circulant.routing import CirculantRouter

        router = self.router(network)
        if not isinstance(router, CirculantRouter):
            return None
        faults = FaultRouter(router, dead_nodes, dead_links)

        def route(a: int, b: int) -> Route | None:
            detour = faults.route(a, b, known=True)
            return Route(detour.path, detour.ports) if detour.delivered else None

        return route

    def guide(self, network: Network, target: int) -> Guide | None:
        from hopscape.families.circulant.detours import FaultRouter, VectorGuide
        from hopscape.families.circulant.routing import CirculantRouter

        router = self.router(network)
        if not isinstance(router, CirculantRouter):
            return None
        return VectorGuide(FaultRouter(router), target)

    def translate(self, by: IntArray, nodes: IntArray) -> IntArray:
        return (by + nodes) % self.order

    def layout(self) -> Layout:
        return Layout(circle(self.n))

    @classmethod
    def members(cls, requirement: Requirement) -> Iterable[str]:
        """The best of a seeded sample of generators, with as many as the ports allow."""

        for count in range(requirement.ports // 2, max(1, requirement.ports // 2 - 2), -1):
            for n in requirement.sizes()[:1]:
                generators = good_generators(n, count)
                if generators is not None:
                    yield cls(n, generators).spec


class FixedCirculant(Circulant):
    """A circulant whose order and generators follow from other parameters."""

    def _wire(self, order: int, generators: Sequence[int]) -> None:
        super().__init__(order, generators)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Those of the nearest orders; of two parameters the second counts the generators."""
        if len([p for p in cls.parameters if p.default is REQUIRED]) == 1:
            yield from scan(cls, requirement)
            return
        second = cls.parameters[1]
        for count in range(requirement.ports // 2, max(2, second.low or 0) - 1, -1):
            yield from scan(cls, requirement, fixed={second.name: count})


# random sets: 0.07 s at 2,000 nodes; for the best sets there are the atlas and the search
_TRIES = 150
_SEARCHED_ORDER = 200_000  # nodes: 20 searches of so many take 0.4 s


def good_generators(
    n: int, count: int, tries: int = _TRIES, seed: int = 0
) -> tuple[int, ...] | None:
    """Generators 1, s2, ..., with a small sum of distances: the best of a seeded sample, or of all.

    Returns:
        tuple of int, or None: None where there are too few nodes, or too many to look.

    Examples:
        >>> good_generators(13, 2) in [(1, s) for s in (3, 4, 5)]
        True
    """
    if count < 1 or n < 2 * count + 2 or n > _SEARCHED_ORDER:
        return None
    generator = np.random.default_rng(seed)
    tries = max(20, min(tries, 2_000_000 // n))
    best: tuple[int, tuple[int, ...]] | None = None
    pool = np.arange(2, (n + 1) // 2)
    sets: Iterable[Iterable[int]] = combinations(pool.tolist(), count - 1)
    if math.comb(len(pool), count - 1) > tries:
        sets = (generator.choice(pool, size=count - 1, replace=False) for _ in range(tries))
    for others in sets:
        chosen = (1, *sorted(int(s) for s in others))
        total = _distance_sum(n, chosen, best[0] if best is not None else None)
        if total is not None and (best is None or (total, chosen) < best):
            best = total, chosen
    return best[1] if best is not None else None


def _distance_sum(n: int, generators: tuple[int, ...], limit: int | None) -> int | None:
    """Sum of distances from node 0, or None once it cannot be below the limit."""
    steps = np.asarray([t for s in generators for t in (s, -s)])
    seen = np.zeros(n, dtype=bool)
    seen[0] = True
    fresh, left, level, total = np.zeros(1, dtype=np.int64), n - 1, 0, 0
    while left:
        level += 1
        reached = np.zeros(n, dtype=bool)
        reached[(fresh[:, None] + steps) % n] = True
        fresh = np.flatnonzero(reached & ~seen)
        seen[fresh] = True
        left -= len(fresh)
        total += level * len(fresh)
        if limit is not None and total + (level + 1) * left > limit:
            return None
    return total
