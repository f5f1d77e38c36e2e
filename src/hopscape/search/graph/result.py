"""A graph that was found: what it is, how good, and as a network."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from hopscape.core.errors import HopscapeError
from hopscape.core.network import Network
from hopscape.core.spec import write_value
from hopscape.families.cayley import group
from hopscape.metrics.distances import distance_profile
from hopscape.search.graph.lifts import Solution
from hopscape.search.graph.problem import Problem

__all__ = ["GraphResult"]


@dataclass(frozen=True)
class GraphResult:
    """The best graph of a search.

    Attributes:
        diameter: Between terminals, where the problem has some.
        mean: Mean distance over ordered pairs of distinct nodes (terminals).
        how: Where it comes from, in words.
        runs: Runs that were finished.
        seconds: How long the search took.
        complete: False when it was stopped before its plan was done.
        interrupted: Was it stopped by Ctrl-C or SIGTERM?
    """

    problem: Problem
    solution: Solution
    diameter: int
    mean: Fraction
    how: str
    runs: int
    seconds: float
    complete: bool
    interrupted: bool = False

    @property
    def gap(self) -> float | None:
        """How far the mean is above the Moore bound, as a fraction."""
        least = self.problem.moore_mean
        return None if not least else float(self.mean / least) - 1

    @property
    def spec(self) -> str | None:
        """The text that builds it, or None when it has no symmetry: then it is a list of links."""
        shape = self.solution.shape
        if shape.fold == 1:
            return None
        links = self.solution.base_links()
        form = group(shape.group).semidirect
        if form is not None and shape.base == 1 and not shape.fixed:
            generators = sorted({min(g, _inverse(shape.group, g)) for _, _, g in links})
            return f"cayley({', '.join(map(str, [*form, *generators]))})"
        flat = write_value(tuple(number for link in links for number in link))
        fixed = f", fixed={shape.fixed}" if shape.fixed else ""
        return f'voltage("{shape.group}", {shape.base}, {flat}{fixed})'

    def network(self) -> Network:
        """It as a network, without its symmetry (terminals left out)."""
        order, ends = self.solution.shape.order, self.solution.links()
        return Network.from_links(order, ends[:, 0], ends[:, 1], spec=self.spec or "graph search")

    def check(self) -> None:
        """Measure the network by the kernels that all metrics use, and compare.

        Raises:
            HopscapeError: When the search got something wrong.
        """
        if self.problem.nodes == 1:
            return
        network = self.network()
        profile = distance_profile(network, exact=True)
        degree = int(network.degrees.max())
        ports = max(self.problem.ports, default=self.problem.degree)
        wrong = degree > ports or profile.diameter is None
        if self.problem.terminals is None:
            wrong |= (profile.diameter, profile.mean) != (self.diameter, self.mean)
        if wrong:
            raise HopscapeError(
                f"the search says diameter {self.diameter} and mean {float(self.mean):.6g}, but"
                f" {network.spec} of degree {degree} has {profile.diameter} and {profile.mean}"
            )

    def to_dict(self) -> dict[str, Any]:
        """The record that scripts rely on."""
        problem, shape = self.problem, self.solution.shape
        return {
            "nodes": problem.nodes,
            "degree": problem.degree,
            "diameter": self.diameter,
            "mean_distance": float(self.mean),
            "mean_distance_exact": self.mean,
            "moore_diameter": problem.moore_diameter,
            "moore_mean": None if problem.moore_mean is None else float(problem.moore_mean),
            "gap": self.gap,
            "spec": self.spec,
            "links": len(self.network().heads) // 2,
            "group": shape.group,
            "orbits": shape.base + shape.fixed,
            "how": self.how,
            "runs": self.runs,
            "seconds": self.seconds,
            "complete": self.complete,
        }


def _inverse(name: str, g: int) -> int:
    return int(group(name).inverse(np.asarray([g], dtype=np.int64))[0])
