"""The engine against a slow twin, cycle by cycle: every buffer, credit and virtual channel."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hopscape
from conftest import connected_graph
from hopscape.deadlock import routing_table
from hopscape.simulate import Settings, build_setup, layout, make_traffic
from hopscape.simulate.engine_kernels import advance
from hopscape.simulate.measurement import blank_counters, make_source, start

pytestmark = pytest.mark.interpreted


@dataclass(eq=False)
class Packet:
    born: int
    goal: int
    size: int


@dataclass(eq=False)
class Channel:
    """One virtual channel of a line: its buffer at the far end, and what its sender knows of it."""

    line: Line
    number: int
    credit: int
    free: bool = True
    tail_out: bool = False
    flits: deque = field(default_factory=deque)  # (packet, is it the last flit)
    state: str = "idle"
    out: Channel | None = None
    ready: int = 0
    offers_from: int = 0  # pointer of its arbiter over the router's input channels
    takes_from: int = 0  # pointer of the packet in it over the router's output channels


@dataclass(eq=False)
class Line:
    """A channel of the network, or the line of an endpoint into its router or out of it."""

    tail: int | None  # routers
    head: int | None
    delay: int
    channels: list[Channel] = field(default_factory=list)
    gives_from: int = 0  # pointer of its arbiter over the router's inputs of the switch


@dataclass(eq=False)
class Side:
    """An input of the switch."""

    takes_from: int = 0
    first_channel: int = 0


class SlowEngine:
    """Routers as the manual describes them, every request written down before anybody answers."""

    def __init__(self, setup, packets):
        self.options, network = setup.settings, setup.network
        self.port, self.indptr = setup.table.port, network.indptr
        self.home = setup.home.tolist()
        links = zip(network.tails.tolist(), network.heads.tolist())
        delay = self.options.link_delay
        self.links = [Line(u, v, delay) for u, v in links]
        into, out = self.options.injectors, self.options.ejectors
        self.entries = [Line(None, v, 1) for v in self.home for _ in range(into)]
        self.exits = [Line(v, None, 1) for v in self.home for _ in range(out)]
        self.lines = [*self.links, *self.entries, *self.exits]
        for line in self.lines:
            line.channels = [Channel(line, v, self.options.buffer) for v in range(self.options.vcs)]
        routers = range(network.order)
        self.inputs = [[x for x in self.lines if x.head == r] for r in routers]
        self.outputs = [[x for x in self.lines if x.tail == r] for r in routers]
        self.sides = {line: [Side() for _ in range(self.options.speedup)] for line in self.lines}
        self.queues = [deque(packets[e]) for e in range(len(self.home))]
        self.sending = [None] * len(self.entries)  # packet, flits left, channel
        self.last_entry = [-1] * len(self.entries)
        self.exit_of = {}
        self.events: dict[int, list] = {}
        self.now = self.delivered = self.hops = 0

    def later(self, cycles, what, *about):
        self.events.setdefault(self.now + cycles, []).append((what, *about))

    def step(self):
        events = self.events.pop(self.now, [])
        for kind in (self.credit_comes, self.flit_comes, self.flit_leaves):
            for what, *about in events:
                if what == kind:
                    kind(*about)
        for entry in range(len(self.entries)):
            self.inject(entry)
        for router in range(len(self.inputs)):
            self.allocate_channels(router)
        for router in range(len(self.inputs)):
            self.allocate_switch(router)
        self.now += 1

    # -- events -----------------------------------------------------------------------------------

    def credit_comes(self, channel):
        channel.credit += 1
        if channel.tail_out and channel.credit == self.options.buffer:
            channel.tail_out, channel.free = False, True

    def flit_comes(self, channel, flit):
        channel.flits.append(flit)
        if channel.state == "idle":
            self.wait(channel, self.now - 1)
        elif channel.state == "active" and len(channel.flits) == 1:
            channel.ready = self.now + self.options.switch_delay - 1

    def flit_leaves(self, channel, flit):
        self.give_credit(channel)
        self.delivered += flit[1]

    def wait(self, channel, since):
        """The packet at the front is to be routed and to be given a virtual channel."""
        channel.state, channel.out = "waiting", None
        channel.ready = since + self.options.routing_delay + self.options.vc_delay

    def give_credit(self, channel):
        self.later(1 + channel.line.delay + self.options.credit_delay, self.credit_comes, channel)

    def send(self, channel, flit, cycles):
        """A flit goes over the line of a virtual channel."""
        channel.credit -= 1
        if flit[1]:
            channel.tail_out = self.options.tail_credit
            channel.free = not channel.tail_out
        comes = self.flit_leaves if channel.line.head is None else self.flit_comes
        self.later(1 + cycles + channel.line.delay, comes, channel, flit)

    def inject(self, e):
        queue, channels = self.queues[e // self.options.injectors], self.entries[e].channels
        if self.sending[e] is None:
            if not queue or queue[0].born > self.now:
                return
            count = len(channels)
            turn = [channels[(self.last_entry[e] + 1 + i) % count] for i in range(count)]
            channel = next((x for x in turn if x.free and x.credit), None)
            if channel is None:
                return
            packet = queue.popleft()
            self.sending[e] = packet, packet.size, channel
            self.last_entry[e], channel.free = channel.number, False
        packet, left, channel = self.sending[e]
        if channel.credit:
            self.sending[e] = (packet, left - 1, channel) if left > 1 else None
            self.send(channel, (packet, left == 1), 0)

    # -- inside a router --------------------------------------------------------------------------

    def line_for(self, router, packet, line):
        goal = self.home[packet.goal]
        if router == goal:  # the roomiest exit, chosen once, from that of the input line on
            count, own = self.options.ejectors, self.inputs[router].index(line)
            exits = self.exits[packet.goal * count :][:count]
            turn = [exits[(own + i) % count] for i in range(count)]
            roomiest = max(turn, key=lambda x: sum(channel.credit for channel in x.channels))
            return self.exit_of.setdefault(packet, roomiest)
        return self.links[self.indptr[router] + self.port[router, goal]]

    def allocate_channels(self, router):
        """Every output channel offers itself to one asker, every asker takes one offer."""
        askers = [x for line in self.inputs[router] for x in line.channels]
        offered = [x for line in self.outputs[router] for x in line.channels]
        asked = {x: [] for x in offered}
        for i, channel in enumerate(askers):
            if channel.state != "waiting" or channel.ready > self.now:
                continue
            packet, need = channel.flits[0][0], 0
            if self.options.switching == "store-and-forward":
                if sum(flit[0] is packet for flit in channel.flits) < packet.size:
                    continue
                need = packet.size
            elif self.options.switching == "cut-through":
                need = packet.size
            for x in self.line_for(router, packet, channel.line).channels:
                if x.free and x.credit >= need:
                    asked[x].append(i)
        offers = {}
        for j, x in enumerate(offered):
            if asked[x]:
                by_age = self.options.priority == "age"
                offers.setdefault(
                    min(
                        asked[x],
                        key=lambda i: (
                            askers[i].flits[0][0].born if by_age else 0,
                            (i - x.offers_from) % len(askers),
                        ),
                    ),
                    [],
                ).append(j)
        for i, places in offers.items():
            channel = askers[i]
            j = min(places, key=lambda j: (j - channel.takes_from) % len(offered))
            x = offered[j]
            x.offers_from, channel.takes_from = (i + 1) % len(askers), (j + 1) % len(offered)
            x.free = False
            channel.state, channel.out = "active", x
            channel.ready = self.now + self.options.switch_delay

    def allocate_switch(self, router):
        """Every output chooses an input of the switch, every input one of the outputs."""
        speedup, per = self.options.speedup, self.options.vcs
        inputs = [(line, k) for line in self.inputs[router] for k in range(speedup)]
        outputs = self.outputs[router]
        chosen = {}
        for o, output in enumerate(outputs):
            asks = [
                (i, channel)
                for i, (line, k) in enumerate(inputs)
                for channel in line.channels[k::speedup]
                if channel.state == "active" and channel.flits and channel.ready <= self.now
                if channel.out.line is output and channel.out.credit
            ]
            if asks:
                first = {i: self.sides[inputs[i][0]][inputs[i][1]].first_channel for i, _ in asks}
                i, channel = min(
                    asks,
                    key=lambda ask: (
                        (ask[0] - output.gives_from) % len(inputs),
                        (ask[1].number - first[ask[0]]) % per,
                    ),
                )
                chosen.setdefault(i, []).append((o, channel))
        for i, offers in chosen.items():
            side = self.sides[inputs[i][0]][inputs[i][1]]
            o, channel = min(offers, key=lambda offer: (offer[0] - side.takes_from) % len(outputs))
            outputs[o].gives_from = (i + 1) % len(inputs)
            side.takes_from = (o + 1) % len(outputs)
            side.first_channel = (channel.number + speedup) % per
            self.cross(channel)

    def cross(self, channel):
        """The first flit of a virtual channel goes through the switch."""
        self.hops += 1
        flit = channel.flits.popleft()
        self.send(channel.out, flit, self.options.traversal_delay)
        self.give_credit(channel)
        if flit[1]:
            channel.state, channel.out = "idle", None
            if channel.flits:
                self.wait(channel, self.now)


STATES = {"idle": layout.IDLE, "waiting": layout.WAITING, "active": layout.ACTIVE}


def rows_of(slow):
    """What the twin holds, as the engine would: buffered flits, credit, state, output, free."""
    number = {x: i for i, x in enumerate(x for line in slow.lines for x in line.channels)}
    return [
        (len(x.flits), x.credit, STATES[x.state], number.get(x.out, -1), x.free)
        for x in number
        if x.line.head is not None
    ] + [(x.credit, x.free) for line in slow.exits for x in line.channels]


def rows_in(setup, state):
    vcs, shift = setup.settings.vcs, int(setup.fabric.numbers[layout.N_SHIFT])
    found, inside = [], setup.units - setup.endpoints * setup.settings.ejectors
    for unit in range(setup.units):
        for v in range(vcs):
            row = state.vcs[(unit << shift) + v]
            free = bool(state.units[unit, layout.U_FREE] >> v & 1)
            credit = int(row[layout.CREDIT])
            if unit < inside:
                out = int(row[layout.OUT])
                active = row[layout.STATE] == layout.ACTIVE
                out = (out >> shift) * vcs + (out & ((1 << shift) - 1)) if active else -1
                counts = int(row[layout.COUNT]), credit, int(row[layout.STATE])
                found.append((*counts, out, free))
            else:
                found.append((credit, free))
    return found


def compare(setup, packets):
    """Run both until all has come to rest; how often a packet that was ready had to wait."""
    traffic = make_traffic("uniform", setup.endpoints)
    starts = np.cumsum([0, *map(len, packets)]).astype(np.int64)
    rows = [(p.born, p.goal, p.size) for row in packets for p in row]
    trace = np.array(rows, dtype=np.int32).reshape(-1, 3)
    traffic = replace(traffic, starts=starts, trace=trace)
    source = make_source(traffic, setup.settings, 1.0)
    state, counters = start(setup, traffic, source, 1), blank_counters(setup, 1)
    slow, waits = SlowEngine(setup, packets), 0
    for cycle in range(2000):
        if cycle and not slow.events and slow.delivered == len(rows):
            break
        assert advance(setup.fabric, state, source, counters, cycle + 1, 10**6) == 0
        slow.step()
        assert rows_in(setup, state) == rows_of(slow)
        assert state.scalars[layout.DELIVERED] == slow.delivered
        assert state.scalars[layout.FLIT_HOPS] == slow.hops
        waiting = (x for line in slow.lines for x in line.channels if x.state == "waiting")
        waits += sum(x.ready < cycle for x in waiting)
    assert slow.delivered == len(rows)
    return waits


@st.composite
def options(draw):
    switching = draw(st.sampled_from(["wormhole", "cut-through", "store-and-forward"]))
    buffer = draw(st.integers(1, 4)) if switching == "wormhole" else draw(st.integers(3, 5))
    return Settings(
        vcs=draw(st.integers(1, 3)),
        buffer=buffer,
        packet=(1, 2, 3),
        routing_delay=draw(st.integers(0, 2)),
        vc_delay=draw(st.integers(1, 2)),
        switch_delay=draw(st.integers(1, 2)),
        traversal_delay=draw(st.integers(1, 2)),
        credit_delay=draw(st.integers(0, 2)),
        link_delay=draw(st.integers(0, 3)),
        speedup=draw(st.integers(1, 2)),
        tail_credit=draw(st.booleans()),
        switching=switching,
        concentration=draw(st.integers(1, 2)),
        injectors=draw(st.integers(1, 3)),
        ejectors=draw(st.integers(1, 3)),
        priority=draw(st.sampled_from(["none", "age"])),
        window="none",
    )


def drawn_packets(seed, endpoints, count=8, most=25):
    """For every endpoint packets by birth; half of them go to endpoint 0."""
    rng = np.random.default_rng(seed)
    return [
        [
            Packet(int(born), int(rng.integers(endpoints)) * int(rng.integers(2)), int(size))
            for born, size in zip(sorted(rng.integers(0, most, count)), rng.integers(1, 4, count))
        ]
        for _ in range(endpoints)
    ]


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 5), options())
def test_trees_cycle_by_cycle(seed, order, how):
    network = connected_graph(seed, order, 0)
    setup = build_setup(network, how, routing_table(network, ties=False))
    compare(setup, drawn_packets(seed, setup.endpoints, 5))


@pytest.mark.parametrize("spec", ["mesh(2, 2)", "complete(4)", "path(4)", "star"])
@pytest.mark.parametrize("speedup", [1, 2])
def test_contention_cycle_by_cycle(spec, speedup):
    star = hopscape.Network.from_links(4, [0, 0, 0], [1, 2, 3], spec="star")
    network = star if spec == "star" else hopscape.build(spec)
    how = Settings(vcs=2, buffer=2, packet=(1, 2, 3), speedup=speedup, window="none")
    setup = build_setup(network, how, routing_table(network, ties=False))
    assert compare(setup, drawn_packets(7, setup.endpoints, 16)) > 20
