"""Dead links and nodes: what fails when, and the routing of what is left.

From the cycle of a fault on, packets follow recomputed shortest tables (old ports stay wherever
they still begin a shortest way) with classes of virtual channels that are certified again; where
those do not fit into the virtual channels, up*/down* on what is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.deadlock.classes import find_classes
from hopscape.deadlock.tables import NO_PORT, RoutingTable
from hopscape.simulate import layout
from hopscape.simulate.fabric import Plant, damaged_plant

__all__ = ["Epoch", "Fault", "plan_epochs", "read_faults"]


@dataclass(frozen=True, order=True)
class Fault:
    """Something that dies at the start of a cycle.

    Attributes
    ----------
    cycle : int
        Counted from the start of the run, warm-up included.
    kind : {'link', 'node'}
    ends : tuple of int
        The two nodes of a link (all parallel ones die), or the node.
    """

    cycle: int
    kind: str
    ends: tuple[int, ...]


@dataclass(frozen=True)
class Epoch:
    """The network from a cycle on.

    Attributes
    ----------
    cycle : int
    plant : Plant
        With the tables that hold from then on.
    alive : bool[channels]
    dead_nodes : bool[order]
    broken : uint8[order, order]
        Pairs whose route in the epoch before takes a channel that is dead now.
    """

    cycle: int
    plant: Plant
    alive: IntArray
    dead_nodes: IntArray
    broken: IntArray


def read_faults(
    network: Network, links: Sequence[str] = (), nodes: Sequence[str] = ()
) -> tuple[Fault, ...]:
    """Faults from texts: links ``0-1`` or ``0-1@500``, nodes ``7`` or ``7@500``.

    Examples
    --------
    >>> import hopscape
    >>> read_faults(hopscape.build("ring(6)"), ["0-1@500"], ["3"])
    (Fault(cycle=0, kind='node', ends=(3,)), Fault(cycle=500, kind='link', ends=(0, 1)))
    """
    found = []
    for text in links:
        name, cycle = _when(text)
        parts = name.split("-")
        if len(parts) != 2:
            raise ArgumentError(f"fail-link {text!r} must be A-B or A-B@CYCLE")
        ends = (network.node(parts[0].strip()), network.node(parts[1].strip()))
        if not ((network.tails == ends[0]) & (network.heads == ends[1])).any():
            raise ArgumentError(f"fail-link {text!r}: {network.spec} has no such link")
        found.append(Fault(cycle, "link", ends))
    for text in nodes:
        name, cycle = _when(text)
        found.append(Fault(cycle, "node", (network.node(name.strip()),)))
    return tuple(sorted(found))


def _when(text: str) -> tuple[str, int]:
    name, sign, cycle = text.partition("@")
    if sign and not cycle.strip().isdecimal():
        raise ArgumentError(f"fault {text!r}: after @ comes a cycle, a whole number from 0")
    return name, int(cycle) if sign else 0


def plan_epochs(plant: Plant, faults: Sequence[Fault]) -> list[Epoch]:
    """The network after each cycle in which something dies, in order.

    Raises
    ------
    ArgumentError
        When no routing of what is left, free of deadlock, fits into the virtual channels.
    """
    network = plant.network
    alive = np.ones(len(network.heads), dtype=np.bool_)
    dead = np.zeros(network.order, dtype=np.bool_)
    epochs: list[Epoch] = []
    before = plant
    for cycle in sorted({fault.cycle for fault in faults}):
        alive, dead = alive.copy(), dead.copy()
        for fault in faults:
            if fault.cycle == cycle:
                _kill(network, fault, alive, dead)
        now = _mended(plant, before, alive, cycle)
        epochs.append(Epoch(cycle, now, alive, dead, _broken(before, alive)))
        before = now
    return epochs


def _kill(network: Network, fault: Fault, alive: IntArray, dead: IntArray) -> None:
    tails, heads = network.tails, network.heads
    if fault.kind == "node":
        dead[fault.ends[0]] = True
        alive[(tails == fault.ends[0]) | (heads == fault.ends[0])] = False
        return
    a, b = fault.ends
    alive[(tails == a) & (heads == b)] = False
    if network.duplex:
        alive[(tails == b) & (heads == a)] = False


def _broken(plant: Plant, alive: IntArray) -> IntArray:
    from hopscape.simulate.fault_kernels import routes_over

    network = plant.network
    over = np.zeros((network.order, network.order), dtype=np.uint8)
    routes_over(network.indptr, network.heads, plant.table.port, alive, over)
    return over


def _mended(first: Plant, before: Plant, alive: IntArray, cycle: int) -> Plant:
    """The plant with tables for the live channels."""
    from hopscape.simulate.fault_kernels import mend_ports

    network = first.network
    port = np.full((network.order, network.order), NO_PORT, dtype=np.uint16)
    by_head = np.argsort(network.heads, kind="stable")
    starts = np.searchsorted(network.heads[by_head], np.arange(network.order + 1))
    mend_ports(
        network.indptr,
        network.heads,
        network.tails,
        by_head,
        starts,
        alive,
        before.table.port,
        port,
    )
    name = f"shortest from cycle {cycle} on"
    table = RoutingTable(network, name, port, None, first.table.rings)
    moved = _broken(first, alive) * (port != NO_PORT).astype(np.uint8)
    try:
        return _with_classes(first, table, alive, moved)
    except ArgumentError:
        if not network.duplex:
            raise
    return _with_classes(first, _up_down(network, alive, cycle), alive, moved)


def _with_classes(plant: Plant, table: RoutingTable, alive: IntArray, moved: IntArray) -> Plant:
    anywhere = plant.settings.routing == "adaptive"
    table, classes, proof = find_classes(plant.network, table, anywhere=anywhere)
    made = damaged_plant(plant, table, classes, proof, alive)
    return replace(made, fabric=made.fabric._replace(moved=moved))


def _up_down(network: Network, alive: IntArray, cycle: int) -> RoutingTable:
    """Up*/down* in every part of what is left, by the channels of the whole network."""
    from hopscape.deadlock.updown import UpDownRouter

    live = np.nonzero(alive)[0]
    pairs = {(int(a), int(b)) for a, b in zip(network.tails[live], network.heads[live])}
    links = sorted((a, b) for a, b in pairs if a < b and (b, a) in pairs)
    left = Network.from_links(network.order, [a for a, _ in links], [b for _, b in links])
    router = UpDownRouter(left, partial=True)
    channel = {
        (int(network.tails[c]), int(network.heads[c])): int(c - network.indptr[network.tails[c]])
        for c in live[::-1]
    }
    port = np.full((network.order, network.order), NO_PORT, dtype=np.uint16)
    goals = np.arange(network.order)
    for v in range(network.order):
        if left.degrees[v] == 0:
            continue
        taken = router.next_ports(np.full(network.order, v), goals)
        heads = left.heads[left.channel_at(np.full(network.order, v), np.maximum(taken, 0))]
        for goal in np.nonzero(taken >= 0)[0]:
            port[v, goal] = channel[(v, int(heads[goal]))]
    return RoutingTable(network, f"up*/down* from cycle {cycle} on", port, None, None)


def dead_endpoints(epoch: Epoch) -> IntArray:
    """Endpoints whose node is dead."""
    return np.nonzero(epoch.dead_nodes[epoch.plant.home])[0]


def refresh_lines(state: layout.State, plant: Plant) -> None:
    """Rings of the channels as the new classes see them."""
    state.units[:, layout.U_RING] = plant.lines[:, layout.U_RING]
