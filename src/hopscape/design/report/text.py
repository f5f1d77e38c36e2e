"""What the report says besides its tables: who is best at what, how figures are known."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from hopscape.core.numbers import number
from hopscape.core.tables import in_table
from hopscape.design.candidates import Candidate, proved
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.designer import Design
from hopscape.design.report.plots import collapses
from hopscape.design.table import cell
from hopscape.design.words import better

__all__ = [
    "Winner",
    "curve_words",
    "finalists",
    "how_rows",
    "machines",
    "paid",
    "shown_figure",
    "stated_figure",
    "winners",
]

_WORSE = 1.05
_PAID = 2
_DRAWN = 4  # direct networks with a picture
_THOUSANDS = 10_000  # from here on commas help


def finalists(found: Design) -> list[Candidate]:
    """Those that were measured in full."""
    allowed = [one for one in found.candidates if not one.trouble]
    return allowed[: found.finalists]


def machines(found: Design) -> list[tuple[Candidate, str]]:
    """Those that get a picture, with the reason: such as differ in kind, or the first ones."""
    if found.kind == "switched":
        return [(one, why) for one, why in found.shortlist()]
    return [(one, "") for one in finalists(found)[:_DRAWN]]


def shown_figure(one: Candidate, column: str) -> str:
    """A figure as people read it: thousands apart where there are many."""
    measured = one.figures.get(column)
    if measured is None:
        return "-"
    value = measured.value
    large = isinstance(value, int | float) and not isinstance(value, bool) and value >= _THOUSANDS
    if large and ALL_COLUMNS[column].unit != "share":
        return f"{measured.sign}{number(value, grouped=True)}"
    return in_table(cell(column, measured))


def stated_figure(one: Candidate, column: str, currency: str = "") -> str:
    """A figure that stands alone: with the unit of money or of shares of the line rate.

    Examples:
        >>> from hopscape.core.measured import Measured
        >>> known = {"line_throughput": Measured(0.51567, "exact"), "money": Measured(9e5, "exact")}
        >>> one = Candidate("hypercube(2)", "hypercube", known)
        >>> [stated_figure(one, name, "USD") for name in ("line_throughput", "money", "hops")]
        ['51.5 % of line rate', 'USD 900,000', '-']
    """
    measured, unit = one.figures.get(column), ALL_COLUMNS[column].unit
    if measured is not None and measured.value is not None:
        value = float(measured.value) if unit in ("currency", "line rate") else 0.0
        if unit == "currency":
            return f"{currency} {measured.sign}{value:,.0f}".lstrip()
        if unit == "line rate":
            return f"{measured.sign}{math.floor(1000 * value + 1e-6) / 10:g} % of line rate"
    return shown_figure(one, column)


class Winner(NamedTuple):
    """Who is best by one figure."""

    criterion: str
    column: str
    candidate: Candidate
    currency: str = ""

    @property
    def row(self) -> tuple[str, str, str]:
        """Criterion, network and figure, for a table."""
        title, one = ALL_COLUMNS[self.column].title, self.candidate
        return self.criterion, one.name or one.spec, f"{title} {self.shown}"

    @property
    def shown(self) -> str:
        """The figure."""
        return stated_figure(self.candidate, self.column, self.currency)


def winners(found: Design, families: Collection[str] | None = None) -> list[Winner]:
    """For each figure of each criterion the best candidate (of some families)."""
    allowed = proved(one for one in found.candidates if families is None or one.family in families)
    out = []
    for criterion, column in found.presentation.criteria:
        known = [one for one in allowed if one.value(column) is not None]
        if known:
            sign = 1 if ALL_COLUMNS[column].better == "less" else -1
            best = min(known, key=lambda one, c=column, s=sign: s * float(one.value(c)))  # type: ignore[misc]
            out.append(Winner(criterion, column, best, found.currency))
    return out


def paid(winner: Winner, found: Design) -> str:
    """What being best at one thing costs: the place, and where it falls behind the first most."""
    one, best = winner.candidate, found.best
    if one is best:
        return "ranked first"
    behind: dict[str, float] = {}
    for _, column in found.presentation.criteria:
        a, b = one.value(column), best.value(column)
        if a is not None and b is not None and better(best, one, column):
            low, high = sorted((abs(float(a)), abs(float(b))))
            behind[column] = high / low if low else float("inf")
    worst = sorted((c for c in behind if behind[c] > _WORSE), key=lambda c: -behind[c])[:_PAID]
    losses = [
        f"{ALL_COLUMNS[c].title} {stated_figure(one, c, found.currency)} instead of"
        f" {stated_figure(best, c, found.currency)}"
        for c in worst
    ]
    place = f"ranked {found.candidates.index(one) + 1}"
    return f"{place}; the price: {', '.join(losses)}" if losses else place


def curve_words(rows: Sequence[Any]) -> list[str]:
    """What the curves show: saturation, and collapse beyond it."""
    if not rows:
        return []
    out = [
        "Hollow points are beyond saturation: queues at the endpoints grow without end, and the"
        " latency is what it was so far, packets under way included."
    ]
    for one in collapses(rows):
        out.append(
            f"{one.spec} collapses: it carries {in_table(one.best)} flits per endpoint and cycle"
            f" when {in_table(one.best_at)} are offered, but only {in_table(one.last)} at"
            f" {in_table(one.last_at)} (the cross). Long chains of full buffers hold back packets"
            " that could move;"
            " --window, --priority and --spread of 'hopscape simulate' are the remedies."
        )
    return out


def how_rows(one: Candidate) -> list[tuple[str, Any, str, str, str]]:
    """Title, value, how it is known, note and explanation of each figure."""
    return [
        (
            ALL_COLUMNS[name].title,
            cell(name, measured),
            measured.how,
            measured.note,
            ALL_COLUMNS[name].explanation,
        )
        for name, measured in one.figures.items()
    ]
