"""Networks in SystemVerilog tried out: packet by packet against the flit simulator; their cells."""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.verdict import Verdict
from hopscape.formats.code.checking import has_program, run_tool
from hopscape.formats.code.fabric import fill
from hopscape.formats.code.noc import Noc, node_words
from hopscape.formats.code.noc_text import CELLS
from hopscape.formats.code.verilog import address_bits, port_bits
from hopscape.simulate.arrivals import arrivals
from hopscape.simulate.fabric import build_setup

__all__ = ["check_noc", "noc_cells", "read_noc", "run_noc"]

_SECONDS = 280  # for a compiler or simulator of somebody else, which may be slow but must end
_TOPS = {
    "router_cells": "one",
    "route_cells": "logic",
    "fixed_table_cells": "fixed",
    "written_table_cells": "registers",
}
_WARNINGS = ["-Wno-fatal", "-Wno-WIDTH", "-Wno-DECLFILENAME"]


def check_noc(
    noc: Noc,
    *,
    packets: int = 1000,
    seed: int = 1,
    load: int = 50,
    vary: bool = False,
    ready: int = 100,
    program: Literal["iverilog", "verilator"] = "iverilog",
) -> Verdict:
    """Send random packets through the routers and compare them with the flit simulator.

    Every flit is compared with what was sent, every packet's hops with its route, and the cycle in
    which its last flit arrives with what :func:`hopscape.simulate.arrivals.arrivals` says of it.

    Args:
        load: Chance in a hundred that an idle endpoint offers a packet in a cycle.
        vary: Packets of one flit to the packet size, instead of that size.
        ready: Chance in a hundred that an endpoint takes a flit that has come; below 100 there are
            no cycles to compare.
        program: What simulates the hardware.

    Raises:
        HopscapeError: When the program is not installed, or fails.
    """
    printed = run_noc(
        noc, packets=packets, seed=seed, load=load, vary=vary, ready=ready, program=program
    )
    return _judge(noc, packets, read_noc(printed), ready == 100)


