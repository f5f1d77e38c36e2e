"""A network under comparison, and the one policy by which its figures are found.

A figure is known in closed form (the family's, or what follows from it); else it is measured, if
that can be afforded; else a sample or a bound stands for it; else it is not known, and the note
says why. ``show``, ``compare``, ``design`` and the functions of :mod:`hopscape.metrics` all ask
here.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from hopscape.core.distances import distances_from
from hopscape.core.errors import ArgumentError, OutOfTimeError, TooLargeError
from hopscape.core.family import Facts
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.numbers import byte_count
from hopscape.core.processes import memory_limit
from hopscape.core.progress import (
    STEPS_PER_SECOND,
    allow_more,
    human_time,
    spend_steps,
    steps_left,
    time_left,
    watch_compiler,
)
from hopscape.metrics.distances import DistanceProfile, distance_profile

__all__ = ["Column", "Effort", "Evaluation", "MeasurementJob", "Shape", "absent", "closed_facts"]

_SMALL = 20_000  # channels of a network of which everything is cheap
_STARTS, _QUICK_STARTS = 20, 2


class Effort(NamedTuple):
    """What a computation costs, counted from order, links and depth; never tried by the clock.

    Attributes:
        steps: Elementary steps: an access and an addition in a kernel, about a nanosecond of one
            processor. ``benchmarks/estimates.py`` holds them against the clock.
        memory: Bytes, at most.
    """

    steps: float
    memory: int = 0


class MeasurementJob(NamedTuple):
    """Something that columns need and that takes time.

    Attributes:
        name: Under which an evaluation shares what comes out of it.
        text: In messages: "the wiring".
        effort: Takes a :class:`Evaluation`. Before the jobs that this one builds on have been
            prepared, it says what is sure already (nothing, maybe); after that, it is the estimate.
        prepare: Does it, where others are estimated by what it finds.
    """

    name: str
    text: str
    effort: Callable[[Evaluation], Effort]
    prepare: Callable[[Evaluation], Any] | None = None


class Shape(NamedTuple):
    """How a breadth-first search from one node spreads: nodes at each distance."""

    layers: tuple[int, ...]

    @property
    def levels(self) -> int:
        """Distance of the farthest node."""
        return len(self.layers) - 1

    def ball(self, radius: float) -> float:
        """Nodes within a radius, the last layer in part."""
        whole = min(int(radius), self.levels)
        part = 0.0 if whole == self.levels else (radius - whole) * self.layers[whole + 1]
        return sum(self.layers[: whole + 1]) + part


class Column(NamedTuple):
    """One figure about a network.

    Attributes:
        name: In files and options.
        title: Above a table.
        explanation: One line.
        measure: Takes a :class:`Evaluation`, returns a Measured.
        fact: The closed form that answers it, if there is one.
        needs: What measuring it takes, in the order in which it is done.
        otherwise: A sample or a bound, for when that is too much; None when there is nothing to
            say.
        unit: In files and explanations; tables show a ``share`` in per cent.
        better ({'less', 'more', ''}): Which way is better, if any.
        stage: The designer's stage that measures it: 1 for all candidates, 2 for the short list, 3
            for the finalists; 0 when it is only measured for those who ask.
        places (mapping of str to int): Its place in the usual columns of tables: ``{"compare":
            2}``. There are ``compare``, ``design``, ``machines`` (switched ones), ``refused``,
            ``sweep``, ``which`` and ``which machines`` (the study of sizes), and ``python``
            (`compare` of a network).
        priority: When a table is too wide, the largest go first; 0 before all others.
        aside (tuple of str): What it does instead of heeding the kinds of channels, and what it
            leaves aside: ``("links are counted", "capacity")``. The figure says so where a network
            has it.
    """

    name: str
    title: str
    explanation: str
    measure: Callable[[Evaluation], Measured[Any]]
    fact: str = ""
    needs: tuple[MeasurementJob, ...] = ()
    otherwise: Callable[[Evaluation], Measured[Any] | None] | None = None
    unit: str = ""
    better: Literal["less", "more", ""] = ""
    stage: int = 0
    places: Mapping[str, int] = MappingProxyType({})
    priority: int = 0
    aside: tuple[str, ...] = ()

    def cost(self, evaluation: Evaluation) -> Effort:
        """What measuring it takes, as far as that is known before anything is prepared.

        Examples:
            >>> import hopscape
            >>> from hopscape.metrics.columns import COLUMNS
            >>> net = hopscape.build("random_regular(1000, 4)")
            >>> COLUMNS["diameter"].cost(Evaluation(net, columns=COLUMNS)).steps > 5_000
            True
        """
        efforts = [need.effort(evaluation) for need in self.needs]
        most = max((effort.memory for effort in efforts), default=0)
        return Effort(sum(effort.steps for effort in efforts), most)


class Evaluation:
    """A network under comparison, with what several columns share computed once.

    Attributes:
        exact: Compute everything in full, closed forms or not.
        quick: Rather a bound at once than a proof.
        conditions (object): What a column depends on besides the network (a floor plan, costs);
            None for the usual.
        columns (mapping of str to Column): The columns that there are.
    """

    def __init__(
        self,
        network: Network,
        exact: bool = False,
        conditions: Any = None,
        *,
        quick: bool = False,
        columns: Mapping[str, Column],
    ) -> None:
        self.network = network
        self.exact = exact
        self.quick = quick
        self.conditions = conditions
        self.columns = columns
        self._shared: dict[str, Any] = {}
        self._figures: dict[str, Measured[Any]] = {}
        self._begun: set[str] = set()

    # -- the policy ---------------------------------------------------------------------------

    def figure(self, name: str) -> Measured[Any]:
        """One figure: in closed form, else measured, else sampled or bounded, else not known.

        Raises:
            ArgumentError: When there is no such column.
        """
        if name not in self.columns:
            raise ArgumentError(f"column {name!r} is unknown; there are {', '.join(self.columns)}")
        if name not in self._figures:
            begin, compiler = time.monotonic(), watch_compiler()
            self._figures[name] = self._noted(self.columns[name])
            if watch_compiler() != compiler:  # loaded just now, and what it did was not watched
                allow_more(time.monotonic() - begin)
        return self._figures[name]

    def _noted(self, column: Column) -> Measured[Any]:
        """A figure that says what it leaves aside of the kinds of channels."""
        figure = self._find(column)
        note = self.network.unheeded(*column.aside) if column.aside else ""
        if not note or figure.value is None or note in figure.note:
            return figure
        return replace(figure, note=f"{figure.note}; {note}" if figure.note else note)

    def _find(self, column: Column) -> Measured[Any]:
        known = self.fact(column.fact)
        if known is not None:
            return Measured(known, "closed form")
        why = "" if self.exact else absent(self.network, self.facts, column.fact)
        if why:
            return Measured(None, "closed form", why)
        try:
            why = self._too_dear(column.needs)
            if not why:
                return column.measure(self)
        except (TooLargeError, OutOfTimeError) as error:
            if self.exact and isinstance(error, TooLargeError):
                raise
            why = str(error)
        substitute = self._instead(column)
        if substitute is not None:
            return substitute
        return Measured(None, "unknown", why)

    def _instead(self, column: Column) -> Measured[Any] | None:
        if self.exact:
            return None
        family = self.network.family
        known = family.estimate(column.fact) if family is not None and column.fact else None
        if known is not None or column.otherwise is None:
            return known
        try:
            return column.otherwise(self)
        except (TooLargeError, OutOfTimeError):
            return None

    def _too_dear(self, needs: tuple[MeasurementJob, ...]) -> str:
        """Why the jobs cannot be afforded; empty when they can. Others build on those prepared."""
        if self.small:
            return ""
        for job in needs:  # at first sight, before anything is done
            why = "" if job.name in self._shared else self.refusal(job)
            if why:
                return why
        for job in needs:
            if job.name in self._shared:
                continue
            why = self.refusal(job)
            if why:
                return why
            if job.name not in self._begun:
                self._begun.add(job.name)
                spend_steps(job.effort(self).steps)
            if job.prepare is not None:
                self.share(job.name, lambda job=job: job.prepare(self))  # type: ignore[misc]
        return ""

    def affords(self, steps: float) -> bool:
        """May so much work be begun, and is there time left?"""
        return steps < steps_left() and time_left() > 0

    def refusal(self, job: MeasurementJob) -> str:
        """Why one job cannot be afforded, or nothing."""
        effort: Effort = job.effort(self)
        limit, left = memory_limit(), time_left()
        if effort.memory > limit:
            return (
                f"{job.text} would need {byte_count(effort.memory)}, more than the limit of"
                f" {byte_count(limit)} (HOPSCAPE_MEMORY sets another)"
            )
        if left <= 0:
            return f"no time was left for {job.text} (see --time-limit)"
        if job.name not in self._begun and effort.steps > steps_left():
            seconds = human_time(effort.steps / STEPS_PER_SECOND)
            return f"{job.text} would take about {seconds} (see --time-limit)"
        return ""

    # -- what columns share -------------------------------------------------------------------

    def share(self, name: str, compute: Callable[[], Any]) -> Any:
        """Something that several columns need, computed by the first of them."""
        if name not in self._shared:
            self._shared[name] = compute()
        return self._shared[name]

    @property
    def small(self) -> bool:
        """Is everything about this network cheap?"""
        return self.network.order * max(1, self.network.ports) <= _SMALL

    @property
    def facts(self) -> Facts:
        """What is known in closed form, or follows from it."""
        facts: Facts = self.share("facts", lambda: closed_facts(self.network))
        return facts

    def fact(self, name: str) -> Any:
        """A closed form, unless everything is to be computed."""
        return None if self.exact or not name else getattr(self.facts, name)

    @property
    def shape(self) -> Shape:
        """How a search from one node spreads."""
        shape: Shape = self.share("shape", lambda: _search(self.network))
        return shape

    @property
    def levels(self) -> int:
        """Depth of a search: of one that was made, or in closed form, or the least possible."""
        if "shape" in self._shared:
            return self.shape.levels
        known = self.facts.diameter
        if known is not None:
            return known
        return int(math.log(max(2, self.network.order)) / math.log(max(2, self.network.ports)))

    @property
    def profile(self) -> DistanceProfile:
        """All distances, as far as they are looked at."""
        profile: DistanceProfile = self.share(
            "profile", lambda: distance_profile(self.network, exact=self.exact)
        )
        return profile

    @property
    def starts(self) -> int:
        """Starts of the search for a bisection."""
        return _QUICK_STARTS if self.quick else _STARTS


def _search(network: Network) -> Shape:
    """Search from the first node."""
    row = distances_from(network, 0)
    return Shape(tuple(np.bincount(row[row >= 0]).tolist()))


def closed_facts(network: Network) -> Facts:
    """The family's facts, and those that follow from them.

    Degrees and channels count each other; a vertex-transitive network is as wide as it is deep;
    Whitney's inequality (node connectivity ≤ edge connectivity ≤ least degree) closes where its
    ends meet; where one node is all there is, everything is known.

    Examples:
        >>> import hopscape
        >>> closed_facts(hopscape.build("path(1)")).connected
        True
    """
    facts = _counted(network, network.facts)
    facts = _seen_alike(network, facts)
    return _connected(network, facts)


def _counted(network: Network, facts: Facts) -> Facts:
    """Degrees, channels and links."""
    low, high, channels = facts.degree_min, facts.degree_max, facts.channels
    if channels is None and low is not None and low == high:
        channels = network.order * low
    links = facts.links
    if network.duplex and channels is None and links is not None:
        channels = 2 * links
    if links is None and channels is not None:
        links = channels // 2 if network.duplex else channels
    return replace(facts, channels=channels, links=links)


def _seen_alike(network: Network, facts: Facts) -> Facts:
    """Vertex-transitivity, and degrees and eccentricities that it makes equal."""
    alike, low, high = facts.vertex_transitive, facts.degree_min, facts.degree_max
    if alike is None and network.symmetry is not None and network.symmetry.transitive:
        alike = True
    if alike is None and low is not None and high is not None and low != high:
        alike = False
    if network.has_switches:  # which no endpoint looks like
        alike = False
    if alike:
        low = high if low is None else low
        high = low if high is None else high
    radius = facts.diameter if alike and facts.radius is None else facts.radius
    return replace(facts, vertex_transitive=alike, degree_min=low, degree_max=high, radius=radius)


def _connected(network: Network, facts: Facts) -> Facts:
    """Connectedness and connectivity."""
    whole = facts.connected
    if whole is None and (network.order == 1 or facts.diameter is not None):
        whole = True
    nodes, edges = facts.node_connectivity, facts.edge_connectivity
    if whole is False:
        nodes, edges = 0, 0
    if edges is None and nodes is not None and nodes == facts.degree_min:
        edges = nodes
    diameter = 0 if network.order == 1 and facts.diameter is None else facts.diameter
    return replace(
        facts, connected=whole, node_connectivity=nodes, edge_connectivity=edges, diameter=diameter
    )


def absent(network: Network, facts: Facts, name: str) -> str:
    """Why a network has no such figure, if that is known without measuring; else nothing.

    Examples:
        >>> import hopscape
        >>> net = hopscape.build("path(9)")
        >>> absent(net, closed_facts(net), "girth")
        'no cycle'
    """
    if name in ("diameter", "radius", "mean_distance") and facts.connected is False:
        return "not connected"
    if name == "mean_distance" and network.order == 1:
        return "one node"
    if name == "girth" and facts.links is not None:
        tree = network.duplex and facts.connected and facts.links == network.order - 1
        return "no cycle" if tree or facts.links == 0 else ""
    return ""
