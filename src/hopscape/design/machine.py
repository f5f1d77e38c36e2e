"""A switched machine: its switches and endpoints in racks, its cables, what it costs.

Racks keep a switch with its endpoints. A cable is copper where the list of prices has one that
reaches so far and is the cheapest, else optical.

Figures of a switched machine: parts, cost, power, throughput.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.measured import Measured
from hopscape.design.floorplan import FloorPlan, snake
from hopscape.design.prices import PriceList
from hopscape.metrics.throughput import SwitchGraph, throughput_limit
from hopscape.registry import build

__all__ = ["Bill", "Machine", "Racks", "machine_figures", "price_machine", "rack_machine"]

RACK_SLOTS = 42
"""Slots of a rack of the usual room for switched machines."""


@dataclass(frozen=True)
class Machine:
    """A plane of switches with endpoints, and how often it is there.

    Attributes:
        graph: One plane, each link once, whatever its trunk.
        trunk: Cables for every link between switches.
        planes: Copies of the plane that share the endpoints.

    Examples:
        >>> import hopscape
        >>> from hopscape.metrics.throughput import switch_graph
        >>> network = hopscape.build("concentrated(complete(5), 4)")
        >>> machine = Machine(switch_graph(network), planes=2)
        >>> machine.endpoints, machine.switches, machine.radix_used, machine.nics
        (20, 10, 8, 2)
    """

    graph: SwitchGraph
    trunk: int = 1
    planes: int = 1

    @property
    def endpoints(self) -> int:
        return self.graph.endpoints

    @property
    def switches(self) -> int:
        """Boxes that forward, endpoints that stay in the graph not counted."""
        return self.planes * int(self.boxes.sum())

    @property
    def boxes(self) -> IntArray:
        """bool[...]: which nodes of the graph are switches."""
        return np.asarray(~self.graph.hosts)

    @property
    def nics(self) -> int:
        """Lines of an endpoint into all planes."""
        return self.graph.lines * self.planes

    @property
    def ports(self) -> IntArray:
        """Ports that each switch of a plane uses, its lines to endpoints included."""
        lines = np.where(self.boxes, self.graph.ends * self.graph.lines, 0)
        return np.diff(self.graph.indptr) * self.trunk + lines

    @property
    def radix_used(self) -> int:
        return int(self.ports[self.boxes].max(initial=0))

    @cached_property
    def flow(self) -> SwitchGraph:
        """One plane with the trunks as speeds: what its throughput is computed of."""
        if self.trunk == 1:
            return self.graph
        return replace(self.graph, speeds=self.graph.speeds * self.trunk)


@dataclass(frozen=True)
class Racks:
    """Where the switches and endpoints of a machine stand.

    Attributes:
        links, lines (float64[...]): Metres of each link between switches and of each line to an
            endpoint, of one plane.
        links_at, lines_at (int64[2, ...]): Places of both ends of these; of a line the switch
            first.
    """

    plan: FloorPlan
    links: Floats
    lines: Floats
    how: str
    links_at: IntArray = field(default_factory=lambda: np.zeros((2, 0), dtype=np.int64))
    lines_at: IntArray = field(default_factory=lambda: np.zeros((2, 0), dtype=np.int64))


def rack_machine(machine: Machine, plan: FloorPlan | None = None) -> Racks:
    """Fill racks with switches and their endpoints, in the order that takes the least cable.

    Args:
        plan: Racks of 42 slots for as many as there are when left out.

    Raises:
        ArgumentError: When the floor has too few racks.
    """
    best: Racks | None = None
    for how, order in _orders(machine.graph):
        found = _filled(machine, plan, order, how)
        if best is None or found.links.sum() < best.links.sum():
            best = found
    assert best is not None
    return best


def _orders(graph: SwitchGraph) -> list[tuple[str, IntArray]]:
    """Orders worth a try: by number, those without endpoints in the middle, along a band."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    numbers = np.arange(graph.order)
    with_ends, without = numbers[graph.ends > 0], numbers[graph.ends == 0]
    half = len(with_ends) // 2
    middle = np.concatenate([with_ends[:half], without, with_ends[half:]])
    ones = np.ones(len(graph.heads), dtype=np.int8)
    matrix = csr_array((ones, graph.heads, graph.indptr), shape=(graph.order, graph.order))
    band = reverse_cuthill_mckee(matrix, symmetric_mode=True)
    return [("by number", numbers), ("spines in the middle", middle), ("along a band", band)]


