#!/usr/bin/env python3
"""Check hopscape proofs: python check.py PROOF.json (a file holds one, or a list of them)

Standard library only, nothing of hopscape: what a proof claims is computed here again from the
network and the evidence that stand in the file. Exit code 0: accepted; 1: refused, with the first
error; 2: the file cannot be read. The format is described in docs/proofs.md.
"""

from __future__ import annotations

import heapq
import itertools
import json
import math
import os
import re
import sys
from collections import Counter
from fractions import Fraction
from typing import Any

FORMAT, VERSION = "hopscape-proof", 1
Record = dict[str, Any]
MALFORMED = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)


class Refused(Exception):
    """The first error of a proof."""


def require(condition: Any, message: str) -> None:
    if not condition:
        raise Refused(message)


def whole(value: Any, what: str = "a number", low: int = 0, high: int | None = None) -> int:
    """A whole number in its range."""
    good = isinstance(value, int) and not isinstance(value, bool) and value >= low
    require(good and (high is None or value < high), f"{what} is {value!r:.80}")
    return value


def fraction(value: Any, what: str, low: int = 0) -> Fraction:
    """A number written as a whole number, as "a/b" or as "1.25"."""
    text = str(value) if type(value) in (int, str) else ""
    plain = re.fullmatch(r"-?[0-9]{1,4000}([/.][0-9]{1,4000})?", text)
    require(plain, f"{what} is {value!r:.80}, not a whole number or a fraction")
    number = Fraction(text)
    require(number >= low, f"{what} is {value}")
    return number


def fractions(values: Any, what: str) -> list[Fraction]:
    require(isinstance(values, list), f"{what} stands alone, and there must be a list of them")
    return [fraction(one, what) for one in values]


def require_plain(record: Any) -> None:
    """Nothing but texts, whole numbers, lists and records; true and false where they are asked."""
    left: list[tuple[str, Any]] = [("proof", record)]
    while left:
        key, value = left.pop()
        good = value is None or type(value) in (int, str, list, dict) or key == "in_network"
        require(good, f"{key} holds {value!r:.80}")
        left += value.items() if isinstance(value, dict) else ()
        left += [(key, one) for one in value] if isinstance(value, list) else ()


class Network:
    """Channels by number: tail, head, capacity; endpoints are the nodes that send and receive."""

    def __init__(self, record: dict[str, Any]) -> None:
        pairs, known = record["channels"], "order channels capacities endpoints reverse"
        require(record.keys() <= set(known.split()), f"a network has {known!r} and no more")
        self.order = whole(record["order"], "order", 1, 10_000 + 2 * len(pairs))
        self.tail = [whole(a, "tail of a channel", 0, self.order) for a, _ in pairs]
        self.head = [whole(b, "head of a channel", 0, self.order) for _, b in pairs]
        self.capacity = fractions(record.get("capacities", [1] * len(pairs)), "a capacity")
        require(len(self.capacity) == len(pairs), "capacities and channels differ in number")
        self.reverse: list[int] = record.get("reverse", [])  # the other way of a link, or -1
        for c, r in enumerate(self.reverse):
            whole(r, "the other way of a channel", -1, len(pairs))
            back = r == -1 or (pairs[c] == pairs[r][::-1] and self.reverse[r] == c)
            require(back, f"channel {r!r} is not the other way of channel {c}")
        ways = len(self.reverse) in (0, len(pairs)) and len({r < 0 for r in self.reverse}) < 2
        require(ways, "links have one way, or two, but not some of them")
        ends = record.get("endpoints", range(self.order))
        self.endpoints = [whole(v, "endpoint", 0, self.order) for v in ends]
        require(len(set(self.endpoints)) == len(self.endpoints), "an endpoint is listed twice")
        self.two_way = Counter(zip(self.tail, self.head)) == Counter(zip(self.head, self.tail))
        self.out: list[list[int]] = [[] for _ in range(self.order)]
        for c, a in enumerate(self.tail):
            self.out[a].append(c)

    def distances(self, start: int, lengths: list[Any] | None = None) -> list[Any]:
        """From one node to all: in hops, or with channel lengths; None where there is no path."""
        dist: list[Any] = [None] * self.order
        heap: list[tuple[Any, int]] = [(0, start)]
        while heap:
            d, v = heapq.heappop(heap)
            if dist[v] is None:
                dist[v] = d
                for c in self.out[v]:
                    heapq.heappush(heap, (d + (1 if lengths is None else lengths[c]), self.head[c]))
        return dist


