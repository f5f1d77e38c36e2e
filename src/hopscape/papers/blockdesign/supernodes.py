"""The wiring of two-level machines: supernodes of any network, joined by any network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.channels import ATTRIBUTES, ChannelClass
from hopscape.core.errors import ArgumentError, TooLargeError
from hopscape.core.facts import circle
from hopscape.core.family import Facts, Family, Layout, Parameter
from hopscape.core.network import Network
from hopscape.core.processes import require_memory
from hopscape.core.requirement import Requirement
from hopscape.papers.blockdesign.lanes import deal_by_turns, deal_lanes

__all__ = ["Supernodes"]

_MOST_NODES = 2**62  # node numbers and their sums fit into 64 bits


class Supernodes(Family):
    """Endpoint i of supernode g is node g·K + i; then the switches of all supernodes; then those
    of the network between them.

    Port t of supernode g in the outer network, copy c of `copies`, is served by its endpoint
    (t + c·⌊K / copies⌋) mod K, so that copies of a link start at different endpoints. An endpoint
    has the ports of the inner network first, then those to other supernodes, copy by copy. A
    simplex channel of the outer network arrives at the port of the number that it has left by,
    where every node is entered once by each port; else in that order.

    Channels are of up to three kinds and more: inside a group of endpoints, inside a supernode,
    between supernodes; the last in several lanes, where an endpoint's links are not all alike. Each
    kind may have a speed of its own. What the two networks say of their links is kept.
    """

    name = "two_level"
    summary = "supernodes of one network, joined by another, links shared out among their endpoints"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("supernode", "network", "the network inside a supernode"),
        Parameter("between", "network", "the network whose endpoints are the supernodes"),
        Parameter("copies", "int", "links for each link between supernodes", low=1, default=1),
        Parameter(
            "group", "int", "endpoints whose links are a kind of their own; 0: no groups",
            low=0, default=0,
        ),
        Parameter("lanes", "ints", "an endpoint's outer links by kind", low=1, default=()),
        Parameter("speeds", "ints", "speed of each kind, in a common unit", low=1, default=()),
    )  # fmt: skip
    example = "two_level(complete(4), complete(9))"

    def __init__(
        self,
        supernode: Network,
        between: Network,
        copies: int = 1,
        group: int = 0,
        lanes: Sequence[int] = (),
        speeds: Sequence[int] = (),
    ) -> None:
        self.supernode, self.between, self.copies = supernode, between, copies
        self.group, self.lanes, self.speeds = group, tuple(lanes), tuple(speeds)
        self.size = supernode.endpoint_count
        self.count = between.endpoint_count
        self.inner = supernode.order - self.size
        self.duplex = supernode.duplex and between.duplex
        if self.size < 1 or self.count < 1:
            raise ArgumentError("both networks of two_level need endpoints")
        if copies > self.size:
            raise ArgumentError(f"copies is {copies}; a supernode has only {self.size} endpoints")
        if group and not 2 <= group < self.size:
            raise ArgumentError(
                f"group is {group}; it must be 0, or from 2 to {self.size - 1}, less than the"
                f" {self.size} endpoints of a supernode"
            )
        if self.lanes and sum(self.lanes) != copies * self.depth:
            raise ArgumentError(
                f"lanes {list(self.lanes)} are {sum(self.lanes)} ports; an endpoint has"
                f" {copies * self.depth} to other supernodes"
            )
        if self.speeds and len(self.speeds) != len(self._kinds):
            raise ArgumentError(
                f"speeds has {len(self.speeds)} numbers; the kinds of channels are"
                f" {', '.join(self._kinds)}"
            )
        if any(lane % 2 for lane in self.lanes) and len(self.lanes) > 1:
            self._lane  # noqa: B018  # odd numbers may be impossible: say so now
        for part in (supernode, between):
            if self.speeds and part.unheeded("", "capacity"):
                raise ArgumentError(
                    f"speeds is {list(self.speeds)}, but the links of {part.spec} have capacities"
                    " of their own; leave it out"
                )

    @property
    def ends(self) -> int:
        """Number of endpoints; also the first switch of a supernode."""
        return self.count * self.size

    @property
    def first_outer(self) -> int:
        """The first switch between supernodes."""
        return self.count * self.supernode.order

    @property
    def order(self) -> int:
        return self.first_outer + self.between.order - self.count

    @cached_property
    def depth(self) -> int:
        """Outer ports that an endpoint has for each copy."""
        return -(-self.between.ports // self.size)

    @property
    def stride(self) -> int:
        """Endpoints by which one copy of a link lies behind the one before."""
        return self.size // self.copies

    @cached_property
    def ports(self) -> int:
        inside = self.supernode.ports + self.copies * self.depth
        outer = self.copies * self.between.ports if self.between.order > self.count else 0
        return max(inside, outer)

    @classmethod
    def members(cls, requirement: Requirement) -> Iterator[str]:
        """Complete supernodes, completely joined; those first whose two levels are balanced."""
        candidates: list[tuple[int, str]] = []
        for size in range(2, requirement.ports + 1):
            count = round(requirement.nodes / size)
            outer = -(-(count - 1) // size)
            if (
                count >= 2
                and size - 1 + outer <= requirement.ports
                and requirement.fits(size * count)
            ):
                candidates.append(
                    (size - 1 + outer, f"{cls.name}(complete({size}), complete({count}))")
                )
        yield from (spec for _, spec in sorted(candidates)[:3])

    def switches(self) -> range | None:
        if self.order == self.ends:
            return None
        return range(self.ends, self.order)

    # -- wiring -----------------------------------------------------------------------------

    @cached_property
    def places(self) -> IntArray:
        """Rank of each endpoint of a supernode; K + rank of each of its switches."""
        return _ranks(self.supernode)

    @cached_property
    def locals(self) -> IntArray:
        """The node of the inner network at each place."""
        return np.argsort(self.places, kind="stable")

    @cached_property
    def outer(self) -> tuple[IntArray, IntArray]:
        """Where the ports of the outer network lead, and the ports there: int32[nodes, ports].

        Rows and entries are supernodes first, then outer switches; -1 where nothing is wired.
        """
        network = self.between
        if self.order > _MOST_NODES:
            raise TooLargeError(f"{self.spec} has {self.order} nodes, too many to be wired")
        width = network.ports
        require_memory(24 * network.order * max(width, 1), f"the wiring of {self.spec}")
        code = _ranks(network)
        head = np.full((network.order, width), -1, dtype=np.int32)
        port = np.full((network.order, width), -1, dtype=np.int32)
        channels = np.arange(len(network.heads))
        leave = network.port_of(channels)
        arrive = leave[network.reverse] if network.duplex else _arrivals(network, leave)
        row = code[network.tails]
        head[row, leave] = code[network.heads]
        port[row, leave] = arrive
        return head, port

    def slots(self, place: IntArray) -> tuple[IntArray, IntArray]:
        """Ports of the supernode that endpoints serve, and their copies: (..., copies · depth)."""
        copy = np.repeat(np.arange(self.copies), self.depth)
        turn = np.tile(np.arange(self.depth), self.copies)
        port = (place[..., None] - copy * self.stride) % self.size + turn * self.size
        return port, np.broadcast_to(copy, port.shape)

    def _leads(self, row: IntArray, port: IntArray, copy: IntArray) -> IntArray:
        """Nodes at the other end of outer ports; -1 where nothing is wired."""
        heads, arrive = self.outer
        if not heads.shape[1]:
            return np.full(port.shape, -1)
        wired = port < heads.shape[1]
        at = np.minimum(port, heads.shape[1] - 1)
        head, into = heads[row, at].astype(np.int64), arrive[row, at]
        end = head * self.size + (into + copy * self.stride) % self.size
        node = np.where(head < self.count, end, self.first_outer + head - self.count)
        return np.where(wired & (head >= 0), node, -1)

    def neighbours(self, nodes: IntArray) -> IntArray:
        out = np.full((len(nodes), self.ports), -1, dtype=np.int64)
        group, place = self.position(nodes)
        inside = np.nonzero(group >= 0)[0]
        rows = self.supernode.rows(self.locals[place[inside]])
        moved = self.node_at(group[inside, None], self.places[rows])
        out[inside, : rows.shape[1]] = np.where(rows >= 0, moved, -1)
        end = np.nonzero(nodes < self.ends)[0]
        port, copy = self.slots(place[end])
        start = self.supernode.ports
        out[end, start : start + port.shape[1]] = self._leads(group[end, None], port, copy)
        beyond = np.nonzero(group < 0)[0]
        if len(beyond):
            copy, port = np.divmod(np.arange(self.copies * self.between.ports), self.between.ports)
            row = self.count + place[beyond, None]
            out[beyond, : len(port)] = self._leads(row, port[None, :], copy[None, :])
        return out

    def position(self, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Supernode and place inside; -1 and the rank for switches between supernodes."""
        group, place = np.divmod(nodes, self.size)
        if self.order == self.ends:
            return group, place
        behind = nodes - self.ends
        if self.inner:
            switch = nodes >= self.ends
            group = np.where(switch, behind // self.inner, group)
            place = np.where(switch, self.size + behind % self.inner, place)
        outer = nodes >= self.first_outer
        return np.where(outer, -1, group), np.where(outer, nodes - self.first_outer, place)

    def node_at(self, group: IntArray, place: IntArray) -> IntArray:
        """The node at a place of a supernode."""
        switch = self.ends + group * self.inner + place - self.size
        return np.where(place < self.size, group * self.size + place, switch)

    def layout(self) -> Layout:
        """Supernodes round a circle, each with its own drawing; outer switches in the middle."""
        group, place = self.position(np.arange(self.order))
        own = self.supernode.family.layout() if self.supernode.family is not None else None
        inside = own.positions if own is not None else circle(self.supernode.order)
        inside = inside - (inside.max(axis=0) + inside.min(axis=0)) / 2
        inside = inside / (float(np.hypot(*inside.T).max()) or 1.0)
        room = 0.36 * 2 * np.sin(np.pi / max(self.count, 2))
        centres = circle(self.count)
        out = np.zeros((self.order, 2))
        inner = group >= 0
        out[inner] = centres[group[inner]] + room * inside[self.locals[place[inner]]]
        out[~inner] = circle(int((~inner).sum()), 0.35)
        return Layout(out)

    # -- what is known ----------------------------------------------------------------------

    def facts(self) -> Facts:
        inside, outer = self.supernode.facts, self.between.facts
        channels = links = None
        known = [_channels(self.supernode), _channels(self.between)]
        if known[0] is not None and known[1] is not None:
            channels = self.count * known[0] + self.copies * known[1]
            links = channels // 2 if self.duplex else channels
        connected = True if inside.connected and outer.connected else None
        if outer.connected is False:
            connected = False
        low, high = self._degrees()
        return Facts(
            degree_min=low, degree_max=high, links=links, channels=channels, connected=connected
        )

    def _degrees(self) -> tuple[int | None, int | None]:
        """Least and largest degree, where both networks are regular."""
        inside, outer = self.supernode.facts, self.between.facts
        inner_degree, outer_degree = inside.degree_max, outer.degree_max
        if (
            inner_degree is None
            or outer_degree is None
            or (inner_degree, outer_degree) != (inside.degree_min, outer.degree_min)
        ):
            return None, None
        if self.size * self.copies > 1 << 20:
            return None, None
        place = np.arange(self.size)[:, None] - np.arange(self.copies) * self.stride
        extra = (place % self.size < outer_degree % self.size).sum(axis=1)
        each = inner_degree + self.copies * (outer_degree // self.size)
        degrees = {each + int(x) for x in np.unique(extra)}
        degrees |= {inner_degree} if self.inner else set()
        degrees |= {self.copies * outer_degree} if self.between.order > self.count else set()
        return min(degrees), max(degrees)

    @property
    def cables(self) -> dict[str, int]:
        """Links inside supernodes and between them (simplex channels, where they are simplex)."""
        return {
            "local": self.count * self.supernode.links,
            "global": self.copies * self.between.links,
        }

    # -- kinds of channels ------------------------------------------------------------------

    @property
    def _kinds(self) -> tuple[str, ...]:
        many = len(self.lanes) > 1
        outer = tuple(f"global{i + 1}" for i in range(len(self.lanes))) if many else ("global",)
        return (*(("group",) if self.group else ()), "local", *outer)

    def channel_classes(self) -> tuple[ChannelClass, ...]:
        """Inside a group (if there are groups), inside a supernode, between supernodes."""
        reach = {"group": f"{self.group} endpoints", "local": "supernode"}
        out = []
        for i, (name, parts) in enumerate(zip(self._kinds, self._parts, strict=True)):
            for part in parts or (None,):
                own = replace(part, name=f"{name}-{part.name}") if part else ChannelClass(name)
                speed = self.speeds[i] if self.speeds else own.speed
                out.append(replace(own, speed=speed, reach=reach.get(name, "machine")))
        return tuple(out)

    @property
    def _parts(self) -> list[tuple[ChannelClass, ...]]:
        """For each kind those of the network that its links are from, where that says more."""
        inner, outer = (
            part.classes if part.unheeded("", *ATTRIBUTES) else ()
            for part in (self.supernode, self.between)
        )
        return [inner if name in ("group", "local") else outer for name in self._kinds]

    @cached_property
    def _lane(self) -> IntArray:
        """Kind of the outer links by turn and copy, or by endpoint as well where they need it.

        int64[1, depth · copies] or int64[endpoints, depth · copies], copy by copy. Turns are dealt
        out from both ends, so that the two ends of a link between supernodes that are numbered by
        their difference (all of a complete graph) are of one kind; else by what links join; else
        link by link.
        """
        shape = (self.depth, self.copies)
        lane = np.zeros(shape, dtype=np.int64)
        if len(self.lanes) < 2:
            return lane.T.reshape(1, -1)
        turn, copy = np.indices(shape)
        pair = np.minimum(turn, self.depth - 1 - turn)
        order = np.lexsort((turn.ravel(), copy.ravel(), pair.ravel()))
        lane.ravel()[order] = np.repeat(np.arange(len(self.lanes)), self.lanes)
        heads, arrive = self.outer
        here, port = np.nonzero((heads[: self.count] >= 0) & (heads[: self.count] < self.count))
        into = arrive[here, port].astype(np.int64)
        first, second = port // self.size, into // self.size
        if not self.duplex or (lane[first] == lane[second]).all():
            return lane.T.reshape(1, -1)
        dealt = deal_by_turns(first, second, shape, self.lanes)
        if dealt is not None:
            return dealt.T.reshape(1, -1)
        return self._deal_links(here, port, heads[here, port].astype(np.int64), into)

    def _deal_links(
        self, here: IntArray, port: IntArray, there: IntArray, into: IntArray
    ) -> IntArray:
        """Kinds link by link, of those between endpoints; the rest fills up what is left."""
        width = self.depth * self.copies

        def slots(group: IntArray, out: IntArray) -> IntArray:
            place = (out[:, None] + np.arange(self.copies) * self.stride) % self.size
            slot = np.arange(self.copies) * self.depth + (out // self.size)[:, None]
            return (group[:, None] * self.size + place).ravel() * width + slot.ravel()

        a, b = slots(here, port), slots(there, into)
        once = a < b  # every link is seen from both ends
        a, b = a[once], b[once]
        kinds = deal_lanes(a // width, b // width, self.ends, self.lanes)
        table = np.full((self.ends, width), -1, dtype=np.int64)
        table.ravel()[a] = kinds
        table.ravel()[b] = kinds
        rest = np.argsort(table >= 0, axis=1, kind="stable")  # free ports first
        room = np.stack([(table == i).sum(axis=1) for i in range(len(self.lanes))], axis=1)
        spare = np.asarray(self.lanes) - room
        for v in np.nonzero((table < 0).any(axis=1))[0].tolist():
            free = rest[v, : int((table[v] < 0).sum())]
            table[v, free] = np.repeat(np.arange(len(self.lanes)), spare[v])[: len(free)]
        return table

    def classes_at(self, nodes: IntArray) -> IntArray:
        """Kind of the channel at each port, as :meth:`neighbours` has them; -1: not wired."""
        heads = self.neighbours(nodes)
        first = 1 if self.group else 0
        kind = np.full(heads.shape, first, dtype=np.int64)
        if self.group:
            (group, place), (other, there) = self.position(nodes), self.position(heads)
            local = (group[:, None] == other) & (place[:, None] < self.size) & (there < self.size)
            same = place[:, None] // self.group == there // self.group
            kind[local & same] = 0
        start = self.supernode.ports
        end = np.nonzero(nodes < self.ends)[0]
        lane = self._lane
        own = (lane[nodes[end]] if len(lane) > 1 else lane) + first + 1
        kind[end, start : start + lane.shape[1]] = own
        beyond = np.nonzero(nodes >= self.first_outer)[0]
        if len(beyond):
            copy, port = np.divmod(np.arange(self.copies * self.between.ports), self.between.ports)
            leads, arrive = self.outer
            row = self.count + nodes[beyond, None] - self.first_outer
            into = arrive[row, port]
            slot = copy * self.depth + np.minimum(into // self.size, self.depth - 1)
            place = (into + copy * self.stride) % self.size
            node = np.where(leads[row, port] < self.count, leads[row, port] * self.size + place, 0)
            kind[beyond, : len(port)] = lane[node if len(lane) > 1 else 0, slot] + first + 1
        if any(self._parts):
            starts = np.cumsum([0] + [len(parts) or 1 for parts in self._parts])
            kind = starts[kind] + self._parts_at(nodes, heads.shape)
        return np.where(heads >= 0, kind, -1)

    def _parts_at(self, nodes: IntArray, shape: tuple[int, ...]) -> IntArray:
        """Kinds at the ports in the network that the links are from; 0 where it says nothing."""
        out = np.zeros(shape, dtype=np.int64)
        group, place = self.position(nodes)
        if self._parts[0]:
            inside = np.nonzero(group >= 0)[0]
            rows = self.supernode.classes_at(self.locals[place[inside]])
            out[inside, : rows.shape[1]] = rows
        if self._parts[-1] and self.between.ports:
            width = self.between.ports
            table = self.between.classes_at(np.argsort(_ranks(self.between)))
            end, beyond = np.nonzero(nodes < self.ends)[0], np.nonzero(group < 0)[0]
            port, start = self.slots(place[end])[0], self.supernode.ports
            at = np.minimum(port, width - 1)
            out[end, start : start + port.shape[1]] = table[group[end, None], at]
            if len(beyond):
                every = np.tile(table[self.count + place[beyond]], self.copies)
                out[beyond, : every.shape[1]] = every
        return out


def _channels(network: Network) -> int | None:
    """The number of channels where it is known without building anything."""
    facts = network.facts
    if facts.channels is None and facts.links is not None and network.duplex:
        return 2 * facts.links
    return facts.channels


def _ranks(network: Network) -> IntArray:
    """Rank of each endpoint; number of endpoints + rank of each switch."""
    rank = np.empty(network.order, dtype=np.int64)
    ends = network.endpoints
    rank[ends] = np.arange(len(ends))
    rest = np.delete(np.arange(network.order), ends)
    rank[rest] = len(ends) + np.arange(len(rest))
    return rank


def _arrivals(network: Network, leave: IntArray) -> IntArray:
    """The port at which each simplex channel arrives: they are counted by the port they leave."""
    heads = network.heads.astype(np.int64)
    order = np.lexsort((network.tails, leave, heads))
    starts = np.searchsorted(heads[order], np.arange(network.order))
    arrive = np.empty_like(heads)
    arrive[order] = np.arange(len(heads)) - starts[heads[order]]
    return arrive
