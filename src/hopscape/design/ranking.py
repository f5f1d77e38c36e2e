"""Ranking: budgets, weighted scores, and who is dominated by whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hopscape.core.errors import ArgumentError
from hopscape.core.measured import Measured
from hopscape.design.candidates import Candidate, mark_equal
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.requirements import CRITERIA, Requirements

__all__ = ["grades", "judge", "rank"]


def judge(candidate: Candidate, requirements: Requirements) -> str:
    """Why a candidate breaks a requirement, as far as it is measured; empty when it does not."""
    if candidate.failure:
        return candidate.failure
    value = candidate.value
    links, cable, lanes = value("links"), value("cable"), value("vcs")
    if value("ports") is not None and value("ports") > requirements.ports:
        return f"uses {value('ports')} ports"
    hops = candidate.figures.get("hops")
    if hops is not None and hops.value is None:
        return f"was not measured: {hops.note}" if hops.how == "unknown" else "is not connected"
    if requirements.regular and value("ports") is not None and value("ports") < requirements.ports:
        return f"uses {value('ports')} of {requirements.ports} ports"
    if requirements.cables is not None and links is not None and links > requirements.cables:
        return f"needs {links} cables"
    most = requirements.cable_length
    if most is not None and cable is not None and cable > most:
        return f"needs {cable:.0f} m of cable"
    if requirements.vcs is not None and lanes is not None and lanes > requirements.vcs:
        return f"needs {lanes} virtual channels"
    parts = value("node_connectivity")
    if requirements.faults is not None and parts is not None and parts <= requirements.faults:
        return f"{parts} faults can part it"
    return ""


def rank(candidates: Iterable[Candidate], requirements: Requirements) -> list[Candidate]:
    """Score all, mark the dominated ones, and put the best first; what breaks a budget comes last.

    A criterion gives best / own (or own / best where more is better); a figure that is not known
    counts as the worst known. The score is the weighted mean.

    Raises
    ------
    ArgumentError
        When nothing keeps within the budgets; the message names the nearest.
    """
    everybody = list(candidates)
    for one in everybody:
        one.trouble = judge(one, requirements)
        one.score, one.dominated_by, one.equals, one.better_in = None, "", "", ()
    allowed = [one for one in everybody if not one.trouble]
    if everybody and not allowed:
        raise ArgumentError(_nearest(everybody, requirements))
    columns = _columns(requirements)
    grades = {column: _grades(allowed, column, better) for column, better, _ in columns}
    total = sum(weight for _, _, weight in columns)
    for one in allowed:
        parts = [grades[column][one.spec] * weight for column, _, weight in columns]
        one.score = round(sum(parts) / total, 6)
    _mark_dominated(allowed, [(column, better) for column, better, _ in columns])
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
        column: _grades(allowed, column, ALL_COLUMNS[column].better)
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


def _order(one: Candidate) -> tuple[float, bool, str]:
    return (-(one.score or 0.0), bool(one.dominated_by), one.spec)


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


def _grades(allowed: Sequence[Candidate], column: str, better: str) -> dict[str, float]:
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


def _mark_dominated(allowed: Sequence[Candidate], columns: Sequence[tuple[str, str]]) -> None:
    """Somebody dominates who is known in the same columns, nowhere worse and somewhere better.

    A figure between two proved bounds counts with both: nothing is dominated by what may turn out
    worse. Estimates, and bounds on one side, which the same search found for all, count as they
    are.
    """
    rows = {one.spec: [_span(one, *column) for column in columns] for one in allowed}
    ordered = sorted(allowed, key=_order)
    for one in allowed:
        mine = rows[one.spec]
        known = [i for i, span in enumerate(mine) if span is not None]
        for other in ordered:
            if other is one or not known:
                continue
            gains = _gains([mine[i] for i in known], [rows[other.spec][i] for i in known])
            if gains:
                one.dominated_by = other.spec
                one.better_in = tuple(columns[known[i]][0] for i in gains)
                break


Span = tuple[float, float]


def _span(one: Candidate, column: str, better: str) -> Span | None:
    """Least and largest that a figure may be, turned so that less is better."""
    found = _graded(one, column)
    if found is None:
        return None
    both = found.low is not None and found.high is not None
    low, high = (found.low, found.high) if both else (found.value, found.value)
    return (low, high) if better == "less" else (-high, -low)


def _gains(mine: Sequence[Span | None], theirs: Sequence[Span | None]) -> list[int]:
    """Where they are better for certain; nothing when they may be worse anywhere."""
    out = []
    for i, (own, other) in enumerate(zip(mine, theirs, strict=True)):
        assert own is not None
        if other is None or (other[1] > own[0] and other != own):
            return []
        if other[1] < own[0]:
            out.append(i)
    return out


def _nearest(everybody: Sequence[Candidate], requirements: Requirements) -> str:
    """One sentence about budgets that nobody keeps."""
    asked = []
    nearest = everybody[0]
    limits = (
        ("vcs", requirements.vcs, "virtual channels"),
        ("cable", requirements.cable_length, "m of cable"),
        ("links", requirements.cables, "cables"),
    )
    for column, most, noun in limits:
        known = [one for one in everybody if one.value(column) is not None]
        if most is not None and known:
            asked.append(f"{most:g} {noun}")
            nearest = min(known, key=lambda one: float(one.value(column)))
    if requirements.faults is not None:
        asked.append(f"{requirements.faults} faults survived")
    if requirements.regular:
        asked.append(f"all {requirements.ports} ports used")
    asked = asked or [f"{requirements.ports} ports"]
    return (
        f"none of {len(everybody)} candidates fits {' and '.join(asked)}; the nearest,"
        f" {nearest.spec}, {nearest.trouble}"
    )
