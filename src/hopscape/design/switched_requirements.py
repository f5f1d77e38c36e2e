"""What is asked of a switched machine, checked before anything is computed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.core.numbers import counted
from hopscape.core.requirement import Requirement
from hopscape.design.conditions import Conditions
from hopscape.design.floorplan import FloorPlan
from hopscape.design.prices import DEFAULT_PRICES, PriceList, load_prices
from hopscape.design.question import (
    ABOVE,
    LIMITS,
    ROUTINGS,
    SWITCHED_CRITERIA,
    SWITCHED_WEIGHTS,
    Question,
    check_growth,
    rate_words,
)
from hopscape.design.survival import Survival

__all__ = ["SwitchedRequirements"]

_MOST_ENDPOINTS = 200_000  # beyond, the search takes hours
_MOST_RADIX = 254  # ports are numbered in a byte
_MOST_NICS = 64


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
        check_growth(self.grow, self.endpoints, _MOST_ENDPOINTS, "endpoint")
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
            raise ArgumentError(self._wrong_planes())
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

    def _wrong_planes(self) -> str:
        """Why the lines of an endpoint cannot be spread over so many planes, and what can be."""
        assert self.planes is not None
        if not 1 <= self.planes <= _MOST_NICS:
            return f"planes is {self.planes}; it must be from 1 to {_MOST_NICS}"
        if self.nics == 1:
            return (
                f"planes is {self.planes}, but an endpoint has one line, which leads into one"
                f" plane; take nics {self.planes}, a line into each"
            )
        fitting = [str(p) for p in range(1, self.nics + 1) if self.nics % p == 0]
        return (
            f"planes is {self.planes}, which does not divide the {self.nics} lines of an endpoint;"
            f" take {', '.join(fitting[:-1])} or {fitting[-1]}"
        )

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
                f"cables is {self.cables}; the lines of the endpoints alone are {lines} cables, so"
                " take more"
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
            below = self.endpoints // self.island * self.island
            sizes = [size for size in (below, below + self.island) if size]
            raise ArgumentError(
                f"{self.endpoints} endpoints cannot be islands of {self.island}; take"
                f" {' or '.join(map(str, sizes))} endpoints"
            )
        if self.endpoints == self.island > 1:
            raise ArgumentError(
                f"island is {self.island}, which is all {self.endpoints} endpoints and leaves"
                " nothing to join; take smaller islands or more endpoints"
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
        return math.ceil(self.endpoints * (1 + (2 * ABOVE if self.within is None else self.within)))

    @property
    def room(self) -> int:
        """Most endpoint ports of a machine that is looked at; those not asked for stay free."""
        return max(self.high, math.ceil(self.endpoints * (1 + 2 * ABOVE)))

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
        size = "exactly" if self.low == self.high else f"{self.low} to"
        lines = "one link per endpoint" if self.nics == 1 else f"{self.nics} links per endpoint"
        parts = [f"{size} {self.high} endpoints, {lines}"]
        parts.append(f"switches of {self.radix} ports, endpoint ports count")
        parts.append(f"{rate_words(self.throughput)} under uniform traffic")
        if self.worst is not None:
            parts.append(f"{rate_words(self.worst)} under every permutation")
        if self.routing is not None:
            parts.append(f"{self.routing} routing")
        if self.budget is not None:
            parts.append(f"at most {self.budget:,.0f} {self.price_list.currency}")
        for name, noun in LIMITS.items():
            if getattr(self, name) is not None:
                parts.append(f"at most {counted(getattr(self, name), *noun)}")
        if self.survive is not None:
            parts.append(self.survive.demand)
        if self.grow is not None:
            parts.append(f"grows to {self.grow:,} endpoints")
        if self.island > 1:
            parts.append(
                f"islands of {self.island} with a switch of {counted(self.island_speed, 'line')}"
                " each"
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
