"""Switched machines made of other networks: endpoints at every switch, trunks, planes, spare ports.

In a switched machine every line counts against the radix of a switch, those to endpoints included.
Endpoints are numbered first, switch by switch; switches follow in the order of the base.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.channels import PLAIN, ChannelClass, with_plain
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Facts, Layout, ListedFamily, Parameter, integers
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.requirement import Requirement
from hopscape.families.drawings import draw_endpoints, draw_planes, draw_rails, drawing_of
from hopscape.formats.graphs.libraries import link_ends

__all__ = ["ISLAND", "Concentrated", "Planes", "Populated", "Rails", "Trunked", "dealt", "numbered"]

ISLAND = "island"
"""Kind of the channels inside an island: part of the server, not bought with the network."""

_LINK_BYTES = 80  # ends, kinds and pairing of a link while the wiring is made


class _Derived(ListedFamily):
    """What the three have in common: a duplex base of known wiring."""

    base: Network

    def _take(self, base: Network, links: int) -> None:
        if not base.duplex:
            raise ArgumentError(f"{self.name} needs a base of duplex links, not {base.spec}")
        self.base = base
        require_memory(_LINK_BYTES * links, f"the wiring of {self.name}({base.spec}, ...)")

    @cached_property
    def _base_links(self) -> tuple[IntArray, IntArray]:
        tails, heads, _ = link_ends(self.base)
        return tails.astype(np.int64), heads.astype(np.int64)

    @property
    def _base_kinds(self) -> IntArray:
        """Kind of each link of the base."""
        return self.base.class_of(link_ends(self.base)[2])

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """Those of the base: its links are links here."""
        return self.base.classes

    @property
    def _base_switches(self) -> int:
        return self.base.order - (self.base.endpoint_count if self.base.has_switches else 0)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterable[str]:
        """None: the designer makes them of the members of other families."""
        return ()


class Concentrated(_Derived):
    """`endpoints` endpoints at every switch, and every link between switches `trunk` cables.

    Where the base has no switches, its nodes become switches. Where it has, the switches that
    carry its endpoints carry these instead: fewer, or more (a taper). Endpoints with several lines
    become switches as well, which carry these.
    """

    name = "concentrated"
    summary = "switched machine: endpoints at every node of a network, its links in trunks"
    parameters = (
        Parameter("base", "network", "the network of switches"),
        *integers(endpoints=("endpoints at every switch", 1, 100_000)),
        Parameter("trunk", "int", "cables for every link between switches", low=1, default=1),
        Parameter("lines", "int", "lines of every endpoint to its switch", low=1, default=1),
    )
    example = "concentrated(torus(3, 3), 2)"

    def __init__(self, base: Network, endpoints: int, trunk: int = 1, lines: int = 1) -> None:
        places = base.order if not base.has_switches else base.endpoint_count
        self._take(base, (base.links * trunk) + places * endpoints * lines)
        self.endpoints, self.trunk, self.lines = endpoints, trunk, lines

    @cached_property
    def _is_switch(self) -> IntArray:
        """bool[base.order]: nodes of the base that are switches here."""
        unmarked = np.ones(self.base.order, dtype=bool)
        if self.base.has_switches:
            lines = self.base.degrees[self.base.endpoints]
            unmarked[self.base.endpoints] = bool((lines > 1).any())
        return unmarked

    @cached_property
    def _edge(self) -> IntArray:
        """Numbers of the switches that carry endpoints, counted among the switches."""
        if not self.base.has_switches:
            return np.arange(self.base.order)
        number = np.cumsum(self._is_switch) - 1
        if self._is_switch.all():
            return number[self.base.endpoints]
        tails, heads = self._base_links
        first, second = self._is_switch[tails], self._is_switch[heads]
        if (~first & ~second).any():
            raise ArgumentError(f"endpoints of {self.base.spec} are joined to each other")
        return np.unique(number[np.where(first, tails, heads)[first != second]])

    @property
    def _switch_count(self) -> int:
        return int(self._is_switch.sum())

    @property
    def order(self) -> int:
        return len(self._edge) * self.endpoints + self._switch_count

    def switches(self) -> range:
        return range(len(self._edge) * self.endpoints, self.order)

    def links(self) -> tuple[IntArray, IntArray]:
        first = len(self._edge) * self.endpoints
        number = np.cumsum(self._is_switch) - 1
        tails, heads = self._base_links
        inner = self._is_switch[tails] & self._is_switch[heads]
        line = np.repeat(np.arange(first), self.lines)
        owner = first + np.repeat(self._edge, self.endpoints * self.lines)
        tail = first + np.repeat(number[tails[inner]], self.trunk)
        head = first + np.repeat(number[heads[inner]], self.trunk)
        return np.concatenate([line, tail]), np.concatenate([owner, head])

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """Those of the base; lines of endpoints are plain, or like those that they replace."""
        return with_plain(self.base.classes)

    def link_kinds(self) -> IntArray | None:
        if not self.base.classes:
            return None
        kinds, (tails, heads) = self._base_kinds, self._base_links
        first, second = self._is_switch[tails], self._is_switch[heads]
        own = np.full(self.base.order, self.channel_classes().index(PLAIN))
        owner = np.where(first, tails, heads)
        replaced = first != second
        own[owner[replaced]] = kinds[replaced]
        if (own[owner[replaced]] != kinds[replaced]).any():
            raise ArgumentError(
                f"a switch of {self.base.spec} has lines of several kinds to its endpoints, so that"
                f" it is open of which kind those of {self.name} are"
            )
        line = own[np.flatnonzero(self._is_switch)[self._edge]]
        inner = np.repeat(kinds[first & second], self.trunk)
        return np.concatenate([np.repeat(line, self.endpoints * self.lines), inner])

    def facts(self) -> Facts:
        known = self.base.facts
        if self.base.has_switches:
            return Facts(connected=known.connected)
        diameter = known.diameter
        several = self.order > 2 or self.base.order > 1
        return Facts(
            links=None
            if known.links is None
            else known.links * self.trunk + self.base.order * self.endpoints * self.lines,
            connected=known.connected,
            diameter=diameter + 2 if diameter is not None and known.connected and several else None,
        )

    def layout(self) -> Layout | None:
        return draw_endpoints(self.base, self._is_switch, self._edge, self.endpoints)


def _copies(base: str, count: str) -> tuple[Parameter, ...]:
    """What is copied, and how often."""
    return (Parameter("base", "network", base), *integers(count=(count, 1, 64)))


class _Copied(_Derived):
    """All links of a network several times."""

    def __init__(self, base: Network, count: int) -> None:
        self._take(base, base.links * count)
        self.count = count


class Planes(_Copied):
    """`count` copies of a network with the same endpoints: an endpoint has a line into each."""

    name = "planes"
    summary = "switched machine in planes: copies of a network that share their endpoints"
    parameters = _copies("the network of one plane, with switches", "planes")
    example = "planes(concentrated(complete(3), 2), 2)"

    def __init__(self, base: Network, count: int) -> None:
        if not base.has_switches:
            raise ArgumentError(f"planes need a network with switches, which {base.spec} has not")
        super().__init__(base, count)

    @property
    def order(self) -> int:
        return self.base.endpoint_count + self.count * self._base_switches

    def switches(self) -> range:
        return range(self.base.endpoint_count, self.order)

    def links(self) -> tuple[IntArray, IntArray]:
        ends, switches = self.base.endpoint_count, self._base_switches
        is_end = np.zeros(self.base.order, dtype=bool)
        is_end[self.base.endpoints] = True
        number = np.where(is_end, np.cumsum(is_end) - 1, ends + np.cumsum(~is_end) - 1)
        tails, heads = (number[side] for side in self._base_links)
        copies = np.arange(self.count)[:, None] * switches
        return (
            np.where(tails < ends, tails, tails + copies).ravel(),
            np.where(heads < ends, heads, heads + copies).ravel(),
        )

    def link_kinds(self) -> IntArray | None:
        return np.tile(self._base_kinds, self.count)

    def facts(self) -> Facts:
        known = self.base.facts
        links = None if known.links is None else known.links * self.count
        return Facts(links=links, connected=known.connected)

    def layout(self) -> Layout | None:
        return draw_planes(self.base, self.count)


class Rails(_Derived):
    """Islands of accelerators with a fast switch of their own, joined by separate networks (rails).

    `count` copies of a network; accelerator r of every island is an endpoint of copy r modulo
    `count`, and a channel of the island's switch carries `speed` times as much as a line. Nodes:
    accelerators, island by island; the switches of the islands; the copies of the base's switches.
    """

    name = "rails"
    summary = "islands of endpoints with a fast switch each, joined by copies of a network"
    parameters = (
        Parameter("base", "network", "the network of one rail, with switches"),
        *integers(count=("rails", 1, 1024), island=("endpoints of an island", 2, 1024)),
        Parameter("speed", "int", "what a channel of an island carries", low=1, default=9),
    )
    example = "rails(concentrated(complete(3), 2), 2, 4)"

    def __init__(self, base: Network, count: int, island: int, speed: int = 9) -> None:
        if not base.has_switches:
            raise ArgumentError(f"rails need a network with switches, which {base.spec} has not")
        if island % count:
            raise ArgumentError(f"count is {count}, which does not divide an island of {island}")
        ends = base.endpoint_count * count
        if ends % island:
            raise ArgumentError(
                f"{count} rails of {base.endpoint_count} endpoints are {ends}, no multiple of an"
                f" island of {island}"
            )
        self._take(base, (base.links + ends) * count)
        self.count, self.island, self.speed = count, island, speed
        self.ends, self.islands = ends, ends // island

    @property
    def order(self) -> int:
        return self.ends + self.islands + self.count * self._base_switches

    def switches(self) -> range:
        return range(self.ends, self.order)

    def inner_switches(self) -> range:
        return range(self.ends, self.ends + self.islands)

    def links(self) -> tuple[IntArray, IntArray]:
        ends, net = np.arange(self.ends), self.base
        is_end = np.zeros(net.order, dtype=bool)
        is_end[net.endpoints] = True
        each = self.island // self.count  # accelerators of an island in one rail
        place = np.cumsum(is_end) - 1
        first = self.ends + self.islands + np.cumsum(~is_end) - 1
        tails, heads = self._base_links
        sides: list[list[IntArray]] = [[ends], [self.ends + ends // self.island]]
        for rail in range(self.count):
            here = place // each * self.island + place % each * self.count + rail
            number = np.where(is_end, here, first + rail * self._base_switches)
            sides[0].append(number[tails])
            sides[1].append(number[heads])
        return np.concatenate(sides[0]), np.concatenate(sides[1])

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        return (
            ChannelClass(ISLAND, self.speed, length=0.0),
            *with_plain(self.base.classes or (PLAIN,)),
        )

    def link_kinds(self) -> IntArray:
        own = self.base.classes
        kinds = 1 + self._base_kinds if own else np.ones(self.base.links, dtype=np.int64)
        return np.concatenate([np.zeros(self.ends, dtype=np.int64), np.tile(kinds, self.count)])

    def facts(self) -> Facts:
        known = self.base.facts
        links = None if known.links is None else known.links * self.count + self.ends
        return Facts(links=links, connected=known.connected)

    def layout(self) -> Layout | None:
        return draw_rails(self.base, self.count, self.ends, self.islands)


class Trunked(_Copied):
    """Every link of a network `count`-fold, the lines of its endpoints too."""

    name = "trunked"
    summary = "every link of a network several cables, its endpoints' lines too"
    parameters = _copies("the network", "cables for every link")
    example = "trunked(ring(4), 2)"

    @property
    def order(self) -> int:
        return self.base.order

    def switches(self) -> IntArray | None:
        if not self.base.has_switches:
            return None
        return np.setdiff1d(np.arange(self.base.order), self.base.endpoints)

    def links(self) -> tuple[IntArray, IntArray]:
        tails, heads = self._base_links
        return np.repeat(tails, self.count), np.repeat(heads, self.count)

    def link_kinds(self) -> IntArray | None:
        return np.repeat(self._base_kinds, self.count)

    def facts(self) -> Facts:
        known = self.base.facts
        return Facts(
            links=None if known.links is None else known.links * self.count,
            connected=known.connected,
            diameter=known.diameter,
            mean_distance=known.mean_distance,
        )

    def layout(self) -> Layout | None:
        return drawing_of(self.base)


def dealt(room: IntArray, count: int) -> IntArray:
    """Endpoints at each switch when so many are dealt evenly, none getting more than it has room.

    Examples:
        >>> dealt(np.array([4, 4, 4]), 10).tolist(), dealt(np.array([1, 5, 5]), 6).tolist()
        ([4, 3, 3], [1, 3, 2])
    """
    if not 0 <= count <= int(room.sum()):
        raise ArgumentError(f"count is {count}; there is room for 0 to {int(room.sum())}")
    level = 0
    while int(np.minimum(room, level + 1).sum()) <= count and level < int(room.max(initial=0)):
        level += 1
    out = np.minimum(room, level)
    more = np.flatnonzero(room > level)
    left = count - int(out.sum())
    if left:
        out[more[np.arange(left) * len(more) // left]] += 1  # not all on neighbours
    return out


def numbered(groups: IntArray, count: int) -> IntArray:
    """The place of each entry in its group, in their order.

    Examples:
        >>> numbered(np.array([1, 0, 1, 1]), 2).tolist()
        [0, 0, 1, 2]
    """
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups, minlength=count)
    place = np.empty(len(groups), dtype=np.int64)
    place[order] = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return place


class Populated(_Derived):
    """A machine of which some endpoint ports stay free: `count` endpoints, dealt out evenly.

    `ends` deals them in another way: the numbers of all switches with endpoints, in their order.
    Every switch keeps its endpoints with the lowest numbers. Nodes keep their order.

    With `pairs` every trunk has just as many cables as the traffic between its ends takes: one for
    each so many pairs of endpoints, at least one, at most those of the base. All pairs of a switch
    count where it is joined to switches without endpoints, which share them evenly.
    """

    name = "populated"
    summary = "switched machine with spare ports: so many endpoints, dealt evenly over its switches"
    parameters = (
        Parameter("base", "network", "the machine with all its endpoints"),
        *integers(count=("endpoints that are there", 1, 10_000_000)),
        Parameter(
            "ends", "ints", "endpoints at each switch; dealt evenly if left out", low=0,
            default=None,
        ),
        Parameter(
            "pairs", "int", "pairs of endpoints for a cable of a trunk; all stay if left out",
            low=1, default=None,
        ),
    )  # fmt: skip
    example = "populated(concentrated(complete(3), 2), 5)"

    def __init__(
        self,
        base: Network,
        count: int,
        ends: Sequence[int] | None = None,
        pairs: int | None = None,
    ) -> None:
        if not base.has_switches:
            raise ArgumentError(f"populated needs a network with switches, not {base.spec}")
        if count > base.endpoint_count:
            raise ArgumentError(
                f"count is {count}, more than the {base.endpoint_count} endpoints of {base.spec}"
            )
        if ends is not None and sum(ends) != count:
            raise ArgumentError(f"ends are {sum(ends)} in all; they must be count, {count}")
        self._take(base, base.links)
        self.count, self.ends = count, None if ends is None else tuple(ends)
        self.pairs = pairs
        if ends is not None:
            _ = self._kept  # refuses what does not fit

    def deal(self, room: IntArray) -> IntArray:
        """Endpoints at each switch that has room for so many."""
        if self.ends is None:
            return dealt(room, self.count)
        if len(self.ends) != len(room) or (np.array(self.ends) > room).any():
            raise ArgumentError(
                f"ends are {list(self.ends)}; they must be numbers for {len(room)} switches, of at"
                f" most {int(room.max(initial=0))}"
            )
        return np.array(self.ends, dtype=np.int64)

    @property
    def _room(self) -> tuple[IntArray, IntArray]:
        """Switches of the base that have endpoints, and how many each has."""
        net = self.base
        occupied = np.unique(net.heads[net.indptr[net.endpoints]], return_counts=True)
        return occupied[0].astype(np.int64), occupied[1]

    @cached_property
    def _kept(self) -> IntArray:
        """bool[base.order]: nodes that stay."""
        net = self.base
        ends = net.endpoints.astype(np.int64)
        owner = net.heads[net.indptr[ends]].astype(np.int64)
        switches, room = self._room
        which = np.searchsorted(switches, owner)
        stay = numbered(which, len(switches)) < self.deal(room)[which]
        kept = np.ones(net.order, dtype=bool)
        kept[ends[~stay]] = False
        return kept

    @property
    def order(self) -> int:
        return self.base.order - self.base.endpoint_count + self.count

    def switches(self) -> IntArray:
        is_end = np.zeros(self.base.order, dtype=bool)
        is_end[self.base.endpoints] = True
        return np.flatnonzero(~is_end[self._kept])

    @cached_property
    def _stays(self) -> IntArray:
        """bool[links of the base]: links between nodes that stay."""
        tails, heads = self._base_links
        stays = self._kept[tails] & self._kept[heads]
        return np.asarray(stays if self.pairs is None else stays & self._carries)

    @cached_property
    def _carries(self) -> IntArray:
        """bool[links of the base]: lines, and of every trunk as many cables as `pairs` says."""
        assert self.pairs is not None
        tails, heads = self._base_links
        order = self.base.order
        line = np.isin(tails, self.base.endpoints) | np.isin(heads, self.base.endpoints)
        ends = np.zeros(order, dtype=np.int64)
        served, room = self._room
        ends[served] = self.deal(room)
        has = np.isin(np.arange(order), served)
        low, high = np.minimum(tails, heads)[~line], np.maximum(tails, heads)[~line]
        trunk, first, cables = np.unique(low * order + high, return_index=True, return_inverse=True)
        low, high = low[first], high[first]  # of each trunk, from here on
        up = has[low] != has[high]
        leaf = np.where(has[low], low, high)
        spines = np.bincount(leaf[up], minlength=order)
        shared = ends[leaf] * (self.count - ends[leaf]) / np.maximum(1, spines[leaf])
        wanted = np.ceil(np.where(up, shared, ends[low] * ends[high]) / self.pairs - 1e-9)
        wanted[~has[low] & ~has[high]] = len(tails)
        stays = line.copy()
        place, cables = numbered(cables.ravel(), len(trunk)), cables.ravel()
        stays[~line] = place < np.maximum(1, wanted)[cables]
        return stays

    def links(self) -> tuple[IntArray, IntArray]:
        number = np.cumsum(self._kept) - 1
        tails, heads = (side[self._stays] for side in self._base_links)
        return number[tails], number[heads]

    def link_kinds(self) -> IntArray | None:
        return self._base_kinds[self._stays] if self.base.classes else None

    def facts(self) -> Facts:
        return Facts(connected=self.base.facts.connected)

    def layout(self) -> Layout | None:
        drawing = drawing_of(self.base)
        return None if drawing is None else drawing.of(np.flatnonzero(self._kept))