def check_deadlock(net: Network, claim: Record, evidence: Record) -> str:
    """Packets wait for virtual channels of higher rank only: no cycle (Dally and Seitz 1987).

    ``ranks``: for every class a number per channel. ``targets``, of every endpoint: ``starts``
    [source, channel, class] of packets to it, ``moves`` [channel, class, next channel, its class].
    """
    classes, dependencies = whole(claim["classes"], "classes", 1), set[tuple[int, ...]]()
    ranks = evidence["ranks"]
    good = all(len(row) == len(net.tail) and {*map(type, row)} <= {int} for row in ranks)
    require(good and len(ranks) == classes, "the ranks are not a whole number for every channel")
    lost = set(net.endpoints) - {record["target"] for record in evidence["targets"]}
    require(not lost, f"nothing is said of routes to {min(lost, default=0)}")
    for record in evidence["targets"]:
        target = whole(record["target"], "a target", 0, net.order)
        follow: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for c, k, d, j in record["moves"]:
            what = f"to {target}: channel {c} in class {k}"
            require(min(c, k, d, j) >= 0, f"{what}, then {d} in class {j}")
            require(net.head[c] == net.tail[d], f"{what} does not lead to channel {d}")
            require(ranks[k][c] < ranks[j][d], f"{what} waits for channel {d} of no higher rank")
            follow.setdefault((c, k), []).append((d, j))
            dependencies.add((c, k, d, j))
        sources, left = set(net.endpoints) - {target}, list[tuple[int, int]]()
        for source, c, k in record["starts"]:
            require(c >= 0 and 0 <= k < classes, f"there is no channel {c} in class {k}")
            require(net.tail[c] == source, f"channel {c} does not leave {source}")
            sources.discard(source)
            left.append((c, k))
        require(not sources, f"no way from {min(sources, default=0)} to {target} is given")
        seen = set(left)
        while left:  # ranks rise, so every walk ends: where it cannot go on, it must be there
            state = left.pop()
            if net.head[state[0]] == target:
                continue
            require(state in follow, f"to {target}: packets on channel {state[0]} cannot go on")
            left += [new for new in follow[state] if new not in seen]
            seen.update(follow[state])
    return f"{classes} classes, {len(dependencies)} channel dependencies, no cycle"


def loads(net: Network, flows: Any) -> list[Fraction]:
    """Load of every channel when each endpoint sends one unit to every other endpoint.

    A flow is [target, [[channel, amount], ...]], balanced at every node that is not its target.
    """
    load, missing, sources = [Fraction(0)] * len(net.tail), {*net.endpoints}, {*net.endpoints}
    for target, amounts in flows:
        excess = [Fraction(v in sources) for v in range(net.order)]
        excess[whole(target, "the target of a flow", 0, net.order)] -= len(net.endpoints)
        for c, text in amounts:
            whole(c, "a channel of a flow", 0, len(net.tail))
            amount = fraction(text, "an amount")
            excess[net.tail[c]] -= amount
            excess[net.head[c]] += amount
            load[c] += amount
        require(not any(excess), f"the flow to {target} is not balanced at some node")
        missing.discard(target)
    require(not missing, f"there is no flow to {min(missing, default=0)}")
    return load


