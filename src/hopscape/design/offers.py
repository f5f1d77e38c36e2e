"""What the families offer for a switched machine, the fewest switches first.

Families with endpoints of their own offer whole machines. The nodes of others, and those that a
family offers as leaves, become switches with as many endpoints each as it takes; links between
switches are trunks as wide as the ports allow.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hopscape.core.family import Family
from hopscape.core.network import Network
from hopscape.core.requirement import Requirement, moore_mean
from hopscape.design.candidates import fitting
from hopscape.design.machine import Machine
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.metrics.throughput import switch_graph
from hopscape.registry import build, member

__all__ = ["Offer", "family_offers", "lines_needed"]

_MOST_OWN, _MOST_EACH = 16, 3
"""Members that a family proposes: of whole machines, and of graphs for each number of lines."""
_STEP = 1.06
"""A number of endpoints per switch is tried if it takes so many times the switches of the last."""
_FEWEST = 3
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
    """

    base: str
    switches: int
    each: int = 0
    trunk: int = 1
    lines: int = 1
    planes: int = 1
    bound: float = math.inf

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
        return f"planes({inner}, {self.planes})" if self.planes > 1 else inner

    @classmethod
    def of(cls, spec: str) -> Offer:
        """The offer of a spec, as :attr:`spec` writes it.

        Examples:
            >>> Offer.of("planes(concentrated(torus(4, 4), 8, trunk=3), 2)")[:6]
            ('torus(4, 4)', 16, 8, 3, 1, 2)
        """
        found: Any = member(spec)
        planes, each, trunk, lines = 1, 0, 1, 1
        if found.name == "planes":
            planes, found = found.count, found.base.family
        if found.name == "concentrated":
            each, trunk, lines = found.endpoints, found.trunk, found.lines
            found = found.base.family
        elif found.name == "trunked":
            trunk = lines = found.count
            found = found.base.family
        base, switches = Network.of(found).spec, found.switches()
        return cls(
            base, found.order if switches is None else len(switches), each, trunk, lines, planes
        )

    def machine(self) -> Machine:
        """One plane switch by switch, and how often it is there."""
        graph = switch_graph(build(self.base))
        if self.each:
            ends = np.where(graph.ends > 0, self.each, 0).astype(np.int64)
            graph = replace(graph, ends=ends, lines=self.lines, hosted=False, name=self.spec)
        else:
            graph = replace(graph, lines=graph.lines * self.lines, name=self.spec)
        return Machine(graph, self.trunk, self.planes)


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
        low, high = math.ceil(asked.low / taper), math.ceil(asked.high / taper)
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
    high = max(low, asked.high // each)
    ports = asked.radix - each * lines
    answered = 0
    for trunk in _TRUNKS:
        if answered == 2 or (trunk > 1 and ports < 2 * trunk):
            return
        requirement = Requirement(low, low, high, ports // trunk, _MOST_EACH)
        offers = [
            _fitted(spec, found, asked, planes, lines)
            for spec, found in _members(kind, requirement)
            if found.switches() is None or (kind.leaf_endpoints and _lines_of(spec) > 1)
        ]
        yield from (offer for offer in offers if offer is not None)
        answered += any(offers)


def _concentrations(asked: SwitchedRequirements, lines: int) -> list[int]:
    """Endpoints at a switch, most first, that some network might carry; large steps first.

    Machines with more than six times as many switches as the Moore bound asks for do not compete.
    """
    out: list[int] = []
    whole = asked.whole(lines, 1)
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
    if room < degree or nodes * each > asked.high:
        return None
    if found.order == 1 or not degree:
        return Offer(spec, found.order, each, 1, lines, planes)
    trunk = max(1, room // degree)
    share = (nodes - 1) * each / max(1, nodes * each - 1)
    load = each * lines * share * moore_mean(found.order, degree)
    bound = trunk * degree * found.order / nodes / load if load else math.inf
    return Offer(spec, found.order, each, trunk, lines, planes, bound)
