"""The HammingMesh study in the ledger: its price list, its costs recomputed, its bandwidth.

The printed values of its table of 1,024 and 16,384 accelerators are not quoted: they were not at
hand when this was written. What the table counts is recomputed here, part by part.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hopscape.core.network import Network
from hopscape.design.prices import load_prices
from hopscape.ledger.claim import Entries, Outcome, Paper, Tally, Value, judge, with_searched
from hopscape.registry import build

__all__ = ["PAPER", "PRINTED", "costs"]

PRINTED = {"64-port switch": 14280.0, "5 m copper": 272.0, "20 m active optical": 603.0}
"""USD of a piece, as the study prints it, for lines of 400 Gb/s."""

_RADIX = 64  # ports of the paper's switches
_LINES = 16
"""Lines of an accelerator: 16 planes of a fat tree, 4 of networks with four ports each."""

_MACHINES: Mapping[int, Mapping[str, tuple[str, int]]] = {
    1024: {
        "fat tree": ("leaf_spine(32, 16, 32, links=2)", 16),
        "2D HyperX": ("hammingmesh(1, 1, 32, 32)", 4),
        "Hx2Mesh": ("hammingmesh(2, 2, 16, 16)", 4),
        "Hx4Mesh": ("hammingmesh(4, 4, 8, 8)", 4),
        "2D torus": ("torus(32, 32)", 4),
    },
    16384: {
        "fat tree": ("clos(64, 3, pods=16)", 16),
        "2D HyperX": ("hammingmesh(1, 1, 128, 128)", 4),
        "Hx2Mesh": ("hammingmesh(2, 2, 64, 64)", 4),
        "Hx4Mesh": ("hammingmesh(4, 4, 32, 32)", 4),
        "2D torus": ("torus(128, 128)", 4),
    },
}
_BOARDS = {"2D HyperX": 1, "Hx2Mesh": 2, "Hx4Mesh": 4, "2D torus": 2}


# -- the price list -------------------------------------------------------------------------------


def _check_prices() -> Outcome:
    prices = load_prices("hammingmesh")
    _, paid = prices.pick_cables(np.array([0.5, 5.0, 5.1, 20.0, 100.0]))
    listed = {
        "64-port switch": [prices.switch(ports).price for ports in (1, 33, 64)],
        "5 m copper": paid[:2].tolist(),
        "20 m active optical": paid[2:].tolist(),
    }
    tally = Tally()
    tally.expect("prices asked for", 3 + 2 + 3)
    wrong = [
        f"{item}: {price:,.0f} USD in the list, {PRINTED[item]:,.0f} printed"
        for item, some in listed.items()
        for price in tally.each("prices asked for", some)
        if price != PRINTED[item]
    ]
    words = ", ".join(f"{item} {some[0]:,.0f}" for item, some in listed.items())
    return judge(wrong, f"{words} {prices.currency}", searched=tally)


# -- costs ----------------------------------------------------------------------------------------


class Parts(NamedTuple):
    """What a machine is made of: boxes with 64 ports, copper and optical cables."""

    boxes: int
    copper: int
    optical: int

    def cost(self, box: float, copper: float, optical: float) -> float:
        """At these prices, in USD."""
        return self.boxes * box + self.copper * copper + self.optical * optical


def plane_parts(network: Network, name: str) -> Parts:
    """Parts of one plane, counted on its wiring.

    Switches with few ports share a box. Lines to accelerators are copper in a fat tree; else those
    along rows are, and those along columns are optical. All other cables are optical; traces on a
    board cost nothing.
    """
    is_switch = np.zeros(network.order, dtype=bool)
    is_switch[np.setdiff1d(np.arange(network.order), network.endpoints)] = True
    once = network.tails < network.heads
    tails, heads = network.tails[once], network.heads[once]
    between = is_switch[tails] & is_switch[heads]
    ends = is_switch[tails] ^ is_switch[heads]
    if not is_switch.any():
        return Parts(0, 0, _between_boards(network, _BOARDS[name]))
    offset = np.arange(len(network.heads)) - network.indptr[network.tails]
    own = ~is_switch[tails[ends]]
    along = (offset[once][ends] < 2) & own if name in _BOARDS else np.ones(len(own), dtype=bool)
    used, count = np.unique(network.degrees[is_switch], return_counts=True)
    boxes = sum(
        math.ceil(pieces / (_RADIX // ports))
        for ports, pieces in zip(used.tolist(), count.tolist(), strict=True)
    )
    optical = int((~along).sum()) + int(between.sum())
    return Parts(boxes, int(along.sum()), optical)


def _between_boards(network: Network, side: int) -> int:
    """Links of a square torus that leave boards of `side` by `side`."""
    width = math.isqrt(network.order)
    rows, columns = np.divmod(np.arange(network.order), width)
    board = rows // side * width + columns // side
    once = network.tails < network.heads
    return int((board[network.tails[once]] != board[network.heads[once]]).sum())


def machine_parts(size: int) -> dict[str, Parts]:
    """What each topology needs for so many accelerators, all planes together."""
    return {
        name: Parts(*(planes * count for count in plane_parts(build(spec), name)))
        for name, (spec, planes) in _MACHINES[size].items()
    }


def costs(size: int) -> dict[str, float]:
    """What each topology costs for so many accelerators, in USD.

    Examples:
        >>> round(costs(1024)["Hx2Mesh"] / 1e6, 2)
        5.41
    """
    prices = load_prices("hammingmesh")
    _, (copper, optical) = prices.pick_cables(np.array([5.0, 20.0]))
    each = (prices.switch(_RADIX).price, float(copper), float(optical))
    return {name: parts.cost(*each) for name, parts in machine_parts(size).items()}


def _by_formula(size: int) -> dict[str, Parts]:
    """The same by formulas."""
    width = math.isqrt(size)
    levels = 2 if size <= _RADIX**2 // 2 else 3
    boxes = (2 * levels - 1) * size // _RADIX
    out = {"fat tree": Parts(_LINES * boxes, _LINES * size, _LINES * size * (levels - 1))}
    for name, side in _BOARDS.items():
        lines = 2 * width // side  # of a row
        if name == "2D torus":
            out[name] = Parts(0, 0, 4 * width * lines)
            continue
        if lines > _RADIX:
            boxes, trunks = 4 * width * 2 * 3 * lines // _RADIX, 2 * lines
        else:
            boxes, trunks = 4 * width * 2 // (_RADIX // lines), 0
        out[name] = Parts(boxes, 4 * width * lines, 4 * width * (lines + trunks))
    return out


def _levels(network: Network, source: int) -> list[int]:
    """Nodes at distance 0, 1, 2, ..., level by level over the wires."""
    seen = np.zeros(network.order, dtype=bool)
    here, counts = np.array([source]), []
    while len(here):
        seen[here] = True
        counts.append(len(here))
        next_ = np.unique(network.heads[np.isin(network.tails, here)])
        here = next_[~seen[next_]]
    return counts


def _check_costs() -> Outcome:
    wrong, words, values, tally = [], [], {}, Tally()
    tally.expect(
        "cables", sum(m.copper + m.optical for s in _MACHINES for m in _by_formula(s).values())
    )
    for size in tally.each("sizes", _MACHINES, 2):
        price, parts, formula = costs(size), machine_parts(size), _by_formula(size)
        for name, wanted in tally.each("machines", formula.items(), 5):
            tally.add("cables", parts[name].copper + parts[name].optical)
            values[f"{size} {name}"] = (*parts[name], round(price[name]))
            if parts[name] != wanted or price[name] != wanted.cost(*PRINTED.values()):
                wrong.append(
                    f"{name} of {size:,}: {parts[name]} for {price[name]:,.0f} USD counted,"
                    f" {wanted} for {wanted.cost(*PRINTED.values()):,.0f} by formula"
                )
        wrong += [
            f"{name} of {size:,} accelerators costs {price[name]:,.0f} USD, the fat tree"
            f" {price['fat tree']:,.0f}"
            for name in ("Hx2Mesh", "Hx4Mesh")
            if price[name] >= price["fat tree"]
        ]
        shown = ", ".join(f"{name} {cost / 1e6:.3g}" for name, cost in price.items())
        words.append(f"{size:,} accelerators, million USD: {shown}")
    return judge(wrong, "; ".join(words), values=values, searched=tally)


def _check_table() -> Outcome:
    totals = {size: costs(size) for size in _MACHINES}
    values: dict[str, Value] = {
        f"{size} {name}": round(cost) for size in totals for name, cost in totals[size].items()
    }
    tally = Tally()
    tally.expect("accelerators of five machines", 5 * 1024)
    for name, (spec, _) in tally.each("machines", _MACHINES[1024].items(), 5):
        network = build(spec)
        degrees, nodes = np.unique(network.degrees, return_counts=True)
        values[f"{name}, nodes by degree"] = [degrees.tolist(), nodes.tolist()]
        values[f"{name}, nodes by distance"] = _levels(network, 0)
        tally.add("accelerators of five machines", network.endpoint_count)
    text = "; ".join(
        f"{size:,}: " + ", ".join(f"{name} {cost / 1e6:.3g}" for name, cost in some.items())
        for size, some in totals.items()
    )
    note = "the printed values are not at hand, so that nothing is compared; recomputed only"
    return with_searched(Outcome("open", f"{text} million USD", note, values), tally)


# -- bandwidth ------------------------------------------------------------------------------------


def neighbour_loads(
    network: Network, height: int, width: int, tally: Tally
) -> tuple[int, list[str]]:
    """Most that a channel carries when all send to their four neighbours of a torus at once.

    Neighbours are joined by a link or over one switch, by the port that leads there.

    Returns:
        most: int
        apart (list of str): Neighbours that are not joined so.
    """
    loads = np.zeros(len(network.heads), dtype=np.int64)
    apart = []
    east, west, south, north = range(4)
    for port, back, down, right in (
        (east, west, 0, 1),
        (west, east, 0, -1),
        (south, north, 1, 0),
        (north, south, -1, 0),
    ):
        for node in tally.each("messages to neighbours", range(height * width)):
            row, column = divmod(node, width)
            goal = (row + down) % height * width + (column + right) % width
            out = int(network.indptr[node]) + port
            middle, last = int(network.heads[out]), int(network.indptr[goal]) + back
            loads[out] += 1
            if middle == goal:
                continue
            if middle != int(network.heads[last]) or middle < height * width:
                apart.append(f"{node} and {goal} meet at no switch")
                continue
            enter = np.flatnonzero(
                network.heads[network.indptr[middle] : network.indptr[middle + 1]] == goal
            )
            loads[int(network.indptr[middle]) + int(enter[0])] += 1
    return int(loads.max(initial=0)), apart


def _check_neighbours() -> Outcome:
    wrong, words, tally = [], [], Tally()
    sizes = ((2, 4), (2, 16), (4, 3), (4, 8), (3, 5))
    tally.expect("messages to neighbours", 4 * (8**2 + 32**2 + 12**2 + 32**2 + 15**2))
    for a, x in tally.each("machines", sizes, 5):
        spec = f"hammingmesh({a}, {a}, {x}, {x})"
        network = build(spec)
        most, apart = neighbour_loads(network, a * x, a * x, tally)
        wrong += [f"{spec}: {apart[0]}"] if apart else []
        wrong += [f"{spec}: a channel carries {most} lines"] if most > 1 else []
        words.append(f"{spec} {most}")
    return judge(wrong, f"most lines on a channel: {', '.join(words)}", searched=tally)


def _check_global() -> Outcome:
    from hopscape.metrics.throughput import switch_graph

    names = ("Hx2Mesh", "Hx4Mesh")
    shares = {
        name: switch_graph(build(_MACHINES[1024][name][0])).uniform().throughput for name in names
    }
    text = ", ".join(f"{name} {100 * share:.1f} %" for name, share in shares.items())
    return Outcome(
        "open",
        f"uniform traffic, of what 1,024 accelerators inject: {text}",
        "the abstract names no figure that 'high' could be held against",
        {name: round(share, 9) for name, share in shares.items()},
    )


# -- the entries -----------------------------------------------------------------------------------

_claim = Entries("hammingmesh").claim

CLAIMS = (
    _claim(
        "hammingmesh-prices",
        "price list",
        "A 64-port switch costs 14,280 USD, a 5 m copper cable 272, a 20 m active optical one 603.",
        "the shipped list asked for switches of 1 to 64 ports and cables of 0.5 to 100 m",
        _check_prices,
    ),
    _claim(
        "hammingmesh-low-cost",
        "abstract",
        "HammingMesh provides high bandwidth at low cost.",
        "all parts counted on the wiring of 1,024 and 16,384 accelerators with 16 lines each, and"
        " again by formulas: boards of 2 by 2 and 4 by 4 against a fat tree without taper; rows in"
        " copper, columns optical, switches of few ports share a box",
        _check_costs,
    ),
    _claim(
        "hammingmesh-two-dimensions",
        "abstract",
        "Jobs with two dimensions of parallelism get full bandwidth.",
        "all accelerators send to their four neighbours of a torus at once: no channel carries more"
        " than one line (five sizes)",
        _check_neighbours,
    ),
    _claim(
        "hammingmesh-global-bandwidth",
        "abstract",
        "It supports high global bandwidth for generic traffic.",
        "uniform traffic over all shortest paths",
        _check_global,
        searches=False,
    ),
    _claim(
        "hammingmesh-table",
        "table of costs",
        "Costs of several topologies for about 1,024 and 16,384 accelerators.",
        "recomputed with the study's price list",
        _check_table,
    ),
)

PAPER = Paper(
    "hammingmesh",
    "Hoefler and others: HammingMesh, a network topology for large-scale deep learning (SC 2022)",
    ("hammingmesh",),
    CLAIMS,
    pinned=Path(__file__).with_name("pinned.jsonl"),
)
