"""Ranking: demands, weighted scores, and who is dominated by whom; and how a design is shown.

Both kinds of machine are ranked by the same rules: who breaks a demand comes last, the others go by
the weighted mean of what the criteria give them. They differ in what is demanded (:func:`judge`),
in the columns that are compared, and in the order of equals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from hopscape.core.errors import ArgumentError
from hopscape.core.measured import Measured
from hopscape.core.numbers import counted
from hopscape.core.tables import in_table
from hopscape.design.candidates import Candidate, mark_equal
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.question import LIMITS, Question
from hopscape.design.requirements import Requirements
from hopscape.design.survival import Survival
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.design.table import cell

__all__ = [
    "LIMIT_COLUMNS",
    "SLACK",
    "Presentation",
    "RequirementJudgement",
    "column_grades",
    "few_names",
    "grades",
    "judge",
    "mark_dominated",
    "misses",
    "rank",
    "shortfall",
]

Order = Callable[[Candidate], tuple[Any, ...]]
Figures = Mapping[str, Measured[Any]]

SLACK = 1e-9
"""By which a share may miss what is asked: the rounding of sums."""
_COMPARED_MACHINES = (
    "money", "watts_per_endpoint", "line_throughput", "guaranteed_throughput", "hops",
)  # fmt: skip
"""Columns in which one switched machine may dominate another, whatever their weights."""


LIMIT_COLUMNS = {name: name for name in LIMITS} | {"cable_length": "cable", "max_hops": "far"}
"""Columns of what a switched machine may have at most."""


class RequirementJudgement(NamedTuple):
    """What the requirements say of a candidate.

    Attributes:
        trouble: What it breaks for certain; empty when nothing.
        unproved: What it is not proved to keep; empty when all is proved, or something is broken.
        meets: Names of the demands that it meets, in a switched machine.
    """

    trouble: str = ""
    unproved: str = ""
    meets: tuple[str, ...] = ()


class _Demand(NamedTuple):
    """A figure that must not leave two limits, and how that is said."""

    column: str
    asked: str
    broken: str
    least: float = -math.inf
    most: float = math.inf


def _demands(asked: Requirements) -> list[_Demand]:
    out = [_Demand("ports", counted(asked.ports, "port"), "uses {} ports", most=asked.ports)]
    if asked.regular:
        every = asked.network_ports
        broken = f"has routers that use {{}} of {counted(every, 'port')}"
        out.append(_Demand("degree_min", f"all {every} ports used", broken, least=every))
    budgets = (
        ("links", asked.cables, "cable", "cables"),
        ("cable", asked.cable_length, "m of cable", "m of cable"),
        ("vcs", asked.vcs, "virtual channel", "virtual channels"),
        ("far", asked.max_hops, "hop", "hops"),
    )
    for column, most, *noun in budgets:
        if most is not None:  # what needs more needs several
            out.append(_Demand(column, counted(most, *noun), f"needs {{}} {noun[1]}", most=most))
    if asked.faults is not None:
        words = f"{counted(asked.faults, 'fault')} survived"
        out.append(
            _Demand("node_connectivity", words, "{} faults can part it", least=asked.faults + 1)
        )
    if asked.survive is not None:
        least = max(asked.survive.share - SLACK, SLACK)
        words, broken = asked.survive.demand, f"keeps {{}} without {asked.survive.words}"
        out.append(_Demand("survived_throughput", words, broken, least=least))
    if asked.grow is not None:
        words = f"growing to {asked.grow:,} nodes"
        out.append(_Demand("cables_moved", words, "cannot grow", most=math.inf, least=0))
    return out


def judge(candidate: Candidate, question: Question) -> RequirementJudgement:
    """What a candidate breaks, or is not proved to keep.

    Of a direct machine that is decided by proved bounds alone; of a switched one by its figures, of
    which throughput is proved from below.

    Examples:
        >>> figures = {"ports": Measured(4, "exact"), "vcs": Measured.at_least(2)}
        >>> judge(Candidate("some", "some", figures), Requirements(64, 4, vcs=2)).unproved
        'not proved: 2 virtual channels (VCs ≥2)'
    """
    if isinstance(question, SwitchedRequirements):
        missing = misses(candidate.figures, question)
        met = tuple(name for name in _demanded(question) if name not in missing)
        return RequirementJudgement("; ".join(missing.values()), "", met)
    assert isinstance(question, Requirements)
    if candidate.failure:
        return RequirementJudgement(candidate.failure)
    hops = candidate.figures.get("hops")
    if hops is not None and hops.value is None:
        known = f"was not measured: {hops.note}" if hops.how == "unknown" else "is not connected"
        return RequirementJudgement(known)
    open_ones = []
    for demand in _demands(question):
        figure = candidate.figures.get(demand.column, Measured(None, "unknown"))
        if demand.column == "cables_moved" and figure.how == "exact" and figure.value is None:
            return RequirementJudgement(figure.note)
        if figure.low is not None and figure.low > demand.most:
            number = f"{'' if figure.exact else 'at least '}{float(figure.low):g}"
            return RequirementJudgement(demand.broken.format(number))
        if figure.high is not None and figure.high < demand.least:
            return RequirementJudgement(demand.broken.format(f"{float(figure.high):g}"))
        most = demand.most == math.inf or (figure.high is not None and figure.high <= demand.most)
        least = demand.least == -math.inf or (figure.low is not None and figure.low >= demand.least)
        if not (most and least):
            title, shown = ALL_COLUMNS[demand.column].title, cell(demand.column, figure)
            open_ones.append(f"{demand.asked} ({title} {'not known' if shown is None else shown})")
    return RequirementJudgement("", f"not proved: {', '.join(open_ones)}" if open_ones else "")


def misses(figures: Mapping[str, Measured[Any]], asked: SwitchedRequirements) -> dict[str, str]:
    """Demands that a machine does not meet, each with what it has instead."""
    out: dict[str, str] = {}
    radix, ends = figures["radix_used"].value, figures["endpoints"].value
    if radix > asked.radix:
        out["radix"] = f"uses {counted(radix, 'port')} of {asked.radix}"
    if not asked.low <= ends <= asked.high:
        out["endpoints"] = f"has {counted(ends, 'endpoint')}"
    for demand, column in (("throughput", "line_throughput"), ("worst", "guaranteed_throughput")):
        least, figure = getattr(asked, demand), figures[column]
        if least is not None and (figure.value is None or float(figure.value) < least - SLACK):
            shown = in_table(None if figure.value is None else float(figure.value))
            title = ALL_COLUMNS[column].title
            out[demand] = f"{title} {figure.sign}{shown} instead of {least:g}"
    for demand, noun in LIMITS.items():
        most, column = getattr(asked, demand), LIMIT_COLUMNS[demand]
        if most is None or column not in figures:  # what takes long is measured last
            continue
        value = figures[column].value
        if value is None or float(value) > most + SLACK:
            shown = f"an unknown number of {noun[1]}" if value is None else counted(value, *noun)
            out[demand] = f"has {shown} instead of at most {most:,g}"
    if asked.survive is not None and "survived_throughput" in figures:
        left, least = figures["survived_throughput"], asked.survive.share
        if left.low is None or left.low <= 0 or left.low < least - SLACK:
            out["survive"] = _not_survived(left, asked.survive)
    if asked.grow is not None and "cables_moved" in figures:
        moved = figures["cables_moved"]
        if moved.value is None:
            out["grow"] = f"is not known to grow to {asked.grow:,} endpoints: {moved.note}"
    cost = figures["money"].value
    if asked.budget is not None and cost > asked.budget:
        currency = asked.price_list.currency
        out["budget"] = f"costs {cost:,.0f} {currency}, {cost - asked.budget:,.0f} too much"
    return out


def _not_survived(left: Measured[Any], asked: Survival) -> str:
    """What is left after failures, where it is too little."""
    if left.value is None:
        return f"without {asked.words} what remains is not known: {left.note}"
    if left.value <= 0:
        return f"is parted, or nothing is left of it, without {asked.words}"
    return f"{left.sign}{in_table(left.value)} remains without {asked.words}, not {asked.share:g}"


def _demanded(question: SwitchedRequirements) -> list[str]:
    """Names of what is asked of a switched machine."""
    names = ("worst", "budget", "survive", "grow", *LIMITS)
    optional = [name for name in names if getattr(question, name) is not None]
    return ["endpoints", "radix", "throughput", *optional]


def rank(
    candidates: Iterable[Candidate], question: Question, late: Sequence[str] = ()
) -> list[Candidate]:
    """Score all, mark the dominated ones, and put the best first.

    What is not proved to keep the requirements comes after what is, what breaks them last.
    A criterion gives best / own (or own / best where more is better); a figure that is not known
    counts as the worst known. The score is the weighted mean.

    Args:
        late: Families in which a time limit cut the search short.

    Raises:
        ArgumentError: When nothing keeps the requirements; the message names the nearest.
    """
    judged = list(candidates)
    rules = _rules(question)
    for one in judged:
        one.trouble, one.unproved, one.meets = judge(one, question)
        one.score, one.dominated_by, one.equals, one.better_in = None, "", "", ()
    allowed = [one for one in judged if not one.trouble]
    if judged and not allowed:
        raise ArgumentError(_nearest(judged, question, late))
    columns = _weighted_columns(question)
    graded = {column: column_grades(allowed, column, _better(column)) for column in columns}
    total = sum(columns.values())
    for one in allowed:
        parts = [graded[column][one.spec] * weight for column, weight in columns.items()]
        one.score = round(sum(parts) / total, 6)
    mark_dominated(allowed, [(name, _better(name)) for name in rules.compared], rules.order)
    ranked = sorted(allowed, key=rules.order)
    mark_equal(ranked, (*rules.identity, *rules.compared))
    return ranked + sorted((one for one in judged if one.trouble), key=rules.refused_order)


class _Rules(NamedTuple):
    """What the rankings of the two kinds of machine differ in.

    Attributes:
        compared: Columns in which one may dominate another.
        identity: Further columns in which two are equal if they are the same machine.
        order: Of those that keep the requirements.
        refused_order: Of those that do not.
    """

    compared: tuple[str, ...]
    identity: tuple[str, ...]
    order: Order
    refused_order: Order


def _rules(question: Question) -> _Rules:
    if isinstance(question, SwitchedRequirements):
        asked = question
        return _Rules(
            _COMPARED_MACHINES,
            ("endpoints", "planes", "switches", "cables_optical"),
            _machine_order,
            lambda one: shortfall(one.figures, asked),
        )
    compared = tuple(_weighted_columns(question))
    return _Rules(compared, ("endpoints", "links", "diameter"), _order, _order)


def grades(candidates: Iterable[Candidate], question: Question) -> dict[str, dict[str, float]]:
    """What each criterion gives each candidate that is allowed: 1 for the best, by spec.

    The score is their weighted mean, whatever the weights.
    """
    allowed = [one for one in candidates if not one.trouble]
    graded = {
        column: column_grades(allowed, column, _better(column))
        for _, column in question.criterion_columns
    }
    return {
        one.spec: {
            name: sum(graded[column][one.spec] for column in criterion.columns)
            / len(criterion.columns)
            for name, criterion in question.criteria.items()
        }
        for one in allowed
    }


def _better(column: str) -> str:
    return ALL_COLUMNS[column].better


def _order(one: Candidate) -> tuple[bool, float, bool, str]:
    return (bool(one.unproved), -(one.score or 0.0), bool(one.dominated_by), one.spec)


def _machine_order(one: Candidate) -> tuple[float, float, float, int, str]:
    worst = float(one.value("guaranteed_throughput") or 0.0)
    return (-(one.score or 0.0), -worst, float(one.value("money")), len(one.spec), one.spec)


def _weighted_columns(question: Question) -> dict[str, float]:
    """Columns that weigh something: a criterion's weight is shared by its columns."""
    out: dict[str, float] = {}
    for name, weight in question.weights.items():
        if weight > 0:
            columns = question.criteria[name].columns
            out |= dict.fromkeys(columns, weight / len(columns))
    return out


