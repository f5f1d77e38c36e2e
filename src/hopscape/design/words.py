"""The answer in words, every number from the table.

What wins and by what, what the runner-up costs and gains, what would change the choice, who was
refused: the same thoughts about both kinds of machine, each in the terms of its kind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hopscape.core.numbers import counted, number
from hopscape.core.tables import in_table
from hopscape.design.asking import OtherAnswer
from hopscape.design.boxes import DEALT_ANEW, MOST_DEALT
from hopscape.design.candidates import Candidate, proved
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.floors import NEAR
from hopscape.design.names import called, family_kind, kind_of
from hopscape.design.question import Kind, Question
from hopscape.design.ranking import grades, misses, rank
from hopscape.design.requirements import Requirements
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.design.table import cell
from hopscape.registry import family

__all__ = ["better", "certificate", "deciding", "figure_words", "first_by", "sentences", "standing"]

_COMPARED: Mapping[Kind, tuple[str, ...]] = {
    "direct": (
        "hops", "throughput", "worst_permutation", "broadcast", "allreduce", "links", "cable",
    ),
    "switched": (
        "switches", "watts_per_endpoint", "line_throughput", "guaranteed_throughput", "hops",
        "endpoints",
    ),
}  # fmt: skip
"""What the runner-up is said to win (and lose): a choice of these sentences."""
_NUMBERS = 3  # that decide: as many as a reader keeps in mind
_MULTIPLES = (2, 4, 8)  # of a weight that may change the choice
_CHANGES = 3  # that are named
_FEWER = 0.95  # times the hops: fewer ones are worth a sentence


def sentences(
    candidates: Sequence[Candidate], question: Question, others: Sequence[OtherAnswer] = ()
) -> list[str]:
    """What wins and by what, what the runner-up costs and gains, what would change the choice.

    Args:
        candidates: Ranked, the best first.
        others: What other demands on a switched machine would choose.
    """
    allowed = [one for one in candidates if not one.trouble]
    if not allowed:
        return []
    if isinstance(question, SwitchedRequirements):
        return _machine_sentences(allowed, candidates, question, others)
    best = allowed[0]
    own = grades(allowed, question)
    proven = {one.spec: own[one.spec] for one in proved(allowed)}
    lines = [_winner(best, allowed, question)]
    rivals = [one for one in allowed if one.family != best.family and not _same(one, best)]
    if rivals:
        lines.append(_runner_up(best, rivals[0]))
    elif len(allowed) > 1:
        lines.append("No other family has a network that fits.")
    lines += _changes(best, proven, question)
    if isinstance(question, Requirements):
        lines += _when_grown(best, question.grow)
    refused = [one for one in candidates if one.trouble]
    if refused:
        first = refused[0]
        which = "One candidate was" if len(refused) == 1 else f"{len(refused)} candidates were"
        lines.append(f"{which} rejected, such as {first.spec}: {first.trouble}.")
    return lines


def certificate(
    examined: Sequence[Mapping[str, Any]],
    dear: tuple[float, float],
    best: float,
    question: Question,
    least: float | None = None,
) -> list[str]:
    """What was looked at, what was ruled out by which bound, and what was not looked at.

    Args:
        dear: Cost beyond which machines were not looked at, and those of families with switches of
            their own.
        best: Cost of the cheapest that was found.
        least: What no machine costs less than, where that is known.
    """
    if not examined or not isinstance(question, SwitchedRequirements):
        return []
    count = {name: sum(int(one[name]) for one in examined) for name in examined[0] if name not in
             ("family", "up_to", "reason")}  # fmt: skip
    families = len({one["family"] for one in examined})
    bounds = {
        "dear": "a lower bound on cost",
        "weak": "capacity over distance",
        "misfits": "their ports",
    }
    out = [f"{count[name]:,} by {bound}" for name, bound in bounds.items() if count[name]]
    words = [
        f"{counted(count['looked'], 'machine')} of {counted(families, 'family', 'families')}"
        f" {'was' if count['looked'] == 1 else 'were'} examined"
        f"{': ruled out were ' + ', '.join(out) if out else ''}; the throughput of"
        f" {count['computed']:,} was computed."
    ]
    if count["failed"]:
        first = next(str(one["reason"]) for one in examined if one["reason"])
        words.append(f"{count['failed']:,} could not be judged, such as {first}.")
    if dear[0] < math.inf:
        currency, own = question.price_list.currency, ""
        if dear[1] < math.inf:
            own = f" that cost up to {dear[1]:,.0f}"
        words.append(
            f"Not examined: machines that cost more than {dear[0]:,.0f} {currency}, except of"
            f" families with switches of their own{own}."
        )
    left = sorted({str(one["family"]) for one in examined if one["up_to"] < best})
    if left:
        names = ", ".join(left) if len(left) < 4 else f"{len(left)} families"
        words.append(f"{names}: too many machines to examine all that may be cheaper.")
    words.append(
        f"{_deal_words(question)}; for other networks the bounds hold for regular ones with evenly"
        " spread endpoints. Families propose their own members, not every size of the largest."
    )
    if least is not None and best < math.inf:
        words.append(
            "Whatever the wiring, and however endpoints are spread, no machine of such switches"
            f" that carries the uniform traffic costs less than {least:,.0f}"
            f" {question.price_list.currency} ({_percent(least, best)}; by counts, with the"
            " cheapest cables)."
        )
    return words


def _deal_words(question: Question) -> str:
    """For which machines unequal numbers of endpoints were tried."""
    words = "Unequal numbers of endpoints per switch were tried for full meshes and leaf-spines"
    if question.size_asked > MOST_DEALT:
        words = "Unequal numbers of endpoints per switch were tried for full meshes only"
        return f"{words} (two or three numbers)"
    words += " (two or three numbers)"
    if isinstance(question, SwitchedRequirements) and question.grow is not None:
        return words
    return (
        f"{words}, and by random moves on the cheapest machines, at most {DEALT_ANEW} (some"
        " switches then being smaller)"
    )


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
    graded: Mapping[str, Mapping[str, float]], weights: Mapping[str, float]
) -> tuple[str, float]:
    """Spec and score of the first under other weights; among equals the first of the ranking."""
    total = sum(weights.values())
    scores = {
        spec: round(sum(weights.get(name, 0.0) * grade for name, grade in own.items()) / total, 6)
        for spec, own in graded.items()
    }
    spec = max(scores, key=scores.__getitem__)
    return spec, scores[spec]


def figure_words(one: Candidate, column: str) -> str:
    """A figure with its title, such as ``mean hops 2.9``."""
    return f"{ALL_COLUMNS[column].title} {_value(one, column)}"


def _value(one: Candidate, column: str) -> str:
    figure = one.figures.get(column)
    return "-" if figure is None else in_table(cell(column, figure))


def _winner(best: Candidate, allowed: Sequence[Candidate], question: Question) -> str:
    parts = [f"{in_table(best.value('endpoints'))} nodes of {counted(best.value('ports'), 'port')}"]
    if best.value("links") is not None:
        parts.append(counted(best.value("links"), "cable"))
    if best.value("cable") is not None:
        parts.append(f"{best.value('cable'):,.0f} m of cable")
    decided = [
        f"{figure_words(best, column)} ({standing(best, allowed, column)})"
        for _, column in deciding(best, question.criterion_columns, question.weights)
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
        for column, unit in (("links", "cable"), ("cable", "m"))
        if (words := _difference(best, other, column, unit))
    ]
    if cost:
        text += f": it takes {' and '.join(cost)}"
    known = [
        name for name in _COMPARED["direct"] if None not in (other.value(name), best.value(name))
    ]
    gains = [name for name in known if better(other, best, name)]
    losses = [name for name in known if better(best, other, name)]
    for names, words in ((gains, "better"), (losses, "worse")):
        shown = [f"{figure_words(other, n)} against {_value(best, n)}" for n in names]
        text += f"; it is {words} in {', '.join(shown) or 'nothing'}"
    return text + "."


def _difference(best: Candidate, other: Candidate, column: str, unit: str) -> str:
    a, b = best.value(column), other.value(column)
    if a is None or b is None:
        return ""
    more = float(b) - float(a)
    share = f" ({100 * (float(b) / float(a) - 1):+.1f} %)" if a else ""
    if unit == "m":
        words = f"{abs(more):,.0f} m {'more' if more > 0 else 'less'} cable{share}"
        return words if round(more) else "as much cable"
    words = counted(round(abs(more)), f"{'more' if more > 0 else 'fewer'} {unit}")
    return f"{words}{share}" if round(more) else f"as many {unit}s"


def _changes(
    best: Candidate, graded: Mapping[str, Mapping[str, float]], question: Question
) -> list[str]:
    """Which criterion would have to weigh how much more for another to be the first."""
    out = []
    for name in question.criteria:
        for times in _MULTIPLES:
            now = question.weights.get(name, 0.0)
            more = times * (now or 1.0)
            spec, _ = first_by(graded, dict(question.weights) | {name: more})
            if spec != best.spec:
                out.append(f"{spec} if {name} weighed {more:g} instead of {now:g}")
                break
    if not out:
        return ["No criterion changes the choice, even if it weighed eight times as much."]
    return [f"Another would be first: {'; '.join(out[:_CHANGES])}."]


def _same(one: Candidate, other: Candidate) -> bool:
    """The same as far as the table can tell, under another family's name?"""
    return all(one.value(name) == other.value(name) for name in _COMPARED["direct"])


