"""What the families offer for a switched machine, searched by cost.

Families with endpoints of their own offer whole machines. The nodes of others, and those that a
family offers as leaves, become switches with as many endpoints each as it takes; links between
switches are trunks as narrow as the demands allow. Every offer has a floor, the least that it can
cost; those below the cheapest machine that is known are looked at, the others are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.family import Family
from hopscape.core.measured import Measured
from hopscape.core.network import Network
from hopscape.core.progress import spend_steps, steps_left, time_left, time_limit
from hopscape.core.requirement import Requirement
from hopscape.design.candidates import fitting
from hopscape.design.columns import new_evaluation
from hopscape.design.deals import leaf_deals, mesh_deals
from hopscape.design.floors import NEAR, CostFloor, cells
from hopscape.design.growth import (
    Cabling,
    added_parts,
    best_growth,
    bill_at,
    growth_text,
    moved_figure,
)
from hopscape.design.machine import Machine, machine_figures, router_throughput
from hopscape.design.prices import load_prices
from hopscape.design.ranking import SLACK, misses, shortfall
from hopscape.design.survival import Survival, Survived, survived
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.families.concentrated import dealt
from hopscape.metrics.columns import measure_columns
from hopscape.metrics.throughput import SwitchGraph, switch_graph
from hopscape.registry import build, family, member

__all__ = [
    "FAMILY_STEPS",
    "Counted",
    "Offer",
    "ask_family",
    "family_offers",
    "growth_plan",
    "lines_needed",
    "sparse_offers",
    "survived_by",
]

_MOST_OWN, _MOST_EACH = 64, 3
"""Members that a family proposes: of whole machines, and of graphs for each number of lines."""
_STEP = 1.0625
"""Sizes that a family is asked for at once: up to so many times the least of them."""
_FEWEST = 3
_MOST_PAIRS = 24  # deals of endpoints to two switches, the cheapest first
_MANY = 2_000  # endpoints beyond which the first stands for all: a machine of others is refused
_MOST_CELLS = 60
"""Sizes and degrees that every family is asked for one by one."""
_TAPERS = (1.5, 2.0, 3.0, 4.0)
_TRUNKS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 30)


class Offer(NamedTuple):
    """A member of a family made into a switched machine.

    Attributes:
        base: Spec of the member.
        switches: Of one plane.
        each: Endpoints put at every switch; 0 for the member's own.
        floor: Least that it can cost, by its links and trunks that may carry what is asked for.
        populated: Endpoints that are there, where fewer than there is room for; 0 for all.
        deal: Endpoints at each switch, where they are not dealt evenly.
        pairs: Of endpoints, for which a trunk has a cable; 0 for trunks of one width.
        rails, island, speed: Copies of all this, over which the endpoints of islands are spread, as
            :class:`hopscape.families.concentrated.Rails` has them; 1 rail is none.
    """

    base: str
    switches: int
    each: int = 0
    trunk: int = 1
    lines: int = 1
    planes: int = 1
    floor: float = 0.0
    populated: int = 0
    rails: int = 1
    island: int = 1
    speed: int = 1
    deal: tuple[int, ...] = ()
    pairs: int = 0

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
            ends = f", ends={list(self.deal)}" if self.deal else ""
            ends += f", pairs={self.pairs}" if self.pairs else ""
            inner = f"populated({inner}, {self.populated}{ends})"
        inner = f"planes({inner}, {self.planes})" if self.planes > 1 else inner
        if self.rails == 1:
            return inner
        return f"rails({inner}, {self.rails}, {self.island}, speed={self.speed})"

    @classmethod
    def of(cls, spec: str) -> Offer:
        """The offer of a spec, as :attr:`spec` writes it.

        Examples:
            >>> Offer.of("planes(concentrated(torus(4, 4), 8, trunk=3), 2)")[:6]
            ('torus(4, 4)', 16, 8, 3, 1, 2)
        """
        found: Any = member(spec)
        planes, each, trunk, lines, count, pairs = 1, 0, 1, 1, 0, 0
        rails = island = speed = 1
        deal: tuple[int, ...] = ()
        if found.name == "rails":
            rails, island, speed, found = found.count, found.island, found.speed, found.base.family
        if found.name == "planes":
            planes, found = found.count, found.base.family
        if found.name == "populated":
            count, deal, pairs = found.count, found.ends or (), found.pairs or 0
            found = found.base.family
        if found.name == "concentrated":
            each, trunk, lines = found.endpoints, found.trunk, found.lines
            found = found.base.family
        elif found.name == "trunked":
            trunk = lines = found.count
            found = found.base.family
        base, switches = Network.of(found).spec, found.switches()
        boxes = found.order if switches is None else len(switches)
        more: dict[str, Any] = {"rails": rails, "island": island, "speed": speed, "deal": deal}
        more["pairs"] = pairs
        return cls(base, boxes, each, trunk, lines, planes, populated=count, **more)

    def machine(self) -> Machine:
        """One plane switch by switch, and how often it is there."""
        if self.pairs:  # trunks of several widths, as they stand there
            graph, trunk = _base_graph(self._replace(planes=1, rails=1).spec), 1
        else:
            graph, trunk = _base_graph(self.base), self.trunk
        if self.each and not self.pairs:
            ends = np.where(graph.ends > 0, self.each, 0).astype(np.int64)
            graph = graph.with_ends(ends, lines=self.lines, hosted=False, name=self.spec)
        elif not self.pairs:
            graph = graph.with_ends(graph.ends, lines=graph.lines * self.lines, name=self.spec)
        if self.rails > 1 and graph.hosted:
            raise ArgumentError(f"endpoints of {self.base} have lines to several switches")
        made = Machine(
            graph,
            trunk,
            self.planes,
            rails=self.rails,
            island=self.island,
            speed=float(self.speed),
        )
        if not self.populated or self.pairs:
            return made
        if graph.hosted:
            raise ArgumentError(f"endpoints of {self.base} have lines to several switches")
        if self.deal:  # nothing is known of it from the full one, which carries less
            ends = graph.ends.copy()
            ends[graph.ends > 0] = self.deal
            return replace(made, graph=graph.with_ends(ends))
        fewer = graph.with_ends(dealt(graph.ends, self.populated))
        return replace(made, graph=fewer, full=graph)

    @property
    def router_of(self) -> str:
        """The member whose own router serves it: none where trunks have several widths."""
        return "" if self.pairs else self.base

    @property
    def whole(self) -> Offer:
        """The same with all its endpoints."""
        return self._replace(populated=0, deal=(), pairs=0)


@lru_cache(maxsize=4)
def _base_graph(spec: str) -> SwitchGraph:
    """The switches of a member, which is looked at several times: whole, populated, with trunks."""
    return switch_graph(build(spec))


def own_offers(kind: type[Family], asked: SwitchedRequirements, planes: int) -> list[Offer]:
    """Whole machines of a family with endpoints of its own, the cheapest floor first."""
    floor = CostFloor.of(asked, planes)
    found = {offer.spec: offer for offer in _own(kind, asked, planes, floor)}
    return sorted(found.values(), key=lambda offer: (offer.floor, offer.spec))


def family_offers(
    kind: type[Family],
    asked: SwitchedRequirements,
    planes: int,
    limit: Callable[[], float] = lambda: math.inf,
) -> Iterator[list[Offer]]:
    """What a family offers in batches: its own machines, or its nodes with endpoints, dense first.

    Nodes are given endpoints only where a family has no machine of its own for the question.

    Args:
        limit: What a machine may cost; sizes at which none can are left out.
    """
    own = own_offers(kind, asked, planes)
    floor = CostFloor.of(asked, planes)
    unequal = list(_unequal(kind, floor))
    if own or (unequal and not unequal[0].each):
        yield sorted([*own, *unequal], key=lambda offer: (offer.floor, offer.spec))
        return
    if unequal and unequal[0].floor < limit():
        yield unequal
    for least, low, high in _ranges(floor, kind.leaf_endpoints):
        if least >= limit():
            return
        batch = {offer.spec: offer for offer in _dense(kind, floor, low, high)}
        if batch:
            yield sorted(batch.values(), key=lambda offer: (offer.floor, offer.spec))


def sparse_offers(
    kind: type[Family], asked: SwitchedRequirements, planes: int, below: float
) -> Iterator[list[Offer]]:
    """Networks of every size and degree that may cost less than this, the cheapest first.

    Yields a batch for each size and degree.
    """
    floor = CostFloor.of(asked, planes)
    chosen = [cell for cell in cells(floor)[:_MOST_CELLS] if cell.floor < below]
    for _, switches, degree in chosen:
        asks = Requirement(switches, switches, switches, degree, 1)
        offers = (_fitted(spec, found, floor) for spec, found in _members(kind, asks)
                  if found.switches() is None)  # fmt: skip
        yield sorted((one for one in offers if one is not None), key=lambda one: one.floor)


def first_left_out(asked: SwitchedRequirements, planes: int) -> float:
    """Least cost of the sizes and degrees that families are not asked for: they are too many."""
    found = cells(CostFloor.of(asked, planes))
    return found[_MOST_CELLS].floor if len(found) > _MOST_CELLS else math.inf


def lines_needed(kind: type[Family], asked: SwitchedRequirements) -> int | None:
    """Lines that an endpoint of this family has, where they are more than those asked for."""
    for spec, found in _members(kind, asked.whole(1, 1)):
        if found.switches() is not None and (lines := _lines_of(spec)) > asked.nics:
            return lines
    return None


@lru_cache(maxsize=20_000)
def _members(kind: type[Family], requirement: Requirement) -> tuple[tuple[str, Family], ...]:
    """Duplex members that fit: a design asks for the same ones for each question and trunk."""
    return tuple((spec, found) for spec, found in fitting(kind, requirement) if found.duplex)


def _own(
    kind: type[Family], asked: SwitchedRequirements, planes: int, floor: CostFloor
) -> Iterator[Offer]:
    """Machines with endpoints of their own; for less than full throughput, with more of them."""
    lines = floor.lines
    for spec, found in _members(kind, asked.whole(lines, _MOST_OWN)):
        switches = found.switches()
        if switches is None:
            continue
        boxes, each = len(switches), _lines_of(spec)
        least = _own_floor(found, boxes, each, floor)
        if each == 1:
            yield Offer(spec, boxes, trunk=lines, lines=lines, planes=planes, floor=least)
        elif each == asked.nics and planes == 1:
            yield Offer(spec, boxes, floor=least)
    for taper in _TAPERS:
        if asked.throughput * taper > 1.05:
            continue
        low, high = math.ceil(asked.low / taper), math.ceil(asked.room / taper)
        less = Requirement(low, low, high, asked.ports // lines, _MOST_EACH, asked.throughput)
        for spec, found in _members(kind, less):
            switches = found.switches()
            if switches is None or _lines_of(spec) != 1:
                continue
            edge = int((_base_graph(spec).ends > 0).sum())
            if edge < len(switches):
                more = math.ceil(asked.low / edge)
                least = _own_floor(found, len(switches), 1, floor)
                yield Offer(spec, len(switches), more, 1, lines, planes, floor=least)


def _own_floor(found: Family, switches: int, each: int, floor: CostFloor) -> float:
    """Least cost of a member with endpoints of its own, by its links."""
    links = found.facts().links
    if links is None:
        return 0.0
    between = max(0, links - found.endpoint_count * each)
    if each > 1:  # lines to several switches: all of them are there
        return floor.prices.switch(1).price * switches + links * floor.cable
    return floor.of_parts(switches, between * floor.lines)


def _lines_of(spec: str) -> int:
    """Lines of an endpoint of a member with switches; 0 where they differ."""
    net = build(spec)
    if net.endpoint_count > _MANY and int(net.endpoints[0]) == 0:  # of large ones only the first
        return int((net.neighbours(np.zeros(1, dtype=np.int64))[0] >= 0).sum())
    lines = net.degrees[net.endpoints]
    return int(lines[0]) if len(lines) and lines.min() == lines.max() else 0


def _ranges(floor: CostFloor, leaves: bool) -> list[tuple[float, int, int]]:
    """Least cost and numbers of switches with endpoints to ask a family for, the cheapest first.

    A step is at most a sixteenth. Where nothing carries what is asked for, a few sizes, so that the
    nearest can be named.
    """
    sizes: dict[int, float] = {}
    for cell in cells(floor):
        sizes.setdefault(cell.switches, cell.floor)
    if not sizes or leaves:
        most = floor.radix // floor.lines - (floor.endpoints * floor.lines > floor.radix)
        first = math.ceil(floor.endpoints / max(1, most))
        if leaves:
            sizes |= dict.fromkeys(range(first, 3 * first + 1), 0.0)
        else:
            sizes = {math.ceil(floor.endpoints / each): 0.0 for each in range(1, _FEWEST + 1)}
    out: list[tuple[float, int, int]] = []
    for size in sorted(sizes):
        if out and size <= out[-1][1] * _STEP:
            best, low, _ = out[-1]
            out[-1] = (min(best, sizes[size]), low, size)
        else:
            out.append((sizes[size], size, size))
    return sorted(out)


def _dense(kind: type[Family], floor: CostFloor, low: int, high: int) -> Iterator[Offer]:
    """Members of some sizes with as many links as the ports allow, and with half of them."""
    room = floor.room(high)
    answered = 0
    for trunk in _TRUNKS:
        if answered == 2 or (trunk > 1 and room < 2 * trunk):
            return
        asks = Requirement(low, low, high, max(1, room // trunk), _MOST_EACH)
        offers = [
            _fitted(spec, found, floor)
            for spec, found in _members(kind, asks)
            if found.switches() is None or (kind.leaf_endpoints and _lines_of(spec) > 1)
        ]
        yield from (offer for offer in offers if offer is not None)
        if trunk == 1 and any(offer and offer.switches == 2 for offer in offers):
            yield from _pairs(floor, next(o.base for o in offers if o and o.switches == 2))
        answered += any(offers)


def _pairs(floor: CostFloor, base: str) -> Iterator[Offer]:
    """Two switches with unequal endpoints: one of them may be a smaller box."""
    for pair in floor.pairs[:_MOST_PAIRS]:
        ends = pair.ends
        yield Offer(
            base, 2, max(ends), pair.trunk, floor.lines, floor.planes, pair.floor, sum(ends),
            deal=ends,
        )  # fmt: skip


def _unequal(kind: type[Family], floor: CostFloor) -> Iterator[Offer]:
    """Switches with unequal endpoints, in the shape that a family's members have."""
    planes, lines = floor.planes, floor.lines
    if kind.unequal == "switches":
        for deal in mesh_deals(floor):
            ends, count = deal.ends, len(deal.ends)
            base = member(f"{kind.name}({count})").spec
            yield Offer(
                base, count, ends[0], deal.trunk, lines, planes, deal.floor, sum(ends), deal=ends,
                pairs=deal.pairs,
            )  # fmt: skip
    if kind.unequal == "leaves":
        for deal in leaf_deals(floor):
            ends, spines = deal.ends, deal.spines
            links = math.ceil(deal.trunk / lines)
            base = member(f"{kind.name}({len(ends)}, {spines}, {ends[0]}, links={links})").spec
            yield Offer(
                base, len(ends) + spines, 0, lines, lines, planes, deal.floor, sum(ends),
                deal=ends, pairs=deal.pairs,
            )  # fmt: skip


