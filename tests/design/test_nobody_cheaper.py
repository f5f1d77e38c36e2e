"""A search of its own, without the designer's bounds, finds no cheaper machine that does the job.

Full meshes with trunks, two-dimensional HyperX with links of each axis, leaf-spines, tori and
circulants with trunks, each with as many endpoints at a switch as it takes and the rest of the
ports spare. What may be cheaper by its parts at the least prices is built, judged and priced.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator

import pytest

import hopscape
from hopscape.core.errors import HopscapeError
from hopscape.design import SwitchedRequirements, design
from hopscape.design.machine import machine_figures
from hopscape.design.offers import Offer
from hopscape.design.proof import no_less

SLACK = 1e-9


def _filled(spec: str, room: int, ends: int) -> str:
    return spec if room == ends else f"populated({spec}, {ends})"


def machines(ends: int, radix: int) -> Iterator[tuple[str, int, int, int]]:
    """Specs, with switches, cables between them and the most ports of a switch."""
    for n in range(2, 3 * radix):
        each = math.ceil(ends / n)
        for t in range(1, max(0, radix - each) // (n - 1) + 1):
            spec = _filled(f"concentrated(complete({n}), {each}, trunk={t})", n * each, ends)
            yield spec, n, t * n * (n - 1) // 2, each + t * (n - 1)
        for a in range(3, n):
            if n % a or n // a < a:
                continue
            b = n // a
            for t in range(1, max(0, radix - each) // 4 + 1):
                spec = _filled(f"concentrated(torus({a}, {b}), {each}, trunk={t})", n * each, ends)
                yield spec, n, 2 * t * n, each + 4 * t
            for j, k in itertools.product(range(1, 7), repeat=2):
                spec = _filled(f"hyperx(({a}, {b}), p={each}, links=({j}, {k}))", n * each, ends)
                degree = j * (a - 1) + k * (b - 1)
                yield spec, n, n * degree // 2, each + degree
        for s in range(2, min(5, n // 2)):
            steps = ", ".join(map(str, range(1, s + 1)))
            for t in range(1, max(0, radix - each) // (2 * s) + 1):
                spec = f"concentrated(circulant({n}, {steps}), {each}, trunk={t})"
                yield _filled(spec, n * each, ends), n, n * s * t, each + 2 * s * t
    for leaves, spines in itertools.product(range(2, radix + 1), range(1, radix)):
        each = math.ceil(ends / leaves)
        for k in range(1, radix // leaves + 1):
            spec = f"leaf_spine({leaves}, {spines}, {each}, links={k})"
            used = max(each + spines * k, leaves * k)
            spec = _filled(spec, leaves * each, ends)
            yield spec, leaves + spines, leaves * spines * k, used


def cheapest(asked: SwitchedRequirements, below: float) -> tuple[float, str]:
    """The cheapest machine of the search, if it costs less than this."""
    prices = asked.price_list
    cable = min(item.price for item in prices.cables)
    best = (below, "")
    for spec, switches, cables, used in machines(asked.endpoints, asked.radix):
        ports = asked.endpoints + 2 * cables
        if used > asked.radix or cables < asked.throughput * asked.endpoints / 4:
            continue
        boxes = switches * prices.switch(max(1, ports // switches // 2)).price
        if boxes + (cables + asked.endpoints) * cable >= best[0]:
            continue
        try:
            machine = Offer.of(spec).machine()
        except HopscapeError:
            continue
        if machine.endpoints != asked.endpoints or machine.flow.uniform().throughput < (
            asked.throughput - SLACK
        ):
            continue
        found = machine_figures(machine, hopscape.build(spec), prices)
        worst = float(found["guaranteed_throughput"].value or 0.0)
        if asked.worst is not None and worst < asked.worst - SLACK:
            continue
        best = min(best, (float(found["money"].value), spec))
    return best


def requests(seed: int) -> SwitchedRequirements:
    """A request by lot, small enough to search."""
    draw = random.Random(seed)
    radix = draw.choice([12, 16, 24, 32])
    ends = draw.randint(radix + 1, 5 * radix)
    share = draw.choice([1.0, 1.0, 0.75, 0.5])
    worst = draw.choice([None, None, share / 2])
    families = ("complete", "hyperx", "leaf_spine", "torus", "circulant")
    return SwitchedRequirements(ends, radix, throughput=share, worst=worst, families=families)


@pytest.mark.parametrize("seed", range(4))
def test_nobody_finds_a_cheaper_machine(seed: int) -> None:
    asked = requests(seed)
    found = design(asked).best
    assert no_less(asked) <= float(found.value("money"))
    cost, spec = cheapest(asked, float(found.value("money")) - 0.01)
    assert not spec, f"{asked.command()}: {spec} costs {cost}, {found.spec} {found.value('money')}"


def trees(ends: int, radix: int) -> Iterator[tuple[int, str]]:
    """Three-level trees of every shape, with what they cost where all switches cost the same."""
    for m1, m2, m3 in itertools.product(range(1, radix), range(2, radix), range(2, radix + 1)):
        if not ends <= m1 * m2 * m3 <= 1.25 * ends:
            continue
        for w2, l2 in itertools.product(range(1, radix - m1 + 1), range(1, radix // m2 + 1)):
            if m1 + w2 * l2 > radix or w2 * l2 < m1:
                continue
            for w3, l3 in itertools.product(range(1, radix), range(1, radix // m3 + 1)):
                if m2 * l2 + w3 * l3 > radix or w2 * w3 * l3 < m1 * m2:
                    continue
                links = m2 * m3 * w2 * l2 + m3 * w2 * w3 * l3
                parts = 14280 * (m2 * m3 + m3 * w2 + w2 * w3) + 272 * (links + ends)
                spec = f"xgft([{m1}, {m2}, {m3}], [1, {w2}, {w3}], links=[1, {l2}, {l3}])"
                yield parts, _filled(spec, m1 * m2 * m3, ends)


@pytest.mark.parametrize(("ends", "radix"), [(102, 12), (113, 12), (75, 8)])
def test_nobody_finds_a_cheaper_tree(ends: int, radix: int) -> None:
    """Where every permutation must run at line rate, trees of three levels compete."""
    families = ("clos", "xgft", "leaf_spine", "fat_tree", "kary_ntree")
    asked = SwitchedRequirements(ends, radix, worst=1.0, prices="hammingmesh", families=families)
    found = design(asked).best
    best = float(found.value("money"))
    for parts, spec in sorted(trees(ends, radix)):
        if parts >= best - 0.01:
            break
        machine = Offer.of(spec).machine()
        figures = machine_figures(machine, hopscape.build(spec), asked.price_list)
        worst = float(figures["guaranteed_throughput"].value or 0.0)
        cost = float(figures["money"].value)
        assert worst < 1 - SLACK or cost >= best - 0.01, f"{spec} costs {cost}, {found.spec} {best}"
