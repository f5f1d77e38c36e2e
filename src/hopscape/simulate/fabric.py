"""From a network, a routing and settings to the arrays that the engine runs on."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.router import Router, TableRouter
from hopscape.deadlock.classes import (
    Certificate,
    Classes,
    Method,
    few_goals,
    find_classes,
    find_source_classes,
)
from hopscape.deadlock.judgement import classes_by_columns, phases, required_vcs, suits_columns
from hopscape.deadlock.leaves import classes_by_leaves, has_leaves, leaf_bytes
from hopscape.deadlock.routes import RouteColumns, RoutingTable
from hopscape.deadlock.shifts import classes_by_shifts, is_cyclic, shift_bytes
from hopscape.deadlock.sources import SourceRoutes
from hopscape.metrics.routes import closed_router
from hopscape.simulate import layout
from hopscape.simulate.layout import ChosenRoutes, FabricArrays, Fold, State
from hopscape.simulate.packing import (
    Packed,
    Packer,
    no_ties,
    pack_leaves,
    pack_shifts,
    pack_table,
    whole,
)
from hopscape.simulate.parts import cut_into_parts
from hopscape.simulate.settings import Settings, channel_delays
from hopscape.simulate.traffic import check_seed

__all__ = ["Setup", "build_setup", "fresh_state", "memory_needed"]

_PRIORITIES = {"none": layout.NOBODY, "transit": layout.TRANSIT, "age": layout.AGE}
_MODES = {"fixed": 0, "adaptive": 1, "valiant": 2, "ugal": 3}
_LINE, _HUGE_PAGE = 16, 1 << 19  # int32 in a cache line and in a huge page
_TABLE_BYTES = 11  # per pair: ports, classes, what the engine reads, and copies on the way
_COLUMN_BYTES = 3  # per pair, where only what the engine reads is kept
_MOST_CHANNELS = 1 << 23
_MOST_PACKETS = 1 << 29  # a flit is four times the number of its packet, in 32 bits
_NO_ROUTE = 0x3FFF  # longer than any route; sums of two fit into 16 bits
_ADAPTIVE_BYTES, _UGAL_BYTES = 16, 14
_METHODS = {"layers": layout.BY_PAIR, "rising": layout.RISING}
_SHARED = "adaptive packets wait for room behind others in shared buffers: nothing is certified"
_SWITCHING = {"wormhole": 0, "cut-through": 1, "store-and-forward": 2, "circuit": 3}


@dataclass(frozen=True)
class Setup:
    """A network ready to be simulated.

    Attributes:
        routes: Empty where the sources choose their routes; asked goal by goal in large networks.
        certificate: Of the routing as it is simulated (of the escape network, when adaptive).
        fabric: Arrays for the kernels.
        lines (int32[units, fields]): Channels, injection lines, ejection lines at rest.
        home (int32[endpoints]): Router of each endpoint.
        chosen: Routes that their sources choose.
    """

    network: Network
    settings: Settings
    routes: RoutingTable | RouteColumns
    classes: Classes
    certificate: Certificate
    fabric: FabricArrays
    lines: IntArray
    home: IntArray
    chosen: SourceRoutes | None = None

    @property
    def table(self) -> RoutingTable:
        """The routing table, made when it is asked for where it was not needed so far."""
        routes = self.routes
        return routes.whole if isinstance(routes, RouteColumns) else routes

    @property
    def endpoints(self) -> int:
        """Number of endpoints."""
        return len(self.home)

    @property
    def units(self) -> int:
        """Channels, injection lines and ejection lines."""
        return len(self.lines)

    def memory(self) -> int:
        """Bytes that a run takes, tables included."""
        longest = int(self.lines[:, layout.U_DELAY].max())
        fabric = self.fabric
        plain = (a for a in fabric if isinstance(a, np.ndarray))
        parts = (*plain, *fabric.fold, *fabric.ties, *fabric.chosen)
        tables = sum(int(a.nbytes) for a in parts)
        return tables + _moving_bytes(self.settings, self.units, longest)


def _moving_bytes(settings: Settings, units: int, longest: int) -> int:
    """Bytes of everything that moves."""
    rows = units << (settings.vcs - 1).bit_length()
    per_row = 4 * layout.VC_FIELDS + 4 * settings.buffer * (1 + layout.PACKET_FIELDS) + 48
    return rows * per_row + (4 * rows + 32 * units) * _wheel(settings, longest)


def memory_needed(network: Network, settings: Settings) -> int:
    """Bytes that making the tables and running them will take at most, before any are made.

    Examples:
        >>> import hopscape
        >>> memory_needed(hopscape.build("torus(8, 8)"), Settings()) // 10**6
        2
    """
    lines = settings.concentration * (settings.injectors + settings.ejectors)
    units = len(network.heads) + lines * network.endpoint_count
    moving = _moving_bytes(settings, units, settings.link_delay)
    choices = {"adaptive": _ADAPTIVE_BYTES, "ugal": _UGAL_BYTES}.get(settings.routing, 0)
    closed = _closed_router(network, settings, None, "auto")
    if closed is not None and is_cyclic(network, closed):
        return shift_bytes(network) + choices * network.order + moving
    if closed is not None and has_leaves(network, closed):
        switches = network.order - network.endpoint_count
        return leaf_bytes(network, closed) + choices * switches**2 + moving
    asked = _asked(network, settings, None, "auto")
    each = _COLUMN_BYTES if asked is not None and asked.rings is not None else _TABLE_BYTES
    return (each + choices) * network.order**2 + moving


def build_setup(
    network: Network,
    settings: Settings,
    router: Router | RoutingTable | None = None,
    *,
    unsafe: bool = False,
    method: Method = "auto",
    link_delays: IntArray | None = None,
    home: IntArray | None = None,
) -> Setup:
    """Route, find classes of virtual channels, and lay out the arrays.

    Args:
        router: The network's own when left out.
        unsafe: Use one class even where that may deadlock.
        method ({'auto', 'dateline', 'layers', 'rising'}): How classes of virtual channels are
            found.
        link_delays (int array, optional): Cycles of each channel; else those that the network
            knows, or one delay for all.
        home (int array, optional): Node of each endpoint, where they are not in order.

    Raises:
        ArgumentError: When no routing free of deadlock fits into the virtual channels, or channels
            have another capacity than one flit per cycle.
    """
    if network.order < 2 or not len(network.heads):
        raise ArgumentError(f"{network.spec} has no links to simulate")
    if network.unheeded("", "capacity"):
        raise ArgumentError(
            f"{network.spec} has channels of other capacity than 1; the simulator moves one flit"
            " per cycle on every channel (hopscape load honours capacity)"
        )
    require_memory(memory_needed(network, settings), f"the simulation of {network.spec}")
    asked: Method = "single" if unsafe else method
    chosen: SourceRoutes | None = None
    if isinstance(router, Router) and not router.chained:
        if settings.routing != "fixed":
            raise ArgumentError(f"routing is {settings.routing!r}; {router.name} routes are fixed")
        chosen, classes, proof = find_source_classes(network, router, method=asked)
        none = np.full((0, 0), NO_PORT, dtype=np.uint16)
        routes: RoutingTable | RouteColumns = RoutingTable(network, router.name, none, None, None)
        packed = Packed(np.empty((0, 0), dtype=np.uint16, order="F"), no_ties(), whole())
    else:
        routes, classes, proof, packed = _routed(network, settings, router, asked)
    _require_vcs(network, settings, classes)
    if not settings.certifiable:
        proof = replace(proof, deadlock_free=False, caveat=_SHARED)
    ends = network.endpoints
    if not len(ends):
        raise ArgumentError(f"{network.spec} has no endpoints: every node is a switch")
    if home is None:
        home = np.repeat(ends, settings.concentration)
    home = home.astype(np.int32)
    fabric = _fabric(settings, routes, classes, packed, len(home))
    if chosen is not None:
        fabric = fabric._replace(chosen=_chosen(chosen, classes))
    if link_delays is None:
        link_delays = channel_delays(network, settings.link_delay, ())
    units = _units(network, settings, classes, home, link_delays)
    fabric.numbers[layout.N_LINK] = units[: len(network.heads), layout.U_DELAY].max()
    setup = Setup(network, settings, routes, classes, proof, fabric, units, home, chosen)
    places = settings.buffer * len(units) << (settings.vcs - 1).bit_length()
    if places + len(home) * settings.injectors > _MOST_PACKETS:
        raise TooLargeError(
            f"{network.spec} has buffers for {places} flits; the simulator numbers {_MOST_PACKETS}"
        )
    require_memory(setup.memory(), f"the simulation of {network.spec}")
    return setup


def _require_vcs(network: Network, settings: Settings, classes: Classes) -> None:
    need = required_vcs(settings.routing, classes.count)
    spare = classes.count > 1 and network.duplex
    if need > settings.vcs:
        raise ArgumentError(
            f"vcs is {settings.vcs}; {settings.routing} routing on {network.spec} needs {need}"
            f" virtual channels to be free of deadlock ({classes.method})"
            + ("; up*/down* routes (--router updown) need fewest" if spare else "")
        )


def _closed_router(
    network: Network, settings: Settings, router: Router | RoutingTable | None, method: Method
) -> Router | None:
    """The closed form of a large network, whose table may be folded."""
    if isinstance(router, RoutingTable) or method != "auto" or settings.spread == "all":
        return None
    closed = router if router is not None else closed_router(network)
    return closed if few_goals(network) is not None else None


def _asked(
    network: Network, settings: Settings, router: Router | RoutingTable | None, method: Method
) -> RouteColumns | None:
    """The closed form of a large network, where its classes can be found goal by goal."""
    if isinstance(router, RoutingTable) or method != "auto" or settings.spread == "all":
        return None
    closed = router if router is not None else closed_router(network)
    if closed is None or type(closed) is TableRouter or few_goals(network) is None:
        return None
    asked = RouteColumns(network, closed)
    return asked if suits_columns(asked) else None


def _routed(
    network: Network, settings: Settings, router: Router | RoutingTable | None, method: Method
) -> tuple[RoutingTable | RouteColumns, Classes, Certificate, Packed]:
    """Routes, classes and their certificate, and the table that the engine reads."""
    closed = _closed_router(network, settings, router, method)
    anywhere = settings.routing == "adaptive" and method != "single"
    if closed is not None and is_cyclic(network, closed):
        alike = classes_by_shifts(network, closed)
        if alike is not None:
            return alike.columns, alike.classes, alike.certificate, pack_shifts(alike)
    if closed is not None and has_leaves(network, closed):
        spread = settings.spread != "none"
        leaves = classes_by_leaves(network, closed, anywhere=anywhere, spread=spread)
        if leaves is not None:
            return leaves.columns, leaves.classes, leaves.certificate, pack_leaves(leaves)
    asked = _asked(network, settings, router, method)
    if asked is not None:
        packer = Packer(network, complete=True)
        certified = classes_by_columns(asked, packer.visit, anywhere=anywhere)
        if certified is not None:
            return asked, *certified, packer.packed
        require_memory(_TABLE_BYTES * network.order**2, f"the simulation of {network.spec}")
    table, classes, proof = find_classes(
        network, router, method=method, anywhere=anywhere, spread=settings.spread
    )
    return table, classes, proof, pack_table(table, classes, complete=True)


def _fabric(
    settings: Settings,
    routes: RoutingTable | RouteColumns,
    classes: Classes,
    packed: Packed,
    endpoints: int,
    alive: IntArray | None = None,
) -> FabricArrays:
    network = routes.network
    none8, none16 = np.empty((0, 0), np.uint8), np.empty((0, 0), np.uint16)
    none32, adaptive = np.empty((0, 0), np.uint32), settings.routing == "adaptive"
    return FabricArrays(
        numbers=_numbers(settings, classes, len(network.heads), endpoints),
        indptr=network.indptr.copy(),
        table=packed.cells,
        fold=packed.fold,
        ties=packed.ties,
        shortest=_shortest_ports(network, packed.fold, alive) if adaptive else none32,
        distances=_distances(network, packed.fold, alive).astype(np.uint16)
        if settings.routing == "ugal"
        else none16,
        **_channel_sets(settings, classes),
        layers=classes.layers,
        moved=none8,
        chosen=_chosen(None, classes),
    )


def _chosen(routes: SourceRoutes | None, classes: Classes) -> ChosenRoutes:
    """The routes that their sources choose, as the engine reads them."""
    if routes is None:
        none = np.empty(0, dtype=np.int32)
        return ChosenRoutes(np.empty((0, 0), dtype=np.int64), np.empty(0), none, none)
    if len(routes.network.heads) > _MOST_CHANNELS:
        raise ArgumentError(f"{routes.network.spec} has more than {_MOST_CHANNELS} channels")
    steps = routes.channels * np.int32(256)
    if classes.steps is not None:
        steps = steps + classes.steps
    order = routes.network.order
    first = routes.first[np.arange(order)[:, None] * order + np.arange(order + 1)]
    return ChosenRoutes(first, routes.shares, routes.starts[:-1].astype(np.int32), steps)


def damaged_setup(
    setup: Setup, table: RoutingTable, classes: Classes, proof: Certificate, alive: IntArray
) -> Setup:
    """The same network with other tables, over the channels that are left."""
    network, settings = setup.network, setup.settings
    _require_vcs(network, settings, classes)
    packed = pack_table(table, classes)
    fabric = _fabric(settings, table, classes, packed, setup.endpoints, alive)
    fabric.numbers[layout.N_LINK] = setup.fabric.numbers[layout.N_LINK]
    lines = setup.lines.copy()
    lines[: len(network.heads), layout.U_RING] = classes.rings
    return Setup(network, settings, table, classes, proof, fabric, lines, setup.home)


def _units(
    network: Network,
    settings: Settings,
    classes: Classes,
    home: IntArray,
    link_delays: IntArray | None,
) -> IntArray:
    """The table of units: where they lead, their numbers at the arbiters, and full credit."""
    channels = len(network.heads)
    entries, exits = np.repeat(home, settings.injectors), np.repeat(home, settings.ejectors)
    to_router = np.concatenate([network.heads, entries, exits]).astype(np.int32)
    from_router = np.concatenate([network.tails, entries, exits]).astype(np.int32)
    first_exit, count = channels + len(entries), len(to_router)
    inputs = np.arange(first_exit)
    outputs = np.concatenate([np.arange(channels), np.arange(first_exit, count)])
    in_index, inside = _ranks(to_router[inputs], network.order)
    out_index, outside = _ranks(from_router[outputs], network.order)
    units = np.zeros((count, layout.UNIT_FIELDS), dtype=np.int32)
    units[:, layout.U_TO] = to_router
    units[inputs, layout.U_IN] = in_index
    units[outputs, layout.U_OUT] = out_index
    units[:, layout.U_INS] = inside[from_router]
    units[:, layout.U_OUTS] = outside[from_router]
    units[:, layout.U_DELAY] = 1
    units[:channels, layout.U_DELAY] = settings.link_delay if link_delays is None else link_delays
    units[:, layout.U_RING] = -1
    units[:channels, layout.U_RING] = classes.rings
    units[:, layout.U_FREE] = (1 << settings.vcs) - 1
    units[:, layout.U_CREDIT] = settings.vcs * settings.buffer
    units[:, layout.U_ASK] = -1
    units[:, layout.U_BEST] = -1
    return units


def _ranks(routers: IntArray, order: int) -> tuple[IntArray, IntArray]:
    """Number of each line among those of its router, and how many each router has."""
    sizes = np.bincount(routers, minlength=order)
    by_router = np.argsort(routers, kind="stable")
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(routers), dtype=np.int32)
    rank[by_router] = np.arange(len(routers)) - starts[routers[by_router]]
    return rank, sizes


def _numbers(settings: Settings, classes: Classes, channels: int, endpoints: int) -> IntArray:
    numbers = np.zeros(layout.NUMBERS, dtype=np.int64)
    numbers[layout.N_CHANNELS] = channels
    numbers[layout.N_ENDPOINTS] = endpoints
    numbers[layout.N_INJECTORS] = settings.injectors
    numbers[layout.N_EJECTORS] = settings.ejectors
    numbers[layout.N_EXITS] = channels + endpoints * settings.injectors
    numbers[layout.N_VCS] = settings.vcs
    numbers[layout.N_DEPTH] = settings.buffer
    numbers[layout.N_ROUTING] = settings.routing_delay
    numbers[layout.N_VC_ALLOC] = settings.vc_delay
    numbers[layout.N_SW_ALLOC] = settings.switch_delay
    numbers[layout.N_TRAVERSAL] = settings.traversal_delay
    numbers[layout.N_CREDIT] = settings.credit_delay
    numbers[layout.N_SPEEDUP] = settings.speedup
    numbers[layout.N_TAIL_CREDIT] = settings.tail_credit
    numbers[layout.N_MODE] = _MODES[settings.routing]
    numbers[layout.N_SWITCHING] = _SWITCHING[settings.switching]
    numbers[layout.N_SETS] = len(classes.sets)
    numbers[layout.N_METHOD] = _METHODS.get(classes.method, layout.BY_RING)
    numbers[layout.N_BIAS] = settings.ugal_bias
    cyclic = "transit" if classes.count > 1 else "none"
    asked = cyclic if settings.priority == "auto" else settings.priority
    numbers[layout.N_PRIORITY] = _PRIORITIES[asked]
    need = required_vcs(settings.routing, classes.count)
    lonely = classes.method == "dateline" and settings.vcs < 2 * need
    numbers[layout.N_EASE] = 2 if lonely else 0
    overload = asked != "none" and classes.method == "dateline"
    numbers[layout.N_ROOM] = layout.OVERLOAD if overload else 0
    numbers[layout.N_LIMIT] = round(settings.injection_limit * 1000)
    numbers[layout.N_WINDOW] = settings.window != "none"
    numbers[layout.N_SHARED] = settings.shared_buffers
    numbers[layout.N_SHIFT] = (settings.vcs - 1).bit_length()
    return numbers


def _channel_sets(settings: Settings, classes: Classes) -> dict[str, IntArray]:
    """Virtual channels of each class and of each set of classes, and the class of each channel.

    The virtual channels are shared out evenly among the classes, twice for two phases; for
    adaptive routing each class has one, and the others are free to roam.
    """
    vcs, count = settings.vcs, classes.count
    rounds = phases(settings.routing)
    parts = count * rounds
    if settings.routing == "adaptive":
        cuts = [*range(count), count]
        roaming = (1 << vcs) - (1 << count)
    else:
        cuts = [vcs * i // parts for i in range(parts + 1)]
        roaming = 0
    bits = [(1 << cuts[i + 1]) - (1 << cuts[i]) for i in range(parts)]
    kinds = np.zeros(32, dtype=np.int64)
    for kind in range(parts):
        kinds[cuts[kind] : cuts[kind + 1]] = kind
    sets = [
        sum(bits[phase * count + k] for k in range(count) if one >> k & 1)
        for phase in range(rounds)
        for one in classes.sets
    ]
    return {
        "masks": np.array([*bits, (1 << vcs) - 1, roaming], dtype=np.int64),
        "sets": np.array(sets, dtype=np.int64),
        "kinds": kinds,
    }


def _distances(network: Network, fold: Fold, alive: IntArray | None = None) -> IntArray:
    """Distances over the live channels, [from, to]; a large number where there is no path.

    Where the tables are folded by differences, only those to node 0; by leaves, of switches.
    """
    from hopscape.core.distances import distance_rows, unreached

    if alive is not None:
        network = Network.from_links(
            network.order, network.tails[alive], network.heads[alive], duplex=False
        )
    if fold.kind[0] == layout.LEAVES:
        network = _switches(network, fold)[0]
    if fold.kind[0] in (layout.SHIFTS, layout.FLIPS):
        rows = distance_rows(network, np.zeros(1, dtype=np.int64), towards=True).T
    else:
        rows = distance_rows(network, np.arange(network.order))
    return np.where(unreached(rows), np.int32(_NO_ROUTE), rows)


def _switches(network: Network, fold: Fold) -> tuple[Network, list[int]]:
    """The switches of leaves and their channels, with what these are at their switch."""
    tails, heads = fold.switch[network.tails], fold.switch[network.heads]
    inside = (tails >= 0) & (heads >= 0)
    offset = (np.arange(len(tails)) - network.indptr[network.tails])[inside]
    count = int((fold.switch >= 0).sum())
    inner = Network.from_links(count, tails[inside], heads[inside], duplex=False)
    return inner, offset.tolist()


def _shortest_ports(network: Network, fold: Fold, alive: IntArray | None) -> IntArray:
    """All shortest channels of every pair, as bits; folded as :func:`_distances`."""
    if int(network.degrees.max()) > 32:
        raise ArgumentError(
            f"{network.spec} has more than 32 ports; adaptive routing takes up to 32"
        )
    distance = _distances(network, fold, alive)
    ports = np.zeros(distance.shape, dtype=np.uint32)
    offset = np.arange(len(network.heads)) - network.indptr[network.tails]
    if fold.kind[0] == layout.LEAVES:
        inner, places = _switches(network, fold)
        for tail, head, port in zip(
            inner.tails.tolist(), inner.heads.tolist(), places, strict=True
        ):
            ports[tail, distance[head] == distance[tail] - 1] |= np.uint32(1 << port)
        return ports
    if fold.kind[0] != layout.WHOLE:
        shorter = distance[network.heads, 0] == distance[network.tails, 0] - 1
        np.bitwise_or.at(
            ports[:, 0], network.tails[shorter], np.uint32(1) << offset[shorter].astype(np.uint32)
        )
        return ports
    for channel in range(len(network.heads)):
        if alive is not None and not alive[channel]:
            continue
        tail, head = int(network.tails[channel]), int(network.heads[channel])
        shorter = distance[head] == distance[tail] - 1
        ports[tail, shorter] |= np.uint32(1 << int(offset[channel]))
    return ports


def _wheel(settings: Settings, longest: int) -> int:
    """Slots of the wheels, for links of up to `longest` cycles."""
    ahead = 2 + settings.traversal_delay + settings.credit_delay + longest
    return 1 << ahead.bit_length()


def fresh_state(setup: Setup, seed: int, parts: int = 1) -> State:
    """An empty network at cycle 0.

    Args:
        parts: Into how many parts it is cut, each for a thread.
    """
    settings, units, ends = setup.settings, setup.units, setup.endpoints
    vcs, depth, speedup = settings.vcs, settings.buffer, settings.speedup
    entries = ends * settings.injectors
    rows = units << (vcs - 1).bit_length()
    wheel = _wheel(settings, int(setup.lines[:, layout.U_DELAY].max()))
    cut = cut_into_parts(setup.network, setup.fabric.fold, setup.lines, setup.home, parts)
    pairs = parts * parts
    room = _tables(
        vcs=(rows, layout.VC_FIELDS),
        units=(units, layout.UNIT_FIELDS),
        sides=(units * speedup, 4),
        ends=(ends, layout.END_FIELDS),
        injectors=(entries, layout.INJECTOR_FIELDS),
        lists=(parts * 5, max(rows, units * speedup)),
        arrivals=(wheel, pairs + 2 * units),
        ejections=(parts * wheel, 1 + 2 * ends * settings.ejectors),
        credits=(wheel, pairs + rows),
        homes=(pairs, 1 + ends * settings.ejectors),
        flits=(rows, depth),
        packets=(parts * (rows * depth + entries), layout.PACKET_FIELDS),
    )
    table = room["vcs"]
    table[:] = 0
    every = np.arange(rows)
    unit, v = every >> (vcs - 1).bit_length(), every & ((1 << (vcs - 1).bit_length()) - 1)
    table[:, layout.V_SIDE] = unit * speedup + v % speedup
    table[:, layout.V_IN] = setup.lines[unit, layout.U_IN]
    table[:, layout.CREDIT] = depth
    table[:, layout.V_NEXT] = -1
    room["sides"][:] = 0
    room["sides"][:, layout.X_ROW] = -1
    people = room["ends"]
    people[:] = -1
    people[:, layout.E_HOME] = setup.home
    people[:, layout.E_WINDOW] = _first_window(setup)
    people[:, [layout.E_TRACE, layout.E_ON, layout.E_UNDERWAY, layout.E_LOSS, layout.E_GAIN]] = 0
    room["injectors"][:] = -1
    room["injectors"][:, layout.I_HOLD] = 0
    room["units"][:] = setup.lines
    room["units"][:, layout.U_PAIR] = cut.pair
    sizes = np.bincount(cut.pair, minlength=pairs)
    before = np.cumsum(sizes) - sizes
    shift = (vcs - 1).bit_length()
    blocks = np.stack([np.arange(pairs) + 2 * before, np.arange(pairs) + (before << shift)])
    for slots, starts in zip(("arrivals", "credits"), blocks, strict=True):
        room[slots][:, starts] = 0
    for slots in ("ejections", "homes"):
        room[slots][:, 0] = 0
    each = np.zeros((parts, layout.SCALARS), dtype=np.int64)
    each[:, layout.PART], each[:, layout.PARTS] = np.arange(parts), parts
    each[:, layout.FIRST_END], each[:, layout.LAST_END] = cut.ends[:-1], cut.ends[1:]
    each[:, layout.FIRST_PACKET] = np.arange(parts) * (len(room["packets"]) // parts)
    return State(
        scalars=each[0] if parts == 1 else each[0].copy(),
        each=each,
        **room,
        blocks=blocks,
        own=cut.own,
        gates=np.zeros((parts + 1, layout.GATE_FIELDS), dtype=np.int64),
        random=np.random.SeedSequence(check_seed(seed)).generate_state(ends + 1, np.uint64),
    )


def _first_window(setup: Setup) -> int:
    """What a source may have under way at first: a flit per cycle and injector over six routers."""
    hop = setup.settings.router_delay + int(setup.fabric.numbers[layout.N_LINK])
    return setup.settings.injectors * 6 * hop << layout.W_SHIFT


def _tables(**shapes: tuple[int, int]) -> dict[str, IntArray]:
    """Int32 tables that begin on cache lines, in one piece of memory taken when it is used.

    The piece begins on a huge page; numpy asks for such pages where it is large, which spares the
    processor a tenth of the time in networks of thousands of routers.
    """
    lengths = {name: -(-rows * width // _LINE) * _LINE for name, (rows, width) in shapes.items()}
    whole = np.empty(sum(lengths.values()) + _HUGE_PAGE, dtype=np.int32)
    at, tables = (-whole.ctypes.data // 4) % _HUGE_PAGE, {}
    for name, (rows, width) in shapes.items():
        tables[name] = whole[at : at + rows * width].reshape(rows, width)
        at += lengths[name]
    return tables
