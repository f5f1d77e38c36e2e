"""Checks of the claims about expansion, set-up by pilot packets, and added channels.

Section 4 (full two-dimensional multirings), section 6 and the first sentence of section 7.
Distances are searched here along the wires, with nothing of the library but the wires themselves.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable

import numpy as np

from hopscape.core.network import Network
from hopscape.ledger.claim import Outcome, Searched
from hopscape.ledger.crosscheck import CrossCheck
from hopscape.papers.blockdesign import printed
from hopscape.papers.blockdesign.checks_machines import all_wires, jumps
from hopscape.papers.blockdesign.families import (
    DesignExpansion,
    DistributedSwitch,
    QuasicompleteDigraph,
    SwitchedMultiring,
)
from hopscape.papers.blockdesign.two_level import TwoLevel
from hopscape.registry import build

_SEED = 20111
"""Of the networks and permutations that the checks draw."""


def _heads(network: Network, node: int) -> list[int]:
    """Where the wires of a node lead."""
    return [int(head) for head in network.neighbours(node) if head >= 0]


def _hops(network: Network, source: int, through: Iterable[int] | None = None) -> dict[int, int]:
    """Hops to all nodes; only nodes of `through` are passed (all when left out)."""
    allowed = None if through is None else set(through)
    out, queue = {source: 0}, deque([source])
    while queue:
        node = queue.popleft()
        if node != source and allowed is not None and node not in allowed:
            continue
        for head in _heads(network, node):
            if head not in out:
                out[head] = out[node] + 1
                queue.append(head)
    return out


def expansion() -> Outcome:
    """Any network, expanded by a design: two endpoints are as far apart as in a common copy."""
    cross, wrong, pairs, wanted = CrossCheck(), [], 0, 0
    draw = np.random.default_rng(_SEED)
    bases = [("ring(6)", 3, 2, 1), ("hypercube(3)", 7, 4, 2), ("torus(3, 3)", 7, 3, 1),
             ("petersen", 21, 5, 1)]  # fmt: skip
    bases += [(f"random_regular(12, 3, seed={draw.integers(1000)})", 13, 4, 1) for _ in range(2)]
    for spec, n, m, sigma in bases:
        base = build(spec)
        network = Network.of(DesignExpansion(base, n, m, sigma))
        ends, size = network.endpoint_count, base.order
        cross.same(f"{spec}: endpoints", ends, n * base.endpoint_count // m)
        inner = range(ends, network.order)
        apart = [_hops(base, v) for v in range(size)]
        seats = [[divmod(w - ends, size) for w in _heads(network, v)] for v in range(ends)]
        if any(len({copy for copy, _ in row}) != m for row in seats):
            wrong.append(f"{spec}: an endpoint is not at {m} copies")
        sources = sorted(draw.choice(ends, size=min(ends, 12), replace=False).tolist())
        wanted += len(sources) * (ends - 1)
        for a in sources:
            there = _hops(network, a, inner)
            for b in range(ends):
                if a == b:
                    continue
                shared = [
                    apart[s][t]
                    for c, s in seats[a]
                    for d, t in seats[b]
                    if c == d and t in apart[s]
                ]
                pairs += 1
                if len(shared) < sigma or there.get(b, -1) != 2 + min(shared, default=-9):
                    wrong.append(f"{spec}: {a} to {b} in {there.get(b)} hops")
        for copy in cross.tally.each("copies", range(n), n):
            first = ends + copy * size
            links = Counter((first + u, first + v) for u, v in zip(base.tails, base.heads))
            mine = Counter(
                (u, v) for u in range(first, first + size) for v in _heads(network, u) if v >= ends
            )
            if links != mine:
                wrong.append(f"{spec}: copy {copy} is not wired as the network itself")
    return cross.judge(
        wrong,
        f"{len(bases)} networks, {pairs} ordered pairs: as far as in the nearest common copy + 2",
        searched=[Searched("ordered pairs", pairs, wanted)],
    )


def pilot_packet() -> Outcome:
    """Set-up in two stages: the low digit by a short arc, the high digit by a long one."""
    cross, wrong, pairs, refused, sent = CrossCheck(), [], 0, 0, 0
    draw = np.random.default_rng(_SEED + 1)
    orders = range(2, 8)
    for p in orders:
        network = Network.of(QuasicompleteDigraph(p))
        n = p * p
        wires = {(u, v) for u in range(network.order) for v in _heads(network, u)}
        router = network.router()
        for a in range(n):
            for b in range(n):
                low, high = (b - a) % n % p, (b - a) % n // p
                crossbar = n + (a + low) % n
                pairs += 1
                if (a, crossbar) not in wires or (crossbar, b) not in wires:
                    wrong.append(f"p = {p}: no arcs {low} and {high * p} from {a} to {b}")
                if a != b and tuple(router.path(a, b)) != (a, crossbar, b):
                    cross.same(f"p = {p}: route from {a} to {b}", router.path(a, b), crossbar)
        for _ in range(40):
            targets, order = draw.permutation(n), draw.permutation(n)
            held: set[tuple[int, int]] = set()
            for a in order.tolist():  # pilots set out one after the other
                b = int(targets[a])
                crossbar = n + (a + (b - a) % n % p) % n
                stages = {(a, crossbar), (crossbar, b)}
                refused += bool(stages & held)
                held |= stages
                sent += 1
    if refused:
        wrong.append(f"{refused} pilot packets met a channel that was taken")
    return cross.judge(
        wrong,
        f"p = 2..7: {pairs} pairs in two stages through one switch, {sent} pilots of permutations"
        f" in random order, {refused} refused",
        values={"stages": 2, "refused": refused},
        searched=[
            Searched("pairs", pairs, sum(p**4 for p in orders)),
            Searched("pilots", sent, 40 * sum(p * p for p in orders)),
        ],
    )


def simplex_ports() -> Outcome:
    """Duplex channels between nodes: at each node one direction ends at the endpoint or switch."""
    cross, wrong = CrossCheck(), []
    cross.tally.expect("channels", sum(4 * ((p - 1) // 2) * p * p for p in range(3, 10)))
    for p in range(3, 10):
        n, half = p * p, (p - 1) // 2
        digits = [d for k in range(1, half + 1) for d in (k, -k)]
        parts = {  # direction of a channel between nodes: (part it leaves, part it enters)
            **{(x, (x + d) % n, "short"): ("endpoint", "switch") for x in range(n) for d in digits},
            **{(x, (x + d * p) % n, "long"): ("switch", "endpoint")
               for x in range(n) for d in digits},
        }  # fmt: skip
        for (x, y, arc), (leaves, _) in cross.tally.each("channels", parts.items()):
            back = parts.get((y, x, arc))
            if back is None:
                wrong.append(f"p = {p}: {arc} arc {x} to {y} has no counterpart")
            elif back[1] == leaves:
                wrong.append(f"p = {p}: both directions of {x} - {y} end at the {leaves} of {x}")
        if p % 2:
            network = Network.of(SwitchedMultiring(p, 2, True))
            mine = Counter((u, int(v)) for u in range(n) for v in _heads(network, u))
            cross.same(f"p = {p}: arcs", mine, Counter((x, y) for x, y, _ in parts))
    return cross.judge(
        wrong,
        "p = 3..9: each channel has a counterpart, both ends of a pair at a node on different"
        " parts",
    )


def added_channels() -> Outcome:
    """Channels K3 doubled: every one of them may fail without a longer path between its ends."""
    cross, wrong, worst = CrossCheck(), [], {}
    size, supernodes, crossbar = 4, 13, 4
    cross.tally.expect("channels K3", (1 + 2) * supernodes * crossbar)
    cross.tally.expect("dead channels", 2 * supernodes * crossbar)  # of two alike one
    for copies in (1, 2):
        outer = Network.of(DistributedSwitch(supernodes, crossbar, 1))
        network = Network.of(TwoLevel(build(f"complete({size})"), outer, copies))
        rows = all_wires(network)
        ends = size * supernodes
        cross.same(f"{copies} channels: endpoints", network.endpoint_count, ends)
        cables = [(int(u), int(k)) for u, k in np.argwhere(rows[:ends] >= ends)]
        cross.tally.add("channels K3", len(cables))
        longest = whole = 0
        for u, k in cross.tally.each("dead channels", cables[::copies]):
            left = rows.copy()
            head = int(rows[u, k])
            left[u, k] = -1
            left[head, np.nonzero(rows[head] == u)[0][0]] = -1
            whole = max(whole, int(jumps(network, rows, u)[:ends].max()))
            longest = max(longest, int(jumps(network, left, u)[:ends].max()))
        worst[copies] = (whole, longest)
    (single, alone), (double, spare) = worst[1], worst[2]
    if not (single == double == spare <= printed.JUMPS < alone):
        wrong.append(f"jumps whole and with a dead channel: {worst[1]} and doubled {worst[2]}")
    return cross.judge(
        wrong,
        f"jumps whole and with any one channel K3 dead: single {worst[1]}, doubled {worst[2]}",
        values={"single": list(worst[1]), "doubled": list(worst[2])},
    )
