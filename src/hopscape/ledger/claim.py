"""What a claim of a paper is, what a check of it may find, and the errors that test the check.

How the claims of a paper are written down.

Tables of a study: made one after the other, and kept, so that a later run goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from hopscape.core.numbers import plain
from hopscape.store import Store, Task, run_tasks
from hopscape.store import records as digest

__all__ = [
    "Claim",
    "Correction",
    "Entries",
    "Outcome",
    "Paper",
    "Parts",
    "PlantedError",
    "Ruling",
    "judge",
    "make_tables",
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


Check = Callable[[], Outcome]


@dataclass(frozen=True)
class Entries:
    """Writes down the claims of one paper.

    Attributes:
        paper: Its key.
        prefix: What the keys of its claims begin with.
        elsewhere: The place given for facts that are not in the paper.
        guard: Put around every check.

    Examples:
        >>> check = lambda: Outcome("holds", "10 nodes")
        >>> Entries("heawood").claim("nodes", "section 1", "there are ten", "counted", check).paper
        'heawood'
    """

    paper: str
    prefix: str = ""
    elsewhere: str = "not in the paper"
    guard: Callable[[Check], Check] = lambda check: check

    def claim(
        self,
        key: str,
        where: str,
        says: str,
        how: str,
        check: Check,
        *plants: PlantedError,
        beyond: bool = False,
    ) -> Claim:
        """A claim of the paper, or with `beyond` a fact beside it."""
        key, check = self.prefix + key, self.guard(check)
        return Claim(key, self.paper, where, says, how, check, plants, beyond)

    def also(self, key: str, says: str, how: str, check: Check, *plants: PlantedError) -> Claim:
        """Something true that the paper does not say."""
        return self.claim(key, self.elsewhere, says, how, check, *plants, beyond=True)


Parts = Mapping[str, tuple[Callable[..., Any], tuple[Any, ...]]]
"""By the name of a table, the function that makes it and its arguments."""


def make_tables(parts: Parts, store: Store | None = None) -> Iterator[tuple[str, Any]]:
    """Each table with its name, in plain values; those that are in the store are not made again.

    Examples:
        >>> list(make_tables({"three": (range, (3,)), "pair": (divmod, (7, 2))}))
        [('three', [0, 1, 2]), ('pair', [3, 1])]
    """
    tasks = [
        Task(digest(f"{work.__module__}.{work.__qualname__}", given), (work, given), about=name)
        for name, (work, given) in parts.items()
    ]
    done = run_tasks(tasks, _made, store, processes=1, text="tables of the study")
    return ((task.about, table) for task, table in done)


def _made(work: Callable[..., Any], given: tuple[Any, ...]) -> Any:
    found = work(*given)
    return plain(found if isinstance(found, Mapping) else list(found))
