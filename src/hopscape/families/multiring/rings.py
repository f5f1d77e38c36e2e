"""The wiring of multirings with full rings: every ring passes through every node."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Family, Layout, Parameter, integers
from hopscape.core.layout import circle
from hopscape.core.requirement import Requirement
from hopscape.metrics.rings.structure import ring_lengths

__all__ = ["FullRings", "ring_lengths"]

_NAMED = 8
_MOST_PORTS = 1 << 16


class FullRings(Family):
    """Duplex: port 2i leads to v + s_i, port 2i + 1 to v - s_i. Simplex: port i to v + s_i."""

    name = "multiring"
    summary = "rings of different steps through the same nodes; a packet stays on one ring"
    parameters = (
        *integers(n=("number of nodes", 2)),
        Parameter(
            "steps",
            "int",
            "steps of duplex rings; with a negative one among them each is a simplex ring",
            variadic=True,
        ),
        Parameter("copies", "int", "identical rings of each step", low=1, default=1),
        Parameter("simplex", "flag", "all steps are simplex rings", default=False),
    )
    example = "multiring(16, 1, 3)"
    transitive = True

    def __init__(
        self, n: int, steps: Sequence[int], copies: int = 1, simplex: bool = False
    ) -> None:
        self.n, self.copies, self.simplex = n, copies, simplex
        self.steps = tuple(steps)
        self.paired = not simplex and all(s > 0 for s in steps)
        """Does every step stand for a ring and its counter-ring?"""
        self._check()
        if 2 * len(self.steps) * copies > _MOST_PORTS:
            raise ArgumentError(
                f"copies is {copies}: {2 * len(self.steps) * copies} ports; at most {_MOST_PORTS}"
            )
        single = [s % n for s in self.steps]
        self.rings: tuple[int, ...] = (
            tuple(signed for s in single for signed in (s, n - s)) if self.paired else tuple(single)
        ) * copies
        """The step of each simplex ring, from 1 to N - 1, in order of ports."""
        counts = Counter(self.rings)
        self.duplex = all(counts[n - s] == count for s, count in counts.items())

    def _check(self) -> None:
        n = self.n
        if not self.steps:
            raise ArgumentError("multiring needs at least one step")
        seen: dict[int, int] = {}
        for s in self.steps:
            if not 1 <= abs(s) <= n - 1:
                raise ArgumentError(f"step {s} is not from 1 to N - 1 = {n - 1} (or its negative)")
            if self.paired and 2 * s == n and n > 2:
                raise ArgumentError(
                    f"step {s} is N/2: that ring is its own counter-ring and is not used"
                )
            ring = min(s, n - s) if self.paired else s % n
            if ring in seen:
                raise ArgumentError(
                    f"steps {seen[ring]} and {s} are the same ring mod {n}; "
                    "identical rings are given by copies="
                )
            seen[ring] = s
        shared = [math.gcd(s, n) for s in self.steps]
        if 1 not in shared:
            lost = _unreachable(n, shared)
            raise ArgumentError(
                f"no single ring of the steps {', '.join(map(str, self.steps))} leads from node 0 "
                f"to {lost}; one step must have no divisor in common with N = {n}"
            )

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """The best of a seeded sample of steps, as many as the ports allow."""
        for n in requirement.sizes()[:1]:
            steps = _good_steps(n, requirement.ports // 2)
            if steps:
                yield cls(n, steps).spec

    @property
    def order(self) -> int:
        return self.n

    @property
    def ports(self) -> int:
        return len(self.rings)

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.empty((len(nodes), self.ports), dtype=nodes.dtype)
        for i, s in enumerate(self.rings):
            out[:, i] = (nodes + s) % self.n
        return out

    def facts(self) -> Facts:
        return Facts.regular(
            self.n, self.ports, duplex=self.duplex, connected=True, vertex_transitive=True
        )

    def port_classes(self) -> tuple[str, ...]:
        return tuple(f"step{min(s, self.n - s) if self.duplex else s}" for s in self.rings)

    def layout(self) -> Layout:
        return Layout(circle(self.n))


def _unreachable(n: int, shared: Sequence[int]) -> str:
    """The nodes that no ring from node 0 passes, in words."""
    lost = []
    for r in range(1, n):
        if all(r % g for g in shared):
            lost.append(r)
            if len(lost) > _NAMED and n > 10_000:
                return f"nodes {', '.join(map(str, lost[:_NAMED]))}, …"
    shown = ", ".join(map(str, lost[:_NAMED]))
    more = f", … ({len(lost)} in all)" if len(lost) > _NAMED else ""
    return f"node{'s' * (len(lost) != 1)} {shown}{more}"


_TRIES = 60


def _good_steps(n: int, count: int, seed: int = 0) -> tuple[int, ...]:
    """Steps 1, s2, ..., coprime to n, of a small mean distance on the better ring."""
    if count < 1 or n < 2 * count + 3:
        return ()
    coprime = np.asarray([s for s in range(2, (n + 1) // 2) if math.gcd(s, n) == 1])
    if len(coprime) < count - 1:
        return ()
    hops = np.arange(n, dtype=np.int64)
    generator = np.random.default_rng(seed)
    best: tuple[int, tuple[int, ...]] | None = None
    for _ in range(_TRIES):
        chosen = (1, *sorted(int(s) for s in generator.choice(coprime, count - 1, replace=False)))
        least = np.full(n, n, dtype=np.int64)
        for s in chosen:
            around = np.minimum(hops, n - hops)
            np.minimum.at(least, hops * s % n, around)
        best = min(best or (n * n, ()), (int(least.sum()), chosen))
    return best[1] if best is not None else ()
