"""Ranking: budgets, weighted scores, and who is dominated by whom.

How a design is shown: title, question, columns, plots and criteria of its report.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hopscape.core.errors import ArgumentError
from hopscape.core.measured import Measured
from hopscape.design.candidates import Candidate, mark_equal
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.requirements import CRITERIA, Requirements
from hopscape.design.table import cell

__all__ = [
    "Judgement",
    "Presentation",
    "column_grades",
    "grades",
    "judge",
    "mark_dominated",
    "rank",
]

Order = Callable[[Candidate], tuple[Any, ...]]


class Judgement(NamedTuple):
    """What the requirements say of a candidate.

    Attributes:
        trouble: What it breaks for certain; empty when nothing.
        unproved: What it is not proved to keep; empty when all is proved, or something is broken.
    """

    trouble: str = ""
    unproved: str = ""


class _Demand(NamedTuple):
    """A figure that must not leave two limits, and how that is said."""

    column: str
    asked: str
    broken: str
    least: float = -math.inf
    most: float = math.inf


def _demands(asked: Requirements) -> list[_Demand]:
    out = [_Demand("ports", f"{asked.ports} ports", "uses {} ports", most=asked.ports)]
    if asked.regular:
        every = asked.network_ports
        broken = f"has routers that use {{}} of {every} ports"
        out.append(_Demand("degree_min", f"all {every} ports used", broken, least=every))
    budgets = (
        ("links", asked.cables, "cables"),
        ("cable", asked.cable_length, "m of cable"),
        ("vcs", asked.vcs, "virtual channels"),
    )
    for column, most, noun in budgets:
        if most is not None:
            out.append(_Demand(column, f"{most:g} {noun}", f"needs {{}} {noun}", most=most))
    if asked.faults is not None:
        words = f"{asked.faults} faults survived"
        out.append(
            _Demand("node_connectivity", words, "{} faults can part it", least=asked.faults + 1)
        )
    return out


def judge(candidate: Candidate, requirements: Requirements) -> Judgement:
    """What a candidate breaks, or is not proved to keep: decided by proved bounds alone.

    Examples:
        >>> figures = {"ports": Measured(4, "exact"), "vcs": Measured.at_least(2)}
        >>> judge(Candidate("some", "some", figures), Requirements(64, 4, vcs=2)).unproved
        'not proved: 2 virtual channels (VCs ≥2)'
    """
    if candidate.failure:
        return Judgement(candidate.failure)
    hops = candidate.figures.get("hops")
    if hops is not None and hops.value is None:
        known = f"was not measured: {hops.note}" if hops.how == "unknown" else "is not connected"
        return Judgement(known)
    open_ones = []
    for demand in _demands(requirements):
        found = candidate.figures.get(demand.column, Measured(None, "unknown"))
        if found.low is not None and found.low > demand.most:
            number = f"{'' if found.exact else 'at least '}{float(found.low):.0f}"
            return Judgement(demand.broken.format(number))
        if found.high is not None and found.high < demand.least:
            return Judgement(demand.broken.format(f"{float(found.high):.0f}"))
        most = demand.most == math.inf or (found.high is not None and found.high <= demand.most)
        least = demand.least == -math.inf or (found.low is not None and found.low >= demand.least)
        if not (most and least):
            title, shown = ALL_COLUMNS[demand.column].title, cell(demand.column, found)
            open_ones.append(f"{demand.asked} ({title} {'not known' if shown is None else shown})")
    return Judgement("", f"not proved: {', '.join(open_ones)}" if open_ones else "")


def rank(candidates: Iterable[Candidate], requirements: Requirements) -> list[Candidate]:
    """Score all, mark the dominated ones, and put the best first.

    What is not proved to keep the requirements comes after what is, what breaks them last.
    A criterion gives best / own (or own / best where more is better); a figure that is not known
    counts as the worst known. The score is the weighted mean.

    Raises:
        ArgumentError: When nothing keeps within the budgets; the message names the nearest.
    """
    everybody = list(candidates)
    for one in everybody:
        one.trouble, one.unproved = judge(one, requirements)
        one.score, one.dominated_by, one.equals, one.better_in = None, "", "", ()
    allowed = [one for one in everybody if not one.trouble]
    if everybody and not allowed:
        raise ArgumentError(_nearest(everybody, requirements))
    columns = _columns(requirements)
    grades = {column: column_grades(allowed, column, better) for column, better, _ in columns}
    total = sum(weight for _, _, weight in columns)
    for one in allowed:
        parts = [grades[column][one.spec] * weight for column, _, weight in columns]
        one.score = round(sum(parts) / total, 6)
    mark_dominated(allowed, [(column, better) for column, better, _ in columns])
    rest = [one for one in everybody if one.trouble]
    ranked = sorted(allowed, key=_order)
    mark_equal(ranked, ("endpoints", "links", "diameter", *(column for column, _, _ in columns)))
    return ranked + sorted(rest, key=_order)


def grades(candidates: Iterable[Candidate]) -> dict[str, dict[str, float]]:
    """What each criterion gives each candidate that is allowed: 1 for the best, by spec.

    The score is their weighted mean, whatever the weights.
    """
    allowed = [one for one in candidates if not one.trouble]
    found = {
        column: column_grades(allowed, column, ALL_COLUMNS[column].better)
        for criterion in CRITERIA.values()
        for column in criterion.columns
    }
    return {
        one.spec: {
            name: sum(found[column][one.spec] for column in criterion.columns)
            / len(criterion.columns)
            for name, criterion in CRITERIA.items()
        }
        for one in allowed
    }


def _order(one: Candidate) -> tuple[bool, float, bool, str]:
    return (bool(one.unproved), -(one.score or 0.0), bool(one.dominated_by), one.spec)


def _columns(requirements: Requirements) -> list[tuple[str, str, float]]:
    """Column, which way is better, and weight (a criterion's share among its columns)."""
    out: list[tuple[str, str, float]] = []
    for name, weight in requirements.weights.items():
        if weight > 0:
            columns = CRITERIA[name].columns
            share = weight / len(columns)
            out += [(column, ALL_COLUMNS[column].better, share) for column in columns]
    return out


def _graded(one: Candidate, column: str) -> Measured[float] | None:
    """What a column is graded by; None when it is not known."""
    found = one.figures.get(column)
    if found is None or found.value is None:
        return None
    if column == "growth":  # relative: adding 1 or 2 to 1000 is nearly the same
        size = float(one.value("endpoints") or 1)
        return found.mapped(lambda x: 1 + float(x) / size)
    if column == "hops":  # routers crossed, on the router's own ways where these are known
        ways = one.figures.get("route_hops", found)
        return (found if ways.value is None else ways).mapped(lambda x: 1 + float(x))
    return found.mapped(float)


def column_grades(allowed: Sequence[Candidate], column: str, better: str) -> dict[str, float]:
    """Best / own, or own / best where more is better; what is not known counts as the worst."""
    figures = {one.spec: _graded(one, column) for one in allowed}
    numbers = {spec: None if figure is None else figure.value for spec, figure in figures.items()}
    known = [x for x in numbers.values() if x is not None]
    if not known:
        return dict.fromkeys(numbers, 1.0)
    best = min(known) if better == "less" else max(known)

    def grade(x: float) -> float:
        if better == "less":
            return 1.0 if x <= best else best / x
        return 1.0 if best <= 0 else x / best

    graded = {spec: None if x is None else grade(x) for spec, x in numbers.items()}
    worst = min(g for g in graded.values() if g is not None)
    return {spec: worst if g is None else g for spec, g in graded.items()}


def mark_dominated(
    allowed: Sequence[Candidate], columns: Sequence[tuple[str, str]], order: Order | None = None
) -> None:
    """Somebody dominates who is known in the same columns, nowhere worse and somewhere better.

    Figures count with their proved bounds, open where there is none: nothing is dominated by what
    may turn out worse, or may break a requirement that it keeps itself. Of whom the same is known
    in a column, neither is worse there.
    """
    rows = {one.spec: [_span(one, *column) for column in columns] for one in allowed}
    ordered = sorted(allowed, key=order or _order)
    for one in allowed:
        mine = rows[one.spec]
        known = [i for i, span in enumerate(mine) if span is not None]
        for other in ordered:
            if other is one or not known or (other.unproved and not one.unproved):
                continue
            gains = _gains([mine[i] for i in known], [rows[other.spec][i] for i in known])
            if gains:
                one.dominated_by = other.spec
                one.better_in = tuple(columns[known[i]][0] for i in gains)
                break


class _Span(NamedTuple):
    """Least and largest that a figure may be, turned so that less is better, and the figure."""

    low: float
    high: float
    value: float


def _span(one: Candidate, column: str, better: str) -> _Span | None:
    found = _graded(one, column)
    if found is None:
        return None
    low = -math.inf if found.low is None else found.low
    high = math.inf if found.high is None else found.high
    if better == "less":
        return _Span(low, high, found.value)
    return _Span(-high, -low, -found.value)


def _gains(mine: Sequence[_Span | None], theirs: Sequence[_Span | None]) -> list[int]:
    """Where they are better for certain; nothing when they may be worse anywhere."""
    out = []
    for i, (own, other) in enumerate(zip(mine, theirs, strict=True)):
        assert own is not None
        if other is None or (other.high > own.low and other != own):
            return []
        if other.high < own.low:
            out.append(i)
    return out


def _nearest(everybody: Sequence[Candidate], requirements: Requirements) -> str:
    """One sentence about budgets that nobody keeps."""
    ports, *others = _demands(requirements)
    nearest = everybody[0]
    for demand in reversed(others):
        known = [one for one in everybody if one.value(demand.column) is not None]
        if demand.most < math.inf and known:
            nearest = min(known, key=lambda one: float(one.value(demand.column)))
    asked = " and ".join(demand.asked for demand in others or [ports])
    return (
        f"none of {len(everybody)} candidates fits {asked}; the nearest,"
        f" {nearest.spec}, {nearest.trouble}"
    )


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
