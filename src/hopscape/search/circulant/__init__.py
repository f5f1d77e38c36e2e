"""Circulants by search: scans of all generator sets, on processors or a GPU, and the atlas."""

from hopscape.search.circulant.optimum import (
    CirculantOptimum,
    best_circulants,
    largest_circulants,
)

__all__ = ["CirculantOptimum", "best_circulants", "largest_circulants"]
