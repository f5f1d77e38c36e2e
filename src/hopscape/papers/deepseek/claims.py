"""DeepSeek-V3's table of fabrics in the ledger: its sizes, built from switches with 64 ports."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from hopscape.algebra.fields import prime_power
from hopscape.ledger.claim import Correction, Entries, Outcome, Paper, Tally, Value, judge
from hopscape.registry import build

__all__ = ["PAPER"]

SIZES = {
    "FT2": (2048, 96),
    "MPFT": (16384, 768),
    "FT3": (65536, 5120),
    "Slim Fly": (32928, 1568),
    "Dragonfly": (261632, 16352),
}
"""Endpoints and switches, as handed down."""
_PORTS = 64
_NOTE = "the table was not at hand in print; sizes as handed down"


def _counted(spec: str, planes: int, tally: Tally) -> tuple[int, int, int]:
    """Endpoints, switches and ports of the largest switch, from the lines alone."""
    network = build(spec)
    lines = network.tails < network.heads
    ports = np.bincount(network.tails, minlength=network.order)
    ends = int((ports == 1).sum())  # an endpoint has one line, a switch many
    tally.add("lines", int(lines.sum()))
    addresses = network.addresses.tuples(np.arange(network.order))
    tally.add("addresses", len(np.unique(addresses, axis=0)))
    return planes * ends, planes * (network.order - ends), int(ports.max())


def _check_trees() -> Outcome:
    wrong, words, tally = [], [], Tally()
    tally.expect("lines", 2 * 2_048 + 2 * 2_048 + 3 * 65_536)  # one of each endpoint and level
    tally.expect("addresses", sum(SIZES["FT2"]) * 2 + sum(SIZES["FT3"]))
    values: dict[str, Value] = {}
    machines = {
        "FT2": ("leaf_spine(64, 32, 32)", 1),
        "MPFT": ("leaf_spine(64, 32, 32)", 8),
        "FT3": ("clos(64, 3)", 1),
    }
    for name, (spec, planes) in tally.each("machines", machines.items(), 3):
        ends, switches, ports = _counted(spec, planes, tally)
        values[name] = [ends, switches, ports]
        words.append(f"{name} {ends:,} and {switches:,}")
        if (ends, switches) != SIZES[name] or ports > _PORTS:
            wrong.append(f"{words[-1]} at {ports} ports, printed {SIZES[name]}")
    text = f"endpoints and switches: {', '.join(words)}"
    return judge(wrong, text, note=_NOTE, values=values, searched=tally)


def _has_field(q: int) -> bool:
    """Whether q is a power of a prime, which is computed again."""
    found = prime_power(q)
    return found is not None and found[0] ** found[1] == q


def _check_slim_fly() -> Outcome:
    """A Slim Fly of q has 2 q^2 switches, and a field of q elements: q is a prime power."""
    ends, switches = SIZES["Slim Fly"]
    q = math.isqrt(switches // 2)
    exact = 2 * q * q == switches
    tally = Tally()
    near = [p for p in tally.each("numbers beside", range(q - 4, q + 5), 9) if _has_field(p)]
    wrong: list[str] = []
    words: list[str] = []
    if not exact or not _has_field(q):
        wrong.append(f"{switches:,} = 2 x {q}^2 switches need a field of {q} elements: none has it")
    sizes: dict[str, Value] = {}
    for p in near:
        order = 2 * p * p
        delta = next(d for d in (-1, 0, 1) if (p - d) % 4 == 0)
        degree = (3 * p - delta) // 2
        at = min(-(-degree // 2), _PORTS - degree)
        name = f"q = {p}"
        sizes[name] = [order, order * at, degree + at]
        words.append(f"{name}: {order:,} with {order * at:,}")
    text = f"{ends:,} endpoints are {ends / switches:g} at each of {switches:,} switches;"
    text = f"{text} there are {', '.join(words)}"
    return judge(wrong, text, note=_NOTE, values={"printed q": q, **sizes}, searched=tally)


def _check_dragonfly() -> Outcome:
    """Groups of 32 switches with 16 endpoints and 16 global lines each (a = 2p = 2h)."""
    ends, switches = SIZES["Dragonfly"]
    side = _PORTS // 4
    a, groups = 2 * side, switches // (2 * side)
    most = a * side + 1
    values: dict[str, Value] = {
        "groups": groups,
        "most groups": most,
        "ports": side + a - 1 + side,
    }
    wrong = []
    if groups * a != switches or switches * side != ends or groups > most:
        wrong.append(f"{ends:,} endpoints and {switches:,} switches are no groups of {a} x {side}")
    if groups < most:
        wrong.append(f"{groups} groups where {most} fit")
    best = f"{most} groups: {most * a:,} switches with {most * a * side:,} endpoints"
    return judge(
        wrong,
        f"{groups} groups of {a} switches with {side} endpoints, {values['ports']} ports",
        Correction(f"the largest has {best}", wrong[:-1]),
        values=values,
    )


_claim = Entries("deepseek").claim

CLAIMS = (
    _claim(
        "deepseek-trees",
        "table of fabrics",
        "Fat trees of two levels, in eight planes, and of three levels: 2,048 endpoints on 96"
        " switches, 16,384 on 768, 65,536 on 5,120.",
        "built and counted",
        _check_trees,
    ),
    _claim(
        "deepseek-slim-fly",
        "table of fabrics",
        "A Slim Fly has 32,928 endpoints on 1,568 switches.",
        "2 q^2 switches over a field of q elements; its neighbours recomputed",
        _check_slim_fly,
    ),
    _claim(
        "deepseek-dragonfly",
        "table of fabrics",
        "A Dragonfly has 261,632 endpoints on 16,352 switches.",
        "balanced groups (a = 2p = 2h) of switches with 64 ports, counted",
        _check_dragonfly,
        searches=False,
    ),
)

PAPER = Paper(
    "deepseek",
    "Zhao and others: Insights into DeepSeek-V3, scaling challenges and reflections on hardware for"
    " AI architectures (ISCA 2025, arXiv 2505.09343)",
    (),
    CLAIMS,
    pinned=Path(__file__).with_name("pinned.jsonl"),
)
