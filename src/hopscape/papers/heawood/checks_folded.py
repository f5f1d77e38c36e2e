"""Claims about the folded networks (section 3): symmetry, routing, broadcast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from hopscape.collectives.products import broadcast_by_axes
from hopscape.core.arrays import IntArray
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.verify import verify
from hopscape.families.classic import Petersen
from hopscape.ledger.claim import Correction, Outcome, Searched, Tally, judge
from hopscape.ledger.crosscheck import settled
from hopscape.papers.heawood import printed
from hopscape.papers.heawood.checks_graph import basic_route, defined_rows, heawood
from hopscape.papers.heawood.folded import Folded
from hopscape.reference import graphs

__all__: list[str] = []

_SEED = 36
"""Of the sources, targets and roots that are drawn."""


def petersen() -> Network:
    """The Petersen graph, wired as defined: pentagon, pentagram and spokes."""
    outer = [[(i + 1) % 5, (i - 1) % 5, i + 5] for i in range(5)]
    inner = [[5 + (i + 2) % 5, 5 + (i - 2) % 5, i] for i in range(5)]
    return graphs.as_defined(Network.of(Petersen()), outer + inner, 3)


def folded(base: Network, n: int) -> Network:
    """The power with n factors."""
    return Network.of(Folded(base, n))


def _automorphisms(rows: graphs.Rows) -> list[tuple[int, ...]]:
    """All automorphisms of a small graph, node by node."""
    neighbours = [set(row) for row in rows]
    automorphisms: list[tuple[int, ...]] = []
    stack: list[tuple[int, ...]] = [()]
    while stack:
        images = stack.pop()
        v = len(images)
        if v == len(rows):
            automorphisms.append(images)
            continue
        stack += [
            (*images, w)
            for w in range(len(rows))
            if w not in images
            and all((u in neighbours[v]) == (images[u] in neighbours[w]) for u in range(v))
        ]
    return automorphisms


def _orbits(size: int, pairs: Iterable[tuple[int, int]]) -> int:
    """Number of classes when pairs are put together."""
    root = list(range(size))

    def find(v: int) -> int:
        while root[v] != v:
            root[v] = root[root[v]]
            v = root[v]
        return v

    for a, b in pairs:
        root[find(a)] = find(b)
    return len({find(v) for v in range(size)})


def check_symmetric() -> Outcome:
    """Automorphisms of the base in each entry and the exchange of entries, on FH(2) in full."""
    base = graphs.rows_of(heawood())
    group = _automorphisms(base)
    square = folded(heawood(), 2)
    rows = graphs.rows_of(square)
    high, low = np.divmod(np.arange(len(rows)), 14)
    some = [np.asarray(g) for g in group[:: max(1, len(group) // 24)]] if group else []
    maps = [*(14 * g[high] + low for g in some), *(14 * high + g[low] for g in some)]
    maps.append(14 * low + high)
    wrong = []
    tally = Tally()
    tally.expect("maps and links", 49 * 196 * 6)
    links = [(u, v) for u, row in enumerate(rows) for v in row]
    number = {link: i for i, link in enumerate(links)}
    automorphisms = []
    for move in maps:
        kept = sum((int(move[u]), int(move[v])) in number for u, v in links)
        tally.add("maps and links", kept)
        if kept == len(links):
            automorphisms.append(move)
        else:
            wrong.append("a map that ought to keep the links of FH(2) does not")
    nodes = _orbits(len(rows), ((v, int(m[v])) for m in automorphisms for v in range(len(rows))))
    arcs = _orbits(
        len(links),
        (
            (i, number[int(m[u]), int(m[v])])
            for m in automorphisms
            for i, (u, v) in enumerate(links)
        ),
    )
    if nodes != 1 or arcs != 1:
        wrong.append(f"FH(2) has {nodes} orbits of nodes and {arcs} of directed links")
    return judge(
        wrong,
        f"{len(group)} automorphisms of the base; FH(2) under them and the exchange of entries:"
        f" {nodes} orbit of nodes, {arcs} of directed links",
        searched=[
            Searched("automorphisms of the base", len(group), 336),  # those of PGL(2, 7)
            Searched("maps of FH(2)", len(automorphisms), 2 * 24 + 1),
            *tally,
        ],
    )


def check_definition() -> Outcome:
    """Definition 2 written out, against the network."""
    rule = defined_rows()
    wrong, sizes, nodes = [], [], 0
    for n in (1, 2, 3):
        network = folded(heawood(), n)
        sizes.append(network.order)
        if network.order != 14**n:
            wrong.append(f"FH({n}) has {network.order} nodes, not {14**n}")
            continue
        rows = graphs.rows_of(network)
        for v in range(network.order):
            nodes += 1
            digits = [v // 14**i % 14 for i in range(n)]
            wanted = {v + (w - x) * 14**i for i, x in enumerate(digits) for w in rule[x]}
            if set(rows[v]) != wanted:
                wrong.append(f"FH({n}): node {v} is wired to {sorted(rows[v])}")
    return judge(
        wrong,
        f"FH(1), FH(2), FH(3): {sizes} nodes, wired as defined",
        searched=[Searched("nodes", nodes, 14 + 14**2 + 14**3)],
    )


def check_route() -> Outcome:
    """Basic_Route on one entry after the other, from the highest on; and our router beside it."""
    rows = graphs.rows_of(heawood())
    legs = [[basic_route(a, b, False, rows=rows) for b in range(14)] for a in range(14)]
    rng = np.random.default_rng(_SEED)
    wrong, ours, longest, tally = [], [], {}, Tally()
    tally.expect("pairs", 14 * 14 + 25 * (14**2 + 14**3))
    tally.expect("routes walked", 8 * (14 + 25 + 25))
    for n in (1, 2, 3):
        network = folded(heawood(), n)
        table = graphs.rows_of(network)
        sources = sorted(rng.choice(network.order, min(network.order, 25), replace=False).tolist())
        router = network.router()
        truth = graphs.distances(table, sources)
        digits = [np.arange(network.order) // 14**i % 14 for i in range(n)]
        hops_of = np.asarray([[999 if path is None else len(path) - 1 for path in r] for r in legs])
        longest[n] = 0
        for i, source in enumerate(sources):
            hops = sum(hops_of[source // 14**j % 14, digit] for j, digit in enumerate(digits))
            longest[n] = max(longest[n], int(np.max(hops)))
            for target in np.flatnonzero(hops != truth[i])[:1].tolist():
                wrong.append(f"FH({n}): {source} to {target} is not shortest")
            ends = tally.each("routes walked", rng.integers(2**30, size=8).tolist())
            ours += graphs.wrong_routes(network, table, source, truth[i], ends)
            routed = router.distances(np.full(network.order, source), np.arange(network.order))
            for target in np.flatnonzero(routed != truth[i])[:1].tolist():
                ours.append(f"FH({n}): told {routed[target]} hops from {source} to {target}")
            tally.add("pairs", len(routed))
    ours += _misrouted(hops_of, tally)
    slow = [f"FH({n}) takes {far} hops" for n, far in longest.items() if far > 3 * n]
    text = f"FH(1..3): longest routes {list(longest.values())}"
    outcome = judge(
        wrong + slow,
        text,
        values={"longest": list(longest.values())},
        searched=tally,
    )
    return settled(ours, outcome)


def _misrouted(hops_of: IntArray, tally: Tally) -> list[str]:
    """Drawn pairs of FH(4) to FH(9): distances add up entry by entry, routes are walked."""
    rng, wrong = np.random.default_rng(_SEED), []
    tally.expect("drawn pairs", 6 * 20)
    for n in range(4, 10):
        network = folded(heawood(), n)
        router = network.router()
        for a, b in tally.each("drawn pairs", rng.integers(14**n, size=(20, 2)).tolist()):
            entries = [(a // 14**i % 14, b // 14**i % 14) for i in range(n)]
            far = sum(int(hops_of[x, y]) for x, y in entries)
            path = router.path(a, b)
            steps = all(v in network.neighbours(u) for u, v in pairwise(path))
            told = int(router.distances(np.asarray([a]), np.asarray([b]))[0])
            if not steps or (path[0], path[-1], len(path) - 1, told) != (a, b, far, far):
                wrong.append(f"FH({n}): {far} hops from {a} to {b}, told {told}, routed {path}")
    return wrong


def check_broadcast() -> Outcome:
    """The level-by-level broadcast by the source alone, and by everybody who has the message."""
    as_printed, ours, left, parts, tried = [], [], [], [], 0
    rng = np.random.default_rng(_SEED)
    for n in (1, 2, 3):
        network, factors = folded(heawood(), n), (heawood(),) * n
        alone = 1 + 13 * n  # the source's neighbours along each level, and nobody else
        lone = broadcast_by_axes(network, factors, 0, source_only=True)
        served = verify(lone, network, Goal.broadcast(0), model=Model()).details["reached"]
        if served != alone:
            ours.append(f"FH({n}): our printed schedule reaches {served}, not {alone}")
        reached = 14**n if printed.EVERY_HOLDER_ACTS else alone
        if reached < 14**n:
            as_printed.append(f"FH({n}): {reached} of {14**n} nodes are reached")
        roots = range(14**n) if n < 3 else rng.integers(14**n, size=20).tolist()
        for root in roots:
            tried += 1
            made = broadcast_by_axes(network, factors, int(root))
            verdict = verify(made, network, Goal.broadcast(int(root)), model=Model())
            counts = (made.rounds, made.transfers, verdict.details["duplicates"])
            if not verdict or counts != (3 * n, 14**n - 1, 0):
                left.append(f"FH({n}) from {root}: {verdict.reason or counts}")
        parts.append(f"FH({n}): the source alone {reached} of {14**n}, all {counts[0]} steps")
    note = "every holder must act, not only the source"
    outcome = judge(
        as_printed,
        "; ".join(parts),
        Correction(note, left),
        values={"alone": [1 + 13 * n for n in (1, 2, 3)]},
        searched=[Searched("roots", tried, 14 + 14**2 + 20)],
    )
    return settled(ours, outcome)


def check_sizes() -> Outcome:
    """14^(n-1) in the running text of section 5, where degree and diameter are those of table 1."""
    from hopscape.papers.heawood.expanded import Expanded

    as_printed, fixed, parts, tally = [], [], [], Tally()
    tally.expect("nodes", 2 * (14**2 + 14**3))
    for n in (1, 2):
        for name, network in (
            ("F-H", folded(heawood(), n + 1)),
            ("RE-H", Network.of(Expanded(heawood(), n))),
        ):
            rows = graphs.rows_of(network)
            tally.add("nodes", len(rows))
            parts.append(f"{name} n = {n}: {len(rows)} nodes")
            if len(rows) != printed.text_nodes(n):
                as_printed.append(f"{name} n = {n}: {len(rows)}, printed {printed.text_nodes(n)}")
            if len(rows) != 14 ** (n + 1):
                fixed.append(f"{name} n = {n} has {len(rows)} nodes")
    note = "14^(n+1), as table 1 has it"
    return judge(
        as_printed,
        "; ".join(parts),
        Correction(note, fixed),
        values={"printed": [printed.text_nodes(n) for n in (1, 2)], "true": [14**2, 14**3]},
        searched=tally,
    )


def check_rows() -> Outcome:
    """The rows F-P and F-H of table 1, and the cost that the text gives for F-H."""
    wrong, ours, parts, tally = [], [], [], Tally()
    tally.expect("nodes", 10 + 10**2 + 10**3 + 14 + 14**2 + 14**3)
    for name, base, size, diameter in (("F-P", petersen(), 10, 2), ("F-H", heawood(), 14, 3)):
        for n in range(3):
            rows = graphs.rows_of(folded(base, n + 1))
            tally.add("nodes", len(rows))
            reach = graphs.diameter(rows, [0, len(rows) // 3])
            degrees = Counter(map(len, rows))
            true = (len(rows), *degrees, reach)
            if true != (size ** (n + 1), 3 * n + 3, diameter * (n + 1)):
                wrong.append(f"{name} n = {n}: nodes, degree, diameter {true}")
            if name == "F-H" and max(degrees) * reach != printed.folded_cost(n):
                wrong.append(f"F-H n = {n}: cost {max(degrees) * reach}")
            facts = Folded(base, n + 1).facts()
            ours += graphs.wrong_facts(folded(base, n + 1)) if n < 2 else []
            if (facts.degree_max, facts.diameter) != (max(degrees), reach):
                ours.append(f"{name} n = {n}: our closed forms say {facts.diameter}")
            parts.append(f"{name} n = {n}: {len(rows)}, {max(degrees)}, {reach}")
    text = "nodes, degree, diameter: " + "; ".join(parts)
    return settled(ours, judge(wrong, text, searched=tally))
