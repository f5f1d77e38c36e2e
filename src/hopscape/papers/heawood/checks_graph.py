"""Claims about the graphs themselves (sections 1 and 2): shape, paths, routing, broadcast."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations, product
from math import comb

import numpy as np

from hopscape.core.goal import Goal
from hopscape.core.model import Model
from hopscape.core.network import Network
from hopscape.core.schedule import Schedule
from hopscape.core.verdict import Verdict
from hopscape.core.verify import verify
from hopscape.families.classic import Heawood, Hypercube, Petersen
from hopscape.families.classic.heawood import basic_broadcast
from hopscape.ledger.claim import Correction, Outcome, Searched, Tally, judge
from hopscape.ledger.crosscheck import settled
from hopscape.papers.heawood import printed
from hopscape.papers.heawood.routing import look_ahead_route
from hopscape.reference import graphs

__all__: list[str] = []

_N = 14


def heawood(mirrored: bool = False) -> Network:
    """The Heawood graph in either addressing, wired as defined: what is judged is made of it."""
    return graphs.as_defined(Network.of(Heawood(mirrored)), defined_rows(mirrored=mirrored), 3)


def defined_rows(chord: int = 5, mirrored: bool = False) -> graphs.Rows:
    """Definition 1, written out: x + 1, x - 1, and the chord."""
    up = 0 if mirrored else 1
    return [
        [(x + 1) % _N, (x - 1) % _N, (x + chord if x % 2 == up else x - chord) % _N]
        for x in range(_N)
    ]


def check_petersen() -> Outcome:
    nodes, _, degrees, diameter = graphs.shape(Network.of(Petersen()))
    measured = (nodes, *degrees, diameter)
    wrong = (
        [] if measured == printed.PETERSEN else [f"found {measured}, printed {printed.PETERSEN}"]
    )
    text = f"{nodes} nodes, degrees {list(degrees)}, diameter {diameter}"
    return judge(wrong, text)


def check_hypercube() -> Outcome:
    """Symmetric, regular, as many disjoint paths as links, routed bit by bit."""
    import networkx

    wrong, ours, cuts, routes = [], [], {}, 0
    for n in range(1, 6):
        network = Network.of(Hypercube(n))
        rows = graphs.rows_of(network)
        hops = graphs.distances(rows)
        if {len(row) for row in rows} != {n}:
            wrong.append(f"n = {n}: degrees {sorted({len(row) for row in rows})}")
        if len({tuple(sorted(row)) for row in hops.tolist()}) > 1:
            wrong.append(f"n = {n}: nodes see different distances")
        cuts[n] = networkx.node_connectivity(graphs.graph(rows))
        if cuts[n] != n:
            wrong.append(f"n = {n}: {cuts[n]} nodes part it")
        router = network.router()
        nodes = np.arange(2**n)
        routed = router.distances(np.repeat(nodes, 2**n), np.tile(nodes, 2**n)).reshape(hops.shape)
        if (routed != hops).any():
            ours.append(f"n = {n}: the router tells other distances than the search")
        for a, b in permutations(range(2**n), 2):
            routes += 1
            path = router.path(a, b)
            if (path[0], path[-1]) != (a, b) or not graphs.is_path(rows, path, hops[a, b]):
                ours.append(f"n = {n}: the route from {a} to {b} is {path}")
    text = f"n = 1..5: connectivity {list(cuts.values())}, {len(ours)} routes are not shortest"
    theory = sum(2**n * (2**n - 1) for n in range(1, 6))
    outcome = judge(wrong, text, searched=[Searched("routes", routes, theory)])
    return settled(ours, outcome)


def check_graph() -> Outcome:
    import networkx

    nodes, links, degrees, diameter = graphs.shape(heawood())
    wrong = []
    measured = (nodes, links, *degrees, diameter)
    if measured != printed.HEAWOOD:
        wrong.append(f"found {measured}, printed {printed.HEAWOOD}")
    plain, other = (graphs.graph(graphs.rows_of(heawood(m))) for m in (False, True))
    alike = networkx.is_isomorphic(plain, other)
    backwards = networkx.relabel_nodes(plain, {x: -x % _N for x in range(_N)})
    onto = set(map(frozenset, backwards.edges)) == set(map(frozenset, other.edges))
    if not alike:
        wrong.append("the two addressings are not isomorphic")
    if not onto:
        wrong.append("x → -x does not map one addressing onto the other")
    return judge(
        wrong,
        f"{nodes} nodes, {links} links, degrees {list(degrees)}, diameter {diameter}; the two"
        f" addressings are {'' if alike else 'not '}isomorphic, counted backwards one is"
        f" {'' if onto else 'not '}the other",
    )


def check_neighbours() -> Outcome:
    """The rule of property 1 against definition 1 and the network."""
    wrong = []
    rows = graphs.rows_of(Network.of(Heawood()))
    rule = defined_rows(printed.CHORD)
    tally = Tally()
    for x in tally.each("nodes", range(_N), 14):
        if sorted(rule[x]) != sorted(rows[x]):
            wrong.append(f"node {x} is wired to {sorted(rows[x])}, the rule says {sorted(rule[x])}")
    wires = [(x, y) for x in range(_N) for y in rule[x]]
    both = sum(x in rule[y] for x, y in tally.each("wires of the rule", wires, 3 * 14)) == 3 * 14
    if not both:
        wrong.append(f"with {printed.CHORD} the rule is not symmetric")
    text = f"{_N - len(wrong)} of {_N} nodes have the neighbours of the rule"
    return judge(wrong, text, searched=tally)


def check_connectivity() -> Outcome:
    import networkx

    rows = graphs.rows_of(heawood())
    graph = graphs.graph(rows)
    pairs_by_paths = Counter(
        len(list(networkx.node_disjoint_paths(graph, a, b))) for a, b in combinations(range(_N), 2)
    )
    wrong = [
        f"{count} pairs have {paths} disjoint paths" for paths, count in pairs_by_paths.items()
    ]
    degree = printed.HEAWOOD[2]
    wrong = [] if set(pairs_by_paths) == {degree} else wrong
    text = ", ".join(
        f"{count} pairs with {paths}" for paths, count in sorted(pairs_by_paths.items())
    )
    return judge(
        wrong,
        f"disjoint paths between two nodes: {text}",
        values={"neighbours of 0": sorted(rows[0]), "neighbours of 1": sorted(rows[1])},
        searched=[Searched("pairs of nodes", pairs_by_paths.total(), _N * (_N - 1) // 2)],
    )


def check_against_cube() -> Outcome:
    own, cube = graphs.shape(heawood()), graphs.shape(Network.of(Hypercube(3)))
    wrong = []
    if own[3] != cube[3]:
        wrong.append(f"diameter {own[3]} against {cube[3]}")
    if own[2] != cube[2]:
        wrong.append(f"degrees {own[2]} against {cube[2]}")
    if own[0] <= cube[0]:
        wrong.append(f"{own[0]} nodes against {cube[0]}")
    text = f"{own[0]} nodes at diameter {own[3]}, the hypercube of degree 3 {cube[0]} at {cube[3]}"
    return judge(wrong, text)


def check_cycles() -> Outcome:
    """The shortest cycle through each pair: two disjoint paths of least total length."""
    rows = graphs.rows_of(heawood())
    pairs_by_length: Counter[int] = Counter()
    for a, b in combinations(range(_N), 2):
        pairs_by_length[min(len(p) + len(q) - 2 for p, q in combinations(_simple(rows, a, b, 7), 2)
                  if not set(p[1:-1]) & set(q[1:-1]))] += 1  # fmt: skip
    wrong = [f"{n} pairs: {length}" for length, n in pairs_by_length.items()
             if length != printed.SHORTEST_CYCLE]  # fmt: skip
    text = ", ".join(f"{length} ({n} pairs)" for length, n in sorted(pairs_by_length.items()))
    pairs = Searched("pairs of nodes", pairs_by_length.total(), _N * (_N - 1) // 2)
    return judge(wrong, f"shortest cycle through two nodes: {text}", searched=[pairs])


def _simple(rows: graphs.Rows, a: int, b: int, longest: int) -> list[tuple[int, ...]]:
    """All simple paths of up to so many hops."""
    paths: list[tuple[int, ...]] = []
    stack: list[tuple[int, ...]] = [(a,)]
    while stack:
        path = stack.pop()
        if path[-1] == b:
            paths.append(path)
        elif len(path) <= longest:
            stack += [(*path, v) for v in rows[path[-1]] if v not in path]
    return paths


def shortest_triples(
    rows: graphs.Rows, longest: int, tally: Tally
) -> dict[int, set[tuple[int, ...]]]:
    """Lengths of three disjoint paths of least total length, by distance of their ends."""
    hops = graphs.distances(rows)
    triples_by_distance: dict[int, set[tuple[int, ...]]] = {}
    for a, b in tally.each("pairs of nodes", combinations(range(len(rows)), 2)):
        inner = [frozenset(p[1:-1]) for p in _simple(rows, a, b, longest)]
        triples = [
            tuple(sorted(len(p) + 1 for p in (x, y, z)))
            for i, x in enumerate(inner)
            for j, y in enumerate(inner[i + 1 :], i + 1)
            if not x & y
            for z in inner[j + 1 :]
            if not (x | y) & z
        ]
        best = min(triples, key=lambda lengths: (sum(lengths), lengths), default=())
        triples_by_distance.setdefault(int(hops[a, b]), set()).add(best)
    return triples_by_distance


def check_paths() -> Outcome:
    tally = Tally()
    tally.expect("pairs of nodes", _N * (_N - 1) // 2)
    lengths_by_distance = shortest_triples(graphs.rows_of(heawood()), 6, tally)
    wanted = {hops: {lengths} for hops, lengths in printed.PATHS.items()}
    wrong = [
        f"distance {hops}: {sorted(lengths_by_distance.get(hops, set()))},"
        f" printed {sorted(wanted.get(hops, set()))}"
        for hops in tally.each("distances", sorted({*lengths_by_distance, *wanted}), 3)
        if lengths_by_distance.get(hops) != wanted.get(hops)
    ]
    text = "; ".join(
        f"distance {hops}: {sorted(v)}" for hops, v in sorted(lengths_by_distance.items())
    )
    text = f"lengths of three disjoint paths, shortest total: {text}"
    return judge(wrong, text, searched=tally)


# -- routing and broadcast ---------------------------------------------------------------------


def basic_route(
    source: int,
    target: int,
    tested: bool,
    beside_itself: bool = True,
    rows: graphs.Rows | None = None,
) -> list[int] | None:
    """Basic_Route, written out: nodes on the way, or None when no branch fires or it runs round."""
    table = defined_rows() if rows is None else rows
    beside_target = {*table[target], target} if beside_itself else set(table[target])
    path = [source]
    while path[-1] != target and len(path) < 60:
        plus, minus, chord = table[path[-1]]
        if plus in beside_target:
            path.append(plus)
        elif minus in beside_target:
            path.append(minus)
        elif chord in beside_target or not tested:
            path.append(chord)
        else:
            return None
    return path if path[-1] == target else None


def check_basic_route() -> Outcome:
    network = heawood()
    rows = graphs.rows_of(network)
    hops = graphs.distances(rows)
    pairs = [(a, b) for a in range(_N) for b in range(_N) if a != b]
    ours, tally = [], Tally()
    tally.expect("routes of ordered pairs", 4 * _N * (_N - 1))  # two readings, ours, and lost ones

    def failing(tested: bool) -> list[str]:
        failures = []
        for a, b in tally.each("routes of ordered pairs", pairs):
            path = basic_route(a, b, tested, rows=rows)
            if path is None:
                failures.append(f"from {a} to {b} no branch fires")
            elif len(path) - 1 != hops[a, b]:
                taken = len(path) - 1
                failures.append(f"from {a} to {b} in {taken} hops, the distance is {hops[a, b]}")
            if look_ahead_route(network, a, b, last_is_tested=tested) != path:
                ours.append(f"our look-ahead route from {a} to {b} is another")
        return failures

    as_printed, plain = failing(printed.THIRD_BRANCH_TESTED), failing(False)
    router = network.router()
    for a, b in tally.each("routes of ordered pairs", pairs):
        path = graphs.route(router, a, b)
        if path != basic_route(a, b, False, rows=rows):
            ours.append(f"our router goes {path} from {a} to {b}")
    alone = tally.each("routes of ordered pairs", pairs)
    lost = sum(basic_route(a, b, False, beside_itself=False) is None for a, b in alone)
    text = (
        f"{len(pairs)} ordered pairs: as printed {len(as_printed)} fail, with a plain else"
        f" {len(plain)}; if a node were not beside itself {lost} would never arrive"
    )
    note = "the third branch must be a plain else"
    routed = zip(pairs, router.distances(*np.asarray(pairs).T).tolist(), strict=True)
    ours += [
        f"our router tells {hop} hops from {a} to {b}"
        for (a, b), hop in tally.each("distances of ordered pairs", routed, _N * (_N - 1))
        if hop != hops[a, b]
    ]
    outcome = judge(
        as_printed,
        text,
        Correction(note, plain),
        values={"stuck": len(as_printed), "never_arrive": lost},
        searched=tally,
    )
    return settled(ours, outcome)


def _spread(
    steps: Mapping[str, Sequence[str]], last: Mapping[tuple[str, str], Sequence[str]]
) -> tuple[set[int], int, Counter[int]]:
    """Basic_Broadcast from node 0, written out: who is reached, messages, copies per node."""
    rows = defined_rows()
    port = {"+": 0, "-": 1, "c": 2}
    copies: Counter[int] = Counter(rows[0])
    for first, further in steps.items():
        here = rows[0][port[first]]
        copies.update(rows[here][port[path]] for path in further)
    for (first, second), further in last.items():
        here = rows[rows[0][port[first]]][port[second]]
        copies.update(rows[here][port[path]] for path in further)
    return {0, *copies}, copies.total(), copies


_RIGHT_STEPS = {"+": ("+", "c"), "-": ("-", "c"), "c": ("+", "-")}
_RIGHT_LAST = {("+", "+"): ("+", "c"), ("+", "c"): ("+", "-")}


def _verdict(schedule: Schedule, root: int) -> Verdict:
    """On the graph as defined, from this root, under the paper's rules: not by its own word."""
    return verify(schedule, heawood(), Goal.broadcast(root), model=Model())