def better(one: Candidate, other: Candidate, column: str) -> bool:
    a, b = float(one.value(column)), float(other.value(column))
    return a < b if ALL_COLUMNS[column].better == "less" else a > b


# -- switched machines ----------------------------------------------------------------------------


def _machine_sentences(
    allowed: Sequence[Candidate],
    candidates: Sequence[Candidate],
    asked: SwitchedRequirements,
    others: Sequence[OtherAnswer],
) -> list[str]:
    best, currency = allowed[0], asked.price_list.currency
    lines = [_machine(best, currency)]
    rest = [one for one in allowed if kind_of(one) != kind_of(best) and one.equals != best.spec]
    if rest:
        lines.append(_dearer(best, rest[0], currency))
    elif len(candidates) > 1:
        lines.append("No machine of another kind among those examined meets the requirements.")
    if best.spec.startswith("rails("):
        lines.append(
            "The islands' own switches, which are not in the price, take every message to its"
            " destination's rail and spread permutations over all rails."
        )
    lines += _after_failures(best, asked)
    lines += _when_grown(best, asked.grow, currency)
    near_miss = _near_miss(best, candidates, asked)
    lines += near_miss
    lines += _other_demands(best, allowed, asked, others)
    lines += _limits(allowed, asked)
    missing = [one for one in candidates if one.trouble]
    if missing and not near_miss:
        first, count = missing[0], len({one.family for one in missing})
        which = "One family cannot" if count == 1 else f"{count} families cannot"
        lines.append(
            f"{which} meet the requirements; the closest is {_one(first)}: {first.trouble}."
        )
    return lines


