"""Two-level machines: their counts, and what is measured of them.

A *hop* is a link of the built network. A *jump* goes from endpoint to endpoint, crossbars in
between not counted: the unit in which supercomputers quote their path lengths. Networks of one
radix side by side are measured by the same functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.family import Family
from hopscape.core.network import Network
from hopscape.families.classic import Complete
from hopscape.papers.blockdesign.families import (
    DistributedSwitch,
    PartialSwitch,
    QuasicompleteDigraph,
)
from hopscape.papers.blockdesign.two_level import TwoLevel

__all__ = [
    "TwoLevelMachine",
    "comparable_specs",
    "describe_machine",
    "join_supernodes",
    "joining_channels",
    "jumps_from",
    "measure_machine",
    "measure_network",
    "paper_machines",
    "reserve_jumps",
    "supernode_count",
]

PORTS = {"K1": 7, "K2": 24, "K3": 16}
"""Ports of a node between supernodes and inside them, as the paper gives them."""

SPEEDS = {"K1": 5, "K2": 1, "K3": 2}
"""Their speeds in units of V/5: V, V/5 and 2V/5."""

GROUP = 8
"""Nodes that are joined by the fastest channels in the original machine."""


def supernode_count(size: int, links: int, copies: int = 1) -> int:
    """Supernodes that can all be joined pairwise: size · links / copies + 1.

    Examples:
        >>> supernode_count(32, 16), supernode_count(39, 40), supernode_count(39, 40, 2)
        (513, 1561, 781)
    """
    for name, value in (("size", size), ("links", links), ("copies", copies)):
        if value < 1:
            raise ArgumentError(f"{name} is {value}; it must be at least 1")
    return size * links // copies + 1


@dataclass(frozen=True)
class TwoLevelMachine:
    """A two-level machine with its counts.

    Attributes:
        name, supernode, spec: What it is called, the network of a supernode, the whole.
        size: Nodes of a supernode.
        global_ports: Ports of a node to other supernodes.
        local_switches, local_cables: In one supernode.
        global_switches, global_cables: Between all of them.
        ports: Ports of a node in all.
    """

    name: str
    supernode: str
    size: int
    local_switches: int
    local_cables: int
    global_ports: int
    copies: int
    supernodes: int
    global_switches: int
    global_cables: int
    spec: str
    ports: int

    @property
    def nodes(self) -> int:
        """Endpoints in all."""
        return self.size * self.supernodes

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self) | {
            "nodes": self.nodes,
            "switches": self.local_switches * self.supernodes + self.global_switches,
            "cables": self.local_cables * self.supernodes + self.global_cables,
        }


def describe_machine(name: str, family: TwoLevel) -> TwoLevelMachine:
    """The counts of a member of ``two_level``.

    Examples:
        >>> import hopscape
        >>> family = hopscape.build("two_level(complete(32), complete(513))").family
        >>> machine = describe_machine("Blue Waters", family)
        >>> machine.nodes, machine.ports, machine.global_cables
        (16416, 47, 131328)
    """
    inside, outer = family.supernode, family.between
    ends = family.locals[: family.size]
    local = int((inside.rows(ends) >= 0).sum(axis=1).max(initial=0))
    links = family.copies * family.depth
    return TwoLevelMachine(
        name=name,
        supernode=inside.spec,
        size=family.size,
        local_switches=family.inner,
        local_cables=inside.links,
        global_ports=links,
        copies=family.copies,
        supernodes=family.count,
        global_switches=outer.order - family.count,
        global_cables=family.cables["global"],
        spec=family.spec,
        ports=local + links,
    )


def join_supernodes(
    supernode: Network,
    *,
    between: Network | None = None,
    links: int | None = None,
    copies: int = 1,
    ports: int | None = None,
    group: int = 0,
    lanes: Sequence[int] = (),
    speeds: Sequence[int] = (),
) -> TwoLevel:
    """A machine of one's own: given the outer network, or as many supernodes as can be joined.

    Args:
        supernode: The network inside a supernode.
        between: The network of supernodes. Left out, all are joined pairwise, as many as `links`
            allow.
        links: Links of a node to other supernodes; what `ports` leaves, when left out.
        copies: Links for each pair of supernodes that is joined.
        ports: Most ports of a node.
        group, lanes, speeds: As in ``two_level``.

    Examples:
        >>> import hopscape
        >>> join_supernodes(hopscape.build("partial_switch(39, 7)"), ports=47).spec
        'two_level(partial_switch(39, 7), complete(1561))'
    """
    inside = int(supernode.degrees[supernode.endpoints].max(initial=0))
    if between is None:
        if links is None:
            if ports is None:
                raise ArgumentError("a machine needs an outer network, links or ports")
            links = ports - inside
        if links < 1:
            raise ArgumentError(
                f"links is {links}; a node needs at least 1 to other supernodes beside the"
                f" {inside} of {supernode.spec}"
            )
        count = supernode_count(supernode.endpoint_count, links, copies)
        between = Network.of(Complete(count))
    family = TwoLevel(supernode, between, copies, group, lanes, speeds)
    outer = copies * family.depth
    if links is not None and outer > links:
        raise ArgumentError(f"links is {links}; {family.spec} needs {outer} at a node")
    if ports is not None and inside + outer > ports:
        raise ArgumentError(f"ports is {ports}; a node of {family.spec} has {inside + outer}")
    return family


@lru_cache(maxsize=1)
def paper_machines() -> tuple[TwoLevelMachine, ...]:
    """The machines of chapters 1, 5 and 6, with the paper's kinds of channels."""
    full = Network.of(Complete(32))
    cover, digraph = Network.of(PartialSwitch(39, 7)), Network.of(QuasicompleteDigraph(7))
    freed = (PORTS["K3"], PORTS["K2"])  # all but K1 leads to other supernodes
    fast = (SPEEDS["K1"], SPEEDS["K3"], SPEEDS["K2"])
    old: dict[str, Any] = {"group": GROUP, "speeds": tuple(SPEEDS.values())}

    def switched(inside: Network, outer: Family, **more: Any) -> TwoLevel:
        return join_supernodes(inside, between=Network.of(outer), **more)

    def joined(inside: Network, copies: int) -> TwoLevel:
        return join_supernodes(inside, links=sum(freed), copies=copies, lanes=freed, speeds=fast)

    plain = (SPEEDS["K1"], SPEEDS["K3"])
    built = {
        "Blue Waters": join_supernodes(full, links=PORTS["K3"], **old),
        "RPK supernode": joined(cover, 1),
        "RPK supernode, links doubled": joined(cover, 2),
        "digraph supernode": joined(digraph, 1),
        "digraph supernode, links doubled": joined(digraph, 2),
        "RPK between supernodes": switched(full, DistributedSwitch(993, 32), **old),
        "RPK between RPK supernodes": switched(cover, DistributedSwitch(1723, 42), speeds=plain),
        "digraph between supernodes": switched(full, QuasicompleteDigraph(32), **old),
    }
    return tuple(describe_machine(name, family) for name, family in built.items())


