"""Other questions that an answer speaks of, each of them asked.

"If every permutation must run at line rate, take ..." is the answer to that very question; and
where nothing meets all demands, the price of the rest is found by asking without one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hopscape.core.errors import ArgumentError, HopscapeError
from hopscape.core.numbers import counted
from hopscape.design.bill import rack_watts
from hopscape.design.candidates import Candidate
from hopscape.design.columns import new_evaluation
from hopscape.design.family_search import survived_by
from hopscape.design.floorplan import RACK_SLOTS, FloorPlan, place
from hopscape.design.machine import optimal_figures
from hopscape.design.names import called, distinct, plain_name
from hopscape.design.offers import Offer
from hopscape.design.question import LIMITS
from hopscape.design.ranking import LIMIT_COLUMNS, rank
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.metrics.columns import measure_columns
from hopscape.registry import build

__all__ = ["Ask", "OtherAnswer", "cheapest", "infeasible", "other_answers"]

Ask = Callable[[SwitchedRequirements], list[Candidate]]
"""Asks all families of a question; what they answer, not ranked."""

_MOST_ENDPOINTS = 2_000
"""Endpoints up to which other questions are asked: they take as long as the first one."""
_SIZES = 5  # looked at between the largest that is known to fit a budget and the least that is not
_NAMED = 2  # demands of which to drop one is enough: each takes as long as the first question
_FULL = 1 - 1e-9


@dataclass(frozen=True)
class OtherAnswer:
    """What another demand would choose.

    Attributes:
        demand: In words, such as ``every permutation must run at line rate``.
        options: That ask for it.
        best: None where nothing meets it.
    """

    demand: str
    options: str
    question: SwitchedRequirements
    best: Candidate | None


def cheapest(question: SwitchedRequirements, ask: Ask) -> Candidate | None:
    """The answer to a question; None where nothing meets its demands."""
    try:
        ranked = rank(ask(question), question)
        return distinct(ranked)[0] if ranked else None
    except ArgumentError:
        return None


def other_answers(question: SwitchedRequirements, best: Candidate, ask: Ask) -> list[OtherAnswer]:
    """What full rate for uniform traffic, and for any permutation, would choose."""
    if question.endpoints > _MOST_ENDPOINTS or question.routing == "adaptive":
        return []
    out = []
    if float(best.value("line_throughput") or 0) < _FULL:
        asked = replace(question, throughput=1.0)
        words = "uniform traffic must run at line rate"
        out.append(OtherAnswer(words, "--throughput 1", asked, cheapest(asked, ask)))
    if float(best.value("guaranteed_throughput") or 0) < _FULL:
        asked = replace(question, throughput=1.0, worst=1.0)
        words = "every permutation must run at line rate"
        options = "--worst 1" if question.throughput == 1 else "--throughput 1 --worst 1"
        out.append(OtherAnswer(words, options, asked, cheapest(asked, ask)))
    return out


def infeasible(question: SwitchedRequirements, found: Sequence[Candidate], ask: Ask) -> str:
    """The demand that binds, and its price, where nothing meets all demands."""
    parts = []
    if question.budget is not None:
        rest = cheapest(replace(question, budget=None), ask)
        if rest is not None:
            return f"{_over_budget(question, rest)}{_affordable(question, rest, ask)}"
    currency, enough = question.price_list.currency, _enough_to_drop(question, ask)
    for name, other in enough:
        demand, has = _dropped(question, name, other)
        more = _on_smaller_racks(question, other, ask) if name == "watts_per_rack" else ""
        words = f"{_binding(question, demand, other)}: the cheapest that meets the rest"
        if len(enough) > 1:
            words = f"without {_both(question, demand, other)} the cheapest"
        cost = f"costs {other.value('money'):,.0f} {currency}"
        parts.append(f"{words}, {called(other, article=True)}, {has} and {cost}{more}")
    most = max(found, key=lambda one: (_uniform(one), -float(one.value("money"))))
    if not parts and _uniform(most) < question.throughput:
        most.name = plain_name(most)
        parts.append(
            f"--throughput {question.throughput:g} is what binds: the most that was found,"
            f" {called(most, article=True)}, has uniform {_uniform(most):.4g} and costs"
            f" {most.value('money'):,.0f} {currency}"
        )
    head = f"no machine of {question.endpoints:,} endpoints was found that meets all demands"
    if not parts:
        most.name = plain_name(most)
        alone = "; to drop one of them alone is not enough" if len(_droppable(question)) > 1 else ""
        return f"{head}{alone}; the nearest, {called(most, article=True)}: {most.trouble}"
    several = "to drop one of them is enough: " if len(enough) > 1 else ""
    return f"{head}; {several}{'; '.join(parts)}"


def _enough_to_drop(question: SwitchedRequirements, ask: Ask) -> list[tuple[str, Candidate]]:
    """Demands, the first few, without one of which there is a machine: the cheapest of each."""
    out: list[tuple[str, Candidate]] = []
    for name in _droppable(question):
        other = None
        if len(out) < _NAMED:
            other = cheapest(question.without(name, "budget"), ask)
        if other is not None:
            out.append((name, other))
    return out


def _droppable(question: SwitchedRequirements) -> list[str]:
    """Demands without one of which the question can be asked again."""
    names = ("worst", *LIMITS, "survive", "grow")
    return [name for name in names if getattr(question, name) is not None]


def _dropped(question: SwitchedRequirements, name: str, other: Candidate) -> tuple[str, str]:
    """A demand, and what the cheapest machine that meets the rest has instead."""
    option = f"--{name.replace('_', '-')}"
    if name == "worst":
        if question.routing == "optimal" and other.value("guaranteed_routing") != "optimal":
            other.figures |= optimal_figures(Offer.of(other.spec).machine(), other.figures)
        share = float(other.value("guaranteed_throughput") or 0)
        return f"{option} {question.worst:g}", f"has guaranteed {share:.4g}"
    if name == "survive":
        asked = question.survive
        assert asked is not None
        left = survived_by(other.spec, asked).share
        if left.value is None:
            rest = f"is not known to keep anything ({left.note})"
        else:
            rest = f"keeps {left.sign}{float(left.value):.4g} of the line rate" if left.value else (
                "is parted, or nothing is left of it,"
            )  # fmt: skip
        return f"{option} {asked.text}" + f" --remaining {asked.share:g}" * bool(asked.share), rest
    if name == "grow":
        rest = "has no larger machine in its family that it is known to grow into"
        return f"{option} {question.grow}", rest
    has = other.value(LIMIT_COLUMNS[name])
    if name == "vcs":  # measured of those that are asked for it
        has = measure_columns(new_evaluation(build(other.spec)), ["vcs"])["vcs"].value
    noun = LIMITS[name]
    shown = f"an unknown number of {noun[1]}" if has is None else counted(float(has), *noun)
    return f"{option} {getattr(question, name):g}", f"has {shown}"


def _on_smaller_racks(question: SwitchedRequirements, other: Candidate, ask: Ask) -> str:
    """What meets all demands where racks are as small as a machine's watts ask for."""
    network, prices = build(other.spec), question.price_list
    slots = RACK_SLOTS if question.plan is None else 1
    while slots > 1:
        slots //= 2
        plan = FloorPlan.for_racks(2 * math.ceil(network.order / slots), slots)
        try:
            watts = rack_watts(network, place(network, plan), prices)
        except HopscapeError:
            continue
        if watts <= (question.watts_per_rack or 0.0):
            best = cheapest(replace(question, plan=plan), ask)
            if best is None:
                break
            cost = f"{best.value('money'):,.0f} {prices.currency}"
            name = called(best, article=True)
            return f"; in smaller racks (--floor {plan.text}) {name} meets all for {cost}"
    return ""


