"""What is asked of a direct machine, checked before anything is computed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.core.numbers import counted
from hopscape.core.requirement import Requirement
from hopscape.design.conditions import Conditions
from hopscape.design.floorplan import FloorPlan
from hopscape.design.question import ABOVE, CRITERIA, DEFAULT_WEIGHTS, Question, Size, check_growth
from hopscape.design.survival import Survival

__all__ = ["Requirements"]

_FEW = 20  # nodes below which 5 % are less than one node
_MOST_NODES = 1_000_000  # beyond, the search takes hours


@dataclass(frozen=True)
class Requirements(Question):
    """What is asked of a direct machine: nodes and their ports.

    Attributes:
        nodes: Endpoints, each of them at a router of its own.
        ports: Ports of a router that lead to others; its own endpoint is local and needs none.
            (Where `conditions` put several endpoints at a router, which is deprecated, these
            count.)
        size ({'about', 'at least', 'exactly'}): About: up to 12.5 % more, and fewer only by what
            `within` allows. At least: up to 25 % more.
        within: Share of `nodes` that it may differ by.
        regular: Every router must use all its ports.
        cables: At most so many.
        cable_length: At most so many metres in all.
        vcs: Available virtual channels.
        max_hops: Hops between two nodes, at most.
        faults: So many failed nodes must never part the others.
        survive: Failures of nodes ('switches') or links after which a share must remain.
        grow: Nodes that the family must have a larger member for, of the same ports.
        weights: What matters, and how much.
        families: Only these (all when empty).
        conditions: Endpoints per router, floor plan, costs of messages.
    """

    kind = "direct"
    criteria = CRITERIA
    default_weights = DEFAULT_WEIGHTS

    nodes: int
    ports: int
    size: Size = "about"
    within: float | None = None
    regular: bool = False
    cables: int | None = None
    cable_length: float | None = None
    vcs: int | None = None
    faults: int | None = None
    max_hops: int | None = None
    survive: Survival | None = None
    grow: int | None = None
    weights: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_WEIGHTS))
    families: tuple[str, ...] = ()
    conditions: Conditions = field(default_factory=Conditions)

    def __post_init__(self) -> None:
        if not 2 <= self.nodes <= _MOST_NODES:
            raise ArgumentError(f"nodes is {self.nodes}; it must be from 2 to {_MOST_NODES}")
        if not 1 <= self.ports <= 254:
            raise ArgumentError(f"ports is {self.ports}; it must be from 1 to 254")
        self._check_within(self.size == "exactly")
        self._check_ports()
        self._check_parity()
        self._check_budgets()
        check_growth(self.grow, self.high, _MOST_NODES, "node")
        plan = self.conditions.plan
        if plan is not None:
            plan.require(self.routers(self.low))

    @property
    def size_asked(self) -> int:
        return self.nodes

    @property
    def title(self) -> str:
        return f"{self._size_words} {self.nodes} nodes, at most {counted(self.ports, 'port')}"

    @property
    def _size_words(self) -> str:
        return "at least" if self.size == "about" and self.within is None else self.size

    @property
    def short_title(self) -> str:
        return f"{self.nodes} nodes and {counted(self.ports, 'port')}"

    # -- sizes --------------------------------------------------------------------------------

    @property
    def endpoints(self) -> int:
        """Endpoints at every router."""
        return self.conditions.endpoints

    @property
    def low(self) -> int:
        """Fewest endpoints that are welcome."""
        if self.size != "about" or self.within is None:
            return self.nodes
        exact = self.nodes * (1 - self.within)
        return max(2, math.floor(exact) if self.nodes >= _FEW else math.ceil(exact))

    @property
    def high(self) -> int:
        """Most endpoints that are welcome."""
        if self.size == "exactly":
            return self.nodes
        share = self.within
        if share is None:
            share = ABOVE if self.size == "about" else 2 * ABOVE
        return math.ceil(self.nodes * (1 + share))

    def routers(self, endpoints: int) -> int:
        """Routers that so many endpoints need."""
        return math.ceil(endpoints / self.endpoints)

    @property
    def network_ports(self) -> int:
        """Ports of a router that are left for other routers."""
        return self.ports if self.endpoints == 1 else self.ports - self.endpoints

    def asked(self) -> Requirement:
        """What families are asked."""
        each = self.endpoints
        high = self.high // each
        low = min(math.ceil(self.low / each), high)
        target = min(max(round(self.nodes / each), low), high)
        return Requirement(target, low, high, self.network_ports)

    # -- what cannot be -----------------------------------------------------------------------

    def _check_ports(self) -> None:
        each, routers = self.endpoints, self.routers(self.low)
        if each > 1 and self.network_ports < 1:
            raise ArgumentError(
                f"{each} endpoints at a router leave none of its {counted(self.ports, 'port')} for"
                f" other routers; take {self._fewer_endpoints}{each + 2} ports"
            )
        if self.network_ports == 1 and routers > 2:
            most = 2 * each
            raise ArgumentError(
                f"with 1 port for other routers at most {most} nodes can be joined, not"
                f" {self.nodes}; take at least {self.ports + 1} ports (a ring), or {most} nodes"
            )

    @property
    def _fewer_endpoints(self) -> str:
        """How many endpoints leave two ports, if that is any."""
        most = self.ports - 2
        return f"at most {counted(most, 'endpoint')}, or " if most > 0 else ""

    def _check_parity(self) -> None:
        if not self.regular:
            return
        ports, exact = self.network_ports, self.size == "exactly"
        routers = self.routers(self.nodes)
        used = "their one port used" if ports == 1 else f"all {ports} ports used"
        if exact and routers * ports % 2:
            raise ArgumentError(
                f"{routers} routers with {used} have {routers * ports} ends of links, an odd"
                f" number; take {routers - 1} or {routers + 1} routers, or"
                f" {f'{ports - 1} or ' if ports > 1 else ''}{ports + 1} ports"
            )

    def _check_budgets(self) -> None:
        least = self.routers(self.low) - 1
        if self.cables is not None and self.cables < least:
            raise ArgumentError(
                f"{counted(self.cables, 'cable')} cannot join {self.routers(self.low)} routers;"
                f" take at least {least}"
            )
        if self.cables is not None and self.regular:
            need = self.routers(self.low) * self.network_ports // 2
            if self.cables < need:
                raise ArgumentError(
                    f"using all {self.network_ports} ports of {self.routers(self.low)} routers"
                    f" takes {need} cables, more than the {self.cables} allowed"
                )
        if self.cable_length is not None and self.cable_length <= 0:
            raise ArgumentError(f"cable length is {self.cable_length:g} m; it must be above 0")
        if self.max_hops is not None and self.max_hops < 1:
            raise ArgumentError(f"max_hops is {self.max_hops}; it must be at least 1")
        if self.vcs is not None and self.vcs < 1:
            raise ArgumentError(f"vcs is {self.vcs}; a channel has at least 1 virtual channel")
        if self.faults is not None and self.faults >= self.network_ports:
            more = self.ports + self.faults - self.network_ports + 1
            raise ArgumentError(
                f"no network of {counted(self.network_ports, 'port')} survives any"
                f" {counted(self.faults, 'fault')}: a node's neighbours may be those that fail;"
                f" ask for at most {self.network_ports - 1}, or take {more} ports"
            )
        if self.faults is not None and self.faults < 0:
            raise ArgumentError(f"faults is {self.faults}; it must be at least 0")

    def words(self) -> str:
        """The question in a sentence."""
        words = [f"{self._size_words} {self.nodes} nodes ({self.low} to {self.high})"]
        words.append(f"at most {counted(self.ports, 'port')}")
        if self.endpoints > 1:
            words.append(f"{self.endpoints} endpoints per router")
        for value, single, several in (
            (self.cables, "cable at most", "cables at most"),
            (self.cable_length, "m of cable at most", "m of cable at most"),
            (self.vcs, "virtual channel", "virtual channels"),
            (self.faults, "fault to survive", "faults to survive"),
            (self.max_hops, "hop at most", "hops at most"),
        ):
            if value is not None:
                words.append(counted(value, single, several))
        if self.survive is not None:
            words.append(self.survive.demand)
        if self.grow is not None:
            words.append(f"grows to {self.grow:,} nodes")
        weights = ", ".join(f"{name} {weight:g}" for name, weight in self.weights.items() if weight)
        return "; ".join(words) + f". What matters: {weights}."

    def command(self) -> str:
        """The command line that asks for the same.

        Examples:
            >>> Requirements(64, 4, size="exactly", vcs=2).command()
            'hopscape design --nodes 64 --ports 4 --exact --vcs 2'
        """
        usual, given = Conditions(), self.conditions
        words = [f"--nodes {self.nodes}", f"--ports {self.ports}"]
        words += {"exactly": ["--exact"], "at least": ["--at-least"]}.get(self.size, [])
        words += ["--regular"] if self.regular else []
        options: dict[str, Any] = {
            "within": self.within,
            "endpoints-per-router": self.endpoints if self.endpoints > 1 else None,
            "cables": self.cables,
            "cable-length": self.cable_length,
            "floor": None if given.plan is None else given.plan.text,
            "vcs": self.vcs,
            "faults": self.faults,
            "max-hops": self.max_hops,
            "survive": None if self.survive is None else self.survive.text,
            "remaining": None if self.survive is None else self.survive.share or None,
            "grow": self.grow,
            "families": ",".join(self.families) or None,
        }
        for name in ("message", "alpha", "bandwidth", "seed"):
            value = getattr(given, name)
            options[name] = None if value == getattr(usual, name) else value
        return self._command(words, options)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for files."""
        given = self.conditions
        plan: FloorPlan | None = given.plan
        return {
            "nodes": self.nodes,
            "ports": self.ports,
            "size": self.size,
            "low": self.low,
            "high": self.high,
            "regular": self.regular,
            "endpoints_per_router": self.endpoints,
            "floor": None if plan is None else plan.text,
            "cables": self.cables,
            "cable_length": self.cable_length,
            "vcs": self.vcs,
            "faults": self.faults,
            "max_hops": self.max_hops,
            "survive": None if self.survive is None else asdict(self.survive),
            "grow": self.grow,
            "weights": dict(self.weights),
            "families": list(self.families),
            "message": given.message,
            "alpha": given.alpha,
            "bandwidth": given.bandwidth,
            "seed": given.seed,
        }
