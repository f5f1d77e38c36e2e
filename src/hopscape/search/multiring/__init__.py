"""Multirings by search: step sets, orders of places, growing families, worst faults, tori."""

from hopscape.search.multiring.lines import best_multirings, full_lines, sparse_lines

__all__ = ["best_multirings", "full_lines", "sparse_lines"]
