"""What the families offer for a switched machine, searched by cost.

Families with endpoints of their own offer whole machines. The nodes of others, and those that a
family offers as leaves, become switches with as many endpoints each as it takes; links between
switches are trunks as narrow as the demands allow. Every offer has a floor, the least that it can
cost; those below the cheapest machine that is known are looked at, the others are left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.family import Family
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement
from hopscape.design.candidates import fitting
from hopscape.design.deals import Deal, leaf_deals, mesh_deals
from hopscape.design.floors import CostFloor, cells
from hopscape.design.machine import Machine
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.families.concentrated import dealt
from hopscape.metrics.throughput import SwitchGraph, switch_graph
from hopscape.registry import build, member

__all__ = [
    "Offer",
    "family_offers",
    "first_left_out",
    "lines_needed",
    "offer_of_deal",
    "sparse_offers",
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
            ends = f", ends={tuple(self.deal)}" if self.deal else ""
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
        inner: Any = member(spec)
        planes, each, trunk, lines, count, pairs = 1, 0, 1, 1, 0, 0
        rails = island = speed = 1
        deal: tuple[int, ...] = ()
        if inner.name == "rails":
            rails, island, speed, inner = inner.count, inner.island, inner.speed, inner.base.family
        if inner.name == "planes":
            planes, inner = inner.count, inner.base.family
        if inner.name == "populated":
            count, deal, pairs = inner.count, inner.ends or (), inner.pairs or 0
            inner = inner.base.family
        if inner.name == "concentrated":
            each, trunk, lines = inner.endpoints, inner.trunk, inner.lines
            inner = inner.base.family
        elif inner.name == "trunked":
            trunk = lines = inner.count
            inner = inner.base.family
        base, switches = Network.of(inner).spec, inner.switches()
        boxes = inner.order if switches is None else len(switches)
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
    offers = {offer.spec: offer for offer in _own(kind, asked, planes, floor)}
    return sorted(offers.values(), key=lambda offer: (offer.floor, offer.spec))


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
    sizes = cells(CostFloor.of(asked, planes))
    return sizes[_MOST_CELLS].floor if len(sizes) > _MOST_CELLS else math.inf


def lines_needed(kind: type[Family], asked: SwitchedRequirements) -> int | None:
    """Lines that an endpoint of this family has, where they are more than those asked for."""
    for spec, made in _members(kind, asked.whole(1, 1)):
        if made.switches() is not None and (lines := _lines_of(spec)) > asked.nics:
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
    for spec, made in _members(kind, asked.whole(lines, _MOST_OWN)):
        switches = made.switches()
        if switches is None:
            continue
        boxes, each = len(switches), _lines_of(spec)
        least = _own_floor(made, boxes, each, floor)
        if each == 1:
            yield Offer(spec, boxes, trunk=lines, lines=lines, planes=planes, floor=least)
        elif each == asked.nics and planes == 1:
            yield Offer(spec, boxes, floor=least)
    for taper in _TAPERS:
        if asked.throughput * taper > 1.05:
            continue
        low, high = math.ceil(asked.low / taper), math.ceil(asked.room / taper)
        less = Requirement(low, low, high, asked.ports // lines, _MOST_EACH, asked.throughput)
        for spec, made in _members(kind, less):
            switches = made.switches()
            if switches is None or _lines_of(spec) != 1:
                continue
            edge = int((_base_graph(spec).ends > 0).sum())
            if edge < len(switches):
                more = math.ceil(asked.low / edge)
                least = _own_floor(made, len(switches), 1, floor)
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
        most, least = pair.ends
        deal: dict[str, Any] = {"populated": most + least, "deal": pair.ends}
        yield Offer(
            base, 2, most, pair.trunk, floor.lines, floor.planes, pair.floor,
            **(deal if most > least else {}),
        )  # fmt: skip


def _unequal(kind: type[Family], floor: CostFloor) -> Iterator[Offer]:
    """Switches with unequal endpoints, in the shape that a family's members have."""
    deals = {"switches": mesh_deals, "leaves": leaf_deals}
    if kind.unequal:
        yield from (offer_of_deal(kind, deal, floor) for deal in deals[kind.unequal](floor))


def offer_of_deal(kind: type[Family], deal: Deal, floor: CostFloor) -> Offer:
    """A family's machine with endpoints dealt unequally."""
    ends, lines, most = deal.ends, floor.lines, max(deal.ends)
    if kind.unequal == "leaves":
        links = math.ceil(deal.trunk / lines)
        base = member(f"{kind.name}({len(ends)}, {deal.spines}, {most}, links={links})").spec
        each, trunk = 0, lines
    else:
        base, each, trunk = member(f"{kind.name}({len(ends)})").spec, most, deal.trunk
    return Offer(
        base, len(ends) + deal.spines, each, trunk, lines, floor.planes, deal.floor, sum(ends),
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
