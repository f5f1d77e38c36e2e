"""Routing as code: C, Verilog, P4 and Python from the formula of a router; networks of routers."""

from hopscape.formats.code.checking import cell_count, check_code, check_fabric, has_program
from hopscape.formats.code.fabric import VerilogFabric, emit_fabric
from hopscape.formats.code.noc import Noc, emit_noc
from hopscape.formats.code.noc_check import check_noc, noc_cells
from hopscape.formats.code.proving import prove_route
from hopscape.formats.code.routine import (
    LANGUAGES,
    WRITTEN,
    Code,
    Compared,
    compare_formula,
    emit_code,
)

__all__ = [
    "LANGUAGES",
    "WRITTEN",
    "Code",
    "Compared",
    "Noc",
    "VerilogFabric",
    "cell_count",
    "check_code",
    "check_fabric",
    "check_noc",
    "compare_formula",
    "emit_code",
    "emit_fabric",
    "emit_noc",
    "has_program",
    "noc_cells",
    "prove_route",
]
