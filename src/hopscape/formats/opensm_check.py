"""A hand-over under the real subnet manager: ibsim, OpenSM, saquery and ibdmchk.

The fabric is read back as these programs report it (netlist, forwarding tables) and routes are
traced through the tables.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import FileFormatError
from hopscape.core.reading import TextFile
from hopscape.core.verdict import Verdict
from hopscape.formats.graphs.fabrics import Plug, read_fabric
from hopscape.formats.programs import ProgramError, last_words, run_program, running

__all__ = [
    "PACKAGES",
    "PROGRAMS",
    "Netlist",
    "Tables",
    "check_opensm",
    "compare_tables",
    "read_lids",
    "read_tables",
    "trace",
]

PROGRAMS = ("ibsim", "ibsim-run", "opensm", "saquery", "ibtracert", "ibdmchk")
PACKAGES = "Debian: opensm ibsim-utils infiniband-diags ibutils"
_TRACED = 4  # pairs; each asks the running subnet manager, tables are compared in full
_LOADED = "file tables configured"
_SETTLED = ("SUBNET UP", "No routing engine able")
_KEYS = {
    *("routing_engine", "lfts_file", "sm_sl", "qos", "qos_policy_file", "qos_max_vls"),
    *("qos_high_limit", "qos_vlarb_high", "qos_vlarb_low", "qos_sl2vl"),
}
_DUMPS = ("opensm-lfts.dump", "opensm-subnet.lst", "opensm.fdbs", "opensm.mcfdbs")


def check_opensm(folder: Path, *, pairs: int = 48, seconds: float = 300) -> Verdict:
    """Load both hand-overs of a folder into OpenSM on a simulated fabric.

    Checked are: OpenSM took the tables (and did not fall back on its own), its dump says what the
    files say, every pair of hosts arrives by the dump, `ibtracert` agrees on some pairs, the
    subnet administrator answers the service levels that the policy promises (on `pairs` pairs of
    hosts, all levels among them), and `ibdmchk` finds no credit loop.

    Args:
        folder: A hand-over.
        pairs: Pairs of hosts that the subnet administrator is asked about.
        seconds: For each program.
    """
    top = folder / "opensm"
    planes = sorted(top.glob("plane-*"), key=lambda x: (len(x.name), x.name))
    if not planes:
        return _check_subnet(top, pairs, seconds)
    details, lines = {}, []
    for plane in planes:
        verdict = _check_subnet(plane, pairs, seconds)
        if not verdict:
            return replace(verdict, reason=f"{plane.name}: {verdict.reason}")
        details[plane.name] = verdict.details
        lines.append(f"{plane.name}: {verdict.reason}")
    return Verdict(True, "; ".join(lines), details=details)


def _check_subnet(top: Path, pairs: int, seconds: float) -> Verdict:
    """Both hand-overs of a subnet."""
    if not (top / "routes.lfts").is_file():
        raise FileFormatError(f"{top} has no routes.lfts: this hand-over has no files for OpenSM")
    netlist = Netlist.read(top / "fabric.net")
    details: dict[str, Any] = {}
    lines = []
    for name, place in (("one lane", top), ("service levels", top / "service-levels")):
        if not place.is_dir():
            continue
        _check_keys(place / "opensm.conf")
        verdict = _Trial(netlist, top, place, pairs, seconds).verdict()
        if not verdict:
            return Verdict(False, f"{name}: {verdict.reason}", verdict.where, details)
        details[name.replace(" ", "_")] = verdict.details
        lines.append(f"{name}: {verdict.reason}")
    return Verdict(True, "; ".join(lines), details=details)


@dataclass(frozen=True)
class _Trial:
    """One hand-over, loaded once."""

    netlist: Netlist
    top: Path
    place: Path
    pairs: int
    seconds: float

    def verdict(self) -> Verdict:
        with tempfile.TemporaryDirectory(prefix="hopscape-opensm-") as name:
            work = Path(name)
            for one in self.place.iterdir():
                if one.is_file():
                    shutil.copy(one, work)
            for common in ("fabric.net", "guid2lid"):
                shutil.copy(self.top / common, work)
            levels = self._levels()
            with self._loaded(work):
                log = _text(work / "osm.log")
                if _LOADED not in log:
                    message = last_words(log)
                    return Verdict(False, f"OpenSM did not take the tables; it says: {message}")
                lids = read_lids(work / "guid2lid")
                arrived = self._arrived(work, lids)
                if not arrived:
                    return arrived
                for wrong in (self._levels_answered(work, levels, lids), self._traced(work, lids)):
                    if wrong is not None:
                        return wrong
            return self._judge(work, arrived, levels)

    @contextmanager
    def _loaded(self, work: Path) -> Iterator[None]:
        """OpenSM running on the simulated fabric, its tables loaded."""
        extra = {
            "IBSIM_SOCKNAME": f"hopscape-{os.getpid()}-{work.name}",
            "SIM_HOST": self.netlist.hosts[0],
            "OSM_TMP_DIR": str(work),
            "OSM_CACHE_DIR": str(work),
        }
        net = self.netlist
        sizes = ["-S", str(len(net.switches) + 8), "-N", str(len(net.guids) + 8)]
        sizes += ["-P", str(net.ports + 64)]
        sim = ["ibsim", "-s", "--no-console", *sizes, "fabric.net"]
        manager = ["ibsim-run", "opensm", "-F", "opensm.conf", "-f", "osm.log", "-D", "0x43"]
        manager += ["-d2", "--log_limit", "0", "--dump_files_dir", "."]
        with running(sim, work, work / "ibsim.log", extra) as fabric:
            self._wait(lambda: _listening(extra["IBSIM_SOCKNAME"]), fabric, work / "ibsim.log")
            with running(manager, work, work / "opensm.log", extra) as opensm:
                log = work / "osm.log"
                self._wait(lambda: any(x in _text(log) for x in _SETTLED), opensm, log)
                yield

    def _wait(self, ready: Any, process: Any, log: Path) -> None:
        """Until something is so; an error when the program ends or takes too long."""
        end = time.monotonic() + self.seconds
        while not ready():
            over = time.monotonic() > end
            if over or process.poll() is not None:
                how = f"was not ready after {self.seconds:g} s" if over else "ended"
                raise ProgramError(
                    f"{Path(process.args[0]).name} {how} ({self.place.name}); its last words:"
                    f" {last_words(_text(log))}"
                )
            time.sleep(0.05)

    def _ask(self, work: Path, *words: str) -> str:
        """What a diagnostic program says on another host than the manager's."""
        hosts = self.netlist.hosts
        extra = {
            "IBSIM_SOCKNAME": f"hopscape-{os.getpid()}-{work.name}",
            "SIM_HOST": hosts[min(1, len(hosts) - 1)],
        }
        return run_program(["ibsim-run", *words], work, seconds=self.seconds, extra=extra)

    def _levels(self) -> dict[tuple[str, int], int]:
        """The service level of each pair, by node GUID and local identifier; empty on one lane."""
        path = self.place / "path-sl.txt"
        if not path.is_file():
            return {}
        rows = [line.split() for line in path.read_text("utf-8").splitlines()]
        return {(guid, int(lid)): int(sl) for guid, lid, sl in rows}

    def _levels_answered(
        self, work: Path, levels: dict[tuple[str, int], int], lids: dict[int, int]
    ) -> Verdict | None:
        """Does the subnet administrator answer the levels? Pairs of every level are asked for."""
        for guid, lid in _some(levels, self.pairs):
            source = lids[int(guid, 16) + 1]
            output = self._ask(work, "saquery", "PR", "--slid", str(source), "--dlid", str(lid))
            match = re.search(r"\bsl\.+(0x[0-9A-Fa-f]+)", output)
            level = None if match is None else int(match[1], 16)
            if level != levels[guid, lid]:
                where = {"slid": source, "dlid": lid, "sl": level, "promised": levels[guid, lid]}
                return Verdict(
                    False,
                    f"saquery answers service level {level} from LID {source} to LID {lid}, the"
                    f" policy promises {levels[guid, lid]}",
                    where,
                )
        return None

    def _traced(self, work: Path, lids: dict[int, int]) -> Verdict | None:
        """Do the switches forward as the tables say? Some pairs, by ibtracert."""
        net, tables = self.netlist, read_tables(work / "routes.lfts")
        hosts = net.hosts
        draws = np.random.default_rng(0).integers(len(hosts), size=(_TRACED, 2)).tolist()
        for a, b in draws:
            if a == b:
                continue
            ends = [lids[net.guids[hosts[i]] + 1] for i in (a, b)]
            output = self._ask(work, "ibtracert", *map(str, ends))
            there = re.findall(r"-> switch port \{(0x[0-9a-f]+)\}", output)
            path: list[int] = []
            at = net.wires[Plug(hosts[a], 1)].node
            while at != hosts[b] and len(path) <= len(net.guids):
                path.append(net.guids[at])
                at = net.wires[Plug(at, tables[net.guids[at]][ends[1]])].node
            if [int(guid, 16) for guid in there] != path:
                where = {"source": hosts[a], "target": hosts[b], "switches": there}
                text = f"ibtracert finds another route from {hosts[a]} to {hosts[b]} than the file"
                return Verdict(False, text, where)
        return None

    def _arrived(self, work: Path, lids: dict[int, int]) -> Verdict:
        """Has OpenSM loaded what the file says, and does everybody arrive by its own dump?"""
        missing = next((name for name in _DUMPS if not (work / name).is_file()), None)
        if missing is not None:
            message = last_words(_text(work / "osm.log"))
            return Verdict(False, f"OpenSM dumped no {missing}; it says: {message}")
        dumped = read_tables(work / "opensm-lfts.dump")
        same = compare_tables(read_tables(work / "routes.lfts"), dumped)
        if not same:
            return same
        traced = trace(self.netlist, dumped, lids)
        return replace(traced, details={**same.details, **traced.details})

    def _judge(self, work: Path, arrived: Verdict, levels: dict[tuple[str, int], int]) -> Verdict:
        """What ibdmchk makes of it."""
        words = ["ibdmchk", "-s", _DUMPS[1], "-f", _DUMPS[2], "-m", _DUMPS[3]]
        words += ["-c", "path-sl.txt"] if levels else []
        output = run_program(words, work, seconds=self.seconds, codes=None)
        used = max(levels.values(), default=0) + 1
        details = {**arrived.details, "levels": used}
        details["asked"] = min(self.pairs, len(levels))
        if "no credit loops found" not in output:
            loop = next((x for x in output.splitlines() if "credit loop" in x), last_words(output))
            return Verdict(False, f"ibdmchk: {loop.strip()}", {"ibdmchk": loop.strip()}, details)
        text = f"{arrived.reason} in {details['mean_hops']:g} hops on average"
        asked = f", saquery agrees on {details['asked']}" if levels else ""
        text += f" by OpenSM's own dump{asked}; ibdmchk: no credit loops on {used} level"
        return Verdict(True, text + ("s" if used > 1 else ""), details=details)


