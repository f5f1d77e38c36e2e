"""The bill of materials: every part of a machine as it stands on its floor, and what it costs.

There is one bill of a machine. The ranking, the report, ``bill.csv`` and ``cables.csv`` of the
hand-over go by it: a cable is copper where the price list has one that reaches so far and is the
cheapest, else optical, and its length is that of the one placement.
"""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hopscape.core.arrays import Floats, IntArray
from hopscape.core.files import write_atomically
from hopscape.core.network import Network
from hopscape.design.floorplan import FloorPlan, RackLayout, place
from hopscape.design.prices import Item, PriceList
from hopscape.families.concentrated import ISLAND
from hopscape.formats.graphs.libraries import link_ends

__all__ = ["Bill", "BillPart", "bill_of", "cable_parts", "priced", "rack_watts", "write_bill"]

_STOCK = (0.5, 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 100, math.inf)


class BillPart(NamedTuple):
    """A line of the bill of materials.

    Attributes:
        kind: {'switch', 'node', 'copper', 'optical', 'transceiver', 'cable', 'nic'}
        number: Part number, as the price list has it.
        metres, money, watts: In all; None where there is nothing to say.
    """

    part: str
    pieces: int
    metres: float | None = None
    money: float | None = None
    watts: float | None = None
    kind: str = ""
    number: str = ""


@dataclass(frozen=True)
class Bill:
    """What a machine is made of and what that comes to.

    Attributes:
        currency: Empty where there is no price list.
    """

    parts: tuple[BillPart, ...]
    currency: str = ""

    def pieces(self, kind: str) -> int:
        """How many there are of a kind."""
        return sum(part.pieces for part in self.parts if part.kind == kind)

    @property
    def cost(self) -> float:
        """All parts, to the cent."""
        return round(math.fsum(part.money or 0.0 for part in self.parts), 2)

    @property
    def watts(self) -> float:
        return math.fsum(part.watts or 0.0 for part in self.parts)

    @property
    def metres(self) -> float:
        """Cable in all."""
        return math.fsum(part.metres or 0.0 for part in self.parts)


def priced(network: Network, plan: FloorPlan | None, prices: PriceList) -> tuple[RackLayout, Bill]:
    """A network in its room, and what that comes to."""
    placed = place(network, plan)
    return placed, bill_of(network, placed.lengths, prices)


def bill_of(network: Network, lengths: Floats, prices: PriceList | None = None) -> Bill:
    """Count and price all parts.

    Args:
        lengths: Metres of each link, as :attr:`RackLayout.lengths` has them.
        prices: Cables by the length that is on stock, and no money, when left out.

    Raises:
        ArgumentError: When the list has no switch or cable that is large or long enough.

    Examples:
        >>> import hopscape
        >>> from hopscape.design.prices import load_prices
        >>> star = hopscape.build([(0, leaf) for leaf in range(1, 8)])
        >>> found = bill_of(star, np.full(7, 2.0))
        >>> [(part.part, part.pieces) for part in found.parts]
        [('node of 1 network ports', 7), ('node of 7 network ports', 1), ('cable of up to 2 m', 7)]
        >>> network = hopscape.build("concentrated(complete(3), 4)")
        >>> bill_of(network, np.full(15, 2.0), load_prices()).cost
        14790.0
    """
    if prices is None or not network.has_switches:
        return Bill((*_nodes(network), *_by_length(lengths)))
    inside = _inside(network)
    if inside.any():
        lengths = lengths[~inside]
    lines = int(_bought_ports(network)[network.endpoints].sum())
    nic = prices.nic
    parts = (
        *_switches(network, prices),
        *_cables(lengths, prices),
        BillPart(nic.called, lines, None, nic.price * lines, nic.watts * lines, "nic", nic.part),
    )
    return Bill(parts, prices.currency)


def _nodes(network: Network) -> list[BillPart]:
    degrees, counts = np.unique(network.degrees, return_counts=True)
    return [
        BillPart(f"node of {degree} network ports", int(count), kind="node")
        for degree, count in zip(degrees.tolist(), counts.tolist(), strict=True)
    ]


def _by_length(lengths: Floats) -> list[BillPart]:
    """Cables by the length that is on stock."""
    out, below = [], -1.0
    for most in _STOCK:
        mine = lengths[(lengths > below) & (lengths <= most)]
        below = most
        if len(mine):
            name = f"of up to {most:g} m" if most < math.inf else "of more than 100 m"
            out.append(BillPart(f"cable {name}", len(mine), float(mine.sum()), kind="cable"))
    return out


