"""Network: who is wired to whom.

A network is an immutable directed multigraph over nodes 0..order-1. The unit is the *channel*: one
direction of one link, leaving a node by a numbered port. The two channels of a duplex link are
paired. Channels are numbered by (node, port), so that they form the rows of a CSR matrix:
channel c of node v has ``indptr[v] <= c < indptr[v + 1]``.

A network of a family is lazy: wiring is a function first, and becomes arrays on first use.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hopscape.core.addresses import Addresses, IntArray, Numbers, node_dtype, whole_numbers
from hopscape.core.errors import AddressError, ArgumentError, TooLargeError
from hopscape.core.family import Facts, Family, Symmetry
from hopscape.core.memory import human_bytes, require_memory

if TYPE_CHECKING:
    from hopscape.core.router import Router

__all__ = ["Network", "NodeLike"]

NodeLike = int | Sequence[int] | str
"""A node number, an address, or the text of either."""

_CHUNK = 1 << 16
_MANY_CHANNELS = 1 << 21
_MANY_LINKS = 1 << 17
_FEW_PORTS = 64
_MOST_NODES = 10**2000
_MOST_CHANNELS = 2**31 - 1


class Network:
    """An immutable, port-numbered, directed multigraph.

    Build one with :func:`hopscape.build`, or from arrays with :meth:`from_links`.

    Attributes
    ----------
    spec : str
        The canonical text that builds it again.
    order : int
        Number of nodes (exact, of any size).
    family : Family or None
        What is known of it in closed form.
    addresses : Addresses
        Node numbers ⇄ tuples.
    duplex : bool
        Is every channel half of a duplex link?
    symmetry : Symmetry or None
        Orbit representatives that the metrics use.

    Examples
    --------
    >>> import hopscape
    >>> net = hopscape.build("torus(4, 3)")
    >>> net.order, net.links, net.address(7), net.node((2, 1))
    (12, 24, (2, 1), 7)
    >>> net.neighbours(0)
    (3, 9, 1, 2)
    """

    def __init__(
        self,
        *,
        spec: str,
        order: int,
        family: Family | None = None,
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
        self.symmetry = symmetry
        self._switches = _switch_numbers(switches, order) if switches is not None else None
        self._indptr: IntArray | None = None
        self._heads: IntArray | None = None
        self._ports: IntArray | None = None
        self._tails: IntArray | None = None
        self._reverse: IntArray | None = None
        self._reversed: tuple[IntArray, IntArray] | None = None
        self._facts: Facts | None = None
        self._lists_links = False

    # -- building ---------------------------------------------------------------------------

    @classmethod
    def of(cls, family: Family) -> Network:
        """The network of a family's member: lazy, unless its links are listed."""
        listed = family.links()
        if listed is not None:
            network = cls.from_links(
                family.order,
                *listed,
                duplex=family.duplex,
                spec=family.spec,
                addresses=family.addresses,
                symmetry=family.symmetry(),
                switches=family.switches(),
            )
            network.family = family
            return network
        return cls(
            spec=family.spec,
            order=family.order,
            family=family,
            addresses=family.addresses,
            duplex=family.duplex,
            symmetry=family.symmetry(),
            switches=family.switches(),
        )

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
    ) -> Network:
        """A network from a list of links.

        Parameters
        ----------
        order : int
            Number of nodes.
        tails, heads : sequence of int
            The ends of each link. Ports are numbered in this order at each node.
        duplex : bool
            Each link is a pair of channels (the default), or one channel from tail to head.
        spec, addresses, symmetry, switches
            What the network knows about itself.

        Examples
        --------
        >>> net = Network.from_links(3, [0, 1], [1, 2])
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
        if order > _MOST_CHANNELS:
            raise TooLargeError(f"{spec} has {order} nodes; up to {_MOST_CHANNELS} can be listed")
        first, second = _whole(tails), _whole(heads)
        if first.shape != second.shape:
            raise ArgumentError(f"{len(first)} tails but {len(second)} heads")
        _check_ends(order, first, second)
        many = len(first) > _MANY_LINKS
        each = 16 if many else 40
        require_memory(8 * (order + 1) + each * len(first), f"the wiring of {spec} ({order} nodes)")
        if many:
            from hopscape.core.pairing_kernels import link_rows as rows_of
        else:
            rows_of = _link_rows
        network._indptr, network._heads, network._reverse = map(
            _frozen, rows_of(order, first, second, duplex)
        )
        network._lists_links = True
        return network

    # -- size -------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.order

    def __repr__(self) -> str:
        return f"<Network {self.spec}: {self.order} nodes>"

    @property
    def facts(self) -> Facts:
        """What the family knows in closed form (nothing, for a user's own graph)."""
        if self._facts is None:
            self._facts = self.family.facts() if self.family is not None else Facts()
        return self._facts

    @property
    def channels(self) -> int:
        """Number of channels (a duplex link has two)."""
        known = self.facts.channels
        return known if known is not None else len(self.heads)

    @property
    def links(self) -> int:
        """Number of links: a duplex link once, a simplex channel once."""
        if self.facts.links is not None:
            return self.facts.links
        if self.duplex and self._reverse is None:
            return self.channels // 2
        paired = int(np.count_nonzero(self.reverse >= 0))
        return self.channels - paired // 2

    def memory_estimate(self) -> int:
        """Bytes of the arrays, estimated before they exist (pairing of channels included)."""
        if self._lists_links or self.family is None:
            return sum(a.nbytes for a in (self.indptr, self.heads, self.reverse))
        return 8 * (self.order + 1) + self.order * self.family.ports * (4 + 4)

    # -- wiring -----------------------------------------------------------------------------

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
            nodes = np.arange(self.order, dtype=np.int32)
            self._tails = _frozen(np.repeat(nodes, np.diff(self.indptr)))
        assert self._tails is not None
        return self._tails

    @property
    def reverse(self) -> IntArray:
        """int32[channels]: the paired channel of a duplex link, or -1 for a simplex channel."""
        if self._reverse is None:
            self._reverse = _frozen(self._pair_channels())
        assert self._reverse is not None
        return self._reverse

    def reversed_csr(self) -> tuple[IntArray, IntArray]:
        """`indptr` and `heads` of the network with every channel turned round."""
        if self.duplex:
            return self.indptr, self.heads
        if self._reversed is None:
            by_head = np.argsort(self.heads, kind="stable")
            counts = np.bincount(self.heads, minlength=self.order)
            starts = _frozen(np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))
            self._reversed = (starts, _frozen(self.tails[by_head]))
        return self._reversed

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

        Parameters
        ----------
        nodes : node or array of node numbers

        Returns
        -------
        tuple of int, or ndarray of shape (..., ports)
            In order of ports; -1 where a port is not wired.
        """
        array, scalar = self.resolve(nodes)
        rows = self._rows(array.ravel())
        if scalar:
            return tuple(int(x) for x in rows[0])
        return rows.reshape(*array.shape, rows.shape[-1])

    def _rows(self, nodes: IntArray) -> IntArray:
        if self.family is not None and not self._lists_links:
            return self.family.neighbours(nodes)
        width = self.ports
        channel = self.indptr[nodes][:, None] + np.arange(width)
        wired = channel < self.indptr[nodes + 1][:, None]
        if not len(self.heads):
            return np.full((len(nodes), width), -1)
        found = self.heads[np.minimum(channel, len(self.heads) - 1)].astype(np.int64)
        return np.where(wired, found, -1)

    def _materialise(self) -> None:
        """Turn the wiring function into arrays, once."""
        if self._heads is not None:
            return
        assert self.family is not None
        width = self.family.ports
        require_memory(self.memory_estimate(), f"the wiring of {self.spec} ({self.order} nodes)")
        if self.order > 2**31 - 1:
            raise TooLargeError(
                f"{self.spec} has {self.order} nodes; arrays are built for up to {2**31 - 1}"
                f" (they would need {human_bytes(self.memory_estimate())})"
            )
        heads = np.empty(self.order * width, dtype=np.int32)
        degrees = np.empty(self.order, dtype=np.int64)
        ports: list[IntArray] = []
        port_type = np.uint16 if width < 65536 else np.uint32
        gaps = False
        at = 0
        for start in range(0, self.order, _CHUNK):
            rows = self.family.neighbours(np.arange(start, min(start + _CHUNK, self.order)))
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
        if len(heads) > _MANY_CHANNELS and self.ports <= _FEW_PORTS:
            from hopscape.core.pairing_kernels import pair_channels

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

    # -- endpoints and switches -------------------------------------------------------------

    @property
    def has_switches(self) -> bool:
        """Are there nodes that are no endpoints?"""
        return self._switches is not None and len(self._switches) > 0

    @property
    def endpoints(self) -> IntArray:
        """Node numbers of the endpoints: all nodes that are no switches."""
        require_memory(8 * self.order, f"the list of the nodes of {self.spec}")
        everybody = np.arange(self.order)
        return everybody if self._switches is None else np.setdiff1d(everybody, self._switches)

    @property
    def endpoint_count(self) -> int:
        """Number of endpoints, exact."""
        return self.order - (len(self._switches) if self._switches is not None else 0)

    # -- names of nodes ---------------------------------------------------------------------

    def address(self, node: int) -> tuple[int, ...]:
        """The address of a node as a tuple."""
        return self.addresses.tuple(self.node(node))

    def node(self, name: NodeLike) -> int:
        """The number of a node given as a number, an address or the text of either.

        Raises
        ------
        AddressError
            When there is no such node.
        """
        if isinstance(name, str):
            number = self.addresses.parse(name)
        elif isinstance(name, int | np.integer):
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

    # -- the way to the router --------------------------------------------------------------

    def router(self, kind: str = "auto") -> Router:
        """A router for this network.

        Parameters
        ----------
        kind : {'auto', 'closed', 'table', 'search'} or str
            ``closed`` is the family's own; ``table`` holds all distances; ``search`` runs one
            breadth-first search per destination. ``auto`` takes the first of these that fits. A
            family may have more, by name (:meth:`Family.named_routers`).
        """
        from hopscape.core.router import choose_router

        return choose_router(self, kind)


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
