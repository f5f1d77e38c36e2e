"""When two computations disagree nothing is ruled: the library against a slow reference.

A check takes its numbers from the library and from :mod:`hopscape.reference` (or the reference of
its paper). A claim is judged by what both say.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from hopscape.ledger.claim import Correction, Outcome, Tally, Value, judge, with_searched

__all__ = ["CrossCheck", "differing", "settled"]


class CrossCheck:
    """Numbers of the library, each computed again by walking.

    Attributes:
        wrong: Where the two disagreed, in words.
        values: Numbers on which they agreed; the outcome pins them.
        tally: What was searched; the outcome has it.
    """

    def __init__(self) -> None:
        self.wrong: list[str] = []
        self.values: dict[str, Value] = {}
        self.tally = Tally()

    def same(self, what: str, library: object, walked: object) -> None:
        """Record a disagreement, or the number (of single numbers only) that was agreed on."""
        if library != walked:
            self.wrong.append(f"{what}: the library says {library}, walking {walked}")
        elif isinstance(walked, int | Fraction):
            self.values[what] = walked

    def judge(
        self,
        exceptions: Sequence[str],
        measured: str,
        correction: Correction | None = None,
        **more: Any,
    ) -> Outcome:
        """What :func:`judge` says, when nothing disagreed."""
        return self.rule(judge(exceptions, measured, correction, **more))

    def rule(self, outcome: Outcome) -> Outcome:
        """The outcome with the numbers agreed on, or an open one when two disagreed.

        Either has ``failed`` when something else was searched than theory says.
        """
        if not self.wrong:
            outcome = replace(outcome, values=self.values | dict(outcome.values))
            return with_searched(outcome, self.tally)
        note = f"nothing can be ruled, two computations disagree: {self.wrong[0]}"
        doubted = Outcome("open", outcome.measured, note, searched=outcome.searched)
        return with_searched(doubted, self.tally)


def settled(ours: Sequence[str], outcome: Outcome) -> Outcome:
    """The outcome, or ``open`` where our own code says something else than what was measured.

    A check that ``failed`` stays so.
    """
    if not ours or outcome.ruling == "failed":
        return outcome
    more = f" (and {len(ours) - 1} more)" if len(ours) > 1 else ""
    note = f"not decided while our own code disagrees with the measurement: {ours[0]}{more}"
    return Outcome("open", outcome.measured, note, searched=outcome.searched)


def differing(
    letter: str, true: Mapping[int, int], told: Callable[[int], int], word: str = "printed"
) -> list[str]:
    """Where a formula says something else than what was measured."""
    return [
        f"{letter} = {n}: {value}, {word} {told(n)}"
        for n, value in true.items()
        if value != told(n)
    ]
