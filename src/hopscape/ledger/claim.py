"""What a claim of a paper is, what a check of it may find, and the errors that test the check."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

__all__ = [
    "Claim",
    "Correction",
    "Outcome",
    "Paper",
    "PlantedError",
    "Ruling",
    "judge",
    "printed_as",
]

Ruling = Literal["holds", "holds corrected", "refuted", "open", "failed"]


@dataclass(frozen=True)
class Outcome:
    """What a check found.

    Attributes:
        ruling ({'holds', 'holds corrected', 'refuted', 'open', 'failed'}): ``open``: not decided,
            by computation or at all; ``failed``: the check itself broke.
        measured: What was measured, in numbers that the check computed.
        note: How the claim must be corrected, the counter-example, or why it stays open; a ruling
            other than ``holds`` always says so.
    """

    ruling: Ruling
    measured: str
    note: str = ""

    def __post_init__(self) -> None:
        if self.ruling != "holds" and not self.note:
            raise ValueError(f"the ruling {self.ruling!r} must say why")


@dataclass(frozen=True)
class PlantedError:
    """A deliberate error in something that a claim's check relies on; the check must notice it.

    Attributes:
        error: What is broken: ``one wire of the Heawood graph moved``.
        where: What is replaced, as ``module:name`` or ``module:Class.name``.
        broken: Takes the right thing and returns the wrong one.
    """

    error: str
    where: str
    broken: Callable[[Any], Any]


def printed_as(module: str, name: str, value: Any, error: str = "") -> PlantedError:
    """A value or formula that a paper prints, changed."""
    return PlantedError(error or f"{name} printed as {value}", f"{module}:{name}", lambda _: value)


@dataclass(frozen=True)
class Claim:
    """One claim of a paper, or a fact beside it.

    Attributes:
        key: Unique, short: ``heawood-diameter``.
        paper: The key of its paper.
        where: Where in it.
        says: What it says.
        how: How it is checked, and how far.
        check: Runs the check and returns an :class:`Outcome`; it computes, it never looks up.
        plants: Errors that the check has to notice. A claim that only a citation or an opinion
            stands behind has none, and its check returns ``open``.
        beyond: True when the paper does not say it: counted apart, as "also true".
    """

    key: str
    paper: str
    where: str
    says: str
    how: str
    check: Callable[[], Outcome]
    plants: tuple[PlantedError, ...] = ()
    beyond: bool = False


@dataclass(frozen=True)
class Paper:
    """A paper, the families that come from it, and its claims; registered by entry point.

    Attributes:
        title: Authors and title, as one would cite it.
        families: Names of the families that the paper is about.
    """

    key: str
    title: str
    families: tuple[str, ...]
    claims: tuple[Claim, ...]


class Correction(NamedTuple):
    """How a claim must read, and where it fails even so."""

    text: str
    exceptions: Sequence[str]


def judge(
    exceptions: Sequence[str],
    measured: str,
    correction: Correction | None = None,
    *,
    note: str = "",
) -> Outcome:
    """Judge a claim by the exceptions that were found to it.

    Args:
        exceptions: Where the claim fails as it is printed; none means that it holds.
        correction: How the claim must read, where there is a way.
        note: What else there is to say when it holds.

    Examples:
        >>> judge([], "3 graphs").ruling
        'holds'
        >>> judge(["N = 4"], "3 graphs", Correction("odd N only", []))
        Outcome(ruling='holds corrected', measured='3 graphs', note='odd N only; as printed: N = 4')
        >>> judge(["N = 4", "N = 6"], "3 graphs").note
        '2 exceptions, the first: N = 4'
    """
    if not exceptions:
        return Outcome("holds", measured, note)
    if correction is not None and not correction.exceptions:
        note = f"{correction.text}; as printed: {exceptions[0]}"
        return Outcome("holds corrected", measured, note)
    failing = exceptions if correction is None else correction.exceptions
    if len(failing) == 1:
        return Outcome("refuted", measured, failing[0])
    return Outcome("refuted", measured, f"{len(failing)} exceptions, the first: {failing[0]}")
