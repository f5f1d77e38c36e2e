"""Candidates: every registered family is asked which of its members fit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.family import Family
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.numbers import counted
from hopscape.core.requirement import Requirement
from hopscape.design.requirements import Requirements
from hopscape.registry import all_families, family, member

__all__ = ["Candidate", "find_candidates", "fitting", "mark_equal", "next_size", "proved"]


@dataclass(repr=False)
class Candidate:
    """A network that may be chosen, and what is known of it so far.

    Attributes:
        figures (dict of str to Measured): By column.
        stage: How far it was measured: 1 size and distances, 2 routes and faults, 3 schedules and
            cuts.
        failure: Why it could not be measured; empty when it could.
        trouble: Why it is not allowed; empty when it is.
        unproved: What is asked for and not proved of it; empty when all is, or it is not allowed.
        dominated_by: Spec of a candidate that is at least as good in all that matters; empty when
            there is none.
        better_in: In what it is better.
        equals: Spec of a candidate before it with the very same figures: often the same network
            under another family's name. Empty when there is none.
        score: Weighted mean of best / own over the criteria, at most 1.
        meets: Demands that it meets, in a switched machine.
        also: Specs of other members that are the same machine.
        name: What people call it; empty for direct machines.
    """

    spec: str
    family: str
    figures: dict[str, Measured[Any]] = field(default_factory=dict)
    stage: int = 0
    failure: str = ""
    trouble: str = ""
    unproved: str = ""
    dominated_by: str = ""
    better_in: tuple[str, ...] = ()
    equals: str = ""
    score: float | None = None
    meets: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    name: str = ""

    def __repr__(self) -> str:
        return f"<Candidate {self.spec}, {counted(len(self.figures), 'figure')}>"

    def value(self, column: str) -> Any:
        """A figure, or None."""
        figure = self.figures.get(column)
        return None if figure is None else figure.value


def proved(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Those that are proved to keep what is asked for; where none is, those that may."""
    allowed = [one for one in candidates if not one.trouble]
    return [one for one in allowed if not one.unproved] or allowed


def mark_equal(ranked: Iterable[Candidate], columns: Sequence[str]) -> None:
    """Name for each candidate the first before it that has the same figures in all columns.

    Examples:
        >>> figures = {"links": Measured(28, "exact")}
        >>> ranked = [Candidate("complete(8)", "complete", figures),
        ...           Candidate("hyperx((8,))", "hyperx", figures)]
        >>> mark_equal(ranked, ["links"])
        >>> [one.equals for one in ranked]
        ['', 'complete(8)']
    """
    first: dict[tuple[Any, ...], str] = {}
    for one in ranked:
        spec = first.setdefault(tuple(one.value(name) for name in columns), one.spec)
        one.equals = "" if spec == one.spec else spec


def find_candidates(requirements: Requirements) -> list[Candidate]:
    """Ask every family (or those asked for) for members without switches that fit.

    Raises:
        ArgumentError: For the name of a family that does not exist.
    """
    chosen = all_families()
    if requirements.families:
        chosen = {family(name).name: family(name) for name in requirements.families}
    by_spec: dict[str, Candidate] = {}
    for name, kind in chosen.items():
        for spec, offered in fitting(kind, requirements.asked()):
            if offered.switches() is None:  # the others: design --endpoints N --radix R
                by_spec.setdefault(spec, Candidate(spec, name))
    return list(by_spec.values())


def fitting(kind: type[Family], requirement: Requirement) -> Iterator[tuple[str, Family]]:
    """Members that a family offers and that do fit, with their specs."""
    for spec in kind.members(requirement):
        try:
            offered = member(spec)
        except HopscapeError:
            continue
        if requirement.fits(offered.endpoint_count):
            yield spec, offered


def next_size(network: Network) -> int | None:
    """Endpoints of the next larger member of the same family with no more ports, if it names one.

    Examples:
        >>> import hopscape
        >>> next_size(hopscape.build("ring(8)"))
        9
    """
    if network.family is None:
        return None
    ports = int(network.degrees.max(initial=0))
    return _next_size(type(network.family), network.endpoint_count, ports)


@lru_cache(maxsize=1000)
def _next_size(kind: type[Family], own: int, ports: int) -> int | None:
    for factor in (1.0, 1.1, 2, 8, 64):
        high = max(own + 1, int(own * factor))
        requirement = Requirement(own + 1, own + 1, high, ports)
        sizes = [found.endpoint_count for _, found in fitting(kind, requirement)]
        if sizes:
            return min(sizes)
    return None


def nearest_sizes(requirements: Requirements) -> str:
    """Which sizes there are, when none fits: for an error message."""
    sizes: list[tuple[int, int, str]] = []
    kinds = [family(name) for name in requirements.families] or list(all_families().values())
    wide = Requirement(
        requirements.routers(requirements.nodes),
        2,
        4 * requirements.routers(requirements.nodes),
        requirements.network_ports,
    )
    for kind in kinds:
        for spec, found in fitting(kind, wide):
            if found.switches() is None:
                size = found.endpoint_count * requirements.endpoints
                sizes.append((abs(size - requirements.nodes), size, spec))
    if not sizes:
        raise ArgumentError(
            f"no family has a network of about {requirements.nodes} nodes and"
            f" {counted(requirements.ports, 'port')}"
        )
    _, size, spec = min(sizes)
    return f"the nearest is {spec} with {size}"
