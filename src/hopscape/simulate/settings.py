"""Settings of a simulated network: routers, links, packets.

Link delays by class of link: axes of a grid, steps of a circulant, lines of endpoints.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.deadlock.classes import Spread
from hopscape.deadlock.judgement import Routing

__all__ = [
    "Routing",
    "Settings",
    "channel_delays",
    "link_classes",
    "parse_delays",
]

Priority = Literal["auto", "none", "transit", "age"]
Window = Literal["auto", "none", "delay"]
Switching = Literal["wormhole", "cut-through", "store-and-forward", "circuit"]


@dataclass(frozen=True)
class Settings:
    """How routers and links work; the names follow what BookSim calls them.

    Attributes:
        vcs: Virtual channels of each link, 1 to 31.
        buffer: Flits that the buffer of one virtual channel holds.
        packet: Packet sizes in flits.
        packet_shares: How often each size occurs; even when empty.
        routing_delay, vc_delay, switch_delay, traversal_delay: Cycles of the four pipeline stages;
            routing_delay 0 is look-ahead routing.
        credit_delay: Cycles that a router takes to see a credit that has come.
        link_delay: Cycles on a link between routers. Lines of endpoints take 1.
        speedup: Flits that one input may send through the switch in a cycle.
        tail_credit: Give a virtual channel to the next packet only when all its credits are back.
        routing: {'fixed', 'adaptive', 'valiant', 'ugal'}
        switching: {'wormhole', 'cut-through', 'store-and-forward', 'circuit'}
        concentration: Endpoints at each node that is no switch.
        injectors: Lines from an endpoint into its router; each sends one flit per cycle. The
            packets wait in one queue; in every cycle one may be born for each line.
        ejectors: Lines from a router to an endpoint; a packet takes the one with the most credit.
        ugal_bias: UGAL takes the detour only when it looks better by this much.
        spread ({'none', 'pairs', 'all'}): Packets choose among all classes of virtual channels in
            which their way closes no cycle: never, where classes go by pairs of nodes, or on
            datelines too.
        priority ({'auto', 'none', 'transit', 'age'}): Who is served first: nobody; packets in the
            network before those that enter it, and on datelines packets in a ring before those that
            enter the ring, for 1,024 cycles at most (where a class of a dateline has but one
            virtual channel, only while its buffer is more than half full); or the oldest packet.
            With either, packets on datelines that waited more than 128 cycles to enter are given no
            virtual channel whose buffer is full. ``auto`` is ``transit`` where there are classes.
        injection_limit: A packet enters the network only where this share of the buffers that it
            may ask for is free (Baydal, López and Duato), but after 1,024 cycles anywhere; 0 for no
            limit.
        window ({'auto', 'none', 'delay'}): How much an endpoint may have under way: without end, or
            a window that shrinks with every packet that took more than four times its latency in an
            empty network and grows with the others (congestion control by delay, as in network
            cards; packets of a replayed schedule are exempt). ``auto`` is ``delay``: which traffic
            would jam is seen from its packets, not guessed from the network.
        shared_buffers: Adaptive wormhole packets may ask for a virtual channel whose buffer has no
            room for them, as in BookSim: nothing is then certified.

    Examples:
        >>> Settings(routing_delay=0).router_delay
        3
    """

    vcs: int = 8
    buffer: int = 8
    packet: tuple[int, ...] = (1,)
    packet_shares: tuple[float, ...] = ()
    routing_delay: int = 1
    vc_delay: int = 1
    switch_delay: int = 1
    traversal_delay: int = 1
    credit_delay: int = 0
    link_delay: int = 1
    speedup: int = 1
    tail_credit: bool = False
    routing: Routing = "fixed"
    switching: Switching = "wormhole"
    concentration: int = 1
    injectors: int = 1
    ejectors: int = 1
    ugal_bias: int = 0
    spread: Spread = "pairs"
    priority: Priority = "auto"
    injection_limit: float = 0.0
    window: Window = "auto"
    shared_buffers: bool = False

    def __post_init__(self) -> None:
        ranges = {
            "vcs": (1, 31),
            "buffer": (1, 4096),
            "routing_delay": (0, 100),
            "vc_delay": (1, 100),
            "switch_delay": (1, 100),
            "traversal_delay": (1, 100),
            "credit_delay": (0, 100),
            "link_delay": (0, 1000),
            "speedup": (1, 31),
            "concentration": (1, 10_000),
            "injectors": (1, 64),
            "ejectors": (1, 64),
            "ugal_bias": (-(10**6), 10**6),
        }
        for name, (low, high) in ranges.items():
            value = getattr(self, name)
            whole = isinstance(value, int) and not isinstance(value, bool)
            if not whole or not low <= value <= high:
                raise ArgumentError(f"{name} is {value!r}; it must be from {low} to {high}")
        choices = {
            "routing": Routing,
            "switching": Switching,
            "spread": Spread,
            "priority": Priority,
            "window": Window,
        }
        for name, kind in choices.items():
            if getattr(self, name) not in get_args(kind):
                raise ArgumentError(
                    f"{name} is {getattr(self, name)!r}; choose {', '.join(get_args(kind))}"
                )
        limit = self.injection_limit
        if isinstance(limit, bool) or not isinstance(limit, int | float) or not 0 <= limit <= 1:
            raise ArgumentError(f"injection_limit is {limit!r}; it must be from 0 to 1")
        self._check_packets()

    def _check_packets(self) -> None:
        if not self.packet or any(not isinstance(s, int) or s < 1 for s in self.packet):
            raise ArgumentError(f"packet is {self.packet!r}; sizes must be at least 1")
        if max(self.packet) > 10**6:
            raise ArgumentError(f"packet is {self.packet!r}; sizes go up to 1000000 flits")
        if self.packet_shares and len(self.packet_shares) != len(self.packet):
            raise ArgumentError(
                f"packet_shares has {len(self.packet_shares)} entries for {len(self.packet)} sizes"
            )
        if any(not s >= 0 for s in self.packet_shares) or (
            self.packet_shares and not sum(self.packet_shares) > 0
        ):
            raise ArgumentError(f"packet_shares is {self.packet_shares!r}; shares must be positive")
        whole = self.switching in ("cut-through", "store-and-forward")
        if whole and self.buffer < max(self.packet):
            raise ArgumentError(
                f"buffer is {self.buffer}; {self.switching} needs room for a whole packet"
                f" of {max(self.packet)} flits"
            )

    @property
    def certifiable(self) -> bool:
        """Do packets hold no buffer that the certificate does not know of?

        Adaptive packets may hold and wait for any roaming channel. That is no deadlock as long as
        whoever is at the front of such a buffer can still leave for an escape channel (Duato): a
        packet must fit into the buffer whole, or find it empty.
        """
        whole = self.switching in ("cut-through", "store-and-forward")
        empty = self.tail_credit
        return self.routing != "adaptive" or whole or empty or not self.shared_buffers

    @property
    def router_delay(self) -> int:
        """Cycles that a flit takes through an idle router."""
        return self.routing_delay + self.vc_delay + self.switch_delay + self.traversal_delay

    @property
    def mean_packet(self) -> float:
        """Mean packet size in flits."""
        shares = self.packet_shares or (1.0,) * len(self.packet)
        return sum(s * w for s, w in zip(self.packet, shares)) / sum(shares)

    def zero_load(self, routers: float, size: int | None = None) -> float:
        """Latency of a packet that meets nobody, by the formula that the engine obeys exactly.

        Args:
            routers: Routers traversed: distance + 1.
            size: Flits; the mean packet when left out.

        Examples:
            >>> Settings(routing_delay=0).zero_load(6.25)
            27.0
        """
        length = self.mean_packet if size is None else size
        return self.router_delay * routers + self.link_delay * (routers - 1) + 3 + length - 1

    def to_dict(self) -> dict[str, Any]:
        """Plain values for a file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        """Read :meth:`to_dict` back."""
        known = {f.name for f in fields(cls)}
        extra = set(values) - known
        if extra:
            raise ArgumentError(f"settings have no {min(extra)!r}; known: {sorted(known)}")
        fixed: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in values.items()
        }
        return cls(**fixed)


