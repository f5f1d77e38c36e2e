"""Requirements: what an architect asks for, checked before anything is computed.

There are two kinds of machine. A direct one has nodes that are routers, each with its endpoint; a
switched one has endpoints at switches. A :class:`Question` is what both have in common.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from hopscape.core.errors import ArgumentError
from hopscape.core.requirement import Requirement
from hopscape.design.conditions import Conditions
from hopscape.design.floorplan import FloorPlan
from hopscape.design.prices import DEFAULT_PRICES, PriceList, load_prices
from hopscape.design.survival import Survival

__all__ = [
    "CRITERIA",
    "DEFAULT_WEIGHTS",
    "LIMITS",
    "ROUTINGS",
    "SWITCHED_CRITERIA",
    "SWITCHED_WEIGHTS",
    "Criterion",
    "Question",
    "Requirements",
    "SwitchedRequirements",
    "parse_weights",
]

Size = Literal["about", "at least", "exactly"]
Kind = Literal["direct", "switched"]

_ABOVE = 0.125  # of the nodes: members of most families come in steps of this size
_FEW = 20  # nodes below which 5 % are less than one node
_MOST_NODES, _MOST_ENDPOINTS = 1_000_000, 200_000  # beyond, the search takes hours
_MOST_RADIX = 254  # ports are numbered in a byte
_MOST_NICS = 64
LIMITS: Mapping[str, str] = {
    "cables": "cables",
    "cable_length": "m of cable",
    "max_hops": "hops between switches",
    "watts_per_rack": "W in a rack",
    "vcs": "virtual channels",
}
"""What a switched machine may have at most, each a column and its words."""
ROUTINGS = ("minimal", "valiant", "adaptive", "optimal")
"""Routings that may be demanded of a switched machine."""


@dataclass(frozen=True)
class Criterion:
    """Something that may matter, and the columns that measure it."""

    name: str
    columns: tuple[str, ...]
    explanation: str


def _criteria(*criteria: Criterion) -> dict[str, Criterion]:
    return {one.name: one for one in criteria}


CRITERIA: Mapping[str, Criterion] = _criteria(
    Criterion("latency", ("hops",), "few hops between endpoints"),
    Criterion("bandwidth", ("throughput",), "uniform all-to-all traffic"),
    Criterion("worst-case", ("worst_permutation",), "permutations of the worst kind"),
    Criterion("broadcast", ("broadcast",), "rounds of a one-port broadcast"),
    Criterion("allreduce", ("allreduce",), "time of an all-reduce of the message"),
    Criterion("cost", ("links", "cable"), "number and length of cables"),
    Criterion("expandability", ("growth",), "growing in small steps"),
)
"""What direct machines are judged by."""

DEFAULT_WEIGHTS: Mapping[str, float] = {
    "latency": 2.0,
    "bandwidth": 2.0,
    "worst-case": 1.0,
    "broadcast": 1.0,
    "allreduce": 1.0,
    "cost": 1.0,
    "expandability": 0.5,
}
"""What matters in a direct machine unless it is said."""

SWITCHED_CRITERIA: Mapping[str, Criterion] = _criteria(
    Criterion("cost", ("money",), "cost of all parts by the price list"),
    Criterion("latency", ("hops",), "few hops between endpoints"),
    Criterion("bandwidth", ("line_throughput",), "share of the line rate, uniform traffic"),
    Criterion("worst-case", ("guaranteed_throughput",), "share of the line rate, any permutation"),
    Criterion("power", ("watts_per_endpoint",), "watts of all parts"),
)
"""What switched machines are judged by."""

SWITCHED_WEIGHTS: Mapping[str, float] = {"cost": 1.0}
"""What matters in a switched machine unless it is said: the cost, among those that do the job."""


def parse_weights(text: str, criteria: Iterable[str] = tuple(CRITERIA)) -> dict[str, float]:
    """Read ``latency=2,cost``; a name without a number weighs 1, names left out 0.

    Args:
        criteria: Those that there are.

    Raises:
        ArgumentError: For another criterion, or a weight that is not a number from 0 up.

    Examples:
        >>> parse_weights("latency=2, cost")
        {'latency': 2.0, 'cost': 1.0}
        >>> parse_weights("cost=2, power", SWITCHED_CRITERIA)
        {'cost': 2.0, 'power': 1.0}
    """
    known = tuple(criteria)
    out: dict[str, float] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        name, _, number = part.partition("=")
        name = name.strip().replace("_", "-")
        if name not in known:
            raise ArgumentError(f"{name!r} is not a criterion; choose from {', '.join(known)}")
        try:
            weight = float(number) if number.strip() else 1.0
        except ValueError:
            weight = -1.0
        if not (math.isfinite(weight) and weight >= 0):
            raise ArgumentError(
                f"the weight of {name} is {number!r}; it must be a number from 0 up"
            )
        out[name] = weight
    if not any(out.values()):
        raise ArgumentError("at least one criterion must weigh more than 0")
    return out


class Question(ABC):
    """What machines of both kinds are asked for.

    Attributes:
        kind ({'direct', 'switched'}): Of machine.
        criteria: What such machines are judged by.
        default_weights: What matters unless it is said.
        within: Share by which the number of endpoints may differ.
        weights: What matters, and how much.
        families: Only these (all when empty).
    """

    kind: ClassVar[Kind]
    criteria: ClassVar[Mapping[str, Criterion]]
    default_weights: ClassVar[Mapping[str, float]]
    within: float | None
    weights: Mapping[str, float]
    families: tuple[str, ...]

    if TYPE_CHECKING:  # fields or properties of the two kinds

        @property
        def conditions(self) -> Conditions: ...

    @property
    @abstractmethod
    def size_asked(self) -> int:
        """Endpoints that are asked for."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The question in a few words, as tables have it."""

    @property
    def short_title(self) -> str:
        """What is to be built, in a few words."""
        return self.title

    @abstractmethod
    def words(self) -> str:
        """The question in a sentence."""

    @abstractmethod
    def command(self) -> str:
        """The command line that asks for the same."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain values, for files."""

    @property
    def criterion_columns(self) -> list[tuple[str, str]]:
        """Criterion and column, for each column of each criterion."""
        return [(one.name, column) for one in self.criteria.values() for column in one.columns]

    def _check_within(self, exact: bool) -> None:
        if self.within is not None and not 0 <= self.within <= 1:
            raise ArgumentError(f"within is {self.within:g}; it must be a share from 0 to 1")
        if self.within is not None and exact:
            raise ArgumentError("--exact and --within contradict each other; give one of them")

    def _command(self, words: list[str], options: dict[str, Any]) -> str:
        """The command line of some words, options that have a value, and weights."""
        if dict(self.weights) != dict(self.default_weights):
            options["matters"] = ",".join(f"{k}={v:g}" for k, v in self.weights.items())
        given = [f"--{name} {value}" for name, value in options.items() if value is not None]
        return " ".join(["hopscape design", *words, *given])


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
        vcs: Virtual channels that there are.
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
        _check_growth(self.grow, self.high, _MOST_NODES, "nodes")
        plan = self.conditions.plan
        if plan is not None:
            plan.require(self.routers(self.low))

    @property
    def size_asked(self) -> int:
        return self.nodes

    @property
    def title(self) -> str:
        return f"{self._size_words} {self.nodes} nodes, at most {self.ports} ports"

    @property
    def _size_words(self) -> str:
        return "at least" if self.size == "about" and self.within is None else self.size

    @property
    def short_title(self) -> str:
        return f"{self.nodes} nodes and {self.ports} ports"

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
            share = _ABOVE if self.size == "about" else 2 * _ABOVE
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
        near = min(max(round(self.nodes / each), low), high)
        return Requirement(near, low, high, self.network_ports)

    # -- what cannot be -----------------------------------------------------------------------

    def _check_ports(self) -> None:
        each, routers = self.endpoints, self.routers(self.low)
        if each > 1 and self.network_ports < 1:
            raise ArgumentError(
                f"{each} endpoints at a router leave {self.network_ports} of its {self.ports} ports"
                f" for other routers; take at most {self.ports - 2} endpoints, or {each + 2} ports"
            )
        if self.network_ports == 1 and routers > 2:
            most = 2 * each
            raise ArgumentError(
                f"with 1 port for other routers at most {most} nodes can be joined, not"
                f" {self.nodes}; take at least {self.ports + 1} ports (a ring), or {most} nodes"
            )

    def _check_parity(self) -> None:
        if not self.regular:
            return
        ports, exact = self.network_ports, self.size == "exactly"
        routers = self.routers(self.nodes)
        if exact and routers * ports % 2:
            raise ArgumentError(
                f"{routers} routers with all {ports} ports used have {routers * ports} ends of"
                f" links, an odd number; take {routers - 1} or {routers + 1} routers, or"
                f" {ports - 1} or {ports + 1} ports"
            )

    def _check_budgets(self) -> None:
        least = self.routers(self.low) - 1
        if self.cables is not None and self.cables < least:
            raise ArgumentError(
                f"{self.cables} cables cannot join {self.routers(self.low)} routers; it takes at"
                f" least {least}"
            )
        if self.cables is not None and self.regular:
            need = self.routers(self.low) * self.network_ports // 2
            if self.cables < need:
                raise ArgumentError(
                    f"using all {self.network_ports} ports of {self.routers(self.low)} routers"
                    f" takes {need} cables, more than the {self.cables} allowed"
                )
        if self.cable_length is not None and self.cable_length <= 0:
            raise ArgumentError(f"cable length is {self.cable_length} m; it must be above 0")
        if self.max_hops is not None and self.max_hops < 1:
            raise ArgumentError(f"max_hops is {self.max_hops}; it must be at least 1")
        if self.vcs is not None and self.vcs < 1:
            raise ArgumentError(f"vcs is {self.vcs}; a channel has at least 1 virtual channel")
        if self.faults is not None and self.faults >= self.network_ports:
            more = self.ports + self.faults - self.network_ports + 1
            raise ArgumentError(
                f"no network of {self.network_ports} ports survives any {self.faults} faults: a"
                f" node's neighbours may be those that fail; ask for at most"
                f" {self.network_ports - 1}, or take {more} ports"
            )
        if self.faults is not None and self.faults < 0:
            raise ArgumentError(f"faults is {self.faults}; it must be at least 0")

    def words(self) -> str:
        """The question in a sentence."""
        words = [f"{self._size_words} {self.nodes} nodes ({self.low} to {self.high})"]
        words.append(f"at most {self.ports} ports")
        if self.endpoints > 1:
            words.append(f"{self.endpoints} endpoints per router")
        for value, noun in (
            (self.cables, "cables at most"),
            (self.cable_length, "m of cable at most"),
            (self.vcs, "virtual channels"),
            (self.faults, "faults to survive"),
            (self.max_hops, "hops at most"),
        ):
            if value is not None:
                words.append(f"{value:g} {noun}")
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


