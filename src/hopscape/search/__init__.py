"""Searching for the best networks: long work in small tasks, kept in a store."""

from hopscape.search.circulant import (
    CirculantOptimum,
    best_circulants,
    largest_circulants,
)
from hopscape.search.multiring import best_multirings, full_lines, sparse_lines

__all__ = [
    "CirculantOptimum",
    "best_circulants",
    "best_multirings",
    "full_lines",
    "largest_circulants",
    "sparse_lines",
]
