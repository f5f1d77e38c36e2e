"""A fabric as it was planned and as it was built: which cables are missing, extra, or swapped.

A port holds one cable, so the planned cables that were not laid and the laid ones that were not
planned form paths and rings, from port to port. Each of them is one finding: two cables that
exchanged ends are a ring of four, and not four errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.errors import ArgumentError
from hopscape.core.faults import Faults
from hopscape.core.files import FABRIC_ENDINGS
from hopscape.core.network import Network
from hopscape.core.reading import TextFile
from hopscape.design.floorplan import place
from hopscape.formats.graphs.fabrics import FabricListing, Plug, is_fabric, read_fabric
from hopscape.formats.graphs.libraries import link_ends
from hopscape.formats.infiniband import Subnet, subnets_of
from hopscape.formats.tables import read_cable_places, read_cables, read_faults
from hopscape.registry import build, build_within

__all__ = ["Comparison", "Finding", "compare_fabric"]

Cable = frozenset[Plug]
_KINDS = ("missing", "extra", "swapped", "moved", "displaced")


@dataclass(frozen=True)
class Finding:
    """Cables that touch each other, port by port, and are not as planned.

    Attributes:
        kind: ``missing``, ``extra``; ``swapped``: cables that exchanged ends; ``moved``: one end is
            in another port; ``displaced``: several such at once, some cables missing or extra.
        planned, built: Both ends of each cable, as the cable list names them where it does.
    """

    kind: str
    planned: tuple[dict[str, Any], ...]
    built: tuple[dict[str, Any], ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"finding": self.kind, "planned": list(self.planned), "built": list(self.built)}

    def rows(self) -> list[dict[str, str]]:
        """The same for a table: a row for each cable, ends as row/rack/slot and port."""
        told = zip_longest(map(_cable_words, self.planned), map(_cable_words, self.built))
        return [
            {"finding": "" if i else self.kind, "planned": planned or "", "built": built or ""}
            for i, (planned, built) in enumerate(told)
        ]


def _cable_words(cable: Mapping[str, Any]) -> str:
    number = f"cable {cable['cable']}: " if cable.get("cable") else ""
    return number + " to ".join(_end_words(cable[end]) for end in ("from", "to"))


def _end_words(end: Mapping[str, Any]) -> str:
    if "row" not in end:
        return f"{end['name']} port {end['port']}"
    where = f"{end['row']}/{end['rack']}/{end['slot']}"
    host = " (its host)" if end["name"].startswith("H") and "own" in end else ""
    return f"{where} port {end['port']} (node {end['node']}{host})"


@dataclass(frozen=True)
class Comparison:
    """What a built fabric has of a planned one.

    Attributes:
        cables: How many were planned.
        laid: How many of them are as planned.
        absent: Planned nodes that are not there at all.
        strange: Nodes that nobody planned.
    """

    cables: int
    laid: int
    findings: tuple[Finding, ...]
    absent: tuple[str, ...]
    strange: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.findings

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        counts = {kind: sum(x.kind == kind for x in self.findings) for kind in _KINDS}
        return {
            "cables": self.cables,
            "as_planned": self.laid,
            **counts,
            "absent_nodes": list(self.absent),
            "unplanned_nodes": list(self.strange),
            "findings": [one.to_dict() for one in self.findings],
        }


@dataclass(frozen=True)
class _Plan:
    """The cables of a subnet, by the names of its nodes.

    Attributes:
        cables: Their numbers in the cable list, 0 where it has none.
        places: Node and place (row, rack, slot) by name.
        ports: Ports of the cable list, where they are others.
    """

    names: frozenset[str]
    cables: Mapping[Cable, int]
    places: Mapping[str, dict[str, int]] = field(default_factory=dict)
    ports: Mapping[Plug, int] = field(default_factory=dict)

    def end(self, plug: Plug) -> dict[str, Any]:
        """An end, as the cable list names it where it does."""
        known = self.places.get(plug.node)
        if known is None:
            return {"name": plug.node, "port": plug.port}
        return {**known, "port": self.ports.get(plug, plug.port), "name": plug.node}

    def cable(self, cable: Cable) -> dict[str, Any]:
        """A cable with its ends, the one of the lower node first."""
        a, b = sorted(map(self.end, cable), key=lambda x: (x.get("node", -1), x["name"], x["port"]))
        number = self.cables.get(cable)
        return ({"cable": number} if number else {}) | {"from": a, "to": b}


def compare_fabric(
    planned: str | Path, built: Sequence[str | Path], names: str | Path | None = None
) -> Comparison:
    """Compare the cables of a fabric with the plan.

    Args:
        planned: A hand-over, its cable list, a spec, or a listing of a fabric.
        built: What ibnetdiscover or iblinkinfo printed, or a netlist; of each plane one.
        names: A CSV file with the columns ``planned`` (a name such as S3, as in ``fabric.net``) and
            ``built`` (its description or GUID); names are the same without.

    Raises:
        ArgumentError: When no names agree, or a plane has not one listing.
        FileFormatError: When a file is none of these.
    """
    plans = _plans(str(planned))
    called = _called(names) if names is not None else {}
    fabrics = [_renamed(read_fabric(path), called, path) for path in built]
    found = [_compare(plan, one) for plan, one in _matched(plans, fabrics, planned, built)]
    return Comparison(
        sum(one.cables for one in found),
        sum(one.laid for one in found),
        tuple(x for one in found for x in one.findings),
        tuple(x for one in found for x in one.absent),
        tuple(x for one in found for x in one.strange),
    )


def _plans(planned: str) -> list[_Plan]:
    """The plan of each subnet."""
    path = Path(planned)
    listed = path / "cables.csv" if path.is_dir() else path
    if planned.lower().endswith((*FABRIC_ENDINGS, ".txt")) and path.is_file():
        if is_fabric(TextFile(path).text):
            fabric = read_fabric(path)
            return [_Plan(frozenset(fabric.switches), dict.fromkeys(fabric.cables(), 0))]
    elif listed.suffix == ".csv" and "cable,from_row" in TextFile(listed).text:
        network = build_within(listed)(read_cables(listed)[0].spec)
        return _plans_of(network, read_cable_places(listed), read_faults(listed))
    network = build(planned)
    placed = place(network)
    names = dict(enumerate(placed.plan.name(int(p)) for p in placed.places))
    return _plans_of(network, names, Faults())


def _plans_of(
    network: Network, places: Mapping[int, tuple[int, int, int]], faults: Faults
) -> list[_Plan]:
    number = np.zeros(len(network.heads), dtype=np.int64)
    _, _, channels = link_ends(network)
    number[channels] = np.arange(1, len(channels) + 1)
    number[network.reverse] = np.maximum(number, number[network.reverse])
    number[faults.channels(network)] = 0
    return [_plan(one, network, number, places, faults) for one in subnets_of(network)]


def _plan(
    fabric: Subnet,
    network: Network,
    number: Any,
    places: Mapping[int, tuple[int, int, int]],
    faults: Faults,
) -> _Plan:
    """A subnet's cables, and those of switches to their own hosts, which the list has not."""
    net, cables, ports = fabric.network, {}, {}
    known = {}
    for v in range(net.order):
        label = int(fabric.labels[v])
        if label in faults.nodes:
            continue
        where = (
            dict(zip(("row", "rack", "slot"), places[label], strict=True))
            if label in places
            else {}
        )
        known[fabric.name(v)] = {"node": label, **where}
        if v in fabric.owner and not fabric.alone[v]:
            own = Plug(fabric.switch_name(v), fabric.host_port)
            cables[frozenset((own, Plug(fabric.host_name(v), 1)))] = 0
            known[fabric.host_name(v)] = {"node": label, **where, "own": 1}
    plugs = [
        Plug(fabric.name(v), port)
        for v, port in zip(net.tails.tolist(), fabric.numbers.tolist(), strict=True)
    ]
    machine = network.port_of(fabric.channels) + 1
    for c, (back, cable) in enumerate(
        zip(net.reverse.tolist(), number[fabric.channels].tolist(), strict=True)
    ):
        if cable:
            cables[frozenset((plugs[c], plugs[back]))] = cable
            ports[plugs[c]] = int(machine[c])
    return _Plan(frozenset(known), cables, known, ports)