def measure_machine(network: Network) -> dict[str, Any]:
    """Paths and throughput of a built machine; paths from all endpoints of supernode 0.

    Where the outer network looks the same from everywhere this is exact; else it is a sample.
    """
    from hopscape.core.progress import track
    from hopscape.metrics import channel_load

    family = network.family
    if not isinstance(family, TwoLevel):
        raise ArgumentError(f"{network.spec} is not a two-level machine")
    ends = network.endpoints
    router = network.router()
    hops, jumps, total = 0, 0, 0
    for source in track(range(family.size), f"paths in {network.spec}"):
        row = router.distances(np.full(len(ends), source), ends)
        jump = jumps_from(network, source)[ends]
        if (row < 0).any():
            raise ArgumentError(f"{network.spec} is not connected")
        hops, jumps = max(hops, int(row.max())), max(jumps, int(jump.max()))
        total += int(jump.sum())
    record: dict[str, Any] = {
        "built_endpoints": network.endpoint_count,
        "built_switches": network.order - network.endpoint_count,
        "built_channels": len(network.heads),
        "hops": hops,
        "jumps": jumps,
        "mean_jumps": total / max(family.size * (len(ends) - 1), 1),
        "sources": family.size,
        "paths": "symmetry" if family.orbits is not None else "sampled",
    }
    if not family.between.has_switches and family.count > 1 and family.between.links:
        record["reserve_jumps"] = reserve_jumps(network)[1]
    load = channel_load(network, router)
    narrow = min(load.classes, key=lambda kind: kind.throughput, default=None)
    record |= {
        "throughput": load.throughput,
        "throughput_how": load.how,
        "bound_by": None if narrow is None else narrow.name,
        "classes": [asdict(kind) for kind in load.classes],
    }
    return record


_MOST_PORTS = 1024  # of a switch; those that exist have fewer


