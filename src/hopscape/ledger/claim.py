"""What a claim of a paper is, and what a check of it may find.

How the claims of a paper are written down.

Tables of a study: made one after the other, and kept, so that a later run goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from hopscape.core.numbers import plain
from hopscape.store import Store, Task, run_tasks
from hopscape.store.records import digest

__all__ = [
    "Claim",
    "Correction",
    "Entries",
    "Outcome",
    "Paper",
    "Parts",
    "Ruling",
    "Searched",
    "Tally",
    "Value",
    "judge",
    "make_tables",
    "with_searched",
]

T = TypeVar("T")

Ruling = Literal["holds", "holds corrected", "refuted", "open", "failed"]

Value = bool | int | float | str | Fraction | Sequence["Value"]
"""What a check pins: a number, or a list or table of numbers."""


@dataclass(frozen=True)
class Searched:
    """How much a check tried.

    Attributes:
        what: ``ordered pairs``.
        count: As counted while the check ran.
        expected: The same number from theory, such as N(N - 1); None where theory gives none.

    Examples:
        >>> str(Searched("ordered pairs", 182, 14 * 13)), str(Searched("packets", 1040))
        ('182 of 182 ordered pairs', '1,040 packets')
    """

    what: str
    count: int
    expected: int | None = None

    @property
    def complete(self) -> bool:
        """As much as theory says."""
        return self.expected is None or self.count == self.expected

    def __str__(self) -> str:
        share = "" if self.expected is None else f" of {self.expected:,}"
        return f"{self.count:,}{share} {self.what}"


class Tally:
    """Counts cases while a check goes through them, beside the number that theory expects.

    Examples:
        >>> tally = Tally()
        >>> for d in tally.each("diameters", range(1, 31), 30):
        ...     if d == 12:
        ...         break  # whoever stops early is told
        >>> judge([], "-", searched=tally).note
        'searched 11 of 30 diameters'
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._expected: dict[str, int] = {}

    def expect(self, what: str, count: int) -> None:
        """So many (more) are to be seen, from theory; not from the loop that sees them."""
        self._counts.setdefault(what, 0)
        self._expected[what] = self._expected.get(what, 0) + count

    def add(self, what: str, count: int = 1) -> None:
        """So many (more) were seen."""
        self._counts[what] = self._counts.get(what, 0) + count

    def each(self, what: str, cases: Iterable[T], expected: int | None = None) -> Iterator[T]:
        """The cases, each counted when whoever goes through them is done with it.

        Args:
            expected: Added to what theory expects; left out where :meth:`expect` says it, as for a
                loop inside another one.
        """
        if expected is not None:
            self.expect(what, expected)
        return self._each(what, cases)

    def _each(self, what: str, cases: Iterable[T]) -> Iterator[T]:
        for case in cases:
            yield case
            self.add(what)

    def short(self) -> list[str]:
        """What was not searched as theory says, in words: for those who only tell exceptions."""
        return [f"searched {one}" for one in self if not one.complete]

    def __iter__(self) -> Iterator[Searched]:
        for what, count in self._counts.items():
            yield Searched(what, count, self._expected.get(what))


