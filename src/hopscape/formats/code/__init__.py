"""Routing as code: C, Verilog, P4 and Python from the formula of a router."""

from hopscape.formats.code.checking import cell_count, check_code, check_fabric, has_program
from hopscape.formats.code.fabric import VerilogFabric, emit_fabric
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
    "VerilogFabric",
    "cell_count",
    "check_code",
    "check_fabric",
    "compare_formula",
    "emit_code",
    "emit_fabric",
    "has_program",
]
