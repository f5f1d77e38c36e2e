"""Where the engine keeps what: columns of its tables and the tuples of arrays it works on.

One row of ``vcs`` is one virtual channel with its buffer at the receiving end. The receiving router
uses HEAD, COUNT, STATE, OUT, READY and V_ALLOWED, the virtual channels that its packet may ask for;
the sender uses WRITE and CREDIT; V_IN is the number of its unit among those that come into
its router, V_SIDE its input of the switch.
Everything about one virtual channel lies in one cache line, FRONT included, the first flit of its
buffer; ``flits`` keeps those behind it.

Units number whatever carries flits: the channels of the network first, then the injection lines of
every endpoint, then its ejection lines. Virtual channel v of unit u is row ``(u << shift) + v``;
2**shift is the next power of two from the number of virtual channels on.
"""

from __future__ import annotations

from typing import NamedTuple

from hopscape.core.arrays import Floats, IntArray

__all__ = ["ChosenRoutes", "Counters", "FabricArrays", "Source", "State", "Ties"]

# columns of vcs
(
    HEAD, COUNT, WRITE, CREDIT, STATE, OUT, READY, MISC,
    V_GIVE, V_TAKE, V_NEXT, V_MASK, V_SIDE, V_IN, V_ALLOWED, FRONT,
) = range(16)  # fmt: skip
VC_FIELDS = 16
# states of a virtual channel at its receiving router
IDLE, WAITING, ACTIVE, DRAIN = range(4)
# bits of MISC
LISTED, TAIL_OUT = 1, 2

# columns of packets
DST, BORN, SENT, SIZE, SRC, HOPS, MARKS, MID, TAG, PATH, LEFT, TAILS, SPARE, GOAL, LINE = range(15)
PACKET_FIELDS = 16

# columns of units
(
    U_TO, U_IN, U_OUT, U_INS, U_OUTS, U_DELAY, U_RING,
    U_FREE, U_CREDIT, U_GIVE, U_ASK, U_BEST, U_KEY, U_SIDE,
) = range(14)  # fmt: skip
UNIT_FIELDS = 16
# columns of sides
X_TAKE, X_OFFSET, X_ROW, X_KEY = range(4)
# columns of ends
(
    E_HOME, E_BIRTH, E_TRIAL, E_TRACE, E_ON, E_READY, E_READY_END, E_UNDERWAY, E_WINDOW,
) = range(9)  # fmt: skip
END_FIELDS = 9
# columns of injectors
I_SENDING, I_VC, I_LAST, I_HOLD = range(4)
INJECTOR_FIELDS = 4
# rows of lists
L_WAITERS, L_SENDERS, L_TOUCHED, L_WINS, L_OFFER = range(5)
# columns of transfers
(
    T_SOURCE, T_TARGET, T_SIZE, T_WAITS, T_WAKE,
    T_WAKE_END, T_PATH, T_PATH_END, T_NEXT, T_DONE,
) = range(10)  # fmt: skip
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
# kinds of sources
UNIFORM, UNIFORM_OTHERS, TABLE, MATRIX = range(4)
BERNOULLI, ON_OFF, TRACE, SILENT = range(4)

# scalars
(
    NOW, WAITERS, SENDERS, FREE, FRESH, IN_FLIGHT, LAST_MOVE, FLIT_HOPS, LOST,
    REROUTED, DELIVERED, CREATED, READY_LEFT, DELIVERED_FLITS, BEGIN, END, MEASURED, LOST_MEASURED,
) = range(18)  # fmt: skip
SCALARS = 20

# columns of windows
W_COUNT, W_LATENCY, W_NETWORK, W_HOPS, W_FLITS, W_BORN = range(6)
WINDOW_FIELDS = 6


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


class FabricArrays(NamedTuple):
    """What does not change while flits move."""

    numbers: IntArray
    """int64: see the N_ places below."""
    indptr: IntArray
    """int64[routers + 1]: channels of each router."""
    table: IntArray
    """uint16[routers, routers]: port, set of classes and tie bit towards a router, by target: what
    one packet asks for on its way lies together."""
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
(
    N_CHANNELS, N_ENDPOINTS, N_VCS, N_DEPTH, N_ROUTING, N_VC_ALLOC, N_SW_ALLOC, N_TRAVERSAL,
    N_CREDIT, N_SPEEDUP, N_TAIL_CREDIT, N_MODE, N_SWITCHING, N_SETS, N_METHOD, N_BIAS,
    N_SHIFT, N_LINK, N_PRIORITY, N_LIMIT, N_SHARED, N_EASE, N_ROOM, N_WINDOW,
    N_INJECTORS, N_EJECTORS, N_EXITS,
) = range(27)  # fmt: skip
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
    """int32[packets, 3]: birth, target, size, by endpoint and birth."""
    transfers: IntArray
    """int32[transfers, T_FIELDS]: a schedule to be replayed."""
    wakes: IntArray
    """int32: transfers that wait for others."""
    paths: IntArray
    """int32: channels of the transfers."""


class State(NamedTuple):
    """Everything that moves."""

    scalars: IntArray
    """int64[SCALARS]."""
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
    """int32[5, rows]: who waits, who sends, and scratch."""
    arrivals: IntArray
    """int32[wheel, 1 + units]: count, then rows whose next flit becomes visible."""
    ejections: IntArray
    """int32[wheel, 1 + 2 * ejection lines]: last place, then pairs of row and flit."""
    credits: IntArray
    """int32[wheel, 1 + rows]: count, then rows (lost packets leave all of them at once)."""
    flits: IntArray
    """int32[rows, depth]: packet * 4 + first + last."""
    packets: IntArray
    """int32[most, PACKET_FIELDS]."""
    random: IntArray
    """uint64[endpoints + 1]: one stream per endpoint, one for the routers."""


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
