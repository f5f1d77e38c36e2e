"""Routing as code: C, Verilog, P4 and Python from the formula of a router."""

from hopscape.emit.code import LANGUAGES, Code, Compared, compare_formula, emit_code

__all__ = ["LANGUAGES", "Code", "Compared", "compare_formula", "emit_code"]