def run_noc(
    noc: Noc, *, packets: int, seed: int, load: int, vary: bool, ready: int, program: str
) -> str:
    """What the testbench prints; see :func:`check_noc`."""
    most = min(10**7, 1 << min(noc.width - address_bits(noc.network.order), 31))
    for name, value, high in (
        ("packets", packets, most),
        ("load", load, 100),
        ("ready", ready, 100),
    ):
        if not 1 <= value <= high:
            numbered = f", which flits of {noc.width} bits can number" if name == "packets" else ""
            raise ArgumentError(f"{name} is {value}; it must be from 1 to {high}{numbered}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "design.sv").write_text(noc.design, encoding="utf-8")
        (folder / "test.sv").write_text(noc.testbench, encoding="utf-8")
        top, files = f"{noc.name}_test", ["design.sv", "test.sv"]
        if program == "iverilog":
            flags = ["-g2012", "-DHOPSCAPE_TRACE", "-o", "test", "-s", top]
            run_tool(["iverilog", *flags, *files], folder, seconds=_SECONDS)
            start: list[str | Path] = ["vvp", "-n", "test"]
        else:
            flags = ["--binary", "-DHOPSCAPE_TRACE", *_WARNINGS, "--top-module", top, "-o", "test"]
            run_tool(["verilator", *flags, *files], folder, seconds=_SECONDS)
            start = [folder / "obj_dir" / "test"]
        given = [f"+packets={packets}", f"+seed={seed}", f"+load={load}", f"+vary={int(vary)}"]
        limit = _SECONDS + packets // 10
        return run_tool([*start, *given, f"+ready={ready}"], folder, seconds=limit).decode()


class Seen(NamedTuple):
    """What a testbench printed, by the numbers of packets.

    Attributes:
        sent: Source, target, flits, and the cycle in which it was offered.
        paths: Nodes on its way.
        ended: The node that took its last flit, and when.
        last: How the testbench ended.
    """

    sent: dict[int, list[int]]
    paths: dict[int, list[int]]
    ended: dict[int, tuple[int, int]]
    last: str

    def births(self, noc: Noc) -> IntArray:
        """Birth, source, target (endpoints) and flits of every packet."""
        place = {node: e for e, node in enumerate(noc.network.endpoints.tolist())}
        rows = [self.sent[tag] for tag in sorted(self.sent)]
        return np.asarray([[born, place[a], place[b], flits] for a, b, flits, born in rows])


def read_noc(printed: str) -> Seen:
    """Read what the testbench printed."""
    sent: dict[int, list[int]] = {}
    paths: dict[int, list[int]] = {}
    ended: dict[int, tuple[int, int]] = {}
    last = ""
    for line in printed.splitlines():
        word, *rest = line.split() or [""]
        if word == "hop":
            paths.setdefault(int(rest[0]), []).append(int(rest[1]))
        elif word == "new":
            sent[int(rest[0])] = [int(one) for one in rest[1:]]
        elif word == "end":
            ended[int(rest[0])] = int(rest[1]), int(rest[2])
        elif word in ("delivered", "stuck", "bad"):
            last = last if last.startswith("bad") else line
    return Seen(sent, paths, ended, last)


def _judge(noc: Noc, packets: int, seen: Seen, always_ready: bool) -> Verdict:
    """Compare what the testbench printed with routes and with the flit simulator."""
    sent, paths, ended, last = seen
    match = re.fullmatch(r"delivered (\d+) packets in (\d+) cycles", last)
    if match is None or len(ended) != packets or len(sent) != packets:
        return Verdict(False, f"{last}, of {packets} packets", {"delivered": len(ended)})
    router = noc.network.router(noc.kind)
    for tag, (source, target, _, _) in sent.items():
        wanted = router.path(source, target)
        if paths.get(tag) != wanted or ended[tag][0] != target:
            message = f"packet {tag} went {paths.get(tag)} and ended at {ended[tag][0]}"
            return Verdict(False, f"{message}, not {wanted}", {"packet": tag})
    cycles = int(match[2])
    details: dict[str, float] = {
        "packets": packets,
        "cycles": cycles,
        "compared": packets if always_ready else 0,
    }
    flits = sum(row[2] for row in sent.values())
    words = f"{packets} packets ({flits} flits) arrived by their routes in {cycles} cycles"
    if not always_ready:
        return Verdict(True, words, details=details)
    tags, born = sorted(sent), seen.births(noc)
    settings = replace(noc.settings, packet=(int(born[:, 3].max()),))
    setup = build_setup(noc.network, settings, noc.table, method=noc.classes.method)
    came = arrivals(setup, born)
    real = np.asarray([ended[t][1] for t in tags])
    other = np.flatnonzero(came != real)
    if len(other):
        first = int(other[0])
        message = f"{len(other)} of {packets} packets arrive in another cycle than in the flit"
        message += f" simulator, packet {tags[first]} in {real[first]} instead of {came[first]}"
        return Verdict(False, message, {"packet": tags[first]}, details)
    details["latency"] = float((came - born[:, 0]).mean())
    return Verdict(True, f"{words}, each in that of the flit simulator", details=details)


def noc_cells(noc: Noc) -> dict[str, int] | None:
    """Cells of one router after generic synthesis by Yosys; None where it is not installed.

    The router is the largest one, the first of them. Its buffers stay memories and are not counted.
    `router_cells` has the `route_cells` in it, the logic of its routes, a copy for each input; a
    router with tables would have `fixed_table_cells` instead, for constants, or
    `written_table_cells`, for a table of registers with a read port for each input.
    """
    if not has_program("yosys"):
        return None
    n, out = noc.network.order, port_bits(noc.network.ports)
    node = int(np.argmax(np.bincount(noc.network.heads, minlength=n)))
    words, _, _ = node_words(noc.network, noc.classes, node)
    ports = noc.network.router(noc.kind).next_ports(np.full(n, node), np.arange(n))
    row = sum((1 << out if p < 0 else p) << (out + 1) * v for v, p in enumerate(ports.tolist()))
    words |= {
        "NAME": noc.name,
        "A": str(address_bits(n)),
        "PB": str(out),
        "ORDER": str(n),
        "ROW": f"{(out + 1) * n}'h{row:x}",
        "VCS": str(noc.settings.vcs),
        "DEPTH": str(noc.settings.buffer),
        "WIDTH": str(noc.width),
    }
    counted = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "design.sv").write_text(noc.design + fill(CELLS, words), encoding="utf-8")
        for key, top in _TOPS.items():
            whole = f"synth -top {noc.name}_{top} -flatten"
            if top == "one":  # its buffers stay memories
                whole += (
                    " -run begin:fine; opt -fast -full; techmap; opt -fast; abc -fast; opt_clean"
                )
            script = f"read_verilog -sv design.sv; {whole}; check -assert; tee -o stat.txt stat"
            run_tool(["yosys", "-q", "-p", script], folder, seconds=_SECONDS)
            stat = (folder / "stat.txt").read_text(encoding="utf-8")
            cells = re.findall(r"Number of cells: +(\d+)", stat) or ["0"]
            memories = re.findall(r"\$mem_v2 +(\d+)", stat) or ["0"]
            counted[key] = int(cells[-1]) - int(memories[-1])
    return counted
