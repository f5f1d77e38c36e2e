"""Claims about the recursively expanded networks (section 4)."""

from __future__ import annotations

from functools import partial
from itertools import pairwise, product

import numpy as np

from hopscape.core.arrays import IntArray
from hopscape.core.errors import ArgumentError
from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.verify import verify
from hopscape.ledger.claim import Correction, Outcome, Searched, Tally, judge
from hopscape.ledger.crosscheck import differing, settled
from hopscape.papers.heawood import printed
from hopscape.papers.heawood.checks_folded import petersen
from hopscape.papers.heawood.checks_graph import basic_route, heawood
from hopscape.papers.heawood.collectives import flood
from hopscape.papers.heawood.expanded import Expanded
from hopscape.papers.heawood.folded import Folded
from hopscape.papers.heawood.routing import printed_route
from hopscape.reference import graphs

__all__: list[str] = []

_SEED = 36
"""Of the roots that are drawn."""
_BASES = {"heawood": heawood, "petersen": petersen}


def expanded(base: Network, n: int) -> Network:
    """RE(base, base, n)."""
    return Network.of(Expanded(base, n))


def check_range() -> Outcome:
    """Sizes at both ends of the range, and that there is no further level."""
    wrong, parts, tally = [], [], Tally()
    tally.expect("members", 2 * 3)
    for name, (size, most) in tally.each("families", printed.EXPANDED_SIZES.items(), 2):
        base = _BASES[name]()
        for n in tally.each("members", (0, 1, most)):
            try:
                order = expanded(base, n).order
            except ArgumentError:
                wrong.append(f"{name}: there is no network with n = {n}")
                continue
            if order != size ** (n + 1):
                wrong.append(f"{name}, n = {n}: {order} nodes")
        try:
            expanded(base, most + 1)
            wrong.append(f"{name}: n = {most + 1} exists as well")
        except ArgumentError:
            parts.append(f"{name}: {size}^(n+1) nodes for n = 0, 1, {most}, nothing beyond")
    return judge(wrong, "; ".join(parts), searched=tally)