def _filled(machine: Machine, plan: FloorPlan | None, order: IntArray, how: str) -> Racks:
    graph = machine.graph
    slots = plan.slots if plan is not None else RACK_SLOTS
    ends = np.where(graph.hosts, 0, graph.ends)
    sizes = np.where(graph.hosts, 1, machine.planes) + ends
    starts = _starts(sizes[order], slots)
    begin = np.empty(graph.order, dtype=np.int64)
    begin[order] = starts
    racks = math.ceil(int((starts + sizes[order]).max(initial=1)) / slots)
    room = plan if plan is not None else _room(racks, slots)
    if racks > room.rows * room.columns:
        raise ArgumentError(
            f"the floor plan {room.text} has {room.rows * room.columns} racks, but {graph.name}"
            f" needs {racks}; {room.grown_for(racks * slots).text} would hold it"
        )
    places = snake(room)
    once = graph.tails < graph.heads
    links = places[np.stack([begin[graph.tails[once]], begin[graph.heads[once]]])]
    owner = np.repeat(np.arange(graph.order), ends)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(ends) - ends, ends)
    lines = places[np.stack([begin[owner], begin[owner] + machine.planes + within])]
    return Racks(room, room.lengths(*links), room.lengths(*lines), how, links, lines)


def _starts(sizes: IntArray, slots: int) -> IntArray:
    """Where each group begins: in the rack that is open if it fits there, else in the next."""
    starts = np.empty(len(sizes), dtype=np.int64)
    at = 0
    for i, size in enumerate(sizes.tolist()):
        if at % slots and at % slots + size > slots:
            at += slots - at % slots
        starts[i] = at
        at += size
    return starts


def _room(racks: int, slots: int) -> FloorPlan:
    """Racks in rows, about as deep as wide."""
    columns = max(1, math.ceil(math.sqrt(3 * racks)))
    return FloorPlan(math.ceil(racks / columns), columns, slots)


@dataclass(frozen=True)
class Bill:
    """What a machine is made of and what that comes to.

    Attributes:
        switches, copper, optical: Pieces; cables to endpoints included.
        metres: Cable in all.
        parts (dict of str to float): Cost by kind of part.
    """

    switches: int
    copper: int
    optical: int
    cost: float
    watts: float
    metres: float
    parts: dict[str, float]


def price_machine(machine: Machine, racks: Racks, prices: PriceList) -> Bill:
    """Count and price all parts.

    Raises:
        ArgumentError: When the list has no switch or cable that is large or long enough.

    Examples:
        One of 16 planes of the nonblocking fat tree of 1,024 endpoints of the HammingMesh study:

        >>> from hopscape.design.prices import load_prices
        >>> leaf, spine = np.divmod(np.arange(1024), 32)
        >>> indptr = np.concatenate([np.arange(0, 1025, 32), np.arange(1088, 2049, 64)])
        >>> up, down = 32 + spine // 2, np.repeat(np.arange(32)[None], 16, 0).repeat(2, 1).ravel()
        >>> graph = SwitchGraph(
        ...     indptr, np.concatenate([up, down]), np.ones(2048), np.repeat([32, 0], [32, 16])
        ... )
        >>> machine = Machine(graph)
        >>> far = Racks(FloorPlan(1, 1, 1), np.full(1024, 9.0), np.full(1024, 2.0), "")
        >>> price_machine(machine, far, load_prices("hammingmesh")).cost * 16
        25303040.0
    """
    graph = machine.graph
    used, pieces = np.unique(machine.ports[machine.boxes], return_counts=True)
    parts = {"switches": 0.0, "copper": 0.0, "optical": 0.0, "nics": 0.0}
    counts = {"copper": 0, "optical": 0}
    watts = 0.0
    for ports, count in zip(used.tolist(), pieces.tolist(), strict=True):
        item = prices.switch(ports)
        parts["switches"] += item.price * count * machine.planes
        watts += item.watts * count * machine.planes
    metres = 0.0
    for lengths, times in (
        (racks.links, machine.trunk * machine.planes),
        (racks.lines, graph.lines * machine.planes),
    ):
        chosen, paid = prices.pick_cables(lengths)
        metres += float(lengths.sum()) * times
        for i, item in enumerate(prices.cables):
            mine = chosen == i
            counts[item.kind] += int(mine.sum()) * times
            parts[item.kind] += float(paid[mine].sum()) * times
            watts += item.watts * int(mine.sum()) * times
    lines = machine.endpoints * machine.nics
    parts["nics"] = prices.nic.price * lines
    watts += prices.nic.watts * lines
    return Bill(
        machine.switches,
        counts["copper"],
        counts["optical"],
        round(sum(parts.values()), 2),
        watts,
        metres,
        parts,
    )


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