def _after_failures(best: Candidate, asked: SwitchedRequirements) -> list[str]:
    """What remains when switches or links fail, and who is cut off."""
    left = best.figures.get("survived_throughput")
    if asked.survive is None or left is None or left.value is None:
        return []
    lost = int(best.value("blast_radius") or 0)
    least = "at least " if left.sign == "≥" else ""
    words = f"With {asked.survive.words} dead, "
    if asked.survive.switches:
        many = f"{counted(lost, 'endpoint')} {'is' if lost == 1 else 'are'}"
        words += (
            f"at most {many} cut off (blast radius), and " if lost else "nobody is cut off, and "
        )
    return [
        f"{words}every endpoint that is left gets {least}{rate_words(float(left.value))} under"
        " uniform traffic (shortest paths that are left, split evenly)."
    ]


def _when_grown(best: Candidate, size: int | None, currency: str = "") -> list[str]:
    """What growing to a size takes."""
    moved = best.figures.get("cables_moved")
    if size is None or moved is None or moved.value is None:
        return []
    cost = best.value("growth_cost")
    price = "" if cost is None else f" ({float(cost):,.0f} {currency})"
    most = "" if moved.exact else "at most "
    box = ("switch", "switches") if currency else ("node", "nodes")
    bought = counted(int(best.value("switches_bought")), *box)
    bought += f" and {counted(int(best.value('cables_bought')), 'cable')}"
    verb = "is" if moved.value == 1 else "are"
    return [
        f"To {size:,} {'endpoints' if currency else 'nodes'} it grows into {best.value('grown')}:"
        f" {bought} are bought{price}, {most}{counted(int(moved.value), 'cable')} {verb} moved."
    ]


