"""Where the engine keeps what: columns of its tables and the tuples of arrays it works on.

One row of ``vcs`` is one virtual channel with its buffer at the receiving end. The receiving router
uses HEAD, COUNT, STATE, OUT, READY and V_ALLOWED; the sender uses CREDIT.
Everything about one virtual channel lies in one cache line, FRONT included, the first flit of its
buffer; ``flits`` keeps those behind it.

The first eight columns of virtual channels, units and packets are what the engines ask for most, in
the order of a graphics processor, which reads half a line at a time: of a virtual channel what the
receiving router looks at, of a unit what changes.

Units number whatever carries flits: the channels of the network first, then the injection lines of
every endpoint, then its ejection lines. Virtual channel v of unit u is row ``(u << shift) + v``;
2**shift is the next power of two from the number of virtual channels on.
"""

from __future__ import annotations

from typing import NamedTuple

from hopscape.core.arrays import Floats, IntArray

__all__ = ["ChosenRoutes", "Counters", "FabricArrays", "Fold", "Source", "State", "Ties"]

# columns of vcs
COUNT = 0  # flits that the router sees, FRONT included
STATE = 1  # IDLE, WAITING, ACTIVE or DRAIN
OUT = 2  # unit that is asked for while WAITING (-1: no route yet), row that is held while ACTIVE
READY = 3  # cycle from which on it may ask for its next stage
FRONT = 4  # first flit of the buffer: packet * 4 + first + last
V_SIDE = 5  # row of `sides`: its input of the switch
V_IN = 6  # number of its unit among those that come into the router
HEAD = 7  # place in `flits` of the first flit, which FRONT has a copy of
MISC = 8  # bit LISTED
CREDIT = 9  # flits for which the sender knows room
WRITE = 10  # place in `flits` that the sender puts the next flit at (graphics processors only)
V_GIVE = 11  # as an output: where the round robin among inputs goes on
V_TAKE = 12  # as an input: where the round robin among outputs goes on
V_ALLOWED = 13  # virtual channels of OUT that the routing allows
V_MASK = 14  # virtual channels of the unit that it asks for now
V_NEXT = 15  # next row that asks for the same unit, or -1
VC_FIELDS = 16
# states of a virtual channel at its receiving router
IDLE, WAITING, ACTIVE, DRAIN = range(4)
# bit of MISC: is it on the list of senders?
LISTED = 1

# columns of packets
GOAL = 0  # router of DST
HOPS = 1  # routers on its way so far
MARKS = 2  # bits ESCAPED to MOVED
MID = 3  # router to pass first (Valiant, UGAL), or -1
PATH = 4  # first step of a route chosen at the source, or -1
SIZE = 5  # flits
SENT = 6  # cycle in which it left the queue
BORN = 7  # cycle of its birth
DST = 8  # endpoint that it goes to
SRC = 9  # endpoint that sends it
TAG = 10  # transfer of a schedule, or -1
LEFT = 11  # flits that are still at the source
TAILS = 12  # ends of a killed packet that are still under way
SPARE = 13  # of row i: the i-th free packet number
LINE = 14  # injection line that it came by
OWNER = 15  # part of the network that its source is in
PACKET_FIELDS = 16  # a packet is one cache line

