"""The cheapest machine of a family that meets all demands, among its offers.

Offers (:mod:`.offers`) come by their floor, the least that they can cost. Each is judged by bounds
first, by exact figures where the bounds leave it open, and by what it survives and grows into where
that is asked for; the search ends where the next floor is above the cheapest machine that is known.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.family import Family
from hopscape.core.measured import Measured
from hopscape.core.progress import spend_steps, steps_left, time_left, time_limit
from hopscape.design.bill import priced
from hopscape.design.boxes import MOST_DEALT, BoxRoom, exchanged
from hopscape.design.columns import new_evaluation
from hopscape.design.deals import deal_of, moved_deal
from hopscape.design.floors import NEAR, CostFloor
from hopscape.design.growth import (
    Cabling,
    added_parts,
    best_growth,
    bill_at,
    growth_text,
    moved_figure,
)
from hopscape.design.machine import (
    Machine,
    machine_figures,
    optimal_figures,
    router_throughput,
)
from hopscape.design.offers import (
    Offer,
    family_offers,
    first_left_out,
    lines_needed,
    offer_of_deal,
    sparse_offers,
)
from hopscape.design.prices import load_prices
from hopscape.design.ranking import SLACK, misses, shortfall
from hopscape.design.survival import Survival, Survived, survived
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.metrics.columns import measure_columns
from hopscape.registry import build, family

__all__ = ["FAMILY_STEPS", "Counted", "ask_family", "deal_anew", "growth_plan", "survived_by"]

_MEETING = 2  # machines of a family that are shown: the cheapest, and one to compare it with
_TRIES = 24  # machines whose throughput is computed before a family that is dearer is given up
_GROWN = 6  # machines that a machine may grow into: of these the fewest cables moved
_PLACED, _DRAWN = 12_000, 10
"""Endpoints placed while deals are moved by lot, and moves drawn for each machine placed."""
_SPLITS = 2  # of a family, best splits over paths that take up to 12 s each
_CENT = 0.01
_ANEW = 5_000  # endpoints placed while those of other networks are dealt anew
_FEWEST = 3  # switches with endpoints: of fewer all deals are tried
_CLOSE = 1.03  # times the cheapest: dearer machines are not worth moving endpoints of
_WORTH_SOLVING = 0.97  # of what is asked: a bound below it is not worth the exact figure
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
        search.larger = lambda: _larger(kind, search.whole, planes, rails)
    question = search.question
    with time_limit(seconds, steps):
        own = False
        for batch in family_offers(kind, question, planes, lambda: search.limit / rails):
            own = not batch[0].each
            search.go_through(batch)
            if search.late:
                break
        if kind.unequal:
            search.redeal(kind, CostFloor.of(question, planes))
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


def deal_anew(
    spec: str, question: SwitchedRequirements, cost: float, below: float
) -> list[dict[str, Any]]:
    """One task: a machine with its endpoints dealt unequally, where that costs less than this.

    Returns:
        list of dict: Spec and packed figures.
    """
    offer = Offer.of(spec)
    search = _Search(replace(question, budget=None), rails=offer.rails)
    search.deal_anew(offer._replace(rails=1, island=1, speed=1), cost, below)
    return sorted(search.meeting, key=lambda one: float(one["figures"]["money"][0]))[:1]


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
        self.splits = _SPLITS
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

    def redeal(self, kind: type[Family], floor: CostFloor) -> None:
        """Move endpoints of the cheapest machine by lot, as long as it gets no dearer.

        Cables follow the traffic of the endpoints at both ends, so what is asked for is carried.
        """
        asked = self.whole
        cost, spec = min(
            ((float(one["figures"]["money"][0]), str(one["spec"])) for one in self.meeting),
            default=(math.inf, ""),
        )
        if cost >= _CLOSE * self.below or asked.endpoints > MOST_DEALT or asked.survive is not None:
            return
        ends = Offer.of(spec).machine().graph.ends
        deal = deal_of(floor, tuple(ends[ends > 0].tolist()), int((ends == 0).sum()))
        if len(deal.ends) < 3:
            return
        draw, left = random.Random(asked.endpoints), _PLACED // asked.endpoints
        for _ in range(_DRAWN * left):
            other = moved_deal(floor, deal, draw)
            if other.floor * self.rails >= cost:
                continue
            left -= 1
            if left < 0:
                break
            offer = offer_of_deal(kind, other, floor)
            new = self._price(offer)
            if new <= cost:
                deal, cost = other, new
        if cost < self.below:
            self.look_at(offer_of_deal(kind, deal, floor))

    def deal_anew(self, offer: Offer, cost: float, below: float) -> None:
        """Deal the endpoints of a machine unequally, if it comes to cost less than this.

        First some switches become smaller boxes, then endpoints are moved so that cables are
        shorter.

        Args:
            offer: Of one rail; no trunks of several widths.
            cost: Of the machine as it is.
        """
        asked, prices = self.question, self.question.price_list
        machine = offer.machine()
        sites = np.flatnonzero(_room(machine))
        if machine.graph.hosted or offer.pairs or len(sites) < _FEWEST:
            return
        room = BoxRoom.of(machine, sites, prices, asked.ports)
        ends, copies = machine.graph.ends[sites], self.rails * machine.planes
        boxes, draw = room.cost(ends), random.Random(asked.endpoints)
        enough = boxes - max(0.0, cost - below) / copies  # what boxes may cost
        for deal in room.deals(enough - _CENT, draw):
            if self._carries(one := _dealt(offer, deal, machine)):
                self.look_at(one)
                if self.meeting:
                    ends, cost = deal, self.cheapest
                    boxes = room.cost(ends)
                    break
        left, known = _ANEW // asked.endpoints, cost
        for _ in range(_DRAWN * left if cost <= below else 0):
            other = exchanged(ends, draw)
            one = _dealt(offer, other, machine)
            if room.cost(other) > boxes + _CENT or not self._carries(one):
                continue
            left -= 1
            if left < 0:
                break
            new = self._price(one)
            if new <= cost:
                ends, cost = other, new
        if cost < known:
            self.look_at(_dealt(offer, ends, machine))

    def _price(self, offer: Offer) -> float:
        """What a machine costs in its room; infinite where a cable is longer than any there is."""
        network = build(self._spread(offer).spec)
        try:
            return priced(network, self.whole.plan, self.whole.price_list)[1].cost
        except HopscapeError:
            return math.inf

    def _carries(self, offer: Offer) -> bool:
        """Does it carry uniform traffic, and may it carry any permutation?"""
        asked, machine = self.question, offer.machine()
        if machine.flow.uniform().throughput < asked.throughput - SLACK:
            return False
        return asked.worst is None or self._most(machine) >= asked.worst - SLACK

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
            self._not_judged(offer, error)
            return
        if share < math.inf and (self.nearest is None or share > self.nearest[0]):
            self.nearest = (share, offer, machine)
        asked = self.question.throughput
        if NEAR * asked <= share < asked - SLACK and (self.near is None or share > self.near[0]):
            self.near = (share, offer, machine)

    def _not_judged(self, offer: Offer, error: HopscapeError) -> None:
        """Count a machine that cannot be placed or priced, for example."""
        reason = self.counted.reason or f"{offer.spec}: {error}"
        self.counted = self.counted.plus(failed=1)._replace(reason=reason)

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
            if share < _WORTH_SOLVING * asked:
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
        if asked.routing == "optimal" and [*misses(figures, asked)] == ["worst"]:
            figures |= self._best_split(machine, figures)
        if not misses(figures, asked) and asked.survive is not None:
            left = survived(machine.flow, machine.planes * machine.rails, asked.survive)
            figures |= {"survived_throughput": left.share, "blast_radius": left.lost}
        if not misses(figures, asked) and asked.vcs is not None:
            figures |= measure_columns(new_evaluation(network), ["vcs"])
        if not misses(figures, asked) and asked.grow is not None:
            figures |= growth_figures(offer.spec, self._grown, asked)
        return figures

    def _best_split(
        self, machine: Machine, figures: Mapping[str, Measured[Any]]
    ) -> dict[str, Measured[Any]]:
        """Shares under the best split over paths where it takes seconds; of the first few."""
        limit = figures["throughput_limit"].value
        known = figures["guaranteed_routing"].value == "optimal"
        if known or self.splits == 0 or (limit is not None and limit < (self.whole.worst or 0)):
            return {}
        self.splits -= 1
        return optimal_figures(machine, figures)

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
        shown = cheap[:_MEETING]
        other = self.near if self.meeting or self.best < math.inf else self.nearest
        if other is None:
            return shown
        _, offer, machine = other
        if self._least(machine) >= min(self.dear, self.below):  # near, but not cheaper
            return shown
        try:
            figures = _packed(self._figures(offer, machine))
        except HopscapeError as error:
            self._not_judged(offer, error)
            return shown
        return [*shown, {"spec": self._spread(offer).spec, "figures": figures}]


def _dealt(offer: Offer, ends: IntArray, machine: Machine) -> Offer:
    """The machine of an offer with these endpoints at its switches."""
    deal, each = tuple(ends.tolist()), offer.each
    own = int(_room(machine).max())
    if offer.each or max(deal) > own:
        each = max(deal)
    return offer._replace(each=each, populated=sum(deal), deal=deal)


def _room(machine: Machine) -> IntArray:
    """Endpoints that the switches have when none is left out."""
    return (machine.graph if machine.full is None else machine.full).ends


class _Larger(_Search):
    """Machines that the present one may grow into: the first few, whatever they cost."""

    @property
    def limit(self) -> float:
        return math.inf if self.counted.computed < _TRIES and len(self.meeting) < _GROWN else 0.0


def _larger(
    kind: type[Family], question: SwitchedRequirements, planes: int, rails: int
) -> list[str]:
    """Specs of some machines of a family that meet the demands with more endpoints.

    Args:
        question: About the whole machine, all rails.
    """
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
    growth = best_growth(_cabling(spec), many)
    if growth is None:
        note = "the machines of its family that were found have fewer switches or other planes"
        return dict.fromkeys(names, Measured(None, "unknown", note))
    grown, plan = growth
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
    plan = best_growth(now, [(grown, then)])
    if plan is None:
        raise ArgumentError(f"{spec} does not grow into {grown}")
    bills = bill_at(spec, prices), bill_at(grown, prices)
    parts = added_parts(
        Offer.of(spec).machine(),
        Offer.of(grown).machine(),
        plan[1].where,
        bills,
        load_prices(prices),
    )
    return growth_text(now, then, plan[1], parts)


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
