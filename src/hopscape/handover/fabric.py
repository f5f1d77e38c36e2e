"""An InfiniBand fabric as its own tools tell it: netlist, forwarding tables, routes by them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import FileFormatError
from hopscape.core.reading import TextFile
from hopscape.core.verdict import Verdict

__all__ = ["Netlist", "Tables", "compare_tables", "read_lids", "read_tables", "trace"]

Tables = dict[int, dict[int, int]]
"""Port by local identifier, for every switch by its GUID."""


@dataclass(frozen=True)
class Netlist:
    """Who is wired to whom, by the names and ports of a netlist.

    Attributes:
        guids: Node GUID by name.
        wires: Name and port at the far end, by name and port.
    """

    guids: dict[str, int]
    wires: dict[tuple[str, int], tuple[str, int]]

    @property
    def hosts(self) -> list[str]:
        """Names of the hosts, as they are listed."""
        return [name for name in self.guids if name.startswith("H")]

    @property
    def switches(self) -> list[str]:
        """Names of the switches."""
        return [name for name in self.guids if name.startswith("S")]

    @classmethod
    def read(cls, path: Path) -> Netlist:
        """Read the netlist of ibsim that a hand-over holds."""
        guids: dict[str, int] = {}
        wires: dict[tuple[str, int], tuple[str, int]] = {}
        guid, name = 0, ""
        file = TextFile(path)
        for line in file.lines("#"):
            if line.text.startswith(("switchguid=", "caguid=")):
                guid = int(line.text.split("=")[1], 16)
                continue
            named = re.fullmatch(r'(?:Switch|Hca)\s+\d+ "(\w+)"', line.text)
            wire = re.fullmatch(r'\[(\d+)\]\s+"(\w+)"\[(\d+)\]', line.text)
            if named:
                name = named[1]
                guids[name] = guid
            elif wire and name:
                wires[name, int(wire[1])] = (wire[2], int(wire[3]))
            else:
                raise line.error(f"this is not a line of a netlist: {line.text!r:.60}")
        if not guids:
            raise file.error("this netlist is empty")
        return cls(guids, wires)


def read_tables(path: Path) -> Tables:
    """Forwarding tables as OpenSM loads and dumps them."""
    found: Tables = {}
    mine: dict[int, int] = {}
    for line in TextFile(path).lines("#"):
        head = re.match(r"Unicast lids .* guid (0x[0-9a-f]+)", line.text)
        entry = re.match(r"(0x[0-9a-f]+) (\d+)", line.text)
        if head:
            mine = found.setdefault(int(head[1], 16), {})
        elif entry:
            mine[int(entry[1], 16)] = int(entry[2])
    if not found:
        raise FileFormatError(f"{path} has no forwarding table")
    return found


def read_lids(path: Path) -> dict[int, int]:
    """Local identifier by port GUID (``guid2lid``)."""
    rows = [line.text.split() for line in TextFile(path).lines("#")]
    return {int(row[0], 16): int(row[1], 16) for row in rows if len(row) == 3}


def compare_tables(given: Tables, loaded: Tables) -> Verdict:
    """Do two sets of tables say the same?"""
    count = 0
    for guid, table in given.items():
        for lid, port in table.items():
            count += 1
            there = loaded.get(guid, {}).get(lid)
            if there != port:
                where = {"guid": hex(guid), "lid": lid, "given": port, "loaded": there}
                text = f"switch {guid:#x} sends LID {lid} by port {there}, the file says {port}"
                return Verdict(False, text, where)
    return Verdict(True, f"{count} entries", details={"entries": count})


def trace(netlist: Netlist, tables: Tables, lids: dict[int, int]) -> Verdict:
    """Follow the tables from every host to every other.

    Returns:
        Verdict: `details`: pairs, mean and most switch-to-switch hops.
    """
    switches, hosts = netlist.switches, netlist.hosts
    number = {name: i for i, name in enumerate(switches)}
    lid_of = {name: lids[netlist.guids[name] + 1] for name in hosts}
    first = np.array([number[netlist.wires[name, 1][0]] for name in hosts])
    hops = np.zeros((len(hosts), len(hosts)), dtype=np.int64)
    for j, name in enumerate(hosts):
        after = _next(netlist, tables, number, lid_of[name], name)
        at, left = first.copy(), np.ones(len(hosts), dtype=bool)
        left[j] = False
        for _ in range(len(switches) + 1):
            left &= at >= 0
            if not left.any():
                break
            at = np.where(left, after[at], at)
            hops[left & (at >= 0), j] += 1
        wrong = (at != -1) & (np.arange(len(hosts)) != j)
        if wrong.any():
            source = hosts[int(np.argmax(wrong))]
            how = "goes round in circles" if at[np.argmax(wrong)] >= 0 else "ends on the way"
            where = {"source": source, "target": name}
            return Verdict(False, f"the route from {source} to {name} {how}", where)
    pairs = len(hosts) * (len(hosts) - 1)
    mean = float(hops.sum()) / pairs if pairs else 0.0
    details = {"pairs": pairs, "mean_hops": round(mean, 4), "most_hops": int(hops.max(initial=0))}
    return Verdict(True, f"all {pairs} pairs of hosts arrive", details=details)


def _next(
    netlist: Netlist, tables: Tables, number: dict[str, int], lid: int, goal: str
) -> IntArray:
    """The next switch of every switch for a LID; -1 at the goal, -2 where the route ends."""
    after = np.full(len(number), -2, dtype=np.int64)
    for name, i in number.items():
        port = tables.get(netlist.guids[name], {}).get(lid, -1)
        there = netlist.wires.get((name, port), ("", 0))[0]
        after[i] = -1 if there == goal else number.get(there, -2)
    return after
