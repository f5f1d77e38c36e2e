"""How a design is shown: title, question, columns, plots and criteria of its report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

__all__ = ["Presentation"]


class Presentation(NamedTuple):
    """What the report of a direct and of a switched machine differ in.

    Attributes:
        title, words: The question, short and in full.
        columns: Of the ranking.
        plots (tuple of (x, y, caption)): Columns against each other.
        criteria (tuple of (name, column)): Who is best at what.
        weights (mapping of str to float): Of the criteria.
        grades: What each criterion gives each candidate that is allowed, by spec.
        simulated: The column up to which finalists are simulated.
        answer: In words, thought by thought.
    """

    title: str
    words: str
    columns: tuple[str, ...]
    plots: tuple[tuple[str, str, str], ...]
    criteria: tuple[tuple[str, str], ...]
    weights: Mapping[str, float]
    grades: Mapping[str, Mapping[str, float]]
    simulated: str = "throughput"
    answer: tuple[str, ...] = ()