def check_basic_broadcast() -> Outcome:
    network = heawood()
    reached, messages, _ = _spread(printed.FURTHER_STEPS, printed.LAST_STEPS)
    as_printed, fixed, unsettled = [], [], []
    if len(reached) < _N:
        as_printed.append(f"{len(reached)} of {_N} nodes are reached, by {messages} messages")
    served = _verdict(basic_broadcast(network, 0, printed=True), 0).details["reached"]
    if served != len(reached):
        unsettled.append(f"our printed schedule reaches {served}")
    tally = Tally()
    for root in tally.each("roots", range(_N), 14):
        made = basic_broadcast(network, root)
        verdict = _verdict(made, root)
        if not verdict or made.rounds != printed.SENDS or made.transfers != _N - 1:
            unsettled.append(f"from {root}: {verdict.reason or f'{made.rounds} sends'}")
    if len(_spread(_RIGHT_STEPS, _RIGHT_LAST)[0]) < _N:
        fixed.append("going on outwards does not reach all either")
    copies = _unpruned(graphs.rows_of(network))
    if copies != printed.THREE_COPIES:
        fixed.append(f"nodes {copies} get three copies, printed {printed.THREE_COPIES}")
    text = (
        f"printed steps: {len(reached)} of {_N} nodes, {messages} messages; going on outwards all"
        f" from {_N} roots, {len(unsettled)} failures; unpruned, nodes {list(copies)} get 3 copies"
    )
    note = "step 2 must go on outwards: plus from S+1, minus from S-1, and step 3.1 from S+2"
    outcome = judge(
        as_printed + fixed,
        text,
        Correction(note, fixed),
        values={"reached": len(reached), "messages": messages, "three_copies": list(copies)},
        searched=tally,
    )
    return settled(unsettled, outcome)


