"""A proof by Yosys and an SMT solver that a router in Verilog takes the right ports."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import numpy as np

from hopscape.core.errors import HopscapeError
from hopscape.core.formula import evaluate
from hopscape.core.network import Network
from hopscape.core.processes import require_at_most
from hopscape.core.router import Router
from hopscape.core.verdict import Verdict
from hopscape.formats.code.checking import require_program, run_tool
from hopscape.formats.code.routine import compare_formula, router_formula
from hopscape.formats.code.verilog import address_bits, port_bits
from hopscape.formats.programs import run_program

__all__ = ["prove_route"]

_MOST_NODES = 128  # 16,384 pairs; z3 takes 5 to 25 s for 4,096 of them

_MITER = """
module miter (input [%(wide)d-1:0] at, input [%(wide)d-1:0] to);
  wire [%(out)d-1:0] port;
  wire arrived;
  %(name)s_route route (.at(at), .to(to), .port(port), .arrived(arrived));
  reg [%(bits)d-1:0] right [0:%(places)d-1];
  initial begin
%(table)s
  end
  wire [%(bits)d-1:0] wanted = right[{at, to}];
  always @* begin
    assume (at < %(nodes)d && to < %(nodes)d);
    assert ((arrived ? %(ports)d : port) == wanted);
  end
endmodule
"""
_SCRIPT = "read_verilog -sv -formal miter.sv; prep -top miter -flatten; memory_map; opt -full;"
_SCRIPT += " write_smt2 -wires miter.smt2"


def prove_route(
    text: str, name: str, network: Network, *, router: str | Router = "auto", seconds: float = 280
) -> Verdict:
    """Prove that no pair of nodes takes another port than the router's.

    The module ``NAME_route`` and a table of the router's ports become one formula (Yosys); a solver
    (z3) looks for a pair of nodes on which they differ and finds that there is none, or finds one.
    Where the formula settles a tie in another way than the router, its port must begin a shortest
    way, and is the right one.

    Args:
        text: Verilog with the module ``NAME_route``, without a clock.
        router: As for :meth:`~hopscape.core.network.Network.router`.

    Raises:
        TooLargeError: When there are more than 128 nodes.
        HopscapeError: When Yosys or z3 is not installed, fails, or takes too long.
    """
    n, ports = network.order, network.ports
    require_at_most(n, _MOST_NODES, network.spec, "proofs are made")
    for program in ("yosys", "yosys-smtbmc", "z3"):
        require_program(program)
    chosen, formula = router_formula(network, router)
    compare_formula(chosen, formula)  # raises where a port begins no shortest way
    at, to = np.divmod(np.arange(n * n), n)
    wanted = evaluate(formula, at, to)
    wide, bits = address_bits(n), port_bits(ports + 1)
    places = (at << wide | to).tolist()
    rows = zip(places, np.where(wanted < 0, ports, wanted).tolist(), strict=True)
    words = {
        "wide": wide,
        "out": port_bits(ports),
        "bits": bits,
        "name": name,
        "nodes": n,
        "ports": ports,
        "places": 1 << 2 * wide,
        "table": "\n".join(f"    right[{place}] = {port};" for place, port in rows),
    }
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "miter.sv").write_text(text + _MITER % words, encoding="utf-8")
        run_tool(["yosys", "-q", "-p", _SCRIPT], folder, seconds=seconds)
        solve = ["yosys-smtbmc", "-s", "z3", "-t", "1", "--noprogress"]
        solve += ["--dump-vlogtb", "case.v", "miter.smt2"]
        said = run_program(solve, folder, seconds=seconds, codes=None)
        case = folder / "case.v"
        found = case.read_text(encoding="utf-8") if case.is_file() else ""
    details = {"pairs": n * n, "solver": "z3"}
    if "Status: PASSED" in said:
        return Verdict(True, f"proved: all {n * n:,} pairs take the router's port", details=details)
    pair = [re.search(rf"PI_{word} = \d+'b([01]+)", found) for word in ("at", "to")]
    if "Status: FAILED" not in said or None in pair:
        raise HopscapeError(f"yosys-smtbmc failed: {' '.join(said.split())[-300:]}")
    here, goal = (int(match[1], 2) for match in pair if match is not None)
    right = int(wanted[here * n + goal])
    wrong = f"from {here} to {goal} the logic does not take port {right}"
    wrong = wrong if right >= 0 else f"at {here} the logic does not say that it has arrived"
    return Verdict(False, wrong, {"at": here, "to": goal}, details)
