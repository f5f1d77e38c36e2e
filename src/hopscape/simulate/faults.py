"""Dead links and nodes: what fails when, and the routing of what is left.

From the cycle of a fault on, packets follow new tables with classes of virtual channels that are
certified again. Old ports stay wherever they still begin a shortest path; other routes come from
the family's own routing round dead parts where it has one, or from shortest tables. Where the
classes do not fit into the virtual channels, tables and then up*/down* on what is left are tried.

What a fault does to the packets in flight.

A packet is lost at once, all its flits together and their buffer places free again, when one of
its flits is on a dead link or in a dead router, or when it has begun to cross a dead link. All
others take the new tables from the router that their first flit has reached. Packets without a path
are thrown away by the engine when they are routed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.faults import read_link
from hopscape.core.network import Network
from hopscape.core.router import Route
from hopscape.deadlock.classes import find_classes
from hopscape.deadlock.judgement import required_vcs
from hopscape.deadlock.layout import Wiring
from hopscape.deadlock.routes import RoutingTable
from hopscape.simulate import layout
from hopscape.simulate.fabric import Setup, damaged_setup
from hopscape.simulate.layout import Source, State

__all__ = [
    "Epoch",
    "Fault",
    "census",
    "discard",
    "gather_flits",
    "plan_epochs",
    "read_faults",
    "strike",
]


@dataclass(frozen=True, order=True)
class Fault:
    """Something that dies at the start of a cycle.

    Attributes:
        cycle: Counted from the start of the run, warm-up included.
        kind: {'link', 'node'}
        ends: The two nodes of a link (all parallel ones die), or the node.
    """

    cycle: int
    kind: str
    ends: tuple[int, ...]


@dataclass(frozen=True)
class Epoch:
    """The network from a cycle on.

    Attributes:
        setup: With the tables that hold from then on.
        alive: bool[channels]
        dead_nodes: bool[order]
        broken (uint8[order, order]): Pairs whose route in the epoch before takes a channel that is
            dead now.
        routes ({'family', 'tables', 'up*/down*'}): Where the new routes come from.
        unserved: Pairs of endpoints with a path for which the family's routing found none; tables
            serve them.
    """

    cycle: int
    setup: Setup
    alive: IntArray
    dead_nodes: IntArray
    broken: IntArray
    routes: str = "tables"
    unserved: int = 0

    def to_dict(self) -> dict[str, Any]:
        """What a result says about it."""
        setup, network = self.setup, self.setup.network
        ends = network.endpoints
        live = ends[~self.dead_nodes[ends]]
        missing = setup.table.port[np.ix_(live, live)] == NO_PORT
        proof = setup.certificate
        return {
            "cycle": self.cycle,
            "dead_channels": int((~self.alive).sum()),
            "dead_nodes": int(self.dead_nodes.sum()),
            "routes": self.routes,
            "unserved": self.unserved,
            "pairs_without_way": int(missing.sum()) - len(live),
            "deadlock_free": proof.deadlock_free,
            "vcs": required_vcs(setup.settings.routing, setup.classes.count),
            "method": proof.method,
            "words": proof.words(),
        }


def read_faults(
    network: Network, links: Sequence[str] = (), nodes: Sequence[str] = ()
) -> tuple[Fault, ...]:
    """Faults from texts: links ``0-1`` or ``0-1@500``, nodes ``7`` or ``7@500``.

    Examples:
        >>> import hopscape
        >>> read_faults(hopscape.build("ring(6)"), ["0-1@500"], ["3"])
        (Fault(cycle=0, kind='node', ends=(3,)), Fault(cycle=500, kind='link', ends=(0, 1)))
    """
    faults = []
    for text in links:
        name, cycle = _when(text)
        faults.append(Fault(cycle, "link", read_link(network, name)))
    for text in nodes:
        name, cycle = _when(text)
        faults.append(Fault(cycle, "node", (network.node(name.strip()),)))
    return tuple(sorted(faults))


def _when(text: str) -> tuple[str, int]:
    name, sign, cycle = text.partition("@")
    if sign and not cycle.strip().isdecimal():
        raise ArgumentError(f"fault {text!r}: after @ comes a cycle, a whole number from 0")
    return name, int(cycle) if sign else 0


def plan_epochs(
    setup: Setup, faults: Sequence[Fault], fault_routing: str = "family"
) -> list[Epoch]:
    """The network after each cycle in which something dies, in order.

    Args:
        fault_routing ({'family', 'tables'}): Ask the family for ways round what is dead, where it
            knows any, or take tables.

    Raises:
        ArgumentError: When no routing of what is left, free of deadlock, fits into the virtual
            channels.
    """
    if setup.chosen is not None:
        raise ArgumentError(f"{setup.chosen.router} routes do not go round dead parts")
    if fault_routing not in ("family", "tables"):
        raise ArgumentError(f"fault_routing is {fault_routing!r}; choose family or tables")
    network = setup.network
    alive = np.ones(len(network.heads), dtype=np.bool_)
    dead = np.zeros(network.order, dtype=np.bool_)
    epochs: list[Epoch] = []
    before = setup
    for cycle in sorted({fault.cycle for fault in faults}):
        alive, dead = alive.copy(), dead.copy()
        for fault in faults:
            if fault.cycle == cycle:
                _kill(network, fault, alive, dead)
        mended = _mended(setup, before, alive, dead, cycle, fault_routing)
        epochs.append(Epoch(cycle, mended[0], alive, dead, _broken(before, alive), *mended[1:]))
        before = mended[0]
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


def _broken(setup: Setup, alive: IntArray) -> IntArray:
    from hopscape.simulate.table_kernels import routes_over

    network = setup.network
    over = np.zeros((network.order, network.order), dtype=np.uint8)
    routes_over(network.indptr, network.heads, setup.table.port, alive, over)
    return over


def _mended(
    first: Setup, before: Setup, alive: IntArray, dead: IntArray, cycle: int, asked: str
) -> tuple[Setup, str, int]:
    """The set-up with routes over the live channels, where they come from, and pairs unserved."""
    network = first.network
    shortest = _shortest(before, alive)
    moved = _broken(first, alive) * (shortest != NO_PORT).astype(np.uint8)
    trials: list[tuple[str, Any]] = []
    if asked == "family" and network.family is not None:
        nodes, links = np.nonzero(dead)[0].tolist(), _cut_links(network, alive, dead)
        ask = network.family.detours(network, nodes, links)
        if ask is not None:
            trials.append(("family", lambda: _detours(before, alive, shortest, ask)))
    trials.append(("tables", lambda: (shortest, 0)))
    if network.duplex:
        trials.append(("up*/down*", lambda: (_up_down(network, alive), 0)))
    refused: ArgumentError | None = None
    for name, make in trials:
        port, unserved = make()
        rings = first.table.rings if name != "up*/down*" else None
        table = RoutingTable(network, f"{name} from cycle {cycle} on", port, None, rings)
        try:
            return _with_classes(first, table, alive, moved), name, unserved
        except ArgumentError as error:
            refused = refused or error
    raise ArgumentError(f"after the fault at cycle {cycle}: {refused}")


def _cut_links(network: Network, alive: IntArray, dead: IntArray) -> list[tuple[int, int]]:
    """Dead links between live nodes."""
    tails, heads = network.tails, network.heads
    cut = ~alive & ~dead[tails] & ~dead[heads]
    return sorted({(int(a), int(b)) for a, b in zip(tails[cut], heads[cut])})


def _detours(
    before: Setup, alive: IntArray, shortest: IntArray, ask: Callable[[int, int], Route | None]
) -> tuple[IntArray, int]:
    """Ports along the family's routes; whole old routes stay. Also how many pairs it did not serve.

    A new route is followed until it meets one that is already there, so no circle can arise.
    """
    network = before.network
    whole = _broken(before, alive) == 0
    port = np.where(whole, before.table.port, NO_PORT).astype(np.uint16)
    port[shortest == NO_PORT] = NO_PORT
    offset = np.arange(len(network.heads)) - network.indptr[network.tails]
    step = {
        (int(network.tails[c]), int(network.heads[c])): int(offset[c])
        for c in np.nonzero(alive)[0][::-1]
    }
    ends, unserved = network.endpoints.tolist(), 0
    for goal in ends:
        column, best = port[:, goal], shortest[:, goal]
        for source in ends:
            if source == goal or column[source] != NO_PORT or best[source] == NO_PORT:
                continue
            detour = ask(source, goal)
            if detour is None or any(pair not in step for pair in pairwise(detour.path)):
                unserved += 1
                continue
            last = {v: i for i, v in enumerate(detour.path)}  # no node twice
            at = source
            while at != goal and column[at] == NO_PORT:
                then = detour.path[last[at] + 1]
                column[at] = step[(at, then)]
                at = then
        _fill_up(network, column, best, goal)
    return port, unserved


def _fill_up(network: Network, column: IntArray, best: IntArray, goal: int) -> None:
    """Give nodes that have no port yet the shortest one, until the way joins a route."""
    for source in np.nonzero((column == NO_PORT) & (best != NO_PORT))[0].tolist():
        at = source
        while at != goal and column[at] == NO_PORT:
            column[at] = best[at]
            at = int(network.heads[network.indptr[at] + best[at]])


def _shortest(before: Setup, alive: IntArray) -> IntArray:
    """Shortest next ports over the live channels, old ones kept wherever they serve."""
    from hopscape.simulate.table_kernels import mend_ports

    network = before.network
    port = np.full((network.order, network.order), NO_PORT, dtype=np.uint16)
    wiring = Wiring(network.indptr, network.heads)
    mend_ports(wiring, network.incoming(), alive, before.table.port, port)
    return port


def _with_classes(setup: Setup, table: RoutingTable, alive: IntArray, moved: IntArray) -> Setup:
    anywhere = setup.settings.routing == "adaptive"
    table, classes, proof = find_classes(
        setup.network, table, anywhere=anywhere, spread=setup.settings.spread
    )
    made = damaged_setup(setup, table, classes, proof, alive)
    return replace(made, fabric=made.fabric._replace(moved=moved))


def _up_down(network: Network, alive: IntArray) -> IntArray:
    """Up*/down* in every part of what is left, by the channels of the whole network."""
    from hopscape.deadlock.one_lane import UpDownRouter

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
    return port


def dead_endpoints(epoch: Epoch) -> IntArray:
    """Endpoints whose node is dead."""
    return np.nonzero(epoch.dead_nodes[epoch.setup.home])[0]


def refresh_lines(state: layout.State, setup: Setup) -> None:
    """Rings of the channels as the new classes see them."""
    state.units[:, layout.U_RING] = setup.lines[:, layout.U_RING]


Flits = dict[int, list[int]]


def gather_flits(state: State) -> None:
    """Copy the first flits into the buffers too, where they are looked for with the others."""
    state.flits[np.arange(len(state.vcs)), state.vcs[:, layout.HEAD]] = state.vcs[:, layout.FRONT]


def _buffers(epoch_depth: int, state: State) -> tuple[Flits, dict[int, list[tuple[int, int]]]]:
    """Flits of each row, first ones first, and the places in the wheel of those under way."""
    gather_flits(state)
    wheel = len(state.arrivals)
    now = int(state.scalars[layout.NOW])
    coming: dict[int, list[tuple[int, int]]] = {}
    for later in range(wheel):
        slot = (now + later) % wheel
        for place in range(1, int(state.arrivals[slot, layout.FILLED]), 2):
            row = int(state.arrivals[slot, place])
            coming.setdefault(row, []).append((slot, place))
    held: Flits = {}
    rows = np.nonzero(state.vcs[:, layout.COUNT])[0].tolist()
    for row in sorted({*rows, *coming}):
        head, seen = int(state.vcs[row, layout.HEAD]), int(state.vcs[row, layout.COUNT])
        held[row] = [int(state.flits[row, (head + i) % epoch_depth]) for i in range(seen)]
        held[row] += [int(state.arrivals[slot, at + 1]) for slot, at in coming.get(row, ())]
    return held, coming


def _leaving(state: State) -> list[tuple[int, int]]:
    """Row and flit of everything on its way to an endpoint."""
    out = []
    for slot in range(len(state.ejections)):
        for place in range(1, int(state.ejections[slot, layout.FILLED]), 2):
            out.append((int(state.ejections[slot, place]), int(state.ejections[slot, place + 1])))
    return out


def census(depth: int, state: State) -> set[int]:
    """Numbers of all packets that are somewhere: in a buffer, on a link, at their source."""
    held, _ = _buffers(depth, state)
    packets = {flit >> 2 for flits in held.values() for flit in flits}
    packets |= {flit >> 2 for _, flit in _leaving(state)}
    return packets | {int(w) for w in state.injectors[:, layout.I_SENDING] if w >= 0}


class _Patient:
    """The state at a fault, with what the cuts have to know."""

    def __init__(self, epoch: Epoch, state: State) -> None:
        self.epoch, self.state = epoch, state
        self.numbers = epoch.setup.fabric.numbers
        self.shift = int(self.numbers[layout.N_SHIFT])
        self.channels = int(self.numbers[layout.N_CHANNELS])
        self.depth = epoch.setup.settings.buffer
        self.held, self.coming = _buffers(self.depth, state)
        vcs = state.vcs
        self.active = np.nonzero(vcs[:, layout.STATE] == layout.ACTIVE)[0].tolist()
        self.feeder = {int(vcs[row, layout.OUT]): row for row in self.active}

    def holder(self, row: int) -> int:
        """The packet that a busy row serves, even when its next flits are still to come."""
        while row not in self.held:
            if row >> self.shift >= self.channels:
                line = (row >> self.shift) - self.channels
                return int(self.state.injectors[line, layout.I_SENDING])
            if row not in self.feeder:
                return -1
            row = self.feeder[row]
        return self.held[row][0] >> 2

    def lost(self) -> set[int]:
        """Packets that the fault destroys."""
        state, epoch = self.state, self.epoch
        units, setup = state.units, epoch.setup
        dead_unit = np.zeros(len(units), dtype=np.bool_)
        dead_unit[: self.channels] = ~epoch.alive
        gone: set[int] = set()
        for row, flits in self.held.items():
            unit = row >> self.shift
            if epoch.dead_nodes[units[unit, layout.U_TO]]:
                gone |= {flit >> 2 for flit in flits}
            elif dead_unit[unit]:
                gone |= {flit >> 2 for flit in flits[int(state.vcs[row, layout.COUNT]) :]}
        for row in self.active:
            if dead_unit[int(state.vcs[row, layout.OUT]) >> self.shift]:
                first = self.held.get(row, [0])[0]
                if not first & layout.FIRST:
                    gone.add(self.holder(row))
        for row, flit in _leaving(state):
            if epoch.dead_nodes[units[row >> self.shift, layout.U_TO]]:
                gone.add(flit >> 2)
        dead = np.repeat(epoch.dead_nodes[setup.home], setup.settings.injectors)
        gone |= set(state.injectors[dead, layout.I_SENDING].tolist())
        return gone - {-1}

    def fronts(self) -> dict[int, int]:
        """The router that the first flit of each packet has reached or is about to reach."""
        units = self.state.units
        return {
            flit >> 2: int(units[row >> self.shift, layout.U_TO])
            for row, flits in self.held.items()
            for flit in flits
            if flit & layout.FIRST
        }


def strike(epoch: Epoch, state: State, source: Source) -> None:
    """Let the fault of an epoch happen: lose packets, turn the others, silence dead endpoints."""
    from hopscape.simulate.source_kernels import silence

    patient = _Patient(epoch, state)
    gone = patient.lost()
    _let_go(patient)
    _remove(patient, gone)
    refresh_lines(state, epoch.setup)
    _ask_anew(state)
    _turn(patient, gone)
    for e in dead_endpoints(epoch):
        silence(state, source, int(e))


def _ask_anew(state: State) -> None:
    """Packets that wait with a route are routed, and counted, once more."""
    vcs = state.vcs
    routed = np.nonzero((vcs[:, layout.STATE] == layout.WAITING) & (vcs[:, layout.OUT] >= 0))[0]
    fronts = vcs[routed, layout.FRONT] >> 2
    state.packets[fronts, layout.HOPS] -= 1
    vcs[routed, layout.OUT] = -1


def discard(epoch: Epoch, state: State, packets: set[int]) -> None:
    """Throw packets away: those that wait for each other between old and new routes."""
    _remove(_Patient(epoch, state), packets)


def _let_go(patient: _Patient) -> None:
    """Packets that were given a dead channel but have not begun to cross it ask again."""
    vcs, alive = patient.state.vcs, patient.epoch.alive
    for row in patient.active:
        out = int(vcs[row, layout.OUT])
        unit = out >> patient.shift
        if unit < patient.channels and not alive[unit]:
            flits = patient.held.get(row)
            if flits and flits[0] & layout.FIRST:
                _free(patient, out)
                vcs[row, layout.STATE] = layout.WAITING


def _free(patient: _Patient, out: int) -> None:
    """A virtual channel is given back by its sender."""
    state = patient.state
    unit = out >> patient.shift
    if patient.numbers[layout.N_TAIL_CREDIT] and state.vcs[out, layout.CREDIT] < patient.depth:
        state.units[unit, layout.U_TAILS] |= 1 << (out - (unit << patient.shift))
    else:
        state.units[unit, layout.U_FREE] |= 1 << (out - (unit << patient.shift))


def _remove(patient: _Patient, gone: set[int]) -> None:
    """Take packets out of buffers, links, virtual channels and sources, and count them."""
    state = patient.state
    vcs, scalars = state.vcs, state.scalars
    served = {row: patient.holder(row) for row in np.nonzero(vcs[:, layout.STATE])[0].tolist()}
    _cut_buffers(patient, gone)
    _cut_exits(patient, gone)
    for row, who in served.items():
        if who not in gone:
            continue
        if vcs[row, layout.STATE] == layout.ACTIVE:
            _free(patient, int(vcs[row, layout.OUT]))
        waits = vcs[row, layout.COUNT] > 0
        vcs[row, layout.STATE] = layout.WAITING if waits else layout.IDLE
        vcs[row, layout.OUT] = -1
        vcs[row, layout.READY] = scalars[layout.NOW]
    injectors = state.injectors
    for line, who in enumerate(injectors[:, layout.I_SENDING].tolist()):
        if who in gone:
            injectors[line, layout.I_SENDING] = -1
            injectors[line, layout.I_HOLD] = 0  # of a circuit that will not stand
            unit = patient.channels + line
            _free(patient, (unit << patient.shift) + int(injectors[line, layout.I_VC]))
    every = np.arange(len(vcs))
    units, bits = every >> patient.shift, 1 << (every & ((1 << patient.shift) - 1))
    tails = state.units[units, layout.U_TAILS] & bits > 0
    for row in np.nonzero(tails & (vcs[:, layout.CREDIT] == patient.depth))[0].tolist():
        state.units[units[row], layout.U_TAILS] &= ~bits[row]
        _free(patient, row)
    waiting = np.nonzero(vcs[:, layout.STATE] == layout.WAITING)[0]
    state.lists[layout.L_WAITERS, : len(waiting)] = waiting
    scalars[layout.WAITERS] = len(waiting)
    for who in sorted(gone):
        scalars[layout.LOST] += 1
        born = state.packets[who, layout.BORN]
        if scalars[layout.BEGIN] <= born < scalars[layout.END]:
            scalars[layout.LOST_MEASURED] += 1
        state.packets[scalars[layout.FREE], layout.SPARE] = who
        scalars[layout.FREE] += 1
        scalars[layout.IN_FLIGHT] -= 1
        sender = state.packets[who, layout.SRC]
        state.ends[sender, layout.E_UNDERWAY] -= state.packets[who, layout.SIZE]
    scalars[layout.LAST_MOVE] = scalars[layout.NOW]


def _cut_buffers(patient: _Patient, gone: set[int]) -> None:
    state, depth = patient.state, patient.depth
    dropped: dict[int, set[int]] = {}
    for row, flits in patient.held.items():
        kept = [flit for flit in flits if flit >> 2 not in gone]
        if len(kept) == len(flits):
            continue
        seen, head = int(state.vcs[row, layout.COUNT]), int(state.vcs[row, layout.HEAD])
        there = [flit for flit in flits[:seen] if flit >> 2 not in gone]
        for i, flit in enumerate(there):
            state.flits[row, (head + i) % depth] = flit
        state.vcs[row, layout.FRONT] = state.flits[row, head]
        state.vcs[row, layout.COUNT] = len(there)
        state.vcs[row, layout.CREDIT] += len(flits) - len(kept)
        state.units[row >> patient.shift, layout.U_CREDIT] += len(flits) - len(kept)
        for flit, (slot, place) in zip(flits[seen:], patient.coming.get(row, ()), strict=True):
            if flit >> 2 in gone:
                dropped.setdefault(slot, set()).add(place)
    for slot, places in dropped.items():
        line = state.arrivals[slot]
        stay = [p for p in range(1, int(line[0]), 2) if p not in places]
        rest = [int(line[p + i]) for p in stay for i in range(2)]
        line[0] = len(rest)
        line[1 : 1 + len(rest)] = rest


def _cut_exits(patient: _Patient, gone: set[int]) -> None:
    state = patient.state
    for line in state.ejections:
        rest: list[int] = []
        for place in range(1, int(line[0]), 2):
            row, flit = int(line[place]), int(line[place + 1])
            if flit >> 2 in gone:
                state.vcs[row, layout.CREDIT] += 1
                state.units[row >> patient.shift, layout.U_CREDIT] += 1
            else:
                rest += [row, flit]
        line[0] = len(rest)
        line[1 : 1 + len(rest)] = rest


def _turn(patient: _Patient, gone: set[int]) -> None:
    """The packets that are left plan again; those whose route is broken count as rerouted."""
    state, epoch = patient.state, patient.epoch
    fabric, home = epoch.setup.fabric, epoch.setup.home
    for who, here in patient.fronts().items():
        if who in gone:
            continue
        packet = state.packets[who]
        goal, mid = int(home[packet[layout.DST]]), int(packet[layout.MID])
        if mid >= 0 and _no_way(fabric, here, mid, goal):
            packet[layout.MID], mid = -1, -1
            packet[layout.MARKS] |= layout.SECOND
        kind = int(packet[layout.MARKS]) | layout.RENEW
        broken = epoch.broken[here, mid if mid >= 0 else goal]
        reached = here == goal or fabric.table[here, goal] & layout.PORT_MASK != layout.NO_ROUTE
        if broken and reached and not kind & layout.MOVED:
            kind |= layout.MOVED
            state.scalars[layout.REROUTED] += 1
        packet[layout.MARKS] = kind


def _no_way(fabric: layout.FabricArrays, here: int, mid: int, goal: int) -> bool:
    first = here != mid and fabric.table[here, mid] & layout.PORT_MASK == layout.NO_ROUTE
    second = fabric.table[mid, goal] & layout.PORT_MASK == layout.NO_ROUTE
    return bool(first or second)
