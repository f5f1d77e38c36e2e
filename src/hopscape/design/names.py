"""What a machine is called by people, which machines are the same, and which few to show first.

Families overlap: a full mesh is a HyperX of one dimension, a complete graph, a circulant. Machines
whose switch graphs are isomorphic appear once, under the first name of the ranking.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from hopscape.algebra.groups import coloured_group
from hopscape.core.arrays import IntArray
from hopscape.core.errors import HopscapeError, TooLargeError
from hopscape.design.candidates import Candidate
from hopscape.design.machine import Machine
from hopscape.design.offers import Offer
from hopscape.registry import family

__all__ = [
    "Shown",
    "called",
    "distinct",
    "family_kind",
    "kind_of",
    "plain_name",
    "same_machine",
    "shortlist",
]

_GROUP_WORK = 5_000_000
_MOST_CHANNELS = 60_000
_FEW, _DEAR = 5, 1.25
"""Machines to show, and what others may cost of the dearest that must be among them."""
_ALIKE = ("endpoints", "planes", "switches", "radix_used", "hops", "line_throughput")
"""Isomorphic machines are equal in these."""


def called(one: Candidate, article: bool = False) -> str:
    """A machine by its plain name, its spec behind; with its article inside a sentence.

    Examples:
        >>> called(Candidate("hyperx((9,), p=8)", "hyperx", name="full mesh of 9 switches"))
        'full mesh of 9 switches (hyperx((9,), p=8))'
        >>> called(Candidate("hyperx((9,), p=8)", "hyperx", name="full mesh of 9 switches"), True)
        'a full mesh of 9 switches (hyperx((9,), p=8))'
    """
    if not one.name or one.name == one.spec:
        return one.spec
    return f"{_a(one.name) if article else one.name} ({one.spec})"


def kind_of(one: Candidate) -> str:
    """The kind of a machine in words, without numbers: 'full mesh', 'leaf-spine'."""
    return _kind(one.spec, one.family)


def plain_name(one: Candidate) -> str:
    """A machine as people call it.

    Examples:
        >>> plain_name(Candidate("hyperx((9,), p=8)", "hyperx"))
        'full mesh of 9 switches'
        >>> plain_name(Candidate("concentrated(complete(3), 30, trunk=12)", "complete"))
        'full mesh of 3 switches, trunks of 12'
        >>> plain_name(Candidate("leaf_spine(8, 4, 16, links=4)", "leaf_spine"))
        'leaf-spine of 12 switches'
        >>> plain_name(Candidate("concentrated(complete(1), 5)", "complete"))
        'one switch'
    """
    try:
        offer = Offer.of(one.spec)
        machine = (offer if offer.pairs else offer.whole).machine()
    except HopscapeError:
        return one.spec
    switches = int(machine.boxes.sum())
    kind = _kind(one.spec, one.family)
    if switches == 1:
        name = "one switch"
    elif kind == "full mesh":
        trunk = round(float(machine.flow.speeds.sum()) / (switches * (switches - 1)))
        alike = not offer.pairs or int(np.ptp(machine.graph.ends)) < 2
        name = f"full mesh of {switches} {'switches' if alike else 'unequal switches'}"
        if offer.pairs:
            pass  # of its trunks each is as wide as it must be
        elif switches == 2:
            name = f"two switches joined by {trunk} cable{'s' * (trunk > 1)}"
        elif trunk > 1:
            name += f", trunks of {trunk}"
    else:
        name = f"{kind} of {switches:,} switches"
    if machine.planes > 1:
        name = f"{machine.planes} planes, each {_a(name)}"
    return name if machine.rails == 1 else f"{machine.rails} rails, each {_a(name)}"


def _a(name: str) -> str:
    if name[0].isdigit() or name.startswith(("one ", "two ", "rings ")):
        return name
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


def _kind(spec: str, name: str) -> str:
    try:
        offer = Offer.of(spec)
        if _is_full_mesh(offer.machine(), alike=not offer.pairs):
            return "full mesh"
    except HopscapeError:
        pass
    return family_kind(name)


def family_kind(name: str) -> str:
    """A family in words: 'leaf-spine', 'HyperX'.

    Examples:
        >>> family_kind("leaf_spine"), family_kind("hyperx"), family_kind("clos")
        ('leaf-spine', 'HyperX', 'fat tree')
    """
    kind = family(name)
    if kind.plain:
        return kind.plain
    text = kind.summary.split(":")[0].split("(")[0].split(" of ")[0].split(" with ")[0].strip()
    plain = text not in ("family", "") and len(text) <= 34  # 'family (19): ...' says nothing
    return text if plain else name.replace("_", " ")


def _is_full_mesh(machine: Machine, alike: bool = True) -> bool:
    """Is every switch joined to every other? By trunks of one width, if these must be alike."""
    graph = machine.flow
    if graph.hosted or not (graph.ends > 0).all():
        return False
    if graph.order == 1:
        return True
    pairs, where = np.unique(graph.tails * graph.order + graph.heads, return_inverse=True)
    speeds = np.bincount(where.ravel(), graph.speeds)
    whole = len(pairs) == graph.order * (graph.order - 1)
    return whole and (not alike or bool(np.ptp(speeds) == 0))


def same_machine(a: Machine, b: Machine) -> bool:
    """Is one machine the other with its switches renumbered? False where that is not decided.

    Both stand side by side, each under a node of its own that reaches all of it: they are
    isomorphic if a symmetry exchanges these two.
    """
    if (a.planes, a.rails, a.nics, a.endpoints) != (b.planes, b.rails, b.nics, b.endpoints):
        return False
    first, second = _channels(a), _channels(b)
    n = a.graph.order
    if n != b.graph.order or len(first[0]) != len(second[0]) > _MOST_CHANNELS:
        return False
    colours = [np.stack([m.graph.ends, m.ports, m.graph.hosts]) for m in (a, b)]
    shades = np.unique(np.concatenate(colours, axis=1), axis=1, return_inverse=True)[1].ravel()
    if len(first[0]) != len(second[0]) or len(first[0]) > _MOST_CHANNELS:
        return False
    if not np.array_equal(np.sort(shades[:n]), np.sort(shades[n:])):
        return False
    apexes = np.repeat([2 * n, 2 * n + 1], n)
    try:
        group = coloured_group(
            "two machines",
            np.concatenate([first[0], second[0] + n, apexes]),
            np.concatenate([first[1], second[1] + n, np.arange(2 * n)]),
            np.concatenate([shades, [2 * n, 2 * n]]).astype(np.int64),
            _GROUP_WORK,
        )
    except TooLargeError:
        return False
    return any(int(g[2 * n]) == 2 * n + 1 for g in group.generators)


def _same_offer(a: Offer, b: Offer) -> bool:
    """Are two offers one machine? Where endpoints are dealt evenly, with all ports in use."""
    if not a.deal and not b.deal:
        a, b = a.whole, b.whole
    try:
        return same_machine(a.machine(), b.machine())
    except HopscapeError:
        return False


def _channels(machine: Machine) -> tuple[IntArray, IntArray]:
    """Channels of one plane, a trunk as often as it has cables."""
    graph = machine.flow
    times = np.maximum(1, np.round(graph.speeds)).astype(np.int64)
    return np.repeat(graph.tails, times), np.repeat(graph.heads, times)


class _Made(NamedTuple):
    """An offer, and its machine: with all ports in use, where endpoints are dealt evenly.

    Which switches have one endpoint more then depends on how they are numbered.
    """

    offer: Offer
    machine: Machine

    @classmethod
    def of(cls, spec: str) -> _Made:
        offer = Offer.of(spec)
        return cls(offer, (offer if offer.deal else offer.whole).machine())

    def same(self, other: _Made) -> bool:
        if bool(self.offer.deal) == bool(other.offer.deal):
            return same_machine(self.machine, other.machine)
        return same_machine(self.offer.machine(), other.offer.machine())


def distinct(ranked: Iterable[Candidate]) -> list[Candidate]:
    """Each machine once, named, under its first spec; the others are remembered as `also`."""
    shown: list[Candidate] = []
    groups: dict[tuple[object, ...], list[tuple[Candidate, _Made]]] = {}
    for one in ranked:
        try:
            made = _Made.of(one.spec)
        except HopscapeError:
            shown.append(one)
            continue
        alike = groups.setdefault(tuple(one.value(name) for name in _ALIKE), [])
        twin = next((first for first, known in alike if made.same(known)), None)
        if twin is None:
            alike.append((one, made))
            shown.append(one)
        else:
            twin.also = (*twin.also, one.spec)
    for one in shown:
        one.name = plain_name(one)
    return shown


class Shown(NamedTuple):
    """One of the few machines that are shown first, and why."""

    candidate: Candidate
    why: str


def shortlist(ranked: Sequence[Candidate], most: int = _FEW) -> list[Shown]:
    """Three to five machines that differ in kind.

    The first of the ranking, the cheapest that guarantees the full line rate, the cheapest of the
    trade's standard ones, and then the first of other kinds that nothing dominates.
    """
    allowed = [one for one in ranked if not one.trouble]
    cheap = sorted(allowed, key=_money)
    out: dict[str, Shown] = {}

    def add(one: Candidate | None, why: str) -> None:
        if one is not None:
            known = out.get(one.spec)
            out[one.spec] = Shown(one, why if known is None else f"{known.why}; {why}")

    if allowed:
        add(allowed[0], "cheapest" if allowed[0] is cheap[0] else "first by what matters")
        add(cheap[0] if cheap[0] is not allowed[0] else None, "cheapest")
    full = (one for one in cheap if float(one.value("guaranteed_throughput") or 0) >= 1 - 1e-9)
    add(next(full, None), "cheapest with full rate guaranteed")
    standard = [one for one in (*cheap, *ranked) if family(one.family).standard]
    if standard:
        words = "the usual choice"
        add(standard[0], f"{words}, misses a requirement" if standard[0].trouble else words)
    kinds = {kind_of(shown.candidate) for shown in out.values()}
    dear = _DEAR * max((_money(shown.candidate) for shown in out.values()), default=0.0)
    for one in allowed:
        if len(out) >= most:
            break
        if not one.dominated_by and _money(one) <= dear and kind_of(one) not in kinds:
            kinds.add(kind_of(one))
            add(one, "Pareto-optimal")
    order = {one.spec: i for i, one in enumerate(ranked)}
    return sorted(out.values(), key=lambda shown: order[shown.candidate.spec])


def _money(one: Candidate) -> float:
    return float(one.value("money") or 0.0)