# columns of units
U_FREE = 0  # bits of the virtual channels that nobody holds
U_CREDIT = 1  # credits of all its virtual channels
U_ASK = 2  # first row that asks for one of its virtual channels, or -1
U_GIVE = 3  # where the round robin of the switch among inputs goes on
U_INS = 4  # inputs of the router that it leaves
U_OUT = 5  # its number among the outputs of the router that it leaves
U_OUTS = 6  # outputs of the router that it leaves
U_DELAY = 7  # cycles on the way
U_TO = 8  # router that it leads to
U_RING = 9  # ring of its channel, or kind of it with rising classes; -1: none
U_IN = 10  # its number among the inputs of that router
U_BEST = 11  # row that is first in the switch in this cycle, or -1
U_KEY = 12  # its place in the order (smaller goes first)
U_SIDE = 13  # its input of the switch
U_TAILS = 14  # bits of the virtual channels whose last flit is out and whose credits are not back
U_PAIR = 15  # parts * part of the router that it leaves + part of the one that it leads to
UNIT_FIELDS = 16  # a unit is one cache line
# columns of sides
X_TAKE = 0  # where the round robin among outputs goes on
X_OFFSET = 1  # where the round robin among its virtual channels goes on
X_ROW = 2  # row that is first in this cycle, or -1
X_KEY = 3  # its place in the order; on a graphics processor the flits that came by it
# columns of ends
E_HOME = 0  # router that it stands at
E_BIRTH = 1  # cycle of its next birth
E_TRIAL = 2  # trial of that cycle, of those that draw a birth
E_TRACE = 3  # next row of the trace
E_ON = 4  # is a bursty source on?
E_READY = 5  # first transfer that may go, or -1
E_READY_END = 6  # last one
E_UNDERWAY = 7  # flits that were sent and have not arrived
E_WINDOW = 8  # how many there may be, times 2**W_SHIFT
E_LOSS = 9  # what the late packets of this cycle take off it, in 2**-W_DECAY of it
E_GAIN = 10  # what the others add
END_FIELDS = 11
# columns of injectors
I_SENDING = 0  # packet that it sends, or -1
I_VC = 1  # virtual channel that it sends by
I_LAST = 2  # the one before
I_HOLD = 3  # cycle until which nothing follows the first flit (circuits)
INJECTOR_FIELDS = 4
# rows of lists
L_WAITERS = 0  # rows that wait for a virtual channel
L_SENDERS = 1  # rows that have one and flits to send
L_TOUCHED = 2  # units that were asked for in this cycle
L_WINS = 3  # inputs of switches that send in this cycle
L_OFFER = 4  # by virtual channel of a unit: the row that it is offered to
# first column of a row of ejections and of a block of arrivals or credits: how many follow
FILLED = 0
# rows of blocks
B_ARRIVALS, B_CREDITS = range(2)
# columns of gates
G_TURN = 0  # meetings that a part has come to; in the last row: is everybody to go home?
G_INSIDE = 2  # by the parity of the cycle: IN_FLIGHT
G_MOVE = 4  # and LAST_MOVE
GATE_FIELDS = 8  # a gate is one cache line
# columns of traces
TRACE_BIRTH, TRACE_TARGET, TRACE_SIZE = range(3)  # cycle, endpoint, flits
# columns of transfers
T_SOURCE = 0  # endpoint
T_TARGET = 1  # endpoint
T_SIZE = 2  # flits
T_WAITS = 3  # transfers that must arrive before it may go
T_WAKE = 4  # first of those that wait for it, in `wakes`
T_WAKE_END = 5  # behind the last of them
T_PATH = 6  # its first channel in `paths`
T_PATH_END = 7  # behind the last one
T_NEXT = 8  # next one that is ready at the same endpoint, or -1
T_DONE = 9  # cycle of its arrival, or -1
T_FIELDS = 10

# bits of MARKS; the class of a packet is that of the virtual channel it is in
ESCAPED, SECOND, KILLED = 0x100, 0x200, 0x400
RENEW, MOVED = 0x800, 0x1000  # the class is chosen anew; the packet counts as rerouted

NEVER = 2**30  # a cycle that does not come

# flits
FIRST, LAST = 1, 2

# entries of routing tables
PORT_MASK, ENTRY_SET_SHIFT, ENTRY_SET_MASK, TIE = 0x7FF, 11, 0xF, 0x8000
NO_ROUTE = PORT_MASK

