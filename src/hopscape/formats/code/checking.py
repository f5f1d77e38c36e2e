"""Code and hardware tried out with the real programs: a C compiler, Icarus Verilog and Yosys."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.network import Network
from hopscape.core.processes import run_to_end
from hopscape.core.router import Router
from hopscape.core.verdict import Verdict
from hopscape.formats.code.fabric import VerilogFabric
from hopscape.formats.code.routine import Code, begins_shortest
from hopscape.formats.code.verilog import address_bits, port_bits

__all__ = [
    "PROGRAMS",
    "cell_count",
    "check_code",
    "check_fabric",
    "has_program",
    "require_program",
    "run_tool",
]

PROGRAMS = {"cc": "gcc", "iverilog": "iverilog", "vvp": "iverilog", "yosys": "yosys"}
PROGRAMS |= {"yosys-smtbmc": "yosys", "z3": "z3", "verilator": "verilator"}
"""Programs that are used, and the Debian packages that hold them."""

_SECONDS = 280  # for a compiler or simulator of somebody else, which may be slow but must end
_ALL_PAIRS = {"c": 1_000_000, "python": 100_000, "verilog": 40_000}

_DRIVER = """
#include <stdio.h>
int main(void)
{
    long long pair[2];
    while (fread(pair, sizeof pair, 1, stdin) == 1) {
        int port = %s_next_port(pair[0], pair[1]);
        fwrite(&port, sizeof port, 1, stdout);
    }
    return 0;
}
"""

_LOOP = """

import sys

for line in sys.stdin:
    print(next_port(*map(int, line.split())))
"""

_BENCH = """
module pairs;
  reg [%(wide)d-1:0] at [0:%(count)d-1], to [0:%(count)d-1];
  reg clk, valid;
  reg [%(wide)d-1:0] from, goal;
  wire [%(out)d-1:0] port;
  wire arrived, ready;
  integer i, done;
  %(name)s_route route (%(clock)s.at(from), .to(goal), .port(port), .arrived(arrived));
  initial begin
    $readmemh("at.hex", at);
    $readmemh("to.hex", to);
    clk = 0; valid = 0; done = 0;
    for (i = 0; i < %(count)d + %(stages)d; i = i + 1) begin
      if (i < %(count)d) begin from = at[i]; goal = to[i]; valid = 1; end else valid = 0;
      #1 clk = 1;
      #1 if (%(ready)s) begin
        if (arrived) $display("-1"); else $display("%%0d", port);
      end
      clk = 0;
      #1 ;
    end
    $finish;
  end
