"""Routing as code: C, Verilog, P4 and Python from the formula of a router."""

from hopscape.emit.checking import cell_count, check_code, check_fabric, has_program
from hopscape.emit.code import LANGUAGES, Code, Compared, compare_formula, emit_code
from hopscape.emit.fabric import Fabric, emit_fabric

__all__ = [
    "LANGUAGES",
    "Code",
    "Compared",
    "Fabric",
    "cell_count",
    "check_code",
    "check_fabric",
    "compare_formula",
    "emit_code",
    "emit_fabric",
    "has_program",
]
