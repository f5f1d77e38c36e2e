"""Checks of the claims about distributed switches and switched multirings (chapter 4)."""

from __future__ import annotations

from itertools import permutations

import numpy as np

from hopscape.core.network import Network
from hopscape.ledger.claim import Correction, Outcome, Tally, judge
from hopscape.ledger.crosscheck import CrossCheck
from hopscape.papers.blockdesign import printed
from hopscape.papers.blockdesign.contention import check_permutation, check_traffic, random_traffic
from hopscape.papers.blockdesign.families import (
    DistributedSwitch,
    PartialSwitch,
    QuasicompleteDigraph,
    SwitchedMultiring,
    wiring_table,
)
from hopscape.papers.blockdesign.reference import clashes, crossbar_routes, two_hops
from hopscape.papers.blockdesign.routing import stranded_pairs

_MANY = 40  # random permutations of each switch, beside the hard ones
# N, m, sigma: the example, planes and biplanes
_GRAPHS = ((7, 4, 2), (13, 4, 1), (57, 8, 1), (37, 9, 2), (56, 11, 2))


def _switch(n: int, m: int, sigma: int) -> Network:
    return Network.of(DistributedSwitch(n, m, sigma))


def _passes(cross: CrossCheck, network: Network) -> tuple[int, list[str]]:
    """Permutations tried, and what went wrong: routes walked, wires counted."""
    ends = network.endpoint_count
    if ends <= 7:
        rows = np.array(list(permutations(range(ends))))
    else:
        generator = np.random.default_rng(ends)
        rows = np.array([generator.permutation(ends) for _ in range(_MANY)])
    wires, astray = two_hops(network)
    taken, tried = clashes(network, wires, rows)
    cross.tally.expect("permutations", 5040 if ends == 7 else _MANY)
    cross.tally.add("permutations", tried)
    verdict = check_permutation(network, rows)
    cross.same(f"{network.spec}: passed", verdict.holds, taken == 0 and not astray)
    if taken:
        astray.append(f"{network.spec}: {taken} wires are wanted twice")
    return len(rows), astray


def permutation() -> Outcome:
    """All packets of a permutation take different wires."""
    cross, tried, wrong = CrossCheck(), [], []
    for network in (*(_switch(*key) for key in _GRAPHS), Network.of(QuasicompleteDigraph(7))):
        count, bad = _passes(cross, network)
        tried.append(f"{count} of {network.endpoint_count}")
        wrong += bad
    text = f"permutations {', '.join(tried)} endpoints: {len(wrong)} packets astray or wires shared"
    return cross.judge(wrong, text)


def nonblocking_39() -> Outcome:
    cross = CrossCheck()
    count, wrong = _passes(cross, Network.of(PartialSwitch(*printed.COVER)))
    text = f"{count} permutations of {printed.COVER[0]} nodes: {len(wrong)} astray or wires shared"
    return cross.judge(wrong, text)


def self_routed() -> Outcome:
    """A source needs no more than its own destination."""
    wrong, tally = [], Tally()
    tally.expect("packets", 8 * (3 + 8 + 5))  # every fifth of 13, 37 and 25 endpoints
    for network in (_switch(13, 4, 1), _switch(37, 9, 2), Network.of(QuasicompleteDigraph(5))):
        router, ends = network.router(), network.endpoint_count
        generator = np.random.default_rng(3)
        for _ in range(8):
            targets = generator.permutation(ends)
            together = router.next_ports(np.arange(ends), targets)
            for a in tally.each("packets", range(0, ends, 5)):
                alone = router.next_ports(np.array([a]), targets[a : a + 1])[0]
                if alone != together[a]:
                    wrong.append(
                        f"{network.spec}: {a} to {targets[a]} by port {alone} alone, by"
                        f" {together[a]} among others"
                    )
    text = f"packets asked alone and among others: {len(wrong)} chose otherwise"
    return judge(wrong, text, searched=tally)


