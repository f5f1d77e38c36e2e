"""ASTRA-sim 2: the network for its back ends, and schedules as custom collectives.

Given as a workload, traces of a schedule have one send of a rank under way at a time; given as the
implementation of a collective they are sent as their dependencies allow. So a workload is one
all-reduce, whichever goal the schedule has: its implementation are the traces.

Back ends: ns-3 reads any wiring, of hosts and switches; htsim a fat tree of two or three tiers by
its numbers; the analytical one knows a ring, a full mesh and one switch.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.files import make_folder, write_text
from hopscape.core.network import Network
from hopscape.formats.simgrid import BANDWIDTH, LATENCY

__all__ = ["clos_tiers", "system", "write_analytical", "write_htsim", "write_ns3", "write_systems"]

_GIB = 2**30  # its GB
_HOST_DELAY = 1  # ns from a host to the router that stands for it; no link may take none
_TIERS = (2, 3)
_MOST_LINKS = 254 * 254  # its link i is 10.(i / 254 + 1).(i % 254 + 1).0


def write_ns3(network: Network, path: str | Path) -> str:
    """Write the topology file of the ns-3 back end, and its logical topology beside it.

    Hosts are the ranks, numbered from 0, switches follow. A node that is an endpoint and forwards
    as well is a host on a switch of its own, for hosts do not forward there.

    Returns:
        str: What it is.

    Raises:
        ArgumentError: For parallel or one-way links, and where only endpoints lead on.
    """
    if not network.duplex:
        raise ArgumentError(f"{network.spec} has one-way links; links of ns-3 go both ways")
    _require_single(network, "ns-3 keeps one interface to each neighbour")
    rank, count = _ranks(network)
    if network.links + count > _MOST_LINKS:
        raise ArgumentError(
            f"{network.spec} has {network.links:,} links; ns-3 has addresses for {_MOST_LINKS:,}"
        )
    capacity, delay = _measures(network)
    lines = []
    if network.has_switches:
        _require_switched(network)
    else:
        carried = np.bincount(network.tails, weights=capacity, minlength=network.order)
        rank = rank + count
        lines = [_line(v, count + v, float(carried[v]), _HOST_DELAY) for v in range(count)]
    once = network.tails < network.heads
    ends = zip(rank[network.tails[once]].tolist(), rank[network.heads[once]].tolist(), strict=True)
    measures = zip(capacity[once].tolist(), delay[once].tolist(), strict=True)
    lines += [
        _line(a, b, c, LATENCY * 1e9 * d) for (a, b), (c, d) in zip(ends, measures, strict=True)
    ]
    nodes = network.order + (0 if network.has_switches else count)
    switches = " ".join(map(str, range(count, nodes)))
    write_text(
        path, f"{nodes} {nodes - count} {len(lines)}\n{switches}\n" + "\n".join(lines) + "\n"
    )
    logical = Path(path).with_name("logical.json")
    write_text(logical, json.dumps({"logical-dims": [str(count)]}) + "\n")
    rates = sorted({int(float(line.split()[2][:-4]) * 1e9) for line in lines})
    doubled = "" if network.has_switches else "; each node is a host and its switch"
    return (
        f"{count} hosts, {nodes - count} switches, {len(lines)} links{doubled}; ns-3 finds its own"
        f" equal-cost ways. KMAX_MAP, KMIN_MAP and PMAX_MAP of its configuration need the rates"
        f" {', '.join(map(str, rates))} bit/s"
    )


def _line(a: int, b: int, capacity: float, nanoseconds: float) -> str:
    rate = f"{8e-9 * BANDWIDTH * capacity:.10g}"
    return f"{a} {b} {rate}Gbps {nanoseconds * 1e-6:.10f}".rstrip("0") + "ms 0"


def _ranks(network: Network) -> tuple[IntArray, int]:
    """Number of each node: endpoints first."""
    ends = network.endpoints
    if not len(ends):
        raise ArgumentError(f"{network.spec} has no endpoints to be ranks")
    others = np.setdiff1d(np.arange(network.order), ends)
    rank = np.empty(network.order, dtype=np.int64)
    rank[ends], rank[others] = np.arange(len(ends)), len(ends) + np.arange(len(others))
    return rank, len(ends)


def _measures(network: Network) -> tuple[IntArray, IntArray]:
    """Capacity and delay of every channel, as multiples of the usual ones."""
    delays = network.delays(np.arange(len(network.heads)))
    return network.capacities(), np.nan_to_num(delays, nan=1.0)


def _require_single(network: Network, why: str) -> None:
    pairs = network.tails * network.order + network.heads
    if len(np.unique(pairs)) < len(pairs) or (network.tails == network.heads).any():
        raise ArgumentError(f"{network.spec} has parallel links or loops; {why}")


def _require_switched(network: Network) -> None:
    """Refuse what reaches some endpoint through another endpoint only."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    end = np.zeros(network.order, dtype=bool)
    end[network.endpoints] = True
    inner = ~(end[network.tails] | end[network.heads])
    shape = (network.order, network.order)
    wires = coo_array((np.ones(inner.sum()), (network.tails[inner], network.heads[inner])), shape)
    _, part = connected_components(wires, directed=False)
    out = end[network.tails]
    met = {
        (int(v), int(part[w])) for v, w in zip(network.tails[out], network.heads[out], strict=True)
    }
    beside: dict[int, set[int]] = {int(v): set() for v in network.endpoints}
    for v, p in met:
        beside[v].add(p)
    kinds = {frozenset(parts) for parts in beside.values()}
    if any(not a & b for a in kinds for b in kinds):
        raise ArgumentError(
            f"some endpoints of {network.spec} reach each other through other endpoints only; hosts"
            " of ns-3 do not forward"
        )


