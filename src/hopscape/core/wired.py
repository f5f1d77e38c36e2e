"""Wired: who is wired to whom.

Nodes, channels and their arrays: all of a network but the way to its routers, which are written
against this class. It is an immutable directed multigraph over nodes 0..order-1. The unit is the
*channel*: one direction of one link, leaving a node by a numbered port. The two channels of a
duplex link are paired. Channels are numbered by (node, port), so that they form the rows of a CSR
matrix: channel c of node v has ``indptr[v] <= c < indptr[v + 1]``.

A network of a family is lazy: wiring is a function first, and becomes arrays on first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, Self

import numpy as np

from hopscape.core.addresses import Addresses, Numbers, node_dtype, whole_numbers
from hopscape.core.arrays import Floats, Incoming, IntArray, count_numbers
from hopscape.core.channels import ChannelClass, whole_capacities
from hopscape.core.errors import AddressError, ArgumentError, TooLargeError
from hopscape.core.facts import Facts, Symmetry
from hopscape.core.numbers import byte_count
from hopscape.core.processes import require_memory
from hopscape.core.progress import track
from hopscape.core.structure import ListedStructure, Structure

__all__ = ["NodeLike", "Wired"]

NodeLike = int | Sequence[int] | str
"""A node number, an address, or the text of either."""

_MOST_CELLS = 2 * 10**9
"""Entries of a table that is mostly empty (endpoints of large switches): some twenty seconds."""
_CHUNK = 1 << 16  # nodes asked for their neighbours at once: temporary arrays stay small
_MANY_ENTRIES = 1 << 20  # neighbours that are not listed unseen
_CHUNK_ENTRIES = 1 << 20  # neighbours asked for at once: 8 MB of numbers
_MANY_CHANNELS = 1 << 21  # above, a kernel pairs them: a sort takes four times the memory
_MANY_LINKS = 1 << 17  # above, a kernel counts them: a sixth of the memory
_FEW_PORTS = 64  # more are sorted: the kernel looks through a node's ports one by one
_LISTED_BYTES = 70
_NUMBER_BYTES = 48  # of an array's entry and the Python number made of it
_KIND_BYTES = 64
_CLASS_BYTES = 24
_COUNTED_BYTES = 12
_CHUNK_BYTES = 25
_SORTED_BYTES = 52
_PAIRED_BYTES = 12
"""What making the arrays takes for a moment, by channel: measured in the tests."""
_MOST_NODES = 10**2000  # far below the 4,300 digits that Python prints
_MOST_CHANNELS = 2**31 - 1  # numbers of nodes in arrays are 32 bits wide


class Wired:
    """An immutable, port-numbered, directed multigraph: a network without its routers.

    Examples:
        >>> path = Wired.from_links(3, [0, 1], [1, 2])
        >>> path.heads, path.neighbours(1)
        (array([1, 0, 2, 1], dtype=int32), (0, 2))
    """

    def __init__(
        self,
        *,
        spec: str,
        order: int,
        family: Structure | None = None,
        addresses: Addresses | None = None,
        duplex: bool = True,
        symmetry: Symmetry | None = None,
        switches: IntArray | None = None,
    ) -> None:
        if order < 1:
            raise ArgumentError(f"a network needs at least one node, not {order}")
        if order > _MOST_NODES:
            raise ArgumentError("the network has more than 10^2000 nodes, which is beyond hopscape")
        self.spec = spec
        self.order = order
        self.family = family
        self.addresses = addresses if addresses is not None else Numbers(order)
        self.duplex = duplex
        self._symmetry = symmetry
        self._switches: IntArray | range | None = (
            _switch_numbers(switches, order) if switches is not None else None
        )
        self._asked: set[str] = set()
        self._indptr: IntArray | None = None
        self._heads: IntArray | None = None
        self._ports: IntArray | None = None
        self._tails: IntArray | None = None
        self._reverse: IntArray | None = None
        self._reversed: tuple[IntArray, IntArray] | None = None
        self._facts: Facts | None = None
        self._lists_links = False
        self._classes: tuple[ChannelClass, ...] | None = None
        self._kinds: IntArray | None = None

    # -- building ---------------------------------------------------------------------------

    @classmethod
    def of(cls, family: Structure) -> Self:
        """The network of a family's member: lazy, it asks the family when it is asked."""
        network = cls(
            spec=family.spec,
            order=family.order,
            family=family,
            addresses=family.addresses,
            duplex=family.duplex,
        )
        network._asked = {"symmetry", "switches"}
        network._lists_links = isinstance(family, ListedStructure)
        return network

    @classmethod
    def from_links(
        cls,
        order: int,
        tails: IntArray | Sequence[int],
        heads: IntArray | Sequence[int],
        *,
        duplex: bool = True,
        spec: str = "links",
        addresses: Addresses | None = None,
        symmetry: Symmetry | None = None,
        switches: IntArray | None = None,
        classes: Sequence[ChannelClass] = (),
        kinds: IntArray | Sequence[int] | None = None,
    ) -> Self:
        """A network from a list of links.

        Args:
            order: Number of nodes.
            tails, heads: The ends of each link. Ports are numbered in this order at each node.
            duplex: Each link is a pair of channels (the default), or one channel from tail to head.
            spec, addresses, symmetry, switches: What the network knows about itself.
            classes: Kinds of links, where they are not all alike.
            kinds: The kind of each link: an index of `classes`.

        Examples:
            >>> net = Wired.from_links(3, [0, 1], [1, 2])
            >>> net.channels, net.links, net.neighbours(1)
            (4, 2, (0, 2))
        """
        network = cls(
            spec=spec,
            order=order,
            addresses=addresses,
            duplex=duplex,
            symmetry=symmetry,
            switches=switches,
        )
        network._classes = tuple(classes)
        network._list(tails, heads)
        if classes:
            network._list_kinds(tails, heads, kinds)
        return network

    def _list(self, tails: IntArray | Sequence[int], heads: IntArray | Sequence[int]) -> None:
        """Make the arrays of a list of links."""
        order, spec, duplex = self.order, self.spec, self.duplex
        if order > _MOST_CHANNELS:
            raise TooLargeError(f"{spec} has {order} nodes; up to {_MOST_CHANNELS} can be listed")
        first, second = _whole(tails), _whole(heads)
        if first.shape != second.shape:
            raise ArgumentError(f"{len(first)} tails but {len(second)} heads")
        many = len(first) > _MANY_LINKS
        each = (2 if duplex else 1) * (_COUNTED_BYTES if many else _LISTED_BYTES)
        require_memory(
            16 * (order + 1) + each * len(first), f"the wiring of {spec} ({order} nodes)"
        )
        _check_ends(order, first, second)
        if many:
            from hopscape.core.grid_kernels import link_rows as rows_of
        else:
            rows_of = _link_rows
        self._indptr, self._heads, self._reverse = map(
            _frozen, rows_of(order, first, second, duplex)
        )
        self._lists_links = True

    def _list_kinds(
        self,
        tails: IntArray | Sequence[int],
        heads: IntArray | Sequence[int],
        kinds: IntArray | Sequence[int] | None,
    ) -> None:
        """Make the kinds of the channels of a list of links."""
        first, second = _whole(tails), _whole(heads)
        require_memory(_KIND_BYTES * len(first), f"the kinds of the links of {self.spec}")
        by_link = _kind_numbers(kinds, len(first), len(self.classes))
        tail = np.stack([first, second], axis=1).ravel() if self.duplex else first
        twice = np.repeat(by_link, 2 if self.duplex else 1)
        self._kinds = _frozen(twice[np.argsort(tail, kind="stable")])

    # -- size -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.order

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.spec}: {self.order} nodes>"

    @property
    def facts(self) -> Facts:
        """What the family knows in closed form (nothing, for a user's own graph)."""
        if self._facts is None:
            self._facts = self.family.facts() if self.family is not None else Facts()
        return self._facts

    @property
    def symmetry(self) -> Symmetry | None:
        """Orbit representatives that the metrics use, or None when nothing is known."""
        if "symmetry" in self._asked:
            assert self.family is not None
            self._symmetry = self.family.symmetry()
            self._asked.discard("symmetry")
        return self._symmetry

    @property
    def channels(self) -> int:
        """Number of channels (a duplex link has two)."""
        facts = self.facts
        if facts.channels is None and facts.links is not None and self.duplex:
            return 2 * facts.links
        return facts.channels if facts.channels is not None else len(self.heads)

    @property
    def links(self) -> int:
        """Number of links: a duplex link once, a simplex channel once."""
        if self.facts.links is not None:
            return self.facts.links
        return self.channels // 2 if self.duplex and self._reverse is None else self.count_links()

    def count_links(self) -> int:
        """The links, counted on the wiring whatever the family knows."""
        channels = len(self.heads)
        if self.duplex and self._reverse is None:
            return channels // 2
        return channels - int(np.count_nonzero(self.reverse >= 0)) // 2

    def memory_estimate(self) -> int:
        """Bytes of the arrays, estimated before they exist (pairing of channels included)."""
        if self._lists_links or self.family is None:
            return 8 * (self.order + 1) + 8 * self.channels
        return 8 * (self.order + 1) + self.order * self.family.ports * (4 + 4)

    # -- wiring -----------------------------------------------------------------------------

    @property
    def materialised(self) -> bool:
        """Have the arrays been built?"""
        return self._heads is not None

    @property
    def indptr(self) -> IntArray:
        """int64[order + 1]: where the channels of each node begin."""
        self._materialise()
        assert self._indptr is not None
        return self._indptr

    @property
    def heads(self) -> IntArray:
        """int32[channels]: the node that each channel leads to."""
        self._materialise()
        assert self._heads is not None
        return self._heads

    @property
    def tails(self) -> IntArray:
        """int32[channels]: the node that each channel leaves."""
        if self._tails is None:
            degrees = np.diff(self.indptr)  # builds the arrays, or refuses
            self._tails = _frozen(np.repeat(np.arange(self.order, dtype=np.int32), degrees))
        assert self._tails is not None
        return self._tails

    @property
    def reverse(self) -> IntArray:
        """int32[channels]: the paired channel of a duplex link, or -1 for a simplex channel."""
        self._materialise()
        if self._reverse is None:
            self._reverse = _frozen(self._pair_channels())
        assert self._reverse is not None
        return self._reverse

    def reversed_csr(self) -> tuple[IntArray, IntArray]:
        """`indptr` and `heads` of the network with every channel turned round."""
        if self.duplex:
            return self.indptr, self.heads
        if self._reversed is None:
            tails, starts, channels = self.incoming()
            self._reversed = (_frozen(starts), _frozen(tails[channels]))
        return self._reversed

    def incoming(self) -> Incoming:
        """The channels into each node, by number."""
        counts = np.bincount(self.heads, minlength=self.order)
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return Incoming(self.tails, starts, np.argsort(self.heads, kind="stable"))

    @property
    def degrees(self) -> IntArray:
        """Number of channels that leave each node."""
        return np.diff(self.indptr)

    @property
    def ports(self) -> int:
        """Number of ports per node, wired or not (the largest, where nodes differ)."""
        if self.family is not None and not self._lists_links:
            return self.family.ports
        return int(self.degrees.max(initial=0))

    def port_of(self, channels: IntArray) -> IntArray:
        """The port numbers by which channels leave their nodes."""
        wanted = np.asarray(channels)
        if self._port_table() is not None:
            return np.asarray(self._ports)[wanted].astype(np.int64)
        return wanted - self.indptr[self.tails[wanted]]

    def channel_at(self, nodes: IntArray, ports: IntArray) -> IntArray:
        """The channels that leave nodes by ports; -1 where a port is not wired."""
        node, port = np.broadcast_arrays(np.asarray(nodes), np.asarray(ports))
        table = self._port_table()
        if not len(self.heads):
            return np.full(node.shape, -1, dtype=np.int64)
        if table is None:
            channel = self.indptr[node] + port
            return np.where((port >= 0) & (channel < self.indptr[node + 1]), channel, -1)
        width = self.ports
        keys = self.tails.astype(np.int64) * width + table
        wanted = node.astype(np.int64) * width + port
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where((port >= 0) & (port < width) & (keys[at] == wanted), at, -1)

    def neighbours(self, nodes: NodeLike | IntArray) -> Any:
        """Whom the ports of nodes lead to, without building the whole network where possible.

        Args:
            nodes: node or array of node numbers

        Returns:
            tuple of int, or ndarray of shape (..., ports): In order of ports; -1 where a port is
                not wired.
        """
        array, scalar = self.resolve(nodes)
        if self.family is not None:
            each = _NUMBER_BYTES if scalar else 8
            needed = each * array.size * self.family.ports
            require_memory(needed, f"the neighbours of {array.size} nodes")
        rows = self.rows(array.ravel())
        if scalar:
            return tuple(int(x) for x in rows[0])
        return rows.reshape(*array.shape, rows.shape[-1])

    def rows(self, nodes: IntArray) -> IntArray:
        """:meth:`neighbours` of an array of node numbers in range, unchecked: for inner loops.

        Args:
            nodes (int array of shape (m,)): Of the dtype of
                :func:`~hopscape.core.addresses.node_dtype`.

        Returns:
            int array of shape (m, ports):
                -1 where a port is not wired.

        Examples:
            >>> Wired.from_links(3, [0, 1], [1, 2]).rows(np.array([1, 2]))
            array([[ 0,  2],
                   [ 1, -1]])
        """
        width = self.ports
        if (entries := width * len(nodes)) > _MANY_ENTRIES:
            what = f"the neighbours of {len(nodes):,} nodes of {self.spec}"
            require_memory(_CHUNK_BYTES * entries, what)
        if self.family is not None and not self._lists_links:
            return self.family.neighbours(nodes)
        channel = self.indptr[nodes][:, None] + np.arange(width)
        wired = channel < self.indptr[nodes + 1][:, None]
        if not len(self.heads):
            return np.full((len(nodes), width), -1)
        heads = self.heads[np.minimum(channel, len(self.heads) - 1)].astype(np.int64)
        return np.where(wired, heads, -1)

    def _materialise(self) -> None:
        """Turn the wiring function into arrays, once."""
        if self._heads is not None:
            return
        assert self.family is not None
        if isinstance(self.family, ListedStructure):
            self._list(*self.family.links())
            return
        width = self.family.ports
        step = min(_CHUNK, max(_CHUNK_ENTRIES // max(width, 1), 1))
        known = self.facts.channels  # where endpoints have few ports, far below order * width
        room = self.order * width if known is None else known
        each = 4 if room == self.order * width else 8  # with gaps there are numbers of ports too
        require_memory(
            16 * (self.order + 1) + each * room + min(self.order, step) * width * _CHUNK_BYTES,
            f"the wiring of {self.spec} ({self.order} nodes)",
        )
        if self.order > 2**31 - 1:
            raise TooLargeError(
                f"{self.spec} has {self.order} nodes; arrays are built for up to {2**31 - 1}"
                f" (they would need {byte_count(self.memory_estimate())})"
            )
        if _MOST_CELLS < self.order * width > 16 * room:
            raise TooLargeError(
                f"the wiring of {self.spec} is a table of {self.order:,} nodes by {width:,} ports,"
                f" most of them empty; up to {_MOST_CELLS:,} entries are gone through"
            )
        heads = np.empty(room, dtype=np.int32)
        degrees = np.empty(self.order, dtype=np.int64)
        ports: list[IntArray] = []
        port_type = np.uint16 if width < 65536 else np.uint32
        gaps = False
        at = 0
        starts: Iterable[int] = range(0, self.order, step)
        if self.order > _CHUNK:
            starts = track(starts, f"wiring of {self.spec}", -(-self.order // step))
        for start in starts:
            rows = self.family.neighbours(np.arange(start, min(start + step, self.order)))
            wired = rows >= 0
            degrees[start : start + len(rows)] = wired.sum(axis=1)
            flat = rows[wired]
            heads[at : at + len(flat)] = flat
            at += len(flat)
            gaps = gaps or bool((wired[:, 1:] > wired[:, :-1]).any())
            if not wired.all():
                ports.append(np.nonzero(wired)[1].astype(port_type))
            else:
                ports.append(np.broadcast_to(np.arange(width, dtype=port_type), wired.shape))
        self._ports = _frozen(np.concatenate([p.ravel() for p in ports])) if gaps else None
        self._indptr = _frozen(np.concatenate([[0], np.cumsum(degrees)]))
        self._heads = _frozen(heads[:at].copy() if at < len(heads) else heads)

    def _port_table(self) -> IntArray | None:
        """Port of each channel, where ports are not simply numbered along the row."""
        self._materialise()
        return self._ports

    def _pair_channels(self) -> IntArray:
        """Match the k-th channel u→v with the k-th channel v→u."""
        if not self.duplex:
            return np.full(len(self.heads), -1, dtype=np.int32)
        indptr, heads = self.indptr, self.heads
        if len(heads) > _MOST_CHANNELS:
            raise TooLargeError(f"{self.spec} has {len(heads)} channels, too many to be paired")
        few = len(heads) <= _MANY_CHANNELS or self.ports > _FEW_PORTS
        require_memory(
            (_SORTED_BYTES if few else _PAIRED_BYTES) * len(heads),
            f"the pairing of the channels of {self.spec}",
        )
        if not few:
            from hopscape.core.grid_kernels import pair_channels

            reverse = pair_channels(indptr, heads)
        else:
            tail, head = self.tails.astype(np.int64), heads.astype(np.int64)
            forth = np.lexsort((head, tail))
            back = np.lexsort((tail, head))
            mates = (tail[forth] == head[back]) & (head[forth] == tail[back])
            reverse = np.empty(len(heads), dtype=np.int32)
            reverse[forth] = np.where(mates, back, -1)
        loops = np.nonzero(reverse == np.arange(len(heads)))[0]
        if len(loops):  # the two channels of a loop leave the same node
            first, second = loops[0::2], loops[1::2]
            reverse[loops] = -1
            if len(first) == len(second) and (heads[first] == heads[second]).all():
                reverse[first], reverse[second] = second, first
        if (reverse < 0).any():
            raise ArgumentError(f"{self.spec} is said to be duplex, but a channel has no mate")
        return reverse

    # -- kinds of channels ------------------------------------------------------------------

    @property
    def classes(self) -> tuple[ChannelClass, ...]:
        """The kinds of channels, from the family or a graph file; empty where all are alike.

        The one place to ask: families that name their ports only (``axis0``) have kinds of which
        nothing else is said.
        """
        if self._classes is None:
            self._classes = self.family.channel_classes() if self.family is not None else ()
        return self._classes

    def class_of(self, channels: IntArray) -> IntArray:
        """Number of the kind of each channel, as :attr:`classes` counts them."""
        wanted = np.asarray(channels)
        if not self.classes:
            return np.zeros(wanted.shape, dtype=np.int64)
        if wanted.size > _CHUNK:
            require_memory(_CLASS_BYTES * wanted.size, f"the kinds of the channels of {self.spec}")
        if self._lists_links:
            self._materialise()
            if self._kinds is None:
                assert isinstance(self.family, ListedStructure)
                kinds = self.family.link_kinds()
                if kinds is None:
                    return self.family.port_kinds()[self.port_of(wanted)]
                self._list_kinds(*self.family.links(), kinds)
            return np.asarray(self._kinds)[wanted]
        assert self.family is not None
        if type(self.family).classes_at is Structure.classes_at:  # it names its ports, no more
            return self.family.port_kinds()[self.port_of(wanted)]
        out = np.empty(wanted.size, dtype=np.int64)
        flat = wanted.ravel()
        for start in range(0, len(flat), _CHUNK):
            part = flat[start : start + _CHUNK]
            tails, row = np.unique(self.tails[part].astype(np.int64), return_inverse=True)
            out[start : start + _CHUNK] = self.family.classes_at(tails)[row, self.port_of(part)]
        return out.reshape(wanted.shape)

    def capacities(self) -> Floats:
        """float64[channels]: what each channel carries in a unit of time, 1 unless it is said."""
        if all(kind.speed == 1 for kind in self.classes):
            return np.ones(len(self.heads))
        speeds = np.asarray([kind.speed for kind in self.classes], dtype=np.float64)
        return speeds[self.class_of(np.arange(len(self.heads)))]

    @property
    def one_speed(self) -> bool:
        """Do all channels carry as much?"""
        return len({kind.speed for kind in self.classes}) < 2

    def room(self) -> IntArray:
        """int64[channels]: chunks that each channel carries in a round of a schedule.

        Capacities in units of their common measure (:func:`~hopscape.core.channels.
        whole_capacities`): a round is as long as a channel of that capacity takes for a chunk.

        Examples:
            >>> kinds = [ChannelClass("slow", 1), ChannelClass("fast", 2.5)]
            >>> Wired.from_links(3, [0, 1], [1, 2], classes=kinds, kinds=[0, 1]).room()
            array([2, 2, 5, 5])
        """
        if self.one_speed:
            return np.ones(len(self.heads), dtype=np.int64)
        units = np.asarray(whole_capacities(self.classes), dtype=np.int64)
        return units[self.class_of(np.arange(len(self.heads)))]

    def lengths(self, channels: IntArray) -> Floats:
        """Length of each channel, NaN where it is not said."""
        return self._told("length", channels)

    def delays(self, channels: IntArray) -> Floats:
        """Cycles that each channel takes, NaN where it is not said."""
        return self._told("delay", channels)

    def _told(self, attribute: str, channels: IntArray) -> Floats:
        own = np.asarray([getattr(kind, attribute) for kind in self.classes], dtype=np.float64)
        if np.isnan(own).all():
            return np.full(np.shape(channels), np.nan)
        return own[self.class_of(channels)]

    def classes_at(self, nodes: IntArray) -> IntArray:
        """Number of the kind of channel at each port, in the shape of neighbours; -1: not wired."""
        if not self._lists_links and self.family is not None and self.classes:
            return self.family.classes_at(nodes)
        if not self.classes:
            return np.where(self.rows(nodes) >= 0, 0, -1)
        channels = self.channel_at(np.asarray(nodes)[:, None], np.arange(self.ports))
        kinds = np.full(channels.shape, -1, dtype=np.int64)
        kinds[channels >= 0] = self.class_of(channels[channels >= 0])
        return kinds

    def unheeded(self, what: str, *attributes: str) -> str:
        """Words for a figure that leaves aside what is known of the channels; empty: nothing is.

        Args:
            what: What the figure does instead.
            attributes: Of ``capacity``, ``delay`` and ``length``: what it leaves aside.

        Examples:
            >>> from hopscape.core.channels import ChannelClass, whole_capacities
            >>> net = Wired.from_links(2, [0], [1], classes=[ChannelClass("fat", 4)], kinds=[0])
            >>> net.unheeded("links are counted", "capacity", "length")
            'links are counted; the capacity of the channels is left aside'
        """
        unheeded = [name for name in attributes if any(kind.says(name) for kind in self.classes)]
        if not unheeded:
            return ""
        verb = "is" if len(unheeded) == 1 else "are"
        names = " and ".join(filter(None, (", ".join(unheeded[:-1]), unheeded[-1])))
        return f"{what}; the {names} of the channels {verb} left aside"

    # -- endpoints and switches -------------------------------------------------------------

    def _switch_list(self) -> IntArray | range | None:
        if "switches" in self._asked:
            assert self.family is not None
            switches = self.family.switches()
            if switches is not None and not isinstance(switches, range):
                switches = _switch_numbers(switches, self.order)
            self._switches = switches
            self._asked.discard("switches")
        return self._switches

    @property
    def has_switches(self) -> bool:
        """Are there nodes that are no endpoints?"""
        return count_numbers(self._switch_list()) > 0

    @property
    def endpoints(self) -> IntArray:
        """Node numbers of the endpoints: all nodes that are no switches."""
        require_memory(8 * self.order, f"the list of the nodes of {self.spec}")
        nodes = np.arange(self.order)
        switches = self._switch_list()
        if isinstance(switches, range):
            return np.delete(nodes, slice(switches.start, switches.stop))
        return nodes if switches is None else np.delete(nodes, switches)

    @property
    def endpoint_count(self) -> int:
        """Number of endpoints, exact."""
        return self.order - count_numbers(self._switch_list())

    # -- names of nodes ---------------------------------------------------------------------

    def among(self, endpoints: Sequence[int] | IntArray) -> Self:
        """The same wiring with these endpoints only; all other nodes forward.

        Channels keep their numbers. What the family knows of collectives and symmetry is forgotten
        unless all endpoints are named.

        Examples:
            >>> net = Wired.from_links(4, [0, 1, 2], [1, 2, 3]).among([0, 3])
            >>> net.endpoints, net.neighbours(1)
            (array([0, 3]), (0, 2))
        """
        wanted = np.unique(self.resolve(list(endpoints))[0])
        if np.array_equal(wanted, self.endpoints):
            return self
        strange = np.setdiff1d(wanted, self.endpoints)
        if len(strange):
            raise ArgumentError(f"node {int(strange[0])} is not an endpoint of {self.spec}")
        self._materialise()
        other = copy(self)
        other._classes = self.classes
        if self.classes:
            other._kinds = _frozen(self.class_of(np.arange(len(self.heads))))
        other._lists_links = True
        other.family, other._facts, other._symmetry = None, None, None
        other._asked = set()
        other._ports = None  # links are listed now: ports are counted without gaps
        other._switches = np.setdiff1d(np.arange(self.order), wanted)
        return other

    def address(self, node: int) -> tuple[int, ...]:
        """The address of a node as a tuple."""
        return self.addresses.tuple(self.node(node))

    def node(self, name: NodeLike) -> int:
        """The number of a node given as a number, an address or the text of either.

        Raises:
            AddressError: When there is no such node.
        """
        if isinstance(name, int):
            number = int(name)
        elif isinstance(name, str):
            number = self.addresses.parse(name)
        elif isinstance(name, np.integer):
            number = int(name)
        elif isinstance(name, tuple | list):
            number = self.addresses.number(name)
        else:
            raise AddressError(f"node {name!r} is neither a number nor an address")
        if not 0 <= number < self.order:
            raise AddressError(
                f"node {number} is out of range; {self.spec} has nodes 0..{self.order - 1}"
            )
        return number

    def resolve(self, nodes: Any) -> tuple[IntArray, bool]:
        """Node numbers as an array, and whether a single node was meant.

        A tuple or text is one address; a list of tuples is a list of addresses; other sequences
        and arrays hold node numbers.
        """
        if isinstance(nodes, int | np.integer | str | tuple):
            one: Any = nodes
            return np.asarray([self.node(one)], dtype=node_dtype(self.order)), True
        if isinstance(nodes, Iterable) and not isinstance(nodes, np.ndarray):
            nodes = [self.node(x) if isinstance(x, str | tuple) else x for x in nodes]
        exact = isinstance(nodes, np.ndarray) or node_dtype(self.order).kind != "O"
        try:
            array = np.asarray(nodes) if exact else np.asarray(nodes, dtype=object)
        except ValueError as error:
            raise AddressError("node numbers must be one list or array of integers") from error
        if array.size == 0:
            return array.astype(node_dtype(self.order)), False
        if not whole_numbers(array):
            raise AddressError(f"node numbers must be integers, not {array.dtype}")
        if array.min() < 0 or array.max() >= self.order:
            bad = int(array[(array < 0) | (array >= self.order)].ravel()[0])
            raise AddressError(
                f"node {bad} is out of range; {self.spec} has nodes 0..{self.order - 1}"
            )
        if node_dtype(self.order).kind == "O":  # Python's integers, not numpy's inside an array
            whole = np.asarray([int(x) for x in array.flat], dtype=object)
            return whole.reshape(array.shape), False
        return array.astype(np.int64), False


def _kind_numbers(kinds: IntArray | Sequence[int] | None, links: int, count: int) -> IntArray:
    each = np.asarray([] if kinds is None else kinds, dtype=np.int64).ravel()
    if len(each) != links:
        raise ArgumentError(f"{links} links, but {len(each)} kinds of links")
    if links and not 0 <= each.min() <= each.max() < count:
        bad = int(each[(each < 0) | (each >= count)][0])
        raise ArgumentError(f"kind of link {bad} is out of range; there are {count} kinds")
    return each


def _switch_numbers(switches: IntArray, order: int) -> IntArray:
    nodes = np.unique(np.asarray(switches, dtype=np.int64))
    if len(nodes) and (nodes[0] < 0 or nodes[-1] >= order):
        bad = int(nodes[0] if nodes[0] < 0 else nodes[-1])
        raise AddressError(f"switch {bad} is out of range; the nodes are 0..{order - 1}")
    return _frozen(nodes)


def _whole(ends: IntArray | Sequence[int]) -> IntArray:
    """Node numbers as they come if they are machine integers, else as int64."""
    given = np.asarray(ends).ravel()
    return given if given.dtype.kind == "i" else given.astype(np.int64)


def _check_ends(order: int, *ends: IntArray) -> None:
    for some in ends:
        if some.size and (some.min() < 0 or some.max() >= order):
            bad = int(some[(some < 0) | (some >= order)][0])
            raise AddressError(f"link end {bad} is out of range; the nodes are 0..{order - 1}")


def _link_rows(
    order: int, tails: IntArray, heads: IntArray, duplex: bool
) -> tuple[IntArray, IntArray, IntArray]:
    """`indptr`, `heads` and `reverse` of a list of links; for many there is a kernel."""
    first, second = tails.astype(np.int64), heads.astype(np.int64)
    count = len(first)
    if duplex:  # interleaved, so that ports follow the order of the links at both ends
        tail = np.stack([first, second], axis=1).ravel()
        head = np.stack([second, first], axis=1).ravel()
        mate = np.arange(2 * count) ^ 1
    else:
        tail, head = first, second
        mate = np.full(count, -1, dtype=np.int64)
    by_tail = np.argsort(tail, kind="stable")
    place = np.empty_like(by_tail)
    place[by_tail] = np.arange(len(by_tail))
    reverse = np.where(mate >= 0, place[mate], -1)[by_tail] if len(mate) else mate
    degrees = np.bincount(tail, minlength=order)
    indptr = np.concatenate([[0], np.cumsum(degrees)]).astype(np.int64)
    return indptr, head[by_tail].astype(np.int32), reverse.astype(np.int32)


def _frozen(array: IntArray) -> IntArray:
    fixed = np.ascontiguousarray(array)
    fixed.setflags(write=False)
    return fixed
