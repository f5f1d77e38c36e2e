"""Searching for the best networks: long work in small tasks, on all processors, kept in a table."""

from hopscape.search.circulant import (
    CirculantOptimum,
    best_circulants,
    largest_circulants,
)
from hopscape.search.multiring import best_multirings, full_lines, sparse_lines
from hopscape.search.table import ResultTable
from hopscape.search.tasks import Task, run_tasks

__all__ = [
    "CirculantOptimum",
    "ResultTable",
    "Task",
    "best_circulants",
    "best_multirings",
    "full_lines",
    "largest_circulants",
    "run_tasks",
    "sparse_lines",
]