def write_analytical(network: Network, path: str | Path) -> str:
    """Write the network of the analytical back end: Ring, FullyConnected or Switch."""
    kind = _analytical(network)
    if kind is None:
        raise ArgumentError(
            f"{network.spec} is no ring, full mesh or single switch with channels that are alike,"
            " which is all that the analytical back end has"
        )
    keys = {
        "topology": kind,
        "npus_count": network.endpoint_count,
        "bandwidth": BANDWIDTH / _GIB,
        "latency": LATENCY * 1e9,
    }
    write_text(path, "".join(f"{key}: [ {value} ]\n" for key, value in keys.items()))
    return f"{kind} of {network.endpoint_count} NPUs, GB of 2^30 bytes"


def _analytical(network: Network) -> str | None:
    n, ends = network.order, network.endpoint_count
    if not network.duplex or any((one != one[:1]).any() for one in _measures(network)):
        return None
    pairs = set(zip(network.tails.tolist(), network.heads.tolist(), strict=True))
    if len(pairs) < len(network.heads):
        return None
    if ends == n - 1 and network.has_switches and (network.degrees[network.endpoints] == 1).all():
        return "Switch" if len(pairs) == 2 * ends else None
    if network.has_switches:
        return None
    if len(pairs) == n * (n - 1) and n > 2:
        return "FullyConnected"
    around = {(v, (v + 1) % n) for v in range(n)}
    return "Ring" if n > 2 and pairs == around | {(b, a) for a, b in around} else None


def clos_tiers(network: Network) -> list[dict[str, int]]:
    """Tiers of a fat tree as htsim builds it: ports up and down, cables in a bundle, pod of hosts.

    Raises:
        ArgumentError: For anything else.

    Examples:
        >>> import hopscape
        >>> clos_tiers(hopscape.build("leaf_spine(4, 2, 8)"))[0]
        {'down': 8, 'up': 2, 'bundle': 1, 'pod': 32}
    """
    ends = network.endpoints
    why = f"{network.spec} is no fat tree of two or three tiers as htsim builds them"
    if not network.has_switches or (network.degrees[ends] != 1).any() or not network.duplex:
        raise ArgumentError(f"{why}: hosts have one line each there")
    if any((one != one[:1]).any() for one in _measures(network)):
        raise ArgumentError(f"{why}: channels are not alike")
    level = _levels(network)
    inner = (level[network.tails] >= 0) & (level[network.heads] >= 0)
    step = np.abs(level[network.tails] - level[network.heads])[inner]
    if int(level.max()) + 1 not in _TIERS or (step != 1).any():
        raise ArgumentError(f"{why}: its switches stand in no two or three levels")
    tiers = [_tier(network, level, at, why) for at in range(int(level.max()) + 1)]
    if not _built_alike(network, level, tiers):
        raise ArgumentError(f"{why}: it is wired in another way")
    return tiers


def _levels(network: Network) -> IntArray:
    """Hops of a switch from the nearest one with endpoints; -1 for endpoints."""
    level = np.full(network.order, -1)
    level[network.heads[np.isin(network.tails, network.endpoints)]] = 0
    at, hops = np.flatnonzero(level == 0), 0
    ends = np.isin(np.arange(network.order), network.endpoints)
    while len(at):
        beyond = np.unique(network.heads[np.isin(network.tails, at)])
        at = beyond[(level[beyond] < 0) & ~ends[beyond]]
        hops += 1
        level[at] = hops
    return level