def _check_growth(grow: int | None, high: int, most: int, noun: str) -> None:
    if grow is not None and not high < grow <= most:
        raise ArgumentError(
            f"grow is {grow}; it must be more than the {high:,} {noun} allowed now, and at most"
            f" {most:,}"
        )


def _rate(share: float) -> str:
    """A share of the line rate that is asked for."""
    return "full line rate" if share == 1 else f"{100 * share:g} % of line rate"


@dataclass(frozen=True)
class SwitchedRequirements(Question):
    """What is asked of a switched machine: so many endpoints, joined by switches of a radix.

    Every line counts against the radix of a switch, those to endpoints included.

    Attributes:
        endpoints: At least so many, and up to a quarter more.
        radix: Ports of a switch.
        nics: Lines of an endpoint.
        planes: Separate networks that the lines of an endpoint are spread over; None: one, or as
            many as there are lines, whichever is better.
        throughput: Share of the line rate that every endpoint must get under uniform traffic.
        worst: Share that it must get under any permutation.
        routing: Routing that the shares must hold for: 'minimal' (shortest paths, split evenly),
            'valiant' (over a random switch), 'optimal' (the best fixed split over paths) or
            'adaptive' (of which nothing is proved); None: the better of the first two.
        budget: In the currency of the price list.
        cables, cable_length: At most so many, and so many metres in all, those to endpoints
            included.
        max_hops: Channels between the switches of two endpoints, at most.
        watts_per_rack: Watts of the network's parts in a rack, at most.
        vcs: Virtual channels that the tables handed over may need, at most.
        survive: Failures of switches or links after which a share must remain.
        grow: Endpoints of a larger machine of the same family that meets the same demands on
            shares, hops, channels and failures; the budget, cables and room are those of today.
        island, island_speed: Endpoints that a fast switch of their own joins, which is there
            already, and what each of its channels carries in lines; 1 without islands.
        message, alpha: Bytes of the all-reduce that is timed, and seconds to start a message.
        prices: Name or file of the price list.
        exact: Exactly so many endpoints.
        within: Another share of `endpoints` that there may be more.
        weights: What matters among those that meet all demands.
        families: Only these (all when empty).
        every_family: Look for the cheapest machine of every family, however dear.

    Examples:
        >>> asked = SwitchedRequirements(1024, 64)
        >>> asked.low, asked.high, asked.splits
        (1024, 1280, (1,))
    """

    kind = "switched"
    criteria = SWITCHED_CRITERIA
    default_weights = SWITCHED_WEIGHTS

    endpoints: int
    radix: int
    nics: int = 1
    planes: int | None = None
    throughput: float = 1.0
    worst: float | None = None
    budget: float | None = None
    prices: str = DEFAULT_PRICES
    routing: str | None = None
    exact: bool = False
    within: float | None = None
    plan: FloorPlan | None = None
    weights: Mapping[str, float] = field(default_factory=lambda: dict(SWITCHED_WEIGHTS))
    families: tuple[str, ...] = ()
    every_family: bool = False
    cables: int | None = None
    cable_length: float | None = None
    max_hops: int | None = None
    watts_per_rack: float | None = None
    vcs: int | None = None
    survive: Survival | None = None
    grow: int | None = None
    island: int = 1
    island_speed: int = 9
    message: float = 1e6
    alpha: float = 1e-6

    def __post_init__(self) -> None:
        self._check_numbers()
        self._check_islands()
        _check_growth(self.grow, self.endpoints, _MOST_ENDPOINTS, "endpoints")
        if self.grow is not None and self.grow % self.island:
            raise ArgumentError(
                f"grow is {self.grow}, which islands of {self.island} do not divide; take"
                f" {-(-self.grow // self.island) * self.island}"
            )
        if self.radix < self.nics:
            raise ArgumentError(
                f"radix is {self.radix}, smaller than the {self.nics} lines of one endpoint; take"
                f" switches of at least {self.nics + 1} ports, or fewer nics"
            )
        if self.planes is not None and (self.planes < 1 or self.nics % self.planes):
            fitting = [p for p in range(1, self.nics + 1) if self.nics % p == 0]
            raise ArgumentError(
                f"planes is {self.planes}, which does not divide the {self.nics} lines of an"
                f" endpoint; take one of {', '.join(map(str, fitting))}"
            )
        if self.worst is not None and self.worst > self.throughput:
            raise ArgumentError(
                f"--worst {self.worst:g} is more than --throughput {self.throughput:g}: uniform"
                " traffic is a mixture of permutations, so it gets at least as much; raise"
                " --throughput"
            )
        if self.routing is not None and self.routing not in ROUTINGS:
            raise ArgumentError(
                f"routing is {self.routing!r}; it must be one of {', '.join(ROUTINGS)}"
            )
        if self.routing == "adaptive" and self.worst is not None:
            raise ArgumentError(
                "--worst cannot be promised with --routing adaptive, of which no share is proved;"
                " --simulate measures it, or take minimal, valiant or optimal"
            )
        self.price_list.switch(1)
        _ = self.conditions  # checks what it takes over

    def _check_numbers(self) -> None:
        for name, low, high in (
            ("endpoints", 2, _MOST_ENDPOINTS),
            ("radix", 2, _MOST_RADIX),
            ("nics", 1, _MOST_NICS),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise ArgumentError(f"{name} is {value}; it must be from {low} to {high}")
        for name in ("throughput", "worst"):
            share = getattr(self, name)
            if share is not None and not 0 < share <= 1:
                raise ArgumentError(f"{name} is {share:g}; it must be a share above 0, at most 1")
        if self.budget is not None and not (math.isfinite(self.budget) and self.budget > 0):
            raise ArgumentError(f"budget is {self.budget:g}; it must be above 0")
        for name in LIMITS:
            most = getattr(self, name)
            least = 0 if name == "max_hops" else 1e-9
            if most is not None and not (math.isfinite(most) and most >= least):
                words = "at least 0" if name == "max_hops" else "above 0"
                raise ArgumentError(f"{name} is {most:g}; it must be {words}")
        lines = self.endpoints * self.nics
        if self.cables is not None and self.cables < lines:
            raise ArgumentError(
                f"cables is {self.cables}; the endpoints alone have {lines} lines, each a cable"
            )
        self._check_within(self.exact)

    def _check_islands(self) -> None:
        if not 1 <= self.island <= 1024:
            raise ArgumentError(f"island is {self.island}; it must be from 2 to 1024 endpoints")
        if not 1 <= self.island_speed <= 1000:
            raise ArgumentError(
                f"island_speed is {self.island_speed}; it must be from 1 to 1000 lines"
            )
        if self.endpoints % self.island:
            near = self.endpoints // self.island * self.island
            sizes = [size for size in (near, near + self.island) if size]
            raise ArgumentError(
                f"{self.endpoints} endpoints cannot be islands of {self.island}; take"
                f" {' or '.join(map(str, sizes))}"
            )
        if self.endpoints == self.island > 1:
            raise ArgumentError(
                f"island is {self.island}: all {self.endpoints} endpoints; there is nothing to join"
            )
        if self.island > 1 and self.routing == "optimal":
            raise ArgumentError(
                "--routing optimal is not computed of islands; take minimal or valiant"
            )

    # -- sizes --------------------------------------------------------------------------------

    @property
    def rail_splits(self) -> tuple[int, ...]:
        """Numbers of rails to look at: those over which an island can be spread evenly."""
        least = 2  # endpoints of a rail
        return tuple(
            rails
            for rails in range(1, self.island + 1)
            if self.island % rails == 0 and self.endpoints // rails >= least
        )

    def of_rail(self, rails: int) -> SwitchedRequirements:
        """What one of so many rails must do: see `Machine.uniform_share` and `worst_share`."""
        if rails == 1:
            return self
        ends = self.endpoints
        share = self.throughput * (ends - rails) / (ends - 1)
        worst = None if self.worst is None else min(self.worst, share)
        return replace(
            self, endpoints=ends // rails, throughput=share, worst=worst, island=1,
            cables=None, cable_length=None, grow=None,
        )  # fmt: skip

    @property
    def ports(self) -> int:
        """Ports of a switch that can be bought: the radix, or the largest of the price list."""
        return min(self.radix, int(max(item.size for item in self.price_list.switches)))

    def grown(self) -> SwitchedRequirements:
        """The question about the machine that this one must be able to become."""
        assert self.grow is not None
        return replace(
            self, endpoints=self.grow, grow=None, budget=None, cables=None, cable_length=None,
            watts_per_rack=None, plan=None,
        )  # fmt: skip

    @property
    def low(self) -> int:
        """Fewest endpoints that are welcome."""
        return self.endpoints

    @property
    def high(self) -> int:
        """Most endpoints that are welcome."""
        if self.exact:
            return self.endpoints
        return math.ceil(
            self.endpoints * (1 + (2 * _ABOVE if self.within is None else self.within))
        )

    @property
    def room(self) -> int:
        """Most endpoint ports of a machine that is looked at; those not asked for stay free."""
        return max(self.high, math.ceil(self.endpoints * (1 + 2 * _ABOVE)))

    @property
    def splits(self) -> tuple[int, ...]:
        """Numbers of planes to look at."""
        if self.planes is not None:
            return (self.planes,)
        return tuple(sorted({1, self.nics}))

    @cached_property
    def price_list(self) -> PriceList:
        """The list, read once."""
        return load_prices(self.prices)

    @property
    def conditions(self) -> Conditions:
        """What the hand-over depends on besides the network."""
        return Conditions(
            plan=self.plan, prices=self.prices, routing=self.routing, message=self.message,
            alpha=self.alpha, bandwidth=self.price_list.rate * 1e9 / 8,
        )  # fmt: skip

    def without(self, *names: str) -> SwitchedRequirements:
        """The same question without some of its limits."""
        given: dict[str, Any] = {one.name: getattr(self, one.name) for one in fields(self)}
        return type(self)(**(given | dict.fromkeys(names)))

    def whole(self, lines: int, most: int) -> Requirement:
        """What families with endpoints of their own are asked, for planes of so many lines each."""
        return Requirement(
            self.endpoints,
            self.low,
            self.room,
            self.ports // lines,
            most,
            self.throughput,
            spare=self.spare,
        )

    @property
    def spare(self) -> int:
        """Failures that a machine may have to have parts for."""
        return 0 if self.survive is None else max(self.survive.switches, self.survive.links)

    # -- texts --------------------------------------------------------------------------------

    @property
    def size_asked(self) -> int:
        return self.endpoints

    @property
    def title(self) -> str:
        text = f"{self.endpoints} endpoints, switches of {self.radix} ports"
        return text + (f", {self.nics} lines each" if self.nics > 1 else "")

    def words(self) -> str:
        """The question in a sentence."""
        size = "exactly" if self.exact else f"{self.low} to"
        lines = "one link per endpoint" if self.nics == 1 else f"{self.nics} links per endpoint"
        parts = [f"{size} {self.high} endpoints, {lines}"]
        parts.append(f"switches of {self.radix} ports, endpoint ports count")
        parts.append(f"{_rate(self.throughput)} under uniform traffic")
        if self.worst is not None:
            parts.append(f"{_rate(self.worst)} under every permutation")
        if self.routing is not None:
            parts.append(f"{self.routing} routing")
        if self.budget is not None:
            parts.append(f"at most {self.budget:,.0f} {self.price_list.currency}")
        for name, noun in LIMITS.items():
            if getattr(self, name) is not None:
                parts.append(f"at most {getattr(self, name):,g} {noun}")
        if self.survive is not None:
            parts.append(self.survive.demand)
        if self.grow is not None:
            parts.append(f"grows to {self.grow:,} endpoints")
        if self.island > 1:
            parts.append(
                f"islands of {self.island} with a switch of {self.island_speed} lines each"
            )
        parts.append(f"prices: {self.price_list.name}")
        return "; ".join(parts) + "."

    def command(self) -> str:
        """The command line that asks for the same.

        Examples:
            >>> SwitchedRequirements(1024, 64, throughput=0.5, families=("torus",)).command()
            'hopscape design --endpoints 1024 --radix 64 --throughput 0.5 --families torus'
        """
        words = [f"--endpoints {self.endpoints}", f"--radix {self.radix}"]
        words += ["--exact"] if self.exact else []
        options: dict[str, Any] = {
            "nics": self.nics if self.nics > 1 else None,
            "planes": self.planes,
            "throughput": None if self.throughput == 1 else self.throughput,
            "worst": self.worst,
            "routing": self.routing,
            "budget": self.budget,
            "prices": None if self.prices == DEFAULT_PRICES else self.prices,
            **{name.replace("_", "-"): getattr(self, name) for name in LIMITS},
            "survive": None if self.survive is None else self.survive.text,
            "remaining": None if self.survive is None else self.survive.share or None,
            "grow": self.grow,
            "island": self.island if self.island > 1 else None,
            "island-speed": self.island_speed if self.island > 1 else None,
            "message": None if self.message == Conditions().message else self.message,
            "alpha": None if self.alpha == Conditions().alpha else self.alpha,
            "within": self.within,
            "floor": None if self.plan is None else self.plan.text,
            "families": ",".join(self.families) or None,
        }
        return self._command(words, options)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for files."""
        return {
            "machine": "switched",
            "endpoints": self.endpoints,
            "radix": self.radix,
            "nics": self.nics,
            "planes": self.planes,
            "throughput": self.throughput,
            "worst": self.worst,
            "routing": self.routing,
            "budget": self.budget,
            "prices": self.prices,
            "currency": self.price_list.currency,
            "low": self.low,
            "high": self.high,
            **{name: getattr(self, name) for name in LIMITS},
            "survive": None if self.survive is None else asdict(self.survive),
            "grow": self.grow,
            "island": self.island,
            "island_speed": self.island_speed,
            "message": self.message,
            "alpha": self.alpha,
            "floor": None if self.plan is None else self.plan.text,
            "weights": dict(self.weights),
            "families": list(self.families),
        }