def _check_keys(path: Path) -> None:
    """Refuse options that no hand-over has: OpenSM would load plug-ins and write files for them."""
    for line in TextFile(path).lines("#"):
        key, _, value = line.text.partition(" ")
        if key not in _KEYS or "/" in value:
            raise line.error(f"a hand-over has no such option: {line.text!r:.60}")


def _some(levels: dict[tuple[str, int], int], count: int) -> list[tuple[str, int]]:
    """Pairs drawn at random, as many of each level as of the others where there are so many."""
    by_level: dict[int, list[tuple[str, int]]] = {}
    for pair, level in levels.items():
        by_level.setdefault(level, []).append(pair)
    random = np.random.default_rng(0)
    mixed = [[one[i] for i in random.permutation(len(one))] for one in by_level.values()]
    ports: list[tuple[str, int]] = []
    while len(ports) < min(count, len(levels)):
        for one in mixed:
            if one:
                ports.append(one.pop())
    return ports[:count]


def _listening(name: str) -> bool:
    try:
        return name in Path("/proc/net/unix").read_text("utf-8", "replace")
    except OSError:
        return True


def _text(path: Path) -> str:
    return path.read_text("utf-8", "replace") if path.is_file() else ""


Tables = dict[int, dict[int, int]]
"""Port by local identifier, for every switch by its GUID."""