def _tier(network: Network, level: IntArray, at: int, why: str) -> dict[str, int]:
    """Ports of one level, which all its switches have."""
    mine = np.flatnonzero(level == at)
    here = np.isin(network.tails, mine)
    heads, tails = network.heads[here], network.tails[here]
    found = {}
    for name, beyond in (("down", at - 1), ("up", at + 1)):
        counts = np.bincount(tails[level[heads] == beyond], minlength=network.order)[mine]
        if (counts != counts[0]).any():
            raise ArgumentError(f"{why}: switches of level {at + 1} have unequal ports")
        found[name] = int(counts[0])
    below = tails * network.order + heads
    bundles = np.unique(np.unique(below[level[heads] == at - 1], return_counts=True)[1])
    if len(bundles) > 1:
        raise ArgumentError(f"{why}: bundles of level {at + 1} are unequal")
    return {**found, "bundle": int(bundles[0]), "pod": 0}


def _built_alike(network: Network, level: IntArray, tiers: list[dict[str, int]]) -> bool:
    """Are hosts, pods and cores wired as htsim wires them, under the numbers of the ranks?"""
    beside = [set(network.heads[network.indptr[v] : network.indptr[v + 1]].tolist())
              for v in range(network.order)]  # fmt: skip
    tors = [next(iter(beside[v])) for v in network.endpoints.tolist()]
    above = [frozenset(w for w in beside[t] if level[w] == 1) for t in tors]
    pod = above.count(above[0])
    for tier in tiers:
        tier["pod"] = pod
    blocks = [tors[i : i + tiers[0]["down"]] for i in range(0, len(tors), tiers[0]["down"])]
    pods = [above[i : i + pod] for i in range(0, len(above), pod)]
    if any(len(set(one)) > 1 for one in [*blocks, *pods]):
        return False
    if len(set(tors)) != len(blocks) or len({one[0] for one in pods}) != len(pods):
        return False
    if len(tiers) == 2:
        return len(pods) == 1
    cores = [sorted(sorted(w for w in beside[a] if level[w] == 2) for a in one[0]) for one in pods]
    flat = [core for group in cores[0] for core in group]
    return len(set(flat)) == len(flat) and all(one == cores[0] for one in cores)


def write_htsim(network: Network, path: str | Path) -> str:
    """Write the .topo file of htsim's fat tree, in which hosts are the ranks."""
    tiers = clos_tiers(network)
    first = tiers[0]
    for tier in tiers[:-1]:
        if tier["down"] % tier["up"]:
            raise ArgumentError(
                f"{network.spec} has {tier['down']} ports down and {tier['up']} up at a switch;"
                " htsim takes whole ratios"
            )
    capacity, delay = (float(one[0]) for one in _measures(network))
    rate, latency = 8e-9 * BANDWIDTH * capacity, 1e9 * LATENCY * delay
    lines = [f"Nodes {network.endpoint_count}", f"Tiers {len(tiers)}", f"Podsize {first['pod']}"]
    for i, tier in enumerate(tiers):
        lines += [
            "",
            f"Tier {i}",
            f"Downlink_speed_Gbps {round(rate)}",
            f"Radix_Down {tier['down']}",
        ]
        if i + 1 < len(tiers):
            lines.append(f"Radix_Up {tier['up']}")
            lines.append(f"Oversubscribed {tier['down'] // tier['up']}")
        lines += [f"Downlink_Latency_ns {round(latency)}", f"Bundle {tier['bundle']}"]
    write_text(path, "\n".join(lines) + "\n")
    return f"{len(tiers)} tiers, pods of {first['pod']} hosts"


def system(traces: str) -> dict[str, object]:
    """The system layer of ASTRA-sim with traces as its all-reduce, and nothing that takes time."""
    goals = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")
    return {
        "scheduling-policy": "FIFO",
        "endpoint-delay": 1,
        "active-chunks-per-dimension": 1,
        "preferred-dataset-splits": 1,
        "collective-optimization": "localBWAware",
        "local-mem-bw": 10**9,
        "boost-mode": 0,
        **{f"{goal}-implementation": ["ring"] for goal in goals},
        "all-reduce-implementation-custom": [traces],
    }


def write_systems(folder: str | Path, traces: Sequence[str]) -> list[Path]:
    """Write ``NAME.json`` for each set of traces ``chakra/NAME.RANK.et``, and ``memory.json``."""
    top = make_folder(Path(folder))
    write_text(top / "memory.json", json.dumps({"memory-type": "NO_MEMORY_EXPANSION"}) + "\n")
    paths = []
    for name in traces:
        paths.append(top / f"{name}.json")
        write_text(paths[-1], json.dumps(system(f"chakra/{name}"), indent=1) + "\n")
    return paths
