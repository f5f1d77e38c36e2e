"""Checks of the claims about block designs and difference covers (chapters 4, 5 and 6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations

import numpy as np

from hopscape.core.network import Network
from hopscape.ledger.claim import Correction, Outcome, Searched, Tally, judge
from hopscape.ledger.crosscheck import CrossCheck
from hopscape.papers.blockdesign import printed
from hopscape.papers.blockdesign.covers import difference_cover, largest_cover
from hopscape.papers.blockdesign.designs import (
    bruck_ryser_chowla,
    check_design,
    existence,
    make_design,
    table,
)
from hopscape.papers.blockdesign.families import (
    DistributedSwitch,
    PartialSwitch,
    QuasicompleteDigraph,
)
from hopscape.papers.blockdesign.reference import (
    crossbar_routes,
    is_symmetric,
    obstruction,
    pair_counts,
)


def _gaps(elements: Iterable[int], order: int) -> Counter[int]:
    """How often each difference occurs, counted pair by pair."""
    return Counter((s * (a - b)) % order for a, b in combinations(elements, 2) for s in (1, -1))


def _is_plane(order: int, m: int) -> bool:
    """Does the library's plane have m points on a line and any two points on one line?"""
    design = make_design(order, m, 1)
    if design.base is None or len(design.base.moduli) > 1:
        return is_symmetric(design.blocks, order, m, 1)
    gaps = _gaps(design.base.elements, order)
    turned = np.sort((np.array(design.base.elements) + np.arange(order)[:, None]) % order, axis=1)
    same = bool((np.sort(design.blocks, axis=1) == turned).all())
    return same and gaps == Counter(range(1, order))


