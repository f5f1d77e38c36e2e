"""What is asked of a switched machine: endpoints, radix, lines, throughput, budget."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.core.requirement import Requirement
from hopscape.design.conditions import Conditions
from hopscape.design.floorplan import FloorPlan
from hopscape.design.prices import DEFAULT_PRICES, PriceList, load_prices

__all__ = ["SWITCHED_WEIGHTS", "SwitchedRequirements"]

_ABOVE = 0.25
_MOST_ENDPOINTS = 200_000
_MOST_RADIX = 254
_MOST_NICS = 64

SWITCHED_WEIGHTS: Mapping[str, float] = {"cost": 1.0}
"""What matters in a switched machine unless it is said: the cost, among those that do the job."""


@dataclass(frozen=True)
class SwitchedRequirements:
    """What is asked for: so many endpoints, joined by switches of a radix.

    Every line counts against the radix of a switch, those to endpoints included.

    Attributes:
        endpoints: At least so many, and up to a quarter more.
        radix: Ports of a switch.
        nics: Lines of an endpoint.
        planes: Separate networks that the lines of an endpoint are spread over; None: one, or as
            many as there are lines, whichever is better.
        throughput: Share of the line rate that every endpoint must get under uniform traffic.
        worst: Share that it must get under any permutation.
        budget: In the currency of the price list.
        prices: Name or file of the price list.
        exact: Exactly so many endpoints.
        within: Another share of `endpoints` that there may be more.
        weights: What matters among those that meet all demands.
        families: Only these (all when empty).

    Examples:
        >>> asked = SwitchedRequirements(1024, 64)
        >>> asked.low, asked.high, asked.splits
        (1024, 1280, (1,))
    """

    endpoints: int
    radix: int
    nics: int = 1
    planes: int | None = None
    throughput: float = 1.0
    worst: float | None = None
    budget: float | None = None
    prices: str = DEFAULT_PRICES
    exact: bool = False
    within: float | None = None
    plan: FloorPlan | None = None
    weights: Mapping[str, float] = field(default_factory=lambda: dict(SWITCHED_WEIGHTS))
    families: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._check_numbers()
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
        self.price_list.switch(1)

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
        if self.within is not None and not 0 <= self.within <= 1:
            raise ArgumentError(f"within is {self.within:g}; it must be a share from 0 to 1")
        if self.within is not None and self.exact:
            raise ArgumentError("--exact and --within contradict each other; give one of them")

    # -- sizes --------------------------------------------------------------------------------

    @property
    def low(self) -> int:
        """Fewest endpoints that are welcome."""
        return self.endpoints

    @property
    def high(self) -> int:
        """Most endpoints that are welcome."""
        if self.exact:
            return self.endpoints
        return math.ceil(self.endpoints * (1 + (_ABOVE if self.within is None else self.within)))

    @property
    def splits(self) -> tuple[int, ...]:
        """Numbers of planes to look at."""
        if self.planes is not None:
            return (self.planes,)
        return tuple(sorted({1, self.nics}))

    @property
    def price_list(self) -> PriceList:
        return load_prices(self.prices)

    @property
    def conditions(self) -> Conditions:
        """What the hand-over depends on besides the network."""
        return Conditions(plan=self.plan)

    def whole(self, lines: int, most: int) -> Requirement:
        """What families with endpoints of their own are asked, for planes of so many lines each."""
        return Requirement(
            self.endpoints, self.low, self.high, self.radix // lines, most, self.throughput
        )

    # -- texts --------------------------------------------------------------------------------

    @property
    def title(self) -> str:
        text = f"{self.endpoints} endpoints, switches of {self.radix} ports"
        return text + (f", {self.nics} lines each" if self.nics > 1 else "")

    def words(self) -> str:
        """The question in a sentence."""
        size = "exactly" if self.exact else f"{self.low} to {self.high}, at least"
        parts = [f"{size} {self.endpoints} endpoints of {self.nics} line(s)"]
        parts.append(f"switches of {self.radix} ports, lines to endpoints counted")
        parts.append(f"{self.throughput:g} of the line rate under uniform traffic")
        if self.worst is not None:
            parts.append(f"{self.worst:g} under any permutation")
        if self.budget is not None:
            parts.append(f"at most {self.budget:,.0f} {self.price_list.currency}")
        parts.append(f"prices: {self.price_list.name}")
        return "; ".join(parts) + "."

    def command(self) -> str:
        """The command line that asks for the same.

        Examples:
            >>> SwitchedRequirements(1024, 64, throughput=0.5, families=("torus",)).command()
            'hopscape design --endpoints 1024 --radix 64 --throughput 0.5 --families torus'
        """
        words = ["hopscape design", f"--endpoints {self.endpoints}", f"--radix {self.radix}"]
        words += ["--exact"] if self.exact else []
        options: dict[str, Any] = {
            "nics": self.nics if self.nics > 1 else None,
            "planes": self.planes,
            "throughput": None if self.throughput == 1 else self.throughput,
            "worst": self.worst,
            "budget": self.budget,
            "prices": None if self.prices == DEFAULT_PRICES else self.prices,
            "within": self.within,
            "floor": None if self.plan is None else self.plan.text,
            "families": ",".join(self.families) or None,
        }
        if dict(self.weights) != dict(SWITCHED_WEIGHTS):
            options["matters"] = ",".join(f"{k}={v:g}" for k, v in self.weights.items())
        words += [f"--{name} {value}" for name, value in options.items() if value is not None]
        return " ".join(words)

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
            "budget": self.budget,
            "prices": self.prices,
            "currency": self.price_list.currency,
            "low": self.low,
            "high": self.high,
            "floor": None if self.plan is None else self.plan.text,
            "weights": dict(self.weights),
            "families": list(self.families),
        }
