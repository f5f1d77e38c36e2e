"""Two hand-overs for OpenSM that cannot deadlock: one lane, and service levels.

*One lane* needs nothing from the hosts: its routes close no cycle. *Service levels* keeps the
shortest routes and puts pairs of hosts into layers, each on a virtual lane of its own, by a policy
that hosts ask the subnet administrator about.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.files import make_folder, write_text
from hopscape.deadlock.one_lane import one_lane_routes
from hopscape.deadlock.symmetric import symmetric_layers
from hopscape.export.infiniband import (
    PORT_WORDS,
    Fabric,
    fabric_of,
    forwarding_tables,
    host_guid,
    write_fabric,
)
from hopscape.metrics.routes import Routes

__all__ = ["MOST_LEVELS", "OpenSM", "write_opensm"]

MOST_LEVELS = 8
_GUIDS_A_LINE = 8
_ONE_LANE = """\
# {spec}: one lane. Run in this folder: opensm -F opensm.conf
# {numbering}
routing_engine file,no_fallback
lfts_file routes.lfts
qos FALSE
"""
_LEVELS = """\
# {spec}: shortest routes on {levels} service levels. Run in this folder: opensm -F opensm.conf
# The subnet manager belongs on host {manager}, whose pairs are all on service level 0.
# {numbering}
routing_engine file,no_fallback
lfts_file routes.lfts
sm_sl 0
qos TRUE
qos_policy_file qos-policy.conf
qos_max_vls {lanes}
qos_high_limit 0
qos_vlarb_high {high}
qos_vlarb_low {low}
qos_sl2vl {table}
"""


@dataclass(frozen=True)
class OpenSM:
    """What was written for OpenSM.

    Attributes:
        layers (uint8[hosts, hosts] or None): Service levels of the shortest routes; None where
            eight do not suffice.
    """

    one_lane: Routes
    shortest: Routes
    layers: IntArray | None

    @property
    def levels(self) -> int:
        """Service levels that the shortest routes take; 0 where eight do not suffice."""
        return 0 if self.layers is None else int(self.layers.max(initial=0)) + 1

    def words(self) -> str:
        """The two hand-overs in a sentence each."""
        if self.one_lane is self.shortest:
            return (
                "one lane: the shortest routes close no cycle, so opensm.conf serves as it is and"
                " there are no service levels"
            )
        one, short = self.one_lane, self.shortest
        told = (
            f"one lane (opensm.conf): mean hops {one.mean:.3f} (shortest {short.mean:.3f}), at most"
            f" {one.longest} ({short.longest}), busiest link {int(one.loads.max())} pairs"
            f" ({int(short.loads.max())}), throughput {_throughput(one):.3f}"
            f" ({_throughput(short):.3f}) of an endpoint's link; "
        )
        if self.layers is None:
            return told + f"service levels: none, the shortest routes need more than {MOST_LEVELS}"
        return told + f"service-levels/: the shortest routes on {self.levels} service levels"


def _throughput(routes: Routes) -> float:
    return 1 / max(1.0, routes.uniform_load())


def write_opensm(shortest: Routes, folder: str | Path) -> OpenSM:
    """Write ``fabric.net``, ``guid2lid``, the one-lane tables and, below, the service levels.

    Args:
        shortest: To all nodes.

    Raises:
        ArgumentError: For simplex channels, or more nodes or ports than InfiniBand has.
    """
    network = shortest.network
    fabric = fabric_of(network)
    if not len(fabric.hosts):
        raise ArgumentError(f"{network.spec} has no endpoints; OpenSM runs on one")
    one_lane = one_lane_routes(network, shortest)
    top = make_folder(folder)
    write_fabric(fabric, top)
    write_text(top / "routes.lfts", forwarding_tables(fabric, one_lane))
    write_text(top / "opensm.conf", _ONE_LANE.format(spec=network.spec, numbering=PORT_WORDS))
    if one_lane is shortest:
        return OpenSM(one_lane, shortest, None)
    layers = symmetric_layers(shortest, MOST_LEVELS, first=fabric.manager)
    if layers is not None:
        _write_levels(fabric, shortest, layers, make_folder(top / "service-levels"))
    return OpenSM(one_lane, shortest, layers)


def _write_levels(fabric: Fabric, routes: Routes, layers: IntArray, folder: Path) -> None:
    """Tables, configuration, policy, and the same levels and lanes for ibdmchk."""
    levels = int(layers.max(initial=0)) + 1
    lanes = next(n for n in (1, 2, 4, 8) if n >= levels)  # what switches can be set to
    conf = _LEVELS.format(
        spec=fabric.network.spec,
        levels=levels,
        manager=f"H{fabric.manager}",
        numbering=PORT_WORDS,
        lanes=lanes,
        high=",".join(f"{vl}:0" for vl in range(lanes)),
        low=",".join(f"{vl}:64" for vl in range(lanes)),
        table=",".join(str(sl) if sl < levels else "15" for sl in range(16)),
    )
    write_text(folder / "opensm.conf", conf)
    write_text(folder / "routes.lfts", forwarding_tables(fabric, routes))
    write_text(folder / "qos-policy.conf", _policy(fabric, layers))
    lids = [fabric.lid(int(h)) for h in fabric.hosts]
    nodes = [f"{int(host_guid(int(h)), 16) - 1:#018x}" for h in fabric.hosts]
    lines = (
        f"{nodes[a]} {lids[b]} {layers[a, b]}\n"
        for a in range(len(lids))
        for b in range(len(lids))
        if a != b
    )
    write_text(folder / "path-sl.txt", "".join(lines))


def _policy(fabric: Fabric, layers: IntArray) -> str:
    """Match rules: hosts with the same partners on a level share one rule."""
    guids = [host_guid(int(h)) for h in fabric.hosts]
    groups, rules = io.StringIO(), io.StringIO()
    for level in range(1, int(layers.max(initial=0)) + 1):
        rows, place = np.unique(layers == level, axis=0, return_inverse=True)
        for k, row in enumerate(rows):
            if not row.any():
                continue
            _group(groups, f"from-{level}-{k}", [guids[i] for i in np.flatnonzero(place == k)])
            _group(groups, f"to-{level}-{k}", [guids[i] for i in np.flatnonzero(row)])
            rules.write(
                f"  qos-match-rule\n    source: from-{level}-{k}\n    destination: to-{level}-{k}\n"
                f"    qos-level-name: level-{level}\n  end-qos-match-rule\n"
            )
    levels = "".join(
        f"  qos-level\n    name: {'DEFAULT' if not sl else f'level-{sl}'}\n    sl: {sl}\n"
        "  end-qos-level\n"
        for sl in range(int(layers.max(initial=0)) + 1)
    )
    return (
        f"# {fabric.network.spec}: the service level of every pair of hosts. {PORT_WORDS}\n"
        f"port-groups\n{groups.getvalue()}end-port-groups\n"
        f"qos-levels\n{levels}end-qos-levels\n"
        f"qos-match-rules\n{rules.getvalue()}end-qos-match-rules\n"
    )


def _group(out: io.StringIO, name: str, guids: list[str]) -> None:
    out.write(f"  port-group\n    name: {name}\n")
    for i in range(0, len(guids), _GUIDS_A_LINE):
        out.write(f"    port-guid: {','.join(guids[i : i + _GUIDS_A_LINE])}\n")
    out.write("  end-port-group\n")
