"""Floor plans: racks in rows, slots in racks, and where every node stands.

There is one placement of a network, whoever asks: prices, the report and the cable list go by it.
A switch stands with its endpoints; the switches of all planes that serve the same endpoints stand
together, as far as a rack has room for them.

A cable between two slots of a rack runs along the rack. Between racks it runs from the slot to the
top of its rack, along rows and columns (Manhattan distance), and down to the other slot. Links
whose length the network itself says are as long as that, in metres.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.numbers import counted
from hopscape.formats.graphs.libraries import link_ends

__all__ = ["FloorPlan", "RackLayout", "place", "snake"]

_USUAL_SLOTS = 32
RACK_SLOTS = 42
"""Slots of a rack of the usual room for machines with switches."""


@dataclass(frozen=True)
class FloorPlan:
    """Rows × columns of racks with so many slots each, and the distances between them in metres.

    Examples:
        >>> plan = FloorPlan.parse("4x8x32")
        >>> plan.places, plan.text
        (1024, '4x8x32')
    """

    rows: int
    columns: int
    slots: int
    row_pitch: float = 1.8
    rack_pitch: float = 0.6
    slot_pitch: float = 0.045

    def __post_init__(self) -> None:
        for name in ("rows", "columns", "slots"):
            if getattr(self, name) < 1:
                raise ArgumentError(f"{name} is {getattr(self, name)}; it must be at least 1")

    @classmethod
    def parse(cls, text: str) -> FloorPlan:
        """Read ``ROWSxCOLUMNSxSLOTS``."""
        match = re.fullmatch(r"\s*(\d{1,6})\s*[x×]\s*(\d{1,6})\s*[x×:]\s*(\d{1,6})\s*", text)
        if match is None:
            raise ArgumentError(
                f"floor plan {text!r} must be rows x columns x slots, such as 4x8x32"
            )
        return cls(*(int(part) for part in match.groups()))

    @classmethod
    def for_nodes(cls, nodes: int) -> FloorPlan:
        """The usual room: racks of 32 slots, about as deep as wide."""
        return cls.for_racks(math.ceil(nodes / _USUAL_SLOTS), _USUAL_SLOTS)

    @classmethod
    def for_racks(cls, racks: int, slots: int) -> FloorPlan:
        """Racks in rows, about as deep as wide."""
        columns = max(1, math.ceil(math.sqrt(3 * max(1, racks))))
        return cls(max(1, math.ceil(racks / columns)), columns, slots)

    @property
    def places(self) -> int:
        """Number of slots in all."""
        return self.rows * self.columns * self.slots

    @property
    def text(self) -> str:
        """As :meth:`parse` reads it."""
        return f"{self.rows}x{self.columns}x{self.slots}"

    def grown_for(self, nodes: int) -> FloorPlan:
        """The same room with as many more columns as so many nodes need."""
        columns = math.ceil(nodes / (self.rows * self.slots))
        return FloorPlan(self.rows, columns, self.slots)

    def require(self, nodes: int) -> None:
        """Refuse what does not fit, and say what would."""
        if nodes > self.places:
            raise ArgumentError(
                f"the floor plan {self.text} has {counted(self.places, 'slot')}, but {nodes:,}"
                f" nodes need one each; {self.grown_for(nodes).text} would hold them"
            )

    def lengths(self, a: IntArray, b: IntArray) -> Floats:
        """Cable lengths in metres, to the millimetre, between places (row, column, slot)."""
        rack_a, rack_b = a // self.slots, b // self.slots
        slot_a, slot_b = a % self.slots, b % self.slots
        rows = np.abs(rack_a // self.columns - rack_b // self.columns)
        columns = np.abs(rack_a % self.columns - rack_b % self.columns)
        inside = np.abs(slot_a - slot_b) * self.slot_pitch
        over = (2 * self.slots - slot_a - slot_b) * self.slot_pitch
        outside = rows * self.row_pitch + columns * self.rack_pitch + over
        return np.round(np.where(rack_a == rack_b, inside, outside), 3)

    def name(self, place: int) -> tuple[int, int, int]:
        """Row, column and slot of a place, each from 1."""
        rack, slot = divmod(place, self.slots)
        return rack // self.columns + 1, rack % self.columns + 1, slot + 1


@dataclass(frozen=True)
class RackLayout:
    """Where every node stands, and what its cables come to.

    Attributes:
        places (int64[order]): Place of each node.
        how: The order in which the nodes fill the racks.
        lengths (float64[links]): In the order of
            :func:`hopscape.formats.graphs.libraries.link_ends`.
        given: Links whose length the network itself says, in metres; the floor plan is not asked
            for them.
    """

    plan: FloorPlan
    places: IntArray
    how: str
    lengths: Floats
    given: int = 0

    @property
    def total(self) -> float:
        """Metres of cable in all."""
        return float(self.lengths.sum())

    @property
    def words(self) -> str:
        """Where the lengths are from."""
        room = f"{self.plan.text}, {self.how}"
        if not self.given:
            return room
        if self.given == len(self.lengths):
            return "the lengths of the network"
        return f"{room}; {self.given} lengths of the network"

    @property
    def longest(self) -> float:
        """Metres of the longest cable."""
        return float(self.lengths.max(initial=0.0))


def snake(plan: FloorPlan) -> IntArray:
    """Places along the racks, every other row backwards, so that neighbours stay near."""
    racks = np.arange(plan.rows * plan.columns).reshape(plan.rows, plan.columns)
    racks[1::2] = racks[1::2, ::-1]
    return (racks.ravel()[:, None] * plan.slots + np.arange(plan.slots)).ravel()


def place(network: Network, plan: FloorPlan | None = None) -> RackLayout:
    """Put nodes into racks in the order that takes the least cable.

    By number, along a narrow band of the network, or by number with switches without endpoints in
    the middle. A switch stays with its endpoints.

    Args:
        plan: As many racks as it takes when left out: of 32 slots, or of 42 with switches.

    Raises:
        ArgumentError: When the floor has too few slots or racks.

    Examples:
        >>> import hopscape
        >>> placed = place(hopscape.build("torus(4, 4)"), FloorPlan(1, 1, 16))
        >>> round(placed.total, 3), round(placed.longest, 3)
        (5.4, 0.54)
    """
    if plan is not None:
        plan.require(network.order)
    slots = plan.slots if plan is not None else RACK_SLOTS
    if plan is None and not network.has_switches:
        slots = _USUAL_SLOTS
    tails, heads, channels = link_ends(network)
    said = network.lengths(channels)
    group = _groups(network, slots)
    sizes = np.bincount(group)
    best: RackLayout | None = None
    for how, order in _orders(network, group, group[tails], group[heads]):
        starts = _starts(sizes[order], slots)
        racks = math.ceil(int((starts + sizes[order]).max(initial=1)) / slots)
        room = plan if plan is not None else FloorPlan.for_racks(racks, slots)
        if racks > room.rows * room.columns:
            raise ArgumentError(
                f"the floor plan {room.text} has {counted(room.rows * room.columns, 'rack')}, but"
                f" {network.spec} needs {racks}; {room.grown_for(racks * slots).text} would hold it"
            )
        begin = np.empty(len(sizes), dtype=np.int64)
        begin[order] = starts
        places = snake(room)[begin[group] + _within(network, group)]
        metres = np.where(np.isnan(said), room.lengths(places[tails], places[heads]), said)
        layout = RackLayout(room, places, how, metres, int((~np.isnan(said)).sum()))
        if best is None or layout.total < best.total:
            best = layout
    assert best is not None
    return best


def _groups(network: Network, slots: int) -> IntArray:
    """Numbers of the groups that stay together, of all nodes.

    Endpoints and all switches that they have lines to; where these are too many for a rack, each
    switch and the endpoints whose first line leads to it.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    order = network.order
    if not network.has_switches:
        return np.arange(order)
    is_end = np.zeros(order, dtype=bool)
    is_end[network.endpoints] = True
    tails, heads = network.tails.astype(np.int64), network.heads.astype(np.int64)
    lines = is_end[tails] & ~is_end[heads]
    ones = np.ones(int(lines.sum()), dtype=np.int8)
    joined = csr_array((ones, (tails[lines], heads[lines])), shape=(order, order))
    _, group = connected_components(joined, directed=False)
    several = np.bincount(group, ~is_end) > 1
    split = ((np.bincount(group) > slots) & several)[group]
    own = np.arange(order)
    first = np.flatnonzero(lines)[::-1]  # the first line of an endpoint is written last
    own[tails[first]] = heads[first]
    group = np.where(split, order + own, group)
    _, where, number = np.unique(group, return_index=True, return_inverse=True)
    place_of = np.empty(len(where), dtype=np.int64)
    place_of[np.argsort(where)] = np.arange(len(where))  # groups by their first node
    return np.asarray(place_of[number.ravel()])


