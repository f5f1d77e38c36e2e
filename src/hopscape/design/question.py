"""What both kinds of machine are asked: criteria with their weights, and what a question answers.

A direct machine has nodes that are routers, each with its endpoint (:mod:`.requirements`); a
switched one has endpoints at switches (:mod:`.switched_requirements`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from hopscape.core.errors import ArgumentError
from hopscape.core.numbers import counted
from hopscape.design.conditions import Conditions

__all__ = [
    "ABOVE",
    "CRITERIA",
    "DEFAULT_WEIGHTS",
    "LIMITS",
    "ROUTINGS",
    "SWITCHED_CRITERIA",
    "SWITCHED_WEIGHTS",
    "Criterion",
    "Kind",
    "Question",
    "Size",
    "check_growth",
    "parse_weights",
    "rate_words",
]

Size = Literal["about", "at least", "exactly"]
Kind = Literal["direct", "switched"]

ABOVE = 0.125
"""Share of the size that there may be more: members of most families come in such steps."""
LIMITS: Mapping[str, tuple[str, str]] = {
    "cables": ("cable", "cables"),
    "cable_length": ("m of cable", "m of cable"),
    "max_hops": ("hop between switches", "hops between switches"),
    "watts_per_rack": ("W in a rack", "W in a rack"),
    "vcs": ("virtual channel", "virtual channels"),
}
"""What a switched machine may have at most, each a column and its noun: of one, of several."""
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


def check_growth(grow: int | None, high: int, most: int, noun: str) -> None:
    if grow is not None and not high < grow <= most:
        allowed = f"the {counted(high, noun)} allowed now"
        if high >= most:
            raise ArgumentError(f"grow is {grow}; {allowed} are already the most that are planned")
        raise ArgumentError(f"grow is {grow}; it must be more than {allowed}, and at most {most:,}")


def rate_words(share: float) -> str:
    """A share of the line rate that is asked for."""
    return "full line rate" if share == 1 else f"{100 * share:g} % of line rate"
