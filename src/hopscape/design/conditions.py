"""What the figures of a network depend on besides the network."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from hopscape.core.errors import ArgumentError, DisconnectedError
from hopscape.core.measured import Measured
from hopscape.design.floorplan import FloorPlan
from hopscape.design.prices import DEFAULT_PRICES
from hopscape.design.survival import Survival
from hopscape.metrics.columns import Evaluation

__all__ = ["ROUTES_ORDER", "Conditions", "Measure", "given", "if_connected"]

Measure = Callable[[Evaluation], Measured[Any]]

ROUTES_ORDER = 2600
"""Largest network whose routes are all followed as a matter of course."""


@dataclass(frozen=True)
class Conditions:
    """What the figures depend on besides the network.

    Attributes:
        endpoints: Endpoints at every router, for networks whose nodes are routers.
        plan: The usual room when None.
        faults: Random links that fail; one in a hundred when None.
        message: Bytes that all-gather and all-reduce are about.
        alpha: Seconds to start a message.
        bandwidth: Bytes per second of a channel.
        seed: For random faults.
        routes_order: Largest network whose routes are all followed.
        prices: Price list of the bill, for machines with switches.
        routing: Routing that was demanded; the hand-over of 'optimal' has its split over paths,
            that of 'shortest' shortest routes where the family's own are longer.
        survive: Failures after which something must remain.
        grow: Nodes to grow to, of direct machines, and the ports that these may use.
    """

    endpoints: int = 1
    plan: FloorPlan | None = None
    faults: int | None = None
    message: float = 1e6
    alpha: float = 1e-6
    bandwidth: float = 25e9
    seed: int = 0
    routes_order: int = ROUTES_ORDER
    prices: str = DEFAULT_PRICES
    routing: str | None = None
    survive: Survival | None = None
    grow: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        for name in ("message", "alpha", "bandwidth"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0) or (name == "bandwidth" and value == 0):
                raise ArgumentError(f"{name} is {value}; it must be a number above 0")
        if self.endpoints < 1:
            raise ArgumentError(f"endpoints is {self.endpoints}; it must be at least 1")
        if self.faults is not None and self.faults < 0:
            raise ArgumentError(f"faults is {self.faults}; it must be at least 0")


_USUAL = Conditions()


def given(evaluation: Evaluation) -> Conditions:
    """The conditions of an evaluation, the usual ones if it has none."""
    return evaluation.conditions if isinstance(evaluation.conditions, Conditions) else _USUAL


def if_connected(measure: Measure) -> Measure:
    """A measure that says so where some node cannot be reached."""

    @wraps(measure)
    def guarded(evaluation: Evaluation) -> Measured[Any]:
        try:
            return measure(evaluation)
        except DisconnectedError:
            return Measured(None, "exact", "not connected")

    return guarded