def _within(network: Network, group: IntArray) -> IntArray:
    """Place of each node in its group: switches first, each by number."""
    is_end = np.zeros(network.order, dtype=bool)
    if network.has_switches:
        is_end[network.endpoints] = True
    order = np.lexsort((is_end, group))
    counts = np.bincount(group)
    within = np.empty(network.order, dtype=np.int64)
    within[order] = np.arange(network.order) - np.repeat(np.cumsum(counts) - counts, counts)
    return within


def _orders(
    network: Network, group: IntArray, tails: IntArray, heads: IntArray
) -> list[tuple[str, IntArray]]:
    """Orders of the groups that are worth a try."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    count = int(group.max(initial=-1)) + 1
    numbers = np.arange(count)
    ones = np.ones(len(tails), dtype=np.int8)
    half = csr_array((ones, (tails, heads)), shape=(count, count))
    half.data[:] = 1  # of parallel cables one: a byte overflows
    band = reverse_cuthill_mckee(csr_array(half + half.T), symmetric_mode=True)
    out: list[tuple[str, IntArray]] = [("by number", numbers), ("along a band", band)]
    if network.has_switches:
        served = np.zeros(count, dtype=bool)
        served[group[network.endpoints]] = True
        edge, spines = numbers[served], numbers[~served]
        middle = np.concatenate([edge[: len(edge) // 2], spines, edge[len(edge) // 2 :]])
        out.append(("spines in the middle", middle))
    return out


def _starts(sizes: IntArray, slots: int) -> IntArray:
    """Where each group begins: in the rack that is open if it fits there, else in the next."""
    if int(sizes.max(initial=1)) == 1:
        return np.arange(len(sizes))
    starts = np.empty(len(sizes), dtype=np.int64)
    at = 0
    for i, size in enumerate(sizes.tolist()):
        if at % slots and at % slots + size > slots:
            at += slots - at % slots
        starts[i] = at
        at += size
    return starts
