"""Symmetric block designs and difference covers: existence, constructions, searches, checks."""

from hopscape.algebra.designs.covers import difference_cover, largest_cover
from hopscape.algebra.designs.difference import DifferenceSet, singer
from hopscape.algebra.designs.existence import existence, table
from hopscape.algebra.designs.symmetric import check_design, make_design

__all__ = [
    "DifferenceSet",
    "check_design",
    "difference_cover",
    "existence",
    "largest_cover",
    "make_design",
    "singer",
    "table",
]
