"""What a fault does to the packets in flight.

A packet is lost at once, all its flits together and their buffer places free again, when one of
its flits is on a dead link or in a dead router, or when it has begun to cross a dead link. All
others take the new tables from the router that their first flit has reached. Packets without a path
are thrown away by the engine when they are routed.
"""

from __future__ import annotations

import numpy as np

from hopscape.simulate import layout
from hopscape.simulate.faults import Epoch, dead_endpoints, refresh_lines
from hopscape.simulate.layout import Source, State

__all__ = ["census", "discard", "gather_flits", "strike"]

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
        for place in range(1, int(state.arrivals[slot, 0]) + 1):
            row = int(state.arrivals[slot, place])
            coming.setdefault(row, []).append((slot, place))
    held: Flits = {}
    rows = np.nonzero(state.vcs[:, layout.COUNT])[0].tolist()
    for row in sorted({*rows, *coming}):
        head, seen = int(state.vcs[row, layout.HEAD]), int(state.vcs[row, layout.COUNT])
        total = seen + len(coming.get(row, ()))
        held[row] = [int(state.flits[row, (head + i) % epoch_depth]) for i in range(total)]
    return held, coming


def _leaving(state: State) -> list[tuple[int, int]]:
    """Row and flit of everything on its way to an endpoint."""
    out = []
    for slot in range(len(state.ejections)):
        for place in range(1, int(state.ejections[slot, 0]), 2):
            out.append((int(state.ejections[slot, place]), int(state.ejections[slot, place + 1])))
    return out


def census(depth: int, state: State) -> set[int]:
    """Numbers of all packets that are somewhere: in a buffer, on a link, at their source."""
    held, _ = _buffers(depth, state)
    found = {flit >> 2 for flits in held.values() for flit in flits}
    found |= {flit >> 2 for _, flit in _leaving(state)}
    return found | {int(w) for w in state.ends[:, layout.E_SENDING] if w >= 0}


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
                return int(self.state.ends[(row >> self.shift) - self.channels, layout.E_SENDING])
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
        ends = dead_endpoints(epoch)
        first_exit = self.channels + setup.endpoints
        for row, flit in _leaving(state):
            if epoch.dead_nodes[setup.home[(row >> self.shift) - first_exit]]:
                gone.add(flit >> 2)
        gone |= {int(state.ends[e, layout.E_SENDING]) for e in ends}
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
        state.vcs[out, layout.MISC] |= layout.TAIL_OUT
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
    for e, who in enumerate(state.ends[:, layout.E_SENDING].tolist()):
        if who in gone:
            state.ends[e, layout.E_SENDING] = -1
            state.ends[e, layout.E_HOLD] = 0  # of a circuit that will not stand
            unit = patient.channels + e
            _free(patient, (unit << patient.shift) + int(state.ends[e, layout.E_VC]))
    done = (vcs[:, layout.MISC] & layout.TAIL_OUT > 0) & (vcs[:, layout.CREDIT] == patient.depth)
    for row in np.nonzero(done)[0].tolist():
        vcs[row, layout.MISC] &= ~layout.TAIL_OUT
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
        for i, flit in enumerate(kept):
            state.flits[row, (head + i) % depth] = flit
        state.vcs[row, layout.FRONT] = state.flits[row, head]
        state.vcs[row, layout.WRITE] = (head + len(kept)) % depth
        state.vcs[row, layout.COUNT] = sum(flit >> 2 not in gone for flit in flits[:seen])
        state.vcs[row, layout.CREDIT] += len(flits) - len(kept)
        state.units[row >> patient.shift, layout.U_CREDIT] += len(flits) - len(kept)
        for flit, (slot, place) in zip(flits[seen:], patient.coming.get(row, ()), strict=True):
            if flit >> 2 in gone:
                dropped.setdefault(slot, set()).add(place)
    for slot, places in dropped.items():
        line = state.arrivals[slot]
        rest = [int(line[p]) for p in range(1, int(line[0]) + 1) if p not in places]
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


def _no_way(fabric: layout.Fabric, here: int, mid: int, goal: int) -> bool:
    first = here != mid and fabric.table[here, mid] & layout.PORT_MASK == layout.NO_ROUTE
    second = fabric.table[mid, goal] & layout.PORT_MASK == layout.NO_ROUTE
    return bool(first or second)