_MOST = 1000


def link_classes(network: Network) -> dict[str, IntArray]:
    """Classes of links that a network knows by name, with their channels.

    The kinds of the network; where some nodes are switches, ``endpoint`` are the links of
    endpoints and ``switch`` those between switches.

    Examples:
        >>> import hopscape
        >>> {k: len(v) for k, v in link_classes(hopscape.build("circulant(8, 1, 4)")).items()}
        {'step1': 16, 'step4': 8}
    """
    channels = np.arange(len(network.heads))
    kinds = network.class_of(channels)
    ends = np.cumsum(np.bincount(kinds, minlength=len(network.classes)))
    by_kind = np.split(np.argsort(kinds, kind="stable"), ends[:-1])
    classes = {k.name: own for k, own in zip(network.classes, by_kind, strict=False) if len(own)}
    if network.has_switches:
        end = np.zeros(network.order, dtype=np.bool_)
        end[network.endpoints] = True
        outer = end[network.tails] | end[network.heads]
        classes |= {"endpoint": channels[outer], "switch": channels[~outer]}
    return classes


def parse_delays(text: str) -> tuple[int | None, tuple[tuple[str, int], ...]]:
    """The delay of all links (if said) and those of classes, from ``2`` or ``axis0=1,axis1=3``.

    Examples:
        >>> parse_delays("2,axis1=3")
        (2, (('axis1', 3),))
    """
    general, named = None, []
    for part in text.split(","):
        name, sign, value = part.rpartition("=")
        if not value.strip().isdecimal() or int(value) > _MOST or (sign and not name.strip()):
            raise ArgumentError(
                f"link-delay is {text!r}; write cycles from 0 to {_MOST}, or CLASS=CYCLES"
            )
        if sign:
            named.append((name.strip(), int(value)))
        else:
            general = int(value)
    return general, tuple(named)


def channel_delays(
    network: Network, general: int, named: tuple[tuple[str, int], ...]
) -> IntArray | None:
    """Cycles of each channel, or None when all take the general delay.

    The delay of a kind of channel, from a graph file, goes before the general one; what is named
    goes before both.
    """
    for kind in network.classes:
        if kind.delay is not None and kind.delay not in range(_MOST + 1):
            raise ArgumentError(
                f"{network.spec}: channels of class {kind.name!r} have delay {kind.delay};"
                f" the simulator takes whole cycles from 0 to {_MOST}"
            )
    own = np.asarray([general if kind.delay is None else kind.delay for kind in network.classes])
    if not named and (own == general).all():
        return None
    channels = np.arange(len(network.heads))
    delays = np.full(len(channels), general, dtype=np.int32)
    if len(own):
        delays[:] = own[network.class_of(channels)]
    known = link_classes(network) if named else {}
    for name, cycles in named:
        if name not in known:
            choice = ", ".join(known) if known else "none"
            raise ArgumentError(
                f"link-delay {name}={cycles}: {network.spec} has no links of class {name!r};"
                f" its classes are: {choice}"
            )
        delays[known[name]] = cycles
    return delays
