"""Two-level machines: supernodes of any network, joined by any network; counts and paths.

A *hop* is a link of the built network. A *jump* goes from endpoint to endpoint, crossbars in
between not counted: the unit in which supercomputers quote their path lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from hopscape.core.addresses import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.network import Network
from hopscape.families.blockdesign.twolevel import TwoLevel

__all__ = [
    "MACHINES",
    "Machine",
    "comparable_specs",
    "jumps_from",
    "measure_machine",
    "measure_network",
    "reserve_jumps",
    "supernode_count",
]


def jumps_from(
    network: Network,
    source: int,
    dead: IntArray | None = None,
    until: IntArray | None = None,
) -> IntArray:
    """Endpoint-to-endpoint jumps from a node to all nodes, crossbars passed for free; -1: no way.

    Parameters
    ----------
    network : Network
    source : int
    dead : bool[channels], optional
        Channels that do not work.
    until : int array, optional
        Stop when all these nodes are reached.

    Examples
    --------
    >>> import hopscape
    >>> jumps_from(hopscape.build("distributed_switch(7, 3, 1)"), 0)[:7].tolist()
    [0, 1, 1, 1, 1, 1, 1]
    """
    is_switch = np.ones(network.order, dtype=bool)
    is_switch[network.endpoints] = False
    jumps = np.full(network.order, -1, dtype=np.int64)
    jumps[source] = 0
    layer, reached = np.array([source]), 0
    while len(layer) and (until is None or (jumps[until] < 0).any()):
        reached += 1
        fresh: list[IntArray] = []
        going = layer
        while len(going):
            touched = np.zeros(network.order, dtype=bool)
            touched[_spread(network, going, dead)] = True
            new = np.nonzero(touched & (jumps < 0))[0]
            jumps[new] = reached
            fresh.append(new[~is_switch[new]])
            going = new[is_switch[new]]
        layer = np.concatenate(fresh)
    return jumps


def _spread(network: Network, nodes: IntArray, dead: IntArray | None) -> IntArray:
    starts, ends = network.indptr[nodes], network.indptr[nodes + 1]
    lengths = ends - starts
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    channels = np.repeat(starts, lengths) + within
    if dead is not None:
        channels = channels[~dead[channels]]
    reached: IntArray = network.heads[channels]
    return reached


def reserve_jumps(
    network: Network, first: int = 0, second: int = 1, *, every: int = 1
) -> tuple[int, int]:
    """Longest path in jumps between two supernodes: whole, and with their first joining link dead.

    Only for supernodes that are joined directly (an outer network without crossbars); from each
    endpoint of the first supernode, or from each `every`-th.
    """
    family = network.family
    if not isinstance(family, TwoLevel) or family.between.has_switches:
        raise ArgumentError(f"{network.spec} has no direct links between its supernodes")
    size = family.size
    group = np.where(network.tails < family.count * size, network.tails // size, -1)
    other = np.where(network.heads < family.count * size, network.heads // size, -1)
    joining = np.nonzero((group == first) & (other == second))[0]
    if not len(joining):
        raise ArgumentError(f"supernodes {first} and {second} are not joined by a link")
    dead = np.zeros(len(network.heads), dtype=bool)
    dead[joining[0]] = True
    if network.reverse[joining[0]] >= 0:
        dead[network.reverse[joining[0]]] = True
    target = np.arange(second * size, (second + 1) * size)
    far = [0, 0]
    for i in range(0, size, every):
        for k, broken in enumerate((None, dead)):
            jumps = jumps_from(network, first * size + i, broken, target)[target]
            far[k] = max(far[k], int(jumps.max()))
    return far[0], far[1]


def supernode_count(size: int, links: int, copies: int = 1) -> int:
    """Supernodes that can all be joined pairwise: size · links / copies + 1.

    Examples
    --------
    >>> supernode_count(32, 16), supernode_count(39, 40), supernode_count(39, 40, 2)
    (513, 1561, 781)
    """
    if size < 1 or links < 1 or copies < 1:
        raise ArgumentError("size, links and copies must be at least 1")
    return size * links // copies + 1


@dataclass(frozen=True)
class Machine:
    """A machine of chapters 5 and 6 as a spec, with its counts derived."""

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


def _direct(name: str, inside: str, shape: Sequence[int], ports: int, copies: int) -> Machine:
    """Supernodes joined pairwise."""
    size, switches, cables = shape
    count = supernode_count(size, ports, copies)
    spec = f"two_level({inside}, complete({count}){f', copies={copies}' if copies > 1 else ''})"
    joins = copies * count * (count - 1) // 2
    return Machine(name, inside, size, switches, cables, ports, copies, count, 0, joins, spec)


def _switched(name: str, inside: str, shape: Sequence[int], m: int, digraph: bool) -> Machine:
    """Supernodes joined by crossbars m × m, one port per endpoint."""
    size, switches, cables = shape
    count = m * m if digraph else m * (m - 1) + 1
    outer = f"quasicomplete_digraph({m})" if digraph else f"distributed_switch({count}, {m}, 1)"
    joins = 2 * count * m if digraph else count * m
    spec = f"two_level({inside}, {outer})"
    return Machine(name, inside, size, switches, cables, 1, 1, count, count, joins, spec)


_COMPLETE = (32, 0, 32 * 31 // 2)
_COVER = (39, 39, 39 * 7)
_DIGRAPH = (49, 49, 2 * 49 * 7)

MACHINES: tuple[Machine, ...] = (
    _direct("Blue Waters", "complete(32)", _COMPLETE, 16, 1),
    _direct("RPK supernode", "partial_switch(39, 7)", _COVER, 40, 1),
    _direct("RPK supernode, links doubled", "partial_switch(39, 7)", _COVER, 40, 2),
    _direct("digraph supernode", "quasicomplete_digraph(7)", _DIGRAPH, 40, 1),
    _direct("digraph supernode, links doubled", "quasicomplete_digraph(7)", _DIGRAPH, 40, 2),
    _switched("RPK between supernodes", "complete(32)", _COMPLETE, 32, False),
    _switched("RPK between RPK supernodes", "partial_switch(39, 7)", _COVER, 42, False),
    _switched("digraph between supernodes", "complete(32)", _COMPLETE, 32, True),
)
"""The machines of chapters 5 and 6."""


def comparable_specs(radix: int) -> dict[str, str]:
    """Networks whose switches (or endpoints, in a distributed switch) have at most `radix` ports.

    Examples
    --------
    >>> comparable_specs(16)["fat tree"]
    'fat_tree(16)'
    """
    from hopscape.core.fields import prime_power

    if radix < 8:
        raise ArgumentError(f"radix is {radix}; it must be at least 8")
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


def measure_machine(network: Network) -> dict[str, Any]:
    """Paths of a built machine, in hops and in jumps, from all endpoints of supernode 0.

    Where the outer network looks the same from everywhere this is exact; else it is a sample.
    """
    from hopscape.core.distances import distances_from
    from hopscape.core.progress import track

    family = network.family
    if not isinstance(family, TwoLevel):
        raise ArgumentError(f"{network.spec} is no two-level machine")
    ends = network.endpoints
    hops, jumps, total = 0, 0, 0
    for source in track(range(family.size), f"paths in {network.spec}"):
        row = distances_from(network, source)[ends]
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
        "mean_jumps": total / (family.size * (len(ends) - 1)),
        "sources": family.size,
    }
    if not family.between.has_switches:
        record["reserve_jumps"] = reserve_jumps(network)[1]
    return record


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
