"""The answer in words, every number from the table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from hopscape.core.numbers import number
from hopscape.design.candidates import Candidate
from hopscape.design.columns import ALL_COLUMNS
from hopscape.design.switched_requirements import SwitchedRequirements
from hopscape.registry import family

__all__ = ["sentences"]

_COMPARED = (
    "switches",
    "watts_per_endpoint",
    "line_throughput",
    "guaranteed_throughput",
    "hops",
    "endpoints",
)
"""What the runner-up is said to be better at: a choice of these sentences."""


def sentences(candidates: Sequence[Candidate], asked: SwitchedRequirements) -> list[str]:
    """What wins, by how much, what the runner-up is better at, and what would change the choice.

    The candidates are ranked, the best first.
    """
    allowed = [one for one in candidates if not one.trouble]
    best, currency = allowed[0], asked.price_list.currency
    lines = [_winner(best, currency)]
    others = [one for one in allowed if one.family != best.family and one.equals != best.spec]
    if others:
        lines.append(_runner_up(best, others[0], currency))
    elif len(candidates) > 1:
        lines.append("No other family meets all demands.")
    lines += _changes(best, allowed, asked)
    lines += _limits(allowed, asked)
    missing = [one for one in candidates if one.trouble]
    if missing:
        near, count = missing[0], len({one.family for one in missing})
        which = "one family misses" if count == 1 else f"{count} families miss"
        lines.append(f"{which.capitalize()} a demand; the nearest, {near.spec}: {near.trouble}.")
    return lines


def _limits(allowed: Sequence[Candidate], asked: SwitchedRequirements) -> list[str]:
    """Sizes beyond which a family that is in the race needs another shape."""
    out: dict[str, int] = {}
    for one in allowed:
        radix = asked.radix * int(_number(one, "planes")) // asked.nics
        for most, more in family(one.family).limits(radix, asked.throughput):
            if most >= asked.endpoints:
                out.setdefault(f"{one.family} needs {more}", most)
                break
    words = [f"above {most:,} endpoints {text}" for text, most in sorted(out.items(), key=_second)]
    text = "; ".join(words)
    return [f"{text[0].upper()}{text[1:]}."] if text else []


def _second(item: tuple[str, int]) -> int:
    return item[1]


def _number(one: Candidate, column: str) -> float:
    return float(one.value(column) or 0.0)


def _percent(now: float, before: float) -> str:
    return f"{100 * (now / before - 1):+.1f} %" if before else "-"


def _shown(one: Candidate, column: str) -> str:
    return one.figures[column].sign + number(_number(one, column), grouped=True)


def _floored(value: float, above: float = -1.0) -> str:
    """At most the value, with four digits, or as many as it takes to be above another one."""
    rounded = 0.0
    for digits in range(4, 7):
        rounded = math.floor(value * 10**digits + 1e-6) / 10**digits
        if rounded > max(above, 0.0):
            break
    return f"{rounded:g}"


def _winner(best: Candidate, currency: str) -> str:
    return (
        f"Build {best.spec}: {_shown(best, 'switches')} switches, {_shown(best, 'cables_copper')}"
        f" copper and {_shown(best, 'cables_optical')} optical cables for"
        f" {_shown(best, 'endpoints')} endpoints, {_number(best, 'money'):,.0f} {currency}"
        f" ({_number(best, 'cost_per_endpoint'):,.0f} per endpoint); every endpoint gets"
        f" {_shown(best, 'line_throughput')} of its line rate under uniform traffic and at least"
        f" {_floored(_number(best, 'guaranteed_throughput'))} under any permutation."
    )


def _runner_up(best: Candidate, other: Candidate, currency: str) -> str:
    more = _number(other, "money") - _number(best, "money")
    share = _percent(_number(other, "money"), _number(best, "money"))
    text = f"The runner-up is {other.spec}: {share} in cost ({more:+,.0f} {currency})"
    gains = [
        f"{ALL_COLUMNS[name].title} {_shown(other, name)} against {_shown(best, name)}"
        for name in _COMPARED
        if _better(other, best, name)
    ]
    return text + (
        f"; it is better at {', '.join(gains)}." if gains else "; it is better at nothing."
    )


def _better(one: Candidate, other: Candidate, column: str) -> bool:
    """Is it proved to be better?"""
    a, b = one.figures[column], other.figures[column]
    if ALL_COLUMNS[column].better == "less":
        a, b = b, a
    return a.low is not None and b.high is not None and a.low > b.high


def _changes(
    best: Candidate, allowed: Sequence[Candidate], asked: SwitchedRequirements
) -> list[str]:
    """Whom other demands would choose."""
    out = []
    for column, option, what in (
        ("guaranteed_throughput", "worst", "any permutation must get"),
        ("line_throughput", "throughput", "uniform traffic must get"),
    ):
        better = [one for one in allowed if _better(one, best, column)]
        if better:
            level = max(_number(one, column) for one in better)
            choice = min(
                (one for one in better if _number(one, column) >= level - 1e-9),
                key=lambda one: _number(one, "money"),
            )
            cost = _percent(_number(choice, "money"), _number(best, "money"))
            least = _floored(level, above=_number(best, column))
            both = option == "worst" and float(least) > asked.throughput
            ask = f"--throughput {least} --worst {least}" if both else f"--{option} {least}"
            out.append(f"If {what} {least} ({ask}), take {choice.spec} ({cost}).")
    fewest = min(allowed, key=lambda one: (_number(one, "hops"), _number(one, "money")))
    if _better(fewest, best, "hops"):
        cost = _percent(_number(fewest, "money"), _number(best, "money"))
        hops = f"{_shown(fewest, 'hops')} hops against {_shown(best, 'hops')}"
        out.append(f"If latency matters most, take {fewest.spec}: {hops} ({cost}).")
    if asked.budget is not None:
        left = asked.budget - _number(best, "money")
        out.append(f"{left:,.0f} {asked.price_list.currency} of the budget are left.")
    return out
