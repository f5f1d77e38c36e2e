"""Switched machines cheaper than the designer's answer, looked for by a search of its own.

    python benchmarks/design_adversary.py 17 18 19
    python benchmarks/design_adversary.py 17-33 --moves 4000

Each seed is a request by lot: endpoints, radix, taper, a share for any permutation, failures to
survive, hops, lines, islands, a price list. Rivals are members of families with parameters in wide
ranges, endpoints dealt evenly; and machines with the same neighbours in which endpoints, widths of
trunks and spare ports are moved by lot wherever that makes the parts cheaper. What meets the
demands and costs less than the answer, placed and priced, is printed.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.errors import HopscapeError
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement, moore_mean
from hopscape.design import Survival, SwitchedRequirements, design
from hopscape.design.bill import priced
from hopscape.design.machine import Machine, machine_figures
from hopscape.design.offers import Offer
from hopscape.design.prices import PriceList
from hopscape.design.ranking import SLACK, misses
from hopscape.design.survival import survived
from hopscape.families.concentrated import Planes, Rails
from hopscape.metrics.throughput import SwitchGraph
from hopscape.registry import all_families, build, family

_BUILT = 120
"""Rivals of a request that are built, those whose parts cost least first."""
_STARTS = 4  # from which endpoints and trunks are moved by lot
_CENT = 0.01


def request(seed: int, families: tuple[str, ...] = ()) -> SwitchedRequirements:
    """A request by lot, small enough to search."""
    draw = random.Random(seed)
    radix = draw.choice([8, 12, 16, 24, 32, 48])
    ends = draw.randint(radix + 1, 8 * radix)
    share = draw.choice([1.0, 1.0, 0.75, 0.5, 0.5, 1 / 3, 0.25])
    given: dict[str, Any] = {"throughput": share}
    if draw.random() < 0.3:
        given["worst"] = draw.choice([share, share / 2])
    if draw.random() < 0.15:
        given["survive"] = Survival.parse(draw.choice(["switches=1", "links=1"]), share / 2)
    if draw.random() < 0.15:
        given["max_hops"] = draw.choice([1, 2, 3])
    if draw.random() < 0.15:
        given["nics"] = 2
    elif draw.random() < 0.15:
        given["island"] = draw.choice([4, 8])
        ends += -ends % given["island"]
    given["prices"] = draw.choice(["default", "default", "hammingmesh", "400g", "800g"])
    if "worst" not in given and "survive" not in given and draw.random() < 0.4:  # a taper
        down, up = draw.choice([(2, 1), (3, 1), (3, 2), (4, 3), (5, 2), (7, 4)])
        given["throughput"] = up / down
    return SwitchedRequirements(ends, radix, families=families, **given)


class Rival(NamedTuple):
    """A machine, and the least that it costs by its parts."""

    floor: float
    offer: Offer


@dataclass(frozen=True)
class Parts:
    """The least that parts cost, for one plane of one rail and all its copies.

    Attributes:
        asked: Of a rail.
        island: Endpoints of an island of the whole machine.
    """

    asked: SwitchedRequirements
    prices: PriceList
    lines: int
    planes: int
    rails: int
    island: int

    def box(self, ports: int) -> float:
        """A switch; infinite where there is none so large."""
        if ports > self.asked.ports:
            return math.inf
        return self.prices.switch(max(1, ports)).price

    def cost(self, ports: Iterable[int], cables: float) -> float:
        """Switches with so many ports, and cables between them."""
        ends = self.asked.endpoints * self.lines
        cable = min(item.price for item in self.prices.cables)
        boxes = sum(self.box(int(p)) for p in ports)
        plane = boxes + (cables + ends) * cable
        return self.rails * self.planes * (plane + ends * self.prices.nic.price)

    def even(self, switches: int, degree: int) -> float:
        """Endpoints dealt evenly to switches that are joined to as many others each."""
        few, more = divmod(self.asked.endpoints, switches)
        ports = [(few + (i < more)) * self.lines + degree for i in range(switches)]
        return self.cost(ports, switches * degree / 2)


def bases(n: int, degree: int, draw: random.Random, names: Collection[str]) -> Iterator[str]:
    """Networks of n switches, each joined to so many others, of these families; of all if empty."""
    found = _bases(n, degree, draw, names or all_families())
    return (spec for spec in found if not names or spec.split("(")[0] in names)


def _bases(n: int, degree: int, draw: random.Random, names: Collection[str]) -> Iterator[str]:
    if degree == n - 1:
        yield f"complete({n})"
    for axes in (2, 3):
        for sides in _factors(n, axes):
            for links in itertools.product(range(1, 7), repeat=axes):
                if sum((a - 1) * k for a, k in zip(sides, links, strict=True)) == degree:
                    yield f"hyperx({sides}, p=0, links={links})"
            if min(sides) > 2 and 2 * axes == degree:
                yield f"torus{sides}"
    if degree % 2 == 0 and degree < n - 1:
        steps = range(1, (n + 1) // 2)
        for chosen in [steps[: degree // 2], draw.sample(steps, degree // 2)]:
            yield f"circulant({n}, {', '.join(map(str, sorted(chosen)))})"
    if 2 < degree < n - 1 and n * degree % 2 == 0:
        yield from (f"random_regular({n}, {degree}, seed={seed})" for seed in range(2))
    for a in range(2, min(n, degree + 1)):
        if n % a == 0 and n // a <= a * (degree + 1 - a) + 1:
            yield f"dragonfly({a}, {degree + 1 - a}, p=0, groups={n // a})"
    for kind in map(family, sorted(names)):
        found = kind.members(Requirement(n, n, n, degree, 3))
        yield from (spec for spec in itertools.islice(found, 6) if "p=" not in spec)


def _factors(n: int, axes: int) -> Iterator[tuple[int, ...]]:
    if axes == 1:
        yield (n,)
        return
    for side in range(2, n // 2 + 1):
        if n % side == 0:
            yield from ((side, *rest) for rest in _factors(n // side, axes - 1) if rest[0] >= side)


def regular(parts: Parts, below: float, draw: random.Random) -> Iterator[Rival]:
    """Switches with endpoints dealt evenly, trunks of one width."""
    asked, lines = parts.asked, parts.lines
    ends, radix = asked.endpoints, asked.ports
    for n in range(2, ends + 1):
        each = -(-ends // n)
        most = radix - each * lines
        if parts.even(n, min(1, n - 1)) >= below and n > 2 * ends * lines / radix:
            break
        for degree in range(1, min(n - 1, most) + 1):
            hops = moore_mean(n, degree) * (n - 1) / n
            least = math.ceil(0.98 * asked.throughput * ends * lines / n * hops / degree)
            widths = [t for t in range(max(1, least), most // degree + 1)
                      if parts.even(n, degree * t) < below]  # fmt: skip
            for base in bases(n, degree, draw, asked.families) if widths else ():
                for trunk in widths:
                    count = 0 if n * each == ends else ends
                    offer = Offer(base, n, each, trunk, lines, parts.planes, populated=count)
                    yield Rival(parts.even(n, degree * trunk), offer)


def trees(parts: Parts, below: float) -> Iterator[Rival]:
    """Leaf-spines and trees of three levels, as narrow as the taper allows."""
    asked = parts.asked
    ends, radix, share = asked.endpoints, asked.ports // parts.lines, asked.throughput
    if parts.lines > 1:
        return
    for leaves, spines in itertools.product(range(2, radix + 1), range(1, radix)):
        each = -(-ends // leaves)
        for k in range(1, radix // leaves + 1):
            if each + spines * k > radix or spines * k < share * each * (1 - each / ends):
                continue
            few, more = divmod(ends, leaves)
            ports = [few + (i < more) + spines * k for i in range(leaves)]
            floor = parts.cost([*ports, *[leaves * k] * spines], leaves * spines * k)
            if floor < below:
                base = f"leaf_spine({leaves}, {spines}, {each}, links={k})"
                count = 0 if leaves * each == ends else ends
                yield Rival(floor, Offer(base, leaves + spines, planes=parts.planes,
                                         populated=count))  # fmt: skip
    for m2, m3 in itertools.product(range(1, radix), range(2, radix + 1)):
        m1 = -(-ends // (m2 * m3))
        if m1 >= radix or m1 * m2 * m3 > 2 * ends:
            continue
        for w2, l2 in itertools.product(range(1, radix - m1 + 1), range(1, radix // m2 + 1)):
            if m1 + w2 * l2 > radix or w2 * l2 < share * m1 * (1 - m1 / ends):
                continue
            pod = m1 * m2
            for l3 in range(1, radix // m3 + 1):
                need = share * pod * (1 - pod / ends) / (w2 * l3)
                w3 = max(1, math.ceil(need - SLACK))
                if m2 * l2 + w3 * l3 > radix:
                    continue
                ports = [m1 + w2 * l2] * (m2 * m3) + [m2 * l2 + w3 * l3] * (m3 * w2)
                links = m2 * m3 * w2 * l2 + m3 * w2 * w3 * l3
                floor = parts.cost([*ports, *[m3 * l3] * (w2 * w3)], links)
                if floor < below:
                    base = f"xgft([{m1}, {m2}, {m3}], [1, {w2}, {w3}], links=[1, {l2}, {l3}])"
                    count = 0 if m1 * m2 * m3 == ends else ends
                    yield Rival(floor, Offer(base, len(ports), planes=parts.planes,
                                             populated=count))  # fmt: skip


def meets(asked: SwitchedRequirements, offer: Offer) -> float:
    """What a rival costs; infinite when it does not meet the demands."""
    network, machine = build(offer.spec), offer.machine()
    found = machine_figures(machine, network, asked.price_list, routing=asked.routing,
                            spec=offer.router_of)  # fmt: skip
    if asked.survive is not None and not misses(found, asked):
        left = survived(machine.flow, machine.planes * machine.rails, asked.survive)
        found |= {"survived_throughput": left.share}
    return math.inf if misses(found, asked) else float(found["money"].value)


# -- endpoints and trunks moved by lot ------------------------------------------------------------


@dataclass
class Loose:
    """Switches whose endpoints and trunks may be moved: widths of the links of a graph."""

    parts: Parts
    tails: np.ndarray
    heads: np.ndarray
    width: np.ndarray
    ends: np.ndarray
    hosts: np.ndarray
    """Which switches may have endpoints."""

    @classmethod
    def of(cls, parts: Parts, machine: Machine) -> Loose:
        """The graph of a machine, its parallel links together."""
        graph = machine.graph
        once = graph.tails < graph.heads
        keys = graph.tails[once] * graph.order + graph.heads[once]
        pairs, width = np.unique(keys, return_counts=True)
        tails, heads = np.divmod(pairs, graph.order)
        return cls(parts, tails, heads, width * machine.trunk, graph.ends.copy(), graph.ends > 0)

    @property
    def ports(self) -> np.ndarray:
        n = len(self.ends)
        between = np.bincount(self.tails, self.width, n) + np.bincount(self.heads, self.width, n)
        return (between + self.ends * self.parts.lines).astype(np.int64)

    @property
    def cost(self) -> float:
        return self.parts.cost(self.ports, int(self.width.sum()))

    def links(self) -> tuple[np.ndarray, np.ndarray]:
        """Both ends of every cable."""
        return np.repeat(self.tails, self.width), np.repeat(self.heads, self.width)

    def graph(self) -> SwitchGraph:
        """Cable by cable."""
        a, b = self.links()
        tails, heads = np.concatenate([a, b]), np.concatenate([b, a])
        order = np.argsort(tails, kind="stable")
        indptr = np.concatenate([[0], np.cumsum(np.bincount(tails, minlength=len(self.ends)))])
        speeds = np.ones(len(heads))
        return SwitchGraph(indptr, heads[order], speeds, self.ends.copy(), self.parts.lines)

    def carries(self) -> bool:
        """Uniform traffic, and by Valiant's routing or uplinks any permutation."""
        asked = self.parts.asked
        try:
            graph = self.graph()
            if graph.uniform().throughput < asked.throughput - SLACK:
                return False
        except HopscapeError:
            return False
        return True

    def holds(self) -> bool:
        """The other demands."""
        asked, graph = self.parts.asked, self.graph()
        if asked.worst and float(graph.guaranteed().value or 0) < asked.worst - SLACK:
            return False
        if asked.max_hops is not None and int(graph.farthest().value or 0) > asked.max_hops:
            return False
        if asked.survive is None:
            return True
        left = survived(graph, self.parts.planes, asked.survive).share
        return bool(left.low and left.low >= asked.survive.share - SLACK)

    def price(self) -> float:
        """Of all planes and rails, placed in one room."""
        a, b = self.links()
        lines, parts = self.parts.lines, self.parts
        first = int(self.ends.sum())
        owner = first + np.repeat(np.repeat(np.arange(len(self.ends)), self.ends), lines)
        network = Network.from_links(
            first + len(self.ends),
            np.concatenate([np.repeat(np.arange(first), lines), first + a]),
            np.concatenate([owner, first + b]),
            switches=np.arange(first, first + len(self.ends)),
        )
        if parts.planes > 1:
            network = Network.of(Planes(network, parts.planes))
        if parts.rails > 1:
            network = Network.of(Rails(network, parts.rails, parts.island))
        return float(priced(network, None, parts.prices)[1].cost)

    def moved(self, draw: random.Random) -> Loose:
        """A copy with something moved."""
        width, ends = self.width.copy(), self.ends.copy()
        sites = np.flatnonzero(self.hosts)
        kind = draw.random()
        if kind < 0.45 and len(sites) > 1:
            a, b = draw.sample(sites.tolist(), 2)
            many = min(int(ends[a]), draw.choice([1, 1, 1, 2, 4, 8]))
            ends[a] -= many
            ends[b] += many
        elif kind < 0.8:
            i = draw.randrange(len(width))
            width[i] = max(1, width[i] - draw.choice([1, 1, 2]))
        elif kind < 0.9:
            width[draw.randrange(len(width))] += 1
        else:
            i, j = draw.randrange(len(width)), draw.randrange(len(width))
            if width[i] > 1:
                width[i] -= 1
                width[j] += 1
        return replace(self, width=width, ends=ends)

    def smooth(self) -> float:
        """The cost, and a little of what it would be if boxes could be divided."""
        box = self.parts.box(self.parts.asked.ports) / self.parts.asked.ports
        ports = self.ports
        squares = float((ports.astype(float) ** 2).sum()) / self.parts.asked.ports
        return self.cost + 0.2 * box * int(ports.sum()) - 0.05 * box * squares


