"""InfiniBand fabrics as programs list them: ibsim's netlist, ibnetdiscover, iblinkinfo.

Read are a netlist (ours is ``fabric.net``), the topology file of ``ibnetdiscover``, and the lines
of ``iblinkinfo``, with ``-l`` or without. Content tells which it is. Nodes are called by their
descriptions, and by their GUID beside where two have the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hopscape.core.network import Network
from hopscape.core.reading import TextFile, TextLine
from hopscape.formats.graphs.draft import Draft

__all__ = ["FabricListing", "Plug", "fabric_network", "is_fabric", "read_fabric", "read_netlist"]

_MOST_PORTS = 255  # a port is a byte
_NODE = re.compile(r'(Switch|Hca|Ca|Rt)\s+(\d+)\s+"([^"]+)"(?:\s*#\s*"([^"]*)")?')
_WIRE = re.compile(r'\[(\d+)\](?:\([0-9a-fA-F]+\))?\s+"([^"]+)"\[(\d+)\]')
_GUID = re.compile(r"(?:switch|ca|rt)guid=(0x[0-9a-fA-F]{1,16})\b")
_OTHER = re.compile(r"\w+=|Chassis|Non-Chassis|DR path|#")
_PART = re.compile(r"(CA|Switch|Router):\s+(?:(0x[0-9a-fA-F]{1,16})\s+)?(.*\S)\s*:\s*$")
_END = r"(?:(0x[0-9a-fA-F]{1,16})\s+)?"
_LINE = re.compile(
    rf'\s*{_END}(?:"([^"]*)"\s+)?(\d+)\s+(\d+)\[[\s\d]*\]\s*==\(.*?\)==>\s*'
    rf'{_END}(?:(\d+)\s+(\d+))?\s*\[[\s\d]*\]\s*"([^"]*)"'
)


class Plug(NamedTuple):
    """An end of a cable: the name of a node, and its port from 1."""

    node: str
    port: int


@dataclass
class FabricListing:
    """Who is there, and which plug is wired to which.

    Attributes:
        switches: Is a node a switch? By its name.
        guids: Of nodes whose GUID is told; of iblinkinfo's adapters, that of a port.
        ports: How many ports a node has, where that is told.
        wires: The plug at the far end, by plug; each cable from both ends.
    """

    switches: dict[str, bool] = field(default_factory=dict)
    guids: dict[str, int] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    wires: dict[Plug, Plug] = field(default_factory=dict)

    def lay(self, line: TextLine, a: Plug, b: Plug) -> None:
        """A cable, which may be told from both ends."""
        for near, far in ((a, b), (b, a)):
            if not 1 <= near.port <= _MOST_PORTS:
                raise line.error(f"a port is {near.port}; it must be from 1 to {_MOST_PORTS}")
            if near.node not in self.switches:
                raise line.error(f"a cable leads to {near.node!r:.60}, which is not listed")
            if self.wires.setdefault(near, far) != far:
                other = self.wires[near]
                raise line.error(
                    f"port {near.port} of {near.node} leads to port {far.port} of {far.node}, and"
                    f" elsewhere to port {other.port} of {other.node}"
                )

    def cables(self) -> set[frozenset[Plug]]:
        """Each cable as its two plugs."""
        return {frozenset(pair) for pair in self.wires.items()}


def is_fabric(text: str) -> bool:
    """Does a text look like a listing of a fabric?"""
    return "==>" in text or re.search(r'^(Switch|Hca|Ca)\s+\d+\s+"', text, re.MULTILINE) is not None


def read_fabric(path: str | Path) -> FabricListing:
    """Read a netlist, or what ibnetdiscover or iblinkinfo printed.

    Raises:
        FileFormatError: When it is none of these, with the line where that shows.
    """
    file = TextFile(path)
    fabric = _read_links(file) if "==>" in file.text else _read_topology(file)
    if not fabric.switches:
        raise file.error(
            "it lists no fabric: no netlist, nor output of ibnetdiscover or iblinkinfo"
        )
    return fabric


def _read_topology(file: TextFile) -> FabricListing:
    """A netlist or ibnetdiscover: records of a node, then its wires, which name identifiers."""
    kinds: dict[str, tuple[bool, int, str, int]] = {}
    wires: list[tuple[TextLine, Plug, Plug]] = []
    guid, node = 0, ""
    for line in file.lines():
        text = line.text.strip()
        if found := _NODE.match(text):
            node = found[3]
            if node in kinds:
                raise line.error(f"{node!r:.60} is listed twice")
            kinds[node] = (found[1] == "Switch", _number(line, found[2]), found[4] or node, guid)
        elif found := _WIRE.match(text):
            if not node:
                raise line.error("a wire stands before any node")
            ends = Plug(node, _number(line, found[1])), Plug(found[2], _number(line, found[3]))
            wires.append((line, *ends))
        elif found := _GUID.match(text):
            guid = int(found[1], 16)
        elif not _OTHER.match(text):
            raise line.error(f"this is not a line of a netlist or of ibnetdiscover: {text!r:.60}")
    names = _names({one: (name, guid) for one, (_, _, name, guid) in kinds.items()})
    fabric = FabricListing()
    for one, (switch, ports, _, guid) in kinds.items():
        fabric.switches[names[one]], fabric.ports[names[one]] = switch, ports
        fabric.guids[names[one]] = guid
    for line, a, b in wires:
        fabric.lay(line, *(Plug(names.get(x.node, x.node), x.port) for x in (a, b)))
    return fabric


def _number(line: TextLine, text: str) -> int:
    if len(text) > 3:
        raise line.error(f"a port is {text:.20}; it must be from 1 to {_MOST_PORTS}")
    return int(text)


def _names(known: Mapping[str, tuple[str, int]]) -> dict[str, str]:
    """The name of each node: its description, with the GUID where that is not unique."""
    counts = Counter(name for name, _ in known.values())
    return {
        one: name if counts[name] == 1 else f"{name} {guid:#x}" if guid else f"{name} {one}"
        for one, (name, guid) in known.items()
    }


def _read_links(file: TextFile) -> FabricListing:
    """iblinkinfo: a line for each port; its far end is known by LID and description.

    A node is known by its own LID, one of each port where it is an adapter. With ``-l`` it is not
    told who is a switch: who has several ports.
    """
    switches: dict[str, bool] = {}
    guids: dict[str, int] = {}
    told: dict[str, str] = {}
    at: dict[tuple[int, str], str] = {}
    counts: Counter[str] = Counter()
    wires: list[tuple[TextLine, str, int, tuple[int, str], int]] = []
    here = ""
    for line in file.lines("#"):
        if found := _PART.match(line.text):
            here = f"{line.number}"
            switches[here], told[here] = found[1] == "Switch", found[3].strip()
            guids[here] = int(found[2] or "0", 16)
            continue
        found = _LINE.match(line.text)
        if found is None:
            raise line.error(f"this is not a line of iblinkinfo: {line.text.strip()!r:.60}")
        name = (found[2] or "").strip()  # with -l only
        if not name and not here:
            raise line.error("a port stands before any node")
        near = (int(found[3][:9]), name or told[here])
        one = at.setdefault(near, f"{line.number}" if name else here)
        if not name and one != here:
            raise line.error(
                f"two nodes are called {near[1]!r:.60} and have LID {near[0]}; ibnetdiscover tells"
                " them apart"
            )
        told[one], guids[one] = near[1], guids.get(one) or int(found[1] or "0", 16)
        counts[one] += 1
        if found[6]:
            far = (int(found[6][:9]), found[8].strip())
            wires.append((line, one, _number(line, found[4]), far, _number(line, found[7])))
    for line, _, _, far, _ in wires:
        if far not in at:  # old releases list switches only
            at[far] = f"far {line.number}"
            told[at[far]] = far[1]
    names = _names({one: (name, guids.get(one, 0)) for one, name in told.items()})
    fabric = FabricListing(
        {name: switches.get(one, counts[one] > 1) for one, name in names.items()}
    )
    fabric.guids = {names[one]: guid for one, guid in guids.items() if guid}
    for line, one, port, far, into in wires:
        fabric.lay(line, Plug(names[one], port), Plug(names[at[far]], into))
    return fabric


def fabric_network(path: str | Path, spec: str) -> Network:
    """A listed fabric as a network: adapters are endpoints.

    Where all names are ours, node k is the switch ``Sk``, the host ``Hk``, or both, if that host
    hangs on that switch. Ports are numbered anew, in the order of the fabric's.

    Raises:
        FileFormatError: When it lists no fabric.
    """
    fabric, file = read_fabric(path), TextFile(path)
    numbers = _our_numbers(fabric)
    order = sorted(fabric.switches, key=lambda x: int(numbers[x])) if numbers else fabric.switches
    both = {numbers[x] for x, switch in fabric.switches.items() if numbers and not switch}
    draft = Draft()
    for name in order:
        switch = fabric.switches[name] and numbers.get(name) not in both
        draft.node(numbers.get(name, name), {"kind": "switch"} if switch else None)
    if len(draft.switches) == len(draft.names):
        draft.switches.clear()  # of a fabric without adapters every switch is an endpoint
    place = draft.names
    ends = []
    for a, b in fabric.wires.items():
        u, v = (place[numbers.get(x.node, x.node)] for x in (a, b))
        if (u, a.port) <= (v, b.port) and (u != v or a.node == b.node):
            ends.append((u, a.port, v, b.port))
    for u, _, v, _ in sorted(ends):
        draft.link(u, v, {}, file.error)
    return draft.network(spec, file.error)


def _our_numbers(fabric: FabricListing) -> dict[str, str]:
    """The number of each node as text, where all have names such as S12 and H3; else none."""
    if any(re.fullmatch(r"[SH](0|[1-9][0-9]{0,8})", x, re.ASCII) is None for x in fabric.switches):
        return {}
    for a, b in fabric.wires.items():
        own = f"S{a.node[1:]}"
        if a.node[0] == "H" and own in fabric.switches and (b.node != own or a.port != 1):
            return {}
    return {name: name[1:] for name in fabric.switches}


def read_netlist(path: str | Path) -> Network:
    """Read a netlist of :func:`hopscape.formats.write_infiniband` back as its network.

    Raises:
        FileFormatError: When it is no such netlist.
    """
    file = TextFile(path)
    remarks = file.remarks()
    if "hopscape" not in remarks:
        raise file.error("this is not a netlist of hopscape")
    return fabric_network(path, remarks["hopscape"].text)