def counting() -> Outcome:
    """Order, block size and ways of every built design are counted, then the formula is held."""
    wrong, tried, tally = [], 0, Tally()
    tally.expect("parameters", sum(map(_parameters, range(1, 7), [16] * 6)))
    for sigma in range(1, 7):
        for row in tally.each("parameters", table(sigma, 16)):
            if not row.built:
                continue
            tried += 1
            tally.expect("pairs of built designs", row.n * (row.n - 1) // 2)
            blocks = make_design(row.n, row.m, sigma).blocks
            counts = pair_counts(blocks.tolist(), row.n)
            of_pairs = counts[np.triu_indices(row.n, 1)].tolist()
            tally.add("pairs of built designs", len(of_pairs))
            often, multiplicities = set(np.diag(counts).tolist()), set(of_pairs)
            if len(often) != 1 or len(multiplicities) != 1:
                wrong.append(
                    f"B({row.n}, {row.m}, {sigma}): pairs in {sorted(multiplicities)} blocks"
                )
            elif printed.order_of_design(often.pop(), int(multiplicities.pop())) != len(blocks):
                wrong.append(f"B({row.n}, {row.m}, {sigma}) has {len(blocks)} blocks")
    text = f"{tried} designs built, sigma to 6, m to 16: {len(wrong)} exceptions"
    return judge(wrong, text, searched=tally)


def _parameters(sigma: int, most: int) -> int:
    """How many m up to `most` make m(m - 1) a multiple of sigma, m = sigma and less left out."""
    return sum(m * (m - 1) % sigma == 0 for m in range(sigma + 1, most + 1))


def table_42() -> Outcome:
    """Rows of the printed table, pair by pair, both ways round."""
    n, m, sigma = printed.EXAMPLE
    rows = np.array(printed.TABLE_4_2) - 1
    cross, wrong = CrossCheck(), []
    counts = pair_counts(rows.tolist(), n)
    for a, b in cross.tally.each("pairs of elements", combinations(range(n), 2), 7 * 6 // 2):
        if counts[a, b] != sigma:
            wrong.append(f"elements {a + 1} and {b + 1} are together in {counts[a, b]} blocks")
    blocks = combinations(range(len(rows)), 2)
    for i, j in cross.tally.each("pairs of blocks", blocks, 7 * 6 // 2):
        shared = len(set(rows[i].tolist()) & set(rows[j].tolist()))
        if shared != sigma:
            wrong.append(f"blocks {i + 1} and {j + 1} share {shared} elements")
    if set(np.diag(counts).tolist()) != {m}:
        wrong.append(f"elements are in {sorted(set(np.diag(counts).tolist()))} blocks")
    cross.same("the printed rows are a design", check_design(rows, n, sigma).holds, not wrong)
    for row in cross.tally.each(
        "changed blocks", range(len(rows)), 7
    ):  # one element exchanged: no design any more
        other = rows.copy()
        other[row, 0] = next(x for x in range(n) if x not in rows[row])
        if check_design(other, n, sigma):
            cross.wrong.append(f"with an element of row {row + 1} exchanged it is told a design")
    return cross.judge(
        wrong,
        f"{len(rows)} blocks of {rows.shape[1]}: {len(wrong)} pairs of elements or blocks not in 2",
    )


def designs_table(sigma: int) -> Outcome:
    """Every cell: built and counted, excluded by residues, or known from a citation only."""
    cross, wrong = CrossCheck(), []
    kinds: dict[str, list[str]] = {"built": [], "impossible": [], "quoted": [], "open": []}
    rows = list(table(sigma, printed.LARGEST_M[sigma]))
    wanted = _parameters(sigma, printed.LARGEST_M[sigma])
    for row in cross.tally.each("parameters", rows, wanted):
        why = obstruction(row.n, row.m, sigma)
        if row.built:
            blocks = make_design(row.n, row.m, sigma).blocks
            if not is_symmetric(blocks, row.n, row.m, sigma):
                wrong.append(f"B({row.n}, {row.m}, {sigma}) as built is not a design")
        cross.same(f"N = {row.n}: excluded", bruck_ryser_chowla(row.n, row.m, sigma) is not None,
                   why is not None)  # fmt: skip
        kind = "built" if row.built else "impossible" if why else "quoted"
        kinds["open" if row.status == "open" else kind].append(str(row.n))
    left = printed.LAST_DIGITS[sigma].split()
    cells = zip(rows[-len(left) :], left, strict=True)
    for row, digits in cross.tally.each("printed cells", cells, 9 if sigma == 1 else 7):
        if not str(printed.order_of_design(row.m, sigma)).endswith(digits):
            wrong.append(f"m = {row.m}: N = {row.n}, the scan has ..{digits}")
    text = "; ".join(f"{kind}: N = {', '.join(part)}" for kind, part in kinds.items() if part)
    note = "the shading is lost in the scan; no cell is open" if not kinds["open"] else ""
    return cross.judge(wrong, text, note=note)


def no_43() -> Outcome:
    n, m, sigma = printed.NO_DESIGN
    cross = CrossCheck()
    reason, why = bruck_ryser_chowla(n, m, sigma), obstruction(n, m, sigma)
    cross.same("excluded", reason is not None, why is not None)
    wrong = [] if why else [f"nothing excludes B({n}, {m}, {sigma})"]
    return cross.judge(wrong, f"{reason or 'not excluded'}; by residues: {why}")


def cover_39() -> Outcome:
    """The block of the partial switch: all differences counted, and the ways in its wires."""
    n, m = printed.COVER
    cross, wrong = CrossCheck(), []
    cover = difference_cover(n, m)
    if cover.elements is None:
        return judge([cover.reason], "no block found")
    gaps = _gaps(cover.elements, n)
    twice = sorted(d for d, often in gaps.items() if often > 1)
    wanted = sorted({s * d % n for d in printed.SECOND_WAYS for s in (1, -1)})
    cross.same("doubled differences", sorted(cover.difference_set().doubled), twice)
    if len(gaps) != n - 1:
        wrong.append(f"{n - 1 - len(gaps)} differences are missing")
    if twice != wanted or set(gaps.values()) != {1, 2}:
        wrong.append(f"second ways by differences {twice}, not {wanted}")
    routes = crossbar_routes(Network.of(PartialSwitch(n, m)))
    for a in cross.tally.each("nodes", range(n), 39):
        more = sorted((b - a) % n for b in range(n) if b != a and routes[a, b] > 1)
        if routes[a].min() < 1 or more != twice:
            wrong.append(f"node {a}: second ways to differences {more}")
    text = f"block {list(cover.elements)} mod {n}: {len(gaps)} differences, twice {twice}"
    return cross.judge(wrong, text)


def largest_39() -> Outcome:
    """No larger group is covered by 7 elements: what the search excludes, and its best block."""
    best, excluded = largest_cover(printed.COVER[1])
    order = int(np.prod(best.moduli))
    wrong = [] if order == printed.COVER[0] else [f"7 elements cover a group of {order}"]
    if best.elements is None or len(_gaps(best.elements, order)) != order - 1:
        wrong.append(f"the block {best.elements} does not cover a group of {order}")
    groups = sorted((tuple(other.moduli) for other in excluded), reverse=True)
    beyond = {int(np.prod(g)) for g in groups}
    most = printed.order_of_design(printed.COVER[1], 1)
    missing = [n for n in range(order + 1, most) if n not in beyond]
    wrong += [f"groups of {n} are not excluded" for n in missing]
    abelian = 3 + 1 + 1 + 1  # of orders 40 = 2³·5, 41, 42 and 43
    return judge(
        wrong,
        f"largest {order}; excluded by search: {', '.join('x'.join(map(str, g)) for g in groups)}",
        searched=[Searched("larger groups", len(set(groups)), abelian)],
    )


def square() -> Outcome:
    """Endpoints that crossbars of M ports join pairwise, by graph and by digraph."""
    wrong, right, parts, tally = [], [], [], Tally()
    for m in tally.each("orders", (3, 5, 8, 12), 4):
        graph = crossbar_routes(Network.of(DistributedSwitch(m * (m - 1) + 1, m, 1)))
        digraph = crossbar_routes(Network.of(QuasicompleteDigraph(m)))
        parts.append(f"M = {m}: {len(graph)} and {len(digraph)}")
        tally.expect("pairs of endpoints", (m * m - m + 1) ** 2 + m**4)
        for name, routes in (("graph", graph), ("digraph", digraph)):
            tally.add("pairs of endpoints", routes.size)
            if len(routes) != printed.supernodes_by_crossbars(m):
                wrong.append(f"M = {m}: the {name} joins {len(routes)}")
        joined = int(graph[0].sum()) - m + 1  # each of M crossbars leads to M - 1 others
        if joined != len(graph) or len(digraph) != m * m or graph.min() < 1 or digraph.min() < 1:
            right.append(f"M = {m}: {len(graph)} and {len(digraph)} endpoints, {joined} in reach")
    text = f"endpoints joined by graph and digraph: {'; '.join(parts)}"
    note = "M² for the digraph, M² - M + 1 for the graph"
    return judge(wrong, text, Correction(note, right), searched=tally)


def prime_orders() -> Outcome:
    """Planes of M points on a line where M - 1 is not a prime."""
    tally = Tally()
    orders = tally.each("orders", range(3, 29), 26)
    others = [m for m in orders if any((m - 1) % d == 0 for d in range(2, m - 1))]
    built = [m for m in others if existence(m * (m - 1) + 1, m, 1).built]
    broken = [f"M = {m}: no plane" for m in built if not _is_plane(m * (m - 1) + 1, m)]
    wrong = [f"M = {m} is built, M - 1 = {m - 1} is not a prime" for m in built]
    text = f"built and counted: M = {', '.join(map(str, built)) or 'none'}"
    correction = Correction("M - 1 may be any prime power", broken)
    return judge(wrong, text, correction, searched=tally)


def crossbar_for_39() -> Outcome:
    """The smallest crossbar of at least 39 ports for which a plane is known."""
    cross = CrossCheck()
    least = printed.COVER[0]
    powers, known = [], []
    for m in cross.tally.each("orders", range(least, 60), 60 - 39):
        powers += [m] if len(_primes(m - 1)) == 1 else []
        known += [m] if existence(m * (m - 1) + 1, m, 1).built else []
    cross.same("M with a known plane", known, powers)
    smallest = min(powers)
    count = smallest * (smallest - 1) + 1
    wrong = [] if smallest == printed.CROSSBAR_FOR_39 else [f"M = {smallest} is enough"]
    if not _is_plane(count, smallest):
        wrong.append(f"B({count}, {smallest}, 1) as built is not a design")
    text = f"smallest M of at least {least} with a prime power M - 1: {smallest}, N = {count}"
    return cross.judge(wrong, text)


def _primes(n: int) -> set[int]:
    factors, d = set(), 2
    while n > 1:
        if n % d == 0:
            factors.add(d)
            n //= d
        else:
            d += 1
    return factors


def sizes() -> Outcome:
    """All planes with a prime M - 1 up to the largest that the authors have, and three beyond."""
    last, *beyond = printed.BUILT
    wanted = [m for m in range(3, last + 1) if _primes(m - 1) == {m - 1}] + beyond
    wrong, tally = [], Tally()
    for m in tally.each("orders", wanted, 11 + 3):  # eleven primes up to 31
        count = m * (m - 1) + 1
        if not existence(count, m, 1).built:
            wrong.append(f"M = {m}: not built")
        elif not _is_plane(count, m):
            wrong.append(f"M = {m}: differences of B({count}, {m}, 1) are not all different")
    text = f"M = {', '.join(map(str, wanted))}: differences counted, {len(wrong)} exceptions"
    return judge(wrong, text, searched=tally)


def several_crossbars() -> Outcome:
    """c crossbars M x M for each supernode: blocks that have every difference w times."""
    wrong, parts, tally = [], [], Tally()
    cases = ((3, 2, 1), (3, 4, 1), (4, 3, 1), (5, 2, 1), (4, 3, 2), (4, 2, 2))
    for m, blocks, multiplicity in tally.each("cases", cases, 6):
        tally.expect("differences", blocks * m * (m - 1))
        order = blocks * m * (m - 1) // multiplicity + 1
        cover = difference_cover(order, m, blocks=blocks, ways=multiplicity)
        if cover.elements is None:
            wrong.append(f"M = {m}, {blocks} crossbars, {multiplicity} ways: {cover.reason}")
            continue
        gaps = sum((_gaps(block, order) for block in cover.blocks), Counter())
        tally.add("differences", gaps.total())
        if gaps != Counter(list(range(1, order)) * multiplicity) or len(cover.blocks) != blocks:
            wrong.append(f"M = {m}, {blocks} crossbars: differences of {cover.blocks} mod {order}")
        parts.append(f"{blocks} of {m} x {m} join {order} by {multiplicity}")
    text = f"crossbars of a supernode, and ways of a pair: {', '.join(parts)}"
    return judge(wrong, text, searched=tally)