@dataclass(frozen=True)
class Outcome:
    """What a check found.

    Attributes:
        ruling ({'holds', 'holds corrected', 'refuted', 'open', 'failed'}): ``open``: not decided,
            by computation or at all; ``failed``: the check itself broke.
        measured: What was measured, in numbers that the check computed.
        note: How the claim must be corrected, the counter-example, or why it stays open; a ruling
            other than ``holds`` always says so.
        values: The numbers found, by name, for machines: the true value beside a refuted one, the
            parameters of a correction. They are pinned with the ruling and the text
            (:attr:`Paper.pinned`).
        searched: What was tried, and how much of it.
    """

    ruling: Ruling
    measured: str
    note: str = ""
    values: Mapping[str, Value] = field(default_factory=dict)
    searched: tuple[Searched, ...] = ()

    def __post_init__(self) -> None:
        if self.ruling != "holds" and not self.note:
            raise ValueError(f"the ruling {self.ruling!r} must say why")


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
        beyond: True when the paper does not say it: counted apart, as "also true".
        searches: False when its check goes through no cases: it computes figures of one object, or
            nothing can be computed. All others count what they search (:attr:`Outcome.searched`).
    """

    key: str
    paper: str
    where: str
    says: str
    how: str
    check: Callable[[], Outcome]
    beyond: bool = False
    searches: bool = True


@dataclass(frozen=True)
class Paper:
    """A paper, the families that come from it, and its claims; registered by entry point.

    Attributes:
        title: Authors and title, as one would cite it.
        families: Names of the families that the paper is about.
        references: Modules that judge and are not judged, besides those named ``claims*``,
            ``checks*``, ``printed`` and ``reference``: slow twins by which the checks know better.
        pinned: The file of what its checks found last, one JSON record per line; a run that finds
            something else says so.
    """

    key: str
    title: str
    families: tuple[str, ...]
    claims: tuple[Claim, ...]
    references: tuple[str, ...] = ()
    pinned: Path | None = None


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
    values: Mapping[str, Value] | None = None,
    searched: Iterable[Searched] = (),
) -> Outcome:
    """Judge a claim by the exceptions that were found to it.

    Args:
        exceptions: Where the claim fails as it is printed; none means that it holds.
        correction: How the claim must read, where there is a way.
        note: What else there is to say when it holds.
        values: The numbers found, see :class:`Outcome`.
        searched: What was tried; a count other than that of theory means that the check itself
            ``failed``, whatever it saw.

    Examples:
        >>> judge([], "3 graphs").ruling
        'holds'
        >>> outcome = judge(["N = 4"], "3 graphs", Correction("odd N only", []), values={"N": 4})
        >>> outcome.ruling, outcome.note, outcome.values
        ('holds corrected', 'odd N only; as printed: N = 4', {'N': 4})
        >>> judge(["N = 4", "N = 6"], "3 graphs").note
        '2 exceptions, the first: N = 4'
        >>> judge([], "6 pairs", searched=[Searched("pairs", 5, 6)]).note
        'searched 5 of 6 pairs'
    """
    ruling, note = _ruling(exceptions, correction, note)
    outcome = Outcome(ruling, measured, note, dict(values or {}))
    return with_searched(outcome, searched)


def with_searched(outcome: Outcome, searched: Iterable[Searched]) -> Outcome:
    """The outcome with what was searched besides; ``failed`` where that is not what theory says."""
    both = (*outcome.searched, *searched)
    short = ", ".join(str(one) for one in both if not one.complete)
    if not short:
        return replace(outcome, searched=both)
    return replace(outcome, ruling="failed", note=f"searched {short}", searched=both)


def _ruling(
    exceptions: Sequence[str], correction: Correction | None, note: str
) -> tuple[Ruling, str]:
    """The ruling, and what it says."""
    if not exceptions:
        return "holds", note
    if correction is not None and not correction.exceptions:
        return "holds corrected", f"{correction.text}; as printed: {exceptions[0]}"
    failing = exceptions if correction is None else correction.exceptions
    if len(failing) == 1:
        return "refuted", failing[0]
    return "refuted", f"{len(failing)} exceptions, the first: {failing[0]}"


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
        *,
        beyond: bool = False,
        searches: bool = True,
    ) -> Claim:
        """A claim of the paper, or with `beyond` a fact beside it; see :class:`Claim`."""
        key, check = self.prefix + key, self.guard(check)
        return Claim(key, self.paper, where, says, how, check, beyond, searches)

    def also(self, key: str, says: str, how: str, check: Check, *, searches: bool = True) -> Claim:
        """Something true that the paper does not say."""
        return self.claim(key, self.elsewhere, says, how, check, beyond=True, searches=searches)


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
    rows = work(*given)
    return plain(rows if isinstance(rows, Mapping) else list(rows))