def other_traffic() -> Outcome:
    """What is more than one permutation, or on links that carry one way at a time."""
    cross, network, parts, free = CrossCheck(), _switch(57, 8, 1), [], []
    wires, astray = two_hops(network)
    kinds = (("two permutations at once", "relation", 2, False),
             ("random destinations", "random", 1, False),
             ("half duplex", "relation", 1, True))  # fmt: skip
    cross.tally.expect("patterns", 3 * 30)
    for name, kind, rounds, half in kinds:
        refused = packets = shared = 0
        for seed in cross.tally.each("patterns", range(30)):
            pattern = random_traffic(57, kind, rounds=rounds, seed=seed)
            verdict = check_traffic(network, *pattern, half_duplex=half)
            refused += int(verdict.details["conflicts"])
            packets += int(verdict.details["packets"])
            a, b = (x[pattern[0] != pattern[1]] for x in pattern)
            taken = wires[a * 56 + b - (b > a)]
            if half:
                taken = np.minimum(taken, network.reverse[taken])
            shared += _refused(taken)
        cross.same(f"{name}: packets refused", refused, shared)
        parts.append(f"{name} {refused / max(packets, 1):.3f}")
        if not refused:
            free.append(f"{name}: none of {packets} packets is refused")
    text = f"share of packets refused on {network.spec}: {', '.join(parts)}"
    return cross.judge([*astray, *free], text)


def _refused(taken: np.ndarray) -> int:
    """Packets that find a wire taken when they set out one after another."""
    held: set[int] = set()
    refused = 0
    for up, down in taken.tolist():
        if up in held or down in held:
            refused += 1
        else:
            held |= {up, down}
    return refused


def channels() -> Outcome:
    """Links of the built networks against those of the complete graph."""
    cross, rows, wrong, still = CrossCheck(), [], [], []
    keys = (printed.EXAMPLE, *_GRAPHS[1:], (307, 18, 1))
    cross.tally.expect("links", sum(n * m for n, m, _ in keys))
    for key in cross.tally.each("networks", keys, 6):
        network = _switch(*key)
        links = len(set(zip(network.tails.tolist(), network.heads.tolist()))) // 2
        cross.same(f"{network.spec}: links", network.family.facts().links, links)  # type: ignore[union-attr]
        cross.tally.add("links", links)
        n = network.endpoint_count
        full = n * (n - 1) // 2
        rows.append(f"{key} {links} against {full}")
        if links >= full:
            wrong.append(f"B{key} has {links} links, the complete graph {full}")
        if key[2] == 1 and 2 * full != links * (key[1] - 1):
            still.append(f"B{key}: {full} are not (m - 1)/2 times {links}")
    text = f"links, wires counted: {'; '.join(rows)}"
    if not still:
        text += "; with sigma = 1 the complete graph has (m - 1)/2 times as many"
    return cross.judge([*wrong, *still], text)


def ways_of_pairs() -> Outcome:
    """Exactly sigma ways of two hops between any two endpoints, and any two crossbars."""
    wrong, done, tally = [], [], Tally()
    tally.expect("ordered pairs", sum(2 * n * (n - 1) for n in (7, 13, 57, 37, 56)))
    for n, m, sigma in _GRAPHS:
        network = _switch(n, m, sigma)
        wired = np.zeros((2 * n, 2 * n), dtype=np.int64)
        np.add.at(wired, (network.tails, network.heads), 1)
        if wired.max() > 1:
            wrong.append(f"{network.spec}: two wires join the same nodes")
        for name, part in (("endpoints", slice(0, n)), ("crossbars", slice(n, 2 * n))):
            routes = (wired @ wired)[part, part][~np.eye(n, dtype=bool)]
            tally.add("ordered pairs", len(routes))
            if (routes != sigma).any():
                wrong.append(
                    f"{network.spec}: {int(routes.min())} to {int(routes.max())} between {name}"
                )
        done.append(f"{n * (n - 1)} of {sigma}")
    text = f"ordered pairs with their ways: {', '.join(done)}; {len(wrong)} exceptions"
    return judge(wrong, text, searched=tally)


