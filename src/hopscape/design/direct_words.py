"""The answer about a direct machine in words, every number from the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hopscape.core.tables import in_table
from hopscape.design.candidates import Candidate, proved
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.ranking import grades
from hopscape.design.requirements import CRITERIA, Requirements
from hopscape.design.table import cell

__all__ = ["better", "deciding", "figure_words", "first_by", "sentences", "standing"]

_COMPARED = ("hops", "throughput", "worst_permutation", "broadcast", "allreduce", "links", "cable")
"""What the runner-up is said to win and lose: a choice of these sentences."""
_NUMBERS = 3
_MULTIPLES = (2, 4, 8)
_CHANGES = 3


def sentences(candidates: Sequence[Candidate], asked: Requirements) -> list[str]:
    """What wins and by what, what the runner-up costs and gains, what would change the choice.

    Args:
        candidates: Ranked, the best first.
    """
    allowed = [one for one in candidates if not one.trouble]
    if not allowed:
        return []
    best = allowed[0]
    own = grades(allowed)
    found = {one.spec: own[one.spec] for one in proved(allowed)}
    lines = [_winner(best, allowed, asked.weights)]
    others = [one for one in allowed if one.family != best.family and not _same(one, best)]
    if others:
        lines.append(_runner_up(best, others[0]))
    elif len(allowed) > 1:
        lines.append("No other family has a network that fits.")
    lines += _changes(best, found, asked.weights)
    refused = [one for one in candidates if one.trouble]
    if refused:
        near = refused[0]
        which = "One candidate was" if len(refused) == 1 else f"{len(refused)} candidates were"
        lines.append(f"{which} refused, such as {near.spec}: {near.trouble}.")
    return lines


def deciding(
    best: Candidate, criteria: Sequence[tuple[str, str]], weights: Mapping[str, float]
) -> list[tuple[str, str]]:
    """The three numbers that decide: criterion and column, what weighs most first."""
    seen: dict[str, str] = {}
    for name, column in sorted(criteria, key=lambda pair: -weights.get(pair[0], 0.0)):
        if best.value(column) is not None:
            seen.setdefault(name, column)
    return list(seen.items())[:_NUMBERS]


def first_by(
    found: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]
) -> tuple[str, float]:
    """Spec and score of the first under other weights; among equals the first of the ranking."""
    total = sum(weights.values())
    scores = {
        spec: round(sum(weights.get(name, 0.0) * grade for name, grade in own.items()) / total, 6)
        for spec, own in found.items()
    }
    spec = max(scores, key=scores.__getitem__)
    return spec, scores[spec]


def figure_words(one: Candidate, column: str) -> str:
    """A figure with its title, such as ``mean hops 2.9``."""
    return f"{ALL_COLUMNS[column].title} {_value(one, column)}"


def _value(one: Candidate, column: str) -> str:
    found = one.figures.get(column)
    return "-" if found is None else in_table(cell(column, found))


def _winner(best: Candidate, allowed: Sequence[Candidate], weights: Mapping[str, float]) -> str:
    parts = [f"{in_table(best.value('endpoints'))} nodes of {in_table(best.value('ports'))} ports"]
    if best.value("links") is not None:
        parts.append(f"{best.value('links'):,} cables")
    if best.value("cable") is not None:
        parts.append(f"{best.value('cable'):,.0f} m of cable")
    pairs = [(one.name, column) for one in CRITERIA.values() for column in one.columns]
    decided = [
        f"{figure_words(best, column)} ({standing(best, allowed, column)})"
        for _, column in deciding(best, pairs, weights)
    ]
    reason = f" What decides: {'; '.join(decided)}." if decided else ""
    doubt = f" {_sentence(best.unproved)}" if best.unproved else ""
    return f"Build {best.spec}: {', '.join(parts)}.{doubt}{reason}"


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."


def standing(best: Candidate, allowed: Sequence[Candidate], column: str) -> str:
    """Where a figure stands among all, and who is better."""
    known = [one for one in allowed if one.value(column) is not None]
    ahead = [one for one in known if better(one, best, column)]
    if not ahead:
        return f"best of {len(known)}"
    sign = 1 if ALL_COLUMNS[column].better == "less" else -1
    top = min(ahead, key=lambda one: sign * float(one.value(column)))
    return f"{len(ahead) + 1} of {len(known)}; {top.spec} has {_value(top, column)}"


def _runner_up(best: Candidate, other: Candidate) -> str:
    scores = f"score {in_table(other.score)} against {in_table(best.score)}"
    doubt = f", {other.unproved}" if other.unproved else ""
    text = f"The runner-up is {other.spec} ({scores}{doubt})"
    cost = [
        words
        for column, unit in (("links", "cables"), ("cable", "m of cable"))
        if (words := _difference(best, other, column, unit))
    ]
    if cost:
        text += f": it takes {' and '.join(cost)}"
    known = [name for name in _COMPARED if None not in (other.value(name), best.value(name))]
    gains = [name for name in known if better(other, best, name)]
    losses = [name for name in known if better(best, other, name)]
    for names, words in ((gains, "better"), (losses, "worse")):
        shown_ = [f"{figure_words(other, n)} against {_value(best, n)}" for n in names]
        text += f"; it is {words} at {', '.join(shown_) or 'nothing'}"
    return text + "."


def _difference(best: Candidate, other: Candidate, column: str, unit: str) -> str:
    a, b = best.value(column), other.value(column)
    if a is None or b is None:
        return ""
    more = float(b) - float(a)
    if not round(more):
        return f"as many {unit}"
    share = f" ({100 * (float(b) / float(a) - 1):+.1f} %)" if a else ""
    return f"{abs(more):,.0f} {unit} {'more' if more > 0 else 'less'}{share}"


def _changes(
    best: Candidate, found: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]
) -> list[str]:
    """Which criterion would have to weigh how much more for another to be the first."""
    out = []
    for name in CRITERIA:
        for times in _MULTIPLES:
            now = weights.get(name, 0.0)
            more = times * (now or 1.0)
            spec, _ = first_by(found, dict(weights) | {name: more})
            if spec != best.spec:
                out.append(f"{spec} if {name} weighed {more:g} instead of {now:g}")
                break
    if not out:
        return ["No criterion changes the choice, even if it weighed eight times as much."]
    return [f"Another would be first: {'; '.join(out[:_CHANGES])}."]


def _same(one: Candidate, other: Candidate) -> bool:
    """The same as far as the table can tell, under another family's name?"""
    return all(one.value(name) == other.value(name) for name in _COMPARED)


def better(one: Candidate, other: Candidate, column: str) -> bool:
    a, b = float(one.value(column)), float(other.value(column))
    return a < b if ALL_COLUMNS[column].better == "less" else a > b