# routing modes
FIXED, ADAPTIVE, VALIANT, UGAL = range(4)
# switching modes
WORMHOLE, CUT_THROUGH, STORE_FORWARD, CIRCUIT = range(4)
# how classes are chosen: on entering a ring, for a pair of nodes, rising on the way
BY_RING, BY_PAIR, RISING = range(3)
# who is served first at a virtual channel
NOBODY, TRANSIT, AGE = range(3)
OVERLOAD = 128  # who has waited so many cycles to enter takes no channel without room
PATIENCE = 1024  # after so many cycles nobody is held back any more
# windows of the sources, in flits times 2**W_SHIFT: a packet of L flits that took more than LATE
# times the latency of an empty network takes sqrt(L) / 2**W_DECAY off (a quarter at most), another
# adds L * W_GAIN. A point counts as saturated from three times that latency: with 4 windows act
# beyond it only. With 3 the peak of uniform traffic on a torus falls by 5 %, with 6 tornado traffic
# loses a tenth beyond saturation. The root keeps the share of late packets alike: without it half
# of those of 16 flits are late, and bit complement on a torus loses a fifth; with L instead the
# peak of uniform traffic falls by 6 %.
W_SHIFT, W_GAIN, W_DECAY, LATE = 8, 32, 5, 4
# how tables are folded: not at all, by leaves, by differences of addresses, of their bits
WHOLE, LEAVES, SHIFTS, FLIPS = range(4)
# kinds of sources
UNIFORM, UNIFORM_OTHERS, TABLE, MATRIX = range(4)
BERNOULLI, ON_OFF, TRACE, SILENT = range(4)

# scalars
NOW = 0  # cycle
WAITERS = 1  # rows in L_WAITERS
SENDERS = 2  # rows in L_SENDERS
FREE = 3  # packet numbers that are free again
FRESH = 4  # packet numbers that were used so far
IN_FLIGHT = 5  # packets sent and not arrived
LAST_MOVE = 6  # cycle in which a flit moved last
FLIT_HOPS = 7  # flits through routers
LOST = 8  # packets lost, unborn ones at dead endpoints included
REROUTED = 9  # packets that took another route because of them
DELIVERED = 10  # packets
CREATED = 11  # packets
DELIVERED_FLITS = 12  # flits
BEGIN = 13  # first birth that is measured
END = 14  # first later birth that is not
MEASURED = 15  # packets born between the two
LOST_MEASURED = 16  # those of them that were lost
PART = 17  # part of the network that these belong to
PARTS = 18  # how many there are
FIRST_END = 19  # place of its first endpoint in `own`
LAST_END = 20  # behind that of its last one
FIRST_PACKET = 21  # row of its first packet
SCALARS = 22

# columns of windows
W_COUNT = 0  # packets that arrived
W_LATENCY = 1  # sum of their latencies
W_NETWORK = 2  # sum of these without the time in the queue
W_HOPS = 3  # sum of their hops
W_FLITS = 4  # flits that arrived
WINDOW_FIELDS = 5


class ChosenRoutes(NamedTuple):
    """Routes that their sources choose (all empty when tables do)."""

    first: IntArray
    """int64[routers, routers + 1]: first way of each pair, and the end of a source's last."""
    shares: Floats
    """float64[ways]: cumulated within each pair."""
    starts: IntArray
    """int32[ways]: first step of each way."""
    steps: IntArray
    """int32: channel * 256 + class."""


class Ties(NamedTuple):
    """The other ways of ties (all empty without any)."""

    starts: IntArray
    """int64[routers + 1]: first place of each target."""
    nodes: IntArray
    """int32[ties]: routers with two ways to a target, in ascending order."""
    entries: IntArray
    """uint16[ties]: port and set of classes of the other way."""