endmodule
"""


def has_program(name: str) -> bool:
    """Is a program installed?"""
    return shutil.which(name) is not None


def require_program(name: str) -> None:
    """Refuse to go on without a program."""
    if not has_program(name):
        package = PROGRAMS[name]
        raise HopscapeError(f"{name} is not installed; on Debian it is in the package {package}")


def run_tool(
    words: list[str | Path], folder: Path, given: bytes = b"", seconds: float = _SECONDS
) -> bytes:
    """What a program prints; its last words where it fails."""
    name = str(words[0])
    if name in PROGRAMS:
        require_program(name)
    try:
        done = run_to_end(words, cwd=folder, input=given, timeout=seconds)
    except subprocess.TimeoutExpired as error:
        raise HopscapeError(f"{name} was still running after {seconds:.0f} seconds") from error
    if done.returncode:
        last = (done.stderr or done.stdout).decode(errors="replace").strip()[-300:]
        raise HopscapeError(f"{name} failed: {' '.join(last.split())}")
    return done.stdout


def check_code(
    code: Code, network: Network, *, router: str | Router = "auto", stages: int = 0
) -> Verdict:
    """Compile or simulate a routine and compare its ports with the router's.

    Args:
        stages: With which the code was made.

    Raises:
        HopscapeError: When the program that it takes is not installed, or fails.
    """
    if code.language == "p4":
        raise ArgumentError(
            "no program that runs P4 is known here; c, python and verilog are tried"
        )
    chosen = router if isinstance(router, Router) else network.router(router)
    at, to = _pairs(network.order, _ALL_PAIRS[code.language])
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        if code.language == "c":
            answers = _run_c(code, at, to, folder)
        elif code.language == "verilog":
            answers = _run_verilog(code, network, at, to, stages, folder)
        else:
            answers = _run_python(code, at, to, folder)
    wanted = chosen.next_ports(at, to)
    details = {"pairs": len(at), "language": code.language}
    if len(answers) != len(at):
        return Verdict(False, f"{len(answers)} of {len(at)} pairs were answered", details=details)
    other = np.flatnonzero(answers != wanted)
    if len(other):
        good = begins_shortest(chosen, at[other], to[other], answers[other])
        if not good.all():
            bad = other[int(np.argmin(good))]
            message = f"port {answers[bad]} from {at[bad]} to {to[bad]}, not {wanted[bad]}"
            return Verdict(False, message, details=details)
    ties = f"; {len(other)} by another shortest path" if len(other) else ""
    return Verdict(True, f"all {len(at):,} pairs take the router's port{ties}", details=details)


def _pairs(nodes: int, most: int) -> tuple[IntArray, IntArray]:
    """All pairs, or as many sampled ones."""
    if nodes * nodes <= most:
        return np.divmod(np.arange(nodes * nodes, dtype=np.int64), nodes)
    random = np.random.default_rng(0)
    at, to = random.integers(0, nodes, (2, most))
    return at, to


def _run_c(code: Code, at: IntArray, to: IntArray, folder: Path) -> IntArray:
    (folder / "route.c").write_text(code.text + _DRIVER % code.name, encoding="utf-8")
    flags = ["-std=c11", "-Wall", "-Werror", "-O1", "-o", "route", "route.c"]
    run_tool(["cc", *flags], folder)
    pairs = np.stack([at, to], axis=1).astype(np.int64).tobytes()
    return np.frombuffer(run_tool([folder / "route"], folder, pairs), dtype=np.int32).astype(
        np.int64
    )


def _run_python(code: Code, at: IntArray, to: IntArray, folder: Path) -> IntArray:
    (folder / "route.py").write_text(code.text + _LOOP, encoding="utf-8")
    pairs = "".join(f"{a} {b}\n" for a, b in zip(at.tolist(), to.tolist(), strict=True))
    printed = run_tool([sys.executable, "-I", "route.py"], folder, pairs.encode())
    return np.asarray(printed.split(), dtype=np.int64)


def _run_verilog(
    code: Code, network: Network, at: IntArray, to: IntArray, stages: int, folder: Path
) -> IntArray:
    words = {
        "wide": address_bits(network.order),
        "out": port_bits(network.ports),
        "count": len(at),
        "name": code.name,
        "stages": max(stages - 1, 0),
        "clock": ".clk(clk), .valid(valid), .ready(ready), " if stages else "",
        "ready": "ready === 1'b1" if stages else "1",
    }
    (folder / "route.v").write_text(code.text, encoding="utf-8")
    (folder / "pairs.v").write_text(_BENCH % words, encoding="utf-8")
    for name, nodes in (("at.hex", at), ("to.hex", to)):
        (folder / name).write_text("\n".join(f"{v:x}" for v in nodes.tolist()), encoding="utf-8")
    run_tool(["iverilog", "-g2005", "-o", "test", "-s", "pairs", "route.v", "pairs.v"], folder)
    lines = run_tool(["vvp", "-n", "test"], folder).decode().split("\n")
    return np.asarray([int(line) for line in lines if re.fullmatch(r"-?\d+", line)], dtype=np.int64)


def cell_count(text: str, top: str) -> int | None:
    """Cells after generic synthesis by Yosys, checked for latches, loops and double drivers.

    None where Yosys is not installed.
    """
    if not has_program("yosys"):
        return None
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "design.v").write_text(text, encoding="utf-8")
        script = f"read_verilog design.v; synth -top {top}; check -assert; tee -o stat.txt stat"
        run_tool(["yosys", "-q", "-p", script], folder)
        counts = re.findall(r"Number of cells: +(\d+)", (folder / "stat.txt").read_text("utf-8"))
    return int(counts[-1]) if counts else 0


def check_fabric(
    fabric: VerilogFabric, *, packets: int = 1000, seed: int = 1, load: int = 50
) -> Verdict:
    """Send random packets through the routers under Icarus Verilog; every hop is compared.

    Args:
        load: Chance in a hundred that an idle endpoint offers a packet in a cycle.

    Raises:
        HopscapeError: When Icarus Verilog is not installed, or fails.
    """
    for name, value, high in (("packets", packets, 10**7), ("load", load, 100)):
        if not 1 <= value <= high:
            raise ArgumentError(f"{name} is {value}; it must be from 1 to {high}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "design.v").write_text(fabric.design, encoding="utf-8")
        (folder / "test.v").write_text(fabric.testbench, encoding="utf-8")
        top = f"{fabric.name}_test"
        flags = ["-g2005", "-DHOPSCAPE_TRACE", "-o", "test", "-s", top, "design.v", "test.v"]
        run_tool(["iverilog", *flags], folder)
        given = [f"+packets={packets}", f"+seed={seed}", f"+load={load}"]
        limit = _SECONDS + packets // 40
        printed = run_tool(["vvp", "-n", "test", *given], folder, seconds=limit).decode()
    return _judge(fabric, packets, printed)


def _judge(fabric: VerilogFabric, packets: int, printed: str) -> Verdict:
    """Compare what the testbench printed with the routes."""
    pairs: dict[int, tuple[int, int]] = {}
    paths: dict[int, list[int]] = {}
    ended: dict[int, int] = {}
    last = ""
    for line in printed.splitlines():
        last, words = line, line.split()
        if words[0] == "hop":
            paths.setdefault(int(words[1]), []).append(int(words[2]))
        elif words[0] == "new":
            pairs[int(words[1])] = int(words[2]), int(words[3])
        elif words[0] == "end":
            ended[int(words[1])] = int(words[2])
    match = re.fullmatch(r"delivered (\d+) packets in (\d+) cycles", last)
    if match is None or len(ended) != packets or len(pairs) != packets:
        return Verdict(False, f"{last}, of {packets} packets", {"delivered": len(ended)})
    router = fabric.network.router(fabric.kind)
    hops = 0
    for tag, (source, target) in pairs.items():
        wanted = router.path(source, target)
        if paths.get(tag) != wanted or ended[tag] != target:
            message = f"packet {tag} went {paths.get(tag)} and ended at {ended[tag]}, not {wanted}"
            return Verdict(False, message, {"packet": tag})
        hops += len(wanted) - 1
    cycles = int(match[2])
    details = {"packets": packets, "cycles": cycles, "hops": hops}
    return Verdict(
        True, f"{packets} packets arrived by their routes in {cycles} cycles", details=details
    )