def comparable_specs(radix: int) -> dict[str, str]:
    """Networks whose switches (or endpoints, in a distributed switch) have at most `radix` ports.

    Examples:
        >>> comparable_specs(16)["fat tree"]
        'fat_tree(16)'
    """
    from hopscape.algebra.fields import prime_power

    if not 8 <= radix <= _MOST_PORTS:
        raise ArgumentError(f"radix is {radix}; it must be at least 8 and at most {_MOST_PORTS}")
    plane = max(q for q in range(2, radix) if prime_power(q) and q + 1 <= radix)
    small = max(q for q in range(2, radix) if prime_power(q) and q + 1 <= max(radix // 4, 3))
    size, outer = small * small + small + 1, radix - small - 1
    h = max(1, (radix + 1) // 4)
    fly = max(
        q for q in range(3, radix) if prime_power(q) and q % 4 != 2 and _slim_radix(q) <= radix
    )
    dual = max(q for q in range(2, radix) if prime_power(q) and q + 1 + (q + 1) // 3 <= radix)
    polar = max(q for q in range(2, radix) if prime_power(q) and q + 1 + (q + 1) // 2 <= radix)
    return {
        "distributed switch": f"distributed_switch({plane**2 + plane + 1}, {plane + 1}, 1)",
        "two-level, RPK supernodes": (
            f"two_level(distributed_switch({size}, {small + 1}, 1), complete({size * outer + 1}))"
        ),
        "dragonfly": f"dragonfly({2 * h}, {h}, {h})",
        "fat tree": f"fat_tree({radix - radix % 2})",
        "Slim Fly": f"slim_fly({fly})",
        "projective incidence": f"projective_network({dual})",
        "PolarFly": f"polarfly({polar})",
        "flattened butterfly": f"hyperx([{radix // 3 + 1}, {radix // 3 + 1}], {radix // 3})",
    }


def _slim_radix(q: int) -> int:
    delta = {0: 0, 1: 1, 3: -1}[q % 4]
    degree = (3 * q - delta) // 2
    return degree + (degree + 1) // 2


def measure_network(name: str, network: Network) -> dict[str, Any]:
    """A row of the comparison: size, cost and paths of one network, all measured."""
    from hopscape.metrics import channel_load, distance_profile

    profile = distance_profile(network, endpoints=True, exact=True)
    degrees = network.degrees
    ends = network.endpoints
    switch = np.setdiff1d(np.arange(network.order), ends)
    load = channel_load(network) if network.order <= 3000 else None
    return {
        "name": name,
        "spec": network.spec,
        "endpoints": len(ends),
        "switches": len(switch),
        "endpoint_ports": int(degrees[ends].max()),
        "switch_ports": int(degrees[switch].max(initial=0)),
        "cables": network.links,
        "cables_per_endpoint": round(network.links / len(ends), 3),
        "diameter": profile.diameter,
        "mean_distance": None if profile.mean is None else float(profile.mean),
        "max_load": None if load is None else round(load.largest, 4),
    }


def jumps_from(
    network: Network,
    source: int,
    dead: IntArray | None = None,
    until: IntArray | None = None,
) -> IntArray:
    """Endpoint-to-endpoint jumps from a node to all nodes, crossbars passed for free; -1: no path.

    Args:
        dead (bool[channels], optional): Channels that do not work.
        until (int array, optional): Stop when all these nodes are reached.

    Examples:
        >>> import hopscape
        >>> jumps_from(hopscape.build("distributed_switch(7, 3, 1)"), 0)[:7].tolist()
        [0, 1, 1, 1, 1, 1, 1]
    """
    from hopscape.papers.blockdesign.jump_kernels import count_jumps

    switch = np.ones(network.order, dtype=bool)
    switch[network.endpoints] = False
    wanted = np.zeros(0 if until is None else network.order, dtype=bool)
    if until is not None:
        wanted[until] = True
    broken = np.zeros(0, dtype=bool) if dead is None else np.asarray(dead, dtype=bool)
    jumps = np.empty(network.order, dtype=np.int64)
    count_jumps(network.indptr, network.heads, switch, broken, network.node(source), wanted, jumps)
    return jumps


def joining_channels(network: Network, first: int, second: int) -> IntArray:
    """The channels that lead directly from one supernode to another, in order of their numbers."""
    family = network.family
    if not isinstance(family, TwoLevel) or family.between.has_switches:
        raise ArgumentError(f"{network.spec} has no direct links between its supernodes")
    for group in (first, second):
        if not 0 <= group < family.count:
            raise ArgumentError(f"supernode {group} is not one of 0..{family.count - 1}")
    low, high = network.indptr[first * family.size], network.indptr[(first + 1) * family.size]
    there = network.heads[low:high] // family.size
    ends = network.heads[low:high] < family.ends
    joining = low + np.nonzero(ends & (there == second))[0]
    if first == second or not len(joining):
        raise ArgumentError(f"supernodes {first} and {second} are not joined by a link")
    return joining


def reserve_jumps(
    network: Network, first: int = 0, second: int = 1, *, every: int = 1
) -> tuple[int, int]:
    """Longest path in jumps between two supernodes: whole, and with their first joining link dead.

    Only for supernodes that are joined directly (an outer network without crossbars); from each
    endpoint of the first supernode, or from each `every`-th. -1 where there is no path left.
    """
    channel = joining_channels(network, first, second)[0]
    dead = np.zeros(len(network.heads), dtype=bool)
    dead[channel] = True
    if network.reverse[channel] >= 0:
        dead[network.reverse[channel]] = True
    size = network.family.size  # type: ignore[union-attr]
    target = np.arange(second * size, (second + 1) * size)
    hops: list[list[int]] = [[], []]
    for i in range(0, size, every):
        for k, broken in enumerate((None, dead)):
            hops[k] += jumps_from(network, first * size + i, broken, target)[target].tolist()
    whole, broken_far = (-1 if min(part) < 0 else max(part) for part in hops)
    return whole, broken_far
