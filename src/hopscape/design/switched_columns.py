"""Columns about switched machines: parts, cost, power, and throughput as a share of the line rate.

``hopscape design --endpoints`` measures them with the price list asked for; ``hopscape compare``
measures them for any network with switches, with the list that comes with hopscape.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hopscape.core.measured import Measured
from hopscape.design.conditions import given
from hopscape.design.effort import ROUTES, WORST
from hopscape.design.survival import Survived
from hopscape.metrics.columns import Column, Evaluation
from hopscape.metrics.effort import WIRING

__all__ = ["GROWTH", "SURVIVAL", "SWITCHED_COLUMNS", "SWITCHED_KEYS"]

SWITCHED_KEYS = {"money": "cost", "line_throughput": "throughput"}
"""Keys of JSON under which scripts find columns whose own names mean something else elsewhere."""


def _figures(evaluation: Evaluation) -> dict[str, Measured[Any]]:
    from hopscape.design.machine import Machine, machine_figures
    from hopscape.design.prices import load_prices
    from hopscape.metrics.throughput import switch_graph

    network = evaluation.network

    def compute() -> dict[str, Measured[Any]]:
        machine = Machine(switch_graph(network))
        spec = network.spec if network.family is not None else ""
        return machine_figures(machine, network, load_prices(), spec=spec)

    figures: dict[str, Measured[Any]] = evaluation.share("machine", compute)
    return figures


_BOUGHT = ("cables are bought by the floor plan and the rate of a line", "capacity", "length")
_PRICED = ("cables_copper", "cables_optical", "money", "cost_per_endpoint", "watts_per_endpoint",
           "cost_per_rate", "cost_per_worst_rate")  # fmt: skip


_TABLES = ("machines", "which machines", "sweep", "refused")


def _column(
    name: str,
    title: str,
    unit: str,
    better: Any,
    priority: int,
    places: tuple[int, ...],
    explanation: str,
) -> Column:
    """A column and its place in each of `_TABLES`, 0 where it is not shown."""

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
        places={table: place for table, place in zip(_TABLES, places, strict=False) if place},
        priority=priority,
        aside=_BOUGHT if name in _PRICED else (),
    )


def _tables(name: str, title: str, explanation: str) -> Column:
    """What the tables that are handed over guarantee."""

    def measure(evaluation: Evaluation) -> Measured[Any]:
        from hopscape.design.machine import tables_throughput

        if not evaluation.network.has_switches:
            return Measured(None, "unknown", "the network has no switches: see worst_throughput")
        return tables_throughput(evaluation.network)

    places = {"machines": 10}
    return Column(
        name, title, explanation, measure, needs=(WIRING, ROUTES, WORST), better="more",
        unit="line rate", places=places, priority=4,
    )  # fmt: skip


SWITCHED_COLUMNS: tuple[Column, ...] = (
    _column("switches", "switches", "", "less", 2, (2, 2, 2, 2), "switches of all planes"),
    _column("planes", "planes", "", "", 14, (), "copies of the network that share the endpoints"),
    _column("radix_used", "radix used", "", "less", 9, (3, 3),
            "most ports of a switch that are used, its lines to endpoints included"),
    _column("spare_ports", "spare ports", "", "", 10, (3, 3),
            "ports of the switches that nothing is plugged into, in all"),
    _column("cables_copper", "copper", "", "less", 4, (4, 4),
            "copper cables, those to endpoints included: the floor plan decides the lengths"),
    _column("cables_optical", "optical", "", "less", 4, (5, 5),
            "optical cables, those to endpoints included: the floor plan decides the lengths"),
    _column("cables", "cables", "", "less", 0, (), "cables, those to endpoints included"),
    _column("watts_per_rack", "W/rack", "W", "less", 0, (),
            "watts of the network's parts in the rack that has most of them"),
    _column("money", "cost", "currency", "less", 1, (6, 0, 3, 7),
            "cost of switches, cables and network interfaces in the currency of the price list"),
    _column("cost_per_endpoint", "per endpoint", "currency", "less", 2, (7, 6, 4),
            "cost over endpoints"),
    _column("watts_per_endpoint", "W/endpoint", "W", "less", 5, (8, 7, 5),
            "watts of switches, cables and network interfaces over endpoints"),
    _column("line_throughput", "uniform", "line rate", "more", 2, (9, 8, 6, 6),
            "share of the line rate that every endpoint gets under uniform traffic, itself"
            " excluded: the better of the family's minimal router and of even splitting over"
            " shortest paths"),
    _column("throughput_even", "even", "line rate", "more", 0, (),
            "the same by even splitting over all shortest paths"),
    _column("throughput_minimal", "minimal", "line rate", "more", 0, (),
            "the same by the minimal router of the family"),
    _column("guaranteed_throughput", "guaranteed", "line rate", "more", 2, (10, 9, 7),
            "share of the line rate that every endpoint gets under any permutation, with the"
            " routing named beside it: the one asked for, else the better of even splitting over"
            " shortest paths and of Valiant's routing"),
    _column("guaranteed_routing", "routing", "", "", 3, (10, 9),
            "routing that the guarantee needs: minimal (even splitting over shortest paths),"
            " Valiant (over a random switch) or optimal (the best fixed split over paths)"),
    _column("uniform_routing", "uniform by", "", "", 0, (),
            "routing that the share of uniform traffic needs"),
    _tables("tables_throughput", "tables",
            "share of the line rate of any permutation under the tables of the hand-over, which"
            " have one path for each destination"),
    _column("throughput_limit", "limit", "line rate", "more", 0, (),
            "share that no routing exceeds under the worst permutation: capacity over the"
            " distances of a far permutation (TUB), ports of a switch, cuts"),
    _column("cost_per_rate", "per Gb/s", "currency", "less", 7, (12,),
            "cost of a Gb/s that arrives under uniform traffic"),
    _column("cost_per_worst_rate", "per worst Gb/s", "currency", "less", 8, (13,),
            "cost of a Gb/s that arrives under any permutation"),
)  # fmt: skip


def _reduce_time(evaluation: Evaluation) -> Measured[Any]:
    from hopscape.design.machine import Machine
    from hopscape.design.prices import load_prices
    from hopscape.design.reduce_time import allreduce_time
    from hopscape.metrics.throughput import switch_graph

    if not evaluation.network.has_switches:
        return Measured(None, "unknown", "the network has no switches: see allreduce")
    conditions = given(evaluation)
    rate = load_prices(conditions.prices).rate
    machine = Machine(switch_graph(evaluation.network))
    return allreduce_time(machine, conditions.message, conditions.alpha, rate)


SWITCHED_COLUMNS += (
    Column("reduce_time", "µs all-reduce", "µs of an all-reduce of the message (--message) by a"
           " ring, by doubling or in two levels, whichever is fastest, with even splitting over"
           " shortest paths at the line rate of the price list", _reduce_time,
           needs=(WIRING,), unit="µs", better="less"),
)  # fmt: skip


SURVIVAL = ("survived_throughput", "blast_radius")
"""What is known only where ``--survive`` says which failures."""


def _survivors(evaluation: Evaluation) -> Survived:
    """What is left of a machine, or of a network of routers, after the failures asked for."""
    from hopscape.design.survival import survived
    from hopscape.metrics.throughput import SwitchGraph, switch_graph

    net, asked = evaluation.network, given(evaluation).survive
    if asked is None:
        unknown: Measured[Any] = Measured(
            None, "unknown", "no failures were asked for: design --survive"
        )
        return Survived(unknown, unknown)
    if not net.duplex:
        unknown = Measured(None, "unknown", "is known for duplex links only")
        return Survived(unknown, unknown)

    def compute() -> Survived:
        if net.has_switches:
            return survived(switch_graph(net), 1, asked)
        ends, heads = np.ones(net.order, dtype=np.int64), net.heads.astype(np.int64)
        graph = SwitchGraph(net.indptr.astype(np.int64), heads, net.capacities(), ends)
        return survived(graph, 1, asked)

    survivors: Survived = evaluation.share("survivors", compute)
    return survivors


SWITCHED_COLUMNS += (
    Column("survived_throughput", "survived",
           "share of the line rate that remains after the worst of the failures asked for"
           " (--survive): uniform traffic between the endpoints that are left, split evenly over"
           " the shortest paths that are left; 0 where these are parted",
           lambda evaluation: _survivors(evaluation).share, needs=(WIRING,), stage=2,
           better="more"),
    Column("blast_radius", "lost",
           "endpoints that are cut off when as many switches fail as --survive says, at most",
           lambda evaluation: _survivors(evaluation).lost, needs=(WIRING,), stage=2,
           better="less"),
)  # fmt: skip


GROWTH = ("cables_moved", "cables_bought", "switches_bought", "growth_cost", "grown")
"""What is known only where ``--grow`` says to which size."""


def _grown(name: str, title: str, unit: str, explanation: str) -> Column:
    """A column about growing, of direct machines here; the search fills it in of switched ones."""

    def measure(evaluation: Evaluation) -> Measured[Any]:
        from hopscape.design.members import growth_of_network

        asked = given(evaluation).grow
        if asked is None or evaluation.network.has_switches:
            return Measured(None, "unknown", "no larger size was asked for: design --grow")
        growth: dict[str, Measured[Any]] = evaluation.share(
            "growth", lambda: growth_of_network(evaluation.network, *asked)
        )
        return growth.get(name, Measured(None, "unknown", "is known of switched machines"))

    return Column(
        name, title, explanation, measure, needs=(WIRING,), stage=2, unit=unit,
        better="" if name == "grown" else "less",
    )  # fmt: skip


SWITCHED_COLUMNS += (
    _grown("cables_moved", "moved", "", "cables of which an end is plugged in elsewhere when the"
           " machine grows to the size of --grow, by the best plan that was found"),
    _grown("cables_bought", "cables bought", "", "cables that are new then"),
    _grown("switches_bought", "bought", "", "switches that are bought then, those that replace one"
           " with too few ports included; nodes of a direct machine"),
    _grown("growth_cost", "growth", "currency", "cost of all parts that are bought then"),
    _grown("grown", "grows to", "", "the larger machine"),
)  # fmt: skip


def _simulated(name: str, title: str, explanation: str) -> Column:
    """A column that only the finalists of ``hopscape design --simulate`` have."""

    def measure(evaluation: Evaluation) -> Measured[Any]:
        return Measured(None, "unknown", "simulated by design --endpoints N --radix R --simulate")

    text = f"load up to which a simulation, flit by flit, carries {explanation}"
    return Column(name, title, text, measure, needs=(WIRING,), better="more")


SWITCHED_COLUMNS += (
    _simulated("saturation", "sat. min.", "uniform traffic on the minimal routes of the family"),
    _simulated("saturation_ugal", "sat. UGAL", "uniform traffic with UGAL routing"),
    _simulated("saturation_worst", "worst min.",
               "the permutation that is worst for shortest paths, on minimal routes"),
    _simulated("saturation_tables", "worst tables",
               "the permutation that is worst for the tables handed over, with these tables"),
    _simulated("saturation_worst_ugal", "worst UGAL",
               "the permutation that is worst for shortest paths, with UGAL routing"),
)  # fmt: skip


def _timed(
    name: str, title: str, unit: str, explanation: str, priority: int, better: Any = "less"
) -> Column:
    """A column that only machines timed for a job have."""

    def measure(evaluation: Evaluation) -> Measured[Any]:
        return Measured(None, "unknown", "timed by design --job JOB --endpoints N --radix R")

    return Column(
        name, title, explanation, measure, needs=(WIRING,), unit=unit, better=better,
        priority=priority,
    )  # fmt: skip


SWITCHED_COLUMNS += (
    _timed("step", "step (s)", "s", "seconds of one step of the job, as executed", 1),
    _timed("step_bound", "at least (s)", "s", "seconds below which no execution of the step gets",
           4, ""),
    _timed("step_cost", "step x cost", "currency s", "seconds of a step times thousands of the"
           " cost: what the machine has been paid for when a step is done", 1),
    _timed("step_loss", "switch dead", "share", "largest part of the work done in a second that"
           " is lost when a switch dies, after steps on what is left", 2),
)  # fmt: skip