def check_bisection(net: Network, claim: Record, evidence: Record) -> str:
    """At most: a partition of the endpoints into halves. At least: a flow between all pairs at load
    L of every channel (by capacity): h of n endpoints are left by at least h(n - h)/L of capacity,
    and are entered by as much, which counts as well where links have one way."""
    low, high = fraction(claim["at_least"], "at_least"), fraction(claim["at_most"], "at_most")
    side, n = {whole(v, "side", 0, net.order) for v in evidence["side"]}, len(net.endpoints)
    held, ways = len(side & set(net.endpoints)), 2 if -1 in net.reverse else 1
    require(ways > 1 or net.two_way, "some links have one way, and it is not said which")
    require(held in (n // 2, n - n // 2), f"the side holds {held} of {n} endpoints")
    rows = [((a in side) - (b in side), c) for a, b, c in zip(net.tail, net.head, net.capacity)]
    cut = sum(c for across, c in rows if across > 0 or (across and ways > 1))
    require(cut <= high, f"the cut has {cut}, not at most {high}")
    if low > 0:
        busiest = max(x / c for x, c in zip(loads(net, evidence["flows"]), net.capacity) if x)
        bound: Any = ways * (n // 2) * (n - n // 2) / busiest
        bound = math.ceil(bound) if all(c.denominator == 1 for c in net.capacity) else bound
        require(bound >= low, f"the flow proves {bound}, not {low}")  # so low <= cut <= high
    return f"bisection between {low} and {high}" + ", counted both ways" * (ways > 1)


def check_throughput(net: Network, claim: Record, evidence: Record) -> str:
    """Every endpoint sends 1/(n - 1) to every other: a flow that reaches the share, and prices y:
    no routing exceeds sum(capacity · y) / sum(demand · y-distance) (LP duality)."""
    low, high = fraction(claim["at_least"], "at_least"), fraction(claim["at_most"], "at_most")
    ends, demand = net.endpoints, Fraction(1, len(net.endpoints) - 1)
    for c, x in enumerate(loads(net, evidence["flows"]) if low > 0 else ()):
        require(x * demand * low <= net.capacity[c], f"channel {c} carries more than it can")
    prices = fractions(evidence["prices"], "a price")
    require(len(prices) == len(net.tail), "prices and channels differ in number")
    worth = demand * sum(d[b] for a in ends for d in [net.distances(a, prices)] for b in ends)
    bound = sum(c * y for c, y in zip(net.capacity, prices)) / worth
    require(bound <= high, f"the prices prove at most {bound}, not {high}")
    return f"uniform throughput between {low} and {high} of the line rate"


def check_distances(net: Network, claim: Record, evidence: Record) -> str:
    """Diameter and mean distance: one search per orbit of the given automorphisms."""
    links, orbit = Counter(zip(net.tail, net.head)), [-1] * net.order
    for number, image in enumerate(evidence["automorphisms"]):
        require(sorted(image) == list(range(net.order)), f"map {number} is no permutation")
        for (a, b), count in links.items():
            require(links[image[a], image[b]] == count, f"map {number} does not keep {a} to {b}")
    for v in range(net.order):
        left = [v]
        while left:  # a node has the number of the first one of its orbit
            w = left.pop()
            if orbit[w] < 0:
                orbit[w] = v
                left += [image[w] for image in evidence["automorphisms"]]
    farthest, total, size = 0, 0, Counter(orbit)
    for v, count in size.items():
        hops = net.distances(v)
        require(None not in hops, f"node {v} does not reach all others")
        farthest, total = max(farthest, *hops), total + count * sum(hops)
    require(farthest == claim["diameter"], f"the diameter is {farthest}, not {claim['diameter']}")
    mean = Fraction(total, max(1, net.order * (net.order - 1)))
    require(mean == fraction(claim["mean"], "mean"), f"the mean distance is {mean}")
    return f"diameter {farthest}, mean distance {mean}, from {len(size)} of {net.order} nodes"


def circulant_diameter(n: int, steps: Any, most: int) -> int | None:
    """The diameter of a circulant, or None when it is above `most`, or infinite: bit sets."""
    mask, ball, level = (1 << n) - 1, 1, 1
    for d in range(most + 1):
        if ball == mask or not level:
            return d if ball == mask else None
        grown = 0
        for s in steps:
            grown |= (level << s) | (level >> (n - s)) | (level >> s) | (level << (n - s))
        level = grown & mask & ~ball
        ball |= level
    return None


def check_circulant(_: Any, claim: Record, evidence: Record) -> str:
    """No set of k generators of order n has a smaller diameter: all sets are searched, one of each
    class under multiplication by units mod n; classes and sets are counted."""
    n, k = whole(claim["order"], "order", 3, 200_001), whole(claim["generators"], "number", 1, 101)
    best, sets = whole(claim["diameter"], "diameter", 1), math.comb(n // 2, k)
    require(sets <= 2_000_000, "more sets than this checker searches")
    witness, units = evidence["witness"], [u for u in range(1, n) if math.gcd(u, n) == 1]
    require(len(set(witness)) == k and all(0 < s <= n // 2 for s in witness), "no valid witness")
    require(circulant_diameter(n, witness, best) == best, f"{witness} has another diameter")
    classes, seen = 0, set[tuple[int, ...]]()
    for steps in itertools.combinations(range(1, n // 2 + 1), k):
        if steps in seen:
            continue
        classes += 1
        seen |= {tuple(sorted(min(u * s % n, n - u * s % n) for s in steps)) for u in units}
        require(circulant_diameter(n, steps, best - 1) is None, f"{steps} has a smaller diameter")
    counts = (evidence["sets"], evidence["classes"])
    require(counts == (sets, classes), f"there are {sets} sets in {classes} classes, not {counts}")
    return f"no {k} generators of order {n} have a diameter below {best}: {classes} classes"


def promise(net: Network, claim: Record) -> tuple[list[int], list[list[int]], list[int]]:
    """What a goal is: who has each chunk before, who gets it, and whose shares are added up."""
    ends = sorted(set(claim.get("members", net.endpoints)))
    require(set(ends) <= set(net.endpoints), "a member is no endpoint")
    goal, root, k = claim["goal"], claim.get("root"), whole(claim["pieces"], "pieces", 1, 1_000_001)
    targets, each, all_pairs = claim.get("targets", []), range(k), goal == "all-to-all"
    good = (root is None) != (goal in ("broadcast", "one-to-many", "reduce", "scatter", "gather"))
    good = good and (targets == [] or goal in ("one-to-many", "permutation"))
    require(good, f"a root or targets: {goal!r:.80} has no such, or lacks one")
    require(len(ends) ** (1 + all_pairs) * k < 10**7, "more chunks than this checker follows")
    pairs = [(a, b) for a in ends for b in ends for _ in each] if all_pairs else []
    forms: dict[str, tuple[list[Any], list[list[Any]]]] = {
        "broadcast": ([root] * k, [ends] * k),
        "one-to-many": ([root] * k, [targets] * k),
        "reduce": ([], [[root]] * k),
        "all-reduce": ([], [ends] * k),
        "all-gather": ([a for a in ends for _ in each], [ends for _ in ends for _ in each]),
        "reduce-scatter": ([], [[a] for a in ends for _ in each]),
        "scatter": ([root for _ in ends for _ in each], [[b] for b in ends for _ in each]),
        "gather": ([a for a in ends for _ in each], [[root] for _ in ends for _ in each]),
        "all-to-all": ([a for a, _ in pairs], [[b] for _, b in pairs]),
        "permutation": ([a for a in ends for _ in each], [[b] for b in targets for _ in each]),
    }
    require(goal in forms, f"the goal {goal!r} is unknown")
    origins, receivers = forms[goal]
    require(goal != "permutation" or sorted(targets) == ends, "the targets are no permutation")
    for v in (*origins, *(v for row in receivers for v in row)):
        whole(v, "a node of the goal", 0, net.order)
    return origins, receivers, [] if origins else ends


def replay(net: Network, claim: Record, evidence: Record) -> int:
    """Execute a schedule round by round; the rounds that it takes.

    A transfer is [round, channel, chunk], or under circuits [round, [channels of a path], chunk]. A
    channel carries one chunk a round, in half duplex a link does; a node sends and receives at most
    `ports` chunks a round, in half duplex together. A copy must be held before it is sent; a sum
    carries the set of shares that are in it, and no share may be counted twice.
    """
    origins, receivers, holders = promise(net, claim)
    known = claim["switching"] in ("store-and-forward", "circuit")
    known = known and claim["duplex"] in ("full", "half") and isinstance(claim["in_network"], bool)
    require(known, "another switching or duplex, or in_network is neither true nor false")
    two = claim["duplex"] == "full" or -1 not in (net.reverse or [-1][: len(net.tail)])
    require(two, "half duplex is of links with two ways")
    ports = None if claim["ports"] is None else whole(claim["ports"], "ports", 1)
    combining, half, rounds = bool(holders), claim["duplex"] == "half", 0
    circuits, everything = claim["switching"] == "circuit", frozenset(holders)
    may_end = range(net.order) if claim["in_network"] or not circuits else set(net.endpoints)
    has: list[dict[int, frozenset[int]]] = [{} for _ in range(net.order)]
    for chunk in range(len(receivers)):
        for v in holders if combining else [origins[chunk]]:
            has[v][chunk] = frozenset([v] if combining else [])
    ordered = sorted(evidence["transfers"], key=lambda t: t[0])
    for number, group in itertools.groupby(ordered, key=lambda t: t[0]):
        rounds = whole(number, "a round", 1)
        busy: set[int] = set()
        sent, got, arrivals = [0] * net.order, [0] * net.order, []
        for _, way, chunk in group:
            path = way if circuits and isinstance(way, list) else [way]
            for c in path:
                whole(c, "a channel", 0, len(net.tail))
                free = c not in busy and not (half and net.reverse[c] in busy)
                require(free, f"round {number}: channel {c} or its link is used twice")
                busy.add(c)
            a, b = net.tail[path[0]], net.head[path[-1]]
            where = f"round {number}: from {a} to {b}"
            joined = all(net.head[c] == net.tail[d] for c, d in itertools.pairwise(path))
            require(joined, f"{where}: the path breaks off")
            require(a in may_end and b in may_end, f"{where}: switches only forward")
            sent[a], got[b] = sent[a] + 1, got[b] + 1
            if ports is not None:
                most = max(sent[a] + half * got[a], got[b] + half * sent[b])
                require(most <= ports, f"{where}: more than {ports} ports")
            require(chunk in has[a], f"{where}: {a} does not hold chunk {chunk}")
            arrivals.append((b, chunk, has[a][chunk], where))
        for b, chunk, parts, where in arrivals:
            mine = has[b].get(chunk, frozenset())
            if combining and everything not in (parts, mine):
                require(not parts & mine, f"{where}: a share is added twice")
            has[b][chunk] = parts if parts == everything else mine | parts
    for chunk, row in enumerate(receivers):
        for v in row:
            held = chunk in has[v] and (not combining or has[v][chunk] == everything)
            require(held, f"node {v} lacks chunk {chunk}, or a share of it, in the end")
    return rounds


def least_rounds(net: Network, claim: Record, bound: Record) -> int:
    """Rounds that every schedule takes: by distance, from an origin to a receiver (not under
    circuits); by a cut, what must enter a set of nodes over the channels into it; by growth, copies
    of a chunk, or sums of it backwards, times 1 + channels or ports of a holder in every round.
    """
    origins, receivers, holders = promise(net, claim)
    ports, kind = claim.get("ports"), bound["kind"]
    if kind == "cut":
        inside, entering = {whole(v, "side", 0, net.order) for v in bound["side"]}, 0
        for chunk, row in enumerate(receivers):
            outside = set(holders) - inside if holders else origins[chunk] not in inside
            entering += bool(outside and inside & set(row))
        width = sum(1 for a, b in zip(net.tail, net.head) if a not in inside and b in inside)
        width = width if ports is None else min(width, ports * len(inside))
        require(width > 0, "no channel leads into the set")
        return -(-entering // width)
    chunk = whole(bound["chunk"], "the chunk of the bound", 0, len(receivers))
    if kind == "growth":
        most = 1 + max([0, *Counter(net.tail).values(), *Counter(net.head).values()])
        most = most if ports is None else min(most, 1 + ports)
        many = len(holders) if holders else len({origins[chunk], *receivers[chunk]})
        require(most > 1 or many < 2, "there is no channel")
        return next(r for r in itertools.count() if most**r >= many)
    require(kind == "distance" and claim.get("switching") != "circuit", f"no bound by {kind!r}")
    source, target = bound["source"], bound["target"]
    begins = source in holders if holders else origins[chunk] == source
    require(begins and target in receivers[chunk], "nothing goes that way")
    return net.distances(source)[target]


def check_collective(net: Network, claim: Record, evidence: Record) -> str:
    """A schedule that takes so many rounds, and a reason why none takes fewer."""
    rounds, low = replay(net, claim, evidence), claim["at_least"]
    require(rounds == claim["rounds"], f"the schedule takes {rounds} rounds")
    least = least_rounds(net, claim, evidence["bound"])
    require(least >= low, f"the bound proves {least}, not {low}")
    same = "optimal" if rounds == low else f"at least {low}"
    s, ends = "s" * (claim["pieces"] > 1), len(set(claim.get("members", net.endpoints)))
    rules = f"{claim['pieces']} piece{s}, {ends} endpoints, {claim['ports'] or 'all'} ports, "
    rules += f"{claim['duplex']} duplex, {claim['switching']}{', in network' * claim['in_network']}"
    return f"{claim['goal']} in {rounds} rounds, {same} ({rules})"


def check_machine(net: Network, claim: Record, evidence: Record) -> str:
    """What a machine costs, and what no machine that carries as much can cost less than.

    Ordered pairs of endpoints are h hops apart, less h for the e(e - 1) at a switch with e of them,
    less h - j for the e·e·d·(radix - 1)^(j - 1) at most that are j from a switch with d channels.
    All hops must fit into the channels. Prices of an endpoint, a switch (negative for fewer) and
    hops, at which no switch with d/2 cables is worth more than it costs, bound all (LP duality).
    """
    ends, n, radix = net.endpoints, len(net.endpoints), whole(claim["radix"], "radix", 2, 513)
    share, low = fraction(claim["throughput"], "throughput"), fraction(claim["at_least"], "cost")
    tables: Any = ([[x if x is None else fraction(x, "a price") for x in row] for row in
                    claim["prices"][key]] for key in ("switches", "cables"))  # fmt: skip
    boxes, cables = tables
    box = [min((x for p, x in boxes if p >= d), default=math.inf) for d in range(radix + 1)]
    lengths = fractions(evidence["lengths"], "a length")
    degree = list(map(len, net.out))
    require(net.two_way, "a link has one way only")
    require(all(c == 1 for c in net.capacity) and 2 * len(lengths) == len(net.tail), "other links")
    require(n > 2 and all(degree[v] == 1 for v in ends), "two endpoints, or one of several lines")
    nic, wire = fraction(claim["prices"]["nic"], "nic"), min(x for _, x, _ in cables)
    cost = n * nic + sum(box[degree[v]] for v in {*range(net.order)} - {*ends})
    cost += sum(min(x + m * y for r, x, y in cables if r is None or m <= r) for m in lengths)
    require(cost == fraction(claim["cost"], "cost"), f"the parts cost {cost}")
    require(max(loads(net, evidence["flows"])) * share <= n - 1, "a channel is overloaded")
    require(n > radix or box[n] + n * (nic + wire) >= low, "one switch costs less")
    few, many = ((evidence[key], whole(evidence[key]["at"], key)) for key in ("fewer", "more"))
    require(few[1] + 1 == many[1], "some numbers of switches are left out")
    for (one, at), sign in ((few, -1), (many, 1)):
        end = fraction(one["endpoint"], "price of an endpoint", -(10**15))  # may be negative
        switch, *hops = fractions(one["prices"], "a price")
        for e, d in itertools.combinations_with_replacement(range(radix), 2):
            d = radix - d  # from 1 to radix - e
            worth = e * end + sign * switch
            for h, x in enumerate(hops, 1):
                near = sum((h - j) * (radix - 1) ** (j - 1) for j in range(1, h))
                worth += x * (d + share * e * (h * (e - 1) + e * d * near) / (n - 1))
            require(worth <= box[e + d] + d * wire / 2, f"{e} endpoints, {d} channels: too dear")
        bound = n * (end + nic + wire) + sign * switch * at
        bound += share * n * sum(h * x for h, x in enumerate(hops, 1))
        require(bound >= low, f"the prices prove {bound}, not {low}")
    told = f"it costs {float(cost):.2f}, and none of {n} endpoints that carries {share} of uniform"
    return f"{told} traffic over switches of at most {radix} ports less than {float(low):.2f}"


KINDS: dict[str, tuple[Any, str]] = {
    "deadlock-freedom": (check_deadlock, "classes"),
    "bisection": (check_bisection, "at_least at_most"),
    "throughput": (check_throughput, "at_least at_most"),
    "distances": (check_distances, "diameter mean"),
    "circulant": (check_circulant, "order generators diameter"),
    "collective": (check_collective, "goal pieces root targets members ports duplex switching"
                   " in_network rounds at_least"),
    "machine": (check_machine, "radix throughput prices currency cost at_least"),
}  # fmt: skip


def check(proof: Record) -> str:
    """What an accepted proof says, in one sentence; else Refused with the first error."""
    try:
        require_plain(proof)
        form = proof.get("format"), proof.get("version")
        require(form == (FORMAT, VERSION), f"the format is not {FORMAT!r}, version {VERSION}")
        require(proof.get("kind") in KINDS, f"the kind {proof.get('kind')!r} is unknown")
        net = None if proof["kind"] == "circulant" else Network(proof["network"])
        examine, known = KINDS[proof["kind"]]
        unknown = sorted(proof["claim"].keys() - set(known.split()))
        require(not unknown, f"this checker does not know the claims {unknown!r:.80}")
        return examine(net, proof["claim"], proof["evidence"])
    except (*MALFORMED, RecursionError) as error:
        raise Refused(f"the proof is not well formed: {type(error).__name__}: {error}") from None


def strict(pairs: list[tuple[str, Any]]) -> Record:
    require(len(dict(pairs)) == len(pairs), "a key is there twice")
    return dict(pairs)


def main(arguments: list[str] | None = None) -> int:
    """The command line: ``check.py FILE...``; hopscape installs it as ``hopscape-check``."""
    arguments, status = sys.argv[1:] if arguments is None else arguments, 0
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    hooks: Any = {"object_pairs_hook": strict, "parse_float": whole, "parse_constant": whole}
    for name in arguments:
        try:
            require(os.path.isfile(name) or re.match("/dev/(stdin|fd/)", name), "it is no file")
            with open(name, encoding="utf-8") as file:
                proof = json.loads(file.read(10**9), **hooks)  # letters
        except (OSError, ValueError, RecursionError, MemoryError, Refused) as error:
            print(f"{name}: cannot be read: {error!s:.300}", file=sys.stderr)
            return 2
        several = proof if isinstance(proof, list) and proof else [proof]
        for number, one in enumerate(several, 1):
            place = name if len(several) == 1 else f"{name}, proof {number}"
            try:
                shown = check(one)  # the spec is a name, no part of what is proved
                shown = f"accepted: {shown} [named {one.get('spec')!r:.60}]"
            except Refused as error:
                shown, status = f"REFUSED: {error!s:.300}", 1
            print(f"{place}: {''.join(c if c.isprintable() else '?' for c in shown)}")
    return status


if __name__ == "__main__":
    sys.exit(main())