def shaken(
    start: Loose, below: float, moves: int, draw: random.Random
) -> tuple[float, Loose | None]:
    """The cheapest machine that simulated annealing finds below a cost."""
    best: tuple[float, Loose | None] = (below, None)
    here, score = start, start.smooth()
    step = 0.02 * below
    for i in range(moves):
        heat = step * (1 - i / moves) ** 2 + 1e-9
        other = here.moved(draw)
        cost = other.smooth()
        if not math.isfinite(cost) or cost > score + heat * -math.log(1 - draw.random()):
            continue
        if not other.carries():
            continue
        here, score = other, cost
        if (
            other.cost < best[0] - _CENT
            and other.holds()
            and (price := other.price()) < best[0] - _CENT
        ):
            best = (price, other)
    return best


# -- the whole search -----------------------------------------------------------------------------


def attack(asked: SwitchedRequirements, seed: int, moves: int) -> list[str]:
    """Lines about an answer and its rivals."""
    begun = time.process_time()
    try:
        best = design(asked).best
    except HopscapeError as error:
        return [f"{seed}: {asked.command()}", f"    refused: {error}"]
    answer = float(best.value("money"))
    spent = time.process_time() - begun
    lines = [
        f"{seed}: {asked.command()}",
        f"    answer  {answer:>12,.2f}  {best.spec}  ({spent:.0f} s)",
    ]
    draw, found = random.Random(seed), answer
    begun = time.process_time()
    count, looks = 0, 0
    for rails, planes in itertools.product(asked.rail_splits, asked.splits):
        rail = asked.of_rail(rails)
        parts = Parts(rail, asked.price_list, asked.nics // planes, planes, rails, asked.island)
        rivals = [*regular(parts, found, draw), *trees(parts, found)]
        rivals = sorted({one.offer.spec: one for one in rivals}.values())
        count += len(rivals)
        starts: dict[str, Loose] = {}
        for one in rivals[:_BUILT]:
            offer = one.offer
            if one.floor >= found - _CENT:
                break
            try:
                machine = offer.machine()
                looks += 1
                share = machine.flow.uniform().throughput
                if share > 0.85 * rail.throughput and not machine.graph.hosted:
                    starts.setdefault(offer.base.split("(")[0], Loose.of(parts, machine))
                if share < rail.throughput - SLACK or machine.endpoints != rail.endpoints:
                    continue
                if rails > 1:
                    offer = offer._replace(rails=rails, island=asked.island,
                                           speed=asked.island_speed)  # fmt: skip
                cost = meets(asked, offer)
            except HopscapeError:
                continue
            if cost < found - _CENT:
                found = cost
                lines.append(f"  CHEAPER {cost:>12,.2f}  {offer.spec}")
        own = Offer.of(best.spec)
        if moves and (own.rails, own.planes) == (rails, planes):
            machine = own._replace(rails=1, planes=1).machine()
            if not machine.graph.hosted:
                starts = {"the answer": Loose.of(parts, machine), **starts}
        for name, start in list(starts.items())[: _STARTS if moves else 0]:
            if len(start.width) == 0:
                continue
            cost, loose = shaken(start, found, moves, draw)
            if loose is not None:
                found = cost
                links = [f"{a}-{b}x{w}" for a, b, w in
                         zip(loose.tails, loose.heads, loose.width, strict=True)]  # fmt: skip
                lines.append(f"  MOVED   {cost:>12,.2f}  from {name}: ends {loose.ends.tolist()}, "
                             f"{' '.join(links[:40])}")  # fmt: skip
    spent = time.process_time() - begun
    less = f", {100 * (1 - found / answer):.1f} % less" if found < answer else ""
    lines.append(f"    {count} rivals, {looks} built ({spent:.0f} s){less}")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seeds", nargs="+", help="numbers, or ranges such as 17-33")
    parser.add_argument("--moves", type=int, default=1500, help="by lot, from each start")
    parser.add_argument("--families", default="", help="ask for these alone, and look among them")
    given = parser.parse_args()
    families = tuple(filter(None, given.families.split(",")))
    for text in given.seeds:
        first, _, last = text.partition("-")
        for seed in range(int(first), int(last or first) + 1):
            print(*attack(request(seed, families), seed, given.moves), sep="\n", flush=True)


if __name__ == "__main__":
    main()