def _fitted(spec: str, found: Family, floor: CostFloor) -> Offer | None:
    """A member with just as many endpoints at its nodes as it takes, trunks as wide as may be."""
    nodes, degree, lines = found.endpoint_count, found.ports, floor.lines
    each = math.ceil(floor.endpoints / nodes)
    room = floor.radix - each * lines
    if room < degree:
        return None
    if found.order == 1 or not degree:
        least = floor.of_parts(1, 0)
        return Offer(spec, found.order, each, 1, lines, floor.planes, least)
    trunk = max(1, room // degree)
    least = 0.0
    links = found.facts().links
    if found.order == nodes and links is not None:
        narrow = floor.trunk(nodes, 2 * links, degree)
        if 2 * links == nodes * degree:
            least = floor.of_network(nodes, degree)
        else:
            least = floor.of_parts(nodes, links * narrow)
        if narrow > trunk:
            least = math.inf
    elif links is not None:
        least = floor.of_parts(found.order, links)
    return Offer(spec, found.order, each, trunk, lines, floor.planes, least)


_MEETING = 2  # machines of a family that are shown: the cheapest, and one to compare it with
_TRIES = 24  # machines whose throughput is computed before a family that is dearer is given up
_GROWN = 6  # machines that a machine may grow into: of these the fewest cables moved
_HOPELESS = 0.97  # of what is asked: a bound below it is not worth the exact figure
_QUICK = 2_000_000  # switches times channels up to which the exact figure is there at once
_RESCUED = 0.7  # of what is asked: a family's own router may do so much better than even splitting
FAMILY_STEPS = 1.5e9
"""Work that one family may take when there is time enough."""
_BUILD_STEPS, _SHARE_STEPS, _FIGURE_STEPS = 1000, 5, 20
"""To build a machine, for every switch and channel; of its throughput and of all its figures, for
every pair of a switch and a switch or channel (4 ns, and 10 to 130 ns, were measured)."""


def ask_family(
    name: str,
    planes: int,
    rails: int,
    question: SwitchedRequirements,
    best: float = math.inf,
    dear: float = math.inf,
    steps: float = FAMILY_STEPS,
    seconds: float | None = None,
) -> list[dict[str, Any]]:
    """One task: the cheapest machines of a family that meet the demands, or else the nearest.

    A budget is not looked at: whoever ranks the machines does so.

    Args:
        rails: Over which the islands of the question are spread; 1 without islands.
        best: Cost of a machine of another family. All that may cost less is looked at; of what
            costs more, the first machine that is found.
        dear: Cost beyond which machines are not looked at.
        steps: Work after which no other machine is looked at, see
            :func:`hopscape.core.progress.steps_left`.
        seconds: The same by the clock, where the machine is slower than that.

    Returns:
        list of dict: Spec and packed figures; ``{"lines": n}`` for a family that only has endpoints
            with n lines; first ``{"late": True}`` where less time than usual cut the search short;
            last ``{"counted": {...}}``, see :class:`Counted`.
    """
    kind = family(name)
    search = _Search(replace(question, budget=None), best, dear, rails)
    if question.grow is not None:
        search.larger = lambda: _larger(kind, question, planes, rails)
    question = search.question
    with time_limit(seconds, steps):
        own = False
        for batch in family_offers(kind, question, planes, lambda: search.limit / rails):
            own = not batch[0].each
            search.go_through(batch)
            if search.late:
                break
        if not own and search.below < math.inf:
            for batch in sparse_offers(kind, question, planes, search.below / rails):
                search.go_through(batch, proof=True)
            search.up_to = min(search.up_to, first_left_out(question, planes) * rails)
        if search.nearest is None and not search.meeting and best == math.inf and question.worst:
            easier = replace(question, worst=None)  # so that the nearest can be named
            for batch in family_offers(kind, easier, planes, lambda: dear / rails):
                search.go_through(batch)
                break
        hurried = search.late and (steps < FAMILY_STEPS or steps_left() > 0)
    records = search.records()
    lines = None
    if not records and not search.counted.looked:
        lines = lines_needed(kind, question)
    if lines is not None:
        return [{"lines": lines}]
    counted = search.counted._replace(up_to=min(search.up_to, 1e300))
    return [{"late": True}] * hurried + [*records, {"counted": counted._asdict()}]


class Counted(NamedTuple):
    """How much of a family was looked at.

    Attributes:
        looked: Machines that were built or bounded.
        misfits: With too many ports or endpoints.
        weak: Ruled out by capacity over distance.
        dear: Ruled out by the least that they can cost.
        computed: Whose throughput was computed.
        up_to: Every machine that may cost less was looked at.
        failed: That could not be judged, since they cannot be placed or priced, for example.
        reason: The first of these, and why.
    """

    looked: int = 0
    misfits: int = 0
    weak: int = 0
    dear: int = 0
    computed: int = 0
    up_to: float = 1e300
    failed: int = 0
    reason: str = ""

    def plus(self, **more: int) -> Counted:
        """The same with some counted besides."""
        return self._replace(**{name: getattr(self, name) + n for name, n in more.items()})


class _Search:
    """Offers of a family one after the other: those that meet the demands, and the nearest."""

    def __init__(
        self,
        question: SwitchedRequirements,
        best: float = math.inf,
        dear: float = math.inf,
        rails: int = 1,
    ) -> None:
        self.whole, self.best, self.dear, self.rails = question, best, dear, rails
        self.question = question.of_rail(rails)
        self.meeting: list[dict[str, Any]] = []
        self.cheapest = math.inf
        self.nearest: tuple[float, Offer, Machine] | None = None
        self.near: tuple[float, Offer, Machine] | None = None
        self.counted = Counted()
        self.up_to = math.inf
        self.larger: Callable[[], list[str]] = list

    @cached_property
    def _grown(self) -> list[str]:
        """Machines of the family that it may grow into."""
        return self.larger()

    @property
    def late(self) -> bool:
        return steps_left() <= 0 or time_left() <= 0

    @property
    def below(self) -> float:
        """Only machines that may cost less are looked at, so that nothing cheaper is missed."""
        return min(self.best, self.cheapest)

    @property
    def limit(self) -> float:
        """What a machine may cost: anything up to `dear` while none is known."""
        if self.cheapest == math.inf and self.counted.computed < _TRIES:
            return self.dear
        if self.best == math.inf:
            return min(self.cheapest, self.dear)
        return self.best

    def go_through(self, offers: Iterable[Offer], proof: bool = False) -> None:
        """Look at offers that may cost little enough.

        Args:
            proof: Only at those that may cost less than the best.
        """
        for offer in offers:
            if self.late:
                self.up_to = 0.0
                return
            unknown = self.best == math.inf and self.nearest is None  # one is measured, to be named
            if offer.floor == math.inf and not unknown:
                self.counted = self.counted.plus(looked=1, weak=1)
            elif math.inf > offer.floor * self.rails >= (self.below if proof else self.limit):
                self.counted = self.counted.plus(looked=1, dear=1)
            else:
                self.look_at(offer)

    def look_at(self, offer: Offer) -> None:
        """Measure an offer as far as it takes to see whether it meets the demands."""
        self.counted = self.counted.plus(looked=1)
        try:
            machine = offer.machine()
            if machine.endpoints > self.question.endpoints and not machine.graph.hosted:
                offer = offer._replace(populated=self.question.endpoints)
                machine = offer.machine()
            share = self._share(offer, machine)
            if share >= self.question.throughput - SLACK:
                share = self._measure(offer, machine)
        except HopscapeError as error:
            reason = self.counted.reason or f"{offer.spec}: {error}"
            self.counted = self.counted.plus(failed=1)._replace(reason=reason)
            return
        if share < math.inf and (self.nearest is None or share > self.nearest[0]):
            self.nearest = (share, offer, machine)
        asked = self.question.throughput
        if NEAR * asked <= share < asked - SLACK and (self.near is None or share > self.near[0]):
            self.near = (share, offer, machine)

    def _share(self, offer: Offer, machine: Machine) -> float:
        """Uniform throughput; a bound of it where that is hopeless, -1 where it does not fit."""
        order, channels = machine.graph.order, len(machine.graph.heads)
        spend_steps(_BUILD_STEPS * (order + channels))
        if not self._is_machine(machine):
            self.counted = self.counted.plus(misfits=1)
            return -1.0
        asked = self.question.throughput
        if _large(machine):
            share = min(1.0, machine.trunk * machine.graph.quick_bound())
            if share < _HOPELESS * asked:
                self.counted = self.counted.plus(weak=1)
                return share
        self.counted = self.counted.plus(computed=1)
        spend_steps(_SHARE_STEPS * order * (order + channels))
        machine.graph.uniform()  # before the trunks, which then need not compute it
        share = machine.flow.uniform().throughput
        may_do = _RESCUED * asked <= share < asked - SLACK <= machine.flow.capacity_bound()
        if may_do and not _large(machine):
            own = router_throughput(machine, offer.router_of)
            share = max(share, float(own.value or 0.0))
        return share

    def _is_machine(self, machine: Machine) -> bool:
        asked = self.question
        fits = asked.low <= machine.endpoints <= asked.high and machine.nics == asked.nics
        return fits and machine.radix_used <= asked.ports

    def _figures(self, offer: Offer, machine: Machine) -> dict[str, Measured[Any]]:
        """All figures; what takes long only where nothing else is missed."""
        asked = self.whole
        if self.rails > 1:
            offer = self._spread(offer)
            machine = replace(
                machine, rails=self.rails, island=offer.island, speed=float(offer.speed)
            )
        network = build(offer.spec)
        figures = machine_figures(
            machine,
            network,
            asked.price_list,
            asked.plan,
            spec=offer.router_of,
            routing=asked.routing,
            deep=asked.max_hops is not None or not _large(machine),
        )
        if not misses(figures, asked) and asked.survive is not None:
            left = survived(machine.flow, machine.planes * machine.rails, asked.survive)
            figures |= {"survived_throughput": left.share, "blast_radius": left.lost}
        if not misses(figures, asked) and asked.vcs is not None:
            figures |= measure_columns(new_evaluation(network), ["vcs"])
        if not misses(figures, asked) and asked.grow is not None:
            figures |= growth_figures(offer.spec, self._grown, asked)
        return figures

    def _measure(self, offer: Offer, machine: Machine) -> float:
        """All figures; infinite when they meet the demands, else how near they come."""
        asked, near = self.question, 0.0
        for trunk in self._trunks(offer, machine):
            if trunk != offer.trunk:
                offer = offer._replace(trunk=trunk)
                machine = replace(machine, trunk=trunk)
            if self._least(machine) >= self.limit:
                self.counted = self.counted.plus(dear=1)
                return math.inf
            if asked.worst is not None and (most := self._most(machine)) < asked.worst - SLACK:
                near = max(near, most / asked.worst)
                continue
            spend_steps(_FIGURE_STEPS * machine.flow.order * len(machine.flow.heads))
            figures = self._figures(offer, machine)
            if not misses(figures, self.whole):
                self._keep(offer, figures)
                return math.inf
            near = max(near, -shortfall(figures, self.whole)[0])
        return near

    def _most(self, machine: Machine) -> float:
        """No more than this is guaranteed any permutation, by the routing asked for."""
        least, routing = self.question.worst or 0.0, self.question.routing
        graphs = [machine.flow]
        if machine.full_flow is not None:
            graphs.append(machine.full_flow)
        most = 0.0
        if routing in (None, "valiant"):
            most = max(graph.valiant() for graph in graphs)
        if routing in (None, "minimal") and most < least:
            minimal = graphs[-1].worst_minimal(least).value
            most = max(most, 1.0 if minimal is None else float(minimal))
        return 1.0 if routing == "optimal" else most

    def _keep(self, offer: Offer, figures: dict[str, Measured[Any]]) -> None:
        packed = _packed(figures)
        self.cheapest = min(self.cheapest, float(figures["money"].value))
        if all(packed != one["figures"] for one in self.meeting):  # else the same, by another seed
            self.meeting.append({"spec": self._spread(offer).spec, "figures": packed})

    def _least(self, machine: Machine) -> float:
        """Least that a machine costs: its switches, and the cheapest cable for each link."""
        prices = self.question.price_list
        used, pieces = np.unique(machine.ports[machine.boxes], return_counts=True)
        each = [prices.switch(int(ports)).price for ports in used.tolist()]
        cable = min(item.price for item in prices.cables)
        links = (len(machine.graph.heads) * machine.trunk) // 2
        lines = 0 if machine.graph.hosted else machine.endpoints * machine.graph.lines
        boxes = float(np.dot(each, pieces))
        return self.rails * (
            machine.planes * (boxes + (links + lines) * cable)
            + machine.endpoints * machine.nics * prices.nic.price
        )

    def _spread(self, offer: Offer) -> Offer:
        """The offer as one of the rails."""
        if self.rails == 1:
            return offer
        asked = self.whole
        return offer._replace(rails=self.rails, island=asked.island, speed=asked.island_speed)

    def _trunks(self, offer: Offer, machine: Machine) -> list[int]:
        """Widths of trunks that uniform traffic allows, the narrowest first.

        With twice as many Valiant's routing gives any permutation what uniform traffic gets.
        """
        if offer.trunk == 1 or not offer.each or offer.pairs:
            return [offer.trunk]
        load = machine.flow.uniform().load * offer.trunk
        first = min(offer.trunk, max(1, math.ceil(self.question.throughput * load - SLACK)))
        alone = self.question.worst is None and self.question.survive is None
        if alone and self.question.routing in (None, "minimal", "adaptive"):
            return [first] if first == offer.trunk else [first, offer.trunk]
        return list(range(first, offer.trunk + 1))

    def records(self) -> list[dict[str, Any]]:
        """The cheapest machines that meet the demands, and one that is near or nearest."""
        cheap = sorted(self.meeting, key=lambda one: (one["figures"]["money"][0], one["spec"]))
        found = cheap[:_MEETING]
        other = self.near if self.meeting or self.best < math.inf else self.nearest
        if other is None:
            return found
        _, offer, machine = other
        if self._least(machine) >= min(self.dear, self.below):  # near, but not cheaper
            return found
        figures = _packed(self._figures(offer, machine))
        return [*found, {"spec": self._spread(offer).spec, "figures": figures}]


class _Larger(_Search):
    """Machines that the present one may grow into: the first few, whatever they cost."""

    @property
    def limit(self) -> float:
        return math.inf if self.counted.computed < _TRIES and len(self.meeting) < _GROWN else 0.0


def _larger(
    kind: type[Family], question: SwitchedRequirements, planes: int, rails: int
) -> list[str]:
    """Specs of some machines of a family that meet the demands with more endpoints."""
    search = _Larger(question.grown(), rails=rails)
    for batch in family_offers(kind, search.question, planes, lambda: search.limit):
        search.go_through(batch)
    return [str(one["spec"]) for one in search.meeting]


def growth_figures(
    spec: str, larger: Sequence[str], question: SwitchedRequirements
) -> dict[str, Measured[Any]]:
    """What it takes to grow: by the plan that moves the fewest cables."""
    names = ("cables_moved", "cables_bought", "switches_bought", "growth_cost", "grown")
    if not larger:
        note = "no machine of its family that meets the other demands was found"
        return dict.fromkeys(names, Measured(None, "unknown", note))
    many = [(one, _cabling(one)) for one in larger]
    found = best_growth(_cabling(spec), many)
    if found is None:
        note = "the machines of its family that were found have fewer switches or other planes"
        return dict.fromkeys(names, Measured(None, "unknown", note))
    grown, plan = found
    bills = bill_at(spec, question.prices), bill_at(grown, question.prices)
    now, then = (Offer.of(one).machine() for one in (spec, grown))
    parts = added_parts(now, then, plan.where, bills, question.price_list)
    boxes = sum(part.pieces for part in parts if part.kind == "switch")
    note = f"grows to {grown}"
    moved = moved_figure(plan.moved, note)
    others = (plan.bought, boxes, round(math.fsum(part.money or 0.0 for part in parts), 2), grown)
    return {"cables_moved": moved} | {
        name: Measured(value, "exact", note) for name, value in zip(names[1:], others, strict=True)
    }


def growth_plan(spec: str, grown: str, prices: str) -> str:
    """How a switched machine becomes a larger one, as CSV; see :func:`growth_figures`."""
    now, then = _cabling(spec), _cabling(grown)
    found = best_growth(now, [(grown, then)])
    if found is None:
        raise ArgumentError(f"{spec} does not grow into {grown}")
    bills = bill_at(spec, prices), bill_at(grown, prices)
    parts = added_parts(
        Offer.of(spec).machine(),
        Offer.of(grown).machine(),
        found[1].where,
        bills,
        load_prices(prices),
    )
    return growth_text(now, then, found[1], parts)


def _cabling(spec: str) -> Cabling:
    offer = Offer.of(spec)
    plain = offer.each and not offer.pairs and not build(offer.base).has_switches
    return Cabling.of_machine(offer.machine(), offer.base if plain else "")


def _large(machine: Machine) -> bool:
    order = machine.graph.order
    return bool(order * (order + len(machine.graph.heads)) > _QUICK)


def survived_by(spec: str, asked: Survival) -> Survived:
    """What is left of a machine after failures."""
    machine = Offer.of(spec).machine()
    return survived(machine.flow, machine.planes * machine.rails, asked)


def _packed(figures: Mapping[str, Measured[Any]]) -> dict[str, list[Any]]:
    return {name: figure.packed() for name, figure in figures.items()}