def _near_miss(
    best: Candidate, candidates: Sequence[Candidate], asked: SwitchedRequirements
) -> list[str]:
    """The cheapest machine that misses the throughput, and nothing else, by very little."""
    close = [
        one
        for one in candidates
        if one.trouble
        and NEAR * asked.throughput <= _number(one, "line_throughput") < asked.throughput
        and _number(one, "money") < _number(best, "money")
        and set(misses(one.figures, asked)) == {"throughput"}
    ]
    if not close:
        return []
    one = min(close, key=lambda one: _number(one, "money"))
    less = _percent(_number(one, "money"), _number(best, "money")).lstrip("-")
    share = _shown_share(_number(one, "line_throughput") / asked.throughput)
    return [
        f"A near miss: {_one(one)} carries {share} of the uniform traffic asked for and costs"
        f" {less} less."
    ]


def _shown_share(share: float) -> str:
    """A share just below 1, with as many digits as it takes."""
    return f"{math.floor(1e4 * share) / 100:g} %"


def _limits(allowed: Sequence[Candidate], asked: SwitchedRequirements) -> list[str]:
    """Sizes beyond which a family that is in the race needs another shape."""
    out: dict[str, int] = {}
    for one in allowed:
        radix = max(asked.radix * planes // asked.nics for planes in asked.splits)
        for most, more in family(one.family).limits(radix, asked.throughput):
            if most >= asked.endpoints:
                out.setdefault(f"a {family_kind(one.family)} needs {more}", most)
                break
    words = [f"above {most:,} endpoints {text}" for text, most in sorted(out.items(), key=_second)]
    return [_sentence("; ".join(words))] if words else []


def _second(item: tuple[str, int]) -> int:
    return item[1]


def _number(one: Candidate, column: str) -> float:
    return float(one.value(column) or 0.0)


def _percent(now: float, before: float) -> str:
    return f"{100 * (now / before - 1):+.1f} %" if before else "-"


def _shown(one: Candidate, column: str) -> str:
    return one.figures[column].sign + number(_number(one, column), grouped=True)


def _machine(best: Candidate, currency: str) -> str:
    told = best.name.endswith(("switch", "switches")) and not best.name[0].isdigit()
    switches = "" if told else f" {_plural(best, 'switches', 'switch', 'switches')},"
    return (
        f"Build {_one(best)}:{switches}"
        f" {_cables(best)} for {_shown(best, 'endpoints')} endpoints,"
        f" {_number(best, 'money'):,.0f} {currency}"
        f" ({_number(best, 'cost_per_endpoint'):,.0f} per endpoint). {_shares(best)}"
    )


def _cables(best: Candidate) -> str:
    """Copper and optical cables, those that there are."""
    kinds = {
        kind: _number(best, f"cables_{kind}")
        for kind in ("copper", "optical")
        if best.value(f"cables_{kind}")
    }
    counts = " and ".join(f"{_shown(best, f'cables_{kind}')} {kind}" for kind in kinds) or "no"
    return f"{counts} {'cable' if sum(kinds.values()) == 1 else 'cables'}"


def _one(machine: Candidate) -> str:
    return called(machine, article=True)


def _plural(one: Candidate, column: str, single: str, several: str) -> str:
    """A number with its noun."""
    return f"{_shown(one, column)} {single if _number(one, column) == 1 else several}"


_ROUTING_WORDS: Mapping[str, str] = {
    "minimal": "shortest paths, split evenly",
    "Valiant": "Valiant's routing, over a random switch",
    "optimal": "the best fixed split over paths",
    "adaptive": "adaptive routing",
}


def rate_words(share: float) -> str:
    """A share of the line rate, never rounded up.

    Examples:
        >>> rate_words(1.0), rate_words(0.51567), rate_words(1023 / 1024)
        ('its full line rate', '51.5 % of its line rate', '99.9 % of its line rate')
    """
    if share >= 1 - 1e-9:
        return "its full line rate"
    return f"{math.floor(1000 * share + 1e-6) / 10:g} % of its line rate"


def _shares(best: Candidate) -> str:
    """What every endpoint gets, under which traffic, by which routing."""
    worst, tables = (best.figures.get(n) for n in ("guaranteed_throughput", "tables_throughput"))
    by = [_ROUTING_WORDS.get(str(best.value(n)), str(best.value(n))) for n in
          ("uniform_routing", "guaranteed_routing")]  # fmt: skip
    uniform = rate_words(_number(best, "line_throughput"))
    if worst is None or worst.value is None:
        reason = "" if worst is None else f" ({worst.note})"
        lines = [f"Every endpoint gets {uniform} under uniform traffic ({by[0]}); of any"
                 f" permutation nothing is proved{reason}"]  # fmt: skip
    elif by[0] == by[1] and rate_words(float(worst.value)) == uniform:
        lines = [f"Every endpoint gets {uniform} under uniform traffic and any permutation"
                 f" ({by[0]})"]  # fmt: skip
    else:
        lines = [f"Every endpoint gets {uniform} under uniform traffic ({by[0]}) and at least"
                 f" {rate_words(float(worst.value))} under any permutation ({by[1]})"]  # fmt: skip
    if tables is not None and tables.value is not None:
        share = float(tables.value)
        lines.append(
            "the tables handed over have one path for each destination and guarantee"
            f"{'' if tables.exact else ' at most'} {rate_words(share).replace('its ', '')}"
        )
    return "; ".join(lines) + "."


def _dearer(best: Candidate, other: Candidate, currency: str) -> str:
    more = _number(other, "money") - _number(best, "money")
    share = _percent(_number(other, "money"), _number(best, "money"))
    text = f"The runner-up is {_one(other)}: {share} in cost ({more:+,.0f} {currency})"
    gains = [
        f"{ALL_COLUMNS[name].title} {_shown(other, name)} against {_shown(best, name)}"
        for name in _COMPARED["switched"]
        if _proved_better(other, best, name)
    ]
    return text + (
        f"; in its favour: {', '.join(gains)}."
        if gains
        else "; it is not proved better in anything."
    )


def _proved_better(one: Candidate, other: Candidate, column: str) -> bool:
    """Is it proved to be better?"""
    a, b = one.figures[column], other.figures[column]
    if ALL_COLUMNS[column].better == "less":
        a, b = b, a
    return a.low is not None and b.high is not None and a.low > b.high


def _other_demands(
    best: Candidate,
    allowed: Sequence[Candidate],
    asked: SwitchedRequirements,
    others: Sequence[OtherAnswer],
) -> list[str]:
    """Whom other demands would choose: each of these questions was asked."""
    out = []
    for other in others:
        if other.best is None:
            limit = " within the budget" if asked.budget is not None else ""
            out.append(f"No machine{limit} was found if {other.demand} ({other.options}).")
            continue
        cost = _percent(_number(other.best, "money"), _number(best, "money"))
        words = f"If {other.demand} ({other.options}), take {_one(other.best)}: {cost}."
        out.append(words)
    latency, hops_now = replace(asked, weights={"latency": 1.0}), _number(best, "hops")
    fewest = rank([replace(one) for one in allowed], latency)[0]
    if _proved_better(fewest, best, "hops") and _number(fewest, "hops") < _FEWER * hops_now:
        cost = _percent(_number(fewest, "money"), _number(best, "money"))
        hops = f"{_shown(fewest, 'hops')} hops against {_shown(best, 'hops')}"
        words = f"Of the machines found, {_one(fewest)} has the fewest hops: {hops}, {cost} in cost"
        out.append(f"{words} (--matters latency looks for fewer, whatever they cost).")
    if asked.budget is not None:
        left = asked.budget - _number(best, "money")
        out.append(f"{left:,.0f} {asked.price_list.currency} of the budget are left.")
    return out