def redundancy() -> Outcome:
    """Pairs that one dead crossbar leaves without a path of two hops."""
    cross, parts, wrong = CrossCheck(), [], []
    cross.tally.expect("dead crossbars", 7 + 13 + 57 + 37 + 56)
    for key in _GRAPHS:
        network, (n, m, sigma) = _switch(*key), key
        wired = np.zeros((2 * n, 2 * n), dtype=np.int64)
        np.add.at(wired, (network.tails, network.heads), 1)
        whole = wired[:n, n:] @ wired[n:, :n]
        lost = []
        for s in cross.tally.each("dead crossbars", range(n, 2 * n)):
            left = whole - np.outer(wired[:n, s], wired[s, :n])
            np.fill_diagonal(left, 1)
            lost.append(int((left == 0).sum()))
        library = [stranded_pairs(network, [s]) for s in range(n, 2 * n, max(n // 6, 1))]
        cross.same(f"{network.spec}: pairs lost", library, lost[:: max(n // 6, 1)])
        parts.append(f"{key} {max(lost)}")
        if sigma > 1 and any(lost):
            wrong.append(f"{network.spec}: {max(lost)} pairs lost")
        if sigma == 1 and set(lost) != {m * (m - 1)}:
            wrong.append(f"{network.spec}: {max(lost)} pairs lost, a crossbar joins {m * (m - 1)}")
    text = f"ordered pairs lost by one dead crossbar, every one killed: {', '.join(parts)}"
    return cross.judge(wrong, text)


def long_steps() -> Outcome:
    """The printed steps of the long rings, with the short ones, as differences of two hops."""
    wrong: list[str] = []
    right: list[str] = []
    tally = Tally()
    for p in tally.each("orders", (3, 4, 5), 3):
        given = [printed.long_step(j, p) for j in range(p, 2 * p - 1)]
        built = [s for s in SwitchedMultiring(p, 2).steps if s >= p]
        for name, steps, out in (("printed", given, wrong), ("built", built, right)):
            reach = {(u + s) % p**2 for u in range(p) for s in (0, *steps)}
            if len(reach) < p * p:
                out.append(f"p = {p}: {name} steps {steps} reach {len(reach)} of {p * p} nodes")
    rings = ", ".join(map(str, SwitchedMultiring(3, 2).steps))
    text = f"p = 3, 4, 5: printed steps fail for {len(wrong)}; for p = 3 the rings are {rings}"
    correction = Correction("the steps are (j - p + 1) p", right)
    return judge(wrong, text, correction, searched=tally)


def _reached(steps: tuple[int, ...], order: int, most: int) -> list[int]:
    """Nodes reached from 0 within 0, 1, ..., `most` hops along rings of these steps."""
    seen, layer, counts = {0}, {0}, [1]
    for _ in range(most):
        layer = {(x + s) % order for x in layer for s in steps} - seen
        seen |= layer
        counts.append(len(seen))
    return counts


def _rings(network: Network, tally: Tally) -> tuple[int, ...]:
    """Steps of the rings, read from the wires; empty when they are not the same everywhere."""
    n = network.order
    steps = [set() for _ in range(n)]  # type: list[set[int]]
    wires = zip(network.tails.tolist(), network.heads.tolist())
    for a, b in tally.each("wires", wires):
        steps[a].add((b - a) % n)
    return tuple(sorted(steps[0])) if all(s == steps[0] for s in steps) else ()


def multiring() -> Outcome:
    wrong, done, tally = [], [], Tally()
    sizes = ((3, 2), (4, 2), (5, 2), (7, 2), (3, 3), (4, 3), (3, 4))
    for p, r in tally.each("networks", sizes, 7):
        tally.expect("wires", (p - 1) * r * p**r)
        rings = _rings(Network.of(SwitchedMultiring(p, r)), tally)
        counts = _reached(rings, p**r, r)
        done.append(f"{p}^{r}")
        digits = tuple(sorted(d * p**k for k in range(r) for d in range(1, p)))
        if len(rings) != (p - 1) * r:
            wrong.append(f"N = {p}^{r}: {len(rings)} rings, not {(p - 1) * r}")
        elif rings != digits:
            wrong.append(f"N = {p}^{r}: steps {rings} are not digits times powers of {p}")
        elif counts[-1] != p**r or counts[-2] == p**r:
            wrong.append(f"N = {p}^{r}: {counts} nodes within 0..{r} hops")
    text = f"N = {', '.join(done)}: rings counted, {len(wrong)} not as claimed"
    return judge(wrong, text, searched=tally)


def figure_42() -> Outcome:
    n, steps = printed.FIGURE_4_2
    tally = Tally()
    tally.expect("wires", 4 * 9)
    rings = _rings(Network.of(SwitchedMultiring(3, 2)), tally)
    counts = _reached(steps, n, 2)
    wrong = [] if rings == steps else [f"steps {rings}, printed {steps}"]
    if counts[-1] != n:
        wrong.append(f"printed steps reach {counts[-1]} of {n} nodes in 2 hops")
    text = f"rings {rings} of {n} nodes, {counts[-1]} nodes within 2 hops"
    return judge(wrong, text, searched=tally)


def duplex_multiring() -> Outcome:
    wrong, parts, odd, tally = [], [], [], Tally()
    tally.expect("wires", sum(2 * (p - 1) * p * p for p in (3, 5, 7)))
    for p in tally.each("orders", (3, 4, 5, 6, 7), 5):
        half = (p - 1) // 2
        digits = [d for k in range(1, half + 1) for d in (k, -k)]
        steps = tuple((d * scale) % p**2 for scale in (1, p) for d in digits)
        reach = _reached(steps, p * p, 2)[-1]
        parts.append(f"p = {p} {reach} of {p * p}")
        if reach < p * p:
            wrong.append(f"p = {p}: {reach} of {p * p} nodes within 2 hops")
        if p % 2:
            rings = _rings(Network.of(SwitchedMultiring(p, 2, True)), tally)
            if rings != tuple(sorted(steps)) or reach < p * p:
                odd.append(f"p = {p}: rings {rings}")
    text = f"nodes within 2 hops: {', '.join(parts)}"
    return judge(wrong, text, Correction("odd p only", odd), searched=tally)


def digraph() -> Outcome:
    """One crossbar for every ordered pair, from the list of wires."""
    wrong, tally = [], Tally()
    tally.expect("ordered pairs", sum(m**4 for m in range(2, 10)))
    for m in range(2, 10):
        network = Network.of(QuasicompleteDigraph(m))
        routes = crossbar_routes(network)
        if len(routes) != printed.order_of_digraph(m):
            wrong.append(f"m = {m}: {len(routes)} endpoints, not {printed.order_of_digraph(m)}")
        tally.add("ordered pairs", routes.size)
        if (routes != 1).any():
            wrong.append(f"m = {m}: {int(routes.min())} to {int(routes.max())} ways")
        degrees = np.bincount(network.tails), np.bincount(network.heads)
        if any((d != m).any() for d in degrees):
            wrong.append(f"m = {m}: not all nodes have {m} channels in and out")
    text = f"m = 2..9: {len(wrong)} exceptions among all ordered pairs"
    return judge(wrong, text, searched=tally)


def table_41() -> Outcome:
    """The printed cells against the wires of the digraph and the wiring table."""
    cross, network, wrong = CrossCheck(), Network.of(QuasicompleteDigraph(3)), []
    n = 9
    cross.tally.expect("printed cells", 9 * 2 * 3)
    wires = set(zip(network.tails.tolist(), network.heads.tolist()))
    for i, (left, right) in enumerate(printed.TABLE_4_1, 1):
        for side, cells, key in (("left", left, "from"), ("right", right, "to")):
            row = wiring_table(3)[i - 1][key]
            cross.same(f"row {i}, {side}: wiring table", row, list(cells))
            for x in cross.tally.each("printed cells", cells):
                wire = (x - 1, n + i - 1) if side == "left" else (n + i - 1, x - 1)
                if wire not in wires:
                    wrong.append(f"row {i}, {side}: {x} is not wired to crossbar {i}")
    total = sum(len(half) for pair in printed.TABLE_4_1 for half in pair)
    text = f"{total} printed cells, {len(wires)} wires: {len(wrong)} cells are not wired"
    if total != len(wires):
        wrong.append(f"{total} cells for {len(wires)} wires")
    return cross.judge(wrong, text)


def wiring_formula(m: int) -> Outcome:
    """The printed formula of the wiring: cell by cell, and as a digraph of its own."""
    n, cross = m * m, CrossCheck()
    cross.tally.expect("wires", 2 * m**3)
    left = {(printed.left_side(i, j, n), i) for i in range(1, n + 1) for j in range(1, m + 1)}
    right = {(i, printed.right_side(i, j, n, m)) for i in range(1, n + 1) for j in range(1, m + 1)}
    network = Network.of(QuasicompleteDigraph(m))
    wires = list(zip(network.tails.tolist(), network.heads.tolist()))
    ups = {(a + 1, b - n + 1) for a, b in wires if a < n}
    downs = {(a - n + 1, b + 1) for a, b in wires if a >= n}
    cross.tally.add("wires", len(ups) + len(downs))
    table = wiring_table(m)
    cross.same("wiring table, from", {(x, r["switch"]) for r in table for x in r["from"]}, ups)  # type: ignore[union-attr]
    cross.same("wiring table, to", {(r["switch"], x) for r in table for x in r["to"]}, downs)  # type: ignore[union-attr]
    cells = len(left & ups) + len(right & downs)
    joined = {(a, b) for a, s in left for t, b in right if s == t}
    wrong = []
    if left != ups or right != downs:
        wrong.append(f"{2 * n * m - cells} of {2 * n * m} cells differ from the wiring")
    valid = [] if len(joined) == n * n else [f"joins {len(joined)} of {n * n} pairs"]
    text = f"N = {n}: {cells} of {2 * n * m} cells agree, {len(joined)} of {n * n} pairs joined"
    note = "the right side is (i - 1 + (j - 1) m) mod N + 1; as printed endpoints are renumbered"
    return cross.judge([*wrong, *valid], text, Correction(note, valid))