class Fold(NamedTuple):
    """How the tables of pairs of routers are kept; see ``entry_kernels.py`` (all empty: whole).

    Leaves: endpoints with one line each are no rows, and those of one switch share a column.
    Differences: where routes look alike from every node, one row serves all.
    """

    kind: IntArray
    """int64[1]: WHOLE, LEAVES, SHIFTS or FLIPS."""
    sides: IntArray
    """int64[axes]: sides of the box of addresses (SHIFTS)."""
    switch: IntArray
    """int32[routers]: number of a switch, or -1 less that of the switch of a leaf (LEAVES)."""
    port: IntArray
    """uint16[routers]: port of its switch that leads to a leaf (LEAVES)."""
    column: IntArray
    """int32[2, routers]: column of a goal, in rows of either kind (LEAVES)."""
    aside: IntArray
    """uint8[switches]: kind of the row of a switch (LEAVES)."""
    sort: IntArray
    """int32[2, routers]: row of a source and column of a goal in the table of sets of classes
    (LEAVES)."""
    runs: IntArray
    """int32[2, routers]: hops in the ring that a packet enters, by either way of a tie (SHIFTS,
    FLIPS)."""
    ahead: IntArray
    """int32[channels]: hops from a channel to the end of the dateline of its ring, both counted;
    empty where there are no datelines (SHIFTS, FLIPS)."""


class FabricArrays(NamedTuple):
    """What does not change while flits move."""

    numbers: IntArray
    """int64: see the N_ places below."""
    indptr: IntArray
    """int64[routers + 1]: channels of each router."""
    table: IntArray
    """uint16[routers, routers]: port, set of classes and tie bit towards a router, by target: what
    one packet asks for on its way lies together. Folded, [switches, columns], or [routers, 2]: the
    ports of either way of a tie by difference."""
    fold: Fold
    """How this table is folded, and those below of pairs of routers."""
    ties: Ties
    """The other ways of ties."""
    shortest: IntArray
    """uint32[routers, routers]: all shortest ports as bits (adaptive routing only)."""
    distances: IntArray
    """uint16[routers, routers]: distances (UGAL only)."""
    masks: IntArray
    """int64[classes + 2]: virtual channels of each class, then all, then adaptive ones."""
    sets: IntArray
    """int64[sets]: virtual channels of each set of classes; for two phases, those of the second
    follow those of the first."""
    kinds: IntArray
    """int64[32]: class of each virtual channel."""
    layers: IntArray
    """uint8[routers, routers]: set of classes of a pair of routers (layers and rising classes; one
    entry when all pairs have the same)."""
    moved: IntArray
    """uint8[routers, routers]: pairs whose route a fault has changed (empty without faults)."""
    chosen: ChosenRoutes
    """Routes that their sources choose."""


# places in Fabric.numbers
N_CHANNELS = 0  # channels of the network
N_ENDPOINTS = 1  # endpoints
N_VCS = 2  # virtual channels of a unit
N_DEPTH = 3  # flits in the buffer of one
N_ROUTING = 4  # cycles of routing
N_VC_ALLOC = 5  # cycles of virtual-channel allocation
N_SW_ALLOC = 6  # cycles of switch allocation
N_TRAVERSAL = 7  # cycles through the switch
N_CREDIT = 8  # cycles of a credit besides the link
N_SPEEDUP = 9  # inputs of the switch for each unit
N_TAIL_CREDIT = 10  # is a virtual channel given away only when it is empty?
N_MODE = 11  # FIXED to UGAL
N_SWITCHING = 12  # WORMHOLE to CIRCUIT
N_SETS = 13  # sets of classes of the first phase
N_METHOD = 14  # BY_RING, BY_PAIR or RISING
N_BIAS = 15  # of UGAL towards minimal routes
N_SHIFT = 16  # bits of a virtual channel in the number of a row
N_LINK = 17  # longest delay of a channel
N_PRIORITY = 18  # NOBODY, TRANSIT or AGE
N_LIMIT = 19  # injection limit, in thousandths of the room
N_SHARED = 20  # may packets ask for a virtual channel without room for all of them?
N_EASE = 21  # a channel with less than 1/N_EASE of its room counts as full; 0: never
N_ROOM = 22  # wait from which on a packet takes no channel without room; 0: never
N_WINDOW = 23  # do sources have windows?
N_INJECTORS = 24  # injection lines of an endpoint
N_EJECTORS = 25  # ejection lines of an endpoint
N_EXITS = 26  # first ejection line
NUMBERS = 27