def _inside(network: Network) -> IntArray:
    """bool[links]: links inside an island, part of the server."""
    channels = link_ends(network)[2]
    kinds = [i for i, kind in enumerate(network.classes) if kind.name == ISLAND]
    return np.isin(network.class_of(channels), kinds) if kinds else np.zeros(len(channels), bool)


def _bought_ports(network: Network) -> IntArray:
    """int64[nodes]: ports to cables that are bought."""
    degrees = network.degrees.astype(np.int64)
    inside = _inside(network)
    if inside.any():
        for side in link_ends(network)[:2]:
            degrees = degrees - np.bincount(side[inside], minlength=network.order)
    return degrees


def _switches(network: Network, prices: PriceList) -> list[BillPart]:
    boxes = np.setdiff1d(np.arange(network.order), network.endpoints)
    degrees = _bought_ports(network)[boxes]
    used, pieces = np.unique(degrees[degrees > 0], return_counts=True)
    out = []
    for ports, count in zip(used.tolist(), pieces.tolist(), strict=True):
        item = prices.switch(ports)
        name = f"{item.name or 'switch'} of {item.size:g} ports, {ports} in use"
        name += f" ({item.part})" if item.part else ""
        money, watts = item.price * count, item.watts * count
        out.append(BillPart(name, count, None, money, watts, "switch", item.part))
    return out


def _cables(lengths: Floats, prices: PriceList) -> list[BillPart]:
    chosen, paid = prices.pick_cables(lengths)
    out: list[BillPart] = []
    ends: dict[str, tuple[Item, int]] = {}
    for i, item in enumerate(prices.cables):
        mine = chosen == i
        if count := int(mine.sum()):
            metres, money = math.fsum(lengths[mine]), math.fsum(paid[mine])
            watts = item.watts * count
            if (end := item.ends) is not None:  # on a line of their own
                money, watts = money - 2 * count * end.price, watts - 2 * count * end.watts
                ends[end.name] = (end, ends.get(end.name, (end, 0))[1] + 2 * count)
            out.append(BillPart(item.called, count, metres, money, watts, item.kind, item.part))
    for end, count in ends.values():
        money, watts = end.price * count, end.watts * count
        out.append(BillPart(end.called, count, None, money, watts, "transceiver", end.part))
    return out


def cable_parts(network: Network, lengths: Floats, prices: PriceList) -> list[str]:
    """Which cable of the list each link is, by the name that the bill gives it."""
    inside = _inside(network)
    chosen: IntArray = prices.pick_cables(lengths)[0]
    names = [item.called for item in prices.cables]
    return [
        "inside the island" if within else names[i]
        for i, within in zip(chosen.tolist(), inside.tolist(), strict=True)
    ]


def rack_watts(network: Network, placed: RackLayout, prices: PriceList) -> float:
    """Watts of the network's parts in the rack that has most of them.

    Switches and network interfaces count where they stand, a cable half at either end.

    Examples:
        >>> import hopscape
        >>> from hopscape.design.prices import load_prices
        >>> network = hopscape.build("concentrated(complete(3), 4)")
        >>> rack_watts(network, place(network), load_prices())
        576.0
    """
    watts = np.zeros(network.order)
    is_end = np.zeros(network.order, dtype=bool)
    is_end[network.endpoints] = True
    degrees = _bought_ports(network)
    for ports in np.unique(degrees[~is_end & (degrees > 0)]).tolist():
        watts[~is_end & (degrees == ports)] = prices.switch(ports).watts
    watts[is_end] = prices.nic.watts * degrees[is_end]
    tails, heads, _ = link_ends(network)
    chosen = prices.pick_cables(placed.lengths)[0]
    each = np.array([item.watts for item in prices.cables])[chosen] / 2
    each[_inside(network)] = 0.0
    for ends in (tails, heads):
        watts += np.bincount(ends, each, minlength=network.order)
    return round(float(np.bincount(placed.places // placed.plan.slots, watts).max()), 3)


def write_bill(bill: Bill, path: Path, source: str) -> None:
    """Write a bill as CSV, the total last; money to the cent."""
    text = io.StringIO()
    text.write(f"# prices: {source}, {bill.currency}\n")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["part", "kind", "pieces", "metres", "money", "watts", "number"])
    for part in bill.parts:
        metres = "" if part.metres is None else f"{part.metres:.3f}"
        row = [part.part, part.kind, part.pieces, metres]
        writer.writerow([*row, f"{part.money or 0:.2f}", f"{part.watts or 0:g}", part.number])
    metres, cost = f"{bill.metres:.3f}", f"{bill.cost:.2f}"
    writer.writerow(["in all", "", "", metres, cost, f"{bill.watts:g}", ""])
    write_atomically(path, lambda out: out.write(text.getvalue().encode()))
