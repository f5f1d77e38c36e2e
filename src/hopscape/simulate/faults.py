"""Dead links and nodes: what fails when, and the routing of what is left.

From the cycle of a fault on, packets follow new tables with classes of virtual channels that are
certified again. Old ports stay wherever they still begin a shortest path; other routes come from
the family's own routing round dead parts where it has one, or from shortest tables. Where the
classes do not fit into the virtual channels, tables and then up*/down* on what is left are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from hopscape.core.arrays import NO_PORT, IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.core.router import Route
from hopscape.deadlock.classes import find_classes
from hopscape.deadlock.judgement import required_vcs
from hopscape.deadlock.layout import Wiring
from hopscape.deadlock.tables import RoutingTable
from hopscape.simulate import layout
from hopscape.simulate.fabric import Setup, damaged_setup

__all__ = ["Epoch", "Fault", "plan_epochs", "read_faults"]


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
        found = _mended(setup, before, alive, dead, cycle, fault_routing)
        epochs.append(Epoch(cycle, found[0], alive, dead, _broken(before, alive), *found[1:]))
        before = found[0]
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
    from hopscape.simulate.fault_kernels import routes_over

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
            found = ask(source, goal)
            if found is None or any(pair not in step for pair in pairwise(found.path)):
                unserved += 1
                continue
            last = {v: i for i, v in enumerate(found.path)}  # no node twice
            at = source
            while at != goal and column[at] == NO_PORT:
                then = found.path[last[at] + 1]
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
    from hopscape.simulate.fault_kernels import mend_ports

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
    return port


def dead_endpoints(epoch: Epoch) -> IntArray:
    """Endpoints whose node is dead."""
    return np.nonzero(epoch.dead_nodes[epoch.setup.home])[0]


def refresh_lines(state: layout.State, setup: Setup) -> None:
    """Rings of the channels as the new classes see them."""
    state.units[:, layout.U_RING] = setup.lines[:, layout.U_RING]