def _called(path: str | Path) -> dict[str, str]:
    """The planned name by the built one."""
    file = TextFile(path)
    rows = [line.cells() for line in file.lines("#")]
    if not rows or [word.text for word in rows[0]] != ["planned", "built"]:
        raise file.error("it begins with the line 'planned,built'")
    called: dict[str, str] = {}
    for row in rows[1:]:
        if len(row) != 2 or not all(word.text for word in row):
            raise row[0].error("a line has two names: planned,built")
        if row[1].text in called or row[0].text in called.values():
            raise row[0].error(f"{row[0].text} or {row[1].text} is named twice")
        called[row[1].text] = row[0].text
    return called


def _renamed(fabric: FabricListing, called: Mapping[str, str], path: str | Path) -> FabricListing:
    """A fabric under planned names."""
    given = {name: name for name in fabric.switches}
    for name in given:
        guid = fabric.guids.get(name, 0)
        given[name] = (
            called.get(name) or called.get(f"{guid:#x}") or called.get(f"{guid:#018x}") or name
        )
    if len(set(given.values())) < len(given):
        twice = next(x for x in given.values() if list(given.values()).count(x) > 1)
        raise ArgumentError(f"two nodes of {path} are {twice} by the file of names")
    new = FabricListing({given[name]: switch for name, switch in fabric.switches.items()})
    new.wires = {
        Plug(given[a.node], a.port): Plug(given[b.node], b.port) for a, b in fabric.wires.items()
    }
    return new