def check_one_copy() -> Outcome:
    """Unpruned, the nodes of the third send get three copies each; pruned, one, from all roots."""
    network = heawood()
    rows = graphs.rows_of(network)
    hops = graphs.distances(rows)
    wrong, ours, unpruned, third, roots = [], [], set(), set(), 0
    for root in range(_N):
        roots += 1
        far = [v for v in range(_N) if hops[root, v] == printed.SENDS]
        copies = Counter(w for v in range(_N) if hops[root, v] == 2 for w in rows[v] if w in far)
        unpruned.add(tuple(sorted(copies[v] for v in far)))
        if set(copies.values()) != {3}:
            wrong.append(f"from {root} the last nodes get {dict(copies)} copies")
        made = basic_broadcast(network, root)
        last = made.target[made.round == printed.SENDS - 1].tolist()
        third.add(len(last))
        if sorted(last) != far or not _verdict(made, root):
            ours.append(f"from {root} the third send serves {sorted(last)}, not {far}")
    text = f"copies of the last four nodes without pruning {sorted(unpruned)}; sent by ours {third}"
    outcome = judge(
        wrong,
        text,
        values={"copies": sorted(unpruned), "third_send": sorted(third)},
        searched=[Searched("roots", roots, _N)],
    )
    return settled(ours, outcome)


