"""Columns about switched machines: parts, cost, power, and throughput as a share of the line rate.

``hopscape design --endpoints`` measures them with the price list asked for; ``hopscape compare``
measures them for any network with switches, with the list that comes with hopscape.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hopscape.core.measured import Measured
from hopscape.metrics.columns import Column, Evaluation
from hopscape.metrics.effort import WIRING

__all__ = ["SWITCHED_COLUMNS", "SWITCHED_KEYS"]

SWITCHED_KEYS = {"money": "cost", "line_throughput": "throughput"}
"""Keys of JSON under which scripts find columns whose own names mean something else elsewhere."""


def _figures(evaluation: Evaluation) -> dict[str, Measured[Any]]:
    from hopscape.design.machine import Machine
    from hopscape.design.machine_figures import machine_figures
    from hopscape.design.prices import load_prices
    from hopscape.metrics.throughput import switch_graph

    network = evaluation.network

    def compute() -> dict[str, Measured[Any]]:
        machine = Machine(switch_graph(network))
        spec = network.spec if network.family is not None else ""
        return machine_figures(machine, load_prices(), spec=spec)

    found: dict[str, Measured[Any]] = evaluation.share("machine", compute)
    return found


_BOUGHT = ("cables are bought by the floor plan and the rate of a line", "capacity", "length")
_BILLED = ("cables_copper", "cables_optical", "money", "cost_per_endpoint", "watts_per_endpoint",
           "cost_per_rate", "cost_per_worst_rate")  # fmt: skip


def _column(
    name: str,
    title: str,
    explanation: str,
    *,
    unit: str = "",
    better: Any = "",
    places: Mapping[str, int] = MappingProxyType({}),
    priority: int = 0,
) -> Column:
    def measure(evaluation: Evaluation) -> Measured[Any]:
        if not evaluation.network.has_switches:
            note = "the network has no switches; concentrated(...) gives it endpoints"
            return Measured(None, "unknown", note)
        return _figures(evaluation)[name]

    return Column(
        name,
        title,
        explanation,
        measure,
        needs=(WIRING,),
        unit=unit,
        better=better,
        places=places,
        priority=priority,
        aside=_BOUGHT if name in _BILLED else (),
    )


SWITCHED_COLUMNS: tuple[Column, ...] = (
    _column(
        "switches",
        "switches",
        "switches of all planes",
        better="less",
        priority=2,
        places={"machines": 2, "which machines": 2, "sweep": 2, "refused": 2},
    ),
    _column("planes", "planes", "copies of the network that share the endpoints", priority=14),
    _column(
        "radix_used",
        "radix used",
        "most ports of a switch that are used, its lines to endpoints included",
        better="less",
        priority=9,
        places={"machines": 3, "which machines": 3},
    ),
    _column(
        "cables_copper",
        "copper",
        "copper cables, those to endpoints included: the floor plan decides the lengths",
        better="less",
        priority=4,
        places={"machines": 4, "which machines": 4},
    ),
    _column(
        "cables_optical",
        "optical",
        "optical cables, those to endpoints included: the floor plan decides the lengths",
        better="less",
        priority=4,
        places={"machines": 5, "which machines": 5},
    ),
    _column(
        "money",
        "cost",
        "cost of switches, cables and network interfaces in the currency of the price list",
        unit="currency",
        better="less",
        priority=1,
        places={"machines": 6, "sweep": 3, "refused": 7},
    ),
    _column(
        "cost_per_endpoint",
        "per endpoint",
        "cost over endpoints",
        unit="currency",
        better="less",
        priority=2,
        places={"machines": 7, "which machines": 6, "sweep": 4},
    ),
    _column(
        "watts_per_endpoint",
        "W/endpoint",
        "watts of switches, cables and network interfaces over endpoints",
        unit="W",
        better="less",
        priority=5,
        places={"machines": 8, "which machines": 7, "sweep": 5},
    ),
    _column(
        "line_throughput",
        "uniform",
        "share of the line rate that every endpoint gets under uniform traffic, itself excluded:"
        " the better of the family's minimal router and of even splitting over shortest paths",
        better="more",
        priority=2,
        places={"machines": 9, "which machines": 8, "sweep": 6, "refused": 6},
    ),
    _column(
        "throughput_even",
        "even",
        "the same by even splitting over all shortest paths",
        better="more",
    ),
    _column(
        "throughput_minimal",
        "minimal",
        "the same by the minimal router of the family",
        better="more",
    ),
    _column(
        "guaranteed_throughput",
        "guaranteed",
        "share of the line rate that every endpoint gets under any permutation: the better of even"
        " splitting over shortest paths and of Valiant's routing",
        better="more",
        priority=2,
        places={"machines": 10, "which machines": 9, "sweep": 7},
    ),
    _column(
        "throughput_limit",
        "limit",
        "share that no routing exceeds under the worst permutation: capacity over the distances of"
        " a far permutation (TUB), ports of a switch, cuts",
        better="more",
    ),
    _column(
        "cost_per_rate",
        "per Gb/s",
        "cost of a Gb/s that arrives under uniform traffic",
        unit="currency",
        better="less",
        priority=7,
        places={"machines": 12},
    ),
    _column(
        "cost_per_worst_rate",
        "per worst Gb/s",
        "cost of a Gb/s that arrives under any permutation",
        unit="currency",
        better="less",
        priority=8,
        places={"machines": 13},
    ),
)


def _simulated(name: str, title: str, explanation: str) -> Column:
    """A column that only the finalists of ``hopscape design --simulate`` have."""

    def measure(evaluation: Evaluation) -> Measured[Any]:
        return Measured(None, "unknown", "simulated by design --endpoints N --radix R --simulate")

    text = f"load up to which a simulation, flit by flit, carries {explanation}"
    return Column(name, title, text, measure, needs=(WIRING,), better="more")


SWITCHED_COLUMNS += (
    _simulated("saturation", "sat. min.", "uniform traffic on the minimal routes of the family"),
    _simulated("saturation_ugal", "sat. UGAL", "uniform traffic with UGAL routing"),
    _simulated(
        "saturation_worst",
        "worst min.",
        "the permutation that is worst for shortest paths, on minimal routes",
    ),
    _simulated(
        "saturation_worst_ugal",
        "worst UGAL",
        "the permutation that is worst for shortest paths, with UGAL routing",
    ),
)