def _graded(one: Candidate, column: str) -> Measured[float] | None:
    """What a column is graded by; None when it is not known."""
    figure = one.figures.get(column)
    if figure is None or figure.value is None:
        return None
    if column == "growth":  # relative: adding 1 or 2 to 1000 is nearly the same
        size = float(one.value("endpoints") or 1)
        return figure.mapped(lambda x: 1 + float(x) / size)
    if column == "hops":  # routers crossed, on the router's own paths where these are known
        routed = one.figures.get("route_hops", figure)
        return (figure if routed.value is None else routed).mapped(lambda x: 1 + float(x))
    return figure.mapped(float)


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
    grade = _graded(one, column)
    if grade is None:
        return None
    low = -math.inf if grade.low is None else grade.low
    high = math.inf if grade.high is None else grade.high
    if better == "less":
        return _Span(low, high, grade.value)
    return _Span(-high, -low, -grade.value)


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


def _nearest(judged: Sequence[Candidate], question: Question, late: Sequence[str]) -> str:
    """One sentence about demands that nobody meets."""
    if isinstance(question, SwitchedRequirements):
        nearest = min(judged, key=lambda one: shortfall(one.figures, question))
        return (
            f"none of {len(judged)} machines meets all demands; the nearest, {nearest.spec}:"
            f" {nearest.trouble}" + (f" (too little time for {few_names(late)})" if late else "")
        )
    assert isinstance(question, Requirements)
    ports, *others = _demands(question)
    nearest = judged[0]
    for demand in reversed(others):
        known = [one for one in judged if one.value(demand.column) is not None]
        if demand.most < math.inf and known:
            nearest = min(known, key=lambda one: float(one.value(demand.column)))
        elif demand.column == "survived_throughput" and known:
            nearest = max(known, key=lambda one: float(one.value(demand.column)))
    asked = " and ".join(demand.asked for demand in others or [ports])
    return (
        f"none of {len(judged)} candidates fits {asked}; the nearest,"
        f" {nearest.spec}, {nearest.trouble}"
    )


def shortfall(
    figures: Mapping[str, Measured[Any]], asked: SwitchedRequirements
) -> tuple[float, float]:
    """How far a machine is from the demands, and its cost."""
    share = float(figures["line_throughput"].value) / asked.throughput
    if asked.worst is not None:
        share = min(share, float(figures["guaranteed_throughput"].value or 0.0) / asked.worst)
    cost = float(figures["money"].value)
    if asked.budget is not None:
        share = min(share, asked.budget / cost if cost else 1.0)
    return (-min(1.0, share), cost)


def few_names(names: Sequence[str]) -> str:
    """Some names of families, or how many they are."""
    return ", ".join(names) if len(names) < 4 else f"{len(names)} families"


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
