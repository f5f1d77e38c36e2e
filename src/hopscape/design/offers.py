"""What the families offer for a switched machine, the fewest switches first.

Families with endpoints of their own offer whole machines. The nodes of others, and those that a
family offers as leaves, become switches with as many endpoints each as it takes; links between
switches are trunks as wide as the ports allow. A family is asked for one machine after the other
until some meet all demands; all figures of these are measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.family import Family
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.progress import spend_steps, steps_left, time_left, time_limit
from hopscape.core.requirement import Requirement, moore_mean
from hopscape.design.candidates import fitting
from hopscape.design.machine import Machine, machine_figures
from hopscape.design.ranking import SLACK, misses, shortfall
from hopscape.design.requirements import SwitchedRequirements
from hopscape.families.concentrated import dealt
from hopscape.metrics.throughput import switch_graph
from hopscape.registry import build, family, member

__all__ = ["FAMILY_STEPS", "NEAR", "Offer", "ask_family", "family_offers", "lines_needed"]

_MOST_OWN, _MOST_EACH = 16, 3
"""Members that a family proposes: of whole machines, and of graphs for each number of lines."""
_STEP = 1.06
"""A number of endpoints per switch is tried if it takes so many times the switches of the last."""
_FEWEST, _BETWEEN = 3, 2
_MOST_SWITCHES = 6
_TAPERS = (1.5, 2.0, 3.0, 4.0)
_TRUNKS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30)


class Offer(NamedTuple):
    """A member of a family made into a switched machine.

    Attributes:
        base: Spec of the member.
        switches: Of one plane.
        each: Endpoints put at every switch; 0 for the member's own.
        bound: Throughput that the distances allow, as far as they are known.
        populated: Endpoints that are there, where fewer than there is room for; 0 for all.
    """

    base: str
    switches: int
    each: int = 0
    trunk: int = 1
    lines: int = 1
    planes: int = 1
    bound: float = math.inf
    populated: int = 0

    @property
    def spec(self) -> str:
        """The machine.

        Examples:
            >>> Offer("torus(4, 4)", 16, each=8, trunk=3, planes=2).spec
            'planes(concentrated(torus(4, 4), 8, trunk=3), 2)'
            >>> Offer("fat_tree(4)", 20, trunk=2, lines=2).spec
            'trunked(fat_tree(4), 2)'
        """
        inner = self.base
        if self.each:
            more = f", trunk={self.trunk}" if self.trunk > 1 else ""
            more += f", lines={self.lines}" if self.lines > 1 else ""
            inner = f"concentrated({inner}, {self.each}{more})"
        elif self.lines > 1:
            inner = f"trunked({inner}, {self.lines})"
        if self.populated:
            inner = f"populated({inner}, {self.populated})"
        return f"planes({inner}, {self.planes})" if self.planes > 1 else inner

    @classmethod
    def of(cls, spec: str) -> Offer:
        """The offer of a spec, as :attr:`spec` writes it.

        Examples:
            >>> Offer.of("planes(concentrated(torus(4, 4), 8, trunk=3), 2)")[:6]
            ('torus(4, 4)', 16, 8, 3, 1, 2)
        """
        found: Any = member(spec)
        planes, each, trunk, lines, count = 1, 0, 1, 1, 0
        if found.name == "planes":
            planes, found = found.count, found.base.family
        if found.name == "populated":
            count, found = found.count, found.base.family
        if found.name == "concentrated":
            each, trunk, lines = found.endpoints, found.trunk, found.lines
            found = found.base.family
        elif found.name == "trunked":
            trunk = lines = found.count
            found = found.base.family
        base, switches = Network.of(found).spec, found.switches()
        boxes = found.order if switches is None else len(switches)
        return cls(base, boxes, each, trunk, lines, planes, populated=count)

    def machine(self) -> Machine:
        """One plane switch by switch, and how often it is there."""
        graph = switch_graph(build(self.base))
        if self.each:
            ends = np.where(graph.ends > 0, self.each, 0).astype(np.int64)
            graph = replace(graph, ends=ends, lines=self.lines, hosted=False, name=self.spec)
        else:
            graph = replace(graph, lines=graph.lines * self.lines, name=self.spec)
        if not self.populated:
            return Machine(graph, self.trunk, self.planes)
        if graph.hosted:
            raise ArgumentError(f"endpoints of {self.base} have lines to several switches")
        fewer = replace(graph, ends=dealt(graph.ends, self.populated))
        return Machine(fewer, self.trunk, self.planes, graph)

    @property
    def whole(self) -> Offer:
        """The same with all its endpoints."""
        return self._replace(populated=0)


def family_offers(
    kind: type[Family], asked: SwitchedRequirements, planes: int
) -> Iterator[list[Offer]]:
    """What a family offers in batches: its own first choice, then those with few switches first.

    Nodes are given endpoints only where a family has no machine of its own for the question.
    """
    lines = asked.nics // planes
    own = list(_own(kind, asked, planes, lines))
    if own:
        yield own[:1]
        yield sorted(own[1:], key=lambda offer: (offer.switches, offer.spec))
        return
    seen: set[str] = set()
    for each in _concentrations(asked, lines):
        offers = {offer.spec: offer for offer in _attached(kind, asked, each, planes, lines)}
        batch = [offer for spec, offer in offers.items() if spec not in seen]
        seen.update(offers)
        if batch:
            yield sorted(batch, key=lambda offer: (offer.switches, -offer.bound, offer.spec))


def lines_needed(kind: type[Family], asked: SwitchedRequirements) -> int | None:
    """Lines that an endpoint of this family has, where they are more than those asked for."""
    for spec, found in _members(kind, asked.whole(1, 1)):
        if found.switches() is not None and (lines := _lines_of(spec)) > asked.nics:
            return lines
    return None


def _members(kind: type[Family], requirement: Requirement) -> Iterator[tuple[str, Family]]:
    return ((spec, found) for spec, found in fitting(kind, requirement) if found.duplex)


def _own(
    kind: type[Family], asked: SwitchedRequirements, planes: int, lines: int
) -> Iterator[Offer]:
    """Machines with endpoints of their own; for less than full throughput, with more of them."""
    for spec, found in _members(kind, asked.whole(lines, _MOST_OWN)):
        switches = found.switches()
        if switches is None:
            continue
        each = _lines_of(spec)
        if each == 1:
            yield Offer(spec, len(switches), trunk=lines, lines=lines, planes=planes)
        elif each == asked.nics and planes == 1:
            yield Offer(spec, len(switches))
    for taper in _TAPERS:
        if asked.throughput * taper > 1.05:
            continue
        low, high = math.ceil(asked.low / taper), math.ceil(asked.room / taper)
        less = Requirement(low, low, high, asked.radix // lines, _MOST_EACH, asked.throughput)
        for spec, found in _members(kind, less):
            switches = found.switches()
            if switches is None or _lines_of(spec) != 1:
                continue
            edge = int((switch_graph(build(spec)).ends > 0).sum())
            if edge < len(switches):
                more = math.ceil(asked.low / edge)
                yield Offer(spec, len(switches), more, 1, lines, planes)


def _lines_of(spec: str) -> int:
    """Lines of an endpoint of a member with switches; 0 where they differ."""
    net = build(spec)
    lines = net.degrees[net.endpoints]
    return int(lines[0]) if len(lines) and lines.min() == lines.max() else 0


def _attached(
    kind: type[Family], asked: SwitchedRequirements, each: int, planes: int, lines: int
) -> Iterator[Offer]:
    """Members whose nodes are given so many endpoints, with trunks where they have few ports."""
    low = math.ceil(asked.low / each)
    high = max(low, asked.room // each)
    ports = asked.radix - each * lines
    fewer = math.ceil(asked.low / (each - 1)) if each > 1 else low
    between = range(low + 1, fewer)[:_BETWEEN]  # as many at most, but not at every switch
    answered = 0
    for trunk in _TRUNKS:
        if answered == 2 or (trunk > 1 and ports < 2 * trunk):
            return
        offers = [
            _fitted(spec, found, asked, planes, lines)
            for first in (low, *between)
            for spec, found in _members(
                kind, Requirement(first, first, max(first, high), ports // trunk, _MOST_EACH)
            )
            if found.switches() is None or (kind.leaf_endpoints and _lines_of(spec) > 1)
        ]
        yield from (offer for offer in offers if offer is not None)
        answered += any(offers)


def _concentrations(asked: SwitchedRequirements, lines: int) -> list[int]:
    """Endpoints at a switch, most first, that some network might carry; large steps first.

    Machines with more than six times as many switches as the Moore bound asks for do not compete.
    """
    out: list[int] = []
    whole = replace(asked.whole(lines, 1), throughput=NEAR * asked.throughput)
    for each in range(asked.radix // lines, 0, -1):
        switches = math.ceil(asked.low / each)
        if out and switches > _MOST_SWITCHES * math.ceil(asked.low / out[0]):
            break
        ports = asked.radix - each * lines
        if switches > 1 and (ports < 1 or not whole.carries(switches, ports, each * lines)):
            continue
        if switches == 1 and out:
            continue
        before = math.ceil(asked.low / out[-1]) if out else 0
        if switches >= before * _STEP or switches <= before + 1:
            out.append(each)
    few = range(min(_FEWEST, (asked.radix - 1) // lines), 0, -1)
    return out or list(few)  # nothing carries what is asked: the nearest will be named


def _fitted(
    spec: str, found: Family, asked: SwitchedRequirements, planes: int, lines: int
) -> Offer | None:
    """A member with just as many endpoints at its nodes as it takes, and trunks."""
    nodes, degree = found.endpoint_count, found.ports
    each = math.ceil(asked.low / nodes)
    room = asked.radix - each * lines
    if room < degree:
        return None
    if found.order == 1 or not degree:
        return Offer(spec, found.order, each, 1, lines, planes)
    trunk = max(1, room // degree)
    share = (nodes - 1) * each / max(1, nodes * each - 1)
    load = each * lines * share * moore_mean(found.order, degree)
    bound = trunk * degree * found.order / nodes / load if load else math.inf
    return Offer(spec, found.order, each, trunk, lines, planes, bound)


NEAR = 0.98
"""Of the throughput asked for: a machine that misses it by less may be worth knowing."""
_MEETING = 2  # machines of a family that are shown: the cheapest, and one to compare it with
_TRIES = 24  # machines whose throughput is computed before a family is given up
_MANY_ENDPOINTS = 6_000  # beyond, half as many: each takes seconds
_HOPELESS = 0.97  # of what is asked: a bound below it is not worth the exact figure
FAMILY_STEPS = 6e9
"""Work that one family may take when there is time enough."""
_BUILD_STEPS, _FIGURE_STEPS = 1000, 60
"""To build a machine, for every switch and channel; of all its figures, for every pair of a switch
and a switch or channel (10 to 130 ns were measured on machines of 100 to 400 switches)."""


def ask_family(
    name: str,
    planes: int,
    question: SwitchedRequirements,
    steps: float = FAMILY_STEPS,
    seconds: float | None = None,
) -> list[dict[str, Any]]:
    """One task: the machines of a family that meet the demands, or else the nearest.

    Args:
        steps: Work after which no other machine is looked at, see
            :func:`hopscape.core.progress.steps_left`.
        seconds: The same by the clock, where the machine is slower than that.

    Returns:
        list of dict: Spec and packed figures; ``{"lines": n}`` for a family that only has endpoints
            with n lines; first ``{"late": True}`` where less time than usual cut the search short;
            last ``{"counted": [...]}``: machines looked at, those ruled out before their throughput
            was computed, and 1 where the search ended before the offers did.
    """
    search = _Search(question)
    with time_limit(seconds, steps):
        for batch in family_offers(family(name), question, planes):
            for offer in batch:
                if search.done:
                    search.ended = True
                    hurried = search.late and (steps < FAMILY_STEPS or steps_left() > 0)
                    return [{"late": True}] * hurried + [*search.records(), search.counted()]
                search.look_at(offer)
    records = search.records()
    lines = None if records else lines_needed(family(name), question)
    return [*records, search.counted()] if lines is None else [{"lines": lines}]


class _Search:
    """Offers of a family one after the other: those that meet the demands, and the nearest."""

    def __init__(self, question: SwitchedRequirements) -> None:
        self.question = question
        self.meeting: list[dict[str, Any]] = []
        self.nearest: tuple[float, Offer, Machine] | None = None
        self.near: tuple[float, Offer, Machine] | None = None
        self.tries = 0
        self.attached = False
        self.looked = 0
        self.ended = False

    @property
    def late(self) -> bool:
        return steps_left() <= 0 or time_left() <= 0

    @property
    def done(self) -> bool:
        share = 2 if self.attached and self.question.endpoints > _MANY_ENDPOINTS else 1
        return self.late or len(self.meeting) * share >= _MEETING or self.tries * share >= _TRIES

    def look_at(self, offer: Offer) -> None:
        """Measure an offer as far as it takes to see whether it meets the demands."""
        self.attached = offer.each > 0
        self.looked += 1
        try:
            machine = offer.machine()
            if machine.endpoints > self.question.endpoints and not machine.graph.hosted:
                offer = offer._replace(populated=self.question.endpoints)
                machine = offer.machine()
            order, channels = machine.flow.order, len(machine.flow.heads)
            spend_steps(_BUILD_STEPS * (order + channels))
            if not self._is_machine(machine):
                return
            share = min(1.0, machine.flow.quick_bound())
            if share >= _HOPELESS * self.question.throughput:
                self.tries += 1
                spend_steps(_FIGURE_STEPS * order * (order + channels))
                share = machine.flow.uniform().throughput
            if share >= self.question.throughput - SLACK:
                share = self._measure(offer, machine)
        except HopscapeError:
            return
        if share < math.inf and (self.nearest is None or share > self.nearest[0]):
            self.nearest = (share, offer, machine)
        asked = self.question.throughput
        if NEAR * asked <= share < asked - SLACK and (self.near is None or share > self.near[0]):
            self.near = (share, offer, machine)

    def _is_machine(self, machine: Machine) -> bool:
        asked = self.question
        fits = asked.low <= machine.endpoints <= asked.high and machine.nics == asked.nics
        return fits and machine.radix_used <= asked.radix

    def _figures(self, offer: Offer, machine: Machine) -> dict[str, Measured[Any]]:
        prices, plan = self.question.price_list, self.question.plan
        return machine_figures(
            machine,
            build(offer.spec),
            prices,
            plan,
            spec=offer.base,
            routing=self.question.routing,
        )

    def _measure(self, offer: Offer, machine: Machine) -> float:
        """All figures; infinite when they meet the demands, else how near they come."""
        wide = offer, machine
        offer, machine = self._narrowed(offer, machine)
        figures = self._figures(offer, machine)
        if misses(figures, self.question) and offer != wide[0]:
            offer, machine = wide
            figures = self._figures(offer, machine)
        if misses(figures, self.question):
            return 1.0 + -shortfall(figures, self.question)[0]
        packed = _packed(figures)
        if all(packed != one["figures"] for one in self.meeting):  # else the same, by another seed
            self.meeting.append({"spec": offer.spec, "figures": packed})
        return math.inf

    def counted(self) -> dict[str, Any]:
        """How much was looked at."""
        return {"counted": [self.looked, self.looked - self.tries, int(self.ended)]}

    def _narrowed(self, offer: Offer, machine: Machine) -> tuple[Offer, Machine]:
        """The same with trunks as narrow as uniform traffic and any permutation allow."""
        if offer.trunk == 1 or not offer.each:
            return offer, machine
        load = machine.flow.uniform().load
        need = self.question.throughput * load
        if self.question.worst is not None:  # by Valiant's routing, which loads twice as much
            need = max(need, 2 * self.question.worst * load)
        trunk = min(offer.trunk, max(1, math.ceil(offer.trunk * need - SLACK)))
        if trunk == offer.trunk:
            return offer, machine
        offer = offer._replace(trunk=trunk)
        return offer, offer.machine()

    def records(self) -> list[dict[str, Any]]:
        if self.nearest is None or (self.meeting and self.near is None):
            return self.meeting
        _, offer, machine = self.nearest
        if self.meeting and self.near is not None:
            _, offer, machine = self.near
        figures = self._figures(offer, machine)
        return [*self.meeting, {"spec": offer.spec, "figures": _packed(figures)}]


def _packed(figures: Mapping[str, Measured[Any]]) -> dict[str, list[Any]]:
    return {name: figure.packed() for name, figure in figures.items()}