class Source(NamedTuple):
    """What the endpoints send."""

    kind: IntArray
    """int64[3]: kind of targets, kind of births, trials per cycle (one for every injector)."""
    rates: Floats
    """float64[3]: packets per trial (when on), off to on, on to off."""
    targets: IntArray
    """int32: fixed target of each endpoint, or the targets of a matrix row by row."""
    starts: IntArray
    """int64[endpoints + 1]: rows of a matrix or of a trace."""
    shares: Floats
    """float64: cumulated shares of a matrix."""
    sizes: IntArray
    """int32: packet sizes."""
    size_shares: Floats
    """float64: cumulated shares of the sizes."""
    trace: IntArray
    """int32[packets, 3]: columns TRACE_, by endpoint and birth."""
    transfers: IntArray
    """int32[transfers, T_FIELDS]: a schedule to be replayed."""
    wakes: IntArray
    """int32: transfers that wait for others."""
    paths: IntArray
    """int32: channels of the transfers."""


class State(NamedTuple):
    """Everything that moves, in one part or in several (:mod:`hopscape.simulate.parts`).

    A kernel works on one part: on its row of `each`, and its own lists, ejections and packets.
    """

    scalars: IntArray
    """int64[SCALARS]: of the whole network, or of the part that a kernel works on."""
    each: IntArray
    """int64[parts, SCALARS]: of every part (that of the only one are `scalars`)."""
    vcs: IntArray
    """int32[rows, VC_FIELDS]."""
    units: IntArray
    """int32[units, UNIT_FIELDS]: wiring, free virtual channels, arbiters."""
    sides: IntArray
    """int32[units * speedup, 4]: inputs of the switch."""
    ends: IntArray
    """int32[endpoints, END_FIELDS]: their queues and windows."""
    injectors: IntArray
    """int32[injection lines, INJECTOR_FIELDS]: what each sends; those of an endpoint together."""
    lists: IntArray
    """int32[parts * 5, rows]: who waits, who sends, and scratch."""
    arrivals: IntArray
    """int32[wheel, pairs of parts + 2 * units]: a block for each pair: last place, then pairs of
    row and flit that comes into its buffer."""
    ejections: IntArray
    """int32[parts * wheel, 1 + 2 * ejection lines]: last place, then pairs of row and flit."""
    credits: IntArray
    """int32[wheel, pairs of parts + rows]: a block for each pair: count, then rows (lost packets
    leave all of them at once)."""
    blocks: IntArray
    """int64[2, pairs of parts]: first column of the block of arrivals and of credits."""
    own: IntArray
    """int32[endpoints]: those of the first part, then of the next."""
    homes: IntArray
    """int32[pairs of parts, 1 + ejection lines]: count, then packets that have arrived in one part
    and came from another."""
    gates: IntArray
    """int64[parts + 1, GATE_FIELDS]: where the parts wait for each other."""
    flits: IntArray
    """int32[rows, depth]: packet * 4 + first + last."""
    packets: IntArray
    """int32[parts * most, PACKET_FIELDS]."""
    random: IntArray
    """uint64[endpoints + 1]: one stream per endpoint, and the key of the routers' coins."""


class Counters(NamedTuple):
    """What is measured."""

    span: IntArray
    """int64[3]: first birth and first later birth that count for the histogram; window."""
    windows: Floats
    """float64[windows, WINDOW_FIELDS]."""
    histogram: IntArray
    """int64[2, longest]: packet and network latencies."""
    used: IntArray
    """int64[units]: flits sent over each unit while measuring."""
    received: IntArray
    """int64[endpoints]: flits received while measuring."""