def _matched(
    plans: Sequence[_Plan],
    fabrics: Sequence[FabricListing],
    planned: str | Path,
    built: Sequence[str | Path],
) -> Iterator[tuple[_Plan, FabricListing]]:
    """Each plan with the listing that has most of its switches."""
    taken: dict[int, str | Path] = {}
    for fabric, path in zip(fabrics, built, strict=True):
        mine = {name for name, switch in fabric.switches.items() if switch} or set(fabric.switches)
        shared = [len(mine & plan.names) for plan in plans]
        which = int(np.argmax(shared))
        if not shared[which]:
            raise ArgumentError(
                f"no switch of {path} has a name of {planned} (such as"
                f" {min(plans[0].names)}, as in fabric.net); --names FILE says which is which"
            )
        if which in taken:
            raise ArgumentError(f"{path} and {taken[which]} list the same plane of {planned}")
        taken[which] = path
        yield plans[which], fabric
    if len(taken) < len(plans):
        raise ArgumentError(
            f"{planned} has {len(plans)} planes, each a subnet: name a listing of each, not of"
            f" {len(taken)}"
        )


def _compare(plan: _Plan, fabric: FabricListing) -> Comparison:
    laid = fabric.cables()
    wanted = set(plan.cables)
    at: dict[Plug, list[tuple[bool, Cable]]] = {}
    for planned, cables in ((True, wanted - laid), (False, laid - wanted)):
        for cable in cables:
            for plug in cable:
                at.setdefault(plug, []).append((planned, cable))
    findings, seen = [], set()
    for start in sorted(at):
        if start in seen:
            continue
        seen.add(start)
        stack, mine = [start], set()
        while stack:
            for one in at[stack.pop()]:
                mine.add(one)
                stack += one[1] - seen
                seen |= one[1]
        findings.append(_finding(plan, mine, all(len(at[x]) == 2 for _, c in mine for x in c)))
    there = set(fabric.switches)
    return Comparison(
        len(wanted),
        len(wanted & laid),
        tuple(sorted(findings, key=lambda one: _KINDS.index(one.kind))),
        tuple(sorted(plan.names - there)),
        tuple(sorted(there - plan.names)),
    )


def _finding(plan: _Plan, cables: set[tuple[bool, Cable]], ring: bool) -> Finding:
    planned, built = (
        sorted((plan.cable(cable) for which, cable in cables if which is wanted), key=_cable_words)
        for wanted in (True, False)
    )
    kinds = {(1, 0): "missing", (0, 1): "extra", (1, 1): "moved"}
    kind = "swapped" if ring else kinds.get((len(planned), len(built)), "displaced")
    return Finding(kind, tuple(planned), tuple(built))
