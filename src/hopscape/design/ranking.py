"""Ranking: budgets, weighted scores, and who is dominated by whom."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from hopscape.core.errors import ArgumentError
from hopscape.design.candidates import Candidate
from hopscape.design.requirements import CRITERIA, Requirements

__all__ = ["judge", "rank"]


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
        one.score, one.dominated_by, one.why = None, "", ""
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
    return sorted(allowed, key=_order) + sorted(rest, key=_order)


def _order(one: Candidate) -> tuple[float, bool, str]:
    return (-(one.score or 0.0), bool(one.dominated_by), one.spec)


def _columns(requirements: Requirements) -> list[tuple[str, str, float]]:
    """Column, which way is better, and weight (a criterion's share among its columns)."""
    out: list[tuple[str, str, float]] = []
    for name, weight in requirements.weights.items():
        if weight > 0:
            columns = CRITERIA[name].columns
            out += [(column, way, weight / len(columns)) for column, way in columns.items()]
    return out


def _number(one: Candidate, column: str) -> float | None:
    value: Any = one.value(column)
    if value is None:
        return None
    if column == "growth":  # relative: adding 1 or 2 to 1000 is nearly the same
        return 1 + float(value) / float(one.value("endpoints") or 1)
    if column == "hops":  # routers crossed, on the router's own ways where these are known
        ways: Any = one.value("route_hops")
        return 1 + float(value if ways is None else ways)
    return float(value)


def _grades(allowed: Sequence[Candidate], column: str, better: str) -> dict[str, float]:
    numbers = {one.spec: _number(one, column) for one in allowed}
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
    """Somebody dominates who is known in the same columns, nowhere worse and somewhere better."""
    rows = {
        one.spec: [
            None if (x := _number(one, column)) is None else (x if better == "less" else -x)
            for column, better in columns
        ]
        for one in allowed
    }
    ordered = sorted(allowed, key=_order)
    for one in allowed:
        mine = rows[one.spec]
        known = [i for i, x in enumerate(mine) if x is not None]
        for other in ordered:
            theirs = rows[other.spec]
            if other is one or not known or any(theirs[i] is None for i in known):
                continue
            gains = [columns[i][0] for i in known if _less(theirs[i], mine[i])]
            if gains and not any(_less(mine[i], theirs[i]) for i in known):
                one.dominated_by = other.spec
                one.why = "better in " + ", ".join(gains)
                break


def _less(a: float | None, b: float | None) -> bool:
    return a is not None and b is not None and a < b


def _nearest(everybody: Sequence[Candidate], requirements: Requirements) -> str:
    """One sentence about budgets that nobody keeps."""
    asked = []
    nearest = everybody[0]
    wishes = (
        ("vcs", requirements.vcs, "virtual channels"),
        ("cable", requirements.cable_length, "m of cable"),
        ("links", requirements.cables, "cables"),
    )
    for column, most, noun in wishes:
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