def _binding(question: SwitchedRequirements, words: str, other: Candidate) -> str:
    """Which demands bind: one, and the budget as well if what meets the rest is beyond it."""
    both = _both(question, words, other)
    return f"{both} is what binds" if both == words else f"{both} both bind"


def _both(question: SwitchedRequirements, words: str, other: Candidate) -> str:
    """A demand, and the budget where what meets the rest is beyond it."""
    if question.budget is None or float(other.value("money")) <= question.budget:
        return words
    return f"{words} and --budget {question.budget:,.0f}"


def _uniform(one: Candidate) -> float:
    return float(one.value("line_throughput") or 0)


def _over_budget(question: SwitchedRequirements, rest: Candidate) -> str:
    money, currency = float(rest.value("money")), question.price_list.currency
    assert question.budget is not None
    return (
        f"--budget {question.budget:,.0f} {currency} is what binds: the cheapest that meets the"
        f" rest, {called(rest, article=True)}, costs {money:,.0f} {currency},"
        f" {money - question.budget:,.0f} too much"
    )


def _affordable(question: SwitchedRequirements, rest: Candidate, ask: Ask) -> str:
    """How many endpoints the budget buys, as asked and with half the throughput."""
    words = []
    tapers = [(question, "as asked")]
    if question.throughput > 0.5:
        half = min(0.5, question.worst) if question.worst is not None else None
        tapers.append((replace(question, throughput=0.5, worst=half), "at half of the line rate"))
    most = 0
    for asked, how in tapers:
        size = _largest(asked, rest, ask)
        if size > most:  # half of the rate for no more endpoints is no offer
            words.append(f"{size:,} endpoints {how}")
            most = size
    if not words:
        return ""
    return f"; for {question.budget:,.0f} you get at least {' or '.join(words)}"


def _largest(question: SwitchedRequirements, rest: Candidate, ask: Ask) -> int:
    """Endpoints of a machine within the budget, by a few questions."""
    assert question.budget is not None
    each = float(rest.value("money")) / max(1, int(rest.value("endpoints")))
    step = question.island
    low, high = 0, question.endpoints // step  # islands, or endpoints
    size = min(high - 1, math.floor(question.budget / (each * step)))
    for _ in range(_SIZES):
        if size < 2 or size <= low or size >= high:
            break
        if cheapest(replace(question, endpoints=size * step), ask) is not None:
            low = size
        else:
            high = size
        size = (low + high) // 2 if low else math.floor(0.8 * high)
    return low * step