def check_scalable() -> Outcome:
    """Sizes of both families, one after the other: every step multiplies by 14, and RE-H ends."""
    wrong, ours, steps = [], [], []
    for n in range(1, 15):
        for name, smaller, larger in (
            ("F-H", Folded(heawood(), n), Folded(heawood(), n + 1)),
            ("RE-H", Expanded(heawood(), n - 1), Expanded(heawood(), n)),
        ):
            steps.append(larger.order // smaller.order)
            if larger.order != 14 * smaller.order:
                ours.append(f"{name}, n = {n}: {smaller.order} nodes grow to {larger.order}")
    last = Expanded(heawood(), 14).order
    try:
        Expanded(heawood(), 15)
        ours.append("RE-H goes on beyond n = 14")
    except ArgumentError:
        wrong.append(f"RE-H ends at 14^15 = {last} nodes")
    wrong.append("there is no size between N and 14 N")
    text = f"{len(steps)} steps of F-H and RE-H multiply the size by {sorted(set(steps))}"
    outcome = judge(
        wrong,
        text,
        Correction("in steps of 14 only, F-H without end, RE-H up to n = 14", ours),
        values={"factors": sorted(set(steps)), "last": last},
        searched=[Searched("steps", len(steps), 28)],
    )
    return settled(ours, outcome)


def check_enough() -> Outcome:
    """How many nodes the largest members have; what is enough in practice is an opinion."""
    largest = {name: _BASES[name]().order ** (most + 1) for name, (_, most) in
               printed.EXPANDED_SIZES.items()}  # fmt: skip
    built = {name: expanded(_BASES[name](), most).order for name, (_, most) in
             printed.EXPANDED_SIZES.items()}  # fmt: skip
    text = f"the largest RE-P has {built['petersen']:,} nodes, RE-H {built['heawood']:,}"
    if built != largest or built["petersen"] != printed.ENOUGH_NODES:
        return Outcome("refuted", text, f"RE-P ends at {built['petersen']} nodes")
    note = "the count is right; how many nodes are enough is not computed"
    return Outcome("open", text, note, values=built)


def check_regular() -> Outcome:
    """Degrees in closed form for all n, counted node by node for n = 0, 1, 2."""
    wrong, regular, ours, tally = [], [], [], Tally()
    tally.expect("nodes", 14 + 14**2 + 14**3)
    for n in tally.each("members", range(15), 15):
        family = Expanded(heawood(), n)
        counts = family.degree_counts()
        ours += graphs.wrong_facts(Network.of(family)) if n == 1 else []
        if n <= 2:
            seen = [len(row) for row in tally.each("nodes", graphs.rows_of(Network.of(family)))]
            counted = {d: seen.count(d) for d in sorted(set(seen))}
            if counted != counts:
                ours.append(f"n = {n}: counted {counted}, closed form {counts}")
        if set(counts) == {printed.EXPANDED_DEGREE}:
            regular.append(n)
        else:
            wrong.append(f"n = {n}: {counts} (degree: nodes)")
        if max(counts) > 6 or counts.get(6, 0) != n * 14**n:
            ours.append(f"n = {n}: {counts}, not {n}·14^{n} nodes of degree 6")
    text = f"regular of degree {printed.EXPANDED_DEGREE} at n = {regular} of 0..14"
    return settled(ours, judge(wrong, text, values={"regular": regular}, searched=tally))


def check_links() -> Outcome:
    """Which links the nodes have, place by place: printed ranges, and those that are true."""
    wrong, fixed, places, nodes = [], [], [], 0
    for n in (1, 2, 3):
        network = expanded(heawood(), n)
        levels: dict[int, set[tuple[int, ...]]] = {}
        for v, row in enumerate(graphs.rows_of(network)):
            nodes += 1
            mine = tuple(sorted(_levels_changed(v, w, n) for w in row))
            levels.setdefault(v % 14, set()).add(mine)
        six = [place for place, kinds in levels.items() if {len(k) for k in kinds} == {6}]
        three = [place for place, kinds in levels.items() if kinds == {(0, 0, 0)}]
        places.append((n, six, three))
        first, last = printed.six_links(n)
        if six != list(range(first, last + 1)):
            wrong.append(f"n = {n}: addresses {six} have 6 links, printed {first} to {last}")
        if three != list(range(last + 1, n + 1)):
            wrong.append(f"n = {n}: addresses {three} have 3 links, printed {last + 1} to {n}")
        for place, kinds in levels.items():
            right = (0, 0, 0, *[place + 1] * 3) if place < n else (0, 0, 0)
            if kinds != {right}:
                fixed.append(f"n = {n}: nodes at place {place} have links of levels {kinds}")
    text = "; ".join(
        f"n = {n}: 6 links at addresses {six[0]}..{six[-1]}, 3 at {three[0]}..{three[-1]}"
        for n, six, three in places
    )
    return judge(
        wrong,
        text,
        Correction(
            "addresses 0..n-1 have 6 links, 3 of level 0 and 3 of the level one above the address;"
            " n..13 have 3",
            fixed,
        ),
        values={f"n = {n}": [six, three] for n, six, three in places},
        searched=[Searched("nodes", nodes, 14**2 + 14**3 + 14**4)],
    )


def _levels_changed(v: int, w: int, n: int) -> int:
    """The level of the one entry that differs; -1 where it is not one."""
    ends = [[x % 14, *(x // 14 ** (i + 1) % 14 for i in range(n))] for x in (v, w)]
    differ = [i for i in range(n + 1) if ends[0][i] != ends[1][i]]
    return differ[0] if len(differ) == 1 else -1


def longest_walks(rows: graphs.Rows, most: int) -> list[int]:
    """Longest covering walks through nodes 0..n-1, n = 0..most, by search over (visited, place).

    From all starts at once: bit s of ``seen[visited, place]`` tells that a walk from s can be
    there.
    """
    size = len(rows)
    at = np.arange(size)
    longest = []
    for n in range(most + 1):
        seen = np.zeros((1 << n, size), dtype=np.int64)
        seen[np.where(at < n, 1 << np.minimum(at, n), 0), at] = 1 << at
        front, step, done, all_starts = seen.copy(), 0, seen[-1].copy(), (1 << size) - 1
        while (done != all_starts).any() and front.any():
            front = _moved(front, rows, n) & ~seen
            seen |= front
            done |= front[-1]
            step += 1
        longest.append(step if (done == all_starts).all() else -1)
    return longest


def _moved(front: IntArray, rows: graphs.Rows, n: int) -> IntArray:
    """Everybody goes to all neighbours, and has then visited them."""
    out = np.zeros_like(front)
    for w, row in enumerate(rows):
        reached = np.bitwise_or.reduce(front[:, row], axis=1)
        if w >= n:
            out[:, w] = reached
        else:
            halves = reached.reshape(-1, 2, 1 << w)
            there = np.zeros_like(halves)
            there[:, 1] = halves[:, 0] | halves[:, 1]
            out[:, w] = there.ravel()
    return out


def check_diameters(name: str) -> Outcome:
    """Longest covering walks for all n, breadth-first search of the networks for n = 1, 2, 3."""
    base = _BASES[name]()
    rows = graphs.rows_of(base)
    size, most = printed.EXPANDED_SIZES[name]
    diameter = graphs.diameter(rows)
    true = [n * diameter + walk for n, walk in enumerate(longest_walks(rows, most))]
    ours = []
    tally = Tally()
    for n in tally.each(
        "searches", (1, 2, 3), 3
    ):  # all levels are alike, so that the nodes of one copy see everything
        reach = graphs.diameter(graphs.rows_of(expanded(base, n)), range(size))
        if reach != true[n]:
            ours.append(f"n = {n}: search finds {reach}, walks {true[n]}")
    ours += graphs.wrong_facts(expanded(base, 1))
    closed = {n: Expanded(base, n).facts().diameter for n in range(most + 1)}
    ours += [
        f"n = {n}: our closed form says {diameter_of}, the walks {true[n]}"
        for n, diameter_of in closed.items()
        if diameter_of != true[n]
    ]
    formula = partial(printed.expanded_diameter, base=name)
    wrong = differing("n", dict(enumerate(true)), formula)
    below = [n for n, v in enumerate(true) if v > formula(n)]
    bound = f"too small at n = {below}" if below else "nowhere too small"
    text = f"true for n = 0..{most}: {true}; printed values are {bound}"
    outcome = judge(
        wrong,
        text,
        values={"diameters": true, "too_small": below},
        searched=[Searched("closed forms", len(closed), size + 1), *tally],
    )
    return settled(ours, outcome)


# -- routing -----------------------------------------------------------------------------------


def _level_route(
    source: tuple[int, ...], target: tuple[int, ...], connector: int, tested: bool, last_leg: bool
) -> int | None:
    """H_n^Z_Route written out: hops, or None when it gets stuck.

    Entries are (a_n, ..., a_0); level i is set right where a_0 = i - 1.
    """
    here, hops = list(source), 0
    n = len(source) - 1
    for i in range(n, 0, -1):
        entry = n - i
        if here[entry] == target[entry]:
            continue
        path = basic_route(here[n], (i + connector) % 14, tested=False)
        if path is None or path[-1] != i - 1:
            return None  # no link of this level here
        across = basic_route(here[entry], target[entry], tested=tested)
        if across is None:
            return None
        hops += len(path) + len(across) - 2
        here[n], here[entry] = path[-1], across[-1]
    if last_leg:
        path = basic_route(here[n], target[n], tested=False)
        hops += len(path or [0]) - 1
        here[n] = target[n]
    return hops if tuple(here) == tuple(target) else None


def check_route() -> Outcome:
    """As printed and repaired on RE-H(1); the repaired lengths for n up to 8 without visiting."""
    family = Expanded(heawood(), 1)
    addresses = list(product(range(14), range(14)))
    rng = np.random.default_rng(0)
    chosen = [addresses[i] for i in rng.choice(196, 6, replace=False)]
    pairs = [(s, d) for s in chosen for d in addresses]
    delivered, ours = {}, []
    readings = {
        "as printed": printed.LEVEL_ROUTE,
        "connector and else put right": (-1, False, False),
        "last leg added": (-1, False, True),
    }
    tally = Tally()
    tally.expect("pairs by three readings", 3 * 6 * 14**2)
    for name, (connector, tested, last) in readings.items():
        delivered[name] = 0
        for s, d in tally.each("pairs by three readings", pairs):
            hops = _level_route(s, d, connector, tested, last)
            delivered[name] += hops is not None
            path = printed_route(
                family,
                s,
                d,
                connector_off_by_one=connector == 0,
                last_is_tested=tested,
                final_leg=last,
            )
            if (None if path is None else len(path) - 1) != hops:
                ours.append(f"our route {name} from {s} to {d} is another")
    lengths = {n: _longest_repaired(n) for n in (1, 2, 3, 8)}
    excess = _excess(2)
    text = (
        f"RE-H(1), {len(pairs)} pairs: "
        + ", ".join(f"{name} {count}" for name, count in delivered.items())
        + f" delivered; then the longest routes have {list(lengths.values())} hops at"
        f" n = {list(lengths)}, at n = 2 up to {excess} more than the distance"
    )
    missing, left = (
        [f"{lost} of {len(pairs)} pairs are not delivered"] if lost else []
        for lost in (len(pairs) - delivered[name] for name in ("as printed", "last leg added"))
    )
    repair = "with connector i-1, a plain else and a last leg in level 0"
    if delivered["last leg added"] == len(pairs) and list(lengths.values()) != [
        4 * n + 5 for n in lengths
    ]:
        left = [f"the longest routes have {lengths} hops, not 4n + 5"]
    outcome = judge(
        missing,
        text,
        Correction(f"{repair}; at most 4n + 5 hops", left),
        values={
            "delivered": list(delivered.values()),
            "longest": list(lengths.values()),
            "excess": excess,
        },
        searched=tally,
    )
    return settled(ours, outcome)


def _longest_repaired(n: int) -> int:
    """Longest repaired route of RE-H(n): every set of levels that differ, each by 3 hops."""
    hops = graphs.distances(graphs.rows_of(heawood()))
    longest = 0
    for number in range(1 << n):
        stops = [i for i in range(n - 1, -1, -1) if number >> i & 1]
        inner = sum(int(hops[a, b]) for a, b in pairwise(stops)) + 3 * len(stops)
        ends = int(hops[:, stops[0]].max() + hops[stops[-1]].max()) if stops else int(hops.max())
        longest = max(longest, inner + ends)
    return longest


def _excess(n: int) -> int:
    """The most hops that a repaired route has above the distance, from the nodes of one copy."""
    rows = graphs.rows_of(expanded(heawood(), n))
    far = graphs.distances(rows, range(14))
    worst = 0
    for source in range(14):
        for target in range(source, len(rows), 41):
            ends = [(*(x // 14 ** (i + 1) % 14 for i in range(n - 1, -1, -1)), x % 14)
                    for x in (source, target)]  # fmt: skip
            hops = _level_route(ends[0], ends[1], -1, False, True)
            worst = max(worst, (hops or 0) - int(far[source, target]))
    return worst


# -- broadcast ---------------------------------------------------------------------------------


def _flooded(
    rows: graphs.Rows, rounds: int, flag: int, root: int = 0
) -> list[set[tuple[int, int]]]:
    """Basic_Broadcast_All, written out: the messages of every round.

    Everybody who was called tells the neighbours whose flag is not its own number and writes its
    number there; of several writers the highest stays; all neighbours are called.
    """
    flags, called, sent = [flag] * len(rows), {root}, []
    for _ in range(rounds):
        now = {(v, w) for v in called for w in rows[v] if flags[w] != v}
        sent.append(now)
        for v, w in sorted(now):
            flags[w] = v
        called = {w for v in called for w in rows[v]}
    return sent


def check_broadcast() -> Outcome:
    """RE-H(1) from node 0: flags of 0, a counter set anew, and both put right."""
    network = expanded(heawood(), 1)
    rows = graphs.rows_of(network)
    limit = printed.expanded_diameter(1, "heawood")
    flag, handed_down = printed.FLOOD
    first = len(_flooded(rows, 1, flag)[0])
    late = 0 if handed_down else len(_flooded(rows, 90, -1)[-1])
    right = _flooded(rows, limit, -1)
    reached = {0} | {w for now in right for _, w in now}
    made = flood(network, 0, limit)
    verdict = verify(made, network, Goal.broadcast(0), model=Model())
    as_printed = [] if first else [f"with flags of {flag} node 0 sends nothing"]
    as_printed += [f"{late} messages are still sent in round 90"] if late else []
    if len(reached) < 196:
        as_printed.append(f"{len(reached)} of 196 nodes in {limit} rounds, were both put right")
    ours = []
    if bool(verdict) != (len(reached) == 196) or made.transfers != sum(map(len, right)):
        ours.append(f"our flood: {verdict.reason or made.transfers}")
    roots, tally = np.random.default_rng(_SEED).integers(1, len(rows), 4).tolist(), Tally()
    tally.expect("nodes", 196)
    tally.add("nodes", len(reached))
    for root in tally.each("other roots", roots, 4):
        there, wanted = flood(network, root, limit), _flooded(rows, limit, -1, root)
        sent = set(zip(there.round.tolist(), there.source.tolist(), there.target.tolist()))
        served = verify(there, network, Goal.broadcast(root), model=Model())
        if not served or sent != {(r, v, w) for r, now in enumerate(wanted) for v, w in now}:
            ours.append(f"our flood from {root} sends other messages")
    text = (
        f"RE-H(1) from node 0: {first} first messages with flags of {flag}, {late} in"
        f" round 90; with both put right {len(reached)} of 196 nodes in {limit} rounds by"
        f" {made.transfers} messages, {verdict.details['duplicates']} of them duplicates"
    )
    outcome = judge(
        as_printed,
        text,
        values={
            "first": first,
            "late": late,
            "reached": len(reached),
            "messages": made.transfers,
            "duplicates": int(verdict.details["duplicates"]),
            "longest_chain": int(verdict.details["max_path"]),
        },
        searched=tally,
    )
    return settled(ours, outcome)