def _unpruned(rows: graphs.Rows) -> tuple[int, ...]:
    """Nodes that get three copies when everybody tells the two neighbours that did not tell it."""
    messages = [(0, v) for v in rows[0]]
    copies: Counter[int] = Counter()
    for _ in range(printed.SENDS):
        copies = Counter(head for _, head in messages)
        seen = {head: tail for tail, head in messages}
        messages = [(v, w) for v, sender in seen.items() for w in rows[v] if w != sender]
    return tuple(sorted(v for v, count in copies.items() if count == 3))


# -- also true ---------------------------------------------------------------------------------


def check_levels() -> Outcome:
    hops = graphs.distances(graphs.rows_of(heawood()))
    tally = Tally()
    nodes = tally.each("nodes", hops.tolist(), 14)
    rows = {tuple(Counter(row).get(d, 0) for d in range(4)) for row in nodes}
    wrong = [f"some node sees {row}" for row in sorted(rows) if row != printed.LEVELS]
    return judge(wrong, f"nodes at distance 0, 1, 2, 3: {sorted(rows)}", searched=tally)


def check_opposite() -> Outcome:
    hops = graphs.distances(graphs.rows_of(heawood()))
    tally = Tally()
    gaps = [int(hops[x, (x + 7) % _N]) for x in tally.each("nodes", range(_N), 14)]
    wrong = [
        f"{x} and {(x + 7) % _N} are at distance {gap}" for x, gap in enumerate(gaps) if gap != 3
    ]
    text = f"distances of x and x + 7: {sorted(set(gaps))}"
    return judge(wrong, text, searched=tally)