@dataclass(frozen=True)
class Netlist:
    """Who is wired to whom, by the names and ports of a netlist.

    Attributes:
        guids: Node GUID by name.
        wires: Name and port at the far end, by name and port.
        ports: Of all nodes, wired or not, with port 0 of each: what ibsim makes room for.
    """

    guids: dict[str, int]
    wires: dict[Plug, Plug]
    ports: int

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
        fabric = read_fabric(path)
        ports = sum(fabric.ports.values()) + len(fabric.ports)
        return cls(fabric.guids, fabric.wires, ports)


def read_tables(path: Path) -> Tables:
    """Forwarding tables as OpenSM loads and dumps them."""
    tables: Tables = {}
    mine: dict[int, int] = {}
    for line in TextFile(path).lines("#"):
        head = re.match(r"Unicast lids .* guid (0x[0-9a-f]+)", line.text)
        entry = re.match(r"(0x[0-9a-f]+) (\d+)", line.text)
        if head:
            mine = tables.setdefault(int(head[1], 16), {})
        elif entry:
            mine[int(entry[1], 16)] = int(entry[2])
    if not tables:
        raise FileFormatError(f"{path} has no forwarding table")
    return tables


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
    first = np.array([number[netlist.wires[Plug(name, 1)].node] for name in hosts])
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
        there = netlist.wires.get(Plug(name, port), Plug("", 0)).node
        after[i] = -1 if there == goal else number.get(there, -2)
    return after
