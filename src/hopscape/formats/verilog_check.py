"""The router of a hand-over in Verilog, simulated by Icarus Verilog, proved by Yosys and z3."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hopscape.core.files import make_folder, write_text
from hopscape.core.network import Network
from hopscape.core.verdict import Verdict
from hopscape.formats.code.checking import check_code
from hopscape.formats.code.proving import prove_route
from hopscape.formats.code.routine import emit_code
from hopscape.formats.programs import read_back

__all__ = ["check_verilog", "prove_verilog", "write_verilog"]

_NUMBERING = """\
// The one file of this folder whose ports count from 0, as wires do in hardware: port p here is
// port p + 1 of the cables, the routing table and all other files.
"""


def write_verilog(network: Network, folder: Path) -> str:
    """Write ``router.v``, the routing function without a table where there is a closed form."""
    code = emit_code(network, "verilog")
    write_text(make_folder(folder) / "router.v", _NUMBERING + code.text)
    return (
        f"router.v: the {code.router} router as logic, {code.operations} operations,"
        f" {code.entries} table entries; its ports count from 0"
    )


def check_verilog(folder: Path, *, seconds: float = 300) -> Verdict:
    """Simulate ``router.v`` and compare its ports with the router's; `seconds` are its own."""
    network = read_back(folder)
    text = (folder / "verilog" / "router.v").read_text(encoding="utf-8")
    return check_code(replace(emit_code(network, "verilog"), text=text), network)


def prove_verilog(folder: Path, *, seconds: float = 300) -> Verdict:
    """Prove that ``router.v`` takes the router's port for every pair."""
    network = read_back(folder)
    text = (folder / "verilog" / "router.v").read_text(encoding="utf-8")
    return prove_route(text, emit_code(network, "verilog").name, network, seconds=seconds)
