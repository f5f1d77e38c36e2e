"""Figures of a switched machine: parts, cost, power, throughput."""

from __future__ import annotations

from typing import Any

from hopscape.core.measured import Measured
from hopscape.design.floorplan import FloorPlan
from hopscape.design.machine import Machine, price_machine, rack_machine
from hopscape.design.prices import PriceList
from hopscape.metrics.throughput_cuts import throughput_limit
from hopscape.registry import build

__all__ = ["machine_figures"]

_ROUTER_PAIRS = 60_000
_FULL_PAIRS = 20_000


def machine_figures(
    machine: Machine, prices: PriceList, plan: FloorPlan | None = None, *, spec: str = ""
) -> dict[str, Measured[Any]]:
    """All figures of a machine, by column.

    Args:
        spec: The member whose own minimal router is asked, where it has one.
    """
    bill = price_machine(machine, rack_machine(machine, plan), prices)
    graph = machine.flow
    uniform, guaranteed = graph.uniform(), graph.guaranteed()
    fraction = graph.fraction()
    share = fraction if fraction is not None else _round(uniform.throughput)
    even: Measured[Any] = Measured(share, "exact", "even splitting over shortest paths")
    minimal = router_throughput(machine, spec, _FULL_PAIRS if share == 1 else _ROUTER_PAIRS)
    best = even
    if minimal.value is not None and float(minimal.value) > float(even.value):
        best = minimal
    ends = machine.endpoints
    delivered = ends * machine.nics * prices.rate
    worst = guaranteed.mapped(_round)
    return {
        "endpoints": Measured(ends, "closed form"),
        "switches": Measured(machine.switches, "closed form"),
        "radix_used": Measured(machine.radix_used, "closed form"),
        "planes": Measured(machine.planes, "closed form"),
        "cables_copper": Measured(bill.copper, "exact"),
        "cables_optical": Measured(bill.optical, "exact"),
        "cable": Measured(round(bill.metres, 2), "exact"),
        "money": Measured(bill.cost, "exact", f"{prices.currency}, {prices.name}"),
        "cost_per_endpoint": Measured(round(bill.cost / ends, 2), "exact"),
        "watts_per_endpoint": Measured(round(bill.watts / ends, 3), "exact"),
        "line_throughput": best,
        "throughput_even": even,
        "throughput_minimal": minimal,
        "guaranteed_throughput": worst,
        "throughput_limit": throughput_limit(graph).mapped(_round),
        "cost_per_rate": Measured(_per(bill.cost, delivered, float(best.value)), "exact"),
        "cost_per_worst_rate": worst.mapped(
            lambda share: _per(bill.cost, delivered, share), falling=True
        ),
        "hops": Measured(_round(uniform.hops), "exact"),
    }


def _round(x: float) -> float:
    return round(float(x), 6)


def _per(cost: float, delivered: float, share: float | None) -> float | None:
    """Cost of a Gb/s that arrives."""
    return round(cost / (delivered * share), 4) if share else None


def router_throughput(machine: Machine, spec: str, pairs: int = _ROUTER_PAIRS) -> Measured[Any]:
    """Uniform throughput by the member's own minimal router, as far as it can be asked."""
    from hopscape.metrics.load import channel_load, switch_load
    from hopscape.metrics.routes import closed_router

    if not spec:
        return Measured(None, "unknown", "no router was asked")
    network, graph = build(spec), machine.graph
    own = network.endpoint_count
    edge = int((graph.ends > 0).sum())
    if edge * own > pairs:
        return Measured(None, "unknown", f"routers are asked up to {pairs} pairs")
    router = closed_router(network)
    if router is None:
        return Measured(None, "unknown", "the family has no minimal router of its own")
    if network.has_switches:
        load = switch_load(network, router, lines=graph.order == network.order)
    else:
        load = channel_load(network, router).largest
    each = machine.endpoints / max(1, own)  # endpoints in the place of one
    load *= each * each * (own - 1) / max(1, machine.endpoints - 1)
    load *= machine.graph.lines / machine.trunk
    value = min(1.0, 1 / load) if load > 0 else 1.0
    return Measured(_round(value), "exact", f"the {router.name} router")