def check_bisection() -> Outcome:
    """All 1716 halvings, one by one."""
    rows = graphs.rows_of(heawood())
    links = [(u, v) for u in range(_N) for v in rows[u] if u < v]
    tally = Tally()
    halvings = combinations(range(1, _N), _N // 2 - 1)
    least = min(
        sum((u in side) != (v in side) for u, v in links)
        for chosen in tally.each("halvings", halvings, comb(13, 6))
        if (side := {0, *chosen})
    )
    known = Heawood().facts().bisection
    ours = [] if known == least else [f"the closed form is {known}, the least cut {least}"]
    ours += graphs.wrong_facts(heawood())
    wrong = [] if least == 7 else [f"a cut of {least} links"]
    text = f"the least cut of all halvings has {least} links, our closed form {known}"
    return settled(ours, judge(wrong, text, searched=tally))


def check_cayley() -> Outcome:
    """The translations are automorphisms, one for each node; every generator is its own inverse."""
    rows = graphs.rows_of(heawood())
    moves = Heawood().translations()
    wrong, tally = [], Tally()
    for v, move in tally.each("translations", enumerate(moves.tolist()), 14):
        if move[0] != v or sorted(move) != list(range(_N)):
            wrong.append(f"row {v} does not move 0 to {v}")
        if any(move[w] not in rows[move[u]] for u in range(_N) for w in rows[u]):
            wrong.append(f"row {v} is not an automorphism")
    members = {tuple(move) for move in moves.tolist()}
    pairs = tally.each("pairs of translations", product(moves, moves), 14 * 14)
    if any(tuple(a[b]) not in members for a, b in pairs):
        wrong.append("they are no group")
    again = sum(int(moves[s][s]) == 0 for s in rows[0])
    if again != 3:
        wrong.append(f"{again} of 3 generators are their own inverses")
    text = f"{len(members)} translations, {again} of 3 generators are reflections"
    return judge(wrong, text, searched=tally)
