"""Checks of the best groups: equations (1) to (3), properties 5 and 6."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from hopscape.core.family import Symmetry
from hopscape.core.network import Network
from hopscape.ledger.claim import Correction, Outcome, Searched, Tally, judge
from hopscape.ledger.crosscheck import differing, settled
from hopscape.papers.rpc import groups as known
from hopscape.papers.rpc import printed
from hopscape.papers.rpc.checks_structure import ratio_outcome, rp, rpc, torus_rows
from hopscape.papers.rpc.comparison import ranges
from hopscape.papers.rpc.groups import best_group
from hopscape.reference import graphs

__all__: list[str] = []


def largest(rows: graphs.Rows, t: int) -> int:
    """The most nodes pairwise within distance t, with node 0 among them: cliques by networkx."""
    import networkx

    hops = graphs.distances(rows)
    within = [v for v in range(1, len(rows)) if hops[0, v] <= t]
    graph = networkx.Graph()
    graph.add_nodes_from(within)
    graph.add_edges_from((u, v) for u in within for v in within if u < v and hops[u, v] <= t)
    return int(networkx.max_weight_clique(graph, weight=None)[1]) + 1


def _torus(side: int) -> Network:
    rows = torus_rows(side, side)
    ends = [(u, v) for u, row in enumerate(rows) for v in row if u < v]
    symmetry = Symmetry.of_transitive(len(rows))
    return Network.from_links(len(rows), *zip(*ends, strict=True), symmetry=symmetry)


@cache
def searched(name: str, most: int) -> dict[int, int]:
    """Diameters of the best groups by search, the nodes of each measured again."""
    network = {"rpc": lambda: rpc(8), "rp": lambda: rp(12), "torus": lambda: _torus(12)}[name]()
    hops = graphs.distances(graphs.rows_of(network))
    diameters = {}
    for m in range(2, most + 1):
        group = best_group(network, m)
        nodes = list(group.nodes)
        if not group.exact or len(set(nodes)) != m or hops[nodes][:, nodes].max() != group.diameter:
            diameters[m] = -1
        else:
            diameters[m] = group.diameter
    return diameters


def _small(name: str) -> list[str]:
    """The search against cliques by networkx, for small distances."""
    network = {"rpc": lambda: rpc(8), "rp": lambda: rp(12), "torus": lambda: _torus(12)}[name]()
    rows = graphs.rows_of(network)
    true = searched(name, {"rpc": 62, "rp": 41, "torus": 25}[name])
    wrong = [f"the best group of {m} nodes is not what it says" for m, d in true.items() if d < 0]
    tally = Tally()
    for t in tally.each("distances", range(1, 5), 4):
        size = largest(rows, t)
        if true.get(size) != t or (size + 1 in true and true[size + 1] <= t):
            wrong.append(f"{size} nodes can be within {t}, the search says {true.get(size)}")
    return wrong + tally.short()


def check_eq1() -> Outcome:
    true = searched("rpc", 62)
    formula = known.printed_rpc_group
    wrong = differing("m", true, formula)
    fixed = differing("m", true, lambda m: 5 if 18 < m <= 20 else formula(m), "corrected")
    cap = best_group(rpc(3), 61).diameter
    text = f"RPC(8), m = 2..62 searched in full: {len(wrong)} sizes differ"
    note = (
        f"4 up to m = 18 only, and no more than the diameter (RPC(3), m = 61: {cap}, printed"
        f" {known.printed_rpc_group(61)})"
    )
    outcome = judge(
        wrong,
        text,
        Correction(note, fixed),
        values={"diameters": list(true.values()), "cap": cap},
        searched=[Searched("sizes", len(true), 61)],
    )
    return settled(_small("rpc"), outcome)


def check_eq2() -> Outcome:
    true = searched("rp", 41)
    wrong = differing("m", true, known.printed_rp_group)
    small = best_group(rp(3), 3).diameter
    text = f"RP(12), m = 2..41 searched in full: {len(wrong)} sizes differ"
    note = f"RP(3) has triangles: m = 3 gives {small}; and the diameter is a cap"
    outcome = judge(
        wrong,
        text,
        note=note,
        values={"small": small},
        searched=[Searched("sizes", len(true), 40)],
    )
    return settled(_small("rp"), outcome)


def check_eq3() -> Outcome:
    true = searched("torus", 25)
    off = {m: known.printed_torus_group(m) - d for m, d in true.items()}
    wrong = [
        f"m = {m}: {true[m]}, printed {known.printed_torus_group(m):.2f}"
        for m in sorted(off, key=lambda m: (m != 5, m))
        if abs(off[m]) > 1e-9
    ]
    above = [m for m, more in off.items() if more > 1e-9]
    text = (
        f"12 x 12 torus, m = 2..25 searched: {len(wrong)} sizes differ, the formula is above"
        f" the true value at m = {ranges(above)}"
    )
    outcome = judge(
        wrong,
        text,
        values={"diameters": list(true.values()), "above": above},
        searched=[Searched("sizes", len(true), 24)],
    )
    return settled(_small("torus"), outcome)


# -- properties 5 and 6 --------------------------------------------------------------------------


@cache
def distrusted() -> list[str]:
    """Where our closed forms differ from searches, and from groups that are easy to build."""
    wrong, tally = [], Tally()
    tally.expect("sizes", 61 + 40 + 24)
    for name, formula, most in (
        ("rpc", lambda m: known.rpc_group(m, 8), 62),
        ("rp", lambda m: known.rp_group(m, 12), 41),
        ("torus", known.torus_group, 25),
    ):
        for m, d in tally.each("sizes", searched(name, most).items()):
            if formula(m) != d:
                wrong.append(f"{name}, m = {m}: {formula(m)}, searched {d}")
    for name, network, size, formula in (
        ("RPC", rpc(24), 30, lambda m: known.rpc_group(m, 10_000)),
        ("RP", rp(24), 10, lambda m: known.rp_group(m, 10_000)),
    ):
        wrong += _beyond_search(name, network, size, formula)
    for t in tally.each("distances", range(1, 80), 79):
        nodes = _most_in_a_square(t)
        if (known.torus_group(nodes), known.torus_group(nodes + 1)) != (t, t + 1):
            wrong.append(f"{nodes} nodes of a torus, and no more, can be within {t}")
    return wrong + tally.short()


def _beyond_search(
    name: str, network: Network, size: int, formula: Callable[[int], int]
) -> list[str]:
    """Groups too large to search: whole slices from above, a matching from below.

    Let a slice have diameter w, and match its nodes so that partners are w apart (a perfect
    matching, by Koenig). In a group of diameter t the levels s and s + (t - w + 1) hold no two
    partners, so at most as many nodes together as a slice has. For 2(t - w + 1) > t each level
    meets one other at most: no more than `size` times t - w + 1 nodes, which whole slices reach.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    hops = graphs.distances(graphs.rows_of(network), range(size))
    inside = hops[:, :size]
    width = int(inside.max())
    partners = maximum_bipartite_matching(csr_array(inside == width))
    wrong = [] if (partners >= 0).all() else [f"{name}: no matching of nodes {width} apart"]
    tally = Tally()
    for slices in tally.each("slices", range(1, 13), 12):
        reach = int(hops[:, : size * slices].max())
        if reach != width + slices - 1 or formula(size * slices) > reach:
            wrong.append(f"{slices} slices of {name} lie within {reach}")
    first = next(t for t in range(width, 99) if 2 * (t - width + 1) > t)
    last = size * (first - width)
    for m in tally.each("sizes", range(last + 1, 3137), 3136 - last):
        if formula(m) != width - 1 + -(-m // size):
            wrong.append(f"{name}, m = {m}: {formula(m)}, proved {width - 1 + -(-m // size)}")
    return wrong + tally.short()


def _most_in_a_square(t: int) -> int:
    """The most points of Z² pairwise within t steps: u = x + y and v = x - y in intervals of t."""
    points = [(u, v) for u in range(t + 1) for v in range(t + 1)]
    return max(sum((u - v) % 2 == parity for u, v in points) for parity in (0, 1))


@cache
def rows() -> dict[int, tuple[int, int, int]]:
    """True diameters of the best groups of RPC, RP and large tori, by size."""
    most = max(printed.GROUPS_BEAT_TORUS, 3136)
    return {
        m: (known.rpc_group(m, 10_000), known.rp_group(m, 10_000), known.torus_group(m))
        for m in range(2, most + 1)
    }


def check_p5() -> Outcome:
    single, above = printed.GROUPS_BEAT_RP
    claimed = {m for m in rows() if m == single or m > above}
    tally = Tally()
    sizes = tally.each("sizes", rows().items(), 3136 - 1)
    not_worse = [m for m, (a, b, _) in sizes if a <= b]
    better = [m for m, (a, b, _) in rows().items() if a < b]
    worse = [
        f"m = {m}: {rows()[m][0]} against {rows()[m][1]}" for m in sorted(claimed - set(not_worse))
    ]
    more = [f"m = {m} as well" for m in sorted(set(not_worse) - claimed)]
    text = f"no worse for m = {ranges(not_worse)}; better for m = {ranges(better)}"
    note = f"true for the sizes named, but {above} is not a threshold"
    outcome = judge(
        worse + more,
        text,
        Correction(note, worse),
        values={"no_worse": ranges(not_worse), "better": ranges(better)},
        searched=tally,
    )
    return settled(distrusted(), outcome)


def check_p5_limit() -> Outcome:
    ratio = {m: a / b for m, (a, b, _) in rows().items() if m >= 100}
    return settled(distrusted(), ratio_outcome(ratio, "m", 3136 - 99))


def check_p6() -> Outcome:
    most = printed.GROUPS_BEAT_TORUS
    worse, own, tally = [], [], Tally()
    for m, (a, _, b) in tally.each("sizes", rows().items(), 3136 - 1):
        if m <= most:
            worse += [m] if a > b else []
            printed_worse = known.printed_rpc_group(m) > known.printed_torus_group(m)
            own += [m] if printed_worse else []
    wrong = [f"m = {m}: {rows()[m][0]} against {rows()[m][2]}" for m in worse]
    text = (
        f"RPC is worse for {len(worse)} sizes up to {most}: m = {ranges(worse)}; by the printed"
        f" formulas at m = {ranges(own)}"
    )
    outcome = judge(
        wrong,
        text,
        values={"worse": ranges(worse), "by_formulas": ranges(own)},
        searched=tally,
    )
    return settled(distrusted(), outcome)


def check_p6_half() -> Outcome:
    low, high = printed.HALF_OF_TORUS
    named = range(low, high + 1)
    true, own, tally = [], [], Tally()
    for m in tally.each("sizes", named, 361):
        true += [m] if 2 * rows()[m][0] >= rows()[m][2] else []
        printed_half = 2 * known.printed_rpc_group(m) >= known.printed_torus_group(m)
        own += [m] if printed_half else []
    wrong = [f"m = {m}: {rows()[m][0]} against {rows()[m][2]}" for m in true]
    text = (
        f"true groups: {len(true)} of {len(named)} sizes are not below half; by the printed"
        f" formulas {len(own)}"
    )
    outcome = judge(
        wrong,
        text,
        values={"true": len(true), "by_formulas": len(own)},
        searched=tally,
    )
    return settled(distrusted(), outcome)
