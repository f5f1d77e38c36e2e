"""Floor plans: racks in rows, slots in racks, and where every node stands.

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
from hopscape.formats.graphs.libraries import link_ends

__all__ = ["FloorPlan", "Placement", "place", "snake"]

_USUAL_SLOTS = 32


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
        racks = max(1, math.ceil(nodes / _USUAL_SLOTS))
        columns = max(1, math.ceil(math.sqrt(3 * racks)))
        return cls(math.ceil(racks / columns), columns, _USUAL_SLOTS)

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
                f"the floor plan {self.text} has {self.places} slots, but {nodes} nodes need one"
                f" each; {self.grown_for(nodes).text} would hold them"
            )

    def lengths(self, a: IntArray, b: IntArray) -> Floats:
        """Cable lengths in metres between places (numbered by row, column, slot)."""
        rack_a, rack_b = a // self.slots, b // self.slots
        slot_a, slot_b = a % self.slots, b % self.slots
        rows = np.abs(rack_a // self.columns - rack_b // self.columns)
        columns = np.abs(rack_a % self.columns - rack_b % self.columns)
        inside = np.abs(slot_a - slot_b) * self.slot_pitch
        over = (2 * self.slots - slot_a - slot_b) * self.slot_pitch
        outside = rows * self.row_pitch + columns * self.rack_pitch + over
        return np.where(rack_a == rack_b, inside, outside)

    def name(self, place: int) -> tuple[int, int, int]:
        """Row, column and slot of a place, each from 1."""
        rack, slot = divmod(place, self.slots)
        return rack // self.columns + 1, rack % self.columns + 1, slot + 1


@dataclass(frozen=True)
class Placement:
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


def place(network: Network, plan: FloorPlan | None = None) -> Placement:
    """Put nodes into racks: by number, or along a narrow band of the network if that is shorter.

    Args:
        plan: Racks of 32 slots for as many as there are when left out.

    Examples:
        >>> import hopscape
        >>> placed = place(hopscape.build("torus(4, 4)"), FloorPlan(1, 1, 16))
        >>> round(placed.total, 3), round(placed.longest, 3)
        (5.4, 0.54)
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    room = plan if plan is not None else FloorPlan.for_nodes(network.order)
    room.require(network.order)
    tails, heads, channels = link_ends(network)
    said = network.lengths(channels)
    ways = snake(room)[: network.order]
    ones = np.ones(len(tails), dtype=np.int8)
    half = csr_array((ones, (tails, heads)), shape=(network.order, network.order))
    band = reverse_cuthill_mckee(csr_array(half + half.T), symmetric_mode=True)
    best: Placement | None = None
    for how, order in (("by number", np.arange(network.order)), ("along a band", band)):
        places = np.empty(network.order, dtype=np.int64)
        places[order] = ways
        metres = np.where(np.isnan(said), room.lengths(places[tails], places[heads]), said)
        found = Placement(room, places, how, metres, int((~np.isnan(said)).sum()))
        if best is None or found.total < best.total:
            best = found
    assert best is not None
    return best
